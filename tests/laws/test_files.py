"""What is written and read again moves alike: arms in every format of robots as the model built by hand, random mechanisms
from model files as they were, trajectories from the disk as they were simulated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.derivation.equations.random_states import random_state
from tests import arms
from tests.amount import FULL
from tests.mechanisms import Sample, random_loop, random_tree

LONG = 0.3
RTOL = 1e-9
ALIKE = 1e-7  # of states after the motion, relative to their size: errors of steps differ with the order of sums
Reader = Callable[[str], sb.Model]

FORMATS: dict[str, tuple[Callable[[arms.Arm], str], Reader]] = {
    "urdf": (arms.urdf, lambda text: sb.read_urdf(text, parameters="none", actuators=None, gravity=arms.GRAVITY)),
    "sdf": (arms.sdf, lambda text: sb.read_sdf(text, parameters="none", actuators=None, gravity=arms.GRAVITY)),
    "mjcf": (arms.mjcf, lambda text: sb.read_mjcf(text, parameters="none")),
    "osim": (arms.osim, sb.read_osim),
}
OF_PARTS = {"read_solids", "read_reduced", "read_motion"}  # formats of bodies and of measured motions


def state_of(eq: sb.Equations, seed: int) -> dict[str, float]:
    """By name: coordinates and speeds, which are rates of coordinates in both models."""
    state = random_state(eq, seed)
    return {s.name: state[s] for s in (*eq.q, *eq.u)}


def end(eq: sb.Equations, start: Any, names: list[str]) -> np.ndarray:
    sim = sb.simulate(eq, LONG, start, rtol=RTOL, method="dp8")
    assert sim.outcome, sim.outcome
    return np.array([sim[name][-1] for name in names])


def assert_moves_alike(read: sb.Model, written: sb.Model, seed: int) -> None:
    """From one state to the same state, name by name."""
    here, there = sb.derive(written, check=False), sb.derive(read, check=False)
    names, start = [s.name for s in here.state], state_of(here, seed)
    assert sorted(s.name for s in there.state) == sorted(names)
    want = end(here, start, names)
    assert np.abs(want - [start[n] for n in names]).max() > 0.01
    assert np.abs(end(there, start, names) - want).max() < ALIKE * np.abs(want).max()


@pytest.mark.parametrize("seed", range(12 if FULL else 3))
@pytest.mark.parametrize("kind", FORMATS)
def test_an_arm_of_any_format_moves_as_the_one_built_by_hand(kind: str, seed: int) -> None:
    arm = arms.random_arm(seed)
    write, read = FORMATS[kind]
    assert_moves_alike(read(write(arm)), arms.by_hand(arm), seed)


def test_every_format_is_here() -> None:
    readers = {n for n in sb.formats.__all__ if n.startswith("read_")}
    assert readers - OF_PARTS == {f"read_{kind}" for kind in FORMATS}


@pytest.mark.parametrize("seed", range(40 if FULL else 2))
@pytest.mark.parametrize("make", [random_tree, random_loop])
def test_a_model_file_moves_as_the_mechanism(make: Callable[[int], Sample], seed: int, tmp_path: Path) -> None:
    """Written twice, it is the same text; at a state on the constraints all accelerations are the same."""
    sample = make(seed)
    path = tmp_path / "model.yaml"
    sb.write_model(sample.mechanism, path)
    read = sb.read_model(path).model
    assert sb.write.model_text(read) == path.read_text(encoding="utf-8")
    here, there = (sb.derive(m, check=False) for m in (sample.mechanism, read))
    state = random_state(here, seed, sample.start)
    by_name = {s.name: x for s, x in state.items()}
    assert {s.name for s in there.state} == {s.name for s in here.state}
    want, got = (accelerations(eq, by_name) for eq in (here, there))
    assert got == pytest.approx(want, rel=1e-9, abs=1e-9 * max(map(abs, want.values())))


def accelerations(eq: sb.Equations, by_name: dict[str, float]) -> dict[str, float]:
    f = sb.compile(sb.program("rates", {"x": known(eq)}, {"u": eq.udot}))
    return dict(zip((s.name for s in eq.u), f([by_name[s.name] for s in known(eq)]).ravel(), strict=True))


def known(eq: sb.Equations) -> list[sb.Symbol]:
    return [eq.t, *eq.q, *eq.u, *eq.z, *eq.p, *eq.r]


@pytest.mark.parametrize("make", [random_tree, random_loop])
def test_a_trajectory_goes_on_from_the_disk_as_it_would_have(make: Callable[[int], Sample], tmp_path: Path) -> None:
    """The same numbers at its steps and between them, to the last digit, and the same motion after it."""
    sample = make(1)
    eq = sb.derive(sample.mechanism, check=False)
    state = random_state(eq, 1, sample.start)
    sim = sb.simulate(eq, LONG, {s: state[s] for s in (*eq.q, *eq.u, *eq.z, *eq.p, *eq.r)}, rtol=RTOL)
    read = sb.write.load_trajectory(sim.save(tmp_path / "run"), eq)
    times = np.linspace(0, LONG, 17)
    assert np.array_equal(read.y, sim.y)
    assert np.array_equal(read.at(times).y, sim.at(times).y)
    first, second = (sb.simulate(eq, (LONG, 2 * LONG), s, rtol=RTOL).y[-1] for s in (sim, read))
    assert np.array_equal(first, second)
