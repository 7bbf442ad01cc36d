"""Programs of the second derivatives of a Moreau-Jean step: of q' and of the equations of its midpoint, on the graph.

    F = [M δ - h f - Hᵀ ν - Gᵀ Λ;  Jc u⁺ + b + r/h phi],     V = G u⁺ + g_t + e min(v⁻, 0),     μ N,     z'

as in `contact_step_derivatives.py`, but with u⁺, the impulses ν of the constraints and x of the rows as variables, beside θ.
Of each function g of all of them a program has g, ∂g, and the derivative of ∂g along a direction: of the directional
derivative ∂g d, the Jacobian with respect to all variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...algebra.calculus.accumulation import accumulated_jacobian
from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix
from ...derivation.equations.additional_rates import variable_rates
from ...emit.run.callable import Array, Compiled
from ..contact.contact_modes import ModeTable
from ..time_stepping.moreau_programs import compiled_program, contact_key, softened_rows
from .contact_step_derivatives import Midpoint, sparse, symbols_of


@dataclass(frozen=True)
class SecondOrderProgram:
    """Functions with their first derivatives and the change of these along a direction; `shape` is that of ∂g, and entries that
    are not zero stand at `first` and `second`, counted row by row."""

    code: Compiled
    shape: tuple[int, int]
    first: NDArray[np.int64]
    second: NDArray[np.int64]

    def __call__(self, *given: object) -> tuple[Array, Array, Array]:
        g, first, second = self.code(*given)
        return np.asarray(g), self._matrix(first, self.first), self._matrix(second, self.second)

    def _matrix(self, values: Array, places: NDArray[np.int64]) -> Array:
        out = np.zeros(self.shape[0] * self.shape[1])
        if len(places):
            out[places] = values
        return out.reshape(self.shape)


@dataclass(frozen=True)
class SecondOrderPrograms:
    """Those of a step: of q', of its midpoint, and ν as a function of the midpoint and the impulses of the rows."""

    rates: SecondOrderProgram | None
    point: SecondOrderProgram
    multipliers: Compiled | None


def second_order_programs(
    table: ModeTable, wrt: tuple[Symbol, ...], smoothing: float = 0.0, h: float = 1.0
) -> SecondOrderPrograms:
    """Those with respect to the state and some parameters and inputs, compiled once."""
    key = (contact_key(table), wrt, (smoothing, h) if smoothing else ())
    softened = softened_rows(table, smoothing, h) if smoothing else None
    return table.base.cached("curvature of time stepping", key, lambda: _compiled_programs(table, wrt, softened))


def _compiled_programs(table: ModeTable, wrt: tuple[Symbol, ...], softened: list[Expr] | None) -> SecondOrderPrograms:
    eq, midpoint = table.base, Midpoint(table, softened)
    theta = (*eq.state, *wrt)
    rates = _second_order(table, "curvature_of_rates", list(eq.rates.entries), theta, {}) if eq.q else None
    nu = symbols_of("constraint_impulse", len(eq.lam))
    outputs = [*midpoint.balance(nu), *midpoint.row_speeds, *midpoint.limits, *variable_rates(eq).entries]
    given = midpoint.given
    multipliers = None
    if eq.lam:
        multipliers = compiled_program(eq, "constraint_impulses", {"nu": midpoint.constraint_impulses}, given)
    unknowns = (*midpoint.after, *nu, *midpoint.impulses)
    given |= {"nu": list(nu) or [symbol("no_constraint", "variable")]}
    point = _second_order(table, "curvature_of_step", outputs, (*theta, *unknowns), given)
    return SecondOrderPrograms(rates, point, multipliers)


def _second_order(
    table: ModeTable, name: str, g: list[Expr], by: Sequence[Symbol], given: dict[str, object]
) -> SecondOrderProgram:
    way = symbols_of("direction", len(by))
    along = list(directional_derivative(Matrix(len(g), 1, tuple(g)), dict(zip(by, way, strict=True))).entries)
    first, second = (sparse(accumulated_jacobian(rows, by, fewest_first=True)) for rows in (g, along))
    outputs = {"g": g, "first": first[1] or [ZERO], "second": second[1] or [ZERO]}
    code = compiled_program(table.base, name, outputs, {**given, "direction": list(way)}, is_quick=True)
    at = [np.array([i * len(by) + j for i, j in places], dtype=np.int64) for places, _ in (first, second)]
    return SecondOrderProgram(code, (len(g), len(by)), at[0], at[1])
