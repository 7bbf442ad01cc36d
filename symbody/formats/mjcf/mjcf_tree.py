"""The elements of an MJCF file with everything that the format lets one leave out: includes put in place, sections of
one name joined, defaults of classes filled in.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...errors import ModelError, listed, shown, unknown
from ...given_files import beside
from ..robot.xml_tree import XmlElement, finite_number, read_xml
from .actuator_words import as_general

MOST_INCLUDES: Final = 1000
MOST_NESTING: Final = 250  # bodies in bodies
MAIN: Final = "main"
COMPLETED: Final = (
    "size",
    "gear",
    "stiffness",
    "damping",
    "gainprm",
    "biasprm",
    "dynprm",
)  # from the class, number by number
ACTUATORS: Final = (
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
)
TURNS: Final = (
    "quat",
    "axisangle",
    "euler",
    "xyaxes",
    "zaxis",
)  # ways to give an orientation, of which there is one at most


@dataclass(frozen=True)
class MjcfTree:
    """A file with its includes. `folder` is where it lies; None for a text, which can include nothing."""

    where: str
    name: str
    folder: Path | None
    sections: Mapping[
        str, tuple[XmlElement, ...]
    ]  # tag -> children of all sections of that tag, or the sections where only attributes count
    defaults: Mapping[str, Mapping[str, Mapping[str, str]]]  # class -> tag -> attributes

    def options(self, tag: str) -> dict[str, str]:
        """Attributes of all sections <tag>; what comes later counts."""
        return {k: v for e in self.sections.get(f"<{tag}>", ()) for k, v in e.attributes.items()}

    def is_off(self, effect: str) -> bool:
        """Whether a <flag> of <option> disables an effect: "spring", "damper", "actuation", "equality" ..."""
        off = {
            k
            for e in self.sections.get("option", ())
            if e.tag == "flag"
            for k, v in e.attributes.items()
            if v == "disable"
        }
        return effect in off or (effect in ("spring", "damper") and "passive" in off) or (effect == "equality" and "constraint" in off)  # fmt: skip

    def filled(self, e: XmlElement, kind: str, inherited: str | None = None) -> Attributes:
        """The attributes of an element, with those of its class, or of the class that a body around it gives to what is
        in it."""
        chosen = e.attributes.get("class") or inherited or MAIN
        if chosen not in self.defaults:
            raise unknown(f"{self.where} (line {e.line}), <{e.tag}>", "default class", chosen, self.defaults)
        return Attributes(self.where, e, _said_after(self.defaults[chosen].get(kind, {}), e, kind))


@dataclass(frozen=True)
class Attributes:
    """What an element says, its defaults included; numbers are checked on access."""

    where: str
    element: XmlElement
    given: Mapping[str, str]

    def __contains__(self, key: str) -> bool:
        return key in self.given

    def wrong(self, says: str) -> ModelError:
        name = self.given.get("name")
        called = f" {name!r}" if name else ""
        return ModelError(f"{self.where} (line {self.element.line}): <{self.element.tag}>{called}: {says}")

    def text(self, key: str, default: str = "") -> str:
        return self.given.get(key, default)

    def one_of(self, key: str, choices: tuple[str, ...], default: str) -> str:
        if (found := self.text(key, default)) not in choices:
            raise self.wrong(f"{key}={shown(found)} is not one of {listed(choices)}")
        return found

    def is_true(self, key: str, default: bool) -> bool:
        return self.one_of(key, ("true", "false"), "true" if default else "false") == "true"

    def numbers(self, key: str, default: tuple[float, ...] = (), exactly: int | None = None) -> tuple[float, ...]:
        if key not in self.given:
            return default
        words = self.given[key].split()
        found = tuple(finite_number(w) for w in words)
        if None in found:
            raise self.wrong(f"{key}: {shown(words[found.index(None)])} is not a finite number")
        if exactly is not None and len(found) != exactly:
            raise self.wrong(f"{key}={shown(self.given[key])} needs {exactly} number{'s' * (exactly > 1)}")
        return found  # type: ignore[return-value]

    def three(self, key: str, default: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> tuple[float, float, float]:
        x, y, z = self.numbers(key, default, 3)
        return x, y, z

    def one(self, key: str, default: float = 0.0) -> float:
        return self.numbers(key, (default,), 1)[0]

    def several(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Numbers of which the last may be left out."""
        found = self.numbers(key, default)
        return (*found, *default[len(found) :])


