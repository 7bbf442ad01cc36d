"""Outer faces of a mesh as triangles between its nodes, for drawings: faces of solids that belong to one element alone,
and shells.

Elements of second order give triangles to their midside nodes too, so that curved edges are seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from .finite_body import Array, Indices


@dataclass(frozen=True)
class ElementKind:
    """Corners of a kind of element.

    faces   corners around each face
    edges   pairs of corners, in the order of the midside nodes that follow the corners
    centres whether each face has a node in its middle, after those of the edges
    """

    corners: int
    faces: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[int, int], ...]
    centres: bool = False
    is_shell: bool = False

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of nodes of first and second order."""
        return self.corners, self.corners + len(self.edges)


def _ring(*corners: int) -> tuple[tuple[int, int], ...]:
    return tuple(pairwise((*corners, corners[0])))


_HEXA_FACES: Final = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
_WEDGE_FACES: Final = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
_UPRIGHT: Final = tuple((k, k + 4) for k in range(4))
_UPRIGHT_3: Final = tuple((k, k + 3) for k in range(3))

TETRA: Final = ElementKind(4, ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)), (*_ring(0, 1, 2), (0, 3), (1, 3), (2, 3)))
PYRAMID: Final = ElementKind(
    5, ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)), (*_ring(0, 1, 2, 3), *((k, 4) for k in range(4)))
)
WEDGE: Final = ElementKind(6, _WEDGE_FACES, (*_ring(0, 1, 2), *_ring(3, 4, 5), *_UPRIGHT_3))
HEXA: Final = ElementKind(8, _HEXA_FACES, (*_ring(0, 1, 2, 3), *_ring(4, 5, 6, 7), *_UPRIGHT))
WEDGE_OF_NASTRAN: Final = ElementKind(6, _WEDGE_FACES, (*_ring(0, 1, 2), *_UPRIGHT_3, *_ring(3, 4, 5)))
HEXA_OF_NASTRAN: Final = ElementKind(8, _HEXA_FACES, (*_ring(0, 1, 2, 3), *_UPRIGHT, *_ring(4, 5, 6, 7)))
TRIANGLE: Final = ElementKind(3, ((0, 1, 2),), _ring(0, 1, 2), is_shell=True)
QUADRANGLE: Final = ElementKind(4, ((0, 1, 2, 3),), _ring(0, 1, 2, 3), is_shell=True)

SOLIDS: Final = {n: kind for kind in (TETRA, PYRAMID, WEDGE, HEXA) for n in kind.sizes}  # by the number of their nodes
SHELLS: Final = {n: kind for kind in (TRIANGLE, QUADRANGLE) for n in kind.sizes}

Rows = dict[tuple[ElementKind, int], list[list[int]]]  # labels of nodes of elements, by kind and number of nodes

Elements = Sequence[tuple[ElementKind, Indices]]  # nodes of elements of one kind and order, a row for each


@dataclass(frozen=True, eq=False)
class _Faces:
    """Faces with equally many corners: corners around, nodes in the middle of sides (or none), a node in the middle (or
    none), and the middle of the element that each belongs to."""

    corners: Indices
    sides: Indices | None
    centre: Indices | None
    inside: Array | None

    def taken(self, which: Indices) -> _Faces:
        sides, centre = (None if x is None else x[which] for x in (self.sides, self.centre))
        return _Faces(self.corners[which], sides, centre, None if self.inside is None else self.inside[which])


def outer_triangles(elements: Elements, nodes: Array) -> Indices:
    """Triangles (m, 3) of numbers of nodes, counter-clockwise where solids are seen from outside."""
    shells = [f for kind, rows in elements if kind.is_shell for f in _faces(kind, rows, nodes)]
    solids = [f for kind, rows in elements if not kind.is_shell for f in _faces(kind, rows, nodes)]
    made = [_triangles(_outwards(f, nodes)) for f in (*shells, *_single(solids))]
    found = np.concatenate(made) if made else np.zeros((0, 3), dtype=np.int64)
    a, b, c = found.T
    return found[(a != b) & (b != c) & (c != a)]


def _faces(kind: ElementKind, rows: Indices, nodes: Array) -> Iterable[_Faces]:
    has_sides = rows.shape[1] >= kind.sizes[1]
    edge = {frozenset(e): kind.corners + k for k, e in enumerate(kind.edges)}
    inside = None if kind.is_shell else nodes[rows[:, : kind.corners]].mean(axis=1)
    for k, face in enumerate(kind.faces):
        sides = rows[:, [edge[frozenset(e)] for e in _ring(*face)]] if has_sides else None
        centre = rows[:, kind.sizes[1] + k] if kind.centres else None
        yield _Faces(rows[:, list(face)], sides, centre, inside)


def _single(faces: list[_Faces]) -> list[_Faces]:
    """Faces that no other element has; those that are no more than an edge are left out."""
    if not faces:
        return []
    keys = np.concatenate([_key(f.corners) for f in faces])
    _, which, count = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    alone = (count[which.reshape(-1)] == 1) & (keys[:, 1] >= 0)
    ends = np.cumsum([len(f.corners) for f in faces])[:-1]
    return [f.taken(np.flatnonzero(part)) for f, part in zip(faces, np.split(alone, ends), strict=True)]


def _key(corners: Indices) -> Indices:
    """Corners in ascending order after as many -1 as are missing of four: collapsed quadrangles are triangles."""
    s = np.sort(corners, axis=1)
    s[:, 1:][s[:, 1:] == s[:, :-1]] = -1
    four = np.full((len(s), 4), -1)
    four[:, : s.shape[1]] = s
    return np.sort(four, axis=1)


def _outwards(f: _Faces, nodes: Array) -> _Faces:
    """Around such that normals point away from the element's middle, whatever the order of its nodes was."""
    if f.inside is None:
        return f
    at = nodes[f.corners]
    normal = np.cross(at[:, 1] - at[:, 0], at[:, -1] - at[:, 0])
    flip = np.einsum("na,na->n", normal, at.mean(axis=1) - f.inside) < 0
    corners, n = f.corners.copy(), f.corners.shape[1]
    corners[flip] = corners[flip][:, [0, *range(n - 1, 0, -1)]]
    sides = f.sides
    if sides is not None:
        sides = sides.copy()
        sides[flip] = sides[flip][:, ::-1]
    return _Faces(corners, sides, f.centre, f.inside)


def _triangles(f: _Faces) -> Indices:
    n = f.corners.shape[1]
    if f.sides is None:
        parts = [f.corners[:, [0, k, k + 1]] for k in range(1, n - 1)]
        return np.concatenate(parts)
    ahead = np.roll(np.arange(n), 1)
    before = f.sides[:, ahead]  # the side that ends at each corner
    parts = [np.stack([f.corners[:, k], f.sides[:, k], before[:, k]], axis=1) for k in range(n)]
    if f.centre is not None:
        parts += [np.stack([f.centre, before[:, k], f.sides[:, k]], axis=1) for k in range(n)]
    else:
        parts += [f.sides[:, [0, k, k + 1]] for k in range(1, n - 1)]
    return np.concatenate(parts)
