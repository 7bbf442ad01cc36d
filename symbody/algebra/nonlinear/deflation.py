"""Deflation: rows that vanish only at zeros not yet known, because the known ones are divided out (Farrell, Birkisson
and Funke 2015, *Deflation techniques for finding distinct solutions of nonlinear partial differential equations*).

    G(x) = m(x) F(x),   m = Π (1 + 1 / dk²),   dk the distance from zero k

Directions in which a zero is not isolated (undetermined unknowns) do not count in the distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .metric import UnknownsMetric
from .nonlinear import Solution, System
from .trust_region import Array


@dataclass(frozen=True)
class KnownZero:
    """A zero, and an orthonormal basis of the directions in which it is not isolated (columns, in units of the
    sizes)."""

    x: Array
    along: Array

    @classmethod
    def of(cls, found: Solution, metric: UnknownsMetric) -> KnownZero:
        scaled = found.null_space / np.where(np.isfinite(metric.sizes), metric.sizes, 1.0)[:, None]
        scaled[~np.isfinite(metric.sizes)] = 0.0
        return cls(found.x, np.linalg.qr(scaled)[0] if scaled.size else scaled)

    def longer(self, more: int) -> KnownZero:
        """With further unknowns that count nowhere."""
        return KnownZero(
            np.append(self.x, np.zeros(more)), np.vstack([self.along, np.zeros((more, self.along.shape[1]))])
        )

    def across(self, d: Array) -> Array:
        return np.asarray(d - self.along @ (self.along.T @ d))


def deflated_system(system: System, known: Sequence[KnownZero], metric: UnknownsMetric) -> System:
    """The system with its known zeros divided out. Its rounding bounds are unknown."""

    def function(x: Array) -> tuple[Array, Array]:
        F, J = system.function(x)
        m, gradient = 1.0, np.zeros(len(x))
        for zero in known:
            d, slope = metric.smooth(x, zero.x)
            d = zero.across(d)
            square = max(float(d @ d), 1e-30)
            factor = 1 + 1 / square
            gradient = gradient * factor - m * 2 * (d * slope) / square**2
            m *= factor
        gradient[~J.any(axis=0)] = (
            0.0  # of unknowns that no row has, rounding: scaled like the others, it would be followed
        )
        return m * F, m * J + np.outer(F, gradient)

    return replace(system, function=function, rounding=None, slope_rounding=None)
