"""The rank of the constraints on the branch of configurations to which a state belongs.

`derive` decides from configurations of its own which constraints are redundant; configurations can form branches of
different rank (`derivation/equations/constraint_rank.py`). So the rank is found again at the state with which a motion
begins, and its accelerations and reactions come from equations that are bordered for that rank.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...derivation.equations.constraint_rank import constraint_rank
from ...derivation.equations.equations import Equations
from ...derivation.rank.row_space import RowSpace
from .constraint_rows import rows_of
from .sparse_constraints import dependences

if TYPE_CHECKING:
    from .state import State

MANY_PLACED: Final = 100  # coordinates in loops, from which on no configuration is searched for from random starts
# smallest singular value below which constraints in loops, which are eliminated without pivots, have no accelerations
SINGULAR_IN_LOOPS: Final = 1e-6
NEARLY_SINGULAR: Final = 1e-5  # smallest singular value below which redundancy is examined at the start


@dataclass(frozen=True)
class RunRank:
    """Ranks of the constraints in a run: of all rows, of the holonomic ones; rows that are independent, and sizes of
    all at the start.

    is_known      False where it was not found, because no regular configuration was
    is_singular   whether the start is a singular position of constraints in loops, which have no accelerations there
    space         row space at a regular configuration of the branch, where rows are redundant
    """

    rank: int
    holonomic: int
    independent: tuple[int, ...]
    sizes: tuple[float, ...]
    is_known: bool = True
    is_singular: bool = False
    space: RowSpace | None = field(default=None, compare=False)

    @classmethod
    def full(cls, eq: Equations) -> RunRank:
        """Of constraints that are independent."""
        m, k = len(eq.lam), len(eq.phi.entries) if eq.lam else 0
        return cls(m, k, tuple(range(m)), (1.0,) * m)

    @property
    def redundancy(self) -> int:
        """Number of redundant rows."""
        return len(self.sizes) - self.rank

    @property
    def key(self) -> tuple[Any, ...]:
        """The part of it on which forms depend: sizes by their order of magnitude only."""
        return (self.rank, self.holonomic, self.independent, tuple(round(np.log10(x)) for x in self.sizes))


def run_rank(state: State) -> RunRank:
    """Of a state, which keeps it."""
    return state.branch_rank


def rank_of_branch(state: State, full: RowSpace | None) -> RunRank:
    """The rank of the constraints at a start; where rows depend on each other there, that of regular configurations
    around it. `full`: the row space, if its rows are clearly independent."""
    eq = state.equations
    m, k = len(eq.lam), len(eq.phi.entries) if eq.lam else 0
    if not m:
        return RunRank(0, 0, (), ())
    if full is not None:
        return RunRank(m, k, tuple(range(m)), tuple(map(float, full.sizes)))
    loops, is_singular = rows_of(eq).sparse, False
    if loops is not None:
        is_singular = float(dependences(loops.speed(*state.arguments)[0])[0][0]) < SINGULAR_IN_LOOPS
        if not is_singular or len(eq.q) > MANY_PLACED:  # configurations around it are not searched for
            return RunRank(m, k, tuple(range(m)), (1.0,) * m, is_known=not is_singular, is_singular=is_singular)
    space = state.row_space
    sizes = tuple(map(float, space.sizes))
    if space.rank == m and space.smallest > NEARLY_SINGULAR:
        return RunRank(m, k, tuple(range(m)), sizes)
    table = eq.variables.of("q r p t")
    found = constraint_rank(eq, {s: state.values[s.name] for s in table.symbols})
    if found is None or found.is_full:
        return RunRank(m, k, tuple(range(m)), sizes, found is not None, is_singular=is_singular)
    at = space if space.rank == found.rank else found.space
    rest = {d.row for d in at.dependent}
    independent = tuple(i for i in range(m) if i not in rest)
    return RunRank(found.rank, found.holonomic, independent, sizes, space=at)


def equations_of_branch(eq: Equations, found: RunRank) -> Equations:
    """The equations as they are where their redundant constraints are as many as here; otherwise bordered for the rank
    here."""
    if not found.is_known or _redundancy(eq) == found.redundancy:
        return eq
    if found.space is None:
        return eq.cached("equations of branch", None, lambda: replace(eq, border=None))
    border, null = found.space.border, tuple(np.round(found.space.null.ravel(), 2).tolist())
    return eq.cached("equations of branch", (found.key, null), lambda: replace(eq, border=border))


def _redundancy(eq: Equations) -> int:
    """Number of redundant rows for which the equations are bordered."""
    return 0 if eq.border is None else eq.border.B.cols


def branch_note(eq: Equations, found: RunRank) -> str:
    """The note if a branch differs from the one for which the equations were derived; empty otherwise."""
    m, known = len(eq.lam), _redundancy(eq)
    if not found.is_known or known == found.redundancy:
        return ""
    return (
        f"its {m} constraints have rank {found.rank} on the branch of this start, and {m - known} in the equations; "
        "accelerations and reactions are those of the branch"
    )
