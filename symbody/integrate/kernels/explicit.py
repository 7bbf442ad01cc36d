"""Explicit Runge-Kutta steps with step control and dense output, as a method for `march.py`: a tableau and a few
kernels."""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import Any, Final

import numpy as np

from ...emit.loops.language import Function, Known, Mutable, Numbers, is_finite, rarely, unrolled
from .march import (
    DONE,
    NOT_FINITE,
    TINY,
    TOO_SMALL,
    UNSETTLED,
    Method,
    Steps,
    careful_step,
    interpolate,
    is_near,
    probable_step,
    settled,
    size,
    within,
)
from .stages import stage_state
from .tableaux import Tableau

SAFE: Final = 0.9  # of the step that an error allows
EASY: Final = 6  # steps in a row after which those that seemed stiff are forgotten
ACROSS: Final = 0.1  # an error is across the constraints where projection leaves less than this part of it
LENIENT: Final = 0.5  # weight of noise beside what it was in the attempt before
CAREFULLY: Final = 0.7  # how much shorter a careful step is tried again
CLEARLY: Final = 100.0  # noise beside which an error is one
SHORTEST: Final = 0.3  # of the first length of a careful step, below which others are tried
ANEW: Final = 0.95  # of it, from where
FINEST: Final = (
    1e-11  # the finest tolerance of careful steps: rates near a singular position are not exact enough for less
)
SHORT: Final = 0.05  # of the usual step, below which it is looked whether rates are noise
FADING: Final = 0.97
ROUNDING: Final = 4e-16
NEIGHBOUR: Final = 5e-3  # how far from a singular position rates are looked at, in units of the coordinates
LONGEST: Final = 1e6  # of the time that is left: a neighbour that takes longer to reach is none
LEAST_NOISE: Final = 0.01  # of rates that need to be made smooth, in units of the tolerances
BESIDE: Final = 1e-3  # of a step
FAR: Final = 0.05  # of a rate
LIMIT_WEIGHTS: Final = (0.0, 0.75, -0.3, 0.05)
PASSES: Final = 32  # careful steps that are remembered
OFF: Final = 0.02  # tolerances by which a step may leave the constraints where nothing brings it back
LEAP: Final = 4.0  # how much farther off it is then than where it began
SHARE: Final = 0.2  # what projection usually leaves of an error; where it leaves less, what it leaves counts
MOST_ACROSS: Final = 1e3  # tolerances by which polynomials may leave constraints: only ends of steps are brought back


class RungeKutta(Method):
    """A tableau (`tableaux.py`), and the stages k of the step in progress; in front of k is f at the present state.

    along   what projection leaves of a small change of the state, or absent
    onto    the way onto the constraints, or absent. Near a singular position rates beside the constraints differ
            without bound from those on them, and an error across the constraints is large in any step, however small.
            There a step is taken with care: rates are those at the stages brought back to the constraints, f(P(y)) in
            place of f(y), which is the same motion and stays smooth
    passed  how many steps were taken with care; of the first, `spans` has begin and end, `states` the states there
    careful    1 in a step that is taken with care; `noise` of its rates, in units of the tolerances, counts with a
               weight that is less the more often the step was tried
    is_cut     1 where the step in progress was cut in a singular position, is_given where it begins in a state that was
               given
    restriction   of polynomials, whose values at equal distances it takes to their coefficients
    usual      length of steps, as long as they are not shorter for long
    leap       the length that a careful step was tried with first
    positions  how many of the variables are coordinates
    error, error_along   of the step in progress, and what projection leaves of it
    projects   whether the ends of steps are brought back in any case
    is_driven  1 where constraints move by themselves, with time or an input: then what a step misses across them is
               motion that polynomials have to follow, and is no sign of a singular position
    change, left, point, other, miss   memory for those
    before, error_before   length of the last step, 0 where there is none, and its error
    reach   |λ| h that bounds steps by stability; `near` is the state at which the last stage was computed, `stiff`
            counts steps that reach that far, `easy` those since then that do not
    """

    stages: Known[int]
    width: Known[int]
    estimates: Known[int]
    order: Known[int]
    A: Known[Numbers]
    C: Known[Numbers]
    E: Known[Numbers]
    D: Known[Numbers]
    reach: Known[float]
    stiff: Mutable[int]
    easy: Mutable[int]
    before: Mutable[float]
    error_before: Mutable[float]
    near: Numbers
    k: Numbers
    change: Numbers
    left: Numbers
    point: Numbers
    miss: Numbers
    projects: Known[int]
    is_driven: Known[int]
    passed: Mutable[int]
    began: Numbers
    spans: Numbers
    states: Numbers
    careful: Mutable[int]
    is_cut: Mutable[int]
    is_given: Mutable[int]
    restriction: Known[Numbers]
    usual: Mutable[float]
    leap: Mutable[float]
    noise: Mutable[float]
    weight: Mutable[float]
    positions: Known[int]
    other: Numbers
    error: Mutable[float]
    error_along: Mutable[float]
    along: Function | None
    onto: Function | None


