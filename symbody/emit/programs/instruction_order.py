"""The order in which a program computes its values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def depth_first(roots: Iterable[T], arguments: Mapping[T, tuple[T, ...]]) -> list[T]:
    """The nodes that the roots depend on in depth-first order, so that a value is computed shortly before it is
    used."""
    out: list[T] = []
    placed: set[T] = set()
    for root in roots:
        stack = [root]
        while stack:
            n = stack[-1]
            if n in placed:
                stack.pop()
            elif left := [a for a in reversed(arguments[n]) if a not in placed]:
                stack += left
            else:
                stack.pop()
                placed.add(n)
                out.append(n)
    return out
