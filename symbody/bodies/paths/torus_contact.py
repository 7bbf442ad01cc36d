"""Contact points of a path through the hole of a torus: equations for the azimuths of the ends of geodesics, solved
by a fixed number of Newton iterations from the point where the straight line is deepest within the tube
(`torus_paths.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

from ...algebra.graph.functions import atan2, cos, maximum, minimum, sin, sqrt, where
from ...algebra.graph.graph import ONE, PI, ZERO, Expr
from ...algebra.graph.matrix import Matrix
from ..mass.material_integrals import gauss_points

# number of iterations for the point of the tube nearest to the straight line, enough to reach rounding
SEARCH_ITERATIONS: Final = 6
COARSE_STAGE: Final = (8, 8)  # numbers of iterations for the azimuths, and of Gauss points in each
FINE_STAGE: Final = (2, 28)  # numbers of the iterations that follow, with integrals accurate nearly to rounding
COARSE_STAGE_OF_CHORD: Final = (8, 6)  # the same numbers for geodesics on both sides of a chord
FINE_STAGE_OF_CHORD: Final = (2, 16)  # numbers of the iterations that follow, on both sides of a chord
MAX_STEP: Final = Fraction(1, 2)  # largest change of the azimuths in one iteration, in radians
MIN_DETERMINANT: Final = Fraction(1, 20)  # smallest determinant of the equations over the radius
# smallest determinant of the equations with a chord over the square of the radius
MIN_DETERMINANT_OF_CHORD: Final = Fraction(1, 1000)
MAX_FIRST_ANGLE: Final = Fraction(7, 5)  # largest initial angle of a chord in radians
# largest angle of a chord in radians, beyond π/2 where both contact points of a chord coincide
MAX_ANGLE: Final = Fraction(8, 5)
NEGLIGIBLE: Final = 1e-12  # offset that replaces a vanishing distance


class TubeTangent(NamedTuple):
    """The tangent from an end to the tube in the half-plane of an azimuth, and its derivative with respect to the
    azimuth."""

    place: Expr  # ψ
    place_slope: Expr
    moment: Expr  # c of the straight part, in the sense of the path
    moment_slope: Expr
    from_axis: Expr  # ρ
    length: Expr


@dataclass(frozen=True)
class Torus:
    """The two radii of a torus, and quantities derived from them."""

    a: Expr
    r: Expr

    @cached_property
    def largest_moment(self) -> Expr:
        """Of lines through the hole: where (a² - r² T) (1 - 1/T)² is largest, r² (T² + T) = 2 a²."""
        T = (sqrt(1 + 8 * (self.a / self.r) ** 2) - 1) / 2
        return sqrt(self.a * self.a - self.r * self.r * T) * (1 - 1 / T)

    def tangent(self, end: Matrix, azimuth: Expr, sense: int) -> TubeTangent:
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
        return TubeTangent(place, place_slope, moment, slope, from_axis, length)

    def turn_rate(self, from_axis: Expr, c: Expr) -> Expr:
        """dφ/dψ of a geodesic."""
        return c * self.r / (from_axis * sqrt(from_axis * from_axis - c * c))

    def turn(self, start: Expr, end: Expr, c: Expr, points: int) -> tuple[Expr, Expr]:
        """Φ = ∫ dφ/dψ dψ of a geodesic, and ∂Φ/∂c."""
        turn, slope = ZERO, ZERO
        for rho, weight in self.distances(start, end, points):
            square = rho * rho - c * c
            part = weight * self.r / sqrt(square)
            turn, slope = turn + part / rho, slope + part * rho / square
        return c * turn, slope

    def action(self, start: Expr, end: Expr, c: Expr, points: int) -> Expr:
        """∫ (r/ρ) √(ρ² - c²) dψ: the length of a geodesic, less c times its turn."""
        total = ZERO
        for rho, weight in self.distances(start, end, points):
            total = total + weight * self.r * sqrt(rho * rho - c * c) / rho
        return total

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


class TorusContact(NamedTuple):
    """The points at which a path meets and leaves a torus."""

    first: TubeTangent
    last: TubeTangent
    azimuths: tuple[Expr, Expr]
    moment: Expr
    step: Expr  # of the last iteration, radians


def contact(torus: Torus, p: Matrix, q: Matrix, azimuth: Expr) -> TorusContact:
    """The equations of the geodesic by Newton's method, from p above to q below."""
    f1 = f2 = azimuth
    step = ZERO
    for iterations, points in (COARSE_STAGE, FINE_STAGE):
        for _ in range(iterations):
            by1, by2 = _iteration(torus, torus.tangent(p, f1, 1), torus.tangent(q, f2, -1), f2 - f1, points)
            step = maximum(abs(by1), abs(by2))
            less = minimum(1, MAX_STEP / maximum(step, MAX_STEP / 2))
            f1, f2 = f1 + less * by1, f2 + less * by2
    first, last = torus.tangent(p, f1, 1), torus.tangent(q, f2, -1)
    return TorusContact(first, last, (f1, f2), (first.moment + last.moment) / 2, step)


