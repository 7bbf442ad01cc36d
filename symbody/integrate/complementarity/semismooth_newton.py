"""Contact forces by projected Gauss-Seidel and Newton's method, as kernels: sweeps find which contacts press and which
stick, the equations of that branch give the forces (a semismooth Newton method).

A branch of the contact problem (`contact_problem.py`) is a set of equations for the forces x, with v = A x + b and
w = x_T - v_T / a for the rows of a cone, a the largest eigenvalue of its block of A (Alart and Curnier 1991):

    x_N = 0   apart        v_N = 0   pressing        v_T = 0   sticks        x_T = μ N w / |w|   slips, where |w| > μ N

Its matrix B serves two purposes: B δx = -F is a Newton step, and B dx = -∂F dθ are the derivatives of the forces as
long as the branch stays the same. Statically indeterminate contacts have a singular but consistent B: undetermined
forces are zero, the motion is the same.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from ...emit.loops.kernel_language import Indices, Mutable, Numbers
from ...emit.loops.records import Struct
from ..elimination_kernels.complete_pivoting import eliminate_completely, solve_eliminated
from .contact_arrays import ContactArrays, contact_residual, indices, normal_force, row_motion, sweep_residual
from .gauss_seidel import sweep

APART: Final = 0
HOLDS: Final = 1
SLIPS: Final = 2
SWEEPS: Final = 8  # sweeps between the first Newton steps
PATIENCE: Final = 6  # rounds after which the number of sweeps is doubled
ROUNDS: Final = 60  # most rounds of sweeps and a Newton step
CONVERGED: Final = 1e-13  # change in a sweep, as a fraction of the largest force, that ends the iteration
STALLED: Final = 1e-9  # the same, where the change no longer decreases: rounding
SLOW: Final = 1e-6  # the same after 2 PATIENCE rounds: with restitution not all contacts can stick exactly
STEADY: Final = 1e-10  # the same for sweeps from forces of the step before, where the residual is below it, too
NEARLY_STICKS: Final = 0.02  # a cone beyond its limit by this fraction of it may stick after all
REGULARIZATION: Final = 1e-8  # added to the diagonal of rows that hold: the step is of least norm where B is singular
SINGULAR: Final = 1e-10  # pivots below this fraction of the largest count as zero
TOLERANCE: Final = 1e-4  # forces with a larger residual are not a solution: the caller judges


class ContactBranch(Struct):
    """Memory for a branch of n rows.

    kind          of each row: apart, holds (v = 0), slips
    matrix        B; F; `step` solves B step = right, by factors in the order `row`, `column` (`complete_pivoting.py`)
    kept          forces before a step, with their change and the largest of them
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


def contact_branch(rows: int, cones: int) -> ContactBranch:
    """Memory for branches of at most so many rows and cones."""
    return ContactBranch(
        kind=indices([0] * rows), matrix=np.zeros(rows * rows + 1), F=np.zeros(rows + 1), right=np.zeros(rows + 1),
        step=np.zeros(rows + 1), kept=np.zeros(rows + 1), y=np.zeros(rows + 1), row=indices([0] * rows), column=indices([0] * rows),
        quality=np.zeros(1), way=np.zeros(2 * cones + 1), size=np.zeros(cones + 1), limit=np.zeros(cones + 1),
        pressed=np.zeros(cones + 1),
    )  # fmt: skip


def solve_by_newton(p: ContactArrays, b: ContactBranch, is_warm: int) -> float:
    """Forces p.x; the residual. is_warm: the forces that are there are those of a problem nearby, such as the step
    before, and sweeps may do."""
    if is_warm == 1:
        residual = sweep_warm(p)
        if residual <= max(STEADY, p.precision):
            return residual
    newton_rounds(p, b)
    return contact_residual(p)


def sweep_warm(p: ContactArrays) -> float:
    """Sweeps until they change nothing, as many as cost less than an elimination; the residual, or a large number."""
    steady = max(STEADY, p.precision)
    for _ in range(p.n + SWEEPS):
        sweep(p)
        if p.change <= steady * p.largest:
            residual = sweep_residual(p)
            if residual <= steady:
                return residual
    return 1e300


