"""Special orbits of codimension two, on curves of folds, period doublings and Neimark-Sacker points over two values.

Along the curve one multiplier, or a pair, has the critical value of its kind. With the others, μ, and t the sum of the
pair of a Neimark-Sacker point, the functions that change sign are

    Π (1 - μᵢ)           fold-flip on period doublings, 1:1 resonance on folds
    Π (1 + μᵢ)           fold-flip on folds, 1:2 resonance on period doublings
    Π (1 - μᵢ μⱼ)        a second frequency beside a fold or a period doubling
    t - 2 cos(2π/n)      n:1 resonances, n = 1 ... 4, on Neimark-Sacker points
    λ''                  cusp, of folds: the second derivative of the first value along the family
    c                    generalised flip: 1 - 2 c A² is the multiplier of orbits of twice the period with the amplitude A
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from ....summary import Introduced
from ...spectra.pencil import Complex
from .orbit_points import crossing, doubling, second_frequency, zero_between

if TYPE_CHECKING:
    from .special_orbit_curve import TwoFamilies, TwoValues

WORDS: Final = {
    "cusp": "two folds meet and vanish",
    "fold-flip": "folds and period doublings meet",
    "1:1 resonance": "two multipliers are 1",
    "1:2 resonance": "two multipliers are -1",
    "1:3 resonance": "the second frequency is a third of the first",
    "1:4 resonance": "the second frequency is a quarter of the first",
    "fold-Neimark-Sacker": "folds and Neimark-Sacker points meet",
    "flip-Neimark-Sacker": "period doublings and Neimark-Sacker points meet",
    "generalised flip": "orbits of twice the period change from stable to unstable beginnings",
}
SUMS: Final = {"1:1 resonance": 2.0, "1:2 resonance": -2.0, "1:3 resonance": -1.0, "1:4 resonance": 0.0}
ZERO_TEST: Final = 1e-7  # largest values of a test function whose sign change is rounding noise
ROOT_TOLERANCE: Final = 1e-10  # tolerance of the zero of a test function relative to a step of the curve
DOUBLED_AMPLITUDE: Final = 0.01  # amplitude of neighbouring orbits of twice the period, relative to the orbit

Test = Callable[["TwoValues"], float]


@dataclass(frozen=True)
class DegenerateOrbit(Introduced):
    """A special orbit of codimension two: its kind, both values, its period, and behind which point of the curve it lies.

    place   it lies behind so many orbits of the curve
    at      the orbit itself, in numbers

    >>> sorted(sb.stability.DegenerateOrbit.__dataclass_fields__)
    ['at', 'kind', 'period', 'place', 'values']

    See also: `stability.SpecialOrbitCurve`, `stability.SpecialOrbit`.
    """

    kind: str
    values: tuple[float, float]
    period: float
    place: int
    at: TwoValues

    def known(self, varied: tuple[str, str]) -> dict[str, float]:
        """Both values and the period, by name.

        >>> point = sb.stability.DegenerateOrbit("cusp", (0.5, 2.0), 6.28, 4, None)
        >>> point.known(("a", "b"))
        {'a': 0.5, 'b': 2.0, 'period': 6.28}
        """
        return {**dict(zip(varied, self.values, strict=True)), "period": self.period}

    def __str__(self) -> str:
        a, b = self.values
        return f"{self.kind} at ({a:z.10g}, {b:z.10g}), period {self.period:z.10g}: {WORDS[self.kind]}"


def degenerate_orbits(curve: TwoFamilies, found: Sequence[TwoValues]) -> Iterator[DegenerateOrbit]:
    """Between points of a curve, in order."""
    tests = _tests(curve)
    values = [{kind: test(point) for kind, test in tests.items()} for point in found]
    for place, ((here, there), (before, behind)) in enumerate(zip(pairwise(found), pairwise(values), strict=True)):
        passed = there if there.before is not None and np.allclose(there.before.values, here.values) else here
        if passed.before is not None and (passed is there or np.allclose(passed.before.values, there.values)):
            yield from _cusp(curve, passed.before, passed, place)
            continue
        for kind, test in tests.items():
            if before[kind] * behind[kind] < 0 and max(abs(before[kind]), abs(behind[kind])) > ZERO_TEST:
                at = _orbit_at_zero(curve, here, there, test, (before[kind], behind[kind]))
                if at is not None:
                    yield DegenerateOrbit(kind, at.values, at.at.point.T * curve.halves, place, at)


def _tests(curve: TwoFamilies) -> dict[str, Test]:
    """Functions that change their signs, by kind."""

    def of(rest: Callable[[Complex], Complex], function: Callable[[Complex], float]) -> Test:
        return lambda found: function(rest(found.at.nontrivial))

    if curve.kind == "Neimark-Sacker":
        sums = {kind: of(_pair, lambda m, s=value: float(m.sum().real) - s) for kind, value in SUMS.items()}  # type: ignore[misc]
        return sums | {
            "fold-Neimark-Sacker": of(_without_pair, crossing),
            "flip-Neimark-Sacker": of(_without_pair, doubling),
        }
    if curve.kind == "fold":
        rest = _without(1.0)
        return {
            "fold-flip": of(rest, doubling),
            "1:1 resonance": of(rest, crossing),
            "fold-Neimark-Sacker": of(rest, second_frequency),
        }
    rest = _without(-1.0)
    tests = {
        "fold-flip": of(rest, crossing),
        "1:2 resonance": of(rest, doubling),
        "flip-Neimark-Sacker": of(rest, second_frequency),
    }
    return tests | ({"generalised flip": lambda found: _bend(curve, found)} if curve.kind == "period doubling" else {})


def _without(target: float) -> Callable[[Complex], Complex]:
    """All multipliers but the one that the kind of the curve is about."""
    return lambda m: np.delete(m, np.argmin(np.abs(m - target)))


def _places(m: Complex) -> tuple[int, int]:
    """The pair whose product is nearest to 1."""
    off = np.abs(np.outer(m, m) - 1) + np.where(np.tri(len(m), dtype=bool), np.inf, 0.0)
    i, j = np.unravel_index(int(np.argmin(off)), off.shape)
    return int(i), int(j)


def _pair(m: Complex) -> Complex:
    return m[list(_places(m))]


def _without_pair(m: Complex) -> Complex:
    return np.delete(m, _places(m))


def _orbit_at_zero(
    curve: TwoFamilies, here: TwoValues, there: TwoValues, test: Test, ends: tuple[float, float]
) -> TwoValues | None:
    """The orbit of the curve between two others at which a function is zero; None if it cannot be approached."""
    known: dict[float, TwoValues | None] = {0.0: here, 1.0: there}
    numbers = {0.0: ends[0], 1.0: ends[1]}

    def value(part: float) -> float:
        if part not in numbers:
            known[part] = curve.between(here, there, part)
            point = known[part]
            numbers[part] = np.nan if point is None else test(point)
        return numbers[part]

    return known[zero_between(value, 1.0, ROOT_TOLERANCE)]


def _cusp(curve: TwoFamilies, here: TwoValues, there: TwoValues, place: int) -> Iterator[DegenerateOrbit]:
    """Between folds on both sides of it, along the family."""
    far, known = curve.curves[0].distance(here.at, there.at), {0.0: here, 1.0: there}

    def bend(part: float) -> float:
        if part not in known and (found := curve.along_orbit(here, part * far)) is not None:
            known[part] = found
        return curve.fold_bend(known[part]) if part in known else np.nan

    at = known.get(zero_between(bend, 1.0, ROOT_TOLERANCE))
    if at is not None:
        yield DegenerateOrbit("cusp", at.values, at.at.point.T * curve.halves, place, at)


def _bend(curve: TwoFamilies, found: TwoValues) -> float:
    """c, by orbits of twice the period with two amplitudes, which eliminates the term of fourth order."""
    off = [curve.doubled_multiplier(found, part) for part in (DOUBLED_AMPLITUDE, 2 * DOUBLED_AMPLITUDE)]
    return float((16 * (1 - off[0]) - (1 - off[1])) / (24 * DOUBLED_AMPLITUDE**2))
