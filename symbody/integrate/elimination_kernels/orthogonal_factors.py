"""Motions that constraints allow: a basis Z of the null space of Jc, and a way to meet given values, as kernels.

    Jc Z = 0,      Jc x = r  ->  x = G r

Three of them, each for a matrix of known rank, which leaves out rows of Jc that follow from others:

    partition   dependent and independent speeds: Z = [1; -C_d⁻¹ C_i], G r = [0; C_d⁻¹ r]       Neweul-M² eq. 12
    reflect     Jcᵀ = [Q1 Q2] [R1; 0]: Z = Q2, G r = Q1 R1⁻ᵀ r                                  eq. 20 to 24
    rotate      Jcᵀ = [U1 U2] [Σ; 0] Vᵀ: Z = U2, G r = U1 Σ⁻¹ Vᵀ r                              eq. 25 to 28

m is the number of rows of Jc, n that of its columns. Z is stored vector after vector.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.kernel_language import Indices, Numbers
from .complete_pivoting import PIVOT_PREFERENCE, eliminate_completely

ZERO_PIVOT: Final = 1e-14  # pivots, lengths and singular values below this are rounding; rows are scaled to length one
ZERO_ROTATION: Final = 2.3e-16  # columns are orthogonal whose product is below this fraction of their squared lengths
MAX_SWEEPS: Final = 40  # of Jacobi rotations over all pairs of columns
PIVOT_DECLINE: Final = 0.1  # independent speeds are chosen anew when their smallest pivot falls to this fraction
PIVOT_DECLINE_IN_STEP: Final = 1e-4  # the same inside a step


def scale_rows(m: int, n: int, J: Numbers, r: Numbers, lengths: Numbers) -> None:
    """Scale the rows of J, and r with them, to length one: results do not depend on units of rows."""
    for i in range(m):
        total = 0.0
        for j in range(n):
            total = total + J[i * n + j] * J[i * n + j]
        lengths[i] = sqrt(total) if total > 0.0 else 1.0
        for j in range(n):
            J[i * n + j] = J[i * n + j] / lengths[i]
        r[i] = r[i] / lengths[i]


# ---------------------------------------------------------------------------------------------------------- elimination


def partition(m: int, n: int, given: int, decides: int, J: Numbers, a: Numbers, rows: Indices, columns: Indices, kept: Indices,
              quality: Numbers) -> int:  # fmt: skip
    """Elimination with the independent speeds that were given, else those of the last time, else any.

    given     how many speeds were given as independent: they are taken where they are good enough
    decides   whether the choice may change. Off the constraints different choices have different accelerations; inside
              a step they must not
    kept      columns in the order of the last time, with their rank in kept[n]; -1 there if there was none.
              From kept[n + 1] on: the columns with those given at the end, then the rank that Jc has
    quality   of the elimination; in quality[1] what those given must have, in quality[2] what the choice of the last
              time had when made
    """
    rank: int = 0
    most: int = kept[2 * n + 1]
    if decides == 1 and given > 0:
        begin(m, n, J, a, rows, columns, kept[n + 1 :])
        rank = eliminate_completely(m, n, most, n - given, ZERO_PIVOT, a, rows, columns, quality)
        if quality[0] >= quality[1] and n - rank == given:
            keep(n, rank, columns, kept, quality)
            return rank
    if kept[n] >= 0:
        begin(m, n, J, a, rows, columns, kept)
        rank = eliminate_completely(m, n, most, kept[n], ZERO_PIVOT, a, rows, columns, quality)
        worst = PIVOT_DECLINE if decides == 1 else PIVOT_DECLINE_IN_STEP
        if quality[0] >= worst * quality[2] and rank == kept[n]:
            return rank
    begin(m, n, J, a, rows, columns, kept[n + 1 :])
    rank = eliminate_completely(m, n, most, n, ZERO_PIVOT, a, rows, columns, quality)
    if decides == 1 or kept[n] < 0:
        keep(n, rank, columns, kept, quality)
    return rank


def keep(n: int, rank: int, columns: Indices, kept: Indices, quality: Numbers) -> None:
    """Remember a choice."""
    quality[2] = quality[0]
    for j in range(n):
        kept[j] = columns[j]
    kept[n] = rank


def begin(m: int, n: int, J: Numbers, a: Numbers, rows: Indices, columns: Indices, order: Indices) -> None:
    for i in range(m):
        rows[i] = i
        for j in range(n):
            a[i * n + j] = J[i * n + order[j]]
    for j in range(n):
        columns[j] = order[j]


def partition_basis(n: int, rank: int, a: Numbers, columns: Indices, Z: Numbers) -> None:
    """Vectors with one for an independent speed, and what follows from it for the dependent ones."""
    for free in range(rank, n):
        z: Numbers = Z[(free - rank) * n :]
        for j in range(n):
            z[j] = 0.0
        z[columns[free]] = 1.0
        for back in range(rank):
            k: int = rank - 1 - back
            t = -a[k * n + free]
            for j in range(k + 1, rank):
                t = t - a[k * n + j] * z[columns[j]]
            z[columns[k]] = t / a[k * n + k]


# ---------------------------------------------------------------------------------------------------------- reflections


def reflect(m: int, n: int, most: int, J: Numbers, a: Numbers, rows: Indices, d: Numbers) -> int:
    """Householder's Q R of Jcᵀ, the row of Jc that is longest beside those before it first, `most` of them. Returns the
    rank.

    Row k of a holds the mirror's vector from k on, and before it column k of R1, whose diagonal is in d. In d[m:] are 2
    / vᵀv.
    """
    for i in range(m):
        rows[i] = i
        for j in range(n):
            a[i * n + j] = J[i * n + j]
    for k in range(most):
        best = 0.0
        row: int = k
        for i in range(k, m):
            total = 0.0
            for j in range(k, n):
                total = total + a[i * n + j] * a[i * n + j]
            if total > best and (most == m or total * PIVOT_PREFERENCE * PIVOT_PREFERENCE > best):
                best = total
                row = i
        if best <= ZERO_PIVOT * ZERO_PIVOT:
            return k
        for j in range(n):
            t = a[k * n + j]
            a[k * n + j] = a[row * n + j]
            a[row * n + j] = t
        x: int = rows[k]
        rows[k] = rows[row]
        rows[row] = x
        length = sqrt(best)
        d[k] = -length if a[k * n + k] >= 0.0 else length
        a[k * n + k] = a[k * n + k] - d[k]
        d[m + k] = 1.0 / (length * abs(a[k * n + k]))
        for i in range(k + 1, m):
            t = 0.0
            for j in range(k, n):
                t = t + a[k * n + j] * a[i * n + j]
            t = t * d[m + k]
            for j in range(k, n):
                a[i * n + j] = a[i * n + j] - t * a[k * n + j]
    return most


def apply_reflections(m: int, n: int, rank: int, a: Numbers, d: Numbers, x: Numbers) -> None:
    """Q x in place."""
    for back in range(rank):
        k: int = rank - 1 - back
        t = 0.0
        for j in range(k, n):
            t = t + a[k * n + j] * x[j]
        t = t * d[m + k]
        for j in range(k, n):
            x[j] = x[j] - t * a[k * n + j]


def reflect_basis(m: int, n: int, rank: int, a: Numbers, d: Numbers, Z: Numbers) -> None:
    for free in range(rank, n):
        z: Numbers = Z[(free - rank) * n :]
        for j in range(n):
            z[j] = 0.0
        z[free] = 1.0
        apply_reflections(m, n, rank, a, d, z)


def reflect_solve(m: int, n: int, rank: int, a: Numbers, rows: Indices, d: Numbers, r: Numbers, x: Numbers) -> None:
    """x = G r: the shortest."""
    for i in range(rank):
        t = r[rows[i]]
        for k in range(i):
            t = t - a[i * n + k] * x[k]
        x[i] = t / d[i]
    for j in range(rank, n):
        x[j] = 0.0
    apply_reflections(m, n, rank, a, d, x)


# ---------------------------------------------------------------------------------------------------------- rotations


def rotate(m: int, n: int, most: int, J: Numbers, a: Numbers, U: Numbers, s: Numbers, columns: Indices) -> int:
    """Singular values by Jacobi's rotations of columns (Hestenes): Jc U = V Σ, of which the `most` largest count.
    Returns the rank.

    Column j of Jc U is stored in a from j m on, vector j of U from j n on, squares of singular values in s; `columns`
    has those that count first.
    """
    for j in range(n):
        for i in range(m):
            a[j * m + i] = J[i * n + j]
        for i in range(n):
            U[j * n + i] = 0.0
        U[j * n + j] = 1.0
    for _ in range(MAX_SWEEPS):
        turned: int = 0
        for p in range(n - 1):
            for q in range(p + 1, n):
                turned = turned + turn(m, n, p, q, a, U)
        if turned == 0:
            break
    for j in range(n):
        s[j] = 0.0
        columns[j] = j
        for i in range(m):
            s[j] = s[j] + a[j * m + i] * a[j * m + i]
    for k in range(most):
        best: int = k
        for j in range(k + 1, n):
            if s[columns[j]] > s[columns[best]]:
                best = j
        x: int = columns[k]
        columns[k] = columns[best]
        columns[best] = x
        if s[columns[k]] <= ZERO_PIVOT * ZERO_PIVOT:
            return k
    return most


def turn(m: int, n: int, p: int, q: int, a: Numbers, U: Numbers) -> int:
    """Make two columns orthogonal; 0 if they are."""
    pp = 0.0
    qq = 0.0
    pq = 0.0
    for i in range(m):
        pp = pp + a[p * m + i] * a[p * m + i]
        qq = qq + a[q * m + i] * a[q * m + i]
        pq = pq + a[p * m + i] * a[q * m + i]
    if abs(pq) <= ZERO_ROTATION * max(pp, qq):
        return 0
    half = (qq - pp) / (2.0 * pq)
    t = 1.0 / (abs(half) + sqrt(1.0 + half * half))
    if half < 0.0:
        t = -t
    cosine = 1.0 / sqrt(1.0 + t * t)
    sine = cosine * t
    for i in range(m):
        x = a[p * m + i]
        a[p * m + i] = cosine * x - sine * a[q * m + i]
        a[q * m + i] = sine * x + cosine * a[q * m + i]
    for i in range(n):
        x = U[p * n + i]
        U[p * n + i] = cosine * x - sine * U[q * n + i]
        U[q * n + i] = sine * x + cosine * U[q * n + i]
    return 1


def rotate_basis(n: int, rank: int, U: Numbers, columns: Indices, Z: Numbers) -> None:
    for free in range(rank, n):
        for j in range(n):
            Z[(free - rank) * n + j] = U[columns[free] * n + j]


def rotate_solve(
    m: int, n: int, rank: int, a: Numbers, U: Numbers, s: Numbers, columns: Indices, r: Numbers, x: Numbers
) -> None:
    """x = G r: the shortest, and the one that comes nearest where the rows contradict each other."""
    for j in range(n):
        x[j] = 0.0
    for k in range(rank):
        column: int = columns[k]
        t = 0.0
        for i in range(m):
            t = t + a[column * m + i] * r[i]
        t = t / s[column]
        for j in range(n):
            x[j] = x[j] + t * U[column * n + j]
