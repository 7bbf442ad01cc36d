"""Contact of spheres with half-spaces in OpenSim's files: HuntCrossleyForce, as numbers of which
`kits.biomechanics.add_contacts` makes forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import symbody as sb

from ...errors import unknown
from ...escaping import identifier
from ..robot.robot import same_multiple
from ..robot.xml_tree import XmlElement
from .osim_file import OsimFile, label

PARAMETERS = "HuntCrossleyForce::ContactParameters"


@dataclass(frozen=True)
class OsimContact:
    """A sphere on a half-space: the body and centre of the sphere and its radius [m], the body and frame of the plane,
    whose x axis points into it; stiffness [Pa] of both, dissipation [s/m], coefficients of static, dynamic and viscous
    [s/m] friction, and the speed of the transition [m/s]."""

    name: str
    body: str
    centre: sb.Point
    radius: float
    ground_body: str
    plane: sb.Frame
    stiffness: float
    dissipation: float
    static_friction: float
    dynamic_friction: float
    viscous_friction: float
    transition_speed: float


@dataclass(frozen=True)
class ContactShape:
    body: str
    frame: sb.Frame
    radius: float | None


def contacts_of(file: OsimFile, frames: Mapping[str, sb.Frame]) -> dict[str, OsimContact]:
    """Every sphere with every half-space of a force, by the name of the sphere, or of force and sphere where it has
    several."""
    shapes = dict(_shape(file, e, frames) for e in file.members("ContactGeometrySet") if e.tag in ("ContactSphere", "ContactHalfSpace"))  # fmt: skip
    found: dict[str, OsimContact] = {}
    for e in file.members("ForceSet"):
        if e.tag != "HuntCrossleyForce" or not file.is_true(e, "appliesForce", "true"):
            continue
        speed = file.number(e, "transition_velocity", 0.01)
        rows = [p for s in e.children if s.tag.endswith("ContactParametersSet") for o in s.all("objects") for p in o.children]  # fmt: skip
        sides = [(n, p) for p in rows for n in _names(file, e, p, shapes)]
        for n, p in sides:
            for other, q in sides:
                if shapes[n].radius is not None and shapes[other].radius is None:
                    name = n if n not in found else f"{label(e)}_{n}"
                    found[name] = _contact(file, name, shapes[n], p, shapes[other], q, speed)
    return found


def _shape(file: OsimFile, e: XmlElement, frames: Mapping[str, sb.Frame]) -> tuple[str, ContactShape]:
    body = file.socket(e, "frame")
    if body not in frames:
        raise unknown(f"{file.where}: {e.tag} {label(e)!r}", "body", body, frames)
    name = identifier(label(e))
    at = frames[body].translate(*file.three(e, "location"), name=name)
    angles = [sb.pi * k if (k := same_multiple(a)) is not None else a for a in file.three(e, "orientation")]
    turned = at.rotate("xyz", *angles, name=name)  # exact zeros across the plane
    return label(e), ContactShape(body, turned, file.number(e, "radius") if e.tag == "ContactSphere" else None)


def _names(file: OsimFile, e: XmlElement, p: XmlElement, shapes: Mapping[str, ContactShape]) -> list[str]:
    names = [n.rpartition("/")[2] for n in file.text(p, "geometry").split()]
    for n in names:
        if n not in shapes:
            raise unknown(f"{file.where}: HuntCrossleyForce {label(e)!r}", "contact geometry", n, shapes)
    return names


def _contact(
    file: OsimFile, name: str, sphere: ContactShape, p: XmlElement, plane: ContactShape, q: XmlElement, speed: float
) -> OsimContact:
    """With the numbers of both sides put together as OpenSim's engine does (K. H. Hunt, F. R. E. Crossley 1975)."""
    k, other = (file.number(x, "stiffness") ** (2 / 3) for x in (p, q))
    share = other / (k + other)
    dissipation = file.number(p, "dissipation") * share + file.number(q, "dissipation") * (1 - share)
    static, dynamic, viscous = (
        _harmonic(file.number(p, t, 0.0), file.number(q, t, 0.0))
        for t in ("static_friction", "dynamic_friction", "viscous_friction")
    )
    return OsimContact(
        name, sphere.body, sphere.frame.origin, sphere.radius or 0.0, plane.body, plane.frame,
        (k * share) ** 1.5, dissipation, static, dynamic, viscous, speed
    )  # fmt: skip


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b else 0.0
