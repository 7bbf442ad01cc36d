"""Derivatives of second and third order of a motion, against differences of those one order below, closed forms and the
exported functions."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.integrate.forms.variation_orders import column_indices, order_of
from symbody.integrate.run.form_and_method import form_of
from symbody.simulation_options import SimulationOptions
from symbody.write.artefacts.algorithms import variational2

from .mechanisms import START, double_pendulum, slider_crank

STEP = 1e-4


def test_columns():
    assert column_indices(2, 2) == [(0,), (1,), (0, 0), (0, 1), (1, 1)]
    for count in range(1, 5):
        for order in range(1, 4):
            assert order_of(len(column_indices(count, order)), count) == order


def test_closed_form():
    """x' = -k x²: x = x0 / (1 + k t x0), all derivatives to the third order."""
    x, k = sb.symbols("x k")
    eq = sb.from_equations({x: -k * x**2}, {k: 2.0})
    sim = sb.simulate(eq, [0.0, 0.3, 0.7], x=1.5, rtol=1e-12, sensitivities=["x", "k"], sensitivity_order=3)
    s, a, t = sb.symbols("s a t")
    exact = s / (1 + a * t * s)
    for n in (1, 2, 3):
        for names in combinations_with_replacement(("x", "k"), n):
            slope = exact
            for name in names:
                slope = sb.derivative(slope, {"x": s, "k": a}[name])
            values = [sb.evaluate(slope, {s: 1.5, a: 2.0, t: float(v)}) for v in sim.t]
            assert sim.sensitivity("x", *names) == pytest.approx(values, rel=1e-9, abs=1e-10)
            assert sim.sensitivity("x", *reversed(names)) == pytest.approx(values, rel=1e-9, abs=1e-10)
    assert sim.variations.shape == (3, 1, 2)


def _differences(run, names, what, value):
    """∂/∂(last of names) of derivatives with respect to the others."""
    *first, last = names
    after, before = (run({last: value + sign * STEP}, max(1, len(first))) for sign in (1, -1))
    return (after.sensitivity(what, *first)[-1] - before.sensitivity(what, *first)[-1]) / (2 * STEP)


PAIRS = [("q1", "q1"), ("q1", "l1"), ("l1", "tau"), ("q1", "q1", "l1"), ("l1", "l1", "l1")]


@pytest.mark.parametrize("names", PAIRS)
def test_without_constraints(names):
    given, own = {"q1": 0.6, "q2_dot": 0.1, "tau": 0.3}, ["q1", "l1", "tau"]
    eq = double_pendulum()

    def run(changed, order):
        return sb.simulate(eq, 1.5, {**given, **changed}, rtol=1e-12, sensitivities=own, sensitivity_order=order)

    sim = run({}, len(names))
    value = {**given, "l1": 1.0}[names[-1]]
    for what in ("q1", "q2_dot", sb.energy(eq)):
        assert sim.sensitivity(what, *names)[-1] == pytest.approx(
            _differences(run, names, what, value), rel=1e-5, abs=1e-5
        )


@pytest.mark.parametrize("names", [("beta", "beta"), ("beta", "l"), ("beta_dot", "l"), ("l", "l"), ("beta", "l", "l")])
def test_on_constraints(names):
    """One choice of what is independent for all names; others follow, through `assemble`."""
    eq = slider_crank()
    start = sb.assemble(eq, start=START)

    def run(changed, order):
        given = {n: start[n] for n in ("beta", "beta_dot", "l")} | changed
        state = sb.assemble(eq, given, start=start)
        return sb.simulate(
            eq, 0.5, state, rtol=1e-12, sensitivities=["beta", "beta_dot", "l"], sensitivity_order=max(order, 2)
        )

    sim = run({}, len(names))
    for what in ("x", "alpha", "beta_dot"):
        expected = _differences(run, names, what, start[names[-1]])
        assert sim.sensitivity(what, *names)[-1] == pytest.approx(expected, rel=2e-5, abs=2e-5)
    for row in eq.rows.positions:
        assert np.abs(sim.sensitivity(row.expression, *names)).max() < 1e-6


def test_through_an_impact():
    """A ball let fall from h that keeps e of its speed: after the impact at T = sqrt(2 h / g),
    y = e g T (t - T) - g (t - T)²/2."""
    m = sb.Model("ball")
    e = m.parameter("e", 0.8)
    y = m.prismatic("y", m.ground, m.particle("ball", mass=1.0), "y").q
    m.gravity(0, -m.parameter("g", 9.81), 0)
    eq = sb.derive(m)
    bounce = sb.Event("bounce", y, direction=-1, reset={y.dot: -e * y.dot})
    sim = sb.simulate(eq, 0.7, y=1.0, rtol=1e-12, events=[bounce], sensitivities=["y", "e", "g"], sensitivity_order=3)
    h, r, g, t = sb.symbols("h r g t")
    T = sb.sqrt(2 * h / g)
    exact = r * g * T * (t - T) - g * (t - T) ** 2 / 2
    at, by = {h: 1.0, r: 0.8, g: 9.81, t: 0.7}, {"y": h, "e": r, "g": g}
    for n in (1, 2, 3):
        for names in combinations_with_replacement(by, n):
            slope = exact
            for name in names:
                slope = sb.derivative(slope, by[name])
            assert sim.sensitivity("y", *names)[-1] == pytest.approx(sb.evaluate(slope, at), rel=1e-7, abs=1e-8)


