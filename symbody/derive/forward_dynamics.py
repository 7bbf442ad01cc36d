"""Forward dynamics of motions without constraints: u' by composite and by articulated bodies; the compiler takes the one with fewer operations."""

from __future__ import annotations

from contextlib import suppress

from ..algebra.matrix import Matrix
from ..errors import DerivationError
from .articulated import articulated
from .equations import Equations
from .kinematics import Kinematics


def ways_to_accelerations(eq: Equations) -> list[Matrix]:
    """u' by composite bodies (CRBA) and, where these are the equations of a tree in its own speeds, by articulated bodies (ABA)."""
    ways = [eq.udot]
    if eq.mechanism.has_written_motion:  # inertia that is no body's
        return ways
    if eq.route == "recursive" and eq.u == eq.mechanism.u and not eq.is_constrained and not eq.dropped:
        with suppress(DerivationError):  # a speed that moves several frames
            ways += eq.in_own_terms([articulated(eq.mechanism, Kinematics(eq.mechanism))])
    return ways
