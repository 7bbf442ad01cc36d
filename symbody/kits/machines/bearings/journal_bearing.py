"""Short journal bearings (Ocvirk 1953): the film pressure is that of a bearing much shorter than its diameter, with film
where the pressure is positive (π film).

With the eccentricity ε = e/c, the attitude γ, and the load F,

    F = μ ω R L³ / (4 c²) · ε / (1 - ε²)² · √(16 ε² + π² (1 - ε²)),   tan γ = π √(1 - ε²) / (4 ε)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.optimize import brentq

import symbody as sb

from ....argument_kinds import answered, answered_class
from ....errors import ModelError, finite_number
from ....summary import Introduced

THINNEST: Final = 1e-3  # 1 - ε² of the film that forces are computed with beyond the largest eccentricity
LARGEST: Final = 0.999  # eccentricity beyond which the film is too thin for this theory


@answered_class
@dataclass(frozen=True)
class ShortBearing(Introduced):
    """A short journal bearing.

    radius      of the journal R, m
    length      L, m
    clearance   radial c, m
    viscosity   μ, Pa s

    >>> bearing = sb.kits.machines.ShortBearing(radius=0.05, length=0.03, clearance=1e-4, viscosity=0.02)
    >>> round(bearing.load(0.5, 100.0), 4), round(bearing.eccentricity(32.3, 100.0), 3)
    (202.6029, 0.145)

    See also: `kits.machines.journal`, `kits.machines.Shaft.bearing`.
    """

    radius: float
    length: float
    clearance: float
    viscosity: float

    def __post_init__(self) -> None:
        for what in ("radius", "length", "clearance", "viscosity"):
            if not finite_number(getattr(self, what), f"short bearing: {what}", ModelError) > 0:
                raise ModelError(f"short bearing: {what} must be positive, got {getattr(self, what):g}")
        if self.clearance >= self.radius:
            raise ModelError(
                f"short bearing: clearance must be smaller than the radius, got {self.clearance:g} and {self.radius:g} m"
            )

    @property
    def _factor(self) -> float:
        return self.viscosity * self.radius * self.length**3 / (4 * self.clearance**2)

    def load(self, eccentricity: float, speed: float) -> float:
        """The load in N that a journal at rest at an eccentricity (0 ... 1) bears at a speed in rad/s."""
        e = eccentricity
        return float(self._factor * speed * e / (1 - e**2) ** 2 * np.sqrt(16 * e**2 + np.pi**2 * (1 - e**2)))

    def eccentricity(self, load: float, speed: float) -> float:
        """The eccentricity (0 ... 1) at which the journal bears a load in N at a speed in rad/s."""
        if not (load >= 0 and speed > 0):
            raise ModelError(
                f"short bearing: load must not be negative and speed must be positive, got {load:g} N and {speed:g} rad/s"
            )
        if load > self.load(LARGEST, speed):
            raise ModelError(
                f"short bearing: a load of {load:g} N at {speed:g} rad/s needs an eccentricity above {LARGEST}"
            )
        return float(brentq(lambda e: self.load(e, speed) - load, 0.0, LARGEST, xtol=1e-15))

    def attitude(self, eccentricity: float) -> float:
        """The angle in rad between the load and the eccentricity, in the direction of rotation."""
        e = eccentricity
        return float(np.arctan2(np.pi * np.sqrt(1 - e**2), 4 * e))

    def forces(self, x: Any, y: Any, vx: Any, vy: Any, speed: Any) -> tuple[sb.Expr, sb.Expr]:
        """Forces on the journal in x and y for displacements [m] and velocities [m/s] of its centre, any motion.

        In polar coordinates, with e' and γ' = (x vy - y vx)/e² (Childs, Turbomachinery Rotordynamics, 1993):

            Fr = -k (2 ε² |ω - 2 γ'| / (1 - ε²)² + π ε' (1 + 2 ε²) / (1 - ε²)^(5/2))
            Ft = k (π ε (ω - 2 γ') / (2 (1 - ε²)^(3/2)) + 4 ε ε' / (1 - ε²)²),   k = μ R L³ / (2 c²)
        """
        c = self.clearance
        e = sb.sqrt(x**2 + y**2 + (1e-9 * c) ** 2)
        eps = e / c
        deps = (x * vx + y * vy) / (e * c)
        spin = speed - 2 * (x * vy - y * vx) / e**2
        gap = sb.maximum(1 - eps**2, THINNEST)
        k = self.viscosity * self.radius * self.length**3 / (2 * c**2)
        radial = -k * (
            2 * eps**2 * sb.sqrt(spin**2) / gap**2 + sb.pi * (1 + 2 * eps**2) * deps / gap ** sb.fraction(5, 2)
        )
        across = k * (sb.pi * eps * spin / (2 * gap ** sb.fraction(3, 2)) + 4 * eps * deps / gap**2)
        return (radial * x - across * y) / e, (radial * y + across * x) / e

    def coefficients(self, load: float, speed: float) -> tuple[Any, Any, Any]:
        """The place (x, y) of the journal, stiffness K and damping D about it, for a load in -y, N/m and N s/m.

        >>> bearing = sb.kits.machines.ShortBearing(radius=0.05, length=0.03, clearance=1e-4, viscosity=0.1)
        >>> place, K, D = bearing.coefficients(load=525.0, speed=157.08)
        >>> (np.round(K / 1e6, 2).tolist(), np.round(D / 1e3, 1).tolist())
        ([[12.81, 16.39], [-25.06, 8.82]], [[232.9, -81.9], [-81.9, 294.9]])
        """
        e = self.eccentricity(load, speed)
        turn = self.attitude(e)
        x, y, vx, vy, W = sb.symbols("x y vx vy W")
        at = {x: e * self.clearance * np.sin(turn), y: -e * self.clearance * np.cos(turn), vx: 0.0, vy: 0.0, W: speed}
        F = sb.vector(*self.forces(x, y, vx, vy, W), 0)
        rows = [sb.evaluate(list(sb.jacobian(F, [x, y, vx, vy]).entries), at)]
        J = -np.array(rows, dtype=float).reshape(3, 4)[:2]
        return (at[x], at[y]), J[:, :2], J[:, 2:]


@answered
@sb.bodies.all_or_nothing
def journal(
    m: sb.Model, name: str, q: tuple[sb.Symbol, sb.Symbol], bearing: ShortBearing, *, speed: Any
) -> tuple[sb.Expr, sb.Expr]:
    """The film forces of a short bearing on two coordinates of a journal; x, y with the rotation from x to y. Outputs:
    name_eccentricity, name_x, name_y (forces in N). Motions end where the journal comes within a thousandth of the
    clearance of its shell.

    >>> m = sb.Model("journal")
    >>> x, y = m.coordinates("x y")
    >>> part = m.particle("shaft", m.ground.point(x, y, 0), mass=10.0)
    >>> bearing = sb.kits.machines.ShortBearing(radius=0.05, length=0.03, clearance=1e-4, viscosity=0.02)
    >>> force = sb.kits.machines.journal(m, "film", (x, y), bearing, speed=300.0)
    >>> m.gravity(0, -9.81, 0)
    >>> eq = sb.derive(m)
    >>> found = sb.steady(eq, start={"x": 2e-5, "y": -2e-5})
    >>> bool(abs(np.hypot(found["x"], found["y"]) / 1e-4 - bearing.eccentricity(98.1, 300.0)) < 1e-6)
    True

    See also: `kits.machines.ShortBearing`, `Model.valid_while`.
    """
    x, y = q
    made = bearing.forces(x, y, x.dot, y.dot, speed)
    for letter, coordinate, force in zip("xy", q, made, strict=True):
        m.generalized_force(f"{name}.{letter}", coordinate, force)
        m.output(f"{name}_{letter}", force)
    eccentricity = sb.sqrt(x**2 + y**2) / bearing.clearance
    m.output(f"{name}_eccentricity", eccentricity)
    m.valid_while(f"{name}.film", LARGEST**2 - (x**2 + y**2) / bearing.clearance**2)
    return made
