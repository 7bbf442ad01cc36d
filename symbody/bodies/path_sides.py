"""The side of a circle on which a path goes round, given by a point of that side, in the plane of the circle.

From a and b, outside, tangents touch the circle where

    t = (R/d²) (R a ± √(d² - R²) J a),   d = |a|,   J a = (-a_y, a_x)

one sense of the way round for each sign. Of the two ways the one is taken whose tangent points are nearer to the side; the
path leaves the circle where it comes past it on that side, or where the two straight parts would cross (as MuJoCo
has it: documentation of `mju_wrap`, XML reference of `sidesite`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ..algebra.functions import atan2, sqrt, where
from ..algebra.graph import PI, ZERO, Condition, Expr

Two: TypeAlias = tuple[Expr, Expr]


@dataclass(frozen=True, eq=False)
class WayRound:
    """From a to b round a circle about the origin, on the side of a point.

    tangents   √(d² - R²) of both ends
    squares    d² of both ends, where they are outside; otherwise numbers that do no harm
    """

    a: Two
    b: Two
    side: Two
    radius: Expr
    tangents: Two
    squares: Two

    @cached_property
    def sense(self) -> Expr:
        """1: in positive sense, -1: in the other."""
        return where(self._goodness(-1) > self._goodness(1), -1, 1)

    @cached_property
    def is_taken(self) -> Condition:
        """Whether the straight line from a to b would cut the circle, or pass it on the other side; and the straight
        parts do not cross."""
        x, y = self._nearest
        R = self.radius
        beside = x * self.side[0] + y * self.side[1] < 0
        crossing = where(self.sense > 0, where(self._cross(1), 1, 0), where(self._cross(-1), 1, 0))
        return ((x * x + y * y <= R * R) | beside) & (crossing < 0.5)

    @cached_property
    def angle(self) -> Expr:
        """Between the tangent points in the sense of the way, from 0 to 2π."""
        (ax, ay), (bx, by) = (self._at(end, self.sense) for end in (0, 1))
        turned = atan2(self.sense * (ax * by - ay * bx), ax * bx + ay * by)
        return where(turned < 0, turned + 2 * PI, turned)

    def _at(self, end: int, sense: Expr | int) -> Two:
        """Where the path begins (0) or ends (1) to be on the circle."""
        x, y = (self.a, self.b)[end]
        R, l, d2 = self.radius, self.tangents[end], self.squares[end]
        k = sense * l if end == 0 else -(sense * l)
        return R * (R * x - k * y) / d2, R * (R * y + k * x) / d2

    @cached_property
    def _nearest(self) -> Two:
        """The point of the straight line from a to b that is nearest to the centre."""
        (ax, ay), (bx, by) = self.a, self.b
        dx, dy = bx - ax, by - ay
        square = dx * dx + dy * dy
        k = -(ax * dx + ay * dy) / where(square > 0, square, 1)
        k = where(k < 0, 0, where(k > 1, 1, k))
        return ax + k * dx, ay + k * dy

    def _goodness(self, sense: int) -> Expr:
        """Cosine between the middle of the way and the side; less than any where the straight parts cross."""
        (ax, ay), (bx, by) = self._at(0, sense), self._at(1, sense)
        x, y = ax + bx, ay + by
        size = sqrt(where(x * x + y * y > 0, x * x + y * y, 1)) * self._side_size
        return where(self._cross(sense), -10, (x * self.side[0] + y * self.side[1]) / size)

    @cached_property
    def _side_size(self) -> Expr:
        square = self.side[0] * self.side[0] + self.side[1] * self.side[1]
        return sqrt(where(square > 0, square, 1))

    def _cross(self, sense: int) -> Condition:
        """Whether the straight parts, from a to its tangent point and from b to its own, have a point in common."""
        return segments_cross(self.a, self._at(0, sense), self.b, self._at(1, sense))


def segments_cross(a: Two, b: Two, c: Two, d: Two) -> Condition:
    """a + s (b - a) = c + r (d - c) with s and r from 0 to 1."""
    ux, uy, vx, vy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    wx, wy = a[0] - c[0], a[1] - c[1]
    det = vy * ux - vx * uy
    safe = where(det * det > 0, det, 1)
    s, r = (vx * wy - vy * wx) / safe, (ux * wy - uy * wx) / safe
    return (det * det > ZERO) & (s >= 0) & (s <= 1) & (r >= 0) & (r <= 1)
