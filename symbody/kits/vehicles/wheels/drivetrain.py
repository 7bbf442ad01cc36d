"""Torques on wheels."""

from __future__ import annotations

from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered

WHEELS: Final = ("fl", "fr", "rl", "rr")  # names of the wheels of a car: front and rear, left and right


def spin_rate(wheel: Any, carrier: Any) -> Any:
    """Spin of a wheel about its y axis, relative to its carrier."""
    w, c = (sb.bodies.frame_at(p) for p in (wheel, carrier))
    return w.angular_velocity(c).dot(c.y)


@answered
@sb.bodies.all_or_nothing
def drive(m: sb.Model, name: str, wheel: Any, carrier: Any, torque: Any, *, reacting: Any = None) -> None:
    """A torque about the spin axis that drives a wheel forward; its reaction is on the carrier, or on the chassis where
    the motor is there."""
    c = sb.bodies.frame_at(carrier)
    m.torque(name, wheel, torque * c.y, reacting=carrier if reacting is None else reacting)


@answered
@sb.bodies.all_or_nothing
def brake(m: sb.Model, name: str, wheel: Any, carrier: Any, torque: Any, *, width: float = 0.5) -> None:
    """A torque against the spin Ω, reacting on the carrier: -T tanh(Ω/w), rounded off over a spin w [rad/s], so that a
    wheel that is held creeps by w atanh(T_held/T)."""
    drive(m, name, wheel, carrier, -torque * sb.tanh(spin_rate(wheel, carrier) / width))


@answered
@sb.bodies.all_or_nothing
def differential(
    m: sb.Model, name: str, left: tuple[Any, Any], right: tuple[Any, Any], torque: Any, *, chassis: Any, lock: Any = 0,
    friction: Any = 0, width: float = 0.5, locked: bool = False,
) -> None:  # fmt: skip
    """The torque of a shaft shared by two wheels, each given with its carrier:

        T_left, T_right = T/2 ∓ (lock ΔΩ + friction tanh(ΔΩ/w))/2,   ΔΩ = Ω_left - Ω_right

    Open by default: equal torques.

    lock       of a viscous lock, N m s/rad: the difference of the torques for a difference of the spins
    friction   of a limited slip, N m: the largest difference of the torques, slower wheel less faster, that its clutches
               hold, such as `50 + 0.3 * abs(torque)` of plates pressed by ramps; rounded off over the spin w
               [rad/s] as in `brake`
    locked     a spool: both wheels spin alike, by a constraint of this name

    Outputs: name_left, name_right, the torques on the wheels.
    """
    spin = spin_rate(*left) - spin_rate(*right)
    share = -(lock * spin + friction * sb.tanh(spin / width)) / 2
    if locked:
        m.constrain_speed(name, spin)
    held = m.multiplier(name) if locked else 0  # of a constraint whose row is that of the torques
    for side, (wheel, carrier), part, sign in (("left", left, share, 1), ("right", right, -share, -1)):
        drive(m, f"{name}.{side}", wheel, carrier, torque / 2 + part, reacting=chassis)
        m.output(f"{name}_{side}", torque / 2 + part + sign * held)
