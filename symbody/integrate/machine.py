"""A method at work on a form: memory, machine code, and what comes out of it in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ..emit.run.callable import Array
from ..emit.run.loop_callee import LoopCallee
from . import explicit
from .explicit import (
    CAPACITY,
    CONTROLS,
    COUNTS,
    END,
    GROWTH,
    LARGEST,
    LIMIT,
    POINTS,
    REQUESTED,
    ROWS,
    RTOL,
    STEPS,
    H,
    T,
)
from .forms import Form
from .tableaux import Tableau

MEMORY: Final = 4_000_000  # numbers kept for stored steps before they are fetched
KNOWN_SIZE: Final = 48  # states up to this size get loops of their own; larger ones share one


@dataclass(frozen=True, eq=False)
class Task:
    """What a machine is to do: a form from a state and parameters to an end, how precisely, and what to report.

    times   where states are wanted, or None: at every step, with polynomials between
    watch   event functions and their rates, each function with the direction in which it counts (`sense`), or None
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


class Machine(Protocol):
    """What `run.py` drives: explicit and implicit methods alike. `control` and `counts` as in `explicit.py`."""

    control: Array
    counts: NDArray[np.int64]
    y: Array
    side: Array
    memory: Memory

    def restart(self) -> None:
        """Take up a state that was changed from outside."""

    def run(self) -> int:
        """Go on; how it ended, as in `explicit.py`."""


class Memory:
    """What machines write results to."""

    def __init__(self, n: int, pieces: int, times: Array | None) -> None:
        capacity = 1 if times is not None else max(16, min(4096, MEMORY // (n * (pieces + 1))))
        self.capacity, self.pieces = capacity, pieces
        self.is_stored = times is None
        self.row_times, self.rows = np.zeros(capacity), np.zeros((capacity, n))
        self.polynomials = np.zeros((capacity, pieces, n))
        self.times = np.zeros(1) if times is None else np.ascontiguousarray(times, dtype=np.float64)
        self.at_times = np.zeros((len(self.times), n))
        self.requested = 0 if times is None else len(times)

    @property
    def arguments(self) -> dict[str, Array]:
        """As kernels call them."""
        return {
            "times": self.times, "at_times": self.at_times, "row_times": self.row_times, "rows": self.rows,
            "polynomials": self.polynomials,
        }  # fmt: skip


class ExplicitMachine:
    """Explicit Runge-Kutta steps (`explicit.march`)."""

    def __init__(self, tableau: Tableau, task: Task) -> None:
        form, n = task.form, task.form.n
        self.control, self.counts = controls(task), np.zeros(COUNTS, dtype=np.int64)
        self.y = np.array(task.y, dtype=np.float64)
        self.memory = memory = Memory(n, tableau.pieces, task.times)
        self.counts[[CAPACITY, REQUESTED]] = memory.capacity, memory.requested
        watched, self.side = len(task.sense), sides(task)
        k = np.zeros((tableau.width, n))
        rhs, settle, along = form.rhs(task.p), form.settle(task.p), form.along(task.p)
        fixed = {
            "stages": tableau.stages, "A": tableau.A, "C": tableau.C, "width": tableau.width, "pieces": tableau.pieces,
            "E": tableau.E, "D": tableau.D,
            "estimates": len(tableau.errors), "order": tableau.control, "adaptive": int(task.step is None),
            "settles": int(settle is not None), "judges": int(along is not None), "stored": int(memory.is_stored), "watches": int(watched > 0),
        } | ({"n": n} if n <= KNOWN_SIZE else {})  # fmt: skip
        self._march = LoopCallee(
            explicit.march, fixed, n=n, control=self.control, counts=self.counts, y=self.y, k=k,
            w=np.zeros((4 + tableau.pieces) * n + 8), atol=task.atol, **memory.arguments,
            **watching(task), side=self.side, rhs=rhs, settle=settle or rhs, watch=task.watch or rhs,
            along=along or rhs, aside=np.zeros(2 * n),
        )  # fmt: skip
        self._evaluate = LoopCallee(explicit.refresh, {}, control=self.control, y=self.y, k=k, rhs=rhs)
        self.restart()

    def restart(self) -> None:
        self._evaluate.run()

    def run(self) -> int:
        return self._march.run()


def controls(task: Task) -> Array:
    control = np.zeros(CONTROLS)
    control[[T, END, RTOL, LARGEST, GROWTH]] = task.t, task.end, task.rtol, task.max_step, task.max_growth
    control[H] = 0.0 if task.step is None else np.copysign(task.step, task.end - task.t)
    return control


def sides(task: Task) -> Array:
    """Where event functions are: the sign of each, 0 where it is not known; then what of each is rounding."""
    return np.zeros(2 * len(task.sense) + 1)


def watching(task: Task) -> dict[str, Any]:
    """What kernels need to find events (`explicit.first_crossing`)."""
    watched = len(task.sense)
    return {"watched": watched, "g": np.zeros(6 * watched + 1), "sense": np.array([*task.sense, 0], dtype=np.int64)}


def pause(machine: Machine, steps: int) -> None:
    """Let the machine stop after some more steps, to look around."""
    machine.counts[LIMIT] = machine.counts[STEPS] + steps


def fetched(machine: Machine) -> tuple[Array, Array, Array]:
    """Steps stored since the last time: their ends, states and polynomials."""
    n, m = int(machine.counts[ROWS]), machine.memory
    machine.counts[ROWS] = 0
    return m.row_times[:n].copy(), m.rows[:n].copy(), m.polynomials[:n].copy()


def points(machine: Machine) -> Array:
    """States at the requested times, as far as they were reached."""
    return machine.memory.at_times[: int(machine.counts[POINTS])]
