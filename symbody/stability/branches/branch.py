"""`branch`: steady motions followed through folds, with stability and special points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.nonlinear.continuation import CurveEnd, CurvePoint, SolutionCurve, reversed_point
from ...argument_kinds import answered_class
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...display import DisplayPart, ShownPicture
from ...emit.run.callable import Array
from ...errors import StabilityError, finite_interval, listed, shown
from ...interruption import forget_interruption, raise_interruption
from ...later import later
from ...small_figures import SmallCurve, small_figure
from ..equilibria.steady_motion import SteadyMotion
from ..spectra.pencil import Complex
from .branch_points import SpecialPoint, crossings, special_points_between
from .branch_problem import BranchProblem
from .curve_points import collected_points
from .motion_family import MotionFamily
from .special_curve import SpecialCurve, special_curve
from .special_rows import special_rows

MAX_POINTS = 2000  # largest number of points in each direction

SMALLEST_RANGE = 1e-9  # of a coordinate that is drawn over what is varied


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Branch(MotionFamily):
    """A curve of steady motions; returned by `branch`. `branch["phi"]` is an array: any coordinate, speed, variable,
    multiplier, input, output, the varied value, or an expression.

    varied        the name of the varied value
    points        all unknowns, one row for each motion; `unknowns` has their names
    eigenvalues   one row for each motion
    unstable      the number of eigenvalues with a positive real part, for each
                  motion
    marginal      for each motion, whether neighbouring motions have the same varied value, so that an eigenvalue is
                  zero
    special       folds, branch points and Hopf points, in order along the branch
    outcome       how the continuation ended in each direction
    problem       the compiled equations of the branch
    tangents      of the curve at each motion, in the active unknowns
    steps         first and largest step along the curve, used to extend it

    >>> x, mu = sb.symbols("x mu")
    >>> eq = sb.from_equations({x: mu * x - x**3}, {mu: -1.0})
    >>> found = sb.branch(eq, sb.steady(eq), mu=(-1, 1))
    >>> found.varied, found["mu"][[0, -1]], found.unstable[[0, -1]]
    ('mu', array([-1.,  1.]), array([0, 1]))

    See also: `branch`, `stability.SpecialPoint`, `load`.
    """

    problem: BranchProblem
    varied: str
    tangents: Array
    eigenvalues: Complex
    unstable: NDArray[np.intp]
    special: tuple[SpecialPoint, ...]
    outcome: tuple[str, str]
    steps: tuple[float, float]

    @cached_property
    def marginal(self) -> NDArray[np.bool_]:
        """For each motion, whether neighbouring motions have the same varied value, so that an eigenvalue is zero.

        >>> x, mu = sb.symbols("x mu")
        >>> eq = sb.from_equations({x: mu - x}, {mu: 0.0})
        >>> bool(sb.branch(eq, sb.steady(eq), mu=(0, 1)).marginal.any())
        False
        """
        return self.problem.curve(*self.steps).are_level(self.tangents, -1)

    def _display(self) -> Iterable[DisplayPart]:
        """Coordinates over what is varied, above the text."""
        title, *rows = super()._display()
        return title, ShownPicture(self._small_figure), *rows

    def _small_figure(self) -> str:
        v = self[self.varied]
        names = [x.name for x in self.equations.variables.of("q z").rows]
        moving = [(n, y) for n in names if np.ptp(y := self[n]) > SMALLEST_RANGE * (1 + np.abs(y).max())]
        return small_figure([SmallCurve(n, v.tolist(), y.tolist()) for n, y in moving], self.varied)

    def __str__(self) -> str:
        v = self[self.varied]
        stable, marginal = int(((self.unstable == 0) & ~self.marginal).sum()), int(self.marginal.sum())
        lines = [
            f"Branch of steady motions of {self.equations.name!r} over {self.varied} = {v.min():z.6g} ... {v.max():z.6g}: "
            f"{len(v)} points, {stable} stable{f', {marginal} marginal (an eigenvalue is zero)' if marginal else ''}",
            *(f"{self.varied}: {p}" for p in self.special),
            f"beginning: {self.outcome[0]}; end: {self.outcome[1]}",
        ]
        return "\n    ".join(lines)

    def switched(self, point: SpecialPoint | int = 0, *, max_points: int = MAX_POINTS) -> Branch:
        """The branch that crosses this one at a branch point, continued in both directions: `b.switched(0)` at the
        first, or at one of `b.special`.

        >>> x, mu = sb.symbols("x mu")
        >>> eq = sb.from_equations({x: mu * x - x**3}, {mu: -1.0})
        >>> straight = sb.branch(eq, sb.steady(eq), mu=(-1, 1))
        >>> fork = straight.switched(0)
        >>> np.allclose(fork["mu"], fork["x"] ** 2), len(straight.connected())
        (True, 2)
        >>> straight.passes(fork.special[0])
        True

        See also: `stability.Branch.connected`, `branch`.
        """
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
        return branch_through(problem, curve, self.varied, start, max_points, at)

    def connected(self, *, max_points: int = MAX_POINTS) -> tuple[Branch, ...]:
        """This branch and all branches connected to it through branch points, each once."""
        found = [self]
        for b in found:  # which grows
            for p in b.special:
                if CurveEnd.INTERRUPTED.value in found[-1].outcome:
                    return tuple(found)
                if p.directions and not any(other is not b and other.passes(p) for other in found):
                    found.append(b.switched(p, max_points=max_points))
        return tuple(found)

    def passes(self, point: SpecialPoint) -> bool:
        """Whether a special point of another branch of the same problem lies on this one."""
        near = 1e-6 * np.maximum(np.abs(point.x), 1.0)
        return any((np.abs(p.x - point.x) <= near).all() for p in self.special)

    @values_by_name(StabilityError)
    def curve_of(
        self, point: SpecialPoint, values: Mapping[Any, Any] | None = None, *, max_points: int = MAX_POINTS, options: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> SpecialCurve:  # fmt: skip
        """Continue a fold or a Hopf point of this branch while a second value is varied: `b.curve_of(b.special[0],
        k=(0, 2))`.

        values      the interval of the second value, (low, high); by name also as a keyword
        max_points  in each direction

        The first value stays in the interval of the branch.

        >>> x, mu, a = sb.symbols("x mu a")
        >>> eq = sb.from_equations({x: mu + a * x - x**3}, {mu: -1.0, a: 1.0})
        >>> found = sb.branch(eq, sb.steady(eq, start={"x": -1.3}), mu=(-1, 1))
        >>> fold = found.special[0]
        >>> curve = found.curve_of(fold, a=(0.2, 1.0))
        >>> fold.kind, abs(found.value_at(fold, "x")), np.allclose(27 * curve["mu"] ** 2, 4 * curve["a"] ** 3)  # 1/√3
        ('fold', 0.57735, True)

        See also: `stability.SpecialCurve`.
        """
        name, low, high, rest = _varied_interval(self.equations, values or {})
        if rest:
            raise StabilityError(
                f"curve over two values of {self.equations.name!r}: got numbers of {listed(rest)}; a branch has its own"
            )
        rows = special_rows(self.problem, point, name, low, high)
        return special_curve(rows, self.problem.family(self.points), *self.steps, max_points)

    @values_by_name(StabilityError)
    def extended(
        self, values: Mapping[Any, Any] | None = None, *, max_points: int = MAX_POINTS, options: Mapping[str, Any] | None = None, **named: Any
    ) -> Branch:  # fmt: skip
        """The branch continued at both ends: in a wider interval, `b.extended(V=(0, 20))`, or with more points, or
        after an interruption.

        >>> x, mu = sb.symbols("x mu")
        >>> eq = sb.from_equations({x: mu - x}, {mu: 0.0})
        >>> found = sb.branch(eq, sb.steady(eq), mu=(0, 1))
        >>> float(found.extended(mu=(0, 2))["mu"][-1]), found.save("line.npz").name
        (2.0, 'line.npz')
        >>> found.equations is eq, found.unknowns, found.said
        (True, ('x', 'mu'), "branch of 'equations'")
        >>> (half,) = found.at(0.5)
        >>> half["x"], found.motion(0)["x"]
        (0.5, 0.0)
        >>> sorted(found.columns()), list(found.to_pandas().columns), sorted(found.to_xarray().data_vars)
        (['mu', 'x'], ['x', 'mu'], ['mu', 'x'])

        See also: `branch`, `load`.
        """
        forget_interruption()
        name, low, high, rest = _varied_interval(
            self.equations, values or {self.varied: (self.problem.low, self.problem.high)}
        )
        if name != self.varied or rest:
            raise StabilityError(
                f"branch of {self.equations.name!r}: extend it over its own parameter, {self.varied}; got {listed((name, *rest))}"
            )
        if CurveEnd.CLOSED.value in self.outcome:
            return self
        problem = BranchProblem(self.problem.begun, name, low, high, self.problem.given_values)
        curve = problem.curve(*self.steps)
        crossing = next((p for p in self.special if p.range is not None and not p.directions), None)  # where it began
        known = [curve.at(x[problem.moving], t) for x, t in zip(self.points, self.tangents, strict=True)]
        points = [p for p in known if p is not None]
        assert len(points) == len(known)  # rows have a value where they vanish
        ahead, end = _way(curve, problem, points[-1], max_points)
        back, begin = _way(curve, problem, reversed_point(points[0]), max_points)
        return _branch(
            problem,
            curve,
            name,
            [*(reversed_point(p) for p in reversed(back)), *points, *ahead],
            (begin.value, end.value),
            None if crossing is None else replace(crossing, place=crossing.place + len(back)),
        )

    def save(self, path: str | Path) -> Path:
        """Write everything to a file (.npz); `load` reads it back."""
        written: Path = later("write.files.branch_file", "save_branch")(self, path)
        return written

    def at(self, value: float) -> tuple[SteadyMotion, ...]:
        """The steady motions at a given varied value: none, one or several, in order along the branch."""
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
    max_points: int = MAX_POINTS, options: Mapping[str, Any] | None = None, **named: Any,
) -> Branch:  # fmt: skip
    """Branch of steady motions over one value, `branch(eq, motion, V=(0, 10))`: pseudo-arclength continuation through
    folds, in both directions from a motion.

    motion      the first motion, from `steady`; the varied value is prescribed in it, or is a parameter
    values      the interval (low, high) of the varied value: a parameter, an input, or any quantity prescribed in the
                motion; and values of other parameters. Also as keywords
    step        the first step; `max_step` is the largest. Steps are relative to the interval, in radians, and in
                comparable units of other unknowns
    max_points  in each direction

    The result contains the motions found; `outcome` states how the continuation ended.

    >>> x, mu = sb.symbols("x mu")
    >>> eq = sb.from_equations({x: mu * x - x**3}, {mu: -1.0})
    >>> found = sb.branch(eq, sb.steady(eq), mu=(-1, 1))
    >>> [(p.kind, round(p.value, 6) + 0.0) for p in found.special]
    [('pitchfork', 0.0)]

    See also: `stability.Branch`, `steady`, `orbit`, `plot`.
    """
    raise_interruption()
    name, low, high, rest = _varied_interval(equations, values or {})
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
        start = reversed_point(start)
    return branch_through(problem, curve, name, start, max_points)


def branch_through(
    problem: BranchProblem,
    curve: SolutionCurve,
    name: str,
    start: CurvePoint,
    most: int,
    crossing: SpecialPoint | None = None,
) -> Branch:
    """The branch through a point, in both directions; the point may be one in which it crosses another branch."""
    ahead, end = _way(curve, problem, start, most)
    if end in (CurveEnd.CLOSED, CurveEnd.INTERRUPTED):
        points, outcome, place = [start, *ahead], (end.value, end.value), 0
    else:
        back, begin = _way(curve, problem, reversed_point(start), most)
        before = [reversed_point(p) for p in reversed(back)]
        points, outcome, place = [*before, start, *ahead], (begin.value, end.value), len(back)
    known = None if crossing is None else replace(crossing, place=place, directions=(), criticality="")
    return _branch(problem, curve, name, points, outcome, known)


def _way(
    curve: SolutionCurve, problem: BranchProblem, start: CurvePoint, most: int
) -> tuple[list[CurvePoint], CurveEnd]:
    """Points in one direction."""
    varied = problem.freed.varied.name
    return collected_points(
        curve.followed(start, [problem.bound], most),
        CurveEnd.INTERRUPTED,
        f"branch of {problem.equations.name!r}",
        lambda count, item: f"{count} points, {varied} = {item.x[-1]:z.6g}",
    )


def _branch(
    problem: BranchProblem, curve: SolutionCurve, name: str, points: list[CurvePoint], outcome: tuple[str, str], known: SpecialPoint | None
) -> Branch:  # fmt: skip
    X = np.array([problem.whole(p.x) for p in points])
    family = problem.family(X)
    tangents = np.array([p.tangent for p in points])
    spectra = problem.spectra(family, X).with_zeros(curve.are_level(tangents, -1))
    beside = () if known is None else (known.place - 1, known.place)
    pairs = [k for k in range(len(points) - 1) if k not in beside]
    special = [s for k in pairs for s in special_points_between(problem, curve, k, points[k], points[k + 1])]
    special = [
        p.with_criticality(
            spectra.unstable[p.place], spectra.unstable[p.place + 1], X[p.place + 1, -1] > X[p.place, -1]
        )
        for p in special
    ]
    special += [] if known is None else [known]
    located = {p.place for p in special} | set(beside)
    special += crossings(problem, curve, family, points, list(spectra.s), located)
    return Branch(
        problem, X, name, tangents, family.with_zeros(spectra.s), spectra.unstable, tuple(sorted(special, key=lambda p: p.place)), outcome,
        (curve.step, curve.max_step),
    )  # fmt: skip


def _varied_interval(eq: Equations, values: Mapping[Any, Any]) -> tuple[str, float, float, dict[str, float]]:
    """The name and interval of the varied value, and the numbers of the others."""
    ranges = {k: v for k, v in values.items() if np.ndim(v)}
    if len(ranges) != 1:
        raise StabilityError(
            f"branch of {eq.name!r}: one value must have an interval, as in branch(eq, motion, V=(0, 10)); got "
            f"{listed(map(str, ranges)) or 'none'}"
        )
    ((name, interval),) = ranges.items()
    low, high = finite_interval(interval, f"branch of {eq.name!r}, {name}", StabilityError)
    return str(name), low, high, {str(k): v for k, v in values.items() if k not in ranges}
