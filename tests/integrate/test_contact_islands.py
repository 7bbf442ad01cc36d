"""Contact problems of islands of bodies, by sweeps and by Newton's method with a proximal term: Signorini's and Coulomb's conditions."""

from __future__ import annotations

import numpy as np
import pytest

from symbody.integrate.complementarity import block_sweeps
from symbody.integrate.complementarity.block_sweeps import solve_graph
from symbody.integrate.complementarity.contact_graph import ROWS, ContactGraph, contact_graph, set_diagonals
from symbody.integrate.complementarity.response_tree import SIX

from ..amount import some

TOLERANCE = 1e-10
PAIRS = [(0, 1), (1, 2), (0, 2), (2,), (3, 4), (4,), (4, 3)]  # bodies of each contact: two islands


def random_graph(seed: int) -> tuple[ContactGraph, np.ndarray]:
    """Contacts of bodies in random directions, and A = V Vᵀ + C."""
    draw, nodes = np.random.default_rng(seed), 5
    g = contact_graph(len(PAIRS), 2 * len(PAIRS), nodes, SIX)
    V, block = np.zeros((ROWS * len(PAIRS), SIX * nodes)), 0
    g.contacts, g.tolerance, g.most = len(PAIRS), TOLERANCE, 2000
    for c, bodies in enumerate(PAIRS):
        g.starts[c] = block
        for node in bodies:
            own = draw.normal(size=(ROWS, SIX))
            g.places[block], g.V[18 * block : 18 * block + 18] = SIX * node, own.ravel()
            V[ROWS * c : ROWS * c + ROWS, SIX * node : SIX * node + SIX] = own
            block += 1
    g.starts[len(PAIRS)] = block
    n = ROWS * len(PAIRS)
    g.b[:n] = draw.normal(size=n)
    g.b[:n:ROWS] = -np.abs(g.b[:n:ROWS])
    g.mu[: len(PAIRS)] = draw.choice([0.0, 0.2, 0.4], len(PAIRS))
    g.soft[: len(PAIRS)] = draw.choice([0.0, 0.3], len(PAIRS))
    set_diagonals(g)
    return g, V @ V.T + np.diag(np.repeat(g.soft[: len(PAIRS)], ROWS))


@pytest.mark.parametrize("seed", some(range(6), 3))
@pytest.mark.parametrize("sweeps", [0, 100])
def test_forces_satisfy_the_laws_of_contact(sweeps: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """v = A x + b with 0 <= x_N, 0 <= v_N, x_N v_N = 0; |x_T| <= μ x_N, and a contact that slips is pushed against its slip. By Newton's
    method from zero, and by sweeps."""
    monkeypatch.setattr(block_sweeps, "BEFORE_NEWTON", sweeps)
    g, A = random_graph(seed)
    n = ROWS * len(PAIRS)
    assert solve_graph(g) <= TOLERANCE
    assert g.islands == 2
    assert (g.sweeps > 0) == (sweeps > 0)
    x = np.array(g.x[:n])
    v = A @ x + np.array(g.b[:n])
    size = np.abs(v).max() + np.abs(x).max()
    pushing, slipping = x[::ROWS], np.zeros(len(PAIRS))
    assert pushing.min() >= 0 < pushing.max()
    assert v[::ROWS].min() > -1e-8 * size
    assert np.abs(pushing * v[::ROWS]).max() < 1e-8 * size**2
    for c in range(len(PAIRS)):
        own, slip = x[ROWS * c + 1 : ROWS * c + ROWS], v[ROWS * c + 1 : ROWS * c + ROWS]
        limit = g.mu[c] * pushing[c]
        assert np.linalg.norm(own) <= limit + 1e-8 * size
        slipping[c] = np.linalg.norm(slip)
        assert np.abs(own * slipping[c] + limit * slip).max() < 1e-8 * size**2  # x_T |v_T| = -μ x_N v_T
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
