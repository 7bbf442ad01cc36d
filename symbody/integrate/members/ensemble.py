"""Members of a batch integrated in machine code: workers on threads, each with memory of its own, and the rows they
fill.

A member that machine code alone does not finish (it has doubts about its method, passed a singular position, has
more events than are recorded) is left to `simulate`; so is one whose start does not allow it (`member_starts.py`). All
others are the motions that `simulate` gives: the same machine code makes their steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.walk import scalars
from ...emit.run.callable import Array
from ...emit.run.loop_callee import LoopCallee, program_callee
from ...emit.run.workers import cores, share_out_of_the_way
from ...interruption import StopRequest
from ..events.events import CHATTERING_EVENTS, CHATTERING_TIME, ROUNDING_LEVEL, watch_of, watched_values
from ..events.switching_times import NONE, Switching
from ..forms.forms import Form
from ..kernels.march import GROWTH_LEVELS
from ..kernels.march_records import AT_EVENT, CHATTERING, DOUBTS, JUMPED, TOO_MANY, UNBOUNDED
from ..kernels.tableaux import Tableau
from ..result.outcome import Ending, Statistics
from ..run.adaptation import FIRST_PATIENCE
from ..run.machine import JUMP_TIME, Machine, Task, explicit_machine
from ..run.run import ENDINGS
from . import members
from .event_march import EventRules, march_through_events
from .event_table import WHICH, EventTable, state_after
from .member_inputs import FedForm, InputFeed, MemberInputs

RECORDED_EVENTS: Final = 32  # events of a member that are stored
MEMBERS_PER_CALL: Final = 64  # members integrated between two checks of the clock
ALL_ENDINGS: Final = ENDINGS | {
    AT_EVENT: Ending.STOPPED,
    TOO_MANY: Ending.TOO_MANY_STEPS,
    CHATTERING: Ending.CHATTERING,
    members.INTERRUPTED: Ending.INTERRUPTED,
}
FOR_PYTHON: Final = (
    DOUBTS,
    JUMPED,
    UNBOUNDED,
    CHATTERING,
)  # where `simulate` goes on, or says more


@dataclass(frozen=True, eq=False)
class EnsembleTask:
    """What all members have in common.

    times      at which states are wanted
    tolerances rtol, and atol of each variable; `step`, `first_step`, ... as in `simulate`
    outputs    expressions that are kept instead of states
    records    whether events are recorded
    fits_borders  whether members begin with borders of their own state (`bordering.py`)
    switching  times at which steps end
    patience   steps in a row that let a method doubt whether it is of the right kind; 0: it never does
    """

    form: Form
    tableau: Tableau
    begin: float
    times: Array
    rtol: float
    atol: Array
    step: float | None = None
    first_step: float | None = None
    max_step: float = np.inf
    max_growth: float = 10.0
    max_size: float = np.inf
    max_steps: int = 10**9
    adapts: bool = False
    events: EventTable | None = None
    outputs: tuple[Any, ...] = ()
    records: bool = True
    fits_borders: bool = False
    switching: Switching = NONE

    @property
    def end(self) -> float:
        return float(self.times[-1])

    @property
    def record(self) -> int:
        """How many events of a member are recorded."""
        return RECORDED_EVENTS if self.events is not None and self.records else 0


@dataclass(frozen=True, eq=False)
class EnsembleRows:
    """What members gave, a row for each: `kept` at each time, the last state, notes (`members.NOTES`), events (time,
    which, state before)."""

    kept: Array
    ends: Array
    notes: Array
    events: Array
    ENDINGS = ALL_ENDINGS

    @property
    def status(self) -> NDArray[np.int64]:
        return self.notes[:, 0].astype(np.int64)

    def is_for_python(self) -> NDArray[np.bool_]:
        """Members that `simulate` has to take up."""
        passed, events = self.notes[:, 7] > 0, self.notes[:, members.EVENTS] > self.events.shape[1]
        return np.isin(self.status, FOR_PYTHON) | passed | (events & (self.events.shape[1] > 0))

    def spread(self, which: NDArray[np.int64], count: int) -> EnsembleRows:
        """These rows at their places among more, of which the others have no numbers."""
        if len(which) == count:
            return self
        kept, ends, events = (_spread(x, which, count) for x in (self.kept, self.ends, self.events))
        return EnsembleRows(kept, ends, _spread(self.notes, which, count, members.INTERRUPTED), events)

    def ending(self, k: int) -> Ending:
        return ALL_ENDINGS[int(self.notes[k, 0])]

    def statistics(self, k: int, seconds: float) -> Statistics:
        steps, rejected, evaluations, corrections, most = (int(x) for x in self.notes[k, 2:7])
        return Statistics(steps, rejected, evaluations, corrections, seconds=seconds, most_corrections=most)


def integrated_members(
    task: EnsembleTask,
    y: Array,
    p: Array,
    inputs: MemberInputs | None,
    threads: int | None,
    stop: StopRequest | None = None,
) -> tuple[EnsembleRows, float]:
    """All members from these starts, with these parameters; and the seconds that it took.

    stop    learns of an interruption
    """
    count, n = y.shape
    width = len(task.times) * (n if not task.outputs else len(_entries(task)))
    record = task.record
    rows = EnsembleRows(
        np.full((count, width), np.nan), y.copy(), np.zeros((count, len(members.NOTES))),
        np.full((count, record, n + 2), np.nan),
    )  # fmt: skip
    rows.notes[:, 0], rows.notes[:, 1] = members.INTERRUPTED, task.begin
    given = np.ascontiguousarray(p if inputs is None else np.hstack([p, inputs.coefficients]))
    wanted, begun = np.ones(1), time.perf_counter()
    workers: list[Worker] = []

    def part(first: int, end: int) -> None:
        worker = workers.pop() if workers else Worker(task, y, given, inputs, rows, wanted)
        for k in range(first, end, MEMBERS_PER_CALL):
            if wanted[0] == 0.0:
                break
            worker.run(k, min(k + MEMBERS_PER_CALL, end))
        workers.append(worker)

    many = threads or cores()

    def stop_all() -> None:
        wanted[0] = 0.0
        if stop is not None:
            stop.ask()

    share_out_of_the_way(part, count, many, max(1, min(MEMBERS_PER_CALL, count // (4 * many))), stop_all)
    task.form.raise_pending()
    return rows, time.perf_counter() - begun


def _spread(rows: Array, which: NDArray[np.int64], count: int, empty: float = np.nan) -> Array:
    out = np.full((count, *rows.shape[1:]), empty)
    out[which] = rows
    return out


def _entries(task: EnsembleTask) -> list[Any]:
    return [e for x in task.outputs for e in scalars(x)]


class Worker:
    """Memory and machine code of one thread."""

    def __init__(
        self,
        task: EnsembleTask,
        y: Array,
        given: Array,
        inputs: MemberInputs | None,
        rows: EnsembleRows,
        wanted: Array,
    ) -> None:
        form, n = task.form, task.form.n
        self._effort = form.effort
        self.p = np.zeros(max(len(form.parameters), 1))
        feed = None if inputs is None else InputFeed(inputs, self.p)
        machine = explicit_machine(task.tableau, _task(task, feed, y[0], self.p))
        rules = event_rules(task, form, self.p)
        run = machine.march if task.events is None else _through_events(form, machine, rules)
        origin = members.Origin(
            n_p=len(form.parameters), n_c=0 if feed is None else len(feed.memory), t=task.begin, h=_first_step(task), part=JUMP_TIME, level=task.max_size / GROWTH_LEVELS**2,
            patience=FIRST_PATIENCE if task.adapts else 0, limit=task.max_steps, p=self.p, coefficients=np.zeros(1) if feed is None else feed.memory, wanted=wanted,
        )  # fmt: skip
        status, method, steps = run.result, machine.method, machine.steps
        keeping = members.Keeping(outputs=len(_entries(task)), sample=_sample(task, feed, self.p))
        begin = form.effort.loop(members.begin_member, o=origin, m=method, s=steps, e=rules)
        borders = form.fitted_borders(self.p) if task.fits_borders else None
        if borders is not None:
            begin = form.effort.loop(members.begin_with_borders, o=origin, inner=begin, borders=borders)
        self._keep = (machine, rules, run, wanted, begin)
        self.loop = members.MemberLoop(
            n=n, n_p=given.shape[1], width=rows.kept.shape[1], notes=len(members.NOTES), event_width=rows.events[0].size,
            starts=np.ascontiguousarray(y), parameters=given, kept=rows.kept, ends=rows.ends, noted=rows.notes, events=rows.events, goes_on=np.zeros(1),
            begin=begin,
            march=run, judge=form.effort.loop(members.judge, ("goes_on",), o=origin, s=steps, status=status),
            finish=form.effort.loop(members.finish_member, ("kept", "end", "note", "events"), k=keeping, o=origin, m=method, s=steps, e=rules, status=status),
        )  # fmt: skip
        self._members = form.effort.loop(members.run_members, b=self.loop)

    def prepared(self, first: int, stop: int) -> Callable[[], None]:
        """The run of some members, to be called again and again."""
        self.loop.first, self.loop.stop = first, stop
        return self._effort.prepared(self._members)

    def run(self, first: int, stop: int) -> None:
        self.loop.first, self.loop.stop = first, stop
        self._effort.run(self._members)


def _task(task: EnsembleTask, feed: InputFeed | None, y: Array, p: Array) -> Task:
    form: Any = task.form if feed is None else FedForm(task.form, feed)
    watch, sense = None, tuple[int, ...]()
    if task.events is not None:
        watch, sense = watch_of(form, task.events.functions), task.events.senses
    return Task(
        form, p, y, task.begin, task.end, task.rtol, task.atol, task.step, task.max_step, task.max_growth, task.times, watch, sense,
        task.max_size, *((FIRST_PATIENCE, task.tableau.reach) if task.adapts else (0, 0.0)), task.switching,
    )  # fmt: skip


def _first_step(task: EnsembleTask) -> float:
    length = task.step or task.first_step or 0.0
    return float(np.copysign(length, task.end - task.begin)) if length else 0.0


def _sample(task: EnsembleTask, feed: InputFeed | None, p: Array) -> Any:
    """Outputs of a state, or None where states are kept."""
    if not task.outputs:
        return None
    form = task.form
    made = form.cached("sample", task.outputs, lambda: form.compiled("sample", {"x": _entries(task)}))
    callee = program_callee(made, {"p": p})
    return callee if feed is None else feed.before(callee)


# ---------------------------------------------------------------------------------------------------------- events


def event_rules(task: EnsembleTask, form: Form, p: Array) -> EventRules:
    """Consequences of events for the kernels; empty ones if there are none."""
    table, n = task.events, form.n
    if table is None:
        spare = np.zeros(1)
        return EventRules(
            times=spare,
            which=spare,
            recent=spare,
            before=spare,
            is_terminal=(0.0,),
            is_reset=(0.0,),
            is_one_sided=(0.0,),
        )
    return EventRules(
        record=task.record, short=CHATTERING_TIME * abs(task.end - task.begin), keeps=n, times=np.zeros(RECORDED_EVENTS), which=np.zeros(RECORDED_EVENTS), before=np.zeros(RECORDED_EVENTS * n),
        recent=np.zeros(CHATTERING_EVENTS), is_terminal=(*table.terminal, 0.0), is_reset=(*table.resets, 0.0), is_one_sided=(*table.one_sided, 0.0),
        **{name: program_callee(f, {"p": p}) for name, f in _consequences(form, table).items()},
    )  # fmt: skip


def _consequences(form: Form, table: EventTable) -> dict[str, Any]:
    """Compiled reset maps, and what of event functions is rounding."""

    def made() -> dict[str, Any]:
        _, terms = watched_values(form, table.functions)
        out = {"rounding": form.compiled("rounding_of_events", {"g": [ROUNDING_LEVEL * abs(e) for e in terms]})}
        if (after := state_after(form, table.maps)) is not None:
            out["reset"] = form.compiled("reset", {"x": after}, more={"which": WHICH})
        return out

    return form.cached("consequences", (table.functions, tuple(map(_content, table.maps))), made)


def _content(new: Any) -> Any:
    return None if new is None else tuple(new.items())


def _through_events(form: Form, machine: Machine, rules: EventRules) -> LoopCallee:
    machine.steps.watched.know("count")
    return form.effort.loop(march_through_events, m=machine.method, s=machine.steps, e=rules)