def newton_rounds(p: ContactArrays, b: ContactBranch) -> None:
    """Sweeps and Newton steps in turn. First everything is taken to hold: bodies that rest or stand have their forces
    from one solve."""
    hold_all(p, b)
    before = 1e300
    between = SWEEPS
    for turn in range(ROUNDS):
        if p.change <= max(CONVERGED, p.precision) * p.largest:
            return
        if p.change <= max(STALLED, 10.0 * p.precision) * p.largest and p.change >= 0.1 * before:
            return
        if p.change <= max(SLOW, 30.0 * p.precision) * p.largest and turn >= 2 * PATIENCE:
            return
        before = p.change
        if turn % PATIENCE == PATIENCE - 1:
            between = 2 * between
        for _sweep in range(between):
            sweep(p)
        if turn % 2 == 1:
            average_two_sweeps(p, b)
        newton_on_branch(p, b)


def average_two_sweeps(p: ContactArrays, b: ContactBranch) -> None:
    """With much friction sweeps alternate between two branches, of which neither is that of the solution; between them is."""
    keep(p, b)
    sweep(p)
    for i in range(p.n):
        p.x[i] = 0.5 * (p.x[i] + b.kept[i])


def hold_all(p: ContactArrays, b: ContactBranch) -> None:
    """A Newton step with all rows held."""
    p.change = 1e300
    for i in range(p.normals):
        hold(p, b, i, p.A[i * p.n + i])
    for c in range(p.cones):
        for r in range(p.count[c]):
            if p.fixed[c] == 1:
                slip_as_prescribed(p, b, c, r)
            else:
                hold(p, b, p.first[c] + r, p.mobility[c])
    keep(p, b)
    newton_step(p, b)


def newton_on_branch(p: ContactArrays, b: ContactBranch) -> None:
    """A step on the branch of the forces; where it does not help, with directions of slip from speeds, then with cones
    held that are nearly inside their discs."""
    keep(p, b)
    b.by_speed = 0
    write_branch(p, b, 0.0)
    is_better = newton_step(p, b)
    if is_better == 0:
        b.by_speed = 1
        write_branch(p, b, 0.0)
        is_better = newton_step(p, b)
    if is_better == 0:
        write_branch(p, b, NEARLY_STICKS)
        newton_step(p, b)


def keep(p: ContactArrays, b: ContactBranch) -> None:
    """Forces and their change, in case that a step leads nowhere."""
    for i in range(p.n):
        b.kept[i] = p.x[i]
    b.change = p.change
    b.largest = p.largest


def newton_step(p: ContactArrays, b: ContactBranch) -> int:
    """A step of Newton's method on a branch and a sweep after it: 1, or 0 where what was kept is better."""
    for i in range(p.n):
        b.right[i] = -b.F[i]
        if b.kind[i] == HOLDS:
            b.matrix[i * p.n + i] += max(REGULARIZATION, 0.1 * p.precision)
    solve_branch(p.n, 1, max(SINGULAR, 0.1 * p.precision), b, b.right, b.y, b.step)
    for i in range(p.n):
        p.x[i] += b.step[i]
    sweep(p)
    if p.change <= 0.5 * b.change:
        return 1
    for i in range(p.n):
        p.x[i] = b.kept[i]
    p.change = b.change
    p.largest = b.largest
    return 0


def write_branch(p: ContactArrays, b: ContactBranch, slack: float) -> None:
    """The equations of the branch that the forces are on: B and F, in units of forces. Cones that are beyond their
    limit by no more than a part `slack` of it count as sticking."""
    n = p.n
    for i in range(p.normals):
        for j in range(n):
            b.matrix[i * n + j] = 0.0
        b.kind[i] = APART
        b.matrix[i * n + i] = 1.0
        b.F[i] = p.x[i]
        if p.x[i] > 0.0:
            hold(p, b, i, p.A[i * n + i])
    for c in range(p.cones):
        if p.fixed[c] == 1:
            for r in range(p.count[c]):
                slip_as_prescribed(p, b, c, r)
        else:
            write_cone_branch(p, b, c, slack)


def hold(p: ContactArrays, b: ContactBranch, i: int, scale: float) -> None:
    """v_i = 0."""
    b.kind[i] = HOLDS
    for j in range(p.n):
        b.matrix[i * p.n + j] = p.A[i * p.n + j] / scale
    b.F[i] = row_motion(p, i) / scale


