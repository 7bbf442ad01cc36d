"""One expression from text, outside of model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from ...algebra.graph.graph import PI, Expr, as_expr
from ...algebra.graph.node_table import nodes_made
from ...argument_kinds import answered
from ...errors import ExpressionTextError, existing, hint
from .expression_text import parsed_expression
from .values import MOST_NODES, kind, value_of


@answered
def read_expression(text: str, names: Mapping[str, Any]) -> Expr:
    """The expression that a text stands for, in the grammar of model files: a*b, a^2, sin(a), pi.

    names   the value of each name that the text may contain: expressions or numbers

    Nothing is given to Python to run. A syntax error, an unknown name and a value that cannot be computed are an
    `errors.ExpressionTextError`, which marks the place.

    >>> x = sb.symbol("x", "coordinate")
    >>> sb.bodies.read_expression("3*sin(x)^2 - l/2", {"x": x, "l": 4})
    3*sin(x)**2 - 2

    See also: `read_model`, `text`.
    """
    formula = parsed_expression(text)
    found = value_of(formula, _Names(text, {"pi": PI, **names}))
    if not isinstance(found, Expr):
        raise ExpressionTextError(f"expected a number, this is {kind(found)}", text, 0, len(text))
    return found


class _Names:
    """Names of one table; there are no bodies and no contacts."""

    def __init__(self, text: str, table: Mapping[str, Any]) -> None:
        self.text, self.table, self.most_nodes = text, table, nodes_made() + MOST_NODES

    def named(self, name: str, is_part: bool) -> Any:
        return as_expr(self.table[name])

    def quoted(self, name: str) -> NoReturn:
        raise ExpressionTextError(f"{name!r} is quoted: bodies and frames are not known here", self.text, 0)

    def contact(self, name: str) -> NoReturn:
        raise ExpressionTextError("contact(...) is for model files", self.text, 0)

    def missing(self, name: str) -> str:
        return f"there is no name {name!r}; {existing(self.table, 30)}.{hint(name, list(self.table))}"
