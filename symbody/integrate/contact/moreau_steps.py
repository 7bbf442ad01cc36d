"""Moreau-Jean steps as kernels: which contacts are closed, their impulses by projected Gauss-Seidel, the new state.

    q_m = q + h/2 q'(u),   w = u + h u'(q_m, u),   u⁺ = w + M⁻¹ Hᵀ Λ,   q⁺ = q_m + h/2 q'(u⁺)

Euler parameters are made of length one at the midpoint too: bodies are rigid there, and contacts of one body that stick
do not contradict each other.

The program `point` has everything that a step needs of the midpoint: gaps, slips, their rows G, and the changes of
speeds X that unit impulses along these rows make, along the constraints. Impulses begin with those of the step before.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.language import Function, Indices, Mutable, Numbers, is_finite
from ...emit.loops.records import Struct
from ..kernels.march_records import DONE, NOT_FINITE
from .friction_sweeps import Sweeps, swept

RETURN: Final = 0.1  # of a violation of positions that a step takes back
ROUNDING: Final = 1e-12  # of the largest coordinate: a gap below this is closed, so that what rests keeps all its feet
NO_SLIP: Final = 1e-7  # of its terms: a slip below this is none


class MoreauSteps(Struct):
    """Steps h from the time t.

    y                   the state of n numbers: coordinates, speeds, variables
    rates, variables    programs of q' and z'; `point` the one of the midpoint
    owner, first, count of each cone: its contact (as many as there are contacts: always together), first row,
                        number of rows
    row, at, cone       rows and cones that take part; where contacts stand among them (-1: open)
    before              impulses of the step before, by rows; `viscous` those of damping
    mu, static          coefficients of each cone while it slips, and up to which it sticks
    held                whether a cone stuck at the end of the step before: then the static coefficient is its limit
    turns               places of Euler parameters, four for each rotation
    samples             the states after each step; `done` of them
    """

    n: int
    n_q: int
    n_u: int
    contacts: int
    cones: int
    rows: int
    rotations: int
    steps: Mutable[int]
    h: Mutable[float]
    t: Mutable[float]
    done: Mutable[int]
    y: Numbers
    samples: Numbers
    rates: Function | None
    variables: Function | None
    point: Function
    qdot: Numbers
    zdot: Numbers
    gap: Numbers
    speed: Numbers
    restitution: Numbers
    slip: Numbers
    G: Numbers
    X: Numbers
    udot: Numbers
    back: Numbers
    mu: Numbers
    static: Numbers
    damping: Numbers
    normal: Numbers
    share: Numbers
    free: Numbers
    before: Numbers
    viscous: Numbers
    owner: Indices
    first: Indices
    count: Indices
    turns: Indices
    row: Indices
    at: Indices
    cone: Indices
    held: Indices
    sweeps: Sweeps


def moreau_steps(s: MoreauSteps) -> int:
    """All steps: DONE, or NOT_FINITE; `s.t` is the time reached."""
    begin = s.t
    s.done = 0
    for step in range(s.steps):
        t = begin + float(step) * s.h
        half_way(s, t)
        at_midpoint(s, t)
        pose(s)
        swept(s.sweeps)
        for _ in range(s.cones):
            if break_away(s) == 0:
                break
            swept(s.sweeps)
        come_to_rest(s)
        change_speeds(s)
        half_way(s, t + s.h)
        normalize(s)
        if is_all_finite(s) == 0:
            return NOT_FINITE
        for i in range(s.n):
            s.samples[step * s.n + i] = s.y[i]
        s.t = begin + float(step + 1) * s.h
        s.done = step + 1
    return DONE


def at_midpoint(s: MoreauSteps, t: float) -> None:
    """Everything at the midpoint of a step from t, variables after it, and what takes part in its impulses."""
    normalize(s)
    s.point(
        (t + 0.5 * s.h, s.y),
        (
            s.gap, s.speed, s.restitution, s.slip, s.G, s.X, s.udot, s.back, s.mu, s.static, s.damping, s.normal, s.share,
        ),
    )  # fmt: skip
    if s.variables is not None:
        s.variables((t + 0.5 * s.h, s.y), (s.zdot,))
        for i in range(s.n - s.n_q - s.n_u):
            s.y[s.n_q + s.n_u + i] += s.h * s.zdot[i]
    without_contacts(s)
    take_part(s)


def half_way(s: MoreauSteps, t: float) -> None:
    """q + h/2 q'(u)."""
    if s.rates is not None:
        s.rates((t, s.y), (s.qdot,))
        for i in range(s.n_q):
            s.y[i] += 0.5 * s.h * s.qdot[i]


def without_contacts(s: MoreauSteps) -> None:
    """Changes of the speeds by all other forces, and back to the constraints: what is missed of speeds, and a part of
    what is missed of positions."""
    n = s.n_u
    for i in range(n):
        s.free[i] = s.h * (s.udot[i] + s.back[n + i]) + s.back[i] + RETURN / s.h * s.back[2 * n + i]


