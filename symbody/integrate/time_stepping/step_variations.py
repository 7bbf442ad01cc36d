"""Derivatives of a Moreau-Jean step on its branch, as kernels.

With θ = (q, u, z) and parameters at the midpoint, F = 0 the balance of momenta and constraints, V the speeds of the rows,
[E; ·] = [M Hᵀ; Jc 0]⁻¹, X = E Gᵀ and B the matrix of the branch that the step is on (`semismooth_newton.py`),

    dδ = -E ∂F dθ + X dx,    B dx = -C (∂V dθ + G dδ₀) + w d(μ N),    δ = u⁺ - u,  δ₀ without dx

so that with Z = X B⁻¹ and W = -Z C

    dδ = -(E + W G E) ∂F dθ + W ∂V dθ + Z w d(μ N)

whose large factors have as many columns as there are speeds; ∂F, ∂V and ∂(μ N) are sparse. All derivatives are stored
column after column.
"""

from __future__ import annotations

from math import sqrt

from ...emit.loops.kernel_language import Numbers
from ..complementarity.central_path import LEAST_PIVOT, LEAST_ROOM, room, write_central_matrix
from ..complementarity.contact_arrays import ContactArrays
from ..complementarity.semismooth_newton import HOLDS, SINGULAR, SLIPS, ContactBranch, turning, write_branch
from ..elimination_kernels.complete_pivoting import eliminate_completely, solve_transposed
from .branch_borders import mark_borders
from .moreau_records import MoreauStep, StepVariations


def vary_first_half(s: MoreauStep, v: StepVariations, t: float) -> None:
    """J of the state half a step on: 1 + h/2 ∂q'/∂θ."""
    if v.columns == 0:
        return
    for i in range(v.width * s.n):
        v.J[i] = 0.0
    for i in range(s.n):
        v.J[i * s.n + i] = 1.0
    if v.rates is not None:
        v.rates((t, s.y), (v.qdot.value,))
        for e in range(v.qdot.count):
            v.J[v.qdot.column[e] * s.n + v.qdot.row[e]] += 0.5 * s.h * v.qdot.value[e]


def vary_length(s: MoreauStep, v: StepVariations) -> None:
    """J of the coordinates with h: q'/2 of each half."""
    if v.columns == 0 or v.length < 0 or s.rates is None:
        return
    add_multiple(s.n_q, 0.5, s.qdot, v.J[v.length * s.n :])


def keep_midpoint(s: MoreauStep, v: StepVariations) -> None:
    """The state there, with variables before the step, and impulses by rows of the mechanism."""
    if v.columns == 0:
        return
    p = s.problem
    for i in range(s.n):
        v.y[i] = s.y[i]
    for i in range(s.n - s.n_q - s.n_u):
        v.y[s.n_q + s.n_u + i] -= s.h * s.zdot[i]
    for i in range(s.rows):
        v.impulses[i] = 0.0
        v.part[i] = 0.0
        v.active[i] = -1
    for i in range(p.n):
        v.impulses[s.row[i]] = p.x[i]
        v.part[s.row[i]] = 1.0
        v.active[s.row[i]] = i
    for c in range(p.cones):
        v.static[s.cone[c]] = 0.0 if p.mu[c] == s.mu[s.cone[c]] else 1.0


def vary_speeds(s: MoreauStep, v: StepVariations, middle: float) -> None:
    """J of the variables and of the speeds after the step."""
    if v.columns == 0:
        return
    for i in range(s.n_u):
        v.after[i] = s.y[s.n_q + i]
    if v.point is not None:
        v.point(
            (middle, v.y, s.h, v.impulses, v.part, v.static, v.after),
            (v.F.value, v.V.value, v.limit.value, v.zdot.value, v.E),
        )
    vary_variables(s, v)
    set_responses(s, v)
    if s.softened is None:
        mark_borders(s, v.border)
    set_midpoint_derivatives(s, v)
    for k in range(v.width):
        column = v.J[k * s.n :]
        if k >= s.n_q:
            add_multiple(s.n_u, 1.0, v.D[k * s.n_u :], column[s.n_q :])
        for i in range(s.n_q):
            if column[i] != 0.0:
                add_multiple(s.n_u, column[i], v.D[i * s.n_u :], column[s.n_q :])
    if v.length >= 0 and v.clock >= 0:
        add_multiple(s.n_u, 0.5, v.D[v.clock * s.n_u :], v.J[v.length * s.n + s.n_q :])


