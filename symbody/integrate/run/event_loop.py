"""The event loop: zero crossings found by machines are passed to event handlers, until none is left at that time."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...algebra.graph.graph import Expr
from ...emit.run.callable import Array
from ...errors import SimulationError, listed, shown
from ..contact.contacts import ContactHandler, check_names
from ..contact.impacts import Contact
from ..events.event_handlers import EventHandler, EventResult, Instant, Transition, UserEventHandler, ValidityHandler
from ..events.events import CHATTERING_EVENTS, CHATTERING_TIME, Event, Watch, watch_of
from ..events.rate_jumps import RateJumpHandler, borders_of
from ..forms.forms import Form
from ..forms.sensitivities import VariedForm
from ..result.outcome import Ending
from ..result.segment import Occurrence
from .machine import Machine
from .run import Leg

RATE_JUMP_OFFSET: Final = 1e-8  # time before and after a jump of rates at which these are evaluated
ADVICE: Final = (
    "bodies that come to rest on each other need `Contacts` (simulate_modes), sliding along a surface a mode of its own"
)


class ChatteringDetector:
    """Detects events that accumulate at one time; shared by all modes of a simulation."""

    def __init__(self, span: float) -> None:
        """span: the time to simulate."""
        self._short, self.count = CHATTERING_TIME * abs(span), 0
        self._last: deque[float] = deque(maxlen=CHATTERING_EVENTS)
        self.names: deque[str] = deque(maxlen=CHATTERING_EVENTS)  # of the last occurrences

    def counted(self, t: float) -> str | None:
        """Count one more event; the message where they accumulate (Zeno behaviour)."""
        self.count += 1
        self._last.append(t)
        within = abs(t - self._last[0])
        if len(self._last) < CHATTERING_EVENTS or within > self._short:
            return None
        names = listed(dict.fromkeys(self.names)) if self.names else "none of them recorded"
        return f"{self.count} events so far, the last {CHATTERING_EVENTS} within {within:z.1e}: {names}; {ADVICE}"


@dataclass(frozen=True)
class Leaving:
    """The end of a mode with variations: the event function (None: it ends as it begins), the new state as expressions
    before constraints change it, and the state with its variations."""

    when: Expr | None
    carried: tuple[Expr, ...]
    y: Array


def _no_derivatives(form: Form, t: float, results: Sequence[EventResult]) -> SimulationError:
    return SimulationError(
        f"sensitivities of {form.equations.name!r}: at t = {t:g} the state jumps by "
        f"{listed(o.name for a in results for o in a.occurrences)}; derivatives exist only through a single event or impact whose new "
        "values are expressions and keep the constraints"
    )


class EventLoop:
    """Events of a simulation in one mode; `drive` calls it."""

    def __init__(
        self, form: Form, p: Array, handlers: Sequence[EventHandler], chattering: ChatteringDetector, forward: bool
    ) -> None:
        self.form, self.p, self.handlers, self.chattering = form, p, tuple(handlers), chattering
        self.direction = 1.0 if forward else -1.0
        self._owner = [(a, k) for a in self.handlers for k in range(len(a.watched))]
        self._sense = np.array([a.watched[k][1] for a, k in self._owner])
        self.watch: Watch = watch_of(
            form, [a.watched[k][0] for a, k in self._owner], [a.sizes[k] for a, k in self._owner]
        )
        self.occurrences: list[Occurrence] = []
        self.target: Transition | None = None
        self.detail = ""
        eq = form.equations
        self._n, self._n_p = len(eq.q) + len(eq.u) + len(eq.z), len(eq.p)
        self.leaving: Leaving | None = None

    @property
    def sense(self) -> tuple[int, ...]:
        """Directions in the direction of integration."""
        return tuple(int(s * self.direction) for s in self._sense)

    def raise_pending(self) -> None:
        self.watch.program.raise_pending()

    # ------------------------------------------------------------------------------------------------ for drive

    def begin(self, leg: Leg) -> Ending | None:
        """Before the first step: events at the start, and the signs of event functions."""
        machine = leg.machine
        g, _, least = self._values(machine)
        beyond = iter((g * self._sense > least).tolist())
        results = []
        for handler in self.handlers:
            if found := handler.begin(self._now(machine), [next(beyond) for _ in handler.watched]):
                results.append((handler, found))
        ending = self._take(leg, results, [])
        if ending is None:
            self._set_sides(machine)
        return ending

    def occurred(self, leg: Leg, k: int | None) -> Ending | None:
        """Event k was found at the machine's state; or an input has jumped, and event functions with it."""
        machine = leg.machine
        if k is None:
            found = self._jumped(machine, machine.side)
            return self._answered(leg, found) if found else None
        if said := self.chattering.counted(machine.t):
            self.detail = said
            return Ending.CHATTERING
        return self._answered(leg, [k, *self._simultaneous(machine, k)])

    def finish(self, leg: Leg) -> Ending | None:
        """At the end: crossings that the next step would find count."""
        found = self._simultaneous(leg.machine, -1)
        if not found:
            return None
        return self._answered(leg, found)

    # ------------------------------------------------------------------------------------------------ consequences

    def _answered(self, leg: Leg, found: list[int]) -> Ending | None:
        machine, handled, crossed = leg.machine, set(found), set(found)
        came_from: dict[int, float] = {}
        for _ in range(CHATTERING_EVENTS):
            sides = machine.side.copy()
            before = machine.y.copy()
            results = []
            for handler in self.handlers:
                which = [self._owner[k][1] for k in found if self._owner[k][0] is handler]
                if which:
                    result = handler.handle(which, self._now(machine))
                    results.append((handler, result))
                    if result.state is not None:
                        machine.y[: self._n] = (
                            result.state
                        )  # visible to the next handler; `_take` sets it in the machine
                        came_from |= {k: float(sides[k]) for k in found if self._owner[k][0] is handler}
            machine.y[:] = before
            ending = self._take(leg, results, found)
            if ending is not None or self.target is not None:
                return ending or Ending.STOPPED
            found = [k for k in self._jumped(machine, sides) if k not in handled]
            handled |= set(found)
            if not found:
                self._set_sides(machine, () if came_from else crossed)
                self._keep_sides(machine, came_from)
                return None
        self.detail = (
            f"{CHATTERING_EVENTS} events at one time trigger each other: "
            f"{listed(dict.fromkeys(o.name for o in self.occurrences[-CHATTERING_EVENTS:]))}"
        )
        return Ending.CHATTERING

    def _take(
        self, leg: Leg, results: Sequence[tuple[EventHandler, EventResult]], found: Sequence[int]
    ) -> Ending | None:
        """Apply the results: occurrences, state, ending, transition."""
        ending: Ending | None = None
        stops = []
        new: Array | None = None
        changed = []
        for handler, result in results:
            self.occurrences += result.occurrences
            self.chattering.names.extend(o.name for o in result.occurrences)
            if result.state is not None:
                new = result.state
                changed.append((handler, result))
            if result.target is not None and self.target is None:
                self.target = result.target
            if result.ending is not None or result.stops is not None:
                ending = result.ending or ending or Ending.STOPPED
                stops.append(result.stops or "")
        if self.target is not None and (varied := self.form.variations):
            self.leaving = self._left(varied, leg.machine.t, leg.machine.y.copy(), results, found)
        elif new is not None:
            self._jump(leg, new, changed, found)
        if ending is not None:
            self.detail = listed(dict.fromkeys(stops))
            if ending is Ending.STOPPED:
                self.target = None
        return ending

    def _jump(
        self, leg: Leg, state: Array, changed: Sequence[tuple[EventHandler, EventResult]], found: Sequence[int]
    ) -> None:
        machine, form, t = leg.machine, self.form, leg.machine.t
        y, p = form.state.start(t, state, self.p[: self._n_p + len(form.equations.r)])
        if varied := form.variations:
            y = np.concatenate([y, self._variations(varied, t, machine.y, y, changed, found)])
        self.p[:], machine.p[:], machine.y[:] = p, p, y
        leg.jump()

    def _variations(
        self,
        form: VariedForm,
        t: float,
        before: Array,
        after: Array,
        changed: Sequence[tuple[EventHandler, EventResult]],
        found: Sequence[int],
    ) -> Array:
        found = [k for k in found if any(self._owner[k][0] is handler for handler, _ in changed)]
        if not found and all(r.after == {} for _, r in changed):  # a mode begins, and what rounding left is taken away
            return before[form.state.n :]
        if len(changed) != 1 or len(found) != 1 or changed[0][1].after is None:
            raise _no_derivatives(form, t, [a for _, a in changed])
        k = found[0]
        handler, inner = self._owner[k]
        expressions = changed[0][1].after
        assert expressions is not None
        new = tuple(expressions.get(s, s) for s in form.state.y)
        aside = RATE_JUMP_OFFSET * max(1.0, abs(t)) * self.direction if changed[0][1].is_continuous else 0.0
        return form.saltation(handler.watched[inner][0], new, form.state)(t, before, after, self.p, aside)

    def _left(
        self,
        form: VariedForm,
        t: float,
        y: Array,
        results: Sequence[tuple[EventHandler, EventResult]],
        found: Sequence[int],
    ) -> Leaving:
        """How variations leave this mode."""
        changed = [(h, r) for h, r in results if r.target is not None or r.state is not None]
        own = [k for k in found if any(self._owner[k][0] is h for h, _ in changed)]
        handler, result = changed[0]
        if (
            len(changed) != 1
            or len(own) > 1
            or (found and not own)
            or (result.state is not None and result.after is None)
        ):
            raise _no_derivatives(form, t, [r for _, r in changed])
        assert result.target is not None
        after, carried = result.after or {}, result.target.carried
        new = tuple(after.get(s, s) for s in form.equations.state) if carried is None else tuple(carried)
        return Leaving(handler.watched[self._owner[own[0]][1]][0] if own else None, new, y)

    # ----------------------------------------------------------------------------------------- signs of event functions

    def _now(self, machine: Machine) -> Instant:
        n, n_p, n_r = self._n, self._n_p, len(self.form.equations.r)
        return Instant(machine.t, machine.y[:n].copy(), self.p[:n_p], self.p[n_p : n_p + n_r])

    def _values(self, machine: Machine) -> tuple[Array, Array, Array]:
        return self.watch(machine.t, machine.y, self.p)

    def _set_sides(self, machine: Machine, passed: Collection[int] = ()) -> None:
        """The sign of each function; where that is rounding, of its rate; 0 if that is zero too: not known yet.

        An open contact has sign +1 until it closes; a penetration within rounding counts as zero. So does what is left
        to the zero of a function that has just passed it, where noise of the state (in a singular position) keeps it
        from being found to rounding.
        """
        g, rates, least = self._values(machine)
        now = self._now(machine)
        least = np.maximum(
            least, np.concatenate([np.broadcast_to(a.tolerance(now), len(a.watched)) for a in self.handlers])
        )
        leaves = np.sign(rates) * self.direction
        short = np.isin(np.arange(len(g)), list(passed)) & (g * leaves < 0)
        least = np.where(short, np.maximum(least, 2 * np.abs(g)), least)
        side = np.where(np.abs(g) > least, g, leaves)
        one_sided = np.array([a.is_one_sided for a, _ in self._owner], dtype=bool)
        least = np.where(one_sided & (g < 0), np.maximum(least, -2 * g), least)
        machine.side[:] = np.where(one_sided, 1.0, side)
        machine.least[:] = least

    def _keep_sides(self, machine: Machine, came_from: Mapping[int, float]) -> None:
        """A function that a reset leaves at zero with zero rate keeps the sign it had before."""
        for k, side in came_from.items():
            if machine.side[k] == 0.0:
                machine.side[k] = side

    def _simultaneous(self, machine: Machine, k: int) -> list[int]:
        """Other functions that are zero within rounding and about to leave their side in a direction that counts, or
        just did."""
        g, rates, least = self._values(machine)
        side = machine.side
        goes = np.sign(rates) * self.direction
        beyond = (np.abs(g) > least) & (g * side < 0)
        leaving = (np.abs(g) <= least) & (goes * side < 0)
        counts = (self._sense * self.direction) * side <= 0
        return [j for j in np.flatnonzero((beyond | leaving) & counts & (side != 0)).tolist() if j != k]

    def _jumped(self, machine: Machine, sides: Array) -> list[int]:
        """Functions that a jump of the state took to the other side."""
        g, _, least = self._values(machine)
        side = sides[: len(g)]
        counts = (self._sense * self.direction) * side <= 0
        return np.flatnonzero((np.abs(g) > least) & (g * side < 0) & counts).tolist()


