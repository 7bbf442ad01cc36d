"""The Moreau-Jean step of a pile, as a kernel: that of `moreau_step.py` for many free bodies.

    q_m = q + h/2 q'(u),   w = u + h u'(q_m, u),   u⁺ = w + M⁻¹ Hᵀ Λ,   q⁺ = q_m + h/2 q'(u⁺)

One compiled program gives the accelerations of one body; it runs for each of them. Λ solves the contact problem of all
contacts that are closed at the midpoint, on their graph (`complementarity/block_sweeps.py`).

Contacts with a compliance C (m/N) are springs in all directions, until they open or slip: implicit Euler steps of x = C F,

    h v = C (Λ - Λ of the step before) / h,

so that the rest position and the forces at rest are those of springs, and oscillations that a step does not resolve die out.

With `stabilise`, the second half of the step also moves bodies apart, by a part of their penetration: the same problem
without friction gives those speeds, which change places and no speeds.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.kernel_language import Mutable, Numbers, is_finite
from ...emit.loops.records import Struct
from ..complementarity.block_sweeps import solve_graph
from ..complementarity.contact_graph import ROWS, first_entry, set_diagonals
from ..kernels.march_records import DONE, NOT_CONVERGED, NOT_FINITE
from .machine_step import (
    add_machine_blocks,
    add_own_blocks,
    advance_machine,
    blocks_of_machine,
    blocks_within_machine,
    change_machine,
    is_machine_finite,
    keep_machine,
    place_machine,
    restore_machine,
)
from .pile_contacts import GROUND, find_contacts
from .pile_records import PLACE, SPEEDS, STATE, PileStep

FULL: Final = 101  # more contacts than the memory is for
MOST_RESIDUAL: Final = 0.1  # a step with a larger one is not taken; steps beyond the tolerance are counted
CALM_STEPS: Final = 50  # steps below the speed of rest after which an island sleeps


class PileRun(Struct):
    """`count` steps; `samples` are the states after every `stride` of them, `done` of all; largest `residual`, contacts and
    sweeps so far, and how many steps `missed` the tolerance; `fastest` are the largest squares of the speeds of the bodies."""

    count: Mutable[int]
    stride: Mutable[int]
    done: Mutable[int]
    t: Mutable[float]
    residual: Mutable[float]
    most_contacts: Mutable[int]
    contacts: Mutable[int]
    sweeps: Mutable[int]
    missed: Mutable[int]
    fastest: Numbers
    samples: Numbers
    machine_samples: Numbers
    step: PileStep


def run_pile(m: PileRun) -> int:
    """All steps: DONE, or the status of the step that was not taken; the state before it is kept. Without steps, the contacts of
    the state."""
    s = m.step
    m.done = 0
    kept = 0
    if m.count == 0:
        turn_bodies(s)
        place_machine(s, m.t)
        find_contacts(s)
    for k in range(m.count):
        status = pile_step(s, m.t + float(k) * s.h)
        if status != DONE:
            return status
        m.residual = max(m.residual, s.residual)
        if s.contacts > m.most_contacts:
            m.most_contacts = s.contacts
        if s.residual > s.graph.tolerance:
            m.missed += 1
        m.contacts += s.contacts
        m.sweeps += s.graph.sweeps
        for i in range(s.n):
            v = s.y[STATE * i + PLACE :]
            m.fastest[i] = max(m.fastest[i], v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        m.done = k + 1
        if m.done % m.stride == 0:
            for i in range(STATE * s.n):
                m.samples[kept * STATE * s.n + i] = s.y[i]
            for i in range(s.machine.step.n):
                m.machine_samples[kept * s.machine.step.n + i] = s.machine.step.y[i]
            kept += 1
    return DONE


def pile_step(s: PileStep, t: float) -> int:
    """A step from t: DONE, or why it was not taken."""
    for i in range(STATE * s.n):
        s.before[i] = s.y[i]
    keep_machine(s)
    advance_bodies(s, 0)
    advance_machine(s, t, 0)
    turn_bodies(s)
    place_machine(s, t)
    find_contacts(s)
    if s.is_full == 1:
        return step_back(s, FULL)
    set_free_speeds(s, t)
    set_rows(s)
    set_diagonals(s.graph)
    recall_impulses(s)
    s.residual = solve_graph(s.graph)
    store_impulses(s)
    work = s.work
    machine_work = s.machine.work
    for i in range(SPEEDS * s.n):
        s.shift[i] = 0.0
    change_body_speeds(s)
    change_machine(s, 0)
    if s.stabilise > 0.0 and s.contacts > 0:
        push_apart(s)
    advance_bodies(s, 1)
    advance_machine(s, t + s.h, 1)
    is_moved = are_finite(s)
    if is_moved == 0 or s.residual > MOST_RESIDUAL:
        s.work = work
        s.machine.work = machine_work
        return step_back(s, NOT_CONVERGED if is_moved == 1 else NOT_FINITE)
    if s.rest > 0.0:
        let_sleep(s)
    return DONE


def step_back(s: PileStep, status: int) -> int:
    for i in range(STATE * s.n):
        s.y[i] = s.before[i]
    restore_machine(s)
    return status


# ------------------------------------------------------------------------------------------------------- bodies


def advance_bodies(s: PileStep, is_second: int) -> None:
    """All bodies that do not sleep."""
    for i in range(s.n):
        if s.graph.idle[i] == 0:
            advance_body(s, i, is_second)


def advance_body(s: PileStep, i: int, is_second: int) -> None:
    """q + h/2 q'(u), half a step on; in the second half with the speeds that push bodies apart."""
    for j in range(STATE):
        s.x[j] = s.y[STATE * i + j]
    if is_second == 1:
        for j in range(SPEEDS):
            s.x[PLACE + j] += 2.0 * s.shift[SPEEDS * i + j]
    s.rates((0.0, s.x, s.p), (s.qdot,))
    size = 0.0
    for j in range(PLACE):
        s.y[STATE * i + j] += 0.5 * s.h * s.qdot[j]
        if j >= 3:
            size += s.y[STATE * i + j] * s.y[STATE * i + j]
    size = sqrt(size)
    for j in range(3, PLACE):
        s.y[STATE * i + j] = s.y[STATE * i + j] / size


