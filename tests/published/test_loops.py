"""Closed loops: Neweul's slider crank; pendulum, quadrangle and spatial crank of Tuomela, Arponen and Normi."""

import math

import numpy as np
import pytest

import symbody as sb
from examples import quadrangle, slider_crank, spatial_crank, tuomela_pendulum

from .numbers import at, kinetic_energy, potential_energy, published, state_of, trajectory


def named(equations: sb.Equations, values) -> dict[str, float]:
    return state_of(equations, values[: len(equations.q)], values[len(equations.q) :])


# ------------------------------------------------------------------------------------------------ slider crank


@pytest.fixture(scope="module")
def slider() -> sb.Equations:
    return sb.derive(slider_crank.model())


def test_slider_crank_at_the_start(slider):
    """The record's multipliers have the other sign: M y'' + k = -Cᵀ λ there."""
    value, state = published("slider_crank"), slider_crank.START
    assert at(slider, slider.phi, state) == pytest.approx([0, 0], abs=1e-15)
    assert at(slider, slider.udot, state) == pytest.approx(value["acc0"], abs=1e-12)
    assert at(slider, slider.multipliers, state) == pytest.approx([-x for x in value["lam0"]], abs=1e-12)
    assert kinetic_energy(slider, state) == pytest.approx(value["E"], rel=1e-12)


def test_slider_crank_turns(slider):
    value = published("slider_crank")["ref"]
    for time, row in zip(("1.0", "10.0"), trajectory(slider, slider_crank.START, [1, 10]), strict=True):
        angle, rate, place = value[time]
        turned = [math.remainder(ours - theirs, 2 * math.pi) for ours, theirs in zip(row[1:3], place[1:], strict=True)]
        assert [row[0] - place[0], *turned] == pytest.approx([0, 0, 0], abs=2e-8)
        assert row[4] + row[5] == pytest.approx(rate, abs=1e-7)  # the crank turns with α' + β'
        assert math.remainder(row[1] + row[2] - angle - math.pi, 2 * math.pi) == pytest.approx(0, abs=2e-8)


# ------------------------------------------------------------------------------------------------ pendulum


def test_pendulum_on_a_ball_joint():
    equations = sb.derive(tuomela_pendulum.model())
    value = published("tuomela_pendulum")
    m, l, inertia = 38.34, 0.765, value["I_O"]
    start = at(equations, equations.udot, tuomela_pendulum.START)
    assert start[-1] == pytest.approx(-m * 9.81 * l / inertia, rel=1e-13)
    rows = np.array(value["rows"])[1:4]
    for row, values in zip(rows, trajectory(equations, tuomela_pendulum.START, rows[:, 0]), strict=True):
        state = named(equations, values)
        angle = 2 * math.atan2(state["bar_e3"], state["bar_e0"])
        assert math.remainder(angle - row[1], 2 * math.pi) == pytest.approx(0, abs=1e-8)
        assert state["bar_wz"] == pytest.approx(row[2], abs=1e-7)
        assert kinetic_energy(equations, state) + potential_energy(equations, state) == pytest.approx(0, abs=1e-6)


def test_period_of_the_pendulum():
    """4 K(1/2) / ω0: after one period it is back where it was, at rest."""
    equations = sb.derive(tuomela_pendulum.model())
    (end,) = trajectory(equations, tuomela_pendulum.START, [published("tuomela_pendulum")["period"]])
    state = named(equations, end)
    assert [state["bar_x"], state["bar_y"]] == pytest.approx([0.765, 0], abs=1e-7)
    assert state["bar_wz"] == pytest.approx(0, abs=1e-6)


def test_euler_parameter_map():
    """ω = 2 H θ' in the body, and θ' = ½ Hᵀ ω undoes it (eq. 3.3)."""
    equations = sb.derive(tuomela_pendulum.model())
    e = np.array([0.5, -0.1, 0.7, 0.5])
    e = e / np.linalg.norm(e)
    t0, t1, t2, t3 = e
    H = np.array([[-t1, t0, t3, -t2], [-t2, -t3, t0, t1], [-t3, t2, -t1, t0]])
    w = np.array([0.3, -0.4, 0.9])
    state = {f"bar_e{k}": x for k, x in enumerate(e)} | {f"bar_w{a}": x for a, x in zip("xyz", w, strict=True)}
    rates = at(equations, equations.rates, state)[3:]
    assert rates == pytest.approx(H.T @ w / 2, abs=1e-15)
    assert pytest.approx(w, abs=1e-15) == 2 * H @ rates


# ---------------------------------------------------------------------------------------------- linkages of free bodies


CASES = {
    "tuomela_quad": (quadrangle.model, quadrangle.start(), ("crank", "coupler", "rocker")),
    "tuomela_crank": (spatial_crank.model, spatial_crank.START, ("crank", "rod", "slider")),
}


@pytest.mark.parametrize("case", CASES)
def test_linkage_of_free_bodies(case):
    """Accelerations, energies and places at t = 0, 0.1 and 0.5; the torque's work is all that comes in."""
    model, start, bodies = CASES[case]
    equations = sb.derive(model())
    rows = published(case)["rows"][:3]
    assert len(equations.lam) == 17
    assert at(equations, equations.phi, start) == pytest.approx(np.zeros(17), abs=1e-13)
    later = trajectory(equations, start, [r["t"] for r in rows[1:]])
    turning = [u.name for u in equations.u].index("crank_wz")
    for row, state in zip(rows, [start, *(named(equations, x) for x in later)], strict=True):
        assert at(equations, equations.udot, state)[turning] == pytest.approx(row["phidd"], rel=1e-7)
        assert state.get("crank_wz", 0.0) == pytest.approx(row["phid"], abs=1e-7)
        places = [state.get(f"{b}_{a}", 0.0) for b in bodies for a in "xyz"]
        assert places == pytest.approx(row["r"], abs=1e-7)
        assert kinetic_energy(equations, state) == pytest.approx(row["T"], rel=1e-7)
        fall = potential_energy(equations, state) - potential_energy(equations, start)
        assert fall == pytest.approx(row["U"] - rows[0]["U"], abs=1e-4)
