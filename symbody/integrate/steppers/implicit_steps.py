"""Steps of a form by an implicit method for a stepper: for stiff equations, and for those whose energy must not drift."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import Symbol
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array, Compiled
from ...emit.run.loop_callee import program_callee
from ..events.switching_times import step_switching_times
from ..forms.forms import Form
from ..forms.independent_speeds import UNLIMITED
from ..forms.sensitivities import varied_form
from .implicit_members import ImplicitMembers, step_implicit_members
from .step_schemes import StepRows


@dataclass(frozen=True)
class ImplicitTableau:
    """Coefficients of a diagonally implicit Runge-Kutta method."""

    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]

    @property
    def c(self) -> tuple[float, ...]:
        return tuple(sum(row) for row in self.a)


_G: Final = 0.43586652150845899942  # of x³ - 3 x² + 3/2 x - 1/6 = 0
_B: Final = (-(6 * _G**2 - 16 * _G + 1) / 4, (6 * _G**2 - 20 * _G + 5) / 4, _G)
IMPLICIT: Final = {
    "implicit-midpoint": ImplicitTableau(((0.5,),), (1.0,)),  # of order 2, symmetric
    "sdirk3": ImplicitTableau(
        ((_G, 0.0, 0.0), ((1 - _G) / 2, _G, 0.0), _B), _B
    ),  # of order 3, L-stable (Alexander 1977)
}


@dataclass(frozen=True, eq=False)
class ImplicitSteps:
    """Steps of length h of a form, so many in one of the stepper; its form may carry variations."""

    form: Form
    tableau: ImplicitTableau
    h: float
    substeps: int

    @property
    def equations(self) -> Equations:
        return self.form.equations

    @property
    def variables(self) -> tuple[Symbol, ...]:
        return self.form.y

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        return self.form.parameters

    @property
    def wrt(self) -> tuple[Symbol, ...]:
        form = self.form.variations
        return () if form is None else form.wrt

    @property
    def n_notes(self) -> int:
        return 1

    @property
    def seeds(self) -> tuple[Symbol, ...]:
        """Parameters that change with a column."""
        return tuple(s for s in self.wrt if s in self.parameters)

    def row(self, values: Mapping[str, float]) -> Array:
        out = np.array([values.get(s.name, 0.0) for s in self.parameters])
        if self.form.choice is not None:
            out[-1] = UNLIMITED
        return out

    def slopes(self) -> Compiled:
        """∂f/∂(y, seeds), dense."""
        form, seeds = self.form.state, self.seeds
        return form.cached("slopes of steps", seeds, lambda: _slopes(form, seeds))

    def worker(self, rows: StepRows) -> ImplicitWorker:
        return ImplicitWorker(self, rows)

    def varied(self, names: Sequence[str]) -> ImplicitSteps:
        return replace(self, form=varied_form(self.form, names, "nearest"))


def _slopes(form: Form, seeds: tuple[Symbol, ...]) -> Compiled:
    return form.compiled("slopes_of_steps", {"J": list(jacobian(list(form.rates), (*form.y, *seeds)).entries)})


class ImplicitWorker:
    """Memory and machine code of one thread."""

    def __init__(self, scheme: ImplicitSteps, rows: StepRows) -> None:
        form, table, columns = scheme.form.state, scheme.tableau, len(scheme.wrt)
        n, stages, width = form.n, len(table.b), form.n + len(scheme.seeds)
        p = np.zeros(max(len(form.parameters), 1))
        seed = [scheme.seeds.index(s) if s in scheme.seeds else -1 for s in scheme.wrt]
        size = n * (1 + columns)
        self._loop = ImplicitMembers(
            n=n, n_p=len(form.parameters), columns=columns, width=width, stages=stages, substeps=scheme.substeps, length=scheme.h, h=scheme.h,
            switching=step_switching_times(form, has_events=False).record(p),
            a=np.array(table.a).ravel(), b=np.array(table.b), c=np.array(table.c), starts=rows.y, given=rows.given, ends=rows.ends, noted=rows.notes,
            p=p, seed=np.array([*seed, -1], dtype=np.int64), rhs=form.rhs(p), slopes=program_callee(scheme.slopes(), {"p": p}),
            settle=scheme.form.settle(p), borders=form.fitted_borders(p), y=np.zeros(size), Y=np.zeros(size), f=np.zeros(n), k=np.zeros(stages * n),
            K=np.zeros(stages * n * columns + 1), J=np.zeros(n * width), matrix=np.zeros(n * n), pivots=np.zeros(n, dtype=np.int64), step=np.zeros(n),
            note=np.zeros(8),
        )  # fmt: skip
        self._effort = form.effort
        self._members = self._effort.loop(step_implicit_members, m=self._loop)

    def run(self, first: int, stop: int) -> None:
        self._loop.first, self._loop.stop = first, stop
        self._effort.run(self._members)

    def prepared(self, first: int, stop: int) -> Callable[[], None]:
        self._loop.first, self._loop.stop = first, stop
        return self._effort.prepared(self._members)
