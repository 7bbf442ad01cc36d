"""What a stepper needs of a way to take steps: rows of states and parameters in, rows of states out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np

from ...algebra.graph.graph import Symbol, symbol
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ..kernels.march_records import AT_EVENT, DONE

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

    @property
    def worker(self) -> StepWorker:
        try:
            worker: StepWorker = self._local.worker
        except AttributeError:
            worker = self._local.worker = self._scheme.worker(self)
        return worker

    def ends_of_taken_steps(self) -> Array:
        """New states; without numbers where a step could not be taken."""
        is_bad, out = ~np.isin(self.notes[:, 0], ACCEPTED), self.ends.copy()
        if is_bad.any():
            out[is_bad] = np.nan
        return out

    def run_part(self, first: int, stop: int) -> None:
        self.worker.run(first, stop)


class SingleStep(StepRows):
    """One state, with everything at hand that a step of it needs."""

    def __init__(self, scheme: StepScheme, row: Array) -> None:
        super().__init__(scheme, row, 1)
        self.state, self.parameters, self.end, self.note = self.y[0], self.given[0], self.ends[0], self.notes[0]
        self.worker.run(0, 0)
        self.run = self.worker.prepared(0, 1)
