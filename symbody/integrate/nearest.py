"""The point nearest to a given one at which some rows vanish: damped Gauss-Newton steps onto them, then steps along them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..emit.run.callable import Array

Numbers = NDArray[np.intp]
Function = Callable[[Array], tuple[Array, Array]]

STEPS: Final = 200  # onto the rows
SLIDES: Final = 60  # along them
EXACT: Final = 1e-13  # what may be left of a row, in parts of the terms that it is made of


class Found(NamedTuple):
    """Where a search ended.

    x      the point
    left   values of the rows there
    holds  whether they vanish, up to the rounding of their own terms
    """

    x: Array
    left: Array
    holds: bool


class Search:
    """Rows r(x) = 0 with slopes J(x), of which the variables numbered `free` may move; distances are weighted.

    least over x of  Σ w_j (x_j - start_j)²   under   r(x) = 0
    """

    def __init__(self, rows: Function, start: Array, free: Numbers, weights: Array) -> None:
        self.rows, self.start, self.free = rows, start, free
        self._scale = 1 / np.sqrt(weights[free])

    def distance(self, x: Array) -> float:
        return float(np.linalg.norm((x - self.start)[self.free] / self._scale))

    def onto(self, x: Array) -> Found:
        """Steps of least weighted length, damped where they do not help (Levenberg, Marquardt), until only rounding is left.

        Δy = -Jᵀ (J Jᵀ + μ 1)⁻¹ r     with y = √w x, by singular values
        """
        r, J = self.rows(x)
        if not len(r):
            return Found(x, r, True)
        first, damping = np.abs(r), 1e-3
        for _ in range(STEPS):
            if not (np.isfinite(r).all() and np.isfinite(J).all()):
                return Found(x, np.full(len(r), np.nan), False)
            if damping > 1e12 or np.max(np.abs(r)) == 0:
                break
            there = x.copy()
            there[self.free] += self._step(r, J, damping)
            reached, slopes = self.rows(there)
            if np.isfinite(reached).all() and reached @ reached < r @ r:
                x, r, J, damping = there, reached, slopes, max(damping / 30, 1e-20)
            elif self._vanishes(x, r, J, first, 4e-16):
                break  # nothing but rounding is left, which no step makes less
            else:
                damping *= 10
        return Found(x, r, self._vanishes(x, r, J, first, EXACT))

    def _step(self, r: Array, J: Array, damping: float) -> Array:
        U, s, V = np.linalg.svd(J[:, self.free] * self._scale, full_matrices=False)
        if not len(s) or s[0] == 0:
            return np.zeros(len(self._scale))
        return -self._scale * (V.T @ (s / (s * s + damping * s[0] ** 2) * (U.T @ r)))

    def _vanishes(self, x: Array, r: Array, J: Array, first: Array, part: float) -> bool:
        """Whether rows are small beside the terms that they are made of now (or, where these vanish too, beside what they were)."""
        least = 1e-3 * max(float(np.max(np.abs(x))), float(np.max(first)))
        return bool((np.abs(r) <= part * np.maximum(np.abs(J) @ np.abs(x) + first, least)).all())

    # ------------------------------------------------------------------------------------------------ along the rows

    def along(self, found: Found) -> Found:
        """From a point at which the rows vanish to the nearest such point near by: steps towards the start within the tangent space,
        each followed by steps back onto the rows, and taken only where it leads nearer."""
        if not len(found.left) or not len(self.free):
            return found
        length = 1.0
        for _ in range(SLIDES):
            way = self._tangential(found)
            if np.max(np.abs(way)) <= 1e-10 * (1 + np.max(np.abs(found.x))) or length < 1e-6:
                break
            there = found.x.copy()
            there[self.free] += length * way
            reached = self.onto(there)
            if reached.holds and self.distance(reached.x) < self.distance(found.x):
                found, length = reached, min(1.0, 2 * length)
            else:
                length /= 4
        return found

    def _tangential(self, found: Found) -> Array:
        """The part of the way back to the start that changes no row."""
        _, J = self.rows(found.x)
        back = (self.start - found.x)[self.free] / self._scale
        normal = row_space(J[:, self.free] * self._scale)
        return self._scale * (back - normal.T @ (normal @ back))


def row_space(J: Array, part: float = 1e-9) -> Array:
    """Orthonormal vectors that span the rows of a matrix."""
    if not J.size:
        return np.zeros((0, J.shape[1]))
    _, s, V = np.linalg.svd(J, full_matrices=False)
    return V[s > part * max(s[0], 1e-300)]


def unwound(rows: Function, x: Array, start: Array, free: Numbers) -> Array:
    """The same with whole turns taken away from what is further than half a turn from the start and may turn without changing a row."""
    for j in free:
        turns = round((start[j] - x[j]) / (2 * np.pi))
        if turns and is_periodic(rows, x, j):
            x = x.copy()
            x[j] += 2 * np.pi * turns
    return x


def is_periodic(rows: Function, x: Array, j: int) -> bool:
    """Whether a whole turn of one variable leaves the rows and their slopes as they were."""
    turned = x.copy()
    turned[j] += 2 * np.pi
    before, after = rows(x), rows(turned)
    return all(np.allclose(a, b, rtol=1e-9, atol=1e-9) for a, b in zip(before, after, strict=True))
