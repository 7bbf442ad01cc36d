"""What the projections of a run cost: how often each of their programs is called, and the time they take.

The programs of a projection are called through kernels that count, so that the projections themselves know nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...emit.loops.kernel_language import Function, Known, Mutable, Numbers
from ...emit.loops.records import Struct
from ...emit.run.clock import clock_callee
from ...emit.run.loop_callee import LoopCallee

if TYPE_CHECKING:
    from .forms import Form


class CountedProgram(Struct):
    """A program of a projection, and how often it was called."""

    inner: Function
    calls: Mutable[int]


def call_correction(t: float, y: Numbers, x: Numbers, violation: Numbers, counted: CountedProgram) -> None:
    """One correction of positions, speeds or invariants."""
    counted.inner((t, y), (x, violation))
    counted.calls += 1


def call_newton(t: float, x: Numbers, near: Numbers, w: Numbers, violation: Numbers, counted: CountedProgram) -> None:
    """One Newton step of an orthogonal projection."""
    counted.inner((t, x, near), (w, violation))
    counted.calls += 1


class TimedProjection(Struct):
    """The way back to the constraints, how often it was gone, and the time that took.

    clock   seconds, or absent
    """

    inner: Function
    clock: Known[Function | None]
    calls: Mutable[int]
    seconds: Mutable[float]
    began: Numbers
    ended: Numbers


def call_projection(t: float, y: Numbers, out: Numbers, note: Numbers, timed: TimedProjection) -> None:
    """One projection."""
    if timed.clock is not None:
        timed.clock((t,), (timed.began,))
    timed.inner((t, y), (out, note))
    timed.calls += 1
    if timed.clock is not None:
        timed.clock((t,), (timed.ended,))
        timed.seconds += timed.ended[0] - timed.began[0]


class ProjectionWork:
    """Counts of the projections of one run."""

    def __init__(self) -> None:
        self._programs = list[tuple[str, CountedProgram]]()
        self._projections = list[TimedProjection]()

    def correction(self, name: str, inner: Any) -> LoopCallee:
        """A program of (t, y), counted."""
        return LoopCallee(call_correction, {}, ("x", "violation"), counted=self._counted(name, inner))

    def newton(self, inner: Any) -> LoopCallee:
        """A program of (t, x, near), counted."""
        return LoopCallee(call_newton, {}, ("w", "violation"), counted=self._counted("newton", inner))

    def projection(self, inner: Any) -> LoopCallee:
        """A way back to the constraints, counted and timed."""
        timed = TimedProjection(inner=inner, clock=clock_callee(), began=np.zeros(1), ended=np.zeros(1))
        self._projections.append(timed)
        return LoopCallee(call_projection, {}, ("out", "note"), timed=timed)

    def _counted(self, name: str, inner: Any) -> CountedProgram:
        counted = CountedProgram(inner=inner)
        self._programs.append((name, counted))
        return counted

    def restart(self) -> None:
        """Nothing was done yet."""
        for _, counted in self._programs:
            counted.calls = 0
        for timed in self._projections:
            timed.calls, timed.seconds = 0, 0.0

    def calls(self, name: str) -> int:
        """Of one of the programs: positions, speeds, invariants or newton."""
        return sum(counted.calls for own, counted in self._programs if own == name)

    @property
    def projections(self) -> int:
        return sum(timed.calls for timed in self._projections)

    @property
    def seconds(self) -> float:
        return sum(timed.seconds for timed in self._projections)


# --------------------------------------------------------------------------------------------------------- derivatives


def constraint_derivatives(form: Form, evaluations: int, work: ProjectionWork) -> dict[str, int]:
    """Derivatives of constraints and invariants in a run, under the names that `Statistics` has for them.

    Rates take the Jacobian matrix of the constraints and second derivatives along the motion; corrections take Jacobian
    matrices alone, but for those towards invariants in the unit metric, which go along constraints on speeds; Newton steps
    of orthogonal projections take everything up to third derivatives.
    """
    rows, invariants = len(form.chosen), len(form.invariants)
    if not rows and not invariants:
        return {}
    corrections = {name: work.calls(name) for name in ("positions", "speeds", "invariants", "newton")}
    curved = corrections["invariants"] if form.metric == "unit" else 0
    newton = corrections["newton"]
    return {
        "constraint_jacobians": (evaluations + sum(corrections.values())) if rows else 0,
        "constraint_hessians": rows * (evaluations + curved + newton),
        "constraint_third_derivatives": newton and newton * form.cached("curved", (), lambda: cubic_constraints(form)),
        "invariant_gradients": invariants * (corrections["invariants"] + newton),
        "invariant_hessians": invariants * newton,
    }


def cubic_constraints(form: Form) -> int:
    """How many constraints on positions have third derivatives that do not vanish identically."""
    direction = {q: symbol(f"change_of_{q.name}", "variable") for q in form.equations.q}
    return sum(not _is_zero_third(phi, direction) for phi in form.equations.phi.entries)


def _is_zero_third(phi: Expr, direction: dict[Symbol, Symbol]) -> bool:
    for _ in range(3):
        phi = directional_derivative(phi, direction)
    return phi is ZERO
