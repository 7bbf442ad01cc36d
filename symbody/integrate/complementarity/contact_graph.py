"""A sparse contact problem in the arrays of kernels: contacts as the edges of a graph whose nodes are bodies.

    v = Vᵀ s + C x + b,    s = V x               A = Vᵀ V + C is never formed

s are the speeds that the forces x cause, in units in which the kinetic energy is |s|² / 2. Each contact has three rows, its
normal and two tangents, and a few blocks of V: one for each body that it moves. C is diagonal: the compliance of each contact.
The problem, its natural map and its residual are those of `contact_arrays.py`; `block_sweeps.py` solves it.

Links of a mechanism (`response_tree.py`) are nodes, too: there s is the change of a twist, and impulses change it by the
response of the tree. Its modes are the last nodes. So v = Vᵀ s + C x + b holds for all, where s is up to date.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from ...emit.loops.kernel_language import Indices, Known, Mutable, Numbers
from ...emit.loops.records import Struct
from .contact_arrays import NULL_MOTION, ROUNDING, SMALLEST, ContactArrays, contact_arrays, indices
from .interior_point import ConePath, cone_path
from .proximal_newton import NearProblem, near_problem
from .response_tree import SIX, ResponseTree, add_response, end_walk, no_response_tree, start_walk, walk_to

MEMORY: Final = 5
LOCAL_TURNS: Final = 8  # of a contact in a sweep, at most
DECOUPLED: Final = 1e-12  # couplings of the rows of a contact below this fraction of its mobility count as none
MOST_DENSE: Final = 200  # contacts of an island that Newton's method is tried on
LOCAL_NUMBERS: Final = 8  # of each contact in `local`
ROWS: Final = 3  # of a contact: the normal and two tangents; rows that it does not have are zero


class ContactGraph(Struct):
    """`contacts` on `nodes` bodies; a block has `width` columns of V.

    starts        of each contact: its first block; one more than there are contacts
    places        of each block: where its body begins in s
    V             of each block: ROWS rows of `width` numbers, `stride` apart: 1, or, where contacts of two blocks each are solved side by side,
                  as many as there is memory for: then numbers of neighbours are neighbours
    s             speeds due to the forces
    b, x          ROWS of each contact; x: the initial guess before a solve
    mu, given     friction coefficient, and the normal force that is there without x
    soft          of each contact: its entries of C
    local         block of A of each contact: its diagonal, then nt, nu, tu; inverses of A_NN and of its mobility; `turns`: of its own problem in a sweep
    diagonal      A_ii by rows, `root`: √A_ii; `mobility`: largest eigenvalue of the tangential block
    memory        turns that are combined, `filled` of them so far: differences of the change F of a sweep, of its forces G
                  and speeds S
    first         of each island: its first contact in `order`, and its first body in `members` (`first_member`)
    island        of each body; -1: without contacts
    idle          1 of bodies that sleep: an island of these alone is left as it is
    parent        memory of the search for islands
    dense         an island as a problem with a dense matrix; `path` and `near` for the interior-point method and Newton's
    tree          links of a mechanism, or none
    push, v       memory for a wrench, and for two numbers
    residual      largest of all islands; `sweeps` of all islands, `most` for each; `tolerance` of the residual
    """

    width: Known[int]
    contacts: Mutable[int]
    nodes: Mutable[int]
    starts: Indices
    places: Indices
    V: Numbers
    stride: Known[int]
    s: Numbers
    b: Numbers
    x: Numbers
    mu: Numbers
    given: Numbers
    soft: Numbers
    diagonal: Numbers
    root: Numbers
    mobility: Numbers
    local: Numbers
    turns: Indices
    memory: Known[int]
    filled: Mutable[int]
    next: Mutable[int]
    kept: Numbers
    F: Numbers
    G: Numbers
    S: Numbers
    dF: Numbers
    dG: Numbers
    dS: Numbers
    products: Numbers
    factor: Numbers
    right: Numbers
    gamma: Numbers
    islands: Mutable[int]
    first: Indices
    first_member: Indices
    order: Indices
    members: Indices
    island: Indices
    parent: Indices
    idle: Indices
    dense: ContactArrays
    near: NearProblem
    path: ConePath
    tree: ResponseTree
    push: Numbers
    v: Numbers
    residual: Mutable[float]
    square: Mutable[float]
    free: Mutable[float]
    pushed: Mutable[float]
    sweeps: Mutable[int]
    most: Mutable[int]
    tolerance: Mutable[float]


def contact_graph(
    contacts: int, blocks: int, nodes: int, width: int, tree: ResponseTree | None = None, stride: int = 1
) -> ContactGraph:
    """Memory for at most so many contacts, blocks of V, and bodies of `width` speeds each; links of a tree are among these."""
    rows = ROWS * contacts + ROWS
    return ContactGraph(
        width=width, contacts=0, nodes=nodes, starts=indices([0] * (contacts + 1)), places=indices([0] * blocks),
        V=np.zeros(ROWS * width * blocks + 1), stride=stride, s=np.zeros(width * nodes + 1), b=np.zeros(rows), x=np.zeros(rows),
        mu=np.zeros(contacts + 1), given=np.zeros(contacts + 1), soft=np.zeros(contacts + 1), diagonal=np.zeros(rows), root=np.zeros(rows), mobility=np.zeros(contacts + 1), local=np.zeros(LOCAL_NUMBERS * (contacts + 1)), turns=indices([0] * contacts),
        memory=MEMORY, filled=0, next=0, kept=np.zeros(rows), F=np.zeros(rows), G=np.zeros(rows), S=np.zeros(width * nodes + 1),
        dF=np.zeros(MEMORY * rows), dG=np.zeros(MEMORY * rows), dS=np.zeros(MEMORY * (width * nodes + 1)),
        products=np.zeros(MEMORY * MEMORY), factor=np.zeros(MEMORY * MEMORY), right=np.zeros(MEMORY), gamma=np.zeros(MEMORY),
        islands=0, first=indices([0] * (contacts + 1)), first_member=indices([0] * (contacts + 1)), order=indices([0] * contacts),
        members=indices([0] * nodes), island=indices([0] * nodes), parent=indices([0] * nodes), idle=indices([0] * nodes),
        dense=contact_arrays(ROWS * MOST_DENSE, MOST_DENSE), near=near_problem(ROWS * MOST_DENSE, MOST_DENSE), path=cone_path(MOST_DENSE), tree=tree or no_response_tree(nodes), push=np.zeros(SIX), v=np.zeros(2),
        residual=0.0, square=0.0, free=0.0, pushed=0.0, sweeps=0, most=0, tolerance=0.0,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------- rows, kernels


def set_diagonals(g: ContactGraph) -> None:
    for i in range(SIX * g.tree.node, g.width * g.nodes):
        g.s[i] = 0.0
    start_links(g)
    for c in range(g.contacts):
        set_diagonal(g, c)


def set_diagonal(g: ContactGraph, c: int) -> None:
    """The block of A of a contact, its diagonal and its mobility, from V."""
    A = g.local[LOCAL_NUMBERS * c :]
    for r in range(ROWS):
        A[r] = g.soft[c]
        A[ROWS + r] = 0.0
    for k in range(g.starts[c], g.starts[c + 1]):
        if is_of_mechanism(g, k) == 0:
            add_products(g, g.V[first_entry(g, k) :], A)
    if g.tree.is_there == 1:
        add_link_diagonal(g, c, A)
    end_diagonal(g, c)


def end_diagonal(g: ContactGraph, c: int) -> None:
    """Diagonal, mobility and turns of a contact, from its block of A."""
    A = g.local[LOCAL_NUMBERS * c :]
    half = 0.5 * (A[1] - A[2])
    g.mobility[c] = max(0.5 * (A[1] + A[2]) + sqrt(half * half + A[5] * A[5]), SMALLEST)
    coupled = abs(A[1] - A[2]) + abs(A[3]) + abs(A[4]) + abs(A[5])
    g.turns[c] = 1 if coupled <= DECOUPLED * g.mobility[c] else LOCAL_TURNS
    for r in range(ROWS):
        g.diagonal[ROWS * c + r] = max(A[r], SMALLEST)
        g.root[ROWS * c + r] = sqrt(g.diagonal[ROWS * c + r])
    A[6] = 1.0 / g.diagonal[ROWS * c]
    A[7] = 1.0 / g.mobility[c]


def first_entry(g: ContactGraph, k: int) -> int:
    """Where the numbers of a block begin in V."""
    if g.stride == 1:
        return ROWS * g.width * k
    return k % 2 * (ROWS * g.width * g.stride) + k // 2


def add_products(g: ContactGraph, V: Numbers, A: Numbers) -> None:
    """V Vᵀ of a block: its diagonal, then nt, nu, tu."""
    for j in range(g.width):
        n = V[j * g.stride]
        t = V[(g.width + j) * g.stride]
        u = V[(2 * g.width + j) * g.stride]
        A[0] += n * n
        A[1] += t * t
        A[2] += u * u
        A[3] += n * t
        A[4] += n * u
        A[5] += t * u


def change_forces(g: ContactGraph, c: int, n: float, t: float, u: float) -> None:
    """s + V times the changes of three forces; of links by their response, where the cursor is."""
    if n == 0.0 and t == 0.0 and u == 0.0:
        return
    for back in range(g.starts[c + 1] - g.starts[c]):
        k = g.starts[c + 1] - 1 - back  # the other way round than motions are read: cursors are there
        at = g.places[k]
        if is_of_mechanism(g, k) == 1:
            push_mechanism(g, k, n, t, u)
        else:
            V = g.V[first_entry(g, k) :]
            for j in range(g.width):
                own = V[j * g.stride] * n + V[(g.width + j) * g.stride] * t
                g.s[at + j] += own + V[(2 * g.width + j) * g.stride] * u


def motion_of_row(g: ContactGraph, c: int, row: int) -> float:
    """v_i = b_i + C_i x_i + V_iᵀ s."""
    return g.b[ROWS * c + row] + g.soft[c] * g.x[ROWS * c + row] + caused_motion(g, c, row)


def caused_motion(g: ContactGraph, c: int, row: int) -> float:
    """V_iᵀ s."""
    out = 0.0
    for k in range(g.starts[c], g.starts[c + 1]):
        out += row_motion(g, g.V[first_entry(g, k) + row * g.width * g.stride :], g.s[g.places[k] :])
    return out


def row_motion(g: ContactGraph, V: Numbers, s: Numbers) -> float:
    """V s of a row of a block; six products in two sums that do not wait for each other."""
    if g.width == SIX:
        near = V[0] * s[0] + V[g.stride] * s[1] + V[2 * g.stride] * s[2]
        far = V[3 * g.stride] * s[3] + V[4 * g.stride] * s[4] + V[5 * g.stride] * s[5]
        return near + far
    out = 0.0
    for j in range(g.width):
        out += V[j * g.stride] * s[j]
    return out


def set_speeds(g: ContactGraph) -> None:
    """s = V x."""
    for i in range(g.width * g.nodes):
        g.s[i] = 0.0
    start_links(g)
    for c in range(g.contacts):
        change_forces(g, c, g.x[ROWS * c], g.x[ROWS * c + 1], g.x[ROWS * c + 2])
    update_links(g)


# ------------------------------------------------------------------------------------------------------- links, kernels


def is_of_mechanism(g: ContactGraph, k: int) -> int:
    """Whether a block is one of a link or of a mode."""
    if g.tree.is_there == 0:
        return 0
    return 1 if g.places[k] >= SIX * g.tree.node else 0


def link_of_block(g: ContactGraph, k: int) -> int:
    """The link of a block; -1: it is one of modes, or of a free body."""
    link = g.places[k] // SIX - g.tree.node
    return link if link >= 0 and link < g.tree.links else -1


def start_links(g: ContactGraph) -> None:
    """Begin walks over the links: s is up to date."""
    if g.tree.is_there == 1:
        start_walk(g.tree, g.s[SIX * g.tree.node :])


def update_links(g: ContactGraph) -> None:
    if g.tree.is_there == 1 and g.tree.moved == 1:
        end_walk(g.tree, g.s[SIX * g.tree.node :])


def visit_link(g: ContactGraph, k: int) -> None:
    """The cursor to the link of a block, whose twist is up to date then."""
    if g.tree.is_there == 1:
        link = link_of_block(g, k)
        if link > 0:
            walk_to(g.tree, g.s[SIX * g.tree.node :], link)


def push_mechanism(g: ContactGraph, k: int, n: float, t: float, u: float) -> None:
    """Three forces on a link, or on modes."""
    link = link_of_block(g, k)
    at = g.places[k]
    own = ROWS * k * SIX
    g.tree.moved = 1
    if link >= 0:
        visit_link(g, k)
    for j in range(SIX):
        g.push[j] = g.V[own + j] * n + g.V[own + SIX + j] * t + g.V[own + 2 * SIX + j] * u
        if link >= 0:
            g.tree.pending[SIX * link + j] += g.push[j]
        else:
            g.s[at + j] -= g.push[j]
    if link >= 0:
        add_response(g.tree, link, g.push, g.s[at:])


def add_link_diagonal(g: ContactGraph, c: int, A: Numbers) -> None:
    """The part of a contact's block of A that is due to a mechanism: what unit forces cause, which are then taken away again."""
    push_row(g, c, 1.0, 0.0, 0.0)
    A[0] += mechanism_motion(g, c, 0)
    A[3] += mechanism_motion(g, c, 1)
    A[4] += mechanism_motion(g, c, 2)
    push_row(g, c, -1.0, 1.0, 0.0)
    A[1] += mechanism_motion(g, c, 1)
    A[5] += mechanism_motion(g, c, 2)
    push_row(g, c, 0.0, -1.0, 1.0)
    A[2] += mechanism_motion(g, c, 2)
    push_row(g, c, 0.0, 0.0, -1.0)


