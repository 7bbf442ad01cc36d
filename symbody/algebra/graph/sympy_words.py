"""What SymPy's expressions have under another name: the words that people type first."""

from __future__ import annotations

from ...errors import shown


class OfSympy:
    """An attribute of SymPy's expressions that ours do not have: asking for it says how the same is written here.

    One descriptor for each name, not `__getattr__`: with that, Python looks up every attribute of every node the slow way.
    """

    def __init__(self, instead: str) -> None:
        self.instead = instead

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, node: object, owner: type) -> OfSympy:
        if node is None:
            return self
        raise AttributeError(f"the expression {shown(node, 40)} has no {self.name!r}: {self.instead}")
