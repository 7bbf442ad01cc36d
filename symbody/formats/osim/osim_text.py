"""Elements of a file as text again."""

from __future__ import annotations

from collections.abc import Iterable

from ...escaping import in_xml
from ..robot.xml_tree import XmlElement


def xml_text(root: XmlElement) -> str:
    """A document; elements with children are indented, others stand on one line. Without recursion: files may be deep."""
    lines = ['<?xml version="1.0" encoding="UTF-8" ?>']
    waiting: list[tuple[XmlElement | None, str, int]] = [(root, "", 0)]
    while waiting:
        e, closing, depth = waiting.pop()
        indent = "\t" * depth
        if e is None:
            lines.append(f"{indent}</{closing}>")
            continue
        head = e.tag + "".join(f' {k}="{in_xml(v)}"' for k, v in e.attributes.items())
        if not e.children:
            text = in_xml(e.text.strip())
            lines.append(f"{indent}<{head}>{text}</{e.tag}>" if text else f"{indent}<{head} />")
            continue
        lines.append(f"{indent}<{head}>")
        waiting.append((None, e.tag, depth))
        waiting += [(c, "", depth + 1) for c in reversed(e.children)]
    return "\n".join(lines) + "\n"


def element(tag: str, name: str = "", *children: XmlElement, text: str = "") -> XmlElement:
    """A new element."""
    made = XmlElement(tag, {"name": name} if name else {}, 0)
    made.text = text
    made.children = list(children)
    return made


def leaf(tag: str, value: float | str | Iterable[float]) -> XmlElement:
    """An element with a text or numbers, with all their digits."""
    if isinstance(value, str):
        return element(tag, text=value)
    numbers = [float(value)] if isinstance(value, (int, float)) else [float(x) for x in value]
    return element(tag, text=" ".join(repr(x + 0.0) for x in numbers))
