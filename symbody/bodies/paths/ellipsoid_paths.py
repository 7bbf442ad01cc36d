"""Paths over an ellipsoid: straight to it, along the shortest of its plane sections through both ends, straight on.

Divided by the half axes, places are those about a sphere of radius 1, and every plane section is a circle there. The planes
through both ends p, q have one angle φ: d is the direction from p to q, m the point of that line nearest to the centre, w(φ) at
right angles to d points to the side on which the path passes, n = d × w, and

    c = (m·n) n,   ρ² = 1 - (m·n)²,   T(θ) = c + ρ (cos θ d + sin θ w),   θ = π/2 + atan2(-x, m·w) ∓ atan2(s, ρ)

are the circle and its tangent points from the ends, x their places along d and s the lengths of the tangents. With A, the
multiplication by the half axes,

    l = |A (T(θ₁) - p)| + ∫ |A T'(θ)| dθ + |A (T(θ₂) - q)|

is stationary in θ₁ and θ₂, and φ is where ∂l/∂φ = 0. Geodesics of an ellipsoid are not plane, but hardly shorter; on a sphere
both are the great circle. Forces are the gradient of this length, so that they do its work.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.functions import atan2, cos, maximum, minimum, sin, sqrt, where
from ...algebra.graph.graph import PI, ZERO, Condition, Expr, as_expr
from ...algebra.graph.matrix import Matrix, cross, dot, vector
from ...argument_kinds import answered_class
from ...errors import ModelError, shown
from ..frames.frames import Frame
from ..frames.points import Point
from ..mass.material_integrals import gauss_points
from .path_surfaces import OverSurface, WrapSurface

ITERATIONS: Final = 12  # of the secant method, enough for axes in the ratio 4 to reach rounding
FIRST_STEP: Final = 0.1  # rad
LARGEST_STEP: Final = 0.5
UPHILL_STEP: Final = 0.4  # where the length is not convex, downhill
LEAST_CURVATURE: Final = 1e-4  # of the length over φ, times the mean half axis
LEAST_RADIUS: Final = 1e-2  # ρ of planes that pass by the ellipsoid, which do no harm
COARSE, FINE = gauss_points(8), gauss_points(12)


@answered_class
@dataclass(frozen=True, eq=False)
class WrapEllipsoid(WrapSurface):
    """An ellipsoid about the origin of a body or frame, or about a point, around which a path between two points may bend.

    half_axes   three, along the axes of the body or frame
    beside      a point that selects the side of the ellipsoid; None: that to which the straight line is nearer

    Over the ellipsoid the path is the shortest of the plane curves through its ends, which is longer than the geodesic by less
    than 1e-3 of the largest half axis unless the path goes round a narrow end.

    >>> m = sb.Model("humerus")
    >>> ends = m.ground.point(-0.1, 0.01, 0), m.ground.point(0.1, 0.01, 0.01)
    >>> path = m.path("triceps", [ends[0], sb.bodies.WrapEllipsoid(m.ground, (0.03, 0.02, 0.04)), ends[1]])
    >>> sb.evaluate(path.length)
    0.201225

    See also: `bodies.WrapSphere`, `bodies.WrapCylinder`, `Model.path`.
    """

    frame: Frame
    half_axes: Any
    beside: Point | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            made = tuple(as_expr(a) for a in self.half_axes)
        except TypeError:
            made = ()
        if len(made) != 3:
            raise ModelError(f"WrapEllipsoid: half_axes are three numbers or expressions, got {shown(self.half_axes)}")
        for a in made:
            if a.value is not None and a.value <= 0:
                raise ModelError(f"WrapEllipsoid: half_axes must be positive, got {shown(self.half_axes)}")
            if time_derivative(a) is not ZERO:
                raise ModelError(f"WrapEllipsoid: half_axes are numbers or made of parameters, got {shown(a)}")
        object.__setattr__(self, "half_axes", made)

    def piece(self, a: Point, b: Point, on: Frame, towards: Frame) -> OverSurface:
        """The part of a path from a to b over the ellipsoid; see `WrapSphere.piece`.

        >>> m = sb.Model("humerus")
        >>> a, b = m.ground.point(-1, 0.1, 0), m.ground.point(1, 0.1, 0)
        >>> part = sb.bodies.WrapEllipsoid(m.ground, (0.5, 0.5, 0.5)).piece(a, b, m.ground, m.ground)
        >>> sb.evaluate(part.length)
        2.164627

        See also: `Model.path`.
        """
        return OverEllipsoid(a, b, on, towards, self.frame, as_expr(1), self.beside, self.half_axes)


class _SectionPlane(NamedTuple):
    """The path in the plane at the angle φ: what the length and its slope consist of."""

    along: Matrix  # d
    aside: Matrix  # w
    normal: Matrix  # n
    offset: Expr  # h = m·n
    rise: Expr  # μ = m·w
    radius: Expr  # ρ
    angles: tuple[Expr, Expr]  # θ of the tangent points


class _PlaneChange(NamedTuple):
    """Derivatives of a plane's d, w, n and h, and of the ends."""

    along: Matrix
    aside: Matrix
    normal: Matrix
    offset: Expr
    ends: tuple[Matrix, Matrix]


