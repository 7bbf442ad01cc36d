"""Loops over many equal parts that constraints or loads couple: trees on the ground, or the links of one tree."""

from __future__ import annotations

from ..equations.equations import Equations
from ..routes.linked_equations import linked_equations
from ..routes.repeated_equations import repeated_equations
from .constraint_schedules import ConstraintSweeps
from .link_sweeps import swept_tree
from .linked_sweeps import LinkedSweeps


def constraint_sweeps(eq: Equations) -> ConstraintSweeps | None:
    """The loops of some equations; None where these were not derived type by type, or constraints are redundant."""
    if eq.route != "recursive" or eq.u != eq.mechanism.u or eq.dropped or eq.dependent:
        return None
    if eq.border is not None or len(eq.lam) != len(eq.mechanism.constraints):
        return None
    return eq.cached("constraint sweeps", (), lambda: _sweeps_of(eq))


def _sweeps_of(eq: Equations) -> ConstraintSweeps | None:
    if (trees := repeated_equations(eq.mechanism)) is not None:
        return ConstraintSweeps(eq, trees)
    linked = linked_equations(eq.mechanism)
    tree = None if linked is None else swept_tree(eq.mechanism)
    return None if linked is None or tree is None else LinkedSweeps(eq, linked, tree)
