"""Back to the constraints: projection onto Euler parameters of norm one, phi = 0, Jc u + b = 0 and invariants.

Tuomela, Arponen, Normi (Algorithms 5.3 to 5.5) project positions first, then speeds, which is linear, then onto the
invariants, and again until all hold. A correction is the shortest one in a metric W of the speeds:

    δu = -W⁻¹ Jcᵀ (Jc W⁻¹ Jcᵀ)⁻¹ (Jc u + b)          W = M, or the unit matrix

and that of positions likewise, as N times such a displacement. In the metric of M, kinetic energy changes least and
units do not matter. Each correction is a program on the graph; `settle` is the loop around them.

What differs from the paper: angular velocities are speeds here, so that rates of Euler parameters need no correction
(the second line of Algorithm 5.3); states are projected at the ends of steps only, unless projection of stages is
requested, which costs a third and is as accurate; corrections towards invariants go along the constraints
(`new_on_invariants`); constraints may depend on time and be nonholonomic.
"""

from __future__ import annotations

from typing import Final

from ...algebra.calculus.derivatives import directional_derivative, jacobian
from ...algebra.graph.functions import maximum, sqrt, where
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...algebra.graph.linear import factorize, solve
from ...algebra.graph.matrix import Matrix, stack
from ...algebra.graph.walk import free_symbols, substitute_all
from ...derivation.equations.equations import Equations
from ...emit.loops.kernel_language import Function, Known, Numbers
from ...emit.loops.records import Struct
from .accelerations import inertia, norm_residuals, regularized_complement, rows, sweeps_of

SATISFIED: Final = 1e-13  # constraint violations below this count as zero
QUADRATIC_REGION: Final = 1e-7  # a correction of such a violation is the last: Newton's method squares the error
ROUNDING_LEVEL: Final = 1e-15  # violations below this are rounding: no correction reduces them
INVARIANTS_KEPT: Final = 1e-12  # the same for invariants, in units of their scales
MAX_CORRECTIONS: Final = 25  # of Newton's method


# -------------------------------------------------------------------------------------------- corrections, on the graph


def largest(entries: list[Expr]) -> Expr:
    """max |e|."""
    out: Expr = ZERO
    for e in entries:
        out = maximum(out, abs(e))
    return out


def new_positions(eq: Equations, chosen: tuple[int, ...], metric: str) -> tuple[Matrix, Expr]:
    """q after normalisation of Euler parameters and one correction, and the violation before it."""
    q = Matrix(len(eq.q), 1, eq.q)
    if metric == "mass" and (loops := sweeps_of(eq, chosen)) is not None:
        return _column(loops.positions.corrected), loops.positions.violation
    holonomic = tuple(i for i in chosen if i < len(eq.phi.entries)) if eq.lam else tuple(range(len(eq.phi.entries)))
    phi = rows(eq.phi, holonomic)
    if not holonomic:
        return _unit_quaternions(eq, q), largest(norm_residuals(eq))
    gaps = _gaps(eq, holonomic, metric)
    corrected, worst = q - _displacement(eq, holonomic, gaps, metric), largest(list(phi.entries))
    if eq.rows.norms:  # lengths other than one change phi as much as anything else: they go first
        unit = dict(zip(eq.q, _unit_quaternions(eq, q).entries, strict=True))
        corrected, worst = substitute_all([corrected, worst], unit)
        worst = maximum(worst, largest(norm_residuals(eq)))
    return _unit_quaternions(eq, corrected), worst


def _gaps(eq: Equations, holonomic: tuple[int, ...], metric: str) -> Matrix:
    """Residuals that a displacement removes: phi, and without the kinematics of M, which keep them, the lengths of
    Euler parameters."""
    phi = rows(eq.phi, holonomic).entries
    return _column([*phi] if metric == "mass" and eq.lam else [*phi, *norm_residuals(eq)])


def _displacement(eq: Equations, holonomic: tuple[int, ...], gaps: Matrix, metric: str) -> Matrix:
    """The shortest δq that changes `_gaps` by these, to first order."""
    if metric == "mass" and eq.lam:
        J = rows(eq.Jc, holonomic)
        pushed = factorize(inertia(eq), "definite").solve(J.T)
        return eq.N @ (pushed @ solve(regularized_complement(eq, J @ pushed, holonomic), gaps, "definite"))
    slopes = jacobian(_gaps(eq, holonomic, metric), eq.q)
    return slopes.T @ solve(regularized_complement(eq, slopes @ slopes.T, holonomic), gaps, "definite")


def _column(entries: list[Expr]) -> Matrix:
    return Matrix(len(entries), 1, tuple(entries))


def _unit_quaternions(eq: Equations, q: Matrix) -> Matrix:
    """θ / |θ| for every set θ of Euler parameters (Algorithm 5.3)."""
    entries = list(q.entries)
    for e in eq.variables.quaternions:
        places = [v.index for v in e]
        length = sqrt(sum((entries[i] * entries[i] for i in places[1:]), entries[places[0]] * entries[places[0]]))
        for i in places:
            entries[i] = entries[i] / length
    return Matrix(len(entries), 1, tuple(entries))


