"""Constraints between links of one tree: articulated bodies with open constraints give the accelerations, multipliers and
corrections of the equations that are written out, to rounding."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.algebra import Matrix, directional_derivative
from symbody.algebra.graph.late_matrix import LateRows
from symbody.derivation import Equations
from symbody.derivation.kinematics import linked_constraints
from symbody.derivation.programs.constraint_sweeps import constraint_sweeps
from symbody.derivation.programs.linked_sweeps import LinkedSweeps
from symbody.integrate.forms import projection

from ..amount import some
from ..linked_trees import (
    add_random_loads,
    assert_alike,
    assert_corrections_alike,
    random_numbers,
    scissor,
    scissor_start,
    take_loops_with_constraints,
)


def ring(n: int = 8) -> sb.Model:
    """A chain in space whose last link is held at the ground by a joint, with gears and a wheel that rolls."""
    m = sb.Model("ring")
    m.gravity(0, -1, -9.81)
    rng = np.random.default_rng(2)
    before: Any = m.ground
    q = []
    for k in range(n):
        x = rng.uniform(0.5, 1.5, 5).tolist()
        link = m.body(f"link{k}", mass=x[0], com=(0.5 * x[1], 0.1, 0), inertia=(0.1 * x[2], 0.2, 0.2 * x[3]))
        at = (0.1, 0, 0) if before is m.ground else (x[4], 0, 0.1)
        q.append(m.revolute(f"q{k}", before, link, "xyz"[k % 3], at=at, damping=0.2).q)
        before = link
    wheel = m.body("wheel", mass=0.3, inertia=(0.01, 0.02, 0.01))
    w = m.revolute("w", before, wheel, "y").q
    m.spherical("end", m.ground, before, at=(0.4, 0.3, 0.2), on=(0.7, 0, 0))
    m.gear("gear", q[2], q[3], 0.5)
    m.constrain_speed("rolling", w.dot * m.parameter("radius", 0.4) - q[-1].dot * sb.cos(w))
    return m


def tower(n: int = 4) -> sb.Model:
    """Telescopes on telescopes, with a strut from each to the one above, hinged, and one that keeps its direction; and a tree
    beside it, linked to it by a rod."""
    m = sb.Model("tower")
    m.gravity(0, 0, -9.81)
    length = m.parameter("length", 0.6)
    base: Any = m.ground
    before: Any = None
    for k in range(n):
        lower = m.body(f"lower{k}", mass=2, com=(0, 0.1, 0.3), inertia=(0.2, 0.3, 0.1))
        upper = m.body(f"upper{k}", mass=1, com=(0, 0, 0.2), inertia=(0.2, 0.1, 0.1))
        m.universal(f"u{k}", base, lower, at=(0, 0, 0.5))
        m.prismatic(f"s{k}", lower, upper, "z", at=(0, 0.1, 0.5), stiffness=50.0)
        if before is not None:
            strut = m.body(f"strut{k}", mass=0.3, com=(0, 0, 0.2), inertia=(0.01, 0.01, 0.02))
            m.spherical(f"t{k}", before, strut, at=(0.4, 0, 0))
            m.universal(f"close{k}", strut, upper, at=(0, 0, length), on=(0.4, 0.1, 0))
            m.orthogonal(f"across{k}", before.frame.x, upper.frame.y)
        base, before = upper, lower
    side = m.body("side", mass=1, inertia=(0.1, 0.1, 0.2))
    m.planar("side", m.ground, side)
    gap = base.point(0, 0, 0.3) - side.point(1, 0, 0)
    m.constrain("rod", gap.dot(gap) - 4)
    return m


def random_loops(seed: int, n: int = 9) -> sb.Model:
    """Links with random joints on a random tree, and random constraints between them."""
    rng = np.random.default_rng(seed)
    m = sb.Model("loops")
    m.gravity(0.1, -9.81, 0.2)
    links: list[Any] = []
    parent: list[int] = []
    freedom: list[int] = []
    q: list[Any] = []
    for k in range(n):
        on = int(rng.integers(max(-1, k - 3), k)) if k else -1
        inertia = rng.uniform(0.2, 0.3, 3).tolist()
        link = m.body(f"b{k}", mass=float(rng.uniform(0.5, 2)), com=rng.uniform(-0.3, 0.3, 3).tolist(), inertia=inertia)
        kind, axis = rng.choice(["revolute", "prismatic", "universal", "spherical"]), str(rng.choice(list("xyz")))
        at = rng.uniform(-1, 1, 3).round(1).tolist()
        options: dict[str, Any] = {"axis": axis} if kind in ("revolute", "prismatic") else {}
        joint = m.joint(f"j{k}", m.ground if on < 0 else links[on], link, str(kind), at=at, damping=0.1, **options)
        q.append(joint.coordinates[0])
        freedom.append(len(joint.coordinates))
        links.append(link)
        parent.append(on)
    pairs: list[Any] = rng.permutation([(i, j) for i in range(n) for j in range(i)]).tolist()
    for c, kind in enumerate(rng.permutation(["ball", "slot", "orthogonal", "distance", "gear", "speed"])[:4]):
        i, j = next(p for p in pairs if _freedom_between(parent, freedom, *p) > 3)
        pairs.remove([i, j])
        a, b = links[i], links[j]
        P, Q = a.point(*rng.uniform(-1, 1, 3).tolist()), b.point(*rng.uniform(-1, 1, 3).tolist())
        match kind:
            case "ball":
                m.coincide(f"c{c}", P, Q, along=[None, m.ground, links[int(rng.integers(n))]][int(rng.integers(3))])
            case "slot":
                m.coincide(f"c{c}", P, Q, along=[None, m.ground][int(rng.integers(2))], axes="y")
            case "orthogonal":
                m.orthogonal(f"c{c}", a.frame.x, b.frame.z)
            case "distance":
                m.constrain(f"c{c}", (P - Q).dot(P - Q) - m.parameter("length", 1.3))
            case "gear":
                m.constrain(f"c{c}", q[i] - 0.4 * q[j] * q[j])
            case _:
                m.constrain_speed(f"c{c}", q[i].dot - sb.cos(q[i]) * q[j].dot)
    return m


def _freedom_between(parent: list[int], freedom: list[int], i: int, j: int) -> int:
    """Of the joints between two links."""
    total = 0
    while i != j:
        i, j = max(i, j), min(i, j)
        total += freedom[i]
        i = parent[i]
    return total


MODELS: list[Callable[[], sb.Model]] = [
    scissor,
    lambda: scissor(4, along="bar"),
    lambda: scissor(5, seed=3),
    ring,
    tower,
]
NAMES = ["scissor lift", "pins along bars", "unequal bars", "ring", "tower"]


@pytest.fixture
def in_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links of any number and any types are derived type by type."""
    take_loops_with_constraints(monkeypatch)


