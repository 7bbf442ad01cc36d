"""Meshes of bodies that deform: outer faces of elements, and surfaces that move with the modes through every picture."""

from __future__ import annotations

import itertools
import json
import struct

import numpy as np
import pytest

import symbody as sb
from symbody.formats.fem.bodies.outer_faces import (
    HEXA,
    HEXA_OF_NASTRAN,
    PYRAMID,
    QUADRANGLE,
    TETRA,
    TRIANGLE,
    WEDGE,
    WEDGE_OF_NASTRAN,
    outer_triangles,
)  # fmt: skip
from symbody.formats.fem.matrices.node_files import nodes_of
from symbody.view.scenes.deformed_surfaces import coarsened_mesh, envelope, normal_shifts, painted_values, places
from symbody.view.scenes.picture import frames_at
from symbody.view.scenes.viewer import data

from .bricks import AROUND, Block

CORNERS = {
    4: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    5: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1)],
    6: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)],
    8: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],
}
VOLUMES = {4: 1 / 6, 5: 1 / 3, 6: 1 / 2, 8: 1.0}


def corners_of(nodes, faces):
    return np.moveaxis(nodes[faces], 1, 0)


def volume(nodes, faces):
    """∫ x · n dA / 3."""
    a, b, c = corners_of(nodes, faces)
    return float(np.einsum("na,na->", a, np.cross(b, c))) / 6


def area(nodes, faces):
    a, b, c = corners_of(nodes, faces)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2


def is_closed(faces):
    """Each side is there once in both directions."""
    sides = [tuple(map(int, s)) for f in faces for s in itertools.pairwise((*f, f[0]))]
    return len(set(sides)) == len(sides) and {(b, a) for a, b in sides} == set(sides)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("kind", [TETRA, PYRAMID, WEDGE, HEXA, WEDGE_OF_NASTRAN, HEXA_OF_NASTRAN])
def test_faces_of_elements_enclose_them(kind, order):
    """Closed and counter-clockwise from outside, also where an element was given inside out."""
    nodes = np.array(CORNERS[kind.corners], dtype=float)
    if order:
        nodes = np.concatenate([nodes, [(nodes[a] + nodes[b]) / 2 for a, b in kind.edges]])
    for mirror in (1.0, -1.0):
        at = nodes * [1, 1, mirror] + [0.3, -0.2, 0.1]
        faces = outer_triangles([(kind, np.arange(len(nodes))[None])], at)
        assert volume(at, faces) == pytest.approx(VOLUMES[kind.corners])
        assert is_closed(faces)
        assert set(faces.ravel()) == set(range(len(nodes)))


def test_faces_between_elements_are_inside():
    block = Block(n=(3, 2, 2))
    faces = outer_triangles([(HEXA, block.cells[:, AROUND])], block.nodes)
    assert len(faces) == 2 * 2 * (3 * 2 + 3 * 2 + 2 * 2)
    assert volume(block.nodes, faces) == pytest.approx(np.prod(block.edges))
    assert is_closed(faces)
    collapsed = np.array([[0, 1, 2, 2, 3, 3, 3, 3]])  # a tetrahedron as programs write it where bricks are meant
    tetra = np.array(CORNERS[4], dtype=float)
    assert volume(tetra, outer_triangles([(HEXA, collapsed)], tetra)) == pytest.approx(1 / 6)


def test_shells_are_all_there():
    """Also where four of them meet at a solid's edge, and on a solid's face."""
    nodes = np.array(CORNERS[8], dtype=float)
    shells = [(QUADRANGLE, np.array([[0, 1, 2, 3], [4, 5, 6, 7]])), (TRIANGLE, np.array([[0, 1, 4]]))]
    assert area(nodes, outer_triangles(shells, nodes)) == pytest.approx(2.5)


# ---------------------------------------------------------------------------------------------------------- from files

ABAQUS = {"C3D8R": (HEXA, 0), "C3D20": (HEXA, 1), "C3D10M": (TETRA, 1), "C3D15": (WEDGE, 1), "SC8R": (HEXA, 0)}
BULK = {"CHEXA": HEXA_OF_NASTRAN, "CPENTA": WEDGE_OF_NASTRAN, "CTETRA": TETRA, "CPYRAM": PYRAMID}


def one_element(kind, order):
    nodes = np.array(CORNERS[kind.corners], dtype=float)
    return np.concatenate([nodes, [(nodes[a] + nodes[b]) / 2 for a, b in kind.edges]]) if order else nodes


