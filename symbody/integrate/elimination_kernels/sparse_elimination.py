"""Gaussian elimination of real and complex matrices with few entries, by an order that is known (`sparse_pattern.py`),
as kernels: row after row, each of which is brought into a full row of numbers and back.
Memory of factors has room for that row behind the entries.

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

    given               the variables of right sides and solutions; the others have zero on the right side
    places, diagonals   where the entries of J, and those on the diagonal of variables with rates, go
    smallest            a pivot may not be smaller beside entries below it
    largest             1 / largest entry of each row (`scales`); x, y: memory for solutions
    """

    size: int
    given: int
    filled: int
    entries: int
    places: Indices
    diagonals: Indices
    order: Indices
    row_of: Indices
    first: Indices
    columns: Indices
    diagonal: Indices
    smallest: float
    largest: Numbers
    x: Numbers
    y: Numbers


def shift_matrix(s: Sparse, shift: float, mass: Numbers, entries: Numbers, a: Numbers) -> None:
    """shift E - J."""
    for i in range(s.filled):
        a[i] = 0.0
    for i in range(s.entries):
        a[s.places[i]] = a[s.places[i]] - entries[i]
    for i in range(s.given):
        if mass[i] != 0.0:
            a[s.diagonals[i]] = a[s.diagonals[i]] + shift * mass[i]


def scales(s: Sparse, a: Numbers) -> None:
    """One over the largest entry of each row, in units of the largest of their columns: neither depends on units of
    variables."""
    for k in range(s.size):
        s.x[k] = 0.0
        s.largest[k] = 0.0
    for i in range(s.filled):
        s.x[s.columns[i]] = max(s.x[s.columns[i]], abs(a[i]))
    for i in range(s.filled):
        if a[i] != 0.0:
            s.largest[s.row_of[i]] = max(s.largest[s.row_of[i]], abs(a[i]) / s.x[s.columns[i]])
    for k in range(s.size):
        s.largest[k] = 1.0 / s.largest[k] if s.largest[k] > 0.0 else 1.0


def sparse_factor(s: Sparse, a: Numbers) -> int:
    """A = L U in place, 1/diagonal(U) on the diagonal: 1, or 0 where a pivot is small. Behind the entries is a full row."""
    scales(s, a)
    full: int = s.filled
    for i in range(s.size):
        d: int = s.diagonal[i]
        for j in range(s.first[i], s.first[i + 1]):
            a[full + s.columns[j]] = a[j]
        for j in range(s.first[i], d):
            k: int = s.columns[j]
            factor = a[full + k] * a[s.diagonal[k]]
            if abs(factor) * s.largest[i] * s.smallest > s.largest[k]:
                return 0
            a[j] = factor
            for m in range(s.diagonal[k] + 1, s.first[k + 1]):
                a[full + s.columns[m]] = a[full + s.columns[m]] - factor * a[m]
        for j in range(d + 1, s.first[i + 1]):
            a[j] = a[full + s.columns[j]]
        pivot = a[full + i]
        if pivot == 0.0:
            return 0
        a[d] = 1.0 / pivot
    return 1


def sparse_solve(s: Sparse, a: Numbers, b: Numbers) -> None:
    """The solution of A x = b with the factors of `sparse_factor`, in place of b."""
    for k in range(s.size):
        t = 0.0
        if s.order[k] < s.given:
            t = b[s.order[k]]
        for j in range(s.first[k], s.diagonal[k]):
            t = t - a[j] * s.x[s.columns[j]]
        s.x[k] = t
    for m in range(s.size):
        row: int = s.size - 1 - m
        t = s.x[row]
        for j in range(s.diagonal[row] + 1, s.first[row + 1]):
            t = t - a[j] * s.x[s.columns[j]]
        s.x[row] = t * a[s.diagonal[row]]
        if s.order[row] < s.given:
            b[s.order[row]] = s.x[row]


def sparse_complex_factor(s: Sparse, re: Numbers, im: Numbers) -> int:
    """As `sparse_factor`; the matrix differs from that of the real one on the diagonal only, so that the same scales
    serve."""
    full: int = s.filled
    for i in range(s.size):
        d: int = s.diagonal[i]
        for j in range(s.first[i], s.first[i + 1]):
            re[full + s.columns[j]] = re[j]
            im[full + s.columns[j]] = im[j]
        for j in range(s.first[i], d):
            k: int = s.columns[j]
            c: int = s.diagonal[k]
            x = re[full + k] * re[c] - im[full + k] * im[c]
            y = re[full + k] * im[c] + im[full + k] * re[c]
            if (abs(x) + abs(y)) * s.largest[i] * s.smallest > s.largest[k]:
                return 0
            re[j] = x
            im[j] = y
            for m in range(c + 1, s.first[k + 1]):
                to: int = full + s.columns[m]
                re[to] = re[to] - x * re[m] + y * im[m]
                im[to] = im[to] - x * im[m] - y * re[m]
        for j in range(d + 1, s.first[i + 1]):
            re[j] = re[full + s.columns[j]]
            im[j] = im[full + s.columns[j]]
        x = re[full + i]
        y = im[full + i]
        square = x * x + y * y
        if square == 0.0:
            return 0
        re[d] = x / square
        im[d] = -y / square
    return 1


def sparse_complex_solve(s: Sparse, re: Numbers, im: Numbers, b: Numbers, c: Numbers) -> None:
    """The solution of A (x + i y) = b + i c with the factors of `sparse_complex_factor`, in place of b and c."""
    for k in range(s.size):
        x = 0.0
        y = 0.0
        if s.order[k] < s.given:
            x = b[s.order[k]]
            y = c[s.order[k]]
        for j in range(s.first[k], s.diagonal[k]):
            of: int = s.columns[j]
            x = x - re[j] * s.x[of] + im[j] * s.y[of]
            y = y - re[j] * s.y[of] - im[j] * s.x[of]
        s.x[k] = x
        s.y[k] = y
    for m in range(s.size):
        row: int = s.size - 1 - m
        x = s.x[row]
        y = s.y[row]
        for j in range(s.diagonal[row] + 1, s.first[row + 1]):
            of = s.columns[j]
            x = x - re[j] * s.x[of] + im[j] * s.y[of]
            y = y - re[j] * s.y[of] - im[j] * s.x[of]
        d: int = s.diagonal[row]
        s.x[row] = x * re[d] - y * im[d]
        s.y[row] = x * im[d] + y * re[d]
        if s.order[row] < s.given:
            b[s.order[row]] = s.x[row]
            c[s.order[row]] = s.y[row]
