"""A step of an explicit Runge-Kutta method and its error, as kernels of the records of `march.py`."""

from __future__ import annotations

from math import sqrt

from ...emit.loops.kernel_language import Function, Known, Mutable, Numbers, unrolled
from .march_records import Method, Steps
from .stages import stage_state


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
    projects   whether the ends of steps are brought back in any case, and projects_stages whether stages are
    is_driven  1 where constraints are rheonomic, moving with time or an input: then the error of a step across them is
               motion that polynomials have to follow, and does not indicate a singular position
    change, left, point, other, miss   memory for those
    before, error_before   length of the last step, 0 if there is none, and its error
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
    projects_stages: Known[int]
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


def stage(m: RungeKutta, s: Steps, h: float, number: int) -> None:
    """k of a stage, from those before it."""
    stage_state(s.n, m.width, number, h, m.A, m.k, s.y, s.w)
    if m.projects_stages == 1 and m.onto is not None:
        m.onto((s.t + m.C[number] * h, s.w), (m.point, m.miss))
        if m.miss[0] >= 0.0:
            iterations = int(m.miss[0])
            s.counts.corrections += iterations
            if iterations > s.counts.most_corrections:
                s.counts.most_corrections = iterations
            for i in range(s.n):
                s.w[i] = m.point[i]
    s.rhs((s.t + m.C[number] * h, s.w), (m.k[number * s.n :],))


def take(m: RungeKutta, s: Steps, h: float) -> None:
    """Stages 1 .. s - 1 and the end of a step; stage 0 is known."""
    for number in unrolled(1, m.stages):
        stage(m, s, h, number)
    stage_state(s.n, m.width, m.stages, h, m.A, m.k, s.y, s.y_end)


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
    return error_norm(m, s, h, total, second)


def error_norm(m: RungeKutta, s: Steps, h: float, total: float, second: float) -> float:
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
    return error_norm(m, s, h, total, second)
