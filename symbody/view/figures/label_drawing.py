"""Legends and words at points on drawn axes, where they are free. They are written last, when the places of axes and
curves are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...emit.run.callable import Array
from ...escaping import in_figure
from .label_places import WordAtPoint, dense_points, legend_corner, word_places

if TYPE_CHECKING:
    from .figure import Curve, Panel

MANY_LABELS: Final = 6  # number of labels beyond which a legend has two columns
GAP: Final = 6.0  # between a legend and the edge of the axes, in pixels
WORD_SIZE: Final = 8.0  # of letters, in points


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
    return len(_handles(ax)) > 1 or (bool(labels) and panel.y_label.split(" [")[0] not in labels)


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
    written = [ax.text(0, 0, in_figure(n.text), fontsize=WORD_SIZE, color=ink, in_layout=False) for n in panel.notes]
    frame, legend, pixel = _frame(ax), ax.get_legend(), 72 / ax.get_figure(root=True).dpi
    taken = [] if legend is None else [legend.get_window_extent().extents]
    words, points = [], []
    for text, note in zip(written, panel.notes, strict=True):
        box = text.get_window_extent()
        x, y = ax.transData.transform((note.x, 1.0 if note.y is None else note.y))
        words.append(
            WordAtPoint(x, frame[3] if note.y is None else y, box.width, box.height, note.side, note.y is None)
        )
        points += [] if note.y is None else [(x - 4, y - 4, x + 4, y + 4)]
        text.remove()
    boxes = np.array([*taken, *points]).reshape(-1, 4)
    for word, note, place in zip(words, panel.notes, word_places(words, frame, _points(panel, ax), boxes), strict=True):
        shift = ((place.x - word.x) * pixel, (place.y - word.y) * pixel)
        line = {"arrowstyle": "-", "color": ink, "linewidth": 0.6, "alpha": 0.6, "shrinkA": 0, "shrinkB": 2}
        ax.annotate(
            in_figure(note.text), (note.x, 1.0 if note.y is None else note.y), shift, textcoords="offset points", fontsize=WORD_SIZE, color=ink,
            xycoords=ax.get_xaxis_transform() if note.y is None else "data", ha="left", va="bottom", in_layout=False,
            arrowprops=line | {"relpos": _nearest(word, place)} if place.has_line else None,
        )  # fmt: skip


def _nearest(word: WordAtPoint, place: Any) -> tuple[float, float]:
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
