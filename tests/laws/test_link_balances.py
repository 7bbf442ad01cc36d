"""Newton's matrix of implicit methods over trees in loops, from balances between neighbouring links: the same solutions as
with the full matrix, and the same motions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph.walk import evaluation_order
from symbody.derivation.kinematics import linked_constraints
from symbody.derivation.kinematics.linked_loads import linked_loads
from symbody.derivation.programs import link_sweeps
from symbody.derivation.programs.link_balances import swept_wrenches
from symbody.derivation.programs.link_sweeps import swept_tree
from symbody.derivation.questions import reactions
from symbody.derivation.questions.reactions import ForceBalance
from symbody.derivation.routes import repeated_equations
from symbody.integrate import SimulationOptions
from symbody.integrate.elimination_kernels.sparse_elimination import (
    shift_matrix,
    sparse_complex_factor,
    sparse_complex_solve,
    sparse_factor,
    sparse_solve,
)
from symbody.integrate.forms.forms import Form
from symbody.integrate.run import newton_matrix
from symbody.integrate.run.form_and_method import form_of
from symbody.integrate.run.newton_matrix import slopes_of

from ..amount import some
from ..linked_trees import random_tree, take_loops
from .test_closed_chains_in_loops import train
from .test_loads_on_links import loaded_tree, rope


@pytest.fixture
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops, and matrices of links, are taken for trees of any size."""
    take_loops(monkeypatch)
    monkeypatch.setattr(newton_matrix, "MIN_VARIABLES", 2)
    monkeypatch.setattr(newton_matrix, "DENSE_SPEEDUP", 0)


def state_of(form: Form, seed: int) -> tuple[np.ndarray, np.ndarray]:
    start = sb.State.of(form.equations, {})
    y, p = form.start(0.0, np.concatenate([start.q, start.u, start.z]), start.p)
    return y + np.random.default_rng(seed).uniform(-1, 1, form.n), p


