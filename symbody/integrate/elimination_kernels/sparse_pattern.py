"""The order in which few couplings are eliminated, decided once from the pattern of a matrix.

Pivots are on the diagonal. Unless an order is given, those of least degree go first (minimum degree on the pattern and
its transpose; Duff, Erisman, Reid, Direct Methods for Sparse Matrices, ch. 7, 8). One that is zero everywhere, as that of a
multiplier, waits until all that it is coupled to are eliminated: it is then filled with all of Jc M⁻¹ Jcᵀ, not with a part
that vanishes in some configuration. What else is filled in is known before numbers are, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.elimination.least_degree import least_degree_order, neighbours
from ...emit.loops.kernel_language import Indices
from ...emit.run.loop_callee import LoopCallee

DENSE_SPEEDUP: Final = 2.0  # a dense multiplication is this much faster than a sparse one, which looks up places
MAX_DENSITY: Final = 0.7  # share of nonzero entries above which a sparse elimination gains nothing
FIRST_FILL: Final = 4  # times the entries of a matrix: memory for those of its factors, to begin with
COMPILED_ENTRIES: Final = 20_000  # of a matrix, from which on machine code looks for the pattern of its factors
NO_ROOM: Final = -1
NO_PIVOT: Final = -2

Place = tuple[int, int]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SparseOrder:
    """Steps k of an elimination; the rows of L + U stand one after the other, in the order of the steps.

    order             of the variables
    places            of each entry of the matrix, in the sequence in which they were given, in that array
    diagonals         of the variables, -1 for those whose entry is zero
    row_of, columns   steps at which the row and the column of each entry of that array are a pivot's
    first, diagonal   where each row and its pivot are
    """

    order: Whole
    places: Whole
    diagonals: Whole
    row_of: Whole
    columns: Whole
    first: Whole
    diagonal: Whole

    @property
    def filled(self) -> int:
        return len(self.columns)

    @property
    def products(self) -> int:
        """Multiplications of an elimination."""
        beside = self.first[1:] - self.diagonal - 1
        below = self.columns < self.row_of
        return int(beside[self.columns[below]].sum())


def elimination_of(n: int, places: Iterable[Place], has_rate: Sequence[bool]) -> SparseOrder | None:
    """The elimination of a matrix with entries at some places, and on the diagonal where a variable has a rate; None
    where that is not worth it."""
    at = np.array([*places], dtype=np.int64).reshape(-1, 2)
    diagonal = [(i, i) for i in range(n) if has_rate[i]]
    pattern = {*((i, j) for i, j in at.tolist()), *diagonal}
    if len(pattern) > MAX_DENSITY * n * n:
        return None
    found = ordered_elimination(n, at[:, 0], at[:, 1], np.array(has_rate), _by_least_degree(n, pattern))
    return None if found is None or DENSE_SPEEDUP * found.products > n**3 / 3 else found


def _by_least_degree(n: int, pattern: Collection[Place]) -> Whole:
    """Variables in the order of elimination."""
    near = neighbours(n, pattern)
    filled = {i for i, j in pattern if i == j}
    waits_for = {k: near[k] & filled for k in range(n) if k not in filled}
    return np.array(least_degree_order(near, waits_for), dtype=np.int64)


def ordered_elimination(
    n: int, rows: Whole, columns: Whole, has_rate: NDArray[np.bool_], order: Whole
) -> SparseOrder | None:
    """The elimination in an order, in time and memory proportional to its entries and products; None if a pivot stays
    zero."""
    step = np.empty(n, dtype=np.int64)
    step[order] = np.arange(n)
    rated = np.flatnonzero(has_rate)
    given = step[rows] * n + step[columns]
    keys = np.unique(np.concatenate([given, step[rated] * (n + 1)]))
    made = _filled_rows(n, keys)
    if made is None:
        return None
    first, filled, diagonal = made
    row_of = np.repeat(np.arange(n), np.diff(first))
    all_keys = row_of * n + filled
    diagonals = np.full(n, -1)
    diagonals[rated] = np.searchsorted(all_keys, step[rated] * (n + 1))
    return SparseOrder(order, np.searchsorted(all_keys, given), diagonals, row_of, filled, first, diagonal)


def _filled_rows(n: int, keys: Whole) -> tuple[Whole, Whole, Whole] | None:
    """Rows of L + U: where they begin, their columns, and where their pivots are."""
    starts, given = np.searchsorted(keys, np.arange(n + 1) * n), keys % n
    first, diagonal, following = (np.zeros(n + 1, dtype=np.int64) for _ in range(3))
    room = FIRST_FILL * len(keys) + n
    while True:
        out = np.zeros(room, dtype=np.int64)
        arrays = {
            "starts": starts,
            "given": given,
            "first": first,
            "columns": out,
            "diagonal": diagonal,
            "following": following,
        }
        if len(keys) < COMPILED_ENTRIES:
            count = fill_rows(n, room, **{name: memoryview(a) for name, a in arrays.items()})  # type: ignore[arg-type]
        else:
            count = LoopCallee(fill_rows, {}, (), True, n=n, room=room, **arrays).run()
        if count == NO_PIVOT:
            return None
        if count != NO_ROOM:
            return first, out[:count].copy(), diagonal[:n]
        room *= 2


def fill_rows(
    n: int, room: int, starts: Indices, given: Indices, first: Indices, columns: Indices, diagonal: Indices, following: Indices
) -> int:  # fmt: skip
    """The columns of each row of L + U, sorted; their number, or why there are none. A row is a list of which each column
    gives the following one, from n to n; rows above that it meets are merged into it."""
    filled: int = 0
    for i in range(n):
        last: int = n
        for j in range(starts[i], starts[i + 1]):
            following[last] = given[j]
            last = given[j]
        following[last] = n
        k: int = following[n]
        while k < i:
            at: int = k
            for m in range(diagonal[k] + 1, first[k + 1]):
                column: int = columns[m]
                while following[at] < column:
                    at = following[at]
                if following[at] > column:
                    following[column] = following[at]
                    following[at] = column
                at = column
            k = following[k]
        if k != i:
            return NO_PIVOT
        first[i] = filled
        k = following[n]
        while k < n:
            if filled >= room:
                return NO_ROOM
            if k == i:
                diagonal[i] = filled
            columns[filled] = k
            filled = filled + 1
            k = following[k]
        first[i + 1] = filled
    return filled
