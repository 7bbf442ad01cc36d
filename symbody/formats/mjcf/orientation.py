"""Orientations in an MJCF file, and rotations as numbers.

quat        w x y z, of any length
axisangle   x y z, angle
euler       three angles about the axes of `eulerseq`: small letters turn with the body, capitals stay
xyaxes      directions of x and y, the latter made orthogonal
zaxis       direction of z, by the smallest turn
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..robot.link_frames import UNTURNED, Mat, Vec, transpose, turn_matrix, turned_by
from ..robot.rotation_numbers import of_quaternion
from .mjcf_tree import Attributes


@dataclass(frozen=True)
class Compiler:
    """What <compiler> says about numbers of the file."""

    radians: bool
    sequence: str
    limits_from_ranges: bool
    inertia_from_shapes: str  # "auto", "true", "false"
    groups: tuple[float, float]
    least_mass: float
    least_inertia: float
    total_mass: float
    balances: bool
    mesh_folder: str
    strips_paths: bool

    def angle(self, value: float) -> float:
        return value if self.radians else math.radians(value)


def compiler_of(given: Attributes) -> Compiler:
    low, high = given.numbers("inertiagrouprange", (0, 5), 2)
    folder = given.text("meshdir") or given.text("assetdir")
    return Compiler(
        given.one_of("angle", ("radian", "degree"), "degree") == "radian",
        given.text("eulerseq", "xyz"),
        given.is_true("autolimits", True),
        given.one_of("inertiafromgeom", ("auto", "true", "false"), "auto"),
        (low, high),
        given.one("boundmass"),
        given.one("boundinertia"),
        given.one("settotalmass", -1),
        given.is_true("balanceinertia", False),
        folder,
        given.is_true("strippath", False),
    )


def rotation_of(given: Attributes, compiler: Compiler) -> Mat:
    """The orientation of an element."""
    if "quat" in given:
        return from_quaternion(given.numbers("quat", exactly=4), given)
    if "axisangle" in given:
        x, y, z, angle = given.numbers("axisangle", exactly=4)
        size = math.hypot(x, y, z) or 1.0
        half = compiler.angle(angle) / 2
        s = math.sin(half) / size
        return from_quaternion((math.cos(half), s * x, s * y, s * z), given)
    if "euler" in given:
        return _from_euler(given, compiler)
    if "xyaxes" in given:
        return _from_axes(given)
    if "zaxis" in given:
        return smallest_turn(given.three("zaxis"))
    return UNTURNED


def from_quaternion(q: Sequence[float], given: Attributes) -> Mat:
    if not any(q):
        raise given.wrong("its quaternion is zero")
    w, x, y, z = q
    return of_quaternion(w, x, y, z)


def _from_euler(given: Attributes, compiler: Compiler) -> Mat:
    if len(compiler.sequence) != 3 or set(compiler.sequence.lower()) - set("xyz"):
        raise given.wrong(f"eulerseq={compiler.sequence!r} is not three letters among x, y, z")
    R = UNTURNED
    for letter, angle in zip(compiler.sequence, given.three("euler"), strict=True):
        turn = turn_matrix("xyz".index(letter.lower()), compiler.angle(angle))
        R = turned_by(R, turn) if letter.islower() else turned_by(turn, R)
    return R


def _from_axes(given: Attributes) -> Mat:
    *a, bx, by, bz = given.numbers("xyaxes", exactly=6)
    x = _unit(a, given)
    along = sum(p * q for p, q in zip(x, (bx, by, bz), strict=True))
    y = _unit([bx - along * x[0], by - along * x[1], bz - along * x[2]], given)
    return transpose((x, y, cross_product(x, y)))


def _unit(v: Sequence[float], given: Attributes) -> Vec:
    size = math.hypot(*v)
    if not size:
        raise given.wrong("an axis of it is zero")
    return v[0] / size, v[1] / size, v[2] / size


def cross_product(a: Vec, b: Vec) -> Vec:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def smallest_turn(v: Vec) -> Mat:
    """The smallest rotation that takes z to this direction."""
    size = math.hypot(*v)
    if not size:
        return UNTURNED
    x, y, z = v[0] / size, v[1] / size, v[2] / size
    if x == 0 and y == 0:
        return UNTURNED if z > 0 else ((1, 0, 0), (0, -1, 0), (0, 0, -1))
    # Rodrigues' formula with the axis (-y, x, 0), of the length of the sine; 1 / (1 + z) = (1 - z) / sin² keeps its
    # digits near z = -1.
    k = 1 / (1 + z) if z > -0.5 else (1 - z) / (x * x + y * y)
    return (1 - k * x * x, -k * x * y, x), (-k * x * y, 1 - k * y * y, y), (-x, -y, z)
