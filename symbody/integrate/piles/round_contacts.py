"""Points of contact of balls and cylinders, as kernels: with each other and with half-spaces.

`ball` has two balls, centre and radius each: bodies, or balls of clumps. `w` takes what is found: the normal (3), towards the
first ball or the body on the plane, the point (3), and the gap.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.kernel_language import Numbers
from .pile_records import CLUMP, STATE, PileStep

TINY: Final = 1e-300
SINE: Final = 0.8660254037844386  # of 120°


def set_ball(s: PileStep, i: int, a: int, which: int) -> None:
    """A body that is a ball, or the ball a of a clump, as one of two in `ball`."""
    k = s.kind[i]
    for r in range(3):
        s.ball[4 * which + r] = s.y[STATE * i + r]
    s.ball[4 * which + 3] = s.shapes.radius[k]
    if s.shapes.clumps == 1 and s.shapes.form[k] == CLUMP:
        c = s.shapes.corner[k] + a
        s.ball[4 * which + 3] = s.shapes.sizes[c]
        for r in range(3):
            for j in range(3):
                s.ball[4 * which + r] += s.turn[9 * i + 3 * r + j] * s.shapes.corners[3 * c + j]


def ball_near_ball(s: PileStep) -> None:
    """From the second towards the first."""
    square = 0.0
    for r in range(3):
        s.w[r] = s.ball[r] - s.ball[4 + r]
        square += s.w[r] * s.w[r]
    distance = sqrt(square)
    s.w[6] = distance - s.ball[3] - s.ball[7]
    unit_normal(s.w, distance)
    for r in range(3):
        s.w[3 + r] = s.ball[4 + r] + s.ball[7] * s.w[r]


def unit_normal(w: Numbers, size: float) -> None:
    """The first three numbers over their size; upwards where there is no direction."""
    for r in range(3):
        w[r] = w[r] / max(size, TINY)
    if size == 0.0:
        w[2] = 1.0


def ball_on_plane(s: PileStep, plane: int) -> None:
    s.w[6] = height_over(s.planes[4 * plane :], s.ball) - s.ball[3]
    for r in range(3):
        s.w[r] = s.planes[4 * plane + r]
        s.w[3 + r] = s.ball[r] - s.ball[3] * s.w[r]


def height_over(plane: Numbers, x: Numbers) -> float:
    """Of a point over a plane, given by its normal and distance."""
    out = -plane[3]
    for r in range(3):
        out += plane[r] * x[r]
    return out


def set_drum_axis(s: PileStep, i: int) -> None:
    """The axis of a cylinder in the ground frame, in `one`."""
    k = s.kind[i]
    for r in range(3):
        s.one[r] = 0.0
        for j in range(3):
            s.one[r] += s.turn[9 * i + 3 * r + j] * s.shapes.axis[3 * k + j]


def drum_on_plane(s: PileStep, i: int, plane: int, feature: int) -> None:
    """Of each end three points of its edge, the lowest first (feature: the end, and the point)."""
    set_drum_axis(s, i)
    k = s.kind[i]
    end = 1.0 if feature < 3 else -1.0
    at = feature % 3
    along = 0.0
    for r in range(3):
        along += s.one[r] * s.planes[4 * plane + r]
    size = sqrt(max(0.0, 1.0 - along * along))
    set_down(s, along, size, plane)
    # turned about the axis
    s.w[0] = s.one[1] * s.two[2] - s.one[2] * s.two[1]
    s.w[1] = s.one[2] * s.two[0] - s.one[0] * s.two[2]
    s.w[2] = s.one[0] * s.two[1] - s.one[1] * s.two[0]
    cosine = 1.0
    sine = 0.0
    if at > 0:
        cosine = -0.5
        sine = SINE if at == 1 else -SINE
    for r in range(3):
        side = cosine * s.two[r] + sine * s.w[r]
        s.w[3 + r] = s.y[STATE * i + r] + end * s.shapes.half[k] * s.one[r] + s.shapes.radius[k] * side
    for r in range(3):
        s.w[r] = s.planes[4 * plane + r]
    s.w[6] = height_over(s.planes[4 * plane :], s.w[3:])


def set_down(s: PileStep, along: float, size: float, plane: int) -> None:
    """The direction across the axis that points into the plane, in `two`; any where the cylinder stands."""
    if size > 1e-9:
        for r in range(3):
            s.two[r] = (along * s.one[r] - s.planes[4 * plane + r]) / size
    else:
        least = 0
        for r in range(3):
            if abs(s.one[r]) < abs(s.one[least]):
                least = r
        square = 0.0
        for r in range(3):
            s.two[r] = -s.one[least] * s.one[r]
            if r == least:
                s.two[r] += 1.0
            square += s.two[r] * s.two[r]
        for r in range(3):
            s.two[r] = s.two[r] / sqrt(square)


def ball_near_drum(s: PileStep, j: int) -> None:
    """The first ball near a cylinder j, from that towards the ball: the point of the cylinder that is nearest to its centre."""
    set_drum_axis(s, j)
    k = s.kind[j]
    t = 0.0
    for r in range(3):
        t += (s.ball[r] - s.y[STATE * j + r]) * s.one[r]
    square = 0.0
    for r in range(3):
        s.two[r] = s.ball[r] - s.y[STATE * j + r] - t * s.one[r]
        square += s.two[r] * s.two[r]
    side = sqrt(square)
    over = abs(t) - s.shapes.half[k]
    beside = side - s.shapes.radius[k]
    end = 1.0 if t >= 0.0 else -1.0
    forward = max(over, 0.0)
    outward = max(beside, 0.0)
    if over <= 0.0 and beside <= 0.0:
        forward = 1.0 if over > beside else 0.0
        outward = 1.0 - forward
    size = sqrt(forward * forward + outward * outward)
    distance = size
    if over <= 0.0 and beside <= 0.0:
        distance = max(over, beside)
    for r in range(3):
        s.w[r] = (forward * end * s.one[r] + outward * s.two[r] / max(side, TINY)) / max(size, TINY)
    s.w[6] = distance - s.ball[3]
    for r in range(3):
        s.w[3 + r] = s.ball[r] - distance * s.w[r]
