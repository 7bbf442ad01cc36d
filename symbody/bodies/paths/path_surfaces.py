"""Pieces of paths over surfaces without friction: straight to a tangent point, along a geodesic, straight on; or
straight all the way where the surface is not touched. Lengths are exact, and once differentiable where a path comes
off.

In the plane of a circle of radius R, seen from its centre, with points at distances d₁, d₂ and an angle Φ between them:

    l = √(d₁² - R²) + R θ + √(d₂² - R²),    θ = Φ - acos(R/d₁) - acos(R/d₂),    touched where θ > 0

A sphere has that plane through its centre and both points; on a cylinder the same is seen along its axis, and √(l² +
Δz²) is the length. Through a ring whose tube is thin a path bends at one point of it, where its length is least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.functions import atan2, maximum, minimum, sign, sqrt, where
from ...algebra.graph.graph import PI, ZERO, Condition, Expr, as_expr
from ...algebra.graph.matrix import Matrix, cross, dot, vector
from ...argument_kinds import answered_class, checked_flags_of_class
from ...errors import ModelError
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector
from ..mechanism.frame_places import frame_at
from .inner_bends import InnerBend
from .line_paths import PathPiece

ITERATIONS: Final = 9  # number of Newton iterations for the point of a ring, enough to reach rounding
MIN_CURVATURE: Final = Fraction(3, 1000)  # smallest second derivative of the length relative to a bound of it
MAX_STEP: Final = Fraction(1, 2)  # largest Newton step in radians


class WrapSurface:
    """What all surfaces of paths share: the frame in which they stand, given as a body, a frame or a point."""

    frame: Frame

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", frame_at(self.frame, type(self).__name__))


@answered_class
@checked_flags_of_class(ModelError)
@dataclass(frozen=True, eq=False)
class WrapSphere(WrapSurface):
    """A sphere with a radius about a point, or the origin of a body or frame, around which a path between two points
    may bend.

    beside   a point that selects the side of the sphere; the path takes the longer way if the straight line between its
             ends would pass the centre on the other side. None: the shorter way
    through  True: the path passes through the inside of the sphere, and bends at it if it would pass outside; or a
             condition: inside while it holds, over the sphere otherwise

    >>> m = sb.Model("knee")
    >>> ends = m.ground.point(-1, 0.1, 0), m.ground.point(1, 0.1, 0)
    >>> path = m.path("tendon", [ends[0], sb.bodies.WrapSphere(m.ground, 0.5), ends[1]])
    >>> sb.evaluate(path.length)
    2.16463

    See also: `bodies.WrapCylinder`, `Model.path`.
    """

    frame: Frame
    radius: Any
    beside: Point | None = None
    through: bool | Condition = False

    def piece(self, a: Point, b: Point, on: Frame, towards: Frame) -> OverSurface | EitherPiece:
        """The part of a path from a to b over the surface, with the frame `on` which b pulls and that `towards` which a does.

        >>> m = sb.Model("knee")
        >>> a, b = m.ground.point(-1, 0.1, 0), m.ground.point(1, 0.1, 0)
        >>> part = sb.bodies.WrapSphere(m.ground, 0.5).piece(a, b, m.ground, m.ground)
        >>> sb.evaluate(part.length)
        2.164627

        See also: `Model.path`.
        """
        place = a, b, on, towards, self.frame, as_expr(self.radius)
        if isinstance(self.through, Condition):
            return EitherPiece(self.through, ThroughSphere(*place, None), OverSphere(*place, self.beside))
        return (ThroughSphere if self.through else OverSphere)(*place, self.beside)


@answered_class
@checked_flags_of_class(ModelError)
@dataclass(frozen=True, eq=False)
class WrapCylinder(WrapSurface):
    """An infinite cylinder with a radius about the z axis of a body or frame, or the parallel line through a point,
    around which a path between two points may bend.

    side     1: the path goes round it in the direction of positive rotation about z; -1: the other way; None: the
             shorter way
    beside   instead: a point that selects the side; the path takes the longer way if the straight line between its
             ends, seen along the axis, would pass the axis on the other side
    through  True: the path passes through the inside of the cylinder, and bends at it if it would pass outside; or a
             condition: inside while it holds, over the cylinder otherwise

    >>> m = sb.Model("pulley")
    >>> ends = m.ground.point(-1, -1, 0), m.ground.point(1, -1, 0)
    >>> path = m.path("belt", [ends[0], sb.bodies.WrapCylinder(m.ground, 0.5, side=-1), ends[1]])
    >>> sb.evaluate(path.length)
    3.79252

    See also: `bodies.WrapSphere`, `Model.path`.
    """

    frame: Frame
    radius: Any
    side: int | None = None
    beside: Point | None = None
    through: bool | Condition = False

    def piece(self, a: Point, b: Point, on: Frame, towards: Frame) -> OverSurface | EitherPiece:
        """The part of a path from a to b over the surface; see `WrapSphere.piece`.

        >>> m = sb.Model("pulley")
        >>> a, b = m.ground.point(-1, -1, 0), m.ground.point(1, -1, 0)
        >>> part = sb.bodies.WrapCylinder(m.ground, 0.5, side=-1).piece(a, b, m.ground, m.ground)
        >>> sb.evaluate(part.length)
        3.792517

        See also: `Model.path`.
        """
        place = a, b, on, towards, self.frame, as_expr(self.radius)
        over = OverCylinder(*place, self.beside, self.side)
        if isinstance(self.through, Condition):
            return EitherPiece(self.through, ThroughCylinder(*place, None, self.side), over)
        return ThroughCylinder(*place, self.beside, self.side) if self.through else over


@answered_class
@dataclass(frozen=True, eq=False)
class WrapRing(WrapSurface):
    """A thin ring with a radius about the z axis of a body or frame, or about a point, through which a path between two
    points runs.

    The path is straight if it passes through the hole, and bends over the ring if it would pass outside. Between points
    on one side of the plane of the ring it is straight.

    >>> m = sb.Model("eyelet")
    >>> x = m.coordinate("x")
    >>> ends = m.ground.point(0, 0, 1), m.ground.translate(x, 0, -1).origin
    >>> path = m.path("string", [ends[0], sb.bodies.WrapRing(m.ground, 0.5), ends[1]])
    >>> [sb.evaluate(path.length, {x: v}) for v in (0.8, 3.0)]  # through the hole, and over the ring
    [2.15407, 3.81062]

    See also: `bodies.WrapCylinder`, `bodies.WrapSphere`, `Model.path`.
    """

    frame: Frame
    radius: Any

    def piece(self, a: Point, b: Point, on: Frame, towards: Frame) -> OverSurface:
        """The part of a path from a to b through the ring; see `WrapSphere.piece`.

        >>> m = sb.Model("eyelet")
        >>> a, b = m.ground.point(0.1, 0, 1), m.ground.point(0.1, 0, -1)
        >>> part = sb.bodies.WrapRing(m.ground, 0.5).piece(a, b, m.ground, m.ground)
        >>> sb.evaluate(part.length)
        2.0

        See also: `Model.path`.
        """
        return OverRing(a, b, on, towards, self.frame, as_expr(self.radius), None)


@answered_class
@dataclass(frozen=True, eq=False)
class ViaPoint:
    """A `point` through which a path runs while the condition `when` holds, such as `q > 0.3`.

    >>> m = sb.Model("hook")
    >>> x = m.coordinate("x")
    >>> tip = m.ground.translate(x, 0, 0).origin
    >>> hook = sb.bodies.ViaPoint(m.ground.point(0, 1, 0), x > 1)
    >>> path = m.path("line", [m.ground.origin, hook, tip])
    >>> [sb.evaluate(path.length, {x: v}) for v in (0.5, 2.0)]
    [0.5, 3.23607]

    See also: `Model.path`, `bodies.LinePath`.
    """

    point: Point
    when: Condition


@dataclass(frozen=True, eq=False)
class OverSurface:
    """The common part of both: points in the frame of the surface, and forces on three bodies."""

    a: Point
    b: Point
    on: Frame
    towards: Frame
    surface: Frame
    radius: Expr
    beside: Point | None

    @cached_property
    def p(self) -> Matrix:
        return (self.a - self.surface.origin).components(self.surface)

    @cached_property
    def q(self) -> Matrix:
        return (self.b - self.surface.origin).components(self.surface)

    def _across(self, v: Matrix) -> Matrix:
        """The part of a place that counts for the circle."""
        return v

    @cached_property
    def _distances(self) -> tuple[Expr, Expr, Condition]:
        """d₁, d₂, and whether both points are outside; where one is not, numbers that do no harm."""
        R = self.radius
        x, y = (dot(self._across(v), self._across(v)) for v in (self.p, self.q))
        outside = (x > R * R) & (y > R * R)
        return sqrt(where(outside, x, 4 * R * R)), sqrt(where(outside, y, 4 * R * R)), outside

    @cached_property
    def tangents(self) -> tuple[Expr, Expr]:
        R = self.radius
        d1, d2, _ = self._distances
        return sqrt(d1 * d1 - R * R), sqrt(d2 * d2 - R * R)

    @property
    def _angle(self) -> Expr:
        raise NotImplementedError

    @cached_property
    def _is_far(self) -> Condition | None:
        """Whether the path takes the longer way: where the straight line meets the ray from the centre away from the
        point `beside`, (s × p) · n > 0 and (q × s) · n > 0 with n = p × q. None where no point is given."""
        if self.beside is None:
            return None
        side = (self.beside - self.surface.origin).components(self.surface)
        p, q, s = (self._across(v) for v in (self.p, self.q, side))
        n = cross(p, q)
        return (dot(cross(s, p), n) > 0) & (dot(cross(q, s), n) > 0)

    def ways(self) -> tuple[Matrix, Matrix]:
        """Unit vectors from a and from b along the path, in the frame of the surface."""
        raise NotImplementedError

    @cached_property
    def wrap_angle(self) -> Expr:
        """θ, negative where the surface is not touched."""
        l1, l2 = self.tangents
        turned = self._angle if self._is_far is None else where(self._is_far, 2 * PI - self._angle, self._angle)
        return turned - atan2(l1, self.radius) - atan2(l2, self.radius)

    @cached_property
    def touches(self) -> Condition:
        """Whether the path is on the surface."""
        return (self.wrap_angle > 0) & self._distances[2]

    @cached_property
    def round(self) -> Expr:
        """Length in the plane of the circle."""
        l1, l2 = self.tangents
        return l1 + self.radius * self.wrap_angle + l2

    @property
    def _over(self) -> Expr:
        return self.round

    @cached_property
    def length(self) -> Expr:
        return where(self.touches, self._over, (self.b - self.a).magnitude())

    @property
    def rate(self) -> Expr:
        """l'."""
        return time_derivative(self.length)

    @property
    def straight(self) -> Matrix:
        """The unit vector from a to b."""
        apart = (self.b - self.a).magnitude()
        return vector(0, 0, 0) if apart is ZERO else (self.q - self.p) / apart

    def _rate_of_the_ends(self) -> Expr:
        """l', by the velocities of both ends along the path, which needs no derivative of the iteration: a minimal
        length is stationary with respect to the unknowns."""
        total: Expr = ZERO
        for way, line, place in zip(self.ways(), (self.straight, -self.straight), (self.p, self.q), strict=True):
            total = total - dot(vector_where(self.touches, way, line), time_derivative(place))
        return total

    def pulls(self) -> Sequence[tuple[Frame, Point, Vector]]:
        """On both ends; and on the surface along the same lines, which its tangent points are on."""
        straight = self.straight
        made: list[tuple[Frame, Point, Vector]] = []
        for way, line, frame, at in zip(
            self.ways(), (straight, -straight), (self.on, self.towards), (self.a, self.b), strict=True
        ):
            pull = vector_where(self.touches, way, line)
            back = vector_where(self.touches, -way, vector(0, 0, 0))
            made += [(frame, at, Vector({self.surface: pull})), (self.surface, at, Vector({self.surface: back}))]
        return made


