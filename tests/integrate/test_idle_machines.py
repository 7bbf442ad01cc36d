"""A machine that has run before gives what a new one gives, to the last digit."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.emit.run.callable import Compiled
from symbody.integrate.run import idle_machines

from .mechanisms import START, double_pendulum, slider_crank

RUNS: dict[str, dict[str, Any]] = {
    "steps": {"rtol": 1e-9},
    "loose": {"rtol": 1e-4},
    "fixed": {"method": "rk4", "step": 1e-3},
    "baumgarte": {"form": "baumgarte"},
    "energy": {"invariants": ["energy"]},
    "short": {"max_step": 1e-3},
    "radau": {"method": "radau", "rtol": 1e-6},
    "ggl": {"form": "ggl", "rtol": 1e-6},
    "variational": {"method": "variational", "step": 1e-3, "max_step": 1e-4},
}


def motion(eq, start, end, **options):
    sim = sb.simulate(eq, end, start, progress=False, **options)
    assert sim.outcome
    return np.column_stack([sim.t, sim.y]), sim.at([0.5 * sim.t[-1]]).y


@pytest.mark.parametrize("name", RUNS)
def test_another_run_in_between_changes_nothing(name, monkeypatch):
    """Other starts, ends and tolerances, of which all are numbers of one shape."""
    eq, options = slider_crank(), RUNS[name]
    one = sb.assemble(eq, start=START)
    other = sb.assemble(eq, start={**START, eq.q[0].name: START.get(eq.q[0].name, 0.0) + 0.7})
    with monkeypatch.context() as m:
        m.setattr(idle_machines, "_idle", lambda method, task: [])
        fresh = motion(eq, one, 0.05, **options)
        fresh_other = motion(eq, other, 0.08, **options)
    for _ in range(2):
        for expected, found in zip(fresh, motion(eq, one, 0.05, **options), strict=True):
            assert np.array_equal(expected, found)
        for expected, found in zip(fresh_other, motion(eq, other, 0.08, **options), strict=True):
            assert np.array_equal(expected, found)


def test_results_are_not_overwritten_and_machines_are_used_again(monkeypatch):
    eq = double_pendulum()
    made = []
    taken = idle_machines._idle

    def seen(method, task):
        idle = taken(method, task)
        made.append(len(idle))
        return idle

    monkeypatch.setattr(idle_machines, "_idle", seen)
    times = np.linspace(0, 1, 7)
    for t in (1.0, times):
        first = sb.simulate(eq, t, q1=0.5, tau=0.0)
        kept, middle = first.y.copy(), first.at(first.t[1:3]).y if first.is_dense else None
        second = sb.simulate(eq, t, q1=-1.5, q2=0.3, tau=0.0)
        assert np.array_equal(first.y, kept)
        assert middle is None or np.array_equal(first.at(first.t[1:3]).y, middle)
        assert not np.array_equal(second.y[-1], kept[-1])
    assert made[-1] == 0  # it was taken, and has not come back when this is looked at
    assert 1 in made


@pytest.mark.parametrize("method", ["dp8", "radau", "variational"])
def test_nothing_is_chosen_or_made_again(method, monkeypatch):
    """Of the second motion, and of one with other tolerances, only numbers are new."""
    eq, step = double_pendulum(), 1e-2 if method == "variational" else None
    options = {"method": method, "step": step, "tau": 0.0}
    sb.simulate(eq, 0.1, q1=0.5, **options)
    sb.simulate(eq, 0.1, q1=0.5, rtol=1e-6, **options)
    expected = sb.simulate(eq, 0.1, q1=-0.5, rtol=1e-6, **options).y
    made = []
    for place, name in (("form_and_method", "_new_choice"), ("idle_machines", "machine_of")):
        module = import_module(f"symbody.integrate.run.{place}")
        monkeypatch.setattr(module, name, lambda *a, name=name: made.append(name))
    assert np.array_equal(sb.simulate(eq, 0.1, q1=-0.5, rtol=1e-6, **options).y, expected)
    assert not made


def bouncing():
    """A ball on a spring above a floor; impacts and a reset change the level of the energy that is kept."""
    m = sb.Model("bouncing")
    x, z = m.coordinates("x z")
    ball = m.particle("ball", m.ground.point(x, 0, z), mass=1.0)
    m.gravity(0, 0, -9.81)
    m.spring("spring", ball.point(0, 0, 0), m.ground.point(0, 0, 1), stiffness=3.0, rest=0.5)
    eq = sb.derive(m)
    floor = sb.Contact("floor", z, restitution=0.7)
    turned = sb.Event("wall", x - 0.3, "rising", reset={x.dot: -0.5 * x.dot})
    return eq, [floor, turned]


@pytest.mark.parametrize("options", [{}, {"invariants": ["energy"]}, {"method": "radau", "rtol": 1e-6}])
def test_machines_with_events_are_used_again(options, monkeypatch):
    eq, events = bouncing()

    def run(z, end=1.5):
        sim = sb.simulate(eq, end, {"z": z, "x": 0.1, "x_dot": 1.0}, events=events, progress=False, **options)
        assert sim.outcome
        return np.column_stack([sim.t, sim.y]), [(e.name, e.t) for e in sim.events]

    with monkeypatch.context() as m:
        m.setattr(idle_machines, "_idle", lambda method, task: [])
        expected, other = run(0.5), run(0.8, 1.0)
    run(0.5)
    monkeypatch.setattr(idle_machines, "machine_of", None)
    for _ in range(2):
        for (rows, occurred), found in ((expected, run(0.5)), (other, run(0.8, 1.0))):
            assert len(occurred) >= 3
            assert np.array_equal(rows, found[0])
            assert occurred == found[1]


def test_few_rates_say_that_a_short_motion_is_not_stiff(monkeypatch):
    """However many variables there are."""
    eq = slider_crank()
    start = sb.assemble(eq, start=START)
    sb.simulate(eq, 0.01, start)
    rates, over = [], Compiled.over

    def counted(self, group, rows, *groups):
        rates.append(len(rows))
        return over(self, group, rows, *groups)

    monkeypatch.setattr(Compiled, "over", counted)
    sb.simulate(eq, 0.01, start)
    assert sum(rates) <= 4 < len(eq.state)


def test_times_of_another_motion():
    """Requested times are numbers of a task too; those that were given stay what they are."""
    eq, times = double_pendulum(), np.linspace(0, 1, 5)
    a = sb.simulate(eq, times, q1=0.5, tau=0.0)
    b = sb.simulate(eq, np.linspace(0, 2, 5), q1=0.5, tau=0.0)
    assert np.array_equal(times, np.linspace(0, 1, 5))
    assert np.array_equal(a.t, times)
    assert np.array_equal(b.t, np.linspace(0, 2, 5))
    assert np.allclose(a.y[-1], b.y[2], atol=1e-7)
