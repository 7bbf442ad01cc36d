"""Explicit Runge-Kutta methods with step control and dense output, as a method for `march.py`: a tableau
(`tableaux.py`) and a few kernels."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from ...emit.loops.kernel_language import is_finite, unrolled
from .careful_steps import (
    FINEST_RTOL,
    NOISE_LIMIT,
    SHORT_STEP,
    STORED_ENDS,
    begin_with_care,
    bring_back,
    careful_stage,
    cut,
    elsewhere,
    has_left,
    has_outlier,
    is_across,
    is_singular,
    noise_of_rates,
    remember,
    smooth_rates,
    take_carefully,
)
from .dense import cubic
from .march import settle_end
from .march_records import DONE, NOT_FINITE, TINY, TOO_SMALL, UNSETTLED, Steps, never_singular, no_cut
from .runge_kutta import RungeKutta, error_left, local_error, stage, take
from .step_control import RETRY, cautious_step, growth_factor, probable_step, retry_step, size, within
from .tableaux import Tableau

LENGTH_DECAY: Final = 0.97  # factor of the usual step length with every step that is shorter
NONSTIFF_STEPS: Final = 6  # steps in a row that are not stiff, after which the count of stiff ones starts again
TANGENTIAL_SHARE: Final = 0.2  # usual fraction of an error that projection leaves; a smaller part counts itself
MAX_NORMAL_ERROR: Final = 1e3  # error normal to the constraints, in tolerances: only ends of steps are projected


def renew(m: RungeKutta, s: Steps) -> None:
    """f at a state that is new, of which nothing is remembered."""
    s.rhs((s.t, s.y), (m.k,))
    m.before = 0.0
    if m.onto is not None and s.is_adaptive == 1:
        begin(m, s)


def resume(m: RungeKutta, s: Steps) -> None:
    """f behind a switching time."""
    s.rhs((s.t, s.y), (m.k,))
    s.counts.evaluations += 1
    m.before = 0.0


def begin(m: RungeKutta, s: Steps) -> None:
    """A motion begins, perhaps in a singular position."""
    m.careful = smooth_rates(m, s, s.t, s.y, m.k)
    m.is_given = 1
    m.weight = 1.0
    m.leap = 0.0
    for i in range(s.n):
        m.began[i] = s.y[i]


def advance(m: RungeKutta, s: Steps, h: float) -> None:
    """f at the end of a step is that at the beginning of the next."""
    if m.onto is not None:
        if m.careful == 1:
            remember(m, s, h)
        m.careful = m.is_cut
        m.is_given = m.is_cut
        m.weight = 1.0
        m.leap = 0.0
        m.is_cut = 0
        for i in range(s.n):
            m.began[i] = s.y[i]
        m.usual = max(abs(h), LENGTH_DECAY * m.usual)
    if m.patience > 0:
        count_stiff_steps(m, s, h)
    for i in range(s.n):
        m.k[i] = m.k[m.stages * s.n + i]


def count_stiff_steps(m: RungeKutta, s: Steps, h: float) -> None:
    """Whether stability bounds the steps (Hairer and Wanner, IV.2): the last stage and the end are two states at one
    time, so that

        |h| |f(y⁺) - f(y_s)| / |y⁺ - y_s|  ~  |λ| h

    has reached the boundary in many steps, with fewer than six in a row between them in which it has not.
    """
    rates = 0.0
    states = 0.0
    for i in range(s.n):
        x = m.k[m.stages * s.n + i] - m.k[(m.stages - 1) * s.n + i]
        rates = rates + x * x
        x = s.y[i] - m.near[i]
        states = states + x * x
    if h * h * rates > m.reach * m.reach * states:
        m.easy = 0
        m.stiff += 1
        if m.stiff >= m.patience:
            m.stiff = 0
            m.doubts = 1
    else:
        m.easy += 1
        if m.easy >= NONSTIFF_STEPS:
            m.stiff = 0


def first_step(m: RungeKutta, s: Steps) -> None:
    """A step that is probably accepted (Hairer, Nørsett, Wanner II.4)."""
    n = s.n
    scale = s.y_end
    for i in range(n):
        scale[i] = s.atol[i] + s.rtol * abs(s.y[i])
    d1 = size(n, m.k, scale)
    h0 = cautious_step(s, size(n, s.y, scale), d1)
    for i in range(n):
        s.w[i] = s.y[i] + h0 * m.k[i]
    s.rhs((s.t + h0, s.w), (m.k[n:],))
    s.counts.evaluations += 1
    for i in range(n):
        s.w[i] = m.k[n + i] - m.k[i]
    probable_step(s, m.order, h0, max(d1, size(n, s.w, scale) / abs(h0)))


# ---------------------------------------------------------------------------------------------------------- one step


def attempt(m: RungeKutta, s: Steps, h: float, is_again: int) -> int:
    """A step, its end on the constraints, f there, and its error; again with care where most of that is across the
    constraints, or where it has left them."""
    status = step_status(m, s, h)
    if m.onto is not None and s.is_adaptive == 1 and m.careful == 0:
        needs_care = has_left(m, s, h) if status == DONE else is_across(m, s, h, status, is_again)
        if needs_care == 1:
            begin_with_care(m, s)
            status = step_status(m, s, h)
    return status


def step_status(m: RungeKutta, s: Steps, h: float) -> int:
    """One step and its error."""
    if m.onto is not None and m.careful == 1:
        take_carefully(m, s, h)
        bring_back(m, s, s.t + h, s.y_end)  # to rounding
    else:
        take(m, s, h)
    if m.patience > 0:
        for i in range(s.n):
            m.near[i] = s.w[i]
    s.counts.evaluations += m.stages
    if settle_end(s, s.t + h) == 0:
        return UNSETTLED
    s.rhs((s.t + h, s.y_end), (m.k[m.stages * s.n :],))
    if s.is_adaptive == 0:
        return finite_end(s)
    m.error = local_error(m, s, h)
    s.error = m.error
    if m.along is not None and (m.projects == 1 or m.careful == 1) and s.error > 1.0:
        m.error_along = error_left(m, s, h)
        across = 0.0
        if m.careful == 0:
            across = s.error if m.is_driven == 1 else s.error / MAX_NORMAL_ERROR
        s.error = min(s.error, max(m.error_along / TANGENTIAL_SHARE, across))
    if m.onto is not None and m.careful == 1:
        for number in range(m.stages + 1, m.width):  # the dense output comes to places of its own
            careful_stage(m, s, h, number)
        m.noise = max(m.noise, abs(h) * noise_of_rates(m, s, s.t + h, s.y_end, m.k[m.stages * s.n :]))
        m.error = s.error
        s.error = max(s.error, m.noise * m.weight) * min(1.0, s.rtol / FINEST_RTOL)
    if not is_finite(s.error):
        return NOT_FINITE
    return DONE if s.error <= 1.0 else TOO_SMALL


def finite_end(s: Steps) -> int:
    """DONE where all of a step's end is finite."""
    total = 0.0
    for i in range(s.n):
        total = total + (s.y_end[i] - s.y_end[i])
    return DONE if is_finite(total) else NOT_FINITE


