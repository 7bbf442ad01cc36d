"""A car on four wheels with double wishbones or McPherson struts, by its hardpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError, finite_number
from ..data.checked_data import parameter_values
from ..driving.driver import Driver
from ..roads.road import Road
from ..suspensions.corner import (
    WISHBONES,
    Corner,
    Place,
    checked_points,
    double_wishbone,
    mcpherson,
    moved_points,
    spring_preload,
)
from ..suspensions.hardpoints import Hardpoints
from ..suspensions.roll_bar import anti_roll_bar
from ..suspensions.steering import rack
from ..suspensions.stops import STOPS
from ..suspensions.stops import stops as add_stops
from ..tyres.linear_tyre import BrushTyre
from ..tyres.tyre import Tyre, as_tyre
from ..wheels.wheel_contact import wheel_on_road
from .car_parts import AIR, add_air, add_brakes, add_drive

CAR_BODY: Final = {
    "M": 1250.0, "Jx": 450.0, "Jy": 1800.0, "Jz": 2000.0, "hc": 0.55, "k_front": 4.5e4, "k_rear": 4.5e4, "c_front": 3500.0,
    "c_rear": 3500.0, "bar_front": 2e4, "bar_rear": 5e3, "g": 9.81, "ratio": 0.12,
}  # fmt: skip
DRIVEN_RACK: Final = {"stiffness": 3e5, "damping": 1e3}  # stiffness and damping of a rack moved by a driver
LEAST_UPRIGHT: Final = (
    0.5  # cosine of the angle to which wheels can carry a car: beyond 60 degrees its body touches the road
)
SIGNED: Final = ("ratio", "lift_front", "lift_rear")  # coefficients that may be negative
WHEEL_MASS: Final = 18.0  # mass of a wheel in kg
MASSES: Final = {double_wishbone: (5.0, 3.0, 15.0), mcpherson: (6.0, 18.0)}


@answered
def car(
    tyre: Tyre | None = None, *, front: Mapping[str, Place] = WISHBONES, rear: Mapping[str, Place] = WISHBONES,
    wheelbase: float = 2.6, share: float = 0.52, place: bool = False, road: Callable[[sb.Frame], Road] | None = None,
    steering: Mapping[str, Any] | None = None, axle: Mapping[str, Any] | None = None, driver: Driver | None = None,
    forward: bool = False, brakes: bool | Mapping[str, Any] = False, **parameters: float,
) -> sb.Model:  # fmt: skip
    """A car with four suspensions: fourteen degrees of freedom, and loops.

    tyre          of each wheel (seen in a mirror on the right); by default a brush
    front, rear   hardpoints: of a double wishbone (`WISHBONES`) or of a strut (`STRUT`)
    share         of the weight on the front axle
    place         keep x, y and yaw as coordinates: for paths. Without them a steady turn is an equilibrium
    road          a function of the ground's frame, `lambda ground: vh.random_road(ground, "C")`; the place is kept then
    steering      options of its `rack`: {"stiffness": 2e6, "damping": 1e4}; rigid by default, and with a driver, whose
                  hands no constraint can follow, DRIVEN_RACK
    axle          options of its `differential`: {"lock": 50.0}, {"locked": True}; and "driven", the axle that it drives,
                  "rear" or "front", or of four driven wheels the part of the front axle, {"driven": 0.4}
    driver        who steers along a path and holds the speed, in place of the inputs: the middle of the front axle follows
                  the path, the variables are `steer` and `steer_s`; the place is kept
    forward       a promise that the car never rolls backward, which keeps formulas a little shorter; where it does all the
                  same, its motion is nonsense
    brakes        a brake at each wheel, with the inputs brake_fl, brake_fr, brake_rl, brake_rr [N m] (`pedal` shares a torque);
                  or its options: {"width": 0.2}
    parameters    M, Jx, Jy, Jz, hc (height of the mass centre) of the body, k_front, k_rear, c_front, c_rear, bar_front,
                  bar_rear (anti-roll bars between the travels of the springs), g, ratio (travel of the rack in m per
                  rad of delta); drag, lift_front, lift_rear: areas c A in m² of a car in air of `density`; bump, rebound: travel of
                  the springs to their stops, m, and k_stop, N/m

    Coordinates z, pitch, roll of the body at the middle of the front axle; speeds u along, v across, r (yaw rate), in
    the road's plane. Inputs: delta (steering), drive (torque on the driven axle, shared by a differential). Springs carry
    the car in its design position. Outputs: ay, beta, speed of the mass centre, and Fx, Fy, Fz, alpha of the wheels fl,
    fr, rl, rr; of the anti-roll bars, the rack and the differential.

    Its body does not touch the road: a motion in which it turns over ends at 60 degrees with `Ending.NOT_VALID`,
    "upright". Without stops (bump=, rebound=) its suspensions extend without end.
    """
    m = sb.Model("car")
    fitted = {k: x for part in (AIR, STOPS) if set(part) & set(parameters) for k, x in part.items()}
    parameter_values("car", {**CAR_BODY, **AIR, **STOPS}, parameters, SIGNED)
    if not 0 < finite_number(share, "car: share", ModelError) < 1:
        raise ModelError(f"car: share = {share:g}, the part of the weight on the front axle, must be between 0 and 1")
    if finite_number(wheelbase, "car: wheelbase", ModelError) <= 0:
        raise ModelError(f"car: wheelbase = {wheelbase:g} must be positive")
    p = m.parameters(**{**CAR_BODY, **fitted, **parameters})
    m.gravity(0, 0, -p.g)
    z, pitch, roll = m.coordinates("z pitch roll")
    heading = _heading(m, place or road is not None or driver is not None)
    surface = Road(heading) if road is None else road(m.ground)
    usual = BrushTyre(radius=0.32, cornering=5e4, along=6e4, friction=0.95, contact=0.06, damping=500.0)
    tyre = usual if tyre is None else as_tyre("car: tyre", tyre)
    steering = dict(steering or {})
    if driver is None:
        delta, torque = m.inputs("delta drive")
    else:
        led = driver.steered(m, "steer", heading)
        delta, torque = led.steer, driver.pull * led.lacking + p.M * tyre.free_radius * led.rise
        steering = {**(steering or DRIVEN_RACK), "steer_rate": led.rate}
    centre = wheelbase * (share - 1)
    frame = heading.translate(0, 0, z).rotate("y", pitch).rotate("x", roll)
    body = m.body("body", frame, mass=p.M, com=(centre, 0, p.hc), inertia=(p.Jx, p.Jy, p.Jz))
    h = Hardpoints(m)
    h.add(body, (0, 0, 0))
    moved = rack(h, "rack", body, delta, ratio=-p.ratio, **steering)
    corners = {}
    for name, points, x, side in (
        ("fl", front, 0.0, "left"), ("fr", front, 0.0, "right"), ("rl", rear, -wheelbase, "left"), ("rr", rear, -wheelbase, "right"),
    ):  # fmt: skip
        at_front = x == 0.0
        kind = mcpherson if "strut top" in points else double_wishbone
        places = moved_points(checked_points(f"car: {'front' if at_front else 'rear'}", points), x, side)
        carried = p.M * share + moved.mass if at_front else p.M * (1 - share)
        k, c = (p.k_front, p.c_front) if at_front else (p.k_rear, p.c_rear)
        preload = spring_preload(places, carried * p.g / 2, MASSES[kind], p.g, WHEEL_MASS)
        made = kind(
            h, name, body, places, rack=moved.part if at_front else None, stiffness=k, damping=c, preload=preload
        )
        corners[name] = _with_wheel(m, made, tyre if side == "left" else tyre.mirrored(), surface, forward)
        if "bump" in fitted:
            add_stops(m, name, made.travel - preload / k, bump=p.bump, rebound=p.rebound, stiffness=p.k_stop)
    for name, k in (("front", p.bar_front), ("rear", p.bar_rear)):
        anti_roll_bar(m, f"{name}_bar", corners[f"{name[0]}l"].travel, corners[f"{name[0]}r"].travel, k)
    add_drive(m, corners, body, torque, dict(axle or {}))
    if brakes:
        add_brakes(m, corners, brakes if isinstance(brakes, Mapping) else {})
    if "drag" in fitted:
        add_air(m, body, heading, {"centre": centre, "front": 0, "rear": -wheelbase}, p)
    _outputs(m, body.point(centre, 0, p.hc), heading)
    m.valid_while("upright", sb.cos(roll) * sb.cos(pitch) - LEAST_UPRIGHT)
    return m


def _heading(m: sb.Model, place: bool) -> sb.Frame:
    """The frame in the road that turns with the car: known by its speeds u, v, r, or by x, y, yaw too."""
    if not place:
        u, v, r = m.speeds("u v r")
        return m.moving_frame("heading", velocity=(u, v, 0), spin=(0, 0, r))
    x, y, yaw = m.coordinates("x y yaw")
    m.speed("u", x.dot * sb.cos(yaw) + y.dot * sb.sin(yaw))
    m.speed("v", y.dot * sb.cos(yaw) - x.dot * sb.sin(yaw))
    m.speed("r", yaw.dot)
    return m.ground.translate(x, y, 0).rotate("z", yaw, name="heading")


def _with_wheel(m: sb.Model, corner: Corner, tyre: Tyre, road: Road, forward: bool) -> Corner:
    wheel = m.body(f"{corner.name} wheel", mass=WHEEL_MASS, inertia=(0.6, 1.0, 0.6))
    m.revolute(f"{corner.name}_spin", corner.knuckle, wheel, axis="y")
    shown = ("Fx", "Fy", "Fz", "alpha")
    wheel_on_road(m, corner.name, wheel, tyre, carrier=corner.knuckle, road=road, forward=forward, outputs=shown)
    return Corner(corner.name, corner.knuckle, wheel, corner.travel)


def _outputs(m: sb.Model, centre: sb.Point, heading: sb.Frame) -> None:
    velocity = centre.velocity()
    along, across = velocity.dot(heading.x), velocity.dot(heading.y)
    m.output("speed", sb.sqrt(along**2 + across**2))
    m.output("beta", sb.atan2(across, along))
    m.output("ay", centre.acceleration().dot(heading.y))
