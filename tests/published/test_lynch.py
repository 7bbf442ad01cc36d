"""Lynch's thesis: triple pendulum, Stanford arm, satellite. Linear results are in
test_linear_lynch.py, his printed inputs in test_lynch_input.py."""

import math

import numpy as np
import pytest

import symbody as sb
from examples import satellite, stanford_arm, triple_pendulum
from symbody.derivation.equations import energies
from symbody.derivation.programs.inverse_dynamics import inverse_dynamics

from .numbers import at, kinetic_energy, potential_energy, published, state_of, trajectory

# ------------------------------------------------------------------------------------------------ triple pendulum


@pytest.fixture(scope="module")
def pendulum() -> sb.Equations:
    return sb.derive(triple_pendulum.model())


def test_triple_pendulum_at_a_state(pendulum):
    value = published("lynch_triple_nonlin")
    state = state_of(pendulum, value["test_q"], value["test_u"])
    assert at(pendulum, pendulum.M, state) == pytest.approx(np.array(value["test_M"]), abs=1e-12)
    assert at(pendulum, pendulum.f, state) == pytest.approx(-np.array(value["test_h"]), abs=1e-12)
    assert at(pendulum, pendulum.udot, state) == pytest.approx(np.array(value["test_acc"]), abs=1e-12)


@pytest.mark.parametrize(("case", "damping"), [("undamped", 0.0), ("damped", 5.0)])
def test_triple_pendulum_swings(pendulum, case, damping):
    value = published("lynch_triple_sim")
    rows = np.array(value[case])
    start = state_of(pendulum, rows[0, 1:4], rows[0, 4:]) | {f"c{k}": damping for k in (1, 2, 3)}
    assert trajectory(pendulum, start, rows[1:, 0]) == pytest.approx(rows[1:, 1:], abs=1e-8)
    if case == "undamped":
        assert at(pendulum, pendulum.udot, start) == pytest.approx(np.array(value["acc0"]), abs=1e-11)
        assert potential_energy(pendulum, start) == pytest.approx(value["E0"], rel=1e-12)


# ------------------------------------------------------------------------------------------------ Stanford arm


@pytest.fixture(scope="module")
def arm() -> sb.Equations:
    return sb.derive(stanford_arm.model())


def test_torques_of_the_stanford_arm(arm):
    for row in published("stanford_invdyn")["rows"]:
        state = state_of(arm, row["q"], row["qd"]) | {f"q{k + 1}_ddot": a for k, a in enumerate(row["qdd"])}
        assert at(arm, arm.residual(), state) == pytest.approx(row["tau"], rel=1e-10, abs=1e-10)


def test_inverse_dynamics_of_the_stanford_arm(arm):
    """The same torques as expressions in the motion, without inputs."""
    found = inverse_dynamics(arm)
    row = published("stanford_invdyn")["rows"][5]
    state = state_of(arm, row["q"], row["qd"]) | {f"q{k + 1}_ddot": a for k, a in enumerate(row["qdd"])}
    taus = [float(at(arm, found.inputs[tau], state)) for tau in arm.r]
    assert taus == pytest.approx(row["tau"], rel=1e-10, abs=1e-10)
    assert len(found.conditions) == 0


def test_forward_dynamics_of_the_stanford_arm(arm):
    test = published("stanford_invdyn")["test"]
    state = state_of(arm, test["q"], test["u"])
    assert at(arm, arm.M, state) == pytest.approx(np.array(test["M"]), abs=1e-12)
    assert at(arm, arm.udot, state) == pytest.approx(test["acc"], rel=1e-10)


def test_forward_dynamics_undoes_inverse_dynamics(arm):
    row = published("stanford_invdyn")["rows"][4]
    state = state_of(arm, row["q"], row["qd"]) | {f"tau{k + 1}": tau for k, tau in enumerate(row["tau"])}
    assert at(arm, arm.udot, state) == pytest.approx(row["qdd"], abs=1e-9)


# ------------------------------------------------------------------------------------------------ satellite


@pytest.mark.parametrize("case", ["symmetric", "asymmetric"])
def test_satellite_turns(case):
    equations = sb.derive(satellite.model())
    base = equations.mechanism.body("base")
    rows = published("lynch_satellite")[case]
    start = dict(satellite.START) | {f"base_w{a}": w for a, w in zip("xyz", rows[0]["omega_local"], strict=True)}
    start |= {"theta2_dot": rows[0]["thetad"][0], "theta3_dot": rows[0]["thetad"][1]}
    times = [r["t"] for r in rows[1:]]
    for row, values in zip(rows[1:], trajectory(equations, start, times), strict=True):
        state = state_of(equations, values[:9], values[9:])
        assert [state["theta2"], state["theta3"]] == pytest.approx(row["theta"], abs=1e-8)
        assert [state[f"base_{a}"] for a in "xyz"] == pytest.approx(row["base_pos"], abs=1e-8)
        assert [state[f"base_w{a}"] for a in "xyz"] == pytest.approx(row["omega_local"], abs=1e-8)
        rotation = base.frame.rotation_in(equations.mechanism.ground).matrix
        assert at(equations, rotation, state) == pytest.approx(np.array(row["R_base"]), abs=1e-8)
        assert kinetic_energy(equations, state) == pytest.approx(row["T"], abs=1e-8)
        assert at(equations, energies.kinetic_energy(equations), state) == pytest.approx(row["T"], abs=1e-8)
        assert at(equations, energies.momentum(equations).in_ground, state) == pytest.approx(row["P"], abs=1e-8)
        assert at(equations, energies.angular_momentum(equations).in_ground, state) == pytest.approx(row["H"], abs=1e-8)


def test_satellite_turns_back_at_120_degrees():
    turn = published("lynch_satellite")["turn"]
    equations = sb.derive(satellite.model())
    (row,) = trajectory(equations, satellite.START, [turn["t"][0]])
    assert row[8] == pytest.approx(2 * math.pi / 3, abs=1e-9)
    assert row[-1] == pytest.approx(0, abs=1e-7)


# ------------------------------------------------------------------------------------------------ shared work


def test_three_ways_to_share_work():
    """Written out, by matrices with zeros, by named entries, and on the graph: named entries are less work than either,
    the graph still less (4.6)."""
    work = sb.derivation.shared_work(sb.derive(stanford_arm.model()))
    assert min(work.pure, work.numeric) > work.named > work.graph > 0
