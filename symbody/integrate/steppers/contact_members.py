"""Steps of members with contacts, as kernels: Moreau-Jean steps of each from its own row, and their derivatives.

Nothing is remembered from call to call, so that the state after a step is a function of the state before it. In
particular a friction may be at its static limit where its slip and the approach of its contact are no more than what
forces change in a step; elsewhere it has the kinetic coefficient.

Derivatives are those of the branch that a step is on (`contact_branches.py`), with θ = (q, u, z) and parameters. At the
midpoint `point` gives ∂u⁺/∂θ, ∂v/∂θ of all rows and ∂(μ N)/∂θ with the impulses x held, then

    B dx = -∂F/∂θ dθ,    du⁺ = ∂u⁺/∂θ dθ + X dx
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.language import Function, Indices, Mutable, Numbers
from ...emit.loops.records import Struct
from ..contact.contact_branches import HOLDS, SLIPS, ContactBranch, branch, solve_branch, solved_impulses, turning
from ..contact.moreau_steps import (
    MoreauSteps,
    at_midpoint,
    break_away,
    change_speeds,
    half_way,
    is_all_finite,
    normalize,
    pose,
    product,
)
from ..kernels.march_records import DONE, NOT_CONVERGED, NOT_FINITE

POOR: Final = 1e-4  # of the largest impulse: a residual above it is no solution
NO_CHANGE: Final = 1e-12  # of its terms: a speed below this is none
NOTES: Final = 2  # status, residual; impulses follow


class StepVariations(Struct):
    """Derivatives along some columns: of the n numbers of the state in S, column after column, with those of the `width`
    numbers θ in T, row after row.

    constant, growing   changes of the `seeds` parameters with each column: constant + (t - begin) growing
    rates, point        programs of the derivatives of q', and of everything at the midpoint
    impulses            x by rows of the mechanism; `part` 1 where a row takes part, `static` 1 where the static
                        coefficient is a cone's
    """

    columns: int
    seeds: int
    width: int
    y: Numbers
    S: Numbers
    T: Numbers
    constant: Numbers
    growing: Numbers
    rates: Function | None
    point: Function | None
    qdot: Numbers
    U: Numbers
    V: Numbers
    limit: Numbers
    zdot: Numbers
    impulses: Numbers
    part: Numbers
    static: Numbers
    right: Numbers
    dx: Numbers
    memory: Numbers


class ContactMembers(Struct):
    """Members `first` to `stop`: rows of starts and ends (`width` numbers), of what is given (n_given: the time at the
    beginning, parameters, inputs and their slopes), and of notes (n_notes).

    p, r          parameters and inputs of the member at work
    at, slope_at  where inputs and their slopes stand in what is given; -1: zero
    """

    first: Mutable[int]
    stop: Mutable[int]
    width: int
    n_given: int
    n_notes: int
    n_p: int
    n_r: int
    substeps: int
    starts: Numbers
    given: Numbers
    ends: Numbers
    noted: Numbers
    p: Numbers
    r: Numbers
    at: Indices
    slope_at: Indices
    steps: MoreauSteps
    branches: ContactBranch
    variations: StepVariations


def step_contact_members(m: ContactMembers) -> None:
    for k in range(m.first, m.stop):
        begin_contact_member(m, m.starts[k * m.width :], m.given[k * m.n_given :])
        run_contact_member(m, m.given[k * m.n_given :], m.noted[k * m.n_notes :])
        end = m.ends[k * m.width :]
        for i in range(m.steps.n):
            end[i] = m.steps.y[i]
        for i in range(m.variations.columns * m.steps.n):
            end[m.steps.n + i] = m.variations.S[i]


def begin_contact_member(m: ContactMembers, start: Numbers, given: Numbers) -> None:
    """The state of a member, its parameters, and nothing remembered."""
    s = m.steps
    for i in range(s.n):
        s.y[i] = start[i]
    for i in range(m.variations.columns * s.n):
        m.variations.S[i] = start[s.n + i]
    for i in range(m.n_p):
        m.p[i] = given[1 + i]
    for i in range(s.rows):
        s.before[i] = 0.0


def run_contact_member(m: ContactMembers, given: Numbers, note: Numbers) -> None:
    """All substeps; the status, the largest residual, and impulses."""
    s = m.steps
    for i in range(m.n_notes):
        note[i] = 0.0
    begin = given[0]
    note[0] = float(DONE)
    for step in range(m.substeps):
        set_inputs(m, given, (float(step) + 0.5) * s.h)
        residual = contact_step(m, begin + float(step) * s.h, (float(step) + 0.5) * s.h)
        note[1] = max(note[1], residual)
        if not residual <= POOR:
            note[0] = float(NOT_CONVERGED)
            return
        finish_contact_step(m, begin + float(step + 1) * s.h)
        if is_all_finite(s) == 0:
            note[0] = float(NOT_FINITE)
            return
        for i in range(s.sweeps.n):
            note[NOTES + s.row[i]] += s.sweeps.x[i] + s.viscous[i]


def set_inputs(m: ContactMembers, given: Numbers, after: float) -> None:
    """Inputs some time after the beginning."""
    for i in range(m.n_r):
        m.r[i] = 0.0
        if m.at[i] >= 0:
            m.r[i] = given[m.at[i]]
        if m.slope_at[i] >= 0:
            m.r[i] += after * given[m.slope_at[i]]


def contact_step(m: ContactMembers, t: float, after: float) -> float:
    """Impulses of a step from t, and derivatives of the speeds after it; the residual of the impulses."""
    s = m.steps
    vary_half_way(m, t, after)
    half_way(s, t)
    vary_rotations(m)
    at_midpoint(s, t)
    hold_slow_ones(s)
    pose(s)
    residual = solved_impulses(s.sweeps, m.branches)
    for _ in range(s.cones):
        if break_away(s) == 0:
            break
        residual = solved_impulses(s.sweeps, m.branches)
    if m.variations.columns > 0:
        vary_speeds(m, t + 0.5 * s.h)
    return residual


def finish_contact_step(m: ContactMembers, end: float) -> None:
    """The new state, from the impulses of a step; derivatives go with each part of it."""
    s = m.steps
    change_speeds(s)
    vary_second_half(m, end)
    half_way(s, end)
    vary_rotations(m)
    normalize(s)
    keep_positions(m)


def hold_slow_ones(s: MoreauSteps) -> None:
    """Cones whose slip, and whose approach, is no more than what forces change in this step stick up to the static
    limit."""
    for c in range(s.sweeps.cones):
        own = s.cone[c]
        s.held[own] = 1
        if s.owner[own] < s.contacts:
            k = s.owner[own]
            s.held[own] = is_slow(s, s.speed[k], k)
        for r in range(s.count[own]):
            row = s.first[own] + r
            if is_slow(s, s.slip[row - s.contacts], row) == 0:
                s.held[own] = 0


def is_slow(s: MoreauSteps, speed: float, row: int) -> int:
    size = 0.0
    for i in range(s.n_u):
        size += abs(s.G[row * s.n_u + i] * s.y[s.n_q + i])
    return 1 if abs(speed) <= abs(product(s.G[row * s.n_u :], s.free, s.n_u)) + NO_CHANGE * size else 0


# ---------------------------------------------------------------------------------------------------------- derivatives


def vary_half_way(m: ContactMembers, t: float, after: float) -> None:
    """T from S and the parameters, then coordinates half a step on. (Before the state itself goes there.)"""
    v = m.variations
    s = m.steps
    if v.columns == 0:
        return
    for j in range(v.columns):
        for i in range(s.n):
            v.T[i * v.columns + j] = v.S[j * s.n + i]
        for i in range(v.seeds):
            k = i * v.columns + j
            v.T[s.n * v.columns + k] = v.constant[k] + after * v.growing[k]
    vary_positions(m, t)


def vary_positions(m: ContactMembers, t: float) -> None:
    """Coordinates by h/2 dq'."""
    v = m.variations
    s = m.steps
    if v.columns > 0 and v.rates is not None:
        v.rates((t, s.y), (v.qdot,))
        times(s.n_q, v.width, v.columns, v.qdot, v.T, v.dx)
        for i in range(s.n_q * v.columns):
            v.T[i] += 0.5 * s.h * v.dx[i]


