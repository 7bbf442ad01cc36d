"""The whole language on one page, made from the package: `python -m docs.book.language` prints it as text.

`docs/language.md` introduces it; what follows there is made here: signatures and first sentences of docstrings, keys of the
schema of model files, commands, and common mistakes with the messages that they get. `llms.txt` lists the pages of the book for
programs that read it.
"""

from __future__ import annotations

import argparse
import inspect
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.command_line.parsers import command_parser

from .member_groups import member_groups
from .pages import output_box, title_of
from .reference import as_markdown, groups, instance_name, members, written_signature

PAGE: Final = Path(__file__).parents[1] / "language.md"
GENERATED: Final = "<!-- docs/book/language.py goes on from here. -->"
CLASSES: Final = ("Model", "Frame", "Point", "Vector", "Equations", "State", "Trajectory", "LinearSystem")
FOR_EXTENSIONS: Final = "For extensions"  # a group that this page leaves out


# -------------------------------------------------------------------------------------------------------------- mistakes


@dataclass(frozen=True)
class Mistake:
    """What people write, what they mean, and how that is written. `m` is a pendulum with the coordinate `theta`, which is q."""

    wrong: str
    right: str

    @property
    def message(self) -> str:
        """How symbody answers; a mistake that passes is an error of this page."""
        m = sb.Model("pendulum")
        m.gravity(0, -9.81, 0)
        m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
        known: dict[str, Any] = {
            "sb": sb,
            "np": np,
            "math": math,
            "m": m,
            "q": m.symbols["theta"],
            "bob": m.bodies["bob"],
        }
        try:
            exec(self.wrong, known)
        except (sb.SymbodyError, AttributeError) as error:
            return str(error)
        raise ValueError(f"{self.wrong}: no message; is it a mistake no longer?")


MISTAKES: Final = (
    Mistake("sb.simulate(m, 1)", "sb.simulate(sb.derive(m), 1)"),
    Mistake('m.constrain("c", q == 2)', 'm.constrain("c", q - 2)'),
    Mistake("np.sin(q)", "sb.sin(q)"),
    Mistake("q ^ 2", "q**2"),
    Mistake("q.diff(m.time)", "q.dot"),
    Mistake('m.force("push", bob, (1, 0, 0))', 'm.force("push", bob, m.ground.vector(1, 0, 0))'),
    Mistake('m.body("rod", mass=1.0); sb.derive(m)', 'a joint for every body: m.revolute("elbow", bob, rod)'),
    Mistake('sb.simulate(sb.derive(m), 1, theta=1.0)["theta_dt"]', 'sim["theta_dot"]'),
    Mistake('m.body("rod", mass=1.0, inertia=(1.0, 0.1, 0.1))', "inertia=sb.inertia(...), or shape=sb.bar(l, 'y')"),
    Mistake('sb.linearize(sb.derive(m), {"theta": 1.0})', "sb.linearize(eq, sb.steady(eq)), or moving=True"),
)


# ---------------------------------------------------------------------------------------------------------------- parts


def language(text: str | None = None) -> str:
    """The page in Markdown: its introduction, and all that is made."""
    written = PAGE.read_text(encoding="utf-8") if text is None else text
    return written.replace(GENERATED, "\n\n".join(_parts()))


def _parts() -> Iterator[str]:
    for name in CLASSES[:1]:
        yield from _class(name)
    yield "## Functions"
    for g in groups():
        functions = [n for n in g.names if not inspect.isclass(g.thing(n)) and callable(g.thing(n))]
        if g.prefix == "sb." and functions:
            yield f"### {g.title}"
            yield "\n".join(_line(f"sb.{n}", g.thing(n)) for n in functions)
    for name in CLASSES[1:]:
        yield from _class(name)
    yield "## Expressions"
    yield _EXPRESSIONS
    yield "## Keys of model files"
    yield "\n".join(_keys())
    yield "## Commands"
    yield "\n".join(_commands())
    yield "## Ten common mistakes"
    yield from _mistakes()


