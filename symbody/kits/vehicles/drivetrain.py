"""Torques on wheels, and the driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import symbody as sb


def spin_rate(wheel: Any, carrier: Any) -> Any:
    """Spin of a wheel about its y axis, relative to its carrier."""
    w, c = (p if isinstance(p, sb.Frame) else p.frame for p in (wheel, carrier))
    return w.angular_velocity(c).dot(c.y)


def drive(m: sb.Model, name: str, wheel: Any, carrier: Any, torque: Any, *, reacting: Any = None) -> None:
    """A torque about the spin axis that drives a wheel forward; its reaction is on the carrier, or on the chassis where
    the motor is there."""
    c = carrier if isinstance(carrier, sb.Frame) else carrier.frame
    m.torque(name, wheel, torque * c.y, reacting=carrier if reacting is None else reacting)


def brake(m: sb.Model, name: str, wheel: Any, carrier: Any, torque: Any, *, width: float = 0.5) -> None:
    """A torque against the spin Ω, reacting on the carrier: -T tanh(Ω/w), rounded off over a spin w [rad/s], so that a
    wheel that is held creeps by w atanh(T_held/T)."""
    drive(m, name, wheel, carrier, -torque * sb.tanh(spin_rate(wheel, carrier) / width))


def differential(
    m: sb.Model, name: str, left: tuple[Any, Any], right: tuple[Any, Any], torque: Any, *, chassis: Any, lock: Any = 0
) -> None:
    """The torque of a shaft shared by two wheels, each given with its carrier: T/2 - lock (Ω - Ω_other)/2 on each.

    lock   of a differential with viscous lock, N m s/rad; 0: open, equal torques
    """
    slower = lock * (spin_rate(*left) - spin_rate(*right)) / 2
    for side, (wheel, carrier), share in (("left", left, -slower), ("right", right, slower)):
        drive(m, f"{name}.{side}", wheel, carrier, torque / 2 + share, reacting=chassis)


def preview_driver(
    m: sb.Model,
    name: str,
    vehicle: sb.Frame,
    path: Callable[[Any], Any],
    *,
    preview: Any,
    gain: Any = 1,
    lag: Any = 0.1,
) -> sb.Symbol:
    """A driver who looks ahead: the steer angle is a variable that follows the deviation of the path from the point
    seen, at the distance L along x of the vehicle:

        lag δ' + δ = gain (y_path(x_P) - y_P) / L

    path   y over x of the ground, a function of an expression: `sb.integrate.interpolation(name, x, y)`
    """
    x, y, _ = vehicle.point(preview, 0, 0).in_ground.entries
    steer = m.variable(name)
    m.rate(steer, (gain * (path(x) - y) / preview - steer) / lag)
    return steer
