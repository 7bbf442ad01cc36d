"""`simulate` as a user meets it: starts, times, inputs, values along the way, outcomes, errors."""

from __future__ import annotations

import io
import signal
import threading
import time

import numpy as np
import pytest

import symbody as sb
from symbody.progress import Progress

from .mechanisms import START, double_pendulum, falling, lagging_spring, slider_crank


def test_a_falling_particle():
    sim = sb.simulate(falling(), 2.0, height=5.0, height_dot=3.0)
    np.testing.assert_allclose(sim["height"], 5 + 3 * sim.t - 5 * sim.t**2, atol=1e-12)
    assert sim.outcome
    assert str(sim.outcome) == "reached the end at t = 2"
    assert sim.final["height_dot"] == pytest.approx(-17)


def test_what_was_picked_is_said():
    sim = sb.simulate(double_pendulum(), 1.0, q1=1.0)
    assert "form minimal" in repr(sim)
    assert "method dp8" in repr(sim)
    loop = sb.simulate(slider_crank(), 0.1, START)
    assert "form projection" in repr(loop)
    assert "steps" in repr(loop)


class TestTimes:
    def test_requested_times_are_those_of_dense_output(self):
        eq, times = double_pendulum(), np.linspace(0.0, 3.0, 31)
        whole = sb.simulate(eq, 3.0, q1=1.0, rtol=1e-10)
        some = sb.simulate(eq, times, q1=1.0, rtol=1e-10)
        assert np.array_equal(some.t, times)
        np.testing.assert_allclose(some.y, whole.at(times).y, atol=1e-13)

    @pytest.mark.parametrize("method", ["dp5", "dp8"])
    def test_dense_output_is_as_good_as_the_steps(self, method):
        eq = double_pendulum()
        exact = sb.simulate(eq, np.linspace(0, 3, 101), q1=1.0, rtol=1e-13)
        between = sb.simulate(eq, 3.0, q1=1.0, rtol=1e-9, method=method).at(exact.t)
        assert np.max(np.abs(between.y - exact.y)) < 1e-7

    def test_begin_and_end(self):
        sim = sb.simulate(falling(), (2.0, 3.0), height=1.0)
        assert sim.t[0] == 2.0
        assert sim["height"][-1] == pytest.approx(-4.0)

    def test_backwards(self):
        eq = double_pendulum()
        there = sb.simulate(eq, 5.0, q1=1.0, q2_dot=0.5, rtol=1e-11)
        back = sb.simulate(eq, (5.0, 0.0), there.final, rtol=1e-11)
        assert back.final["q1"] == pytest.approx(1.0, abs=1e-8)
        assert back.final["q2_dot"] == pytest.approx(0.5, abs=1e-8)
        assert np.all(np.diff(back.t) < 0)
        assert back.at(2.5)["q1"] == pytest.approx(there.at(2.5)["q1"], abs=1e-7)

    def test_a_start_brings_its_time(self):
        """An end alone lies after the start: whether one who writes an earlier one wants to go on, to go back or to
        begin anew is for him to say."""
        eq = double_pendulum()
        there = sb.simulate(eq, 5.0, q1=1.0, rtol=1e-10)
        for start in (there, there[-1], sb.State.of(eq, {"t": 5.0})):
            with pytest.raises(
                sb.errors.SimulationError, match=r"start is at t = 5, later than .* t=\(5, 7\) goes on for 2"
            ):
                sb.simulate(eq, 2, start)
            with pytest.raises(sb.errors.SimulationError, match="goes backwards"):
                sb.simulate(eq, 0, start)
        assert sb.simulate(eq, 7, there).t[0] == 5
        assert sb.simulate(eq, (5, 2), there, rtol=1e-10).final["q1"] == pytest.approx(there.at(2)["q1"], abs=1e-7)
        assert sb.simulate(eq, (0, 2), there).t[0] == 0
        assert sb.simulate(eq, -2, q1=1.0).outcome.t == -2  # from the time 0, which nobody gave

    @pytest.mark.parametrize(
        ("t", "message"),
        [
            (0.0, "has no length"),
            ((1.0, 1.0), "has no length"),
            (np.nan, "must be finite"),
            ([0.0, 1.0, 0.5], "increase"),
            ([[0.0, 1.0]], "t is the end"),
        ],
    )
    def test_times_that_make_no_sense(self, t, message):
        with pytest.raises(sb.errors.SimulationError, match=message):
            sb.simulate(falling(), t)

    def test_outside(self):
        sim = sb.simulate(falling(), 1.0)
        with pytest.raises(sb.errors.SimulationError, match="from 0 to 1"):
            sim.at([0.5, 1.5])
        with pytest.raises(sb.errors.SimulationError, match="at some times only"):
            sb.simulate(falling(), [0.0, 0.5, 1.0]).at(0.3)


