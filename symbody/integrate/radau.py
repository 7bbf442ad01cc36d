"""Radau IIA of order 5, as kernels (Hairer and Wanner II, IV.8), for E y' = F(t, y) with E of ones and zeros on the diagonal.

The three stages y + Zᵢ solve  E Zᵢ = h Σ aᵢⱼ F(t + cⱼ h, y + Zⱼ). With W = T⁻¹ Z, where T⁻¹ A⁻¹ T has γ̂ and α̂ ± i β̂ on its diagonal, the
simplified Newton iteration needs the factors of one real and one complex matrix,

    γ̂/h E - J,   (α̂ + i β̂)/h E - J,   J = ∂F/∂y

which are kept as long as they serve. `march` is called, goes on and ends as `explicit.march` does.

    mass      diagonal of E
    index     of each variable: errors of those of index 2 and 3 are measured times h and h²
    places    of the `filled` entries of J that are not zero everywhere: `slopes` gives those alone
    keep      what the method remembers between steps   at HELD, THETA, ...
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from ..algebra.elimination import general_factor, general_solve
from ..emit.loops.language import Function, Indices, Numbers, is_finite, unrolled
from .complex_elimination import complex_factor, complex_solve
from .explicit import (
    AT_EVENT,
    CORRECTIONS,
    END,
    EVALUATIONS,
    EVENT,
    FACTORIZATIONS,
    GOES_ON,
    GROWTH,
    JACOBIANS,
    LARGEST,
    NOT_CONVERGED,
    NOT_FINITE,
    REJECTED,
    RTOL,
    START,
    STEPS,
    TINY,
    TOO_SMALL,
    UNSETTLED,
    H,
    T,
    first_crossing,
    interpolate,
    refinement,
    size,
    standing,
    store,
)

# ---------------------------------------------------------------------------------------------------------- coefficients

STAGES: Final = 3
PIECES: Final = 4  # of the polynomial through the start and the stages
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
ESTIMATE: Final = (-(13 + 7 * sqrt(6)) / 3, (-13 + 7 * sqrt(6)) / 3, -1 / 3)  # of the error, from Z (IV.8.19)

# Places in `keep`.
HELD: Final = 0  # θ/(1 - θ) of the last Newton iteration
THETA: Final = 1  # its rate of convergence
BEFORE: Final = 2  # length of the last step, 0 where there is none
ERROR_BEFORE: Final = 3
FACTORED: Final = 4  # the step that the factors are for, 0 where there are none
HAS_JACOBIAN: Final = 5
IS_FRESH: Final = 6  # whether the Jacobian is that of the present state
GOAL: Final = 7  # of Newton iterations, in units of the tolerance
SHRINK: Final = 8  # by which a step is to be shortened after an iteration that failed
ITERATIONS: Final = 9
ROUNDING: Final = 10  # in units of the tolerance
KEEPS: Final = 11

ITERATIONS_MOST: Final = 7
ITERATIONS_TIGHT: Final = 40
GOOD: Final = 0.001  # rate of convergence at which the Jacobian is kept
SAFE: Final = 0.9

# ---------------------------------------------------------------------------------------------------------- linear systems


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


# ---------------------------------------------------------------------------------------------------------- one step


def refresh(control: Numbers, keep: Numbers, y: Numbers, k: Numbers, rhs: Function) -> None:
    """F at a state that is new, of which nothing is remembered."""
    rhs((control[T], y), (k,))
    keep[HELD] = 1.0
    keep[THETA] = GOOD
    keep[BEFORE] = 0.0
    keep[HAS_JACOBIAN] = 0.0
    keep[FACTORED] = 0.0


def first_step(n: int, control: Numbers, counts: Indices, y: Numbers, k: Numbers, mass: Numbers, scale: Numbers, x: Numbers,
               f: Numbers, atol: Numbers, rhs: Function) -> None:  # fmt: skip
    """As `explicit.first_step`, looking at the differential equations alone."""
    for i in range(n):
        scale[i] = atol[i] + control[RTOL] * abs(y[i])
        f[i] = mass[i] * y[i]
        x[i] = mass[i] * k[i]
    d0 = size(n, f, scale)
    d1 = size(n, x, scale)
    span = control[END] - control[T]
    h0 = min(0.01 * d0 / d1 if d0 >= 1e-5 and d1 >= 1e-5 else 1e-6, abs(span))
    direction = 1.0 if span >= 0.0 else -1.0
    for i in range(n):
        x[i] = y[i] + direction * h0 * mass[i] * k[i]
    rhs((control[T] + direction * h0, x), (f,))
    counts[EVALUATIONS] = counts[EVALUATIONS] + 1
    for i in range(n):
        x[i] = mass[i] * (f[i] - k[i])
    bend = max(d1, size(n, x, scale) / h0)
    h1 = pow(0.01 / bend, 0.25) if bend > 1e-15 else max(1e-6, h0 * 1e-3)
    h = min(100.0 * h0, h1)
    if not is_finite(h):
        h = h0
    control[H] = direction * min(h, control[LARGEST], abs(span))


def weights(n: int, h: float, rtol: float, y: Numbers, atol: Numbers, index: Indices, scale: Numbers) -> None:
    """The tolerance of each variable."""
    for i in range(n):
        scale[i] = atol[i] + rtol * abs(y[i])
        if index[i] > 1:
            scale[i] = scale[i] / abs(h)
        if index[i] > 2:
            scale[i] = scale[i] / abs(h)


def guess(
    n: int, before: float, start: float, h: float, r: Numbers, y: Numbers, x: Numbers, z: Numbers, w: Numbers
) -> None:
    """Z and W = T⁻¹ Z from the polynomial r of a step of length `before` that began `start` of it earlier."""
    for s in unrolled(STAGES):
        if before == 0.0:
            for i in range(n):
                z[s * n + i] = 0.0
        else:
            interpolate(n, PIECES, start + C[s] * h / before, r, x)
            for i in range(n):
                z[s * n + i] = x[i] - y[i]
    for i in range(n):
        for s in unrolled(STAGES):
            w[s * n + i] = (
                FROM_STAGES[3 * s] * z[i] + FROM_STAGES[3 * s + 1] * z[n + i] + FROM_STAGES[3 * s + 2] * z[2 * n + i]
            )


def newton(n: int, tight: int, t: float, h: float, y: Numbers, mass: Numbers, scale: Numbers, z: Numbers, w: Numbers, f: Numbers,
           x: Numbers, a: Numbers, p: Indices, re: Numbers, im: Numbers, pc: Indices, keep: Numbers, counts: Indices,
           rhs: Function) -> int:  # fmt: skip
    """Stages by simplified Newton iterations (IV.8). 1: solved; 0: they do not converge; -1: F is not finite.

    tight   until rounding, not only until the error of the iteration does not matter beside that of the step
    """
    most: int = ITERATIONS_TIGHT if tight == 1 else ITERATIONS_MOST
    keep[HELD] = pow(max(keep[HELD], TINY), 0.8)
    keep[THETA] = GOOD
    keep[SHRINK] = 0.5
    last = 0.0
    ratio_last = 0.0
    for iteration in range(most):
        for s in unrolled(STAGES):
            for i in range(n):
                x[i] = y[i] + z[s * n + i]
            rhs((t + C[s] * h, x), (f[s * n :],))
        counts[EVALUATIONS] = counts[EVALUATIONS] + STAGES
        keep[ITERATIONS] = float(iteration + 1)
        total = 0.0
        for i in range(n):
            f0 = f[i]
            f1 = f[n + i]
            f2 = f[2 * n + i]
            total = total + (f0 - f0) + (f1 - f1) + (f2 - f2)
            m = mass[i] / h
            f[i] = FROM_STAGES[0] * f0 + FROM_STAGES[1] * f1 + FROM_STAGES[2] * f2 - m * GAMMA * w[i]
            f[n + i] = (
                FROM_STAGES[3] * f0 + FROM_STAGES[4] * f1 + FROM_STAGES[5] * f2
                - m * (ALPHA * w[n + i] - BETA * w[2 * n + i])
            )  # fmt: skip
            f[2 * n + i] = (
                FROM_STAGES[6] * f0 + FROM_STAGES[7] * f1 + FROM_STAGES[8] * f2
                - m * (ALPHA * w[2 * n + i] + BETA * w[n + i])
            )  # fmt: skip
        if not is_finite(total):
            return -1
        general_solve(n, a, p, f)
        complex_solve(n, re, im, pc, f[n:], f[2 * n :])
        change = 0.0
        for i in range(n):
            for s in unrolled(STAGES):
                change = change + (f[s * n + i] / scale[i]) * (f[s * n + i] / scale[i])
        change = sqrt(change / float(STAGES * n))
        if not is_finite(change):
            return 0
        if iteration > 0:
            ratio = change / last
            keep[THETA] = ratio if iteration == 1 else sqrt(ratio * ratio_last)
            ratio_last = ratio
            if tight == 1 and change <= 1e3 * keep[ROUNDING] and ratio > 0.3:
                return 1  # as near as rounding lets it come
            if keep[THETA] >= 0.99:
                return 0
            keep[HELD] = keep[THETA] / (1.0 - keep[THETA])
            left: int = most - 2 - iteration
            if tight == 0 and left >= 0:
                expected = keep[HELD] * change * pow(keep[THETA], float(left)) / keep[GOAL]
                if expected >= 1.0:
                    keep[SHRINK] = 0.8 * pow(max(1e-4, min(20.0, expected)), -1.0 / float(4 + left))
                    return 0
        last = max(change, TINY)
        for i in range(n):
            for s in unrolled(STAGES):
                w[s * n + i] = w[s * n + i] + f[s * n + i]
            for s in unrolled(STAGES):
                z[s * n + i] = (
                    TO_STAGES[3 * s] * w[i] + TO_STAGES[3 * s + 1] * w[n + i] + TO_STAGES[3 * s + 2] * w[2 * n + i]
                )
        if tight == 0 and keep[HELD] * change <= keep[GOAL]:
            return 1
        if tight == 1 and change <= keep[ROUNDING]:
            return 1
    return 0


def local_error(n: int, again: int, t: float, h: float, y: Numbers, k: Numbers, mass: Numbers, scale: Numbers, z: Numbers,
                f: Numbers, x: Numbers, a: Numbers, p: Indices, counts: Indices, rhs: Function) -> float:  # fmt: skip
    """The error of the embedded formula, filtered by the real factors (IV.8.19, IV.8.20), in units of the tolerances.

    again   once more from the first estimate where that is too large: in the first step, and after one that failed
    """
    for i in range(n):
        f[n + i] = mass[i] / h * (ESTIMATE[0] * z[i] + ESTIMATE[1] * z[n + i] + ESTIMATE[2] * z[2 * n + i])
        x[i] = f[n + i] + k[i]
    general_solve(n, a, p, x)
    error = max(size(n, x, scale), 1e-10)
    if again == 0 or error < 1.0 or not is_finite(error):
        return error
    for i in range(n):
        x[i] = y[i] + x[i]
    rhs((t, x), (f,))
    counts[EVALUATIONS] = counts[EVALUATIONS] + 1
    for i in range(n):
        x[i] = f[i] + f[n + i]
    general_solve(n, a, p, x)
    return max(size(n, x, scale), 1e-10)


def polynomial(n: int, y: Numbers, end: Numbers, z: Numbers, r: Numbers) -> None:
    """The collocation polynomial through y and the stages, nested as `Dense` has it; `end` may have been projected."""
    for i in range(n):
        v0 = (z[i] - C[0] * z[2 * n + i]) / (C[0] * (1.0 - C[0]))
        v1 = (z[n + i] - C[1] * z[2 * n + i]) / (C[1] * (1.0 - C[1]))
        slope = (v1 - v0) / (C[1] - C[0])
        r[i] = y[i]
        r[n + i] = end[i] - y[i]
        r[2 * n + i] = v0 - C[0] * slope
        r[3 * n + i] = slope


# ---------------------------------------------------------------------------------------------------------- results


# ---------------------------------------------------------------------------------------------------------- the loop


def march(
    n: int, adaptive: int, settles: int, stored: int, watches: int,
    control: Numbers, counts: Indices, keep: Numbers, y: Numbers, k: Numbers, w: Numbers, atol: Numbers, mass: Numbers, index: Indices,
    jac: Numbers, filled: int, places: Indices, entries: Numbers, a: Numbers, p: Indices, re: Numbers, im: Numbers, pc: Indices,
    times: Numbers, at_times: Numbers, row_times: Numbers, rows: Numbers, polynomials: Numbers,
    watched: int, g: Numbers, side: Numbers, sense: Indices,
    rhs: Function, slopes: Function, settle: Function, watch: Function,
) -> int:  # fmt: skip
    """Steps until something happens; see the head of this file. k holds F at the present state."""
    z: Numbers = w[0:]
    transformed: Numbers = w[3 * n :]
    f: Numbers = w[6 * n :]
    end: Numbers = w[9 * n :]
    x: Numbers = w[10 * n :]
    scale: Numbers = w[11 * n :]
    r: Numbers = w[12 * n :]
    note: Numbers = w[16 * n :]
    if control[H] == 0.0:
        first_step(n, control, counts, y, k, mass, scale, x, f, atol, rhs)
    while True:
        t = control[T]
        left = control[END] - t
        ended: int = standing(control, counts)
        if ended != GOES_ON:
            return ended
        h = control[H]
        if abs(h) > control[LARGEST]:
            h = control[LARGEST] if h > 0.0 else -control[LARGEST]
        is_last: int = 0
        if abs(h) * 1.000001 >= abs(left):
            h = left
            is_last = 1
        refused: int = 0
        while True:
            if t + h == t and abs(left) > abs(t) * 1e-15:
                return TOO_SMALL
            if keep[HAS_JACOBIAN] == 0.0:
                slopes((t, y), (entries,))
                for i in range(filled):
                    jac[places[i]] = entries[i]
                counts[JACOBIANS] = counts[JACOBIANS] + 1
                keep[HAS_JACOBIAN] = 1.0
                keep[IS_FRESH] = 1.0
                keep[FACTORED] = 0.0
            if keep[FACTORED] != h:
                real_matrix(n, h, mass, jac, a, p)
                complex_matrix(n, h, mass, jac, re, im, pc)
                counts[FACTORIZATIONS] = counts[FACTORIZATIONS] + 1
                keep[FACTORED] = h
            weights(n, h, control[RTOL], y, atol, index, scale)
            guess(n, keep[BEFORE], 1.0, h, r, y, x, z, transformed)
            found: int = newton(
                n, 1 - adaptive, t, h, y, mass, scale, z, transformed, f, x, a, p, re, im, pc, keep, counts, rhs
            )
            held: int = 1
            error = 0.0
            if found == 1:
                for i in range(n):
                    end[i] = y[i] + z[2 * n + i]
                if settles == 1:
                    settle((t + h, end), (x, note))
                    for i in range(n):
                        end[i] = x[i]
                    if note[0] < 0.0:
                        held = 0
                    else:
                        counts[CORRECTIONS] = counts[CORRECTIONS] + int(note[0])
            if found == 1 and held == 1:
                if adaptive == 0:
                    break
                again: int = 1 if keep[BEFORE] == 0.0 or refused == 1 else 0
                error = local_error(n, again, t, h, y, k, mass, scale, z, f, x, a, p, counts, rhs)
                if error < 1.0:
                    break
            if adaptive == 0 and keep[IS_FRESH] == 1.0:
                if held == 0:
                    return UNSETTLED
                if found == 0:
                    return NOT_CONVERGED
                return NOT_FINITE
            counts[REJECTED] = counts[REJECTED] + 1
            if abs(h) <= 16.0 * TINY * max(abs(t), abs(left) * 1e-3):
                control[H] = h
                if held == 0:
                    return UNSETTLED
                if found == 0:
                    return NOT_CONVERGED
                if found == 1 and is_finite(error):
                    return TOO_SMALL
                return NOT_FINITE
            if adaptive == 1:
                refused = 1
                is_last = 0
                if found == 1 and held == 1 and is_finite(error):
                    h = h * (0.1 if keep[BEFORE] == 0.0 else 1.0 / step_ratio(error, keep[ITERATIONS], 8.0))
                else:
                    h = h * keep[SHRINK]
            if keep[IS_FRESH] == 0.0:
                keep[HAS_JACOBIAN] = 0.0
        after = control[END] if is_last == 1 else t + h
        if adaptive == 1:
            next_step(h, error, refused, control, keep)
        polynomial(n, y, end, z, r)
        occurred: int = 0
        if watches == 1:
            theta = first_crossing(n, PIECES, watched, t, h, r, x, g, side, sense, counts, watch)
            if theta < 2.0:
                occurred = 1
                after = event_step(
                    n, settles, t, h, theta, y, mass, scale, w, jac, a, p, re, im, pc, keep, counts, g, rhs, settle, watch
                )  # fmt: skip
                polynomial(n, y, end, z, r)
                h = after - t
        store(n, PIECES, stored, settles, left, t, after, end, r, x, note, counts, times, at_times, row_times, rows, polynomials,
              settle)  # fmt: skip
        for i in range(n):
            y[i] = end[i]
        rhs((after, y), (k,))
        counts[EVALUATIONS] = counts[EVALUATIONS] + 1
        keep[BEFORE] = h
        keep[IS_FRESH] = 0.0
        if keep[THETA] > GOOD:
            keep[HAS_JACOBIAN] = 0.0
        control[START] = t
        control[T] = after
        counts[STEPS] = counts[STEPS] + 1
        if occurred == 1:
            return AT_EVENT


def step_ratio(error: float, iterations: float, growth: float) -> float:
    """h / h_next from the error: shorter where Newton's method took long (IV.8.21)."""
    most = 2.0 * float(ITERATIONS_MOST)
    safe = min(SAFE, SAFE * (1.0 + most) / (iterations + most))
    return max(1.0 / growth, min(5.0, pow(error, 0.25) / safe))


