"""`orbits`: periodic motions followed over a parameter by pseudo-arclength, with their multipliers and special points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph import Expr
from ...algebra.portable import Portable
from ...derive.equations import Equations, of_equations
from ...derive.keywords import values_by_name
from ...emit.run.callable import Array
from ...errors import StabilityError, finite_number, listed, shown, unknown
from ...integrate.tables import data_frame
from ...summary import Tabular
from ..pencil import Complex
from .find_orbit import orbit_of, problem_of
from .orbit import ON_CIRCLE, Orbit, flow_of
from .orbit_collocation import CollocationProblem
from .orbit_curve import LEAST, OrbitCurve, OrbitCurvePoint, ValueRange
from .orbit_points import SpecialOrbit, special_between
from .orbit_problem import OrbitSetting, mirrored_point
from .shooting import ShootingProblem

PERIOD: Final = "period"
MOST_ORBITS: Final = 500
SWITCHED: Final = (
    0.03,
    0.01,
    0.1,
    0.003,
)  # first steps onto another branch, in parts of the orbit's size, in the order in which they are tried


@dataclass(frozen=True, eq=False, repr=False)
class OrbitBranch(Tabular, Portable):
    """Periodic motions along a curve, made by `orbits`.

    family["a"], family["period"], family["energy"]     arrays, one number for each orbit
    family.orbit(k), family.at(0.3)                     the orbit of a point; those at a value of what is varied
    family.largest("x"), family.smallest("x")           over each orbit
    multipliers      a row for each orbit, without trivial ones; where a mirror was given, of half a period
    unstable         how many of them lie outside the unit circle
    special          folds, period doublings, Neimark-Sacker points, broken symmetries, in order
    outcome          how it ended, at its beginning and at its end
    """

    equations: Equations
    varied: str
    setting: OrbitSetting
    conserved: Mapping[str, Expr]
    curve_points: tuple[OrbitCurvePoint, ...]
    special: tuple[SpecialOrbit, ...]
    outcome: tuple[str, str]
    range: ValueRange
    steps: tuple[float, float, float, int]
    form: str = "collocation"
    events: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.curve_points)

    @cached_property
    def problem(self) -> CollocationProblem | ShootingProblem:
        return self._problem(self.setting)

    def _problem(self, setting: OrbitSetting) -> CollocationProblem | ShootingProblem:
        varied = None if setting.place is None else self.equations.constants[setting.place]
        return problem_of(
            flow_of(self.equations, dict(self.conserved), varied, self.events), setting, self.form, self.events
        )

    @property
    def multipliers(self) -> tuple[Complex, ...]:
        return tuple(p.nontrivial for p in self.curve_points)

    @property
    def unstable(self) -> NDArray[np.intp]:
        return np.array([int((np.abs(m) > 1 + ON_CIRCLE).sum()) for m in self.multipliers])

    def __getitem__(self, name: str) -> Array:
        points, halves = [c.point for c in self.curve_points], self.setting.halves
        if name == PERIOD:
            return np.array([p.T * halves for p in points])
        if name == self.varied:
            return np.array([p.value for p in points])
        known = {s.name: v for s, v in zip(self.equations.constants, self.setting.p, strict=True)}
        if name not in known:
            raise unknown(
                f"orbits of {self.equations.name!r}", "name", name, [PERIOD, self.varied, *known], StabilityError
            )
        return np.full(len(points), known[name])

    def largest(self, name: str) -> Array:
        """The largest value of a state over each orbit."""
        return np.array([v.max() for v in self._states(name)])

    def smallest(self, name: str) -> Array:
        """The smallest value of a state over each orbit."""
        return np.array([v.min() for v in self._states(name)])

    def _states(self, name: str) -> Iterator[Array]:
        flow = self.problem.flow
        names = [s.name for s in flow.x]
        if name not in names:
            raise unknown(f"orbits of {self.equations.name!r}", "state", name, names, StabilityError)
        k, mirror = names.index(name), self.setting.mirror
        for c in self.curve_points:
            values = np.concatenate([self.problem.values(c.point)[:, k], c.point.x[:, k]])
            yield values if mirror is None else np.concatenate([values, mirror[k] * values])

    def orbit(self, k: int) -> Orbit:
        """The orbit of a point of the branch."""
        return self._orbit(self.curve_points[k])

    def _orbit(self, c: OrbitCurvePoint) -> Orbit:
        problem, point = self.problem, c.point
        errors = (problem.residual(point), c.mesh_error)
        multipliers = problem.multipliers(point, problem.maps(point))
        return orbit_of(problem, point, multipliers, errors, f"{self.varied} = {point.value:z.10g}")

    def at(self, value: float) -> tuple[Orbit, ...]:
        """The orbits at which what is varied has a value: none, one or several, in order along the branch."""
        v, curve = self[self.varied], self._curve()
        out: list[Orbit] = []
        for k in np.flatnonzero((v[:-1] - value) * (v[1:] - value) <= 0):
            found = curve.at_value(self.curve_points[k], self.curve_points[k + 1], value)
            if found is not None and (
                not out or abs(found.point.T - out[-1].point.T) > 1e-9 * found.point.T or v[k] != value
            ):
                out.append(self._orbit(found))
        return tuple(out)

    def _curve(self) -> OrbitCurve:
        return OrbitCurve(self.problem, self.range, *self.steps)

    def switched(self, point: SpecialOrbit | int = 0, *, max_points: int = MOST_ORBITS) -> OrbitBranch:
        """The orbits that begin at a period doubling or a broken symmetry: `family.switched(0)` at the first, or at one of `family.special`."""
        doors = [s for s in self.special if s.opens]
        if isinstance(point, int) and not -len(doors) <= point < len(doors):
            said = listed(f"{p.kind} at {p.value:z.6g}" for p in doors) or "none"
            raise StabilityError(
                f"orbits of {self.equations.name!r}: there is no point {point} at which others begin; there are {len(doors)}: {said}"
            )
        at = doors[point] if isinstance(point, int) else point
        if not at.opens:
            raise StabilityError(
                f"orbits of {self.equations.name!r}: no other orbits begin in a {at.kind}; period doublings and broken symmetries have some"
            )
        return _switched(self, at, max_points)

    def to_pandas(self) -> Any:
        """A table: the varied value, period, number of unstable multipliers, extremes of the states."""
        names = [s.name for s in self.problem.flow.x]
        columns = {PERIOD: self[PERIOD], "unstable": self.unstable.astype(np.float64)}
        columns |= {
            f"{word} {n}": values(n) for n in names for word, values in (("min", self.smallest), ("max", self.largest))
        }
        return data_frame(self.varied, self[self.varied], columns)

    def __str__(self) -> str:
        v, T = self[self.varied], self[PERIOD]
        lines = [
            f"Orbits of {self.equations.name!r} over {self.varied} = {v.min():z.6g} ... {v.max():z.6g}: {len(v)} orbits, "
            f"{int((self.unstable == 0).sum())} stable, periods {T.min():z.6g} ... {T.max():z.6g}",
            *(f"{self.varied}: {p}" for p in self.special),
            f"beginning: {self.outcome[0]}; end: {self.outcome[1]}",
        ]
        return "\n    ".join(lines)


@values_by_name(StabilityError)
@of_equations
def orbits(
    equations: Equations, start: Orbit, values: Mapping[Any, Any] | None = None, *, step: float = 0.02, max_step: float = 0.2,
    max_points: int = MOST_ORBITS, tolerance: float = 1e-9, intervals: int = LEAST, options: Mapping[str, Any] | None = None, **named: Any,
) -> OrbitBranch:  # fmt: skip
    """Periodic motions over one value: `orbits(eq, orbit, a=(0.1, 0.4))`, by pseudo-arclength, through folds, both ways from an orbit.

    start       an `Orbit`; its other values stay
    values      the interval of what is varied, (low, high): a parameter, an input, or a quantity that stays constant, `energy=(1, 5)`
    step        the first step, `max_step` the largest: in parts of the sizes of the states, of the period and of the interval
    max_points  in each direction
    tolerance   of the error at mesh points, about, after which the number of intervals is chosen; `intervals` at least

    The result is what was found; `outcome` says how it ended.
    """
    if not isinstance(start, Orbit) or not start.is_periodic:
        said = start.outcome if isinstance(start, Orbit) else shown(start)
        raise StabilityError(f"orbits of {equations.name!r}: they start from an orbit, sb.orbit(...); got {said}")
    name, low, high = _varied(equations, start, values or {})
    conserved = dict(zip(start.conserved, start.conserved_rows, strict=True))
    symbols = {s.name: s for s in equations.constants}
    varied = symbols.get(name)
    place = None if varied is None else equations.constants.index(varied)
    rows = len(start.setting.levels) - len(conserved)
    freed = rows + list(conserved).index(name) if varied is None else None
    setting = replace(start.setting, place=place, freed=freed)
    value = float(start.setting.p[place] if place is not None else start.setting.levels[freed or 0])
    if not low <= value <= high:
        raise StabilityError(
            f"orbits of {equations.name!r}: the start has {name} = {value:z.6g}, outside of ({low:z.6g}, {high:z.6g})"
        )
    problem = problem_of(flow_of(equations, conserved, varied, start.events), setting, start.form, start.events)
    curve = OrbitCurve(problem, ValueRange(low, high), step, max_step, tolerance, intervals)
    first = curve.first(replace(start.nodes or start.point, value=value), start.mesh_error)
    if first is None:
        raise StabilityError(
            f"orbits of {equations.name!r}: Newton's method does not come back to the start; make it with a smaller tolerance="
        )
    return _followed(equations, name, conserved, curve, first, max_points, both=True)


def _followed(
    eq: Equations, name: str, conserved: Mapping[str, Expr], curve: OrbitCurve, first: OrbitCurvePoint, most: int, both: bool,
    opened: SpecialOrbit | None = None,
) -> OrbitBranch:  # fmt: skip
    ahead, end = curve.followed(first, most)
    begin, before = "where it was asked to begin", []
    if opened is not None:
        begin = f"{opened.kind} of other orbits"
    elif both:
        back, begin = curve.followed(first.turned(), most)
        before = [p.turned() for p in reversed(back)]
    points = (*before, first, *ahead)
    special = [s for k in range(len(points) - 1) for s in special_between(curve, k, points[k], points[k + 1])]
    return OrbitBranch(
        eq,
        name,
        curve.problem.setting,
        conserved,
        points,
        tuple(special),
        (begin, end),
        curve.range,
        (curve.step, curve.max_step, curve.tolerance, curve.least),
        curve.problem.form,
        curve.problem.events,
    )


def _switched(family: OrbitBranch, at: SpecialOrbit, most: int) -> OrbitBranch:
    """The branch of orbits that begins in a special point, one way: the other is the same with its phase shifted, or mirrored."""
    problem, c = family.problem, at.at
    direction = problem.null_direction(c.point, at.factor)
    setting, point = family.setting, c.point
    if at.factor < 0:  # what returns after two rounds
        point, direction = mirrored_point(point, problem.mirror), _doubled(direction, problem.mirror)
        setting = (
            setting.whole()
            if setting.period is None
            else replace(setting.whole(), period=2 * setting.period / setting.halves)
        )
    other = problem_of(problem.flow, setting, family.form, family.events)
    curve = OrbitCurve(other, family.range, *family.steps)
    for part in SWITCHED:
        first = curve.beside(point, direction, part, c.mesh_error)
        if first is not None:
            return _followed(
                family.equations, family.varied, family.conserved, curve, first, most, both=False, opened=at
            )
    raise StabilityError(
        f"orbits of {family.equations.name!r}: no other orbit was found beside the {at.kind} at {family.varied} = {at.value:z.6g}; follow the family with smaller steps; orbits that turn in a period (a weave along a circle) "
        "need coordinates in which that turn is a shift: minimal(eq), or speeds in a frame that turns along"
    )


def _doubled(direction: Any, signs: Array) -> Any:
    """A direction over two rounds that comes back with the opposite sign after one."""
    return mirrored_point(direction, -signs)


def _varied(eq: Equations, start: Orbit, values: Mapping[Any, Any]) -> tuple[str, float, float]:
    ranges = {str(k): v for k, v in values.items()}
    where = f"orbits of {eq.name!r}"
    if len(ranges) != 1 or np.ndim(next(iter(ranges.values()))) != 1 or len(next(iter(ranges.values()))) != 2:
        raise StabilityError(
            f"{where}: one value is to have an interval (low, high), as in orbits(eq, orbit, V=(0, 10)); got {listed(ranges) or 'none'}"
        )
    ((name, interval),) = ranges.items()
    exist = [*(s.name for s in eq.constants), *start.conserved]
    if name not in exist:
        raise unknown(where, "value to vary", name, exist, StabilityError)
    low, high = (finite_number(x, f"{where}, {name}", StabilityError) for x in interval)
    if not low < high:
        raise StabilityError(
            f"{where}: the interval of {name} is to be (low, high) with low < high; got {shown(interval)}"
        )
    return name, low, high
