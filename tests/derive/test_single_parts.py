"""Energies, momenta and forces of single bodies and loads; expressions, accelerations and variations in other forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from symbody import Model, derive

from .mechanisms import chain, double_pendulum, four_bar, quasi, rolling_disc, turntable
from .states import moving_state, numbers

MODELS = (double_pendulum, chain, turntable, quasi, four_bar, rolling_disc)


# ------------------------------------------------------------------------------------------------ bodies and loads


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_whole_is_the_sum_of_its_bodies(model: Callable[[], Model]) -> None:
    """Kinetic energy, momentum and angular momentum; the potential energy is the sum over loads, that of gravity the
    sum over bodies."""
    eq = derive(model())
    s, names = moving_state(eq), [b.name for b in eq.mechanism.bodies]
    for of in (sb.kinetic_energy, sb.momentum, lambda eq, b=None: sb.angular_momentum(eq, bodies=b)):
        parts = [_value(of(eq, name), s) for name in names]
        assert np.sum(parts, axis=0) == pytest.approx(_value(of(eq), s), rel=1e-12, abs=1e-12)
        assert _value(of(eq, names[:1] + names[1:]), s) == pytest.approx(_value(of(eq), s), rel=1e-12, abs=1e-12)
    loads = [x.name for x in eq.mechanism.loads]
    total = sum(_value(sb.potential_energy(eq, x), s) for x in loads)
    assert total == pytest.approx(_value(sb.potential_energy(eq), s), rel=1e-12, abs=1e-12)
    if "gravity" in loads:
        by_body = sum(_value(sb.potential_energy(eq, bodies=n), s) for n in names)
        assert by_body == pytest.approx(_value(sb.potential_energy(eq, ["gravity"]), s), rel=1e-12, abs=1e-12)


def _value(thing: object, s: dict) -> np.ndarray:
    return np.asarray(numbers(thing.in_ground if isinstance(thing, sb.Vector) else thing, s), dtype=float)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_generalised_forces_of_loads(model: Callable[[], Model]) -> None:
    """f of the mechanism with one load alone less f without any: what the load adds; in minimal speeds it is projected
    on them."""
    mechanism = model().freeze()
    eq, empty = derive(mechanism, check=False), derive(replace(mechanism, loads=(), gravity=None), check=False)
    small, s = sb.minimal(eq), moving_state(eq)
    for load in mechanism.loads:
        gravity = mechanism.gravity if load.name == "gravity" else None
        alone = derive(replace(mechanism, loads=(load,), gravity=gravity), check=False)
        Q = numbers(sb.derivation.generalized_force(eq, load.name), s)
        assert Q == pytest.approx(numbers(alone.f, s) - numbers(empty.f, s), rel=1e-9, abs=1e-10)
        projected = numbers(sb.derivation.generalized_force(small, load.name), s)
        table = numbers(sb.jacobian([small.dependent.get(u, u) for u in eq.u], small.u), s)
        assert np.ravel(projected) == pytest.approx(table.T @ np.ravel(Q), rel=1e-9, abs=1e-9)


def test_generalised_force_of_a_torque_with_damping() -> None:
    """A torque τ - c δ' on the front, reacting on the rear: Q of δ is τ - c δ' itself, not the slope of its power
    (MBSymba 2.5)."""
    m = Model("steering")
    c, tau = m.parameter("c", 6.8), m.input("tau")
    rear, front = m.body("rear", mass=10.0, inertia=(1, 1, 1)), m.body("front", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.planar("rear", m.ground, rear)
    delta = m.revolute("delta", rear, front).q
    m.torque("steer", front, rear.vector(0, 0, tau - c * delta.dot), reacting=rear)
    eq = derive(m)
    assert sb.derivation.generalized_force(eq, "steer", "delta") == tau - c * delta.dot
    assert sb.derivation.generalized_force(eq, "steer") == sb.vector(0, 0, 0, tau - c * delta.dot)
    with pytest.raises(sb.ModelError, match="there is no load 'steering'"):
        sb.derivation.generalized_force(eq, "steering")


def test_gravity_on_some_bodies() -> None:
    """One of two particles falls; the other does not; energies and routes agree."""
    m = Model("two")
    g = m.parameter("g", 9.81)
    a, b = m.particle("a", mass=2.0), m.particle("b", mass=3.0)
    m.prismatic("x", m.ground, a, "z")
    m.prismatic("y", a, b, "z")
    m.gravity(0, 0, -g, on=[a])
    m.gravity(0, 0, -2 * g, on=b, name="twice")
    eq = derive(m)
    assert sb.tidy(sb.potential_energy(eq, bodies="a")) == sb.tidy(2 * g * eq.q[0])
    assert sb.derivation.generalized_force(eq, "gravity") == sb.vector(-2 * g, 0)
    assert sb.derivation.generalized_force(eq, "twice") == sb.vector(-6 * g, -6 * g)
    assert sb.certify(eq).passed
    sim = sb.simulate(eq, 1.0, x=1.0, x_dot=0.3, y=0.2)
    assert np.ptp(sim.energy) < 1e-9
    with pytest.raises(sb.ModelError, match="'gravity'"):
        m.gravity(0, 0, -g, on=[b])
    with pytest.raises(sb.ModelError, match="takes bodies"):
        m.gravity(0, 0, -g, on=m.ground, name="third")


def test_length_rate_and_tension_of_a_spring() -> None:
    """As expressions of the model, and equal to the force that the spring exerts."""
    m = Model("spring")
    x, y = m.coordinates("x y")
    ball = m.particle("ball", m.ground.point(x, y, 0), mass=1.0)
    spring = m.spring(
        "s", m.ground.point(0, 0, 1), ball.mass_centre, stiffness=50.0, rest=0.7, damping=2.0, actuation=0.3
    )
    m.output("length", spring.length)
    eq = derive(m)
    s = {x: 0.3, y: -0.4, x.dot: 1.0, y.dot: 2.0}
    r = np.array([0.3, -0.4, -1.0])
    length, rate = np.linalg.norm(r), r @ [1, 2, 0] / np.linalg.norm(r)
    tension = 50 * (length - 0.7) + 2 * rate - 0.3
    found = sb.evaluate([spring.length, spring.rate, spring.tension, spring.energy], s)
    assert found == pytest.approx([length, rate, tension, 25 * (length - 0.7) ** 2], rel=1e-14)
    on_ball = sb.evaluate(spring.force.components(m.ground), s)
    assert np.ravel(on_ball) == pytest.approx(-tension * r / length, rel=1e-13)
    force = sum(numbers(sb.derivation.generalized_force(eq, n), s) for n in ("s", "s.damper", "s.actuator"))
    assert np.ravel(force) == pytest.approx(-tension * r[:2] / length, rel=1e-13)


def test_torque_and_energy_of_a_rotational_spring() -> None:
    m = Model("balance")
    th = m.coordinate("th")
    wheel = m.ground.rotate("z", th)
    m.body("wheel", wheel, mass=1.0, inertia=(0, 0, 0.2))
    spring = m.rotational_spring(
        "hair", m.ground, wheel, m.ground.z, angle=th, stiffness=3.0, rest=0.1, damping=0.4, actuation=0.5
    )
    eq, s = derive(m), {th: 0.7, th.dot: 2.0}
    torque = -3 * 0.6 - 0.4 * 2 + 0.5
    assert sb.evaluate([spring.angle, spring.rate, spring.torque, spring.energy], s) == pytest.approx(
        [0.7, 2.0, torque, 1.5 * 0.36], rel=1e-14
    )
    assert numbers(eq.f, s) == pytest.approx(torque, rel=1e-14)


# ------------------------------------------------------------------------------------------------ other forms


@pytest.mark.parametrize("model", [double_pendulum, chain, four_bar], ids=lambda m: m.__name__)
def test_christoffel_symbols(model: Callable[[], Model]) -> None:
    """Γ(q', q') = C q'; symmetric; of the second kind M times them gives the first; the Coriolis matrix is Γ q'."""
    eq = derive(model())
    s, n = moving_state(eq), len(eq.u)
    first, second = (np.array([numbers(G, s) for G in sb.derivation.christoffel_symbols(eq, kind)]) for kind in (1, 2))
    u = np.array([s[x] for x in eq.u])
    assert first == pytest.approx(np.transpose(first, (0, 2, 1)), abs=1e-13)
    C = numbers(sb.derivation.coriolis_matrix(eq), s).reshape(n, n)
    assert np.einsum("ijk,j,k->i", first, u, u) == pytest.approx(C @ u, abs=1e-10)
    M = numbers(eq.M, s).reshape(n, n)
    assert np.einsum("il,ljk->ijk", M, second) == pytest.approx(first, abs=1e-10)


def test_christoffel_symbols_need_rates_as_speeds() -> None:
    with pytest.raises(sb.errors.DerivationError, match="not the rates"):
        sb.derivation.christoffel_symbols(derive(quasi()))


@pytest.mark.parametrize("model", [quasi, turntable], ids=lambda m: m.__name__)
def test_mass_matrix_by_partial_velocities_where_time_moves_too(model: Callable[[], Model]) -> None:
    eq = derive(model())
    s, found = moving_state(eq), sb.derivation.partial_velocities(eq)
    B, inertia = (numbers(x, s).reshape(x.shape) for x in (found.B, found.inertia))
    assert B.T @ inertia @ B == pytest.approx(numbers(eq.M, s), abs=1e-10)


@pytest.mark.parametrize("model", [double_pendulum, chain, four_bar, rolling_disc], ids=lambda m: m.__name__)
def test_partial_velocity_matrix_and_its_rate(model: Callable[[], Model]) -> None:
    """M = Bᵀ diag(m, I) B, and accelerations of mass centres are B u' + Ḃ u (Lynch eq. 3.36 and 4.14)."""
    eq = derive(model())
    s, n = moving_state(eq), len(eq.u)
    found = sb.derivation.partial_velocities(eq)
    B, rate, inertia = (numbers(x, s).reshape(x.shape) for x in (found.B, found.rate, found.inertia))
    assert B.T @ inertia @ B == pytest.approx(numbers(eq.M, s).reshape(n, n), abs=1e-10)
    udot = np.ravel(numbers(eq.udot, s))
    for k, body in enumerate(found.bodies):
        a = body.mass_centre.acceleration().components(body.frame)
        by_rates = dict(zip((q.dot for q in eq.q), eq.rates.entries, strict=True))
        second = {
            q.dot.dot: sb.time_derivative(r, {**dict(zip(eq.q, eq.rates.entries, strict=True))})
            for q, r in zip(eq.q, eq.rates.entries, strict=True)
        }
        a = sb.substitute(sb.substitute(a, second), by_rates)
        expected = numbers(a, {**s, **dict(zip((x.dot for x in eq.u), udot, strict=True))})
        u = np.array([s[x] for x in eq.u])
        assert (B @ udot + rate @ u)[6 * k : 6 * k + 3] == pytest.approx(np.ravel(expected), abs=1e-8), body


