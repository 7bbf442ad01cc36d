"""Three angles one after another do not determine a rotation where the first and the third axis coincide: there is no
number there, and it is said."""

from math import pi
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.integrate.result.outcome import Ending
from symbody.integrate.run.diagnosis import gimbal_lock

LOCKS = [("xyz", pi / 2), ("xyz", -pi / 2), ("zxz", 0.0), ("zxz", pi)]


def top(sequence, joint="spherical"):
    m = sb.Model("top")
    m.gravity(0, 0, -9.81)
    body = m.body("top", mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
    getattr(m, joint)("ball", m.ground, body, sequence=sequence)
    return sb.derive(m)


@pytest.fixture(scope="module", params=["xyz", "zxz"])
def turning(request):
    return request.param, top(request.param)


def test_accelerations_have_no_value_there(turning):
    sequence, eq = turning
    f = sb.compile(eq)
    for middle in (a for s, a in LOCKS if s == sequence):
        assert np.isnan(f.udot(0.0, [0.1, middle, 0.3], [0.1, 0.2, 0.3])).all()
        beside = f.udot(0.0, [0.1, middle + 1e-3, 0.3], [0.1, 0.2, 0.3])
        exact = sb.evaluate(
            list(eq.udot.entries),
            {
                **dict(zip(eq.q, [0.1, middle + 1e-3, 0.3], strict=True)),
                **dict(zip(eq.u, [0.1, 0.2, 0.3], strict=True)),
            },
            digits=40,
        )
        assert beside == pytest.approx([float(x) for x in exact], rel=1e-8)


@pytest.mark.parametrize("method", ["auto", "radau"])
def test_runs_into_it_name_the_joint(turning, method):
    sequence, eq = turning
    for middle in (a for s, a in LOCKS if s == sequence):
        sim = sb.simulate(eq, 1.0, ball_1=0.1, ball_2=middle, ball_1_dot=1.0, ball_3_dot=0.3, method=method)
        assert sim.outcome.ending is Ending.LOCKED
        assert "joint 'ball' is at ball_2" in str(sim.outcome)
        assert "euler parameters" in str(sim.outcome)


def by_hand(sequence, own):
    """The same turns of frames, one after another; speeds are their rates, or components of the angular velocity."""
    m = sb.Model("by hand")
    m.gravity(0, 0, -9.81)
    frame = m.ground
    for axis, q in zip(sequence, m.coordinates("a b c"), strict=True):
        frame = frame.rotate(axis, q)
    m.body("top", frame, mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
    for name, axis in zip(("wx", "wy", "wz"), (frame.x, frame.y, frame.z), strict=True) if own else ():
        m.speed(name, frame.angular_velocity(m.ground).dot(axis))
    return sb.derive(m)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("sequence", ["xyz", "zxz"])
def test_turns_by_hand_lock_like_joints(sequence, own):
    eq = by_hand(sequence, own)
    middle = dict(LOCKS)[sequence]
    first, _, third = (u.name for u in eq.u)
    assert np.isnan(sb.compile(eq).udot(0.0, [0.1, middle, 0.3], [0.1, 0.2, 0.3])).all()
    sim = sb.simulate(eq, 1.0, {"a": 0.1, "b": middle, first: 1.0, third: 0.3})
    assert sim.outcome.ending is Ending.LOCKED
    assert "body 'top' is at b" in str(sim.outcome)
    assert "rotate_by_euler_parameters" in str(sim.outcome)
    beside = sb.simulate(eq, 0.01, {"a": 0.1, "b": middle + 0.5, first: 1.0, third: 0.3}, rtol=1e-10)
    assert beside.outcome
    assert np.ptp(beside.energy) < 1e-7


def test_a_motion_through_it_is_that_of_euler_parameters():
    """A plane motion passes it: no rate is unbounded on its way."""
    angles, free = top("yxz", "free"), top("euler parameters", "free")
    sim = sb.simulate(angles, 1.0, ball_2_dot=3.0, rtol=1e-10)
    other = sb.simulate(free, 1.0, ball_wx=3.0, rtol=1e-10)
    assert sim.outcome
    assert other.outcome
    assert np.abs(sim["ball_2"]).max() > pi / 2
    assert sim.final["ball_z"] == pytest.approx(other.final["ball_z"], abs=1e-7)


def test_other_systems_have_no_guard():
    m = sb.Model("double pendulum")
    for k, parent in enumerate((m.ground, None)):
        body = m.body(f"b{k}", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1))
        m.revolute(f"a{k}", parent or m.bodies["b0"], body, at=(k, 0, 0))
    assert not sb.derive(m).augmented.factors.inertias


def test_an_inertia_about_one_axis_is_not_gimbal_lock():
    """A wheel with inertia about its axle alone has a singular inertia in every position: its axes do not coincide."""
    m = sb.Model("wheel")
    yaw, roll, pitch = m.coordinates("yaw roll pitch")
    m.body("wheel", m.ground.rotate("z", yaw).rotate("x", roll).rotate("y", pitch), mass=1.0, inertia=(0, 0.3, 0))
    form: Any = SimpleNamespace(equations=sb.derive(m, check=False))
    p = np.empty(0)
    assert not gimbal_lock(form, 0.0, np.array([0.1, 0.2, 0.3, 0.0, 0.0, 0.0]), p)
    assert "body 'wheel' is at roll = 1.5708" in gimbal_lock(form, 0.0, np.array([0.1, pi / 2, 0.3, 0, 0, 0.0]), p)
