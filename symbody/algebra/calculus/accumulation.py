"""Jacobians by elimination of vertices.

Every operation is a vertex, and an edge from each of its arguments carries the partial derivative. Taking a vertex out
joins each edge into it with each edge out of it, by one multiplication; where parallel edges meet they are added. When
only inputs and outputs are left, the edges are the Jacobian. Forward and reverse differentiation are two orders of
elimination; the one with fewest operations lies between them (Griewank and Walther, Evaluating Derivatives, ch. 9). It
is hard to find from the graph alone, but the author of the graph knows it: a recursion over a tree is best eliminated
from the leaves to the root. Where no order is known, the vertex with fewest products goes first (Markowitz).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from typing import Any, Final, NamedTuple

from ...argument_kinds import checked_flags
from ...errors import ExpressionError
from ..graph.functions import ExternalFunction
from ..graph.graph import ONE, ZERO, Expr, Node, Symbol
from ..graph.matrix import Matrix
from ..graph.rule_table import COMMUTATIVE
from ..graph.walk import evaluation_order, scalars, substitute, with_arguments
from .derivatives import jacobian, partial

# Operations without edges of their own: the derivative of the branch that `where` does not take may be infinite, and
# blocks have many outputs.
_WHOLE: Final = frozenset(("where", "item"))
Edges = dict[Any, Expr]


class Stage(NamedTuple):
    """Vertices that are eliminated together: in order of evaluation (forward), or against it (reverse)."""

    nodes: Iterable[Node]
    is_reverse: bool = False


@checked_flags(ExpressionError)
def accumulated_jacobian(
    things: Any,
    wrt: Sequence[Symbol],
    stages: Iterable[Stage] = (),
    held: Mapping[Symbol, Expr] | None = None,
    *,
    fewest_first: bool = False,
) -> Matrix:
    """∂thingsᵢ/∂wrtⱼ as `jacobian` gives it, by elimination of the operations between them in an order of choice, which
    takes fewer operations than forward and reverse differentiation (Griewank and Walther, Evaluating Derivatives, ch. 9).

    stages   which vertices to eliminate first, second, ...; those in no stage come last, in order of evaluation. Before
             all of them go the vertices with one edge in or one edge out: without them there are never more edges than
             with them.
    held     values of symbols at which derivatives are taken; they do not change with `wrt`
    fewest_first   those in no stage are eliminated by Markowitz' rule in place of the order of evaluation

    >>> x, y, z = sb.symbols("x y z")
    >>> sb.algebra.accumulated_jacobian([sb.sin(x * y * z)], [x, y, z], fewest_first=True)
    matrix([[y*z*cos(x*y*z), x*z*cos(x*y*z), x*y*cos(x*y*z)]])

    See also: `jacobian`, `gradient`, `algebra.sparsity`.
    """
    rows = scalars(things)
    graph = _Vertices(rows, wrt, held or {})
    graph.eliminate_simple()
    for stage in stages:
        for n in graph.in_order(stage):
            graph.eliminate(n)
    if fewest_first:
        graph.eliminate_fewest_first()
    for n in graph.in_order(Stage(graph.inner)):
        graph.eliminate(n)
    edges = [graph.into[k] for k in range(len(rows))]
    return Matrix(len(rows), len(wrt), tuple(e.get(x, ZERO) for e in edges for x in wrt))


class _Vertices:
    """Edges in and out of each vertex; the outputs are the vertices 0, 1, 2, ..."""

    def __init__(self, rows: Sequence[Expr], wrt: Sequence[Symbol], held: Mapping[Symbol, Expr]) -> None:
        order = canonical(rows)
        inputs = set(wrt)
        value = _values(order, held)
        moving: set[Node] = set()
        for n in order:
            if n in inputs or any(a in moving for a in n.args):
                moving.add(n)
        self.into: dict[Any, Edges] = {n: {} for n in order if n in moving and isinstance(n, Expr)}
        self.out: dict[Any, Edges] = {n: {} for n in self.into}
        self.inner: dict[Node, int] = {n: k for k, n in enumerate(self.into) if n not in inputs}
        for n in self.inner:
            if n.op not in _WHOLE:
                for i, a in enumerate(n.args):
                    if a in self.into:
                        self._add(a, n, partial(n.op, n.data, value[n], [value[b] for b in n.args], i))
        self._add_whole([n for n in self.inner if n.op in _WHOLE], wrt, held)
        for k, r in enumerate(rows):
            self.into[k], self.out[k] = {}, {}
            if r in self.out:
                self._add(r, k, ONE)

    def _add_whole(self, nodes: list[Node], wrt: Sequence[Symbol], held: Mapping[Symbol, Expr]) -> None:
        """Edges from the inputs, by forward differentiation."""
        slopes = substitute(jacobian(nodes, wrt), held)
        for i, n in enumerate(nodes):
            for j, x in enumerate(wrt):
                if slopes[i, j] is not ZERO:
                    self._add(x, n, slopes[i, j])

    def _add(self, a: Any, b: Any, slope: Expr) -> None:
        edges = self.into[b]
        total = edges[a] + slope if a in edges else slope
        if total is ZERO:
            edges.pop(a, None)
            self.out[a].pop(b, None)
        else:
            edges[a] = self.out[a][b] = total

    def eliminate(self, n: Node) -> None:
        """Join what leads into a vertex with what leads out of it."""
        del self.inner[n]
        into, out = self.into.pop(n), self.out.pop(n)
        for a in into:
            del self.out[a][n]
        for b in out:
            del self.into[b][n]
        for b, after in out.items():
            for a, before in into.items():
                self._add(a, b, after * before)

    def eliminate_simple(self) -> None:
        """All vertices with one edge in or one edge out, and those that become so."""
        waiting = list(self.inner)
        while waiting:
            near: set[Any] = set()
            for n in waiting:
                if n in self.inner and (len(self.into[n]) <= 1 or len(self.out[n]) <= 1):
                    near.update(self.into[n], self.out[n])
                    self.eliminate(n)
            waiting = self.in_order(Stage(near))

    def eliminate_fewest_first(self) -> None:
        """All vertices, next the one with the smallest product of edges in and edges out; of those the first evaluated."""
        place = dict(self.inner)
        vertex = {k: n for n, k in place.items()}
        waiting = [(self._products(n), k) for n, k in place.items()]
        heapify(waiting)
        while waiting:
            products, k = heappop(waiting)
            n = vertex[k]
            if n not in self.inner or products != self._products(n):
                continue  # its entry with the products that it has now is elsewhere in the heap
            near = [m for m in (*self.into[n], *self.out[n]) if m in self.inner]
            self.eliminate(n)
            for m in near:
                heappush(waiting, (self._products(m), place[m]))

    def _products(self, n: Node) -> int:
        return len(self.into[n]) * len(self.out[n])

    def in_order(self, stage: Stage) -> list[Node]:
        """The vertices of a stage that are left."""
        left = (n for n in stage.nodes if n in self.inner)
        return sorted(left, key=self.inner.__getitem__, reverse=stage.is_reverse)


def _values(order: Iterable[Node], held: Mapping[Symbol, Expr]) -> dict[Node, Any]:
    value: dict[Node, Any] = {}
    for n in order:
        args = tuple(value[a] for a in n.args)
        value[n] = held[n] if n in held else n if args == n.args else with_arguments(n, args)  # type: ignore[index]
    return value


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
