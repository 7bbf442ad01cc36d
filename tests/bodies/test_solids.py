"""Parts of an assembly as bodies: mass properties from closed surfaces and from STEP files, and the equations that
follow."""

import math
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import symbody as sb

from .test_meshes import CORNERS, EDGES, SIDES, box_numbers, numbers, obj


def surface(*boxes: tuple[str, tuple[float, ...], tuple[float, ...], bool]) -> str:
    """OBJ of boxes: name, edges, middle, and whether they are inside out."""
    lines = []
    for k, (name, edges, middle, inverted) in enumerate(boxes):
        places = [[m + e * (c / whole - 0.5) for c, whole, e, m in zip(p, EDGES, edges, middle, strict=True)] for p in CORNERS]  # fmt: skip
        lines += [f"o {name}"] if name else []
        lines += ["v " + " ".join(map(repr, p)) for p in places]
        lines += ["f " + " ".join(str(8 * k + j + 1) for j in (s[::-1] if inverted else s)) for s in SIDES]
    return "\n".join(lines)


def test_surfaces_that_are_open_are_refused(tmp_path):
    """With the number of open edges and a place; a tube without ends too, whose sides balance each other."""
    (tmp_path / "open.obj").write_text("\n".join(obj().splitlines()[:-1]))
    with pytest.raises(sb.ModelError, match=r"'block'.*not closed.* 4 open edges, the first from \(0, 0, 0\.5\)"):
        sb.read_solids(tmp_path / "open.obj")
    lines = obj().splitlines()
    (tmp_path / "tube.obj").write_text("\n".join(lines[:9] + lines[11:]))
    with pytest.raises(sb.ModelError, match="8 open edges"):
        sb.read_solids(tmp_path / "tube.obj")


def test_inside_out_and_hollow(tmp_path):
    """A surface that is inside out as a whole is turned; one within another is a cavity."""
    whole, hole = (0.4, 0.6, 1.0), (0.1, 0.2, 0.3)
    middle, off = (0.2, 0.3, 0.5), (0.1, 0.2, 0.3)
    (tmp_path / "a.obj").write_text(surface(("", EDGES, (0.1, 0.15, 0.25), True)))
    (shape,) = sb.read_solids(tmp_path / "a.obj").values()
    assert numbers(shape) == pytest.approx(box_numbers(), rel=1e-13, abs=1e-15)
    (tmp_path / "b.obj").write_text(surface(("", whole, middle, False), ("", hole, off, True)))
    (hollow,) = sb.read_solids(tmp_path / "b.obj").values()
    masses = [math.prod(whole), -math.prod(hole)]
    places = [np.array(middle), np.array(off)]
    tensors = [m / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) for m, (a, b, c) in zip(masses, (whole, hole), strict=True)]  # fmt: skip
    volume = sum(masses)
    centre = sum(m * p for m, p in zip(masses, places, strict=True)) / volume
    tensor: Any = sum(I + m * (r @ r * np.eye(3) - np.outer(r, r)) for I, m, p in zip(tensors, masses, places, strict=True) for r in [p - centre])  # fmt: skip
    assert numbers(hollow) == pytest.approx(np.r_[volume, centre, (tensor / volume).ravel()], rel=1e-12, abs=1e-15)


def test_far_from_the_origin_nothing_is_lost(tmp_path):
    """A centimetre at ten metres: twelve digits of inertia would be lost about the origin."""
    (tmp_path / "far.obj").write_text(surface(("", (0.01, 0.02, 0.03), (10.0, -10.0, 10.0), False)))
    (shape,) = sb.read_solids(tmp_path / "far.obj").values()
    expected = numbers(sb.box(0.01, 0.02, 0.03))
    assert numbers(shape)[4:] == pytest.approx(expected[4:], rel=1e-9, abs=1e-16)


def test_rounding_folds(tmp_path):
    """Products of inertia of a block are zero, not 1e-19: equations depend on it."""
    (tmp_path / "a.obj").write_text(surface(("", (0.1, 0.23, 0.37), (0.3, 0.0, 0.0), False)))
    (shape,) = sb.read_solids(tmp_path / "a.obj").values()
    assert [shape.gyration[i, j].value for i, j in ((0, 1), (0, 2), (1, 2))] == [0, 0, 0]
    assert [e.value for e in shape.centre.entries][1:] == [0, 0]


def test_names_of_parts(tmp_path):
    (tmp_path / "a.obj").write_text(surface(*((n, EDGES, (k, 0, 0), False) for k, n in enumerate(("arm", "bolt")))))
    found = sb.read_solids(tmp_path / "a.obj")
    assert list(found) == ["arm", "bolt"]
    assert "bolt: volume 0.03, centre (1, 0, 0)" in repr(found)
    with pytest.raises(sb.ModelError, match=r"no part 'bold'.*Did you mean 'bolt'"):
        found["bold"]
    for how, says in (({"scale": 0}, "scale= must be positive"), ({"up": "x"}, "up= is 'z'")):
        with pytest.raises(sb.ModelError, match=says):
            sb.read_solids(tmp_path / "a.obj", **how)
    with pytest.raises(sb.ModelError, match=r"\.stl, \.obj"):
        sb.read_solids(tmp_path / "a.iges")


