"""Rates of the state on the graph: q', u', z', with the constraints on the level of accelerations in several ways."""

from __future__ import annotations

from ..algebra.derivatives import jacobian, sparsity
from ..algebra.graph import ZERO, Expr, Symbol
from ..algebra.linear import solve
from ..algebra.matrix import Matrix, stack, zeros
from ..algebra.walk import free_symbols, substitute
from ..derive.equations import Equations
from ..derive.forward_dynamics import ways_to_accelerations
from ..derive.saddle_point import SaddlePoint
from ..emit.program.lower import operations
from ..errors import SimulationError, listed


def rows(m: Matrix, chosen: tuple[int, ...]) -> Matrix:
    """Some rows of a matrix."""
    return Matrix(len(chosen), m.cols, tuple(e for i in chosen for e in m.row(i)))


def accelerations(eq: Equations, chosen: tuple[int, ...], c: Matrix | None = None) -> tuple[Matrix, Matrix]:
    """u' and the multipliers of the chosen rows. `c` stands for the rates of the constraints where something is to be added to them
    (Baumgarte)."""
    if not eq.u:
        return zeros(0), zeros(0)
    if not eq.lam:
        return min(ways_to_accelerations(eq), key=operations), zeros(0)
    c = eq.c if c is None else c
    x = saddle_point(eq, chosen).solve(stack(eq.f, -rows(c, chosen)))
    n = len(eq.u)
    return Matrix(n, 1, x.entries[:n]), Matrix(len(chosen), 1, tuple(-e for e in x.entries[n:]))


def saddle_point(eq: Equations, chosen: tuple[int, ...]) -> SaddlePoint:
    """Factors of [M Jcᵀ; Jc 0] with the chosen rows of Jc, which span those of all."""
    whole = eq.factors.unguarded
    if chosen == tuple(range(len(eq.lam))):
        return whole
    return SaddlePoint(eq.M, rows(eq.Jc, chosen), whole.elimination)


def completed(eq: Equations, S: Matrix, chosen: tuple[int, ...]) -> Matrix:
    """S of some rows of the constraints, regular also where they depend on each other: all of them, or all that are holonomic."""
    k, border = len(eq.phi.entries), eq.border
    if border is None or chosen not in (tuple(range(k)), tuple(range(len(eq.lam)))):
        return S
    if len(chosen) < len(eq.lam):
        border = border.positions
    return S if border is None else border.filled(S)


def inertia(eq: Equations) -> Matrix:
    """M where it is definite, else M + Jcᵀ Jc: some coordinates may have no inertia but what constraints give them."""
    return eq.factors.metric


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
    filled = sparsity(A)
    if len(filled) == A.rows == len({i for i, _ in filled}) == len({j for _, j in filled}):  # one rate in each equation
        found = {j: -rest[i] / A[i, j] for i, j in filled}
        return Matrix(A.rows, 1, tuple(found[j] for j in range(A.rows)))
    return solve(A, -rest)


def is_explicit(eq: Equations) -> bool:
    """Whether z' can be had without iteration."""
    rates = {z.dot for z in eq.z}
    return not algebraic_variables(eq) and not set(free_symbols(jacobian(eq.h, list(rates)))) & rates if eq.z else True


def norm_residuals(eq: Equations) -> list[Expr]:
    """eᵀe - 1 for every set of Euler parameters."""
    return [row.expression for row in eq.norm_rows]
