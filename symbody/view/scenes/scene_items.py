"""Items of a scene: immutable data, numbers only.

Every item is fixed to a frame by its name, at a position and a rotation there. Rotations are Euler parameters, scalar
first. Solids of revolution are about their own z. Colours are `#rrggbb`, or the name of a role in `PALETTE`, which has
one for light pages and one for dark ones.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...argument_kinds import answered_class
from ...emit.run.callable import Array
from ...errors import ViewError, hint, shown, unknown
from .colour_names import NAMED

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]

GROUND: Final = "ground"
ORIGIN: Final[Three] = (0.0, 0.0, 0.0)
UPRIGHT: Final[Four] = (1.0, 0.0, 0.0, 0.0)
GROUPS: Final = ("bodies", "joints", "frames", "forces", "traces", "labels")
PALETTE: Final[dict[str, tuple[str, str]]] = {  # role -> on light pages, on dark pages
    "pin": ("#5d6673", "#aeb7c4"),
    "support": ("#8b939e", "#79828e"),
    "tyre": ("#363b44", "#59616d"),
    "string": ("#6b7480", "#98a2af"),
    "spring": ("#7a828d", "#b3bcc8"),
    "x": ("#d6453d", "#ff6b60"),
    "y": ("#2f9e44", "#51cf66"),
    "z": ("#2f6fde", "#5c9dff"),
    "load": ("#e8590c", "#ff922b"),
    "reaction": ("#9c36b5", "#d07be6"),
}
BODY_COLOURS: Final = (
    "#4c7fc0", "#e0913a", "#57a06a", "#c4574f", "#8a6fb8", "#3c9fa8", "#c9769f", "#a08a4a", "#7d8fa3", "#b3703f",
)  # fmt: skip


def colour_text(colour: str) -> str:
    """A colour as `#rrggbb`, or a role; by name or number."""
    known = NAMED.get(colour.lower(), colour)
    if known and known not in PALETTE and not re.fullmatch("#[0-9A-Fa-f]{6}", known):
        raise ViewError(
            f"scene: {shown(colour)} is not a colour; write #rrggbb or the name of a colour of CSS.{hint(colour, NAMED)}"
        )
    return known


SIZES: Final = {
    "box": "edge along x, along y, along z",
    "cylinder": "radius, length",
    "cone": "radius, length",
    "sphere": "radius along x, along y, along z",
    "torus": "radius of the circle, radius of the tube",
    "mesh": "scale along x, along y, along z",
}


@answered_class
@dataclass(frozen=True, slots=True)
class Solid:
    """A solid fixed to a frame.

    kind       size
    box        edges along x, y, z
    cylinder   radius, length; centred
    cone       radius, length; the base at z = 0, the tip at z = length
    sphere     three radii
    torus      radius of the circle, radius of the tube
    mesh       scale along x, y, z of the mesh named `mesh`

    frame                the name of the frame that it is fixed to
    position, rotation   in the frame: a place, and a unit quaternion (w, x, y, z)
    colour, opacity      a name or #rrggbb, and 0 (clear) to 1
    group                by which it is switched on and off: bodies, joints, ...; `name` is shown with it

    >>> wheel = sb.Solid("torus", "", (0.3, 0.02), colour="#222222")
    >>> wheel.kind, wheel.size
    ('torus', (0.3, 0.02))

    See also: `scene`, `box`.
    """

    kind: str
    frame: str
    size: tuple[float, ...]
    position: Three = ORIGIN
    rotation: Four = UPRIGHT
    colour: str = BODY_COLOURS[0]
    group: str = "bodies"
    opacity: float = 1.0
    mesh: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        wanted = SIZES.get(self.kind)
        if wanted is None:
            raise unknown("a solid", "kind", self.kind, SIZES, ViewError)
        if len(self.size) != len(wanted.split(", ")):
            raise ViewError(f"a solid of kind {self.kind!r} has as its size ({wanted}), got {shown(self.size)}")
        object.__setattr__(self, "colour", colour_text(self.colour))


@dataclass(frozen=True, slots=True)
class End:
    """A point of a frame."""

    frame: str
    point: Three


@dataclass(frozen=True, slots=True)
class Span:
    """Something between two points that may move apart: a rod, a string, or a spring that is stretched."""

    kind: str
    start: End
    end: End
    radius: float
    colour: str
    group: str = "bodies"
    name: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """The path of a point."""

    at: End
    colour: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    text: str
    at: End


@dataclass(frozen=True, slots=True, eq=False)
class Arrow:
    """A force or torque along time, in the ground: where it acts and what it is, each of shape (times, 3)."""

    name: str
    kind: str  # force or torque
    colour: str
    at: Array
    vector: Array


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles by their corners: vertices (n, 3), triangles (m, 3) of numbers of vertices, normals (n, 3)."""

    vertices: Array
    normals: Array
    triangles: NDArray[np.int64]


