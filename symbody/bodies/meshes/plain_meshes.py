"""STL (binary, text), OBJ, and MuJoCo's MSH: triangles, without units, axes or placements."""

from __future__ import annotations

import math
import struct
from array import array

from .surface_triangles import Corner, SurfacePart, TriangleLimit, add_fan


def stl_parts(data: bytes, limit: TriangleLimit) -> list[SurfacePart]:
    """One part of a binary file; of a text one for each `solid`."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        limit.take(count)
        corners = array("d")
        for row in struct.iter_unpack("<12x9f2x", data[84:]):
            corners.extend(row)
        return [SurfacePart("", corners)]
    if not data[:512].lstrip().startswith(b"solid"):
        raise ValueError("it is neither binary nor text STL")
    limit.take(data.count(b"vertex") / 3)
    return _stl_text(data)


def _stl_text(data: bytes) -> list[SurfacePart]:
    parts: list[SurfacePart] = []
    for line in data.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == b"solid":
            parts.append(SurfacePart(b" ".join(words[1:]).decode("utf-8", errors="replace"), array("d")))
        elif words[0] == b"vertex":
            x, y, z = map(float, words[1:4])
            parts[-1].corners.extend((x, y, z))
    if any(len(p.corners) % 9 for p in parts):
        raise ValueError("a triangle has not three vertices")
    return parts


def obj_parts(data: bytes, limit: TriangleLimit) -> list[SurfacePart]:
    """One part for each object `o`; groups `g` count where there are no objects."""
    lines = [line.split() for line in data.decode("utf-8", errors="replace").splitlines() if line[:2] in _OBJ]
    word = "o" if any(w[0] == "o" for w in lines) else "g"
    vertices: list[Corner] = []
    corners: dict[str, array[float]] = {}
    name = ""
    points = TriangleLimit(limit.most)  # vertices that no face uses are memory all the same
    for first, *rest in lines:
        if first == "v":
            x, y, z = map(float, rest[:3])
            vertices.append((x, y, z))
            points.take(1 / 3)
        elif first == "f":
            limit.take(len(rest) - 2)
            add_fan(corners.setdefault(name, array("d")), _cut_short(_face(vertices, rest)))
        elif first == word:
            name = " ".join(rest)
    return [SurfacePart(n, c) for n, c in corners.items()]


_OBJ = ("v ", "v\t", "f ", "f\t", "o ", "g ")


def _face(vertices: list[Corner], words: list[str]) -> list[Corner]:
    """Vertices are counted from one, or backwards from the last."""
    named = [int(w.split("/")[0]) for w in words]
    places = [k - 1 if k > 0 else len(vertices) + k for k in named]
    if min(places) < 0 or max(places) >= len(vertices):
        raise ValueError(f"a face names vertex {max(named)} of {len(vertices)}")
    return [vertices[k] for k in places]


def _cut_short(face: list[Corner]) -> list[Corner]:
    """A quadrilateral begins where its shorter diagonal does: files often have ones that are not plane."""
    if len(face) == 4 and math.dist(face[1], face[3]) <= math.dist(face[0], face[2]):
        return [*face[1:], face[0]]
    return face


def msh_parts(data: bytes, limit: TriangleLimit) -> list[SurfacePart]:
    vertices, normals, textures, faces = struct.unpack("<4i", data[:16])
    if min(vertices, normals, textures, faces) < 0:
        raise ValueError("a count is negative")
    limit.take(faces)
    numbers = struct.unpack(f"<{3 * vertices}f", data[16 : 16 + 12 * vertices])
    start = 16 + 12 * vertices + 12 * normals + 8 * textures
    corners = array("d")
    for k in struct.unpack(f"<{3 * faces}i", data[start : start + 12 * faces]):
        if not 0 <= k < vertices:
            raise ValueError(f"a face names vertex {k} of {vertices}")
        corners.extend(numbers[3 * k : 3 * k + 3])
    return [SurfacePart("", corners)]
