"""Loads on the bodies of one tree: loops that carry places and motions of links give the accelerations that are written out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.algebra import directional_derivative
from symbody.algebra.graph.late_matrix import LateColumn
from symbody.derivation.kinematics import linked_constraints
from symbody.derivation.kinematics.kinematics import Kinematics
from symbody.derivation.kinematics.linked_loads import linked_loads
from symbody.derivation.programs import link_sweeps
from symbody.derivation.programs.articulated_bodies import articulated_accelerations
from symbody.derivation.programs.link_sweeps import swept_accelerations
from symbody.emit.lowering.straight_line import straight_line_program
from symbody.emit.run.callable import compile_program

from ..amount import some
from ..linked_trees import add_random_loads, random_tree, take_loops


@pytest.fixture
def few_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are taken for trees of any size, with loads of any types."""
    take_loops(monkeypatch)
    monkeypatch.setattr(link_sweeps, "MANY_LINKS", 2)
    monkeypatch.setattr(linked_constraints, "FEW_TYPES", 1000)


def loaded_tree(seed: int, n: int = 9, loads: int = 8, are_unequal: bool = False) -> sb.Model:
    """A random tree with random loads between its links, and the ground."""
    m = random_tree(seed, n, are_unequal)
    add_random_loads(m, Random(seed + 100), loads)
    return m


