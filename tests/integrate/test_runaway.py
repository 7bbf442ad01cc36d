"""Runs that blow up end with an outcome, and results stay within the memory that they are allowed."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.integrate import Ending


def cart(name: str = "cart") -> sb.Equations:
    """A mass of 2 on a line, pushed by an input."""
    m = sb.Model(name)
    x, force = m.coordinate("x"), m.input("force")
    m.particle("cart", m.ground.point(x, 0, 0), mass=2)
    m.generalized_force("push", x, force)
    return sb.derive(m)


@pytest.fixture(scope="module")
def eq() -> sb.Equations:
    return cart()


@pytest.mark.parametrize("method", ["dp5", "dp8", "radau", "rk4"])
def test_feedback_of_the_wrong_sign_is_an_outcome(eq: sb.Equations, method: str) -> None:
    """x'' = 16 x from x = -1: x = -cosh 4t passes 1e8 at t = 4.78, and x' does a quarter of ln 4 earlier."""
    step = 0.01 if method == "rk4" else None
    sim = sb.simulate(eq, 10, x=-1, inputs={"force": 32 * eq.q[0]}, method=method, step=step)
    assert sim.outcome.ending is Ending.UNBOUNDED
    assert not sim.outcome
    assert 4.3 < sim.outcome.t < 5.3
    assert sim.t[-1] == sim.outcome.t
    assert np.allclose(sim["x"], -np.cosh(4 * sim.t), rtol=1e-3)  # what was computed is there
    assert "x_dot = -" in str(sim.outcome)
    assert "'push' feeds it most" in str(sim.outcome)


def test_growth_is_not_ended_where_it_is_asked_for_or_is_none(eq: sb.Equations) -> None:
    feedback = {"force": 32 * eq.q[0]}
    assert sb.simulate(eq, 10, x=-1, inputs=feedback, max_size=np.inf).outcome
    assert sb.simulate(eq, 10, x=-1, inputs=feedback, max_size=1e30).outcome
    assert sb.simulate(eq, 6, x=1e-9, inputs=feedback).outcome  # from far below one
    assert sb.simulate(eq, 2, x=-1e9, inputs=feedback).outcome  # speeds from zero to 1e13, by the size of the start


@pytest.mark.parametrize("method", ["dp5", "dp8", "radau"])
@pytest.mark.parametrize("power", [0, 1, 3, 6])
def test_powers_of_time_are_no_growth_without_bound(eq: sb.Equations, method: str, power: int) -> None:
    """x'' = tⁿ grows to 1e12 and more: a free flight, a fall, a drive."""
    end = 10.0 ** (1 + 18 / (2 + power))
    sim = sb.simulate(eq, end, x_dot=1e3, inputs={"force": 2 * eq.t**power}, method=method)
    assert sim.outcome
    assert sim["x"][-1] > 1e12


def test_a_pole_in_time_is_found_too() -> None:
    """z' = z² from 1: z = 1 / (1 - t)."""
    m = sb.Model("pole")
    z = m.variable("z")
    m.equation("pole", z.dot - z**2)
    sim = sb.simulate(sb.derive(m), 2, z=1)
    assert sim.outcome.ending is Ending.UNBOUNDED
    assert abs(sim.outcome.t - 1) < 1e-6


def test_variations_may_grow() -> None:
    """Sensitivities of an inverted pendulum grow without being a fault of the motion."""
    m = sb.Model("inverted")
    p = m.parameters(k=100.0)
    x = m.coordinate("x")
    m.particle("a", m.ground.point(x, 0, 0), mass=1)
    m.generalized_force("away", x, p.k * x)
    sim = sb.simulate(sb.derive(m), 2.5, x=0.0, sensitivities=["x"])
    assert sim.outcome
    assert np.isclose(sim.sensitivity("x", "x")[-1], np.cosh(25.0), rtol=1e-5)


# ---------------------------------------------------------------------------------------------------------- memory


@pytest.mark.parametrize("method", ["dp5", "dp8", "radau"])
def test_results_are_thinned_out(eq: sb.Equations, method: str) -> None:
    """Of 6e4 bytes for results, half of them while they are put together: states that are kept are those of the whole run, and the outcome says that others are
    not."""
    spring = {"force": -2 * eq.q[0]}
    whole = sb.simulate(eq, 1000, x=1, inputs=spring, method=method)
    few = sb.simulate(eq, 1000, x=1, inputs=spring, method=method, max_memory=6e4)
    assert few.outcome
    assert len(few) < len(whole)
    assert whole.outcome.notes == ()
    assert sum(s.bytes for s in few.segments) <= 6e4 / 2
    assert not few.is_dense
    assert "max_memory = 60000" in str(few.outcome)
    assert (few.t[0], few.t[-1]) == (0.0, 1000.0)
    rows = np.searchsorted(whole.t, few.t)
    assert np.array_equal(whole.t[rows], few.t)
    assert np.array_equal(whole.y[rows], few.y)
    with pytest.raises(sb.errors.SimulationError, match="at some times only"):
        few.at([0.5])


def test_events_count_as_results(eq: sb.Equations) -> None:
    """Jumps cannot be thinned out: a run of ever more of them ends."""
    bounce = sb.Event("wall", eq.q[0] - 1, "rising", reset={eq.u[0]: -eq.u[0]})
    back = sb.Event("other wall", eq.q[0] + 1, "falling", reset={eq.u[0]: -eq.u[0]})
    sim = sb.simulate(eq, 1e9, x_dot=1, events=[bounce, back], max_memory=1e5)
    assert sim.outcome.ending is Ending.TOO_MUCH_MEMORY
    assert 20 < len(sim.events) < 100


def test_a_note_is_saved(eq: sb.Equations, tmp_path) -> None:
    sim = sb.simulate(eq, 1000, x=1, inputs={"force": -2 * eq.q[0]}, max_memory=3e4)
    sim.save(tmp_path / "run.npz")
    again = sb.write.load_trajectory(tmp_path / "run.npz", eq, inputs={"force": -2 * eq.q[0]})
    assert again.outcome == sim.outcome
    assert again.outcome.notes
