"""A mechanism in a pile, as kernels: what its bodies that touch others do in a step.

    W = G M⁻¹ Gᵀ = L Lᵀ           the response of the twists of these bodies to unit impulses, along the constraints
    V = Lᵀ Eᵀ d                   of a contact in direction d on a body, E its rows of the unit wrench
    u⁺ = u + h u' + M⁻¹ Gᵀ P      P: impulses and their moments about the centres of the bodies

The contact graph sees six numbers for each of these bodies. G, M⁻¹ Gᵀ and accelerations are those that time stepping of
mechanisms computes (`moreau_programs.py`), so that constraints hold and drift is taken back as there.
"""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import is_finite
from ..complementarity.contact_graph import ROWS
from ..complementarity.semidefinite import semidefinite_factor
from ..time_stepping.moreau_impulses import set_free_motion
from ..time_stepping.moreau_step import advance_positions, normalize_rotations
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


def add_machine_blocks(s: PileStep, c: int, block: int, a: int, sign: float) -> float:
    """Blocks of V for a body of the mechanism, one for each body up to it, and its part of b; the normal speed that it has before
    the step."""
    clear_blocks(s, block, a + 1)
    return add_to_blocks(s, c, block, a, sign)


def add_own_blocks(s: PileStep, c: int, block: int, a: int, b: int) -> float:
    """Those of two bodies of the mechanism that touch each other, in the same blocks."""
    clear_blocks(s, block, a + 1 if a > b else b + 1)
    before = 0.0
    before += add_to_blocks(s, c, block, a, 1.0)
    before += add_to_blocks(s, c, block, b, -1.0)
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
        set_wrench(s, c, r, a, sign)
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


def set_wrench(s: PileStep, c: int, r: int, a: int, sign: float) -> None:
    """A unit impulse along an axis of a contact, and its moment about the centre of a body, in w."""
    for j in range(3):
        s.w[j] = sign * s.axes[9 * c + 3 * r + j]
        s.w[6 + j] = s.arm[3 * c + j] - s.y[STATE * (s.n + a) + j]
    s.w[3] = s.w[7] * s.w[2] - s.w[8] * s.w[1]
    s.w[4] = s.w[8] * s.w[0] - s.w[6] * s.w[2]
    s.w[5] = s.w[6] * s.w[1] - s.w[7] * s.w[0]


def change_machine(s: PileStep, is_shift: int) -> None:
    """Speeds after the step, or, is_shift 1, those that push bodies apart."""
    m = s.machine
    if m.bodies == 0:
        return
    d = m.step
    add_up_wrenches(s)
    for k in range(d.n_u):
        change = 0.0
        for i in range(SPEEDS * m.bodies):
            change += d.X[i * d.n_u + k] * m.wrench[i]
        if is_shift == 1:
            m.shift[k] = change
        else:
            d.y[d.n_q + k] += d.free[k] + change
            m.shift[k] = 0.0


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
        set_wrench(s, c, r, a, sign)
        for i in range(SPEEDS):
            s.machine.wrench[SPEEDS * a + i] += s.w[i] * s.graph.x[ROWS * c + r]


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
