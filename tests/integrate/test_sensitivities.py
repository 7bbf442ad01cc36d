"""Sensitivities against differences of simulations, without and with constraints and events."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb

from .mechanisms import START, double_pendulum, lagging_spring, slider_crank

STEP = 1e-6


def _difference(run, name, value):
    a, b = (run(**{name: value + sign * STEP}) for sign in (1, -1))
    return {k: (a.final[k] - b.final[k]) / (2 * STEP) for k in a.final}


@pytest.mark.parametrize(("name", "value"), [("q1", 0.6), ("q2_dot", 0.1), ("l1", 1.0), ("m2", 1.0), ("tau", 0.3)])
def test_without_constraints(name, value):
    given = {"q1": 0.6, "q2_dot": 0.1, "tau": 0.3}

    def run(**changed):
        return sb.simulate(double_pendulum(), 3.0, {**given, **changed}, rtol=1e-12)

    expected = _difference(run, name, value)
    sim = sb.simulate(double_pendulum(), 3.0, given, rtol=1e-12, sensitivities=[name])
    for k, slope in expected.items():
        assert sim.sensitivity(k, name)[-1] == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_additional_variables():
    given = {"x": 1.0, "F": -1.0}

    def run(**changed):
        return sb.simulate(lagging_spring(), 3.0, {**given, **changed}, rtol=1e-12)

    sim = sb.simulate(lagging_spring(), 3.0, given, rtol=1e-12, sensitivities=["F", "T"])
    for name, value in (("F", -1.0), ("T", 0.5)):
        for k, slope in _difference(run, name, value).items():
            assert sim.sensitivity(k, name)[-1] == pytest.approx(slope, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(
    ("name", "value"), [("beta", START["beta"]), ("l", 0.5), ("beta_dot", START["beta_dot"]), ("m_rod", 2.0)]
)
def test_on_constraints(name, value):
    """The start is brought back to the constraints after a change, in the metric of M: that is what is
    differentiated."""
    eq = slider_crank()

    def run(**changed):
        given = {**START, **changed}
        for _ in range(4):
            given = _projected(eq, given)
        return sb.simulate(eq, 1.0, given, rtol=1e-12)

    expected = _difference(run, name, value)
    sim = sb.simulate(eq, 1.0, START, rtol=1e-12, sensitivities=[name], held="nearest")
    for k, slope in expected.items():
        assert sim.sensitivity(k, name)[-1] == pytest.approx(slope, rel=2e-6, abs=1e-6)
    assert np.max(np.abs(_violated(sim, eq, name))) < 1e-9


VARIED = [
    ("beta", ()),
    ("l", ()),
    ("beta_dot", ()),
    ("m_rod", ()),
    ("l", ("beta",)),
    ("l", ("x",)),
    ("beta_dot", ("x",)),
]


@pytest.mark.parametrize(("name", "held"), VARIED)
def test_others_follow_what_is_held(name, held):
    """Against differences through `assemble`, with the value that is varied and those that are held given, and the
    others following."""
    eq = slider_crank()
    start = sb.assemble(eq, start=START)
    sim = sb.simulate(eq, 1.0, start, rtol=1e-12, sensitivities=[name], held=held)
    independent = held[0] if held else eq.q[0].name  # the first that can be, as in `linearize`
    kept = {independent, f"{independent}_dot"} - {name}
    if name in ("beta", "beta_dot"):  # it takes the place of the other one of its kind, and its rate with it
        kept = {"beta_dot"} if name == "beta" else {independent}

    def run(**changed):
        given = {n: start[n] for n in kept} | changed
        return sb.simulate(eq, 1.0, sb.assemble(eq, given, start=start), rtol=1e-12)

    value = start[name]
    after, before = (run(**{name: value + sign * STEP}) for sign in (1, -1))
    assert sim.variations[0, :, 0] == pytest.approx((after.y[0] - before.y[0]) / (2 * STEP), rel=1e-6, abs=1e-7)
    for k, slope in _difference(run, name, value).items():
        assert sim.sensitivity(k, name)[-1] == pytest.approx(slope, rel=2e-6, abs=1e-6)


def test_what_is_varied_changes_by_one():
    """With y = 2 x, x_dot changes by one and y_dot by two; what the constraints determine beside what is held is
    refused."""
    m = sb.Model("tied")
    x, y = m.coordinates("x y")
    m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    m.constrain("tie", y - 2 * x)
    eq = sb.derive(m)
    sim = sb.simulate(eq, 1.0, x_dot=1.0, y_dot=2.0, sensitivities=["x_dot", "y"])
    assert sim.sensitivity("x_dot", "x_dot")[0] == pytest.approx(1.0)
    assert sim.sensitivity("y_dot", "x_dot")[0] == pytest.approx(2.0)
    assert sim.sensitivity("x", "y")[0] == pytest.approx(0.5)
    nearest = sb.simulate(eq, 1.0, x_dot=1.0, y_dot=2.0, sensitivities=["x_dot"], held="nearest")
    assert nearest.sensitivity("x_dot", "x_dot")[0] == pytest.approx(0.2)
    with pytest.raises(sb.errors.SimulationError, match="the constraints determine"):
        sb.simulate(eq, 1.0, x_dot=1.0, y_dot=2.0, sensitivities=["x"], held=["y"])


def _projected(eq, given):
    """One Newton step to phi = 0 and then to Jc u + b = 0, by plain linear algebra: independent of the package's
    own."""
    names = [s.name for s in (*eq.q, *eq.u)]

    def numbers(given):
        values = eq.values(given)
        M, J, b, phi = (np.array(sb.evaluate(x, values), dtype=float) for x in (eq.M, eq.Jc, eq.b, eq.phi))
        return M, J, b.reshape(-1), phi.reshape(-1)

    n = len(eq.q)
    x = np.array([given[k] for k in names])
    M, J, b, phi = numbers(given)
    push = np.linalg.solve(M, J.T)
    x[:n] -= push @ np.linalg.solve(J @ push, phi)
    M, J, b, phi = numbers({**given, **dict(zip(names, x, strict=True))})
    push = np.linalg.solve(M, J.T)
    x[n:] -= push @ np.linalg.solve(J @ push, J @ x[n:] + b)
    return {**given, **dict(zip(names, x, strict=True))}


def _violated(sim, eq, name):
    """d phi / d x along the motion: varied motions keep the constraints."""
    return np.stack([sim.sensitivity(e, name) for e in eq.phi.entries])


def test_sensitivity_of_any_expression_at_any_time():
    eq = double_pendulum()
    sim = sb.simulate(eq, 2.0, q1=1.0, sensitivities=["g"], rtol=1e-10).at([0.5, 1.5])
    a, b = (sb.simulate(eq, 2.0, q1=1.0, g=9.81 + s, rtol=1e-12).at([0.5, 1.5])["tip_height"] for s in (1e-5, -1e-5))
    np.testing.assert_allclose(sim.sensitivity("tip_height", "g"), (a - b) / 2e-5, rtol=1e-6)
    energy = sim.sensitivity(sb.energy(eq), "g")
    np.testing.assert_allclose(energy, -2 * np.cos(1.0) - np.cos(1.0) + 0 * energy, rtol=1e-6)


def test_names():
    with pytest.raises(sb.errors.SimulationError, match="'q7'"):
        sb.simulate(double_pendulum(), 1.0, sensitivities=["q7"])
    with pytest.raises(sb.errors.SimulationError, match="sensitivity to 'g'"):
        sb.simulate(double_pendulum(), 1.0, sensitivities=["q1"]).sensitivity("q1", "g")


# ------------------------------------------------------------------------------------------------ jumps of rates


def test_the_time_of_a_jump_of_rates_counts():
    """A force that begins at T: x = (t - T)², so that ∂x/∂T = -2 (t - T), with or without an event there."""
    m = sb.Model("step")
    T, x = m.parameter("T", 0.5), m.coordinate("x")
    m.particle("p", m.ground.translate(x, 0, 0).origin, mass=1.0)
    m.generalized_force("f", x, sb.where(m.time > T, 2.0, 0.0))
    eq = sb.derive(m)
    for events in ((), [sb.Event("on", m.time - T)]):
        sim = sb.simulate(eq, [0, 1.0], x=0.0, sensitivities=["T"], events=events, rtol=1e-10)
        assert sim.sensitivity("x", "T")[-1] == pytest.approx(-1.0, abs=1e-6)
        assert len(sim.events) == len(events)


def test_borders_in_the_state_against_differences():
    """A relay and dry friction: conditions that the motion passes at times that depend on everything."""
    m = sb.Model("relay")
    c, k, x = m.parameter("c", 0.3), m.parameter("k", 2.0), m.coordinate("x")
    m.particle("p", m.ground.translate(x, 0, 0).origin, mass=1.0)
    m.generalized_force("f", x, sb.where(x < c, 3.0, -k) - 0.5 * sb.sign(x.dot))
    eq = sb.derive(m)
    at: dict[str, Any] = {"c": 0.3, "k": 2.0, "x": 0.0, "x_dot": 1.0}
    sim = sb.simulate(eq, [0, 0.8], **at, sensitivities=list(at), rtol=1e-11)
    for name, value in at.items():
        ends = [sb.simulate(eq, [0, 0.8], **{**at, name: value + h}, rtol=1e-11).y[-1] for h in (1e-5, -1e-5)]
        found = [sim.sensitivity(q, name)[-1] for q in ("x", "x_dot")]
        assert found == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-4, abs=1e-4)
