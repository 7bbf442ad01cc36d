"""Elements of XML as text, with attributes escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...escaping import in_xml

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def element(name: str, attributes: Mapping[str, Any] | None = None, children: Iterable[str] = ()) -> str:
    """An element on lines of its own; attributes that are None or empty are left out."""
    given = "".join(f' {k}="{_text(v)}"' for k, v in (attributes or {}).items() if v is not None and v != "")
    inner = list(children)
    if not inner:
        return f"<{name}{given}/>"
    body = "\n".join(f"  {line}" for child in inner for line in child.split("\n"))
    return f"<{name}{given}>\n{body}\n</{name}>"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else in_xml(str(value))


def numbers(values: Iterable[int]) -> str:
    return " ".join(map(str, values))
