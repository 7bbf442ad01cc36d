"""Meshes of an MJCF file: where they are, and the solids within them."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Final

from ...errors import shown, unknown
from ...given_files import beside
from ..meshes.mesh_file import MeshReader, surface_parts
from ..meshes.plain_meshes import msh_parts, obj_sections, stl_parts
from ..meshes.solid_moments import UniformSolid, enclosed_solid, shell
from ..meshes.surface_triangles import SurfacePart, composed_maps, mapped_corners, scaling, shifting, turning_by
from .mjcf_tree import Attributes, MjcfTree
from .orientation import Compiler

_MESHES: Final[dict[str, MeshReader]] = {
    ".stl": lambda file, data, limit, turned: _as_one(stl_parts(data, limit)),
    ".obj": lambda file, data, limit, turned: obj_sections(data, limit),
    ".msh": lambda file, data, limit, turned: msh_parts(data, limit),
}


def _as_one(parts: list[SurfacePart]) -> list[SurfacePart]:
    return [SurfacePart("", array("d", (x for p in parts for x in p.corners)))]


class MjcfMeshes:
    """Those of <asset>; counts what it cannot read in `left_out`."""

    def __init__(self, tree: MjcfTree, compiler: Compiler, left_out: Counter[str]) -> None:
        self.tree, self.compiler, self.left_out = tree, compiler, left_out
        self._solids: dict[str, UniformSolid | None] = {}

    @cached_property
    def _elements(self) -> dict[str, Attributes]:
        found = [self.tree.filled(e, "mesh") for e in self.tree.sections.get("asset", ()) if e.tag == "mesh"]
        return {g.text("name") or Path(g.text("file")).stem: g for g in found}

    def _element(self, given: Attributes) -> Attributes:
        name = given.text("mesh")
        if name not in self._elements:
            raise unknown(f"{self.tree.where} (line {given.element.line}), <geom>", "mesh", name, self._elements)
        return self._elements[name]

    def file(self, given: Attributes) -> tuple[str, tuple[float, float, float]]:
        mesh = self._element(given)
        file = mesh.text("file")
        file = Path(file).name if self.compiler.strips_paths else file
        return (Path(self.compiler.mesh_folder) / file).as_posix() if file else "", mesh.three("scale", (1.0, 1.0, 1.0))

    def solid(self, given: Attributes) -> UniformSolid | None:
        """Volume and inertia of a mesh; nothing, and a remark, where its file is not there to be read."""
        mesh, (file, scale) = self._element(given), self.file(given)
        key = given.text("mesh")
        if key not in self._solids:
            self._solids[key] = self._solid(key, mesh, file, scale)
        return self._solids[key]

    def _solid(self, name: str, mesh: Attributes, file: str, scale: tuple[float, float, float]) -> UniformSolid | None:
        kind = mesh.one_of("inertia", ("legacy", "exact", "shell", "convex"), "legacy")
        has_faces = "face" in mesh or "vertex" not in mesh
        parts = self._parts(mesh, file) if has_faces and kind != "convex" else []
        if not parts:
            why = "has no faces" if not has_faces else f"has inertia={kind!r}" if kind == "convex" else "is not there"
            self.left_out[f"mass of <geom> of the mesh {name!r}, which {why}"] += 1
            return None
        if len(parts) > 1:
            says = "objects after the first, or polygons of more than 100 corners"
            self.left_out[f"{says}, of the mesh {name!r}, which MuJoCo does not read either"] += len(parts) - 1
        rx, ry, rz = mesh.three("refpos")
        single = array("d", array("f", parts[0]))  # in which MuJoCo keeps coordinates
        w, x, y, z = mesh.numbers("refquat", (1.0, 0.0, 0.0, 0.0), 4)
        n = math.hypot(w, x, y, z)
        if not n:
            raise mesh.wrong("its refquat is zero")
        back = composed_maps(turning_by(-x / n, -y / n, -z / n, w / n), shifting(-rx, -ry, -rz))
        moved = mapped_corners(composed_maps(scaling(*scale), back), single)
        return shell(moved) if kind == "shell" else enclosed_solid(moved, signed=kind == "exact")

    def _parts(self, mesh: Attributes, file: str) -> list[array[float]]:
        """Corners of its triangles, one after another, by the objects of its file; or from the element where that lists
        them."""
        if "vertex" in mesh:
            places, faces = mesh.numbers("vertex"), [int(i) for i in mesh.numbers("face")]
            if len(places) % 3 or len(faces) % 3 or not all(0 <= 3 * i < len(places) for i in faces):
                raise mesh.wrong("face= has three numbers of vertices for each triangle, vertex= three of each vertex")
            return [array("d", (x for i in faces for x in places[3 * i : 3 * i + 3]))]
        if self.tree.folder is None or not file:
            return []
        path = beside(self.tree.folder, file)
        if path is None:
            raise mesh.wrong(
                f"its file {shown(file)} lies outside the folder {self.tree.folder.name!r} of the MJCF file, and is not opened: put it there or below"
            )
        if not path.is_file():
            return []
        return [p.corners for p in surface_parts(path, kinds=tuple(_MESHES), readers=_MESHES)]
