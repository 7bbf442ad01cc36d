"""Branches whose unknowns grow by many of their sizes: steps become longer where the curve is straight."""

import numpy as np
import pytest

import symbody as sb

K, C, DRUM, UNBALANCE, ARM, LIMIT = 2e4, 120.0, 40.0, 1.0, 0.2, 80.0


def whirl():
    m = sb.Model("whirl")
    x, y, f = m.coordinates("x y f")
    T = m.parameter("T", 1.0)
    m.particle("drum", m.ground.point(x, y, 0), mass=DRUM)
    turning = m.ground.translate(x, y, 0).rotate("z", f)
    m.body("rotor", turning, inertia=(0, 0, 0.8))
    m.particle("unbalance", turning.point(ARM, 0, 0), mass=UNBALANCE)
    for q in (x, y):
        m.generalized_force("s" + q.name, q, -K * q - C * q.dot)
    m.generalized_force("motor", f, T * (1 - f.dot / LIMIT) - 0.01 * f.dot)
    return sb.derive(m)


def motor(W):
    """The torque that holds a speed: damping takes C W |z|² of it, z = m e W² / (k - M W² + i c W)."""
    z = UNBALANCE * ARM * W**2 / (K - (DRUM + UNBALANCE) * W**2 + 1j * C * W)
    return (C * W * np.abs(z) ** 2 + 0.01 * W) / (1 - W / LIMIT)


def test_whirl_over_all_speeds():
    """Over 2002 points it came from W = 5 to 10."""
    eq, W = whirl(), sb.symbol("W")
    found = sb.branch(eq, sb.steady(eq, {"f_dot": W}, W=5.0, free=["T"]), W=(5, 79))
    assert found.outcome == ("reached the bound", "reached the bound")
    assert len(found.points) < 600
    assert found["T"] == pytest.approx(motor(found["W"]), rel=1e-9)
    for special in found.special:
        slope = (motor(special.value * (1 + 1e-6)) - motor(special.value * (1 - 1e-6))) / 2e-6
        assert abs(slope) < 1e-5 * motor(special.value)
    assert len(found.special) == 2
    assert np.diff(np.sort(found["W"])).max() < 0.05 * 74
