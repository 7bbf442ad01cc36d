"""Forms with algebraic equations: constraints on all levels, and additional equations of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symbody as sb
from examples import motorcycle, sleigh, slider_crank, spatial_crank
from symbody.integrate import SimulationOptions, simulate
from symbody.integrate.run.form_and_method import form_of
from symbody.integrate.run.implicit import ImplicitForm
from symbody.integrate.run.newton_matrix import slopes_program

FORMS = ("implicit", "ggl")


@pytest.fixture(scope="module")
def crank() -> sb.Equations:
    return sb.derive(slider_crank.model())


@pytest.fixture(scope="module")
def runner() -> sb.Equations:
    return sb.derive(sleigh.model())


# ---------------------------------------------------------------------------------------------------------- constraints


@pytest.mark.parametrize("form", ["explicit", "baumgarte", "projection", "orthogonal", *FORMS])
def test_slider_crank_as_by_projection(crank: sb.Equations, form: str) -> None:
    """Every form that has rates or residuals, with the implicit method, against explicit steps with projection."""
    best = simulate(crank, 2, slider_crank.START, rtol=1e-13)
    sim = simulate(crank, 2, slider_crank.START, form=form, method="radau", rtol=1e-11)
    assert sim.outcome
    assert sim.y[-1] == pytest.approx(best.y[-1], abs=2e-8)
    assert sim.lam[-1] == pytest.approx(best.lam[-1], abs=1e-6)


def test_what_is_kept_on_the_constraints(crank: sb.Equations) -> None:
    """Index 1 drifts with the tolerance; ggl stays where Newton's method leaves it, on positions and on speeds."""
    drift, kept = (
        simulate(crank, 20, slider_crank.START, form=form, method="radau", rtol=1e-6).violation for form in FORMS
    )
    assert 1e-7 < drift.position < 1e-2
    assert kept.position < drift.position / 100
    assert kept.speed < 1e-5


@pytest.mark.parametrize("form", FORMS)
def test_unknowns_start_consistent(crank: sb.Equations, form: str) -> None:
    """u' and multipliers at the start are those of the equations, and the equations hold."""
    made = form_of(crank, SimulationOptions(form=form))
    state = sb.State.of(crank, slider_crank.START)
    y, p = made.start(0.0, np.concatenate([state.q, state.u]), state.p)
    sim = simulate(crank, 0.1, slider_crank.START)
    known = dict(zip((s.name for s in made.y), y, strict=True))
    for u in crank.u:
        assert known[u.dot.name] == pytest.approx(sim[u.dot.name][0], rel=1e-10)
    for s, value in zip(crank.lam, sim.lam[0], strict=True):
        assert known[s.name] == pytest.approx(value, rel=1e-10)
    residual = made.rhs_program(0.0, y, p)
    assert residual[np.array(made.algebraic)] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_slopes_of_residuals_are_exact(crank: sb.Equations, form: str) -> None:
    made = form_of(crank, SimulationOptions(form=form))
    f, places = slopes_program(made)
    random = np.random.default_rng(3)
    y, n = random.uniform(-1, 1, made.n), made.n
    p = np.array([crank.mechanism.values[s] for s in crank.p])
    found = np.zeros((n, n))
    found[tuple(np.array(places).T)] = f(0.0, y, p)
    numbers = dict(zip(made.parameters, p, strict=True)) | {crank.t: 0.0}
    for j in range(n):
        at = numbers | dict(zip(made.y, y + 1e-30j * np.eye(n)[j], strict=True))
        exact = [complex(sb.evaluate(e, at)).imag / 1e-30 for e in made.rates]
        assert found[:, j] == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("form", ["projection", *FORMS])
def test_nonholonomic_constraint(runner: sb.Equations, form: str) -> None:
    best = simulate(runner, 3, sleigh.START, rtol=1e-12)
    sim = simulate(runner, 3, sleigh.START, form=form, method="radau", rtol=1e-10)
    assert sim.y[-1] == pytest.approx(best.y[-1], abs=1e-6)
    assert sim.violation.speed < 1e-8


@pytest.mark.parametrize("form", FORMS)
def test_back_in_time(runner: sb.Equations, form: str) -> None:
    there = simulate(runner, 1, sleigh.START, form=form, rtol=1e-11)
    back = simulate(runner, (1, 0), there.final, form=form, rtol=1e-11)
    assert back.y[-1] == pytest.approx(there.y[0], abs=1e-6)


def test_coordinates_without_mass() -> None:
    """The motorcycle's front wheel has angles that nothing has inertia along: M is singular without the constraints."""
    eq = sb.derive(motorcycle.model(), check=False)
    spin = -20 / 0.3048
    start = sb.assemble(eq, start={"x_dot": 20, "theta1_dot": spin, "theta4_dot": spin, "phi": 0.02, "phi4": 0.02})
    best = simulate(eq, 0.5, start, rtol=1e-11)
    for form in FORMS:
        assert simulate(eq, 0.5, start, form=form, rtol=1e-9).y[-1] == pytest.approx(best.y[-1], abs=1e-5)


def test_euler_parameters_stay_of_length_one() -> None:
    """A spatial loop of free bodies: 17 constraints and 3 norms, all kept by ggl."""
    eq = sb.derive(spatial_crank.model(), check=False)
    start = sb.assemble(eq, start=spatial_crank.START)
    best = simulate(eq, 0.3, start, rtol=1e-10)
    sim = simulate(eq, 0.3, start, form="ggl", rtol=1e-8)
    assert sim.y[-1] == pytest.approx(best.y[-1], abs=1e-6)
    assert sim.violation.position < 1e-8
    assert sim.violation.speed < 1e-7


