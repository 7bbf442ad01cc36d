"""Radau IIA of order 5, as a method for `march.py` (Hairer and Wanner II, IV.8), for E y' = F(t, y) with E of ones and
zeros on the diagonal.

The three stages y + Zᵢ solve  E Zᵢ = h Σ aᵢⱼ F(t + cⱼ h, y + Zⱼ). With W = T⁻¹ Z, where T⁻¹ A⁻¹ T has γ̂ and α̂ ± i β̂
                               on its diagonal, the
simplified Newton iteration needs the factors of one real and one complex matrix,

    γ̂/h E - J,   (α̂ + i β̂)/h E - J,   J = ∂F/∂y

which are kept as long as they serve.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from ...algebra.elimination.elimination import general_factor, general_solve
from ...emit.loops.kernel_language import Function, Indices, Mutable, Numbers, is_finite, unrolled
from ..elimination_kernels.complex_elimination import complex_factor, complex_solve
from ..elimination_kernels.sparse_elimination import (
    Sparse,
    shift_matrix,
    sparse_complex_factor,
    sparse_complex_solve,
    sparse_factor,
    sparse_solve,
)
from .dense import interpolate
from .march import settle_end
from .march_records import (
    DONE,
    NOT_CONVERGED,
    NOT_FINITE,
    TINY,
    TOO_SMALL,
    UNSETTLED,
    Method,
    Steps,
    never_singular,
    no_cut,
)
from .newton_convergence import at_rounding
from .step_control import SAFETY, cautious_step, probable_step, size

# --------------------------------------------------------------------------------------------------------- coefficients

STAGES: Final = 3
PIECES: Final = 4  # coefficients of the polynomial through the start and the stages
C: Final = ((4 - sqrt(6)) / 10, (4 + sqrt(6)) / 10, 1.0)


def _collocation() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues of A⁻¹ (γ̂; α̂, β̂), T and T⁻¹, from Σ aᵢⱼ cⱼᵏ = cᵢᵏ⁺¹ / (k + 1), k = 0, 1, 2."""
    c = np.array(C)
    powers = np.vander(c, increasing=True)
    A = np.linalg.solve(powers.T, (powers * c[:, None] / np.arange(1, 4)).T).T
    values, vectors = np.linalg.eig(A)
    values = 1 / values
    real, below = int(np.argmin(np.abs(values.imag))), int(np.argmin(values.imag))
    v = vectors[:, below] / vectors[-1, below]
    basis = np.column_stack([vectors[:, real].real, v.real, v.imag])
    parts = np.array([values[real].real, values[below].real, -values[below].imag])
    return parts, basis, np.linalg.solve(basis, np.eye(3))


_VALUES, _BASIS, _INVERSE = _collocation()
GAMMA, ALPHA, BETA = (float(x) for x in _VALUES)
TO_STAGES: Final = tuple(float(x) for x in _BASIS.flat)  # T
FROM_STAGES: Final = tuple(float(x) for x in _INVERSE.flat)  # T⁻¹
ERROR_WEIGHTS: Final = (
    -(13 + 7 * sqrt(6)) / 3,
    (-13 + 7 * sqrt(6)) / 3,
    -1 / 3,
)  # of the stages Z in the error estimate (IV.8.19)


MAX_ITERATIONS: Final = 7  # simplified Newton iterations of a step
MAX_ITERATIONS_AT_ROUNDING: Final = 40  # the same, where stages are iterated down to rounding
ROUNDING_LEVEL: Final = 1e3  # changes below this multiple of the stages' rounding error may be rounding
POWER_ITERATIONS: Final = 8  # power iterations from which the largest |λ| is estimated
MAX_SPARSE_FAILURES: Final = 3  # sparse eliminations that may fail for a small pivot before dense ones take over
DIFFERENCE: Final = 1e-7  # of the largest variable: between states whose rates are compared
FAST_CONVERGENCE: Final = 0.001  # rate of convergence of Newton's method up to which the Jacobian is kept


