"""`Figure`: the content of a plot as plain data, which can be drawn (`drawing.py`) or saved as numbers."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...argument_kinds import answered_class
from ...emit.run.callable import Array
from ...escaping import csv_row
from ...whole_files import write_text
from . import drawing


@answered_class
@dataclass(frozen=True, eq=False)
class Curve:
    """y over x, or z over both. `kind` is line, dashed, points, dots (small ones), joined (line and points), vertical
    or level (a line at each x, or y); curves of one `group` share a colour.

    shade      of points: a number for each, told by its colour; `label` is then that of the scale
    is_faint   drawn so that what is behind shows through

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
    z_label            of a third axis, where there is one: then all curves have z
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
@dataclass(frozen=True, eq=False)
class Figure:
    """Panels under one title, one below the other or side by side, with a sentence that says what is seen.

    panels     from top to bottom; `is_wide`: side by side
    shares_x   one axis of x serves all
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
        """The same with words at points of the first panel: `figure.noted(weave=(-4, 16))`."""
        first, *others = self.panels
        notes = [Note(x, y, word.replace("_", " ")) for word, (x, y) in words.items()]
        return replace(self, panels=(replace(first, notes=(*first.notes, *notes)), *others))

    # ------------------------------------------------------------------------------------------------ as numbers

    def data(self) -> dict[str, Any]:
        """Everything as lists and strings, ready for JSON; None where a curve has a gap.

        >>> x = sb.symbol("x")
        >>> figure = sb.plot(sb.sin(x), x=(0, 6))
        >>> sorted(figure.data()), figure.heads
        (['panels', 'title'], ('panel', 'curve', 'x', 'y'))
        >>> figure.svg()[:4], figure.save("sine.csv").name, len(figure.draw().axes)
        ('<svg', 'sine.csv', 1)

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

    # ------------------------------------------------------------------------------------------------ as a picture

    def draw(self) -> Any:
        """A matplotlib figure."""
        return drawing.matplotlib_figure(self)

    def svg(self) -> str:
        """A picture that takes the colours of text and background from the page that it stands in."""
        return drawing.svg(self)

    def save(self, path: str | Path) -> Path:
        """Write a picture (.svg, .png, .pdf), or the numbers (.csv, .json)."""
        place = Path(path)
        if place.suffix == ".json":
            write_text(place, json.dumps(self.data()))
        elif place.suffix == ".csv":
            table = io.StringIO()
            table.write(csv_row(self.heads) + "\r\n")
            csv.writer(table).writerows(self.rows())
            write_text(place, table.getvalue())
        else:
            drawing.save(self, place)
        return place

    def _repr_svg_(self) -> str:
        return self.svg()


def _finite_or_none(values: Array) -> list[float | None]:
    return [v if math.isfinite(v) else None for v in values.tolist()]


def _axes(c: Curve) -> dict[str, Array]:
    return {"x": c.x, "y": c.y, **({} if c.z is None else {"z": c.z})}
