"""Order of elimination of a sparse symmetric matrix, by counting."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple


def _neighbours(n: int, pattern: Iterable[tuple[int, int]]) -> list[set[int]]:
    near: list[set[int]] = [set() for _ in range(n)]
    for i, j in pattern:
        if i != j:
            near[i].add(j)
            near[j].add(i)
    return near


def _eliminate(near: list[set[int]], k: int) -> int:
    """Remove k from the graph of a matrix, joining its neighbours; returns how many there were."""
    around = near[k]
    for i in around:
        near[i] |= around
        near[i] -= {i, k}
    near[k] = set()
    return len(around)


class Work(NamedTuple):
    """Operations of L D Lᵀ, and of one solve with the factors."""

    factor: int
    solve: int


def elimination_work(n: int, pattern: Iterable[tuple[int, int]], order: Iterable[int]) -> Work:
    """In this order d neighbours cost d(d+1) + d + 1 to eliminate, 4 d + 1 to solve."""
    near = _neighbours(n, pattern)
    degrees = [_eliminate(near, k) for k in order]
    return Work(sum(d * (d + 2) + 1 for d in degrees), sum(4 * d + 1 for d in degrees))


def elimination_order(n: int, pattern: Iterable[tuple[int, int]], constants: Collection[int] = ()) -> list[int]:
    """The cheapest of: as given, from the end (free of fill-in for trees), fewest neighbours first; of two that are
    equal the one that begins with a constant on the diagonal."""
    places = set(pattern)
    near, left, greedy = _neighbours(n, places), set(range(n)), []
    while left:
        k = min(left, key=lambda i: (len(near[i]), -i))
        _eliminate(near, k)
        left.remove(k)
        greedy.append(k)
    orders = (list(range(n)), list(reversed(range(n))), greedy)
    return min(orders, key=lambda o: (sum(elimination_work(n, places, o)), o[0] not in constants))