@pytest.mark.parametrize("name", ABAQUS)
def test_elements_of_abaqus(name, tmp_path):
    nodes = one_element(*ABAQUS[name])
    rows = "".join(f"{10 * k + 10}, {', '.join(map(str, x))}\n" for k, x in enumerate(nodes))
    numbers = [str(10 * k + 10) for k in range(len(nodes))]
    element = f"7, {', '.join(numbers[:9])}" + (f",\n {', '.join(numbers[9:])}" if numbers[9:] else "")
    (tmp_path / "part.inp").write_text(
        f"*NODE\n{rows}*ELEMENT, TYPE={name}, ELSET=all\n{element}\n*ELEMENT, TYPE=B31\n8, 10, 20\n"
    )
    found = nodes_of("here", tmp_path / "part.inp")
    assert volume(found.places, found.faces) == pytest.approx(VOLUMES[ABAQUS[name][0].corners])
    assert is_closed(found.faces)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("name", BULK)
def test_elements_of_nastran(name, order, tmp_path):
    nodes = one_element(BULK[name], order)
    fields = [name, "1", "1", *(str(k + 1) for k in range(len(nodes)))]
    free = [",".join(fields[:9]), *("," + ",".join(fields[k : k + 8]) for k in range(9, len(fields), 8))]
    small = ["".join(f"{x:8}" for x in line.split(",")) for line in free]
    grid = [f"GRID,{k + 1},,{','.join(map(str, x))}" for k, x in enumerate(nodes)]
    for lines in (free, small, [f"{line},+a" if len(line.split(",")) == 9 else line for line in free]):
        (tmp_path / "part.bdf").write_text("\n".join([*grid, *lines]))
        found = nodes_of("here", tmp_path / "part.bdf")
        assert volume(found.places, found.faces) == pytest.approx(VOLUMES[BULK[name].corners])
        assert is_closed(found.faces)


ANSYS_EDGES = {
    8: "IJ JK KL LI MN NO OP PM IM JN KO LP",
    4: "IJ JK KI IL JL KL",
}  # midside nodes of SOLID186 and SOLID187
ANSYS = {  # type, corners of the element by numbers of the solid's, first or second order
    "brick": (185, (0, 1, 2, 3, 4, 5, 6, 7), 0),
    "brick of second order": (186, (0, 1, 2, 3, 4, 5, 6, 7), 1),
    "wedge": (185, (0, 1, 2, 2, 3, 4, 5, 5), 0),
    "wedge of second order": (186, (0, 1, 2, 2, 3, 4, 5, 5), 1),
    "pyramid of second order": (186, (0, 1, 2, 3, 4, 4, 4, 4), 1),
    "tetrahedron": (285, (0, 1, 2, 3), 0),
    "tetrahedron as a brick": (186, (0, 1, 2, 2, 3, 3, 3, 3), 1),
    "tetrahedron of second order": (187, (0, 1, 2, 3), 1),
}


def ansys_archive(nodes, elements, types, width=9):
    """CDWRITE's archive; elements: type and labels of nodes."""
    line = lambda numbers: "".join(f"{x:{width}d}" for x in numbers)  # noqa: E731
    lines = ["/PREP7", *types, f"NBLOCK,6,SOLID,{len(nodes):10d},{len(nodes):10d}", f"(1i{width},2i7,6e20.13)"]
    lines += [f"{k:{width}d}{0:7d}{0:7d}{''.join(f'{v:20.13E}' for v in x)}" for k, x in nodes.items()]
    lines += ["N,R5.3,LOC,       -1,", f"EBLOCK,19,SOLID,{len(elements):10d},{len(elements):10d}", f"(19i{width})"]
    for k, (kind, members) in enumerate(elements):
        lines.append(line((1, kind, 1, 1, 0, 0, 0, 0, len(members), 0, k + 1, *members[:8])))
        if members[8:]:
            lines.append(line(members[8:]))
    return "\n".join([*lines, f"{-1:{width}d}", "FINISH"]) + "\n"


def ansys_element(corners, order):
    """Corners of a solid in the order of Ansys, with midside nodes between those that differ."""
    at = np.array(CORNERS[len(set(corners))], dtype=float)
    nodes, members = {k + 1: tuple(x) for k, x in enumerate(at)}, [c + 1 for c in corners]
    if order:
        between = {}
        for edge in ANSYS_EDGES[len(corners)].split():
            a, b = (corners["IJKLMNOP".index(x)] for x in edge)
            label = a + 1 if a == b else between.setdefault(frozenset((a, b)), 101 + len(between))
            nodes[label] = tuple((at[a] + at[b]) / 2)
            members.append(label)
    return nodes, members


