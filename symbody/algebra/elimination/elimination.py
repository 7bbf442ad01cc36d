"""Gaussian elimination of dense matrices, written once.

Everything in the package that eliminates unknowns from real numbers or expressions runs these functions, with pivots of
its own choice where it needs them: `integrate/elimination_kernels/complete_pivoting.py` takes the largest of a whole matrix,
`derivation/rank/small_matrices.py` looks for ranks. What has another arithmetic or another memory is written beside
them, each once: complex numbers in two arrays (`complex_elimination.py`), and matrices with few entries, real and
complex (`sparse_elimination.py`), both in `integrate/kernels`, and definite ones by rows (`sparse_factor.py`). `tests/test_architecture.py` holds the list.

The functions use nothing but loops, subscripts and arithmetic, so that the same text is
- run as it stands on numbers of any kind (exact, complex, many digits) and on expressions,
- translated into LLVM and into every target language when a system is solved by a loop (`emit/loops/program_kernels.py`).

Matrices are flat lists, row after row: entry (i, j) of an n by n matrix is a[i * n + j]. Inner loops run along rows.
All work in place.
"""

# The element type is whatever the caller computes with: the translators of `emit` read these functions as text.
from contextlib import suppress
from typing import Any


def definite_factor(n: int, a: list[Any]) -> None:
    """A = L D Lᵀ of a symmetric matrix whose leading minors are not zero; reads the upper triangle only.

    Leaves 1/D on the diagonal, L below it, D Lᵀ above it.
    """
    for k in range(n):
        a[k * n + k] = 1 / a[k * n + k]
        for i in range(k + 1, n):
            t = a[k * n + i] * a[k * n + k]
            a[i * n + k] = t
            for j in range(i, n):
                a[i * n + j] = a[i * n + j] - t * a[k * n + j]


def definite_pivots(n: int, a: list[float]) -> list[float]:
    """D of A = L D Lᵀ, up to the first pivot that is not positive; a is overwritten by the factors."""
    with suppress(ZeroDivisionError):  # a pivot that is zero stays where it is
        definite_factor(n, a)
    out: list[float] = []
    for k in range(n):
        out.append(1 / a[k * n + k] if a[k * n + k] else 0.0)
        if not out[-1] > 0:
            break
    return out


def definite_solve(n: int, a: list[Any], x: list[Any]) -> None:
    """Solve L D Lᵀ x = b with the factors of `definite_factor`; x holds b on entry."""
    for k in range(n):
        t = x[k] * a[k * n + k]
        x[k] = t
        for i in range(k + 1, n):
            x[i] = x[i] - t * a[k * n + i]
    for m in range(n):
        t = x[n - 1 - m]
        for k in range(n - 1 - m):
            x[k] = x[k] - t * a[(n - 1 - m) * n + k]


def definite_solve_rows(n: int, first: int, a: list[Any], x: list[Any]) -> None:
    """Solve L D Lᵀ x = b row by row, two at a time; x holds b on entry, which is zero before row `first`.

    For many right sides, where a number of x is a row of them: what two rows subtract is loaded once, and both stay in
    registers until they are done. (`definite_solve` stores what it has changed again and again, but has no sums to wait for.)
    """
    for i in range(first, n - 1, 2):
        s = x[i]
        t = x[i + 1]
        for k in range(first, i):
            s = s - a[i * n + k] * x[k]
            t = t - a[(i + 1) * n + k] * x[k]
        x[i] = s
        x[i + 1] = t - a[(i + 1) * n + i] * s
    for i in range(n - (n - first) % 2, n):
        t = x[i]
        for k in range(first, i):
            t = t - a[i * n + k] * x[k]
        x[i] = t
    for m in range(0, n - 1, 2):
        s = x[n - 1 - m]
        t = x[n - 2 - m]
        for k in range(n - m, n):
            s = s - a[(n - 1 - m) * n + k] * x[k]
            t = t - a[(n - 2 - m) * n + k] * x[k]
        s = s * a[(n - 1 - m) * n + n - 1 - m]
        x[n - 1 - m] = s
        x[n - 2 - m] = (t - a[(n - 2 - m) * n + n - 1 - m] * s) * a[(n - 2 - m) * n + n - 2 - m]
    for i in range(n % 2):
        t = x[i]
        for k in range(i + 1, n):
            t = t - a[i * n + k] * x[k]
        x[i] = t * a[i * n + i]