def renew(m: RungeKutta, s: Steps) -> None:
    """f at a state that is new, of which nothing is remembered."""
    s.rhs((s.t, s.y), (m.k,))
    m.before = 0.0
    if m.onto is not None and s.is_adaptive == 1:
        begin(m, s)


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
        m.usual = max(abs(h), FADING * m.usual)
    if m.patience > 0:
        count_stiff_steps(m, s, h)
    for i in range(s.n):
        m.k[i] = m.k[m.stages * s.n + i]


def begin(m: RungeKutta, s: Steps) -> None:
    """A motion begins, perhaps in a singular position."""
    m.careful = smooth_rates(m, s, s.t, s.y, m.k)
    m.is_given = 1
    m.weight = 1.0
    m.leap = 0.0
    for i in range(s.n):
        m.began[i] = s.y[i]


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
        if m.easy >= EASY:
            m.stiff = 0


def remember(m: RungeKutta, s: Steps, h: float) -> None:
    """A step that was taken with care."""
    if m.passed < PASSES:
        k = m.passed
        m.spans[2 * k] = s.t - h
        m.spans[2 * k + 1] = s.t
        for i in range(s.n):
            m.states[2 * k * s.n + i] = m.began[i]
            m.states[(2 * k + 1) * s.n + i] = s.y[i]
    m.passed += 1


def first_step(m: RungeKutta, s: Steps) -> None:
    """A step that is probably accepted (Hairer, Nørsett, Wanner II.4)."""
    n = s.n
    scale = s.y_end
    for i in range(n):
        scale[i] = s.atol[i] + s.rtol * abs(s.y[i])
    d1 = size(n, m.k, scale)
    h0 = careful_step(s, size(n, s.y, scale), d1)
    for i in range(n):
        s.w[i] = s.y[i] + h0 * m.k[i]
    s.rhs((s.t + h0, s.w), (m.k[n:],))
    s.counts.evaluations += 1
    for i in range(n):
        s.w[i] = m.k[n + i] - m.k[i]
    probable_step(s, m.order, h0, max(d1, size(n, s.w, scale) / abs(h0)))


# ---------------------------------------------------------------------------------------------------------- one step


def stage(m: RungeKutta, s: Steps, h: float, number: int) -> None:
    """k of a stage, from those before it."""
    stage_state(s.n, m.width, number, h, m.A, m.k, s.y, s.w)
    s.rhs((s.t + m.C[number] * h, s.w), (m.k[number * s.n :],))


@rarely
def careful_stage(m: RungeKutta, s: Steps, h: float, number: int) -> None:
    """k of a stage that is brought back to the constraints, and how far it is noise."""
    t = s.t + m.C[number] * h
    stage_state(s.n, m.width, number, h, m.A, m.k, s.y, s.w)
    bring_back(m, s, t, s.w)
    s.rhs((t, s.w), (m.k[number * s.n :],))
    m.noise = max(m.noise, abs(h) * noise_of_rates(m, s, t, s.w, m.k[number * s.n :]))


@rarely
def bring_back(m: RungeKutta, s: Steps, t: float, y: Numbers) -> None:
    """A state onto the constraints, where there is a way."""
    if m.onto is not None:
        m.onto((t, y), (m.point, m.miss))
        if m.miss[0] >= 0.0:
            for i in range(s.n):
                y[i] = m.point[i]


