"""Motions begin with machine code that is quick to have, and long ones go on with better code."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.emit.run import callable as callables
from symbody.emit.run import loop_callee
from symbody.emit.run.loop_callee import LoopCallee
from symbody.integrate.forms.compile_effort import Effort
from symbody.integrate.forms.forms import Form

from .mechanisms import START, double_pendulum, slider_crank


class Code:
    """Machine code that takes a while to improve."""

    def __init__(self, seconds: float) -> None:
        self.seconds_to_improve, self.improved = seconds, 0

    def improve(self) -> None:
        self.improved += 1


def test_code_is_improved_when_it_has_run_for_as_long_as_that_takes():
    effort, one, other = Effort(), Code(1.0), Code(0.5)
    effort.code.update([one, other])
    effort.spend(0.9)
    effort.spend(0.5)
    assert not effort.is_full
    effort.spend(0.2)
    assert effort.is_full
    effort.spend(10.0)
    assert (one.improved, other.improved) == (1, 1)


def test_code_that_nobody_runs_any_more_does_not_count():
    effort = Effort()
    effort.code.add(Code(1.0))
    effort.spend(1e-9)
    assert effort.is_full


MOTIONS = {
    "pendulum": (double_pendulum, {"q1": 2.0, "q2": 1.0, "tau": 0.0}),
    "slider crank": (slider_crank, START),  # with the way back to its constraints
}


@pytest.mark.parametrize("name", MOTIONS)
def test_a_motion_is_the_same_whenever_its_code_is_improved(name, tmp_path, monkeypatch):
    """Never, or after the first steps: with code of both kinds, from a disk that has none."""
    monkeypatch.setattr(callables, "LONG_PROGRAM", 1)
    made, start = MOTIONS[name]
    found, was_improved = [], []
    for seconds in (1e9, 1e-9):
        monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / f"{seconds:g}"))
        monkeypatch.setattr(callables, "SECONDS_PER_INSTRUCTION", seconds)
        monkeypatch.setattr(loop_callee, "SECONDS_PER_BYTE", 1e-4 * seconds)
        loop_callee.compiled_loops.cache_clear()
        eq = sb.derive(made().mechanism, check=False)
        sim = sb.simulate(eq, 10.0, sb.assemble(eq, start=start) if eq.lam else start, rtol=1e-9, progress=False)
        assert sim.statistics.steps > 64  # which is when it is looked at first
        found.append(sim.y)
        was_improved.append([e.is_full for e in efforts(eq)])
        loops = [code for e in efforts(eq) for code in e.code if isinstance(code, LoopCallee)]
        assert all(loop.is_quick == (seconds > 1) for loop in loops)
        assert {loop._made_of[0] for loop in loops} >= {"march.entry", *(["settle.entry"] if eq.lam else [])}
    assert was_improved == [[False], [True]]
    assert np.array_equal(*found)


def efforts(eq: sb.Equations) -> list[Effort]:
    """Of the forms that a run has left with its equations."""
    return [form.effort for kept in eq._caches.values() for form in kept.values() if isinstance(form, Form)]


def test_batches_get_full_effort():
    eq = sb.derive(double_pendulum().mechanism, check=False)
    sb.simulate_batch(eq, np.linspace(0, 0.1, 3), q1=[0.1, 0.2], tau=0.0)
    assert [e.is_full for e in efforts(eq)] == [True]
