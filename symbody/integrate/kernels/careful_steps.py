"""Steps of explicit methods near singular positions of the constraints, as kernels.

Rates beside the constraints differ there without bound from those on them, and an error across the constraints is large
in any step, however small. A *careful* step takes rates at stages that were brought back to the constraints, f(P(y)) in
place of f(y), which is the same motion and stays smooth. What rounding of a state makes of its rates is their *noise*:
it grows as 1/σ², σ being the smallest singular value of the constraints, and bounds the accuracy of such a step.
"""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Numbers, is_finite, rarely, unrolled
from .dense import interpolate
from .march import is_near
from .march_records import TOO_SMALL, Steps
from .runge_kutta import RungeKutta, error_left, tolerance
from .stages import stage_state
from .step_control import retry_step, within

FINEST_RTOL: Final = 1e-11  # of careful steps: rates near singular positions are not more accurate
STORED_ENDS: Final = 32  # number of careful steps whose ends are kept
PERTURBATION: Final = 4e-16  # relative change of a state; the change of its rates is their noise

# when a step is taken with care
TANGENTIAL_PART: Final = 0.1  # an error of which projection leaves less than this fraction is normal to the constraints
MAX_DRIFT: Final = 0.02  # distance from the constraints, in tolerances, that a step without projection may reach
DRIFT_GROWTH: Final = 4.0  # such a step needs care where that distance grew by more than this factor
SHORT_STEP: Final = 0.05  # steps below this fraction of the usual length are examined for noise
NOISE_LIMIT: Final = 0.1  # noise over the usual step, in tolerances, from which on steps are careful

# how the length of a careful step is found
NOISE_DECAY: Final = 0.5  # factor of the weight of noise in each further attempt
REDUCTION: Final = 0.7  # factor of the length of a careful step in the next attempt
ABOVE_NOISE: Final = 100.0  # an error above this multiple of its noise is a truncation error
MIN_REDUCTION: Final = 0.3  # attempts begin again where the length falls below this fraction of the first
RESTART_LENGTH: Final = 0.95  # fraction of that first length with which they begin again

# limits of rates in singular positions
NEIGHBOUR_DISTANCE: Final = 5e-3  # of states from which rates are extrapolated, in units of the coordinates
MAX_DELAY: Final = 1e6  # neighbours farther away than this multiple of the remaining time are ignored
LEAST_NOISE: Final = 0.01  # of rates that are replaced by their limit, in tolerances
LIMIT_WEIGHTS: Final = (0.0, 0.75, -0.3, 0.05)  # of the rates at the neighbours, in the extrapolated limit
DIFFERENCE_STEP: Final = 1e-3  # fraction of a step, for finite differences of its polynomial
RATE_DEVIATION: Final = 0.05  # fraction of a rate by which another may differ from it


# ---------------------------------------------------------------------------------------------------- rates and their noise


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
        off = PERTURBATION * max(abs(y[i]), 1.0)
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
    delta = NEIGHBOUR_DISTANCE / speed
    if delta > MAX_DELAY * abs(s.t_end - s.t):  # at rest, to rounding: nothing moves to a neighbour
        return 0
    if delta * noise_of_rates(m, s, t, y, rates) * min(1.0, s.rtol / FINEST_RTOL) < LEAST_NOISE:
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


# ---------------------------------------------------------------------------------------------------------- a careful step


@rarely
def careful_stage(m: RungeKutta, s: Steps, h: float, number: int) -> None:
    """k of a stage that is brought back to the constraints, and how far it is noise."""
    t = s.t + m.C[number] * h
    stage_state(s.n, m.width, number, h, m.A, m.k, s.y, s.w)
    bring_back(m, s, t, s.w)
    s.rhs((t, s.w), (m.k[number * s.n :],))
    m.noise = max(m.noise, abs(h) * noise_of_rates(m, s, t, s.w, m.k[number * s.n :]))


@rarely
def take_carefully(m: RungeKutta, s: Steps, h: float) -> None:
    """A step by stages that are brought back to the constraints, and so is its end where nothing else does that."""
    m.noise = 0.0
    for number in range(1, m.stages):
        careful_stage(m, s, h, number)
    stage_state(s.n, m.width, m.stages, h, m.A, m.k, s.y, s.y_end)
    if m.projects == 0:
        bring_back(m, s, s.t + h, s.y_end)


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


