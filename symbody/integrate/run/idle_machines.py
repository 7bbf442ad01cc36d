"""Machines that have done their work, kept for the next task of the same shape.

To make a machine takes longer than a short motion: records, tables of pointers, memory. So `simulate` again on the same
equations takes one that is idle, as it was when it was new, with other numbers. Machines whose events call Python, or
whose parameters follow the motion, are made anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ..forms.bordering import parts
from ..kernels.tableaux import Tableau
from .machine import Machine, Task
from .methods import machine_of

MAX_IDLE: Final = 2  # idle machines of one shape
MAX_IDLE_BYTES: Final = 4_000_000  # memory that an idle machine may hold


def machine_for(method: str | Tableau, task: Task) -> Machine:
    """A machine for a task: an idle one, or a new one."""
    if not _can_be_idle(task):
        return machine_of(method, task)
    try:
        return _idle(method, task).pop().renewed(task)
    except IndexError:
        return machine_of(method, replace(task, p=task.p.copy()))


def give_back(method: str | Tableau, machine: Machine) -> None:
    """Keep a machine that is no longer referenced for the next simulation."""
    if machine.bytes < MAX_IDLE_BYTES and _can_be_idle(machine.task):
        idle = _idle(method, machine.task)
        if len(idle) < MAX_IDLE:
            idle.append(machine)


def _can_be_idle(task: Task) -> bool:
    return task.watch is None and not task.form.remembers and not parts(task.form.equations)


def _idle(method: str | Tableau, task: Task) -> list[Machine]:
    shape = (
        method,
        task.step is None,
        None if task.times is None else len(task.times),
        task.patience,
        task.switching.shape,
    )
    return task.form.cached("idle machines", shape, list)
