"""The appearance of bodies: given shapes, or default ones from their joints and inertia.

A body without a shape is drawn as

    a wheel or ball                  if it rolls
    rods to its joints               from its mass centre, or straight between two of them if it lies between; for a
                                     slender body with one joint, to its other end
    the box of the same inertia      unless it is a link; edges a with a² = 6 (I_y + I_z - I_x) / m, and so on
    a small ball                     if the inertia is that of no solid body, or of a particle

A link is a rod alone, with a ball if its mass centre is not in the middle: a body whose mass centre lies between two
joints, and whose box is narrow relative to their distance or has no room between them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...bodies.mass.mass import Shape
from ...bodies.mechanism.mechanism import Body
from ...emit.run.callable import Array
from ...errors import ViewError, shown
from ...formats.robot.robot_text import LinkShape
from ...rotation_arrays import euler_parameters, rotation_matrix
from .poses import four, three, turning_z_to
from .scene_items import BODY_COLOURS, Solid, Three
from .skeleton import Skeleton, Wheel

ROD_RADIUS: Final = 0.012  # radius of rods relative to the mechanism's size
MAX_ROD_RADIUS: Final = 0.07  # largest radius of a rod relative to the body's length
BALL_RADIUS: Final = 0.035  # radius of the heaviest ball relative to the mechanism's size
NARROW_BOX: Final = 0.5  # width of a box, relative to the distance between two joints, below which it is drawn as a rod
# offset of a mass centre from the middle between two joints, relative to their distance, from which it is marked
CENTRE_OFFSET: Final = 0.1
SLENDER_BOX: Final = 0.35  # width of a box relative to its length below which it is drawn as a rod
# distance of a mass centre from the line between two joints, relative to its length, below which it lies on it
NEAR_LINE: Final = 0.12
_AXES: Final[dict[str, Three]] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class BodyInertia:
    """Mass, mass centre and central inertia of a body, as numbers."""

    mass: float
    centre: Three
    tensor: Array

    @property
    def box(self) -> tuple[Array, Array] | None:
        """Edges and axes (columns) of the box with this inertia; None if no body has it."""
        if self.mass <= 0 or not np.any(self.tensor):
            return None
        I, axes = np.linalg.eigh(self.tensor)
        square = 6 * (I.sum() - 2 * I) / self.mass
        if square.min() < -1e-9 * square.max() or I.min() <= 1e-9 * I.max():
            return None
        if np.linalg.det(axes) < 0:
            axes = axes * np.array([1.0, 1.0, -1.0])
        return np.sqrt(np.maximum(square, 0.0)), axes


class Painter:
    """Solids of bodies in their colours."""

    def __init__(self, skeleton: Skeleton, inertias: Mapping[str, BodyInertia], colours: Mapping[str, str]) -> None:
        self.skeleton, self.inertias = skeleton, inertias
        self.colour = {n: colours.get(n, BODY_COLOURS[k % len(BODY_COLOURS)]) for k, n in enumerate(inertias)}
        self.heaviest = max((i.mass for i in inertias.values()), default=0.0)
        lengths = [x for n in inertias if (x := self._length(n)) > 0]
        typical = float(np.median(lengths)) if lengths else skeleton.size
        self.rod = min(ROD_RADIUS * skeleton.size, MAX_ROD_RADIUS * typical)

    def _length(self, name: str) -> float:
        """The longest way between places of a body; twice to the mass centre where one place holds it."""
        held = [np.array(x) for x in self.skeleton.held[name]]
        centre = np.array(self.inertias[name].centre)
        across = [float(np.linalg.norm(a - b)) for k, a in enumerate(held) for b in held[:k]]
        return max([*across, *(2 * float(np.linalg.norm(a - centre)) for a in held if len(held) == 1)], default=0.0)

    # ------------------------------------------------------------------------------------------------ by default

    def body(self, name: str) -> list[Solid]:
        colour, wheel = self.colour[name], self.skeleton.wheels.get(name)
        if wheel is not None:
            return [replace(s, frame=name, name=name) for s in _wheel(wheel, colour)]
        held = [np.array(x) for x in self.skeleton.held[name]]
        end = self._free_end(name, held)
        held += [] if end is None else [end]
        heart = self._mark(name, held) if self._is_link(name, held) else self._heart(name, held)
        return [replace(s, frame=name, colour=colour, name=name) for s in (*self._rods(name, held), *heart)]

    def _free_end(self, name: str, held: Sequence[Array]) -> Array | None:
        """The other end of a slender body that is held at one end: its box is as long as twice the way to its mass
        centre, and narrow."""
        found = self.inertias[name].box
        if found is None or len(held) != 1:
            return None
        edges, axes = found
        way = np.array(self.inertias[name].centre) - held[0]
        length = 2 * float(np.linalg.norm(way))
        is_along = abs(float(axes[:, 0] @ way)) > 0.5 * length * math.cos(NEAR_LINE)
        is_slender = edges[1] < SLENDER_BOX * edges[0] and abs(edges[0] - length) < NEAR_LINE * length
        return held[0] + 2 * way if is_along and is_slender else None

    def _is_link(self, name: str, held: Sequence[Array]) -> bool:
        """Whether a body is drawn as a rod between two joints: its mass centre lies between them, and the box of its
        inertia is narrow relative to their distance, or would have to be shrunk to fit."""
        found, centre = self.inertias[name].box, np.array(self.inertias[name].centre)
        if found is None:
            return False
        edges, axes = found
        if self._fitting(edges, axes, three(centre), held) < 1 and len(held) == 1:
            return True
        if len(held) != 2 or _off_line(centre, held[0], held[1]) > NEAR_LINE:
            return False
        way = held[1] - held[0]
        span = float(np.linalg.norm(way))
        across = edges * np.sqrt(np.maximum(1 - (axes.T @ way / span) ** 2, 0.0))
        return float(across.max()) < NARROW_BOX * span or self._fitting(edges, axes, three(centre), held) < 1

    def _mark(self, name: str, held: Sequence[Array]) -> list[Solid]:
        """A ball at the mass centre of a link, where that is not the middle of it."""
        inertia = self.inertias[name]
        if len(held) == 2:
            way = held[1] - held[0]
            off = np.array(inertia.centre) - (held[0] + held[1]) / 2
            if float(np.linalg.norm(off)) < CENTRE_OFFSET * float(np.linalg.norm(way)):
                return []
        return [self._ball(inertia)]

    def _rods(self, name: str, held: Sequence[Array]) -> list[Solid]:
        inertia = self.inertias[name]
        centre = np.array(inertia.centre)
        if inertia.mass <= 0 and held:
            centre = np.mean(held, axis=0)
        if len(held) == 2 and _off_line(centre, held[0], held[1]) < NEAR_LINE:
            return rod(held[0], held[1], self.rod)
        out = [s for x in held for s in rod(x, centre, self.rod)]
        if len(held) == 2:  # a triangle holds its shape
            out += rod(held[0], held[1], self.rod)
        return out

    def _heart(self, name: str, held: Sequence[Array]) -> list[Solid]:
        """The box of equal inertia, or a ball."""
        inertia = self.inertias[name]
        found = inertia.box
        if found is not None:
            edges, axes = found
            edges = edges * self._fitting(edges, axes, inertia.centre, held)
            thin = edges[2] < 0.3 * edges[1]  # edges come largest first
            round_one = edges[1] > 0.9 * edges[0]
            if thin and not round_one and len(held) > 1 and edges[1] > 0.2 * edges[0]:
                return [self._ball(inertia)]
            edges = np.maximum(edges, 0.8 * self.rod)
            turn = four(euler_parameters(axes))
            if thin and round_one:
                size = (float(edges[0] + edges[1]) / math.sqrt(12.0), float(edges[2]))
                return [Solid("cylinder", "", size, inertia.centre, turn)]
            return [Solid("box", "", three(edges), inertia.centre, turn)]
        if inertia.mass > 0:
            return [self._ball(inertia)]
        return [] if held else [Solid("sphere", "", (self.rod,) * 3, inertia.centre)]

    def _ball(self, inertia: BodyInertia) -> Solid:
        """A ball for a mass, its volume in proportion."""
        r = max(BALL_RADIUS * self.skeleton.size * (inertia.mass / self.heaviest) ** (1 / 3), 1.6 * self.rod)
        return Solid("sphere", "", (r, r, r), inertia.centre)

    def _fitting(self, edges: Array, axes: Array, centre: Three, held: Sequence[Array]) -> float:
        """One if no joint is inside the box (except its middle); otherwise the factor that makes it small relative
        to the joints' distance."""
        inside = [
            depth
            for x in held
            if 0.2
            < (depth := float(np.max(np.abs(axes.T @ (x - np.array(centre))) / np.maximum(edges / 2, 1e-12))))
            < 0.95
        ]
        fits = 0.55 * min(inside, default=1.0) if inside else 1.0
        return min(fits, self.skeleton.size / float(edges.max()))

    # ------------------------------------------------------------------------------------------------ as given

    def shape(self, name: str, shape: Shape, size: Sequence[float], centre: Three) -> list[Solid]:
        """The shape of a body, with the numbers of its size."""
        colour = self.colour[name]
        solids = _solids_of_shape(shape, size, centre, self.rod, self.skeleton.size)
        return [replace(s, frame=name, colour=s.colour or colour, name=name) for s in solids]


