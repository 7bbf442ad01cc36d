"""Poses of frames along a motion, as numbers: one compiled program from (t, q, p) to positions and rotation
matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...algebra.graph.graph import Symbol
from ...algebra.graph.matrix import Matrix, stack
from ...bodies.frames.frames import Frame
from ...bodies.frames.points import Point
from ...derivation.equations.equations import Equations
from ...derivation.kinematics.placements import Placement, placements
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, compile_program
from ...errors import ViewError


@dataclass(frozen=True, eq=False)
class Poses:
    """Rotation matrices R_WF and positions of frames in the ground: shapes (n, 3, 3) and (n, 3) for each."""

    R: Mapping[Frame, Array]
    r: Mapping[Frame, Array]

    def place(self, frame: Frame, point: Any) -> Array:
        """Places in the ground of a point with these coordinates in a frame: (n, 3)."""
        return self.r[frame] + self.R[frame] @ np.asarray(point, dtype=np.float64)

    def within(self, frame: Frame, places: Array) -> Array:
        """Coordinates in a frame, of places in the ground: Rᵀ (x - r)."""
        return np.einsum("nji,nj->ni", self.R[frame], places - self.r[frame])

    def turned_within(self, frame: Frame, R: Array) -> Array:
        """Rotation matrices relative to a frame."""
        return np.einsum("nji,njk->nik", self.R[frame], R)


def placements_of(eq: Equations, frames: Iterable[Frame]) -> dict[Frame, Placement]:
    """Frames of a mechanism in the ground, and their child frames, as expressions."""
    known = placements(eq.mechanism)
    for frame in frames:
        missing, f = list[Frame](), frame
        while f not in known:
            missing.append(f)
            if f.parent is None:
                raise ViewError(
                    f"scene of {eq.name!r}: frame {f.name!r} is of another model than the motion; give shapes and traces of the model "
                    "that was derived"
                )
            f = f.parent
        for f in reversed(missing):
            assert f.parent is not None
            R, r = known[f.parent]
            known[f] = Placement(R @ f.rotation.matrix, r + R @ f.offset)
    return known


class Placer:
    """Poses of frames, and positions of points, of a mechanism."""

    def __init__(self, eq: Equations, frames: Sequence[Frame] = (), points: Sequence[Point] = ()) -> None:
        self.equations, self.frames, self.points = eq, tuple(dict.fromkeys(frames)), tuple(points)
        if lost := next((f for f in eq.mechanism.frames if f.velocity is not None), None):
            raise ViewError(
                f"scene of {eq.name!r}: the position of frame {lost.name!r} is not known, only its velocity; define it by coordinates to draw it"
            )
        known = placements_of(eq, (*frames, *(p.frame for p in points)))
        outputs: dict[str, Any] = {}
        moving = [f for f in self.frames if not f.is_ground]
        if moving:
            outputs["turns"] = stack(*(known[f].R for f in moving))
            outputs["origins"] = stack(*(known[f].r for f in moving))
        if self.points:
            outputs["places"] = stack(*(known[p.frame].r + known[p.frame].R @ p.coordinates for p in self.points))
        groups: dict[str, Symbol | Sequence[Symbol]] = {"t": eq.t, "q": eq.q, "z": eq.z, "r": eq.r, "p": eq.p}
        self._groups = [k for k, v in groups.items() if isinstance(v, Symbol) or v]
        self._moving = moving
        self._names = list(outputs)
        self._run = (
            compile_program(program("poses", {k: groups[k] for k in self._groups}, outputs), is_quick=True)
            if outputs
            else None
        )

    def __call__(self, t: Array, q: Array, **held: Array) -> tuple[Poses, Array]:
        """Poses of the frames, and places of the points (n, points, 3); `held`: z, r, p."""
        n, given = len(t), {"t": t, "q": q, **held}
        found: dict[str, Array] = {}
        if self._run is not None:
            out = self._run.batch(*(given[k] for k in self._groups))
            found = dict(zip(self._names, [out] if len(self._names) == 1 else out, strict=True))
        R = {f: np.broadcast_to(np.eye(3), (n, 3, 3)) for f in self.frames if f.is_ground}
        r = {f: np.zeros((n, 3)) for f in self.frames if f.is_ground}
        if self._moving:
            Rs, rs = found["turns"].reshape(n, -1, 3, 3), found["origins"].reshape(n, -1, 3)
            R |= {f: Rs[:, k] for k, f in enumerate(self._moving)}
            r |= {f: rs[:, k] for k, f in enumerate(self._moving)}
        return Poses(R, r), found["places"].reshape(n, -1, 3) if self.points else np.zeros((n, 0, 3))


def column(values: Sequence[Any]) -> Matrix:
    return Matrix(len(values), 1, tuple(values))


# ----------------------------------------------------------------------------------------------------- Euler parameters


def continuous_parameters(e: Array) -> Array:
    """Euler parameters along time with signs such that neighbours are close: e and -e are the same rotation."""
    agrees = np.sum(e[1:] * e[:-1], axis=1) >= 0
    sign = np.concatenate([[1.0], np.cumprod(np.where(agrees, 1.0, -1.0))])
    return e * sign[:, None]


def interpolated_rotation(e: Array, s: float, f: Array) -> Array:
    """Spherical interpolation from one rotation to another at a constant rate, s from 0 to 1 (Shoemake 1985)."""
    product = float(e @ f)
    if product < 0:
        f, product = -f, -product
    angle = float(np.arccos(min(product, 1.0)))
    if angle < 1e-6:
        mixed = (1 - s) * e + s * f
    else:
        mixed = np.sin((1 - s) * angle) * e + np.sin(s * angle) * f
    return mixed / np.linalg.norm(mixed)


def turning_z_to(direction: Sequence[float] | Array) -> tuple[float, float, float, float]:
    """Euler parameters of a rotation that carries z to a direction, by the shortest way."""
    d = np.asarray(direction, dtype=np.float64)
    d = d / np.linalg.norm(d)
    if d[2] < -1 + 1e-12:
        return (0.0, 1.0, 0.0, 0.0)
    e = np.array([1 + d[2], -d[1], d[0], 0.0])
    e = e / np.linalg.norm(e)
    return (float(e[0]), float(e[1]), float(e[2]), float(e[3]))


def four(e: Array) -> tuple[float, float, float, float]:
    return (float(e[0]), float(e[1]), float(e[2]), float(e[3]))


def three(x: Any) -> tuple[float, float, float]:
    a = np.asarray(x, dtype=np.float64).reshape(-1)
    return (float(a[0]), float(a[1]), float(a[2]))
