"""Steps through events, as kernels: what follows at a zero crossing is decided without leaving the loop.

`march` stops at an event; here it is counted, the state is reset where the event has a reset map, and the march goes
on. Events that occur at the same time, or that a reset takes across zero, follow in the order in which they are given.
"""

from __future__ import annotations

from ...emit.loops.kernel_language import Function, Known, Mutable, Numbers
from ...emit.loops.records import Struct
from ..events.events import CHATTERING_EVENTS
from ..kernels.march import march
from ..kernels.march_records import AT_EVENT, AT_SWITCH, CHATTERING, UNSETTLED, Method, Steps


class EventRules(Struct):
    """Consequences of events.

    is_terminal    of each: whether the motion ends there
    is_reset       whether it has a reset map: `reset` gives the state after it from time, state and the number of the
                   event
    is_one_sided   whether its function is positive between events (the gap of a contact)
    rounding       of the event functions
    count          events so far, of which the first `record` are stored: `times` and `which`, and `keeps` variables of
                   the state before in `before`
    short          a time within which CHATTERING_EVENTS events are chattering; `recent` are the times of the last ones
    """

    record: int
    keeps: Known[int]
    short: float
    count: Mutable[int]
    times: Numbers
    which: Numbers
    recent: Numbers
    before: Numbers
    is_terminal: Known[Numbers]
    is_reset: Known[Numbers]
    is_one_sided: Known[Numbers]
    reset: Known[Function | None]
    rounding: Known[Function | None]


def march_through_events(m: Method, s: Steps, e: EventRules) -> int:
    """As `march`; AT_EVENT where an event ends the motion."""
    for i in range(s.growth.count):
        s.growth.per_size[i] = 1.0 / max(abs(s.y[i]), s.atol[i] / s.rtol, 1.0)
    set_sides(s, e)
    while True:
        status = march(m, s)
        if status != AT_EVENT and status != AT_SWITCH:
            return status
        first = -1
        ends = 0.0
        if status == AT_EVENT:
            first = s.watched.event
            ends = e.is_terminal[first]
            found = consequences(s, e, first)
            if found != AT_EVENT:
                return found
        for j in range(s.watched.count):
            if j != first and occurs_too(s, e, j) == 1:
                ends = max(ends, e.is_terminal[j])
                found = consequences(s, e, j)
                if found != AT_EVENT:
                    return found
        if ends > 0.5:
            return AT_EVENT
        set_sides(s, e)


def consequences(s: Steps, e: EventRules, k: int) -> int:
    """Count event k and reset the state: AT_EVENT, or why the motion cannot go on."""
    if e.count < e.record:
        e.times[e.count] = s.t
        e.which[e.count] = float(k)
        for i in range(e.keeps):
            e.before[e.count * e.keeps + i] = s.y[i]
    e.recent[e.count % CHATTERING_EVENTS] = s.t
    e.count += 1
    if e.count >= CHATTERING_EVENTS and abs(s.t - e.recent[e.count % CHATTERING_EVENTS]) <= e.short:
        return CHATTERING
    if e.reset is not None and e.is_reset[k] > 0.5:
        e.reset((s.t, s.y, float(k)), (s.y_end,))
        if s.settle is not None:
            s.settle((s.t, s.y_end), (s.w, s.note))
            for i in range(s.n):
                s.y_end[i] = s.w[i]
            if s.note[0] < 0.0:
                return UNSETTLED
        for i in range(s.n):
            s.y[i] = s.y_end[i]
        last = s.results.reached - 1
        if last >= 0 and s.results.times[last] == s.t:
            for i in range(s.n):
                s.results.at_times[last * s.n + i] = s.y[i]
        s.is_new = 1
    return AT_EVENT


def look_now(s: Steps, e: EventRules) -> None:
    """Event functions and their rates at the present state, and what of the functions is rounding."""
    if s.watched.watch is not None:
        s.watched.watch((s.t, s.y), (s.watched.values,))
    if e.rounding is not None:
        e.rounding((s.t, s.y), (s.watched.least,))


def set_sides(s: Steps, e: EventRules) -> None:
    """The sign of each function; where that is rounding, of its rate. Where that is zero too, a function keeps the sign
    that it had."""
    w = s.watched
    look_now(s, e)
    for j in range(w.count):
        rate = w.values[w.count + j]
        if e.is_one_sided[j] > 0.5:
            if w.values[j] < 0.0:
                w.least[j] = max(w.least[j], -2.0 * w.values[j])
            w.side[j] = 1.0
        elif abs(w.values[j]) > w.least[j]:
            w.side[j] = w.values[j]
        elif rate != 0.0:
            w.side[j] = rate


def occurs_too(s: Steps, e: EventRules, j: int) -> int:
    """Whether another function is beyond zero in a direction that counts, or is zero within rounding and about to leave
    its side."""
    w = s.watched
    look_now(s, e)
    side = w.side[j]
    if side == 0.0 or float(w.sense[j]) * side > 0.0:
        return 0
    if abs(w.values[j]) > w.least[j]:
        return 1 if w.values[j] * side < 0.0 else 0
    return 1 if w.values[w.count + j] * side < 0.0 else 0
