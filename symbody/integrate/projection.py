"""Back to the constraints: projection onto Euler parameters of norm one, phi = 0, Jc u + b = 0 and invariants.

Tuomela, Arponen, Normi (Algorithms 5.3 to 5.5) project positions first, then speeds, which is linear, then onto the invariants, and
again until all hold. A correction is the shortest one in a metric W of the speeds:

    δu = -W⁻¹ Jcᵀ (Jc W⁻¹ Jcᵀ)⁻¹ (Jc u + b)          W = M, or the unit matrix

and that of positions likewise, as N times such a displacement. In the metric of M, kinetic energy changes least and units do not matter.
Each correction is a program on the graph; `settle` is the loop around them.
"""

from __future__ import annotations

from typing import Final

from ..algebra.derivatives import jacobian
from ..algebra.functions import maximum, sqrt, where
from ..algebra.graph import ONE, ZERO, Expr, Symbol
from ..algebra.linear import factorize, solve
from ..algebra.matrix import Matrix, stack
from ..algebra.walk import free_symbols, substitute_all
from ..derive.equations import Equations
from ..emit.llvm_loops import Function, Numbers
from .accelerations import norm_residuals, rows

ENOUGH: Final = 1e-13  # a violation that counts as none
QUADRATIC: Final = 1e-7  # after a correction of such a violation nothing is left: Newton's method squares it
MOST: Final = 25  # corrections
MOST_ALTERNATING: Final = 400  # where constraints and invariants disturb each other


# ---------------------------------------------------------------------------------------------------------- corrections, on the graph


def largest(entries: list[Expr]) -> Expr:
    """max |e|."""
    out: Expr = ZERO
    for e in entries:
        out = maximum(out, abs(e))
    return out


def new_positions(eq: Equations, chosen: tuple[int, ...], metric: str) -> tuple[Matrix, Expr]:
    """q after normalisation of Euler parameters and one correction, and the violation before it."""
    q = Matrix(len(eq.q), 1, eq.q)
    holonomic = tuple(i for i in chosen if i < len(eq.phi.entries)) if eq.lam else tuple(range(len(eq.phi.entries)))
    phi = rows(eq.phi, holonomic)
    if not holonomic:
        return _normalized(eq, q), largest(norm_residuals(eq))
    corrected, worst = q - _displacement(eq, holonomic, phi, metric), largest(list(phi.entries))
    if eq.mechanism.norms:  # lengths other than one change phi as much as anything else: they go first
        unit = dict(zip(eq.q, _normalized(eq, q).entries, strict=True))
        corrected, worst = substitute_all([corrected, worst], unit)
        worst = maximum(worst, largest(norm_residuals(eq)))
    return _normalized(eq, corrected), worst


def _displacement(eq: Equations, holonomic: tuple[int, ...], phi: Matrix, metric: str) -> Matrix:
    if metric == "mass" and eq.lam:
        J = rows(eq.Jc, holonomic)
        pushed = factorize(eq.M, "definite").solve(J.T)
        return eq.N @ (pushed @ solve(J @ pushed, phi, "definite"))
    conditions = [*phi.entries, *norm_residuals(eq)]
    slopes = jacobian(conditions, eq.q)
    return slopes.T @ solve(slopes @ slopes.T, conditions, "definite")


def _normalized(eq: Equations, q: Matrix) -> Matrix:
    """θ / |θ| for every set θ of Euler parameters (Algorithm 5.3)."""
    at = {s: i for i, s in enumerate(eq.q)}
    entries = list(q.entries)
    for group in eq.mechanism.norms:
        places = [at[e] for e in group]
        length = sqrt(sum((entries[i] * entries[i] for i in places[1:]), entries[places[0]] * entries[places[0]]))
        for i in places:
            entries[i] = entries[i] / length
    return Matrix(len(entries), 1, tuple(entries))


def new_speeds(eq: Equations, chosen: tuple[int, ...], metric: str) -> tuple[Matrix, Expr]:
    """u on the constraints, and the violation before."""
    u = Matrix(len(eq.u), 1, eq.u)
    J, b = rows(eq.Jc, chosen), rows(eq.b, chosen)
    psi = J @ u + b
    pushed = factorize(eq.M, "definite").solve(J.T) if metric == "mass" else J.T
    return u - pushed @ solve(J @ pushed, psi, "definite"), largest(list(psi.entries))


def new_on_invariants(
    eq: Equations,
    y: tuple[Symbol, ...],
    chosen: tuple[int, ...],
    invariants: list[Expr],
    scales: list[Expr],
    metric: str,
) -> tuple[Matrix, Expr]:
    """State after one correction towards the invariants, and the violation before, in units of their scales.

    In the metric of M speeds are changed along the constraints (for the energy: all in proportion), so that nothing else is
    disturbed; in the unit metric the whole state is, as in equation (5.5).
    """
    state = Matrix(len(y), 1, y)
    inv = Matrix(len(invariants), 1, tuple(invariants))
    if metric == "mass" and set(eq.u) & set(free_symbols(inv)):
        slopes = jacobian(inv, eq.u)
        factors = factorize(eq.M, "definite")
        along = factors.solve(slopes.T)
        if chosen:
            J = rows(eq.Jc, chosen)
            pushed = factors.solve(J.T)
            along = along - pushed @ factorize(J @ pushed, "definite").solve(J @ along)
        before = len(eq.q)
        full = [[ZERO] * inv.rows for _ in range(before)]
        full += [list(along.row(i)) for i in range(along.rows)]
        full += [[ZERO] * inv.rows for _ in range(len(y) - before - len(eq.u))]
        directions = Matrix(len(y), inv.rows, tuple(e for row in full for e in row))
        gain = slopes @ along
    else:
        slopes = jacobian(inv, list(y))
        directions, gain = slopes.T, slopes @ slopes.T
    # Where the invariants do not depend on the state (the energy at rest) there is no way to go, and none is needed.
    for i in range(gain.rows):
        gain = _with_entry(gain, i, where(gain[i, i] > 1e-12, gain[i, i], ONE))
    step = directions @ solve(gain, inv, "definite")
    return state - step, largest([e / scale for e, scale in zip(inv.entries, scales, strict=True)])


