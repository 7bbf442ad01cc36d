"""A mechanism in a pile, as kernels: what its bodies that touch others do in a step.

    W = G M⁻¹ Gᵀ = L Lᵀ           the response of the twists of these bodies to unit impulses, along the constraints
    V = Lᵀ Eᵀ d                   of a contact in direction d on a body, E its rows of the unit wrench
    u⁺ = u + h u' + M⁻¹ Gᵀ P      P: impulses and their moments about the centres of the bodies

This is for any mechanism, and costs the square of the number of these bodies; where the mechanism is a tree, with or without
constraints, its links respond one by one (`link_motion.py`).

The contact graph sees six numbers for each of these bodies. G, M⁻¹ Gᵀ and accelerations are those that time stepping of
mechanisms computes (`moreau_programs.py`), so that constraints hold and drift is taken back as there.
"""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Numbers, is_finite
from ..complementarity.contact_graph import ROWS
from ..complementarity.semidefinite import semidefinite_factor
from ..time_stepping.moreau_impulses import set_free_motion
from ..time_stepping.moreau_step import advance_positions, normalize_rotations
from .link_motion import SIX, answer_impulses, clear_loads, move_links, place_surface, set_twists
from .pile_records import SPEEDS, STATE, PileStep

SINGULAR: Final = 1e-11  # pivots of W below this fraction of its diagonal: the bodies cannot move so


def advance_machine(s: PileStep, t: float, is_second: int) -> None:
    """Half a step of the coordinates; in the second half with the speeds that push bodies apart."""
    m = s.machine
    if m.bodies == 0:
        return
    d = m.step
    d.h = s.h
    if is_second == 1:
        change_speeds_by(s, 2.0)
    advance_positions(d, t)
    if is_second == 1:
        change_speeds_by(s, -2.0)
    normalize_rotations(d)


def change_speeds_by(s: PileStep, part: float) -> None:
    d = s.machine.step
    for i in range(d.n_u):
        d.y[d.n_q + i] += part * s.machine.shift[i]


def place_machine(s: PileStep, t: float) -> None:
    """Places, twists and responses of the bodies at the midpoint of a step from t."""
    m = s.machine
    if m.bodies == 0:
        return
    d = m.step
    if m.links.is_there == 1:
        move_links(m.links, d, t + 0.5 * s.h)
        for a in range(m.bodies):
            place_surface(m.links, a, s.y[STATE * (s.n + a) :], s.turn[9 * (s.n + a) :])
        return
    d.point((t + 0.5 * s.h, d.y), (m.place, m.twist, d.G, d.X, d.udot, d.back))
    set_free_motion(d)
    for a in range(m.bodies):
        for r in range(3):
            s.y[STATE * (s.n + a) + r] = m.place[12 * a + r]
        for r in range(9):
            s.turn[9 * (s.n + a) + r] = m.place[12 * a + 3 + r]
    rows = SPEEDS * m.bodies
    for i in range(rows):
        m.free[i] = m.twist[i]
        for k in range(d.n_u):
            m.free[i] += d.G[i * d.n_u + k] * d.free[k]
        for j in range(rows):
            m.W[i * rows + j] = 0.0
            for k in range(d.n_u):
                m.W[i * rows + j] += d.G[i * d.n_u + k] * d.X[j * d.n_u + k]
    semidefinite_factor(rows, rows, 0.0, SINGULAR, m.W, m.factor)


def blocks_of_machine(s: PileStep, a: int) -> int:
    """Blocks of V for a body of the mechanism: one for each body up to it; its link and the modes of a tree."""
    if s.machine.links.is_there == 1:
        return 1 + s.machine.links.tree.mode_nodes
    return a + 1


def blocks_within_machine(s: PileStep, a: int, b: int) -> int:
    """Those of two bodies of the mechanism that touch each other."""
    if s.machine.links.is_there == 1:
        return 2 + s.machine.links.tree.mode_nodes
    return a + 1 if a > b else b + 1


def add_machine_blocks(s: PileStep, c: int, block: int, a: int, sign: float) -> float:
    """Blocks of V for a body of the mechanism, one for each body up to it, and its part of b; the normal speed that it has before
    the step."""
    if s.machine.links.is_there == 1:
        clear_modes(s, block + 1)
        return add_link_block(s, c, block, block + 1, a, sign)
    clear_blocks(s, block, a + 1)
    return add_to_blocks(s, c, block, a, sign)


