"""Forward dynamics of motions without constraints: u' by composite and by articulated bodies; the compiler takes the one with fewer operations."""

from __future__ import annotations

from contextlib import suppress

from ..algebra.linear import solve
from ..algebra.matrix import Matrix
from ..errors import DerivationError
from .articulated import articulated
from .equations import Equations
from .kinematics import Kinematics
from .shortest_forms import shortest_equations
from .unknown_places import has_unknown_places


def ways_to_accelerations(eq: Equations) -> list[Matrix]:
    """u' of the equations as they are and, where these are the equations of a tree in its own speeds, by composite bodies in the fewest operations
    (CRBA) and by articulated bodies (ABA)."""
    ways = [eq.udot]
    mechanism = eq.mechanism
    if mechanism.has_written_motion or mechanism.elastic_bodies or has_unknown_places(mechanism):
        return ways
    if eq.route == "recursive" and eq.u == mechanism.u and not eq.is_constrained and not eq.dropped:
        kinematics = Kinematics(mechanism)
        if (shortest := shortest_equations(mechanism, kinematics)) is not None:
            M, f = eq.in_own_terms(list(shortest))
            ways.append(solve(M, f, "definite"))
        with suppress(DerivationError):  # a speed that moves several frames
            ways += eq.in_own_terms([articulated(mechanism, kinematics)])
    return ways
