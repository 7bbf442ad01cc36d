"""Search in the book: names first, then the guide to them, then titles, then text."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.amount import FULL

pytest.importorskip("sphinx", reason="python -m pip install '.[docs]'")

from docs.book import search, site

ROOT = Path(__file__).parents[1]
SCORER = (ROOT / "docs" / "book" / "scorer.js").read_text(encoding="utf-8")
QUERIES = Path(__file__).parent / "search_queries.js"
OF_INDEX = 100  # points of an entry of the index, in Sphinx


def points(what: str) -> int:
    found = re.search(rf"^  {what}: (\d+)", SCORER, re.MULTILINE)
    assert found, what
    return int(found[1])


def test_names_before_guides_before_titles_before_text() -> None:
    assert (
        points("objNameMatch")
        > OF_INDEX + 1
        > points("title")
        > points("partialTitle")
        > points("term")
        > points("partialTerm")
    )
    assert points("objPartialMatch") < points("title")


def test_words_lead_to_pages() -> None:
    """Each word to one page; British and American spelling alike; the unit is found, not only degrees of freedom."""
    words = [w.lower() for listed in search.WORDS.values() for w in listed.split(", ")]
    assert sorted(set(words)) == sorted(words)
    assert [p for p in search.WORDS if not (ROOT / "docs" / f"{p.partition('#')[0]}.md").exists()] == []
    assert "degrees" in search.index_words("modelling")["unit"]
    guides = {
        "linearize": "linear",
        "simulate": "simulation",
        "derive": "equations",
        "sweep": "sweeps",
        "plot": "viewing",
    }
    assert [name for name, guide in guides.items() if name not in search.index_words(guide)[""]] == []
    assert {"linearise", "linearize"} <= set(search.index_words("linear")[""])
    assert search.index_words("why/0003") == {}


@pytest.mark.skipif(not FULL or not shutil.which("node"), reason="builds pages, and runs their search with Node")
def test_search_of_the_built_site(tmp_path: Path) -> None:
    """Sphinx's own search, on pages that were made."""
    site.build(
        tmp_path, workers=0, only=["linear", "modelling", "notation", "reference/stability-*", "reference/Model"]
    )
    done = subprocess.run(
        ["node", str(QUERIES), str(tmp_path), "linearize", "degrees", "revolute"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["linearize"][0].endswith("#name-linearize")
    assert found["linearize"][1] == "linear"
    assert found["degrees"][0].startswith("modelling#")
    assert found["revolute"][0] == "reference/Model#model-revolute"
