"""Parameters from measured motions: known truth, exact derivatives, and confidence intervals that hold it as often as
they say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.study import find_model
from symbody.study.identification.condensing import condensed_chain, joined_rows
from symbody.study.identification.experiment import experiments

from ..amount import dear

TRUTH = {"l": 0.8, "c": 0.05}
T = np.linspace(0, 3, 46)


def pendulum() -> sb.Equations:
    """A pendulum in air, pushed by an input; only ratios to its mass can be seen."""
    m = sb.Model("pendulum")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    length, c, mass = m.parameter("l", 1.0), m.parameter("c", 0.1), m.parameter("m", 1.0)
    bob = m.body("bob", mass=mass, com=(0, -length, 0), inertia=(0, 0, 0))
    m.revolute("theta", m.ground, bob, axis="z", damping=c)
    m.generalized_force("push", sb.symbol("theta", "coordinate"), m.input("F"))
    m.output("height", -length * sb.cos(sb.symbol("theta", "coordinate")))
    return sb.derive(m)


@pytest.fixture(scope="module")
def eq() -> sb.Equations:
    return sb.closed_loop(pendulum(), {"F": 0})


@pytest.fixture(scope="module")
def motion(eq: sb.Equations) -> sb.Trajectory:
    return sb.simulate(eq, T, theta=1.2, theta_dot=0.3, values=TRUTH, rtol=1e-11)


def noisy(values: Any, deviation: float, seed: int) -> Any:
    return values + np.random.default_rng(seed).normal(0, deviation, len(values))


@pytest.mark.parametrize("segments", [1, 5])
def test_exact_measurements_give_the_truth(eq: sb.Equations, motion: sb.Trajectory, segments: int) -> None:
    found = sb.identify(eq, {"t": T, "theta": motion["theta"]}, {"l": 1.1, "c": 0.2}, segments=segments)
    assert found.is_converged
    assert found.values == pytest.approx(TRUTH, rel=1e-7)
    assert (found["theta_start"], found["theta_dot_start"]) == pytest.approx((1.2, 0.3), abs=1e-7)
    assert np.abs(found.residuals[0]["theta"]).max() < 1e-7


def test_rows_are_derivatives(eq: sb.Equations, motion: sb.Trajectory) -> None:
    """Of the computed measurements with respect to parameters and start, through all segments, against differences of
    one long motion."""
    free = {"l": 0.9, "c": 0.1}
    (e,) = experiments(
        eq, [sb.Measurement(T, {"height": motion["height"]})], free, {}, 4, {"rtol": 1e-11, "atol": 1e-11}
    )
    start = {"theta": 1.1, "theta_dot": 0.2}

    def heights(**changed: float) -> Any:
        sim = sb.simulate(eq, T, values={**start, **free, **changed}, rtol=1e-12, atol=1e-12)
        return sim["height"], sim

    nodes = np.array([heights()[1].y[k] for k in e.nodes[:-1]])
    shots = e.shots(nodes, np.array(list(free.values())))
    assert not isinstance(shots, str)
    chain = condensed_chain(shots, nodes, motion["height"][:, None], np.ones(1))
    assert np.abs(chain.gaps).max() < 1e-9
    rows = dict(zip((*free, *start), np.hstack([chain.M_p, chain.M_0]).T, strict=True))
    for name, column in rows.items():
        d = 1e-5
        value = {**start, **free}[name]
        slope = (heights(**{name: value + d})[0] - heights(**{name: value - d})[0]) / (2 * d)
        assert column == pytest.approx(slope, abs=2e-7)


def test_multipliers_are_what_gaps_are_worth(eq: sb.Equations, motion: sb.Trajectory) -> None:
    """The least sum of squares with a gap a little smaller, by the multiplier and by solving again."""
    (e,) = experiments(eq, [sb.Measurement(T, {"theta": motion["theta"]})], {"l": 0.9}, {}, 3, {"rtol": 1e-10})
    nodes = e.first_nodes
    shots = e.shots(nodes, np.array([0.9]))
    assert not isinstance(shots, str)

    def least(moved: float) -> tuple[float, Any]:
        there = [replace(s, end=s.end + (moved if k == 1 else 0.0) * np.array([1.0, 0.0])) for k, s in enumerate(shots)]
        chain = condensed_chain(there, nodes, motion["theta"][:, None], np.ones(1))
        M = np.hstack([chain.M_p, chain.M_0])
        left = chain.rhs - M @ np.linalg.lstsq(M, chain.rhs, rcond=None)[0]
        return 0.5 * float(left @ left), chain.multipliers(left)

    slope = (least(1e-4)[0] - least(-1e-4)[0]) / 2e-4
    assert least(0.0)[1][2] == pytest.approx(slope, rel=1e-6)


def test_intervals_hold_the_truth_as_often_as_they_say(eq: sb.Equations, motion: sb.Trajectory) -> None:
    """Of 60 experiments with noise, intervals of 90 % hold each parameter in 54 of them, but for chance (less than one
    in a thousand outside 46 to 60); and their deviation is that of the estimates."""
    runs = [
        sb.identify(eq, {"t": T, "theta": noisy(motion["theta"], 0.02, seed)}, TRUTH, segments=1) for seed in range(60)
    ]
    for name, truth in TRUTH.items():
        held = sum(low <= truth <= high for low, high in (r.interval(name, 0.9) for r in runs))
        assert 46 <= held <= 59
        spread = np.std([r[name] for r in runs])
        assert np.mean([r.deviation(name) for r in runs]) == pytest.approx(spread, rel=0.35)
    assert np.mean([r.noise["theta"] for r in runs]) == pytest.approx(0.02, rel=0.05)


def test_known_noise_and_several_quantities(eq: sb.Equations, motion: sb.Trajectory) -> None:
    """With noise that is not given, each quantity finds its own; gaps in the data are gaps."""
    theta, height = noisy(motion["theta"], 0.05, 1), noisy(motion["height"], 0.002, 2)
    theta[10:20] = np.nan
    both = sb.Measurement(T, {"theta": theta, "height": height})
    guessed = sb.identify(eq, both, {"l": 1.0, "c": 0.1})
    given = sb.identify(eq, both, {"l": 1.0, "c": 0.1}, noise={"theta": 0.05, "height": 0.002})
    assert guessed.noise == pytest.approx({"theta": 0.05, "height": 0.002}, rel=0.35)
    alone = sb.identify(eq, {"t": T, "theta": theta}, {"l": 1.0, "c": 0.1}, noise=0.05)
    for name, truth in TRUTH.items():
        low, high = given.interval(name, 0.999)
        assert low < truth < high
        assert guessed[name] == pytest.approx(given[name], abs=2 * given.deviation(name))
        assert given.deviation(name) < 0.5 * alone.deviation(name)
    assert given.freedom == 2 * len(T) - 10 - 4


def test_inputs_starts_and_experiments_of_their_own() -> None:
    """Two experiments with other pushes; one is released from rest, which is known."""
    whole, t = pendulum(), np.linspace(0, 2, 31)
    pushes: tuple[dict[str, Any], ...] = (
        {"F": sb.sin(3 * sb.symbol("t", "time"))},
        {"F": (t, np.where(t < 1, 2.0, 0.0), "linear")},
    )
    sims = [
        sb.simulate(whole, t, theta=a, values=TRUTH, inputs=push, rtol=1e-10)
        for a, push in zip((0.5, 0.0), pushes, strict=True)
    ]
    made = [
        sb.Measurement(t, {"theta": s["theta"]}, inputs=push, held={"theta_dot": 0})
        for s, push in zip(sims, pushes, strict=True)
    ]
    found = sb.identify(whole, made, ["l", "c"])
    assert found.values == pytest.approx(TRUTH, rel=1e-6)
    assert found.names == ("l", "c", "theta_start[0]", "theta_start[1]")
    assert found["theta_start[0]"] == pytest.approx(0.5, abs=1e-7)


def test_what_cannot_be_known_is_said(eq: sb.Equations, motion: sb.Trajectory) -> None:
    """Of mass and damping only the ratio acts: it is found, and each of them is named."""
    found = sb.identify(eq, {"t": T, "theta": motion["theta"]}, {"m": 1.5, "c": 0.2, "l": 0.9})
    assert set(found.undetermined) == {"m", "c"}
    assert found.deviation("m") == np.inf
    assert found.values["c"] / found.values["m"] == pytest.approx(TRUTH["c"], rel=1e-5)
    assert found.values["l"] == pytest.approx(TRUTH["l"], rel=1e-6)


def test_bounds_hold(eq: sb.Equations, motion: sb.Trajectory) -> None:
    found = sb.identify(eq, {"t": T, "theta": motion["theta"]}, {"l": 0.9, "c": 0.2}, bounds={"c": (0.1, 1.0)})
    assert found.values["c"] == pytest.approx(0.1, abs=1e-12)
    assert found.at_bounds == ("c",)
    assert found.is_converged


def test_constrained_mechanism_through_dead_centres() -> None:
    """A slider-crank of which only the slider is seen, which does not determine the crank at its dead centres."""
    eq = sb.derive(sb.read_model("slider_crank").mechanism)
    t = np.linspace(0, 1.2, 49)
    sim = sb.simulate(eq, t, sb.assemble(eq, {"l": 0.55, "beta": 0.5, "beta_dot": 6.0}, start={"x": 0.7}), rtol=1e-11)
    assert sim["beta"].max() > np.pi + 0.5  # a dead centre is passed
    rough = {"beta": 0.4, "beta_dot": 5.0, "x": 0.7}
    found = sb.identify(eq, sb.Measurement(t, {"x": noisy(sim["x"], 1e-3, 3)}, start=rough), {"l": 0.5}, noise=1e-3)
    low, high = found.interval("l", 0.999)
    assert low < 0.55 < high
    assert found.deviation("l") < 0.001
    assert found.starts[0].violation.is_small


def test_chaotic_motion_needs_segments() -> None:
    """From the same rough values, one long motion leads nowhere, and short segments to the truth."""
    eq, t = sb.derive(sb.read_model("double_pendulum").mechanism), np.linspace(0, 6, 181)
    sim = sb.simulate(eq, t, q1=2.0, q2=2.5, l=0.9, rtol=1e-11)
    seen = {"t": t, "q1": noisy(sim["q1"], 0.01, 1), "q2": noisy(sim["q2"], 0.01, 2)}
    found = sb.identify(eq, seen, {"l": 1.1}, segments=20, noise=0.01)
    assert found.is_converged
    assert abs(found["l"] - 0.9) < 4 * found.deviation("l") < 0.002
    lost = sb.identify(eq, seen, {"l": 1.1}, segments=1, noise=0.01, max_steps=8)
    assert abs(lost["l"] - 0.9) > 0.01


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"free": {"k": 1.0}}, "'k'"),
        ({"free": {}}, "no parameter is free"),
        ({"measured": {"theta": T}}, "times as 't'"),
        ({"measured": {"t": T, "phi": T}}, "no quantity 'phi'"),
        ({"measured": {"t": T, "theta": T[:5]}}, "one value for each"),
        ({"measured": {"t": T[::-1], "theta": T}}, "the times must increase"),
        ({"measured": {"t": T, "theta": T * np.nan}}, "it contains no values"),
        ({"noise": {"height": 1}}, "no noise is given for theta"),
        ({"noise": -1.0}, "must be positive"),
        ({"bounds": {"c": (0, 1)}}, "c has bounds, but is not free"),
        ({"bounds": {"l": (2, 3)}}, "not between its bounds"),
        ({"values": {"l": 1.0}}, "l is free, and has a value"),
        ({"segments": 100}, "100 segments need more than"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_is_wrong_is_said(eq: sb.Equations, change: dict[str, Any], said: str) -> None:
    options = {"measured": {"t": T, "theta": np.cos(T)}, "free": {"l": 1.0}, **change}
    with pytest.raises(sb.errors.StudyError, match=said):
        sb.identify(eq, **options)


def test_what_has_no_influence_is_named() -> None:
    """The place of a train whose speed alone is measured: nothing depends on it, and everything else is found."""
    x, v, k = sb.symbol("x", "variable"), sb.symbol("v", "variable"), sb.symbol("k")
    eq = sb.from_equations({x: v, v: -k * v}, {k: 1.0})
    t = np.linspace(0.0, 2.0, 9)
    with np.errstate(all="raise"):
        found = sb.identify(eq, {"t": t, "v": 3.0 * np.exp(-0.7 * t)}, {"k": 1.0})
    assert found.is_converged
    assert found.undetermined == ("x_start",)
    assert found.values == pytest.approx({"k": 0.7}, rel=1e-6)
    assert np.isfinite(found.deviation("k"))
    assert found.deviation("x_start") == np.inf


def test_rounding_errors_are_no_influence(eq: sb.Equations, motion: sb.Trajectory) -> None:
    """A part of the first state whose derivatives are rounding errors gets no step, and is not determined."""
    (e,) = experiments(eq, [sb.Measurement(T, {"theta": motion["theta"]})], {"l": 0.9}, {}, 3, {"rtol": 1e-10})
    nodes = e.first_nodes
    shots = e.shots(nodes, np.array([0.9]))
    assert not isinstance(shots, str)
    chain = condensed_chain(shots, nodes, motion["theta"][:, None], np.ones(1))
    M_0 = chain.M_0.copy()
    M_0[:, 1] = 1e-13 * np.random.default_rng(0).normal(size=len(M_0))
    rows = joined_rows([replace(chain, M_0=M_0)], [np.arange(2)])
    free = np.full(3, np.inf)
    assert rows.step(-free, free)[2] == 0
    assert list(rows.covariance()[1]) == [False, False, True]


@dear
def test_a_bicycle_by_its_lean_and_steer() -> None:
    """Where it stands, where it heads and how its wheels are turned is not measured, and has no influence: these are
    named, and the place of the mass centre is found."""
    eq = sb.derive(find_model("bicycle").model)
    rough = {"q1": 0.1, "q2": 0.2, "q1_dot": 0.3, "q2_dot": -0.4, "q4_dot": -14.12}
    t = np.linspace(0, 1, 31)
    sim = sb.simulate(eq, t, sb.assemble(eq, rough, start={"q3_dot": 0.9, "x_dot": 5.0, "q5_dot": -14.4}))
    measured = {n: noisy(sim[n], 1e-3, k) for k, n in enumerate(("q1", "q2", "q3_dot", "q4_dot"))}
    found = sb.identify(eq, {"t": t, **measured}, {"L1": 0.55})
    assert found.is_converged
    assert set(found.undetermined) == {"x_start", "y_start", "q3_start", "q4_start", "q5_start"}
    assert abs(found["L1"] - 0.6) < 4 * found.deviation("L1") < 0.01
