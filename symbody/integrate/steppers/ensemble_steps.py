"""Steps of a form by an explicit method for a stepper: the members of `ensemble.py` over one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...algebra.graph.graph import Symbol
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ..events.switching_times import step_switching_times
from ..forms.independent_speeds import UNLIMITED
from ..forms.sensitivities import varied_form
from ..members.ensemble import EnsembleRows, EnsembleTask, Worker
from ..members.members import NOTES
from .step_schemes import StepRows, StepWorker
from .whole_steps import WholeWorker, whole_step


@dataclass(frozen=True, eq=False)
class EnsembleSteps:
    """Steps that a task makes; its form may carry variations."""

    task: EnsembleTask

    @property
    def equations(self) -> Equations:
        return self.task.form.equations

    @property
    def variables(self) -> tuple[Symbol, ...]:
        return self.task.form.y

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        return self.task.form.parameters

    @property
    def wrt(self) -> tuple[Symbol, ...]:
        form = self.task.form.variations
        return () if form is None else form.wrt

    @property
    def n_notes(self) -> int:
        return len(NOTES)

    def row(self, values: Mapping[str, float]) -> Array:
        out = np.array([values.get(s.name, 0.0) for s in self.parameters])
        if self.task.form.choice is not None:
            out[-1] = UNLIMITED
        return out

    def worker(self, rows: StepRows) -> StepWorker:
        if (take := whole_step(self.task)) is not None:
            return WholeWorker(self.task, take, rows)
        none = np.zeros((len(rows.y), 0, len(self.variables) + 2))
        results = EnsembleRows(np.zeros_like(rows.y), rows.ends, rows.notes, none)
        return Worker(self.task, rows.y, rows.given, None, results, np.ones(1))

    def varied(self, names: Sequence[str]) -> EnsembleSteps:
        form, table = varied_form(self.task.form, names, "nearest"), self.task.events
        if table is not None:
            maps = tuple(form.map_through(f, m) for f, m in zip(table.functions, table.maps, strict=True))
            table = replace(table, maps=maps)
        atol = np.tile(self.task.atol, 1 + len(form.wrt))
        switching = step_switching_times(form, table is not None)
        return EnsembleSteps(replace(self.task, form=form, atol=atol, events=table, switching=switching))
