"""Unit solids as triangles. Solids of revolution are profiles: pieces of a curve (r, z), each smooth, with the normal
at every point.

The page makes triangles from the same profiles, so that a solid has one description.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import numpy as np

from ...emit.run.callable import Array
from .scene_items import Mesh, Solid

Profile = tuple[tuple[tuple[float, float, float, float], ...], ...]  # pieces of points (r, z, normal r, normal z)

SEGMENTS: Final = 40  # number of segments around a solid of revolution


def _straight(*points: tuple[float, float]) -> Profile:
    """A piece for each side of a polygon, with its own normal (outwards if z increases on the outside)."""
    out = []
    for (r0, z0), (r1, z1) in itertools.pairwise(points):
        length = math.hypot(r1 - r0, z1 - z0)
        n = ((z1 - z0) / length, -(r1 - r0) / length)
        out.append(((r0, z0, *n), (r1, z1, *n)))
    return tuple(out)


def arc(radius: float, centre: tuple[float, float], begin: float, end: float, steps: int) -> Profile:
    """A piece of a circle, from the angle `begin` to `end`, counted from r towards z."""
    angles = [begin + (end - begin) * k / steps for k in range(steps + 1)]
    return (
        tuple(
            (centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a), math.cos(a), math.sin(a))
            for a in angles
        ),
    )


def profile(kind: str, ratio: float = 0.0, steps: int = SEGMENTS // 2) -> Profile:
    """The profile of a cylinder (radius 1, length 1), cone, sphere, or torus with this ratio of tube to circle; `steps`
    along arcs."""
    if kind == "cylinder":
        return _straight((0, -0.5), (1, -0.5), (1, 0.5), (0, 0.5))
    if kind == "cone":
        return _straight((0, 0), (1, 0), (0, 1))
    if kind == "sphere":
        return arc(1.0, (0.0, 0.0), -math.pi / 2, math.pi / 2, steps)
    assert kind == "torus"
    return arc(ratio, (1.0, 0.0), -math.pi, math.pi, steps)


@lru_cache(maxsize=128)
def unit_mesh(kind: str, ratio: float = 0.0) -> Mesh:
    """Triangles of a unit solid."""
    return _box() if kind == "box" else solid_of_revolution(profile(kind, ratio), SEGMENTS)


def solid_of_revolution(pieces: Profile, around: int) -> Mesh:
    angle = np.arange(around + 1) * 2 * math.pi / around
    c, s = np.cos(angle), np.sin(angle)
    vertices: list[Array] = []
    normals: list[Array] = []
    triangles: list[tuple[int, int, int]] = []
    start = 0
    for piece in pieces:
        p = np.array(piece)
        vertices.append(np.stack([np.outer(p[:, 0], c), np.outer(p[:, 0], s), np.outer(p[:, 1], np.ones_like(c))], -1))
        normals.append(np.stack([np.outer(p[:, 2], c), np.outer(p[:, 2], s), np.outer(p[:, 3], np.ones_like(c))], -1))
        w = around + 1
        for i in range(len(p) - 1):
            for k in range(around):
                a = start + i * w + k
                if p[i, 0] > 1e-12:
                    triangles.append((a, a + 1, a + w + 1))
                if p[i + 1, 0] > 1e-12:
                    triangles.append((a, a + w + 1, a + w))
        start += len(p) * w
    v = np.concatenate([x.reshape(-1, 3) for x in vertices])
    n = np.concatenate([x.reshape(-1, 3) for x in normals])
    return Mesh(v, n, np.array(triangles, dtype=np.int64))


def _box() -> Mesh:
    """Edges of length 1, a normal for each side."""
    vertices: list[list[float]] = []
    normals: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for k in range(3):
        for side in (-1.0, 1.0):
            i, j = (k + 1) % 3, (k + 2) % 3
            start = len(vertices)
            for a, b in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
                x = [0.0, 0.0, 0.0]
                x[k], x[i], x[j] = side / 2, a * side, b
                vertices.append(x)
                normals.append([side * float(m == k) for m in range(3)])
            triangles += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
    return Mesh(np.array(vertices), np.array(normals), np.array(triangles, dtype=np.int64))


def scale_of(solid: Solid) -> tuple[float, float, float]:
    """Scale factors of the unit solid along x, y and z."""
    s = solid.size
    if solid.kind in ("cylinder", "cone"):
        return (s[0], s[0], s[1])
    if solid.kind == "torus":
        return (s[0], s[0], s[0])
    return (s[0], s[1], s[2])


def ratio_of(solid: Solid) -> float:
    """Of a torus, tube to circle; nothing for others."""
    return round(solid.size[1] / solid.size[0], 4) if solid.kind == "torus" else 0.0


def reach_of(s: Solid, meshes: Mapping[str, Mesh]) -> float:
    """The radius of a ball around the position of a solid that contains it."""
    if s.kind == "mesh":
        return float(np.linalg.norm(meshes[s.mesh].vertices * np.array(s.size), axis=1).max())
    return max(s.size) if s.kind == "sphere" else math.hypot(s.size[0], s.size[1] / 2)
