"""`simulate_modes`: several sets of equations, numbers and a time -> Trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ...derivation.equations.keywords import values_by_name
from ...emit.run.callable import Array
from ...errors import SimulationError, in_number, shown, unknown
from ...options import OptionSet
from ...simulation_options import SimulationOptions
from ..contact.contact_checks import check_contacts
from ..contact.friction_handler import uncertain_note
from ..contact.jamming import with_jamming_outcome
from ..events.event_handlers import EventHandler, UserEventHandler, ValidityHandler
from ..events.events import Event
from ..events.rate_jumps import RateJumpHandler, borders_of
from ..forms.sensitivities import CARRIED, state_on_constraints
from ..result.outcome import Ending, Outcome
from ..result.segment import Occurrence, Segment
from ..result.trajectory import Trajectory
from ..run import typed_calls
from ..run.event_loop import ChatteringDetector, Leaving
from ..run.form_and_method import choice, form_of
from ..run.simulation import MethodChoice, Simulation
from ..run.time_span import TimeSpan, check_steps, time_span
from ..start.branch_rank import run_rank
from ..start.consistent_start import ConsistentStart, StartRequest, consistent_start
from ..start.state import Amount, Start, State, default_values, is_whole_state, require_parameters, start_values
from ..time_stepping.time_stepping import METHOD as MOREAU
from .modes import Contacts, HybridSystem, Modes, is_in

MOST_MODES: Final = 200  # a simulation that comes to more of them ends


@values_by_name(SimulationError, options=OptionSet(SimulationOptions), checked_as=typed_calls.simulate_modes)
def simulate_modes(
    modes: Modes | Contacts,
    t: Any,
    start: Start | None = None,
    *,
    values: Mapping[Any, float] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    events: Sequence[Event] = (),
    mode: str | None = None,
    options: SimulationOptions,
    **named: Amount,
) -> Trajectory:
    """The motion of a hybrid system, which switches between sets of equations.

    modes     `Modes` (equations by name and the switches between them), or `Contacts` (bodies that bounce and come to
              rest)
    events    `Event`s; each is active in all modes that have its variables
    mode      initial mode; by default the first of `Modes`, and for `Contacts` the one that the start is in
    values    values that replace those of the start, by name or symbol, or as keywords. A parameter has the same value in all
              modes
    options   any option by name, or `SimulationOptions`

    method="moreau" with a fixed step is for `Contacts`: Moreau-Jean time stepping, of order one, for many contacts and
    for accumulating impacts.

    With sensitivities=[...] variations pass from mode to mode by exact saltation matrices, also through impacts with
    friction, but not through the end of a slip that has two directions.

    >>> m = sb.Model("ball")
    >>> y = m.coordinate("y")
    >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=1.0)
    >>> m.gravity(0, -9.81, 0)
    >>> floor = sb.Contacts(sb.derive(m), sb.Contact("floor", y, restitution=0.3))
    >>> sim = sb.simulate_modes(floor, 2.0, y=1.0)
    >>> sim.modes[-1], round(float(sim["y"][-1]), 9) + 0.0
    ('floor', 0.0)

    See also: `Modes`, `Contacts`, `Switch`, `Trajectory`.
    """
    if not isinstance(modes, (Modes, Contacts)):
        raise SimulationError(
            f"simulate_modes takes `Modes` or `Contacts`; for equations there is `simulate`. Got {shown(modes)}"
        )
    if isinstance(modes, Contacts) and not (modes.contacts or modes.table.frictions or options.method == MOREAU):
        raise SimulationError(
            f"simulate_modes of {modes.name!r}: its `Contacts` have no Contact and no Friction; `simulate` moves equations without"
        )
    plan, constants = modes.with_inputs(inputs or {})
    firm = {**constants, **(values or {})}
    known = start_values(start, f"simulate {modes.name!r}")
    if is_whole_state(start):
        asked = StartRequest(firm, tuple(firm), near=known)
    else:
        asked = StartRequest({**known, **firm}, tuple(firm))
    if options.method == MOREAU:
        return _by_time_stepping(plan, t, asked, options, events)
    return _ModesRun(plan, options, asked, events, mode or plan.initial).run(t)


def _by_time_stepping(
    plan: HybridSystem, t: Any, start: StartRequest, asked: SimulationOptions, events: Sequence[Event]
) -> Trajectory:
    """Contacts and frictions by steps of a fixed length, without events."""
    where = f"simulate {plan.name!r}, method={MOREAU!r}"
    if not isinstance(plan, Contacts) or events or asked.step is None:
        raise SimulationError(
            f"{where}: this method is for `Contacts`, with a fixed step=..., and has no events; leave out method= for others"
        )
    eq = plan.base
    span = time_span(t, f"simulate {eq.name!r}", start.t)
    check_steps(asked, span)
    begin = consistent_start(eq, start.at(span.begin))
    check_contacts(plan.table.contacts, plan.table.frictions, begin.state)
    motion = plan.time_stepping(begin.state, asked.step).run(span.end, span.times)
    return replace(motion, outcome=motion.outcome.noted(begin.notes))


class _ModesRun:
    """One simulation of a hybrid system: segments in one mode each, until the end."""

    def __init__(
        self,
        plan: HybridSystem,
        options: SimulationOptions,
        start: StartRequest,
        events: Sequence[Event],
        begins: str,
    ) -> None:
        self.plan, self.options, self.events, self.begins = plan, options, tuple(events), begins
        values = start.values
        if options.sensitivity_order > 1:
            raise SimulationError(
                f"simulate_modes {plan.name!r}: sensitivity_order = {options.sensitivity_order}: from mode to mode derivatives of first order "
                "are carried; events with reset= in simulate(...) carry higher ones"
            )
        self._delays = np.zeros(len(options.sensitivities))  # how much later the mode began along each variation
        self.segments: list[Segment] = []
        self._used = 0.0  # bytes of these
        self._notes: dict[str, None] = {}  # on the start, and on friction that jams
        self._unfiled: list[Occurrence] = []  # events since the last segment was filed
        self._methods: dict[str, MethodChoice] = {}  # chosen when a mode first begins
        self._made: dict[str, list[EventHandler]] = {}
        first = plan.equations(begins)
        names = {m: _argument_names(plan, m) for m in (*plan.all_modes, begins)}
        known = [n for own in names.values() for n in own]
        if strange := [n for n in values if n not in known]:
            raise unknown(
                f"simulate {plan.name!r}",
                "coordinate, speed, variable or parameter",
                strange[0],
                dict.fromkeys(known),
                SimulationError,
            )
        self.start = start.only(names[begins])
        require_parameters(first, default_values(first) | dict(self.start.values))
        self.constants: dict[str, float] = {}
        for m in (*plan.all_modes, begins):
            eq = plan.equations(m)
            own = eq.variables.of("p r")
            found = {n: v for n, v in default_values(eq).items() if n in own and n not in self.constants}
            self.constants |= found | {n: float(v) for n, v in values.items() if n in own}
        if idle := [n for n in start.given if n not in names[begins] and n not in self.constants]:
            raise SimulationError(
                f"simulate {plan.name!r}: {in_number(idle, '{} is', '{} are')} not in mode {begins!r}, in which it starts"
            )
        for e in self.events:
            if not isinstance(e, Event) or not any(is_in(e.when, plan.equations(m)) for m in plan.all_modes):
                raise SimulationError(
                    f"simulate {plan.name!r}: event {getattr(e, 'name', shown(e))} has variables that no mode has, or is not an `Event`; pass contacts to `Contacts`"
                )

    def run(self, t: Any) -> Trajectory:
        plan, eq = self.plan, self.plan.equations(self.begins)
        begin, end, times = span = time_span(t, f"simulate {eq.name!r}", self.start.t)
        check_steps(self.options, span)
        if end < begin:
            raise SimulationError(
                f"simulate {plan.name!r}: transitions between modes cannot be undone: time goes forward only"
            )
        found, mode = consistent_start(eq, self.start.at(begin)), self.begins
        self.state = found.state
        self._notes |= dict.fromkeys(found.notes)
        if isinstance(plan, Contacts):
            check_contacts(plan.table.contacts, plan.table.frictions, replace(self.state, equations=plan.base))
        chattering = ChatteringDetector(end - begin)
        columns: Array | None = None
        while True:
            simulation = self._simulation(mode, TimeSpan(self.state.t, end, times), columns)
            segment = simulation.run(self._handlers(mode, simulation), chattering, mode, self._used)
            if isinstance(plan, Modes):  # contacts solve the law of friction at every transition
                before, segment = segment.outcome.notes, with_jamming_outcome(segment)
                self._notes |= dict.fromkeys(n for n in segment.outcome.notes if n not in before)
                if segment.outcome.ending is Ending.JAMMED:
                    self._unfiled += segment.events
                    self._file(segment)
                    return self._trajectory(segment.outcome)
            loop, now = simulation.events, simulation.reached
            transition = loop.target if loop else None
            self._unfiled += segment.events
            goes_on = transition is not None and now < end
            if goes_on and times is not None:
                segment, times = _split_at(segment, times, now)
            if (
                not goes_on or now > self.state.t
            ):  # a mode that ends when it begins has events, but no stretch of its own
                self._file(segment)
            if not goes_on:
                return self._trajectory(segment.outcome if transition is None else Outcome(Ending.REACHED, now))
            if said := chattering.counted(now):
                if not self.segments:
                    self._file(segment)
                return self._trajectory(Outcome(Ending.CHATTERING, now, said))
            assert transition is not None
            assert loop is not None
            mode = transition.mode
            if mode not in self._made and len(self._made) >= MOST_MODES:
                if not self.segments:
                    self._file(segment)
                return self._trajectory(Outcome(Ending.TOO_MANY_MODES, now, self._too_many()))
            self.constants |= transition.values
            self.state = self._arrived(mode, now, transition.state)
            columns = self._varied_arrival(simulation, loop.leaving, mode) if loop.leaving else None

    def _too_many(self) -> str:
        """Every mode has programs of its own, so that their number bounds memory and the time for compiling."""
        parts = len(self.plan.parts) if isinstance(self.plan, Contacts) else len(self.plan.all_modes)
        return (
            f"{parts} contacts and frictions have been open, sticking or slipping in {MOST_MODES} combinations; time stepping takes any "
            "number: simulate_modes(..., method='moreau', step=...)"
        )

    def _file(self, segment: Segment) -> None:
        self.segments.append(replace(segment, events=tuple(self._unfiled)))
        self._used += segment.bytes
        self._unfiled = []

    def _trajectory(self, outcome: Outcome) -> Trajectory:
        *others, last = self.segments
        uncertain = uncertain_note(h for own in self._made.values() for h in own)
        outcome = replace(outcome, notes=tuple(dict.fromkeys((*outcome.notes, *self._notes, *uncertain))))
        return Trajectory((*others, replace(last, events=(*last.events, *self._unfiled))), outcome)

    def _simulation(self, mode: str, span: TimeSpan, columns: Array | None) -> Simulation:
        """columns: of variations, where these come from another mode."""
        eq = self.plan.equations(mode)
        picked = choice(eq, self.options)
        options = picked if columns is None else replace(picked, held=CARRIED)
        simulation = Simulation(eq, options, ConsistentStart(self.state), span, self._methods.get(mode))
        if columns is not None:
            simulation.y[-len(columns) :] = columns
        self._methods[mode] = simulation.method
        return simulation

    def _varied_arrival(self, left: Simulation, leaving: Leaving, mode: str) -> Array:
        """Variations at the beginning of a mode, from those at the end of the one before."""
        eq, s, form = self.plan.equations(mode), self.state, left.form.variations
        assert form is not None
        target = form_of(eq, replace(choice(eq, self.options), sensitivities=(), held=()), run_rank(s))
        saltation = form.saltation(leaving.when, state_on_constraints(target, leaving.carried), target)
        begun = target.start(s.t, np.concatenate([s.q, s.u, s.z]), np.concatenate([s.p, s.r]))
        columns, self._delays = saltation.into(s.t, leaving.y, left.p, begun, self._delays)
        return columns

    def _handlers(self, mode: str, simulation: Simulation) -> list[EventHandler]:
        if mode not in self._made:
            form, eq = simulation.form, simulation.eq
            own: list[EventHandler] = [ValidityHandler(form)] if eq.rows.validity else []
            own += [UserEventHandler(form, e) for e in self.events if is_in(e.when, eq)]
            if form.variations and (borders := borders_of(form.state.rates, (*form.state.y, eq.t))):
                own.append(RateJumpHandler(form, borders))
            leading_out = self.plan.handlers(mode, form, self.options.rtol, simulation.atol, self.constants)
            self._made[mode] = [*own, *leading_out]
        return self._made[mode]

    def _arrived(self, mode: str, t: float, state: Array) -> State:
        eq = self.plan.equations(mode)
        q, u, z = np.split(state, [len(eq.q), len(eq.q) + len(eq.u)])
        r, p = ([self.constants[s.name] for s in symbols] for symbols in (eq.r, eq.p))
        return State(eq, t, q, u, z, np.array(r), np.array(p))


def _argument_names(plan: HybridSystem, mode: str) -> set[str]:
    return {s.name for s in plan.equations(mode).variables.arguments}


def _split_at(segment: Segment, times: Array, now: float) -> tuple[Segment, Array]:
    """Requested times before a switch, and those from it on: at the switch the state after it counts."""
    n = int(np.sum(times < now))
    return segment.taken(slice(n)), times[n:]
