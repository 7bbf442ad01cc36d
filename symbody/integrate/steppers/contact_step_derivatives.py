"""Derivatives of a Moreau-Jean step at its midpoint with its impulses held, as programs on the graph.

    F = [M δ - h f - Jcᵀ ν - Gᵀ Λ;  Jc u⁺ + b + r/h phi],     V = G u⁺ + g_t + e min(v⁻, 0),     μ N,     δ = u⁺ - u

with Λ the impulses x of the rows and those of viscous friction (`moreau_step.py`), ν those of the constraints. With u⁺ and
all impulses held these are derivatives of inverse dynamics, without any solve; what the step makes of them is in
`step_variations.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ...algebra.calculus.accumulation import accumulated_jacobian
from ...algebra.calculus.derivatives import gradient, jacobian, time_derivative
from ...algebra.graph.functions import minimum, sqrt
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import substitute_all
from ...derivation.equations.additional_rates import variable_rates
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.programs.dynamics_derivatives import (
    accelerations,
    balance_derivatives,
    balance_pullback,
    shortest_balance,
)
from ...emit.run.callable import Compiled
from ..contact.contact_modes import ModeTable
from ..contact.frictions import Friction
from ..time_stepping.moreau_impulses import RETURN
from ..time_stepping.moreau_programs import compiled_program, contact_key, softened_rows

STEP_LENGTH: Final = symbol("step_length", "variable")
Places = tuple[tuple[int, int], ...]  # rows and columns of entries that are not zero


@dataclass(frozen=True)
class DerivativePrograms:
    """Programs of the derivatives of q', and of everything at the midpoint, with respect to the state and some
    parameters and inputs: entries that are not zero, at `places`."""

    rates: Compiled | None
    point: Compiled | None
    places: Mapping[str, Places]


NO_DERIVATIVES: Final = DerivativePrograms(None, None, dict.fromkeys(("qdot", "F", "V", "limit", "zdot"), ()))


def step_derivatives(
    table: ModeTable, wrt: tuple[Symbol, ...], smoothing: float = 0.0, h: float = 1.0
) -> DerivativePrograms:
    """Those of steps with contacts and frictions, of length h if they are smoothed, compiled once."""
    key = (contact_key(table), wrt, (smoothing, h) if smoothing else ())
    softened = softened_rows(table, smoothing, h) if smoothing else None
    return table.base.cached("slopes of time stepping", key, lambda: _compiled_derivatives(table, wrt, softened))


def _compiled_derivatives(table: ModeTable, wrt: tuple[Symbol, ...], softened: list[Expr] | None) -> DerivativePrograms:
    eq = table.base
    theta = (*eq.state, *wrt)
    midpoint = Midpoint(table, softened)
    by_rows, by_pushes = midpoint.contact_derivatives(theta)
    found = {
        "qdot": sparse(jacobian(list(eq.rates.entries), theta)) if eq.q else ((), []),
        "F": sparse(midpoint.balance_derivatives(theta, by_pushes)),
        "V": sparse(by_rows),
        "limit": sparse(jacobian(midpoint.limits, theta)) if table.frictions else ((), []),
        "zdot": sparse(jacobian(list(variable_rates(eq).entries), theta)) if eq.z else ((), []),
    }
    outputs = {name: values or [ZERO] for name, (_, values) in found.items()}
    rates = compiled_program(eq, "slopes_of_rates", {"qdot": outputs.pop("qdot")}) if eq.q else None
    point = compiled_program(eq, "slopes_of_step", {**outputs, "E": midpoint.responses}, midpoint.given, is_quick=True)
    return DerivativePrograms(rates, point, {name: places for name, (places, _) in found.items()})


def sparse(J: Matrix) -> tuple[Places, list[Expr]]:
    """Entries that are not zero, and their places."""
    entries = [((i, j), J[i, j]) for i in range(J.rows) for j in range(J.cols) if J[i, j] is not ZERO]
    return tuple(place for place, _ in entries), [e for _, e in entries]


class Midpoint:
    """The step of some contacts and frictions as expressions in the midpoint and the impulses."""

    def __init__(self, table: ModeTable, softened: list[Expr] | None = None) -> None:
        eq, self._table, self._softened = table.base, table, softened
        self._h = STEP_LENGTH
        rates = dict(zip(eq.q, eq.rates.entries, strict=True))
        self._approach = [time_derivative(c.gap, rates) for c in table.contacts]
        self._slips = [f.speeds(eq) for f in table.frictions]
        flat = [v for of_one in self._slips for v in of_one]
        self._now: list[Expr] = [*self._approach, *flat]
        self._G = jacobian(self._now, eq.u)
        count = len(self._now)
        self.impulses, self._part = symbols_of("impulse", count), symbols_of("takes_part", count)
        self._static, self.after = symbols_of("is_static", len(table.frictions)), symbols_of("speed_after", len(eq.u))
        damped = [f.law.damping for f, of_one in zip(table.frictions, self._slips, strict=True) for _ in of_one]
        damping = [ZERO] * len(self._approach) + damped
        self._damped_impulses = [
            x - part * (self._h * c * v)
            for x, part, c, v in zip(self.impulses, self._part, damping, self._now, strict=True)
        ]

    @property
    def given(self) -> dict[str, Any]:
        """Groups of inputs of its programs."""
        spare = [symbol("no_impulse", "variable")]
        return {
            "h": self._h,
            "impulses": list(self.impulses),
            "part": list(self._part),
            "static": list(self._static) or spare,
            "after": list(self.after),
        }

    def balance(self, nu: Sequence[Expr]) -> list[Expr]:
        """F, with impulses ν of the constraints."""
        eq, h = self._table.base, self._h
        held = dict(zip((*accelerations(eq), *eq.lam), (*self._mean_accelerations, *(x / h for x in nu)), strict=True))
        missed, changes = self._missed_constraints
        forces = substitute_all(shortest_balance(eq), held)
        balanced = [h * e - g for e, g in zip(forces, self._pushed, strict=True)]
        return [*balanced, *substitute_all(missed, changes)]

    def balance_derivatives(self, theta: Sequence[Symbol], pushes: Matrix) -> Matrix:
        """∂F/∂θ with u⁺ - u and the impulses held; `pushes`: that of Gᵀ Λ."""
        eq, h = self._table.base, self._h
        balance = balance_derivatives(eq, theta, self._held_motion)
        entries = [h * e - g for e, g in zip(balance.entries, pushes.entries, strict=True)]
        if h in theta:
            at = theta.index(h)
            for i, f in enumerate(eq.augmented.f0.entries):
                entries[i * len(theta) + at] = entries[i * len(theta) + at] - f
        if eq.lam:
            entries += self._constraint_derivatives(theta)
        return Matrix(len(eq.u) + len(eq.lam), len(theta), tuple(entries))

    @property
    def _held_motion(self) -> dict[Symbol, Expr]:
        """What stands for accelerations and multipliers in a step."""
        eq, h = self._table.base, self._h
        impulses = (e / h for e in self.constraint_impulses)
        return dict(zip((*accelerations(eq), *eq.lam), (*self._mean_accelerations, *impulses), strict=True))

    @property
    def _mean_accelerations(self) -> list[Expr]:
        return [(after - u) / self._h for after, u in zip(self.after, self._table.base.u, strict=True)]

    def pulled(
        self,
        theta: Sequence[Symbol],
        push: Sequence[Expr],
        by_row: Sequence[Expr],
        by_cone: Sequence[Expr],
        drift: Sequence[Expr],
    ) -> list[Expr]:
        """∂/∂θ (-aᵀ F + bᵀ V + cᵀ μN + dᵀ z') with a = Eᵀ push held, as are u⁺ - u and the impulses: the reverse mode, whose
        cost does not grow with the number of θ."""
        eq, h = self._table.base, self._h
        n = len(eq.u)
        a = symbols_of("factor", n + len(eq.lam))
        missed, changes = self._missed_constraints
        terms = [x * y for x, y in zip(a, self._pushed, strict=False)]
        terms += [-x * y for x, y in zip(a[n:], missed, strict=True)]
        for factors, rows in ((by_row, self.row_speeds), (by_cone, self.limits), (drift, variable_rates(eq).entries)):
            terms += [x * y for x, y in zip(factors, rows, strict=False)]
        whole = gradient(sum(terms, ZERO), theta).entries
        balance = balance_pullback(eq, theta, a[:n])
        entries = [e - h * f for e, f in zip(whole, balance, strict=True)]
        solved = self._factors_of(push)
        return substitute_all(entries, {**self._held_motion, **changes, **dict(zip(a, solved, strict=True))})

    def _factors_of(self, push: Sequence[Expr]) -> list[Expr]:
        """Eᵀ s: by the transposed elimination where the matrix is not symmetric."""
        factors, k = self._table.base.augmented.factors.unguarded, len(self._table.base.lam)
        if factors.is_symmetric:
            return list(factors.solve([*push, *[ZERO] * k]).entries)
        right = symbols_of("right", len(push) + k)
        solved = factors.solve(list(right)).entries[: len(push)]
        return list(gradient(sum((x * y for x, y in zip(push, solved, strict=True)), ZERO), right).entries)

    def _constraint_derivatives(self, theta: Sequence[Symbol]) -> list[Expr]:
        """∂(Jc u⁺ + b + r/h phi)/∂θ."""
        rows, held = self._missed_constraints
        return substitute_all(list(jacobian(rows, theta).entries), held)

    @property
    def _missed_constraints(self) -> tuple[list[Expr], dict[Any, Expr]]:
        """Jc u⁺ + b + r/h phi, with symbols for u⁺ - u and what stands for them."""
        eq = self._table.base
        change = symbols_of("speed_change", len(eq.u))
        speeds = [u + d for u, d in zip(eq.u, change, strict=True)]
        missed = (eq.Jc @ Matrix(len(speeds), 1, tuple(speeds)) + eq.b).entries if eq.lam else ()
        rows = [e + RETURN / self._h * phi for e, phi in zip(missed, self._positions, strict=True)]
        return rows, {d: after - u for d, after, u in zip(change, self.after, eq.u, strict=True)}

    def contact_derivatives(self, theta: Sequence[Symbol]) -> tuple[Matrix, Matrix]:
        """∂V/∂θ with u⁺ held, of the speed after the step, of a contact with e times that before; and ∂(Gᵀ Λ)/∂θ. Both
        contract ∂G/∂θ, whose parts they share."""
        eq, rows = self._table.base, self.row_speeds
        both = accumulated_jacobian([*rows, *self._pushed], theta, fewest_first=True)
        split = len(rows) * len(theta)
        return (
            Matrix(len(rows), len(theta), both.entries[:split]),
            Matrix(len(eq.u), len(theta), both.entries[split:]),
        )

    @property
    def row_speeds(self) -> list[Expr]:
        """V: of the speed after the step, of a contact with e times that before."""
        eq, contacts = self._table.base, self._table.contacts
        after = (self._G @ Matrix(len(eq.u), 1, self.after)).entries
        drift = substitute_all(self._now, dict.fromkeys(eq.u, ZERO))
        rows = [a + d for a, d in zip(after, drift, strict=True)]
        e = in_own_terms(eq, [c.restitution for c in contacts], solved=True)
        for i, now in enumerate(self._approach):
            rows[i] = rows[i] + (e[i] * minimum(now, 0) if self._softened is None else self._softened[i])
        return rows

    @property
    def responses(self) -> list[Expr]:
        """The first rows of [M Hᵀ; Jc 0]⁻¹, column after column."""
        eq = self._table.base
        n, size = len(eq.u), len(eq.u) + len(eq.lam)
        unit = Matrix(size, size, tuple(ONE if i == j else ZERO for i in range(size) for j in range(size)))
        solved = eq.augmented.factors.unguarded.solve(unit)
        return [solved[i, j] for j in range(size) for i in range(n)]

    @cached_property
    def _pushed(self) -> list[Expr]:
        """Gᵀ Λ."""
        return list((self._G.T @ Matrix(len(self._damped_impulses), 1, tuple(self._damped_impulses))).entries)

    @property
    def _positions(self) -> list[Expr]:
        """phi, and zero for constraints of speeds alone."""
        eq = self._table.base
        return [*eq.phi.entries, *[ZERO] * (len(eq.lam) - len(eq.phi.entries))]

    @cached_property
    def constraint_impulses(self) -> list[Expr]:
        """ν, of the constraints in this step."""
        eq, h = self._table.base, self._h
        if not eq.lam:
            return []
        off = (eq.Jc @ Matrix(len(eq.u), 1, eq.u) + eq.b).entries
        right = [h * f + g for f, g in zip(eq.augmented.f0.entries, self._pushed, strict=True)]
        right += [-e - RETURN / h * phi for e, phi in zip(off, self._positions, strict=True)]
        return [-e for e in eq.augmented.factors.unguarded.solve(right).entries[len(eq.u) :]]

    @property
    def limits(self) -> list[Expr]:
        """μ |N| of each friction, of impulses."""
        out = []
        for f, slip, is_static in zip(self._table.frictions, self._slips, self._static, strict=True):
            size = slip[0] if len(slip) == 1 else sqrt(slip[0] ** 2 + slip[1] ** 2)
            kinetic = f.law.coefficient(size)
            out.append((kinetic + is_static * (f.law.sticking - kinetic)) * abs(self._normal(f)))
        return out

    def _normal(self, f: Friction) -> Expr:
        """The impulse that presses the surfaces of a friction together."""
        table, h = self._table, self._h
        if (owner := table.owner.get(f.name)) is not None:
            return self._damped_impulses[[c.name for c in table.contacts].index(owner)]
        N = ZERO if f.normal is None else f.normal
        (given,) = substitute_all([N], dict.fromkeys(table.base.lam, ZERO))
        slopes = list(jacobian([N], table.base.lam).entries) if table.base.lam else []
        return h * given + (sum_of_products(slopes, self._reactions) if slopes else ZERO)

    @property
    def _reactions(self) -> list[Expr]:
        """Impulses of the constraints."""
        eq, h = self._table.base, self._h
        right = [h * f + g for f, g in zip(eq.augmented.f0.entries, self._pushed, strict=True)]
        right += [-h * c for c in eq.c.entries]
        return [-e for e in eq.augmented.factors.unguarded.solve(right).entries[len(eq.u) :]]


def symbols_of(name: str, count: int) -> tuple[Symbol, ...]:
    return tuple(symbol(f"{name}_{i + 1}", "variable") for i in range(count))