def next_step(h: float, error: float, refused: int, control: Numbers, keep: Numbers) -> None:
    """The step after one that was accepted, by Gustafsson's predictive controller (IV.8.25).

    Where it would grow by less than a fifth and the Jacobian stays, it stays as it is, and so do the factors.
    """
    growth = min(control[GROWTH], 8.0)
    ratio = step_ratio(error, keep[ITERATIONS], growth)
    if keep[BEFORE] != 0.0:
        trend = abs(keep[BEFORE] / h) * pow(error * error / keep[ERROR_BEFORE], 0.25) / SAFE
        ratio = max(ratio, min(5.0, trend))
    keep[ERROR_BEFORE] = max(1e-2, error)
    if refused == 1:
        ratio = max(ratio, 1.0)
    if keep[THETA] <= GOOD and ratio <= 1.0 and ratio >= 1.0 / 1.2:
        ratio = 1.0
    control[H] = h / ratio


def event_step(n: int, settles: int, t: float, h: float, theta: float, y: Numbers, mass: Numbers, scale: Numbers, w: Numbers,
               jac: Numbers, a: Numbers, p: Indices, re: Numbers, im: Numbers, pc: Indices, keep: Numbers, counts: Indices,
               g: Numbers, rhs: Function, settle: Function, watch: Function) -> float:  # fmt: skip
    """Shorten the step to the event, by true steps from its start, with stages solved to rounding; see `explicit.event_step`.

    Returns the time of the event. Where a shorter step cannot be solved, the root on the polynomial is kept.
    """
    j: int = counts[EVENT]
    rate = keep[THETA]
    length = theta * h
    aside = (length - 1e-3 * h) if theta > 0.5 else (length + 1e-3 * h)
    short_step(n, settles, t, h, aside, y, mass, scale, w, jac, a, p, re, im, pc, keep, counts, g, rhs, settle, watch)
    other = g[j]
    for _ in range(8):
        short_step(
            n, settles, t, h, length, y, mass, scale, w, jac, a, p, re, im, pc, keep, counts, g, rhs, settle, watch
        )
        change = refinement(t, h, length, aside, g[j], other)
        if change == 0.0:
            break
        aside = length
        other = g[j]
        length = length - change
    keep[FACTORED] = 0.0
    keep[THETA] = rate
    return t + length


