"""Lennartsson's bicycle near straight running and steady turns (7.4.4): speeds, matrices, studies of trail and
wheels."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import symbody as sb
from bench.linear import benchmark_system
from examples import bicycle

from .numbers import published

V = sb.symbol("V")


@pytest.fixture(scope="module")
def equations() -> sb.Equations:
    return sb.derive(bicycle.model())


@pytest.fixture(scope="module")
def straight(equations) -> sb.LinearSystem:
    """Lean and steer; the speed along stands apart."""
    return bicycle.straight_running(equations)


def in_order(eigenvalues):
    return sorted((complex(w) for w in eigenvalues), key=lambda w: (round(w.real, 6), w.imag))


def test_canonical_matrices(straight):
    """M q'' + v C1 q' + (g K0 + v² K2) q = 0 for lean and steer, at two speeds."""
    form, value = straight.second_order("q1", "q2"), published("bike_crescent_MCK")
    K0, K2 = np.array(value["K0"]), np.array(value["K2"])
    for v in (1.0, 7.0):
        at = {**straight.defaults, V: v}
        M, C, K = (np.array(sb.evaluate(X, at)) for X in (form.M, form.D + form.G, form.K + form.N))
        assert pytest.approx(np.array(value["M"]), abs=1e-9) == M
        assert pytest.approx(v * np.array(value["C1"]), abs=1e-8) == C
        assert pytest.approx(9.80665 * K0 + v**2 * K2, abs=1e-7) == K


def test_eigenvalues_over_speed(straight):
    for speed, pairs in published("bike_crescent_eigs").items():
        if float(speed) > 0:
            assert in_order(straight.eigenvalues(V=float(speed))) == pytest.approx(
                in_order(complex(*p) for p in pairs), abs=1e-8
            )


def test_self_stable_speeds(straight):
    """Printed 3.207 and 5.3984; with the printed angle 3.2065 and 5.3962: an oscillation ends, a real eigenvalue begins
    to grow."""
    locus = straight.root_locus(points=1000, V=(0.5, 10))
    weave, capsize = published("bike_weave_speed"), published("bike_capsize_speed")
    first, second = (c for c in locus.critical if c.kind != "meeting")
    assert (first.kind, first.how, second.kind, second.how) == (
        "oscillatory",
        "gains stability",
        "real",
        "loses stability",
    )
    assert [first.value, second.value] == pytest.approx(
        [weave["computed_sigma_20_09"], capsize["computed_sigma_20_09"]], abs=1e-9
    )
    other = straight.root_locus(points=300, V=(2, 7), sigma=math.radians(20.0985)).stable_ranges()
    assert other == [pytest.approx((weave["computed_sigma_20_0985"], capsize["computed_sigma_20_0985"]), abs=1e-8)]


def test_light_rims(straight):
    """Wheels with little inertia about their axles: stable between 23.5 and 66 m/s; with none, never (7.4.4)."""
    (stable,) = straight.root_locus(points=400, V=(10, 100), jm=0.01).stable_ranges()
    assert stable == pytest.approx(tuple(published("bike_jm_001")["computed"]), abs=1e-4)
    assert straight.root_locus(points=100, V=(1, 100), jm=0.0).stable_ranges() == []


@pytest.fixture(scope="module")
def trailing(straight) -> sb.LinearSystem:
    """With the trail as a parameter."""
    return bicycle.with_trail(straight)


def test_trail_at_which_the_stable_range_vanishes(trailing):
    """At -0.006588 m (7.4.4); ranges narrower than any step are found."""
    vanishing = published("bike_trail_thresholds")["computed_sigma_20_09"][2]
    ((low, high),) = trailing.root_locus(points=400, V=(1, 6), trail=vanishing + 1e-6).stable_ranges()
    assert 0 < high - low < 0.002
    assert trailing.root_locus(points=400, V=(1, 6), trail=vanishing - 1e-6).stable_ranges() == []


