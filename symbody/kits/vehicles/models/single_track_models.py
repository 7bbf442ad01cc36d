"""Vehicles at a given speed, with velocities in vehicle-fixed axes: single track, car and trailer.

Position and heading have no influence: frames are given by velocity and spin, and there are few states.
"""

from __future__ import annotations

from typing import Any

import symbody as sb

from ....argument_kinds import answered
from ..data.checked_data import parameter_values
from ..driving.driver import Driver, preview_driver
from ..roads.road import Road
from ..tyres.linear_tyre import LinearTyre
from ..tyres.tyre import Tyre, as_tyre
from ..wheels.wheel_contact import wheel_on_road

CAR = {"m": 1500.0, "J": 2500.0, "a": 1.2, "b": 1.5, "h": 0.5, "Cf": 8e4, "Cr": 1e5, "V": 25.0, "g": 9.81}
SPEED_TIME_CONSTANT = 0.3  # time constant in s with which a car corrects a deviation from its speed profile
TRAILER = {"mt": 1500.0, "Jt": 4000.0, "c": 2.3, "d": 3.6, "e": 3.5, "Ct": 9e4}


@answered
def single_track(front: Tyre | None = None, rear: Tyre | None = None, **parameters: float) -> sb.Model:
    """A car on one track at the speed V: states are the speed across v and the yaw rate r, the input is the steer angle
    delta (Riekert and Schunck 1940).

    m (v' + V r) = Σ Fy,   J r' = a Fyf - b Fyr

    front, rear   tyres of an axle, with its static load; by default linear ones with the cornering stiffnesses Cf, Cr
    parameters    m, J, a, b (from the mass centre to the axles), Cf, Cr, V, g: numbers other than the defaults

    Outputs: ay (lateral acceleration), beta (side slip angle), and those of the wheels `front` and `rear`.
    """
    m = sb.Model("single track")
    p, v, r, car = _running(m, parameter_values("single_track", CAR, parameters))
    m.body("body", car, mass=p.m, inertia=(p.J, p.J, p.J))
    for name, tyre, x, steer, load in (
        (
            "front",
            front or LinearTyre(radius=0.3, cornering=p.Cf),
            p.a,
            m.input("delta"),
            p.m * p.g * p.b / (p.a + p.b),
        ),
        ("rear", rear or LinearTyre(radius=0.3, cornering=p.Cr), -p.b, 0, p.m * p.g * p.a / (p.a + p.b)),
    ):
        _axle(m, name, car, tyre, x, steer, load)
    m.output("ay", v.dot + p.V * r)
    m.output("beta", sb.atan(v / p.V))
    return m


@answered
def car_and_trailer(
    front: Tyre | None = None, rear: Tyre | None = None, axle: Tyre | None = None, **parameters: float
) -> sb.Model:
    """A single-track car that pulls a trailer with one axle at the speed V; states v, r, the hitch angle and its rate.

    parameters   those of `single_track`; of the trailer mt, Jt, c (hitch behind the car's mass centre), d and e (mass
                 centre and axle behind the hitch), Ct

    Loads of the axles are those at rest with all mass centres on the road's level, and the hitch carries the part (1 -
    d/e) mt g. Outputs: ay, beta, and those of the wheels `front`, `rear`, `axle`.
    """
    m = sb.Model("car and trailer")
    p, v, r, car = _running(m, parameter_values("car_and_trailer", {**CAR, **TRAILER}, parameters, ("c", "d")))
    m.body("body", car, mass=p.m, inertia=(p.J, p.J, p.J))
    trailer = car.translate(-p.c, 0, 0).rotate("z", m.coordinate("hitch"))
    m.body("trailer", trailer, mass=p.mt, com=(-p.d, 0, 0), inertia=(p.Jt, p.Jt, p.Jt))
    L, nose = p.a + p.b, p.mt * p.g * (1 - p.d / p.e)
    loads = (
        (p.m * p.g * p.b - nose * (p.c - p.b)) / L,
        (p.m * p.g * p.a + nose * (p.c + p.a)) / L,
        p.mt * p.g * p.d / p.e,
    )
    for name, frame, tyre, C, x, steer, load in (
        ("front", car, front, p.Cf, p.a, m.input("delta"), loads[0]),
        ("rear", car, rear, p.Cr, -p.b, 0, loads[1]),
        ("axle", trailer, axle, p.Ct, -p.e, 0, loads[2]),
    ):
        _axle(m, name, frame, tyre or LinearTyre(radius=0.3, cornering=C), x, steer, load)
    m.output("ay", v.dot + p.V * r)
    m.output("beta", sb.atan(v / p.V))
    return m


@answered
def path_follower(
    path: Any, front: Tyre | None = None, rear: Tyre | None = None, *, preview: Any = 6.0, gain: Any = 0.8, lag: Any = 0.05,
    **parameters: float,
) -> sb.Model:  # fmt: skip
    """A single-track car with a driver who looks ahead along a path of the ground: coordinates car_x, car_y, car_a, speeds
    u, v, r, the steer angle `steer` as a variable.

    path        of `lanes.path()`, any function y of an expression x, or a `PlanePath` in the plane: at the speed V. A
                `Driver` brings preview, gains and speeds along the path; a drive force at the mass centre follows them
    parameters  those of `single_track`

    Outputs: ay, beta, those of the wheels `front` and `rear`, and of a path in the plane `steer_left`, how far the mass
    centre is to the left of it; `steer_speed` of a driver.
    """
    m = sb.Model("car on a path")
    p = m.parameters(**parameter_values("path_follower", CAR, parameters))
    body = m.body("body", mass=p.m, inertia=(p.J, p.J, p.J))
    m.planar("car", m.ground, body, body_speeds=True, speeds="u v r")
    u, v, r = (m.symbols[k] for k in "uvr")
    if isinstance(path, Driver):
        driven = path.steered(m, "steer", body.frame)
        steer = driven.steer
        m.force("drive", body, body.vector(p.m * (driven.rise + driven.lacking / SPEED_TIME_CONSTANT), 0, 0))
    else:
        m.constrain_speed("cruise", u - p.V)
        steer = preview_driver(m, "steer", body.frame, path, preview=preview, gain=gain, lag=lag)
    L = p.a + p.b
    for name, tyre, C, x, angle, share in (("front", front, p.Cf, p.a, steer, p.b), ("rear", rear, p.Cr, -p.b, 0, p.a)):
        _axle(m, name, body.frame, tyre or LinearTyre(radius=0.3, cornering=C), x, angle, p.m * p.g * share / L)
    m.output("ay", v.dot + u * r)
    m.output("beta", sb.atan(v / u))
    return m


def _running(m: sb.Model, numbers: dict[str, float]) -> tuple[Any, sb.Symbol, sb.Symbol, sb.Frame]:
    """Parameters, the speeds v and r, and the frame of a car at the speed V."""
    p = m.parameters(**numbers)
    v, r = m.speeds("v r")
    return p, v, r, m.moving_frame("car", velocity=(p.V, v, 0), spin=(0, 0, r))


def _axle(m: sb.Model, name: str, frame: sb.Frame, tyre: Tyre, x: Any, steer: Any, load: Any) -> None:
    tyre = as_tyre(f"{m.name}: {name}", tyre)
    carrier = frame.translate(x, 0, tyre.free_radius).rotate("z", steer)
    wheel_on_road(m, name, carrier, tyre, road=Road(frame), load=load, forward=True)
