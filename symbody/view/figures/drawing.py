"""Figures by matplotlib, in one style. This is the only file that imports matplotlib.

The colours of curves can be distinguished with colour vision deficiencies (Okabe and Ito 2008). Ink is drawn in a
placeholder colour that stands for the colour of text on the page, so that a picture suits a light page and a dark one.
"""

from __future__ import annotations

import io
import re
import textwrap
import zlib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from ...algebra.graph.names import stem_and_order
from ...escaping import in_figure
from ...whole_files import unfinished_file
from .label_drawing import write_labels

if TYPE_CHECKING:
    from .figure import Curve, Figure, FigureGrid, Panel

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c564b")
GREEK: Final = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "rho", "sigma", "tau",
    "phi", "chi", "psi", "omega",
)  # fmt: skip
FUNCTIONS: Final = ("sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh")
TOKEN: Final = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?|\*\*|[-+*/(),…=]")
INK_COLOUR: Final = "#12243a"  # placeholder colour, replaced by the page's own colour in SVG
GRID_COLOUR: Final = "#d5dae0"  # colour of grids in space
# viridis without the yellow, which is invisible on white
COLOUR_MAP: Final = ListedColormap(mpl.colormaps["viridis"](np.linspace(0.9, 0.0, 256)))
FEW_DECADES: Final = 2000  # ratio of the ends of a logarithmic axis up to which ticks are at 1, 2, 5
MARKERS: Final = {
    "": "o", "circle": "o", "ring": "o", "square": "s", "triangle": "^", "diamond": "D", "cross": "x", "plus": "+", "star": "*", "pentagon": "p",
}  # fmt: skip
MARK_SIZES: Final = {"star": 7.5, "plus": 7.0, "cross": 5.5}  # in points, of marks that look smaller than a circle
LINE_STYLES: Final = {
    "dashed": (0, (4, 2)),
    "dotted": (0, (1, 1.5)),
    "dash-dotted": (0, (6, 2, 1, 2)),
    "points": "none",
}
THIN_LINE: Final = 0.6  # width in points, of kind "thin"
MARKS_IN_SPACE: Final = 12  # of a line in space
MARK_DISTANCE: Final = 0.12  # of marks along a line, in parts of the diagonal of the axes
COLUMN_WIDTH: Final = 4.7  # of figures beside each other, in inches
LETTERS: Final = (*ascii_lowercase, *(a + b for a in ascii_lowercase for b in ascii_lowercase))  # of figures in a grid
CAPTION_LENGTH: Final = 66  # characters in a line of a caption in a column
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
        canvas = Canvas(figsize=figure_size(figure), layout="constrained")
        write_labels(canvas, _drawn_panels(figure, canvas), INK_COLOUR)
        return canvas


def matplotlib_grid(grid: FigureGrid) -> Any:
    """Figures in rows, each with its title above and its caption below."""
    with mpl.rc_context(STYLE):
        sizes = [_size_in_column(f) for f in grid.figures]
        rows = [sizes[k : k + grid.columns] for k in range(0, len(sizes), grid.columns)]
        heights = [max(height for _, height in row) for row in rows]
        canvas = Canvas(figsize=(COLUMN_WIDTH * grid.columns, sum(heights)), layout="constrained")
        if grid.title:
            canvas.suptitle(in_figure(grid.title), fontsize=12, color=INK_COLOUR)
        parts = canvas.subfigures(len(rows), grid.columns, squeeze=False, height_ratios=heights).reshape(-1)
        drawn = []
        for letter, figure, part in zip(LETTERS, grid.figures, parts, strict=False):
            named = f"({letter}) {figure.title}" if figure.title else f"({letter})"
            drawn += _drawn_panels(replace(figure, title=named), part)
            if figure.caption:
                lines = textwrap.wrap(figure.caption, CAPTION_LENGTH)
                part.supxlabel(in_figure("\n".join(lines)), fontsize=8.5, color=INK_COLOUR)
        write_labels(canvas, drawn, INK_COLOUR)
        return canvas


def _size_in_column(figure: Figure) -> tuple[float, float]:
    """Figures with a size of their own keep its shape; below them are lines of the caption."""
    width, height = figure_size(figure)
    own = height * COLUMN_WIDTH / width if figure.size[1] else height
    return COLUMN_WIDTH, own + 0.16 * len(textwrap.wrap(figure.caption, CAPTION_LENGTH))


