"""The reference: every public function and class has an example that runs, and says what else to look at."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from docs.book.reference import groups, named_things

THINGS = dict(named_things())
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\d+(?=e)|\.\d+)(?:e[-+]?\d+)?")
SEE_ALSO = re.compile(r"^See also: ((?:`[\w.]+`,?\s?)+)\.$", re.MULTILINE)


class AsShown(doctest.OutputChecker):
    """Numbers with a decimal point agree to the digits that are shown; all else exactly, but for blanks at ends."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        want, got = (re.sub(r"[ \t]+$", "", text.rstrip(), flags=re.MULTILINE) + "\n" for text in (want, got))
        if super().check_output(want, got, optionflags):
            return True
        shown, found = NUMBER.findall(want), NUMBER.findall(got)
        if NUMBER.sub("#", want) != NUMBER.sub("#", got) or len(shown) != len(found):
            return False
        return all(_agree(a, b) for a, b in zip(shown, found, strict=True))


def _agree(shown: str, found: str) -> bool:
    mantissa, _, exponent = shown.partition("e")
    last = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(shown) - float(found)) <= 0.51 * last


def text_of(thing: Any) -> str:
    return inspect.getdoc(thing) or ""


def lacks(thing: Any) -> list[str]:
    """Which of the two a docstring does not have."""
    text = text_of(thing)
    return [what for what, found in (("an example", ">>> " in text), ("See also", SEE_ALSO.search(text))) if not found]


@pytest.mark.parametrize("name", THINGS)
def test_has_an_example_and_see_also(name: str) -> None:
    missing = lacks(THINGS[name])
    assert not missing, f"{name} lacks {' and '.join(missing)} in its docstring (CONTRIBUTING.md says how)"


@pytest.mark.parametrize("name", THINGS)
def test_see_also_leads_somewhere_else(name: str) -> None:
    """Public names, or members of public classes, other than this one."""
    known = {n.removeprefix("sb."): t for n, t in THINGS.items()} | {"pi": sb.pi}
    for found in SEE_ALSO.findall(text_of(THINGS[name])):
        for other in re.findall(r"`([\w.]+)`", found):
            owner, _, member = other.rpartition(".")
            assert other != name.removeprefix("sb.")
            assert other in known or hasattr(known.get(owner), member), f"{name}: there is no {other}"


@pytest.mark.parametrize("group", groups(), ids=lambda g: g.slug)
def test_examples_run(group: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by itself, in an empty folder, after `import symbody as sb` and `import numpy as np`."""
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    runner = doctest.DocTestRunner(AsShown(), verbose=False)
    with np.printoptions(precision=6):
        for name in group.names:
            for label, text in _examples(name, group.thing(name)):
                test = doctest.DocTestParser().get_doctest(text, {"sb": sb, "np": np}, label, None, 0)
                runner.run(test, out=said.append)
    assert not said, "\n".join(said)


def _examples(name: str, thing: Any) -> list[tuple[str, str]]:
    """The docstring of a name, and those of the members of a class."""
    found = [(name, text_of(thing))] if callable(thing) else []
    if inspect.isclass(thing):
        members = (
            (n, inspect.getdoc(m.__func__ if isinstance(m, (classmethod, staticmethod)) else m) or "")
            for owner in thing.__mro__
            if owner.__module__.startswith("symbody")
            for n, m in vars(owner).items()
            if not n.startswith("_") and hasattr(m, "__get__")
        )
        found += [(f"{name}.{n}", text) for n, text in members]
    return [(n, text) for n, text in found if ">>> " in text]


@pytest.mark.parametrize(
    ("want", "got", "is_same"),
    [
        ("0.333333\n", "0.3333333333\n", True),
        ("0.333333\n", "0.333335\n", False),
        ("(1.5, 2)\n", "(1.5, 3)\n", False),
        ("1.2e-05\n", "1.24e-05\n", True),
        ("array([ 0.5, 1. ])\n", "array([ 0.5, 1. ])\n", True),
        ("x**2 + 0.5\n", "x**3 + 0.5\n", False),
    ],
)
def test_numbers_agree_as_shown(want: str, got: str, is_same: bool) -> None:
    assert AsShown().check_output(want, got, 0) == is_same
