"""Contact forces on the central path, as kernels: the contact problem with its corners rounded off.

With v = A x + b, an energy κ of each row, and s = μ |N| of each cone,

    x_N v_N = κ,        λ (s² - |x_T|²) = 2 κ,        v_T = -λ x_T

Forces are interior and depend smoothly on A and b; for κ → 0 they tend to those of the contact problem
(`contact_arrays.py`): κ is what interior-point methods let go to zero. Here it stays. Newton's method on v_N, x_N, λ and
x_T together (primal-dual), with κ decreasing to its value (Nesterov and Nemirovskii 1994; Kučera et al. 2013 for friction).
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.kernel_language import Numbers, rarely
from ..elimination_kernels.complete_pivoting import eliminate_completely, solve_eliminated
from .contact_arrays import SMALLEST, ContactArrays, contact_residual, normal_force, row_motion
from .semismooth_newton import ContactBranch, keep, newton_step, write_branch

ITERATIONS: Final = 200
SHARPER: Final = 0.2  # factor of κ from one step to the next
TO_BORDER: Final = 0.9  # fraction of the way to the border of what is allowed that a step may go
NEARER: Final = 0.005  # least fraction of s² - |x_T|² that remains after a step
STEADY: Final = 1e-9  # relative change in a step after which the next one is rounding
NEAR_END: Final = 1e-5  # of the largest speed without forces: that at the end of the path, where branches are read off
LEAST_ROOM: Final = 1e-30  # of s² - |x_T|², where there is no friction
LEAST_PIVOT: Final = 1e-15  # fraction of the largest pivot of the scaled matrix


def follow_central_path(p: ContactArrays, b: ContactBranch, energy: Numbers) -> float:
    """Forces p.x with these κ by rows, of a cone that of its first row. The largest relative change in the last step.

    v_N is kept in b.kept, λ in b.size, s in b.limit.
    """
    excess = begin_inside(p, b, energy)
    change = 1e300
    for _ in range(ITERATIONS):
        write_central_matrix(p, b)
        write_central_right(p, b, energy, excess)
        solve_scaled(p, b)
        length = step_inside(p, b, energy, excess)
        change = take_step(p, b, energy, excess, length)
        if excess == 1.0 and length == 1.0 and change <= max(STEADY, p.precision):
            return change
        if length > 0.3:
            excess = max(1.0, SHARPER * excess)
    return change


@rarely
def solve_along_central_path(p: ContactArrays, b: ContactBranch, residual: float) -> float:
    """Forces where sweeps and Newton steps found none: the branch of a point near the end of the path, and a Newton step on
    it; the residual. (p.miss is memory.)"""
    for c in range(p.cones):
        if p.fixed[c] == 1:
            return residual
    speed = 0.0
    for i in range(p.n):
        speed = max(speed, abs(p.b[i]))
    for i in range(p.n):
        p.miss[i] = NEAR_END * speed * NEAR_END * speed / max(p.A[i * p.n + i], SMALLEST)
    follow_central_path(p, b, p.miss)
    for i in range(p.normals):
        if p.x[i] * p.A[i * p.n + i] < b.kept[i]:
            p.x[i] = 0.0
    p.change = 1e300
    keep(p, b)
    b.by_speed = 0
    write_branch(p, b, 0.0)
    newton_step(p, b)
    return contact_residual(p)


def begin_inside(p: ContactArrays, b: ContactBranch, energy: Numbers) -> float:
    """Forces without friction from speeds of each row alone; how many times κ they have."""
    excess = 1.0
    for i in range(p.normals):
        a = max(p.A[i * p.n + i], SMALLEST)
        speed = max(abs(p.b[i]), sqrt(energy[i] * a))
        b.kept[i] = speed
        p.x[i] = energy[i] / speed if p.b[i] > 0.0 else speed / a
        excess = max(excess, p.x[i] * speed / energy[i])
    for c in range(p.cones):
        for r in range(p.count[c]):
            p.x[p.first[c] + r] = 0.0
    for c in range(p.cones):
        set_central_limit(p, b, c)
        b.size[c] = 2.0 * excess * energy[p.first[c]] / max(b.limit[c] * b.limit[c], LEAST_ROOM)
    return excess


def set_central_limit(p: ContactArrays, b: ContactBranch, c: int) -> None:
    normal = normal_force(p, c)
    b.limit[c] = p.mu[c] * abs(normal)
    b.pressed[c] = 1.0 if normal > 0.0 else -1.0


def room(p: ContactArrays, b: ContactBranch, c: int) -> float:
    """s² - |x_T|²."""
    out = b.limit[c] * b.limit[c]
    for r in range(p.count[c]):
        out -= p.x[p.first[c] + r] * p.x[p.first[c] + r]
    return out


def write_central_matrix(p: ContactArrays, b: ContactBranch) -> None:
    """D B D of B dx = -∂b dθ + ..., with D of b.F such that its diagonal is 1: rows of open contacts are stiffer by many
    orders than those that press."""
    n = p.n
    for i in range(n * n):
        b.matrix[i] = p.A[i]
    for i in range(p.normals):
        b.matrix[i * n + i] += b.kept[i] / p.x[i]
    for c in range(p.cones):
        set_central_limit(p, b, c)
        turned = 2.0 * b.size[c] / max(room(p, b, c), LEAST_ROOM)
        grown = turned * b.limit[c] * p.mu[c] * b.pressed[c]
        for r in range(p.count[c]):
            i = p.first[c] + r
            b.matrix[i * n + i] += b.size[c]
            for k in range(p.count[c]):
                b.matrix[i * n + p.first[c] + k] += turned * p.x[i] * p.x[p.first[c] + k]
            for j in range(n):
                b.matrix[i * n + j] -= grown * p.x[i] * p.share[c * n + j]
    for i in range(n):
        b.F[i] = 1.0 / sqrt(max(b.matrix[i * n + i], SMALLEST))
    for i in range(n):
        for j in range(n):
            b.matrix[i * n + j] *= b.F[i] * b.F[j]


def write_central_right(p: ContactArrays, b: ContactBranch, energy: Numbers, excess: float) -> None:
    for i in range(p.n):
        p.motion[i] = row_motion(p, i)
    for i in range(p.normals):
        b.right[i] = b.F[i] * (excess * energy[i] / p.x[i] - p.motion[i])
    for c in range(p.cones):
        force = 2.0 * excess * energy[p.first[c]] / max(room(p, b, c), LEAST_ROOM)
        for r in range(p.count[c]):
            i = p.first[c] + r
            b.right[i] = -b.F[i] * (p.motion[i] + force * p.x[i])


def solve_scaled(p: ContactArrays, b: ContactBranch) -> None:
    n = p.n
    for i in range(n):
        b.row[i] = i
        b.column[i] = i
    rank = eliminate_completely(n, n, n, n, LEAST_PIVOT, b.matrix, b.row, b.column, b.quality)
    solve_eliminated(n, rank, 1, b.matrix, b.row, b.column, b.right, b.y, b.step)
    for i in range(n):
        b.step[i] *= b.F[i]


def speed_change(p: ContactArrays, b: ContactBranch, i: int) -> float:
    """Of v_N in a whole step, to A x + b at its end."""
    out = p.motion[i] - b.kept[i]
    for j in range(p.n):
        out += p.A[i * p.n + j] * b.step[j]
    return out


def stiffness_change(p: ContactArrays, b: ContactBranch, c: int, energy: Numbers, excess: float) -> float:
    """Of λ in a whole step."""
    left = max(room(p, b, c), LEAST_ROOM)
    grown = 0.0
    for j in range(p.n):
        grown += b.pressed[c] * p.mu[c] * b.limit[c] * p.share[c * p.n + j] * b.step[j]
    for r in range(p.count[c]):
        grown -= p.x[p.first[c] + r] * b.step[p.first[c] + r]
    return (2.0 * excess * energy[p.first[c]] - 2.0 * b.size[c] * grown) / left - b.size[c]


def step_inside(p: ContactArrays, b: ContactBranch, energy: Numbers, excess: float) -> float:
    """The part of the step that stays inside."""
    length = 1.0
    for i in range(p.normals):
        length = positive_part(length, p.x[i], b.step[i])
        change = speed_change(p, b, i)
        length = positive_part(length, b.kept[i], change)
    for c in range(p.cones):
        change = stiffness_change(p, b, c, energy, excess)
        length = positive_part(length, b.size[c], change)
    for c in range(p.cones):
        left = room(p, b, c)
        while length > 1e-12 and room_after(p, b, c, length) < NEARER * left:
            length *= 0.7
    return length


def positive_part(length: float, value: float, change: float) -> float:
    """So that a positive value stays positive."""
    if value + length * change > (1.0 - TO_BORDER) * value:
        return length
    return -TO_BORDER * value / change


def room_after(p: ContactArrays, b: ContactBranch, c: int, length: float) -> float:
    normal = normal_force(p, c)
    for j in range(p.n):
        normal += length * p.share[c * p.n + j] * b.step[j]
    out = p.mu[c] * normal * p.mu[c] * normal
    for r in range(p.count[c]):
        x = p.x[p.first[c] + r] + length * b.step[p.first[c] + r]
        out -= x * x
    return out


def take_step(p: ContactArrays, b: ContactBranch, energy: Numbers, excess: float, length: float) -> float:
    """The largest change of a force, relative to the normal force or to s."""
    change = 0.0
    for c in range(p.cones):
        b.way[c] = stiffness_change(p, b, c, energy, excess)
        for r in range(p.count[c]):
            change = max(change, abs(b.step[p.first[c] + r]) / max(b.limit[c], SMALLEST))
    for i in range(p.normals):
        b.kept[i] += length * speed_change(p, b, i)
        change = max(change, abs(b.step[i]) / p.x[i])
    for i in range(p.n):
        p.x[i] += length * b.step[i]
    for c in range(p.cones):
        b.size[c] += length * b.way[c]
    return change
