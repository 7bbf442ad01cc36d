"""Variational integrators: order, energy over long times, momenta, the way back, constraints, loads."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from examples import four_bar_spatial, sleigh, slider_crank, tuomela_pendulum
from symbody.integrate.events.events import Event
from symbody.integrate.result.outcome import Ending
from symbody.integrate.run.simulate import simulate
from symbody.integrate.run.variational import COMPOSITIONS


def pendulum() -> sb.Model:
    """Two masses, absolute angles."""
    m = sb.Model("double pendulum")
    a, b = m.coordinates("a b")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    first = m.ground.rotate("z", a).point(0, -1, 0)
    m.particle("first", first, mass=1)
    m.particle("second", m.ground.translate(first).rotate("z", b).point(0, -1, 0), mass=1)
    return m


START = {"a": 1.0, "b": 0.5}


@pytest.fixture(scope="module")
def double() -> sb.Equations:
    return sb.derive(pendulum())


@pytest.fixture(scope="module")
def loop() -> tuple[sb.Equations, sb.State]:
    """A spatial four-bar whose ball joint closes the loop, from a large angle."""
    eq = sb.derive(four_bar_spatial.model())
    return eq, sb.assemble(eq, q1=1.0, span=0.9, start={"q2": 1.0, "q3": -1.0})


def slope(sizes: list[float], errors: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


# ---------------------------------------------------------------------------------------------------------- order


@pytest.mark.parametrize("order", COMPOSITIONS)
def test_order(double: sb.Equations, order: int) -> None:
    best = simulate(double, 2, START, rtol=1e-13).y[-1]
    steps = {2: [1 / 100, 1 / 200, 1 / 400], 4: [1 / 25, 1 / 50, 1 / 100], 6: [1 / 25, 1 / 50, 1 / 100]}[order]
    errors = [
        np.max(np.abs(simulate(double, 2, START, method="variational", step=h, order=order).y[-1] - best))
        for h in steps
    ]
    assert slope(steps, errors) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("order", COMPOSITIONS)
def test_order_with_constraints(loop: tuple[sb.Equations, sb.State], order: int) -> None:
    eq, start = loop
    best = simulate(eq, 1, start, rtol=1e-13).y[-1]
    steps = [1 / 20, 1 / 40, 1 / 80]
    sims = [simulate(eq, 1, start, method="variational", step=h, order=order) for h in steps]
    assert slope(steps, [np.max(np.abs(s.y[-1] - best)) for s in sims]) == pytest.approx(order, abs=0.3)
    assert max(s.violation.position for s in sims) < 1e-13
    assert max(s.violation.speed for s in sims) < 1e-13


def test_symmetric_compositions_are_consistent() -> None:
    """Σ γᵢ = 1, Σ γᵢ³ = 0 (order 4), Σ γᵢ⁵ = 0 (order 6), each read the same from both ends."""
    for order, shares in COMPOSITIONS.items():
        assert shares == pytest.approx(shares[::-1], abs=1e-15)
        for k in range(1, order, 2):
            assert sum(s**k for s in shares) == pytest.approx(1.0 if k == 1 else 0.0, abs=1e-14)


def test_loads_and_drives_act_at_the_midpoint() -> None:
    """With a damper, a force that depends on time, and a base that moves as a function of time: still of order 2."""
    m = sb.Model("driven")
    a, b = m.coordinates("a b")
    m.gravity(0, -9.81, 0)
    base = m.ground.translate(0.3 * sb.sin(2 * m.time), 0, 0)
    first = base.rotate("z", a).point(0, -1, 0)
    m.particle("first", first, mass=1)
    m.particle("second", m.ground.translate(first).rotate("z", b).point(0, -1, 0), mass=1)
    m.generalized_force("damper", a, -0.5 * a.dot)
    m.generalized_force("motor", b, sb.cos(3 * m.time))
    eq = sb.derive(m)
    best = simulate(eq, 2, START, rtol=1e-13).y[-1]
    steps = [1 / 100, 1 / 200, 1 / 400]
    errors = [np.max(np.abs(simulate(eq, 2, START, method="variational", step=h).y[-1] - best)) for h in steps]
    assert slope(steps, errors) == pytest.approx(2, abs=0.1)


# ---------------------------------------------------------------------------------------------------------- long runs


def growth(times: np.ndarray, energy: np.ndarray) -> tuple[float, float]:
    """The largest error of the energy in the first and in the last tenth of a run."""
    error, n = np.abs(energy - energy[0]), len(times) // 10
    return float(error[:n].max()), float(error[-n:].max())


def test_energy_over_many_steps(double: sb.Equations) -> None:
    """A hundred thousand steps: the error stays where it is; that of the classical method grows with time."""
    times = np.linspace(0, 2000, 20001)
    kept = growth(times, simulate(double, times, START, method="variational", step=0.02).energy)
    assert kept[1] < 1.1 * kept[0]
    lost = growth(times, simulate(double, times, START, method="rk4", step=0.02).energy)
    assert lost[1] > 5 * lost[0]


def test_energy_of_a_loop_over_many_steps(loop: tuple[sb.Equations, sb.State]) -> None:
    eq, start = loop
    times = np.linspace(0, 1000, 5001)
    sim = simulate(eq, times, start, method="variational", step=0.01)
    first, last = growth(times, sim.energy)
    assert last < 1.1 * first
    assert first < 5e-3 * np.ptp(sim.potential_energy)
    assert sim.violation.position < 1e-12
    assert sim.violation.speed < 1e-12


@pytest.mark.parametrize("order", COMPOSITIONS)
def test_momenta_are_kept(order: int) -> None:
    """Without weight the whole double pendulum may be turned: its angular momentum stays to rounding, whatever the
    step."""
    eq = sb.derive(pendulum())
    sim = simulate(
        eq,
        100,
        {"a": 1.0, "b": 0.2, "a_dot": 1.5, "b_dot": -0.3, "g": 0.0},
        method="variational",
        step=0.05,
        order=order,
    )
    momentum = sim[sb.angular_momentum(eq).in_ground[2]]
    assert np.ptp(momentum) < 2e-12
    assert np.ptp(sim.energy) > 1e-9


@pytest.mark.parametrize("order", COMPOSITIONS)
def test_the_way_back(double: sb.Equations, order: int) -> None:
    """The map is symmetric: a thousand coarse steps there and back, to rounding of a motion that amplifies it."""
    there = simulate(double, 10, START, method="variational", step=0.01, order=order)
    back = simulate(double, (10, 0), there.final, method="variational", step=0.01, order=order)
    assert back.y[-1] == pytest.approx(there.y[0], abs=1e-11)


def test_the_way_back_around_a_loop(loop: tuple[sb.Equations, sb.State]) -> None:
    eq, start = loop
    there = simulate(eq, 10, start, method="variational", step=0.05)
    back = simulate(eq, (10, 0), {**start.values, **there.final, "t": 10.0}, method="variational", step=0.05)
    assert back.y[-1] == pytest.approx(there.y[0], abs=1e-11)


def test_the_map_is_symplectic(double: sb.Equations) -> None:
    """Dᵀ J D = J for D the derivative of one large step in (q, p), by differences."""

    def momenta(y: np.ndarray, back: bool = False) -> np.ndarray:
        c = np.cos(y[0] - y[1])
        M = np.array([[2, c], [c, 1]])
        return np.concatenate([y[:2], np.linalg.solve(M, y[2:]) if back else M @ y[2:]])

    def step(x: np.ndarray) -> np.ndarray:
        y = dict(zip(("a", "b", "a_dot", "b_dot"), momenta(x, back=True), strict=True))
        return momenta(simulate(double, 0.2, y, method="variational", step=0.2).y[-1])

    x = momenta(np.array([1.0, 0.5, 0.7, -1.2]))
    D = np.array([(step(x + d) - step(x - d)) / 2e-5 for d in 1e-5 * np.eye(4)]).T
    J = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    assert D.T @ J @ D == pytest.approx(J, abs=1e-8)
    assert np.max(np.abs(D - np.eye(4))) > 0.1


# ---------------------------------------------------------------------------------------------------------- at work


def test_events_are_found_to_rounding() -> None:
    m = sb.Model("ball")
    h = m.coordinate("h")
    m.gravity(0, -9.81, 0)
    m.particle("ball", m.ground.translate(0, h, 0).origin, mass=1)
    events = [Event("floor", h, "falling", reset={h.dot: -0.8 * h.dot})]
    sim = simulate(sb.derive(m), 2, h=1, events=events, method="variational", step=0.05, order=4)
    first = np.sqrt(2 / 9.81)
    assert [e.t for e in sim.events] == pytest.approx([first, first * 2.6, first * 3.88], abs=1e-13)


def test_the_state_at_an_event_is_on_it(loop: tuple[sb.Equations, sb.State]) -> None:
    """Coarse steps: the root is that of a step to it, on the constraints, not of the polynomial between steps."""
    eq, start = loop
    when = sb.sin(eq.q[0]) - 0.2
    sim = simulate(eq, 3, start, method="variational", step=0.1, events=[Event("pass", when)])
    assert len(sim.events) >= 2
    for e in sim.events:
        assert np.sin(e.before[0]) == pytest.approx(0.2, abs=1e-13)
    assert sim.violation.position < 1e-13


def test_between_steps(double: sb.Equations) -> None:
    """Cubic polynomials between the ends of steps."""
    best = simulate(double, 2, START, rtol=1e-12)
    sim = simulate(double, 2, START, method="variational", step=0.01, order=6)
    times = np.linspace(0, 2, 333)
    assert sim.at(times).y == pytest.approx(best.at(times).y, abs=5e-6)


def test_it_ends_where_it_does_not_converge(double: sb.Equations) -> None:
    m = sb.Model("wall")
    x = m.coordinate("x")
    m.particle("block", m.ground.translate(x, 0, 0).origin, mass=1)
    m.generalized_force("wall", x, 1 / sb.sqrt(1 - x))
    sim = simulate(sb.derive(m), 5, x=0, method="variational", step=0.05)
    assert sim.outcome.ending in (Ending.NOT_CONVERGED, Ending.NOT_FINITE)
    assert 0.5 < sim.outcome.t < 1.5
    assert np.all(np.isfinite(sim.y))


@pytest.mark.parametrize(
    ("model", "start", "message"),
    [
        (tuomela_pendulum.model, tuomela_pendulum.START, "speeds must be the rates"),
        (sleigh.model, sleigh.START, "constraints on speeds alone"),
    ],
)
def test_what_has_no_discrete_action_is_refused(model, start, message: str) -> None:
    with pytest.raises(sb.SymbodyError, match=message):
        simulate(sb.derive(model()), 1, start, method="variational", step=0.01)


def test_wrong_options_are_refused(double: sb.Equations) -> None:
    with pytest.raises(sb.SymbodyError, match="fixed step"):
        simulate(double, 1, START, method="variational")
    with pytest.raises(sb.SymbodyError, match="order= must be one of 2, 4, 6, got 3"):
        simulate(double, 1, START, method="variational", step=0.1, order=3)
    with pytest.raises(sb.SymbodyError, match="order= is for method='variational'"):
        simulate(double, 1, START, order=4)
    with pytest.raises(sb.SymbodyError, match="go together"):
        simulate(double, 1, START, method="variational", form="minimal", step=0.1)
    small = sb.minimal(sb.derive(slider_crank.model()))
    with pytest.raises(sb.SymbodyError, match="before `minimal`"):
        simulate(
            small, 1, {k: v for k, v in slider_crank.START.items() if "dot" not in k}, method="variational", step=0.1
        )
