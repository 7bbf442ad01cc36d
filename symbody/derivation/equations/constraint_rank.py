"""The rank of the constraints, evaluated once at a regular configuration that satisfies them.

The number of rows does not show redundant constraints, and neither does the rank at an arbitrary configuration: off the
constraints redundant rows are independent, and at singular configurations rows are dependent that elsewhere are not. So
the rank is that of Jc at a configuration that satisfies the constraints, away from singular configurations
(`regular_configuration.py`).

Configurations can form several branches of different rank: the cell of Peaucellier has one on which two of its bars
coincide, with one more degree of freedom. Where rows depend on each other at the first configurations, more are looked
for from other starts, and the largest rank counts: constraints are redundant that are so on all branches found. At a
given state it is that of its own branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any, Final

from ...algebra.graph.late_matrix import LateRows
from ...summary import Introduced, counted
from ..rank.configuration import MANY_COORDINATES, configuration
from ..rank.loop_closure import Values
from ..rank.regular_configuration import MIN_SINGULAR_VALUE, regular
from ..rank.row_space import RowSpace, numbers_at, typical_sizes
from ..rank.sparse_rows import SparseRow, sizes_of_sparse_rows, smallest_singular_value, sparse_numbers_at
from .equation_arguments import of_equations

if TYPE_CHECKING:
    from .equations import Equations

NEARBY_CONFIGURATIONS: Final = 2  # largest number of regular configurations examined while the rank is not full
CLEARLY_INDEPENDENT: Final = 1e-5  # smallest singular value of rows with few entries that is clearly not zero
MAX_STARTS: Final = 12  # largest number of starts all around from which a branch of larger rank is looked for
MAX_LARGE_STARTS: Final = 2  # the same of mechanisms with many coordinates, each of which takes long


@dataclass(frozen=True, eq=False)
class ConstraintRank(Introduced):
    """The rank of Jc at a regular configuration that satisfies the constraints.

    rank, holonomic   rank of all rows, and of those that are rates of phi
    space             null vectors, dependent rows and condition number there
    values            the configuration: a number for every symbol
    branches          ranks of the branches found, largest first, if branches were searched for; more than one if the
                      mechanism has branches of different mobility

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
    >>> name = m.constrain("ring", x**2 + y**2 - 1)
    >>> found = sb.derivation.constraint_rank(sb.derive(m))
    >>> found.rank, found.holonomic, found.is_full, found.branches
    (1, 1, True, ())

    See also: `derivation.constraint_rank`, `Equations`.
    """

    rank: int
    holonomic: int
    space: RowSpace
    values: Values
    branches: tuple[int, ...] = ()

    @property
    def is_full(self) -> bool:
        """Whether all rows are independent."""
        return not self.space.null.shape[1]


def branches_in_words(found: ConstraintRank, speeds: int) -> str:
    """A note on branches of different mobility; empty if all that were found have the same."""
    if len(found.branches) < 2:
        return ""
    others = ", ".join(f"rank {r} and {_freedom(speeds - r)}" for r in found.branches[1:])
    return (
        f"its configurations form branches of different mobility: rank {found.rank} of the constraints counts, which leaves "
        f"{_freedom(speeds - found.rank)}; another branch has {others}"
    )


def _freedom(count: int) -> str:
    return counted(count, "degree of freedom", "degrees of freedom")


@of_equations
def constraint_rank(eq: Equations, given: Mapping[Any, float] | None = None) -> ConstraintRank | None:
    """The rank of the constraints; None without constraints, or if the search found no regular configuration that
    satisfies them.

    given   values of parameters, which are kept, and of coordinates, near which the search starts

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
    >>> names = m.constrain("floor", y), m.constrain("table", 2 * y)
    >>> sb.derivation.constraint_rank(sb.derive(m, redundant=True)).rank
    1

    See also: `audit`, `Equations.rows`, `derivation.undetermined`.
    """
    if not eq.lam:
        return None
    key = None if given is None else tuple(sorted((str(k), float(v)) for k, v in given.items()))
    return eq.cached("constraint rank", key, lambda: _rank_by_search(eq, given))


def _rank_by_search(eq: Equations, given: Mapping[Any, float] | None) -> ConstraintRank | None:
    best: ConstraintRank | None = None
    for seed in range(1, 1 + NEARBY_CONFIGURATIONS):
        here = configuration(eq, seed, given)
        if not here.is_sought:
            return None
        if here.holds and (full := full_rank_at(eq, here.values)) is not None:
            return full
        place = regular(eq, here.values, Random(seed)) if here.holds else None
        found = None if place is None else rank_at(eq, place)
        if found and (best is None or (found.rank, found.space.smallest) > (best.rank, best.space.smallest)):
            best = found
        if best and best.is_full:
            break
    if best is None or best.is_full or given is not None:
        return best
    return on_other_branches(eq, best)


def on_other_branches(eq: Equations, best: ConstraintRank) -> ConstraintRank:
    """The largest rank of configurations from starts all around.

    The rank at any configuration is at most that of the regular ones on its branch: a larger one shows another branch,
    regular or not.
    """
    ranks, count = {best.rank}, MAX_LARGE_STARTS if len(eq.q) > MANY_COORDINATES else MAX_STARTS
    for seed in range(1, 1 + count):
        here = configuration(eq, seed, is_wide=True)
        found = rank_at(eq, here.values) if here.holds else None
        if found is None or found.space.smallest < MIN_SINGULAR_VALUE or found.rank <= best.rank:
            continue
        best = found
        ranks.add(found.rank)
        if best.is_full:
            break
    return replace(best, branches=tuple(sorted(ranks, reverse=True)))


def full_rank_at(eq: Equations, values: Values) -> ConstraintRank | None:
    """The rank of constraints with few entries that are clearly independent at a configuration; None of others."""
    if not isinstance(eq.Jc, LateRows):
        return None
    rows = sparse_numbers_at(eq.Jc.sparse_rows, values)
    space = None if rows is None else full_row_space(rows)
    return None if space is None else ConstraintRank(len(eq.lam), len(eq.phi.entries), space, values)


def full_row_space(rows: Sequence[SparseRow]) -> RowSpace | None:
    """That of rows with few entries that are clearly independent; None of others."""
    smallest = smallest_singular_value(rows)
    return None if smallest < CLEARLY_INDEPENDENT else RowSpace.full(smallest, sizes_of_sparse_rows(rows))


def rank_at(eq: Equations, values: Values) -> ConstraintRank | None:
    """The rank at one configuration; None if the constraints have no value there."""
    Jc = numbers_at(eq.Jc.entries, values, len(eq.u))
    if Jc is None:
        return None
    sizes = typical_sizes(eq, eq.Jc.entries, Jc, values)
    space = RowSpace.of(Jc, sizes)
    k = len(eq.phi.entries)
    holonomic = space.rank if k == len(Jc) else RowSpace.of(Jc[:k], sizes[:k]).rank
    return ConstraintRank(space.rank, holonomic, space, values)
