"""Moreau-Jean time stepping of contacts with friction: motions by steps of a fixed length, without events.

Of order one; what bounces infinitely often in finite time (Zeno) is passed over, and many contacts at once are no more
than a larger problem. What stuck at the end of a step sticks up to the static coefficient; beyond it the step is
solved again with what slips. Constraints hold on the level of speeds, and a fraction of the drift of positions is taken
back in every step. `moreau_step.py` has the step.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import SimulationError, listed
from ...simulation_options import SimulationOptions
from ..contact.contact_modes import ModeTable
from ..contact.friction_handler import NEWTON
from ..contact.impacts import impulses_of
from ..events.switching_times import unseen_note
from ..events.valid_region import broken_conditions, valid_region
from ..forms.compile_effort import Effort
from ..kernels.march_records import DONE, NOT_FINITE
from ..result.outcome import Ending, Outcome, Statistics
from ..result.segment import Segment
from ..result.trajectory import Trajectory
from ..start.state import State
from .moreau_motion import MoreauMotion, no_events, run_moreau_motion
from .moreau_programs import moreau_record, moreau_switching, motion_switching, no_variations

METHOD: Final = "moreau"
BLOCK: Final = 5000  # steps of one call of the kernel: between two calls the keyboard is heard
INSIDE: Final = 1e-9  # a contact begins inside where its gap is below minus this fraction of the largest coordinate
MAIN_PART: Final = 0.1  # rows are named whose miss, or impulse, is this fraction of the largest, both as velocities


class TimeStepping:
    """Steps of contacts and frictions from a state."""

    def __init__(self, table: ModeTable, law: str, start: State, step: float) -> None:
        self._table, self._eq = table, table.base
        check_law(law, f"simulate {table.base.name!r}")
        self._step, self._start = step, start

    def _motion_until(self, end: float) -> MoreauMotion:
        start = self._start
        s = moreau_record(self._table, start.p, start.r, remembers=True)
        s.y[:] = np.concatenate([start.q, start.u, start.z])
        switching = motion_switching(self._eq, start.p, start.r, start.t, end).record(start.p, start.r)
        return MoreauMotion(
            count=0, every=1, distance=s.n, t=0.0, length=self._step, samples=np.zeros(BLOCK * s.n), sample=None, events=no_events(),
            switching=switching, step=s, variations=no_variations(s.n),
        )  # fmt: skip

    def run(self, end: float, times: Array | None) -> Trajectory:
        """Steps to the end; at the times that are wanted, the state of the step that ends next to them."""
        began, t0 = perf_counter(), self._start.t
        self._motion = m = self._motion_until(end)
        effort = Effort()
        loop = effort.loop(run_moreau_motion, m=m)
        n = max(1, round((end - t0) / self._step))
        m.length = h = (end - t0) / n
        wanted = None if times is None else {max(0, min(n, round((t - t0) / h))) for t in times.tolist()}
        kept = [(t0, np.array(m.step.y))] if wanted is None or 0 in wanted else []
        taken, notes = 0, self._notes
        outcome, reached = self._left(t0, h, np.array(m.step.y)[None]), Outcome(Ending.REACHED, end)
        while taken < n and outcome is None:
            m.count, m.t = min(BLOCK, n - taken), t0 + taken * h
            status = effort.run(loop)
            states = np.reshape(m.samples, (BLOCK, -1))
            outcome = self._left(m.t + h, h, states[: m.done])
            if outcome is not None:
                status, m.done = DONE, round((outcome.t - m.t) / h)
            chosen = (k for k in range(m.done) if wanted is None or taken + k + 1 in wanted)
            kept += [(t0 + (taken + k + 1) * h, states[k].copy()) for k in chosen]
            taken += m.done
            if status != DONE:
                outcome = self._failure(status, t0 + taken * h)
        outcome = replace(reached if outcome is None else outcome, notes=notes)
        return self._trajectory(kept, outcome, Statistics(taken, evaluations=taken, seconds=perf_counter() - began), h)

    def _left(self, t: float, h: float, states: Array) -> Outcome | None:
        """How the motion ends where one of its states, h apart from the time t on, is not in the region in which the model
        is valid."""
        region, start = valid_region(self._eq), self._start
        if region is None:
            return None
        broken = region.is_left(t + h * np.arange(len(states)), states, start.r, start.p)
        at = np.flatnonzero(broken.any(axis=1))
        if not len(at):
            return None
        words = broken_conditions(region.validity, np.flatnonzero(broken[at[0]]).tolist())
        return Outcome(Ending.NOT_VALID, float(t + h * at[0]), words)

    @property
    def _notes(self) -> tuple[str, ...]:
        unseen = unseen_note(moreau_switching(self._eq), SimulationOptions(step=self._step), 0.0)
        return (*self._overlaps, *([unseen] if unseen else []))

    @property
    def _overlaps(self) -> tuple[str, ...]:
        """Contacts that begin inside each other."""
        start, contacts = self._start, self._table.contacts
        if not contacts:
            return ()
        y = np.concatenate([start.q, start.u, start.z])
        gap = impulses_of(self._eq, contacts).numbers(start.t, y, start.p, start.r).gap
        inside = [k for k in np.argsort(gap).tolist() if gap[k] < -INSIDE * (1.0 + np.abs(start.q).max(initial=0.0))]
        if not inside:
            return ()
        named = listed(f"{contacts[k].name} (gap {gap[k]:z.3g})" for k in inside)
        return (
            f"bodies begin inside each other at {named}; time stepping holds contact speeds, and leaves them there: "
            "contacts.separated(start) is the start with bodies pushed apart",
        )

    def _failure(self, status: int, t: float) -> Outcome:
        """Why the step from t was not accepted."""
        if status == NOT_FINITE:
            return Outcome(Ending.NOT_FINITE, t, "no impulses keep the speeds finite")
        detail = (
            f"the impulses of {listed(self._unsolved)} in the next step have a residual of {self._motion.residual:z.2g}; "
            "a shorter step=..., restitution 0, or less friction may help, or events: leave out method="
        )
        return Outcome(Ending.NOT_CONVERGED, t, detail)

    @property
    def _unsolved(self) -> list[str]:
        """Contacts and frictions whose laws the last impulses miss most, and those that push most."""
        s, table = self._motion.step, self._table
        p = s.problem
        names = [c.name for c in table.contacts] + [f.name for f in table.frictions for _ in f.slip]
        mobility = np.array(p.A)[: p.n * p.n : p.n + 1]
        sizes = (mobility * np.abs(x[: p.n]) for x in (p.miss, p.x))
        rows = {int(i) for size in sizes for i in np.flatnonzero(size >= MAIN_PART * np.max(size, initial=0.0))}
        return list(dict.fromkeys(names[s.row[i]] for i in sorted(rows)))

    def _trajectory(
        self, kept: list[tuple[float, Array]], outcome: Outcome, statistics: Statistics, h: float
    ) -> Trajectory:
        choices = {"method": f"method {METHOD} (Moreau-Jean time stepping, order 1)", "tolerance": f"step {h:g}"}
        t, y = np.array([t for t, _ in kept]), np.array([y for _, y in kept])
        start = self._start
        made = Segment(
            self._eq, t, y, start.p, start.r, outcome, METHOD, statistics=statistics, choices=choices
        )  # fmt: skip
        return Trajectory.of(made)


def check_law(law: str, where: str) -> None:
    if law != NEWTON:
        raise SimulationError(f"{where}: method={METHOD!r} has Newton's law of restitution, got {law!r}")