def slider_crank(bodies) -> sb.Equations:
    """In the places of the drawing: crank from the origin to (1, 0, 0), rod on to (3, 0, 0), where the slider is."""
    m = sb.Model("slider crank")
    m.gravity(0, -9.81, 0)
    crank, rod, slider = (m.body(n, density=7850.0, **how) for n, how in bodies.items())
    parts: Any = (m.ground, (0, 0, 0)), (crank, (1, 0, 0)), (rod, (3, 0, 0)), (slider, None)
    for (parent, at), (child, _) in pairwise(parts):
        m.revolute(f"{child.name}_pin", parent, child, at=at, on=at)
    m.constrain("guide", (slider.frame.point(3, 0, 0) - m.ground.origin).dot(m.ground.y))
    m.constrain("upright", sum(m.joints[f"{n}_pin"].coordinates[0] for n in bodies))
    return sb.derive(m)


def test_equations_of_an_assembly_are_those_of_its_blocks(tmp_path):
    """From CAD to equations: the same forces as of bodies by formula, at a state of the closed loop."""
    blocks = {"crank": ((1.2, 0.1, 0.05), (0.5, 0, 0)), "rod": ((2.1, 0.08, 0.04), (2, 0, 0.05)), "slider": ((0.3, 0.2, 0.2), (3, 0, 0))}  # fmt: skip
    (tmp_path / "a.obj").write_text(surface(*((n, e, p, False) for n, (e, p) in blocks.items())))
    solids = sb.read_solids(tmp_path / "a.obj")
    drawn = slider_crank({n: {"shape": solids[n]} for n in blocks})
    given = slider_crank({n: {"shape": sb.box(*e, at=p)} for n, (e, p) in blocks.items()})
    state = {s.name: 0.1 * (k + 1) for k, s in enumerate((*drawn.q, *drawn.u))}
    ours, theirs = (np.array(sb.evaluate([*eq.M.entries, *eq.f.entries], {s: state[s.name] for s in (*eq.q, *eq.u)})) for eq in (drawn, given))  # fmt: skip
    assert ours == pytest.approx(theirs, rel=1e-11, abs=1e-9)


def test_solids_are_shown_and_written(tmp_path):
    """A scene has the triangles of the part; a model file has its numbers."""
    (tmp_path / "a.obj").write_text(surface(("arm", (1.0, 0.1, 0.1), (0.5, 0, 0), False)))
    m = sb.Model("arm")
    arm = m.body("arm", density=1000.0, shape=sb.read_solids(tmp_path / "a.obj")["arm"])
    m.revolute("a", m.ground, arm)
    eq = sb.derive(m)
    (mesh,) = sb.scene(eq, a=0.0).meshes.values()
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx([1.0, 0.1, 0.1])
    again = sb.derive(sb.study.read_model_text(sb.write.model_text(m)).model)
    assert sb.evaluate(again.M) == pytest.approx(sb.evaluate(eq.M))


def step_file(path) -> None:
    """An assembly of two instances of a block and one of a pin, by Open CASCADE, in millimetres."""
    pytest.importorskip("OCP", reason="needs the package 'cadquery-ocp-novtk'")
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
    from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.TopLoc import TopLoc_Location
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())

    def named(label, name):
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name))
        return label

    block = named(tool.AddShape(BRepPrimAPI_MakeBox(10.0, 20.0, 30.0).Shape(), False), "block")
    pin = named(tool.AddShape(BRepPrimAPI_MakeCylinder(5.0, 40.0).Shape(), False), "pin")
    arm = named(tool.NewShape(), "arm")
    for part, name, x, angle in ((block, "left", 0.0, 0.0), (block, "right", 100.0, math.pi / 2), (pin, "", 50.0, 0.0)):
        turn, shift = gp_Trsf(), gp_Trsf()
        turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(1, 0, 0)), angle)
        shift.SetTranslation(gp_Vec(x, 0, 0))
        shift.Multiply(turn)
        instance = tool.AddComponent(arm, part, TopLoc_Location(shift))
        if name:
            named(instance, name)
    tool.UpdateAssemblies()
    writer = STEPCAFControl_Writer()
    writer.SetNameMode(True)
    writer.Transfer(document)
    writer.Write(str(path))


