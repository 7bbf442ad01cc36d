"""Contact forces of an island by an interior-point method, as kernels on dense arrays: from no guess to the neighbourhood of a
solution, where Newton's method (`proximal_newton.py`) takes over.

With de Saxcé's (1998) velocity, Coulomb's law is complementarity of cones. In

    r = (μ x_N, x_T),   y = (v_N / μ + |v_T|, v_T),   v = A x + b

the laws of contact and friction are r₀ >= |r_T|, y₀ >= |y_T| and r · y = 0. Points of the central path have

    r ∘ y = κ e,   a ∘ b = (a · b, a₀ b_T + b₀ a_T),   e = (1, 0, 0),

and κ decreases to zero. Newton's method solves both equations for x and y, with the derivative of |v_T| in it (Acary, Armand, Nguyen
and Shpakovych 2023), in the scaling of Nesterov and Todd (1997), W r = W⁻¹ y = λ:

    (A + μ d A_T in normal rows + P W² P) dx = P (W (λ \\ c) + y - y(x)),   P = diag(μ, 1, 1),   d = v_T / |v_T|

with c = -λ ∘ λ in a first step, which shows how far κ can decrease, and c = -λ ∘ λ + κ e - (W dr) ∘ (W⁻¹ dy) in the second (Mehrotra
1992). A cone without friction has its normal row alone, with P = 1. The path need not lead to a solution, since friction is not
monotone: the best forces on the way count.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from ...algebra.elimination.elimination import general_factor, general_solve
from ...emit.loops.kernel_language import Mutable, Numbers
from ...emit.loops.records import Struct
from .contact_arrays import SMALLEST, ContactArrays, contact_residual, row_motion
from .proximal_newton import NearProblem, copy_numbers

NEAR: Final = 1e-4  # residual at which Newton's method takes over
MOST_STEPS: Final = 30
MOST_SHORT: Final = 10  # short steps after which the path is given up
SHORT: Final = 0.1  # step length after which the next step only approaches the path
SHORTEST: Final = 1e-7
TO_BORDER: Final = 0.95  # fraction of the way to the border of the cones
LEAST_DECREASE: Final = 0.8  # factor of κ in a step is at most this, and
MOST_DECREASE: Final = 1e-4  # at least this
CENTRED: Final = 0.7  # factor of κ in a step that only approaches the path
ROUND: Final = 1e-6  # |v_T| is √(|v_T|² + ε²), with ε this fraction of the velocities b
END: Final = 1e-12  # κ, as a fraction of the first, at which the path ends
SIZE: Final = 3  # of a cone


class ConePath(Struct):
    """Memory for cones, in SIZE numbers each, and a point near the path.

    gap           κ, `length` of the last step, `scale`: root mean square of b in the coordinates of y
    r, y          point of the path; `dr`, `dy`: a step of it
    excess        y - y(x)
    axis, half    of W: W = β (2 h hᵀ - J), W² = β² (2 a aᵀ - J), J = diag(1, -1, -1), and `stretch`: β
    turned        λ, and `target`: c
    d             of each cone, two numbers: v_T / |v_T|
    t             memory for three cones
    """

    gap: Mutable[float]
    length: Mutable[float]
    scale: Mutable[float]
    r: Numbers
    y: Numbers
    dr: Numbers
    dy: Numbers
    excess: Numbers
    axis: Numbers
    half: Numbers
    stretch: Numbers
    turned: Numbers
    target: Numbers
    d: Numbers
    t: Numbers


def cone_path(cones: int) -> ConePath:
    numbers = [np.zeros(SIZE * cones + 1) for _ in range(9)]
    return ConePath(
        gap=0.0, length=0.0, scale=0.0, r=numbers[0], y=numbers[1], dr=numbers[2], dy=numbers[3], excess=numbers[4], axis=numbers[5], half=numbers[6],
        stretch=np.zeros(cones + 1), turned=numbers[7], target=numbers[8], d=np.zeros(2 * cones + 1), t=np.zeros(3 * SIZE),
    )  # fmt: skip


def approach_solution(p: ContactArrays, m: NearProblem, s: ConePath, start: float, tolerance: float) -> float:
    """Forces p.x near a solution, by a path from `start` times the size of b; the best ones, those that were there included, if it does not
    come near. The normal force of a cone is that of its own row (`given` is zero)."""
    best = max(contact_residual(p), NEAR)
    copy_numbers(p.n, p.x, m.best)
    begin_path(p, s, start)
    short = 0
    first = 0.0
    for _ in range(MOST_STEPS):
        set_excess(p, s)
        first = max(first, s.gap)
        if not s.gap > END * first:
            break
        residual = contact_residual(p)
        if residual < best:
            best = residual
            copy_numbers(p.n, p.x, m.best)
        if best < NEAR or best <= tolerance or short > MOST_SHORT:
            break
        m.steps += 1
        set_scaling(p, s)
        set_path_matrix(p, m, s)
        general_factor(p.n, m.matrix, m.order)
        follow_path(p, m, s)
        if not s.length > SHORTEST:
            break
        if s.length < SHORT:
            short += 1
    copy_numbers(p.n, m.best, p.x)
    return best


def follow_path(p: ContactArrays, m: NearProblem, s: ConePath) -> None:
    """A step of x and y."""
    factor = CENTRED
    corrected = 0
    if s.length >= SHORT:
        set_target(p, s, 0.0, 0)
        set_direction(p, m, s)
        length = length_inside(p, s)
        after = gap_after(p, s, length) / s.gap
        factor = min(max(after * after * after, MOST_DECREASE), LEAST_DECREASE)
        corrected = 1 if length > SHORT else 0
    set_target(p, s, factor * s.gap, corrected)
    set_direction(p, m, s)
    s.length = min(1.0, TO_BORDER * length_inside(p, s))
    for i in range(SIZE * p.cones):
        s.r[i] += s.length * s.dr[i]
        s.y[i] += s.length * s.dy[i]
    set_forces(p, s)


# ------------------------------------------------------------------------------------------------------- a point of the path


def is_rough(p: ContactArrays, k: int) -> int:
    return 1 if p.mu[k] > 0.0 else 0


def cone_friction(p: ContactArrays, k: int) -> float:
    """The first entry of P."""
    return p.mu[k] if is_rough(p, k) == 1 else 1.0


def cone_row(p: ContactArrays, k: int, j: int) -> int:
    """The row of a number of a cone."""
    return p.owner[k] if j == 0 else p.first[k] + j - 1


def begin_path(p: ContactArrays, s: ConePath, start: float) -> None:
    """Forces and velocities along the axes of the cones, this many times those of the size of b."""
    square = 0.0
    for k in range(p.cones):
        for j in range(SIZE):
            s.r[SIZE * k + j] = 0.0
            s.y[SIZE * k + j] = 0.0
            s.excess[SIZE * k + j] = 0.0
        for j in range(rows_of_cone(p, k)):
            motion = p.b[cone_row(p, k, j)]
            if j == 0:
                motion = motion / cone_friction(p, k)
            square += motion * motion
    s.scale = sqrt(square / float(max(p.cones, 1)))
    s.length = 1.0
    for k in range(p.cones):
        rows = rows_of_cone(p, k)
        mobility = 0.0
        for j in range(rows):
            i = cone_row(p, k, j)
            mobility += p.A[i * p.n + i] if j > 0 else p.A[i * p.n + i] / (cone_friction(p, k) * cone_friction(p, k))
        s.r[SIZE * k] = start * s.scale * float(rows) / max(mobility, SMALLEST)
        s.y[SIZE * k] = start * s.scale
    set_forces(p, s)


def rows_of_cone(p: ContactArrays, k: int) -> int:
    return SIZE if is_rough(p, k) == 1 else 1


def set_forces(p: ContactArrays, s: ConePath) -> None:
    for k in range(p.cones):
        for j in range(SIZE):
            p.x[cone_row(p, k, j)] = s.r[SIZE * k + j]
        p.x[p.owner[k]] = s.r[SIZE * k] / cone_friction(p, k)


def set_excess(p: ContactArrays, s: ConePath) -> None:
    """y - y(x), d and κ."""
    gap = 0.0
    for k in range(p.cones):
        i = SIZE * k
        s.excess[i] = s.y[i] - row_motion(p, p.owner[k]) / cone_friction(p, k)
        if is_rough(p, k) == 1:
            one = row_motion(p, cone_row(p, k, 1))
            two = row_motion(p, cone_row(p, k, 2))
            slip = sqrt(one * one + two * two + ROUND * s.scale * ROUND * s.scale)
            s.d[2 * k] = one / slip
            s.d[2 * k + 1] = two / slip
            s.excess[i] -= slip
            s.excess[i + 1] = s.y[i + 1] - one
            s.excess[i + 2] = s.y[i + 2] - two
        gap += inner(s.r[i:], s.y[i:])
    s.gap = gap / float(max(p.cones, 1))


def set_path_matrix(p: ContactArrays, m: NearProblem, s: ConePath) -> None:
    """A + μ d A_T in normal rows + P W² P."""
    n = p.n
    for i in range(n * n):
        m.matrix[i] = p.A[i]
    for k in range(p.cones):
        if is_rough(p, k) == 1:
            add_slip(p, m, s, k)
        else:
            for j in range(1, SIZE):
                hold_force(p, m, cone_row(p, k, j))
        add_scaling(p, m, s, k)


def add_slip(p: ContactArrays, m: NearProblem, s: ConePath, k: int) -> None:
    """μ d A_T in the normal row."""
    normal = p.owner[k] * p.n
    one = cone_row(p, k, 1) * p.n
    two = cone_row(p, k, 2) * p.n
    for j in range(p.n):
        m.matrix[normal + j] += p.mu[k] * (s.d[2 * k] * p.A[one + j] + s.d[2 * k + 1] * p.A[two + j])


def hold_force(p: ContactArrays, m: NearProblem, i: int) -> None:
    """dx = 0 in a row, in which `excess` and `target` are zero."""
    for j in range(p.n):
        m.matrix[i * p.n + j] = 0.0


def add_scaling(p: ContactArrays, m: NearProblem, s: ConePath, k: int) -> None:
    """P W² P."""
    square = s.stretch[k] * s.stretch[k]
    for r in range(SIZE):
        for q in range(SIZE):
            entry = 2.0 * s.axis[SIZE * k + r] * s.axis[SIZE * k + q]
            if r == q:
                entry += 1.0 if r > 0 else -1.0
            if r == 0:
                entry *= cone_friction(p, k)
            if q == 0:
                entry *= cone_friction(p, k)
            m.matrix[cone_row(p, k, r) * p.n + cone_row(p, k, q)] += square * entry


# ------------------------------------------------------------------------------------------------------- a step


def set_direction(p: ContactArrays, m: NearProblem, s: ConePath) -> None:
    """The step of r and y for the targets c."""
    for k in range(p.cones):
        i = SIZE * k
        divide(s.turned[i:], s.target[i:], s.t)
        scale_up(s, k, s.t, s.target[i:])
        for j in range(SIZE):
            m.right[cone_row(p, k, j)] = s.target[i + j] + s.excess[i + j]
        m.right[p.owner[k]] *= cone_friction(p, k)
    general_solve(p.n, m.matrix, m.order, m.right)
    for k in range(p.cones):
        i = SIZE * k
        for j in range(SIZE):
            s.dr[i + j] = m.right[cone_row(p, k, j)]
        s.dr[i] *= cone_friction(p, k)
        scale_up(s, k, s.dr[i:], s.t)
        scale_up(s, k, s.t, s.t[SIZE:])
        for j in range(SIZE):
            s.dy[i + j] = s.target[i + j] - s.t[SIZE + j]


def set_target(p: ContactArrays, s: ConePath, gap: float, corrected: int) -> None:
    """c, with this κ; corrected by the step that is there."""
    for k in range(p.cones):
        i = SIZE * k
        multiply(s.turned[i:], s.turned[i:], s.t[2 * SIZE :])
        for j in range(SIZE):
            s.target[i + j] = -s.t[2 * SIZE + j]
        s.target[i] += gap
        if corrected == 1:
            scale_up(s, k, s.dr[i:], s.t)
            scale_down(s, k, s.dy[i:], s.t[SIZE:])
            multiply(s.t, s.t[SIZE:], s.t[2 * SIZE :])
            for j in range(SIZE):
                s.target[i + j] -= s.t[2 * SIZE + j]


def length_inside(p: ContactArrays, s: ConePath) -> float:
    """The part of the step to the border of the cones, at most 1."""
    length = 1.0
    for k in range(p.cones):
        length = min(length, length_to_border(s.r[SIZE * k :], s.dr[SIZE * k :]))
        length = min(length, length_to_border(s.y[SIZE * k :], s.dy[SIZE * k :]))
    return length


def length_to_border(z: Numbers, step: Numbers) -> float:
    """The least positive t with |z + t step|_J = 0, c + 2 b t + a t² = 0, at most 1."""
    a = step[0] * step[0] - step[1] * step[1] - step[2] * step[2]
    b = z[0] * step[0] - z[1] * step[1] - z[2] * step[2]
    c = square_inside(z)
    within = b * b - a * c
    if within < 0.0:
        return 1.0
    slope = sqrt(within) - b
    return c / slope if slope > c else 1.0


def gap_after(p: ContactArrays, s: ConePath, length: float) -> float:
    gap = 0.0
    for i in range(SIZE * p.cones):
        gap += (s.r[i] + length * s.dr[i]) * (s.y[i] + length * s.dy[i])
    return gap / float(max(p.cones, 1))


# ------------------------------------------------------------------------------------------------------- cones


def set_scaling(p: ContactArrays, s: ConePath) -> None:
    """W and λ of all cones: W² takes r to y."""
    for k in range(p.cones):
        i = SIZE * k
        of_r = sqrt(square_inside(s.r[i:]))
        of_y = sqrt(square_inside(s.y[i:]))
        between = sqrt(0.5 * (1.0 + inner(s.r[i:], s.y[i:]) / (of_r * of_y)))
        s.axis[i] = 0.5 * (s.y[i] / of_y + s.r[i] / of_r) / between
        for j in range(1, SIZE):
            s.axis[i + j] = 0.5 * (s.y[i + j] / of_y - s.r[i + j] / of_r) / between
        root = sqrt(2.0 * (s.axis[i] + 1.0))
        for j in range(SIZE):
            s.half[i + j] = (s.axis[i + j] + (1.0 if j == 0 else 0.0)) / root
        s.stretch[k] = sqrt(of_y / of_r)
        scale_up(s, k, s.r[i:], s.turned[i:])


def inner(a: Numbers, b: Numbers) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def square_inside(z: Numbers) -> float:
    """z₀² - |z_T|²."""
    size = sqrt(z[1] * z[1] + z[2] * z[2])
    return max((z[0] - size) * (z[0] + size), SMALLEST)


def multiply(a: Numbers, b: Numbers, to: Numbers) -> None:
    """a ∘ b."""
    to[0] = inner(a, b)
    to[1] = a[0] * b[1] + b[0] * a[1]
    to[2] = a[0] * b[2] + b[0] * a[2]


def divide(a: Numbers, c: Numbers, to: Numbers) -> None:
    """The b with a ∘ b = c."""
    to[0] = (a[0] * c[0] - a[1] * c[1] - a[2] * c[2]) / square_inside(a)
    to[1] = (c[1] - to[0] * a[1]) / a[0]
    to[2] = (c[2] - to[0] * a[2]) / a[0]


def scale_up(s: ConePath, k: int, z: Numbers, to: Numbers) -> None:
    """W z."""
    along = 2.0 * inner(s.half[SIZE * k :], z)
    for j in range(SIZE):
        own = z[j] if j > 0 else -z[j]
        to[j] = s.stretch[k] * (along * s.half[SIZE * k + j] + own)


def scale_down(s: ConePath, k: int, z: Numbers, to: Numbers) -> None:
    """W⁻¹ z = J (2 h hᵀ - J) J z / β."""
    h = s.half[SIZE * k :]
    along = 2.0 * (h[0] * z[0] - h[1] * z[1] - h[2] * z[2])
    to[0] = (along * h[0] - z[0]) / s.stretch[k]
    to[1] = (z[1] - along * h[1]) / s.stretch[k]
    to[2] = (z[2] - along * h[2]) / s.stretch[k]
