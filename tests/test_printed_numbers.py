"""Numbers in texts for people: none of them is a negative zero after rounding."""

import ast
import re
from pathlib import Path

import pytest

import symbody as sb

from .package_sources import nodes, sources

ROOT = Path(sb.__file__).parent
CODE = (
    "emit",
    "write/artefacts",
    "write/entry",
    "write/printers",
    "write/targets",
    "view/scenes/picture.py",
)  # texts for machines
ROUNDED = re.compile(r"\.\d+[feg]$")


def formats(tree: ast.Module) -> list[tuple[int, str]]:
    """Formats of numbers in a file, by line."""
    values = (n for n in nodes(tree) if isinstance(n, ast.FormattedValue))
    texts = (
        (n.lineno, "".join(str(c.value) for c in getattr(n.format_spec, "values", ()) if isinstance(c, ast.Constant)))
        for n in values
    )
    return [(line, text) for line, text in texts if ROUNDED.search(text)]


def test_rounded_numbers_have_no_negative_zero():
    """The option z of the format: -0.00004 is 0.0000 with four digits. All digits (17) are kept as they are."""
    trees = {f: t for f, t in sources(ROOT.parent).items() if not f.removeprefix("symbody/").startswith(CODE)}
    found = [(f"{file}:{line} {text}", text) for file, tree in trees.items() for line, text in formats(tree)]
    assert len(found) > 100
    assert [place for place, text in found if "z" not in text and not text.endswith(".17g")] == []
    assert formats(ast.parse("f'{x:.3f} {x:z.3f} {x:d}'")) == [(1, ".3f"), (1, "z.3f")]


@pytest.mark.parametrize("real", [-1e-17, -0.0, 0.0])
def test_undamped_modes_have_damping_zero(real):
    text = str(sb.linear_system([[real, 1], [-4, real]]).modes())
    assert "-0.0000" not in text
    assert "0.0000" in text
