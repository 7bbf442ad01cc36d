"""A = L D Lᵀ of a sparse symmetric matrix of small blocks, as steps of a schedule: an elimination whose order and places are
known before its numbers.

With the blocks k in the order of elimination, F_k the factors of a diagonal block when its turn comes, and i, j the blocks
after k that are coupled with it by then,

    W_ik = A_ik F_k⁻¹,   A_ij ← A_ij - A_ik W_jkᵀ                      factors
    b_i ← b_i - W_ik b_k,   then   x_k = F_k⁻¹ b_k - Σ W_ikᵀ x_i       solutions

No pivots are chosen. A block with a guard has no value where one of its pivots is noise beside the trace of the matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from ..graph.elimination import definite_factor, definite_solve
from ..graph.functions import value_where
from ..graph.graph import ZERO, Expr, Symbol, symbol
from ..graph.least_degree import least_degree_order
from ..graph.linear import MIN_PIVOT
from ..graph.sweeps import Fragment, NewSteps

_NAMES: Final = ("block_a", "block_b", "block_c")


class StepMemory:
    """Places in the memory of a schedule, and its steps: the first step that writes to a group replaces what is there, later ones
    add."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.steps = NewSteps()
        self.written: set[int] = set()
        self._adding: dict[tuple[Fragment, tuple[bool, ...]], Fragment] = {}

    def take(self, n: int) -> int:
        """Places for n numbers."""
        self.size += n
        return self.size - n

    def add(self, fragment: Fragment, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """A step; outputs that were written before are added to."""
        adds = tuple([at in self.written for at in outputs])
        key = fragment, adds
        if key not in self._adding:
            self._adding[key] = Fragment(fragment.inputs, fragment.outputs, adds)
        self.written.update(outputs)
        self.steps.add(self._adding[key], (*inputs, *outputs))


class BlockElimination:
    """The elimination of blocks of given sizes.

    sizes      of the blocks
    couplings  pairs of blocks with entries between them
    first      this many blocks, which are not coupled with each other, are eliminated first
    """

    def __init__(self, sizes: Sequence[int], couplings: Iterable[tuple[int, int]], first: int) -> None:
        self.sizes, self.first = sizes, first
        near: list[set[int]] = [set() for _ in sizes]
        for i, j in couplings:
            near[i].add(j)
            near[j].add(i)
        rest: list[set[int]] = [set() for _ in range(len(sizes) - first)]
        for k in range(first):
            for i in near[k]:
                rest[i - first] |= {j - first for j in near[k] if j != i}
        later = least_degree_order([{j - first for j in near[first + i] if j >= first} | x for i, x in enumerate(rest)])
        self.order = [*range(first), *(first + k for k in later)]
        step = {k: at for at, k in enumerate(self.order)}
        self.below: list[list[int]] = [[] for _ in sizes]  # of each block those after it that it is coupled with
        for k in self.order:
            self.below[k] = sorted((i for i in near[k] if step[i] > step[k]), key=step.__getitem__)
            if k >= first or len(self.below[k]) > 1:
                for i in self.below[k]:
                    near[i].update(self.below[k])
                    near[i].discard(i)

    def factor(
        self, m: StepMemory, diagonal: dict[int, int], coupling: dict[tuple[int, int], int], is_guarded: bool
    ) -> BlockFactors:
        """Steps of the factors. `diagonal` has places of the upper triangles of diagonal blocks, by rows, `coupling` those of (i, k),
        i after k, by rows of i; what is filled in gets places of its own."""
        out = BlockFactors(self, m)
        trace = m.take(1) if is_guarded else -1
        sizes = self.sizes
        for at, k in enumerate(self.order):
            n = sizes[k]
            if is_guarded and at == self.first:
                for i in self.order[self.first :]:
                    m.add(_trace(sizes[i]), [diagonal[i]], [trace])
            out.own[k] = m.take(n * n)
            if is_guarded and at >= self.first:
                m.add(_guarded_factor(n), [diagonal[k], trace], [out.own[k]])
            else:
                m.add(_factor(n), [diagonal[k]], [out.own[k]])
            below = self.below[k]
            for i in below:
                out.weights[i, k] = m.take(sizes[i] * n)
                m.add(_weights(sizes[i], n), [coupling[i, k], out.own[k]], [out.weights[i, k]])
            for b, j in enumerate(below):
                if j not in diagonal:
                    diagonal[j] = m.take(sizes[j] * (sizes[j] + 1) // 2)
                m.add(_own_update(sizes[j], n), [coupling[j, k], out.weights[j, k]], [diagonal[j]])
                for i in below[b + 1 :]:
                    if (i, j) not in coupling:
                        coupling[i, j] = m.take(sizes[i] * sizes[j])
                    m.add(_update(sizes[i], sizes[j], n), [coupling[i, k], out.weights[j, k]], [coupling[i, j]])
        return out


class BlockFactors:
    """Places of the factors: F_k, and W_ik."""

    def __init__(self, elimination: BlockElimination, m: StepMemory) -> None:
        self.elimination, self.memory = elimination, m
        self.own: dict[int, int] = {}
        self.weights: dict[tuple[int, int], int] = {}

    def solve(self, right: dict[int, int], first: Sequence[Sequence[int]], rest: Sequence[int]) -> None:
        """Steps of the solution; `right` has places of the right side, which are overwritten. Blocks that it does not have are zero.

        first   of each block that is eliminated first: the places of its solution, one by one
        rest    the first place of that of each other block
        """
        e, m = self.elimination, self.memory
        sizes, count = e.sizes, e.first
        for k in e.order:
            if k in right:
                for i in e.below[k]:
                    if i not in right:
                        right[i] = m.take(sizes[i])
                    m.add(_push(sizes[i], sizes[k]), [self.weights[i, k], right[k]], [right[i]])
        for k in reversed(e.order):
            is_apart = k < count
            places = first[k] if is_apart else [rest[k - count]]
            if k in right:
                m.add(_solve(sizes[k], is_apart), [self.own[k], right[k]], places)
            for i in e.below[k]:
                m.add(_pull(sizes[i], sizes[k], is_apart), [self.weights[i, k], rest[i - count]], places)
            if k not in right and not e.below[k]:
                m.add(_zeros(sizes[k], is_apart), [], places)


# --------------------------------------------------------------------------------------------------------- fragments


def slots(which: int, n: int) -> tuple[Symbol, ...]:
    return tuple(symbol(f"{_NAMES[which]}_{k}", "material") for k in range(n))


def upper_places(n: int) -> list[tuple[int, int]]:
    """Of the upper triangle, by rows."""
    return [(i, j) for i in range(n) for j in range(i, n)]


def _fragment(inputs: Sequence[tuple[Symbol, ...]], *outputs: Sequence[Expr]) -> Fragment:
    return Fragment(tuple(inputs), tuple(tuple(x) for x in outputs), (False,) * len(outputs))


def _full(n: int, upper: Sequence[Expr]) -> list[Expr]:
    at = {p: k for k, p in enumerate(upper_places(n))}
    return [upper[at[min(i, j), max(i, j)]] for i in range(n) for j in range(n)]


@cache
def _factor(n: int) -> Fragment:
    a = slots(0, n * (n + 1) // 2)
    factors = _full(n, a)
    definite_factor(n, factors)
    return _fragment([a], factors)


@cache
def _guarded_factor(n: int) -> Fragment:
    """Without a value where a pivot is noise."""
    a, trace = slots(0, n * (n + 1) // 2), slots(1, 1)
    factors = _full(n, a)
    definite_factor(n, factors)
    least = MIN_PIVOT * abs(trace[0])
    for k in range(n):
        inverse = factors[n * k + k]
        factors[n * k + k] = value_where(abs(inverse) * least < 1, inverse)
    return _fragment([a, trace], factors)


@cache
def _trace(n: int) -> Fragment:
    a = slots(0, n * (n + 1) // 2)
    total: Expr = ZERO
    for x, (i, j) in zip(a, upper_places(n), strict=True):
        total = total + x if i == j else total
    return _fragment([a], [total])


@cache
def _weights(r: int, n: int) -> Fragment:
    a, f = slots(0, r * n), slots(1, n * n)
    out: list[Expr] = []
    for i in range(r):
        row: list[Expr] = list(a[n * i : n * i + n])
        definite_solve(n, list(f), row)
        out += row
    return _fragment([a, f], out)


def _less_product(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    total: Expr = ZERO
    for x, y in zip(a, b, strict=True):
        total = total - x * y
    return total


@cache
def _update(r: int, s: int, n: int) -> Fragment:
    a, w = slots(0, r * n), slots(1, s * n)
    return _fragment(
        [a, w],
        [_less_product(a[n * i : n * i + n], w[n * j : n * j + n]) for i in range(r) for j in range(s)],
    )


@cache
def _own_update(r: int, n: int) -> Fragment:
    a, w = slots(0, r * n), slots(1, r * n)
    return _fragment([a, w], [_less_product(a[n * i : n * i + n], w[n * j : n * j + n]) for i, j in upper_places(r)])


@cache
def _push(r: int, n: int) -> Fragment:
    w, b = slots(0, r * n), slots(1, n)
    return _fragment([w, b], [_less_product(w[n * i : n * i + n], b) for i in range(r)])


@cache
def _pull(r: int, n: int, is_apart: bool) -> Fragment:
    w, x = slots(0, r * n), slots(1, r)
    return _fragment([w, x], *_groups_of([_less_product(w[j::n], x) for j in range(n)], is_apart))


@cache
def _solve(n: int, is_apart: bool) -> Fragment:
    f, b = slots(0, n * n), slots(1, n)
    x: list[Expr] = list(b)
    definite_solve(n, list(f), x)
    return _fragment([f, b], *_groups_of(x, is_apart))


@cache
def _zeros(n: int, is_apart: bool) -> Fragment:
    return _fragment([], *_groups_of([ZERO] * n, is_apart))


def _groups_of(x: Sequence[Expr], is_apart: bool) -> list[Sequence[Expr]]:
    """One group, or each entry as its own."""
    return [[e] for e in x] if is_apart else [x]
