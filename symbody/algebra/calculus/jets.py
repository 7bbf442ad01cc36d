"""Multilinear forms of expressions at numbers: ∂²e[a, b] and ∂³e[a, b, c] in real or complex directions, without
differentiating the graph.

A jet is a number x + Σ x_S ε_S with ε_i² = 0: coefficients for every set S of directions. Evaluated at x + ε₁ a + ε₂ b
+ ε₃ c, the coefficient of ε₁ε₂ε₃ of an expression is its third derivative in these directions, exact to rounding and
linear in the number of nodes (Griewank and Walther, *Evaluating Derivatives*, chapter 13, here for nilpotent
directions).
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import EvaluationError
from ..graph.graph import Expr, Symbol
from ..graph.walk import evaluation_order
from .evaluate import Arithmetic, NoValue, value_of

Coefficients = NDArray[np.complex128]


@cache
def _products(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of disjoint sets, and their unions: which coefficients meet in a product."""
    pairs = [(i, j, i | j) for i in range(size) for j in range(size) if not i & j]
    first, second, union = (np.array(x, dtype=np.intp) for x in zip(*pairs, strict=True))
    return first, second, union


class Jet:
    """Coefficients by set of directions: bit k of an index says that direction k is in it."""

    __slots__ = ("c",)

    def __init__(self, c: Coefficients) -> None:
        self.c = c

    @property
    def real(self) -> float:
        """The real part of the number itself, which comparisons look at."""
        return float(self.c[0].real)

    def _other(self, other: Any) -> Coefficients:
        if isinstance(other, Jet):
            return other.c
        out = np.zeros_like(self.c)
        out[0] = other
        return out

    def __add__(self, other: Any) -> Jet:
        return Jet(self.c + self._other(other))

    def __sub__(self, other: Any) -> Jet:
        return Jet(self.c - self._other(other))

    def __rsub__(self, other: Any) -> Jet:
        return Jet(self._other(other) - self.c)

    def __neg__(self) -> Jet:
        return Jet(-self.c)

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.c * other)
        first, second, union = _products(len(self.c))
        out = np.zeros_like(self.c)
        np.add.at(out, union, self.c[first] * other.c[second])
        return Jet(out)

    __radd__ = __add__
    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Jet:
        return self * (other.reciprocal() if isinstance(other, Jet) else 1 / other)

    def __rtruediv__(self, other: Any) -> Jet:
        return self.reciprocal() * other

    def __pow__(self, exponent: Any) -> Jet:
        if isinstance(exponent, Jet):
            if exponent.c[1:].any():
                return _exp(exponent * _log(self))
            exponent = exponent.c[0].real
        x = complex(self.c[0])
        slopes, factor = [], 1.0
        for k in range(len(self.c).bit_length()):
            slopes.append(factor * x ** (exponent - k) if factor else 0.0)
            factor *= exponent - k
        return self.through(slopes)

    def __abs__(self) -> float:
        """The size of the number itself, by which pivots are chosen."""
        return abs(complex(self.c[0]))

    def __eq__(self, other: object) -> bool:
        return bool(self.c[0] == (other.c[0] if isinstance(other, Jet) else other))

    __hash__ = None  # type: ignore[assignment]

    def reciprocal(self) -> Jet:
        """1 / x."""
        x = complex(self.c[0])
        return self.through([1 / x, -1 / x**2, 2 / x**3, -6 / x**4])

    def through(self, slopes: Sequence[complex]) -> Jet:
        """f of this jet, from f and its derivatives at the number: Σ f⁽ᵏ⁾ rᵏ / k! with r = Σ x_S ε_S, whose fourth
        power vanishes."""
        rest = self.c.copy()
        rest[0] = 0.0
        out, power, factorial = np.zeros_like(self.c), Jet(rest), 1.0
        out[0] = slopes[0]
        for k, slope in enumerate(slopes[1:], start=1):
            factorial *= k
            out += slope / factorial * power.c
            power = power * Jet(rest)
        return Jet(out)


def _function(slopes: Callable[[complex], Sequence[complex]]) -> Callable[[Jet], Jet]:
    return lambda jet: jet.through(slopes(complex(jet.c[0])))


_sin = _function(lambda x: (s := cmath.sin(x), c := cmath.cos(x), -s, -c))
_cos = _function(lambda x: (c := cmath.cos(x), -(s := cmath.sin(x)), -c, s))
_exp = _function(lambda x: (cmath.exp(x),) * 4)
_log = _function(lambda x: (cmath.log(x), 1 / x, -1 / x**2, 2 / x**3))
_sinh = _function(lambda x: (s := cmath.sinh(x), c := cmath.cosh(x), s, c))
_cosh = _function(lambda x: (c := cmath.cosh(x), s := cmath.sinh(x), c, s))


def _tan(x: Jet) -> Jet:
    return _sin(x) / _cos(x)


def _tanh(x: Jet) -> Jet:
    return _sinh(x) / _cosh(x)


def _sqrt(x: Jet) -> Jet:
    return x**0.5


_atan = _function(lambda x: (cmath.atan(x), d := 1 / (1 + x * x), -2 * x * d**2, (6 * x * x - 2) * d**3))
_asin = _function(
    lambda x: (cmath.asin(x), d := (1 - x * x) ** -0.5, x * d**3, (1 + 2 * x * x) * d**5)
)  # fmt: skip


def _acos(x: Jet) -> Jet:
    return cmath.pi / 2 - _asin(x)


def _atan2(y: Jet, x: Jet) -> Jet:
    """Analytic: the angle at the real parts, plus the small rest."""
    angle = cmath.phase(complex(x.real, y.real))
    c, s = cmath.cos(angle), cmath.sin(angle)
    return _atan((y * c - x * s) / (x * c + y * s)) + angle


_FUNCTIONS = SimpleNamespace(
    pi=cmath.pi, sin=_sin, cos=_cos, tan=_tan, exp=_exp, log=_log, sinh=_sinh, cosh=_cosh, tanh=_tanh, sqrt=_sqrt, atan=_atan, asin=_asin,
    acos=_acos, atan2=_atan2,
)  # fmt: skip


def directional_forms(
    things: Sequence[Expr], at: Mapping[Symbol, float], directions: Sequence[Mapping[Symbol, complex]]
) -> Coefficients:
    """The mixed derivative of expressions, once in each direction: [∂²e[a, b] for e in things] for two of them, ∂³ for
    three."""
    size = 1 << len(directions)

    def number(value: Any) -> Jet:
        if isinstance(value, Jet):
            return value
        c = np.zeros(size, dtype=complex)
        c[0] = float(value)
        return Jet(c)

    def seeded(s: Symbol) -> Jet:
        jet = number(at[s])
        for k, direction in enumerate(directions):
            jet.c[1 << k] = direction.get(s, 0.0)
        return jet

    arithmetic = Arithmetic(_FUNCTIONS, number)
    value: dict[Any, Any] = {}
    for n in evaluation_order(list(things)):
        value[n] = seeded(n) if isinstance(n, Symbol) else value_of(arithmetic, n, [value[a] for a in n.args])
    found = [value[e] for e in things]
    if bad := next((v for v in found if isinstance(v, NoValue)), None):
        raise EvaluationError(bad.why)
    return np.array([v.c[-1] for v in found], dtype=complex)