def rod(a: Array, b: Array, radius: float) -> list[Solid]:
    """A rod with round ends."""
    way = np.asarray(b) - np.asarray(a)
    length = float(np.linalg.norm(way))
    if length < 1e-9:
        return []
    ends = [Solid("sphere", "", (radius,) * 3, three(x)) for x in (a, b)]
    return [Solid("cylinder", "", (radius, length), three((a + b) / 2), turning_z_to(way)), *ends]


def _off_line(x: Array, a: Array, b: Array) -> float:
    """Distance from the line between two points, as part of its length; infinite beyond its ends."""
    way = b - a
    s = float((x - a) @ way) / float(way @ way)
    if not 0 <= s <= 1:
        return math.inf
    return float(np.linalg.norm(x - a - s * way) / np.linalg.norm(way))


def _wheel(w: Wheel, colour: str) -> list[Solid]:
    if w.axis is None:
        r = w.radius
        turn = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
        bands = [Solid("torus", "", (r, 0.03 * r), w.centre, e, "tyre") for e in ((1.0, 0.0, 0.0, 0.0), turn)]
        return [Solid("sphere", "", (r, r, r), w.centre, colour=colour), *bands]
    tube = 0.11 * w.radius
    return wheel_solids(w.radius - tube, tube, w.centre, w.axis, colour)


