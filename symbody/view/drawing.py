"""Figures by matplotlib, in one style. The only file that knows matplotlib.

Colours of curves are told apart by people who see colours differently (Okabe and Ito 2008). Ink is drawn in a colour of its own that stands for
the colour of text on the page, so that a picture fits a light page and a dark one.
"""

from __future__ import annotations

import io
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas

from ..errors import SymbodyError

if TYPE_CHECKING:
    from .figure import Curve, Figure, Panel

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c564b")
INK: Final = "#12243a"  # replaced by the page's own colour in SVG
STYLE: Final = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Inter", "Segoe UI", "Helvetica Neue", "Arial", "DejaVu Sans"],
    "font.size": 10,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": INK,
    "grid.alpha": 0.12,
    "grid.linewidth": 0.7,
    "axes.linewidth": 0.8,
    "lines.linewidth": 1.7,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "symbody",  # the same figure is the same text
    "path.simplify_threshold": 0.1,
}


def drawn(figure: Figure) -> Any:
    """A matplotlib figure, not tied to any window."""
    with mpl.rc_context(STYLE):
        n = len(figure.panels)
        columns, rows = (n, 1) if figure.is_wide else (1, n)
        width, height = figure.size
        canvas = Canvas(figsize=(width, height or (3.6 if figure.is_wide else 1.2 + 2.3 * rows)), layout="constrained")
        axes = canvas.subplots(rows, columns, squeeze=False, sharex=figure.shares_x).reshape(-1)
        for k, (panel, ax) in enumerate(zip(figure.panels, axes, strict=True)):
            is_last = k == n - 1 or figure.is_wide
            _panel(panel, ax, is_last or not figure.shares_x)
        if figure.title:
            canvas.suptitle(figure.title, fontsize=11, color=INK)
        return canvas


def _panel(panel: Panel, ax: Any, has_x_label: bool) -> None:
    for low, high in panel.bands:
        ax.axvspan(low, high, color=COLOURS[2], alpha=0.13, linewidth=0)
    if panel.field is not None:
        _field(panel.field, ax)
    for k, curve in enumerate(panel.curves):
        _curve(curve, ax, COLOURS[(k if curve.group is None else curve.group) % len(COLOURS)])
    ax.set_xscale(panel.x_scale)
    ax.set_yscale(panel.y_scale)
    for name, place in (("x", ax.axhline), ("y", ax.axvline)):
        if name in panel.zero_lines:
            place(0, color=INK, linewidth=0.8, alpha=0.5)
    for note in panel.notes:
        ax.annotate(note.text, (note.x, note.y), xytext=(4, 4), textcoords="offset points", fontsize=8, color=INK)
    if has_x_label:
        ax.set_xlabel(panel.x_label)
    ax.set_ylabel(panel.y_label)
    if panel.x_range:
        ax.set_xlim(panel.x_range)
    if panel.y_range:
        ax.set_ylim(panel.y_range)
    if panel.is_equal:
        ax.set_aspect("equal", adjustable="datalim")
    labels = [c.label for c in panel.curves if c.label]
    if len(labels) > 1 or (labels and panel.y_label != labels[0]):
        ax.legend(loc="best", ncols=2 if len(labels) > 6 else 1)


def _curve(curve: Curve, ax: Any, colour: str) -> None:
    alpha = 0.35 if curve.is_faint else 1.0
    label = curve.label or None
    if curve.kind == "points":
        ax.plot(curve.x, curve.y, linestyle="none", marker="o", markersize=4.5, color=colour, alpha=alpha, label=label)
    elif curve.kind == "vertical":
        for x in curve.x:
            ax.axvline(x, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), alpha=0.6)
    else:
        ax.plot(curve.x, curve.y, color=colour, alpha=alpha, label=label)


def _field(field: Any, ax: Any) -> None:
    reach = float(np.nanmax(np.abs(field.z))) or 1.0
    mesh = ax.pcolormesh(
        field.x, field.y, field.z.T, cmap="RdBu_r", vmin=-reach, vmax=reach, shading="auto", rasterized=True
    )
    if 0 < np.mean(field.inside) < 1:
        ax.contour(field.x, field.y, field.inside.T, levels=[0.5], colors=[INK], linewidths=1.4)
    bar = ax.figure.colorbar(mesh, ax=ax, label=field.label)
    bar.outline.set_visible(False)


def svg(figure: Figure) -> str:
    out = io.StringIO()
    with mpl.rc_context(STYLE):
        FigureCanvasSVG(drawn(figure)).print_svg(out, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    # Sizes are left to the page, names of parts must not meet those of other pictures on it.
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"| height="[^"]*pt"', r"\1", text, count=2)
    salt = f"f{zlib.crc32(text.encode()):08x}_"
    text = re.sub(r'\bid="', f'id="{salt}', text)
    return re.sub(r'(href="#|url\(#)', rf"\g<1>{salt}", text)


def save(figure: Figure, path: Path) -> None:
    if path.suffix not in (".svg", ".png", ".pdf"):
        raise SymbodyError(f"{path}: a figure is saved as .svg, .png, .pdf, or its numbers as .csv, .json")
    canvas = drawn(figure)
    with mpl.rc_context({**STYLE, "savefig.facecolor": "white"}):
        FigureCanvasAgg(canvas)
        canvas.savefig(path, dpi=160, facecolor="white")
