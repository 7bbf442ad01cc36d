"""Impulses of a step by sweeps and Newton's method, as kernels: sweeps find which contacts press and which stick, the
equations of that branch give the impulses.

A branch of the complementarity problem (`friction_problem.py`) is a set of equations for the impulses x, with v = A x +
b, w = x_T - v_T / a for the two rows of a cone, a the largest eigenvalue of its part of A (Alart and Curnier 1991):

    x_N = 0   apart        v_N = 0   pressing        v_T = 0   sticks        x_T = μ N w / |w|   slips, where |w| > μ N

Its matrix B serves two purposes: B δx = -F is a step of Newton's method, and B dx = -∂F dθ are the derivatives of the
impulses as long as the branch stays the same. Contacts that share their load have a matrix B that is singular and right
sides that fit it: of impulses that the rest does not determine the least are taken, the motion is the same.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.language import Indices, Mutable, Numbers
from ...emit.loops.records import Struct
from ..kernels.complete_pivoting import eliminate_completely, solve_eliminated
from .friction_sweeps import Sweeps, normal_force, row_motion, sweep

APART: Final = 0
HOLDS: Final = 1
SLIPS: Final = 2
BETWEEN: Final = 8  # sweeps before the first steps of Newton's method
PATIENCE: Final = 6  # rounds after which twice as many sweeps are made
ROUNDS: Final = 60  # of sweeps and a step
ENOUGH: Final = 1e-13  # of the largest impulse: a change by less in a sweep ends the iteration
GOOD: Final = 1e-9  # the same, where a round changes it no more: rounding
NEARLY: Final = 0.02  # of its limit: a cone this little beyond it may stick after all
DAMPING: Final = 1e-8  # added to rows that hold, so that of all impulses that give one motion the step has the least
FAIR: Final = 1e-6  # the same after some rounds: restitution asks for speeds at which not all can stick, but nearly
SINGULAR: Final = 1e-10  # of the largest pivot: a smaller one is none


class ContactBranch(Struct):
    """Memory for a branch of n rows.

    kind          of each row: apart, holds (v = 0), slips
    matrix        B; F; `step` solves B step = right, by factors in the order `row`, `column` (`complete_pivoting.py`)
    kept          impulses before a step, with their change and the largest of them
    way           w / |w| of each cone, two numbers; its size |w| and limit μ N; `by_speed` 1: with w = -v_T / a
    pressed       sign of N
    """

    kind: Indices
    matrix: Numbers
    F: Numbers
    right: Numbers
    step: Numbers
    kept: Numbers
    change: Mutable[float]
    largest: Mutable[float]
    by_speed: Mutable[int]
    y: Numbers
    row: Indices
    column: Indices
    quality: Numbers
    way: Numbers
    size: Numbers
    limit: Numbers
    pressed: Numbers


def solved_impulses(w: Sweeps, b: ContactBranch) -> float:
    """Impulses w.x from those that are there; the change of a last sweep, in parts of the largest one.

    First everything is taken to hold: bodies that rest or stand have their impulses from one solve.
    """
    w.change = 1e300
    for i in range(w.normals):
        hold(w, b, i, w.A[i * w.n + i])
    for c in range(w.cones):
        for r in range(w.count[c]):
            hold(w, b, w.first[c] + r, w.stiff[c])
    keep(w, b)
    newton(w, b)
    before = 1e300
    between = BETWEEN
    for turn in range(ROUNDS):
        if w.change <= ENOUGH * w.largest:
            return 0.0
        if w.change <= GOOD * w.largest and w.change >= 0.1 * before:
            break
        if w.change <= FAIR * w.largest and turn >= 2 * PATIENCE:
            break
        before = w.change
        if turn % PATIENCE == PATIENCE - 1:
            between = 2 * between
        for _sweep in range(between):
            sweep(w)
        keep(w, b)
        b.by_speed = 0
        branch(w, b, 0.0)
        is_better = newton(w, b)
        if is_better == 0:
            b.by_speed = 1
            branch(w, b, 0.0)
            is_better = newton(w, b)
        if is_better == 0:
            branch(w, b, NEARLY)
            newton(w, b)
    return w.change / max(w.largest, 1e-300)


def keep(w: Sweeps, b: ContactBranch) -> None:
    """Impulses and their change, in case that a step leads nowhere."""
    for i in range(w.n):
        b.kept[i] = w.x[i]
    b.change = w.change
    b.largest = w.largest


def newton(w: Sweeps, b: ContactBranch) -> int:
    """A step of Newton's method on a branch and a sweep after it: 1, or 0 where what was kept is better."""
    for i in range(w.n):
        b.right[i] = -b.F[i]
        if b.kind[i] == HOLDS:
            b.matrix[i * w.n + i] += DAMPING
    solve_branch(w.n, 1, b, b.right, b.y, b.step)
    for i in range(w.n):
        w.x[i] += b.step[i]
    sweep(w)
    if w.change <= 0.5 * b.change:
        return 1
    for i in range(w.n):
        w.x[i] = b.kept[i]
    w.change = b.change
    w.largest = b.largest
    return 0


