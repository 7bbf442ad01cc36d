"""Quantities of a mechanism in terms of the variables that its equations have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...algebra.graph.graph import Expr, Symbol, made_symbol
from ...algebra.graph.walk import free_symbols, substitute_all
from ...argument_kinds import checked_flags
from ...errors import ModelError, SymbodyError
from ...later import later
from ..kinematics.unknown_positions import without_unknown_positions
from .equation_arguments import of_equations
from .undetermined_forces import Share, determined_parts, refuse_unknown_share, shared_multipliers

if TYPE_CHECKING:
    from .equations import Equations


@of_equations
@checked_flags(ModelError)
def in_own_terms(eq: Equations, things: list[Any], solved: bool = False, share: Share | None = None) -> list[Any]:
    """Expressions and matrices in the mechanism's speeds, u' and multipliers, in terms of those of these equations.

    solved   also substitute the solutions for u' and the multipliers, so that only the state remains; quantities that
             redundant constraints leave undetermined have no value
    share    "least norm", or {joint or constraint: stiffness}: how undetermined forces are distributed

    >>> m = sb.Model("skate")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=2)
    >>> name = m.constrain("slope", y - 2 * x)
    >>> eq = sb.minimal(sb.derive(m), independent=["x_dot"])
    >>> eq.u, eq.whole.u, sb.derivation.in_own_terms(eq, [y.dot])
    ((x_dot,), (x_dot, y_dot), [2*x_dot])
    >>> sb.derivation.in_own_symbols(eq, [sb.symbol("x", "variable")])[0] is x
    True
    >>> sb.derivation.composed(eq, {x: sb.symbol("s", "coordinate")})[y.dot]
    2*x_dot

    See also: `minimal`, `derivation.diagonalized`.
    """
    if share is not None:
        refuse_unknown_share(eq, share)
    things = in_own_symbols(eq, without_unknown_positions(eq.mechanism, things, "these quantities"))
    if eq.dependent:
        things = substitute_all(things, eq.dependent)
    unknowns = (*(u.dot for u in eq.u), *eq.lam)
    if solved and not set(unknowns).isdisjoint(free_symbols(things)):  # M of many bodies is not made for nothing
        things = determined_parts(eq, things) if share is None else things
        things = substitute_all(things, dict(zip(unknowns, _solutions(eq, share), strict=True)))
    return things


def _solutions(eq: Equations, share: Share | None) -> tuple[Expr, ...]:
    """u' and the multipliers."""
    found = (
        later("derivation.programs.forward_dynamics", "solutions_in_loops")(eq) if share is None or not eq.lam else None
    )
    if found is not None:
        return found
    lam = eq.multipliers if share is None else shared_multipliers(eq, share)
    return (*eq.udot.entries, *lam.entries)


@of_equations
def in_own_symbols(eq: Equations, things: list[Any]) -> list[Any]:
    """Expressions with symbols replaced by those of the equations with the same names. Names decide, because
    `symbols("x v")` without a kind are parameters.

    >>> x, v = sb.symbols("x v")
    >>> eq = sb.from_equations({x: v, v: -x})
    >>> sb.derivation.in_own_symbols(eq, [x])[0].kind
    'variable'

    See also: `derivation.in_own_terms`.
    """
    alike = {
        other: s
        for s in (*eq.q, *eq.u, *eq.z, *eq.r)
        for kind in ("parameter", "variable")
        if (other := made_symbol(s.name, kind)) is not None and other is not s and other not in eq.p
    }
    rates = {other.dot: s.dot for other, s in alike.items() if s in (*eq.z, *eq.r) and other.kind == "variable"}
    return substitute_all(things, {**alike, **rates}) if alike else things


@of_equations
def composed(eq: Equations, table: Mapping[Symbol, Expr]) -> dict[Symbol, Expr]:
    """`dependent` of equations after replacing symbols according to `table`.

    >>> m = sb.Model("skate")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=2)
    >>> name = m.constrain("slope", y - 2 * x)
    >>> eq = sb.minimal(sb.derive(m), independent=["x_dot"])
    >>> sb.derivation.composed(eq, {x: sb.symbol("s", "coordinate")})[y.dot]
    2*x_dot

    See also: `minimal`, `derivation.in_own_terms`.
    """
    before = substitute_all(list(eq.dependent.values()), table)
    return {**dict(zip(eq.dependent, before, strict=True)), **table}


@of_equations
def speed_index(eq: Equations, key: Any, where: str, error: type[SymbodyError] = ModelError) -> int:
    """The index of a speed, by its name or symbol or by the coordinate whose rate it is.

    where, error   the calling function, and the error class for a key that is not a speed

    >>> m = sb.Model("cart")
    >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2))
    >>> sb.derivation.speed_index(sb.derive(m), "x", "example")
    0

    See also: `Equations`, `derivation.Variables`.
    """
    speeds = {u: j for j, u in enumerate(eq.u)}
    by_rate = {
        q: speeds[e] for q, e in zip(eq.q, eq.rates.entries, strict=True) if isinstance(e, Symbol) and e in speeds
    }
    places = {**by_rate, **speeds}
    return places[eq.variables.of("u q").only(places).symbol(key, where, error)]