class Radau(Method):
    """Memory of the method.

    mass      diagonal of E
    index     of each variable: errors of those of index 2 and 3 are measured times h and h²
    slopes    gives the `filled` entries of J that are not zero everywhere; `places` are theirs in J
    k         F at the present state
    a, p      factors of the real matrix; re, im, pc: of the complex one; those of `sparse` where couplings are few
    z, w, f   stages Z, W = T⁻¹ Z, and F there
    scale     tolerance of each variable
    reach     |λ| h at which an explicit method would take steps as long; `radius` is an estimate of the largest |λ| by
              iterating v <- J v / |J v| once in a step, `growth` the product of the lengths in `turns` of these
    """

    filled: int
    goal: float  # of Newton iterations, in units of the tolerance
    rounding: float  # in units of the tolerance
    held: Mutable[float]  # θ/(1 - θ) of the last Newton iteration
    theta: Mutable[float]  # its rate of convergence
    before: Mutable[float]  # length of the last step, 0 if there is none
    error_before: Mutable[float]
    factored: Mutable[float]  # the step that the factors are for, 0 if there are none
    has_jacobian: Mutable[int]
    is_fresh: Mutable[int]  # whether the Jacobian is that of the present state
    shrink: Mutable[float]  # by which a step is to be shortened after an iteration that failed
    iterations: Mutable[int]
    mass: Numbers
    index: Indices
    k: Numbers
    jac: Numbers
    places: Indices
    entries: Numbers
    a: Numbers
    p: Indices
    re: Numbers
    im: Numbers
    pc: Indices
    z: Numbers
    w: Numbers
    f: Numbers
    scale: Numbers
    rows: Indices
    columns: Indices
    reach: Mutable[float]
    radius: Mutable[float]
    growth: Mutable[float]
    turns: Mutable[int]
    easy: Mutable[int]
    v: Numbers
    is_wide: int  # whether J has unknowns besides y, so that no dense elimination takes over
    is_sparse: Mutable[int]  # whether the factors are those of `sparse`
    refused: Mutable[int]  # how often in a row a pivot was too small for that
    sparse: Sparse
    slopes: Function


# ------------------------------------------------------------------------------------------------------- linear systems


def jacobian(m: Radau, s: Steps) -> None:
    """J at the present state."""
    m.slopes((s.t, s.y), (m.entries,))
    if m.is_wide == 0:
        for i in range(m.filled):
            m.jac[m.places[i]] = m.entries[i]
    s.counts.jacobians += 1
    m.has_jacobian = 1
    m.is_fresh = 1
    m.factored = 0.0


def factorize(m: Radau, s: Steps, h: float) -> int:
    """Factors of both matrices for a step: 1, or 0 where a pivot is zero."""
    m.is_sparse = 0
    m.factored = 0.0
    s.counts.factorizations += 1
    if m.sparse.size > 0 and m.refused < MAX_SPARSE_FAILURES:
        m.is_sparse = sparse_matrices(m.sparse, h, m.mass, m.entries, m.a, m.re, m.im)
        if m.is_wide == 1 and m.is_sparse == 0:
            return 0
        m.refused = 0 if m.is_sparse == 1 else m.refused + 1
    if m.is_sparse == 0:
        real_matrix(s.n, h, m.mass, m.jac, m.a, m.p)
        complex_matrix(s.n, h, m.mass, m.jac, m.re, m.im, m.pc)
    m.factored = h
    return 1


def sparse_matrices(
    sparse: Sparse, h: float, mass: Numbers, entries: Numbers, a: Numbers, re: Numbers, im: Numbers
) -> int:
    """Factors of both matrices by the order of `sparse`: 1, or 0 where a pivot is too small."""
    shift_matrix(sparse, GAMMA / h, mass, entries, a)
    if sparse_factor(sparse, a) == 0:
        return 0
    shift_matrix(sparse, ALPHA / h, mass, entries, re)
    for i in range(sparse.filled):
        im[i] = 0.0
    for i in range(sparse.given):
        if mass[i] != 0.0:
            im[sparse.diagonals[i]] = BETA / h * mass[i]
    return sparse_complex_factor(sparse, re, im)


