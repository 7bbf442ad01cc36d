"""Glyphs of joints, of their supports on the ground, and of the axes of frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...emit.run.callable import Array
from .poses import three, turning_z_to
from .scene_items import GROUND, ORIGIN, Solid, Three
from .skeleton import DrawnJoint, Skeleton

Z_AXIS: Final = (0.0, 0.0, 1.0)  # the default axis


@dataclass(frozen=True, eq=False)
class Support:
    """The support of a joint on the ground: its position, the direction to the ground, and the distance if there is
    a floor."""

    place: Array
    way: Array
    distance: float | None


def joint_solids(skeleton: Skeleton, rod: float, supports: Mapping[str, Support]) -> list[Solid]:
    """Pins, balls and rails; and a support where the ground holds one."""
    out: list[Solid] = []
    for h in skeleton.hinges:
        out += _SIGNS.get(h.kind, _ball)(h, rod)
        if h.name in supports:
            out += _support(h.name, rod, supports[h.name])
    return out


def _pin(h: DrawnJoint, rod: float) -> list[Solid]:
    turn = turning_z_to(h.axis or Z_AXIS)
    body = Solid("cylinder", h.carrier, (1.55 * rod, 4.4 * rod), h.place, turn, "pin", "joints", name=h.name)
    cap = Solid("cylinder", h.carrier, (2.1 * rod, 2.8 * rod), h.place, turn, "pin", "joints", name=h.name)
    return [body, cap]


def _long_pin(h: DrawnJoint, rod: float) -> list[Solid]:
    low, high = h.slides or (0.0, 0.0)
    return [_rail(h, rod, low, high), *_pin(h, rod)[1:]]


def _rail(h: DrawnJoint, rod: float, low: float, high: float) -> Solid:
    axis = np.array(h.axis or Z_AXIS)
    more = 4 * rod
    middle = np.array(h.place) + axis * (low + high) / 2
    size = (0.7 * rod, float(high - low + 2 * more))
    return Solid("cylinder", h.carrier, size, three(middle), turning_z_to(axis), "pin", "joints", name=h.name)


def _slide(h: DrawnJoint, rod: float) -> list[Solid]:
    return [_rail(h, rod, *(h.slides or (0.0, 0.0)))]


def _ball(h: DrawnJoint, rod: float) -> list[Solid]:
    return [Solid("sphere", h.carrier, (2.2 * rod,) * 3, h.place, colour="pin", group="joints", name=h.name)]


def _dot(h: DrawnJoint, rod: float) -> list[Solid]:
    return [Solid("sphere", h.carrier, (1.7 * rod,) * 3, h.place, colour="pin", group="joints", name=h.name)]


def _cross(h: DrawnJoint, rod: float) -> list[Solid]:
    arms = [
        Solid("cylinder", h.carrier, (0.9 * rod, 5 * rod), h.place, turning_z_to(a), "pin", "joints", name=h.name)
        for a in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    ]
    return [*arms, Solid("sphere", h.carrier, (1.7 * rod,) * 3, h.place, colour="pin", group="joints", name=h.name)]


_SIGNS: Final = {
    "revolute": _pin, "cylindrical": _long_pin, "screw": _long_pin, "prismatic": _slide, "spherical": _ball,
    "universal": _cross, "point": _dot,
}  # fmt: skip


def _support(name: str, rod: float, s: Support) -> list[Solid]:
    """A column that stands on the floor, or a cone on a plate, its tip at the joint."""
    if s.distance is not None and s.distance > 6 * rod:
        column = three(s.place + s.way * s.distance / 2)
        foot = three(s.place + s.way * (s.distance - 0.4 * rod))
        turn = turning_z_to(s.way)
        return [
            Solid("cylinder", GROUND, (1.5 * rod, s.distance), column, turn, "support", "joints", name=name),
            Solid("cylinder", GROUND, (5 * rod, 0.8 * rod), foot, turn, "support", "joints", name=name),
        ]
    long = min(5.2 * rod, s.distance or 5.2 * rod)
    base, plate = three(s.place + s.way * long), three(s.place + s.way * (long + 0.4 * rod))
    return [
        Solid("cone", GROUND, (3.2 * rod, long), base, turning_z_to(-s.way), "support", "joints", name=name),
        Solid("cylinder", GROUND, (4.6 * rod, 0.8 * rod), plate, turning_z_to(s.way), "support", "joints", name=name),
    ]


def axes_solids(frame: str, length: float, at: Three = ORIGIN) -> list[Solid]:
    """Three arrows, red, green and blue, along x, y and z."""
    out = []
    for k, name in enumerate("xyz"):
        way = np.eye(3)[k]
        shaft = (0.028 * length, 0.8 * length)
        turn = turning_z_to(way)
        out.append(Solid("cylinder", frame, shaft, three(at + way * 0.4 * length), turn, name, "frames"))
        out.append(
            Solid("cone", frame, (0.075 * length, 0.2 * length), three(at + way * 0.8 * length), turn, name, "frames")
        )
    return out