def vector_where(when: Condition, a: Matrix, b: Matrix) -> Matrix:
    return vector(*(where(when, x, y) for x, y in zip(a.entries, b.entries, strict=True)))


class OverSphere(OverSurface):
    """A path along a great circle."""

    @cached_property
    def _normal(self) -> Expr:
        """|p × q|, not zero where the points are in line with the centre."""
        n = cross(self.p, self.q)
        square = dot(n, n)
        return sqrt(where(square > 0, square, 1))

    @cached_property
    def _angle(self) -> Expr:
        return atan2(self._normal, dot(self.p, self.q))

    def ways(self) -> tuple[Matrix, Matrix]:
        l1, l2 = self.tangents
        d1, d2, _ = self._distances
        return self._way(self.p, self.q, d1, l1), self._way(self.q, self.p, d2, l2)

    def _way(self, p: Matrix, q: Matrix, d: Expr, l: Expr) -> Matrix:
        """-(l/d) û + (R/d) t̂,  t̂ at right angles to û towards the other point, or away from it the other way round."""
        u = p / d
        t = (q - dot(q, u) * u) * (d / self._normal)
        if self._is_far is not None:
            t = where(self._is_far, -1, 1) * t
        return (self.radius / d) * t - (l / d) * u


@dataclass(frozen=True, eq=False)
class OverCylinder(OverSurface):
    """A path along a helix."""

    side: int | None = None

    def _across(self, v: Matrix) -> Matrix:
        return vector(v[0], v[1], 0)

    @cached_property
    def _cross_along_axis(self) -> Expr:
        """(p × q) along the axis."""
        return self.p[0] * self.q[1] - self.p[1] * self.q[0]

    @cached_property
    def _sense(self) -> Expr:
        if self.side is not None:
            return as_expr(self.side)
        shorter = sign(self._cross_along_axis)
        return shorter if self._is_far is None else where(self._is_far, -shorter, shorter)

    @cached_property
    def _angle(self) -> Expr:
        """Between 0 and π; with a side, between -π/2 and 3π/2 in its sense."""
        c = self.p[0] * self.q[0] + self.p[1] * self.q[1]
        if self.side is None:
            return atan2(abs(self._cross_along_axis), c)
        return PI / 2 + atan2(-c, self._sense * self._cross_along_axis)

    @cached_property
    def _rise(self) -> Expr:
        return self.q[2] - self.p[2]

    @cached_property
    def _over(self) -> Expr:
        return sqrt(self.round * self.round + self._rise * self._rise)

    def ways(self) -> tuple[Matrix, Matrix]:
        l1, l2 = self.tangents
        d1, d2, _ = self._distances
        return self._way(self.p, d1, l1, self._sense, self._rise), self._way(self.q, d2, l2, -self._sense, -self._rise)

    def _way(self, p: Matrix, d: Expr, l: Expr, sense: Expr, rise: Expr) -> Matrix:
        u = vector(p[0] / d, p[1] / d, 0)
        t = vector(-sense * u[1], sense * u[0], 0)
        flat = (self.radius / d) * t - (l / d) * u
        return (self.round / self._over) * flat + vector(ZERO, ZERO, rise / self._over)


