"""Mass properties of the shapes of an MJCF file, in the frame of the shape: size, density -> mass, mass centre, inertia
about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from ...errors import listed, with_article
from ..meshes.solid_moments import UniformSolid
from ..robot.link_frames import ORIGIN, LinkPlacement
from ..robot.robot_numbers import LinkMass, joined_mass, tensor_of
from .mjcf_tree import Attributes


def sphere(r: float) -> UniformSolid:
    v = 4 / 3 * math.pi * r**3
    return UniformSolid(v, ORIGIN, tensor_of(*(0.4 * v * r * r,) * 3))


def box(a: float, b: float, c: float) -> UniformSolid:
    """Half edges."""
    v = 8 * a * b * c
    return UniformSolid(v, ORIGIN, tensor_of(v * (b * b + c * c) / 3, v * (a * a + c * c) / 3, v * (a * a + b * b) / 3))


def ellipsoid(a: float, b: float, c: float) -> UniformSolid:
    """Half axes."""
    v = 4 / 3 * math.pi * a * b * c
    return UniformSolid(v, ORIGIN, tensor_of(v * (b * b + c * c) / 5, v * (a * a + c * c) / 5, v * (a * a + b * b) / 5))


def cylinder(r: float, half: float) -> UniformSolid:
    h = 2 * half
    v = math.pi * r * r * h
    across = v * (3 * r * r + h * h) / 12
    return UniformSolid(v, ORIGIN, tensor_of(across, across, v * r * r / 2))


def capsule(r: float, half: float) -> UniformSolid:
    """A cylinder with two half spheres, whose mass centres are 3/8 r beyond its ends."""
    h, middle, ends = 2 * half, cylinder(r, half), sphere(r)
    along = ends.inertia[2][2]
    across = along + ends.volume * h * (3 * r + 2 * h) / 8
    return UniformSolid(
        middle.volume + ends.volume,
        ORIGIN,
        tensor_of(middle.inertia[0][0] + across, middle.inertia[1][1] + across, middle.inertia[2][2] + along),
    )


SHAPES: Final[dict[str, tuple[int, Callable[..., UniformSolid]]]] = {  # numbers in size, and the solid
    "sphere": (1, sphere),
    "capsule": (2, capsule),
    "cylinder": (2, cylinder),
    "ellipsoid": (3, ellipsoid),
    "box": (3, box),
}


def solid_of(given: Attributes, kind: str, size: Sequence[float]) -> UniformSolid:
    count, make = SHAPES[kind]
    if len(size) < count or min(size[:count], default=0) <= 0:
        raise given.wrong(
            f"{with_article(kind)} needs {count} positive number{'s' * (count > 1)} in size=, got {listed(size) or 'none'}"
        )
    return make(*size[:count])


def mass_of_solid(solid: UniformSolid, given: Attributes, at: LinkPlacement) -> LinkMass | None:
    """With the mass that the element gives, or its density; in the frame of the body, in which the shape is at `at`."""
    mass = given.one("mass") if "mass" in given else given.one("density", 1000.0) * solid.volume
    if mass < 0:
        raise given.wrong(f"its mass is negative: {mass:g}")
    if not mass or not solid.volume:
        return None
    density = mass / solid.volume
    x, y, z = (tuple(density * e for e in row) for row in solid.inertia)
    return LinkMass("", mass, solid.centre, (x, y, z)).placed(at)


def of_body(name: str, parts: Sequence[LinkMass]) -> LinkMass:
    return joined_mass(name, parts)