def mjcf_tree(source: Any) -> MjcfTree:
    """Read a file (by its path) or a text (which starts with <), and what it includes."""
    where, root = read_xml(source, "MJCF", "read_mjcf", MOST_NESTING)
    if root.tag != "mujoco":
        hint = {"robot": "; this is a URDF file: use read_urdf", "sdf": "; this is an SDF file: use read_sdf"}.get(
            root.tag, ""
        )
        raise ModelError(f"{where} (line {root.line}): the root element is <{root.tag}>, not <mujoco>{hint}")
    is_text = isinstance(source, bytes) or (isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"))
    folder = None if is_text else Path(source).resolve().parent
    count = [0]
    chain = () if folder is None else (Path(source).resolve(),)
    whole = _with_includes(where, root, folder, folder, count, chain)
    sections: dict[str, list[XmlElement]] = {}
    for e in whole.children:
        sections.setdefault(f"<{e.tag}>", []).append(e)
        sections.setdefault(e.tag, []).extend(e.children)
    classes: dict[str, Mapping[str, Mapping[str, str]]] = {MAIN: {}}
    for e in sections.get("<default>", ()):
        _add_class(where, e, classes, None)
    name = root.attributes.get("model", "").strip() or "MuJoCo Model"
    return MjcfTree(where, name, folder, {k: tuple(v) for k, v in sections.items()}, classes)


# ---------------------------------------------------------------------------------------------------------- includes


def _with_includes(
    where: str, e: XmlElement, top: Path | None, here: Path | None, count: list[int], chain: tuple[Path, ...]
) -> XmlElement:
    """`chain`: the files around this element."""
    made = XmlElement(e.tag, e.attributes, e.line)
    if e.tag == "mesh" and top is not None and here is not None and here != top:
        made.attributes = _from_top(e.attributes, top, here)
    for c in e.children:
        if c.tag == "include":
            made.children += _included_root(where, c, top, here, count, chain).children
        else:
            made.children.append(_with_includes(where, c, top, here, count, chain))
    return made


def _from_top(given: dict[str, str], top: Path, here: Path) -> dict[str, str]:
    """Attributes of a mesh whose file lies beside the included file that names it, seen from the first file."""
    file = given.get("file", "")
    if not file or (top / file).is_file() or not (here / file).is_file():
        return given
    return given | {"file": os.path.relpath(here / file, top)}


def _included_root(
    where: str, e: XmlElement, top: Path | None, here: Path | None, count: list[int], chain: tuple[Path, ...]
) -> XmlElement:
    """The root of a file that is included: beside the first file, or beside the one that names it."""
    name = e.attributes.get("file", "")
    count[0] += 1
    if count[0] > MOST_INCLUDES:
        raise ModelError(f"{where}: more than {MOST_INCLUDES} files are included; does one include itself?")
    if top is None or here is None:
        raise ModelError(f"{where} (line {e.line}): a text cannot include {shown(name)}; save it, and give its path")
    if not name or Path(name).is_absolute():
        raise ModelError(f"{where} (line {e.line}): include file={shown(name)}: a path relative to the file is needed")
    found = [beside(f, name, top) for f in (top, here)]
    path = next((p for p in found if p is not None and p.is_file()), None)
    if path is None:
        why = "there is no such file" if any(found) else f"it lies outside the folder of the first file, {top.name!r}"
        raise ModelError(f"{where} (line {e.line}): include file={shown(name)}: {why}")
    if path in chain:
        raise ModelError(f"{where} (line {e.line}): include file={shown(name)}: the file includes itself")
    inner, root = read_xml(path, "MJCF", "read_mjcf", MOST_NESTING)
    return _with_includes(inner, root, top, path.parent, count, (*chain, path))


# ---------------------------------------------------------------------------------------------------------- defaults


def _add_class(
    where: str, e: XmlElement, classes: dict[str, Mapping[str, Mapping[str, str]]], parent: str | None
) -> None:
    """A class of defaults, on those of the class around it."""
    name = e.attributes.get("class") or (MAIN if parent is None else "")
    if not name:
        raise ModelError(f"{where} (line {e.line}): a <default> in another one needs a class")
    made = {tag: dict(values) for tag, values in classes[MAIN if parent is None else parent].items()}
    for c in e.children:
        if c.tag != "default":
            kind = "actuator" if c.tag in ACTUATORS else c.tag
            made[kind] = _said_after(made.get(kind, {}), c, kind)
    classes[name] = made
    for c in e.all("default"):
        _add_class(where, c, classes, name)


def _said_after(usual: Mapping[str, str], e: XmlElement, kind: str) -> dict[str, str]:
    """Attributes of an element on top of defaults, which give way to other words for the same."""
    own = {k: _with_defaults(v, usual[k]) if k in COMPLETED and k in usual else v for k, v in e.attributes.items()}
    if kind == "actuator":
        return as_general(e.tag, usual, own)
    turns = any(k in own for k in TURNS)
    return {k: v for k, v in usual.items() if not (turns and k in TURNS)} | own


def _with_defaults(numbers: str, usual: str) -> str:
    """Numbers of an element, and behind them those of its class that it does not give."""
    given = numbers.split()
    return " ".join((*given, *usual.split()[len(given) :]))
