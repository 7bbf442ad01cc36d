"""`attractors`: settled motions over a parameter: a bifurcation diagram by simulation, as a complement to
continuation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Expr
from ...algebra.graph.portable import Portable
from ...argument_kinds import answered_class
from ...derivation.equations.equation_arguments import of_equations_or
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.sampling import refuse_samples
from ...emit.run.callable import Array
from ...errors import StabilityError, finite_interval, listed, unknown
from ...integrate.modes.modes import Contacts, Modes
from ...integrate.result.outcome import Ending
from ...integrate.result.tables import data_frame
from ...integrate.result.trajectory import Trajectory
from ...interruption import ended_by_interruption, note_interruption, raise_interruption
from ...progress import Progress
from ...summary import Tabular
from ..periodic.problem.itineraries import HybridSystem
from .long_motion import LongMotion
from .poincare import PoincareSection, poincare

POINTS: Final = 200  # default number of values of the parameter
WAYS: Final = ("up", "down", "none")


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Attractors(Tabular, Portable):
    """A bifurcation diagram: points of settled motions on a section over a parameter; returned by `attractors`.
    `found["x"]` is an array with one entry for each point; `found[found.varied]` has the corresponding parameter
    values.

    values     the varied values; `sections` has the points at each
    outcome    how the computation ended

    >>> x, v, a = sb.symbols("x v a")
    >>> eq = sb.from_equations({x: v, v: a * (1 - x**2) * v - x}, {a: 1.0})
    >>> found = sb.attractors(eq, {"x": 2.0}, a=(0.5, 1.0), section="max x", settle=30, keep=10, points=2)
    >>> found.varied, found.values
    ('a', array([0.5, 1. ]))

    See also: `attractors`, `plot`.
    """

    equations: Equations | HybridSystem
    varied: str
    values: Array
    sections: tuple[PoincareSection, ...]
    outcome: str

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, what: str | Expr) -> Array:
        parts = [
            np.full(len(s), v) if what == self.varied else s[what]
            for s, v in zip(self.sections, self.values, strict=True)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    @property
    def names(self) -> list[str]:
        """Coordinates, speeds and variables that exist in all modes of every motion."""
        first, *others = [s.motion.names for s in self.sections] or [[]]
        return [n for n in first if all(n in other for other in others)]

    def to_pandas(self, more: Iterable[str | Expr] = ()) -> Any:
        """A pandas DataFrame with a row for each point.

        >>> x, v, a = sb.symbols("x v a")
        >>> eq = sb.from_equations({x: v, v: a * (1 - x**2) * v - x}, {a: 1.0})
        >>> found = sb.attractors(eq, {"x": 2.0}, a=(0.5, 1.0), section="max x", settle=30, keep=10, points=2)
        >>> found.names, list(found.to_pandas().columns)
        (['x', 'v'], ['x', 'v'])
        """
        names = (*self.names, *more)
        return data_frame(self.varied, self[self.varied], {str(n): self[n] for n in names})

    def __str__(self) -> str:
        counts = sum(map(len, self.sections))
        section = self.sections[0].section if self.sections else "nothing was found"
        return (
            f"Settled motions of {self.equations.name!r} over {self.varied} = {self.values.min(initial=np.inf):z.6g} ... {self.values.max(initial=-np.inf):z.6g}: {len(self)} values, "
            f"{counts} points where {section}; {self.outcome}"
        )


@values_by_name(StabilityError)
@of_equations_or(Modes, Contacts)
def attractors(
    equations: Equations | HybridSystem, start: Any, values: Mapping[Any, Any] | None = None, *, section: str | Expr | None = None, period: Any = None, direction: str = "rising",
    settle: float, keep: float, points: int = POINTS, way: str = "up", events: Any = (), options: Mapping[str, Any] | None = None, **named: Any,
) -> Attractors:  # fmt: skip
    """Attractors over one value (a bifurcation diagram): `attractors(eq, {"x": 1}, a=(0.3, 0.4), section="max z",
    settle=300, keep=200)`.

    equations   of a mechanism; or `Modes` or `Contacts`, whose motions have mode transitions
    start       of the first motion; each further motion starts at the end of the previous one, which follows an
                attractor while it exists
    values      the interval (low, high) of the varied value, divided into `points` values; and values of other
                parameters
    section, period, direction    as in `poincare`
    settle      transient time to discard at each value; `keep` is the time recorded after it
    way         "up", "down", or "none": every motion begins at the start

    Ctrl-C ends the computation and returns the points found so far.

    >>> x, v, a = sb.symbols("x v a")
    >>> eq = sb.from_equations({x: v, v: a * (1 - x**2) * v - x}, {a: 1.0})
    >>> found = sb.attractors(eq, {"x": 2.0}, a=(0.5, 1.0), section="max x", settle=30, keep=10, points=2)
    >>> found["x"].round(2)
    array([2.  , 2.  , 2.01, 2.01])

    See also: `stability.Attractors`, `poincare`, `orbits`.
    """
    if isinstance(equations, Equations):
        refuse_samples(equations, "attractors", StabilityError)
    where = f"attractors of {equations.name!r}"
    raise_interruption()
    if way not in WAYS:
        raise unknown(where, "way", way, WAYS, StabilityError)
    name, interval, rest = _interval(equations, values or {})
    grid = np.linspace(*interval, points)[:: -1 if way == "down" else 1]
    first = LongMotion.of(equations, start, {**rest, name: float(grid[0])}, events, where)
    here, progress, outcome = first, Progress(None, 0.0, where), "all values"
    found: list[tuple[float, PoincareSection]] = []
    try:
        for value in map(float, grid):
            progress.say(partial("{} values, {} = {:z.6g}".format, len(found), name, value))
            begin = (first if way == "none" else here).with_value(name, value)
            motion = _settled_motion(begin, settle, keep)
            if motion is None:
                outcome = f"the motion ended at {name} = {value:z.6g}"
                if way == "none":
                    continue
                break
            here = begin.behind(motion)
            found.append((value, poincare(motion, section, direction=direction, period=period)))
    except KeyboardInterrupt:
        note_interruption()
        outcome = "was interrupted"
    progress.done()
    return Attractors(equations, name, np.array([v for v, _ in found]), tuple(s for _, s in found), outcome)


def _settled_motion(begin: LongMotion, settle: float, keep: float) -> Trajectory | None:
    """The motion after it has settled, with time counted from the first start; None if it does not get there."""
    before = _finished_motion(begin, settle) if settle > 0 else None
    if settle > 0 and before is None:
        return None
    return _finished_motion(begin if before is None else begin.behind(before), keep)


def _finished_motion(begin: LongMotion, span: float) -> Trajectory | None:
    motion = begin.over(span, {})
    if motion.outcome.ending is Ending.INTERRUPTED:
        raise ended_by_interruption(str(motion.outcome))
    return motion if motion.outcome else None


def _interval(
    eq: Equations | HybridSystem, values: Mapping[Any, Any]
) -> tuple[str, tuple[float, float], dict[str, float]]:
    ranges = {str(k): v for k, v in values.items() if np.ndim(v)}
    where = f"attractors of {eq.name!r}"
    if len(ranges) != 1 or len(next(iter(ranges.values()))) != 2:
        raise StabilityError(
            f"{where}: one value must have an interval, as in a=(0.3, 0.4); got {listed(ranges) or 'none'}"
        )
    ((name, interval),) = ranges.items()
    known = [n for n, kind in eq.kinds.items() if kind in ("parameter", "input")]
    if name not in known:
        raise unknown(where, "parameter", name, known, StabilityError)
    span = finite_interval(interval, f"{where}, {name}", StabilityError)
    return name, span, {str(k): v for k, v in values.items() if str(k) not in ranges}