def elsewhere(m: RungeKutta, s: Steps, h: float, status: int) -> float:
    """Another length for a careful step. Where its error is more than noise, a shorter one; else a stage came too near
    to a singular position, and one a little shorter comes elsewhere, down to a part of the first, and then from that
    on: short steps would only end nearer."""
    m.weight = m.weight * NOISE_DECAY
    if m.leap == 0.0:
        m.leap = abs(h)
    if status == TOO_SMALL and m.error > ABOVE_NOISE * m.noise:
        m.leap = m.leap * REDUCTION
        return h * min(REDUCTION, retry_step(1.0, m.error, m.order))
    h = h * REDUCTION
    if abs(h) < MIN_REDUCTION * m.leap:
        h = within(0.9 * (s.t_end - s.t), RESTART_LENGTH * m.leap)
        m.leap = m.leap * REDUCTION  # so that it comes to an end
    return h


def remember(m: RungeKutta, s: Steps, h: float) -> None:
    """A step that was taken with care."""
    if m.passed < STORED_ENDS:
        k = m.passed
        m.spans[2 * k] = s.t - h
        m.spans[2 * k + 1] = s.t
        for i in range(s.n):
            m.states[2 * k * s.n + i] = m.began[i]
            m.states[(2 * k + 1) * s.n + i] = s.y[i]
    m.passed += 1


# -------------------------------------------------------------------------------------------------------- whether it is one


def has_left(m: RungeKutta, s: Steps, h: float) -> int:
    """Whether a step of independent speeds left the constraints by a part of the tolerances, much more than where it
    began: over a singular position the rates of a stage may be those beside the constraints, which estimates of the
    error miss. Slow drift does not count."""
    if s.settle is None or m.projects == 1 or m.is_driven == 1:
        return 0
    off = distance_off(m, s, s.t + h, s.y_end)
    if off < MAX_DRIFT:
        return 0
    return 1 if off > DRIFT_GROWTH * distance_off(m, s, s.t, s.y) else 0


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


def is_across(m: RungeKutta, s: Steps, h: float, status: int, is_again: int) -> int:
    """Whether the error of a step is what lies across the constraints: by far, or by much a second time."""
    if status != TOO_SMALL:
        return 1
    if m.is_driven == 1:
        return 0
    part = TANGENTIAL_PART if is_again == 1 else 0.1 * TANGENTIAL_PART
    along = m.error_along if m.projects == 1 else error_left(m, s, h)
    return 1 if along < part * m.error else 0


def has_outlier(m: RungeKutta, s: Steps) -> int:
    """Whether a stage for the dense output has rates far beyond those of the step: it came too near to a singular
    position."""
    for i in range(m.positions, s.n):
        low = min(m.k[i], m.k[m.stages * s.n + i])
        high = max(m.k[i], m.k[m.stages * s.n + i])
        for number in unrolled(m.stages // 2, m.stages, 3):
            low = min(low, m.k[number * s.n + i])
            high = max(high, m.k[number * s.n + i])
        beyond = 2.0 * (high - low) + RATE_DEVIATION * max(abs(high), abs(low))
        for number in unrolled(m.stages + 1, m.width):
            if not (m.k[number * s.n + i] <= high + beyond and m.k[number * s.n + i] >= low - beyond):
                return 1
    return 0


# ------------------------------------------------------------------------------------------- events in singular positions


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
        if not noise * s.rtol / FINEST_RTOL < 1.0:
            return 1
        interpolate(s.n, m.pieces, theta - DIFFERENCE_STEP, s.r, s.w)
        interpolate(s.n, m.pieces, theta + DIFFERENCE_STEP, s.r, m.other)
        for i in range(s.n):
            slope = (m.other[i] - s.w[i]) / (2.0 * DIFFERENCE_STEP * h)
            scale = abs(slope) + abs(m.k[i]) + abs(m.k[m.stages * s.n + i])
            if abs(m.change[i] - slope) > RATE_DEVIATION * scale + s.atol[i] / abs(h):
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
    interpolate(n, m.pieces, 1.0 - DIFFERENCE_STEP, s.r, s.w)
    for i in range(n):  # no more than the direction along the branch
        m.k[m.stages * n + i] = (s.y_end[i] - s.w[i]) / (DIFFERENCE_STEP * theta * h)
    smooth_rates(m, s, s.t + theta * h, s.y_end, m.k[m.stages * n :])
    m.is_cut = 1