def exact_slopes(form: Form, t: float, y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """∂F/∂y by complex steps."""
    at = {form.equations.t: t, **dict(zip(form.parameters, p.tolist(), strict=True))}
    columns = [
        np.imag(sb.evaluate(list(form.rates), {**at, **dict(zip(form.y, y + 1e-30j * e, strict=True))}))
        for e in np.eye(form.n)
    ]
    return np.array(columns).T / 1e-30


@pytest.mark.parametrize("seed", some(range(10), 3))
def test_same_solutions_as_with_the_full_matrix(seed: int, any_size: None) -> None:
    """(c - J) x = b, real and complex, where J is ∂F/∂y of all joint types; inputs and loads with own parameters."""
    assert_same_solutions(form_of(sb.derive(random_tree(seed, 5)), SimulationOptions(form="minimal")), seed)


def test_same_solutions_with_loads_between_trees(any_size: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Likewise of equal trees that springs, dampers and motors couple."""
    monkeypatch.setattr(repeated_equations, "MIN_TREES", 1)
    monkeypatch.setattr(repeated_equations, "MIN_COPIES", 0)
    assert_same_solutions(form_of(sb.derive(train()), SimulationOptions(form="minimal")), 3)


@pytest.mark.parametrize("seed", some(range(10), 4))
def test_same_solutions_with_loads_on_links(seed: int, any_size: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Likewise of random trees with random loads between their links and the ground."""
    monkeypatch.setattr(link_sweeps, "MANY_LINKS", 2)
    monkeypatch.setattr(linked_constraints, "FEW_TYPES", 1000)
    eq = sb.derive(loaded_tree(seed, 6, 5))
    assert linked_loads(eq.mechanism, swept_tree(eq.mechanism).links).loads
    assert_same_solutions(form_of(eq, SimulationOptions(form="minimal")), seed)


@pytest.mark.parametrize("seed", some(range(10), 3))
def test_wrenches_in_loops(seed: int, any_size: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What each frame needs from its parent, in the motion and loads on the subtree: as it is written out."""
    monkeypatch.setattr(link_sweeps, "MANY_LINKS", 2)
    monkeypatch.setattr(linked_constraints, "FEW_TYPES", 1000)
    eq = sb.derive(loaded_tree(seed, 6, 5))
    balance, found = ForceBalance(eq), swept_wrenches(eq)
    assert {x.frame for x in eq.mechanism.rigid_bodies if not x.mass.is_massless} - {eq.mechanism.ground} <= {*found}
    rng = np.random.default_rng(seed)
    at = {s: float(rng.uniform(-1, 1)) for s in (*eq.q, *eq.u, *eq.r, eq.t, *(u.dot for u in eq.u))}
    for row in eq.variables.quaternions:
        size = np.linalg.norm([at[v.symbol] for v in row])
        at |= {v.symbol: float(at[v.symbol] / size) for v in row}
    parts = [
        e for f, w in found.items() for x in (w, balance.carried[f]) for e in (*x.force.entries, *x.moment.entries)
    ]
    numbers = np.array(sb.evaluate(balance.kinematics.in_speeds(parts), eq.values(at)), float).reshape(-1, 2, 6)
    np.testing.assert_allclose(numbers[:, 0], numbers[:, 1], rtol=0, atol=1e-11 * np.abs(numbers).max())


def test_reactions_in_loops() -> None:
    """Of 60 links with springs: those written out; also in a fixed joint with a body without mass on which a load acts, and
    between this and a body with mass."""

    def held(m: sb.Model, k: int, link: Any) -> None:
        to_ground(m, k, link)
        if k == 30:
            tip = m.body("tip")
            m.fixed("tip", link, tip, at=(0, 0.2, 0))
            m.spring("pulling", m.ground.point(0, 1, 0), tip.point(0.1, 0, 0), stiffness=2, rest=0.1)
            end = m.body("end", mass=0.1, com=(0.05, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
            m.revolute("end", tip, end, at=(0.1, 0, 0))

    eq = sb.derive(rope(60, held))
    rng = np.random.default_rng(1)
    at = eq.values({s: float(rng.uniform(-1, 1)) for s in (*eq.q, *eq.u)} | {eq.t: 0.0})
    for joint in ("q0", "q25", "q30", "q59", "tip", "end"):
        found = sb.reaction(eq, joint, solved=True)
        assert joint == "tip" or any(n.op == "sweeps" for n in evaluation_order(list(found.force.entries)))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reactions, "swept_wrenches", lambda eq: {})
            wanted = sb.reaction(eq, joint, solved=True)
        (a, b, c, d) = (
            np.array(x, float) for x in sb.evaluate([found.force, wanted.force, found.moment, wanted.moment], at)
        )
        np.testing.assert_allclose([a, c], [b, d], rtol=0, atol=1e-10 * np.abs([b, d]).max())


def assert_same_solutions(form: Form, seed: int) -> None:
    slopes, n = slopes_of(form), form.n
    assert slopes.size > n
    assert slopes.order is not None
    y, p = state_of(form, seed)
    J = exact_slopes(form, 0.3, y, p)
    entries, sparse, mass = slopes.entries(0.3, y, p), slopes.sparse(n), np.ones(n)
    whole = np.zeros((slopes.size, slopes.size))
    np.add.at(whole, (slopes.rows, slopes.columns), entries)
    reduced = whole[:n, :n] - whole[:n, n:] @ np.linalg.solve(whole[n:, n:], whole[n:, :n])
    np.testing.assert_allclose(reduced, J, rtol=0, atol=1e-11 * np.abs(J).max())
    a, re, im = (np.zeros(sparse.filled + sparse.size) for _ in range(3))
    b, c = np.random.default_rng(seed).normal(size=(2, n))
    shift_matrix(sparse, 37.0, mass, entries, a)
    assert sparse_factor(sparse, a) == 1
    x, wanted = b.copy(), np.linalg.solve(37.0 * np.eye(n) - J, b)
    sparse_solve(sparse, a, x)
    np.testing.assert_allclose(x, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())
    shift_matrix(sparse, 20.0, mass, entries, re)
    im[sparse.diagonals[:n]] = 30.0
    assert sparse_complex_factor(sparse, re, im) == 1
    x, z, exact = b.copy(), c.copy(), np.linalg.solve((20.0 + 30.0j) * np.eye(n) - J, b + 1j * c)
    sparse_complex_solve(sparse, re, im, x, z)
    np.testing.assert_allclose(x + 1j * z, exact, rtol=0, atol=1e-10 * np.abs(exact).max())


def chain(n: int, stiffness: float = 100.0) -> sb.Model:
    """Links of a soft rod in a plane."""
    link = sb.Model("link")
    rod = link.body("rod", mass=0.1, com=(0.05, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
    link.revolute("a", link.ground, rod, "z", damping=0.01 * stiffness, stiffness=stiffness)
    link.frame("tip", rod.frame.translate(0.1, 0, 0))
    m = sb.Model("chain")
    m.gravity(0, -9.81, 0)
    links = m.repeat("link", m.ground, link, n, end="tip")
    m.generalized_force("push", links[n - 1].joint("a").q, m.input("tau"))
    return m


def test_same_motion_as_with_the_full_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same steps to the same states; an input that depends on the state at the other end counts in the matrix."""
    take_loops(monkeypatch)
    monkeypatch.setattr(newton_matrix, "DENSE_SPEEDUP", 0)
    found = []
    for least in (2, 1000):
        monkeypatch.setattr(newton_matrix, "MIN_VARIABLES", least)
        m = chain(6)
        first, last = m.symbols["link_0_a"], m.symbols["link_5_a"]
        m.generalized_force("coupling", first, 30 * (last - first))
        eq = sb.derive(m)
        law = -20 * eq.q[0] - 3 * eq.u[1] + sb.sin(5 * m.time)
        found.append(sb.simulate(eq, 0.5, inputs={"tau": law}, method="radau", rtol=1e-8))
    links, full = found
    assert links.outcome
    counts = [(s.steps, s.rejected, s.jacobians) for s in (links.statistics, full.statistics)]
    assert counts[0] == counts[1]
    np.testing.assert_allclose(links.y, full.y, rtol=0, atol=1e-9 * np.abs(full.y).max())


def to_ground(m: sb.Model, k: int, link: Any) -> None:
    m.spring(f"s{k}", m.ground.point(0.1 * k, 0.5, 0), link.point(0.05, 0, 0), stiffness=3, rest=0.4, damping=1e-3)


def to_neighbours(m: sb.Model, k: int, link: Any) -> None:
    if k:
        m.spring(f"s{k}", m.bodies[f"b{k - 1}"].point(0, 0.1, 0), link.point(0.05, 0.1, 0), stiffness=3, damping=1e-3)


@pytest.mark.parametrize("of", [chain, lambda n: rope(n, to_ground), lambda n: rope(n, to_neighbours)])
def test_work_is_proportional_to_the_links(of: Callable[[int], sb.Model]) -> None:
    """Also with springs and dampers between links and the ground, or between neighbours."""

    def slopes(n: int) -> Any:
        return slopes_of(form_of(sb.derive(of(n)), SimulationOptions(form="minimal")))

    small, large = slopes(100), slopes(200)
    for count in ("filled", "products"):
        assert getattr(large.order, count) < 2.03 * getattr(small.order, count)
    assert len(large.rows) < 2.03 * len(small.rows)


@pytest.mark.parametrize("holds", [to_ground, to_neighbours])
def test_motions_with_springs_on_links(holds: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same steps to the same states as with the full matrix."""
    found = []
    for least in (2, 1000):
        monkeypatch.setattr(newton_matrix, "MIN_VARIABLES", least)
        found.append(sb.simulate(sb.derive(rope(44, holds)), 0.1, method="radau", rtol=1e-7))
    links, full = found
    assert links.outcome
    assert links.statistics.steps == full.statistics.steps
    np.testing.assert_allclose(links.y, full.y, rtol=0, atol=1e-9 * np.abs(full.y).max())


def test_sparse_linearisation_with_springs_on_links() -> None:
    """Eigenvalues of the sparse pencil are those of the full matrix."""
    lin = sb.linearize(sb.derive(rope(60, to_ground)), {}, moving=True)
    pencil = lin.numbers.sparse({})
    assert pencil.A.shape[0] > pencil.states == 120
    A = lin.numbers.matrices({}).A
    np.testing.assert_allclose(pencil.full()[1], A, rtol=0, atol=1e-10 * np.abs(A).max())


def test_changes_of_the_method_in_loops() -> None:
    """Stiffness at the start is noticed, radau takes over, and comes to the end in few steps."""
    sim = sb.simulate(sb.derive(chain(60, 1e6)), 1.0, {"link_0_a": 0.01}, rtol=1e-4)
    assert sim.outcome
    assert "radau" in sim.choices["method"]
    assert sim.statistics.steps < 1000