def empty_canvas(width: float, height: float) -> Any:
    """A canvas of this size, in inches, on which axes are placed by hand."""
    with mpl.rc_context(STYLE):
        return Canvas(figsize=(width, height))


def empty_axes(canvas: Any, place: tuple[float, float, float, float], box: tuple[float, float, float, float]) -> Any:
    """Axes without lines and numbers: at (left, bottom, width, height) of a canvas, in inches, from `box[:2]` to
    `box[2:]`."""
    width, height = canvas.get_size_inches()
    left, bottom, wide, high = place
    with mpl.rc_context(STYLE):
        ax = canvas.add_axes((left / width, bottom / height, wide / width, high / height))
        ax.axis("off")
        ax.set_xlim(box[0], box[2])
        ax.set_ylim(box[1], box[3])
        return ax


@lru_cache(maxsize=1)
def _measuring_canvas() -> Any:
    with mpl.rc_context(STYLE):
        return Canvas(figsize=(1, 1), dpi=100)


@lru_cache(maxsize=4096)
def text_size(text: str, size: float) -> tuple[float, float]:
    """Width and height of a text with letters of this size (in points), in inches."""
    canvas = _measuring_canvas()
    with mpl.rc_context(STYLE):
        drawn = canvas.text(0, 0, text, fontsize=size)
        box = drawn.get_window_extent(FigureCanvasAgg(canvas).get_renderer())
        drawn.remove()
    return box.width / canvas.dpi, box.height / canvas.dpi


@lru_cache(maxsize=4096)
def is_mathematics(text: str) -> bool:
    """Whether a text with dollar signs can be typeset."""
    try:
        text_size(text, 10.0)
    except ValueError:
        return False
    return True


def figure_size(figure: Figure) -> tuple[float, float]:
    """Width and height in inches."""
    width, height = figure.size
    return width, height or (3.6 if figure.is_wide else 1.2 + 2.3 * len(figure.panels))


def _drawn_panels(figure: Figure, canvas: Any) -> list[tuple[Panel, Any]]:
    """Panels with their axes, on a canvas or a part of one."""
    n = len(figure.panels)
    columns, rows = (n, 1) if figure.is_wide else (1, n)
    if any(panel.z_label for panel in figure.panels):
        with mpl.rc_context({"grid.color": GRID_COLOUR}):  # axes in space know no transparent grid
            axes = [canvas.add_subplot(rows, columns, k + 1, projection="3d") for k in range(n)]
            for panel, ax in zip(figure.panels, axes, strict=True):
                _space(panel, ax)
    else:
        axes = list(canvas.subplots(rows, columns, squeeze=False, sharex=figure.shares_x).reshape(-1))
        for k, (panel, ax) in enumerate(zip(figure.panels, axes, strict=True)):
            is_last = k == n - 1 or figure.is_wide
            _panel(panel, ax, is_last or not figure.shares_x)
    if figure.title:
        canvas.suptitle(in_figure(figure.title), fontsize=11, color=INK_COLOUR)
    return list(zip(figure.panels, axes, strict=True))


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
    if has_x_label:
        ax.set_xlabel(typeset(panel.x_label))
    ax.set_ylabel(typeset(panel.y_label))
    if panel.x_range:
        ax.set_xlim(panel.x_range)
    if panel.y_range:
        ax.set_ylim(panel.y_range)
    if panel.is_equal:
        ax.set_aspect("equal", adjustable="datalim")


