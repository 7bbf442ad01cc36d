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

all derivatives by φ₁, φ₂ and c are zero where they hold: residuals change the length in second order, and its gradient
with respect to the position of an end is the unit vector along the path there.

A line that touches the tube from within the hole touches it a second time, on the other side, where T = 1/cos² of its
angle with the axis is more than a/r and

    c² = (a² - r² T) (1 - 1/T)²

so that a path touches the tube twice beyond that, along two geodesics with such a chord between them, which c places; and
no line through the hole has a larger moment than the largest of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.functions import atan2, cos, maximum, minimum, sin, value_where, where
from ...algebra.graph.graph import ONE, PI, ZERO, Condition, Expr, as_expr
from ...algebra.graph.matrix import Matrix, vector
from ...argument_kinds import answered_class
from ...errors import ModelError, shown
from ..frames.frames import Frame
from ..frames.points import Point
from .path_surfaces import OverSurface, WrapSurface, vector_where
from .torus_contact import (
    FINE_STAGE,
    FINE_STAGE_OF_CHORD,
    DoubleTorusContact,
    Torus,
    TorusContact,
    TubeTangent,
    contact,
    double_contact,
    farthest,
)

# size of the last Newton step in radians of a converged iteration, whose error is the square of it
CONVERGED_STEP: Final = 1e-6
MIN_RADIUS_RATIO: Final = 2  # smallest ratio of the radius of the ring to that of the tube


