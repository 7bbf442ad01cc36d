"""Nonholonomic constraints that linearisation makes integrable."""

import pytest

import symbody as sb


def rolling_wheel() -> sb.Equations:
    m = sb.Model("wheel")
    x, y, yaw, lean, spin = m.coordinates("x y yaw lean spin")
    R = m.parameter("R", 0.3)
    heading = m.ground.translate(x, y, 0).rotate("z", yaw)
    frame = heading.rotate("x", lean).translate(0, 0, R)
    wheel = m.body("wheel", frame.rotate("y", spin), mass=1.0, shape=sb.disc(R, axis="y"))
    v = wheel.velocity_at(heading.origin)
    m.constrain_speed("along", v.dot(m.ground.x))
    m.constrain_speed("across", v.dot(m.ground.y))
    return sb.derive(m)


def test_rolling_straight_ahead() -> None:
    """x - R spin is constant to first order; the side condition contains the heading and is none (Lot and Da Lio
    3.2)."""
    eq = rolling_wheel()
    V, R = sb.symbol("V", "parameter"), eq.p[0]
    q = dict(zip((s.name for s in eq.q), eq.q, strict=True))
    straight = {**dict.fromkeys(eq.q, 0), **dict.fromkeys(eq.u, 0), q["x"].dot: V, q["spin"].dot: V / R}
    found = sb.stability.linear_integrals(eq, straight)
    assert list(found) == ["along"]
    assert sb.tidy(found["along"] - (q["x"] - R * q["spin"])).value == 0


def test_at_rest_both_can_be_integrated() -> None:
    eq = rolling_wheel()
    found = sb.stability.linear_integrals(eq, dict.fromkeys((*eq.q, *eq.u), 0))
    assert list(found) == ["along", "across"]
    steady = sb.steady(eq, x_dot=1.0, zero=["yaw", "lean", "y"])
    assert list(sb.stability.linear_integrals(eq, steady)) == ["along"]
    with pytest.raises(sb.errors.StabilityError, match="steady motion or a mapping"):
        sb.stability.linear_integrals(eq, 3)
