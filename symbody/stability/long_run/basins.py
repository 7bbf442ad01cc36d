"""`basins`: basins of attraction by many simulations at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import Expr
from ...algebra.graph.portable import Portable
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.equations.sampling import refuse_samples
from ...emit.run.callable import Array
from ...errors import StabilityError, finite_interval, finite_number, listed, shown
from ...integrate.members.batch import simulate_batch
from ...integrate.result.tables import data_array
from ...integrate.run.simulate import simulate
from ...integrate.start.state import State, start_values
from ...summary import Tabular

ATTRACTOR_POINTS: Final = 3000  # number of points of an attractor
# largest distance of an end from a point of its attractor, relative to the sizes of states at starts and ends
ATTRACTOR_DISTANCE: Final = 0.02
NO_ATTRACTOR: Final = -1  # label of a motion that did not reach its end


@dataclass(frozen=True, eq=False, repr=False)
class Basins(Tabular, Portable):
    """Basins of attraction in a plane of initial values; returned by `basins`.

    names        of the two varied initial values: first along x, second along y; `first` and `second` are their values
    which        the index of the attractor of each start, [i, j] at first[i], second[j]; -1 if a motion did not reach
                 its end
    attractors   a state on each attractor, in the order of discovery
    shares       the fraction of starts that lead to each

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: x - x**3 - v})
    >>> found = sb.basins(eq, x=(-1.5, 1.5), v=(-1, 1), t=40, points=4)
    >>> found.names, found.which
    (('x', 'v'), array([[0, 0, 0, 0],
           [0, 0, 0, 1],
           [0, 1, 1, 1],
           [1, 1, 1, 1]]))

    See also: `basins`, `plot`.
    """

    equations: Equations
    names: tuple[str, str]
    first: Array
    second: Array
    which: NDArray[np.intp]
    attractors: tuple[State, ...]

    @property
    def shares(self) -> Array:
        """The fraction of starts that lead to each attractor.

        >>> x, v = sb.symbols("x v", "variable")
        >>> eq = sb.from_equations({x: v, v: x - x**3 - v})
        >>> found = sb.basins(eq, x=(-1.5, 1.5), v=(-1, 1), t=40, points=4)
        >>> found.shares, found.to_xarray().dims
        (array([0.5, 0.5]), ('x', 'v'))
        """
        return np.array([np.mean(self.which == k) for k in range(len(self.attractors))])

    def to_xarray(self) -> Any:
        """An xarray DataArray over the two values."""
        coords = {self.names[0]: self.first, self.names[1]: self.second}
        return data_array("attractor", coords, self.which)

    def __str__(self) -> str:
        x, y = self.names
        lines = [
            f"Basins of {self.equations.name!r} over {x} = {self.first[0]:z.6g} ... {self.first[-1]:z.6g}, {y} = {self.second[0]:z.6g} ... {self.second[-1]:z.6g}: "
            f"{len(self.attractors)} attractors"
        ]
        for k, (state, share) in enumerate(zip(self.attractors, self.shares, strict=True)):
            at = listed(f"{s.name} = {state[s.name]:z.4g}" for s in self.equations.state)
            lines.append(f"{k}: {100 * share:z.1f} % of the starts; {at}")
        if lost := float(np.mean(self.which == NO_ATTRACTOR)):
            lines.append(f"{100 * lost:z.1f} % do not reach the end")
        return "\n    ".join(lines)


@values_by_name(StabilityError)
@of_equations
def basins(
    equations: Equations, start: Any = None, values: Mapping[Any, Any] | None = None, *, t: float, points: tuple[int, int] | int = 60, period: Any = None,
    near: float = ATTRACTOR_DISTANCE, threads: int | None = None, options: Mapping[str, Any] | None = None, **named: Any,
) -> Basins:  # fmt: skip
    """Compute basins of attraction: `basins(eq, x=(-2, 2), v=(-2, 2), t=100)`.

    start    values of the remaining state
    values   two intervals (low, high) of initial values; values of parameters
    t        time after which motions have settled
    points   of each interval
    period   of the excitation: attractors are then compared once per period, at the phase of the end
    near     two motions have the same attractor if their distance is below this number, relative to the sizes of states
             at the starts and ends

    Motions are simulated by `simulate_batch`, on all cores.

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: x - x**3 - v})
    >>> found = sb.basins(eq, x=(-1.5, 1.5), v=(-1, 1), t=40, points=4)
    >>> len(found.attractors), found.shares
    (2, array([0.5, 0.5]))

    See also: `stability.Basins`, `attractors`.
    """
    refuse_samples(equations, "basins", StabilityError)
    names, spans, rest = _plane(equations, values or {})
    counts = (points, points) if isinstance(points, int) else points
    first, second = (np.linspace(*span, count) for span, count in zip(spans, counts, strict=True))
    grid = {names[0]: np.repeat(first, len(second)), names[1]: np.tile(second, len(first))}
    where = f"basins of {equations.name!r}"
    known = start_values(start, where)
    begin = float(known.get("t", 0.0))
    strobe = _period(equations, known, rest, period)
    end = begin + (t if strobe is None else strobe * max(round(t / strobe), 1))
    kept = [s.name for s in equations.state]
    times = np.array([begin, end])  # an array: members run in machine code, and nothing is kept between
    batch = simulate_batch(equations, times, known, values={**rest, **grid}, outputs=kept, threads=threads)
    every = np.stack([batch[n] for n in kept], axis=-1)
    sizes = np.nanmax(every, axis=(0, 1)) - np.nanmin(every, axis=(0, 1))
    ends = every[:, -1].copy()
    ends[batch.failed] = np.nan

    def state(k: int) -> State:
        here = {n: float(values[k]) for n, values in grid.items()}
        return State.of(
            equations, {**known, **rest, **here, **dict(zip(kept, ends[k].tolist(), strict=True)), "t": end}
        )

    labels, found = _told_apart(equations, ends, state, end - begin, near * np.maximum(sizes, 1e-12), strobe)
    return Basins(equations, names, first, second, labels.reshape(len(first), len(second)), tuple(found))


def _told_apart(
    eq: Equations, ends: Array, state_of: Callable[[int], State], t: float, near: Array, period: float | None
) -> tuple[NDArray[np.intp], list[State]]:
    """The index of the attractor of each end: unlabelled ends near the continued motion of the first unlabelled one
    are on its attractor. Ends without numbers, and ends from which the motion does not go on, have none."""
    labels = np.full(len(ends), NO_ATTRACTOR, dtype=np.intp)
    found: list[State] = []
    left: NDArray[np.bool_] = np.asarray(np.isfinite(ends).all(axis=1))
    while left.any():
        k = int(np.argmax(left))
        state = state_of(k)
        left[k] = False
        cloud = _further(eq, state, t, period)
        if cloud is None:
            continue
        others = np.flatnonzero(left)
        distance = KDTree(cloud / near).query(ends[others] / near)[0] if len(others) else np.zeros(0)
        mine = np.union1d(others[distance <= 1], [k])
        labels[mine] = len(found)
        left[mine] = False
        found.append(state)
    return labels, found


def _further(eq: Equations, state: State, t: float, period: float | None) -> Array | None:
    """States of the motion from a settled one on; None if it does not go on as long: it was not settled."""
    times = np.linspace(0, t, ATTRACTOR_POINTS) if period is None else period * np.arange(max(round(t / period), 1) + 1)
    motion = simulate(eq, state.t + times, state, options={"progress": False})
    if not motion.outcome:
        return None
    return np.vstack([motion.y, [[state[s.name] for s in eq.state]]])


def _period(eq: Equations, known: Mapping[Any, Any], rest: Mapping[str, float], period: Any) -> float | None:
    if period is None:
        return None
    numbers = State.of(eq, {**known, **rest})
    at = {s: float(numbers[s.name]) for s in eq.variables.constants}
    value = float(evaluate(in_own_terms(eq, [period])[0], at)) if isinstance(period, Expr) else period
    found = finite_number(value, f"basins of {eq.name!r}, period", StabilityError)
    if not found > 0:
        raise StabilityError(
            f"basins of {eq.name!r}: a period must be a positive number; got {shown(period)} = {found:g}"
        )
    return found


def _plane(
    eq: Equations, values: Mapping[Any, Any]
) -> tuple[tuple[str, str], list[tuple[float, float]], dict[str, float]]:
    ranges = {str(k): v for k, v in values.items() if np.ndim(v)}
    where = f"basins of {eq.name!r}"
    if len(ranges) != 2 or any(len(v) != 2 for v in ranges.values()):
        raise StabilityError(
            f"{where}: two values must have an interval (low, high), as in x=(-2, 2), v=(-2, 2); got "
            f"{listed(ranges) or 'none'}"
        )
    spans = []
    for name, ends in ranges.items():
        eq.variables.symbol(name, where, StabilityError)
        spans.append(finite_interval(ends, f"{where}, {name}", StabilityError))
    a, b = ranges
    return (a, b), spans, {str(k): v for k, v in values.items() if str(k) not in ranges}