def vary_variables(s: MoreauStep, v: StepVariations) -> None:
    """z + h z' with q at the midpoint."""
    first = s.n_q + s.n_u
    for e in range(v.zdot.count):
        i = v.zdot.row[e]
        k = v.zdot.column[e]
        if k >= s.n_q:
            v.J[k * s.n + first + i] += s.h * v.zdot.value[e]
        else:
            for j in range(v.width):
                v.J[j * s.n + first + i] += s.h * v.zdot.value[e] * v.J[j * s.n + k]
        if k == v.clock and v.length >= 0:
            v.J[v.length * s.n + first + i] += 0.5 * s.h * v.zdot.value[e]
    if v.length >= 0:
        add_multiple(s.n - first, 1.0, s.zdot, v.J[v.length * s.n + first :])


def set_responses(s: MoreauStep, v: StepVariations) -> None:
    """Z, W and what limits do, then E + W G E in place of E."""
    p = s.problem
    b = s.branches
    n = s.n_u
    for i in range(p.n):
        b.row[i] = i
        b.column[i] = i
        for a in range(n):
            v.D[i * n + a] = s.X[s.row[i] * n + a]
    if s.softened is not None:
        set_central_responses(p, b, v, n)
    else:
        set_branch_responses(p, b, v, n)
    for j in range(v.sides):
        for i in range(p.n):
            pushed = 0.0
            if v.sides == n:
                pushed = s.X[s.row[i] * n + j]
            else:
                for a in range(n):
                    pushed += s.G[s.row[i] * n + a] * v.E[j * n + a]
            v.memory[i] = pushed
        for i in range(p.n):
            if v.memory[i] != 0.0:
                add_multiple(n, v.memory[i], v.W[i * n :], v.E[j * n :])


def set_branch_responses(p: ContactArrays, b: ContactBranch, v: StepVariations, n: int) -> None:
    b.by_speed = 0
    write_branch(p, b, 0.0)
    smallest = max(SINGULAR, 0.1 * p.precision)
    rank = eliminate_completely(p.n, p.n, p.n, p.n, smallest, b.matrix, b.row, b.column, b.quality)
    solve_transposed(p.n, rank, n, b.matrix, b.row, b.column, v.D, v.memory, v.Z)
    for i in range(p.normals):
        scale = -1.0 / p.A[i * p.n + i] if b.kind[i] == HOLDS else 0.0
        for a in range(n):
            v.W[i * n + a] = scale * v.Z[i * n + a]
    for c in range(p.cones):
        set_cone_response(p, b, v, c, n)


def set_central_responses(p: ContactArrays, b: ContactBranch, v: StepVariations, n: int) -> None:
    """On the central path, whose matrix is scaled on both sides: W = -Z."""
    write_central_matrix(p, b)
    for i in range(p.n):
        for a in range(n):
            v.D[i * n + a] *= b.F[i]
    rank = eliminate_completely(p.n, p.n, p.n, p.n, LEAST_PIVOT, b.matrix, b.row, b.column, b.quality)
    solve_transposed(p.n, rank, n, b.matrix, b.row, b.column, v.D, v.memory, v.Z)
    for i in range(p.n):
        for a in range(n):
            v.Z[i * n + a] *= b.F[i]
            v.W[i * n + a] = -v.Z[i * n + a]
    for c in range(p.cones):
        for a in range(n):
            v.limits_to[c * n + a] = 0.0
        grown = 2.0 * b.size[c] * b.limit[c] / max(room(p, b, c), LEAST_ROOM)
        for r in range(p.count[c]):
            i = p.first[c] + r
            add_multiple(n, grown * p.x[i], v.Z[i * n :], v.limits_to[c * n :])


def set_cone_response(p: ContactArrays, b: ContactBranch, v: StepVariations, c: int, n: int) -> None:
    i = p.first[c]
    for a in range(n):
        v.limits_to[c * n + a] = 0.0
    for k in range(p.count[c]):
        for a in range(n):
            v.W[(i + k) * n + a] = 0.0
        if b.kind[i] == SLIPS:
            for r in range(p.count[c]):
                factor = -turning(p, b, c, r, k) / p.mobility[c]
                add_multiple(n, factor, v.Z[(i + r) * n :], v.W[(i + k) * n :])
            add_multiple(n, b.way[2 * c + k], v.Z[(i + k) * n :], v.limits_to[c * n :])
        else:
            add_multiple(n, -1.0 / p.mobility[c], v.Z[(i + k) * n :], v.W[(i + k) * n :])


