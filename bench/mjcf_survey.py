"""MJCF files of packages and folders, each read by `read_mjcf` and by MuJoCo: mass matrix, forces and lengths of tendons at
random states.

    python -m bench mjcf_survey --folders FOLDER ... --keep survey.jsonl

Without folders the files of the packages in PACKAGES are read, as far as they are installed. One row a file:

    M, forces    largest difference at STATES states, as a part of the largest entry of MuJoCo's
    lengths      largest difference of lengths of tendons, in metres or radians
    outcome      agrees (below CLOSE), agrees but for meshes (below MESHES: MuJoCo keeps their corners in single precision),
                 differs, refused (with our message), MuJoCo refuses, too long
    left_out     what the report says was not read, and so is left out of the comparison where it is an actuator

Forces are those of gravity, gyroscopic, passive ones and those of actuators, without fluids; bounds of controls and
forces, which are data in the model, are off.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from .kept_rows import KeptRows
from .timing import Row

PACKAGES: Final = ("gymnasium", "dm_control", "robosuite", "gymnasium-robotics", "brax", "metaworld", "myosuite")
CLOSE: Final = 1e-10
MESHES: Final = 3e-8
STATES: Final = 2
SECONDS: Final = 150
Array = Any


def rows(folders: list[str] | None = None, keep: str | None = None, only: list[str] | None = None) -> Iterator[Row]:
    kept = KeptRows(keep)
    for name, path in sorted(_in_packages() if folders is None else _in_folders(folders)):
        if only and not any(word in name for word in only):
            continue
        yield from kept.rows(name) or kept.added([{"case": name, **_surveyed(path)}])


def _in_packages() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        try:
            found = files(package) or []
        except PackageNotFoundError:
            continue
        yield from ((str(f), p) for f in found if f.suffix == ".xml" and _is_mjcf(p := Path(str(f.locate()))))


def _in_folders(folders: list[str]) -> Iterator[tuple[str, Path]]:
    for folder in map(Path, folders):
        yield from ((p.relative_to(folder.parent).as_posix(), p) for p in folder.rglob("*.xml") if _is_mjcf(p))


def _is_mjcf(path: Path) -> bool:
    return "<mujoco" in path.read_text(errors="replace")


def _surveyed(path: Path) -> Row:
    import mujoco

    row: Row = {"speeds": None, "M": None, "forces": None, "lengths": None, "outcome": "", "left_out": []}
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        return {**row, "outcome": f"MuJoCo refuses: {str(error).splitlines()[0]}"}
    row["speeds"] = model.nv
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(SECONDS)
    try:
        robot = sb.read_mjcf(path, parameters="none")
        row["left_out"] = [*robot.report.left_out, *robot.report.doubtful]
        return {**row, **_compared(mujoco, model, robot)} if model.nv else {**row, "outcome": "nothing moves"}
    except TimeoutError:
        return {**row, "outcome": f"too long: more than {SECONDS} s"}
    except sb.SymbodyError as error:
        return {**row, "outcome": f"refused: {error}"}
    finally:
        signal.alarm(0)


def _stop(*_: object) -> None:
    raise TimeoutError


# ---------------------------------------------------------------------------------------------------------- comparison


def _compared(mujoco: Any, model: Any, robot: Any) -> Row:
    """The worst of some random states."""
    read = _read_actuators(mujoco, model, robot)
    eq = sb.derive(robot, check=False)
    names = speeds(robot)
    order = [[u.name for u in eq.u].index(n) for n in names]
    known = {s.name: s for s in eq.variables.of("q u z r").symbols}
    worst = {"M": 0.0, "forces": 0.0, "lengths": 0.0}
    for seed in range(STATES):
        data, given = _state(mujoco, model, robot, names, read, seed)
        values = {**robot.parts.default_values, **{known[n]: float(x) for n, x in given.items() if n in known}}
        M, f, l = sb.evaluate([list(eq.M.entries), list(eq.f.entries), list(robot.tendons.values())], values)
        M = np.array(M, dtype=float).reshape(len(order), -1)[np.ix_(order, order)]
        N, g, lengths = _of_mujoco(mujoco, model, data)
        theirs = [lengths[_id(mujoco, model, "TENDON", n, k)] for k, n in enumerate(robot.tendons)]
        worst["M"] = max(worst["M"], np.abs(M - N).max() / np.abs(N).max())
        worst["forces"] = max(
            worst["forces"], np.abs(np.array(f, dtype=float)[order] - g).max() / max(1, np.abs(g).max())
        )
        worst["lengths"] = max([worst["lengths"], *np.abs(np.array(l, dtype=float) - theirs)])
    largest = max(worst.values())
    says = "agrees" if largest < CLOSE else "agrees but for meshes" if largest < MESHES and model.nmesh else "differs"
    return {**{k: float(x) for k, x in worst.items()}, "outcome": says}


def speeds(robot: Any) -> list[str]:
    """Names of the speeds in the order of MuJoCo's `qvel`."""
    out = []
    for j in (j for j in robot.details.values() if j.kind != "fixed"):
        q = robot.joints[j.name].coordinates
        several = j.kind in ("floating", "spherical")
        base = q[-1].name.removesuffix("_e3")
        out += [x.dot.name for x in q if not (several and x.name.startswith(f"{base}_e"))]
        out += [f"{base}_w{k}" for k in "xyz"] if several else []
    return out


