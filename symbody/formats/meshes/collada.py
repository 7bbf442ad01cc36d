"""Collada (.dae): the surfaces of a visual scene, each where its node puts it, in metres.

    place of a node = place of the node around it · its transformations, in the order in which they are written

ISO/PAS 17506:2012, "Digital asset schema specification for 3D visualization"; versions 1.4 and 1.5 of the schema are
alike in what is read.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Final

from ..robot.xml_tree import XmlElement, finite_number, parsed_xml
from .surface_triangles import (
    IDENTITY,
    Affine,
    Corner,
    SurfacePart,
    TriangleLimit,
    add_fan,
    composed_maps,
    mapped_corners,
    scaling,
    shifting,
    turning,
)

MOST_NESTING: Final = 256
MOST_NODES: Final = 100_000  # each instance of a node counts: nodes that instance nodes double at every step
Transform = Callable[[Sequence[float]], Affine]
_TRANSFORMS: Final[dict[str, tuple[int, Transform]]] = {  # numbers, and what they say
    "matrix": (16, lambda n: tuple(n[:12])),
    "translate": (3, lambda n: shifting(*n)),
    "rotate": (4, lambda n: turning(n[:3], n[3])),
    "scale": (3, lambda n: scaling(*n)),
}
_UNREAD: Final = ("lookat", "skew")
_TURNS: Final[dict[str, Affine]] = {  # that let z point up
    "X_UP": (0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    "Y_UP": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    "Z_UP": IDENTITY,
}
Y_UP: Final = _TURNS["Y_UP"]


def collada_parts(where: str, data: bytes, limit: TriangleLimit, turned: bool) -> list[SurfacePart]:
    """One part for each surface that a node shows, by the name of the node. `turned`: so that z points up."""
    document = _ColladaDocument(parsed_xml(where, data, MOST_NESTING), limit)
    return document.parts(turned)


class _ColladaDocument:
    def __init__(self, root: XmlElement, limit: TriangleLimit) -> None:
        if root.tag != "COLLADA":
            raise ValueError(f"its root is <{root.tag}>, not <COLLADA>")
        self.root, self.limit = root, limit
        self._surfaces: dict[XmlElement, array[float]] = {}

    def parts(self, turned: bool) -> list[SurfacePart]:
        start = composed_maps(self._up if turned else IDENTITY, self._unit)
        made = []
        for name, place, geometry in self._shown(start):
            if (corners := self._surface(geometry)) and len(corners):
                self.limit.take(len(corners) / 9)
                made.append(SurfacePart(name, mapped_corners(place, corners)))
        return made

    # ------------------------------------------------------------------------------------------------ the document

    @cached_property
    def _ids(self) -> dict[str, XmlElement]:
        found: dict[str, XmlElement] = {}
        stack = [self.root]
        while stack:
            e = stack.pop()
            if name := e.attributes.get("id"):
                found[name] = e
            stack += e.children
        return found

    def _meant(self, e: XmlElement, key: str, tag: str) -> XmlElement:
        """The element of this file that an attribute names. Nothing else is opened."""
        said = e.attributes.get(key, "")
        found = self._ids.get(said.removeprefix("#")) if said.startswith("#") else None
        if found is None or found.tag != tag:
            raise ValueError(f"line {e.line}: <{e.tag} {key}={said!r}> names no <{tag}> of this file")
        return found

    @cached_property
    def _unit(self) -> Affine:
        found = _below(self.root, "asset", "unit")
        metres = finite_number(found.attributes.get("meter", "1")) if found is not None else 1.0
        if metres is None or metres <= 0:
            assert found is not None
            raise ValueError(f"line {found.line}: <unit meter={found.attributes['meter']!r}> is not a positive length")
        return scaling(metres, metres, metres)

    @cached_property
    def _up(self) -> Affine:
        found = _below(self.root, "asset", "up_axis")
        said = "Y_UP" if found is None else found.text.strip()
        if said not in _TURNS:
            raise ValueError(f"<up_axis> is {said!r}; it may be X_UP, Y_UP or Z_UP")
        return _TURNS[said]

    # ------------------------------------------------------------------------------------------------ nodes

    def _shown(self, start: Affine) -> Iterator[tuple[str, Affine, XmlElement]]:
        """Name, place and geometry of each surface, in the order of the scene."""
        roots = self._roots()
        if roots is None:  # no scene: every geometry where it is
            for e in self._library("library_geometries", "geometry"):
                yield _name_of(e), start, e
            return
        stack = [(e, start, ()) for e in reversed(roots)]
        visited = 0
        while stack:
            node, place, through = stack.pop()
            visited += 1
            if visited > MOST_NODES:
                raise ValueError(f"its scene has more than {MOST_NODES} nodes")
            place = composed_maps(place, self._own_place(node))
            for e in node.all("instance_geometry"):
                yield _name_of(node), place, self._meant(e, "url", "geometry")
            for e in node.all("instance_controller"):
                yield _name_of(node), *self._skin(e, place)
            inner: list[tuple[XmlElement, Affine, tuple[XmlElement, ...]]] = []
            for e in node.children:
                if e.tag == "node":
                    inner.append((e, place, through))
                elif e.tag == "instance_node":
                    target = self._meant(e, "url", "node")
                    if target in (*through, node):
                        raise ValueError(
                            f"line {e.line}: <instance_node>: the node {_name_of(target)!r} contains itself"
                        )
                    if len(through) > MOST_NESTING:
                        raise ValueError(f"line {e.line}: nodes are nested more than {MOST_NESTING} deep")
                    inner.append((target, place, (*through, node)))
            stack += reversed(inner)  # type: ignore[arg-type]

    def _roots(self) -> list[XmlElement] | None:
        shown = _below(self.root, "scene", "instance_visual_scene")
        scenes = self._library("library_visual_scenes", "visual_scene")
        if shown is not None:
            return list(self._meant(shown, "url", "visual_scene").all("node"))
        return [n for s in scenes for n in s.all("node")] if scenes else None

    def _library(self, library: str, tag: str) -> list[XmlElement]:
        return [e for found in self.root.all(library) for e in found.all(tag)]

    def _own_place(self, node: XmlElement) -> Affine:
        place = IDENTITY
        for e in node.children:
            if e.tag in _UNREAD:
                raise ValueError(f"line {e.line}: <{e.tag}> in the node {_name_of(node)!r} is not read")
            if e.tag in _TRANSFORMS:
                count, affine = _TRANSFORMS[e.tag]
                place = composed_maps(place, affine(_numbers(e, count)))
        return place

    def _skin(self, instance: XmlElement, place: Affine) -> tuple[Affine, XmlElement]:
        """The surface of a skin as it was bound."""
        controller = self._meant(instance, "url", "controller")
        skin = next(controller.all("skin"), None)
        if skin is None:
            raise ValueError(f"line {controller.line}: <controller> has no <skin>")
        bound = next(skin.all("bind_shape_matrix"), None)
        inner = IDENTITY if bound is None else tuple(_numbers(bound, 16)[:12])
        return composed_maps(place, inner), self._meant(skin, "source", "geometry")

    # ------------------------------------------------------------------------------------------------ surfaces

    def _surface(self, geometry: XmlElement) -> array[float]:
        """Triangles of a geometry, in its own coordinates."""
        if geometry not in self._surfaces:
            out, kept = array("d"), TriangleLimit(self.limit.most)  # shown any number of times, which counts apart
            for mesh in geometry.all("mesh"):
                for e in mesh.children:
                    if e.tag in _FACES:
                        for polygon in self._polygons(e):
                            kept.take(len(polygon) - 2)
                            add_fan(out, polygon)
            self._surfaces[geometry] = out
        return self._surfaces[geometry]

    def _polygons(self, e: XmlElement) -> Iterator[list[Corner]]:
        inputs = {i.attributes.get("semantic"): i for i in e.all("input")}
        if "VERTEX" not in inputs:
            raise ValueError(f"line {e.line}: <{e.tag}> has no <input> for VERTEX")
        points = self._points(self._meant(inputs["VERTEX"], "source", "vertices"))
        stride = 1 + max(_index(i) for i in e.all("input"))
        for faces in _FACES[e.tag](e, stride):
            found = faces[_index(inputs["VERTEX"]) :: stride]
            if found and not (min(found) >= 0 and max(found) < len(points)):
                raise ValueError(f"line {e.line}: <{e.tag}> names vertex {max(found)} of {len(points)}")
            yield [points[k] for k in found]

    def _points(self, vertices: XmlElement) -> list[Corner]:
        given = next((i for i in vertices.all("input") if i.attributes.get("semantic") == "POSITION"), None)
        if given is None:
            raise ValueError(f"line {vertices.line}: <vertices> has no <input> for POSITION")
        source = self._meant(given, "source", "source")
        accessor = _below(source, "technique_common", "accessor")
        if accessor is None:
            raise ValueError(f"line {source.line}: <source> has no <accessor>")
        numbers = _numbers(self._meant(accessor, "source", "float_array"))
        count, offset, stride = (_count(accessor, k, d) for k, d in (("count", None), ("offset", 0), ("stride", 1)))
        named = [k for k, p in enumerate(accessor.all("param")) if p.attributes.get("name")][:3]
        if len(named) < 3 or stride <= named[-1] or offset + (count - 1) * stride + named[-1] >= len(numbers):
            raise ValueError(f"line {accessor.line}: <accessor> requires {count} points, but there are {len(numbers)} numbers")  # fmt: skip
        x, y, z = (numbers[offset + k :: stride] for k in named)
        return list(islice(zip(x, y, z, strict=False), count))


def _triangles(e: XmlElement, stride: int) -> Iterator[list[int]]:
    for p in e.all("p"):
        index = _integers(p)
        if len(index) % (3 * stride):
            raise ValueError(f"line {p.line}: <p> has {len(index)} numbers, not a multiple of {3 * stride}")
        yield from (index[k : k + 3 * stride] for k in range(0, len(index), 3 * stride))


def _polylist(e: XmlElement, stride: int) -> Iterator[list[int]]:
    counts = [n for v in e.all("vcount") for n in _integers(v)]
    index = [n for p in e.all("p") for n in _integers(p)]
    if min(counts, default=3) < 0 or sum(counts) * stride != len(index):
        raise ValueError(f"line {e.line}: <polylist>: <vcount> requires {sum(counts) * stride} numbers in <p>, which has {len(index)}")  # fmt: skip
    start = 0
    for n in counts:
        if n >= 3:
            yield index[start : start + n * stride]
        start += n * stride


def _polygons(e: XmlElement, stride: int) -> Iterator[list[int]]:
    if hole := next(e.all("ph"), None):
        raise ValueError(f"line {hole.line}: <ph>, a polygon with holes, is not read")
    for p in e.all("p"):
        if len(index := _integers(p)) >= 3 * stride:
            yield index


def _strips(e: XmlElement, stride: int) -> Iterator[list[int]]:
    """Each triangle has two corners of the one before it; every second one is the other way round."""
    for p in e.all("p"):
        index = _integers(p)
        corners = [index[k : k + stride] for k in range(0, len(index), stride)]
        for k in range(len(corners) - 2):
            a, b, c = corners[k : k + 3]
            yield [*a, *b, *c] if k % 2 == 0 else [*b, *a, *c]


_FACES: Final[dict[str, Callable[[XmlElement, int], Iterator[list[int]]]]] = {
    "triangles": _triangles,
    "polylist": _polylist,
    "polygons": _polygons,
    "trifans": _polygons,
    "tristrips": _strips,
}


# ------------------------------------------------------------------------------------------------------ its numbers


def _below(e: XmlElement, *tags: str) -> XmlElement | None:
    for tag in tags:
        found = next(e.all(tag), None)
        if found is None:
            return None
        e = found
    return e


def _name_of(e: XmlElement) -> str:
    return e.attributes.get("name") or e.attributes.get("id") or ""


def _numbers(e: XmlElement, count: int | None = None) -> list[float]:
    words = e.text.split()
    if count is not None and len(words) != count:
        raise ValueError(f"line {e.line}: <{e.tag}> has {len(words)} numbers, not {count}")
    try:
        return [float(w) for w in words]
    except ValueError as reason:
        raise ValueError(f"line {e.line}: <{e.tag}>: {reason}") from None


def _integers(e: XmlElement) -> list[int]:
    try:
        return [int(w) for w in e.text.split()]
    except ValueError as reason:
        raise ValueError(f"line {e.line}: <{e.tag}>: {reason}") from None


def _count(e: XmlElement, key: str, default: int | None) -> int:
    said = e.attributes.get(key, "" if default is None else str(default))
    if not said.strip().isdigit() or len(said) > 12 or (key == "stride" and int(said) < 1):
        raise ValueError(f"line {e.line}: <{e.tag} {key}={said!r}> is not a valid count")
    return int(said)


def _index(e: XmlElement) -> int:
    """Of an input among those that share the indices."""
    return _count(e, "offset", 0)
