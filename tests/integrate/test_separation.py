"""Starts inside a body: told by both routes, pushed apart on request, and seen in the gaps of a stepper."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb


def two_discs(masses: tuple[float, float] = (1.0, 3.0)) -> sb.Contacts:
    """Two discs of radius 0.5 on a line, and a wall at x = 0."""
    m = sb.Model("discs")
    a, b = m.coordinates("a b")
    for name, q, mass in (("first", a, masses[0]), ("second", b, masses[1])):
        m.particle(name, m.ground.point(q, 0, 0), mass=mass)
    m.gravity(-9.81, 0, 0)
    return sb.Contacts(sb.derive(m), sb.Contact("wall", a - 0.5), sb.Contact("pair", b - a - 1))


def test_light_bodies_give_way() -> None:
    """The overlap is shared as 1/m, which is the least kinetic distance."""
    found = two_discs().separated(a=2.0, b=2.6)
    assert (found["a"], found["b"]) == pytest.approx((2.0 - 0.4 * 0.75, 2.6 + 0.4 * 0.25), abs=1e-12)


def test_contacts_beside_each_other_count() -> None:
    found = two_discs().separated({"a": 0.4, "b": 1.2}, a_dot=1.0)
    assert (found["a"], found["b"], found["a_dot"]) == pytest.approx((0.5, 1.5, 1.0), abs=1e-12)
    apart = two_discs().separated(a=0.6, b=1.7)
    assert (apart["a"], apart["b"]) == (0.6, 1.7)


def test_both_routes_tell_and_take_what_was_pushed_apart() -> None:
    system = two_discs()
    inside = {"a": 0.4, "b": 1.2}
    with pytest.raises(sb.errors.SimulationError, match=r"inside each other .*contacts\.separated\(start\)"):
        sb.simulate_modes(system, 0.1, inside)
    (note,) = sb.simulate_modes(system, 0.1, inside, method="moreau", step=1e-3).outcome.notes
    assert "bodies begin inside each other" in note
    assert "contacts.separated(start)" in note
    begin = system.separated(inside)
    exact = sb.simulate_modes(system, 0.1, begin)
    stepped = sb.simulate_modes(system, 0.1, begin, method="moreau", step=1e-3)
    assert not stepped.outcome.notes
    assert exact["b"][-1] == pytest.approx(stepped["b"][-1], abs=1e-9) == pytest.approx(1.5)


def test_gaps_of_a_stepper_say_what_is_inside() -> None:
    system = two_discs()
    env = sb.stepper(system, 1e-2, a=0.4, b=2.0)
    found = env.impulses(env.start)
    assert found.gaps[0] == pytest.approx(-0.1, abs=1e-6)
    rows = env.impulses(np.array([env.start] * 2))
    assert rows.gaps.shape == (2, 2)
    begin = system.separated(a=0.4, b=2.0)
    assert env.impulses(np.concatenate([begin.q, begin.u])).gaps[0] == pytest.approx(0.0, abs=1e-12)


def test_a_ball_with_euler_parameters_on_constraints() -> None:
    """A curved gap, four parameters of norm one, and a constraint: the state stays on them."""
    m = sb.Model("box")
    box = m.body("box", mass=1.0, inertia=(0.1, 0.2, 0.25))
    m.free("f", m.ground, box, "euler parameters")
    m.constrain("rail", m.symbols["f_y"])
    m.gravity(0, 0, -9.81)
    eq = sb.derive(m)
    corners = [box.point(x, y, -0.5) for x in (-1, 1) for y in (-1, 1)]
    system = sb.Contacts(eq, *(sb.Contact(f"corner {k}", p.in_ground[2]) for k, p in enumerate(corners)))
    start = {"f_z": 0.4, "f_e0": np.cos(0.1), "f_e1": np.sin(0.1), "f_e2": 0.0, "f_e3": 0.0, "f_y": 0.0}
    found = system.separated(start)
    heights = [float(sb.evaluate(p.in_ground[2], {s: found[s.name] for s in eq.q})) for p in corners]
    assert min(heights) == pytest.approx(0.0, abs=1e-10)
    assert sum(found[f"f_e{k}"] ** 2 for k in range(4)) == pytest.approx(1.0, abs=1e-14)
    assert found["f_y"] == pytest.approx(0.0, abs=1e-14)
