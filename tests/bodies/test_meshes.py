"""Meshes of files and the solids within them: formats agree with each other, with closed formulas and with other
readers; what is broken or means harm is refused with its place."""

import base64
import json
import math
import struct
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.formats.meshes.mesh_file import surface_parts, triangles

EDGES = (0.2, 0.3, 0.5)
CORNERS = [(x, y, z) for x in (0.0, EDGES[0]) for y in (0.0, EDGES[1]) for z in (0.0, EDGES[2])]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
HALVES = [(a, b, c) for s in SIDES for a, b, c in ((s[0], s[1], s[2]), (s[0], s[2], s[3]))]


def words(numbers) -> str:
    return " ".join(str(x) for x in numbers)


def primitive(kind: str) -> str:
    """The sides of the box, in one of the ways in which Collada may have them, with a normal beside each vertex."""
    inputs = '<input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" source="#p" offset="0"/>'
    index = {s: words(x for k in s for x in (0, k)) for s in (*SIDES, *HALVES)}
    if kind == "triangles":
        return f"<triangles count='12'>{inputs}<p>{words(index[h] for h in HALVES)}</p></triangles>"
    if kind == "polylist":
        return f"<polylist count='6'>{inputs}<vcount>{words([4] * 6)}</vcount><p>{words(index[s] for s in SIDES)}</p></polylist>"
    if kind == "tristrips":
        strips = "".join(f"<p>{words(x for k in (a, b, d, c) for x in (0, k))}</p>" for a, b, c, d in SIDES)
        return f"<tristrips count='6'>{inputs}{strips}</tristrips>"
    return f"<{kind} count='6'>{inputs}{''.join(f'<p>{index[s]}</p>' for s in SIDES)}</{kind}>"


def collada(kind: str = "triangles", nodes: str = "", asset: str = "", more: str = "") -> str:
    nodes = nodes or "<node name='block'><instance_geometry url='#g'/></node>"
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{asset}</asset><library_geometries><geometry id="g" name="box"><mesh>
<source id="p"><float_array id="f" count="24">{words(x for c in CORNERS for x in c)}</float_array><technique_common>
<accessor source="#f" count="8" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{primitive(kind)}</mesh></geometry></library_geometries>{more}
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def obj() -> str:
    return "o block\n" + "".join(f"v {words(c)}\n" for c in CORNERS) + "".join(f"f {words(k + 1 for k in s)}\n" for s in SIDES)  # fmt: skip


def stl(as_text: bool) -> bytes:
    if as_text:
        faces = "".join("".join(f"vertex {words(CORNERS[k])}\n" for k in h) for h in HALVES)
        return f"solid block\n{faces}endsolid\n".encode()
    rows = b"".join(struct.pack("<12x9f2x", *(x for k in h for x in CORNERS[k])) for h in HALVES)
    return b" " * 80 + struct.pack("<I", 12) + rows


def gltf(uri: str | None = "data", **changed) -> tuple[dict, bytes]:
    """The box with y up, as the format has it: (x, z, -y)."""
    turned = [(x, z, -y) for x, y, z in CORNERS]
    data = struct.pack("<24f", *(x for c in turned for x in c)) + struct.pack("<36H", *(k for h in HALVES for k in h))
    views = [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}]
    if uri == "data":
        uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    tree = {
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "block", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"}, {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
        "bufferViews": views, "buffers": [{"byteLength": 168} | ({"uri": uri} if uri else {})],
    }  # fmt: skip
    return tree | changed, data


def glb() -> bytes:
    tree, data = gltf(None)
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


BOX = {
    **{f"{kind}.dae": collada(kind).replace("<asset>", "<asset><up_axis>Z_UP</up_axis>").encode() for kind in ("triangles", "polylist", "polygons", "trifans", "tristrips")},
    "box.obj": obj().encode(), "text.stl": stl(True), "binary.stl": stl(False), "box.glb": glb(), "box.gltf": json.dumps(gltf()[0]).encode(),
}  # fmt: skip


def numbers(shape) -> np.ndarray:
    """Volume, centre, inertia for mass one."""
    return np.array(sb.evaluate([shape.content, *shape.centre.entries, *shape.gyration.entries]), dtype=float)


def box_numbers() -> np.ndarray:
    a, b, c = EDGES
    return numbers(sb.box(a, b, c, at=(a / 2, b / 2, c / 2)))


