"""A mechanism at one state, seen flat: a planar one in its plane, a spatial one in an isometric view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...bodies.frames.frames import Frame
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import SymbodyError, ViewError
from ...integrate.result.trajectory import Trajectory
from ...integrate.start.assembly import assemble
from ...integrate.start.state import State
from ...rotation_arrays import rotation_matrix
from ..scenes.appearance import Appearance
from ..scenes.camera import gravity_direction, plane_normal, up_without_gravity
from ..scenes.scene_items import Mesh, Solid
from ..scenes.shown_motion import shown_motion_of, trajectory_of
from ..scenes.skeleton import SkeletonFinder, placer
from ..scenes.solids import ratio_of, scale_of, unit_mesh
from .diagram import Stroke

ANGLES: Final = (0.6, 0.45, -0.5, 0.7, -0.35)  # of coordinates without a value: no position of a symmetry
BROAD: Final = (
    0.15  # distance of joints from a line, in parts of its length, from which a loop is not in a dead position
)
MOST_TRIED: Final = 6  # positions of a loop in a dead position
SHIFT: Final = 0.4  # of other coordinates without a value, in parts of the mechanism's size


@dataclass(frozen=True, eq=False)
class FlatView:
    """An orthographic view: directions to the right, up, and towards the eye, in the ground.

    is_planar   whether the eye looks across the plane of the motion
    """

    right: Array
    up: Array
    eye: Array
    is_planar: bool

    def flat(self, vectors: Any) -> Array:
        """Components to the right and up of vectors (..., 3)."""
        v = np.asarray(vectors, dtype=np.float64)
        return np.stack([v @ self.right, v @ self.up], axis=-1)


def flat_view(finder: SkeletonFinder) -> FlatView:
    """Across the plane of a planar motion, gravity down; else isometric: x to the lower left, y to the lower right."""
    down, normal = gravity_direction(finder.motion), plane_normal(finder)
    up = up_without_gravity(normal) if down is None else -down
    if normal is not None and abs(float(normal @ up)) > 0.5:  # gravity across the plane does not show
        up = np.array([0.0, 1.0, 0.0]) if abs(normal[1]) < 0.5 else np.array([0.0, 0.0, 1.0])
    if normal is not None:
        up = up - (up @ normal) * normal
        up = up / np.linalg.norm(up)
        right = np.cross(up, normal)
        if right[np.argmax(np.abs(right))] < 0:
            right, normal = -right, -normal
        return FlatView(right, up, normal, True)
    across = np.cross([0.0, 1.0, 0.0] if abs(up[1]) < 0.9 else [0.0, 0.0, 1.0], up)
    first = across / np.linalg.norm(across)  # x where z is up
    eye = first + np.cross(up, first) + up
    eye /= np.linalg.norm(eye)
    right = np.cross(up, eye)
    right /= np.linalg.norm(right)
    return FlatView(right, np.cross(eye, right), eye, False)


@dataclass(frozen=True, eq=False)
class PosedMechanism:
    """A mechanism at one state, with its skeleton and the solids of its bodies."""

    motion: Trajectory
    finder: SkeletonFinder
    appearance: Appearance

    @property
    def equations(self) -> Equations:
        return self.motion.segments[0].equations

    @cached_property
    def view(self) -> FlatView:
        return flat_view(self.finder)

    @property
    def size(self) -> float:
        return self.finder.size

    @cached_property
    def solids(self) -> Mapping[str, list[Solid]]:
        """By the frame that they are fixed to."""
        out: dict[str, list[Solid]] = {}
        for s in self.appearance.solids():
            out.setdefault(s.frame, []).append(s)
        return out

    def frame_of(self, name: str) -> Frame:
        return self.finder.frame_of(name)

    def place(self, body: str, point: Sequence[float]) -> Array:
        """A point of a body in the ground."""
        return self.finder.now.place(self.frame_of(body), point)[0]

    def outlines(self, body: str) -> list[Array]:
        """Corners of the solids of a body, flat, each a convex polygon, in metres."""
        found = []
        for s in self.solids.get(body, ()):
            mesh: Mesh = self.appearance.meshes[s.mesh] if s.kind == "mesh" else unit_mesh(s.kind, ratio_of(s))
            local = (mesh.vertices * np.array(scale_of(s))) @ rotation_matrix(s.rotation).T + np.array(s.position)
            frame = self.frame_of(body)
            found.append(
                convex_hull(self.view.flat(self.finder.now.r[frame][0] + local @ self.finder.now.R[frame][0].T))
            )
        for a, b in self.finder.bodies[body].edges if body in self.finder.bodies else ():
            found.append(convex_hull(self.view.flat(np.stack([self.finder.now.r[a][0], self.finder.now.r[b][0]]))))
        return found


def posed_mechanism(source: Any, values: Mapping[Any, float], shapes: Any, where: str) -> PosedMechanism:
    """At a state; of equations at values, with a pose of no symmetry where none are given."""
    if isinstance(source, Equations):
        source, values = _generic_state(source, values), {}
    given = trajectory_of(source, values)
    if len(given) > 1:
        raise ViewError(
            f"{where}: a motion has many states, from t = {given.t[0]:g} to {given.t[-1]:g}; sim.at(t) is one of them, sim.final the last"
        )
    return _posed_at(given, shapes)


def _posed_at(given: Trajectory, shapes: Any) -> PosedMechanism:
    place = placer(given.segments[0].equations)
    finder = SkeletonFinder(shown_motion_of(given, place, None), place)
    return PosedMechanism(given, finder, Appearance(finder, shapes, {}, {}))


def _generic_state(eq: Equations, values: Mapping[Any, float]) -> Any:
    """A state with the given values. Parameters without a number are one; coordinates without a value are where no symmetry
    hides a force, and loops are closed near there."""
    numbers = {**{s.name: 1.0 for s in eq.p if eq.variables[s.name].default is None}, **values}
    named = {str(k) for k in numbers}
    free = [q.name for q in eq.q if q.name not in named]
    closed = assemble(eq, numbers)
    if not free or any(eq.variables[n].quaternion is not None for n in free):
        return closed
    posed = _posed_at(trajectory_of(closed, {}), None)
    angles = {
        n: ANGLES[k % len(ANGLES)] if eq.variables[n].is_angle else SHIFT * posed.size for k, n in enumerate(free)
    }
    wanted = {n: v for n, v in angles.items() if not _is_elastic(eq, n)}
    if not eq.rows.positions:
        return assemble(eq, {**numbers, **wanted})
    return _loop_off_its_dead_positions(eq, numbers, closed, wanted)


def _loop_off_its_dead_positions(
    eq: Equations, numbers: Mapping[Any, float], closed: State, wanted: Mapping[str, float]
) -> State:
    """The closed position, or one in which a coordinate has another value where all joints are nearly on one line."""
    start = {q.name: float(x) for q, x in zip(eq.q, closed.q, strict=True)}
    tried = [(n, start[n] + sign * v) for n, v in wanted.items() for sign in (1.0, -1.0)]
    best, breadth = closed, _breadth(closed)
    for name, value in tried[:MOST_TRIED]:
        if breadth > BROAD:
            break
        with suppress(SymbodyError):
            found = assemble(eq, {**numbers, name: value})
            if (other := _breadth(found)) > breadth:
                best, breadth = found, other
    return best


def _breadth(state: State) -> float:
    """How far the joints and mass centres of a mechanism are from one line, in parts of its length."""
    posed = _posed_at(trajectory_of(state, {}), None)
    points = np.concatenate([posed.finder.now_points[0], *(posed.finder.now.r[j.inner] for j in posed.equations.mechanism.joints)])  # fmt: skip
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return float(sizes[1] / max(sizes[0], 1e-300))


def _is_elastic(eq: Equations, name: str) -> bool:
    """Whether a coordinate deforms a body."""
    return any(load.is_internal and any(q.name == name for q in load.on_rates) for load in eq.mechanism.loads)


def convex_hull(points: Array) -> Array:
    """Corners of the convex hull of points in a plane, counterclockwise (Andrew 1979)."""
    ordered = sorted({(float(x), float(y)) for x, y in np.round(points, 12)})
    if len(ordered) < 3:
        return np.array(ordered)

    def chain(some: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        out: list[tuple[float, float]] = []
        for p in some:
            while len(out) > 1 and _turn(out[-2], out[-1], p) <= 0:
                out.pop()
            out.append(p)
        return out[:-1]

    return np.array(chain(ordered) + chain(reversed(ordered)))


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def body_strokes(outlines: Iterable[Array], colour: str) -> list[Stroke]:
    """Outlines in ink and areas over them, so that parts of one body have no lines between them."""
    closed = [np.vstack([c, c[:1]]) for c in outlines if len(c) > 1]
    lines = [Stroke(c, width=2.4) for c in closed]
    return [*lines, *(replace(s, fill=colour, width=0.0) for s in lines if len(s.points) > 3)]


def pale(colour: str, share: float = 0.62) -> str:
    """A colour mixed with white."""
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(p + (255 - p) * share):02x}" for p in parts)