def short_step(m: RungeKutta, s: Steps, h: float, length: float) -> None:
    if m.onto is not None and m.careful == 1:
        take_carefully(m, s, length)
    else:
        take(m, s, length)
    s.counts.evaluations += m.stages - 1
    settle_end(s, s.t + length)


def polynomial(m: RungeKutta, s: Steps, h: float, is_short: int) -> None:
    """Coefficients of the dense output, with the stages that it needs beyond those of the step."""
    n = s.n
    if is_short == 1:
        s.rhs((s.t + h, s.y_end), (m.k[m.stages * n :],))
        s.counts.evaluations += 1
    if m.onto is not None and m.careful == 1:
        for number in range(m.stages + 1, m.width):
            careful_stage(m, s, h, number)
    else:
        for number in unrolled(m.stages + 1, m.width):
            stage(m, s, h, number)
        if m.onto is not None and has_outlier(m, s) == 1:
            for number in range(m.stages + 1, m.width):
                careful_stage(m, s, h, number)
    s.counts.evaluations += m.width - m.stages - 1
    cubic(n, h, s.y, s.y_end, m.k, m.k[m.stages * n :], s.r)
    for piece in unrolled(4, m.pieces):
        for i in range(n):
            x = 0.0
            for j in unrolled(m.width):
                x = x + m.D[(piece - 4) * m.width + j] * m.k[j * n + i]
            s.r[piece * n + i] = h * x


