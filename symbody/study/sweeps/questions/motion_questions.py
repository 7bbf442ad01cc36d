"""Questions about motions: values at times, at the end, or extremes along the motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from ....argument_kinds import checked_flags
from ....derivation.equations.equations import Equations
from ....emit.run.callable import Array
from ....errors import StudyError, shown
from ....integrate.inputs.meanings import quantity_expressions
from ....integrate.members.batch import Batch, simulate_batch
from ....integrate.result.outcome import Ending
from ....integrate.result.trajectory import Trajectory
from ....integrate.start.consistent_start import StartRequest, consistent_start
from ....integrate.start.state import State
from ....interruption import ended_by_interruption
from .answers import Answers, Schema
from .gpu_motions import GpuMotions
from .questions import Layout, SweptMembers, known_names, one_by_one
from .varied import Varied

VARIABLE: Final = ("coordinate", "speed", "variable", "input", "parameter")


@dataclass(frozen=True)
class MotionQuestion:
    """Motions of equations from a start, and what is kept of them.

    t         end, (begin, end), or times, as in `simulate`
    names     of coordinates, speeds, variables, outputs; all coordinates if there are none
    keep      "times", "end" or "extremes"
    start     values by name, or a state, for all members; a `StartRequest` is placed on the constraints for each member
    options   of `simulate`
    target    "cpu" or "cuda"
    """

    t: Any
    names: tuple[str, ...]
    keep: str
    start: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    target: str = "cpu"

    def prepared(self, varied: Varied, constants: Mapping[str, float]) -> MotionQuestion:
        return self

    def check(self, subject: Any, names: Sequence[str]) -> None:
        if not isinstance(subject, Equations):
            raise StudyError(f"sweep: motions are those of equations, got {shown(subject)}; derive(model) makes them")
        known_names(subject.kinds, names, f"sweep of {subject.name!r}", VARIABLE)
        quantity_expressions(subject, self._names(subject), f"sweep of {subject.name!r}", StudyError)
        if self.keep == "times" and (np.ndim(self.t) != 1 or isinstance(self.t, tuple)):
            raise StudyError(f"sweep of {subject.name!r}: at_times takes an array of times, got {shown(self.t)}")

    def _names(self, eq: Equations) -> tuple[str, ...]:
        return self.names or tuple(q.name for q in eq.q)

    def content(self, subject: Any) -> Any:
        return subject

    def labels(self, subject: Any, names: Iterable[str]) -> Mapping[str, str]:
        """Names of the varied values of the state, which are those at the start."""
        return {n: f"{n}_start" for n in names if n in subject.variables.of("q u z")}

    def layout(self, subject: Any) -> Layout:
        units = self.units(subject, self._names(subject))
        if self.keep == "extremes":
            return {f"{n}_{side}": ((), units.get(n, "")) for n in self._names(subject) for side in ("min", "max")}
        dims = ("t",) if self.keep == "times" else ()
        return {n: (dims, units.get(n, "")) for n in self._names(subject)}

    def coordinates(self, subject: Any) -> Mapping[str, tuple[Array, str]]:
        return {"t": (np.asarray(self.t, dtype=np.float64), "s")} if self.keep == "times" else {}

    def units(self, subject: Any, names: Iterable[str]) -> Mapping[str, str]:
        table = subject.variables.of("q u z r p")
        return {n: table[n].unit for n in names if n in table and table[n].unit}

    def answers(self, subject: Any, members: SweptMembers, schema: Schema | None) -> Answers:
        if self.target == "cuda":
            if isinstance(self.start, StartRequest):
                raise StudyError(
                    f"sweep of {subject.name!r}: starts are not assembled on a GPU; give one that keeps the constraints"
                )
            asked = GpuMotions(self.t, self._names(subject), self.keep == "times", self.start, self.options)
            return one_by_one(lambda some: asked.answers(subject, some), members)
        return one_by_one(lambda some: self._answers_of(subject, some, self._batch(subject, some)), members)

    def _batch(self, eq: Equations, members: SweptMembers) -> Batch:
        options = {"threads": 1, **self.options}
        if isinstance(self.start, StartRequest):
            return Batch(
                tuple(m for values in members.each() for m in self._batch_from_placed_start(eq, values, options))
            )
        return simulate_batch(eq, self.t, self.start, values=dict(members.values), options=options)

    def _batch_from_placed_start(self, eq: Equations, values: dict[str, float], options: Mapping[str, Any]) -> Batch:
        """The motion of one member, from a start on its own constraints."""
        asked = replace(self.start, given={**self.start.given, **values}, firm=(*self.start.firm, *values))
        start = consistent_start(eq, asked).state
        return simulate_batch(eq, self.t, start, options={**options, "inputs": dict(self.start.inputs)})

    def _answers_of(self, eq: Equations, members: SweptMembers, batch: Batch) -> Answers:
        self._refuse_interruption(batch)
        names = self._names(eq)
        messages = {k: str(m.outcome) for k, m in enumerate(batch) if not m.outcome}
        if self.keep == "times":
            length = len(self.t)
            rows = {n: np.array([_padded_values(m, n, length) for m in batch]) for n in names}
        elif self.keep == "end":
            rows = {n: np.array([m[n][-1] if m.outcome else np.nan for m in batch]) for n in names}
        else:
            found = {n: [m.extremes(n) if m.outcome else None for m in batch] for n in names}
            rows = {
                f"{n}_{side}": np.array([np.nan if e is None else getattr(e, side) for e in found[n]])
                for n in names
                for side in ("min", "max")
            }
        return Answers(len(members), rows, messages)

    def _refuse_interruption(self, batch: Batch) -> None:
        if any(m.outcome.ending is Ending.INTERRUPTED for m in batch):
            raise ended_by_interruption("interrupted")


def _padded_values(m: Trajectory, name: str, length: int) -> Array:
    """Values at all times; NaN after the end of a motion that failed."""
    out = np.full(length, np.nan)
    found = m[name] if len(m) else out[:0]
    out[: len(found)] = found
    return out


# ---------------------------------------------------------------------------------------------------------- to ask


@checked_flags(StudyError)
def at_times(
    t: Any, *names: str, start: Any = None, assemble: bool = False, target: str = "cpu", **options: Any
) -> MotionQuestion:
    """Values of variables and outputs at some times: `sb.sweep(eq, over, ask=at_times(np.linspace(0, 5, 51),
    "theta"))`.

    start      initial values as in `simulate`, for all members; varied values replace them
    assemble   project the initial state onto the constraints of each member, keeping varied values exactly
    target     "cuda": all members of a batch at once on a GPU
    options    of `simulate`

    >>> x, k = sb.symbol("x", "variable"), sb.symbol("k")
    >>> eq = sb.from_equations({x: -k * x}, {k: 1.0})
    >>> ask = sb.study.at_times([0.0, 0.5, 1.0], "x", start={"x": 1.0})
    >>> sb.sweep(eq, {"k": [1.0, 2.0]}, ask)["x"]
    array([[1.      , 0.606531, 0.367879],
           [1.      , 0.367879, 0.135335]])

    See also: `sweep`, `study.at_end`, `study.extremes`.
    """
    return MotionQuestion(t, names, "times", _start(start, assemble, options), options, target)


@checked_flags(StudyError)
def at_end(
    t: Any, *names: str, start: Any = None, assemble: bool = False, target: str = "cpu", **options: Any
) -> MotionQuestion:
    """Values of variables and outputs at the end of the motion; the other arguments are those of `at_times`.

    >>> x, k = sb.symbol("x", "variable"), sb.symbol("k")
    >>> eq = sb.from_equations({x: -k * x}, {k: 1.0})
    >>> sb.sweep(eq, {"k": [1.0, 2.0]}, sb.study.at_end(1.0, "x", start={"x": 1.0}))["x"]
    array([0.367879, 0.135335])

    See also: `sweep`, `study.at_times`.
    """
    return MotionQuestion(t, names, "end", _start(start, assemble, options), options, target)


@checked_flags(StudyError)
def extremes(t: Any, *names: str, start: Any = None, assemble: bool = False, **options: Any) -> MotionQuestion:
    """The minimum and maximum of variables and outputs along the motion, including between steps (`theta_min`,
    `theta_max`). The other arguments are those of `at_times`; a pair `t` gives the interval of time.

    >>> x, k = sb.symbol("x", "variable"), sb.symbol("k")
    >>> eq = sb.from_equations({x: -k * x}, {k: 1.0})
    >>> sb.sweep(eq, {"k": [1.0, 2.0]}, sb.study.extremes(1.0, "x", start={"x": 1.0}))["x_min"]
    array([0.367879, 0.135335])

    See also: `sweep`, `study.at_times`.
    """
    span = t if np.ndim(t) == 0 or isinstance(t, tuple) or not len(t) else (t[0], t[-1])
    return MotionQuestion(span, names, "extremes", _start(start, assemble, options), options)


def _start(start: Any, assemble: bool, options: Mapping[str, Any]) -> Any:
    if not assemble:
        return start
    values = start.values if isinstance(start, State) else start or {}
    if not isinstance(values, Mapping):
        raise StudyError(
            f"sweep: a start that is assembled must be a mapping from names to numbers, or a state, got {shown(start)}"
        )
    return StartRequest(dict(values), (), True, {}, dict(options.get("inputs") or {}))