@answered_class
@dataclass(frozen=True, eq=False)
class WrapTorus(WrapSurface):
    """A torus about the z axis of a body or frame, or about a point, through whose hole a path between two points runs.

    radius   of the circle in the middle of its tube
    tube     radius of the tube, at most half of `radius`; for a thin tube use `WrapRing`

    The path is straight if it passes through the hole without contact, or if both points are beyond the tube (|z| >
    tube) on the same side. Otherwise it follows one geodesic on the inside of the tube, or two on opposite sides of the
    hole. If an end is beside the tube (|z| < tube), the length has no value, and a simulation ends there. The same
    happens if the path is not found (one pair of ends in a thousand at tube = radius/4, seven at radius/2).

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
        super().__post_init__()
        for name in ("radius", "tube"):
            value = as_expr(getattr(self, name))
            if time_derivative(value) is not ZERO:
                raise ModelError(f"WrapTorus: its {name} must be a number or made of parameters, got {shown(value)}")
        a, r = as_expr(self.radius).value, as_expr(self.tube).value
        if r is not None and r <= 0:
            raise ModelError(
                f"WrapTorus: its tube has a radius of more than zero, got {shown(self.tube)}; WrapRing is thin"
            )
        if a is not None and r is not None and a < MIN_RADIUS_RATIO * r:
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

    def _ends(self, on: Condition, far: Expr, height: Expr) -> tuple[Matrix, Matrix]:
        """Both ends, p above; where they do not count, places that do no harm."""
        p, q, up = self.p, self.q, self._up
        return (
            vector(where(on, p[0], 3 * self.radius), where(on, p[1], 0), where(on, up * p[2], height)),
            vector(where(on, q[0], far), where(on, q[1], 0), where(on, up * q[2], -height)),
        )

    @cached_property
    def _contact(self) -> TorusContact:
        x, y = self._nearest
        a, on = self.radius, self._goes_through & self.touches
        return contact(self._torus, *self._ends(on, 3 * a, a), atan2(where(on, y, 0), where(on, x, a)))

    @cached_property
    def _double_contact(self) -> DoubleTorusContact:
        on = self._goes_through & self.touches & ~self.touches_once
        return double_contact(self._torus, *self._ends(on, -3 * self.radius, self.tube))

    @cached_property
    def _may_be_found(self) -> Condition:
        return self._goes_through & (MIN_RADIUS_RATIO * self.tube <= self.radius)

    @cached_property
    def touches_once(self) -> Condition:
        """Whether the path touches the tube on one side of the hole: it was found, and nothing else is in its way.

        A geodesic presses against the tube where its normal curvature is positive, ρ³ ≥ a c²."""
        found, torus = self._contact, self._torus
        c2 = found.moment * found.moment
        inmost = torus.a - torus.r * cos(maximum(found.first.place, minimum(found.last.place, 0)))
        presses = (inmost**3 >= torus.a * c2) & (c2 <= torus.largest_moment**2)
        again = ((found.first.place > 0) & self._touches_again(found.first, self.p)) | (
            (found.last.place < 0) & self._touches_again(found.last, self.q)
        )
        return self._may_be_found & (found.step < CONVERGED_STEP) & presses & ~again

    def _touches_again(self, tangent: TubeTangent, end: Matrix) -> Condition:
        """Whether the straight part would meet the other side of the hole: T > a/r, c² > (a² - r² T) (1 - 1/T)²."""
        a, r = self.radius, self.tube
        down = (self._up * end[2] + r * sin(tangent.place)) ** 2
        square, c2 = tangent.length**2, tangent.moment**2
        beyond = c2 * down * square**2 > (a * a * down - r * r * square) * (square - down) ** 2
        return (r * square > a * down) & beyond

    @cached_property
    def touches_twice(self) -> Condition:
        """Whether the path touches the tube on both sides of the hole."""
        found = self._double_contact
        place = found.chord.place
        sides = (found.first.place <= -place) & (found.last.place >= place) & (place >= 0)
        return self._may_be_found & ~self.touches_once & (found.step < CONVERGED_STEP) & sides

    @cached_property
    def _one_if_found(self) -> Expr:
        """1, or no value; an error where that is known before any motion."""
        is_known = self.touches_once | self.touches_twice
        known = where(is_known | ~self.touches, 1, 0)
        if known is ZERO:
            raise ModelError(
                "path through a torus: an end is beside its tube (|z| < tube), or too near to it for a path to be found; "
                "move the end away from the plane of the ring, or put a ViaPoint in place of the torus"
            )
        return ONE if known is ONE else value_where(is_known, 1, of=self._contact.step)

    @cached_property
    def _over(self) -> Expr:
        torus, once, twice = self._torus, self._contact, self._double_contact
        most = torus.largest_moment
        c = minimum(maximum(once.moment, -most), most)
        single = once.first.length + once.last.length + c * (once.azimuths[1] - once.azimuths[0])
        single = single + torus.action(once.first.place, once.last.place, c, FINE_STAGE[1])
        chord = twice.chord
        c, turned = chord.moment, twice.azimuths[1] - twice.azimuths[0] - PI + 2 * chord.short
        double = twice.first.length + twice.last.length + chord.length + c * turned
        double = double + torus.action(twice.first.place, -chord.place, c, FINE_STAGE_OF_CHORD[1])
        double = double + torus.action(chord.place, twice.last.place, c, FINE_STAGE_OF_CHORD[1])
        return where(self.touches_once, single, double) * self._one_if_found

    @cached_property
    def rate(self) -> Expr:
        return self._rate_of_the_ends()

    def ways(self) -> tuple[Matrix, Matrix]:
        once, twice = self._contact, self._double_contact
        return (
            self._way((once.first, twice.first), (once.azimuths[0], twice.azimuths[0]), self.p),
            self._way((once.last, twice.last), (once.azimuths[1], twice.azimuths[1]), self.q),
        )

    def _way(self, tangents: tuple[TubeTangent, TubeTangent], azimuths: tuple[Expr, Expr], end: Matrix) -> Matrix:
        """The unit vector from an end, with one contact and with two."""
        ways = []
        for tangent, azimuth in zip(tangents, azimuths, strict=True):
            rho, height = tangent.from_axis, -self._up * self.tube * sin(tangent.place)
            on = vector(rho * cos(azimuth), rho * sin(azimuth), height)
            ways.append((on - end) * (self._one_if_found / tangent.length))
        return vector_where(self.touches_once, *ways)
