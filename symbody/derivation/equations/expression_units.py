"""Units of expressions in the variables of some equations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...algebra.graph.graph import Expr, Symbol
from .equations import Equations


def expression_unit(eq: Equations, e: Expr, zeros: Iterable[Expr] = ()) -> str:
    """The SI unit of an expression, as far as it follows from those of the model; empty if it does not.

    zeros   expressions that vanish, from which units of symbols follow that the equations do not have
    """
    if unit := _unit_of_sum(eq, e):
        return unit
    inferred = next((v.inferred for v in eq.variables if v.inferred is not None), None)
    return "" if inferred is None else inferred.of_expression(e, zeros)


def columns_in_units_shown(eq: Equations, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a table for people, from columns in SI by name: what is shown in another unit is in that unit, and its
    head names it."""
    other = {v.name: v for v in eq.variables if v.factor != 1.0}
    return {
        f"{name} [{other[name].shown_in}]" if name in other else name: x / other[name].factor if name in other else x
        for name, x in columns.items()
    }


def _unit_of_sum(eq: Equations, e: Expr) -> str:
    """The unit shared by all terms of a sum, each a symbol or a multiple of one; empty otherwise."""
    units, waiting = set(), [e]
    while waiting:
        term = waiting.pop()
        if term.op in ("add", "sub", "neg"):
            waiting += term.args
        elif term.op in ("mul", "div") and sum(a.op == "const" for a in term.args) == 1:
            waiting += [a for a in term.args if a.op != "const"]
        elif isinstance(term, Symbol):
            units.add(eq.variables[term.name].unit if term.name in eq.variables else "")
        else:
            return ""
    return units.pop() if len(units) == 1 else ""
