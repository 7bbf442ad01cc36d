"""glTF 2.0 (.glb, .gltf): the surfaces of a scene, each where its node puts it, in metres, y up.

    place of a node = place of the node around it · (matrix, or translation · rotation · scale)

Khronos, "glTF 2.0 specification"; ISO/IEC 12113:2022.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from array import array
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from ...errors import shown
from ...given_files import beside, file_bytes
from .collada import MOST_NODES, Y_UP
from .surface_triangles import (
    IDENTITY,
    Affine,
    SurfacePart,
    TriangleLimit,
    composed_maps,
    mapped_corners,
    scaling,
    shifting,
    turning_by,
)

_JSON, _BINARY = 0x4E4F534A, 0x004E4942
_COMPONENTS: Final = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}
_FLOAT: Final = 5126
_HARMLESS: Final = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_")  # do not affect shapes
MOST_BYTES: Final = 256 * 2**20


def gltf_parts(file: Path, data: bytes, limit: TriangleLimit, turned: bool) -> list[SurfacePart]:
    """One part for each node with a mesh, by the name of the node. `turned`: so that z points up."""
    document, binary = _chunks(data) if data[:4] == b"glTF" else (data, b"")
    tree = json.loads(document.decode("utf-8"))
    if not isinstance(tree, dict) or not str(_of(tree, "asset", dict).get("version", "")).startswith("2."):
        raise ValueError("it is not glTF 2")
    try:
        return _GltfScene(tree, file.parent, binary, limit).parts(Y_UP if turned else IDENTITY)
    except (KeyError, TypeError, AttributeError, RecursionError) as reason:
        raise ValueError(f"an entry is missing or of another kind: {reason}") from None


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    found: dict[int, bytes] = {}
    start = 12
    while start + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, start)
        found.setdefault(kind, data[start + 8 : start + 8 + length])
        start += 8 + length
    if _JSON not in found:
        raise ValueError("it has no JSON chunk")
    return found[_JSON], found.get(_BINARY, b"")


def _of(tree: Mapping[str, Any], key: str, kind: type) -> Any:
    found = tree.get(key, kind())
    if not isinstance(found, kind):
        raise ValueError(f"{key!r} is not {'an object' if kind is dict else 'a list'}")
    return found


class _GltfScene:
    def __init__(self, tree: Mapping[str, Any], folder: Path, binary: bytes, limit: TriangleLimit) -> None:
        self.tree, self.folder, self.binary, self.limit = tree, folder, binary, limit
        self._buffers: dict[int, bytes] = {}
        self._surfaces: dict[int, array[float]] = {}
        needed = [e for e in _of(tree, "extensionsRequired", list) if not str(e).startswith(_HARMLESS)]
        if needed:
            raise ValueError(f"it needs the extension {needed[0]!r}, which is not read: export it without")

    def parts(self, start: Affine) -> list[SurfacePart]:
        made = []
        for name, place, mesh in self._shown(start):
            if len(corners := self._surface(mesh)):
                self.limit.take(len(corners) / 9)
                made.append(SurfacePart(name, mapped_corners(place, corners)))
        return made

    # ------------------------------------------------------------------------------------------------ nodes

    @cached_property
    def _nodes(self) -> list[Mapping[str, Any]]:
        return list(_of(self.tree, "nodes", list))

    def _shown(self, start: Affine) -> Iterator[tuple[str, Affine, int]]:
        stack = [(k, start) for k in reversed(self._roots())]
        visited = 0
        while stack:
            k, place = stack.pop()
            visited += 1
            if visited > min(MOST_NODES, len(self._nodes)):
                raise ValueError("a node is part of several others, or of itself")
            node = self._nodes[k]
            place = composed_maps(place, _own_place(node))
            if "mesh" in node:
                yield str(node.get("name") or self._mesh(node["mesh"]).get("name") or ""), place, node["mesh"]
            stack += [(c, place) for c in reversed(node.get("children", ()))]

    def _roots(self) -> list[int]:
        scenes = _of(self.tree, "scenes", list)
        if scenes:
            return list(scenes[self.tree.get("scene", 0)].get("nodes", ()))
        inner = {c for n in self._nodes for c in n.get("children", ())}
        return [k for k in range(len(self._nodes)) if k not in inner]

    # ------------------------------------------------------------------------------------------------ surfaces

    def _mesh(self, k: int) -> Mapping[str, Any]:
        found: Mapping[str, Any] = _of(self.tree, "meshes", list)[k]
        return found

    def _surface(self, k: int) -> array[float]:
        if k not in self._surfaces:
            out, kept = array("d"), TriangleLimit(self.limit.most)
            for n, primitive in enumerate(self._mesh(k)["primitives"]):
                mode = primitive.get("mode", 4)
                if mode < 4:  # points and lines
                    continue
                where = f"mesh {k}, primitive {n}"
                points = self._numbers(primitive["attributes"]["POSITION"], 3, where)
                index = self._index(primitive, len(points) // 3, where)
                kept.take(len(index) / 3 if mode == 4 else len(index) - 2)
                for corner in _corners(index, mode):
                    out.extend(points[3 * corner : 3 * corner + 3])
            self._surfaces[k] = out
        return self._surfaces[k]

    def _index(self, primitive: Mapping[str, Any], points: int, where: str) -> list[int]:
        if "indices" not in primitive:
            return list(range(points))
        index = [int(x) for x in self._numbers(primitive["indices"], 1, where)]
        if index and not 0 <= min(index) <= max(index) < points:
            raise ValueError(f"{where} names vertex {max(index)} of {points}")
        return index

    def _numbers(self, k: int, width: int, where: str) -> array[float]:
        accessor = _of(self.tree, "accessors", list)[k]
        kind = accessor["componentType"]
        if "sparse" in accessor or kind not in _COMPONENTS or (width == 3) != (kind == _FLOAT):
            raise ValueError(f"{where}: accessor {k} is sparse or of a kind of number that is not read")
        if accessor["type"] != {1: "SCALAR", 3: "VEC3"}[width]:
            raise ValueError(f"{where}: accessor {k} is of type {accessor['type']!r}")
        view = _of(self.tree, "bufferViews", list)[accessor["bufferView"]]
        row = struct.Struct(f"<{width}{_COMPONENTS[kind]}")
        step, count = view.get("byteStride", row.size), accessor["count"]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        data = self._buffer(view["buffer"])
        if min(start, count) < 0 or step < row.size or (count and start + (count - 1) * step + row.size > len(data)):
            raise ValueError(f"{where}: accessor {k} reaches beyond its buffer")
        out = array("d")
        for place in range(start, start + count * step, step):
            out.extend(row.unpack_from(data, place))
        return out

    def _buffer(self, k: int) -> bytes:
        if k not in self._buffers:
            self._buffers[k] = self._loaded(_of(self.tree, "buffers", list)[k].get("uri"))
        return self._buffers[k]

    def _loaded(self, uri: Any) -> bytes:
        """The chunk of a .glb, data in the file, or a file in the same folder or below it. Nothing else is opened."""
        if uri is None:
            return self.binary
        if str(uri).startswith("data:"):
            try:
                return base64.b64decode(str(uri).partition(",")[2], validate=True)
            except binascii.Error as reason:
                raise ValueError(f"a buffer is not base64: {reason}") from None
        file = beside(self.folder, str(uri))
        if file is None or not file.is_file():
            raise ValueError(f"its buffer {shown(uri)} is not a file in the same folder")
        return file_bytes(file, f"its buffer {shown(uri)}", most=MOST_BYTES)


def _own_place(node: Mapping[str, Any]) -> Affine:
    if "matrix" in node:
        m = [float(x) for x in node["matrix"]]  # by columns
        if len(m) != 16:
            raise ValueError("a matrix does not have sixteen numbers")
        return tuple(m[4 * j + i] for i in range(3) for j in range(4))
    place = IDENTITY
    if "translation" in node:
        place = composed_maps(place, shifting(*map(float, node["translation"])))
    if "rotation" in node:
        place = composed_maps(place, turning_by(*map(float, node["rotation"])))
    if "scale" in node:
        place = composed_maps(place, scaling(*map(float, node["scale"])))
    return place


def _corners(index: list[int], mode: int) -> Iterator[int]:
    """Vertices of triangles, of a list, a strip (5) or a fan (6)."""
    if mode == 4:
        yield from index[: len(index) // 3 * 3]
        return
    for k in range(len(index) - 2):
        if mode == 6:
            yield from (index[0], index[k + 1], index[k + 2])
        else:
            a, b, c = index[k : k + 3]
            yield from (a, b, c) if k % 2 == 0 else (b, a, c)
