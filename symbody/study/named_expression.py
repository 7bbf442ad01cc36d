"""Expressions on the command line, in the language of model files; names are those of some equations."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, Final

from ..algebra.graph.graph import PI, Expr
from ..algebra.graph.node_table import nodes_made
from ..bodies.file.expression_text import parsed_expression
from ..bodies.file.values import kind, value_of
from ..bodies.frames.points import Point
from ..derivation.equations.equations import Equations
from ..derivation.equations.named_quantities import named_quantities
from ..errors import ExpressionTextError, ModelError, existing

MAX_NODES: Final = 10_000  # largest number of nodes that one expression may create


def named_expression(eq: Equations, text: str, where: str) -> Expr:
    """The expression that a text stands for: names are variables, accelerations, multipliers, inputs, parameters,
    outputs, t and pi."""
    try:
        found = value_of(parsed_expression(text), _NamesOfEquations(eq))
    except ExpressionTextError as reason:
        raise ModelError(f"{where}: {reason}") from None
    if not isinstance(found, Expr):
        raise ModelError(f"{where}: {text} is {kind(found)}, not one number")
    return found


class _NamesOfEquations:
    """The scope of some equations; bodies and points have no names here."""

    def __init__(self, eq: Equations) -> None:
        self.known: dict[str, Any] = {"t": eq.t, "pi": PI, **named_quantities(eq)}
        self.most_nodes = nodes_made() + MAX_NODES

    def named(self, name: str, is_part: bool) -> Any:
        return self.known[name]

    def quoted(self, name: str) -> Any:
        raise ModelError(f"{name!r}: bodies and frames have no place here; write in variables and outputs")

    def contact(self, name: str) -> Point:
        raise ModelError(f"contact({name}) has no place here; write in variables and outputs")

    def missing(self, name: str) -> str:
        near = get_close_matches(name, self.known, 1)
        return f"there is no {name!r}; " + (f"did you mean {near[0]!r}?" if near else f"{existing(self.known)}")
