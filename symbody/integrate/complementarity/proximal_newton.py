"""Contact forces of an island by Newton's method with a proximal term, as kernels on dense arrays: for problems on which sweeps
do not converge.

With wedged bodies the contact problem is neither monotone nor uniquely solvable. With a proximal term, which penalises changes of
the forces x₀,

    v = A x + b + w D (x - x₀),      D: A_NN of normal rows, mobility of tangential ones,

it is both if the weight w is large enough, and Newton's method on its natural map (Alart and Curnier 1991) converges in a few
steps. Its solution is the next x₀, and w decreases as long as Newton's method converges: the proximal point method (Rockafellar
1976), whose fixed points are the solutions of the original problem. Forces of statically indeterminate contacts stay close to the
initial ones.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from ...algebra.elimination.elimination import general_factor, general_solve
from ...emit.loops.kernel_language import Indices, Mutable, Numbers
from ...emit.loops.records import Struct
from .contact_arrays import SMALLEST, ContactArrays, contact_residual, indices, residual_scale

MOST_WEIGHT: Final = 0.1  # at the beginning, where w is the residual
LEAST_WEIGHT: Final = 1e-8
WEIGHT_DECREASE: Final = 0.2  # factor of w where Newton's method took an ordinary number of steps
FAST_DECREASE: Final = 0.05  # where it took few
WEIGHT_INCREASE: Final = 4.0  # where it did not converge
FEW_STEPS: Final = 3
MANY_STEPS: Final = 10  # above which w is kept
NEAR_STEPS: Final = 15  # largest number of Newton steps with one x₀
EXACT: Final = 0.1  # tolerance of each proximal problem, as a fraction of that of the contact problem
FAR: Final = 0.01  # natural map, as a fraction of the scale, above which the step of x₀ is rejected
STEEP: Final = 10.0  # parameter of the natural map, times A_ii
DECREASE: Final = 1e-3  # sufficient decrease in the line search, relative to the step length
SHORTEST: Final = 1e-3  # smallest step length of the line search


class NearProblem(Struct):
    """Memory for n rows. Row c is the normal row of cone c.

    weight        w; `steps` of Newton's method so far
    centre, best  x₀, and the forces of the least residual
    base          forces before a step; `step`, and `turned`, the change of v by it
    motion        v, with the proximal term
    miss          natural map, by rows
    size, limit   of each cone: |x_T - v_T s / a| and μ N
    active        rows that are unknowns of a Newton step, `count` of them; `matrix`, `order` and `right`: its linear system
    """

    weight: Mutable[float]
    steps: Mutable[int]
    centre: Numbers
    best: Numbers
    base: Numbers
    step: Numbers
    turned: Numbers
    motion: Numbers
    miss: Numbers
    size: Numbers
    limit: Numbers
    active: Indices
    count: Mutable[int]
    matrix: Numbers
    order: Indices
    right: Numbers


def near_problem(rows: int, cones: int) -> NearProblem:
    """Memory for problems with up to this many rows and cones."""
    numbers = [np.zeros(rows + 1) for _ in range(8)]
    return NearProblem(
        weight=0.0, steps=0, centre=numbers[0], best=numbers[1], base=numbers[2], step=numbers[3], turned=numbers[4], motion=numbers[5], miss=numbers[6],
        size=np.zeros(cones + 1), limit=np.zeros(cones + 1), active=indices([0] * rows), count=0, matrix=np.zeros(rows * rows + 1), order=indices([0] * rows),
        right=numbers[7],
    )  # fmt: skip


def solve_by_proximal_newton(p: ContactArrays, m: NearProblem, most: int, tolerance: float) -> float:
    """Solve for the forces p.x, which are also the initial guess, in about `most` steps; the residual."""
    best = contact_residual(p)
    copy_numbers(p.n, p.x, m.best)
    m.weight = max(LEAST_WEIGHT, min(MOST_WEIGHT, best))
    m.steps = 0
    while m.steps < most and best > tolerance:
        scale = residual_scale(p)
        copy_numbers(p.n, p.x, m.centre)
        before = m.steps
        missed = solve_near(p, m, EXACT * tolerance * scale)
        project_forces(p)
        residual = contact_residual(p)
        if residual < best:
            best = residual
            copy_numbers(p.n, p.x, m.best)
        if not missed <= FAR * scale:
            copy_numbers(p.n, m.centre, p.x)
        if not missed <= EXACT * tolerance * scale:
            m.weight = WEIGHT_INCREASE * m.weight
        elif m.steps - before <= FEW_STEPS:
            m.weight = max(LEAST_WEIGHT, FAST_DECREASE * m.weight)
        elif m.steps - before <= MANY_STEPS:
            m.weight = max(LEAST_WEIGHT, WEIGHT_DECREASE * m.weight)
    copy_numbers(p.n, m.best, p.x)
    return best


def copy_numbers(n: int, source: Numbers, to: Numbers) -> None:
    for i in range(n):
        to[i] = source[i]


def project_forces(p: ContactArrays) -> None:
    """Project the forces onto their cones."""
    for c in range(p.cones):
        p.x[c] = max(0.0, p.x[c])
        i = p.first[c]
        limit = p.mu[c] * abs(p.given[c] + p.x[c])
        size = sqrt(p.x[i] * p.x[i] + p.x[i + 1] * p.x[i + 1])
        if size > limit:
            p.x[i] *= limit / size
            p.x[i + 1] *= limit / size


# ------------------------------------------------------------------------------------------------------- one x₀


def solve_near(p: ContactArrays, m: NearProblem, aim: float) -> float:
    """Newton's method for the current x₀, until the energy norm of the natural map is below `aim`; that norm."""
    set_motions(p, m)
    missed = set_misses(p, m)
    for _ in range(NEAR_STEPS):
        if missed <= aim:
            break
        m.steps += 1
        set_equations(p, m)
        general_factor(m.count, m.matrix, m.order)
        general_solve(m.count, m.matrix, m.order, m.right)
        for k in range(m.count):
            m.step[m.active[k]] = m.right[k]
        missed = take_part(p, m, missed)
    return missed