def short_step(n: int, settles: int, t: float, h: float, length: float, y: Numbers, mass: Numbers, scale: Numbers, w: Numbers,
               jac: Numbers, a: Numbers, p: Indices, re: Numbers, im: Numbers, pc: Indices, keep: Numbers, counts: Indices,
               g: Numbers, rhs: Function, settle: Function, watch: Function) -> None:  # fmt: skip
    """A part of a step whose polynomial is known, and what is watched at its end."""
    z: Numbers = w[0:]
    transformed: Numbers = w[3 * n :]
    f: Numbers = w[6 * n :]
    end: Numbers = w[9 * n :]
    x: Numbers = w[10 * n :]
    r: Numbers = w[12 * n :]
    note: Numbers = w[16 * n :]
    real_matrix(n, length, mass, jac, a, p)
    complex_matrix(n, length, mass, jac, re, im, pc)
    counts[FACTORIZATIONS] = counts[FACTORIZATIONS] + 1
    guess(n, h, 0.0, length, r, y, x, z, transformed)
    if newton(n, 1, t, length, y, mass, scale, z, transformed, f, x, a, p, re, im, pc, keep, counts, rhs) != 1:
        guess(n, h, 0.0, length, r, y, x, z, transformed)
    for i in range(n):
        end[i] = y[i] + z[2 * n + i]
    if settles == 1:
        settle((t + length, end), (x, note))
        for i in range(n):
            end[i] = x[i]
    watch((t + length, end), (g,))
