"""A car on four suspensions: standing, in turns that are simulated and turns that are solved for, and its elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson

import symbody as sb
from symbody.kits import vehicles as vh
from tests.amount import dear

WHEELS = ("fl", "fr", "rl", "rr")


@pytest.fixture(scope="module")
def car() -> sb.Equations:
    tyre = vh.BrushTyre(radius=0.32, cornering=5e4, along=6e4, friction=0.95, contact=0.06, damping=500.0, smooth=1e-3)
    return sb.derive(vh.car(tyre, steering={"stiffness": 3e5, "damping": 1e3}))


@pytest.fixture(scope="module")
def straight(car: sb.Equations) -> sb.stability.SteadyMotion:
    return vh.straight(car, 20.0)


def test_a_car_upside_down_is_no_motion_of_the_model(car: sb.Equations) -> None:
    """Its suspensions would extend without end, and its body does not touch the road."""
    rolled = sb.simulate(car, 1.0, {"u": 20.0, "roll": np.pi, "z": 0.9})
    assert rolled.outcome.ending is sb.integrate.Ending.NOT_VALID
    assert not rolled.outcome
    assert "'upright'" in str(rolled.outcome)
    over = sb.simulate(car, 1.0, {"u": 20.0, "roll": 0.9, "roll_dot": 8.0, "z": 0.9})
    assert over.outcome.ending is sb.integrate.Ending.NOT_VALID
    assert np.cos(over["roll"][-1]) * np.cos(over["pitch"][-1]) == pytest.approx(0.5, abs=1e-6)


@dear
def test_understeer_of_the_whole_car_is_that_of_a_wide_turn(
    car: sb.Equations, straight: sb.stability.SteadyMotion
) -> None:
    """In numbers, at once: a formula of 25 states and their operating point would never be read."""
    lin = sb.linearize(car, straight)
    found = vh.understeer(lin, wheelbase=2.6, speed="u")
    turn = sb.steady(car, {"u": 20.0, "r": 1e-3}, free=["delta", "drive"], start=straight)
    assert float(found.yaw_gain) == pytest.approx(1e-3 / turn["delta"], rel=1e-3)
    assert float(found.gradient) == pytest.approx((20.0 / float(found.yaw_gain) - 2.6) / 400.0, rel=1e-12)
    with pytest.raises(sb.errors.StabilityError, match=r"speed='u' for a vh\.car"):
        vh.understeer(lin, wheelbase=2.6)


@pytest.mark.parametrize("points", [vh.WISHBONES, vh.STRUT], ids=["wishbones", "strut"])
def test_springs_hold_a_corner_in_its_design_position(points: dict[str, tuple[float, float, float]]) -> None:
    """A corner on the ground with the weight of a car under its wheel: at the preload nothing is accelerated."""
    m = sb.Model("corner")
    m.gravity(0, 0, -9.81)
    strut = "strut top" in points
    masses = (6.0, 18.0) if strut else (5.0, 3.0, 15.0)
    preload = vh.spring_preload(points, 3000.0, masses, 9.81, 18.0)
    build = vh.mcpherson if strut else vh.double_wishbone
    corner = build(vh.Hardpoints(m), "c", m.ground, points, preload=preload)
    m.force("wheel", corner.knuckle, m.ground.vector(0, 0, 3000.0 + 9.81 * sum(masses)))
    eq = sb.derive(m)
    at = dict.fromkeys((*eq.q, *eq.u), 0.0)
    f = np.array([float(sb.evaluate(x, at)) for x in eq.f.entries])
    Jc = np.array([[float(sb.evaluate(x, at)) for x in eq.Jc.row(i)] for i in range(eq.Jc.shape[0])])
    free = np.linalg.svd(Jc)[2][len(Jc) :]
    assert free.shape[0] == 1
    assert abs(free @ f) < 1e-9 * np.abs(f).max()


@dear
def test_car_runs_straight_on_its_springs(straight: sb.stability.SteadyMotion, car: sb.Equations) -> None:
    """Fourteen degrees of freedom and that of the rack; running straight, tyres carry the weight, alike on both sides, without torque, and
    the springs carry the body where it was designed."""
    assert car.degrees_of_freedom == 15
    loads = [float(straight[f"{w}_Fz"]) for w in WHEELS]
    assert sum(loads) == pytest.approx((1250 + 3 + 4 * 41) * 9.81, rel=1e-9)
    assert loads[0] == pytest.approx(loads[1], rel=1e-9)
    assert loads[2] == pytest.approx(loads[3], rel=1e-9)
    assert abs(straight["drive"]) < 1e-3
    assert max(abs(straight[f"{w}_lower_arm"]) for w in WHEELS) < 1e-4


@dear
def test_a_step_of_the_steering_ends_in_the_steady_turn(car: sb.Equations, straight: sb.stability.SteadyMotion) -> None:
    """A simulated step at a held speed: it settles in the turn that `steady` finds, the energy that came in is what is
    there and what the tyres and dampers took, loops stay closed."""
    u, delta, rate = sb.symbol("u", "speed"), 0.04, sb.symbol("rate")
    law = {"delta": vh.step_steer(car.t, delta, at=0.2, rate=rate, smooth=True), "drive": 3000 * (20 - u)}
    t = np.linspace(0, 8, 2001)
    sim, ramp = (sb.simulate(car, t, straight, inputs=law, rate=r, rtol=1e-9, atol=1e-10) for r in (0.4, 0.02))
    end = {
        k: float(sim[k][-1]) for k in ("u", "v", "r", "roll", "pitch", "ay", "beta", "fl_Fz", "rr_Fz", "rr_spin_dot")
    }
    assert end["ay"] > 2.5
    turn = sb.steady(car, {"u": end["u"], "delta": delta}, free=["drive"], start=sim)
    assert turn.is_steady
    for name, value in end.items():
        assert value == pytest.approx(float(turn[name]), rel=1e-6, abs=1e-8), name
        assert float(ramp[name][-1]) == pytest.approx(value, rel=1e-4, abs=1e-6), name
    assert float(turn["drive"]) == pytest.approx(3000 * (20 - end["u"]), rel=1e-5)
    assert np.ptp(sim["ay"][-200:]) < 1e-6
    overshoot = [np.max(x["r"]) / x["r"][-1] - 1 for x in (sim, ramp)]
    assert overshoot[0] > 10 * overshoot[1]
    T = np.asarray(sim.kinetic_energy)
    work = [float(simpson(np.asarray(p), x=sim.t)) for p in sim.load_powers.values()]
    assert T[-1] - T[0] == pytest.approx(sum(work), abs=1e-6 * T[0])
    assert max(map(abs, work)) > 0.02 * T[0]  # of the drive, against the tyres
    assert sim.violation.position < 1e-9


@pytest.mark.parametrize("u", [3.0, -3.0])
def test_carcasses_relax_whichever_way_a_car_rolls(u: float) -> None:
    """σ s' + |Vx| s = σ V: the slope of s' by s is -|Vx|/σ, backward too."""
    lagging = vh.LinearTyre(radius=0.32, cornering=5e4, along=6e4, relaxation=(0.3, 0.5))
    eq = sb.derive(vh.car(lagging))
    at = eq.values({"u": u}, otherwise=0.0)
    rows = {s.name: sb.derivative(h, s) for s, h in zip(eq.z, eq.h.entries, strict=True) if s.name.endswith("_slip")}
    assert len(rows) == 8
    for name, slope in rows.items():
        assert float(sb.evaluate(slope, at)) == pytest.approx(3.0 / (0.3 if "kappa" in name else 0.5), rel=1e-9)


@dear
def test_a_car_rolls_backward_too() -> None:
    """With lagging tyres, steered a little: round the same circle as forward, but for the lag of its tyres, without losing
    speed. Its wheels were taken to roll forward, and it took off."""
    lagging = vh.LinearTyre(radius=0.32, cornering=5e4, along=6e4, relaxation=(0.3, 0.5), stiffness=2e5, damping=500.0)
    eq = sb.derive(vh.car(lagging, steering={"stiffness": 3e5, "damping": 1e4}))
    found = {}
    for V in (3.0, -3.0):
        start = {"u": V, "z": -0.008, **{f"{w}_spin_dot": V / 0.314 for w in ("fl", "fr", "rl", "rr")}}
        sim = sb.simulate(eq, [0.0, 4.0], start, inputs={"delta": 0.02, "drive": 0.0})
        found[V] = {k: float(sim[k][-1]) for k in ("u", "v", "r", "z")}
    assert found[-3.0]["u"] == pytest.approx(-3.0, rel=1e-3)
    assert found[-3.0]["z"] == pytest.approx(found[3.0]["z"], abs=2e-4)
    assert found[-3.0]["r"] == pytest.approx(-found[3.0]["r"], rel=0.01)
    assert found[-3.0]["v"] == pytest.approx(-found[3.0]["v"], rel=0.1)


# ---------------------------------------------------------------------------------------------------- elements


def test_a_torsion_bar_is_a_stiffness_between_its_arms() -> None:
    """Two masses on level arms, hung on drop links: moved against each other the bar has k/r² at each link, together it
    only turns along."""
    m = sb.Model("bar")
    h, sides = vh.Hardpoints(m), (0.5, -0.5)
    ends = []
    for name, y in zip(("left", "right"), sides, strict=True):
        part = h.body(name, (0.2, y, 0.1), mass=3.0, inertia=(0.1, 0.1, 0.1))
        h.slider(f"{name}_z", m.ground, part, (0.2, y, 0.1), "z", stiffness=1000.0)
        ends.append((part, (0.2, y, 0.1)))
    arms = [(0.2, y, 0.3) for y in sides]
    k, r = 50.0, 0.2
    bar = vh.torsion_bar(h, "bar", m.ground, ((0, 0.5, 0.3), (0, -0.5, 0.3)), arms, ends, stiffness=k, mass=0.4)
    assert {"bar_twist", "bar_moment"} <= set(m.parts.outputs)
    assert sb.free_symbols(bar.twist)
    eq = sb.derive(m)
    w = sorted(set(np.round(abs(sb.linearize(eq, sb.steady(eq)).eigenvalues().imag), 6)))
    # each mass with half of the bar's, against each other twice k/r² between them
    assert np.allclose(w, [np.sqrt(1000 / 3.2), np.sqrt((1000 + 2 * k / r**2) / 3.2)], rtol=1e-6)


def test_a_rack_is_where_it_is_steered_to_or_drawn_there() -> None:
    """Rigid, the tie rod's end moves by ratio δ; with a stiffness it gives way by F/k, and the torque at the wheel is
    ratio times the force."""
    found = []
    for options in ({}, {"stiffness": 1e5}):
        m = sb.Model("rack")
        delta, F = m.input("delta"), m.parameter("F", 200.0)
        h = vh.Hardpoints(m)
        made = vh.rack(h, "rack", m.ground, delta, ratio=0.05, **options)
        m.particle("load", m.ground.translate(0, m.coordinate("y"), 0).origin, mass=1.0)
        m.constrain("rod", m.symbols["y"] - h.point(made.part, (0, 0, 0)).in_ground[1])
        m.potential("pull", F * m.symbols["y"])
        eq = sb.derive(m)
        at = sb.steady(eq, delta=0.4)
        found.append(float(at["y"]))
        if options:
            assert float(at["rack_force"]) == pytest.approx(200.0)
            assert float(at["rack_torque"]) == pytest.approx(10.0)
            assert float(at["rack_travel"]) == pytest.approx(0.018)
    assert found == pytest.approx([0.02, 0.02 - 200 / 1e5])
    with pytest.raises(sb.ModelError, match="damping= goes with stiffness="):
        vh.rack(vh.Hardpoints(m), "other", m.ground, delta, ratio=0.05, damping=1.0)


def axle(**options: Any) -> sb.Equations:
    """Two wheels of 2 kg m² in the air, on a shaft with 100 N m; the left one is held back by 30 N m."""
    m = sb.Model("axle")
    wheels = []
    for side, y in (("left", 0.7), ("right", -0.7)):
        carrier = m.ground.translate(0, y, 0)
        wheels.append(
            (m.body(side, carrier.rotate("y", m.coordinate(side)), mass=20.0, inertia=(1.1, 2.0, 1.1)), carrier)
        )
    vh.drive(m, "hold", *wheels[0], -30.0)
    held = m.parameter("grip", 0.0)
    vh.differential(m, "diff", *wheels, 100.0, chassis=m.ground, friction=held, width=0.1, **options)
    return sb.derive(m)


def test_differentials_share_as_they_are_built() -> None:
    """Open, both have half the torque and run apart; a spool keeps them together, with the difference that it takes; a
    limited slip that holds more than that does so too, one that holds less gives it away."""
    t, eq = [0.0, 1.0], axle()
    free, spool = sb.simulate(eq, t), sb.simulate(axle(locked=True), t)
    assert [free[f"diff_{s}"][-1] for s in ("left", "right")] == pytest.approx([50, 50])
    assert free["right_dot"][-1] - free["left_dot"][-1] == pytest.approx(15.0, rel=1e-9)
    assert spool["left_dot"][-1] == pytest.approx(70 / 4, rel=1e-8)
    assert [spool[f"diff_{s}"][-1] for s in ("left", "right")] == pytest.approx([65, 35], rel=1e-8)
    held, slips = sb.simulate(eq, t, grip=40.0), sb.simulate(eq, t, grip=10.0)
    assert held["right_dot"][-1] - held["left_dot"][-1] == pytest.approx(0.1 * np.arctanh(30 / 40), rel=1e-3)
    assert [held[f"diff_{s}"][-1] for s in ("left", "right")] == pytest.approx([65, 35], rel=1e-3)
    assert [slips[f"diff_{s}"][-1] for s in ("left", "right")] == pytest.approx([55, 45], rel=1e-6)
