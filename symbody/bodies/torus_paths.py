"""Paths through the hole of a torus: straight to it, along a geodesic over the inside of its tube, straight on.

Azimuth φ of the half-plane through the axis, and in it ψ round the tube from the innermost circle, place a point of the
surface at ρ = a - r cos ψ from the axis. There an end (A, z), seen along the circles of latitude, has a tangent to the
circle of the tube, of length l = √(A² + z² - r²), and so the azimuth is all that is left to find:

    ψ₁ = atan2(-z, -A) + atan2(l, r),      ψ₂ = atan2(-z, -A) - atan2(l, r)

A surface of revolution takes no moment about its axis: c, that of the unit vector along the path, is the same
everywhere on it (Clairaut), and

    φ₂ - φ₁ = ∫ c r / (ρ √(ρ² - c²)) dψ      c₁(φ₁) = c = c₂(φ₂)

are two equations for the azimuths of both ends of the geodesic. With

    l = l₁ + ∫ (r/ρ) √(ρ² - c²) dψ + c (φ₂ - φ₁) + l₂

all derivatives by φ₁, φ₂ and c are zero where they hold: what is left of them changes the length in second order, and its
slope by the place of an end is the unit vector along the path there.

A line that touches the tube from within the hole touches it a second time, on the other side, where T = 1/cos² of its
angle with the axis is more than a/r and

    c² = (a² - r² T) (1 - 1/T)²

so that a path touches the tube twice beyond that; and no line through the hole has a larger moment than the largest of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple

from ..algebra.derivatives import time_derivative
from ..algebra.functions import atan2, cos, maximum, minimum, no_value, sin, sqrt, where
from ..algebra.graph import ONE, ZERO, Condition, Expr, as_expr
from ..algebra.matrix import Matrix, vector
from ..errors import ModelError, shown
from .frames import Frame
from .material_integrals import gauss_points
from .path_surfaces import OverSurface
from .points import Point

SEARCH: Final = 6  # iterations for the point of the tube nearest to the straight line, to rounding
ROUGH: Final = (9, 12)  # iterations for the azimuths, and points of Gauss in each
FINE: Final = (2, 32)  # iterations that follow: integrals to 1e-14 where the tube is half as thick as the ring is wide
LONGEST: Final = Fraction(1, 2)  # radians of an iteration
LEAST_SLOPE: Final = Fraction(1, 20)  # of a determinant of the equations, over the radius
CLOSED: Final = 1e-6  # radians: the last iteration has found the zero, to the square of this
NEXT_TO_NOTHING: Final = 1e-12
THICKEST: Final = 2  # radii of the tube in that of the ring, at least


@dataclass(frozen=True, eq=False)
class WrapTorus:
    """A torus about the z axis of a frame, through whose hole a path between two points runs.

    radius   of the circle in the middle of its tube
    tube     radius of the tube, at most half of that; for thin ones there is `WrapRing`

    The path is straight where it goes through the hole without touching, and between points beyond the tube (|z| > tube)
    on one side; otherwise it lies on the inside of the tube along a geodesic. Where an end is beside the tube
    (|z| < tube) or a path must touch the tube twice, on opposite sides of the hole, its length has no value, and a
    simulation ends there.

    >>> m = sb.Model("eyelet")
    >>> x = m.coordinate("x")
    >>> ends = m.ground.point(0, 0, 1), m.ground.translate(x, 0, -1).origin
    >>> path = m.path("string", [ends[0], sb.bodies.WrapTorus(m.ground, 0.6, 0.1), ends[1]])
    >>> [sb.evaluate(path.length, {x: v}) for v in (0.8, 3.0)]  # through the hole, and over the tube
    [2.15407, 3.83596]

    See also: `bodies.WrapRing`, `bodies.WrapCylinder`, `Model.path`.
    """

    frame: Frame
    radius: Any
    tube: Any

    def __post_init__(self) -> None:
        for name in ("radius", "tube"):
            value = as_expr(getattr(self, name))
            if time_derivative(value) is not ZERO:
                raise ModelError(f"WrapTorus: its {name} is a number or made of parameters, got {shown(value)}")
        a, r = as_expr(self.radius).value, as_expr(self.tube).value
        if r is not None and r <= 0:
            raise ModelError(
                f"WrapTorus: its tube has a radius of more than zero, got {shown(self.tube)}; WrapRing is thin"
            )
        if a is not None and r is not None and a < THICKEST * r:
            raise ModelError(
                f"WrapTorus: the radius of its tube is at most half of that of the ring, got tube {shown(self.tube)} "
                f"and radius {shown(self.radius)}"
            )

    def piece(self, a: Point, b: Point, on: Frame, towards: Frame) -> OverSurface:
        """The part of a path from a to b through the torus; see `WrapSphere.piece`.

        >>> m = sb.Model("eyelet")
        >>> a, b = m.ground.point(2, 0, 1), m.ground.point(2, 0, -1)
        >>> part = sb.bodies.WrapTorus(m.ground, 0.6, 0.1).piece(a, b, m.ground, m.ground)
        >>> sb.evaluate(part.length)
        3.63685

        See also: `Model.path`.
        """
        return OverTorus(a, b, on, towards, self.frame, as_expr(self.radius), None, as_expr(self.tube))


class Tangent(NamedTuple):
    """From an end to the tube in the half-plane of an azimuth, and how that changes with the azimuth."""

    place: Expr  # ψ
    place_slope: Expr
    moment: Expr  # c of the straight part, in the sense of the path
    moment_slope: Expr
    from_axis: Expr  # ρ
    length: Expr


@dataclass(frozen=True)
class Torus:
    """Its two radii, and what follows from them."""

    a: Expr
    r: Expr

    @cached_property
    def largest_moment(self) -> Expr:
        """Of lines through the hole: where (a² - r² T) (1 - 1/T)² is largest, r² (T² + T) = 2 a²."""
        T = (sqrt(1 + 8 * (self.a / self.r) ** 2) - 1) / 2
        return sqrt(self.a * self.a - self.r * self.r * T) * (1 - 1 / T)

    def tangent(self, end: Matrix, azimuth: Expr, sense: int) -> Tangent:
        """From the end where the path begins (sense 1) or to that where it ends (-1)."""
        a, r, z = self.a, self.r, end[2]
        cosine, sine = cos(azimuth), sin(azimuth)
        A, B = end[0] * cosine + end[1] * sine - a, end[1] * cosine - end[0] * sine
        flat = sqrt(A * A + z * z - r * r)
        place = atan2(-z, -A) + sense * atan2(flat, r)
        place_slope = -sense * cos(place) * B / flat
        from_axis = a - r * cos(place)
        length = sqrt(B * B + flat * flat)
        moment = -sense * from_axis * B / length
        outward = r * sin(place) * place_slope
        slope = sense * (from_axis * (A + a - a * (B / length) ** 2) - outward * B) / length
        return Tangent(place, place_slope, moment, slope, from_axis, length)

    def turn_rate(self, from_axis: Expr, c: Expr) -> Expr:
        """dφ/dψ of a geodesic."""
        return c * self.r / (from_axis * sqrt(from_axis * from_axis - c * c))

    def distances(self, start: Expr, end: Expr, points: int) -> list[tuple[Expr, Expr]]:
        """ρ at points of Gauss between two places, with their weights."""
        middle, half = (start + end) / 2, (end - start) / 2
        cosine, sine = cos(middle), sin(middle)
        made = []
        for x, w in gauss_points(points):
            if x > 0:  # both of a pair have one sine and cosine
                across, along = cosine * cos(half * x), sine * sin(half * x)
                made += [(self.a - self.r * (across - s * along), half * w) for s in (1, -1)]
        return made


class Contact(NamedTuple):
    """Where a path comes on to a torus and where it leaves it."""

    first: Tangent
    last: Tangent
    azimuths: tuple[Expr, Expr]
    moment: Expr
    step: Expr  # of the last iteration, radians


def contact(torus: Torus, p: Matrix, q: Matrix, azimuth: Expr) -> Contact:
    """The equations of the geodesic by Newton's method, from p above to q below."""
    f1 = f2 = azimuth
    step = ZERO
    for iterations, points in (ROUGH, FINE):
        for _ in range(iterations):
            by1, by2 = _iteration(torus, torus.tangent(p, f1, 1), torus.tangent(q, f2, -1), f2 - f1, points)
            step = maximum(abs(by1), abs(by2))
            less = minimum(1, LONGEST / maximum(step, LONGEST / 2))
            f1, f2 = f1 + less * by1, f2 + less * by2
    first, last = torus.tangent(p, f1, 1), torus.tangent(q, f2, -1)
    return Contact(first, last, (f1, f2), (first.moment + last.moment) / 2, step)


