"""Expressions of a whole model as text: which nodes get a name under `let`, and how each is written.

Nodes that are long and used more than once get a line of their own, as do linear solves and parts that would make a line too long (and so nest
too deep); everything else is written where it stands. Linear in the nodes of the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain, count
from typing import Final

from ..algebra.graph import Node, Symbol
from ..algebra.styles import Piece, Written, _Text, digits
from ..algebra.walk import ordered
from ..errors import ModelError

WORTH_A_NAME: Final = 18  # characters, about, of a node that is used more than once
WIDTH: Final = 150  # characters of a line, about; so nothing nests deep


class _ModelFileStyle(_Text):
    """Text by the grammar of model files: solves are written with their matrix as rows."""

    def factors(self, kind: str, rows: list[list[str]]) -> Written:
        inner = f"[{', '.join('[' + ', '.join(r) + ']' for r in rows)}]"
        return Written(kind, head=inner)

    def solution(self, factors: Written, right: list[str], transposed: bool) -> Written:
        if transposed:
            raise ModelError(
                "a solve with a transposed matrix cannot be written to a model file; transpose the matrix itself"
            )
        return self.call("solve", [factors.head, f"[{', '.join(right)}]", factors.text])


STYLE: Final = _ModelFileStyle()


class Lines:
    """Definitions under `let` for shared subexpressions, and the text of any expression in terms of them."""

    def __init__(self, roots: Iterable[Node], taken: Iterable[str], label: Mapping[Node, str]) -> None:
        nodes = ordered(list(dict.fromkeys(roots)))
        for n in nodes:
            if n.op == "call":
                raise ModelError(f"the external function {n.data.name!r} cannot be written to a model file")
            if n.op == "const" and digits(n.data).startswith(("0x", "-0x")):
                raise ModelError("an exact number of more than 2048 bits cannot be written to a model file")
        uses = Counter(a for n in nodes for a in n.args) + Counter(roots)
        self.names = _named(nodes, _own_lines(nodes, uses, label), set(taken), label)

    @property
    def definitions(self) -> dict[str, str]:
        return {name: self._written(n) for n, name in self.names.items()}

    def text(self, n: Node) -> str:
        return self.names[n] if n in self.names else self._written(n)

    def _written(self, top: Node) -> str:
        pieces: dict[Node, Piece] = {}
        stack, seen = [top], {top}
        while stack:
            n = stack.pop()
            if n is top or n not in self.names:
                fresh = set(n.args) - seen
                seen |= fresh
                stack.extend(fresh)
        for n in sorted(seen, key=lambda n: n.serial):
            is_other = n is not top and n in self.names
            pieces[n] = STYLE.name(self.names[n]) if is_other else STYLE.piece(n, [pieces[a] for a in n.args])
        return STYLE.done(pieces[top]).text


def _own_lines(nodes: list[Node], uses: Counter[Node], label: Mapping[Node, str]) -> set[Node]:
    own: set[Node] = set()
    width: dict[Node, int] = {}
    for n in nodes:
        for a in sorted(set(n.args) - own, key=lambda a: (-width[a], a.serial)):
            total = 4 + sum(6 if b in own else width[b] + 2 for b in n.args)
            if _may_be_named(a) and total > WIDTH:
                own.add(a)
        width[n] = _leaf_width(n) if not n.args else 4 + sum(6 if a in own else width[a] + 2 for a in n.args)
        if n.op == "solve" or (_may_be_named(n) and uses[n] > 1 and (width[n] >= WORTH_A_NAME or n in label)):
            own.add(n)
    return own


def _may_be_named(n: Node) -> bool:
    return bool(n.args) and n.op not in ("factor", "item", "neg", "lt", "le", "eq", "and", "or", "not")


def _leaf_width(n: Node) -> int:
    if isinstance(n, Symbol):
        return len(n.name)
    return len(digits(n.data)) if n.op == "const" else 2


def _named(nodes: list[Node], own: set[Node], taken: set[str], label: Mapping[Node, str]) -> dict[Node, str]:
    out: dict[Node, str] = {}
    numbered = (f"z{k}" for k in count(1))
    for n in nodes:
        if n not in own:
            continue
        name = next(name for name in chain([label[n]] if n in label else [], numbered) if name not in taken)
        taken.add(name)
        out[n] = name
    return out