def test_exported_functions_have_the_same_rates():
    """The loop that exports print as `variational2`, columns of the whole state, at random numbers."""
    eq = double_pendulum()
    names = tuple(s.name for s in eq.state)
    form = form_of(eq, SimulationOptions(form="projection", sensitivities=names, sensitivity_order=2))
    n, f, rng = len(names), sb.first_order(eq), np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=n + n * n), np.zeros(n**3)])
    psi = X[n + n * n :].reshape(n, n, n)
    for j, k in combinations_with_replacement(range(n), 2):
        psi[j, k] = psi[k, j] = rng.normal(size=n)
    pairs = list(combinations_with_replacement(range(n), 2))
    y = np.concatenate([X[: n + n * n], *(psi[j, k] for j, k in pairs)])
    at = eq.values(otherwise=0.3) | dict(zip(form.y, y, strict=True))
    rates = np.array(sb.evaluate(list(form.rates), at), dtype=float)

    def rhs_and_jacobian(given, out):
        out[0][:n], out[1][:] = (np.ravel(sb.evaluate(e, at)) for e in (f.rates, f.jacobian))

    def second(given, out):
        v, w = (sb.symbols(" ".join(f"{x}{k}" for k in range(n))) for x in "vw")
        numbers = at | dict(zip((*v, *w), (*given[1][:n], *given[2][:n]), strict=True))
        once = sb.jacobian(list(f.rates.entries), f.x) @ sb.matrix([[x] for x in v])
        out[0][:] = np.ravel(sb.evaluate(sb.jacobian(list(once.entries), f.x) @ sb.matrix([[x] for x in w]), numbers))

    Xdot, dense = np.zeros_like(X), [*range(0, n * n + 1, n), *(list(range(n)) * n)]
    variational2(n, X, Xdot, np.zeros(n * n), np.zeros(n), dense, rhs_and_jacobian, second)
    assert rates[: n + n * n] == pytest.approx(Xdot[: n + n * n], rel=1e-12)
    exported = Xdot[n + n * n :].reshape(n, n, n)
    for place, (j, k) in enumerate(pairs, start=n + 1):
        assert rates[n * place : n * place + n] == pytest.approx(exported[j, k], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda eq: sb.simulate(eq, 1, q1=0.6, sensitivities=["l1"], sensitivity_order=4), "orders 1, 2 and 3"),
        (
            lambda eq: sb.simulate(eq, 1, q1=0.6, sensitivities=["l1"]).sensitivity("q1", "l1", "l1"),
            "orders 1 to 1, and 2 names",
        ),
        (lambda eq: sb.simulate(eq, 1, q1=0.6, sensitivities=["l1"]).sensitivity("q1"), "and 0 names"),
        (
            lambda eq: sb.simulate(eq, 1, q1=0.6, sensitivities=["l1"]).sensitivity("q1", "l1", "m1"),
            "no sensitivity to 'm1'",
        ),
        (lambda eq: sb.simulate(eq, 1, q1=0.6).sensitivity("q1", "l1"), "sensitivities=..l1... computes it"),
    ],
)
def test_refusals(ask, says):
    with pytest.raises(sb.errors.SimulationError, match=says):
        ask(double_pendulum())


def test_nearest_starts_have_first_derivatives_only():
    with pytest.raises(sb.errors.SimulationError, match="held='nearest' is for derivatives of first order"):
        sb.simulate(slider_crank(), 0.1, START, sensitivities=["beta"], held="nearest", sensitivity_order=2)


def test_nearest_changes_nothing_without_constraints():
    given: dict[str, Any] = {"q1": 0.6, "sensitivities": ["q1", "l1"], "sensitivity_order": 2}
    one, other = (sb.simulate(double_pendulum(), 0.5, held=held, **given) for held in ((), "nearest"))
    assert one.sensitivity("q1", "l1", "l1") == pytest.approx(other.sensitivity("q1", "l1", "l1"))


def test_files_keep_all_orders(tmp_path):
    x, k = sb.symbols("x k")
    eq = sb.from_equations({x: -k * x**2}, {k: 2.0})
    sim = sb.simulate(eq, 1, x=1.0, sensitivities=["k"], sensitivity_order=2)
    back = sb.write.load_trajectory(sim.save(tmp_path / "sim.npz"), eq)
    assert (back.sensitivity("x", "k", "k") == sim.sensitivity("x", "k", "k")).all()
    assert sim.at([0.5]).sensitivity("x", "k", "k") == pytest.approx(2 * 0.25 / 2**3, rel=1e-6)
