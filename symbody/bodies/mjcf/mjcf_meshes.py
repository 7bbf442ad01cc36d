"""Meshes of an MJCF file: where they are, and the solids within them."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Final

from ...errors import unknown
from ..meshes.mesh_file import triangles
from ..meshes.solid_moments import UniformSolid, enclosed_solid, shell
from ..meshes.surface_triangles import composed, mapped_corners, scaling, shifting, turning_by
from .mjcf_tree import Attributes, MjcfTree
from .orientation import Compiler

_MESHES: Final = (".stl", ".obj", ".msh")


class MjcfMeshes:
    """Those of <asset>; counts what it cannot read in `left_out`."""

    def __init__(self, tree: MjcfTree, compiler: Compiler, left_out: Counter[str]) -> None:
        self.tree, self.compiler, self.left_out = tree, compiler, left_out

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
        kind = mesh.text("inertia", "legacy")
        corners = self._corners(mesh, file)
        if corners is None or kind not in ("legacy", "exact", "shell"):
            why = "is not there" if corners is None else f"has inertia={kind!r}"
            self.left_out[f"mass of <geom> of the mesh {mesh.text('name') or file!r}, which {why}"] += 1
            return None
        rx, ry, rz = mesh.three("refpos")
        single = array("d", array("f", corners))  # in which MuJoCo keeps coordinates
        w, x, y, z = mesh.numbers("refquat", (1.0, 0.0, 0.0, 0.0), 4)
        n = math.hypot(w, x, y, z)
        if not n:
            raise mesh.wrong("its refquat is zero")
        back = composed(turning_by(-x / n, -y / n, -z / n, w / n), shifting(-rx, -ry, -rz))
        moved = mapped_corners(composed(scaling(*scale), back), single)
        return shell(moved) if kind == "shell" else enclosed_solid(moved, signed=kind == "exact")

    def _corners(self, mesh: Attributes, file: str) -> array[float] | None:
        """Of its triangles, one after another: from the file, or from the element where that lists them."""
        if "vertex" in mesh and "face" in mesh:
            places, faces = mesh.numbers("vertex"), [int(i) for i in mesh.numbers("face")]
            if len(places) % 3 or len(faces) % 3 or not all(0 <= 3 * i < len(places) for i in faces):
                raise mesh.wrong("face= has three numbers of vertices for each triangle, vertex= three of each vertex")
            return array("d", (x for i in faces for x in places[3 * i : 3 * i + 3]))
        path = None if self.tree.folder is None or not file else self.tree.folder / file
        return triangles(path, kinds=_MESHES) if path is not None and path.is_file() else None
