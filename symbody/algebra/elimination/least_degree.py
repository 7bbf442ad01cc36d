"""The order in which a sparse symmetric matrix is eliminated with little fill-in: unknowns of least degree first (Duff, Erisman,
Reid, Direct Methods for Sparse Matrices, ch. 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from heapq import heapify, heappop, heappush


def least_degree_order(near: Iterable[Set[int]], waits_for: Mapping[int, Set[int]] | None = None) -> list[int]:
    """Numbers of the unknowns in the order of elimination; of equal ones the first.

    near        those that are coupled with each unknown
    waits_for   those that are eliminated before an unknown without a diagonal entry
    """
    near_ = [set(x) for x in near]
    waits = {k: set(x) for k, x in (waits_for or {}).items() if x}
    queue = [(len(x), k) for k, x in enumerate(near_) if k not in waits]
    heapify(queue)
    left = set(range(len(near_)))
    order: list[int] = []
    while left:
        if not queue:  # circles of unknowns that wait for each other
            queue = [(len(near_[k]), k) for k in left]
            heapify(queue)
            waits = {}
        degree, k = heappop(queue)
        if k not in left or degree != len(near_[k]) or k in waits:
            continue
        left.remove(k)
        order.append(k)
        around = near_[k]
        for v in around:
            near_[v] |= around
            near_[v] -= {k, v}
            if v in waits:
                waits[v].discard(k)
                if not waits[v]:
                    del waits[v]
            if v not in waits:
                heappush(queue, (len(near_[v]), v))
        near_[k] = set()
    return order


def neighbours(n: int, places: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Of each unknown those that a symmetric matrix with entries at these places couples it with."""
    near: list[set[int]] = [set() for _ in range(n)]
    for i, j in places:
        if i != j:
            near[i].add(j)
            near[j].add(i)
    return near
