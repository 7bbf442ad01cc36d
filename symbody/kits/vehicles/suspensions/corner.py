"""Suspensions of one wheel by their hardpoints: double wishbone and McPherson strut, and their spring preloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError, listed, shown, unknown
from ....summary import Summarized, Summary, summary_rows
from .hardpoints import Hardpoints
from .suspension import SIDES

Place = Sequence[float]

# hardpoints of the left side relative to a point of the road under the axle: x forward, y left, z up [m]
WISHBONES: Final[Mapping[str, Place]] = {
    "lower front": (0.15, 0.35, 0.20), "lower rear": (-0.20, 0.36, 0.21), "lower ball": (0.01, 0.70, 0.18),
    "upper front": (0.12, 0.42, 0.47), "upper rear": (-0.15, 0.43, 0.46), "upper ball": (-0.02, 0.66, 0.50),
    "tie inner": (-0.14, 0.38, 0.26), "tie outer": (-0.13, 0.69, 0.25), "wheel": (0.0, 0.76, 0.31),
    "spring top": (0.0, 0.48, 0.62), "spring bottom": (0.0, 0.58, 0.19),
}  # fmt: skip
STRUT: Final[Mapping[str, Place]] = {
    "lower front": (0.05, 0.36, 0.20), "lower rear": (-0.25, 0.36, 0.21), "lower ball": (0.01, 0.70, 0.18),
    "strut top": (-0.03, 0.56, 0.85), "strut bottom": (0.0, 0.66, 0.35),
    "tie inner": (-0.14, 0.38, 0.28), "tie outer": (-0.13, 0.69, 0.27), "wheel": (0.0, 0.76, 0.31),
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Corner(Summarized):
    """One wheel with its suspension: the knuckle carries the axle, `travel` is the length that the spring lost."""

    name: str
    knuckle: sb.Body
    wheel: sb.Body | None
    travel: Any

    def _summary(self) -> Summary:
        wheel = "" if self.wheel is None else self.wheel.name
        return Summary(
            f"Corner {self.name}", summary_rows(knuckle=self.knuckle.name, wheel=wheel, travel=str(self.travel))
        )


@answered
@sb.bodies.all_or_nothing
def double_wishbone(
    h: Hardpoints, name: str, chassis: Any, points: Mapping[str, Place], *, rack: Any = None, stiffness: Any = 3e4,
    damping: Any = 2500.0, preload: Any = 0, masses: tuple[float, float, float] = (5.0, 3.0, 15.0),
) -> Corner:  # fmt: skip
    """A double wishbone: arms on hinges, the knuckle between ball joints, a tie rod, spring and damper on the lower arm.

    points    places by the names of `WISHBONES`
    rack      part that holds the inner end of the tie rod; the chassis by default
    masses    of lower arm, upper arm, knuckle
    """
    arms = [
        _arm(h, name, chassis, level, points, mass) for level, mass in zip(("lower", "upper"), masses, strict=False)
    ]
    knuckle = _knuckle(h, name, points, masses[2])
    h.ball(f"{name}_lower_ball", arms[0], knuckle, points["lower ball"])
    h.ball(f"{name}_upper_ball", arms[1], knuckle, points["upper ball"])
    h.rod(f"{name}.tie rod", chassis if rack is None else rack, knuckle, points["tie inner"], points["tie outer"])
    ends = points["spring top"], points["spring bottom"]
    spring = h.spring(f"{name}.spring", chassis, arms[0], *ends, stiffness=stiffness, damping=damping, preload=preload)
    return Corner(name, knuckle, None, spring.rest - spring.length)


@answered
@sb.bodies.all_or_nothing
def mcpherson(
    h: Hardpoints, name: str, chassis: Any, points: Mapping[str, Place], *, rack: Any = None, stiffness: Any = 3e4,
    damping: Any = 2500.0, preload: Any = 0, masses: tuple[float, float] = (6.0, 18.0),
) -> Corner:  # fmt: skip
    """A McPherson strut: a lower arm, a knuckle whose strut slides in a tube that turns about its top, a tie rod.

    points    places by the names of `STRUT`
    masses    of arm and knuckle; the tube has none of its own: its line passes through the top, two conditions
    """
    arm = _arm(h, name, chassis, "lower", points, masses[0])
    knuckle = _knuckle(h, name, points, masses[1])
    h.ball(f"{name}_lower_ball", arm, knuckle, points["lower ball"])
    top, bottom = (sb.vector(*points[f"strut {end}"]) for end in ("top", "bottom"))
    along = (top - bottom) / sb.sqrt(sb.dot(top - bottom, top - bottom))
    gap = h.point(chassis, points["strut top"]) - h.point(knuckle, points["strut bottom"])
    for axis, across in (("x", _across(along, 0)), ("y", _across(along, 1))):
        h.model.constrain(f"{name}.strut {axis}", gap.dot(knuckle.frame.vector(*across.entries)))
    h.rod(f"{name}.tie rod", chassis if rack is None else rack, knuckle, points["tie inner"], points["tie outer"])
    ends = points["strut top"], points["strut bottom"]
    spring = h.spring(f"{name}.spring", chassis, knuckle, *ends, stiffness=stiffness, damping=damping, preload=preload)
    return Corner(name, knuckle, None, spring.rest - spring.length)


def _across(along: sb.Matrix, k: int) -> sb.Matrix:
    """A direction across a line, nearest to an axis."""
    e = sb.vector(*(1 if i == k else 0 for i in range(3)))
    return e - sb.dot(e, along) * along


def _arm(h: Hardpoints, name: str, chassis: Any, level: str, points: Mapping[str, Place], mass: float) -> sb.Body:
    arm = h.body(f"{name} {level} arm", points[f"{level} ball"], mass=mass, inertia=(0.02 * mass,) * 3)
    h.hinge(f"{name}_{level}_arm", chassis, arm, points[f"{level} front"], points[f"{level} rear"])
    return arm


def _knuckle(h: Hardpoints, name: str, points: Mapping[str, Place], mass: float) -> sb.Body:
    return h.body(f"{name} knuckle", points["wheel"], mass=mass, inertia=(0.02 * mass,) * 3)


def checked_points(where: str, points: Mapping[str, Place]) -> Mapping[str, Place]:
    """Hardpoints of a double wishbone or of a strut, all of them and each of three coordinates."""
    kind, wanted = ("McPherson strut", STRUT) if "strut top" in points else ("double wishbone", WISHBONES)
    if missing := [k for k in wanted if k not in points]:
        raise ModelError(f"{where}: the hardpoint {missing[0]!r} of a {kind} is missing; it has {listed(wanted)}")
    for name, place in points.items():
        if name not in wanted:
            raise unknown(where, f"hardpoint of a {kind}", name, wanted)
        if not isinstance(place, (tuple, list, np.ndarray)) or len(place) != 3:
            raise ModelError(f"{where}: the hardpoint {name!r} has three coordinates, got {shown(place)}")
    return points


def moved_points(points: Mapping[str, Place], x: float, side: str) -> dict[str, tuple[float, float, float]]:
    """Hardpoints of an axle at x, on the left or seen in a mirror on the right."""
    return {k: (p[0] + x, SIDES[side] * p[1], p[2]) for k, p in points.items()}


@answered
def spring_preload(points: Mapping[str, Place], load: Any, masses: Sequence[float], g: Any, wheel: float = 0.0) -> Any:
    """Force of the spring that holds a corner in its design position, by virtual work of its one motion:

        F ds + Σ m g dz = Fz dz_wheel,   Fz = load + Σ m g        ds: what the spring loses in length

    load      that the corner carries of the body
    masses    of the arms (at their ball joints) and the knuckle, `wheel` that of the wheel
    """
    twist, arms = _free_motion(points)
    centre = np.array(points["wheel"])

    def velocity(key: str) -> Any:
        return twist[:3] + np.cross(twist[3:], np.array(points[key]) - centre)

    rises = [*(velocity(f"{level} ball")[2] for level in arms), twist[2]]
    weights = [*masses[:-1], masses[-1] + wheel]
    if "strut top" in points:
        ends, moved = ("strut top", "strut bottom"), velocity("strut bottom")
    else:
        ends, moved = (
            ("spring top", "spring bottom"),
            np.cross(arms["lower"], _vector_between(points, "lower front", "spring bottom")),
        )
    along = _vector_between(points, *ends)
    shortening = -along @ moved / np.linalg.norm(along)
    own = sum(m * (twist[2] - rise) for m, rise in zip(weights, rises, strict=True))
    return (load * float(twist[2]) + g * float(own)) / float(shortening)


def _free_motion(points: Mapping[str, Place]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Velocity and spin of the knuckle, at the wheel's centre, and the spins of the arms, in the motion that joints
    and tie rod leave free."""
    centre, levels = np.array(points["wheel"]), [k for k in ("lower", "upper") if f"{k} ball" in points]
    rows, hinges = [], {}
    for k, level in enumerate(levels):
        axis = _vector_between(points, f"{level} front", f"{level} rear")
        hinges[level] = axis / np.linalg.norm(axis)
        block = np.zeros((3, 6 + len(levels)))
        block[:, :6] = _velocity_of(np.array(points[f"{level} ball"]) - centre)
        block[:, 6 + k] = -np.cross(hinges[level], _vector_between(points, f"{level} front", f"{level} ball"))
        rows.append(block)
    conditions = [
        _vector_between(points, "tie inner", "tie outer") @ _velocity_of(np.array(points["tie outer"]) - centre)
    ]
    if "strut top" in points:  # the top is a point of the tube: the knuckle moves there only along the strut
        along = _vector_between(points, "strut bottom", "strut top")
        across = np.linalg.svd(along[None, :])[2][1:]
        conditions += list(across @ _velocity_of(np.array(points["strut top"]) - centre))
    rows += [np.append(row, np.zeros(len(levels)))[None, :] for row in conditions]
    free = np.linalg.svd(np.vstack(rows))[2][-1]
    return free[:6], {level: free[6 + k] * hinges[level] for k, level in enumerate(levels)}


def _velocity_of(arm: np.ndarray) -> np.ndarray:
    """v + ω × r as a matrix of (v, ω)."""
    x, y, z = arm
    return np.hstack([np.eye(3), np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])])


def _vector_between(points: Mapping[str, Place], a: str, b: str) -> np.ndarray:
    return np.array(points[b], dtype=float) - np.array(points[a], dtype=float)
