"""Expressions on the command line, in the language of model files; names are those of some equations."""

from __future__ import annotations

from ..algebra.graph.graph import Expr
from ..bodies.file.expression_reader import read_expression
from ..derivation.equations.equations import Equations
from ..derivation.equations.named_quantities import named_quantities
from ..errors import ExpressionTextError, ModelError


def named_expression(eq: Equations, text: str, where: str) -> Expr:
    """The expression that a text stands for: names are variables, accelerations, multipliers, inputs, parameters,
    outputs, t and pi."""
    try:
        return read_expression(text, {"t": eq.t, **named_quantities(eq)})
    except ExpressionTextError as reason:
        raise ModelError(f"{where}: {reason}") from None
