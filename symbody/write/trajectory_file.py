"""Trajectories on disk, without loss: a NumPy archive (.npz: a zip of plain arrays) with a header in JSON.

Any program that reads .npz finds times `t`, and a column of values under the name of each coordinate, speed and variable, `column q1`, with nan
where a mode does not have it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np

from ..derive.equations import Equations
from ..emit.run.callable import Array
from ..errors import SimulationError, listed
from ..integrate.dense import Dense
from ..integrate.inputs import with_inputs
from ..integrate.modes import Contacts, Modes
from ..integrate.outcome import Ending, Outcome, Statistics
from ..integrate.segment import Occurrence, Segment
from ..integrate.trajectory import Trajectory
from ..whole_files import whole_file

VERSION: Final = 2


def save_trajectory(trajectory: Trajectory, path: str | Path) -> Path:
    """Write a trajectory; the file's name gets the ending .npz where it has none."""
    place = Path(path)
    if place.suffix != ".npz":
        place = place.with_name(place.name + ".npz")
    header = {
        "symbody trajectory": VERSION,
        "model": trajectory.name,
        "outcome": _outcome_as_json(trajectory.outcome),
        "segments": [_header(s) for s in trajectory.segments],
    }
    arrays = {f"column {name}": values for name, values in _columns(trajectory).items()}
    for k, s in enumerate(trajectory.segments):
        arrays |= {f"segment {k} {name}": values for name, values in _arrays(s).items()}
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    everything: dict[str, Any] = {"header": text, "t": trajectory.t, **arrays}
    with whole_file(place) as file:
        np.savez_compressed(file, **everything)
    return place


def load_trajectory(
    path: str | Path, equations: Equations | Modes | Contacts, inputs: Mapping[Any, Any] | None = None
) -> Trajectory:
    """Read a trajectory back. The equations (or modes, or contacts) and inputs must be those it was made with: names are compared."""
    header, arrays = _read(path)
    equations_of = _equations_by_mode(path, header, equations, inputs or {})
    segments, first = [], 0
    for k, said in enumerate(header["segments"]):
        own = {name.removeprefix(f"segment {k} "): a for name, a in arrays.items() if name.startswith(f"segment {k} ")}
        eq, rows = equations_of(said["mode"]), slice(first, first + said["times"])
        _compare(path, header["model"], said, eq)
        y = [arrays[f"column {n}"][rows] for n in said["columns"]]
        state = np.stack(y, axis=1) if y else np.zeros((said["times"], 0))
        segments.append(_segment(said, own, eq, arrays["t"][rows], state))
        first = rows.stop
    return Trajectory(tuple(segments), _outcome_from_json(header["outcome"]))


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
        "starts": [d.start for d in s.dense],
    }


def _arrays(s: Segment) -> dict[str, Array]:
    out: dict[str, Array] = {"parameters": s.p, "inputs": s.r}
    for k, e in enumerate(s.events):
        out |= {f"event {k} before": e.before, f"event {k} after": e.after}
    for k, d in enumerate(s.dense):
        out |= {f"run {k} ends": d.ends, f"run {k} coefficients": d.coefficients}
    return out if s.variations is None else {**out, "variations": s.variations}


def _segment(said: Mapping[str, Any], arrays: Mapping[str, Array], eq: Equations, t: Array, y: Array) -> Segment:
    events = (
        Occurrence(e["name"], e["t"], arrays[f"event {k} before"], arrays[f"event {k} after"], e["impulses"])
        for k, e in enumerate(said["events"])
    )
    dense = (
        Dense(start, arrays[f"run {k} ends"], arrays[f"run {k} coefficients"]) for k, start in enumerate(said["starts"])
    )
    return Segment(
        eq, t, y, arrays["parameters"], arrays["inputs"], _outcome_from_json(said["outcome"]), said["mode"],
        Statistics(**said["statistics"]), said["choices"], tuple(events), tuple(dense),
        arrays.get("variations"), tuple(said["sensitivities"]),
    )  # fmt: skip


def _columns(trajectory: Trajectory) -> dict[str, Array]:
    """Over all times, for each name that some mode has."""
    out: dict[str, Array] = {}
    first = 0
    for s in trajectory.segments:
        for name, values in zip(s.names, s.y.T, strict=True):
            out.setdefault(name, np.full(len(trajectory), np.nan))[first : first + len(s)] = values
        first += len(s)
    return out


def _outcome_as_json(outcome: Outcome) -> dict[str, Any]:
    return {"ending": outcome.ending.name, "t": outcome.t, "detail": outcome.detail}


def _outcome_from_json(said: Mapping[str, Any]) -> Outcome:
    return Outcome(Ending[said["ending"]], said["t"], said["detail"])


# ---------------------------------------------------------------------------------------------------------- files


def _read(path: str | Path) -> tuple[dict[str, Any], dict[str, Array]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {k: file[k] for k in file.files}
        header = json.loads(arrays["header"].tobytes())
        version = header["symbody trajectory"]
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, TypeError, BadZipFile) as reason:
        raise SimulationError(f"{path}: no trajectory could be read from it ({reason})") from None
    if version != VERSION:
        raise SimulationError(f"{path}: is of version {version}, this package reads version {VERSION}")
    return header, arrays


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
                f"{path}: its {what} ({listed(said[what])}) are not those of {eq.name!r} ({listed(names)}); it belongs to {model!r}"
            )