def push_row(g: ContactGraph, c: int, n: float, t: float, u: float) -> None:
    """Forces of a contact on a mechanism alone."""
    for k in range(g.starts[c], g.starts[c + 1]):
        if is_of_mechanism(g, k) == 1:
            push_mechanism(g, k, n, t, u)


def mechanism_motion(g: ContactGraph, c: int, row: int) -> float:
    out = 0.0
    for k in range(g.starts[c], g.starts[c + 1]):
        if is_of_mechanism(g, k) == 1:
            visit_link(g, k)
            for j in range(SIX):
                out += g.V[(ROWS * k + row) * SIX + j] * g.s[g.places[k] + j]
    return out


def project_tangents(g: ContactGraph, c: int, normal: float) -> None:
    """x_T - v_T / a projected onto the disc of friction, with v_T in `v`; the result is there too."""
    i = ROWS * c
    limit = g.mu[c] * abs(normal)
    one = g.x[i + 1] - g.v[0] / g.mobility[c]
    two = g.x[i + 2] - g.v[1] / g.mobility[c]
    size = sqrt(one * one + two * two)
    scale = 1.0
    if size > limit:
        scale = limit / size
    g.v[0] = one * scale
    g.v[1] = two * scale


# ------------------------------------------------------------------------------------------------------- residual


