"""The camera of a scene: its vertical, its direction, its distance; and the height of the floor."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...emit.run.callable import Array
from ...rotation_arrays import rotation_matrix
from .poses import three
from .scene_items import FIELD_OF_VIEW, GROUND, Camera, Floor, Mesh, Solid, Span, Surface, Three, Track
from .shown_motion import ShownMotion
from .skeleton import SkeletonFinder
from .solids import scale_of

JOINT_RADIUS = 0.07  # radius of the ball kept in view around a joint, relative to the mechanism's size
SAMPLES = 40  # number of times at which the extent is evaluated


@dataclass(frozen=True, eq=False)
class Seen:
    """The points that must be in view."""

    solids: Sequence[Solid]
    meshes: Mapping[str, Mesh]
    spans: Sequence[Span]
    surfaces: Sequence[Surface]
    tracks: Sequence[Track]


@dataclass(frozen=True)
class CameraAndFloor:
    camera: Camera
    floor: Floor | None


def camera_and_floor(finder: SkeletonFinder, seen: Seen, centre: Array, wanted: str = "") -> CameraAndFloor:
    """A camera with the whole motion in view, or one that moves along if the mechanism would be small.

    wanted   the vertical, if given: "z", "-y"; by default against gravity
    """
    gravity = gravity_direction(finder.motion)
    normal = plane_normal(finder)
    up = -gravity if gravity is not None else up_without_gravity(normal)
    if wanted:
        up = np.array([(-1.0 if wanted[0] == "-" else 1.0) * float(wanted[-1] == k) for k in "xyz"])
    x, radius = _extents(seen, finder)
    follows = _travel(centre) > 2.5 * finder.size
    if follows:
        x = x - (centre[_sample_indices(len(centre))] - centre[0])[:, None]
    low, high = (x - radius[None, :, None]).min(axis=(0, 1)), (x + radius[None, :, None]).max(axis=(0, 1))
    target = (low + high) / 2
    reach = float((np.linalg.norm(x - target, axis=2) + radius[None]).max(initial=0.0))
    direction = _direction(up, normal, x[0])
    target, fit = _target_and_distances(x, radius, target, direction, up)
    camera = Camera(three(target), three(direction), three(up), max(reach, 0.05 * finder.size), fit, follows)
    return CameraAndFloor(camera, _floor(up, _lowest(seen, up), finder) if gravity is not None else None)


def fitted_camera(x: Array, radius: Array, up: Array) -> Camera:
    """From three quarters, with balls around points (times, points, 3) in view."""
    target = (x.min(axis=(0, 1)) + x.max(axis=(0, 1))) / 2
    direction = _direction(up, None, x[0])
    reach = float((np.linalg.norm(x - target, axis=2) + radius[None]).max())
    target, fit = _target_and_distances(x, radius, target, direction, up)
    return Camera(three(target), three(direction), three(up), reach, fit)


def gravity_direction(motion: ShownMotion) -> Array | None:
    """The direction of gravity at the first time, of length one; None if there is none."""
    g = motion.equations.mechanism.gravity
    if g is None:
        return None
    v = np.array(
        evaluate(list(g.components(motion.equations.mechanism.ground).entries), motion.values), dtype=np.float64
    )
    size = float(np.linalg.norm(v))
    return v / size if size > 0 and math.isfinite(size) else None


def plane_normal(finder: SkeletonFinder) -> Array | None:
    """The normal of the plane of motion; None for a motion in space."""
    poses = finder.now if len(finder.motion.t) > 1 else finder.tried
    turned = []
    for b in finder.bodies.values():
        R = poses.R[b.frame]
        if len(R):
            D = np.einsum("nij,kj->nik", R, R[0])
            turned.append(np.stack([D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]], axis=1))
    if not turned:
        return None
    _, s, axes = np.linalg.svd(np.concatenate(turned), full_matrices=False)
    if s[0] < 1e-6 or s[1] > 1e-6 * s[0]:
        return None
    n = axes[0]
    heights = np.stack([poses.r[b.frame] @ n for b in finder.bodies.values()])
    if np.ptp(heights, axis=1).max() > 1e-6 * finder.size:
        return None
    return np.asarray(n * np.sign(n[np.argmax(np.abs(n))]))


def up_without_gravity(normal: Array | None) -> Array:
    """z; in a plane across z, y."""
    if normal is not None and abs(normal[2]) > 0.9:
        return np.array([0.0, 1.0, 0.0])
    return np.array([0.0, 0.0, 1.0])


def _extents(seen: Seen, finder: SkeletonFinder) -> tuple[Array, Array]:
    """Middles of solids along time (times, solids, 3), and the radii of balls around them."""
    moves = {t.name: t for t in seen.tracks}
    n = max([*(t.position.shape[1] for t in seen.tracks), *(s.weights.shape[1] for s in seen.surfaces)], default=1)
    picked = _sample_indices(n)
    out, radii = [], []

    def add(frame: str, point: Three, radius: float) -> None:
        radii.append(radius)
        if frame == GROUND:
            out.append(np.broadcast_to(np.array(point), (len(picked), 3)))
            return
        t = moves[frame]
        k = np.minimum(picked, t.position.shape[1] - 1)
        R = rotation_matrix(t.rotation[-1, k])
        out.append(t.position[-1, k] + R @ np.array(point))

    for surface in seen.surfaces:
        corners = _corners(surface, moves[surface.frame], picked)
        out += list(corners)
        radii += [0.0] * len(corners)
    for end in (e for s in seen.spans for e in (s.start, s.end)):
        add(end.frame, end.point, JOINT_RADIUS * finder.size)
    for s in seen.solids:
        middle, radius = _ball_around(s, seen.meshes)
        add(s.frame, three(np.array(s.position) + rotation_matrix(s.rotation) @ middle), radius)
    for h in finder.mechanism.joints:
        if h.kind not in ("free", "rolling"):
            places = finder.now.r[h.inner]
            out.append(places[np.minimum(picked, len(places) - 1)])
            radii.append(JOINT_RADIUS * finder.size)
    if not out:
        return np.zeros((len(picked), 1, 3)), np.array([finder.size / 2])
    return np.stack(out, axis=1), np.array(radii)


def _corners(surface: Surface, track: Track, picked: Array) -> Array:
    """Places along time of the vertices that reach furthest in some direction at rest: (vertices, times, 3)."""
    ways = np.array([w for w in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(w)])
    k = np.unique((surface.mesh.vertices @ ways.T).argmax(axis=0))
    w = surface.weights[-1, np.minimum(picked, surface.weights.shape[1] - 1)]
    local = surface.mesh.vertices[k][:, None] + np.einsum("tm,mva->vta", w, surface.shifts[:, k])
    at = np.minimum(picked, track.position.shape[1] - 1)
    R = rotation_matrix(track.rotation[-1, at])
    return np.asarray(track.position[-1, at] + np.einsum("tab,vtb->vta", R, local))


def _ball_around(s: Solid, meshes: Mapping[str, Mesh]) -> tuple[Array, float]:
    """A ball with a solid in it: its middle in the solid's own axes, its radius."""
    scale = np.array(scale_of(s))
    if s.kind == "mesh":
        corners = meshes[s.mesh].vertices * scale
        low, high = corners.min(axis=0), corners.max(axis=0)
        return (low + high) / 2, float(np.linalg.norm(high - low)) / 2
    half = np.array([s.size[0] + s.size[1]] * 2 + [s.size[1]]) if s.kind == "torus" else scale
    if s.kind == "box":
        half = scale / 2
    elif s.kind in ("cylinder", "cone"):
        half = scale * np.array([1.0, 1.0, 0.5])
    middle = np.array([0.0, 0.0, half[2]]) if s.kind == "cone" else np.zeros(3)
    if s.kind in ("sphere", "torus"):
        return middle, float(half.max())
    return middle, float(np.linalg.norm(half if s.kind == "box" else half[1:]))