def set_midpoint_derivatives(s: MoreauStep, v: StepVariations) -> None:
    """D. Rows of V are differentiated at fixed u⁺ = u + δ; with δ fixed, u adds W G."""
    p = s.problem
    n = s.n_u
    for i in range(v.width * n):
        v.D[i] = 0.0
    for e in range(v.F.count):
        add_multiple(n, -v.F.value[e], v.E[v.F.row[e] * n :], v.D[v.F.column[e] * n :])
    for e in range(v.V.count):
        i = v.active[v.V.row[e]]
        if i >= 0:
            add_multiple(n, v.V.value[e], v.W[i * n :], v.D[v.V.column[e] * n :])
    for i in range(p.n):
        for a in range(n):
            g = s.G[s.row[i] * n + a]
            if g != 0.0:
                add_multiple(n, g, v.W[i * n :], v.D[(s.n_q + a) * n :])
    for c in range(p.cones):
        for e in range(v.limit.count):
            if v.limit.row[e] == s.cone[c]:
                add_multiple(n, v.limit.value[e], v.limits_to[c * n :], v.D[v.limit.column[e] * n :])


def vary_second_half(s: MoreauStep, v: StepVariations, end: float) -> None:
    """J of the coordinates at the end of the step, with the new speeds at its midpoint."""
    if v.columns == 0 or v.rates is None:
        return
    v.rates((end, s.y), (v.qdot.value,))
    for k in range(v.width):
        column = v.J[k * s.n :]
        for i in range(s.n_q):
            v.memory[i] = column[i]
        for e in range(v.qdot.count):
            j = v.qdot.column[e]
            change = 0.0
            if j >= s.n:
                change = 1.0 if j == k or (j == v.clock and k == v.length) else 0.0
            elif j < s.n_q:
                change = v.memory[j]
            else:
                change = column[j]
            column[v.qdot.row[e]] += 0.5 * s.h * v.qdot.value[e] * change


def vary_rotations(s: MoreauStep, v: StepVariations) -> None:
    """Euler parameters e / |e|: (1 - ê êᵀ) de / |e|."""
    if v.columns == 0:
        return
    for e in range(s.rotations):
        places = s.turns[4 * e :]
        square = 0.0
        for i in range(4):
            square += s.y[places[i]] * s.y[places[i]]
        for k in range(v.width):
            column = v.J[k * s.n :]
            along = 0.0
            for i in range(4):
                along += s.y[places[i]] * column[places[i]]
            for i in range(4):
                column[places[i]] = (column[places[i]] - along / square * s.y[places[i]]) / sqrt(square)


def chain_variations(s: MoreauStep, v: StepVariations, after: float) -> None:
    """S of the state after this step: J times S, and J of the seeds times their changes."""
    if v.columns == 0:
        return
    for j in range(v.columns):
        column = v.S[j * s.n :]
        if v.is_first == 1 and v.unit[j] >= 0:
            alone = v.J[v.unit[j] * s.n :]
            for i in range(s.n):
                column[i] = alone[i]
            continue
        for i in range(s.n):
            v.memory[i] = 0.0
        for k in range(s.n):
            if column[k] != 0.0:
                add_multiple(s.n, column[k], v.J[k * s.n :], v.memory)
        for i in range(v.seeds):
            change = v.constant[i * v.columns + j] + after * v.growing[i * v.columns + j]
            if change != 0.0:
                add_multiple(s.n, change, v.J[(s.n + i) * s.n :], v.memory)
        if j == v.by_step:
            add_multiple(s.n, v.length_change, v.J[v.length * s.n :], v.memory)
            if v.clock >= 0:
                add_multiple(s.n, v.clock_change, v.J[v.clock * s.n :], v.memory)
        for i in range(s.n):
            column[i] = v.memory[i]
    v.is_first = 0


def add_multiple(n: int, factor: float, a: Numbers, out: Numbers) -> None:
    for i in range(n):
        out[i] += factor * a[i]