def island_residual(g: ContactGraph, k: int) -> float:
    """`contact_residual` of the contacts of an island, as a separate problem."""
    square = 0.0
    g.free = 0.0
    g.pushed = 0.0
    for at in range(g.first[k], g.first[k + 1]):
        square += missed_squares(g, g.order[at])
    return 0.0 if square == 0.0 else sqrt(square) / graph_scale(g)


def missed_squares(g: ContactGraph, c: int) -> float:
    """a miss² of the rows of a contact; its part of the scales."""
    i = ROWS * c
    v = motion_of_row(g, c, 0)
    g.v[0] = motion_of_row(g, c, 1)
    g.v[1] = motion_of_row(g, c, 2)
    project_tangents(g, c, g.given[c] + g.x[i])
    square = missed_square(g, c, 0, g.x[i] - max(0.0, g.x[i] - v / g.diagonal[i]))
    square += missed_square(g, c, 1, g.x[i + 1] - g.v[0])
    square += missed_square(g, c, 2, g.x[i + 2] - g.v[1])
    add_scales(g, c)
    return square


def missed_square(g: ContactGraph, c: int, row: int, miss: float) -> float:
    """a miss² of a row, less rounding of its terms."""
    a = g.diagonal[ROWS * c + row]
    missed = a * abs(miss)
    if missed == 0.0:
        return 0.0
    terms = abs(g.b[ROWS * c + row]) + a * abs(g.x[ROWS * c + row])
    for k in range(g.starts[c], g.starts[c + 1]):
        V = g.V[first_entry(g, k) + row * g.width * g.stride :]
        for j in range(g.width):
            terms += abs(V[j * g.stride] * g.s[g.places[k] + j])
    missed -= ROUNDING * terms
    return missed * missed / a if missed > 0.0 else 0.0


def add_scales(g: ContactGraph, c: int) -> None:
    """Σ b² / A_ii and Σ A_ii x²."""
    for r in range(ROWS):
        i = ROWS * c + r
        if g.diagonal[i] > SMALLEST:
            g.free += g.b[i] * g.b[i] / g.diagonal[i]
            g.pushed += g.diagonal[i] * g.x[i] * g.x[i]


def graph_scale(g: ContactGraph) -> float:
    """As `residual_scale` of `contact_arrays.py`."""
    return max(sqrt(min(g.free, g.pushed)), NULL_MOTION * sqrt(max(g.free, g.pushed)), SMALLEST)
