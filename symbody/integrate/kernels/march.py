"""The loop around the steps of any method: step control, events, projection, stored steps, requested times and endings,
as kernels.

`march` goes on until the end, an event, an obstacle, or until its memory for results is full; called again it goes on
where it stopped. It knows nothing of the method, which is a table of coefficients and a few kernels
(`march_records.Method`): `explicit.py`, `radau.py` and `variational_steps.py`.
"""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Numbers
from .dense import interpolate
from .event_search import event_step, first_crossing
from .march_records import (
    AT_EVENT,
    AT_SWITCH,
    DONE,
    DOUBTS,
    FULL,
    GOES_ON,
    JUMPED,
    TINY,
    TOO_MANY,
    TOO_SMALL,
    UNBOUNDED,
    Growth,
    Leaps,
    Method,
    Steps,
)
from .next_switching import next_switching_time
from .probes import sees_time
from .step_control import within

JUMP_SIZE: Final = 0.2  # a change of the speeds above this fraction of the largest is a jump
NEAR_CONSTRAINTS: Final = 1e3  # largest distance from the constraints of an interpolated state, in tolerances
GROWTH_LEVELS: Final = 1e4  # ratio between the sizes at which the times of a growing motion are compared
# times between two levels are equal for exponential growth, and grow by 10^(4/n) for the power n of time
EXPONENTIAL_GROWTH: Final = 1.5  # ratio of these times below which growth is exponential
NO_REST: Final = (
    1e-6  # of a step of fixed length: a remainder below it, behind a switching time, is not a step of its own
)


def march(m: Method, s: Steps) -> int:
    """Steps until something happens; see the head of this file."""
    if s.is_new == 1:
        take_samples(s)
        if s.switching.lines_at is not None:
            s.switching.lines_at((s.t, s.y), (s.switching.lines,))
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
        stop = s.t_end
        until = left
        planned = within(s.h, s.max_step)
        if s.switching.count > 0:
            stop = next_switching_time(s.switching, t, s.t_end)
            until = s.switching.before - t
            if s.switching.rest != 0.0:
                planned = s.switching.rest
        h = planned
        is_last = 0
        if abs(h) * 1.000001 >= abs(until):
            h = until
            is_last = 1
        is_again = 0
        while True:
            if t + h == t and abs(left) > abs(t) * 1e-15:
                return TOO_SMALL
            status = m.attempt(m, s, h, is_again)
            if status == DONE and s.probes.count > 0:
                status = sees_time(s, h)
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
        is_told = s.switching.is_told * s.switching.is_jump if s.switching.count > 0 and is_last == 1 else 0
        after = stop if is_last == 1 else t + h
        if is_told == 1:
            after = s.switching.before
        if s.is_adaptive == 1:
            s.h = m.next_step(m, s, h, is_again)
            if s.switching.count > 0 and is_last == 1 and is_again == 0 and abs(s.h) < abs(planned):
                s.h = planned  # the step was cut short: the next one is as planned
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
        if s.switching.count > 0:
            pass_switching_time(m, s, t + planned, is_last * (1 - occurred))
        if s.growth.count > 0 and grows_without_bound(s.growth, s.y, s.t) == 1:
            return UNBOUNDED
        if s.leaps.count > 0 and occurred == 0 and jumps(s.leaps, s.y, s.t, h) == 1:
            return JUMPED
        if occurred == 1:
            return AT_EVENT
        if is_told == 1:
            return AT_SWITCH
        if m.patience > 0 and m.doubts == 1:
            m.doubts = 0
            return DOUBTS


def pass_switching_time(m: Method, s: Steps, planned: float, is_there: int) -> None:
    """Go to the other side of a switching time where the step ended at one; of a step of fixed length, that was to end at
    `planned`, the rest follows."""
    w = s.switching
    w.rest = 0.0
    if is_there == 1 and s.t != s.t_end:
        s.t = w.after
        if w.sample is not None:
            take_samples(s)
            if w.lines_at is not None:
                w.lines_at((s.t, s.y), (w.lines,))
        m.resume(m, s)
        if s.is_adaptive == 0:
            w.rest = planned - s.t
            if abs(w.rest) <= NO_REST * abs(s.h):
                w.rest = 0.0


def take_samples(s: Steps) -> None:
    """Evaluate the sampled laws that are due."""
    if s.switching.sample is not None:
        s.switching.sample((s.t, s.y), (s.w,))
        for i in range(s.n):
            s.y[i] = s.w[i]


def grows_without_bound(g: Growth, y: Numbers, t: float) -> int:
    """Whether the largest variable passes the third of three sizes, and took no longer for it than exponential growth
    does."""
    largest = 0.0
    for i in range(g.count):
        largest = max(largest, abs(y[i]) * g.per_size[i])
    if largest > g.level:
        g.passed += 1
        if g.passed > 2 and abs(t - g.last) <= EXPONENTIAL_GROWTH * abs(g.last - g.before):
            return 1
        g.before = g.last
        g.last = t
        g.level = g.level * GROWTH_LEVELS
        while largest > g.level:  # several in one step: exponential growth takes shorter ones
            g.level = g.level * GROWTH_LEVELS
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
        return 1 if change > JUMP_SIZE * size and size > 0.0 else 0
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


def settle_end(s: Steps, t: float) -> int:
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
    """Whether the polynomial of a step that ends at `after` is needed."""
    if m.is_always_dense == 1 or s.results.is_stored == 1 or s.watched.watch is not None:
        return 1
    next_one = s.results.reached
    if next_one < s.results.requested and (s.results.times[next_one] - after) * (after - s.t) < 0.0:
        return 1
    return 0


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
        if abs(settled[i] - y[i]) > NEAR_CONSTRAINTS * (s.atol[i] + s.rtol * abs(y[i])):
            return 0
    return 1
