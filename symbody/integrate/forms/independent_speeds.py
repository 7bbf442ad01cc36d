"""Equations in independent speeds (`minimal`) hold as long as these determine the others. How far they do is seen from
the inertia that they move:

    choice = Σ_k m_kk / M_kk,    m = Aᵀ M A,   u = A ui + a0

grows without bound where they do so no longer. Beyond `MAX_SENSITIVITY` times what it is at the start rates have no value, and the
run ends there.
"""

from __future__ import annotations

from typing import Final

from ...algebra.graph.functions import value_where
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...derivation.equations.equations import Equations
from ...errors import in_number

MAX_SENSITIVITY: Final = 1e4  # growth of the measure from which on rates have no value
UNLIMITED: Final = 1e30  # in place of a bound that there is not
LIMIT: Final[Symbol] = symbol("limit_of_choice", "parameter")


def choice_of(eq: Equations) -> Expr | None:
    """The measure above; None of equations from which no speeds were eliminated."""
    whole = eq.whole
    if eq.lam or not whole.lam or not set(eq.u) <= set(whole.u):
        return None
    total: Expr = ZERO
    for k, u in enumerate(eq.u):
        own = whole.M[whole.u.index(u), whole.u.index(u)]
        total = total + (eq.M[k, k] if own is ZERO else eq.M[k, k] / own)
    return total


def guarded_rates(rates: list[Expr], choice: Expr | None) -> list[Expr]:
    """Rates without a value where the choice serves no longer."""
    if choice is None or not rates or choice.value is not None:
        return rates
    guard = value_where(choice < LIMIT, ZERO, of=choice)
    return [rates[0] + guard, *rates[1:]]


def why_not(eq: Equations) -> str:
    """The end of a run in which the choice came to its limit."""
    return (
        f"{in_number((u.name for u in eq.u), '{}, kept by minimal(...), comes', '{}, kept by minimal(...), come')} to determine the other speeds no longer; simulate the equations from before "
        "`minimal`, whose forms choose speeds on the way, or keep others from here on"
    )
