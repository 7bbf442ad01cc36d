"""Orbits from mode to mode: a block on a belt, a woodpecker, a walker on two legs that moves on."""

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.stability.periodic.orbits.hybrid_orbit import HybridOrbit
from tests.amount import dear

from ..integrate.test_friction_contacts import woodpecker
from ..integrate.test_mode_sensitivities import belt


@pytest.fixture(scope="module")
def block() -> tuple[sb.Contacts, sb.stability.Orbit]:
    system = belt()
    return system, sb.orbit(system, sb.simulate_modes(system, 30, s_dot=0.2))


def test_block_on_a_belt(block):
    """It sticks for the time 2 (μs - μk)/v and slips for 2 (π - atan((μs - μk)/v)); what it forgets when it sticks is a
    multiplier of zero."""
    system, o = block
    assert o.period == pytest.approx(1 / 0.2 + 2 * (np.pi - np.arctan(0.5 / 0.2)), abs=1e-10)
    assert o.multipliers == pytest.approx([0], abs=1e-12)
    assert o.trivial_error < 1e-10
    assert {"belt sticks", "belt slips backwards"} == set(o.modes)
    assert o.extremes("s")[1] == pytest.approx(0.5 + np.hypot(0.5, 0.2), abs=1e-9)
    assert o.extremes("lam_belt_friction") == pytest.approx((0.0, 1.0), abs=1e-2)  # 0 to 1 while it sticks
    faster = sb.orbit(system, o, v=0.25)
    assert faster.period == pytest.approx(1 / 0.25 + 2 * (np.pi - np.arctan(0.5 / 0.25)), abs=1e-9)
    assert faster.is_stable


def test_orbits_of_modes_over_a_parameter(block, tmp_path):
    system, o = block
    family = sb.orbits(system, o, v=(0.19, 0.22), max_step=1.0)
    v = family["v"]
    assert v[[0, -1]] == pytest.approx([0.19, 0.22])
    assert family["period"] == pytest.approx(1 / v + 2 * (np.pi - np.arctan(0.5 / v)), abs=1e-9)
    assert family.largest("s") == pytest.approx(0.5 + np.hypot(0.5, v), abs=1e-4)
    again = sb.write.load_orbit(o.save(tmp_path / "stick.npz"), system)
    assert isinstance(again, HybridOrbit)
    assert (again.period, again.mode, again.modes) == (o.period, o.mode, o.modes)
    two = again.trajectory(periods=2)
    assert two["s"][[0, -1]] == pytest.approx([o["s"][0]] * 2, abs=1e-8)


def test_orbits_of_modes_ask_for_what_they_need(block):
    system, _ = block
    with pytest.raises(sb.errors.StabilityError, match="from values the search needs period="):
        sb.orbit(system, {"s_dot": 0.2})
    with pytest.raises(sb.errors.StabilityError, match="mirror= is for orbits in one set of equations"):
        sb.orbit(system, {"s_dot": 0.2}, period=8.9, mirror=["s"])
    with pytest.raises(sb.errors.StabilityError, match="belongs to another system"):
        sb.orbit(system, sb.simulate_modes(belt(), 10, s_dot=0.2))
    with pytest.raises(sb.ModelError, match="the first argument is the equations"):
        sb.orbit("belt", {})  # type: ignore[arg-type]


@dear
def test_woodpecker():
    """Impacts and slips on the way, and a fall in each period. Periods of a simulation close in by the multiplier."""
    toy = woodpecker()
    sim = sb.simulate_modes(toy, 3.0, a=-0.0006 / 0.0058, b=-0.2788, y_dot=-0.3411, b_dot=-7.4583, rtol=1e-11)
    hits = np.array([e.t for e in sim.events if e.name == "beak"])
    o = sb.orbit(toy, sim)
    assert o.period == pytest.approx(0.1459760651, abs=1e-9)
    assert o.drift["y"] == pytest.approx(-0.019445379, abs=1e-8)
    off = np.diff(hits) - o.period
    assert off[-1] / off[-3] == pytest.approx(o.multipliers[0].real ** 2, rel=1e-3)
    assert o.multipliers[0] == pytest.approx(-0.839156, abs=1e-5)


