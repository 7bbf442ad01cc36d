"""What happens in a simulation: the `Handler` is told of events that machines find, and asks actors until nothing more happens at that time."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ..emit.run.callable import Array
from ..errors import SimulationError, listed, shown
from .contacts import ContactActor, check_names
from .event_handlers import Actor, Answer, Arrival, EventActor, Now
from .events import Event, Watch, watch_of
from .explicit import T
from .forms import Form
from .impacts import Contact
from .machine import Machine
from .outcome import Ending
from .run import Leg
from .sensitivities import Saltation, VariedForm
from .trajectory import Occurrence

MANY: Final = 40  # events
SHORT: Final = 1e-11  # of the time to simulate: that many events within it are chattering


class Pace:
    """Whether events still let time pass; shared by all modes of a simulation."""

    def __init__(self, span: float) -> None:
        """span: the time to simulate."""
        self._short, self.count = SHORT * abs(span), 0
        self._last: deque[float] = deque(maxlen=MANY)

    def counted(self, t: float) -> str | None:
        """One more event; what to say where they follow each other without end."""
        self.count += 1
        self._last.append(t)
        within = abs(t - self._last[0])
        if len(self._last) < MANY or within > self._short:
            return None
        return f"{self.count} events so far, the last {MANY} within {within:.1e}"


ADVICE: Final = (
    "bodies that come to rest on each other need `Contacts` (simulate_modes), sliding along a surface a mode of its own"
)


class Handler:
    """The events of a simulation in one mode; what `drive` calls."""

    def __init__(self, form: Form, p: Array, actors: Sequence[Actor], pace: Pace, forward: bool) -> None:
        self.form, self.p, self.actors, self.pace = form, p, tuple(actors), pace
        self.direction = 1.0 if forward else -1.0
        self._owner = [(a, k) for a in self.actors for k in range(len(a.watched))]
        self._sense = np.array([a.watched[k][1] for a, k in self._owner])
        self._watch: Watch = watch_of(form, [a.watched[k][0] for a, k in self._owner])
        self.happened: list[Occurrence] = []
        self.target: Arrival | None = None
        self.detail = ""
        eq = form.equations
        self._n, self._n_p = len(eq.q) + len(eq.u) + len(eq.z), len(eq.p)
        self._saltations: dict[tuple[int, ...], Saltation] = {}

    @property
    def sense(self) -> tuple[int, ...]:
        """Directions as the machine meets them."""
        return tuple(int(s * self.direction) for s in self._sense)

    def callee(self) -> Any:
        return self._watch.callee(self.p)

    def raise_pending(self) -> None:
        self._watch.program.raise_pending()

    # ------------------------------------------------------------------------------------------------ for drive

    def begin(self, leg: Leg) -> Ending | None:
        """Before the first step: what happens at once, and on which side event functions are."""
        machine = leg.machine
        g, _, least = self._values(machine)
        beyond = iter((g * self._sense > least).tolist())
        answers = []
        for actor in self.actors:
            if found := actor.begin(self._now(machine), [next(beyond) for _ in actor.watched]):
                answers.append((actor, found))
        ending = self._take(leg, answers, [])
        if ending is None:
            self._set_sides(machine)
        return ending

    def occurred(self, leg: Leg, k: int) -> Ending | None:
        """Event k was found at the machine's state."""
        machine = leg.machine
        if said := self.pace.counted(float(machine.control[T])):
            names = listed(dict.fromkeys(o.name for o in self.happened[-MANY:]))
            self.detail = f"{said}: {names or 'none of them changed anything'}; {ADVICE}"
            return Ending.CHATTERING
        return self._answered(leg, [k, *self._simultaneous(machine, k)])

    def finish(self, leg: Leg) -> Ending | None:
        """At the very end: what would pass through zero with the next step counts."""
        found = self._simultaneous(leg.machine, -1)
        if not found:
            return None
        ending = self._answered(leg, found)
        leg.close()
        return ending

    # ------------------------------------------------------------------------------------------------ what happens

    def _answered(self, leg: Leg, found: list[int]) -> Ending | None:
        machine, handled = leg.machine, set(found)
        came_from: dict[int, float] = {}
        for _ in range(MANY):
            sides = machine.side.copy()
            before = machine.y.copy()
            answers = []
            for actor in self.actors:
                which = [self._owner[k][1] for k in found if self._owner[k][0] is actor]
                if which:
                    answer = actor.answer(which, self._now(machine))
                    answers.append((actor, answer))
                    if answer.state is not None:
                        machine.y[: self._n] = answer.state  # the next actor sees it; `_take` makes it the machine's
                        came_from |= {k: float(sides[k]) for k in found if self._owner[k][0] is actor}
            machine.y[:] = before
            ending = self._take(leg, answers, found)
            if ending is not None or self.target is not None:
                return ending or Ending.STOPPED
            found = [k for k in self._jumped(machine, sides) if k not in handled]
            handled |= set(found)
            if not found:
                self._set_sides(machine)
                self._keep_sides(machine, came_from)
                return None
        self.detail = f"{MANY} events at one time set each other off: {listed(dict.fromkeys(o.name for o in self.happened[-MANY:]))}"
        return Ending.CHATTERING

    def _take(self, leg: Leg, answers: Sequence[tuple[Actor, Answer]], found: Sequence[int]) -> Ending | None:
        """Make the answers true: list, state, end, mode."""
        ending: Ending | None = None
        stops = []
        new: Array | None = None
        changed = []
        for actor, answer in answers:
            self.happened += answer.happened
            if answer.state is not None:
                new = answer.state
                changed.append((actor, answer))
            if answer.target is not None and self.target is None:
                self.target = answer.target
            if answer.ending is not None or answer.stops is not None:
                ending = answer.ending or ending or Ending.STOPPED
                stops.append(answer.stops or "")
        if new is not None:
            self._jump(leg, new, changed, found)
        if ending is not None:
            self.detail = listed(dict.fromkeys(stops))
            if ending is Ending.STOPPED:
                self.target = None
        return ending

    def _jump(self, leg: Leg, state: Array, changed: Sequence[tuple[Actor, Answer]], found: Sequence[int]) -> None:
        machine, form, t = leg.machine, self.form, float(leg.machine.control[T])
        base = form.state if isinstance(form, VariedForm) else form
        y, p = base.start(t, state, self.p[: self._n_p + len(form.equations.r)])
        if isinstance(form, VariedForm):
            variations = self._variations(form, t, machine.y, y, changed, found)
            y = np.concatenate([y, variations])
        self.p[:] = p
        machine.y[:] = y
        leg.jump()

    def _variations(
        self,
        form: VariedForm,
        t: float,
        before: Array,
        after: Array,
        changed: Sequence[tuple[Actor, Answer]],
        found: Sequence[int],
    ) -> Array:
        if len(changed) != 1 or len(found) != 1 or changed[0][1].after is None:
            raise SimulationError(
                f"sensitivities of {form.equations.name!r}: at t = {t:g} the state jumps by "
                f"{listed(o.name for _, a in changed for o in a.happened)}; derivatives exist only through a single event or impact whose new "
                "values are expressions and keep the constraints"
            )
        k = found[0]
        actor, inner = self._owner[k]
        expressions = changed[0][1].after
        assert expressions is not None
        key = (k, id(actor))
        if key not in self._saltations:
            self._saltations[key] = Saltation(form, actor.watched[inner][0], expressions)
        return self._saltations[key](t, before, after, self.p)

    # ------------------------------------------------------------------------------------------------ sides

    def _now(self, machine: Machine) -> Now:
        n, n_p, n_r = self._n, self._n_p, len(self.form.equations.r)
        return Now(float(machine.control[T]), machine.y[:n].copy(), self.p[:n_p], self.p[n_p : n_p + n_r])

    def _values(self, machine: Machine) -> tuple[Array, Array, Array]:
        return self._watch(float(machine.control[T]), machine.y, self.p)

    def _set_sides(self, machine: Machine) -> None:
        """The sign of each function; where that is rounding, of its rate; 0 where that is zero too: not known yet.

        A contact is open until it closes, whatever rounding says; where it is entered and nothing closes, that is rounding too.
        """
        g, rates, least = self._values(machine)
        now = self._now(machine)
        least = np.maximum(least, np.concatenate([np.broadcast_to(a.least(now), len(a.watched)) for a in self.actors]))
        leaves = np.sign(rates) * self.direction
        side = np.where(np.abs(g) > least, g, leaves)
        one_sided = np.array([a.is_one_sided for a, _ in self._owner], dtype=bool)
        least = np.where(one_sided & (g < 0), np.maximum(least, -2 * g), least)
        machine.side[: len(g)] = np.where(one_sided, 1.0, side)
        machine.side[len(g) : 2 * len(g)] = least

    def _keep_sides(self, machine: Machine, came_from: Mapping[int, float]) -> None:
        """Where a change of the state put a function at rest on zero, it is still on the side that it came from."""
        for k, side in came_from.items():
            if machine.side[k] == 0.0:
                machine.side[k] = side

    def _simultaneous(self, machine: Machine, k: int) -> list[int]:
        """Other functions that are zero within rounding and about to leave their side in a direction that counts, or just did."""
        g, rates, least = self._values(machine)
        side = machine.side[: len(g)]
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


def actors_of(form: Form, events: Sequence[Event | Contact], rtol: float, atol: Array, forward: bool) -> list[Actor]:
    """Actors for what a simulation was given."""
    eq = form.equations
    actors: list[Actor] = []
    contacts = [e for e in events if isinstance(e, Contact)]
    if contacts and not forward:
        raise SimulationError(
            f"simulate {eq.name!r}: impacts of {listed(c.name for c in contacts)} cannot be undone: with contacts, time goes on, not back"
        )
    for i, e in enumerate(events):
        if isinstance(e, Event):
            actors.append(EventActor(form, e, e.name or f"event {i + 1}"))
        elif not isinstance(e, Contact):
            raise SimulationError(f"simulate {eq.name!r}: events are `Event` and `Contact`, got {shown(e)}")
    if contacts:
        check_names(eq, contacts)
        actors.append(ContactActor(eq, form, contacts, None, rtol, atol))
    return actors
