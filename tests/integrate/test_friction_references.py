"""Reference problems of contact with friction: resistance to rolling and spinning, Euler's disc, a slider crank with
clearance, a robot that stands."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from bench.standing_robot import in_mujoco, solo_file, standing

from ..amount import dear

g = 9.81


def test_resistance_to_rolling_and_to_spinning() -> None:
    """A moment c N: a rolling ball is slowed by 5/7 c g / R, one that spins on the spot stops after 2/5 R² ω / (c g)."""
    R, c = 0.1, 0.004
    m = sb.Model("ball")
    m.gravity(0, 0, -g)
    body = m.body("ball", mass=2.0, inertia=(0.4 * 2 * R**2,) * 3)
    m.free("b", m.ground, body, sequence="euler parameters")
    near = sb.touch(sb.Ball(body, R), sb.HalfSpace(m.ground))
    more = [sb.Friction("rolling", near.spin[1:], c), sb.Friction("spin", near.spin[0], c)]
    lane = sb.Contacts(sb.derive(m), sb.Contact("lane", near, friction=0.5, resists=more))
    rolling = sb.simulate_modes(lane, 4.0, b_z=R, b_x_dot=1.0, b_wy=1.0 / R)
    assert abs(rolling["b_x"][-1] - 0.5 * 1.0 / (5 / 7 * c * g / R)) < 1e-6
    assert rolling.mode[-1] == "lane sticks + rolling sticks + spin sticks"
    spun = sb.simulate_modes(lane, 2.0, b_z=R, b_wz=12.0)
    ends = next(e.t for e in spun.events if e.name == "spin sticks")
    assert abs(ends - 0.4 * R**2 * 12 / (c * g)) < 1e-7


@dear
def test_eulers_disc_comes_to_an_end_in_finite_time() -> None:
    """With a moment c N against turning, 3/2 m g R α' = -c m g Ω α with Ω² = 4 g/(R α): √α falls on a straight line, by
    (2 c / 3 R) √(g/R) a second, while Ω grows without bound; all for small α."""
    R, c, a0 = 0.04, 2e-4, 0.05
    m = sb.Model("Euler's disc")
    m.gravity(0, 0, -g)
    disc = m.body("disc", mass=0.4, inertia=(0.4 * R**2 / 4, 0.4 * R**2 / 4, 0.4 * R**2 / 2))
    m.free("d", m.ground, disc, sequence="euler parameters")
    near = sb.touch(sb.Ring(disc, R), sb.HalfSpace(m.ground))
    edge = sb.Contact("edge", near, friction=0.8, resists=[sb.Friction("rolling", near.spin[1:], c)])
    W = np.sqrt(4 * g / (R * np.sin(a0)))
    start = {"d_e0": np.cos(a0 / 2), "d_e1": np.sin(a0 / 2), "d_z": R * np.sin(a0), "d_wy": W * np.sin(a0)}
    sim = sb.simulate_modes(sb.Contacts(sb.derive(m), edge), 1.5, start, rtol=1e-8)
    tilt = np.arcsin(sim["d_z"] / R)
    line = np.sqrt(a0) - 2 * c / (3 * R) * np.sqrt(g / R) * sim.t
    assert tilt[-1] < 0.45 * a0
    assert np.abs(np.sqrt(tilt) - line).max() < 0.02 * np.sqrt(a0)


def slider_crank(mu: float) -> sb.Contacts:
    """A slider with clearance in its guide, touching it with four corners (Flores, Leine, Glocker 2010)."""
    l1, l2, a, b, c = 0.153, 0.306, 0.05, 0.025, 0.001
    m = sb.Model("slider crank with clearance")
    q1, q2, q3 = m.coordinates("q1 q2 q3")
    m.gravity(0, -g, 0)
    crank = m.ground.rotate("z", q1)
    pin = m.ground.translate(l1 * sb.cos(q1), l1 * sb.sin(q1), 0)
    rod = pin.rotate("z", q2)
    slider = pin.translate(l2 * sb.cos(q2), l2 * sb.sin(q2), 0).rotate("z", q3)
    m.body("crank", crank, mass=0.038, com=(l1 / 2, 0, 0), inertia=(0, 0, 7.4e-5))
    m.body("rod", rod, mass=0.038, com=(l2 / 2, 0, 0), inertia=(0, 0, 5.9e-4))
    m.body("slider", slider, mass=0.076, inertia=(0, 0, 2.7e-6))
    contacts = []
    for k, corner in enumerate(sb.corners(slider, (2 * a, 2 * b, 0))):
        side = 1 if k % 2 else -1  # corners come in pairs: lower, upper
        wall = sb.HalfSpace(m.ground, (0, -side, 0), at=(0, side * (b + c), 0))
        contacts.append(
            sb.Contact(f"corner{k}", sb.touch(corner, wall, across=m.ground.z), restitution=0.4, friction=mu)
        )
    return sb.Contacts(sb.derive(m), *contacts)


def test_slider_crank_with_clearance_by_both_routes() -> None:
    """Impacts of the slider's corners in its guide: energy never grows beyond what gravity gives, and time stepping
    follows events through the first of them."""
    crank = slider_crank(0.01)
    start = {"q1_dot": 150.0, "q2_dot": -75.0}
    sim = sb.simulate_modes(crank, 0.02, start, rtol=1e-9)
    hits = [e for e in sim.events if e.impulses]
    assert len(hits) > 4
    assert np.diff(sim.energy).max() < 1e-9 * sim.energy[0]
    assert sim.energy[-1] < 0.995 * sim.energy[0]
    steps = sb.simulate_modes(crank, 0.02, start, method="moreau", step=1e-7)
    assert abs(steps["q1"][-1] / sim["q1"][-1] - 1) < 1e-4
    assert abs(steps.energy[-1] / sim.energy[-1] - 1) < 1e-3


@dear
def test_solo12_dropped_on_the_ground_stands_as_in_mujoco() -> None:
    """Heights over two seconds, and the angles at which its legs come to rest."""
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    path = solo_file()
    if path is None:
        pytest.skip("example-robot-data is not installed")
    contacts, start, laws = standing(path)
    times = np.linspace(0, 2, 201)
    sim = sb.simulate_modes(contacts, times, start, inputs=laws, method="moreau", step=5e-5)
    theirs = in_mujoco(path, 2e-4)(10_000)[49::50]
    assert np.abs(sim["base_z"][1:] - theirs).max() < 3e-4
    assert abs(sim["base_z"][-1] - theirs[-1]) < 1e-4
    assert np.abs(sim.u[-1]).max() < 1e-6
