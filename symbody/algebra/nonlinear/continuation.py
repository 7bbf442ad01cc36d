"""Curves of solutions: F(x) = 0 with one unknown more than independent rows, followed by pseudo-arclength (Keller
1977).

From a point with the tangent τ, J τ = 0, the next is sought on the plane a step ahead,

    F(x) = 0,   τᵀ W (x - x₀) = s,

which stays regular at folds: no unknown is singled out as the parameter. Distances are |x / sizes|, W = diag(1/sizes²);
unknowns that do not count (those in which the rows are linear) have an infinite size. Rows may be redundant: they are
reduced to an orthonormal basis Y of the range of J, and the residual of the redundant rows is monitored.

The module is independent of mechanics. A failure is an outcome, not an exception.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .nonlinear import Function
from .trust_region import Array

MAX_CORRECTIONS: Final = 8  # largest number of Newton corrections in one step
TARGET_CORRECTIONS: Final = 3.5  # number of corrections for which the step controller aims
MAX_TURN: Final = 0.3  # largest angle in rad between successive tangents; beyond it the step is halved
TARGET_TURN: Final = 0.1  # angle in rad between successive tangents for which the step controller aims
MAX_CONTRACTION: Final = 0.5  # largest accepted ratio of successive corrections
MIN_STEP: Final = 1e-7  # smallest step relative to the largest
CONVERGENCE_TOLERANCE: Final = 1e-12  # size of a converged correction relative to the unknowns or their sizes
REDUNDANT_RESIDUAL: Final = 1e-7  # largest residual of redundant rows relative to their terms
MAX_EQUILIBRATIONS: Final = 10  # number of sweeps that equilibrate rows and columns
# component of the tangent, relative to the unknown's size, below which the unknown is constant
CONSTANT_UNKNOWN: Final = 1e-9
# angle between tangents, relative to the one aimed for, up to which a curve is straight, the number of such points after which
# steps become longer than the largest, and after which they double
STRAIGHT: Final = 0.3
STRAIGHT_POINTS: Final = 50
DOUBLING_POINTS: Final = 4
CONSTANT_POINTS: Final = 50  # number of points after which a curve with a constant unknown is ended


class CurveEnd(Enum):
    """How a curve ended, in one direction."""

    BOUND = "reached the bound"
    CLOSED = "returned to its beginning"
    POINTS = "has as many points as allowed"
    STUCK = "no further point was found with the smallest step"
    LEVEL = "stays at one value, however far it goes"
    NOT_FINITE = "the rows have no finite value further on"
    INTERRUPTED = "was interrupted"


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve: unknowns, Jacobian J of the rows, tangent (of length one in the metric), and an
    orthonormal basis Y of the range of J."""

    x: Array
    J: Array
    tangent: Array
    range: Array
    corrections: int = 0


def reversed_point(point: CurvePoint) -> CurvePoint:
    """The point with the opposite direction."""
    return replace(point, tangent=-point.tangent)


@dataclass(frozen=True)
class Bound:
    """A limit at which the curve ends: the index of an unknown and the interval in which it stays."""

    unknown: int
    low: float
    high: float

    def left_at(self, x: Array) -> float | None:
        """The end of the interval that a point lies beyond."""
        value = x[self.unknown]
        return self.low if value < self.low else self.high if value > self.high else None


