"""The Magic Formula, versions 5.2 and 6.1 (Pacejka, Tire and Vehicle Dynamics, 2012, equations 4.E1 to 4.E78; 5.2 as in
the manual of MF-Tyre); turn slip is in `turn_slip.py`.

    F = D sin(C atan(Bx - E (Bx - atan Bx))) + SV,      x = slip + SH

Numbers in brackets are those of the book.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered, answered_class
from ....errors import ModelError, listed, unknown
from ....summary import Summarized, Summary, summary_rows
from .tir_file import TirFile, read_tir
from .turn_slip import NAMES as TURN_SLIP
from .turn_slip import NEEDED as OF_TURN_SLIP
from .turn_slip import UNTURNED, TurnFactors, turn_factors
from .tyre import Kinks, Slip, Tyre, TyreForces, rolling_either_way


def _numbered_names(text: str) -> tuple[str, ...]:
    """ "PCX:1 PDX:3" -> PCX1 PDX1 PDX2 PDX3."""
    stems = (word.split(":") for word in text.split())
    return tuple(f"{stem}{k}" for stem, most in stems for k in range(1, int(most) + 1))


SCALES: Final = (
    "LFZO LCX LMUX LEX LKX LHX LVX LGAX LCY LMUY LEY LKY LHY LVY LGAY LKYC LTR LRES LGAZ LKZC LXAL LYKA LVYKA LS "
    "LSGKP LSGAL LMX LVMX LMY LMP"
).split()
COEFFICIENTS: Final = frozenset(_numbered_names(
    "PCX:1 PDX:3 PEX:4 PKX:3 PHX:2 PVX:2 PPX:4 RBX:3 RCX:1 REX:2 RHX:1 PTX:3 PTY:2 "
    "PCY:1 PDY:3 PEY:5 PKY:7 PHY:3 PVY:4 PPY:5 RBY:4 RCY:1 REY:2 RHY:2 RVY:6 "
    "QBZ:10 QCZ:1 QDZ:11 QEZ:5 QHZ:4 PPZ:2 SSZ:4 QSX:14 PPMX:1 QSY:8 PCFX:3 PCFY:3 QFZ:2 PPFZ:1 QV:1 " + TURN_SLIP
)) | {"QRE0", "BREFF", "DREFF", "FREFF"}  # fmt: skip
BASIC: Final = (
    "FNOMIN UNLOADED_RADIUS NOMPRES LONGVL VERTICAL_STIFFNESS VERTICAL_DAMPING LONGITUDINAL_STIFFNESS LATERAL_STIFFNESS"
).split()
DEFAULTS: Final = {**dict.fromkeys(SCALES, 1.0), "PKY4": 2.0, "QRE0": 1.0, "NOMPRES": 2e5, "LONGVL": 16.7}
COMBINED: Final = ("RBX1", "RCX1", "RBY1", "RCY1")  # without which forces of both slips do not weaken each other
BOOK: Final = "with_coefficients(RBX1=13.05, RBX2=9.718, RCX1=0.9995, RBY1=10.62, RBY2=7.82, RCY1=1.059)"
REGULARISATION: Final = 1e-6  # offset that keeps denominators from zero (4.E16, 4.E26, 4.E39), as in MFeval


def curve(B: Any, C: Any, D: Any, E: Any, x: Any) -> Any:
    """D sin(C atan(Bx - E (Bx - atan Bx)))."""
    return D * sb.sin(C * _inner(B, E, x))


def weight(B: Any, C: Any, E: Any, x: Any, shift: Any) -> Any:
    """cos(C atan(..(x + s))) / cos(C atan(..(s))): 1 where x = 0."""
    return sb.cos(C * _inner(B, E, x + shift)) / sb.cos(C * _inner(B, E, shift))


def _inner(B: Any, E: Any, x: Any) -> Any:
    return sb.atan(B * x - E * (B * x - sb.atan(B * x)))


class TyreCoefficients(Mapping[str, Any]):
    """TyreCoefficients by name: `c.PKY1`. A scale L... that was not given is 1, any other coefficient 0."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = {k: v for k, v in given.items() if k in COEFFICIENTS or k in SCALES or k in BASIC}

    def __getattr__(self, name: str) -> Any:
        if name not in COEFFICIENTS and name not in SCALES and name not in BASIC:
            raise AttributeError(name)
        return self._given.get(name, DEFAULTS.get(name, 0.0))

    def __getitem__(self, name: str) -> Any:
        return self._given[name]

    def __iter__(self) -> Any:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


