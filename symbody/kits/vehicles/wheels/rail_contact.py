"""Contact of a wheel with a rail: the ellipse of Hertz, Kalker's creep coefficients, and Polach's creep forces.

Hertz (Johnson, Contact Mechanics, 1985, 4.2): with the curvatures A <= B of the gap, e² = 1 - (b/a)² and E* = E/(2 (1 - ν²)),

    B/A = ((a/b)² E(e) - K(e)) / (K(e) - E(e)),   a³ = 3 N E(e) / (2π (b/a)² E* (A + B))

Kalker: small creepages have Fx = -G c² C11 ξx,  Fy = -G c² C22 ξy - G c³ C23 φ,  Mz = G c³ C23 ξy - G c⁴ C33 φ, with c² = a b.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any, Final

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

import symbody as sb

from ....argument_kinds import answered, answered_class
from ....errors import ModelError, finite_number, shown
from ....summary import Introduced

# Kalker's coefficients for Poisson's ratio 1/4 over a/b, a along the rail (Kalker 1990, Three-Dimensional Elastic Bodies in
# Rolling Contact, appendix E): C11, C22, C23, C33
KALKER: Final = (
    (0.1, 3.31, 2.52, 0.473, 8.28), (0.2, 3.37, 2.63, 0.603, 4.27), (0.3, 3.44, 2.75, 0.715, 2.96), (0.4, 3.53, 2.88, 0.823, 2.32),
    (0.5, 3.62, 3.01, 0.929, 1.93), (0.6, 3.72, 3.14, 1.03, 1.68), (0.7, 3.81, 3.28, 1.14, 1.50), (0.8, 3.91, 3.41, 1.25, 1.37),
    (0.9, 4.01, 3.54, 1.36, 1.27), (1.0, 4.12, 3.67, 1.47, 1.19), (1 / 0.9, 4.22, 3.81, 1.59, 1.11), (1 / 0.8, 4.36, 3.99, 1.75, 1.04),
    (1 / 0.7, 4.54, 4.21, 1.95, 0.965), (1 / 0.6, 4.78, 4.50, 2.23, 0.892), (2.0, 5.10, 4.90, 2.62, 0.819), (2.5, 5.57, 5.48, 3.24, 0.747),
    (1 / 0.3, 6.34, 6.40, 4.32, 0.674), (5.0, 7.78, 8.14, 6.63, 0.601), (10.0, 11.7, 12.8, 14.6, 0.526),
)  # fmt: skip
ZERO_FORCE: Final = 1e-9  # fraction of the friction force below which a creep force has no direction


@answered_class
@dataclass(frozen=True)
class RailContact(Introduced):
    """The contact of a wheel with a rail, and its creep coefficients.

    along, across   a and b, semi-axes of the ellipse along the rail and across it [m]
    f11, f22        creep coefficients along and across [N];  f23 [N m], f33 [N m²] of spin
    pressure        the largest [Pa]

    >>> contact = vh.rail_contact(load=60e3, wheel_radius=0.46, rail_radius=0.3)
    >>> round(1e3 * contact.along, 2), round(1e3 * contact.across, 2), round(1e-6 * contact.f11, 2)
    (6.13, 4.61, 10.4)

    See also: `rail_contact`, `wheelset`, `polach_force`.
    """

    along: float
    across: float
    f11: float
    f22: float
    f23: float
    f33: float
    pressure: float

    @property
    def creep(self) -> dict[str, float]:
        """f11, f22, f23, f33 by name: `vh.wheelset(**contact.creep)`.

        >>> sorted(vh.rail_contact(load=60e3, wheel_radius=0.46, rail_radius=0.3).creep)
        ['f11', 'f22', 'f23', 'f33']
        """
        return {"f11": self.f11, "f22": self.f22, "f23": self.f23, "f33": self.f33}


@answered
def rail_contact(
    load: float, *, wheel_radius: float, rail_radius: float = 0.3, wheel_profile: float | None = None, modulus: float = 2.07e11,
    poisson: float = 0.25,
) -> RailContact:  # fmt: skip
    """The contact ellipse of Hertz and Kalker's creep coefficients of a wheel on a rail.

    load            N, normal to the contact
    wheel_radius    rolling radius, m
    rail_radius     of the rail's head across, m: 0.3 on top of UIC60
    wheel_profile   radius of the wheel's profile across, m: negative where it is hollow; none: a cone
    modulus, poisson   E and ν of steel; the table of coefficients is that for ν = 1/4

    >>> round(vh.rail_contact(load=60e3, wheel_radius=0.46).f22 / 1e6, 2)
    9.58

    See also: `RailContact`, `wheelset`, `bogie`.
    """
    for name, value in (
        ("load", load),
        ("wheel_radius", wheel_radius),
        ("rail_radius", rail_radius),
        ("modulus", modulus),
    ):
        if not finite_number(value, f"rail_contact: {name}", ModelError) > 0:
            raise ModelError(f"rail_contact: {name} = {shown(value)}: it must be positive")
    rolling = 0.5 / wheel_radius
    across = 0.5 * (1 / rail_radius + (1 / wheel_profile if wheel_profile else 0.0))
    if across <= 0:
        raise ModelError(
            f"rail_contact: wheel_profile = {shown(wheel_profile)} m hollows the wheel more than the rail of rail_radius = {rail_radius:g} m curves: the contact is not an ellipse"
        )
    effective = modulus / (2 * (1 - poisson**2))
    long_axis, short_axis = _ellipse(load, min(rolling, across), max(rolling, across), effective)
    a, b = (long_axis, short_axis) if rolling <= across else (short_axis, long_axis)
    c11, c22, c23, c33 = kalker_coefficients(a / b)
    G, area = modulus / (2 * (1 + poisson)), a * b
    return RailContact(
        a, b, G * area * c11, G * area * c22, G * area**1.5 * c23, G * area**2 * c33, 1.5 * load / (pi * area)
    )


def _ellipse(load: float, low: float, high: float, effective: float) -> tuple[float, float]:
    """Semi-axes, the longer one first, for curvatures of the gap."""

    def excess(ratio: float) -> float:
        m = 1 - ratio**2
        return float((ellipe(m) / ratio**2 - ellipk(m)) / (ellipk(m) - ellipe(m)) - high / low)

    ratio = 1.0 if high <= low * (1 + 1e-9) else float(brentq(excess, 1e-4, 1 - 1e-9))
    a = (3 * load * ellipe(1 - ratio**2) / (2 * pi * ratio**2 * effective * (low + high))) ** (1 / 3)
    return float(a), float(ratio * a)


def kalker_coefficients(ratio: float) -> tuple[float, float, float, float]:
    """C11, C22, C23, C33 for a/b, by straight lines over log a/b between the values of Kalker's table (ν = 1/4).

    >>> vh.kalker_coefficients(1.0)
    (4.12, 3.67, 1.47, 1.19)

    See also: `rail_contact`.
    """
    table = np.array(KALKER)
    if not table[0, 0] <= ratio <= table[-1, 0]:
        raise ModelError(f"kalker_coefficients: a/b = {ratio:z.3g} is outside of the table, which goes from 0.1 to 10")
    found = [np.interp(np.log(ratio), np.log(table[:, 0]), column) for column in table.T[1:]]
    return float(found[0]), float(found[1]), float(found[2]), float(found[3])


@answered
def polach_force(
    along: Any, across: Any, f11: Any, f22: Any, limit: Any, *, adhesion: Any = 1, slip: Any = 1
) -> tuple[Any, Any]:
    """Creep forces of a wheel that saturate at friction (Polach, Wear 258, 2005):

        F0 = √((f11 ξx)² + (f22 ξy)²),   ε = π F0 / (4 μN)
        F = 2 μN/π (kA ε / (1 + (kA ε)²) + atan(kS ε)),   (Fx, Fy) = -F (ξx, ξy)/|ξ|

    along, across   creepages ξx, ξy
    f11, f22        creep coefficients, N, as `rail_contact` gives them
    limit           μN, N
    adhesion, slip  kA and kS of a rail that is not clean: kS <= kA <= 1

    >>> Fx, Fy = vh.polach_force(0.05, 0.0, 1e7, 1e7, 2e4)
    >>> round(float(sb.evaluate(Fx, {})))
    -19999

    See also: `rail_contact`, `wheelset`.
    """
    s = sb.sqrt(along**2 + across**2 + (ZERO_FORCE * limit / f11) ** 2)
    linear = sb.sqrt((f11 * along) ** 2 + (f22 * across) ** 2 + (ZERO_FORCE * limit) ** 2)
    e = sb.pi * linear / (4 * limit)
    force = 2 * limit / sb.pi * (adhesion * e / (1 + (adhesion * e) ** 2) + sb.atan(slip * e))
    return -force * along / s, -force * across / s
