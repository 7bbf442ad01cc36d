"""Nonholonomic constraints that can be integrated once they are linearised, as rolling straight ahead: x' + R θ' = 0
gives x + R θ = const."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import free_symbols, substitute
from ...algebra.normal_forms.tidy import tidy
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...errors import StabilityError, shown
from ..equilibria.steady_motion import SteadyMotion


@of_equations
def linear_integrals(eq: Equations, about: Any) -> dict[str, Expr]:
    """Integrals of linearised nonholonomic constraints, by the constraint's name: expressions of first order in the
    coordinates that stay constant near a motion (Lot and Da Lio 3.2).

        δ(Jc u + b) = Jc δu + ∂(Jc u + b)/∂q δq = 0     with δu = δq', constant Jc and nothing of δq:   Jc δq = const

    about   a steady motion, or values of coordinates and speeds by symbol or name; parameters may stay symbols

    Only single rows are examined, not combinations of them.

    >>> m = sb.Model("wheel")
    >>> x, a = m.coordinates("x a")
    >>> R = m.parameter("R", 0.5)
    >>> wheel = m.body("wheel", m.ground.translate(x, 0, 0).rotate("z", a), mass=1.0, inertia=(1, 1, 1))
    >>> rolling = m.constrain_speed("rolling", x.dot + R * a.dot)
    >>> sb.stability.linear_integrals(sb.derive(m), {})
    {'rolling': x + R*a}

    See also: `linearize`, `Model.constrain_speed`.
    """
    if isinstance(about, SteadyMotion):
        given: Mapping[Any, Any] = about.values
    elif isinstance(about, Mapping):
        given = about
    else:
        raise StabilityError(
            f"linear_integrals: about= must be a steady motion or a mapping of values, got {shown(about)}"
        )
    moving = set(eq.variables.of("q u").symbols)
    point = {s: v for s, v in eq.variables.resolved(given, "linear_integrals").items() if s in moving}
    rates = {u: q for q, u in zip(eq.q, eq.rates.entries, strict=True) if isinstance(u, Symbol)}
    out: dict[str, Expr] = {}
    for row in eq.rows.speeds[len(eq.phi.entries) :]:
        by_speed, by_place = (
            tidy(substitute(jacobian([row.expression], wrt), point)) if wrt else Matrix(1, 0, ())
            for wrt in (eq.u, eq.q)
        )
        used = [u for u, e in zip(eq.u, by_speed.entries, strict=True) if e is not ZERO]
        varies = any(s in moving or s is eq.t for s in free_symbols(by_speed))
        if any(e is not ZERO for e in by_place.entries) or varies or any(u not in rates for u in used):
            continue
        out[row.name] = sum_of_products(by_speed.entries, [rates.get(u, ZERO) for u in eq.u])
    return out
