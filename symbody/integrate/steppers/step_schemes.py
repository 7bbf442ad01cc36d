"""What a stepper needs of a way to take steps: rows of states and parameters in, rows of states out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Final, Protocol

import numpy as np

from ...algebra.graph.graph import Symbol, symbol
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...emit.run.workers import cores, share_out
from ..kernels.march_records import AT_EVENT, DONE

SAMPLE: Final = 64  # members whose time is taken before the others are shared out
WORTH_A_THREAD: Final = 1e-4  # seconds of work from which on another thread saves more than it takes to wake it
ACCEPTED: Final = (DONE, AT_EVENT)  # status of steps that were taken
CLOCK: Final = symbol("time_at_the_step", "parameter")


class StepScheme(Protocol):
    """A way to take steps.

    equations    as its machine code has them
    variables    symbols of a row of states: of the state, then its derivatives, column after column
    parameters   symbols of a row of what is given
    wrt          symbols of the columns
    n_notes      numbers that are noted of each step; the first is its status
    """

    @property
    def equations(self) -> Equations: ...

    @property
    def variables(self) -> tuple[Symbol, ...]: ...

    @property
    def parameters(self) -> tuple[Symbol, ...]: ...

    @property
    def wrt(self) -> tuple[Symbol, ...]: ...

    @property
    def n_notes(self) -> int: ...

    def row(self, values: Mapping[str, float]) -> Array:
        """A row of parameters with these values by name, inputs zero."""

    def worker(self, rows: StepRows) -> StepWorker:
        """Memory and machine code of one thread for steps of these rows."""

    def varied(self, names: Sequence[str]) -> StepScheme:
        """The same with derivatives with respect to these variables and parameters."""


class StepWorker(Protocol):
    """Steps of members `first` to `stop`."""

    def run(self, first: int, stop: int) -> None: ...

    def prepared(self, first: int, stop: int) -> Callable[[], None]:
        """The run of some members, to be called again and again."""


class StepRows:
    """Rows of states, parameters, new states and notes, and a worker on them for each thread that takes part."""

    def __init__(self, scheme: StepScheme, row: Array, count: int) -> None:
        n = len(scheme.variables)
        self.y, self.given = np.zeros((count, n)), np.tile(row, (count, 1))
        self.ends, self.notes = np.zeros((count, n)), np.zeros((count, scheme.n_notes))
        self._scheme, self._local = scheme, threading.local()
        self.seconds = (
            0.0  # for a member, on average over the last parts; a part that was interrupted counts twice that at most
        )

    @property
    def worker(self) -> StepWorker:
        try:
            worker: StepWorker = self._local.worker
        except AttributeError:
            worker = self._local.worker = self._scheme.worker(self)
        return worker

    def ends_of_taken_steps(self) -> Array:
        """New states; without numbers where a step could not be taken."""
        status, out = self.notes[:, 0], self.ends.copy()
        if (status != DONE).any():
            out[(status != DONE) & (status != AT_EVENT)] = np.nan
        return out

    def run_all(self) -> None:
        """Steps of all members, on as many threads as have WORTH_A_THREAD of work: waking threads takes longer than the steps
        of a few hundred members."""
        count, first = len(self.y), 0
        if not self.seconds and count > SAMPLE:
            self.worker.run(0, 0)  # machine code is made before the time is taken
            self.run_part(0, first := SAMPLE)
        left = count - first
        threads = max(1, min(cores(), int(left * self.seconds / WORTH_A_THREAD)))
        share_out(lambda a, b: self.run_part(first + a, first + b), left, threads, max(1, left // (4 * threads)))

    def run_part(self, first: int, stop: int) -> None:
        worker, began = self.worker, perf_counter()
        worker.run(first, stop)
        taken = (perf_counter() - began) / max(stop - first, 1)
        self.seconds = taken if not self.seconds else 0.8 * self.seconds + 0.2 * min(taken, 2 * self.seconds)


class SingleStep(StepRows):
    """One state, with everything at hand that a step of it needs."""

    def __init__(self, scheme: StepScheme, row: Array) -> None:
        super().__init__(scheme, row, 1)
        self.state, self.parameters, self.end, self.note = self.y[0], self.given[0], self.ends[0], self.notes[0]
        self.worker.run(0, 0)
        self.run = self.worker.prepared(0, 1)