def vary_speeds(m: ContactMembers, middle: float) -> None:
    """Speeds and variables after the step, on the branch of its impulses; in `S`, since T is still of the midpoint."""
    v = m.variations
    s = m.steps
    w = s.sweeps
    count = v.columns
    note_midpoint(s, v)
    if v.point is not None:
        v.point((middle, v.y, s.h, v.impulses, v.part, v.static), (v.U, v.V, v.limit, v.zdot))
    m.branches.by_speed = 0
    branch(w, m.branches, 0.0)
    times(s.rows, v.width, count, v.V, v.T, v.right)
    times(s.cones, v.width, count, v.limit, v.T, v.dx)
    right_sides(s, m.branches, v)
    solve_branch(w.n, count, m.branches, v.right, v.memory, v.dx)
    times(s.n_u, v.width, count, v.U, v.T, v.right)
    for k in range(w.n):
        for i in range(s.n_u):
            for j in range(count):
                v.right[i * count + j] += s.X[s.row[k] * s.n_u + i] * v.dx[k * count + j]
    times(s.n - s.n_q - s.n_u, v.width, count, v.zdot, v.T, v.dx)
    for j in range(count):
        for i in range(s.n_u):
            v.S[j * s.n + s.n_q + i] = v.right[i * count + j]
        for i in range(s.n - s.n_q - s.n_u):
            v.S[j * s.n + s.n_q + s.n_u + i] += s.h * v.dx[i * count + j]