class ThroughSurface(OverSurface):
    """A path through a point of a circle, seen along its axis."""

    @cached_property
    def bend(self) -> InnerBend:
        d1, d2, _ = self._distances
        return InnerBend(d1, d2, self._angle, self.radius)

    @cached_property
    def touches(self) -> Condition:
        """Where the straight line passes it by, with both ends outside."""
        return (self.wrap_angle < 0) & self._distances[2]


class ThroughSphere(ThroughSurface, OverSphere):
    """A path through a point of a great circle."""

    @property
    def _over(self) -> Expr:
        return self.bend.lengths[0] + self.bend.lengths[1]

    def ways(self) -> tuple[Matrix, Matrix]:
        d1, d2, _ = self._distances
        return self._to_bend(0, self.p, self.q, d1), self._to_bend(1, self.q, self.p, d2)

    def _to_bend(self, end: int, p: Matrix, q: Matrix, d: Expr) -> Matrix:
        u = p / d
        outward, along = self.bend.way(end)
        return outward * u + along * (d / self._normal) * (q - dot(q, u) * u)


class ThroughCylinder(ThroughSurface, OverCylinder):
    """A path through a point of the cylinder; seen along the axis as for a sphere."""

    @cached_property
    def round(self) -> Expr:
        return self.bend.lengths[0] + self.bend.lengths[1]

    def ways(self) -> tuple[Matrix, Matrix]:
        d1, d2, _ = self._distances
        sense = sign(self._cross_along_axis)
        return self._to_bend(0, self.p, d1, sense, self._rise), self._to_bend(1, self.q, d2, -sense, -self._rise)

    def _to_bend(self, end: int, p: Matrix, d: Expr, sense: Expr, rise: Expr) -> Matrix:
        outward, along = self.bend.way(end)
        u = vector(p[0] / d, p[1] / d, 0)
        flat = outward * u + along * sense * vector(-u[1], u[0], 0)
        return (self.round / self._over) * flat + vector(ZERO, ZERO, rise / self._over)


