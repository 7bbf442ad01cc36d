"""Control systems as sampled laws: on a braked wheel with a peak of friction, on a point that cruises, and on the whole car."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh
from tests.amount import dear


def braked_wheel() -> sb.Equations:
    """A quarter of a car on a wheel whose friction has its peak, 1.0, at a slip of 0.12, and 0.6 where it is locked."""
    m = sb.Model("braked wheel")
    x, turn = m.coordinate("x"), m.coordinate("fl_spin")
    u = m.speed("u", x.dot)
    T = m.input("brake_fl")
    slip = (u - 0.3 * turn.dot) / sb.maximum(u, 0.1)
    grip = sb.where(slip < 0.12, slip / 0.12 * (2 - slip / 0.12), 1 - 0.4 * (slip - 0.12) / 0.88)
    force = 300 * 9.81 * grip
    m.particle("car", m.ground.point(x, 0, 0), mass=300)
    m.generalized_force("friction", x, -force)
    m.body("wheel", m.ground.rotate("y", turn), inertia=(0, 1.0, 0))
    m.generalized_force("brake", turn, 0.3 * force - T * sb.tanh(turn.dot / 0.2))
    return sb.derive(m)


def test_anti_lock_brakes_stay_at_the_peak_and_stop_earlier() -> None:
    eq = braked_wheel()
    start = {"u": 30.0, "fl_spin_dot": 100.0}
    stop = sb.Event("slow", eq.variables["u"].symbol - 3.0, "falling", terminal=True)
    asked = {"brake_fl": 1500.0}
    locked = sb.simulate(eq, 10.0, start, inputs=asked, events=[stop], method="radau", rtol=1e-6)
    laws = vh.anti_lock(eq, asked, radius=0.3, every=0.002)
    held = sb.simulate(eq, 10.0, start, inputs=laws, events=[stop], rtol=1e-6)
    shortest = (30.0**2 - 3.0**2) / (2 * 9.81)  # all the way at the peak
    assert locked.final["fl_spin_dot"] < 1.0  # locked: friction 0.6
    assert locked.final["x"] > 1.5 * shortest
    assert shortest < held.final["x"] < 1.12 * shortest
    slip = 1 - 0.3 * held["fl_spin_dot"] / held["u"]
    assert slip.max() < 0.4
    assert held["brake_fl"].max() <= 1500.0


def test_cruise_control_holds_a_speed_up_a_slope() -> None:
    m = sb.Model("cart")
    x = m.coordinate("x")
    u = m.speed("u", x.dot)
    drive, slope = m.input("drive"), m.parameter("slope", 0.0)
    m.particle("car", m.ground.point(x, 0, 0), mass=1200)
    m.generalized_force("road", x, drive / 0.3 - 1200 * 9.81 * slope - 0.4 * u**2)
    eq = sb.derive(m)
    laws = vh.cruise_control(eq, 25.0, torque=(-500.0, 800.0))
    run = sb.simulate(eq, 60.0, {"u": 20.0, "slope": 0.05}, inputs=laws, rtol=1e-8)
    assert run.final["u"] == pytest.approx(25.0, abs=1e-4)
    assert run["drive"][-1] == pytest.approx(0.3 * (1200 * 9.81 * 0.05 + 0.4 * 25**2), rel=1e-5)
    assert run["drive"].max() == pytest.approx(800.0)  # its limit, at first
    assert run.max("u") < 25.6  # the sum does not wind up at the limit


def test_a_car_without_the_names_is_refused() -> None:
    eq = sb.derive(vh.single_track())
    with pytest.raises(sb.ModelError, match="no 'u'"):
        vh.cruise_control(eq, 20.0)
    with pytest.raises(sb.ModelError, match=r"front = 1\.2"):
        vh.pedal(1000.0, front=1.2)
    wheel = braked_wheel()
    with pytest.raises(sb.ModelError, match="no 'r'"):
        vh.stability_control(wheel, 0.1)


def test_sine_with_dwell_is_the_curve_of_the_regulation() -> None:
    t = sb.symbol("t")
    steer = vh.sine_with_dwell(t, 0.1, at=0.0)
    quarter = 1 / 0.7 / 4
    places = [-0.1, quarter, 3 * quarter, 3 * quarter + 0.49, 3 * quarter + 0.5 + quarter / 3, 4 * quarter + 0.51]
    found = [float(sb.evaluate(steer, {t: x})) for x in places]
    assert found == pytest.approx([0.0, 0.1, -0.1, -0.1, -0.1 * np.cos(np.pi / 6), 0.0], abs=1e-9)


def test_stops_end_the_travel_of_a_spring() -> None:
    """A mass let fall onto a stop: the potential of the stop is the work of gravity."""
    m = sb.Model("drop")
    m.gravity(0, 0, -9.81)
    z = m.coordinate("z")
    m.particle("mass", m.ground.point(0, 0, z), mass=50)
    vh.stops(m, "strut", -z, bump=0.05, stiffness=3e5, depth=0.02)
    run = sb.simulate(sb.derive(m), 1.0, rtol=1e-10)
    deepest = -run.min("z")
    assert 3e5 / (3 * 0.02) * (deepest - 0.05) ** 3 == pytest.approx(50 * 9.81 * deepest, rel=1e-6)


@dear
def test_stability_control_keeps_a_car_from_spinning() -> None:
    """The sine with dwell of FMVSS 126 at 80 km/h: 1.75 s after it the yaw rate must be below 20 % of its peak."""
    eq = sb.derive(vh.car(brakes=True, bump=0.07, steering={"stiffness": 3e5, "damping": 1e3}))
    straight, steer = vh.straight(eq, 80 / 3.6), vh.sine_with_dwell(eq.t, 0.2)
    times, end = np.linspace(0, 4.8, 97), 1 + 1 / 0.7 + 0.5
    left = {}
    for name, laws in (("without", {}), ("with", vh.stability_control(eq, steer))):
        run = sb.simulate(eq, times, straight, inputs={"drive": 0.0, "delta": steer, **laws}, rtol=1e-6)
        peak = np.abs(run["r"][(run.t > 1.8) & (run.t < end)]).max()
        left[name] = abs(np.interp(end + 1.75, run.t, run["r"])) / peak
    assert left["without"] > 0.5
    assert left["with"] < 0.02


@dear
def test_a_car_with_all_its_options() -> None:
    """Straight running against drag, with four driven wheels: the torque is that of the drag, and brakes stop the car at
    the friction of its tyres."""
    eq = sb.derive(vh.car(brakes=True, bump=0.07, axle={"driven": 0.4}, drag=0.65, lift_rear=0.1))
    straight = vh.straight(eq, 30.0)
    assert straight["drag_force"] == pytest.approx(0.65 * 0.6 * 900)
    assert straight["drive"] == pytest.approx(0.31 * straight["drag_force"], rel=0.03)
    run = sb.simulate(eq, np.linspace(0, 1, 11), straight, inputs={"drive": 0.0, **vh.pedal(3000.0)}, rtol=1e-6)
    slowing = (30.0 - run["u"][-1]) / 1.0
    assert slowing == pytest.approx((3000 / 0.31 + 300) / 1420, rel=0.1)


def test_wrong_options_of_a_car_are_named() -> None:
    with pytest.raises(sb.ModelError, match="driven"):
        vh.car(axle={"driven": "left"})
    with pytest.raises(sb.ModelError, match="driven = 2"):
        vh.car(axle={"driven": 2.0})
    with pytest.raises(sb.ModelError, match="drg"):
        vh.car(drg=0.6)