def take_part(p: ContactArrays, m: NearProblem, before: float) -> float:
    """Line search: halve the step until it decreases the natural map; the norm of the map."""
    copy_numbers(p.n, p.x, m.base)
    for i in range(p.n):
        m.turned[i] = row_product(p, m, i, m.step)
    part = 1.0
    taken = 0.0
    while True:
        for i in range(p.n):
            p.x[i] = m.base[i] + part * m.step[i]
            m.motion[i] += (part - taken) * m.turned[i]
        taken = part
        missed = set_misses(p, m)
        if missed < (1.0 - DECREASE * part) * before or part < SHORTEST:
            break
        part = 0.5 * part
    set_motions(p, m)
    return set_misses(p, m)


def row_product(p: ContactArrays, m: NearProblem, i: int, x: Numbers) -> float:
    """A row of (A + w D) x."""
    out = m.weight * row_scale(p, i) * x[i]
    for j in range(p.n):
        out += p.A[i * p.n + j] * x[j]
    return out


def row_scale(p: ContactArrays, i: int) -> float:
    """Entry of D: A_NN of a normal row, the mobility of a tangential one."""
    return max(p.A[i * p.n + i], SMALLEST) if i < p.normals else p.mobility[(i - p.normals) // 2]


def set_motions(p: ContactArrays, m: NearProblem) -> None:
    for i in range(p.n):
        m.motion[i] = p.b[i] - m.weight * row_scale(p, i) * m.centre[i] + row_product(p, m, i, p.x)


def steepness(p: ContactArrays, m: NearProblem, i: int) -> float:
    """Factor of v in the natural map."""
    return STEEP / (row_scale(p, i) * (1.0 + m.weight))


def set_misses(p: ContactArrays, m: NearProblem) -> float:
    """Set the natural map; its energy norm."""
    square = 0.0
    for c in range(p.cones):
        r = steepness(p, m, c)
        m.miss[c] = p.x[c] - max(0.0, p.x[c] - r * m.motion[c])
        i = p.first[c]
        r = steepness(p, m, i)
        one = p.x[i] - r * m.motion[i]
        two = p.x[i + 1] - r * m.motion[i + 1]
        m.size[c] = sqrt(one * one + two * two)
        m.limit[c] = p.mu[c] * max(0.0, p.given[c] + p.x[c])
        scale = m.limit[c] / m.size[c] if m.size[c] > m.limit[c] else 1.0
        m.miss[i] = p.x[i] - scale * one
        m.miss[i + 1] = p.x[i + 1] - scale * two
        square += row_scale(p, c) * m.miss[c] * m.miss[c]
        square += row_scale(p, i) * (m.miss[i] * m.miss[i] + m.miss[i + 1] * m.miss[i + 1])
    return sqrt(square)


# ------------------------------------------------------------------------------------------------------- its equations


def set_equations(p: ContactArrays, m: NearProblem) -> None:
    """Steps of rows without force on the current branch, and the linear system for the other rows."""
    m.count = 0
    for i in range(p.n):
        m.step[i] = -p.x[i]
        if is_pushing(p, m, i) == 1:
            m.active[m.count] = i
            m.count += 1
    for k in range(m.count):
        m.step[m.active[k]] = 0.0
    for k in range(m.count):
        i = m.active[k]
        row = m.matrix[k * m.count :]
        if i < p.normals:
            hold_row(p, m, i, row)
            m.right[k] = -m.miss[i] - steepness(p, m, i) * row_product(p, m, i, m.step)
        else:
            set_tangential(p, m, k, i, row)


def is_pushing(p: ContactArrays, m: NearProblem, i: int) -> int:
    if i < p.normals:
        return 1 if p.x[i] - steepness(p, m, i) * m.motion[i] > 0.0 else 0
    return 1 if m.limit[(i - p.normals) // 2] > 0.0 else 0


def hold_row(p: ContactArrays, m: NearProblem, i: int, row: Numbers) -> None:
    """Active columns of the row, for v = 0."""
    r = steepness(p, m, i)
    for j in range(m.count):
        row[j] = r * p.A[i * p.n + m.active[j]]
        if m.active[j] == i:
            row[j] += r * m.weight * row_scale(p, i)


def set_tangential(p: ContactArrays, m: NearProblem, k: int, i: int, row: Numbers) -> None:
    """A row of a cone: v = 0 where it sticks; where it slips x = μ N d, d = w / |w| with w = x_T - v_T s / a, whose change
    is (1 - d dᵀ) dw / |w|."""
    c = (i - p.normals) // 2
    r = steepness(p, m, i)
    if m.size[c] <= m.limit[c]:
        hold_row(p, m, i, row)
        m.right[k] = -m.miss[i] - r * row_product(p, m, i, m.step)
        return
    at = p.first[c]
    other = at if i > at else at + 1
    d = (p.x[i] - r * m.motion[i]) / m.size[c]
    e = (p.x[other] - r * m.motion[other]) / m.size[c]
    turn = m.limit[c] / m.size[c]
    own = turn * (1.0 - d * d)
    across = -turn * d * e
    for q in range(m.count):
        j = m.active[q]
        row[q] = r * (own * p.A[i * p.n + j] + across * p.A[other * p.n + j])
        if j == i:
            row[q] += 1.0 - own + r * own * m.weight * row_scale(p, i)
        elif j == other:
            row[q] += -across + r * across * m.weight * row_scale(p, i)
        elif j == c:
            row[q] -= p.mu[c] * d
    known = own * row_product(p, m, i, m.step) + across * row_product(p, m, other, m.step)
    m.right[k] = -m.miss[i] - r * known
    if m.step[c] != 0.0:
        m.right[k] += p.mu[c] * d * m.step[c]
