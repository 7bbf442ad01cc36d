"""Loop closure: coordinates moved so that the holonomic constraints are satisfied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.evaluate import Evaluator
from ...algebra.calculus.rounding import rounding
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.nonlinear.nonlinear import Solution, System
from ...algebra.nonlinear.trust_region import Array
from ...errors import EvaluationError

if TYPE_CHECKING:
    from ..equations.equations import Equations

Values = dict[Any, float]


def closed_loops(
    eq: Equations, movable: Sequence[Symbol], values: Values, only: Sequence[int] | None = None
) -> tuple[Values, Solution]:
    """Values in which some symbols are moved so that phi and the norms of Euler parameters vanish, and the result of
    the solver.

    only   indices of the rows that are to vanish
    """
    kept = range(len(eq.rows.positions)) if only is None else only
    rows = [eq.rows.positions[i].expression for i in kept]
    return zeros_of(rows, movable, values, slopes_of_positions(eq, movable, kept))


def zeros_of(
    rows: Sequence[Expr], movable: Sequence[Symbol], values: Values, slopes: Sequence[Expr] | None = None
) -> tuple[Values, Solution]:
    """The same of any rows; `slopes` are their derivatives, row after row."""
    slopes = jacobian(rows, movable).entries if slopes is None else slopes

    def moved(x: Array) -> Values:
        return {**values, **dict(zip(movable, x.tolist(), strict=True))}

    filled = [k for k, e in enumerate(slopes) if e is not ZERO]
    both = Evaluator([*rows, *(slopes[k] for k in filled)], values, movable)
    shape = len(rows), len(movable)

    def rows_and_slopes(x: Array) -> tuple[Array, Array]:
        try:
            numbers = np.array(both(x.tolist()), dtype=np.float64)
        except (EvaluationError, OverflowError):
            return np.full(len(rows), np.nan), np.full(shape, np.nan)
        J = np.zeros(len(slopes))
        J[filled] = numbers[len(rows) :]
        return numbers[: len(rows)], J.reshape(shape)

    system = System(rows_and_slopes, np.ones(len(movable)), rounding=lambda x: np.array(rounding(rows, moved(x))))
    found = system.zero(np.array([values[s] for s in movable]))
    return moved(found.x), found


def slopes_of_positions(eq: Equations, movable: Sequence[Symbol], only: Sequence[int] | None = None) -> list[Expr]:
    """Derivatives of phi and of the norms of Euler parameters, row after row; of all of them, or of some."""
    rows = [row.expression for row in eq.rows.positions]
    known = {q: k for k, q in enumerate(eq.q)}
    kept = range(len(rows)) if only is None else only
    if any(s not in known for s in movable):
        slopes = eq.cached("slopes of positions", tuple(movable), lambda: jacobian(rows, movable))
        known = {s: k for k, s in enumerate(movable)}
    else:
        slopes = (
            eq.cached("slopes of positions", None, lambda: jacobian(rows, eq.q)) if rows else Matrix(0, len(known), ())
        )
    columns = [known[s] for s in movable]
    return [slopes.entries[i * slopes.cols + j] for i in kept for j in columns]
