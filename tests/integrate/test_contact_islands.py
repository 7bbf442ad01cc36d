"""Contact problems of islands of bodies, by sweeps, the interior-point method and Newton's method with a proximal term: Signorini's and
Coulomb's conditions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from symbody.emit.run.loop_callee import LoopCallee
from symbody.integrate.complementarity import block_sweeps
from symbody.integrate.complementarity.block_sweeps import solve_graph
from symbody.integrate.complementarity.contact_arrays import contact_residual
from symbody.integrate.complementarity.contact_graph import ROWS, ContactGraph, contact_graph, set_diagonals
from symbody.integrate.complementarity.contact_islands import find_islands
from symbody.integrate.complementarity.contact_solvers import store_by_blocks
from symbody.integrate.complementarity.dense_islands import pose_island
from symbody.integrate.complementarity.interior_point import NEAR, approach_solution
from symbody.integrate.complementarity.response_tree import SIX

from ..amount import some

TOLERANCE = 1e-10
PAIRS = [(0, 1), (1, 2), (0, 2), (2,), (3, 4), (4,), (4, 3)]  # bodies of each contact: two islands


def random_graph(seed: int) -> tuple[ContactGraph, np.ndarray]:
    """Contacts of bodies in random directions, and A = V Vᵀ + C."""
    draw = np.random.default_rng(seed)
    g, V = graph_of_pairs(draw, 5, PAIRS)
    n = ROWS * len(PAIRS)
    g.tolerance, g.most = TOLERANCE, 2000
    g.b[:n] = draw.normal(size=n)
    g.b[:n:ROWS] = -np.abs(g.b[:n:ROWS])
    g.mu[: len(PAIRS)] = draw.choice([0.0, 0.2, 0.4], len(PAIRS))
    g.soft[: len(PAIRS)] = draw.choice([0.0, 0.3], len(PAIRS))
    set_diagonals(g)
    return g, V @ V.T + np.diag(np.repeat(g.soft[: len(PAIRS)], ROWS))


def crowded_graph(seed: int, frictions: list[float]) -> tuple[ContactGraph, np.ndarray]:
    """Six moving bodies with 30 contacts. All bodies at rest satisfy the normal conditions, so that there is a solution."""
    draw, nodes = np.random.default_rng(seed), 6
    pairs = [tuple(draw.choice(nodes, 1 + (draw.random() < 0.6), replace=False)) for _ in range(30)]
    g, V = graph_of_pairs(draw, nodes, pairs)
    g.tolerance, g.most = 1e-8, 100
    g.b[: ROWS * len(pairs)] = V @ draw.normal(size=SIX * nodes)
    g.mu[: len(pairs)] = draw.choice(frictions, len(pairs))
    return g, V @ V.T


def graph_of_pairs(
    draw: np.random.Generator, nodes: int, pairs: Sequence[tuple[int, ...]]
) -> tuple[ContactGraph, np.ndarray]:
    """Contacts of these bodies in random directions; V by rows."""
    g = contact_graph(len(pairs), 2 * len(pairs), nodes, SIX)
    V, block = np.zeros((ROWS * len(pairs), SIX * nodes)), 0
    g.contacts = len(pairs)
    for c, bodies in enumerate(pairs):
        g.starts[c] = block
        for node in bodies:
            own = draw.normal(size=(ROWS, SIX))
            g.places[block], g.V[18 * block : 18 * block + 18] = SIX * node, own.ravel()
            V[ROWS * c : ROWS * c + ROWS, SIX * node : SIX * node + SIX] = own
            block += 1
    g.starts[len(pairs)] = block
    return g, V


@pytest.mark.parametrize("seed", some(range(6), 3))
@pytest.mark.parametrize("sweeps", [0, 100])
def test_forces_satisfy_the_laws_of_contact(sweeps: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """v = A x + b with 0 <= x_N, 0 <= v_N, x_N v_N = 0; |x_T| <= μ x_N, and a contact that slips is pushed against its slip. By Newton's
    method from zero, and by sweeps."""
    monkeypatch.setattr(block_sweeps, "BEFORE_NEWTON", sweeps)
    g, A = random_graph(seed)
    assert solve_graph(g) <= TOLERANCE
    assert g.islands == 2
    assert (g.sweeps > 0) == (sweeps > 0)
    check_laws(g, A, 1e-8)


@pytest.mark.parametrize("frictions", [[0.7], [0.0, 0.7]])
@pytest.mark.parametrize("seed", some([0, 4, 25, 45], 2))
def test_crowded_bodies_on_which_sweeps_and_newton_fail(seed: int, frictions: list[float]) -> None:
    """More equations of contacts than speeds: the interior-point method comes near a solution."""
    g, A = crowded_graph(seed, frictions)
    LoopCallee(store_by_blocks, {}, (), True, g=g).run()
    assert g.residual <= g.tolerance
    check_laws(g, A, 1e-6)


@pytest.mark.parametrize("start", [1.0, 10.0])
@pytest.mark.parametrize("seed", some(range(6), 2))
def test_the_interior_point_method_needs_no_guess(seed: int, start: float) -> None:
    """From zero and from random forces it takes the same path to the neighbourhood of a solution."""
    g, _ = random_graph(seed)
    find_islands(g)
    found = []
    for guess in (0.0, 1e3):
        pose_island(g, 0)
        g.dense.x[: g.dense.n] = guess * np.random.default_rng(seed).normal(size=g.dense.n)
        assert approach_solution(g.dense, g.near, g.path, start, TOLERANCE) < NEAR
        found.append(np.array(g.dense.x[: g.dense.n]))
    np.testing.assert_array_equal(found[0], found[1])
    assert contact_residual(g.dense) < NEAR
    solve_graph(g)
    pose_island(g, 0)
    solved = np.array(g.dense.x[: g.dense.n])
    np.testing.assert_allclose(found[0], solved, atol=1e-2 * np.abs(solved).max())


def check_laws(g: ContactGraph, A: np.ndarray, within: float) -> None:
    """Signorini's and Coulomb's."""
    n = ROWS * g.contacts
    x = np.array(g.x[:n])
    v = A @ x + np.array(g.b[:n])
    size = np.abs(v).max() + np.abs(x).max()
    pushing, slipping = x[::ROWS], np.zeros(g.contacts)
    assert pushing.min() >= 0 < pushing.max()
    assert v[::ROWS].min() > -within * size
    assert np.abs(pushing * v[::ROWS]).max() < within * size**2
    for c in range(g.contacts):
        own, slip = x[ROWS * c + 1 : ROWS * c + ROWS], v[ROWS * c + 1 : ROWS * c + ROWS]
        limit = g.mu[c] * pushing[c]
        assert np.linalg.norm(own) <= limit + within * size
        slipping[c] = np.linalg.norm(slip)
        assert np.abs(own * slipping[c] + limit * slip).max() < within * size**2  # x_T |v_T| = -μ x_N v_T
    assert slipping.max() > 0.1


def test_both_methods_find_the_same_forces(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for sweeps in (0, 100):
        monkeypatch.setattr(block_sweeps, "BEFORE_NEWTON", sweeps)
        g, _ = random_graph(1)
        solve_graph(g)
        found.append((np.array(g.x), np.array(g.s)))
    for newton, swept in zip(*found, strict=True):
        np.testing.assert_allclose(newton, swept, atol=1e-7 * np.abs(swept).max())
