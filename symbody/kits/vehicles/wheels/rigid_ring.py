"""A tyre whose belt is a rigid ring on the sidewalls, for vibrations up to about 100 Hz (Zegelaar 1998; Schmeitz, Besselink and
Jansen, Vehicle System Dynamics 45, 2007; Pacejka 2012, chapter 9).

The belt B moves against the rim by d = (x, y, z) and turns by (γ, θ, ψ), in the axes of the carrier, which does not spin. The
sidewalls turn with the rim at Ω, and their dampers see the motion relative to it:

    F = -k d - c (d' - Ω e_y × d),   M = -κ (γ, θ, ψ) - χ ((γ', θ', ψ') - Ω e_y × (γ, 0, ψ))
    k = m_B (2π f)²,   c = 2 ζ m_B 2π f          from the frequencies of the belt on a rim that is held

The rest of the vertical stiffness C of the tyre is at the contact, 1/k_r = 1/C - 1/k, whose slip follows with the length of
the contact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError, finite_number, shown, unknown
from ....summary import Summarized, Summary, summary_rows
from ..tyres.tyre import Slip, Tyre, TyreForces, as_tyre
from .wheel_contact import WheelContact, wheel_on_road

MODES: Final = ("along", "across", "windup", "yaw")
STEP: Final = 1e-3  # m, deflection at which the stiffness of the tyre is taken


@dataclass(frozen=True, eq=False, repr=False)
class RigidRing(Summarized):
    """A belt on its rim.

    belt        the body
    contact     of the belt with the road
    stiffness   of the sidewalls along each axis [N/m], then about each [N m/rad]
    residual    vertical stiffness of the contact [N/m]
    """

    belt: sb.Body
    contact: WheelContact
    stiffness: tuple[float, ...]
    residual: float

    def _summary(self) -> Summary:
        rows = summary_rows(belt=self.belt.name, residual=f"{self.residual:z.4g} N/m")
        return Summary("RigidRing", (*rows, ("next", "belt, contact, stiffness")))


@dataclass(frozen=True, eq=False)
class RingTyre(Tyre):
    """The contact of a belt: the slip forces of a tyre, with a stiffness of its own and short lags."""

    tyre: Tyre
    residual: Any
    share: Any  # deflection of the whole tyre over that of the contact
    lengths: tuple[Any, Any]

    @property
    def free_radius(self) -> Any:
        return self.tyre.free_radius

    @property
    def has_turn_slip(self) -> bool:
        return self.tyre.has_turn_slip

    def forces(self, slip: Slip) -> TyreForces:
        return self.tyre.forces(slip)

    def relaxation_lengths(self, slip: Slip) -> tuple[Any, Any]:
        return self.lengths

    def load(self, deflection: Any, rate: Any) -> Any:
        return self.residual * deflection

    def rolling_radius(self, deflection: Any, spin: Any) -> Any:
        return self.tyre.rolling_radius(self.share * deflection, spin)

    def mirrored(self) -> Tyre:
        return replace(self, tyre=self.tyre.mirrored())


@answered
@sb.bodies.all_or_nothing
def rigid_ring(
    m: sb.Model, name: str, rim: Any, tyre: Tyre, *, carrier: Any, spin: Any, mass: float, inertia: Sequence[float],
    frequencies: Mapping[str, float], damping: Mapping[str, float] | float = 0.04, contact_length: float = 0.1, **contact: Any,
) -> RigidRing:  # fmt: skip
    """Put a wheel on a road by a belt on elastic sidewalls: six coordinates name_x, name_y, name_z, name_tilt, name_windup,
    name_yaw of the belt against its rim, and the outputs of `wheel_on_road`.

    rim             body or frame that spins, without the belt; its origin is the wheel's centre, y the axis
    carrier         frame or body with the same origin and y axis that does not spin
    spin            angle of the rim about y, a coordinate
    mass            of the belt [kg] (BELT_MASS of `.tir` files), about three quarters of the tyre
    inertia         of the belt across its axis and about it [kg m²] (BELT_IXX, BELT_IYY)
    frequencies     of the belt on a rim that is held [Hz]: "along" (also vertical; FREQ_LONG), "across" (FREQ_LAT), "windup"
                    (FREQ_WINDUP), "yaw" (also tilt; FREQ_YAW)
    damping         ratios ζ of these, or one of all
    contact_length  of the contact patch [m]; slip lags by half of it
    contact         options of `wheel_on_road`: road, turn_slip, pressure, outputs

    >>> m = sb.Model("wheel")
    >>> spin, z = m.coordinates("spin z")
    >>> carrier = m.ground.translate(20.0 * m.time, 0, z)
    >>> rim = m.body("rim", carrier.rotate("y", spin), mass=300.0, inertia=(1, 1.5, 1))
    >>> tyre = vh.BrushTyre(radius=0.3, cornering=6e4, along=8e4, friction=0.9, stiffness=2e5)
    >>> ring = vh.rigid_ring(
    ...     m, "tyre", rim, tyre, carrier=carrier, spin=spin, mass=7.0, inertia=(0.33, 0.63),
    ...     frequencies={"along": 77.0, "across": 42.0, "windup": 59.0, "yaw": 53.0},
    ... )
    >>> sb.derive(m).degrees_of_freedom, round(ring.stiffness[0] / 1e6, 3), round(ring.residual / 1e5, 3)
    (8, 1.638, 2.278)

    See also: `wheel_on_road`, `bushing`.
    """
    where = f"rigid_ring {name!r}"
    tyre = as_tyre(f"{where}: tyre", tyre)
    values = _sidewalls(where, mass, inertia, frequencies, damping, contact_length)
    total = float(sb.evaluate(sb.algebra.as_expr(tyre.load(STEP, 0)), {})) / STEP
    k = values.stiffness
    if not 0 < total < k[0]:
        raise ModelError(f"{where}: the vertical stiffness of the tyre is {total:g} N/m; it must be positive and less than the {k[0]:g} N/m of the sidewalls")  # fmt: skip
    residual = 1 / (1 / total - 1 / k[0])
    held, rim = sb.bodies.frame_at(carrier), sb.bodies.frame_at(rim)
    x, y, z, tilt, windup, yaw = m.coordinates(
        " ".join(f"{name}_{n}" for n in ("x", "y", "z", "tilt", "windup", "yaw"))
    )
    still = held.translate(x, y, z).rotate("x", tilt).rotate("z", yaw)
    across, about = inertia
    belt = m.body(f"{name} belt", still.rotate("y", spin + windup), mass=mass, inertia=(across, about, across))
    rate = spin.dot
    moved, turned = (x, y, z), (tilt, windup, yaw)
    seen = (x.dot - rate * z, y.dot, z.dot + rate * x)  # Ω e_y × d = Ω (z, 0, -x)
    swung = (tilt.dot - rate * yaw, windup.dot, yaw.dot + rate * tilt)
    force = [-a * q - c * v for a, q, c, v in zip(k[:3], moved, values.damping[:3], seen, strict=True)]
    moment = [-a * q - c * v for a, q, c, v in zip(k[3:], turned, values.damping[3:], swung, strict=True)]
    m.force(f"{name}.sidewall", belt, held.vector(*force), at=still.origin, reacting=rim)
    m.torque(f"{name}.sidewall moment", belt, held.vector(*moment), reacting=rim)
    half = contact_length / 2
    made = RingTyre(tyre, residual, residual / total, (half, half))
    touch = wheel_on_road(m, name, belt, made, carrier=still, **contact)
    return RigidRing(belt, touch, k, residual)


@dataclass(frozen=True)
class _Sidewalls:
    stiffness: tuple[float, ...]
    damping: tuple[float, ...]


def _sidewalls(
    where: str, mass: Any, inertia: Any, frequencies: Mapping[str, float], damping: Mapping[str, float] | float, length: Any
) -> _Sidewalls:  # fmt: skip
    """Stiffness and damping along x, y, z and about them."""
    if not isinstance(inertia, Sequence) or len(inertia) != 2:
        raise ModelError(f"{where}: inertia has two numbers, across the axis and about it, got {shown(inertia)}")
    positive = {"mass": mass, "inertia[0]": inertia[0], "inertia[1]": inertia[1], "contact_length": length}
    for what, given in {"frequencies": frequencies, "damping": damping}.items():
        if isinstance(given, Mapping):
            for key in given:
                if key not in MODES:
                    raise unknown(f"{where}: {what}", "mode", key, MODES, ModelError)
        if isinstance(given, Mapping) and (missing := [n for n in MODES if n not in given]):
            raise ModelError(f"{where}: {what} has no {missing[0]!r}; it needs {', '.join(MODES)}")
    positive |= {f"frequencies[{n!r}]": frequencies[n] for n in MODES}
    ratios = damping if isinstance(damping, Mapping) else dict.fromkeys(MODES, damping)
    for what, value in {**positive, **{f"damping[{n!r}]": v for n, v in ratios.items()}}.items():
        number = finite_number(value, f"{where}: {what}", ModelError)
        if number < 0 or (number == 0 and what in positive):
            raise ModelError(f"{where}: {what} = {number:g} must be positive")
    weights = {"along": mass, "across": mass, "windup": inertia[1], "yaw": inertia[0]}
    rates = {n: 2 * pi * frequencies[n] for n in MODES}
    order = ("along", "across", "along", "yaw", "windup", "yaw")
    stiffness = tuple(weights[n] * rates[n] ** 2 for n in order)
    return _Sidewalls(stiffness, tuple(2 * ratios[n] * weights[n] * rates[n] for n in order))
