"""The page with the whole language: made from the package, complete, and its mistakes are mistakes."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="python -m pip install '.[docs]'")

import symbody as sb
from docs.book import language as page
from docs.book.reference import groups, members

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def text() -> str:
    return page.plain(page.language())


def test_every_method_and_every_function_is_there(text: str) -> None:
    """With its signature as Python has it."""
    listed = set(re.findall(r"^- `([\w.]+)", text, re.MULTILINE))
    assert {f"m.{m.name}" for m in members(sb.Model)} <= listed
    functions = {f"sb.{n}" for g in groups() if g.prefix == "sb." for n in g.names if inspect.isroutine(g.thing(n))}
    assert functions <= listed
    assert {"sim.reaction", "lin.lqr", "eq.readable", "frame.rotate"} <= listed
    assert "`m.particle(name, at=None, *, mass)`: " in text


def test_every_line_says_something(text: str) -> None:
    assert [line for line in text.split("\n") if re.fullmatch(r"- `m\..*`: ?", line)] == []


def test_keys_and_commands_are_those_of_the_package(text: str) -> None:
    keys = text.split("## Keys of model files")[1].split("\n## ")[0]
    assert re.findall(r"^- `(\w+)`", keys, re.MULTILINE) == list(sb.bodies.model_schema()["properties"])
    assert "- `symbody simulate`: " in text


@pytest.mark.parametrize("mistake", page.MISTAKES, ids=lambda m: m.wrong)
def test_mistakes_get_an_answer(mistake: page.Mistake) -> None:
    assert len(mistake.message) > 30


def test_a_mistake_that_passes_is_found() -> None:
    with pytest.raises(ValueError, match="is it a mistake no longer"):
        _ = page.Mistake("q**2", "q**2").message


def test_pages_for_programs_list_what_exists() -> None:
    """Every page of the first page's lists that is a file, with a line on it."""
    text = page.pages_for_programs(DOCS)
    links = re.findall(r"^- \[[^]]+\]\((.*?)\): \S", text, re.MULTILINE)
    assert links[0] == "language.txt"
    assert [name for name in links[1:] if not (DOCS / name).with_suffix(".md").exists()] == []
    assert {"linear.html", "simulation.html", "tutorials/first-hour.html"} <= set(links)
    assert text.startswith("# symbody\n\n> ")
