"""A target language by CONTRIBUTING.md alone: Perl, in a temporary package made of the blocks on that page, through the
contract of all languages."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import symbody as sb
from symbody.write.entry.export import ADDED_TARGETS
from tests.contracts.folders import MODELS, Folder, finds_a_wrong_step, holds
from tests.contributing.steps import PAGE, lines_of_code, lines_promised
from tests.installed import good, run_in
from tests.test_readme import blocks
from tests.write.models import crank, pendulums

PERL = Folder(
    {"perl": "perl"}, ("perl -c {name}.pm", "perl -c {name}_check.pl"), "perl {name}_check.pl", "{name}_check.pl"
)


def section() -> str:
    page = PAGE.read_text(encoding="utf-8")
    (found,) = re.findall(r"^### A target language, step by step.*?(?=^##)", page, re.MULTILINE | re.DOTALL)
    return str(found)


def files() -> dict[str, str]:
    """The package that the page describes."""
    shown = re.findall(r"^`(templates/\S+)`\n\n```\w+\n(.*?)^```$", section(), re.MULTILINE | re.DOTALL)
    return {"__init__.py": "\n\n".join(code for _, code in blocks(section(), "python")), **dict(shown)}


@pytest.fixture(scope="module", autouse=True)
def _package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    place = tmp_path_factory.mktemp("outside")
    for name, text in files().items():
        path = place / "symbody_perl" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sys.path.insert(0, str(place))
    try:
        __import__("symbody_perl")
        yield
    finally:
        sys.path.remove(str(place))
        sys.modules.pop("symbody_perl", None)
        ADDED_TARGETS.pop("perl", None)


def test_six_steps() -> None:
    assert re.findall(r"^\*\*(\d)\. ", section(), re.MULTILINE) == list("123456")


def test_the_lines_are_as_many_as_the_page_says() -> None:
    texts = files()
    code = lines_of_code(texts.pop("__init__.py"))
    assert lines_promised("A target language") == code
    assert f"{sum(map(lines_of_code, texts.values()))} of templates" in section()


@pytest.mark.parametrize("model", MODELS)
def test_the_contract_holds(model: str, tmp_path: Path) -> None:
    holds("perl", PERL, model, tmp_path)


def test_a_wrong_step_is_found(tmp_path: Path) -> None:
    finds_a_wrong_step("perl", PERL, tmp_path)


def test_a_wrong_operator_is_found(tmp_path: Path) -> None:
    """A sine that is printed as a cosine does not pass the check."""
    sb.write.export(pendulums(), "perl", tmp_path, functions=["rhs"], start={"q1": 0.5}, reference=None)
    module = tmp_path / "pendulums.pm"
    module.write_text(module.read_text().replace("sin(", "cos(", 1))
    with pytest.raises(AssertionError, match="WRONG"):
        good(run_in(tmp_path, ["perl", "pendulums_check.pl"]))


def test_what_is_not_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sb.errors.ProgramError, match="external functions and samples are not written"):
        sb.write.export(crank(), "perl", tmp_path, start={"a": 0.4}, reference=None)


def test_names_of_symbody_are_taken() -> None:
    with pytest.raises(sb.errors.ProgramError, match="'rust' is a language of symbody"):
        sb.write.add_target("rust", lambda _: {})


def test_an_unknown_language_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(sb.errors.ProgramError, match=r"there is no language 'pearl'.*Did you mean 'perl'"):
        sb.write.export(pendulums(), "pearl", tmp_path)
