"""Where another branch begins at the state of a Moreau-Jean step, as kernels: its derivatives hold to one side only."""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Numbers
from ..complementarity.contact_arrays import set_motion
from .moreau_records import MoreauStep

BORDER: Final = 1e-9  # distance from another branch, as a fraction of its terms, below which derivatives are one-sided


def mark_borders(s: MoreauStep, found: Numbers) -> None:
    """1 for each contact, then each friction, next to whose branch another one begins: a gap that is zero at the midpoint, a
    contact that neither presses nor opens, restitution of a contact at rest, a friction at its limit without slip."""
    largest = 0.0
    for i in range(s.n_q):
        largest = max(largest, abs(s.y[i]))
    for k in range(s.contacts):
        if abs(s.gap[k]) <= BORDER * largest:
            found[k] = 1.0
    p = s.problem
    pressing = 0.0
    for i in range(p.normals):
        pressing = max(pressing, p.x[i])
    for i in range(p.n):
        set_motion(p, i)
    for i in range(p.normals):
        k = s.row[i]
        size = 0.0
        for j in range(s.n_u):
            size += abs(s.G[k * s.n_u + j] * s.y[s.n_q + j])
        if p.x[i] <= BORDER * pressing and abs(p.motion[i]) <= BORDER * p.terms[i]:
            found[k] = 1.0
        if s.restitution[k] != 0.0 and abs(s.speed[k]) <= BORDER * max(size, p.terms[i]):
            found[k] = 1.0
    for c in range(p.cones):
        distance = s.branches.size[c] - s.branches.limit[c]
        if abs(distance) <= BORDER * s.branches.limit[c]:
            found[s.contacts + s.cone[c]] = 1.0
