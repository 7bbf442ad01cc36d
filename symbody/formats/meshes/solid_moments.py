"""Volume, centre and inertia of what a closed surface of triangles bounds.

By tetrahedra between the triangles (a, b, c) and an apex at the origin:

    V = Σ v,    v = a · (b × c) / 6,    ∫ x dV = Σ v (a + b + c) / 4
    ∫ xᵢ xⱼ dV = Σ v (aᵢ aⱼ + bᵢ bⱼ + cᵢ cⱼ + sᵢ sⱼ) / 20,    s = a + b + c
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ..robot.link_frames import ORIGIN, Mat, Vec
from ..robot.robot_numbers import tensor_of
from .surface_triangles import Corner

MERGED: Final = 1e-7  # corners as near as this, as part of the size of the surface, are one: single precision


class UniformSolid(NamedTuple):
    """A uniform solid: volume, centre, and inertia about it for a density of one."""

    volume: float
    centre: Vec
    inertia: Mat


def enclosed_solid(corners: array[float], signed: bool = True) -> UniformSolid:
    """What a surface bounds: its centre by tetrahedra with the centre of the surface, volume and inertia by those with
    that centre, so that a surface far from the origin costs no digits.

    signed   True is exact where the surface is closed; False adds up volumes without sign, as MuJoCo's
             `inertia="legacy"` does, so that the apex matters
    """
    apex = _surface_centre(corners)
    volume, moment, _ = _tetrahedra(corners, apex, signed)
    if volume <= 0:
        return UniformSolid(0.0, ORIGIN, tensor_of(0, 0, 0))
    centre = (apex[0] + moment[0] / volume, apex[1] + moment[1] / volume, apex[2] + moment[2] / volume)
    volume, _, P = _tetrahedra(corners, centre, signed)
    trace = P[0] + P[3] + P[5]
    return UniformSolid(volume, centre, tensor_of(trace - P[0], trace - P[3], trace - P[5], -P[1], -P[2], -P[4]))


def shell(corners: array[float]) -> UniformSolid:
    """A surface of thickness one, however thin: its area in the place of the volume.

    ∫ xᵢ xⱼ dA = Σ A (aᵢ aⱼ + bᵢ bⱼ + cᵢ cⱼ + sᵢ sⱼ) / 12
    """
    centre, area, P = _surface_centre(corners), 0.0, [0.0] * 6
    for a, b, c in _faces(corners, centre):
        part = _area(a, b, c)
        area += part
        s = (a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2])
        for k, (i, j) in enumerate(_PAIRS):
            P[k] += part / 12 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j])
    trace = P[0] + P[3] + P[5]
    return UniformSolid(area, centre, tensor_of(trace - P[0], trace - P[3], trace - P[5], -P[1], -P[2], -P[4]))


def _area(a: Corner, b: Corner, c: Corner) -> float:
    u, v = [y - x for x, y in zip(a, b, strict=True)], [y - x for x, y in zip(a, c, strict=True)]
    return math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2


def _faces(corners: Sequence[float], apex: Vec = ORIGIN) -> Iterator[tuple[Corner, Corner, Corner]]:
    x, y, z = apex
    for k in range(0, len(corners), 9):
        n = corners[k : k + 9]
        yield (n[0] - x, n[1] - y, n[2] - z), (n[3] - x, n[4] - y, n[5] - z), (n[6] - x, n[7] - y, n[8] - z)


def _tetrahedra(corners: array[float], apex: Vec, signed: bool) -> tuple[float, list[float], list[float]]:
    """Volume, first moments, and second moments xx, xy, xz, yy, yz, zz about the apex."""
    volume, first, second = 0.0, [0.0] * 3, [0.0] * 6
    for a, b, c in _faces(corners, apex):
        v = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6  # fmt: skip
        v = v if signed else abs(v)
        volume += v
        s = (a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2])
        for i in range(3):
            first[i] += v * s[i] / 4
        for k, (i, j) in enumerate(_PAIRS):
            second[k] += v / 20 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j])
    return volume, first, second


_PAIRS: Final = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def _surface_centre(corners: array[float]) -> Vec:
    total, centre = 0.0, [0.0, 0.0, 0.0]
    for a, b, c in _faces(corners):
        area = _area(a, b, c)
        total += area
        for i in range(3):
            centre[i] += area * (a[i] + b[i] + c[i]) / 3
    return (centre[0] / total, centre[1] / total, centre[2] / total) if total else ORIGIN


# -------------------------------------------------------------------------------------------------- closed surfaces


def open_edges(corners: array[float]) -> list[tuple[Corner, Corner]]:
    """Edges that the triangles do not pass as often in one direction as in the other: none where the surface is closed,
    which is what makes its volume independent of the apex."""
    place = _merged_places(corners)
    passed: Counter[tuple[Corner, Corner]] = Counter()
    for face in _faces(corners):
        a, b, c = (place(p) for p in face)
        for edge in ((a, b), (b, c), (c, a)):
            if edge[0] < edge[1]:
                passed[edge] += 1
            elif edge[1] < edge[0]:
                passed[edge[1], edge[0]] -= 1
    return [edge for edge, times in passed.items() if times]


def _merged_places(corners: array[float]) -> _Places:
    size = max(max(corners[i::3]) - min(corners[i::3]) for i in range(3))
    return _Places([_steps(corners[i::3], MERGED * size) for i in range(3)])


class _Places:
    """One place for corners that are the same but for rounding: along each axis, numbers that follow each other at less
    than a tolerance are one."""

    def __init__(self, axes: list[dict[float, float]]) -> None:
        self.x, self.y, self.z = axes

    def __call__(self, p: Corner) -> Corner:
        return self.x[p[0]], self.y[p[1]], self.z[p[2]]


def _steps(numbers: array[float], tolerance: float) -> dict[float, float]:
    found: dict[float, float] = {}
    start = last = -math.inf
    for x in sorted(set(numbers)):
        start = start if x - last <= tolerance else x
        found[x] = start
        last = x
    return found