def test_step_assembly(tmp_path, capfd):
    """Names, places, and exact mass properties; a cylinder is one, not a polygon."""
    step_file(tmp_path / "arm.step")
    capfd.readouterr()
    found = sb.read_solids(tmp_path / "arm.step")
    assert capfd.readouterr().out == ""
    assert list(found) == ["left", "right", "pin"]
    expected = {
        "left": sb.box(0.01, 0.02, 0.03, at=(0.005, 0.01, 0.015)),
        "right": sb.box(0.01, 0.03, 0.02, at=(0.105, -0.015, 0.01)),
        "pin": sb.cylinder(0.005, 0.04, at=(0.05, 0, 0.02)),
    }
    for name, shape in expected.items():
        assert numbers(found[name]) == pytest.approx(numbers(shape), rel=1e-12, abs=1e-15)
        corners = np.reshape(found[name].surface, (-1, 3))
        low, high = corners.min(axis=0), corners.max(axis=0)
        assert (low + high) / 2 == pytest.approx(sb.evaluate(list(shape.centre.entries)), abs=1e-4)
    with pytest.raises(sb.ModelError, match="no such file"):
        sb.read_solids(tmp_path / "gone.step")
    (tmp_path / "bad.step").write_text("nothing of the kind")
    with pytest.raises(sb.ModelError, match=r"bad\.step.*cannot read this as a STEP file"):
        sb.read_solids(tmp_path / "bad.step")


def test_step_without_the_package_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "a.stp").write_text("ISO-10303-21;")
    monkeypatch.setitem(sys.modules, "OCP.TDocStd", None)
    with pytest.raises(sb.ModelError, match="pip install cadquery-ocp-novtk"):
        sb.read_solids(tmp_path / "a.stp")


LINKAGE = surface(("crank", (100, 10, 10), (50, 0, 0), False), ("rod", (200, 10, 10), (200, 0, 0), False))


def model_file(folder, crank: str, rod: str = "{mass: 1}"):
    (folder / "linkage.obj").write_text(LINKAGE)
    (folder / "crank.obj").write_text(surface(("", (100, 10, 10), (50, 0, 0), False)))
    path = folder / "linkage.yaml"
    path.write_text(
        "symbody: 1\nname: linkage\nparameters: {steel: 7850}\nbodies:\n"
        f"  crank: {crank}\n  rod: {rod}\n"
        "joints:\n  a: {revolute: [ground, crank]}\n  b: {revolute: [crank, rod], at: [0.1, 0, 0], on: [0.1, 0, 0]}\n"
        "gravity: [0, -9.81, 0]\n"
    )
    return path


def test_model_files_say_which_solid_a_body_is(tmp_path):
    """The same equations as in Python, from one file for both bodies or one for each, and after they were written."""
    path = model_file(
        tmp_path,
        "{density: steel, shape: {solid: crank.obj, scale: 1/1000}}",
        "{density: steel, shape: {solid: linkage.obj, part: rod, scale: 0.001}}",
    )
    read = sb.read_model(path).model
    m = sb.Model("linkage")
    m.gravity(0, -9.81, 0)
    steel, solids = m.parameter("steel", 7850.0), sb.read_solids(tmp_path / "linkage.obj", scale=0.001)
    crank, rod = (m.body(name, density=steel, shape=shape) for name, shape in solids.items())
    m.revolute("a", m.ground, crank)
    m.revolute("b", crank, rod, at=(0.1, 0, 0), on=(0.1, 0, 0))
    sb.write_model(read, tmp_path / "again.yaml")
    found = [sb.derive(x) for x in (m, read, sb.read_model(tmp_path / "again.yaml").model)]
    at = {"a": 0.3, "b": -0.7, "steel": 7850.0}
    values = [np.array(sb.evaluate(eq.M, {s: at[s.name] for s in (*eq.q, *eq.p)})) for eq in found]
    assert values[1] == pytest.approx(values[0], rel=1e-12)
    assert values[2] == pytest.approx(values[0], rel=1e-12)
    assert read.freeze().bodies[0].shape.surface is not None


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        ("{solid: linkage.obj}", r"yaml:5:.*has several parts: crank, rod; say which, as in part: crank"),
        ("{solid: linkage.obj, part: crnak}", r"yaml:5:.*'crnak'.*'crank'"),
        ("{solid: missing.obj}", "there is no file 'missing.obj' beside"),
        ("{solid: ../linkage.obj}", "is not a path beside the model file"),
        ("{solid: linkage.yaml}", r"yaml:5:.*'linkage.yaml': the name of the file must end in"),
        ("{solid: crank.obj, at: [1, 0, 0]}", "at"),
        ("{solid: crank.obj, scale: -1}", r"yaml:5:.*positive, got -1"),
    ],
)
def test_solids_that_model_files_cannot_have(tmp_path, shape, why):
    with pytest.raises(sb.errors.ModelFileError, match=why):
        sb.read_model(model_file(tmp_path, f"{{mass: 1, shape: {shape}}}"))
