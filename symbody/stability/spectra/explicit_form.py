"""x' = A x + B r as expressions: E x' = A x + B r solved for the rates on the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...algebra.graph.graph import ZERO
from ...algebra.graph.matrix import Matrix
from ...algebra.normal_forms.tidy import tidy
from ...errors import StabilityError, in_number
from ..variation.parameter_samples import samples
from ..variation.pivoting import pivoted_solution
from .response import StateSpace

if TYPE_CHECKING:
    from ..linear.linear_system import LinearSystem


def symbolic_state_space(lin: LinearSystem) -> StateSpace:
    """E⁻¹ A and E⁻¹ B by elimination, with pivots chosen at the defaults of the parameters, or at random numbers."""
    where = f"linear system {lin.name!r}"
    if any(e is not ZERO for m in (lin.B1, lin.B2, lin.D1, lin.D2) for e in m.entries):
        raise StabilityError(
            f"{where}: rates of inputs act in it; state_space(...) in numbers takes them into the states"
        )
    n, r = len(lin.x), len(lin.r)
    right = Matrix(n, n + r, tuple(e for i in range(n) for e in (*lin.A.row(i), *lin.B.row(i))))
    found = pivoted_solution(lin.E, right, samples([lin.E], lin.defaults, 1)[0])
    if found.free:
        without_rates = in_number((lin.x[k] for k in found.free), "{} has no rate", "{} have no rates")
        raise StabilityError(
            f"{where}: {without_rates} in it (E is singular); state_space(...) in numbers eliminates such variables"
        )
    rows = [found.x.row(i) for i in range(n)]
    A = Matrix(n, n, tuple(e for row in rows for e in row[:n]))
    B = Matrix(n, r, tuple(e for row in rows for e in row[n:]))
    return StateSpace(tidy(A), tidy(B), lin.C, lin.D, lin.x, lin.r, lin.y)