def turn_bodies(s: PileStep) -> None:
    for i in range(s.n + s.fixed):
        if i < s.n or i >= s.n + s.machine.bodies:
            turn_body(s, i)


def turn_body(s: PileStep, i: int) -> None:
    """The rotation matrix from Euler parameters."""
    e = s.y[STATE * i + 3 :]
    R = s.turn[9 * i :]
    R[0] = 1.0 - 2.0 * (e[2] * e[2] + e[3] * e[3])
    R[1] = 2.0 * (e[1] * e[2] - e[0] * e[3])
    R[2] = 2.0 * (e[1] * e[3] + e[0] * e[2])
    R[3] = 2.0 * (e[1] * e[2] + e[0] * e[3])
    R[4] = 1.0 - 2.0 * (e[1] * e[1] + e[3] * e[3])
    R[5] = 2.0 * (e[2] * e[3] - e[0] * e[1])
    R[6] = 2.0 * (e[1] * e[3] - e[0] * e[2])
    R[7] = 2.0 * (e[2] * e[3] + e[0] * e[1])
    R[8] = 1.0 - 2.0 * (e[1] * e[1] + e[2] * e[2])


def set_free_speeds(s: PileStep, t: float) -> None:
    for i in range(s.n):
        set_free_speed(s, i, t)


def set_free_speed(s: PileStep, i: int, t: float) -> None:
    """Speeds in units of energy, √M u: those that there are in `own`, those after the step without contacts in `free`."""
    k = s.kind[i]
    for j in range(4):
        s.p[j] = s.mass[4 * k + j]
    for j in range(STATE):
        s.x[j] = s.y[STATE * i + j]
    s.point((t + 0.5 * s.h, s.x, s.p), (s.udot,))
    for j in range(SPEEDS):
        root = s.roots[SPEEDS * k + j]
        s.own[SPEEDS * i + j] = s.x[PLACE + j] / root
        s.free[SPEEDS * i + j] = (s.x[PLACE + j] + s.h * s.udot[j]) / root


def change_body_speeds(s: PileStep) -> None:
    for i in range(s.n):
        if s.graph.idle[i] == 0:
            s.work += work_on_body(s, i)
            change_speeds(s, i)
        else:
            for j in range(SPEEDS):
                s.work -= 0.5 * s.free[SPEEDS * i + j] * s.free[SPEEDS * i + j]
                s.y[STATE * i + PLACE + j] = 0.0


def work_on_body(s: PileStep, i: int) -> float:
    """Impulses times the mean of the speeds before and after them: the change of the kinetic energy."""
    total = 0.0
    for j in range(SPEEDS):
        change = s.graph.s[SPEEDS * i + j]
        total += change * (s.free[SPEEDS * i + j] + 0.5 * change)
    return total


