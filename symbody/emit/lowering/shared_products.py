"""Products of several factors, grouped so that what several of them have in common is computed once.

On the graph a product of several factors is one node, whatever the order in which it was written, and its grouping
there knows nothing of other products. Here products are taken apart, and the pair of factors that most of them contain
is multiplied first, again and again: greedy elimination of common subexpressions (Breuer, Generation of optimal code
for expressions via factorization, Comm. ACM 12, 1969).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import count
from operator import attrgetter
from typing import Any, Final

from ...algebra.graph.graph import TWO, Node, intern
from ...algebra.graph.node_keys import pair_key

MOST_FACTORS: Final = 8
_key = attrgetter("key")
Factors = dict[Any, int]  # each with how many times it stands in a product


def with_shared_products(nodes: Sequence[Node], kept: set[Node]) -> dict[Node, Any]:
    """A replacement for each required node of an order of evaluation: the same operations, with products regrouped. Nothing
    where there are no products.

    kept   nodes that are needed themselves
    """
    products = _needed_products(nodes, kept) if any(map(_is_product, nodes)) else {}
    if not products:
        return {}
    grouped = _Grouping(products).products
    new: dict[Any, Any] = {}
    for n in nodes:
        if n in grouped:
            new[n] = _product_of(grouped[n], new)
            continue
        try:
            args = tuple([new[a] for a in n.args])
        except KeyError:  # a part of products that are grouped otherwise
            continue
        new[n] = n if args == n.args else intern(n.op, args, n.data)
    return new


def _needed_products(nodes: Sequence[Node], kept: set[Node]) -> dict[Node, Factors]:
    """The products that anything but a larger product needs, with their factors."""
    needed = set(kept)
    out: dict[Node, Factors] = {}
    for n in reversed(nodes):
        if not _is_product(n):
            needed.update(n.args)
        elif n in needed:
            factors = _factors(n)
            if factors:
                counted = out[n] = Factors()
                for f in factors:
                    counted[f] = counted.get(f, 0) + 1
                needed.update(factors)
            else:
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


class _Pair:
    """Two factors that are multiplied first; a factor itself. Each pair is one object."""

    __slots__ = ("key", "one", "other")

    def __init__(self, one: Any, other: Any) -> None:
        self.one, self.other, self.key = one, other, pair_key("mul", one, other)


def _product_of(factors: Factors, new: dict[Any, Any]) -> Any:
    """The product of factors, of which `new` has the nodes; pairs are made where they are met first."""
    values = sorted([_node_of(f, new) for f, times in factors.items() for _ in range(times)], key=_key)
    out = values[0]
    for v in values[1:]:
        out = _times(out, v)
    return out


def _node_of(factor: Any, new: dict[Any, Any]) -> Any:
    if factor in new:
        return new[factor]
    waiting = [factor]
    while waiting:
        f = waiting[-1]
        missing = [a for a in (f.one, f.other) if a not in new] if f not in new else []
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

    def __init__(self, products: dict[Node, Factors]) -> None:
        self.products = products
        self.number = count()
        self.pairs: dict[tuple[Any, Any], _Pair] = {}
        self.having: dict[_Pair, dict[Node, None]] = {}
        for n, factors in products.items():
            for pair in self._pairs_in(factors):
                self.having.setdefault(pair, {})[n] = None
        self.queue = [self._entry(pair) for pair, having in self.having.items() if len(having) > 1]
        heapify(self.queue)
        while self.queue:  # a pair may have become less frequent than its entry says, but none more frequent
            frequency, *_, pair = heappop(self.queue)
            having = len(self.having[pair])
            if having == -frequency:
                self._join(pair)
            elif having > 1:
                heappush(self.queue, self._entry(pair))

    def _entry(self, pair: _Pair) -> tuple[Any, ...]:
        """Frequent pairs first; among them those of speeds and coordinates, so that parameters are left to be
        multiplied by each other."""
        return -len(self.having[pair]), -pair.other.key, -pair.one.key, next(self.number), pair

    def _pair(self, a: Any, b: Any) -> _Pair:
        """The one object for two factors in either order; factors that differ may have the same key: (x y) z and x (y z)."""
        both = (a, b) if a.key <= b.key else (b, a)
        found = self.pairs.get(both)
        if found is None and a.key == b.key:
            found = self.pairs.get((b, a))
        if found is None:
            found = self.pairs[both] = _Pair(*both)
        return found

    def _pairs_in(self, factors: Factors) -> list[_Pair]:
        different = list(factors)
        out = [self._pair(a, b) for i, a in enumerate(different) for b in different[i + 1 :]]
        return out + [self._pair(a, a) for a, times in factors.items() if times > 1]

    def _join(self, pair: _Pair) -> None:
        changed: dict[_Pair, None] = {}
        one, other = pair.one, pair.other
        for n in list(self.having[pair]):
            factors = self.products[n]
            times = factors[one] // 2 if one is other else min(factors[one], factors[other])
            for f in (one, other):
                self._take(n, factors, f, times)
            self._add(n, factors, pair, times, changed)
        for p in changed:
            if len(self.having[p]) > 1:
                heappush(self.queue, self._entry(p))

    def _take(self, n: Node, factors: Factors, f: Any, times: int) -> None:
        """Take a factor out of a product, so many times."""
        before = factors[f]
        left = before - times
        if before > 1 >= left:
            self.having[self._pair(f, f)].pop(n, None)
        if left:
            factors[f] = left
            return
        del factors[f]
        for g in factors:
            self.having[self._pair(f, g)].pop(n, None)

    def _add(self, n: Node, factors: Factors, f: _Pair, times: int, changed: dict[_Pair, None]) -> None:
        """Put a factor into a product, so many times."""
        new = [] if f in factors else [self._pair(f, g) for g in factors]
        factors[f] = factors.get(f, 0) + times
        if factors[f] > 1:
            new.append(self._pair(f, f))
        for p in new:
            self.having.setdefault(p, {})[n] = None
            changed[p] = None
