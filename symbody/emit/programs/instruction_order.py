"""The order in which a program computes its values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def depth_first(roots: Iterable[T], arguments: Mapping[T, tuple[T, ...]]) -> list[T]:
    """The nodes that the roots depend on in depth-first order, so that a value is computed shortly before it is
    used."""
    out: list[T] = []
    state: dict[T, bool] = {}  # False: arguments are being looked at; True: placed
    for root in roots:
        stack = [root]
        while stack:
            n = stack[-1]
            if n in state:
                stack.pop()
                if not state[n]:
                    state[n] = True
                    out.append(n)
                continue
            state[n] = False
            stack.extend(a for a in reversed(arguments[n]) if a not in state)
    return out
