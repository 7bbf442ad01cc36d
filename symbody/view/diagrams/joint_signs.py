"""Signs of joints, supports and connections as textbooks draw them, in inches."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ...emit.run.callable import Array
from .diagram import Stroke
from .free_body import arrow_strokes, ring

PIN: Final = 0.065  # radius of a pin
BLOCK: Final = (0.19, 0.115)  # half the length and half the height of a sliding block
HATCH: Final = 0.075  # distance of hatching lines
DOWN: Final = np.array([0.0, -1.0])


def across(way: Array) -> Array:
    """Perpendicular to a direction, to its left."""
    return np.array([-way[1], way[0]])


def unit(way: Array) -> Array:
    return way / np.linalg.norm(way)


def hatching(begin: Array, end: Array, side: Array) -> list[Stroke]:
    """A line with hatching on one side: what does not move."""
    way = end - begin
    n = max(2, round(float(np.linalg.norm(way)) / HATCH))
    lean = 0.09 * (unit(side) - 0.8 * unit(way))
    ticks = [Stroke(np.stack([p, p + lean]), width=0.8) for p in (begin + way * (k + 0.5) / n for k in range(n))]
    return [Stroke(np.stack([begin, end]), width=1.4), *ticks]


def pin(p: Array) -> list[Stroke]:
    return ring(p, PIN)


def support(p: Array, down: Array = DOWN) -> list[Stroke]:
    """A triangle on the ground below a pin."""
    side = across(unit(down))
    base = p + 0.24 * unit(down)
    corners = np.stack([p, base + 0.15 * side, base - 0.15 * side])
    return [
        Stroke(np.vstack([corners, corners[:1]]), width=1.3, fill="#ffffff"),
        *hatching(base + 0.22 * side, base - 0.22 * side, down),
    ]


def roller(p: Array, normal: Array) -> list[Stroke]:
    """A pin on a triangle on two rollers: the ground pushes along the normal alone."""
    down = -unit(normal)
    side = across(down)
    base = p + 0.22 * down
    corners = np.stack([p, base + 0.14 * side, base - 0.14 * side])
    floor = base + 0.09 * down
    wheels = [s for k in (-1, 1) for s in ring(base + 0.045 * down + 0.07 * k * side, 0.04)]
    return [
        Stroke(np.vstack([corners, corners[:1]]), width=1.3, fill="#ffffff"),
        *wheels,
        *hatching(floor + 0.2 * side, floor - 0.2 * side, down),
    ]


def _rectangle(p: Array, way: Array, half: tuple[float, float], fill: str = "#ffffff") -> Stroke:
    a, b = half[0] * unit(way), half[1] * across(unit(way))
    corners = np.stack([p - a - b, p + a - b, p + a + b, p - a + b, p - a - b])
    return Stroke(corners, width=1.4, fill=fill)


def block(p: Array, way: Array, fill: str) -> list[Stroke]:
    """A block that slides along a direction."""
    return [_rectangle(p, way, BLOCK, fill)]


def guide(p: Array, way: Array, low: float, high: float, down: Array = DOWN) -> list[Stroke]:
    """The ground along which a block slides, on its lower side."""
    side = across(unit(way))
    side = side if float(side @ down) >= 0 else -side
    base = p + BLOCK[1] * side
    a, b = (base + (x) * unit(way) for x in (low - 0.45, high + 0.45))
    return hatching(a, b, side)


def rail(p: Array, way: Array, low: float, high: float) -> list[Stroke]:
    """A rod through a block."""
    ends = np.stack([p + (low - 0.4) * unit(way), p + (high + 0.4) * unit(way)])
    return [Stroke(ends, width=1.6)]


def cylinder(p: Array, way: Array, *, is_threaded: bool = False) -> list[Stroke]:
    """A sleeve on its axis: of a hinge seen from the side, of a cylinder, and with a thread of a screw."""
    a, b = 0.2 * unit(way), 0.09 * across(unit(way))
    out = [Stroke(np.stack([p - 1.9 * a, p + 1.9 * a]), "soft", 1.0, "dashed"), _rectangle(p, way, (0.2, 0.09))]
    for k in (-0.6, -0.1, 0.4) if is_threaded else ():
        out.append(Stroke(np.stack([p + k * a - b, p + (k + 0.3) * a + b]), width=1.0))
    return out


def ball(p: Array) -> list[Stroke]:
    """A ball in its socket."""
    angle = np.linspace(0.25 * math.pi, 1.75 * math.pi, 24)
    socket = p + 0.125 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return [Stroke(socket, width=1.8), *ring(p, 0.08)]


def cross(p: Array) -> list[Stroke]:
    """A universal joint."""
    arms = [
        Stroke(np.stack([p - 0.13 * w, p + 0.13 * w]), width=1.8) for w in (np.array([0.7, 0.7]), np.array([0.7, -0.7]))
    ]
    return [*ring(p, 0.1), *arms]


def spring(a: Array, b: Array, aside: float = 0.0) -> list[Stroke]:
    """A zigzag."""
    turns = 2 * max(4, min(12, round(float(np.linalg.norm(b - a)) / 0.3)))
    inner = [(0.15 + 0.7 * k / turns, 0.09 * (k % 2 * 2 - 1) * (0 < k < turns)) for k in range(turns + 1)]
    return [Stroke(_between(a, b, aside, inner), width=1.2)]


def damper(a: Array, b: Array, aside: float = 0.0) -> list[Stroke]:
    """A piston in a cup."""
    way, side = unit(b - a), 0.09 * across(unit(b - a))
    reach = min(0.16, 0.15 * float(np.linalg.norm(b - a)))
    line = _between(a, b, aside, [(0.5, 0.0)])
    middle = line[len(line) // 2]
    cup, piston = middle - reach * way, middle + 0.2 * reach * way
    walls = np.stack([middle + reach * way + side, cup + side, cup - side, middle + reach * way - side])
    return [
        Stroke(np.vstack([line[: len(line) // 2], cup]), width=1.2),
        Stroke(walls, width=1.2),
        Stroke(np.stack([piston + 0.75 * side, piston - 0.75 * side]), width=1.8),
        Stroke(np.vstack([piston, line[len(line) // 2 + 1 :]]), width=1.2),
    ]


def actuator(a: Array, b: Array, aside: float = 0.0) -> list[Stroke]:
    """A box with an arrow out of it, on the line between its ends."""
    way, length = unit(b - a), float(np.linalg.norm(b - a))
    line = _between(a, b, aside, [(0.5, 0.0)])
    middle = line[len(line) // 2]
    push = arrow_strokes(middle - 0.1 * way, middle + 0.13 * way, "load", head=0.08, width=1.2)
    return [Stroke(line, width=1.2), _rectangle(middle, way, (min(0.2, 0.3 * length), 0.075)), *push]


def _between(a: Array, b: Array, aside: float, inner: list[tuple[float, float]]) -> Array:
    """A line from a to b through points at these parts of the way and distances beside it; shifted aside between its ends."""
    way, side = b - a, across(unit(b - a))
    points = [a + s * way + (aside + d) * side for s, d in inner]
    ends = (
        [a + 0.08 * way, a + 0.08 * way + aside * side, b - 0.08 * way + aside * side, b - 0.08 * way] if aside else []
    )
    return np.stack([a, *ends[:2], *points, *ends[2:], b])


def spiral(p: Array) -> list[Stroke]:
    """A spring about a pin."""
    s = np.linspace(0, 1, 50)
    angle, radius = 4.5 * math.pi * s, 0.07 + 0.13 * s
    return [Stroke(p + radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1), "soft", 1.0)]


def pitch_circle(p: Array, radius: float) -> list[Stroke]:
    """A gear."""
    angle = np.linspace(0, 2 * math.pi, 61)
    return [Stroke(p + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1), width=1.2, style="dashed")]


def dimension(a: Array, b: Array, aside: Array) -> list[Stroke]:
    """A line of a dimension from a to b, shifted, with an arrow to b and lines from both."""
    begin, end = a + aside, b + aside
    out = [Stroke(np.stack([p + 0.1 * unit(aside), p + aside + 0.05 * unit(aside)]), "soft", 0.7) for p in (a, b)]
    return [*out, *arrow_strokes(begin, end, "ink", head=0.09, width=1.0)]