@rarely
def noise_of_rates(m: RungeKutta, s: Steps, t: float, y: Numbers, rates: Numbers) -> float:
    """By how much rates at a state change with its rounding, in units of the tolerances per unit of time: 1/σ² of it
    near a singular position, σ being the smallest singular value of the constraints."""
    for i in range(s.n):
        off = ROUNDING * max(abs(y[i]), 1.0)
        m.other[i] = y[i] + off if i % 2 == 0 else y[i] - off
    bring_back(m, s, t, m.other)
    s.rhs((t, m.other), (m.left,))
    most = 0.0
    for i in range(s.n):
        off = abs(m.left[i] - rates[i]) / (s.atol[i] + s.rtol * abs(y[i]))
        if not is_finite(off):
            return 1e300
        most = max(most, off)
    return most


@rarely
def smooth_rates(m: RungeKutta, s: Steps, t: float, y: Numbers, rates: Numbers) -> int:
    """Rates at a state where they are noise or have no value, in place: the limit along the branch on which it moves,
    from both sides. 1 where that was needed.

    f(0) = (15 (f₁ + f₋₁) - 6 (f₂ + f₋₂) + f₃ + f₋₃) / 20 + O(δ⁶),    f_k at the states y + k δ (q', 0), brought back to
    the constraints
    """
    speed = 0.0
    for i in range(m.positions):
        speed = max(speed, abs(rates[i]) / max(abs(y[i]), 1.0))
    if not (speed > 0.0 and is_finite(speed)):
        return 0
    delta = NEIGHBOUR / speed
    if delta > LONGEST * abs(s.t_end - s.t):  # at rest, to rounding: nothing moves to a neighbour
        return 0
    if delta * noise_of_rates(m, s, t, y, rates) * min(1.0, s.rtol / FINEST) < LEAST_NOISE:
        return 0
    for i in range(s.n):
        m.change[i] = 0.0
    for number in range(1, 4):
        for side in range(2):
            step = float(number) * (delta if side == 0 else -delta)
            for i in range(s.n):
                m.other[i] = y[i] + step * rates[i] if i < m.positions else y[i]
            bring_back(m, s, t + step, m.other)
            s.rhs((t + step, m.other), (m.left,))
            for i in range(s.n):
                m.change[i] += LIMIT_WEIGHTS[number] * m.left[i]
    for i in range(s.n):
        rates[i] = m.change[i]
    return 1


def take(m: RungeKutta, s: Steps, h: float) -> None:
    """Stages 1 .. s - 1 and the end of a step; stage 0 is known."""
    for number in unrolled(1, m.stages):
        stage(m, s, h, number)
    stage_state(s.n, m.width, m.stages, h, m.A, m.k, s.y, s.y_end)


@rarely
def take_carefully(m: RungeKutta, s: Steps, h: float) -> None:
    """A step by stages that are brought back to the constraints, and so is its end where nothing else does that."""
    m.noise = 0.0
    for number in range(1, m.stages):
        careful_stage(m, s, h, number)
    stage_state(s.n, m.width, m.stages, h, m.A, m.k, s.y, s.y_end)
    if m.projects == 0:
        bring_back(m, s, s.t + h, s.y_end)


def attempt(m: RungeKutta, s: Steps, h: float, is_again: int) -> int:
    """A step, its end on the constraints, f there, and its error; again with care where most of that is across the
    constraints, or where it has left them."""
    status = tried(m, s, h)
    if m.onto is not None and s.is_adaptive == 1 and m.careful == 0:
        needs_care = has_left(m, s, h) if status == DONE else is_across(m, s, h, status, is_again)
        if needs_care == 1:
            begin_with_care(m, s)
            status = tried(m, s, h)
    return status


def has_left(m: RungeKutta, s: Steps, h: float) -> int:
    """Whether a step of independent speeds left the constraints by a part of the tolerances, much more than where it
    began: over a singular position the rates of a stage may be those beside the constraints, which estimates of the
    error miss. Slow drift is none of it."""
    if s.settle is None or m.projects == 1 or m.is_driven == 1:
        return 0
    off = distance_off(m, s, s.t + h, s.y_end)
    if off < OFF:
        return 0
    return 1 if off > LEAP * distance_off(m, s, s.t, s.y) else 0


