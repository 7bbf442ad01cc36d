"""The parts of an .osim file: elements by their names, frames by their paths, numbers, and what was left aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ...errors import ModelError, listed, shown
from ..robot.xml_tree import XmlElement, finite_number, read_xml

OLDEST: Final = 40000
NESTING: Final = 64


@dataclass
class OsimFile:
    """A model of a file, and what was noticed while reading it."""

    where: str
    model: XmlElement
    doubtful: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        return self.model.attributes.get("name", "model") or "model"

    def wrong(self, e: XmlElement, says: str) -> ModelError:
        return ModelError(f"{self.where}: line {e.line}, <{e.tag}> {label(e)!r}: {says}")

    def only(self, e: XmlElement, tag: str) -> XmlElement | None:
        return next(e.all(tag), None)

    def members(self, owner: str) -> Iterator[XmlElement]:
        """What a set of the model contains: elements of its <objects>."""
        for s in self.model.all(owner):
            for objects in s.all("objects"):
                yield from objects.children

    def text(self, e: XmlElement, tag: str, default: str | None = None) -> str:
        found = self.only(e, tag)
        if found is None:
            if default is None:
                raise self.wrong(e, f"there is no <{tag}> in it")
            return default
        return found.text.strip()

    def numbers(self, e: XmlElement, tag: str, count: int | None, default: tuple[float, ...] | None = None) -> list[float]:  # fmt: skip
        found = self.only(e, tag)
        if found is None:
            if default is None:
                raise self.wrong(e, f"there is no <{tag}> in it")
            return list(default)
        words = found.text.replace(",", " ").split()
        values = [finite_number(w) for w in words]
        if None in values or (count is not None and len(values) != count):
            wanted = "numbers" if count is None else f"{count} numbers" if count > 1 else "a number"
            raise self.wrong(e, f"<{tag}> must be {wanted}, got {shown(found.text.strip())}")
        return [float(v) for v in values if v is not None]

    def number(self, e: XmlElement, tag: str, default: float | None = None) -> float:
        return self.numbers(e, tag, 1, None if default is None else (default,))[0]

    def three(self, e: XmlElement, tag: str) -> tuple[float, float, float]:
        x, y, z = self.numbers(e, tag, 3, (0.0, 0.0, 0.0))
        return x, y, z

    def is_true(self, e: XmlElement, tag: str, default: str) -> bool:
        word = self.text(e, tag, default).lower()
        if word not in ("true", "false"):
            raise self.wrong(e, f"<{tag}> must be true or false, got {shown(word)}")
        return word == "true"

    def socket(self, e: XmlElement, which: str) -> str:
        """The last name of what a socket is connected to."""
        path = self.text(e, f"socket_{which}")
        return path.rstrip("/").rpartition("/")[2]


def label(e: XmlElement) -> str:
    return e.attributes.get("name", "")


def read_osim_file(source: Any) -> OsimFile:
    """The model of a file or a text, of OpenSim 4."""
    where, root = read_xml(source, "OpenSim model", "read_osim", NESTING)
    if root.tag != "OpenSimDocument":
        raise ModelError(f"{where}: begins with <{root.tag}>; an OpenSim model begins with <OpenSimDocument>")
    version = finite_number(root.attributes.get("Version", ""))
    if version is None or version < OLDEST:
        raise ModelError(
            f"{where}: is of version {shown(root.attributes.get('Version', ''))}, where joints were parts of bodies; files from "
            f"{OLDEST} on are read: open it in OpenSim 4 and save it"
        )
    models = list(root.all("Model"))
    if len(models) != 1:
        found = listed([c.tag for c in root.children]) or "nothing"
        raise ModelError(f"{where}: has no <Model> but {found}; give the file of a model")
    return OsimFile(where, models[0])
