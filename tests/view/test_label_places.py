"""Words and legends stand where they cover no curve and none of each other."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.view import Curve, Figure, Panel
from symbody.view.figures.figure import Note
from symbody.view.figures.label_places import WordAtPoint, dense_points, legend_corner, word_places

FRAME = np.array([0.0, 0.0, 400.0, 300.0])


def _boxes(words, places):
    return np.array([(p.x, p.y, p.x + w.width, p.y + w.height) for w, p in zip(words, places, strict=True)])


def _overlaps(a, b) -> bool:
    return bool(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])


@pytest.mark.parametrize("seed", range(10))
def test_words_of_crowded_points_do_not_meet(seed):
    """Twelve words within a square of 30 pixels, on a curve: no two meet, none leaves the axes."""
    random = np.random.default_rng(seed)
    at = 180 + 30 * random.random((12, 2))
    words = [WordAtPoint(x, y, 60.0, 12.0) for x, y in at]
    curve = dense_points(np.linspace(0, 400, 50), 150 + 50 * np.sin(np.linspace(0, 6, 50)))
    boxes = _boxes(words, word_places(words, FRAME, curve, np.zeros((0, 4))))
    assert not any(_overlaps(a, b) for k, a in enumerate(boxes) for b in boxes[:k])
    assert (boxes[:, :2] >= FRAME[:2]).all()
    assert (boxes[:, 2:] <= FRAME[2:]).all()


def test_lone_words_stay_beside_their_point():
    (place,) = word_places([WordAtPoint(200.0, 100.0, 50.0, 12.0)], FRAME, np.zeros((0, 2)), np.zeros((0, 4)))
    assert not place.has_line
    assert (place.x, place.y) == (206.0, 106.0)
    (left,) = word_places([WordAtPoint(200.0, 100.0, 50.0, 12.0, "left")], FRAME, np.zeros((0, 2)), np.zeros((0, 4)))
    assert left.x + 50.0 < 200.0


def test_legends_avoid_curves():
    """A curve along the upper edge leaves the lower corners; curves everywhere leave none."""
    upper = dense_points(np.array([0.0, 400.0]), np.array([280.0, 280.0]))
    assert legend_corner((80.0, 40.0), FRAME, upper, 6.0) == "lower right"
    x, y = (a.reshape(-1) for a in np.meshgrid(np.arange(0, 400, 8.0), np.arange(0, 300, 8.0)))
    assert legend_corner((80.0, 40.0), FRAME, np.stack([x, y], axis=1), 6.0) == ""


def test_gaps_are_not_bridged():
    points = dense_points(np.array([0.0, 100.0, np.nan, 200.0, 300.0]), np.zeros(5))
    assert not ((points[:, 0] > 100) & (points[:, 0] < 200)).any()
    assert np.isin([48.0, 248.0], points[:, 0]).all()


def _full(count: int) -> Figure:
    """Curves that fill the axes, and special points that lie on each other."""
    x = np.linspace(0, 1, 200)
    curves = tuple(Curve(x, np.sin((6 + k) * x + k), f"curve {k}") for k in range(count))
    notes = tuple(Note(0.5, 0.1 + 0.001 * k, f"point {k}") for k in range(5))
    return Figure("full", (Panel("x", "y", curves, notes=notes),))


def test_drawn_words_and_legends_do_not_meet():
    """In the picture, by the boxes that matplotlib draws: words apart from each other, the legend off the curves."""
    (ax,) = (canvas := _full(9).draw()).axes
    canvas.draw_without_rendering()
    boxes = [t.get_window_extent().extents for t in ax.texts]
    assert len(boxes) == 5
    words = [super(type(t), t).get_window_extent().extents for t in ax.texts]  # without their lines
    assert not any(_overlaps(a, b) for k, a in enumerate(words) for b in words[:k])
    legend = ax.get_legend().get_window_extent()
    for line in ax.lines:
        x, y = ax.transData.transform(line.get_xydata()).T
        assert not ((legend.x0 < x) & (x < legend.x1) & (legend.y0 < y) & (y < legend.y1)).any()
    assert legend.y0 >= ax.bbox.y1 - 1.0  # above the axes: no corner is free


def test_a_word_beside_its_dot_needs_no_line_and_stands_once():
    """Dots are no reason to move a word away; the same word at the same place is written once."""
    x = np.array([0.0, 1.0])
    notes = (Note(0.5, 0.5, "top"), Note(0.5, 0.5001, "top"), Note(0.2, 0.8, "side"))
    dots = Curve(np.array([0.5, 0.2]), np.array([0.5, 0.8]), kind="points")
    (ax,) = Figure("dots", (Panel("x", "y", (Curve(x, 0 * x), dots), notes=notes),)).draw().axes
    assert [t.get_text() for t in ax.texts] == ["top", "side"]
    assert [t.arrow_patch for t in ax.texts] == [None, None]


def test_curves_of_one_label_stand_once_in_the_legend():
    x, mu = sb.symbols("x mu")
    eq = sb.from_equations({x: mu * x - x**3}, {mu: -1.0})
    straight = sb.branch(eq, sb.steady(eq), mu=(-1, 1))
    (ax,) = sb.plot({"straight": straight, "fork": straight.switched()}, "x").draw().axes
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["straight", "fork"]
