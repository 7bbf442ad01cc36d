"""Expressions of a whole model as text: which nodes get a name under `let`, and how each is written.

Nodes that are long and used more than once get a line of their own, as do linear solves and parts that would make a
line too long (and so nest too deep); everything else is written where it stands. Linear in the nodes of the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import Final

from ...algebra.graph.graph import Node, Symbol
from ...algebra.graph.walk import evaluation_order
from ...algebra.printing.printed_numbers import exact_digits
from ...algebra.printing.styles import Piece, Written, _ExactText
from ...errors import ModelError

WORTH_A_NAME: Final = 18  # characters, about, of a node that is used more than once
MOST_FACTORS: Final = 50  # of a product, that are looked at
WIDTH: Final = 150  # characters of a line, about; so nothing nests deep


class _ModelFileStyle(_ExactText):
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
    """Definitions under `let` for shared subexpressions, and the text of any expression in terms of them.

    Products are written by their factors, since a product with the same factors is one node whatever their grouping was
    when it was made first: a part of a product never stands for itself, unless the line would become too long.
    """

    def __init__(self, roots: Sequence[Node], taken: Iterable[str], label: Mapping[Node, str]) -> None:
        nodes = evaluation_order(list(dict.fromkeys(roots)))
        for n in nodes:
            if n.op == "call":
                raise ModelError(
                    f"the external function {n.data.name!r} cannot be written to a model file, which holds no code; "
                    "write it in expressions, or pickle the model"
                )
            if n.op == "const" and exact_digits(n.data).startswith(("0x", "-0x")):
                raise ModelError("an exact number of more than 2048 bits cannot be written to a model file")
        self._cut: set[Node] = set()
        own = _own_lines(nodes, _uses(nodes, roots), label, self._cut)
        self.names = _node_names(_in_order_of_mention(roots, self._cut), own, set(taken), label)

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
            fresh = {a for a in n.args if not self._is_by_name(n, a)} - seen
            seen |= fresh
            stack.extend(fresh)
        for n in sorted(seen, key=lambda n: n.serial):
            args = [self._name(a) if self._is_by_name(n, a) else pieces[a] for a in n.args]
            pieces[n] = STYLE.piece(n, args)
        return STYLE.done(pieces[top]).text

    def _name(self, n: Node) -> Piece:
        return STYLE.placed(n, STYLE.name(self.names[n]))

    def _is_by_name(self, parent: Node, n: Node) -> bool:
        return n in self.names and (n in self._cut or not _is_part(parent, n))


def _is_part(parent: Node, n: Node) -> bool:
    """Whether a node is a part of a larger product, the factors of which stand beside its own."""
    return parent.op == "mul" == n.op


def _uses(nodes: list[Node], roots: Iterable[Node]) -> Counter[Node]:
    """How often each node is written, every product by its factors."""
    wholes = {a for n in nodes for a in n.args if not _is_part(n, a)}.union(roots)
    factors: dict[Node, tuple[Node, ...]] = {}
    for n in nodes:
        if n.op == "mul":
            parts = (factors.get(a, (a,)) for a in n.args)
            factors[n] = tuple(chain.from_iterable(parts))[:MOST_FACTORS]
    return Counter(a for n in nodes if n in wholes for a in factors.get(n, n.args)) + Counter(roots)


def _in_order_of_mention(roots: Iterable[Node], cut: set[Node]) -> list[Node]:
    """Nodes, arguments before what uses them, otherwise as they are met: the same order whenever the same text is
    read."""
    out: dict[Node, None] = {}
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        n, is_done = stack.pop()
        if n in out:
            continue
        if is_done:
            out[n] = None
        else:
            stack += [(n, True), *((a, False) for a in reversed(_written_beside(n, cut)))]
    return list(out)


def _written_beside(n: Node, cut: set[Node]) -> list[Node]:
    """Arguments; of a product all its factors, in an order that does not depend on their grouping."""
    if n.op != "mul":
        return list(n.args)
    factors, stack = [], list(n.args)
    while stack:
        a = stack.pop()
        if _is_part(n, a) and a not in cut:
            stack.extend(a.args)
        else:
            factors.append(a)
    return sorted(factors, key=lambda a: a.key)


def _own_lines(nodes: list[Node], uses: Counter[Node], label: Mapping[Node, str], cut: set[Node]) -> set[Node]:
    """Nodes with a line of their own; those among them that are parts of products too long for one are in `cut`."""
    own: set[Node] = set()
    width: dict[Node, int] = {}

    def total(n: Node) -> int:
        return 4 + sum(6 if b in own and (b in cut or not _is_part(n, b)) else width[b] + 2 for b in n.args)

    for n in nodes:
        for a in sorted(dict.fromkeys(n.args), key=lambda a: -width[a]):
            if _may_be_named(a) and (a not in own or _is_part(n, a)) and total(n) > WIDTH:
                own.add(a)
                if _is_part(n, a):
                    cut.add(a)
        width[n] = total(n) if n.args else _leaf_width(n)
        if n.op == "solve" or (_may_be_named(n) and uses[n] > 1 and (width[n] >= WORTH_A_NAME or n in label)):
            own.add(n)
    return own


def _may_be_named(n: Node) -> bool:
    return bool(n.args) and n.op not in ("factor", "item", "neg", "lt", "le", "eq", "and", "or", "not")


def _leaf_width(n: Node) -> int:
    if isinstance(n, Symbol):
        return len(n.name)
    return len(exact_digits(n.data)) if n.op == "const" else 2


def _node_names(nodes: list[Node], own: set[Node], taken: set[str], label: Mapping[Node, str]) -> dict[Node, str]:
    out: dict[Node, str] = {}
    numbered = (f"z{k}" for k in count(1))
    for n in nodes:
        if n not in own:
            continue
        name = next(name for name in chain([label[n]] if n in label else [], numbered) if name not in taken)
        taken.add(name)
        out[n] = name
    return out