def test_linearised_expression() -> None:
    """To first order, with what is left out of second order (MBSymba's linearize)."""
    m = Model("x")
    x, y, V = *m.coordinates("x y"), m.parameter("V")
    e = sb.sin(x) * y.dot + V * sb.cos(x) * y
    linear = sb.algebra.linearized(e, {x: 0, y: 0, y.dot: V})
    assert linear == V * x + V * y
    assert sb.algebra.linearized([e, x * x], {x: 1, y: 0, y.dot: 0})[1] == 1 + 2 * (x - 1)
    v = m.ground.vector(e, x * x, 0)
    assert sb.algebra.linearized(v, {x: 0, y: 0, y.dot: V}) == m.ground.vector(linear, 0, 0)
    with pytest.raises(sb.errors.ExpressionError, match="mapping"):
        sb.algebra.linearized(e, x)  # type: ignore[arg-type]


def test_linearised_about_a_motion() -> None:
    """Rates up to the second follow from the motion; those that are named are kept (MBSymba's linearize, third argument)."""
    m = Model("x")
    x, y, V = *m.coordinates("x y"), m.parameter("V")
    t = m.time
    motion = {x: V * t**2, y: sb.sin(t)}
    e = x.dot.dot * sb.sin(y) + x * y.dot**2 + V * y.dot.dot
    written = {**motion, x.dot.dot: 2 * V, y.dot: sb.cos(t), y.dot.dot: -sb.sin(t)}
    values = {x: 0.3, x.dot: 0.7, x.dot.dot: -0.4, y: 0.2, y.dot: 1.1, y.dot.dot: 0.5, t: 0.8, V: 2.0}
    by_motion, by_values = (sb.algebra.linearized(e, *about) for about in ((motion, t), (written,)))
    assert sb.evaluate(by_motion, values) == pytest.approx(sb.evaluate(by_values, values), rel=1e-14)
    assert sb.algebra.linearized(y.dot**2, {y: t, y.dot: 2, V: 1}, t) == 4 + 4 * (y.dot - 2)
    with pytest.raises(sb.errors.ExpressionError, match=r"t = 3.*m\.time"):
        sb.algebra.linearized(e, motion, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(3))
