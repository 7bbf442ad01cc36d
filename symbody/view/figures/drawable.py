"""`Drawable`: what single figures and grids of them have in common. They draw themselves in a notebook, and save pictures
and numbers."""

from __future__ import annotations

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ...argument_kinds import checked_flags
from ...errors import SymbodyError, ViewError
from ...escaping import csv_row
from ...whole_files import write_text
from . import drawing, interactive

PIXELS: Final = 4 / 3  # of a page, in a point of paper
READABLE: Final = 0.7  # part of its width on paper below which a picture is scrolled, not made smaller


class Drawable(ABC):
    """A figure, or several in a grid.

    title, caption   what is shown, and a sentence that says what is seen
    heads            of the columns of `rows`
    """

    title: str
    caption: str

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """Everything as lists and strings, ready for JSON."""

    @property
    @abstractmethod
    def heads(self) -> tuple[str, ...]: ...

    @abstractmethod
    def rows(self) -> Iterator[tuple[Any, ...]]:
        """One row for each point."""

    @abstractmethod
    def draw(self) -> Any:
        """A matplotlib figure."""

    def svg(self) -> str:
        """A picture that takes the colours of text and background from the page that it stands in."""
        return drawing.svg(self.draw())

    def save(self, path: str | Path) -> Path:
        """Write a picture (.svg, .png, .pdf), a page with its caption (.html), or the numbers (.csv, .json)."""
        place = Path(path)
        if place.suffix == ".json":
            write_text(place, json.dumps(self.data()))
        elif place.suffix == ".csv":
            table = io.StringIO()
            table.write(csv_row(self.heads) + "\r\n")
            csv.writer(table).writerows(self.rows())
            write_text(place, table.getvalue())
        elif place.suffix == ".html":
            write_text(place, self._page())
        elif place.suffix in (".svg", ".png", ".pdf"):
            drawing.save(self.draw(), place)
        else:
            raise SymbodyError(f"{place}: a figure is saved as .svg, .png, .pdf, .html, or its numbers as .csv, .json")
        return place

    @checked_flags(ViewError)
    def html(self, *, assets: bool = True) -> str:
        """A part of a page: values under the cursor, zoom and pan, curves switched by the legend, and the time of a scene
        beside it. `assets=False` leaves out style and script, where `symbody.view.figures.interactive.assets()` is on the page
        once."""
        return f'<div class="sbp-still">{self.svg()}</div>'

    def _page_rows(self) -> int:
        """Panels below each other that answer in a page; 0 if it is a static picture alone."""
        return 0

    def _page(self) -> str:
        return interactive.page(self.title, self.html(assets=False), self.caption)

    def _repr_html_(self) -> str:
        rows = self._page_rows()
        if not rows:  # not as SVG alone: exported notebooks cut pictures off on narrow screens
            return f'<div style="overflow-x:auto">{self._sized_svg(READABLE)}</div>'
        return interactive.in_notebook(self.title, self.html(assets=False), self.caption, rows)

    def _repr_svg_(self) -> str:
        """The picture, as wide as on paper where there is room, also where a notebook is exported with pictures as files."""
        return self._sized_svg(0.0)

    def _sized_svg(self, least: float) -> str:
        """The picture, at most as wide as on paper and as the page, and at least that part of its width on paper."""
        drawn = self.svg()
        width = PIXELS * float(drawn.partition('viewBox="')[2].split(maxsplit=3)[2])
        style = f"max-width:100%;min-width:{least * width:z.0f}px;height:auto"
        return drawn.replace("<svg ", f'<svg width="{width:z.0f}" style="{style}" ', 1)
