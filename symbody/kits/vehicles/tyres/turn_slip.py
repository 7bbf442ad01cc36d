"""Turn slip of the Magic Formula: forces and moment of a wheel that turns on the spot or follows a narrow path (Pacejka, Tire and
Vehicle Dynamics, 2012, 4.3.3, equations 4.75 to 4.102).

    φ = ψ'/Vx + (1 - εγ) sin γ / R0        ψ': rate of the wheel about the normal of the road

A wheel that leans and one that turns spin in the same way against the road, so that with turn slip camber acts through φ alone.
The factors ζ reduce friction and stiffness: ζ1 of Fx, ζ2 of the peak of Fy, ζ3 of the cornering stiffness, ζ5 of the trail, ζ6 and
ζ7 of the shape of the residual moment; ζ4 shifts the side force and ζ8 adds the moment of turning:

    SHφ = DH sin(CH atan(BH R0 φ - EH (BH R0 φ - atan(BH R0 φ)))),   BH = Kyγ0 / ((1 - εγ) CH DH Kyα0)
    Mφ = DD sin(CD atan(BD R0 φ)),   DD = M∞ / sin(π CD/2),   M∞ = QCRP1 μy R0 Fz √(Fz/F0)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import symbody as sb

NAMES: Final = "PDXP:3 PKYP:1 PDYP:4 PHYP:4 PECP:2 QDTP:1 QCRP:2 QBRP:1 QDRP:1"
NEEDED: Final = ("PHYP1", "PHYP2", "QCRP1", "QDRP1")
SMALL: Final = 1e-6  # N m, that keeps the ratio of two moments from 0/0


@dataclass(frozen=True, slots=True)
class TurnFactors:
    """ζ1, ζ2, ζ3, ζ5, ζ6; without turn slip they are 1. `spin` is R0 φ, none without it."""

    along: Any = 1
    peak: Any = 1
    stiffness: Any = 1
    trail: Any = 1
    residual: Any = 1
    spin: Any = None
    camber: Any = 0  # εγ

    @property
    def own_camber(self) -> int:
        """ζ0: whether camber acts by terms of its own."""
        return 1 if self.spin is None else 0

    def shift(self, c: Any, dfz: Any, camber_stiffness: Any, cornering: Any) -> Any:
        """SHφ."""
        size = c.PHYP2 + c.PHYP3 * dfz
        x = camber_stiffness / ((1 - self.camber) * c.PHYP1 * size * cornering) * self.spin
        return size * sb.sin(c.PHYP1 * sb.atan(x - c.PHYP4 * (x - sb.atan(x))))

    def moment(self, c: Any, s: Any, mu: Any, weight: Any) -> tuple[Any, Any]:
        """Mφ, and ζ7 from the moment at a slip angle of a quarter turn."""
        most = c.QCRP1 * mu * c.UNLOADED_RADIUS * s.Fz * sb.sqrt(s.Fz / s.F0) * c.LMP
        size = most / sb.sin(sb.pi * c.QDRP1 / 2)
        slope = s.Fz * c.UNLOADED_RADIUS * (c.QDZ8 + c.QDZ9 * s.dfz) * c.LKZC
        x = slope / (c.QDRP1 * size * (1 - self.camber) + SMALL) * self.spin
        made = size * sb.sin(c.QDRP1 * sb.atan(x))
        across = most * 2 / sb.pi * sb.atan(c.QCRP2 * sb.sqrt(self.spin**2)) * weight
        share = sb.minimum(across / sb.sqrt(made * made + SMALL**2), 1)
        return made, 2 / sb.pi * sb.acos(share)


UNTURNED: Final = TurnFactors()


def turn_factors(c: Any, dfz: Any, kappa: Any, a: Any, camber: Any, turn: Any) -> TurnFactors:
    """The factors of a path curvature ψ'/Vx, at a slip κ and tan α."""
    if turn is None:
        return UNTURNED
    epsilon = c.PECP1 * (1 + c.PECP2 * dfz)
    spin = c.UNLOADED_RADIUS * turn + (1 - epsilon) * sb.sin(camber)
    size = sb.sqrt(spin**2)
    bx = c.PDXP1 * (1 + c.PDXP2 * dfz) * sb.cos(sb.atan(c.PDXP3 * kappa))
    by = c.PDYP1 * (1 + c.PDYP2 * dfz) * sb.cos(sb.atan(c.PDYP3 * a))
    fall = by * (size + c.PDYP4 * sb.sqrt(size)) if c.PDYP4 else by * size
    values = (bx * spin, fall, c.PKYP1 * spin**2, c.QDTP1 * spin, c.QBRP1 * spin)
    along, peak, stiffness, trail, residual = (sb.cos(sb.atan(v)) for v in values)
    return TurnFactors(along, peak, stiffness, trail, residual, spin, epsilon)
