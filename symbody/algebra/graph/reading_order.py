"""The order in which factors and terms are written: numbers, parameters (masses and inertias first), functions, speeds,
accelerations.

It depends on the content and names of nodes, not on when they were created: m*g*l*sin(q), m*l**2*q_dot**2,
(m1 + m2)*l1.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, TypeAlias

from .graph import Node, Symbol
from .node_keys import key_class

Order: TypeAlias = tuple[Any, ...]

_INERTIAL: Final = "mMIJ"  # first letters of the parameters that are written first in a product
_PARAMETER_CLASS: Final = 3  # highest key class of numbers, parameters and inputs
_DIGITS: Final = re.compile(r"(\d+)")


def factor_order(n: Node, text: str) -> Order:
    """Sort key of a factor, and of a term that is a single factor; `text` is its printed form."""
    kind = key_class(n)
    if isinstance(n, Symbol):
        is_inertial = kind <= _PARAMETER_CLASS and n.name[0] in _INERTIAL
        return kind, 1, not is_inertial, natural(n.name)
    if n.op == "pow":
        return (*factor_order(n.args[0], text)[:3], natural(text))
    if n.op in ("add", "sub"):
        return sum_order(kind, text)
    return kind, 2, True, natural(text)


def sum_order(kind: int, text: str) -> Order:
    """Of a sum as a factor: sums of masses and inertias stand in front, (m1 + m2)*g*l, of other parameters behind
    these, m*(a + b)*cos(eps)."""
    is_inertial = kind <= 1 and text.lstrip("(-0123456789* ")[:1] in tuple(_INERTIAL)
    is_plain = kind <= 1 and "(" not in text
    return kind, 0 if is_inertial else 1.5 if is_plain else 3, True, natural(text)


def term_order(factors: tuple[Order, ...]) -> Order:
    """Of a product: by the highest class in it, then by how many factors it has."""
    return max((f[0] for f in factors), default=0), len(factors), factors


@lru_cache(maxsize=1 << 12)
def natural(text: str) -> tuple[tuple[str, int], ...]:
    """m2 before m10."""
    parts = _DIGITS.split(text)
    return tuple((word, int(number[:9] or 0)) for word, number in zip(parts[::2], (*parts[1::2], ""), strict=True))