def _space(panel: Panel, ax: Any) -> None:
    """A panel with three axes."""
    for k, c in enumerate(panel.curves):
        colour = COLOURS[(k if c.group is None else c.group) % len(COLOURS)]
        line = LINE_STYLES.get(c.kind, "-")
        dots = _marker(c.mark) if c.mark else {"marker": "o", "markersize": 2.0} if c.kind == "points" else {}
        dots |= {"markevery": max(1, len(c.x) // MARKS_IN_SPACE)} if c.mark and c.kind != "points" else {}
        width = THIN_LINE if c.kind == "thin" else 1.2
        ax.plot(c.x, c.y, c.z, color=colour, linewidth=width, linestyle=line, label=typeset(c.label) or None, **dots)
    for write, label in (
        (ax.set_xlabel, panel.x_label),
        (ax.set_ylabel, panel.y_label),
        (ax.set_zlabel, panel.z_label),
    ):
        write(typeset(label))
    if panel.is_equal:
        ax.set_aspect("equal")


def typeset(label: str) -> str:
    """Names of symbols and formulas as mathematics writes them: delta_dot, q1, l*sin(theta); any other text unchanged."""
    name, bracket, unit = label.partition(" [")
    if bracket and name:
        return f"{typeset(name)} {in_figure(f'[{unit}').replace('^2', '²').replace('^3', '³')}"
    parts = re.split(r", (?![^(]*\))", label)  # not inside of brackets
    return ", ".join(f"${found}$" if (found := _formula(part)) else in_figure(part) for part in parts)


def _formula(text: str) -> str:
    """A formula as mathematics writes it; empty if it is not a formula, or has names that are words."""
    tokens = TOKEN.findall(text)
    if "".join(tokens) != text.replace(" ", "") or not any(t[0].isalpha() for t in tokens):
        return ""
    written = [_token(t, tokens[k + 1 : k + 2] == ["("]) for k, t in enumerate(tokens)]
    return _exponents("".join(written)) if all(written) else ""


def _token(token: str, is_called: bool) -> str:
    """One token of a formula; empty if it is a word."""
    if not (token[0].isalpha()):
        return {"*": r"\,", "**": "^", "…": r"\ldots", "+": " + ", "-": " - ", "=": " = "}.get(token, token)
    if is_called:
        return rf"\{token}" if token in FUNCTIONS else ""
    stem, order = stem_and_order(token)
    found = re.fullmatch(rf"([A-Za-z]|{'|'.join(GREEK)})(?:_?(\d+))?", stem)
    if not found or order > 2:
        return ""
    name, index = found.groups()
    core = rf"\{name}" if len(name) > 1 else name
    dotted = (core, rf"\dot{{{core}}}", rf"\ddot{{{core}}}")[order]
    return f"{dotted}_{{{index}}}" if index else f"{dotted} " if core.startswith("\\") and not order else dotted


def _exponents(formula: str) -> str:
    """Exponents in braces, and signs of first terms beside them."""
    return re.sub(r"(^|\(|= ) - ", r"\1-", re.sub(r"\^(\d+)", r"^{\1}", formula)).strip()


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
        ax.plot(curve.x, curve.y, linestyle=line, color=colour, alpha=alpha, label=label, **_marker(curve.mark))
    elif curve.kind == "vertical":
        for x in curve.x:
            ax.axvline(x, color=INK_COLOUR, linewidth=0.8, linestyle=(0, (4, 3)), alpha=0.6)
    elif curve.kind == "level":
        for y in curve.y:
            ax.axhline(y, color=INK_COLOUR, linewidth=0.8, linestyle=(0, (4, 3)), alpha=0.6)
    else:
        style: dict[str, Any] = {"linestyle": LINE_STYLES.get(curve.kind, "-")}
        style |= {"linewidth": THIN_LINE} if curve.kind == "thin" else {}
        along = {**_marker(curve.mark), "markevery": MARK_DISTANCE, "markerfacecolor": "none"} if curve.mark else {}
        ax.plot(curve.x, curve.y, color=colour, alpha=alpha, label=label, **style, **along)


def _marker(mark: str) -> dict[str, Any]:
    if mark == "ring":
        return {"marker": MARKERS[mark], "markersize": 6.0, "markerfacecolor": "none", "markeredgewidth": 1.3}
    return {"marker": MARKERS[mark], "markersize": MARK_SIZES.get(mark, 4.5)}


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


def svg(canvas: Any) -> str:
    """A drawn figure as a picture that takes its colours from the page."""
    out = io.StringIO()
    with mpl.rc_context(STYLE):
        FigureCanvasSVG(canvas).print_svg(out, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :].replace(INK_COLOUR, "currentColor")
    # Sizes are left to the page, names of parts must not meet those of other pictures on it.
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"| height="[^"]*pt"', r"\1", text, count=2)
    salt = f"f{zlib.crc32(text.encode()):08x}_"
    text = re.sub(r'\bid="', f'id="{salt}', text)
    return re.sub(r'(href="#|url\(#)', rf"\g<1>{salt}", text)


def save(canvas: Any, path: Path) -> None:
    """Write a drawn figure as a picture on white."""
    with mpl.rc_context({**STYLE, "savefig.facecolor": "white"}):
        FigureCanvasAgg(canvas)
        with unfinished_file(path) as part:
            canvas.savefig(part, dpi=160, facecolor="white")
