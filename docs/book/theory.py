"""Theory: a chapter for each folder of the package, and below it what its files say about themselves.

Chapters are written (`docs/theory`): the question, the equations, their sources, why this way. A file whose docstring goes
beyond a sentence explains one method in detail; the reader of the code and the reader of the book read the same text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import symbody

from .reference import STAGES, as_markdown

PACKAGE = Path(symbody.__file__).parent
LINES = 3  # of a docstring that explains something
LONGEST = 70  # characters of a heading


def write_theory(folder: Path) -> int:
    """Put the files of each stage below its chapter, and write an index; the number of files that are explained."""
    total = 0
    for stage in STAGES:
        found = list(_explained(PACKAGE / stage))
        total += len(found)
        chapter = folder / f"{stage}.md"
        chapter.write_text(f"{chapter.read_text(encoding='utf-8')}\n{_in_detail(stage, found)}", encoding="utf-8")
    (folder / "index.md").write_text(_index(), encoding="utf-8")
    return total


def _explained(folder: Path) -> Iterator[tuple[str, str]]:
    """Files, by their path in the folder, whose docstrings explain something."""
    for file in sorted(folder.rglob("*.py")):
        said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        if file.name != "__init__.py" and len(said.splitlines()) >= LINES:
            yield file.relative_to(folder).as_posix(), said


def _in_detail(stage: str, found: list[tuple[str, str]]) -> str:
    parts = ["## In detail, file by file"]
    for name, said in found:
        first, _, rest = said.partition("\n\n")
        title, more = headed(first)
        parts += [f"### {title}", more, as_markdown(rest, {}, "", has_arguments=False)]
        parts.append(f"<small>symbody/{stage}/{name}</small>")
    return "\n\n".join([*(p for p in parts if p), ""])


def headed(first: str) -> tuple[str, str]:
    """A first paragraph as a heading and what is left to say: cut at the end of a clause where it is long, never inside
    code."""
    words = " ".join(first.split())
    if len(words) <= LONGEST:
        return words.rstrip(".:"), ""
    ends = [m.start() for m in re.finditer(r"[:.,;] ", words) if words[: m.start()].count("`") % 2 == 0]
    short = [e for e in ends if e <= LONGEST]
    title = words[: short[-1]] if short else words[:LONGEST].rsplit(" ", 1)[0] + " …"
    return title, as_markdown(words, {}, "", has_arguments=False)


def _index() -> str:
    chapters = "\n".join(STAGES)
    return (
        "# Theory\n\nMethods with their equations, their sources, and why this way: one chapter for each folder of the "
        "package, in the order in which data passes through. Each ends with what its files say in detail.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{chapters}\n```\n"
    )