@rarely
def distance_off(m: RungeKutta, s: Steps, t: float, y: Numbers) -> float:
    """Of a state from the constraints, in units of the tolerances."""
    most = 0.0
    if m.onto is not None:
        m.onto((t, y), (m.point, m.miss))
        if m.miss[0] >= 0.0:
            for i in range(s.n):
                most = max(most, abs(m.point[i] - y[i]) / tolerance(s, i))
    return most


@rarely
def begin_with_care(m: RungeKutta, s: Steps) -> None:
    """Rates at the beginning are those on the constraints, to rounding; a state that was given, or that of an event,
    stays as it is."""
    if m.is_given == 0:
        bring_back(m, s, s.t, s.y)
        s.rhs((s.t, s.y), (m.k,))
    smooth_rates(m, s, s.t, s.y, m.k)
    m.careful = 1
    m.weight = 1.0
    m.leap = 0.0


def is_across(m: RungeKutta, s: Steps, h: float, status: int, is_again: int) -> int:
    """Whether the error of a step is what lies across the constraints: by far, or by much a second time."""
    if status != TOO_SMALL:
        return 1
    if m.is_driven == 1:
        return 0
    part = ACROSS if is_again == 1 else 0.1 * ACROSS
    along = m.error_along if m.projects == 1 else error_left(m, s, h)
    return 1 if along < part * m.error else 0


def tried(m: RungeKutta, s: Steps, h: float) -> int:
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
    if settled(s, s.t + h) == 0:
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
            across = s.error if m.is_driven == 1 else s.error / MOST_ACROSS
        s.error = min(s.error, max(m.error_along / SHARE, across))
    if m.onto is not None and m.careful == 1:
        for number in range(m.stages + 1, m.width):  # the dense output comes to places of its own
            careful_stage(m, s, h, number)
        m.noise = max(m.noise, abs(h) * noise_of_rates(m, s, s.t + h, s.y_end, m.k[m.stages * s.n :]))
        m.error = s.error
        s.error = max(s.error, m.noise * m.weight) * min(1.0, s.rtol / FINEST)
    if not is_finite(s.error):
        return NOT_FINITE
    return DONE if s.error <= 1.0 else TOO_SMALL


def finite_end(s: Steps) -> int:
    """DONE where all of a step's end is finite."""
    total = 0.0
    for i in range(s.n):
        total = total + (s.y_end[i] - s.y_end[i])
    return DONE if is_finite(total) else NOT_FINITE


def shorter(m: RungeKutta, s: Steps, h: float, status: int) -> float:
    if m.onto is not None:
        if m.careful == 1:
            return elsewhere(m, s, h, status)
        if abs(h) < SHORT * m.usual and m.usual * noise_of_rates(m, s, s.t, s.y, m.k) > ACROSS:
            begin_with_care(m, s)
            return within(0.9 * (s.t_end - s.t), 0.5 * m.usual)
    if status == TOO_SMALL:
        return h * max(0.2, SAFE * pow(s.error, -1.0 / m.order))
    return h * 0.25


def elsewhere(m: RungeKutta, s: Steps, h: float, status: int) -> float:
    """Another length for a careful step. Where its error is more than noise, a shorter one; else a stage came too near
    to a singular position, and one a little shorter comes elsewhere, down to a part of the first, and then from that
    on: short steps would only end nearer."""
    m.weight = m.weight * LENIENT
    if m.leap == 0.0:
        m.leap = abs(h)
    if status == TOO_SMALL and m.error > CLEARLY * m.noise:
        m.leap = m.leap * CAREFULLY
        return h * min(CAREFULLY, max(0.2, SAFE * pow(m.error, -1.0 / m.order)))
    h = h * CAREFULLY
    if abs(h) < SHORTEST * m.leap:
        h = within(0.9 * (s.t_end - s.t), ANEW * m.leap)
        m.leap = m.leap * CAREFULLY  # so that it comes to an end
    return h


