"""Radau IIA: order, stiff systems with published values, linear algebra, events, reuse, and how it ends where it cannot
go on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.emit.loops.kernel_language import Numbers
from symbody.integrate import SimulationOptions, simulate
from symbody.integrate.elimination_kernels.complex_elimination import complex_solve
from symbody.integrate.elimination_kernels.sparse_elimination import Sparse
from symbody.integrate.events.events import Event
from symbody.integrate.events.switching_times import NONE
from symbody.integrate.kernels import march, radau
from symbody.integrate.kernels.march_records import DONE, TINY, TOO_MANY, Counts, Growth, Leaps, Probes, Steps, Watched
from symbody.integrate.result.outcome import Ending
from symbody.integrate.run import stiffness
from symbody.integrate.run.form_and_method import form_of
from symbody.integrate.run.implicit import radau_machine
from symbody.integrate.run.machine import Machine, Memory, Task
from symbody.integrate.run.newton_matrix import SPARSE_INDICES, slopes_program
from symbody.integrate.run.stiffness import fastest_decay, is_stiff
from symbody.integrate.start.state import State

# ---------------------------------------------------------------------------------------------------------- systems


def van_der_pol(mu: float = 1000.0) -> sb.Equations:
    m = sb.Model("van der Pol")
    x, v = m.variables("x v")
    m.equation("position", x.dot - v)
    m.equation("speed", v.dot - (m.parameter("mu", mu) * (1 - x**2) * v - x))
    return sb.derive(m)


def robertson(conserved: bool) -> sb.Equations:
    """Three species; the sum of all is one, as the third equation or as a consequence of it."""
    m = sb.Model("Robertson")
    a, b, c = m.variables("a b c")
    m.equation("first", a.dot + 0.04 * a - 1e4 * b * c)
    m.equation("second", b.dot - 0.04 * a + 1e4 * b * c + 3e7 * b**2)
    m.equation("third", a + b + c - 1 if conserved else c.dot - 3e7 * b**2)
    return sb.derive(m)


def pendulum() -> sb.Equations:
    """Two coupled degrees of freedom, with a damper."""
    m = sb.Model("pendulum")
    a, b = m.coordinates("a b")
    m.gravity(0, -9.81, 0)
    first = m.ground.rotate("z", a).point(0, -1, 0)
    m.particle("first", first, mass=1)
    m.particle("second", m.ground.translate(first).rotate("z", b).point(0, -1, 0), mass=2)
    m.generalized_force("damper", b, -0.3 * (b.dot - a.dot))
    m.generalized_force("reaction", a, 0.3 * (b.dot - a.dot))
    return sb.derive(m)


START = {"a": 0.8, "b": -0.4}


# --------------------------------------------------------------------------------------------------------- coefficients


def test_coefficients_are_those_of_collocation() -> None:
    """T diag(γ̂; α̂ ± iβ̂) T⁻¹ A = 1, with A integrating all polynomials of degree 2 exactly; γ̂ as in (IV.8.9)."""
    basis, inverse = np.array(radau.TO_STAGES).reshape(3, 3), np.array(radau.FROM_STAGES).reshape(3, 3)
    g, a, b = radau.GAMMA, radau.ALPHA, radau.BETA
    A = np.linalg.inv(basis @ np.array([[g, 0, 0], [0, a, -b], [0, b, a]]) @ inverse)
    c = np.array(radau.C)
    for k in range(3):
        assert A @ c**k == pytest.approx(c ** (k + 1) / (k + 1), abs=1e-14)
    assert A[-1] == pytest.approx([(16 - 6**0.5) / 36, (16 + 6**0.5) / 36, 1 / 9], abs=1e-14)
    assert 1 / g == pytest.approx((6 + 81 ** (1 / 3) - 9 ** (1 / 3)) / 30, rel=1e-14)


@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_complex_elimination(n: int) -> None:
    random = np.random.default_rng(n)
    jac, mass, h = random.normal(size=(n, n)), np.where(random.random(n) < 0.3, 0.0, 1.0), 0.1
    jac[random.random((n, n)) < 0.5] = 0.0
    jac += np.diag(np.where(mass == 0, 3.0, 0.0))
    b = random.normal(size=n) + 1j * random.normal(size=n)
    re, im = np.zeros(n * n), np.zeros(n * n)
    p: Any = np.zeros(n, dtype=np.int64)
    radau.complex_matrix(n, h, mass, jac.ravel(), re, im, p)
    x, y = b.real.copy(), b.imag.copy()
    complex_solve(n, re, im, p, x, y)
    A = (radau.ALPHA + 1j * radau.BETA) / h * np.diag(mass) - jac
    assert x + 1j * y == pytest.approx(np.linalg.solve(A, b), rel=1e-10)


# ---------------------------------------------------------------------------------------------------------- order


def slope(sizes: list[float], errors: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


def test_order_of_steps_and_of_what_lies_between() -> None:
    """Fixed steps: the ends converge with order 5, the polynomial between them with order 4 (it is of degree 3)."""
    eq, end = pendulum(), 1.0
    best = simulate(eq, end, START, rtol=1e-13)
    steps, ends, dense = [1 / 64, 1 / 128, 1 / 256], [], []
    for h in steps:
        sim = simulate(eq, end, START, method="radau", step=h)
        assert sim.outcome
        ends.append(np.max(np.abs(sim.y[-1] - best.y[-1])))
        between = sim.t[:-1] + 0.7 * h
        dense.append(np.max(np.abs(sim.at(between).y - best.at(between).y)))
    assert slope(steps, ends) == pytest.approx(5, abs=0.15)
    assert slope(steps, dense) == pytest.approx(4, abs=0.15)
    assert ends[-1] < 1e-9


def test_errors_follow_the_tolerance() -> None:
    eq = pendulum()
    best = simulate(eq, 3, START, rtol=1e-13)
    errors = [
        np.max(np.abs(simulate(eq, 3, START, method="radau", rtol=r).y[-1] - best.y[-1])) for r in (1e-5, 1e-8, 1e-11)
    ]
    assert errors[0] < 1e-3
    assert errors[1] < 1e-6
    assert errors[2] < 1e-9


def test_back_again() -> None:
    eq = pendulum()
    there = simulate(eq, 2, START, method="radau", rtol=1e-11)
    back = simulate(eq, (2, 0), there.final, method="radau", rtol=1e-11)
    assert back.y[-1] == pytest.approx(there.y[0], abs=1e-7)
    assert back.at([1.0]).y == pytest.approx(there.at([1.0]).y, abs=1e-6)


def test_states_at_requested_times() -> None:
    eq = pendulum()
    times = np.linspace(0, 2, 11)
    asked, whole = (simulate(eq, t, START, method="radau") for t in (times, 2.0))
    assert asked.y == pytest.approx(whole.at(times).y, abs=1e-12)


# -------------------------------------------------------------------------------------------------------- stiff systems


def test_van_der_pol_against_the_published_value() -> None:
    """μ = 1000 over one period: reference of the Test Set for IVP Solvers (vdpol, in unscaled time)."""
    sim = simulate(van_der_pol(), 2000, x=2, rtol=1e-9, atol=1e-12, method="radau")
    assert sim.y[-1] == pytest.approx([1.706167732170483, -0.8928097010247975e-3], rel=2e-7)
    s = sim.statistics
    assert s.steps < 2000
    assert s.jacobians < s.factorizations < s.steps + s.rejected


@pytest.mark.parametrize("conserved", [False, True], ids=["differential", "algebraic"])
def test_robertson_against_the_published_values(conserved: bool) -> None:
    """At t = 40 (Hindmarsh's example) and t = 1e11 (Test Set for IVP Solvers, rober)."""
    eq = robertson(conserved)
    sim = simulate(eq, [0, 40, 1e11], a=1, c=0, method="radau", rtol=1e-9, atol={"a": 1e-12, "b": 1e-18, "c": 1e-12})
    assert sim.outcome
    assert sim.y[1] == pytest.approx([0.7158270687193941, 0.9185534764557338e-5, 0.2841637457458413], rel=1e-7)
    assert sim.y[2] == pytest.approx([0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050], rel=1e-6)


def test_method_is_chosen_by_stiffness() -> None:
    stiff, smooth = simulate(van_der_pol(), 2000, x=2), simulate(pendulum(), 5, START)
    assert "radau" in stiff.choices["method"]
    assert "dp8" in smooth.choices["method"]


def test_jumps_are_not_taken_for_stiffness() -> None:
    m = sb.Model("dry friction")
    x = m.coordinate("x")
    m.particle("block", m.ground.translate(x, 0, 0).origin, mass=1)
    m.generalized_force("friction", x, -5 * sb.sign(x.dot) - x)
    eq = sb.derive(m)
    form = form_of(eq, SimulationOptions(form="minimal"))
    fast, staying = fastest_decay(form, 0.0, np.array([1.0, 0.0]), np.zeros(0))
    assert fast == pytest.approx(0, abs=1e-3)
    assert staying == pytest.approx(1, rel=1e-3)


def test_stiffness_of_many_variables_comes_from_a_krylov_space(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heat in a rod: λ = -4 k sin²(j π / (2 n + 2)), so that the fastest decay is nearly 4 k."""
    n, k = 60, 250.0
    x = sb.symbols([f"x{j}" for j in range(n)], kind="variable")
    ends = [0, *x, 0]
    eq = sb.from_equations({v: k * (ends[j] - 2 * v + ends[j + 2]) for j, v in enumerate(x)})
    form = form_of(eq, SimulationOptions(form="minimal"))
    y = np.linspace(0, 1, n)
    monkeypatch.setattr(stiffness, "MOST_DENSE", 10)
    monkeypatch.setattr(stiffness, "_slopes", None)
    fast, staying = fastest_decay(form, 0.0, y, np.zeros(0))
    assert fast == pytest.approx(4 * k * np.sin(n * np.pi / (2 * n + 2)) ** 2, rel=0.01)
    assert staying < 1e-3
    assert is_stiff(form, 0.0, y, np.zeros(0), 1e6)
    assert not is_stiff(form, 0.0, y, np.zeros(0), 1.0)


def test_outcome_says_that_it_looks_stiff() -> None:
    sim = simulate(van_der_pol(), 2000, x=2, method="dp5", max_steps=2000)
    assert sim.outcome.ending is Ending.TOO_MANY_STEPS
    assert "stiff" in sim.outcome.detail
    assert "radau" in sim.outcome.detail
    plain = simulate(pendulum(), 100, START, method="dp5", max_steps=50)
    assert plain.outcome.ending is Ending.TOO_MANY_STEPS
    assert "stiff" not in plain.outcome.detail


# ---------------------------------------------------------------------------------------------------------- at work


def test_slopes_are_exact() -> None:
    """∂F/∂y of the compiled program against complex steps of the graph."""
    eq = pendulum()
    form = form_of(eq, SimulationOptions(form="minimal"))
    f, places = slopes_program(form)
    y = np.array([0.3, -0.7, 1.1, 0.4])
    found = np.zeros((4, 4))
    found[tuple(np.array(places).T)] = f(0.0, y, np.zeros(len(form.parameters)))
    for j in range(4):
        at = dict(zip(form.y, y + 1e-30j * np.eye(4)[j], strict=True))
        exact = [complex(sb.evaluate(e, at)).imag / 1e-30 for e in form.rates]
        assert found[:, j] == pytest.approx(exact, abs=1e-13)


def test_linear_systems_need_one_jacobian() -> None:
    m = sb.Model("linear")
    a, b = m.variables("a b")
    m.equation("first", a.dot - (-1000 * a + 999 * b))
    m.equation("second", b.dot + b)
    sim = simulate(sb.derive(m), 5, a=2, b=1, method="radau")
    assert sim.y[-1] == pytest.approx([np.exp(-5)] * 2, rel=1e-6)
    assert sim.statistics.jacobians <= 2
    assert sim.statistics.factorizations < sim.statistics.steps


def machine_for(eq: sb.Equations, end: float, times: np.ndarray | None = None, **start: float) -> Machine:
    state, form = State.of(eq, start), form_of(eq, SimulationOptions(form="minimal"))
    y, p = form.start(0.0, np.concatenate([state.q, state.u, state.z]), state.p)
    return radau_machine(Task(form, p, y, 0.0, end, 1e-6, np.full(form.n, 1e-6), times=times))


def test_pauses_change_nothing() -> None:
    whole, pieces = (machine_for(van_der_pol(), 1000.0, np.array([0.0, 1000.0]), x=2.0) for _ in range(2))
    assert whole.run(10**6) == DONE
    while pieces.run(3) == TOO_MANY:
        pass
    assert np.array_equal(whole.y, pieces.y)
    for name in ("steps", "rejected", "evaluations", "jacobians", "factorizations"):
        assert getattr(whole.counts, name) == getattr(pieces.counts, name)


def no_sparse() -> Sparse:
    none = np.zeros(1, dtype=int)
    return Sparse(**dict.fromkeys(SPARSE_INDICES, none), largest=np.zeros(1), x=np.zeros(1), y=np.zeros(1))


def test_kernels_run_as_plain_python() -> None:
    """The same steps without compiling: van der Pol, μ = 10, as far as rounding lets the two be the same."""
    end, n, rtol = 1.0, 2, 0.1 * 1e-6 ** (2 / 3)
    compiled = machine_for(van_der_pol(10.0), end, np.array([0.0, end]), x=2.0)
    compiled.run(10**6)

    def rhs(given: tuple[float, Numbers], out: tuple[Numbers]) -> None:
        _, y = given
        out[0][0], out[0][1] = y[1], 10 * (1 - y[0] ** 2) * y[1] - y[0]

    def slopes(given: tuple[float, Numbers], out: tuple[Numbers]) -> None:
        _, y = given
        out[0][:4] = [0.0, 1.0, -20 * y[0] * y[1] - 1, 10 * (1 - y[0] ** 2)]

    goal = {"goal": min(0.03, rtol**0.5), "rounding": TINY / rtol}
    sizes = {
        name: np.zeros(k * n)
        for name, k in {"k": 1, "jac": n, "a": n, "re": n, "im": n, "z": 3, "w": 3, "f": 3, "scale": 1}.items()
    }
    method = radau.Radau(
        **radau.KERNELS, **goal, **sizes, filled=4, places=np.arange(4), entries=np.zeros(4), mass=np.ones(n), index=np.ones(n, dtype=int),
        rows=np.array([0, 0, 1, 1]), columns=np.array([0, 1, 0, 1]), v=np.ones(n), sparse=no_sparse(), p=np.zeros(n, dtype=int), pc=np.zeros(n, dtype=int), slopes=slopes,
    )  # fmt: skip
    none, memory = np.zeros(0), Memory(n, radau.PIECES, np.array([0.0, end]))
    watched = Watched(
        values=none, earlier=none, later=none, inner=none, side=none, least=none, sense=np.zeros(0, dtype=int)
    )
    steps = Steps(
        n=n, is_adaptive=1, is_new=1, t_end=end, rtol=rtol, max_step=np.inf, max_growth=10.0, atol=np.full(n, rtol), y=np.array([2.0, 0.0]),
        y_end=np.zeros(n), r=np.zeros(radau.PIECES * n), w=np.zeros(n), note=none, counts=Counts(limit=10**6), results=memory.results,
        watched=watched, growth=Growth(per_size=none), leaps=Leaps(speeds=none), rhs=rhs,
        switching=NONE.record(none), probes=Probes(change=none, fine=none),
    )  # fmt: skip
    assert march.march(method, steps) == DONE
    assert steps.y == pytest.approx(compiled.y, rel=1e-12)
    here, there = steps.counts, compiled.counts
    assert (here.steps, here.rejected, here.evaluations) == (there.steps, there.rejected, there.evaluations)
    assert memory.points == pytest.approx(compiled.memory.points, rel=1e-12)


@pytest.mark.parametrize("method", ["radau", "dp8"])
def test_events_are_found_to_rounding(method: str) -> None:
    """A ball that bounces: times and heights are known."""
    m = sb.Model("ball")
    h = m.coordinate("h")
    m.gravity(0, -9.81, 0)
    m.particle("ball", m.ground.translate(0, h, 0).origin, mass=1)
    sim = simulate(
        sb.derive(m), 2, h=1, events=[Event("floor", h, "falling", reset={h.dot: -0.8 * h.dot})], method=method
    )
    first = np.sqrt(2 / 9.81)
    assert [e.t for e in sim.events] == pytest.approx([first, first * 2.6, first * 3.88], abs=1e-13)


def test_the_state_at_an_event_is_on_it() -> None:
    """Coarse steps: the root is that of a step to it, not of the polynomial, which misses it by 1e-4."""
    eq = pendulum()
    a, b = eq.q
    when = sb.sin(a) + b**2 - 0.3
    sim = simulate(eq, 3, START, method="radau", rtol=1e-4, events=[Event("pass", when)])
    assert len(sim.events) >= 2
    for e in sim.events:
        assert np.sin(e.before[0]) + e.before[1] ** 2 == pytest.approx(0.3, abs=1e-13)


def test_event_in_a_stiff_motion() -> None:
    """x = 1 of van der Pol at the end of its slow phase; the explicit method agrees."""
    eq = van_der_pol(100.0)
    (x, _) = eq.z
    found = [
        simulate(eq, 200, x=2, method=method, rtol=1e-11, events=[Event("low", x - 1.2, "falling", terminal=True)])
        .events[0]
        .t
        for method in ("radau", "dp8")
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-7)


# ------------------------------------------------------------------------------------------------ where it cannot go on


def one_variable(expression: str) -> sb.Equations:
    m = sb.Model("one")
    z = m.variable("z")
    rate = {"pole": z**2, "root": 2 + sb.sqrt(1 - z)}[expression]
    m.equation("law", z.dot - rate)
    return sb.derive(m)


def test_poles_end_with_the_time() -> None:
    sim = simulate(one_variable("pole"), 2, z=1, method="radau")
    assert not sim.outcome
    assert sim.outcome.t == pytest.approx(1, abs=1e-6)
    assert len(sim) > 10


@pytest.mark.parametrize("step", [None, 0.01])
def test_undefined_rates_end_with_the_time(step: float | None) -> None:
    """z' = 2 + √(1 - z) is not defined beyond z = 1, reached at t = 2 (1 - 2 ln(3/2))."""
    sim = simulate(one_variable("root"), 2, z=0, method="radau", step=step)
    assert sim.outcome.ending in (Ending.NOT_FINITE, Ending.NOT_CONVERGED)
    assert sim.outcome.t == pytest.approx(2 * (1 - 2 * np.log(1.5)), abs=step or 1e-6)


def test_a_fold_ends_without_convergence() -> None:
    """0 = w² + t - 1 has no solution after t = 1."""
    m = sb.Model("fold")
    z, w = m.variables("z w")
    m.equation("clock", z.dot - 1)
    m.equation("root", w**2 + z - 1)
    sim = simulate(sb.derive(m), 2, w=1)
    assert sim.outcome.ending is Ending.NOT_CONVERGED
    assert sim.outcome.t == pytest.approx(1, abs=1e-6)
    assert sim["w"] == pytest.approx(np.sqrt(np.maximum(1 - sim.t, 0)), abs=1e-4)
