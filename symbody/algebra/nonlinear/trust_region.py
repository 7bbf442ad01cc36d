"""Trust-region steps for F + J Δx = 0: scaling independent of units, rank by singular values, linear unknowns
eliminated.

    R F + (R J D) p = 0,   Δx = D p,   |p| ≤ Δ

R and D are diagonal. R balances the rows of R J D, and D its columns, unless distances were given a meaning of their
own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

EPS: Final = float(np.finfo(np.float64).eps)
# singular value, relative to the largest and the size of J, below which it is rounding noise and no step is taken along
# it
SINGULAR_VALUE_CUTOFF: Final = 16 * EPS
RANK_TOLERANCE: Final = 1e-10  # singular value, relative to the largest, below which rows or columns count as dependent
# singular value, relative to the largest, below which a direction is examined row by row
DOUBTFUL_DIRECTION: Final = 1e-6
# change of a row along a direction, relative to its entries, below which the direction is in the null space
NULL_DIRECTION: Final = 1e-12
NEGLIGIBLE_ENTRY: Final = 1e-25  # entry, relative to both its row and its column, below which it is set to zero
MIN_SLOPE: Final = 2e-16  # smallest derivative relative to the others of its row and column
FAINT_ENTRY: Final = 1e-10  # entry, relative to the largest, below which it is ignored in scaling
MAX_SWEEPS: Final = 12  # number of sweeps that find the scales
GROWS, GROWN = 10.0, 1e4  # largest growth factor of a row's weight in one step, and in total


def norm(x: Array) -> float:
    """|x|, as numpy.linalg.norm has it to the last digit, in a quarter of its time: vectors are short here."""
    return math.sqrt(x.dot(x))


def without_dust(J: Array) -> Array:
    """Zeros for entries that are negligible both in their row and in their column, whatever the units: slopes in
    multipliers of 1e-34 N."""
    A = np.abs(J)
    small = (A < NEGLIGIBLE_ENTRY * A.max(axis=1, initial=0.0, keepdims=True)) & (
        A < NEGLIGIBLE_ENTRY * A.max(axis=0, initial=0.0, keepdims=True)
    )
    return np.where(small, 0.0, J) if small.any() else J


@dataclass(frozen=True)
class Scales:
    """R and D; infinite for rows and columns in which no nonzero derivative has occurred so far. D is fixed where
    the caller gave sizes."""

    R: Array
    D: Array
    ceiling: Array  # of R
    is_fixed: bool = False

    @classmethod
    def of(cls, J: Array, sizes: Array | None = None) -> Scales:
        """Scales that follow the units of rows and unknowns exactly: R J D does not change with them.

        sizes   D, where it is given: then rows alone are scaled
        """
        if sizes is None:
            return _scales_of(np.ascontiguousarray(J).tobytes(), J.shape)
        unseen = np.full(len(J), np.inf)
        return cls(unseen, sizes, unseen, True).shrunk(J)

    @cached_property
    def rows(self) -> Array:
        return np.where(np.isfinite(self.R), self.R, 1.0)

    @cached_property
    def columns(self) -> Array:
        return np.where(np.isfinite(self.D), self.D, 1.0)

    def following(self, J: Array) -> Scales:
        """Scales for slopes that have changed. Columns do not grow, and rows by little: what fades on the way is not
        blown up."""
        scaled = np.max(np.abs(J) * self.rows[:, None] * self.columns, axis=1, initial=0.0)
        R = np.minimum(self.R * np.clip(1 / np.maximum(scaled, 1e-300), 1.0, GROWS), self.ceiling)
        return replace(self, R=R).shrunk(J)

    def shrunk(self, J: Array) -> Scales:
        """Scales with which no entry of R J D is larger than about one (after Ruiz 2001, *A scaling algorithm to
        equilibrate both rows and columns norms in matrices*)."""
        A = np.abs(J)
        out = self._with_new_slopes(A) if self._meets_news(A) else self
        R, D, scaled = out.R, out.D, A * out.rows[:, None] * out.columns
        for _ in range(MAX_SWEEPS):
            r, c = (np.maximum(1.0, scaled.max(axis=k, initial=0.0)) for k in (1, 0))
            r, c = (r, np.ones(len(c))) if self.is_fixed else (np.sqrt(r), np.sqrt(c))
            R, D, scaled = R / r, D / c, scaled / r[:, None] / c
            if max(r.max(initial=1.0), c.max(initial=1.0)) < 1.1:
                break
        return replace(out, R=R, D=D)

    def _meets_news(self, A: Array) -> bool:
        """Whether a nonzero derivative occurs in a row or a column for the first time."""
        rows, columns = np.isinf(self.R), np.isinf(self.D)
        return bool(A[rows].any() or A[:, columns].any())

    def _with_new_slopes(self, A: Array) -> Scales:
        """With scales for rows and columns in which nonzero derivatives occur for the first time, none of them
        larger than those already known."""
        R, D = _geometric(A, self.R, self.D)
        R, D = (
            np.where(np.isfinite(new), np.minimum(new, np.max(old, initial=0.0, where=np.isfinite(old)) or np.inf), new)
            for new, old in ((R, self.R), (D, self.D))
        )
        return replace(self, R=R, D=D, ceiling=np.where(np.isfinite(self.R), self.ceiling, GROWN * R))


@lru_cache(maxsize=32)
def _scales_of(J: bytes, shape: tuple[int, int]) -> Scales:
    """Cached, because rank, distances and the first step are computed at the same point."""
    R, D = (np.full(k, np.inf) for k in shape)
    return Scales(R, D, R).shrunk(np.frombuffer(J).reshape(shape))


def _geometric(A: Array, R: Array, D: Array) -> tuple[Array, Array]:
    """R and D that minimise the sum of squared logarithms of the nonzero entries of R A D (Curtis and Reid 1972, *On
    the automatic scaling of matrices for Gaussian elimination*). Entries that are then negligible, such as cos(π/2),
    are left out, and the minimisation is repeated. R and D that are finite already are kept."""
    m, n = A.shape
    known = np.concatenate([R, D])
    is_known, used = np.isfinite(known), A > 0
    logs = np.log(np.where(used, A, 1.0))
    for _ in range(2):
        W, L = used.astype(np.float64), np.zeros((m + n, m + n))
        L[:m, m:], L[m:, :m] = W, W.T
        np.fill_diagonal(L, np.concatenate([W.sum(1), W.sum(0)]) + 1e-9)
        right = -np.concatenate([(W * logs).sum(1), (W * logs).sum(0)])
        z = np.where(is_known, np.log(np.where(is_known, known, 1.0)), 0.0)
        todo = ~is_known
        z[todo] = np.linalg.solve(L[np.ix_(todo, todo)], (right - L @ z)[todo]) if todo.any() else z[todo]
        scaled, before = logs + z[:m, None] + z[m:], used
        used = (A > 0) & (scaled > scaled.max(initial=0.0, where=used) + np.log(FAINT_ENTRY))
        if np.array_equal(used, before):
            break
    out = np.where(is_known, known, np.exp(z))
    seen = np.concatenate([used.any(axis=1), used.any(axis=0)]) | is_known
    out = np.where(seen, out, np.inf)
    return out[:m], out[m:]


@dataclass(frozen=True)
class SingularValues:
    """Singular values of a matrix and their vectors, without those that are rounding."""

    U: Array
    s: Array
    V: Array

    @classmethod
    def of(cls, A: Array) -> SingularValues:
        U, s, V = np.linalg.svd(A, full_matrices=False)
        k = int(np.count_nonzero(s > SINGULAR_VALUE_CUTOFF * max(A.shape) * s[0])) if len(s) and s[0] > 0 else 0
        return cls(U[:, :k], s[:k], V[:k])

    def shortest(self, b: Array, damping: float = 0.0) -> Array:
        """The x that comes nearest to A x = b, the shortest of those; damped: (AᵀA + μ)⁻¹ Aᵀ b."""
        return np.asarray(self.V.T @ (self.s / (self.s * self.s + damping) * (self.U.T @ b)))

    def rank(self, part: float = RANK_TOLERANCE) -> int:
        return int(np.count_nonzero(self.s > part * self.s[0])) if len(self.s) else 0


@dataclass(frozen=True)
class Linearisation:
    """F + J Δx at a point, with scales.

    moving   unknowns that a step changes: those that enter nonlinearly and are not at a bound
    linear   unknowns that enter linearly: every step ends at their least-squares values, and distances do not include
             them
    """

    F: Array
    J: Array
    R: Array
    D: Array
    moving: Mask
    linear: Mask

    @cached_property
    def _has_linear(self) -> bool:
        return bool(self.linear.any())

    @cached_property
    def _moves_all(self) -> bool:
        return bool(self.moving.all())

    @cached_property
    def _loads(self) -> SingularValues:
        """Singular values of the columns of linear unknowns. Rows without them take no part, not even by rounding:
        without loads, multipliers are zero, not 1e-34 N that nothing balances. Nor do derivatives that are rounding
        noise relative to both their row and their column, such as cos(π/2): scaling may have made them as large as
        any other."""
        if not self._has_linear:
            return SingularValues(np.zeros((len(self.F), 0)), np.zeros(0), np.zeros((0, 0)))
        J = self.J[:, self.linear]
        sizes = np.abs(J)
        least = MIN_SLOPE * np.minimum(sizes.max(axis=1, initial=0.0)[:, None], sizes.max(axis=0, initial=0.0))
        A = self.R[:, None] * np.where(sizes > least, J, 0.0) * self.D[self.linear]
        found = SingularValues.of(A)
        return replace(found, U=np.where(A.any(axis=1, keepdims=True), found.U, 0.0))

    @cached_property
    def _factors(self) -> SingularValues:
        """Of what linear unknowns leave of the columns that move (variable projection: Golub and Pereyra 1973, Kaufman
        1975)."""
        A = self._moving_columns(self.J)
        U = self._loads.U
        return SingularValues.of(A - U @ (U.T @ A) if U.size else A)

    def _moving_columns(self, J: Array) -> Array:
        A = self.R[:, None] * J * self.D
        return A if self._moves_all else A[:, self.moving]

    @cached_property
    def _components(self) -> Array:
        return np.asarray(self._factors.U.T @ (self.R * self.F))

    @property
    def rank(self) -> int:
        """Rank of the columns that move, counting singular values well away from zero."""
        return self._factors.rank(1e-6)

    def damping(self, radius: float) -> float:
        """μ ≥ 0 with |p(μ)| = radius, or 0 where the whole step is shorter (Hebden 1973, Moré 1978)."""
        s, c = self._factors.s, self._components
        if not len(s) or norm(c / s) <= radius:
            return 0.0
        mu = 0.0
        for _ in range(60):
            part = s * c / (s * s + mu)
            length = norm(part)
            if abs(length - radius) <= 0.05 * radius:
                break
            falls = float((part * part / (s * s + mu)).sum()) / length
            mu = max(mu + (length - radius) / falls * (length / radius), 0.0)
        return mu

    def correction(self, F: Array, damping: float) -> Array:
        """D G R F, G = (AᵀA + μ)⁻¹ Aᵀ of A = R J D: what residuals amount to, in units of the unknowns that move."""
        shortest = self._factors.shortest(self.R * F, damping)
        if self._moves_all:
            return self.D * shortest
        out = np.zeros(len(self.D))
        out[self.moving] = self.D[self.moving] * shortest
        return out

    def with_linear(self, change: Array) -> Array:
        """The same change, followed by the least-squares solution for the linear unknowns."""
        if not self._has_linear:
            return change
        out = change.copy()
        out[self.linear] -= self.D[self.linear] * self._loads.shortest(self.R * (self.F + self.J @ change))
        return out

    def length(self, change: Array) -> float:
        return norm((change / self.D)[~self.linear] if self._has_linear else change / self.D)

    @property
    def reachable(self) -> float:
        """The part of the scaled residual that a step can change: zero where |R F| is stationary."""
        left = self.R * self.F
        if self._has_linear:
            left = left - self._loads.U @ (self._loads.U.T @ left)
        size = norm(left)
        return norm(self._components) / size if size else 0.0

    def is_turned(self, J: Array) -> bool:
        """Whether slopes elsewhere have another orientation: on the way there, rows become dependent (det J changes its
        sign)."""
        return _has_other_sign(self._factors, self._moving_columns(J))

    def tangential(self, change: Array) -> Array:
        """The part of a change of the unknowns that changes no row, in the metric of D."""
        V = self._factors.V[: self._factors.rank()]
        p = (change / self.D)[self.moving]
        out = np.zeros(len(self.D))
        out[self.moving] = self.D[self.moving] * (p - V.T @ (V @ p))
        return out


def is_turned(one: Array, other: Array) -> bool:
    """Whether two Jacobians that determine all unknowns have other orientations, so that they become singular on every
    way between them."""
    scales = Scales.of(one)
    f = SingularValues.of(scales.rows[:, None] * one * scales.columns)
    return f.rank() == one.shape[1] and _has_other_sign(f, scales.rows[:, None] * other * scales.columns)


def _has_other_sign(f: SingularValues, A: Array) -> bool:
    return bool(np.linalg.slogdet(f.U.T @ A @ f.V.T)[0] < 0)


@dataclass(frozen=True)
class Rank:
    """Rank information of J: its rank, the ratio of its largest to its smallest singular value, its null space
    (columns), and how far each unknown lies in it (0: determined, 1: not at all).

    A direction is in the null space where each row stays zero relative to its own entries: a soft spring counts beside
    stiff ones.
    """

    rank: int
    condition: float
    null_space: Array
    loose: Array

    @classmethod
    def of(cls, J: Array) -> Rank:
        n = J.shape[1]
        if not J.size or not np.isfinite(J).all():
            return cls(0, 1.0 if not J.size else np.inf, np.eye(n), np.ones(n))
        scales = Scales.of(J)
        A = scales.rows[:, None] * J * scales.columns
        _, s, V = np.linalg.svd(A)
        doubtful = V[int(np.sum(s > DOUBTFUL_DIRECTION * s[0])) :].T
        null = doubtful @ _idle(A / np.maximum(np.abs(A).max(axis=1, keepdims=True), 1e-300) @ doubtful)
        rank = n - null.shape[1]
        loose = np.sqrt(np.clip(np.sum(null * null, axis=1), 0.0, 1.0))
        return cls(rank, float(s[0] / s[rank - 1]) if rank else 1.0, scales.columns[:, None] * null, loose)


def _idle(B: Array) -> Array:
    """Orthonormal columns that B makes nothing of."""
    if not B.size:
        return np.eye(B.shape[1])
    _, s, V = np.linalg.svd(B)
    return np.asarray(V[int(np.sum(s > NULL_DIRECTION)) :].T)