def add_own_blocks(s: PileStep, c: int, block: int, a: int, b: int) -> float:
    """Those of two bodies of the mechanism that touch each other, in the same blocks."""
    before = 0.0
    if s.machine.links.is_there == 1:
        clear_modes(s, block + 2)
        before += add_link_block(s, c, block, block + 2, a, 1.0)
        before += add_link_block(s, c, block + 1, block + 2, b, -1.0)
        return before
    clear_blocks(s, block, a + 1 if a > b else b + 1)
    before += add_to_blocks(s, c, block, a, 1.0)
    before += add_to_blocks(s, c, block, b, -1.0)
    return before


def clear_modes(s: PileStep, block: int) -> None:
    t = s.machine.links.tree
    for k in range(t.mode_nodes):
        s.graph.places[block + k] = SPEEDS * (t.node + t.links + k)
        for i in range(ROWS * SPEEDS):
            s.graph.V[(block + k) * ROWS * SPEEDS + i] = 0.0


def add_link_block(s: PileStep, c: int, block: int, modes: int, a: int, sign: float) -> float:
    """The block of a body's link, what it adds to those of modes, and its part of b; the normal speed that it has before the step."""
    m = s.machine.links
    g = s.graph
    link = m.carrier[a]
    g.places[block] = SPEEDS * (m.tree.node + link)
    before = 0.0
    for r in range(ROWS):
        set_wrench(s, c, r, m.tree.origin[3 * link :], sign)
        for i in range(SIX):
            g.V[(ROWS * block + r) * SPEEDS + i] = s.w[i]
            g.b[ROWS * c + r] += s.w[i] * m.free[SIX * link + i]
            if r == 0:
                before += s.w[i] * m.twist[SIX * link + i]
            for j in range(m.constraints):
                at = (ROWS * (modes + j // SIX) + r) * SPEEDS + j % SIX
                g.V[at] += s.w[i] * m.tree.Y[m.constraints * (SIX * link + i) + j]
    return before


def clear_blocks(s: PileStep, block: int, count: int) -> None:
    g = s.graph
    for k in range(count):
        g.places[block + k] = SPEEDS * (s.n + k)
        for i in range(ROWS * SPEEDS):
            g.V[(block + k) * ROWS * SPEEDS + i] = 0.0


def add_to_blocks(s: PileStep, c: int, block: int, a: int, sign: float) -> float:
    m = s.machine
    g = s.graph
    rows = SPEEDS * m.bodies
    before = 0.0
    for r in range(ROWS):
        set_wrench(s, c, r, s.y[STATE * (s.n + a) :], sign)
        for i in range(SPEEDS):
            g.b[ROWS * c + r] += s.w[i] * m.free[SPEEDS * a + i]
            if r == 0:
                before += s.w[i] * m.twist[SPEEDS * a + i]
        for k in range(a + 1):
            for j in range(SPEEDS):
                along = 0.0
                for i in range(SPEEDS):
                    along += m.factor[(SPEEDS * a + i) * rows + SPEEDS * k + j] * s.w[i]
                g.V[(ROWS * (block + k) + r) * SPEEDS + j] += along
    return before


def set_wrench(s: PileStep, c: int, r: int, about: Numbers, sign: float) -> None:
    """A unit impulse along an axis of a contact, and its moment about a point, in w."""
    for j in range(3):
        s.w[j] = sign * s.axes[9 * c + 3 * r + j]
        s.w[6 + j] = s.arm[3 * c + j] - about[j]
    s.w[3] = s.w[7] * s.w[2] - s.w[8] * s.w[1]
    s.w[4] = s.w[8] * s.w[0] - s.w[6] * s.w[2]
    s.w[5] = s.w[6] * s.w[1] - s.w[7] * s.w[0]


def change_machine(s: PileStep, is_shift: int) -> None:
    """Speeds after the step, or, is_shift 1, those that push bodies apart."""
    if s.machine.bodies > 0:
        add_up_wrenches(s)
        answer_wrenches(s, is_shift)


def answer_wrenches(s: PileStep, is_shift: int) -> None:
    """The same from the impulses on its bodies."""
    m = s.machine
    d = m.step
    if m.links.is_there == 1:
        load_links(s)
        answer_impulses(m.links, d.n_u)
    if is_shift == 0:
        m.work += work_on_machine(s)
    for k in range(d.n_u):
        change = m.links.answer[k] if m.links.is_there == 1 else answer_of_speed(s, k)
        if is_shift == 1:
            m.shift[k] = change
        else:
            d.y[d.n_q + k] += d.free[k] + change
            m.shift[k] = 0.0


def answer_of_speed(s: PileStep, k: int) -> float:
    change = 0.0
    for i in range(SPEEDS * s.machine.bodies):
        change += s.machine.step.X[i * s.machine.step.n_u + k] * s.machine.wrench[i]
    return change


def work_on_machine(s: PileStep) -> float:
    """Impulses times the mean of the twists before and after them."""
    m = s.machine
    rows = SPEEDS * m.bodies
    total = 0.0
    if m.links.is_there == 1:
        clear_loads(m.links)
        set_twists(m.links, m.links.answer, m.links.load)
        for i in range(SPEEDS * m.links.tree.links):
            m.links.load[i] = m.links.free[i] + 0.5 * m.links.load[i]
        for a in range(m.bodies):
            v = m.links.load[SPEEDS * m.links.carrier[a] :]
            set_arm(s, a)
            f = m.wrench[SPEEDS * a :]
            for i in range(SPEEDS):
                total += f[i] * v[i]
            total += f[0] * (v[4] * s.w[2] - v[5] * s.w[1])
            total += f[1] * (v[5] * s.w[0] - v[3] * s.w[2])
            total += f[2] * (v[3] * s.w[1] - v[4] * s.w[0])
        return total
    for i in range(rows):
        twist = m.free[i]
        for j in range(rows):
            twist += 0.5 * m.W[rows * i + j] * m.wrench[j]
        total += m.wrench[i] * twist
    return total


def add_up_wrenches(s: PileStep) -> None:
    m = s.machine
    for i in range(SPEEDS * m.bodies):
        m.wrench[i] = 0.0
    for c in range(s.contacts):
        if s.first[c] >= s.n:
            add_wrench(s, c, s.first[c] - s.n, 1.0)
        if s.second[c] >= s.n and s.second[c] < s.n + m.bodies:
            add_wrench(s, c, s.second[c] - s.n, -1.0)


def add_wrench(s: PileStep, c: int, a: int, sign: float) -> None:
    for r in range(ROWS):
        set_wrench(s, c, r, s.y[STATE * (s.n + a) :], sign)
        for i in range(SPEEDS):
            s.machine.wrench[SPEEDS * a + i] += s.w[i] * s.graph.x[ROWS * c + r]


def load_links(s: PileStep) -> None:
    """Impulses on bodies as those on their links, about the origins of these."""
    m = s.machine.links
    clear_loads(m)
    for a in range(s.machine.bodies):
        f = s.machine.wrench[SPEEDS * a :]
        to = m.load[SPEEDS * m.carrier[a] :]
        set_arm(s, a)
        for i in range(SPEEDS):
            to[i] += f[i]
        to[3] += s.w[1] * f[2] - s.w[2] * f[1]
        to[4] += s.w[2] * f[0] - s.w[0] * f[2]
        to[5] += s.w[0] * f[1] - s.w[1] * f[0]


def set_arm(s: PileStep, a: int) -> None:
    """From the origin of its link to the centre of a body, in w."""
    for r in range(3):
        s.w[r] = s.y[STATE * (s.n + a) + r] - s.machine.links.tree.origin[3 * s.machine.links.carrier[a] + r]


def keep_machine(s: PileStep) -> None:
    d = s.machine.step
    for i in range(d.n):
        s.machine.kept[i] = d.y[i]


def restore_machine(s: PileStep) -> None:
    d = s.machine.step
    for i in range(d.n):
        d.y[i] = s.machine.kept[i]


def is_machine_finite(s: PileStep) -> int:
    found = 1
    for i in range(s.machine.step.n):
        if not is_finite(s.machine.step.y[i]):
            found = 0
    return found
