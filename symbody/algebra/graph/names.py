"""Names: identifiers, and the names of time derivatives."""

from __future__ import annotations

import re
from typing import Final

from ...errors import ExpressionError, shown

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_RATE_NAME: Final = re.compile(r"(?P<stem>.+)_(?P<end>dot|ddot|d[3-9]|d[1-9][0-9]+)")


def check_name(name: object, what: str) -> str:
    """Refuse names that are not identifiers: names are written into generated code as they are."""
    if isinstance(name, str) and _IDENTIFIER.fullmatch(name):
        return name
    raise ExpressionError(
        f"{what}: {shown(name)} is not a usable name; use an ASCII letter or underscore followed by at most 99 letters, "
        "digits or underscores"
    )


def rate_name(stem: str, order: int) -> str:
    """Name of a time derivative: q, q_dot, q_ddot, q_d3, ..."""
    return f"{stem}_d{order}" if order > 2 else stem + ("", "_dot", "_ddot")[order]


def stem_and_order(name: str) -> tuple[str, int]:
    """The opposite of `rate_name`: of q_ddot q and 2; of a name that is not that of a time derivative the name itself
    and 0."""
    found = _RATE_NAME.fullmatch(name)
    if found is None:
        return name, 0
    return found["stem"], {"dot": 1, "ddot": 2}.get(found["end"]) or int(found["end"][1:])