class TestInputs:
    """The same torque in every way gives the same motion."""

    TIMES = np.linspace(0, 2, 9)

    def run(self, law, **more):
        return sb.simulate(double_pendulum(), self.TIMES, inputs={"tau": law}, rtol=1e-10, **more).y

    def test_all_ways_agree(self):
        t = double_pendulum().t
        ramp = self.run(3 * t)
        np.testing.assert_allclose(self.run(lambda t: 3 * t), ramp, atol=1e-12)
        np.testing.assert_allclose(self.run(lambda t, q, u: 3 * t + 0 * q[0] * u[1]), ramp, atol=1e-12)
        np.testing.assert_allclose(self.run(([0.0, 2.0], [0.0, 6.0])), ramp, atol=1e-11)
        constant = sb.simulate(double_pendulum(), self.TIMES, tau=2.0, rtol=1e-10).y
        np.testing.assert_allclose(self.run(2.0), constant, rtol=0, atol=0)
        np.testing.assert_allclose(self.run(lambda t: 2.0), constant, atol=1e-12)

    def test_feedback(self):
        eq = double_pendulum()
        q1, u1 = eq.q[0], eq.u[0]
        ours = self.run(-5 * q1 - u1, q1=1.0)
        python = self.run(lambda t, q, u: -5 * q[0] - u[0], q1=1.0)
        np.testing.assert_allclose(ours, python, atol=1e-11)

    def test_an_error_of_the_user_is_raised_as_it_is(self):
        def law(t):
            raise ZeroDivisionError("mine")

        with pytest.raises(ZeroDivisionError, match="mine"):
            self.run(law)

    @pytest.mark.parametrize("law", ["strong", lambda: 1.0, lambda a, b: 1.0])
    def test_what_is_no_law(self, law):
        with pytest.raises(sb.errors.SimulationError, match="tau"):
            self.run(law)

    def test_names(self):
        with pytest.raises(sb.errors.SimulationError, match="Did you mean 'tau'"):
            sb.simulate(double_pendulum(), 1.0, inputs={"tua": 1.0})


