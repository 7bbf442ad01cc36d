"""Meanings of names in some equations, as expressions in the state: variables, accelerations, multipliers, inputs that
follow laws, outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ...algebra.graph.graph import Expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import substitute_all
from ...derivation.equations.equations import Equations
from ...derivation.equations.named_quantities import named_quantities
from ...derivation.equations.own_terms import in_own_terms
from ...errors import SymbodyError, unknown
from .inputs import rates_of_constants


class InGround(Protocol):
    """A vector or a point of the mechanics: it has components in the ground."""

    @property
    def in_ground(self) -> Matrix: ...


Quantity = str | Expr | Matrix | InGround


def plain(what: Any) -> Any:
    """A name, an expression or a matrix; of a vector or a point its components in the ground."""
    return getattr(what, "in_ground", what)


def quantity_expressions(eq: Equations, wanted: Sequence[Quantity], where: str, error: type[SymbodyError]) -> list[Any]:
    """Expressions in the state for names; expressions are taken as they are. Rates of inputs that are constant are
    zero."""
    known = named_quantities(eq)
    wanted = [plain(w) for w in wanted]
    for w in wanted:
        if isinstance(w, str) and w not in known:
            raise unknown(where, "quantity", w, known, error)
    found = in_own_terms(eq, [known[w] if isinstance(w, str) else w for w in wanted], solved=True)
    return substitute_all(found, rates_of_constants(eq)) if eq.r else found
