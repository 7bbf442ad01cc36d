"""Equations for a GPU: functions of one module, with numbers for what does not differ between members; of a form its
rates, projection and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Expr, Symbol, symbol
from ...algebra.graph.walk import scalars, substitute_all
from ...derivation.equations.equations import Equations
from ...emit.llvm.device_loops import DeviceFunction, DeviceModule
from ...emit.lowering.lower import program
from ...emit.lowering.register_fit import REGISTERS, fitting_program
from ...emit.programs.program import Program
from ..events.events import ROUNDING_LEVEL, watched_values
from ..events.switching_times import Switching, closed_switching_times
from ..forms import projection
from ..forms.forms import Form
from ..forms.independent_speeds import LIMIT, UNLIMITED
from ..kernels.next_switching import SwitchingTimes
from ..members.event_table import WHICH

TOLERANCES: Final = {"double": projection.SATISFIED, "float": 3e-6}  # violations of constraints that count as none
EPSILONS: Final = {"double": 2.2e-16, "float": 1.2e-7}


class DeviceFunctions:
    """Functions of time, a state y and parameters in a module for a card. `bake` are the numbers, `parameters` the symbols
    that are left."""

    def __init__(
        self,
        equations: Equations,
        y: Sequence[Symbol],
        known: Sequence[Symbol],
        bake: Mapping[Symbol, float],
        module: DeviceModule,
    ) -> None:
        self.equations, self.y, self.module, self.bake = equations, tuple(y), module, dict(bake)
        self.parameters = tuple(s for s in known if s not in self.bake)
        self.costs: dict[str, int] = {}  # operations of each function

    def program(
        self, name: str, outputs: Mapping[str, Any], more: Mapping[str, Any] | None = None, factored: bool = True
    ) -> Program:
        groups = {"t": self.equations.t, "y": list(self.y), **(more or {}), "p": list(self.parameters)}
        return program(name, groups, outputs, bake=self.bake, factored=factored)

    def function(
        self, name: str, outputs: Mapping[str, Any], more: Mapping[str, Any] | None = None, is_inlined: bool = True
    ) -> DeviceFunction:
        return self._fitting(name, list(outputs), [list(outputs.values())], more or {}, is_inlined)

    def long_function(
        self, name: str, outputs: Mapping[str, Any], more: Mapping[str, Any] | None = None
    ) -> DeviceFunction:
        """A function whose values are far too many for registers, in whatever order they are computed."""
        made = self.program(name, outputs, more)
        self.costs[name] = made.cost.total
        return self.module.program(name, made, 2 + len(more or {}), is_inlined=True)

    def _fitting(
        self, name: str, outputs: Sequence[str], ways: Sequence[Any], more: Mapping[str, Any], is_inlined: bool
    ) -> DeviceFunction:
        """The function of one of several ways to the same outputs, whose values fit into a thread's registers."""

        def made(way: Sequence[Any], factored: bool) -> Program:
            return self.program(name, dict(zip(outputs, way, strict=True)), more, factored)

        found = fitting_program(ways, made, REGISTERS[self.module.real])
        self.costs[name] = found.cost.total
        return self.module.program(name, found, 2 + len(more), is_inlined)

    def sample(self, things: Sequence[Any]) -> tuple[DeviceFunction, int]:
        """Outputs side by side, and how many numbers they are."""
        entries: list[Expr] = [e for x in things for e in scalars(x)]
        return self.function("sample", {"x": entries}), len(entries)

    @property
    def epsilon(self) -> float:
        """Unit roundoff of its numbers."""
        return EPSILONS[self.module.real]

    def switching(self, found: Switching, has_events: bool) -> SwitchingTimes:
        """Switching times that are known in closed form; those that are searched for along a motion are not for GPUs."""
        lines = {"lines": list(found.written)}
        made = SwitchingTimes(
            count=found.count, is_told=int(has_events and found.count > 0), rounding=self.epsilon, first=found.first, knots=found.knots,
            lines=found.lines.copy(), lines_at=self.function("switching_lines", lines, is_inlined=False) if found.written else None,
        )  # fmt: skip
        known = ("count", "is_told", "rounding", "first", "knots", "lines_at", "sample")
        return made.know(*known) if found.written else made.know(*known, "lines")

    def reset(self, after: Sequence[Expr]) -> DeviceFunction:
        """The state after event k, one program for all of them: k is an input."""
        return self.module.program("reset", self.program("reset", {"x": after}, {"which": WHICH}), 3, is_inlined=False)


class DeviceForm(DeviceFunctions):
    """Those of a form."""

    def __init__(self, form: Form, bake: Mapping[Symbol, float], real: str) -> None:
        numbers = {**bake, **({} if form.choice is None else {LIMIT: UNLIMITED})}
        super().__init__(form.equations, form.y, form.parameters, numbers, DeviceModule(real))
        self.form = form

    def closed_switching(self, rtol: float, has_events: bool) -> SwitchingTimes:
        return self.switching(closed_switching_times(self.form, rtol), has_events)

    def rhs(self, is_inlined: bool = True) -> DeviceFunction:
        form = self.form
        ways = [[list(way)] for way in ([form.rates] if form.ways is None else form.ways())]
        return self._fitting("rates", ["dy"], substitute_all(ways, self.bake), {}, is_inlined)

    def rates_of_positions(self) -> DeviceFunction:
        return self.function("position_rates", {"dq": list(self.form.rates[: len(self.form.equations.q)])})

    def along(self) -> DeviceFunction | None:
        form = self.form
        if not (form.settles and form.chosen):
            return None
        changes = tuple(symbol(f"change_of_{s.name}", "variable") for s in form.y)
        left = projection.left_of(form.equations, form.chosen, changes, form.metric)
        return self.function("along", {"x": left}, {"changes": list(changes)}, is_inlined=False)

    def watch(self, functions: Sequence[Expr]) -> tuple[DeviceFunction, DeviceFunction]:
        """Event functions with their rates, and what of them is rounding."""
        values, terms = watched_values(self.form, functions)
        share = ROUNDING_LEVEL * EPSILONS[self.module.real] / EPSILONS["double"]
        watch = self.function("watch", {"g": values}, is_inlined=False)
        return watch, self.function("rounding", {"g": [share * abs(e) for e in terms]}, is_inlined=False)

    def settle(self, is_inlined: bool = True) -> DeviceFunction | None:
        """The way back to the constraints, or None."""
        form = self.form
        if not form.settles:
            return None
        functions = {
            name: self.function(name, outputs, is_inlined=is_inlined) for name, outputs in form.corrections.items()
        }
        corrections = projection.Corrections(
            n=form.n, n_q=len(form.equations.q), n_u=len(form.equations.u), is_alone=int(form.metric == "mass"),
            tolerance=TOLERANCES[self.module.real], violation=np.zeros(1), w=np.zeros(form.n), **functions,
        ).know("tolerance")  # fmt: skip
        supplied = ("t", "y", "out", "note")
        return self.module.kernel("settle", projection.settle, supplied, corrections=corrections)
