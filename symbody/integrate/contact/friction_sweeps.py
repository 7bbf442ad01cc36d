"""Projected Gauss-Seidel for many contacts, as a kernel: each contact in turn gets the force that suits the others.

Normal rows come first; a cone has one or two rows from `first` on (Jourdan, Alart, Jean 1998).
"""

from __future__ import annotations

from math import sqrt

from ...emit.loops.language import Indices, Mutable, Numbers
from ...emit.loops.records import Struct


class Sweeps(Struct):
    """A problem of n rows: A, b, forces x; of its cones the first row, number of rows, coefficient, normal force given
    + share · x, largest eigenvalue of their part of A, whether the direction of slip is known (`fixed`), that
    direction, and viscous force. `change` and `largest`: of the forces in the last
    sweep."""

    n: Mutable[int]
    normals: Mutable[int]
    cones: Mutable[int]
    most: int
    tolerance: float
    A: Numbers
    b: Numbers
    x: Numbers
    first: Indices
    count: Indices
    fixed: Indices
    mu: Numbers
    given: Numbers
    share: Numbers
    stiff: Numbers
    way: Numbers
    offset: Numbers
    w: Numbers
    change: Mutable[float]
    largest: Mutable[float]


def swept(sweeps: Sweeps) -> int:
    """Sweeps until no force changes by more than the tolerance, in parts of the largest; their number, or -1 where they
    do not end."""
    for turn in range(sweeps.most):
        sweep(sweeps)
        if sweeps.change <= sweeps.tolerance * sweeps.largest:
            return turn
    return -1


def sweep(s: Sweeps) -> None:
    """New forces of all rows, one after another; `change` and `largest` are of these."""
    change = 0.0
    largest = 0.0
    for i in range(s.normals):
        new = max(0.0, s.x[i] - row_motion(s, i) / max(s.A[i * s.n + i], 1e-300))
        change = max(change, abs(new - s.x[i]))
        largest = max(largest, new)
        s.x[i] = new
    for c in range(s.cones):
        change = max(change, cone_change(s, c))
        for r in range(s.count[c]):
            largest = max(largest, abs(s.x[s.first[c] + r]))
    s.change = change
    s.largest = largest


def row_motion(s: Sweeps, i: int) -> float:
    """(A x + b)_i."""
    out = s.b[i]
    for j in range(s.n):
        out += s.A[i * s.n + j] * s.x[j]
    return out


def cone_change(s: Sweeps, c: int) -> float:
    """New forces of a cone, into its disc; by how much they changed."""
    limit = s.mu[c] * abs(normal_force(s, c))
    size = 0.0
    for r in range(s.count[c]):
        i = s.first[c] + r
        s.w[r] = -(limit + s.offset[c]) * s.way[2 * c + r]
        if s.fixed[c] == 0:
            s.w[r] = s.x[i] - row_motion(s, i) / s.stiff[c]
        size += s.w[r] * s.w[r]
    size = sqrt(size)
    scale = 1.0
    if s.fixed[c] == 0 and size > limit:
        scale = limit / size
    change = 0.0
    for r in range(s.count[c]):
        i = s.first[c] + r
        change = max(change, abs(scale * s.w[r] - s.x[i]))
        s.x[i] = scale * s.w[r]
    return change


def normal_force(s: Sweeps, c: int) -> float:
    """given + share · x of a cone."""
    normal = s.given[c]
    for j in range(s.n):
        normal += s.share[c * s.n + j] * s.x[j]
    return normal