@pytest.mark.parametrize("name", ANSYS)
def test_elements_of_ansys(name, tmp_path):
    """Types by ET, by their name and by a block; a beam beside the solid has no faces."""
    number, corners, order = ANSYS[name]
    nodes, members = ansys_element(corners, order)
    block = ["ETBLOCK,        2,        2", "(2i9,19a9)", f"{3:9d}{number:9d}{0:9d}", f"{7:9d}{188:9d}", f"{-1:9d}"]
    for types, width in (([f"ET,       3,{number}", "ET,7,188"], 8), (["et,3,SOLID" + str(number)], 10), (block, 9)):
        (tmp_path / "part.cdb").write_text(ansys_archive(nodes, [(7, [1, 2]), (3, members)], types, width))
        found = nodes_of("here", tmp_path / "part.cdb")
        assert volume(found.places, found.faces) == pytest.approx(VOLUMES[len(set(corners))])
        assert is_closed(found.faces)
        assert set(found.labels[np.unique(found.faces)]) == set(members)


def test_midside_nodes_that_ansys_left_out(tmp_path):
    """A node 0, as an element beside one of first order has it: then its corners are drawn."""
    nodes, members = ansys_element(ANSYS["brick"][1], 1)
    members[14] = 0
    (tmp_path / "part.cdb").write_text(ansys_archive(nodes, [(1, members)], ["ET,1,186"]))
    found = nodes_of("here", tmp_path / "part.cdb")
    assert volume(found.places, found.faces) == pytest.approx(1.0)
    assert len(found.faces) == 12


def test_shells_of_files(tmp_path):
    grid = "".join(f"{k + 1}, {x}, {y}, {z}\n" for k, (x, y, z) in enumerate(CORNERS[8][:4]))
    (tmp_path / "part.inp").write_text(f"*NODE\n{grid}*ELEMENT, TYPE=S4R\n1, 1, 2, 3, 4\n")
    bulk = "".join(f"GRID,{k + 1},,{x}.,{y}.,{z}.\n" for k, (x, y, z) in enumerate(CORNERS[8][:4]))
    (tmp_path / "part.bdf").write_text(f"{bulk}CQUAD4,1,1,1,2,3,4,45.,0.1\n")
    flat = {k + 1: x for k, x in enumerate(CORNERS[8][:4])}
    (tmp_path / "part.cdb").write_text(ansys_archive(flat, [(1, [1, 2, 3, 4])], ["ET,1,181"]))
    halves = [(1, [1, 2, 3, 3]), (1, [1, 3, 4])]
    (tmp_path / "halves.cdb").write_text(ansys_archive(flat, halves, ["ET,1,SHELL181"]))
    for name in ("part.inp", "part.bdf", "part.cdb", "halves.cdb"):
        found = nodes_of("here", tmp_path / name)
        assert area(found.places, found.faces) == pytest.approx(1.0)


def test_mistakes_in_faces_are_told(tmp_path):
    (tmp_path / "part.inp").write_text("*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n")
    with pytest.raises(sb.ModelError, match=r"part.inp: an element names node 2, which does not exist"):
        nodes_of("here", tmp_path / "part.inp")
    (tmp_path / "part.inp").write_text("*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n")
    with pytest.raises(sb.ModelError, match=r"type C3D4 have a number and 4 nodes each; 4 numbers follow"):
        nodes_of("here", tmp_path / "part.inp")
    nodes, members = ansys_element(ANSYS["tetrahedron"][1], 0)
    whole = ansys_archive(nodes, [(1, members)], ["ET,1,285"])
    for text, says in (
        (
            whole.replace("ET,1,285", "ET,1,187").replace(f"{4:9d}\n{-1:9d}", f"{5:9d}\n{-1:9d}"),
            "an element names node 5",
        ),
        (whole[: whole.index("EBLOCK")] + "EBLOCK,19,SOLID,1,1\n", "part.cdb cannot be read: it ends within a block"),
        (whole.replace("(19i9)", "19 fields"), "expected widths of fields, found '19 fields'"),
        (whole.replace(f"{1.0:20.13E}", f"{'one':>20}"), "part.cdb cannot be read: could not convert string"),
    ):
        (tmp_path / "part.cdb").write_text(text)
        with pytest.raises(sb.ModelError, match=says):
            nodes_of("here", tmp_path / "part.cdb")
    for name, text in (("part.inp", "*NODE\n1, zero, 0, 0\n"), ("part.bdf", "GRID,1,,zero,0.,0.\n")):
        (tmp_path / name).write_text(text)
        with pytest.raises(sb.ModelError, match=f"{name} cannot be read: could not convert string"):
            nodes_of("here", tmp_path / name)
    block = Block(n=(1, 1, 1))
    for faces, says in (([[0, 1, 8]], "name node 8; there are nodes 0 to 7"), ([[0.5, 1, 2]], "rows of three numbers")):
        with pytest.raises(sb.ModelError, match=says):
            sb.finite_elements(mass=block.mass, stiffness=block.stiffness, nodes=block.nodes, faces=faces)


