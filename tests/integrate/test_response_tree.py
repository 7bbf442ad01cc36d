"""Responses of a tree with joints to impulses on its links, beside the mass matrix."""

from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph.matrix import zeros
from symbody.derivation.programs.link_table import MachineBody
from symbody.integrate.complementarity.contact_graph import (
    LOCAL_NUMBERS,
    caused_motion,
    contact_graph,
    set_diagonals,
    set_speeds,
)
from symbody.integrate.complementarity.response_tree import SIX, add_response, end_walk, start_walk, walk_to
from symbody.integrate.piles.link_motion import (
    answer_impulses,
    clear_loads,
    factor_constraints,
    pile_links,
    place_links,
    set_twists,
    solve_links,
)
from symbody.integrate.piles.machine_programs import PileMechanism, link_numbers


def random_tree(rng, n=7, roots=2):
    """Bodies on free, spherical, revolute and prismatic joints, in trees of their own."""
    m = sb.Model("tree")
    bodies = []
    for k in range(n):
        inertia = tuple(0.1 + 0.02 * rng.uniform(size=3))
        b = m.body(f"b{k}", mass=1 + 0.3 * k, com=tuple(0.2 * rng.normal(size=3)), inertia=inertia)
        on, at = (m.ground if k < roots else bodies[(k - roots) // 2]), tuple(rng.normal(size=3))
        if k == 0:
            m.free("base", on, b)
        elif k % 3 == 0:
            m.spherical(f"q{k}", on, b, at=at)
        elif k % 3 == 1:
            m.revolute(f"q{k}", on, b, axis="y", at=at)
        else:
            m.prismatic(f"q{k}", on, b, axis="x", at=at)
        bodies.append(b)
    return m, bodies


def links_of(start, bodies, constraints=0, node=0):
    """The links in a state, their twists due to speeds, and the mass matrix."""
    eq = start.equations
    machine = PileMechanism(start, tuple(MachineBody(b.frame, zeros(3), np.eye(3)) for b in bodies))
    numbers = link_numbers(machine)
    values = dict(zip(eq.q, start.q, strict=True))
    numbers.local[:] = sb.evaluate(machine.table.entries, values)
    links = pile_links(replace(numbers, changing=[]), node, constraints)
    place_links(links, start.u)
    n = len(eq.u)
    G = np.zeros((SIX * links.tree.links, n))
    for j in range(n):
        twists = np.zeros(len(G))
        set_twists(links, np.eye(n)[j], twists)
        G[:, j] = twists
    f = sb.compile(eq)
    return links, G, f.M(0.0, start.q, start.u, f.p)


def in_random_state(m, rng):
    eq = sb.derive(m)
    return sb.assemble(eq, start={s.name: 0.5 * rng.normal() for s in (*eq.q, *eq.u)})


@pytest.mark.parametrize("seed", range(2))
def test_links_respond_as_the_mass_matrix_says(seed):
    """Ω = G M⁻¹ Gᵀ of each link; M⁻¹ (Gᵀ f + Q); and walks over the links in any order, against A f of all impulses so far."""
    rng = np.random.default_rng(seed)
    m, bodies = random_tree(rng)
    links, G, M = links_of(in_random_state(m, rng), bodies)
    t, A = links.tree, G @ np.linalg.solve(M, G.T)
    size = np.abs(A).max()
    for i in range(t.links):
        own = slice(SIX * i, SIX * i + SIX)
        assert np.abs(np.reshape(t.response[36 * i : 36 * i + 36], (6, 6)) - A[own, own]).max() < 1e-13 * size
    load, force = rng.normal(size=len(A)), rng.normal(size=len(M))
    load[:SIX] = 0.0
    links.load[:], links.force[: len(M)] = load, force
    solve_links(links)
    expected = np.linalg.solve(M, G.T @ load + force)
    assert np.abs(links.answer[: len(M)] - expected).max() < 1e-12 * np.abs(expected).max()
    assert np.abs(links.load - G @ expected).max() < 1e-12 * np.abs(G @ expected).max()
    s, total = np.zeros(len(A)), np.zeros(len(A))
    start_walk(t, s)
    for _ in range(25):
        i, f = int(rng.integers(1, t.links)), rng.normal(size=SIX)
        walk_to(t, s, i)
        own = slice(SIX * i, SIX * i + SIX)
        assert np.abs(s[own] - (A @ total)[own]).max() < 1e-12 * size * max(np.abs(total).max(), 1.0)
        add_response(t, i, f, s[own])
        t.pending[own] += f
        total[own] += f
    end_walk(t, s)
    assert np.abs(s - A @ total).max() < 1e-12 * size * np.abs(total).max()


def test_blocks_of_a_contact_between_links():
    """A of a contact that two links share, also with a body beside them: V (G M⁻¹ Gᵀ) Vᵀ, and motions that its forces cause."""
    rng = np.random.default_rng(3)
    m, bodies = random_tree(rng)
    links, G, M = links_of(in_random_state(m, rng), bodies, node=1)
    A = np.zeros((len(G) + SIX, len(G) + SIX))
    A[:SIX, :SIX], A[SIX:, SIX:] = np.eye(SIX), G @ np.linalg.solve(M, G.T)
    g = contact_graph(2, 5, 1 + links.tree.links, SIX, links.tree)
    V, g.contacts = np.zeros((6, len(A))), 2
    for block, (c, node) in enumerate([(0, 3), (0, links.tree.links), (1, 0), (1, 6)]):
        g.places[block] = SIX * node
        own = rng.normal(size=(3, SIX))
        g.V[18 * block : 18 * block + 18] = own.ravel()
        V[3 * c : 3 * c + 3, SIX * node : SIX * node + SIX] = own
    g.starts[:3] = [0, 2, 4]
    set_diagonals(g)
    dense = V @ A @ V.T
    for c in range(2):
        a = dense[3 * c : 3 * c + 3, 3 * c : 3 * c + 3]
        expected = [*np.diag(a), a[0, 1], a[0, 2], a[1, 2]]
        assert np.abs(g.local[LOCAL_NUMBERS * c :][:6] - expected).max() < 1e-12 * np.abs(a).max()
    x = rng.normal(size=6)
    g.x[:6] = x
    set_speeds(g)
    found = [caused_motion(g, c, r) for c in range(2) for r in range(3)]
    assert np.abs(found - dense @ x).max() < 1e-12 * np.abs(dense @ x).max()


def test_modes_of_constraints_close_loops():
    """A - Y Yᵀ is the response along the constraints; one of the three rows of the loop in a plane follows from others."""
    m = sb.Model("four bars")
    bodies = [m.body(f"b{k}", mass=1.0 + k, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2)) for k in range(3)]
    on = m.ground
    for k, body in enumerate(bodies):
        m.revolute(f"q{k}", on, body, axis="z", at=(0, 0, 0) if k == 0 else (1, 0, 0))
        on = body
    m.coincide("close", bodies[2].frame.translate(1, 0, 0).origin, m.ground.point(1.2, 0.1, 0), axes="xy")
    eq = sb.derive(m)
    start = sb.assemble(eq, start={"q0": 1.5, "q1": -1.4, "q2": -1.5})
    k = len(eq.lam)
    links, G, M = links_of(start, bodies, k)
    values = dict(zip((*eq.q, *eq.u), (*start.q, *start.u), strict=True))
    Jc = np.array(sb.evaluate(eq.Jc, values), dtype=float)
    links.Jc[: Jc.size] = Jc.ravel()
    factor_constraints(links, len(M))
    T = np.linalg.solve(M, Jc.T)
    P = np.linalg.inv(M) - T @ np.linalg.solve(Jc @ T, T.T)
    Y = np.reshape(links.tree.Y[: len(G) * k], (len(G), k))
    assert np.abs(G @ np.linalg.solve(M, G.T) - Y @ Y.T - G @ P @ G.T).max() < 1e-12
    clear_loads(links)
    load = np.random.default_rng(0).normal(size=len(G))
    links.load[:] = load
    answer_impulses(links, len(M))
    assert np.abs(links.answer[: len(M)] - P @ G.T @ load).max() < 1e-12