def _iteration(torus: Torus, first: Tangent, last: Tangent, turned: Expr, points: int) -> tuple[Expr, Expr]:
    """Steps of both azimuths."""
    mean, most = (first.moment + last.moment) / 2, torus.largest_moment
    c = minimum(maximum(mean, -most), most)
    turn, slope = ZERO, ZERO  # Φ and ∂Φ/∂c
    for rho, weight in torus.distances(first.place, last.place, points):
        square = rho * rho - c * c
        part = weight * torus.r / sqrt(square)
        turn, slope = turn + part / rho, slope + part * rho / square
    turn = c * turn + (mean - c) * slope
    e1, e2 = first.moment - last.moment, turned - turn
    j11, j12 = first.moment_slope, -last.moment_slope
    j21 = torus.turn_rate(first.from_axis, c) * first.place_slope - slope * first.moment_slope / 2 - 1
    j22 = 1 - torus.turn_rate(last.from_axis, c) * last.place_slope - slope * last.moment_slope / 2
    determinant = maximum(j11 * j22 - j12 * j21, LEAST_SLOPE * torus.a)
    return (j12 * e2 - j22 * e1) / determinant, (j21 * e1 - j11 * e2) / determinant


def farthest(crossing: Sequence[Expr], slope: Sequence[Expr], r: Expr, scale: Expr) -> tuple[Expr, Expr]:
    """The point farthest from the axis of the ellipse in which a cylinder of radius r about a line cuts the plane z = 0.

    crossing, slope   x and y of the line at z = 0, and by z

    With M = r² (1 + d dᵀ) of the ellipse about x₀, it is μ (μ - M)⁻¹ x₀ where vᵀ M v = 1, v = (μ - M)⁻¹ x₀, beyond
    the eigenvalues of M: a root of what grows with μ nearly in proportion, 1/√(vᵀ M v) (Hebden 1973).
    """
    x, y = crossing
    dx, dy = slope
    least = (
        NEXT_TO_NOTHING * NEXT_TO_NOTHING
    )  # which way is farthest is not known along the axis, and through the centre
    dx = where(dx * dx + dy * dy > least, dx, NEXT_TO_NOTHING)
    steep, square = dx * dx + dy * dy, r * r
    ux, uy = dx / sqrt(steep), dy / sqrt(steep)
    along = x * ux + y * uy
    aside = where(along * along > least * scale * scale, 0, where(along < 0, -1, 1) * (NEXT_TO_NOTHING * scale))
    x, y, p = x + aside * ux, y + aside * uy, abs(along + aside)
    along = x * dx + y * dy
    b = r * sqrt(1 + steep)
    mu = maximum(b * b + b * p, square + r * sqrt(maximum(x * x + y * y - p * p, least * scale * scale)))
    vx, vy, size = ZERO, ZERO, ONE
    for _ in range(SEARCH):
        least, less = mu - square, mu - b * b
        k = square / less
        vx, vy, dv = (x + k * along * dx) / least, (y + k * along * dy) / least, along / less
        wx, wy, dw = (vx + k * dv * dx) / least, (vy + k * dv * dy) / least, dv / less
        norm = square * (vx * vx + vy * vy + dv * dv)
        size = sqrt(norm)
        mu = mu + (size - 1) * norm / (square * (vx * wx + vy * wy + dv * dw))
    dv = vx * dx + vy * dy
    return x + square * (vx + dv * dx) / size, y + square * (vy + dv * dy) / size


