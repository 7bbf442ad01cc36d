"""Principal inertias of a body, where a file bounds them."""

from __future__ import annotations

import math

import symbody as sb

from ..robot.link_frames import Mat, symmetric


def bounded_inertia(I: Mat, least: float, balances: bool) -> Mat:
    """The tensor with principal inertias of at least `least`; `balances`: three equal ones where two are less than the
    third."""
    values, axes = sb.algebra.symmetric_eigen(I)
    bounded = [max(v, least) for v in values]
    small = sorted(bounded)
    if balances and small[0] + small[1] < small[2]:
        bounded = [math.fsum(bounded) / 3] * 3
    if bounded == values:
        return I
    return symmetric(
        [[math.fsum(bounded[k] * axes[i][k] * axes[j][k] for k in range(3)) for j in range(3)] for i in range(3)]
    )
