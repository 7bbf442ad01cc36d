"""Cutting long programs into functions of bounded size, and the scratch memory through which these hand on values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final


def ranges_by_weight(weights: Iterable[int], size: int) -> list[range]:
    """Consecutive ranges whose weight is at most `size`, where no single weight is larger."""
    out, start, total, k = [], 0, 0, 0
    for k, weight in enumerate(weights, start=1):
        if total and total + weight > size:
            out.append(range(start, k - 1))
            start, total = k - 1, 0
        total += weight
    return [*out, range(start, k)]


CACHE_LINE: Final = 8  # doubles in a cache line


class ScratchMemory:
    """Places in scratch memory, given back when what they hold is no longer needed. Blocks begin with a line of the
    cache."""

    def __init__(self) -> None:
        self.size = 0
        self.free: dict[int, list[int]] = {}

    def take(self, n: int = 1) -> int:
        if self.free.get(n):
            return self.free[n].pop()
        start = self.size if n == 1 else -(-self.size // CACHE_LINE) * CACHE_LINE
        self.size = start + n
        return start

    def give(self, place: int, n: int = 1) -> None:
        self.free.setdefault(n, []).append(place)
