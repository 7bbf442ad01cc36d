"""The equations as one system of first order: x' = F(t, x, r, p) with x = (q, u, z), and its derivatives."""

from __future__ import annotations

from collections.abc import Sequence

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols, substitute
from ..equations.additional_rates import variable_rates
from ..equations.equations import Equations
from .dynamics_derivatives import forward_derivatives
from .forward_dynamics import is_made_fast, ways_to_accelerations


def state_rates(eq: Equations, udot: Matrix | None = None) -> Matrix:
    """x' = (q', u', z').

    udot   accelerations, where a form with fewer operations than `eq.udot` is known
    """
    zdot = variable_rates(eq)
    accelerations = _with_additional_rates(eq, eq.udot if udot is None else udot, zdot)
    entries = (*eq.rates.entries, *accelerations.entries, *zdot.entries)
    return Matrix(len(entries), 1, entries)


def state_rate_derivatives(eq: Equations, wrt: Sequence[Symbol]) -> Matrix:
    """∂x'/∂wrt, one row for each entry of the state; accelerations by the factors that give these themselves, or in loops
    over equal links."""
    wrt, none = tuple(wrt), Matrix(0, len(wrt), ())
    if not wrt:
        return Matrix(len(eq.state), 0, ())
    if is_made_fast(eq):  # columns in loops
        return jacobian(state_rates(eq, ways_to_accelerations(eq)[0]), wrt)
    if eq.u and _loads_know_additional_rates(eq):
        return jacobian(state_rates(eq), wrt)
    upper = jacobian(eq.rates, wrt) if eq.q else none
    middle = forward_derivatives(eq, {"wrt": wrt}).udot["wrt"] if eq.u else none
    lower = jacobian(variable_rates(eq), wrt) if eq.z else none
    return Matrix(len(eq.state), len(wrt), (*upper.entries, *middle.entries, *lower.entries))


def _with_additional_rates(eq: Equations, udot: Matrix, zdot: Matrix) -> Matrix:
    if not _loads_know_additional_rates(eq):
        return udot
    found: Matrix = substitute(udot, dict(zip((z.dot for z in eq.z), zdot.entries, strict=True)))
    return found


def _loads_know_additional_rates(eq: Equations) -> bool:
    return bool(eq.z) and not {z.dot for z in eq.z}.isdisjoint(free_symbols(eq.M, eq.f, eq.c))