def compass_walker() -> sb.Modes:
    """Two legs with masses in their middle and one at the hip, which stand in turn, in axes along a slope: the foot that
    lands stays, by an impact of the whole mechanism."""

    def standing(which: str) -> tuple[sb.Equations, dict[str, sb.Expr]]:
        m = sb.Model("compass gait")
        slope = m.parameter("slope", np.radians(3))
        m.gravity(9.81 * sb.sin(slope), -9.81 * sb.cos(slope), 0)
        x, y, left, right = m.coordinates("x y left right")
        hip = m.ground.point(x, y, 0)
        m.particle("hip", hip, mass=10.0)
        feet = {}
        for name, q in (("left", left), ("right", right)):
            leg = m.ground.rotate("z", q)
            m.particle(name, hip + leg.vector(0, -0.5, 0), mass=5.0)
            feet[name] = hip + leg.vector(0, -1, 0)
        along, across, _ = feet[which].velocity().components(m.ground)
        m.constrain_speed("along", along)
        m.constrain_speed("across", across)
        return sb.derive(m), {n: f.position().components(m.ground)[1] for n, f in feet.items()}

    (on_left, height), (on_right, _) = standing("left"), standing("right")
    ahead = sb.symbol("right", "coordinate") - sb.symbol("left", "coordinate")
    switches = [
        sb.Switch("right strikes", height["right"], "left", "right", "falling", where=ahead > 0.1),
        sb.Switch("left strikes", height["left"], "right", "left", "falling", where=ahead < -0.1),
    ]
    return sb.Modes({"left": on_left, "right": on_right}, switches, initial="left")


def compass_start() -> dict[str, float]:
    a, speed = 0.218668802939 + np.radians(3), -1.092383589884
    start = {"x": -np.sin(a), "y": np.cos(a), "left": a, "right": -a, "left_dot": speed, "right_dot": -0.377373948907}
    return start | {"x_dot": -np.cos(a) * speed, "y_dot": -np.sin(a) * speed}


@pytest.fixture(scope="module")
def gait() -> sb.stability.Orbit:
    """One step, with the legs exchanged."""
    return sb.orbit(compass_walker(), compass_start(), period=0.734, swap={"left": "right"})


@dear
def test_step_of_a_compass_gait(gait, tmp_path):
    """With the legs exchanged a step is the period; the next one is its image, a step further."""
    assert gait.period == pytest.approx(0.7343463912, abs=1e-9)
    assert gait.drift == pytest.approx({"x": 0.5354454154}, abs=1e-9)
    step = [-0.19972612683 + 0.544476062095j, -0.19972612683 - 0.544476062095j, 0.131572624077]
    assert gait.multipliers[:3] == pytest.approx(step, abs=1e-9)
    assert gait.modes == ("left", "right")
    assert "multipliers of a step" in str(gait)
    T, times = gait.period, np.array([0.1, 0.5])
    assert gait.at(times + T, "left") == pytest.approx(gait.at(times, "right"), abs=1e-9)
    assert gait.at(times + 2 * T, "left_dot") == pytest.approx(gait.at(times, "left_dot"), abs=1e-9)
    assert gait.at(times + 3 * T, "x") - gait.at(times, "x") == pytest.approx([3 * 0.5354454154] * 2, abs=1e-8)
    again = sb.write.load_orbit(gait.save(tmp_path / "gait"), gait.course.system)
    assert again.at(times + T, "left") == pytest.approx(gait.at(times + T, "left"), abs=1e-12)
    steeper = sb.orbit(gait.course.system, again, slope=np.radians(3.05))
    assert steeper.period > gait.period
    assert len(steeper.iterations) < 6


