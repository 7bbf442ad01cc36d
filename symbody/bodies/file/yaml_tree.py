"""The text of a model file: bytes -> characters -> a tree of scalars, lists and tables, each knowing where it stands.

YAML is read as events; objects are never constructed from it, and what a plain scalar means (number, name, formula,
true) is decided by the schema, not by YAML: `on` is a word, not a truth value. Tags are refused. Anchors may be
repeated as long as what they stand for stays within the limit of nodes; everything else that could grow is bounded here
too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

import yaml

from ...errors import ModelFileError, shown, why_no_file
from ...escaping import UNPRINTABLE

MOST_BYTES: Final = 2**20
MOST_NODES: Final = 50_000  # with everything that aliases repeat
MOST_NESTING: Final = 30
_CONTROL: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NULL: Final = frozenset(("", "null", "Null", "NULL", "~"))


@dataclass(slots=True, eq=False)
class YamlNode:
    """A scalar, a list or a table of the file; `start` and `end` are where its text begins and ends."""

    kind: str  # scalar, list, table
    start: int
    end: int
    text: str = ""
    is_quoted: bool = False
    items: list[YamlNode] = field(default_factory=list)
    pairs: list[tuple[YamlNode, YamlNode]] = field(default_factory=list)
    size: int = 1  # nodes in it

    @property
    def is_null(self) -> bool:
        return self.kind == "scalar" and not self.is_quoted and self.text in _NULL

    def __str__(self) -> str:
        return {"scalar": f"{self.text[:60]!r}", "list": "a list", "table": "a table of keys"}[self.kind]


@dataclass(frozen=True, slots=True, eq=False)
class FileText:
    """A file that was read, and the place it may refer to."""

    name: str
    text: str
    folder: Path | None = None

    def error(self, node: YamlNode | int, message: str, offset: int | None = None, length: int = 1) -> ModelFileError:
        """An error at a node; `offset` and `length` select characters of a scalar."""
        if isinstance(node, int):
            at = node
        elif offset is None:
            at, length = node.start, max(1, len(node.text) if node.kind == "scalar" else 1)
        else:
            at = self._inside(node, offset)
        at = min(at, len(self.text))
        line = self.text.count("\n", 0, at) + 1
        first = self.text.rfind("\n", 0, at) + 1
        last = self.text.find("\n", at)
        shown = self.text[first : last if last >= 0 else None].rstrip("\r")
        shown = UNPRINTABLE.sub("\ufffd", shown.replace("\t", " "))
        return ModelFileError(
            message, self.name, line, at - first + 1, shown, min(length, max(1, len(shown) - (at - first)))
        )

    def _inside(self, node: YamlNode, offset: int) -> int:
        """Where a character of a scalar stands in the file: line breaks and indentation inside it are gone, what can be
        seen is not."""
        raw = self.text[node.start : node.end]
        begin = 0
        if raw[:1] in "|>":
            begin = max(0, raw.find("\n"))
        elif node.is_quoted:
            begin = 1
        seen = sum(not c.isspace() for c in node.text[:offset])
        for k in range(begin, len(raw)):
            if not raw[k].isspace():
                if seen == 0:
                    return node.start + k
                seen -= 1
        return node.start + len(raw)


def read_source(path: Path) -> FileText:
    """The characters of a file: a plain file of limited size, in UTF-8."""
    name = path.name
    if wrong := why_no_file(path):
        raise ModelFileError(f"{wrong}: {shown(str(path))}", name[:60], 1, 1)
    with path.open("rb") as stream:
        data = stream.read(min(MOST_BYTES, os.fstat(stream.fileno()).st_size) + 1)
    return source_of(data, name, path.resolve().parent)


def source_of(data: bytes | str, name: str, folder: Path | None) -> FileText:
    """Characters that may stand in a model file."""
    if len(data) > MOST_BYTES:
        raise ModelFileError(f"a model file has at most {MOST_BYTES} bytes", name, 1, 1)
    if isinstance(data, bytes):
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as reason:
            line = data.count(b"\n", 0, reason.start) + 1
            column = reason.start - data.rfind(b"\n", 0, reason.start)
            raise ModelFileError(
                f"the byte 0x{data[reason.start]:02x} is not UTF-8 text; save the file as UTF-8", name, line, column
            ) from None
    else:
        text = data.removeprefix("\ufeff")
    source = FileText(name, text, folder)
    if found := _CONTROL.search(text):
        raise source.error(found.start(), f"the character U+{ord(found[0]):04X} cannot stand in a model file")
    return source


# ---------------------------------------------------------------------------------------------------------- the tree


def tree(source: FileText) -> YamlNode:
    """The file as a tree; its root is a table."""
    builder = _Tree(source)
    try:
        for event in yaml.parse(source.text, Loader=yaml.SafeLoader):
            builder.take(event)
    except ModelFileError:
        raise
    except yaml.MarkedYAMLError as reason:
        mark = reason.problem_mark or reason.context_mark
        context = f" {reason.context}" if reason.context and reason.context != reason.problem else ""
        at = mark.index if mark is not None else 0
        raise source.error(
            at, f"this is not YAML: {reason.problem}{context}{_yaml_hint(source.text, at, str(reason.problem))}"
        ) from None
    except (yaml.YAMLError, ValueError) as reason:  # PyYAML lets some ValueErrors of int() and chr() through
        raise source.error(0, f"this is not YAML: {' '.join(str(reason).split())[:200]}") from None
    if builder.root is None or builder.root.is_null:
        raise source.error(0, "the file is empty; a model file begins with `symbody: 1`")
    if builder.root.kind != "table":
        raise source.error(
            builder.root, f"a model file is a table of keys that begins with `symbody: 1`, this is {builder.root}"
        )
    return builder.root


def _yaml_hint(text: str, at: int, problem: str) -> str:
    if at < len(text) and text[at] == "\t":
        return "; indent with spaces, not with tabs"
    if "mapping values are not allowed" in problem:
        return "; put a text that contains ': ' in quotation marks"
    if "expected ',' or" in problem:
        return "; a bracket above is not closed, or a comma is missing"
    if "expected <block end>" in problem:
        return "; keys of one table begin in one column"
    return ""


class _Tree:
    """Takes events of the YAML parser, one after the other, and refuses as soon as a limit is passed."""

    def __init__(self, source: FileText) -> None:
        self.source, self.nodes = source, 0
        self.root: YamlNode | None = None
        self.open: list[YamlNode] = []
        self.keys: list[YamlNode | None] = []
        self.anchors: dict[str, YamlNode | None] = {}

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self._document(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, (yaml.ScalarEvent, yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            self._begin(event)
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            self._end(event)

    def _refuse(self, at: int, message: str) -> NoReturn:
        raise self.source.error(at, message)

    def _document(self, event: Any) -> None:
        if self.root is not None:
            self._refuse(event.start_mark.index, "a model file holds one model; a second document begins here")
        if event.tags:
            self._refuse(event.start_mark.index, "tags are not read in model files")

    def _count(self, more: int, at: int) -> None:
        self.nodes += more
        if self.nodes > MOST_NODES:
            self._refuse(at, f"the file has more than {MOST_NODES} values (with those that aliases repeat)")

    def _alias(self, event: Any) -> None:
        at = event.start_mark.index
        if event.anchor not in self.anchors:
            self._refuse(at, f"there is no anchor &{event.anchor} above")
        node = self.anchors[event.anchor]
        if node is None:
            self._refuse(at, f"the anchor &{event.anchor} contains itself")
        self._count(node.size, at)
        self._add(node)

    def _begin(self, event: Any) -> None:
        at, end = event.start_mark.index, event.end_mark.index
        if event.tag is not None:
            self._refuse(at, f"the tag {event.tag!r} is not read: model files hold plain data only")
        self._count(1, at)
        if isinstance(event, yaml.ScalarEvent):
            node = YamlNode("scalar", at, end, event.value, event.style is not None)
            self._check_characters(node)
            self._name(event, node)
            self._add(node)
            return
        if len(self.open) >= MOST_NESTING:
            self._refuse(at, f"lists and tables are nested more than {MOST_NESTING} deep")
        node = YamlNode("list" if isinstance(event, yaml.SequenceStartEvent) else "table", at, end)
        if event.anchor:
            self.anchors[event.anchor] = None  # until it ends
        self._add(node)
        self.open.append(node)
        self.keys.append(None)
        node.text = event.anchor or ""

    def _check_characters(self, node: YamlNode) -> None:
        """Escapes in quotation marks ("\\e") may stand for characters that no file may hold. Texts over several lines
        are allowed here, not in names."""
        if found := UNPRINTABLE.search(re.sub("[\t\n]", " ", node.text)):
            self._refuse(
                node.start,
                f"the character U+{ord(found[0]):04X} cannot stand in a model file, nor be written by its code",
            )

    def _name(self, event: Any, node: YamlNode | None) -> None:
        if event.anchor:
            self.anchors[event.anchor] = node

    def _end(self, event: Any) -> None:
        node = self.open.pop()
        self.keys.pop()
        node.end = event.end_mark.index
        node.size = 1 + sum(n.size for n in node.items) + sum(k.size + v.size for k, v in node.pairs)
        if node.text:
            self.anchors[node.text], node.text = node, ""

    def _add(self, node: YamlNode) -> None:
        if not self.open:
            self.root = node
            return
        top = self.open[-1]
        if top.kind == "list":
            top.items.append(node)
        elif self.keys[-1] is None:
            if node.kind != "scalar":
                self._refuse(
                    node.start, f"a key is a word, not {node}; put an expression in brackets into quotation marks"
                )
            if node.text == "<<" and not node.is_quoted:
                self._refuse(
                    node.start, "the merge key << is not read; write the keys out, or repeat a whole table by an alias"
                )
            self.keys[-1] = node
        else:
            top.pairs.append((self.keys[-1], node))
            self.keys[-1] = None


def entries(source: FileText, node: YamlNode) -> Iterator[tuple[str, YamlNode, YamlNode]]:
    """Keys and values of a table; a key that stands twice is refused."""
    seen: dict[str, YamlNode] = {}
    for key, value in node.pairs:
        if key.text in seen:
            line = source.text.count("\n", 0, seen[key.text].start) + 1
            raise source.error(key, f"the key {key.text!r} appears twice in this table, first in line {line}; drop one")
        seen[key.text] = key
        yield key.text, key, value
