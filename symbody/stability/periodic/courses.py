"""Courses: how a motion goes around an orbit. Through events, as `simulate` does, or from mode to mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from ...algebra.functions import where as choice
from ...algebra.graph import ONE, ZERO, Expr, as_expr
from ...algebra.walk import free_symbols
from ...derive.equations import Equations
from ...derive.state_rates import state_rates
from ...integrate.events import Event
from ...integrate.frictions import Friction
from ...integrate.impacts import Contact
from ...integrate.modes import Contacts, Modes
from ...integrate.simulate import simulate
from ...integrate.state import State
from ...integrate.switching import simulate_modes
from ...integrate.trajectory import Trajectory

HybridSystem = Modes | Contacts


class Course(Protocol):
    """How a motion goes on, with everything that is not in the equations of one mode.

    system   the modes; None where there is one only
    mode     in which an orbit begins and ends
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

    @property
    def is_known(self) -> bool:
        """Whether expressions say all that happens: no function of the user does."""

    def used(self, equations: Equations) -> tuple[Expr, ...]:
        """Expressions that events depend on, in terms of the equations, as far as they are known."""

    def others(self, equations: Equations) -> tuple[tuple[Equations, tuple[Expr, ...]], ...]:
        """Equations of other modes, with what ends them."""


@dataclass(frozen=True)
class EventCourse:
    """Equations with events and impacts."""

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

    @property
    def is_known(self) -> bool:
        return not any(isinstance(e, Event) and callable(e.reset) for e in self.events)

    def used(self, equations: Equations) -> tuple[Expr, ...]:
        return _used_by(equations, self.events)

    def others(self, equations: Equations) -> tuple[tuple[Equations, tuple[Expr, ...]], ...]:
        return ()


SMOOTH: Final[Course] = EventCourse()


@dataclass(frozen=True)
class ModeCourse:
    """A hybrid system, on an orbit that begins and ends in one of its modes.

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

    @property
    def is_known(self) -> bool:
        return not any(callable(e.reset) for e in self.events)

    def used(self, equations: Equations) -> tuple[Expr, ...]:
        return (*_used_by(equations, self.events), *_leads_out(self.system, self.mode))

    def others(self, equations: Equations) -> tuple[tuple[Equations, tuple[Expr, ...]], ...]:
        system = self.system
        return tuple((system.equations(m), _leads_out(system, m)) for m in system.all_modes if m != self.mode)


def _leads_out(system: HybridSystem, mode: str) -> tuple[Expr, ...]:
    """Expressions of what ends a mode, and of the state in which the next begins."""
    eq = system.equations(mode)
    if isinstance(system, Contacts):
        return _in_terms(system.base, [e for c in system.parts for e in _of_contact(c)])
    out: list[Expr] = []
    for s in (s for s in system.switches if s.source == mode):
        there = system.modes[s.target].variables
        changed = [there[k].symbol for k in s.reset]
        out += [*_in_terms(eq, [s.when, *map(as_expr, s.reset.values()), *_guard(s.where)]), *changed]
    return tuple(out)


def _of_contact(part: Contact | Friction) -> list[Expr]:
    """What a contact, or a friction, depends on."""
    if isinstance(part, Contact):
        return [part.gap, part.restitution, *(e for f in part.frictions for e in _of_contact(f))]
    law = part.law
    laws = [e for v in part.slip for e in (law.coefficient(v), law.sticking, law.damping)]
    return [*part.slip, *laws, *([] if part.normal is None else [part.normal])]


def _used_by(eq: Equations, events: Sequence[Any]) -> tuple[Expr, ...]:
    """What events depend on, as far as expressions say it."""
    out: list[Expr] = []
    for e in events:
        if isinstance(e, Contact):
            out += _in_terms(eq, _of_contact(e))
            continue
        reset = e.reset if isinstance(e.reset, Mapping) else {}
        changed = [eq.variables[k].symbol for k in reset]
        out += [*_in_terms(eq, [e.when, *map(as_expr, reset.values()), *_guard(e.where)]), *changed]
    return tuple(out)


def _guard(where: Any) -> list[Expr]:
    """A condition as an expression."""
    return [] if where is None else [choice(where, ONE, ZERO)]


def _in_terms(eq: Equations, expressions: Iterable[Expr]) -> tuple[Expr, ...]:
    return tuple(eq.in_own_terms(list(expressions), solved=True))


def depends_on_time(eq: Equations, course: Course) -> bool:
    """Whether what happens on the way depends on time: a shaken table drives what bounces on it."""
    found = [*course.used(eq)]
    for other, used in course.others(eq):
        found += [*used, *state_rates(other).entries]
    return bool(found) and eq.t in free_symbols(*found)
