"""Moreau-Jean time stepping judges its impulses: stacks of unequal masses stand, and what has no solution is told."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import symbody as sb
from symbody.integrate import Ending

g, H = 9.81, 1e-2


def stack(ratio: float, count: int = 6) -> tuple[sb.Contacts, dict[str, float]]:
    """Bodies on each other, each `ratio` times as heavy as the one below it; heights at which they rest."""
    m = sb.Model("stack")
    m.gravity(0, -g, 0)
    heights = [m.coordinate(f"y{k}") for k in range(count)]
    for k, y in enumerate(heights):
        m.particle(f"body{k}", m.ground.point(0, y, 0), mass=float(ratio) ** k)
    gaps = [heights[0], *(y - below - 0.1 for below, y in pairwise(heights))]
    contacts = [sb.Contact(f"contact{k}", gap) for k, gap in enumerate(gaps)]
    return sb.Contacts(sb.derive(m), *contacts), {f"y{k}": 0.1 * k for k in range(count)}


@pytest.mark.parametrize("ratio", [1, 2, 6, 10])
def test_stacks_of_any_masses_stand(ratio):
    """At rest, as by events; impulses carry the weights to 1e-6 in every step.

    Of a contact the impulse is h g Σ m + Σ m Δu over the bodies above it, so that the momentum that is left is its error.
    """
    contacts, start = stack(ratio)
    sim = sb.simulate_modes(contacts, 20 * H, start, method="moreau", step=H)
    events = sb.simulate_modes(contacts, 20 * H, start)
    assert sim.outcome.ending is Ending.REACHED
    assert np.abs(sim.q - sim.q[0]).max() < 1e-9
    assert np.abs(events.q[-1] - sim.q[-1]).max() < 1e-9
    masses = float(ratio) ** np.arange(6)
    above = np.cumsum((masses * np.diff(sim.u, axis=0))[:, ::-1], axis=1)[:, ::-1]
    weights = g * H * np.cumsum(masses[::-1])[::-1]
    assert np.abs(above / weights).max() < 1e-6


@pytest.mark.parametrize("ratio", [1, 2, 6, 10])
def test_steppers_have_the_impulses_of_stacks(ratio):
    contacts, start = stack(ratio)
    env = sb.stepper(contacts, H, start)
    found = env.impulses(env.start)
    weights = g * H * np.cumsum(float(ratio) ** np.arange(6)[::-1])[::-1]
    assert found.impulses == pytest.approx(weights, rel=1e-6)
    assert found.residual < 1e-9


def press() -> sb.Contacts:
    """A block between a floor and a ceiling that comes down to it at t = 0.5, and goes on."""
    m = sb.Model("press")
    m.gravity(0, -g, 0)
    x, y = m.coordinates("x y")
    m.particle("block", m.ground.point(x, y, 0), mass=2.0)
    floor = sb.Contact("floor", y, friction=0.3, slip=x.dot)
    return sb.Contacts(sb.derive(m), floor, sb.Contact("ceiling", 0.5 - m.time - y), sb.Contact("wall", 3 - x))


def test_impulses_that_are_not_found_end_the_motion_and_are_told():
    """What was computed before is kept; the outcome names time, contacts and residual, and what to try."""
    sim = sb.simulate_modes(press(), 1.0, x_dot=1.0, method="moreau", step=1e-3)
    outcome = sim.outcome
    assert outcome.ending is Ending.NOT_CONVERGED
    assert not outcome
    assert outcome.t == pytest.approx(0.5, abs=2e-3)
    assert sim.t[-1] == pytest.approx(outcome.t)
    assert np.isfinite(sim.y).all()
    assert sim["x_dot"][-1] == 0.0
    for part in ("floor", "ceiling", "residual", "step="):
        assert part in outcome.detail
    assert "wall" not in outcome.detail


def test_steps_without_impulses_have_no_numbers():
    env = sb.stepper(press(), 1e-3)
    assert np.isfinite(env.step(env.start, t=0.2)).all()
    found = env.impulses(env.start, t=0.6)
    assert np.isnan(found.state).all()
    assert found.residual > 1e-4
