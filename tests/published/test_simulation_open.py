"""Runs of Lynch's and Lennartsson's systems through `simulate`: pendulum, satellite, arm, shaken pendulum, sleigh,
bicycle."""

import math

import numpy as np
import pytest

import symbody as sb
from examples import bicycle, foucault_pendulum, satellite, sleigh, stanford_arm, triple_pendulum
from symbody.integrate.forms.null_space import FACTORS

from .numbers import published


@pytest.mark.parametrize(("case", "damping"), [("undamped", 0.0), ("damped", 5.0)])
@pytest.mark.parametrize("method", ["dp5", "dp8"])
def test_triple_pendulum(case, damping, method):
    """Lynch 5.1: positions and speeds at t = 0.5, 1, 2, 5; energy constant, or falling."""
    rows = np.array(published("lynch_triple_sim")[case])
    start = dict(zip(("q1", "q2", "q3"), rows[0, 1:4], strict=True)) | {f"c{k}": damping for k in (1, 2, 3)}
    equations = sb.derive(triple_pendulum.model())
    sim = sb.simulate(equations, rows[:, 0], start, method=method, rtol=1e-12)
    assert sim.y == pytest.approx(rows[:, 1:], abs=1e-8)
    if damping:
        assert np.all(np.diff(sim.energy) < 0)
    else:
        assert sim.energy == pytest.approx(published("lynch_triple_sim")["E0"], rel=1e-10)


def test_satellite_keeps_its_angular_momentum():
    """Lynch 5.3, tumbling, over 100 s: angular momentum, momentum and energy to 1e-9."""
    equations = sb.derive(satellite.model())
    row = published("lynch_satellite")["asymmetric"][0]
    start = dict(satellite.START) | {f"base_w{a}": w for a, w in zip("xyz", row["omega_local"], strict=True)}
    start |= {"theta2_dot": row["thetad"][0], "theta3_dot": row["thetad"][1]}
    sim = sb.simulate(equations, 100.0, start, rtol=1e-12)
    H, P = sim.values([sb.angular_momentum(equations), sb.momentum(equations)])
    H, P = H.reshape(len(sim), 3), P.reshape(len(sim), 3)
    assert np.abs(H - row["H"]).max() < 1e-9
    assert np.abs(P - row["P"]).max() < 1e-9
    assert np.abs(sim.energy - row["T"]).max() < 1e-9
    assert sim.violation.position < 1e-12  # norm of the Euler parameters


@pytest.mark.parametrize(("given", "end"), [("accelerations", 10.0), ("all", 3.0)])
def test_stanford_arm_follows_its_own_torques(given, end):
    """Lynch 5.2: the torques that inverse dynamics finds for his motion make that motion.

    With accelerations given, and positions and speeds fed back, for all of the ten seconds. With everything given as a
    function of time deviations grow 200 times in each second, since a boom that tilts slides, and one that slides tilts:
    after three seconds rounding has come to 1e-10.
    """
    equations = sb.derive(stanford_arm.model())
    t, T = equations.t, 10.0
    first = np.array([0, math.pi / 2, 0, 0, 0, 0])
    last = np.array([math.pi / 3, math.pi / 3, 0.1, math.pi / 3, math.pi / 3, math.pi / 3])
    cycloid = t / T - sb.sin(2 * sb.pi * t / T) / (2 * sb.pi)
    q = [a + (b - a) * cycloid for a, b in zip(first, last, strict=True)]
    u = [sb.time_derivative(e, {}) for e in q]
    motion = {s.dot: sb.time_derivative(e, {}) for s, e in zip(equations.u, u, strict=True)}
    if given == "all":
        motion |= dict(zip((*equations.q, *equations.u), (*q, *u), strict=True))
    torques = {tau: sb.substitute(e, motion) for tau, e in sb.inverse_dynamics(equations).inputs.items()}
    sim = sb.simulate(equations, end, dict(zip(equations.q, first, strict=True)), inputs=torques, rtol=1e-12)
    part = sim.t / T - np.sin(2 * np.pi * sim.t / T) / (2 * np.pi)
    assert sim.outcome
    assert np.abs(sim.q - (first + np.outer(part, last - first))).max() < 1e-6


def test_shaken_pendulum_stands_up():
    """Lennartsson 6.7.5: positions at t = 1 to 4, and at last it stands: q1 = π, q2 = 0."""
    equations = sb.derive(foucault_pendulum.model())
    value = published("foucault_pendulum_sim")
    sim = sb.simulate(equations, [0, 1, 2, 3, 4, 60], {"q1": 0.5, "q2": 0.8}, rtol=1e-11)
    for time, row in zip("1234", sim.y[1:5], strict=True):
        assert [*row[2:], *row[:2]] == pytest.approx(value[time], abs=1e-6)
    assert sim.y[-1, :2] == pytest.approx([math.pi, 0], abs=1e-3)


@pytest.mark.parametrize("form", ["projection", "baumgarte", "explicit", *FACTORS])
def test_sleigh_and_the_power_of_the_turntable(form):
    """Lennartsson 4.4, nonholonomic: states, and what the runner's force on the moving table has fed in."""
    equations = sb.derive(sleigh.model())
    value = published("sleigh_acc")
    sim = sb.simulate(equations, [0, 1, 2, 5, 10], sleigh.START, form=form, rtol=1e-12)
    for time, row, energy in zip((1, 2, 5, 10), sim.y[1:], sim.energy[1:], strict=True):
        *expected, work = value[f"t{time}"]
        assert row[:5] == pytest.approx(expected, abs=2e-6)
        assert energy - sim.energy[0] == pytest.approx(work, abs=2e-6)


def test_balance_of_work_of_the_sleigh_is_an_invariant():
    equations = sb.derive(sleigh.model())
    sim = sb.simulate(equations, [0, 1, 2, 5, 10], sleigh.START, invariants=["energy"], rtol=1e-7)
    expected = [published("sleigh_acc")[f"t{time}"][-1] for time in (1, 2, 5, 10)]
    assert sim.energy[1:] - sim.energy[0] == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("form", ["projection", "qr"])
def test_bicycle_comes_upright(form):
    """Lennartsson, figure 7.3: lean 0.1, steer 0.2 into the lean, at 5 m/s; after 10 s nearly upright at 4.983 m/s."""
    equations = sb.derive(bicycle.model())
    R = 0.354
    state = sb.assemble(equations, q1=0.1, q2=0.2, q1_dot=0.0, q2_dot=0.0, q4_dot=-5 / R)
    sim = sb.simulate(equations, 10.0, state, form=form, rtol=1e-10)
    assert -R * sim.final["q4_dot"] == pytest.approx(4.98276, abs=1e-5)
    assert [sim.final["q1"], sim.final["q2"]] == pytest.approx([0.01194, 0.00509], abs=1e-5)
    assert np.abs(sim.energy - sim.energy[0]).max() < 1e-6
    assert sim.violation.speed < 1e-12
