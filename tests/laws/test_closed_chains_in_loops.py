"""Closed chains of equal parts: loops over types of trees and constraints give the accelerations, multipliers and corrections of
the equations that are written out, to rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import four_bars
from symbody.algebra import directional_derivative
from symbody.algebra.calculus.written_solves import written_out
from symbody.algebra.elimination import block_order
from symbody.algebra.graph.late_matrix import LateRows, LateSquare
from symbody.algebra.graph.walk import evaluation_order
from symbody.derivation.programs.constraint_sweeps import constraint_sweeps
from symbody.derivation.routes import repeated_equations

from ..amount import some
from ..linked_trees import assert_alike, assert_corrections_alike, random_numbers


def net(n: int = 3) -> sb.Model:
    """Particles at given distances, one corner held, one moved along with time."""
    m = sb.Model("net")
    m.gravity(0, 0, -m.parameter("g", 9.81))
    at: dict[tuple[int, int], Any] = {}
    for i in range(n):
        for j in range(n):
            if (i, j) == (0, 0):
                at[i, j] = m.ground.point(0.1 * sb.sin(m.time), 0, 0)
                continue
            at[i, j] = m.ground.point(*m.coordinates(" ".join(f"{c}_{i}_{j}" for c in "xyz")))
            m.particle(f"p_{i}_{j}", at[i, j], mass=1.5)
    for i, j in at:
        for other in ((i + 1, j), (i, j + 1)):
            if other in at:
                r = at[i, j] - at[other]
                m.constrain(f"string_{i}_{j}_{other[0]}_{other[1]}", (r.dot(r) - 1) / 2)
    return m


def star(n: int = 8) -> sb.Model:
    """Particles at given distances from a cart, and each from the next."""
    m = sb.Model("star")
    m.gravity(0, 0, -9.81)
    cart = m.body("cart", mass=2.0, inertia=(0.1, 0.2, 0.3))
    m.prismatic("x", m.ground, cart, axis="x", stiffness=3.0)
    at = [m.ground.point(*m.coordinates(f"x{k} y{k} z{k}")) for k in range(n)]
    for k, point in enumerate(at):
        m.particle(f"p{k}", point, mass=m.parameter(f"m{k}", 1.0 + 0.1 * k))
        for name, other in ((f"spoke {k}", cart.point(0.1, 0, 0.2)), (f"rim {k}", at[k - 1])):
            r = point - other
            m.constrain(name, r.dot(r) - 1)
    return m


def crawlers(n: int = 3) -> sb.Model:
    """Carts with two arms each, in space, linked at their tips; arms are geared, and a wheel of each cart rolls."""
    m = sb.Model("crawlers")
    m.gravity(0, 0, -9.81)
    radius = m.parameter("radius", 0.3)
    tips = []
    for k in range(n):
        cart = m.body(f"cart {k}", mass=2.0, inertia=(0.1, 0.2, 0.3))
        x = m.prismatic(f"x{k}", m.ground, cart, axis="x", at=(k, 0.2 * k, 0), stiffness=3.0, damping=0.4).q
        upper = m.body(f"upper {k}", mass=0.5, com=(0.2, 0, 0.1), inertia=(0.01, 0.02, 0.02))
        lower = m.body(f"lower {k}", mass=0.4, com=(0.2, 0.1, 0), inertia=(0.01, 0.02, 0.03))
        a = m.revolute(f"a{k}", cart, upper, "y", at=(0.1, 0, 0.2)).q
        b = m.revolute(f"b{k}", upper, lower, "z", at=(0.4, 0, 0), damping=0.1).q
        wheel = m.body(f"wheel {k}", mass=0.3, inertia=(0.01, 0.01, 0.01))
        w = m.revolute(f"w{k}", cart, wheel, "y").q
        m.constrain(f"gear {k}", b - 2 * a * a)
        m.constrain_speed(f"rolling {k}", w.dot * radius - x.dot * sb.cos(w))
        tips.append(lower.point(0.3, 0.1, 0))
    for k in range(n - 1):
        r = tips[k + 1] - tips[k]
        m.constrain(f"rod {k}", r.dot(r) - 1.2)
    return m


def train(n: int = 4) -> sb.Model:
    """Wagons with arms, coupled by springs with dampers at their arms, and blown at."""
    m = sb.Model("train")
    m.gravity(0, 0, -9.81)
    wind, stiffness = m.parameters(wind=0.4, stiffness=30.0)
    ends = []
    for k in range(n):
        wagon = m.body(f"wagon {k}", mass=2.0, inertia=(0.1, 0.2, 0.3))
        arm = m.body(f"arm {k}", mass=0.5, com=(0.2, 0, 0.1), inertia=(0.01, 0.02, 0.02))
        m.prismatic(f"x{k}", m.ground, wagon, axis="x", at=(2.0 * k, 0.1 * k, 0), damping=0.4)
        m.revolute(f"a{k}", wagon, arm, "y", at=(0.1, 0, 0.2), stiffness=1.0)
        ends.append((wagon.point(-0.4, 0, 0), arm.point(0.5, 0.1, 0)))
        m.force(f"wind {k}", arm, -wind * arm.mass_centre.velocity() + sb.sin(m.time) * wagon.frame.y)
        m.torque(f"motor {k}", arm, 0.1 * sb.cos(m.time) * arm.frame.y, reacting=wagon)
    for k in range(n):
        m.spring(f"coupler {k}", ends[k][1], ends[(k + 1) % n][0], stiffness=stiffness, rest=1.0, damping=0.5)
    return m


def crane(n: int = 3) -> sb.Model:
    """A net whose particles are joined by springs too."""
    m = net(n)
    points = [b.frame.origin for b in m.freeze().bodies]
    for k in range(len(points)):
        m.spring(f"spring {k}", points[k - 1], points[k], stiffness=5.0, rest=0.7, damping=0.2)
    return m


CLOSED: list[Callable[[], sb.Model]] = [lambda: four_bars.model(4), net, crawlers, star, crane]
MODELS = [*CLOSED, train]


@pytest.fixture
def in_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closed chains of any size are derived type by type."""
    monkeypatch.setattr(repeated_equations, "MIN_TREES", 1)
    monkeypatch.setattr(repeated_equations, "MIN_COPIES", 0)


