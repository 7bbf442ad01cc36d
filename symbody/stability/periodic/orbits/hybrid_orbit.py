"""`HybridOrbit`: a periodic motion of a hybrid system."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ....algebra.graph.graph import Expr, Symbol
from ....emit.run.callable import Array
from ....errors import StabilityError
from ....integrate.result.outcome import Ending, Outcome
from ....integrate.result.segment import Segment
from ....integrate.result.trajectory import Trajectory
from ....integrate.start.state import State
from ..methods.shooting import RTOL
from .orbit import Orbit


@dataclass(frozen=True, eq=False, repr=False)
class HybridOrbit(Orbit):
    """A periodic motion of `Modes` or `Contacts`. `orbit["lam_belt_friction"]` is what it is in each mode. With `swap` a
    period is one step, behind which the motion is the same under other names.

    mode        in which it begins and ends; its states, constraints and multipliers are those of that mode
    modes       those on its way, in order
    motion      one period as a trajectory, `motion.pieces` are its stretches
    """

    @property
    def mode(self) -> str:
        return self.course.mode

    @property
    def modes(self) -> tuple[str, ...]:
        return self.motion.modes

    @cached_property
    def motion(self) -> Trajectory:
        if not self.is_periodic:
            raise StabilityError(f"orbit of {self.equations.name!r}: {self.outcome}")
        x = dict(zip(self.names, map(float, (self.nodes or self.point).x[0]), strict=True))
        t = self.setting.t0
        start = State.of(self.equations, {**x, **self.parameters, "t": t}, "on an orbit")
        return self.course.simulated(self.equations, (t, t + self.period), start, {"rtol": RTOL, "progress": False})

    @property
    def is_image(self) -> bool:
        """Whether the motion of the next period is that of this one under other names."""
        return bool(self.setting.image) and (len((self.nodes or self.point).x) - 1) % 2 == 1

    @cached_property
    def rounds(self) -> tuple[Trajectory, ...]:
        """Motions of the periods until all is as it was: one, or two where names change places."""
        if not self.is_image:
            return (self.motion,)
        end, t = self.motion.state, self.setting.t0 + self.period
        course = self.course.from_mode(self.motion.modes[-1], self.parameters)
        options = {"rtol": RTOL, "progress": False}
        return self.motion, course.simulated(end.equations, (t, t + self.period), end, options)

    @cached_property
    def drift(self) -> dict[str, float]:
        first, last = self.rounds[0].segments[0], self.rounds[-1].segments[-1]
        grown = dict(zip(last.names, last.y[-1].tolist(), strict=True))
        begun = dict(zip(first.names, first.y[0].tolist(), strict=True))
        return {s.name: (grown[s.name] - begun[s.name]) / len(self.rounds) for s in self.flow.drifting}

    def _segments_at(self, tau: Array) -> list[Segment]:
        """Segments of the motion at increasing times, in fractions of the period."""
        out: list[Segment] = [] if len(tau) else list(self.motion.at(tau).segments)
        for k in np.unique(np.floor(tau)):
            known = int(k) % len(self.rounds)
            before = k - known
            part = tau[np.floor(tau) == k] - before
            for s in self.rounds[known].at(self.setting.t0 + self.period * part).segments:
                y = s.y + before * np.array([self.drift.get(n, 0.0) for n in s.names])
                out.append(replace(s, t=s.t + before * self.period, y=y, events=(), dense=()))
        return out

    def at_times(self, times: Array) -> Trajectory:
        t = np.asarray(times, dtype=np.float64)
        found = self._segments_at((t - self.setting.t0) / self.period)
        return Trajectory(tuple(found), Outcome(Ending.REACHED, float(t[-1]) if len(t) else 0.0, "along an orbit"))

    @property
    def t(self) -> Array:
        return self.setting.t0 + self._tau * self.period

    def _expression(self, what: Any) -> Any:
        return what  # each mode has its own

    def _values_of(self, e: Expr, tau: Array) -> Array:
        order = np.argsort(tau, kind="stable")
        found = np.empty(len(tau))
        found[order] = Trajectory(tuple(self._segments_at(tau[order])), self.motion.outcome)[e]
        return found

    def _states(self, tau: Array) -> dict[Symbol, Array]:
        return {s: self._values_of(s, tau) for s in self.equations.state}

    def state_at(self, t: float) -> State:
        return self.at_times(np.array([float(t)])).segments[0].state(0, "on an orbit")
