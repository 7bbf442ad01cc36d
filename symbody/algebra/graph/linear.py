"""Linear systems as nodes of the graph.

`Factors(A)` is one node for the factors of A; `factors.solve(b)` is one node for the solution, with an item for each
unknown. Nothing is eliminated symbolically: a system of any size costs one factorisation when it is run, with pivoting,
and every further right side (derivatives have many) reuses the factors.

    definite     A = L D Lᵀ      symmetric, definite                       no pivoting needed; on request guarded:
                 singular to rounding, no value
    indefinite   P A = L U       symmetric, as of constrained systems      partial pivoting
    general      P A = L U       any                                       partial pivoting
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Any, Final

from ...argument_kinds import answered, checked_flags
from ...errors import ExpressionError, listed
from ..elimination.elimination import eliminate, exchange_rows
from .graph import ONE, ZERO, Block, Expr, as_expr, intern
from .matrix import Matrix, as_matrix, sum_of_products

KINDS: Final = ("definite", "indefinite", "general")
MANY_UNKNOWNS: Final = 40  # from which on uncoupled parts of a matrix have factors of their own
MIN_PIVOT: Final = 1e-13  # smallest pivot relative to the diagonal, which leaves three significant digits


@dataclass(frozen=True)
class FactorShape:
    """Kind and size of a factored matrix. Entries are the upper triangle by rows, or all of a general matrix.

    sizes    relative magnitudes of the diagonal entries of a guarded matrix. It has no solutions (NaN) where a pivot is
             rounding noise, D_k ≤ MIN_PIVOT sizes_k Σ A_ii / sizes_i
    """

    kind: str
    n: int
    sizes: tuple[float, ...] = ()

    @property
    def is_guarded(self) -> bool:
        return bool(self.sizes)

    @property
    def is_symmetric(self) -> bool:
        return self.kind != "general"

    def full(self, entries: Sequence[Any]) -> list[Any]:
        """The entries of the whole matrix, row after row."""
        if not self.is_symmetric:
            return list(entries)
        n = self.n
        at = {(i, j): k for k, (i, j) in enumerate(self.places())}
        return [entries[at[min(i, j), max(i, j)]] for i in range(n) for j in range(n)]

    def places(self) -> list[tuple[int, int]]:
        """Row and column of each entry."""
        every = range(self.n)
        return list(combinations_with_replacement(every, 2) if self.is_symmetric else product(every, every))


class Factors:
    """The factorisation of a square matrix as a node; see `factorize`.

    >>> a = sb.symbol("a")
    >>> factors = sb.algebra.factorize(sb.matrix([[a, 1], [0, 2]]))
    >>> [sb.evaluate(factors.solve(b), {a: 4.0}) for b in (sb.vector(1, 0), sb.vector(0, 1))]
    [[0.25, 0.0], [-0.125, 0.5]]

    See also: `algebra.factorize`, `solve`.
    """

    __slots__ = ("node",)

    def __init__(self, node: Block) -> None:
        self.node = node

    def __repr__(self) -> str:
        kind, n = self.node.data.kind, self.node.data.n
        return f"<Factors of a {kind} matrix, {n} by {n}; .solve(b) gives x with A x = b>"

    @checked_flags(ExpressionError)
    def solve(self, b: Matrix | Sequence[Any], transposed: bool = False) -> Matrix:
        """The solution of A x = b (or Aᵀ x = b), column by column."""
        n = self.node.data.n
        right = b if isinstance(b, Matrix) else as_matrix([[e] for e in b])
        if right.rows != n:
            raise ExpressionError(f"solve: the matrix is {n} by {n} but the right side has {right.rows} rows")
        parts = uncoupled_parts(self.node)
        if n >= MANY_UNKNOWNS and len(parts) > 1:
            return _solution_by_parts(self.node, parts, right)
        columns = [solve_block(self.node, right.column(j), transposed) for j in range(right.cols)]
        if len(parts) > 1:
            columns = [_without_uncoupled(parts, right.column(j), x) for j, x in enumerate(columns)]
        return Matrix(n, right.cols, tuple(columns[j][i] for i in range(n) for j in range(right.cols)))


@answered
def factorize(a: Matrix, kind: str = "general", sizes: Sequence[float] = ()) -> Factors:
    """The factorisation of a square matrix. Symmetric kinds read the upper triangle. If the `sizes` of the diagonal
    entries are given, a definite matrix that is singular to rounding has no solution (NaN).

    >>> a = sb.symbol("a")
    >>> factors = sb.algebra.factorize(sb.matrix([[2, a], [a, 2]]), "definite")
    >>> sb.evaluate(factors.solve(sb.vector(1, 0)), {a: 1.0})
    [0.666667, -0.333333]

    See also: `solve`, `algebra.Factors`.
    """
    if kind not in KINDS:
        raise ExpressionError(f"factorize: there is no kind {kind!r}; kinds are {listed(KINDS)}")
    a = as_matrix(a)
    if a.rows != a.cols or a.rows == 0:
        raise ExpressionError(f"factorize: the matrix must be square, got {a.rows} by {a.cols}")
    shape = FactorShape(kind, a.rows, tuple(sizes))
    n = a.rows
    entries = (
        tuple([e for i in range(n) for e in a.entries[i * n + i : i * n + n]]) if shape.is_symmetric else a.entries
    )
    return Factors(intern("factor", entries, shape))


@answered
def solve(a: Matrix, b: Matrix | Sequence[Any], kind: str = "general") -> Matrix:
    """The solution of A x = b as a node with many outputs: `solve(M, f, "definite")`.

    >>> a = sb.symbol("a")
    >>> x = sb.solve(sb.matrix([[2, a], [a, 2]]), sb.vector(1, 0), "definite")
    >>> sb.evaluate(x, {a: 1.0})
    [0.666667, -0.333333]
    >>> sb.evaluate(sb.derivative(x, a), {a: 1.0})  # A dx = db - dA x, with the same factors
    [0.444444, -0.555556]

    See also: `algebra.factorize`, `derivative`.
    """
    return factorize(a, kind).solve(b)


def determinant(a: Matrix) -> Expr:
    """|A| of a square matrix as one expression, by elimination on the graph: the product of its pivots.

    The pivots are not exchanged, as with kind "definite": no leading minor may be zero at the numbers used. This holds
    for definite matrices.

    >>> a = sb.symbol("a")
    >>> sb.tidy(sb.algebra.determinant(sb.matrix([[2, a], [a, 2]])))
    4 - a**2

    See also: `algebra.factorize`, `solve`.
    """
    a = as_matrix(a)
    if a.rows != a.cols:
        raise ExpressionError(f"determinant: the matrix must be square, got {a.rows} by {a.cols}")
    n, rows, out = a.rows, list(a.entries), ONE
    for k in range(n):
        row = next((i for i in range(k, n) if rows[i * n + k] is not ZERO), None)
        if row is None:
            return ZERO
        if row != k:
            exchange_rows(k, row, n, rows)
            out = -out
        eliminate(k, k, k + 1, n, n, rows)
        out = out * rows[k * n + k]
    return out


def solve_block(factor: Block, b: Sequence[Any], transposed: bool = False) -> tuple[Expr, ...]:
    """Items of one right side. A right side of zeros has the solution zero, a triangular matrix of numbers needs no
    elimination."""
    entries = tuple(as_expr(e) for e in b)
    if all(e is ZERO for e in entries):
        return entries
    transposed = transposed and not factor.data.is_symmetric
    if (solved := solved_by_substitution(factor, entries, transposed)) is not None:
        return solved
    block = intern("solve", (factor, *entries), transposed)
    return tuple(intern("item", (block,), i) for i in range(len(entries)))


def uncoupled_parts(factor: Block) -> list[list[int]]:
    """Sets of mutually uncoupled unknowns of a definite matrix, as of separate mechanisms on one ground; a single
    set for matrices of another kind."""
    n = factor.data.n
    if factor.data.kind != "definite":
        return [list(range(n))]
    part = [[i] for i in range(n)]
    for (i, j), e in zip(combinations_with_replacement(range(n), 2), factor.args, strict=True):
        if e is not ZERO and part[i] is not part[j]:
            more, fewer = sorted((part[i], part[j]), key=len, reverse=True)
            more += fewer
            for k in fewer:
                part[k] = more
            if len(more) == n:
                break
    return list({id(p): p for p in part}.values())


def _solution_by_parts(factor: Block, parts: list[list[int]], right: Matrix) -> Matrix:
    """The solution of a matrix of which each part has factors of its own, so that sparse right sides cost what is in
    them."""
    shape, at = factor.data, dict(zip(factor.data.places(), factor.args, strict=True))
    blocks = []
    for part in parts:
        own = FactorShape(shape.kind, len(part), tuple(shape.sizes[i] for i in part) if shape.sizes else ())
        entries = (at[min(part[i], part[j]), max(part[i], part[j])] for i, j in own.places())
        blocks.append(intern("factor", tuple(entries), own))
    out = [ZERO] * len(right.entries)
    for part, block in zip(parts, blocks, strict=True):
        for j in range(right.cols):
            places = [i * right.cols + j for i in part]
            if any(right.entries[k] is not ZERO for k in places):
                for k, x in zip(places, solve_block(block, [right.entries[k] for k in places]), strict=True):
                    out[k] = x
    return Matrix(right.rows, right.cols, tuple(out))


def _without_uncoupled(parts: list[list[int]], right: Sequence[Expr], x: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The solution, zero in all parts of the matrix in which the right side is."""
    out = list(x)
    for part in parts:
        if all(right[i] is ZERO for i in part):
            for i in part:
                out[i] = ZERO
    return tuple(out)


def solved_by_substitution(factor: Block, right: Sequence[Expr], transposed: bool) -> tuple[Expr, ...] | None:
    """The solution for a triangular matrix of numbers (the identity, a change of speeds): one row after another."""
    if any(e.op != "const" for e in factor.args):
        return None
    n, a = factor.data.n, factor.data.full(factor.args)
    rows = [[a[j * n + i] if transposed else a[i * n + j] for j in range(n)] for i in range(n)]
    if any(rows[i][i].data == 0 for i in range(n)):
        return None
    is_lower = all(rows[i][j].data == 0 for i in range(n) for j in range(i + 1, n))
    is_upper = all(rows[i][j].data == 0 for i in range(n) for j in range(i))
    if not (is_lower or is_upper):
        return None
    x: dict[int, Expr] = {}
    for i in range(n) if is_lower else reversed(range(n)):
        known = sum_of_products([rows[i][j] for j in x], list(x.values()))
        x[i] = (right[i] - known) / rows[i][i]
    return tuple(x[i] for i in range(n))
