"""The basic constraints make a joint: a revolute joint taken apart is the joint."""

from __future__ import annotations

import pytest

import symbody as sb


def pendulum(closing) -> sb.Equations:
    m = sb.Model("free bar held at one end")
    m.gravity(0.3, -9.81, 0.2)
    bar = m.body("bar", mass=2.0, com=(0.4, 0.1, 0.0), inertia=(0.1, 0.2, 0.25))
    m.free("bar", m.ground, bar, sequence="euler parameters")
    closing(m, bar)
    return sb.derive(m)


def by_joint(m, bar):
    m.revolute("hinge", m.ground, bar)


def by_hand(m, bar):
    m.coincide("pin", m.ground.origin, bar.point())
    m.orthogonal("tilt1", m.ground.x, bar.frame.z)
    m.orthogonal("tilt2", m.ground.y, bar.frame.z)


def test_a_revolute_joint_from_basic_constraints():
    state = {"bar_e0": 0.8, "bar_e3": 0.6, "bar_wz": 1.5}
    one, other = (pendulum(way) for way in (by_joint, by_hand))
    accelerations = [sb.evaluate(eq.udot, eq.values(state, otherwise=0)) for eq in (one, other)]
    assert accelerations[0] == pytest.approx(accelerations[1], abs=1e-12)
    moments = [sb.evaluate(sb.reaction(eq, j, frame=eq.mechanism.ground, solved=True).moment, eq.values(state, otherwise=0))
               for eq, names in ((one, ["hinge"]), (other, ["tilt1", "tilt2"])) for j in names]  # fmt: skip
    total = [a + b for a, b in zip(moments[1], moments[2], strict=True)]
    assert moments[0] == pytest.approx(total, abs=1e-12)


def test_directions_must_be_fixed():
    m = sb.Model("m")
    q = m.coordinate("q")
    with pytest.raises(sb.ModelError, match="fixed in one frame"):
        m.orthogonal("constraint1", m.ground.vector(sb.sin(q), 0, 0), m.ground.y)