def test_linearised_expression_is_the_tangent(seed: int) -> None:
    draw = np.random.default_rng(seed)
    x, y = sb.symbols("x y")
    e = sb.exp(x * y) / (2 + sb.sin(y))
    at = {x: draw.uniform(-1, 1), y: draw.uniform(-1, 1)}
    linear = sb.algebra.linearized(e, at)
    assert sb.evaluate(linear, at) == pytest.approx(sb.evaluate(e, at), rel=1e-14)
    near = {s: v + 1e-5 for s, v in at.items()}
    assert sb.evaluate(linear, near) == pytest.approx(sb.evaluate(e, near), abs=1e-8)


def test_equations_of_second_order_in_a_variable() -> None:
    """z'' + 2 d w z' + w² z = q is brought to first order; a third-order equation too."""
    m = Model("sensor")
    q = m.prismatic("q", m.ground, m.particle("p", mass=1.0), stiffness=4.0).q
    z, y = m.variables("z y")
    m.equation("sensor", z.dot.dot + 0.4 * z.dot + z - q)
    m.equation("jerk", y.dot.dot.dot + y.dot)
    eq = derive(m)
    assert [v.name for v in eq.z] == ["z", "y", "z_rate", "y_rate", "y_rate_rate"]
    first = sb.first_order(eq)
    assert first.x == eq.state
    sim = sb.simulate(eq, 2.0, q=0.3, z=1.0, z_rate=0.5, y_rate=1.0, rtol=1e-10)
    assert float(sim["y"][-1]) == pytest.approx(np.sin(2.0), abs=1e-8)
    A = np.array(sb.evaluate(first.jacobian, {}), dtype=float)
    values, vectors = np.linalg.eig(A)
    start = np.array([0.3, 0, 1, 0, 0.5, 1, 0])
    end = (vectors @ np.diag(np.exp(2.0 * values)) @ np.linalg.solve(vectors, start)).real
    assert [float(sim[s.name][-1]) for s in eq.state] == pytest.approx(list(end), abs=1e-7)