def change_speeds(s: PileStep, i: int) -> None:
    """u⁺ of a body."""
    for j in range(SPEEDS):
        at = SPEEDS * i + j
        s.y[STATE * i + PLACE + j] = (s.free[at] + s.graph.s[at]) * s.roots[SPEEDS * s.kind[i] + j]


def are_finite(s: PileStep) -> int:
    total = 0.0
    for i in range(STATE * s.n):
        total += s.y[i] - s.y[i]
    return is_machine_finite(s) if is_finite(total) else 0


# ------------------------------------------------------------------------------------------------------- contact problem


def set_rows(s: PileStep) -> None:
    """V and b of all contacts."""
    g = s.graph
    g.contacts = s.contacts
    blocks = 0
    for c in range(s.contacts):
        g.starts[c] = blocks
        set_contact_rows(s, c, blocks)
        blocks += blocks_of_contact(s, c)
    g.starts[s.contacts] = blocks


def is_between_bodies(s: PileStep, c: int) -> int:
    """Whether both bodies of a contact move."""
    return 1 if s.second[c] != GROUND and s.second[c] < s.n + s.machine.bodies else 0


def is_within_machine(s: PileStep, c: int) -> int:
    """Whether both bodies of a contact belong to the mechanism: they have their blocks in common."""
    return 1 if s.first[c] >= s.n and is_between_bodies(s, c) == 1 else 0


def blocks_of_contact(s: PileStep, c: int) -> int:
    own = blocks_of_body(s, s.first[c])
    if is_between_bodies(s, c) == 0:
        return own
    if is_within_machine(s, c) == 1:
        return blocks_within_machine(s, s.first[c] - s.n, s.second[c] - s.n)
    return own + blocks_of_body(s, s.second[c])


def blocks_of_body(s: PileStep, i: int) -> int:
    return 1 if i < s.n else blocks_of_machine(s, i - s.n)


def set_contact_rows(s: PileStep, c: int, block: int) -> None:
    """V and b of a contact, whose blocks begin here."""
    g = s.graph
    set_axes(s, c)
    for r in range(ROWS):
        g.b[ROWS * c + r] = 0.0
    before = 0.0
    if is_within_machine(s, c) == 1:
        before += add_own_blocks(s, c, block, s.first[c] - s.n, s.second[c] - s.n)
    else:
        before += add_blocks(s, c, block, s.first[c], 1.0)
        if is_between_bodies(s, c) == 1:
            own = blocks_of_body(s, s.first[c])
            before += add_blocks(s, c, block + own, s.second[c], -1.0)
    set_laws(s, c, before)


def set_laws(s: PileStep, c: int, before: float) -> None:
    """Restitution of the normal speed before the step, and compliance of a contact."""
    s.graph.b[ROWS * c] += s.restitution[c] * min(before, 0.0)
    s.graph.soft[c] = s.compliance[c] / (s.h * s.h)


def set_axes(s: PileStep, c: int) -> None:
    """The normal of a contact and two tangents, in `axes`."""
    x = s.normal[3 * c]
    y = s.normal[3 * c + 1]
    z = s.normal[3 * c + 2]
    sign = 1.0 if z >= 0.0 else -1.0  # Duff et al. 2017
    a = -1.0 / (sign + z)
    b = x * y * a
    A = s.axes[9 * c :]
    A[0] = x
    A[1] = y
    A[2] = z
    A[3] = 1.0 + sign * x * x * a
    A[4] = sign * b
    A[5] = -sign * x
    A[6] = b
    A[7] = sign + y * y * a
    A[8] = -y


def add_blocks(s: PileStep, c: int, block: int, i: int, sign: float) -> float:
    if i < s.n:
        return add_block(s, c, block, i, sign)
    return add_machine_blocks(s, c, block, i - s.n, sign)


def add_block(s: PileStep, c: int, block: int, i: int, sign: float) -> float:
    """The block of V for a body, and its part of b; the normal speed that it has before the step."""
    g = s.graph
    g.places[block] = SPEEDS * i
    ax = s.arm[3 * c] - s.y[STATE * i]
    ay = s.arm[3 * c + 1] - s.y[STATE * i + 1]
    az = s.arm[3 * c + 2] - s.y[STATE * i + 2]
    R = s.turn[9 * i :]
    root = s.roots[SPEEDS * s.kind[i] :]
    before = 0.0
    for r in range(ROWS):
        dx = sign * s.axes[9 * c + 3 * r]
        dy = sign * s.axes[9 * c + 3 * r + 1]
        dz = sign * s.axes[9 * c + 3 * r + 2]
        mx = ay * dz - az * dy
        my = az * dx - ax * dz
        mz = ax * dy - ay * dx
        s.w[0] = dx * root[0]
        s.w[1] = dy * root[1]
        s.w[2] = dz * root[2]
        s.w[3] = (R[0] * mx + R[3] * my + R[6] * mz) * root[3]
        s.w[4] = (R[1] * mx + R[4] * my + R[7] * mz) * root[4]
        s.w[5] = (R[2] * mx + R[5] * my + R[8] * mz) * root[5]
        V = g.V[first_entry(g, block) + r * SPEEDS * g.stride :]
        for j in range(SPEEDS):
            V[j * g.stride] = s.w[j]
            g.b[ROWS * c + r] += s.w[j] * s.free[SPEEDS * i + j]
            if r == 0:
                before += s.w[j] * s.own[SPEEDS * i + j]
    return before


