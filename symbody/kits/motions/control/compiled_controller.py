"""Model predictive control by one compiled program: `riccati_program` with the horizon that it improves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import finite_number, shown, unknown
from ....summary import Summarized, Summary, summary_rows
from ....whole_files import write_text
from ..parts.problem_parts import Phase, range_at
from ..transcription.node_functions import Array
from .realtime_solver import ControlStep
from .riccati_program import RiccatiProgram, riccati_program

MOST_OPERATIONS: Final = 400_000  # of an iteration: more compile for minutes
FIRST_ITERATIONS: Final = 200
SETTLED: Final = 1e-6  # violation and change of inputs at which the first motion is optimal


@answered_class
class CompiledController(Summarized):
    """A horizon that is optimal from one start, improved for others by a fixed number of interior-point iterations, which
    are one program without loops and memory of its own; made by `Problem.controller`.

    The horizon is divided into equal intervals with constant inputs, and states follow by a step of Runge-Kutta. Without
    bounds and paths this is iLQR. `barrier` is the product of each inequality and its multiplier.

    >>> x, v, F = sb.symbols("x v F", kind="variable")
    >>> problem = sb.kits.motions.Problem("cart")
    >>> go = problem.phase("go", sb.from_equations({x: v, v: F}, inputs=[F]), 2.0).start(x=1, v=0).bounds(F=(-1, 1))
    >>> control = go.cost("state", integral=x**2 + v**2 + 0.1 * F**2) and problem.controller(10, iterations=3)
    >>> step = control.step(x=0.95, v=-0.1)
    >>> step.inputs["F"] > -1, step.violation < 1e-3, control.operations < 4000, control.barrier, control.name
    (True, True, True, 0.0001, 'cart')
    >>> len(control.times), control["x"].shape, control["F"].shape, control.iterations
    (11, (11,), (10,), 3)
    >>> [path.name for path in control.write_c("control")]
    ['iteration.h', 'iteration.c', 'controller.h', 'controller.c']

    See also: `kits.motions.Problem`, `kits.motions.RealTimeSolver`, `kits.motions.ControlStep`.
    """

    def __init__(self, phase: Phase, made: RiccatiProgram, guess: Array, iterations: int, barrier: float) -> None:
        self.name, self.iterations, self.barrier, self._least = phase.owner, iterations, barrier, barrier**0.25
        self._phase, self._made = phase, made
        self._n, self._m = len(phase.form.states), len(phase.form.inputs)
        self.times = np.linspace(0, phase.duration_range[0], len(guess))
        self._x0, self._X = guess[0, : self._n].copy(), guess[1:, : self._n].ravel()
        self._U = guess[:-1, self._n : self._n + self._m].ravel()
        self._S = np.ones(sum(made.inequalities))
        self._Z = np.ones(len(self._S))
        self._settle()

    def _summary(self) -> Summary:
        rows = summary_rows(
            states=", ".join(s.name for s in self._phase.form.states),
            inputs=", ".join(s.name for s in self._phase.form.inputs),
            inequalities=str(len(self._S)),
            operations=str(self.operations),
            iterations=str(self.iterations),
        )
        return Summary(f"Controller of {self.name}: {len(self.times) - 1} intervals", rows)

    @cached_property
    def _run(self) -> Any:
        return sb.compile(self._made.program)

    @property
    def operations(self) -> int:
        """Operations of an iteration."""
        return int(self._made.program.cost.total)

    def __getitem__(self, name: str) -> Array:
        """A state at `times`, or an input in the intervals between them."""
        states, inputs = ([s.name for s in p] for p in (self._phase.form.states, self._phase.form.inputs))
        if name in states:
            return np.vstack([self._x0, self._X.reshape(-1, self._n)])[:, states.index(name)]
        if name not in inputs:
            raise unknown(f"motion {self.name!r}", "state or input", str(name), [*states, *inputs], sb.ModelError)
        return self._U.reshape(-1, self._m)[:, inputs.index(name)]

    def _iterate(self, barrier: float) -> tuple[float, float, float]:
        """Cost and violation before an iteration, and the largest change of an input in it."""
        given = (self._x0, self._X, self._U, *((self._S, self._Z, np.array([barrier])) if len(self._S) else ()))
        found = self._run(*given)
        self._X, U = np.array(found[0]), np.array(found[1])
        if len(self._S):
            self._S, self._Z = np.array(found[2]), np.array(found[3])
        change, self._U = float(np.abs(U - self._U).max()), U
        cost, violation, curvature = map(float, found[-3:])
        if not np.isfinite(U).all() or not curvature > 0:
            names = ", ".join(s.name for s in self._phase.form.inputs)
            raise sb.errors.StudyError(
                f"motion {self.name!r}, controller: the cost is not convex in {names}; give their squares a cost, or a better guess"
            )
        return cost, violation, change

    def _widen(self) -> None:
        """Slacks and multipliers away from zero, from where a bound is left again in a few iterations."""
        least = self._least
        self._S, self._Z = np.maximum(self._S, least), np.maximum(self._Z, least)

    def _settle(self) -> None:
        barrier = 1.0
        for _ in range(FIRST_ITERATIONS):
            _, violation, change = self._iterate(barrier)
            if barrier == self.barrier and max(violation, change / (1 + np.abs(self._U).max())) < SETTLED:
                return
            barrier = max(self.barrier, 0.5 * barrier)
        raise sb.errors.StudyError(
            f"motion {self.name!r}, controller: {FIRST_ITERATIONS} iterations from the guess do not converge: violation {violation:z.3g}, "
            f"inputs change by {change:z.3g}; give a better guess, or widen bounds and paths"
        )

    def step(self, state: Mapping[Any, Any] | None = None, *, shift: float = 0.0, **named: Any) -> ControlStep:
        """Improve the motion for a new start.

        state   states by name; those that are not given stay as they were
        shift   seconds since the last step: the last motion is moved by so much before it is improved

        `violation` and `cost` of the result are those before the last iteration, `residual` is the largest change of an
        input in it.

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=1)
        >>> control = go.cost("cost", integral=x**2 + F**2) and problem.controller(10, iterations=2)
        >>> control.step(x=0.9, shift=0.1).residual < 1e-9
        True
        """
        if shift:
            self._move(finite_number(shift, "step, shift", sb.ModelError))
        names = [s.name for s in self._phase.form.states]
        for key, value in {**(state or {}), **named}.items():
            name = getattr(key, "name", key)
            if name not in names:
                raise unknown(f"motion {self.name!r}, step", "state", str(name), names, sb.ModelError)
            self._x0[names.index(name)] = finite_number(value, f"step, {name}", sb.ModelError)
        self._widen()
        for _ in range(self.iterations):
            cost, violation, change = self._iterate(self.barrier)
        inputs = {s.name: float(u) for s, u in zip(self._phase.form.inputs, self._U, strict=False)}
        return ControlStep(inputs, cost, violation, change)

    def _move(self, shift: float) -> None:
        x = np.vstack([self._x0, self._X.reshape(-1, self._n)])
        self._X = _later(self.times, x, shift)[1:].ravel()
        self._x0 = _later(self.times, x, shift)[0]
        self._U = _later(self.times[:-1], self._U.reshape(-1, self._m), shift).ravel()
        counts = self._made.inequalities
        first, last = counts[0], sum(counts[:-1])
        if counts[1] and len(counts) > 2:
            for rows in (self._S, self._Z):
                inner = rows[first:last].reshape(-1, counts[1])
                rows[first:last] = _later(self.times[1:-1], inner, shift).ravel()

    def write_c(self, folder: str | Path) -> tuple[Path, ...]:
        """Write the controller as C99: `control_step(state, input)` takes the iterations, with its memory in static arrays
        that begin with the motion of now. It allocates nothing and every call takes the same number of operations.
        """
        sizes = {"X": self._X, "U": self._U, **({"S": self._S, "Z": self._Z} if len(self._S) else {})}
        names = ", ".join(sizes)
        news = ", ".join(f"new_{k}" for k in sizes)
        barrier = ", mu" if len(self._S) else ""
        least = repr(self._least)
        widened = [f"        {k}[k] = {k}[k] > {least} ? {k}[k] : {least};" for k in "SZ"]
        lines = ["#include <string.h>", '#include "iteration.h"', '#include "controller.h"', ""]
        for k, values in sizes.items():
            lines.append(f"static double {k}[{len(values)}] = {{{', '.join(map(repr, values.tolist()))}}};")
            lines.append(f"static double new_{k}[{len(values)}];")
        if barrier:
            lines.append(f"static const double mu[1] = {{{self.barrier!r}}};")
        lines += [
            "",
            f"double control_step(const double state[{self._n}], double input[{self._m}])",
            "{",
            "    double cost, violation = 0.0, curvature;",
            *([f"    for (int k = 0; k < {len(self._S)}; k++) {{", *widened, "    }"] if barrier else []),
            f"    for (int k = 0; k < {self.iterations}; k++) {{",
            f"        iteration(state, {names}{barrier}, {news}, &cost, &violation, &curvature);",
            *(f"        memcpy({k}, new_{k}, sizeof {k});" for k in sizes),
            "    }",
            f"    memcpy(input, U, {self._m} * sizeof *input);",
            "    return violation;",
            "}",
        ]
        head = f"/* Inputs for a state of {self.name}; returns the violation before the last iteration. */"
        head += f"\ndouble control_step(const double state[{self._n}], double input[{self._m}]);\n"
        paths = (*sb.c_source(self._made.program).write(folder), Path(folder) / "controller.h", Path(folder) / "controller.c")  # fmt: skip
        write_text(paths[2], head)
        write_text(paths[3], "\n".join(lines) + "\n")
        return paths


def _later(times: Array, rows: Array, shift: float) -> Array:
    return np.column_stack([np.interp(times + shift, times, c) for c in rows.T])


def compiled_controller(problem: Any, intervals: Any, iterations: Any, barrier: Any) -> CompiledController:
    """Checked: one phase of fixed duration whose end is free but for bounds."""
    where = f"motion {problem.name!r}, controller"
    for what, number in (("intervals", intervals), ("iterations", iterations)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise sb.ModelError(f"{where}: {what}= must be a positive whole number, got {shown(number)}")
    mu = finite_number(barrier, f"{where}, barrier", sb.ModelError)
    if mu <= 0:
        raise sb.ModelError(f"{where}: barrier= must be positive, got {shown(barrier)}")
    if len(problem.phases) != 1 or problem.chosen or problem.links or problem.repetitions:
        raise sb.ModelError(f"{where}: is for one phase, without chosen parameters and repetitions")
    (phase,) = problem.phases.values()
    _refuse(phase, where)
    made = riccati_program(phase, intervals)
    if made.program.cost.total > MOST_OPERATIONS:
        raise sb.ModelError(
            f"{where}: an iteration has {made.program.cost.total} operations, more than {MOST_OPERATIONS}; use fewer intervals, or realtime()"
        )
    transcription = problem.transcription(intervals, "trapezoidal")
    guess = transcription.guess[transcription.meshes[phase.name].index]
    return CompiledController(phase, made, guess, iterations, mu)


def _refuse(phase: Phase, where: str) -> None:
    low, high = phase.duration_range
    if low < high:
        raise sb.ModelError(f"{where}: is for a fixed duration, got {low:g} to {high:g} s")
    if not phase.form.is_explicit and phase.form.unknowns:
        raise sb.ModelError(f"{where}: needs form='explicit'")
    if not phase.form.inputs:
        raise sb.ModelError(f"{where}: phase {phase.name!r} has no inputs")
    fixed = [s.name for s in phase.form.states if np.ptp(range_at(phase, s, "end")) == 0]
    equal = [p.name for p in phase.paths if p.range[0] == p.range[1]]
    told = [*(f"the end of {n}" for n in fixed), *(f"path {n!r}" for n in equal), *(f"condition {c.name!r}" for c in phase.conditions)]  # fmt: skip
    told += [f"integral {c.name!r}" for c in phase.integrals] + [f"complementary {c.name!r}" for c in phase.products]
    if told:
        raise sb.ModelError(
            f"{where}: {told[0]} is fixed or not a bound; give a cost at the end, a range, or use realtime()"
        )
    if any(c.at == "start" for c in phase.costs):
        raise sb.ModelError(f"{where}: costs at the start do not change with the inputs")
