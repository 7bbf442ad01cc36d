"""Loads that contain multipliers: M u' = f0 + (Jc + W)ᵀ lam, by every route and in everything that is made of it."""

from typing import Any

import numpy as np
import pytest

import symbody as sb


def slider(law: Any, normal: Any = None, **options: Any) -> sb.Model:
    """A pendulum on a carriage that a rail of slope b holds; friction on the rail and, viscous, in the pin."""
    m = sb.Model("carriage")
    p = m.parameters(M=2.0, m=0.7, l=0.5, g=9.81, b=0.3, c=0.05)
    x, y, th = m.coordinates("x y th")
    m.gravity(p.g * sb.sin(p.b), -p.g * sb.cos(p.b), 0)
    carriage = m.ground.translate(x, y, 0)
    m.particle("carriage", carriage.origin, mass=p.M)
    m.particle("bob", carriage.rotate("z", th).point(0, -p.l, 0), mass=p.m)
    m.generalized_force("pin", th, -p.c * th.dot)
    m.constrain("rail", y)
    N = m.multiplier("rail")
    m.friction("rub", x.dot, law, normal=N if normal is None else normal(N), **options)
    return m


@pytest.fixture(scope="module")
def coulomb() -> sb.Equations:
    return sb.derive(slider(sb.Coulomb(0.3, static=0.4, stribeck=0.5, viscous=0.1), smooth=0.2))


def test_every_route_gives_the_same_loads(coulomb: sb.Equations) -> None:
    """f contains the multiplier, and W is its slope; the certificate compares all routes at random multipliers."""
    assert [s.name for s in coulomb.augmented.multipliers_in_loads] == ["lam_rail"]
    assert coulomb.augmented.W is not None
    assert sb.certify(coulomb).passed


def test_accelerations_solve_the_unsymmetric_system(coulomb: sb.Equations) -> None:
    eq, rng = coulomb, np.random.default_rng(3)
    x = {s: rng.uniform(0.2, 1) for s in eq.state} | {s: eq.mechanism.values[s] for s in eq.p}
    M, f0, H, Jc, c, found, lam = (
        np.array(sb.evaluate(a, x))
        for a in (eq.M, eq.augmented.f0, eq.augmented.directions, eq.Jc, eq.c, eq.udot, eq.multipliers)
    )
    n, k = len(eq.u), len(eq.lam)
    whole = np.block([[M.reshape(n, n), -H.reshape(k, n).T], [Jc.reshape(k, n), np.zeros((k, k))]])
    expected = np.linalg.solve(whole, np.concatenate([f0.ravel(), -c.ravel()]))
    assert np.allclose(np.concatenate([found.ravel(), lam.ravel()]), expected, rtol=1e-12)
    assert not np.allclose(H, Jc)


def test_forward_derivatives_are_those_of_differences(coulomb: sb.Equations) -> None:
    eq, rng = coulomb, np.random.default_rng(4)
    x = {s: rng.uniform(0.2, 1) for s in eq.state} | {s: eq.mechanism.values[s] for s in eq.p}
    slopes = sb.derivation.forward_derivatives(eq, ["u", "M"])
    for name, symbols in (("u", eq.u), ("M", [eq.variables.of("p").symbol("M", "test")])):
        exact = np.array(sb.evaluate(slopes.udot[name], x)).reshape(len(eq.u), -1)
        for j, s in enumerate(symbols):
            ahead, behind = (np.array(sb.evaluate(eq.udot, x | {s: x[s] + h})).ravel() for h in (1e-6, -1e-6))
            assert np.allclose(exact[:, j], (ahead - behind) / 2e-6, rtol=1e-6, atol=1e-7)


def in_order(s: object) -> np.ndarray:
    return np.array(sorted(np.asarray(s), key=lambda x: (round(x.real, 6), x.imag)))


