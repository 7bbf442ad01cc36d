"""The reference, made from docstrings: the same text that `help` shows.

Everyday names come first, in the groups in which `symbody.__all__` has them; then the special names of each stage and kit. Classes
have pages of their own, with their methods.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import symbody

from .member_groups import member_groups

STAGES = (
    "algebra",
    "bodies",
    "derivation",
    "emit",
    "formats",
    "integrate",
    "stability",
    "study",
    "view",
    "write",
    "kits",
)
KITS = ("kits.robots", "kits.motions", "kits.biomechanics", "kits.teaching")  # that have pages of their own
ROOT = Path(symbody.__file__).parents[1]
WIDTH = 88  # characters of a signature in a line
TABLED = 8  # members of a class whose page begins with a list of them


@dataclass(frozen=True)
class Group:
    """Names under one heading. `prefix` is how a user writes them: `sb.` or `sb.emit.`"""

    title: str
    prefix: str
    names: tuple[str, ...]

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z]+", "-", self.title.lower()).strip("-")

    def thing(self, name: str) -> Any:
        return attrgetter(f"{self.prefix}{name}".removeprefix("sb."))(symbody)


def groups() -> list[Group]:
    """Everyday names by their headings in `symbody.__all__`, then the special names of each stage."""
    return [*_everyday(), *_special()]


def _everyday() -> Iterator[Group]:
    source = Path(symbody.__file__).read_text(encoding="utf-8")
    listed = re.search(r"^__all__ = \[.*?\n(.*?)^\]", source, re.MULTILINE | re.DOTALL)
    assert listed
    for heading, names in re.findall(r"^    # (.*)\n((?:    [^#\n].*\n)+)", listed[1], re.MULTILINE):
        inside = tuple(n for n in re.findall(r'"(\w+)"', names) if not isinstance(getattr(symbody, n), ModuleType))
        yield Group(heading[:1].upper() + heading[1:], "sb.", inside)


def _special() -> Iterator[Group]:
    for stage in (*STAGES, "errors"):
        module = importlib.import_module(f"symbody.{stage}")
        own = (n for n in module.__all__ if n not in symbody.__all__)
        if names := tuple(n for n in own if not isinstance(getattr(module, n), ModuleType)):
            yield Group(f"sb.{stage}", f"sb.{stage}.", names)
    for kit in KITS:
        yield Group(f"sb.{kit}", f"sb.{kit}.", tuple(importlib.import_module(f"symbody.{kit}").__all__))


# ---------------------------------------------------------------------------------------------------------------- pages


def write_reference(folder: Path) -> int:
    """A page for each group and for each class, and an index; the number of names."""
    folder.mkdir(parents=True, exist_ok=True)
    found = groups()
    links = {n: _place(g, n) for g in reversed(found) for n in g.names}
    for g in found:
        (folder / f"{g.slug}.md").write_text(_group_page(g, links), encoding="utf-8")
        for n in g.names:
            if inspect.isclass(g.thing(n)):
                (folder / f"{n}.md").write_text(_class_page(g, n, links), encoding="utf-8")
    (folder / "index.md").write_text(_index(found), encoding="utf-8")
    return sum(len(g.names) for g in found)


@dataclass(frozen=True)
class Place:
    """Where a name is explained. `rank`: 0 an everyday name, 1 a member of an everyday class, 2 any other name."""

    name: str
    kind: str
    page: str
    anchor: str
    rank: int


def places() -> Iterator[Place]:
    """Every public name and every member of a public class, for search."""
    for g in groups():
        is_everyday = g.prefix == "sb."
        for n in g.names:
            page, _, anchor = _place(g, n).partition("#")
            kind = "class" if inspect.isclass(g.thing(n)) else "function" if callable(g.thing(n)) else "value"
            page, anchor = page.removesuffix(".md"), (anchor or n).lower().replace("_", "-")
            yield Place(f"{g.prefix}{n}", kind, page, anchor, 0 if is_everyday else 2)
            for m in own_members(g.thing(n)) if kind == "class" else ():
                what = "method" if inspect.isfunction(m.thing) else "property"
                yield Place(f"{g.prefix}{n}.{m.name}", what, page, member_anchor(n, m.name), 1 if is_everyday else 2)


def _place(g: Group, name: str) -> str:
    return f"{name}.md" if inspect.isclass(g.thing(name)) else f"{g.slug}.md#{_anchor(name)}"


def _anchor(name: str) -> str:
    return f"name-{name}"


def _index(found: list[Group]) -> str:
    everyday, special = (
        [_row(g) for g in found if (g.prefix == "sb.") == is_everyday] for is_everyday in (True, False)
    )
    pages = "\n".join(g.slug for g in found)
    return "\n\n".join(
        [
            "# Reference",
            "Every public name, in the order in which data passes through. `help(sb.simulate)` shows the same text. Examples begin "
            "with `import symbody as sb` and `import numpy as np`; numbers are shown to six digits. "
            "[Stability of names](../stability-of-names.md).",
            "## Everyday names",
            "\n".join(everyday),
            "## Special names, by stage and kit",
            "\n".join(special),
            f"```{{toctree}}\n:hidden:\n\n{pages}\n```",
            "",
        ]
    )


def _row(g: Group) -> str:
    return f"- [{g.title}]({g.slug}.md): " + ", ".join(f"[`{n}`]({_place(g, n)})" for n in g.names)


def _group_page(g: Group, links: dict[str, str]) -> str:
    parts = [f"# {g.title}"]
    classes = [n for n in g.names if inspect.isclass(g.thing(n))]
    for n in g.names:
        if n in classes:
            first = (inspect.getdoc(g.thing(n)) or "").split("\n\n")[0]
            parts.append(f"## [`{n}`]({n}.md)\n\n{_linked(' '.join(first.split()), links, n)}")
        else:
            parts.append(_entry(f"{g.prefix}{n}", g.thing(n), links, n))
    if classes:
        parts.append("```{toctree}\n:hidden:\n\n" + "\n".join(classes) + "\n```")
    return "\n\n".join([*parts, ""])


def _class_page(g: Group, name: str, links: dict[str, str]) -> str:
    cls = g.thing(name)
    found = {m.name: m for m in members(cls)}
    grouped = member_groups(cls, list(found))
    parts = [f"# {name}", _signature(f"{g.prefix}{name}", cls), *_text(cls, links, name), _where(cls)]
    if len(found) >= TABLED:
        parts.append(_member_table(name, grouped or {"": list(found)}))
    level = 3 if grouped else 2
    for heading, inside in (grouped or {"": list(found)}).items():
        parts.append(f"## {heading}" if heading else "")
        for n in inside:
            entry = _entry(f"{instance_name(name)}.{n}", found[n].thing, links, n, level, is_member=True)
            parts.append(f"({member_anchor(name, n)})=\n{entry}")
    return "\n\n".join([p for p in parts if p] + [""])


def _member_table(name: str, grouped: dict[str, list[str]]) -> str:
    """Links to all members, a row for each group."""
    rows = {h: " ".join(f"[`{n}`](#{member_anchor(name, n)})" for n in inside) for h, inside in grouped.items()}
    if list(rows) == [""]:
        return f"Members: {rows['']}"
    cells = "\n".join(f"* - {heading}\n  - {inside}" for heading, inside in rows.items())
    return f"```{{list-table}}\n:widths: 25 75\n:class: members\n\n{cells}\n```"


def member_anchor(cls: str, name: str) -> str:
    """The place of a member on the page of its class; anchors are in lower case, which must not make one of `N` and `n`."""
    return f"{cls.lower()}-{re.sub('[A-Z]', lambda c: f'cap-{c[0].lower()}', name)}".replace("_", "-")


def instance_name(name: str) -> str:
    """How an object of a class is called in examples."""
    return {"Model": "m", "Equations": "eq", "Trajectory": "sim", "LinearSystem": "lin"}.get(name, name.lower())


@dataclass(frozen=True)
class Member:
    """A public method or property, and the class that defines it."""

    owner: type
    name: str
    thing: Any


def members(cls: type) -> Iterator[Member]:
    """Public methods and properties in the order in which they are written, those of bases after those of the class."""
    seen = set()
    for owner in cls.__mro__:
        if not owner.__module__.startswith("symbody"):
            continue
        for name, thing in vars(owner).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            inner = thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing
            if inspect.isfunction(inner) or isinstance(inner, (property, cached_property)):
                yield Member(owner, name, inner)


def own_members(cls: type) -> list[Member]:
    """Members that no other public class above has: a search for `revolute` finds that of `Model`, not of `Robot`."""
    public = {thing for _, thing in named_things()}
    above = {m.name for base in cls.__mro__[1:] if base in public for m in members(base)}
    return [m for m in members(cls) if m.name not in above]


def _entry(written: str, thing: Any, links: dict[str, str], name: str, level: int = 2, is_member: bool = False) -> str:
    title = f"({_anchor(name)})=\n" if not is_member else ""
    parts = [f"{title}{'#' * level} `{written}`", _signature(written, thing), *_text(thing, links, name)]
    return "\n\n".join(p for p in [*parts, "" if is_member else _where(thing)] if p)


# ------------------------------------------------------------------------------------------------------------ docstrings


def _signature(written: str, thing: Any) -> str:
    short = written_signature(written, thing)
    if short == written:
        return ""
    if len(short) > WIDTH:
        inside = short[len(written) + 1 : -1]
        short = f"{written}(\n    " + ",\n    ".join(_arguments(inside)) + ",\n)"
    return f"```python\n{short}\n```"


def written_signature(written: str, thing: Any) -> str:
    """How something is called, in one line, without types; the name alone of what is not called."""
    if isinstance(thing, (property, ModuleType)) or not callable(thing):
        return written
    try:
        shape = inspect.signature(thing)
    except (TypeError, ValueError):
        return written
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in shape.parameters.values() if p.name != "self"]
    return f"{written}{shape.replace(parameters=plain, return_annotation=inspect.Signature.empty)}"


def _arguments(inside: str) -> list[str]:
    """The arguments of a signature, each with its default."""
    out, depth, now = [], 0, ""
    for c in inside:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            out.append(now.strip())
            now = ""
        else:
            now += c
    return [*out, now.strip()]


def _text(thing: Any, links: dict[str, str], own: str) -> list[str]:
    return [as_markdown(inspect.getdoc(thing) or "", links, own)]


def as_markdown(text: str, links: dict[str, str], own: str, has_arguments: bool = True) -> str:
    """A docstring as Markdown: tables of arguments, formulas and examples as they stand, names as links."""
    return "\n\n".join(_block(block, links, own, has_arguments) for block in re.split(r"\n\s*\n", text))


_ARGUMENT = re.compile(r"^(\S(?:.*?\S)??)\s{2,}(\S.*)$")


def _block(block: str, links: dict[str, str], own: str, has_arguments: bool) -> str:
    lines = block.split("\n")
    if block.lstrip().startswith(">>>"):
        return "```pycon\n" + inspect.cleandoc(block) + "\n```"
    if all(line.startswith("    ") for line in lines):
        return "```text\n" + inspect.cleandoc(block) + "\n```"
    if all(_ARGUMENT.match(line) or line.startswith("    ") for line in lines) and _ARGUMENT.match(lines[0]):
        return _table(lines, links, own) if has_arguments else "```text\n" + block + "\n```"
    return _linked(block, links, own)


def _table(lines: list[str], links: dict[str, str], own: str) -> str:
    rows: list[list[str]] = []
    for line in lines:
        if found := _ARGUMENT.match(line):
            rows.append([found[1], found[2]])
        else:
            rows[-1][1] += " " + line.strip()
    cells = (f"* - {name if '`' in name else f'`{name}`'}\n  - {_linked(said, links, own)}" for name, said in rows)
    return "```{list-table}\n:widths: 20 80\n\n" + "\n".join(cells) + "\n```"


def _linked(text: str, links: dict[str, str], own: str) -> str:
    """Markdown in which public names between backticks lead to their place; `Model.gravity` to that of its class."""

    def link(found: re.Match[str]) -> str:
        parts = re.sub(r"^sb\.|\(.*$", "", found[1]).split(".")
        name = next((n for n in reversed(parts) if n in links), "")
        return f"[{found[0]}]({links[name]})" if name and name != own else found[0]

    plain = re.sub(r"(?<!`)([\\*_<])(?!`)", lambda c: c[0] if _inside_code(text, c.start()) else "\\" + c[0], text)
    return re.sub(r"(?<!`)`([^`\n]+)`(?!`)", link, plain)


def _inside_code(text: str, at: int) -> bool:
    return text[:at].count("`") % 2 == 1


def _where(thing: Any) -> str:
    try:
        file = inspect.getsourcefile(inspect.unwrap(thing))
    except TypeError:
        return ""
    if not file or not Path(file).is_relative_to(ROOT):
        return ""
    return f"<small>{Path(file).relative_to(ROOT).as_posix()}</small>"


def named_things() -> Iterator[tuple[str, Any]]:
    """Public functions and classes, as a user writes their names."""
    for g in groups():
        yield from ((f"{g.prefix}{n}", g.thing(n)) for n in g.names if callable(g.thing(n)))


def documented_names() -> set[str]:
    """All that the reference has, for the test that nothing public is missing."""
    return {f"{g.prefix}{n}" for g in groups() for n in g.names}
