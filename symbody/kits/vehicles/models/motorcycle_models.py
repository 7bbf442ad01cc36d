"""A motorcycle on tyres with a round tread, upright and in turns.

Geometry and numbers are Sharp's (1971) as Lot and Da Lio wrote them for MBSymba, with z up: a rear body and a front body
that turns about a raked steering axis, and two wheels. Position and heading are left out; height, lean and pitch follow
from the tyres, so that loads and contact points are right at any lean.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered
from ....errors import StabilityError
from ..data.checked_data import parameter_values
from ..roads.road import Road
from ..tyres.linear_tyre import LinearTyre
from ..tyres.tyre import Tyre, as_tyre
from ..wheels.drivetrain import drive
from ..wheels.wheel_contact import wheel_on_road

SHARP: Final = {
    "mr": 217.45, "h": 0.6157, "Irx": 31.18, "Iry": 20.0, "Irz": 21.07, "Crxz": 1.7355, "b": 0.4798, "Rr": 0.3048, "iry": 1.0508,
    "mf": 30.65, "e": 0.0244, "f": 0.0283, "Ifx": 1.2338, "Ify": 1.2, "Ifz": 0.4420, "Rf": 0.3048, "ify": 0.7186,
    "a": 0.9485376, "eps": 0.4715, "lx": 0.02264720935736543, "lz": -0.15303226500284206, "Cdelta": 6.77, "g": 9.81,
    "Cr1": 15831.0, "Cr2": 1325.6, "Cf1": 11174.0, "Cf2": 938.6, "along": 1e5,
}  # fmt: skip


@answered
def motorcycle(
    front: Tyre | None = None, rear: Tyre | None = None, *, tubes: tuple[Any, Any] = (0, 0), **parameters: float
) -> sb.Model:
    """A motorcycle: coordinates z, roll (positive to the right), pitch, steer (positive to the left); speeds u along, v
    across, r (yaw rate), spin_f, spin_r.

    front, rear   tyres; by default linear ones with Sharp's stiffnesses
    tubes         radii of the tread across, front and rear
    parameters    masses mr, mf of the rear and front body, h (height of the rear body's centre), b (rear wheel behind
                  it), eps (rake of the steering axis) and a (from the rear body's point of the road along x turned by the rake), e, -f (front body's
                  centre in its frame), lx, lz (front wheel's centre there), inertias, Cdelta (steering damper), ...

    Inputs: tau (steering torque, to the left), drive (on the rear wheel). A turn with a lean of 30 degrees to the right:

        sb.steady(eq, {"u": 15.0, "roll": 0.52}, free=["tau", "drive"], start={...})
    """
    m = sb.Model("motorcycle on round tyres")
    p = m.parameters(**parameter_values("motorcycle", SHARP, parameters, ("Crxz", "e", "f", "lx", "eps", "b")))
    m.gravity(0, 0, -p.g)
    tau, torque = m.inputs("tau drive")
    z, roll, pitch, steer = m.coordinates("z roll pitch steer")
    u, v, r, spin_f, spin_r = m.speeds("u v r spin_f spin_r")
    heading = m.moving_frame("heading", velocity=(u, v, 0), spin=(0, 0, r))
    chassis = heading.translate(0, 0, z).rotate("x", roll).rotate("y", pitch)
    fork = chassis.rotate("y", -p.eps).translate(p.a, 0, 0).rotate("z", steer)
    tensor = sb.inertia(p.Irx, p.Iry, p.Irz, 0, -p.Crxz, 0)
    body = m.body("rear body", chassis, mass=p.mr, com=(0, 0, p.h), inertia=tensor)
    front_body = m.body("front body", fork, mass=p.mf, com=(p.e, 0, -p.f), inertia=(p.Ifx, p.Ify, p.Ifz))
    m.torque("steering", front_body, (tau - p.Cdelta * steer.dot) * fork.z, reacting=body)
    hubs = {
        "rear": (
            chassis.translate(-p.b, 0, p.Rr),
            spin_r,
            p.iry,
            rear or _sharp_tyre(p.Rr, p.Cr1, p.Cr2, p.along),
            tubes[1],
        ),
        "front": (
            fork.translate(p.lx, 0, p.lz),
            spin_f,
            p.ify,
            front or _sharp_tyre(p.Rf, p.Cf1, p.Cf2, p.along),
            tubes[0],
        ),
    }
    for name, (hub, spin, inertia, tyre, tube) in hubs.items():
        tyre = as_tyre(f"motorcycle: {name}", tyre)
        frame = m.moving_frame(f"{name} wheel", on=hub, spin=(0, spin, 0))
        wheel = m.body(f"{name} wheel", frame, mass=0, inertia=(0, inertia, 0))
        wheel_on_road(m, name, wheel, tyre, carrier=hub, road=Road(heading), tube=tube, forward=True)
        if name == "rear":
            drive(m, "chain", wheel, hub, torque, reacting=body)
    return m


def _sharp_tyre(radius: Any, slip: Any, camber: Any, along: Any) -> LinearTyre:
    return LinearTyre(radius=radius, cornering=slip, camber=camber, along=along, stiffness=1.5e5, damping=200.0)


def sharps_motorcycle() -> sb.Model:
    """Sharp's motorcycle as it comes with the package, with a heading for each wheel (`sb.read_model("motorcycle")`, z
    down), and an input `drive`, the torque of the chain: in a turn tyres drag, and without it no turn is steady."""
    m = sb.read_model("motorcycle").model
    chassis = m.bodies["rear chassis"]
    m.torque("chain", m.bodies["rear wheel"], -m.input("drive") * chassis.frame.y, reacting=chassis)
    return m


@answered
def leaning_turn(
    eq: sb.Equations, speed: float, *, lean: float | None = None, radius: float | None = None, start: Any = None,
    **values: float,
) -> Any:  # fmt: skip
    """A steady turn of `motorcycle` or `sharps_motorcycle` at a speed along its heading, by its lean or by its radius;
    steering torque and drive are found.

    lean     of the rear body, positive to the right
    radius   speed over yaw rate, positive to the right
    start    a neighbouring turn; by default that of a point mass, tan φ = V²/(g R), with wheels that roll
    """
    p = {s.name: float(v) for s, v in eq.values(values).items() if s.kind == "parameter"}
    if lean is not None and radius is None:
        leaning, yaw = lean, p["g"] * np.tan(lean) / speed
    elif radius is not None and lean is None:
        leaning, yaw = np.arctan(speed**2 / (p["g"] * radius)), speed / radius
    else:
        raise StabilityError("leaning_turn: a turn at a speed has a lean= or a radius=; give one of them")
    if any(q.name == "roll" for q in eq.q):
        given, free = {"u": speed, **({"r": -yaw} if lean is None else {"roll": lean})}, ["tau", "drive"]
        near = {"roll": leaning, "r": -yaw, "z": -0.01, "spin_f": speed / p["Rf"], "spin_r": speed / p["Rr"]}
        return sb.steady(eq, {**given, **values}, free=free, start=start or near)
    given = {"x_dot": speed, **({"psi_dot": yaw} if lean is None else {"phi": lean})}
    near = {"phi": leaning, "phi4": leaning, "psi_dot": yaw, "psi4_dot": yaw}
    near |= {"theta1_dot": -speed / p["Rr"], "theta4_dot": -speed / p["Rf"]}
    free = ["tau", "drive", "psi_dot", "y_dot"] if lean is not None else ["tau", "drive", "y_dot"]
    return sb.steady(eq, {**given, **values}, zero=["x", "psi"], free=free, start=start or near)
