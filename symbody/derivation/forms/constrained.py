"""Equations with additional constraints: those of a mechanism with closed contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, stack
from ...algebra.graph.walk import free_symbols, substitute_all
from ...bodies.mechanism.declarations import multiplier_of
from ...bodies.mechanism.mechanism import Constraint, Load
from ...errors import DerivationError, listed
from ..equations.equations import Equations


def with_constraints(eq: Equations, more: Mapping[str, Expr]) -> Equations:
    """Equations in which also every expression of `more` stays zero, with a multiplier `lam_name` for each.

    G = ∂phi/∂q N,   G u + b = 0,   G u' + c = 0,   M u' = f + Jcᵀ lam + Gᵀ lam_more

    An expression is one in coordinates, time and parameters. New rows stand after those of the other holonomic
    constraints.
    """
    if not more:
        return eq
    if eq.phi.entries and not eq.lam:
        raise DerivationError(
            f"{eq.name!r}: its constraints were eliminated, so that no others can be added; take the "
            "equations from before `minimal`"
        )
    phi = list(more.values())
    for name, e in more.items():
        if strange := [s for s in free_symbols(e) if s not in {*eq.q, *eq.p, eq.t}]:
            raise DerivationError(
                f"constraint {name!r} on {eq.name!r}: depends on {listed(strange)}; it may depend on "
                "coordinates, time and parameters"
            )
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    psi = [time_derivative(e, rates) for e in phi]
    b = substitute_all(psi, dict.fromkeys(eq.u, ZERO))
    c = [time_derivative(e, {**rates, **dict.fromkeys(eq.u, ZERO)}) for e in psi]
    k = len(eq.phi.entries)
    symbols = tuple(multiplier_of(name) for name in more)
    new = tuple(Constraint(name, e, True) for name, e in more.items())
    return replace(
        eq,
        mechanism=replace(eq.mechanism, constraints=(*eq.mechanism.constraints, *new)),
        phi=stack(eq.phi, _column(phi)),
        Jc=_with_rows_before(eq.Jc, k, jacobian(psi, eq.u)),
        b=_with_rows_before(eq.b, k, _column(b)),
        c=_with_rows_before(eq.c, k, _column(c)),
        lam=(*eq.lam[:k], *symbols, *eq.lam[k:]),
        border=eq.border and eq.border.with_rows(k, len(phi)),
    )


def constrained_speeds(eq: Equations, more: Mapping[str, Expr]) -> Equations:
    """Equations in which also every expression of `more` stays zero: nonholonomic constraints, linear in the speeds.

    G = ∂psi/∂u,   G u + b = 0,   G u' + c = 0,   M u' = f + Jcᵀ lam + Gᵀ lam_more
    """
    if not more:
        return eq
    psi = list(more.values())
    G = jacobian(psi, eq.u)
    if curved := [n for k, n in enumerate(more) if set(free_symbols(*G.row(k))) & set(eq.u)]:
        raise DerivationError(f"constraint {curved[0]!r} on {eq.name!r}: is not linear in the speeds")
    rates = {**dict(zip(eq.q, eq.rates.entries, strict=True)), **dict.fromkeys(eq.u, ZERO)}
    new = tuple(Constraint(name, e, False) for name, e in more.items())
    return replace(
        eq,
        mechanism=replace(eq.mechanism, constraints=(*eq.mechanism.constraints, *new)),
        Jc=stack(eq.Jc, G),
        b=stack(eq.b, _column(substitute_all(psi, dict.fromkeys(eq.u, ZERO)))),
        c=stack(eq.c, _column([time_derivative(e, rates) for e in psi])),
        lam=(*eq.lam, *(multiplier_of(name) for name in more)),
        border=eq.border and eq.border.with_rows(len(eq.lam), len(psi)),
    )


def with_load(eq: Equations, name: str, forces: Mapping[Symbol, Expr]) -> Equations:
    """The equations with one more load: generalised forces by speed, which may contain multipliers."""
    more = [forces.get(u, ZERO) for u in eq.u]
    rate_of = {e: q for q, e in zip(eq.q, eq.rates.entries, strict=True)}
    load = Load(name, "friction", on_rates={rate_of.get(u, u): e for u, e in forces.items()})
    return replace(
        eq,
        f=Matrix(len(more), 1, tuple(a + b for a, b in zip(eq.f.entries, more, strict=True))),
        mechanism=replace(eq.mechanism, loads=(*eq.mechanism.loads, load)) if eq.source is None else eq.mechanism,
    )


def force_of_row(name: str) -> Symbol:
    """The multiplier of a constraint that is added here, by its name."""
    return multiplier_of(name)


def _column(entries: list[Expr]) -> Matrix:
    return Matrix(len(entries), 1, tuple(entries))


def _with_rows_before(m: Matrix, k: int, more: Matrix) -> Matrix:
    """A matrix with rows put in before row k."""
    at = k * m.cols
    return Matrix(m.rows + more.rows, more.cols, (*m.entries[:at], *more.entries, *m.entries[at:]))
