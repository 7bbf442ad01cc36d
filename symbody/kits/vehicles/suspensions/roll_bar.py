"""Anti-roll bars: as a stiffness between two motions, or as two halves with drop links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import symbody as sb

from ....argument_kinds import answered
from .hardpoints import Hardpoints


@dataclass(frozen=True, eq=False)
class AntiRollBar:
    """The twist of a bar and the moment (or force, of travels) that it answers with on the right side; on the left its
    negative."""

    twist: Any
    moment: Any


@answered
@sb.bodies.all_or_nothing
def anti_roll_bar(m: sb.Model, name: str, left: Any, right: Any, stiffness: Any) -> AntiRollBar:
    """A bar that twists by the difference of two motions, angles of its arms or travels of the wheels: V = ½ k (l -
    r)². Outputs: name_twist, name_moment."""
    twist = left - right
    m.potential(name, stiffness * twist**2 / 2)
    return _with_outputs(m, name, AntiRollBar(twist, stiffness * twist))


@answered
@sb.bodies.all_or_nothing
def torsion_bar(
    h: Hardpoints, name: str, chassis: Any, axis: tuple[Sequence[Any], Sequence[Any]], arms: Sequence[Sequence[Any]],
    links: Sequence[tuple[Any, Sequence[Any]]], *, stiffness: Any, damping: Any = 0, mass: Any = 3.0,
) -> AntiRollBar:  # fmt: skip
    """An anti-roll bar as it is built: two halves on the chassis that twist against each other, and drop links from
    their arms to the suspension.

        M = k (φl - φr) + c (φl' - φr')

    axis        two places on the line about which the bar turns
    arms        places where the arms end, left and right
    links       part and place to which the drop link of each arm goes: [(left arm, (0, 0.5, 0.2)), (right arm, ...)]
    stiffness   of the bar's torsion, G J / length, N m/rad
    mass        half of it at the end of each arm

    Each half is a coordinate, name_left and name_right, each link a constraint. Outputs: name_twist, name_moment.
    """
    m, angles, halves = h.model, [], []
    for side, end, (part, place) in zip(("left", "right"), arms, links, strict=True):
        half = h.body(f"{name} {side}", end, mass=mass / 2, inertia=(0, 0, 0))
        h.hinge(f"{name}_{side}", chassis, half, *axis)
        h.rod(f"{name}.{side} link", half, part, end, place)
        angles.append(m.symbols[f"{name}_{side}"])
        halves.append(half)
    twist = angles[0] - angles[1]
    moment = stiffness * twist + damping * (angles[0].dot - angles[1].dot)
    line = sb.vector(*axis[1]) - sb.vector(*axis[0])
    holder = sb.bodies.frame_at(chassis)
    along = holder.vector(*(line / sb.sqrt(sb.dot(line, line))).entries)
    m.torque(name, halves[1], moment * along, reacting=halves[0])
    return _with_outputs(m, name, AntiRollBar(twist, moment))


def _with_outputs(m: sb.Model, name: str, bar: AntiRollBar) -> AntiRollBar:
    m.output(f"{name}_twist", bar.twist)
    m.output(f"{name}_moment", bar.moment)
    return bar