def recall_impulses(s: PileStep) -> None:
    for c in range(s.contacts):
        recall_impulse(s, c)


def recall_impulse(s: PileStep, c: int) -> None:
    """The impulse of the step before, where the contact was there: the pair and its feature are the same. Compliance lets it
    move only by the change of its force."""
    for r in range(ROWS):
        s.graph.x[ROWS * c + r] = 0.0
    i = s.first[c]
    for k in range(s.old_start[i], s.old_start[i + 1]):
        if s.old_second[k] == s.second[c] and s.old_feature[k] == s.feature[c]:
            for r in range(ROWS):
                along = 0.0
                for j in range(3):
                    along += s.axes[9 * c + 3 * r + j] * s.old_impulse[3 * k + j]
                s.graph.x[ROWS * c + r] = along
                s.graph.b[ROWS * c + r] -= s.graph.soft[c] * along


def store_impulses(s: PileStep) -> None:
    """Impulses in the ground frame, for the next step and for results."""
    for i in range(s.n + s.machine.bodies + 1):
        s.old_start[i] = s.new_start[i]
    for c in range(s.contacts):
        store_impulse(s, c, c)


def store_impulse(s: PileStep, c: int, to: int) -> None:
    s.old_second[to] = s.second[c]
    s.old_feature[to] = s.feature[c]
    for j in range(3):
        s.old_impulse[3 * to + j] = 0.0
        for r in range(ROWS):
            s.old_impulse[3 * to + j] += s.axes[9 * c + 3 * r + j] * s.graph.x[ROWS * c + r]


def push_apart(s: PileStep) -> None:
    """Speeds that take back a part of the penetration: the problem without friction and without motion. Its residual is not judged: what
    is left is taken back in the next steps."""
    g = s.graph
    sweeps = g.sweeps
    for c in range(s.contacts):
        ask_for_separation(s, c)
    solve_graph(g)
    g.sweeps += sweeps
    for i in range(s.n):
        set_shift(s, i)
    change_machine(s, 1)


def ask_for_separation(s: PileStep, c: int) -> None:
    """A contact without friction and motion that takes back a part of its penetration, of what its compliance C leaves: C p / h
    is elastic, with p / h its force."""
    g = s.graph
    elastic = g.soft[c] * s.h * g.x[ROWS * c]
    g.mu[c] = 0.0
    for r in range(ROWS):
        g.x[ROWS * c + r] = 0.0
        g.b[ROWS * c + r] = 0.0
    g.b[ROWS * c] = s.stabilise * min(s.gap[c] + elastic, 0.0) / s.h


def set_shift(s: PileStep, i: int) -> None:
    for j in range(SPEEDS):
        s.shift[SPEEDS * i + j] = s.graph.s[SPEEDS * i + j] * s.roots[SPEEDS * s.kind[i] + j]


# ------------------------------------------------------------------------------------------------------- sleep


def let_sleep(s: PileStep) -> None:
    """Islands whose bodies have all been slow for a while stand still until something that moves touches them."""
    g = s.graph
    for i in range(s.n):
        square = 0.0
        for j in range(SPEEDS):
            speed = s.y[STATE * i + PLACE + j] / s.roots[SPEEDS * s.kind[i] + j]
            square += speed * speed
        root = s.roots[SPEEDS * s.kind[i]]
        s.calm[i] = s.calm[i] + 1 if square * root * root < s.rest * s.rest and g.island[i] >= 0 else 0
    for k in range(g.islands):
        least = CALM_STEPS
        for at in range(g.first_member[k], g.first_member[k + 1]):
            if s.calm[g.members[at]] < least:
                least = s.calm[g.members[at]]
        if least >= CALM_STEPS:
            for at in range(g.first_member[k], g.first_member[k + 1]):
                g.idle[g.members[at]] = 1
