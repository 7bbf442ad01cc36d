"""Ranks of matrices whose rows have different units, vanishing combinations of rows, and columns that determine the
others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.elimination.elimination import definite_pivots
from ...algebra.graph.graph import ZERO, Expr, as_expr
from ...algebra.graph.matrix import Matrix
from ...algebra.nonlinear.trust_region import Array
from ...errors import EvaluationError
from .saddle_point import Border

if TYPE_CHECKING:
    from ..equations.equations import Equations

RANK_TOLERANCE: Final = 1e-7  # smallest singular value, relative to the largest, that counts in the rank
"""A direction counts as constrained where its singular value exceeds this part of the largest, rows being scaled to length one. A
configuration found to rounding is exact to 1e-8 only where it is singular, so that nothing smaller could be told from zero."""
# size of a row, relative to the largest, below which it is compared with its size at neighbouring points
FADED_ROW: Final = 1e-4
LEAST_EIGENVALUE: Final = 1e-9  # of matrices that are definite beyond doubt
FEW_ROWS: Final = 12  # largest number of rows that are eliminated sooner than LAPACK is called
SAMPLES: Final = 4  # number of neighbouring points for that comparison


class DependentRow(NamedTuple):
    """A linearly dependent row: Σ weights[k] row_k = 0, with weights[row] = 1."""

    row: int
    others: tuple[int, ...]
    weights: Mapping[int, float]


@dataclass(frozen=True, eq=False)
class RowSpace:
    """Rank of a matrix with rows of any units, and the combinations of rows that vanish.

    rank       number of singular values above `RANK_TOLERANCE` of the largest, with rows scaled to length one
    smallest   the smallest of these singular values
    null       n with nᵀ J = 0, one in each column
    sizes      of the rows
    """

    rank: int
    smallest: float
    null: Array
    sizes: Array

    @classmethod
    def of(cls, J: Array, sizes: Array | None = None) -> RowSpace:
        """sizes: of the rows elsewhere, where they may have come near to zero here."""
        if not len(J):
            return cls(0, 1.0, np.zeros((0, 0)), np.zeros(0))
        sizes = sizes_of_rows(J) if sizes is None else sizes
        U, s, _ = np.linalg.svd(J / sizes[:, None])
        s = s / max(s[0], 1e-300) if len(s) else s
        rank = int(np.sum(s > RANK_TOLERANCE))
        return cls(rank, float(s[rank - 1]) if rank else 1.0, U[:, rank:] / sizes[:, None], sizes)

    @classmethod
    def full(cls, smallest: float, sizes: Sequence[float]) -> RowSpace:
        """Of independent rows of these sizes."""
        return cls(len(sizes), smallest, np.zeros((len(sizes), 0)), np.array(sizes))

    @property
    def condition(self) -> float:
        return 1 / self.smallest

    @property
    def border(self) -> Border | None:
        """The bordering that makes Jc M⁻¹ Jcᵀ regular here; None if it is regular already."""
        if not self.null.shape[1]:
            return None
        B = self.null * self.sizes[:, None] ** 2
        m, k = B.shape
        return Border(Matrix(m, k, tuple(as_expr(float(x)) for x in B.ravel())), tuple(map(float, self.sizes)))

    @property
    def dependent(self) -> tuple[DependentRow, ...]:
        """The rows that follow from others, later rows before earlier ones; as many as the rank is short of them.

        The left null space has a vector for each dependence. Rows are redundant together where their part of it is
        regular; there they can be written as combinations of the others.
        """
        sizes = np.max(np.abs(self.null), axis=1, initial=0.0)
        chosen = _independent_from_below(self.null / max(np.max(sizes, initial=0.0), 1e-300))
        weights = np.asarray(np.linalg.solve(self.null[chosen].T, self.null.T).T if chosen else self.null, np.float64)
        return tuple(DependentRow(i, *_combination(weights[:, j], chosen, i)) for j, i in enumerate(chosen))


def _combination(weights: Array, chosen: list[int], row: int) -> tuple[tuple[int, ...], dict[int, float]]:
    least = 1e-6 * float(np.max(np.abs(weights), initial=0.0))
    parts = {k: float(w) for k, w in enumerate(weights) if k == row or (k not in chosen and abs(w) > least)}
    return tuple(k for k in parts if k != row), parts


def sizes_of_rows(J: Array) -> Array:
    """Scales that make rows comparable: their length; a row that is negligible relative to the largest stays
    negligible."""
    sizes = np.linalg.norm(J, axis=1)
    largest = np.max(sizes, initial=0.0)
    return np.where(sizes > 1e-9 * largest, sizes, largest or 1.0)


def typical_sizes(eq: Equations, entries: Sequence[Expr], J: Array, values: Mapping[Any, float]) -> Array:
    """Sizes of the rows of a matrix around a configuration in which it is J: relative to them a row that nearly
    vanishes there is small."""
    own = np.linalg.norm(J, axis=1)
    if not len(own) or np.min(own) > FADED_ROW * np.max(own):
        return sizes_of_rows(J)
    random, sizes = Random(1), own
    for _ in range(SAMPLES):
        other = {
            v.symbol: _perturbed_value(values[v.symbol], v.is_angle, random.uniform(-1, 1))
            for v in eq.variables.of("q")
        }
        there = numbers_at(entries, {**values, **other}, J.shape[1])
        if there is not None:
            sizes = np.maximum(sizes, np.linalg.norm(there, axis=1))
    return np.where(sizes > 0, sizes, 1.0)


def _perturbed_value(x: float, is_angle: bool, by: float) -> float:
    return x + by if is_angle else x * (1 + by / 2)


def _independent_from_below(vectors: Array) -> list[int]:
    """As many rows as there are columns, independent of each other, the last ones that are."""
    chosen: list[int] = []
    basis = np.zeros((0, vectors.shape[1]))
    for i in reversed(range(len(vectors))):
        rest = vectors[i] - basis.T @ (basis @ vectors[i])
        if len(chosen) < vectors.shape[1] and np.linalg.norm(rest) > 1e-5:
            chosen.append(i)
            basis = np.linalg.qr(vectors[chosen].T)[0].T
    return chosen


def pivot_columns(J: Array, rank: int) -> list[int]:
    """`count` columns that determine the others, each the one with the largest remainder after projection on the
    previous ones."""
    left, chosen = J.copy(), list[int]()
    for _ in range(rank):
        sizes = np.linalg.norm(left, axis=0)
        j = int(np.argmax(sizes))
        chosen.append(j)
        direction = left[:, j] / sizes[j]
        left -= np.outer(direction, direction @ left)
        left[:, chosen] = 0.0
    return sorted(chosen)


def null_space(rows: Sequence[Sequence[float]], n: int) -> list[list[float]]:
    """Vectors z of n numbers with J z = 0, each with a one in a nonpivot column of its own."""
    J = np.array(rows, dtype=np.float64).reshape(len(rows), n)
    space = RowSpace.of(J)
    pivots = pivot_columns(J / space.sizes[:, None], space.rank)
    free = [j for j in range(n) if j not in pivots]
    Z = np.zeros((len(free), n))
    Z[range(len(free)), free] = 1.0
    if pivots and free:
        Z[:, pivots] = -np.linalg.lstsq(
            J[:, pivots] / space.sizes[:, None], J[:, free] / space.sizes[:, None], rcond=None
        )[0].T
    return Z.tolist()


def products(vectors: Sequence[Sequence[float]], M: Sequence[Sequence[float]]) -> list[list[float]]:
    """zᵢᵀ M zⱼ."""
    Z = np.array(vectors, dtype=np.float64).reshape(len(vectors), len(M))
    out: list[list[float]] = (Z @ np.array(M, dtype=np.float64) @ Z.T).tolist()
    return out


def is_definite(M: Sequence[Sequence[float]]) -> bool:
    """Whether a symmetric matrix is positive definite beyond doubt, whatever the units of its rows: with a unit diagonal,
    its eigenvalues are above `LEAST_EIGENVALUE`, so that less that multiple of 1 it has positive pivots."""
    n, diagonal = len(M), [row[i] for i, row in enumerate(M)]
    if not all(d > 0 for d in diagonal):
        return False
    if n > FEW_ROWS:
        size = np.sqrt(diagonal)
        return bool(np.min(np.linalg.eigvalsh(np.array(M) / np.outer(size, size))) > LEAST_EIGENVALUE)
    sizes = [math.sqrt(d) for d in diagonal]
    scaled = [x / (s * t) for row, s in zip(M, sizes, strict=True) for x, t in zip(row, sizes, strict=True)]
    scaled[:: n + 1] = [1.0 - LEAST_EIGENVALUE] * n
    pivots = definite_pivots(n, scaled)
    return len(pivots) == n and all(d > 0 for d in pivots)


def dependent_columns(J: Array, order: Sequence[int], kept: set[int]) -> list[int]:
    """Columns of full rank, chosen in order unless nearly dependent on those chosen before; also nearly dependent
    ones where that keeps the wanted ones independent. None if there are none."""
    if not J.size:
        return []
    scaled = J / np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-300)
    rank = int(np.linalg.matrix_rank(scaled, tol=1e-9))
    found: list[int] = []
    for least in (0.1, 0.01, 1e-7):
        chosen: list[int] = []
        left = scaled.copy()
        for j in order:
            if len(chosen) == rank:
                break
            sizes = np.linalg.norm(left, axis=0)
            if sizes[j] > least * sizes.max():
                chosen.append(j)
                direction = left[:, j] / sizes[j]
                left = left - np.outer(direction, direction @ left)
        if len(chosen) == rank:
            found = found or chosen
            if not kept & set(chosen):
                return chosen
    return found


def numbers_at(entries: Sequence[Expr], values: Mapping[Any, float], columns: int) -> Array | None:
    """A matrix with `columns` columns at some values; None if it has no value."""
    filled, out = [k for k, e in enumerate(entries) if e is not ZERO], np.zeros(len(entries))
    try:
        out[filled] = evaluate([entries[k] for k in filled], values)
    except (EvaluationError, OverflowError):
        return None
    return out.reshape(len(entries) // max(columns, 1), columns)
