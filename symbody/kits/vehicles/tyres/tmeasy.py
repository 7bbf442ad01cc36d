"""TMeasy: a tyre by the points through which its curves go (Rill; Rill and Castro, Road Vehicle Dynamics, 2020, ch. 3).

Slips are related to the speed at which the tread is transported, rD |Ω|:

    sx = κ / |1 + κ|,   sy = -tan α / |1 + κ|

Forces of the load q = Fz/FN go through their values at FN and 2 FN as parabolas that begin at zero, slips as lines:

    F(q) = q (2 F1 - F2/2 - (F1 - F2/2) q),      s(q) = s1 + (s2 - s1) (q - 1)

Both slips make a generalised one, on which both curves are alike:

    ŝx = sxM/(sxM + syM) + (FxM/dFx0)/(FxM/dFx0 + FyM/dFy0), likewise ŝy
    s cos φ = sx/ŝx,   s sin φ = sy/ŝy
    FM = √((FxM cos φ)² + (FyM sin φ)²), likewise FS, dF0 of (dFx0 ŝx, dFy0 ŝy), sM of (sxM/ŝx, syM/ŝy), sS
    Fx = F(s) cos φ,   Fy = F(s) sin φ

    s < sM    F = dF0 s / (1 + σ (σ + dF0 sM/FM - 2)),   σ = s/sM
    s < sS    F = FM - a (s - sM)²  up to s*,  F = FS + b (sS - s)²  beyond
              a = (FM/sM)²/(dF0 sM),   s* = sM + (FM - FS)/(a (sS - sM)),   b = a (s* - sM)/(sS - s*)
    else      F = FS

The first two meet at sM with equal curvature. Where s* is beyond sS, a cubic takes the place of both parabolas.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import ModelError
from ....summary import Summarized, Summary, summary_rows
from .tyre import Slip, Tyre, TyreForces, rolling_either_way

Pair = tuple[Any, Any]
MIN_TRANSPORT: Final = 1e-3  # smallest |1 + κ|; below it the tread slides with a force independent of the slip
MIN_SLIP: Final = 1e-12  # smallest generalised slip, which keeps its root differentiable
TINY: Final = 1e-12  # smallest denominator
CHECKED_LOADS: Final = 15  # number of loads at which given numbers are checked


@dataclass(frozen=True, slots=True)
class Direction:
    """What one direction has at a load; forces for a unit of q. The slip is that of the tread."""

    dF0: Any
    FM: Any
    sM: Any
    FS: Any
    sS: Any

    def normalised(self, unit: Any) -> Direction:
        """Over the slip s/ŝ."""
        return Direction(self.dF0 * unit, self.FM, self.sM / unit, self.FS, self.sS / unit)


@answered_class
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TMeasy(Summarized, Tyre):
    """A tyre by points of its curves: initial slope, largest force, sliding force, for a load and its double.

        Fx, Fy   from dF0 (slope at zero slip) over FM (largest, at the slip sM) to FS (sliding, from the slip sS on)
        Mz       = -n Fy,  n = L n0 (1 + (s/(s0 sE))² (a + s (b + c s))) of the slip |sy|: zero at s0 and from sE on
        L        = 2 √(R Fz/cz), the length of the contact
        Mx       = the load at the centre of its pressure over a flat tread of this `width`
        My       = -rolling R Fz

    Each of these is a pair, at the load `nominal` and at twice that load, of numbers or expressions:

    dFx0, FxM, sxM, FxS, sxS   along; slips are those of the tread, (rD Ω - Vx)/(rD |Ω|)
    dFy0, FyM, syM, FyS, syS   across; slips -Vy/(rD |Ω|)
    n0, sy0, syE               offset over length of contact at zero slip, slips where it is zero and from where on
                               it stays zero

    nominal     FN, the load of the first of each pair
    friction    that of the road by that of the measurement: scales FM, FS and all slips but not the slopes
    stiffness   cz, and damping, of the load
    carcass     cx, cy: relaxation lengths are dFx0/cx and dFy0/cy; (0, 0): no lag
    camber      part of Rill's camber force, a third of the side force of the slip L sin γ/(2 R)
    largest     loads beyond this multiple of `nominal` have its forces: parabolas of loads bend down far outside
    smooth      generalised slip below which Fx has the curve of pure longitudinal slip and Fy that of side slip, so
                that slopes at zero slip are dFx0 and dFy0, from whatever side. Without it both depend on the direction
                of a slip however small, since dFx0 ŝx is not dFy0 ŝy. Pure slips do not change; combined ones by the
                part (smooth/s)² of the difference of both curves

    Example:
        >>> tyre = vh.TMeasy(
        ...     radius=0.32, nominal=3000.0, stiffness=2e5, dFx0=(9e4, 1.7e5), FxM=(3300, 6500), sxM=(0.11, 0.12),
        ...     FxS=(3000, 6000), sxS=(0.4, 0.5), dFy0=(5.5e4, 8e4), FyM=(3100, 5600), syM=(0.18, 0.2),
        ...     FyS=(3000, 5400), syS=(0.6, 0.8), n0=(0.178, 0.19), sy0=(0.2, 0.22), syE=(0.6, 0.8),
        ... )
        >>> round(float(tyre.at(3000.0, alpha=np.arctan(0.18)).Fy), 6)  # the largest, at its slip
        -3100.0

    See also: `BrushTyre`, `MagicFormula`.
    """

    radius: Any
    nominal: Any
    stiffness: Any
    dFx0: Pair
    FxM: Pair
    sxM: Pair
    FxS: Pair
    sxS: Pair
    dFy0: Pair
    FyM: Pair
    syM: Pair
    FyS: Pair
    syS: Pair
    n0: Pair = (0, 0)
    sy0: Pair = (0.2, 0.2)
    syE: Pair = (0.6, 0.6)
    friction: Any = 1.0
    damping: Any = 0
    carcass: Pair = (0, 0)
    camber: Any = 1.0
    width: Any = 0
    rolling: Any = 0
    largest: float = 3.5
    smooth: float = 1e-3

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if f.type == "Pair" and not (isinstance(value, tuple | list) and len(value) == 2):
                raise ModelError(
                    f"TMeasy: {f.name}= must be a pair, at the load nominal={self.nominal} and at twice that load; got {value!r}"
                )
        for axis in "xy":
            for q in (self.largest * k / CHECKED_LOADS for k in range(CHECKED_LOADS + 1)):
                self._refuse_nonsense(axis, q)
            for k, times in enumerate(("", "twice ")):
                self._refuse_flat_slopes(axis, k, times)

    def _summary(self) -> Summary:
        rows = summary_rows(
            along=f"dFx0 = {self.dFx0[0]}, FxM = {self.FxM[0]} at {self.sxM[0]}, FxS = {self.FxS[0]} from {self.sxS[0]}",
            across=f"dFy0 = {self.dFy0[0]}, FyM = {self.FyM[0]} at {self.syM[0]}, FyS = {self.FyS[0]} from {self.syS[0]}",
        )
        return Summary(f"TMeasy, radius {self.radius}, nominal load {self.nominal}", rows)

    def with_friction(self, friction: Any) -> TMeasy:
        """The same tyre on a road with this part of the friction on which it was measured."""
        return replace(self, friction=friction)

    @property
    def free_radius(self) -> Any:
        return self.radius

    def forces(self, slip: Slip) -> TyreForces:
        return rolling_either_way(self._forward, slip)

    def relaxation_lengths(self, slip: Slip) -> tuple[Any, Any]:
        """dF0/c of the load: that of small slips. Rill's, of forces that lag, is F/(s c)."""
        q = self._load_share(slip.load)
        slopes = (self._force(self.dFx0, q) * q, self._force(self.dFy0, q) * q)
        lengths = [0 if c == 0 else slope / c for slope, c in zip(slopes, self.carcass, strict=True)]
        return lengths[0], lengths[1]

    def load(self, deflection: Any, rate: Any) -> Any:
        return self.stiffness * deflection + self.damping * rate

    # ------------------------------------------------------------------------------------------ forces

    def _forward(self, slip: Slip) -> TyreForces:
        q = self._load_share(slip.load)
        x, y = self._direction("x", q), self._direction("y", q)
        reach = (x.FM / x.dF0, y.FM / y.dF0)
        unit_x = x.sM / (x.sM + y.sM) + reach[0] / (reach[0] + reach[1])
        unit_y = y.sM / (x.sM + y.sM) + reach[1] / (reach[0] + reach[1])
        turned = 1 + slip.kappa
        transport = sb.maximum(turned * sb.where(turned >= 0, 1, -1), MIN_TRANSPORT)
        sy = -slip.tan_alpha / transport
        nx, ny = slip.kappa / transport / unit_x, sy / unit_y
        s2, w2 = nx * nx + ny * ny, self.smooth**2
        s = sb.sqrt(s2 + MIN_SLIP**2)
        curves = x.normalised(unit_x), y.normalised(unit_y)
        fx = secant(*curves, (nx * nx + w2) / (s2 + w2), ny * ny / (s2 + w2), s)
        fy = secant(*curves, nx * nx / (s2 + w2), (ny * ny + w2) / (s2 + w2), s)
        length = 2 * sb.sqrt(self.radius * sb.maximum(slip.load, TINY) / self.stiffness)
        leaning = -self.camber * length * sb.sin(slip.camber) / (6 * self.radius)  # a third of half the length
        side = q * fy * ny
        Mz = -length * self._offset(sy, q) * side
        My = -self.rolling * self.radius * slip.load
        return TyreForces(q * fx * nx, side + q * fy / unit_y * leaning, self._overturning(slip), My, Mz)

    def _offset(self, sy: Any, q: Any) -> Any:
        """n/L, even in the slip; a polynomial with zero slopes at zero and at sE."""
        n0, s0, sE = (self._slip(pair, q) for pair in (self.n0, self.sy0, self.syE))
        s0, sE = s0 * self.friction, sE * self.friction
        s = sy * sb.where(sy >= 0, 1, -1)
        a = -(2 * s0**2 + (s0 + sE) ** 2)
        b = 2 * (s0 + sE) ** 2 / sE
        c = -(2 * s0 + sE) / sE
        return n0 * sb.where(s < sE, 1 + (s / (s0 * sE)) ** 2 * (a + s * (b + s * c)), 0)

    def _overturning(self, slip: Slip) -> Any:
        """Of a flat tread: the load acts at b² tan γ/(12 d) while both edges touch, at b/2 - w/3 of the part w that does."""
        if isinstance(self.width, int | float) and self.width == 0:
            return 0
        b, sunk, t = self.width, sb.maximum(slip.load, TINY) / self.stiffness, sb.tan(slip.camber)
        side = sb.where(t >= 0, 1, -1)
        steep = side * t
        touching = sb.sqrt(2 * b * sunk / sb.maximum(steep, TINY))
        place = sb.where(b * steep <= 2 * sunk, b * b * t / (12 * sunk), side * (b / 2 - touching / 3))
        return -slip.load * place

    # ------------------------------------------------------------------------------------------ of the load

    def _load_share(self, load: Any) -> Any:
        return sb.minimum(load / self.nominal, self.largest)

    @staticmethod
    def _force(pair: Pair, q: Any) -> Any:
        """By q, which is kept apart: a wheel without load has curves too, and no force."""
        return 2 * pair[0] - pair[1] / 2 - (pair[0] - pair[1] / 2) * q

    @staticmethod
    def _slip(pair: Pair, q: Any) -> Any:
        return pair[0] + (pair[1] - pair[0]) * (q - 1)

    def _direction(self, axis: str, q: Any) -> Direction:
        mu = self.friction
        forces = [self._force(getattr(self, k), q) for k in (f"dF{axis}0", f"F{axis}M", f"F{axis}S")]
        slips = [self._slip(getattr(self, k), q) * mu for k in (f"s{axis}M", f"s{axis}S")]
        return Direction(forces[0], forces[1] * mu, slips[0], forces[2] * mu, slips[1])

    def _refuse_nonsense(self, axis: str, q: float) -> None:
        found = self._direction(axis, q)
        names = {"dF0": f"dF{axis}0", "FM": f"F{axis}M", "sM": f"s{axis}M", "FS": f"F{axis}S", "sS": f"s{axis}S"}
        at = {k: getattr(found, k) for k in names if isinstance(getattr(found, k), int | float)}
        where = f"at {q:z.3g} times the nominal load {self.nominal}"
        for k, value in at.items():
            if value <= 0:
                raise ModelError(
                    f"TMeasy: {names[k]}={getattr(self, names[k])} is not positive {where}; give another pair, or largest= below that"
                )
        if {"sM", "sS"} <= at.keys() and at["sM"] >= at["sS"]:
            raise ModelError(
                f"TMeasy: {where} sliding begins at {names['sS']} = {at['sS']:z.4g}, before the largest force at {names['sM']} = "
                f"{at['sM']:z.4g}; give a larger {names['sS']}="
            )
        if {"FM", "FS"} <= at.keys() and at["FS"] > at["FM"]:
            raise ModelError(
                f"TMeasy: {where} the force of sliding {names['FS']} is {at['FS'] / at['FM']:z.4g} of the largest, {names['FM']}; "
                f"give a smaller {names['FS']}="
            )

    def _refuse_flat_slopes(self, axis: str, k: int, times: str) -> None:
        dF0, FM, sM = (getattr(self, name)[k] for name in (f"dF{axis}0", f"F{axis}M", f"s{axis}M"))
        if all(isinstance(value, int | float) for value in (dF0, FM, sM)) and dF0 * sM < 2 * FM:
            raise ModelError(
                f"TMeasy: at {times}the nominal load {self.nominal} the slope dF{axis}0 = {dF0} is below 2 FM/sM = {2 * FM / sM:z.5g}: the "
                f"curve would be steeper further out; give a larger dF{axis}0=, or s{axis}M= from {2 * FM / dF0:z.4g} on"
            )


def secant(x: Direction, y: Direction, along: Any, across: Any, s: Any) -> Any:
    """F(s)/s of a generalised slip in a direction with the squares of cos φ and sin φ."""
    dF0, FM, sM, FS, sS = (
        sb.sqrt(getattr(x, f.name) ** 2 * along + getattr(y, f.name) ** 2 * across) for f in fields(Direction)
    )
    part = s / sM
    sticking = dF0 / (1 + part * (part + dF0 * sM / FM - 2))
    a = FM**2 / (sM**3 * dF0)
    star = sM + (FM - FS) / (a * (sS - sM))
    b = a * (star - sM) / sb.maximum(sS - star, TINY)
    parabolas = sb.where(s < star, FM - a * (s - sM) ** 2, FS + b * (sS - s) ** 2)
    n = (s - sM) / (sS - sM)
    falling = sb.where(star < sS, parabolas, FM - (FM - FS) * n * n * (3 - 2 * n))
    return sb.where(s < sM, sticking, sb.where(s < sS, falling, FS) / s)
