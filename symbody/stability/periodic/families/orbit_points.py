"""Special orbits of a branch: where its number of unstable multipliers changes, located and named.

With the nontrivial multipliers μ, the functions that change sign are

    dλ/ds                fold: stable and unstable orbits meet
    Π (1 + μᵢ)           period doubling; of half a period with a mirror, the mirror symmetry breaks
    Π (1 - μᵢ μⱼ)        Neimark-Sacker: a pair leaves the unit circle, and a second frequency appears
    Π (1 - μᵢ)           without a fold: branches of orbits cross
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Final

import numpy as np

from ....summary import Introduced
from ...spectra.pencil import Complex
from .orbit_curve import OrbitCurve, OrbitCurvePoint

WORDS: Final = {
    "fold": "stable and unstable orbits meet",
    "period doubling": "orbits of twice the period begin or end",
    "symmetry breaking": "orbits that are not their own mirror image begin or end",
    "Neimark-Sacker": "a motion with a second frequency begins or ends",
    "branch point": "branches of orbits cross",
}
UNIT_CIRCLE_TOLERANCE: Final = 1e-4  # distance from the unit circle below which a pair of multipliers lies on it
ROOT_TOLERANCE: Final = 1e-12  # tolerance of the zero of a test function relative to the step
# largest values of a test function whose sign change is noise: multipliers that come in equal pairs
ZERO_TEST: Final = (
    1e-6  # of functions that are zero all along: multipliers of conservative motions come in reciprocal pairs
)
MAX_STEPS: Final = 60  # largest number of steps of regula falsi
# offsets relative to the interval that are tried where no orbit is found at a point
OFFSETS: Final = (0.0, 1e-3, -1e-3, 0.03, -0.03, 0.3, -0.3)


@dataclass(frozen=True)
class SpecialOrbit(Introduced):
    """A special orbit of a branch: its kind, the value of the varied quantity, its period, behind which point it lies, the
    multiplier on the unit circle.

    place   it lies behind so many orbits of the branch
    at      the orbit itself, in numbers

    >>> sorted(sb.stability.SpecialOrbit.__dataclass_fields__)
    ['at', 'kind', 'multiplier', 'period', 'place', 'value']

    See also: `stability.OrbitBranch`, `orbits`.
    """

    kind: str
    value: float
    period: float
    place: int
    multiplier: complex
    at: OrbitCurvePoint

    @property
    def factor(self) -> float:
        """The multiplier, if it is real: the factor of a direction to other orbits after one period."""
        return -1.0 if self.multiplier.real < 0 else 1.0

    @property
    def opens(self) -> bool:
        """Whether other orbits begin here that `switched` follows.

        >>> point = sb.stability.SpecialOrbit("period doubling", 0.3, 6.28, 4, -1.0, None)
        >>> point.opens, point.factor
        (True, -1.0)
        """
        return self.kind in ("period doubling", "symmetry breaking", "branch point")

    def __str__(self) -> str:
        return f"{self.kind} at {self.value:z.10g}, period {self.period:z.10g}: {WORDS[self.kind]}"


def special_between(curve: OrbitCurve, place: int, here: OrbitCurvePoint, there: OrbitCurvePoint) -> list[SpecialOrbit]:
    """Special orbits between two of a branch."""
    has_mirror = curve.problem.setting.mirror is not None

    def of(test: Callable[[Complex], float]) -> Callable[[OrbitCurvePoint], float]:
        return lambda c: test(c.nontrivial)

    def direction(c: OrbitCurvePoint) -> float:
        return c.tangent.value

    turns = direction(here) * direction(there) < 0
    tests = {
        "fold": direction,
        "symmetry breaking" if has_mirror else "period doubling": of(doubling),
        "Neimark-Sacker": of(second_frequency),
    }
    if not turns:
        tests["branch point"] = of(crossing)
    out = []
    for kind, test in tests.items():
        for function in (test, of(OUTSIDE[kind])) if kind in OUTSIDE else (test,):
            if _changes(kind, function(here), function(there)):
                found = _orbit_at_sign_change(curve, here, there, function)
                out += [] if found is None else _special_orbit(curve, kind, place, found)
                break
    return sorted(out, key=lambda s: s.value * (1 if there.point.value > here.point.value else -1))


def zero_function(kind: str) -> Callable[[OrbitCurvePoint], float]:
    """The function of an orbit of a family that is zero in special ones of a kind, and regular there."""

    def of_multipliers(test: Callable[[Complex], float]) -> Callable[[OrbitCurvePoint], float]:
        return lambda c: test(c.nontrivial)

    return {
        "fold": lambda c: c.tangent.value,
        "period doubling": of_multipliers(doubling),
        "symmetry breaking": of_multipliers(doubling),
        "Neimark-Sacker": of_multipliers(second_frequency),
    }[kind]


def _changes(kind: str, before: float, behind: float) -> bool:
    return before * behind < 0 and (kind == "fold" or max(abs(before), abs(behind)) > ZERO_TEST)


def _beyond_minus_one(m: Complex) -> float:
    """How far the real multiplier next to -∞ lies beyond -1, or those on the circle before it."""
    return max((-x.real - 1 for x in m.tolist()), default=-1.0)


def _beyond_one(m: Complex) -> float:
    return max((x.real - 1 for x in m.tolist()), default=-1.0)


def doubling(m: Complex) -> float:
    """Π (1 + μᵢ), of the order of 1."""
    return prod(((1 + x) / (1 + abs(x)) for x in m.tolist()), start=complex(1)).real


def crossing(m: Complex) -> float:
    """Π (1 - μᵢ), of the order of 1."""
    return prod(((1 - x) / (1 + abs(x)) for x in m.tolist()), start=complex(1)).real


def second_frequency(m: Complex) -> float:
    """Π (1 - μᵢ μⱼ), of the order of 1."""
    pairs = (a * b for a, b in combinations(m.tolist(), 2))
    return prod(((1 - x) / (1 + abs(x)) for x in pairs), start=complex(1)).real


def is_next_to(first: Complex, at: Complex, factor: float) -> bool:
    """Whether no special orbit lies between a special orbit and one of the family that begins there: the functions
    that change their signs at special orbits have the signs that they have at its beginning.

    first, at   nontrivial multipliers of the orbit, and of the special one
    factor      of the direction in which the family begins; -1 if its orbits take two rounds
    """
    begun = at**2 if factor < 0 else at
    others = np.delete(begun, np.argmin(np.abs(begun - 1))) if len(begun) else begun
    return (doubling(others) * doubling(first) > 0) and (second_frequency(begun) * second_frequency(first) >= 0)


def _special_orbit(curve: OrbitCurve, kind: str, place: int, found: OrbitCurvePoint) -> list[SpecialOrbit]:
    """The special orbit, if its multipliers are those of its kind."""
    m = found.nontrivial
    own = np.append(m, 1.0)
    target = {"fold": 1.0, "branch point": 1.0}.get(kind, -1.0)
    if kind == "Neimark-Sacker":
        pairs = m[m.imag > UNIT_CIRCLE_TOLERANCE]
        if not len(pairs) or np.abs(np.abs(pairs) - 1).min() > UNIT_CIRCLE_TOLERANCE:
            return []
        chosen = complex(pairs[np.argmin(np.abs(np.abs(pairs) - 1))])
    else:
        chosen = complex(own[np.argmin(np.abs(own - target))])
        if abs(chosen - target) > 0.05:
            return []
    point = found.point
    return [SpecialOrbit(kind, point.value, point.T * curve.problem.setting.halves, place, chosen, found)]


def _orbit_at_sign_change(
    curve: OrbitCurve, here: OrbitCurvePoint, there: OrbitCurvePoint, test: Callable[[OrbitCurvePoint], float]
) -> OrbitCurvePoint | None:
    """The orbit between two others at which a function changes its sign; None if it cannot be approached."""
    far = curve.distance(here, there)
    known: dict[float, OrbitCurvePoint | None] = {0.0: here}

    def value(s: float) -> float:
        if s not in known:
            known[s] = curve.ahead(here, s, exact=True)
        point = known[s]
        return np.nan if point is None else test(point)

    if not value(0.0) * value(far) <= 0:
        return None
    s = zero_between(value, far, ROOT_TOLERANCE * max(far, 1e-6))
    return known[s]


def zero_between(value: Callable[[float], float], far: float, enough: float) -> float:
    """A zero between 0 and far, at which the signs differ, by regula falsi (Illinois); next to it Newton's method
    may fail, since rows become dependent where branches cross: then a neighbouring point is used."""
    (a, fa), (b, fb), side, last = (0.0, value(0.0)), (far, value(far)), 0, far
    for _ in range(MAX_STEPS):
        middle = b - fb * (b - a) / (fb - fa)
        tried = ((s, value(s)) for part in OFFSETS if a < (s := middle + part * (b - a)) < b)
        s, f = next(((s, f) for s, f in tried if np.isfinite(f)), (last, 0.0))
        if f == 0 or abs(s - last) <= enough or b - a <= enough:
            return s
        last = s
        if f * fb > 0:
            b, fb, fa, side = s, f, fa / 2 if side < 0 else fa, -1
        else:
            a, fa, fb, side = s, f, fb / 2 if side > 0 else fb, 1
    return last


# Counts of critical multipliers by kind: if multipliers come in equal pairs, as for a spatially symmetric motion,
# products
# do not change sign
OUTSIDE: Final = {
    "period doubling": _beyond_minus_one,
    "symmetry breaking": _beyond_minus_one,
    "branch point": _beyond_one,
}