def wheel_solids(radius: float, tube: float, centre: Three, axis: Three, colour: str) -> list[Solid]:
    """Tyre, rim, hub and spokes; these show how it turns."""
    turn, axial = turning_z_to(axis), np.array(axis)
    across = np.cross(axial, [1.0, 0, 0] if abs(axial[0]) < 0.9 else [0, 1.0, 0])
    across /= np.linalg.norm(across)
    other = np.cross(axial, across)
    rim = radius - tube
    out = [
        Solid("torus", "", (radius, tube), centre, turn, "tyre"),
        Solid("torus", "", (rim, 0.35 * tube), centre, turn, colour),
        Solid("cylinder", "", (0.9 * tube, 2.4 * tube), centre, turn, colour),
    ]
    for k in range(5):
        a = 2 * math.pi * k / 5
        way = math.cos(a) * across + math.sin(a) * other
        out.append(
            Solid(
                "cylinder", "", (0.22 * tube, rim), three(np.array(centre) + way * rim / 2), turning_z_to(way), colour
            )
        )
    return out


def _solids_of_shape(
    shape: Shape, size: Sequence[float], centre: Three, rod_radius: float, whole: float
) -> list[Solid]:
    """Solids of a shape of `symbody.bodies.mass.mass`; thin ones get a thickness. Without a colour: that of the body."""
    axis = _AXES[shape.axis]
    turn = turning_z_to(axis)
    if shape.kind == "bar":
        way = np.array(axis) * size[0] / 2
        thick = max(rod_radius, min(0.03 * size[0], 0.016 * whole))
        return [replace(s, colour="") for s in rod(np.array(centre) - way, np.array(centre) + way, thick)]
    if shape.kind == "box":
        return [Solid("box", "", three(size), centre, colour="")]
    if shape.kind in ("sphere", "shell"):
        r = size[0]
        return [
            Solid("sphere", "", (r, r, r), centre, colour=""),
            Solid("torus", "", (r, 0.02 * r), centre, colour="pin"),
        ]
    if shape.kind == "torus":
        return [Solid("torus", "", (size[0], size[1]), centre, turn, ""), *_marks(size[0], size[1], centre, axis)]
    length = size[1] if shape.kind == "cylinder" else 0.08 * size[0]
    return [Solid("cylinder", "", (size[0], length), centre, turn, ""), *_marks(size[0], length, centre, axis)]


