"""Chains of linear maps around a loop: the linear algebra of every orbit, as loops over its intervals.

Each interval, of collocation or of shooting, gives the change of its end in terms of those of its beginning and of a
few scalars s (period, parameter), and a constant,

    δx_{j+1} = A_j δx_j + C_j (δs, 1),   j = 0 ... N-1

and a few rows over the whole orbit (phase, arclength) add  Σ_j g_j δx_j + d (δs, 1) = 0. The inner points are
eliminated one after another, with partial pivoting among the rows of both neighbours, so that neither growth nor decay
along the orbit spoils it (Ascher, Mattheij, Russell 1988, ch. 7). Left are

    Q δx_N + P δx_0 + D (δs, 1) = 0,   and the rows over the whole orbit in δx_N, δx_0, δs
"""

from __future__ import annotations

from functools import cached_property
from math import sqrt
from typing import Final

import numpy as np

from ....algebra.elimination.elimination import eliminate_columns
from ....emit.loops.kernel_language import Known, Numbers
from ....emit.loops.records import Struct
from ....emit.run.callable import Array
from ....emit.run.loop_callee import LoopCallee
from ....integrate.forms.compile_effort import Effort

SCALARS: Final = 2  # period and parameter
COLUMNS: Final = SCALARS + 1  # and the constant
ROWS: Final = 2  # over the whole orbit: phase, and arclength


class Chain(Struct):
    """N intervals of n variables.

    A, C, g      as above, interval after interval; g of one row after the other
    d            of the rows over the whole orbit
    work         rows in δx_j, δx_{j+1}, δx_0, (δs, 1): 2n of them, then those over the whole orbit
    factors      of each inner point: the first n of these rows after elimination
    x            changes: of both ends given, of inner points found; s: (δs, 1)
    """

    n: Known[int]
    intervals: int
    A: Numbers
    C: Numbers
    g: Numbers
    d: Numbers
    work: Numbers
    factors: Numbers
    x: Numbers
    s: Numbers


def reduce_chain(o: Chain) -> None:
    """Rows in δx_N (first n columns), δx_0 (last n before the scalars) and (δs, 1) remain: n of the chain, then those
    over the whole orbit."""
    n = o.n
    width = 3 * n + COLUMNS
    for i in range(2 * n + ROWS):
        for k in range(width):
            o.work[i * width + k] = 0.0
    for i in range(n):
        o.work[i * width + i] = -1.0
        for k in range(n):
            o.work[i * width + 2 * n + k] = o.A[i * n + k]
        for k in range(COLUMNS):
            o.work[i * width + 3 * n + k] = o.C[i * COLUMNS + k]
    for r in range(ROWS):
        row = (2 * n + r) * width
        for k in range(n):
            o.work[row + 2 * n + k] = o.g[r * o.intervals * n + k]
        for k in range(COLUMNS):
            o.work[row + 3 * n + k] = o.d[r * COLUMNS + k]
    for j in range(1, o.intervals):
        append_interval(o, j)
        eliminate_columns(o.n, 2 * o.n, 2 * o.n + ROWS, 3 * o.n + COLUMNS, o.work)
        kept = j * n * width
        for i in range(n * width):
            o.factors[kept + i] = o.work[i]
        shift_rows(o)


def append_interval(o: Chain, j: int) -> None:
    """Rows of interval j below those carried along."""
    n = o.n
    width = 3 * n + COLUMNS
    for i in range(n):
        row = (n + i) * width
        for k in range(width):
            o.work[row + k] = 0.0
        for k in range(n):
            o.work[row + k] = o.A[(j * n + i) * n + k]
        o.work[row + n + i] = -1.0
        for k in range(COLUMNS):
            o.work[row + 3 * n + k] = o.C[(j * n + i) * COLUMNS + k]
    for r in range(ROWS):
        row = (2 * n + r) * width
        for k in range(n):
            o.work[row + k] = o.work[row + k] + o.g[(r * o.intervals + j) * n + k]


def shift_rows(o: Chain) -> None:
    """The lower rows are those of the next point: δx_{j+1} moves to the place of δx_j."""
    n = o.n
    width = 3 * n + COLUMNS
    for i in range(n):
        for k in range(width):
            o.work[i * width + k] = o.work[(n + i) * width + k]
    for i in range(2 * n + ROWS):
        if i < n or i >= 2 * n:
            for k in range(n):
                o.work[i * width + k] = o.work[i * width + n + k]
                o.work[i * width + n + k] = 0.0


def back_substitute(o: Chain) -> None:
    """Changes of inner points from those of the ends and of the scalars."""
    n = o.n
    width = 3 * n + COLUMNS
    for back in range(1, o.intervals):
        j = o.intervals - back
        for up in range(n):
            i = n - 1 - up
            row = (j * n + i) * width
            total = 0.0
            for k in range(n):
                total = total + o.factors[row + n + k] * o.x[(j + 1) * n + k] + o.factors[row + 2 * n + k] * o.x[k]
            for k in range(COLUMNS):
                total = total + o.factors[row + 3 * n + k] * o.s[k]
            for k in range(i + 1, n):
                total = total + o.factors[row + k] * o.x[j * n + k]
            o.x[j * n + i] = -total / o.factors[row + i]


