"""The factors of a product, whatever their order and grouping."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any


def same_factors(some: Iterable[Any], others: Iterable[Any]) -> bool:
    """Whether two products are equal but for order and grouping of their factors."""
    return factors_of(some) == factors_of(others)


def factors_of(nodes: Iterable[Any]) -> dict[Any, int]:
    """The factors of a product and their exponents: nested products and integer powers are opened, each once."""
    out: dict[Any, int] = {}
    exponents: dict[Any, int] = {}
    waiting: list[tuple[int, int, Any]] = []

    def put(n: Any, times: int) -> None:
        if n.op == "pow" and n.args[1].op == "const" and isinstance(n.args[1].data, int):
            n, times = n.args[0], times * n.args[1].data
        if n.op != "mul":
            out[n] = out.get(n, 0) + times
        elif n in exponents:
            exponents[n] += times
        else:
            exponents[n] = times
            heappush(waiting, (-n.serial, 0, n))

    for n in nodes:
        put(n, 1)
    while waiting:  # the youngest first: nothing that is left contains it
        n = heappop(waiting)[2]
        for a in n.args:
            put(a, exponents[n])
    return out
