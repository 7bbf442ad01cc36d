"""Inertia written by the user in addition to that of bodies: kinetic energies K(q, q', t), and balances M u' - f of
speeds.

kinetic energy   M = Nᵀ ∂p/∂q' N,   f = Nᵀ (∂K/∂q - p'),   p = ∂K/∂q'     energy q' · p - K (Jacobi): K where it is
                 quadratic in q'
balance          M = ∂/∂u',         f = the rest                         energy ½ u · M u
"""

from __future__ import annotations

from functools import cached_property
from random import Random
from typing import Final, cast

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import HALF, ZERO, Expr
from ...algebra.graph.matrix import Matrix, sum_of_products, zeros
from ...algebra.graph.walk import free_symbols, substitute_all
from ...bodies.mechanism.mechanism import Mechanism
from ...errors import DerivationError, EvaluationError, listed
from ..kinematics.kinematics import Kinematics
from .lagrange import EnergyTerms, symmetric_from_upper

SYMMETRY_TOLERANCE: Final = 1e-9  # largest difference of mirrored entries relative to the size of the matrix
BALANCES: Final = "balances written down"
"""The name of what balances do, among the powers of loads."""


class WrittenMotion:
    """Inertia, forces, energy and power of all energies and balances written by the user."""

    def __init__(self, mechanism: Mechanism, kinematics: Kinematics) -> None:
        self.mechanism, self.kinematics = mechanism, kinematics
        self._terms = {n: EnergyTerms(K, mechanism, kinematics) for n, K in mechanism.kinetic.items()}

    # ------------------------------------------------------------------------------------------------ M and f

    @cached_property
    def M(self) -> Matrix:  # noqa: N802  (notation)
        M, _ = self._balances
        for terms in self._terms.values():
            M = M + symmetric_from_upper(self._N.T @ (terms.inertia @ self._N))
        return M

    @cached_property
    def f(self) -> Matrix:
        _, f = self._balances
        for terms in self._terms.values():
            f = f + self._N.T @ terms.forces
        return f

    @cached_property
    def forces(self) -> list[Expr]:
        """M u' - f for u' as symbols."""
        dots = [u.dot for u in self.kinematics.u]
        return [sum_of_products(self.M.row(i), dots) - f for i, f in enumerate(self.f.entries)]

    @cached_property
    def _N(self) -> Matrix:  # noqa: N802  (notation)
        return jacobian([self.mechanism.rates[x] for x in self.mechanism.q], self.kinematics.u)

    @cached_property
    def _balances(self) -> tuple[Matrix, Matrix]:
        u = self.kinematics.u
        n, m = len(u), self.mechanism
        if not m.balances:
            return zeros(n, n), zeros(n)
        dots = [u_.dot for u_ in u]
        second = {q.dot.dot: self.kinematics.rate(r) for q, r in m.rates.items() if r is not q.dot}
        written = self.kinematics.in_speeds(substitute_all(list(m.balances.values()), second))
        B = dict(zip(m.balances, written, strict=True))
        rows = [B.get(s, ZERO) for s in u]
        M = jacobian(rows, dots)
        if nonlinear := [s for s in free_symbols(M) if s in dots]:
            raise DerivationError(f"balances of {m.name!r}: are not linear in {listed(nonlinear)}")
        still = substitute_all(rows, dict.fromkeys(dots, ZERO))
        return _symmetric(M, m), Matrix(n, 1, tuple(-e for e in still))

    # ------------------------------------------------------------------------------------------------ energy and power

    @cached_property
    def kinetic_energy(self) -> Expr:
        """Σ q' · p - K + ½ u · M u, in speeds."""
        total = self._energy_of_balances
        for name, terms in self._terms.items():
            total = total + self._jacobi(self.mechanism.kinetic[name], terms.momenta)
        return total

    def _jacobi(self, K: Expr, momenta: Matrix) -> Expr:
        dots = [q.dot for q in self.mechanism.q]
        is_quadratic = not set(dots) & set(free_symbols(jacobian(momenta, dots)))
        still, *pushed = substitute_all([K, *momenta.entries], dict.fromkeys(dots, ZERO))
        if is_quadratic and still is ZERO and all(p is ZERO for p in pushed):
            return cast(Expr, self.kinematics.in_speeds([K])[0])
        return cast(Expr, self.kinematics.in_speeds([sum_of_products(dots, momenta.entries) - K])[0])

    @cached_property
    def _energy_of_balances(self) -> Expr:
        M, _ = self._balances
        return HALF * sum_of_products(self.kinematics.u, (M @ list(self.kinematics.u)).entries)

    @cached_property
    def momenta(self) -> Matrix:
        """Nᵀ ∂K/∂q' + M u, one for each speed."""
        M, _ = self._balances
        total = M @ Matrix(len(self.kinematics.u), 1, self.kinematics.u)
        for terms in self._terms.values():
            (p,) = self.kinematics.in_speeds([terms.momenta])
            total = total + self._N.T @ p
        return total

    @cached_property
    def power_of_balances(self) -> Expr:
        """u · f + ½ u · M' u: the rate of ½ u · M u apart from loads and constraints."""
        M, f = self._balances
        u = self.kinematics.u
        rate = self.kinematics.rate(M) @ list(u)
        return sum_of_products(u, f.entries) + HALF * sum_of_products(u, rate.entries)

    @cached_property
    def power_of_time(self) -> Expr:
        """n · (p' - ∂K/∂q) - ∂K/∂t: what kinetic energies that depend on time explicitly, and prescribed rates q' = N u
        + n, feed in."""
        m, k = self.mechanism, self.kinematics
        n = substitute_all([m.rates[q] for q in m.q], dict.fromkeys(k.u, ZERO))
        still = {s: ZERO for q in m.q for s in (q, q.dot)}
        total = ZERO
        for name, terms in self._terms.items():
            (fed,) = k.in_speeds([time_derivative(m.kinetic[name], still)])
            total = total - fed
            if any(e is not ZERO for e in n):
                inertial = terms.inertia @ (self._N @ [u.dot for u in k.u]) - terms.forces
                total = total + sum_of_products(n, inertial.entries)
        return total


