"""Linear systems of expressions, solved on the graph with pivots chosen by numbers.

A row or a column with a single entry is solved directly, so that results stay short enough to read; two remaining
unknowns are solved by determinants; larger systems become a solve node, which pivots at run time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.linalg import qr

from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.linear import solve
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...emit.run.callable import Array
from .parameter_samples import array

MIN_PIVOT: Final = 1e-9  # smallest pivot relative to the largest number of its row or column


@dataclass(frozen=True)
class PivotedSolution:
    """x with A x = B: one row for each unknown; `free` unknowns are not determined and were set to zero.

    left   residual of the rows that were not needed: B - A x, zero if the system has a solution
    rows   indices of these rows
    """

    x: Matrix
    left: Matrix
    rows: tuple[int, ...]
    free: tuple[int, ...]


def pivoted_solution(A: Matrix, B: Matrix, sample: Mapping[Symbol, float]) -> PivotedSolution:
    """The solution of a system with more, as many or fewer rows than unknowns; `sample` are numbers by which pivots are
    chosen."""
    work = _PivotedElimination(A, B, array(A, sample))
    work.take_singles()
    work.take_rest()
    return work.solution()


class _PivotedElimination:
    def __init__(self, A: Matrix, B: Matrix, numbers: Array) -> None:
        self.A, self.B, self.numbers = A, B, numbers
        self.rows, self.cols = list(range(A.rows)), list(range(A.cols))
        self.x: dict[int, list[Expr]] = {}
        self.later: list[tuple[int, int]] = []  # row and column of unknowns that follow from the others

    def take_singles(self) -> None:
        """Rows with one unknown left give it; unknowns that stand in one row only follow from it in the end."""
        found = True
        while found:
            found = False
            for i in self.rows:
                here = [j for j in self.cols if self._is_there(i, j)]
                if len(here) == 1 and self._is_good(i, here[0]):
                    self._finish(i, here[0])
                    found = True
                    break
            for j in [] if found else self.cols:
                there = [i for i in self.rows if self._is_there(i, j)]
                if len(there) == 1 and self._is_good(there[0], j):
                    self.later.append((there[0], j))
                    self.rows.remove(there[0])
                    self.cols.remove(j)
                    found = True
                    break

    def _is_there(self, i: int, j: int) -> bool:
        return self.A[i, j] is not ZERO

    def _is_good(self, i: int, j: int) -> bool:
        return bool(abs(self.numbers[i, j]) > MIN_PIVOT * max(np.abs(self.numbers[i]).max(), 1e-300))

    def _finish(self, i: int, j: int) -> None:
        self.x[j] = [self._right(i, k) / self.A[i, j] for k in range(self.B.cols)]
        self.rows.remove(i)
        self.cols.remove(j)

    def _right(self, i: int, k: int) -> Expr:
        """Right side of row i less the solved unknowns."""
        known = [j for j in self.x if self._is_there(i, j)]
        return self.B[i, k] - sum_of_products([self.A[i, j] for j in known], [self.x[j][k] for j in known])

    def take_rest(self) -> None:
        rows, cols = independent_block(self.numbers, self.rows, self.cols)
        if not rows:
            return
        block = Matrix(len(rows), len(cols), tuple(self.A[i, j] for i in rows for j in cols))
        right = Matrix(len(rows), self.B.cols, tuple(self._right(i, k) for i in rows for k in range(self.B.cols)))
        x = _by_determinants(block, right) if len(rows) == 2 else solve(block, right)
        for position, j in enumerate(cols):
            self.x[j] = list(x.row(position))
        self.rows = [i for i in self.rows if i not in rows]
        self.cols = [j for j in self.cols if j not in cols]

    def solution(self) -> PivotedSolution:
        free = tuple(self.cols)
        for j in free:
            self.x[j] = [ZERO] * self.B.cols
        for i, j in reversed(self.later):
            self.x[j] = [self._right(i, k) / self.A[i, j] for k in range(self.B.cols)]
        x = Matrix(self.A.cols, self.B.cols, tuple(e for j in range(self.A.cols) for e in self.x[j]))
        left = [self._right(i, k) for i in self.rows for k in range(self.B.cols)]
        return PivotedSolution(x, Matrix(len(self.rows), self.B.cols, tuple(left)), tuple(self.rows), free)


def _by_determinants(A: Matrix, B: Matrix) -> Matrix:
    (a, b, c, d) = A.entries
    whole = a * d - b * c
    first = [(d * B[0, k] - b * B[1, k]) / whole for k in range(B.cols)]
    return Matrix(2, B.cols, (*first, *((a * B[1, k] - c * B[0, k]) / whole for k in range(B.cols))))


def independent_block(numbers: Array, rows: Sequence[int], cols: Sequence[int]) -> tuple[list[int], list[int]]:
    """Rows and columns of a square part that has full rank and is best to solve, by QR with pivoting both ways."""
    part = numbers[np.ix_(list(rows), list(cols))]
    if not part.size or not np.abs(part).max():
        return [], []
    scaled = part / np.maximum(np.abs(part).max(axis=1, keepdims=True), 1e-300)
    chosen_rows = _leading(scaled.T)
    chosen_cols = _leading(scaled[chosen_rows])[: len(chosen_rows)]
    return sorted(rows[i] for i in chosen_rows), sorted(cols[j] for j in chosen_cols)


def _leading(matrix: Array) -> list[int]:
    """Columns that span the range, the largest first."""
    _, R, order = qr(matrix, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int((diagonal > MIN_PIVOT * diagonal[0]).sum()) if diagonal.size else 0
    return [int(k) for k in order[:rank]]
