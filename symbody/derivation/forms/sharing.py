"""Operation counts of the mass matrix M = Bᵀ diag(m, I) B by the three methods of Lynch 4.6 and by the expression
graph."""

from __future__ import annotations

from dataclasses import dataclass

from ...algebra.graph.graph import ZERO, symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.printing.printing import operations, unshared_operations
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from .transform import partial_velocities


@dataclass(frozen=True)
class SharedWork:
    """Operations (additions, multiplications, functions) for the mass matrix.

    pure       every entry written out, nothing computed once for several
    numeric    entries of B and of the inertias computed once, then full matrices multiplied, zeros too
    named      entries computed once, then multiplied where they are not zero (Lynch's choice)
    graph      equal subexpressions of everything are one: what this package does
    """

    pure: int
    numeric: int
    named: int
    graph: int


@of_equations
def shared_work(eq: Equations) -> SharedWork:
    """Number of operations for the mass matrix with each of Lynch's ways to share work (4.6), and on the expression
    graph.

    >>> m = sb.Model("double")
    >>> a, b = (m.body(n, mass=1.0, com=(0, -1, 0)) for n in "ab")
    >>> joints = m.revolute("q1", m.ground, a), m.revolute("q2", a, b, at=(0, -1, 0))
    >>> sb.derivation.shared_work(sb.derive(m))
    SharedWork(pure=11, numeric=648, named=15, graph=4)

    See also: `emit.mass_matrix_programs`, `algebra.operations`, `derivation.mass_matrix_sparsity`.
    """
    found = partial_velocities(eq)
    B, inertia = found.B, found.inertia
    rows, n = B.rows, B.cols
    entries = operations(B, inertia)
    dense = (2 * rows - 1) * rows * n + (2 * rows - 1) * n * n
    B_, I_ = _symbols_for_entries(B, "b"), _symbols_for_entries(inertia, "i")
    return SharedWork(
        pure=unshared_operations(B.T @ inertia @ B), numeric=entries + dense,
        named=entries + operations(B_.T @ (I_ @ B_)), graph=operations(eq.M),
    )  # fmt: skip


def _symbols_for_entries(m: Matrix, letter: str) -> Matrix:
    """A symbol for each nonzero entry."""
    return Matrix(
        m.rows, m.cols, tuple(e if e is ZERO else symbol(f"{letter}{k}", "parameter") for k, e in enumerate(m.entries))
    )