def _id(mujoco: Any, model: Any, kind: str, name: str, otherwise: int) -> int:
    found = mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), name)
    return otherwise if found < 0 else found


def _read_actuators(mujoco: Any, model: Any, robot: Any) -> dict[int, str]:
    """MuJoCo's number of each actuator that was read -> its input; forces of the others are set to zero there."""
    read: dict[int, str] = {}
    for k in range(model.nu):
        name = model.actuator(k).name or _target(mujoco, model, k) or f"actuator_{k + 1}"
        taken = sum(1 for i in read if (model.actuator(i).name or _target(mujoco, model, i)) == name)
        if (own := name if not taken else f"{name}_{taken + 1}") in robot.actuators:
            read[k] = robot.actuators[own].input
    for k in set(range(model.nu)) - set(read):
        model.actuator_gaintype[k] = model.actuator_biastype[k] = 0
        model.actuator_gainprm[k] = 0
    model.actuator_ctrllimited[:] = model.actuator_forcelimited[:] = model.actuator_actlimited[:] = 0
    model.jnt_actfrclimited[:] = model.tendon_actfrclimited[:] = 0
    return read


def _target(mujoco: Any, model: Any, k: int) -> str:
    kind = {0: "JOINT", 1: "JOINT", 3: "TENDON", 4: "SITE"}.get(int(model.actuator_trntype[k]))
    found = kind and mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), model.actuator_trnid[k, 0])
    return found or ""


def _state(
    mujoco: Any, model: Any, robot: Any, names: list[str], read: dict[int, str], seed: int
) -> tuple[Any, dict[str, float]]:
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    data.qpos[:] = model.qpos0
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv) * 0.5, 1.0)
    data.qvel[:], data.ctrl[:], data.act[:] = (
        rng.normal(size=model.nv),
        rng.uniform(0, 1, model.nu),
        rng.uniform(0, 1, model.na),
    )
    given = {**dict(zip(robot.keyframes["qpos0"], data.qpos, strict=True)), **dict(zip(names, data.qvel, strict=True))}
    for k, name in read.items():
        given[name] = data.ctrl[k]
        if model.actuator_actadr[k] >= 0:
            given[name.removesuffix("_ctrl") + "_act"] = data.act[model.actuator_actadr[k]]
    return data, given


def _of_mujoco(mujoco: Any, model: Any, data: Any) -> tuple[Array, Array, Array]:
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    return M, data.qfrc_passive - data.qfrc_fluid - data.qfrc_bias + data.qfrc_actuator, np.array(data.ten_length)
