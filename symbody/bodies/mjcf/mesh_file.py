"""Triangles of mesh files, for the inertia of what is given by its shape alone: STL (binary, text), OBJ, and MuJoCo's
MSH."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

from ...errors import ModelError, listed

Corner: TypeAlias = tuple[float, float, float]
Triangle: TypeAlias = tuple[Corner, Corner, Corner]
MOST_BYTES: Final = 64 * 2**20
KINDS: Final = (".stl", ".obj", ".msh")


def mesh_triangles(file: Path, where: str) -> list[Triangle]:
    kind = file.suffix.lower()
    if kind not in KINDS:
        raise ModelError(f"{where}: mesh {file.name!r}: can be read where its name ends in {listed(KINDS)}")
    try:
        if file.stat().st_size > MOST_BYTES:
            raise ModelError(f"{where}: mesh {file.name!r} has more than {MOST_BYTES} bytes")
        data = file.read_bytes()
        return {".stl": _stl, ".obj": _obj, ".msh": _msh}[kind](data)
    except OSError as reason:
        raise ModelError(f"{where}: mesh {file.name!r} cannot be read: {reason.strerror}") from None
    except (ValueError, IndexError, struct.error) as reason:
        raise ModelError(f"{where}: mesh {file.name!r} is not well formed: {reason}") from None


def _stl(data: bytes) -> list[Triangle]:
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        rows = struct.iter_unpack("<12fH", data[84:])
        return [((r[3], r[4], r[5]), (r[6], r[7], r[8]), (r[9], r[10], r[11])) for r in rows]
    lines = (line.split() for line in data.decode("utf-8", errors="replace").splitlines())
    corners = [_single(w[1:]) for w in lines if w and w[0] == "vertex"]
    return _by_threes(corners)


def _single(words: Sequence[str]) -> Corner:
    """Coordinates in single precision, in which meshes are kept."""
    x, y, z = struct.unpack("<3f", struct.pack("<3f", *map(float, words[:3])))
    return x, y, z


def _by_threes(corners: Sequence[Corner]) -> list[Triangle]:
    return list(zip(corners[::3], corners[1::3], corners[2::3], strict=True))


def _obj(data: bytes) -> list[Triangle]:
    vertices: list[Corner] = []
    made: list[Triangle] = []
    for line in data.decode("utf-8", errors="replace").splitlines():
        word, *rest = line.split() or [""]
        if word == "v":
            vertices.append(_single(rest))
        elif word == "f":
            found = [int(x.split("/")[0]) for x in rest]
            corners = [vertices[i - 1 if i > 0 else len(vertices) + i] for i in found]
            made += [(corners[0], b, c) for b, c in itertools.pairwise(corners[1:])]
    return made


def _msh(data: bytes) -> list[Triangle]:
    vertices, normals, textures, faces = struct.unpack("<4i", data[:16])
    numbers = struct.unpack(f"<{3 * vertices}f", data[16 : 16 + 12 * vertices])
    points = list(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))
    start = 16 + 12 * vertices + 12 * normals + 8 * textures
    index = struct.unpack(f"<{3 * faces}i", data[start : start + 12 * faces])
    return _by_threes([points[i] for i in index])
