"""A motorcycle with suspensions: telescopic fork, swinging arm, chain, brakes, and a rider who leans.

Axes as in `motorcycle_models.py`: z up, the origin of the chassis on the road below the mass centre of the main body.
MotorcycleFrames are those of the design position, in which springs carry the weight on tyres that are not deflected:

    F_fork = (N_f - m_f g) cos ε,   M_arm = (N_r - m_r g) L - m_a g L/2,   N_f = W (x_G + b)/p,   N_r = W - N_f

The chain pulls along the common tangent of its sprockets, above the arm. Its line and that of the arm meet in a point A;
the rear suspension neither squats nor rises under thrust where the line from the rear contact to A has the slope h_G/p
(squat ratio 1; Cossalter, Motorcycle Dynamics, 2006, chapter 6).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered
from ..data.checked_data import parameter_values
from ..roads.road import Road
from ..tyres.linear_tyre import LinearTyre
from ..tyres.tyre import Tyre, as_tyre
from ..wheels.drivetrain import brake
from ..wheels.wheel_contact import WheelContact, wheel_on_road

FRAME: Final = {
    "M": 195.0, "h": 0.52, "Jx": 11.0, "Jy": 22.0, "Jz": 16.0, "Jxz": 1.5, "b": 0.70, "p": 1.45, "eps": 0.4363, "trail": 0.10,
    "Rf": 0.30, "Rr": 0.31, "g": 9.81, "Cdelta": 6.0,
}  # fmt: skip
SUSPENSIONS: Final = {
    "mh": 10.0, "xh": 0.02, "zh": 0.75, "Jh": 0.4, "mf": 18.0, "Jf": 0.5, "if_": 0.5, "ma": 8.0, "mr": 16.0, "Jr": 0.6, "ir": 0.7,
    "L": 0.58, "zp": 0.37, "kf": 1.8e4, "cf": 900.0, "kr": 2.2e4, "cr": 1300.0,
}  # fmt: skip
CHAIN: Final = {"rc": 0.105, "rp": 0.035, "xc": 0.08, "zc": 0.36}
RIDER: Final = {"mp": 75.0, "xp": -0.15, "zs": 0.70, "hp": 0.28, "Jpx": 5.0, "Jpz": 2.0, "kp": 1e4, "cp": 300.0}
SIGNED: Final = ("Jxz", "trail", "eps", "xh", "xc", "xp")


@dataclass(frozen=True)
class MotorcycleFrames:
    """Frames of a motorcycle: of its chassis, of what is steered, of the lower fork, of the arm, and of the rear hub."""

    chassis: sb.Frame
    steered: sb.Frame
    lower: sb.Frame
    arm: sb.Frame
    hub: sb.Frame


@answered
def suspended_motorcycle(
    front: Tyre | None = None,
    rear: Tyre | None = None,
    *,
    tubes: tuple[Any, Any] = (0.06, 0.09),
    rider: bool = True,
    brakes: bool = True,
    **parameters: float,
) -> sb.Model:
    """A motorcycle with a telescopic fork and a swinging arm: coordinates z, roll (to the right), pitch, steer (to the
    left), fork (compression), arm (the wheel rises), lean of the rider against the seat (to the right); speeds u, v, r,
    spin_f, spin_r.

    front, rear   tyres; by default linear ones with stiffnesses in proportion to the load
    tubes         radii of the tread across, front and rear
    rider         one whose upper body leans on a spring (kp, cp); without, he is left out with his mass
    brakes        inputs brake_f, brake_r [N m]: calipers on the lower fork and on the arm
    parameters    of the main body M, h, Jx, Jy, Jz, Jxz; b (rear axle behind its centre), p (wheelbase), eps (rake),
                  trail, Rf, Rr, Cdelta (steering damper); mh, xh, zh (in raked axes from the road), Jh of what is steered
                  and sprung, mf, Jf, if_ of lower fork and front wheel (if_: spin), ma of the arm, mr, Jr, ir of the rear
                  wheel; L (pivot before the axle), zp (its height); kf, cf of the fork, kr, cr of the rear wheel; sprockets
                  rc, rp, the latter at xc before the pivot and the height zc; rider mp, xp, zs (seat), hp (centre over it),
                  Jpx, Jpz

    Inputs: tau (steering torque), drive (torque of the rear sprocket: the chain pulls with drive/rc), and brakes.
    `leaning_turn` finds its turns.

    >>> m = vh.suspended_motorcycle()
    >>> sb.derive(m).q
    (z, roll, pitch, steer, fork, arm, lean)

    See also: `motorcycle`, `leaning_turn`, `sharps_motorcycle`.
    """
    m = sb.Model("suspended motorcycle")
    usual = {**FRAME, **SUSPENSIONS, **CHAIN, **(RIDER if rider else {})}
    p = m.parameters(**parameter_values("suspended_motorcycle", usual, parameters, SIGNED))
    m.gravity(0, 0, -p.g)
    tau, torque = m.inputs("tau drive")
    z, roll, pitch, _, fork, swing = m.coordinates("z roll pitch steer fork arm")
    u, v, r, spin_f, spin_r = m.speeds("u v r spin_f spin_r")
    heading = m.moving_frame("heading", velocity=(u, v, 0), spin=(0, 0, r))
    at = _places(m, heading.translate(0, 0, z).rotate("x", roll).rotate("y", pitch), p)
    chassis = m.body(
        "main body", at.chassis, mass=p.M, com=(0, 0, p.h), inertia=sb.inertia(p.Jx, p.Jy, p.Jz, 0, -p.Jxz, 0)
    )
    if rider:
        _add_rider(m, chassis, p)
    steered = m.body("steered body", at.steered, mass=p.mh, com=(p.xh, 0, p.zh), inertia=(p.Jh,) * 3)
    m.torque("steering", steered, (tau - p.Cdelta * m.symbols["steer"].dot) * at.steered.z, reacting=chassis)
    lower = m.body("lower fork", at.lower, mass=p.mf, inertia=(p.Jf,) * 3)
    arm = m.body("swinging arm", at.arm, mass=p.ma, com=(-p.L / 2, 0, (p.Rr - p.zp) / 2), inertia=(0.1, 0.3, 0.3))
    Nf, Nr = static_loads(p, rider)
    m.generalized_force("fork spring", fork, -(Nf - p.mf * p.g) * sb.cos(p.eps) - p.kf * fork - p.cf * fork.dot)
    m.generalized_force("rear spring", swing, -_arm_torque(p, Nr) - p.L**2 * (p.kr * swing + p.cr * swing.dot))
    wheels = {
        "front": (at.lower, lower, spin_f, 0, 0, p.if_, front, p.Rf, tubes[0]),
        "rear": (at.hub, arm, spin_r, p.mr, p.Jr, p.ir, rear, p.Rr, tubes[1]),
    }
    for name, (hub, carrier, spin, mass, across, own, tyre, radius, tube) in wheels.items():
        wheel = m.body(
            f"{name} wheel",
            m.moving_frame(f"{name} wheel", on=hub, spin=(0, spin, 0)),
            mass=mass,
            inertia=(across, own, across),
        )
        _on_road(m, name, wheel, hub, tyre, radius, tube, heading)
        if brakes:
            brake(m, f"{name} brake", wheel, carrier, m.input(f"brake_{name[0]}"))
        if name == "rear":
            _add_chain(m, wheel, chassis, at, torque / p.rc, p)
    return m


def static_loads(p: Any, rider: bool = True) -> tuple[Any, Any]:
    """Normal forces of the front and of the rear wheel at rest in the design position, from weight and mass centre."""
    raked = (p.p - p.b + p.trail + p.xh * sb.cos(p.eps) - p.zh * sb.sin(p.eps)) * p.mh
    moment = raked + p.mf * (p.p - p.b) + p.ma * (p.L / 2 - p.b) - p.mr * p.b + (p.mp * p.xp if rider else 0)
    mass = p.M + p.mh + p.mf + p.ma + p.mr + (p.mp if rider else 0)
    Nf = p.g * (moment + mass * p.b) / p.p
    return Nf, mass * p.g - Nf


def _arm_torque(p: Any, load: Any) -> Any:
    """Of the spring about the pivot, in the design position."""
    return (load - p.mr * p.g) * p.L - p.ma * p.g * p.L / 2


def _places(m: sb.Model, chassis: sb.Frame, p: Any) -> MotorcycleFrames:
    steer, fork, swing = (m.symbols[k] for k in ("steer", "fork", "arm"))
    steered = chassis.translate(p.p - p.b + p.trail, 0, 0).rotate("y", -p.eps).rotate("z", steer)
    forward, up = -p.trail * sb.cos(p.eps) + p.Rf * sb.sin(p.eps), p.trail * sb.sin(p.eps) + p.Rf * sb.cos(p.eps)
    arm = chassis.translate(p.L - p.b, 0, p.zp).rotate("y", swing)
    return MotorcycleFrames(
        chassis, steered, steered.translate(forward, 0, up + fork), arm, arm.translate(-p.L, 0, p.Rr - p.zp)
    )


def _add_rider(m: sb.Model, chassis: sb.Body, p: Any) -> None:
    """An upper body that turns about an axis along the seat."""
    lean = m.coordinate("lean")
    trunk = chassis.frame.translate(p.xp, 0, p.zs).rotate("x", lean)
    m.body("rider", trunk, mass=p.mp, com=(0, 0, p.hp), inertia=(p.Jpx, p.Jpx, p.Jpz))
    m.generalized_force("seat", lean, -p.kp * lean - p.cp * lean.dot)


def _on_road(
    m: sb.Model, name: str, wheel: sb.Body, hub: sb.Frame, tyre: Tyre | None, radius: Any, tube: Any, heading: sb.Frame
) -> WheelContact:
    usual = LinearTyre(
        radius=radius,
        cornering=lambda Fz: 12 * Fz,
        camber=lambda Fz: 0.9 * Fz,
        along=1e5,
        stiffness=1.6e5,
        damping=200.0,
    )
    chosen = usual if tyre is None else as_tyre(f"suspended_motorcycle: {name}", tyre)
    return wheel_on_road(m, name, wheel, chosen, carrier=hub, road=Road(heading), tube=tube, forward=True)


def _add_chain(m: sb.Model, wheel: sb.Body, chassis: sb.Body, at: MotorcycleFrames, tension: Any, p: Any) -> None:
    """The upper run pulls along the common tangent of both sprockets, in the plane of the chassis.

    d = pinion - hub,   sin α = (rc - rp)/|d|,   e = d/|d| turned down by α at the pinion,   at the hub + rc n
    """
    pinion = chassis.point(p.L - p.b + p.xc, 0, p.zc)
    dx, _, dz = (pinion - at.hub.origin).components(at.chassis).entries
    squared, drop = dx**2 + dz**2, p.rc - p.rp
    along = sb.sqrt(squared - drop**2)
    ex, ez = (dx * along + dz * drop) / squared, (dz * along - dx * drop) / squared
    place = at.hub.origin + p.rc * at.chassis.vector(-ez, 0, ex)
    m.force("chain", wheel, tension * at.chassis.vector(ex, 0, ez), at=place, reacting=chassis)
