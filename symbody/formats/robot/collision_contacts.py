"""Contacts of a robot from its file: shapes that collide on a surface such as the ground, and limits of its joints.

A sphere touches as a ball, a capsule as the balls at both ends, a box by its corners, a cylinder by points of both rims, a mesh
by the corners of its convex hull that lie farthest in 26 directions.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import symbody as sb

from ...errors import ModelError, listed, shown, unknown
from ...given_files import file_in_folders
from ...later import later
from .robot_text import JointText, LinkShape, Three

RIM_POINTS: Final = 6  # points of each rim of a cylinder that touch
FRICTION: Final = 0.0  # where neither the call nor the file has a coefficient


def shape_contacts(
    links: Mapping[str, sb.Frame],
    shapes: Mapping[str, Sequence[LinkShape]],
    floor: Any,
    friction: float | None,
    given: Mapping[str, Any],
    across: Any,
    where: str,
    meshes: Mapping[str, str | Path],
) -> list[sb.Contact]:
    """A contact with the floor for each ball or point of the shapes, named by link and shape."""
    out = []
    for link, its in shapes.items():
        for k, shape in enumerate(its):
            label = f"{link}/{shape.name or k + 1}" if len(its) > 1 or shape.name else link
            places = _balls(shape, f"{where}: link {link!r}", meshes)
            mu = friction if friction is not None else FRICTION if shape.friction is None else shape.friction
            for i, (point, radius) in enumerate(places):
                touched = sb.touch(sb.Ball(links[link], radius, at=point), floor, across=across)
                name = label if len(places) == 1 else f"{label} {i + 1}"
                out.append(
                    sb.Contact(name, touched, friction=mu, **given) if mu else sb.Contact(name, touched, **given)
                )
    return out


def chosen_links(
    shapes: Mapping[str, Sequence[LinkShape]], wanted: Iterable[str] | None, fixed: Container[str], where: str
) -> dict[str, Any]:
    """Shapes of the links that are wanted, by default of all that have some and are not fixed to the ground."""
    if wanted is None:
        found = {link: its for link, its in shapes.items() if its and link not in fixed}
    else:
        found = {}
        for link in wanted:
            if link not in shapes:
                raise unknown(where, "link", link, shapes)
            if not shapes[link]:
                raise ModelError(
                    f"{where}: link {link!r} has no shape that collides; sb.Contact and sb.touch make a contact of your own"
                )
            found[link] = shapes[link]
    if not found:
        raise ModelError(
            f"{where}: no link has a shape that collides; sb.Contact and sb.touch make contacts of your own"
        )
    return found


def stop_contacts(
    joints: Mapping[str, JointText],
    symbols: Mapping[str, sb.Symbol],
    given: Mapping[str, Any],
    names: Iterable[str] | None,
    where: str,
) -> list[sb.Contact]:
    """A contact for each limit of the joints, whose gap is the distance from it."""
    limited = {n: j for n, j in joints.items() if n in symbols and (j.limits.lower, j.limits.upper) != (None, None)}
    for n in names or ():
        if n not in limited:
            raise unknown(where, "joint with limits", n, limited)
    out = []
    for name in limited if names is None else names:
        q, limits = symbols[name], limited[name].limits
        if limits.lower is not None:
            out.append(sb.Contact(f"{name} lower", q - limits.lower, **given))
        if limits.upper is not None:
            out.append(sb.Contact(f"{name} upper", limits.upper - q, **given))
    return out


def _hull_points(shape: LinkShape, where: str, meshes: Mapping[str, str | Path]) -> list[Three]:
    """Corners of the hull of a mesh that lie farthest in some direction, each once."""
    file = file_in_folders(shape.file, meshes, ModelError)
    if file is None:
        raise ModelError(
            f"{where}: its mesh {shown(shape.file)} is in no folder of meshes=; meshes={{'package://': folder}} says where files are, "
            "links= leaves the link out"
        )
    flat, (a, b, c) = later("formats.meshes.mesh_file", "triangles")(file, ModelError), shape.scale
    corners = {(a * flat[i], b * flat[i + 1], c * flat[i + 2]) for i in range(0, len(flat), 3)}
    ways = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if (i, j, k) != (0, 0, 0)]
    ordered = sorted(corners)
    far = [max(ordered, key=lambda p, n=n: p[0] * n[0] + p[1] * n[1] + p[2] * n[2]) for n in ways]  # type: ignore[misc]
    return list(dict.fromkeys(far))


def _balls(shape: LinkShape, where: str, meshes: Mapping[str, str | Path]) -> list[tuple[Three, float]]:
    """Centres in the link frame, and radii, of the balls and points by which a shape touches."""
    match shape.kind:
        case "sphere":
            return [(shape.position, shape.size[0])]
        case "capsule":
            radius, length = shape.size
            return [(_place(shape, (0.0, 0.0, s * length / 2)), radius) for s in (-1, 1)]
        case "box":
            half = [e / 2 for e in shape.size]
            signs = [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
            return [(_place(shape, (i * half[0], j * half[1], k * half[2])), 0.0) for i, j, k in signs]
        case "cylinder":
            radius, length = shape.size
            turns = [2 * math.pi * k / RIM_POINTS for k in range(RIM_POINTS)]
            rims = [(radius * math.cos(a), radius * math.sin(a), s * length / 2) for s in (-1, 1) for a in turns]
            return [(_place(shape, p), 0.0) for p in rims]
        case "mesh":
            return [(_place(shape, p), 0.0) for p in _hull_points(shape, where, meshes)]
    known = ("sphere", "capsule", "box", "cylinder", "mesh")
    raise ModelError(
        f"{where}: its shape of kind {shape.kind!r} makes no contact (those of kind {listed(known)} make some); leave the link out of links=, "
        "and add contacts of its points by sb.Contact and sb.touch"
    )


def _place(shape: LinkShape, p: Three) -> Three:
    """A point of the shape in the link frame: position + Rz(yaw) Ry(pitch) Rx(roll) p."""
    x, y, z = p
    roll, pitch, yaw = shape.rpy
    y, z = y * math.cos(roll) - z * math.sin(roll), y * math.sin(roll) + z * math.cos(roll)
    x, z = x * math.cos(pitch) + z * math.sin(pitch), -x * math.sin(pitch) + z * math.cos(pitch)
    x, y = x * math.cos(yaw) - y * math.sin(yaw), x * math.sin(yaw) + y * math.cos(yaw)
    return shape.position[0] + x, shape.position[1] + y, shape.position[2] + z
