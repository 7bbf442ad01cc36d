"""Events whose consequences are expressions, as tables for marches through them (`event_march.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...algebra.graph.functions import equal, where
from ...algebra.graph.graph import Expr, Symbol, symbol
from ...derivation.equations.equations import Equations
from ...errors import SimulationError
from ..contact.impacts import Contact, impact_map
from ..events.events import Event, changes, in_state

WHICH: Symbol = symbol("which_event", "variable")


class EquationsInState(Protocol):
    """Equations with the variables y whose values are a state."""

    @property
    def equations(self) -> Equations: ...

    @property
    def y(self) -> tuple[Symbol, ...]: ...


@dataclass(frozen=True)
class EventTable:
    """Of each event: its function, direction, whether it ends the motion, its reset map, and whether its function is
    positive between events."""

    functions: tuple[Expr, ...]
    senses: tuple[int, ...]
    terminal: tuple[float, ...]
    maps: tuple[Mapping[Symbol, Expr] | None, ...]
    one_sided: tuple[float, ...]

    @property
    def resets(self) -> tuple[float, ...]:
        return tuple(float(m is not None) for m in self.maps)


def event_table(form: EquationsInState, events: Sequence[Event | Contact], place: str) -> EventTable:
    """The table of some events; `place` is where they are to be, for messages."""
    eq = form.equations
    functions, senses, terminal, one_sided = list[Expr](), list[int](), list[float](), list[float]()
    maps: list[Mapping[Symbol, Expr] | None] = []
    for e in events:
        said = f"event {e.name!r} of {eq.name!r}"
        if isinstance(e, Contact):
            e.check(eq)
            if e.frictions:
                raise SimulationError(
                    f"contact {e.name!r} of {eq.name!r}: friction is not for {place}; `simulate` takes it"
                )
            functions.append(e.gap)
            maps.append(dict(impact_map(eq, e)))
        else:
            if e.where is not None:
                raise SimulationError(f"{said}: guards (where=) are not for {place}; `simulate` takes them")
            if callable(e.reset):
                raise SimulationError(f"{said}: {place} cannot call Python; give its reset as expressions")
            functions += in_state(eq, said, [e.when], form.y)
            maps.append(changes(eq, said, e.reset) if e.reset is not None else None)
        senses.append(-1 if isinstance(e, Contact) else e.sense)
        terminal.append(float(not isinstance(e, Contact) and e.terminal))
        one_sided.append(float(isinstance(e, Contact)))
    return EventTable(tuple(functions), tuple(senses), tuple(terminal), tuple(maps), tuple(one_sided))


def state_after(form: EquationsInState, maps: Sequence[Mapping[Symbol, Expr] | None]) -> list[Expr] | None:
    """The state after event `WHICH`, one expression of the state before for each variable; None if no event changes
    it."""
    if not any(maps):
        return None
    after: list[Expr] = list(form.y)
    for k, new in enumerate(maps):
        after = [
            where(equal(WHICH, k), new[s], e) if new and s in new else e for s, e in zip(form.y, after, strict=True)
        ]
    return after