class TestValues:
    def test_energy_is_kept_and_power_is_its_rate(self):
        eq = double_pendulum()
        assert np.ptp(sb.simulate(eq, 10.0, q1=2.0, rtol=1e-12).energy) < 1e-9
        sim = sb.simulate(eq, 1.0, q1=2.0, inputs={"tau": 2 * eq.t}, c=0.3, rtol=1e-12)
        fine = sim.at(np.linspace(0, 1, 2001))
        fed = np.sum([power for name, power in fine.load_powers.items() if name != "gravity"], axis=0)
        work = float(np.sum((fed[1:] + fed[:-1]) / 2 * np.diff(fine.t)))
        assert sim.energy[-1] - sim.energy[0] == pytest.approx(work, rel=1e-6)
        np.testing.assert_allclose(sim.kinetic_energy + sim.potential_energy, sim.energy)

    def test_outputs_expressions_and_accelerations(self):
        eq = double_pendulum()
        sim = sb.simulate(eq, 1.0, q1=2.0)
        np.testing.assert_allclose(sim["tip_height"], -np.cos(sim["q1"]) - np.cos(sim["q1"] + sim["q2"]), atol=1e-14)
        np.testing.assert_allclose(sim[eq.q[0] * eq.u[1]], sim["q1"] * sim["q2_dot"])
        u = sim.at([0.5 - 1e-4, 0.5, 0.5 + 1e-4])
        assert u["q1_ddot"][1] == pytest.approx((u["q1_dot"][2] - u["q1_dot"][0]) / 2e-4, rel=1e-5)

    def test_reactions_and_multipliers(self):
        sim = sb.simulate(slider_crank(), 0.5, START)
        force, moment = sim.reaction("bearing")
        assert force.shape == (len(sim), 3)
        assert moment.shape == (len(sim), 3)
        assert sim.lam.shape == (len(sim), 2)
        np.testing.assert_allclose(np.linalg.norm(force, axis=1), np.linalg.norm(sim.lam, axis=1), rtol=1e-9)

    def test_constraints_hold(self):
        sim = sb.simulate(slider_crank(), 5.0, START)
        assert sim.violation.position < 1e-12
        assert sim.violation.speed < 1e-12
        drifting = sb.simulate(slider_crank(), 5.0, START, form="explicit", rtol=1e-6)
        assert drifting.violation.position > 1e-9
        assert "position" in repr(drifting.violation)

    def test_additional_equations(self):
        """x''' T + x'' + (k/m) x = 0 has a closed form through the roots of its polynomial."""
        sim = sb.simulate(lagging_spring(), 3.0, x=1.0, F=-4.0, rtol=1e-11)
        roots = np.roots([0.5, 1.0, 0.0, 4.0])
        start = np.array([1.0, 0.0, -4.0])
        weights = np.linalg.solve(np.vander(roots, 3, increasing=True).T, start)
        exact = np.real(np.exp(np.outer(sim.t, roots)) @ weights)
        np.testing.assert_allclose(sim["x"], exact, atol=1e-9)
        assert sim.z.shape == (len(sim), 1)

    def test_unknown(self):
        with pytest.raises(sb.errors.SimulationError, match="Did you mean 'q1'"):
            sb.simulate(double_pendulum(), 0.1)["q11"]

    def test_other_tools(self):
        sim = sb.simulate(double_pendulum(), [0.0, 0.5, 1.0], q1=1.0)
        frame = pytest.importorskip("pandas") and sim.to_pandas(["tip_height"])
        assert list(frame.columns) == ["q1", "q2", "q1_dot", "q2_dot", "tau", "tip_height"]
        assert frame.index.name == "t"
        data = pytest.importorskip("xarray") and sim.to_xarray()
        assert float(data["q1"].sel(t=0.5)) == sim["q1"][1]
        assert data.attrs["g"] == 9.81