def _marks(radius: float, length: float, centre: Three, axis: Three) -> list[Solid]:
    """A bar across a disc, which shows how it turns."""
    across = (0.0, 1.0, 0.0) if axis[0] else (1.0, 0.0, 0.0)
    size = [0.0, 0.0, 0.0]
    for k in range(3):
        size[k] = 1.9 * radius if across[k] else 1.04 * length if axis[k] else 0.12 * radius
    return [Solid("box", "", three(size), centre, colour="pin")]


# ---------------------------------------------------------------------------------------------------------- robots


def link_solids(s: LinkShape, colour: str, mesh: str = "") -> list[Solid]:
    """A shape of a robot's link, in its link frame."""
    turn = four(_from_rpy(*s.rpy))
    tint = "#" + "".join(f"{round(255 * min(max(c, 0.0), 1.0)):02x}" for c in s.colour[:3]) if s.colour else colour
    opacity = min(max(s.colour[3], 0.0), 1.0) if s.colour else 1.0
    R, r = rotation_matrix(turn), np.array(s.position)
    return [
        replace(p, position=three(r + R @ np.array(p.position)), rotation=turn, colour=tint, opacity=opacity)
        for p in placed_solids(s.kind, s.size, mesh)
    ]


def placed_solids(kind: str, size: Sequence[float], mesh: str = "") -> list[Solid]:
    """Solids of a kind with these sizes, centred: box, cylinder, capsule, cone, sphere, torus, mesh."""
    if kind == "sphere":
        return [Solid("sphere", "", (size[0],) * 3)]
    if kind == "capsule":
        ends = [Solid("sphere", "", (size[0],) * 3, (0.0, 0.0, side * size[1] / 2)) for side in (-1, 1)]
        return [Solid("cylinder", "", tuple(size)), *ends]
    if kind == "cone":
        return [Solid("cone", "", tuple(size), (0.0, 0.0, -size[1] / 2))]
    if kind == "mesh":
        scale = tuple(size) if len(size) == 3 else (size[0] if size else 1.0,) * 3
        return [Solid("mesh", "", scale, mesh=mesh)]
    return [Solid(kind, "", tuple(size))]


def _from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Euler parameters of Rz(yaw) Ry(pitch) Rx(roll)."""
    (a, x), (b, y), (c, z) = ((math.cos(v / 2), math.sin(v / 2)) for v in (roll, pitch, yaw))
    return np.array([a * b * c + x * y * z, x * b * c - a * y * z, a * y * c + x * b * z, a * b * z - x * y * c])


def checked_shapes(name: str, given: Any) -> list[Shape | Solid]:
    """Shapes given for a body, one or several, validated."""
    several = list(given) if isinstance(given, (list, tuple)) else [given]
    for s in several:
        if not isinstance(s, (Shape, Solid)):
            raise ViewError(
                f"scene: shapes[{name!r}] must be shapes such as box(0.1, 0.2, 0.3) or solids, got {shown(s)}"
            )
    return several


def appearance_expressions(body: Body) -> tuple[Any, ...]:
    """Expressions that determine the appearance of a body: mass, inertia, size and centre of its shape."""
    shape, mass = body.shape, body.mass_at_rest
    return (mass.m, *mass.I_BBcm.entries, *((*shape.size, *shape.centre.entries) if shape else ()))