def both(make: Callable[[], sb.Model], monkeypatch: pytest.MonkeyPatch) -> tuple[sb.Equations, sb.Equations]:
    """Equations in loops, and written out."""
    loops = sb.derive(make(), check=False)
    assert isinstance(constraint_sweeps(loops), LinkedSweeps)
    with monkeypatch.context() as m:
        m.setattr(linked_constraints, "MIN_LINKED", 10**9)
        return loops, sb.derive(make(), check=False)


@pytest.mark.parametrize("make", MODELS, ids=NAMES)
def test_equations_are_those_written_out(make: Any, in_loops: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """M, f, phi, Jc, b and c, made when they are requested."""
    loops, written = both(make, monkeypatch)
    assert isinstance(loops.Jc, LateRows)
    assert not isinstance(written.Jc, LateRows)
    at = random_numbers(written, 1)
    names = ("M", "f", "phi", "Jc", "b", "c")
    found, wanted = (sb.compile(eq).function("all", {n: getattr(eq, n) for n in names})(*at) for eq in (loops, written))
    assert_alike(found, wanted, 1e-12)


@pytest.mark.parametrize("make", MODELS, ids=NAMES)
@pytest.mark.parametrize("seed", some(range(3), 1))
def test_accelerations_are_those_written_out(
    make: Any, seed: int, in_loops: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """u' and lam, on the constraints and off them, and products of their Jacobian with a vector."""
    loops, written = both(make, monkeypatch)
    sweeps = constraint_sweeps(loops)
    assert sweeps is not None
    at = random_numbers(written, seed)
    rng, x = np.random.default_rng(3), [*written.q, *written.u]
    along = dict(zip(x, rng.normal(size=len(x)).tolist(), strict=True))
    solutions = {"loops": sweeps.accelerations(is_guarded=True), "written": written.augmented.solution}
    found = {}
    for name, (a, lam) in solutions.items():
        made = {"a": a, "lam": lam, "product": directional_derivative(a, along)}
        found[name] = sb.compile(written).function(name, made)(*at)
    assert_alike(found["loops"], found["written"], 1e-8)


@pytest.mark.parametrize("seed", some(range(12), 3))
def test_random_loops_are_those_written_out(seed: int, in_loops: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """u' and lam of random trees with random constraints, and corrections of speeds."""
    loops, written = both(lambda: random_loops(seed), monkeypatch)
    sweeps = constraint_sweeps(loops)
    assert sweeps is not None
    at, rows = random_numbers(written, seed), tuple(range(len(written.lam)))
    solutions = sweeps.accelerations(is_guarded=True), written.augmented.solution
    speeds = (projection.new_speeds(eq, rows, "mass")[0] for eq in (loops, written))
    made = [{"a": a, "lam": lam, "speeds": u} for (a, lam), u in zip(solutions, speeds, strict=True)]
    found, wanted = (sb.compile(written).function("all", x)(*at) for x in made)
    assert_alike(found, wanted, 1e-7)


def loaded(make: Callable[[], sb.Model], seed: int, loads: int = 6) -> sb.Model:
    """With random loads on its bodies."""
    m = make()
    add_random_loads(m, Random(seed), loads)
    return m


@pytest.mark.parametrize("make", [*MODELS, lambda: random_loops(5), lambda: random_loops(8)])
@pytest.mark.parametrize("seed", some(range(4), 4))
def test_loads_on_bodies_act_as_those_written_out(
    make: Any, seed: int, in_loops: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """u' and lam, their product with a vector, and a correction of positions."""
    loops, written = both(lambda: loaded(make, seed), monkeypatch)
    sweeps, at, rows = constraint_sweeps(loops), random_numbers(written, seed), tuple(range(len(written.lam)))
    assert sweeps is not None
    assert sweeps.loads
    rng, x = np.random.default_rng(3), [*written.q, *written.u]
    along = dict(zip(x, rng.normal(size=len(x)).tolist(), strict=True))
    found = []
    for eq, (a, lam) in ((loops, sweeps.accelerations(is_guarded=True)), (written, written.augmented.solution)):
        q, _ = projection.new_positions(eq, rows, "mass")
        made = {"a": a, "lam": lam, "product": directional_derivative(a, along), "positions": q}
        found.append(sb.compile(written).function("all", made)(*at))
    assert_alike(found[0], found[1], 1e-7)


def test_lift_with_a_spring_in_each_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """And an actuator, a force on the last and drag: functions as many as for half the stages; the energy is kept where nothing
    takes any."""

    def lift(n: int, has_losses: bool) -> sb.Model:
        m = scissor(n, damping=0)
        for k in range(n):
            a, b = m.bodies[f"a{k}"], m.bodies[f"b{k}"]
            m.spring(f"s{k}", a.point(0, 0, 0), b.point(-0.5, 0, 0), stiffness=30, rest=0.3)
            if has_losses:
                m.drag(f"d{k}", b.mass_centre, linear=0.1)
        if has_losses:
            m.spring("lift", m.bodies["a0"].point(0, 0, 0), m.bodies["b0"].point(-0.5, 0, 0), actuation=m.input("F"))
            m.force("on top", b, -2 * m.ground.y)
        return m

    schedules = []
    for n in (20, 40):
        sweeps = constraint_sweeps(sb.derive(lift(n, True)))
        assert isinstance(sweeps, LinkedSweeps)
        schedules.append(sweeps.accelerations(is_guarded=True)[0][0].args[0].data)
    assert len(schedules[0].fragments) == len(schedules[1].fragments)
    assert schedules[1].operations[1] < 2.1 * schedules[0].operations[1]
    eq = sb.derive(lift(20, False))
    assert constraint_sweeps(eq) is not None
    sim = sb.simulate(eq, 0.2, scissor_start(20), rtol=1e-9)
    assert sim.outcome, sim.outcome
    np.testing.assert_allclose(sim.energy, sim.energy[0], rtol=1e-7)


@pytest.mark.parametrize("make", MODELS, ids=NAMES)
def test_corrections_are_those_written_out(make: Any, in_loops: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of positions and speeds, with the violation before, and what they leave of a small change."""
    loops, written = both(make, monkeypatch)
    assert_corrections_alike(loops, written)


@pytest.mark.parametrize("make", [ring, tower], ids=["ring", "tower"])
def test_quantities_along_motions_are_those_written_out(
    make: Any, in_loops: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Multipliers and accelerations, of which reactions consist: of equations in loops without M and its elimination."""
    loops, written = both(make, monkeypatch)
    asked = [loops.lam[0], loops.lam[-1], loops.u[1].dot]
    with monkeypatch.context() as m:
        m.setattr(Equations, "multipliers", property(lambda eq: pytest.fail("multipliers were written out")))
        found = sb.derivation.in_own_terms(loops, asked, solved=True)
    wanted = sb.derivation.in_own_terms(written, asked, solved=True)
    at = random_numbers(written, 4)
    one, other = (
        sb.compile(written).function("asked", {"y": Matrix(len(x), 1, tuple(x))})(*at) for x in (found, wanted)
    )
    assert_alike([one], [other], 1e-8)


@pytest.mark.parametrize("n", some([4, 7], 1))
def test_motion_in_loops_keeps_the_energy_as_one_written_out(
    n: int, in_loops: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scissor lift that falls: the same steps, states and energy."""
    loops, written = both(lambda: scissor(n, seed=4, damping=0), monkeypatch)
    one, other = (sb.simulate(eq, 0.5, scissor_start(n), rtol=1e-9) for eq in (loops, written))
    assert one.outcome, one.outcome
    assert one.statistics.steps == other.statistics.steps
    np.testing.assert_allclose(one.y[-1], other.y[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.energy, other.energy, rtol=1e-9)
    np.testing.assert_allclose(one.energy, one.energy[0], rtol=1e-7)


def test_lift_of_many_stages_moves_as_one(in_loops: None) -> None:
    """Without masses at the ground, equal bars: every stage has the angle of the first."""
    n = 40
    eq = sb.derive(scissor(n))
    assert isinstance(constraint_sweeps(eq), LinkedSweeps)
    sim = sb.simulate(eq, 0.2, scissor_start(n))
    assert sim.outcome, sim.outcome
    crossing = np.array([sim[f"b{k}"] for k in range(n)])
    np.testing.assert_allclose(crossing, np.broadcast_to(crossing[0], crossing.shape), rtol=0, atol=1e-9)
    np.testing.assert_allclose(sim["a0"], (np.pi - crossing[0]) / 2, rtol=0, atol=1)


def test_start_is_found_and_straight_lifts_have_no_accelerations(in_loops: None) -> None:
    """Rough angles are corrected; where all bars are in line, constraints depend on each other."""
    eq = sb.derive(scissor(6))
    rng = np.random.default_rng(1)
    rough = {name: x + 0.05 * rng.uniform(-1, 1) for name, x in scissor_start(6).items()}
    state = sb.assemble(eq, start=rough)
    assert state.violation.position < 1e-12
    f = sb.compile(eq)
    straight = np.array([0.0 if name.startswith("a0") else np.pi for name in map(str, eq.q)])
    assert np.isnan(f.udot(0.0, straight, np.zeros(len(eq.u)), f.p)).any()
    assert np.isfinite(f.udot(0.0, state.q, state.u, f.p)).all()


@pytest.mark.parametrize("make", [scissor, ring], ids=["scissor lift", "ring"])
def test_jacobians_are_those_written_out(make: Any, in_loops: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """∂u'/∂(q, u) as a matrix, its product with a vector, and that of weights with it."""
    loops, written = both(make, monkeypatch)
    f, g, at = sb.compile(loops), sb.compile(written), random_numbers(written, 6)
    first, p = at[:3], at[3]
    J = np.hstack(g.jacobian(*at))
    v, w = np.random.default_rng(7).normal(size=(2, J.shape[1]))
    w = w[: len(J)]
    assert_alike(f.jacobian(*at), g.jacobian(*at), 1e-8)
    assert_alike([f.jacobian_product()(*first, v, p), f.adjoint_product()(*first, w, p)], [J @ v, w @ J], 1e-8)


def test_a_constraint_that_follows_from_others_is_named(in_loops: None) -> None:
    """And solved where it is allowed, written out."""
    m = scissor(4)
    m.constrain("again", m.symbols["b1"] - m.symbols["b0"])
    with pytest.raises(sb.errors.DerivationError, match="again"):
        sb.derive(m)
    eq = sb.derive(m, redundant=True)
    assert constraint_sweeps(eq) is None
    assert sb.simulate(eq, 0.02, scissor_start(4)).outcome


def test_many_open_constraints_are_written_out(monkeypatch: pytest.MonkeyPatch, in_loops: None) -> None:
    """Pairs of rows that are open at one link are as many as steps."""
    assert constraint_sweeps(sb.derive(ring(), check=False)) is not None
    monkeypatch.setattr(linked_constraints, "MAX_COUPLED", 60)
    assert constraint_sweeps(sb.derive(ring(), check=False)) is None


@pytest.mark.parametrize("n", some([6, 12], 1))
def test_feet_on_the_ground(n: int, in_loops: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Constraints that are all open at the first link, each along one axis of the ground."""

    def model() -> sb.Model:
        m = sb.Model("feet")
        m.gravity(0, -9.81, 0)
        before: Any = m.ground
        for k in range(n):
            back, leg = (m.body(f"{x}{k}", mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)) for x in ("back", "leg"))
            m.revolute(f"q{k}", before, back, at=(1, 0, 0))
            m.revolute(f"f{k}", back, leg, at=(0.5, 0, 0))
            m.coincide(f"c{k}", leg.point(1, 0, 0), m.ground.point(k, -1, 0), axes="y")
            before = back
        return m

    loops, written = both(model, monkeypatch)
    sweeps, at = constraint_sweeps(loops), random_numbers(written, 1)
    assert sweeps is not None
    solutions = sweeps.accelerations(is_guarded=True), written.augmented.solution
    found, wanted = (sb.compile(written).function("all", {"a": a, "lam": lam})(*at) for a, lam in solutions)
    assert_alike(found, wanted, 1e-7)


def test_audit_of_many_loops_says_that_their_rank_is_not_examined() -> None:
    """A configuration of more than 100 coordinates is not searched for; beginnings of motions are examined."""
    (finding,) = sb.audit(scissor(60)).findings
    assert finding.kind == "not examined"
    assert "118 constraints" in finding.text
    straight = {f"{x}{k}": np.pi * bool(k or x == "b") for k in range(60) for x in "ab"}
    sim = sb.simulate(sb.derive(scissor(60)), 0.1, straight)
    assert sim.outcome.ending is sb.integrate.Ending.SINGULAR


def test_code_does_not_grow_with_the_stages() -> None:
    """Twice the stages: the same functions of links and constraints, and twice the steps."""
    schedules = []
    for n in (20, 40):
        sweeps = constraint_sweeps(sb.derive(scissor(n)))
        assert isinstance(sweeps, LinkedSweeps)
        schedules.append(sweeps.accelerations(is_guarded=True)[0][0].args[0].data)
    few, many = schedules
    assert len(many.fragments) == len(few.fragments)
    assert abs(len(many.kinds) - 2 * len(few.kinds)) < 0.1 * len(few.kinds)
    assert many.operations[1] < 2.1 * few.operations[1]
