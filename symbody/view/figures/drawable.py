"""`Drawable`: what single figures and grids of them have in common. They draw themselves in a notebook, and save pictures
and numbers."""

from __future__ import annotations

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import SymbodyError
from ...escaping import csv_row, in_html
from ...whole_files import write_text
from . import drawing


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

    def _page(self) -> str:
        caption = f"<figcaption>{in_html(self.caption)}</figcaption>" if self.caption else ""
        style = "body{margin:2rem auto;max-width:60rem;font-family:sans-serif;color-scheme:light dark}svg{width:100%;height:auto}"
        return (
            f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{in_html(self.title)}</title><style>{style}</style>"
            f"<figure>{self.svg()}{caption}</figure></html>\n"
        )

    def _repr_svg_(self) -> str:
        return self.svg()
