"""Forward dynamics of motions without constraints: u' by composite and by articulated bodies; the compiler takes the
one with fewer operations."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from ...algebra.graph.functions import value_where
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.late_matrix import LateSquare
from ...algebra.graph.linear import MIN_PIVOT, factorize
from ...algebra.graph.matrix import Matrix, cross, dot, vector
from ...errors import DerivationError
from ...progress import begin_stage
from ..equations.equations import Equations
from ..equations.own_terms import in_own_terms
from ..kinematics.kinematics import Kinematics
from ..kinematics.unknown_positions import has_unknown_places
from .articulated_bodies import accelerations_without_constraints, articulated_accelerations
from .constraint_sweeps import constraint_sweeps
from .link_sweeps import swept_accelerations, swept_tree_accelerations
from .shortest_forms import shortest_equations

MANY_SPEEDS: Final = 100  # from which on numbers for each pair are left out


def ways_to_accelerations(eq: Equations) -> list[Matrix]:
    """u' of the equations as they are and, where these are the equations of a tree in its own speeds, by composite
    bodies in the fewest operations (CRBA) and by articulated bodies (ABA)."""
    begin_stage("accelerations")
    mechanism = eq.mechanism
    if (closed := constraint_sweeps(eq)) is not None:
        return [closed.accelerations(is_guarded=True)[0]]
    if mechanism.has_written_motion or mechanism.elastic_bodies or has_unknown_places(mechanism):
        return [eq.udot]
    if eq.route != "recursive" or eq.u != mechanism.u or eq.lam or eq.dropped:
        return [eq.udot]
    if (swept := swept_accelerations(eq)) is not None:
        return in_own_terms(eq, [swept])
    kinematics = Kinematics(mechanism)
    if isinstance(eq.M, LateSquare):  # many bodies: the recursion alone takes operations in proportion to their number
        return [_by_articulated_bodies(eq, kinematics)]
    ways = [eq.udot]
    if (shortest := shortest_equations(mechanism, kinematics)) is not None:
        M, f = in_own_terms(eq, list(shortest))
        ways.append(factorize(M, "definite", eq.augmented.factors.inertias).solve(f))
    with suppress(DerivationError):  # a speed that moves several frames
        ways.append(_by_articulated_bodies(eq, kinematics))
    return ways


def solutions_in_loops(eq: Equations) -> tuple[Expr, ...] | None:
    """u' and the multipliers of many equal links, with constraints or without; None of others."""
    if (closed := constraint_sweeps(eq)) is not None:
        return tuple(e for m in closed.accelerations(is_guarded=True) for e in m.entries)
    mechanism = eq.mechanism
    if (
        len(eq.u) < MANY_SPEEDS
        or mechanism.has_written_motion
        or mechanism.elastic_bodies
        or has_unknown_places(mechanism)
    ):
        return None
    if eq.route != "recursive" or eq.u != mechanism.u or eq.lam or eq.dropped or eq.dependent:
        return None
    swept = swept_accelerations(eq)
    return None if swept is None else tuple(in_own_terms(eq, [swept])[0].entries)


def tree_accelerations(eq: Equations) -> Matrix | None:
    """u' of the tree that is left where the constraints are taken away; None where no recursion over the tree applies."""
    mechanism = eq.mechanism
    if mechanism.has_written_motion or mechanism.elastic_bodies or has_unknown_places(mechanism):
        return None
    if eq.route != "recursive" or eq.u != mechanism.u or eq.dropped or eq.dependent:
        return None
    if (swept := swept_tree_accelerations(eq)) is not None:
        return in_own_terms(eq, [swept])[0]
    with suppress(DerivationError):  # a speed that moves several frames
        udot = accelerations_without_constraints(mechanism, Kinematics(mechanism))
        return _without_value_where_locked(eq, in_own_terms(eq, [udot])[0])
    return None


def is_made_fast(eq: Equations) -> bool:
    """Whether accelerations are loops over equal links: these are derived in less time than it takes to compare the
    equations with stored ones."""
    if constraint_sweeps(eq) is not None:
        return True
    return not eq.lam and eq.route == "recursive" and swept_accelerations(eq) is not None


def has_many_pairs(eq: Equations) -> bool:
    """Whether numbers for each pair of speeds (M, derivatives as matrices) would take more than everything else of equations in
    loops: they are written only when requested by name."""
    return len(eq.u) >= MANY_SPEEDS and is_made_fast(eq)


def _by_articulated_bodies(eq: Equations, kinematics: Kinematics) -> Matrix:
    udot = articulated_accelerations(eq.mechanism, kinematics)
    return _without_value_where_locked(eq, in_own_terms(eq, [udot])[0])


def _without_value_where_locked(eq: Equations, udot: Matrix) -> Matrix:
    """Accelerations by articulated bodies, whose pivots are not those of M: where the inertia that three angles of a
    joint move is singular to rounding, det B ≤ LEAST_PIVOT B₁₁ B₂₂ B₃₃, they have no value."""
    guard: Expr = ZERO
    for angles in eq.variables.rotations_by_angles.values():
        own = [eq.u.index(v.symbol.dot) for v in angles if v.symbol.dot in eq.u]
        if len(own) == 3:
            B = [[eq.M[i, j] for j in own] for i in own]
            det = dot(vector(*B[0]), cross(vector(*B[1]), vector(*B[2])))
            size = B[0][0] * B[1][1] * B[2][2]
            guard = guard + value_where(MIN_PIVOT * size < det, ZERO, of=size)
    return Matrix(udot.rows, 1, tuple(e + guard for e in udot.entries))
