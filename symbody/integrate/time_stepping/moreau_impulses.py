"""Impulses of a Moreau-Jean step, as kernels: the closed contacts at its midpoint, their problem, which cones stick.

The program `point` gives everything at the midpoint: gaps, slips, their rows G, and the changes of velocity X due to unit
impulses along these rows, along the constraints.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.kernel_language import Numbers
from ..complementarity.central_path import follow_central_path, solve_along_central_path
from ..complementarity.contact_arrays import set_motion
from ..complementarity.semismooth_newton import TOLERANCE, solve_by_newton
from .moreau_records import MoreauStep

RETURN: Final = 0.1  # fraction of the position drift of constraints that a step takes back
CLOSED: Final = 1e-12  # gaps below this fraction of the largest coordinate are closed: what rests keeps all its feet
ZERO_SLIP: Final = 1e-7  # slip speeds below this fraction of Σ|terms| count as zero
ZERO_SPEED: Final = 1e-12  # speeds below this fraction of Σ|terms| count as zero


def evaluate_midpoint(s: MoreauStep, t: float) -> None:
    """Everything at the midpoint of a step from t, variables after it, and the active rows."""
    s.point(
        (t + 0.5 * s.h, s.y),
        (
            s.gap, s.speed, s.restitution, s.slip, s.G, s.A, s.drive, s.X, s.udot, s.back, s.mu, s.static, s.damping, s.normal, s.share,
        ),
    )  # fmt: skip
    if s.variables is not None:
        s.variables((t + 0.5 * s.h, s.y), (s.zdot,))
        for i in range(s.n - s.n_q - s.n_u):
            s.y[s.n_q + s.n_u + i] += s.h * s.zdot[i]
    if s.softened is not None:
        s.softened((t + 0.5 * s.h, s.y), (s.push,))
    set_free_motion(s)
    choose_active_rows(s)


def set_free_motion(s: MoreauStep) -> None:
    """Contact-free velocity increment, plus the velocity-level constraint correction and a fraction RETURN of the
    position drift."""
    n = s.n_u
    for i in range(n):
        s.free[i] = s.h * s.udot[i]
        if s.is_constrained == 1:
            s.free[i] += s.h * s.back[n + i] + s.back[i] + RETURN / s.h * s.back[2 * n + i]


def free_change(s: MoreauStep, k: int) -> float:
    """The same along a row."""
    out = s.h * s.drive[k]
    if s.is_constrained == 1:
        out += s.h * s.drive[2 * s.rows + k] + s.drive[s.rows + k] + RETURN / s.h * s.drive[3 * s.rows + k]
    return out


def choose_active_rows(s: MoreauStep) -> None:
    """Rows of the closed contacts, then of their frictions and of those that are always together."""
    largest = 0.0
    for i in range(s.n_q):
        largest = max(largest, abs(s.y[i]))
    n = 0
    for k in range(s.contacts):
        s.at[k] = -1
        if s.softened is not None or s.gap[k] <= max(CLOSED, 0.1 * s.problem.precision) * largest:
            s.at[k] = n
            s.row[n] = k
            n += 1
    s.at[s.contacts] = 0
    s.problem.normals = n
    cones = 0
    for c in range(s.cones):
        if s.at[s.owner[c]] < 0:
            s.held[c] = 0
        else:
            s.cone[cones] = c
            s.problem.first[cones] = n
            s.problem.count[cones] = s.count[c]
            cones += 1
            for r in range(s.count[c]):
                s.row[n] = s.first[c] + r
                n += 1
    s.problem.n = n
    s.problem.cones = cones


def solve_impulses(s: MoreauStep) -> float:
    """Impulses of the contacts that are closed at the midpoint; the residual. Cones that stuck and would slip are
    solved again under the kinetic coefficient."""
    if s.softened is not None:
        pose_problem(s)
        return follow_central_path(s.problem, s.branches, s.energy)
    if s.remembers == 0:
        hold_slow_cones(s)
    pose_problem(s)
    residual = solve_by_newton(s.problem, s.branches, s.remembers)
    for _ in range(s.cones):
        if break_away(s) == 0:
            break
        residual = solve_by_newton(s.problem, s.branches, s.remembers)
    if s.remembers == 0 and residual > max(TOLERANCE, 100.0 * s.problem.precision):
        residual = solve_along_central_path(s.problem, s.branches, residual)
    return residual


def pose_problem(s: MoreauStep) -> None:
    """A and b of the problem, and its cones."""
    p = s.problem
    for i in range(p.n):
        for j in range(p.n):
            p.A[i * p.n + j] = s.A[s.row[i] * s.rows + s.row[j]]
        p.x[i] = s.before[s.row[i]]
        p.b[i] = free_change(s, s.row[i])
        s.viscous[i] = 0.0
    for i in range(p.normals):
        k = s.row[i]
        p.b[i] += s.speed[k]
        if s.softened is not None:
            p.b[i] += s.push[k]
        else:
            p.b[i] += s.restitution[k] * min(s.speed[k], 0.0)
    for c in range(p.cones):
        pose_cone(s, c)
    for i in range(p.n):
        p.b[i] += product(p.A[i * p.n :], s.viscous, p.n)
    for c in range(p.cones):
        p.given[c] += product(p.share[c * p.n :], s.viscous, p.n)


def pose_cone(s: MoreauStep, c: int) -> None:
    p = s.problem
    own = s.cone[c]
    i = p.first[c]
    for r in range(p.count[c]):
        slip = s.slip[s.row[i + r] - s.contacts]
        p.b[i + r] += slip
        s.viscous[i + r] = -s.h * s.damping[own] * slip
    p.mu[c] = s.mu[own]
    if s.held[own] == 1:
        p.mu[c] = s.static[own]
    p.given[c] = s.h * s.normal[own]
    p.owner[c] = -1
    if s.owner[own] < s.contacts:
        p.owner[c] = s.at[s.owner[own]]
    for j in range(p.n):
        p.share[c * p.n + j] = s.share[own * s.rows + s.row[j]]
    p.mobility[c] = max(p.A[i * p.n + i], 1e-300)
    if p.count[c] == 2:
        a = p.A[i * p.n + i]
        d = p.A[(i + 1) * p.n + i + 1]
        b = p.A[i * p.n + i + 1]
        p.mobility[c] = max(0.5 * (a + d) + sqrt(0.25 * (a - d) * (a - d) + b * b), 1e-300)


def hold_slow_cones(s: MoreauStep) -> None:
    """Without memory: cones whose slip, and whose approach, is no more than what forces change in this step stick up
    to the static limit."""
    for c in range(s.problem.cones):
        own = s.cone[c]
        s.held[own] = 1
        if s.owner[own] < s.contacts:
            k = s.owner[own]
            s.held[own] = is_slow(s, s.speed[k], k)
        for r in range(s.count[own]):
            row = s.first[own] + r
            if is_slow(s, s.slip[row - s.contacts], row) == 0:
                s.held[own] = 0


def is_slow(s: MoreauStep, speed: float, row: int) -> int:
    size = 0.0
    for i in range(s.n_u):
        size += abs(s.G[row * s.n_u + i] * s.y[s.n_q + i])
    return 1 if abs(speed) <= abs(free_change(s, row)) + max(ZERO_SPEED, 0.1 * s.problem.precision) * size else 0


def break_away(s: MoreauStep) -> int:
    """Cones that stuck and would slip do so under the kinetic coefficient; how many of them. Others may hold a cone at
    its limit."""
    count = 0
    for c in range(s.problem.cones):
        own = s.cone[c]
        if s.held[own] == 1 and slips(s, c) == 1:
            s.held[own] = 0
            if s.problem.mu[c] > s.mu[own]:
                s.problem.mu[c] = s.mu[own]
                count += 1
    return count


def come_to_rest(s: MoreauStep) -> None:
    """Cones without slip stick from now on."""
    for c in range(s.problem.cones):
        if slips(s, c) == 0:
            s.held[s.cone[c]] = 1


def slips(s: MoreauStep, c: int) -> int:
    """Whether a cone has a slip at the end of the step above ZERO_SLIP of its terms."""
    p = s.problem
    for r in range(p.count[c]):
        i = p.first[c] + r
        set_motion(p, i)
        if abs(p.motion[i]) > max(ZERO_SLIP, p.precision) * p.terms[i]:
            return 1
    return 0


def product(a: Numbers, b: Numbers, n: int) -> float:
    out = 0.0
    for i in range(n):
        out += a[i] * b[i]
    return out
