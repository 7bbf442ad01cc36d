"""The rank of the constraints on the branch of configurations to which a state belongs.

`derive` decides from configurations of its own which constraints are redundant; configurations can form branches of
different rank (`derivation/equations/constraint_rank.py`). So the rank is found again at the state with which a motion
begins, and its accelerations and reactions come from equations that are bordered for that rank.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...derivation.equations.constraint_rank import constraint_rank, full_rank_at
from ...derivation.equations.equations import Equations
from ...derivation.rank.row_space import RowSpace

if TYPE_CHECKING:
    from .state import State

NEARLY_SINGULAR: Final = 1e-5  # smallest singular value below which redundancy is examined at the start


@dataclass(frozen=True)
class RunRank:
    """Ranks of the constraints in a run: of all rows, of the holonomic ones; rows that are independent, and sizes of
    all at the start.

    is_known   False where it was not found, because no regular configuration was
    space      row space at a regular configuration of the branch, where rows are redundant
    """

    rank: int
    holonomic: int
    independent: tuple[int, ...]
    sizes: tuple[float, ...]
    is_known: bool = True
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


def rank_of_branch(state: State) -> RunRank:
    """The rank of the constraints at a start; where rows depend on each other there, that of regular configurations
    around it."""
    eq = state.equations
    m, k = len(eq.lam), len(eq.phi.entries) if eq.lam else 0
    if not m:
        return RunRank(0, 0, (), ())
    numbers = {s: state.values[s.name] for s in eq.variables.of("q u z r p t").symbols}
    if (full := full_rank_at(eq, numbers)) is not None:
        return RunRank(m, k, tuple(range(m)), tuple(map(float, full.space.sizes)))
    space = state.row_space
    sizes = tuple(map(float, space.sizes))
    if space.rank == m and space.smallest > NEARLY_SINGULAR:
        return RunRank(m, k, tuple(range(m)), sizes)
    table = eq.variables.of("q r p t")
    found = constraint_rank(eq, {s: state.values[s.name] for s in table.symbols})
    if found is None or found.is_full:
        return RunRank(m, k, tuple(range(m)), sizes, found is not None)
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