def write_cone_branch(p: ContactArrays, b: ContactBranch, c: int, slack: float) -> None:
    set_limit(p, b, c)
    square = 0.0
    for r in range(p.count[c]):
        i = p.first[c] + r
        b.way[2 * c + r] = p.x[i] - row_motion(p, i) / p.mobility[c]
        square += b.way[2 * c + r] * b.way[2 * c + r]
    b.size[c] = sqrt(square)
    is_slipping = 1 if b.size[c] > b.limit[c] * (1.0 + slack) or b.limit[c] <= 0.0 else 0
    if is_slipping == 1 and b.by_speed == 1:
        slip_direction(p, b, c)
    for r in range(p.count[c]):
        b.way[2 * c + r] /= max(b.size[c], 1e-300)
    for r in range(p.count[c]):
        if is_slipping == 1:
            slip(p, b, c, r)
        else:
            hold(p, b, p.first[c] + r, p.mobility[c])


def set_limit(p: ContactArrays, b: ContactBranch, c: int) -> None:
    """μ |N| of a cone, and the sign of N."""
    normal = normal_force(p, c)
    b.limit[c] = p.mu[c] * abs(normal)
    b.pressed[c] = 1.0 if normal > 0.0 else -1.0


def slip_as_prescribed(p: ContactArrays, b: ContactBranch, c: int, r: int) -> None:
    """x = -(μ N + offset) d with the direction d of the slip that there is."""
    set_limit(p, b, c)
    i = p.first[c] + r
    b.kind[i] = SLIPS
    b.F[i] = p.x[i] + (b.limit[c] + p.offset[c]) * p.way[2 * c + r]
    for j in range(p.n):
        b.matrix[i * p.n + j] = p.way[2 * c + r] * p.mu[c] * b.pressed[c] * p.share[c * p.n + j]
    b.matrix[i * p.n + i] += 1.0


def slip_direction(p: ContactArrays, b: ContactBranch, c: int) -> None:
    """The way of a cone from its slip alone, -v / |v|: where it slips hardly at all, w has nearly the direction that x
    has already."""
    square = 0.0
    for r in range(p.count[c]):
        b.way[2 * c + r] = -row_motion(p, p.first[c] + r) / p.mobility[c]
        square += b.way[2 * c + r] * b.way[2 * c + r]
    b.size[c] = sqrt(square)


def slip(p: ContactArrays, b: ContactBranch, c: int, r: int) -> None:
    """x = μ N d with d = w / |w|, whose change is (1 - d dᵀ) dw / |w|."""
    n = p.n
    i = p.first[c] + r
    b.kind[i] = SLIPS
    b.F[i] = p.x[i] - b.limit[c] * b.way[2 * c + r]
    for j in range(n):
        b.matrix[i * n + j] = -b.way[2 * c + r] * p.mu[c] * b.pressed[c] * p.share[c * n + j]
    b.matrix[i * n + i] += 1.0
    for k in range(p.count[c]):
        across = turning(p, b, c, r, k)
        row = p.first[c] + k
        if b.by_speed == 0:
            b.matrix[i * n + row] -= across
        for j in range(n):
            b.matrix[i * n + j] += across * p.A[row * n + j] / p.mobility[c]


def turning(p: ContactArrays, b: ContactBranch, c: int, r: int, k: int) -> float:
    """Entry (r, k) of μ N (1 - d dᵀ) / |w|: what turns the force of a cone."""
    if p.count[c] == 1:
        return 0.0
    across = -b.way[2 * c + r] * b.way[2 * c + k]
    if r == k:
        across += 1.0
    return b.limit[c] * across / max(b.size[c], 1e-300)


def solve_branch(n: int, count: int, singular: float, b: ContactBranch, right: Numbers, y: Numbers, x: Numbers) -> None:
    """B x = right for right sides that fit it; unknowns that are not determined are zero. Pivots below a fraction
    `singular` of the largest count as zero. (B is overwritten; y is memory.)"""
    for i in range(n):
        b.row[i] = i
        b.column[i] = i
    rank = eliminate_completely(n, n, n, n, singular, b.matrix, b.row, b.column, b.quality)
    solve_eliminated(n, rank, count, b.matrix, b.row, b.column, right, y, x)
