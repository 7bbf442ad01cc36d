"""Bodies and joints of OpenSim's files, as frames moved by coordinates.

A joint ties a frame F of the parent to a frame M of the child, each at a constant place on its body (PhysicalOffsetFrame,
angles about x, y, z that turn along). A CustomJoint has three turns one after another about axes of its own, and a
translation along axes of F, each a function of one coordinate:

    R_FM = R(a₁, f₁) R(a₂, f₂) R(a₃, f₃),     p_FM = f₄ a₄ + f₅ a₅ + f₆ a₆
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import symbody as sb

from ...errors import in_number, listed, unknown
from ...escaping import identifier
from ..robot.link_frames import ZERO
from ..robot.xml_tree import XmlElement
from .osim_file import OsimFile, label
from .osim_functions import function_of

GROUND: Final = "ground"
TURNS: Final = {  # axes of turns, axes of translations, each for one coordinate
    "WeldJoint": ("", ""),
    "PinJoint": ("z", ""),
    "SliderJoint": ("", "x"),
    "UniversalJoint": ("xy", ""),
    "GimbalJoint": ("xyz", ""),
    "BallJoint": ("xyz", ""),
    "FreeJoint": ("xyz", "xyz"),
    "PlanarJoint": ("z", "xy"),
}
SPATIAL: Final = ("rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3")


@dataclass(frozen=True)
class OsimCoordinate:
    """What a file says of a coordinate; `value` is its symbol, a number where it is locked, or a function of another that
    it is coupled to.

    range     smallest and largest value, for information: nothing in the model stops there
    default   value and speed with which the file begins
    is_angle  whether it is an angle, which files of motions may state in degrees
    """

    value: sb.Expr
    joint: str
    range: tuple[float, float]
    default: float
    default_speed: float
    locked: bool
    clamped: bool
    is_angle: bool


@dataclass(frozen=True)
class OffsetFrame:
    """A frame at a constant place on another."""

    parent: str
    translation: tuple[float, float, float]
    orientation: tuple[float, float, float]

    def on(self, frame: sb.Frame, name: str) -> sb.Frame:
        """The frame, where the other is known."""
        if any(self.translation):
            frame = frame.translate(*self.translation, name=name)
        return frame.rotate("xyz", *self.orientation, name=name) if any(self.orientation) else frame

    def under(self, frame: sb.Frame, name: str) -> sb.Frame:
        """The other frame, where this one is known."""
        a, b, c = self.orientation
        if any(self.orientation):
            frame = frame.rotate("zyx", -c, -b, -a, name=name)
        x, y, z = self.translation
        return frame.translate(-x, -y, -z, name=name) if any(self.translation) else frame


@dataclass(frozen=True)
class OsimJoint:
    """A joint, with the offset frames of its two sides."""

    element: XmlElement
    parent: OffsetFrame
    child: OffsetFrame

    @property
    def name(self) -> str:
        return label(self.element)


def joints_of(file: OsimFile) -> list[OsimJoint]:
    found = []
    for e in file.members("JointSet"):
        if e.tag not in (*TURNS, "CustomJoint"):
            raise file.wrong(e, f"this joint is not supported; supported are: CustomJoint, {listed(TURNS)}")
        frames = file.only(e, "frames")
        offsets = {label(f): f for f in (frames.children if frames is not None else ())}
        found.append(OsimJoint(e, *(_offset(file, e, offsets, side) for side in ("parent_frame", "child_frame"))))
    return found


def _offset(file: OsimFile, e: XmlElement, own: Mapping[str, XmlElement], side: str) -> OffsetFrame:
    """The side of a joint, through all the offset frames of the joint that lead to a body."""
    name = file.socket(e, side)
    if name not in own:
        return OffsetFrame(name, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    frame = own[name]
    parent = file.socket(frame, "parent")
    if parent in own:
        raise file.wrong(frame, f"is placed on {parent!r}, another frame of its joint; place it on a body")
    return OffsetFrame(parent, file.three(frame, "translation"), file.three(frame, "orientation"))


def in_tree_order(file: OsimFile, joints: list[OsimJoint], bodies: Mapping[str, XmlElement]) -> list[OsimJoint]:
    """Bodies with parents before children; refused if they do not form a tree."""
    above: dict[str, OsimJoint] = {}
    for j in joints:
        for end in (j.parent.parent, j.child.parent):
            if end not in bodies and end != GROUND:
                raise unknown(f"{file.where}: joint {j.name!r}", "body", end, [*bodies, GROUND])
        if j.child.parent in above:
            raise file.wrong(
                j.element, f"body {j.child.parent!r} is already connected by joint {above[j.child.parent].name!r}; loops of joints are not supported"
            )  # fmt: skip
        above[j.child.parent] = j
    if loose := [b for b in bodies if b not in above]:
        raise file.wrong(bodies[loose[0]], "has no joint; OpenSim treats such a body as free: add a FreeJoint to it")
    order: list[OsimJoint] = []
    placed, waiting = {GROUND}, list(joints)
    while waiting:
        ready = [j for j in waiting if j.parent.parent in placed]
        if not ready:
            raise file.wrong(
                waiting[0].element,
                in_number([j.child.parent for j in waiting], "body {} does", "bodies {} do")
                + " not hang on the ground",
            )
        order += ready
        placed |= {j.child.parent for j in ready}
        waiting = [j for j in waiting if j not in ready]
    return order


def moved_frame(file: OsimFile, j: OsimJoint, frame: sb.Frame, values: Mapping[str, sb.Expr]) -> sb.Frame:
    """M of a joint on its frame F."""
    name = identifier(j.name)
    if j.element.tag == "CustomJoint":
        turns, shift = _spatial_transform(file, j.element, values)
    else:
        turns, shift = _simple(file, j.element, values)
    if any(x is not ZERO for x in shift):
        x, y, z = shift
        frame = frame.translate(x, y, z, name=f"{name}.moved")
    for k, (axis, angle) in enumerate(turns):
        if angle is not ZERO:
            frame = frame.rotate(axis, angle, name=f"{name}.turned{k + 1}")
    return frame


def _simple(
    file: OsimFile, e: XmlElement, values: Mapping[str, sb.Expr]
) -> tuple[list[tuple[object, sb.Expr]], list[sb.Expr]]:
    about, along = TURNS[e.tag]
    names = coordinate_names(file, e)
    if len(names) != len(about) + len(along):
        raise file.wrong(e, f"has {len(about) + len(along)} coordinates, got {listed(names) or 'none'}")
    shift = dict(zip(along, names[len(about) :], strict=True))
    turns: list[tuple[object, sb.Expr]] = [(axis, values[n]) for axis, n in zip(about, names, strict=False)]
    return turns, [values[shift[k]] if k in shift else ZERO for k in "xyz"]


def coordinate_names(file: OsimFile, e: XmlElement) -> list[str]:
    inside = file.only(e, "coordinates")
    return [label(c) for c in (inside.all("Coordinate") if inside is not None else ())]


def _spatial_transform(
    file: OsimFile, e: XmlElement, values: Mapping[str, sb.Expr]
) -> tuple[list[tuple[object, sb.Expr]], list[sb.Expr]]:
    inside = file.only(e, "SpatialTransform")
    axes = {label(a): a for a in (inside.all("TransformAxis") if inside is not None else ())}
    turns: list[tuple[object, sb.Expr]] = []
    shift = [ZERO, ZERO, ZERO]
    for k, which in enumerate(SPATIAL):
        if which not in axes:
            raise file.wrong(e, f"its SpatialTransform has no {which!r}")
        axis, amount = file.three(axes[which], "axis"), _amount(file, e, axes[which], values)
        if not any(axis):
            raise file.wrong(axes[which], "its axis is zero")
        if k < 3:
            turns.append((_plain(axis), amount))
        else:
            size = sum(x * x for x in axis) ** 0.5
            shift = [s if x == 0 else s + (sb.algebra.as_expr(x / size) if size != 1 else sb.algebra.as_expr(x)) * amount for s, x in zip(shift, axis, strict=True)]  # fmt: skip
    return turns, shift


def angles_of(file: OsimFile, e: XmlElement) -> set[str]:
    """Coordinates of a joint that are angles: the first one or more of a simple joint; those of a CustomJoint of which
    an angle is a linear function, as in OpenSim."""
    if e.tag != "CustomJoint":
        return set(coordinate_names(file, e)[: len(TURNS[e.tag][0])])
    found: set[str] = set()
    inside = file.only(e, "SpatialTransform")
    for axis in inside.all("TransformAxis") if inside is not None else ():
        linear = any(True for c in (axis, *axis.all("function")) for _ in c.all("LinearFunction"))
        if label(axis) in SPATIAL[:3] and linear:
            found |= set(file.text(axis, "coordinates", "").split())
    return found


def _plain(axis: tuple[float, float, float]) -> object:
    """ "x", "y" or "z" for an axis of the frame; other axes unchanged."""
    return {(1.0, 0.0, 0.0): "x", (0.0, 1.0, 0.0): "y", (0.0, 0.0, 1.0): "z"}.get(axis, axis)


def _amount(file: OsimFile, joint: XmlElement, axis: XmlElement, values: Mapping[str, sb.Expr]) -> sb.Expr:
    names = file.text(axis, "coordinates", "").split()
    functions = [c for c in axis.children if c.tag not in ("coordinates", "axis")]
    if len(functions) == 1 and functions[0].tag == "function":
        functions = functions[0].children
    if len(functions) != 1 or len(names) > 1:
        raise file.wrong(axis, f"joint {label(joint)!r}: one function of one coordinate is read, got {len(functions)} of {listed(names) or 'none'}")  # fmt: skip
    if names and names[0] not in values:
        raise unknown(f"{file.where}: joint {label(joint)!r}, {label(axis)}", "coordinate", names[0], values)
    law = function_of(file, functions[0], identifier(f"{label(joint)}_{label(axis)}"))
    return law(values[names[0]] if names else ZERO)
