"""Texts of other languages, which stand in files with the ending of their language: `targets/rust/templates/check.rs`.

    {{name}}              a slot; `Template.filled(name=...)` puts text there
        {{body}}          alone on its line: a block of lines, indented like the slot; an empty block leaves no line
    // {{part step}}      begins a part of the file, which is filled separately; the mark may stand in a comment

Every slot must be given, and everything given must have a slot. What is put in is not looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from ...errors import ProgramError, listed, unknown

_SLOT: Final = re.compile(r"\{\{(\w+)\}\}")
_BLOCK: Final = re.compile(r"(\s*)\{\{(\w+)\}\}")
_PART: Final = re.compile(r"\W*\{\{part (\w+)\}\}\W*")

Filling = str | int | float | Iterable[str]  # numbers by their shortest digits; of a block, its lines


@dataclass(frozen=True)
class Template:
    """A text with slots; `where` it stands is for messages."""

    where: str
    text: str

    @property
    def slots(self) -> set[str]:
        """Names of the slots."""
        return set(_SLOT.findall(self.text))

    def filled(self, **given: Filling) -> str:
        """The text with `given` in its slots."""
        if missing := self.slots - given.keys():
            raise ProgramError(f"template {self.where}: nothing is given for the slots {listed(sorted(missing))}")
        for name in given:
            if name not in self.slots:
                raise unknown(f"template {self.where}", "slot", name, sorted(self.slots), ProgramError)
        return _filled_text(self.text, given)


def template(package: str, name: str) -> Template:
    """A whole file of the folder `templates` beside a module, which gives its `__package__`."""
    return Template(f"{package}/{name}", _content(package, name))


def template_parts(package: str, name: str) -> dict[str, Template]:
    """The parts of a file of the folder `templates`, by name, without the blank lines around them."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in _content(package, name).splitlines():
        if mark := _PART.fullmatch(line):
            lines = found.setdefault(mark[1], [])
        else:
            lines.append(line)
    return {part: Template(f"{package}/{name}, {part}", "\n".join(text).strip("\n")) for part, text in found.items()}


@cache
def _content(package: str, name: str) -> str:
    return (files(package) / "templates" / name).read_text(encoding="utf-8")


def _filled_text(text: str, given: dict[str, Filling]) -> str:
    out: list[str] = []
    skips = False  # a blank line after a block that is empty, if there is one before it
    for line in text.split("\n"):
        if block := _BLOCK.fullmatch(line):
            lines = _lines(given[block[2]])
            out += [block[1] + x if x else x for x in lines]
            skips = not lines and (not out or not out[-1])
        elif line or not skips:
            out.append(_SLOT.sub(lambda slot: _text(given[slot[1]]), line))
            skips = False
    return "\n".join(out)


def _lines(value: Filling) -> list[str]:
    if isinstance(value, str | int | float):
        return str(value).removesuffix("\n").split("\n") if value != "" else []
    return [line for text in value for line in text.split("\n")]


def _text(value: Filling) -> str:
    return str(value) if isinstance(value, str | int | float) else ", ".join(value)
