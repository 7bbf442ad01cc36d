"""Explicit Runge-Kutta steps with step control, dense output, projection and events, as kernels.

`march` goes on until the end, an event, an obstacle, or until its memory for results is full; called again it goes on where it
stopped. It runs compiled (`emit/run/loop_callee.py`).

    control   time, step and tolerances      at T, H, END, ...
    counts    what was done so far           at STEPS, REJECTED, ...
    settle    brings a state back to the constraints, or is not there (`settles` = 0)
    along     what it leaves of a small change of the state, or is not there (`judges` = 0). Near a singular configuration an error across
              the constraints is large in any step, however small; but projection takes it away again
    watch     values of the event functions, or is not there (`watched` = 0)
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ..emit.loops.language import Function, Indices, Numbers, is_finite, unrolled

# Places in `control`.
T: Final = 0  # time reached
H: Final = 1  # next step, with sign; 0 asks for a choice
END: Final = 2
RTOL: Final = 3
LARGEST: Final = 4  # step
GROWTH: Final = 5  # largest factor between steps
START: Final = 6  # of the step in progress
CONTROLS: Final = 7

# Places in `counts`.
STEPS: Final = 0
REJECTED: Final = 1
EVALUATIONS: Final = 2
ROWS: Final = 3  # steps that are stored
CAPACITY: Final = 4
POINTS: Final = 5  # requested times that are stored
REQUESTED: Final = 6
EVENT: Final = 7  # which one occurred
LIMIT: Final = 8  # of steps
CORRECTIONS: Final = 9  # iterations of `settle`
JACOBIANS: Final = 10  # of implicit methods
FACTORIZATIONS: Final = 11
COUNTS: Final = 12

# How `march` ends.
DONE: Final = 0
FULL: Final = 1
AT_EVENT: Final = 2
TOO_SMALL: Final = 3
NOT_FINITE: Final = 4
UNSETTLED: Final = 5
TOO_MANY: Final = 6
NOT_CONVERGED: Final = 7
GOES_ON: Final = -1

INSIDE: Final = 4  # parts of a step at whose ends event functions are looked at
TINY: Final = 2.3e-16
SHARE: Final = 0.2  # what projection usually leaves of an error; where it leaves less, what it leaves counts


def size(n: int, y: Numbers, scale: Numbers) -> float:
    """Root mean square of y in units of the tolerances."""
    total = 0.0
    for i in range(n):
        x = y[i] / scale[i]
        total = total + x * x
    return sqrt(total / float(n))


def refresh(control: Numbers, y: Numbers, k: Numbers, rhs: Function) -> None:
    """f at a state that is new."""
    rhs((control[T], y), (k,))


def first_step(
    n: int,
    order: int,
    control: Numbers,
    counts: Indices,
    y: Numbers,
    k: Numbers,
    w: Numbers,
    atol: Numbers,
    rhs: Function,
) -> None:
    """A step that is probably accepted (Hairer, Nørsett, Wanner II.4); k holds f(t, y) in front."""
    scale: Numbers = w[n:]
    for i in range(n):
        scale[i] = atol[i] + control[RTOL] * abs(y[i])
    d0 = size(n, y, scale)
    d1 = size(n, k, scale)
    h0 = 0.01 * d0 / d1 if d0 >= 1e-5 and d1 >= 1e-5 else 1e-6
    span = control[END] - control[T]
    h0 = min(h0, abs(span))
    direction = 1.0 if span >= 0.0 else -1.0
    for i in range(n):
        w[i] = y[i] + direction * h0 * k[i]
    rhs((control[T] + direction * h0, w), (k[n:],))
    counts[EVALUATIONS] = counts[EVALUATIONS] + 1
    for i in range(n):
        w[i] = k[n + i] - k[i]
    d2 = size(n, w, scale) / h0
    bend = max(d1, d2)
    h1 = pow(0.01 / bend, 1.0 / order) if bend > 1e-15 else max(1e-6, h0 * 1e-3)
    h = min(100.0 * h0, h1)
    if not is_finite(h):
        h = h0
    control[H] = direction * min(h, control[LARGEST], abs(span))


def take(n: int, stages: int, A: Numbers, C: Numbers, width: int, t: float, h: float, y: Numbers, k: Numbers, w: Numbers,
         end: Numbers, rhs: Function) -> None:  # fmt: skip
    """Stages 1 .. s - 1 and the end of a step; stage 0 is known."""
    for s in unrolled(1, stages):
        for i in range(n):
            x = 0.0
            for j in unrolled(s):
                x = x + A[s * width + j] * k[j * n + i]
            w[i] = y[i] + h * x
        rhs((t + C[s] * h, w), (k[s * n :],))
    for i in range(n):
        x = 0.0
        for j in unrolled(stages):
            x = x + A[stages * width + j] * k[j * n + i]
        end[i] = y[i] + h * x


def local_error(n: int, estimates: int, stages: int, E: Numbers, width: int, h: float, rtol: float, y: Numbers, end: Numbers,
                k: Numbers, atol: Numbers) -> float:  # fmt: skip
    """The local error in units of the tolerances; of two estimates combined as in DOP853."""
    total = 0.0
    second = 0.0
    for i in range(n):
        scale = atol[i] + rtol * max(abs(y[i]), abs(end[i]))
        x = 0.0
        for j in unrolled(stages + 1):
            x = x + E[j] * k[j * n + i]
        total = total + (x / scale) * (x / scale)
        if estimates > 1:
            x = 0.0
            for j in unrolled(stages + 1):
                x = x + E[width + j] * k[j * n + i]
            second = second + (x / scale) * (x / scale)
    if estimates > 1:
        together = total + 0.01 * second
        if together == 0.0:
            return 0.0
        return abs(h) * total / sqrt(together * float(n))
    return abs(h) * sqrt(total / float(n))


def error_left(n: int, estimates: int, stages: int, E: Numbers, width: int, t: float, h: float, rtol: float, y: Numbers, end: Numbers,
               k: Numbers, atol: Numbers, w: Numbers, left: Numbers, along: Function) -> float:  # fmt: skip
    """As `local_error`, of the part that projection onto the constraints leaves."""
    total = 0.0
    second = 0.0
    for part in unrolled(estimates):
        for i in range(n):
            x = 0.0
            for j in unrolled(stages + 1):
                x = x + E[part * width + j] * k[j * n + i]
            w[i] = x
        along((t + h, end, w), (left,))
        for i in range(n):
            x = left[i] / (atol[i] + rtol * max(abs(y[i]), abs(end[i])))
            if part == 0:
                total = total + x * x
            else:
                second = second + x * x
    together = total + 0.01 * second
    if together == 0.0:
        return 0.0
    return abs(h) * total / sqrt(together * float(n))


def polynomial(n: int, stages: int, A: Numbers, C: Numbers, D: Numbers, width: int, pieces: int, t: float, h: float, y: Numbers,
               end: Numbers, k: Numbers, w: Numbers, r: Numbers, rhs: Function) -> None:  # fmt: skip
    """Coefficients of the dense output, with the stages that it needs beyond those of the step."""
    for s in unrolled(stages + 1, width):
        for i in range(n):
            x = 0.0
            for j in unrolled(s):
                x = x + A[s * width + j] * k[j * n + i]
            w[i] = y[i] + h * x
        rhs((t + C[s] * h, w), (k[s * n :],))
    for i in range(n):
        change = end[i] - y[i]
        bend = h * k[i] - change
        r[i] = y[i]
        r[n + i] = change
        r[2 * n + i] = bend
        r[3 * n + i] = change - h * k[stages * n + i] - bend
    for m in unrolled(4, pieces):
        for i in range(n):
            x = 0.0
            for j in unrolled(width):
                x = x + D[(m - 4) * width + j] * k[j * n + i]
            r[m * n + i] = h * x


def interpolate(n: int, pieces: int, theta: float, r: Numbers, out: Numbers) -> None:
    for i in range(n):
        x = 0.0
        for m in unrolled(1, pieces):
            x = (x + r[(pieces - m) * n + i]) * (theta if (pieces - m) % 2 == 1 else 1.0 - theta)
        out[i] = r[i] + x


def crossed(before: float, after: float, least: float, direction: int) -> int:
    """Whether an event function that was on one side (the sign of `before`) came to the other, in the direction that counts.

    least   what it has to be beyond zero to be told from rounding
    """
    if before < 0.0 and after > least and direction >= 0:
        return 1
    if before > 0.0 and after < -least and direction <= 0:
        return 1
    return 0


def first_crossing(n: int, pieces: int, watched: int, start: float, h: float, r: Numbers, w: Numbers, g: Numbers, side: Numbers,
                   sense: Indices, counts: Indices, watch: Function) -> float:  # fmt: skip
    """θ of the first event inside the step, on its polynomial, or 2 if there is none; which one goes into counts[EVENT].

    `watch` gives the event functions and after them their rates, `side` where they are (0: not known yet) and after that what of
    them is rounding. Functions are looked at after each of some parts of the step; one that comes back to its side within a part
    has turned there, which its rates show.
    """
    earlier: Numbers = g[2 * watched :]
    inner: Numbers = g[4 * watched :]
    interpolate(n, pieces, 0.0, r, w)
    watch((start, w), (earlier,))
    found = 2.0
    low = 0.0
    for part in range(INSIDE):
        high = float(part + 1) / float(INSIDE)
        interpolate(n, pieces, high, r, w)
        watch((start + high * h, w), (g,))
        for j in range(watched):
            before = side[j]
            least = side[watched + j]
            theta = 2.0
            if before == 0.0:
                continue
            if crossed(before, g[j], least, sense[j]) == 1:
                theta = crossing(n, pieces, j, start, h, low, high, before, r, w, inner, watch)
            elif g[j] * before > 0.0 and before * h * earlier[watched + j] < 0.0 and before * h * g[watched + j] > 0.0:
                bottom = crossing(n, pieces, watched + j, start, h, low, high, earlier[watched + j], r, w, inner, watch)
                interpolate(n, pieces, bottom, r, w)
                watch((start + bottom * h, w), (inner,))
                if crossed(before, inner[j], least, 0) == 1:
                    if crossed(before, inner[j], least, sense[j]) == 1:
                        theta = crossing(n, pieces, j, start, h, low, bottom, before, r, w, inner, watch)
                    else:
                        theta = crossing(n, pieces, j, start, h, bottom, high, -before, r, w, inner, watch)
            if theta < found:
                found = theta
                counts[EVENT] = j
        if found < 2.0:
            return found
        for j in range(watched):
            if g[j] * side[j] <= 0.0 and abs(g[j]) > side[watched + j]:
                side[j] = g[j]  # it was left in a direction that does not count, or was not known
        for j in range(2 * watched):
            earlier[j] = g[j]
        low = high
    return found


def crossing(n: int, pieces: int, j: int, start: float, h: float, low: float, high: float, before: float,
             r: Numbers, w: Numbers, g: Numbers, watch: Function) -> float:  # fmt: skip
    """θ at which entry j of what is watched leaves its side, by bisection on the step's polynomial: for steps of any shape."""
    a = low
    b = high
    for _ in range(60):
        if b - a <= TINY * b:
            break
        middle = 0.5 * (a + b)
        interpolate(n, pieces, middle, r, w)
        watch((start + middle * h, w), (g,))
        if g[j] * before > 0.0:
            a = middle
        else:
            b = middle
    return b


