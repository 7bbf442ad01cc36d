"""The order in which few couplings are eliminated, decided once from the pattern of a matrix.

Pivots are on the diagonal. Those of least degree go first (minimum degree on the pattern and its transpose; Duff,
Erisman, Reid, Direct Methods for Sparse Matrices, ch. 7, 8). One that is zero everywhere, as that of a multiplier,
waits until all that it is coupled to are eliminated: it is then filled with all of Jc M⁻¹ Jcᵀ, not with a part that
vanishes in some configuration. What else is filled in is known before numbers are, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.least_degree import least_degree_order

DENSE_SPEEDUP: Final = 2.0  # a dense multiplication is this much faster than a sparse one, which looks up places
MAX_DENSITY: Final = 0.7  # share of nonzero entries above which a sparse elimination gains nothing

Place = tuple[int, int]


@dataclass(frozen=True, eq=False)
class SparseOrder:
    """Steps k of an elimination; entries of L + U are in one array, those of the pivot of step k at diagonal[k].

    order                  of the variables
    position               of each entry of the matrix in that array
    row_of, column_of      steps at which the row and column of each entry of that array are a pivot's
    below, below_rows      positions of the entries under pivot k, from first_below[k] on, and steps of their rows
    right, right_columns   the same of those beside it
    targets                positions of the entries that are changed by the products of those below and beside a pivot,
                           one after another
    """

    order: NDArray[np.int64]
    position: Mapping[Place, int]
    row_of: NDArray[np.int64]
    column_of: NDArray[np.int64]
    diagonal: NDArray[np.int64]
    first_below: NDArray[np.int64]
    below: NDArray[np.int64]
    below_rows: NDArray[np.int64]
    first_right: NDArray[np.int64]
    right: NDArray[np.int64]
    right_columns: NDArray[np.int64]
    targets: NDArray[np.int64]

    @property
    def filled(self) -> int:
        return len(self.row_of)


def elimination_of(n: int, places: Iterable[Place], has_rate: Sequence[bool]) -> SparseOrder | None:
    """The elimination of a matrix with entries at some places, and on the diagonal where a variable has a rate; None
    where that is not worth it."""
    pattern = {*places, *((i, i) for i in range(n) if has_rate[i])}
    return None if len(pattern) > MAX_DENSITY * n * n else _sparse_order(n, pattern, _by_least_degree(n, pattern))


def _by_least_degree(n: int, pattern: Iterable[Place]) -> list[int]:
    """Variables in the order of elimination."""
    near: list[set[int]] = [set() for _ in range(n)]
    filled = {i for i, j in pattern if i == j}
    for i, j in pattern:
        if i != j:
            near[i].add(j)
            near[j].add(i)
    return least_degree_order(near, {k: near[k] & filled for k in range(n) if k not in filled})


def _sparse_order(n: int, pattern: set[Place], order: Sequence[int]) -> SparseOrder | None:
    """The elimination in an order; None if a pivot stays zero, or where it takes as long as a dense one."""
    step = {variable: k for k, variable in enumerate(order)}
    entries: list[set[int]] = [set() for _ in range(n)]  # columns of each row, both by their steps
    under: list[set[int]] = [set() for _ in range(n)]  # rows of each column
    for i, j in pattern:
        entries[step[i]].add(step[j])
        under[step[j]].add(step[i])
    for k in range(n):
        beside = {j for j in entries[k] if j > k}
        for i in [i for i in under[k] if i > k]:
            for j in beside - entries[i]:
                entries[i].add(j)
                under[j].add(i)
    below = [sorted(i for i in under[k] if i > k) for k in range(n)]
    right = [sorted(j for j in entries[k] if j > k) for k in range(n)]
    products = sum(len(b) * len(r) for b, r in zip(below, right, strict=True))
    if any(k not in entries[k] for k in range(n)) or DENSE_SPEEDUP * products > n**3 / 3:
        return None
    at = {(i, j): p for p, (i, j) in enumerate((i, j) for i in range(n) for j in sorted(entries[i]))}
    return SparseOrder(
        order=_indices(order), position={(i, j): at[step[i], step[j]] for i, j in pattern},
        row_of=_indices(i for i, _ in at), column_of=_indices(j for _, j in at), diagonal=_indices(at[k, k] for k in range(n)),
        first_below=_starts(below), below=_indices(at[i, k] for k in range(n) for i in below[k]), below_rows=_indices(i for part in below for i in part),
        first_right=_starts(right), right=_indices(at[k, j] for k in range(n) for j in right[k]), right_columns=_indices(j for part in right for j in part),
        targets=_indices(at[i, j] for k in range(n) for i in below[k] for j in right[k]),
    )  # fmt: skip


def _indices(numbers: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(numbers), dtype=np.int64)


def _starts(parts: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(p) for p in parts], dtype=np.int64)])
