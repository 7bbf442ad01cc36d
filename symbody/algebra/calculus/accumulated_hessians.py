"""Hessians by elimination of vertices, with half of the products of the Jacobian of a gradient.

With v̄ = ∂e/∂v of every operation v = φ(a, b, ...), and S the derivatives of all vertices by the inputs,

    ∂²e/∂x² = Sᵀ W S,     W = Σ_v v̄ ∂²φ_v

W has few entries: only arguments of the same operation meet. Taking a vertex v with edges c from vertices p out of the
graph joins edges, as for Jacobians, and passes its entries of W on, of which W_uv and W_vu are one number:

    W_up += W_uv c_p,     W_pq += W_vv c_p c_q

Edge pushing (Gower and Mello 2012) is this in the order from the last vertex to the first. Here the
next vertex is the one whose elimination adds the fewest edges and entries, so that second derivatives of subexpressions with few
inputs are computed in these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

from ...argument_kinds import answered
from ..graph.graph import ONE, ZERO, Expr, Symbol, as_expr, intern, make, symbol
from ..graph.matrix import Matrix
from ..graph.walk import evaluation_order, substitute
from .accumulation import accumulated_jacobian
from .derivatives import derivative, gradient, partial
from .elementary_edges import Edges, ElementaryEdges, product_of_slopes, row_entries, sum_of_slopes

_LINEAR: Final = frozenset(
    ("add", "sub", "neg", "where", "item", "abs", "sign", "settled", "min", "max")
)  # almost everywhere


@answered
def accumulated_hessian(e: Any, wrt: Sequence[Symbol]) -> Matrix:
    """∂²e/∂xᵢ∂xⱼ of an expression, by symmetric elimination of the operations between: half of the operations that
    the Jacobian of the gradient takes. Entries that are zero everywhere are the constant 0. Branches of `where` that are
    not selected do not disturb, even if their slopes are infinite.

    >>> x, y = sb.symbols("x y")
    >>> sb.algebra.accumulated_hessian(x * sb.sin(y), [x, y])
    matrix([[0, cos(y)], [cos(y), -x*sin(y)]])

    See also: `algebra.accumulated_jacobian`, `gradient`, `algebra.sparsity`.
    """
    root = as_expr(e)
    if any(n.op == "sweeps" for n in evaluation_order([root])):
        return accumulated_jacobian(gradient(root, wrt), wrt, fewest_first=True)
    found = _SymmetricVertices(root, wrt)
    found.eliminate_fewest_first()
    return Matrix(len(wrt), len(wrt), tuple(found.meets.get(x, {}).get(y, ZERO) for x in wrt for y in wrt))


class _SymmetricVertices(ElementaryEdges):
    """Edges, and the entries of W in `meets`, each in the rows of both vertices."""

    def __init__(self, root: Expr, wrt: Sequence[Symbol]) -> None:
        super().__init__([root], wrt, {})
        self.meets: dict[Any, Edges] = {n: {} for n in self.into}
        self._seconds: dict[Any, list[tuple[int, int, Expr]]] = {}  # of operations, by `_places`
        for n, bar in self._adjoints(root).items():
            for a, b, second in self._curvature(n):
                self._meet(a, b, product_of_slopes(bar, second))
        self._forget([n for n in self.inner if not self.meets[n] and not self.out[n]])

    def _adjoints(self, root: Expr) -> dict[Any, Expr]:
        """∂e/∂v of the intermediate vertices."""
        bars: dict[Any, Expr] = {root: ONE}
        for n in reversed(self.inner):
            for a, slope in self.into[n].items() if n in bars else ():
                term = product_of_slopes(bars[n], slope)
                bars[a] = sum_of_slopes(bars[a], term) if a in bars else term
        return {n: bars[n] for n in self.inner if n in bars}

    def _curvature(self, n: Any) -> Iterator[tuple[Any, Any, Expr]]:
        """Pairs of arguments with the second derivative by both; each pair once."""
        if isinstance(n, tuple):
            yield from ((a, intern("item", n[:1], j), -ONE) for a, j in row_entries(*n) if a in self.into)
        elif n.op not in _LINEAR:
            exponent = n.args[1] if n.op == "pow" and n.args[1].op == "const" else None
            args = dict(zip(_places(len(n.args)), self.arguments[n], strict=True))
            key = n.op, n.data, exponent, tuple(a in self.into for a in n.args)
            if key not in self._seconds:
                self._seconds[key] = _second_partials(*key)
            for i, j, second in self._seconds[key]:
                a, b = n.args[i], n.args[j]
                yield a, b, (2 if i != j and a is b else 1) * substitute(second, args)

    def _meet(self, a: Any, b: Any, entry: Expr) -> None:
        row = self.meets[a]
        total = sum_of_slopes(row[b], entry) if b in row else entry
        if total is ZERO:
            row.pop(b, None)
            self.meets[b].pop(a, None)
        else:
            row[b] = self.meets[b][a] = total

    def eliminate(self, n: Any) -> tuple[Edges, Edges]:
        entries = self.meets.pop(n)
        own = entries.pop(n, None)
        into, out = super().eliminate(n)
        for u, entry in entries.items():
            del self.meets[u][n]
            for p, slope in into.items():
                passed = product_of_slopes(entry, slope)
                self._meet(u, p, 2 * passed if u is p else passed)
        if own is not None:
            before = list(into.items())
            for k, (p, slope) in enumerate(before):
                passed = product_of_slopes(own, slope)
                for q, other in before[k:]:
                    self._meet(p, q, product_of_slopes(passed, other))
        self._forget([*into, *entries])
        return into, out

    def _forget(self, vertices: list[Any]) -> None:
        """Remove vertices on which nothing depends, also those that become such."""
        while vertices:
            n = vertices.pop()
            if n in self.inner and not self.meets[n] and not self.out[n]:
                vertices += self.into[n]
                del self.meets[n]
                super().eliminate(n)

    def growth(self, n: Any) -> int:
        """Multiplications that eliminate a vertex, minus the edges and entries that are removed."""
        i, o, entries, own = len(self.into[n]), len(self.out[n]), len(self.meets[n]), n in self.meets[n]
        squares = i * (i + 3) // 2 if own else 0
        return i * o + i * (entries - own) + squares - i - o - entries

    def near(self, n: Any) -> list[Any]:
        return [*self.into[n], *self.out[n], *self.meets[n]]


@cache
def _places(count: int) -> tuple[Symbol, ...]:
    """Symbols in place of the arguments of an operation."""
    return tuple(symbol(f"argument_{k}_of_operation") for k in range(count))


def _second_partials(
    op: str, data: Any, exponent: Expr | None, is_moving: tuple[bool, ...]
) -> list[tuple[int, int, Expr]]:
    """Second derivatives of an operation that are not zero, by moving arguments i <= j, as expressions in `_places`."""
    args: list[Any] = list(_places(len(is_moving)))
    if exponent is not None:
        args[1] = exponent
    y = (intern if op == "call" else make)(op, tuple(args), data)
    moving = [k for k, moves in enumerate(is_moving) if moves]
    found = []
    for i in moving:
        slope = partial(op, data, y, args, i)
        seconds = [(j, derivative(slope, args[j])) for j in moving if j >= i]
        found += [(i, j, e) for j, e in seconds if e is not ZERO]
    return found