# ---------------------------------------------------------------------------------------------------------- what all loops share


def standing(control: Numbers, counts: Indices) -> int:
    """How a loop ends before its next step, or GOES_ON."""
    if control[END] == control[T]:
        return DONE
    if counts[ROWS] >= counts[CAPACITY]:
        return FULL
    if counts[STEPS] >= counts[LIMIT]:
        return TOO_MANY
    return GOES_ON


def store(n: int, pieces: int, stored: int, settles: int, direction: float, t: float, after: float, end: Numbers, r: Numbers,
          scratch: Numbers, note: Numbers, counts: Indices, times: Numbers, at_times: Numbers, row_times: Numbers, rows: Numbers, polynomials: Numbers,
          settle: Function) -> None:  # fmt: skip
    """A step from t to `after`: states at the requested times in it (on the constraints), its end and its polynomial.

    direction   of time, by its sign: a step to an event may have no length
    """
    h = after - t
    while counts[POINTS] < counts[REQUESTED]:
        point: int = counts[POINTS]
        if (times[point] - after) * direction > 0.0:
            break
        if times[point] == after:
            for i in range(n):
                at_times[point * n + i] = end[i]
        else:
            interpolate(n, pieces, (times[point] - t) / h if h != 0.0 else 1.0, r, at_times[point * n :])
            if settles == 1:
                settle((times[point], at_times[point * n :]), (scratch, note))
                if note[0] >= 0.0:
                    for i in range(n):
                        at_times[point * n + i] = scratch[i]
        counts[POINTS] = point + 1
    if stored == 1:
        row: int = counts[ROWS]
        row_times[row] = after
        for i in range(n):
            rows[row * n + i] = end[i]
        for i in range(pieces * n):
            polynomials[row * pieces * n + i] = r[i]
        counts[ROWS] = row + 1


