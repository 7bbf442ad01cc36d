"""Surfaces of elastic bodies: from the mesh of a body to a `Surface`, and the positions of its vertices.

Meshes with more triangles than can be seen are coarsened by merging the nodes in each cell of a grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...bodies.mechanism.deforming_mesh import DeformingMesh
from ...emit.run.callable import Array
from ...errors import ViewError, unknown
from ...formats.fem.reduced.stress_history import von_mises
from .meshes import smoothed_with_sources
from .scene_items import COLOUR_RAMP, PAINTED_QUANTITIES, Mesh, Surface
from .shown_motion import ShownMotion

Indices = NDArray[np.int64]

MAX_TRIANGLES: Final = 24_000  # largest number of triangles of a surface in pages and files
MAX_IN_STILLS: Final = 3_000  # largest number of triangles of a surface in stills
SAMPLES: Final = 60  # number of times at which the largest value of the painted quantity is sought


def deformed_surface(name: str, made: DeformingMesh, colour: str, motion: ShownMotion, paint: str = "") -> Surface:
    """The surface of a body along a motion; with paint="stress" only where stresses are known."""
    nodes, faces = coarsened_mesh(made.nodes, made.faces, MAX_TRIANGLES)
    mesh, source = smoothed_with_sources(made.nodes[nodes[faces]])
    at = nodes[faces].reshape(-1)[source]
    place = {q: k for k, q in enumerate(motion.equations.q)}
    weights = np.stack([motion.q[:, :, place[q]] for q in made.coordinates], axis=2)
    stress = None
    if paint == "stress":
        stress = None if made.stress is None else _with_filled_gaps(made.stress, made.faces)[:, at]
        paint = "" if stress is None else paint
    names = tuple(q.name for q in made.coordinates)
    surface = Surface(name, name, colour, mesh, made.shifts[:, at], weights, names, paint, stress)
    return replace(surface, largest=max((float(v.max()) for v in _painted_along(surface)), default=0.0))


def refuse_paint(paint: str, surfaces: Iterator[DeformingMesh]) -> None:
    """An error where nothing can be coloured so."""
    if paint and paint not in PAINTED_QUANTITIES:
        raise unknown("scene: paint=", "quantity", paint, PAINTED_QUANTITIES, ViewError)
    found = list(surfaces) if paint else []
    if paint and not found:
        raise ViewError(f"scene: paint={paint!r} colours meshes of bodies from finite elements, and no body has one")
    if paint == "stress" and all(s.stress is None for s in found):
        raise ViewError(
            "scene: paint='stress': no body has stresses at its nodes; make one from a scikit-fem basis, or "
            "give `FiniteElements` rows in stress= and their nodes in places="
        )


def _with_filled_gaps(stress: Array, faces: Indices) -> Array:
    """Stresses with gaps filled: the mean of their neighbours, from the known ones outwards."""
    sides = np.concatenate([faces[:, [i, j]] for i in range(3) for j in range(3) if i != j])
    out = stress.copy()
    missing = np.isnan(out[0, :, 0])
    while missing[faces].any():
        into = sides[missing[sides[:, 0]] & ~missing[sides[:, 1]]]
        if not len(into):
            break
        into = np.unique(into, axis=0)
        count = np.bincount(into[:, 0], minlength=out.shape[1])
        total = np.zeros_like(out)
        for k in range(len(out)):
            np.add.at(total[k], into[:, 0], out[k, into[:, 1]])
        reached = count > 0
        out[:, reached] = total[:, reached] / count[reached][None, :, None]
        missing = missing & ~reached
    return np.nan_to_num(out)


# ---------------------------------------------------------------------------------------------------------- in motion


def weights_at(surface: Surface, sample: int, part: float, level: int = -1) -> Array:
    """Weights of the coordinates between a sample and the next one."""
    w = surface.weights[level]
    return np.asarray((1 - part) * w[min(sample, len(w) - 1)] + part * w[min(sample + 1, len(w) - 1)])


def places(surface: Surface, weights: Array) -> Array:
    """Vertices in the frame of the body, for weights of its coordinates."""
    return np.asarray(surface.mesh.vertices + np.tensordot(weights, surface.shifts, axes=1))


def painted_values(surface: Surface, weights: Array) -> Array:
    """What a surface is coloured by, at its vertices."""
    if surface.stress is not None:
        return von_mises(np.tensordot(weights, surface.stress, axes=1))
    return np.asarray(np.linalg.norm(np.tensordot(weights, surface.shifts, axes=1), axis=1))


def _painted_along(surface: Surface) -> Iterator[Array]:
    if not surface.paint:
        return
    n = surface.weights.shape[1]
    for k in np.unique(np.linspace(0, n - 1, min(n, SAMPLES)).astype(np.int64)):
        yield painted_values(surface, surface.weights[-1, k])


def envelope(surface: Surface) -> Array:
    """The largest value of each vertex over the motion."""
    return np.max(list(_painted_along(surface)), axis=0)


def ramp(parts: Array) -> Array:
    """Colours (n, 3) from 0 to 1 for parts of the largest value."""
    stops = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in COLOUR_RAMP])
    at = np.clip(parts, 0.0, 1.0) * (len(stops) - 1)
    return np.stack([np.interp(at, np.arange(len(stops)), stops[:, c]) for c in range(3)], axis=-1)


def normal_shifts(surface: Surface) -> Array:
    """How normals turn with each coordinate, to first order: (1 - n nᵀ) dN / |N| with N the sum over triangles."""
    t, x = surface.mesh.triangles, surface.mesh.vertices
    a, b, c = (x[t[:, k]] for k in range(3))
    whole = np.zeros_like(x)
    for k in range(3):
        np.add.at(whole, t[:, k], np.cross(b - a, c - a))
    length = np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1e-300)
    n, out = whole / length, []
    for s in surface.shifts:
        da, db, dc = (s[t[:, k]] for k in range(3))
        change = np.zeros_like(x)
        for k in range(3):
            np.add.at(change, t[:, k], np.cross(db - da, c - a) + np.cross(b - a, dc - da))
        out.append((change - n * np.einsum("va,va->v", n, change)[:, None]) / length)
    return np.stack(out)


# ---------------------------------------------------------------------------------------------------------- fewer


def coarsened_mesh(nodes: Array, faces: Indices, most: int) -> tuple[Indices, Indices]:
    """Indices of the nodes that triangles need, and triangles between them; of more than `most` triangles, nodes in
    one cell of a grid are merged, with cells as small as possible."""
    cells = 256
    kept = faces
    while len(kept) > most and cells > 2:
        kept = _merged_by_cell(nodes, faces, cells)
        cells = int(cells / 1.3)
    used, index = np.unique(kept, return_inverse=True)
    return used, index.reshape(-1, 3)


def _merged_by_cell(nodes: Array, faces: Indices, cells: int) -> Indices:
    used = np.unique(faces)
    low, size = nodes[used].min(axis=0), max(float(np.ptp(nodes[used], axis=0).max()), 1e-300)
    box = np.floor((nodes[used] - low) / size * cells * (1 - 1e-9)).astype(np.int64)
    _, first, index = np.unique(box, axis=0, return_index=True, return_inverse=True)
    number = np.zeros(len(nodes), dtype=np.int64)
    number[used] = used[first[index.reshape(-1)]]
    a, b, c = number[faces].T
    left = number[faces][(a != b) & (b != c) & (c != a)]
    turned = np.take_along_axis(left, (left.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    return np.unique(turned, axis=0)


def coarse(surface: Surface, most: int = MAX_IN_STILLS) -> Surface:
    """The same with few triangles, for stills."""
    if len(surface.mesh.triangles) <= most:
        return surface
    m = surface.mesh
    kept, triangles = coarsened_mesh(m.vertices, m.triangles, most)
    stress = None if surface.stress is None else surface.stress[:, kept]
    fewer = Mesh(m.vertices[kept], m.normals[kept], triangles)
    return replace(surface, mesh=fewer, shifts=surface.shifts[:, kept], stress=stress)
