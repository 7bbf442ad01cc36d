"""Points marked on curves of motions: starts, ends, events, chosen times, crossings of a section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Expr
from ...emit.run.callable import Array
from ...errors import ViewError, shown
from ...integrate.result.trajectory import Trajectory
from ...stability.long_run.poincare import poincare
from ...stability.periodic.orbits.orbit import Orbit
from .figure import Curve, Note

MarkedTimes = Sequence[tuple[float, str, str]]  # time, name (may be empty), shape
WORDS: Final = ("start", "end", "events")


def marked_times(motion: Trajectory | Orbit, mark: Any) -> MarkedTimes:
    """Times at which a motion is marked, with their names.

    mark   "start", "end", "events"; a time; an expression, a name or "max z": where it passes zero, or is largest; a list
           of these; or a mapping that gives them names
    """
    if isinstance(mark, Mapping):
        return [(t, str(name), shape) for name, one in mark.items() for t, _, shape in _times(motion, one)]
    wanted = mark if isinstance(mark, list | tuple | np.ndarray) else [mark]
    return [x for one in wanted for x in _times(motion, one)]


def _times(motion: Trajectory | Orbit, one: Any) -> Iterator[tuple[float, str, str]]:
    if isinstance(one, list | tuple | np.ndarray):
        yield from (x for each in one for x in _times(motion, each))
    elif isinstance(one, str) and one in ("start", "end"):
        yield float(motion.t[0 if one == "start" else -1]), "", "ring"
    elif isinstance(one, str) and one == "events":
        yield from ((e.t, e.name, "circle") for e in getattr(motion, "events", ()))
    elif isinstance(one, str | Expr):
        yield from ((float(t), "", "circle") for t in poincare(motion, one, direction="both").t)
    elif isinstance(one, int | float | np.number) and not isinstance(one, bool):
        yield _within(motion, float(one)), f"t = {float(one):z.4g}", "circle"
    else:
        raise ViewError(
            f"mark = {shown(one)}: a mark is one of 'start', 'end', 'events', a time, or an expression or name whose "
            "zeros are marked; a mapping gives names to them"
        )


def _within(motion: Trajectory | Orbit, t: float) -> float:
    begin, end = sorted((float(motion.t[0]), float(motion.t[-1])))
    if not begin <= t <= end:
        raise ViewError(f"mark = {t:z.6g}: the motion goes from t = {begin:z.6g} to {end:z.6g}")
    return t


@dataclass(frozen=True, eq=False)
class CurveInTime:
    """A curve and the time of each of its points."""

    curve: Curve
    t: Array

    def marked(self, times: MarkedTimes) -> tuple[list[Curve], list[Note]]:
        """Points on the curve, those of each shape together, and their names."""
        curves = []
        for shape in dict.fromkeys(shape for *_, shape in times):
            here = np.array([t for t, _, each in times if each == shape])
            x, y, z = (self._at(here, axis) for axis in (self.curve.x, self.curve.y, self.curve.z))
            curves.append(replace(self.curve, x=x, y=y, z=z, label="", kind="points", mark=shape))
        return curves, [self._note(np.array([t]), name) for t, name, _ in times if name]

    def _note(self, t: Array, name: str) -> Note:
        x, y = (float(self._at(t, axis)[0]) for axis in (self.curve.x, self.curve.y))
        return Note(x, y, name)

    def _at(self, t: Array, values: Any) -> Any:
        """The drawn line at some times; None if it has no such axis."""
        order = slice(None) if self.t[-1] >= self.t[0] else slice(None, None, -1)
        return None if values is None else np.interp(t, self.t[order], values[order])