def new_speeds(eq: Equations, chosen: tuple[int, ...], metric: str) -> tuple[Matrix, Expr]:
    """u on the constraints, and the violation before."""
    u = Matrix(len(eq.u), 1, eq.u)
    if metric == "mass" and (loops := sweeps_of(eq, chosen)) is not None:
        return _column(loops.speeds.corrected), loops.speeds.violation
    J, b = rows(eq.Jc, chosen), rows(eq.b, chosen)
    psi = J @ u + b
    pushed = factorize(inertia(eq), "definite").solve(J.T) if metric == "mass" else J.T
    return u - pushed @ solve(regularized_complement(eq, J @ pushed, chosen), psi, "definite"), largest(
        list(psi.entries)
    )


def left_of(eq: Equations, chosen: tuple[int, ...], changes: tuple[Symbol, ...], metric: str) -> list[Expr]:
    """The part of a small change (δq, δu, ...) of a state on the constraints that one correction of positions and one
    of speeds leave."""
    n_q, n_u = len(eq.q), len(eq.u)
    if metric == "mass" and (loops := sweeps_of(eq, chosen)) is not None:
        return loops.left_of(changes)
    left: list[Expr] = list(changes)
    J = rows(eq.Jc, chosen)
    du = Matrix(n_u, 1, changes[n_q : n_q + n_u])
    pushed = factorize(inertia(eq), "definite").solve(J.T) if metric == "mass" else J.T
    left[n_q : n_q + n_u] = (
        du - pushed @ solve(regularized_complement(eq, J @ pushed, chosen), J @ du, "definite")
    ).entries
    if holonomic := tuple(i for i in chosen if i < len(eq.phi.entries)):
        dq = Matrix(n_q, 1, changes[:n_q])
        gaps = directional_derivative(_gaps(eq, holonomic, metric), dict(zip(eq.q, dq.entries, strict=True)))
        left[:n_q] = (dq - _displacement(eq, holonomic, gaps, metric)).entries
    return left


def new_on_invariants(
    eq: Equations,
    y: tuple[Symbol, ...],
    chosen: tuple[int, ...],
    invariants: list[Expr],
    scales: list[Expr],
    metric: str,
) -> tuple[Matrix, Expr]:
    """State after one correction towards the invariants, and the violation before, in units of their scales.

    In the metric of M speeds are changed along the constraints (for the energy: all in proportion), so that nothing
    else is disturbed. In the unit metric the whole state is, as in equation (5.5), but along the constraints as well:
    of the gradient g of the invariants the part

        g - Cᵀ (C Cᵀ)⁻¹ C g,     C = ∂(phi, Jc u + b, eᵀe - 1)/∂y

    Along g itself, as in print, every correction spoils the constraints in proportion, and theirs spoil the invariants:
    the iteration converges linearly, by a factor that comes near one where the two are nearly parallel (the up to 265
    iterations in table 9), or not at all.
    """
    state = Matrix(len(y), 1, y)
    inv = Matrix(len(invariants), 1, tuple(invariants))
    if metric == "mass" and set(eq.u) & set(free_symbols(inv)):
        slopes = jacobian(inv, eq.u)
        factors = factorize(inertia(eq), "definite")
        along = factors.solve(slopes.T)
        if chosen:
            J = rows(eq.Jc, chosen)
            pushed = factors.solve(J.T)
            along = along - pushed @ factorize(regularized_complement(eq, J @ pushed, chosen), "definite").solve(
                J @ along
            )
        before = len(eq.q)
        full = [[ZERO] * inv.rows for _ in range(before)]
        full += [list(along.row(i)) for i in range(along.rows)]
        full += [[ZERO] * inv.rows for _ in range(len(y) - before - len(eq.u))]
        directions = Matrix(len(y), inv.rows, tuple(e for row in full for e in row))
        gain = slopes @ along
    else:
        slopes = jacobian(inv, list(y))
        directions = slopes.T
        if (kept := conditions(eq, chosen, [])).entries:
            C = jacobian(kept, list(y))
            whole = C @ C.T + border_products(eq, chosen, C.rows)
            directions = directions - C.T @ factorize(whole, "definite").solve(C @ directions)
        gain = slopes @ directions
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
    """One Newton step of the orthogonal projection of a state a onto everything at once (Tuomela, Arponen, Normi,
    equation 5.2).

        y + (∂c/∂y)ᵀ μ - a = 0,   c(y) = 0,   c = (phi, Jc u + b, eᵀe - 1, invariants)

    Returns the new (y, μ), the violation |c| and the length of the step; second derivatives of the constraints are
    exact.
    """
    c = conditions(eq, chosen, invariants)
    slopes = jacobian(c, list(y))
    state, multipliers = Matrix(len(y), 1, y), Matrix(len(mu), 1, mu)
    held = c - border_products(eq, chosen, c.rows) @ multipliers
    residual = stack(state + slopes.T @ multipliers - Matrix(len(near), 1, near), held)
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


