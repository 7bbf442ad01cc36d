"""Long-time behaviour: sections of motions, Lyapunov exponents, attractors over a parameter and over starts."""

from typing import Any

import numpy as np
import pytest

import symbody as sb


@pytest.fixture(scope="module")
def lorenz() -> sb.Equations:
    x, y, z, r = sb.symbols("x y z r")
    return sb.from_equations({x: 10 * (y - x), y: x * (r - z) - y, z: x * y - 8 * z / 3}, {r: 28.0}, name="Lorenz")


@pytest.fixture(scope="module")
def roessler() -> sb.Equations:
    x, y, z, a = sb.symbols("x y z a")
    return sb.from_equations({x: -y - z, y: x + a * y, z: 2 + z * (x - 4)}, {a: 0.3}, name="Roessler")


@pytest.fixture(scope="module")
def wandering(lorenz) -> sb.Trajectory:
    return sb.simulate(lorenz, 60, x=1.0, y=1.0, z=20.0)


# ---------------------------------------------------------------------------------------------------- sections


def test_points_lie_on_the_section_and_pass_it_the_right_way(lorenz, wandering):
    z = lorenz.z[2]
    falling = sb.poincare(wandering, z - 27, direction="falling")
    both = sb.poincare(wandering, z - 27, direction="both")
    assert np.abs(both["z"] - 27).max() < 1e-9
    rates = falling["x"] * falling["y"] - 8 * falling["z"] / 3
    assert (rates < 0).all()
    assert set(falling.t) < set(both.t)
    assert len(both) == len(falling) + len(sb.poincare(wandering, z - 27, skip=0))
    highest = sb.poincare(wandering, "max z", skip=3)
    assert np.abs(highest["x"] * highest["y"] - 8 * highest["z"] / 3).max() < 1e-7
    assert highest["z"].min() > sb.poincare(wandering, "min z", skip=3)["z"].max()
    before, behind = highest.returns("z")
    assert (before[1:] == behind[:-1]).all()
    assert highest.to_pandas()["z"].iloc[0] == highest["z"][0]
    assert highest.to_xarray().attrs["section"] == "z is maximal"


def test_jumps_over_a_section_are_no_crossings():
    """A ball that is thrown up again whenever it lands: its speed jumps over zero, and passes it at the top only."""
    h, v = sb.symbols("h v")
    ball = sb.from_equations({h: v, v: -10})
    sim = sb.simulate(ball, 5.05, h=1.0, events=[sb.Event("bounce", ball.z[0], "falling", reset={"v": 5.0})])
    assert len(sb.poincare(sim, "v", direction="rising")) == 0
    tops = sb.poincare(sim, "v", direction="falling")
    assert len(tops) == sum(e.t < sim.t[-1] - 0.5 for e in sim.events)
    assert tops["h"] == pytest.approx(1.25)


def test_once_in_a_period(roessler):
    """A driven motion that has settled is one point; an orbit pierces a section where a settled motion does."""
    x, y, w = sb.symbols("x y w")
    shaken = sb.from_equations({x: y, y: -x - 0.4 * y + sb.cos(w * sb.symbol("t"))}, {w: 2.0})
    strobed = sb.poincare(sb.simulate(shaken, 150, x=1.0, rtol=1e-11), period=2 * sb.pi / w, skip=40)
    assert len(strobed) > 5
    assert np.ptp(strobed["x"]) < 1e-7
    assert strobed["x"][-1] == pytest.approx(np.real(1 / (1 - 4 + 0.8j)), abs=1e-7)
    settled = sb.simulate(roessler, 200, x=1.0, rtol=1e-10)
    (point,) = sb.poincare(sb.orbit(roessler, settled), "max x")["x"]
    assert sb.poincare(settled, "max x")["x"][-1] == pytest.approx(point, rel=1e-6)