def real_matrix(n: int, h: float, mass: Numbers, jac: Numbers, a: Numbers, p: Indices) -> None:
    """P (γ̂/h E - J) = L U."""
    for i in range(n):
        for j in range(n):
            a[i * n + j] = -jac[i * n + j]
        a[i * n + i] = a[i * n + i] + GAMMA / h * mass[i]
    general_factor(n, a, p)


def complex_matrix(n: int, h: float, mass: Numbers, jac: Numbers, re: Numbers, im: Numbers, p: Indices) -> None:
    """P ((α̂ + i β̂)/h E - J) = L U."""
    for i in range(n):
        for j in range(n):
            re[i * n + j] = -jac[i * n + j]
            im[i * n + j] = 0.0
        re[i * n + i] = re[i * n + i] + ALPHA / h * mass[i]
        im[i * n + i] = BETA / h * mass[i]
    complex_factor(n, re, im, p)


def solve_real(m: Radau, n: int, b: Numbers) -> None:
    if m.is_sparse == 1:
        sparse_solve(m.sparse, m.a, b)
    else:
        general_solve(n, m.a, m.p, b)


def solve_complex(m: Radau, n: int, b: Numbers, c: Numbers) -> None:
    if m.is_sparse == 1:
        sparse_complex_solve(m.sparse, m.re, m.im, b, c)
    else:
        complex_solve(n, m.re, m.im, m.pc, b, c)


# ---------------------------------------------------------------------------------------------------------- one step


def renew(m: Radau, s: Steps) -> None:
    """F at a state that is new, of which nothing is remembered."""
    s.rhs((s.t, s.y), (m.k,))
    m.held = 1.0
    m.theta = FAST_CONVERGENCE
    m.before = 0.0
    m.has_jacobian = 0
    m.factored = 0.0


def resume(m: Radau, s: Steps) -> None:
    """F behind a switching time; the Jacobian is kept as long as it serves."""
    s.rhs((s.t, s.y), (m.k,))
    s.counts.evaluations += 1
    m.before = 0.0


def advance(m: Radau, s: Steps, h: float) -> None:
    s.rhs((s.t, s.y), (m.k,))
    s.counts.evaluations += 1
    if m.patience > 0:
        count_easy_steps(m, s, h)
    m.before = h
    m.is_fresh = 0
    if m.theta > FAST_CONVERGENCE:
        m.has_jacobian = 0


def count_easy_steps(m: Radau, s: Steps, h: float) -> None:
    """Whether an explicit method could take steps as long as these, by stability: |λ| h of the largest |λ| stays well
    within its reach.

    Each step multiplies v by the Jacobian once. The mean growth of |v| over some turns tends to the largest |λ|; of a
    single turn it would depend on units.
    """
    if m.is_wide == 1:
        slope_along(m, s)
    else:
        for i in range(s.n):
            s.w[i] = 0.0
        for i in range(m.filled):
            s.w[m.rows[i]] = s.w[m.rows[i]] + m.entries[i] * m.v[m.columns[i]]
    length = 0.0
    for i in range(s.n):
        length = length + s.w[i] * s.w[i]
    length = sqrt(length)
    if length == 0.0 or not is_finite(length):
        return
    for i in range(s.n):
        m.v[i] = s.w[i] / length
    m.growth = m.growth * pow(length, 1.0 / float(POWER_ITERATIONS))
    m.turns += 1
    if m.turns >= POWER_ITERATIONS:
        m.radius = m.growth
        m.growth = 1.0
        m.turns = 0
    m.easy = m.easy + 1 if m.radius * abs(h) < 0.5 * m.reach else 0
    if m.radius > 0.0 and m.easy >= m.patience:
        m.easy = 0
        m.doubts = 1


def slope_along(m: Radau, s: Steps) -> None:
    """J v as the difference of F at two states."""
    largest = 1.0
    for i in range(s.n):
        largest = max(largest, abs(s.y[i]))
    for i in range(s.n):
        m.f[i] = s.y[i] + DIFFERENCE * largest * m.v[i]
    s.rhs((s.t, m.f), (s.w,))
    s.counts.evaluations += 1
    for i in range(s.n):
        s.w[i] = (s.w[i] - m.k[i]) / (DIFFERENCE * largest)


