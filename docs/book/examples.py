"""Examples of docstrings: `python -m docs.book.examples` runs all of them, each after `import symbody as sb` and
`import numpy as np`, in an empty folder, and says what came out differently, and which methods and properties none of them
shows. `python -m docs.book.examples sb.Frame sb.Point` does so for these alone.

They have a process of their own, so that nothing that other tests set or keep can change what is printed: a product keeps
the grouping in which it was first made, as long as somebody keeps it.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.later import RenamedWarning

from .reference import members, named_things

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


@dataclass(frozen=True)
class Example:
    """A docstring that has an example, by the name of its owner, and the class on whose page it stands."""

    name: str
    text: str
    page: type | None = None


def examples() -> Iterator[Example]:
    """Of public names, and of the members of public classes; what several classes inherit, once."""
    seen: set[int] = set()
    for name, thing in named_things():
        page = thing if inspect.isclass(thing) else None
        found = [Example(name, inspect.getdoc(thing) or "", page)]
        for m in members(page) if page else ():
            if id(m.thing) not in seen:
                seen.add(id(m.thing))
                found.append(Example(f"{name}.{m.name}", inspect.getdoc(m.thing) or "", page))
        yield from (e for e in found if ">>> " in e.text)


Use = tuple[type | None, type, str]  # the page of an example, the class that defines what it uses, and the name of that


def unshown(uses: Collection[Use]) -> list[str]:
    """Methods and properties that no example uses on the page of a class that has them."""
    tried = ((e.page, owner, name) for e in examples() if e.page for name in _tried(e.text) for owner in e.page.__mro__)
    used = {id(vars(owner).get(name)) for page, owner, name in (*uses, *tried) if page and issubclass(page, owner)}
    classes = [(name, thing) for name, thing in named_things() if inspect.isclass(thing)]
    return [f"{name}.{m.name}" for name, cls in classes for m in members(cls) if id(vars(m.owner)[m.name]) not in used]


def _tried(text: str) -> Iterator[str]:
    """Attributes within `try`, which needs a card or a package that not everybody has."""
    for e in doctest.DocTestParser().get_examples(text):
        attempts = [n for n in ast.walk(ast.parse(e.source)) if isinstance(n, ast.Try)]
        yield from (n.attr for a in attempts for n in ast.walk(a) if isinstance(n, ast.Attribute))


# -------------------------------------------------------------------------------------------------------------- running


def faults(name: str, text: str, used: Callable[[type, str], None] = lambda *_: None) -> str:
    """How what an example gives differs from its text; empty where they agree. `used` is told each attribute that the example
    itself reads, with the class that defines it."""
    said: list[str] = []
    known: dict[str, Any] = {"sb": sb, "np": np, READ: partial(_read, used)}
    with np.printoptions(precision=6):
        test = doctest.DocTestParser().get_doctest(text, known, name, None, 0)
        Watching(AsShown(), verbose=False).run(test, out=said.append)
    return "".join(said)


READ: Final = "_read_attribute"


def _read(used: Callable[[type, str], None], thing: Any, name: str) -> Any:
    cls = thing if isinstance(thing, type) else type(thing)
    for owner in cls.__mro__:
        if name in vars(owner):
            used(owner, name)
            break
    return getattr(thing, name)


class _Reading(ast.NodeTransformer):
    """`thing.name` is read as `_read_attribute(thing, "name")`."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return ast.Call(ast.Name(READ, ast.Load()), [node.value, ast.Constant(node.attr)], [])


class Watching(doctest.DocTestRunner):
    """Runs examples with every attribute read by `_read`, and reports on them as they are written."""

    def run(self, test: doctest.DocTest, *args: Any, **kwargs: Any) -> Any:
        self.written = {}
        for e in test.examples:
            watched = ast.unparse(ast.fix_missing_locations(_Reading().visit(ast.parse(e.source)))) + "\n"
            self.written[watched], e.source = e.source, watched
        return super().run(test, *args, **kwargs)

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        super().report_failure(out, test, self._as_written(example), got)

    def report_unexpected_exception(self, out: Any, test: doctest.DocTest, example: doctest.Example, info: Any) -> None:
        super().report_unexpected_exception(out, test, self._as_written(example), info)

    def _as_written(self, e: doctest.Example) -> doctest.Example:
        return doctest.Example(self.written[e.source], e.want, e.exc_msg, e.lineno, e.indent, e.options)


def main(chosen: Collection[str] = ()) -> int:
    uses: set[Use] = set()
    found = [e for e in examples() if not chosen or any(e.name == c or e.name.startswith(f"{c}.") for c in chosen)]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error", RenamedWarning)
        os.chdir(folder)
        wrong = [
            said
            for e in found
            if (said := faults(e.name, e.text, lambda owner, name, page=e.page: uses.add((page, owner, name))))
        ]
        os.chdir("/")
    missing = [name for name in unshown(uses) if not chosen or any(name.startswith(f"{c}.") for c in chosen)]
    print("".join(wrong), f"{len(found)} examples, {len(wrong)} of them with faults", sep="")
    print(f"{len(missing)} methods and properties that no example of their class shows", *missing, sep="\n")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