class OverRing(OverSurface):
    """Over the point c of a circle at which l = |p - c| + |q - c| is least: l' = 0 along the circle by Newton's method,
    from where the straight line crosses the plane of the ring."""

    @cached_property
    def _crossing(self) -> tuple[Expr, Expr, Condition]:
        """Where the straight line crosses the plane, and whether that is outside; else numbers that do no harm."""
        above, below = abs(self.p[2]), abs(self.q[2])
        both = where(above + below > 0, above + below, 1)
        x, y = ((self.p[k] * below + self.q[k] * above) / both for k in (0, 1))
        opposite = self.p[2] * self.q[2] < 0
        outside = opposite & (x * x + y * y > self.radius * self.radius)
        return where(outside, x, self.radius), where(outside, y, 0), outside

    @cached_property
    def touches(self) -> Condition:
        return self._crossing[2]

    @cached_property
    def _bend(self) -> Matrix:
        x, y, _ = self._crossing
        size = sqrt(x * x + y * y)
        cosine, sine = x / size, y / size
        for _ in range(ITERATIONS):
            turn = self._turn(cosine, sine)
            cosine, sine = cosine - turn * sine, sine + turn * cosine
            size = sqrt(cosine * cosine + sine * sine)
            cosine, sine = cosine / size, sine / size
        return vector(self.radius * cosine, self.radius * sine, 0)

    def _turn(self, cosine: Expr, sine: Expr) -> Expr:
        """-l' / l'' by the angle of c; where l is not convex, downhill, and by MAX_STEP at most."""
        R, slope, curvature, bound = self.radius, ZERO, ZERO, ZERO
        for x in (self.p, self.q):
            along, outward = R * (sine * x[0] - cosine * x[1]), R * (cosine * x[0] + sine * x[1])
            distance = sqrt(dot(x, x) + R * R - 2 * outward)
            slope = slope + along / distance
            curvature = curvature + (outward - (along / distance) ** 2) / distance
            bound = bound + R * sqrt(x[0] ** 2 + x[1] ** 2) / distance
        turn = -slope / maximum(curvature, MIN_CURVATURE * where(bound > 0, bound, 1))  # both may be on the axis
        return minimum(maximum(turn, -MAX_STEP), MAX_STEP)

    @property
    def _over(self) -> Expr:
        return _length(self.p - self._bend) + _length(self.q - self._bend)

    @cached_property
    def rate(self) -> Expr:
        return self._rate_of_the_ends()

    def ways(self) -> tuple[Matrix, Matrix]:
        first, second = self._bend - self.p, self._bend - self.q
        return first / _length(first), second / _length(second)


