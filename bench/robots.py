"""The robots that are measured, and random states of them.

States are in the coordinates of `read_urdf`, which are those of MuJoCo too:

    q = (joint angles)    or    (x, y, z, e0, e1, e2, e3, joint angles)    where the root link is free; scalar e0 first
    u = (joint rates)     or    (velocity of the root link along the ground's axes, angular velocity along its own,
                          rates)

and forces are those that work on u. Joints are in the order of the file; a peer with another order is given it by name.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from . import chain

MOVING: Final = ("revolute", "continuous", "prismatic")
Array = Any


@dataclass(frozen=True)
class Case:
    """A robot: a file of `example-robot-data`, or a chain of pendulums; whether its root link is free; joints held at
    zero."""

    file: str | None = None
    free: bool = False
    held: tuple[str, ...] = ()
    pendulums: int = 0
    gravity: float = 9.81

    @property
    def source(self) -> str:
        """What `read_urdf` takes: the path, or the text. FileNotFoundError where the package is not installed."""
        return chain_urdf(self.pendulums) if self.file is None else str(_robot_data() / self.file)

    def tree(self) -> ET.Element:
        return ET.fromstring(self.source) if self.file is None else ET.parse(self.source).getroot()

    def joints(self) -> list[str]:
        """Names of the joints that move, in the order of the file."""
        found = (j for j in self.tree().findall("joint") if j.get("type") in MOVING)
        return [name for j in found if (name := j.get("name", "")) not in self.held]


CASES: Final[dict[str, Case]] = {
    "panda": Case("panda_description/urdf/panda.urdf", held=("panda_finger_joint1", "panda_finger_joint2")),
    "ur5": Case("ur_description/urdf/ur5_robot.urdf"),
    "hyq": Case("hyq_description/robots/hyq_no_sensors.urdf", free=True),
    "anymal_b": Case("anymal_b_simple_description/robots/anymal.urdf", free=True),
    "talos": Case("talos_data/robots/talos_full_v2.urdf", free=True),
    "chain30": Case(pendulums=30, gravity=1.0),
}


def _robot_data() -> Path:
    try:
        found = distribution("example-robot-data")
    except PackageNotFoundError:
        raise FileNotFoundError("example-robot-data is not installed") from None
    return Path(str(found.locate_file("cmeel.prefix/share/example-robot-data/robots")))


# --------------------------------------------------------------------------------------------------- chain of pendulums


def chain_urdf(n: int) -> str:
    """The chain of `chain.py`: each bar turns about x, then y, of the one above; a link without mass is between the
    turns."""
    bar, parent, at = chain.BAR.in_floats(), "ground", "0 0 0"
    lines = ['<robot name="chain">', '<link name="ground"/>']
    for k in range(n):
        lines += [
            f'<link name="cross{k}"/>',
            f'<link name="bar{k}"><inertial><origin xyz="0 0 {-bar.half}"/><mass value="{bar.mass}"/><inertia '
            f'ixx="{bar.transverse}" iyy="{bar.transverse}" izz="{bar.axial}" ixy="0" ixz="0" iyz="0"/></inertial></link>',
            _joint(f"x{k}", parent, f"cross{k}", at, "1 0 0"),
            _joint(f"y{k}", f"cross{k}", f"bar{k}", "0 0 0", "0 1 0"),
        ]
        parent, at = f"bar{k}", f"0 0 {-bar.length}"
    return "\n".join([*lines, "</robot>"])


def _joint(name: str, parent: str, child: str, at: str, axis: str) -> str:
    return (
        f'<joint name="{name}" type="revolute"><origin xyz="{at}"/><axis xyz="{axis}"/><parent link="{parent}"/>'
        f'<child link="{child}"/><limit lower="-9" upper="9" effort="9" velocity="9"/></joint>'
    )


# ---------------------------------------------------------------------------------------------------- states


class States(NamedTuple):
    """One in each row: coordinates, speeds, accelerations and forces."""

    q: Array
    u: Array
    a: Array
    tau: Array


def states(case: Case, count: int, seed: int = 0) -> States:
    """Angles in -3 .. 3, everything else in -1 .. 1."""
    draw = np.random.default_rng(seed)
    n = len(case.joints())
    q = draw.uniform(-3, 3, (count, n))
    if case.free:
        e = draw.normal(size=(count, 4))
        pose = np.hstack([draw.uniform(-1, 1, (count, 3)), e / np.linalg.norm(e, axis=1, keepdims=True)])
        q, n = np.hstack([pose, q]), n + 6
    return States(q, *(draw.uniform(-1, 1, (count, n)) for _ in range(3)))


def rotation(e: Array) -> Array:
    """Ground from root link, of Euler parameters with the scalar first."""
    e0, e1, e2, e3 = e
    return np.array(
        [
            [1 - 2 * (e2 * e2 + e3 * e3), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
            [2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1 * e1 + e3 * e3), 2 * (e2 * e3 - e0 * e1)],
            [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1 * e1 + e2 * e2)],
        ]
    )


def tangent(case: Case, q: Array) -> Array:
    """∂q/∂s where s are small displacements along u: what derivatives with respect to q are multiplied by to be those
    of a peer.

    e' = ½ e ∘ (0, ω)
    """
    if not case.free:
        return np.eye(len(q))
    e0, e1, e2, e3 = q[3:7]
    out = np.zeros((len(q), len(q) - 1))
    out[:3, :3] = np.eye(3)
    out[3:7, 3:6] = 0.5 * np.array([[-e1, -e2, -e3], [e0, -e3, e2], [e3, e0, -e1], [-e2, e1, e0]])
    out[7:, 6:] = np.eye(len(q) - 7)
    return out


def relative_error(got: Array, expected: Array) -> float:
    """Largest difference, in terms of the largest entry of each state's result; the worst of the states."""
    got, expected = (np.reshape(x, (len(x), -1)) for x in (got, expected))
    return float((np.abs(got - expected).max(axis=1) / np.abs(expected).max(axis=1)).max())
