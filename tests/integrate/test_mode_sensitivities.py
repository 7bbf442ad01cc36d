"""Variations through modes: stick and slip, contacts that close and open, impacts with friction, switches onto
constraints; against differences of simulations."""

from typing import Any

import numpy as np
import pytest

import symbody as sb

STEP = 1e-5


def belt() -> sb.Contacts:
    m = sb.Model("belt")
    k, v = m.parameters("k v", 1.0, 0.2)
    s = m.coordinate("s")
    m.particle("block", m.ground.translate(s, 0, 0).origin, mass=1)
    m.potential("spring", k * s**2 / 2)
    return sb.Contacts(sb.derive(m), sb.Friction("belt", s.dot - v, sb.Coulomb(0.5, static=1.0), normal=1.0))


def hoop(impacts: str) -> sb.Contacts:
    """A hoop with an eccentric mass, thrown onto a floor with backspin."""
    m = sb.Model("hoop")
    e, mu, r = m.parameters("e mu r", 0.4, 0.3, 0.1)
    x, y, th = m.coordinates("x y th")
    m.gravity(0, -9.81, 0)
    frame = m.ground.translate(x, y, 0).rotate("z", th)
    m.body("hoop", frame, mass=1.0, com=(0.02, 0, 0), inertia=(0, 0, 0.01))
    floor = sb.Contact("floor", y - r, restitution=e, friction=mu, slip=x.dot + r * th.dot)
    return sb.Contacts(sb.derive(m), floor, impacts=impacts)


def string() -> sb.Modes:
    """A bob on a string: it flies until the string is taut, with a jerk, and swings until the string is slack."""
    m = sb.Model("bob")
    x, y = m.coordinates("x y")
    length = m.parameter("l", 1.0)
    m.gravity(0, -9.81, 0)
    m.particle("bob", m.ground.point(x, y, 0), mass=1.0)
    flies = sb.derive(m)
    m.constrain("string", (x**2 + y**2 - length**2) / 2)
    swings = sb.derive(m)
    distance = x**2 + y**2 - length**2
    catches = sb.Switch("catches", distance, "flies", "swings", "rising")
    slackens = sb.Switch("slackens", swings.lam[0], "swings", "flies", "rising")
    return sb.Modes({"flies": flies, "swings": swings}, [catches, slackens], initial="flies")


CASES: dict[str, tuple[Any, ...]] = {
    "stick and slip": (belt, 12.3, {"s": 0.3, "s_dot": -0.5}, {"v": 0.2, "k": 1.0}, ["s_dot", "v", "k"]),
    "newton": (lambda: hoop("newton"), 0.75, {"y": 0.15, "x_dot": 1.0, "th_dot": 30.0}, {"mu": 0.3, "e": 0.4}, ["y", "e"]),
    "poisson": (lambda: hoop("poisson"), 0.75, {"y": 0.15, "x_dot": 0.2, "th_dot": 6.0, "th": 0.4}, {"mu": 0.3}, ["th", "mu"]),
    "string": (string, 1.2, {"x": 0.5, "y": -0.2, "x_dot": 2.0, "y_dot": 3.0}, {"l": 1.0}, ["x", "l"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_variations_pass_from_mode_to_mode(name):
    make, end, start, parameters, wrt = CASES[name]
    system, values = make(), {**start, **parameters}

    def simulated(**more):
        options = {"rtol": 1e-12, **more.pop("options", {})}
        return sb.simulate_modes(system, end, {**values, **more}, options=options)

    sim = simulated(options={"sensitivities": wrt})
    assert len(set(sim.modes)) > 1
    found = sim.segments[-1].variations[-1]
    for k, n in enumerate(wrt):
        ahead, back = simulated(**{n: values[n] + STEP}), simulated(**{n: values[n] - STEP})
        assert ahead.modes == back.modes == sim.modes
        difference = [(ahead.final[s] - back.final[s]) / (2 * STEP) for s in sim.names]
        assert found[:, k] == pytest.approx(difference, rel=2e-6, abs=2e-5 * max(1.0, np.abs(difference).max()))


def test_a_motion_begins_in_a_mode():
    """The block sticks where it is told to begin so, though its speed is that of slipping backwards within rounding."""
    sim = sb.simulate_modes(belt(), 1.0, {"s_dot": 0.2}, mode="belt sticks")
    assert sim.modes[0] == "belt sticks"
    with pytest.raises(sb.errors.SimulationError, match="there is no contact 'rail'"):
        sb.simulate_modes(belt(), 1.0, mode="rail sticks")


def test_slip_in_space_has_no_derivative_where_it_ends():
    """A puck that slides on a plane: the direction of a slip that ends is not determined."""
    m = sb.Model("puck")
    x, y = m.coordinates("x y")
    m.particle("puck", m.ground.point(x, y, 0), mass=1.0)
    plane = sb.Contacts(sb.derive(m), sb.Friction("plane", (x.dot, y.dot), 0.3, normal=9.81))
    with pytest.raises(sb.errors.SimulationError, match="derivatives exist only through a single event"):
        sb.simulate_modes(plane, 1.0, {"x_dot": 1.0, "y_dot": 0.5}, sensitivities=["x_dot"])
