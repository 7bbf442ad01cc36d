"""`Diagram`: lines, arrows and words on one or several plates, as plain data; drawn as SVG, PDF or PNG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...argument_kinds import answered_class
from ...emit.run.callable import Array
from ...escaping import in_figure
from ...summary import Introduced
from ..figures import drawing
from ..figures.drawable import Drawable
from ..figures.label_places import WordAtPoint, dense_points, word_places
from ..scenes.scene_items import Three

DPI: Final = 100.0  # pixels of an inch, in which words are placed
LETTERS: Final = 10.0  # size of words, in points
ROOM: Final = 1.4  # inches around the lines in which words are tried
BORDER: Final = 0.08  # inches between everything on a plate and its edge
TITLE: Final = 0.3  # inches for the title of a plate
COLOURS: Final = {
    "ink": drawing.INK_COLOUR, "soft": "#8a94a0", "load": "#d9480f", "weight": "#2b8a3e", "reaction": "#9c36b5", "inertia": "#1971c2",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Stroke:
    """A line through points, in inches; `fill`: the area inside, in this colour.

    style   solid, or dashed
    width   in points; 0: no line
    """

    points: Array
    colour: str = "ink"
    width: float = 1.2
    style: str = "solid"
    fill: str = ""
    opacity: float = 1.0


@dataclass(frozen=True)
class Word:
    """Text on a plate: its lower left corner and its size, in inches. What stands between dollar signs is mathematics of our
    own; names of the user are escaped."""

    text: str
    x: float
    y: float
    width: float
    height: float
    colour: str = "ink"

    @property
    def box(self) -> tuple[float, float, float, float]:
        return self.x, self.y, self.x + self.width, self.y + self.height


@answered_class
@dataclass(frozen=True, eq=False)
class ForceArrow(Introduced):
    """A force or torque on a body, as drawn in a diagram.

    body          on which it acts
    name          of the load or joint that exerts it
    kind          "weight", "reaction", "inertia", or that of the load: "spring", ...
    quantity      "force" or "torque"
    symbol        its symbol, as mathematical text
    at            point of application in the ground frame, in m
    vector        components in the ground frame, in N or N m; in a diagram with symbols, only the unit direction

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2.0))
    >>> m.gravity(0, 0, -10)
    >>> arrow = sb.view.free_body(sb.assemble(sb.derive(m)), "cart").arrows[0]
    >>> arrow.kind, arrow.vector, arrow.magnitude
    ('weight', (0.0, 0.0, -20.0), 20.0)

    See also: `view.free_body`, `view.Diagram`.
    """

    body: str
    name: str
    kind: str
    quantity: str
    symbol: str
    at: Three
    vector: Three

    @property
    def magnitude(self) -> float:
        """Its length, in N or N m."""
        return float(np.linalg.norm(self.vector))


@dataclass(frozen=True, eq=False)
class Plate:
    """One picture of a diagram: strokes in the order of drawing, words over them, and what its arrows stand for.

    box   left, bottom, right and top of all of it, in inches
    """

    title: str
    strokes: tuple[Stroke, ...]
    words: tuple[Word, ...]
    box: tuple[float, float, float, float]
    arrows: tuple[ForceArrow, ...] = ()


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Diagram(Drawable):
    """A free-body diagram or a kinematic sketch: plates arranged in `columns` columns.

    diagram.save("a.svg")     also .pdf, .png, a page (.html), or the forces as a table (.csv, .json)
    in a notebook             the last line of a cell shows it

    title     of all plates
    plates    one for each body; a sketch has one
    columns   of a row
    caption   a sentence that explains the labels
    arrows    all drawn forces and torques

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2.0))
    >>> m.gravity(0, 0, -10)
    >>> diagram = sb.view.free_body(sb.derive(m))
    >>> diagram
    <Diagram 'cart': 1 plate, 2 forces>
    >>> [a.kind for a in diagram.arrows]
    ['weight', 'reaction']
    >>> "<svg" in diagram.html()
    True
    >>> diagram.svg()[:4], diagram.save("cart.pdf").name, diagram.heads[:4]
    ('<svg', 'cart.pdf', ('body', 'name', 'kind', 'quantity'))
    >>> next(iter(diagram.rows()))[:4], sorted(diagram.data()), len(diagram.draw().axes)
    (('cart', 'gravity', 'weight', 'force'), ['arrows', 'caption', 'title'], 1)

    See also: `view.free_body`, `view.sketch`.
    """

    title: str
    plates: tuple[Plate, ...]
    columns: int = 1
    caption: str = ""

    def __repr__(self) -> str:
        plates = f"{len(self.plates)} plate{'s' if len(self.plates) != 1 else ''}"
        forces = f", {len(self.arrows)} forces" if self.arrows else ""
        return f"<Diagram {self.title!r}: {plates}{forces}>"

    @property
    def arrows(self) -> tuple[ForceArrow, ...]:
        """All drawn forces and torques."""
        return tuple(a for p in self.plates for a in p.arrows)

    @property
    def heads(self) -> tuple[str, ...]:
        """Headings of the columns of `rows`."""
        return ("body", "name", "kind", "quantity", "symbol", *(f"at_{k}" for k in "xyz"), *"xyz")

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """One row for each force or torque."""
        for a in self.arrows:
            yield (a.body, a.name, a.kind, a.quantity, a.symbol, *a.at, *a.vector)

    def data(self) -> dict[str, Any]:
        """Forces and torques as lists and strings, ready for JSON."""
        rows = [dict(zip(self.heads, row, strict=True)) for row in self.rows()]
        return {"title": self.title, "caption": self.caption, "arrows": rows}

    def draw(self) -> Any:
        """A matplotlib figure."""
        rows = [self.plates[k : k + self.columns] for k in range(0, len(self.plates), self.columns)]
        heights = [max(p.box[3] - p.box[1] for p in row) for row in rows]
        width = max(sum(p.box[2] - p.box[0] for p in row) for row in rows)
        canvas, top = drawing.empty_canvas(width, sum(heights)), sum(heights)
        for row, height in zip(rows, heights, strict=True):
            left = (width - sum(p.box[2] - p.box[0] for p in row)) / 2
            for p in row:
                size = p.box[2] - p.box[0], p.box[3] - p.box[1]
                _draw_plate(p, drawing.empty_axes(canvas, (left, top - size[1], *size), p.box))
                left += size[0]
            top -= height
        return canvas


def _draw_plate(plate: Plate, ax: Any) -> None:
    for order, s in enumerate(plate.strokes):
        if s.fill:
            ax.fill(*s.points.T, facecolor=COLOURS.get(s.fill, s.fill), alpha=s.opacity, linewidth=0, zorder=order)
        if s.width:
            how = (0, (4, 3)) if s.style == "dashed" else "-"
            ax.plot(
                *s.points.T, color=COLOURS.get(s.colour, s.colour), linewidth=s.width, linestyle=how, zorder=order, solid_joinstyle="round",
                solid_capstyle="round",
            )  # fmt: skip
    for w in plate.words:
        ax.text(w.x, w.y, w.text, fontsize=LETTERS, color=COLOURS[w.colour], ha="left", va="bottom", zorder=10_000)
    if plate.title:
        left, _, right, top = plate.box
        ax.text((left + right) / 2, top - 0.06, in_figure(plate.title), fontsize=LETTERS + 1, color=COLOURS["ink"], ha="center", va="top", zorder=10_000)  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- plates


@dataclass(frozen=True)
class Wish:
    """A word and the point that it belongs to, in inches; placed when all lines are known."""

    text: str
    x: float
    y: float
    side: str = "right"
    colour: str = "ink"


def plate(title: str, strokes: Sequence[Stroke], wishes: Sequence[Wish], arrows: Sequence[ForceArrow] = ()) -> Plate:
    """A plate whose words cover no line and none of each other, cut to what is on it."""
    points = np.concatenate([np.zeros((0, 2)), *(_covered_points(s) for s in strokes)])
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (np.zeros(2), np.zeros(2))
    frame = np.concatenate([low - ROOM * DPI, high + ROOM * DPI])
    sizes = [drawing.text_size(w.text, LETTERS) for w in wishes]
    asked = [
        WordAtPoint(DPI * w.x, DPI * w.y, DPI * a, DPI * b, w.side) for w, (a, b) in zip(wishes, sizes, strict=True)
    ]
    found = word_places(asked, frame, points, np.zeros((0, 4)))
    words, lines = [], []
    for w, size, place in zip(wishes, sizes, found, strict=True):
        word = Word(w.text, place.x / DPI, place.y / DPI, *size, colour=w.colour)
        words.append(word)
        if place.has_line:
            near = np.clip([w.x, w.y], word.box[:2], word.box[2:])
            lines.append(Stroke(np.array([[w.x, w.y], near]), "soft", 0.6))
    return Plate(title, (*strokes, *lines), tuple(words), _box(points / DPI, words, title), tuple(arrows))


def _covered_points(s: Stroke) -> Array:
    """Points along a line, and inside of an area (which is convex), in pixels."""
    along = dense_points(*(DPI * s.points).T)
    if not s.fill:
        return along
    low, high = along.min(axis=0), along.max(axis=0)
    x, y = (g.reshape(-1) for g in np.meshgrid(*(np.arange(a, b, 8.0) for a, b in zip(low, high, strict=True))))
    a = DPI * s.points
    way = np.roll(a, -1, axis=0) - a
    sides = way[:, :1] * (y - a[:, 1:]) - way[:, 1:] * (x - a[:, :1])
    inside = (sides >= 0).all(axis=0) | (sides <= 0).all(axis=0)
    return np.concatenate([along, np.stack([x, y], axis=1)[inside]])


def _box(points: Array, words: Sequence[Word], title: str) -> tuple[float, float, float, float]:
    """Around lines and words; with a title, as wide as that, and with room above."""
    corners = np.array([*points, *(w.box[:2] for w in words), *(w.box[2:] for w in words)]).reshape(-1, 2)
    (left, low), (right, high) = (
        (corners.min(axis=0) - BORDER, corners.max(axis=0) + BORDER) if len(corners) else ((0.0, 0.0), (1.0, 1.0))
    )
    if title:
        wide = drawing.text_size(in_figure(title), LETTERS + 1)[0] + 2 * BORDER
        more = max(0.0, wide - (right - left)) / 2
        left, right, high = left - more, right + more, high + TITLE
    return float(left), float(low), float(right), float(high)
