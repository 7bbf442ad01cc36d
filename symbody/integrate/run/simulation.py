"""One motion in one mode: a form and a method at work from a start that is checked, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array, Compiled
from ...errors import SimulationError
from ...interruption import raise_interruption
from ...progress import working
from ...simulation_options import SimulationOptions
from ..events.event_handlers import EventHandler
from ..events.switching_times import (
    Switching,
    longest_step,
    sample_program,
    switching_times,
    undivided_note,
    unseen_note,
)
from ..forms.forms import Form
from ..forms.sensitivities import variations_in
from ..kernels.tableaux import TABLEAUX, Tableau, tableau_of
from ..result.outcome import Ending, Outcome
from ..result.record import Record
from ..result.segment import Segment
from ..start.branch_rank import branch_note, equations_of_branch, run_rank
from ..start.consistent_start import ConsistentStart
from .adaptation import FIRST_PATIENCE, Adaptation
from .diagnosis import diagnosed_outcome, unbounded_outcome
from .event_loop import ChatteringDetector, EventLoop
from .form_and_method import AUTO, absolute_tolerances, choices_in_words, form_of
from .idle_machines import give_back, machine_for
from .machine import Machine, Task
from .methods import IMPLICIT, VARIATIONAL, explicit_method
from .run import Leg, drive
from .singular_configurations import coarse_note, jump
from .stiffness import is_stiff, stiffness_note
from .time_span import TimeSpan


class MethodChoice(NamedTuple):
    """The method with which a motion begins; `explicit` is the one between which and the implicit one it may change on
    the way, empty if it may not."""

    name: str | Tableau
    explicit: str = ""


def motion_outcome(
    form: Form,
    method: str | Tableau,
    ending: Ending,
    t: float,
    y: Array,
    p: Array,
    begin: float,
    steps: int,
    is_explicit: bool = True,
) -> Outcome:
    """The outcome of a motion that ended in a state, with notes on it."""
    outcome = diagnosed_outcome(form, ending, t, y, p, is_explicit)
    if ending in (Ending.TOO_MANY_STEPS, Ending.INTERRUPTED) and tableau_of(method) and form.rates:
        mean = (outcome.t - begin) / max(steps, 1)
        outcome = replace(outcome, detail=stiffness_note(form, outcome.t, y, p, mean) or outcome.detail)
    return outcome


class Simulation:
    """One simulation in one mode, from a start that is checked; `events` is its event loop."""

    events: EventLoop | None = None

    def __init__(
        self,
        eq: Equations,
        o: SimulationOptions,
        start: ConsistentStart,
        span: TimeSpan,
        method: MethodChoice | None = None,
    ) -> None:
        """method: where it is decided already; otherwise stiffness at the start decides, where it is "auto"."""
        raise_interruption()
        self.options, self.start, self.state = o, start, start.state
        _, self.end, self.times = span
        with working(f"compile {eq.name}", o.progress):
            self._prepare(eq)
            self.method = method or self._method()

    def _prepare(self, eq: Equations) -> None:
        """The form on the branch of the start, and the state in its variables."""
        o, s = self.options, self.state
        self.rank = run_rank(s)
        self.eq = equations_of_branch(eq, self.rank)
        self.form = form_of(eq, o, self.rank)
        self.notes = (*self.start.notes, *filter(None, [branch_note(eq, self.rank)]))
        self.y, self.p = self.form.start(s.t, np.concatenate([s.q, s.u, s.z]), np.concatenate([s.p, s.r]))
        self.sample = sample_program(self.form)
        if self.sample is not None:
            self.y = self._sampled(self.sample)
        self.atol = absolute_tolerances(eq, self.form, o)

    def _sampled(self, sample: Compiled) -> Array:
        """The state at the start, behind the first samples."""
        if self.end < self.state.t:
            raise SimulationError(
                f"simulate {self.eq.name!r}: sampled laws go forward in time; t ends at {self.end:g}, before the start at {self.state.t:g}"
            )
        found = sample(self.state.t, self.y, self.p)
        sample.raise_pending()
        return found

    def _method(self) -> MethodChoice:
        o, s, form = self.options, self.state, self.form
        if o.method != AUTO:
            return MethodChoice(o.method)
        adapts = o.step is None and bool(form.rates) and form.kind.has_rates
        stiff = adapts and not o.sensitivities and is_stiff(form, s.t, self.y, self.p, self.end - s.t)
        explicit = explicit_method(o.rtol)
        return MethodChoice(IMPLICIT if stiff else explicit, explicit if adapts else "")

    def run(
        self,
        handlers: Sequence[EventHandler] = (),
        chattering: ChatteringDetector | None = None,
        mode: str = "",
        used: float = 0.0,
    ) -> Segment:
        """used: memory for results that stretches in other modes have taken."""
        events = self._event_loop(handlers, chattering) if handlers else None
        adaptation = Adaptation(self.method.explicit) if self.method.explicit else None
        leg = self._leg(events, self.options.max_memory - used)
        machine, self.events = leg.machine, events
        ending = self._ending(leg, adaptation)
        self._raise_pending()
        self.reached = leg.machine.t
        segment = self._segment(leg.machine, leg.record, ending, mode, adaptation.notes if adaptation else ())
        if leg.machine is machine:
            give_back(self.method.name, machine)
        return segment

    def _event_loop(self, handlers: Sequence[EventHandler], chattering: ChatteringDetector | None) -> EventLoop:
        span = self.end - self.state.t
        return EventLoop(self.form, self.p, handlers, chattering or ChatteringDetector(span), span > 0)

    def _leg(self, events: EventLoop | None, memory: float) -> Leg:
        """A machine for the task, at the beginning of its record."""
        o = self.options
        machine = machine_for(self.method.name, self._task(events), o.progress)
        if o.first_step is not None:
            machine.steps.h = np.copysign(o.first_step, self.end - self.state.t)
        return Leg(machine, Record(memory), self.eq, o.progress)

    def _ending(self, leg: Leg, adaptation: Adaptation | None) -> Ending:
        """Run the machine to its end, through its events."""
        if self.rank.is_singular:
            return Ending.SINGULAR
        events, max_steps = self.events, self.options.max_steps
        try:
            if events is None:
                return drive(leg, max_steps, None, adaptation)
            ending = events.begin(leg)
            if events.target is not None:
                ending = Ending.STOPPED
            if ending is None:
                ending = drive(leg, max_steps, lambda k: events.occurred(leg, k), adaptation)
            return (events.finish(leg) if ending is Ending.REACHED else None) or ending
        finally:
            leg.progress.done()

    def _raise_pending(self) -> None:
        """Raise what functions of the user raised on the way."""
        for source in (self.form, self.sample, self.events):
            if source is not None:
                source.raise_pending()

    def _task(self, events: EventLoop | None) -> Task:
        o, s, explicit = self.options, self.state, self.method.explicit
        watch, sense = (events.watch, events.sense) if events else (None, ())
        switching = self._switching(events is not None)
        return Task(
            self.form, self.p, self.y, s.t, self.end, o.rtol, self.atol, o.step, longest_step(switching, o, self.end - s.t), o.max_growth, self.times, watch,
            sense, o.max_size, *((FIRST_PATIENCE, TABLEAUX[explicit].reach) if explicit else (0, 0.0)), switching,
        )  # fmt: skip

    def _switching(self, has_events: bool) -> Switching:
        """Switching times; the loop reports jumps where steps are kept, and where something else may jump with them."""
        found = switching_times(self.form, self.p, self.state.t, self.end, self.options.rtol)
        is_told = has_events or self.times is None or self.form.kind.is_algebraic
        return replace(found, is_told=True) if is_told and found.count else found

    def _segment(self, machine: Machine, record: Record, ending: Ending, mode: str, changes: Sequence[str]) -> Segment:
        eq, s, o = self.eq, self.state, self.options
        n = len(s.q) + len(s.u) + len(s.z)
        if self.times is None:
            t, y = record.rows()
        else:
            y = machine.memory.points.copy()
            t = self.times[: len(y)].copy()
        choices = choices_in_words(o, self.method.name, bool(changes))
        occurrences = tuple(self.events.occurrences) if self.events else ()
        if self.events and self.events.detail:
            outcome = Outcome(ending, machine.t, self.events.detail)
        elif ending is Ending.UNBOUNDED:
            outcome = unbounded_outcome(self.form, machine.steps.growth, machine.t, machine.y, self.p)
        else:
            outcome = motion_outcome(
                self.form,
                self.method.name,
                ending,
                machine.t,
                machine.y,
                self.p,
                s.t,
                record.statistics.steps,
                machine.is_explicit,
            )
        if outcome and (wrong := jump(machine.method, s, o.rtol)):
            outcome = Outcome(Ending.JUMPED, outcome.t, wrong)
        unseen = unseen_note(machine.task.switching, o, self.end - s.t)
        if self.method.name == VARIATIONAL and (o.order or 2) > 2:  # parts of its steps lie outside of them
            unseen = undivided_note(self.eq, f"parts of steps of order {o.order}")
        if notes := [*changes, *filter(None, [record.note, coarse_note(machine.method, o.rtol), unseen])]:
            outcome = replace(outcome, notes=(*outcome.notes, *notes))
        outcome = outcome.noted(self.notes)
        return Segment(
            eq, t, y[:, :n], s.p, s.r, outcome, mode, record.statistics, choices, occurrences, tuple(record.pieces()),
            variations_in(y, n, len(varied.indices) if (varied := self.form.variations) else 0), tuple(o.sensitivities),
        )  # fmt: skip
