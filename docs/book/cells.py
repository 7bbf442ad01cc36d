"""Cells of text and code: one form for tutorials (Markdown pages) and for the scripts of the gallery.

A script begins with a docstring, which is text, and goes on in cells:

    \"\"\"# A pendulum
    Subjects: toys
    ...\"\"\"
    # %%
    import symbody as sb
    # %% [markdown]
    # What is seen next.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

_MARK = re.compile(r"^# %%(.*)$", re.MULTILINE)
_FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Cell:
    """A piece of Markdown, or of code that begins at a line of its file."""

    source: str
    is_code: bool
    line: int = 1


def cells_of(path: Path) -> list[Cell]:
    """The cells of a script or of a page, by its suffix; empty ones are left out."""
    text = path.read_text(encoding="utf-8")
    found = _of_script(text) if path.suffix == ".py" else _of_page(text)
    return [c for c in found if c.source.strip()]


def _of_script(text: str) -> list[Cell]:
    opening = ast.parse(text).body[0]
    said = ast.get_docstring(ast.parse(text))
    if said is None:
        raise ValueError("a script of the gallery begins with a docstring: its title, its subjects, what it shows")
    cells = [Cell(said, is_code=False)]
    after = "\n" * (opening.end_lineno or 0) + "\n".join(text.split("\n")[opening.end_lineno :])
    marks = list(_MARK.finditer(after))
    ends = [m.start() for m in marks[1:]] + [len(after)]
    for mark, end in zip(marks, ends, strict=True):
        body, line = after[mark.end() : end].strip("\n"), after[: mark.end()].count("\n") + 2
        is_code = "markdown" not in mark[1]
        cells.append(Cell(body if is_code else re.sub(r"^# ?", "", body, flags=re.MULTILINE), is_code, line))
    return cells


def _of_page(text: str) -> list[Cell]:
    cells, at = [], 0
    for fence in _FENCE.finditer(text):
        cells.append(Cell(text[at : fence.start()].strip("\n"), is_code=False))
        cells.append(Cell(fence[1].rstrip("\n"), is_code=True, line=text[: fence.start(1)].count("\n") + 1))
        at = fence.end()
    return [*cells, Cell(text[at:].strip("\n"), is_code=False)]
