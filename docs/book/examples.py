"""Examples of docstrings: `python -m docs.book.examples` runs all of them, each after `import symbody as sb` and
`import numpy as np`, in an empty folder, and says what came out differently.

They have a process of their own, so that nothing that other tests set or keep can change what is printed: a product keeps
the grouping in which it was first made, as long as somebody keeps it.
"""

from __future__ import annotations

import doctest
import inspect
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

import symbody as sb

from .reference import groups

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\d+(?=e)|\.\d+)(?:e[-+]?\d+)?")


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


def examples() -> Iterator[tuple[str, str]]:
    """Names and docstrings that have an example: of public names, and of the members of public classes."""
    for g in groups():
        for name in g.names:
            thing = g.thing(name)
            found = [(f"{g.prefix}{name}", inspect.getdoc(thing) or "")] if callable(thing) else []
            found += [(f"{g.prefix}{name}.{n}", text) for n, text in _members(thing)] if inspect.isclass(thing) else []
            yield from ((n, text) for n, text in found if ">>> " in text)


def _members(cls: type) -> Iterator[tuple[str, str]]:
    for owner in cls.__mro__:
        for n, m in vars(owner).items() if owner.__module__.startswith("symbody") else ():
            if not n.startswith("_") and hasattr(m, "__get__"):
                yield n, inspect.getdoc(m.__func__ if isinstance(m, (classmethod, staticmethod)) else m) or ""


def faults(name: str, text: str) -> str:
    """What an example gives that its text does not say; empty where they agree."""
    said: list[str] = []
    known: dict[str, Any] = {"sb": sb, "np": np}
    with np.printoptions(precision=6):
        test = doctest.DocTestParser().get_doctest(text, known, name, None, 0)
        doctest.DocTestRunner(AsShown(), verbose=False).run(test, out=said.append)
    return "".join(said)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        found = list(examples())
        wrong = [said for name, text in found if (said := faults(name, text))]
        os.chdir("/")
    print("".join(wrong), f"{len(found)} examples, {len(wrong)} of them with faults", sep="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
