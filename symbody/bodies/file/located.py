"""Values read from a model file, each with its position, so that what is found wrong later is shown where it is
written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import ModelFileError
from .expression_text import ExpressionText
from .yaml_tree import FileText, YamlNode


@dataclass(frozen=True, slots=True, eq=False)
class LocatedValue:
    """A value with its position in the file."""

    source: FileText
    node: YamlNode

    def error(self, message: str) -> ModelFileError:
        """An error that shows the lines of the file where this value stands."""
        return self.source.error(self.node, message)


@dataclass(frozen=True, slots=True, eq=False)
class LocatedText(LocatedValue):
    """A scalar, as text."""

    text: str
    offset: int | None = None  # within the node, where it is a part of it

    def error(self, message: str) -> ModelFileError:
        """An error that underlines this text."""
        return self.source.error(self.node, message, self.offset, len(self.text))


@dataclass(frozen=True, slots=True, eq=False)
class Formula(LocatedText):
    """A text that has the form of an expression."""

    parsed: ExpressionText = field(kw_only=True)

    def error_at(self, at: int, length: int, message: str) -> ModelFileError:
        """An error that underlines a part of the expression."""
        return self.source.error(self.node, message, at, length)


@dataclass(frozen=True, slots=True, eq=False)
class LocatedList(LocatedValue):
    """A list of located values."""

    items: tuple[Any, ...]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True, eq=False)
class LocatedTable(LocatedValue):
    """A table whose keys are names chosen by the author."""

    entries: Mapping[str, Any]
    keys: Mapping[str, LocatedText]


@dataclass(frozen=True, slots=True, eq=False)
class LocatedRecord(LocatedValue):
    """A table with keys of the schema. `kind` is the key that distinguishes alternatives, where there are some."""

    values: Mapping[str, Any]
    kind: str

    def get(self, key: str) -> Any:
        """The value of a key, None if it is not given."""
        return self.values.get(key)

    def __contains__(self, key: str) -> bool:
        return key in self.values


def names_in(said: Any) -> list[LocatedText]:
    """Names given as one text (a b c) or as a list."""
    if said is None or isinstance(said, LocatedTable):
        return []
    if isinstance(said, LocatedList):
        return list(said.items)
    return [LocatedText(said.source, said.node, n[0], n.start()) for n in re.finditer(r"[^\s,]+", said.text)]
