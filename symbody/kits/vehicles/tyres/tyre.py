"""Tyres: forces and moments from slip, in the axes of the contact patch.

Axes and signs are those of ISO 8855 (W axes): x along the heading of the wheel in the road, z along the normal of the
road, y to the left.

    κ = -Vsx / |Vx|,   Vsx = Vx - Re Ω        positive when driving, Ω: spin about the wheel's y axis
    tan α = Vsy / |Vx|                        positive where the wheel drifts to the left: Fy < 0
    γ                                         positive where the wheel leans to the right: e_y · n = sin γ
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from math import pi
from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import ModelError, shown

QUARTER_TURN: Final = pi / 2


@dataclass(frozen=True, slots=True)
class Slip:
    """State of a contact patch.

    load        Fz, normal to the road
    kappa       longitudinal slip
    tan_alpha   tangent of the side slip angle
    camber      γ, an angle
    pressure    inflation, where it is not the nominal one
    speed       Vx, where it is not the speed at which the tyre was measured
    turn        turn slip ψ'/Vx [1/m], ψ' the rate about the normal of the road; none: forces of turning are omitted
    """

    load: Any
    kappa: Any = 0
    tan_alpha: Any = 0
    camber: Any = 0
    pressure: Any = None
    speed: Any = None
    turn: Any = None


@dataclass(frozen=True, slots=True)
class TyreForces:
    """Forces on the wheel at the contact point, and moments about it, along the axes of the contact patch."""

    Fx: Any
    Fy: Any
    Mx: Any
    My: Any
    Mz: Any


@answered_class
class Tyre(ABC):
    """A law of forces from slip, with the radius of the wheel and its law of load from deflection."""

    @property
    @abstractmethod
    def free_radius(self) -> Any:
        """Of the unloaded wheel."""

    @abstractmethod
    def forces(self, slip: Slip) -> TyreForces:
        """Forces and moments in steady slip."""

    @abstractmethod
    def relaxation_lengths(self, slip: Slip) -> tuple[Any, Any]:
        """Relaxation lengths σx, σy: σ u' + |Vx| u = σ V, with the slip u/σ. Zero: no lag."""

    @abstractmethod
    def load(self, deflection: Any, rate: Any) -> Any:
        """Normal force of a deflection and its rate; it may be negative, which the wheel on its road cuts off."""

    def rolling_radius(self, deflection: Any, spin: Any) -> Any:
        """Effective rolling radius Re = Vx/Ω of a wheel that rolls freely. Here R - d/3 (a belt that does not stretch,
        with a short contact)."""
        return self.free_radius - deflection / 3

    @property
    def has_turn_slip(self) -> bool:
        """Whether the law has forces and moments of turn slip."""
        return False

    def at(
        self, load: Any, kappa: Any = 0, alpha: Any = 0, camber: Any = 0, *, pressure: Any = None, speed: Any = None, turn: Any = None
    ) -> TyreForces:  # fmt: skip
        """Forces at a load, a longitudinal slip, and angles of slip and camber in radians; numbers where all of these are.
        `turn` is the turn slip ψ'/Vx [1/m]. A slip angle of a quarter turn or more is refused."""
        angle = alpha + sb.fraction(0, 1)
        if not sb.free_symbols(angle) and abs(float(sb.evaluate(angle))) >= QUARTER_TURN:
            raise ModelError(
                f"tyre: a slip angle of {float(sb.evaluate(angle)):g} rad is a quarter turn or more; angles are in radians"
            )
        forces = self.forces(Slip(load, kappa, sb.tan(alpha), camber, pressure, speed, turn))
        return TyreForces(*(_number(getattr(forces, f.name)) for f in fields(forces)))

    def mirrored(self) -> Tyre:
        """The tyre as it is on the other side of a car: its conicity and ply steer are seen in a mirror."""
        return MirroredTyre(self)


def _number(value: Any) -> Any:
    """A number where an expression has no symbols."""
    return sb.evaluate(value, {}) if isinstance(value, sb.Expr) and not sb.free_symbols(value) else value


