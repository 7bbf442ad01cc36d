"""Motions end where they leave the region in which their model is valid, by every route that ends motions."""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.integrate import Ending


def pendulum() -> sb.Model:
    m = sb.Model("pendulum on a rope")
    joint = m.revolute("a", m.ground, m.body("bob", mass=1, com=(0, -1, 0)))
    m.gravity(0, -9.81, 0)
    m.valid_while("taut", sb.cos(joint.q))
    return m


@pytest.mark.parametrize("method", ["auto", "radau", "rk4"])
def test_a_motion_ends_at_the_border(method: str) -> None:
    more: dict[str, Any] = {"step": 1e-3} if method == "rk4" else {}
    sim = sb.simulate(sb.derive(pendulum()), 2.0, a=1.0, a_dot=5.0, method=method, **more)
    assert sim.outcome.ending is Ending.NOT_VALID
    assert not sim.outcome
    assert "'taut' (cos(a) > 0) does not hold" in str(sim.outcome)
    assert sim["a"][-1] == pytest.approx(pi / 2, abs=1e-9)


def test_it_does_not_begin_outside_and_goes_on_inside() -> None:
    eq = sb.derive(pendulum())
    outside = sb.simulate(eq, 2.0, a=2.0)
    assert outside.outcome.ending is Ending.NOT_VALID
    assert outside.outcome.t == 0
    assert sb.simulate(eq, 2.0, a=1.0).outcome.ending is Ending.REACHED


def test_members_and_modes_end_too() -> None:
    eq = sb.derive(pendulum())
    batch = sb.simulate_batch(eq, [0.0, 1.0, 2.0], a=[0.5, 1.0], a_dot=[0.0, 5.0])
    assert [batch[k].outcome.ending for k in range(2)] == [Ending.REACHED, Ending.NOT_VALID]
    wall = sb.Contacts(eq, sb.Contact("wall", eq.q[0] + 3))
    assert sb.simulate_modes(wall, 2.0, a=1.0, a_dot=5.0).outcome.ending is Ending.NOT_VALID


def test_time_stepping_ends_too() -> None:
    eq = sb.derive(pendulum())
    wall = sb.Contacts(eq, sb.Contact("wall", eq.q[0] + 3))
    sim = sb.simulate_modes(wall, 2.0, a=1.0, a_dot=5.0, method="moreau", step=1e-3)
    assert sim.outcome.ending is Ending.NOT_VALID
    assert "'taut' (cos(a) > 0) does not hold" in str(sim.outcome)
    assert sim["a"][-2] < pi / 2 < sim["a"][-1] == pytest.approx(pi / 2, abs=5e-3)
    outside = sb.simulate_modes(wall, 2.0, a=2.0, method="moreau", step=1e-3)
    assert (outside.outcome.ending, len(outside.t)) == (Ending.NOT_VALID, 1)


@pytest.mark.parametrize("method", ["rk4", "sdirk3", "moreau"])
def test_steps_out_of_the_region_have_no_numbers(method: str) -> None:
    eq = sb.derive(pendulum())
    wall = sb.Contacts(eq, sb.Contact("wall", eq.q[0] + 3))
    env = sb.stepper(wall if method == "moreau" else eq, 0.1, method=method)
    inside, border = np.array([1.0, 0.0]), np.array([1.5, 5.0])
    assert np.isfinite(env.step(inside)).all()
    assert np.isnan(env.step(border)).all()
    assert np.isnan(env.step(np.array([inside, border]))).tolist() == [[False, False], [True, True]]
    assert np.isnan(env.derivatives(border).state).all()
    if method == "moreau":
        assert np.isnan(env.impulses(border).state).all()


def test_exports_end_there(tmp_path: Path) -> None:
    """As a terminal event, which FMUs hand to the importer as the end of the simulation."""
    eq = sb.derive(pendulum())
    made = sb.write.artefact(eq, sb.write.ExportOptions(reference=None))
    assert made.function("events").names["g"] == ("valid while taut",)
    assert made.event_senses == ((-1, True),)
    assert "terminate(" in (sb.write.modelica(eq, tmp_path / "m") / "pendulum_on_a_rope.mo").read_text()
    assert "valid while taut" in sb.write.live_page(eq, tmp_path / "p.html", start={"a": 1.0}).read_text()


def test_an_fmu_ends_there(tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy")
    path = sb.write.fmu(
        sb.derive(pendulum()), tmp_path / "p.fmu", start={"a": 1.0, "a_dot": 5.0}, kind="co-simulation", version=3
    )
    found = fmpy.simulate_fmu(str(path), stop_time=2.0, output=["a"])
    assert found["time"][-1] < 0.2
    assert found["a"][-1] < pi / 2 + 1e-6


def test_copies_and_files_keep_it(tmp_path: Path) -> None:
    m = sb.Model("two")
    m.attach("left", m.ground, pendulum())
    assert list(m.parts.validity) == ["left_taut"]
    sb.write_model(m, tmp_path / "two.yaml")
    assert {k: str(e) for k, e in sb.read_model(tmp_path / "two.yaml").mechanism.validity.items()} == {
        "left_taut": "cos(left_a)"
    }


def test_it_is_a_condition_on_the_state() -> None:
    m = pendulum()
    with pytest.raises(sb.ModelError, match="a_ddot cannot be in it"):
        m.valid_while("slow", 1 - m.symbols["a"].dot.dot)
    assert list(m.parts.validity) == ["taut"]