def handlers_of(
    form: Form, events: Sequence[Event | Contact], rtol: float, atol: Array, forward: bool
) -> list[EventHandler]:
    """The handlers of events and contacts."""
    eq = form.equations
    handlers: list[EventHandler] = [ValidityHandler(form)] if eq.rows.validity else []
    contacts = [e for e in events if isinstance(e, Contact)]
    if contacts and not forward:
        raise SimulationError(
            f"simulate {eq.name!r}: impacts of {listed(c.name for c in contacts)} cannot be undone: with "
            "contacts, time goes forward only"
        )
    if rubbing := [c.name for c in contacts if c.frictions]:
        raise SimulationError(
            f"simulate {eq.name!r}: contacts with friction stick and slip: simulate_modes(Contacts(equations, "
            f"...), ...); {listed(rubbing)}"
        )
    for e in events:
        if isinstance(e, Event):
            handlers.append(UserEventHandler(form, e))
        elif not isinstance(e, Contact):
            raise SimulationError(f"simulate {eq.name!r}: events are `Event` and `Contact`, got {shown(e)}")
    if form.variations is not None and (borders := borders_of(form.state.rates, (*form.state.y, eq.t))):
        handlers.append(RateJumpHandler(form, borders))
    if contacts:
        check_names(eq, contacts)
        handlers.append(ContactHandler(eq, form, contacts, None, rtol, atol))
    return handlers