def relay(push: float) -> sb.Modes:
    """A damped mass on a spring, pushed where it goes: with 1 forwards, with `push` backwards."""
    x, y = sb.symbols("x y", "variable")
    sides = {
        name: sb.from_equations({x: y, y: force - x - 0.4 * y}, name="relay")
        for name, force in (("forwards", 1.0), ("backwards", -push))
    }
    turns = [
        sb.Switch("turns back", y, "forwards", "backwards", "falling"),
        sb.Switch("turns", y, "backwards", "forwards", "rising"),
    ]
    return sb.Modes(sides, turns, initial="forwards")


def test_half_of_a_motion_whose_other_half_is_its_image():
    """x = (1 + e)/(1 - e) where it turns, with e = exp(-δ π/ω), δ = 0.2, and half a period is π/ω; the multiplier of half
    a period is the root of that of a whole one, e²."""
    start, T = {"x": -2.0, "y": 0.0}, np.pi / np.sqrt(0.96)
    e = np.exp(-0.2 * T)
    half = sb.orbit(relay(1.0), start, period=3.2, swap={"x": "-x", "y": "-y"})
    whole = sb.orbit(relay(1.0), start, period=6.4)
    assert half.period == pytest.approx(T, abs=1e-10)
    assert whole.period == pytest.approx(2 * T, abs=1e-10)
    assert half.multipliers == pytest.approx([e], abs=1e-9)
    assert whole.multipliers == pytest.approx(half.multipliers**2, abs=1e-9)
    assert np.abs(half.at(np.linspace(0, 2 * T, 200), "x")).max() == pytest.approx((1 + e) / (1 - e), rel=1e-3)
    assert half.at([0.3 + T, 0.3 + 2 * T], "x") == pytest.approx(half.at([0.3], "x")[0] * np.array([-1, 1]), abs=1e-9)


def test_steps_that_are_no_images_are_refused():
    start, signs = {"x": -2.0, "y": 0.0}, {"x": "-x", "y": "-y"}
    with pytest.raises(sb.errors.StabilityError, match="the next step is not its image"):
        sb.orbit(relay(1.3), start, period=3.2, swap=signs)
    with pytest.raises(sb.errors.StabilityError, match="swap= is for Modes and Contacts"):
        sb.orbit(relay(1.0).equations("forwards"), start, period=2.0, swap=signs)
    with pytest.raises(sb.errors.StabilityError, match=r"'z'"):
        sb.orbit(relay(1.0), start, period=2.0, swap={"x": "-z"})


@dear
def test_steps_double(gait):
    """The gait limps beyond 4.39089825 degrees, as it does with its legs exchanged by a reset."""
    steep = sb.orbit(gait.course.system, gait, slope=np.radians(3.6))
    for degrees in (4.0, 4.3):
        steep = sb.orbit(gait.course.system, steep, slope=np.radians(degrees))
    family = sb.orbits(gait.course.system, steep, slope=np.radians((4.25, 4.5)), max_step=0.5)
    (point,) = family.special
    assert (point.kind, np.degrees(point.value)) == ("period doubling", pytest.approx(4.39089825, abs=1e-7))
    assert point.period == pytest.approx(0.75352391, abs=1e-7)
    limping = family.switched(0, max_points=3).orbit(-1)
    assert limping.period == pytest.approx(2 * 0.7535, abs=0.01)
    assert isinstance(limping, HybridOrbit)
    assert not limping.is_image
    T = limping.period
    assert limping.at([0.2 + T], "left") == pytest.approx(limping.at([0.2], "left"), abs=1e-8)


@dear
def test_compass_gait_that_moves_on():
    """Two steps are a period; multipliers are squares of those of a step, and the way is that of two steps."""
    o = sb.orbit(compass_walker(), compass_start(), period=1.4687)
    assert o.period == pytest.approx(2 * 0.7343463912, abs=1e-9)
    assert o.drift == pytest.approx({"x": 2 * 0.5354454154}, abs=1e-9)
    step = np.array([-0.19972612683 + 0.544476062095j, 0.131572624077])
    assert o.multipliers[[0, 2]] == pytest.approx(np.conj(step**2), abs=1e-9)
    assert abs(o.multipliers[3]) < 1e-10  # how high the foot stood is forgotten


