"""Parts of a drawing as uniform solids: file -> shapes with volume, centre and inertia, for bodies of a model."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import symbody as sb

from ...argument_kinds import answered, answered_class
from ...errors import ModelError, finite_number, listed, shown, unknown
from ...summary import Summarized, Summary
from .mesh_file import KINDS as MESHES
from .mesh_file import surface_parts
from .solid_moments import UniformSolid, enclosed_solid, open_edges
from .step_file import ExactSolid, step_solids
from .surface_triangles import Corner, mapped_corners, scaling, turned_inside_out

STEP: Final = (".step", ".stp")
KINDS: Final = (*(k for k in MESHES if k != ".msh"), *STEP)
MOST_TRIANGLES: Final = 1_000_000
ROUNDING: Final = 1e-13


@answered
def read_solids(file: str | Path, *, scale: float = 1.0, up: str | None = "z") -> Solids:
    """Parts of an assembly as uniform solids by name, each where the file has it: for `Model.body(..., shape=)`.

    Volume, centre and inertia are exact: of closed surfaces of triangles (.stl, .obj, .dae, .glb, .gltf), of the faces of
    a STEP file (.step, .stp, by the optional package cadquery-ocp-novtk). Lengths are in metres where the file has a unit.

    scale   multiplies all coordinates: 0.001 for an STL file in millimetres
    up      "z" turns the assembly so that z points up where the file says that another axis does (.dae, .glb, .gltf);
            None keeps the axes of the file

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "block.obj"
    >>> sides = "f 1 2 4 3", "f 5 7 8 6", "f 1 5 6 2", "f 3 4 8 7", "f 1 3 7 5", "f 2 6 8 4"
    >>> places = [f"v {x} {y} {z}" for x in (0, 1) for y in (0, 2) for z in (0, 3)]
    >>> size = file.write_text("\\n".join(["o block", *places, *sides]))
    >>> m = sb.Model("block")
    >>> block = m.body("block", density=2.0, shape=sb.read_solids(file)["block"])
    >>> round(sb.evaluate(block.mass.m), 9)
    12.0

    See also: `Model.body`, `box`, `formats.Solids`, `read_urdf`.
    """
    path, factor = Path(file), finite_number(scale, "read_solids: scale", ModelError)
    where, kind = f"read_solids: {path.name!r}", path.suffix.lower()
    if factor <= 0:
        raise ModelError(f"read_solids: scale= must be positive, got {shown(scale)}")
    if up not in ("z", None):
        raise ModelError(f"read_solids: up= is 'z', or None for the axes of the file; got {shown(up)}")
    if kind not in KINDS:
        raise ModelError(f"{where}: the name of the file must end in {listed(KINDS)}")
    if kind in STEP:
        found = _exact(path, where)
    else:
        parts = surface_parts(path, kinds=KINDS, most=MOST_TRIANGLES, turned=up == "z")
        found = [_closed_solid(f"{where}, part {p.name!r}", p.name, p.corners) for p in parts]
    names = _different([s.name or path.stem for s in found])
    return Solids(path.name, {n: _shape(s.solid, s.corners, factor) for n, s in zip(names, found, strict=True)})


@answered_class
class Solids(Summarized, Mapping[str, sb.bodies.Shape]):
    """Shapes by the names of the parts of a file.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "part.obj"
    >>> size = file.write_text("o wedge\\nv 0 0 0\\nv 6 0 0\\nv 0 1 0\\nv 0 0 1\\nf 1 3 2\\nf 1 2 4\\nf 1 4 3\\nf 2 3 4")
    >>> sb.read_solids(file)
    <1 solid of part.obj
      wedge: volume 1, centre (1.5, 0.25, 0.25)>

    See also: `read_solids`, `Model.body`.
    """

    def __init__(self, file: str, shapes: Mapping[str, sb.bodies.Shape]) -> None:
        self.file, self._shapes = file, dict(shapes)

    def __getitem__(self, name: str) -> sb.bodies.Shape:
        if name not in self._shapes:
            raise unknown(f"solids of {self.file!r}", "part", name, self._shapes)
        return self._shapes[name]

    def __contains__(self, name: object) -> bool:
        return name in self._shapes

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def _summary(self) -> Summary:
        rows = []
        for name, s in self._shapes.items():
            x, y, z = (e.value for e in s.centre.entries)
            rows.append((name, f"volume {s.content.value:z.4g}, centre ({x:z.4g}, {y:z.4g}, {z:z.4g})"))
        return Summary(f"{len(rows)} solid{'s' * (len(rows) != 1)} of {self.file}", tuple(rows))


def _exact(path: Path, where: str) -> list[ExactSolid]:
    if not path.is_file():
        raise ModelError(f"{where}: there is no such file")
    found = step_solids(path, where)
    if not found:
        raise ModelError(f"{where}: it has no solid, only faces or curves; export solid bodies")
    return found


def _closed_solid(where: str, name: str, corners: array[float]) -> ExactSolid:
    """The solid within a surface; surfaces that are inside out as a whole are turned."""
    if not corners:
        raise ModelError(f"{where}: it has no triangles; leave it out of the file, or export its surface")
    if edges := open_edges(corners):
        raise ModelError(
            f"{where}: its surface is not closed, and bounds no volume: {len(edges)} open edges, the first from "
            f"{_at(edges[0][0])} to {_at(edges[0][1])}; close it in the CAD program, or give mass and inertia"
        )
    solid = enclosed_solid(corners)
    if solid.volume <= 0:
        corners = turned_inside_out(corners)
        solid = enclosed_solid(corners)
    if solid.volume <= 0:
        raise ModelError(f"{where}: its surface bounds no volume")
    return ExactSolid(name, solid, corners)


def _at(p: Corner) -> str:
    return f"({p[0]:z.4g}, {p[1]:z.4g}, {p[2]:z.4g})"


def _different(names: list[str]) -> list[str]:
    """Names, numbered from the second where several parts have one."""
    taken: dict[str, None] = {}
    for name in names:
        found, k = name, 1
        while found in taken:
            k += 1
            found = f"{name}_{k}"
        taken[found] = None
    return list(taken)


def _shape(solid: UniformSolid, corners: array[float], scale: float) -> sb.bodies.Shape:
    """For mass one. What is rounding of the sums that it comes from is zero, so that equations fold."""
    g = [scale**2 * x / solid.volume for row in solid.inertia for x in row]
    surface = mapped_corners(scaling(scale, scale, scale), corners)
    reach = math.sqrt(max(g)) + max(abs(x) for x in surface)
    centre = sb.vector(*_without_rounding([scale * x for x in solid.centre], reach))
    g = _without_rounding(g, max(g))
    volume = sb.algebra.as_expr(scale**3 * solid.volume)
    return sb.bodies.Shape("solid", (), "z", centre, volume, sb.matrix([g[:3], g[3:6], g[6:]]), surface)


def _without_rounding(numbers: list[float], size: float) -> list[float]:
    return [0.0 if abs(x) <= ROUNDING * size else x for x in numbers]
