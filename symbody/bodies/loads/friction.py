"""Laws of dry friction: the force F of a slip v under a normal force N, as loads and for contacts.

    Coulomb   F = -μ(v) N sgn(v) - c v,    μ(v) = μk + (μs - μk) exp(-(v/vs)²)      (Stribeck's curve; μs = μk:
              Coulomb's law)
    LuGre     F = -N (σ0 z + σ1 z' + σ2 v),   z' = v - σ0 |v| / μ(v) z               (Canudas de Wit and others 1995)

As a load, sgn(v) is smoothed to tanh(v/v0). Exactly, with sticking and slipping as modes, friction acts in `Contacts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.functions import exp, tanh
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr
from ...algebra.graph.walk import free_symbols
from ...argument_kinds import answered_class
from ...errors import ModelError, finite_number, listed, shown


def _number(given: Any) -> float | None:
    """A coefficient that is a number; None if it depends on parameters, or is not given."""
    value = given.value if isinstance(given, Expr) else given
    return float(value) if isinstance(value, (int, float, Fraction)) else None


@answered_class
@dataclass(frozen=True)
class Coulomb:
    """Coulomb's law of dry friction between two surfaces.

    kinetic    μk, the coefficient of kinetic friction
    static     μs >= μk, the coefficient of static friction; μk by default
    stribeck   the speed vs over which μ falls from μs to μk; by default it falls at once
    viscous    c, a viscous force per slip speed, independent of the normal force

    >>> law = sb.Coulomb(0.2, static=0.3, stribeck=0.01)
    >>> law.kinetic, law.static
    (0.2, 0.3)

    See also: `LuGre`, `Friction`, `Contact`.
    """

    kinetic: Any
    static: Any = None
    stribeck: Any = None
    viscous: Any = 0

    def __post_init__(self) -> None:
        for name in ("kinetic", "static", "viscous"):
            value = _number(getattr(self, name))
            if value is not None and not finite_number(value, f"Coulomb({name}=)", ModelError) >= 0:
                raise ModelError(f"Coulomb: {name} = {shown(value)} must not be negative")
        kinetic, static = _number(self.kinetic), _number(self.static)
        if kinetic is not None and static is not None and static < kinetic:
            raise ModelError(f"Coulomb: static = {static:g} is less than kinetic = {kinetic:g}")
        if self.stribeck is not None and self.static is None:
            raise ModelError("Coulomb: stribeck= is the speed over which static falls to kinetic; give static= too")

    @property
    def sticking(self) -> Expr:
        """μs, the coefficient up to which the surfaces stick.

        >>> v, N = sb.symbols("v N")
        >>> law = sb.Coulomb(0.2, static=0.3, viscous=5)
        >>> law.sticking, law.coefficient(v), law.damping
        (0.3, 0.2, 5)
        >>> law.smooth_force(v, N, sb.fraction(1, 100))
        -5*v - 0.2*N*tanh(100*v)

        See also: `Friction`, `Model.friction`.
        """
        return as_expr(self.kinetic if self.static is None else self.static)

    def coefficient(self, v: Expr) -> Expr:
        """The friction coefficient μ(v) at a nonzero slip speed v."""
        if self.stribeck is None:
            return as_expr(self.kinetic)
        return as_expr(self.kinetic) + (self.sticking - as_expr(self.kinetic)) * exp(
            -((v / as_expr(self.stribeck)) ** 2)
        )

    @property
    def damping(self) -> Expr:
        """c, the viscous force per slip speed."""
        return as_expr(self.viscous)

    def smooth_force(self, v: Expr, normal: Expr, speed: Expr) -> Expr:
        """-μ(v) N tanh(v / v0) - c v."""
        return -self.coefficient(v) * normal * tanh(v / speed) - self.damping * v


@answered_class
@dataclass(frozen=True)
class LuGre:
    """The LuGre bristle model of friction: presliding, stick-slip and hysteresis with one internal state and without
    modes.

    kinetic, static, stribeck   of the curve μ(v), as in `Coulomb`
    stiffness, damping, viscous   σ0 (1/length), σ1, σ2 (1/speed), all per unit normal force

    >>> law = sb.LuGre(0.2, 0.3, 0.01, stiffness=1e5, damping=300)
    >>> law.stiffness
    100000.0

    See also: `Coulomb`, `Model.friction`.
    """

    kinetic: Any
    static: Any
    stribeck: Any
    stiffness: Any
    damping: Any = 0
    viscous: Any = 0

    def coefficient(self, v: Expr) -> Expr:
        """The friction coefficient μ(v) of steady slip: μk + (μs - μk) exp(-(v/vs)²).

        >>> v, z, N = sb.symbols("v z N")
        >>> law = sb.LuGre(0.2, 0.2, 0.01, stiffness=100, damping=3)
        >>> law.coefficient(v), law.rate(v, z), law.force(v, z, N)
        (0.2, v - 500*z*abs(v), -N*(100*z + 3*(v - 500*z*abs(v))))

        See also: `Model.friction`.
        """
        return Coulomb(self.kinetic, self.static, self.stribeck).coefficient(v)

    def rate(self, v: Expr, z: Expr) -> Expr:
        """The rate of the bristles' deflection z: z' = v - σ0 |v| z / μ(v)."""
        return v - as_expr(self.stiffness) * abs(v) / self.coefficient(v) * z

    def force(self, v: Expr, z: Expr, normal: Expr) -> Expr:
        """-N (σ0 z + σ1 z' + σ2 v)."""
        bent = as_expr(self.stiffness) * z + as_expr(self.damping) * self.rate(v, z)
        return -normal * (bent + as_expr(self.viscous) * v)


def forces_against(where: str, slip: Expr, force: Expr, coordinates: tuple[Symbol, ...]) -> Mapping[Symbol, Expr]:
    """Generalised forces of a force along a slip speed, F ∂v/∂q', by coordinate."""
    rates = {q: q.dot for q in coordinates if q.dot in set(free_symbols(slip))}
    if not rates:
        raise ModelError(f"{where}: the slip {shown(slip)} contains no rate of a coordinate, such as q.dot")
    slopes = jacobian([slip], list(rates.values()))
    if bad := [s for s in free_symbols(slopes) if s.kind == "speed"]:
        raise ModelError(f"{where}: the slip is not linear in rates, its coefficients contain {listed(bad)}")
    if others := [s for s in free_symbols(slip) if s.kind == "speed" and s not in rates.values()]:
        raise ModelError(f"{where}: the slip contains {listed(others)}; write it in rates q.dot of coordinates")
    return {q: force * a for q, a in zip(rates, slopes.entries, strict=True) if a is not ZERO}
