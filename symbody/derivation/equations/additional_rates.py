"""Additional equations h(q, u, z, z', r, t, p) = 0: which variables are algebraic, and z' where it follows without
iteration."""

from __future__ import annotations

from ...algebra.calculus.derivatives import jacobian, sparsity
from ...algebra.graph.graph import ZERO, Symbol
from ...algebra.graph.linear import solve
from ...algebra.graph.matrix import Matrix, zeros
from ...algebra.graph.walk import free_symbols, substitute
from ...errors import DerivationError, in_number
from .equations import Equations


def algebraic_variables(eq: Equations) -> tuple[Symbol, ...]:
    """Additional variables whose rate stands nowhere."""
    used = set(free_symbols(eq.h))
    return tuple(z for z in eq.z if z.dot not in used)


def variable_rates(eq: Equations) -> Matrix:
    """z' from h = 0, where h is linear in z' and all of z' follows from it."""
    if not eq.z:
        return zeros(0)
    rates = [z.dot for z in eq.z]
    A = jacobian(eq.h, rates)
    if algebraic_variables(eq) or set(free_symbols(A)) & set(rates):
        raise DerivationError(
            f"{eq.name!r}: {in_number(eq.z, 'the rate of {} does', 'the rates of {} do')} not follow from the additional equations alone; "
            "use an implicit method, such as method='radau'"
        )
    rest = substitute(eq.h, dict.fromkeys(rates, ZERO))
    filled = sparsity(A)
    if len(filled) == A.rows == len({i for i, _ in filled}) == len({j for _, j in filled}):  # one rate in each equation
        found = {j: -rest[i] / A[i, j] for i, j in filled}
        return Matrix(A.rows, 1, tuple(found[j] for j in range(A.rows)))
    return solve(A, -rest)


def is_explicit(eq: Equations) -> bool:
    """Whether z' can be had without iteration."""
    rates = {z.dot for z in eq.z}
    return not algebraic_variables(eq) and not set(free_symbols(jacobian(eq.h, list(rates)))) & rates if eq.z else True