def refinement(t: float, h: float, length: float, aside: float, value: float, other: float) -> float:
    """By how much a step to an event is too long, by the secant; 0 where the root is found, or where secants lead astray."""
    if value == other or value == 0.0:
        return 0.0
    change = value * (length - aside) / (value - other)
    if abs(change) <= TINY * max(abs(t), abs(length)):
        return 0.0
    if (length - change) * h < 0.0 or (length - change - h) * h > 0.0 or abs(change) > 0.01 * abs(h):
        return 0.0
    return change


def march(
    n: int, stages: int, A: Numbers, C: Numbers, E: Numbers, D: Numbers, width: int, pieces: int, estimates: int, order: int,
    adaptive: int, settles: int, stored: int, watches: int,
    control: Numbers, counts: Indices, y: Numbers, k: Numbers, w: Numbers, atol: Numbers,
    times: Numbers, at_times: Numbers, row_times: Numbers, rows: Numbers, polynomials: Numbers,
    watched: int, g: Numbers, side: Numbers, sense: Indices,
    rhs: Function, settle: Function, watch: Function, judges: int, along: Function, aside: Numbers,
) -> int:  # fmt: skip
    """Steps until something happens; see the head of this file.

    k holds f at the present state in front. Of stored results `rows` has the state at the end of each step, `polynomials` the
    coefficients between, `at_times` the states at the requested times.
    """
    end: Numbers = w[2 * n :]
    scratch: Numbers = w[3 * n :]
    r: Numbers = w[4 * n :]
    note: Numbers = w[(4 + pieces) * n :]
    if control[H] == 0.0:
        first_step(n, order, control, counts, y, k, w, atol, rhs)
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
            take(n, stages, A, C, width, t, h, y, k, w, end, rhs)
            counts[EVALUATIONS] = counts[EVALUATIONS] + stages
            held: int = 1
            if settles == 1:
                settle((t + h, end), (scratch, note))
                for i in range(n):
                    end[i] = scratch[i]
                if note[0] < 0.0:
                    held = 0
                else:
                    counts[CORRECTIONS] = counts[CORRECTIONS] + int(note[0])
            if held == 1:
                rhs((t + h, end), (k[stages * n :],))
            if adaptive == 1:
                error = 4.0
                if held == 1:
                    error = local_error(n, estimates, stages, E, width, h, control[RTOL], y, end, k, atol)
                    if judges == 1 and error > 1.0:
                        kept = error_left(n, estimates, stages, E, width, t, h, control[RTOL], y, end, k, atol, aside, aside[n:],
                                          along)  # fmt: skip
                        error = min(error, kept / SHARE)
                if is_finite(error) and error <= 1.0:
                    factor = control[GROWTH]
                    if error > 0.0:
                        factor = min(factor, 0.9 * pow(error, -1.0 / order))
                    if refused == 1:
                        factor = min(factor, 1.0)
                    control[H] = h * factor
                    break
                refused = 1
                is_last = 0
                counts[REJECTED] = counts[REJECTED] + 1
                if abs(h) <= 16.0 * TINY * max(abs(t), abs(control[END] - t) * 1e-3):
                    control[H] = h
                    if held == 0:
                        return UNSETTLED
                    if is_finite(error):
                        return TOO_SMALL
                    return NOT_FINITE
                if is_finite(error) and held == 1:
                    h = h * max(0.2, 0.9 * pow(error, -1.0 / order))
                else:
                    h = h * 0.25
            else:
                if held == 0:
                    return UNSETTLED
                error = 0.0
                for i in range(n):
                    error = error + (end[i] - end[i])
                if not is_finite(error):
                    return NOT_FINITE
                break
        after = control[END] if is_last == 1 else t + h
        occurred: int = 0
        has_polynomial: int = 0
        has_point: int = 0
        if counts[POINTS] < counts[REQUESTED] and (times[counts[POINTS]] - after) * h <= 0.0:
            has_point = 1
        if stored == 1 or watches == 1 or has_point == 1:
            has_polynomial = 1
        if has_polynomial == 1:
            polynomial(n, stages, A, C, D, width, pieces, t, h, y, end, k, scratch, r, rhs)
            counts[EVALUATIONS] = counts[EVALUATIONS] + width - stages - 1
        if watches == 1:
            theta = first_crossing(n, pieces, watched, t, h, r, scratch, g, side, sense, counts, watch)
            if theta < 2.0:
                occurred = 1
                after = event_step(
                    n, stages, A, C, width, settles, t, h, theta, y, k, w, end, scratch, note, g, counts, rhs, settle, watch
                )  # fmt: skip
                rhs((after, end), (k[stages * n :],))
                polynomial(n, stages, A, C, D, width, pieces, t, after - t, y, end, k, scratch, r, rhs)
                counts[EVALUATIONS] = counts[EVALUATIONS] + width - stages
                h = after - t
        store(n, pieces, stored, settles, left, t, after, end, r, scratch, note, counts, times, at_times, row_times, rows, polynomials,
              settle)  # fmt: skip
        for i in range(n):
            y[i] = end[i]
            k[i] = k[stages * n + i]
        control[START] = t
        control[T] = after
        counts[STEPS] = counts[STEPS] + 1
        if occurred == 1:
            return AT_EVENT


