"""Lagrangians that were written down: against mechanisms of bodies, and against what is known in closed form."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

import symbody as sb
from symbody.derivation.equations.energies import generalized_momenta

m, M, l, g, k, c, B, w = sb.symbols("m M l g k c B w")
x, y, z, a = sb.symbols("x y z a", "coordinate")
t = sb.symbol("t", "time")


def cart_and_pole() -> sb.Equations:
    tip = (x.dot + l * a.dot * sb.cos(a)) ** 2 + (l * a.dot * sb.sin(a)) ** 2
    L = M * x.dot**2 / 2 + m * tip / 2 + m * g * l * sb.cos(a)
    numbers = {M: 2.0, m: 1.0, l: 0.5, g: 9.81, c: 0.3}
    return sb.from_lagrangian(
        L, [x, a], numbers, forces={x: sb.symbol("F", "input")}, dissipation=c * a.dot**2 / 2, name="cart and pole"
    )


def same_of_bodies() -> sb.Equations:
    model = sb.Model("cart and pole")
    p = model.parameters(M=2.0, m=1.0, l=0.5, g=9.81, c=0.3)
    cart, bob = model.body("cart", mass=p.M), model.body("bob", mass=p.m, com=(0, -p.l, 0))
    model.prismatic("x", model.ground, cart, axis="x", actuation=model.input("F"))
    model.revolute("a", cart, bob, axis="z", damping=p.c)
    model.gravity(0, -p.g, 0)
    return sb.derive(model)


def bead_on_a_turning_wire() -> sb.Equations:
    """A bead on a straight wire that turns with w: L depends on time where the angle is a function of it."""
    X, Y = x * sb.cos(w * t + x / 5), x * sb.sin(w * t + x / 5)
    square = sb.time_derivative(X) ** 2 + sb.time_derivative(Y) ** 2
    return sb.from_lagrangian(m * square / 2 - k * x**2 / 2 - t * x / 7, [x], {m: 1.2, w: 0.8, k: 3.0})


def charge() -> sb.Equations:
    L = m * (x.dot**2 + y.dot**2) / 2 + B * (x * y.dot - y * x.dot) / 2 - k * x**2 / 2
    return sb.from_lagrangian(L, "x y", {m: 2.0, B: 3.0, k: 0.7}, name="charge")


def relativistic() -> sb.Equations:
    return sb.from_lagrangian(-m * c**2 * sb.sqrt(1 - (x.dot / c) ** 2) - k * x**2 / 2, [x], {m: 1.0, c: 3.0, k: 2.0})


def on_a_sphere() -> sb.Equations:
    L = m * (x.dot**2 + y.dot**2 + z.dot**2) / 2 - m * g * z
    return sb.from_lagrangian(
        L, [x, y, z], {m: 2.0, g: 9.81, l: 1.5}, constraints={"length": x**2 + y**2 + z**2 - l**2}
    )


def skate() -> sb.Equations:
    J = sb.symbol("J")
    L = m * (x.dot**2 + y.dot**2) / 2 + J * a.dot**2 / 2 - m * g * x
    return sb.from_lagrangian(
        L, [x, y, a], {m: 2.0, J: 0.5, g: 1.7}, constraints=[x.dot * sb.sin(a) - y.dot * sb.cos(a)], name="skate"
    )


ALL = (cart_and_pole, bead_on_a_turning_wire, charge, relativistic, on_a_sphere, skate)


def test_the_same_accelerations_as_of_bodies():
    by_hand, by_bodies = sb.compile(cart_and_pole()), sb.compile(same_of_bodies())
    for q1, q2, u1, u2, F in np.random.default_rng(3).normal(size=(5, 5)):
        values = (0.0, [q1, q2], [u1, u2], [F])
        assert by_hand.udot(*values, by_hand.p) == pytest.approx(by_bodies.udot(*values, by_bodies.p), rel=1e-12)
        assert by_hand.energies(*values, by_hand.p)[0] == pytest.approx(by_bodies.energies(*values, by_bodies.p)[0])


@pytest.mark.parametrize("make", ALL)
def test_certificates(make):
    """Among the checks: T' is the sum of all powers, what time feeds in and constraints included."""
    eq = make()
    found = sb.certify(eq, values={x.dot: 0.4} if make is relativistic else None)
    assert found.passed, found
    assert not sb.certify(replace(eq, f=eq.f * sb.fraction(11, 10), source=None)).passed


