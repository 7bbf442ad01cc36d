"""The whole car on roads that are not flat, beside quarter cars and balances of forces; and its driven axle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh
from tests.amount import dear

from .test_roads_and_wheels import banked_circle

WHEELS = ("fl", "fr", "rl", "rr")
BODY, SHARE, BASE, MASS = 1250.0, 0.52, 2.6, 1250.0 + 4 * 41
P = vh.WISHBONES


def tyre() -> vh.BrushTyre:
    return vh.BrushTyre(radius=0.32, cornering=5e4, along=6e4, friction=0.95, contact=0.06, damping=500.0, smooth=1e-3)


def rolling(V: float) -> dict[str, float]:
    return {"u": V, "z": -0.008, **{f"{w}_spin_dot": V / 0.3141 for w in WHEELS}}


def held(V: float) -> dict[str, Any]:
    return {"delta": 0, "drive": 3000 * (V - sb.symbol("u", "speed"))}


# ---------------------------------------------------------------------------------------------------- quarter cars


def corner() -> tuple[float, float, float]:
    """Mass, damping and stiffness of one suspension as its wheel moves up: linearised under its load."""
    m = sb.Model("corner")
    m.gravity(0, 0, -9.81)
    masses, load = (5.0, 3.0, 33.0), BODY / 4 * 9.81
    preload = vh.spring_preload(P, load, masses, 9.81)
    made = vh.double_wishbone(
        vh.Hardpoints(m), "c", m.ground, P, stiffness=4.5e4, damping=3500.0, preload=preload, masses=masses
    )
    m.force("wheel", made.knuckle, m.ground.vector(0, 0, load + 9.81 * sum(masses)))
    m.output("height", made.knuckle.frame.origin.in_ground[2])
    eq = sb.derive(m)
    n = sb.linearize(eq, sb.steady(eq)).matrices()
    lift = n.C[0, 0]
    return n.E[1, 1] / lift**2, -n.A[1, 1] / lift**2, -n.A[1, 0] / lift**2


def accelerations(V: float, waves: Any, x: np.ndarray) -> np.ndarray:
    """Of the mass centre on waves (amplitude, cycles/m, phase) when the front axle is at x: an axle is a quarter car,
    and the pitching inertia nearly that of two masses over the axles."""
    mass, c, k = corner()
    out = np.zeros_like(x)
    for amplitude, n, phase in waves:
        s = 2j * np.pi * n * V
        for share, at in ((SHARE, 0.0), (1 - SHARE, -BASE)):
            K, tyre_force = k + c * s, 2e5 + 500.0 * s
            A = np.array([[BODY * share / 2 * s**2 + K, -K], [-K, mass * s**2 + K + tyre_force]])
            H = s**2 * np.linalg.solve(A, [0, tyre_force])[0]
            out += np.real(share * H * amplitude * np.exp(1j * (2 * np.pi * n * (x + at) + phase)))
    return out


def measured(sim: sb.Trajectory) -> np.ndarray:
    """Vertical acceleration of the mass centre."""
    height = np.asarray(sim["z"]) - np.asarray(sim["pitch"]) * BASE * (SHARE - 1)
    return np.asarray(np.gradient(np.gradient(height, sim.t), sim.t))


def test_quarter_cars_have_the_masses_and_springs_of_the_corner() -> None:
    """The wheel's rate is that of the spring times the square of its motion ratio, and 7 % more for what its load turns;
    masses are those that move with the wheel."""
    mass, damping, stiffness = corner()
    ratio = 1000.0 / float(vh.spring_preload(P, 1000.0, (0, 0, 0), 0.0))
    assert damping == pytest.approx(3500 * ratio**2, rel=1e-6)
    assert stiffness == pytest.approx(4.5e4 * ratio**2, rel=0.1)
    assert mass == pytest.approx(41, rel=0.05)


@dear
def test_a_car_on_a_random_road_is_accelerated_as_quarter_cars_are() -> None:
    """ISO 8608, class B at 72 km/h: the same time history as that of linear quarter cars on the same waves."""
    V, profile = 20.0, vh.random_profile("B", waves=40, seed=3)
    eq = sb.derive(vh.car(tyre(), road=lambda ground: vh.random_road(ground, "B", waves=40, seed=3)))
    sim = sb.simulate(eq, np.linspace(0, 8, 1601), rolling(V), inputs=held(V))
    expected = accelerations(V, zip(profile.amplitudes, profile.n, profile.phases, strict=True), np.asarray(sim["x"]))
    late = slice(600, 1590)
    assert np.std(measured(sim)[late]) == pytest.approx(np.std(expected[late]), rel=0.06)
    assert np.corrcoef(measured(sim)[late], expected[late])[0, 1] > 0.98
    loads = [np.mean(sim[f"{w}_Fz"][late]) for w in WHEELS]
    assert sum(loads) == pytest.approx(MASS * 9.81, rel=2e-3)
    assert loads[0] == pytest.approx(loads[1], rel=1e-6)


@dear
def test_waves_by_a_formula_and_by_samples_are_one_road() -> None:
    """Waves as long as the wheelbase heave the car: by a formula, by samples, and as quarter cars have it."""
    V, waves = 5.2, [(0.004, 1 / BASE, -np.pi / 2)]
    x = np.arange(-5.0, 80.0, 0.1)
    roads = (
        lambda ground: vh.Road(ground, lambda x, _: 0.004 * sb.sin(2 * sb.pi * x / BASE)),
        lambda ground: vh.profile_road(ground, x, 0.004 * np.sin(2 * np.pi * x / BASE)),
    )
    found = []
    for road in roads:
        sim = sb.simulate(sb.derive(vh.car(tyre(), road=road)), np.linspace(0, 8, 1601), rolling(V), inputs=held(V))
        found.append(measured(sim)[600:1590])
    expected = accelerations(V, waves, np.asarray(sim["x"]))[600:1590]
    assert np.allclose(found[0], found[1], atol=0.01 * np.ptp(found[0]))
    assert np.std(found[0]) == pytest.approx(np.std(expected), rel=0.1)


# ---------------------------------------------------------------------------------------------------- along a curve


@dear
def test_a_car_follows_a_banked_curve(tmp_path: Path) -> None:
    """A driver along the reference line of an OpenCRG file, 40 m to the left, banked outwards by 0.05 and rising by 0.02:
    the body leans with the road and then outwards, loads carry the weight across the road, and their moment is that of
    the masses about it."""
    V, s = 10.0, 6.0
    crg = banked_circle(tmp_path / "circle.crg")
    driver = vh.Driver(crg.path, speed=V, rear=BASE, wheelbase=BASE)
    eq = sb.derive(vh.car(tyre(), road=crg.road, driver=driver))
    (x, y), yaw = crg.path.at(s), s / 40
    start = {**rolling(V), "x": x, "y": y, "yaw": yaw, "z": 0.02 * s - 0.008, "roll": 0.05, "pitch": -0.02, "r": V / 40}
    start |= {"steer": BASE / 40, "steer_s": s}
    for w in WHEELS:
        d, e = (-BASE if w[0] == "r" else 0.0), (0.76 if w[1] == "l" else -0.76)
        start[f"{w}_u"] = crg.nearest(x + d * np.cos(yaw) - e * np.sin(yaw), y + d * np.sin(yaw) + e * np.cos(yaw))[0]
    sim = sb.simulate(eq, np.linspace(0, 8, 801), start, method="dp5")
    late = slice(400, 801)
    assert np.abs(sim["steer_left"][500:]).max() < 0.05
    assert np.allclose(sim["fl_u"][late] - sim["rl_u"][late], BASE, atol=0.1)
    bank, a = np.arctan(0.05), np.mean(sim["ay"][late])
    assert a == pytest.approx(V**2 / 40, rel=0.03)
    loads = {w: np.mean(sim[f"{w}_Fz"][late]) for w in WHEELS}
    assert sum(loads.values()) == pytest.approx(MASS * (9.81 * np.cos(bank) - a * np.sin(bank)), rel=5e-3)
    roll, across = np.mean(sim["roll"][late]) - bank, a * np.cos(bank) + 9.81 * np.sin(bank)
    assert 0.02 < roll < 0.05
    arms = 4 * (5 * P["lower ball"][2] + 3 * P["upper ball"][2] + 33 * P["wheel"][2])
    moved = (loads["fr"] + loads["rr"] - loads["fl"] - loads["rl"]) / 2
    centre = roll_centre()
    expected = (across * (BODY * 0.55 + arms) + BODY * 9.81 * (0.55 - centre) * roll) / (2 * P["wheel"][1])
    assert moved == pytest.approx(expected, rel=0.03)


def roll_centre() -> float:
    """Height, from the lines of the arms in the front view."""
    lines = {}
    for k in ("lower", "upper"):
        (_, y0, z0), (_, y1, z1) = np.mean([P[f"{k} front"], P[f"{k} rear"]], axis=0), P[f"{k} ball"]
        slope = (z1 - z0) / (y1 - y0)
        lines[k] = (z0 - slope * y0, slope)
    y = (lines["upper"][0] - lines["lower"][0]) / (lines["lower"][1] - lines["upper"][1])
    z = lines["lower"][0] + lines["lower"][1] * y
    return float(z * P["wheel"][1] / (P["wheel"][1] - y))


# ---------------------------------------------------------------------------------------------------- driven axle


def test_a_spool_takes_a_degree_of_freedom() -> None:
    eq = sb.derive(vh.car(tyre(), axle={"locked": True}))
    assert eq.degrees_of_freedom == 13
    assert {"differential_left", "differential_right"} <= set(eq.outputs)


@dear
def test_differentials_in_a_turn_of_the_whole_car() -> None:
    """A step of the steering at 12 m/s: open, equal torques, the outer wheel faster; a spool keeps the spins equal,
    drives the inner and brakes the outer wheel, and the car turns less; a limited slip has its torque between them, and
    lies between."""
    V, found = 12.0, {}
    for name, axle in (
        ("open", {}),
        ("spool", {"locked": True}),
        ("slip", {"friction": 120.0, "width": 0.1}),
    ):
        eq = sb.derive(vh.car(tyre(), steering={"stiffness": 3e5, "damping": 1e3}, axle=axle))
        law = {**held(V), "delta": vh.step_steer(eq.t, 0.12, at=0.5, rate=0.4, smooth=True)}
        found[name] = sb.simulate(eq, np.linspace(0, 7, 701), rolling(V), inputs=law)
    spins = {k: np.asarray(sim["rr_spin_dot"]) - np.asarray(sim["rl_spin_dot"]) for k, sim in found.items()}
    torques = {k: [float(sim[f"differential_{s}"][-1]) for s in ("left", "right")] for k, sim in found.items()}
    free = {k: float(found["open"][k][-1]) for k in ("u", "r", "rl_Fz", "rr_Fz")}
    rolled = [  # with the radius that a deflected tyre rolls on
        (free["u"] - side * P["wheel"][1] * free["r"]) / (0.32 - free[f"{w}_Fz"] / (3 * 2e5))
        for w, side in (("rr", -1), ("rl", 1))
    ]
    assert spins["open"][-1] == pytest.approx(rolled[0] - rolled[1], rel=0.06)
    assert torques["open"][0] == pytest.approx(torques["open"][1], rel=1e-9)
    assert np.abs(spins["spool"]).max() < 1e-9
    assert torques["spool"][0] > 100
    assert torques["spool"][1] < -100
    assert found["spool"]["rl_Fx"][-1] > 0 > found["spool"]["rr_Fx"][-1]
    wanted = 120 * np.tanh(spins["slip"][-1] / 0.1)
    assert torques["slip"][0] - torques["slip"][1] == pytest.approx(wanted, rel=1e-6)
    for sim in found.values():
        total = 3000 * (V - float(sim["u"][-1]))
        assert sum(float(sim[f"differential_{s}"][-1]) for s in ("left", "right")) == pytest.approx(total, rel=1e-3)
    rates = [float(found[k]["r"][-1]) for k in ("spool", "slip", "open")]
    assert rates == sorted(rates)
    assert rates[0] < 0.9 * rates[2]
