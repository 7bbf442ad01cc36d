"""Pairs of bodies that may touch, as kernels: boxes around bodies on a uniform grid, whose cells are kept in buckets.

Cells are as wide as the widest body of the grid, so that those of a pair are neighbours. Bodies that are much larger than
others are tried with all. The pairs of a body come one after another, always in the same order.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from .pile_records import BALL, DRUM, STATE, PileStep

CELL_LIMIT: Final = 1e6  # cells further out than this count as one
PRIME_X: Final = 73856093  # Teschner et al. 2003
PRIME_Y: Final = 19349663
PRIME_Z: Final = 83492791


def place_bodies(s: PileStep) -> None:
    """Boxes around all bodies, and the buckets of their cells."""
    g = s.grid
    for r in range(3):
        g.origin[r] = 1e300
    for i in range(s.n + s.fixed):
        set_box(s, i)
        for r in range(3):
            g.origin[r] = min(g.origin[r], g.low[3 * i + r])
    g.count = 0
    for k in range(g.buckets + 1):
        g.start[k] = 0
    for i in range(s.n + s.fixed):
        set_bucket(s, i)
        if g.bucket[i] >= 0:
            g.start[g.bucket[i]] += 1
    total = 0
    for k in range(g.buckets + 1):
        total += g.start[k]
        g.start[k] = total
    for down in range(s.n + s.fixed):
        i = s.n + s.fixed - 1 - down
        if g.bucket[i] >= 0:
            g.start[g.bucket[i]] -= 1
            g.sorted[g.start[g.bucket[i]]] = i


def set_box(s: PileStep, i: int) -> None:
    """The box around a body along the axes of the ground."""
    g = s.grid
    k = s.kind[i]
    for r in range(3):
        reach = s.shapes.radius[k]
        if s.shapes.solids == 1 and s.shapes.form[k] == DRUM:
            along = 0.0
            for j in range(3):
                along += s.turn[9 * i + 3 * r + j] * s.shapes.axis[3 * k + j]
            reach = abs(along) * s.shapes.half[k] + sqrt(max(0.0, 1.0 - along * along)) * s.shapes.radius[k]
        x = s.y[STATE * i + r]
        g.low[3 * i + r] = x - reach - s.margin
        g.high[3 * i + r] = x + reach + s.margin
        if is_by_corners(s, k) == 1:
            set_hull_side(s, i, r)


def is_by_corners(s: PileStep, k: int) -> int:
    """Whether a kind of body has corners, or balls."""
    if s.shapes.clumps == 0 and s.shapes.solids == 0:
        return 0
    return 1 if s.shapes.form[k] != BALL and s.shapes.form[k] != DRUM else 0


def set_hull_side(s: PileStep, i: int, r: int) -> None:
    low = 1e300
    high = -1e300
    k = s.kind[i]
    for c in range(s.shapes.corner[k], s.shapes.corner[k + 1]):
        x = 0.0
        for j in range(3):
            x += s.turn[9 * i + 3 * r + j] * s.shapes.corners[3 * c + j]
        low = min(low, x - s.shapes.sizes[c])
        high = max(high, x + s.shapes.sizes[c])
    s.grid.low[3 * i + r] = s.y[STATE * i + r] + low - s.margin
    s.grid.high[3 * i + r] = s.y[STATE * i + r] + high + s.margin


def set_bucket(s: PileStep, i: int) -> None:
    g = s.grid
    if 2.0 * s.shapes.reach[s.kind[i]] > g.widest:
        g.bucket[i] = -1
        g.large[g.count] = i
        g.count += 1
    else:
        set_cell(s, i)


def set_cell(s: PileStep, i: int) -> None:
    """The cell of a body, and its bucket. Bodies outside of the grid are in its outermost cells."""
    g = s.grid
    for r in range(3):
        cell = (0.5 * (g.low[3 * i + r] + g.high[3 * i + r]) - g.origin[r]) / g.size
        g.at[3 * i + r] = 1 + int(max(0.0, min(cell, CELL_LIMIT)))
    g.bucket[i] = bucket_of_cell(s, g.at[3 * i], g.at[3 * i + 1], g.at[3 * i + 2])


def bucket_of_cell(s: PileStep, x: int, y: int, z: int) -> int:
    return (x * PRIME_X + y * PRIME_Y + z * PRIME_Z) % s.grid.buckets


def is_apart(s: PileStep, i: int, j: int) -> int:
    """Whether the boxes of two bodies are apart."""
    g = s.grid
    for r in range(3):
        if g.low[3 * i + r] > g.high[3 * j + r] or g.low[3 * j + r] > g.high[3 * i + r]:
            return 1
    return 0
