"""Old names that still work: `python -m docs.book.renamed` writes their table into docs/stability-of-names.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import symbody
from symbody.later import GONE_IN, OldMembers

from .reference import named_things

PAGE = Path(__file__).parents[1] / "stability-of-names.md"


def old_names() -> list[tuple[str, str]]:
    """Each old name as users write it, and what to write instead."""
    of_packages = [(f"{p}.{old}", f"sb.{new}") for p, m in packages("sb", symbody) for old, new in m._renamed.items()]
    of_classes = [
        (f"{name}.{old}", f"sb.{new}" if "(" in new else f"{name}.{new}")
        for name, cls in classes().items()
        for old, new in cls._renamed.items()
        if not any(old in base._renamed for base in cls.__mro__[1:] if issubclass(base, OldMembers))
    ]
    return sorted(of_packages + of_classes)


def packages(written: str, package: Any) -> Iterator[tuple[str, Any]]:
    """A package and those inside that offer names, as users write them."""
    yield written, package
    for name in package.__all__:
        if hasattr(inside := getattr(package, name), "__path__"):
            yield from packages(f"{written}.{name}", inside)


def classes() -> dict[str, type[OldMembers]]:
    """Public classes that may have old members, by name."""
    found = [thing for _, thing in named_things()]
    return {c.__name__: c for c in found if isinstance(c, type) and issubclass(c, OldMembers)}


def table() -> str:
    """The old names in Markdown."""
    rows = [f"| `{old}` | `{new}` |" for old, new in old_names()]
    return "\n".join([f"| until {GONE_IN} | write |", "| --- | --- |", *rows]) + "\n"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"\| until .*\|\n(?:\|.*\|\n)+", lambda _: table(), page), encoding="utf-8")
