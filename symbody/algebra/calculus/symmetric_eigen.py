"""Eigenvalues and eigenvectors of symmetric matrices of numbers, for stages that compute without arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

Rows = list[list[float]]

MAX_SWEEPS: Final = 60  # over all pairs of rows; the last ones double the digits
OFF_DIAGONAL: Final = 1e-30  # fraction of the squares on the diagonal at which the others count as zero


def symmetric_eigen(A: Sequence[Sequence[Any]]) -> tuple[list[float], Rows]:
    """Eigenvalues of a symmetric matrix of numbers, not sorted, and its eigenvectors as columns, by Jacobi's rotations
    (Golub and Van Loan, Matrix Computations, 8.5); each eigenvalue to rounding of the largest.

    >>> values, vectors = sb.algebra.symmetric_eigen([[2, 1], [1, 2]])
    >>> sorted(round(v, 12) for v in values)
    [1.0, 3.0]
    >>> [[round(abs(x), 6) for x in row] for row in vectors]
    [[0.707107, 0.707107], [0.707107, 0.707107]]

    See also: `algebra.factorize`, `algebra.determinant`.
    """
    n = len(A)
    size = _power_of_two(max((abs(float(x)) for row in A for x in row), default=0.0))
    B = [[float(x) / size for x in row] for row in A]
    V = [[float(i == j) for j in range(n)] for i in range(n)]
    for _ in range(MAX_SWEEPS):
        off = sum(B[i][j] ** 2 for i in range(n) for j in range(i))
        if off <= OFF_DIAGONAL * sum(B[i][i] ** 2 for i in range(n)):
            break
        for p in range(n):
            for q in range(p + 1, n):
                if B[p][q]:
                    _rotate(B, V, p, q)
    return [size * B[i][i] for i in range(n)], V


def _power_of_two(x: float) -> float:
    """A power of two of the size of x: division by it rounds nothing."""
    return 2.0 ** (math.frexp(x)[1] - 1)


def _rotate(A: Rows, V: Rows, p: int, q: int) -> None:
    half = (A[q][q] - A[p][p]) / (2 * A[p][q])
    t = math.copysign(1.0, half) / (abs(half) + math.hypot(half, 1.0))
    c = 1 / math.hypot(t, 1.0)
    s = t * c
    for k in range(len(A)):
        A[k][p], A[k][q] = c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]
    for k in range(len(A)):
        A[p][k], A[q][k] = c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]
    for row in V:
        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
