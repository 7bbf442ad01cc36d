"""Orbits by shooting, and through impacts: gaits of walkers, whose multipliers need exact saltation matrices."""

import numpy as np
import pytest

import symbody as sb
from tests.amount import dear


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


def gait(walker, th: float, speed: float, period: float) -> sb.stability.Orbit:
    eq, strike = walker
    start = {"th": th, "ph": 2 * th, "th_dot": speed, "ph_dot": (1 - np.cos(2 * th)) * speed}
    return sb.orbit(eq, start, period=period, events=[strike])


def test_gaits_of_the_simplest_walker(walker):
    """Both gaits, the long one stable. Printed multipliers are -0.1912 ± 0.5563i and 4.000, 0.459, by differences;
    these are exact."""
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
    last = family.orbit(-1)["th"]
    assert (family.smallest("th")[-1], family.largest("th")[-1]) == pytest.approx((last.min(), last.max()), abs=1e-9)
    assert last.max() > family.curve_points[-1].point.x[0, 0] + 0.1  # not only at the points of shooting


@dear
def test_gait_doubles_its_period_again_and_again(walker):
    """At slopes of 0.015088437941, 0.017669374862 and 0.018160119564."""
    eq, strike = walker
    gentle = sb.orbit(eq, gait(walker, 0.2, -0.2, 3.88), slope=0.0148, events=[strike])
    family = sb.orbits(eq, gentle, slope=(0.0147, 0.0183), max_step=0.5)
    for value in (0.015088437941, 0.017669374862, 0.018160119564):
        point = family.special[0]
        assert (point.kind, point.value) == ("period doubling", pytest.approx(value, abs=1e-11))
        family = family.switched(0, max_points=40)


def compass_legs(floats: bool) -> tuple[sb.Equations, sb.Expr, sb.Expr]:
    """Two legs with masses in their middle and one at the hip, in axes along a slope; with the stance foot pinned or
    free. Equations, and the place of the swing foot."""
    m = sb.Model("compass gait")
    slope = m.parameter("slope", np.radians(3))
    m.gravity(9.81 * sb.sin(slope), -9.81 * sb.cos(slope), 0)
    x, y = m.coordinates("x y") if floats else (0, 0)
    foot = m.ground.point(x, y, 0)
    stance, swing = (m.ground.rotate("z", q) for q in m.coordinates("ts tn"))
    hip = foot + stance.vector(0, 1, 0)
    m.particle("stance leg", foot + stance.vector(0, 0.5, 0), mass=5.0)
    m.particle("hip", hip, mass=10.0)
    m.particle("swing leg", hip + swing.vector(0, -0.5, 0), mass=5.0)
    x, y, _ = (hip + swing.vector(0, -1, 0)).position().components(m.ground)
    return sb.derive(m), x, y


@pytest.fixture(scope="module")
def compass() -> tuple[sb.Equations, sb.Event]:
    """Goswami, Thuilot and Espiau: the impact is that of the free mechanism, M (u⁺ - u⁻) = Jᵀ p with J u⁺ = 0 of the
    foot that lands; then the legs change their names."""
    eq, _, height = compass_legs(floats=False)
    free, x, y = compass_legs(floats=True)
    J = sb.jacobian(sb.matrix([[x], [y]]), free.q)
    before = sb.matrix([[0], [0], [free.u[2]], [free.u[3]]])
    rows = [[*(free.M[i, j] for j in range(4)), -J[0, i], -J[1, i]] for i in range(4)]
    rows += [[*(J[k, j] for j in range(4)), 0, 0] for k in range(2)]
    after = sb.solve(sb.matrix(rows), sb.matrix([[e] for e in (*(free.M @ before).entries, 0, 0)]))
    stance, swing = (sb.substitute(after[k, 0], {free.q[0]: 0, free.q[1]: 0}) for k in (2, 3))
    ts, tn = eq.q
    reset = {"ts": tn, "tn": ts, "ts_dot": swing, "tn_dot": stance}
    strike = sb.Event("strike", height, "falling", reset=reset, where=tn - ts > 0.1)
    return eq, strike


