"""Meshes from files: one entry point with bounds on size and number, one reader for each format."""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ...errors import ModelError, SymbodyError, listed
from ...given_files import file_bytes, reason_in_words
from .collada import collada_parts
from .gltf_file import gltf_parts
from .plain_meshes import msh_parts, obj_parts, stl_parts
from .surface_triangles import SurfacePart, TriangleLimit

MOST_BYTES: Final = 64 * 2**20
MOST_TRIANGLES: Final = 400_000
MeshReader = Callable[[Path, bytes, TriangleLimit, bool], list[SurfacePart]]
_READERS: Final[dict[str, MeshReader]] = {
    ".stl": lambda file, data, limit, turned: stl_parts(data, limit),
    ".obj": lambda file, data, limit, turned: obj_parts(data, limit),
    ".dae": lambda file, data, limit, turned: collada_parts(f"mesh {file.name!r}", data, limit, turned),
    ".glb": gltf_parts,
    ".gltf": gltf_parts,
    ".msh": lambda file, data, limit, turned: msh_parts(data, limit),
}
KINDS: Final = tuple(_READERS)


def surface_parts(
    file: Path,
    error: type[SymbodyError] = ModelError,
    kinds: tuple[str, ...] = KINDS,
    most: int = MOST_TRIANGLES,
    turned: bool = False,
    readers: Mapping[str, MeshReader] = _READERS,
) -> list[SurfacePart]:
    """Triangles of a file by its parts, in metres where the file has a unit.

    error    raised where the file cannot be read, or not be understood
    turned   with z up, where the file says what is up; otherwise in the axes of the file, as robots take meshes
    readers  of kinds that are to be read in another way than usual
    """
    where = f"mesh {file.name!r}"
    kind = file.suffix.lower()
    if kind not in kinds:
        raise error(f"{where}: the name of the file must end in {listed(kinds)}")
    data = file_bytes(file, where, error, MOST_BYTES)
    try:
        parts = readers.get(kind, _READERS[kind])(file, data, TriangleLimit(most), turned)
    except (ValueError, IndexError, OverflowError, struct.error) as reason:
        if str(reason).startswith(where):
            raise error(str(reason)) from None
        raise error(f"{where} is not well formed: {reason_in_words(reason)}") from None
    count = sum(p.triangles for p in parts)
    if not count or not all(map(math.isfinite, (x for p in parts for x in p.corners))):
        raise error(f"{where}: {count} triangles; a mesh has 1 to {most}, all finite")
    return parts


def triangles(file: Path, error: type[SymbodyError] = ModelError, kinds: tuple[str, ...] = KINDS) -> array[float]:
    """All triangles of a file."""
    out = array("d")
    for part in surface_parts(file, error, kinds):
        out.extend(part.corners)
    return out