@answered_class
@dataclass(frozen=True, eq=False)
class MirroredTyre(Tyre):
    """A tyre seen in the plane of symmetry: Fx and My of (κ, -α, -γ), and the negatives of Fy, Mx, Mz."""

    tyre: Tyre

    @property
    def free_radius(self) -> Any:
        return self.tyre.free_radius

    def forces(self, slip: Slip) -> TyreForces:
        f = self.tyre.forces(_seen_in_a_mirror(slip))
        return TyreForces(f.Fx, -f.Fy, -f.Mx, f.My, -f.Mz)

    def relaxation_lengths(self, slip: Slip) -> tuple[Any, Any]:
        return self.tyre.relaxation_lengths(_seen_in_a_mirror(slip))

    def load(self, deflection: Any, rate: Any) -> Any:
        return self.tyre.load(deflection, rate)

    def rolling_radius(self, deflection: Any, spin: Any) -> Any:
        return self.tyre.rolling_radius(deflection, spin)

    @property
    def has_turn_slip(self) -> bool:
        return self.tyre.has_turn_slip

    def mirrored(self) -> Tyre:
        return self.tyre


@answered_class
@dataclass(frozen=True, eq=False)
class TyrePair(Tyre):
    """Both tyres of an axle of a single-track model: each has half the load; the right one is the left one in a mirror,
    so that conicity and ply steer cancel."""

    tyre: Tyre

    @property
    def free_radius(self) -> Any:
        return self.tyre.free_radius

    def forces(self, slip: Slip) -> TyreForces:
        half = replace(slip, load=slip.load / 2)
        left, right = self.tyre.forces(half), self.tyre.mirrored().forces(half)
        return TyreForces(*(getattr(left, k) + getattr(right, k) for k in ("Fx", "Fy", "Mx", "My", "Mz")))

    def relaxation_lengths(self, slip: Slip) -> tuple[Any, Any]:
        return self.tyre.relaxation_lengths(replace(slip, load=slip.load / 2))

    def load(self, deflection: Any, rate: Any) -> Any:
        return 2 * self.tyre.load(deflection, rate)

    def rolling_radius(self, deflection: Any, spin: Any) -> Any:
        return self.tyre.rolling_radius(deflection, spin)


def rolling_either_way(forward: Callable[[Slip], TyreForces], slip: Slip) -> TyreForces:
    """Forces of a law for wheels that roll forward. Backward is what a wheel rolling forward does, turned by half a turn
    about the normal of the road. Without a speed the wheel rolls forward."""
    if slip.speed is None:
        return forward(slip)
    way = sb.where(slip.speed >= 0, 1, -1)
    turn = None if slip.turn is None else way * slip.turn
    f = forward(
        Slip(
            slip.load, way * slip.kappa, way * slip.tan_alpha, way * slip.camber, slip.pressure, way * slip.speed, turn
        )
    )
    return TyreForces(way * f.Fx, way * f.Fy, way * f.Mx, way * f.My, f.Mz)


def _seen_in_a_mirror(slip: Slip) -> Slip:
    turn = None if slip.turn is None else -slip.turn
    return replace(slip, tan_alpha=-slip.tan_alpha, camber=-slip.camber, turn=turn)


@dataclass(frozen=True, slots=True)
class Kinks:
    """sgn x and |x| as they are, or rounded off over a width.

    sgn x -> tanh(x/w),   |x| -> x tanh(x/w)

    so that beyond a few widths nothing changes (by less than 2 exp(-2|x|/w)).
    """

    width: float | None = None

    def sign(self, x: Any) -> Any:
        """sgn x, with sgn 0 = 1 if it is not rounded off."""
        return sb.where(x >= 0, 1, -1) if self.width is None else sb.tanh(x / self.width)

    def size(self, x: Any) -> Any:
        """|x|."""
        return x * self.sign(x)

    def resultant(self, x: Any, square: Any) -> Any:
        """sgn x · √(x² + y²) of a square y²; rounded off x √(1 + y²/(x² + w²)), which is x where y = 0."""
        if self.width is None:
            return self.sign(x) * sb.sqrt(x * x + square)
        return x * sb.sqrt(1 + square / (x * x + self.width**2))


def as_tyre(where: str, given: object) -> Tyre:
    """A tyre; everything else is refused."""
    if not isinstance(given, Tyre):
        raise ModelError(
            f"{where} must be a tyre, such as vh.BrushTyre(...) or vh.read_tyre('car.tir'), got {shown(given)}"
        )
    return given