@pytest.mark.parametrize("make", [charge, relativistic, on_a_sphere, skate])
def test_jacobis_integral_is_kept(make):
    eq = make()
    start = {"x": 0.3, "y": 0.5, "x_dot": 0.8, "y_dot": -0.4, "a": 0.4, "a_dot": 1.1, "z": -1.2}
    known = {n: v for n, v in start.items() if n in eq.variables}
    sim = sb.simulate(eq, 4, sb.assemble(eq, start=known) if eq.lam else known, rtol=1e-10, atol=1e-12)
    assert sim.outcome
    assert np.ptp(sim.energy) < 1e-8 * (1 + np.max(np.abs(sim.kinetic_energy)))


def test_energy_of_a_relativistic_particle():
    """γ m c² + V."""
    eq = relativistic()
    values = eq.values(x=0.3, x_dot=1.8)
    assert sb.evaluate(sb.energy(eq), values) == pytest.approx(9 / np.sqrt(1 - 0.36) + 0.09)


def test_frequency_of_a_charge_in_a_field():
    """Free: B/m, and the centre stays where it is."""
    eq = charge()
    found = sb.linearize(eq, {"x": 0, "y": 0}).eigenvalues(k=0.0)
    assert sorted(np.abs(found.imag)) == pytest.approx([0, 0, 1.5, 1.5], abs=1e-7)


def test_momenta_are_not_those_of_the_energy():
    """p = ∂L/∂q' contains B x, which T does not; variational steps with them follow the motion."""
    eq, start = charge(), {"x": 0.3, "x_dot": 0.8, "y_dot": -0.4}
    values = eq.values(x=0.3, y=-0.5, x_dot=0.8, y_dot=-0.4)
    assert sb.evaluate(generalized_momenta(eq), values) == pytest.approx([1.6 + 0.75, -0.8 + 0.45])
    wanted = sb.simulate(eq, 2, start, rtol=1e-10).final
    found = sb.simulate(eq, 2, start, method="variational", order=4, step=0.01).final
    assert [found[n] for n in ("x", "y")] == pytest.approx([wanted[n] for n in ("x", "y")], abs=1e-6)


def test_multiplier_of_a_pendulum():
    """The force along the string, -2 lam l: m g cos + m v²/l in a vertical plane."""
    eq = on_a_sphere()
    f = sb.compile(eq)
    angle, rate = 0.7, 1.3
    q = [1.5 * np.sin(angle), 0, -1.5 * np.cos(angle)]
    u = [1.5 * rate * np.cos(angle), 0, 1.5 * rate * np.sin(angle)]
    (lam,) = f.lam(0.0, q, u, f.p)
    assert -2 * lam * 1.5 == pytest.approx(2 * 9.81 * np.cos(angle) + 2 * 1.5 * rate**2)


def test_readable_text():
    lines = str(cart_and_pole().readable).splitlines()
    assert lines[0] == "(M + m)*x_ddot + m*l*cos(a)*a_ddot = F + m*l*sin(a)*a_dot**2"
    assert cart_and_pole().variables["a"].is_angle
    assert not cart_and_pole().variables["x"].is_angle


@pytest.mark.parametrize("make", ALL)
def test_model_file_and_pickle(make):
    eq = make()
    again = sb.derive(sb.study.read_model_text(sb.write.model_text(eq.mechanism)).mechanism, "lagrange")
    assert (again.M, again.f, again.Jc) == (eq.M, eq.f, eq.Jc)
    assert pickle.loads(pickle.dumps(eq)).f == eq.f


