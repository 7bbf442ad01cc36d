"""Configurations of many equal parts in which equal parts have equal coordinates.

Constraints of one type between such parts are then the same few equations in the coordinates of one part of each type. This
finds a configuration of a row of equal loops at the cost of one of them; where parts are placed by coordinates in the ground,
as the particles of a net, there is none.
"""

from __future__ import annotations

from collections.abc import Hashable
from random import Random
from typing import TYPE_CHECKING, Final

from ...algebra.graph.graph import Symbol
from ...algebra.graph.walk import substitute_all
from ..kinematics.uncoupled_trees import RepeatedParts
from .loop_closure import Values, zeros_of

if TYPE_CHECKING:
    from ..equations.equations import Equations

MAX_UNKNOWNS: Final = 60  # coordinates of one part of each type
TRIES: Final = 3


def alike_configuration(eq: Equations, parts: RepeatedParts, values: Values, random: Random) -> Values | None:
    """Values that satisfy the constraints on positions, beginning with those of the first part of each type; None if none are
    found."""
    first: dict[Hashable, tuple[Symbol, ...]] = {}
    stands_for: dict[Symbol, Symbol] = {}
    for tree in parts.trees:
        slots = first.setdefault(tree.kind, tree.slots)
        stands_for.update((s, a) for s, a in zip(tree.slots, slots, strict=True) if s in eq.mechanism.rates)
    unknowns = list(dict.fromkeys(stands_for.values()))
    if not 0 < len(unknowns) <= MAX_UNKNOWNS or len(stands_for) != len(eq.q):
        return None
    rows = []
    seen, speeds = set[object](), set(eq.mechanism.u)
    for g in parts.groups:
        key = g.kind, tuple(stands_for.get(s, s) for s in g.slots if s not in speeds)
        if key not in seen and g.constraints[0].is_holonomic:
            seen.add(key)
            inside = {s: stands_for[s] for s in g.slots if s in stands_for}
            rows += substitute_all([c.expression for c in g.constraints], inside)
    for _ in range(TRIES):
        start = {**values, **{q: random.uniform(-1, 1) for q in unknowns}}
        reached, found = zeros_of(rows, unknowns, start)
        if found.holds:
            return {**values, **{q: reached[a] for q, a in stands_for.items()}}
    return None