class TestFixedStep:
    def test_every_step_is_the_same(self):
        sim = sb.simulate(double_pendulum(), 1.0, q1=1.0, method="rk4", step=0.01)
        np.testing.assert_allclose(np.diff(sim.t), 0.01, rtol=1e-9)
        assert sim.statistics.evaluations <= 4 * 100 + 1
        assert "step 0.01" in repr(sim)

    def test_the_end_is_met(self):
        sim = sb.simulate(double_pendulum(), 1.0, q1=1.0, method="dp5", step=0.03)
        assert sim.t[-1] == 1.0

    def test_rk4_needs_a_step(self):
        with pytest.raises(sb.errors.SimulationError, match="step"):
            sb.simulate(double_pendulum(), 1.0, method="rk4")


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"rtol": 1e-17}, "rounding"),
            ({"rtol": 0.0}, "rounding"),
            ({"step": -1.0}, "positive"),
            ({"atol": -1.0}, "positive"),
            ({"atol": {"q3": 1.0}}, "no variable 'q3'"),
            ({"max_step": 0.0}, "positive"),
            ({"metric": "iron"}, "mass"),
            ({"method": "dp6"}, "Did you mean 'dp"),
            ({"form": "projektion"}, "Did you mean 'projection'"),
            ({"invariants": ["enrgy"]}, "Did you mean 'energy'"),
        ],
    )
    def test_options(self, options, message):
        with pytest.raises(sb.errors.SimulationError, match=message):
            sb.simulate(double_pendulum(), 1.0, **options)

    def test_missing_parameters_are_listed_with_units(self):
        m = sb.Model("nameless")
        m.gravity(0, 0, -m.parameter("g", unit="m/s²"))
        m.prismatic("x", m.ground, m.particle("ball", mass=m.parameter("mass", unit="kg")))
        with pytest.raises(sb.SymbodyError, match=r"g \[m/s²\], mass \[kg\]"):
            sb.simulate(sb.derive(m), 1.0)

    def test_a_start_that_is_no_number(self):
        with pytest.raises(sb.SymbodyError, match="q1 = nan"):
            sb.simulate(double_pendulum(), 1.0, q1=np.nan)
        with pytest.raises(sb.SymbodyError, match="Did you mean 'q2_dot'"):
            sb.simulate(double_pendulum(), 1.0, q2_dott=1.0)

    def test_a_start_off_the_constraints(self):
        eq = slider_crank()
        state = sb.assemble(eq, start=START)
        with pytest.raises(sb.errors.AssemblyError, match=r"cannot hold together.*bearing"):
            sb.simulate(eq, 1.0, values={**dict.fromkeys(("x", "beta"), 0.6)})
        with pytest.raises(sb.errors.AssemblyError, match=r"cannot hold together.*opens by"):
            sb.simulate(eq, 1.0, state, x_dot=0.6, beta_dot=0.6)

    def test_constraints_need_a_form(self):
        with pytest.raises(sb.errors.SimulationError, match="has constraints"):
            sb.simulate(slider_crank(), 1.0, START, form="minimal")


class TestObstacles:
    """What fails in numbers is an outcome; what was found so far is kept."""

    def pole(self):
        """x'' = 2 x³ from x = 1, x' = 1 is 1 / (1 - t): it ends at t = 1."""
        m = sb.Model("pole")
        ball = m.particle("ball", mass=1)
        q = m.prismatic("x", m.ground, ball).q
        m.generalized_force("law", q, 2 * q**3)
        return sb.derive(m)

    def test_a_pole(self):
        sim = sb.simulate(self.pole(), 2.0, x=1.0, x_dot=1.0, max_size=np.inf)
        assert not sim.outcome
        assert sim.outcome.ending in (sb.integrate.Ending.STEP_TOO_SMALL, sb.integrate.Ending.NOT_FINITE)
        assert sim.outcome.t == pytest.approx(1.0, abs=1e-6)
        assert "x_dot" in str(sim.outcome)
        np.testing.assert_allclose(sim.at(0.9)["x"], 10.0, rtol=1e-6)

    def test_not_a_number(self):
        m = sb.Model("root")
        q = m.prismatic("x", m.ground, m.particle("ball", mass=1)).q
        m.generalized_force("law", q, sb.sqrt(1 - q) - 0.5)
        sim = sb.simulate(sb.derive(m), 10.0, x=0.5, x_dot=1.0)
        assert not sim.outcome
        assert sim.t[-1] < 10
        assert np.all(np.isfinite(sim.y))

    def test_infinite_at_once(self):
        sim = sb.simulate(double_pendulum(), 1.0, l1=0.0, m1=0.0)
        assert sim.outcome.ending is sb.integrate.Ending.NOT_FINITE
        assert "the rate of q1_dot" in str(sim.outcome)
        assert len(sim) == 1

    def test_too_many_steps(self):
        sim = sb.simulate(double_pendulum(), 100.0, q1=1.0, max_steps=50)
        assert sim.outcome.ending is sb.integrate.Ending.TOO_MANY_STEPS
        assert sim.statistics.steps == 50
        assert len(sim) == 51

    def test_interruption_keeps_what_exists(self):
        eq = double_pendulum()
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this run with it ignored
        sb.simulate(eq, [0.0, 1e-3], q1=1.0)  # compiles: the signal is to come while machine code runs
        threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT)).start()
        begun = time.perf_counter()
        sim = sb.simulate(eq, np.linspace(0, 1e9, 1_000_001), q1=1.0)
        assert sim.outcome.ending is sb.integrate.Ending.INTERRUPTED
        assert time.perf_counter() - begun < 20
        assert 0 < len(sim) < 1_000_001
        assert sim["q1"][0] == 1.0
        with pytest.raises(KeyboardInterrupt, match="before this one was interrupted"):  # ends a script's loop
            sb.simulate(eq, [0.0, 1e-3], q1=1.0)
        assert sb.simulate(eq, [0.0, 1e-3], q1=1.0).outcome


