"""Trajectories on disk, without loss: a NumPy archive (.npz: a zip of plain arrays) with a header in JSON.

Any program that reads .npz finds times, and a column of values under the name of each coordinate, speed and variable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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
from ..integrate.outcome import Ending, Outcome, Statistics
from ..integrate.trajectory import Occurrence, Trajectory

VERSION: Final = 1


def save_trajectory(trajectory: Trajectory, path: str | Path) -> Path:
    """Write a trajectory; the file's name gets the ending .npz where it has none."""
    place = Path(path)
    if place.suffix != ".npz":
        place = place.with_name(place.name + ".npz")
    names = _names(trajectory.equations)
    header = {
        "symbody trajectory": VERSION,
        "model": trajectory.equations.name,
        "columns": names,
        "parameters": [s.identifier for s in trajectory.equations.p],
        "inputs": [s.identifier for s in trajectory.equations.r],
        "outcome": {
            "ending": trajectory.outcome.ending.name,
            "t": trajectory.outcome.t,
            "detail": trajectory.outcome.detail,
        },
        "statistics": asdict(trajectory.statistics),
        "choices": dict(trajectory.choices),
        "events": [{"name": e.name, "t": e.t, "impulses": dict(e.impulses)} for e in trajectory.events],
        "sensitivities": list(trajectory.wrt),
        "pieces": [p.start for p in trajectory.pieces],
    }
    arrays: dict[str, Array] = {f"column {n}": trajectory.y[:, i] for i, n in enumerate(names)}
    arrays |= {"t": trajectory.t, "parameters": trajectory.p, "inputs": trajectory.r}
    for k, e in enumerate(trajectory.events):
        arrays |= {f"event {k} before": e.before, f"event {k} after": e.after}
    for k, p in enumerate(trajectory.pieces):
        arrays |= {f"piece {k} ends": p.ends, f"piece {k} coefficients": p.coefficients}
    if trajectory.variations is not None:
        arrays["variations"] = trajectory.variations
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    everything: dict[str, Any] = {"header": text, **arrays}
    np.savez_compressed(place, **everything)
    return place


def load_trajectory(path: str | Path, equations: Equations, inputs: Mapping[Any, Any] | None = None) -> Trajectory:
    """Read a trajectory back. The equations (and inputs) must be those it was made with: names are compared."""
    eq, _ = with_inputs(equations, inputs or {})
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
    _compare(path, header, eq)
    names = header["columns"]
    y = np.stack([arrays[f"column {n}"] for n in names], axis=1) if names else np.zeros((len(arrays["t"]), 0))
    ended = header["outcome"]
    return Trajectory(
        eq, arrays["t"], y, arrays["parameters"], arrays["inputs"],
        Outcome(Ending[ended["ending"]], ended["t"], ended["detail"]),
        Statistics(**header["statistics"]), header["choices"],
        tuple(Occurrence(e["name"], e["t"], arrays[f"event {k} before"], arrays[f"event {k} after"], e["impulses"]) for k, e in enumerate(header["events"])),
        tuple(Dense(start, arrays[f"piece {k} ends"], arrays[f"piece {k} coefficients"]) for k, start in enumerate(header["pieces"])),
        arrays.get("variations"), tuple(header["sensitivities"]),
    )  # fmt: skip


def _names(eq: Equations) -> list[str]:
    return [s.identifier for s in eq.state]


def _compare(path: str | Path, header: Mapping[str, Any], eq: Equations) -> None:
    own = {
        "columns": _names(eq),
        "parameters": [s.identifier for s in eq.p],
        "inputs": [s.identifier for s in eq.r],
    }
    for what, names in own.items():
        if names != header[what]:
            raise SimulationError(
                f"{path}: its {what} ({listed(header[what])}) are not those of {eq.name!r} ({listed(names)}); it belongs to {header['model']!r}"
            )
