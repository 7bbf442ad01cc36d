"""Many motions one after another in machine code: kernels around a march that begin a member, judge how it goes, and
store what it gives.

The march of a member is that of `simulate`, the same machine code; between members everything that it remembers is put
back. Parts call each other through tables (`loop_callee.py`), since they share memory implicitly.
"""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Function, Indices, Known, Mutable, Numbers
from ...emit.loops.program_kernels import on_pieces, rate_on_pieces
from ...emit.loops.records import Struct
from ..kernels.march_records import TOO_MANY, Steps
from ..kernels.runge_kutta import RungeKutta
from .event_march import EventRules

STEPS_PER_CALL: Final = 256  # steps between two checks for an interruption: at most a second of slow ones
INTERRUPTED: Final = -2
NEVER: Final = -1e300  # a time before all others
NOTES: Final = (
    "status",
    "t",
    "steps",
    "rejected",
    "evaluations",
    "corrections",
    "most_corrections",
    "passed",
    "events",
)
EVENTS: Final = 8  # the place of their count among the notes


class MemberLoop(Struct):
    """Members `first` to `stop`: rows of starts (n numbers) and parameters (n_p), and of what is kept (`width`
    numbers), last states, notes and events."""

    n: int
    n_p: int
    width: int
    notes: int
    event_width: int
    first: Mutable[int]
    stop: Mutable[int]
    starts: Numbers
    parameters: Numbers
    kept: Numbers
    ends: Numbers
    noted: Numbers
    events: Numbers
    goes_on: Numbers
    begin: Function
    march: Function
    judge: Function
    finish: Function


def run_members(b: MemberLoop) -> None:
    """Every member from its start to its end."""
    for k in range(b.first, b.stop):
        b.begin((b.starts[k * b.n :], b.parameters[k * b.n_p :]), ())
        b.goes_on[0] = 1.0
        while b.goes_on[0] > 0.5:
            b.march((), ())
            b.judge((), (b.goes_on,))
        kept = b.kept[k * b.width :]
        b.finish((), (kept, b.ends[k * b.n :], b.noted[k * b.notes :], b.events[k * b.event_width :]))


class Origin(Struct):
    """Where every member begins: time, first step, parameters of its step control, and the most steps it may take.

    p, coefficients   memory for its parameters (n_p numbers) and the polynomials of its inputs (n_c)
    wanted            zero when the results are no longer wanted
    """

    n_p: int
    n_c: int
    t: float
    h: float
    part: float
    level: float
    patience: int
    limit: int
    p: Numbers
    coefficients: Numbers
    wanted: Numbers


def begin_member(start: Numbers, given: Numbers, o: Origin, m: RungeKutta, s: Steps, e: EventRules) -> None:
    """The state of a member, its parameters, and nothing remembered."""
    for i in range(s.n):
        s.y[i] = start[i]
    for i in range(o.n_p):
        o.p[i] = given[i]
    for i in range(o.n_c):
        o.coefficients[i] = given[o.n_p + i]
    s.t = o.t
    s.h = o.h
    s.error = 0.0
    s.is_new = 1
    s.switching.rest = 0.0
    s.counts.steps = 0
    s.counts.rejected = 0
    s.counts.evaluations = 0
    s.counts.corrections = 0
    s.counts.most_corrections = 0
    s.counts.limit = o.limit if o.limit < STEPS_PER_CALL else STEPS_PER_CALL
    s.results.stored = 0
    s.results.reached = 0
    s.watched.event = 0
    for i in range(s.watched.count):
        s.watched.side[i] = 0.0
        s.watched.least[i] = 0.0
    e.count = 0
    s.growth.passed = 0
    s.growth.level = o.level
    s.growth.last = 0.0
    s.growth.before = 0.0
    for i in range(s.growth.count):
        s.growth.per_size[i] = 1.0 / max(abs(start[i]), s.atol[i] / s.rtol, 1.0)
    s.leaps.part = o.part
    s.leaps.longest = 0.0
    s.leaps.at = NEVER
    forget(m, o.patience)


def begin_with_borders(start: Numbers, given: Numbers, o: Origin, inner: Function, borders: Function) -> None:
    """The same on constraints that depend on each other, with borders of its state."""
    inner((start, given), ())
    borders((o.t, start), ())


