"""Gaussian elimination of real and complex matrices with few entries, by an order that is known (`sparse_pattern.py`),
as kernels.

Pivots are not chosen by their size. One that is small beside the entries below it, each in units of its row, ends the
elimination: then another one, with pivots by size, has to be made.
"""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Indices, Numbers
from ...emit.loops.records import Struct

SMALL_PIVOT: Final = 1e-5  # ratio to the largest entry of its column below which the dense elimination takes over


class Sparse(Struct):
    """See `sparse_pattern.SparseOrder`; size is that of the matrix, 0 if it is not sparse.

    places, diagonals   where the entries of J, and those on the diagonal of variables with rates, go
    largest             1 / largest entry of each row (`scales`); x, y: memory for solutions
    """

    size: int
    filled: int
    entries: int
    places: Indices
    diagonals: Indices
    order: Indices
    row_of: Indices
    column_of: Indices
    diagonal: Indices
    first_below: Indices
    below: Indices
    below_rows: Indices
    first_right: Indices
    right: Indices
    right_columns: Indices
    targets: Indices
    largest: Numbers
    x: Numbers
    y: Numbers


def shift_matrix(s: Sparse, shift: float, mass: Numbers, entries: Numbers, a: Numbers) -> None:
    """shift E - J."""
    for i in range(s.filled):
        a[i] = 0.0
    for i in range(s.entries):
        a[s.places[i]] = -entries[i]
    for i in range(s.size):
        if mass[i] != 0.0:
            a[s.diagonals[i]] = a[s.diagonals[i]] + shift * mass[i]


def scales(s: Sparse, a: Numbers) -> None:
    """One over the largest entry of each row, in units of the largest of their columns: neither depends on units of
    variables."""
    for k in range(s.size):
        s.x[k] = 0.0
        s.largest[k] = 0.0
    for i in range(s.filled):
        s.x[s.column_of[i]] = max(s.x[s.column_of[i]], abs(a[i]))
    for i in range(s.filled):
        if a[i] != 0.0:
            s.largest[s.row_of[i]] = max(s.largest[s.row_of[i]], abs(a[i]) / s.x[s.column_of[i]])
    for k in range(s.size):
        s.largest[k] = 1.0 / s.largest[k] if s.largest[k] > 0.0 else 1.0


def sparse_factor(s: Sparse, a: Numbers) -> int:
    """A = L U in place, 1/diagonal(U) on the diagonal: 1, or 0 where a pivot is small."""
    scales(s, a)
    done = 0
    for k in range(s.size):
        pivot = a[s.diagonal[k]]
        for i in range(s.first_below[k], s.first_below[k + 1]):
            if abs(pivot) * s.largest[k] < SMALL_PIVOT * abs(a[s.below[i]]) * s.largest[s.below_rows[i]]:
                return 0
        if pivot == 0.0:
            return 0
        a[s.diagonal[k]] = 1.0 / pivot
        for i in range(s.first_below[k], s.first_below[k + 1]):
            factor = a[s.below[i]] / pivot
            a[s.below[i]] = factor
            for j in range(s.first_right[k], s.first_right[k + 1]):
                a[s.targets[done]] = a[s.targets[done]] - factor * a[s.right[j]]
                done = done + 1
    return 1


def sparse_solve(s: Sparse, a: Numbers, b: Numbers) -> None:
    """The solution of A x = b with the factors of `sparse_factor`, in place of b."""
    for k in range(s.size):
        s.x[k] = b[s.order[k]]
    for k in range(s.size):
        t = s.x[k]
        for i in range(s.first_below[k], s.first_below[k + 1]):
            s.x[s.below_rows[i]] = s.x[s.below_rows[i]] - a[s.below[i]] * t
    for m in range(s.size):
        row: int = s.size - 1 - m
        t = s.x[row]
        for j in range(s.first_right[row], s.first_right[row + 1]):
            t = t - a[s.right[j]] * s.x[s.right_columns[j]]
        s.x[row] = t * a[s.diagonal[row]]
    for k in range(s.size):
        b[s.order[k]] = s.x[k]


def sparse_complex_factor(s: Sparse, re: Numbers, im: Numbers) -> int:
    """As `sparse_factor`; the matrix differs from that of the real one on the diagonal only, so that the same scales
    serve."""
    done = 0
    for k in range(s.size):
        d = s.diagonal[k]
        size = abs(re[d]) + abs(im[d])
        for i in range(s.first_below[k], s.first_below[k + 1]):
            at = s.below[i]
            if size * s.largest[k] < SMALL_PIVOT * (abs(re[at]) + abs(im[at])) * s.largest[s.below_rows[i]]:
                return 0
        if size == 0.0:
            return 0
        square = re[d] * re[d] + im[d] * im[d]
        re[d] = re[d] / square
        im[d] = -im[d] / square
        for i in range(s.first_below[k], s.first_below[k + 1]):
            at = s.below[i]
            x = re[at] * re[d] - im[at] * im[d]
            y = re[at] * im[d] + im[at] * re[d]
            re[at] = x
            im[at] = y
            for j in range(s.first_right[k], s.first_right[k + 1]):
                to = s.targets[done]
                of = s.right[j]
                re[to] = re[to] - x * re[of] + y * im[of]
                im[to] = im[to] - x * im[of] - y * re[of]
                done = done + 1
    return 1


def sparse_complex_solve(s: Sparse, re: Numbers, im: Numbers, b: Numbers, c: Numbers) -> None:
    """The solution of A (x + i y) = b + i c with the factors of `sparse_complex_factor`, in place of b and c."""
    for k in range(s.size):
        s.x[k] = b[s.order[k]]
        s.y[k] = c[s.order[k]]
    for k in range(s.size):
        x = s.x[k]
        y = s.y[k]
        for i in range(s.first_below[k], s.first_below[k + 1]):
            to = s.below_rows[i]
            at = s.below[i]
            s.x[to] = s.x[to] - re[at] * x + im[at] * y
            s.y[to] = s.y[to] - re[at] * y - im[at] * x
    for m in range(s.size):
        row: int = s.size - 1 - m
        x = s.x[row]
        y = s.y[row]
        for j in range(s.first_right[row], s.first_right[row + 1]):
            at = s.right[j]
            column = s.right_columns[j]
            x = x - re[at] * s.x[column] + im[at] * s.y[column]
            y = y - re[at] * s.y[column] - im[at] * s.x[column]
        d = s.diagonal[row]
        s.x[row] = x * re[d] - y * im[d]
        s.y[row] = x * im[d] + y * re[d]
    for k in range(s.size):
        b[s.order[k]] = s.x[k]
        c[s.order[k]] = s.y[k]
