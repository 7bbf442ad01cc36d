"""The steering rack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError
from .hardpoints import Hardpoints


@dataclass(frozen=True, eq=False)
class Rack:
    """A steering rack: the part that holds the tie rods, and by expressions its travel, the force that moves it along
    the axis and the torque that this takes at the steering wheel. A rigid rack has no force of its own: that is the
    constraint's."""

    part: Any
    travel: Any
    mass: Any = 0
    force: Any = None
    torque: Any = None


@answered
@sb.bodies.all_or_nothing
def rack(
    h: Hardpoints, name: str, chassis: Any, steer: Any, *, ratio: Any, axis: Any = (0, 1, 0), mass: Any = 3.0,
    stiffness: Any = None, damping: Any = 0, steer_rate: Any = None,
) -> Rack:  # fmt: skip
    """A rack that moves along an axis of the vehicle by s = ratio δ, or, with a stiffness, is drawn there:

        m s'' = Σ F_tie rods + k (ratio δ - s) + c (ratio δ' - s')
        T = ratio (k (ratio δ - s) + c (ratio δ' - s'))        at the steering wheel

    steer       δ, the angle of the steering wheel or of the pinion: an input or an expression
    ratio       travel for a radian; negative where tie rods are in front of the wheels' centres or the axis points away
    mass        of the rack, where it has a stiffness
    steer_rate  δ', where it is not that of an input: of a driver's steer angle, which is a variable
    stiffness   of pinion and column, as seen by the rack; none: rigid, and then the rack has no mass of its own

    Outputs: name_travel, and with a stiffness name_force and name_torque. With a damping the law of δ needs a rate.
    """
    m, size = h.model, sb.sqrt(sb.dot(sb.vector(*axis), sb.vector(*axis)))
    direction = [e / size for e in sb.vector(*axis).entries]
    wanted = ratio * steer
    if stiffness is None:
        if damping != 0:
            raise ModelError(
                f"rack {name!r}: damping= goes with stiffness=; without stiffness the rack follows the steering exactly"
            )
        frame = sb.bodies.frame_at(chassis)
        part = h.add(frame.translate(*(wanted * e for e in direction)), (0, 0, 0))
        made = Rack(part, wanted)
    else:
        part = h.body(name, (0, 0, 0), mass=mass, inertia=(0, 0, 0))
        h.slider(name, chassis, part, (0, 0, 0), direction)
        s = m.symbols[name]
        force = stiffness * (wanted - s)
        if damping != 0:
            rate = sb.time_derivative(wanted) if steer_rate is None else ratio * steer_rate
            force = force + damping * (rate - s.dot)
        holder = sb.bodies.frame_at(chassis)
        m.force(
            f"{name}.column",
            part,
            holder.vector(*(force * e for e in direction)),
            at=part.frame.origin,
            reacting=chassis,
        )
        made = Rack(part, s, mass, force, ratio * force)
        m.output(f"{name}_force", force)
        m.output(f"{name}_torque", made.torque)
    m.output(f"{name}_travel", made.travel)
    return made