def test_progress_is_a_line_with_the_time_left():
    text = io.StringIO()
    progress = Progress(True, 0.0, "pendulum", text)
    progress._begun -= 10
    progress._last -= 10
    progress.show(2.5, 10.0)
    assert "25.0 %" in text.getvalue()
    assert "30 s left" in text.getvalue()
    progress.done()
    assert text.getvalue().endswith("\r")


def test_invariants_hold_where_they_would_drift():
    eq = double_pendulum()
    free = sb.simulate(eq, 100.0, q1=2.0, rtol=1e-5)
    kept = sb.simulate(eq, 100.0, q1=2.0, rtol=1e-5, invariants=["energy"])
    assert np.ptp(free.energy) > 1e-3
    assert np.ptp(kept.energy) < 1e-9
    own = sb.simulate(eq, 10.0, q1=2.0, rtol=1e-5, invariants=[sb.energy(eq)])
    assert np.ptp(own.energy) < 1e-9


def test_first_step_is_the_one_that_is_given() -> None:
    """It is tried as it stands, forwards and backwards; by default it is chosen."""
    m = sb.Model("oscillator")
    m.prismatic("x", m.ground, m.particle("p", mass=1.0), stiffness=1.0)
    eq = sb.derive(m)
    for end in (1.0, -1.0):
        for method in ("dp5", "dp8", "radau"):
            sim = sb.simulate(eq, end, x=1.0, first_step=1e-4, method=method)
            assert abs(sim.t[1]) == pytest.approx(1e-4, rel=1e-12)
            assert float(sim["x"][-1]) == pytest.approx(np.cos(1.0), abs=1e-6)
    for wrong in ({"first_step": -1.0}, {"first_step": 0.1, "step": 0.1}, {"first_step": 1e-300, "t": (1, 2)}):
        with pytest.raises(sb.errors.SimulationError, match="first_step"):
            sb.simulate(eq, wrong.pop("t", 1.0), x=1.0, **wrong)


def test_newton_iterations_of_projections_are_counted() -> None:
    """Their sum, their mean for each step, and the most in one step (Tuomela and others, tables 8 to 11)."""
    m = sb.Model("pendulum")
    x, y = m.coordinates("x y")
    m.particle("p", m.ground.point(x, y, 0), mass=1.0)
    m.gravity(0, -9.81, 0)
    m.constrain("rod", x * x + y * y - 1)
    done = sb.simulate(sb.derive(m), 3.0, x=1.0, y=0.0).statistics
    tried = done.steps + done.rejected
    assert done.steps <= done.corrections <= done.most_corrections * tried
    assert 1 <= done.mean_corrections <= done.most_corrections <= 5
    assert "at most" in str(done)
    assert (done + done).most_corrections == done.most_corrections


def test_angles_of_a_start_that_look_like_degrees_are_noted() -> None:
    m = sb.Model("p")
    m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    m.prismatic("x", m.ground, m.body("cart", mass=1.0))
    eq = sb.derive(m)
    (note,) = sb.simulate(eq, 0.1, theta=45).outcome.notes
    assert (
        note == "theta = 45 at the start is in radians, and more than a full turn; were degrees meant? theta='45 deg'"
    )
    assert sb.simulate(eq, 0.1, {"theta": -90.0}).outcome.notes
    for quiet in ({"theta": "45 deg"}, {"theta": "720 deg"}, {"theta": 6.0}, {"theta": 45.123}, {"x": 45}):
        assert not sb.simulate(eq, 0.1, quiet).outcome.notes