PAINTED_QUANTITIES: Final = ("displacement", "stress")  # quantities by which surfaces can be coloured
COLOUR_RAMP: Final = ("#30306e", "#2a6f9e", "#3aa58f", "#9fcf52", "#fbe04b")  # colours from zero to the largest value


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles on a body that deforms, x = x_0 + Σ w_k s_k in the frame of the body.

    mesh          at rest
    shifts        s_k, (coordinates, vertices, 3)
    weights       w_k along the motion, (levels, times, coordinates)
    coordinates   their names
    paint         the quantity by which it is coloured, of `PAINTED_QUANTITIES`; "" for the colour of the body
    stress        stresses xx, yy, zz, xy, yz, xz for each coordinate, (coordinates, vertices, 6), where that is painted
    largest       value of what is painted, over the motion
    """

    name: str
    frame: str
    colour: str
    mesh: Mesh
    shifts: Array
    weights: Array
    coordinates: tuple[str, ...]
    paint: str = ""
    stress: Array | None = None
    largest: float = 0.0
    group: str = "bodies"


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """The motion of a frame in the ground: position (levels, times, 3), rotation (levels, times, 4); one time where it
    stands still."""

    name: str
    position: Array
    rotation: Array


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """Equal solids that move one by one. The page draws all of them at once; stills and glTF take them as `solids_at` and
    `one_by_one`.

    solid      their kind, size, colour and mesh
    position   (times, solids, 3); one time where they stand still
    rotation   (times, solids, 4), or None for solids that look the same from all sides
    """

    solid: Solid
    position: Array
    rotation: Array | None = None

    def __len__(self) -> int:
        return self.position.shape[1]

    def solids_at(self, k: int, s: float) -> list[Solid]:
        """As solids in the ground, at a share s of the way from time k to the next."""
        i, j = min(k, len(self.position) - 1), min(k + 1, len(self.position) - 1)
        at = (1 - s) * self.position[i] + s * self.position[j]
        turns = np.tile(UPRIGHT, (len(self), 1))
        if self.rotation is not None:
            e, f = self.rotation[i], self.rotation[j]
            turns = (1 - s) * e + s * f * np.where(np.sum(e * f, axis=1, keepdims=True) < 0, -1.0, 1.0)
            turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        return [
            replace(self.solid, frame=GROUND, position=(x[0], x[1], x[2]), rotation=(e[0], e[1], e[2], e[3]))
            for x, e in zip(at.tolist(), turns.tolist(), strict=True)
        ]

    def one_by_one(self) -> tuple[list[Track], list[Solid]]:
        """As a frame for each solid."""
        turns = np.tile(UPRIGHT, (1, len(self), 1)) if self.rotation is None else self.rotation
        names = [f"{self.solid.name}[{i}]" for i in range(len(self))]
        tracks = [Track(n, self.position[None, :, i], turns[None, :, i]) for i, n in enumerate(names)]
        return tracks, [replace(self.solid, frame=n, name=n) for n in names]


@dataclass(frozen=True, slots=True)
class Camera:
    """Where to look at first: the point, and the direction from there to the eye; what is up.

    radius    of a ball around the point with everything in it
    fit       distances from which everything is in view: from side to side (of a square picture), and from top to
              bottom
    follows   whether the point moves along with the mass centre
    """

    target: Three
    direction: Three
    up: Three
    radius: float
    fit: tuple[float, float]
    follows: bool = False


FIELD_OF_VIEW: Final = math.radians(32)  # vertical field of view


@dataclass(frozen=True, slots=True)
class Floor:
    """A plane with a grid below the mechanism: normal `up`, at this height along it."""

    height: float
    spacing: float
