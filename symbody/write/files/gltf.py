"""Scenes as binary glTF 2.0 with animation: for Blender, office programs, phones.

What is shown at first is written: solids as meshes on nodes that move with their frames, spans as nodes that turn and
stretch, bodies that deform as meshes with a morph target for each coordinate, whose weights are animated, traces as
lines. Colours of vertices cannot move: where a surface is painted, each has that of its largest value. glTF has y up; a node above all turns the scene so.
"""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...rotation_arrays import rotation_matrix
from ...view.scenes.deformed_surfaces import envelope, normal_shifts, ramp
from ...view.scenes.picture import coil, colour_of, frames_at
from ...view.scenes.poses import continuous_parameters, four, turning_z_to
from ...view.scenes.scene_items import GROUND, Solid, Span, Surface
from ...view.scenes.solids import ratio_of, scale_of, unit_mesh

if TYPE_CHECKING:
    from ...view.scenes.scene import Scene

FLOAT, UINT = 5126, 5125
ARRAY_BUFFER, INDEX_BUFFER = 34962, 34963
LINE_STRIP = 3


def glb(scene: Scene) -> bytes:
    """A .glb file: header, JSON, binary data.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    >>> sb.write.glb(sb.scene(sb.derive(m), theta=0.5))[:4]
    b'glTF'

    See also: `view.Scene`, `scene`.
    """
    made = _GltfWriter(scene)
    text = json.dumps(made.document(), separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    body = bytes(made.buffer) + b"\0" * (-len(made.buffer) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(body), b"BIN\0") + body
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _with_frames(scene: Scene) -> Scene:
    """A frame for each of many equal solids: viewers of glTF do not move instances."""
    parts = [many.one_by_one() for many in scene.instances]
    tracks, solids = [x for part in parts for x in part[0]], [x for part in parts for x in part[1]]
    return (
        replace(scene, frames=(*scene.frames, *tracks), solids=(*scene.solids, *solids), instances=())
        if parts
        else scene
    )


class _GltfWriter:
    """Collects nodes, meshes, materials and animation of a scene, and one buffer of all numbers."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.buffer = _with_frames(scene), bytearray()
        self.level = len(scene.levels) // 2  # of a mode, half of its largest amplitude
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = [
            {"name": scene.name, "rotation": _xyzw(_to_y_up(scene.camera.up)), "children": []}
        ]
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self._known: dict[Any, int] = {}
        self.times: int | None = None

    def document(self) -> dict[str, Any]:
        frames = {GROUND: 0, **{f.name: self._frame(k) for k, f in enumerate(self.scene.frames)}}
        for s in self.scene.solids:
            if s.group in self.scene.shown:
                self._child(frames[s.frame], self._solid(s))
        for surface in self.scene.surfaces:
            if surface.group in self.scene.shown:
                self._child(frames[surface.frame], self._surface(surface))
        for span in self.scene.spans:
            if span.group in self.scene.shown:
                self._span(span)
        if "traces" in self.scene.shown:
            self._traces()
        out: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "symbody"}, "scene": 0,
            "scenes": [{"name": self.scene.name, "nodes": [0]}], "nodes": [_without_empty(n) for n in self.nodes],
            "meshes": self.meshes, "materials": self.materials, "accessors": self.accessors, "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.buffer) + (-len(self.buffer) % 4)}],
        }  # fmt: skip
        if self.channels:
            out["animations"] = [{"name": "motion", "channels": self.channels, "samplers": self.samplers}]
        return {k: v for k, v in out.items() if v != []}

    # ------------------------------------------------------------------------------------------------ nodes

    def _node(self, node: dict[str, Any]) -> int:
        self.nodes.append({"children": [], **node})
        return len(self.nodes) - 1

    def _child(self, of: int, node: int) -> None:
        self.nodes[of]["children"].append(node)

    def _frame(self, k: int) -> int:
        f = self.scene.frames[k]
        p, e = f.position[self.level], f.rotation[self.level]
        node = self._node({"name": f.name, "translation": _list(p[0]), "rotation": _xyzw(e[0])})
        self._child(0, node)
        if len(p) > 1:
            self._moves(node, translation=p, rotation=e)
        return node

    def _solid(self, s: Solid) -> int:
        mesh = self._mesh(s)
        return self._node(
            {
                "name": s.name or s.kind, "mesh": mesh, "translation": _list(s.position), "rotation": _xyzw(s.rotation),
                "scale": _list(scale_of(s)),
            }
        )  # fmt: skip

    def _surface(self, s: Surface) -> int:
        weights = s.weights[self.level]
        node = self._node({"name": s.name, "mesh": self._morphed(s), "weights": _list(weights[0])})
        if len(weights) > 1:
            self._moves(node, weights=weights)
        return node

    def _moves(self, node: int, **paths: NDArray[np.float64]) -> None:
        if self.times is None:
            t = self.scene.t - self.scene.t[0]
            self.times = self._accessor(t, "SCALAR", bounds=True)
        shapes = {"rotation": "VEC4", "weights": "SCALAR"}
        for path, values in paths.items():
            out = np.roll(values, -1, axis=1) if path == "rotation" else values.ravel() if path == "weights" else values
            self.samplers.append({"input": self.times, "output": self._accessor(out, shapes.get(path, "VEC3"))})
            self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def _span(self, s: Span) -> None:
        """A unit rod or coil along z, carried to where the span is at each time."""
        p, e, scale = self._span_motion(s)
        mesh = self._coil(s) if s.kind == "spring" else self._mesh(Solid("cylinder", "", (1.0, 1.0), colour=s.colour))
        node = self._node(
            {"name": s.name or s.kind, "translation": _list(p[0]), "rotation": _xyzw(e[0]), "scale": _list(scale[0])}
        )
        self._child(0, node)
        lifted = self._node({"mesh": mesh, "translation": [0.0, 0.0, 0.0 if s.kind == "spring" else 0.5]})
        self._child(node, lifted)
        if len(p) > 1:
            self._moves(node, translation=p, rotation=e, scale=scale)

    def _span_motion(self, s: Span) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        a: list[NDArray[np.float64]] = []
        b: list[NDArray[np.float64]] = []
        for t in self.scene.t:
            frames = frames_at(self.scene, float(t), self.level)
            for ends, e in ((a, s.start), (b, s.end)):
                R, r = frames[e.frame]
                ends.append(r + R @ np.array(e.point))
        p, way = np.array(a), np.array(b) - np.array(a)
        length = np.maximum(np.linalg.norm(way, axis=1), 1e-9)
        turn = np.array(
            [turning_z_to(w) if n > 1e-9 else (1.0, 0.0, 0.0, 0.0) for w, n in zip(way, length, strict=True)]
        )
        return p, continuous_parameters(turn), np.stack([np.full_like(length, s.radius)] * 2 + [length], axis=1)

    def _traces(self) -> None:
        tracks = {f.name: f for f in self.scene.frames}
        for trace in self.scene.traces:
            f = tracks.get(trace.at.frame)
            if f is not None and f.position.shape[1] > 1:
                R = np.stack([rotation_matrix(e) for e in f.rotation[self.level]])
                path = f.position[self.level] + R @ np.array(trace.at.point)
                self._child(0, self._node({"name": f"path of {trace.name}", "mesh": self._line(path, trace.colour)}))

    # ------------------------------------------------------------------------------------------------ meshes

    def _mesh(self, s: Solid) -> int:
        key = ("mesh", s.kind, ratio_of(s), s.mesh, s.colour, s.opacity)
        if key not in self._known:
            m = self.scene.meshes[s.mesh] if s.kind == "mesh" else unit_mesh(s.kind, ratio_of(s))
            shape = ("shape", s.kind, ratio_of(s), s.mesh)
            if shape not in self._known:
                self._known[shape] = self._accessor(m.vertices, "VEC3", bounds=True, target=ARRAY_BUFFER)
                self._accessor(m.normals, "VEC3", target=ARRAY_BUFFER)
                self._accessor(m.triangles.reshape(-1), "SCALAR", UINT, target=INDEX_BUFFER)
            first = self._known[shape]
            primitive = {
                "attributes": {"POSITION": first, "NORMAL": first + 1}, "indices": first + 2,
                "material": self._material(s.colour, s.opacity),
            }  # fmt: skip
            self.meshes.append({"primitives": [primitive]})
            self._known[key] = len(self.meshes) - 1
        return self._known[key]

    def _morphed(self, s: Surface) -> int:
        """A mesh with a morph target for each coordinate: shifts of vertices, and how normals turn to first order."""
        m = s.mesh
        attributes = {
            "POSITION": self._accessor(m.vertices, "VEC3", bounds=True, target=ARRAY_BUFFER),
            "NORMAL": self._accessor(m.normals, "VEC3", target=ARRAY_BUFFER),
        }
        if s.paint:
            colours = ramp(envelope(s) / (s.largest or 1.0))
            attributes["COLOR_0"] = self._accessor(np.vectorize(_linear)(colours), "VEC3", target=ARRAY_BUFFER)
        targets = [
            {
                "POSITION": self._accessor(shift, "VEC3", bounds=True, target=ARRAY_BUFFER),
                "NORMAL": self._accessor(turn, "VEC3", target=ARRAY_BUFFER),
            }
            for shift, turn in zip(s.shifts, normal_shifts(s), strict=True)
        ]
        primitive = {
            "attributes": attributes,
            "indices": self._accessor(m.triangles.reshape(-1), "SCALAR", UINT, target=INDEX_BUFFER),
            "material": self._material("#ffffff" if s.paint else s.colour, 1.0, two_sided=True),
            "targets": targets,
        }
        names = {"targetNames": list(s.coordinates)}
        self.meshes.append({"primitives": [primitive], "weights": _list(s.weights[self.level, 0]), "extras": names})
        return len(self.meshes) - 1

    def _coil(self, s: Span) -> int:
        return self._line(coil(), s.colour)

    def _line(self, places: NDArray[np.float64], colour: str) -> int:
        at = self._accessor(places, "VEC3", bounds=True, target=ARRAY_BUFFER)
        primitive = {"attributes": {"POSITION": at}, "mode": LINE_STRIP, "material": self._material(colour, 1.0)}
        self.meshes.append({"primitives": [primitive]})
        return len(self.meshes) - 1

    def _material(self, colour: str, opacity: float, two_sided: bool = False) -> int:
        key = ("material", colour, opacity, two_sided)
        if key not in self._known:
            hexed = colour_of(colour, "light")
            rgb = [_linear(int(hexed[i : i + 2], 16) / 255) for i in (1, 3, 5)]
            appearance = {"baseColorFactor": [*rgb, opacity], "metallicFactor": 0.1, "roughnessFactor": 0.55}
            material: dict[str, Any] = {"name": colour, "pbrMetallicRoughness": appearance}
            if opacity < 1:
                material["alphaMode"] = "BLEND"
            if two_sided:
                material["doubleSided"] = True
            self.materials.append(material)
            self._known[key] = len(self.materials) - 1
        return self._known[key]

    # ------------------------------------------------------------------------------------------------ numbers

    def _accessor(
        self, values: Any, shape: str, kind: int = FLOAT, bounds: bool = False, target: int | None = None
    ) -> int:
        a = np.ascontiguousarray(values, dtype="<f4" if kind == FLOAT else "<u4")
        self.buffer += b"\0" * (-len(self.buffer) % 4)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": a.nbytes}
        if target is not None:
            view["target"] = target
        self.buffer += a.tobytes()
        self.views.append(view)
        made: dict[str, Any] = {
            "bufferView": len(self.views) - 1,
            "componentType": kind,
            "count": len(a),
            "type": shape,
        }
        if bounds:
            rows = a.reshape(len(a), -1)
            made |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.accessors.append(made)
        return len(self.accessors) - 1


def _to_y_up(up: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """The rotation that carries up to y, by the shortest way."""
    u, y = np.array(up), np.array([0.0, 1.0, 0.0])
    if u @ y < -1 + 1e-9:
        return (0.0, 1.0, 0.0, 0.0)
    e = np.concatenate([[1 + u @ y], np.cross(u, y)])
    return four(e / np.linalg.norm(e))


def _linear(c: float) -> float:
    """A colour component of sRGB as linear light (IEC 61966-2-1)."""
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def _xyzw(e: Any) -> list[float]:
    return [float(e[1]), float(e[2]), float(e[3]), float(e[0])]


def _list(x: Any) -> list[float]:
    return [float(v) for v in x]


def _without_empty(node: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in node.items() if v != []}
