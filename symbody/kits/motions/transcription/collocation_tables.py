"""Collocation methods as tables: which points of an interval have equations, and how states follow from rates there.

On an interval of length h with points 0 = c_0 < ... < c_m = 1 the rates are the polynomial through those at the
collocated points, with the Lagrange basis ℓ_j:

    x(τ) = x_0 + h Σ_j f_j ∫_0^τ ℓ_j,     τ in [0, 1]

At the other points this is a row of equations Σ_j A_ij x_j - h Σ_j B_ij f_j = 0. With two and three Lobatto points
these are the trapezoidal rule and the separated form of Hermite-Simpson (Betts 2010, section 4.5); with the points of
Radau, which do not include 0, the rows are solved for the rates, so that each contains the equations of one point only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final

import numpy as np
from numpy.polynomial import Polynomial, legendre

import symbody as sb

from ....errors import shown, unknown

Array = np.ndarray[Any, np.dtype[np.float64]]
METHODS: Final = ("trapezoidal", "hermite-simpson", "radau", "shooting")
MOST_STEPS: Final = 20  # of Runge-Kutta in an interval
DEGREE: Final = 3  # of Radau, and steps of shooting, where none is given
MOST_POINTS: Final = 9  # of Radau in an interval


@dataclass(frozen=True, eq=False)
class CollocationTable:
    """A method: `points` of an interval, of which the first is collocated or not, and the order of its error at the ends
    of intervals."""

    name: str
    points: Array
    starts_collocated: bool
    order: int
    shooting_steps: int = 0  # of Runge-Kutta in an interval, instead of collocation

    @property
    def collocated(self) -> Array:
        """Points with equations."""
        return self.points if self.starts_collocated else self.points[1:]

    @cached_property
    def _basis(self) -> list[Polynomial]:
        """ℓ_j of the collocated points."""
        c, out = self.collocated, []
        for j, x in enumerate(c):
            others = np.delete(c, j)
            out.append(Polynomial.fromroots(others) / float(np.prod(x - others)) if len(others) else Polynomial([1.0]))
        return out

    def integrals(self, tau: Any) -> Array:
        """∫_0^τ ℓ_j, a row for each τ."""
        at = np.atleast_1d(tau)
        return np.stack([b.integ()(at) for b in self._basis], axis=1)

    def values(self, tau: Any) -> Array:
        """ℓ_j(τ), a row for each τ."""
        at = np.atleast_1d(tau)
        return np.stack([b(at) for b in self._basis], axis=1)

    @cached_property
    def rows(self) -> tuple[Array, Array]:
        """A and B, with a row for each point but the first and a column for each point."""
        a = self.integrals(self.points[1:])
        n = len(a)
        A = np.hstack([-np.ones((n, 1)), np.eye(n)])
        if self.starts_collocated:
            return A, a
        solved: Array = np.linalg.solve(a, A).astype(np.float64)
        return solved, np.hstack([np.zeros((n, 1)), np.eye(n)])

    @cached_property
    def weights(self) -> Array:
        """Of the quadrature, one for each point."""
        b = self.integrals(1.0)[0]
        return b if self.starts_collocated else np.concatenate([[0.0], b])


@cache
def collocation_table(method: str, degree: int | None) -> CollocationTable:
    """The table of a method by name; `degree` is that of the states' polynomial with Radau, 3 if it is None."""
    if degree is not None and method in ("trapezoidal", "hermite-simpson"):
        raise sb.ModelError(
            f"motions: degree= is for 'radau' and 'shooting', and {method!r} has none; got {shown(degree)}"
        )
    degree = DEGREE if degree is None else degree
    if method == "trapezoidal":
        return CollocationTable(method, np.array([0.0, 1.0]), True, 2)
    if method == "hermite-simpson":
        return CollocationTable(method, np.array([0.0, 0.5, 1.0]), True, 4)
    if method == "shooting":
        if isinstance(degree, bool) or not isinstance(degree, int) or not 1 <= degree <= MOST_STEPS:
            raise sb.ModelError(
                f"motions: degree= of shooting, its steps in an interval, must be a whole number from 1 to {MOST_STEPS}, got {shown(degree)}"
            )
        return CollocationTable(method, np.array([0.0, 1.0]), True, 4, degree)
    if method != "radau":
        raise unknown("motions", "transcription", method, METHODS, sb.ModelError)
    if isinstance(degree, bool) or not isinstance(degree, int) or not 1 <= degree <= MOST_POINTS:
        raise sb.ModelError(
            f"motions: degree= of Radau must be a whole number from 1 to {MOST_POINTS}, got {shown(degree)}"
        )
    # the right-hand points are those of P_(d-1) + P_d with the other sign
    coefficients = np.concatenate([np.zeros(degree - 1), [1.0, 1.0]])
    roots = np.sort(-legendre.legroots(coefficients).real)
    points = (np.concatenate([[-1.0], roots]) + 1) / 2
    points[-1] = 1.0
    return CollocationTable(f"radau of degree {degree}", points, False, 2 * degree - 1)
