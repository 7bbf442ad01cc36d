"""Regressors of robots: parameters, base parameters, operations of the whole and of the minimal one, and microseconds for
one state, called from Python, beside Pinocchio's `computeJointTorqueRegressor`, which gives the whole one.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.kits import robots as rb

from .timing import Row, repeated

ROBOTS: Final = {
    "double pendulum": ("double_pendulum.urdf", {}),
    "ur5": ("ur5_robot.urdf", {}),
    "panda, fingers fixed": ("panda.urdf", {"hold": {"panda_finger_joint*": 0}}),
}


def rows() -> Iterator[Row]:
    try:
        known = [f for f in files("example-robot-data") or () if str(f).endswith(".urdf")]
    except PackageNotFoundError:
        return
    for name, (file, options) in ROBOTS.items():
        path = Path(str(next(f for f in known if str(f).endswith(file)).locate()))
        yield robot_row(name, path, options)


def robot_row(name: str, path: Path, options: dict[str, Any]) -> Row:
    robot = sb.read_urdf(path, parameters="none", actuators=None, **options)
    Y = rb.regressor(sb.derive(robot), frames=robot.links)
    base = rb.base_parameters(Y)
    n = len(Y.equations.u)
    q, u, a = np.random.default_rng(0).uniform(-1, 1, (3, n))
    times = {}
    for kind, columns in (("whole", None), ("minimal", base.columns)):
        f = sb.compile(Y.program(columns) if columns is not None else Y.program())
        times[kind] = repeated(lambda f=f: f(q, u, a, np.zeros(0), 0.0)).least
    whole, minimal, theirs = Y.program().cost, Y.program(base.columns).cost, pinocchio(path, options)
    return {
        "case": name, "parameters": len(Y.parameters), "base": len(base), "operations": whole.total,
        "minimal": minimal.total, "multiplications": minimal.multiplications, "additions": minimal.additions,
        "us": 1e6 * times["whole"], "us_minimal": 1e6 * times["minimal"],
        "peer": "Pinocchio", "peer_us": theirs, "ratio": None if theirs is None else theirs / (1e6 * times["whole"]),
    }  # fmt: skip


def pinocchio(path: Path, options: dict[str, Any]) -> float | None:
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.buildModelFromUrdf(str(path))
    if options:
        held = [i for i, n in enumerate(model.names) if "finger_joint" in n]
        model = pin.buildReducedModel(model, held, pin.neutral(model))
    data = model.createData()
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, model.nv))
    return 1e6 * repeated(lambda: pin.computeJointTorqueRegressor(model, data, q, v, a)).least