def general_factor(n: int, a: list[Any], p: list[int]) -> None:
    """P A = L U with partial pivoting. Leaves L below the diagonal, U above it and 1/diagonal(U) on it, row order in p."""
    for k in range(n):
        p[k] = k
        for i in range(k + 1, n):
            if abs(a[i * n + k]) > abs(a[p[k] * n + k]):
                p[k] = i
        for j in range(n):
            t = a[k * n + j]
            a[k * n + j] = a[p[k] * n + j]
            a[p[k] * n + j] = t
        a[k * n + k] = 1 / a[k * n + k]
        for i in range(k + 1, n):
            t = a[i * n + k] * a[k * n + k]
            a[i * n + k] = t
            for j in range(k + 1, n):
                a[i * n + j] = a[i * n + j] - t * a[k * n + j]


def general_solve(n: int, a: list[Any], p: list[int], x: list[Any]) -> None:
    """Solve A x = b with the factors of `general_factor`; x holds b on entry."""
    for k in range(n):
        t = x[k]
        x[k] = x[p[k]]
        x[p[k]] = t
    for i in range(n):
        t = x[i]
        for k in range(i):
            t = t - a[i * n + k] * x[k]
        x[i] = t
    for m in range(n):
        t = x[n - 1 - m]
        for k in range(n - m, n):
            t = t - a[(n - 1 - m) * n + k] * x[k]
        x[n - 1 - m] = t * a[(n - 1 - m) * n + n - 1 - m]


def general_solve_transposed(n: int, a: list[Any], p: list[int], x: list[Any]) -> None:
    """Solve Aᵀ x = b with the factors of `general_factor`; x holds b on entry."""
    for k in range(n):
        t = x[k] * a[k * n + k]
        x[k] = t
        for i in range(k + 1, n):
            x[i] = x[i] - t * a[k * n + i]
    for m in range(n):
        t = x[n - 1 - m]
        for k in range(n - 1 - m):
            x[k] = x[k] - t * a[(n - 1 - m) * n + k]
    for m in range(n):
        t = x[n - 1 - m]
        x[n - 1 - m] = x[p[n - 1 - m]]
        x[p[n - 1 - m]] = t


# ---------------------------------------------------------------------------------------------- rows with more columns


def eliminate(row: int, column: int, first: int, rows: int, width: int, a: list[Any]) -> None:
    """Rows below one, less multiples of it that make their entries in a column vanish:

        a_ij <- a_ij - t_i a_rj,   t_i = a_ic / a_rc,   i = r + 1 ... rows - 1,   j = first ... width - 1

    t_i takes the place of a_ic. Where pivots are brought to the diagonal (c = r, first = r + 1) these are L of P A Q =
    L U. Where columns stay in place (first = 0) row i has become the original one less Σ_k a_ic(k) times the original
    rows k of the pivots, whose columns are c(k).
    """
    for i in range(row + 1, rows):
        t = a[i * width + column] / a[row * width + column]
        if t != 0.0:
            for j in range(first, width):
                a[i * width + j] = a[i * width + j] - t * a[row * width + j]
            a[i * width + column] = t


def exchange_rows(i: int, k: int, width: int, a: list[Any]) -> None:
    """Row i in the place of row k, and the other way round."""
    for j in range(width):
        t = a[i * width + j]
        a[i * width + j] = a[k * width + j]
        a[k * width + j] = t


def eliminate_columns(columns: int, candidates: int, rows: int, width: int, a: list[Any]) -> None:
    """The first columns of rows of `width` numbers, one after another, with partial pivoting among the first
    `candidates` rows: row k then begins with its pivot in column k, and rows from `columns` on have nothing to do with
    these unknowns (t of `eliminate` is left in their places)."""
    for k in range(columns):
        best: int = k
        for i in range(k + 1, candidates):
            if abs(a[i * width + k]) > abs(a[best * width + k]):
                best = i
        if best != k:
            exchange_rows(k, best, width, a)
        eliminate(k, k, k + 1, rows, width, a)


def solve_columns(n: int, width: int, a: list[Any]) -> None:
    """A X = B of n rows [A B] of `width` numbers: X takes the place of B."""
    eliminate_columns(n, n, n, width, a)
    for m in range(n):
        k: int = n - 1 - m
        for i in range(k + 1, n):
            t = a[k * width + i]
            for j in range(n, width):
                a[k * width + j] = a[k * width + j] - t * a[i * width + j]
        t = 1 / a[k * width + k]
        for j in range(n, width):
            a[k * width + j] = a[k * width + j] * t