@pytest.mark.parametrize("name", BOX)
def test_a_box_in_every_format_is_the_box(tmp_path, name):
    """To rounding; single precision where the format has it. With z up, whatever axis the file has up."""
    (tmp_path / name).write_bytes(BOX[name])
    (shape,) = sb.read_solids(tmp_path / name).values()
    assert numbers(shape) == pytest.approx(
        box_numbers(), rel=1e-6 if "stl" in name or "gl" in name else 1e-14, abs=1e-8
    )
    doubled = sb.read_solids(tmp_path / name, scale=2.0)
    assert sb.evaluate(next(iter(doubled.values())).content) == pytest.approx(8 * math.prod(EDGES), rel=1e-6)


NODES = """<node name='arm'><translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>
  <node name='tip'><matrix>1 0 0 10 0 0 -1 0 0 1 0 0 0 0 0 1</matrix><instance_geometry url='#g'/></node>
  <instance_node url='#shared'/></node><node name='mirrored'><scale>-1 1 1</scale><instance_geometry url='#g'/></node>"""
SHARED = "<library_nodes><node id='shared'><instance_geometry url='#g'/></node></library_nodes>"


def test_nodes_place_their_surfaces(tmp_path):
    """x -> T Rz(90°) S (M x), in the file's unit; a mirrored solid is no inside out one."""
    text = collada(nodes=NODES, more=SHARED, asset="<unit meter='0.1'/><up_axis>Z_UP</up_axis>")
    (tmp_path / "arm.dae").write_text(text)
    found = sb.read_solids(tmp_path / "arm.dae")
    assert list(found) == ["tip", "shared", "mirrored"]
    a, b, c = np.array(EDGES) / 2
    middle = {"tip": (1 + 2 * c, 2 + 2 * (10 + a), 3 + 2 * b), "shared": (1 - 2 * b, 2 + 2 * a, 3 + 2 * c), "mirrored": (-a, b, c)}  # fmt: skip
    for name, centre in middle.items():
        assert sb.evaluate(list(found[name].centre.entries)) == pytest.approx(0.1 * np.array(centre))
        size = 8 if name != "mirrored" else 1
        assert sb.evaluate(found[name].content) == pytest.approx(size * math.prod(EDGES) * 1e-3)


@pytest.mark.parametrize(
    ("up", "turned"), [("X_UP", (-0.15, -0.25, 0.1)), ("Y_UP", (0.1, -0.25, 0.15)), ("", (0.1, -0.25, 0.15)), ("Z_UP", (0.1, 0.15, 0.25))]
)  # fmt: skip
def test_the_axis_that_is_up(tmp_path, up, turned):
    """Turned for an assembly; meshes of robots stay in the axes of their files, as RViz and Gazebo have them."""
    (tmp_path / "a.dae").write_text(collada(asset=f"<up_axis>{up}</up_axis>" if up else ""))
    (shape,) = sb.read_solids(tmp_path / "a.dae").values()
    assert sb.evaluate(list(shape.centre.entries)) == pytest.approx(turned)
    (kept,) = sb.read_solids(tmp_path / "a.dae", up=None).values()
    assert sb.evaluate(list(kept.centre.entries)) == pytest.approx((0.1, 0.15, 0.25))
    assert np.ptp(np.frombuffer(triangles(tmp_path / "a.dae")).reshape(-1, 3), axis=0) == pytest.approx(EDGES)


def robot_meshes() -> list[Path]:
    try:
        found = [Path(str(f.locate())) for f in files("example-robot-data") or () if str(f).endswith(".dae")]
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    names = ("ur5/visual/base.dae", "visual/icub_l_hip_2.dae", "quadrotor_base.dae", "handle.dae", "trunk/trunk.dae")
    return [f for f in found if f.as_posix().endswith(names)]


def test_meshes_of_robots_are_where_another_reader_has_them():
    """All corners as coal, the library behind Pinocchio, has them by assimp: it keeps the axes of the file too."""
    coal = pytest.importorskip("coal", reason="needs the package 'coal'")
    found = robot_meshes()
    assert len(found) >= 5
    for f in found:
        ours = np.frombuffer(triangles(f)).reshape(-1, 3)
        theirs = np.array(coal.MeshLoader().load(str(f)).vertices())
        size = np.abs(theirs).max()
        assert np.abs(ours.min(axis=0) - theirs.min(axis=0)).max() < 1e-6 * size
        assert np.abs(ours.max(axis=0) - theirs.max(axis=0)).max() < 1e-6 * size
        cells = [{tuple(c) for c in np.round(x / (1e-4 * size)).astype(int)} for x in (ours, theirs)]
        assert len(cells[0] ^ cells[1]) <= 0.01 * len(cells[0])


