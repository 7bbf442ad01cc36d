"""Handling: formulas from linear systems, diagrams from branches, manoeuvres and rail vehicles, against closed forms."""

from __future__ import annotations

from importlib import import_module
from math import atan, cos, pi, sqrt
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh
from symbody.kits.vehicles.measures.handling import _gain_in_numbers

from .passenger_tyre import NUMBERS, tir

LIGHT: dict[str, Any] = {"Cf": 8e4, "Cr": 1e5}
HEAVY: dict[str, Any] = {"Cf": 1.2e5, "Cr": 8e4}


@pytest.fixture(scope="module")
def linear() -> sb.LinearSystem:
    eq = sb.derive(vh.single_track())
    return sb.linearize(eq, sb.steady(eq))


@pytest.fixture(scope="module")
def sliding() -> sb.Equations:
    front, rear = (vh.BrushTyre(radius=0.3, cornering=C, along=C, friction=0.9, smooth=1e-4) for C in (8e4, 1e5))
    return sb.derive(vh.single_track(front, rear))


# ---------------------------------------------------------------------------------------------------- formulas


def test_understeer_gradient_is_the_formula_of_the_books(linear: sb.LinearSystem) -> None:
    """K = m (b Cr - a Cf) / (Cf Cr L), yaw gain V/(L + K V²), and speeds √(L/K), √(-L/K); the last is where the root
    locus loses stability."""
    m, a, b, Cf, Cr, V = sb.symbols("m a b Cf Cr V")
    found = vh.understeer(linear, a + b)
    K = m * (b * Cr - a * Cf) / (Cf * Cr * (a + b))
    rng = np.random.default_rng(0)
    for numbers in rng.uniform((800, 1, 1, 5e4, 5e4, 5), (2000, 2, 2, 2e5, 2e5, 60), (5, 6)).tolist():
        at = dict(zip((m, a, b, Cf, Cr, V), numbers, strict=True))
        k = float(sb.evaluate(K, at))
        assert float(sb.evaluate(found.gradient, at)) == pytest.approx(k, rel=1e-11)
        assert float(sb.evaluate(found.yaw_gain, at)) == pytest.approx(
            at[V] / (at[a] + at[b] + k * at[V] ** 2), rel=1e-11
        )
    assert str(found.gradient) == "m*(Cr*b - Cf*a)/(Cf*Cr*(a + b))"
    light = {m: 1500.0, a: 1.2, b: 1.5, Cf: 8e4, Cr: 1e5}
    assert float(sb.evaluate(found.characteristic_speed, light)) == pytest.approx(sqrt(2.7 / 0.00375))
    unstable = linear.root_locus(V=(5, 60), **HEAVY).critical
    oversteer = {**light, Cf: HEAVY["Cf"], Cr: HEAVY["Cr"]}
    assert [c.value for c in unstable if c.kind == "real"] == pytest.approx(
        [float(sb.evaluate(found.critical_speed, oversteer))], rel=1e-9
    )


def test_gains_in_numbers_are_those_of_the_formula(linear: sb.LinearSystem) -> None:
    """Of systems whose motion is known in numbers only; states that nothing depends on do not matter."""
    gain = vh.steady_gain(linear, "delta", "r")
    at = {"m": 1500.0, "a": 1.2, "b": 1.5, "Cf": 8e4, "Cr": 1e5, "V": 20.0}
    numbers = linear(at)
    expected = float(sb.evaluate(gain, {p: at.get(p.name, 1.0) for p in sb.free_symbols(gain)}))
    assert _gain_in_numbers(numbers, linear.numbers.input("delta"), "r") == pytest.approx(expected, rel=1e-12)
    turns = sb.linear_system([[0, 1], [0, -2.0]], B=[[0], [3.0]], x=["angle", "spin"], r=["torque"])
    assert _gain_in_numbers(turns, 0, "spin") == pytest.approx(1.5)
    with pytest.raises(sb.errors.StabilityError, match="no steady state"):
        _gain_in_numbers(sb.linear_system([[0, 1], [0, 0.0]], B=[[0], [1.0]], x=["x", "v"], r=["F"]), 0, "v")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_single_track_of_commonroad(linear: sb.LinearSystem, number: int) -> None:
    """Right-hand sides of the single track of commonroad-vehicle-models, for its three cars."""
    models = pytest.importorskip("vehiclemodels", reason="commonroad-vehicle-models is not installed")
    rates = import_module(f"{models.__name__}.vehicle_dynamics_st").vehicle_dynamics_st
    module = import_module(f"{models.__name__}.parameters_vehicle{number}")
    p = getattr(module, f"parameters_vehicle{number}")()
    g, L, V, delta, r, beta = 9.81, p.a + p.b, 20.0, 0.01, 0.1, 0.02
    C = -p.tire.p_ky1 * p.m * g / L  # cornering stiffness of an axle is p_ky1 times its load
    found = linear.matrices(m=p.m, J=p.I_z, a=p.a, b=p.b, V=V, Cf=C * p.b, Cr=C * p.a)
    ours = np.linalg.solve(found.E, found.A @ [V * beta, r] + found.B[:, 0] * delta)
    theirs = rates([0.0, 0.0, delta, V, 0.0, r, beta], [0.0, 0.0], p)
    assert ours[1] == pytest.approx(theirs[5], rel=1e-12)
    assert ours[0] / V == pytest.approx(theirs[6], rel=1e-12)


