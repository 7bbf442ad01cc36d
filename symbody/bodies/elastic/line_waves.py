"""Exact sines and cosines on a line: shape functions of beams with pinned ends, whose vibration modes they are.

    f(X) = Σ c X^p cos mπX + d X^p sin mπX,     X from 0 to 1

Such sums are closed under products, derivatives and integrals, and their coefficients stay polynomials in π and 1 / π
with rational coefficients: nothing is rounded. Cosines are orthogonal on the line, so that v'² of n sines has 2 n
terms, of which each coordinate enters few.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from ...algebra.graph.functions import cos, sin
from ...algebra.graph.graph import PI, ZERO, Expr, as_expr
from .line_functions import Component, LineFunction

Wave = tuple[int, int, bool]  # X^p times the cosine of mπX, or its sine
Number = dict[int, Fraction]  # by powers of π


def pi_polynomial(number: Mapping[int, Fraction]) -> Expr:
    return sum((as_expr(c) * PI**r for r, c in sorted(number.items()) if c), ZERO)


@dataclass(frozen=True)
class Waves(LineFunction):
    """A function on a line of one piece: coefficients by wave and power of π."""

    terms: Mapping[tuple[Wave, int], Fraction]

    @staticmethod
    def sine(m: int) -> Waves:
        return Waves({((0, m, True), 0): Fraction(1)})

    @staticmethod
    def cosine(m: int) -> Waves:
        return Waves({((0, m, False), 0): Fraction(1)})

    @staticmethod
    def power(p: int) -> Waves:
        """X^p."""
        return Waves({((p, 0, False), 0): Fraction(1)})

    @property
    def n(self) -> int:
        return 1

    @property
    def is_zero(self) -> bool:
        return not self.terms

    @property
    def position(self) -> Waves:
        return Waves.power(1)

    @property
    def one(self) -> Waves:
        return Waves.power(0)

    # ------------------------------------------------------------------------------------------------ rules

    def scaled(self, factor: Fraction) -> Waves:
        return Waves({k: factor * c for k, c in self.terms.items()})

    def __mul__(self, other: Waves) -> Waves:
        """cos a cos b = ½ (cos(a - b) + cos(a + b)) and its kin."""
        out = _WaveSum()
        for ((p, a, is_sine), r), c in self.terms.items():
            for ((q, b, is_other_sine), s), d in other.terms.items():
                half = c * d / 2
                for m, sign in (
                    (a - b, -1 if is_other_sine and not is_sine else 1),
                    (a + b, -1 if is_sine and is_other_sine else 1),
                ):
                    out.add(p + q, m, is_sine != is_other_sine, r + s, sign * half)
        return out.waves

    @cached_property
    def slope(self) -> Waves:
        out = _WaveSum()
        for ((p, m, is_sine), r), c in self.terms.items():
            out.add(p - 1, m, is_sine, r, p * c)
            out.add(p, m, not is_sine, r + 1, (m if is_sine else -m) * c)
        return out.waves

    def primitive(self, origin: int | None) -> Waves:
        out = _WaveSum()
        for ((p, m, is_sine), r), c in self.terms.items():
            _integrate(out, p, m, is_sine, r, c)
        whole = out.waves
        less = whole._end(origin) if origin is not None else whole._mean
        for r, c in less.items():
            out.add(0, 0, False, r, -c)
        return out.waves

    def with_shapes_between(self, count: int) -> Waves:
        return Waves({((p, m, is_sine), r): c for ((p, m, is_sine), r), c in self.terms.items() if m <= count})

    def _end(self, X: int) -> Number:
        """The value at 0 or 1."""
        out: Number = {}
        for ((p, m, is_sine), r), c in self.terms.items():
            if not is_sine and (p == 0 or X == 1):
                out[r] = out.get(r, Fraction(0)) + (-c if m * X % 2 else c)
        return out

    @property
    def _mean(self) -> Number:
        out: Number = {}
        for (wave, r), c in self.terms.items():
            for s, d in mean_of_wave(*wave).items():
                out[r + s] = out.get(r + s, Fraction(0)) + c * d
        return out

    # ------------------------------------------------------------------------------------------------ values

    def at(self, X: Expr) -> Expr:
        total = ZERO
        for (p, m, is_sine), number in self._by_wave.items():
            angle = m * X * PI
            total = total + pi_polynomial(number) * X**p * (sin(angle) if is_sine else cos(angle))
        return total

    def product_integral(self, other: Waves) -> Expr:
        return pi_polynomial((self * other)._mean)

    def piece_integral(self, other: Waves, piece: int, k: int) -> Expr:
        return pi_polynomial((self * other * Waves.power(k))._mean)

    @cached_property
    def _by_wave(self) -> dict[Wave, Number]:
        out: dict[Wave, Number] = {}
        for (wave, r), c in self.terms.items():
            out.setdefault(wave, {})[r] = c
        return out

    def components(self) -> Iterator[tuple[Component, Expr]]:
        for wave, number in self._by_wave.items():
            yield wave, pi_polynomial(number)

    def component(self, key: Component) -> Waves:
        return Waves({(key, 0): Fraction(1)})

    def mean_square(self, key: Component) -> Waves:
        return Waves({((0, 0, False), r): c for r, c in (self.component(key) * self.component(key))._mean.items()})


class _WaveSum:
    """A sum in the making: sines of zero vanish, cos(-a) = cos a, sin(-a) = -sin a."""

    def __init__(self) -> None:
        self.terms: dict[tuple[Wave, int], Fraction] = {}

    def add(self, p: int, m: int, is_sine: bool, r: int, c: Fraction) -> None:
        if not c or (is_sine and m == 0):
            return
        key = (p, abs(m), is_sine), r
        self.terms[key] = self.terms.get(key, Fraction(0)) + (-c if is_sine and m < 0 else c)

    @property
    def waves(self) -> Waves:
        return Waves({k: c for k, c in self.terms.items() if c})


def _integrate(out: _WaveSum, p: int, m: int, is_sine: bool, r: int, c: Fraction) -> None:
    """Adds a primitive of one term, by parts: ∫ X^p cos mπX = X^p sin mπX / mπ - p / mπ ∫ X^(p-1) sin mπX."""
    if m == 0:
        out.add(p + 1, 0, False, r, c / (p + 1))
        return
    while c:
        by = c / m if not is_sine else -c / m
        r -= 1
        out.add(p, m, not is_sine, r, by)
        c, p, is_sine = -p * by, p - 1, not is_sine


@lru_cache(maxsize=4096)
def mean_of_wave(p: int, m: int, is_sine: bool) -> Number:
    """∫ from 0 to 1 of X^p cos mπX, or sin mπX."""
    out = _WaveSum()
    _integrate(out, p, m, is_sine, 0, Fraction(1))
    whole = out.waves
    found = whole._end(1)
    for r, c in whole._end(0).items():
        found[r] = found.get(r, Fraction(0)) - c
    return found


def waves(kind: str, count: int) -> list[tuple[Waves, bool]]:
    """Of deflections the vibrations of a beam with pinned ends, sin kπX / kπ, whose coordinates are slopes at the ends:
    then v'² is a sum of their products without factors. Of stretch and twist X and sin kπX: what forces at the ends do,
    and vibrations between held ends. With each, whether its coordinate is a slope."""
    if kind in ("x", "twist"):
        return [(Waves.power(1), False), *((Waves.sine(k), False) for k in range(1, count))]
    return [(Waves({((0, k, True), -1): Fraction(1, k)}), True) for k in range(1, count + 1)]
