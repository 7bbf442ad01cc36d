"""The surfaces of a mechanism on a card, as kernels: contacts that they have, and how they move due to these.

    twist_a = Σ_b W_ab P_b            P_b = Σ_c E_c x_c, impulse and moment of all contacts of a surface, E_c their unit wrenches

Contacts of one colour are swept in parallel, and many of them may be on one surface. If m contacts of a colour are, each is swept with
m times the response of the surface: since |Σ_c y_c|² <= m Σ_c |y_c|², the sweep never overshoots (mass splitting: Tonge, Benevolenski,
Voroshilov 2012). The twists are then computed from the sum of all impulses, so that errors do not accumulate from sweep to sweep. In
the contact graph, each contact has a node of its own for its surface, with the twist of the surface.
"""

from __future__ import annotations

from typing import Final

from ...complementarity.contact_graph import LOCAL_NUMBERS, ROWS, ContactGraph, add_products, end_diagonal, first_entry
from ..machine_step import set_wrench
from ..pile_records import SPEEDS, STATE
from ..pile_step import add_block, set_axes, set_laws
from .card_records import CardStep
from .parallel_sort import first_of_part

ADDED: Final = 64  # threads that add impulses of a surface


def surface_of(d: CardStep, c: int) -> int:
    """The surface of a contact; -1: none."""
    if d.is_carried == 0:
        return -1
    s = d.step
    i = s.first[c] - s.n
    if i >= 0:
        return i
    i = s.second[c] - s.n
    return i if i >= 0 and i < d.surfaces else -1


def is_on_surface(d: CardStep, c: int) -> int:
    return 1 if surface_of(d, c) >= 0 else 0


def set_surface_rows(d: CardStep, c: int) -> None:
    """Set V and b of a contact with a surface, in the blocks 2 c and 2 c + 1."""
    s = d.step
    g = s.graph
    a = surface_of(d, c)
    set_axes(s, c)
    for r in range(ROWS):
        g.b[ROWS * c + r] = 0.0
    before = 0.0
    if s.first[c] < s.n:
        before += add_block(s, c, 2 * c, s.first[c], 1.0)
        before += add_surface_block(d, c, 2 * c + 1, a, -1.0)
    else:
        before += add_surface_block(d, c, 2 * c, a, 1.0)
        g.places[2 * c + 1] = g.places[2 * c]
        clear_block(g, 2 * c + 1)
    set_laws(s, c, before)
    set_surface_diagonal(d, c, 1.0)


def add_surface_block(d: CardStep, c: int, block: int, a: int, sign: float) -> float:
    """Add the unit wrenches of a contact on a surface, and their part of b; the normal speed before the step."""
    s = d.step
    g = s.graph
    g.places[block] = SPEEDS * (s.n + c)
    before = 0.0
    for r in range(ROWS):
        set_wrench(s, c, r, s.y[STATE * (s.n + a) :], sign)
        V = g.V[first_entry(g, block) + r * SPEEDS * g.stride :]
        for j in range(SPEEDS):
            V[j * g.stride] = s.w[j]
            g.b[ROWS * c + r] += s.w[j] * d.free[SPEEDS * a + j]
            if r == 0:
                before += s.w[j] * d.twist[SPEEDS * a + j]
    return before


def clear_block(g: ContactGraph, block: int) -> None:
    V = g.V[first_entry(g, block) :]
    for k in range(ROWS * SPEEDS):
        V[k * g.stride] = 0.0


def block_of_surface(d: CardStep, c: int) -> int:
    return 2 * c + 1 if d.step.first[c] < d.step.n else 2 * c


def set_surface_diagonal(d: CardStep, c: int, many: float) -> None:
    """Set the block of A of a contact, with `many` times the response of its surface."""
    s = d.step
    g = s.graph
    A = g.local[LOCAL_NUMBERS * c :]
    for r in range(ROWS):
        A[r] = g.soft[c]
        A[ROWS + r] = 0.0
    if s.first[c] < s.n:
        add_products(g, g.V[first_entry(g, 2 * c) :], A)
    V = g.V[first_entry(g, block_of_surface(d, c)) :]
    a = surface_of(d, c)
    rows = SPEEDS * d.surfaces
    for j in range(SPEEDS):
        n = 0.0
        t = 0.0
        u = 0.0
        for k in range(SPEEDS):
            w = many * d.response[(SPEEDS * a + j) * rows + SPEEDS * a + k]
            n += w * V[k * g.stride]
            t += w * V[(SPEEDS + k) * g.stride]
            u += w * V[(2 * SPEEDS + k) * g.stride]
        A[0] += V[j * g.stride] * n
        A[1] += V[(SPEEDS + j) * g.stride] * t
        A[2] += V[(2 * SPEEDS + j) * g.stride] * u
        A[3] += V[j * g.stride] * t
        A[4] += V[j * g.stride] * u
        A[5] += V[(SPEEDS + j) * g.stride] * u
    end_diagonal(g, c)


# ------------------------------------------------------------------------------------------------------- entries


def split_response(i: int, first: int, many: float, d: CardStep) -> None:
    """A thread for each contact from `first` on."""
    set_surface_diagonal(d, first + i, many)


def add_impulses(i: int, first: int, d: CardStep) -> None:
    """Partial sums of P over contacts from `first` on: ADDED threads for each surface."""
    a = i // ADDED
    part = i % ADDED
    g = d.step.graph
    size = d.active - first
    for j in range(SPEEDS):
        d.wrenches[SPEEDS * i + j] = 0.0
    for k in range(first_of_part(part, size, ADDED), first_of_part(part + 1, size, ADDED)):
        c = first + k
        if surface_of(d, c) == a:
            V = g.V[first_entry(g, block_of_surface(d, c)) :]
            for r in range(ROWS):
                for j in range(SPEEDS):
                    d.wrenches[SPEEDS * i + j] += V[(SPEEDS * r + j) * g.stride] * g.x[ROWS * c + r]


def add_parts(i: int, d: CardStep) -> None:
    """One thread for each component of P."""
    total = 0.0
    for part in range(ADDED):
        total += d.wrenches[SPEEDS * (i // SPEEDS * ADDED + part) + i % SPEEDS]
    d.wrench[i] = total


def answer_impulses(i: int, d: CardStep) -> None:
    """One thread for each component of the twists."""
    rows = SPEEDS * d.surfaces
    total = 0.0
    for k in range(rows):
        total += d.response[rows * k + i] * d.wrench[k]
    d.answer[i] = total


def move_surface(i: int, first: int, d: CardStep) -> None:
    """One thread for each contact from `first` on: copy the twist of its surface."""
    c = first + i
    a = surface_of(d, c)
    for j in range(SPEEDS):
        d.step.graph.s[SPEEDS * (d.step.n + c) + j] = d.answer[SPEEDS * a + j]