def test_gains_of_outputs(linear: sb.LinearSystem) -> None:
    """Lateral acceleration is V times the yaw rate, and the side slip at low speed is geometry: b/L."""
    V = sb.symbol("V")
    yaw, ay, beta = (vh.steady_gain(linear, "delta", y) for y in ("r", "ay", "beta"))
    at = {sb.symbol(k): v for k, v in {"m": 1500.0, "a": 1.2, "b": 1.5, "Cf": 8e4, "Cr": 1e5}.items()}
    assert float(sb.evaluate(ay / yaw, {**at, V: 30.0})) == pytest.approx(30.0)
    assert float(sb.evaluate(beta, {**at, V: 1e-3})) == pytest.approx(1.5 / 2.7, rel=1e-6)


# ---------------------------------------------------------------------------------------------------- diagrams


def brush_angle(force: float, load: float, C: float) -> float:
    """Slip angle at which a brush has a side force, by the inverse of its cubic."""
    grip = 0.9 * load
    return atan(3 * grip / C * (1 - (1 - force / grip) ** (1 / 3)))


def steer_for(ay: float, V: float) -> float:
    """Of the single track with brushes: forces of the axles by moments, angles by the inverse law."""
    m, a, b, g = 1500.0, 1.2, 1.5, 9.81
    L, r, delta = a + b, ay / V, 0.0
    rear = brush_angle(m * ay * a / L, m * g * a / L, 1e5)
    v = b * r - V * np.tan(rear)
    for _ in range(50):
        front = brush_angle(m * ay * b / L / cos(delta), m * g * b / L, 8e4)
        delta = atan((v + a * r) / V) + front
    return delta


