"""Jumps of rates on the way: where a condition in them changes, the state goes on without a jump, but the time of that
moves with the parameters, and sensitivities jump:

    S⁺ = S⁻ + (f⁻ - f⁺) dt/dp
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.walk import evaluation_order, free_symbols
from ..forms.forms import Form
from .event_handlers import EventResult, Instant

COMPARISONS = ("lt", "le", "eq")


def borders_of(rates: Iterable[Expr], moving: Iterable[Symbol]) -> list[Expr]:
    """Functions whose zeros are where conditions and signs in rates change, as far as these depend on what moves."""
    known, found = set(moving), dict[frozenset[Expr], Expr]()
    for node in evaluation_order(list(rates)):
        sides = node.args if node.op in COMPARISONS else (*node.args, None) if node.op == "sign" else None
        if sides is None:
            continue
        a, b = sides
        difference = a if b is None else a - b
        if known & set(free_symbols(difference)):
            found.setdefault(frozenset(x for x in (a, b) if x is not None), difference)
    return list(found.values())


class RateJumpHandler:
    """Handler of the borders of a form with sensitivities."""

    is_one_sided = False

    def __init__(self, form: Form, borders: Sequence[Expr]) -> None:
        self.watched: tuple[tuple[Expr, int], ...] = tuple((g, 0) for g in borders)
        self.sizes: tuple[Expr | None, ...] = (None,) * len(self.watched)

    def begin(self, now: Instant, is_beyond: Sequence[bool]) -> EventResult | None:
        return None

    def handle(self, which: Sequence[int], now: Instant) -> EventResult:
        return EventResult(now.state, after={}, is_continuous=True)

    def tolerance(self, now: Instant) -> float:
        return 0.0
