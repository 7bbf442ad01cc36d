"""Mean axes (Tisserand frame): modes without linear and angular momentum, by subtracting a rigid motion from each.

    s_k' = s_k - t_k - r_k × s_0,    R (t_k, r_k) = ∫ (s_k, s_0 × s_k) dm

with R the inertia of the undeformed body, [m 1, -c̃; c̃, J]. Then ∫ s_k' dm = 0 and ∫ s_0 × s_k' dm = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.linear import solve
from ...algebra.graph.matrix import Matrix, cross
from ..mass.moments import Moments
from .elastic import Fields, given_modes
from .elastic_checks import rigid_coupling, rigid_inertia


def on_mean_axes(fields: Fields, table: Moments, turns: Any, q: Sequence[Symbol]) -> tuple[Fields, Any]:
    """Fields whose modes have no rigid motion, and angles of frames that go with them; fields of second order keep
    theirs."""
    n = len(q)
    rest = fields.fields[0]
    shifts, angles = rigid_parts(table, n)
    modes = [s - t - cross(r, rest) for s, t, r in zip(fields.fields[1 : n + 1], shifts, angles, strict=True)]
    made = Fields(fields.weights, (rest, *modes, *fields.fields[n + 1 :]))
    if turns is None:
        return made, None
    given = given_modes("turns=", turns)
    return made, [tuple((a - r).entries) for a, r in zip(given, angles, strict=True)]


def rigid_parts(table: Moments, n: int) -> tuple[list[Matrix], list[Matrix]]:
    """t_k and r_k. A body on a line has no inertia about it, and no part of a turn about it is taken out."""
    R, C = rigid_inertia(table), rigid_coupling(table, range(1, n + 1))
    kept = [i for i in range(6) if R[i, i] is not ZERO]
    inner = Matrix(len(kept), len(kept), tuple(R[i, j] for i in kept for j in kept))
    found: list[dict[int, Expr]] = []
    for k in range(n):
        x = solve(inner, [C[k, i] for i in kept], "definite")
        found.append(dict(zip(kept, x.entries, strict=True)))
    parts = [[Matrix(3, 1, tuple(x.get(3 * half + i, ZERO) for i in range(3))) for x in found] for half in (0, 1)]
    return parts[0], parts[1]
