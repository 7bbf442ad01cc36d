"""Points of contact with a height field, as kernels: heights over a grid of the x-y plane, two triangles in each cell.

A ball touches the triangles under it where it is nearest to them; a point that two triangles share counts once. A hull
touches with its corners.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.kernel_language import Numbers
from .pile_records import PileStep

SAME: Final = 1e-9  # points closer than this fraction of a ball's radius are one
MOST_TOUCHED: Final = 8  # points of one ball on the field


def cell_of_field(s: PileStep, axis: int, x: float) -> int:
    """The cell at x along an axis; the nearest one beyond the borders."""
    at = (x - s.field_place[axis]) / s.field_place[2 + axis]
    return int(max(0.0, min(at, float(s.field_shape[axis] - 2))))


def is_over_field(s: PileStep, x: Numbers) -> int:
    for axis in range(2):
        far = s.field_place[axis] + s.field_place[2 + axis] * float(s.field_shape[axis] - 1)
        if x[axis] < s.field_place[axis] or x[axis] > far:
            return 0
    return 1


def set_triangle(s: PileStep, i: int, j: int, half: int) -> None:
    """Three corners of a triangle in `two`, then its normal and distance from two[9] on."""
    for c in range(3):
        across = i
        along = j
        if c == 1 or (c == 2 and half == 0):
            across = i + 1
        if (c == 1 and half == 1) or c == 2:
            along = j + 1
        s.two[3 * c] = s.field_place[0] + s.field_place[2] * float(across)
        s.two[3 * c + 1] = s.field_place[1] + s.field_place[3] * float(along)
        s.two[3 * c + 2] = s.field[across * s.field_shape[1] + along]
    ux = s.two[3] - s.two[0]
    uy = s.two[4] - s.two[1]
    uz = s.two[5] - s.two[2]
    vx = s.two[6] - s.two[0]
    vy = s.two[7] - s.two[1]
    vz = s.two[8] - s.two[2]
    nx = uy * vz - uz * vy
    ny = uz * vx - ux * vz
    nz = ux * vy - uy * vx
    size = sqrt(nx * nx + ny * ny + nz * nz)
    s.two[9] = nx / size
    s.two[10] = ny / size
    s.two[11] = nz / size
    s.two[12] = s.two[9] * s.two[0] + s.two[10] * s.two[1] + s.two[11] * s.two[2]


def corner_on_field(s: PileStep, x: Numbers) -> None:
    """A point x over the field, in w: the gap is measured along the normal of its triangle."""
    i = cell_of_field(s, 0, x[0])
    j = cell_of_field(s, 1, x[1])
    u = (x[0] - s.field_place[0]) / s.field_place[2] - float(i)
    v = (x[1] - s.field_place[1]) / s.field_place[3] - float(j)
    half = 0 if u >= v else 1
    set_triangle(s, i, j, half)
    s.w[6] = s.two[9] * x[0] + s.two[10] * x[1] + s.two[11] * x[2] - s.two[12]
    for r in range(3):
        s.w[r] = s.two[9 + r]
        s.w[3 + r] = x[r]


def ball_on_triangle(s: PileStep) -> None:
    """The point of the triangle in `two` that is nearest to the centre of the first ball in `ball`, in w. From below it is pushed along
    the normal."""
    x = s.ball[:]
    radius = s.ball[3]
    height = s.two[9] * x[0] + s.two[10] * x[1] + s.two[11] * x[2] - s.two[12]
    for r in range(3):
        s.w[3 + r] = x[r] - height * s.two[9 + r]
    least = 1e300
    is_inside = 1
    for c in range(3):
        a = 3 * c
        b = 3 * ((c + 1) % 3)
        if beyond_side(s, a, b, x) > 0.0:
            is_inside = 0
            along = 0.0
            length = 0.0
            for r in range(3):
                along += (s.two[b + r] - s.two[a + r]) * (x[r] - s.two[a + r])
                length += (s.two[b + r] - s.two[a + r]) * (s.two[b + r] - s.two[a + r])
            t = max(0.0, min(1.0, along / length))
            square = 0.0
            for r in range(3):
                s.w[7 + r] = s.two[a + r] + t * (s.two[b + r] - s.two[a + r])
                square += (x[r] - s.w[7 + r]) * (x[r] - s.w[7 + r])
            if square < least:
                least = square
                for r in range(3):
                    s.w[3 + r] = s.w[7 + r]
    distance = height
    for r in range(3):
        s.w[r] = s.two[9 + r]
    if is_inside == 0:
        distance = sqrt(least)
        for r in range(3):
            s.w[r] = (x[r] - s.w[3 + r]) / max(distance, 1e-300)
        if height < 0.0:
            distance = 1e300
    s.w[6] = distance - radius


def beyond_side(s: PileStep, a: int, b: int, x: Numbers) -> float:
    ux = s.two[b] - s.two[a]
    uy = s.two[b + 1] - s.two[a + 1]
    uz = s.two[b + 2] - s.two[a + 2]
    nx = uy * s.two[11] - uz * s.two[10]
    ny = uz * s.two[9] - ux * s.two[11]
    nz = ux * s.two[10] - uy * s.two[9]
    return nx * (x[0] - s.two[a]) + ny * (x[1] - s.two[a + 1]) + nz * (x[2] - s.two[a + 2])