def next_step(m: RungeKutta, s: Steps, h: float, is_again: int) -> float:
    """The step after one that was accepted, by a filter of the errors of two steps, and never longer than the last error
    alone allows:

        h⁺/h = 0.9 min( ε^(-1/k),  (ε ε₋)^(-1/4k) (h/h₋)^(-1/4) )

    The second is H211b (Söderlind, Digital filters in adaptive time-stepping, ACM TOMS 29, 2003). Where stability bounds
    the steps, as of vibrations that have died down, the first alone grows into the bound and falls back, and every fourth
    step is rejected.
    """
    error = max(s.error, TINY)
    factor = SAFE * pow(error, -1.0 / float(m.order))
    if is_again == 1:
        factor = min(factor, 1.0)
    elif m.before != 0.0:
        smooth = pow(error * m.error_before, -0.25 / float(m.order)) * pow(abs(m.before / h), 0.25)
        factor = min(factor, SAFE * smooth)
    m.error_before = error
    m.before = 0.0 if m.onto is not None and m.careful == 1 else h  # errors of careful steps are noise
    return h * min(factor, s.max_growth)


def short_step(m: RungeKutta, s: Steps, h: float, length: float) -> None:
    if m.onto is not None and m.careful == 1:
        take_carefully(m, s, length)
    else:
        take(m, s, length)
    s.counts.evaluations += m.stages - 1
    settled(s, s.t + length)


# ------------------------------------------------------------------------------------------------- error and polynomial


def tolerance(s: Steps, i: int) -> float:
    """Of a variable in the step in progress."""
    return s.atol[i] + s.rtol * max(abs(s.y[i]), abs(s.y_end[i]))


def estimate(m: RungeKutta, s: Steps, part: int, i: int) -> float:
    """An estimate of the local error of a variable, per unit of time."""
    x = 0.0
    for j in unrolled(m.stages + 1):
        x = x + m.E[part * m.width + j] * m.k[j * s.n + i]
    return x


def local_error(m: RungeKutta, s: Steps, h: float) -> float:
    """The local error in units of the tolerances; of two estimates combined as in DOP853."""
    total = 0.0
    second = 0.0
    for i in range(s.n):
        scale = tolerance(s, i)
        x = estimate(m, s, 0, i) / scale
        total = total + x * x
        if m.estimates > 1:
            x = estimate(m, s, 1, i) / scale
            second = second + x * x
    return combined(m, s, h, total, second)


def combined(m: RungeKutta, s: Steps, h: float, total: float, second: float) -> float:
    """The error from sums of squares of one estimate, or of two (Hairer, Nørsett, Wanner II.10)."""
    if m.estimates == 1:
        return abs(h) * sqrt(total / float(s.n))
    together = total + 0.01 * second
    if together == 0.0:
        return 0.0
    return abs(h) * total / sqrt(together * float(s.n))


def error_left(m: RungeKutta, s: Steps, h: float) -> float:
    """As `local_error`, of the part that projection onto the constraints leaves."""
    total = 0.0
    second = 0.0
    for part in unrolled(m.estimates):
        for i in range(s.n):
            m.change[i] = estimate(m, s, part, i)
        if m.along is not None:
            m.along((s.t + h, s.y_end, m.change), (m.left,))
        for i in range(s.n):
            x = m.left[i] / tolerance(s, i)
            if part == 0:
                total = total + x * x
            else:
                second = second + x * x
    return combined(m, s, h, total, second)


def is_singular(m: RungeKutta, s: Steps, h: float, theta: float, length: float) -> int:
    """Whether the end of a step of some length is far from the polynomial, or rates on that are noise at θ or far from
    its slope."""
    if m.onto is not None and s.is_adaptive == 1:
        interpolate(s.n, m.pieces, length / h, s.r, s.w)
        if is_near(s, s.w, s.y_end) == 0:
            return 1
        t = s.t + theta * h
        interpolate(s.n, m.pieces, theta, s.r, s.w)
        bring_back(m, s, t, s.w)
        s.rhs((t, s.w), (m.change,))
        noise = abs(h) * noise_of_rates(m, s, t, s.w, m.change)
        if not noise * s.rtol / FINEST < 1.0:
            return 1
        interpolate(s.n, m.pieces, theta - BESIDE, s.r, s.w)
        interpolate(s.n, m.pieces, theta + BESIDE, s.r, m.other)
        for i in range(s.n):
            slope = (m.other[i] - s.w[i]) / (2.0 * BESIDE * h)
            scale = abs(slope) + abs(m.k[i]) + abs(m.k[m.stages * s.n + i])
            if abs(m.change[i] - slope) > FAR * scale + s.atol[i] / abs(h):
                return 1
    return 0


