"""Derivatives of a Moreau-Jean step on its branch, as kernels.

With θ = (q, u, z) and parameters, the program `point` gives ∂u⁺/∂θ, ∂v/∂θ of all rows and ∂(μ N)/∂θ at the midpoint with
the impulses x held; then, with the matrix B of the branch that the step is on (`semismooth_newton.py`),

    B dx = -∂F/∂θ dθ,    du⁺ = ∂u⁺/∂θ dθ + X dx
"""

from __future__ import annotations

from math import sqrt

from ...emit.loops.kernel_language import Numbers
from ..complementarity.semismooth_newton import (
    HOLDS,
    SINGULAR,
    SLIPS,
    ContactBranch,
    solve_branch,
    turning,
    write_branch,
)
from .moreau_records import MoreauStep, StepVariations


def vary_half_way(s: MoreauStep, v: StepVariations, t: float, after: float) -> None:
    """T from S and the parameters, then coordinates half a step on. (Before the state itself goes there.)"""
    if v.columns == 0:
        return
    for j in range(v.columns):
        for i in range(s.n):
            v.T[i * v.columns + j] = v.S[j * s.n + i]
        for i in range(v.seeds):
            k = i * v.columns + j
            v.T[s.n * v.columns + k] = v.constant[k] + after * v.growing[k]
    vary_positions(s, v, t)


def vary_positions(s: MoreauStep, v: StepVariations, t: float) -> None:
    """Coordinates by h/2 dq'."""
    if v.columns > 0 and v.rates is not None:
        v.rates((t, s.y), (v.qdot,))
        set_product(s.n_q, v.width, v.columns, v.qdot, v.T, v.dx)
        for i in range(s.n_q * v.columns):
            v.T[i] += 0.5 * s.h * v.dx[i]


def vary_speeds(s: MoreauStep, v: StepVariations, middle: float) -> None:
    """Speeds and variables after the step, on the branch of its impulses; in `S`, since T is still of the midpoint."""
    p = s.problem
    count = v.columns
    set_midpoint(s, v)
    if v.point is not None:
        v.point((middle, v.y, s.h, v.impulses, v.part, v.static), (v.U, v.V, v.limit, v.zdot))
    s.branches.by_speed = 0
    write_branch(p, s.branches, 0.0)
    set_product(s.rows, v.width, count, v.V, v.T, v.right)
    set_product(s.cones, v.width, count, v.limit, v.T, v.dx)
    set_right_sides(s, s.branches, v)
    solve_branch(p.n, count, SINGULAR, s.branches, v.right, v.memory, v.dx)
    set_product(s.n_u, v.width, count, v.U, v.T, v.right)
    for k in range(p.n):
        for i in range(s.n_u):
            for j in range(count):
                v.right[i * count + j] += s.X[s.row[k] * s.n_u + i] * v.dx[k * count + j]
    set_product(s.n - s.n_q - s.n_u, v.width, count, v.zdot, v.T, v.dx)
    for j in range(count):
        for i in range(s.n_u):
            v.S[j * s.n + s.n_q + i] = v.right[i * count + j]
        for i in range(s.n - s.n_q - s.n_u):
            v.S[j * s.n + s.n_q + s.n_u + i] += s.h * v.dx[i * count + j]


def set_midpoint(s: MoreauStep, v: StepVariations) -> None:
    """The state there, with variables before the step, and impulses by rows of the mechanism."""
    p = s.problem
    for i in range(s.n):
        v.y[i] = s.y[i]
    for i in range(s.n - s.n_q - s.n_u):
        v.y[s.n_q + s.n_u + i] -= s.h * s.zdot[i]
    for i in range(s.rows):
        v.impulses[i] = 0.0
        v.part[i] = 0.0
    for i in range(p.n):
        v.impulses[s.row[i]] = p.x[i]
        v.part[s.row[i]] = 1.0
    for c in range(p.cones):
        v.static[s.cone[c]] = 0.0 if p.mu[c] == s.mu[s.cone[c]] else 1.0


def set_right_sides(s: MoreauStep, b: ContactBranch, v: StepVariations) -> None:
    """-∂F/∂θ dθ of the rows that take part, from dv in `right` and d(μ N) in `dx`, into `right`. Rows of the problem are
    in the order of those of the mechanism, so that none is overwritten before it is read."""
    p = s.problem
    for i in range(p.normals):
        for j in range(v.columns):
            dv = v.right[s.row[i] * v.columns + j]
            v.right[i * v.columns + j] = -dv / p.A[i * p.n + i] if b.kind[i] == HOLDS else 0.0
    for c in range(p.cones):
        for j in range(v.columns):
            set_cone_right_side(s, b, v, c, j)


def set_cone_right_side(s: MoreauStep, b: ContactBranch, v: StepVariations, c: int, j: int) -> None:
    p = s.problem
    i = p.first[c]
    for r in range(p.count[c]):
        p.w[r] = v.right[s.row[i + r] * v.columns + j] / p.mobility[c]
    for r in range(p.count[c]):
        value = -p.w[r]
        if b.kind[i] == SLIPS:
            value = b.way[2 * c + r] * v.dx[s.cone[c] * v.columns + j]
            for k in range(p.count[c]):
                value -= turning(p, b, c, r, k) * p.w[k]
        v.right[(i + r) * v.columns + j] = value


def vary_second_half(s: MoreauStep, v: StepVariations, end: float) -> None:
    """Coordinates at the end of the step, with the new speeds at its midpoint."""
    for j in range(v.columns):
        for i in range(s.n_q, s.n):
            v.T[i * v.columns + j] = v.S[j * s.n + i]
    vary_positions(s, v, end)


def store_positions(s: MoreauStep, v: StepVariations) -> None:
    for j in range(v.columns):
        for i in range(s.n_q):
            v.S[j * s.n + i] = v.T[i * v.columns + j]


def vary_rotations(s: MoreauStep, v: StepVariations) -> None:
    """Euler parameters e / |e|: (1 - ê êᵀ) de / |e|."""
    count = v.columns
    if count == 0:
        return
    for e in range(s.rotations):
        places = s.turns[4 * e :]
        square = 0.0
        for i in range(4):
            square += s.y[places[i]] * s.y[places[i]]
        for j in range(count):
            along = 0.0
            for i in range(4):
                along += s.y[places[i]] * v.T[places[i] * count + j]
            for i in range(4):
                k = places[i] * count + j
                v.T[k] = (v.T[k] - along / square * s.y[places[i]]) / sqrt(square)


def set_product(n: int, inner: int, m: int, a: Numbers, b: Numbers, out: Numbers) -> None:
    """a b, with n rows and m columns."""
    for i in range(n):
        for j in range(m):
            out[i * m + j] = 0.0
        for k in range(inner):
            if a[i * inner + k] != 0.0:
                for j in range(m):
                    out[i * m + j] += a[i * inner + k] * b[k * m + j]