def note_midpoint(s: MoreauSteps, v: StepVariations) -> None:
    """The state there, with variables before the step, and impulses by rows of the mechanism."""
    w = s.sweeps
    for i in range(s.n):
        v.y[i] = s.y[i]
    for i in range(s.n - s.n_q - s.n_u):
        v.y[s.n_q + s.n_u + i] -= s.h * s.zdot[i]
    for i in range(s.rows):
        v.impulses[i] = 0.0
        v.part[i] = 0.0
    for i in range(w.n):
        v.impulses[s.row[i]] = w.x[i]
        v.part[s.row[i]] = 1.0
    for c in range(w.cones):
        v.static[s.cone[c]] = 0.0 if w.mu[c] == s.mu[s.cone[c]] else 1.0


def right_sides(s: MoreauSteps, b: ContactBranch, v: StepVariations) -> None:
    """-∂F/∂θ dθ of the rows that take part, from dv in `right` and d(μ N) in `dx`, into `right`. Rows of the problem are
    in the order of those of the mechanism, so that none is overwritten before it is read."""
    w = s.sweeps
    for i in range(w.normals):
        for j in range(v.columns):
            dv = v.right[s.row[i] * v.columns + j]
            v.right[i * v.columns + j] = -dv / w.A[i * w.n + i] if b.kind[i] == HOLDS else 0.0
    for c in range(w.cones):
        for j in range(v.columns):
            cone_right_side(s, b, v, c, j)


def cone_right_side(s: MoreauSteps, b: ContactBranch, v: StepVariations, c: int, j: int) -> None:
    w = s.sweeps
    i = w.first[c]
    for r in range(w.count[c]):
        w.w[r] = v.right[s.row[i + r] * v.columns + j] / w.stiff[c]
    for r in range(w.count[c]):
        value = -w.w[r]
        if b.kind[i] == SLIPS:
            value = b.way[2 * c + r] * v.dx[s.cone[c] * v.columns + j]
            for k in range(w.count[c]):
                value -= turning(w, b, c, r, k) * w.w[k]
        v.right[(i + r) * v.columns + j] = value


def vary_second_half(m: ContactMembers, end: float) -> None:
    """Coordinates at the end of the step, with the new speeds at its midpoint."""
    v = m.variations
    s = m.steps
    for j in range(v.columns):
        for i in range(s.n_q, s.n):
            v.T[i * v.columns + j] = v.S[j * s.n + i]
    vary_positions(m, end)


def keep_positions(m: ContactMembers) -> None:
    v = m.variations
    for j in range(v.columns):
        for i in range(m.steps.n_q):
            v.S[j * m.steps.n + i] = v.T[i * v.columns + j]


def vary_rotations(m: ContactMembers) -> None:
    """Euler parameters e / |e|: (1 - ê êᵀ) de / |e|."""
    s = m.steps
    count = m.variations.columns
    for e in range(s.rotations):
        places = s.turns[4 * e :]
        square = 0.0
        for i in range(4):
            square += s.y[places[i]] * s.y[places[i]]
        for j in range(count):
            along = 0.0
            for i in range(4):
                along += s.y[places[i]] * m.variations.T[places[i] * count + j]
            for i in range(4):
                k = places[i] * count + j
                m.variations.T[k] = (m.variations.T[k] - along / square * s.y[places[i]]) / sqrt(square)


def times(n: int, inner: int, m: int, a: Numbers, b: Numbers, out: Numbers) -> None:
    """a b, with n rows and m columns."""
    for i in range(n):
        for j in range(m):
            out[i * m + j] = 0.0
        for k in range(inner):
            if a[i * inner + k] != 0.0:
                for j in range(m):
                    out[i * m + j] += a[i * inner + k] * b[k * m + j]
