"""A step of an environment as a kernel: actions, the step, observation, reward and end, and a new start where a member is
over."""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Function, Known, Numbers, is_finite, unrolled
from ...emit.loops.records import Struct
from ..kernels.march_records import DONE
from ..time_stepping.moreau_records import MoreauStep, StepVariations
from ..time_stepping.step_pullback import copy_numbers
from .rollout_kernels import take_substeps

BAD_ACTION: Final = -100  # status of a member whose action is not a number


class EnvironmentMember(Struct):
    """A member of an environment.

    member           its number among `members`
    held, fixed      numbers of inputs and of parameters, which stand behind the state in the memory of the step
    column, low, high  of each input: its column among the actions (-1: none) and its limits
    most             steps of an episode; dt: length of a step
    draws            number of `starts`: states with parameters, from which members that begin take one after another
    states           state and parameters of the member; counts: its steps and its episodes
    outcome          program of observation, reward and end, which go to `seen`, `gain` and `over`
    final            the observation before a new start; observation the one after it
    before           the state before the step
    """

    member: int
    members: int
    width: int
    held: int
    fixed: int
    acts: int
    substeps: int
    most: int
    draws: int
    length: float
    dt: float
    column: Known[Numbers]
    low: Known[Numbers]
    high: Known[Numbers]
    starts: Numbers
    states: Numbers
    counts: Numbers
    actions: Numbers
    observation: Numbers
    final: Numbers
    reward: Numbers
    ended: Numbers
    cut: Numbers
    outcome: Known[Function]
    seen: Numbers
    gain: Numbers
    over: Numbers
    before: Numbers
    step: MoreauStep
    variations: StepVariations


def step_environment(m: EnvironmentMember) -> int:
    """DONE, BAD_ACTION, or the status of the step that failed."""
    s = m.step
    copy_numbers(s.n, m.states, s.y)
    copy_numbers(m.fixed, m.states[s.n :], s.y[s.n + m.held :])
    copy_numbers(s.n, s.y, m.before)
    status = take_actions(m)
    if status == DONE:
        status = take_substeps(s, m.variations, m.substeps, m.counts[0] * m.dt, m.length)
    if status != DONE:
        copy_numbers(s.n, m.before, s.y)
    m.counts[0] += 1.0
    m.outcome((m.counts[0] * m.dt, s.y), (m.seen, m.gain, m.over))
    copy_numbers(m.width, m.seen, m.final)
    copy_numbers(m.width, m.seen, m.observation)
    m.reward[0] = m.gain[0] if status == DONE else 0.0
    m.ended[0] = 1.0 if status != DONE or m.over[0] != 0.0 else 0.0
    m.cut[0] = 1.0 if m.ended[0] == 0.0 and m.counts[0] >= float(m.most) else 0.0
    if m.ended[0] + m.cut[0] > 0.0:
        begin_member(m)
    copy_numbers(s.n, s.y, m.states)
    copy_numbers(m.fixed, s.y[s.n + m.held :], m.states[s.n :])
    return status


def take_actions(m: EnvironmentMember) -> int:
    """Inputs of the step within their limits: DONE, or BAD_ACTION."""
    status = DONE
    for i in unrolled(m.held):
        m.step.y[m.step.n + i] = 0.0
        if m.column[i] >= 0.0:
            x = m.actions[int(m.column[i])]
            if is_finite(x):
                m.step.y[m.step.n + i] = min(max(x, m.low[i]), m.high[i])
            else:
                status = BAD_ACTION
    return status


def begin_member(m: EnvironmentMember) -> None:
    """The next of the starts, and what is observed there."""
    s = m.step
    m.counts[0] = 0.0
    m.counts[1] += 1.0
    row = (m.member + int(m.counts[1]) * m.members) % m.draws
    copy_numbers(s.n, m.starts[row * (s.n + m.fixed) :], s.y)
    copy_numbers(m.fixed, m.starts[row * (s.n + m.fixed) + s.n :], s.y[s.n + m.held :])
    for i in range(m.held):
        s.y[s.n + i] = 0.0
    m.outcome((0.0, s.y), (m.seen, m.gain, m.over))
    copy_numbers(m.width, m.seen, m.observation)
