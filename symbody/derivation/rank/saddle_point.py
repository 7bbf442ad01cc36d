"""The saddle-point system of constrained motion, and its elimination, chosen once for all later stages.

    M x = a + Hᵀ y,   Jc x = b        or        [M Hᵀ; Jc 0] [x; -y] = [a; b]

H is Jc, and the matrix symmetric, unless loads contain multipliers: friction acts in directions H = Jc + W that differ
from the constrained ones. Accelerations and multipliers (a = f, b = -c), their derivatives, impacts and projections all
have this form. Pivoting is slow for small systems (branches, and no use of zeros), and slower still when several states
are computed in parallel, so it is the last resort.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from math import inf
from random import Random
from typing import Any, Final

from ...algebra.calculus.evaluate import evaluate
from ...algebra.elimination.elimination import definite_pivots
from ...algebra.graph.graph import ZERO, as_expr
from ...algebra.graph.late_matrix import LateRows, diagonal, sparse_rows, symbol_carriers
from ...algebra.graph.linear import Factors, factorize
from ...algebra.graph.matrix import Matrix, as_matrix, stack, sum_of_products
from ...algebra.graph.walk import free_symbols
from ...errors import EvaluationError

MIN_PIVOT: Final = 1e-10  # smallest pivot of a matrix scaled to a unit diagonal
MAX_DIAGONAL_RATIO: Final = 1e3  # largest ratio of diagonal entries that are compared without scaling


class Elimination(Enum):
    """How [M Jcᵀ; Jc 0] is eliminated."""

    DEFINITE = "M is eliminated without pivoting; there are no constraints"
    SCHUR = "M and its Schur complement Jc M⁻¹ Jcᵀ are eliminated, both without pivoting"
    AUGMENTED = (
        "M alone is singular: M + Jcᵀ Jc, which has the same solutions on the constraints, is eliminated instead, "
        "then its Schur complement, both without pivoting"
    )
    PIVOTED = (
        "M and M + Jcᵀ Jc are singular at a generic state: [M Jcᵀ; Jc 0] is eliminated as a whole with pivoting, "
        "which is slower"
    )


@dataclass(frozen=True, eq=False)
class Border:
    """Bordering for redundant constraints: the singular Delassus matrix S = Jc M⁻¹ Jcᵀ becomes definite as S + σ B Bᵀ.

    With n the combinations of rows that vanish, nᵀ Jc = 0, and nᵀ B regular, solutions are exact for consistent right
    sides (nᵀ b = 0 gives Bᵀ y = 0, so S y = b), and stay continuous where rows that are redundant on the constraints
    are not quite so next to them.

    B          a column for each dependence, as numbers or as symbols; its values do not matter as long as nᵀ B is
               regular
    sizes      sizes of the rows, by which σ is made comparable with S
    positions  the border of the holonomic rows alone, where there are others; None if these are independent
    """

    B: Matrix
    sizes: tuple[float, ...]
    positions: Border | None = None

    def filled(self, S: Matrix) -> Matrix:
        """S + σ B Bᵀ, with σ the mean of S_ii / sizes_i². Rows of S beyond those of B are unchanged."""
        k = self.B.rows
        terms = [S[i, i] / (k * self.sizes[i] ** 2) for i in range(k)]
        sigma = sum_of_products([as_expr(1)] * k, terms)
        return self._with_border(S, sigma)

    def _with_border(self, S: Matrix, sigma: Any) -> Matrix:
        k, n = self.B.rows, S.rows
        more = {(i, j): sigma * sum_of_products(self.B.row(i), self.B.row(j)) for i in range(k) for j in range(i, k)}
        entries = [
            S[i, j] + more[min(i, j), max(i, j)] if max(i, j) < k else S[i, j] for i in range(n) for j in range(n)
        ]
        return Matrix(n, n, tuple(entries))

    def product(self) -> Matrix:
        """B Bᵀ."""
        k = self.B.rows
        return self._with_border(Matrix(k, k, (ZERO,) * (k * k)), as_expr(1))

    def with_rows(self, before: int, more: int) -> Border:
        """The border of a matrix with additional independent rows before row number `before`."""
        k = self.B.cols
        at = before * k
        B = Matrix(self.B.rows + more, k, (*self.B.entries[:at], *[ZERO] * (more * k), *self.B.entries[at:]))
        inner = self.positions
        if inner is not None and before <= inner.B.rows:
            inner = inner.with_rows(before, more)
        return Border(B, (*self.sizes[:before], *[1.0] * more, *self.sizes[before:]), inner)


class SaddlePoint:
    """Factors of [M Hᵀ; Jc 0] as nodes of the graph: one set for all right sides, bordered where constraints are
    redundant.

    sizes      relative magnitudes of the diagonal of S: with them, results that depend on S have no value (NaN) if it is
               singular to rounding
    inertias   the same for M
    pushes     H, where it differs from Jc
    """

    def __init__(
        self,
        M: Matrix,
        Jc: Matrix,
        elimination: Elimination,
        border: Border | None = None,
        sizes: Sequence[float] = (),
        inertias: Sequence[float] = (),
        pushes: Matrix | None = None,
    ) -> None:
        self.M, self.Jc, self.elimination, self.border = M, Jc, elimination, border
        self.sizes, self.inertias, self.pushes = sizes, inertias, pushes

    @cached_property
    def unguarded(self) -> SaddlePoint:
        """The same without guards: for loops that look at singular positions themselves."""
        return SaddlePoint(self.M, self.Jc, self.elimination, self.border, pushes=self.pushes)

    @property
    def is_symmetric(self) -> bool:
        return self.pushes is None

    @property
    def H(self) -> Matrix:  # noqa: N802  (notation)
        return self.Jc if self.pushes is None else self.pushes

    @cached_property
    def metric(self) -> Matrix:
        """M, or M + Jcᵀ Jc where M is singular: an inertia of every motion."""
        is_regular = self.elimination in (Elimination.DEFINITE, Elimination.SCHUR)
        return self.M if is_regular else self.M + self.Jc.T @ self.Jc

    def solve(self, right: Matrix | Sequence[Any]) -> Matrix:
        """[x; -y] for right sides [a; b], column by column.

        S y = b - Jc w,   x = w + M⁻¹ Hᵀ y,   w = M⁻¹ a,   S = Jc M⁻¹ Hᵀ        (Tuomela, Arponen, Normi, Algorithm 5.1)

        With M + Jcᵀ Jc in place of M, a + Jcᵀ b takes the place of a, which changes nothing where Jc x = b.
        """
        right = right if isinstance(right, Matrix) else as_matrix([[as_expr(e)] for e in right])
        if self.elimination is Elimination.DEFINITE:
            return self._inertia.solve(right)
        if self.elimination is Elimination.PIVOTED:
            return self._whole.solve(right)
        n = self.M.rows
        a, b = _rows(right, 0, n), _rows(right, n, right.rows)
        if self.elimination is Elimination.AUGMENTED:
            a = a + self.Jc.T @ b
        w = self._inertia.solve(a)
        y = self._schur.solve(b - self.Jc @ w)
        return stack(w + self._responses @ y, -y)

    @cached_property
    def _inertia(self) -> Factors:
        return factorize(self.metric, "definite", self.inertias)

    @cached_property
    def _responses(self) -> Matrix:
        """M⁻¹ Hᵀ: accelerations due to multipliers of one."""
        return self._inertia.solve(self.H.T)

    @cached_property
    def _schur(self) -> Factors:
        S = self.Jc @ self._responses
        if not self.is_symmetric:
            return factorize(S if self.border is None else self.border.filled(S), "general")
        return factorize(S if self.border is None else self.border.filled(S), "definite", self.sizes)

    @cached_property
    def null_vectors(self) -> Matrix:
        """n with nᵀ Jc = 0, where there is a border: S̃⁻¹ B, since S n = 0 and σ B Bᵀ n = B for n (Bᵀ n) = 1/σ."""
        if self.border is None:
            return Matrix(self.Jc.rows, 0, ())
        return self._schur.solve(self.border.B)

    @cached_property
    def _whole(self) -> Factors:
        n, k = self.M.rows, self.Jc.rows
        full = [[*self.M.row(i), *self.H.column(i)] for i in range(n)]
        zero = Matrix(k, k, (ZERO,) * (k * k)) if self.border is None else -self.border.product()
        full += [[*self.Jc.row(i), *zero.row(i)] for i in range(k)]
        return factorize(
            Matrix(n + k, n + k, tuple(e for row in full for e in row)),
            "indefinite" if self.is_symmetric else "general",
        )


def _rows(m: Matrix, first: int, end: int) -> Matrix:
    return Matrix(end - first, m.cols, m.entries[first * m.cols : end * m.cols])


def chosen_elimination(M: Matrix, Jc: Matrix, values: Mapping[Any, float]) -> Elimination:
    """The fastest elimination that works at a generic state: values as given, random ones for all other symbols."""
    if not Jc.rows:
        return Elimination.DEFINITE
    if isinstance(Jc, LateRows):  # of many equal parts, M of each of which is definite
        return Elimination.SCHUR
    draw = Random(1)
    at = {s: values[s] if s in values else draw.uniform(0.2, 0.9) for s in free_symbols(M, Jc)}
    if is_definite(M, at):
        return Elimination.SCHUR
    return Elimination.AUGMENTED if is_definite(M + Jc.T @ Jc, at) else Elimination.PIVOTED


def sizes_of_responses(M: Matrix, Jc: Matrix, values: Mapping[Any, float]) -> tuple[float, ...]:
    """Σ Jc_ij² / M_jj at a generic state, the order of magnitude of S_ii; all one where they are alike."""
    if not Jc.rows:
        return ()
    draw = Random(2)
    rows = sparse_rows(Jc)
    entries = [e for row in rows for e in row.values()]
    at = {s: values[s] if s in values else draw.uniform(0.2, 0.9) for s in free_symbols(*symbol_carriers(M), *entries)}
    try:
        inertias, numbers = evaluate([list(diagonal(M)), entries], at)
    except (EvaluationError, OverflowError):
        return (1.0,) * Jc.rows
    left = iter(numbers)
    found = [{j: next(left) for j in row} for row in rows]
    sizes = [sum(x**2 / inertias[j] for j, x in row.items() if inertias[j] > 0) for row in found]
    is_alike = max(sizes, default=1.0) <= MAX_DIAGONAL_RATIO * min(sizes, default=1.0)
    return (1.0,) * Jc.rows if is_alike else tuple(s or 1.0 for s in sizes)


def sizes_of_inertias(M: Matrix, values: Mapping[Any, float]) -> tuple[float, ...]:
    """The diagonal of M at a generic state."""
    draw = Random(2)
    at = {s: values[s] if s in values else draw.uniform(0.2, 0.9) for s in free_symbols(*symbol_carriers(M))}
    try:
        sizes = evaluate(list(diagonal(M)), at)
    except (EvaluationError, OverflowError):
        return ()
    return tuple(float(x) for x in sizes) if all(0 < x < inf for x in sizes) else ()


def is_definite(M: Matrix, values: Mapping[Any, float]) -> bool:
    """Whether a symmetric matrix is positive definite at some numbers, whatever the units of its rows."""
    n = M.rows
    try:
        a = evaluate(list(M.entries), values)
        size = [abs(a[i * n + i]) ** 0.5 for i in range(n)]
        scaled = [a[i * n + j] / (size[i] * size[j]) for i in range(n) for j in range(n)]
        pivots = definite_pivots(n, scaled)
    except (EvaluationError, ZeroDivisionError, OverflowError):
        return False
    return all(x > MIN_PIVOT for x in pivots)