# ---------------------------------------------------------------------------------------------------- lengths of steps


def shorter(m: RungeKutta, s: Steps, h: float, status: int) -> float:
    if m.onto is not None:
        if m.careful == 1:
            return elsewhere(m, s, h, status)
        if abs(h) < SHORT_STEP * m.usual and m.usual * noise_of_rates(m, s, s.t, s.y, m.k) > NOISE_LIMIT:
            begin_with_care(m, s)
            return within(0.9 * (s.t_end - s.t), 0.5 * m.usual)
    if status == TOO_SMALL:
        return retry_step(h, s.error, m.order)
    return h * RETRY


def next_step(m: RungeKutta, s: Steps, h: float, is_again: int) -> float:
    """The step after one that was accepted, by the errors of both."""
    error = max(s.error, TINY)
    factor = growth_factor(m.order, error, m.error_before, abs(m.before / h), is_again)
    m.error_before = error
    m.before = 0.0 if m.onto is not None and m.careful == 1 else h  # errors of careful steps are noise
    return h * min(factor, s.max_growth)


# ---------------------------------------------------------------------------------------------------- the method


KERNELS: Final = {
    "is_always_dense": 0, "first_step": first_step, "attempt": attempt, "shorter": shorter, "next_step": next_step, "polynomial": polynomial,
    "short_step": short_step, "advance": advance, "renew": renew, "resume": resume, "is_singular": is_singular, "cut": cut,
}  # fmt: skip


@cache
def restriction(pieces: int) -> tuple[float, ...]:
    """Coefficients of a polynomial (`dense.py`) from its values at equal distances, as a matrix, row after row."""
    theta, columns = np.linspace(0, 1, pieces), [np.ones(pieces)]
    for k in range(1, pieces):
        columns.append(columns[-1] * (theta if k % 2 == 1 else 1 - theta))
    return tuple(np.linalg.inv(np.array(columns).T).ravel().tolist())


def runge_kutta(
    tableau: Tableau, n: int, *, positions: int, along: Any, onto: Any, projects: bool, projects_stages: bool = False, is_driven: bool = False,
    patience: int = 0,
) -> RungeKutta:  # fmt: skip
    """A tableau, ready for n variables."""
    careful = n if onto is not None else 1
    kernels = KERNELS if onto is not None else {**KERNELS, "is_singular": never_singular, "cut": no_cut}
    return RungeKutta(
        **kernels, pieces=tableau.pieces, stages=tableau.stages, width=tableau.width, estimates=len(tableau.errors), order=tableau.control,
        A=tableau.A, C=tableau.C, E=tableau.E, D=tableau.D, reach=tableau.reach, patience=patience, k=np.zeros(tableau.width * n), change=np.zeros(n),
        left=np.zeros(n), near=np.zeros(n), along=along, onto=onto, projects=int(projects), projects_stages=int(projects_stages and onto is not None), is_driven=int(is_driven), point=np.zeros(careful), other=np.zeros(careful), positions=positions, restriction=restriction(tableau.pieces), miss=np.zeros(1),
        began=np.zeros(careful), spans=np.zeros(2 * STORED_ENDS if onto is not None else 1), states=np.zeros(2 * STORED_ENDS * n if onto is not None else 1),
    ).know("along", "onto")  # fmt: skip
