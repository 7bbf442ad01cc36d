"""The rank of the constraints, evaluated once at a regular configuration that satisfies them.

The number of rows does not show redundant constraints, and neither does the rank at an arbitrary configuration: off the
constraints redundant rows are independent, and at singular configurations rows are dependent that elsewhere are not. So
the rank is that of Jc at a configuration that satisfies the constraints, away from singular configurations
(`regular_configuration.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final

from ..rank.configuration import configuration
from ..rank.loop_closure import Values
from ..rank.regular_configuration import regular
from ..rank.row_space import RowSpace, numbers_at, typical_sizes

if TYPE_CHECKING:
    from .equations import Equations

MAX_CONFIGURATIONS: Final = 2  # largest number of configurations examined while the rank is not full


@dataclass(frozen=True, eq=False)
class ConstraintRank:
    """The rank of Jc where the constraints hold and are regular.

    rank, holonomic   rank of all rows, and of those that are rates of phi
    space             null vectors, dependent rows and condition number there
    values            that configuration: a number for every symbol

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
    >>> name = m.constrain("ring", x**2 + y**2 - 1)
    >>> found = sb.derivation.constraint_rank(sb.derive(m))
    >>> found.rank, found.holonomic, found.is_full
    (1, 1, True)

    See also: `derivation.constraint_rank`, `Equations`.
    """

    rank: int
    holonomic: int
    space: RowSpace
    values: Values

    @property
    def is_full(self) -> bool:
        """Whether no row depends on others."""
        return not self.space.null.shape[1]


def constraint_rank(eq: Equations, given: Mapping[Any, float] | None = None) -> ConstraintRank | None:
    """The rank of the constraints; None where there are none, or no regular configuration that satisfies them was found.

    given   values of parameters, which are kept, and of coordinates, near which the search starts

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
    >>> names = m.constrain("floor", y), m.constrain("table", 2 * y)
    >>> sb.derivation.constraint_rank(sb.derive(m, redundant=True)).rank
    1

    See also: `audit`, `Equations.rank`, `derivation.undetermined`.
    """
    if not eq.lam:
        return None
    key = None if given is None else tuple(sorted((str(k), float(v)) for k, v in given.items()))
    return eq.cached("constraint rank", key, lambda: _rank_by_search(eq, given))


def _rank_by_search(eq: Equations, given: Mapping[Any, float] | None) -> ConstraintRank | None:
    best: ConstraintRank | None = None
    for seed in range(1, 1 + MAX_CONFIGURATIONS):
        here = configuration(eq, seed, given)
        place = regular(eq, here.values, Random(seed)) if here.holds else None
        found = None if place is None else rank_at(eq, place)
        if found and (best is None or (found.rank, found.space.smallest) > (best.rank, best.space.smallest)):
            best = found
        if best and best.is_full:
            break
    return best


def rank_at(eq: Equations, values: Values) -> ConstraintRank | None:
    """The rank at one configuration; None where the constraints have no value there."""
    Jc = numbers_at(eq.Jc.entries, values, len(eq.u))
    if Jc is None:
        return None
    sizes = typical_sizes(eq, eq.Jc.entries, Jc, values)
    space = RowSpace.of(Jc, sizes)
    k = len(eq.phi.entries)
    holonomic = space.rank if k == len(Jc) else RowSpace.of(Jc[:k], sizes[:k]).rank
    return ConstraintRank(space.rank, holonomic, space, values)