def test_constraints_that_move_with_what_is_varied():
    """A driven pendulum on a rod that grows longer: its end goes along, and settles to what a simulation there has."""
    m = sb.Model("pendulum")
    length, t = m.parameter("length", 1.0), m.time
    m.gravity(0, -9.81, 0)
    x, y = m.coordinates("x y")
    m.constrain("rod", x**2 + y**2 - length**2)
    bob = m.particle("bob", m.ground.point(x, y, 0), mass=1.0)
    m.force("drive", bob, (sb.cos(5 * t) - 2 * x.dot) * m.ground.x)
    eq, start = sb.derive(m), {"x": 0.0, "y": -1.0}
    swept = sb.attractors(eq, start, length=(1.0, 1.1), section="max x", settle=12.0, keep=2.0, points=2)
    there = sb.simulate(eq, 14.0, sb.assemble(eq, length=1.1, y=-1.1, x=0.0, x_dot=0.0, y_dot=0.0))
    assert swept.sections[1]["x"] == pytest.approx(sb.poincare(there, "max x")["x"][-1], abs=1e-4)
    assert swept.outcome == "all values"


def test_wrong_sections(wandering):
    wrong: list[dict[str, Any]] = [{}, {"section": "z", "period": 1.0}]
    for given in wrong:
        with pytest.raises(sb.errors.StabilityError, match="give a section"):
            sb.poincare(wandering, **given)
    with pytest.raises(sb.errors.StabilityError, match="no direction 'up'"):
        sb.poincare(wandering, "z", direction="up")
    with pytest.raises(sb.errors.StabilityError, match="there is no name 'w'"):
        sb.poincare(wandering, "max w")
    with pytest.raises(sb.errors.StabilityError, match="a period must be a positive number"):
        sb.poincare(wandering, period=-1.0)


# ---------------------------------------------------------------------------------------------------- exponents


def test_exponents_of_chaos(lorenz):
    """Sprott (2003): 0.9056, 0, -14.5723; their sum is the divergence, which is -41/3 everywhere."""
    found = sb.stability.lyapunov(lorenz, 1000, x=1.0, y=1.0, z=20.0)
    assert found.divergence == pytest.approx(-41 / 3, rel=1e-12)
    assert found.exponents.sum() == pytest.approx(-41 / 3, rel=1e-8)
    assert (np.abs(found.exponents - [0.9056, 0, -14.5723]) < 4 * found.errors + 5e-3).all()
    assert found.dimension == pytest.approx(2.062, abs=2e-3)
    assert found.is_chaotic
    assert sb.stability.lyapunov(lorenz, 1000, x=1.0, y=1.0, z=20.0, number=1).exponents == pytest.approx(
        found.exponents[:1], abs=0.05
    )


def test_exponents_of_an_orbit_are_those_of_its_multipliers(roessler):
    """log|μ|/T, and their sum the mean divergence, which differs along the motion."""
    o = sb.orbit(roessler, sb.simulate(roessler, 300, x=1.0))
    found = sb.stability.lyapunov(roessler, 200 * o.period, o, transient=10 * o.period)
    assert found.exponents == pytest.approx([0, *np.log(np.abs(o.multipliers)) / o.period], abs=3e-3)
    assert found.exponents.sum() == pytest.approx(found.divergence, rel=1e-8)
    assert not found.is_chaotic
    assert found.state.t == pytest.approx(210 * o.period)


def test_directions_pass_impacts():
    """A rimless wheel: the multiplier of an impact with all that is before it is cos² 2α."""
    th, alpha, gamma = sb.symbol("th", "coordinate"), 0.3, 0.08
    eq = sb.from_equations({th.dot.dot: sb.sin(th)}, name="rimless wheel")
    impact = sb.Event(
        "impact", th - (gamma + alpha), "rising", reset={"th": gamma - alpha, "th_dot": np.cos(2 * alpha) * th.dot}
    )
    speed = np.sqrt(4 * np.sin(alpha) * np.sin(gamma)) / np.tan(2 * alpha)
    o = sb.orbit(eq, {"th": gamma - alpha, "th_dot": speed}, period=1.5, events=[impact])
    found = sb.stability.lyapunov(eq, 20 * o.period, o, transient=24 * o.period, events=[impact], pieces=32)
    assert found.exponents == pytest.approx([0, np.log(np.cos(2 * alpha) ** 2) / o.period], abs=2e-3)