@dataclass(frozen=True, slots=True)
class ContactPatch:
    """Slip in the terms of the formula (4.E1 to 4.E6): loads relative to the nominal one, as it is
    when the wheel rolls forward."""

    Fz: Any
    F0: Any
    dfz: Any
    dpi: Any
    kappa: Any
    a: Any
    gamma: Any
    speed: Any
    turn: TurnFactors = UNTURNED

    @property
    def cos_alpha(self) -> Any:
        """cos α' = |Vx|/V (4.E6)."""
        return 1 / sb.sqrt(1 + self.a * self.a)


@dataclass(frozen=True, slots=True)
class Lateral:
    """Fy0 with what the aligning moment needs of it."""

    Fy0: Any
    mu: Any
    K: Any
    SH: Any
    SV: Any
    BC: Any


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class MagicFormula(Summarized, Tyre):
    """A tyre after the Magic Formula, from coefficients by their names in `.tir` files; numbers or expressions.

    version   "5.2" or "6.1"
    smooth    a width w over which sgn and |·| are rounded off, `sgn x -> tanh(x/w)`. Without it forces have corners
              where a shifted slip or the camber is zero. At zero slip the slopes stay what they are, B C D; forces
              change by less than E's asymmetry times w³, |γ| by less than 0.28 w
    """

    coefficients: Mapping[str, Any]
    version: str = "6.1"
    smooth: float | None = None
    c: TyreCoefficients = field(init=False, repr=False)

    def _summary(self) -> Summary:
        c, smooth = (
            self.coefficients,
            "as the formula has them" if self.smooth is None else f"rounded off over {self.smooth:g}",
        )
        asked = {
            "load": "FNOMIN",
            "radius": "UNLOADED_RADIUS",
            "pressure": "NOMPRES",
            "stiffness": "VERTICAL_STIFFNESS",
        }
        combined = "" if self.has_combined_slip else "no: each force is that of its own slip alone"
        rows = summary_rows(
            **{k: f"{c[key]} ({key})" for k, key in asked.items() if key in c}, combined_slip=combined, kinks=smooth
        )
        return Summary(f"MagicFormula {self.version}, {len(c)} coefficients", rows)

    def __post_init__(self) -> None:
        if self.version not in ("5.2", "6.1"):
            raise unknown("MagicFormula", "version", self.version, ["5.2", "6.1"], ModelError)
        object.__setattr__(self, "c", TyreCoefficients(self.coefficients))
        if missing := [k for k in ("FNOMIN", "UNLOADED_RADIUS", "PCY1", "PDY1", "PKY1", "PKY2") if k not in self.c]:
            raise ModelError(f"MagicFormula: the coefficient {missing[0]} is missing; it has no default")
        _refuse_unknown(self.coefficients)
        if absent := [k for k in COMBINED if k not in self.coefficients]:
            warnings.warn(f"MagicFormula: {_without_combined_slip(listed(absent))}", stacklevel=4)
            object.__setattr__(self, "coefficients", {**dict.fromkeys(absent, 0.0), **self.coefficients})

    @property
    def has_combined_slip(self) -> bool:
        """Whether longitudinal slip weakens the side force and side slip the longitudinal one, by RBX1, RCX1, RBY1, RCY1
        that are not zero. Of files without them either force is that of its own slip, and both together may be larger
        than friction allows."""
        return all(
            not isinstance(x, int | float) or x != 0 for x in (self.c.RBX1, self.c.RCX1, self.c.RBY1, self.c.RCY1)
        )

    @property
    def has_turn_slip(self) -> bool:
        """Whether the coefficients of turn slip are there: PHYP1, PHYP2, QCRP1, QDRP1."""
        return all(k in self.c and self.c[k] != 0 for k in OF_TURN_SLIP)

    @cached_property
    def kinks(self) -> Kinks:
        return Kinks(self.smooth)

    def with_coefficients(self, **changed: Any) -> MagicFormula:
        """The same tyre with other coefficients, for instance LMUY=0.5 on a wet road, or without the shifts of its
        curves: LHX=0, LHY=0, LVX=0, LVY=0."""
        _refuse_unknown(changed)
        return replace(self, coefficients={**self.coefficients, **changed})

    def without_shifts(self) -> MagicFormula:
        """The same tyre with no force at zero slip and camber: SH = SV = 0, also of trail and residual moment, and no
        moments of a straight running wheel but rolling resistance."""
        zero = (
            "LHX",
            "LHY",
            "LVX",
            "LVY",
            "QHZ1",
            "QHZ2",
            "LRES",
            "SSZ1",
            "LVMX",
            "RHX1",
            "RHY1",
            "RHY2",
            "LVYKA",
            "QSX13",
        )
        return self.with_coefficients(**dict.fromkeys(zero, 0.0))

    # ------------------------------------------------------------------------------------------ forces

    def forces(self, slip: Slip) -> TyreForces:
        return rolling_either_way(self._forward, slip)

    def _forward(self, slip: Slip) -> TyreForces:
        s = self._patch(slip)
        Fx0, Kx = self._along(s)
        side = self._across(s)
        Gy, SVyk = self._weight_across(s, side.mu)
        Fx, Fy = Fx0 * self._weight_along(s), side.Fy0 * Gy + SVyk
        Mz = self._aligning(s, side, Kx, Gy, Fx, Fy - SVyk, Fy)
        return TyreForces(Fx, Fy, self._overturning(s, Fy), self._rolling(s, Fx), Mz)

    def pure(self, slip: Slip) -> tuple[Any, Any]:
        """Fx0, Fy0: each with its own slip alone."""
        s = self._patch(slip)
        return self._along(s)[0], self._across(s).Fy0

    def stiffnesses(self, slip: Slip) -> tuple[Any, Any]:
        """Kx = ∂Fx/∂κ and Kya = ∂Fy/∂α at zero slip (4.E15, 4.E25); the second is negative."""
        s = self._patch(slip)
        return self._along(s)[1], self._across(s).K

    def _patch(self, slip: Slip) -> ContactPatch:
        c = self.c
        F0 = c.LFZO * c.FNOMIN
        dpi = 0 if slip.pressure is None or self.version == "5.2" else (slip.pressure - c.NOMPRES) / c.NOMPRES
        speed = c.LONGVL if slip.speed is None else slip.speed
        dfz = (slip.load - F0) / F0
        if slip.turn is not None and not self.has_turn_slip:
            raise ModelError(
                f"MagicFormula: turn slip needs the coefficients {', '.join(OF_TURN_SLIP)}, which are not zero"
            )
        turn = turn_factors(c, dfz, slip.kappa, slip.tan_alpha, slip.camber, slip.turn)
        return ContactPatch(slip.load, F0, dfz, dpi, slip.kappa, slip.tan_alpha, slip.camber, speed, turn)

    def _along(self, s: ContactPatch) -> tuple[Any, Any]:
        """Fx0 (4.E9) and Kx (4.E15)."""
        c = self.c
        gamma = s.gamma * c.LGAX
        C = c.PCX1 * c.LCX
        mu = (c.PDX1 + c.PDX2 * s.dfz) * (1 + c.PPX3 * s.dpi + c.PPX4 * s.dpi**2) * (1 - c.PDX3 * gamma**2) * c.LMUX
        D = mu * s.Fz * s.turn.along
        K = s.Fz * (c.PKX1 + c.PKX2 * s.dfz) * sb.exp(c.PKX3 * s.dfz) * (1 + c.PPX1 * s.dpi + c.PPX2 * s.dpi**2) * c.LKX
        SV = s.Fz * (c.PVX1 + c.PVX2 * s.dfz) * c.LVX * c.LMUX * s.turn.along
        x = s.kappa + (c.PHX1 + c.PHX2 * s.dfz) * c.LHX
        E = (c.PEX1 + c.PEX2 * s.dfz + c.PEX3 * s.dfz**2) * (1 - c.PEX4 * self.kinks.sign(x)) * c.LEX
        return curve(K / (C * D + REGULARISATION), C, D, sb.minimum(E, 1), x) + SV, K

    def _across(self, s: ContactPatch) -> Lateral:
        """Fy0 (4.E19) and its terms."""
        c = self.c
        g = sb.sin(s.gamma * c.LGAY)
        K = self._cornering(s, g)
        SVg = s.Fz * (c.PVY3 + c.PVY4 * s.dfz) * g * c.LKYC * c.LMUY * s.turn.peak
        SH = (c.PHY1 + c.PHY2 * s.dfz) * c.LHY + self._camber_shift(s, g, K, SVg)
        SV = s.Fz * (c.PVY1 + c.PVY2 * s.dfz) * c.LVY * c.LMUY * s.turn.peak + SVg
        mu = (c.PDY1 + c.PDY2 * s.dfz) * (1 + c.PPY3 * s.dpi + c.PPY4 * s.dpi**2) * (1 - c.PDY3 * g**2) * c.LMUY
        C, D, x = c.PCY1 * c.LCY, mu * s.Fz * s.turn.peak, s.a + SH
        E = (c.PEY1 + c.PEY2 * s.dfz) * (1 + c.PEY5 * g**2 - (c.PEY3 + c.PEY4 * g) * self.kinks.sign(x)) * c.LEY
        B = K / (C * D + REGULARISATION * _sign_of(c.PDY1))
        return Lateral(curve(B, C, D, sb.minimum(E, 1), x) + SV, mu, K, SH, SV, B * C)

    def _cornering(self, s: ContactPatch, g: Any) -> Any:
        """Kya (4.E25)."""
        c = self.c
        shape, peak = (c.PKY4, c.PKY2 + c.PKY5 * g**2) if self.version == "6.1" else (2, c.PKY2)
        rise = sb.atan(s.Fz / s.F0 / (peak * (1 + c.PPY2 * s.dpi)))
        K = c.PKY1 * s.F0 * (1 + c.PPY1 * s.dpi) * (1 - c.PKY3 * self.kinks.size(g)) * sb.sin(shape * rise) * c.LKY
        return K * s.turn.stiffness

    def _camber_shift(self, s: ContactPatch, g: Any, K: Any, SVg: Any) -> Any:
        """SH of camber: by the camber stiffness Kyg0 (4.E27, 4.E30), in version 5.2 by PHY3."""
        c = self.c
        Kg = s.Fz * (c.PKY6 + c.PKY7 * s.dfz) * (1 + c.PPY5 * s.dpi) * c.LKYC
        if s.turn.spin is not None:
            shift = s.turn.shift(c, s.dfz, Kg, self._cornering(s, 0))
            return shift - SVg / (K + REGULARISATION * _sign_of(c.PKY1))
        if self.version == "5.2":
            return c.PHY3 * g * c.LKYC
        return (Kg * g - SVg) / (K + REGULARISATION * _sign_of(c.PKY1))

    def _weight_along(self, s: ContactPatch) -> Any:
        """Gxa (4.E51 to 4.E57)."""
        c = self.c
        g = sb.sin(s.gamma * c.LGAX)
        B = (c.RBX1 + c.RBX3 * g**2) * sb.cos(sb.atan(c.RBX2 * s.kappa)) * c.LXAL
        return weight(B, c.RCX1, sb.minimum(c.REX1 + c.REX2 * s.dfz, 1), s.a, c.RHX1)

    def _weight_across(self, s: ContactPatch, mu: Any) -> tuple[Any, Any]:
        """Gyk and the side force SVyk of longitudinal slip (4.E59 to 4.E67)."""
        c = self.c
        g = sb.sin(s.gamma * c.LGAY)
        B = (c.RBY1 + c.RBY4 * g**2) * sb.cos(sb.atan(c.RBY2 * (s.a - c.RBY3))) * c.LYKA
        G = weight(B, c.RCY1, sb.minimum(c.REY1 + c.REY2 * s.dfz, 1), s.kappa, c.RHY1 + c.RHY2 * s.dfz)
        D = mu * s.Fz * (c.RVY1 + c.RVY2 * s.dfz + c.RVY3 * g) * sb.cos(sb.atan(c.RVY4 * s.a))
        return G, D * sb.sin(c.RVY5 * sb.atan(c.RVY6 * s.kappa)) * c.LVYKA

    # ------------------------------------------------------------------------------------------ moments

    def _aligning(self, s: ContactPatch, side: Lateral, Kx: Any, Gy: Any, Fx: Any, Fy_slip: Any, Fy: Any) -> Any:
        """Mz = -t Fy' + Mzr + s Fx (4.E71 to 4.E76). Fy' is the side force without that of longitudinal slip; in
        version 6.1 also without camber."""
        c = self.c
        gamma = s.gamma * c.LGAZ
        ratio = (Kx / (side.K + REGULARISATION * _sign_of(c.PKY1)) * s.kappa) ** 2  # (4.E77, 4.E78)
        trail = self._trail(s, gamma, ratio)
        upright = Fy_slip if self.version == "5.2" else Gy * self._across(replace(s, gamma=0, turn=UNTURNED)).Fy0
        arm = c.UNLOADED_RADIUS * (c.SSZ1 + c.SSZ2 * Fy / c.FNOMIN + (c.SSZ3 + c.SSZ4 * s.dfz) * gamma) * c.LS
        return -trail * upright + self._residual(s, side, gamma, ratio, Gy) + arm * Fx

    def _trail(self, s: ContactPatch, gamma: Any, ratio: Any) -> Any:
        """t (4.E73): Dt cos(Ct atan(..)) cos α'."""
        c = self.c
        g = sb.sin(gamma)
        x = s.a + c.QHZ1 + c.QHZ2 * s.dfz + (c.QHZ3 + c.QHZ4 * s.dfz) * g
        B = (c.QBZ1 + c.QBZ2 * s.dfz + c.QBZ3 * s.dfz**2) * (1 + c.QBZ4 * gamma + c.QBZ5 * self.kinks.size(gamma))
        B = B * c.LKY / c.LMUY
        D = (c.QDZ1 + c.QDZ2 * s.dfz) * (1 - c.PPZ1 * s.dpi) * (1 + c.QDZ3 * gamma + c.QDZ4 * gamma**2)
        D = D * s.Fz * c.UNLOADED_RADIUS / s.F0 * c.LTR * s.turn.trail
        E = (c.QEZ1 + c.QEZ2 * s.dfz + c.QEZ3 * s.dfz**2) * (
            1 + (c.QEZ4 + c.QEZ5 * g) * 2 / sb.pi * sb.atan(B * c.QCZ1 * x)
        )
        equivalent = self.kinks.resultant(x, ratio)
        return D * sb.cos(c.QCZ1 * _inner(B, sb.minimum(E, 1), equivalent)) * s.cos_alpha

    def _residual(self, s: ContactPatch, side: Lateral, gamma: Any, ratio: Any, Gy: Any) -> Any:
        """Mzr (4.E75)."""
        c = self.c
        g = sb.sin(gamma)
        x = s.a + side.SH + side.SV / (side.K + REGULARISATION * _sign_of(c.PKY1))
        B = (c.QBZ9 * c.LKY / c.LMUY + c.QBZ10 * side.BC) * s.turn.residual
        camber = (c.QDZ8 + c.QDZ9 * s.dfz) * (1 + c.PPZ2 * s.dpi) + (c.QDZ10 + c.QDZ11 * s.dfz) * self.kinks.size(g)
        lean = camber * g * c.LKZC * s.turn.own_camber
        D = s.Fz * c.UNLOADED_RADIUS * ((c.QDZ6 + c.QDZ7 * s.dfz) * c.LRES * s.turn.peak + lean)
        D, C = D * c.LMUY * sb.cos(s.a), sb.fraction(1, 1)
        if s.turn.spin is not None:
            moment, C = s.turn.moment(c, s, side.mu, Gy)
            D = D + moment
        return D * sb.cos(C * sb.atan(B * self.kinks.resultant(x, ratio)))

    def _overturning(self, s: ContactPatch, Fy: Any) -> Any:
        """Mx (4.E69, as in the manual of MF-Tyre)."""
        c = self.c
        load, force, gamma = s.Fz / c.FNOMIN, Fy / c.FNOMIN, s.gamma
        bend = c.QSX4 * sb.cos(c.QSX5 * sb.atan((c.QSX6 * load) ** 2))
        turned = sb.sin(c.QSX7 * gamma + c.QSX8 * sb.atan(c.QSX9 * force))
        tilt = -c.QSX2 * gamma * (1 + c.PPMX1 * s.dpi) + c.QSX10 * sb.atan(c.QSX11 * load) * gamma
        carcass = c.QSX1 * c.LVMX + tilt + c.QSX3 * force + bend * turned
        size = self.kinks.size(gamma)
        more = Fy * (c.QSX13 + c.QSX14 * size) - s.Fz * c.QSX12 * gamma * size
        return c.UNLOADED_RADIUS * c.LMX * (s.Fz * carcass + more)

    def _rolling(self, s: ContactPatch, Fx: Any) -> Any:
        """My, which opposes rolling (4.E70; Besselink, Schmeitz and Pacejka 2010, A48)."""
        c = self.c
        v = s.speed / c.LONGVL
        law = c.QSY1 + c.QSY2 * Fx / c.FNOMIN + c.QSY3 * v + c.QSY4 * v**4
        load = s.Fz / c.FNOMIN
        if self.version == "6.1":
            law = law + (c.QSY5 + c.QSY6 * load) * s.gamma**2
            load = load**c.QSY7 if c.QSY7 else 1
            law = law * ((1 + s.dpi) ** c.QSY8 if c.QSY8 else 1)
        return -c.UNLOADED_RADIUS * c.FNOMIN * c.LMY * law * load

    # ------------------------------------------------------------------------------------------ carcass

    @property
    def free_radius(self) -> Any:
        return self.c.UNLOADED_RADIUS

    def relaxation_lengths(self, slip: Slip) -> tuple[Any, Any]:
        """6.1: σ = K/C of slip and carcass stiffness (Besselink et al. 2010, 17 to 19). 5.2: by PTX, PTY."""
        c, s = self.c, self._patch(slip)
        if self.version == "5.2":
            size = self.kinks.size(s.gamma)
            along = s.Fz * (c.PTX1 + c.PTX2 * s.dfz) * sb.exp(-c.PTX3 * s.dfz) * c.LSGKP * c.UNLOADED_RADIUS / c.FNOMIN
            rise = sb.sin(2 * sb.atan(s.Fz / (c.PTY2 * s.F0))) if c.PTY2 else 0
            return along, c.PTY1 * rise * (1 - c.PKY3 * size) * c.UNLOADED_RADIUS * c.LFZO * c.LSGAL
        Kx, Ky = self.stiffnesses(slip)
        Cx = c.LONGITUDINAL_STIFFNESS * (1 + c.PCFX1 * s.dfz + c.PCFX2 * s.dfz**2) * (1 + c.PCFX3 * s.dpi)
        Cy = c.LATERAL_STIFFNESS * (1 + c.PCFY1 * s.dfz + c.PCFY2 * s.dfz**2) * (1 + c.PCFY3 * s.dpi)
        return Kx / Cx if c.LONGITUDINAL_STIFFNESS else 0, _sign_of(c.PKY1) * Ky / Cy if c.LATERAL_STIFFNESS else 0

    def load(self, deflection: Any, rate: Any) -> Any:
        """F0 (QFZ1 ρ/R + QFZ2 (ρ/R)²), or VERTICAL_STIFFNESS ρ where the file has no QFZ; with VERTICAL_DAMPING."""
        c = self.c
        spring = c.VERTICAL_STIFFNESS * deflection
        if c.QFZ1 or c.QFZ2:
            x = deflection / c.UNLOADED_RADIUS
            first = c.QFZ1 or sb.sqrt((c.VERTICAL_STIFFNESS * c.UNLOADED_RADIUS / c.FNOMIN) ** 2 - 4 * c.QFZ2)
            spring = c.FNOMIN * (first * x + c.QFZ2 * x * x)
        return spring + c.VERTICAL_DAMPING * rate

    def rolling_radius(self, deflection: Any, spin: Any) -> Any:
        """Re = RΩ - F0/Cz (DREFF atan(BREFF ρd) + FREFF ρd), ρd = ρ Cz/F0, RΩ = R (QRE0 + QV1 (R Ω/V0)²)."""
        c = self.c
        if not (c.VERTICAL_STIFFNESS and (c.DREFF or c.FREFF)):
            return super().rolling_radius(deflection, spin)
        unit = c.FNOMIN / c.VERTICAL_STIFFNESS
        d = deflection / unit
        grown = c.UNLOADED_RADIUS * (c.QRE0 + c.QV1 * (c.UNLOADED_RADIUS * spin / c.LONGVL) ** 2)
        return grown - unit * (c.DREFF * sb.atan(c.BREFF * d) + c.FREFF * d)


