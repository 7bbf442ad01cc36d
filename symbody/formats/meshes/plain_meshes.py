"""STL (binary, text), OBJ, and MuJoCo's MSH: triangles, without units, axes or placements."""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

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
        raise ValueError("a triangle does not have three vertices")
    return parts


class ObjFace(NamedTuple):
    """A polygon of an OBJ file, the object and the group that it belongs to, and how many lines `o` and `g` are before
    it."""

    object: str | None
    group: str
    section: int
    corners: list[Corner]


def obj_parts(data: bytes, limit: TriangleLimit) -> list[SurfacePart]:
    """One part for each object `o`; groups `g` count where there are no objects."""
    faces = list(_obj_faces(data, limit))
    has_objects = any(f.object is not None for f in faces)
    corners: dict[str, array[float]] = {}
    for f in faces:
        name = (f.object or "") if has_objects else f.group
        add_fan(corners.setdefault(name, array("d")), _cut_short(f.corners))
    return [SurfacePart(n, c) for n, c in corners.items()]


def obj_sections(data: bytes, limit: TriangleLimit) -> list[SurfacePart]:
    """One part for each stretch of faces between lines `o` or `g`, polygons cut as `ears` says, and last one of polygons
    with more corners than MOST_CORNERS. The first is what MuJoCo reads, which takes OBJ files by tinyobjloader."""
    parts: dict[int, SurfacePart] = {}
    large = SurfacePart("", array("d"))
    for f in _obj_faces(data, limit):
        part = parts.setdefault(f.section, SurfacePart(f.group or f.object or "", array("d")))
        if len(f.corners) > MOST_CORNERS:
            add_fan(large.corners, f.corners)
        elif len(f.corners) > 4:
            for triangle in ears(f.corners):
                part.corners.extend(x for corner in triangle for x in corner)
        else:
            add_fan(part.corners, _cut_short(f.corners))
    return [p for p in (*parts.values(), large) if p.corners]


MOST_CORNERS: Final = 100  # of a polygon that MuJoCo 4 reads


def _obj_faces(data: bytes, limit: TriangleLimit) -> Iterator[ObjFace]:
    vertices: list[Corner] = []
    object_, group, section = None, "", 0
    points = TriangleLimit(limit.most)  # vertices that no face uses are memory all the same
    for line in map(str.lstrip, data.decode("utf-8", errors="replace").splitlines()):
        if line[:2] not in _OBJ:
            continue
        first, *rest = line.split()
        if first == "v":
            x, y, z = map(float, rest[:3])
            vertices.append((x, y, z))
            points.take(1 / 3)
        elif first == "f":
            limit.take(len(rest) - 2)
            yield ObjFace(object_, group, section, _face(vertices, rest))
        else:
            section += 1
            object_, group = (" ".join(rest), group) if first == "o" else (object_, " ".join(rest))


_OBJ: Final = tuple(word + space for word in "vfog" for space in " \t")


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


def ears(face: Sequence[Corner]) -> Iterator[tuple[Corner, Corner, Corner]]:
    """A polygon, cut ear by ear in the plane of two coordinates, from the first corner on. A corner is an ear where it
    turns to the side on which its first edge passes the origin, and no other corner is inside.

    That is the rule of tinyobjloader, which MuJoCo uses, and so is where it gives up. The side is that of the interior
    where the polygon is round the origin; elsewhere ears of polygons that are not convex may lie outside, and what is left
    without ears is dropped.
    """
    i, j = _plane_of(face)
    left, k, tries = [(c[i], c[j], c) for c in face], 0, len(face)
    while len(left) > 3 and tries > 0:
        k %= len(left)
        tries -= 1
        a, b, c, *others = (left[(k + n) % len(left)] for n in range(len(left)))
        turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        side = a[0] * b[1] - a[1] * b[0]
        if turn * side < 0 or any(_is_inside((a, b, c), p) for p in others):
            k += 1
            continue
        yield a[2], b[2], c[2]
        del left[(k + 1) % len(left)]
        tries = tries and len(left) + 1  # an ear that the last try of the first round finds is the last one
    if len(left) == 3:
        yield left[0][2], left[1][2], left[2][2]


_Seen: TypeAlias = tuple[float, float, Corner]  # a corner behind its two coordinates
SINGLE: Final = 2.0**-23  # the step of single precision; corners that turn by less are straight


def _plane_of(face: Sequence[Corner]) -> tuple[int, int]:
    """The two coordinates in which the first corner that turns has its largest area."""
    for k in range(len(face)):
        a, b, c = (face[(k + n) % len(face)] for n in range(3))
        u, v = [y - x for x, y in zip(a, b, strict=True)], [y - x for x, y in zip(b, c, strict=True)]
        x, y, z = abs(u[1] * v[2] - u[2] * v[1]), abs(u[2] * v[0] - u[0] * v[2]), abs(u[0] * v[1] - u[1] * v[0])
        if max(x, y, z) > SINGLE:
            return (1, 2) if x > max(y, z) else (0, 1) if z > max(x, y) else (0, 2)
    return 1, 2


def _is_inside(triangle: tuple[_Seen, _Seen, _Seen], p: _Seen) -> bool:
    """Whether a ray from the point passes the border once."""
    a, b, c = triangle
    passes = 0
    for s, t in ((a, c), (b, a), (c, b)):
        if (s[1] > p[1]) != (t[1] > p[1]):
            passes += p[0] < (t[0] - s[0]) * (p[1] - s[1]) / (t[1] - s[1]) + s[0]
    return passes == 1


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
