"""Moreau-Jean time stepping of contacts with friction: impulses of whole steps, no events.

    q_m = q + h/2 q'(u),   w = u + h u'(q_m, u),   u⁺ = w + M⁻¹ Hᵀ Λ,   q⁺ = q_m + h/2 q'(u⁺)

Λ are the impulses of all contacts that are closed at the midpoint and of the frictions, by the same complementarity
problem as in an impact, with Newton's law of restitution (Moreau 1988, Jean 1999). Of order one; what bounces
infinitely often in finite time (Zeno) is passed over, and many contacts at once are no more than a larger problem.
Constraints hold on the level of speeds, and what is missed of positions is taken back by a part in every step.
"""

from __future__ import annotations

from time import perf_counter
from typing import Final

import numpy as np

from ..derive.additional_rates import variable_rates
from ..emit.run.callable import Array
from ..emit.run.dynamics import Dynamics
from ..errors import SimulationError
from .constraint_rows import Rows, rows_of
from .contact_modes import ModeTable
from .contact_problems import ContactProblems
from .event_handlers import Instant
from .friction_handler import NEWTON, impulses_by_law, total_of
from .outcome import Ending, Outcome, Statistics
from .segment import Segment
from .state import State
from .trajectory import Trajectory

METHOD: Final = "moreau"
RETURN: Final = 0.1  # of a violation of positions that a step takes back


class TimeStepping:
    """Steps of contacts and frictions from a state."""

    def __init__(self, table: ModeTable, law: str, start: State, step: float) -> None:
        eq = self._eq = table.base
        if law != NEWTON:
            raise SimulationError(
                f"simulate {eq.name!r}: method={METHOD!r} has Newton's law of restitution, got {law!r}"
            )
        self._law, self._step = law, step
        self._n_q, self._n_u = len(eq.q), len(eq.u)
        self._problems = ContactProblems(table, 1e-12, np.full(len(eq.state), 1e-12))
        self._rows: Rows = rows_of(eq)
        self._rates = Dynamics(eq).function("coordinate_rates", {"qdot": eq.rates}) if eq.q else None
        self._zdot = Dynamics(eq).function("zdot", {"zdot": variable_rates(eq)}) if eq.z else None
        self._state, self._p, self._r = np.concatenate([start.q, start.u, start.z]), start.p, start.r
        self.t, self._start = start.t, start

    def run(self, end: float, times: Array | None) -> Trajectory:
        """Steps to the end; at the times that are wanted, the state of the step that ends next to them."""
        began = perf_counter()
        n = max(1, round((end - self.t) / self._step))
        h = (end - self.t) / n
        t0 = self.t
        wanted = None if times is None else {max(0, min(n, round((t - t0) / h))) for t in times.tolist()}
        t, y = ([t0], [self._state.copy()]) if wanted is None or 0 in wanted else ([], [])
        outcome = Outcome(Ending.REACHED, end)
        for k in range(n):
            if not self._stepped(h):
                outcome = Outcome(Ending.SINGULAR, self.t, "no impulses satisfy the laws of contact and friction")
                break
            self.t = t0 + (k + 1) * h
            if wanted is None or k + 1 in wanted:
                t.append(self.t)
                y.append(self._state.copy())
        statistics = Statistics(steps=k + 1, evaluations=k + 1, seconds=perf_counter() - began)
        choices = {"method": f"method {METHOD} (Moreau-Jean time stepping, order 1)", "tolerance": f"step {h:g}"}
        made = Segment(
            self._eq,
            np.array(t),
            np.array(y),
            self._p,
            self._r,
            outcome,
            METHOD,
            statistics=statistics,
            choices=choices,
        )
        return Trajectory.of(made)

    def _stepped(self, h: float) -> bool:
        n_q, n_u = self._n_q, self._n_u
        u = slice(n_q, n_q + n_u)
        y = self._state.copy()
        y[:n_q] += 0.5 * h * self._coordinate_rates(self.t, y)
        now = Instant(self.t + 0.5 * h, y, self._p, self._r)
        s = self._problems.state(now)
        free = h * s.contacts.accelerations
        free = free + s.metric.back(self._missed(now, y[u] + free, h))
        part = s.contacts.gap <= 0.0
        posed, phases = impulses_by_law(self._law, self._problems, s, part, s.contacts.restitution, free, h)
        if not phases:
            return False
        if self._zdot is not None:
            y[n_q + n_u :] += h * np.ravel(self._problems.impulses.called(self._zdot, now.t, y, self._p, self._r))
        y[u] += free + s.metric.speeds(posed.problem.V @ total_of(phases))
        y[:n_q] += 0.5 * h * self._coordinate_rates(self.t + h, y)
        for e in self._eq.variables.quaternions:
            places = [v.index for v in e]
            y[places] /= np.linalg.norm(y[places])
        self._state = y
        return bool(np.all(np.isfinite(y)))

    def _coordinate_rates(self, t: float, y: Array) -> Array:
        if self._rates is None:
            return np.zeros(0)
        return np.ravel(self._problems.impulses.called(self._rates, t, y, self._p, self._r))

    def _missed(self, now: Instant, u: Array, h: float) -> Array:
        """Jc u + b, and a part of phi / h: what the speeds are to make up for."""
        n_q = self._n_q
        arguments = (now.t, now.state[:n_q], u, now.state[n_q + self._n_u :], now.r, now.p)
        Jc, b = self._rows.speed(*arguments)
        off = Jc @ u + b
        k = len(self._eq.phi.entries)
        if k and len(off):
            off[:k] += RETURN / h * np.ravel(self._rows.position(*arguments)[0])[:k]
        return np.asarray(off, dtype=np.float64)
