"""Operations as vertices, and edges from their arguments that carry partial derivatives, for derivatives by elimination.

The solution of A x = b has a vertex for each residual r = b - A x with x held, and one for each unknown:

    ∂r_i/∂b_i = 1,   ∂r_i/∂A_ij = -x_j,   ∂x/∂r = A⁻¹
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from typing import Any

from ..graph.functions import ExternalFunction, where
from ..graph.graph import ONE, ZERO, Expr, Node, Symbol, intern
from ..graph.linear import solve_block, uncoupled_parts
from ..graph.rules.rule_table import COMMUTATIVE
from ..graph.walk import evaluation_order, nodes_with, substitute
from .derivatives import jacobian, partial
from .guarded_values import guarded_values

Edges = dict[Any, Expr]
Residual = tuple[Node, int]


class ElementaryEdges:
    """Edges into and out of each vertex, with their slopes. A vertex is a node, or a pair of a solve and the number of a residual;
    `inner` contains the intermediate vertices in order of evaluation."""

    def __init__(
        self, roots: Sequence[Expr], wrt: Sequence[Symbol], held: Mapping[Symbol, Expr], largest: int | None = None
    ) -> None:
        """largest   number of unknowns above which a solve is differentiated as a whole"""
        order, inputs = canonical(roots), set(wrt)
        self.value, self.arguments = guarded_values(order, roots, held)
        moving = nodes_with(order, inputs)
        vertices: dict[Any, None] = {}
        for n in order:
            if n in moving and isinstance(n, Expr):
                vertices[n] = None
            elif n in moving and n.op == "solve" and (largest is None or n.args[0].data.n <= largest):
                size = range(n.args[0].data.n)
                vertices |= dict.fromkeys([*((n, k) for k in size), *(intern("item", (n,), k) for k in size)])
        self.into: dict[Any, Edges] = {n: {} for n in vertices}
        self.out: dict[Any, Edges] = {n: {} for n in vertices}
        self.inner: dict[Any, int] = {n: k for k, n in enumerate(vertices) if n not in inputs}
        self._add_whole([n for n in self.inner if not isinstance(n, tuple) and self._is_whole(n)], wrt, held)
        for n in self.inner:
            for a, slope in self._edges_into(n):
                if a in self.into:
                    self.add(a, n, slope)

    def _is_whole(self, n: Expr) -> bool:
        return n.op == "item" and (n.args[0], 0) not in self.into

    def _edges_into(self, n: Any) -> Iterator[tuple[Any, Expr]]:
        if isinstance(n, tuple):
            yield n[0].args[1 + n[1]], ONE
            yield from ((a, -self.solution(n[0])[j]) for a, j in row_entries(*n))
        elif n.op == "item" and not self._is_whole(n):
            block, factor = n.args[0], self.value[n.args[0].args[0]]
            for k in next(part for part in uncoupled_parts(block.args[0]) if n.data in part):
                if self.into.get((block, k)):
                    unit = [ONE if i == k else ZERO for i in range(factor.data.n)]
                    yield (block, k), solve_block(factor, unit, block.data)[n.data]
        elif n.op != "item":
            args = self.arguments[n]
            for i, a in enumerate(n.args):
                if a in self.into:
                    yield a, partial(n.op, n.data, self.value[n], args, i)

    def solution(self, block: Node) -> tuple[Expr, ...]:
        """The unknowns of a solve."""
        found = self.value[block]
        if found.op == "entries":
            return tuple(found.args)
        return tuple(intern("item", (found,), k) for k in range(len(block.args) - 1))

    def _add_whole(self, nodes: list[Expr], wrt: Sequence[Symbol], held: Mapping[Symbol, Expr]) -> None:
        """Edges from the inputs to items of blocks with many outputs, by forward differentiation."""
        slopes = substitute(jacobian(nodes, wrt), held)
        for i, n in enumerate(nodes):
            for j, x in enumerate(wrt):
                if slopes[i, j] is not ZERO:
                    self.add(x, n, slopes[i, j])

    def add(self, a: Any, b: Any, slope: Expr) -> None:
        """Add an edge; parallel edges become one edge with the sum of their slopes."""
        edges = self.into[b]
        total = sum_of_slopes(edges[a], slope) if a in edges else slope
        if total is ZERO:
            edges.pop(a, None)
            self.out[a].pop(b, None)
        else:
            edges[a] = self.out[a][b] = total

    def eliminate(self, n: Any) -> tuple[Edges, Edges]:
        """Eliminate a vertex: join each edge into it with each edge out of it. The removed edges are returned."""
        del self.inner[n]
        into, out = self.into.pop(n), self.out.pop(n)
        for a in into:
            del self.out[a][n]
        for b in out:
            del self.into[b][n]
        for b, after in out.items():
            for a, before in into.items():
                self.add(a, b, product_of_slopes(after, before))
        return into, out

    def growth(self, n: Any) -> int:
        """Multiplications that eliminate a vertex, minus the edges that are removed."""
        i, o = len(self.into[n]), len(self.out[n])
        return i * o - i - o

    def near(self, n: Any) -> list[Any]:
        """Vertices whose growth changes when this one is eliminated."""
        return [*self.into[n], *self.out[n]]

    def eliminate_fewest_first(self) -> None:
        """Eliminate all vertices, always one with the smallest growth; among equals the first in order of evaluation."""
        place = dict(self.inner)
        vertex = {k: n for n, k in place.items()}
        waiting = [(self.growth(n), k) for n, k in place.items()]
        heapify(waiting)
        while waiting:
            growth, k = heappop(waiting)
            n = vertex[k]
            if n not in self.inner:
                continue
            if growth != (now := self.growth(n)):
                heappush(waiting, (now, k))
                continue
            near = self.near(n)
            self.eliminate(n)
            for m in near:
                if m in self.inner:
                    heappush(waiting, (self.growth(m), place[m]))


def row_entries(block: Node, i: int) -> Iterator[tuple[Node, int]]:
    """Entries of row i of the matrix of a solve, with their columns."""
    shape = block.args[0].data
    for (r, c), a in zip(shape.places(), block.args[0].args, strict=True):
        if block.data:
            r, c = c, r
        if r == i:
            yield a, c
        elif c == i and shape.is_symmetric:
            yield a, r


def product_of_slopes(a: Expr, b: Expr) -> Expr:
    """a b; the slope of a branch of `where`, which is 1 or 0, selects b or 0."""
    for one, other in ((a, b), (b, a)):
        if one.op == "where" and {one.args[1], one.args[2]} == {ONE, ZERO}:
            return where(one.args[0], *(other if e is ONE else ZERO for e in one.args[1:]))
    return a * b


def sum_of_slopes(a: Expr, b: Expr) -> Expr:
    """a + b; slopes of both branches of one `where` are selected by it."""
    if a.op == b.op == "where" and a.args[0] is b.args[0]:
        (when, p, q), (_, r, s) = a.args, b.args
        if (p is ZERO and s is ZERO) or (q is ZERO and r is ZERO):
            return where(when, r if p is ZERO else p, s if q is ZERO else q)
    return a + b


# ---------------------------------------------------------------------------------------------------------- order


def canonical(roots: Sequence[Node]) -> list[Node]:
    """All nodes in an order of evaluation that depends on their content, not on when they were created.

    Sums of three and more edges are added up in the order of elimination, and equal expressions must give equal code.
    """
    arguments: dict[Node, Sequence[Node]] = {}
    key: dict[Node, bytes] = {}
    for n in evaluation_order(roots):
        args = sorted(n.args, key=key.__getitem__) if n.op in COMMUTATIVE else n.args
        arguments[n] = args
        key[n] = _key(n, b"".join([key[a] for a in args]))
    return _depth_first(roots, arguments)


def _key(n: Node, below: bytes) -> bytes:
    what = n.data.name if isinstance(n.data, ExternalFunction) else n.name if isinstance(n, Symbol) else n.data
    return blake2b(f"{n.op}|{what}|".encode() + below, digest_size=8).digest()


def _depth_first(roots: Iterable[Node], arguments: Mapping[Node, Sequence[Node]]) -> list[Node]:
    out: dict[Node, None] = {}
    for root in roots:
        stack = [root]
        while stack:
            n = stack[-1]
            waiting = [a for a in arguments[n] if a not in out]
            if waiting:
                stack.extend(reversed(waiting))
            else:
                out.setdefault(stack.pop())
    return list(out)
