"""`load`: any result that was saved, by the kind that its file names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ...argument_kinds import answered
from ...array_files import read_arrays
from ...errors import CallError, StudyError, listed, shown
from ...study.sweeps.stored.sweep_result import load_sweep
from .branch_file import load_branch
from .orbit_file import load_orbit, load_orbits
from .trajectory_file import load_trajectory

READERS: Final[Mapping[str, tuple[Callable[..., Any], str, tuple[str, ...]]]] = {  # what each needs, and takes beside
    "trajectory": (load_trajectory, "the equations, modes or contacts that it was simulated with", ("inputs",)),
    "branch": (load_branch, "a steady motion of the same equations and conditions", ()),
    "orbit": (load_orbit, "the equations, modes or contacts that it was found with", ("conserved", "events")),
    "orbits": (load_orbits, "the equations, modes or contacts that they were found with", ("conserved", "events")),
}


@answered
def load(
    path: str | Path, of: Any = None, *, inputs: Mapping[Any, Any] | None = None, conserved: Mapping[str, Any] | str | None = None,
    events: Sequence[Any] | None = None,
) -> Any:  # fmt: skip
    """Read a result back: a motion, a branch, an orbit, a family of orbits or a sweep; the file names its kind.

    Equations are not in files, so that reading one runs nothing. Names are compared with those in the file.

    of                  the equations (or modes, or contacts) that a motion, an orbit or a family was computed with; of a
                        branch a steady motion as that from which it was followed; nothing of a sweep
    inputs              of a motion: the functions that stood for its inputs
    conserved, events   of orbits and families: as they were found with

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: -x})
    >>> path = sb.simulate(eq, 1.0, x=1.0).save("run.npz")
    >>> sb.load(path, eq).final["x"]
    0.540302

    See also: `Trajectory.save`, `write.load_trajectory`, `write.load_branch`, `write.load_orbit`, `study.load_sweep`.
    """
    given = {k: v for k, v in (("inputs", inputs), ("conserved", conserved), ("events", events)) if v is not None}
    if Path(path).is_dir():
        _refuse_options(path, "sweep", given, ())
        return load_sweep(path)
    with read_arrays(path, "result", StudyError) as file:
        kind = file.kind.removeprefix("symbody ")
    if kind not in READERS:
        raise StudyError(
            f"{path}: {shown(kind)} is not a kind of result; the kinds are {listed(READERS)}, and folders of sweeps"
        )
    read, needed, takes = READERS[kind]
    _refuse_options(path, kind, given, takes)
    if of is None:
        raise CallError(f"load of {path}, {kind}: needs {needed}: load(path, of)")
    return read(path, of, **given)


def _refuse_options(path: str | Path, kind: str, given: Mapping[str, Any], takes: Sequence[str]) -> None:
    if wrong := next((k for k in given if k not in takes), ""):
        raise CallError(f"load of {path}, {kind}: takes no {wrong}=" + (f"; it takes {listed(takes)}" if takes else ""))
