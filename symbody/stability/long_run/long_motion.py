"""Motions that are continued interval by interval: of equations with events, or of hybrid systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...derivation.equations.equations import Equations
from ...integrate.contact.impacts import impulses_of
from ...integrate.modes.modes import Contacts
from ...integrate.modes.switching import simulate_modes
from ...integrate.result.trajectory import Trajectory
from ...integrate.run.simulate import simulate
from ...integrate.start.state import State, start_values
from ..periodic.orbits.orbit import flow_of
from ..periodic.problem.itineraries import EventItinerary, HybridSystem, Itinerary, ModeItinerary
from ..periodic.problem.orbit_flow import OrbitFlow


@dataclass(frozen=True)
class LongMotion:
    """The current end of a motion.

    system   equations, or a hybrid system with the equations of each mode
    mode     the current mode of a hybrid system
    start    the state there; values, where it has not begun
    numbers  values of parameters by name, also of those that this mode does not have
    """

    system: Equations | HybridSystem
    mode: str
    events: tuple[Any, ...]
    t: float
    start: State | Mapping[str, float]
    numbers: Mapping[str, float]

    @classmethod
    def of(
        cls,
        system: Equations | HybridSystem,
        start: Any,
        values: Mapping[Any, Any],
        events: Sequence[Any],
        where: str,
    ) -> LongMotion:
        """From values, a state, or the end of a trajectory."""
        mode = start.modes[-1] if isinstance(start, Trajectory) else ""
        given = {**start_values(start, where), **{str(k): v for k, v in values.items()}}
        numbers = {n: float(v) for n, v in given.items() if system.kinds.get(n) in ("parameter", "input")}
        if isinstance(system, Equations):
            state = start.state if isinstance(start, Trajectory) and not values else State.of(system, given)
            return cls(system, "", tuple(events), state.t, state, numbers)
        mode = mode or system.initial
        begin = start.state if isinstance(start, Trajectory) and not values else given
        return cls(system, mode, tuple(events), float(given.get("t", 0.0)), begin, numbers)

    @property
    def equations(self) -> Equations:
        """Those of the mode."""
        return self.system if isinstance(self.system, Equations) else self.system.equations(self.mode)

    @property
    def course(self) -> Itinerary:
        if isinstance(self.system, Equations):
            return EventItinerary(self.events)
        return ModeItinerary(self.system, self.mode, self.events)

    @property
    def flow(self) -> OrbitFlow:
        return flow_of(self.equations, {}, None, self.course)

    def over(self, seconds: float, options: Mapping[str, Any]) -> Trajectory:
        """The motion over a time."""
        span, chosen = (self.t, self.t + seconds), {"progress": False, **options}
        if isinstance(self.system, Equations):
            return simulate(self.system, span, self.start, events=self.events, options=chosen)
        own = {s.name for s in self.equations.variables.constants}
        more = {n: x for n, x in self.numbers.items() if n not in own}
        start = {k: v for k, v in self.start.items() if k != "t"} if isinstance(self.start, Mapping) else self.start
        return simulate_modes(self.system, span, start, values=more, events=self.events, mode=self.mode, options=chosen)

    def behind(self, motion: Trajectory) -> LongMotion:
        """At the end of a motion from here."""
        state = motion.state
        mode = motion.modes[-1] if self.mode else ""
        return replace(self, mode=mode, t=state.t, start=state)

    def with_value(self, name: str, value: float) -> LongMotion:
        """With another number of a parameter or input, in all modes. Of contacts the mode is found anew: what stuck to a belt
        slips when the belt moves faster; others stay in theirs, on its constraints."""
        numbers, start = {**self.numbers, name: value}, self.start
        if not isinstance(start, State):
            return replace(self, numbers=numbers, start={**start, name: value})
        if isinstance(self.system, Contacts):
            known = self.system.base.variables
            given = {n: x for n, x in {**start.values, name: value}.items() if n in known or n == "t"}
            return replace(self, numbers=numbers, start=State.of(self.system.base, given), mode=self.system.initial)
        if name in {s.name for s in start.equations.variables.constants}:
            start = _on_constraints(State.of(start.equations, {**start.values, name: value}))
        return replace(self, numbers=numbers, start=start)


def _on_constraints(state: State) -> State:
    """The state that a blow of the constraints leads to, where it misses them."""
    if state.violation.is_small:
        return state
    eq = state.equations
    found = impulses_of(eq).onto_constraints(state.t, np.concatenate([state.q, state.u, state.z]), state.p, state.r)
    moved = dict(zip((s.name for s in eq.state), found[0].tolist(), strict=True)) if found is not None else {}
    return State.of(eq, {**state.values, **moved})