def cut(m: RungeKutta, s: Steps, h: float, theta: float) -> None:
    """End a step at θ in a singular position, by its polynomial: what is left of that is a polynomial too, and its
    rates at the end are smooth."""
    n = s.n
    for j in range(m.pieces * n):
        m.k[j] = 0.0
    for j in unrolled(m.pieces):
        interpolate(n, m.pieces, theta * float(j) / float(m.pieces - 1), s.r, s.w)
        for piece in unrolled(m.pieces):
            for i in range(n):
                m.k[piece * n + i] += m.restriction[piece * m.pieces + j] * s.w[i]
    interpolate(n, m.pieces, theta, s.r, s.y_end)
    for j in range(m.pieces * n):
        s.r[j] = m.k[j]
    interpolate(n, m.pieces, 1.0 - BESIDE, s.r, s.w)
    for i in range(n):
        m.k[m.stages * n + i] = (s.y_end[i] - s.w[i]) / (
            BESIDE * theta * h
        )  # no more than the direction along the branch
    smooth_rates(m, s, s.t + theta * h, s.y_end, m.k[m.stages * n :])
    m.is_cut = 1


def has_outlier(m: RungeKutta, s: Steps) -> int:
    """Whether a stage for the dense output has rates far beyond those of the step: it came too near to a singular
    position."""
    for i in range(m.positions, s.n):
        low = min(m.k[i], m.k[m.stages * s.n + i])
        high = max(m.k[i], m.k[m.stages * s.n + i])
        for number in unrolled(m.stages // 2, m.stages, 3):
            low = min(low, m.k[number * s.n + i])
            high = max(high, m.k[number * s.n + i])
        beyond = 2.0 * (high - low) + FAR * max(abs(high), abs(low))
        for number in unrolled(m.stages + 1, m.width):
            if not (m.k[number * s.n + i] <= high + beyond and m.k[number * s.n + i] >= low - beyond):
                return 1
    return 0


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
    for i in range(n):
        change = s.y_end[i] - s.y[i]
        bend = h * m.k[i] - change
        s.r[i] = s.y[i]
        s.r[n + i] = change
        s.r[2 * n + i] = bend
        s.r[3 * n + i] = change - h * m.k[m.stages * n + i] - bend
    for piece in unrolled(4, m.pieces):
        for i in range(n):
            x = 0.0
            for j in unrolled(m.width):
                x = x + m.D[(piece - 4) * m.width + j] * m.k[j * n + i]
            s.r[piece * n + i] = h * x


KERNELS: Final = {
    "is_always_dense": 0, "first_step": first_step, "attempt": attempt, "shorter": shorter, "next_step": next_step, "polynomial": polynomial,
    "short_step": short_step, "advance": advance, "renew": renew, "is_singular": is_singular, "cut": cut,
}  # fmt: skip


@cache
def restriction(pieces: int) -> tuple[float, ...]:
    """Coefficients of a polynomial (`dense.py`) from its values at equal distances, as a matrix, row after row."""
    theta, columns = np.linspace(0, 1, pieces), [np.ones(pieces)]
    for k in range(1, pieces):
        columns.append(columns[-1] * (theta if k % 2 == 1 else 1 - theta))
    return tuple(np.linalg.inv(np.array(columns).T).ravel().tolist())


def runge_kutta(
    tableau: Tableau, n: int, *, positions: int, along: Any, onto: Any, projects: bool, is_driven: bool = False, patience: int = 0
) -> RungeKutta:  # fmt: skip
    """A tableau, ready for n variables."""
    careful = n if onto is not None else 1
    return RungeKutta(
        **KERNELS, pieces=tableau.pieces, stages=tableau.stages, width=tableau.width, estimates=len(tableau.errors), order=tableau.control,
        A=tableau.A, C=tableau.C, E=tableau.E, D=tableau.D, reach=tableau.reach, patience=patience, k=np.zeros(tableau.width * n), change=np.zeros(n),
        left=np.zeros(n), near=np.zeros(n), along=along, onto=onto, projects=int(projects), is_driven=int(is_driven), point=np.zeros(careful), other=np.zeros(careful), positions=positions, restriction=restriction(tableau.pieces), miss=np.zeros(1),
        began=np.zeros(careful), spans=np.zeros(2 * PASSES if onto is not None else 1), states=np.zeros(2 * PASSES * n if onto is not None else 1),
    ).know("along", "onto")  # fmt: skip
