"""Labels: names for subexpressions, which printed sequences and generated code then use.

Nodes are shared by all expressions of a process, so labels are kept outside the graph by their owner: a mapping
from label to expression, owned by a model and its equations, or handed to `program`, `sequence` or `to_sympy`. Since
equal expressions are one node, a labelled expression that went through the same substitution as the others is found
again among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .graph import Expr, Node, as_expr
from .names import check_name
from .walk import substitute_all

Labels = Mapping[str, Any]  # label -> expression


def labels_by_node(labels: Labels | None) -> dict[Node, str]:
    """The label of each node; of several, the first. Symbols and constants have names of their own and keep them."""
    out: dict[Node, str] = {}
    for label, thing in (labels or {}).items():
        node = as_expr(thing)
        if node.op not in ("symbol", "const"):
            out.setdefault(node, check_name(label, "label"))
    return out


def substituted_labels(labels: Labels, table: Mapping[Any, Any]) -> dict[str, Expr]:
    """The labels of expressions in which the symbols of `table` were replaced."""
    return dict(zip(labels, substitute_all(list(labels.values()), table), strict=True))
