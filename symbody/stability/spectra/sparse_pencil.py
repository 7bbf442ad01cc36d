"""Pencils A x = s E x as sparse matrices: of large trees before accelerations are eliminated, where A of x' = A x is full.

Beside the states x stand unknowns w whose equations contain no rates, such as accelerations and the wrenches between
neighbouring links (`derivation/programs/link_balances.py`):

    [s - F_x  -F_w] [x]   [b]
    [ -G_x    -G_w] [w] = [0]

has the same x as (s - A) x = b with A = F_x - F_w G_w⁻¹ G_x, and its factors have a number of entries proportional to that of the links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.linalg import get_lapack_funcs, lu_solve
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from ...argument_kinds import answered_class
from ...emit.run.callable import Array
from ...summary import Summarized, Summary, summary_rows

DENSE: Final = 0.1  # share of nonzero entries above which a matrix is factored as a full one

Complex = Any


class Solutions(NamedTuple):
    """x of (A - s E) X = (b, 0), and of the conjugate transpose; NaN where A - s E is exactly singular."""

    plain: Callable[[Any], Complex]
    adjoint: Callable[[Any], Complex]


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class SparsePencil(Summarized):
    """s E X = A X in sparse matrices of SciPy; the states are the first entries of X, and the others have no rates.

    E, A     `scipy.sparse.csc_array`
    states   number of states

    >>> lin = sb.linear_system([[0, 1], [-4, 0]], x=["x", "v"])
    >>> pencil = lin.numbers.sparse({})
    >>> pencil.A.nnz, pencil.states
    (2, 2)
    >>> pencil.full()[1]  # A of the states alone
    array([[ 0.,  1.],
           [-4.,  0.]])
    >>> pencil.rates(np.array([1.0, 0.0]))  # E x' = A x
    array([ 0., -4.])
    >>> abs(pencil.solved(1j, np.array([0.0, 1.0])))  # (A - s E)⁻¹ b
    array([0.333333, 0.333333])

    See also: `stability.MatrixNumbers`, `LinearSystem.eigenvalues`.
    """

    E: Any
    A: Any
    states: int

    def _summary(self) -> Summary:
        n = self.A.shape[0]
        rows = summary_rows(
            states=str(self.states), unknowns_without_rates=str(n - self.states), entries_of_A=str(self.A.nnz)
        )
        return Summary("SparsePencil s E X = A X", rows)

    def solved(self, s: complex, b: Any) -> Complex:
        """x of (A - s E) X = (b, 0), for a right side of the states or columns of them."""
        return solutions(self, s).plain(np.asarray(b))

    def full(self) -> tuple[Array, Array]:
        """E and A of the states alone, as full arrays."""
        n = self.states
        return self.E[:n, :n].toarray(), self.rates(np.eye(n))

    def rates(self, x: Array) -> Array:
        """E x' for states or columns of states: F_x x - F_w G_w⁻¹ G_x x."""
        n, A = self.states, self.A.tocsr()
        own: Array = A[:n, :n] @ x
        if n == A.shape[0]:
            return own
        inner = splu(csc_array(A[n:, n:]))
        moved: Array = own - A[:n, n:] @ inner.solve(A[n:, :n] @ x)
        return moved


def solutions(pencil: SparsePencil, s: complex) -> Solutions:
    """For many right sides, from one factorisation."""
    n, size, is_complex = pencil.states, pencil.A.shape[0], np.iscomplexobj(s)
    factored = _factors_of(pencil.A - s * pencil.E)

    def solve(b: Any, way: str) -> Complex:
        if factored is None:
            return np.full(b.shape, np.nan)
        if np.iscomplexobj(b) and not is_complex:
            return solve(b.real, way) + 1j * solve(b.imag, way)
        right = np.zeros((size, *b.shape[1:]), dtype=complex if is_complex else float)
        right[:n] = b
        return factored(right, way)[:n]

    return Solutions(lambda b: solve(b, "N"), lambda b: solve(b, "H"))


def _factors_of(A: Any) -> Callable[[Any, str], Complex] | None:
    """(right side, "N" or "H" for the conjugate transpose) -> solution; None where the matrix is exactly singular."""
    if A.nnz > DENSE * A.shape[0] ** 2:
        lu, pivots, zero = get_lapack_funcs("getrf", (full := A.toarray(),))(full)
        return None if zero else lambda b, way: lu_solve((lu, pivots), b, 2 if way == "H" else 0)
    try:
        found: Callable[[Any, str], Complex] = splu(csc_array(A)).solve
    except RuntimeError:
        return None
    return found


def row_sizes(pencil: SparsePencil) -> Array:
    """Magnitude of each row of E x' for states of size one."""
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (pencil.states, 4))
    return np.asarray(np.abs(pencil.rates(signs)).max(axis=1))


def sparse_pencil(E: Array, A: Array) -> SparsePencil:
    """Of full matrices."""
    return SparsePencil(csc_array(E), csc_array(A), len(A))
