"""STEP files (ISO 10303-21; AP203, AP214, AP242) by Open CASCADE, from the optional package cadquery-ocp-novtk: solids
of an assembly where it puts them, with volume, centre and inertia integrated over their exact faces."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...errors import ModelError
from ...optional_packages import optional_package
from ..robot.robot_numbers import tensor_of
from .solid_moments import UniformSolid
from .surface_triangles import Corner

NAME: Final = "cadquery-ocp-novtk"
METRES: Final = 1e-3  # Open CASCADE gives lengths in millimetres, whatever the file's unit is
DEFLECTION: Final = 0.005  # of triangles to look at, as part of the length of an edge
_NO_NAME: Final = re.compile(r"(NAUO\d*|=>.*|\d*|SOLID|COMPOUND)", re.IGNORECASE)  # what programs put if there is none


class ExactSolid(NamedTuple):
    name: str
    solid: UniformSolid
    corners: array[float]


def step_solids(file: Path, where: str) -> list[ExactSolid]:
    library = _OpenCascade(where)
    return [ExactSolid(name, library.solid(shape), library.corners(shape)) for name, shape in library.shapes(file)]


class _OpenCascade:
    """Modules of Open CASCADE."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __getattr__(self, module: str) -> Any:
        return optional_package(f"OCP.{module}", self.where, ModelError, NAME)

    # ------------------------------------------------------------------------------------------------ the assembly

    def shapes(self, file: Path) -> Iterator[tuple[str, Any]]:
        """Name and shape of each part that has a volume, in the place that the assembly gives it."""
        document = self._document(file)  # to be kept as long as its labels are used
        tool = self.XCAFDoc.XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
        top = self._labels()
        tool.GetFreeShapes(top)
        stack = [(label, self._name(label), self.TopLoc.TopLoc_Location()) for label in reversed(list(top))]
        while stack:
            label, name, place = stack.pop()
            meant = self._meant(tool, label)
            if tool.IsAssembly_s(meant):
                inner = self._labels()
                tool.GetComponents_s(meant, inner)
                stack += [
                    (c, self._instance(tool, c), place.Multiplied(tool.GetLocation_s(c))) for c in reversed(list(inner))
                ]
                continue
            shape = tool.GetShape_s(meant).Moved(place)
            if self.TopExp.TopExp_Explorer(shape, self.TopAbs.TopAbs_ShapeEnum.TopAbs_SOLID).More():
                yield name, shape

    def _document(self, file: Path) -> Any:
        document = self.TDocStd.TDocStd_Document(self.TCollection.TCollection_ExtendedString("XmlXCAF"))
        reader = self.STEPCAFControl.STEPCAFControl_Reader()
        reader.SetNameMode(True)
        if reader.ReadFile(str(file)) != self.IFSelect.IFSelect_ReturnStatus.IFSelect_RetDone:
            raise ModelError(f"{self.where}: Open CASCADE cannot read this as a STEP file")
        reader.Transfer(document)
        return document

    def _labels(self) -> Any:
        """An empty list of them, under its name before and since version 8."""
        old = getattr(self.TDF, "TDF_LabelSequence", None)
        return old() if old else self.collections.Sequence_TDF_Label()

    def _meant(self, tool: Any, label: Any) -> Any:
        """The part that an instance is of."""
        meant = self.TDF.TDF_Label()
        return meant if tool.GetReferredShape_s(label, meant) else label

    def _instance(self, tool: Any, label: Any) -> str:
        """The name of an instance; of its part, if the instance has none."""
        name = self._name(label)
        return self._name(self._meant(tool, label)) if _NO_NAME.fullmatch(name) else name

    def _name(self, label: Any) -> str:
        found = self.TDataStd.TDataStd_Name()
        named = label.FindAttribute(self.TDataStd.TDataStd_Name.GetID_s(), found)
        return str(found.Get().ToExtString()).strip() if named else ""

    # ------------------------------------------------------------------------------------------------ solids

    def solid(self, shape: Any) -> UniformSolid:
        found = self.GProp.GProp_GProps()
        self.BRepGProp.BRepGProp.VolumeProperties_s(shape, found)
        c, I = found.CentreOfMass(), found.MatrixOfInertia()
        xx, yy, zz, xy, xz, yz = (
            METRES**5 * I.Value(i, j) for i, j in ((1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3))
        )
        centre = METRES * c.X(), METRES * c.Y(), METRES * c.Z()
        return UniformSolid(METRES**3 * found.Mass(), centre, tensor_of(xx, yy, zz, xy, xz, yz))

    def corners(self, shape: Any) -> array[float]:
        """Triangles near its faces, to be looked at."""
        self.BRepMesh.BRepMesh_IncrementalMesh(shape, DEFLECTION, True, 0.5, False)
        out = array("d")
        for face in self._faces(shape):
            place = self.TopLoc.TopLoc_Location()
            mesh = self.BRep.BRep_Tool.Triangulation_s(face, place)
            if mesh is None:
                continue
            turn = place.Transformation()
            points: list[Corner] = []
            for k in range(1, mesh.NbNodes() + 1):
                p = mesh.Node(k).Transformed(turn)
                points.append((METRES * p.X(), METRES * p.Y(), METRES * p.Z()))
            inside_out = face.Orientation() == self.TopAbs.TopAbs_Orientation.TopAbs_REVERSED
            for k in range(1, mesh.NbTriangles() + 1):
                a, b, c = mesh.Triangle(k).Get()
                for n in (a, c, b) if inside_out else (a, b, c):
                    out.extend(points[n - 1])
        return out

    def _faces(self, shape: Any) -> Iterator[Any]:
        explorer = self.TopExp.TopExp_Explorer(shape, self.TopAbs.TopAbs_ShapeEnum.TopAbs_FACE)
        kinds = self.TopoDS.TopoDS
        as_face = getattr(kinds, "Face_s", None) or kinds.Face  # before and since version 8
        while explorer.More():
            yield as_face(explorer.Current())
            explorer.Next()
