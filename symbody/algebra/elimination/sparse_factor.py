"""A = L D Lᵀ of a definite matrix with few entries, of numbers, in the order of least degree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .least_degree import least_degree_order


class SparseFactor:
    """Factors of a symmetric matrix.

    rows   of each row its entries by column, the diagonal among them
    """

    def __init__(self, rows: Sequence[Mapping[int, float]]) -> None:
        n = len(rows)
        self.order = least_degree_order([{j for j in row if j != i} for i, row in enumerate(rows)])
        step = [0] * n
        for at, k in enumerate(self.order):
            step[k] = at
        columns: list[dict[int, float]] = [{} for _ in range(n)]
        self.pivots = [0.0] * n
        for i, row in enumerate(rows):
            self.pivots[i] = row.get(i, 0.0)
            for j, x in row.items():
                if step[i] > step[j]:
                    columns[j][i] = x
        self.columns = columns  # of L, below its diagonal
        for k in self.order:
            column, pivot = columns[k], self.pivots[k]
            if not pivot > 0.0:
                continue
            below = sorted(column.items(), key=lambda x: step[x[0]])
            for b, (j, x) in enumerate(below):
                t = x / pivot
                self.pivots[j] -= t * x
                target = columns[j]
                for i, y in below[b + 1 :]:
                    target[i] = target.get(i, 0.0) - t * y
                column[j] = t

    @property
    def is_definite(self) -> bool:
        """Whether all pivots are positive."""
        return all(x > 0.0 for x in self.pivots)

    def solve(self, b: Sequence[float]) -> list[float]:
        """The solution of A x = b."""
        x = list(b)
        for k in self.order:
            t = x[k]
            for i, w in self.columns[k].items():
                x[i] -= w * t
        for k in reversed(self.order):
            t = x[k] / self.pivots[k]
            for i, w in self.columns[k].items():
                t -= w * x[i]
            x[k] = t
        return x