def _iteration(torus: Torus, first: TubeTangent, last: TubeTangent, turned: Expr, points: int) -> tuple[Expr, Expr]:
    """Steps of both azimuths."""
    mean, most = (first.moment + last.moment) / 2, torus.largest_moment
    c = minimum(maximum(mean, -most), most)
    turn, slope = torus.turn(first.place, last.place, c, points)
    e1, e2 = first.moment - last.moment, turned - turn - (mean - c) * slope
    j11, j12 = first.moment_slope, -last.moment_slope
    j21 = torus.turn_rate(first.from_axis, c) * first.place_slope - slope * first.moment_slope / 2 - 1
    j22 = 1 - torus.turn_rate(last.from_axis, c) * last.place_slope - slope * last.moment_slope / 2
    determinant = maximum(j11 * j22 - j12 * j21, MIN_DETERMINANT * torus.a)
    return (j12 * e2 - j22 * e1) / determinant, (j21 * e1 - j11 * e2) / determinant


def farthest(crossing: Sequence[Expr], slope: Sequence[Expr], r: Expr, scale: Expr) -> tuple[Expr, Expr]:
    """The point farthest from the axis of the ellipse in which a cylinder of radius r about a line cuts the plane z = 0.

    crossing, slope   x and y of the line at z = 0, and by z

    With M = r² (1 + d dᵀ) of the ellipse about x₀, it is μ (μ - M)⁻¹ x₀ where vᵀ M v = 1, v = (μ - M)⁻¹ x₀, beyond
    the eigenvalues of M: a root of 1/√(vᵀ M v) - 1, which is nearly linear in μ (Hebden 1973).
    """
    x, y = crossing
    dx, dy = slope
    least = NEGLIGIBLE * NEGLIGIBLE  # which way is farthest is not known along the axis, and through the centre
    dx = where(dx * dx + dy * dy > least, dx, NEGLIGIBLE)
    steep, square = dx * dx + dy * dy, r * r
    ux, uy = dx / sqrt(steep), dy / sqrt(steep)
    along = x * ux + y * uy
    aside = where(along * along > least * scale * scale, 0, where(along < 0, -1, 1) * (NEGLIGIBLE * scale))
    x, y, p = x + aside * ux, y + aside * uy, abs(along + aside)
    along = x * dx + y * dy
    b = r * sqrt(1 + steep)
    mu = maximum(b * b + b * p, square + r * sqrt(maximum(x * x + y * y - p * p, least * scale * scale)))
    vx, vy, size = ZERO, ZERO, ONE
    for _ in range(SEARCH_ITERATIONS):
        least, less = mu - square, mu - b * b
        k = square / less
        vx, vy, dv = (x + k * along * dx) / least, (y + k * along * dy) / least, along / less
        wx, wy, dw = (vx + k * dv * dx) / least, (vy + k * dv * dy) / least, dv / less
        norm = square * (vx * vx + vy * vy + dv * dv)
        size = sqrt(norm)
        mu = mu + (size - 1) * norm / (square * (vx * wx + vy * wy + dv * dw))
    dv = vx * dx + vy * dy
    return x + square * (vx + dv * dx) / size, y + square * (vy + dv * dy) / size


class TorusChord(NamedTuple):
    """A line through the hole that touches the tube on both sides, at -ψ and ψ, and its derivative with respect to
    its parameter."""

    place: Expr  # ψ
    place_slope: Expr
    moment: Expr
    moment_slope: Expr
    short: Expr  # of half a turn, ½ (π - turn)
    short_slope: Expr
    length: Expr


class DoubleTorusContact(NamedTuple):
    """The points at which a path meets and leaves a torus, and its chord across the hole in between."""

    first: TubeTangent
    last: TubeTangent
    azimuths: tuple[Expr, Expr]
    chord: TorusChord
    parameter: Expr
    step: Expr  # of the last iteration, radians


