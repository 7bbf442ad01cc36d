"""Energies of trees with equal links in loops: those of the bodies written out, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.calculus.derivatives import gradient
from symbody.algebra.graph.walk import evaluation_order, free_symbols
from symbody.derivation.equations.energies import generalized_momenta
from symbody.derivation.kinematics import linked_constraints
from symbody.derivation.programs import link_sums, link_sweeps

from ..amount import some
from ..linked_trees import random_tree, take_loops
from .test_closed_chains_in_loops import crawlers, net
from .test_loads_on_links import loaded_tree, rope

ENERGIES = (sb.kinetic_energy, sb.potential_energy)


@pytest.fixture
def few_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are taken for trees of any size."""
    take_loops(monkeypatch)
    monkeypatch.setattr(link_sums, "MANY_LINKS", 2)


def are_swept(e: sb.Expr) -> bool:
    return any(n.op == "sweeps" for n in evaluation_order([e]))


def written_energies(eq: sb.Equations) -> list[sb.Expr]:
    """Of each body by name, and of each load by name: these are not in loops."""
    bodies, loads = [b.name for b in eq.mechanism.bodies], [x.name for x in eq.mechanism.loads]
    return [sb.kinetic_energy(eq, bodies), sb.potential_energy(eq, loads)]


def values_at_random(eq: sb.Equations, expressions: list[Any], seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    at = {s: float(rng.uniform(-1, 1)) for s in (*eq.q, *eq.u, *eq.r, eq.t)}
    for row in eq.variables.quaternions:
        size = np.linalg.norm([at[v.symbol] for v in row])
        at |= {v.symbol: float(at[v.symbol] / size) for v in row}
    return [np.array(x, float) for x in sb.evaluate(expressions, eq.values(at))]


def with_more_loads(m: sb.Model, seed: int) -> sb.Model:
    """A weight on the ground, a potential of one coordinate with parameters of its own and time, a spring between bodies."""
    frozen = m.freeze()
    first, last, q = frozen.bodies[0], frozen.bodies[-1], frozen.q[seed % 3]
    m.body("anchor", m.ground, mass=3.0, com=(0.3, 0.2, 0.1))
    m.potential("bump", m.parameter("height", 0.7) * sb.cos(q) + m.parameter("level", 0.3) * frozen.t)
    m.spring("between", first.frame.origin, last.frame.point(0.2, 0.1, 0), stiffness=4.0, rest=0.5)
    return m


@pytest.mark.parametrize("are_unequal", [False, True])
@pytest.mark.parametrize("seed", some(range(8), 3))
def test_loops_agree_with_bodies_written_out(
    seed: int, are_unequal: bool, few_links: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also ∂T/∂u, a derivative of the loops; masses on the ground, potentials of one link and those between links."""
    monkeypatch.setattr(link_sweeps, "MANY_UNEQUAL_LINKS", 2)
    eq = sb.derive(with_more_loads(random_tree(seed, are_unequal=are_unequal), seed))
    found, wanted = [e(eq) for e in ENERGIES], written_energies(eq)
    assert all(map(are_swept, found))
    assert set(free_symbols(found[0])) <= {*eq.q, *eq.u, *eq.p}
    assert set(free_symbols(found[1])) <= {*eq.q, eq.t, *eq.p}
    momenta = generalized_momenta(eq), gradient(wanted[0], eq.u)
    computed, expected = (values_at_random(eq, [*e, m], seed) for e, m in zip((found, wanted), momenta, strict=True))
    for a, b in zip(computed, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max())
    powers = sb.derivation.load_powers(eq)
    loss = sb.algebra.time_derivative(wanted_gravity := sb.potential_energy(eq, "gravity"), eq.mechanism.rates)
    assert are_swept(powers["gravity"])
    assert not are_swept(wanted_gravity)
    power, rate = values_at_random(eq, [powers["gravity"], -loss], seed)
    np.testing.assert_allclose(power, rate, rtol=1e-11)
    code = sb.compile(eq).energies
    assert any(i.op == "sweeps" for i in code.program.code)


@pytest.mark.parametrize("make", [net, crawlers])
def test_energy_of_closed_chains_is_a_sum_over_all_trees(make: Callable[[int], sb.Model], few_links: None) -> None:
    eq = sb.derive(make(3))
    found, wanted = [e(eq) for e in ENERGIES], written_energies(eq)
    assert all(map(are_swept, found))
    for a, b in zip(values_at_random(eq, found, 1), values_at_random(eq, wanted, 1), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def chain(n: int) -> sb.Model:
    part = sb.Model("part")
    link = part.body("link", mass=1.0, com=(0.5, 0, 0), inertia=(0.05, 0.1, 0.1))
    part.revolute("joint", part.ground, link, axis="z", stiffness=2.0)
    part.frame("tip", link.frame.translate(1, 0, 0))
    m = sb.Model("chain")
    m.gravity(0, -9.81, 0)
    m.repeat("links", m.ground, part, n, end="tip")
    return m


def test_energy_of_a_chain_is_conserved() -> None:
    """At steps and between them, where it follows from its own rate."""
    eq = sb.derive(chain(60))
    assert all(are_swept(e(eq)) for e in ENERGIES)
    sim = sb.simulate(eq, np.linspace(0, 0.2, 7), rtol=1e-10)
    assert np.ptp(sim.kinetic_energy) > 1.0
    np.testing.assert_allclose(sim.energy, sim.energy[0], atol=1e-7 * np.ptp(sim.kinetic_energy))
    wanted = sim.values(written_energies(eq))
    np.testing.assert_allclose(sim.kinetic_energy, wanted[0], rtol=1e-9, atol=1e-9)


def test_fragments_do_not_depend_on_the_number_of_links() -> None:
    counts = []
    for n in (60, 240):
        schedules = [
            next(x.data for x in evaluation_order([e(sb.derive(chain(n)))]) if x.op == "sweeps") for e in ENERGIES
        ]
        counts.append([(len(s.fragments), s.operations[0]) for s in schedules])
    assert counts[0] == counts[1]


@pytest.mark.parametrize("seed", some(range(10), 4))
def test_loads_between_links(seed: int, few_links: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Potentials and powers of random loads between links and the ground are those of the forces as they were written."""
    monkeypatch.setattr(linked_constraints, "FEW_TYPES", 1000)
    eq = sb.derive(loaded_tree(seed, 6, 6))
    V, powers = sb.potential_energy(eq), sb.derivation.load_powers(eq)
    monkeypatch.setattr(link_sums, "MANY_LINKS", 1000)
    written = sb.derive(loaded_tree(seed, 6, 6))
    wanted = sb.derivation.load_powers(written)
    loads = [x.name for x in eq.mechanism.loads if x.actions and x.name != "gravity"]
    assert loads
    assert all(are_swept(powers[name]) and not are_swept(wanted[name]) for name in loads)
    names = [x.name for x in eq.mechanism.loads]
    expressions = [V, sb.potential_energy(written, names), list(powers.values()), list(wanted.values())]
    found = values_at_random(written, expressions, seed)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-11)
    assert [*powers] == [*wanted]
    np.testing.assert_allclose(found[2], found[3], rtol=0, atol=1e-11 * np.abs(found[3]).max())


def test_energies_of_many_springs_do_not_make_their_forces() -> None:
    """Forces to the ground of the last links have all coordinates; along a motion, the power of dampers is the loss of energy."""

    def holds(m: sb.Model, k: int, link: Any) -> None:
        m.spring(f"s{k}", m.ground.point(0.1 * k, 0.5, 0), link.point(0.05, 0, 0), stiffness=3, rest=0.4, damping=0.1)

    eq = sb.derive(rope(60, holds))
    sim = sb.simulate(eq, np.linspace(0, 0.2, 201), rtol=1e-9)
    losses = np.sum([p for name, p in sim.load_powers.items() if "damper" in name], axis=0)
    fed = np.concatenate([[0.0], np.cumsum((losses[1:] + losses[:-1]) / 2) * 1e-3])
    np.testing.assert_allclose(sim.energy - sim.energy[0], fed, rtol=0, atol=1e-4 * np.abs(fed).max())
    far = [x for x in eq.mechanism.loads if x.name in ("s59", "s59.damper")]
    assert [vars(x).get("_made") for x in far] == [None, None]
