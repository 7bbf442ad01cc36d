"""Parts of a car that are options: brakes, driven axles, air forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError, shown, unknown
from ..suspensions.corner import Corner
from ..wheels.drivetrain import WHEELS, brake, differential

AXLES: Final = {"front": ("fl", "fr"), "rear": ("rl", "rr")}
AIR: Final = {"drag": 0.0, "lift_front": 0.0, "lift_rear": 0.0, "density": 1.2}


def add_brakes(m: sb.Model, corners: Mapping[str, Corner], options: Mapping[str, Any]) -> None:
    """A brake at each wheel, whose torque is the input brake_fl, brake_fr, brake_rl or brake_rr."""
    for name in WHEELS:
        corner = corners[name]
        brake(m, f"{name} brake", corner.wheel, corner.knuckle, m.input(f"brake_{name}"), **options)


def add_drive(
    m: sb.Model, corners: Mapping[str, Corner], body: Any, torque: Any, options: dict[str, Any]
) -> None:  # fmt: skip
    """Differentials of the driven axles."""
    driven = options.pop("driven", "rear")
    shares = {"front": {"front": 1.0}, "rear": {"rear": 1.0}}
    if isinstance(driven, str):
        if driven not in shares:
            raise unknown("car", "driven axle", driven, list(shares), ModelError)
        parts = shares[driven]
    else:
        if not 0 < driven < 1:
            raise ModelError(
                f"car: driven = {shown(driven)}: the front axle takes a part of the torque between 0 and 1"
            )
        parts = {"front": driven, "rear": 1 - driven}
    for axle, share in parts.items():
        left, right = ((corners[n].wheel, corners[n].knuckle) for n in AXLES[axle])
        name = "differential" if len(parts) == 1 else f"differential_{axle}"
        differential(m, name, left, right, torque if share == 1 else share * torque, chassis=body, **options)


def add_air(m: sb.Model, body: Any, heading: sb.Frame, places: Mapping[str, Any], p: Any) -> None:
    """Drag and lift: F = ½ ρ c A u|u| backward at the height of the mass centre, and ½ ρ c A u² upward over each axle.

    places   along the car: of the mass centre ("centre") and of the axles
    """
    u = heading.origin.velocity().dot(heading.x)
    drag = p.drag * p.density / 2 * u * abs(u)
    m.force("drag", body, -drag * heading.x, at=body.point(places["centre"], 0, p.hc))
    for axle, lift in (("front", p.lift_front), ("rear", p.lift_rear)):
        m.force(f"{axle} lift", body, lift * p.density / 2 * u**2 * heading.z, at=body.point(places[axle], 0, 0))
    m.output("drag_force", drag)


@answered
def pedal(torque: Any, *, front: float = 0.65) -> dict[str, Any]:
    """Torques of four brakes for the total torque that a driver requests, as inputs of a `car` with brakes.

    torque   the sum over all wheels [N m]: a number or an expression
    front    the part of the front axle

    >>> vh.pedal(2000.0)["brake_fl"]
    650.0

    See also: `car`, `anti_lock`.
    """
    if not 0 <= front <= 1:
        raise ModelError(f"pedal: front = {shown(front)}: the front axle takes a part of the torque between 0 and 1")
    return {f"brake_{n}": torque * ((front if n[0] == "f" else 1 - front) / 2) for n in WHEELS}