def test_compass_gait(compass):
    """Multipliers and the step at three degrees."""
    eq, strike = compass
    start = {"ts": 0.27, "tn": -0.27, "ts_dot": -1.1, "tn_dot": -0.38}
    o = sb.orbit(eq, start, period=0.734, events=[strike])
    assert o.period == pytest.approx(0.7343463912, abs=1e-10)
    assert o.multipliers == pytest.approx(
        [-0.19972612683 + 0.544476062095j, -0.19972612683 - 0.544476062095j, 0.131572624077], abs=1e-9
    )
    (met,) = sb.simulate(eq, o.period, o, events=[strike], rtol=1e-11).events
    expected = [0.218668802939 + np.radians(3), -0.218668802939 - np.radians(3), -1.092383589884, -0.377373948907]
    assert met.after == pytest.approx(expected, abs=1e-9)
    assert 2 * np.sin(met.after[0]) == pytest.approx(0.5354454154, abs=1e-9)


@dear
def test_compass_gait_doubles_its_period_again_and_again(compass):
    """Near 4.4, 4.9 and 5.01 degrees in the figures of Goswami, Thuilot and Espiau."""
    eq, strike = compass
    start = {"ts": 0.27, "tn": -0.27, "ts_dot": -1.1, "tn_dot": -0.38}
    gentle = sb.orbit(eq, start, period=0.734, events=[strike])
    steep = sb.orbit(eq, gentle, slope=np.radians(4.2), events=[strike])
    family = sb.orbits(eq, steep, slope=(np.radians(4.1), np.radians(5.1)), max_step=0.5)
    for degrees, period in ((4.39089825, 0.75352391), (4.91405676, 1.50005169), (5.01243776, 3.00217626)):
        point = family.special[0]
        assert point.kind == "period doubling"
        assert (np.degrees(point.value), point.period) == pytest.approx((degrees, period), abs=1e-7)
        family = family.switched(0, max_points=40) if degrees < 5 else family


def test_ball_on_a_shaken_table():
    """Once in each period it is hit with the speed of the table gT/2 (1 - e)/(1 + e); the product of multipliers is e².
    The table is what drives it, though the equations know no time."""
    m = sb.Model("ball on a shaken table")
    g, a, w = m.parameters("g a w", 9.81, 0.01, 60.0)
    m.gravity(0, -g, 0)
    (y,) = m.coordinates("y")
    m.particle("ball", m.ground.point(0, y, 0), mass=1.0)
    eq, e, T = sb.derive(m), 0.7, np.pi / 30
    table = sb.Contact("table", y - a * sb.sin(w * m.time), restitution=e)
    phase = np.arccos(9.81 * T / 2 * (1 - e) / (1 + e) / 0.6)
    later = T / 3  # after the impact
    start = {
        "t": phase / 60 + later,
        "y": 0.01 * np.sin(phase) + 9.81 * later * (T - later) / 2,
        "y_dot": 9.81 * (T / 2 - later),
    }
    o = sb.orbit(eq, start, period=2 * sb.pi / w, events=[table])
    assert o.period == pytest.approx(T, rel=1e-12)
    assert np.prod(o.multipliers) == pytest.approx(e**2, rel=1e-8)
    (met,) = sb.simulate(eq, (o.t[0], o.t[-1]), o, events=[table], rtol=1e-11).events
    assert (60 * met.t) % (2 * np.pi) == pytest.approx(phase, abs=1e-7)
    with pytest.raises(sb.errors.StabilityError, match="give period="):
        sb.orbit(eq, start, events=[table])


def test_events_ask_for_shooting(walker):
    eq, strike = walker
    with pytest.raises(sb.errors.StabilityError, match="collocation does not handle events; use form='shooting'"):
        sb.orbit(eq, {"th": 0.2}, period=3.9, events=[strike], form="collocation")
    with pytest.raises(sb.errors.StabilityError, match="there is no form 'fourier'"):
        sb.orbit(eq, {"th": 0.2}, period=3.9, form="fourier")
