"""Elimination with complete pivoting, P A Q = L U, as kernels: for matrices of any rank, with any number of right
sides, and for combinations of rows that vanish.

Rows that follow from others end it, and unknowns that nothing determines are zero.
"""

from __future__ import annotations

from typing import Final

from ...algebra.elimination.elimination import eliminate, exchange_rows
from ...emit.loops.kernel_language import Indices, Numbers

# of dependent rows the first whose pivot is above this fraction of the best is taken, so that the choice does not
# alternate between equal ones
PIVOT_PREFERENCE: Final = 0.5


def eliminate_completely(
    m: int, n: int, most: int, allowed: int, least: float, a: Numbers, rows: Indices, columns: Indices, quality: Numbers
) -> int:
    """P C Q = L U of m rows and n columns with pivots in the first `allowed` of `columns`, `most` of them. Returns the
    rank: pivots that are no more than a part `least` of the largest are rounding.

    a is overwritten by L and U in their new order; `quality` gets the smallest pivot that counts.
    """
    quality[0] = 1.0
    largest = 0.0
    for k in range(most):
        best = 0.0
        row: int = k
        column: int = k
        for i in range(k, m):
            for j in range(k, allowed):
                x = abs(a[i * n + j])
                if x > best and (most == m or x * PIVOT_PREFERENCE > best or i == row):
                    best = x
                    row = i
                    column = j
        largest = max(largest, best)
        if not best > least * largest:
            return k
        quality[0] = best
        exchange(m, n, k, row, column, a, rows, columns)
        eliminate(k, k, k + 1, m, n, a)
    return most


def exchange(m: int, n: int, k: int, row: int, column: int, a: Numbers, rows: Indices, columns: Indices) -> None:
    """Put a pivot at (k, k)."""
    exchange_rows(k, row, n, a)
    for i in range(m):
        t = a[i * n + k]
        a[i * n + k] = a[i * n + column]
        a[i * n + column] = t
    x: int = rows[k]
    rows[k] = rows[row]
    rows[row] = x
    x = columns[k]
    columns[k] = columns[column]
    columns[column] = x


def solve_eliminated(
    n: int, rank: int, count: int, a: Numbers, rows: Indices, columns: Indices, r: Numbers, y: Numbers, x: Numbers
) -> None:
    """Solutions for `count` right sides, one beside another in r and x; y is memory for them."""
    for i in range(rank):
        for c in range(count):
            y[i * count + c] = r[rows[i] * count + c]
        for j in range(i):
            t = a[i * n + j]
            if t != 0.0:
                for c in range(count):
                    y[i * count + c] = y[i * count + c] - t * y[j * count + c]
    for j in range(n * count):
        x[j] = 0.0
    for back in range(rank):
        k: int = rank - 1 - back
        at = columns[k] * count
        for j in range(k + 1, rank):
            t = a[k * n + j]
            for c in range(count):
                y[k * count + c] = y[k * count + c] - t * x[columns[j] * count + c]
        for c in range(count):
            x[at + c] = y[k * count + c] / a[k * n + k]


def solve_transposed(
    n: int, rank: int, count: int, a: Numbers, rows: Indices, columns: Indices, r: Numbers, y: Numbers, x: Numbers
) -> None:
    """The same with the transposed matrix: what `solve_eliminated` does to right sides is a matrix, and this is its
    transpose, for matrices of any rank."""
    for i in range(rank):
        for c in range(count):
            y[i * count + c] = r[columns[i] * count + c]
        for j in range(i):
            t = a[j * n + i]
            if t != 0.0:
                for c in range(count):
                    y[i * count + c] = y[i * count + c] - t * y[j * count + c]
        for c in range(count):
            y[i * count + c] = y[i * count + c] / a[i * n + i]
    for j in range(n * count):
        x[j] = 0.0
    for back in range(rank):
        k: int = rank - 1 - back
        at = rows[k] * count
        for j in range(k + 1, rank):
            t = a[j * n + k]
            if t != 0.0:
                for c in range(count):
                    y[k * count + c] = y[k * count + c] - t * x[rows[j] * count + c]
        for c in range(count):
            x[at + c] = y[k * count + c]


def vanishing_combination(n: int, rank: int, row: int, a: Numbers, rows: Indices, out: Numbers) -> None:
    """Weights of the rows of A whose sum is zero: one of row `row` of P A, of rank or higher, and of rows before it.

    With L₁ of the first `rank` rows, and l of this one, the weights of those are -y with L₁ᵀ y = l.
    """
    for k in range(rank):
        i: int = rank - 1 - k
        t = -a[row * n + i]
        for j in range(i + 1, rank):
            t = t - a[j * n + i] * out[rows[j]]
        out[rows[i]] = t
    out[rows[row]] = 1.0
