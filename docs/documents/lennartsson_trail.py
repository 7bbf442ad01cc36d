"""Trails at which the bicycle's stability changes (Lennartsson 7.4.4), from the characteristic polynomial of lean and steer.

M q̈ + V C q̇ + (K0 + V² K2) q = 0 has a4 s⁴ + V a3 s³ + a2 s² + V a1 s + a0 = 0; it is stable where all coefficients and
a3 a2 a1 - a4 a1² - a3² a0 are positive.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

import symbody as sb


class Coefficients(NamedTuple):
    """Of the characteristic polynomial at a speed, highest power first."""

    a4: float
    a3: float
    a2: float
    a1: float
    a0: float

    @property
    def oscillation(self) -> float:
        """Positive where oscillations are damped."""
        return self.a3 * self.a2 * self.a1 - self.a4 * self.a1**2 - self.a3**2 * self.a0


class Trails:
    """Stability over the trail of a linear system with the symbol `trail`, in lean and steer.

    values   of parameters where they are not those of the model
    """

    def __init__(self, trailing: sb.LinearSystem, **values: float) -> None:
        form = trailing.second_order("q1", "q2")
        V, trail = sb.symbols("V trail")
        self.parameters = [s for s in trailing.defaults if s not in (V, trail)]
        outputs = {"M": form.M, "C": form.D + form.G, "K": form.K + form.N}
        self._at = sb.compile(sb.program("bicycle", {"V": V, "trail": trail, "p": self.parameters}, outputs))
        self._defaults = {s.name: float(trailing.defaults[s]) for s in self.parameters}
        self._p = np.array(list((self._defaults | values).values()))

    def with_values(self, **values: float) -> Trails:
        """The same with other parameters, without compiling again."""
        other = copy(self)
        other._p = np.array([values.get(s.name, self._defaults[s.name]) for s in self.parameters])
        return other

    def matrices(self, trail: float) -> tuple[np.ndarray, ...]:
        """M, C, K0 and K2."""
        (M, C, first), (_, _, second) = self._at(1.0, trail, self._p), self._at(2.0, trail, self._p)
        K2 = (second - first) / 3
        return M, C, first - K2, K2

    def coefficients(self, V: float, trail: float, gravity: float = 1.0) -> Coefficients:
        M, C, K0, K2 = self.matrices(trail)
        A, K = V * C, gravity * K0 + V**2 * K2
        mixed = [
            X[0, 0] * Y[1, 1] + X[1, 1] * Y[0, 0] - X[0, 1] * Y[1, 0] - X[1, 0] * Y[0, 1]
            for X, Y in ((M, A), (M, K), (A, K))
        ]
        return Coefficients(_det(M), mixed[0], mixed[1] + _det(A), mixed[2], _det(K))

    def capsize(self, trail: float) -> float:
        """The speed above which it falls over: det(K0 + V² K2) = 0, which is linear in V² since K2 has rank one."""
        _, _, K0, K2 = self.matrices(trail)
        return float(np.sqrt(-_det(K0) / _mixed(K0, K2)))

    def weave(self, trail: float) -> float:
        """The speed above which its oscillation is damped."""
        return _root(lambda V: self.coefficients(V, trail).oscillation, 2.0, 5.0)

    @property
    def never_falls_over(self) -> float:
        """The trail above which there is no capsize speed."""
        return _root(lambda trail: _mixed(*self.matrices(trail)[2:]), 0.1, 0.3)

    @property
    def range_vanishes(self) -> float:
        """The trail at which weave and capsize speed meet: a0 = 0 and a3 a2 = a4 a1."""

        def meeting(trail: float) -> float:
            c = self.coefficients(self.capsize(trail), trail)
            return c.a3 * c.a2 - c.a4 * c.a1

        return _root(meeting, -0.009, 0.02)

    @property
    def growth_grows(self) -> float:
        """The trail below which an eigenvalue grows with the speed: that of V → ∞, where gravity is of no account."""
        return _root(lambda trail: self.coefficients(1.0, trail, gravity=0.0).oscillation, -0.06, -0.03)


def _det(X: np.ndarray) -> float:
    return float(X[0, 0] * X[1, 1] - X[0, 1] * X[1, 0])


def _mixed(X: np.ndarray, Y: np.ndarray) -> float:
    return float(X[0, 0] * Y[1, 1] + X[1, 1] * Y[0, 0] - X[0, 1] * Y[1, 0] - X[1, 0] * Y[0, 1])


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    return float(brentq(f, low, high, xtol=1e-13))
