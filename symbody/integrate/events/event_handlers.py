"""Event handlers: an `EventHandler` has event functions, and says what follows at their zero crossings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ...algebra.graph.functions import where as choice
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...emit.run.callable import Array, Compiled
from ...errors import SimulationError, shown
from ..forms.forms import Form
from ..forms.impulses import constraint_impulses
from ..result.outcome import Ending
from ..result.segment import Occurrence
from .events import Event, changes, in_state
from .valid_region import broken_conditions


@dataclass(frozen=True)
class Instant:
    """Time and state (q, u, z) of an event, with parameters and constant inputs."""

    t: float
    state: Array
    p: Array
    r: Array


@dataclass(frozen=True)
class Transition:
    """The next mode, the state in which it begins, and values of parameters that belong to it.

    carried   that state as expressions in the one before, as far as the constraints of the next mode do not change it;
              None: the state as the event leaves it
    """

    mode: str
    state: Array
    values: Mapping[str, float] = field(default_factory=dict)
    carried: Sequence[Expr] | None = None


@dataclass
class EventResult:
    """Consequences of an event.

    state         the state after it, where it is reset
    stops         the reason why the simulation ends, where it does; `ending` its kind
    target        the transition to another mode
    occurrences   for `sim.events`
    after         the reset map as expressions, where it has such
    is_continuous whether the state goes on as it is, and its rates jump
    """

    state: Array | None = None
    stops: str | None = None
    ending: Ending | None = None
    target: Transition | None = None
    occurrences: list[Occurrence] = field(default_factory=list)
    after: Mapping[Symbol, Expr] | None = None
    is_continuous: bool = False


class EventHandler(Protocol):
    """Event functions, each with the direction of the crossings that count (-1, 0, 1), and their consequences.

    sizes   of the terms of each, of which a share is rounding; None if derivatives of the function determine it
    """

    watched: tuple[tuple[Expr, int], ...]
    sizes: tuple[Expr | None, ...]
    is_one_sided: bool  # whether the functions are positive between events

    def begin(self, now: Instant, is_beyond: Sequence[bool]) -> EventResult | None:
        """Before the first step; is_beyond: which functions are already on the far side."""

    def handle(self, which: Sequence[int], now: Instant) -> EventResult:
        """At a zero crossing of the functions `which`."""

    def tolerance(self, now: Instant) -> Array | float:
        """Values of the functions below which they count as zero, beside rounding."""


class ValidityHandler:
    """Ends a motion that leaves the region in which its model is valid (`Model.valid_while`), or begins outside of it."""

    is_one_sided = False

    def __init__(self, form: Form) -> None:
        eq = form.equations
        self._given = dict(eq.rows.validity)
        found = in_state(eq, f"validity of {eq.name!r}", list(self._given.values()), form.y)
        self.watched: tuple[tuple[Expr, int], ...] = tuple((e, -1) for e in found)
        self.sizes: tuple[Expr | None, ...] = (None,) * len(found)

    def begin(self, now: Instant, is_beyond: Sequence[bool]) -> EventResult | None:
        beyond = [k for k, is_so in enumerate(is_beyond) if is_so]
        return self.handle(beyond, now) if beyond else None

    def handle(self, which: Sequence[int], now: Instant) -> EventResult:
        return EventResult(ending=Ending.NOT_VALID, stops=broken_conditions(self._given, which))

    def tolerance(self, now: Instant) -> float:
        return 0.0


class UserEventHandler:
    """Handler of an `Event`."""

    is_one_sided = False
    sizes: tuple[Expr | None, ...] = (None,)

    def __init__(self, form: Form, event: Event) -> None:
        self.event, self.name, self._form, eq = event, event.name, form, form.equations
        where = f"event {event.name!r} of {eq.name!r}"
        self.watched: tuple[tuple[Expr, int], ...] = ((in_state(eq, where, [event.when], form.y)[0], event.sense),)
        self._state = eq.variables.of("q u z")
        self._all = eq.variables.of("t q u z p r").names
        self._equations = eq
        self._guard: Compiled | None = None
        if event.where is not None:
            holds = in_state(eq, f"{where}, where", [choice(event.where, ONE, ZERO)], form.y)
            self._guard = form.state.compiled("guard", {"holds": holds}, eq.state)
        self.after: Mapping[Symbol, Expr] | None = None
        if isinstance(event.reset, Mapping):
            self.after = changes(eq, where, event.reset)
            self._map = form.state.compiled("after", {"state": [self.after.get(s, s) for s in eq.state]}, eq.state)

    def begin(self, now: Instant, is_beyond: Sequence[bool]) -> EventResult | None:
        return None

    def handle(self, which: Sequence[int], now: Instant) -> EventResult:
        if self._guard is not None and self._at(self._guard, now)[0] == 0:
            return EventResult()
        new = self._at(self._map, now) if self.after is not None else self._by_python(now)
        stops = self.name if self.event.terminal or isinstance(new, str) else None
        if new is None or isinstance(new, str):
            return EventResult(stops=stops, occurrences=[Occurrence(self.name, now.t, now.state, now.state)])
        settled = constraint_impulses(self._equations).onto_constraints(now.t, new, now.p, now.r)
        if settled is None:
            return EventResult(
                ending=Ending.OFF_CONSTRAINTS,
                stops=f"event {self.name!r}: its new state {shown(new.tolist())} is too far from the constraints",
            )
        state, impulses = settled
        is_kept = np.allclose(
            state, new, rtol=1e-9, atol=1e-9
        )  # else constraints changed the state that the expressions give
        occurrences = [Occurrence(self.name, now.t, now.state, state, impulses)]
        return EventResult(state, stops, occurrences=occurrences, after=self.after if is_kept else None)

    def tolerance(self, now: Instant) -> float:
        return 0.0

    def _at(self, function: Compiled, now: Instant) -> Array:
        levels = np.zeros(len(self._form.state.levels))
        return function(now.t, now.state, np.concatenate([now.p, now.r, levels]))

    def _by_python(self, now: Instant) -> Array | str | None:
        if self.event.reset is None:
            return None
        assert callable(self.event.reset)
        numbers = np.concatenate([[now.t], now.state, now.p, now.r])
        given = self.event.reset(dict(zip(self._all, numbers, strict=True)))
        if given is None or given == "stop":
            return given
        if not isinstance(given, Mapping):
            raise SimulationError(
                f"event {self.name!r}: its function returned {shown(given)}; it returns new values by name, "
                "None, or 'stop'"
            )
        new = now.state.copy()
        for s, value in self._state.resolved(given, f"event {self.name!r}", SimulationError, "state").items():
            new[self._state.symbols.index(s)] = float(value)
        if not np.all(np.isfinite(new)):
            raise SimulationError(
                f"event {self.name!r}: its function returned {shown(dict(given))}; a state is of finite numbers"
            )
        return new
