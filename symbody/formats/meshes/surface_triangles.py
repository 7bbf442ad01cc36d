"""Triangles of a surface, and affine maps of them."""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from ...rotation_arrays import Array, rotation_about, rotation_matrix

Corner: TypeAlias = tuple[float, float, float]
Affine: TypeAlias = tuple[float, ...]  # rows of [A b]: twelve numbers; x -> A x + b
# the affine map that changes nothing
IDENTITY: Final[Affine] = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


class SurfacePart(NamedTuple):
    """A named part of a surface file. `corners` holds x, y, z of the three corners of each triangle in turn, in
    positive order seen from outside."""

    name: str
    corners: array[float]

    @property
    def triangles(self) -> int:
        return len(self.corners) // 9


class TriangleLimit:
    """Counts triangles while a file is read: a list of too many would take more memory than the file."""

    def __init__(self, most: int) -> None:
        self.most, self.left = most, float(most)

    def take(self, triangles: float) -> None:
        self.left -= triangles
        if self.left < 0:
            raise ValueError(f"it has more than {self.most} triangles")


def add_fan(out: array[float], corners: Sequence[Corner]) -> None:
    """The triangles from the first corner of a polygon. Volume and moments of a surface of plane polygons are those of
    its fans, also where polygons are not convex."""
    first = corners[0]
    for b, c in itertools.pairwise(corners[1:]):
        out.extend((*first, *b, *c))


# ---------------------------------------------------------------------------------------------------- affine maps


def composed_maps(f: Affine, g: Affine) -> Affine:
    """x -> f(g(x))"""
    return tuple(
        f[4 * i] * g[j] + f[4 * i + 1] * g[4 + j] + f[4 * i + 2] * g[8 + j] + (f[4 * i + 3] if j == 3 else 0.0)
        for i in range(3)
        for j in range(4)
    )


def mapped_point(f: Affine, point: Sequence[float]) -> Corner:
    x, y, z = point
    return (
        f[0] * x + f[1] * y + f[2] * z + f[3],
        f[4] * x + f[5] * y + f[6] * z + f[7],
        f[8] * x + f[9] * y + f[10] * z + f[11],
    )


def mapped_corners(f: Affine, corners: array[float]) -> array[float]:
    """Triangles under a map; a reflection would turn them inside out, so their order is reversed with it."""
    if f == IDENTITY:
        return corners
    out = array("d")
    order = (0, 1, 2) if _determinant(f) >= 0 else (0, 2, 1)
    for k in range(0, len(corners), 9):
        for j in order:
            out.extend(mapped_point(f, corners[k + 3 * j : k + 3 * j + 3]))
    return out


def turned_inside_out(corners: array[float]) -> array[float]:
    out = array("d")
    for k in range(0, len(corners), 9):
        for j in (0, 6, 3):
            out.extend(corners[k + j : k + j + 3])
    return out


def shifting(x: float, y: float, z: float) -> Affine:
    return (1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, z)


def scaling(x: float, y: float, z: float) -> Affine:
    return (x, 0.0, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, 0.0, z, 0.0)


def turning(axis: Sequence[float], degrees: float) -> Affine:
    """About an axis; a zero axis turns nothing."""
    size = math.hypot(*axis)
    return _rotating(rotation_about([a / size for a in axis], math.radians(degrees))) if size else IDENTITY


def turning_by(x: float, y: float, z: float, w: float) -> Affine:
    """By a quaternion of norm one, scalar last."""
    return _rotating(rotation_matrix([w, x, y, z]))


def _rotating(R: Array) -> Affine:
    (a, b, c), (d, e, f), (g, h, i) = R.tolist()
    return (a, b, c, 0.0, d, e, f, 0.0, g, h, i, 0.0)


def _determinant(f: Affine) -> float:
    return (
        f[0] * (f[5] * f[10] - f[6] * f[9]) - f[1] * (f[4] * f[10] - f[6] * f[8]) + f[2] * (f[4] * f[9] - f[5] * f[8])
    )
