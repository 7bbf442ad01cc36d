"""Numbers in texts for people: none of them is a negative zero after rounding."""

import ast
import re
from pathlib import Path

import pytest

import symbody as sb

ROOT = Path(sb.__file__).parent
CODE = (
    "emit",
    "write/artefacts",
    "write/entry",
    "write/printers",
    "write/targets",
    "view/scenes/picture.py",
)  # texts for machines
FILES = [p for p in sorted(ROOT.rglob("*.py")) if not str(p.relative_to(ROOT)).startswith(CODE)]
ROUNDED = re.compile(r"\.\d+[feg]$")


def formats(file: Path) -> list[tuple[int, str]]:
    """Formats of numbers in a file, by line."""
    nodes = (n for n in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(n, ast.FormattedValue))
    texts = (
        (n.lineno, "".join(c.value for c in getattr(n.format_spec, "values", ()) if isinstance(c, ast.Constant)))
        for n in nodes
    )
    return [(line, text) for line, text in texts if ROUNDED.search(text)]


def test_rounded_numbers_have_no_negative_zero():
    """The option z of the format: -0.00004 is 0.0000 with four digits. All digits (17) are kept as they are."""
    missing = [
        f"{p.relative_to(ROOT)}:{line} {text}"
        for p in FILES
        for line, text in formats(p)
        if "z" not in text and not text.endswith(".17g")
    ]
    assert sum(len(formats(p)) for p in FILES) > 100
    assert missing == []


@pytest.mark.parametrize("real", [-1e-17, -0.0, 0.0])
def test_undamped_modes_have_damping_zero(real):
    text = str(sb.linear_system([[real, 1], [-4, real]]).modes())
    assert "-0.0000" not in text
    assert "0.0000" in text
