"""Meshes from files, with normals. Nothing else is opened, and nothing outside the folders that were named."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...emit.run.callable import Array
from ...errors import ViewError
from ...formats.meshes.mesh_file import triangles
from ...given_files import file_in_folders
from .scene_items import Mesh

MIN_COSINE: Final = math.cos(math.radians(35))  # cosine of the largest angle between faces that are smoothed
MAX_AROUND: Final = 500  # largest number of faces at one vertex whose angles are compared
MAX_IN_ALL: Final = 2_000_000  # largest number of triangles of all meshes of a scene
KINDS: Final = (".stl", ".obj", ".dae", ".glb", ".gltf")


def read_mesh(path: str | Path) -> Mesh:
    """Triangles of a file, with normals that are smooth where faces meet at small angles."""
    return smooth_mesh(triangles(Path(path), ViewError, KINDS))


def smooth_mesh(corners: array[float]) -> Mesh:
    return smoothed_mesh(np.frombuffer(corners, dtype=np.float64).reshape(-1, 3, 3))


def found_file(name: str, packages: Mapping[str, str | Path]) -> Path | None:
    """Where a file named in a URDF is: `packages` says which folder stands for the beginning of its name. None where
    nothing does."""
    return file_in_folders(name, packages, ViewError)


def smoothed_mesh(corners: Array) -> Mesh:
    """A normal for every corner: the mean over faces there that meet its own at small angles, weighted by their
    areas."""
    return smoothed_with_sources(corners)[0]


def smoothed_with_sources(corners: Array) -> tuple[Mesh, NDArray[np.int64]]:
    """The same, and for each vertex the number of a corner that it was made of, counted over all triangles.

    Where more than `MAX_AROUND` faces meet, each keeps its own normal: every pair would have to be compared.
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
        if len(group) > MAX_AROUND:
            normals[group] = own
        else:
            normals[group] = (own @ own.T > MIN_COSINE) @ areas[group // 3]
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 0, normals / np.maximum(length, 1e-300), [0.0, 0.0, 1.0])
    rows = np.column_stack([places, np.round(normals * 1e4)])
    _, first, index = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return Mesh(corners.reshape(-1, 3)[first], normals[first], index.reshape(n, 3).astype(np.int64)), first
