"""Trajectories on disk, without loss: a NumPy archive (.npz: a zip of plain arrays) with a header in JSON.

Any program that reads .npz finds times `t`, and a column of values under the name of each coordinate, speed and
variable, `column q1`, with nan where a mode does not have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...argument_kinds import answered
from ...array_files import ArrayFile, read_arrays, write_arrays
from ...derivation.equations.equations import Equations
from ...errors import SimulationError, listed, shown
from ...integrate.inputs.inputs import with_inputs
from ...integrate.kernels.dense import Dense
from ...integrate.modes.modes import Contacts, Modes
from ...integrate.result.outcome import Ending, Outcome, Statistics
from ...integrate.result.segment import Occurrence, Segment
from ...integrate.result.trajectory import Trajectory

VERSION: Final = 2
MOST_TIMES: Final = 10**9


def save_trajectory(trajectory: Trajectory, path: str | Path) -> Path:
    """Write a trajectory; the suffix .npz is added if the file name has none.

    >>> x, v = sb.symbols("x v", "variable")
    >>> sim = sb.simulate(sb.from_equations({x: v, v: -x}), 1.0, x=1.0)
    >>> sb.write.save_trajectory(sim, "run").name
    'run.npz'

    See also: `write.load_trajectory`, `Trajectory.save`.
    """
    header = {
        "symbody trajectory": VERSION,
        "model": trajectory.name,
        "outcome": _outcome_as_json(trajectory.outcome),
        "segments": [_header(s) for s in trajectory.segments],
    }
    arrays = {f"column {name}": values for name, values in _columns(trajectory).items()}
    for k, s in enumerate(trajectory.segments):
        arrays |= {f"segment {k} {name}": values for name, values in _arrays(s).items()}
    return write_arrays(path, header, {"t": trajectory.t, **arrays})


@answered
def load_trajectory(
    path: str | Path, equations: Equations | Modes | Contacts, inputs: Mapping[Any, Any] | None = None
) -> Trajectory:
    """Read a trajectory back. The equations (or modes, or contacts) and inputs must be those it was made with: names
    are compared.

    The header lists the arrays and their shapes; each array is checked before it is read, and nothing else in the file
    is read. A mismatch raises `SimulationError`.

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: -x})
    >>> path = sb.simulate(eq, 1.0, x=1.0).save("run.npz")
    >>> sb.write.load_trajectory(path, eq).final["x"]
    0.540302

    See also: `write.save_trajectory`, `Trajectory`.
    """
    with read_arrays(path, "trajectory", SimulationError) as file:
        return _trajectory(file, equations, inputs or {})


def _trajectory(file: ArrayFile, equations: Equations | Modes | Contacts, inputs: Mapping[Any, Any]) -> Trajectory:
    path, header = file.path, file.header("symbody trajectory", VERSION)
    equations_of = _equations_by_mode(path, header, equations, inputs)
    total = sum(_count(said["times"]) for said in header["segments"])
    t = file.read("t", (total,))
    columns = {
        name: file.read(f"column {name}", (total,))
        for said in header["segments"]
        for name in dict.fromkeys(said["columns"])
    }
    segments, first = [], 0
    for k, said in enumerate(header["segments"]):
        eq, rows = equations_of(said["mode"]), slice(first, first + said["times"])
        _compare(path, header["model"], said, eq)
        y = [columns[n][rows] for n in said["columns"]]
        state = np.stack(y, axis=1) if y else np.zeros((said["times"], 0))
        segments.append(_segment(said, SegmentArrays(file, k), eq, t[rows], state))
        first = rows.stop
    return Trajectory(tuple(segments), _outcome_from_json(header["outcome"]))


def _count(said: Any) -> int:
    if not isinstance(said, int) or isinstance(said, bool) or not 0 <= said <= MOST_TIMES:
        raise SimulationError(f"a number of times must be between 0 and {MOST_TIMES}, got {shown(said)}")
    return said


# ---------------------------------------------------------------------------------------------------------- segments


def _header(s: Segment) -> dict[str, Any]:
    return {
        "mode": s.mode,
        "times": len(s),
        **_names(s.equations),
        "outcome": _outcome_as_json(s.outcome),
        "statistics": asdict(s.statistics),
        "choices": dict(s.choices),
        "events": [{"name": e.name, "t": e.t, "impulses": dict(e.impulses)} for e in s.events],
        "sensitivities": list(s.wrt),
        "sensitivity columns": 0 if s.variations is None else s.variations.shape[2],
        "starts": [d.start for d in s.dense],
    }


def _arrays(s: Segment) -> dict[str, NDArray[np.float64]]:
    out: dict[str, NDArray[np.float64]] = {"parameters": s.p, "inputs": s.r}
    for k, e in enumerate(s.events):
        out |= {f"event {k} before": e.before, f"event {k} after": e.after}
    for k, d in enumerate(s.dense):
        out |= {f"run {k} ends": d.ends, f"run {k} coefficients": d.coefficients}
    return out if s.variations is None else {**out, "variations": s.variations}


def _segment(
    said: Mapping[str, Any], file: SegmentArrays, eq: Equations, t: NDArray[np.float64], y: NDArray[np.float64]
) -> Segment:
    state, wrt = (len(eq.state),), tuple(map(str, said["sensitivities"]))
    events = tuple(
        Occurrence(
            str(e["name"]), float(e["t"]), file.read(f"event {k} before", state), file.read(f"event {k} after", (None,)),
            {str(n): float(x) for n, x in e["impulses"].items()},
        )
        for k, e in enumerate(said["events"])
    )  # fmt: skip
    dense = tuple(_dense(file, k, float(start)) for k, start in enumerate(said["starts"]))
    variations = (
        file.read("variations", (len(t), len(eq.state), _variation_columns(said, wrt)))
        if file.has("variations")
        else None
    )
    return Segment(
        eq, t, y, file.read("parameters", (len(eq.p),)), file.read("inputs", (len(eq.r),)), _outcome_from_json(said["outcome"]), str(said["mode"]),
        Statistics(**said["statistics"]), {str(k): str(v) for k, v in said["choices"].items()}, events, dense, variations, wrt,
    )  # fmt: skip


def _variation_columns(said: Mapping[str, Any], wrt: tuple[str, ...]) -> int:
    """Columns of variations: those of first order in files of earlier versions."""
    return int(said.get("sensitivity columns", len(wrt)))


def _dense(file: SegmentArrays, k: int, start: float) -> Dense:
    ends = file.read(f"run {k} ends", (None,))
    return Dense(start, ends, file.read(f"run {k} coefficients", (len(ends), None, None)))


def _columns(trajectory: Trajectory) -> dict[str, NDArray[np.float64]]:
    """Over all times, for each name that some mode has."""
    out: dict[str, NDArray[np.float64]] = {}
    first = 0
    for s in trajectory.segments:
        for name, values in zip(s.names, s.y.T, strict=True):
            out.setdefault(name, np.full(len(trajectory), np.nan))[first : first + len(s)] = values
        first += len(s)
    return out


def _outcome_as_json(outcome: Outcome) -> dict[str, Any]:
    return {"ending": outcome.ending.name, "t": outcome.t, "detail": outcome.detail, "notes": list(outcome.notes)}


def _outcome_from_json(said: Mapping[str, Any]) -> Outcome:
    return Outcome(Ending[said["ending"]], said["t"], said["detail"], tuple(said["notes"]))


# ---------------------------------------------------------------------------------------------------------- files


@dataclass(frozen=True)
class SegmentArrays:
    """The arrays of one segment."""

    file: ArrayFile
    number: int

    def has(self, name: str) -> bool:
        return self.file.has(f"segment {self.number} {name}")

    def read(self, name: str, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
        return self.file.read(f"segment {self.number} {name}", shape)


def _equations_by_mode(
    path: str | Path, header: Mapping[str, Any], given: Equations | Modes | Contacts, inputs: Mapping[Any, Any]
) -> Callable[[str], Equations]:
    if isinstance(given, Equations):
        eq, _ = with_inputs(given, inputs)
        modes = list(dict.fromkeys(s["mode"] for s in header["segments"]))
        if len(modes) > 1:
            raise SimulationError(
                f"{path}: switches between {listed(modes)}; give the `Modes` or `Contacts` that it was made with"
            )
        return lambda _: eq
    plan, _ = given.with_inputs(inputs)
    return plan.equations


def _names(eq: Equations) -> dict[str, list[str]]:
    return {
        "columns": [s.name for s in eq.state],
        "parameters": [s.name for s in eq.p],
        "inputs": [s.name for s in eq.r],
    }


def _compare(path: str | Path, model: str, said: Mapping[str, Any], eq: Equations) -> None:
    for what, names in _names(eq).items():
        if names != said[what]:
            raise SimulationError(
                f"{path}: its {what} ({listed(said[what])}) are not those of {eq.name!r} ({listed(names)}); "
                f"it belongs to {model!r}"
            )
