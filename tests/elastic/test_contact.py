"""Beams that touch the ground: forces of contacts are small beside elastic forces, and vanish many times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb

from ..amount import dear, some


def falling_rod(friction: float | None, restitution: float) -> sb.Contacts:
    """A soft rod in a plane, whose ends may touch the ground."""
    m = sb.Model("falling rod")
    rod = m.beam("rod", length=1.0, EI=20.0, EA=1e4, rho_A=0.5, modes={"y": 3, "x": 1}, ends=("free", "free"))
    m.planar("P", m.ground, rod)
    m.gravity(0, -9.81, 0)
    ground = sb.HalfSpace(m.ground, normal="y")
    law: dict[str, Any] = {} if friction is None else {"friction": friction}
    ends = {"left": rod.at(0).origin, "right": rod.at(1.0).origin}
    touching = (
        sb.Contact(n, sb.touch(sb.Ball(end), ground, across=m.ground.z), restitution=restitution, **law)
        for n, end in ends.items()
    )
    return sb.Contacts(sb.derive(m), *touching)


@pytest.mark.parametrize(
    ("friction", "restitution"),
    [(None, 0.3), *(pytest.param(*case, marks=dear) for case in ((None, 0.0), (0.3, 0.0), (0.8, 0.3)))],
)
def test_a_soft_rod_falls_on_its_ends(friction, restitution):
    """An end whose force has come to zero leaves the ground, though rounding of elastic accelerations has it pressed:
    energy never grows, and no end is below the ground."""
    rod = falling_rod(friction, restitution)
    for angle in some([0.4, 0.2, -0.1], 1 if friction is None else 3):
        sim = sb.simulate_modes(rod, 1.0, P_y=0.6, P_a=angle)
        assert sim.outcome, sim.outcome
        E = np.asarray(sim.energy)
        assert np.diff(E).max() < 1e-8 * E[0]
        assert min(np.min(sim[c.gap]) for c in rod.contacts) > -1e-8


def test_a_soft_rod_by_time_stepping():
    """Until chaos parts them: the first second of slaps, by events and by steps."""
    rod = falling_rod(0.3, 0.0)
    times = np.linspace(0, 0.42, 22)
    events = sb.simulate_modes(rod, times, P_y=0.6, P_a=0.4)
    steps = sb.simulate_modes(rod, times, P_y=0.6, P_a=0.4, method="moreau", step=2e-6)
    assert len(events.events) > 10
    for name in ("P_x", "P_y", "P_a", "rod_y1"):
        assert steps[name] == pytest.approx(events[name], abs=2e-3), name
