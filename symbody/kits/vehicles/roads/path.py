"""Lines in the plane, by their arc length: through points, of a curvature, closed or not; and the projection of a
moving point on a line.

A point P that moves next to a line C(s) is on its normal at g = (P - C) · C' = 0. This s is a variable with a
stabilised rate:

    s' = (V · C' + λ g) / D,   D = C' · C' - (P - C) · C''      so that g' = -λ g
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import scipy

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError
from ....summary import Summarized, Summary, counted

STABILISATION: Final = 20.0  # λ, the rate in 1/s at which the error g decays
# number of samples beyond both ends of a closed line, after which its spline is periodic to rounding
OVERLAP: Final = 40
MAX_OPENING: Final = 1e-3  # largest distance between the ends of a closed line relative to its length
# offset from an end of an open line, relative to its length, beyond which it is straight; at the sample itself there
# are two slopes
END_OFFSET: Final = (
    1e-9  # in parts of its length, where an open line goes on straight: beside the sample, which has two slopes
)
CURVATURE_SAMPLES: Final = 1000  # number of samples of a curvature that is given at fewer points


@dataclass(frozen=True, eq=False, repr=False)
class PlanePath(Summarized):
    """A line in the plane: cubic splines through places, over its arc length.

    s        arc length at the samples, from zero
    places   x, y there, one row for each
    closed   the end is the beginning: s goes on, lap after lap

    `path(s)` are the expressions x, y of a place; `path.at(s)` numbers.

    >>> circle = vh.path_of_curvature([0.0, 2 * np.pi * 30], [1 / 30, 1 / 30], closed=True)
    >>> circle.at(15 * np.pi).round(3)
    array([30., 30.])
    >>> round(circle.nearest(31.0, 30.0)[1], 6)  # to the left of it
    -1.0

    See also: `path_through`, `path_of_curvature`, `preview_driver`.
    """

    s: np.ndarray
    places: np.ndarray
    closed: bool = False
    name: str = "path"

    def _summary(self) -> Summary:
        kind = "closed" if self.closed else "open"
        return Summary(f"PlanePath {self.name}, {kind}: {self.length:z.4g} m, {counted(len(self.s), 'place')}")

    @property
    def length(self) -> float:
        return float(self.s[-1])

    def __call__(self, s: Any) -> tuple[Any, Any]:
        """x and y, as expressions; an open path goes straight on before and after its samples."""
        x, y = self._splines
        if self.closed:
            here = self._in_lap(s)
            return x(here), y(here)
        first, last = END_OFFSET * self.length, (1 - END_OFFSET) * self.length
        inside, before, after = (
            sb.minimum(sb.maximum(s, first), last),
            sb.minimum(s - first, 0),
            sb.maximum(s - last, 0),
        )
        ends = self._numbers([first, last], 1).tolist()
        return tuple(c(inside) + before * ends[0][k] + after * ends[1][k] for k, c in enumerate((x, y)))

    def at(self, s: Any) -> np.ndarray:
        """x, y at numbers, in the last axis."""
        if self.closed:
            return np.asarray(self._numbers(np.mod(s, self.length)))
        within = np.clip(s, 0.0, self.length)
        return np.asarray(self._numbers(within) + np.expand_dims(s - within, -1) * self._numbers(within, 1))

    def curvature(self, s: Any) -> np.ndarray:
        """At numbers, positive to the left."""
        within = np.mod(s, self.length) if self.closed else np.asarray(s, dtype=float)
        (tx, ty), (cx, cy) = (np.moveaxis(self._numbers(within, k), -1, 0) for k in (1, 2))
        return np.asarray((tx * cy - ty * cx) / np.hypot(tx, ty) ** 3)

    def nearest(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Arc length of the nearest place, and how far to the left of it a point is; of many points as arrays."""
        points = np.stack(np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float)), axis=-1)
        found = np.array([self._foot(p) for p in points.reshape(-1, 2)]).reshape(-1, 2)
        shape = points.shape[:-1]
        s, left = (c.reshape(shape) for c in found.T)
        return (s, left) if shape else (float(s), float(left))

    def _foot(self, point: np.ndarray) -> tuple[float, float]:
        s = float(self.s[int(np.argmin(np.sum((self.places - point) ** 2, axis=1)))])
        for _ in range(6):  # Newton's method from the nearest sample
            c, t = self.at(s), self._slope(s)
            b = self._numbers(s, 2) if self.closed or 0 <= s <= self.length else np.zeros(2)
            s += float((point - c) @ t / max(t @ t - (point - c) @ b, 0.1))
            s = s % self.length if self.closed else s
        c, t = self.at(s), self._slope(s)
        return s, float((point - c) @ [-t[1], t[0]] / np.hypot(*t))

    def _slope(self, s: float) -> np.ndarray:
        return np.asarray(self._numbers(s if self.closed else min(max(s, 0.0), self.length), 1))

    def _in_lap(self, s: Any) -> Any:
        """s less whole laps: atan2 jumps where the line closes, and has the slope of s everywhere else."""
        turn = 2 * sb.pi / self.length * s
        return self.length / 2 * (1 + sb.atan2(-sb.sin(turn), -sb.cos(turn)) / sb.pi)

    @cached_property
    def _splines(self) -> tuple[Any, Any]:
        s, places = self._extended_samples
        x, y = (sb.integrate.interpolation(f"{self.name}_{k}", s, c) for k, c in zip("xy", places.T, strict=True))
        return x, y

    @cached_property
    def _numbers(self) -> scipy.interpolate.CubicSpline:
        return scipy.interpolate.CubicSpline(*self._extended_samples)

    @property
    def _extended_samples(self) -> tuple[np.ndarray, np.ndarray]:
        """Samples; of a closed line with some of the laps before and after."""
        if not self.closed:
            return self.s, self.places
        k = min(OVERLAP, len(self.s) - 1)
        s = np.concatenate([self.s[-1 - k : -1] - self.length, self.s, self.s[1 : k + 1] + self.length])
        return s, np.concatenate([self.places[-1 - k : -1], self.places, self.places[1 : k + 1]])