@pytest.mark.parametrize("model", [double_pendulum, chain, four_bar], ids=lambda m: m.__name__)
def test_first_order_form(model: Callable[[], Model]) -> None:
    """x' = (q', u', z'), and its Jacobian by differences."""
    eq = derive(model())
    first, s = sb.first_order(eq), moving_state(eq)
    rates = np.ravel(numbers(first.rates, s))
    assert rates == pytest.approx([*np.ravel(numbers(eq.rates, s)), *np.ravel(numbers(eq.udot, s))], rel=1e-12)
    J, h = numbers(first.jacobian, s), 1e-6
    for j, x in enumerate(first.x):
        up, down = (np.ravel(numbers(first.rates, {**s, x: s[x] + d})) for d in (h, -h))
        assert J[:, j] == pytest.approx((up - down) / (2 * h), abs=2e-5 * max(1, np.abs(J).max()))


def test_variational_system_of_van_der_pol() -> None:
    """Φ of the variational system is the derivative of the flow (Lennartsson 6.10), by a Runge-Kutta method on compiled
    code."""
    x1, x2, mu = sb.symbols("x1 x2 mu")
    system = sb.derivation.FirstOrder.of([x1, x2], [x2, mu * (1 - x1**2) * x2 - x1])
    v = system.variational
    p = sb.program(
        "var", {"x": v.x, "Phi": list(v.Phi.entries), "p": [mu]}, {"rates": [*v.rates.entries, *v.Phi_rates.entries]}
    )
    run = sb.compile(p)

    def flow(x: np.ndarray, steps: int = 400, T: float = 1.5) -> np.ndarray:
        y, dt = np.array([*x, 1.0, 0, 0, 1]), T / steps

        def f(y: np.ndarray) -> np.ndarray:
            return np.ravel(run(y[:2], y[2:], [1.0]))

        for _ in range(steps):
            k1 = f(y)
            k2 = f(y + dt / 2 * k1)
            k3 = f(y + dt / 2 * k2)
            y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + dt * k3))
        return y

    x, h = np.array([0.5, -1.0]), 1e-5
    Phi = flow(x)[2:].reshape(2, 2)
    for j in range(2):
        d = h * np.eye(2)[j]
        assert Phi[:, j] == pytest.approx((flow(x + d)[:2] - flow(x - d)[:2]) / (2 * h), abs=1e-8)
    assert v.jacobian.shape == (6, 6)
    numbers_of = sb.evaluate(
        v.jacobian, {x1: 0.5, x2: -1.0, mu: 1.0, **dict(zip(v.Phi.entries, (1.0, 2.0, 3.0, 4.0), strict=True))}
    )
    assert np.array(numbers_of)[4] == pytest.approx(
        [-2 * (-1.0) * 1.0 + -2 * 0.5 * 3.0, -2 * 0.5 * 1.0, 2 * 0.5 - 1, 0, 1 - 0.25, 0]
    )
    with pytest.raises(sb.ModelError, match="one rate for each"):
        sb.derivation.FirstOrder.of([x1, x2], [x1])


def test_operations_with_and_without_sharing() -> None:
    """Example 6.2 of Lennartsson: products that two equations share are computed once."""
    x1, x2, mu = sb.symbols("x1 x2 mu")
    f = [-x1 * x2 * sb.sin(x2) * mu + sb.sin(x1) * sb.cos(x2), -sb.sin(x2) * x1 * x2 * sb.cos(x2) - x2]
    cost = sb.program("f", {"x": [x1, x2], "p": [mu]}, {"f": f}).cost
    assert sb.algebra.unshared_operations(*f) > sb.algebra.operations(*f)
    assert cost.multiplications == 5  # by hand 5, Maple 6
