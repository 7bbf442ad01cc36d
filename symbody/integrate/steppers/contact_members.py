"""Steps of members with contacts, as kernels: Moreau-Jean steps of each from its own row (`time_stepping/moreau_step.py`).

Nothing is remembered from call to call, so that the state after a step is a function of the state before it. In
particular a friction may be at its static limit where its slip and the approach of its contact are no more than what
forces change in a step; elsewhere it has the kinetic coefficient.
"""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Indices, Mutable, Numbers
from ...emit.loops.records import Struct
from ..kernels.march_records import DONE
from ..kernels.next_switching import SwitchingTimes
from ..time_stepping.moreau_records import MoreauStep, StepVariations
from ..time_stepping.moreau_step import forget, moreau_step, next_part, step_status

NOTES: Final = 2  # status and residual, which stand before the impulses in a member's notes; after these, where derivatives are one-sided


class ContactMembers(Struct):
    """Members `first` to `stop`: rows of starts and ends (`width` numbers), of what is given (n_given: the time at the
    beginning, parameters, inputs and their slopes), and of notes (n_notes).

    p, r          parameters and inputs of the member at work
    length        of a substep, whose steps end at switching times
    at, slope_at  where inputs and their slopes stand in what is given; -1: zero
    """

    first: Mutable[int]
    stop: Mutable[int]
    width: int
    n_given: int
    n_notes: int
    n_p: int
    n_r: int
    substeps: int
    length: float
    switching: SwitchingTimes
    starts: Numbers
    given: Numbers
    ends: Numbers
    noted: Numbers
    p: Numbers
    r: Numbers
    at: Indices
    slope_at: Indices
    steps: MoreauStep
    variations: StepVariations


def step_contact_members(m: ContactMembers) -> None:
    for k in range(m.first, m.stop):
        begin_contact_member(m, m.starts[k * m.width :], m.given[k * m.n_given :])
        run_contact_member(m, m.given[k * m.n_given :], m.noted[k * m.n_notes :])
        end = m.ends[k * m.width :]
        for i in range(m.steps.n):
            end[i] = m.steps.y[i]
        for i in range(m.variations.columns * m.steps.n):
            end[m.steps.n + i] = m.variations.S[i]


def begin_contact_member(m: ContactMembers, start: Numbers, given: Numbers) -> None:
    """The state of a member, its parameters, and nothing remembered."""
    s = m.steps
    for i in range(s.n):
        s.y[i] = start[i]
    m.variations.is_first = 1
    for i in range(m.variations.columns * s.n):
        m.variations.S[i] = start[s.n + i]
    for i in range(m.n_p):
        m.p[i] = given[1 + i]
    set_inputs(m, given, 0.0)
    if m.switching.lines_at is not None:
        m.switching.lines_at((given[0], s.y), (m.switching.lines,))
    forget(s)


def run_contact_member(m: ContactMembers, given: Numbers, note: Numbers) -> None:
    """All substeps; the status, the largest residual, and impulses."""
    s = m.steps
    for i in range(m.n_notes):
        note[i] = 0.0
    begin = given[0]
    note[0] = float(DONE)
    if m.variations.columns > 0:
        for i in range(s.contacts + s.cones):
            m.variations.border[i] = 0.0
    for step in range(m.substeps):
        t = begin + float(step) * m.length
        end = begin + float(step + 1) * m.length
        share = float(step) / float(m.substeps)
        while t != end:
            after = next_part(s, m.switching, t, end, m.length)
            m.variations.clock_change = share
            share = float(step + 1) / float(m.substeps) if after == end else 0.0
            m.variations.length_change = share - m.variations.clock_change
            middle = t - begin + 0.5 * s.h
            set_inputs(m, given, middle)
            residual = moreau_step(s, m.variations, t, middle)
            note[1] = max(note[1], residual)
            status = step_status(s, residual)
            if status != DONE:
                note[0] = float(status)
                return
            for i in range(s.problem.n):
                note[NOTES + s.row[i]] += s.problem.x[i] + s.viscous[i]
            t = after
    if m.variations.columns > 0:
        for i in range(s.contacts + s.cones):
            note[NOTES + s.rows + i] = m.variations.border[i]


def set_inputs(m: ContactMembers, given: Numbers, after: float) -> None:
    """Inputs some time after the beginning."""
    for i in range(m.n_r):
        m.r[i] = 0.0
        if m.at[i] >= 0:
            m.r[i] = given[m.at[i]]
        if m.slope_at[i] >= 0:
            m.r[i] += after * given[m.slope_at[i]]
