"""The point c of a circle over which a line between two points outside bends from within: the one with the least
|a - c| + |b - c|, so that both straight parts make the same angle ψ with the radius there.

By the law of sines in the triangles that the centre, c and each end make, with G the angle between the ends:

    φ₁ = ψ - asin(A sin ψ),   φ₂ = ψ - asin(B sin ψ),   A = R/d₁,   B = R/d₂,   φ₁ + φ₂ = G

whose left sides are convex in ψ, so that Newton's method descends to the root from the point where their tangent at
ψ = 0 reaches G. MuJoCo solves the same equation for sin ψ (documentation of `mju_wrap`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ...algebra.graph.functions import atan2, cos, minimum, sin, sqrt, where
from ...algebra.graph.graph import PI, ZERO, Expr

# number of Newton iterations, enough to reach rounding for ends a thousandth of the radius from the circle
ITERATIONS: Final = 11


@dataclass(frozen=True, eq=False)
class InnerBend:
    """For ends at distances d₁, d₂ from the centre, both outside, and an angle G between them."""

    d1: Expr
    d2: Expr
    between: Expr
    radius: Expr

    @cached_property
    def incidence(self) -> Expr:
        """ψ."""
        A, B = self.radius / self.d1, self.radius / self.d2
        psi = minimum(self.between / _positive(2 - A - B), PI / 2)
        for _ in range(ITERATIONS):
            s, c = sin(psi), cos(psi)
            gap, slope = -self.between, ZERO
            for ratio in (A, B):
                root = sqrt(_positive(1 - (ratio * s) ** 2))
                gap = gap + psi - atan2(ratio * s, root)
                slope = slope + 1 - ratio * c / root
            psi = psi - gap / _positive(slope)
        return psi

    @cached_property
    def angles(self) -> tuple[Expr, Expr]:
        """φ₁, φ₂."""
        s = sin(self.incidence)
        ratios = self.radius / self.d1, self.radius / self.d2
        first, second = (self.incidence - atan2(k * s, sqrt(_positive(1 - (k * s) ** 2))) for k in ratios)
        return first, second

    @cached_property
    def lengths(self) -> tuple[Expr, Expr]:
        """Of the straight parts."""
        first, second = (
            sqrt(_positive(d * d + self.radius**2 - 2 * d * self.radius * cos(phi)))
            for d, phi in zip((self.d1, self.d2), self.angles, strict=True)
        )
        return first, second

    def way(self, end: int) -> tuple[Expr, Expr]:
        """The unit vector from an end to c: along the radius of the end, and at right angles to it towards the other."""
        d, phi, l = (self.d1, self.d2)[end], self.angles[end], self.lengths[end]
        return (self.radius * cos(phi) - d) / l, self.radius * sin(phi) / l


def _positive(x: Expr) -> Expr:
    """The value where it is positive, else one, which is not used then."""
    return where(x > 0, x, 1)
