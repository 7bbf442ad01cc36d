"""Expressions to first order about a point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import ExpressionError, shown
from ..graph.graph import Symbol, as_expr
from ..graph.matrix import Matrix, sum_of_products
from ..graph.walk import substitute
from .derivatives import jacobian


def linearized(thing: Any, about: Mapping[Symbol, Any]) -> Any:
    """An expression, matrix, vector, dyad or point to first order in some symbols about a point; others are held as
    they are.

        e(x₀) + Σ ∂e/∂x(x₀) (x - x₀)       x₀: `about`, {q: 0, q.dot: V}, numbers or expressions without the symbols
                                           themselves

    Of vectors and dyads the components change, not the frames in which they are written: express them in a frame that
    does not move with these symbols first.

    >>> x, y = sb.symbols("x y")
    >>> sb.algebra.linearized(sb.sin(x) * y, {x: 0})
    x*y

    See also: `linearize`, `derivative`.
    """
    if not isinstance(about, Mapping) or any(not isinstance(s, Symbol) for s in about):
        raise ExpressionError(
            f"linearized: takes a mapping {{symbol: value}} of where to linearise, got {shown(about)}"
        )
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
