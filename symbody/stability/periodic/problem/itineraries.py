"""Itineraries: the sequence of events or modes along a periodic orbit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from ....algebra.graph.functions import where as choice
from ....algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr
from ....algebra.graph.walk import free_symbols
from ....derivation.equations.equations import Equations
from ....derivation.equations.own_terms import in_own_terms
from ....derivation.programs.state_rates import state_rates
from ....integrate.contact.frictions import Friction
from ....integrate.contact.impacts import Contact
from ....integrate.events.events import Event
from ....integrate.modes.modes import Contacts, Modes
from ....integrate.modes.switching import simulate_modes
from ....integrate.result.trajectory import Trajectory
from ....integrate.run.simulate import simulate
from ....integrate.start.state import State

HybridSystem = Modes | Contacts


class Itinerary(Protocol):
    """The itinerary of an orbit: everything that is not in the equations of a single mode.

    system   the hybrid system; None for a single mode
    mode     the mode in which an orbit begins and ends
    more     parameters that this mode does not have, by name
    names    of events and contacts
    """

    @property
    def system(self) -> HybridSystem | None: ...

    @property
    def mode(self) -> str: ...

    @property
    def more(self) -> tuple[tuple[str, float], ...]: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def is_smooth(self) -> bool:
        """Whether nothing happens on the way."""

    def simulated(
        self, equations: Equations, span: tuple[float, float], start: State, options: Mapping[str, Any]
    ) -> Trajectory:
        """The motion from a state over a time."""

    def from_mode(self, mode: str, numbers: Mapping[str, float]) -> Itinerary:
        """The same, begun in another mode, with numbers of parameters that it may not have."""

    @property
    def is_known(self) -> bool:
        """Whether expressions say all that happens: no function of the user does."""

    def used(self, equations: Equations) -> tuple[Expr, ...]:
        """Expressions on which events depend, in terms of the equations, as far as they are known."""

    def others(self, equations: Equations) -> tuple[tuple[Equations, tuple[Expr, ...]], ...]:
        """Equations of other modes, with what ends them."""

    def resets(self, equations: Equations) -> tuple[Mapping[Symbol, Expr], ...]:
        """New states of events and switches, by symbol, as far as expressions say them."""


@dataclass(frozen=True)
class EventItinerary:
    """The itinerary of equations with events and impacts."""

    events: tuple[Any, ...] = ()
    system: None = field(default=None, init=False)
    mode: str = field(default="", init=False)
    more: tuple[tuple[str, float], ...] = field(default=(), init=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(e.name for e in self.events)

    @property
    def is_smooth(self) -> bool:
        return not self.events

    def simulated(
        self, equations: Equations, span: tuple[float, float], start: State, options: Mapping[str, Any]
    ) -> Trajectory:
        return simulate(equations, span, start, events=self.events, options=options)

    def from_mode(self, mode: str, numbers: Mapping[str, float]) -> Itinerary:
        return self

    @property
    def is_known(self) -> bool:
        return not any(isinstance(e, Event) and callable(e.reset) for e in self.events)

    def used(self, equations: Equations) -> tuple[Expr, ...]:
        return _used_by(equations, self.events)

    def others(self, equations: Equations) -> tuple[tuple[Equations, tuple[Expr, ...]], ...]:
        return ()

    def resets(self, equations: Equations) -> tuple[Mapping[Symbol, Expr], ...]:
        return _resets_of(equations, self.events)


SMOOTH: Final[Itinerary] = EventItinerary()


@dataclass(frozen=True)
class ModeItinerary:
    """The itinerary of a hybrid system on an orbit that begins and ends in one of its modes.

    more   parameters that this mode does not have, by name
    """

    system: HybridSystem
    mode: str
    events: tuple[Event, ...] = ()
    more: tuple[tuple[str, float], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (self.mode, *(e.name for e in self.events))

    @property
    def is_smooth(self) -> bool:
        return False

    def simulated(
        self, equations: Equations, span: tuple[float, float], start: State, options: Mapping[str, Any]
    ) -> Trajectory:
        return simulate_modes(
            self.system, span, start, values=dict(self.more), events=self.events, options={**options, "mode": self.mode}
        )

    def from_mode(self, mode: str, numbers: Mapping[str, float]) -> Itinerary:
        return replace(self, mode=mode, more=tuple(sorted({**dict(self.more), **numbers}.items())))

    @property
    def is_known(self) -> bool:
        return not any(callable(e.reset) for e in self.events)

    def used(self, equations: Equations) -> tuple[Expr, ...]:
        return (*_used_by(equations, self.events), *_leads_out(self.system, self.mode))

    def others(self, equations: Equations) -> tuple[tuple[Equations, tuple[Expr, ...]], ...]:
        system = self.system
        return tuple((system.equations(m), _leads_out(system, m)) for m in system.all_modes if m != self.mode)

    def resets(self, equations: Equations) -> tuple[Mapping[Symbol, Expr], ...]:
        own = _resets_of(equations, self.events)
        if isinstance(self.system, Contacts):
            return own
        modes = self.system.modes
        pairs = [(s.reset, modes[s.source], modes[s.target]) for s in self.system.switches]
        return (*own, *(_reset(reset, source, target) for reset, source, target in pairs))


def _leads_out(system: HybridSystem, mode: str) -> tuple[Expr, ...]:
    """Expressions of what ends a mode."""
    eq = system.equations(mode)
    if isinstance(system, Contacts):
        return _in_terms(system.base, [e for c in system.parts for e in _of_contact(c)])
    out: list[Expr] = []
    for s in (s for s in system.switches if s.source == mode):
        out += _in_terms(eq, [s.when, *_guard(s.where)])
    return tuple(out)


def _of_contact(part: Contact | Friction) -> list[Expr]:
    """What a contact, or a friction, depends on."""
    if isinstance(part, Contact):
        return [part.gap, part.restitution, *(e for f in part.frictions for e in _of_contact(f))]
    law = part.law
    laws = [e for v in part.slip for e in (law.coefficient(v), law.sticking, law.damping)]
    return [*part.slip, *laws, *([] if part.normal is None else [part.normal])]


def _used_by(eq: Equations, events: Sequence[Any]) -> tuple[Expr, ...]:
    """Expressions on which events depend, as far as they are known, apart from new states."""
    out: list[Expr] = []
    for e in events:
        if isinstance(e, Contact):
            out += _in_terms(eq, _of_contact(e))
            continue
        out += _in_terms(eq, [e.when, *_guard(e.where)])
    return tuple(out)


def _resets_of(eq: Equations, events: Sequence[Any]) -> tuple[Mapping[Symbol, Expr], ...]:
    given = [e.reset for e in events if isinstance(e, Event) and isinstance(e.reset, Mapping)]
    return tuple(_reset(reset, eq, eq) for reset in given)


def _reset(reset: Mapping[Any, Any], source: Equations, target: Equations) -> dict[Symbol, Expr]:
    """A new state by symbols of the target, in terms of the source."""
    symbols = [target.variables[k].symbol for k in reset]
    return dict(zip(symbols, _in_terms(source, map(as_expr, reset.values())), strict=True))


def _guard(where: Any) -> list[Expr]:
    """A condition as an expression."""
    return [] if where is None else [choice(where, ONE, ZERO)]


def _in_terms(eq: Equations, expressions: Iterable[Expr]) -> tuple[Expr, ...]:
    return tuple(in_own_terms(eq, list(expressions), solved=True))


def depends_on_time(eq: Equations, course: Itinerary) -> bool:
    """Whether what happens on the way depends on time: a shaken table drives what bounces on it."""
    found = [*course.used(eq), *(e for reset in course.resets(eq) for e in reset.values())]
    for other, used in course.others(eq):
        found += [*used, *state_rates(other).entries]
    return bool(found) and eq.t in free_symbols(*found)
