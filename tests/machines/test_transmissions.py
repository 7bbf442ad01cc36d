"""Gears, planetary sets, belts: forces and ratios in closed form; teeth that are counted as the books do."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.kits import machines as mc


def gear_pair(**options):
    m = sb.Model("gear pair")
    for name, J, at in (("a", 0.01, 0.0), ("b", 0.04, 0.3)):
        m.revolute(name, m.ground, m.body(name, mass=1.0, inertia=(1, 1, J)), at=m.ground.point(at, 0, 0))
    mesh = mc.gear_mesh(m, "mesh", "a", "b", radii=(0.1, 0.2), teeth=mc.Teeth(**options))
    m.generalized_force("motor", m.symbols["a"], 2.0)
    return m, mesh


def test_tooth_forces_in_the_bearings():
    """Ft (1, tan αn / cos β, tan β) at the pitch point: Niemann and Winter, machine elements II."""
    alpha, beta = np.deg2rad(20), np.deg2rad(15)
    m, _ = gear_pair(helix=beta)
    eq = sb.derive(m)
    assert sb.certify(eq)
    sim = sb.simulate(eq, 0.5)
    Ft = sim["mesh_tangential"][-1]
    assert Ft == pytest.approx(10.0)
    force = np.asarray(sim.reaction("b")[0])[-1]
    expected = -Ft * np.array([np.tan(alpha) / np.cos(beta), 1.0, np.tan(beta)])
    assert force == pytest.approx(expected, rel=1e-9)


def test_elastic_mesh_and_backlash():
    m, _ = gear_pair(stiffness=1e7, damping=200.0)
    eq = sb.derive(m)
    sim = sb.simulate(eq, 0.3)
    assert sim["mesh_tangential"][-1] == pytest.approx(10.0, rel=1e-3)
    assert sim["mesh_approach"][-1] == pytest.approx(10.0 / np.cos(np.deg2rad(20)) / 1e7, rel=1e-3)
    loose, _ = gear_pair(stiffness=1e7, damping=200.0, backlash=1e-4)
    run = sb.simulate(sb.derive(loose), [0, 1e-4, 0.5], rtol=1e-6)
    assert run["mesh_tangential"][1] == 0.0  # not yet through the backlash


@pytest.mark.parametrize(
    "wrong",
    [{"radii": (0.1, -1.0)}, {"pressure_angle": 1.0}, {"stiffness": -1.0}, {"backlash": -1e-3, "stiffness": 1.0}],
)
def test_bad_gears_are_named(wrong):
    m = sb.Model("gears")
    for name in "ab":
        m.revolute(name, m.ground, m.body(name, mass=1.0, inertia=(1, 1, 1)))
    what = next(iter(wrong))
    with pytest.raises(sb.ModelError, match=what):
        mc.gear_mesh(m, "mesh", "a", "b", radii=wrong.pop("radii", (0.1, 0.2)), teeth=mc.Teeth(**wrong))
    with pytest.raises(sb.ModelError, match="sholder"):
        mc.gear_mesh(m, "mesh", "sholder", "b", radii=(0.1, 0.2))


@pytest.mark.parametrize("stiffness", [None, 1e7])
def test_ratios_of_willis(stiffness):
    m = sb.Model("gearbox")
    gears = mc.planetary(
        m, "g", teeth=(30, 72), module=0.002, mesh=mc.Teeth(stiffness=stiffness, damping=500.0 if stiffness else 0)
    )
    m.generalized_force("motor", gears.angle("sun"), 1.0)
    m.generalized_force("brake", gears.angle("ring"), -1e3 * gears.angle("ring").dot)
    m.generalized_force("load", gears.angle("carrier"), -0.5 * gears.angle("carrier").dot)
    sim = sb.simulate(sb.derive(m), 2.0, rtol=1e-6, method="radau" if stiffness else "auto")
    s, r, c = (sim[f"g_{part}_dot"][-1] for part in ("sun", "ring", "carrier"))
    assert s - c == pytest.approx(-72 / 30 * (r - c), rel=1e-3)
    assert s / c == pytest.approx(float(gears.ratio("sun", "carrier", "ring")), rel=1e-2)  # 17/5


def test_all_six_ratios():
    gears = mc.planetary(sb.Model("gearbox"), "g", teeth=(30, 72), module=0.002)
    known = {("sun", "carrier", "ring"): 3.4, ("ring", "carrier", "sun"): 102 / 72, ("sun", "ring", "carrier"): -2.4}
    for (driving, driven, held), ratio in known.items():
        assert float(gears.ratio(driving, driven, held)) == pytest.approx(ratio)
        assert float(gears.ratio(driven, driving, held)) == pytest.approx(1 / ratio)
    for teeth, planets in (((30, 71), 3), ((72, 30), 3), ((30, 70), 3), ((30, 72), 0)):
        with pytest.raises(sb.ModelError, match=r"teeth|planets"):
            mc.planetary(sb.Model("m"), "g", teeth=teeth, module=0.002, planets=planets)


def test_belt_slips_at_the_limit_of_euler():
    m = sb.Model("drive")
    for n in "ab":
        m.revolute(n, m.ground, m.body(n, mass=1.0, inertia=(1, 1, 0.01)))
    made = mc.belt(m, "v", "a", "b", radii=(0.1, 0.1), stiffness=1e4, pretension=50.0, friction=0.3, damping=5.0)
    m.generalized_force("motor", m.symbols["a"], 10.0)
    m.generalized_force("load", m.symbols["b"], -20.0 * m.symbols["b"].dot)
    sim = sb.simulate(sb.derive(m), 1.0)
    limit = 2 * 50.0 * np.tanh(0.3 * np.pi / 2)
    assert sim["v_force"][-1] == pytest.approx(limit, rel=1e-2)
    assert sim["v_slip"][-1] > 1.0
    tight, slack = sim["v_tight"][-1], sim["v_slack"][-1]
    assert tight / slack == pytest.approx(np.exp(0.3 * np.pi), rel=3e-2)
    assert made.limit is not None


def test_saw_teeth():
    x = sb.symbol("x")
    draw = np.random.default_rng(0).uniform(-50, 50, 40)
    for v in (*draw, -3.0, 0.0, 7.0, 1e6):
        assert sb.evaluate(mc.mod(x, 1.5), {x: v}) == pytest.approx(np.mod(v, 1.5), abs=1e-8)
        assert sb.evaluate(mc.floor(x), {x: v}) == pytest.approx(np.floor(v), abs=1e-8)
    assert sb.evaluate(sb.derivative(mc.mod(x, 1.5), x), {x: 0.3}) == pytest.approx(1.0)


def test_cam_repeats_with_two_derivatives():
    lift, a = (
        mc.cam("lift", np.arange(0, 360, 15), 0.01 * (1 - np.cos(np.deg2rad(np.arange(0, 360, 15))))),
        sb.symbol("a"),
    )
    second = sb.derivative(sb.derivative(lift(a), a), a)
    for e, size in ((lift(a), 1e-6), (second, 1e-4)):
        assert sb.evaluate(e, {a: 2 * np.pi - 1e-9}) == pytest.approx(sb.evaluate(e, {a: 1e-9}), abs=size)
    assert sb.evaluate(second, {a: 20.0}) == pytest.approx(0.01 * np.cos(20.0), abs=2e-4)
    with pytest.raises(sb.ModelError, match="degrees"):
        mc.cam("lift", [0, 10, 5, 20], [0, 0, 0, 0])


def test_obstacles_that_are_bounded():
    """A step stops a body that comes from the side, and carries one that comes from above; nothing gains energy."""
    m = sb.Model("ledge")
    x, y = m.coordinates("x y")
    m.particle("p", m.ground.point(x, y, 0), mass=1.0)
    m.gravity(0, -9.81, 0)
    step = mc.bounded_contact("step", y - 0.1, 1 - x)
    both = sb.Contacts(sb.derive(m), sb.Contact("floor", y), step)
    low = sb.simulate_modes(both, 1.0, x_dot=2.0)
    assert [low[n][-1] for n in ("x", "y", "x_dot")] == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)
    high = sb.simulate_modes(both, 1.0, {"x": 0.5, "y": 0.5, "x_dot": 2.0})
    assert high["y"][-1] == pytest.approx(0.1, abs=1e-9)
    assert high["x"][-1] == pytest.approx(2.5, abs=1e-9)
    assert (np.diff(high.energy) <= 1e-9).all()


def test_sliding_off_an_edge_by_time_stepping():
    """A body leaves a table with its speed; event-driven contact does not know edges (see `bounded_contact`)."""
    m = sb.Model("table")
    m.gravity(0, -9.81, 0)
    x, y = m.coordinates("x y")
    m.particle("p", m.ground.point(x, y, 0), mass=1.0)
    table = sb.Contacts(sb.derive(m), mc.bounded_contact("table", y, x - 1))
    run = sb.simulate_modes(table, 1.0, x_dot=2.0, method="moreau", step=1e-3)
    assert [run[n][-1] for n in ("x", "y")] == pytest.approx([2.0, -9.81 / 8], abs=2e-2)
