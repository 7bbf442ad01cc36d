"""Motions of a batch in arrays: how the compiled loop computes them, and how results are read from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import AssemblyError, SimulationError, listed
from ...simulation_options import SimulationOptions
from ..contact.impacts import Contact
from ..contact.jamming import is_jammed
from ..events.event_handlers import Instant
from ..events.events import Event
from ..events.switching_times import (
    Switching,
    closed_switching_times,
    longest_step,
    searched_functions,
    unseen_note,
    with_searched_times,
    with_times,
)
from ..forms.form_kinds import FORMS
from ..forms.forms import Form
from ..inputs.inputs import with_inputs
from ..inputs.meanings import Quantity, plain, quantity_expressions
from ..inputs.time_functions import time_functions
from ..kernels.march_records import DONE
from ..kernels.tableaux import tableau_of
from ..result.outcome import Ending, Outcome
from ..result.quantities import StateRows, evaluated_quantities, meaning, stored_places
from ..result.segment import Occurrence, Segment
from ..result.trajectory import Trajectory
from ..run.event_loop import handlers_of
from ..run.form_and_method import AUTO, absolute_tolerances, choice, choices_in_words, form_of
from ..run.methods import explicit_method
from ..run.simulation import MethodChoice, motion_outcome
from ..run.time_span import TimeSpan, check_steps, time_span
from ..start.consistent_start import start_remarks
from ..start.state import start_values
from .ensemble import EnsembleRows, EnsembleTask, integrated_members
from .event_table import event_table
from .member_inputs import MemberInputs, MemberSamples
from .member_starts import MemberStarts, begins_apart, ends_at_event, may_stay_explicit
from .motions_alone import MotionsAlone


@dataclass(frozen=True, eq=False)
class BatchQuestion:
    """What `simulate_batch` received: equations, time, starts, numbers of members by name, samples of inputs by member,
    options, events, outputs to keep."""

    equations: Equations
    t: Any
    start: Any
    starts: Sequence[Any] | None
    columns: Mapping[str, Array]
    count: int
    samples: Mapping[str, MemberSamples]
    options: SimulationOptions
    events: tuple[Event | Contact, ...]
    outputs: tuple[Any, ...]
    threads: int | None


def batch_motions(asked: BatchQuestion, alone: MotionsAlone) -> BatchMotions | None:
    """The motions in arrays; None if `simulate` has to run all members, one by one.

    alone   motions of members by `simulate`, for those that machine code leaves to it
    """
    try:
        prepared = _prepared_batch(asked)
    except (SimulationError, AssemblyError):  # `simulate` says what is wrong, for each member
        return None
    return None if prepared is None else _run(asked, *prepared, alone)


def _prepared_batch(asked: BatchQuestion) -> tuple[EnsembleTask, MethodChoice, MemberStarts] | None:
    eq, o, events = asked.equations, asked.options, asked.events
    picked = choice(eq, o)
    kind = FORMS[picked.form]
    tableau = tableau_of(explicit_method(o.rtol) if picked.method == AUTO else picked.method)
    is_plain = kind.has_rates and not (kind.is_algebraic or kind.is_discrete)
    if (
        tableau is None
        or not is_plain
        or o.sensitivities
        or eq.rows.validity
        or not _can_march_through(eq, events, asked.samples)
    ):
        return None
    starts = MemberStarts.of(eq, asked.start, asked.starts, asked.columns, asked.count)
    span = _times(asked, starts)
    if span.times is None or (events and span.end < span.begin):
        return None
    check_steps(o, span)
    method = MethodChoice(picked.method)
    if picked.method == AUTO:
        explicit = explicit_method(o.rtol)
        method = MethodChoice(explicit, explicit if o.step is None else "")
    form = form_of(eq, picked)
    kept = quantity_expressions(eq, asked.outputs, f"outputs of {eq.name!r}", SimulationError) if asked.outputs else ()
    switching = _switching(asked, form, starts, span)
    if kept and eq.augmented.W is not None:  # friction that jams is found in the states
        kept = [*kept, *eq.state]
    task = EnsembleTask(
        form, tableau, span.begin, span.times, o.rtol, absolute_tolerances(eq, form, o), o.step, o.first_step, longest_step(switching, o, span.duration), o.max_growth,
        o.max_size, o.max_steps, bool(method.explicit), event_table(form, events, "machine code") if events else None,
        tuple(kept), switching=switching,
    )  # fmt: skip
    return task, method, starts


def _switching(asked: BatchQuestion, form: Form, starts: MemberStarts, span: TimeSpan) -> Switching:
    """Switching times of all members: those that depend on parameters are computed for each, others are put together."""
    rtol = asked.options.rtol
    found = closed_switching_times(form, rtol)
    functions = time_functions(form.equations)
    if functions.searched:
        rows = (
            starts.parameters if set(free_symbols(*functions.searched)) - {form.equations.t} else starts.parameters[:1]
        )
        every = np.zeros((len(rows), len(form.parameters)))
        every[:, : rows.shape[1]] = rows
        found = with_searched_times(
            found, *searched_functions(form), ((p,) for p in np.unique(every, axis=0)), span.begin, span.end, rtol
        )
    for s in asked.samples.values():
        found = with_times(found, s.knots(rtol), s.kind == "held")
    return replace(found, is_told=True) if asked.events and found.count else found


def _times(asked: BatchQuestion, starts: MemberStarts) -> TimeSpan:
    """Begin, end, and when states are wanted: None where every step is, or where members begin at different times."""
    if len(set(starts.t.tolist())) != 1:
        return TimeSpan(0.0, 0.0, None)
    span = time_span(asked.t, f"simulate {asked.equations.name!r}", float(starts.t[0]))
    return span._replace(times=np.array([span.end])) if span.times is None and asked.outputs else span


def _can_march_through(eq: Equations, events: Sequence[Any], samples: Mapping[str, Any]) -> bool:
    """Whether the consequences of events are expressions of one event at a time, and rates of sampled inputs are not
    asked for."""
    contacts = [e for e in events if isinstance(e, Contact)]
    plain_ones = all(
        isinstance(e, Event) and e.where is None and not callable(e.reset) for e in events if e not in contacts
    )
    resets = any(isinstance(e, Event) and e.reset is not None for e in events)
    has_rates = any(s.order and s.stem in samples for s in eq.r)
    return len(contacts) <= 1 and plain_ones and not (resets and eq.lam) and not (events and samples) and not has_rates


def _run(
    asked: BatchQuestion,
    task: EnsembleTask,
    method: MethodChoice,
    starts: MemberStarts,
    alone: MotionsAlone,
) -> BatchMotions | None:
    form, begin = task.form, task.begin
    is_good = starts.is_finite()
    is_good &= starts.keeps_constraints()
    inputs = MemberInputs.of(form, asked.samples) if asked.samples else None
    if asked.samples and inputs is None:
        return None
    y, p = form.start(begin, starts.state, starts.parameters)
    if task.events is not None:
        is_good &= begins_apart(form, task.events, begin, y, p)
    if task.adapts:
        is_good = may_stay_explicit(form, begin, y, p, task.end - begin, is_good)
    which = np.flatnonzero(is_good)
    own = None if inputs is None else replace(inputs, coefficients=inputs.coefficients[which])
    rows, seconds = integrated_members(task, np.ascontiguousarray(y[which]), p[which], own, asked.threads, alone.stop)
    is_left = rows.is_for_python()
    if task.events is not None:
        reached = (rows.status == DONE) & (rows.notes[:, 1] == task.end)
        is_left |= ends_at_event(form, task.events, task.end, rows.ends, p[which], reached)
    again = {*np.flatnonzero(~is_good).tolist(), *which[is_left].tolist()}
    found = BatchMotions(asked, task, method, starts, p, rows.spread(which, asked.count), seconds / max(len(which), 1))
    left = [] if alone.stop.is_asked else sorted(again | set(found.jammed()))
    for k, motion in zip(left, alone.motions(left), strict=True):
        found.take(k, motion)
    return found


@dataclass(frozen=True, eq=False)
class BatchMotions:
    """Motions of all members at the same times, in arrays; `others` are those that `simulate` made."""

    asked: BatchQuestion
    task: EnsembleTask
    method: MethodChoice
    starts: MemberStarts
    p: Array
    rows: EnsembleRows
    seconds: float
    others: dict[int, Trajectory] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return self.asked.count

    @property
    def times(self) -> Array:
        return self.task.times

    @property
    def _kept(self) -> Array:
        return self.rows.kept.reshape(self.count, len(self.times), -1)

    def take(self, k: int, motion: Trajectory) -> None:
        """The motion of a member that `simulate` made, into the rows of the others."""
        self.others[k] = motion
        kept = self._kept[k]
        kept[:] = np.nan
        if not len(motion):
            return
        at = slice(None) if len(self.times) > 1 or not motion.is_dense else slice(-1, None)
        if self.task.outputs:
            found = [motion[x][at].reshape(len(motion.t[at]), -1) for x in self.asked.outputs]
            kept[: len(found[0]), : sum(x.shape[1] for x in found)] = np.hstack(found)
        else:
            kept[: len(motion), : motion.y.shape[1]] = motion.y

    # ------------------------------------------------------------------------------------------------ members

    def member(self, k: int) -> Trajectory:
        if k not in self.others:
            self.others[k] = self._made(k)
        return self.others[k]

    def _made(self, k: int) -> Trajectory:
        reached = int(np.sum(~np.isnan(self._kept[k, :, 0])))
        n, its = len(self.asked.equations.state), {name: s.of_member(k) for name, s in self.asked.samples.items()}
        eq, _ = with_inputs(self.asked.equations, its)
        r = [x for s, x in zip(self.asked.equations.r, self.starts.r[k], strict=True) if s in eq.r]
        y = self._kept[k, :reached, :n].copy()
        segment = Segment(
            eq, self.times[:reached].copy(), y, self.starts.p[k], np.array(r), self.outcome(k), "", self.rows.statistics(k, self.seconds),
            choices_in_words(choice(self.asked.equations, self.asked.options), self.method.name), self._occurrences(k),
        )  # fmt: skip
        return Trajectory.of(segment)

    def _occurrences(self, k: int) -> tuple[Occurrence, ...]:
        """What event handlers say of the states before the events."""
        if self.task.events is None:
            return ()
        n, form, given = len(self.asked.equations.state), self.task.form, self.asked.events
        handlers = handlers_of(form, given, self.task.rtol, self.task.atol, True)
        users = iter(h for h in handlers if not h.is_one_sided)
        of_event = [handlers[-1] if isinstance(e, Contact) else next(users) for e in given]
        out: list[Occurrence] = []
        for t, which, *before in self.rows.events[k]:
            if not np.isnan(t):
                now = Instant(float(t), np.array(before[:n]), self.starts.p[k], self.starts.r[k])
                out += of_event[int(which)].handle([0], now).occurrences
        return tuple(out)

    def outcome(self, k: int) -> Outcome:
        if k in self.others:
            return self.others[k].outcome
        ending, t, steps = self.rows.ending(k), float(self.rows.notes[k, 1]), int(self.rows.notes[k, 2])
        if ending is Ending.STOPPED and self.task.events is not None:
            last = self.rows.events[k, ~np.isnan(self.rows.events[k, :, 0])]
            ends = [int(w) for at, w, *_ in last if at == t and self.task.events.terminal[int(w)]]
            return Outcome(ending, t, listed(self.asked.events[w].name for w in ends), self._notes(k))
        found = motion_outcome(
            self.task.form, self.method.name, ending, t, self.rows.ends[k], self.p[k], self.task.begin, steps
        )
        return found.noted(self._notes(k))

    def _notes(self, k: int) -> tuple[str, ...]:
        """On the start of a member, and on functions of time of which nothing is known."""
        asked = self.asked
        start = start_values(asked.start if asked.starts is None else asked.starts[k], f"start of member {k}")
        given = {**start, **{name: column[k].item() for name, column in asked.columns.items()}}
        unseen = unseen_note(self.task.switching, asked.options, self.task.end - self.task.begin)
        return (*start_remarks(asked.equations, given, asked.samples), *([unseen] if unseen else []))

    def failed(self) -> list[int]:
        """Numbers of the members whose outcome is false."""
        went = (Ending.REACHED, Ending.STOPPED)
        is_other = np.zeros(self.count, dtype=bool)
        is_other[list(self.others)] = True
        good = np.isin(self.rows.status, [s for s, e in self.rows.ENDINGS.items() if e in went])
        return [k for k in np.flatnonzero(~good | is_other).tolist() if not self.outcome(k)]

    def jammed(self) -> list[int]:
        """Members with friction that jams at the start or in a state that was kept, and those that could not go on."""
        if self.asked.equations.augmented.W is None:
            return []
        is_beyond = is_jammed(self._everywhere()).reshape(self.count, -1).any(axis=1) | is_jammed(self.starts)
        return sorted({*np.flatnonzero(is_beyond).tolist(), *self.failed()})

    # ------------------------------------------------------------------------------------------------ quantities

    def values(self, what: Quantity) -> Array:
        """Of all members at all times: what is kept, or what follows from the states."""
        asked, eq = plain(what), self.asked.equations
        if self.task.outputs:
            return self._output([plain(x) for x in self.asked.outputs].index(asked))
        places = stored_places(eq)
        if asked in places:
            return self._column(*places[asked])
        found = evaluated_quantities(self._everywhere(), "values", (asked,), lambda: meaning(eq, (asked,)))[0]
        return found.reshape(self.count, len(self.times), *found.shape[1:])

    def _output(self, at: int) -> Array:
        sizes = [_size(x) for x in self.task.outputs]
        first = sum(int(np.prod(s)) for s in sizes[:at])
        found = self._kept[:, :, first : first + int(np.prod(sizes[at]))]
        return found.reshape(self.count, len(self.times), *sizes[at])

    def _column(self, group: str, k: int) -> Array:
        shape = (self.count, len(self.times))
        if group == "t":
            return np.broadcast_to(self.times, shape)
        if group == "p":
            return np.broadcast_to(self.starts.p[:, k, None], shape)
        if group == "r":
            return self._inputs()[:, :, k]
        eq = self.asked.equations
        first = {"q": 0, "u": len(eq.q), "z": len(eq.q) + len(eq.u)}[group]
        return self._kept[:, :, first + k]

    def _inputs(self) -> Array:
        """Inputs at all times: constant, or samples."""
        r = np.repeat(self.starts.r[:, None, :], len(self.times), axis=1)
        for j, s in enumerate(self.asked.equations.r):
            if s.stem in self.asked.samples:
                r[:, :, j] = self.asked.samples[s.stem].at(self.times, s.order)
        return r

    def _everywhere(self) -> StateRows:
        """All states of all members, one after another."""
        eq, n = self.asked.equations, len(self.times)
        y = self._kept.reshape(self.count * n, -1)
        first = sum(int(np.prod(_size(x))) for x in self.task.outputs[: len(self.asked.outputs)])
        q, u, z = np.split(y[:, first : first + len(eq.state)], np.cumsum([len(eq.q), len(eq.u)]), axis=1)
        r, p = self._inputs().reshape(len(y), -1), np.repeat(self.starts.p, n, axis=0)
        return StateRows(eq, np.tile(self.times, self.count), q, u, z, r, p)


def _size(thing: Any) -> tuple[int, ...]:
    return tuple(getattr(thing, "shape", ()))
