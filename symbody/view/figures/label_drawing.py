"""Legends and words at points on drawn axes, where they are free. They are written last, when the places of axes and
curves are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...emit.run.callable import Array
from ...escaping import in_figure
from .label_places import WordAtPoint, WordPlace, dense_points, legend_corner, word_places

if TYPE_CHECKING:
    from .figure import Curve, Note, Panel

MANY_LABELS: Final = 6  # number of labels beyond which a legend has two columns
GAP: Final = 6.0  # between a legend and the edge of the axes, in pixels
WORD_SIZE: Final = 8.0  # of letters, in points
DOT: Final = 3.5  # half the size of a dot that words keep off, in pixels


def write_labels(canvas: Any, drawn: Sequence[tuple[Panel, Any]], ink: str) -> None:
    """Legends in a free corner, or above the axes where none is free; then words, with lines to points that are far."""
    with_legend = [(panel, ax) for panel, ax in drawn if _has_legend(panel, ax)]
    with_words = [(panel, ax) for panel, ax in drawn if panel.notes and not panel.z_label]
    if not with_legend and not with_words:
        return
    canvas.draw_without_rendering()
    if [ax for panel, ax in with_legend if not _is_inside(panel, ax)]:
        canvas.draw_without_rendering()  # axes are smaller below a legend
    for panel, ax in with_words:
        _write_words(panel, ax, ink)


# ---------------------------------------------------------------------------------------------------------- legends


def _has_legend(panel: Panel, ax: Any) -> bool:
    """One label needs none where the axis has it."""
    labels = [c.label for c in panel.curves if c.label and c.shade is None]
    axis = panel.z_label or panel.y_label
    return len(_handles(ax)) > 1 or (bool(labels) and axis.split(" [")[0] not in labels)


def _handles(ax: Any) -> dict[str, Any]:
    """A line for each label, the first that has it."""
    found: dict[str, Any] = {}
    for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
        found.setdefault(label, handle)
    return found


def _is_inside(panel: Panel, ax: Any) -> bool:
    """Draw the legend; whether it is inside the axes."""
    found = _handles(ax)
    lines, labels = list(found.values()), list(found)
    legend = ax.legend(lines, labels, loc="upper right", ncols=2 if len(labels) > MANY_LABELS else 1)
    box = legend.get_window_extent()
    if corner := legend_corner((box.width, box.height), _frame(ax), _points(panel, ax), GAP):
        legend.set_loc(corner)
        return True
    columns = max(1, min(len(labels), int(ax.bbox.width / (box.width / (2 if len(labels) > MANY_LABELS else 1)))))
    columns = -(-len(labels) // -(-len(labels) // columns))  # rows of equal length
    legend.remove()
    ax.legend(lines, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, borderaxespad=0.2)
    return False


# ---------------------------------------------------------------------------------------------------------- words


def _write_words(panel: Panel, ax: Any, ink: str) -> None:
    frame, legend, points = _frame(ax), ax.get_legend(), _points(panel, ax)
    words = _words(panel.notes, ax, frame)
    taken = [] if legend is None else [legend.get_window_extent().extents]
    dots = [(w.x - DOT, w.y - DOT, w.x + DOT, w.y + DOT) for w in words.values() if not w.is_at_edge]
    places = word_places(list(words.values()), frame, points, np.array([*taken, *dots]).reshape(-1, 4))
    for (note, word), place in zip(words.items(), places, strict=True):
        _write_word(note, word, place, ax, ink)


def _words(notes: Sequence[Note], ax: Any, frame: Array) -> dict[Note, WordAtPoint]:
    """Words with their sizes, in pixels; one that stands at the same place already is left out."""
    found: dict[Note, WordAtPoint] = {}
    for note in notes:
        x, y = ax.transData.transform((note.x, 1.0 if note.y is None else note.y))
        y = frame[3] if note.y is None else y
        if any(n.text == note.text and abs(w.x - x) < DOT and abs(w.y - y) < DOT for n, w in found.items()):
            continue
        text = ax.text(0, 0, in_figure(note.text), fontsize=WORD_SIZE, in_layout=False)
        box = text.get_window_extent()
        text.remove()
        found[note] = WordAtPoint(x, y, box.width, box.height, note.side, note.y is None)
    return found


def _write_word(note: Note, word: WordAtPoint, place: WordPlace, ax: Any, ink: str) -> None:
    pixel = 72 / ax.get_figure(root=True).dpi  # in points
    line = {"arrowstyle": "-", "color": ink, "linewidth": 0.6, "alpha": 0.6, "shrinkA": 0, "shrinkB": 2}
    ax.annotate(
        in_figure(note.text), (note.x, 1.0 if note.y is None else note.y), ((place.x - word.x) * pixel, (place.y - word.y) * pixel),
        xycoords=ax.get_xaxis_transform() if note.y is None else "data", textcoords="offset points", fontsize=WORD_SIZE, color=ink,
        ha="left", va="bottom", in_layout=False, arrowprops=line | {"relpos": _nearest(word, place)} if place.has_line else None,
    )  # fmt: skip


def _nearest(word: WordAtPoint, place: WordPlace) -> tuple[float, float]:
    """The point of a word's box that is nearest to the point, in parts of the box."""
    across, up = (word.x - place.x) / word.width, (word.y - place.y) / word.height
    return float(np.clip(across, 0, 1)), float(np.clip(up, 0, 1))


# ---------------------------------------------------------------------------------------------------------- places


def _frame(ax: Any) -> Array:
    return np.array(ax.bbox.extents)


def _points(panel: Panel, ax: Any) -> Array:
    """Points on all curves, in pixels."""
    if panel.z_label:
        curves = [ax.transData.transform(line.get_xydata()) for line in ax.lines]  # as they were projected
        found = [dense_points(*xy.T) for xy in curves]
    else:
        found = [_points_of(c, ax) for c in panel.curves]
    return np.concatenate([np.zeros((0, 2)), *found])


def _points_of(c: Curve, ax: Any) -> Array:
    left, low, right, high = _frame(ax)
    with np.errstate(divide="ignore", invalid="ignore"):
        xy = ax.transData.transform(np.stack([c.x, c.y], axis=1).astype(float))
    if c.kind == "vertical":
        return np.concatenate(
            [np.zeros((0, 2)), *(dense_points(np.full(2, x), np.array([low, high])) for x in xy[:, 0])]
        )
    if c.kind == "level":
        return np.concatenate(
            [np.zeros((0, 2)), *(dense_points(np.array([left, right]), np.full(2, y)) for y in xy[:, 1])]
        )
    return xy[np.isfinite(xy).all(axis=1)] if c.kind in ("points", "dots") else dense_points(*xy.T)
