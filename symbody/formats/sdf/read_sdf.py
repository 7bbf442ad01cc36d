"""Robots from SDF files, Gazebo's format: `read_sdf`.

Data pass through `sdf_tree.py` (models in models, included files), `sdf_text.py` (poses resolved; a tree, and joints
that close loops), and the builder that all readers share (`robot/make_robot.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import symbody as sb

from ...argument_kinds import answered, checked_flags
from ...errors import ModelError, shown
from ...escaping import identifier
from ...given_files import reading
from ..robot.choices import RobotOptions
from ..robot.link_frames import LinkPlacement
from ..robot.make_robot import Builder
from ..robot.robot import Robot
from ..robot.rotation_numbers import roll_pitch_yaw
from .sdf_text import SdfJoint, SdfReader, SdfText, inverse
from .sdf_tree import read_file

GRAVITY: Final = (0.0, 0.0, -9.8)  # of a world that does not say
START: Final = "initial"


@checked_flags(ModelError)
@reading("read_sdf: a model cannot be made from the numbers in the file")
@answered
def read_sdf(
    source: Any,
    *,
    base: str = "file",
    parameters: Any = "all",
    free: Any = None,
    hold: Mapping[str, float] | None = None,
    mimic: bool = True,
    actuators: Any = "all",
    damping: bool = True,
    friction: float | None = None,
    wrench: bool = False,
    loops: bool = True,
    gravity: Any = "file",
    strict: bool = False,
) -> Robot:
    """A model of the robots in an SDF file, by its path or its text. Included models are opened where they are
    beside it; meshes are not.

    base         "file": what no joint ties to the world moves freely, with coordinates base_x, base_y, base_z, base_e0
                 ... base_e3 and speeds as in `read_urdf`; "fixed": it is the ground's
    parameters   which numbers are parameters with these numbers as defaults, as in `read_urdf`
    free, hold   names and patterns of the joints that move; joint -> value at which it is held
    mimic        False lets joints move on their own which the file ties to others
    actuators    names and patterns of joints on which an input `<joint>_tau` acts; None for none
    damping      False: the damping of joints does not act. friction: the speed at which dry friction of joints is
                 developed, which then acts
    wrench       True: forces and torques on floating bodies are inputs, base_fx ... base_tz, along the axes of the
                 ground
    loops        False: leave out the joints that close loops, which are exact constraints in the model
    gravity      "file": that of the world in the file, or 9.8 along -z; an acceleration along the axes of the ground;
                 None for none
    strict       refuse inertias that no body has, which are otherwise accepted and reported

    Angles and lengths of joints are zero where the file shows the links. `robot.keyframes["initial"]` is where the file
    places floating bodies, `robot.sites` contains its frames.

    >>> robot = sb.read_sdf('''
    ... <sdf version="1.7"><model name="pendulum">
    ...   <link name="base"/>
    ...   <link name="pole"><inertial><pose>0 0 -0.5 0 0 0</pose><mass>2</mass>
    ...     <inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
    ...   <joint name="base to world" type="fixed"><parent>world</parent><child>base</child></joint>
    ...   <joint name="hinge" type="revolute"><parent>base</parent><child>pole</child>
    ...     <axis><xyz>0 1 0</xyz></axis></joint>
    ... </model></sdf>''', parameters="none")
    >>> sb.derive(robot).M
    vector(0.6)

    See also: `read_urdf`, `read_mjcf`, `formats.Robot`.
    """
    if base not in ("file", "fixed"):
        raise ModelError(f"read_sdf: base= is 'file' or 'fixed', got {shown(base)}")
    text = SdfReader(read_file(source, "read_sdf")).text()
    held = dict(hold or {})
    if base == "fixed":
        text = _fixed_to_ground(text)
    options = RobotOptions(
        "read_sdf", False, parameters, free, held, mimic, actuators, damping, friction, None, strict, wrench
    )  # fmt: skip
    with sb.algebra.gc_paused():
        builder = Builder(text.robot, options)
        robot = builder.robot()
        for name, (link, at) in text.frames.items():
            robot.sites[name] = at.frame(robot.links[link], f"{identifier(name)}.frame")
        if loops:
            for j in text.loops:
                _close(robot, text, j)
    robot.keyframes[START] = _start(robot, text, builder.names)
    if gravity is not None:
        robot.gravity(*((text.gravity or GRAVITY) if isinstance(gravity, str) else gravity))
    return robot


def _fixed_to_ground(text: SdfText) -> SdfText:
    """What moves freely, fixed where the file shows it."""
    joints = dict(text.robot.joints)
    for name in text.starts:
        j = joints[name]
        X = text.places[j.child]
        joints[name] = replace(j, kind="fixed", position=X.p, rpy=roll_pitch_yaw(X.R))
    return replace(text, robot=replace(text.robot, joints=joints), starts={})


def _close(robot: Robot, text: SdfText, j: SdfJoint) -> None:
    """A joint between links that are placed already."""
    parent, child = (
        (inverse(text.places[n]) @ LinkPlacement(p=j.place.p)).frame(robot.links[n], f"{identifier(j.name)}.{k}")
        for n, k in ((j.parent, "parent"), (j.child, "child"))
    )
    axes = [list(a.direction) for a in j.axes]
    if j.kind == "ball":
        robot.coincide(j.name, parent.origin, child.origin)
    elif j.kind == "fixed":
        robot.fixed(j.name, parent, child)
    elif j.kind == "prismatic":
        robot.prismatic(j.name, parent, child, axes[0])
    elif j.kind == "screw":
        robot.screw(j.name, parent, child, j.pitch, axis=axes[0])
    elif len(axes) > 1:
        robot.universal(j.name, parent, child, axes)
    else:
        robot.revolute(j.name, parent, child, axes[0])


def _start(robot: Robot, text: SdfText, names: Mapping[tuple[str, str], str]) -> dict[str, float]:
    out = {q.name: 0.0 for q in robot.symbols_of_kind("coordinate")}
    for joint, numbers in text.starts.items():
        base = names["joint", joint]
        endings = ("x", "y", "z", "e0", "e1", "e2", "e3")
        out |= {f"{base}_{k}": x for k, x in zip(endings, numbers, strict=True) if f"{base}_{k}" in out}
    for j in text.robot.joints.values():
        if j.kind == "spherical" and (name := f"{names['joint', j.name]}_e0") in out:
            out[name] = 1.0
    return out
