"""Terrain as a surface: the distance from it, what slides and rolls on it, and mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb

g = 9.81


def test_the_gap_of_a_ball_is_its_distance():
    """On a paraboloid, against the nearest of many points."""
    m = sb.Model("ball")
    x, y, z = m.coordinates("x y z")
    field = sb.HeightField(m.ground, lambda a, b: 0.5 * a**2 + 0.2 * b**2, at=(0.1, 0, 0.3))
    found = sb.touch(sb.Ball(m.ground.translate(x, y, z), 0.05), field)
    rng = np.random.default_rng(1)
    for _ in range(5):
        at = rng.uniform(-0.5, 0.5, 2)
        above = 0.3 + 0.5 * (at[0] - 0.1) ** 2 + 0.2 * at[1] ** 2 + 0.06
        a, b = (at[k] + np.linspace(-0.1, 0.1, 801) for k in (0, 1))
        A, B = np.meshgrid(a, b, indexing="ij")
        away = np.sqrt((A - at[0]) ** 2 + (B - at[1]) ** 2 + (0.3 + 0.5 * (A - 0.1) ** 2 + 0.2 * B**2 - above) ** 2)
        assert sb.evaluate(found.gap, {x: at[0], y: at[1], z: above}) == pytest.approx(away.min() - 0.05, abs=2e-6)


def test_a_plane_as_a_field_is_a_half_space():
    """A tilted plane: motions of a ball agree with those on a half-space, but for the point of contact, which lies on the
    field and on the ball, apart by the depth of 1 µm."""
    slope = 0.3
    ends = []
    for as_field in (True, False):
        m = sb.Model("ball")
        m.gravity(0, 0, -g)
        ball = m.body("ball", mass=1.0, inertia=(0.4 * 0.01,) * 3)
        m.free("b", m.ground, ball, sequence="euler parameters")
        up = (-np.sin(slope), 0, np.cos(slope))
        tan = float(np.tan(slope))
        floor = (
            sb.HeightField(m.ground, lambda x, y, tan=tan: tan * x) if as_field else sb.HalfSpace(m.ground, normal=up)
        )
        contacts = sb.Contacts(sb.derive(m), sb.Contact("floor", sb.touch(sb.Ball(ball, 0.1), floor), friction=0.2))
        env = sb.stepper(contacts, 1e-3, b_x=0.1 * up[0], b_z=0.1 * up[2] - 1e-6, b_y_dot=0.3)
        x = env.start
        for _ in range(200):
            x = env.step(x)
        ends.append(x)
    np.testing.assert_allclose(ends[0], ends[1], atol=5e-5)
    assert ends[0][0] < -0.05


def test_a_point_slides_on_hills_with_its_energy():
    """Without friction, over a hill: the speed at the end is that of its height."""
    m = sb.Model("sled")
    x, y, z = m.coordinates("x y z")
    m.gravity(0, 0, -g)
    m.particle("sled", m.ground.point(x, y, z), mass=2.0)
    hills = sb.HeightField(m.ground, lambda a, b: 0.2 * sb.cos(2 * a))
    contacts = sb.Contacts(sb.derive(m), sb.Contact("ground", sb.touch(m.ground.point(x, y, z), hills)))
    env = sb.stepper(contacts, 2e-4, x=1.2, z=0.2 * np.cos(2.4) - 1e-9, x_dot=0.01)
    state = env.start
    for _ in range(1500):
        state = env.step(state)
    assert state[2] == pytest.approx(0.2 * np.cos(2 * state[0]), abs=2e-3)
    before, after = (g * s[2] + s[3:] @ s[3:] / 2 for s in (env.start, state))
    assert after == pytest.approx(before, abs=5e-3)


def test_what_touches_no_field_is_refused():
    m = sb.Model("ring")
    z = m.coordinate("z")
    hills = sb.HeightField(m.ground, lambda a, b: 0 * a)
    with pytest.raises(sb.errors.ModelError, match="Ring and HeightField have no gap"):
        sb.touch(sb.Ring(m.ground.translate(0, 0, z), 0.3, axis="y"), hills)