@pytest.fixture(scope="module")
def bilinear() -> sb.Modes:
    """A driven mass on a spring that is stiffer on one side."""
    (x, y), (k, w, t) = sb.symbols("x y", "variable"), sb.symbols("k w t")

    def side(stiffness: float) -> sb.Equations:
        rates = {x: y, y: -stiffness * k * x - 0.3 * y + sb.cos(w * t)}
        return sb.from_equations(rates, {k: 1.0, w: 1.7}, name="bilinear spring")

    switches = [
        sb.Switch("pulled", x, "pressed", "free", "rising"),
        sb.Switch("pressed", x, "free", "pressed", "falling"),
    ]
    return sb.Modes({"free": side(1.0), "pressed": side(4.0)}, switches, initial="free")


def test_long_runs_from_mode_to_mode(bilinear):
    """The sum of the exponents is the divergence, and both are log|μ|/T on an orbit; the settled points are those of the
    orbit; maxima are found in the mode that they are in."""
    w = sb.symbol("w")
    settled = sb.simulate_modes(bilinear, 100, x=0.5, rtol=1e-10)
    found = sb.stability.lyapunov(bilinear, 60.0, settled, pieces=20)
    assert found.exponents.sum() == pytest.approx(-0.3, abs=1e-6)
    o = sb.orbit(bilinear, settled, period=2 * sb.pi / w)
    assert isinstance(o, HybridOrbit)
    assert set(o.modes) == {"free", "pressed"}
    assert found.exponents == pytest.approx(np.log(np.abs(o.multipliers)) / o.period, abs=0.01)
    assert len(sb.plot(found).panels[0].curves) == 2
    swept = sb.attractors(bilinear, {"x": 0.5}, w=(1.6, 1.7), period=2 * sb.pi / w, settle=80.0, keep=8.0, points=2)
    ends = sb.poincare(settled, period=2 * sb.pi / w, skip=20)
    assert swept.values == pytest.approx([1.6, 1.7])
    assert np.ptp(swept.sections[1]["x"]) < 1e-4
    assert set(swept.to_pandas().columns) >= {"x", "y"}
    assert len(sb.plot(swept).panels) == 1
    tops, bottoms = (sb.poincare(settled, f"{kind} x", skip=20) for kind in ("max", "min"))
    assert (np.abs(np.append(tops["y"], bottoms["y"])) < 1e-9).all()
    assert (tops["x"].min(), bottoms["x"].max()) == pytest.approx((o.extremes("x")[1], o.extremes("x")[0]), abs=1e-4)
    assert np.ptp(ends["x"]) < 1e-3
    for motion in (settled, o):
        assert len(sb.poincare(motion, "max x", skip=1000)["x"]) == 0


def test_what_a_block_forgets_when_it_sticks(block):
    """One exponent is zero, along the motion; the other is minus infinity, wherever the run begins."""
    system, o = block
    for start in ({"s_dot": 0.2}, sb.simulate_modes(system, 6.0, s_dot=0.2)):
        found = sb.stability.lyapunov(system, 5 * o.period, start, pieces=12)
        assert found.exponents == pytest.approx([0.0, -np.inf], abs=0.02)
        assert not found.is_chaotic
    asked: dict[str, Any] = {"section": "max s", "settle": 20.0, "keep": 9.5, "points": 2, "way": "down"}
    swept = sb.attractors(system, {"s_dot": 0.25}, v=(0.2, 0.25), **asked)
    assert set(swept["v"]) == {0.2, 0.25}
    assert swept["s"] == pytest.approx(0.5 + np.hypot(0.5, swept["v"]), abs=1e-5)