def _symmetric(M: Matrix, mechanism: Mechanism) -> Matrix:
    """The upper triangle mirrored, where both agree: entry by entry on the graph, or in value at random numbers."""
    pairs = [(i, j) for i in range(M.rows) for j in range(i) if M[i, j] is not M[j, i]]
    if pairs and (where := _different(M, pairs, mechanism)):
        i, j = where
        u = [s.name for s in mechanism.u]
        raise DerivationError(
            f"balances of {mechanism.name!r}: the inertia is not symmetric: {u[j]}_dot in the balance of {u[i]} has another coefficient than "
            f"{u[i]}_dot in that of {u[j]}. Write each balance for the speed on which its forces do work, or write equations that are not "
            "balances as first-order equations of variables (m.variable, m.equation)"
        )
    return symmetric_from_upper(M)


def _different(M: Matrix, pairs: list[tuple[int, int]], mechanism: Mechanism) -> tuple[int, int] | None:
    """The first pair of entries whose values differ."""
    for seed in range(1, 6):
        draw = Random(seed)
        at = {s: draw.uniform(0.3, 0.9) for s in sorted(free_symbols(M), key=lambda s: s.name)}
        at |= {s: v for s, v in mechanism.values.items() if s in at}
        try:
            found = evaluate(list(M.entries), at)
        except EvaluationError:
            continue
        size = max(map(abs, found))
        return next(
            (
                (i, j)
                for i, j in pairs
                if abs(found[i * M.rows + j] - found[j * M.rows + i]) > SYMMETRY_TOLERANCE * size
            ),
            None,
        )
    return pairs[0]