def test_linear_system_has_the_derivative_of_friction(coulomb: sb.Equations) -> None:
    """At rest friction is a damper of strength μs N / v0, and N is that of the hanging bob."""
    level: dict[str, Any] = {"b": 0.0}
    lin = sb.linearize(coulomb, sb.steady(coulomb, x=0.0, **level), **level)
    found = in_order(lin.eigenvalues())
    M, m, g, l, c = 2.0, 0.7, 9.81, 0.5, 0.05
    d = 0.1 + 0.4 * (M + m) * g / 0.2
    mass = np.array([[M + m, m * l], [m * l, m * l**2]])
    A = np.block(
        [
            [np.zeros((2, 2)), np.eye(2)],
            [-np.linalg.solve(mass, np.diag([0, m * g * l])), -np.linalg.solve(mass, np.diag([d, c]))],
        ]
    )
    expected = in_order(np.linalg.eigvals(A))
    assert np.allclose(found[np.abs(found) > 1e-9], expected[np.abs(expected) > 1e-9], rtol=1e-9)
    assert np.allclose(in_order(lin.eigenvalues(method="qz")), found, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("form", ["explicit", "baumgarte", "orthogonal", "implicit", "ggl"])
def test_forms_agree(coulomb: sb.Equations, form: str) -> None:
    start = {"x_dot": 2.0, "th": 0.5}
    one, other = (sb.simulate(coulomb, 0.5, start, form=f) for f in ("projection", form))
    assert abs(one["x"][-1] - other["x"][-1]) < 1e-6
    assert abs(one["th"][-1] - other["th"][-1]) < 1e-6


def test_energy_is_lost_to_friction(coulomb: sb.Equations) -> None:
    """The rate of T + V is the power of friction and damping, which contain the multiplier: kept as an invariant to
    rounding."""
    sim = sb.simulate(coulomb, 1.0, x_dot=2.0, th=0.5)
    lost = sum(float(np.trapezoid(sim.load_powers[k], sim.t)) for k in ("rub", "pin"))
    assert lost < -1
    assert abs(sim.energy[-1] - sim.energy[0] - lost) < 1e-3 * abs(lost)


def test_loads_that_are_not_linear_in_multipliers_are_solved_for(coulomb: sb.Equations) -> None:
    """abs(N) is N where the rail pushes: the same motion, found by the form that has multipliers as unknowns."""
    law = sb.Coulomb(0.3, static=0.4, stribeck=0.5, viscous=0.1)
    eq = sb.derive(slider(law, abs, smooth=0.2))
    one, other = (sb.simulate(e, 0.5, x_dot=2.0, th=0.5) for e in (coulomb, eq))
    assert "ggl" in other.choices["form"]
    assert abs(one["x"][-1] - other["x"][-1]) < 1e-6
    with pytest.raises(sb.errors.DerivationError, match=r"not linear in lam_rail.*ggl"):
        _ = eq.udot


def test_bristles_creep_to_the_kinetic_force() -> None:
    """LuGre: steady sliding has the friction of μ(v); at rest on a slope below μs it sticks but for a bend."""
    law = sb.LuGre(0.3, 0.4, 0.05, stiffness=2000.0, damping=20.0)
    eq = sb.derive(slider(law))
    held = sb.simulate(eq, 3.0, b=0.25, method="radau")
    assert abs(held["x_dot"][-1]) < 1e-3
    assert 0 < held["x"][-1] < 1e-3
    sliding = sb.simulate(eq, 1.0, b=0.8, method="radau", m=1e-9)
    a = 9.81 * (np.sin(0.8) - 0.3 * np.cos(0.8))
    assert abs(sliding["x_ddot"][-1] - a) < 1e-3 * a


def test_what_cannot_be_is_refused(coulomb: sb.Equations) -> None:
    with pytest.raises(sb.errors.DerivationError, match="lam_rail"):
        sb.minimal(coulomb)
    with pytest.raises(sb.errors.SimulationError, match="lam_rail"):
        sb.simulate(coulomb, 1.0, form="qr")
    m = sb.Model("m")
    x = m.coordinate("x")
    with pytest.raises(sb.ModelError, match="no constraint 'flor'"):
        m.multiplier("flor")
    with pytest.raises(sb.ModelError, match="smooth"):
        m.friction("rub", x.dot, 0.3, normal=1.0)
    with pytest.raises(sb.ModelError, match="no rate"):
        m.friction("rub", x, 0.3, normal=1.0, smooth=0.1)