# ---------------------------------------------------------------------------------------------------------- in pictures


@pytest.fixture(scope="module")
def block():
    return Block(n=(6, 1, 1))


@pytest.fixture(scope="module")
def part(block):
    faces = outer_triangles([(HEXA, block.cells[:, AROUND])], block.nodes)
    matrices = {"mass": block.mass, "stiffness": 1e-4 * block.stiffness}
    made = sb.finite_elements(**matrices, nodes=block.nodes, faces=faces)
    return made.with_sets(root=made.near(x=0))


@pytest.fixture(scope="module")
def arm(part):
    return part.reduced(interfaces={"root": "rbe2"}, modes=3)


def machine(arm):
    m = sb.Model("arm")
    body = m.elastic_from("arm", arm)
    m.revolute("hinge", m.ground, body, axis="z")
    m.gravity(0, -9.81, 0)
    return sb.derive(m), body


@pytest.fixture(scope="module")
def sim(arm):
    return sb.simulate(machine(arm)[0], 0.5, hinge=0.4)


@pytest.fixture(scope="module")
def scene(sim):
    return sb.scene(sim, samples=21, paint="displacement")


def test_vertices_are_where_the_nodes_are(arm, sim, scene):
    """x = x_0 + Σ q_k s_k, carried by the frame: as the points of the body are."""
    eq, body = machine(arm)
    (surface,) = scene.surfaces
    assert not [s for s in scene.spans if s.name == "arm"]
    corner = np.flatnonzero((np.abs(surface.mesh.vertices - [1.0, 0.03, 0.02]) < 1e-9).all(axis=1))
    assert len(corner) == 3  # sharp edges: a vertex for each of the three sides
    point = list(body.point(1.0, 0.03, 0.02).in_ground)
    moved = 0.0
    for k, t in enumerate(scene.t):
        R, r = frames_at(scene, float(t))["arm"]
        found = places(surface, surface.weights[0, k]) @ R.T + r
        state = sim.at([float(t)])
        expected = sb.evaluate(point, dict(zip(eq.q, state.q[0], strict=True)))
        assert found[corner] == pytest.approx(np.tile(np.array(expected, dtype=float), (3, 1)), abs=1e-9)
        moved = max(moved, float(painted_values(surface, surface.weights[0, k])[corner].max()))
    assert moved == pytest.approx(surface.largest, rel=1e-6)
    assert moved > 0.01


def test_page_has_the_same_numbers(scene):
    (made,) = data(scene)["surfaces"]
    assert made["shifts"]["parts"]["shape"] == [3, len(scene.surfaces[0].mesh.vertices), 3]
    assert made["w"]["shape"] == [1, 21, 3]
    assert made["paint"] == "displacement"


def test_stills_show_the_deformed_mesh(arm):
    """A straight arm and a bent one: what is drawn reaches as far as the nodes do."""
    eq, _ = machine(arm)
    straight, bent = (sb.scene(eq, hinge=0.0, arm_q1=x) for x in (0.0, 0.05))
    assert straight.svg().count("<path") == bent.svg().count("<path")
    assert straight.svg() != bent.svg()
    assert sb.scene(eq, hinge=0.0, arm_q1=0.05, paint="displacement").svg() != bent.svg()


def test_modes_bend_by_a_part_of_the_size(arm):
    eq, _ = machine(arm)
    shown = sb.scene(eq, mode={"arm_q1": 1.0}, frequency=10.0)
    (surface,) = shown.surfaces
    reach = max(float(np.abs(places(surface, w) - surface.mesh.vertices).max()) for w in surface.weights[-1])
    assert 0.1 < reach / shown.size <= 0.2 + 1e-9
    assert surface.weights.shape[:2] == (len(shown.levels), len(shown.t))


