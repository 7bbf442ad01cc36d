"""Contacts that no route can follow are refused: gaps that jump, coefficients out of range; starts inside are told."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb

g = 9.81


def ledge(gap, **options):
    """A particle over a floor, and how it is simulated: by events, by time steps, step by step."""
    m = sb.Model("ledge")
    m.gravity(0, -g, 0)
    x, y = m.coordinates("x y")
    mu, e = m.parameters("mu e", 0.2, 0.0)
    m.particle("p", m.ground.point(x, y, 0), mass=1)
    floor = sb.Contact("floor", gap(x, y), e, mu, x.dot)
    return sb.Contacts(sb.derive(m), floor)


ROUTES = {
    "events": lambda c, **start: sb.simulate_modes(c, 0.2, **start),
    "moreau": lambda c, **start: sb.simulate_modes(c, 0.2, method="moreau", step=1e-3, **start),
    "stepper": lambda c, **start: sb.stepper(c, 1e-3, **start),
}

JUMPS = {
    "up": lambda x, y: y - sb.where(x < 1, 0.0, 0.1),
    "down": lambda x, y: y - sb.where(x < 1, 0.1, 0.0),
    "sign": lambda x, y: y + 0.05 * sb.sign(x - 1),
    "sawtooth": lambda x, y: y - 0.01 - 0.01 * sb.atan2(sb.sin(5 * x), sb.cos(5 * x)),
}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", JUMPS)
def test_gaps_that_jump_are_refused(route, kind):
    """A body climbed the wall and gained energy by events, and went through it by time stepping."""
    with pytest.raises(
        sb.errors.SimulationError, match=r"contact 'floor': its gap jumps by .* at x = .*a contact of its own"
    ):
        ROUTES[route](ledge(JUMPS[kind]), x_dot=2.0, y=0.2)


def test_contacts_among_events_are_checked_too():
    eq = ledge(JUMPS["up"]).base
    floor = sb.Contact("floor", JUMPS["up"](*eq.q), restitution=0.5)
    with pytest.raises(sb.errors.SimulationError, match="its gap jumps"):
        sb.simulate(eq, 0.2, events=[floor], y=0.2)


@pytest.mark.parametrize("route", ROUTES)
def test_gaps_with_parts_that_agree_are_continuous(route):
    """A floor with a ramp, and one with a kink."""
    for gap in (lambda x, y: y - sb.where(x < 1, 0.0, x - 1), lambda x, y: y - abs(x - 0.5)):
        assert ROUTES[route](ledge(gap), y=2.0) is not None


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("name", "value", "message"), [
    ("mu", -0.3, "friction 'floor': its coefficient must not be negative, got -0.3"),
    ("e", 1.5, "contact 'floor': restitution must be between 0 and 1, got 1.5"),
    ("e", -0.5, "contact 'floor': restitution must be between 0 and 1, got -0.5"),
])  # fmt: skip
def test_parameters_out_of_range_are_refused_at_the_start(route, name, value, message):
    with pytest.raises(sb.errors.SimulationError, match=message):
        ROUTES[route](ledge(lambda x, y: y), y=0.2, **{name: value})


def test_numbers_out_of_range_are_refused_where_they_are_given():
    m = sb.Model("ball")
    x, y = m.coordinates("x y")
    for negative in (-0.3, np.float64(-0.3), sb.fraction(-3, 10)):
        with pytest.raises(sb.errors.SimulationError, match="a coefficient of friction must not be negative"):
            sb.Contact("floor", y, friction=negative, slip=x.dot)
    with pytest.raises(sb.ModelError, match="Ball: radius must not be negative"):
        sb.Ball(m.ground, -0.1)
    with pytest.raises(sb.ModelError, match="Ring: tube must not be negative"):
        sb.Ring(m.ground, 0.3, tube=-0.01)
    with pytest.raises(sb.ModelError, match="viscous"):
        sb.Contact("floor", y, friction=sb.Coulomb(0.1, viscous=-1.0), slip=x.dot)


def test_starts_inside_a_body_are_told():
    """By events they are refused; time stepping holds speeds, and says that positions stay."""
    contacts = ledge(lambda x, y: y)
    sim = sb.simulate_modes(contacts, 0.1, y=-0.02, method="moreau", step=1e-3)
    assert sim["y"][-1] == pytest.approx(-0.02)
    (note,) = sim.outcome.notes
    assert "floor (gap -0.02)" in note
    assert sim.outcome
    assert sb.simulate_modes(contacts, 0.1, y=0.02, method="moreau", step=1e-3).outcome.notes == ()
    with pytest.raises(sb.errors.SimulationError, match="inside each other"):
        sb.simulate_modes(contacts, 0.1, y=-0.02)


def test_bodies_without_a_surface_are_refused_with_what_has_one():
    m = sb.Model("two")
    a, b = (m.body(n, mass=1.0, inertia=(1, 1, 1)) for n in "ab")
    with pytest.raises(sb.errors.ModelError, match=r"Body b.*no surface: sb\.Ball\(body, radius\)"):
        sb.touch(sb.Ball(a, 0.1), b)
    with pytest.raises(sb.errors.SimulationError, match=r"contact 'c': a gap is an expression.*sb\.touch"):
        sb.Contact("c", a)
