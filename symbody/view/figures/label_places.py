"""Places of legends and of words at points, in pixels: where they cover no curve and none of the other words.

Boxes are rows (left, bottom, right, top). Words are placed one after another, each where it costs least: covering
another word costs most, then leaving the axes, covering a curve, and distance from its point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...emit.run.callable import Array

SPACING: Final = 4.0  # distance of the points by which curves are represented, in pixels
MARGIN: Final = 2.0  # smallest distance between words, in pixels
LEADER_DISTANCE: Final = 9.0  # distance up to which a word needs no line to its point
RINGS: Final = (6.0, 14.0, 26.0, 42.0, 62.0, 86.0, 116.0)  # distances from its point at which a word is tried
DIRECTIONS: Final = (
    (1, 1),
    (-1, 1),
    (1, -1),
    (-1, -1),
    (0, 1),
    (0, -1),
    (1, 0),
    (-1, 0),
    (2, 1),
    (-2, 1),
    (2, -1),
    (-2, -1),
)
ON_WORD, OUTSIDE, ON_CURVE, FAR, OTHER_SIDE = 1e6, 1e5, 30.0, 1.0, 3.0  # costs; that of distance is for one pixel
CORNERS: Final = (
    ("upper right", 1.0, 1.0), ("upper left", 0.0, 1.0), ("lower right", 1.0, 0.0), ("lower left", 0.0, 0.0), ("center right", 1.0, 0.5),
    ("center left", 0.0, 0.5), ("upper center", 0.5, 1.0), ("lower center", 0.5, 0.0),
)  # fmt: skip


@dataclass(frozen=True)
class WordAtPoint:
    """A word at a point.

    x, y            the point
    width, height   of the word
    side            "right" or "left" of the point, if there is a choice
    is_at_edge      below the upper edge of the axes, beside a vertical line, rather than around a point
    """

    x: float
    y: float
    width: float
    height: float
    side: str = "right"
    is_at_edge: bool = False


@dataclass(frozen=True)
class WordPlace:
    """Lower left corner of a word, and whether it is so far from its point that a line leads there."""

    x: float
    y: float
    has_line: bool


def dense_points(x: Array, y: Array) -> Array:
    """Points along a polyline at most `SPACING` apart, in rows; gaps are not bridged."""
    xy = np.stack([x, y], axis=1)
    pieces = [xy[np.isfinite(xy).all(axis=1)]]
    begin, end = xy[:-1], xy[1:]
    steps = np.linalg.norm(end - begin, axis=1)
    for a, b, step in zip(begin, end, steps, strict=True):
        if np.isfinite(step) and step > SPACING:
            parts = np.linspace(0, 1, int(min(step / SPACING, 2000)) + 1)[:, None]
            pieces.append(a + (b - a) * parts)
    return np.concatenate(pieces)


def legend_corner(size: tuple[float, float], frame: Array, points: Array, gap: float) -> str:
    """The corner or edge at which a legend covers no curve; empty if there is none."""
    width, height = size
    for name, across, up in CORNERS:
        left = frame[0] + gap + across * (frame[2] - frame[0] - width - 2 * gap)
        low = frame[1] + gap + up * (frame[3] - frame[1] - height - 2 * gap)
        if not _inside(np.array([left, low, left + width, low + height]), points).any():
            return name
    return ""


def word_places(words: Sequence[WordAtPoint], frame: Array, points: Array, taken: Array) -> list[WordPlace]:
    """Places of words, in their order.

    frame    the box of the axes
    points   on curves, in rows
    taken    boxes that are not free, in rows
    """
    places: list[WordPlace] = []
    for word in words:
        found = min(_candidates(word), key=lambda c: _cost(c, word, frame, points, taken))
        x, y, distance = found
        taken = np.vstack([taken, [x, y, x + word.width, y + word.height]])
        places.append(WordPlace(x, y, distance > LEADER_DISTANCE))
    return places


def _candidates(word: WordAtPoint) -> Iterator[tuple[float, float, float]]:
    """Lower left corners, and distances of the nearest point of the word from its point."""
    if word.is_at_edge:
        for row in range(8):
            low = word.y - (row + 1) * (word.height + MARGIN)
            yield from ((x, low, 0.0) for x in (word.x + 4, word.x - 4 - word.width))
        return
    for ring in RINGS:
        for dx, dy in DIRECTIONS:
            scale = ring / max(abs(dx), abs(dy))
            x, y = word.x + dx * scale, word.y + dy * scale
            left = x if dx > 0 else x - word.width if dx < 0 else x - word.width / 2
            low = y if dy > 0 else y - word.height if dy < 0 else y - word.height / 2
            yield left, low, ring


def _cost(place: tuple[float, float, float], word: WordAtPoint, frame: Array, points: Array, taken: Array) -> float:
    left, low, distance = place
    box = np.array([left, low, left + word.width, low + word.height])
    wide = box + MARGIN * np.array([-1, -1, 1, 1])
    overlap = (taken[:, 0] < wide[2]) & (wide[0] < taken[:, 2]) & (taken[:, 1] < wide[3]) & (wide[1] < taken[:, 3])
    outside = max(frame[0] - box[0], box[2] - frame[2], frame[1] - box[1], box[3] - frame[3], 0.0)
    wrong = (left < word.x) == (word.side == "right") or low < word.y
    return float(
        ON_WORD * overlap.sum()
        + OUTSIDE * (outside > 0)
        + ON_CURVE * _inside(box, points).sum()
        + FAR * distance
        + OTHER_SIDE * (wrong and not word.is_at_edge)
    )


def _inside(box: Array, points: Array) -> Array:
    x, y = points.T
    found: Array = (box[0] <= x) & (x <= box[2]) & (box[1] <= y) & (y <= box[3])
    return found
