"""A step of an explicit Runge-Kutta method as one program on the graph, whose members run side by side in vector registers.

    k_i = f(t + c_i h, y + h Σ_j a_ij k_j),    y⁺ = y + h Σ b_i k_i

For short equations without events and constraints; others take their steps in a loop (`ensemble_steps.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from ...algebra.graph.graph import Expr, as_expr
from ...algebra.graph.matrix import sum_of_products
from ...algebra.graph.walk import substitute_all
from ...emit.loops.kernel_language import Function, Mutable, Numbers, is_finite
from ...emit.loops.records import Struct
from ...emit.run.callable import Compiled
from ...emit.run.loop_callee import program_callee
from ..forms.forms import Form
from ..kernels.march_records import DONE, NOT_FINITE
from ..members.ensemble import EnsembleTask
from .step_schemes import StepRows

LONGEST: Final = 5000  # operations of a step that is one program; longer ones take long to compile, and gain little
SEQUENTIAL_MEMBERS: Final = 16  # members up to which they are moved one after another


def whole_step(task: EnsembleTask) -> Compiled | None:
    """The program of a step of (t, y, p); None where a step takes more than stages, or is long."""
    form, eq = task.form, task.form.equations
    is_plain = not (eq.lam or form.settles or form.choice or form.remembers or eq.sampling or task.switching.count)
    if task.events is not None or not is_plain or any(form.algebraic):
        return None
    rates, method = form.rhs_program.program, task.tableau
    if rates.externals or rates.cost.total * method.stages > LONGEST:
        return None
    said = f"{method.A}|{method.C}|{method.stages}|{task.step!r}"
    return form.cached("whole step", said, lambda: form.kept("step", lambda: {"end": end_of_step(form, task)}, of=said))


def end_of_step(form: Form, task: EnsembleTask) -> list[Expr]:
    """y⁺ of a step."""
    method, h, rates = task.tableau, task.step or 0.0, list(form.rates)
    stages: list[list[Expr]] = []

    def ahead(row: Mapping[int, object]) -> list[Expr]:
        weights = [as_expr(h * float(x)) for x in row.values()]  # type: ignore[arg-type]
        return [y + sum_of_products(weights, [stages[j][i] for j in row]) for i, y in enumerate(form.y)]

    for c, row in zip(method.C[: method.stages], ({}, *method.rows), strict=False):
        at = dict(zip(form.y, ahead(row), strict=True)) | {form.equations.t: form.equations.t + h * c}
        stages.append(substitute_all(rates, at) if row else rates)
    return ahead(method.rows[method.stages - 1])


class WholeMembers(Struct):
    """Members `first` to `stop`, one after another: rows of starts and ends (n numbers), of parameters (n_p) and notes."""

    first: Mutable[int]
    stop: Mutable[int]
    n: int
    n_p: int
    n_notes: int
    substeps: int
    h: float
    starts: Numbers
    given: Numbers
    ends: Numbers
    noted: Numbers
    y: Numbers
    take: Function


def step_whole_members(m: WholeMembers) -> None:
    for k in range(m.first, m.stop):
        for i in range(m.n):
            m.y[i] = m.starts[k * m.n + i]
        end = m.ends[k * m.n :]
        for step in range(m.substeps):
            m.take((float(step) * m.h, m.y, m.given[k * m.n_p :]), (end,))
            for i in range(m.n):
                m.y[i] = end[i]
        m.noted[k * m.n_notes] = float(DONE)
        for i in range(m.n):
            if not is_finite(end[i]):
                m.noted[k * m.n_notes] = float(NOT_FINITE)


class WholeWorker:
    """Steps of one thread: of many members side by side, of few one after another."""

    def __init__(self, task: EnsembleTask, take: Compiled, rows: StepRows) -> None:
        self._rows, self._take, self._effort = rows, take, task.form.effort
        self._h = task.step or 0.0
        self._substeps = round((task.end - task.begin) / self._h)
        self._loop = WholeMembers(
            n=rows.y.shape[1], n_p=rows.given.shape[1], n_notes=rows.notes.shape[1], substeps=self._substeps, h=self._h, starts=rows.y,
            given=rows.given, ends=rows.ends, noted=rows.notes, y=np.zeros(rows.y.shape[1]), take=program_callee(take, {}),
        )  # fmt: skip
        self._members = self._effort.loop(step_whole_members, m=self._loop)

    def prepared(self, first: int, stop: int) -> Callable[[], None]:
        """The run of some members, to be called again and again."""
        self._loop.first, self._loop.stop = first, stop
        return self._effort.prepared(self._members)

    def run(self, first: int, stop: int) -> None:
        if stop - first > SEQUENTIAL_MEMBERS:
            self._side_by_side(slice(first, stop))
            return
        self._loop.first, self._loop.stop = first, stop
        self._effort.run(self._members)

    def _side_by_side(self, part: slice) -> None:
        rows, ends = self._rows, self._rows.ends[part]
        begin = rows.y[part]
        for step in range(self._substeps):
            self._take.batch(step * self._h, begin, rows.given[part], threads=1, out=ends)
            begin = ends
        fine = np.isfinite(ends)
        rows.notes[part, 0] = DONE if fine.all() else np.where(fine.all(axis=1), DONE, NOT_FINITE)
