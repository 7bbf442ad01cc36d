"""Machines that have done their work, kept for the next task of the same shape.

To make a machine takes longer than a short motion: records, tables of pointers, memory. So `simulate` again on the same
equations takes one that is idle, as it was when it was new, with other numbers; so does a mode that begins again.
Machines of forms that remember states, and of branches with parameters of their own, are made anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...progress import working
from ..forms.bordering import parts
from ..kernels.tableaux import Tableau
from .machine import Machine, Task
from .methods import machine_of

MAX_IDLE: Final = 2  # idle machines of one shape
MAX_IDLE_BYTES: Final = 4_000_000  # memory that an idle machine may hold


def machine_for(method: str | Tableau, task: Task, progress: bool | None = None) -> Machine:
    """A machine for a task: an idle one, or a new one, with a line that shows that it is compiled."""
    try:
        return _idle(method, task).pop().renewed(task)
    except IndexError:
        with working(f"compile {task.form.equations.name}", progress):
            return machine_of(method, replace(task, p=task.p.copy()))


def give_back(method: str | Tableau, machine: Machine) -> None:
    """Keep a machine that is no longer referenced for the next simulation."""
    idle = _idle(method, machine.task)
    if len(idle) < MAX_IDLE and machine.bytes < MAX_IDLE_BYTES:
        idle.append(machine)


def _idle(method: str | Tableau, task: Task) -> list[Machine]:
    if task.form.remembers or parts(task.form.equations):
        return []
    shape = (
        method,
        task.step is None,
        None if task.times is None else len(task.times),
        task.watch,
        task.sense,
        task.patience,
        task.switching.shape,
    )
    return task.form.cached("idle machines", shape, list)
