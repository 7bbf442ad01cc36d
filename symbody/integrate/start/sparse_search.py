"""Projection onto many sparse constraints: the solution of r(x) = 0 closest to a given point s, distances weighted by W.

It is a fixed point of

    x⁺ = s - W⁻¹ Jᵀ (J W⁻¹ Jᵀ)⁻¹ (r + J (s - x))

an iteration that converges linearly, at a rate proportional to the distance and the curvature. It starts from a solution that
Levenberg-Marquardt steps x⁺ = x - W⁻¹ Jᵀ (J W⁻¹ Jᵀ + μ)⁻¹ r find. J is sparse, and so are the factors of J W⁻¹ Jᵀ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from ...algebra.nonlinear.trust_region import EPS
from ...emit.run.callable import Array
from ...errors import SymbodyError
from ...optional_packages import optional_package

MAX_STEPS: Final = 60  # Levenberg-Marquardt steps, and iterations towards the closest solution
DAMPINGS: Final = (
    0.0,
    *(10.0**k for k in range(-12, 5, 2)),
)  # values of μ, relative to the unit diagonal of J W⁻¹ Jᵀ, in the order in which they are tried
VANISHING: Final = 64 * EPS  # residual, relative to its terms |J| |x|, below which it counts as zero
SETTLED: Final = 1e-12  # relative change below which the iteration has converged

Rows = Callable[[Array], tuple[Array, Any]]


@cache
def scipy_sparse() -> Any:
    """The module, loaded on first use: most simulations start without it."""
    optional_package("scipy.sparse.linalg", "starts in loops", SymbodyError)
    return optional_package("scipy.sparse", "starts in loops", SymbodyError)


class SparseFound(NamedTuple):
    """Result of a search: the point, the residuals there, and whether they vanish to rounding."""

    x: Array
    left: Array
    holds: bool


@dataclass(frozen=True)
class SparseSearch:
    """Constraints r(x) = 0 and a start; variables other than those numbered `free` are fixed at their start."""

    rows: Rows
    start: Array
    free: Any
    weights: Array

    def nearest(self) -> SparseFound:
        """The solution closest to the start; if none is found, the point with the smallest residuals."""
        found = self.onto(self.start)
        return self._closest(found.x, found.left) if found.holds else found

    def first(self, starts: Iterable[Array]) -> tuple[SparseFound, int]:
        """The solution found from the start or, if that fails, from the first successful one of other starts, with the number of that
        start; if all fail, the point with the smallest residuals reached from the start."""
        found = self.nearest()
        for number, x in enumerate(starts if not found.holds else (), 1):
            other = self.onto(np.where(self._is_free, x, self.start))
            if other.holds:
                return self._closest(other.x, other.left), number
        return found, 0

    def without_held(self) -> SparseSearch:
        """The same search with all variables free."""
        return replace(self, free=np.arange(len(self.start)))

    def onto(self, x: Array) -> SparseFound:
        """Levenberg-Marquardt from a point."""
        r, J = self.rows(x)
        for _ in range(MAX_STEPS):
            if _vanish(r, J, x):
                return SparseFound(x, r, True)
            step = self._reducing_step(x, r, J)
            if step is None:
                return SparseFound(x, r, False)
            x, r, J = step
        return SparseFound(x, r, False)

    def _reducing_step(self, x: Array, r: Array, J: Any) -> tuple[Array, Array, Any] | None:
        """The step with the smallest damping that reduces the residuals, with residuals and J after it."""
        normal = NormalMatrix(J, self.free, self.weights)
        before = np.linalg.norm(r / normal.sizes)
        for damping in DAMPINGS:
            there = x + normal.step(r, damping)
            if not np.isfinite(there).all():
                continue
            after, slopes = self.rows(there)
            if np.linalg.norm(after / normal.sizes) < 0.9 * before or _vanish(after, slopes, there):
                return there, after, slopes
        return None

    def _closest(self, x: Array, r: Array) -> SparseFound:
        """The closest solution, from any solution; the last iterate on the constraints if the iteration does not converge."""
        best, before = SparseFound(x, r, True), np.inf
        r, J = self.rows(x)
        for _ in range(MAX_STEPS):
            away = np.where(self._is_free, self.start - x, 0.0)
            there = x + away + NormalMatrix(J, self.free, self.weights).step(r + J @ away, 0.0)
            change = float(np.linalg.norm(there - x))
            if not change < 0.5 * before:
                break
            x, before = there, change
            r, J = self.rows(x)
            if _vanish(r, J, x):
                best = SparseFound(x, r, True)
                if change <= SETTLED * np.linalg.norm(x):
                    break
        return best

    @cached_property
    def _is_free(self) -> Any:
        out = np.zeros(len(self.start), dtype=bool)
        out[self.free] = True
        return out


def _vanish(r: Array, J: Any, x: Array) -> bool:
    return bool((np.abs(r) <= VANISHING * (abs(J) @ np.maximum(np.abs(x), 1.0))).all())


class NormalMatrix:
    """J W⁻¹ Jᵀ of the free variables, with rows scaled to a unit diagonal."""

    def __init__(self, J: Any, free: Any, weights: Array) -> None:
        self.free = free
        self.columns = len(weights)
        self.lengths = 1 / np.sqrt(weights[free])
        own = J[:, free] @ scipy_sparse().diags(self.lengths)
        self.sizes = sizes_of_sparse_rows(own)
        self.own = scipy_sparse().diags(1 / self.sizes) @ own
        self.G = (self.own @ self.own.T).tocsc()

    def step(self, r: Array, damping: float) -> Array:
        """-W⁻¹ Jᵀ (J W⁻¹ Jᵀ + μ)⁻¹ r; NaN where the matrix is singular."""
        out = np.zeros(self.columns)
        try:
            factors = sparse_factors(self.G + damping * scipy_sparse().eye(len(r)))
            out[self.free] = -self.lengths * (self.own.T @ factors.solve(r / self.sizes))
        except RuntimeError:
            out[:] = np.nan
        return out


def sizes_of_sparse_rows(J: Any) -> Array:
    """`sizes_of_rows` of a sparse matrix."""
    sizes = np.sqrt(np.asarray(J.multiply(J).sum(axis=1)).ravel())
    largest = sizes.max(initial=0.0)
    return np.where(sizes > 1e-9 * largest, sizes, largest or 1.0)


def sparse_factors(A: Any) -> Any:
    """LU factors of a sparse symmetric matrix."""
    splu = scipy_sparse().linalg.splu
    return splu(A.tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})


def nearest_speeds(A: Any, b: Array, u: Array, free: Any, weights: Array) -> tuple[Array, Array, bool]:
    """The solution u of A u + b = 0 closest to the given u, its residuals, and whether these are rounding errors."""
    normal, u = NormalMatrix(A, free, weights), u.copy()
    terms = float(np.max(abs(A) @ np.abs(u) + np.abs(b), initial=0.0))
    for _ in range(2):  # the second step removes rounding errors of the first
        step = normal.step(A @ u + b, 0.0)
        if np.isfinite(step).all():
            u += step
    left = A @ u + b
    return u, left, bool(np.max(np.abs(left), initial=0.0) <= 1e-10 * max(terms, 1e-300))
