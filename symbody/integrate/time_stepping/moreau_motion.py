"""Motions by Moreau-Jean steps of one length, as kernels: every k-th state or its outputs, and events at the ends of steps.

The same loop runs on this computer, for one motion, and on a GPU, in the thread of each member of a batch.
"""

from __future__ import annotations

import numpy as np

from ...emit.loops.kernel_language import Function, Known, Mutable, Numbers
from ...emit.loops.records import Struct
from ..kernels.march_records import AT_EVENT, DONE
from ..kernels.next_switching import SwitchingTimes
from .moreau_records import MoreauStep, StepVariations
from .moreau_step import forget, moreau_step, next_part, step_status


class StepEvents(Struct):
    """Events whose functions have changed their sign, in the direction `sense` (0: any), from the end of one step to that of
    the next.

    watch         functions of time and state; `values` now and `earlier`
    is_terminal   1 where the motion ends; is_reset, where it goes on from the state that `reset` gives for event k
    happened      number of events; times and numbers of the first `record` of them
    after         memory for a state
    """

    count: Known[int]
    sense: Known[Numbers]
    is_terminal: Known[Numbers]
    is_reset: Known[Numbers]
    watch: Known[Function | None]
    reset: Known[Function | None]
    values: Numbers
    earlier: Numbers
    after: Numbers
    happened: Mutable[int]
    record: int
    times: Numbers
    which: Numbers


def no_events() -> StepEvents:
    none = np.zeros(1)
    return StepEvents(
        count=0, sense=(0.0,), is_terminal=(0.0,), is_reset=(0.0,), watch=None, reset=None, values=none, earlier=none, after=none,
        times=none, which=none,
    )  # fmt: skip


class MoreauMotion(Struct):
    """`count` steps of some `length` from the time t, which are divided at switching times.

    samples    states, or what `sample` gives of them, after every so many steps, `distance` numbers apart
    done       number of steps taken, to the time `reached`
    residual   the largest
    """

    count: Mutable[int]
    every: int
    distance: int
    t: Mutable[float]
    length: Mutable[float]
    done: Mutable[int]
    reached: Mutable[float]
    residual: Mutable[float]
    samples: Numbers
    sample: Known[Function | None]
    events: StepEvents
    switching: SwitchingTimes
    step: MoreauStep
    variations: StepVariations


def run_moreau_motion(m: MoreauMotion) -> int:
    """All steps: DONE, AT_EVENT, or the status of the step that was not accepted; its state is not stored."""
    s = m.step
    m.done = 0
    m.reached = m.t
    row = 0
    left = m.every
    if m.switching.lines_at is not None:
        m.switching.lines_at((m.t, s.y), (m.switching.lines,))
    if m.events.watch is not None:
        m.events.watch((m.t, s.y), (m.events.earlier,))
    for k in range(m.count):
        t = m.t + float(k) * m.length
        end = m.t + float(k + 1) * m.length
        while t != end:
            after = next_part(s, m.switching, t, end, m.length)
            residual = moreau_step(s, m.variations, t, 0.5 * s.h)
            status = step_status(s, residual)
            if status != DONE:
                m.residual = residual
                return status
            m.residual = max(m.residual, residual)
            t = after
        is_over = 0
        if m.events.watch is not None:
            is_over = pass_events(m, end)
        left -= 1
        if left == 0:
            store_sample(m, end, m.samples[row * m.distance :])
            row += 1
            left = m.every
        m.done = k + 1
        m.reached = end
        if is_over == 1:
            return AT_EVENT
    return DONE


def store_sample(m: MoreauMotion, t: float, place: Numbers) -> None:
    if m.sample is not None:
        m.sample((t, m.step.y), (place,))
    else:
        for i in range(m.step.n):
            place[i] = m.step.y[i]


def pass_events(m: MoreauMotion, t: float) -> int:
    """Count the events of the step that ends now, and change the state as they do; 1 if one of them is terminal."""
    e = m.events
    is_over = 0
    set_event_values(m, t)
    for k in range(e.count):
        rises = 1 if e.earlier[k] < 0.0 and e.values[k] >= 0.0 else 0
        falls = 1 if e.earlier[k] > 0.0 and e.values[k] <= 0.0 else 0
        if (rises == 1 and e.sense[k] >= 0.0) or (falls == 1 and e.sense[k] <= 0.0):
            if e.happened < e.record:
                e.times[e.happened] = t
                e.which[e.happened] = float(k)
            e.happened += 1
            if e.is_terminal[k] == 1.0:
                is_over = 1
            if e.reset is not None and e.is_reset[k] == 1.0:
                e.reset((t, m.step.y, float(k)), (e.after,))
                for i in range(m.step.n):
                    m.step.y[i] = e.after[i]
                forget(m.step)
                set_event_values(m, t)
    for k in range(e.count):
        e.earlier[k] = e.values[k]
    return is_over


def set_event_values(m: MoreauMotion, t: float) -> None:
    if m.events.watch is not None:
        m.events.watch((t, m.step.y), (m.events.values,))
