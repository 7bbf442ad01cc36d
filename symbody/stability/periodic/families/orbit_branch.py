"""`orbits`: periodic motions over a parameter by pseudo-arclength continuation, with their multipliers and special
points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....algebra.graph.graph import Expr
from ....algebra.graph.portable import Portable
from ....algebra.graph.walk import free_symbols
from ....argument_kinds import answered_class
from ....derivation.equations.equation_arguments import of_equations_or
from ....derivation.equations.equations import Equations
from ....derivation.equations.keywords import values_by_name
from ....display import DisplayPart, ShownPicture
from ....emit.lowering.lower import program
from ....emit.run.callable import Array
from ....emit.text.numpy_text import numpy_function
from ....errors import StabilityError, finite_interval, in_number, listed, shown, unknown
from ....integrate.modes.modes import Contacts, Modes
from ....integrate.result.tables import data_frame, data_set
from ....interruption import forget_interruption, raise_interruption
from ....later import later
from ....small_figures import SmallCurve, small_figure
from ....summary import Tabular
from ...branches.curve_points import collected_points
from ...spectra.pencil import Complex
from ..methods.orbit_collocation import CollocationProblem
from ..methods.shooting import ShootingProblem
from ..orbits.find_orbit import fixed_value, orbit_of, problem_of
from ..orbits.orbit import UNIT_CIRCLE_TOLERANCE, Orbit, flow_of, quantity
from ..problem.drive_period import refuse_other_period
from ..problem.itineraries import SMOOTH, HybridSystem, Itinerary
from ..problem.orbit_problem import OrbitSetting, mirrored_point
from .orbit_curve import CONTINUABLE, MIN_INTERVALS, OrbitCurve, OrbitCurvePoint, OrbitEnd, ValueRange
from .orbit_points import SpecialOrbit, is_next_to, special_between
from .special_orbit_curve import SpecialOrbitCurve, special_orbit_curve

ZERO_VALUE: Final = 1e-12  # value, relative to the interval, below which it is printed as zero

PERIOD: Final = "period"
MAX_ORBITS: Final = 500  # default largest number of orbits in each direction
# distance from another family, relative to interval and period, below which the end of a family lies on it
SAME_FAMILY_DISTANCE: Final = (
    0.02  # of interval and period: the end of a family that is as near to a special orbit of another begins there
)
# first steps onto another branch, relative to the orbit's size, in the order in which they are tried
SWITCHING_STEPS: Final = (0.03, 0.01, 0.003, 1e-3, 3e-4, 1e-4, 0.1)
NOT_EXAMINED: Final = "; special orbits between it and the first of these were not looked for"


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class OrbitBranch(Tabular, Portable):
    """A family of periodic motions; returned by `orbits`.

    family["a"], family["period"], family["energy"]     arrays, one number for each orbit
    family.orbit(k), family.at(0.3)                     the orbit at a point; those at a varied value
    family.largest("x"), family.smallest("x")           over each orbit
    multipliers      a row for each orbit, without trivial ones; where a mirror was given, of half a period
    unstable         how many of them lie outside the unit circle
    special          folds, period doublings, Neimark-Sacker points, broken symmetries, in order
    outcome          how the continuation ended in each direction

    varied         name of the varied quantity; `range` is the interval that it stays in
    curve_points   the orbits in numbers, with tangents and multipliers
    setting        the settings of each orbit
    conserved      expressions that keep their value along each, by name
    steps          first and largest step along the curve, tolerance, least number of intervals of a mesh
    form           collocation or shooting; `course` has events or modes on the way

    >>> x, v, mu = sb.symbols("x v mu")
    >>> eq = sb.from_equations({x: v, v: mu * (1 - x**2) * v - x}, {mu: 1.0})
    >>> family = sb.orbits(eq, sb.orbit(eq, {"x": 2.0}, period=6.6), mu=(0.8, 1.2))
    >>> family.varied, family.special, family.at(1.1)[0].period
    ('mu', (), 6.73942)

    See also: `orbits`, `stability.SpecialOrbit`, `load`.
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
    course: Itinerary = SMOOTH

    def __len__(self) -> int:
        return len(self.curve_points)

    @cached_property
    def problem(self) -> CollocationProblem | ShootingProblem:
        """The equations that vanish on an orbit, as numbers of unknowns: by collocation or by shooting."""
        return self.problem_for(self.setting)

    def problem_for(self, setting: OrbitSetting) -> CollocationProblem | ShootingProblem:
        """The problem of orbits with other numbers or another varied value."""
        varied = None if setting.place is None else self.equations.variables.constants[setting.place]
        return problem_of(
            flow_of(self.equations, dict(self.conserved), varied, self.course), setting, self.form, self.course
        )

    @property
    def multipliers(self) -> tuple[Complex, ...]:
        """Floquet multipliers, a row for each orbit, without trivial ones.

        >>> x, v, mu = sb.symbols("x v mu")
        >>> eq = sb.from_equations({x: v, v: mu * (1 - x**2) * v - x}, {mu: 1.0})
        >>> family = sb.orbits(eq, sb.orbit(eq, {"x": 2.0}, period=6.6), mu=(0.95, 1.05))
        >>> max(abs(row).max() for row in family.multipliers) < 0.01, int(max(family.unstable)), len(family.connected())
        (np.True_, 0, 1)
        >>> family.largest("x")[0].round(2), family.smallest("x")[0].round(2)
        (np.float64(2.01), np.float64(-2.01))
        >>> family.orbit(0).period == family["period"][0], float(family.extended(mu=(0.95, 1.06))["mu"].max())
        (np.True_, 1.06)
        >>> sorted(family.columns())[:3], len(family.to_pandas()) == len(family["mu"]), sorted(family.to_xarray().attrs)
        (['max v', 'max x', 'min v'], True, ['model'])
        >>> family.save("family.npz").name, type(family.problem).__name__, type(family.problem_for(family.problem.setting)).__name__
        ('family.npz', 'CollocationProblem', 'CollocationProblem')

        See also: `orbits`, `load`.
        """
        return tuple(p.nontrivial for p in self.curve_points)

    @property
    def unstable(self) -> NDArray[np.intp]:
        """Number of multipliers of each orbit outside the unit circle."""
        return np.array([int((np.abs(m) > 1 + UNIT_CIRCLE_TOLERANCE).sum()) for m in self.multipliers])

    def __getitem__(self, name: str) -> Array:
        points, halves = [c.point for c in self.curve_points], self.setting.halves
        if name == PERIOD:
            return np.array([p.T * halves for p in points])
        if name == self.varied:
            return np.array([p.value for p in points])
        known = {s.name: v for s, v in zip(self.equations.variables.constants, self.setting.p, strict=True)}
        if name not in known:
            raise unknown(
                f"orbits of {self.equations.name!r}", "name", name, [PERIOD, self.varied, *known], StabilityError
            )
        return np.full(len(points), known[name])

    def largest(self, what: str | Expr) -> Array:
        """The largest value over each orbit of a state, an output or an expression."""
        return self._ranges(what)[1]

    def smallest(self, what: str | Expr) -> Array:
        """The smallest value over each orbit of a state, an output or an expression."""
        return self._ranges(what)[0]

    def _ranges(self, what: str | Expr) -> tuple[Array, Array]:
        """The smallest and the largest value over each orbit, of collocation also between the points."""
        low, high = np.array([(v.min(), v.max()) for v in self._along(what)]).reshape(-1, 2).T
        if self.form != "collocation":
            return low, high
        least, most = np.array([o.extremes(what) for o in self._orbits_shown]).reshape(-1, 2).T
        return np.minimum(low, least), np.maximum(high, most)

    def _along(self, what: str | Expr) -> Iterator[Array]:
        """Values at mesh and Gauss points of each orbit; of simulated ones along the simulation."""
        if self.form == "shooting":
            yield from (o[what] for o in self._orbits_shown)
            return
        flow, setting = self.problem.flow, self.setting
        e = quantity(self.equations, what, f"orbits of {self.equations.name!r}")
        if wrong := [s.name for s in free_symbols(e) if s in flow.drifting]:
            raise StabilityError(
                f"orbits of {self.equations.name!r}: {in_number(wrong, '{} grows from period to period and has', '{} grow from period to period and have')} no "
                "largest value; family.orbit(k)[name] has the values over time"
            )
        groups = {"t": self.equations.t, "x": list(flow.x), "p": list(self.equations.variables.constants)}
        f = numpy_function(program("along_orbits", groups, {"e": [e]}))
        for c in self.curve_points:
            point = c.point if setting.mirror is None else mirrored_point(c.point, setting.mirror)
            x = np.concatenate([point.at_gauss_points.reshape(-1, flow.n), point.x])
            tau = np.concatenate([point.gauss_times.reshape(-1), point.times])
            p = np.tile(fixed_value(setting, point.value).p, (len(x), 1))
            yield np.asarray(f(setting.t0 + tau * point.T, x, p)).reshape(len(x))

    @cached_property
    def _orbits_shown(self) -> tuple[Orbit, ...]:
        """Orbits for inspection, for which only the motion is computed again."""
        said = [(c.point, c.multipliers, (0.0, c.mesh_error)) for c in self.curve_points]
        return tuple(orbit_of(self.problem, *numbers, f"{self.varied} = {numbers[0].value:z.10g}") for numbers in said)

    def orbit(self, k: int) -> Orbit:
        """The orbit of a point of the branch."""
        return self._orbit(self.curve_points[k])

    def _orbit(self, c: OrbitCurvePoint) -> Orbit:
        problem, point = self.problem, c.point
        errors = (problem.residual(point), c.mesh_error)
        multipliers = problem.multipliers(point, problem.maps(point))
        return orbit_of(problem, point, multipliers, errors, f"{self.varied} = {point.value:z.10g}")

    def at(self, value: float) -> tuple[Orbit, ...]:
        """The orbits at a varied value: none, one or several, in order along the branch."""
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

    def switched(self, point: SpecialOrbit | int = 0, *, max_points: int = MAX_ORBITS) -> OrbitBranch:
        """The orbits that begin at a period doubling or a broken symmetry: `family.switched(0)` at the first, or at one
        of `family.special`.

        >>> c, s, z, w, d, b = sb.symbols("c s z w d b")  # a Möbius band: z and w turn by half an angle in a round of c and s
        >>> turns = {c: -s + c * (1 - c**2 - s**2), s: c + s * (1 - c**2 - s**2)}
        >>> grow, turn, hold = (d + 1) / 2, sb.fraction(1, 2), (d - 1) / 2 - b * (z**2 + w**2)
        >>> halves = {z: hold * z - turn * w + grow * (c * z + s * w), w: hold * w + turn * z + grow * (s * z - c * w)}
        >>> eq = sb.from_equations({**turns, **halves}, {d: -0.1, b: 1.0})
        >>> family = sb.orbits(eq, sb.orbit(eq, {"c": 1.0}, period=6.3), d=(-0.1, 0.1))
        >>> (doubling,) = family.special
        >>> doubling.kind, round(doubling.value, 6) + 0.0
        ('period doubling', 0.0)
        >>> twice = family.switched(doubling, max_points=5)
        >>> round(float(twice["period"][0] / doubling.period)), twice.ends_at(doubling)
        (2, np.True_)
        >>> curve = family.curve_of(doubling, b=(0.9, 1.0))
        >>> bool(abs(curve["d"]).max() < 1e-8)
        True

        See also: `stability.OrbitBranch.connected`, `stability.SpecialOrbit`.
        """
        doors = [s for s in self.special if s.opens]
        if isinstance(point, int) and not -len(doors) <= point < len(doors):
            said = listed(f"{p.kind} at {p.value:z.6g}" for p in doors) or "none"
            raise StabilityError(
                f"orbits of {self.equations.name!r}: there is no point {point} at which others begin; there "
                f"are {len(doors)}: {said}"
            )
        at = doors[point] if isinstance(point, int) else point
        if not at.opens:
            raise StabilityError(
                f"orbits of {self.equations.name!r}: no other orbits begin in a {at.kind}; period doublings "
                "and broken symmetries have some"
            )
        return _switched_family(self, at, max_points)

    def connected(self, *, generations: int = 1, max_points: int = MAX_ORBITS) -> tuple[OrbitBranch, ...]:
        """This family and those that begin at its period doublings and broken symmetries, recursively for a number of
        generations."""
        found, last = [self], [self]
        for _ in range(generations):
            new: list[OrbitBranch] = []
            for family in last:
                for door in (s for s in family.special if s.opens):
                    if not any(other.ends_at(door) for other in found + new if other is not family):
                        new.append(family.switched(door, max_points=max_points))
                    if new and OrbitEnd.INTERRUPTED.value in new[-1].outcome:
                        return (*found, *new)
            found, last = found + new, new
        return tuple(found)

    def ends_at(self, door: SpecialOrbit) -> bool:
        """Whether this family begins or ends in a special orbit of another one."""
        rounds = 2 if door.kind == "period doubling" else 1
        value, T = self[self.varied], self[PERIOD]
        near = [abs(value[k] - door.value) / self.range.size + abs(T[k] / (rounds * door.period) - 1) for k in (0, -1)]
        return min(near) < SAME_FAMILY_DISTANCE

    @values_by_name(StabilityError)
    def extended(
        self, values: Mapping[Any, Any] | None = None, *, max_points: int = MAX_ORBITS, options: Mapping[str, Any] | None = None, **named: Any
    ) -> OrbitBranch:  # fmt: skip
        """The family continued at both ends: in a wider interval, `family.extended(a=(0, 2))`, with more orbits, or
        after an interruption."""
        forget_interruption()
        _, low, high = _interval(
            self.equations, [self.varied], values or {self.varied: (self.range.low, self.range.high)}
        )
        curve = OrbitCurve(self.problem, ValueRange(low, high), *self.steps)
        points = [curve.measured_anew(c) for c in self.curve_points]
        begin, end = (
            _goes_on(said, c, curve.range) for said, c in zip(self.outcome, (points[0], points[-1]), strict=True)
        )
        ahead, last = _way(curve, self.equations, points[-1], max_points) if end else ([], self.outcome[1])
        back, first = _way(curve, self.equations, points[0].turned(), max_points) if begin else ([], self.outcome[0])
        every = (*(p.turned() for p in reversed(back)), *points, *ahead)
        known = [replace(s, place=s.place + len(back)) for s in self.special]
        pairs = [k for k in range(len(every) - 1) if not len(back) <= k < len(back) + len(points) - 1]
        special = [*known, *(s for k in pairs for s in special_between(curve, k, every[k], every[k + 1]))]
        return replace(
            self, curve_points=every, special=tuple(sorted(special, key=lambda s: s.place)), outcome=(first, last), range=curve.range
        )  # fmt: skip

    @values_by_name(StabilityError)
    def curve_of(
        self, point: SpecialOrbit, values: Mapping[Any, Any] | None = None, *, max_points: int = MAX_ORBITS, options: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> SpecialOrbitCurve:  # fmt: skip
        """Continue a fold, a period doubling or a Neimark-Sacker point of this family while a second value is varied:
        `family.curve_of(family.special[0], b=(0, 2))`.

        values      the interval of the second value, (low, high), a parameter or input; by name also as a keyword
        max_points  in each direction

        The first value stays in the interval of the family.
        """
        constants = [s.name for s in self.equations.variables.constants if s.name != self.varied]
        name, low, high = _interval(self.equations, constants, values or {})
        if point.kind == "branch point" or self.setting.place is None:
            raise StabilityError(
                f"curve over two values of orbits of {self.equations.name!r}: folds, period doublings and Neimark-Sacker points of families over a parameter have one; got a "
                f"{point.kind} over {self.varied}"
            )
        place = [s.name for s in self.equations.variables.constants].index(name)
        other = replace(
            self,
            varied=name,
            setting=replace(self.setting, place=place),
            range=ValueRange(low, high),
            curve_points=(),
            special=(),
        )
        return special_orbit_curve(self, other, point, max_points)

    def columns(self, more: Iterable[str | Expr] = ()) -> dict[str, Array]:
        """The varied value, the period, how many multipliers are unstable and the largest modulus of them; smallest and
        largest values of the states and of further requested quantities."""
        modulus = np.array([np.abs(m).max(initial=0.0) for m in self.multipliers])
        columns = {
            self.varied: self[self.varied],
            PERIOD: self[PERIOD],
            "unstable": self.unstable.astype(np.float64),
            "modulus": modulus,
        }
        for what in (*(s.name for s in self.problem.flow.x), *more):
            columns[f"min {what}"], columns[f"max {what}"] = self._ranges(what)
        return columns

    def to_pandas(self, more: Iterable[str | Expr] = ()) -> Any:
        """A pandas DataFrame with a row for each orbit."""
        return data_frame("orbit", np.arange(len(self)), self.columns(more))

    def to_xarray(self, more: Iterable[str | Expr] = ()) -> Any:
        """An xarray Dataset over the orbits, with parameters as attributes."""
        known = {
            s.name: float(v)
            for s, v in zip(self.equations.variables.constants, self.setting.p, strict=True)
            if s.name != self.varied
        }
        return data_set("orbit", np.arange(len(self)), self.columns(more), {"model": self.equations.name, **known})

    def save(self, path: str | Path) -> Path:
        """Write everything to a file (.npz); `load` reads it back."""
        written: Path = later("write.files.orbit_file", "save_orbits")(self, path)
        return written

    def _display(self) -> Iterable[DisplayPart]:
        """The period over what is varied, above the text."""
        title, *rows = super()._display()
        return title, ShownPicture(self._small_figure), *rows

    def _small_figure(self) -> str:
        curve = SmallCurve("", self[self.varied].tolist(), self[PERIOD].tolist())
        return small_figure([curve], self.varied, "period")

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
@of_equations_or(Modes, Contacts)
def orbits(
    equations: Equations | HybridSystem, start: Orbit, values: Mapping[Any, Any] | None = None, *, step: float = 0.02, max_step: float = 0.2,
    max_points: int = MAX_ORBITS, tolerance: float = 1e-9, intervals: int = MIN_INTERVALS, options: Mapping[str, Any] | None = None, **named: Any,
) -> OrbitBranch:  # fmt: skip
    """Family of periodic motions over one value, `orbits(eq, orbit, a=(0.1, 0.4))`: pseudo-arclength continuation
    through folds, in both directions from an orbit.

    start       an `Orbit`; its other values are kept
    values      the interval of the varied quantity, (low, high): a parameter, an input, or a quantity that stays constant,
                `energy=(1, 5)`
    step        the first step, `max_step` the largest: in parts of the sizes of the states, of the period and of the
                interval
    max_points  in each direction
    tolerance   of the error at mesh points, about, after which the number of intervals is chosen; `intervals` at least

    The result contains the orbits found; `outcome` states how the continuation ended.

    >>> x, v, mu = sb.symbols("x v mu")
    >>> eq = sb.from_equations({x: v, v: mu * (1 - x**2) * v - x}, {mu: 1.0})
    >>> family = sb.orbits(eq, sb.orbit(eq, {"x": 2.0}, period=6.6), mu=(0.8, 1.2))
    >>> family["period"][[0, -1]]
    array([6.529638, 6.82123 ])

    See also: `stability.OrbitBranch`, `orbit`, `plot`.
    """
    raise_interruption()
    if not isinstance(start, Orbit) or not start.is_periodic:
        said = start.outcome if isinstance(start, Orbit) else shown(start)
        raise StabilityError(f"orbits of {equations.name!r}: they start from an orbit, sb.orbit(...); got {said}")
    if not isinstance(equations, Equations):
        equations = start.equations
    exist = [*(s.name for s in equations.variables.constants), *start.conserved]
    name, low, high = _interval(equations, exist, values or {})
    conserved = dict(zip(start.conserved, start.conserved_rows, strict=True))
    symbols = {s.name: s for s in equations.variables.constants}
    varied = symbols.get(name)
    place = None if varied is None else equations.variables.constants.index(varied)
    rows = len(start.setting.levels) - len(conserved)
    freed = rows + list(conserved).index(name) if varied is None else None
    setting = replace(start.setting, place=place, freed=freed)
    value = float(start.setting.p[place] if place is not None else start.setting.levels[freed or 0])
    if not low <= value <= high:
        raise StabilityError(
            f"orbits of {equations.name!r}: the start has {name} = {value:z.6g}, outside of ({low:z.6g}, {high:z.6g})"
        )
    flow = flow_of(equations, conserved, varied, start.course)
    for end in (low, high) if place is not None else ():
        refuse_other_period(flow, fixed_value(setting, end), start.point)
    problem = problem_of(flow, setting, start.form, start.course)
    curve = OrbitCurve(problem, ValueRange(low, high), step, max_step, tolerance, intervals)
    first = curve.first(replace(start.nodes or start.point, value=value), start.mesh_error)
    if first is None:
        raise StabilityError(
            f"orbits of {equations.name!r}: {_not_followed(start, name, value if abs(value) > ZERO_VALUE * (high - low) else 0.0)}"
        )
    return _family_through(equations, name, conserved, curve, first, max_points)


def _not_followed(start: Orbit, name: str, value: float) -> str:
    """Why a family does not begin: orbits of all sizes at one value make the equations for an orbit there singular."""
    if (np.abs(start.multipliers - 1) <= UNIT_CIRCLE_TOLERANCE).any():
        return (
            f"orbits beside the start have {name} = {value:z.6g} too (a multiplier is 1 besides that along the orbit), as those of equations that are linear, or that keep "
            f"something there; they do not change over {name}. Follow them over another value, or name what is kept in conserved= of orbit"
        )
    return "Newton's method does not return to the start; compute it with a smaller tolerance="


def _family_through(
    eq: Equations, name: str, conserved: Mapping[str, Expr], curve: OrbitCurve, first: OrbitCurvePoint, most: int,
    opened: str = "",
) -> OrbitBranch:  # fmt: skip
    """The family through an orbit, in both directions; in one direction from an orbit where it begins in another
    family, in the words of `opened`."""
    ahead, end = _way(curve, eq, first, most)
    back: list[OrbitCurvePoint] = []
    begin = opened or end
    if not opened and end not in (OrbitEnd.CLOSED.value, OrbitEnd.INTERRUPTED.value):
        back, begin = _way(curve, eq, first.turned(), most)
    points = (*(p.turned() for p in reversed(back)), first, *ahead)
    special = [s for k in range(len(points) - 1) for s in special_between(curve, k, points[k], points[k + 1])]
    steps = (curve.step, curve.max_step, curve.tolerance, curve.least)
    return OrbitBranch(
        eq, name, curve.problem.setting, conserved, points, tuple(special), (begin, end), curve.range, steps, curve.problem.form,
        curve.problem.course,
    )  # fmt: skip


def _way(curve: OrbitCurve, eq: Equations, start: OrbitCurvePoint, most: int) -> tuple[list[OrbitCurvePoint], str]:
    """Orbits in one direction, and how it ended."""
    found, end = collected_points(
        curve.followed(start, most),
        OrbitEnd.INTERRUPTED,
        f"orbits of {eq.name!r}",
        lambda count, item: f"{count} orbits, value {item.point.value:z.6g}, period {item.point.T:z.6g}",
    )
    return found, end.value


def _goes_on(said: str, last: OrbitCurvePoint, range_: ValueRange) -> bool:
    """Whether more may follow at an end: not beyond a bound that is where it was."""
    if said == OrbitEnd.BOUND.value:
        return range_.low + 1e-9 * range_.size < last.point.value < range_.high - 1e-9 * range_.size
    return said in {e.value for e in CONTINUABLE}


def _switched_family(family: OrbitBranch, at: SpecialOrbit, most: int) -> OrbitBranch:
    """The branch of orbits that begins in a special point, in one direction: the other is the same with its phase
    shifted, or mirrored."""
    problem, c = family.problem, at.at
    direction = problem.null_direction(c.point, at.factor)
    setting, point = family.setting, c.point
    if at.factor < 0:  # what returns after two rounds
        point, direction = problem.next_round(point), problem.next_round(direction, -1.0, point)
        setting = (
            setting.whole()
            if setting.period is None
            else replace(setting.whole(), period=2 * setting.period / setting.halves)
        )
    other = problem_of(problem.flow, setting, family.form, family.course)
    curve = OrbitCurve(other, family.range, *family.steps)
    begin, tried = f"{at.kind} of other orbits", list[OrbitCurvePoint]()
    for part in SWITCHING_STEPS:
        first = curve.beside(point, direction, part, c.mesh_error)
        if first is not None and is_next_to(first.nontrivial, c.nontrivial, at.factor):
            return _family_through(family.equations, family.varied, family.conserved, curve, first, most, begin)
        tried += [] if first is None else [first]
    if tried:
        first = min(tried, key=lambda p: abs(p.point.value - at.value))
        return _family_through(
            family.equations, family.varied, family.conserved, curve, first, most, begin + NOT_EXAMINED
        )
    raise StabilityError(
        f"orbits of {family.equations.name!r}: no other orbit was found beside the {at.kind} at {family.varied} = {at.value:z.6g}; follow the family with smaller "
        "steps"
    )


def _interval(eq: Equations, known: Sequence[str], values: Mapping[Any, Any]) -> tuple[str, float, float]:
    """The name of the varied value and its interval."""
    ranges = {str(k): v for k, v in values.items()}
    where = f"orbits of {eq.name!r}"
    if len(ranges) != 1 or np.ndim(next(iter(ranges.values()))) != 1 or len(next(iter(ranges.values()))) != 2:
        raise StabilityError(
            f"{where}: one value must have an interval (low, high), as in orbits(eq, orbit, V=(0, 10)); got "
            f"{listed(ranges) or 'none'}"
        )
    ((name, interval),) = ranges.items()
    if name not in known:
        raise unknown(where, "value to vary", name, known, StabilityError)
    return name, *finite_interval(interval, f"{where}, {name}", StabilityError)