def border_products(eq: Equations, chosen: tuple[int, ...], n: int) -> Matrix:
    """B Bᵀ of the constraints on positions and of those on speeds, in the places that these have among n conditions;
    else zeros."""
    k, entries = len(eq.phi.entries), [ZERO] * (n * n)
    if eq.border is not None and chosen == tuple(range(len(eq.lam))):
        inner = eq.border if k == len(eq.lam) else eq.border.positions
        for first, border in ((0, inner), (k, eq.border)):
            part = Matrix(0, 0, ()) if border is None else border.product()
            for i in range(part.rows):
                at = (first + i) * n + first
                entries[at : at + part.cols] = part.row(i)
    return Matrix(n, n, tuple(entries))


# ---------------------------------------------------------------------------------------------------------- the loop


class Corrections(Struct):
    """Programs for one correction each, which give new values and the violation before; absent if there is nothing
    to correct.

    is_alone   whether corrections towards the invariants leave the constraints as they are; else they spoil them by
               their square
    """

    n: Known[int]
    n_q: Known[int]
    n_u: Known[int]
    is_alone: Known[int]
    tolerance: float
    positions: Known[Function | None]
    speeds: Known[Function | None]
    invariants: Known[Function | None]
    violation: Numbers
    w: Numbers


def settle(t: float, y: Numbers, out: Numbers, note: Numbers, corrections: Corrections) -> None:
    """Algorithms 5.3 to 5.5. `note` gets the number of corrections, or -1 where they do not end."""
    c = corrections
    for i in range(c.n):
        out[i] = y[i]
    note[0] = -1.0
    count = 0
    finished = 0
    for turn in range(MAX_CORRECTIONS):
        found = settle_positions(t, out, c)
        if found < 0:
            return
        count += found
        found = settle_speeds(t, out, c)
        if found < 0:
            return
        count += found
        if c.invariants is None or finished == 1:
            break
        c.invariants((t, out), (c.w, c.violation))
        if not c.violation[0] <= 1e300:
            return
        if c.violation[0] <= INVARIANTS_KEPT:  # the constraints hold: they have just been seen to
            break
        for i in range(c.n):
            out[i] = c.w[i]
        count += 1
        if c.violation[0] <= QUADRATIC_REGION:
            finished = 1
            if c.is_alone == 1:
                break
        if turn == MAX_CORRECTIONS - 1:
            return
    note[0] = float(count)


def settle_positions(t: float, out: Numbers, c: Corrections) -> int:
    """Positions onto their constraints: how many corrections it took, or -1."""
    if c.positions is None:
        return 0
    for count in range(MAX_CORRECTIONS):
        c.positions((t, out), (c.w, c.violation))
        worst = c.violation[0]
        if not worst <= 1e300:
            return -1
        if worst <= c.tolerance:
            return count
        change = 0.0
        for i in range(c.n_q):
            change = max(change, abs(c.w[i] - out[i]) / max(abs(out[i]), 1.0))
            out[i] = c.w[i]
        if worst <= QUADRATIC_REGION and change <= QUADRATIC_REGION:
            return count + 1
    return -1


def settle_speeds(t: float, out: Numbers, c: Corrections) -> int:
    """Speeds onto their constraints, which are linear: one correction, none, or -1."""
    if c.speeds is None:
        return 0
    c.speeds((t, out), (c.w, c.violation))
    if not c.violation[0] <= 1e300:
        return -1
    if c.violation[0] <= c.tolerance:
        return 0
    for i in range(c.n_u):
        out[c.n_q + i] = c.w[i]
    return 1


class OrthogonalSteps(Struct):
    """A Newton step for n variables and m multipliers, which gives new ones, the violation before, and the length of
    the step."""

    n: Known[int]
    m: Known[int]
    tolerance: float
    newton: Function
    violation: Numbers
    x: Numbers
    w: Numbers


def settle_orthogonally(t: float, y: Numbers, out: Numbers, note: Numbers, steps: OrthogonalSteps) -> None:
    """Newton's method for the orthogonal projection of y onto everything at once."""
    s = steps
    note[0] = -1.0
    for i in range(s.n):
        s.x[i] = y[i]
        out[i] = y[i]
    for i in range(s.m):
        s.x[s.n + i] = 0.0
    for k in range(MAX_CORRECTIONS):
        s.newton((t, s.x, y), (s.w, s.violation))
        if not s.violation[0] <= 1e300:
            return
        if s.violation[0] <= s.tolerance and (k > 0 or s.violation[0] <= ROUNDING_LEVEL):
            note[0] = float(k)
            return
        for i in range(s.n + s.m):
            s.x[i] = s.w[i]
        for i in range(s.n):
            out[i] = s.w[i]
        if s.violation[0] <= QUADRATIC_REGION and s.violation[1] <= QUADRATIC_REGION:
            note[0] = float(k + 1)
            return
