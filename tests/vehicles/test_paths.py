"""Paths in the plane, and drivers who follow them."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import fresnel

import symbody as sb
from symbody.kits import vehicles as vh

from .test_roads_and_wheels import banked_circle

TYRE = vh.BrushTyre(radius=0.3, cornering=1e5, along=1e5, friction=0.9)
KNOWN = {"understeer": 0.00167, "rear_slip": 0.00667}  # m (b - a)/(L C), m a/(L C) of the single track on these tyres


def circle(radius: float = 30.0) -> vh.PlanePath:
    return vh.path_of_curvature([0.0, 2 * np.pi * radius], [1 / radius] * 2, closed=True)


def eight() -> vh.PlanePath:
    turn = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    return vh.path_through(np.column_stack([60 * np.sin(turn), 30 * np.sin(2 * turn)]), closed=True)


@pytest.mark.parametrize("name", ["roads.path", "driving.driver"])
def test_examples_of_docstrings(name: str) -> None:
    module = import_module(f"symbody.kits.vehicles.{name}")
    found = doctest.testmod(module, extraglobs={"vh": vh, "sb": sb, "np": np})
    assert found.attempted > 3
    assert not found.failed


def test_paths_have_the_curvature_that_was_asked_for() -> None:
    """A clothoid beside Fresnel's integrals, a circle, and the ends that go on straight."""
    a = 0.002  # κ = a s: x = ∫ cos(a s²/2), in units √(π/a)
    s = np.linspace(0, 60, 7)
    unit = np.sqrt(np.pi / a)
    sine, cosine = fresnel(s / unit)
    path = vh.path_of_curvature([0.0, 60.0], [0.0, 60 * a])
    assert np.allclose(path.at(s), unit * np.column_stack([cosine, sine]), atol=1e-9)
    assert np.allclose(path.curvature(s[1:-1]), a * s[1:-1], atol=1e-7)
    after = path.at(60.0) + 5 * np.array([np.cos(60**2 * a / 2), np.sin(60**2 * a / 2)])
    assert np.allclose(path.at(65.0), after, atol=1e-6)
    assert np.allclose(numbers(path, 65.0), after, atol=1e-6)
    assert path.nearest(*after) == pytest.approx((65.0, 0.0), abs=1e-6)
    assert path.nearest(-3.0, 0.5) == pytest.approx((-3.0, 0.5), abs=1e-9)
    points = circle().at(np.linspace(0, 188, 9))
    assert np.allclose(np.hypot(points[:, 0], points[:, 1] - 30), 30, atol=1e-9)


def numbers(path: vh.PlanePath, s: float) -> list[float]:
    return [float(sb.evaluate(e + sb.fraction(0, 1), {})) for e in path(s)]


def test_closed_paths_go_on_lap_after_lap() -> None:
    """As expressions: the same place after any number of laps, with slopes and curvature that are continuous where it
    closes."""
    path, s = eight(), sb.symbol("s")
    x, y = path(s)
    rows = [x, y, *(sb.derivative(e, s) for e in (x, y)), *(sb.derivative(sb.derivative(e, s), s) for e in (x, y))]

    def at(value: float) -> Any:
        return np.array(sb.evaluate(rows, {s: value}))

    for place in (0.3, 100.0):
        assert np.allclose(at(place), at(place + 3 * path.length), atol=1e-8)
        assert np.allclose(at(place)[:2], path.at(place), atol=1e-9)
    assert np.allclose(at(-1e-7), at(1e-7), atol=1e-6)
    assert np.hypot(*at(77.0)[2:4]) == pytest.approx(1, abs=1e-4)  # s is the arc length
    with pytest.raises(sb.ModelError, match="its ends are 60 m apart"):
        vh.path_of_curvature([0.0, 30 * np.pi], [1 / 30] * 2, closed=True)
    with pytest.raises(sb.ModelError, match="points 1 and 2 coincide"):
        vh.path_through([(0, 0), (1, 0), (1, 0), (2, 0)])


def followed(path: vh.PlanePath, driver: vh.Driver, duration: float, **start: float) -> sb.Trajectory:
    eq = sb.derive(vh.path_follower(driver, TYRE, TYRE))
    sim = sb.simulate(eq, np.linspace(0, duration, 400), start)
    away = path.at(sim["steer_s"]) - np.column_stack([sim["car_x"], sim["car_y"]])
    assert np.allclose(np.hypot(*away.T), np.abs(sim["steer_left"]), atol=1e-3)  # the foot is the foot
    return sim


def test_a_driver_keeps_to_a_circle() -> None:
    """Begun a metre beside it, at 4.8 m/s²: lap after lap on it, whatever the car needs."""
    path = circle()
    sim = followed(path, vh.Driver(path, speed=12.0), 40.0, u=12.0, car_y=1.0)
    assert np.abs(sim["steer_left"][200:]).max() < 1e-3
    assert sim["steer_s"][-1] > 2 * path.length
    assert sim["r"][-1] == pytest.approx(sim["u"][-1] / 30, rel=1e-2)


def test_a_driver_changes_lanes_within_centimetres() -> None:
    """ISO 3888-1 at 8 and 12 m/s, with what the driver knows of the car."""
    path = vh.lane_change("3888-1", 1.8).line()
    eq = sb.derive(vh.path_follower(vh.Driver(path, speed=12.0, **KNOWN), TYRE, TYRE))
    fast = sb.simulate(eq, np.linspace(0, 16, 400), u=12.0, car_x=-50.0)
    slow = followed(path, vh.Driver(path, speed=8.0, lead=0.12, **KNOWN), 24.0, u=8.0, car_x=-50.0)
    assert np.abs(slow["steer_left"]).max() < 0.02
    assert np.abs(fast["steer_left"]).max() < 0.1
    assert np.abs(fast["ay"]).max() > 4
    assert np.ptp(slow["car_y"]) > 3.5


def test_a_driver_goes_round_an_eight_at_its_speeds() -> None:
    """Slower at the ends, where the curve is tightest; the speed of the profile is kept."""
    path = eight()
    s = np.linspace(0, 2 * path.length, 300)
    profile = sb.integrate.interpolation("speed", s, 6.5 + np.cos(4 * np.pi * s / path.length))
    x, y = path.at(1e-3)
    sim = followed(path, vh.Driver(path, speed=profile), 70.0, u=7.5, car_a=float(np.arctan2(y, x)))
    assert np.abs(sim["steer_left"]).max() < 0.05
    assert np.abs(sim["steer_speed"] - sim["u"]).max() < 0.05
    assert sim["steer_s"][-1] > path.length
    assert np.ptp(sim["u"]) > 1.5


def test_the_line_of_a_road_is_a_path(tmp_path: Path) -> None:
    """The reference line of an OpenCRG file, u its arc length; a car at its beginning follows it through half a
    circle."""
    crg = banked_circle(tmp_path / "circle.crg")
    assert np.allclose(crg.path.at(crg.u - crg.u[0]), crg.line)
    assert np.allclose(crg.path.curvature([20.0, 60.0]), 1 / 40, rtol=1e-3)
    sim = followed(crg.path, vh.Driver(crg.path, speed=10.0), 11.0, u=10.0)
    assert np.abs(sim["steer_left"][150:]).max() < 0.01
    assert np.hypot(sim["car_x"][-1], sim["car_y"][-1] - 40) == pytest.approx(40, abs=0.01)
