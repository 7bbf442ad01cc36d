"""Expressions to first order about a point, or about a motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...argument_kinds import answered
from ...errors import ExpressionError, shown
from ..graph.graph import Symbol, as_expr
from ..graph.matrix import Matrix, sum_of_products
from ..graph.names import stem_and_order
from ..graph.walk import free_symbols, substitute
from .derivatives import derivative, jacobian


@answered
def linearized(thing: Any, about: Mapping[Symbol, Any], t: Symbol | None = None) -> Any:
    """An expression, matrix, vector, dyad or point, expanded to first order in some symbols about a point; other
    symbols are unchanged.

        e(x₀) + Σ ∂e/∂x(x₀) (x - x₀)       x₀: `about`, {q: 0, q.dot: V}, numbers or expressions without the symbols
                                           themselves

    For vectors and dyads only the components change, not their frames. Express them first in a frame that does not move
    with these symbols.

    t   the time: the values are then functions of it and determine the rates of all symbols, unless `about` gives the
        rates too (MBSymba's `linearize(expression, point, t)`)

    >>> x, y = sb.symbols("x y", "variable")
    >>> V, t = sb.symbols("V t")
    >>> sb.algebra.linearized(sb.sin(x) * y, {x: 0})
    x*y
    >>> sb.algebra.linearized(x.dot * sb.cos(y) + y.dot * sb.sin(y), {x: V * t, y: 0}, t)
    x_dot

    See also: `linearize`, `derivative`.
    """
    if not isinstance(about, Mapping) or any(not isinstance(s, Symbol) for s in about):
        raise ExpressionError(
            f"linearized: takes a mapping {{symbol: value}} of where to linearise, got {shown(about)}"
        )
    if t is not None:
        return linearized(thing, _with_rates(thing, about, t))
    if isinstance(thing, (list, tuple)):
        return type(thing)(linearized(e, about) for e in thing)
    if hasattr(thing, "component_matrices"):
        return thing.map(lambda m: linearized(m, about))
    if not isinstance(thing, Matrix):
        return linearized(Matrix(1, 1, (as_expr(thing),)), about)[0]
    changes = [s - as_expr(value) for s, value in about.items()]
    base, slopes = substitute(thing, about), substitute(jacobian(list(thing.entries), list(about)), about)
    entries = (e + sum_of_products(slopes.row(k), changes) for k, e in enumerate(base.entries))
    return Matrix(thing.rows, thing.cols, tuple(entries))


def _with_rates(thing: Any, about: Mapping[Symbol, Any], t: Symbol) -> dict[Symbol, Any]:
    """The values of a motion, and those of all rates that occur in the thing."""
    if not isinstance(t, Symbol):
        raise ExpressionError(f"linearized: t = {shown(t)}; the time is a symbol, such as m.time")
    found, occurring = dict(about), [stem_and_order(s.name) for s in free_symbols(thing)]
    for s, value in about.items():
        stem, order = stem_and_order(s.name)
        for _ in range(max((k for name, k in occurring if name == stem), default=0) - order):
            s, value = s.dot, derivative(as_expr(value), t)
            found.setdefault(s, value)
    return found
