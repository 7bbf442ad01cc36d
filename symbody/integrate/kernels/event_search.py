"""The search for the first event inside a step, as kernels: zeros of event functions on the step's polynomial, then by
true steps.

Event functions are looked at in parts of the step that are short enough for a cubic to describe them, so that functions
that cross zero and return within a step are found too.
"""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Numbers
from .dense import interpolate
from .march_records import TINY, Method, Steps, Watched

LONGEST_PART: Final = 0.5  # of a step, at whose ends and middle event functions are evaluated
SHORTEST_PART: Final = 1.0 / 65536.0  # of a step, below which it is not divided further
HERMITE_TOLERANCE: Final = 0.1  # relative deviation of an event function from its Hermite cubic at a midpoint
MAX_SECANTS: Final = 10  # secant steps towards the time of an event


def is_crossing(before: float, after: float, least: float, direction: int) -> int:
    """Whether an event function that was on one side (the sign of `before`) came to the other, in the direction that
    counts.

    least   value beyond which it is not rounding
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
    width = LONGEST_PART
    while low < 1.0:
        high = min(low + width, 1.0)
        middle = 0.5 * (low + high)
        look(m, s, h, high, e.later)
        look(m, s, h, middle, e.values)
        if high - low > SHORTEST_PART and is_resolved(e, h * (high - low)) == 0:
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
        width = min(LONGEST_PART, 2.0 * width)
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
        if off > HERMITE_TOLERANCE * max(at_ends, abs(e.values[j])) + e.least[j]:
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
    if is_crossing(before, e.values[j], e.least[j], e.sense[j]) == 1:
        return crossing(m, s, h, low, high, j, before)
    if e.values[j] * before > 0.0 and before * h * e.earlier[rate] < 0.0 and before * h * e.values[rate] > 0.0:
        bottom = crossing(m, s, h, low, high, rate, e.earlier[rate])
        look(m, s, h, bottom, e.inner)
        if is_crossing(before, e.inner[j], e.least[j], 0) == 1:
            if is_crossing(before, e.inner[j], e.least[j], e.sense[j]) == 1:
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

    Secant steps from the polynomial's root, until the time changes no further; if they diverge (at a root of higher
    order), the polynomial's root is kept. Returns the length of the step.
    """
    length = theta * h
    aside = (length - 1e-3 * h) if theta > 0.5 else (length + 1e-3 * h)
    other = watched_after(m, s, h, aside)
    for _ in range(MAX_SECANTS):
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
    """By how much a step to an event is too long, by the secant; 0 if the root is found, or where secants lead
    astray."""
    if value == other or value == 0.0:
        return 0.0
    change = value * (length - aside) / (value - other)
    if abs(change) <= TINY * max(abs(t), abs(length)):
        return 0.0
    if (length - change) * h < 0.0 or (length - change - h) * h > 0.0 or abs(change) > 0.01 * abs(h):
        return 0.0
    return change
