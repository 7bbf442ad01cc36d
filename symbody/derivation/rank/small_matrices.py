"""Ranks, dependent rows, null vectors and minimum-norm solutions of small matrices, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...algebra.elimination import elimination

Rows = list[list[float]]


def size(x: Sequence[float]) -> float:
    return max(map(abs, x), default=0.0)


@dataclass(frozen=True)
class Dependence:
    """A row that depends on rows before it: Σ weights[j] row_j = 0, with weights[row] = 1."""

    row: int
    weights: dict[int, float]


def dependent_rows(rows: Rows, tolerance: float = 1e-8) -> list[Dependence]:
    """The rows that are combinations of earlier ones, by elimination with the largest entry of each row as its
    pivot."""
    m, n = len(rows), len(rows[0]) if rows else 0
    a, columns, out = _flat(rows), dict[int, int](), list[Dependence]()  # the column of each pivot, by its row
    largest = max(map(size, rows), default=0.0)
    for i, row in enumerate(rows):
        free = [j for j in range(n) if j not in columns.values()]
        column = max(free, key=lambda j: abs(a[i * n + j]), default=0)
        if not free or abs(a[i * n + column]) <= tolerance * max(size(row), 1e-6 * largest) or size(row) == 0:
            weights = {i: 1.0} | {k: -a[i * n + c] for k, c in columns.items()}
            least = 1e-7 * size(list(weights.values()))
            out.append(Dependence(i, {k: w for k, w in weights.items() if abs(w) > least}))
        else:
            elimination.eliminate(i, column, 0, m, n, a)
            columns[i] = column
    return out


def rank(rows: Rows, tolerance: float = 1e-8) -> int:
    return len(rows) - len(dependent_rows(rows, tolerance))


@dataclass(frozen=True)
class Reduced:
    """A matrix after elimination with complete pivoting: pivot rows and columns in order of choice, and vectors that
    span its null space."""

    rows: list[int]
    columns: list[int]
    null_space: Rows


def pivoted_elimination(matrix: Rows, n: int, tolerance: float = 1e-8, forbidden: Sequence[int] = ()) -> Reduced:
    """Elimination of a matrix with n columns by the largest pivots; `forbidden` columns are taken as pivots only when no
    other is left."""
    a, m = _flat(matrix), len(matrix)
    rows, columns = list(range(m)), list[int]()
    least = tolerance * max(map(size, matrix), default=0.0)
    for allowed in ([j for j in range(n) if j not in forbidden], list(range(n))):
        while True:
            k = len(columns)
            left = [(abs(a[i * n + j]), rows[i], j, i) for i in range(k, m) for j in allowed if j not in columns]
            if not left or (best := max(left))[0] <= least:
                break
            *_, column, row = best
            elimination.exchange_rows(k, row, n, a)
            elimination.eliminate(k, column, 0, m, n, a)
            rows[k], rows[row] = rows[row], rows[k]
            columns.append(column)
    free = [j for j in range(n) if j not in columns]
    return Reduced(rows[: len(columns)], columns, [_null_vector(a, n, columns, j) for j in free])


def _null_vector(a: list[float], n: int, columns: Sequence[int], free: int) -> list[float]:
    """One for a column without a pivot, and for those with pivots what the rows say."""
    out = [0.0] * n
    out[free] = 1.0
    for k in reversed(range(len(columns))):
        rest = a[k * n + free] + sum(a[k * n + c] * out[c] for c in columns[k + 1 :])
        out[columns[k]] = -rest / a[k * n + columns[k]]
    return out


def _flat(rows: Rows) -> list[float]:
    return [x for row in rows for x in row]


def least_norm(J: Rows, r: Sequence[float], damping: float = 1e-15) -> list[float]:
    """The smallest x with J x = r: Jᵀ (J Jᵀ + μ 1)⁻¹ r, μ being `damping` times the largest entry on the diagonal."""
    k = len(J)
    A = [_dot(a, b) for a in J for b in J]
    level = damping * max((A[i * k + i] for i in range(k)), default=0.0) + 1e-300
    for i in range(k):
        A[i * k + i] += level
    y, p = list(r), [0] * k
    elimination.general_factor(k, A, p)
    elimination.general_solve(k, A, p, y)
    return [sum(J[i][j] * y[i] for i in range(k)) for j in range(len(J[0]))]


def tangent_basis(J: Rows, n: int) -> tuple[Rows, int]:
    """Orthonormal vectors z with J z = 0, and the rank of J, by Gram and Schmidt (each projection done twice)."""
    normal: Rows = []
    for row in J:
        _extend(normal, row, 1e-9)
    everything = list(normal)
    for j in range(n):
        _extend(everything, [float(i == j) for i in range(n)], 1e-7)
    return everything[len(normal) :], len(normal)


def _extend(basis: Rows, v: list[float], least: float) -> None:
    size = math.sqrt(_dot(v, v))
    if size == 0:
        return
    w = [x / size for x in v]
    for _ in range(2):
        for b in basis:
            part = _dot(w, b)
            w = [x - part * y for x, y in zip(w, b, strict=True)]
    rest = math.sqrt(_dot(w, w))
    if rest > least:
        basis.append([x / rest for x in w])


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))
