"""Tyres with few parameters: forces proportional to slip, and the brush model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import symbody as sb

from ....argument_kinds import answered_class
from ..data.checked_data import check_coefficients
from .tyre import Slip, Tyre, TyreForces


def _at(law: Any, load: Any) -> Any:
    """A quantity, or its value at this load where it is a function of the load."""
    return law(load) if isinstance(law, Callable) else law  # type: ignore[arg-type]


def lengths(relaxation: tuple[Any, Any]) -> dict[str, Any]:
    """Relaxation lengths by names for messages."""
    return {"relaxation[0]": relaxation[0], "relaxation[1]": relaxation[1]}


@answered_class
@dataclass(frozen=True, eq=False, kw_only=True)
class LinearTyre(Tyre):
    """Forces proportional to slip and camber.

        Fx = Ck κ,   Fy = -Ca tan α - Cg γ,   Mz = t Ca tan α + Cm γ,   Mx = -Co Fz γ

    Each may be a number, an expression, or a function of the load.

    cornering       Ca
    along           Ck
    camber          Cg
    trail           t, the pneumatic trail
    camber_moment   Cm
    overturning     Co, a length: the radius of the tread across, where the contact point is in the wheel plane
    relaxation      σx, σy
    """

    radius: Any
    cornering: Any
    along: Any = 0
    camber: Any = 0
    trail: Any = 0
    camber_moment: Any = 0
    overturning: Any = 0
    relaxation: tuple[Any, Any] = (0, 0)
    stiffness: Any = 2e5
    damping: Any = 0

    def __post_init__(self) -> None:
        check_coefficients(
            "LinearTyre", {"radius": self.radius, "stiffness": self.stiffness},
            {"cornering": self.cornering, "along": self.along, "damping": self.damping, **lengths(self.relaxation)},
        )  # fmt: skip

    @property
    def free_radius(self) -> Any:
        return self.radius

    def forces(self, slip: Slip) -> TyreForces:
        Fz = slip.load
        side = _at(self.cornering, Fz) * slip.tan_alpha
        Fy = -side - _at(self.camber, Fz) * slip.camber
        Mz = _at(self.trail, Fz) * side + _at(self.camber_moment, Fz) * slip.camber
        return TyreForces(_at(self.along, Fz) * slip.kappa, Fy, -self.overturning * Fz * slip.camber, 0, Mz)

    def relaxation_lengths(self, slip: Slip) -> tuple[Any, Any]:
        return _at(self.relaxation[0], slip.load), _at(self.relaxation[1], slip.load)

    def load(self, deflection: Any, rate: Any) -> Any:
        return self.stiffness * deflection + self.damping * rate


@answered_class
@dataclass(frozen=True, eq=False, kw_only=True)
class BrushTyre(Tyre):
    """Bristles on a contact of parabolic pressure that stick, then slide (Fromm; Fiala 1954; Pacejka 2012, 3.2).

        ψ = |(Ck κ, Ca tan α)| / (3 μ Fz)
        F = μ Fz (3 - 3ψ + ψ²) (Ck κ, -Ca tan α) / (3 μ Fz)     ψ < 1: a part of the contact sticks
        F = μ Fz along the slip                                 ψ ≥ 1: all of it slides
        Mz = -t Fy,   t = a (1 - ψ)³ / (3 - 3ψ + ψ²)            a: half the length of the contact; a/3 without slip

    F has two continuous derivatives where sliding begins. At zero slip its second derivatives jump (F contains |κ| κ):
    `smooth=w` takes √(ψ² + w²), with which the slopes at zero slip are smaller by the part w, and nothing else changes
    by more.

    cornering    Ca, along  Ck: numbers, expressions, or functions of the load
    friction     μ
    contact      a, half its length
    """

    radius: Any
    cornering: Any
    along: Any
    friction: Any
    contact: Any = 0
    relaxation: tuple[Any, Any] = (0, 0)
    stiffness: Any = 2e5
    damping: Any = 0
    smooth: float = 1e-12

    def __post_init__(self) -> None:
        positive = {
            "radius": self.radius,
            "cornering": self.cornering,
            "along": self.along,
            "friction": self.friction,
            "stiffness": self.stiffness,
        }
        rest = {"contact": self.contact, "damping": self.damping, "smooth": self.smooth}
        check_coefficients("BrushTyre", positive, {**rest, **lengths(self.relaxation)})

    @property
    def free_radius(self) -> Any:
        return self.radius

    def forces(self, slip: Slip) -> TyreForces:
        grip = self.friction * slip.load
        scale = 3 * sb.maximum(grip, 1e-9)  # a wheel in the air has no force, of whatever slip
        x = _at(self.along, slip.load) * slip.kappa / scale
        y = -_at(self.cornering, slip.load) * slip.tan_alpha / scale
        psi = sb.sqrt(x * x + y * y + self.smooth**2)
        share = 3 - 3 * psi + psi * psi
        force = grip * sb.where(psi < 1, share, 1 / psi)
        trail = self.contact * sb.where(psi < 1, (1 - psi) ** 3 / share, 0)
        return TyreForces(force * x, force * y, 0, 0, -trail * force * y)

    def relaxation_lengths(self, slip: Slip) -> tuple[Any, Any]:
        return _at(self.relaxation[0], slip.load), _at(self.relaxation[1], slip.load)

    def load(self, deflection: Any, rate: Any) -> Any:
        return self.stiffness * deflection + self.damping * rate