def test_beside_bodies_and_in_substructures():
    """A rotor whose kinetic energy is written down, and a spring by its balance, hung on a cart twice."""
    part = sb.Model("part")
    J, stiffness = part.parameters("J k", 0.3, 5.0)
    theta, s = part.coordinates("theta s")
    part.kinetic_energy("rotor", J * (theta.dot + s.dot / 2) ** 2 / 2)
    part.kinetic_energy("slide", 2 * s.dot**2)
    part.balance(s, stiffness * s)
    part.balance(theta, theta.dot.dot / 10)
    model = sb.Model("cart")
    cart = model.body("cart", mass=1.0)
    model.prismatic("x", model.ground, cart)
    model.attach("left", cart, part)
    right = model.attach("right", cart, part, values={"k": 7.0})
    model.generalized_force("belt", model.symbols["x"], right.symbols["s"] - model.symbols["x"])
    eq = sb.derive(model)
    assert sb.certify(eq).passed
    f = sb.compile(eq)
    n = [u.name for u in eq.u]
    assert f.M(0.0, [0.1] * 5, [0.2] * 5, f.p)[n.index("right_s_dot")][n.index("right_s_dot")] == pytest.approx(
        4 + 0.3 / 4
    )
    J_a, J_u = f.jacobian(0.0, [0.1] * 5, [0.2] * 5, f.p)
    step = np.eye(5)[n.index("right_s_dot")] * 1e-6
    ahead, behind = (f.udot(0.0, 0.1 + s, [0.2] * 5, f.p) for s in (step, -step))
    assert J_a[:, n.index("right_s_dot")] == pytest.approx((ahead - behind) / 2e-6, abs=1e-7)
    assert J_u.shape == (5, 5)
    with pytest.raises(sb.errors.DerivationError, match="available only for models made of bodies"):
        sb.momentum(eq)


def test_speeds_of_choice():
    """Balances in speeds that are no rates: Euler's equations of a free body, with q' = u / cos."""
    model = sb.Model("drum")
    q = model.coordinate("q")
    u = model.speed("u")
    model.rate(q, u / (2 + sb.cos(q)))
    model.kinetic_energy("drum", 3 * q.dot**2 / 2)
    model.balance(u, u.dot / 5)
    eq = sb.derive(model)
    assert sb.certify(eq).passed
    assert sb.evaluate(eq.M[0, 0], {q: 0.0}) == pytest.approx(3 / 9 + 0.2)


def test_sympy_expressions_are_taken():
    q = dynamicsymbols("q")
    J, K = sympy.symbols("J K")
    eq = sb.from_lagrangian(
        J * q.diff() ** 2 / 2 - K * q**2 / 2, [q], {J: 2.0, "K": 3.0}, forces={q: dynamicsymbols("tau")}, inputs="tau"
    )
    assert sb.compile(eq).udot(0.0, [0.5], [0.1], [0.7], [2.0, 3.0]) == pytest.approx([(0.7 - 1.5) / 2])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: sb.from_lagrangian(x.dot**2, [x, x]), "given twice"),
        (lambda: sb.from_lagrangian(x.dot**2 + y.dot, [x]), "neither a state nor an input"),
        (lambda: sb.from_lagrangian(x.dot**2, [x], forces={y: 1}), "there is no coordinate 'y'"),
        (lambda: sb.from_lagrangian(x.dot**2, [x], {"k": 2}), "there is no parameter 'k'"),
        (lambda: sb.from_lagrangian(x**2, [x]), "mass matrix is singular"),
        (lambda: sb.Model("m").kinetic_energy("T", sb.symbol("u", "speed")), "not declared|no speed"),
        (lambda: sb.Model("m").balance(x, 1), "is not a speed"),
    ],
)
def test_what_is_refused(call, says):
    with pytest.raises(sb.SymbodyError, match=says):
        call()


def test_inertia_that_is_not_symmetric_is_refused():
    model = sb.Model("wrong")
    p, q = model.coordinates("p q")
    model.balance(p, p.dot.dot + 2 * q.dot.dot)
    model.balance(q, q.dot.dot + 3 * p.dot.dot)
    with pytest.raises(sb.errors.DerivationError, match="not symmetric"):
        sb.derive(model)


def test_second_order_equations():
    """x'' = -k x beside z' = x - z: a coordinate and a variable."""
    eq = sb.from_equations({x.dot.dot: -k * x, "z": x - sb.symbol("z")}, {k: 4.0})
    assert [s.name for s in eq.state] == ["x", "x_dot", "z"]
    f = sb.compile(eq)
    assert f.rhs(0.0, [1.0, 2.0, 3.0], f.p) == pytest.approx([2, -4, -2])
    assert sb.certify(eq).passed
