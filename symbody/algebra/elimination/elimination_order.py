"""The order in which a small sparse matrix is eliminated, by counting operations."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from .least_degree import least_degree_order, neighbours


class Work(NamedTuple):
    """Operations of L D Lᵀ, and of one solve with the factors."""

    factor: int
    solve: int


def elimination_work(n: int, pattern: Iterable[tuple[int, int]], order: Iterable[int]) -> Work:
    """In this order d neighbours cost d(d+1) + d + 1 to eliminate, 4 d + 1 to solve."""
    near, degrees = neighbours(n, pattern), []
    for k in order:
        around = near[k]
        for i in around:
            near[i] |= around
            near[i] -= {i, k}
        degrees.append(len(around))
    return Work(sum(d * (d + 2) + 1 for d in degrees), sum(4 * d + 1 for d in degrees))


def elimination_order(n: int, pattern: Iterable[tuple[int, int]], constants: Collection[int] = ()) -> list[int]:
    """The cheapest of: as given, from the end (free of fill-in for trees), least degree first (of equal ones the last);
    of two that are equal the one that begins with a constant on the diagonal."""
    places = set(pattern)
    from_the_end = neighbours(n, ((n - 1 - i, n - 1 - j) for i, j in places))
    least_degree = [n - 1 - k for k in least_degree_order(from_the_end)]
    orders = (list(range(n)), list(reversed(range(n))), least_degree)
    return min(orders, key=lambda o: (sum(elimination_work(n, places, o)), o[0] not in constants))
