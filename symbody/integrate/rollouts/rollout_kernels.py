"""Rollouts as kernels: steps of a stepper with inputs held over each, one after another, and the gradient of a cost of the
states by a reverse sweep from checkpoint to checkpoint.

The `held` inputs and `fixed` parameters of a member stand behind its state, where programs find them.
"""

from __future__ import annotations

from ...emit.loops.kernel_language import Mutable, Numbers
from ...emit.loops.records import Struct
from ..kernels.march_records import DONE
from ..time_stepping.moreau_records import MoreauStep, StepVariations
from ..time_stepping.moreau_step import forget, moreau_step, step_status
from ..time_stepping.step_pullback import StepPullback, copy_numbers, pull_step


class Rollout(Struct):
    """`count` steps from the time t, of `substeps` steps of some `length` each.

    start, given, actions   of the member: its state, parameters, and inputs of step after step
    states                  after every so many steps
    done                    number of steps taken
    """

    count: int
    every: int
    substeps: int
    held: int
    fixed: int
    t: float
    length: float
    done: Mutable[int]
    start: Numbers
    given: Numbers
    actions: Numbers
    states: Numbers
    step: MoreauStep
    variations: StepVariations


def run_rollout(m: Rollout) -> int:
    """All steps: DONE, or the status of the step that was not accepted."""
    s = m.step
    m.done = 0
    copy_numbers(s.n, m.start, s.y)
    copy_numbers(m.fixed, m.given, s.y[s.n + m.held :])
    left = m.every
    row = 0
    for k in range(m.count):
        copy_numbers(m.held, m.actions[k * m.held :], s.y[s.n :])
        status = take_substeps(s, m.variations, m.substeps, m.t + float(k * m.substeps) * m.length, m.length)
        if status != DONE:
            return status
        m.done = k + 1
        left -= 1
        if left == 0:
            copy_numbers(s.n, s.y, m.states[row * s.n :])
            row += 1
            left = m.every
    return DONE


def take_substeps(s: MoreauStep, v: StepVariations, substeps: int, begin: float, length: float) -> int:
    """A step of a stepper, which remembers nothing of the one before."""
    forget(s)
    for j in range(substeps):
        status = take_substep(s, v, begin + float(j) * length, length)
        if status != DONE:
            return status
    return DONE


def take_substep(s: MoreauStep, v: StepVariations, t: float, length: float) -> int:
    s.h = length
    residual = moreau_step(s, v, t, 0.5 * length)
    return step_status(s, residual)


class RolloutPullback(Struct):
    """The same steps in reverse.

    states      checkpoints, after every so many steps, and `bars`, gradients of the cost with respect to them
    inner       states before each substep between two checkpoints
    to_start, to_actions, to_given   gradients of the cost
    """

    count: int
    every: int
    substeps: int
    held: int
    fixed: int
    t: float
    length: float
    start: Numbers
    given: Numbers
    actions: Numbers
    states: Numbers
    bars: Numbers
    inner: Numbers
    to_start: Numbers
    to_actions: Numbers
    to_given: Numbers
    step: MoreauStep
    variations: StepVariations
    pull: StepPullback


def run_rollout_pullback(m: RolloutPullback) -> int:
    """From the last checkpoint to the start: DONE, or the status of a step that was not accepted."""
    s = m.step
    g = m.pull
    for i in range(g.width):
        g.bar[i] = 0.0
    copy_numbers(m.fixed, m.given, s.y[s.n + m.held :])
    parts = m.count // m.every
    for back in range(parts):
        part: int = parts - 1 - back
        copy_numbers(s.n, m.start, s.y)
        if part > 0:
            copy_numbers(s.n, m.states[(part - 1) * s.n :], s.y)
        for i in range(s.n):
            g.bar[i] += m.bars[part * s.n + i]
        status = keep_substeps(m, part * m.every)
        if status != DONE:
            return status
        pull_steps(m, part * m.every)
    copy_numbers(s.n, g.bar, m.to_start)
    copy_numbers(m.fixed, g.bar[s.n + m.held :], m.to_given)
    return DONE


def keep_substeps(m: RolloutPullback, first: int) -> int:
    """States before each substep from a checkpoint to the next."""
    s = m.step
    last = m.every * m.substeps - 1
    for k in range(m.every):
        copy_numbers(m.held, m.actions[(first + k) * m.held :], s.y[s.n :])
        begin = m.t + float((first + k) * m.substeps) * m.length
        forget(s)
        for j in range(m.substeps):
            at: int = k * m.substeps + j
            copy_numbers(s.n, s.y, m.inner[at * s.n :])
            if at < last:
                status = take_substep(s, m.variations, begin + float(j) * m.length, m.length)
                if status != DONE:
                    return status
    return DONE


def pull_steps(m: RolloutPullback, first: int) -> None:
    """The gradient from a checkpoint to the one before it."""
    s = m.step
    g = m.pull
    s.h = m.length
    for k in range(m.every):
        step: int = first + m.every - 1 - k
        copy_numbers(m.held, m.actions[step * m.held :], s.y[s.n :])
        begin = m.t + float(step * m.substeps) * m.length
        for j in range(m.substeps):
            at: int = m.substeps - 1 - j
            copy_numbers(s.n, m.inner[((m.every - 1 - k) * m.substeps + at) * s.n :], s.y)
            forget(s)
            pull_step(s, g, begin + float(at) * m.length)
        copy_numbers(m.held, g.bar[s.n :], m.to_actions[step * m.held :])
        for i in range(m.held):
            g.bar[s.n + i] = 0.0
