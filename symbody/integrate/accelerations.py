"""Rates of the state on the graph: q', u', z', with the constraints on the level of accelerations in several ways."""

from __future__ import annotations

from ..algebra.derivatives import jacobian
from ..algebra.graph import ZERO, Expr, Symbol
from ..algebra.linear import factorize, solve
from ..algebra.matrix import Matrix, zeros
from ..algebra.walk import free_symbols, substitute
from ..derive.equations import Equations
from ..errors import SimulationError, listed


def rows(m: Matrix, chosen: tuple[int, ...]) -> Matrix:
    """Some rows of a matrix."""
    return Matrix(len(chosen), m.cols, tuple(e for i in chosen for e in m.row(i)))


def schur_accelerations(eq: Equations, chosen: tuple[int, ...], c: Matrix | None = None) -> tuple[Matrix, Matrix]:
    """u' and the multipliers of the chosen rows, by the Schur complement of M (Tuomela, Arponen, Normi, Algorithm 5.1).

        S lam = -(c + Jc M⁻¹ f),   S = Jc M⁻¹ Jcᵀ,   u' = M⁻¹ (f + Jcᵀ lam)

    M and S are definite, so that both are eliminated without looking for pivots, and their zeros are used. `c` stands for the rates
    of the constraints where something is to be added to them (Baumgarte).
    """
    factors = factorize(eq.M, "definite")
    free = factors.solve(eq.f)
    if not chosen:
        return free, zeros(0)
    Jc, c = rows(eq.Jc, chosen), rows(eq.c if c is None else c, chosen)
    pushed = factors.solve(Jc.T)
    lam = solve(Jc @ pushed, -(c + Jc @ free), "definite")
    return free + pushed @ lam, lam


def stabilized(eq: Equations, alpha: float, beta: float) -> Matrix:
    """c + 2 α (Jc u + b) + β² phi (Baumgarte 1972); rows of nonholonomic constraints get α (Jc u + b)."""
    speeds = eq.Jc @ Matrix(len(eq.u), 1, eq.u) + eq.b
    out = []
    for i, (c, psi) in enumerate(zip(eq.c.entries, speeds.entries, strict=True)):
        is_holonomic = i < len(eq.phi.entries)
        out.append(c + 2 * alpha * psi + beta**2 * eq.phi.entries[i] if is_holonomic else c + alpha * psi)
    return Matrix(len(out), 1, tuple(out))


def algebraic_variables(eq: Equations) -> tuple[Symbol, ...]:
    """Additional variables whose rate stands nowhere."""
    used = set(free_symbols(eq.h))
    return tuple(z for z in eq.z if z.dot not in used)


def variable_rates(eq: Equations) -> Matrix:
    """z' from h = 0, where h is linear in z' and all of z' follows from it."""
    if not eq.z:
        return zeros(0)
    rates = [z.dot for z in eq.z]
    A = jacobian(eq.h, rates)
    if algebraic_variables(eq) or set(free_symbols(A)) & set(rates):
        raise SimulationError(
            f"{eq.name!r}: the rates of {listed(eq.z)} do not follow from the additional equations by themselves; "
            "use an implicit method, as method='radau'"
        )
    rest = substitute(eq.h, dict.fromkeys(rates, ZERO))
    return solve(A, -rest)


def is_explicit(eq: Equations) -> bool:
    """Whether z' can be had without iteration."""
    rates = {z.dot for z in eq.z}
    return not algebraic_variables(eq) and not set(free_symbols(jacobian(eq.h, list(rates)))) & rates if eq.z else True


def norm_residuals(eq: Equations) -> list[Expr]:
    """eᵀe - 1 for every set of Euler parameters."""
    return [sum((x * x for x in e[1:]), e[0] * e[0]) - 1 for e in eq.mechanism.norms]
