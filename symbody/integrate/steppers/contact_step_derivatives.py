"""Derivatives of a Moreau-Jean step at its midpoint with its impulses held, as programs on the graph.

    u⁺ = u + [M Hᵀ; Jc 0]⁻¹ (h f0 + Gᵀ Λ;  -(Jc u + b) - r/h phi),     v = G u⁺ + g_t + e min(v⁻, 0),     μ N

with Λ the impulses x of the rows and those of viscous friction (`moreau_step.py`): one right side, whatever the number
of rows, so that the derivatives cost as much as those of the accelerations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.functions import minimum, sqrt
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import substitute_all
from ...derivation.equations.additional_rates import variable_rates
from ...derivation.equations.own_terms import in_own_terms
from ...emit.run.callable import Compiled
from ..contact.contact_modes import ModeTable
from ..contact.frictions import Friction
from ..time_stepping.moreau_impulses import RETURN
from ..time_stepping.moreau_programs import compiled_program, contact_key


@dataclass(frozen=True)
class DerivativePrograms:
    """Programs of the derivatives of q', and of everything at the midpoint, with respect to the state and some
    parameters and inputs."""

    rates: Compiled | None
    point: Compiled | None


NO_DERIVATIVES: Final = DerivativePrograms(None, None)


def step_derivatives(table: ModeTable, wrt: tuple[Symbol, ...]) -> DerivativePrograms:
    """Those of steps with contacts and frictions, compiled once."""
    return table.base.cached(
        "slopes of time stepping", (contact_key(table), wrt), lambda: _compiled_derivatives(table, wrt)
    )


def _compiled_derivatives(table: ModeTable, wrt: tuple[Symbol, ...]) -> DerivativePrograms:
    eq = table.base
    theta = (*eq.state, *wrt)
    rates = compiled_program(eq, "slopes_of_rates", {"q": _jacobian_entries(eq.rates.entries, theta)}) if eq.q else None
    midpoint = Midpoint(table)
    outputs = {
        "U": midpoint.speeds,
        "V": midpoint.row_speeds,
        "limit": midpoint.limits,
        "z": variable_rates(eq).entries if eq.z else (),
    }
    point = compiled_program(
        eq, "slopes_of_step", {name: _jacobian_entries(rows, theta) for name, rows in outputs.items()}, midpoint.given
    )
    return DerivativePrograms(rates, point)


def _jacobian_entries(rows: Sequence[Expr], theta: tuple[Symbol, ...]) -> list[Expr]:
    return list(jacobian(list(rows), theta).entries) if rows else [ZERO]


class Midpoint:
    """The step of some contacts and frictions as expressions in the midpoint and the impulses."""

    def __init__(self, table: ModeTable) -> None:
        eq, self._table = table.base, table
        h = self._h = symbol("step_length", "variable")
        rates = dict(zip(eq.q, eq.rates.entries, strict=True))
        self._approach = [time_derivative(c.gap, rates) for c in table.contacts]
        self._slips = [f.speeds(eq) for f in table.frictions]
        flat = [v for of_one in self._slips for v in of_one]
        self._now = [*self._approach, *flat]
        self._G = jacobian(self._now, eq.u)
        count = len(self._now)
        self._x, self._part = _symbols("impulse", count), _symbols("takes_part", count)
        self._static = _symbols("is_static", len(table.frictions))
        damped = [f.law.damping for f, of_one in zip(table.frictions, self._slips, strict=True) for _ in of_one]
        damping = [ZERO] * len(self._approach) + damped
        self._impulses = [
            x - part * (h * c * v) for x, part, c, v in zip(self._x, self._part, damping, self._now, strict=True)
        ]

    @property
    def given(self) -> dict[str, Any]:
        """Groups of inputs of its programs."""
        spare = [symbol("no_impulse", "variable")]
        return {
            "h": self._h,
            "impulses": list(self._x),
            "part": list(self._part),
            "static": list(self._static) or spare,
        }

    @property
    def speeds(self) -> list[Expr]:
        """u⁺."""
        eq, h = self._table.base, self._h
        n, k = len(eq.u), len(eq.lam)
        pushed = (self._G.T @ Matrix(len(self._impulses), 1, tuple(self._impulses))).entries
        right = [h * f + g for f, g in zip(eq.augmented.f0.entries, pushed, strict=True)]
        if k:
            off = (eq.Jc @ Matrix(n, 1, eq.u) + eq.b).entries
            position = (*eq.phi.entries, *[ZERO] * (k - len(eq.phi.entries)))
            right += [-e - RETURN / h * phi for e, phi in zip(off, position, strict=True)]
        change = eq.augmented.factors.unguarded.solve(right).entries[:n]
        return [u + e for u, e in zip(eq.u, change, strict=True)]

    @property
    def row_speeds(self) -> list[Expr]:
        """v of each row: the speed after the step, of a contact with e times that before."""
        eq, contacts = self._table.base, self._table.contacts
        change = [new - u for new, u in zip(self.speeds, eq.u, strict=True)]
        v = [now + sum_of_products(self._G.row(i), change) for i, now in enumerate(self._now)]
        e = in_own_terms(eq, [c.restitution for c in contacts], solved=True)
        for i, now in enumerate(self._approach):
            v[i] = v[i] + e[i] * minimum(now, 0)
        return v

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
            return self._impulses[[c.name for c in table.contacts].index(owner)]
        N = ZERO if f.normal is None else f.normal
        (given,) = substitute_all([N], dict.fromkeys(table.base.lam, ZERO))
        slopes = list(jacobian([N], table.base.lam).entries) if table.base.lam else []
        return h * given + (sum_of_products(slopes, self._reactions) if slopes else ZERO)

    @property
    def _reactions(self) -> list[Expr]:
        """Impulses of the constraints."""
        eq, h = self._table.base, self._h
        pushed = (self._G.T @ Matrix(len(self._impulses), 1, tuple(self._impulses))).entries
        right = [h * f + g for f, g in zip(eq.augmented.f0.entries, pushed, strict=True)] + [
            -h * c for c in eq.c.entries
        ]
        return [-e for e in eq.augmented.factors.unguarded.solve(right).entries[len(eq.u) :]]


def _symbols(name: str, count: int) -> tuple[Symbol, ...]:
    return tuple(symbol(f"{name}_{i + 1}", "variable") for i in range(count))