def first_step(m: Radau, s: Steps) -> None:
    """As `explicit.first_step`, looking at the differential equations alone."""
    n = s.n
    for i in range(n):
        m.scale[i] = s.atol[i] + s.rtol * abs(s.y[i])
        m.f[i] = m.mass[i] * s.y[i]
        s.w[i] = m.mass[i] * m.k[i]
    d1 = size(n, s.w, m.scale)
    h0 = cautious_step(s, size(n, m.f, m.scale), d1)
    for i in range(n):
        s.w[i] = s.y[i] + h0 * m.mass[i] * m.k[i]
    s.rhs((s.t + h0, s.w), (m.f,))
    s.counts.evaluations += 1
    for i in range(n):
        s.w[i] = m.mass[i] * (m.f[i] - m.k[i])
    probable_step(s, 4, h0, max(d1, size(n, s.w, m.scale) / abs(h0)))


def attempt(m: Radau, s: Steps, h: float, is_again: int) -> int:
    """A step, its end on the constraints, and its error; where it cannot be shortened, once more with the Jacobian of
    this state."""
    status = stage_status(m, s, h, is_again)
    if s.is_adaptive == 0 and status != DONE and m.is_fresh == 0:
        s.counts.rejected += 1
        m.has_jacobian = 0
        status = stage_status(m, s, h, is_again)
    return status


def stage_status(m: Radau, s: Steps, h: float, is_again: int) -> int:
    if m.has_jacobian == 0:
        jacobian(m, s)
    if m.factored != h and factorize(m, s, h) == 0:
        m.shrink = 0.5
        return NOT_CONVERGED
    weights(m, s, h)
    guess(m, s, m.before, 1.0, h)
    status = newton(m, s, h, 1 - s.is_adaptive)
    if status != DONE:
        return status
    for i in range(s.n):
        s.y_end[i] = s.y[i] + m.z[2 * s.n + i]
    if settle_end(s, s.t + h) == 0:
        return UNSETTLED
    if s.is_adaptive == 0:
        return DONE
    s.error = local_error(m, s, h, is_again)
    if s.error < 1.0:
        return DONE
    return TOO_SMALL if is_finite(s.error) else NOT_FINITE


def shorter(m: Radau, s: Steps, h: float, status: int) -> float:
    if m.is_fresh == 0:
        m.has_jacobian = 0
    if status != TOO_SMALL:
        return h * m.shrink
    return h * (0.1 if m.before == 0.0 else 1.0 / step_ratio(m, s.error, 8.0))


def short_step(m: Radau, s: Steps, h: float, length: float) -> None:
    """Stages are solved to rounding; where they cannot be, those on the polynomial are taken."""
    rate = m.theta
    is_solved = factorize(m, s, length)
    guess(m, s, h, 0.0, length)
    if is_solved == 0 or newton(m, s, length, 1) != DONE:
        guess(m, s, h, 0.0, length)
    for i in range(s.n):
        s.y_end[i] = s.y[i] + m.z[2 * s.n + i]
    settle_end(s, s.t + length)
    m.factored = 0.0
    m.theta = rate


# ---------------------------------------------------------------------------------------------------------- stages


def weights(m: Radau, s: Steps, h: float) -> None:
    """The tolerance of each variable."""
    for i in range(s.n):
        m.scale[i] = s.atol[i] + s.rtol * abs(s.y[i])
        if m.index[i] > 1:
            m.scale[i] = m.scale[i] / abs(h)
        if m.index[i] > 2:
            m.scale[i] = m.scale[i] / abs(h)


def guess(m: Radau, s: Steps, before: float, start: float, h: float) -> None:
    """Z and W = T⁻¹ Z from the polynomial of a step of length `before` that began `start` of it earlier."""
    n = s.n
    for stage in unrolled(STAGES):
        if before == 0.0:
            for i in range(n):
                m.z[stage * n + i] = 0.0
        else:
            interpolate(n, PIECES, start + C[stage] * h / before, s.r, s.w)
            for i in range(n):
                m.z[stage * n + i] = s.w[i] - s.y[i]
    for i in range(n):
        for stage in unrolled(STAGES):
            m.w[stage * n + i] = (
                FROM_STAGES[3 * stage] * m.z[i]
                + FROM_STAGES[3 * stage + 1] * m.z[n + i]
                + FROM_STAGES[3 * stage + 2] * m.z[2 * n + i]
            )