@dataclass(frozen=True, eq=False)
class OverTorus(OverSurface):
    """Along a geodesic over the inside of the tube."""

    tube: Expr = ZERO

    @cached_property
    def _torus(self) -> Torus:
        return Torus(self.radius, self.tube)

    @cached_property
    def _up(self) -> Expr:
        """1 where the path comes from above."""
        return where(self.p[2] > 0, 1, -1)

    @cached_property
    def _goes_through(self) -> Condition:
        """Whether the ends are beyond the tube, on opposite sides of it."""
        r, up = self.tube, self._up
        return (up * self.p[2] >= r) & (up * self.q[2] <= -r)

    @cached_property
    def _nearest(self) -> tuple[Expr, Expr]:
        """Of the straight line's cylinder as thick as the tube the point farthest out in the plane."""
        p, q, through = self.p, self.q, self._goes_through
        rise = where(through, p[2] - q[2], self.radius)
        slope = [where(through, p[k] - q[k], 0) / rise for k in (0, 1)]
        crossing = [where(through, p[k], 2 * self.radius) - slope[k] * p[2] for k in (0, 1)]
        return farthest(crossing, slope, self.tube, self.radius)

    @cached_property
    def touches(self) -> Condition:
        """Whether the path is on the surface; where that is not known, it is counted as such, and has no value."""
        x, y = self._nearest
        r, up = self.tube, self._up
        free = self._goes_through & (x * x + y * y <= self.radius * self.radius)
        return ~(free | ((up * self.p[2] >= r) & (up * self.q[2] >= r)))

    @cached_property
    def _contact(self) -> Contact:
        x, y = self._nearest
        a, on = self.radius, self._goes_through & self.touches
        p, q = (
            vector(where(on, v[0], 3 * a), where(on, v[1], 0), where(on, self._up * v[2], s * a))
            for v, s in ((self.p, 1), (self.q, -1))
        )
        return contact(self._torus, p, q, atan2(where(on, y, 0), where(on, x, a)))

    @cached_property
    def is_known(self) -> Condition:
        """Whether the path touches the tube once, between ends beyond it, and was found.

        A geodesic pulls against the tube where ρ³ ≥ a c²: the normal curvature is positive."""
        found, torus = self._contact, self._torus
        c2 = found.moment * found.moment
        inmost = torus.a - torus.r * cos(maximum(found.first.place, minimum(found.last.place, 0)))
        presses = (inmost**3 >= torus.a * c2) & (c2 <= torus.largest_moment**2)
        twice = ((found.first.place > 0) & self._touches_twice(found.first, self.p)) | (
            (found.last.place < 0) & self._touches_twice(found.last, self.q)
        )
        is_thin = THICKEST * torus.r <= torus.a
        return self._goes_through & (found.step < CLOSED) & presses & is_thin & ~twice

    def _touches_twice(self, tangent: Tangent, end: Matrix) -> Condition:
        """Whether the straight part would touch the other side of the hole: T > a/r, c² > (a² - r² T) (1 - 1/T)²."""
        a, r = self.radius, self.tube
        down = (self._up * end[2] + r * sin(tangent.place)) ** 2
        square, c2 = tangent.length**2, tangent.moment**2
        beyond = c2 * down * square**2 > (a * a * down - r * r * square) * (square - down) ** 2
        return (r * square > a * down) & beyond

    @cached_property
    def _checked(self) -> Expr:
        """1, or no value; an error where that is known before any motion."""
        known = where(self.is_known | ~self.touches, 1, 0)
        if known is ZERO:
            raise ModelError(
                "path through a torus: its ends are beside the tube (|z| < tube), or it would touch the tube on both sides "
                "of the hole; move them away from the plane of the ring, or give the path a ViaPoint"
            )
        return ONE if known is ONE else where(self.is_known, 1, no_value(self._contact.step))

    @cached_property
    def _over(self) -> Expr:
        found, torus = self._contact, self._torus
        most = torus.largest_moment
        c = minimum(maximum(found.moment, -most), most)
        along = c * (found.azimuths[1] - found.azimuths[0])
        for rho, weight in torus.distances(found.first.place, found.last.place, FINE[1]):
            along = along + weight * torus.r * sqrt(rho * rho - c * c) / rho
        return (found.first.length + along + found.last.length) * self._checked

    @cached_property
    def rate(self) -> Expr:
        return self._rate_of_the_ends()

    def _ways(self) -> tuple[Matrix, Matrix]:
        found = self._contact
        first, last = zip((found.first, found.last), found.azimuths, (self.p, self.q), strict=True)
        return self._way(*first), self._way(*last)

    def _way(self, tangent: Tangent, azimuth: Expr, end: Matrix) -> Matrix:
        rho, height = tangent.from_axis, -self._up * self.tube * sin(tangent.place)
        on = vector(rho * cos(azimuth), rho * sin(azimuth), height)
        return (on - end) * (self._checked / tangent.length)