def _with_entry(m: Matrix, i: int, value: Expr) -> Matrix:
    entries = list(m.entries)
    entries[i * m.cols + i] = value
    return Matrix(m.rows, m.cols, tuple(entries))


def orthogonal_step(
    eq: Equations,
    y: tuple[Symbol, ...],
    chosen: tuple[int, ...],
    invariants: list[Expr],
    near: tuple[Symbol, ...],
    mu: tuple[Symbol, ...],
) -> tuple[Matrix, Expr, Expr]:
    """One Newton step of the orthogonal projection of a state a onto everything at once (Tuomela, Arponen, Normi, equation 5.2).

        y + (∂c/∂y)ᵀ μ - a = 0,   c(y) = 0,   c = (phi, Jc u + b, eᵀe - 1, invariants)

    Returns the new (y, μ), the violation |c| and the length of the step; second derivatives of the constraints are exact.
    """
    c = conditions(eq, chosen, invariants)
    slopes = jacobian(c, list(y))
    state, multipliers = Matrix(len(y), 1, y), Matrix(len(mu), 1, mu)
    residual = stack(state + slopes.T @ multipliers - Matrix(len(near), 1, near), c)
    unknowns = [*y, *mu]
    step = solve(jacobian(residual, unknowns), residual)
    return stack(state, multipliers) - step, largest(list(c.entries)), largest(list(step.entries[: len(y)]))


def conditions(eq: Equations, chosen: tuple[int, ...], invariants: list[Expr]) -> Matrix:
    """All that a state has to meet."""
    holonomic = tuple(i for i in chosen if i < len(eq.phi.entries)) if eq.lam else tuple(range(len(eq.phi.entries)))
    entries = [*rows(eq.phi, holonomic).entries]
    if chosen:
        entries += (rows(eq.Jc, chosen) @ Matrix(len(eq.u), 1, eq.u) + rows(eq.b, chosen)).entries
    entries += [*norm_residuals(eq), *invariants]
    return Matrix(len(entries), 1, tuple(entries))


# ---------------------------------------------------------------------------------------------------------- the loop


def settle(
    t: float, y: Numbers, out: Numbers, note: Numbers, n: int, n_q: int, n_u: int, has_positions: int, has_speeds: int,
    has_invariants: int, is_alone: int, most: int, tolerance: float, slack: float, positions: Function, speeds: Function,
    invariants: Function, violation: Numbers, w: Numbers,
) -> None:  # fmt: skip
    """Algorithms 5.3 to 5.5. `note` gets the number of corrections, or -1 where they do not end.

    is_alone   whether corrections towards the invariants leave the constraints as they are
    """
    for i in range(n):
        out[i] = y[i]
    count: int = 0
    note[0] = -1.0
    for turn in range(most):
        if has_positions == 1:
            worst = 0.0
            for _ in range(MOST):
                positions((t, out), (w, violation))
                worst = violation[0]
                if not worst <= 1e300:
                    return
                if worst <= tolerance:
                    break
                for i in range(n_q):
                    out[i] = w[i]
                count = count + 1
                if worst <= QUADRATIC:
                    break
            if worst > QUADRATIC:
                return
        if has_speeds == 1:
            speeds((t, out), (w, violation))
            if not violation[0] <= 1e300:
                return
            if violation[0] > tolerance:
                for i in range(n_u):
                    out[n_q + i] = w[i]
                count = count + 1
        if has_invariants == 0:
            break
        invariants((t, out), (w, violation))
        if not violation[0] <= 1e300:
            return
        if violation[0] <= slack:  # the constraints hold: they have just been seen to
            break
        for i in range(n):
            out[i] = w[i]
        count = count + 1
        if violation[0] <= QUADRATIC and is_alone == 1:
            break
        if turn == most - 1:
            return
    note[0] = float(count)


def settle_orthogonally(
    t: float, y: Numbers, out: Numbers, note: Numbers, n: int, m: int, tolerance: float, newton: Function, violation: Numbers,
    x: Numbers, w: Numbers,
) -> None:  # fmt: skip
    """Newton's method for the orthogonal projection of y onto everything at once."""
    for i in range(n):
        x[i] = y[i]
        out[i] = y[i]
    for i in range(m):
        x[n + i] = 0.0
    for k in range(MOST):
        newton((t, x, y), (w, violation))
        if not violation[0] <= 1e300:
            note[0] = -1.0
            return
        if violation[0] <= tolerance and (k > 0 or violation[0] == 0.0):
            note[0] = float(k)
            return
        for i in range(n + m):
            x[i] = w[i]
        for i in range(n):
            out[i] = w[i]
        if violation[0] <= QUADRATIC and violation[1] <= QUADRATIC:
            note[0] = float(k + 1)
            return
    note[0] = -1.0
