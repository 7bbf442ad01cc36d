"""Preview drivers: steer angles that follow a path, and the speed along it.

A path y(x) is followed by the deviation at a point ahead. A path in the plane is followed by its curvature and by the
deviation at the distance L ahead: the car is e to the left of the nearest point of the path and moves at the angle ψ to
the path there,

    lag δ' + δ = w κ - gain (2 w / L²) (e + L sin ψ + i),   i' = e / settling,   w = wheelbase + K V²

With L = V T the deviation decays according to e + T e' + (T²/2) e'' = 0 (pure pursuit, Coulter 1992, with feedforward
of the curvature). The integral i supplies the steer angle beyond w κ, so that in a steady turn the car is on the path.
The rear axle, which slips, follows a steer angle with a delay:

    κ = κ_path(s - rear + rear_slip V² + lead V)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import symbody as sb

from ....argument_kinds import answered, answered_class
from ..roads.path import PlaceAlong, PlanePath, foot_point, line_at


@answered
@sb.bodies.all_or_nothing
def preview_driver(
    m: sb.Model,
    name: str,
    vehicle: sb.Frame,
    path: PlanePath | Callable[[Any], Any],
    *,
    preview: Any,
    gain: Any = 1,
    lag: Any = 0.1,
) -> sb.Symbol:
    """A driver who looks ahead, whose steer angle δ is a variable: of the path y over x at the distance L along x of the
    vehicle, or of any path in the plane:

        lag δ' + δ = gain (y_path(x_P) - y_P) / L                                   y over x
        lag δ' + δ = w κ - gain (2 w / L²) (e + L sin ψ + i),   i' = e / settling   a path in the plane, see `Driver`

    path   y over x of the ground, a function of an expression: `sb.integrate.interpolation(name, x, y)`; or a `PlanePath`:
           then the origin of the vehicle's frame follows it, and the variable name_s is its place along the path, which
           begins at `path.nearest(x, y)[0]`

    >>> m = sb.Model("point")
    >>> body = m.body("body", mass=1.0)
    >>> joint = m.planar("at", m.ground, body)
    >>> circle = vh.path_of_curvature([0.0, 2 * np.pi * 30], [1 / 30, 1 / 30], closed=True)
    >>> vh.preview_driver(m, "steer", body.frame, circle, preview=6.0)
    steer

    See also: `Driver`, `path_through`, `path_follower`.
    """
    if isinstance(path, PlanePath):
        return Driver(path, gain=gain, lag=lag).along(m, name, vehicle, preview)[0]
    x, y, _ = vehicle.point(preview, 0, 0).in_ground.entries
    steer = m.variable(name)
    m.rate(steer, (gain * (path(x) - y) / preview - steer) / lag)
    return steer


def _curvature(path: PlanePath, s: Any) -> Any:
    _, (tx, ty), (cx, cy) = line_at(path, s)
    length = tx * tx + ty * ty
    return (tx * cy - ty * cx) / (length * sb.sqrt(length))


@dataclass(frozen=True, eq=False)
class DrivenCar:
    """The actions of a driver as expressions.

    steer     the steer angle, and its rate
    lacking   how much faster the car should be
    rise      the acceleration required by the speed profile
    """

    steer: sb.Symbol
    rate: Any
    lacking: Any
    rise: Any


@answered_class
@dataclass(frozen=True, eq=False)
class Driver:
    """A driver for a car: along a path in the plane, at a speed that may change along it.

    speed       m/s: a number, or a function of the arc length: `sb.integrate.interpolation("speed", s, V)`
    ahead       s, how far the driver looks: L = V ahead, but not less than `nearest` m
    gain, lag   of the corrections
    wheelbase, understeer   of w = wheelbase + K V²: what the driver knows of the car
    rear        m, how far the rear axle is behind the origin of the vehicle's frame
    rear_slip   rad s²/m, slip angle of the rear axle for a lateral acceleration: rear/V² less the slip gradient of a
                `handling_diagram`
    lead        s, in which a steer angle becomes a yaw rate: the curvature is seen that much ahead of the rear axle
    settling    s, in which a deviation that stays is taken out
    pull        of the drive, for a deviation of the speed: N m s/m of the torque of a `car`

    >>> straight = vh.path_through([(x, 0.0) for x in range(0, 500, 20)])
    >>> eq = sb.derive(vh.path_follower(vh.Driver(straight, speed=20.0)))
    >>> eq.degrees_of_freedom
    3

    See also: `path_follower`, `car`, `preview_driver`.
    """

    path: PlanePath
    speed: Any = 20.0
    ahead: float = 0.7
    nearest: float = 3.0
    gain: Any = 1.0
    lag: Any = 0.05
    wheelbase: Any = 2.7
    rear: Any = 1.5
    understeer: Any = 0.0
    rear_slip: Any = 0.0
    lead: Any = 0.15
    settling: Any = 1.5
    pull: float = 3000.0

    @sb.bodies.all_or_nothing
    def along(self, m: sb.Model, name: str, vehicle: sb.Frame, preview: Any) -> tuple[sb.Symbol, Any, PlaceAlong]:
        """The steer angle for a preview distance, its rate, and the place on the path; with the output name_left."""
        x, y, _ = vehicle.origin.in_ground.entries
        vx, vy, _ = vehicle.origin.velocity().components(m.ground).entries
        at, speed = foot_point(m, f"{name}_s", self.path, (x, y), (vx, vy)), sb.sqrt(vx * vx + vy * vy)
        course = (vx * at.normal[0] + vy * at.normal[1]) / speed
        steer, stays = m.variable(name), m.variable(f"{name}_i")
        w = self.wheelbase + self.understeer * speed**2
        seen = at.s - self.rear + self.rear_slip * speed**2 + self.lead * speed
        wanted = w * _curvature(self.path, seen)
        wanted = wanted - self.gain * 2 * w / preview**2 * (at.left + preview * course + stays)
        rate = (wanted - steer) / self.lag
        m.rate(steer, rate)
        m.rate(stays, at.left / self.settling)
        m.output(f"{name}_left", at.left)
        return steer, rate, at

    @sb.bodies.all_or_nothing
    def steered(self, m: sb.Model, name: str, vehicle: sb.Frame) -> DrivenCar:
        """What the driver does with a car; with the outputs name_left, how far it is to the left of the path, and
        name_speed, what it should run."""
        u = vehicle.origin.velocity().dot(vehicle.x)
        steer, rate, at = self.along(m, name, vehicle, sb.maximum(self.ahead * u, self.nearest))
        s = sb.symbol("line_u")
        profile = (self.speed(s) if callable(self.speed) else self.speed) + sb.fraction(0, 1)
        wanted, slope = (sb.substitute(e, {s: at.s}) for e in (profile, sb.derivative(profile, s)))
        m.output(f"{name}_speed", wanted)
        return DrivenCar(steer, rate, wanted - u, slope * at.rate)
