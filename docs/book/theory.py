"""Theory: a chapter for each folder of the package, made from what its files say about themselves.

A file whose docstring goes beyond a sentence explains a method: its equations, where they come from, and why this way. The
reader of the code and the reader of the book read the same text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import symbody

from .reference import STAGES, as_markdown

PACKAGE = Path(symbody.__file__).parent
LINES = 3  # of a docstring that explains something


def write_theory(folder: Path) -> int:
    """A page for each stage, and an index; the number of files that are explained."""
    folder.mkdir(parents=True, exist_ok=True)
    total = 0
    for stage in STAGES:
        found = list(_explained(PACKAGE / stage))
        total += len(found)
        (folder / f"{stage}.md").write_text(_chapter(stage, found), encoding="utf-8")
    (folder / "index.md").write_text(_index(), encoding="utf-8")
    return total


def _explained(folder: Path) -> Iterator[tuple[str, str]]:
    """Files, by their path in the folder, whose docstrings explain something."""
    for file in sorted(folder.rglob("*.py")):
        said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        if file.name != "__init__.py" and len(said.splitlines()) >= LINES:
            yield file.relative_to(folder).as_posix(), said


def _chapter(stage: str, found: list[tuple[str, str]]) -> str:
    opening = ast.get_docstring(ast.parse((PACKAGE / stage / "__init__.py").read_text(encoding="utf-8"))) or ""
    parts = [f"# {stage}", as_markdown(opening, {}, "", has_arguments=False)]
    for name, said in found:
        title, _, rest = said.partition("\n\n")
        parts += [
            f"## {_heading(title)}",
            as_markdown(rest, {}, "", has_arguments=False),
            f"<small>symbody/{stage}/{name}</small>",
        ]
    return "\n\n".join([*parts, ""])


def _heading(title: str) -> str:
    """The first sentence, as far as a heading is long."""
    words = " ".join(title.split()).rstrip(".:")
    return words if len(words) <= 110 else words[:110].rsplit(" ", 1)[0] + " …"


def _index() -> str:
    chapters = "\n".join(STAGES)
    return (
        "# Theory\n\nMethods with their equations, their sources, and why this way: one chapter for each folder of the "
        "package, in the order in which data passes through.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{chapters}\n```\n"
    )
