"""Shapes of the model, convex meshes and points as `PileSolid`: numbers in principal axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import scipy  # loads its parts when they are used

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import Expr
from ...bodies.mass.mass import Shape
from ...emit.run.callable import Array
from ...errors import ModelError, SymbodyError, listed, shown
from ...integrate.piles.pile_records import BALL, CLUMP, DRUM, HULL, MOST_CORNERS, MOST_FACES
from ...integrate.piles.pile_solids import PileSolid

CELLS: Final = 96  # along each side of the box around overlapping balls: moments to 1e-3
MOST_COMPARED: Final = 3000  # corners of triangles that are all compared with each other
HOLLOW: Final = 1e-6  # of the volume of its hull that a mesh with more may leave empty
FLAT: Final = 1e-7  # corners within this fraction of the size are on the plane of a face
BOX_FACES: Final = ((2, -1.0), (1, -1.0), (0, 1.0), (0, -1.0), (1, 1.0), (2, 1.0))  # as `_hull` finds them
AXES: Final = {"x": 0, "y": 1, "z": 2}


class EqualSolids:
    """Solids of many shapes, once for equal ones. (Meshes are compared by their sizes alone, and are not among them.)

    sides   cylinders are prisms with so many
    """

    def __init__(self, sides: int | None) -> None:
        self.sides = sides
        self.known: dict[Shape, PileSolid] = {}

    def of(self, where: str, shape: Any) -> PileSolid:
        if not isinstance(shape, Shape) or shape.surface is not None:
            return solid_of(where, shape, None)
        if shape not in self.known:
            self.known[shape] = solid_of(where, shape, self.sides if shape.kind == "cylinder" else None)
        return self.known[shape]


def solid_of(where: str, shape: Any, sides: int | None) -> PileSolid:
    """The numbers of a shape, or of the convex hull of points; sides: a cylinder is a prism with so many."""
    if sides is not None and (not isinstance(shape, Shape) or shape.kind != "cylinder"):
        raise ModelError(
            f"{where}: sides = {shown(sides)} is for a cylinder, which becomes a prism; got {shown(shape)}"
        )
    if not isinstance(shape, Shape):
        return _solid_of_points(where, shape)
    size, centre, gyration = _numbers(where, shape)
    content = _number(where, shape.content)
    values, turn = np.linalg.eigh(gyration) if shape.surface is not None else (np.diag(gyration), np.eye(3))
    if np.linalg.det(turn) < 0:
        turn = -turn
    common: dict[str, Any] = {"content": content, "gyration": values, "turn": turn, "centre": centre}
    if shape.kind == "sphere":
        return PileSolid(BALL, radius=size[0], **common)
    if shape.kind == "cylinder":
        axis = np.eye(3)[AXES[shape.axis]]
        if sides is None:
            return PileSolid(DRUM, radius=size[0], half=size[1] / 2, axis=axis, **common)
        return PileSolid(HULL, **common, **_hull(where, _prism(size[0], size[1], axis, _sides(where, sides))))
    if shape.kind == "box":
        half = np.array(size) / 2
        corners = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * half
        planes = np.array([np.append(sign * np.eye(3)[k], half[k]) for k, sign in BOX_FACES])
        return PileSolid(HULL, **common, **_polyhedron(corners, planes))
    if shape.surface is not None:
        corners = (np.array(shape.surface).reshape(-1, 3) - centre) @ turn
        _check_convex(where, corners, content)
        return PileSolid(HULL, **common, **_hull(where, corners))
    raise ModelError(
        f"{where}: a {shape.kind} has no surface for a pile; take sb.sphere, sb.box, sb.cylinder, a convex solid of sb.read_solids, "
        "or the corners of a convex body as an array"
    )


def _numbers(where: str, shape: Shape) -> tuple[list[float], Array, Array]:
    centre = np.array([_number(where, e) for e in shape.centre.entries])
    gyration = np.array([_number(where, e) for e in shape.gyration.entries]).reshape(3, 3)
    return [_number(where, e) for e in shape.size], centre, gyration


def _number(where: str, value: Any) -> float:
    if isinstance(value, Expr) and isinstance(value.value, int | float):
        return float(value.value)
    try:
        return float(evaluate(value))
    except (SymbodyError, TypeError, ValueError) as error:
        raise ModelError(f"{where}: a shape in a pile has sizes in numbers, got {shown(value)}") from error


def prism_advice(is_carried: bool) -> str:
    """What to write for a cylinder, which a mechanism carries or not, where it has no gap to another shape."""
    return f"With sides=24 in {'mechanism' if is_carried else 'many'}(...) it is a prism"


def _sides(where: str, sides: Any) -> int:
    if not isinstance(sides, int | np.integer) or not 3 <= sides <= MOST_CORNERS // 2:
        raise ModelError(f"{where}: sides = {shown(sides)}: a whole number from 3 to {MOST_CORNERS // 2}")
    return int(sides)


def _prism(radius: float, length: float, axis: Array, sides: int) -> Array:
    """Corners of a prism whose edges are on a cylinder."""
    angle = 2 * np.pi * np.arange(sides) / sides
    across = np.eye(3)[[k for k in range(3) if axis[k] == 0.0]]
    ring = radius * (np.cos(angle)[:, None] * across[0] + np.sin(angle)[:, None] * across[1])
    return np.concatenate([ring - length / 2 * axis, ring + length / 2 * axis])


# ------------------------------------------------------------------------------------------------------- polyhedra


def _solid_of_points(where: str, points: Any) -> PileSolid:
    """The convex hull of points, of uniform density; rows of four are balls."""
    if isinstance(points, Mapping):
        raise ModelError(
            f"{where}: a body in a pile has one shape, got those of {listed(map(repr, points))}; take one of them by its name"
        )
    try:
        given = np.array(points, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"{where}: a body in a pile has a shape, or corners in rows of three, got {shown(points)}"
        ) from error
    if given.ndim == 2 and given.shape[1] == 4:
        return _clump(where, given)
    if given.ndim != 2 or given.shape[1] != 3 or len(given) < 4 or not np.isfinite(given).all():
        raise ModelError(
            f"{where}: corners of a convex body must be at least four rows of three numbers, got {shown(points)}"
        )
    volume, centre, gyration = _moments(where, given)
    values, turn = np.linalg.eigh(gyration)
    if np.linalg.det(turn) < 0:
        turn = -turn
    return PileSolid(
        HULL, content=volume, gyration=values, turn=turn, centre=centre, **_hull(where, (given - centre) @ turn)
    )


def _clump(where: str, balls: Array) -> PileSolid:
    """Balls that are fixed to each other: the solid is their union, of uniform density."""
    centres, radii = balls[:, :3], balls[:, 3]
    if not len(balls) or not np.isfinite(balls).all() or not (radii > 0).all():
        raise ModelError(
            f"{where}: a clump has balls in rows of x, y, z and a positive radius, got {shown(balls.tolist())}"
        )
    _check_size(where, len(balls), MOST_CORNERS, "balls")
    volume, centre, second = _moments_of_union(centres, radii)
    values, turn = np.linalg.eigh(np.trace(second) * np.eye(3) - second)
    if np.linalg.det(turn) < 0:
        turn = -turn
    return PileSolid(
        CLUMP,
        content=volume,
        gyration=values,
        turn=turn,
        centre=centre,
        corners=(centres - centre) @ turn,
        sizes=radii.copy(),
    )


def _moments_of_union(centres: Array, radii: Array) -> tuple[float, Array, Array]:
    """Volume, mass centre and second moments about it for mass one: exact for balls apart, else by the midpoint rule on CELLS³ cells."""
    gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2) - radii[:, None] - radii[None]
    if len(radii) == 1 or gaps[~np.eye(len(radii), dtype=bool)].min() >= 0:
        parts = 4 / 3 * np.pi * radii**3
        volume = float(parts.sum())
        centre = parts @ centres / volume
        second = np.einsum("k,ki,kj->ij", parts, centres - centre, centres - centre) + (parts @ radii**2) / 5 * np.eye(
            3
        )
        return volume, centre, second / volume
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    step = (high - low) / CELLS
    axes = [low[r] + step[r] * (np.arange(CELLS) + 0.5) for r in range(3)]
    inside = np.zeros((CELLS,) * 3, dtype=bool)
    for c, radius in zip(centres, radii, strict=True):
        square = [(x - c[r]) ** 2 for r, x in enumerate(axes)]
        inside |= square[0][:, None, None] + square[1][None, :, None] + square[2][None, None, :] <= radius**2
    places = np.stack([axes[r][k] for r, k in enumerate(np.nonzero(inside))], axis=1)
    centre = places.mean(axis=0)
    return float(inside.sum() * step.prod()), centre, (places - centre).T @ (places - centre) / len(places)


def _qhull(where: str, points: Array) -> Any:
    try:
        return scipy.spatial.ConvexHull(points)
    except scipy.spatial.QhullError as error:
        raise ModelError(f"{where}: the corners are in one plane; a body in a pile has a volume") from error


def _moments(where: str, points: Array) -> tuple[float, Array, Array]:
    """Volume, mass centre and inertia about it for mass one, by tetrahedra from an inner point."""
    hull, inner = _qhull(where, points), points.mean(axis=0)
    T = points[hull.simplices] - inner
    volumes = np.abs(np.linalg.det(T)) / 6
    volume = float(volumes.sum())
    sums = T.sum(axis=1)
    centre = volumes @ sums / 4 / volume
    second = np.einsum("k,kai,kaj->ij", volumes, T, T) + np.einsum("k,ki,kj->ij", volumes, sums, sums)
    second = second / 20 / volume - np.outer(centre, centre)
    return volume, inner + centre, np.trace(second) * np.eye(3) - second


def _check_convex(where: str, triangles: Array, volume: float) -> None:
    """Every corner of a convex surface is below every triangle, seen from outside; one of many triangles fills its hull."""
    corners = np.unique(triangles, axis=0)
    remedy = "divide it into convex parts, or give its corners as an array, whose convex hull is taken"
    if len(triangles) > MOST_COMPARED:
        hull = _qhull(where, corners)
        if volume < (1 - HOLLOW) * hull.volume:
            raise ModelError(
                f"{where}: the mesh is not convex: its volume is {volume:z.6g}, that of its hull {hull.volume:z.6g}; {remedy}"
            )
        return
    size = float(np.abs(corners).max())
    for k in range(0, len(triangles), 3):
        a, b, c = triangles[k : k + 3]
        normal = np.cross(b - a, c - a)
        length = float(np.linalg.norm(normal))
        over = float((corners @ normal).max() - a @ normal) / length if length > 0.0 else 0.0
        if over > 1e-6 * size:
            raise ModelError(
                f"{where}: the mesh is not convex: a corner is {over:z.3g} above triangle {k // 3}; {remedy}"
            )


def _hull(where: str, points: Array) -> dict[str, Any]:
    """Corners, faces, planes and edges of the convex hull of points; triangles of one plane are one face."""
    hull = _qhull(where, points)
    size = float(np.abs(points).max())
    planes: list[Array] = []
    for e in hull.equations:
        if not any(np.abs(p[:3] - e[:3]).max() < FLAT and abs(p[3] + e[3]) < FLAT * size for p in planes):
            planes.append(np.append(e[:3], -e[3]))
            _check_size(where, len(planes), MOST_FACES, "faces")
    corners = points[hull.vertices]
    _check_size(where, len(corners), MOST_CORNERS, "corners")
    return _polyhedron(corners, np.array(planes))


def _polyhedron(corners: Array, planes: Array) -> dict[str, Any]:
    """Faces and edges of a convex body from its corners and the planes of its faces."""
    faces = tuple(_loop(p, corners, FLAT * float(np.abs(corners).max())) for p in planes)
    return {"corners": corners, "faces": faces, "planes": planes, "edges": _edges(faces, planes, corners)}


def _check_size(where: str, count: int, most: int, what: str) -> None:
    if count > most:
        raise ModelError(f"{where}: a hull with more than {most} {what}; take a coarser mesh")


def _loop(plane: Array, corners: Array, near: float) -> tuple[int, ...]:
    """The corners on a plane, in the order in which they are seen from outside."""
    on = np.flatnonzero(np.abs(corners @ plane[:3] - plane[3]) <= 10 * near)
    middle, n = corners[on].mean(axis=0), plane[:3]
    first = corners[on[0]] - middle
    second = np.cross(n, first)
    angle = np.arctan2((corners[on] - middle) @ second, (corners[on] - middle) @ first * np.linalg.norm(n))
    return tuple(int(k) for k in on[np.argsort(angle)])


def _edges(faces: tuple[tuple[int, ...], ...], planes: Array, corners: Array) -> tuple[tuple[int, int, int, int], ...]:
    """Two corners and two faces of each edge; from the first corner to the second is along the product of the normals."""
    beside: dict[tuple[int, int], list[int]] = {}
    for f, loop in enumerate(faces):
        for a, b in zip(loop, (*loop[1:], loop[0]), strict=True):
            beside.setdefault((min(a, b), max(a, b)), []).append(f)
    out = []
    for (a, b), found in beside.items():
        if len(found) == 2:
            one, two = found
            is_along = np.cross(planes[one][:3], planes[two][:3]) @ (corners[b] - corners[a]) > 0
            out.append((a, b, one, two) if is_along else (a, b, two, one))
    return tuple(out)
