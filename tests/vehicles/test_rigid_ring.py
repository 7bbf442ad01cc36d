"""A belt on elastic sidewalls: its frequencies, the stiffness and the forces of the whole tyre, gyroscopic splitting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh

FREQUENCIES = {"along": 77.17, "across": 42.41, "windup": 58.95, "yaw": 53.49}
BELT: dict[str, Any] = {"mass": 7.0, "inertia": (0.33, 0.63), "frequencies": FREQUENCIES}
RADIUS, STIFFNESS = 0.31, 2e5


def tyre(**options: Any) -> vh.BrushTyre:
    given = {"radius": RADIUS, "cornering": 6e4, "along": 9e4, "friction": 0.9, "stiffness": STIFFNESS, **options}
    return vh.BrushTyre(**given)


def on_a_rig(
    speed: float = 0.0, height: float = RADIUS, slip: float = 0.0, rim_inertia: float = 1e6, **options: Any
) -> tuple[sb.Equations, vh.RigidRing]:
    """The centre of the rim is held; it runs along, turned by a slip angle."""
    m = sb.Model("rig")
    V, a, h = m.parameters(V=speed, a=slip, h=height)
    spin = m.coordinate("spin")
    carrier = m.ground.translate(V * m.time, 0, h).rotate("z", -a)
    rim = m.body("rim", carrier.rotate("y", spin), mass=10, inertia=(rim_inertia,) * 3)
    ring = vh.rigid_ring(m, "tyre", rim, tyre(), carrier=carrier, spin=spin, **{**BELT, **options})
    return sb.derive(m), ring


def modes(eq: sb.Equations, turns: float) -> np.ndarray:
    state = {s.name: 0.0 for s in (*eq.q, *eq.u, *eq.z)} | {"spin_dot": turns}
    found = sb.linearize(eq, state, moving=True).eigenvalues()
    return np.sort(np.abs(found[found.imag > 50].imag)) / (2 * np.pi)


def test_frequencies_of_the_belt_are_those_of_its_data() -> None:
    """In the air, on a rim that stands; that about the axis with the rim as counterweight."""
    eq, _ = on_a_rig(height=2.0, damping=0.0)
    assert modes(eq, 0.0) == pytest.approx(np.sort([77.17, 77.17, 42.41, 58.95, 53.49, 53.49]), rel=1e-5)


def test_tilt_and_yaw_split_on_a_turning_wheel() -> None:
    """ω² ± (J/I) Ω ω - κ/I = 0 of a gyroscope with J about its axis, as for sidewalls without damping."""
    turns = 60.0
    eq, _ = on_a_rig(height=2.0, damping=0.0)
    found = modes(eq, turns)
    half = 0.63 / 0.33 * turns / 2
    pair = np.array([np.sqrt(half**2 + (2 * np.pi * 53.49) ** 2) + s * half for s in (-1, 1)]) / (2 * np.pi)
    for expected in pair:
        assert np.abs(found / expected - 1).min() < 1e-6


def test_load_is_that_of_the_whole_tyre() -> None:
    eq, ring = on_a_rig(speed=10.0, height=RADIUS - 0.02)
    assert 1 / ring.residual + 1 / ring.stiffness[2] == pytest.approx(1 / STIFFNESS)
    sim = sb.simulate(eq, 2.0, spin_dot=10 / (RADIUS - 0.02 / 3), method="radau")
    assert float(sim["tyre_Fz"][-1]) == pytest.approx(STIFFNESS * 0.02, rel=1e-4)


def test_steady_side_force_is_that_of_the_tyre() -> None:
    """With sidewalls that are stiff about vertical and longitudinal axes: the belt of a soft one turns out of the slip."""
    stiff = {"along": 77.17, "across": 42.41, "windup": 58.95, "yaw": 4e3}
    eq, _ = on_a_rig(speed=10.0, height=RADIUS - 0.02, slip=0.03, frequencies=stiff)
    sim = sb.simulate(eq, 1.5, spin_dot=10 * np.cos(0.03) / (RADIUS - 0.02 / 3), method="radau")
    expected = tyre().at(load=float(sim["tyre_Fz"][-1]), alpha=float(sim["tyre_alpha"][-1])).Fy
    assert float(sim["tyre_Fy"][-1]) == pytest.approx(expected, rel=1e-3)
    assert float(sim["tyre_alpha"][-1]) == pytest.approx(0.03, rel=0.05)


def test_sidewalls_without_damping_keep_the_energy() -> None:
    eq, ring = on_a_rig(height=2.0, damping=0.0, rim_inertia=1.5)
    start = {"tyre_x": 1e-3, "tyre_z": -2e-3, "tyre_windup": 0.02, "spin_dot": 50.0}
    sim = sb.simulate(eq, 0.1, start, rtol=1e-11)
    k = ring.stiffness
    stored = (k[0] * sim["tyre_x"] ** 2 + k[2] * sim["tyre_z"] ** 2 + k[4] * sim["tyre_windup"] ** 2) / 2
    assert np.ptp(stored) > 0.5 * stored[0]
    assert np.ptp(sim.energy + stored) < 1e-6 * stored[0]


def test_dampers_of_turning_sidewalls_take_energy() -> None:
    """-c |d' - Ω e_y × d|², also where the belt stands aside of a rim that turns."""
    eq, ring = on_a_rig(height=2.0, damping=0.05, rim_inertia=1.5)
    sim = sb.simulate(eq, np.linspace(0, 0.02, 201), tyre_z=-2e-3, spin_dot=300.0, rtol=1e-11)
    k = ring.stiffness
    stored = (k[0] * sim["tyre_x"] ** 2 + k[2] * sim["tyre_z"] ** 2 + k[4] * sim["tyre_windup"] ** 2) / 2
    turns = sim["spin_dot"]
    slides = (sim["tyre_x_dot"] - turns * sim["tyre_z"]) ** 2 + (sim["tyre_z_dot"] + turns * sim["tyre_x"]) ** 2
    c, twist = 2 * 0.05 * 7 * 2 * np.pi * 77.17, 2 * 0.05 * 0.63 * 2 * np.pi * 58.95
    power = c * slides + twist * sim["tyre_windup_dot"] ** 2
    lost = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(sim.t))])
    total = sim.energy + stored
    assert lost[-1] > 0.5 * stored[0]
    assert total[0] - total == pytest.approx(lost, abs=2e-3 * stored[0])


def test_wrong_data_are_refused_by_name() -> None:
    for options, name in (
        ({"mass": -7.0}, "mass"), ({"frequencies": {**FREQUENCIES, "yaw": 0.0}}, "yaw"), ({"frequencies": {"along": 70.0}}, "across"),
        ({"damping": {**dict.fromkeys(FREQUENCIES, 0.1), "pitch": 1.0}}, "pitch"), ({"inertia": (1.0,)}, "inertia"),
        ({"frequencies": {**FREQUENCIES, "along": 10.0}}, "sidewalls"),
    ):  # fmt: skip
        with pytest.raises(sb.ModelError, match=name):
            on_a_rig(**options)
