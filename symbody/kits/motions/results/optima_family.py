"""Families of optimal motions over a parameter: each begins at the one before, moved along its derivative."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import symbody as sb

from ....errors import shown, unknown
from ....summary import Summarized, Summary, counted, summary_rows
from ..transcription.complementarity import minimum_by_tightening, relaxed_program
from ..transcription.ipopt_solver import SOLVER_WORDS, ipopt, solver_options
from ..transcription.node_functions import Array
from .motion_sensitivity import solution_change
from .optimal_motion import OptimalMotion


@dataclass(frozen=True, repr=False, eq=False)
class OptimaFamily(Summarized, Sequence[OptimalMotion]):
    """Optimal motions over a parameter, in order; made by `Problem.family`. A sequence: family[0], len(family).

    parameter   its name
    values      at which motions were found
    motions     one for each value
    costs       the least cost at each value, and `iterations` of the solver
    outcome     "complete", or why the family ended

    >>> x, v, F = sb.symbols("x v F", kind="variable")
    >>> m = sb.symbol("m")
    >>> problem = sb.kits.motions.Problem("cart")
    >>> push = problem.phase("push", sb.from_equations({x: v, v: F / m}, {m: 1.0}, inputs=[F]), 1.0)
    >>> push = push.start(x=0, v=0).end(x=1, v=0).cost("effort", integral=F**2)
    >>> family = problem.family({"m": [1, 2, 3]}, intervals=10)
    >>> family.costs, family.parameter, family.values, family.outcome, len(family.motions)  # 12 m²
    (array([ 12.,  48., 108.]), 'm', array([1., 2., 3.]), 'complete', 3)
    >>> len(family.iterations)
    3

    See also: `kits.motions.Problem`, `kits.motions.MotionSensitivity`.
    """

    parameter: str
    values: Array
    motions: tuple[OptimalMotion, ...]
    outcome: str

    @property
    def costs(self) -> Array:
        """The costs of all motions."""
        return np.array([m.objective for m in self.motions])

    @property
    def iterations(self) -> tuple[int, ...]:
        """Iterations of the solver, for each motion."""
        return tuple(m.iterations for m in self.motions)

    def _summary(self) -> Summary:
        low, high = (self.values[0], self.values[-1]) if len(self.values) else (np.nan, np.nan)
        rows = summary_rows(
            outcome=self.outcome,
            values=f"{low:z.6g} to {high:z.6g}",
            costs=", ".join(f"{c:z.6g}" for c in self.costs),
            iterations=", ".join(map(str, self.iterations)),
        )
        return Summary(f"Optimal motions over {self.parameter}: {counted(len(self.motions), 'motion')}", rows)

    def __getitem__(self, k: Any) -> Any:
        return self.motions[k]

    def __len__(self) -> int:
        return len(self.motions)

    def __iter__(self) -> Iterator[OptimalMotion]:
        return iter(self.motions)


def optima_family(problem: Any, name: str, values: Any, solve: dict[str, Any]) -> OptimaFamily:
    """Motions over a parameter, from the first value on; parameters of the phases are restored afterwards."""
    where = f"motion {problem.name!r}, family"
    known = {s.name: s for p in problem.phases.values() for s in p.equations.p if s not in problem.chosen}
    if name in {s.name for s in problem.chosen}:
        raise sb.ModelError(f"{where}: {name} is chosen with the motion; leave it out of choose() to vary it")
    if name not in known:
        raise unknown(where, "parameter", name, known, sb.ModelError)
    try:
        numbers = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        numbers = np.full(1, np.nan)
    if numbers.ndim != 1 or not numbers.size or not np.isfinite(numbers).all():
        raise sb.ModelError(f"{where}: expected finite numbers of {name}, got {shown(values)}")
    symbol, found, outcome = known[name], list[OptimalMotion](), "complete"
    phases = [p for p in problem.phases.values() if symbol in p.equations.p]
    kept = [dict(p.parameters) for p in phases]
    try:
        for x in numbers:
            begin = None if not found else _prediction(found[-1], symbol, x)
            for p in phases:
                p.parameters = {**p.parameters, symbol: float(x)}
            motion = problem.solve(**solve) if begin is None else _next(problem, found[-1], begin, solve)
            if not motion.outcome:
                outcome = f"ended at {name} = {x:z.6g}: {motion.outcome}"
                break
            found.append(motion)
    finally:
        for p, numbers_before in zip(phases, kept, strict=True):
            p.parameters = numbers_before
    return OptimaFamily(name, numbers[: len(found)], tuple(found), outcome)


def _prediction(motion: OptimalMotion, symbol: sb.Symbol, value: float) -> Array:
    made = motion.transcription
    old = next(m.phase.parameters[symbol] for m in made.meshes.values() if symbol in m.phase.parameters)
    z = motion.solution.z + (value - old) * solution_change(motion, symbol)[1]
    return np.clip(z, made.program.low, made.program.high)


def _next(problem: Any, before: OptimalMotion, begin: Array, solve: dict[str, Any]) -> OptimalMotion:
    """From a predicted start with the multipliers before; from the motion before without them where that fails."""
    made = problem.transcription(
        solve.get("intervals", 20), solve.get("method", ""), solve.get("degree"),
        {name: m.fractions for name, m in before.transcription.meshes.items()},
    )  # fmt: skip
    options = solver_options(problem.name, **{k: solve[k] for k in SOLVER_WORDS if k in solve})
    warm = (before.solution.row_multipliers, before.solution.bound_multipliers)
    motion = OptimalMotion(problem.name, made, ipopt(relaxed_program(made), begin, options, warm))
    if not motion.outcome:
        again = minimum_by_tightening(made, before.solution.z, options)
        motion = OptimalMotion(problem.name, made, replace(again, iterations=again.iterations + motion.iterations))
    return motion
