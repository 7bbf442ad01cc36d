"""A wheel on a road: contact point, slip, and the forces of its tyre.

With the centre c, the spin axis e_y, the normal n of the road under the centre and the height h = n · (c - p0):

    e_x = e_y × n / |e_y × n|,   e_r = e_x × e_y,   e_t = n × e_x,   sin γ = e_y · n
    C = c - (h - ρ)/cos γ e_r - ρ n            a torus of tube radius ρ; ρ = 0 is a disc, its contact in the wheel plane
    d = (R - ρ) cos γ + ρ - h                  deflection
    V = v_c + (ω - (ω · e_y) e_y) × (C - c)    velocity of the contact point with the wheel plane
    Vsx = V · e_x - Re Ω,   Vsy = V · e_t,   Ω = ω_wheel · e_y

All are smooth up to a camber of 90 degrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError, unknown
from ....summary import Summarized, Summary, summary_rows
from ..roads.road import Road
from ..tyres.tyre import Slip, Tyre, TyreForces

SLOW = 0.1  # m/s: turn slip of slower wheels is that of this speed
MIN_RELAXATION_LENGTH = 0.01  # smallest relaxation length in m under a varying load, where a wheel lifts off


@dataclass(frozen=True, eq=False, repr=False)
class ContactGeometry(Summarized):
    """Where a wheel touches, with components in the frame of the road."""

    frame: sb.Frame
    along: sb.Matrix
    across: sb.Matrix
    normal: sb.Matrix
    axis: sb.Matrix
    sin_camber: Any
    arm: sb.Matrix  # from the wheel's centre to the contact
    centre: sb.Matrix
    deflection: Any

    def _summary(self) -> Summary:
        rows = summary_rows(deflection=str(self.deflection), sin_camber=str(self.sin_camber))
        return Summary(f"ContactGeometry in {self.frame.name}", (*rows, ("next", "along, across, normal, arm, point")))

    @property
    def point(self) -> sb.Point:
        return self.frame.point(*(self.centre + self.arm).entries)


@dataclass(frozen=True, eq=False, repr=False)
class WheelContact(Summarized):
    """A wheel on a road, by expressions of the model: what it does, and the forces of its tyre."""

    name: str
    geometry: ContactGeometry
    load: Any
    kappa: Any
    tan_alpha: Any
    camber: Any
    speed: Any
    forces: TyreForces

    def _summary(self) -> Summary:
        rows = summary_rows(
            load=str(self.load), kappa=str(self.kappa), tan_alpha=str(self.tan_alpha), camber=str(self.camber)
        )
        return Summary(f"WheelContact {self.name}", (*rows, ("next", "forces.Fx, forces.Fy, force, moment, point")))

    @property
    def point(self) -> sb.Point:
        """The contact point."""
        return self.geometry.point

    @property
    def force(self) -> sb.Vector:
        """On the wheel."""
        g, f = self.geometry, self.forces
        return g.frame.vector(*(f.Fx * g.along + f.Fy * g.across + self.load * g.normal).entries)

    @property
    def moment(self) -> sb.Vector:
        """On the wheel, about the contact point."""
        g, f = self.geometry, self.forces
        return g.frame.vector(*(f.Mx * g.along + f.My * g.across + f.Mz * g.normal).entries)


@answered
@sb.bodies.all_or_nothing
def wheel_on_road(
    m: sb.Model,
    name: str,
    wheel: Any,
    tyre: Tyre,
    *,
    carrier: Any = None,
    road: Road | None = None,
    load: Any = None,
    tube: Any = 0,
    pressure: Any = None,
    forward: bool = False,
    turn_slip: bool = False,
    outputs: bool | Sequence[str] = True,
) -> WheelContact:
    """Put a wheel on a road: adds the force and the moment of its tyre, its lag, and the outputs name_Fx, name_Fy,
    name_Fz, name_Mx, name_My, name_Mz, name_kappa, name_alpha, name_camber.

    wheel      the body on which the tyre acts; its y axis is the spin axis, its origin the wheel's centre
    carrier    what carries its axle, a body or frame with the same origin and y axis that does not spin. Without one
               the wheel itself does not spin: it is a wheel that rolls freely, κ = 0
    road       flat, z = 0 of the ground, by default
    load       normal force, where it does not come from the deflection of the tyre
    tube       tube radius of a torus. With one the contact moves across the tread, and the overturning moment of the
               tyre, which describes the same effect, is omitted
    forward    the wheel rolls forward all the time: |Vx| is Vx, which keeps formulas short
    turn_slip  forces and moment of turning about the normal of the road, by the coefficients of a `MagicFormula`: parking,
               narrow turns; the slip is ψ'/√(Vx² + (0.1 m/s)²)
    outputs    some of them, ("Fy", "Fz"), or none
    """
    spins, held = carrier is not None, sb.bodies.frame_at(carrier if carrier is not None else wheel)
    road = _flat_road(m, name, held) if road is None else road
    road = road.seen_by(m, name, held.origin)
    g = contact_geometry(held, road, tyre.free_radius, tube)
    V, W = _velocities(held, road.frame, g)
    Vx, Vsy = sb.dot(V, g.along), sb.dot(V, g.across)
    Fz = sb.maximum(tyre.load(g.deflection, road.rate(g.deflection)), 0) if load is None else load
    camber = sb.asin(g.sin_camber)
    size = Vx if forward else Vx * sb.where(Vx >= 0, 1, -1)
    state = Slip(Fz, 0, 0, camber, pressure, None if forward else Vx)
    lags = tyre.relaxation_lengths(state)
    spin = sb.dot(sb.bodies.frame_at(wheel).angular_velocity().components(road.frame), g.axis) if spins else 0
    sunk = g.deflection if load is None else 0
    slips = {"kappa": -(Vx - tyre.rolling_radius(sunk, spin) * spin) if spins else 0, "alpha": Vsy}
    kappa, tan_alpha = (
        _lagging(m, f"{name}_{k}_slip", v, size, lag) for (k, v), lag in zip(slips.items(), lags, strict=True)
    )
    turn = _turn_slip(name, tyre, W, g, Vx, forward) if turn_slip else None
    forces = tyre.forces(Slip(Fz, kappa, tan_alpha, camber, pressure, state.speed, turn))
    if tube:
        forces = TyreForces(forces.Fx, forces.Fy, 0, forces.My, forces.Mz)
    made = WheelContact(name, g, Fz, kappa, tan_alpha, camber, Vx, forces)
    m.force(f"{name}.tyre", wheel, made.force, at=made.point)
    m.torque(f"{name}.tyre moment", wheel, made.moment)
    _add_outputs(m, made, outputs)
    return made


def _turn_slip(name: str, tyre: Tyre, W: sb.Matrix, g: ContactGeometry, Vx: Any, forward: bool) -> Any:
    """ψ'/Vx, which stays finite at rest."""
    if not tyre.has_turn_slip:
        raise ModelError(f"wheel {name!r}: turn_slip=True needs a MagicFormula with coefficients of turn slip (PHYP1, PHYP2, QCRP1, QDRP1)")  # fmt: skip
    way = 1 if forward else sb.where(Vx >= 0, 1, -1)
    return way * sb.dot(W, g.normal) / sb.sqrt(Vx**2 + SLOW**2)