@pytest.fixture(params=["one by one", "in blocks"])
def elimination(request: pytest.FixtureRequest, in_loops: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are eliminated one by one, or joined to blocks."""
    monkeypatch.setattr(block_order, "MANY_UPDATES", 1000 if request.param == "one by one" else 0)


def both(make: Callable[[], sb.Model], monkeypatch: pytest.MonkeyPatch) -> tuple[sb.Equations, sb.Equations]:
    """Equations derived type by type, and written out."""
    loops = sb.derive(make(), check=False)
    with monkeypatch.context() as m:
        m.setattr(repeated_equations, "MIN_TREES", 10**9)
        return loops, sb.derive(make(), check=False)


@pytest.mark.parametrize("make", MODELS)
def test_equations_of_types_are_those_of_the_whole(make: Any, in_loops: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """M, f, Jc, b, c by putting symbols into those of one part of each type."""
    loops, written = both(make, monkeypatch)
    assert isinstance(loops.M, LateSquare)
    assert isinstance(loops.Jc, LateRows) == bool(loops.lam)
    assert not isinstance(written.Jc, LateRows)
    at = random_numbers(written, 1)
    names = ("M", "f", *(("phi", "Jc", "b", "c") if written.lam else ()))
    found, wanted = (sb.compile(eq).function("all", {n: getattr(eq, n) for n in names})(*at) for eq in (loops, written))
    assert_alike(found, wanted, 1e-12)


@pytest.mark.parametrize("make", MODELS)
def test_accelerations_in_loops_are_those_written_out(
    make: Any, elimination: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """u' and lam, and products of their Jacobian with a vector."""
    loops, written = both(make, monkeypatch)
    sweeps = constraint_sweeps(loops)
    assert sweeps is not None
    at = random_numbers(written, 2)
    rng, x = np.random.default_rng(3), [*written.q, *written.u]
    along = dict(zip(x, rng.normal(size=len(x)).tolist(), strict=True))
    solutions = {"loops": sweeps.accelerations(is_guarded=True), "written": written.augmented.solution}
    found = {}
    for name, (a, lam) in solutions.items():
        made = {"a": a, "product": directional_derivative(a, along), **({"lam": lam} if written.lam else {})}
        found[name] = sb.compile(written).function(name, made)(*at)
    assert_alike(found["loops"], found["written"], 1e-9)


@pytest.mark.parametrize("make", CLOSED)
def test_corrections_in_loops_are_those_written_out(
    make: Any, elimination: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of positions and speeds, with the violation before, and what they leave of a small change."""
    loops, written = both(make, monkeypatch)
    assert_corrections_alike(loops, written)
    assert sweeps_count(loops) > 0


def sweeps_count(eq: sb.Equations) -> int:
    """Nodes in loops of the accelerations."""
    return sum(i.op == "sweeps" for i in sb.compile(eq).udot.program.code)


@pytest.mark.parametrize("n", some([5, 8], 1))
def test_motion_in_loops_keeps_the_energy_as_one_written_out(
    n: int, in_loops: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row of four-bars: the same steps, states and energy."""
    loops, written = both(lambda: four_bars.model(n), monkeypatch)
    one, other = (sb.simulate(eq, 0.8, four_bars.start(n), rtol=1e-9) for eq in (loops, written))
    assert one.outcome, one.outcome
    assert one.statistics.steps == other.statistics.steps
    np.testing.assert_allclose(one.y[-1], other.y[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.energy, other.energy, rtol=0, atol=1e-9)
    assert abs(one.energy - one.energy[0]).max() < 1e-7 * one.energy[0]


def test_singular_position_has_no_accelerations(in_loops: None) -> None:
    """All rods in line: constraints depend on each other, and nothing has a value; beside it all have."""
    eq = sb.derive(four_bars.model(4))
    f = sb.compile(eq)
    u = np.zeros(len(eq.u))
    assert np.isnan(f.udot(0.0, np.zeros(len(eq.q)), u, f.p)).any()
    assert np.isfinite(f.udot(0.0, np.array([0.5] * 5 + [0.0] * 4), u, f.p)).all()


def test_rank_of_many_loops_and_redundant_constraints(in_loops: None) -> None:
    """A row of four-bars has full rank; a constraint that follows from others is named, and solved where it is allowed."""
    assert sb.derivation.constraint_rank(sb.derive(four_bars.model(5))).rank == 10  # type: ignore[union-attr]
    m = four_bars.model(4)
    joints = {j.name: j for j in m.freeze().joints}
    m.constrain("again", joints["a1"].q - joints["a0"].q)
    with pytest.raises(sb.errors.DerivationError, match="again"):
        sb.derive(m)
    eq = sb.derive(m, redundant=True)
    assert eq.rows.rank == 8
    sim = sb.simulate(eq, 0.05, four_bars.start(4))
    assert sim.outcome


@pytest.mark.parametrize("make", [lambda: four_bars.model(2), lambda: crawlers(2)])
def test_jacobians_in_loops_are_those_written_out(make: Any, in_loops: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """∂u'/∂(q, u) as a matrix, its product with a vector, and that of weights with it."""
    loops, written = both(make, monkeypatch)
    f, g, at = sb.compile(loops), sb.compile(written), random_numbers(written, 6)
    first, p = at[:3], at[3]
    J = np.hstack(g.jacobian(*at))
    v, w = np.random.default_rng(7).normal(size=(2, J.shape[1]))
    w = w[: len(J)]
    assert_alike(f.jacobian(*at), g.jacobian(*at), 1e-9)
    assert_alike([f.jacobian_product()(*first, v, p), f.adjoint_product()(*first, w, p)], [J @ v, w @ J], 1e-9)
    (product,) = (i for i in f.jacobian_product().program.code if i.op == "sweeps")
    assert product.data.columns is None


def test_loops_are_written_out_for_sympy(in_loops: None) -> None:
    """Steps one by one, those of columns too: the same numbers on the graph without loops."""
    eq = sb.derive(four_bars.model(2))
    sweeps = constraint_sweeps(eq)
    assert sweeps is not None
    udot = sweeps.accelerations(is_guarded=False)[0]
    things = [udot, sb.jacobian(udot, eq.q)]
    at = dict(zip((*eq.q, *eq.u, *eq.p), np.random.default_rng(1).uniform(0.2, 0.9, 20).tolist(), strict=False))
    assert not any(n.op == "sweeps" for n in evaluation_order([e for m in written_out(things) for e in m.entries]))
    for found, wanted in zip(written_out(things), things, strict=True):
        np.testing.assert_allclose(
            sb.evaluate(list(found.entries), at), sb.evaluate(list(wanted.entries), at), rtol=1e-9
        )
    assert sb.to_sympy(udot).result.shape == (len(eq.u), 1)
