"""Curves of special orbits over two values: folds, period doublings or Neimark-Sacker points as a second value changes.

A special orbit is a zero of a function of the multipliers, or of the tangent, along a family over the first value at a
given second one; and just as well along a family over the second value at a given first. From one point of the curve to
the next the value that changes faster is stepped, and the zero is found along the family over the other, so that the
curve may turn back in either. In a cusp of folds it turns back in both: there the orbit is stepped, along the family,
and the second value is found at which it is a fold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ....algebra.graph.portable import Portable
from ....argument_kinds import answered_class
from ....derivation.equations.equations import Equations
from ....emit.run.callable import Array
from ....errors import StabilityError, unknown
from ....integrate.result.tables import data_frame
from ....summary import Tabular
from ...branches.curve_points import collected_points
from ..methods.orbit_collocation import CONVERGENCE_TOLERANCE
from ..orbits.find_orbit import orbit_of
from ..orbits.orbit import Orbit, without_trivial
from .degenerate_orbits import DegenerateOrbit, degenerate_orbits
from .orbit_curve import OrbitCurve, OrbitCurvePoint, ValueRange
from .orbit_points import SpecialOrbit, zero_function

if TYPE_CHECKING:
    from .orbit_branch import OrbitBranch

PERIOD: Final = "period"
FIRST_STEP: Final = 0.02  # first step relative to the intervals
MAX_STEP: Final = 0.04  # largest step relative to the intervals
MIN_STEP: Final = 1e-5  # smallest step relative to the intervals
MAX_SECANTS: Final = 14  # largest number of secant steps
ROOT_TOLERANCE: Final = 1e-11  # last change of a zero relative to the length of a step along the family
MAX_JUMP: Final = 0.3  # largest distance of a zero from its prediction relative to the intervals
CUSP_STEP: Final = FIRST_STEP / 16  # step of a curve of folds below which a cusp is searched for
CUSP_STEPS: Final = (0.02, 0.05, 0.1, 0.2)  # steps along the family across a cusp, relative to the sizes
CURVATURE_STEP: Final = 1e-3  # offset from a fold, relative to the sizes, for its second derivative
SECANT_STEP: Final = 1e-3  # offset of the second point of a secant relative to the sizes


class SpecialCurveEnd(Enum):
    """How a curve of special orbits ended, in one direction."""

    BOUND = "reached the bound"
    POINTS = "has as many points as allowed"
    STUCK = "no further special orbit was found with the smallest step"
    INTERRUPTED = "was interrupted"


@dataclass(frozen=True)
class TwoValues:
    """A special orbit over two values; `side` is that of the family on which it was found: 0 over the first, 1 over the
    second. Where a cusp was passed, `before` is the fold on its other side."""

    values: tuple[float, float]
    at: OrbitCurvePoint
    side: int
    before: TwoValues | None = None


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class SpecialOrbitCurve(Tabular, Portable):
    """A curve of special orbits over two values; returned by `family.curve_of`. `curve["a"]`, `curve["period"]` are
    arrays with a number for each.

    kind          fold, period doubling, symmetry breaking or Neimark-Sacker
    varied        the names of both values
    multipliers   a row for each orbit, without trivial ones
    special       orbits of codimension two on it, in order: `DegenerateOrbit`s
    outcome       how the continuation ended in each direction
    families      the branches over the first and over the second value
    found         the orbits in numbers, in order along the curve

    >>> sorted(sb.stability.SpecialOrbitCurve.__dataclass_fields__)
    ['families', 'found', 'kind', 'outcome', 'special']

    See also: `stability.OrbitBranch.curve_of`, `stability.SpecialOrbit`.
    """

    families: tuple[OrbitBranch, OrbitBranch]
    kind: str
    found: tuple[TwoValues, ...]
    special: tuple[DegenerateOrbit, ...]
    outcome: tuple[str, str]

    def __len__(self) -> int:
        return len(self.found)

    @property
    def equations(self) -> Equations:
        """The equations of the orbits."""
        return self.families[0].equations

    @property
    def varied(self) -> tuple[str, str]:
        """Names of both values."""
        return self.families[0].varied, self.families[1].varied

    @property
    def multipliers(self) -> tuple[Any, ...]:
        """Floquet multipliers, a row for each orbit, without trivial ones."""
        return tuple(f.at.nontrivial for f in self.found)

    def __getitem__(self, name: str) -> Array:
        if name == PERIOD:
            return np.array([f.at.point.T * self.families[0].setting.halves for f in self.found])
        if name not in self.varied:
            raise unknown(
                f"curve of orbits of {self.equations.name!r}", "name", name, [*self.varied, PERIOD], StabilityError
            )
        return np.array([f.values[self.varied.index(name)] for f in self.found])

    def orbit(self, point: int | DegenerateOrbit) -> Orbit:
        """The orbit of a point of the curve, or one of `special`.

        >>> c, s, z, w, d, b = sb.symbols("c s z w d b")  # a Möbius band: z and w turn by half an angle in a round
        >>> turns = {c: -s + c * (1 - c**2 - s**2), s: c + s * (1 - c**2 - s**2)}
        >>> grow, turn, hold = (d + 1) / 2, sb.fraction(1, 2), (d - 1) / 2 - b * (z**2 + w**2)
        >>> halves = {z: hold * z - turn * w + grow * (c * z + s * w), w: hold * w + turn * z + grow * (s * z - c * w)}
        >>> eq = sb.from_equations({**turns, **halves}, {d: -0.1, b: 1.0})
        >>> family = sb.orbits(eq, sb.orbit(eq, {"c": 1.0}, period=6.3), d=(-0.1, 0.1))
        >>> curve = family.curve_of(family.special[0], b=(0.9, 1.0))
        >>> curve.equations is eq, curve.varied, curve.orbit(0).period
        (True, ('d', 'b'), 6.283185)
        >>> abs(curve.multipliers[0]).max() < 1.001, len(curve.to_pandas()) == len(curve["b"])
        (np.True_, True)

        See also: `stability.OrbitBranch.curve_of`.
        """
        one = self.found[point] if isinstance(point, int) else point.at
        family, other = self.families[one.side], self.families[1 - one.side]
        problem = family.problem_for(family.setting)
        problem.p[_place(other)] = one.values[1 - one.side]
        setting = replace(problem.setting, p=problem.p.copy())
        problem = family.problem_for(setting)
        multipliers = problem.multipliers(one.at.point, problem.maps(one.at.point))
        errors = (problem.residual(one.at.point), one.at.mesh_error)
        return orbit_of(
            problem, one.at.point, multipliers, errors, f"{self.kind} on a curve over {' and '.join(self.varied)}"
        )

    def to_pandas(self, more: Iterable[str] = ()) -> Any:
        """A pandas DataFrame with a row for each orbit."""
        names = (*self.varied, PERIOD, *more)
        return data_frame("orbit", np.arange(len(self)), {n: self[n] for n in names})

    def __str__(self) -> str:
        a, b = self.varied
        x, y = self[a], self[b]
        lines = [
            f"{self.kind} of orbits of {self.equations.name!r} over {a} = {x.min():z.6g} ... {x.max():z.6g}, {b} = {y.min():z.6g} ... {y.max():z.6g}: {len(self)} orbits",
            *(f"({a}, {b}): {p}" for p in self.special),
            f"beginning: {self.outcome[0]}; end: {self.outcome[1]}",
        ]
        return "\n    ".join(lines)


def special_orbit_curve(family: OrbitBranch, other: OrbitBranch, special: SpecialOrbit, most: int) -> SpecialOrbitCurve:
    """The curve through a special orbit, both ways, while both values stay in their intervals. `other` is the question
    over the second value."""
    curve = TwoFamilies((family, other), special.kind)
    value = float(family.setting.p[_place(other)])
    start = TwoValues((special.value, value), special.at, 0)
    ahead, end = _way(curve, start, 1.0, most)
    back, begin = _way(curve, start, -1.0, most) if end is not SpecialCurveEnd.INTERRUPTED else ([], end)
    found = (*reversed(back), start, *ahead)
    special_ones = tuple(degenerate_orbits(curve, found))
    return SpecialOrbitCurve((family, other), special.kind, found, special_ones, (begin.value, end.value))


def _place(family: OrbitBranch) -> int:
    assert family.setting.place is not None
    return family.setting.place


def _way(curve: TwoFamilies, start: TwoValues, sign: float, most: int) -> tuple[list[TwoValues], SpecialCurveEnd]:
    a, b = (f.varied for f in curve.families)
    return collected_points(
        curve.followed(start, sign, most),
        SpecialCurveEnd.INTERRUPTED,
        f"{curve.kind} of orbits of {curve.families[0].equations.name!r}",
        lambda count, item: f"{count} orbits, {a} = {item.values[0]:z.6g}, {b} = {item.values[1]:z.6g}",
    )


class TwoFamilies:
    """Families over the first value and over the second, whose problems share their numbers."""

    def __init__(self, families: tuple[OrbitBranch, OrbitBranch], kind: str) -> None:
        self.families, self.kind = families, kind
        self.function = zero_function(kind)
        self.curves = tuple(OrbitCurve(f.problem_for(f.setting), f.range, *f.steps) for f in families)
        self.sizes = np.array([f.range.size for f in families])
        self.ranges: tuple[ValueRange, ...] = tuple(f.range for f in families)

    def followed(self, start: TwoValues, sign: float, most: int) -> Iterator[TwoValues | SpecialCurveEnd]:
        """Special orbits in one direction of the second value, the start not among them; the last item says how it
        ended."""
        here, step, last = start, FIRST_STEP, start
        direction = np.array([0.0, sign])
        for _ in range(most):
            there = None
            while there is None and step >= MIN_STEP:
                there = self._next(here, direction, step)
                if there is None and step < CUSP_STEP and last is not here:
                    there = self._over_cusp(last, here)
                step = step / 2 if there is None else step
            if there is None:
                yield SpecialCurveEnd.STUCK
                return
            if not self._is_inside(there):
                edge = self._at_bound(here, there)
                yield from [] if edge is None else [edge]
                yield SpecialCurveEnd.BOUND
                return
            yield there
            moved = (np.array(there.values) - here.values) / self.sizes
            direction, last, here = moved / np.linalg.norm(moved), here, there
            step = min(1.5 * step, MAX_STEP)
        yield SpecialCurveEnd.POINTS

    def _is_inside(self, found: TwoValues) -> bool:
        return all(r.low <= v <= r.high for r, v in zip(self.ranges, found.values, strict=True))

    def _next(self, here: TwoValues, direction: Array, step: float) -> TwoValues | None:
        """The special orbit a step ahead: the value that changes faster is given, the zero lies along the family over
        the other."""
        wanted = np.array(here.values) + step * direction * self.sizes
        found = self._near(here, wanted, 0 if abs(direction[1]) >= abs(direction[0]) else 1)
        if found is None:
            return None
        jump = np.abs((np.array(found.values) - wanted) / self.sizes).max()
        return found if jump <= MAX_JUMP * max(10 * step, 0.05) else None

    def between(self, here: TwoValues, there: TwoValues, part: float) -> TwoValues | None:
        """The special orbit a part of the way from one to the next."""
        a, b = np.array(here.values), np.array(there.values)
        moved = np.abs((b - a) / self.sizes)
        return self._near(here, a + part * (b - a), 0 if moved[1] >= moved[0] else 1)

    def _near(self, here: TwoValues, wanted: Array, side: int) -> TwoValues | None:
        """The special orbit along the family over one value (0 the first, 1 the second) while the other is given."""
        curve, given = self.curves[side], 1 - side
        curve.problem.p[_place(self.families[given])] = wanted[given]
        found = self._zero(curve, here, float(wanted[side]), side)
        if found is None:
            return None
        values = (found.point.value, float(wanted[1])) if side == 0 else (float(wanted[0]), found.point.value)
        return TwoValues(values, found, side)

    def _over_cusp(self, last: TwoValues, here: TwoValues) -> TwoValues | None:
        """The fold on the other side of a cusp: as far along the family as it takes for the second value to return;
        None if there is none."""
        own = self._near(here, np.array(here.values), 0)
        if self.kind != "fold" or own is None:
            return None
        curve = self.curves[0]
        gone = curve.distance(own.at, last.at)
        for far in CUSP_STEPS:
            length = -np.sign(gone) * far
            there = self.along_orbit(own, length)
            if there is not None and self.fold_bend(own) * self.fold_bend(there) < 0:
                return replace(there, before=own)
        return None

    def along_orbit(self, here: TwoValues, length: float) -> TwoValues | None:
        """The fold a length along the family over the first value, with the second value that it needs."""
        curve, place = self.curves[0], _place(self.families[1])
        guess = here.at.point.moved(here.at.tangent, length)
        planes = (curve.problem.phase(here.at.point), curve.problem.across(guess, here.at.dual))

        def fold_at(value: float) -> OrbitCurvePoint | None:
            curve.problem.p[place] = value
            near = curve.problem.corrected(guess, planes, CONVERGENCE_TOLERANCE)
            # once more with the first value that was found: the tangent is to be that of the orbit itself
            found = None if near is None else curve.problem.corrected(near.point, planes, CONVERGENCE_TOLERANCE)
            return None if found is None else curve.made(found, here.at.tangent, here.at.mesh_error, exact=True)

        a, b = here.values[1], here.values[1] + SECANT_STEP * float(self.sizes[1])
        first = fold_at(a)
        fa = np.nan if first is None else first.tangent.value
        for _ in range(MAX_SECANTS):
            point = fold_at(b)
            if point is None or not np.isfinite(fa):
                return None
            fb = point.tangent.value
            if fb == fa or abs(b - a) <= ROOT_TOLERANCE * float(self.sizes[1]):
                return TwoValues((point.point.value, b), point, 0)
            a, fa, b = b, fb, b - fb * (b - a) / (fb - fa)
            if not abs(b - here.values[1]) < float(self.sizes[1]):
                return None
        return None

    def fold_bend(self, found: TwoValues) -> float:
        """The second derivative of the first value along the family, in a fold: zero in a cusp."""
        curve = self.curves[0]
        curve.problem.p[_place(self.families[1])] = found.values[1]
        both = [curve.ahead(found.at, s * CURVATURE_STEP, exact=True) for s in (1.0, -1.0)]
        ends = [np.nan if c is None else c.tangent.value for c in both]
        return float((ends[0] - ends[1]) / (2 * CURVATURE_STEP))

    @property
    def halves(self) -> int:
        return self.families[0].setting.halves

    def doubled_multiplier(self, found: TwoValues, part: float) -> float:
        """The multiplier next to 1 of orbits of twice the period, at a relative distance from a period doubling; nan
        if there is none."""
        family, other = self.families
        p = family.setting.p.copy()
        p[_place(other)] = found.values[1]
        problem = family.problem_for(replace(family.setting, p=p))
        point = replace(found.at.point, value=found.values[0])
        direction = problem.next_round(problem.null_direction(point, -1.0), -1.0, point)
        whole = replace(problem.setting, period=None if problem.setting.period is None else 2 * problem.setting.period)
        twice = family.problem_for(whole)
        wide = ValueRange(family.range.low - family.range.size, family.range.high + family.range.size)
        curve = OrbitCurve(twice, wide, *family.steps)
        made = curve.beside(problem.next_round(point), direction, part, found.at.mesh_error)
        if made is None:
            return np.nan
        m = without_trivial(twice.multipliers(made.point, twice.maps(made.point)), whole.period is not None)[0]
        return float(m[np.argmin(np.abs(m - 1))].real)

    def _at_bound(self, here: TwoValues, there: TwoValues) -> TwoValues | None:
        """The special orbit at the bound that lies between two of them."""
        a, b = np.array(here.values), np.array(there.values)
        bounds = np.array([[r.low, r.high] for r in self.ranges])
        beyond = np.maximum(b - bounds[:, 1], bounds[:, 0] - b) / self.sizes
        given = int(np.argmax(beyond))
        bound = bounds[given, 1] if b[given] > bounds[given, 1] else bounds[given, 0]
        wanted = a + (b - a) * (bound - a[given]) / (b[given] - a[given])
        side = 1 - given
        self.curves[side].problem.p[_place(self.families[given])] = bound
        found = self._zero(self.curves[side], here, float(wanted[side]), side)
        if found is None:
            return None
        values = (found.point.value, float(bound)) if side == 0 else (float(bound), found.point.value)
        return TwoValues(values, found, side)

    def _zero(self, curve: OrbitCurve, here: TwoValues, foreseen: float, side: int) -> OrbitCurvePoint | None:
        """The zero along a family near an orbit, by secants."""
        guess = replace(here.at.point, value=foreseen)
        if (
            side == here.side or self.kind == "fold"
        ):  # in a fold the direction along the family is the same over both values
            tangent = here.at.tangent
            dual = curve.problem.dual(tangent, guess.sizes, curve.scales_of(guess))
            planes = (curve.problem.phase(guess), curve.problem.across(guess, dual))
        else:
            planes = (curve.problem.phase(guess), curve.problem.fixed(guess))
        corrected = curve.problem.corrected(guess, planes, 1e-9)
        if corrected is None:
            return None
        first = curve.made(corrected, None, here.at.mesh_error, exact=True)
        (a, fa), b = (0.0, self.function(first)), SECANT_STEP
        for _ in range(MAX_SECANTS):
            point = curve.ahead(first, b, exact=True)
            if point is None:
                return None
            fb = self.function(point)
            if fb == fa:
                return point if fb == 0 else None
            a, fa, b = b, fb, b - fb * (b - a) / (fb - fa)
            if abs(b - a) <= ROOT_TOLERANCE * max(1.0, abs(b)) or (fb == 0):
                return point
            if not abs(b) < 1:
                return None
        return None