def _sample_indices(n: int) -> Array:
    return np.unique(np.linspace(0, n - 1, min(n, SAMPLES)).astype(np.int64))


def _travel(centre: Array) -> float:
    return float(np.linalg.norm(np.ptp(centre, axis=0)))


def _target_and_distances(
    x: Array, radius: Array, target: Array, back: Array, up: Array
) -> tuple[Array, tuple[float, float]]:
    """The target in the middle of the view, and distances of the eye from which all balls are in view.

    A ball of radius ρ at height h above the line of sight and depth d towards the eye is in view from distances of at
    least d + (|h| + ρ / cos(field / 2)) / tan(field / 2).
    """
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    above = np.cross(back, right)
    out = []
    for way in (right, above):
        along = (x - target) @ way
        low, high = (along - radius[None]).min(), (along + radius[None]).max()
        target = target + (low + high) / 2 * way
    for way in (right, above):
        h, d = np.abs((x - target) @ way), (x - target) @ back
        out.append(float((d + (h + radius[None] / math.cos(FIELD_OF_VIEW / 2)) / math.tan(FIELD_OF_VIEW / 2)).max()))
    return target, (1.08 * out[0], 1.08 * out[1])


def _direction(up: Array, normal: Array | None, points: Array) -> Array:
    """Across a plane of motion, a little from the side and above; in space from three quarters, the long side in
    front."""
    if normal is not None and abs(float(normal @ up)) < 0.5:
        front = normal - (normal @ up) * up
        front /= np.linalg.norm(front)
        d = front + 0.35 * np.cross(up, front) + 0.22 * up
        return d / np.linalg.norm(d)
    flat = points - points.mean(axis=0)
    flat = flat - np.outer(flat @ up, up)
    _, s, axes = np.linalg.svd(flat, full_matrices=False)
    if s[0] > 1e-9:
        along = axes[0] * np.sign(axes[0][np.argmax(np.abs(axes[0]))])
    else:
        along = np.cross([0.0, 1.0, 0.0] if abs(up[1]) < 0.9 else [0.0, 0.0, 1.0], up)
        along = along * (1 if along.sum() >= 0 else -1)
    along = along / np.linalg.norm(along)
    d = np.cross(along, up) + 0.55 * along + 0.42 * up
    return d / np.linalg.norm(d)


