"""Mass properties of the shapes of an MJCF file, in the frame of the shape: size, density -> mass, mass centre, inertia
about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ...errors import listed, with_article
from ..robot.link_frames import ORIGIN, LinkPlacement, Mat, Vec
from ..robot.robot_numbers import LinkMass, joined, tensor_of
from .mesh_file import Triangle
from .mjcf_tree import Attributes


class UniformSolid(NamedTuple):
    """A uniform solid: volume, centre, and inertia about it for a density of one."""

    volume: float
    centre: Vec
    inertia: Mat


def sphere(r: float) -> UniformSolid:
    v = 4 / 3 * math.pi * r**3
    return UniformSolid(v, ORIGIN, tensor_of(*(0.4 * v * r * r,) * 3))


def box(a: float, b: float, c: float) -> UniformSolid:
    """Half edges."""
    v = 8 * a * b * c
    return UniformSolid(v, ORIGIN, tensor_of(v * (b * b + c * c) / 3, v * (a * a + c * c) / 3, v * (a * a + b * b) / 3))


def ellipsoid(a: float, b: float, c: float) -> UniformSolid:
    """Half axes."""
    v = 4 / 3 * math.pi * a * b * c
    return UniformSolid(v, ORIGIN, tensor_of(v * (b * b + c * c) / 5, v * (a * a + c * c) / 5, v * (a * a + b * b) / 5))


def cylinder(r: float, half: float) -> UniformSolid:
    h = 2 * half
    v = math.pi * r * r * h
    across = v * (3 * r * r + h * h) / 12
    return UniformSolid(v, ORIGIN, tensor_of(across, across, v * r * r / 2))


def capsule(r: float, half: float) -> UniformSolid:
    """A cylinder with two half spheres, whose mass centres are 3/8 r beyond its ends."""
    h, middle, ends = 2 * half, cylinder(r, half), sphere(r)
    along = ends.inertia[2][2]
    across = along + ends.volume * h * (3 * r + 2 * h) / 8
    return UniformSolid(
        middle.volume + ends.volume,
        ORIGIN,
        tensor_of(middle.inertia[0][0] + across, middle.inertia[1][1] + across, middle.inertia[2][2] + along),
    )


SHAPES: Final[dict[str, tuple[int, Callable[..., UniformSolid]]]] = {  # numbers in size, and the solid
    "sphere": (1, sphere),
    "capsule": (2, capsule),
    "cylinder": (2, cylinder),
    "ellipsoid": (3, ellipsoid),
    "box": (3, box),
}


def solid_of(given: Attributes, kind: str, size: Sequence[float]) -> UniformSolid:
    count, make = SHAPES[kind]
    if len(size) < count or min(size[:count], default=0) <= 0:
        raise given.wrong(
            f"{with_article(kind)} needs {count} positive number{'s' * (count > 1)} in size=, got {listed(size) or 'none'}"
        )
    return make(*size[:count])


def mesh_solid(triangles: Sequence[Triangle], signed: bool) -> UniformSolid:
    """A closed surface, by tetrahedra: its centre from those between its triangles and the centre of the surface,
    volume and inertia from those between its triangles and that centre.

    signed   False adds up their volumes without sign, as MuJoCo's `inertia="legacy"` does, so that the apex matters;
             True is exact where the surface is closed
    """
    apex = _surface_centre(triangles)
    volume, moment, _ = _tetrahedra(triangles, apex, signed)
    if volume <= 0:
        return UniformSolid(0.0, ORIGIN, tensor_of(0, 0, 0))
    centre = (apex[0] + moment[0] / volume, apex[1] + moment[1] / volume, apex[2] + moment[2] / volume)
    volume, _, P = _tetrahedra(triangles, centre, signed)
    trace = P[0][0] + P[1][1] + P[2][2]
    return UniformSolid(
        volume,
        centre,
        tensor_of(trace - P[0][0], trace - P[1][1], trace - P[2][2], -P[0][1], -P[0][2], -P[1][2]),
    )


def _tetrahedra(triangles: Sequence[Triangle], apex: Vec, signed: bool) -> tuple[float, list[float], list[list[float]]]:
    """Volume, first and second moments about the apex of the tetrahedra between it and the triangles."""
    volume, moment = 0.0, [0.0, 0.0, 0.0]
    second = [[0.0] * 3 for _ in range(3)]
    for t in triangles:
        a, b, c = (tuple(x - y for x, y in zip(p, apex, strict=True)) for p in t)
        v = _triple(a, b, c) / 6
        v = v if signed else abs(v)
        volume += v
        total = [a[i] + b[i] + c[i] for i in range(3)]
        for i in range(3):
            moment[i] += v * total[i] / 4
            for j in range(i, 3):
                # ∫ x_i x_j dV of a tetrahedron with a corner at the origin
                second[i][j] += v / 20 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + total[i] * total[j])
    return volume, moment, second


def _surface_centre(triangles: Sequence[Triangle]) -> Vec:
    total, centre = 0.0, [0.0, 0.0, 0.0]
    for a, b, c in triangles:
        u, v = [y - x for x, y in zip(a, b, strict=True)], [y - x for x, y in zip(a, c, strict=True)]
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        area = math.hypot(*n) / 2
        total += area
        for i in range(3):
            centre[i] += area * (a[i] + b[i] + c[i]) / 3
    return (centre[0] / total, centre[1] / total, centre[2] / total) if total else ORIGIN


def _triple(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])


def mass_of_solid(solid: UniformSolid, given: Attributes, at: LinkPlacement) -> LinkMass | None:
    """With the mass that the element gives, or its density; in the frame of the body, in which the shape is at `at`."""
    mass = given.one("mass") if "mass" in given else given.one("density", 1000.0) * solid.volume
    if mass < 0:
        raise given.wrong(f"its mass is negative: {mass:g}")
    if not mass or not solid.volume:
        return None
    density = mass / solid.volume
    x, y, z = (tuple(density * e for e in row) for row in solid.inertia)
    return LinkMass("", mass, solid.centre, (x, y, z)).placed(at)


def of_body(name: str, parts: Sequence[LinkMass]) -> LinkMass:
    return joined(name, parts)
