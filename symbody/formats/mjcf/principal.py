"""Principal inertias of a body, where a file bounds them."""

from __future__ import annotations

import math
from typing import Final

from ..robot.link_frames import Mat, symmetric

ENOUGH: Final = 30  # sweeps of Jacobi's method, which doubles its digits in each of the last ones


def bounded_inertia(I: Mat, least: float, balances: bool) -> Mat:
    """The tensor with principal inertias of at least `least`; `balances`: three equal ones where two are less than the
    third."""
    values, axes = principal(I)
    bounded = [max(v, least) for v in values]
    small = sorted(bounded)
    if balances and small[0] + small[1] < small[2]:
        bounded = [math.fsum(bounded) / 3] * 3
    if bounded == values:
        return I
    return symmetric(
        [[math.fsum(bounded[k] * axes[i][k] * axes[j][k] for k in range(3)) for j in range(3)] for i in range(3)]
    )


def principal(I: Mat) -> tuple[list[float], list[list[float]]]:
    """Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations."""
    A = [[float(x) for x in row] for row in I]
    V = [[float(i == j) for j in range(3)] for i in range(3)]
    for _ in range(ENOUGH):
        if abs(A[0][1]) + abs(A[0][2]) + abs(A[1][2]) <= 1e-300:
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if A[p][q] == 0:
                continue
            theta = (A[q][q] - A[p][p]) / (2 * A[p][q])
            t = math.copysign(1 / (abs(theta) + math.hypot(theta, 1)), theta)
            c = 1 / math.hypot(t, 1)
            s = t * c
            for k in range(3):
                A[k][p], A[k][q] = c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]
            for k in range(3):
                A[p][k], A[q][k] = c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]
            for k in range(3):
                V[k][p], V[k][q] = c * V[k][p] - s * V[k][q], s * V[k][p] + c * V[k][q]
    return [A[k][k] for k in range(3)], V