def forget(m: RungeKutta, patience: int) -> None:
    """What a method remembers of steps."""
    m.doubts = 0
    m.patience = patience
    m.stiff = 0
    m.easy = 0
    m.before = 0.0
    m.error_before = 0.0
    m.passed = 0
    m.careful = 0
    m.is_cut = 0
    m.is_given = 0
    m.usual = 0.0
    m.leap = 0.0
    m.noise = 0.0
    m.weight = 0.0
    m.error = 0.0
    m.error_along = 0.0


def judge(goes_on: Numbers, o: Origin, s: Steps, status: Indices) -> None:
    """Whether a march that ended goes on: after some steps it does, as long as it may take more and there is demand for
    them."""
    goes_on[0] = 0.0
    if status[0] == TOO_MANY and s.counts.steps < o.limit and o.wanted[0] > 0.5:
        s.counts.limit = s.counts.steps + STEPS_PER_CALL
        if s.counts.limit > o.limit:
            s.counts.limit = o.limit
        goes_on[0] = 1.0


class Keeping(Struct):
    """What is kept of a member: states at requested times, or `sample` of them, `outputs` numbers each; and the states
    before its events."""

    outputs: int
    sample: Known[Function | None]


def finish_member(
    kept: Numbers,
    end: Numbers,
    note: Numbers,
    events: Numbers,
    k: Keeping,
    o: Origin,
    m: RungeKutta,
    s: Steps,
    e: EventRules,
    status: Indices,
) -> None:
    """Results of a member into its rows."""
    for row in range(s.results.reached):
        if k.sample is not None:
            k.sample((s.results.times[row], s.results.at_times[row * s.n :]), (kept[row * k.outputs :],))
        else:
            for i in range(s.n):
                kept[row * s.n + i] = s.results.at_times[row * s.n + i]
    for i in range(s.n):
        end[i] = s.y[i]
    note[0] = float(status[0])
    if status[0] == TOO_MANY and s.counts.steps < o.limit:
        note[0] = float(INTERRUPTED)
    note[1] = s.t
    note[2] = float(s.counts.steps)
    note[3] = float(s.counts.rejected)
    note[4] = float(s.counts.evaluations)
    note[5] = float(s.counts.corrections)
    note[6] = float(s.counts.most_corrections)
    note[7] = float(m.passed)
    note[8] = float(e.count)
    for j in range(e.record):
        if j < e.count:
            events[j * (s.n + 2)] = e.times[j]
            events[j * (s.n + 2) + 1] = e.which[j]
            for i in range(s.n):
                events[j * (s.n + 2) + 2 + i] = e.before[j * s.n + i]


# ----------------------------------------------------------------------------------------------------- inputs by member


class SampledInputs(Struct):
    """Inputs that are piecewise polynomials of time, with their rates: entry j goes to place places[j] of the
    parameters.

    knots    times between pieces; `terms` of each entry's polynomials, those from `first` on in `coefficients` of the
             member at work
    orders   which rate an entry is
    """

    count: int
    knots: int
    times: Numbers
    terms: Indices
    first: Indices
    orders: Indices
    places: Indices
    coefficients: Numbers
    p: Numbers


def set_inputs(t: float, g: SampledInputs) -> None:
    for j in range(g.count):
        if g.orders[j] == 0:
            g.p[g.places[j]] = on_pieces(g.knots, g.terms[j], g.times, g.coefficients[g.first[j] :], t)
        else:
            g.p[g.places[j]] = rate_on_pieces(g.knots, g.terms[j], g.times, g.coefficients[g.first[j] :], t)


def after_inputs(t: float, y: Numbers, out: Numbers, inputs: Function, inner: Function) -> None:
    """A function of time and state, with the inputs of that time."""
    inputs((t,), ())
    inner((t, y), (out,))


def settled_after_inputs(t: float, y: Numbers, out: Numbers, note: Numbers, inputs: Function, inner: Function) -> None:
    inputs((t,), ())
    inner((t, y), (out, note))


def along_after_inputs(t: float, y: Numbers, change: Numbers, out: Numbers, inputs: Function, inner: Function) -> None:
    inputs((t,), ())
    inner((t, y, change), (out,))
