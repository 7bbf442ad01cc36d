"""Orbits by shooting, and through impacts: gaits of walkers, whose multipliers need exact saltation matrices."""

import numpy as np
import pytest

import symbody as sb


def test_shooting_and_collocation_agree():
    x, y, z, a, b, c = sb.symbols("x y z a b c")
    eq = sb.from_equations({x: -y - z, y: x + a * y, z: b + z * (x - c)}, {a: 0.3, b: 2, c: 4})
    settled = sb.simulate(eq, 300, x=1.0)
    shot = sb.orbit(eq, settled, form="shooting")
    collocated = sb.orbit(eq, shot, form="collocation")
    assert shot.form == "shooting"
    assert shot.period == pytest.approx(collocated.period, rel=1e-11)
    assert shot.multipliers[0] == pytest.approx(collocated.multipliers[0], rel=1e-8)
    assert shot.multipliers[1] == pytest.approx(collocated.multipliers[1], abs=1e-11)
    assert shot.extremes("z") == pytest.approx(collocated.extremes("z"), rel=1e-6)
    assert max(shot.residual, shot.trivial_error) < 1e-9


def test_constrained_shooting():
    """On constraints variations are along them, and there is nothing left but what collocation finds."""
    m = sb.Model("pendulum")
    m.gravity(0, -9.81, 0)
    x, y = m.coordinates("x y")
    m.constrain("rod", x**2 + y**2 - 1)
    m.particle("bob", m.ground.point(x, y, 0), mass=1.0)
    eq = sb.derive(m)
    start = {"x": np.sin(1.5), "y": -np.cos(1.5)}
    shot = sb.orbit(eq, start, period=2.3, form="shooting")
    assert shot.is_periodic
    assert shot.period == pytest.approx(sb.orbit(eq, start, period=2.3).period, rel=1e-9)
    assert len(shot.multipliers) == 0


def test_rimless_wheel():
    """Spokes 2α apart, slope γ: ω² = 4 g/l sin α sin γ cot² 2α after an impact, multiplier cos² 2α."""
    th = sb.symbol("th", "coordinate")
    alpha, gamma = 0.3, 0.08
    eq = sb.from_equations({th.dot.dot: sb.sin(th)}, name="rimless wheel")
    impact = sb.Event(
        "impact", th - (gamma + alpha), "rising", reset={"th": gamma - alpha, "th_dot": np.cos(2 * alpha) * th.dot}
    )
    speed = np.sqrt(4 * np.sin(alpha) * np.sin(gamma)) / np.tan(2 * alpha)
    o = sb.orbit(eq, {"th": gamma - alpha, "th_dot": 1.1 * speed}, period=1.5, events=[impact])
    assert o.multipliers == pytest.approx([np.cos(2 * alpha) ** 2], rel=1e-9)
    (met,) = sb.simulate(eq, o.period, o, events=[impact], rtol=1e-11).events
    after = o.state_at(met.t + 1e-9)
    assert (after["th"], after["th_dot"]) == pytest.approx((gamma - alpha, speed), abs=1e-7)


@pytest.fixture(scope="module")
def walker() -> tuple[sb.Equations, sb.Event]:
    """The simplest walker of Garcia, Chatterjee, Ruina and Coleman (1998)."""
    th, ph, slope = sb.symbol("th", "coordinate"), sb.symbol("ph", "coordinate"), sb.symbol("slope")
    swing = sb.sin(th - slope)
    rates = {th.dot.dot: swing, ph.dot.dot: swing + th.dot**2 * sb.sin(ph) - sb.cos(th - slope) * sb.sin(ph)}
    c = sb.cos(2 * th)
    reset = {"th": -th, "ph": -2 * th, "th_dot": c * th.dot, "ph_dot": c * (1 - c) * th.dot}
    strike = sb.Event("strike", ph - 2 * th, "rising", reset=reset, where=th < -0.05)
    return sb.from_equations(rates, {slope: 0.009}, name="walker"), strike


def gait(walker, th: float, speed: float, period: float) -> sb.Orbit:
    eq, strike = walker
    start = {"th": th, "ph": 2 * th, "th_dot": speed, "ph_dot": (1 - np.cos(2 * th)) * speed}
    return sb.orbit(eq, start, period=period, events=[strike])


def test_gaits_of_the_simplest_walker(walker):
    """Both gaits, the long one stable. Printed multipliers are -0.1912 ± 0.5563i and 4.000, 0.459, by differences; these are exact."""
    long, short = gait(walker, 0.2, -0.2, 3.88), gait(walker, 0.194, -0.204, 3.1)
    assert long.period == pytest.approx(3.8824637528514, abs=1e-10)
    assert long.multipliers[:2] == pytest.approx(
        [-0.190099841066 + 0.557598776682j, -0.190099841066 - 0.557598776682j], abs=1e-9
    )
    assert abs(long.multipliers[2]) < 1e-12  # an impact forgets how the swing leg moved
    assert long.is_stable
    assert short.period == pytest.approx(3.0961058680782, abs=1e-10)
    assert short.multipliers[:2] == pytest.approx([4.003864358930, 0.459589589798], abs=1e-8)
    assert not short.is_stable


def test_gait_doubles_its_period(walker):
    """At a slope of 0.015088437941."""
    eq, _ = walker
    family = sb.orbits(
        eq,
        sb.orbit(eq, gait(walker, 0.2, -0.2, 3.88), slope=0.0145, events=[walker[1]]),
        slope=(0.0144, 0.0154),
        max_step=0.5,
    )
    (point,) = family.special
    assert (point.kind, point.value) == ("period doubling", pytest.approx(0.015088437941, abs=1e-11))
    assert point.period == pytest.approx(3.9124092125, abs=1e-9)
    assert [len(o.multipliers) for o in family.at(0.0148)] == [3]


def test_events_ask_for_shooting(walker):
    eq, strike = walker
    with pytest.raises(sb.StabilityError, match="collocation knows no events; use form='shooting'"):
        sb.orbit(eq, {"th": 0.2}, period=3.9, events=[strike], form="collocation")
    with pytest.raises(sb.StabilityError, match="there is no form 'fourier'"):
        sb.orbit(eq, {"th": 0.2}, period=3.9, form="fourier")
