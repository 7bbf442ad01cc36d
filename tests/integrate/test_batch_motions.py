"""Motions of a batch are those of `simulate`, whatever differs between members."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import symbody as sb
from symbody.integrate import Contact, Ending, Event

from .mechanisms import START, double_pendulum, falling, lagging_spring, slider_crank

TIMES = np.linspace(0.0, 1.0, 6)


def compared(eq, members, tolerance=0.0, **asked):
    """A batch beside simulations of its members one by one."""
    batch = sb.simulate_batch(eq, TIMES, values=members, **asked)
    alone = [sb.simulate(eq, TIMES, values={n: v[k] for n, v in members.items()}, **asked) for k in range(len(batch))]
    for one, other in zip(batch, alone, strict=True):
        assert one.outcome == other.outcome
        np.testing.assert_allclose(one.y, other.y, rtol=tolerance, atol=tolerance)
        assert [e.name for e in one.events] == [e.name for e in other.events]
    return batch, alone


@pytest.mark.parametrize(
    "options", [{}, {"rtol": 1e-5}, {"method": "rk4", "step": 0.02}, {"first_step": 1e-3, "max_step": 0.05}]
)
def test_any_explicit_method(options):
    batch, alone = compared(double_pendulum(), {"q1": np.linspace(-2, 2, 5), "m2": np.linspace(1, 3, 5)}, **options)
    assert [m.statistics.steps for m in batch] == [m.statistics.steps for m in alone]
    assert [m.choices for m in batch] == [m.choices for m in alone]
    for what in ("q2_dot", "tip_height", "q1_ddot", "m2", "tau", double_pendulum().q[0] ** 2):
        np.testing.assert_allclose(batch[what], [m[what] for m in alone], rtol=1e-12)


def test_constraints_hold_by_projection():
    eq = slider_crank()
    starts = [sb.assemble(eq, start=START, beta=b) for b in np.linspace(1.2, 1.6, 5)]
    batch = sb.simulate_batch(eq, TIMES, starts)
    for one, start in zip(batch, starts, strict=True):
        assert np.array_equal(one.y, sb.simulate(eq, TIMES, start).y)
        assert one.violation.position < 1e-11
    completed = sb.simulate_batch(eq, TIMES, starts[0], values={"beta": [1.2, 1.5]})
    assert completed[1]["beta"][0] == 1.5
    assert np.array_equal(completed[1].y, sb.simulate(eq, TIMES, starts[0], values={"beta": 1.5}).y)
    assert "completed from the constraints" in str(completed.outcomes[1])
    missed = sb.simulate_batch(eq, TIMES, starts[0], values={"beta": [1.2, 1.5], "x": starts[0]["x"]})
    assert missed.failed == [1]
    assert "cannot hold together" in str(missed.outcomes[1])


@pytest.mark.parametrize("form", ["explicit", "baumgarte", "orthogonal"])
def test_other_forms(form):
    eq = slider_crank()
    start = sb.assemble(eq, start=START)
    batch = sb.simulate_batch(eq, TIMES, [start, start], form=form)
    assert np.array_equal(batch[1].y, sb.simulate(eq, TIMES, start, form=form).y)


def test_invariants_have_values_of_their_own():
    compared(double_pendulum(), {"q1": np.linspace(0.5, 2, 3)}, invariants=["energy"], rtol=1e-5)


# ---------------------------------------------------------------------------------------------------------- events


def test_impacts_of_each_member():
    eq = falling()
    floor = Contact("floor", eq.q[0], 0.7)
    batch, alone = compared(eq, {"height": np.array([0.3, 0.5, 20.0, 0.2])}, 1e-11, events=[floor], rtol=1e-5)
    assert [len(m.events) for m in alone][2] == 0
    for one, other in zip(batch, alone, strict=True):
        for a, b in zip(one.events, other.events, strict=True):
            assert (a.t, a.impulses["floor"]) == pytest.approx((b.t, b.impulses["floor"]), abs=1e-11)
    touching = sb.simulate_batch(eq, TIMES, height=[0.0, 1.0], height_dot=[-1.0, 0.0], events=[floor])
    assert touching[0].events[0].t == 0.0  # begins with an impact


def test_events_reset_and_end_motions():
    eq = double_pendulum()
    q1, u1 = eq.q[0], eq.u[0]
    events = [Event("low", q1, "falling", reset={u1: -0.5 * u1}), Event("back", u1, "falling", terminal=True)]
    batch, _ = compared(
        eq, {"q1": np.linspace(0.2, 1.5, 6), "q1_dot": np.full(6, -0.5)}, 1e-9, events=events, rtol=1e-5
    )
    assert {m.outcome.ending for m in batch} == {Ending.STOPPED}
    stopped = [np.count_nonzero(~np.isnan(row)) for row in batch["q1"]]
    assert stopped == [len(m) for m in batch]


def test_events_at_the_end():
    """What the next step would find counts, as it does by `simulate`: an impact, and an event that ends a motion."""
    eq, times = falling(), np.array([0.0, 0.5, 1.0])
    height = [5.0, 4.9, 5.1]  # the first one arrives at t = 1
    for event, count in (
        (Contact("floor", eq.q[0], 0.5), [1, 1, 0]),
        (Event("low", eq.q[0], terminal=True), [1, 1, 0]),
    ):
        batch = sb.simulate_batch(eq, times, height=height, events=[event])
        alone = [sb.simulate(eq, times, height=h, events=[event]) for h in height]
        assert [len(m.events) for m in batch] == [len(m.events) for m in alone] == count
        assert [m.outcome.ending for m in batch] == [m.outcome.ending for m in alone]
        assert batch[0].y[-1] == pytest.approx(alone[0].y[-1], abs=1e-12)
        assert batch["height_dot"][0, -1] == pytest.approx(alone[0].y[-1, 1], abs=1e-12)


def test_bounces_without_end_are_said_as_by_simulate():
    eq = falling()
    batch, _ = compared(eq, {"height": np.array([0.1, 50.0])}, 1e-9, events=[Contact("floor", eq.q[0], 0.3)], rtol=1e-5)
    assert batch.failed == [0]
    assert batch.outcomes[0].ending is Ending.CHATTERING


# ---------------------------------------------------------------------------------------------------------- inputs


def test_inputs_by_member_as_numbers_and_samples():
    eq, knots = double_pendulum(), np.linspace(0.0, 1.0, 9)
    torques = np.random.default_rng(0).normal(size=(4, 9))
    for kind in ("cubic", "linear"):
        batch = sb.simulate_batch(eq, TIMES, inputs={"tau": (knots, torques, kind)}, q1=0.3)
        for k in range(4):
            alone = sb.simulate(eq, TIMES, q1=0.3, inputs={"tau": (knots, torques[k], kind)})
            np.testing.assert_allclose(batch[k].y, alone.y, rtol=1e-9, atol=1e-11)
            np.testing.assert_allclose(batch[k]["q1_ddot"], alone["q1_ddot"], rtol=1e-8)
            np.testing.assert_allclose(batch["q1_ddot"][k], alone["q1_ddot"], rtol=1e-8)
    constant = sb.simulate_batch(eq, TIMES, inputs={"tau": np.array([0.0, 2.0])}, q1=0.3)
    assert np.array_equal(constant[1].y, sb.simulate(eq, TIMES, q1=0.3, tau=2.0).y)


def test_feedback_with_gains_by_member():
    eq, k = double_pendulum(), sb.symbol("k", "parameter")
    law, gains = {"tau": -k * eq.q[0] - eq.u[0]}, np.linspace(0, 20, 4)
    batch = sb.simulate_batch(eq, TIMES, inputs=law, k=gains, q1=0.5)
    for j, gain in enumerate(gains):
        assert np.array_equal(batch[j].y, sb.simulate(eq, TIMES, inputs=law, k=gain, q1=0.5).y)


# --------------------------------------------------------------------------------------------------------- outputs only


def test_outputs_alone_are_kept_at_times_or_at_the_end():
    eq, q1 = double_pendulum(), np.linspace(0, 1, 4)
    whole = sb.simulate_batch(eq, TIMES, q1=q1)
    kept = sb.simulate_batch(eq, TIMES, q1=q1, outputs=["tip_height", eq.q[0] * 2])
    for what in ("tip_height", eq.q[0] * 2):
        np.testing.assert_allclose(kept[what], whole[what], rtol=1e-12)
    last = sb.simulate_batch(eq, 1.0, q1=q1, outputs=["tip_height"])
    assert last["tip_height"].shape == (4, 1)
    np.testing.assert_allclose(last["tip_height"][:, 0], whole["tip_height"][:, -1], rtol=1e-7)
    with pytest.raises(sb.errors.SimulationError, match="only 'tip_height' was kept"):
        last["q1"]
    slow = sb.simulate_batch(eq, TIMES, q1=q1, outputs=["tip_height"], method="radau")
    np.testing.assert_allclose(slow["tip_height"], whole["tip_height"], rtol=1e-5)


# ----------------------------------------------------------------------------------------------- members that need more


def test_a_stiff_member_is_run_by_the_implicit_method():
    eq = lagging_spring()
    batch, _ = compared(eq, {"T": np.array([0.5, 1e-7]), "x": np.array([1.0, 1.0])})
    assert "dp8" in batch[0].choices["method"]
    assert "radau" in batch[1].choices["method"]


def test_a_bad_member_ends_by_itself():
    eq = double_pendulum()
    batch, _ = compared(eq, {"q1": np.array([0.1, 0.2, 0.3]), "c": np.array([0.0, -1e4, 0.0])}, max_steps=200)
    assert batch.failed == [1]
    assert np.isfinite(batch["q1"][[0, 2]]).all()


def test_interruption_leaves_what_was_reached():
    eq = double_pendulum()
    sb.simulate_batch(eq, np.array([0.0, 0.1]), q1=[0.1, 0.2])
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begun = time.perf_counter()
    batch = sb.simulate_batch(eq, np.array([0.0, 1e6]), q1=[0.1, 0.2, 0.3], threads=1)
    assert time.perf_counter() - begun < 20.0
    assert {x.ending for x in batch.outcomes} == {Ending.INTERRUPTED}
    with pytest.raises(KeyboardInterrupt, match="before this one was interrupted"):  # ends a script's loop
        sb.simulate_batch(eq, np.array([0.0, 0.1]), q1=[0.1, 0.2])
