"""Schemas of the values in a model file: files are validated against them, and the JSON schema for editors is generated
from them.

`shape.read(source, node)` gives the checked value, which still knows where it stands; `shape.json()` the same as JSON
schema.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from ...errors import ExpressionTextError, ModelFileError, existing, hint, listed
from ...escaping import MOST_CHARACTERS
from .expression_text import parsed_expression
from .located import Formula, LocatedList, LocatedRecord, LocatedTable, LocatedText
from .yaml_tree import FileText, YamlNode, entries

_NUMBER: Final = re.compile(r"[-+(]|\.?\d|pi\b")  # how a number begins

# ---------------------------------------------------------------------------------------------------------- shapes


class ValueSchema(ABC):
    @abstractmethod
    def read(self, source: FileText, node: YamlNode) -> Any: ...
    @abstractmethod
    def json(self) -> dict[str, Any]: ...
    @abstractmethod
    def __str__(self) -> str:
        """For messages: what is expected."""


def wrong(source: FileText, node: YamlNode, expected: object) -> ModelFileError:
    got = "nothing" if node.is_null else str(node)
    return source.error(node, f"expected {expected}, got {got}")


@dataclass(frozen=True)
class TextSchema(ValueSchema):
    """A word or sentence; or one of some words."""

    what: str = "a text"
    choices: tuple[str, ...] = ()

    def read(self, source: FileText, node: YamlNode) -> LocatedText:
        if node.kind != "scalar" or node.is_null:
            raise wrong(source, node, self)
        if self.choices and node.text not in self.choices:
            near = hint(node.text, self.choices)
            raise source.error(node, f"there is no {self.what} {node.text!r}; {existing(self.choices)}.{near}")
        return LocatedText(source, node, node.text)

    def json(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.choices)} if self.choices else {"type": ["string", "number"]}

    def __str__(self) -> str:
        return self.what if not self.choices else f"a {self.what}: {listed(self.choices)}"


@dataclass(frozen=True)
class Flag(ValueSchema):
    def read(self, source: FileText, node: YamlNode) -> bool:
        if node.kind != "scalar" or node.text not in ("true", "false"):
            raise wrong(source, node, self)
        return node.text == "true"

    def json(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def __str__(self) -> str:
        return "true or false"


@dataclass(frozen=True)
class Expression(ValueSchema):
    """An expression by the grammar of model files; `hint` is shown where a list was given."""

    what: str = "an expression"
    hint: str = ""

    def read(self, source: FileText, node: YamlNode) -> Formula:
        if node.kind != "scalar" or node.is_null:
            raise wrong(source, node, self)
        try:
            return Formula(source, node, node.text, parsed=parsed_expression(node.text))
        except ExpressionTextError as reason:
            hint = self.hint if "follows a complete" in reason.plain else ""
            raise source.error(node, reason.plain + hint, reason.at, reason.length) from None

    def json(self) -> dict[str, Any]:
        return {"$ref": "#/$defs/expression"}

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True)
class WordSchema(ValueSchema):
    """A number by the grammar of expressions, or a word."""

    what: str = "a number or a word"

    def read(self, source: FileText, node: YamlNode) -> LocatedText:
        if node.kind != "scalar" or node.is_null:
            raise wrong(source, node, self)
        if not node.is_quoted and _NUMBER.match(node.text):
            with suppress(ExpressionTextError):  # names of files and roads may begin with a digit
                return Formula(source, node, node.text, parsed=parsed_expression(node.text))
        return LocatedText(source, node, node.text)

    def json(self) -> dict[str, Any]:
        return {"type": ["string", "number", "boolean"]}

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True)
class ListOf(ValueSchema):
    item: ValueSchema
    least: int = 0
    most: int = 10_000
    what: str = "a list"

    def read(self, source: FileText, node: YamlNode) -> LocatedList:
        if node.kind != "list":
            raise wrong(source, node, self)
        if not self.least <= len(node.items) <= self.most:
            raise source.error(node, f"expected {self}, got {len(node.items)} item{'s' * (len(node.items) != 1)}")
        return LocatedList(source, node, tuple(self.item.read(source, n) for n in node.items))

    def json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"type": "array", "items": self.item.json()}
        if self.least:
            out["minItems"] = self.least
        if self.most < 10_000:
            out["maxItems"] = self.most
        return out

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True)
class TableOf(ValueSchema):
    """A table with names chosen by the author. `empty`: whether a name may have no value."""

    value: ValueSchema
    what: str = "a table of names"
    empty: bool = False

    def read(self, source: FileText, node: YamlNode) -> LocatedTable:
        if node.kind != "table":
            raise wrong(source, node, self)
        values: dict[str, Any] = {}
        keys: dict[str, LocatedText] = {}
        for name, key, value in entries(source, node):
            if not name or len(name) > MOST_CHARACTERS:
                raise source.error(key, f"a name has 1 to {MOST_CHARACTERS} characters, this has {len(name)}")
            keys[name] = LocatedText(source, key, name)
            values[name] = None if self.empty and value.is_null else self.value.read(source, value)
        return LocatedTable(source, node, values, keys)

    def json(self) -> dict[str, Any]:
        value = self.value.json()
        return {"type": "object", "additionalProperties": {"anyOf": [value, {"type": "null"}]} if self.empty else value}

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True)
class Key:
    """A key that the schema knows."""

    shape: ValueSchema
    doc: str = ""
    required: bool = False


Keys = Mapping[str, Key]


@dataclass(frozen=True)
class RecordSchema(ValueSchema):
    """A table with keys of the schema. Where there are `kinds`, one of their keys must be there and brings further keys
    with it."""

    what: str
    keys: Keys
    kinds: Mapping[str, Keys] = field(default_factory=dict)

    def read(self, source: FileText, node: YamlNode) -> LocatedRecord:
        if node.kind != "table":
            raise wrong(source, node, f"{self.what}, a table with the keys {listed(self.known, 30)}")
        found = {name: (key, value) for name, key, value in entries(source, node)}
        kind = self._kind(source, node, found)
        known = {**self.keys, **self.kinds.get(kind, {})}
        for name, (key, _) in found.items():
            if name not in known:
                raise self._unknown_key(source, key, kind, known)
        for name, key_ in known.items():
            if (key_.required or name == kind) and (name not in found or found[name][1].is_null):
                raise source.error(node, f"{self._named(kind)} needs the key {name!r}: {key_.doc or key_.shape}")
        values = {
            n: known[n].shape.read(source, v) for n, (_, v) in found.items() if not v.is_null or known[n].required
        }
        return LocatedRecord(source, node, values, kind)

    @property
    def known(self) -> list[str]:
        return [*self.kinds, *self.keys]

    def _named(self, kind: str) -> str:
        return f"{self.what} of kind {kind!r}" if kind else self.what

    def _kind(self, source: FileText, node: YamlNode, found: Mapping[str, Any]) -> str:
        kinds = [k for k in found if k in self.kinds]
        if not self.kinds:
            return ""
        told = [
            k for k in kinds if all(other in self.kinds[k] for other in kinds)
        ]  # a tyre has a load, but a load is not a tyre
        if len(told) == 1:
            return told[0]
        if kinds:
            raise source.error(
                found[kinds[-1]][0],
                f"{self.what} is of one kind, this says {listed(kinds)}; make two of it, or drop one",
            )
        near = next(filter(None, (hint(k, self.kinds) for k in found)), "")
        raise source.error(node, f"{self.what} needs a key that tells its kind: {listed(self.kinds, 30)}.{near}")

    def _unknown_key(self, source: FileText, key: YamlNode, kind: str, known: Keys) -> ModelFileError:
        near = hint(key.text, known)
        return source.error(key, f"there is no key {key.text!r} in {self._named(kind)}; {existing(known, 40)}.{near}")

    def json(self) -> dict[str, Any]:
        if not self.kinds:
            return _object(self.keys)
        return {"oneOf": [_object({**self.keys, **keys}, kind) for kind, keys in self.kinds.items()]}

    def __str__(self) -> str:
        return self.what


def _object(keys: Keys, kind: str = "") -> dict[str, Any]:
    properties = {n: ({"description": k.doc} if k.doc else {}) | k.shape.json() for n, k in keys.items()}
    out: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": properties}
    if required := [n for n, k in keys.items() if k.required or n == kind]:
        out["required"] = required
    return out


@dataclass(frozen=True)
class Either(ValueSchema):
    """Alternatives, distinguished by whether the value is a scalar, a list or a table."""

    what: str
    scalar: ValueSchema | None = None
    list: ValueSchema | None = None
    table: ValueSchema | None = None

    def read(self, source: FileText, node: YamlNode) -> Any:
        shape = {"scalar": self.scalar, "list": self.list, "table": self.table}[node.kind]
        if shape is None or node.is_null:
            raise wrong(source, node, self)
        return shape.read(source, node)

    def json(self) -> dict[str, Any]:
        return {"anyOf": [s.json() for s in (self.scalar, self.list, self.table) if s is not None]}

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True)
class Later(ValueSchema):
    """A forward reference, as to the schema of the file itself for parts within it; resolved through `shapes`."""

    name: str
    shapes: dict[str, ValueSchema]

    def read(self, source: FileText, node: YamlNode) -> Any:
        return self.shapes[self.name].read(source, node)

    def json(self) -> dict[str, Any]:
        return {"$ref": f"#/$defs/{self.name}"}

    def __str__(self) -> str:
        return str(self.shapes[self.name])


EXPRESSION_JSON: Final = {
    "description": "A number, or a text by the grammar of docs/model-files.md: 1/12, m*g*sin(q1), q1', wheel.point(0, 0, -R)",
    "type": ["string", "number"],
}
