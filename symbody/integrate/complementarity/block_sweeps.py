"""Sparse contact problems by sweeps over contacts, accelerated, as kernels.

A sweep gives each contact in turn the force that suits the others (`gauss_seidel.py`, here on the graph: a contact costs
the bodies that it moves). Sweeps of the last few turns are combined so that the change would be least if the branch (which
contacts press, stick and slip) stayed the same: Anderson's acceleration, which there is a Krylov method with sweeps as
preconditioner (Walker and Ni 2011). Where the change grows instead, the memory begins anew. What is judged is the result of
a sweep: forces within their cones.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from .contact_arrays import SMALLEST
from .contact_graph import (
    LOCAL_NUMBERS,
    MOST_DENSE,
    ROWS,
    ContactGraph,
    change_forces,
    first_entry,
    graph_scale,
    island_residual,
    row_motion,
    set_speeds,
    start_links,
    update_links,
    visit_link,
)
from .contact_islands import find_islands
from .dense_islands import solve_densely
from .semidefinite import semidefinite_factor

CHECK_FACTOR: Final = 1.5  # the residual is looked at where the estimate of a sweep is below this multiple of the tolerance, then half of it
GROWTH: Final = 2.0  # the memory begins anew where the square of the change grows by this factor
PATIENCE: Final = 40  # turns without progress after which sweeps go on alone, for as many turns
EVERY: Final = 2  # sweeps between two combinations
BEFORE_NEWTON: Final = 100  # sweeps of an island that the interior-point method and Newton's take on then
STREAMS: Final = 2  # parts of the contacts of an island that a sweep visits in turn
LOCAL: Final = 1e-9  # change, as a fraction of its forces, that ends them
DEPENDENT: Final = 1e-14  # added to the diagonal of the least-squares problem, as a fraction of it
SMALL_PIVOT: Final = 1e-12


def solve_graph(g: ContactGraph) -> float:
    """Solve for the forces x, which are also the initial guess; the largest residual of the islands."""
    find_islands(g)
    set_speeds(g)
    g.sweeps = 0
    g.residual = 0.0
    wake_nodes(g)
    for k in range(g.islands):
        if g.idle[g.members[g.first_member[k]]] == 0:
            g.residual = max(g.residual, solve_island(g, k))
    return g.residual


def wake_nodes(g: ContactGraph) -> None:
    """Wake all bodies of islands in which one is awake."""
    for i in range(g.nodes):
        if g.island[i] < 0:
            g.idle[i] = 0
    for k in range(g.islands):
        awake = 0
        for at in range(g.first_member[k], g.first_member[k + 1]):
            awake += 1 - g.idle[g.members[at]]
        if awake > 0:
            for at in range(g.first_member[k], g.first_member[k + 1]):
                g.idle[g.members[at]] = 0


def solve_island(g: ContactGraph, k: int) -> float:
    """At most `most` sweeps, until the residual of an island is below the tolerance; the residual."""
    aim = CHECK_FACTOR
    before = 1e300
    least = 1e300
    stalled = 0
    forget_turns(g)
    set_free_scale(g, k)
    is_small = 1 if g.first[k + 1] - g.first[k] <= MOST_DENSE else 0
    most: int = g.most
    if is_small == 1 and most > BEFORE_NEWTON:
        most = BEFORE_NEWTON
    for turn in range(most):
        sweep_island(g, k)
        g.sweeps += 1
        if sqrt(g.square) <= aim * g.tolerance * graph_scale(g):
            update_links(g)
            residual = island_residual(g, k)
            if residual <= g.tolerance:
                return residual
            aim = 0.5 * aim
        stalled += 1
        if g.square < 0.9 * least:
            least = g.square
            stalled = 0
        if g.square > GROWTH * before or stalled > PATIENCE:
            forget_turns(g)
        before = g.square
        if stalled > 2 * PATIENCE:
            stalled = 0
        if stalled <= PATIENCE and turn < most - 1 and turn % EVERY == EVERY - 1:
            combine_turns(g, k)
    update_links(g)
    residual = island_residual(g, k)
    if is_small == 1:
        residual = solve_densely(g, k, residual)
    return residual


def forget_turns(g: ContactGraph) -> None:
    g.filled = 0
    g.next = 0


def set_free_scale(g: ContactGraph, k: int) -> None:
    """Σ b² / A_ii of an island."""
    g.free = 0.0
    for at in range(g.first[k], g.first[k + 1]):
        for r in range(ROWS):
            i = ROWS * g.order[at] + r
            if g.diagonal[i] > SMALLEST:
                g.free += g.b[i] * g.b[i] / g.diagonal[i]


def sweep_island(g: ContactGraph, k: int) -> None:
    """New forces of all contacts, one after another: the first of each of some parts of their list, the second of each, and so on. So
    neighbours in this order move different bodies, and the processor need not wait for one before it begins with the next; a
    cursor walks along the list itself. Σ A_ii of the squares of their changes in `square`, of the forces in
    `pushed`."""
    square = 0.0
    pushed = 0.0
    count = g.first[k + 1] - g.first[k]
    streams = 1 if g.tree.is_there == 1 else STREAMS
    length = (count + streams - 1) // streams
    for nth in range(length * streams):
        at = nth // streams + nth % streams * length
        if at < count:
            c = g.order[g.first[k] + at]
            for r in range(ROWS):
                g.kept[ROWS * c + r] = g.x[ROWS * c + r]
            sweep_contact(g, c)
            for r in range(ROWS):
                i = ROWS * c + r
                change = g.x[i] - g.kept[i]
                square += g.diagonal[i] * change * change
                pushed += g.diagonal[i] * g.x[i] * g.x[i]
    g.square = square
    g.pushed = pushed


def sweep_contact(g: ContactGraph, c: int) -> None:
    """The forces of a contact that suit the others: its own problem of three rows, by local turns (one where its rows are
    decoupled, as between balls); then the speeds that they change."""
    i = ROWS * c
    A = g.local[LOCAL_NUMBERS * c :]
    n = g.x[i]
    t = g.x[i + 1]
    u = g.x[i + 2]
    vn = g.b[i] + g.soft[c] * n
    vt = g.b[i + 1] + g.soft[c] * t
    vu = g.b[i + 2] + g.soft[c] * u
    for k in range(g.starts[c], g.starts[c + 1]):
        visit_link(g, k)
        V = g.V[first_entry(g, k) :]
        s = g.s[g.places[k] :]
        vn += row_motion(g, V, s)
        vt += row_motion(g, V[g.width * g.stride :], s)
        vu += row_motion(g, V[2 * g.width * g.stride :], s)
    turns = g.turns[c]
    for turn in range(turns):
        new = max(0.0, n - vn * A[6])
        change = new - n
        n = new
        vn += A[0] * change
        vt += A[3] * change
        vu += A[4] * change
        limit = g.mu[c] * abs(g.given[c] + n)
        one = t - vt * A[7]
        two = u - vu * A[7]
        square = one * one + two * two
        if square > limit * limit:
            scale = limit / sqrt(square)
            one = one * scale
            two = two * scale
        dt = one - t
        du = two - u
        t = one
        u = two
        if turn == turns - 1 or abs(change) + abs(dt) + abs(du) <= LOCAL * (n + abs(t) + abs(u)):
            break
        vn += A[3] * dt + A[4] * du
        vt += A[1] * dt + A[5] * du
        vu += A[5] * dt + A[2] * du
    change_forces(g, c, n - g.x[i], t - g.x[i + 1], u - g.x[i + 2])
    g.x[i] = n
    g.x[i + 1] = t
    g.x[i + 2] = u


# ------------------------------------------------------------------------------------------------------- acceleration


def combine_turns(g: ContactGraph, k: int) -> None:
    """Store the differences to the turn before; then the combination of turns with the smallest change."""
    update_links(g)
    size = ROWS * g.contacts
    is_first = 1 if g.next == 0 else 0
    slot = (g.next + g.memory - 1) % g.memory
    for at in range(g.first[k], g.first[k + 1]):
        for r in range(ROWS):
            i = ROWS * g.order[at] + r
            change = (g.x[i] - g.kept[i]) * g.root[i]
            if is_first == 0:
                g.dF[slot * size + i] = change - g.F[i]
                g.dG[slot * size + i] = g.x[i] - g.G[i]
            g.F[i] = change
            g.G[i] = g.x[i]
    for at in range(g.first_member[k], g.first_member[k + 1]):
        for j in range(g.width):
            i = g.members[at] * g.width + j
            if is_first == 0:
                g.dS[slot * g.width * g.nodes + i] = g.s[i] - g.S[i]
            g.S[i] = g.s[i]
    g.next += 1
    if is_first == 1:
        return
    if g.filled < g.memory:
        g.filled += 1
    set_products(g, k, slot)
    solve_products(g, DEPENDENT, SMALL_PIVOT)
    for at in range(g.first[k], g.first[k + 1]):
        for r in range(ROWS):
            i = ROWS * g.order[at] + r
            force = g.x[i]
            for m in range(g.filled):
                force -= g.gamma[m] * g.dG[m * size + i]
            g.x[i] = force
    for at in range(g.first_member[k], g.first_member[k + 1]):
        for j in range(g.width):
            i = g.members[at] * g.width + j
            speed = g.s[i]
            for m in range(g.filled):
                speed -= g.gamma[m] * g.dS[m * g.width * g.nodes + i]
            g.s[i] = speed
    if g.tree.is_there == 1 and g.island[g.tree.node] == k:
        start_links(g)


def set_products(g: ContactGraph, k: int, slot: int) -> None:
    size = ROWS * g.contacts
    for m in range(g.filled):
        product = 0.0
        right = 0.0
        of_m = g.dF[m * size :]
        of_slot = g.dF[slot * size :]
        for at in range(g.first[k], g.first[k + 1]):
            i = ROWS * g.order[at]
            product += of_m[i] * of_slot[i] + of_m[i + 1] * of_slot[i + 1] + of_m[i + 2] * of_slot[i + 2]
            right += of_m[i] * g.F[i] + of_m[i + 1] * g.F[i + 1] + of_m[i + 2] * g.F[i + 2]
        g.products[m * g.memory + slot] = product
        g.products[slot * g.memory + m] = product
        g.right[m] = right


def solve_products(g: ContactGraph, more: float, small: float) -> None:
    """γ of the least |F - ΔF γ|, by Cholesky's factors of the normal equations, with `more` of their diagonal and without pivots
    that are `small`."""
    n = g.filled
    semidefinite_factor(n, g.memory, more, small, g.products, g.factor)
    for i in range(n):
        value = g.right[i]
        for m in range(i):
            value -= g.factor[i * g.memory + m] * g.gamma[m]
        pivot = g.factor[i * g.memory + i]
        g.gamma[i] = value / pivot if pivot > 0.0 else 0.0
    for down in range(n):
        i = n - 1 - down
        value = g.gamma[i]
        for m in range(i + 1, n):
            value -= g.factor[m * g.memory + i] * g.gamma[m]
        pivot = g.factor[i * g.memory + i]
        g.gamma[i] = value / pivot if pivot > 0.0 else 0.0
