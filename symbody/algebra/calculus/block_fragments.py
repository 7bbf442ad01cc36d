"""The fragments of `block_elimination.py`: what one step does with small blocks of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..elimination.elimination import definite_factor, definite_solve
from ..graph.functions import value_where
from ..graph.graph import ONE, ZERO, Expr, Symbol, symbol
from ..graph.linear import MIN_PIVOT
from ..graph.sweeps import Fragment

Known = tuple[Expr | None, ...]  # entries that are numbers, None for others
Couplings = tuple[tuple[int, Known], ...]  # of groups in a part: number of rows, and their entries
Pair = tuple[int, int, bool]  # two groups, and whether their product stands by rows of the first


def slots(which: int, n: int) -> tuple[Symbol, ...]:
    """The symbols of a group."""
    return tuple(symbol(f"block_{which}_{k}", "material") for k in range(n))


def upper_places(n: int) -> list[tuple[int, int]]:
    """Of the upper triangle, by rows."""
    return [(i, j) for i in range(n) for j in range(i, n)]


def _fragment(inputs: Sequence[tuple[Symbol, ...]], *outputs: Sequence[Expr]) -> Fragment:
    return Fragment(tuple(inputs), tuple(tuple(x) for x in outputs), (False,) * len(outputs))


def _entries(given: Sequence[Symbol], known: Known) -> list[Expr]:
    return [s if e is None else e for s, e in zip(given, known, strict=True)]


def _less_product(a: Sequence[Expr], b: Sequence[Expr], start: Expr = ZERO) -> Expr:
    total = start
    for x, y in zip(a, b, strict=True):
        total = total - x * y
    return total


def _solution_of(n: int, factors: Sequence[Expr], right: Sequence[Expr]) -> list[Expr]:
    x = list(right)
    definite_solve(n, list(factors), x)
    return x


# ------------------------------------------------------------------------------------------------------------- parts


class _PartSymbols:
    """Symbols for the factors of M and for J of some groups.

    inputs    group by group
    factors   of M
    rows      of J, group by group
    """

    def __init__(self, n: int, factors: Known, groups: Couplings) -> None:
        self.n = n
        self.inputs = [slots(0, n * n)]
        self.factors = _entries(self.inputs[0], factors)
        self.rows: list[list[list[Expr]]] = []
        for r, known in groups:
            self.inputs.append(slots(len(self.inputs), r * n))
            flat = _entries(self.inputs[-1], known)
            self.rows.append([flat[n * i : n * i + n] for i in range(r)])

    def new(self, n: int) -> tuple[Symbol, ...]:
        """Symbols of one more input."""
        self.inputs.append(slots(len(self.inputs), n))
        return self.inputs[-1]

    def solved(self, right: Sequence[Expr]) -> list[Expr]:
        """M⁻¹ b."""
        return _solution_of(self.n, self.factors, right)


def complement(n: int, factors: Known, groups: Couplings, pairs: tuple[Pair, ...], are_rows: bool) -> Fragment:
    """-J_i M⁻¹ J_jᵀ of pairs of groups, the upper triangle of one group with itself.

    are_rows   whether every row has a place of its own
    """
    part = _PartSymbols(n, factors, groups)
    pushed = [[part.solved(row) for row in J] for J in part.rows]
    outputs: list[list[Expr]] = []
    for g, h, is_by_first in pairs:
        a, b = (g, h) if is_by_first else (h, g)
        rows = [
            [_less_product(x, y) for y in (pushed[b][i:] if a == b else pushed[b])] for i, x in enumerate(part.rows[a])
        ]
        outputs += rows if are_rows else [[e for row in rows for e in row]]
    return _fragment(part.inputs, *outputs)


def push_part(n: int, factors: Known, groups: Couplings) -> Fragment:
    """-J M⁻¹ b of each group."""
    part = _PartSymbols(n, factors, groups)
    pushed = part.solved(part.new(n))
    first, b, *J = (part.inputs[0], part.inputs[-1], *part.inputs[1:-1])
    return _fragment([first, b, *J], *([_less_product(row, pushed) for row in rows] for rows in part.rows))


def pull_part(n: int, groups: Couplings) -> Fragment:
    """-Σ Jᵀ x."""
    part = _PartSymbols(n, (None,) * (n * n), groups)
    unknowns = [part.new(r) for r, _ in groups]
    return _fragment(part.inputs[1:], _right_side_without(part, [ZERO] * n, unknowns))


def part_solution(n: int, factors: Known, groups: Couplings, has_right: bool) -> Fragment:
    """M⁻¹ (b - Σ Jᵀ x), each entry in a place of its own."""
    part = _PartSymbols(n, factors, groups)
    unknowns = [part.new(r) for r, _ in groups]
    right = [part.new(n)] if has_right else []
    start: Sequence[Expr] = right[0] if has_right else [ZERO] * n
    inputs = [part.inputs[0], *right, *part.inputs[1 : len(part.inputs) - has_right]]
    return _fragment(inputs, *([e] for e in part.solved(_right_side_without(part, start, unknowns))))


def _right_side_without(part: _PartSymbols, start: Sequence[Expr], unknowns: Sequence[Sequence[Expr]]) -> list[Expr]:
    out = list(start)
    for rows, x in zip(part.rows, unknowns, strict=True):
        out = [_less_product([row[j] for row in rows], x, e) for j, e in enumerate(out)]
    return out


def factors_of(n: int, upper: Sequence[Expr]) -> list[Expr]:
    """Factors of a definite matrix by its upper triangle."""
    at = {p: k for k, p in enumerate(upper_places(n))}
    factors = [upper[at[min(i, j), max(i, j)]] for i in range(n) for j in range(n)]
    definite_factor(n, factors)
    return factors


# ------------------------------------------------------------------------------------------------------------ blocks


@cache
def zeros(n: int) -> Fragment:
    return _fragment([], [ZERO] * n)


@cache
def unit_rows(n: int, first: int) -> Fragment:
    """The upper triangle of a matrix that is zero but for units on the diagonal from one row on."""
    return _fragment([], [ONE if i == j >= first else ZERO for i, j in upper_places(n)])


@cache
def factor(n: int) -> Fragment:
    a = slots(0, n * (n + 1) // 2)
    return _fragment([a], factors_of(n, a))


@cache
def guarded_factor(n: int, used: int) -> Fragment:
    """Without a value where one of the first pivots is noise."""
    a, total = slots(0, n * (n + 1) // 2), slots(1, 1)
    factors = factors_of(n, a)
    least = MIN_PIVOT * abs(total[0])
    for k in range(used):
        inverse = factors[n * k + k]
        factors[n * k + k] = value_where(abs(inverse) * least < 1, inverse)
    return _fragment([a, total], factors)


@cache
def trace(n: int, used: int) -> Fragment:
    """The sum of the first entries of the diagonal."""
    a = slots(0, n * (n + 1) // 2)
    total: Expr = ZERO
    for x, (i, j) in zip(a, upper_places(n), strict=True):
        total = total + x if i == j < used else total
    return _fragment([a], [total])


@cache
def weights(r: int, n: int) -> Fragment:
    a, f = slots(0, r * n), slots(1, n * n)
    return _fragment([a, f], [e for i in range(r) for e in _solution_of(n, f, a[n * i : n * i + n])])


@cache
def update(r: int, s: int, n: int) -> Fragment:
    a, w = slots(0, r * n), slots(1, s * n)
    return _fragment(
        [a, w],
        [_less_product(a[n * i : n * i + n], w[n * j : n * j + n]) for i in range(r) for j in range(s)],
    )


@cache
def own_update(r: int, n: int) -> Fragment:
    a, w = slots(0, r * n), slots(1, r * n)
    return _fragment([a, w], [_less_product(a[n * i : n * i + n], w[n * j : n * j + n]) for i, j in upper_places(r)])


@cache
def push(r: int, n: int) -> Fragment:
    w, b = slots(0, r * n), slots(1, n)
    return _fragment([w, b], [_less_product(w[n * i : n * i + n], b) for i in range(r)])


@cache
def pull(r: int, n: int) -> Fragment:
    w, x = slots(0, r * n), slots(1, r)
    return _fragment([w, x], [_less_product(w[j::n], x) for j in range(n)])


@cache
def solution(n: int) -> Fragment:
    f, b = slots(0, n * n), slots(1, n)
    return _fragment([f, b], _solution_of(n, f, b))
