"""A method at work on a form: memory, machine code, and what comes out of it in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...emit.loops.records import memory_of
from ...emit.run.callable import Array
from ...emit.run.loop_callee import LoopCallee
from ..events.switching_times import NONE, Switching
from ..forms.forms import Form
from ..forms.projection_work import ProjectionWork
from ..kernels import explicit, march
from ..kernels.march_records import Counts, Growth, Leaps, Method, Probes, Results, Steps, Watched
from ..kernels.probes import NODES
from ..kernels.runge_kutta import RungeKutta
from ..kernels.tableaux import Tableau

BUFFER_SIZE: Final = 4_000_000  # numbers of stored steps before Python fetches them
JUMP_TIME: Final = 1e-2  # fraction of the longest step within which a change of the speeds is a jump
KNOWN_SIZE: Final = 48  # states up to this size get loops of their own; larger ones share one


@dataclass(frozen=True, eq=False)
class Task:
    """An integration to be done: a form, start, parameters, end, tolerances and requested output.

    times   where states are wanted, or None: at every step, with polynomials between
    watch   event functions and their rates (`Watch`), each function with the direction in which it counts (`sense`), or
            None
    patience   steps in a row that let a method doubt whether it is of the right kind, 0: none; `reach` is |λ| h of
               explicit steps that are stable
    switching  times at which steps end
    max_size   of variables, in units of their size at the start, beyond which exponential growth ends the motion
    """

    form: Form
    p: Array
    y: Array
    t: float
    end: float
    rtol: float
    atol: Array
    step: float | None = None
    max_step: float = np.inf
    max_growth: float = 10.0
    times: Array | None = None
    watch: Any = None
    sense: tuple[int, ...] = ()
    max_size: float = np.inf
    patience: int = 0
    reach: float = 0.0
    switching: Switching = NONE


class Memory:
    """Arrays for results, and the work that projections do."""

    def __init__(self, n: int, pieces: int, times: Array | None) -> None:
        self.work = ProjectionWork()
        capacity = 1 if times is not None else max(16, min(4096, BUFFER_SIZE // (max(1, n) * (pieces + 1))))
        self.pieces, self.is_stored = pieces, times is None
        self.row_times, rows, polynomials = np.empty(capacity), np.empty(capacity * n), np.empty(capacity * pieces * n)
        self.times = np.zeros(1) if times is None else np.array(times, dtype=np.float64)
        at_times = np.zeros(len(self.times) * n)
        self.results = Results(
            is_stored=int(times is None), capacity=capacity, row_times=self.row_times, rows=rows, polynomials=polynomials,
            requested=0 if times is None else len(times), times=self.times, at_times=at_times,
        )  # fmt: skip
        self.rows, self.polynomials = rows.reshape(capacity, n), polynomials.reshape(capacity, pieces, n)
        self.at_times = at_times.reshape(len(self.times), n)

    def fetched(self) -> tuple[Array, Array, Array]:
        """Steps stored since the last time: their ends, states and polynomials, until the next steps are made."""
        n, self.results.stored = self.results.stored, 0
        return self.row_times[:n], self.rows[:n], self.polynomials[:n]

    @property
    def points(self) -> Array:
        """States at the requested times, as far as they were reached."""
        return self.at_times[: self.results.reached]


def watched_in(task: Task) -> Watched:
    """Event functions of a task, for the kernels."""
    n = len(task.sense)
    return Watched(
        count=n, values=np.zeros(2 * n), earlier=np.zeros(2 * n), later=np.zeros(2 * n), inner=np.zeros(2 * n), side=np.zeros(n), least=np.zeros(n),
        sense=np.array(task.sense, dtype=np.int64), watch=task.watch and task.watch.callee(task.p),
    )  # fmt: skip


def growth_of(task: Task) -> Growth:
    """The size of q, u and z that counts as large, for the kernels; variations of a motion and variables of a form's
    own may grow."""
    n = len(task.form.equations.state)
    return Growth(count=n, level=_level(task), per_size=_per_size(task))


def _level(task: Task) -> float:
    return task.max_size / march.GROWTH_LEVELS**2


def _per_size(task: Task) -> Array:
    n = len(task.form.equations.state)
    found: Array = 1.0 / np.maximum(np.abs(task.y[:n]), np.maximum(task.atol[:n] / task.rtol, 1.0))
    return found


def leaps_of(task: Task) -> Leaps:
    """The speeds of a task, for the kernels, where constraints may become singular."""
    eq = task.form.equations
    count = len(eq.u) if eq.lam and task.step is None else 0
    return Leaps(first=len(eq.q), count=count, part=JUMP_TIME, at=-np.inf, speeds=np.zeros(max(len(eq.u), 1)))


def probes_of(task: Task) -> Probes:
    """Where steps are looked into, for the kernels: if the switching times of a function of time are unknown."""
    count = len(NODES) if task.switching.unknown and task.step is None else 0
    memory = task.form.n if count else 1
    return Probes(count=count, change=np.zeros(memory), fine=np.zeros(memory)).know("count")


def steps_of(task: Task, pieces: int) -> tuple[Steps, Memory]:
    """A motion that is about to begin, for a method whose polynomials have some pieces."""
    n, memory = task.form.n, Memory(task.form.n, pieces, task.times)
    steps = Steps(
        n=n, is_adaptive=int(task.step is None), t=task.t, t_end=task.end, rtol=task.rtol, max_step=task.max_step, max_growth=task.max_growth,
        h=0.0 if task.step is None else np.copysign(task.step, task.end - task.t), atol=np.array(task.atol, dtype=np.float64),
        y=np.array(task.y, dtype=np.float64), y_end=np.zeros(n), r=np.zeros(pieces * n), w=np.zeros(n), note=np.zeros(1),
        counts=Counts(), results=memory.results, watched=watched_in(task), growth=growth_of(task), leaps=leaps_of(task),
        switching=task.switching.record(task.p), probes=probes_of(task), rhs=task.form.rhs(task.p), settle=task.form.settle(task.p, memory.work),
    )  # fmt: skip
    return steps, memory


class Machine:
    """Steps of a method, compiled: what `run.py` drives. `side` and `least` are those of its event functions
    (`march.Watched`)."""

    def __init__(self, task: Task, method: Method, steps: Steps, memory: Memory) -> None:
        self.task, self.method, self.steps, self.memory = task, method, steps, memory
        self.p = task.p  # where machine code reads the parameters
        self.counts, self.watched = steps.counts, steps.watched
        self.y, self.side, self.least = (
            np.asarray(steps.y),
            np.asarray(self.watched.side),
            np.asarray(self.watched.least),
        )
        self._memory = [*memory_of(method, Results), *memory_of(steps, Results)]
        self._first = [x.copy() for x in self._memory]
        self.restart()

    @cached_property
    def march(self) -> LoopCallee:
        """The loop, made when it is first needed: a mode may end when it begins."""
        return self.task.form.effort.loop(march.march, m=self.method, s=self.steps)

    @property
    def t(self) -> float:
        """The time reached."""
        return self.steps.t

    @property
    def is_explicit(self) -> bool:
        return isinstance(self.method, RungeKutta)

    def following(self, other: Machine) -> Machine:
        """This machine, to go on where another one stands: with the results at requested times, signs of event
        functions and sizes of that one."""
        self.memory.results.reached = other.memory.results.reached
        self.memory.at_times[:] = other.memory.at_times
        self.side[:], self.least[:] = other.side, other.least
        mine, its = self.steps.growth, other.steps.growth
        mine.passed, mine.level, mine.last, mine.before = its.passed, its.level, its.last, its.before
        np.asarray(mine.per_size)[:] = np.asarray(its.per_size)
        return self

    def restart(self) -> None:
        """Take up a state that was changed from outside. Algebraic variables follow the others; if they cannot, the
        next step reports it."""
        y, wrong = self.task.form.consistent(self.t, self.y, self.p)
        if not wrong:
            self.y[:] = y
        self.steps.is_new = 1
        self.steps.leaps.at = -np.inf

    def renewed(self, task: Task) -> Machine:
        """This machine as it was when it was made, for a task that differs from its own in numbers alone."""
        for x, first in zip(self._memory, self._first, strict=True):
            x[...] = first
        self.memory.work.restart()
        self.p[:] = task.p
        self.task = task
        self.begin(task)
        self.restart()
        return self

    def begin(self, task: Task) -> None:
        """Put the numbers of a task into records that were made for another one of the same shape. Methods that have
        numbers of their own for some of them put these."""
        steps = self.steps
        steps.put(
            t=task.t, t_end=task.end, rtol=task.rtol, max_step=task.max_step, max_growth=task.max_growth,
            h=0.0 if task.step is None else np.copysign(task.step, task.end - task.t),
        )  # fmt: skip
        np.asarray(steps.atol)[:], self.y[:] = task.atol, task.y
        steps.growth.put(level=_level(task))
        np.asarray(steps.growth.per_size)[:] = _per_size(task)
        if task.times is not None:
            self.memory.times[:] = task.times
        if task.switching.count:
            for name in ("first", "knots", "lines"):
                np.asarray(getattr(steps.switching, name))[:] = getattr(task.switching, name)

    @property
    def bytes(self) -> int:
        """Memory that it takes beside what was never written: its own, and results."""
        rows = min(self.counts.steps, len(self.memory.rows)) + self.memory.results.reached
        return self._own_bytes + 8 * rows * self.steps.n * (self.memory.pieces + 1)

    @cached_property
    def _own_bytes(self) -> int:
        return 2 * sum(x.nbytes for x in self._first)

    def run(self, steps: int) -> int:
        """Go on, for some steps at most; how it ended, as in `march.py`."""
        self.counts.limit = self.counts.steps + steps
        return self.task.form.effort.run(self.march)


def explicit_machine(tableau: Tableau, task: Task) -> Machine:
    """Explicit Runge-Kutta steps (`explicit.py`), with separate machine code for the requested results."""
    form, p = task.form, task.p
    n = form.n
    steps, memory = steps_of(task, tableau.pieces)
    method = explicit.runge_kutta(
        tableau,
        n,
        positions=len(form.equations.q),
        along=form.along(p) if task.step is None else None,  # for the estimate of the error
        onto=form.onto(p, memory.work),
        projects=form.projects_positions,
        projects_stages=form.projects_stages,
        is_driven=form.is_driven,
        patience=task.patience,
    )
    steps.know("is_adaptive", "settle", *(["n"] if n <= KNOWN_SIZE else []))
    steps.watched.know("watch")
    steps.results.know("is_stored")
    return Machine(task, method, steps, memory)
