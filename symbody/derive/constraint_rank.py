"""The rank of the constraints: one answer for everything that asks, found where they hold and are regular.

Redundant constraints leave no trace in how many there are, and no single configuration tells them: off the constraints rows that follow
from others are independent, in singular positions rows are dependent that elsewhere are not. So the rank is that of Jc at a configuration
that keeps the constraints, away from singular positions. Newton's method is drawn to these (where there are as many rows as coordinates but
fewer are independent, the iteration ends where the rank is least), so that such places are left again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ..algebra.evaluate import evaluate
from ..algebra.graph import Expr, as_expr
from ..algebra.matrix import Matrix
from ..algebra.trust_region import Array
from ..errors import EvaluationError
from .configuration import Values, closed, configuration, slopes_of_positions
from .saddle_point import Border

if TYPE_CHECKING:
    from .equations import Equations

LARGEST: Final = 40  # speeds; in larger systems the rank is found only where it is asked for by `audit`
RANK: Final = 1e-7
"""A direction counts as constrained where its singular value exceeds this part of the largest, rows being scaled to length one. A
configuration found to rounding is exact to 1e-8 only where it is singular, so that nothing smaller could be told from zero."""
REGULAR: Final = 1e-3  # smallest singular value above which a configuration is regular beyond doubt
FADED: Final = 1e-4  # rows smaller than this part of the largest are compared with what they are around
NEIGHBOURS: Final = 4  # places at which that is looked at
PLACES: Final = 2  # configurations that are looked at where there is doubt
TRIES: Final = 6  # ways to leave a singular position, for each number of coordinates that are held,
MOST_TRIES: Final = 18  # and altogether, before those for the largest number


class DependentRow(NamedTuple):
    """A row that follows from others: Σ weights[k] row_k = 0, with weights[row] = 1."""

    row: int
    others: tuple[int, ...]
    weights: Mapping[int, float]


@dataclass(frozen=True, eq=False)
class RowSpace:
    """Rank of a matrix with rows of any units, and the combinations of rows that vanish.

    rank       singular values above `RANK` of the largest, rows being scaled to length one
    smallest   of these singular values
    null       n with nᵀ J = 0, one in each column
    sizes      of the rows
    """

    rank: int
    smallest: float
    null: Array
    sizes: Array

    @classmethod
    def of(cls, J: Array, sizes: Array | None = None) -> RowSpace:
        """sizes: of the rows elsewhere, where they may have come near to zero here."""
        if not len(J):
            return cls(0, 1.0, np.zeros((0, 0)), np.zeros(0))
        sizes = sizes_of_rows(J) if sizes is None else sizes
        U, s, _ = np.linalg.svd(J / sizes[:, None])
        s = s / max(s[0], 1e-300) if len(s) else s
        rank = int(np.sum(s > RANK))
        return cls(rank, float(s[rank - 1]) if rank else 1.0, U[:, rank:] / sizes[:, None], sizes)

    @property
    def condition(self) -> float:
        return 1 / self.smallest

    @property
    def border(self) -> Border | None:
        """The bordering that makes Jc M⁻¹ Jcᵀ regular here; None where it is."""
        if not self.null.shape[1]:
            return None
        B = self.null * self.sizes[:, None] ** 2
        m, k = B.shape
        return Border(Matrix(m, k, tuple(as_expr(float(x)) for x in B.ravel())), tuple(map(float, self.sizes)))

    @property
    def dependent(self) -> tuple[DependentRow, ...]:
        """The rows that follow from others, later rows before earlier ones; as many as the rank is short of them.

        The left null space has a vector for each dependence. Rows are redundant together where their part of it is regular; there they
        can be written as combinations of the others.
        """
        sizes = np.max(np.abs(self.null), axis=1, initial=0.0)
        chosen = _independent_from_below(self.null / max(np.max(sizes, initial=0.0), 1e-300))
        weights = np.asarray(np.linalg.solve(self.null[chosen].T, self.null.T).T if chosen else self.null, np.float64)
        return tuple(DependentRow(i, *_combination(weights[:, j], chosen, i)) for j, i in enumerate(chosen))


def _combination(weights: Array, chosen: list[int], row: int) -> tuple[tuple[int, ...], dict[int, float]]:
    least = 1e-6 * float(np.max(np.abs(weights), initial=0.0))
    parts = {k: float(w) for k, w in enumerate(weights) if k == row or (k not in chosen and abs(w) > least)}
    return tuple(k for k in parts if k != row), parts


def sizes_of_rows(J: Array) -> Array:
    """Scales that make rows comparable: their length; but a row that is nothing beside the largest stays so."""
    sizes = np.linalg.norm(J, axis=1)
    largest = np.max(sizes, initial=0.0)
    return np.where(sizes > 1e-9 * largest, sizes, largest or 1.0)


def typical_sizes(eq: Equations, entries: Sequence[Expr], J: Array, values: Mapping[Any, float]) -> Array:
    """Sizes of the rows of a matrix around a configuration in which it is J: a row that has come near to zero there is small beside them."""
    own = np.linalg.norm(J, axis=1)
    if not len(own) or np.min(own) > FADED * np.max(own):
        return sizes_of_rows(J)
    random, sizes = Random(1), own
    for _ in range(NEIGHBOURS):
        moved = {v.symbol: _moved(values[v.symbol], v.is_angle, random.uniform(-1, 1)) for v in eq.variables.of("q")}
        there = _numbers(entries, {**values, **moved}, J.shape[1])
        if there is not None:
            sizes = np.maximum(sizes, np.linalg.norm(there, axis=1))
    return np.where(sizes > 0, sizes, 1.0)


def _moved(x: float, is_angle: bool, by: float) -> float:
    return x + by if is_angle else x * (1 + by / 2)


def _independent_from_below(vectors: Array) -> list[int]:
    """As many rows as there are columns, independent of each other, the last ones that are."""
    chosen: list[int] = []
    basis = np.zeros((0, vectors.shape[1]))
    for i in reversed(range(len(vectors))):
        rest = vectors[i] - basis.T @ (basis @ vectors[i])
        if len(chosen) < vectors.shape[1] and np.linalg.norm(rest) > 1e-5:
            chosen.append(i)
            basis = np.linalg.qr(vectors[chosen].T)[0].T
    return chosen


def dependent_columns(J: Array, order: Sequence[int], kept: set[int]) -> list[int]:
    """Columns of full rank, taken in order where they are not nearly dependent on those taken before; nearer where that keeps what is to
    be independent. None where there are none."""
    if not J.size:
        return []
    scaled = J / np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-300)
    rank = int(np.linalg.matrix_rank(scaled, tol=1e-9))
    found: list[int] = []
    for least in (0.1, 0.01, 1e-7):
        chosen: list[int] = []
        left = scaled.copy()
        for j in order:
            if len(chosen) == rank:
                break
            sizes = np.linalg.norm(left, axis=0)
            if sizes[j] > least * sizes.max():
                chosen.append(j)
                direction = left[:, j] / sizes[j]
                left = left - np.outer(direction, direction @ left)
        if len(chosen) == rank:
            found = found or chosen
            if not kept & set(chosen):
                return chosen
    return found


# ---------------------------------------------------------------------------------------------------------- of equations


@dataclass(frozen=True, eq=False)
class ConstraintRank:
    """The rank of Jc where the constraints hold and are regular.

    rank, holonomic   of all rows, and of those that are rates of phi
    space             null vectors, dependent rows and condition number there
    values            that place: a number for every symbol
    """

    rank: int
    holonomic: int
    space: RowSpace
    values: Values

    @property
    def is_full(self) -> bool:
        return not self.space.null.shape[1]


def constraint_rank(eq: Equations, given: Mapping[Any, float] | None = None) -> ConstraintRank | None:
    """The rank of the constraints; None where no regular configuration was found that keeps them.

    given   numbers that are kept: parameters; coordinates, near which to look
    """
    key = None if given is None else tuple(sorted((str(k), float(v)) for k, v in given.items()))
    return eq.cached("constraint rank", key, lambda: _found(eq, given))


def _found(eq: Equations, given: Mapping[Any, float] | None) -> ConstraintRank | None:
    best: ConstraintRank | None = None
    for seed in range(1, 1 + PLACES):
        here = configuration(eq, seed, given)
        place = regular(eq, here.values, Random(seed)) if here.holds else None
        found = None if place is None else rank_at(eq, place)
        if found and (best is None or (found.rank, found.space.smallest) > (best.rank, best.space.smallest)):
            best = found
        if best and best.is_full:
            break
    return best


def rank_at(eq: Equations, values: Values) -> ConstraintRank | None:
    """The rank in one configuration; None where the constraints have no value there."""
    Jc = _numbers(eq.Jc.entries, values, len(eq.u))
    if Jc is None:
        return None
    sizes = typical_sizes(eq, eq.Jc.entries, Jc, values)
    space = RowSpace.of(Jc, sizes)
    k = len(eq.phi.entries)
    holonomic = space.rank if k == len(Jc) else RowSpace.of(Jc[:k], sizes[:k]).rank
    return ConstraintRank(space.rank, holonomic, space, values)


def _numbers(entries: Sequence[Expr], values: Mapping[Any, float], columns: int) -> Array | None:
    try:
        return np.array(evaluate(list(entries), values), dtype=np.float64).reshape(
            len(entries) // max(columns, 1), columns
        )
    except (EvaluationError, OverflowError):
        return None


# ---------------------------------------------------------------------------------------------------------- away from singular positions


def regular(eq: Equations, values: Values, random: Random, leaves: bool = False) -> Values | None:
    """A regular configuration near one that keeps the constraints; None where none is found.

    leaves   look for another one also where this one is regular

    With as many coordinates held as there are degrees of freedom, the constraints have isolated solutions, to which Newton's method
    converges. That it were so many is seen from the rank there: n coordinates less the rank of phi.
    """
    here, n, rows = _positions(eq, values), len(eq.q), len(eq.position_rows)
    if here is None or (here.rank == rows and here.smallest > REGULAR and not leaves):
        return None if here is None else values
    counts = range(max(n - rows, 0), n - here.rank + 1)
    tries = [held for held in counts for _ in range(TRIES)]
    if len(tries) > MOST_TRIES:  # rather as many as the rank here says, which is right where it is regular
        tries = [*tries[:MOST_TRIES], *tries[-TRIES:]]
    for held in tries:
        reached = _elsewhere(eq, values, held, random)
        there = None if reached is None else _positions(eq, reached)
        if there is not None and n - there.rank == held and there.smallest > REGULAR:
            return reached
    return None


def _elsewhere(eq: Equations, values: Values, held: int, random: Random) -> Values | None:
    """A configuration in which some coordinates have other values, chosen at random."""
    moved = {v.symbol: _moved(values[v.symbol], v.is_angle, random.uniform(-1, 1)) for v in eq.variables.of("q")}
    fixed = set(random.sample(eq.q, held))
    reached, found = closed(eq, [q for q in eq.q if q not in fixed], {**values, **moved})
    return reached if found.holds else None


def _positions(eq: Equations, values: Values) -> RowSpace | None:
    """Rank of phi and of the norms of Euler parameters."""
    entries = slopes_of_positions(eq, eq.q)
    J = _numbers(entries, values, len(eq.q)) if entries else np.zeros((0, len(eq.q)))
    return None if J is None else RowSpace.of(J, typical_sizes(eq, entries, J, values))