def chord(torus: Torus, w: Expr) -> TorusChord:
    """T = (a/r)² (1 - y²), cos ψ = r/(a (1 - y²)), c = a y (1 - (r/a) cos ψ), with y = √(1 - r/a) sin w: from -π/2 to
    π/2 all of them, and smooth at both ends, where ψ = 0, as in the middle, where c = 0."""
    thin = torus.r / torus.a
    most = sqrt(1 - thin)
    y, dy = most * sin(w), most * cos(w)
    k = 1 - y * y
    cosine = thin / k
    sine = dy * sqrt((1 + cosine) / k)
    place_slope = -2 * cosine * y / sqrt(k * (1 + cosine))
    flat = sqrt(k) / thin  # √T
    across, up = y * flat, sine / cosine
    across_slope, up_slope = (dy - y * y * dy / k) * flat, place_slope / (cosine * cosine)
    return TorusChord(
        place=atan2(sine, cosine),
        place_slope=place_slope,
        moment=torus.a * y * (1 - thin * cosine),
        moment_slope=torus.a * dy * (1 - thin * cosine * (1 + 2 * y * y / k)),
        short=atan2(across, up),
        short_slope=(across_slope * up - up_slope * across) / (flat * flat - 1),
        length=2 * torus.r * sine * flat,
    )


def double_contact(torus: Torus, p: Matrix, q: Matrix) -> DoubleTorusContact:
    """From p above to q below over both sides of the hole, φ₂ - φ₁ = Φ(ψ₁, -ψ) + turn of the chord + Φ(ψ, ψ₂)."""
    aside = atan2(p[1] * q[0] - p[0] * q[1], -(p[0] * q[0] + p[1] * q[1]))  # of the azimuths, from half a turn
    f1 = atan2(p[1], p[0])
    f2 = f1 + PI + aside
    w = minimum(maximum(-aside / 2, -MAX_FIRST_ANGLE), MAX_FIRST_ANGLE)
    step = ZERO
    for iterations, points in (COARSE_STAGE_OF_CHORD, FINE_STAGE_OF_CHORD):
        for _ in range(iterations):
            by = _double_iteration(
                torus, torus.tangent(p, f1, 1), torus.tangent(q, f2, -1), chord(torus, w), f2 - f1, points
            )
            step = maximum(maximum(abs(by[0]), abs(by[1])), abs(by[2]))
            less = minimum(1, MAX_STEP / maximum(step, MAX_STEP / 2))
            f1, f2, w = f1 + less * by[0], f2 + less * by[1], minimum(maximum(w + less * by[2], -MAX_ANGLE), MAX_ANGLE)
    return DoubleTorusContact(torus.tangent(p, f1, 1), torus.tangent(q, f2, -1), (f1, f2), chord(torus, w), w, step)


def _double_iteration(
    torus: Torus, first: TubeTangent, last: TubeTangent, between: TorusChord, turned: Expr, points: int
) -> tuple[Expr, Expr, Expr]:
    """Steps of both azimuths and of the parameter of the chord."""
    c, by_c = between.moment, between.moment_slope
    turn, slope = torus.turn(first.place, -between.place, c, points)
    more, steeper = torus.turn(between.place, last.place, c, points)
    rate = torus.turn_rate(torus.a - torus.r * cos(between.place), c)
    e1, e2, e3 = first.moment - c, last.moment - c, turned - turn - more - PI + 2 * between.short
    m1, m2 = first.moment_slope, last.moment_slope
    j1 = torus.turn_rate(first.from_axis, c) * first.place_slope - 1
    j2 = 1 - torus.turn_rate(last.from_axis, c) * last.place_slope
    j3 = 2 * (rate * between.place_slope + between.short_slope) - (slope + steeper) * by_c
    one, two = m2 * j3 + by_c * j2, m1 * j3 + by_c * j1
    determinant = minimum(m1 * one + by_c * m2 * j1, -MIN_DETERMINANT_OF_CHORD * torus.a * torus.a)
    return (
        (by_c * (e2 * j2 - m2 * e3) - e1 * one) / determinant,
        (by_c * (e1 * j1 - m1 * e3) - e2 * two) / determinant,
        (m1 * j2 * e2 + m2 * j1 * e1 - m1 * m2 * e3) / determinant,
    )