def _length(v: Matrix) -> Expr:
    return sqrt(dot(v, v))


@dataclass(frozen=True, eq=False)
class SwitchedPiece:
    """From a to b, by way of points each of which counts while its condition holds.

    A straight part from one point to another is taken where both count and none between them does.
    """

    stations: tuple[tuple[Point, Frame], ...]  # a, the points between, b, each with the frame that forces act on
    conditions: tuple[Condition, ...]  # of the points between

    @cached_property
    def _parts(self) -> tuple[tuple[int, int, Condition], ...]:
        last = len(self.stations) - 1
        made = []
        for i in range(last):
            for j in range(i + 1, last + 1):
                needed = [self.conditions[k - 1] for k in (i, j) if 0 < k < last]
                needed += [~self.conditions[k - 1] for k in range(i + 1, j)]
                taken = needed[0]
                for other in needed[1:]:
                    taken = taken & other
                made.append((i, j, taken))
        return tuple(made)

    @property
    def rate(self) -> Expr:
        """l', on either side of the switch."""
        return time_derivative(self.length)

    @cached_property
    def length(self) -> Expr:
        total: Expr = ZERO
        for i, j, taken in self._parts:
            total = total + where(taken, (self.stations[j][0] - self.stations[i][0]).magnitude(), 0)
        return total

    def pulls(self) -> Sequence[tuple[Frame, Point, Vector]]:
        made = []
        for i, j, taken in self._parts:
            (p, on), (q, towards) = self.stations[i], self.stations[j]
            line = (where(taken, 1, 0) / (q - p).magnitude()) * (q - p)
            made += [(on, p, line), (towards, q, -line)]
        return made


@dataclass(frozen=True, eq=False)
class EitherPiece:
    """One piece while a condition holds, another one otherwise, between the same points."""

    when: Condition
    first: PathPiece
    second: PathPiece

    @cached_property
    def length(self) -> Expr:
        return where(self.when, self.first.length, self.second.length)

    @property
    def rate(self) -> Expr:
        """l', on either side of the switch."""
        return where(self.when, self.first.rate, self.second.rate)

    def pulls(self) -> Sequence[tuple[Frame, Point, Vector]]:
        on, off = where(self.when, 1, 0), where(self.when, 0, 1)
        both = (self.first.pulls(), on), (self.second.pulls(), off)
        return [(frame, at, share * pull) for pulls, share in both for frame, at, pull in pulls]
