"""What CONTRIBUTING.md tells somebody who has never seen the code, done in a temporary package."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def lines_of_code(text: str) -> int:
    """Lines that are neither empty nor part of a docstring or comment."""
    without = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
    return sum(1 for line in without.splitlines() if line.strip() and not line.lstrip().startswith("#"))


def lines_promised(title: str) -> int:
    """What the section of the page says it takes: "N lines of code"."""
    (section,) = re.findall(rf"^### {title}.*?(?=^##|\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (number,) = re.findall(r"(\d+) lines of code", section)
    return int(number)


def imported(path: Path, text: str) -> ModuleType:
    """The text as a module, from a file."""
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