def _lowest(seen: Seen, up: Array) -> float:
    """How far down solids and surfaces reach at any time: the least of x · up over their points."""
    moves, out = {t.name: t for t in seen.tracks}, [0.0]
    for surface in seen.surfaces:
        t = moves[surface.frame]
        picked = _sample_indices(max(t.position.shape[1], surface.weights.shape[1]))
        out.append(float((_corners(surface, t, picked) @ up).min()))
    for s in seen.solids:
        if s.frame == GROUND:
            r, R = np.zeros((1, 3)), np.eye(3)[None]
        else:
            t = moves[s.frame]
            k = _sample_indices(t.position.shape[1])
            r, R = t.position[-1, k], rotation_matrix(t.rotation[-1, k])
        ups = np.einsum("nji,j->ni", R, up)  # up, in the frame
        heights = r @ up + ups @ np.array(s.position)
        out.append(float((heights - _reach(s, seen.meshes, ups @ rotation_matrix(s.rotation))).min()))
    return min(out)


def _reach(s: Solid, meshes: Mapping[str, Mesh], ups: Array) -> Array:
    """How far a solid extends downwards from its position, for directions of up in its own axes (n, 3)."""
    scale = np.array(scale_of(s))
    if s.kind == "mesh":
        return np.asarray((-(meshes[s.mesh].vertices * scale) @ ups.T).max(axis=0))
    if s.kind == "box":
        return np.abs(ups) @ scale / 2
    if s.kind == "sphere":
        return np.asarray(np.linalg.norm(ups * scale, axis=1))
    across, along = np.hypot(ups[:, 0], ups[:, 1]), ups[:, 2]
    if s.kind == "torus":
        return across * s.size[0] + s.size[1]
    if s.kind == "cone":
        return np.maximum(across * s.size[0], -along * s.size[1])
    return across * s.size[0] + np.abs(along) * s.size[1] / 2


def _floor(up: Array, lowest: float, finder: SkeletonFinder) -> Floor:
    """At the height of contacts; at the ground's origin if nothing is below it; else below everything."""
    size = finder.size
    wheels = finder.contact_height(up)
    if wheels is not None:
        height = wheels
    elif lowest > -0.03 * size:
        height = min(lowest, 0.0)
    else:
        height = lowest - 0.12 * size
    return Floor(height, round_number(size / 5))


def round_number(x: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(x))
    return power * min((1, 2, 5, 10), key=lambda k: abs(math.log(k * power / x)))