# ------------------------------------------------------------------------------------------------- additional equations


def test_all_kinds_of_additional_equations() -> None:
    """z' given nonlinearly, linearly, and not at all, against an explicit integration with roots found beside it."""
    m = sb.Model("mixed")
    a, b, c = m.variables("a b c")
    m.equation("cubic", a.dot**3 + a.dot - b)
    m.equation("linear", b.dot + a * c)
    m.equation("algebraic", c - sb.exp(-c) - a)
    sim = simulate(sb.derive(m), 3, a=1, b=0.3, rtol=1e-10)

    def newton(f, slope, x):
        for _ in range(50):
            x -= f(x) / slope(x)
        return x

    def rates(t, y):
        w = newton(lambda w: w**3 + w - y[1], lambda w: 3 * w**2 + 1, 0.0)
        c = newton(lambda c: c - np.exp(-c) - y[0], lambda c: 1 + np.exp(-c), 0.0)
        return [w, -y[0] * c]

    best = solve_ivp(rates, (0, 3), [1, 0.3], "DOP853", rtol=1e-12, atol=1e-12)
    assert "radau" in sim.choices["method"]
    assert sim.y[-1, :2] == pytest.approx(best.y[:, -1], abs=1e-8)
    c = sim["c"]
    assert c - np.exp(-c) == pytest.approx(sim["a"], abs=1e-8)


@pytest.mark.parametrize("form", ["minimal", *FORMS])
def test_a_load_from_an_algebraic_variable(form: str) -> None:
    """The force F of a nonlinear spring solves F + F³ = -10 x - x'; it is found at the start, and along the motion."""
    m = sb.Model("spring")
    x, F = m.coordinate("x"), m.variable("F")
    m.particle("block", m.ground.translate(x, 0, 0).origin, mass=2)
    m.generalized_force("pull", x, F)
    m.equation("law", F + F**3 + 10 * x + x.dot)
    sim = simulate(sb.derive(m), 2, x=1, form=form, rtol=1e-10)

    def rates(t, y):
        roots = np.roots([1, 0, 1, 10 * y[0] + y[1]])
        return [y[1], roots[np.argmin(np.abs(roots.imag))].real / 2]

    best = solve_ivp(rates, (0, 2), [1, 0], "DOP853", rtol=1e-12, atol=1e-12)
    assert sim["F"][0] == pytest.approx(-2)
    assert sim.y[-1, :2] == pytest.approx(best.y[:, -1], abs=1e-8)


def test_several_solutions_are_told_apart_by_the_start() -> None:
    """0 = w² - 1 - z, z' = z: w is either root, as it starts."""
    m = sb.Model("two roots")
    z, w = m.variables("z w")
    m.equation("growth", z.dot - z)
    m.equation("root", w**2 - 1 - z)
    eq = sb.derive(m)
    for sign in (1, -1):
        sim = simulate(eq, 1, z=1, w=2.0 * sign)
        assert sim["w"] == pytest.approx(sign * np.sqrt(1 + np.exp(sim.t)), abs=1e-7)


def additional(**laws) -> sb.Equations:
    m = sb.Model("wrong")
    z, w = m.variables("z w")
    for name, law in laws.items():
        m.equation(name, law(z, w, m.time))
    return sb.derive(m)


def test_starts_that_do_not_exist_are_refused() -> None:
    none = additional(clock=lambda z, w, t: z.dot - 1, impossible=lambda z, w, t: sb.exp(w) + 1)
    with pytest.raises(sb.SymbodyError, match=r"'impossible' is off by 1 at w = -"):
        simulate(none, 1)
    high = additional(first=lambda z, w, t: z.dot - w, second=lambda z, w, t: z - sb.sin(t))
    with pytest.raises(sb.SymbodyError, match=r"no solution for w, z_dot from 'second'.*index"):
        simulate(high, 1)


def test_methods_and_forms_that_do_not_fit_are_refused(crank: sb.Equations) -> None:
    algebraic = additional(clock=lambda z, w, t: z.dot - 1, root=lambda z, w, t: w - z)
    with pytest.raises(sb.SymbodyError, match=r"algebraic equations.*'radau'"):
        simulate(algebraic, 1, method="dp8")
    with pytest.raises(sb.SymbodyError, match=r"algebraic equations.*'radau'"):
        simulate(crank, 1, slider_crank.START, form="ggl", method="dp5")
    with pytest.raises(sb.SymbodyError, match="needs rates as expressions"):
        simulate(crank, 1, slider_crank.START, form="qr", method="radau")
    with pytest.raises(sb.SymbodyError, match="sensitivities"):
        simulate(crank, 1, slider_crank.START, form="ggl", sensitivities=["r"])


def test_energy_kept_by_projection_with_the_implicit_method(crank: sb.Equations) -> None:
    sim = simulate(crank, 5, slider_crank.START, method="radau", rtol=1e-5, invariants=["energy"])
    assert np.ptp(sim.energy) < 1e-10
    assert sim.violation.position < 1e-12


def test_index_of_every_variable(crank: sb.Equations) -> None:
    forms = {name: form_of(crank, SimulationOptions(form=name)) for name in FORMS}
    assert all(isinstance(f, ImplicitForm) for f in forms.values())
    assert set(forms["implicit"].index) == {1}
    assert forms["ggl"].index == (*[1] * 6, *[2] * 7)