def _flat_road(m: sb.Model, name: str, held: sb.Frame) -> Road:
    """The plane z = 0 of the ground, for a wheel whose place is known."""
    if moving := [f for f in held.path if f.unknown_place]:
        frame = moving[0].name
        raise ModelError(
            f"wheel {name!r} is carried by the frame {frame!r}, whose velocity is known, but not its position (moving_frame); let the road move with it, road=vh.Road({frame})"
        )
    return Road(m.ground)


def contact_geometry(held: sb.Frame, road: Road, radius: Any, tube: Any) -> ContactGeometry:
    """Where a wheel touches the tangent plane of the road under its centre."""
    frame = road.frame
    c, e_y = (held.origin - frame.origin).components(frame), held.y.components(frame)
    z, (sx, sy) = road.at(c[0], c[1])
    n = sb.vector(-sx, -sy, 1)
    n = n if (sx, sy) == (0, 0) else n / sb.sqrt(1 + sx * sx + sy * sy)
    along = sb.cross(e_y, n)
    sin_camber, cos_camber = sb.dot(e_y, n), sb.sqrt(sb.dot(along, along))
    along = along / cos_camber
    h = n[2] * (c[2] - z)
    radial = sb.cross(along, e_y)
    arm = -((h - tube) / cos_camber) * radial - tube * n
    sunk = (radius - tube) * cos_camber + tube - h
    return ContactGeometry(frame, along, sb.cross(n, along), n, e_y, sin_camber, arm, c, sunk)


def _velocities(held: sb.Frame, frame: sb.Frame, g: ContactGeometry) -> tuple[sb.Matrix, sb.Matrix]:
    """V and ω of the wheel plane."""
    w = held.angular_velocity().components(frame)
    w = w - sb.dot(w, g.axis) * g.axis
    return held.origin.velocity().components(frame) + sb.cross(w, g.arm), w


def _lagging(m: sb.Model, name: str, slip_speed: Any, size: Any, length: Any) -> Any:
    """Slip from a slip velocity V: V/|Vx|, or with the state u of the carcass, σ u' + |Vx| u = σ V, the slip u/σ."""
    if slip_speed == 0:
        return 0
    length = length + sb.fraction(0, 1)
    symbols = set(sb.free_symbols(length))
    if not symbols and float(length) == 0:  # of a file without relaxation too, whose formula is zero at any load
        return _ratio(name, slip_speed, size)
    if symbols - set(m.symbols_of_kind("parameter")):
        length = sb.maximum(length, MIN_RELAXATION_LENGTH)
    u = m.variable(name)
    m.rate(u, slip_speed - size * u / length)
    return u / length


def _ratio(name: str, slip_speed: Any, size: Any) -> Any:
    """Slip of a tyre without relaxation."""
    if not sb.free_symbols(size) and float(size) == 0:
        raise ModelError(
            f"{name}: the centre of the wheel cannot move along the road, so that slip, its slip speed over its speed, is "
            "not defined; give the tyre relaxation lengths (relaxation=), which standing wheels need, or let the wheel move"
        )
    return slip_speed / size


def _add_outputs(m: sb.Model, w: WheelContact, wanted: bool | Sequence[str]) -> None:
    known = {f.name: getattr(w.forces, f.name) for f in fields(w.forces)}
    known |= {"Fz": w.load, "kappa": w.kappa, "alpha": sb.atan(w.tan_alpha), "camber": w.camber}
    names = (list(known) if wanted else []) if isinstance(wanted, bool) else list(wanted)
    for key in names:
        if key not in known:
            raise unknown(f"wheel {w.name!r}", "output", key, list(known))
        m.output(f"{w.name}_{key}", known[key])
