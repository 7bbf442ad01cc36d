"""Those who answer when something happens: an `Actor` watches expressions, and says what follows where they pass through zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ..algebra.graph import Expr, Symbol
from ..emit.run.callable import Array
from ..errors import SimulationError, shown
from .events import Event, changes, in_state
from .forms import Form
from .impacts import impulses_of
from .outcome import Ending
from .sensitivities import VariedForm
from .trajectory import Occurrence


@dataclass(frozen=True)
class Now:
    """The state (q, u, z) at which something happens, with parameters and constant inputs."""

    t: float
    state: Array
    p: Array
    r: Array


@dataclass(frozen=True)
class Arrival:
    """The mode to go on in, and the state there."""

    mode: str
    state: Array


@dataclass
class Answer:
    """What an actor wants: another state, an end, another mode; and what goes into the list of events.

    after   the new state as expressions in the one before, where it has such
    """

    state: Array | None = None
    stops: str | None = None
    ending: Ending | None = None
    target: Arrival | None = None
    happened: list[Occurrence] = field(default_factory=list)
    after: Mapping[Symbol, Expr] | None = None


class Actor(Protocol):
    """Something that watches expressions, each with a direction in which it counts (-1, 0, 1)."""

    watched: tuple[tuple[Expr, int], ...]
    is_one_sided: bool  # whether what it watches is positive as long as nothing happens

    def begin(self, now: Now, is_beyond: Sequence[bool]) -> Answer | None:
        """Before the first step; is_beyond: of what it watches, what is already where it would come to."""

    def answer(self, which: Sequence[int], now: Now) -> Answer:
        """When some of what it watches have passed through zero."""

    def least(self, now: Now) -> Array | float:
        """Below which values of what it watches are zero, beside rounding."""


class EventActor:
    """An `Event`."""

    is_one_sided = False

    def __init__(self, form: Form, event: Event, name: str) -> None:
        self.event, self.name, self._form, eq = event, name, form, form.equations
        where = f"event {name!r} of {eq.name!r}"
        self.watched: tuple[tuple[Expr, int], ...] = ((in_state(eq, where, [event.when], form.y)[0], event.sense),)
        self._state = eq.variables.of("q u z")
        self._all = eq.variables.of("t q u z p r").identifiers
        self._equations = eq
        self.after: Mapping[Symbol, Expr] | None = None
        if isinstance(event.then, Mapping):
            self.after = changes(eq, where, event.then)
            base = form.state if isinstance(form, VariedForm) else form
            self._map = base.compiled("after", {"state": [self.after.get(s, s) for s in eq.state]}, eq.state)

    def begin(self, now: Now, is_beyond: Sequence[bool]) -> Answer | None:
        return None

    def answer(self, which: Sequence[int], now: Now) -> Answer:
        then = self.event.then
        if then == "stop":
            return Answer(stops=self.name, happened=[Occurrence(self.name, now.t, now.state, now.state)])
        if then == "record":
            return Answer(happened=[Occurrence(self.name, now.t, now.state, now.state)])
        new = self._mapped(now) if self.after is not None else self._by_python(now)
        if new is None or isinstance(new, str):
            return Answer(
                stops=self.name if new else None, happened=[Occurrence(self.name, now.t, now.state, now.state)]
            )
        settled = impulses_of(self._equations).onto_constraints(now.t, new, now.p, now.r)
        if settled is None:
            return Answer(
                ending=Ending.OFF_CONSTRAINTS,
                stops=f"event {self.name!r}: its new state {shown(new.tolist())} is too far off",
            )
        state, impulses = settled
        is_kept = np.allclose(
            state, new, rtol=1e-9, atol=1e-9
        )  # else the state after it is not what the expressions say
        happened = [Occurrence(self.name, now.t, now.state, state, impulses)]
        return Answer(state, happened=happened, after=self.after if is_kept else None)

    def least(self, now: Now) -> float:
        return 0.0

    def _mapped(self, now: Now) -> Array:
        form = self._form.state if isinstance(self._form, VariedForm) else self._form
        levels = np.zeros(len(form.levels))
        return self._map(now.t, now.state, np.concatenate([now.p, now.r, levels]))

    def _by_python(self, now: Now) -> Array | str | None:
        then = self.event.then
        assert callable(then)
        numbers = np.concatenate([[now.t], now.state, now.p, now.r])
        given = then(dict(zip(self._all, numbers, strict=True)))
        if given is None or given == "stop":
            return given
        if not isinstance(given, Mapping):
            raise SimulationError(
                f"event {self.name!r}: its function returned {shown(given)}; it returns new values by name, None, or 'stop'"
            )
        new = now.state.copy()
        for s, value in self._state.resolved(given, f"event {self.name!r}", SimulationError, "state").items():
            new[self._state.symbols.index(s)] = float(value)
        if not np.all(np.isfinite(new)):
            raise SimulationError(
                f"event {self.name!r}: its function returned {shown(dict(given))}; a state is of finite numbers"
            )
        return new
