"""Products of several factors, grouped so that what several of them have in common is computed once.

On the graph a product of several factors is one node, whatever the order in which it was written, and its grouping
there knows nothing of other products. Here products are taken apart, and the pair of factors that most of them contain
is multiplied first, again and again: greedy elimination of common subexpressions (Breuer, Generation of optimal code
for expressions via factorization, Comm. ACM 12, 1969).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import count
from operator import attrgetter
from typing import Any, Final, NamedTuple

from ...algebra.graph import TWO, Node, intern
from ...algebra.node_keys import pair_key
from ...algebra.walk import ordered

MOST_FACTORS: Final = 8
_key = attrgetter("key")


def with_shared_products(roots: Sequence[Node], labelled: Iterable[Node] = ()) -> dict[Node, Any]:
    """For each node that is needed what stands for it: the same operations on products that are grouped anew."""
    nodes = ordered(roots)
    products = _needed_products(nodes, {*roots, *labelled})
    grouped = _Grouping(products).products
    new: dict[Any, Any] = {}
    for n in nodes:
        if n in grouped:
            new[n] = _multiplied(grouped[n], new)
        elif all(a in new for a in n.args):
            args = tuple(new[a] for a in n.args)
            new[n] = n if args == n.args else intern(n.op, args, n.data)
    return new


def _needed_products(nodes: Sequence[Node], kept: set[Node]) -> dict[Node, Counter[Any]]:
    """The products that anything but a larger product needs, with their factors."""
    needed = set(kept)
    out: dict[Node, Counter[Any]] = {}
    for n in reversed(nodes):
        if _is_product(n) and n in needed:
            factors = _factors(n)
            if factors:
                out[n] = Counter(factors)
                needed.update(factors)
            else:
                needed.update(n.args)
        elif not _is_product(n):
            needed.update(n.args)
    return out


def _is_product(n: Node) -> bool:
    return n.op == "mul" or (n.op == "pow" and n.args[1].data in (2, 3))


def _factors(n: Node) -> list[Node]:
    """The factors of a product of products, squares and cubes; none where there are many."""
    stack, out = [n], []
    while stack:
        x = stack.pop()
        if not _is_product(x):
            out.append(x)
        elif x.op == "mul":
            stack += x.args
        else:
            stack += [x.args[0]] * x.args[1].data
        if len(stack) + len(out) > MOST_FACTORS:
            return []
    return out


class _Pair(NamedTuple):
    """Two factors that are multiplied first; a factor itself."""

    one: Any
    other: Any

    @property
    def key(self) -> int:
        return pair_key("mul", self.one, self.other)


def _multiplied(factors: Counter[Any], new: dict[Any, Any]) -> Any:
    """The product of factors, of which `new` has the nodes; pairs are made where they are met first."""
    values = sorted((_made(f, new) for f in factors.elements()), key=_key)
    out = values[0]
    for v in values[1:]:
        out = _times(out, v)
    return out


def _made(factor: Any, new: dict[Any, Any]) -> Any:
    waiting = [factor]
    while waiting:
        f = waiting[-1]
        missing = [a for a in f if a not in new] if isinstance(f, _Pair) and f not in new else []
        if missing:
            waiting += missing
            continue
        if f not in new:
            new[f] = _times(new[f.one], new[f.other])
        waiting.pop()
    return new[factor]


def _times(a: Any, b: Any) -> Any:
    if a is b:
        return intern("pow", (a, TWO))
    return intern("mul", (a, b) if a.key <= b.key else (b, a))


class _Grouping:
    """Products as multisets of factors, in which the most frequent pair becomes a factor until no pair is left in two
    of them."""

    def __init__(self, products: dict[Node, Counter[Any]]) -> None:
        self.products = products
        self.number = count()
        self.having: dict[_Pair, dict[Node, None]] = {}
        for n, factors in products.items():
            for pair in _pairs(factors):
                self.having.setdefault(pair, {})[n] = None
        self.queue = [self._entry(pair) for pair, having in self.having.items() if len(having) > 1]
        heapify(self.queue)
        while self.queue:
            frequency, *_, pair = heappop(self.queue)
            having = len(self.having[pair])
            if having == -frequency:
                self._join(pair)
            elif having > 1:
                heappush(self.queue, self._entry(pair))

    def _entry(self, pair: _Pair) -> tuple[Any, ...]:
        """Frequent pairs first; among them those of speeds and coordinates, so that parameters are left to be
        multiplied by each other."""
        one, other = sorted((pair.one.key, pair.other.key))
        return -len(self.having[pair]), -other, -one, next(self.number), pair

    def _join(self, pair: _Pair) -> None:
        changed: dict[_Pair, None] = {}
        for n in list(self.having[pair]):
            factors = self.products[n]
            for p in _pairs(factors):
                self.having[p].pop(n, None)
            times = factors[pair.one] // 2 if pair.one is pair.other else min(factors[pair.one], factors[pair.other])
            for f in pair:
                factors[f] -= times
            for f in {*pair}:
                if not factors[f]:
                    del factors[f]
            factors[pair] += times
            for p in _pairs(factors):
                self.having.setdefault(p, {})[n] = None
                changed[p] = None
        for p in changed:
            if len(self.having[p]) > 1:
                heappush(self.queue, self._entry(p))


def _pairs(factors: Counter[Any]) -> Iterator[_Pair]:
    different = sorted(factors, key=_key)
    for i, a in enumerate(different):
        if factors[a] > 1:
            yield _Pair(a, a)
        for b in different[i + 1 :]:
            yield _Pair(a, b)
