"""Switching times: where functions of time in the equations jump, bend or begin to change, as kernels. Steps end there.

A source j has knots x_jk in ascending order and an argument that is linear in time, so that it switches where

    a_j t + b_j = x_jk

A condition t - t0 < w has one knot, 0; samples have many. A step ends a few roundings before a switching time, where all
its stages still see what held before, and the next one begins at it.
"""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Function, Indices, Mutable, Numbers
from ...emit.loops.records import Struct

ASIDE: Final = 4.0  # roundings of time: stages at the end of a step stay on their side of a switching time
LINE: Final = 5  # numbers of a line


class SwitchingTimes(Struct):
    """Switching times of a motion.

    count          sources
    rounding       unit roundoff of times
    is_told        1 where the loop returns behind a jump, since something else may have jumped with it
    first, knots   knots of source j: knots[first[j]] to knots[first[j + 1] - 1], ascending
    lines          of each source a, b, the size of the terms of b; 1 if the values at a knot are exactly those after it,
                   so that a step may begin there; and 1 if it jumps
    lines_at       gives the lines at a state and parameters; absent if they are constant
    sample         gives the state behind samples that are due, of laws that are held between them; absent if there are
                   none
    before, after  end of the step before the next switching time, and beginning of the one after it; is_jump, whether
                   something jumps there
    rest           what is left of a step of fixed length that was divided, 0 if there is none
    """

    count: int
    is_told: int
    rounding: float
    first: Indices
    knots: Numbers
    lines: Numbers
    lines_at: Function | None
    sample: Function | None
    before: Mutable[float]
    after: Mutable[float]
    is_jump: Mutable[int]
    rest: Mutable[float]


def next_switching_time(w: SwitchingTimes, t: float, end: float) -> float:
    """The first switching time after t on the way to `end`, or `end`; sets `before` and `after`. At the end itself the last
    step stays on the side before it."""
    found = end
    w.before = end
    w.after = end
    w.is_jump = 0
    direction = 1.0 if end > t else -1.0
    for j in range(w.count):
        a = w.lines[LINE * j]
        b = w.lines[LINE * j + 1]
        if a != 0.0:
            size = max(abs(t), w.lines[LINE * j + 2] / abs(a))
            aside = ASIDE * w.rounding * size
            k = next_knot(w, j, a * (t + 2.0 * direction * aside) + b, a * direction)
            if k >= 0:
                at = (w.knots[k] - b) / a
                aside = ASIDE * w.rounding * max(size, abs(at))
                if abs(end - at) <= 2.0 * aside and found == end:
                    w.before = at - 2.0 * direction * aside
                elif (at - t) * direction > aside and (found - at) * direction > 2.0 * aside:
                    found = at
                    w.is_jump = 1 if w.lines[LINE * j + 4] > 0.5 else 0
                    w.before = at - direction * aside
                    w.after = at if direction * w.lines[LINE * j + 3] > 0.5 else at + direction * aside
    return found


def next_knot(w: SwitchingTimes, j: int, x: float, direction: float) -> int:
    """The place of the first knot of source j beyond x, upwards or downwards; -1 if there is none."""
    low = w.first[j] - 1
    high = w.first[j + 1]
    while high - low > 1:
        middle: int = (low + high) // 2
        is_above = 1 if w.knots[middle] > x or (direction < 0.0 and w.knots[middle] == x) else 0
        if is_above == 1:
            high = middle
        else:
            low = middle
    if direction > 0.0:
        return high if high < w.first[j + 1] else -1
    return low if low >= w.first[j] else -1
