"""Dynamics of real robots: our code beside Pinocchio in C++, the C that Pinocchio generates with CasADi, and MuJoCo.

Every measurement is a process of its own, on one core, calling the function from C for one random state after the
other. Times are CPU times of the thread, the least and the median over repeats, with a fixed calibration kernel beside
each: where its least time in the quietest measurement of a row (`calibration_ns`) and in the least quiet one
(`disturbed_ns`) differ, a neighbour disturbed. All C is compiled by the same compiler with the same flags. Operations
are arithmetic and functions, sine and cosine of an angle being two. Results of Pinocchio and MuJoCo stay where they
leave them; ours and the generated code write theirs out.

Angles of a file that are multiples of pi cut short are read as exact ones (see `read_urdf`); `error` is the largest
relative difference from Pinocchio without that, `error_snapped` with it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from . import second_derivatives
from .limits import Limit, StoppedError
from .robots import CASES
from .timing import Row, fresh

FUNCTIONS: Final = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "forward_derivatives")
PEERS: Final = {  # column -> where it is measured
    "ours": "bench.ours:measured",
    "ours_c": "bench.ours:measured_c",
    "pin": "bench.peers.pinocchio_cpp:measured",
    "pin_casadi": "bench.peers.generated:measured",
    "mujoco": "bench.peers.mujoco:measured",
}
STATES: Final = 100
CHECKED: Final = 10  # states at which values are compared
REPEATS, QUICK_REPEATS = 31, 5
LIMIT: Final = Limit(3600.0, 16000.0)  # for one measurement: the first also compiles the peer
TARGETS: Final[dict[tuple[str, str], tuple[float, ...]]] = {  # so many times as fast as Pinocchio, and as its code
    ("inverse_dynamics", "panda"): (6, 1.6),
    ("inverse_dynamics", "ur5"): (6, 1.6),
    ("inverse_dynamics", "anymal_b"): (4, 1.3),
    ("inverse_dynamics", "talos"): (4, 1.3),
    ("forward_dynamics", "panda"): (6, 1.4),
    ("forward_dynamics", "ur5"): (6, 1.4),
    ("forward_dynamics", "anymal_b"): (6, 1.4),
    ("forward_dynamics", "talos"): (5, 1.2),
    ("forward_dynamics", "chain30"): (5, 1.2),
    **{("forward_derivatives", robot): (3,) for robot in CASES},
}
HALF_THE_OPERATIONS: Final = ("panda", "ur5")  # of inverse dynamics
SECONDS: Final = {"panda": (2.0, 0.5), "talos": (15.0, 0.5)}  # from file to callable: cold, warm
DERIVATIVES_SECONDS: Final = 5.0  # cold
LARGEST_ERROR: Final = 1e-10


def rows(
    robots: Iterable[str] = tuple(CASES), functions: Iterable[str] = FUNCTIONS, quick: bool = False
) -> Iterator[Row]:
    """A row for each robot and function, then rows for the time from file to callable, and for second derivatives."""
    robots, functions = tuple(robots), tuple(functions)
    present = []
    for robot in robots:
        try:
            _ = CASES[robot].source
            present.append(robot)
        except FileNotFoundError as reason:
            yield {"robot": robot, "function": None, "message": f"skipped: {reason}"}
    repeats = QUICK_REPEATS if quick else REPEATS
    for function in functions:
        for robot in present:
            yield compared(robot, function, repeats)
    for robot in present:
        for function in functions:
            yield from_file(robot, function)
    yield from second_derivatives.rows([r for r in second_derivatives.ROBOTS if r in present], quick)


# ---------------------------------------------------------------------------------------------- one robot, one function


def compared(robot: str, function: str, repeats: int = REPEATS) -> Row:
    got = {name: _run(place, robot, function, STATES, repeats) for name, place in PEERS.items() if _has(name, function)}
    check = _run("bench.ours:checked", robot, function, CHECKED)
    us = {name: got.get(name, {}).get("us") for name in PEERS}
    calibrations = [r["calibration_ns"] for r in got.values() if "calibration_ns" in r]
    row: Row = {
        "robot": robot,
        "function": function,
        "ours_us": us["ours"],
        "ours_ops": got["ours"].get("ops"),
        "ours_c_us": us["ours_c"],
        "pin_us": us["pin"],
        "pin_casadi_us": us["pin_casadi"],
        "pin_casadi_ops": got["pin_casadi"].get("ops"),
        "mujoco_us": us["mujoco"],
        "ratio_pin": _ratio(us["pin"], us["ours"]),
        "ratio_pin_casadi": _ratio(us["pin_casadi"], us["ours"]),
        "ratio_mujoco": _ratio(us["mujoco"], us["ours"]),
        "error": check.get("error"),
        "error_snapped": check.get("error_snapped"),
        "ops_unsnapped": check.get("ops_unsnapped"),
        **{f"{name}_median_us": got.get(name, {}).get("median_us") for name in PEERS},
        "peer_limit": str(LIMIT),
        "calibration_ns": min(calibrations, default=None),
        "disturbed_ns": max(calibrations, default=None),
    }
    return {**row, "missed": missed(row), "message": _messages({**got, "check": check})}


def _has(name: str, function: str) -> bool:
    return name != "mujoco" or function != "forward_derivatives"  # which it has by finite differences only


def _ratio(theirs: float | None, mine: float | None) -> float | None:
    return theirs / mine if theirs and mine else None


def _messages(results: dict[str, Row]) -> str | None:
    """What was said, and by which measurements."""
    said: dict[str, list[str]] = {}
    for name, r in results.items():
        if "message" in r:
            said.setdefault(r["message"], []).append(name)
    return "; ".join(f"{', '.join(names)}: {message}" for message, names in said.items()) or None


def missed(row: Row) -> str | None:
    """Which of the targets a row does not reach; None where it reaches all that it has."""
    robot, function = row["robot"], row["function"]
    targets = dict(zip(("ratio_pin", "ratio_pin_casadi"), TARGETS.get((function, robot), ()), strict=False))
    if function == "forward_dynamics":
        targets["ratio_mujoco"] = 1
    out = [f"{key} {row[key]:.2f} of {least}" for key, least in targets.items() if row[key] and row[key] < least]
    ops, theirs = row["ours_ops"], row["pin_casadi_ops"]
    if function == "inverse_dynamics" and robot in HALF_THE_OPERATIONS and ops and theirs and 2 * ops > theirs:
        out.append(f"{ops} operations, more than half of {theirs}")
    if row["error"] is not None and not row["error"] <= LARGEST_ERROR:
        out.append(f"error {row['error']:.1e} of {LARGEST_ERROR:.0e}")
    return ", ".join(out) or None


def _run(place: str, *arguments: Any) -> Row:
    """The result of a measurement, or a message that says why there is none."""
    try:
        done = fresh(place, *arguments, limit=LIMIT)
    except StoppedError as reason:
        return {"message": str(reason)}
    except RuntimeError as reason:
        return {"message": str(reason).strip().splitlines()[-1]}  # the error itself, after its traceback
    return {"message": "a package is not installed"} if done is None else done


# ------------------------------------------------------------------------------------------------ from file to callable


def from_file(robot: str, function: str) -> Row:
    """Seconds from the URDF to the first result, in a fresh process: with an empty cache on disk, then with what that
    left there."""
    with empty_cache():
        cold, warm = (_run("bench.ours:from_file", robot, function) for _ in range(2))
    row: Row = {
        "robot": robot,
        "function": f"file to {function}",
        "cold_s": cold.get("cpu_s"),
        "warm_s": warm.get("cpu_s"),
        "cold_wall_s": cold.get("wall_s"),
        "warm_wall_s": warm.get("wall_s"),
    }
    is_derivative = function == "forward_derivatives"
    most = (DERIVATIVES_SECONDS, None) if is_derivative else SECONDS.get(robot, (None, None))
    pairs = zip(("cold_s", "warm_s"), most, strict=True)
    over = [f"{key} {row[key]:.2f} of {m}" for key, m in pairs if m and row[key] and row[key] > m]
    return {**row, "missed": ", ".join(over) or None, "message": cold.get("message")}


@contextmanager
def empty_cache() -> Iterator[None]:
    """A cache on disk that is empty, and is removed in the end."""
    before = os.environ.get("SYMBODY_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYMBODY_CACHE"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["SYMBODY_CACHE"]
            else:
                os.environ["SYMBODY_CACHE"] = before
