"""A car on four wheels with double wishbones or McPherson struts, by its hardpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import symbody as sb

from .bushing import anti_roll_bar
from .drivetrain import differential
from .hardpoints import Hardpoints
from .linear_tyre import BrushTyre
from .suspension import SIDES
from .tyre import Tyre
from .wheel_contact import wheel_on_road

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


@dataclass(frozen=True, eq=False)
class Corner:
    """One wheel with its suspension: the knuckle carries the axle, `travel` is the length that the spring lost."""

    name: str
    knuckle: sb.Body
    wheel: sb.Body | None
    travel: Any


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


def moved_points(points: Mapping[str, Place], x: float, side: str) -> dict[str, tuple[float, float, float]]:
    """Hardpoints of an axle at x, on the left or seen in a mirror on the right."""
    return {k: (p[0] + x, SIDES[side] * p[1], p[2]) for k, p in points.items()}


CAR_BODY: Final = {
    "M": 1250.0, "Jx": 450.0, "Jy": 1800.0, "Jz": 2000.0, "hc": 0.55, "k_front": 4.5e4, "k_rear": 4.5e4, "c_front": 3500.0,
    "c_rear": 3500.0, "bar_front": 2e4, "bar_rear": 5e3, "g": 9.81, "ratio": 0.12,
}  # fmt: skip


def car(
    tyre: Tyre | None = None, *, front: Mapping[str, Place] = WISHBONES, rear: Mapping[str, Place] = WISHBONES,
    wheelbase: float = 2.6, share: float = 0.52, **parameters: float,
) -> sb.Model:  # fmt: skip
    """A car with four suspensions: fourteen degrees of freedom, and loops.

    tyre          of each wheel (seen in a mirror on the right); by default a brush
    front, rear   hardpoints: of a double wishbone (`WISHBONES`) or of a strut (`STRUT`)
    share         of the weight on the front axle
    parameters    M, Jx, Jy, Jz, hc (height of the mass centre) of the body, k_front, k_rear, c_front, c_rear, bar_front,
                  bar_rear (anti-roll bars between the travels of the springs), g, ratio (travel of the rack in m per
                  rad of delta)

    Inputs: delta (steering), drive (torque on the rear axle, shared by a differential). Springs carry the car in its
    design position. Outputs: ay, yaw_rate, roll, speed, and Fx, Fy, Fz, alpha of the wheels fl, fr, rl, rr.
    """
    m = sb.Model("car")
    p = m.parameters(**{**CAR_BODY, **parameters})
    m.gravity(0, 0, -p.g)
    delta, torque = m.inputs("delta drive")
    tyre = tyre or BrushTyre(radius=0.32, cornering=5e4, along=6e4, friction=0.95, contact=0.06, damping=500.0)
    centre = wheelbase * (share - 1)
    body = m.body("body", mass=p.M, com=(centre, 0, p.hc), inertia=(p.Jx, p.Jy, p.Jz))
    m.free("car", m.ground, body, sequence="zyx")
    h = Hardpoints(m)
    h.add(body, (0, 0, 0))
    rack = h.add(body.frame.translate(0, -p.ratio * delta, 0), (0, 0, 0))
    corners = {}
    for name, points, x, side, held in (
        ("fl", front, 0.0, "left", rack), ("fr", front, 0.0, "right", rack),
        ("rl", rear, -wheelbase, "left", None), ("rr", rear, -wheelbase, "right", None),
    ):  # fmt: skip
        k, c = (p.k_front, p.c_front) if held is not None else (p.k_rear, p.c_rear)
        load = p.M * p.g * (share if held is not None else 1 - share) / 2
        places = moved_points(points, x, side)
        kind = mcpherson if "strut top" in points else double_wishbone
        made = kind(h, name, body, places, rack=held, stiffness=k, damping=c, preload=load * spring_ratio(places))
        corners[name] = _with_wheel(m, made, tyre if side == "left" else tyre.mirrored())
    for axle, k in (("f", p.bar_front), ("r", p.bar_rear)):
        anti_roll_bar(m, f"bar {axle}", corners[f"{axle}l"].travel, corners[f"{axle}r"].travel, k)
    left, right = ((corners[n].wheel, corners[n].knuckle) for n in ("rl", "rr"))
    differential(m, "differential", left, right, torque, chassis=body)
    _outputs(m, body, centre, p.hc)
    return m


def spring_ratio(points: Mapping[str, Place]) -> float:
    """Force of the spring for a unit load on the wheel, in the design position, as if the lower arm turned about a line
    along x and the wheel moved with its ball joint."""
    if "strut top" in points:
        return 1.0
    (_, y0, z0), (_, y1, z1), (_, y2, z2) = points["lower front"], points["spring bottom"], points["spring top"]
    ball = points["lower ball"][1] - y0
    length = ((y2 - y1) ** 2 + (z2 - z1) ** 2) ** 0.5
    lever = ((y1 - y0) * (z2 - z1) - (z1 - z0) * (y2 - y1)) / length  # of the spring about the hinge
    return abs(ball / lever)


def _with_wheel(m: sb.Model, corner: Corner, tyre: Tyre) -> Corner:
    wheel = m.body(f"{corner.name} wheel", mass=18.0, inertia=(0.6, 1.0, 0.6))
    m.revolute(f"{corner.name}_spin", corner.knuckle, wheel, axis="y")
    wheel_on_road(
        m, corner.name, wheel, tyre, carrier=corner.knuckle, forward=True, outputs=("Fx", "Fy", "Fz", "alpha")
    )
    return Corner(corner.name, corner.knuckle, wheel, corner.travel)


def _outputs(m: sb.Model, body: sb.Body, centre: float, height: Any) -> None:
    yaw, _, roll = (m.symbols[f"car_{k}"] for k in (1, 2, 3))
    level = m.ground.rotate("z", yaw)
    point = body.point(centre, 0, height)
    m.output("speed", point.velocity().dot(level.x))
    m.output("beta", sb.atan2(point.velocity().dot(level.y), point.velocity().dot(level.x)))
    m.output("yaw_rate", yaw.dot)
    m.output("roll", roll)
    m.output("ay", point.acceleration().dot(level.y))
