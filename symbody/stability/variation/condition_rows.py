"""Rows that must vanish, by name: constraints on positions, speeds and accelerations."""

from __future__ import annotations

from dataclasses import dataclass

from ...algebra.graph.graph import Expr, as_expr
from ...algebra.graph.matrix import sum_of_products
from ...derivation.equations.equations import Equations


@dataclass(frozen=True)
class ConditionRow:
    """An expression that must vanish, with its name in messages.

    stage   the stage from which all its symbols are known: coordinates, speeds, accelerations, loads
    kind    balance (of forces), position (a constraint on coordinates), or empty
    wanted  the quantity and its prescribed value, if the expression is the difference of the two
    """

    name: str
    expression: Expr
    stage: str
    kind: str = ""
    wanted: tuple[Expr, Expr] | None = None


def position_rows(eq: Equations) -> list[ConditionRow]:
    """phi = 0, and the norms of Euler parameters."""
    constraints = [
        ConditionRow(f"constraint {row.name!r}", row.expression, "coordinates", "position") for row in eq.rows.holonomic
    ]
    return [*constraints, *(ConditionRow(row.name, row.expression, "coordinates", "position") for row in eq.rows.norms)]


def speed_rows(eq: Equations) -> list[ConditionRow]:
    """Jc u + b = 0."""
    return [ConditionRow(f"rate of constraint {row.name!r}", row.expression, "speeds") for row in eq.rows.speeds]


def acceleration_rows(eq: Equations) -> list[ConditionRow]:
    """Jc u' + c = 0."""
    dots = [as_expr(u.dot) for u in eq.u]
    return [
        ConditionRow(
            f"second rate of constraint {row.name!r}", sum_of_products(eq.Jc.row(k), dots) + eq.c[k], "accelerations"
        )
        for k, row in enumerate(eq.rows.speeds)
    ]
