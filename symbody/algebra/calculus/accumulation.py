"""Jacobians by elimination of vertices.

Every operation is a vertex, and an edge from each of its arguments carries the partial derivative. Taking a vertex out
joins each edge into it with each edge out of it, by one multiplication; where parallel edges meet they are added. When
only inputs and outputs are left, the edges are the Jacobian. Forward and reverse differentiation are two orders of
elimination; the one with fewest operations lies between them (Griewank and Walther, Evaluating Derivatives, ch. 9). It
is hard to find from the graph alone, but the author of the graph knows it: a recursion over a tree is best eliminated
from the leaves to the root. Where no order is known, the vertex goes first that leaves fewest edges more (after Markowitz).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...argument_kinds import checked_flags
from ...errors import ExpressionError
from ..graph.graph import ONE, ZERO, Expr, Node, Symbol
from ..graph.matrix import Matrix
from ..graph.walk import scalars
from .elementary_edges import ElementaryEdges


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
    fewest_first   of those in no stage, the one goes first that leaves fewest edges more, in place of the order of
                   evaluation (after Markowitz)

    >>> x, y, z = sb.symbols("x y z")
    >>> sb.algebra.accumulated_jacobian([sb.sin(x * y * z)], [x, y, z], fewest_first=True)
    matrix([[y*z*cos(x*y*z), x*z*cos(x*y*z), x*y*cos(x*y*z)]])

    See also: `algebra.accumulated_hessian`, `jacobian`, `gradient`, `algebra.sparsity`.
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


class _Vertices(ElementaryEdges):
    """The outputs are the vertices 0, 1, 2, ..."""

    def __init__(self, rows: Sequence[Expr], wrt: Sequence[Symbol], held: Mapping[Symbol, Expr]) -> None:
        super().__init__(rows, wrt, held, len(wrt))
        for k, r in enumerate(rows):
            self.into[k], self.out[k] = {}, {}
            if r in self.out:
                self.add(r, k, ONE)

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

    def in_order(self, stage: Stage) -> list[Node]:
        """The vertices of a stage that are left."""
        left = (n for n in stage.nodes if n in self.inner)
        return sorted(left, key=self.inner.__getitem__, reverse=stage.is_reverse)
