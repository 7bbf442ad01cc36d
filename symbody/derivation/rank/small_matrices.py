"""Ranks, dependent rows, null vectors and minimum-norm solutions of small matrices, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...algebra.graph import elimination

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
    largest = max((size(r) for r in rows), default=0.0)
    basis: list[tuple[int, list[float], dict[int, float]]] = []
    out = []
    for i, row in enumerate(rows):
        v, weights = list(row), {i: 1.0}
        for pivot, known, parts in basis:
            if factor := v[pivot] / known[pivot]:
                v = [a - factor * b for a, b in zip(v, known, strict=True)]
                v[pivot] = 0.0
                for j, w in parts.items():
                    weights[j] = weights.get(j, 0.0) - factor * w
        if size(v) <= tolerance * max(size(row), 1e-6 * largest) or size(row) == 0:
            out.append(
                Dependence(i, {j: w for j, w in weights.items() if abs(w) > 1e-7 * size(list(weights.values()))})
            )
        else:
            basis.append((max(range(len(v)), key=lambda j: abs(v[j])), v, weights))
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


def gauss_jordan(matrix: Rows, n: int, tolerance: float = 1e-8, forbidden: Sequence[int] = ()) -> Reduced:
    """Gauss-Jordan elimination of a matrix with n columns; `forbidden` columns are taken as pivots only when no other
    is left."""
    A, rows, columns = [list(r) for r in matrix], [], []
    least = tolerance * max((size(r) for r in A), default=0.0)
    for allowed in ([j for j in range(n) if j not in forbidden], list(range(n))):
        while True:
            left = [(abs(A[i][j]), i, j) for i in range(len(A)) if i not in rows for j in allowed if j not in columns]
            if not left or (best := max(left))[0] <= least:
                break
            _, p, c = best
            rows.append(p)
            columns.append(c)
            A[p] = [x / A[p][c] for x in A[p]]
            for i in range(len(A)):
                if i != p and A[i][c]:
                    factor = A[i][c]
                    A[i] = [x - factor * y for x, y in zip(A[i], A[p], strict=True)]
    null_space = []
    for j in (j for j in range(n) if j not in columns):
        vector = [0.0] * n
        vector[j] = 1.0
        for p, c in zip(rows, columns, strict=True):
            vector[c] = -A[p][j]
        null_space.append(vector)
    return Reduced(rows, columns, null_space)


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