class ChainSolver:
    """Memory of a chain, and its loops ready to run."""

    def __init__(self, n: int, intervals: int, effort: Effort) -> None:
        self.n, self.intervals, self._effort, width = n, intervals, effort, 3 * n + COLUMNS
        self.A, self.C = np.zeros((intervals, n, n)), np.zeros((intervals, n, COLUMNS))
        self.g, self.d = np.zeros((ROWS, intervals, n)), np.zeros((ROWS, COLUMNS))
        self.x, self.s = np.zeros((intervals + 1, n)), np.zeros(COLUMNS)
        self._work = np.zeros((2 * n + ROWS, width))
        self.record = Chain(
            n=n, intervals=intervals, A=self.A.reshape(-1), C=self.C.reshape(-1), g=self.g.reshape(-1), d=self.d.reshape(-1),
            work=self._work.reshape(-1), factors=np.zeros(intervals * n * width), x=self.x.reshape(-1), s=self.s,
        )  # fmt: skip

    @cached_property
    def _eliminate(self) -> LoopCallee:
        return self._effort.loop(reduce_chain, o=self.record)

    @cached_property
    def _substitute(self) -> LoopCallee:
        return self._effort.loop(back_substitute, o=self.record)

    def eliminate(self) -> None:
        self._effort.run(self._eliminate)

    def remaining(self) -> Array:
        """Rows in δx_0, δx_N, δs and a constant after elimination: n of the chain, then those over the whole orbit."""
        n, w = self.n, self._work
        rows = np.concatenate([w[:n], w[2 * n :]])
        return np.hstack([rows[:, 2 * n : 3 * n], rows[:, :n], rows[:, 3 * n :]])

    def back_substitute(self, first: Array, last: Array, s: Array) -> Array:
        """Changes of all points, from those of the first and last and of the scalars, with the factor of the constant
        last."""
        self.x[0], self.x[-1], self.s[:] = first, last, s
        self._effort.run(self._substitute)
        return self.x


# ---------------------------------------------------------------------------------------------------- products of maps


class Sweep(Struct):
    """Orthogonal iteration with a product of maps that is never formed: B_j Q_{j-1} = Q_j R_j, around and around.

    B   the maps, n by n; first, last: Q at the beginning and at the end of the last sweep
    R   a triangle; P: the product of those of the last sweep, whose diagonal blocks are products of diagonal blocks
    v   reflections
    """

    n: Known[int]
    intervals: int
    sweeps: int
    B: Numbers
    R: Numbers
    P: Numbers
    first: Numbers
    last: Numbers
    v: Numbers


def sweep(o: Sweep) -> None:
    n = o.n
    for count in range(o.sweeps):
        for i in range(n * n):
            o.first[i] = o.last[i]
        for j in range(o.intervals):
            at = j * n * n
            for i in range(n):
                for k in range(n):
                    total = 0.0
                    for l in range(n):
                        total = total + o.B[at + i * n + l] * o.last[l * n + k]
                    o.R[i * n + k] = total
            householder_factors(n, o.R, o.last, o.v)
            if count == o.sweeps - 1:
                multiply_triangles(n, j, o.R, o.P)


def multiply_triangles(n: int, j: int, R: Numbers, P: Numbers) -> None:
    """P ← R P of triangles; the first makes it R. Rows above are done before those that they need."""
    for i in range(n):
        for k in range(i, n):
            total = R[i * n + k]
            if j > 0:
                total = 0.0
                for l in range(i, k + 1):
                    total = total + R[i * n + l] * P[l * n + k]
            P[i * n + k] = total


def householder_factors(n: int, R: Numbers, Q: Numbers, v: Numbers) -> None:
    """R = Q R' by Householder's reflections: R' takes the place of R, Q is written."""
    for i in range(n):
        for k in range(n):
            Q[i * n + k] = 1.0 if i == k else 0.0
    for k in range(n):
        length = 0.0
        for i in range(k, n):
            length = length + R[i * n + k] * R[i * n + k]
        length = sqrt(length)
        if length > 0.0:
            alpha = -length if R[k * n + k] > 0.0 else length
            size = 0.0
            for i in range(k, n):
                v[i] = R[i * n + k]
                if i == k:
                    v[i] = v[i] - alpha
                size = size + v[i] * v[i]
            for l in range(k, n):
                total = 0.0
                for i in range(k, n):
                    total = total + v[i] * R[i * n + l]
                for i in range(k, n):
                    R[i * n + l] = R[i * n + l] - 2.0 * total / size * v[i]
            for l in range(n):
                total = 0.0
                for i in range(k, n):
                    total = total + Q[l * n + i] * v[i]
                for i in range(k, n):
                    Q[l * n + i] = Q[l * n + i] - 2.0 * total / size * v[i]
