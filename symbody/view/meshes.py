"""Meshes from files: STL (binary and text) and OBJ. Nothing else is opened, and nothing outside the folders that were
named."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..emit.run.callable import Array
from ..errors import ViewError, listed, shown
from .scene_items import Mesh

MOST_BYTES: Final = 64 * 2**20
MOST_TRIANGLES: Final = 300_000
SHARP: Final = math.cos(math.radians(35))  # faces that meet at a larger angle keep an edge
MOST_AROUND: Final = 500  # faces at one vertex whose angles are compared
MOST_IN_ALL: Final = 2_000_000  # triangles of all meshes of a scene
KINDS: Final = (".stl", ".obj")


def read_mesh(path: str | Path) -> Mesh:
    """Triangles of an STL or OBJ file, with normals that are smooth where faces meet at small angles."""
    file = Path(path)
    if file.suffix.lower() not in KINDS:
        raise ViewError(f"mesh {file.name!r}: can be read where its name ends in {listed(KINDS)}")
    try:
        if file.exists() and not file.is_file():
            raise ViewError(f"mesh {file.name!r} is not a plain file")
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise ViewError(f"mesh {file.name!r}: {size} bytes are more than the {MOST_BYTES} that are read")
        data = file.read_bytes()
    except OSError as reason:
        raise ViewError(f"mesh {file.name!r} cannot be read: {reason.strerror}") from None
    try:
        corners = _obj(data) if file.suffix.lower() == ".obj" else _stl(data)
    except (ValueError, IndexError, OverflowError) as reason:
        raise ViewError(f"mesh {file.name!r} is not well formed: {reason}") from None
    if not len(corners) or len(corners) > MOST_TRIANGLES or not np.isfinite(corners).all():
        raise ViewError(
            f"mesh {file.name!r}: {len(corners)} triangles; it needs one at least, {MOST_TRIANGLES} at most, all finite"
        )
    return smoothed(corners)


def found_file(name: str, packages: Mapping[str, str | Path]) -> Path | None:
    """Where a file named in a URDF is: `packages` says which folder stands for the beginning of its name. None where
    nothing does."""
    for prefix, folder in packages.items():
        if name.startswith(prefix):
            base = Path(folder).resolve()
            file = (base / name[len(prefix) :].lstrip("/")).resolve()
            if not file.is_relative_to(base):
                raise ViewError(f"mesh {shown(name)} lies outside {base.name!r}, the folder given for {prefix!r}")
            return file
    return None


def _stl(data: bytes) -> Array:
    """Corners of triangles, (n, 3, 3)."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        _refuse_more_than(count)
        rows = np.frombuffer(data, dtype=[("f", "<f4", (4, 3)), ("", "<u2")], offset=84)
        return np.asarray(rows["f"][:, 1:], dtype=np.float64)
    if not data[:512].lstrip().startswith(b"solid"):
        raise ValueError("it is neither binary nor text STL")
    _refuse_more_than(data.count(b"vertex") / 3)
    numbers = [line.split()[1:4] for line in data.splitlines() if line.strip().startswith(b"vertex")]
    return np.array(numbers, dtype=np.float64).reshape(-1, 3, 3)


def _obj(data: bytes) -> Array:
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", errors="replace").splitlines():
        word, *rest = line.split() or [""]
        if word == "v":
            vertices.append([float(x) for x in rest[:3]])
            _refuse_more_than(len(vertices) / 3)
        elif word == "f":
            k = [int(x.split("/")[0]) for x in rest]
            corners = [i - 1 if i > 0 else len(vertices) + i for i in k]
            if min(corners) < 0 or max(corners) >= len(vertices):
                raise ValueError(f"a face names vertex {max(k)} of {len(vertices)}")
            _refuse_more_than(len(triangles) + len(corners) - 2)
            triangles += [(corners[0], b, c) for b, c in itertools.pairwise(corners[1:])]
    return np.array(vertices).reshape(-1, 3)[np.array(triangles, dtype=np.int64).reshape(-1, 3)]


def _refuse_more_than(triangles: float) -> None:
    """Asked on the way: a list of them would take more memory than the file."""
    if triangles > MOST_TRIANGLES:
        raise ValueError(f"it has more than {MOST_TRIANGLES} triangles")


def smoothed(corners: Array) -> Mesh:
    """A normal for every corner: the mean over faces there that meet its own at small angles, weighted by their
    areas."""
    return smoothed_with_sources(corners)[0]


def smoothed_with_sources(corners: Array) -> tuple[Mesh, NDArray[np.int64]]:
    """The same, and for each vertex the number of a corner that it was made of, counted over all triangles.

    Where more than `MOST_AROUND` faces meet, each keeps its own normal: every pair would have to be compared.
    """
    n = len(corners)
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(areas, axis=1)
    flat = areas / np.maximum(size, 1e-300)[:, None]
    scale = float(np.ptp(corners.reshape(-1, 3), axis=0).max()) or 1.0
    places = np.round(corners.reshape(-1, 3) / (1e-6 * scale)).astype(np.int64)
    _, vertex = np.unique(places, axis=0, return_inverse=True)
    vertex = vertex.reshape(-1)
    order = np.argsort(vertex, kind="stable")
    starts = np.flatnonzero(np.diff(vertex[order], prepend=-1))
    normals = np.empty((3 * n, 3))
    for group in np.split(order, starts[1:]):
        own = flat[group // 3]
        if len(group) > MOST_AROUND:
            normals[group] = own
        else:
            normals[group] = (own @ own.T > SHARP) @ areas[group // 3]
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 0, normals / np.maximum(length, 1e-300), [0.0, 0.0, 1.0])
    rows = np.column_stack([places, np.round(normals * 1e4)])
    _, first, index = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return Mesh(corners.reshape(-1, 3)[first], normals[first], index.reshape(n, 3).astype(np.int64)), first