def take_part(s: MoreauSteps) -> None:
    """Rows of the closed contacts, then of their frictions and of those that are always together."""
    largest = 0.0
    for i in range(s.n_q):
        largest = max(largest, abs(s.y[i]))
    n = 0
    for k in range(s.contacts):
        s.at[k] = -1
        if s.gap[k] <= ROUNDING * largest:
            s.at[k] = n
            s.row[n] = k
            n += 1
    s.at[s.contacts] = 0
    s.sweeps.normals = n
    cones = 0
    for c in range(s.cones):
        if s.at[s.owner[c]] < 0:
            s.held[c] = 0
        else:
            s.cone[cones] = c
            s.sweeps.first[cones] = n
            s.sweeps.count[cones] = s.count[c]
            cones += 1
            for r in range(s.count[c]):
                s.row[n] = s.first[c] + r
                n += 1
    s.sweeps.n = n
    s.sweeps.cones = cones


def pose(s: MoreauSteps) -> None:
    """A and b of the problem, and its cones."""
    w = s.sweeps
    for i in range(w.n):
        for j in range(w.n):
            w.A[i * w.n + j] = product(s.G[s.row[i] * s.n_u :], s.X[s.row[j] * s.n_u :], s.n_u)
        w.x[i] = s.before[s.row[i]]
        w.b[i] = product(s.G[s.row[i] * s.n_u :], s.free, s.n_u)
        s.viscous[i] = 0.0
    for i in range(w.normals):
        k = s.row[i]
        w.b[i] += s.speed[k] + s.restitution[k] * min(s.speed[k], 0.0)
    for c in range(w.cones):
        pose_cone(s, c)
    for i in range(w.n):
        w.b[i] += product(w.A[i * w.n :], s.viscous, w.n)
    for c in range(w.cones):
        w.given[c] += product(w.share[c * w.n :], s.viscous, w.n)


def pose_cone(s: MoreauSteps, c: int) -> None:
    w = s.sweeps
    own = s.cone[c]
    i = w.first[c]
    for r in range(w.count[c]):
        slip = s.slip[s.row[i + r] - s.contacts]
        w.b[i + r] += slip
        s.viscous[i + r] = -s.h * s.damping[own] * slip
    w.mu[c] = s.mu[own]
    if s.held[own] == 1:
        w.mu[c] = s.static[own]
    w.given[c] = s.h * s.normal[own]
    for j in range(w.n):
        w.share[c * w.n + j] = s.share[own * s.rows + s.row[j]]
    w.stiff[c] = max(w.A[i * w.n + i], 1e-300)
    if w.count[c] == 2:
        a = w.A[i * w.n + i]
        d = w.A[(i + 1) * w.n + i + 1]
        b = w.A[i * w.n + i + 1]
        w.stiff[c] = max(0.5 * (a + d) + sqrt(0.25 * (a - d) * (a - d) + b * b), 1e-300)


def break_away(s: MoreauSteps) -> int:
    """Cones that stuck and would slip do so under the kinetic coefficient; how many of them. At their limit others may
    hold them."""
    count = 0
    for c in range(s.sweeps.cones):
        own = s.cone[c]
        if s.held[own] == 1 and slips(s, c) == 1:
            s.held[own] = 0
            if s.sweeps.mu[c] > s.mu[own]:
                s.sweeps.mu[c] = s.mu[own]
                count += 1
    return count


def come_to_rest(s: MoreauSteps) -> None:
    """Cones without slip stick from now on."""
    for c in range(s.sweeps.cones):
        if slips(s, c) == 0:
            s.held[s.cone[c]] = 1


def slips(s: MoreauSteps, c: int) -> int:
    """Whether a cone has a slip at the end of the step that is more than what its terms are rounded to."""
    w = s.sweeps
    for r in range(w.count[c]):
        i = w.first[c] + r
        slip = w.b[i]
        size = abs(w.b[i])
        for j in range(w.n):
            term = w.A[i * w.n + j] * w.x[j]
            slip += term
            size += abs(term)
        if abs(slip) > NO_SLIP * size:
            return 1
    return 0


def product(a: Numbers, b: Numbers, n: int) -> float:
    out = 0.0
    for i in range(n):
        out += a[i] * b[i]
    return out


def change_speeds(s: MoreauSteps) -> None:
    w = s.sweeps
    for i in range(s.n_u):
        s.y[s.n_q + i] += s.free[i]
    for i in range(s.rows):
        s.before[i] = 0.0
    for j in range(w.n):
        k = s.row[j]
        impulse = w.x[j] + s.viscous[j]
        s.before[k] = w.x[j]
        for i in range(s.n_u):
            s.y[s.n_q + i] += s.X[k * s.n_u + i] * impulse


def normalize(s: MoreauSteps) -> None:
    for e in range(s.rotations):
        square = 0.0
        for i in range(4):
            square += s.y[s.turns[4 * e + i]] * s.y[s.turns[4 * e + i]]
        size = sqrt(square)
        for i in range(4):
            s.y[s.turns[4 * e + i]] /= size


def is_all_finite(s: MoreauSteps) -> int:
    total = 0.0
    for i in range(s.n):
        total += s.y[i] - s.y[i]
    return 1 if is_finite(total) else 0
