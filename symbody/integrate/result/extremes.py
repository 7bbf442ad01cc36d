"""Extremes of quantities along a motion, between its steps too, from the polynomials of the method.

Each step is sampled. Where a sample lies above (or below) its neighbours, the quantity between them is interpolated at
Chebyshev points, and the zero of the interpolant's slope is the time of the extreme. At an extreme the value depends on
the square of an error in time, so that it is as accurate as the polynomials of the method are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ...emit.run.callable import Array
from ...errors import SimulationError, shown
from ...summary import Introduced, one_line_tag
from ..inputs.meanings import Quantity
from .quantities import values
from .segment import Segment

SAMPLES: Final = 8  # in each step: a polynomial of degree 7 has at most 6 extremes there
DEGREE: Final = 8  # of the interpolant between the neighbours of a sample
GRID: Final = np.linspace(-1, 1, 33)  # where Newton's method for the zero of its slope begins
ITERATIONS: Final = 4  # of Newton's method


@dataclass(frozen=True, repr=False)
class Extremes(Introduced):
    """Local extremes of a quantity along a motion, ends and jumps among them, in order of time.

    name     of the quantity
    t        times, in s
    values   of the quantity there
    is_max   whether each is a maximum

    >>> x, v = sb.symbols("x v", "variable")
    >>> found = sb.simulate(sb.from_equations({x: v, v: -x}), 7.0, v=1.0).extremes("x")
    >>> found.t.round(6), found.values.round(6), found.is_max
    (array([0.      , 1.570796, 4.712389, 7.      ]), array([ 0.      ,  1.      , -1.      ,  0.656987]), array([False,  True, False,  True]))
    >>> float(found.max), float(found.min)
    (1.0, -1.0)

    See also: `Trajectory.extremes`, `Trajectory.max`.
    """

    name: str
    t: Array
    values: Array
    is_max: NDArray[np.bool_]

    @property
    def max(self) -> float:
        """The largest value."""
        return float(np.max(self.values))

    @property
    def min(self) -> float:
        """The smallest value."""
        return float(np.min(self.values))

    def __repr__(self) -> str:
        return one_line_tag(f"Extremes of {self.name}: {len(self.t)}, from {self.min:z.9g} to {self.max:z.9g}")


def extremes_along(segments: tuple[Segment, ...], what: Quantity) -> Extremes:
    """Local extremes of a quantity in each segment, its ends among them."""
    found = [_in_segment(s, what) for s in segments if len(s)]
    if not found:
        raise SimulationError(f"there is no extreme of {shown(what)}: the motion has no times")
    t, y, is_max = (np.concatenate(column) for column in zip(*found, strict=True))
    return Extremes(str(what), t, y, is_max)


def _in_segment(segment: Segment, what: Quantity) -> tuple[Array, Array, NDArray[np.bool_]]:
    if not segment.dense and len(segment) > 1:
        raise SimulationError(
            f"the extremes of {shown(what)} between the times of this trajectory are not known: simulate with t=end (and enough "
            "max_memory=) keeps the motion between steps; sim[...].max() is the largest stored value"
        )
    times = _samples(segment.t) if segment.dense else segment.t[:0]
    sampled = _scalars(segment.at(times), what) if len(times) else np.zeros(0)
    t, y = np.concatenate([segment.t, times]), np.concatenate([_scalars(segment, what), sampled])
    order = _order(segment, t)
    t, y = t[order], y[order]
    peaks, valleys = _peaks(y), _peaks(-y)
    is_max = np.repeat([True, False], [len(peaks), len(valleys)])
    found_t, found_y = _refined_extremes(
        segment, what, t, y, np.concatenate([peaks, valleys]), np.where(is_max, 1.0, -1.0)
    )
    order = _order(segment, found_t)
    return found_t[order], found_y[order], is_max[order]


def _order(segment: Segment, t: Array) -> NDArray[np.intp]:
    begin, end = segment.span
    return np.argsort(t if begin <= end else -t, kind="stable")


def _scalars(segment: Segment, what: Quantity) -> Array:
    (found,) = values(segment, [what])
    if found.ndim != 1:
        raise SimulationError(f"extremes are those of one number at each time; {shown(what)} has {found.shape[1:]}")
    return np.asarray(found)


def _samples(t: Array) -> Array:
    """Times inside the steps."""
    inner = np.arange(1, SAMPLES) / SAMPLES
    steps = np.diff(t)
    moving = steps != 0
    return (t[:-1][moving, None] + steps[moving, None] * inner).ravel()


def _peaks(y: Array) -> NDArray[np.intp]:
    """Indices of samples that are not below their neighbours, and above one of them; of a plateau its first."""
    left = np.concatenate([[-np.inf], y[:-1]])
    right = np.concatenate([y[1:], [-np.inf]])
    found = np.flatnonzero((y > left) & (y >= right))
    return found if len(found) else np.zeros(1, dtype=np.intp)


def _refined_extremes(
    segment: Segment, what: Quantity, t: Array, y: Array, places: NDArray[np.intp], sign: Array
) -> tuple[Array, Array]:
    """Times and values of extremes, each between the neighbours of a sample; those at ends and jumps stay where they
    are. sign: 1 for maxima, -1 for minima."""
    before, after = np.maximum(places - 1, 0), np.minimum(places + 1, len(t) - 1)
    inside = np.flatnonzero((t[before] != t[places]) & (t[places] != t[after]))
    best_t, best_y = t[places].copy(), y[places].copy()
    if not len(inside) or not segment.dense:
        return best_t, best_y
    middle, half = (t[after] + t[before])[inside] / 2, (t[after] - t[before])[inside] / 2
    nodes: Array = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    times: Array = middle[:, None] + half[:, None] * nodes
    at_nodes = sign[inside, None] * _scalars(segment.at(times.ravel()), what).reshape(times.shape)
    series: Array = np.linalg.solve(chebyshev.chebvander(nodes, DEGREE), at_nodes.T).astype(np.float64)
    new_t: Array = middle + half * _maxima(series)
    new_y = _scalars(segment.at(new_t), what)
    better = sign[inside] * (new_y - best_y[inside]) > 0
    best_t[inside] = np.where(better, new_t, best_t[inside])
    best_y[inside] = np.where(better, new_y, best_y[inside])
    return best_t, best_y


def _maxima(series: Array) -> Array:
    """Where Chebyshev series, one in each column, are largest in [-1, 1]: Newton's method for the zero of the slope."""
    slope, curvature = chebyshev.chebder(series), chebyshev.chebder(series, 2)
    x = GRID[np.argmax(chebyshev.chebval(GRID, series), axis=1)]
    for _ in range(ITERATIONS):
        bend = chebyshev.chebval(x, curvature, tensor=False)
        step = chebyshev.chebval(x, slope, tensor=False) / np.where(bend < 0, bend, np.inf)
        x = np.clip(x - step, -1, 1)
    return np.asarray(x)
