"""Figures by matplotlib, in one style. This is the only file that imports matplotlib.

The colours of curves can be distinguished with colour vision deficiencies (Okabe and Ito 2008). Ink is drawn in a
placeholder colour that stands for the colour of text on the page, so that a picture suits a light page and a dark one.
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
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from ...algebra.graph.names import stem_and_order
from ...errors import SymbodyError
from ...escaping import in_figure
from ...whole_files import unfinished_file

if TYPE_CHECKING:
    from .figure import Curve, Figure, Note, Panel

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c564b")
GREEK: Final = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "rho", "sigma", "tau",
    "phi", "chi", "psi", "omega",
)  # fmt: skip
INK_COLOUR: Final = "#12243a"  # placeholder colour, replaced by the page's own colour in SVG
GRID_COLOUR: Final = "#d5dae0"  # colour of grids in space
# viridis without the yellow, which is invisible on white
COLOUR_MAP: Final = ListedColormap(mpl.colormaps["viridis"](np.linspace(0.9, 0.0, 256)))
FEW_DECADES: Final = 2000  # ratio of the ends of a logarithmic axis up to which ticks are at 1, 2, 5
STYLE: Final = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Inter", "Segoe UI", "Helvetica Neue", "Arial", "DejaVu Sans"],
    "font.size": 10,
    "axes.edgecolor": INK_COLOUR,
    "axes.labelcolor": INK_COLOUR,
    "axes.titlecolor": INK_COLOUR,
    "text.color": INK_COLOUR,
    "xtick.color": INK_COLOUR,
    "ytick.color": INK_COLOUR,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": INK_COLOUR,
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


def matplotlib_figure(figure: Figure) -> Any:
    """A matplotlib figure, not tied to any window."""
    with mpl.rc_context(STYLE):
        n = len(figure.panels)
        columns, rows = (n, 1) if figure.is_wide else (1, n)
        width, height = figure.size
        canvas = Canvas(figsize=(width, height or (3.6 if figure.is_wide else 1.2 + 2.3 * rows)), layout="constrained")
        if any(panel.z_label for panel in figure.panels):
            for k, panel in enumerate(figure.panels):
                with mpl.rc_context({"grid.color": GRID_COLOUR}):  # axes in space know no transparent grid
                    _space(panel, canvas.add_subplot(rows, columns, k + 1, projection="3d"))
        else:
            axes = canvas.subplots(rows, columns, squeeze=False, sharex=figure.shares_x).reshape(-1)
            for k, (panel, ax) in enumerate(zip(figure.panels, axes, strict=True)):
                is_last = k == n - 1 or figure.is_wide
                _panel(panel, ax, is_last or not figure.shares_x)
        if figure.title:
            canvas.suptitle(in_figure(figure.title), fontsize=11, color=INK_COLOUR)
        return canvas


def _panel(panel: Panel, ax: Any, has_x_label: bool) -> None:
    for low, high in panel.bands:
        ax.axvspan(low, high, color=COLOURS[2], alpha=0.13, linewidth=0)
    if panel.field is not None:
        _field(panel.field, ax)
    if panel.flow is not None:
        _flow(panel.flow, ax)
    for k, curve in enumerate(panel.curves):
        _curve(curve, ax, COLOURS[(k if curve.group is None else curve.group) % len(COLOURS)])
    ax.set_xscale(panel.x_scale)
    ax.set_yscale(panel.y_scale)
    for axis, scale, span in ((ax.xaxis, panel.x_scale, ax.get_xlim()), (ax.yaxis, panel.y_scale, ax.get_ylim())):
        if scale == "log" and span[1] / span[0] < FEW_DECADES:
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(NullFormatter())
    if panel.y_label.endswith("[°]"):
        ax.yaxis.set_major_locator(MaxNLocator(7, steps=[1, 1.5, 3, 4.5, 9, 10]))
    for name, place in (("x", ax.axhline), ("y", ax.axvline)):
        if name in panel.zero_lines:
            place(0, color=INK_COLOUR, linewidth=0.8, alpha=0.5, zorder=1.5)  # under the curves
    for note in panel.notes:
        _note(note, ax)
    if has_x_label:
        ax.set_xlabel(typeset(panel.x_label))
    ax.set_ylabel(typeset(panel.y_label))
    if panel.x_range:
        ax.set_xlim(panel.x_range)
    if panel.y_range:
        ax.set_ylim(panel.y_range)
    if panel.is_equal:
        ax.set_aspect("equal", adjustable="datalim")
    labels = [c.label for c in panel.curves if c.label and c.shade is None]
    if len(labels) > 1 or (labels and panel.y_label.split(" [")[0] != labels[0]):
        ax.legend(loc="best", ncols=2 if len(labels) > 6 else 1)


def _space(panel: Panel, ax: Any) -> None:
    """A panel with three axes."""
    for k, c in enumerate(panel.curves):
        colour = COLOURS[(k if c.group is None else c.group) % len(COLOURS)]
        line = {"points": "none", "dashed": (0, (4, 2))}.get(c.kind, "-")
        dot = "o" if c.kind == "points" else ""
        label = typeset(c.label) or None
        ax.plot(c.x, c.y, c.z, color=colour, linewidth=1.2, linestyle=line, marker=dot, markersize=2.0, label=label)
    for write, label in (
        (ax.set_xlabel, panel.x_label),
        (ax.set_ylabel, panel.y_label),
        (ax.set_zlabel, panel.z_label),
    ):
        write(typeset(label))
    if panel.is_equal:
        ax.set_aspect("equal")
    if len([c for c in panel.curves if c.label]) > 1:
        ax.legend(loc="best")


def _note(note: Note, ax: Any) -> None:
    shift, align = (4, "left") if note.side == "right" else (-5, "right")
    where: dict[str, Any] = {"xytext": (shift, 4), "va": "bottom", "ha": align}
    if note.y is None:
        where |= {"xycoords": ax.get_xaxis_transform(), "xytext": (shift, -3), "va": "top"}
    place = (note.x, 1.0 if note.y is None else note.y)
    ax.annotate(in_figure(note.text), place, textcoords="offset points", fontsize=8, color=INK_COLOUR, **where)


def typeset(label: str) -> str:
    """Names of symbols as mathematics writes them: delta_dot, q1, V; any other text unchanged."""
    name, bracket, unit = label.partition(" [")
    if bracket and name:
        return f"{typeset(name)} {in_figure(f'[{unit}')}"
    stem, order = stem_and_order(label)
    found = re.fullmatch(rf"([A-Za-z]|{'|'.join(GREEK)})(\d*)", stem)
    if not found or order > 2:
        return in_figure(label)
    name, index = found.groups()
    core = rf"\{name}" if len(name) > 1 else name
    dotted = (core, rf"\dot{{{core}}}", rf"\ddot{{{core}}}")[order]
    return f"${dotted}_{{{index}}}$" if index else f"${dotted}$"


def _curve(curve: Curve, ax: Any, colour: str) -> None:
    alpha = 0.35 if curve.is_faint else 1.0
    label = typeset(curve.label) or None
    if curve.shade is not None:
        dots = ax.scatter(curve.x, curve.y, s=9, c=curve.shade, cmap=COLOUR_MAP, zorder=3)
        ax.figure.colorbar(dots, ax=ax, label=label, pad=0.02).outline.set_visible(False)
    elif curve.kind == "dots":
        ax.plot(curve.x, curve.y, linestyle="none", marker=".", markersize=1.8, color=colour, alpha=alpha, label=label)
    elif curve.kind in ("points", "joined"):
        line = "-" if curve.kind == "joined" else "none"
        ax.plot(curve.x, curve.y, linestyle=line, marker="o", markersize=4.5, color=colour, alpha=alpha, label=label)
    elif curve.kind == "vertical":
        for x in curve.x:
            ax.axvline(x, color=INK_COLOUR, linewidth=0.8, linestyle=(0, (4, 3)), alpha=0.6)
    elif curve.kind == "level":
        for y in curve.y:
            ax.axhline(y, color=INK_COLOUR, linewidth=0.8, linestyle=(0, (4, 3)), alpha=0.6)
    else:
        style = (0, (4, 2)) if curve.kind == "dashed" else "-"
        ax.plot(curve.x, curve.y, color=colour, alpha=alpha, label=label, linestyle=style)


def _field(field: Any, ax: Any) -> None:
    if field.levels:
        _contours(field, ax)
        return
    reach = float(np.nanmax(np.abs(field.z))) or 1.0
    mesh = ax.pcolormesh(
        field.x, field.y, field.z.T, cmap="RdBu_r", vmin=-reach, vmax=reach, shading="gouraud", rasterized=True
    )
    if np.nanmin(field.border) < 0 < np.nanmax(field.border):
        ax.contour(field.x, field.y, field.border.T, levels=[0.0], colors=[INK_COLOUR], linewidths=1.4)
    bar = ax.figure.colorbar(mesh, ax=ax, label=in_figure(field.label))
    bar.outline.set_visible(False)


def _contours(field: Any, ax: Any) -> None:
    """Lines of one value, each with its number, over shades of them."""
    levels = MaxNLocator(field.levels).tick_values(np.nanmin(field.z), np.nanmax(field.z))
    shades = ax.contourf(field.x, field.y, field.z.T, levels=levels, cmap=COLOUR_MAP, alpha=0.35)
    lines = ax.contour(field.x, field.y, field.z.T, levels=levels, colors=[INK_COLOUR], linewidths=0.8)
    ax.clabel(lines, fmt=lambda value: f"{value:z.4g}", fontsize=7)
    ax.figure.colorbar(shades, ax=ax, label=typeset(field.label)).outline.set_visible(False)


def _flow(flow: Any, ax: Any) -> None:
    """Stream lines, which matplotlib draws on evenly spaced places only."""
    even = [np.linspace(a[0], a[-1], len(a)) for a in (flow.x, flow.y)]
    ax.streamplot(*even, flow.across.T, flow.up.T, color=COLOURS[6], linewidth=0.7, density=1.2, arrowsize=0.8)
    ax.set_xlim(flow.x[0], flow.x[-1])
    ax.set_ylim(flow.y[0], flow.y[-1])


def svg(figure: Figure) -> str:
    out = io.StringIO()
    with mpl.rc_context(STYLE):
        FigureCanvasSVG(matplotlib_figure(figure)).print_svg(out, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :].replace(INK_COLOUR, "currentColor")
    # Sizes are left to the page, names of parts must not meet those of other pictures on it.
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"| height="[^"]*pt"', r"\1", text, count=2)
    salt = f"f{zlib.crc32(text.encode()):08x}_"
    text = re.sub(r'\bid="', f'id="{salt}', text)
    return re.sub(r'(href="#|url\(#)', rf"\g<1>{salt}", text)


def save(figure: Figure, path: Path) -> None:
    if path.suffix not in (".svg", ".png", ".pdf"):
        raise SymbodyError(f"{path}: a figure is saved as .svg, .png, .pdf, or its numbers as .csv, .json")
    canvas = matplotlib_figure(figure)
    with mpl.rc_context({**STYLE, "savefig.facecolor": "white"}):
        FigureCanvasAgg(canvas)
        with unfinished_file(path) as part:
            canvas.savefig(part, dpi=160, facecolor="white")
