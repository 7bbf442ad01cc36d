"""One expression from text, outside of model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from ...algebra.graph.graph import PI, Expr, as_expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.node_table import nodes_made
from ...argument_kinds import answered
from ...errors import ExpressionTextError, existing, hint
from .expression_text import parsed_expression
from .values import kind, value_of

MAX_NODES: Final = 10_000  # largest number of nodes that one expression may create


@answered
def read_expression(text: str, names: Mapping[str, Any]) -> Expr:
    """Parse a text in the grammar of model files (a*b, a^2, sin(a), pi) and return the expression.

    names   the value of each name that the text may contain: expressions or numbers

    The text is never executed as Python. A syntax error, an unknown name or a value that cannot be computed raises an
    `errors.ExpressionTextError`, which marks the position.

    >>> x = sb.symbol("x", "coordinate")
    >>> sb.bodies.read_expression("3*sin(x)^2 - l/2", {"x": x, "l": 4})
    3*sin(x)**2 - 2

    See also: `read_model`, `text`.
    """
    formula = parsed_expression(text)
    found = value_of(formula, _TableOfNames(text, {"pi": PI, **names}))
    if not isinstance(found, Expr):
        raise ExpressionTextError(f"{text} is {kind(found)}, not one number", text, 0, len(text))
    return found


class _TableOfNames:
    """Names of one table; there are no bodies and no contacts."""

    def __init__(self, text: str, table: Mapping[str, Any]) -> None:
        self.text, self.table, self.most_nodes = text, table, nodes_made() + MAX_NODES

    def named(self, name: str, is_part: bool) -> Any:
        value = self.table[name]
        return value if isinstance(value, (Expr, Matrix, tuple)) else as_expr(value)

    def quoted(self, name: str) -> NoReturn:
        raise ExpressionTextError(
            f"{name!r}: bodies and frames have no place here; write in variables and outputs", self.text, 0
        )

    def contact(self, name: str) -> NoReturn:
        raise ExpressionTextError(f"contact({name}) has no place here; write in variables and outputs", self.text, 0)

    def missing(self, name: str) -> str:
        return f"there is no {name!r}; {existing(self.table)}.{hint(name, list(self.table))}"