def branch(w: Sweeps, b: ContactBranch, slack: float) -> None:
    """The equations of the branch that the impulses are on: B and F, in units of impulses. Cones that are beyond their
    limit by no more than a part `slack` of it count as sticking."""
    n = w.n
    for i in range(w.normals):
        for j in range(n):
            b.matrix[i * n + j] = 0.0
        b.kind[i] = APART
        b.matrix[i * n + i] = 1.0
        b.F[i] = w.x[i]
        if w.x[i] > 0.0:
            hold(w, b, i, w.A[i * n + i])
    for c in range(w.cones):
        cone_branch(w, b, c, slack)


def hold(w: Sweeps, b: ContactBranch, i: int, scale: float) -> None:
    """v_i = 0."""
    b.kind[i] = HOLDS
    for j in range(w.n):
        b.matrix[i * w.n + j] = w.A[i * w.n + j] / scale
    b.F[i] = row_motion(w, i) / scale


def cone_branch(w: Sweeps, b: ContactBranch, c: int, slack: float) -> None:
    normal = normal_force(w, c)
    b.limit[c] = w.mu[c] * abs(normal)
    b.pressed[c] = 1.0 if normal > 0.0 else -1.0
    square = 0.0
    for r in range(w.count[c]):
        i = w.first[c] + r
        b.way[2 * c + r] = w.x[i] - row_motion(w, i) / w.stiff[c]
        square += b.way[2 * c + r] * b.way[2 * c + r]
    b.size[c] = sqrt(square)
    is_slipping = 1 if b.size[c] > b.limit[c] * (1.0 + slack) or b.limit[c] <= 0.0 else 0
    if is_slipping == 1 and b.by_speed == 1:
        slip_direction(w, b, c)
    for r in range(w.count[c]):
        b.way[2 * c + r] /= max(b.size[c], 1e-300)
    for r in range(w.count[c]):
        if is_slipping == 1:
            slip(w, b, c, r)
        else:
            hold(w, b, w.first[c] + r, w.stiff[c])


def slip_direction(w: Sweeps, b: ContactBranch, c: int) -> None:
    """The way of a cone from its slip alone, -v / |v|: where it slips hardly at all, w has nearly the direction that x
    has already."""
    square = 0.0
    for r in range(w.count[c]):
        b.way[2 * c + r] = -row_motion(w, w.first[c] + r) / w.stiff[c]
        square += b.way[2 * c + r] * b.way[2 * c + r]
    b.size[c] = sqrt(square)


def slip(w: Sweeps, b: ContactBranch, c: int, r: int) -> None:
    """x = μ N d with d = w / |w|, whose change is (1 - d dᵀ) dw / |w|."""
    n = w.n
    i = w.first[c] + r
    b.kind[i] = SLIPS
    b.F[i] = w.x[i] - b.limit[c] * b.way[2 * c + r]
    for j in range(n):
        b.matrix[i * n + j] = -b.way[2 * c + r] * w.mu[c] * b.pressed[c] * w.share[c * n + j]
    b.matrix[i * n + i] += 1.0
    for k in range(w.count[c]):
        across = turning(w, b, c, r, k)
        row = w.first[c] + k
        if b.by_speed == 0:
            b.matrix[i * n + row] -= across
        for j in range(n):
            b.matrix[i * n + j] += across * w.A[row * n + j] / w.stiff[c]


def turning(w: Sweeps, b: ContactBranch, c: int, r: int, k: int) -> float:
    """Entry (r, k) of μ N (1 - d dᵀ) / |w|: what turns the force of a cone."""
    if w.count[c] == 1:
        return 0.0
    across = -b.way[2 * c + r] * b.way[2 * c + k]
    if r == k:
        across += 1.0
    return b.limit[c] * across / max(b.size[c], 1e-300)


def solve_branch(n: int, count: int, b: ContactBranch, right: Numbers, y: Numbers, x: Numbers) -> None:
    """B x = right for right sides that fit it; unknowns that are not determined are zero. (B is overwritten; y is
    memory.)"""
    for i in range(n):
        b.row[i] = i
        b.column[i] = i
    rank = eliminate_completely(n, n, n, n, SINGULAR, b.matrix, b.row, b.column, b.quality)
    solve_eliminated(n, rank, count, b.matrix, b.row, b.column, right, y, x)
