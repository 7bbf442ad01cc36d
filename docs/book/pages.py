"""A run as a page: text as it is, code, and below it what it shows. Scenes and figures become files beside the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import Any

from symbody.view import Diagram, Figure, FigureGrid, Scene
from symbody.view.figures.interactive import assets

from .running import Run, Shown
from .shown_code import has_checks, shown_code

SCENE_HEIGHT = "26rem"


def page_of(run: Run, folder: Path, scenes: Path) -> str:
    """The Markdown of a run; figures are written into the folder of the page, scenes into a folder of static files."""
    files = _Files(run.name, folder, scenes)
    parts = [_code(s, files) if s.cell.is_code else s.cell.source for s in run.shown]
    checks = any(s.cell.is_code and has_checks(s.cell.source) for s in run.shown)
    said = ", with the checks of its numbers" if checks else ""
    return "\n\n".join(
        [*(p for p in parts if p), f"{{download}}`This page as a notebook <{run.name}.ipynb>`{said}.", ""]
    )


class _Files:
    """Names of the files of a page, one after the other."""

    def __init__(self, name: str, pictures: Path, scenes: Path) -> None:
        self.name, self.pictures, self.scenes, self.number = name, pictures, scenes, 0
        self.has_assets = False

    def assets_once(self) -> str:
        """Style and script of figures, before the first of a page."""
        first, self.has_assets = not self.has_assets, True
        return assets() if first else ""

    def write(self, folder: Path, suffix: str, save: Callable[[Path], Any]) -> str:
        self.number += 1
        path = folder / f"{self.name}-{self.number}{suffix}"
        save(path)
        return path.name


def _code(shown: Shown, files: _Files) -> str:
    code = shown_code(shown.cell.source)
    parts = [f"```python\n{code}\n```"] if code else []
    if shown.printed:
        parts.append(output_box(shown.printed))
    if shown.value is not None:
        parts.append(_value(shown, files))
    return "\n\n".join(parts)


def _value(shown: Shown, files: _Files) -> str:
    value = shown.value
    if isinstance(value, Scene):
        name = files.write(files.scenes, ".html", value.save)
        return raw(
            f'<iframe class="scene" loading="lazy" title="{escape(value.name)} in motion" '
            f'src="../_static/scenes/{name}" style="width:100%;height:{SCENE_HEIGHT};border:0"></iframe>'
        )
    if isinstance(value, Figure | FigureGrid) and "sbp-data" in (inside := value.html(assets=False)):
        caption = f"<figcaption>{escape(value.caption)}</figcaption>" if value.caption else ""
        return raw(f"<figure>{files.assets_once()}{inside}{caption}</figure>")
    if isinstance(value, Figure | FigureGrid | Diagram):
        name = files.write(files.pictures, ".svg", value.save)
        if isinstance(value, Diagram):  # scrolled on narrow screens
            return raw(value._repr_html_())
        return f"![{value.caption or value.title}]({name})"
    if hasattr(value, "_repr_html_"):
        return raw(value._repr_html_())
    return output_box(repr(value))


def output_box(printed: str) -> str:
    """Output in a box. Long sentences are wrapped; columns, which gaps inside lines show, stay and are scrolled."""
    kind = "columns" if re.search(r"\S(?:  |\t).*\S", printed) else "sentences"
    return f"```{{code-block}} text\n:class: {kind}\n\n{printed.rstrip()}\n```"


def raw(html: str) -> str:
    """HTML that Sphinx passes on."""
    return f"````{{raw}} html\n{html}\n````"


def toctree(names: Iterable[str], *options: str) -> str:
    """Pages below one, shown in the side bar alone unless options say otherwise."""
    said = options or (":hidden:",)
    return "\n".join(["```{toctree}", *said, "", *names, "```"])


def title_of(markdown: str) -> str:
    return next(line.removeprefix("# ") for line in markdown.split("\n") if line.startswith("# "))
