"""Mass matrix and forces of an MJCF model by MuJoCo and by symbody, at one state, in MuJoCo's order of speeds."""

from typing import Any

import numpy as np

import symbody as sb
from symbody.formats import Robot


def speeds(robot: Robot) -> list[str]:
    """Names of the speeds in the order of `qvel`."""
    out = []
    for j in (j for j in robot.details.values() if j.kind != "fixed"):
        q = robot.joints[j.name].coordinates
        base = q[-1].name.removesuffix("_e3")
        out += [x.dot.name for x in q if not x.name.startswith(f"{base}_e") or j.kind not in ("floating", "spherical")]
        out += [f"{base}_w{k}" for k in "xyz"] if j.kind in ("floating", "spherical") else []
    return out


def ours(robot: Robot, qpos: Any, qvel: Any, controls: Any = ()) -> tuple[np.ndarray, np.ndarray]:
    """M and f, in the order of `qvel`."""
    eq = sb.derive(robot)
    names = speeds(robot)
    known = {s.name: s for s in eq.variables.of("q u r").symbols}
    inputs = [a.input for a in robot.actuators.values()]
    given = {
        **dict(zip(robot.keyframes["qpos0"], qpos, strict=True)),
        **dict(zip(names, qvel, strict=True)),
        **dict(zip(inputs, controls, strict=True)),
    }
    values = {**robot.parts.default_values, **{known[n]: float(x) for n, x in given.items()}}
    order = [[u.name for u in eq.u].index(n) for n in names]
    M = np.array(sb.evaluate(eq.M, values), dtype=float).reshape(len(order), -1)[np.ix_(order, order)]
    return M, np.array(sb.evaluate(eq.f, values), dtype=float).reshape(-1)[order]


def mujocos(mujoco: Any, model: Any, qpos: Any, qvel: Any, controls: Any = ()) -> tuple[np.ndarray, np.ndarray]:
    """M, and passive, gravity, gyroscopic and actuator forces, without those of a fluid."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    if len(controls):
        data.ctrl[:] = controls
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, M)
    except TypeError:  # before version 4
        mujoco.mj_fullM(model, M, data.qM)
    return M, data.qfrc_passive - data.qfrc_fluid - data.qfrc_bias + data.qfrc_actuator


def random_state(mujoco: Any, model: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    qpos = np.array(model.qpos0)
    mujoco.mj_integratePos(model, qpos, rng.normal(size=model.nv) * 0.5, 1.0)
    return qpos, rng.normal(size=model.nv)