def _sign_of(x: Any) -> Any:
    """Sign of a numeric coefficient; a symbolic one is taken as positive."""
    return (1 if x >= 0 else -1) if isinstance(x, int | float) else sb.sign(x)


def _without_combined_slip(names: str) -> str:
    return f"there is no combined slip: {names} is missing or zero, so braking does not reduce side forces, nor side forces braking, and together they may exceed friction. {BOOK} is that of Pacejka's tyre"


def _refuse_unknown(coefficients: Mapping[str, Any]) -> None:
    """A coefficient that the formula does not have is misspelt more often than not, and would change nothing."""
    for name in coefficients:
        if name not in COEFFICIENTS and name not in SCALES and name not in BASIC:
            raise unknown("MagicFormula", "coefficient", name, sorted((*COEFFICIENTS, *SCALES, *BASIC)), ModelError)


@answered
def read_tyre(source: str | Path, *, side: str = "", smooth: float | None = None) -> Tyre:
    """A tyre from a `.tir` file, by its path or its text: Magic Formula 5.2 (PAC2002, FITTYP 5, 6, 21, 51) or 6.1
    (FITTYP 60, 61; of 62 what it shares with 6.1).

    Files without coefficients of combined slip are read with a warning: `tyre.has_combined_slip` is false.

    side     "left" or "right": where it is mounted. A file of the other side is seen in a mirror
    smooth   width over which the corners of the formula are rounded off, see `MagicFormula`
    """
    file: TirFile = source if isinstance(source, TirFile) else read_tir(source)
    if side not in ("", "left", "right"):
        raise unknown(f"tyre {file.name}", "side", side, ["left", "right"], ModelError)
    numbers = {**dict.fromkeys(COMBINED, 0.0), **TyreCoefficients(file.numbers)}
    tyre = MagicFormula(numbers, file.version, smooth)
    if not tyre.has_combined_slip:
        warnings.warn(f"{file.name}: {_without_combined_slip('RBX1, RCX1, RBY1 or RCY1')}", stacklevel=3)
    other = {side, file.side} == {"left", "right"}
    return tyre.mirrored() if other else tyre
