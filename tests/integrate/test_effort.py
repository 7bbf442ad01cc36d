"""Motions begin with machine code that is quick to have, and long ones go on with better code."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.emit.llvm import jit
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
    was_full = effort.is_full
    effort.spend(0.2)
    assert (was_full, effort.is_full) == (False, True)
    effort.spend(10.0)
    assert (one.improved, other.improved) == (1, 1)


def test_code_that_nobody_runs_any_more_does_not_count():
    """Nor does its time count for what is made later."""
    effort, other = Effort(), Code(0.5)
    effort.code.add(Code(1.0))
    effort.spend(0.4)
    was_full = effort.is_full
    effort.code.add(other)
    effort.spend(0.5)
    assert (was_full, effort.is_full) == (False, True)
    assert other.improved == 1


def test_models_of_all_sizes_have_quick_loops_in_common(tmp_path, monkeypatch):
    """Those of better code are written for one size."""
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path))
    made: list[str] = []
    machine_code = jit.machine_code

    def counted(kernels, pieces, is_quick=False, is_plain=False, packing=()):
        made.extend(["march"] if "march.entry" in kernels else [])
        return machine_code(kernels, pieces, is_quick, is_plain, packing)

    monkeypatch.setattr(jit, "machine_code", counted)
    loop_callee.compiled_loops.cache_clear()
    ends = []
    for n in (1, 2, 7):
        x = sb.symbols([f"x{k}" for k in range(n)])
        eq = sb.from_equations({s: -(k + 1) * s for k, s in enumerate(x)})
        sim = sb.simulate(eq, 1.0, start={s.name: 1.0 for s in x})
        ends.append([sim[s][-1] for s in x])
    assert made == ["march"]
    for values in ends:
        np.testing.assert_allclose(values, np.exp(-np.arange(1.0, len(values) + 1)), rtol=1e-7)


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
    assert np.array_equal(found[0], found[1])


def efforts(eq: sb.Equations) -> list[Effort]:
    """Of the forms that a run has left with its equations."""
    return [form.effort for kept in vars(eq)["_caches"].values() for form in kept.values() if isinstance(form, Form)]


def batch_of_pendulums() -> np.ndarray:
    eq = sb.derive(double_pendulum().mechanism, check=False)
    found = sb.simulate_batch(eq, np.linspace(0, 2.0, 3), q1=[0.1, 0.2, 0.7], tau=0.0, threads=1)
    assert all(e.code for e in efforts(eq))
    return np.append(np.ravel(found["q1"]), [e.is_full for e in efforts(eq)])


def steps_of_a_pendulum() -> np.ndarray:
    eq = sb.derive(double_pendulum().mechanism, check=False)
    env = sb.stepper(eq, 0.01, q1=0.7, tau=0.0)
    states = [env.start]
    for _ in range(20):
        states.append(env.step(states[-1]))
    return np.append(np.ravel(states), [e.is_full for e in efforts(eq)])


def bounces() -> np.ndarray:
    m = sb.Model("ball")
    m.gravity(0, -9.81, 0)
    x, y, turn = m.coordinates("x y turn")
    ball = m.body("ball", m.ground.translate(x, y, 0).rotate("z", turn), mass=1, inertia=(1, 1, 1))
    touch = sb.touch(sb.Ball(ball, 0.1), sb.HalfSpace(m.ground, normal=(0, 1, 0)), across=m.ground.z)
    contacts = sb.Contacts(sb.derive(m), sb.Contact("floor", touch, 0.5, 0.2))
    env = sb.stepper(contacts, 2e-3, y=0.3, x_dot=0.4)
    states = [env.start]
    for _ in range(200):
        states.append(env.step(states[-1]))
    return np.append(np.ravel(states), env._local.one.worker._effort.is_full)


@pytest.mark.parametrize("made", [batch_of_pendulums, steps_of_a_pendulum, bounces])
def test_batches_and_steppers_are_the_same_whenever_their_code_is_improved(made, tmp_path, monkeypatch):
    monkeypatch.setattr(callables, "LONG_PROGRAM", 1)
    found = []
    for seconds in (1e9, 1e-9):
        monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / f"{seconds:g}"))
        monkeypatch.setattr(callables, "SECONDS_PER_INSTRUCTION", seconds)
        monkeypatch.setattr(loop_callee, "SECONDS_PER_BYTE", 1e-4 * seconds)
        loop_callee.compiled_loops.cache_clear()
        found.append(made())
    assert [f[-1] for f in found] == [0, 1]
    assert np.array_equal(found[0][:-1], found[1][:-1])
