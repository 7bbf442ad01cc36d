"""Accelerations of a mechanism without constraints, in the ways there are."""

from __future__ import annotations

from contextlib import suppress

from ..algebra.linear import solve
from ..algebra.matrix import Matrix
from ..errors import DerivationError
from .articulated import articulated
from .equations import Equations
from .kinematics import Kinematics


def free_accelerations(eq: Equations) -> list[Matrix]:
    """u' of M u' = f: with the mass matrix, and where these are a mechanism's own equations by the recursion, by articulated bodies too.

    Which takes fewer operations shows when they are lowered.
    """
    ways = [solve(eq.M, eq.f, "definite")]
    if eq.route == "recursive" and eq.u == eq.mechanism.u and not eq.dropped:
        with suppress(DerivationError):  # where a speed moves several frames there is only one way
            ways += eq.in_own_terms([articulated(eq.mechanism, Kinematics(eq.mechanism))])
    return ways
