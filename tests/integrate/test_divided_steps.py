"""Steps of one length are divided where functions of time in the equations switch: a push that is shorter than a step counts,
by every method that takes such steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb

PUSHED_AT, LASTS = 0.51, 0.01


def pushed(law: Any = None) -> sb.Equations:
    """A mass of 1 kg, with a push of 1 N s."""
    m = sb.Model("pushed mass")
    t, t0 = m.time, m.parameter("t0", PUSHED_AT)
    push = sb.where(t < t0, 0, sb.where(t < t0 + LASTS, 1 / LASTS, 0)) if law is None else law(t)
    m.prismatic("x", m.ground, m.body("body", mass=1.0), actuation=push)
    return sb.derive(m)


def walled(eq: sb.Equations) -> sb.Contacts:
    return sb.Contacts(eq, sb.Contact("wall", eq.q[0] + 1))


@pytest.mark.parametrize("substeps", [1, 3])
@pytest.mark.parametrize("method", ["rk4", "implicit-midpoint", "sdirk3", "moreau"])
def test_steppers(method: str, substeps: int) -> None:
    eq = pushed()
    env = sb.stepper(walled(eq) if method == "moreau" else eq, 0.1, method=method, substeps=substeps)
    for t0 in (PUSHED_AT, 0.3333, 0.6):  # 0.6: where a step ends
        x = env.start
        for k in range(10):
            x = env.step(x, t=0.1 * k, p={"t0": t0})
        assert x == pytest.approx([1 - t0 - LASTS / 2, 1.0], abs=1e-9)
    assert env.notes == ()


def test_derivatives_of_divided_implicit_steps() -> None:
    """Columns go through all parts of a step: ∂x⁺/∂x is that of free motion."""
    env = sb.stepper(pushed(), 0.1, method="sdirk3")
    assert env.derivatives(env.start, t=0.5).x == pytest.approx(np.array([[1.0, 0.1], [0.0, 1.0]]), abs=1e-12)


SAMPLES = np.linspace(0, 1, 201)
PULSE = np.where((SAMPLES >= 0.5) & (SAMPLES < 0.55), 20.0, 0.0)


@pytest.mark.parametrize("step", [0.1, 0.03])
@pytest.mark.parametrize("law", ["condition", "held", "linear", "wave"])
def test_time_stepping_of_contacts(law: str, step: float) -> None:
    """The same as `simulate`, whose steps end there; the wave switches where a sine does."""
    m = sb.Model("free mass")
    m.prismatic("x", m.ground, m.body("body", mass=1.0), actuation=m.input("F"))
    eq = sb.derive(m)
    t = eq.t
    laws = {
        "condition": sb.where(t < 0.51, 0, sb.where(t < 0.52, 100.0, 0)), "held": (SAMPLES, PULSE, "held"), "linear": (SAMPLES, PULSE, "linear"),
        "wave": sb.where(sb.sin(40 * t) > 0.999, 1, 0),
    }  # fmt: skip
    found = sb.simulate_modes(walled(eq), 1.0, method="moreau", step=step, inputs={"F": laws[law]})
    exact = sb.simulate(eq, 1.0, inputs={"F": laws[law]})
    assert found["x_dot"][-1] == pytest.approx(exact["x_dot"][-1], abs=1e-9)
    assert found.outcome.notes == ()


def test_what_is_not_known_is_noted() -> None:
    m = sb.Model("free mass")
    m.prismatic("x", m.ground, m.body("body", mass=1.0), actuation=m.input("F"))
    eq = sb.derive(m)
    law = {"F": lambda t: float(0.51 < t < 0.52)}
    for sim in (
        sb.simulate_modes(walled(eq), 1.0, method="moreau", step=0.1, inputs=law),
        sb.simulate(eq, 1.0, method="rk4", step=0.1, inputs=law),
    ):
        assert any("F is a function of Python, looked at every 0.1 at least" in note for note in sim.outcome.notes)
    waves = sb.stepper(pushed(lambda t: sb.where(sb.sin(40 * t) > 0.999, 1, 0)), 0.1)
    assert "not linear in time" in waves.notes[0]


def test_a_driver_says_that_its_steps_are_not_divided(tmp_path: Path) -> None:
    page = (sb.write.c(pushed(), tmp_path / "c") / "README.md").read_text()
    assert "steps of the driver are not divided" in page
