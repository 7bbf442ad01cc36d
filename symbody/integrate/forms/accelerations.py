"""Rates of the state on the graph: q', u', z', with the constraints on the level of accelerations in several ways."""

from __future__ import annotations

from ...algebra.graph.graph import Expr
from ...algebra.graph.matrix import Matrix, stack, zeros
from ...derivation.equations.equations import Equations
from ...derivation.programs.constraint_schedules import ConstraintSweeps
from ...derivation.programs.constraint_sweeps import constraint_sweeps
from ...derivation.programs.forward_dynamics import ways_to_accelerations
from ...derivation.rank.saddle_point import SaddlePoint
from ...emit.lowering.lower import operations


def rows(m: Matrix, chosen: tuple[int, ...]) -> Matrix:
    """Some rows of a matrix."""
    return Matrix(len(chosen), m.cols, tuple(e for i in chosen for e in m.row(i)))


def accelerations(eq: Equations, chosen: tuple[int, ...], c: Matrix | None = None) -> tuple[Matrix, Matrix]:
    """u' and the multipliers of the chosen rows. `c` stands for the rates of the constraints where something is to be
    added to them (Baumgarte)."""
    if not eq.u:
        return zeros(0), zeros(0)
    if not eq.lam:
        return min(ways_to_accelerations(eq), key=operations), zeros(0)
    if c is None and (loops := sweeps_of(eq, chosen)) is not None:
        return loops.accelerations(is_guarded=False)
    c = eq.c if c is None else c
    x = saddle_point(eq, chosen).solve(stack(eq.augmented.f0, -rows(c, chosen)))
    n = len(eq.u)
    return Matrix(n, 1, x.entries[:n]), Matrix(len(chosen), 1, tuple(-e for e in x.entries[n:]))


def sweeps_of(eq: Equations, chosen: tuple[int, ...]) -> ConstraintSweeps | None:
    """The loops of equations with many equal parts, for all rows; None of other equations."""
    return constraint_sweeps(eq) if len(chosen) == len(eq.lam) else None


def all_accelerations(eq: Equations, chosen: tuple[int, ...], c: Matrix | None = None) -> list[Matrix]:
    """u' in every way of solving that is known, the one with fewest operations first."""
    if not eq.u or eq.lam:
        return [accelerations(eq, chosen, c)[0]]
    return sorted(ways_to_accelerations(eq), key=operations)


def saddle_point(eq: Equations, chosen: tuple[int, ...]) -> SaddlePoint:
    """Factors of [M Hᵀ; Jc 0] with the chosen rows of Jc, which span those of all."""
    whole = eq.augmented.factors.unguarded
    if chosen == tuple(range(len(eq.lam))):
        return whole
    pushes = None if whole.pushes is None else rows(whole.pushes, chosen)
    return SaddlePoint(eq.M, rows(eq.Jc, chosen), whole.elimination, pushes=pushes)


def regularized_complement(eq: Equations, S: Matrix, chosen: tuple[int, ...]) -> Matrix:
    """S of some rows of the constraints, regular also where they depend on each other: all of them, or all that are
    holonomic."""
    k, border = len(eq.phi.entries), eq.border
    if border is None or chosen not in (tuple(range(k)), tuple(range(len(eq.lam)))):
        return S
    if len(chosen) < len(eq.lam):
        border = border.positions
    return S if border is None else border.filled(S)


def inertia(eq: Equations) -> Matrix:
    """M where it is definite, else M + Jcᵀ Jc: some coordinates may have no inertia but what constraints give them."""
    return eq.augmented.factors.metric


def baumgarte_terms(eq: Equations, alpha: float, beta: float) -> Matrix:
    """c + 2 α (Jc u + b) + β² phi (Baumgarte 1972); rows of nonholonomic constraints get α (Jc u + b)."""
    speeds = eq.Jc @ Matrix(len(eq.u), 1, eq.u) + eq.b
    out = []
    for i, (c, psi) in enumerate(zip(eq.c.entries, speeds.entries, strict=True)):
        is_holonomic = i < len(eq.phi.entries)
        out.append(c + 2 * alpha * psi + beta**2 * eq.phi.entries[i] if is_holonomic else c + alpha * psi)
    return Matrix(len(out), 1, tuple(out))


def norm_residuals(eq: Equations) -> list[Expr]:
    """eᵀe - 1 for every set of Euler parameters."""
    return [row.expression for row in eq.rows.norms]
