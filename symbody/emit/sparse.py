"""Order of elimination of a sparse symmetric matrix, by counting."""

from __future__ import annotations

from collections.abc import Iterable


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


def elimination_cost(n: int, pattern: Iterable[tuple[int, int]], order: Iterable[int]) -> int:
    """Operations of L D Lᵀ and one solve in this order: d neighbours cost d(d+1) + d to eliminate, 4 d + 2 to solve."""
    near = _neighbours(n, pattern)
    return sum(d * (d + 1) + 5 * d + 2 for d in (_eliminate(near, k) for k in order))


def elimination_order(n: int, pattern: Iterable[tuple[int, int]]) -> list[int]:
    """The cheapest of: as given, from the end (free of fill-in for trees), fewest neighbours first."""
    places = set(pattern)
    near, left, greedy = _neighbours(n, places), set(range(n)), []
    while left:
        k = min(left, key=lambda i: (len(near[i]), -i))
        _eliminate(near, k)
        left.remove(k)
        greedy.append(k)
    return min((list(range(n)), list(reversed(range(n))), greedy), key=lambda o: elimination_cost(n, places, o))