@dataclass(frozen=True)
class SolutionCurve:
    """Rows F(x) = 0 whose solutions are a curve.

    function   x -> F, J
    sizes      of the unknowns, for distances along the curve
    slopes     J at a typical point, after which rows and columns are scaled
    step       the first step; `max_step` bounds all
    """

    function: Function
    sizes: Array
    slopes: Array
    step: float = 0.01
    max_step: float = 0.04

    @cached_property
    def weights(self) -> Array:
        return np.where(np.isfinite(self.sizes), 1 / np.where(np.isfinite(self.sizes), self.sizes, 1.0) ** 2, 0.0)

    def length(self, d: Array) -> float:
        return float(np.sqrt(d @ (self.weights * d)))

    # ------------------------------------------------------------------------------------------------ points

    def at(self, x: Array, tangent: Array | None = None, corrections: int = 0) -> CurvePoint | None:
        """The point at x, which lies on the curve, with a tangent oriented like a given one; None if rows have no
        value."""
        F, J = self.function(x)
        if not (np.isfinite(F).all() and np.isfinite(J).all()):
            return None
        U, _, V = np.linalg.svd(self._scaled_jacobian(J))
        n = len(x) - 1
        along = self.columns * V[n]
        # next to a branch point the null space is two-dimensional: take the direction closest to the previous tangent
        if tangent is not None:
            with suppress(np.linalg.LinAlgError):
                along = self.columns * np.linalg.solve(self._bordered_jacobian(J, tangent, U[:, :n]), np.eye(n + 1)[n])
        along = along / self.length(along)
        if tangent is not None and along @ (self.weights * tangent) < 0:
            along = -along
        return CurvePoint(x, J, along, U[:, :n], corrections)

    @cached_property
    def _factors(self) -> tuple[Array, Array]:
        """Factors of rows and columns that make entries alike (Ruiz 2001); those of unknowns that have a size are their
        sizes."""
        own, A = np.isfinite(self.sizes), np.abs(self.slopes)
        columns, rows = np.where(own, np.where(own, self.sizes, 1.0), 1.0), np.ones(len(A))
        for _ in range(MAX_EQUILIBRATIONS):
            rows = rows / np.sqrt(_largest(rows[:, None] * A * columns, axis=1))
            columns = np.where(own, columns, columns / np.sqrt(_largest(rows[:, None] * A * columns, axis=0)))
        return rows / _largest(rows[:, None] * A * columns, axis=1), columns

    @property
    def rows(self) -> Array:
        """What rows are multiplied by."""
        return self._factors[0]

    @property
    def columns(self) -> Array:
        """What a unit of each unknown is in the linear algebra."""
        return self._factors[1]

    def _scaled_jacobian(self, J: Array) -> Array:
        """Rows and columns scaled to similar size, by the same factors along the whole curve."""
        return np.asarray(self.rows[:, None] * J * self.columns)

    def _bordered_jacobian(self, J: Array, normal: Array, basis: Array) -> Array:
        """Rows reduced to a basis of their range, bordered by the normal of the plane."""
        return np.vstack([basis.T @ self._scaled_jacobian(J), self.columns * self.weights * normal])

    def corrected(self, x: Array, normal: Array, basis: Array) -> CurvePoint | None:
        """The point of the curve in the plane through x with the given normal; None if Newton's method converges
        badly or not at all."""
        before = np.inf
        for k in range(MAX_CORRECTIONS):
            F, J = self.function(x)
            if not (np.isfinite(F).all() and np.isfinite(J).all()):
                return None
            change, left = self._correction(F, J, normal, basis)
            size = float(np.max(np.abs(change) / self._extents(x), initial=0.0))
            if not np.isfinite(size) or (size > MAX_CONTRACTION * before and before > 1e3 * CONVERGENCE_TOLERANCE):
                return None
            if size <= CONVERGENCE_TOLERANCE or (size >= before and before <= 1e3 * CONVERGENCE_TOLERANCE):
                return self.at(x + change if size < before else x, normal, k) if left <= REDUNDANT_RESIDUAL else None
            x, before = x + change, size
        return None

    def _extents(self, x: Array) -> Array:
        return np.maximum(np.abs(x), self.columns)

    def _correction(self, F: Array, J: Array, normal: Array, basis: Array) -> tuple[Array, float]:
        """The Newton correction, and the residual it leaves in redundant rows relative to their terms."""
        right = -F * self.rows
        square = self._bordered_jacobian(J, normal, basis)
        wanted = np.append(basis.T @ right, 0.0)
        try:
            p = np.linalg.solve(square, wanted)
        except np.linalg.LinAlgError:  # exactly in a branch point, where vanishing rows impose no condition
            p = np.linalg.lstsq(square, wanted, rcond=1e-12)[0]
        return self.columns * p, float(np.max(np.abs(self._scaled_jacobian(J) @ p - right), initial=0.0))

    # ------------------------------------------------------------------------------------------------ the way along

    def followed(self, start: CurvePoint, bounds: Sequence[Bound], most: int) -> Iterator[CurvePoint | CurveEnd]:
        """Points in the direction of the start's tangent, the start not among them; how it ended comes last."""
        here, step, straight = start, self.step, 0
        is_level = all(self.is_level(start, b.unknown) for b in bounds)
        for count in range(most):
            there, step, why = self._next(here, step, self._longest_step(here, straight, bounds))
            if there is None:
                yield why
                return
            if (edge := self._edge(here, there, bounds)) is not None:
                yield edge
                yield CurveEnd.BOUND
                return
            if count > 3 and self._passes(here, there, start):
                yield start
                yield CurveEnd.CLOSED
                return
            yield there
            is_straight = self._angle(here, there) <= STRAIGHT * TARGET_TURN and there.corrections <= TARGET_CORRECTIONS
            straight, here = straight + 1 if is_straight else max(straight - DOUBLING_POINTS, 0), there
            is_level = is_level and all(self.is_level(here, b.unknown) for b in bounds)
            if is_level and count >= CONSTANT_POINTS:
                yield CurveEnd.LEVEL
                return
        yield CurveEnd.POINTS

    def is_level(self, point: CurvePoint, unknown: int) -> bool:
        """Whether an unknown stays the same along the curve there, but for rounding."""
        return bool(self.are_level(point.tangent, unknown))

    def are_level(self, tangents: Array, unknown: int) -> NDArray[np.bool_]:
        """Whether tangents, one in each row, have no part along an unknown."""
        found: NDArray[np.bool_] = np.abs(tangents[..., unknown]) <= CONSTANT_UNKNOWN * self.sizes[unknown]
        return found

    def _longest_step(self, here: CurvePoint, straight: int, bounds: Sequence[Bound]) -> float:
        """The largest step; longer after many points on a straight line, up to the same part of the bounds' unknowns:
        of a whirl whose amplitude grows by many of its sizes the steps would creep."""
        if straight < STRAIGHT_POINTS:
            return self.max_step
        along = max((abs(here.tangent[b.unknown]) / self.sizes[b.unknown] for b in bounds), default=1.0)
        grown = 2.0 ** ((straight - STRAIGHT_POINTS) // DOUBLING_POINTS + 1)
        return self.max_step * max(1.0, min(grown, 1 / max(along, 1e-300)))

    def _angle(self, here: CurvePoint, there: CurvePoint) -> float:
        """Between two tangents."""
        return float(np.arccos(np.clip(there.tangent @ (self.weights * here.tangent), -1, 1)))

    def _next(self, here: CurvePoint, step: float, largest: float) -> tuple[CurvePoint | None, float, CurveEnd]:
        why = CurveEnd.STUCK
        step = min(step, largest)
        while step >= MIN_STEP * self.max_step:
            there = self.corrected(here.x + step * here.tangent, here.tangent, here.range)
            if there is not None:
                angle = self._angle(here, there)
                if angle <= MAX_TURN:
                    grown = min(2.0, TARGET_CORRECTIONS / max(there.corrections, 1), TARGET_TURN / max(angle, 1e-3))
                    return there, min(largest, step * max(0.3, grown)), why
            elif not np.isfinite(self.function(here.x + step * here.tangent)[0]).all():
                why = CurveEnd.NOT_FINITE
            step /= 2
        return None, step, why

    def _edge(self, here: CurvePoint, there: CurvePoint, bounds: Sequence[Bound]) -> CurvePoint | None:
        """The point at which a step leaves a bound."""
        for bound in bounds:
            end = bound.left_at(there.x)
            if end is None or bound.left_at(here.x) is not None:
                continue
            part = (end - here.x[bound.unknown]) / (there.x[bound.unknown] - here.x[bound.unknown])
            begin = here.x + part * (there.x - here.x)
            begin[bound.unknown] = end
            normal = np.zeros(len(begin))
            normal[bound.unknown] = 1.0 if self.weights[bound.unknown] else 0.0
            found = self.corrected(begin, normal, there.range) if normal.any() else None
            if found is not None and (at := self.at(found.x, here.tangent)) is not None:
                at.x[bound.unknown] = end
                return at
        return None

    def _passes(self, here: CurvePoint, there: CurvePoint, start: CurvePoint) -> bool:
        """Whether the start lies between two points and the curve has the same direction there."""
        step, back = there.x - here.x, start.x - here.x
        along = (step @ (self.weights * back)) / self.length(step) ** 2
        off = self.length(back - along * step)
        same_way = there.tangent @ (self.weights * start.tangent) > np.cos(MAX_TURN)
        return bool(0 < along <= 1 and off <= MAX_TURN * self.length(step) and same_way)

    # ------------------------------------------------------------------------------------------------ special points

    def between(self, here: CurvePoint, s: float) -> CurvePoint | None:
        """The point a distance s ahead, along the tangent."""
        return self.corrected(here.x + s * here.tangent, here.tangent, here.range)

    def orientation(self, point: CurvePoint, basis: Array) -> float:
        """The sign of the determinant of J and tangent, with rows reduced to a basis: it changes at branch points."""
        square = self._bordered_jacobian(point.J, point.tangent, basis)
        return float(np.linalg.slogdet(square)[0])

    def smallest(self, point: CurvePoint, basis: Array) -> float:
        """That determinant, in parts of the product of all but its smallest singular value."""
        square = self._bordered_jacobian(point.J, point.tangent, basis)
        s = np.linalg.svd(square, compute_uv=False)
        return float(np.linalg.slogdet(square)[0] * s[-1] / s[0])


def _largest(A: Array, axis: int) -> Array:
    """The largest entry of each row or column; 1 if all are zero."""
    found = A.max(axis=axis, initial=0.0)
    return np.where(found > 0, found, 1.0)
