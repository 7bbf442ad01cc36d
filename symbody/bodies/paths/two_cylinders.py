"""Pieces of paths over two cylinders between the same two points, one after the other.

Between the cylinders the path is straight, and crosses the plane in which lines that touch both circles are halved: seen
along the first axis, with the centres D apart, it is h = (D² + R₁² - R₂²)/(2 D) from the first. The point x of that plane
with the least

    l(x) = l₁(a, x) + l₂(x, b)

is found by Newton's method. Slopes are the unit vectors from x along both parts, and the second derivatives of a part
whose straight end is ℓ long, whose way round is ρ in the plane and L altogether, are

    (ρ/L) t tᵀ/ℓ + (e_ρ e_ρᵀ + e_z e_zᵀ - e eᵀ)/L,     or   (1 - e eᵀ)/L   where the cylinder is not touched.

Where x is, both slopes cancel: derivatives of the length do not need those of x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.functions import maximum, minimum, settled_iterate, sqrt, where
from ...algebra.graph.graph import Condition, Expr, as_expr
from ...algebra.graph.matrix import Matrix, cross, dot, vector
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector
from .path_surfaces import EitherPiece, OverCylinder, WrapCylinder, vector_where

ITERATIONS: Final = 8  # of Newton's method, enough to reach rounding
DIFFERENTIATED: Final = 2  # last of them, which have three derivatives of x and thus four of the length
NEAREST: Final = 1.001  # distance of x from both cylinders, relative to that of the line where they meet
LEAST_END: Final = 1e-3  # shortest straight end, relative to a radius, in second derivatives


def over_two(first: WrapCylinder, second: WrapCylinder, a: Point, b: Point, on: Frame, towards: Frame) -> EitherPiece:
    """The part of a path from a over the first cylinder and then the second to b; over one of them alone where an end is
    beyond the plane between them."""
    both = OverTwoCylinders(a, b, on, towards, first, second)
    one = EitherPiece(both.is_beyond(a), second.piece(a, b, on, towards), first.piece(a, b, on, towards))
    return EitherPiece(~both.is_beyond(a) & both.is_beyond(b), both, one)


@dataclass(frozen=True, eq=False)
class OverTwoCylinders:
    """From a to x over the first cylinder, and from x to b over the second; x in the frame of the first."""

    a: Point
    b: Point
    on: Frame
    towards: Frame
    first: WrapCylinder
    second: WrapCylinder

    @cached_property
    def _plane(self) -> tuple[Matrix, Matrix, Expr, Expr]:
        """Unit vectors across the plane and along it, its distance h, and half the width of what both cylinders share."""
        place = (self.second.frame.origin - self.first.frame.origin).components(self.first.frame)
        D = sqrt(place[0] * place[0] + place[1] * place[1])
        x, y = place[0] / D, place[1] / D
        R1, R2 = as_expr(self.first.radius), as_expr(self.second.radius)
        h = (D * D + R1 * R1 - R2 * R2) / (2 * D)
        width = sqrt(maximum(R1 * R1 - h * h, LEAST_END * R1 * R1))
        return vector(x, y, 0), vector(-y, x, 0), h, width

    def is_beyond(self, p: Point) -> Condition:
        """Whether a point is on the side of the second cylinder."""
        n, _, h, _ = self._plane
        return dot((p - self.first.frame.origin).components(self.first.frame), n) > h

    @cached_property
    def _start(self) -> tuple[Expr, Expr]:
        """Where the path over the second cylinder alone crosses the plane."""
        n, t, h, _ = self._plane
        alone = self.second.piece(self.a, self.b, self.on, self.towards)
        assert isinstance(alone, OverCylinder)
        way = self.first.frame.dcm(self.second.frame) @ vector_where(alone.touches, alone.ways()[0], alone.straight)
        p = (self.a - self.first.frame.origin).components(self.first.frame)
        across = dot(way, n)
        by = (h - dot(p, n)) / where(across > LEAST_END, across, 1)
        at = p + by * way
        return dot(at, t), at[2]

    def at(self, tau: Expr, z: Expr) -> tuple[OverCylinder, OverCylinder]:
        n, t, h, _ = self._plane
        at = h * n + tau * t + vector(0, 0, z)
        x = self.first.frame.point(*at.entries)
        carrier = self.first.frame
        one = self.first.piece(self.a, x, self.on, carrier)
        two = self.second.piece(x, self.b, carrier, self.towards)
        assert isinstance(one, OverCylinder)
        assert isinstance(two, OverCylinder)
        return one, two

    @cached_property
    def parts(self) -> tuple[OverCylinder, OverCylinder]:
        """Both parts, where the length is least."""
        _, t, _, width = self._plane
        tau, z = self._start
        side = where(tau < 0, -1, 1)
        far = as_expr(self.first.radius) + as_expr(self.second.radius)
        turn = self.first.frame.dcm(self.second.frame)
        axes = t, vector(0, 0, 1)
        for k in range(ITERATIONS):
            if k == ITERATIONS - DIFFERENTIATED:
                tau, z = settled_iterate(tau), settled_iterate(z)
            tau = side * maximum(side * tau, NEAREST * width)
            one, two = self.at(tau, z)
            e1, h1 = _slope_and_curvature(one, 1, axes)
            e2, h2 = _slope_and_curvature(two, 0, [turn.T @ v for v in axes])
            g = [-(x + y) for x, y in zip(e1, e2, strict=True)]
            A, B, C = (x + y for x, y in zip(h1, h2, strict=True))
            det = A * C - B * B
            det = where(det > 0, det, 1)
            steps = (C * g[0] - B * g[1]) / det, (A * g[1] - B * g[0]) / det
            tau, z = (v - maximum(minimum(s, far), -far) for v, s in zip((tau, z), steps, strict=True))
        return self.at(tau, z)

    @cached_property
    def length(self) -> Expr:
        return self.parts[0].length + self.parts[1].length

    @cached_property
    def rate(self) -> Expr:
        """l', by the velocities of the ends of both parts in the frames of their cylinders; x does not move in the
        first."""
        one, two = self.parts
        e1, e2, e3 = _way(one, 0), _way(two, 0), _way(two, 1)
        spin = self.first.frame.angular_velocity(self.second.frame).components(self.second.frame)
        to = (self.first.frame.origin - self.second.frame.origin).components(self.second.frame)
        arm = two.p - to
        v = time_derivative(to) + cross(spin, arm)
        return -(dot(e1, time_derivative(one.p)) + dot(e2, v) + dot(e3, time_derivative(two.q)))

    def pulls(self) -> Sequence[tuple[Frame, Point, Vector]]:
        """On both ends, and on both cylinders; at x both parts cancel."""
        one, two = (part.pulls() for part in self.parts)
        return [one[0], one[1], one[3], two[1], two[2], two[3]]


def _way(part: OverCylinder, end: int) -> Matrix:
    """The unit vector along the path from one of its ends, in the frame of its cylinder."""
    line = part.straight if end == 0 else -part.straight
    return vector_where(part.touches, part.ways()[end], line)


def _slope_and_curvature(
    part: OverCylinder, end: int, axes: Sequence[Matrix]
) -> tuple[tuple[Expr, Expr], tuple[Expr, Expr, Expr]]:
    """Components of the unit vector from an end along two axes, and second derivatives of the length along them."""
    e = _way(part, end)
    L = part.length
    flat = sqrt(maximum(e[0] * e[0] + e[1] * e[1], LEAST_END * LEAST_END))
    across = vector(-e[1] / flat, e[0] / flat, 0)
    along = vector(e[0] / flat, e[1] / flat, 0)
    straight_end = maximum(part.tangents[end], LEAST_END * part.radius)
    by_end = where(part.touches, part.round / (L * straight_end), 1 / L)
    s = [dot(e, v) for v in axes]
    c, a = ([dot(u, v) for v in axes] for u in (across, along))
    z = [v[2] for v in axes]

    def entry(i: int, j: int) -> Expr:
        return by_end * c[i] * c[j] + (a[i] * a[j] + z[i] * z[j] - s[i] * s[j]) / L

    return (s[0], s[1]), (entry(0, 0), entry(0, 1), entry(1, 1))