def test_trail_above_which_it_stays_stable(trailing):
    """With more than 0.1956 m the largest real part goes to zero from below as the speed grows: M q'' + V C1 q' + (g K0
    + V² K2) q = 0 has a root s ~ det K / V³, and det K changes its sign there. Then it is stable from 3.564 m/s on
    (7.4.4)."""
    longest, lowest = published("bike_trail_thresholds")["computed_sigma_20_09"][:2]
    form = trailing.second_order("q1", "q2")

    def determinant(trail: float) -> float:
        at = {**trailing.defaults, V: 1e5, sb.symbol("trail"): trail}
        return float(np.linalg.det(sb.evaluate(form.K + form.N, at)))

    assert brentq(determinant, 0.1, 0.3, xtol=1e-12) == pytest.approx(longest, abs=5e-7)
    # Real parts are 1e-9 of the largest eigenvalue there.
    (slowly,) = trailing.root_locus(points=200, V=1000.0, trail=(0.1, 0.3)).critical
    assert (slowly.kind, slowly.how) == ("real", "gains stability")
    assert slowly.value == pytest.approx(longest, abs=1e-5)
    ((low, high),) = trailing.root_locus(points=400, V=(1, 200), trail=longest).stable_ranges()
    assert (low, high) == (pytest.approx(lowest, abs=1e-8), 200)


def test_trail_below_which_growth_grows_with_speed(trailing):
    """Below -0.0487 m an eigenvalue grows in proportion to the speed (7.4.4): those of s = V σ do not depend on
    gravity."""
    (limit,) = trailing.root_locus(points=200, V=1.0, g=0.0, trail=(-0.1, 0.05)).critical
    assert (limit.kind, limit.how) == ("oscillatory", "gains stability")
    assert limit.value == pytest.approx(published("bike_trail_thresholds")["computed_sigma_20_09"][3], abs=1e-9)
    growth = [trailing.eigenvalues(V=v, trail=limit.value - 0.01).real.max() / v for v in (50.0, 500.0)]
    assert growth == pytest.approx([growth[0]] * 2, rel=0.02)
    assert trailing.eigenvalues(V=500.0, trail=limit.value + 0.01).real.max() < 0.1


def test_chart_agrees_with_loci(straight):
    chart = straight.stability_chart(points=(9, 5), V=(2, 6), b=(0.03, 0.06))
    for j, b in enumerate(chart.second):
        ranges = straight.root_locus(points=100, V=(1.5, 6.5), b=float(b)).stable_ranges()
        inside = [any(low < v < high for low, high in ranges) for v in chart.first]
        assert list(chart.is_stable[:, j]) == inside


def test_reversed_fork(equations):
    """Figure 7.5: with the fork turned round the frame pitches, which only Newton's method finds, and the stable range
    is 3.6 to 14.25."""
    lin = bicycle.reversed_fork(equations)
    assert lin.about["delta"] == pytest.approx(0.031677024, abs=1e-8)
    assert not lin.about.is_symbolic
    (stable,) = lin.root_locus(points=60, V=(2, 18)).stable_ranges()
    assert stable == pytest.approx(tuple(published("bike_reversed_fork")["computed"]), abs=1e-7)


@pytest.mark.parametrize("case", range(3))
def test_steady_turns(equations, case):
    """Lean and speed of a turn with given steer, and its eigenvalues; the heading drifts, the ground's axes do not turn
    with it."""
    value = published("bike_turn_points")[case]
    start = {"q1": value["q1"] * 0.8, "q4_dot": -value["v"] / 0.354, "q3_dot": 0.5}
    motion = sb.steady(equations, values={"q2": value["q2"], "q3": 0}, free=["q3_dot"], start=start)
    assert motion.is_steady, motion.outcome
    assert motion["q1"] == pytest.approx(value["q1"], abs=1e-9)
    assert abs(motion["q5_dot"]) * 0.354 == pytest.approx(value["v"], abs=1e-8)
    lin = sb.linearize(equations, motion, drop="cyclic")
    assert in_order(lin.eigenvalues()) == pytest.approx(in_order(complex(*p) for p in value["eig"]), abs=1e-6)
    assert in_order(lin.eigenvalues(method="qz"))[:3] == pytest.approx(
        in_order(complex(*p) for p in value["eig"])[:3], abs=1e-6
    )


def test_benchmark_bicycle():
    """The bicycle that the benchmarks measure is that of Meijaard and others (2007): their table 2 at 5 m/s."""
    weave = complex(-0.775341882195845, 4.464867713788229)
    expected = [-14.078389692798218, weave.conjugate(), weave, -0.322866429004087]
    assert benchmark_system().eigenvalues(V=5.0) == pytest.approx(np.array(expected), abs=1e-11)