BOMB = "<library_nodes>" + "".join(f"<node id='n{k}'>" + 2 * f"<instance_node url='#n{k + 1}'/>" + "</node>" for k in range(40)) + "<node id='n40'/></library_nodes>"  # fmt: skip
HOSTILE = {
    "doctype": ("<!DOCTYPE a [<!ENTITY b 'bbb'>]>" + collada()[21:], "DOCTYPE"),
    "doubling nodes": (collada(nodes="<node><instance_node url='#n0'/></node>", more=BOMB), "more than 100000 nodes"),
    "node in itself": (collada(nodes="<node id='n' name='me'><instance_node url='#n'/></node>"), "<instance_node>: the node 'me' contains itself"),
    "other file": (collada(nodes="<node><instance_geometry url='file:///etc/passwd#g'/></node>"), "names no <geometry> of this file"),
    "not Collada": ("<robot/>", "<robot>, not <COLLADA>"),
    "no XML": ("solid", "is not XML"),
    "vertex out of range": (collada().replace("<p>0 0 0 1", "<p>0 0 0 99"), "names vertex 99 of 8"),
    "negative vertex": (collada().replace("<p>0 0 0 1", "<p>0 0 0 -1"), "names vertex"),
    "half a triangle": (collada().replace("<p>0 0 ", "<p>"), "not a multiple of 6"),
    "word for a number": (collada().replace("0.5", "half"), "<float_array>: could not convert"),
    "few numbers": (collada().replace('count="8"', 'count="800000000"'), "<accessor> requires 800000000 points"),
    "stride": (collada().replace('stride="3"', 'stride="0"'), "<accessor stride='0'>"),
    "offset": (collada().replace('offset="1"', 'offset="-1"'), "<input offset='-1'>"),
    "not finite": (collada().replace("0.5", "inf"), "all finite"),
    "unit": (collada(asset="<unit meter='-1'/>"), "<unit meter='-1'> is not a positive length"),
    "up": (collada(asset="<up_axis>W_UP</up_axis>"), "'W_UP'"),
    "skew": (collada(nodes="<node name='n'><skew>1</skew></node>"), "<skew> in the node 'n' is not read"),
    "short matrix": (collada(nodes="<node><matrix>1 2</matrix></node>"), "<matrix> has 2 numbers, not 16"),
    "empty": (collada(nodes="<node/>"), "0 triangles"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_broken_collada_is_refused_with_its_place(tmp_path, case):
    text, says = HOSTILE[case]
    (tmp_path / "bad.dae").write_text(text)
    with pytest.raises(sb.ModelError) as refused:
        surface_parts(tmp_path / "bad.dae", turned=True)
    assert "bad.dae" in str(refused.value)
    assert says in str(refused.value)


GLTF = {
    "file elsewhere": (gltf("../secret.bin")[0], "not a file in the same folder"),
    "node in itself": (gltf(nodes=[{"mesh": 0, "children": [0]}])[0], "a node is part of several others, or of itself"),
    "extension": (gltf(extensionsRequired=["KHR_draco_mesh_compression"])[0], "KHR_draco_mesh_compression"),
    "beyond": (gltf(bufferViews=[{"buffer": 0, "byteOffset": 160}] * 2)[0], "reaches beyond its buffer"),
    "version": (gltf(asset={"version": "1.0"})[0], "not glTF 2"),
    "kind": (gltf(meshes=[{"primitives": 3}])[0], "of another kind"),
    "list": ([], "not glTF 2"),
}


@pytest.mark.parametrize("case", GLTF)
def test_broken_gltf_is_refused(tmp_path, case):
    tree, says = GLTF[case]
    (tmp_path / "secret.bin").write_bytes(gltf()[1])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "bad.gltf").write_text(json.dumps(tree))
    with pytest.raises(sb.ModelError, match=r"bad\.gltf") as refused:
        surface_parts(tmp_path / "in" / "bad.gltf")
    assert says in str(refused.value)
