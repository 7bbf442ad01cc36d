"""Wherever something is to stand, a point P and the frame at P mean the same place, also where P moves in its frame; a point
of a part that moves relative to the given one is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import robots
from symbody.kits import vehicles as vh


class Yard:
    """A free body, a sliding frame on it and the ground, with places on all of them."""

    def __init__(self) -> None:
        self.model = m = sb.Model("yard")
        self.body = m.body("b", mass=1.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
        m.free("f", m.ground, self.body)
        s = m.coordinate("s")
        m.particle("slider", self.body.frame.translate(0.3, s, 0.1).origin, mass=0.5)
        self.places = {
            "fixed": self.body.point(0.1, 0.2, -0.3), "moving": self.body.point(s, 0.1, s**2), "origin": self.body.frame.origin,
        }  # fmt: skip
        self.floor = m.ground.point(0.1, 0.2, -2.0)

    def values(self, things: Any) -> np.ndarray:
        m = self.model.freeze()
        random = np.random.default_rng(5)
        state = {s: float(x) for s, x in zip((*m.q, *m.u), random.uniform(0.1, 0.6, 14), strict=False)}
        return np.ravel(np.array(sb.evaluate(things, state), dtype=float))


def touched(first: Any, second: Any) -> list[Any]:
    found = sb.touch(first, second)
    return [found.gap, *found.slip, *found.spin, *found.point.in_ground.entries]


def length(yard: Yard, wrap: Any) -> list[Any]:
    return [
        yard.model.path("rope", [yard.model.ground.point(-3, 0.1, 3), wrap, yard.model.ground.point(3, 0.2, -3)]).length
    ]


def bushing(yard: Yard, place: Any) -> list[Any]:
    return list(vh.bushing(yard.model, "bush", yard.model.ground, place, stiffness=[1e3] * 6).wrench.entries)


USES: dict[str, Callable[[Yard, Any], list[Any]]] = {
    "Ball": lambda y, p: touched(sb.Ball(p, 0.1), sb.HalfSpace(y.floor)),
    "Ball, at": lambda y, p: touched(sb.Ball(p, 0.1, at=(0.1, 0, 0.2)), sb.HalfSpace(y.floor)),
    "Ball, second": lambda y, p: touched(sb.Ball(y.floor, 0.1), sb.Ball(p, 0.2)),
    "HalfSpace": lambda y, p: touched(sb.Ball(y.floor, 0.1), sb.HalfSpace(p, normal=(0.6, 0, 0.8))),
    "Ring": lambda y, p: touched(sb.Ring(p, 0.3, axis="y"), sb.HalfSpace(y.floor)),
    "Tube": lambda y, p: touched(sb.Ball(y.floor, 0.1), sb.Tube(p, 0.2, axis="x")),
    "Tubes": lambda y, p: touched(sb.Tube(y.floor, 0.1, axis="x"), sb.Tube(p, 0.2, axis="y")),
    "Ellipsoid": lambda y, p: touched(sb.Ellipsoid(p, (0.1, 0.2, 0.3)), sb.HalfSpace(y.floor)),
    "HeightField": lambda y, p: touched(sb.Ball(y.floor, 0.1), sb.HeightField(p, lambda a, b: 0.1 * a * b)),
    "corners": lambda y, p: [e for c in sb.corners(p, (1, 2, 0)) for e in c.in_ground.entries],
    "WrapSphere": lambda y, p: length(y, sb.bodies.WrapSphere(p, 1.5)),
    "WrapCylinder": lambda y, p: length(y, sb.bodies.WrapCylinder(p, 1.5)),
    "WrapRing": lambda y, p: length(y, sb.bodies.WrapRing(p, 0.5)),
    "WrapTorus": lambda y, p: length(y, sb.bodies.WrapTorus(p, 0.5, 0.05)),
    "WrapEllipsoid": lambda y, p: length(y, sb.bodies.WrapEllipsoid(p, (1.5, 1.2, 1.0))),
    "task": lambda y, p: list(robots.task(sb.derive(y.model), p, "xyz").jacobian.entries),
    "link_jacobian": lambda y, p: list(robots.link_jacobian(y.model.freeze(), p).entries),
    "bushing": bushing,
}  # fmt: skip
NOT_PLACED_BY_USERS = {"Body", "ElasticBody", "Joint", "Load", "Action", "Constraint", "Touch"}


def same_place(point: sb.Point) -> sb.Frame:
    x, y, z = point.coordinates.entries
    return point.frame.translate(x, y, z)


@pytest.mark.parametrize("place", ["fixed", "moving", "origin"])
@pytest.mark.parametrize("use", USES)
def test_a_point_and_the_frame_at_it_are_one_place(use: str, place: str) -> None:
    one, other = Yard(), Yard()
    point = USES[use](one, one.places[place])
    frame = USES[use](other, same_place(other.places[place]))
    got, expected = one.values(point), other.values(frame)
    assert got == pytest.approx(expected, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("use", [u for u in USES if u != "link_jacobian"])
def test_the_place_counts(use: str) -> None:
    """The point is not taken for its frame."""
    one, other = Yard(), Yard()
    there, origin = USES[use](one, one.places["fixed"]), USES[use](other, other.places["origin"])
    assert np.abs(one.values(there) - other.values(origin)).max() > 1e-3


def test_all_public_surfaces_are_here() -> None:
    classes = {n: getattr(sb.bodies, n) for n in sb.bodies.__all__ if is_dataclass(getattr(sb.bodies, n))}
    placed = {n for n, c in classes.items() if {"on", "frame"} & {f.name for f in fields(c)}}
    assert placed - NOT_PLACED_BY_USERS <= USES.keys()


# -------------------------------------------------------------------------------------------------------- what is refused


def foreign(yard: Yard) -> dict[str, Callable[[], Any]]:
    m, other = yard.model, yard.model.body("c", mass=1.0)
    there = m.ground.point(0, 0, 5)
    return {
        "revolute, at": lambda: m.revolute("r", yard.body, other, at=there),
        "Ball, at": lambda: sb.Ball(yard.body, 0.1, at=there),
        "HalfSpace, at": lambda: sb.HalfSpace(yard.body, at=there),
        "corners, at": lambda: sb.corners(yard.body, (1, 1, 1), at=there),
    }


@pytest.mark.parametrize("call", foreign(Yard()))
def test_points_of_other_parts_are_refused(call: str) -> None:
    with pytest.raises(sb.ModelError, match=r"ground.point\(0, 0, 5\) is a point of ground, which moves relative to b"):
        foreign(Yard())[call]()


def test_points_that_are_fixed_to_the_part_are_taken() -> None:
    yard = Yard()
    side = yard.body.frame.translate(0.5, 0, 0).rotate("z", 0.3)
    ball, same = sb.Ball(yard.body, 0.1, at=side.point(0.1, 0, 0)), sb.Ball(side.point(0.1, 0, 0), 0.1)
    floor = sb.HalfSpace(yard.floor)
    one, other = (yard.values(touched(b, floor)) for b in (ball, same))
    assert one == pytest.approx(other, abs=1e-12)


@pytest.mark.parametrize("wrong", [3, "b", None, (0, 0, 1)])
def test_what_is_no_place_is_refused_when_it_is_given(wrong: Any) -> None:
    for make in (sb.Ball, sb.HalfSpace, lambda p: sb.bodies.WrapCylinder(p, 0.1), sb.bodies.frame_at):
        with pytest.raises(sb.ModelError, match="expected a body, a frame or a point"):
            make(wrong)


def test_a_task_of_a_point_has_its_place_alone() -> None:
    yard = Yard()
    eq = sb.derive(yard.model)
    centre = robots.task(eq, sb.centre_of_mass(eq))
    assert centre.rows == (0, 1, 2)
    expected = robots.centre_of_mass_jacobian(eq)
    assert yard.values(list(centre.jacobian.entries)) == pytest.approx(yard.values(list(expected.entries)), abs=1e-12)
    with pytest.raises(sb.ModelError, match="a point does not turn"):
        robots.task(eq, yard.body.point(1, 0, 0), "xyzabc")
    with pytest.raises(sb.ModelError, match="whose axes are meant"):
        robots.task(eq, yard.body, along=yard.floor)