def state(eq: sb.Equations, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    q, u = rng.uniform(-1, 1, len(eq.q)), rng.uniform(-1, 1, len(eq.u))
    for row in eq.variables.quaternions:
        at = [eq.q.index(v.symbol) for v in row]
        q[at] /= np.linalg.norm(q[at])
    return [0.3, q, u, [0.7]]


def written_out(eq: sb.Equations) -> Any:
    return articulated_accelerations(eq.mechanism, Kinematics(eq.mechanism))


@pytest.mark.parametrize("are_unequal", [False, True])
@pytest.mark.parametrize("seed", some(range(12), 4))
def test_loops_agree_with_the_unrolled_program(seed: int, are_unequal: bool, few_links: None) -> None:
    """Machine code, batches, straight lines, and numbers put into the graph."""
    eq = sb.derive(loaded_tree(seed, are_unequal=are_unequal))
    loops = swept_accelerations(eq)
    assert loops is not None
    f = sb.compile(eq)
    assert any(i.op == "sweeps" for i in f.udot.program.code)
    arguments = [*state(eq, seed), f.p]
    wanted = f.function("written", {"a": written_out(eq)})(*arguments)
    size = 1e-11 * np.abs(wanted).max()
    np.testing.assert_allclose(f.udot(*arguments), wanted, rtol=0, atol=size)
    rows = [0.3, *(np.tile(x, (5, 1)) for x in arguments[1:])]
    np.testing.assert_allclose(f.udot.batch(*rows), np.tile(wanted, (5, 1)), rtol=0, atol=size)
    straight = sb.compile(straight_line_program(f.udot.program))
    np.testing.assert_allclose(straight(*arguments[: len(f.udot.program.inputs)]), wanted, rtol=0, atol=size)
    M, right = f.M(*arguments), f.f(*arguments)
    terms = np.abs(M) @ np.abs(wanted) + np.abs(right)
    np.testing.assert_allclose(M @ f.udot(*arguments), right, rtol=0, atol=1e-10 * terms.max())


@pytest.mark.parametrize("seed", some(range(6), 2))
def test_derivatives_of_loops_agree_with_the_unrolled_program(seed: int, few_links: None) -> None:
    """The Jacobian, and its products with vectors from both sides; along Euler parameters nothing has a meaning."""
    eq = sb.derive(loaded_tree(seed, 5, 4))
    loops = swept_accelerations(eq)
    assert loops is not None
    x, rng = [*eq.q, *eq.u, *eq.r, *eq.p], np.random.default_rng(seed)
    v, w = (sb.symbols(" ".join(f"{name}{k}" for k in range(n))) for name, n in (("v", len(x)), ("w", len(eq.u))))

    def products(udot: Any) -> dict[str, Any]:
        weighted = sum((s * e for s, e in zip(w, udot.entries, strict=True)), start=sb.symbol("zero") * 0)
        along = directional_derivative(udot, dict(zip(x, v, strict=True)))
        return {"right": along, "left": sb.gradient(weighted, x)}

    groups = {"t": eq.t, "x": x, "v": list(v), "w": list(w)}
    f = sb.compile(sb.program("loops", groups, {**products(loops), "J": sb.jacobian(loops, x)}))
    beside = compile_program(sb.program("written", groups, products(written_out(eq))), is_quick=True)
    at: list[Any] = [0.3, np.concatenate([*state(eq, seed)[1:], sb.compile(eq).p])]
    across = np.eye(len(x))
    for row in eq.variables.quaternions:
        places = [eq.q.index(s.symbol) for s in row]
        across[np.ix_(places, places)] -= np.outer(at[1][places], at[1][places])
    at += [across @ rng.normal(size=len(x)), rng.normal(size=len(eq.u))]
    right, left, J = f(*at)
    wanted_right, wanted_left = beside(*at)
    for found in (right, J @ at[2]):
        np.testing.assert_allclose(found, wanted_right, rtol=0, atol=1e-11 * np.abs(wanted_right).max())
    for found in (left, at[3] @ J):
        size = np.abs(wanted_left).max()
        np.testing.assert_allclose(across @ found, across @ wanted_left, rtol=0, atol=1e-11 * size)


def rope(n: int, holds: Callable[[sb.Model, int, Any], Any]) -> sb.Model:
    """A hanging chain, with loads on its links."""
    m = sb.Model("rope")
    m.gravity(0, -9.81, 0)
    on: Any = m.ground
    for k in range(n):
        link = m.body(f"b{k}", mass=0.1, com=(0.05, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
        m.revolute(f"q{k}", on, link, "zy"[k % 2], at=(0.1 if k else 0, 0, 0), damping=1e-3)
        holds(m, k, link)
        on = link
    return m


def springs(m: sb.Model, k: int, link: Any) -> None:
    m.spring(f"s{k}", m.ground.point(0.1 * k, 0.5, 0), link.point(0.05, 0, 0), stiffness=3, rest=0.4, damping=1e-3)


@pytest.mark.parametrize("method", ["dp8", "radau"])
def test_motions_keep_their_balance_of_energy(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The energy changes by the work of dampers; motions agree with those that are written out."""
    eq = sb.derive(rope(44, springs))
    assert swept_accelerations(eq) is not None
    sim = sb.simulate(eq, 0.2, method=method, rtol=1e-9)
    monkeypatch.setattr(link_sweeps, "MIN_LINKS", 1000)
    written = sb.derive(rope(44, springs))
    assert swept_accelerations(written) is None
    beside = sb.simulate(written, 0.2, method="dp8", rtol=1e-9)
    np.testing.assert_allclose(sim.state.q, beside.state.q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(sim.energy[-1], beside.energy[-1], rtol=1e-6)


def test_right_sides_are_made_when_asked_for() -> None:
    """M u' = f, of which deriving and simulating make neither; an input is in them."""

    def held(m: sb.Model, k: int, link: Any) -> None:
        springs(m, k, link)
        if k == 20:
            m.force("pull", link, m.input("tau") * m.ground.y, at=link.point(0.1, 0, 0))

    eq = sb.derive(rope(44, held))
    assert sb.simulate(eq, 0.01, tau=0.5).outcome
    assert isinstance(eq.f, LateColumn)
    assert not eq.f.is_made
    f = sb.compile(eq)
    arguments = [*state(eq, 1), f.p]
    M, right, a = f.M(*arguments), f.f(*arguments), f.udot(*arguments)
    terms = np.abs(M) @ np.abs(a) + np.abs(right)
    np.testing.assert_allclose(M @ a, right, rtol=0, atol=1e-11 * terms.max())


def test_steps_of_springs_are_in_proportion_to_them() -> None:
    """Each has a step of its own, and all have the same function."""
    sizes = []
    for n in (45, 90):
        found = swept_accelerations(sb.derive(rope(n, springs)))
        assert found is not None
        schedule = found[0].args[0].data
        sizes.append((len(schedule.fragments), schedule.operations[1]))
    assert sizes[0][0] == sizes[1][0]
    assert sizes[1][1] <= 2.1 * sizes[0][1]


@pytest.mark.parametrize("n", [8, 16])
def test_loads_that_depend_on_positions_run_in_loops_in_smaller_trees(n: int) -> None:
    """Written out, they contain the angles of all links on the way; forces along axes of the ground are turned link by link."""
    pushed = rope(n, lambda m, k, b: m.force(f"f{k}", b, 3 * m.ground.y, at=b.point(0.1, 0, 0)))
    assert (swept_accelerations(sb.derive(rope(n, springs))) is not None) == (n > 12)
    assert swept_accelerations(sb.derive(pushed)) is None


def test_jacobians_are_columns_of_one_sweep() -> None:
    """Of 60 links with a spring each: those of products with unit vectors, and of finite differences; in the order of groups."""
    n = 60
    eq = sb.derive(rope(n, springs))
    f = sb.compile(eq)
    blocks = [i.data for i in f.jacobian.program.code if i.op == "sweeps"]
    assert [len(x.columns.seeds) for x in blocks] == [2 * n]
    _, q, u, _ = state(eq, 3)
    J = np.hstack(f.jacobian(0.3, q, u, f.p))
    product = f.jacobian_product()
    for k in (0, 7, n - 1, n, 2 * n - 1):
        np.testing.assert_allclose(
            J[:, k], product(0.3, q, u, np.eye(2 * n)[k], f.p), rtol=0, atol=1e-11 * np.abs(J).max()
        )
    step = 1e-6 * np.random.default_rng(1).normal(size=2 * n)
    ahead, behind = (f.udot(0.3, q + s * step[:n], u + s * step[n:], f.p) for s in (1, -1))
    np.testing.assert_allclose(J @ step, (ahead - behind) / 2, rtol=0, atol=1e-5 * np.abs(ahead - behind).max())
    a_u, a_q = sb.derivation.forward_derivatives(eq, ["u", "q"]).udot.values()
    f_u, f_q = f.function("swapped", {"a_u": a_u, "a_q": a_q})(0.3, q, u, f.p)
    np.testing.assert_array_equal(np.hstack([f_q, f_u]), J)


def test_wrenches_contain_coordinates_of_links_on_the_way() -> None:
    """Springs and dampers to the ground those down to it, springs between links those between, own torques none."""

    def inside(holds: Callable[[sb.Model, int, Any], Any]) -> int:
        mechanism = rope(44, holds).freeze()
        tree = link_sweeps.swept_tree(mechanism)
        assert tree is not None
        loads = linked_loads(mechanism, tree.links)
        assert loads is not None
        return loads.coordinates_inside(tree.links)

    def between(m: sb.Model, k: int, link: Any) -> None:
        if k >= 3:
            m.spring(f"s{k}", m.bodies[f"b{k - 3}"].point(0, 1, 0), link.point(0, 0.5, 0), stiffness=2)

    assert inside(springs) == 44 * 45  # two loads each
    assert inside(between) == 3 * 41
    assert inside(lambda m, k, link: m.torque(f"t{k}", link, 2.0 * link.frame.x)) == 0


def test_loads_that_depend_on_many_links_are_written_out() -> None:
    """A force along the velocity of the last body, as a vector."""
    eq = sb.derive(rope(45, lambda m, k, b: k == 44 and m.force("jet", b, b.mass_centre.velocity())))
    assert swept_accelerations(eq) is None
    assert sb.simulate(eq, 0.01).outcome


def many_loads(m: sb.Model, k: int, link: Any) -> None:
    """Springs, dampers and actuators from the ground, drag, forces and torques."""
    m.spring(f"s{k}", m.ground.point(0.1 * k, 0.5, 0), link.point(0.05, 0, 0), stiffness=3, rest=0.4, damping=1e-3)
    m.spring(f"a{k}", m.ground.point(0.1 * k, 0.5, 0), link.point(0.1, 0, 0), actuation=0.2)
    m.drag(f"d{k}", link.mass_centre, linear=1e-3, quadratic=1e-3)
    m.force(f"f{k}", link, 0.01 * m.ground.y)
    m.torque(f"t{k}", link, 0.01 * m.ground.z)


def test_forces_of_many_loads_are_not_written_out() -> None:
    """Neither to describe, derive and check a model nor to simulate it: each contains the angles of all links before."""
    m = rope(44, many_loads)
    eq = sb.derive(m)
    assert sb.simulate(eq, 0.001).outcome
    assert sb.audit(m)
    late = [x for x in eq.mechanism.loads if x.recipe is not None and "actions" not in vars(x)]
    assert {x.name for x in late} >= {f"{x}{k}" for x in ("s", "d") for k in range(20, 44)}
    assert {f"a{k}.actuator" for k in range(20, 44)} <= {x.name for x in late}
    assert [f.name for f in late[-1].frames] == ["b43"]
    spring = eq.mechanism.load("s43")
    assert spring.potential is not None
    assert spring.actions[0].force == -spring.actions[1].force  # type: ignore[operator]


def test_wrong_loads_are_refused_where_they_are_described() -> None:
    """Points that coincide, and bodies that no joint has placed."""
    m = rope(20, lambda m, k, b: None)
    last, loose = m.bodies["b19"], m.body("loose", mass=1)
    with pytest.raises(sb.errors.ExpressionError, match="division"):
        m.spring("nothing", last.point(1, 0, 0), last.point(1, 0, 0), stiffness=1, rest=1)
    with pytest.raises(sb.errors.ModelError, match="not connected"):
        m.spring("far", last.point(1, 0, 0), loose.point(1, 0, 0), stiffness=1)
    with pytest.raises(sb.errors.ModelError, match="not connected"):
        m.drag("air", last.point(1, 0, 0), linear=1, relative_to=loose.frame)
    m.drag("same", last.point(1, 0, 0), linear=1)
    with pytest.raises(sb.errors.ModelError, match="two loads"):
        m.spring("same", m.ground.origin, last.point(1, 0, 0), stiffness=1)
    assert set(m.parts.loads) <= {"same", *(f"q{k}.damper" for k in range(20))}


def test_a_load_whose_actions_are_replaced_acts_by_these(few_links: None) -> None:
    """In loops, too: it has no recipe any more."""
    m = rope(6, lambda m, k, b: None)
    last = m.bodies["b5"]
    m.spring("s", m.ground.point(0, 0.5, 0), last.point(0.05, 0, 0), stiffness=3, rest=0.4)
    spring = m.parts.loads["s"]
    same = replace(spring, name="same")
    assert same.actions == spring.actions
    push = sb.bodies.Action(last.frame, force=2 * m.ground.x, at=last.mass_centre)
    pull = m.parts.add_load(replace(spring, name="pull", actions=(push,), potential=None))
    assert [f.name for f in pull.frames] == ["b5"]
    eq = sb.derive(m)
    assert swept_accelerations(eq) is not None
    f, at = sb.compile(eq), state(eq, 1)[:3]
    wanted = f.function("written", {"a": written_out(eq)})(*at)
    np.testing.assert_allclose(f.udot(*at), wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())


@pytest.mark.parametrize("share", [None, "k"])
def test_loads_in_copies_of_a_model_are_those_written_out(share: str | None, few_links: None) -> None:
    """Drag in an attached model is relative to the frame on which that hangs."""
    link = sb.Model("link")
    k = link.parameter("k", 2.0)
    body = link.body("rod", mass=0.1, com=(0.05, 0, 0), inertia=(1e-3, 1e-2, 1e-2))
    link.revolute("a", link.ground, body)
    link.frame("tip", body.frame.translate(0.1, 0, 0))
    link.drag("air", body.mass_centre, linear=0.1)
    link.spring("s", link.ground.point(-0.05, 0.02, 0), body.point(0.05, 0.02, 0), stiffness=k, rest=0.1)
    m = sb.Model("chain")
    if share:
        m.parameter("k", 3.0)
    m.repeat("link", m.ground, link, 5, end="tip", share=[share] if share else ())
    eq = sb.derive(m)
    assert swept_accelerations(eq) is not None
    f, at = sb.compile(eq), state(eq, 1)[:3]
    arguments = [*at, f.p]
    wanted = f.function("written", {"a": written_out(eq)})(*arguments)
    np.testing.assert_allclose(f.udot(*arguments), wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
