"""`Figure`: the content of a plot as plain data, which can be drawn (`drawing.py`) or saved as numbers; `FigureGrid`:
figures side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ...argument_kinds import answered, answered_class, checked_flags
from ...emit.run.callable import Array
from ...errors import ViewError, shown, unknown
from . import drawing, interactive
from .drawable import Drawable

MARKS: Final = ("circle", "square", "triangle", "diamond", "cross", "plus", "star", "pentagon")
KINDS: Final = ("line", "thin", "dashed", "dotted", "dash-dotted", "points", "dots", "joined", "vertical", "level")


@answered_class
@dataclass(frozen=True, eq=False)
class Curve:
    """y over x, or z over both. `kind` is line, thin, dashed, dotted, dash-dotted, points, dots (small ones), joined
    (line and points), vertical or level (a line at each x, or y); curves of one `group` share a colour.

    shade      of points: a number for each, shown by its colour; `label` is then the label of the scale
    is_faint   drawn semi-transparent
    mark       shape of points, and of a few marks along a line, so that curves can be distinguished without colours:
               circle, square, triangle, diamond, cross, plus, star, pentagon; ring is an open circle

    >>> x = np.linspace(0.0, 1.0, 5)
    >>> curve = sb.view.Curve(x, x**2, "parabola", kind="dashed")
    >>> curve.label, curve.kind
    ('parabola', 'dashed')

    See also: `view.Panel`, `view.Figure`, `plot`.
    """

    x: Array
    y: Array
    label: str = ""
    kind: str = "line"
    group: int | None = None
    is_faint: bool = False
    shade: Array | None = None
    z: Array | None = None
    mark: str = ""

    def __post_init__(self) -> None:
        for what, given, known in (("kind", self.kind, KINDS), ("mark", self.mark, ("", "ring", *MARKS))):
            if given not in known:
                raise unknown("curve of a figure", what, given, [k for k in known if k], ViewError)


@dataclass(frozen=True, eq=False)
class ScalarField:
    """A quantity over a plane: z[i, j] at x[i], y[j]; a line is drawn where `border` changes its sign.

    levels   about so many contours, with their values; 0: shades about zero, without contours
    """

    x: Array
    y: Array
    z: Array
    border: Array
    label: str = ""
    levels: int = 0


@dataclass(frozen=True, eq=False)
class Flow:
    """Rates in a plane: x' = across[i, j] and y' = up[i, j] at x[i], y[j], drawn as stream lines."""

    x: Array
    y: Array
    across: Array
    up: Array


@dataclass(frozen=True, eq=False)
class Note:
    """A word at a point, on this side of it; at the upper edge of the panel where y is None."""

    x: float
    y: float | None
    text: str
    side: str = "right"


@answered_class
@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes.

    bands              intervals of x that are shaded
    is_equal           a unit is as long on both axes
    z_label            of a third axis, if there is one: then all curves have z
    flow               rates in the plane, behind the curves
    x_label, y_label   with units
    field              a quantity over the plane, as shades and contours behind the curves
    notes              words at points
    x_scale, y_scale   "linear" or "log"
    x_range, y_range   ends of the axes; None: as the curves need
    zero_lines         "x", "y" or both: where an axis through zero helps

    >>> x = np.linspace(0.0, 1.0, 5)
    >>> panel = sb.view.Panel("x [m]", "y [m]", (sb.view.Curve(x, x**2),), is_equal=True)
    >>> sb.view.Figure("own", (panel,))
    <Figure 'own': 1 panels, 1 curves>

    See also: `view.Curve`, `view.Figure`, `plot`.
    """

    x_label: str
    y_label: str
    curves: tuple[Curve, ...] = ()
    field: ScalarField | None = None
    notes: tuple[Note, ...] = ()
    bands: tuple[tuple[float, float], ...] = ()
    x_scale: str = "linear"
    y_scale: str = "linear"
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    is_equal: bool = False
    zero_lines: str = ""  # "x", "y" or both: where an axis through zero helps
    z_label: str = ""
    flow: Flow | None = None


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Figure(Drawable):
    """Panels under one title, stacked or side by side, with a caption.

    panels     from top to bottom; `is_wide`: side by side
    shares_x   whether all panels share one x axis
    caption    the sentence
    size       width and height in inches; a height of 0 is chosen by the number of panels

    >>> x = sb.symbol("x")
    >>> figure = sb.plot(sb.sin(x), sb.cos(x), x=(0, 6))
    >>> figure
    <Figure 'sin(x)': 1 panels, 2 curves>
    >>> figure.noted(top=(1.57, 1.0)).panels[0].notes[0].text
    'top'
    >>> next(iter(figure.rows()))
    ('', 'sin(x)', 0.0, 0.0)

    See also: `plot`.
    """

    title: str
    panels: tuple[Panel, ...]
    is_wide: bool = False  # panels side by side
    shares_x: bool = False
    caption: str = ""
    size: tuple[float, float] = field(default=(7.0, 0.0))  # inches; a height of 0 is chosen by the number of panels

    def __repr__(self) -> str:
        return f"<Figure {self.title!r}: {len(self.panels)} panels, {sum(len(p.curves) for p in self.panels)} curves>"

    def noted(self, **words: tuple[float, float]) -> Figure:
        """The figure with labels at points of the first panel: `figure.noted(weave=(-4, 16))`."""
        first, *others = self.panels
        notes = [Note(x, y, word.replace("_", " ")) for word, (x, y) in words.items()]
        return replace(self, panels=(replace(first, notes=(*first.notes, *notes)), *others))

    # ------------------------------------------------------------------------------------------------ as numbers

    def data(self) -> dict[str, Any]:
        """The content as lists and strings, ready for JSON; None marks a gap in a curve.

        >>> x = sb.symbol("x")
        >>> figure = sb.plot(sb.sin(x), x=(0, 6))
        >>> sorted(figure.data()), figure.heads
        (['panels', 'title'], ('panel', 'curve', 'x', 'y'))
        >>> figure.svg()[:4], figure.save("sine.csv").name, len(figure.draw().axes)
        ('<svg', 'sine.csv', 1)
        >>> "sbp-data" in figure.html(assets=False)  # a part of a page, with values under the cursor
        True

        See also: `plot`.
        """
        return {
            "title": self.title,
            "panels": [
                {
                    "x": p.x_label,
                    "y": p.y_label,
                    **({"z": p.z_label} if p.z_label else {}),
                    "curves": [
                        {"label": c.label, **{k: _finite_or_none(v) for k, v in _axes(c).items()}} for c in p.curves
                    ],
                    "field": None if p.field is None else {k: getattr(p.field, k).tolist() for k in "xyz"},
                    **({"flow": {k: v.tolist() for k, v in vars(p.flow).items()}} if p.flow else {}),
                }
                for p in self.panels
            ],
        }

    @property
    def heads(self) -> tuple[str, ...]:
        """Of the columns of `rows`."""
        return ("panel", "curve", "x", "y", *(("z",) if any(p.z_label for p in self.panels) else ()))

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Panel, curve, x, y (and z, in figures that have one): one row for each point."""
        for p in self.panels:
            for c in p.curves:
                values = zip(*(_axes(c).get(k, [None] * len(c.x)) for k in self.heads[2:]), strict=True)
                yield from ((p.y_label, c.label, *(None if v is None else float(v) for v in row)) for row in values)

    def draw(self) -> Any:
        """A matplotlib figure."""
        return drawing.matplotlib_figure(self)

    @checked_flags(ViewError)
    def html(self, *, assets: bool = True) -> str:
        """A part of a page: values under the cursor, zoom and pan, curves switched by the legend, and the time of a scene
        beside it. `assets=False` leaves out style and script, where `symbody.view.figures.interactive.assets()` is on the page
        once."""
        return interactive.fragment(self, with_assets=assets)

    def _page_rows(self) -> int:
        return interactive.panel_rows(self)

    def __or__(self, other: Figure | FigureGrid) -> FigureGrid:
        """Side by side: `first | second`."""
        return side_by_side(self, other)


def _finite_or_none(values: Array) -> list[float | None]:
    return [v if math.isfinite(v) else None for v in values.tolist()]


def _axes(c: Curve) -> dict[str, Array]:
    return {"x": c.x, "y": c.y, **({} if c.z is None else {"z": c.z})}


# ---------------------------------------------------------------------------------------------------------- side by side


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class FigureGrid(Drawable):
    """Figures arranged in `columns` columns, each with its letter and title above and its caption below; returned by
    `side_by_side`, or by `first | second`.

    figures   from left to right, row by row
    columns   in a row
    title     above all of them
    caption   a sentence about all of them, on pages and in reports

    >>> x = sb.symbol("x")
    >>> both = sb.plot(sb.sin(x), x=(0, 6)) | sb.plot(sb.cos(x), x=(0, 6))
    >>> both
    <FigureGrid of 2 figures in 2 columns>
    >>> both.html(assets=False).count("sbp-data")
    2
    >>> both.save("both.csv").name, both.svg()[:4], both.heads, sorted(both.data())
    ('both.csv', '<svg', ('figure', 'panel', 'curve', 'x', 'y'), ['figures', 'title'])
    >>> next(iter(both.rows())), len(both.draw().axes)
    (('a', 'sin(x)', 'sin(x)', 0.0, 0.0), 2)

    See also: `view.side_by_side`, `view.Figure`, `plot`.
    """

    figures: tuple[Figure, ...]
    columns: int
    title: str = ""
    caption: str = ""

    def __repr__(self) -> str:
        return f"<FigureGrid of {len(self.figures)} figures in {self.columns} columns>"

    def data(self) -> dict[str, Any]:
        """The content as lists and strings, ready for JSON."""
        return {"title": self.title, "figures": [f.data() for f in self.figures]}

    @property
    def heads(self) -> tuple[str, ...]:
        """Of the columns of `rows`: those of the figures behind a letter for each."""
        return ("figure", *max((f.heads for f in self.figures), key=len))

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """A row for each point."""
        width = len(self.heads)
        for letter, f in zip(drawing.LETTERS, self.figures, strict=False):
            for row in f.rows():
                yield (letter, *row, *(None,) * (width - 1 - len(row)))

    def draw(self) -> Any:
        """A matplotlib figure."""
        return drawing.matplotlib_grid(self)

    @checked_flags(ViewError)
    def html(self, *, assets: bool = True) -> str:
        """The figures as a part of a page, side by side if the page is wide enough."""
        if not self._page_rows():
            return super().html()
        inside = "".join(f.html(assets=False) for f in self.figures)
        return f"{interactive.assets() if assets else ''}<div class='sbp-wide'>{inside}</div>"

    def _page_rows(self) -> int:
        rows = [interactive.panel_rows(f) for f in self.figures]
        return sum(max(rows[k : k + self.columns]) for k in range(0, len(rows), self.columns)) if all(rows) else 0

    def __or__(self, other: Figure | FigureGrid) -> FigureGrid:
        return side_by_side(self, other)


@answered
def side_by_side(*figures: Figure | FigureGrid, columns: int = 0, title: str = "", caption: str = "") -> FigureGrid:
    """Arrange figures side by side in one picture, each with its letter, title and caption: `first | second` is short
    for two.

    columns   in a row; by default all figures are in one row

    >>> x = sb.symbol("x")
    >>> waves = [sb.plot(f(x), x=(0, 6)) for f in (sb.sin, sb.cos, sb.tan)]
    >>> sb.view.side_by_side(*waves, columns=2, title="waves")
    <FigureGrid of 3 figures in 2 columns>

    See also: `plot`, `view.Figure`.
    """
    alone = [f for figure in figures for f in _figures_of(figure)]
    if not alone:
        raise ViewError("side_by_side: no figures; give those that stand beside each other")
    if columns < 0:
        raise ViewError(f"side_by_side: columns = {columns}; a row has at least one")
    return FigureGrid(tuple(alone), columns or len(alone), title, caption)


def _figures_of(picture: Any) -> tuple[Figure, ...]:
    """A figure alone, or those of a grid."""
    if isinstance(picture, FigureGrid):
        return picture.figures
    if isinstance(picture, Figure):
        return (picture,)
    raise ViewError(f"side_by_side: figures stand beside each other; got {shown(picture)}")
