"""Orbits of driven systems have a period with which the equations repeat; any other is refused, with the term."""

import numpy as np
import pytest

import symbody as sb


def driven(force, name="forced"):
    m = sb.Model(name)
    q = m.coordinate("q")
    w = m.parameter("w", 1.0)
    m.particle("p", m.ground.point(q, 0, 0), mass=1)
    m.generalized_force("drive", q, -4 * q - 0.2 * q.dot + force(m.time, q, w))
    return sb.derive(m)


@pytest.mark.parametrize("period", [2.0, 2 * np.pi / 3, np.pi, 6.2832])
def test_other_periods_are_refused(period):
    eq = driven(lambda t, q, w: sb.cos(w * t))
    with pytest.raises(
        sb.errors.StabilityError, match=r"do not repeat.*cos\(w\*t\) in load 'drive' has period 6.283185307"
    ):
        sb.orbit(eq, {}, period=period)


@pytest.mark.parametrize("multiple", [1, 2, 3])
def test_periods_and_multiples_are_taken(multiple):
    eq = driven(lambda t, q, w: sb.cos(w * t))
    found = sb.orbit(eq, {}, period=2 * np.pi * multiple)
    t = found.at([0.7], "q")
    amplitude, phase = 1 / np.hypot(3, 0.2), np.arctan2(0.2, 3)
    assert t == pytest.approx(amplitude * np.cos(0.7 - phase), abs=1e-8)


FORCES = {
    "parametric, zero at the guess": (lambda t, q, w: 0.3 * sb.cos(2 * t) * q, np.pi, 2.0),
    "inside of a function of the state": (lambda t, q, w: 0.1 * sb.sin(q + t), 2 * np.pi, 3.0),
    "two frequencies": (lambda t, q, w: sb.cos(2 * t) + sb.sin(3 * t), 2 * np.pi, np.pi),
    "a switch": (lambda t, q, w: sb.where(sb.sin(t) > 0, 1.0, -1.0), 2 * np.pi, 5.0),
}


@pytest.mark.parametrize("name", FORCES)
def test_repetition_is_that_of_the_rates(name):
    force, period, other = FORCES[name]
    eq = driven(force, name)
    with pytest.raises(sb.errors.StabilityError, match="do not repeat"):
        sb.orbit(eq, {}, period=other)
    assert sb.orbit(eq, {}, period=period).outcome


def test_growing_force_has_no_period():
    eq = driven(lambda t, q, w: t * sb.cos(t))
    with pytest.raises(sb.errors.StabilityError, match=r"t\*cos\(t\)|cos\(t\)\*t"):
        sb.orbit(eq, {}, period=2 * np.pi)


@pytest.mark.parametrize("turns", [1, 0.5])
def test_samples_of_one_period_are_taken(turns):
    """A table over the period whose ends agree; over another time it is refused by its name."""
    m = sb.Model("samples")
    q = m.coordinate("q")
    m.particle("p", m.ground.point(q, 0, 0), mass=1)
    m.generalized_force("drive", q, -4 * q - 0.2 * q.dot + m.input("push"))
    times = np.linspace(0.0, 2 * np.pi, 65)
    eq = sb.closed_loop(sb.derive(m), {"push": (times, np.cos(times))})
    if turns == 1:
        found = sb.orbit(eq, {}, period=2 * np.pi)
        assert found.at([0.7], "q") == pytest.approx(np.cos(0.7 - np.arctan2(0.2, 3)) / np.hypot(3, 0.2), abs=1e-5)
    else:
        with pytest.raises(sb.errors.StabilityError, match=r"do not repeat with period = 3\.14"):
            sb.orbit(eq, {}, period=turns * 2 * np.pi)


def test_families_with_a_period_in_numbers_are_refused():
    """Over the frequency a period in numbers is right at one value only."""
    eq = driven(lambda t, q, w: sb.cos(w * t))
    w = sb.symbol("w")
    with pytest.raises(sb.errors.StabilityError, match="do not repeat"):
        sb.orbits(eq, sb.orbit(eq, {}, period=2 * np.pi), w=(0.9, 1.1))
    assert len(sb.orbits(eq, sb.orbit(eq, {}, period=2 * sb.pi / w), w=(0.9, 1.1))["w"]) > 2