@answered
def path_through(points: Any, *, closed: bool = False, name: str = "path") -> PlanePath:
    """A path through points of the plane, with continuous curvature.

    points   x, y, one row for each, in order; of a closed path the first one is not repeated
    name     of its functions in generated code, where a model has several paths

    >>> turn = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> eight = vh.path_through(np.column_stack([40 * np.sin(turn), 20 * np.sin(2 * turn)]), closed=True)
    >>> round(eight.length, 1)
    243.9

    See also: `path_of_curvature`, `PlanePath`, `preview_driver`.
    """
    places = np.asarray(points, dtype=float)
    if places.ndim != 2 or places.shape[1] != 2 or len(places) < 4 or not np.isfinite(places).all():
        raise ModelError(f"path_through: takes at least four places x, y, got an array of shape {places.shape}")
    if closed:
        places = np.vstack([places, places[:1]])
    steps = np.hypot(*np.diff(places, axis=0).T)
    if not steps.all():
        k = int(np.argmin(steps))
        raise ModelError(f"path_through: points {k} and {k + 1} coincide, at {places[k][0]:z.6g}, {places[k][1]:z.6g}")
    chord = np.concatenate([[0.0], np.cumsum(steps)])
    line = scipy.interpolate.CubicSpline(chord, places, bc_type="periodic" if closed else "not-a-knot")
    fine = np.linspace(0.0, chord[-1], 20 * len(chord))
    s = scipy.integrate.cumulative_simpson(np.hypot(*line(fine, 1).T), x=fine, initial=0.0)
    even = np.linspace(0.0, s[-1], max(4 * len(places), 200))
    return PlanePath(even, line(scipy.interpolate.CubicSpline(s, fine)(even)), closed, name)