@dataclass(frozen=True, eq=False)
class OverEllipsoid(OverSurface):
    """Along a plane section."""

    half_axes: tuple[Expr, ...] = ()

    @property
    def axes(self) -> Matrix:
        return vector(*self.half_axes)

    def _scaled(self, v: Matrix) -> Matrix:
        return vector(*(x / a for x, a in zip(v.entries, self.axes.entries, strict=True)))

    def _real(self, v: Matrix) -> Matrix:
        return vector(*(x * a for x, a in zip(v.entries, self.axes.entries, strict=True)))

    @cached_property
    def _places(self) -> tuple[Matrix, Matrix, Condition]:
        """p, q about the sphere, and whether both are outside; where one is not, places that do no harm."""
        p, q = self._scaled(self.p), self._scaled(self.q)
        apart = q - p
        outside = (dot(p, p) > 1) & (dot(q, q) > 1) & (dot(apart, apart) > 0)
        at = [vector(*(where(outside, x, y) for x, y in zip(v.entries, y, strict=True))) for v, y in ((p, (-2, 0.5, 0)), (q, (2, 0.5, 0)))]  # fmt: skip
        return at[0], at[1], outside

    @cached_property
    def _line(self) -> tuple[Matrix, Matrix, Matrix, tuple[Expr, Expr]]:
        """d, m, the direction from which φ counts, and the places of p and q along d."""
        p, q, _ = self._places
        apart = q - p
        d = apart / sqrt(dot(apart, apart))
        m = p - dot(p, d) * d
        square = dot(m, m)
        some = vector(*(where(square > 0, x, y) for x, y in zip(m.entries, _across(d).entries, strict=True)))
        return d, m, some / sqrt(dot(some, some)), (dot(p, d), dot(q, d))

    def _plane(self, phi: Expr) -> _SectionPlane:
        d, m, start, (x1, x2) = self._line
        w = cos(phi) * start + sin(phi) * cross(d, start)
        n = cross(d, w)
        h, rise = dot(m, n), dot(m, w)
        radius = sqrt(maximum(1 - h * h, LEAST_RADIUS**2))
        turns = [PI / 2 + atan2(-x, rise) for x in (x1, x2)]
        tangents = [sqrt(maximum(x * x + rise * rise - radius * radius, 0)) for x in (x1, x2)]
        first, last = (atan2(s, radius) for s in tangents)
        return _SectionPlane(d, w, n, h, rise, radius, (turns[0] - first, turns[1] + last))

    def _straight_parts(self, at: _SectionPlane) -> list[Matrix]:
        """A (T - p) of both ends."""
        centre = at.offset * at.normal
        made = []
        for theta, end in zip(at.angles, self._places[:2], strict=True):
            made.append(self._real(centre + at.radius * (cos(theta) * at.along + sin(theta) * at.aside) - end))
        return made

    def _squares(self, at: _SectionPlane) -> tuple[Expr, Expr, Expr]:
        """|A d|², A d · A w, |A w|²."""
        d, w = self._real(at.along), self._real(at.aside)
        return dot(d, d), dot(d, w), dot(w, w)

    def _nodes(self, at: _SectionPlane, rule: Any) -> list[tuple[Expr, Expr, float]]:
        """sin θ, cos θ and the weight at the points of a rule of Gauss."""
        middle, half = (at.angles[0] + at.angles[1]) / 2, (at.angles[0] - at.angles[1]) / 2
        thetas = [(middle + half * x, w) for x, w in rule]
        return [(sin(t), cos(t), w) for t, w in thetas]

    def _derivative(self, at: _SectionPlane, change: _PlaneChange, rule: Any) -> Expr:
        """Of the length, with the plane and one end, at fixed θ₁, θ₂."""
        shrinks = -at.offset * change.offset / at.radius
        shift = change.offset * at.normal + at.offset * change.normal
        total: Expr = ZERO
        for theta, part, move in zip(at.angles, self._straight_parts(at), change.ends, strict=True):
            c, s = cos(theta), sin(theta)
            moves = shift + shrinks * (c * at.along + s * at.aside) + at.radius * (c * change.along + s * change.aside)
            total = total + dot(self._real(moves - move), part) / sqrt(dot(part, part))
        e, f, g = self._squares(at)
        d, w, dd, dw = (self._real(v) for v in (at.along, at.aside, change.along, change.aside))
        de, df, dg = 2 * dot(d, dd), dot(dd, w) + dot(d, dw), 2 * dot(w, dw)
        arc: Expr = ZERO
        for s, c, weight in self._nodes(at, rule):
            root = sqrt(e * s * s - 2 * f * s * c + g * c * c)
            bends = de * s * s - 2 * df * s * c + dg * c * c
            arc = arc + weight * (shrinks * root + at.radius * bends / (2 * root))
        return total + (at.angles[0] - at.angles[1]) / 2 * arc

    def _slope(self, phi: Expr) -> Expr:
        """∂l/∂φ: dw/dφ = n, dn/dφ = -w."""
        at, rest = self._plane(phi), vector(0, 0, 0)
        turn = _PlaneChange(rest, at.normal, -at.aside, -at.rise, (rest, rest))
        return self._derivative(at, turn, COARSE)

    @cached_property
    def _found(self) -> _SectionPlane:
        """The shortest plane section near the straight line, or with `beside` on the other side the stationary one opposite, where
        a string may lie by friction alone, as on the far side of a sphere."""
        phi = self._stationary(ZERO, True)
        if self.beside is not None:
            side = self._scaled((self.beside - self.surface.origin).components(self.surface))
            wrong = dot(self._plane(phi).aside, side) < 0
            phi = where(wrong, self._stationary(PI, False), phi)
        return self._plane(phi)

    def _stationary(self, phi: Expr, downhill: bool) -> Expr:
        """Where ∂l/∂φ = 0, by the secant method; downhill, or to the nearest root."""
        size = (self.axes[0] + self.axes[1] + self.axes[2]) / 3
        slope = self._slope(phi)
        step = where(slope > 0, -FIRST_STEP, FIRST_STEP)
        for _ in range(ITERATIONS):
            phi = phi + step
            before, slope = slope, self._slope(phi)
            moved = (step > 0) | (step < 0)
            curvature = where(moved, (slope - before) / where(moved, step, 1), size)
            least = LEAST_CURVATURE * size
            uphill = maximum(least, maximum(slope, -slope) / UPHILL_STEP)
            steep = curvature > least if downhill else (curvature > least) | (curvature < -least)
            turn = -slope / where(steep, curvature, uphill)
            step = minimum(maximum(turn, -LARGEST_STEP), LARGEST_STEP)
        return phi

    @cached_property
    def touches(self) -> Condition:
        _, m, _, (x1, x2) = self._line
        if self.beside is None:
            return self._places[2] & (dot(m, m) < 1) & (x1 < 0) & (x2 > 0)
        at = self._found
        return self._places[2] & (at.angles[0] > at.angles[1]) & (at.offset * at.offset < 1 - LEAST_RADIUS**2)

    @cached_property
    def _over(self) -> Expr:
        at = self._found
        e, f, g = self._squares(at)
        arc: Expr = ZERO
        for s, c, weight in self._nodes(at, FINE):
            arc = arc + weight * sqrt(e * s * s - 2 * f * s * c + g * c * c)
        first, last = (sqrt(dot(v, v)) for v in self._straight_parts(at))
        return first + at.radius * (at.angles[0] - at.angles[1]) / 2 * arc + last

    @cached_property
    def rate(self) -> Expr:
        return self._rate_of_the_ends()

    def ways(self) -> tuple[Matrix, Matrix]:
        """-∂l/∂p and -∂l/∂q. An end that moves in the plane pulls along the straight part, u. One that leaves it tilts the plane
        about the other end, so that the force has a small part along the normal, -∂l/∂p = u - (A u·n + ∂l/∂n) n/A."""
        at, rest = self._found, vector(0, 0, 0)
        _, _, _, (x1, x2) = self._line
        made = []
        for k, (part, far) in enumerate(zip(self._straight_parts(at), (x2, x1), strict=True)):
            tilt = (1 if k == 0 else -1) / (x2 - x1)
            ends = (at.normal, rest) if k == 0 else (rest, at.normal)
            change = _PlaneChange(-tilt * at.normal, rest, tilt * at.along, tilt * far, ends)
            u = part / sqrt(dot(part, part))
            out = dot(self._real(u), at.normal) + self._derivative(at, change, FINE)
            made.append(u - out * self._scaled(at.normal))
        return made[0], made[1]


def _across(d: Matrix) -> Matrix:
    """Some direction at right angles to d, for lines through the centre."""
    x, y, z = d.entries
    flat = x * x + y * y
    return vector(where(flat > 0, -y, 1), where(flat > 0, x, 0), 0 * z)
