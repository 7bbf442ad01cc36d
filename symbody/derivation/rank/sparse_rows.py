"""Whether the rows of a matrix with few entries are independent, beyond doubt, without its singular values.

With rows of length one, the smallest singular value of J is the root of the smallest eigenvalue of J Jᵀ, which inverse iteration
with sparse factors finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from ...algebra.calculus.evaluate import evaluate
from ...algebra.elimination.sparse_factor import SparseFactor
from ...algebra.graph.graph import Expr
from ...errors import EvaluationError

ITERATIONS: Final = 8  # of inverse iteration

SparseRow = Mapping[int, float]


def sparse_numbers_at(rows: Sequence[Mapping[int, Expr]], values: Mapping[Any, float]) -> list[dict[int, float]] | None:
    """Numbers of rows of expressions; None if they have no value."""
    try:
        left = iter(evaluate([e for row in rows for e in row.values()], values))
    except (EvaluationError, OverflowError):
        return None
    return [{j: float(next(left)) for j in row} for row in rows]


def sizes_of_sparse_rows(rows: Sequence[SparseRow]) -> list[float]:
    """Their lengths."""
    return [sum(x * x for x in row.values()) ** 0.5 for row in rows]


def smallest_singular_value(rows: Sequence[SparseRow]) -> float:
    """Of rows scaled to length one, beside a bound of the largest; zero where rows depend on each other to rounding."""
    sizes = sizes_of_sparse_rows(rows)
    if not rows or min(sizes) <= 1e-9 * max(sizes):
        return 0.0 if rows else 1.0
    G = _products(rows, sizes)
    factor = SparseFactor(G)
    if not factor.is_definite or min(factor.pivots) < 1e-12:
        return 0.0
    draw = Random(1)
    x = [draw.uniform(-1, 1) for _ in rows]
    least = 0.0
    for _ in range(ITERATIONS):
        size = sum(v * v for v in x) ** 0.5
        x = factor.solve([v / size for v in x])
        least = 1 / sum(v * v for v in x) ** 0.5
    largest = max(sum(abs(v) for v in row.values()) for row in G)
    return float((least / largest) ** 0.5)


def _products(rows: Sequence[SparseRow], sizes: Sequence[float]) -> list[dict[int, float]]:
    """J Jᵀ of rows of length one."""
    column: dict[int, list[tuple[int, float]]] = {}
    for i, row in enumerate(rows):
        for j, x in row.items():
            column.setdefault(j, []).append((i, x / sizes[i]))
    out: list[dict[int, float]] = [{} for _ in rows]
    for entries in column.values():
        for i, x in entries:
            own = out[i]
            for k, y in entries:
                own[k] = own.get(k, 0.0) + x * y
    return out
