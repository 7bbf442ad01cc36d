"""Speeds after an impact with friction as expressions in the state before it, from which its saltation matrix follows.

Once it is known which contacts push, and which frictions stick or slip in the impact, impulses are linear in the speeds:

    M Δu = Jcᵀ Λc + Gnᵀ (Λn + given) + Gtᵀ Λt,    Jc Δu = 0
    pushes   Gn Δu = -(1 + e) v                   does not   Λn = 0
    sticks   Gt Δu = -vt                          slips      Λt = -μ d N

Newton's law is one such phase; Poisson's is a compression with e = 0, and an expansion in which e times its impulses are
given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...algebra.graph.linear import solve
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import substitute_all
from ...emit.run.callable import Array
from ..complementarity.contact_problem import SLIPS, STICKS, ContactProblem
from .contact_modes import ModeTable
from .frictions import Friction
from .impacts import Contact

INSIDE: Final = 1e-7  # friction sticks where this fraction of its limit is left


@dataclass(frozen=True)
class ImpulsePhase:
    """Impulses of a phase of an impact: `given` by the phase before, and `found` beside them.

    returns   whether `given` is what restitution gives back of the phase before
    """

    problem: ContactProblem
    given: Array
    found: Array
    returns: bool = False


@dataclass(frozen=True)
class ImpactCase:
    """A phase without its numbers: contacts that push, those of them with restitution, and frictions that act: name,
    sticks or slips, sense of slip times sign of the normal force."""

    pushing: tuple[str, ...]
    bouncing: tuple[str, ...]
    frictions: tuple[tuple[str, str, int], ...]
    returns: bool = False


def impact_cases(
    phases: Sequence[ImpulsePhase], contacts: Sequence[str], frictions: Sequence[Friction], bouncing: Sequence[str]
) -> tuple[ImpactCase, ...] | None:
    """What happens in each phase; None if a friction slips in space, where impulses are not linear."""
    out = []
    for phase in phases:
        least = 1e-12 * float(np.abs(phase.found + phase.given).max(initial=0.0))
        pushing = [n for n, x in zip(contacts, phase.found[: len(contacts)], strict=True) if x > least]
        states: list[tuple[str, str, int]] = []
        problem = phase.problem
        after = problem.A @ phase.found + problem.b
        rounding = INSIDE * (np.abs(problem.A) @ np.abs(phase.found) + np.abs(problem.b))
        for f, cone in zip(frictions, problem.cones, strict=True):
            rows = list(cone.rows)
            force, N = phase.found[rows], cone.given + float(cone.share @ phase.found)
            if abs(N) <= least:
                continue
            is_held = cone.static > cone.kinetic and bool(np.all(np.abs(after[rows]) <= rounding[rows]))
            if is_held or np.linalg.norm(force) < cone.kinetic * abs(N) * (1 - INSIDE):
                states.append((f.name, STICKS, 0))
            elif not f.is_plane:
                return None
            else:
                states.append((f.name, SLIPS, int(-np.sign(force[0]) * np.sign(N))))
        back = () if phase.returns else tuple(n for n in bouncing if n in pushing)
        out.append(ImpactCase(tuple(pushing), back, tuple(states), phase.returns))
    return tuple(out)


class ImpactMap:
    """Speeds through the phases of an impact, on the graph."""

    def __init__(self, table: ModeTable) -> None:
        eq = self._eq = table.base
        rates = dict(zip(eq.q, eq.rates.entries, strict=True))
        self._table, self._contacts = table, {c.name: c for c in table.contacts}
        self._closing = {c.name: time_derivative(c.gap, rates) for c in table.contacts}
        self._frictions = {f.name: f for f in table.frictions}
        self._slip = {f.name: f.speeds(eq) for f in table.frictions}

    def through(self, cases: Sequence[ImpactCase]) -> dict[Symbol, Expr]:
        """Speeds after all phases by their symbols, in terms of the state before the first."""
        u: dict[Symbol, Expr] = {s: s for s in self._eq.u}
        pushed: dict[str, Expr] = {}
        for case in cases:
            given = {n: self._contacts[n].restitution * e for n, e in pushed.items()} if case.returns else {}
            u, pushed = self._phase(u, case, given)
        return u

    def _phase(
        self, u: Mapping[Symbol, Expr], case: ImpactCase, given: Mapping[str, Expr]
    ) -> tuple[dict[Symbol, Expr], dict[str, Expr]]:
        """Speeds after a phase, and impulses of its contacts."""
        eq, n = self._eq, len(self._eq.u)
        rows, right, places = self._rows_of(u, case)
        size = n + len(rows)
        momentum = [[-e for e in row] for row in rows]  # columns of the unknown impulses
        known: list[Expr] = [ZERO] * n
        for name, impulse in given.items():
            known = _row_sum(known, self._gradient([self._closing[name]])[0], impulse)
        for name, kind, sense in case.frictions:
            if kind == SLIPS:
                f = self._frictions[name]
                across, mu = self._gradient(self._slip[name])[0], sense * f.law.coefficient(self._slip[name][0])
                for k, share in self._pressing(f, places).items():
                    momentum[k] = _row_sum(momentum[k], across, mu * share)
                owner = self._table.owner.get(name, "")
                if owner in given:
                    known = _row_sum(known, across, -mu * given[owner])
        A = [[*eq.M.row(i), *(momentum[k][i] for k in range(len(rows)))] for i in range(n)]
        A += [[*row, *([ZERO] * len(rows))] for row in rows]
        x = solve(Matrix(size, size, tuple(e for row in A for e in row)), [*known, *right], "general")
        after = {s: u[s] + x[i] for i, s in enumerate(eq.u)}
        return after, {name: x[n + places[name]] for name in case.pushing}

    def _rows_of(
        self, u: Mapping[Symbol, Expr], case: ImpactCase
    ) -> tuple[list[list[Expr]], list[Expr], dict[str, int]]:
        """Rows of Δu, what they are to be, and the places of contacts and constraints among them."""
        eq = self._eq
        rows, right = [list(eq.Jc.row(i)) for i in range(len(eq.lam))], [ZERO] * len(eq.lam)
        places = {row.name: i for i, row in enumerate(eq.rows.speeds)}
        for name in case.pushing:
            contact: Contact = self._contacts[name]
            places[name] = len(rows)
            rows += self._gradient([self._closing[name]])
            (v,) = substitute_all([self._closing[name]], dict(u))
            right.append(-(ONE + contact.restitution) * v if name in case.bouncing else -v)
        for name, kind, _ in case.frictions:
            if kind == STICKS:
                rows += self._gradient(self._slip[name])
                right += [-v for v in substitute_all(self._slip[name], dict(u))]
        return rows, right, places

    def _pressing(self, f: Friction, places: Mapping[str, int]) -> dict[int, Expr]:
        """Shares of the unknown impulses in the normal impulse of a friction."""
        if (owner := self._table.owner.get(f.name)) is not None:
            return {places[owner]: ONE} if owner in places else {}
        eq, N = self._eq, self._table.normal(f)
        slopes = jacobian([N], eq.lam).entries if eq.lam else ()
        return {k: e for k, e in enumerate(slopes) if e is not ZERO}

    def _gradient(self, speeds: Sequence[Expr]) -> list[list[Expr]]:
        J = jacobian(list(speeds), self._eq.u)
        return [list(J.row(k)) for k in range(len(speeds))]


def _row_sum(to: Sequence[Expr], row: Sequence[Expr], factor: Expr) -> list[Expr]:
    return [a + factor * e for a, e in zip(to, row, strict=True)]
