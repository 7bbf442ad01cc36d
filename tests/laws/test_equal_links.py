"""Trees with equal links: loops over fragments give the accelerations of the unrolled program, to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.algebra import directional_derivative
from symbody.algebra.graph.late_matrix import LateSquare
from symbody.derivation.kinematics.equal_links import links_of
from symbody.derivation.kinematics.kinematics import Kinematics
from symbody.derivation.programs import link_sweeps
from symbody.derivation.programs.articulated_bodies import articulated_accelerations
from symbody.derivation.programs.link_sweeps import swept_accelerations
from symbody.derivation.routes import recursive
from symbody.emit.cache.program_json import program_of_text, text_of_program
from symbody.emit.lowering.straight_line import straight_line_program
from symbody.emit.run.callable import compile_program
from symbody.stability.linear import loop_numbers

from .. import linked_trees
from ..amount import FULL, some
from ..linked_trees import chain_with_laws, random_tree, take_loops


@pytest.fixture
def few_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are taken for trees of any size."""
    take_loops(monkeypatch)


def random_arguments(eq: sb.Equations, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    q, u = rng.uniform(-1, 1, len(eq.q)), rng.uniform(-1, 1, len(eq.u))
    for row in eq.variables.quaternions:
        at = [eq.q.index(v.symbol) for v in row]
        q[at] /= np.linalg.norm(q[at])
    return [0.3, q, u, *([[0.7]] if eq.r else [])]


@pytest.mark.parametrize("seed", some(range(8), 3))
def test_loops_agree_with_the_unrolled_program(seed: int, few_links: None) -> None:
    """Machine code, batches, straight lines and a stored program of the loops, beside articulated bodies written out."""
    eq = sb.derive(random_tree(seed))
    loops = swept_accelerations(eq)
    assert loops is not None
    f = sb.compile(eq)
    assert any(i.op == "sweeps" for i in f.udot.program.code)
    arguments = [*random_arguments(eq, seed), f.p]
    written = f.function("written", {"a": articulated_accelerations(eq.mechanism, Kinematics(eq.mechanism))})
    wanted = written(*arguments)
    size = 1e-11 * np.abs(wanted).max()
    np.testing.assert_allclose(f.udot(*arguments), wanted, rtol=0, atol=size)
    rows = [0.3, *(np.tile(x, (5, 1)) for x in arguments[1:])]
    np.testing.assert_allclose(f.udot.batch(*rows), np.tile(wanted, (5, 1)), rtol=0, atol=size)
    straight = sb.compile(straight_line_program(f.udot.program))
    given = arguments[: len(f.udot.program.inputs)]
    np.testing.assert_allclose(straight(*given), wanted, rtol=0, atol=size)
    again = program_of_text(text_of_program(f.udot.program))
    np.testing.assert_array_equal(sb.compile(again)(*given), f.udot(*arguments))
    values = dict(zip((*eq.q, *eq.u, *eq.r), np.concatenate(arguments[1:-1]).tolist(), strict=True))
    np.testing.assert_allclose(sb.evaluate(loops, eq.values(values)), wanted, rtol=0, atol=size)


@pytest.mark.parametrize("kind", ["tables", "Python functions"])
def test_links_call_external_functions(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two types of links with a function each, then both with one of them, which is other code: by itself, in batches, columns of
    derivatives, motions."""
    laws: list[Any] = [
        sb.algebra.ExternalFunction("soft", 1, [lambda x: -3 * x * x], python=lambda x: -(x**3)),
        sb.algebra.ExternalFunction("stiff", 1, [lambda x: -40], python=lambda x: -40 * x),
    ]
    if kind == "tables":
        knots = [-4.0, -2.0, 0.0, 1.0, 4.0]
        values = [3.0, 1.0, 0.3, -1.0, -4.0], [9.0, 4.0, 1.0, -7.0, -9.0]
        laws = [sb.integrate.interpolation(f"law{k}", knots, v, "cubic") for k, v in enumerate(values)]
    rng = np.random.default_rng(3)
    state = 0.0, rng.uniform(-1, 1, (9, 4)), rng.uniform(-1, 1, (9, 4))
    for chosen in (laws, laws[:1], laws[::-1], laws[1:]):
        written = sb.derive(chain_with_laws(chosen))
        with monkeypatch.context() as patch:
            take_loops(patch)
            eq = sb.derive(chain_with_laws(chosen))
            f, g = sb.compile(eq), sb.compile(written)
            assert [i.op for i in f.udot.program.code if i.op in ("sweeps", "call")] == ["sweeps"]
            assert set(f.udot.program.externals) == set(chosen)
            wanted = g.udot.batch(*state)
            np.testing.assert_allclose(f.udot.batch(*state), wanted, rtol=1e-11)
            np.testing.assert_allclose(f.udot(0.0, state[1][0], state[2][0]), wanted[0], rtol=1e-11)
            for J, K in zip(*(x.jacobian(0.0, state[1][0], state[2][0]) for x in (f, g)), strict=True):
                np.testing.assert_allclose(J, K, rtol=0, atol=1e-10 * np.abs(K).max())
            end, expected = (sb.simulate(x, 0.1, j0=0.2, rtol=1e-10).state.q for x in (eq, written))
            np.testing.assert_allclose(end, expected, rtol=1e-8)


@pytest.mark.parametrize("seed", some(range(8), 3))
def test_constraints_of_a_tree_leave_its_mass_matrix_alone(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop closed on a random tree: deriving does not build M, which is that of the tree, as f is; and M u' = f + Jcᵀ λ."""
    monkeypatch.setattr(recursive, "MANY_SPEEDS", 4)
    tree, closed = random_tree(seed), random_tree(seed)
    ends = closed.freeze().bodies[-2:]
    closed.coincide("loop", *(b.frame.translate(0.2, 0.1, 0).origin for b in ends), axes="xz")
    free, eq = sb.derive(tree), sb.derive(closed)
    assert isinstance(eq.M, LateSquare)
    assert not eq.M.is_made
    assert not eq.notes
    f, beside = sb.compile(eq), sb.compile(free)
    arguments = random_arguments(eq, seed)
    given, own = [*arguments, f.p], [*arguments, beside.p]
    M = f.M(*given)
    np.testing.assert_allclose(M, beside.M(*own), rtol=0, atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(f.f(*given), beside.f(*own), rtol=0, atol=1e-12 * np.abs(f.f(*given)).max())
    Jc = f.function("Jc", {"Jc": eq.Jc})
    sides = M @ f.udot(*given), f.f(*given), Jc(*given).T @ f.lam(*given)
    size = max(np.abs(x).max() for x in sides)
    np.testing.assert_allclose(sides[0], sides[1] + sides[2], rtol=0, atol=1e-9 * size)


@pytest.mark.parametrize("seed", some(range(8), 3))
def test_derivatives_of_loops_agree_with_the_unrolled_program(seed: int, few_links: None) -> None:
    """Products of the Jacobian with vectors from both sides, the Jacobian, and a product of the Hessian."""
    eq = sb.derive(random_tree(seed, 6 if FULL else 4))
    loops, written = swept_accelerations(eq), articulated_accelerations(eq.mechanism, Kinematics(eq.mechanism))
    assert loops is not None
    x, rng = [*eq.q, *eq.u, *eq.r, *eq.p], np.random.default_rng(seed)
    v, w = (sb.symbols(" ".join(f"{name}{k}" for k in range(n))) for name, n in (("v", len(x)), ("w", len(eq.u))))
    groups = {"t": eq.t, "x": x, "v": list(v), "w": list(w)}

    def products(udot: Any) -> dict[str, Any]:
        weighted = sum((s * e for s, e in zip(w, udot.entries, strict=True)), start=sb.symbol("zero") * 0)
        return {"right": directional_derivative(udot, dict(zip(x, v, strict=True))), "left": sb.gradient(weighted, x)}

    made = products(loops)
    hessian = directional_derivative(made["left"], dict(zip(x, v, strict=True)))
    f = sb.compile(sb.program("loops", groups, {**made, "J": sb.jacobian(loops, x), "H": hessian}))
    beside = compile_program(sb.program("written", groups, products(written)), is_quick=True)
    at: list[Any] = [0.3, np.concatenate([*random_arguments(eq, seed)[1:], sb.compile(eq).p])]
    at += [rng.normal(size=len(x)), rng.normal(size=len(eq.u))]
    right, left, J, H = f(*at)
    for found, wanted in zip((right, left, J @ at[2], at[3] @ J), (*beside(*at), *beside(*at)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
    straight = compile_program(straight_line_program(f.program), is_quick=True)
    for found, wanted in zip(straight(*at), (right, left, J, H), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
    again = sb.compile(program_of_text(text_of_program(f.program)))
    np.testing.assert_array_equal(again(*at)[2], J)
    rows = [0.3, *(np.tile(a, (3, 1)) for a in at[1:])]
    np.testing.assert_allclose(f.batch(*rows)[2][2], J, rtol=0, atol=1e-11 * np.abs(J).max())
    step = dict(zip((eq.t, *x, *w), [0.3, *(at[1] + 1e-30j * at[2]), *at[3]], strict=True))
    complex_step = np.imag(sb.evaluate(made["left"], step)) / 1e-30
    np.testing.assert_allclose(H, complex_step, rtol=0, atol=1e-11 * np.abs(complex_step).max())
    J_evaluated = sb.evaluate(sb.jacobian(loops, x), dict(zip((eq.t, *x), [0.3, *at[1]], strict=True)))
    np.testing.assert_allclose(J_evaluated, J, rtol=0, atol=1e-11 * np.abs(J).max())


@pytest.mark.parametrize("seed", [3, 6])
def test_unequal_links_in_loops(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links that differ in lengths, masses and inertias are of one type, which takes these as numbers: accelerations, and
    derivatives along a direction, beside those written out."""
    take_loops(monkeypatch)
    monkeypatch.setattr(link_sweeps, "_repeated_links", lambda mechanism: links_of(mechanism, are_loose=True))
    eq = sb.derive(random_tree(seed, 16, are_unequal=True))
    loops, written = swept_accelerations(eq), articulated_accelerations(eq.mechanism, Kinematics(eq.mechanism))
    assert loops is not None
    assert sum(a.op == "const" for a in loops[0].args[0].args) > 3
    t, *state = random_arguments(eq, seed)
    x = [*eq.q, *eq.u, *eq.r]
    at = {**sb.compile(eq).equations.values({}), eq.t: t, **dict(zip(x, np.concatenate(state), strict=True))}
    along = dict(zip(x, np.random.default_rng(seed).normal(size=len(x)).tolist(), strict=True))
    for made in (lambda a: a, lambda a: directional_derivative(a, along)):
        wanted = np.array(sb.evaluate(made(written), at), dtype=float)
        found = np.array(sb.evaluate(made(loops), at), dtype=float)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())


def test_implicit_methods_and_sensitivities_run_in_loops(few_links: None) -> None:
    """Radau and variational equations of a chain in loops, beside explicit steps and differences."""
    link = sb.Model("link")
    rod = link.body("rod", mass=link.parameter("m", 0.2), com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.02))
    link.revolute("a", link.ground, rod, "z", damping=0.5, stiffness=0.3)
    link.frame("tip", rod.frame.translate(0.4, 0, 0))
    m = sb.Model("chain")
    m.gravity(0, -9.81, 0)
    m.parameter("m", 0.2)
    m.repeat("link", m.ground, link, 5, end="tip", share="m")
    eq = sb.derive(m)
    implicit, explicit = (sb.simulate(eq, 0.5, method=k, rtol=1e-10) for k in ("radau", "dp5"))
    np.testing.assert_allclose(implicit.y[-1], explicit.y[-1], rtol=0, atol=1e-7)
    varied = sb.simulate(eq, 0.2, rtol=1e-10, sensitivities=["m"])
    above, below = (sb.simulate(eq, 0.2, rtol=1e-12, values={"m": 0.2 + d}) for d in (1e-4, -1e-4))
    assert varied.variations is not None
    slope = (above.y[-1] - below.y[-1]) / 2e-4
    np.testing.assert_allclose(varied.variations[-1][:, 0], slope, rtol=0, atol=1e-5 * np.abs(slope).max())


def test_events_in_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a chain: an angle that passes zero, with a reset, and an output that ends the motion, in loops and written out."""

    def motion(fewest: int) -> sb.Trajectory:
        monkeypatch.setattr(link_sweeps, "MIN_LINKS", fewest)
        link = sb.Model("link")
        rod = link.body("rod", mass=0.2, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.02))
        link.revolute("a", link.ground, rod, "z", damping=0.05)
        link.frame("tip", rod.frame.translate(0.4, 0, 0))
        m = sb.Model("chain")
        m.gravity(0, -9.81, 0)
        links = m.repeat("link", m.ground, link, 4, end="tip")
        height = links[3].frame("tip").origin.position().in_ground[1]
        eq = sb.derive(m)
        assert (swept_accelerations(eq) is None) == (fewest > 4)
        speed = eq.u[0]
        turn = sb.Event("turn", speed + 2, direction="falling", reset={speed: -0.5 * speed})
        low = sb.Event("low", height - 0.5, direction="falling", terminal=True)
        return sb.simulate(eq, 1, {"link_0_a": 0.6}, events=[turn, low], rtol=1e-10)

    take_loops(monkeypatch)
    loops, written = motion(2), motion(100)
    assert [e.name for e in loops.events] == [e.name for e in written.events]
    assert {e.name for e in loops.events} == {"turn", "low"}
    np.testing.assert_allclose([e.t for e in loops.events], [e.t for e in written.events], rtol=0, atol=1e-8)
    np.testing.assert_allclose(loops.y[-1], written.y[-1], rtol=0, atol=1e-6)


def test_links_that_differ_in_a_number(few_links: None) -> None:
    """Links that differ in one number are of different types."""
    m = sb.Model("chain")
    m.gravity(0, -9.81, 0)
    on = m.ground
    for k in range(6):
        body = m.body(f"b{k}", mass=1.0 if k != 3 else 1.5, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        m.revolute(f"q{k}", on, body, at=(1, 0, 0), axis="z")
        on = body
    eq = sb.derive(m)
    f = sb.compile(eq)
    given = [*random_arguments(eq, 1), f.p]
    np.testing.assert_allclose(f.udot(*given), np.linalg.solve(f.M(*given), f.f(*given)), rtol=1e-9)


def test_a_locked_joint_has_no_accelerations(few_links: None) -> None:
    """Three angles whose first and third axis coincide: no value anywhere, as in the unrolled program."""
    m = sb.Model("locked")
    on = m.ground
    for k in range(3):
        body = m.body(f"b{k}", mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.3))
        m.spherical(f"s{k}", on, body, at=(1, 0, 0))
        on = body
    eq = sb.derive(m)
    f = sb.compile(eq)
    q = np.full(9, 0.3)
    assert np.isfinite(f.udot(0.0, q, q, f.p)).all()
    q[4] = np.pi / 2
    assert np.isnan(f.udot(0.0, q, 0 * q, f.p)).all()


@pytest.mark.parametrize("seed", some(range(6), 2))
def test_linear_systems_in_loops(seed: int, few_links: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """x' = A x + B r and outputs from columns in loops, beside those derived on the graph, also at other parameters and
    their derivatives."""
    monkeypatch.setattr(linked_trees, "JOINTS", linked_trees.JOINTS[:3])
    m = random_tree(seed, 5)
    m.output("y", m.symbols["k"] * sum(sb.derive(m).q) ** 2)
    eq = sb.derive(m)
    t, q, u, *r = random_arguments(eq, seed)
    point = dict(zip((*eq.q, *eq.u, *eq.r), np.concatenate([q, u, *r]).tolist(), strict=True))
    derived = sb.linearize(eq, {**point, eq.t: t}, moving=True)
    monkeypatch.setattr(loop_numbers, "MIN_SPEEDS", 2)
    in_loops = sb.linearize(eq, {**point, eq.t: t}, moving=True)
    for values in ({}, {"k": 3.0}):
        found, wanted = in_loops.matrices(values), derived.matrices(values)
        order = [in_loops.x.index(s) for s in derived.x]
        A, B = np.linalg.solve(wanted.E, wanted.A), np.linalg.solve(wanted.E, wanted.B)
        np.testing.assert_allclose(found.A[np.ix_(order, order)], A, rtol=0, atol=1e-9 * np.abs(A).max())
        np.testing.assert_allclose(found.B[order], B, rtol=0, atol=1e-9 * np.abs(A).max())
        np.testing.assert_allclose(found.C[:, order], wanted.C, rtol=0, atol=1e-9 * np.abs(wanted.C).max())
    rows, points = np.array([list(in_loops.numbers.values({}).values())]), np.zeros((1, 0))
    above, below = (in_loops.matrices({"k": 2.0 + d}).A for d in (1e-4, -1e-4))
    slope = in_loops.numbers.derivatives_at("k", rows, points).A[0]
    np.testing.assert_allclose(slope, (above - below) / 2e-4, rtol=0, atol=1e-6 * np.abs(above).max())
    qz, plain = in_loops.eigenvalues(method="qz"), in_loops.eigenvalues()
    np.testing.assert_allclose(np.sort(np.abs(qz)), np.sort(np.abs(plain)), rtol=0, atol=1e-6 * np.abs(plain).max())


def test_eigenvalues_nearest_to_a_point() -> None:
    """Of a chain of 40 links, hanging: the lowest frequencies, and those near another one, beside all of them."""
    link = sb.Model("link")
    rod = link.body("rod", mass=1.0, com=(0, -0.5, 0), inertia=(0.1, 0.1, 0.1))
    link.revolute("a", link.ground, rod, "z", damping=0.1, stiffness=2.0)
    link.frame("tip", rod.frame.translate(0, -1, 0))
    m = sb.Model("chain")
    m.gravity(0, -9.81, 0)
    m.repeat("link", m.ground, link, 40, end="tip")
    lin = sb.linearize(sb.derive(m), {})
    every = lin.eigenvalues()
    for near in (0.0, 8j, -2.0):
        found = lin.eigenvalues(count=4, near=near)
        wanted = every[np.argsort(np.abs(every - near))[:4]]
        np.testing.assert_allclose(np.sort(np.abs(found - near)), np.sort(np.abs(wanted - near)), rtol=1e-7)
    with pytest.raises(sb.errors.StabilityError, match="not steady: the rate of link_") as refused:
        sb.linearize(sb.derive(m), {"link_3_a": 0.3})
    assert "by --set link_0_a=" in str(refused.value.on_command_line)
    with pytest.raises(sb.errors.StabilityError, match="count is a whole number from 1 on, got 0"):
        lin.eigenvalues(count=0)


def test_copies_that_differ_in_a_number_are_of_two_types() -> None:
    """They have places in common, and masses of their own."""
    part = sb.Model("part")
    mass = part.parameter("mass")
    rod = part.body("rod", mass=mass, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    part.revolute("a", part.ground, rod)
    part.frame("tip", rod.frame.translate(1, 0, 0))
    m = sb.Model("chain")
    on = m.ground
    for k in range(20):
        on = m.attach(f"link {k}", on, part, share={"mass": 1.0 + k % 2}).frame("tip")
    tree = links_of(m.freeze())
    assert tree is not None
    light, heavy = ({x.kind for x in tree.links[first:18:2]} for first in (2, 3))
    assert len(light) == len(heavy) == 1
    assert light.isdisjoint(heavy)