def newton(m: Radau, s: Steps, h: float, is_tight: int) -> int:
    """Stages by simplified Newton iterations (IV.8): DONE, NOT_CONVERGED, or NOT_FINITE where F is not.

    is_tight   until rounding, not only until the error of the iteration does not matter beside that of the step
    """
    most = MAX_ITERATIONS_AT_ROUNDING if is_tight == 1 else MAX_ITERATIONS
    m.held = pow(max(m.held, TINY), 0.8)
    m.theta = FAST_CONVERGENCE
    m.shrink = 0.5
    last = 1e300
    ratio_last = 0.0
    for iteration in range(most):
        m.iterations = iteration + 1
        if not is_finite(residual(m, s, h)):
            return NOT_FINITE
        solve_real(m, s.n, m.f)
        solve_complex(m, s.n, m.f[s.n :], m.f[2 * s.n :])
        change = change_of_stages(m, s)
        if not is_finite(change):
            return NOT_CONVERGED
        is_exact = 0
        if is_tight == 1:
            is_exact = at_rounding(change, last, m.rounding, ROUNDING_LEVEL * m.rounding)
        if iteration > 0 and is_exact == 0:
            ratio = change / last
            m.theta = ratio if iteration == 1 else sqrt(ratio * ratio_last)
            ratio_last = ratio
            if m.theta >= 0.99:
                return NOT_CONVERGED
            m.held = m.theta / (1.0 - m.theta)
            left = most - 2 - iteration
            if is_tight == 0 and left >= 0:
                expected = m.held * change * pow(m.theta, float(left)) / m.goal
                if expected >= 1.0:
                    m.shrink = 0.8 * pow(max(1e-4, min(20.0, expected)), -1.0 / float(4 + left))
                    return NOT_CONVERGED
        last = max(change, TINY)
        correct(m, s.n)
        if is_tight == 0 and m.held * change <= m.goal:
            return DONE
        if is_exact == 1:
            return DONE
    return NOT_CONVERGED


def residual(m: Radau, s: Steps, h: float) -> float:
    """Right sides of the Newton step in f; returns what is finite where all F are."""
    n = s.n
    for stage in unrolled(STAGES):
        for i in range(n):
            s.w[i] = s.y[i] + m.z[stage * n + i]
        s.rhs((s.t + C[stage] * h, s.w), (m.f[stage * n :],))
    s.counts.evaluations += STAGES
    total = 0.0
    for i in range(n):
        f0 = m.f[i]
        f1 = m.f[n + i]
        f2 = m.f[2 * n + i]
        total = total + (f0 - f0) + (f1 - f1) + (f2 - f2)
        e = m.mass[i] / h
        m.f[i] = FROM_STAGES[0] * f0 + FROM_STAGES[1] * f1 + FROM_STAGES[2] * f2 - e * GAMMA * m.w[i]
        m.f[n + i] = (
            FROM_STAGES[3] * f0 + FROM_STAGES[4] * f1 + FROM_STAGES[5] * f2
            - e * (ALPHA * m.w[n + i] - BETA * m.w[2 * n + i])
        )  # fmt: skip
        m.f[2 * n + i] = (
            FROM_STAGES[6] * f0 + FROM_STAGES[7] * f1 + FROM_STAGES[8] * f2
            - e * (ALPHA * m.w[2 * n + i] + BETA * m.w[n + i])
        )  # fmt: skip
    return total


def change_of_stages(m: Radau, s: Steps) -> float:
    """The size of a Newton step."""
    change = 0.0
    for i in range(s.n):
        for stage in unrolled(STAGES):
            x = m.f[stage * s.n + i] / m.scale[i]
            change = change + x * x
    return sqrt(change / float(STAGES * s.n))


