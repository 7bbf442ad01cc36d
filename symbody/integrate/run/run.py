"""The loop around machines: progress, interruption, events, and the outcome."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from ...derivation.equations.equations import Equations
from ...interruption import is_stop_requested, note_interruption
from ...progress import Progress
from ..forms.projection_work import constraint_derivatives
from ..kernels.march_records import (
    AT_EVENT,
    AT_SWITCH,
    DONE,
    DOUBTS,
    FULL,
    JUMPED,
    NOT_CONVERGED,
    NOT_FINITE,
    TOO_MANY,
    TOO_SMALL,
    UNBOUNDED,
    UNSETTLED,
)
from ..result.outcome import Ending, Statistics
from ..result.record import Record
from .adaptation import Adaptation
from .machine import Machine
from .singular_configurations import is_singular_near

JUMP_TIME_REDUCTION: Final = 0.1  # factor of the time of a jump after a suspected one that was not confirmed
CALL_SECONDS: Final = 0.1  # time in machine code between two checks of the clock and the keyboard
ENDINGS: Final = {
    DONE: Ending.REACHED,
    TOO_SMALL: Ending.STEP_TOO_SMALL,
    NOT_FINITE: Ending.NOT_FINITE,
    UNSETTLED: Ending.OFF_CONSTRAINTS,
    NOT_CONVERGED: Ending.NOT_CONVERGED,
    UNBOUNDED: Ending.UNBOUNDED,
    JUMPED: Ending.JUMPED,
}


class Leg:
    """A machine at work on equations, the record of what it does, and the line that shows how far it is."""

    def __init__(self, machine: Machine, record: Record, eq: Equations, progress: bool | None = None) -> None:
        self.machine, self.record, self.stored = machine, record, machine.memory.is_stored
        self.progress = Progress(progress, machine.t, eq.name)
        if self.stored:
            record.begin(machine.t, machine.y)

    def change(self, machine: Machine) -> None:
        """Another machine goes on where this one stands."""
        self.collect()
        self.record.statistics += statistics(self.machine)
        self.machine = machine
        if self.stored:
            self.record.begin(machine.t, None)

    def collect(self) -> None:
        if self.stored:
            self.record.add(*self.machine.memory.fetched())

    def jump(self) -> None:
        """The machine got another state: where the stretch before ends, this one counts."""
        self.machine.restart()
        self._begin_stretch()

    def pass_switching_time(self) -> None:
        """The machine stands behind a jump of a function of time; algebraic variables jump with it."""
        if self.machine.task.form.kind.is_algebraic:
            self.machine.restart()
        self._begin_stretch()

    def _begin_stretch(self) -> None:
        machine = self.machine
        self.collect()
        if self.stored:
            self.record.begin(machine.t, machine.y)
        last = machine.memory.results.reached - 1
        if last >= 0 and machine.memory.times[last] == machine.t:
            machine.memory.at_times[last] = machine.y


def drive(
    leg: Leg,
    max_steps: int,
    on_event: Callable[[int | None], Ending | None] | None,
    adaptation: Adaptation | None,
) -> Ending:
    """Run a machine to its end. `on_event` receives the event that occurred (None: a switching time was passed), may
    change the state of the machine, and returns whether to stop."""
    chunk = 64
    _ = leg.machine.march  # made now, so that it does not count as running time
    begun = time.perf_counter()
    try:
        while True:
            machine = leg.machine
            left = max_steps - leg.record.statistics.steps - machine.counts.steps
            if left <= 0:
                return Ending.TOO_MANY_STEPS
            _ = machine.march
            before = time.perf_counter()
            status = machine.run(min(chunk, left))
            spent = time.perf_counter() - before
            if status == TOO_MANY:
                chunk = int(chunk * min(8.0, max(0.25, CALL_SECONDS / max(spent, 1e-9)))) + 1
            leg.progress.show(machine.steps.t, machine.steps.t_end)
            if status in (FULL, TOO_MANY):
                leg.collect()
            elif status == AT_EVENT:
                assert on_event is not None
                leg.record.events += 1
                ending = on_event(machine.watched.event)
                if ending is not None:
                    return ending
            elif status == AT_SWITCH:
                leg.pass_switching_time()
                ending = on_event(None) if on_event else None
                if ending is not None:
                    return ending
            elif status == JUMPED and not is_singular_near(machine):
                machine.steps.leaps.part *= JUMP_TIME_REDUCTION
                machine.steps.leaps.at = machine.steps.t
            elif status == DOUBTS:
                assert adaptation is not None
                if (other := adaptation.reconsidered(machine)) is not None:
                    leg.change(other)
            else:
                return ENDINGS[status]
            if not leg.record.fits():
                return Ending.TOO_MUCH_MEMORY
            if is_stop_requested():
                return Ending.INTERRUPTED
    except KeyboardInterrupt:
        note_interruption()
        return Ending.INTERRUPTED
    finally:
        leg.collect()
        leg.record.fits()
        spent = time.perf_counter() - begun
        leg.record.statistics += statistics(leg.machine, spent)


def statistics(machine: Machine, seconds: float = 0.0) -> Statistics:
    c = machine.counts
    return Statistics(
        c.steps,
        c.rejected,
        c.evaluations,
        c.corrections,
        c.jacobians,
        c.factorizations,
        seconds,
        most_corrections=c.most_corrections,
        projections=machine.memory.work.projections,
        projection_seconds=machine.memory.work.seconds,
        **constraint_derivatives(machine.task.form, c.evaluations, machine.memory.work),
    )
