"""Figure 7.6 of Lennartsson: turns of the bicycle over speed, with folds, pitchfork and Hopf points (the thesis has no stability of turns)."""

import pytest

import symbody as sb
from examples import bicycle

V, R = sb.symbol("V"), sb.symbol("R")
ROLLING = {"q5_dot": -V / R, "q3": 0}


@pytest.fixture(scope="module")
def equations() -> sb.Equations:
    return sb.derive(bicycle.model())


@pytest.fixture(scope="module")
def straight(equations) -> sb.Branch:
    return sb.branch(equations, sb.steady(equations, ROLLING, free=["q3_dot"], V=4.0), V=(0.3, 10))


def test_straight_running(straight):
    """Weave speed and capsize speed; printed 3.207 and 5.3984, with the printed angle 3.20655 and 5.39625."""
    weave, capsize = straight.special
    assert (weave.kind, capsize.kind, capsize.criticality) == ("Hopf", "pitchfork", "subcritical")
    assert weave.value == pytest.approx(3.206546207782, abs=1e-10)
    assert abs(weave.eigenvalue.imag) == pytest.approx(3.1004685, abs=1e-7)
    assert capsize.value == pytest.approx(5.396249338424, abs=1e-11)
    assert weave.criticality == "supercritical"
    grown = 4 * weave.form.amplitude * abs(weave.form.shape["q1"]) ** 2
    assert grown == pytest.approx(
        -0.1873, rel=5e-3
    )  # lean² over v - v3 at constant energy, from cycles that were computed


def test_turns_that_leave_straight_running(straight):
    """The sample turns of the reference lie on the branch that begins at the capsize speed."""
    turns = straight.switched()
    for steer, lean, speed in ((0.1, 0.24395124801, 5.08361028614), (0.5, 0.27440098675, 2.77921137243)):
        both = turns.at(speed)
        assert sorted(m["q2"] for m in both) == pytest.approx([-steer, steer], abs=1e-9)
        assert sorted(m["q1"] for m in both) == pytest.approx([-lean, lean], abs=1e-9)
    assert (turns.unstable[turns["V"] < 5.39] > 0).all()


def test_turns_with_the_wheel_across(equations):
    """Folds at 2.17932 (printed "just below 2.18"), 3.24509 (3.256) and 3.81194 ("close to 3.8"); lean zero at 2.18246."""
    near = {"q3_dot": 1.9, "q4_dot": 0.87, "q5_dot": -6.17, "x_dot": -0.3}
    across = sb.steady(equations, {"q2": 1.76, "q3": 0}, free=["q3_dot"], start=near)
    turn = sb.steady(equations, ROLLING, free=["q3_dot"], V=-0.354 * across["q5_dot"], start=across.values)
    turns = sb.branch(equations, turn, V=(1, 10))
    folds = [p for p in turns.special if p.kind == "fold"]
    assert sorted(p.value for p in folds) == pytest.approx([2.1793178613894, 3.2450855357, 3.8119366099], abs=1e-9)
    steer = sorted(turns.value_at(p, "q2") for p in folds)
    assert steer == pytest.approx([1.7063129, 2.1632487, 2.5863649], abs=1e-7)
    crossing = sb.steady(equations, {"q1": 0.0, "q3": 0}, free=["q3_dot"], start=across.values)
    assert -0.354 * crossing["q5_dot"] == pytest.approx(2.1824605274, abs=1e-9)