def correct(m: Radau, n: int) -> None:
    """W and Z after a Newton step."""
    for i in range(n):
        for stage in unrolled(STAGES):
            m.w[stage * n + i] = m.w[stage * n + i] + m.f[stage * n + i]
        for stage in unrolled(STAGES):
            m.z[stage * n + i] = (
                TO_STAGES[3 * stage] * m.w[i]
                + TO_STAGES[3 * stage + 1] * m.w[n + i]
                + TO_STAGES[3 * stage + 2] * m.w[2 * n + i]
            )


# ----------------------------------------------------------------------------------------- error, polynomial, next step


def local_error(m: Radau, s: Steps, h: float, is_again: int) -> float:
    """The error of the embedded formula, filtered by the real factors (IV.8.19, IV.8.20), in units of the tolerances.

    In the first step, and after one that failed, once more from the first estimate where that is too large.
    """
    n = s.n
    for i in range(n):
        m.f[n + i] = (
            m.mass[i]
            / h
            * (ERROR_WEIGHTS[0] * m.z[i] + ERROR_WEIGHTS[1] * m.z[n + i] + ERROR_WEIGHTS[2] * m.z[2 * n + i])
        )
        s.w[i] = m.f[n + i] + m.k[i]
    solve_real(m, n, s.w)
    error = max(size(n, s.w, m.scale), 1e-10)
    if (is_again == 0 and m.before != 0.0) or error < 1.0 or not is_finite(error):
        return error
    for i in range(n):
        s.w[i] = s.y[i] + s.w[i]
    s.rhs((s.t, s.w), (m.f,))
    s.counts.evaluations += 1
    for i in range(n):
        s.w[i] = m.f[i] + m.f[n + i]
    solve_real(m, n, s.w)
    return max(size(n, s.w, m.scale), 1e-10)


def polynomial(m: Radau, s: Steps, h: float, is_short: int) -> None:
    """The collocation polynomial through y and the stages, nested as `Dense` has it; the end may have been
    projected."""
    n = s.n
    for i in range(n):
        v0 = (m.z[i] - C[0] * m.z[2 * n + i]) / (C[0] * (1.0 - C[0]))
        v1 = (m.z[n + i] - C[1] * m.z[2 * n + i]) / (C[1] * (1.0 - C[1]))
        slope = (v1 - v0) / (C[1] - C[0])
        s.r[i] = s.y[i]
        s.r[n + i] = s.y_end[i] - s.y[i]
        s.r[2 * n + i] = v0 - C[0] * slope
        s.r[3 * n + i] = slope


def step_ratio(m: Radau, error: float, growth: float) -> float:
    """h / h_next from the error: shorter where Newton's method took long (IV.8.21)."""
    most = 2.0 * float(MAX_ITERATIONS)
    safe = min(SAFETY, SAFETY * (1.0 + most) / (float(m.iterations) + most))
    return max(1.0 / growth, min(5.0, pow(error, 0.25) / safe))


def next_step(m: Radau, s: Steps, h: float, is_again: int) -> float:
    """The step after one that was accepted, by Gustafsson's predictive controller (IV.8.25).

    Where it would grow by less than a fifth and the Jacobian stays, it stays as it is, and so do the factors.
    """
    ratio = step_ratio(m, s.error, min(s.max_growth, 8.0))
    if m.before != 0.0:
        trend = abs(m.before / h) * pow(s.error * s.error / m.error_before, 0.25) / SAFETY
        ratio = max(ratio, min(5.0, trend))
    m.error_before = max(1e-2, s.error)
    if is_again == 1:
        ratio = max(ratio, 1.0)
    if m.theta <= FAST_CONVERGENCE and ratio <= 1.0 and ratio >= 1.0 / 1.2:
        ratio = 1.0
    return h / ratio


KERNELS: Final = {
    "pieces": PIECES, "is_always_dense": 1, "first_step": first_step, "attempt": attempt, "shorter": shorter, "next_step": next_step,
    "polynomial": polynomial, "short_step": short_step, "advance": advance, "renew": renew, "resume": resume, "is_singular": never_singular, "cut": no_cut,
}  # fmt: skip
