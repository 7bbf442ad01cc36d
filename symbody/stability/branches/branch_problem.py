"""`BranchProblem`: the rows of a steady motion with one value freed, whose solutions are a curve.

A branch is the set of steady motions with one of the given values freed: a parameter, an input, or a prescribed value.
It becomes an unknown; the rows are unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.calculus.evaluate import evaluate
from ...algebra.calculus.jets import directional_forms
from ...algebra.graph.graph import Symbol
from ...algebra.graph.walk import free_symbols
from ...algebra.nonlinear.continuation import Bound, SolutionCurve
from ...algebra.nonlinear.trust_region import Rank
from ...emit.run.callable import Array
from ...errors import StabilityError, listed
from ..equilibria.steady_motion import SteadyMotion
from ..equilibria.steady_problem import steady_problem
from .hopf_form import FullRows
from .motion_family import FreedProblem, freed_conditions

Places = NDArray[np.intp]
DIFFERENCE_STEP: Final = 1e-5  # step of finite differences relative to the unknowns or their sizes
# perturbation of a start relative to the unknowns' sizes, which separates structural from accidental rank
PERTURBATION: Final = 1e-3


class BranchProblem(FreedProblem):
    """A steady motion with one value freed, in numbers.

    motion     the start; its other parameters are held
    rows       `problem`: rows and their Jacobian in all unknowns, the freed one last
    moving     indices of the unknowns that the rows determine up to one degree of freedom; the others (`held`) are
               constant: cyclic coordinates, multipliers that redundant constraints leave undetermined
    """

    def __init__(self, motion: SteadyMotion, name: str, low: float, high: float, values: Mapping[str, float]) -> None:
        self.equations, self.low, self.high = motion.equations, low, high
        self.begun, self.given_values = motion, dict(values)
        self._made_from = motion, name, low, high, self.given_values
        self.freed = freed_conditions(motion, name)
        self.problem, given = steady_problem(
            motion.equations, self.freed.conditions, self.freed.fixed, self.freed.unknowns, motion.problem
        )
        self.start, self.parameters = self._start_and_parameters(motion, values, given)
        self.p = self.problem.numbers({**self.parameters, **given})
        self.moving = self._moving()

    def __reduce__(self) -> Any:
        """Compiled functions stay behind; the same question makes them again."""
        return BranchProblem, self._made_from

    def _start_and_parameters(
        self, motion: SteadyMotion, values: Mapping[str, float], given: Mapping[Symbol, float]
    ) -> tuple[Array, dict[Symbol, float]]:
        """All unknowns at the start, and the numbers of the parameters."""
        eq, varied = motion.equations, self.freed.varied
        table = eq.variables.of("p").having(motion.parameters, "p").only(motion.parameters)
        numbers = {**motion.defaults, **table.numbers(values, f"branch of {eq.name!r}", StabilityError)}
        if varied in numbers:
            numbers[varied] = float(np.clip(numbers[varied], self.low, self.high))
        if missing := [s.name for s in motion.parameters if s not in numbers]:
            raise StabilityError(
                f"branch of {eq.name!r}: no value for {listed(missing)}; give branch(..., {missing[0]}=...)"
            )
        here = motion.solve({s: numbers[s] for s in motion.parameters}) if motion.unknowns else {}
        known = {**numbers, **here}
        known |= {s: float(evaluate(e, known)) for s, e in motion.expressions.items() if s not in known}
        if varied not in known:
            (row,) = [r for r in self.freed.conditions.rows if varied in free_symbols(r.expression)]
            known[varied] = float(evaluate(row.expression, {**known, varied: 0.0}))
        parameters = {s: numbers[s] for s in self.problem.parameters if s not in given}
        return np.array([known[s] for s in self.problem.unknowns]), parameters

    def _moving(self) -> Places:
        """Unknowns that are not held: as many are held as the rows leave undetermined in addition to the curve
        itself, also next to the start."""
        unknowns, cyclic = self.problem.unknowns, set(self.freed.conditions.cyclic)
        open_ones = [j for j, s in enumerate(unknowns) if s in cyclic or s.kind in ("multiplier", "acceleration")]
        moving = without_dependent(self._slopes(self.start), open_ones, np.arange(len(unknowns)))
        draw = np.random.default_rng(7).uniform(-1, 1, len(unknowns))
        beside = self._slopes(self.start + PERTURBATION * draw * np.maximum(np.abs(self.start), 1.0))
        for _ in range(len(unknowns)):
            null = min(
                (Rank.of(J[:, moving]).null_space for J in (self._slopes(self.start), beside)), key=lambda N: N.shape[1]
            )
            if null.shape[1] <= 1:
                return moving
            candidates = [int(j) for j in moving[:-1]]
            fewer = without_dependent(beside, candidates, moving)
            if len(fewer) == len(moving):
                return moving
            moving = fewer
        return moving

    def _slopes(self, x: Array) -> Array:
        return self.rows_at(x)[1]

    def rows_at(self, x: Array) -> tuple[Array, Array]:
        """Rows and slopes in all unknowns."""
        return self.problem.rows_and_slopes(x, self.p)

    # ------------------------------------------------------------------------------------------------ the curve

    def whole(self, moving: Array) -> Array:
        """All unknowns, from those that move."""
        x = self.start.copy()
        x[self.moving] = moving
        return x

    def rows_of_moving(self, x: Array) -> tuple[Array, Array]:
        """Rows and slopes in the unknowns that move."""
        r, J = self.rows_at(self.whole(x))
        return r, J[:, self.moving]

    @cached_property
    def sizes(self) -> Array:
        """Angles in radians, the freed value in parts of its range, others in units in which they weigh as much in the
        rows."""
        system = self.problem.system(dict(zip(self.problem.parameters, self.p, strict=True)))
        sizes = self.problem.metric(system, self.start).sizes.copy()
        sizes[-1] = self.high - self.low
        return sizes[self.moving]

    def curve(self, step: float = 0.01, max_step: float = 0.04) -> SolutionCurve:
        """The rows as a curve, with its first and largest step."""
        return SolutionCurve(self.rows_of_moving, self.sizes, self._typical_slopes, step, max_step)

    @cached_property
    def _typical_slopes(self) -> Array:
        """Derivatives at the start and next to it: a row that is zero at the start is not so elsewhere."""
        draw = np.random.default_rng(11).uniform(-1, 1, len(self.moving))
        x = self.start[self.moving]
        beside = x + np.where(np.isfinite(self.sizes), PERTURBATION * self.sizes, 0.0) * draw
        here, there = (np.abs(self.rows_of_moving(at)[1]) for at in (x, beside))
        return np.where(np.isfinite(there), np.maximum(here, there), here)

    @property
    def bound(self) -> Bound:
        return Bound(len(self.moving) - 1, self.low, self.high)

    def solved_at(self, value: float, near: Array) -> Array | None:
        """All unknowns at a value of the freed one, starting from some numbers."""
        moving = near[self.moving].copy()
        moving[-1] = value
        normal = np.zeros(len(moving))
        normal[-1] = 1.0
        curve = self.curve()
        found = curve.at(moving)
        point = None if found is None else curve.corrected(moving, normal, found.range)
        return None if point is None else self.whole(point.x)

    # ----------------------------------------------------------------------------------------------- higher derivatives

    def form(self, x: Array, *directions: Array) -> Array:
        """∂²R[a, b] or ∂³R[a, b, c], in directions of the unknowns that move; exact."""
        at = dict(zip((*self.problem.unknowns, *self.problem.parameters), (*self.whole(x), *self.p), strict=True))
        own = [self.problem.unknowns[j] for j in self.moving]
        seeds = [{s: complex(v) for s, v in zip(own, d, strict=True) if v} for d in directions]
        return directional_forms(self.problem.expressions, at, seeds).real

    def curvature(self, x: Array, psi: Array) -> Array:
        """Σ psiᵢ ∂²Rᵢ/∂x∂x by differences of exact slopes: for the matrix of Newton's method, whose solution it does
        not change."""
        columns = self.curve().columns
        steps = DIFFERENCE_STEP * np.maximum(np.abs(x), columns)
        ends = ((self.rows_of_moving(x + h)[1] - self.rows_of_moving(x - h)[1]).T @ psi for h in np.diag(steps))
        return np.array(list(ends)).T / (2 * steps)

    @cached_property
    def full_rows(self) -> FullRows:
        """The equations in all variables, for normal forms."""
        return FullRows(self.equations, self.problem.fixed, self.freed.varied)

    def direction_at(self, x: Array, tangent: Array) -> dict[Symbol, float]:
        """Rates of change of all symbols with the freed value along the branch."""
        slopes = tangent / tangent[-1]
        own = {self.problem.unknowns[j]: float(d) for j, d in zip(self.moving, slopes, strict=True)}
        at, fixed = self.numbers_at(x), self.problem.fixed
        return {**own, **{s: float(evaluate(directional_derivative(e, own), at)) for s, e in fixed.items()}}


def without_dependent(J: Array, candidates: Sequence[int], moving: Places) -> Places:
    """The moving unknowns without as many of the candidates as their columns are dependent."""
    null = Rank.of(J[:, list(candidates)]).null_space if candidates else np.zeros((0, 0))
    if not null.shape[1]:
        return moving
    sizes = np.linalg.norm(null, axis=0)
    order = qr((null / sizes).T, pivoting=True, mode="economic")[2][: null.shape[1]]
    held = {candidates[int(k)] for k in order}
    return np.array([j for j in moving if int(j) not in held])
