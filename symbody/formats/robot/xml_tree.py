"""XML files of robots and of their meshes: opened with bounds, parsed by expat without a document type (DOCTYPE and entities are refused
before anything of them is expanded), and the numbers in them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn
from xml.parsers import expat

from ...errors import ModelError, shown, why_no_file
from ...escaping import checked_name
from ...given_files import file_bytes

MOST_BYTES: Final = 256 * 2**20
MOST_NESTING: Final = 64
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def read_xml(source: Any, kind: str, caller: str, nesting: int = MOST_NESTING) -> tuple[str, XmlElement]:
    """A description of the file or text, and its root element. `source` is a path, or a text (which starts with <)."""
    where, data = _content(source, kind, caller)
    return where, parsed_xml(where, data, nesting)


def finite_number(word: str) -> float | None:
    """The finite number that a word denotes; None for other words."""
    value = float(word) if _NUMBER.fullmatch(word) else math.nan
    return value if math.isfinite(value) else None


# ---------------------------------------------------------------------------------------------------------- files


def _content(source: Any, kind: str, caller: str) -> tuple[str, str | bytes]:
    if isinstance(source, bytes):
        return f"{kind} text", _of_bearable_size(f"{kind} text", source)
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        return f"{kind} text", _of_bearable_size(f"{kind} text", source.lstrip("\ufeff \t\r\n"))
    if isinstance(source, str) and re.match(r"[A-Za-z][\w+.-]+://", source):
        raise ModelError(
            f"{caller}: {shown(source)} is an address; nothing is fetched: save the file and give its path"
        )
    if not isinstance(source, (str, Path)):
        raise ModelError(f"{caller}: expected the path of a file or a text that starts with <, got {shown(source)}")
    path = Path(source)
    if wrong := why_no_file(path):
        raise ModelError(f"{caller}: {shown(str(source))}: {wrong}; give the path of a {kind} file, or its text")
    where = f"{kind} {path.name!r}"
    return where, file_bytes(path, where, most=MOST_BYTES)


def _of_bearable_size(where: str, data: str | bytes) -> str | bytes:
    if len(data) > MOST_BYTES:
        raise ModelError(f"{where}: larger than {MOST_BYTES // 2**20} MB; this is not a description of a robot")
    return data


# ---------------------------------------------------------------------------------------------------------- XML


class XmlElement:
    """An element of the file, with the line where it starts, and the text in it."""

    __slots__ = ("attributes", "children", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.children: list[XmlElement] = []
        self.text = ""

    def all(self, tag: str) -> Iterator[XmlElement]:
        return (c for c in self.children if c.tag == tag)


def parsed_xml(where: str, data: str | bytes, nesting: int) -> XmlElement:
    """The root element of what `where` names. Documents with a DOCTYPE end here, before any entity of theirs is looked at."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    top = XmlElement("", {}, 0)
    stack = [top]
    pieces: list[list[str]] = [[]]  # of the texts of these: expat gives long ones in many

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > nesting:
            raise ModelError(f"{where}: line {parser.CurrentLineNumber}: elements are nested more than {nesting} deep")
        for name, value in attributes.items():
            checked_name(value, f"{where}: line {parser.CurrentLineNumber}: {shown(name)}")
        element = XmlElement(tag, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)
        pieces.append([])

    def end(tag: str) -> None:
        stack.pop().text = "".join(pieces.pop())

    def words(text: str) -> None:
        pieces[-1].append(text)

    def refuse(*_: Any) -> NoReturn:
        raise ModelError(
            f"{where}: line {parser.CurrentLineNumber}: a DOCTYPE or entity is declared; none is needed, and it could make the file "
            "expand without end or reach for other files: delete the declaration"
        )

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, words
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    parser.UnparsedEntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as reason:
        raise ModelError(f"{where} is not XML: {reason}") from None
    except (UnicodeError, LookupError, ValueError) as reason:
        if isinstance(reason, ModelError):
            raise
        raise ModelError(f"{where} is not XML: {reason}") from None
    return top.children[0]
