"""Early linearisation in variables that are declared small (`m.small`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.taylor import linearized
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import free_symbols, scalars, substitute
from ...errors import ModelError, in_number, listed
from ..equations.equations import Equations


def linearized_in_small(eq: Equations) -> Equations:
    """The same equations to first order in the small coordinates and their rates, about zero:

        X = X(0) + Σ ∂X/∂s(0) s        for M, f, phi, Jc, b, c, the rates, h and the outputs

    `dropped` of the result has, for every entry that lost something, the terms of second order that it lost.
    """
    small = _small_symbols(eq)
    parts = {name: getattr(eq, name) for name in ("M", "f", "phi", "Jc", "b", "c", "rates", "h")}
    dropped: dict[str, Expr] = {}
    made: dict[str, Any] = {name: _first_order(name, X, small, dropped) for name, X in parts.items()}
    outputs = {name: _output(name, Y, small, dropped) for name, Y in eq.outputs.items()}
    note = (
        f"linearised in {listed(small)}; terms of second order and more were dropped from "
        f"{listed(dropped) if dropped else 'nothing'}"
    )
    return replace(eq, **made, outputs=outputs, dropped=dropped, route=f"{eq.route}, small", notes=(*eq.notes, note))


def _small_symbols(eq: Equations) -> list[Symbol]:
    declared = eq.mechanism.small
    if not declared:
        raise ModelError(
            f"derive: nothing is declared small in {eq.name!r}; use m.small(q1, q2), or leave small=True out"
        )
    known = {*eq.q, *eq.u, *eq.z}
    if stray := [s for s in declared if s not in known]:
        raise ModelError(
            f"small: {in_number(stray, '{} is not a coordinate, speed or variable', '{} are not coordinates, speeds or variables')} of {eq.name!r}"
        )
    rates = [s.dot for s in declared if s.kind in ("coordinate", "variable")]
    return list(dict.fromkeys([*declared, *(r for r in rates if isinstance(r, Symbol))]))


def _output(name: str, Y: Any, small: Sequence[Symbol], dropped: dict[str, Expr]) -> Any:
    """Outputs may be scalars, matrices or lists."""
    if isinstance(Y, Matrix):
        return _first_order(name, Y, small, dropped)
    linear = _first_order(name, Matrix(len(scalars(Y)), 1, tuple(scalars(Y))), small, dropped)
    return list(linear.entries) if isinstance(Y, (list, tuple)) else linear.entries[0]


def _first_order(name: str, X: Matrix, small: Sequence[Symbol], dropped: dict[str, Expr]) -> Matrix:
    if not X.entries:
        return X
    present = [s for s in free_symbols(X) if s in small]
    zero = dict.fromkeys(present, ZERO)
    _note_second_order(name, X, jacobian(X, present), present, zero, dropped)
    return linearized(X, zero)


def _note_second_order(
    name: str, X: Matrix, slope: Matrix, small: Sequence[Symbol], zero: Mapping[Symbol, Expr], dropped: dict[str, Expr]
) -> None:
    """½ Σ ∂²X/∂s∂t(0) s t for entries that are not linear; it is zero where only higher terms were lost."""
    for k in range(len(X.entries)):
        if not any(s in zero for s in free_symbols(*slope.row(k))):
            continue
        second = substitute(jacobian(list(slope.row(k)), small), zero)
        quadratic = sum_of_products(small, [sum_of_products(second.row(i), small) for i in range(len(small))]) / 2
        place = (
            name if len(X.entries) == 1 else f"{name}[{k}]" if X.cols == 1 else f"{name}[{k // X.cols}, {k % X.cols}]"
        )
        dropped[place] = quadratic