@answered
def path_of_curvature(
    s: Any, curvature: Any, *, start: tuple[float, float, float] = (0.0, 0.0, 0.0), closed: bool = False, name: str = "path"
) -> PlanePath:  # fmt: skip
    """A path whose curvature is linear between samples over arc length: straight lines, clothoids, circles.

    ψ(s) = ψ0 + ∫ κ ds,    x' = cos ψ,   y' = sin ψ

    curvature   1/m, positive to the left
    start       x, y and heading at the beginning

    >>> bend = vh.path_of_curvature([0, 20, 40, 60], [0, 0, 0.02, 0.02])
    >>> bend.at(60.0).round(2)
    array([58.22,  9.07])

    See also: `path_through`, `PlanePath`, `preview_driver`.
    """
    given, kappa = np.asarray(s, dtype=float), np.asarray(curvature, dtype=float)
    if given.ndim != 1 or given.shape != kappa.shape or len(given) < 2 or (np.diff(given) <= 0).any():
        raise ModelError("path_of_curvature: takes increasing arc lengths and as many curvatures, at least two")
    fine = np.unique(np.concatenate([np.linspace(given[0], given[-1], CURVATURE_SAMPLES + 1), given]))
    bend = np.interp(fine, given, kappa)
    heading = start[2] + np.concatenate([[0.0], np.cumsum(np.diff(fine) * (bend[1:] + bend[:-1]) / 2)])
    places = np.asarray(start[:2]) + _along(fine, heading, bend)
    if closed:
        gap, length = float(np.hypot(*(places[-1] - places[0]))), float(fine[-1] - fine[0])
        if gap > MAX_OPENING * length:
            raise ModelError(f"path_of_curvature: the path is closed, but its ends are {gap:z.3g} m apart")
        places = places - np.outer((fine - fine[0]) / length, places[-1] - places[0])
    return PlanePath(fine - fine[0], places, closed, name)


def _along(s: np.ndarray, heading: np.ndarray, bend: np.ndarray) -> np.ndarray:
    """∫ (cos ψ, sin ψ) ds, ψ quadratic in each step, by Gauss points of order six."""
    step = np.diff(s)
    out = np.zeros((len(s), 2))
    for at, weight in ((0.5 - 0.15**0.5, 5 / 18), (0.5, 8 / 18), (0.5 + 0.15**0.5, 5 / 18)):
        angle = heading[:-1] + step * at * (bend[:-1] + at * np.diff(bend) / 2)
        out[1:] += weight * step[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.asarray(np.cumsum(out, axis=0))


# ---------------------------------------------------------------------------------------------------- places along a line


@dataclass(frozen=True, eq=False)
class PlaceAlong:
    """Where on a line a moving point is, by expressions.

    s           the variable, and `rate` its rate
    tangent     C', `bend` C'', `spread` D
    normal      to the left, of length one
    left        how far the point is to the left of the line
    """

    s: Any
    rate: Any
    tangent: tuple[Any, Any]
    bend: tuple[Any, Any]
    spread: Any
    normal: tuple[Any, Any]
    left: Any


def foot_point(
    m: sb.Model, name: str, line: Callable[[Any], tuple[Any, Any]], place: tuple[Any, Any], velocity: tuple[Any, Any]
) -> PlaceAlong:
    """The foot of a point on a line, with a variable of this name for where it is; it begins at a value of the
    simulation's."""
    s = m.variable(name)
    (px, py), (tx, ty), (cx, cy) = line_at(line, s)
    x, y = place[0] - px, place[1] - py
    spread = tx * tx + ty * ty - x * cx - y * cy
    rate = (velocity[0] * tx + velocity[1] * ty + STABILISATION * (x * tx + y * ty)) / spread
    m.rate(s, rate)
    length = sb.sqrt(tx * tx + ty * ty)
    normal = -ty / length, tx / length
    return PlaceAlong(s, rate, (tx, ty), (cx, cy), spread, normal, x * normal[0] + y * normal[1])


def line_at(line: Callable[[Any], tuple[Any, Any]], s: Any) -> list[tuple[Any, Any]]:
    """C, C', C''."""
    u = sb.symbol("line_u")
    found = [tuple(e + sb.fraction(0, 1) for e in line(u))]
    for _ in range(2):
        found.append(tuple(sb.derivative(e, u) for e in found[-1]))
    return [(sb.substitute(a, {u: s}), sb.substitute(b, {u: s})) for a, b in found]