def test_directions_stay_on_constraints():
    """A damped pendulum in x and y: two exponents, whose sum is minus the damping over the mass."""
    m = sb.Model("pendulum")
    m.gravity(0, -9.81, 0)
    x, y = m.coordinates("x y")
    m.constrain("rod", x**2 + y**2 - 1)
    m.particle("bob", m.ground.point(x, y, 0), mass=1.0)
    m.generalized_force("drag x", x, -0.5 * x.dot)
    m.generalized_force("drag y", y, -0.5 * y.dot)
    found = sb.stability.lyapunov(sb.derive(m), 40, x=np.sin(0.3), y=-np.cos(0.3), pieces=20)
    assert len(found.exponents) == 2
    assert found.exponents.sum() == pytest.approx(-0.5, abs=1e-3)


# ---------------------------------------------------------------------------------------- over a parameter, over starts


def test_settled_motions_are_the_stable_orbits(roessler):
    """Up to the period doubling one point, which is that of the family; behind it two."""
    family = sb.orbits(roessler, sb.orbit(roessler, sb.simulate(roessler, 200, x=1.0)), a=(0.3, 0.36))
    settled = sb.attractors(roessler, {"x": 1.0}, a=(0.3, 0.36), section="max x", settle=300, keep=40, points=4)
    assert settled.outcome == "all values"
    for value, section in zip(settled.values, settled.sections, strict=True):
        distinct = np.unique(np.round(section["x"], 2))
        assert len(distinct) == (1 if value < family.special[0].value else 2), value
    (o,) = family.at(0.32)
    assert settled.sections[1]["x"] == pytest.approx(o.extremes("x")[1], abs=1e-4)
    assert len(settled["a"]) == len(settled["x"]) == len(settled.to_pandas())
    figure = sb.plot(settled, "x", beside=family.connected(max_points=3))
    assert figure.panels[0].curves[0].kind == "dots"
    assert len(figure.panels[0].curves) > 3
    with pytest.raises(sb.errors.StabilityError, match="one value must have an interval"):
        sb.attractors(roessler, {"x": 1.0}, a=0.3, section="max x", settle=1, keep=1)


def test_basins_are_mirror_images():
    """Duffing's: starts that are mirror images lead to attractors that are; what runs away is in none."""
    x, v = sb.symbols("x v")
    wells = sb.from_equations({x: v, v: x - x**3 - 0.3 * v}, name="wells")
    found = sb.basins(wells, x=(-1.9, 2), v=(-1.9, 2), t=60, points=4)
    assert sorted(round(s["x"]) for s in found.attractors) == [-1, 1]
    even = sb.basins(wells, x=(-2, 2), v=(-2, 2), t=60, points=4)
    assert (even.which != even.which[::-1, ::-1]).all()
    assert found.shares.sum() == pytest.approx(1)
    assert found.to_xarray().shape == (4, 4)
    runs_away = sb.from_equations({x: x**2 - 1, v: -v})
    lost = sb.basins(runs_away, x=(-2, 2), v=(0, 1), t=20, points=(5, 2))
    assert (lost.which[:, 0] == [0, 0, 0, 1, -1]).all() or (lost.which[:, 0] == [0, 0, 0, 0, -1]).all()
    assert "do not reach the end" in str(lost)


def test_figures(lorenz, wandering, tmp_path):
    section = sb.poincare(wandering, "max z")
    assert (sb.plot(section, "z").panels[0].x_label, sb.plot(section, "z").panels[0].y_label) == ("z", "next z")
    assert sb.plot(section, "x", "y").panels[0].curves[0].kind == "dots"
    assert sb.plot(section, "z").save(tmp_path / "map.png").stat().st_size > 3000
    exponents = sb.stability.lyapunov(lorenz, 20, wandering)
    assert len(sb.plot(exponents).panels[0].curves) == 3
