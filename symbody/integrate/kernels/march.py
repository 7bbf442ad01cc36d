"""The loop around the steps of any method: step control, events, projection, stored steps, requested times and endings,
as kernels.

`march` goes on until the end, an event, an obstacle, or until its memory for results is full; called again it goes on
where it stopped. It knows nothing of the method, which is a table of coefficients and a few kernels:

    Method    first_step, attempt, shorter, next_step, polynomial, short_step, advance, renew
    Steps     the motion so far, and what it is asked for; `Counts`, `Results`, `Watched`, `Growth` and `Leaps` are
              parts of it

Methods are in `explicit.py`, `radau.py` and `variational.py`.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.language import Function, Indices, Kernel, Known, Mutable, Numbers, is_finite, unrolled
from ...emit.loops.records import Struct

# How `march` ends, and why an attempt at a step is refused.
DONE: Final = 0
FULL: Final = 1
AT_EVENT: Final = 2
TOO_SMALL: Final = 3  # of an attempt: the error is too large
NOT_FINITE: Final = 4
UNSETTLED: Final = 5
TOO_MANY: Final = 6
NOT_CONVERGED: Final = 7
UNBOUNDED: Final = 8
DOUBTS: Final = 9  # the method sees that another kind might do better
CHATTERING: Final = 10  # of marches through events
JUMPED: Final = 11  # speeds changed by much in no time
GOES_ON: Final = -1

WIDEST: Final = 0.5  # parts of a step at whose ends and middles event functions are looked at
NARROWEST: Final = 1.0 / 65536.0
SMOOTH: Final = (
    0.1  # of an event function: by so much it may differ in the middle of a part from the cubic through its ends
)
SECANTS: Final = 10  # towards an event
LEAP: Final = 0.2  # of the largest speed
LITTLE: Final = 1e3  # tolerances by which a state between steps may miss the constraints
TINY: Final = 2.3e-16
STRETCH: Final = 1e4  # between sizes at which the times are compared
# times between them are equal for exponential growth; for the power n of time each is 10^(4/n) of the one before
FASTER: Final = 1.5

# ---------------------------------------------------------------------------------------------------------- records


class Counts(Struct):
    """Work done so far."""

    steps: Mutable[int]
    rejected: Mutable[int]
    evaluations: Mutable[int]
    corrections: Mutable[int]  # iterations of `settle`
    jacobians: Mutable[int]
    factorizations: Mutable[int]
    limit: Mutable[int]  # of steps, after which Python looks around
    most_corrections: Mutable[int]  # in one call of `settle`


class Results(Struct):
    """Memory for the ends of steps and their polynomials, where `is_stored`, and for states at requested times."""

    is_stored: int
    capacity: int  # steps that can be stored
    stored: Mutable[int]
    row_times: Numbers
    rows: Numbers
    polynomials: Numbers
    requested: int
    reached: Mutable[int]  # requested times that are behind
    times: Numbers
    at_times: Numbers


class Watched(Struct):
    """Event functions.

    watch   gives their values and after them their rates; absent where there are none
    values, earlier, later, inner   memory for those
    side    where each function is, by its sign (0: not known yet)
    least   what of each is rounding
    sense   direction in which it counts
    """

    count: int
    event: Mutable[int]  # which one occurred
    values: Numbers
    earlier: Numbers
    later: Numbers
    inner: Numbers
    side: Numbers
    least: Numbers
    sense: Indices
    watch: Function | None


class Growth(Struct):
    """Whether the motion grows without bound.

    count, per_size   variables that are looked at, and one over the size of each at the start
    level             the size at which the time is taken next, `last` and `before` are when the sizes before it were
                      passed
    passed            how many were
    """

    count: int
    passed: Mutable[int]
    level: Mutable[float]
    last: Mutable[float]
    before: Mutable[float]
    per_size: Numbers


class Leaps(Struct):
    """Whether speeds jump, as they do where a motion leaves its branch in a singular position.

    first, count     the speeds among the variables; count is 0 where they are not looked at
    longest, part    the longest step so far, and the part of it within which a change of `LEAP` of their size is a jump
    at, speeds       since when they are compared, and what they were
    """

    first: int
    count: int
    part: Mutable[float]
    longest: Mutable[float]
    at: Mutable[float]
    speeds: Numbers


class Steps(Struct):
    """A motion in progress, as every method sees it.

    y, y_end   the state, and that at the end of the step in progress
    r          polynomial of the step (`dense.py`)
    w, note    scratch memory
    settle     brings a state back to the constraints; absent where there are none
    """

    n: int
    is_adaptive: int
    is_new: Mutable[int]  # whether the state was changed from outside
    t: Mutable[float]  # time reached
    h: Mutable[float]  # next step, with sign; 0 asks for a choice
    error: Mutable[float]  # of the last attempt, in units of the tolerances
    t_end: float
    rtol: float
    max_step: float
    max_growth: float  # factor between steps
    atol: Numbers
    y: Numbers
    y_end: Numbers
    r: Numbers
    w: Numbers
    note: Numbers
    counts: Counts
    results: Results
    watched: Watched
    growth: Growth
    leaps: Leaps
    rhs: Function
    settle: Function | None


class Method(Struct):
    """How steps are taken, by kernels of (method, steps, ...).

    first_step()              choose steps.h
    attempt(h, is_again)      y_end after a step h, on the constraints: DONE, or why it is refused; is_again where one
                              was refused before
    shorter(h, status)        the step to try after one that was refused
    next_step(h, is_again)    the step after this one
    polynomial(h, is_short)   steps.r; is_short where `short_step` came last
    short_step(h, length)     y_end after a part of a step h whose polynomial is known
    advance(h)                the step is made: remember what the next one needs
    renew()                   the state was changed from outside
    is_singular(h, theta, length)   whether the end of a shorter step is noise, as in singular positions
    cut(h, theta)             end the step at θ, by its polynomial

    doubts     set where another kind of method might do better: an implicit one where this is explicit, and the other
               way round
    patience   how many steps in a row have to say so; 0: nobody asks
    """

    doubts: Mutable[int]
    patience: Mutable[int]
    pieces: Known[int]  # of the polynomial
    is_always_dense: Known[int]  # whether the next step needs the polynomial of this one
    first_step: Known[Kernel]
    attempt: Known[Kernel]
    shorter: Known[Kernel]
    next_step: Known[Kernel]
    polynomial: Known[Kernel]
    short_step: Known[Kernel]
    advance: Known[Kernel]
    renew: Known[Kernel]
    is_singular: Known[Kernel]
    cut: Known[Kernel]


# ---------------------------------------------------------------------------------------------------------- the loop


def march(m: Method, s: Steps) -> int:
    """Steps until something happens; see the head of this file."""
    if s.is_new == 1:
        m.renew(m, s)
        s.is_new = 0
    if s.h == 0.0:
        m.first_step(m, s)
    while True:
        ended = standing(s)
        if ended != GOES_ON:
            return ended
        t = s.t
        left = s.t_end - t
        h = within(s.h, s.max_step)
        is_last = 0
        if abs(h) * 1.000001 >= abs(left):
            h = left
            is_last = 1
        is_again = 0
        while True:
            if t + h == t and abs(left) > abs(t) * 1e-15:
                return TOO_SMALL
            status = m.attempt(m, s, h, is_again)
            if status == DONE:
                break
            if s.is_adaptive == 0:
                return status
            s.counts.rejected += 1
            if abs(h) <= 16.0 * TINY * max(abs(t), abs(left) * 1e-3):
                s.h = h
                return status
            h = m.shorter(m, s, h, status)
            is_again = 1
            is_last = 0
        after = s.t_end if is_last == 1 else t + h
        if s.is_adaptive == 1:
            s.h = m.next_step(m, s, h, is_again)
        if needs_polynomial(m, s, after) == 1:
            m.polynomial(m, s, h, 0)
        occurred = 0
        if s.watched.watch is not None:
            theta = first_crossing(m, s, h)
            if theta < 2.0:
                occurred = 1
                length = event_step(m, s, h, theta)
                if m.is_singular(m, s, h, theta, length) == 1:
                    after = t + theta * h
                    m.cut(m, s, h, theta)
                    h = after - t
                else:
                    after = t + length
                    h = after - t
                    m.polynomial(m, s, h, 1)
        store(m, s, after, left)
        for i in range(s.n):
            s.y[i] = s.y_end[i]
        s.t = after
        m.advance(m, s, h)
        s.counts.steps += 1
        if grows_without_bound(s.growth, s.y, s.t) == 1:
            return UNBOUNDED
        if s.leaps.count > 0 and occurred == 0 and jumps(s.leaps, s.y, s.t, h) == 1:
            return JUMPED
        if occurred == 1:
            return AT_EVENT
        if m.doubts == 1:
            m.doubts = 0
            return DOUBTS


def grows_without_bound(g: Growth, y: Numbers, t: float) -> int:
    """Whether the largest variable passes the third of three sizes, and took no longer for it than exponential growth
    does."""
    largest = 0.0
    for i in range(g.count):
        largest = max(largest, abs(y[i]) * g.per_size[i])
    if largest > g.level:
        g.passed += 1
        if g.passed > 2 and abs(t - g.last) <= FASTER * abs(g.last - g.before):
            return 1
        g.before = g.last
        g.last = t
        g.level = g.level * STRETCH
        while largest > g.level:  # several in one step: exponential growth takes shorter ones
            g.level = g.level * STRETCH
            g.passed = 1
    return 0


def jumps(e: Leaps, y: Numbers, t: float, h: float) -> int:
    """Whether speeds changed by much within a small part of the longest step."""
    e.longest = max(e.longest, abs(h))
    if abs(t - e.at) <= e.part * e.longest:
        change = 0.0
        size = 0.0
        for i in range(e.count):
            change = max(change, abs(y[e.first + i] - e.speeds[i]))
            size = max(size, abs(e.speeds[i]))
        return 1 if change > LEAP * size and size > 0.0 else 0
    e.at = t
    for i in range(e.count):
        e.speeds[i] = y[e.first + i]
    return 0


def standing(s: Steps) -> int:
    """How the loop ends before its next step, or GOES_ON."""
    if s.t_end == s.t:
        return DONE
    if s.results.stored >= s.results.capacity:
        return FULL
    if s.counts.steps >= s.counts.limit:
        return TOO_MANY
    return GOES_ON


def within(h: float, most: float) -> float:
    """h, or as much of it as is allowed."""
    if abs(h) > most:
        return most if h > 0.0 else -most
    return h


def settled(s: Steps, t: float) -> int:
    """Bring the end of a step back to the constraints: 1, or 0 where that fails."""
    if s.settle is not None:
        s.settle((t, s.y_end), (s.w, s.note))
        for i in range(s.n):
            s.y_end[i] = s.w[i]
        if s.note[0] < 0.0:
            return 0
        iterations = int(s.note[0])
        s.counts.corrections += iterations
        if iterations > s.counts.most_corrections:
            s.counts.most_corrections = iterations
    return 1


# ---------------------------------------------------------------------------------------------------------- results


def needs_polynomial(m: Method, s: Steps, after: float) -> int:
    """Whether anybody asks for what lies inside a step that ends at `after`."""
    if m.is_always_dense == 1 or s.results.is_stored == 1 or s.watched.watch is not None:
        return 1
    next_one = s.results.reached
    if next_one < s.results.requested and (s.results.times[next_one] - after) * (after - s.t) < 0.0:
        return 1
    return 0


def interpolate(n: int, pieces: int, theta: float, r: Numbers, out: Numbers) -> None:
    """The polynomial r at θ; see `dense.py`."""
    for i in range(n):
        x = 0.0
        for m in unrolled(1, pieces):
            x = (x + r[(pieces - m) * n + i]) * (theta if (pieces - m) % 2 == 1 else 1.0 - theta)
        out[i] = r[i] + x


def store(m: Method, s: Steps, after: float, direction: float) -> None:
    """The step that ends at `after`: states at the requested times in it (on the constraints), its end and its
    polynomial.

    direction   of time, by its sign: a step to an event may have no length
    """
    out = s.results
    while out.reached < out.requested:
        if (out.times[out.reached] - after) * direction > 0.0:
            break
        store_point(m, s, after, out.at_times[out.reached * s.n :])
        out.reached += 1
    if out.is_stored == 1:
        row = out.stored
        out.row_times[row] = after
        for i in range(s.n):
            out.rows[row * s.n + i] = s.y_end[i]
        for i in range(m.pieces * s.n):
            out.polynomials[row * m.pieces * s.n + i] = s.r[i]
        out.stored = row + 1


def store_point(m: Method, s: Steps, after: float, point: Numbers) -> None:
    """The state at the next requested time."""
    at = s.results.times[s.results.reached]
    if at == after:
        for i in range(s.n):
            point[i] = s.y_end[i]
        return
    interpolate(s.n, m.pieces, (at - s.t) / (after - s.t) if after != s.t else 1.0, s.r, point)
    if s.settle is not None:
        s.settle((at, point), (s.w, s.note))
        if s.note[0] >= 0.0 and is_near(s, point, s.w) == 1:
            for i in range(s.n):
                point[i] = s.w[i]


def is_near(s: Steps, y: Numbers, settled: Numbers) -> int:
    """Whether a state was moved by little beside the tolerances: in singular positions the way back to the constraints
    is noise."""
    for i in range(s.n):
        if abs(settled[i] - y[i]) > LITTLE * (s.atol[i] + s.rtol * abs(y[i])):
            return 0
    return 1


# ---------------------------------------------------------------------------------------------------------- events


def crossed(before: float, after: float, least: float, direction: int) -> int:
    """Whether an event function that was on one side (the sign of `before`) came to the other, in the direction that
    counts.

    least   what it has to be beyond zero to be told from rounding
    """
    if before < 0.0 and after > least and direction >= 0:
        return 1
    if before > 0.0 and after < -least and direction <= 0:
        return 1
    return 0


def look(m: Method, s: Steps, h: float, theta: float, values: Numbers) -> None:
    """Event functions and their rates on the polynomial of a step h, at θ."""
    interpolate(s.n, m.pieces, theta, s.r, s.w)
    if s.watched.watch is not None:
        s.watched.watch((s.t + theta * h, s.w), (values,))


def first_crossing(m: Method, s: Steps, h: float) -> float:
    """θ of the first event inside the step, on its polynomial, or 2 if there is none; which one goes into
    watched.event.

    Functions are looked at in parts of the step that are short enough for them: in the middle of a part they are near
    the cubics through its ends. One that comes back to its side within half a part has turned there, which its rates
    show.
    """
    e = s.watched
    look(m, s, h, 0.0, e.earlier)
    low = 0.0
    width = WIDEST
    while low < 1.0:
        high = min(low + width, 1.0)
        middle = 0.5 * (low + high)
        look(m, s, h, high, e.later)
        look(m, s, h, middle, e.values)
        if high - low > NARROWEST and is_resolved(e, h * (high - low)) == 0:
            width = 0.5 * (high - low)
            continue
        theta = first_within(m, s, h, low, middle)
        if theta < 2.0:
            return theta
        for j in range(2 * e.count):
            e.earlier[j] = e.values[j]
            e.values[j] = e.later[j]
        theta = first_within(m, s, h, middle, high)
        if theta < 2.0:
            return theta
        for j in range(2 * e.count):
            e.earlier[j] = e.values[j]
        low = high
        width = min(WIDEST, 2.0 * width)
    return 2.0


def is_resolved(e: Watched, length: float) -> int:
    """Whether all functions and their rates are in the middle of a part near the cubic through their values and rates
    at its ends."""
    for j in range(e.count):
        rate = e.count + j
        cubic = 0.5 * (e.earlier[j] + e.later[j]) + 0.125 * length * (e.earlier[rate] - e.later[rate])
        slope = 1.5 * (e.later[j] - e.earlier[j]) - 0.25 * length * (e.earlier[rate] + e.later[rate])
        at_ends = max(abs(e.earlier[j]), abs(e.later[j]))
        off = max(abs(cubic - e.values[j]), abs(slope - length * e.values[rate]))
        if off > SMOOTH * max(at_ends, abs(e.values[j])) + e.least[j]:
            return 0
    return 1


def first_within(m: Method, s: Steps, h: float, low: float, high: float) -> float:
    """θ of the first event between low and high, at which values are known, or 2; functions take the side that they are
    on at the end."""
    e = s.watched
    found = 2.0
    for j in range(e.count):
        theta = crossing_within(m, s, h, low, high, j)
        if theta < found:
            found = theta
            e.event = j
    if found < 2.0:
        return found
    for j in range(e.count):
        if e.values[j] * e.side[j] <= 0.0 and abs(e.values[j]) > e.least[j]:
            e.side[j] = e.values[j]  # it was left in a direction that does not count, or was not known
    return 2.0


def crossing_within(m: Method, s: Steps, h: float, low: float, high: float, j: int) -> float:
    """θ between low and high at which event j occurs first, or 2; its values at both are known."""
    e = s.watched
    rate = e.count + j
    before = e.side[j]
    if before == 0.0:
        return 2.0
    if crossed(before, e.values[j], e.least[j], e.sense[j]) == 1:
        return crossing(m, s, h, low, high, j, before)
    if e.values[j] * before > 0.0 and before * h * e.earlier[rate] < 0.0 and before * h * e.values[rate] > 0.0:
        bottom = crossing(m, s, h, low, high, rate, e.earlier[rate])
        look(m, s, h, bottom, e.inner)
        if crossed(before, e.inner[j], e.least[j], 0) == 1:
            if crossed(before, e.inner[j], e.least[j], e.sense[j]) == 1:
                return crossing(m, s, h, low, bottom, j, before)
            return crossing(m, s, h, bottom, high, j, -before)
    return 2.0


def crossing(m: Method, s: Steps, h: float, low: float, high: float, j: int, before: float) -> float:
    """θ at which entry j of what is watched leaves its side, by bisection on the step's polynomial: for steps of any
    shape."""
    a = low
    b = high
    for _ in range(60):
        if b - a <= TINY * b:
            break
        middle = 0.5 * (a + b)
        look(m, s, h, middle, s.watched.inner)
        if s.watched.inner[j] * before > 0.0:
            a = middle
        else:
            b = middle
    return b


def event_step(m: Method, s: Steps, h: float, theta: float) -> float:
    """Shorten the step to the event, by true steps from its start: the root is that of the method, not of its
    polynomial.

    Secants from the polynomial's root, until the time cannot be told apart; where they lead astray (at a root of higher
    order) the polynomial's root stays. Returns the length of the step.
    """
    length = theta * h
    aside = (length - 1e-3 * h) if theta > 0.5 else (length + 1e-3 * h)
    other = watched_after(m, s, h, aside)
    for _ in range(SECANTS):
        value = watched_after(m, s, h, length)
        change = refinement(s.t, h, length, aside, value, other)
        if change == 0.0:
            break
        aside = length
        other = value
        length = length - change
    return length


def watched_after(m: Method, s: Steps, h: float, length: float) -> float:
    """The event function at the end of a shorter step."""
    m.short_step(m, s, h, length)
    if s.watched.watch is not None:
        s.watched.watch((s.t + length, s.y_end), (s.watched.values,))
    return s.watched.values[s.watched.event]


def refinement(t: float, h: float, length: float, aside: float, value: float, other: float) -> float:
    """By how much a step to an event is too long, by the secant; 0 where the root is found, or where secants lead
    astray."""
    if value == other or value == 0.0:
        return 0.0
    change = value * (length - aside) / (value - other)
    if abs(change) <= TINY * max(abs(t), abs(length)):
        return 0.0
    if (length - change) * h < 0.0 or (length - change - h) * h > 0.0 or abs(change) > 0.01 * abs(h):
        return 0.0
    return change


# ---------------------------------------------------------------------------------------------------------- for methods


def no_first_step(m: Method, s: Steps) -> None:
    """Steps have a length that was given."""


def never_singular(m: Method, s: Steps, h: float, theta: float, length: float) -> int:
    """Singular positions are not looked for."""
    return 0


def no_cut(m: Method, s: Steps, h: float, theta: float) -> None:
    """Steps are not cut by their polynomials."""


def same_step(m: Method, s: Steps, h: float, status: int) -> float:
    """Steps keep their length."""
    return h


def size(n: int, y: Numbers, scale: Numbers) -> float:
    """Root mean square of y in units of the tolerances."""
    total = 0.0
    for i in range(n):
        x = y[i] / scale[i]
        total = total + x * x
    return sqrt(total / float(n))


def careful_step(s: Steps, d0: float, d1: float) -> float:
    """A step over which f changes little, with its sign: d0 and d1 are sizes of y and f (Hairer, Nørsett, Wanner
    II.4)."""
    span = s.t_end - s.t
    h = 0.01 * d0 / d1 if d0 >= 1e-5 and d1 >= 1e-5 else 1e-6
    return within(span, h)


def probable_step(s: Steps, order: int, h0: float, bend: float) -> None:
    """The first step: one that is probably accepted, from a careful one and the size of f or f'."""
    span = s.t_end - s.t
    h = abs(h0)
    h1 = pow(0.01 / bend, 1.0 / order) if bend > 1e-15 else max(1e-6, h * 1e-3)
    h1 = min(100.0 * h, h1)
    if not is_finite(h1):
        h1 = h
    s.h = within(span, min(h1, s.max_step))