def test_gltf_morphs(scene):
    """Targets with weights give the places of the scene; normals turn as those of the deformed triangles do."""
    raw = scene.gltf()
    (length,) = struct.unpack_from("<I", raw, 12)
    document, body = json.loads(raw[20 : 20 + length]), raw[28 + length :]

    def numbers(k):
        a, view = document["accessors"][k], document["bufferViews"][document["accessors"][k]["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
        return np.frombuffer(body, "<f4", a["count"] * width, view["byteOffset"]).reshape(a["count"], width)

    (mesh,) = [m for m in document["meshes"] if "weights" in m]
    (surface,) = scene.surfaces
    (primitive,) = mesh["primitives"]
    (channel,) = [c for c in document["animations"][0]["channels"] if c["target"]["path"] == "weights"]
    assert document["meshes"][document["nodes"][channel["target"]["node"]]["mesh"]] is mesh
    weights = numbers(document["animations"][0]["samplers"][channel["sampler"]]["output"]).reshape(21, 3)
    rest, targets = numbers(primitive["attributes"]["POSITION"]), [numbers(t["POSITION"]) for t in primitive["targets"]]
    for k in (0, 7, 20):
        morphed = rest + sum(w * t for w, t in zip(weights[k], targets, strict=True))
        assert morphed == pytest.approx(places(surface, surface.weights[0, k]), abs=1e-5)
    assert mesh["extras"]["targetNames"] == ["arm_q1", "arm_q2", "arm_q3"]
    assert primitive["attributes"]["COLOR_0"]
    assert envelope(surface).max() == surface.largest

    def normals(w):
        x, t, total = places(surface, w), surface.mesh.triangles, np.zeros_like(rest, dtype=float)
        for k in range(3):
            np.add.at(total, t[:, k], np.cross(x[t[:, 1]] - x[t[:, 0]], x[t[:, 2]] - x[t[:, 0]]))
        return total / np.linalg.norm(total, axis=1, keepdims=True)

    h = 1e-6
    for k, turn in enumerate(normal_shifts(surface)):
        w = h * np.eye(3)[k]
        assert turn == pytest.approx((normals(w) - normals(-w)) / (2 * h), abs=1e-5)


def test_stress_is_painted_as_it_is_recovered(tmp_path):
    """Colours are von Mises stresses of `stresses`, at the corners of a mesh of second order and between them."""
    skfem = pytest.importorskip("skfem", reason="needs the package scikit-fem")
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, 1, 4), np.linspace(-0.05, 0.05, 2), np.linspace(-0.05, 0.05, 2))
    part = sb.finite_elements(skfem.Basis(mesh, skfem.ElementHex2()), young=1e7, poisson=0.3, density=1000.0)
    assert volume(part.nodes, part.faces) == pytest.approx(0.01)
    assert is_closed(part.faces)
    assert len(part.faces) == 8 * 14
    made = part.with_sets(root=part.near(x=0)).reduced(interfaces={"root": "rbe2"}, modes=2)
    eq, body = machine(made)
    state = {"hinge": 0.2, "arm_q1": 0.02, "arm_q2": -0.01}
    shown = sb.scene(eq, values=state, paint="stress")
    (surface,) = shown.surfaces
    recovered = body.stresses({**{k: [v] for k, v in state.items()}, "t": [0.0]})
    corners = part.nodes[part.places["nodes"]]
    found = painted_values(surface, surface.weights[0, 0])
    for x, value in zip(corners, recovered.von_mises[0], strict=True):
        here = (np.abs(surface.mesh.vertices - x) < 1e-9).all(axis=1)
        assert found[here] == pytest.approx(value, rel=1e-9)
        assert here.any()
    assert surface.largest == pytest.approx(recovered.largest[0], rel=1e-9)
    kept = sb.formats.read_reduced(made.save(tmp_path / "arm.npz")).surface(body.coordinates)
    assert np.array_equal(kept.stress, body.surface.stress, equal_nan=True)


def test_fewer_triangles_where_there_are_too_many():
    block = Block(n=(24, 6, 6))
    faces = outer_triangles([(HEXA, block.cells[:, AROUND])], block.nodes)
    used, fewer = coarsened_mesh(block.nodes, faces, 400)
    assert 100 < len(fewer) <= 400
    assert fewer.max() < len(used)
    assert np.ptp(block.nodes[used], axis=0) == pytest.approx(block.edges, rel=0.25)
    assert volume(block.nodes[used], fewer) == pytest.approx(np.prod(block.edges), rel=0.3)


def test_what_cannot_be_painted_is_told(arm):
    eq, _ = machine(arm)
    with pytest.raises(sb.errors.ViewError, match=r"no quantity 'strain'.*displacement, stress"):
        sb.scene(eq, paint="strain")
    with pytest.raises(sb.errors.ViewError, match="no body has stresses at its nodes"):
        sb.scene(eq, paint="stress")
    m = sb.Model("rigid")
    m.revolute("a", m.ground, m.body("b", mass=1.0, com=(1, 0, 0)))
    with pytest.raises(sb.errors.ViewError, match="no body has one"):
        sb.scene(sb.derive(m), paint="displacement")
