"""Runs of piles: steps of one length from a state, with memory for contacts that grows when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Final, Protocol

import numpy as np

from ...emit.run.callable import Array
from ...progress import Progress
from ..forms.compile_effort import Effort
from ..kernels.march_records import DONE, NOT_FINITE
from ..result.outcome import Ending, Outcome, Statistics
from .pile_programs import PileNumbers, pile_step_record
from .pile_records import STATE, PileStep
from .pile_step import FULL, PileRun, run_pile

BLOCK: Final = 50  # steps of one call of the kernel: between two calls the keyboard is heard
MOST_PER_BODY: Final = 64  # contacts for each body that memory is given for


@dataclass(frozen=True)
class ContactsNow:
    """Contacts of one step: numbers of the bodies (second -1: a wall), points, normals towards the first, gaps, and the
    impulses on the first in the ground frame."""

    first: Array
    second: Array
    points: Array
    normals: Array
    gaps: Array
    impulses: Array
    friction: Array


@dataclass
class RunTotals:
    """Work of a run so far, and its last step."""

    tolerance: float
    most_sweeps: int
    residual: float = 0.0
    most_contacts: int = 0
    contacts: int = 0
    sweeps: int = 0
    missed: int = 0
    body_work: float = 0.0
    machine_work: float = 0.0
    last_contacts: int = 0
    last_residual: float = 0.0
    last_sweeps: int = 0


class PileRunner:
    """Steps of a pile, one after another; impulses of a step are where the next begins."""

    def __init__(self, pile: PileNumbers, h: float) -> None:
        self.pile, self.h, self.t = pile, h, 0.0
        self.n = len(pile.kinds) - pile.fixed
        carried = 0 if pile.machine is None else len(pile.machine.bodies)
        self.most = MOST_PER_BODY * (self.n + carried) + 1000
        self._effort = Effort()
        self.machine_states: list[Array] = [] if pile.machine is None else [pile.machine.state]
        self._begin(4 * (self.n + carried) + 16)

    def _begin(self, capacity: int, before: PileStep | None = None) -> None:
        step = pile_step_record(self.pile, self.h, min(capacity, self.most))
        if before is not None:
            keep_state(before, step)
        self.run_record = PileRun(
            count=0, stride=1, done=0, t=0.0, residual=0.0, most_contacts=0, contacts=0, sweeps=0, missed=0, fastest=np.zeros(self.n + 1),
            samples=np.zeros(BLOCK * STATE * self.n + 1), machine_samples=np.zeros(BLOCK * step.machine.step.n + 1), step=step,
        )  # fmt: skip
        self._loop = self._effort.loop(run_pile, m=self.run_record)

    @property
    def step(self) -> PileStep:
        return self.run_record.step

    def set_state(self, y: Array, t: float, machine: Array | None = None) -> None:
        """Begin again from a state of all bodies, and of the mechanism, without impulses of a step before."""
        s = self.step
        if machine is not None:
            s.machine.step.y[: len(machine)] = machine
            self.machine_states = [np.array(machine)]
        s.y[: STATE * self.n] = np.ravel(y)
        for whole in (s.old_start, s.calm, s.graph.idle):
            whole[:] = [0] * len(whole)
        self.t = t

    @property
    def state(self) -> Array:
        return np.array(self.step.y[: STATE * self.n]).reshape(self.n, STATE)

    def take(self, count: int, stride: int) -> tuple[int, Array]:
        """So many steps, at most BLOCK: the status of the last, and states after every `stride` of them."""
        kept: list[Array] = []
        left = count
        while True:
            m = self.run_record
            m.count, m.stride, m.t = left, stride, self.t
            status = self._effort.run(self._loop)
            rows = m.done // stride
            kept.append(np.array(m.samples[: rows * STATE * self.n]).reshape(rows, self.n, STATE))
            self._keep_machine(rows)
            self.t += m.done * self.h
            left -= m.done
            if status != FULL or m.step.capacity >= self.most:
                return status, np.concatenate(kept)
            if m.done % stride:
                left += m.done % stride  # no sample is lost: strides divide calls of this method
            self._begin_again()

    def _keep_machine(self, rows: int) -> None:
        m, n = self.run_record, self.step.machine.step.n
        if self.pile.machine is not None:
            self.machine_states += list(np.array(m.machine_samples[: rows * n]).reshape(rows, n))

    def _begin_again(self) -> None:
        m = self.run_record
        totals = m.residual, m.most_contacts, m.contacts, m.sweeps, m.missed
        self._begin(2 * m.step.capacity, m.step)
        new = self.run_record
        new.fastest[:] = m.fastest
        new.residual, new.most_contacts, new.contacts, new.sweeps, new.missed = totals

    @property
    def peak_speeds(self) -> Array:
        """The largest of each body, of all steps."""
        return np.sqrt(np.array(self.run_record.fastest[: self.n]))

    @property
    def totals(self) -> RunTotals:
        m, s = self.run_record, self.step
        last = s.work, s.machine.work, s.contacts, s.residual, s.graph.sweeps
        return RunTotals(
            s.graph.tolerance, s.graph.most, m.residual, m.most_contacts, m.contacts, m.sweeps, m.missed, *last
        )

    def touching(self) -> tuple[ContactsNow, bool]:
        """Contacts of the state that it is in, and whether there are more than it has memory for."""
        self.run_record.count = 0
        self._loop.run()
        return self.contacts(), self.step.is_full == 1

    def contacts(self) -> ContactsNow:
        """Those of the last step."""
        s = self.step
        c = s.contacts
        rows = [np.array(x[: 3 * c]).reshape(c, 3) for x in (s.arm, s.normal, s.old_impulse)]
        first, second, gaps, mu = (np.array(x[:c]) for x in (s.first, s.second, s.gap, s.graph.mu))
        return ContactsNow(first, second, rows[0], rows[1], gaps, rows[2], mu)


def keep_state(before: PileStep, after: PileStep) -> None:
    """The state, and impulses of the step before, in larger memory."""
    for name in ("y", "old_start", "calm"):
        getattr(after, name)[:] = getattr(before, name)
    for name in ("old_second", "old_feature", "old_impulse"):
        old = getattr(before, name)
        getattr(after, name)[: len(old)] = old
    after.graph.idle[:] = before.graph.idle
    after.machine.step.y[:] = before.machine.step.y
    after.work, after.machine.work = before.work, before.machine.work


@dataclass(frozen=True)
class PileSamples:
    """States at times (times x bodies x 13), how the run ended, and its work."""

    t: Array
    states: Array
    outcome: Outcome
    statistics: Statistics
    residual: float
    most_contacts: int
    mean_contacts: float
    sweeps: int
    missed: int
    last: ContactsNow
    machine: Array
    work: Array
    speeds: Array  # largest of each body


class Runner(Protocol):
    """Steps of a pile, wherever they are computed."""

    pile: PileNumbers
    h: float
    t: float
    n: int
    most: int
    machine_states: list[Array]

    @property
    def totals(self) -> RunTotals: ...

    @property
    def state(self) -> Array: ...

    @property
    def peak_speeds(self) -> Array: ...

    def take(self, count: int, stride: int) -> tuple[int, Array]: ...

    def touching(self) -> tuple[ContactsNow, bool]: ...

    def contacts(self) -> ContactsNow: ...


Sink = Callable[[Array, Array, Array], None]  # takes times, states, and states of the mechanism


class PileRows:
    """Samples of a run: all of them, or, where a sink takes them, the first and the last."""

    def __init__(self, runner: Runner, every: int, sink: Sink | None) -> None:
        self.runner, self.spacing, self.begin, self.sink = runner, every * runner.h, runner.t, sink
        self.count = 0
        self.t: list[Array] = []
        self.states: list[Array] = []
        self.machine: list[Array] = []
        runner.machine_states = runner.machine_states[-1:]
        self.add(runner.state[None])

    def add(self, states: Array) -> None:
        """Samples that were taken, with those of the mechanism."""
        if not len(states):
            return
        t = self.begin + self.spacing * np.arange(self.count, self.count + len(states), dtype=float)
        t[-1] = min(t[-1], self.runner.t)
        machine = np.array(
            self.runner.machine_states[-len(states) :]
        )  # of sparse samples, states between them are left out
        self.runner.machine_states = self.runner.machine_states[-1:]
        self.count += len(states)
        if self.sink is not None:
            self.sink(t, states, machine)
            t, states, machine = t[-1:], states[-1:], machine[-1:]
            del self.t[1:], self.states[1:], self.machine[1:]
        self.t.append(t)
        self.states.append(states)
        self.machine.append(machine)


def run_samples(
    runner: Runner,
    count: int,
    every: int,
    notes: tuple[str, ...],
    sink: Sink | None = None,
    progress: Progress | None = None,
) -> PileSamples:
    """`count` steps from the state that the runner is in, with samples after every so many of them and of the last."""
    began, t0, taken, status = perf_counter(), runner.t, 0, DONE
    rows = PileRows(runner, every, sink)
    per_call = max(1, BLOCK // every) * every if every <= BLOCK else every
    while taken < count and status == DONE:
        part = min(per_call, count - taken)
        if every > BLOCK:
            status = _take_unsampled(runner, part)
            rows.add(runner.state[None])
        else:
            part -= part % every if part > every else 0
            status, found = runner.take(part, min(part, every))
            rows.add(found)
        taken = round((runner.t - t0) / runner.h)
        if progress is not None:
            progress.show(runner.t, t0 + count * runner.h)
    if progress is not None:
        progress.done()
    m = runner.totals
    if m.missed:
        notes = (*notes, _missed_note(m))
    outcome = Outcome(Ending.REACHED, runner.t, notes=notes) if status == DONE else failure(runner, status, notes)
    return PileSamples(
        np.concatenate(rows.t), np.concatenate(rows.states), outcome, Statistics(taken, evaluations=taken, seconds=perf_counter() - began), m.residual,
        m.most_contacts, m.contacts / max(taken, 1), m.sweeps, m.missed, runner.contacts(), np.concatenate(rows.machine), np.array([m.body_work, m.machine_work]), runner.peak_speeds,
    )  # fmt: skip


def _missed_note(m: RunTotals) -> str:
    return (
        f"{m.missed} steps have a residual above {m.tolerance:z.0e}, {m.residual:z.2g} at most; "
        "a compliance= of the contacts (1e-8 m/N, for example), more most_sweeps= or shorter steps may help"
    )


def _take_unsampled(runner: Runner, count: int) -> int:
    left = count
    while left:
        part = min(BLOCK, left)
        status, _ = runner.take(part, part)
        if status != DONE:
            return status
        left -= part
    return DONE


def failure(runner: Runner, status: int, notes: tuple[str, ...]) -> Outcome:
    """Why the step from here was not taken."""
    m = runner.totals
    if status == FULL:
        detail = (
            f"more than {runner.most} contacts, {MOST_PER_BODY} for each of {runner.n} bodies, at one time; bodies overlap: "
            "start them apart"
        )
        return Outcome(Ending.TOO_MUCH_MEMORY, runner.t, detail, notes=notes)
    if status == NOT_FINITE:
        return Outcome(Ending.NOT_FINITE, runner.t, "no impulses keep the speeds finite", notes=notes)
    detail = (
        f"the impulses of {m.last_contacts} contacts in the next step have a residual of {m.last_residual:z.2g} after {m.last_sweeps} sweeps; "
        "a compliance= of the contacts (1e-8 m/N, for example), a shorter step=..., or less friction may help"
    )
    return Outcome(Ending.NOT_CONVERGED, runner.t, detail, notes=notes)
