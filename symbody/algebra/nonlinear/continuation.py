"""Curves of solutions: F(x) = 0 with one unknown more than independent rows, followed by pseudo-arclength (Keller
1977).

From a point with the tangent τ, J τ = 0, the next is sought on the plane a step ahead,

    F(x) = 0,   τᵀ W (x - x₀) = s,

which folds do not disturb: no unknown is the parameter. Distances are |x / sizes|, W = diag(1/sizes²); unknowns that
count nowhere (those in which the rows are linear) have an infinite size. Rows may be redundant: they are reduced to an
orthonormal basis Y of the range of J, and what is left in the others is watched.

Nothing here knows mechanics. What happens is an outcome, not an exception.
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

CORRECTIONS: Final = 8  # of Newton's method in one step
WANTED: Final = 3.5  # corrections, which steps are chosen for
SHARP_TURN: Final = 0.3  # rad of the tangent in a step, beyond which it is taken again with half its length
TURN: Final = 0.1  # rad, which steps are chosen for
CONTRACTION: Final = 0.5  # corrections that shrink more slowly are not trusted
SMALLEST: Final = 1e-7  # of the largest step
CONVERGED: Final = 1e-12  # of the unknowns, or of their sizes
LEFT: Final = 1e-7  # of their terms, in rows that follow from others
EQUILIBRATIONS: Final = 10
LEVEL: Final = 1e-9  # part along an unknown of a tangent, of its size, that is rounding
LOOKED_AT: Final = 50  # points, before a curve is said to stay at one value


class CurveEnd(Enum):
    """How a curve ended, in one direction."""

    BOUND = "reached the bound"
    CLOSED = "came back to its beginning"
    POINTS = "has as many points as allowed"
    STUCK = "no further point was found with the smallest step"
    LEVEL = "stays at one value, however far it goes"
    NOT_FINITE = "the rows have no finite value further on"
    INTERRUPTED = "was interrupted"


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve: unknowns, rows' slopes J, tangent (of length one in the metric), an orthonormal basis Y of
    the range of J."""

    x: Array
    J: Array
    tangent: Array
    range: Array
    corrections: int = 0


def turned(point: CurvePoint) -> CurvePoint:
    """The point with the opposite direction."""
    return replace(point, tangent=-point.tangent)