def _class(name: str) -> Iterator[str]:
    cls = getattr(sb, name)
    found = {m.name: m.thing for m in members(cls)}
    yield f"## `{name}`"
    yield _first_sentence(cls)
    for heading, inside in (member_groups(cls, list(found)) or {"": list(found)}).items():
        if heading != FOR_EXTENSIONS:
            yield f"### {heading}" if heading else ""
            yield "\n".join(_line(f"{instance_name(name)}.{n}", found[n]) for n in inside)


def _line(written: str, thing: Any) -> str:
    return f"- `{written_signature(written, thing)}`: {_first_sentence(thing)}"


def _first_sentence(thing: Any) -> str:
    opening = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    ends = [
        m.start() for m in re.finditer(r"(?<!e\.g)\.(?= [A-Z`])", opening) if opening[: m.start()].count("`") % 2 == 0
    ]
    return as_markdown(opening[: ends[0] + 1] if ends else opening.rstrip(":"), {}, "", has_arguments=False)


_EXPRESSIONS: Final = """\
- `+ - * / **` and `abs`, with numbers, symbols and other expressions; fractions of integers stay exact: `sb.fraction(1, 3)`.
- `q.dot`: the rate of a coordinate, `q.ddot` its acceleration; `m.time` is t.
- `a < b`, `a <= b`, `&`, `|` are conditions, for `sb.where(condition, a, b)`.
- `M @ v`, `M.T`, `M[i, j]`, `M[:, 0]` on matrices; `sb.solve(A, b)` stays a linear solve that is never expanded.
- `u.dot(v)`, `u.cross(v)`, `v.dt()`, `v.components(frame)` on vectors in space."""


def _keys() -> Iterator[str]:
    for key, shape in sb.bodies.model_schema()["properties"].items():
        said = shape.get("description", "")
        yield f"- `{key}`{': ' if said else ''}{as_markdown(said, {}, '', has_arguments=False)}"


def _commands() -> Iterator[str]:
    for action in command_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from (f"- `symbody {c.dest}`: {c.help}" for c in action._choices_actions)


def _mistakes() -> Iterator[str]:
    yield "`m` is a pendulum, `bob` its body, `q` its coordinate `theta`."
    for k, mistake in enumerate(MISTAKES, 1):
        yield f"**{k}.** `{mistake.wrong}`: write `{mistake.right}`\n\n{output_box(mistake.message)}"


# ---------------------------------------------------------------------------------------------------------------- files


def write_language(source: Path, extra: Path) -> None:
    """The page, and beside the pages of the site its text and the list of pages for programs."""
    extra.mkdir(exist_ok=True)
    page = source / PAGE.name
    made = language(page.read_text(encoding="utf-8"))
    page.write_text(made, encoding="utf-8")
    (extra / "language.txt").write_text(plain(made), encoding="utf-8")
    (extra / "llms.txt").write_text(pages_for_programs(source), encoding="utf-8")


def plain(page: str) -> str:
    """Markdown without what only the book knows."""
    return re.sub(r"```{code-block} (\w+)\n:class: .*\n\n", r"```\1\n", page)


def pages_for_programs(source: Path) -> str:
    """`llms.txt`: what the project is, and its pages with a line each."""
    index = (source / "index.md").read_text(encoding="utf-8")
    opening = index.split("\n\n")[1].replace("\n", " ")
    sections = {"Language": ["language"]}
    for caption, listed in re.findall(r":caption: (.*)\n\n((?:[\w/-]+\n)+)", index):
        sections[caption] = [name for name in listed.split() if (source / f"{name}.md").exists() and name != "language"]
    parts = ["# symbody", f"> {opening}"]
    for caption, names in sections.items():
        parts.append(f"## {caption}\n\n" + "\n".join(_link(source, name) for name in names))
    return "\n\n".join(parts) + "\n"


def _link(source: Path, name: str) -> str:
    text = (source / f"{name}.md").read_text(encoding="utf-8")
    target = "language.txt" if name == "language" else f"{name}.html"
    paragraphs = [b for b in text.split("\n\n")[1:] if b[:1].isalnum()]
    said = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", " ".join(paragraphs[0].split())) if paragraphs else ""
    return f"- [{title_of(text)}]({target}): {re.split(r'(?<=[.:]) (?=[A-Z])', said)[0]}"


if __name__ == "__main__":
    print(plain(language()))
