"""Shapes of bodies in numbers: sizes in principal axes; corners, faces and edges of convex polyhedra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...emit.run.callable import Array
from .pile_records import BALL, CLUMP, HULL, PileShapes


@dataclass(frozen=True)
class PileSolid:
    """A shape in its principal axes.

    form            BALL, HULL, DRUM or CLUMP; `radius`, `half` the length, and `axis` of round ones
    corners         of a hull; of a clump the centres of its balls, whose radii are `sizes`; `faces` are loops of them, seen from outside; `planes` normal and distance of each; `edges` two
                    corners and two faces
    content         volume; `gyration` principal inertias for mass one
    turn            principal axes as columns, in the frame of the shape; `centre` its mass centre there
    """

    form: int
    content: float
    gyration: Array
    turn: Array
    centre: Array
    radius: float = 0.0
    half: float = 0.0
    axis: Array = field(default_factory=lambda: np.zeros(3))
    corners: Array = field(default_factory=lambda: np.zeros((0, 3)))
    sizes: Array = field(default_factory=lambda: np.zeros(0))
    faces: tuple[tuple[int, ...], ...] = ()
    planes: Array = field(default_factory=lambda: np.zeros((0, 4)))
    edges: tuple[tuple[int, int, int, int], ...] = ()

    @property
    def reach(self) -> float:
        """The radius of a sphere around the centre that contains it."""
        if self.form == CLUMP:
            return float((np.linalg.norm(self.corners, axis=1) + self.sizes).max())
        if self.form == HULL:
            return float(np.linalg.norm(self.corners, axis=1).max())
        return float(np.hypot(self.radius, self.half))

    @property
    def depth(self) -> float:
        """The least distance of the surface from the centre, of a clump the radius of its smallest ball."""
        if self.form == CLUMP:
            return float(self.sizes.min())
        if self.form == HULL:
            return float(self.planes[:, 3].min())
        return min(self.radius, self.half) if self.half else self.radius


def shape_record(solids: list[PileSolid]) -> PileShapes:
    """All kinds of bodies, one after another."""
    counts = [(len(k.corners), len(k.faces), len(k.edges)) for k in solids]
    at = np.concatenate([[(0, 0, 0)], np.cumsum(counts, axis=0)]).astype(np.int64)
    loops = [loop for k in solids for loop in k.faces]
    forms = {k.form for k in solids}
    return PileShapes(
        clumps=int(CLUMP in forms), solids=int(bool(forms - {BALL, CLUMP})), form=_whole([k.form for k in solids]), radius=_flat([k.radius for k in solids]),
        half=_flat([k.half for k in solids]), axis=_flat([k.axis for k in solids]), reach=_flat([k.reach for k in solids]),
        corner=at[:, 0].copy(), corners=_flat([k.corners for k in solids]), sizes=_flat([k.sizes if k.form == CLUMP else np.zeros(len(k.corners)) for k in solids]), face=at[:, 1].copy(), face_planes=_flat([k.planes for k in solids]),
        loop_at=np.cumsum([0, *(len(loop) for loop in loops), 0]).astype(np.int64), loops=_whole([c for loop in loops for c in loop]),
        edge=at[:, 2].copy(), edges=_whole([i for k in solids for e in k.edges for i in e]),
    )  # fmt: skip


def _flat(parts: Sequence[Array | float]) -> Array:
    return np.concatenate([*(np.ravel(p) for p in parts), [0.0]])


def _whole(values: list[int]) -> Any:
    return np.array([*values, 0], dtype=np.int64)
