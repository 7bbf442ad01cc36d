"""The glossary of docs/notation.md: in order, each term once, with a file in which a reader finds it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8").partition("## Glossary")[2]
ROWS = re.findall(r"^\| (?!term|---)(.+?) \| (.+?) \| `(.+?)` \|$", TEXT, re.MULTILINE)


def test_terms_are_in_order_and_stand_once() -> None:
    terms = [term.lower() for term, _, _ in ROWS]
    assert len(terms) >= 40
    assert terms == sorted(set(terms))


def test_each_term_is_where_the_table_says() -> None:
    """The file exists, and it or its folder uses a word of the term."""
    for term, _, file in ROWS:
        path = ROOT / "symbody" / file
        assert path.is_file(), f"{term}: there is no {file}"
        near = " ".join(p.read_text(encoding="utf-8") for p in sorted(path.parent.glob("*.py"))).lower()
        words = re.findall(r"[a-zé]{4,}", term.lower())
        assert any(word[:6] in near for word in words), f"{term}: {file} has no word of it"
