"""Orthogonal collocation at Gauss points, condensed interval by interval in machine code (de Boor, Swartz 1973; Doedel,
Keller, Kernévez 1991).

On each interval of the mesh, of length h of the period T, the orbit is a polynomial of degree m that is x_j at the
beginning and has the slopes K_i at the Gauss points c_i,

    x_i = x_j + Σ_l a_il K_l,   K_i = h T f(t_i, x_i, p),   x_{j+1} = x_j + Σ_i b_i K_i

which is of order 2m at mesh points. Newton's method solves for the K of each interval in terms of δx_j and the scalars
(period, parameter); what remains is a chain (`chain.py`).
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from ....algebra.elimination.elimination import solve_columns
from ....emit.loops.kernel_language import Function, Known, Numbers
from ....emit.loops.records import Struct
from ....emit.run.callable import Array
from .chain import COLUMNS, ROWS

STAGES: Final = 4


@cache
def gauss(m: int) -> tuple[Array, Array, Array, Array]:
    """Points c, coefficients a and b on [0, 1], and the polynomials of the slopes: coefficients of the powers of θ, one
    row for each."""
    c = (np.polynomial.legendre.leggauss(m)[0] + 1) / 2
    others = [np.delete(c, i) for i in range(m)]
    slopes = np.array([np.poly(c_j)[::-1] / np.prod(c_i - c_j) for c_i, c_j in zip(c, others, strict=True)])  # Lagrange
    powers = np.arange(1, m + 1)
    a = (c[:, None] ** powers) @ (slopes / powers).T
    b = np.sum(slopes / powers, axis=1)
    return c, np.ascontiguousarray(a), np.asarray(b), np.asarray(slopes, dtype=np.float64)


class Collocation(Struct):
    """Unknowns of all intervals, and what the condensation makes of them.

    n, m         variables, Gauss points in an interval; c, a, b their coefficients
    times        of the mesh, from 0 to 1
    T            the period and the time at the beginning
    x, K         values at the mesh, slopes at the Gauss points
    weights      of values at the Gauss points in rows over the whole orbit
    f, J, ft, fp rates and their derivatives by state, time and parameter
    W            rows of an interval: K of it, then δx_j, δs, 1
    V            δK of every interval, in δx_j, δs, 1
    A, C, g, d   of the chain
    """

    n: Known[int]
    m: Known[int]
    intervals: int
    c: Known[Numbers]
    a: Known[Numbers]
    b: Known[Numbers]
    times: Numbers
    T: Numbers
    x: Numbers
    K: Numbers
    weights: Numbers
    point: Numbers
    f: Numbers
    J: Numbers
    ft: Numbers
    fp: Numbers
    W: Numbers
    V: Numbers
    A: Numbers
    C: Numbers
    g: Numbers
    d: Numbers
    rates: Function


def condense(o: Collocation) -> None:
    """All intervals, one after another."""
    for r in range(ROWS):
        for k in range(COLUMNS):
            o.d[r * COLUMNS + k] = 0.0
    for j in range(o.intervals):
        newton_rows(o, j)
        solve_columns(o.m * o.n, o.m * o.n + o.n + COLUMNS, o.W)
        condense_interval(o, j)


def newton_rows(o: Collocation, j: int) -> None:
    """Rows of Newton's method for the slopes of an interval."""
    n = o.n
    size = o.m * n
    width = size + n + COLUMNS
    h = o.times[j + 1] - o.times[j]
    H = h * o.T[0]
    for i in range(o.m):
        for k in range(n):
            value = o.x[j * n + k]
            for l in range(o.m):
                value = value + o.a[i * o.m + l] * o.K[(j * o.m + l) * n + k]
            o.point[k] = value
        part = o.times[j] + o.c[i] * h
        o.rates((o.T[1] + part * o.T[0], o.point), (o.f, o.J, o.ft, o.fp))
        for r in range(ROWS):
            at = ((r * o.intervals + j) * o.m + i) * n
            for k in range(n):
                o.d[r * COLUMNS + COLUMNS - 1] = o.d[r * COLUMNS + COLUMNS - 1] + o.weights[at + k] * o.point[k]
        for q in range(n):
            row = (i * n + q) * width
            for k in range(n):
                slope = H * o.J[q * n + k]
                o.W[row + size + k] = slope
                for l in range(o.m):
                    o.W[row + l * n + k] = -o.a[i * o.m + l] * slope
            o.W[row + i * n + q] = o.W[row + i * n + q] + 1.0
            o.W[row + size + n] = h * (o.f[q] + part * o.T[0] * o.ft[q])
            o.W[row + size + n + 1] = H * o.fp[q]
            o.W[row + size + n + 2] = H * o.f[q] - o.K[(j * o.m + i) * n + q]


def condense_interval(o: Collocation, j: int) -> None:
    """The map of an interval, and its part in the rows over the whole orbit."""
    n = o.n
    size = o.m * n
    width = size + n + COLUMNS
    right = n + COLUMNS
    for i in range(size):
        for l in range(right):
            o.V[(j * size + i) * right + l] = o.W[i * width + size + l]
    for q in range(n):
        for l in range(n):
            o.A[(j * n + q) * n + l] = 1.0 if q == l else 0.0
        for l in range(COLUMNS):
            o.C[(j * n + q) * COLUMNS + l] = 0.0
        end = o.x[j * n + q] - o.x[(j + 1) * n + q]
        for i in range(o.m):
            row = (i * n + q) * width + size
            for l in range(n):
                o.A[(j * n + q) * n + l] = o.A[(j * n + q) * n + l] + o.b[i] * o.W[row + l]
            for l in range(COLUMNS):
                o.C[(j * n + q) * COLUMNS + l] = o.C[(j * n + q) * COLUMNS + l] + o.b[i] * o.W[row + n + l]
            end = end + o.b[i] * o.K[(j * o.m + i) * n + q]
        o.C[(j * n + q) * COLUMNS + COLUMNS - 1] = o.C[(j * n + q) * COLUMNS + COLUMNS - 1] + end
    for r in range(ROWS):
        for k in range(n):
            o.g[(r * o.intervals + j) * n + k] = 0.0
        for i in range(o.m):
            add_weighted_point(o, j, r, i)


def add_weighted_point(o: Collocation, j: int, r: int, i: int) -> None:
    """A Gauss point in a row over the whole orbit: weights times (δx_j + Σ a_il δK_l)."""
    n = o.n
    size = o.m * n
    width = size + n + COLUMNS
    at = ((r * o.intervals + j) * o.m + i) * n
    for q in range(n):
        w = o.weights[at + q]
        if w != 0.0:
            o.g[(r * o.intervals + j) * n + q] = o.g[(r * o.intervals + j) * n + q] + w
            for l in range(o.m):
                row = (l * n + q) * width + size
                share = w * o.a[i * o.m + l]
                for k in range(n):
                    o.g[(r * o.intervals + j) * n + k] = o.g[(r * o.intervals + j) * n + k] + share * o.W[row + k]
                for k in range(COLUMNS):
                    o.d[r * COLUMNS + k] = o.d[r * COLUMNS + k] + share * o.W[row + n + k]
