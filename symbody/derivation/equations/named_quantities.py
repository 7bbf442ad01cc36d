"""Names in some equations, with the expressions that they stand for."""

from __future__ import annotations

from typing import Any

from .equations import Equations
from .named_rows import output_rows
from .variable import ARGUMENTS


def named_quantities(eq: Equations) -> dict[str, Any]:
    """Everything that has a name; outputs before variables of the same name."""
    return eq.cached("names", (), lambda: _names(eq))


def _names(eq: Equations) -> dict[str, Any]:
    known: dict[str, Any] = {v.name: v.symbol for v in eq.variables.of(f"{ARGUMENTS} lam u' r' r''")}
    known |= {s.name: s for s in eq.dependent if s.kind == "input"}
    return known | output_rows(eq.outputs) | dict(eq.outputs)