@dataclass(frozen=True)
class Bound:
    """Where to end: an unknown by its number, and the interval that it stays in."""

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
        """The point at x, which lies on the curve; its tangent goes the way of another one. None where rows have no
        value."""
        F, J = self.function(x)
        if not (np.isfinite(F).all() and np.isfinite(J).all()):
            return None
        U, _, V = np.linalg.svd(self._scaled(J))
        n = len(x) - 1
        along = self.columns * V[n]
        if tangent is not None:  # next to a branch point, where two directions stay on the rows, the one that goes on
            with suppress(np.linalg.LinAlgError):
                along = self.columns * np.linalg.solve(self._bordered(J, tangent, U[:, :n]), np.eye(n + 1)[n])
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
        for _ in range(EQUILIBRATIONS):
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

    def _scaled(self, J: Array) -> Array:
        """Rows and columns of like size, by the same factors all along."""
        return np.asarray(self.rows[:, None] * J * self.columns)

    def _bordered(self, J: Array, normal: Array, basis: Array) -> Array:
        """Rows reduced to a basis of their range, and the plane with a normal."""
        return np.vstack([basis.T @ self._scaled(J), self.columns * self.weights * normal])

    def corrected(self, x: Array, normal: Array, basis: Array) -> CurvePoint | None:
        """The point of the curve in the plane through x with a normal; None where Newton's method does not lead there
        well."""
        before = np.inf
        for k in range(CORRECTIONS):
            F, J = self.function(x)
            if not (np.isfinite(F).all() and np.isfinite(J).all()):
                return None
            change, left = self._correction(F, J, normal, basis)
            size = float(np.max(np.abs(change) / self._extents(x), initial=0.0))
            if not np.isfinite(size) or (size > CONTRACTION * before and before > 1e3 * CONVERGED):
                return None
            if size <= CONVERGED or (size >= before and before <= 1e3 * CONVERGED):
                return self.at(x + change if size < before else x, normal, k) if left <= LEFT else None
            x, before = x + change, size
        return None

    def _extents(self, x: Array) -> Array:
        return np.maximum(np.abs(x), self.columns)

    def _correction(self, F: Array, J: Array, normal: Array, basis: Array) -> tuple[Array, float]:
        """The step of Newton's method, and what it leaves in rows beside the basis, in parts of their terms."""
        right = -F * self.rows
        square = self._bordered(J, normal, basis)
        wanted = np.append(basis.T @ right, 0.0)
        try:
            p = np.linalg.solve(square, wanted)
        except np.linalg.LinAlgError:  # exactly in a branch point, where rows that vanish ask for nothing
            p = np.linalg.lstsq(square, wanted, rcond=1e-12)[0]
        return self.columns * p, float(np.max(np.abs(self._scaled(J) @ p - right), initial=0.0))

    # ------------------------------------------------------------------------------------------------ the way along

    def followed(self, start: CurvePoint, bounds: Sequence[Bound], most: int) -> Iterator[CurvePoint | CurveEnd]:
        """Points in the direction of the start's tangent, the start not among them; how it ended comes last."""
        here, step = start, self.step
        is_level = all(self.is_level(start, b.unknown) for b in bounds)
        for count in range(most):
            there, step, why = self._next(here, step)
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
            here = there
            is_level = is_level and all(self.is_level(here, b.unknown) for b in bounds)
            if is_level and count >= LOOKED_AT:
                yield CurveEnd.LEVEL
                return
        yield CurveEnd.POINTS

    def is_level(self, point: CurvePoint, unknown: int) -> bool:
        """Whether an unknown stays the same along the curve there, but for rounding."""
        return bool(self.are_level(point.tangent, unknown))

    def are_level(self, tangents: Array, unknown: int) -> NDArray[np.bool_]:
        """Whether tangents, one in each row, have no part along an unknown."""
        found: NDArray[np.bool_] = np.abs(tangents[..., unknown]) <= LEVEL * self.sizes[unknown]
        return found

    def _next(self, here: CurvePoint, step: float) -> tuple[CurvePoint | None, float, CurveEnd]:
        why = CurveEnd.STUCK
        while step >= SMALLEST * self.max_step:
            there = self.corrected(here.x + step * here.tangent, here.tangent, here.range)
            if there is not None:
                angle = np.arccos(np.clip(there.tangent @ (self.weights * here.tangent), -1, 1))
                if angle <= SHARP_TURN:
                    grown = min(2.0, WANTED / max(there.corrections, 1), TURN / max(float(angle), 1e-3))
                    return there, min(self.max_step, step * max(0.3, grown)), why
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
        """Whether the start lies between two points, and the curve goes the same way there."""
        step, back = there.x - here.x, start.x - here.x
        along = (step @ (self.weights * back)) / self.length(step) ** 2
        off = self.length(back - along * step)
        same_way = there.tangent @ (self.weights * start.tangent) > np.cos(SHARP_TURN)
        return bool(0 < along <= 1 and off <= SHARP_TURN * self.length(step) and same_way)

    # ------------------------------------------------------------------------------------------------ special points

    def between(self, here: CurvePoint, s: float) -> CurvePoint | None:
        """The point a distance s ahead, along the tangent."""
        return self.corrected(here.x + s * here.tangent, here.tangent, here.range)

    def orientation(self, point: CurvePoint, basis: Array) -> float:
        """The sign of the determinant of J and tangent, with rows reduced to a basis: it changes at branch points."""
        square = self._bordered(point.J, point.tangent, basis)
        return float(np.linalg.slogdet(square)[0])

    def smallest(self, point: CurvePoint, basis: Array) -> float:
        """That determinant, in parts of the product of all but its smallest singular value."""
        square = self._bordered(point.J, point.tangent, basis)
        s = np.linalg.svd(square, compute_uv=False)
        return float(np.linalg.slogdet(square)[0] * s[-1] / s[0])


def _largest(A: Array, axis: int) -> Array:
    """The largest entry of each row or column; 1 where all are zero."""
    found = A.max(axis=axis, initial=0.0)
    return np.where(found > 0, found, 1.0)