def test_handling_diagram_at_constant_speed(sliding: sb.Equations) -> None:
    """Steer angles over lateral acceleration, up to near the limit of the tyres, beside the inverse of the brush; the
    gradient begins at K."""
    found = vh.handling_diagram(sliding, (0.0, 8.0), speed=25.0, wheelbase=2.7)
    some = found.ay[:: len(found.ay) // 8]
    expected = [steer_for(x, 25.0) for x in some]
    assert np.allclose(found.steer[:: len(found.ay) // 8], expected, rtol=2e-4, atol=1e-7)
    assert found.gradient[0] == pytest.approx(0.00375, rel=2e-2)
    assert np.all(np.diff(found.ay) > 0)
    assert found.largest == pytest.approx(8.0)
    assert found.at(2.0)["steer"] == pytest.approx(steer_for(2.0, 25.0), rel=1e-3)
    b, a, Cr, m = 1.5, 1.2, 1e5, 1500.0  # β = (b/V² - m a/(L Cr)) ay to first order
    assert found.slip_gradient[0] == pytest.approx(b / 25.0**2 - m * a / (2.7 * Cr), rel=1e-2)
    assert len(str(found).splitlines()) == 11
    assert str(found).endswith("the branch ends at ay = 8: reached the bound")
    geared = vh.handling_diagram(sliding, (0.0, 1.0), speed=25.0, wheelbase=2.7, ratio=16.0)
    assert geared.gradient[0] == pytest.approx((found.gradient[0] + 2.7 / 625) / 16 - 2.7 / 625, rel=1e-3)
    with pytest.raises(sb.errors.StabilityError, match="it goes from 0 to 8"):
        found.at(9.0)


def test_handling_diagram_at_constant_radius(sliding: sb.Equations) -> None:
    """The speed grows, V² = ay R, and the steer angle begins with L/R, then grows by K ay."""
    found = vh.handling_diagram(sliding, (0.05, 3.0), radius=100.0, wheelbase=2.7)
    some = slice(None, None, len(found.ay) // 5)
    assert np.allclose(found.branch["V"] ** 2, found.branch["ay"] * 100, rtol=1e-9)
    expected = [steer_for(x, sqrt(100 * x)) for x in found.ay[some]]
    assert np.allclose(found.steer[some], expected, rtol=2e-4)
    assert found.gradient[0] == pytest.approx(0.00375, rel=2e-2)


def test_handling_diagram_with_the_magic_formula() -> None:
    """Axles of two tyres from a file: straight running without steer, since conicity cancels, and a gradient that begins
    with that of the slopes of the side force."""
    tyre = vh.TyrePair(vh.read_tyre(tir(NUMBERS), smooth=0.003))
    eq = sb.derive(vh.single_track(tyre, tyre))
    found = vh.handling_diagram(eq, (0.0, 2.0), speed=30.0, wheelbase=2.7)
    assert abs(found.steer[0]) < 1e-12
    alpha = sb.symbol("alpha")
    slope, moment = [], []
    for arm in (1.5, 1.2):
        f = tyre.forces(vh.Slip(1500 * 9.81 * arm / 2.7, 0, alpha))
        slope.append(-float(sb.evaluate(sb.derivative(f.Fy, alpha), {alpha: 0.0})))
        moment.append(float(sb.evaluate(sb.derivative(f.Mz, alpha), {alpha: 0.0})) / slope[-1])
    a, b = 1.2 - moment[0], 1.5 + moment[1]  # side forces act behind the axles by the trail
    assert found.gradient[0] == pytest.approx(
        1500 * (b * slope[1] - a * slope[0]) / ((a + b) * slope[0] * slope[1]), rel=5e-3
    )


def test_a_turn_has_a_speed_or_a_radius(sliding: sb.Equations) -> None:
    with pytest.raises(sb.errors.StabilityError, match="speed= or at a constant radius="):
        vh.handling_diagram(sliding, (0.0, 1.0), wheelbase=2.7)


# ---------------------------------------------------------------------------------------------------- manoeuvres


def test_measures_of_a_step() -> None:
    """Of a system of second order with known peak and overshoot."""
    t = np.linspace(0, 20, 20001)
    z, w = 0.4, 3.0
    wd = w * sqrt(1 - z**2)
    s = np.maximum(t - 1, 0)
    y = 0.2 * 5 * (1 - np.exp(-z * w * s) * (np.cos(wd * s) + z * w / wd * np.sin(wd * s)))
    found = vh.step_measures(t, np.where(t >= 1, 0.2, 0.0), y)
    assert found.gain == pytest.approx(5, rel=1e-6)
    assert found.peak_time == pytest.approx(pi / wd, abs=2e-3)
    assert found.overshoot == pytest.approx(np.exp(-pi * z / sqrt(1 - z**2)), rel=1e-4)


def test_a_response_that_has_not_settled_is_not_measured() -> None:
    t = np.linspace(0, 2, 400)
    with pytest.raises(
        sb.errors.StudyError, match=r"has not settled: in the last tenth of the time it changes by 4.98 %"
    ):
        vh.step_measures(t, np.minimum(t / 0.1, 1), 1 - np.exp(-t / 1.5))


def test_steps_ramps_and_sines_of_the_steering_wheel() -> None:
    t = sb.symbol("t")

    def at(law: sb.Expr, time: float) -> float:
        return float(sb.evaluate(law, {t: time}))

    step = vh.step_steer(t, -0.4, at=1.0, rate=4.0)
    assert [at(step, x) for x in (0.5, 1.05, 2.0)] == pytest.approx([0, -0.2, -0.4])
    assert at(vh.ramp_steer(t, 0.1, at=2.0), 5.0) == pytest.approx(0.3)
    sine = vh.sine_steer(t, 0.3, 0.5, at=1.0)
    assert [at(sine, x) for x in (0.9, 1.5, 3.1)] == pytest.approx([0, 0.3, 0])


def test_lanes_of_the_standards() -> None:
    """Widths and places for a car of 1.8 m, and a motion that touches a border has no clearance."""
    double, avoid = vh.lane_change("3888-1", 1.8), vh.lane_change("3888-2", 1.8)
    assert [b - a for a, b, *_ in double.sections] == [15, 25, 30]
    assert [left - right for *_, right, left in double.sections] == pytest.approx([2.23, 2.41, 2.59])
    assert [left - right for *_, right, left in avoid.sections] == pytest.approx([2.23, 2.8, 3.0])
    assert double.clearance([5.0], [2.23 / 2 - 0.9], 1.8) == pytest.approx(0, abs=1e-12)
    with pytest.raises(sb.SymbodyError, match="there are 3888-1, 3888-2"):
        vh.lane_change("3888", 1.8)


def test_a_cone_may_touch_the_side_of_a_car() -> None:
    """A car of 4 m that swerves into the second lane: its corners are before and behind the cone at the entry, within
    their lanes; its side is not."""
    lanes = vh.lane_change("3888-2", 1.8)
    a, _, right, left = lanes.sections[1]
    yaw, reach = 0.4, (2.0, 2.0)
    nose = np.array([np.cos(yaw), np.sin(yaw)])
    cone = np.array([a, right])
    for depth in (0.05, -0.05):  # the cone within the outline of the car, and beside it
        centre = cone + (0.9 - depth) * np.array([-np.sin(yaw), np.cos(yaw)])
        corners = [centre + e * nose + h * np.array([-np.sin(yaw), np.cos(yaw)]) for e in (2, -2) for h in (0.9, -0.9)]
        assert all(x < a or right < y < left for x, y in corners)
        found = lanes.clearance([centre[0]], [centre[1]], 1.8, yaw=[yaw], ends=reach)
        assert found == pytest.approx(-depth / np.cos(yaw), rel=1e-9)


def test_a_car_that_does_not_come_through_has_not_passed() -> None:
    """A driver who brakes to a stop between the lanes touches no cone, and has not passed; one who becomes slower is
    followed to the end."""
    lanes = vh.lane_change("3888-1", width=1.8)
    line = lanes.line()
    passed = {}
    for name, slow in (("stops", 0.0), ("rolls", 3.0)):
        at = [0.0, 70.0, 75.0, 80.0, 85.0, 90.0, line.length]
        speed = sb.integrate.interpolation("speed", at, [10.0, 10.0, 8.0, 6.0, slow, slow, slow], "linear")
        eq = sb.derive(vh.path_follower(vh.Driver(line, speed=speed)))
        passed[name] = vh.lane_change_test(
            eq, lanes, [10.0], width=1.8, ends=(2.0, 2.2), start=lambda V: {"u": V, "steer_s": 30.0}
        )
    assert passed["rolls"].fastest == 10.0
    assert passed["rolls"].exits[0] == pytest.approx(3.0, rel=0.05)
    assert np.isnan(passed["stops"].fastest)
    assert np.isnan(passed["stops"].exits[0])
    assert "not passed" in str(passed["stops"])


def test_a_driver_changes_lanes() -> None:
    """ISO 3888-1: a driver who looks 6 m ahead stays between the cones at 10 m/s and not at 35 m/s; ends of a car that
    is turned reach farther than its middle."""
    lanes = vh.lane_change("3888-1", 1.8)
    tyre = vh.BrushTyre(radius=0.3, cornering=1e5, along=1e5, friction=0.9)
    eq = sb.derive(vh.path_follower(lanes.path(), tyre, tyre))
    test = vh.lane_change_test(
        eq, lanes, [10.0, 35.0], width=1.8, ends=(2.0, 2.2), start=lambda V: {"u": V, "V": V}, largest=["ay"]
    )
    assert test.clearances[0] > 0 > test.clearances[1]
    assert test.fastest == 10.0
    assert "hit" in str(test).splitlines()[2]
    assert test.exits == pytest.approx((10, 35))
    turned = lanes.clearance([5.0], [0.0], 1.8, yaw=[0.1], ends=(2.0, 2.2))
    assert turned == pytest.approx(2.23 / 2 - 0.9 * cos(0.1) - 2.2 * np.sin(0.1), rel=1e-9)


def test_a_step_of_the_single_track_has_the_measures_of_its_linear_system(linear: sb.LinearSystem) -> None:
    """Gain V/(L + K V²), peak and overshoot of the transfer function's response, TB = peak time of the yaw rate times the
    steady side slip angle."""
    V = 40.0
    found = vh.step_test(linear.about.equations, 1e-4, V=V, rate=1.0)
    assert found["r"].gain == pytest.approx(V / (2.7 + 0.00375 * V**2), rel=1e-3)
    numbers = linear.matrices(V=V)
    A, B = np.linalg.solve(numbers.E, numbers.A), np.linalg.solve(numbers.E, numbers.B[:, 0])
    t = np.linspace(0, 4, 8001)
    values, vectors = np.linalg.eig(A)
    modal = np.linalg.solve(vectors, B) / values
    r = np.real((vectors[1] * modal) @ (np.exp(np.outer(values, t)) - 1))
    assert found["r"].peak_time == pytest.approx(t[r.argmax()], abs=3e-3)
    assert found["r"].overshoot == pytest.approx(r.max() / -np.linalg.solve(A, B)[1] - 1, rel=1e-2)
    beta = abs(np.degrees(found["beta"].steady))
    assert found.tb == pytest.approx(found["r"].peak_time * beta)
    assert "TB factor" in str(found)
    with pytest.raises(sb.SymbodyError, match="there are r, ay, beta"):
        found["yaw"]


def test_measures_in_frequency(linear: sb.LinearSystem) -> None:
    """Of the yaw rate: the gain of a slow sine, a resonance above it at high speed, and the delay at 1 Hz is that of its
    phase."""
    V = 40.0
    found = vh.frequency_measures(linear, "r", V=V)
    assert found.gain == pytest.approx(V / (2.7 + 0.00375 * V**2), rel=1e-2)
    assert 0.3 < found.resonance < 2
    assert found.peak > 1.1
    assert found.bandwidth > found.resonance
    H = linear.frequency_response("delta", "r", np.array([0.05, 1.0]), V=V).values
    assert found.delay == pytest.approx((np.angle(H[0]) - np.angle(H[1])) / (2 * pi), rel=1e-9)


# ---------------------------------------------------------------------------------------------------- trailer, rail


def test_car_and_trailer_is_that_in_coordinates_of_the_ground() -> None:
    """Eigenvalues beside the same vehicle with its place and heading as coordinates, and a constraint for the speed."""
    eq = sb.derive(vh.car_and_trailer(V=20.0))
    lin = sb.linearize(eq, sb.steady(eq))
    m = sb.Model("in the ground")
    q = {"m": 1500.0, "J": 2500.0, "a": 1.2, "b": 1.5, "mt": 1500.0, "Jt": 4000.0, "c": 2.3, "d": 3.6, "e": 3.5}
    x, y, yaw, hitch = m.coordinates("x y yaw hitch")
    car_frame = m.ground.translate(x, y, 0).rotate("z", yaw)
    car = m.body("car", car_frame, mass=q["m"], inertia=(q["J"],) * 3)
    trailer = m.body(
        "trailer",
        car_frame.translate(-q["c"], 0, 0).rotate("z", hitch),
        mass=q["mt"],
        com=(-q["d"], 0, 0),
        inertia=(q["Jt"],) * 3,
    )
    for name, body, at, C in (("f", car, q["a"], 8e4), ("r", car, -q["b"], 1e5), ("t", trailer, -q["e"], 9e4)):
        v = body.point(at, 0, 0).velocity()
        force = -C * v.dot(body.frame.y) / v.dot(body.frame.x)
        m.force(name, body, body.vector(0, force, 0), at=body.point(at, 0, 0))
    m.constrain_speed("cruise", car_frame.origin.velocity().dot(car_frame.x) - 20.0)
    other = sb.derive(m)
    straight = sb.steady(other, zero=["y", "yaw", "hitch"], start={"x_dot": 20.0})
    theirs = sb.linearize(other, straight, drop="cyclic").eigenvalues()
    ours = lin.eigenvalues()
    assert all(min(abs(theirs - s)) < 1e-6 * abs(s) for s in ours)
    assert len(ours) == 4


def test_wheelset_and_bogie_follow_klingel() -> None:
    """Slow, without inertia: wavelength 2π√(r0 l/λ) of a wheelset, and of two in a stiff frame √(1 + (h/l)²) times
    that."""
    klingel = 2 * pi * sqrt(0.45 * 0.75 / 0.05)
    slow = sb.linearize(sb.derive(vh.wheelset(ky=0.0)), {}).eigenvalues(V=0.1)
    assert 2 * pi * 0.1 / min(abs(slow[abs(slow.imag) > 1e-9].imag)) == pytest.approx(klingel, rel=1e-4)
    stiff: dict[str, Any] = {"ky": 1e12, "kpsi": 1e12, "k2y": 0.0, "c2y": 0.0, "k2psi": 0.0}
    slow = sb.linearize(sb.derive(vh.bogie(**stiff)), {}).eigenvalues(V=0.1)
    hunting = min((s for s in slow if s.imag > 1e-6), key=abs)
    assert 2 * pi * 0.1 / hunting.imag == pytest.approx(klingel * sqrt(1 + (1.25 / 0.75) ** 2), rel=1e-3)


def test_bogie_hunts_above_a_speed() -> None:
    critical = [
        c
        for c in sb.linearize(sb.derive(vh.bogie()), {}).root_locus(V=(5, 150), points=40).critical
        if c.kind == "oscillatory"
    ]
    assert critical
    assert all(c.value > 5 for c in critical)