def event_step(n: int, stages: int, A: Numbers, C: Numbers, width: int, settles: int, t: float, h: float, theta: float, y: Numbers,
               k: Numbers, w: Numbers, end: Numbers, scratch: Numbers, note: Numbers, g: Numbers, counts: Indices, rhs: Function,
               settle: Function, watch: Function) -> float:  # fmt: skip
    """Shorten the step to the event, by true steps from its start: the root is that of the method, not of its polynomial.

    Secants from the polynomial's root, until the time cannot be told apart; where they lead astray (at a root of higher order) the
    polynomial's root stays. Returns the time of the event.
    """
    j: int = counts[EVENT]
    x = theta * h
    aside = (x - 1e-3 * h) if theta > 0.5 else (x + 1e-3 * h)
    short_step(n, stages, A, C, width, settles, t, aside, y, k, w, end, scratch, note, g, counts, rhs, settle, watch)
    other = g[j]
    for _ in range(10):
        short_step(n, stages, A, C, width, settles, t, x, y, k, w, end, scratch, note, g, counts, rhs, settle, watch)
        change = refinement(t, h, x, aside, g[j], other)
        if change == 0.0:
            break
        aside = x
        other = g[j]
        x = x - change
    return t + x


def short_step(n: int, stages: int, A: Numbers, C: Numbers, width: int, settles: int, t: float, h: float, y: Numbers, k: Numbers,
               w: Numbers, end: Numbers, scratch: Numbers, note: Numbers, g: Numbers, counts: Indices, rhs: Function,
               settle: Function, watch: Function) -> None:  # fmt: skip
    """A step that ends on the constraints, and what is watched at its end."""
    take(n, stages, A, C, width, t, h, y, k, w, end, rhs)
    counts[EVALUATIONS] = counts[EVALUATIONS] + stages - 1
    if settles == 1:
        settle((t + h, end), (scratch, note))
        for i in range(n):
            end[i] = scratch[i]
    watch((t + h, end), (g,))
