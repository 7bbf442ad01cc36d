"""Singular positions: accelerations have no value there, in any way of evaluating them; checks are made elsewhere."""

import numpy as np
import pytest

import symbody as sb
from examples import four_bars

from .. import redundant


def parallelogram(length: float = 2.0) -> sb.Equations:
    m = sb.Model("parallelogram")
    m.gravity(0, -9.81, 0)
    left, coupler, right = (
        redundant.bar(m, n, x, 1.0) for n, x in (("left", 1.0), ("coupler", length), ("right", 1.0))
    )
    m.revolute("a", m.ground, left)
    m.revolute("b", left, coupler, at=(1, 0, 0))
    m.revolute("c", m.ground, right, at=(length, 0, 0))
    m.revolute("d", coupler, right, at=(length, 0, 0), on=(1, 0, 0))
    return sb.derive(m)


def state(angle):
    return np.array([angle, -angle, angle]), np.array([1.0, -1.0, 1.0])


@pytest.mark.parametrize("length", [0.5, 2.0])
@pytest.mark.parametrize("angle", [0.0, np.pi, -np.pi, 2 * np.pi, 1e-10])
def test_singular_states_have_no_accelerations(length, angle):
    """By machine code, in batches beside regular states, and by NumPy text; `evaluate` raises or gives what is no
    number."""
    eq = parallelogram(length)
    f = sb.compile(eq)
    q, u = state(angle)
    assert np.isnan(f.udot(0.0, q, u)).all()
    assert np.isnan(f.lam(0.0, q, u)).all()
    beside, _ = state(1.0)
    many = f.udot.batch(np.zeros(5), np.array([beside, q, beside, q, beside]), np.tile(u, (5, 1)))
    assert np.isnan(many).all(axis=1).tolist() == [False, True, False, True, False]
    with pytest.raises(sb.errors.EvaluationError):
        sb.evaluate(eq.udot, dict(zip(eq.state, (*q, *u), strict=True)) | {eq.t: 0.0})


@pytest.mark.parametrize("angle", [1e-5, 1e-3, 0.1, 1.0])
def test_states_beside_them_have(angle):
    """All cranks turn together: a pendulum of one degree of freedom, to the digits that the distance leaves."""
    eq = parallelogram()
    q, u = state(angle)
    found = sb.compile(eq).udot(0.0, q, u)
    near = sb.compile(eq).udot(0.0, state(angle + 1e-2)[0], u)
    assert found == pytest.approx(found[0] * np.array([1, -1, 1]), rel=1e-15 / angle**2 + 1e-12)
    assert found[0] == pytest.approx(near[0], abs=0.2)


def test_derivatives_do_not_see_the_guard():
    """Those of accelerations are what differences of them are."""
    f, (q, u) = sb.compile(parallelogram()), state(1.0)
    by_q, _ = f.jacobian(0.0, q, u)
    ahead, behind = (np.array([f.udot(0.0, q + h * e, u) for e in np.eye(3)]).T for h in (1e-6, -1e-6))
    assert by_q == pytest.approx((ahead - behind) / 2e-6, rel=1e-6, abs=1e-6)


def test_more_constraints_are_guarded_too():
    """Five four-bars in line, of ten conditions: one more right side shows that they are dependent."""
    eq = sb.derive(four_bars.model(5), check=False)
    f = sb.compile(eq)
    flat, upright = np.zeros(len(eq.q)), np.array([np.pi / 2 * q.name.startswith("a") for q in eq.q])
    u = np.zeros(len(eq.u))
    assert np.isnan(f.udot(0.0, flat, u, f.p)).any()
    assert np.isfinite(f.udot(0.0, upright, u, f.p)).all()


def cylindrical_loop() -> sb.Model:
    m = sb.Model("cylindrical loop")
    m.gravity(0, -9.81, 0)
    crank, coupler, rocker = (
        redundant.bar(m, n, x, 1.0) for n, x in (("crank", 1.0), ("coupler", 2.0), ("rocker", 1.5))
    )
    m.revolute("qa", m.ground, crank)
    m.spherical("qb", crank, coupler, at=(1, 0, 0))
    m.revolute("qc", m.ground, rocker, at=(2.2, 0, 0))
    m.joint("close", rocker, coupler, "cylindrical", at=(1.5, 0, 0), on=(2, 0, 0))
    return m


@pytest.mark.parametrize(
    "model", [cylindrical_loop, lambda: four_bars.model(3), redundant.cranks, redundant.tilted_loop]
)
def test_right_models_are_certified(model):
    """Random states are regular ones, and their condition number is told."""
    found = sb.certify(sb.derive(model(), redundant=True), 6, routes=["kane"])
    assert found.passed, str(found)
    assert 1 < found.condition < 1e4
    assert f"condition of the constraints at most {found.condition:.1e}" in str(found)


def test_accelerations_that_vanish_are_certified():
    """A rod held straight on its crank, without loads: all that is left of the accelerations is rounding of nothing."""
    m = sb.Model("straight crank")
    crank, rod = (m.body(n, mass=1.0, shape=sb.bar(0.2, "x", at=(0.1, 0, 0))) for n in ("crank", "rod"))
    m.revolute("alpha", m.ground, crank)
    m.revolute("beta", crank, rod, at=(0.2, 0, 0))
    m.coincide("straight", rod.point(0.2, 0, 0), m.ground.point(), axes="y", along=rod)
    found = sb.certify(sb.derive(m), routes=["kane"])
    assert found.passed, str(found)


def test_failure_gives_its_state():
    from dataclasses import replace

    eq = parallelogram()
    wrong = replace(eq, f=eq.f.map(lambda e: e + eq.q[0] / 7))
    found = sb.certify(wrong, 1)
    assert not found.passed
    assert set(found.failed[0].state) == {s.name for s in (*eq.q, *eq.u)}
    assert "at a = " in str(found)


def test_mechanisms_without_freedom_hold():
    """A triangle: all its speeds are what rounding leaves of them, and none is looked at as a motion."""
    m = sb.Model("triangle")
    bars = [m.body(n, mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)) for n in ("left", "right")]
    m.revolute("a", m.ground, bars[0])
    m.revolute("b", bars[0], bars[1], at=(1, 0, 0))
    m.cylindrical("c", m.ground, bars[1], at=(1.5, 0, 0), on=(1, 0, 0))
    eq = sb.derive(m, redundant=True)
    assert eq.degrees_of_freedom == 0
    assert sb.certify(eq).passed
