"""The scene of a pile's motion: equal bodies as instances, so that 10⁴ of them move in a browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import ViewError, shown, unknown
from ...integrate.piles.machine_programs import machine_places
from ...integrate.piles.pile_records import BALL, CLUMP, DRUM
from ...rotation_arrays import euler_parameters, product_of_rotations
from ...study.piles.pile_motion import PileMotion
from .camera import fitted_camera, round_number
from .poses import continuous_parameters, turning_z_to
from .scene_items import BODY_COLOURS, GROUND, Camera, Floor, Instances, Mesh, Solid, colour_text
from .solids import profile, reach_of, solid_of_revolution

if TYPE_CHECKING:
    from ...study.piles.pile import PileKind

MOST_SAMPLES: Final = 240  # times that are shown, unless `samples` is more
BALL_STEPS: Final = 7  # of the profile of a ball of a clump
OUTLIERS: Final = 0.5  # percent of the bodies on each side that the first view may leave out
LEVEL: Final = 0.99  # cosine of the slope up to which a wall is drawn as the floor
GROUND_COLOUR: Final = "#a59b8c"  # of height fields


@dataclass(frozen=True, eq=False)
class PileItems:
    """What a scene of a pile consists of."""

    t: Array
    instances: tuple[Instances, ...]
    solids: tuple[Solid, ...]
    meshes: Mapping[str, Mesh]
    camera: Camera
    floor: Floor | None
    size: float
    centre: Array


def pile_items(motion: PileMotion, colours: Mapping[str, str], samples: int | None) -> PileItems:
    """Everything that is drawn of a pile."""
    where = f"scene of {motion.pile.name!r}"
    picked = _samples(where, len(motion.t), samples)
    kinds = motion.pile.kinds
    hills = [w for w in motion.pile.walls if w.terrain is not None]
    for name in colours:
        if name not in (known := [*(k.name for k in kinds), *(w.name for w in hills)]):
            raise unknown(where, "part", name, known, ViewError)
    carried = iter(_carried_states(motion, picked))
    instances, meshes, at = [], {}, 0
    own = _colours(kinds)
    for kind in kinds:
        colour = colour_text(colours.get(kind.name, own[kind.name]))
        if kind.is_carried:
            states = next(carried)
        else:
            states, at = _states(motion, kind, picked, at)
        if not states.shape[1]:
            continue
        solid, mesh = _solid(kind, colour)
        if mesh is not None:
            meshes[solid.mesh] = mesh
        instances.append(Instances(solid, states[..., :3], _rotations(kind, states[..., 3:7])))
    solids = []
    for hill in hills:
        assert hill.terrain is not None
        meshes[hill.name] = _height_mesh(*hill.terrain)
        colour = colour_text(colours.get(hill.name, GROUND_COLOUR))
        solids.append(Solid("mesh", GROUND, (1.0, 1.0, 1.0), mesh=hill.name, colour=colour, name=hill.name))
    return _with_camera(motion, picked, tuple(instances), tuple(solids), meshes)


def _colours(kinds: list[PileKind]) -> dict[str, str]:
    """One for each kind; surfaces of a mechanism that have one solid, such as the links of a rope, have one colour."""
    number: dict[int | str, int] = {}
    keys = {k.name: id(k.solid) if k.is_carried else k.name for k in kinds}
    return {name: BODY_COLOURS[number.setdefault(key, len(number)) % len(BODY_COLOURS)] for name, key in keys.items()}


def _samples(where: str, count: int, samples: int | None) -> Array:
    if samples is not None and (not isinstance(samples, int) or samples < 1):
        raise ViewError(f"{where}: samples = {shown(samples)}: a whole number of at least 1")
    most = MOST_SAMPLES if samples is None else samples
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def _states(motion: PileMotion, kind: PileKind, picked: Array, at: int) -> tuple[Array, int]:
    """States of the bodies of a kind at the times that are shown; the number of the next body that moves."""
    if kind.is_fixed:
        return kind.states[None], at
    end = at + len(kind.states)
    return motion.states[picked, at:end], end


def _carried_states(motion: PileMotion, picked: Array) -> list[Array]:
    """Places and Euler parameters of the bodies of the mechanism, each as the one body of its kind."""
    machine = motion.pile.machine
    if machine is None:
        return []
    states = np.stack(list(motion.mechanism.values()), axis=1)[picked]
    places, R = machine_places(machine, motion.t[picked], states)
    turns = [continuous_parameters(euler_parameters(R[:, k])) for k in range(places.shape[1])]
    return [np.concatenate([places[:, k], e], axis=1)[:, None] for k, e in enumerate(turns)]


def _solid(kind: PileKind, colour: str) -> tuple[Solid, Mesh | None]:
    """A body in its principal axes; the mesh of a polyhedron."""
    s = kind.solid
    if s.form == BALL:
        return Solid("sphere", GROUND, (s.radius,) * 3, colour=colour, name=kind.name), None
    if s.form == DRUM:
        return Solid("cylinder", GROUND, (s.radius, 2 * s.half), colour=colour, name=kind.name), None
    mesh = _ball_mesh(s.corners, s.sizes) if s.form == CLUMP else _hull_mesh(s.corners, s.faces, s.planes)
    return Solid("mesh", GROUND, (1.0, 1.0, 1.0), mesh=kind.name, colour=colour, name=kind.name), mesh


def _rotations(kind: PileKind, e: Array) -> Array | None:
    if kind.solid.form == BALL:
        return None
    return product_of_rotations(e, np.array(turning_z_to(kind.solid.axis))) if kind.solid.form == DRUM else e


def _ball_mesh(centres: Array, radii: Array) -> Mesh:
    """The balls of a clump."""
    ball = solid_of_revolution(profile("sphere", steps=BALL_STEPS), 2 * BALL_STEPS)
    n = len(ball.vertices)
    return Mesh(
        np.concatenate([c + r * ball.vertices for c, r in zip(centres, radii, strict=True)]), np.tile(ball.normals, (len(radii), 1)),
        np.concatenate([ball.triangles + n * k for k in range(len(radii))]),
    )  # fmt: skip


def _hull_mesh(corners: Array, faces: tuple[tuple[int, ...], ...], planes: Array) -> Mesh:
    """Faces as triangles, flat: each has corners of its own."""
    vertices: list[Array] = []
    normals: list[Array] = []
    triangles: list[tuple[int, int, int]] = []
    for face, plane in zip(faces, planes, strict=True):
        first = len(vertices)
        vertices += [corners[c] for c in face]
        normals += [plane[:3]] * len(face)
        triangles += [(first, first + i, first + i + 1) for i in range(1, len(face) - 1)]
    return Mesh(np.array(vertices), np.array(normals), np.array(triangles, dtype=np.int64))


def _height_mesh(heights: Array, corner: tuple[float, float], spacing: tuple[float, float]) -> Mesh:
    """The triangles of a height field, on which bodies stand."""
    n, m = heights.shape
    i, j = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    places = np.stack([corner[0] + i * spacing[0], corner[1] + j * spacing[1], heights], axis=-1).reshape(-1, 3)
    slopes = np.gradient(heights, *spacing)
    normals = np.stack([-slopes[0], -slopes[1], np.ones_like(heights)], axis=-1).reshape(-1, 3)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    k = (i * m + j)[:-1, :-1].ravel()
    triangles = np.concatenate([np.stack([k, k + m, k + m + 1], axis=1), np.stack([k, k + m + 1, k + 1], axis=1)])
    return Mesh(places, normals, triangles.astype(np.int64))


def _with_camera(
    motion: PileMotion,
    picked: Array,
    instances: tuple[Instances, ...],
    solids: tuple[Solid, ...],
    meshes: Mapping[str, Mesh],
) -> PileItems:
    """With a camera from which nearly all bodies are seen at all times."""
    reach = np.concatenate([np.full(len(x), reach_of(x.solid, meshes)) for x in instances])
    times = len(picked)
    x = np.concatenate([np.broadcast_to(x.position, (times, *x.position.shape[1:])) for x in instances], axis=1)
    g = motion.pile.gravity
    up = -g / np.linalg.norm(g) if np.linalg.norm(g) > 0 else np.array([0.0, 0.0, 1.0])
    low, high = np.percentile(x.reshape(-1, 3), [OUTLIERS, 100 - OUTLIERS], axis=0)
    size = float(np.linalg.norm(high - low)) + 2 * float(reach.max())
    corners = np.stack(np.meshgrid(*np.stack([low, high], axis=1), indexing="ij"), axis=-1).reshape(1, 8, 3)
    camera = fitted_camera(corners, np.full(8, float(reach.max())), up)
    heights = x @ up - reach
    floor = Floor(float(np.percentile(heights, OUTLIERS)), round_number(size / 8)) if np.linalg.norm(g) > 0 else None
    for wall in motion.pile.walls:
        if wall.plane is not None and wall.plane[:3] @ up > LEVEL:
            floor = Floor(float(wall.plane[3]), round_number(size / 8))
    return PileItems(motion.t[picked], instances, solids, meshes, camera, floor, size, x.mean(axis=1))
