"""Models of OpenSim's files in other sizes: `scale_osim`.

Every body has three factors s along its axes. Points of a body, and the places of frames, wrap objects, contact spheres
and markers on it, are multiplied by them; translations of a CustomJoint by those of its parent, along their axis a by
Σ aₖ² sₖ; radii of wrap objects by the mean stretch of their axes. Inertias of a body of mass m are

    I s²        where all three factors are s,
    those of the cylinder that has the smallest moment about its axis and another one across it, stretched, elsewhere

and optimal fibre and tendon slack lengths are multiplied by the ratio of the lengths of the path in the default pose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

import symbody as sb

from ...argument_kinds import answered, checked_flags
from ...errors import ModelError, shown, unknown
from ...given_files import reading
from ..robot.xml_tree import XmlElement
from .osim_file import OsimFile, label, read_osim_file
from .osim_joints import GROUND, SPATIAL
from .osim_text import element, leaf, xml_text
from .read_osim import read_osim

Factors = tuple[float, float, float]
ONE: Final = (1.0, 1.0, 1.0)
EQUAL: Final = 1e-9
ROUND: Final = {"WrapCylinder": ("radius", 2), "WrapSphere": ("radius", 3), "WrapTorus": ("inner_radius", 2)}


@reading("scale_osim: a model cannot be made from the numbers in the file")
@answered
@checked_flags(ModelError)
def scale_osim(
    source: Any, factors: Mapping[str, Any], *, mass: float | None = None, keep_distribution: bool = True
) -> str:
    """The text of an OpenSim file for a person of other sizes, for `read_osim` or a file.

    factors             of bodies: a number, or three along the axes of the body; bodies that are not named keep their size
    mass                of the whole body [kg]; None: masses stay
    keep_distribution   True: masses of all bodies are multiplied alike; False: by their volumes too

    >>> from symbody.kits.biomechanics.foot_contact import BALL
    >>> m = sb.read_osim(sb.formats.scale_osim(BALL, {"ball": (1.0, 2.0, 1.0)}, mass=3.0))
    >>> m.bodies["ball"].mass.m, m.contacts_of_file["ball"].radius
    (3, 0.1)

    See also: `read_osim`, `kits.biomechanics.Subject`.
    """
    file = read_osim_file(source)
    bodies = {label(e): e for e in file.members("BodySet")}
    sizes = {name: _factors(name, x, bodies) for name, x in factors.items()}
    before = read_osim(xml_text(_document(file)))
    for e, owner in _places(file):
        _multiply(file, e, owner, sizes.get(owner, ONE))
    for e in file.members("JointSet"):
        _joint(file, e, sizes)
    _masses(file, bodies, sizes, mass, keep_distribution)
    after = read_osim(xml_text(_document(file)))
    _muscles(file, before, after)
    return xml_text(_document(file))


def _factors(name: str, given: Any, bodies: Mapping[str, XmlElement]) -> Factors:
    if name not in bodies:
        raise unknown("scale_osim: factors=", "body", name, bodies)
    values = [given] * 3 if isinstance(given, (int, float)) else list(given)
    if len(values) != 3 or not all(isinstance(x, (int, float, np.floating)) and 0 < x < np.inf for x in values):
        raise ModelError(f"scale_osim: factors of body {name!r} must be one or three positive numbers, got {shown(given)}")  # fmt: skip
    x, y, z = (float(v) for v in values)
    return x, y, z


def _document(file: OsimFile) -> XmlElement:
    root = element("OpenSimDocument", "", file.model)
    root.attributes["Version"] = "40500"
    return root


# ------------------------------------------------------------------------------------------------ places


def _places(file: OsimFile) -> Iterator[tuple[XmlElement, str]]:
    """Elements with a place on a body, and the name of the body."""
    carriers = [*((label(e), e) for e in file.members("BodySet")), *((GROUND, e) for e in file.model.all("Ground"))]
    for name, body in carriers:
        yield from ((w, name) for s in body.all("WrapObjectSet") for o in s.all("objects") for w in o.children)
    for e in file.members("JointSet"):
        for f in (f for frames in e.all("frames") for f in frames.children):
            yield f, file.socket(f, "parent")
    for owner, which in (("MarkerSet", "parent_frame"), ("ContactGeometrySet", "frame")):
        yield from ((e, file.socket(e, which)) for e in file.members(owner))
    for force in file.members("ForceSet"):
        for path in force.all("GeometryPath"):
            points = [p for s in path.all("PathPointSet") for o in s.all("objects") for p in o.children]
            yield from ((p, file.socket(p, "parent_frame")) for p in points)


def _multiply(file: OsimFile, e: XmlElement, owner: str, s: Factors) -> None:
    if s == ONE:
        return
    for tag in ("translation", "location"):
        if (found := file.only(e, tag)) is not None:
            found.text = leaf("", [a * b for a, b in zip(file.three(e, tag), s, strict=True)]).text
    for k, axis in enumerate("xyz"):
        if (law := file.only(e, f"{axis}_location")) is not None and law.children:
            law.children = [_scaled_function(law.children[0], s[k])]
    if e.tag in (*ROUND, "WrapEllipsoid"):
        _radii(file, e, s)


def _radii(file: OsimFile, e: XmlElement, s: Factors) -> None:
    turned = sb.Model("wrap").ground.rotate("xyz", *file.three(e, "xyz_body_rotation"))
    R = np.array(sb.evaluate(turned.path[0].dcm(turned)), dtype=float).reshape(3, 3)
    stretch = np.linalg.norm(R * np.array(s)[:, None], axis=0)
    if e.tag == "WrapEllipsoid":
        _multiply_numbers(file, e, "dimensions", stretch)
        return
    tag, count = ROUND[e.tag]
    for name in (tag, "outer_radius") if e.tag == "WrapTorus" else (tag,):
        _multiply_numbers(file, e, name, float(stretch[:count].mean()))
    if e.tag == "WrapCylinder":
        _multiply_numbers(file, e, "length", float(stretch[2]))


def _multiply_numbers(file: OsimFile, e: XmlElement, tag: str, by: Any) -> None:
    if (found := file.only(e, tag)) is not None:
        found.text = leaf("", np.atleast_1d(np.array(file.numbers(e, tag, None)) * by)).text


def _scaled_function(law: XmlElement, by: float) -> XmlElement:
    return element("MultiplierFunction", "", element("function", "", law), leaf("scale", by))


def _joint(file: OsimFile, e: XmlElement, sizes: Mapping[str, Factors]) -> None:
    """Translations of a CustomJoint."""
    frames = {label(f): file.socket(f, "parent") for x in e.all("frames") for f in x.children}
    side = file.socket(e, "parent_frame")
    s = sizes.get(frames.get(side, side), ONE)
    if e.tag != "CustomJoint" or s == ONE:
        return
    for axis in (a for t in e.all("SpatialTransform") for a in t.all("TransformAxis")):
        if label(axis) not in SPATIAL[3:]:
            continue
        a = np.array(file.three(axis, "axis"))
        by = float((a * a) @ np.array(s) / (a @ a))
        inside = next((c for c in axis.children if c.tag == "function"), axis)
        inside.children = [c if c.tag in ("coordinates", "axis") else _scaled_function(c, by) for c in inside.children]


# ------------------------------------------------------------------------------------------------ masses and muscles


def _masses(
    file: OsimFile, bodies: Mapping[str, XmlElement], sizes: Mapping[str, Factors], total: float | None, keep: bool
) -> None:
    old = {n: file.number(e, "mass") for n, e in bodies.items()}
    share = {n: m * (1.0 if keep else float(np.prod(sizes.get(n, ONE)))) for n, m in old.items()}
    if total is not None and not 0 < total < np.inf:
        raise ModelError(f"scale_osim: mass= must be positive, got {shown(total)}")
    by = 1.0 if total is None else total / sum(share.values())
    for name, e in bodies.items():
        s = sizes.get(name, ONE)
        if old[name] == 0:
            continue
        new = share[name] * by
        inertia = _inertia(np.array(file.numbers(e, "inertia", 6)), old[name], new, s)
        _multiply_numbers(file, e, "mass_center", np.array(s))
        for tag, values in (("mass", [new]), ("inertia", inertia)):
            next(e.all(tag)).text = leaf("", values).text


def _inertia(I: Any, old: float, new: float, s: Factors) -> Any:
    if max(s) - min(s) < EQUAL:
        return I * (new / old) * s[0] ** 2
    axis = int(np.argmin(I[:3]))
    across = 1 if axis == 0 else 0
    radius2 = 2 * I[axis] / old
    length2 = max(12 * (I[across] / old - radius2 / 4), 0.0)
    others = [s[k] for k in range(3) if k != axis]
    radius2, length2 = radius2 * others[0] * others[1], length2 * s[axis] ** 2
    out = np.full(3, new * (length2 / 12 + radius2 / 4))
    out[axis] = new * radius2 / 2
    products = I[3:] * (new / old) * np.array([s[0] * s[1], s[0] * s[2], s[1] * s[2]])
    return np.concatenate([out, products])


def _muscles(file: OsimFile, before: Any, after: Any) -> None:
    pose = before.keyframes["default"]
    for e in file.members("ForceSet"):
        name = label(e)
        if name not in before.muscles or name not in after.paths:
            continue
        lengths = [float(sb.evaluate(m.paths[name].length, {m.symbols[q]: x for q, x in pose.items()})) for m in (before, after)]  # fmt: skip
        for tag in ("optimal_fiber_length", "tendon_slack_length"):
            _multiply_numbers(file, e, tag, lengths[1] / lengths[0])
