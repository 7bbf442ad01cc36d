"""Code that CONTRIBUTING.md shows under a heading, and how long it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.test_readme import blocks

PAGE = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def written(heading: str) -> dict[str, Any]:
    """Names that the Python blocks of the page define, up to the end of the section `heading`."""
    space: dict[str, Any] = {}
    end = PAGE.index(_section(heading)) + len(_section(heading))
    for _, code in blocks(PAGE[:end], "python"):
        exec(compile(code, "CONTRIBUTING.md", "exec"), space)
    return space


def code_lines(heading: str) -> int:
    """Lines of code in a section, without imports and blank lines."""
    lines = [line for _, code in blocks(_section(heading), "python") for line in code.splitlines()]
    return sum(bool(line.strip()) and not line.startswith(("import ", "from ")) for line in lines)


def _section(heading: str) -> str:
    found = re.search(rf"^### {heading}, step by step\n.*?(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"CONTRIBUTING.md has no section {heading!r}"
    return found[0]
