"""Chains of loops in one tree: scissor lifts, and rings of links.

A lift of n stages has two crossed bars in each, pinned in the middle; their ends are pinned to those of the next stage. All
2n bars are one tree, which n - 1 pins close. A ring of n links is a chain whose last link is pinned to the ground.
"""

from __future__ import annotations

import math
from typing import Any, Final

import symbody as sb

SLOPE: Final = 0.6  # of the bars of a lift


def scissor_lift(n: int) -> sb.Model:
    m = sb.Model(f"scissor lift of {n} stages")
    m.gravity(0, -9.81, 0)
    below: Any = None
    for k in range(n):
        a = m.body(f"a{k}", mass=1.0, com=(0.5, 0, 0), inertia=(1e-3, 0.08, 0.08))
        b = m.body(f"b{k}", mass=1.0, inertia=(1e-3, 0.08, 0.08))
        m.revolute(f"a{k}", m.ground if below is None else below[1], a, at=(0 if below is None else 0.5, 0, 0))
        m.revolute(f"b{k}", a, b, at=(0.5, 0, 0))
        if below is not None:
            m.coincide(f"pin{k}", below[0].point(1, 0, 0), b.point(-0.5, 0, 0), along=m.ground, axes="xy")
        below = a, b
    return m


def scissor_start(n: int) -> dict[str, float]:
    crossing = math.pi - 2 * SLOPE
    return {"a0": SLOPE} | {f"b{k}": crossing for k in range(n)} | {f"a{k}": -crossing for k in range(1, n)}


def ring(n: int) -> sb.Model:
    m = sb.Model(f"ring of {n} links")
    m.gravity(0, -9.81, 0)
    before: Any = m.ground
    for k in range(n):
        link = m.body(f"link{k}", mass=1.0, com=(0.5, 0, 0), inertia=(1e-3, 0.08, 0.08))
        m.revolute(f"q{k}", before, link, at=(1 if k else 0, 0, 0))
        before = link
    m.coincide("closing", m.ground.point(1, 0, 0), before.point(1, 0, 0), along=m.ground, axes="xy")
    return m


def ring_start(n: int) -> dict[str, float]:
    """A regular polygon, of which the ground is one side."""
    turn = 2 * math.pi / (n + 1)
    return {f"q{k}": -turn if k else math.pi - turn for k in range(n)}
