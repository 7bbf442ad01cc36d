"""`branch`: steady motions followed through folds, with stability and special points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.continuation import CurveEnd, CurvePoint, SolutionCurve
from ..algebra.graph import Expr
from ..algebra.portable import Portable
from ..algebra.walk import free_symbols
from ..derive.equations import Equations, of_equations
from ..derive.keywords import values_by_name
from ..emit.program.lower import program
from ..emit.run.callable import Array
from ..emit.text.numpy_text import numpy_function
from ..errors import StabilityError, finite_number, listed, shown, unknown
from ..summary import Tabular
from .branch_points import SpecialPoint, between, hopf_points
from .branch_problem import BranchProblem
from .parameter_samples import folded
from .pencil import Complex
from .steady_motion import SteadyMotion

MOST_POINTS = 2000


@dataclass(frozen=True, eq=False, repr=False)
class Branch(Tabular, Portable):
    """Steady motions along a curve, made by `branch`. `branch["phi"]` is an array: any coordinate, speed, variable, multiplier, input, output,
    the value that is varied, or an expression.

    varied        the name of what is varied
    points        all unknowns, a row for each motion; `unknowns` has their names
    eigenvalues   a row for each motion
    unstable      the number of eigenvalues with a positive real part, of each
    special       folds, branch points and Hopf points, in order along the branch
    outcome       how it ended, at its beginning and at its end
    """

    problem: BranchProblem
    varied: str
    points: Array
    tangents: Array
    eigenvalues: Complex
    unstable: NDArray[np.intp]
    special: tuple[SpecialPoint, ...]
    outcome: tuple[str, str]
    steps: tuple[float, float]

    def __str__(self) -> str:
        v = self[self.varied]
        stable = int((self.unstable == 0).sum())
        lines = [
            f"Branch of steady motions of {self.equations.name!r} over {self.varied} = {v.min():z.6g} ... {v.max():z.6g}: "
            f"{len(v)} points, {stable} stable",
            *(f"{self.varied}: {p}" for p in self.special),
            f"beginning: {self.outcome[0]}; end: {self.outcome[1]}",
        ]
        return "\n    ".join(lines)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def equations(self) -> Equations:
        """The equations whose motions these are."""
        return self.problem.equations

    @property
    def unknowns(self) -> tuple[str, ...]:
        """Names of the columns of `points`."""
        return tuple(s.name for s in self.problem.problem.unknowns)

    def __getitem__(self, name: str | Expr) -> Array:
        place = {n: k for k, n in enumerate(self.unknowns)}
        key = name if not isinstance(name, Expr) or str(name) not in place else str(name)
        if isinstance(key, str) and key in place:
            return self.points[:, place[key]]
        return self._evaluated(self._expression(key))

    def _expression(self, name: Any) -> Expr:
        if isinstance(name, Expr):
            return self.equations.in_own_terms([name])[0]
        rows = self._rows
        if name not in rows:
            raise unknown(f"branch of {self.equations.name!r}", "name", name, [*self.unknowns, *rows], StabilityError)
        return rows[name]

    @cached_property
    def _rows(self) -> Mapping[str, Expr]:
        """Names that are no unknowns: fixed values, outputs."""
        return self.motion(0).rows_of_names

    def value_at(self, point: SpecialPoint, name: str | Expr) -> float:
        """A quantity in a special point."""
        return float(replace(self, points=point.x[None])[name][0])

    def _evaluated(self, e: Expr) -> Array:
        problem = self.problem.problem
        (made,) = folded([e], self.problem.freed.fixed)
        missing = [s.name for s in free_symbols(made) if s not in problem.unknowns and s not in problem.parameters]
        if missing:
            raise StabilityError(f"branch of {self.equations.name!r}: {listed(missing)} have no value along a branch")
        f = numpy_function(
            program("along_branch", {"w": list(problem.unknowns), "p": list(problem.parameters)}, {"e": [made]})
        )
        values = f(self.points, np.tile(self.problem.p, (len(self.points), 1)))
        return np.asarray(values).reshape(len(self.points))

    def switched(self, point: SpecialPoint | int = 0, *, max_points: int = MOST_POINTS) -> Branch:
        """The branch that crosses this one at a branch point, both ways from it: `b.switched(0)` at the first, or at one of `b.special`."""
        crossings = [p for p in self.special if p.directions]
        if isinstance(point, int) and not -len(crossings) <= point < len(crossings):
            raise StabilityError(
                f"branch of {self.equations.name!r}: there is no branch point {point}; there are {len(crossings)}: "
                f"{listed(f'{p.kind} at {p.value:z.6g}' for p in crossings) or 'none'}"
            )
        at = crossings[point] if isinstance(point, int) else point
        if not at.directions:
            raise StabilityError(
                f"branch of {self.equations.name!r}: no other branch begins in a {at.kind}; branch points have one"
            )
        curve, problem = self.problem.curve(*self.steps), self.problem
        x = at.x[problem.moving]
        assert at.range is not None
        start = CurvePoint(x, problem.rows_of_moving(x)[1], at.directions[0], at.range)
        return followed(problem, curve, self.varied, start, max_points, at)

    def motion(self, k: int) -> SteadyMotion:
        """The steady motion of a point of the branch, to linearise or to start from."""
        return self.problem.motion(self.points[k], f"point {k} of a branch over {self.varied}")

    def at(self, value: float) -> tuple[SteadyMotion, ...]:
        """The steady motions at which what is varied has a value: none, one or several, in order along the branch."""
        v = self[self.varied]
        crossed = np.flatnonzero((v[:-1] - value) * (v[1:] - value) <= 0)
        out = []
        for k in map(int, crossed):
            if v[k + 1] == value and k + 2 < len(v):
                continue  # the next step begins there
            part = 0.0 if v[k + 1] == v[k] else (value - v[k]) / (v[k + 1] - v[k])
            found = self.problem.solved_at(value, self.points[k] + part * (self.points[k + 1] - self.points[k]))
            if found is not None:
                out.append(self.problem.motion(found, f"{self.varied} = {value:z.10g} on a branch"))
        return tuple(out)


@values_by_name(StabilityError)
@of_equations
def branch(
    equations: Equations, motion: SteadyMotion, values: Mapping[Any, Any] | None = None, *, step: float = 0.01, max_step: float = 0.04,
    max_points: int = MOST_POINTS, options: Mapping[str, Any] | None = None, **named: Any,
) -> Branch:  # fmt: skip
    """Steady motions over one value: `branch(eq, motion, V=(0, 10))`, by pseudo-arclength, through folds, in both directions from a motion.

    motion      where to start, of `steady`: the value that is varied is given in it, or is a parameter
    values      the interval of what is varied, (low, high): a parameter, an input, or anything that has a value in the motion; and numbers of
                other parameters. By name also as keywords
    step        the first step, `max_step` the largest: in parts of the interval, radians, and like units of other unknowns
    max_points  in each direction

    The result is what was found; `outcome` says how it ended.
    """
    name, low, high, rest = _varied(equations, values or {})
    if not isinstance(motion, SteadyMotion) or not motion.is_steady:
        said = motion.outcome if isinstance(motion, SteadyMotion) else shown(motion)
        raise StabilityError(
            f"branch of {equations.name!r}: it starts from a steady motion, sb.steady(...); got {said}"
        )
    problem = BranchProblem(motion, name, low, high, rest)
    curve = problem.curve(step, max_step)
    start = curve.at(problem.start[problem.moving])
    if start is None:
        raise StabilityError(f"branch of {equations.name!r}: the rows have no finite value at the start")
    if start.tangent[-1] < 0:
        start = CurvePoint(start.x, start.J, -start.tangent, start.range)
    return followed(problem, curve, name, start, max_points)


def followed(
    problem: BranchProblem,
    curve: SolutionCurve,
    name: str,
    start: CurvePoint,
    most: int,
    crossing: SpecialPoint | None = None,
) -> Branch:
    """The branch through a point, both ways; the point may be one in which it crosses another branch."""
    ahead, end = _way(curve, problem, start, most)
    if end is CurveEnd.CLOSED:
        points, outcome, place = [start, *ahead], (end.value, end.value), 0
    else:
        turned = CurvePoint(start.x, start.J, -start.tangent, start.range)
        back, begin = _way(curve, problem, turned, most)
        before = [CurvePoint(p.x, p.J, -p.tangent, p.range) for p in reversed(back)]
        points, outcome, place = [*before, start, *ahead], (begin.value, end.value), len(back)
    known = None if crossing is None else replace(crossing, place=place, directions=(), criticality="")
    return _branch(problem, curve, name, points, outcome, known)


def _way(
    curve: SolutionCurve, problem: BranchProblem, start: CurvePoint, most: int
) -> tuple[list[CurvePoint], CurveEnd]:
    found: list[CurvePoint] = []
    for item in curve.followed(start, [problem.bound], most):
        if isinstance(item, CurveEnd):
            return found, item
        found.append(item)
    return found, CurveEnd.STOPPED


def _branch(
    problem: BranchProblem, curve: SolutionCurve, name: str, points: list[CurvePoint], outcome: tuple[str, str], known: SpecialPoint | None
) -> Branch:  # fmt: skip
    X = np.array([problem.whole(p.x) for p in points])
    family = problem.family(X)
    spectra = problem.spectra(family, X)
    beside = () if known is None else (known.place - 1, known.place)
    pairs = [k for k in range(len(points) - 1) if k not in beside]
    special = [s for k in pairs for s in between(problem, curve, k, points[k], points[k + 1])]
    special = [
        p.with_criticality(
            spectra.unstable[p.place], spectra.unstable[p.place + 1], X[p.place + 1, -1] > X[p.place, -1]
        )
        for p in special
    ]
    special += [] if known is None else [known]
    special += hopf_points(problem, curve, family, points, list(spectra.s))
    tangents = np.array([p.tangent for p in points])
    return Branch(
        problem, name, X, tangents, family.with_zeros(spectra.s), spectra.unstable, tuple(sorted(special, key=lambda p: p.place)), outcome,
        (curve.step, curve.max_step),
    )  # fmt: skip


def _varied(eq: Equations, values: Mapping[Any, Any]) -> tuple[str, float, float, dict[str, float]]:
    """The name and interval of what is varied, and the numbers of the rest."""
    ranges = {k: v for k, v in values.items() if np.ndim(v)}
    if len(ranges) != 1:
        raise StabilityError(
            f"branch of {eq.name!r}: one value is to have an interval, as in branch(eq, motion, V=(0, 10)); got "
            f"{listed(map(str, ranges)) or 'none'}"
        )
    ((name, interval),) = ranges.items()
    where = f"branch of {eq.name!r}, {name}"
    if len(interval) != 2:
        raise StabilityError(f"{where}: an interval has two ends, (low, high); got {shown(interval)}")
    low, high = (finite_number(x, where, StabilityError) for x in interval)
    if not low < high:
        raise StabilityError(f"{where}: the interval is to be (low, high) with low < high; got {shown(interval)}")
    return str(name), low, high, {str(k): v for k, v in values.items() if k not in ranges}
