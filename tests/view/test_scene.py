"""Scenes as data: poses against symbolic positions, appearance against what mechanisms are, what goes onto a page."""

import base64
import html
import importlib
import json
import math
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ViewError
from symbody.rotation_arrays import euler_parameters, rotation_matrix
from symbody.study.model_reading import read_model_text
from symbody.view.scenes import viewer
from symbody.view.scenes.camera import round_number
from symbody.view.scenes.meshes import found_file, read_mesh
from symbody.view.scenes.picture import ARROW_WIDTH, frames_at, picture
from symbody.view.scenes.poses import continuous_parameters, interpolated_rotation, turning_z_to
from symbody.view.scenes.scene import Scene, scene
from symbody.view.scenes.scene_items import GROUND, GROUPS, Solid
from symbody.view.scenes.shown_motion import MAX_ROTATION, shown_motion_of, trajectory_of
from symbody.view.scenes.skeleton import SkeletonFinder, placer
from symbody.view.scenes.solids import unit_mesh
from symbody.view.scenes.viewer import data, page

from ..amount import some

EXAMPLES = sorted(p.stem for p in (Path(__file__).parents[2] / "examples").glob("*.py"))
STARTS = {"string_with_particles": {"q1": 0.2, "q2": 0.05, "q3": 0.1}, "four_bar_spatial": {"q1": 0.5}}


def example(name: str) -> sb.Model:
    return importlib.import_module(f"examples.{name}").model()


def start_of(name: str) -> dict[str, float]:
    module = importlib.import_module(f"examples.{name}")
    given = getattr(module, "START", None) or (module.start() if hasattr(module, "start") else None)
    return dict(given or STARTS.get(name, {}))


@cache
def scene_at_start(name: str) -> Scene:
    return scene(sb.assemble(sb.derive(example(name)), start_of(name)))


@cache
def finder_of(name: str) -> SkeletonFinder:
    eq = sb.derive(example(name))
    place = placer(eq)
    return SkeletonFinder(shown_motion_of(trajectory_of(sb.assemble(eq, start_of(name)), {}), place, None), place)


def double_pendulum() -> sb.Model:
    """In space: the second bar swings across the plane of the first."""
    m = sb.Model("double <pendulum>")
    p = m.parameters(l=0.8, mass=1.5, g=9.81)
    m.gravity(0, 0, -p.g)
    upper = m.body("upper", mass=p.mass, shape=sb.bar(p.l, "z", at=(0, 0, -p.l / 2)))
    lower = m.body("lower", mass=p.mass, com=(0, 0.02, -p.l / 3), inertia=(0.08, 0.08, 0.01))
    m.revolute("a", m.ground, upper, axis="x")
    m.revolute("b", upper, lower, axis=(0.6, 0.8, 0), at=(0, 0, -p.l))
    return m


@pytest.fixture(scope="module")
def swinging() -> tuple[sb.Trajectory, Scene]:
    sim = sb.simulate(sb.derive(double_pendulum()), 2.0, a=0.9, b=-0.4)
    return sim, scene(sim, forces=("loads", "reactions"))


# ---------------------------------------------------------------------------------------------------- poses


def test_tracks_are_where_the_frames_are(swinging):
    """Position of a point fixed in each body: from the track, and from its symbolic position along the trajectory."""
    sim, made = swinging
    ground, bodies = sim.equations.mechanism.ground, sim.equations.mechanism.bodies
    at = sim.at(made.t)
    for body, track in zip(bodies, made.frames, strict=True):
        assert body.name == track.name
        there = at[body.point(0.1, -0.2, 0.3).position().components(ground)].reshape(-1, 3)
        for k in range(0, len(made.t), 17):
            R = rotation_matrix(track.rotation[0, k])
            assert track.position[0, k] + R @ [0.1, -0.2, 0.3] == pytest.approx(there[k], abs=1e-12)


def test_euler_parameters_do_not_jump():
    """Three turns about an axis: neighbours stay near although a turn changes the sign of all four."""
    angle = np.linspace(0, 6 * math.pi, 100)
    e = np.stack([np.cos(angle / 2), 0.6 * np.sin(angle / 2), 0.8 * np.sin(angle / 2), 0 * angle], axis=1)
    got = continuous_parameters(euler_parameters(rotation_matrix(e)))
    assert np.abs(np.diff(got, axis=0)).max() < 0.2
    assert got == pytest.approx(e, abs=1e-12)


def test_between_is_half_the_turn():
    e, f = np.array([1.0, 0, 0, 0]), np.array([math.cos(0.5), 0, 0, math.sin(0.5)])
    assert interpolated_rotation(e, 0.5, -f) == pytest.approx([math.cos(0.25), 0, 0, math.sin(0.25)])


@pytest.mark.parametrize("direction", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-0.3, 0.5, -0.8)])
def test_turning_z_to(direction):
    assert rotation_matrix(turning_z_to(direction))[:, 2] == pytest.approx(
        np.array(direction) / np.linalg.norm(direction)
    )


def test_fast_wheels_get_more_samples():
    """A rotor at 300 rad/s: from one sample to the next it turns no more than can be told from turning back."""
    m = sb.Model("rotor")
    rotor = m.body("rotor", mass=1.0, shape=sb.disc(0.1, "x"))
    m.revolute("a", m.ground, rotor, axis="x")
    made = scene(sb.simulate(sb.derive(m), 2.0, a_dot=300.0))
    e = made.frames[0].rotation[0]
    turn = 2 * np.arccos(np.clip(np.abs(np.sum(e[1:] * e[:-1], axis=1)), 0, 1))
    assert turn.max() <= MAX_ROTATION


def test_motion_backwards_is_shown_forwards():
    """A motion that was computed from t = 1 to t = 0, with all between and at given times only."""
    eq = sb.derive(double_pendulum())
    for t in ((1.0, 0.0), [1.0, 0.6, 0.0]):
        sim = sb.simulate(eq, t, a=0.3)
        made = scene(sim)
        assert (made.t[0], made.t[-1]) == (0.0, 1.0)
        assert (np.diff(made.t) > 0).all()
        angle = 2 * math.atan2(made.frames[0].rotation[0, -1, 1], made.frames[0].rotation[0, -1, 0])
        assert angle == pytest.approx(0.3)


# ---------------------------------------------------------------------------------------------------- appearance


@pytest.mark.parametrize("name", some(EXAMPLES, 3))
def test_every_example_can_be_seen(name):
    """Every body of every example has solids; all numbers are finite; the data is JSON; all is in view; nothing is
    below the floor."""
    eq = sb.derive(example(name))
    made = scene(sb.assemble(eq, start_of(name)))
    bodies = {b.name for b in eq.mechanism.bodies}
    deforming = {s.name for s in made.spans if s.kind == "rod"}
    assert {s.frame for s in made.solids if s.group == "bodies"} | deforming == bodies
    json.dumps(data(made), allow_nan=False)
    numbers = [x for s in made.solids for x in (*s.size, *s.position, *s.rotation)]
    assert np.isfinite(numbers).all()
    assert all(x > 0 for s in made.solids for x in s.size)
    frames = frames_at(made, float(made.t[0]))
    for s in (s for s in made.solids if s.group == "bodies"):
        R, r = frames[s.frame]
        place = r + R @ np.array(s.position)
        assert np.linalg.norm(place - np.array(made.camera.target)) <= 2.5 * made.camera.radius
        if made.floor is not None:
            assert place @ np.array(made.camera.up) >= made.floor.height


@pytest.mark.parametrize(
    ("name", "wheel", "radius"), [("motorcycle", "front wheel", "Rf"), ("bicycle", "front wheel", "R")]
)
def test_wheels_are_found_by_what_touches_the_ground(name, wheel, radius):
    """Bodies without a shape, known to be wheels by forces that run around in them at one distance, about y."""
    finder = finder_of(name)
    bones = finder.skeleton()
    assert sorted(bones.wheels) == ["front wheel", "rear wheel"]
    found, value = bones.wheels[wheel], {s.name: v for s, v in finder.mechanism.values.items()}[radius]
    assert found.radius == pytest.approx(value)
    assert np.abs(found.axis) == pytest.approx([0, 1, 0], abs=1e-9)
    assert finder.contact_height(np.array([0, 0, -1.0])) == pytest.approx(0, abs=1e-9)


def test_front_hub_of_the_motorcycle_is_on_its_fork():
    """The front wheel has coordinates of its own; that its hub stays a point of the fork is found out."""
    bones = finder_of("motorcycle").skeleton()
    eps, an, Rf, j, k, e = 0.4715, 0.1158, 0.3048, 0.4167186306, 0.8796329043, 0.0244
    s, c = math.sin(eps), math.cos(eps)
    hub = (-an + Rf * s, 0, -(-s * k * c + c**2 * Rf + s * e - j + c**2 * j + s * an) / c)
    assert any(np.allclose(x, hub) for x in bones.held["front chassis"])


def test_strings_hang_between_their_supports():
    """Beads placed by vectors alone: the string between them, and to both supports, at (0, 0, 0) and (0, K, 0)."""
    bones = finder_of("string_with_particles").skeleton()
    ends = sorted((s.first, s.second, tuple(round(x, 6) + 0.0 for x in s.place or ())) for s in bones.strings)
    assert ends == [("first", "", (0, 0, 0)), ("first", "second", ()), ("second", "", (0, 0.586, 0))]


def test_box_of_equal_inertia():
    """The satellite's base: edges a with a² = 6 (I_y + I_z - I_x) / m; largest along y, hinges outside it."""
    made = scene_at_start("satellite")
    (box,) = (s for s in made.solids if s.frame == "base" and s.kind == "box")
    edges = rotation_matrix(box.rotation) @ np.diag(box.size) @ rotation_matrix(box.rotation).T
    assert np.diag(edges) == pytest.approx(np.sqrt([6 * 0.125 / 20, 6 * 0.375 / 20, 6 * 0.125 / 20]))


LINKS = {  # bodies without a shape: length of the rod, and whether a ball marks the mass centre
    "quadrangle": {"crank": (2.0, False), "coupler": (4.0, False), "rocker": (4.0, False)},  # boxes as thin as rods
    "spherical_chain": {"rod 1": (1.0, False), "rod 3": (1.0, False)},  # the last is held at one end
    "triple_pendulum": {"link 1": (1.0, False), "link 3": (0.5, True)},  # inertia of more than fits between the joints
    "four_bar_spatial": {"coupler": (1.0, False), "first crank": (1.0, True)},  # a cube; a particle with a rod
    "tuomela_pendulum": {"bar": (0.765, True)},
}


@pytest.mark.parametrize(("name", "link"), [(n, link) for n, links in LINKS.items() for link in links])
def test_links_without_a_shape_are_rods_between_their_joints(name, link):
    """One rod, no box, and a ball where the mass centre is not seen to be in the middle."""
    made = scene_at_start(name)
    solids = [s for s in made.solids if s.frame == link and s.group == "bodies"]
    (rod,) = (s for s in solids if s.kind == "cylinder")
    length, has_ball = LINKS[name][link]
    assert rod.size[1] == pytest.approx(length, rel=1e-3)
    assert not [s for s in solids if s.kind == "box"]
    assert any(s.kind == "sphere" and s.size[0] > 1.3 * rod.size[0] for s in solids) == has_ball


def test_bodies_that_are_more_than_links_keep_their_boxes():
    """Satellite, wider than the way between its hinges; a slider."""
    for name, body in (("satellite", "base"), ("satellite", "link theta2"), ("spatial_crank", "slider")):
        made = scene_at_start(name)
        assert [s.kind for s in made.solids if s.frame == body].count("box") == 1


@pytest.mark.parametrize(
    ("name", "joint", "axis"),
    [
        ("slider_crank", "bearing", (0, 0, 1)), ("slider_crank", "x", (1, 0, 0)), ("triple_pendulum", "q2", (1, 0, 0)),
        ("spatial_crank", "bearing", (1, 0, 0)), ("spatial_crank", "guide", (1, 0, 0)), ("stanford_arm", "q3", (0, 1, 0)),
        ("quadrangle", "hinge", (0, 0, 1)),
    ],
)  # fmt: skip
def test_axes_of_joints(name, joint, axis):
    """Of trees and of loops; in the ground at the first time, up to sign."""
    finder = finder_of(name)
    (h,) = (h for h in finder.skeleton().hinges if h.name == joint)
    found = finder.now.R[finder.frame_of(h.carrier)][0] @ np.array(h.axis)
    assert np.abs(found) == pytest.approx(axis, abs=1e-6)


def test_shapes_and_colours_of_choice():
    eq = sb.derive(double_pendulum())
    l = eq.mechanism.p[0]
    ball = Solid("sphere", "", (0.1, 0.1, 0.1), colour="#112233")
    made = scene(eq, shapes={"upper": sb.box(0.1, l / 4, 0.3), "lower": [ball]}, colours={"upper": "teal"}, a=0.3)
    upper, lower = (s for s in made.solids if s.group == "bodies")
    assert (upper.kind, upper.size, upper.frame, upper.colour) == (
        "box",
        (0.1, pytest.approx(0.2), 0.3),
        "upper",
        "#0f8b8d",
    )
    assert (lower.kind, lower.frame, lower.colour) == ("sphere", "lower", "#112233")


def test_a_solid_knows_colours_by_name():
    assert Solid("sphere", "", (1, 1, 1), colour="orange").colour == "#e8820c"
    with pytest.raises(ViewError, match=r"'oranje' is not a colour.*Did you mean 'orange'"):
        Solid("sphere", "", (1, 1, 1), colour="oranje")


def test_an_ellipsoid_is_no_ball_in_stills():
    """Its outline is as wide as its radii say; one of a ball is a disc, without corners that are seen."""
    eq = sb.derive(double_pendulum())

    def outline(size):
        shapes = {"upper": [Solid("sphere", "", size)], "lower": []}
        made = picture(scene(eq, shapes=shapes, show=["bodies"]), 0.0)
        return np.ptp(np.concatenate([p.points for p in made.patches if not p.opacity < 1]), axis=0)

    round_one, long_one = outline((0.3, 0.3, 0.3)), outline((0.3, 0.05, 0.05))
    assert round_one[0] == pytest.approx(round_one[1], rel=0.02)
    assert max(long_one) > 2 * min(long_one)


def test_robots_show_their_visuals(tmp_path):
    """Primitive visuals where they are in the body; meshes only from folders that were named, and never outside
    them."""
    (tmp_path / "part.stl").write_text(
        "solid x\n" + "".join(f"vertex {x} {y} 0\n" for x, y in ((0, 0), (1, 0), (0, 1))) + "endsolid\n"
    )
    text = """<robot name="r"><link name="base"><visual><geometry><mesh filename="package://arm/part.stl" scale="2 2 2"/></geometry></visual></link>
      <link name="arm"><inertial><origin xyz="0 0 .2"/><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
      <visual><origin xyz="0 0 .25" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius=".03" length=".5"/></geometry>
      <material name="m"><color rgba="1 0 0 .5"/></material></visual></link>
      <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/><limit effort="1" velocity="1"/></joint></robot>"""
    robot = sb.read_urdf(text)
    made = scene(sb.derive(robot), shapes=robot, packages={"package://arm/": tmp_path}, j=0.5)
    mesh, tube = sorted((s for s in made.solids if s.group == "bodies"), key=lambda s: s.kind, reverse=True)
    assert (mesh.kind, mesh.frame, mesh.size) == ("mesh", GROUND, (2, 2, 2))
    assert (tube.kind, tube.colour, tube.opacity) == ("cylinder", "#ff0000", 0.5)
    R, r = frames_at(made, 0.0)["arm"]
    place, axis = r + R @ np.array(tube.position), R @ rotation_matrix(tube.rotation)[:, 2]
    turned = np.array([math.sin(0.5), 0, math.cos(0.5)])
    assert place == pytest.approx(np.array([0, 0, 1]) + 0.25 * turned)
    assert np.abs(axis) == pytest.approx(np.abs([math.cos(0.5), 0, math.sin(0.5)]))
    without = scene(sb.derive(robot), shapes=robot)
    assert "mesh" not in {s.kind for s in without.solids}
    with pytest.raises(ViewError, match="outside"):
        found_file("package://arm/../secret.stl", {"package://arm/": tmp_path})


def test_meshes_from_files(tmp_path):
    """A cube as OBJ: sharp edges keep their normals; broken files are refused with the reason."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {' '.join(map(str, f))}\n" for f in faces)
    (tmp_path / "cube.obj").write_text(text)
    cube = read_mesh(tmp_path / "cube.obj")
    assert (len(cube.triangles), len(cube.vertices)) == (12, 24)
    assert sorted(np.abs(cube.normals).max(axis=1)) == pytest.approx([1.0] * 24)
    wire = viewer._mesh(cube)
    parts = {
        k: np.frombuffer(base64.b64decode(wire[k]["data"]), t) for k, t in (("v", "<u2"), ("n", "i1"), ("i", "<u2"))
    }
    assert parts["v"].reshape(-1, 3) / 65535 * wire["size"] + wire["low"] == pytest.approx(cube.vertices, abs=1e-5)
    assert parts["n"].reshape(-1, 3) / 127 == pytest.approx(cube.normals, abs=0.005)
    assert (parts["i"].reshape(-1, 3) == cube.triangles).all()
    (tmp_path / "bad.obj").write_text("v 0 0 0\nf 1 2 3\n")
    (tmp_path / "bad.stl").write_bytes(b"\x00" * 90)
    for name, says in (
        ("bad.obj", "vertex 3 of 1"),
        ("bad.stl", "neither"),
        ("gone.stl", "no such file"),
        ("x.ply", ".stl, .obj, .dae"),
    ):
        with pytest.raises(ViewError, match=says):
            read_mesh(tmp_path / name)


def test_drawing_of_a_model_file():
    """Shapes, traces, what is up and what is hidden, as a model file asks for them."""
    text = """
symbody: 1
name: pendulum
parameters: {l: 1.0, m: 1.0}
bodies:
  bar: {mass: m, shape: {bar: l, axis: z, at: [0, 0, -l/2]}}
joints:
  a: {revolute: [ground, bar], axis: x}
draw:
  up: y
  shapes:
    bob: {on: bar, sphere: l/10, at: [0, 0, -l], colour: red}
    wall: {on: ground, box: [1, 0.1, 1], at: [0, 1, 0]}
"""
    read = read_model_text(text)
    made = scene(sb.derive(read.model), shapes=read.requests.draw)
    bob, wall = (next(s for s in made.solids if s.name == n) for n in ("bob", "wall"))
    assert (bob.frame, bob.size, bob.position, bob.colour) == ("bar", (0.1, 0.1, 0.1), (0, 0, -1), "#d6453d")
    assert (wall.frame, wall.size, made.camera.up) == (GROUND, (1, 0.1, 1), (0, 1, 0))


def test_springs_end_where_they_are_hooked():
    made = scene(sb.assemble(sb.derive(example("sleigh")), start_of("sleigh")))
    (spring,) = made.spans
    assert (spring.kind, spring.start.frame, spring.start.point) == ("spring", "sleigh", pytest.approx((2, 0, 0)))
    R, r = frames_at(made, 0.0)[spring.end.frame]
    assert r + R @ np.array(spring.end.point) == pytest.approx([0, 0, 0], abs=1e-12)


def test_camera_follows_what_goes_far():
    m = sb.Model("puck")
    puck = m.body("puck", mass=1.0, shape=sb.disc(0.1))
    m.planar("p", m.ground, puck)
    made = scene(sb.simulate(sb.derive(m), 5.0, p_x_dot=3.0))
    assert made.camera.follows
    assert made.centre[-1] == pytest.approx([15, 0, 0])


@pytest.mark.parametrize(("x", "nice"), [(0.13, 0.1), (0.16, 0.2), (37, 50), (1, 1)])
def test_round_number(x, nice):
    assert round_number(x) == pytest.approx(nice)


@pytest.mark.parametrize(("kind", "ratio", "volume"), [
    ("box", 0, 1), ("cylinder", 0, math.pi), ("cone", 0, math.pi / 3), ("sphere", 0, 4 * math.pi / 3), ("torus", 0.2, 2 * math.pi**2 * 0.04)
])  # fmt: skip
def test_unit_solids_are_closed_and_face_outwards(kind, ratio, volume):
    """The volume from the divergence theorem, Σ a · (b × c) / 6, is that of the solid less what facets cut off; normals
    agree with faces."""
    m = unit_mesh(kind, ratio)
    a, b, c = (m.vertices[m.triangles[:, k]] for k in range(3))
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6 == pytest.approx(volume, rel=0.03)
    faces = np.cross(b - a, c - a)
    assert (np.einsum("ni,nki->nk", faces, m.normals[m.triangles]) > 0).all()


# ---------------------------------------------------------------------------------------------------- forces and modes


def test_arrows_are_the_forces(swinging):
    """Gravity is m g at each mass centre; the reaction in the first joint is what the trajectory says, in the
    ground."""
    sim, made = swinging
    at = sim.at(made.t)
    weight = [a for a in made.arrows if a.name == "gravity"]
    assert len(weight) == 2
    for body, a in zip(sim.equations.mechanism.bodies, weight, strict=True):
        assert a.vector == pytest.approx(np.tile([0, 0, -1.5 * 9.81], (len(made.t), 1)))
        assert a.at == pytest.approx(
            at[body.mass_centre.position().components(sim.equations.mechanism.ground)].reshape(-1, 3)
        )
    (held,) = (a for a in made.arrows if (a.name, a.kind, a.colour) == ("a", "force", "reaction"))
    assert held.vector == pytest.approx(at.reaction("a")[0].reshape(-1, 3), abs=1e-9)


def test_arrows_of_rounding_are_left_out():
    """A plane crank: moments about axes in its plane are zero but for rounding."""
    eq = sb.derive(example("slider_crank"))
    made = scene(sb.simulate(eq, 1.0, start_of("slider_crank")), forces="reactions")
    assert made.arrows
    assert "torque" not in {a.kind for a in made.arrows}


def test_mode_moves_along_its_shape():
    """q0 + Re(ε shape exp(i ω t)): the upper bar turns by ε cos ωt, the lower one ahead by the phase of its
    displacement."""
    eq = sb.derive(double_pendulum())
    made = scene(eq, mode={"a": 1.0, "b": 0.5j}, frequency=4.0)
    assert made.frequency == 4.0
    assert made.t[-1] == pytest.approx(2 * math.pi / 4)
    angle = 2 * np.arctan2(made.frames[0].rotation[:, :, 1], made.frames[0].rotation[:, :, 0])
    wave = np.cos(4 * made.t)
    for level, row in zip(made.levels, angle, strict=True):
        assert row == pytest.approx(level * angle[-1, 0] * wave, abs=1e-9)
    assert 0.1 < angle[-1, 0] <= 0.5 + 1e-9
    upper, lower = (np.stack([rotation_matrix(e) for e in f.rotation[-1]]) for f in made.frames)
    relative = continuous_parameters(euler_parameters(np.einsum("nji,njk->nik", upper, lower)))
    ahead = 2 * np.arctan2(relative[:, 1:] @ [0.6, 0.8, 0], relative[:, 0])
    assert ahead == pytest.approx(-0.5 * angle[-1, 0] * np.sin(4 * made.t), abs=1e-9)


def test_mode_of_a_loop_stays_closed():
    """At the largest amplitude the ball joint of the spatial four-bar is still one point, though only one crank was
    said to move."""
    eq = sb.derive(example("four_bar_spatial"))
    made = scene(eq, mode={"q1": 1.0}, frequency=1.0)
    coupler, crank = (next(f for f in made.frames if f.name == n) for n in ("coupler", "second crank"))
    gaps = [
        p + rotation_matrix(e) @ [1, 0, 0] - r - rotation_matrix(f) @ [0, -1, 0]
        for p, e, r, f in zip(
            coupler.position[-1], coupler.rotation[-1], crank.position[-1], crank.rotation[-1], strict=True
        )
    ]
    assert np.abs(gaps).max() < 1e-9
    assert np.ptp(coupler.position[-1], axis=0).max() > 0.05


def test_mode_of_a_linear_system():
    eq = sb.derive(double_pendulum())
    modes = [m for m in sb.linearize(eq, sb.steady(eq)).modes() if m.eigenvalue.imag > 0]
    made = scene(eq, mode=modes[0])
    assert made.frequency == pytest.approx(modes[0].eigenvalue.imag)


# ---------------------------------------------------------------------------------------------------- pages


def test_page_is_self_contained(swinging):
    """No address of anything else; a policy that forbids to load; the still is an SVG that a parser accepts."""
    text = page(swinging[1])
    assert not re.search(r"""(src|href)\s*=\s*["']?(?!data:)[a-z./]|@import|url\(""", text.replace("srcdoc", ""))
    assert set(re.findall(r"https?://[^\"' )]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in text
    ElementTree.fromstring(swinging[1].svg())


def test_names_cannot_break_out_of_the_page():
    m = sb.Model("</title><script>alert(1)</script>")
    body = m.body("</script><img src=x onerror=alert(2)>", mass=1.0, inertia=(1, 1, 1))
    m.revolute("a", m.ground, body)
    made = scene(sb.derive(m), show=GROUPS)
    text = page(made)
    assert "<img" not in text
    assert "alert(1)</script>" not in text
    assert text.count("<script") == 2
    ElementTree.fromstring(made.svg())


def test_notebook_shows_the_page(swinging):
    made = swinging[1]._repr_html_()
    inside = html.unescape(re.search(r'srcdoc="([^"]*)"', made)[1])
    assert inside == page(swinging[1])


def test_saved_by_what_the_name_ends_in(swinging, tmp_path):
    assert (swinging[1].save(tmp_path / "a.html")).read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (swinging[1].save(tmp_path / "a.glb")).read_bytes().startswith(b"glTF")
    assert (swinging[1].save(tmp_path / "a.svg")).read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"shapes": {"uper": sb.bar(1)}}, "no body 'uper'; there are upper, lower. Did you mean 'upper'"),
        ({"shapes": {"upper": 3}}, "shapes such as box"),
        ({"colours": {"upper": "bluish"}}, "'bluish' is not a colour"),
        ({"traces": ["tip"]}, "no body 'tip'"),
        ({"forces": "weights"}, "there are loads, reactions"),
        ({"show": ["axes"]}, "show=axes; there are bodies"),
        ({"mode": {"c": 1.0}}, "no coordinate 'c'; there are a, b"),
        ({"mode": {"a": 0.0}}, "no coordinate moves"),
        ({"mode": 3}, "mode= must be a mode"),
    ],
)
def test_mistakes_are_told(how, says):
    with pytest.raises(ViewError, match=re.escape(says)):
        scene(sb.derive(double_pendulum()), **how)


def test_wrong_sources_and_names_are_told(swinging, tmp_path):
    sim, made = swinging
    for wrong in (double_pendulum(), 3):
        with pytest.raises(ViewError, match="expected equations, a state, a trajectory or an orbit"):
            scene(wrong)
    with pytest.raises(ViewError, match="has its values already; a cannot"):
        scene(sim, a=1.0)
    with pytest.raises(ViewError, match="a name ends in"):
        made.save(tmp_path / "a.png")
    with pytest.raises(ViewError, match="samples=1"):
        scene(sim, samples=1)
    beyond = {"q1": 0.2, "q2": 1.5, "q3": 0.0}  # the strings are not that long
    with pytest.raises(ViewError, match="body 'second' has no finite position"):
        scene(sb.State.of(sb.derive(example("string_with_particles")), beyond))


def test_collada_meshes_of_a_robot_are_shown(tmp_path):
    """By URDF and SDF alike, in metres."""
    (tmp_path / "part.dae").write_text(
        """<COLLADA><asset><unit meter="0.001"/></asset><library_geometries><geometry id="g"><mesh><source id="p">
        <float_array id="f">0 0 0 1000 0 0 0 500 0</float_array><technique_common><accessor source="#f" count="3" stride="3">
        <param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries></COLLADA>"""
    )
    inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    urdf = f"""<robot name="r"><link name="a"/><link name="b">{inertial}<visual><geometry><mesh filename="package://arm/part.dae"/></geometry></visual></link>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>"""
    sdf = """<sdf version="1.7"><model name="r"><link name="b"><inertial><mass>1</mass></inertial><visual name="v"><geometry><mesh>
      <uri>package://arm/part.dae</uri></mesh></geometry></visual></link><joint name="j" type="revolute"><parent>world</parent><child>b</child></joint></model></sdf>"""
    for robot in (sb.read_urdf(urdf), sb.read_sdf(sdf)):
        (mesh,) = scene(sb.derive(robot), shapes=robot, packages={"package://arm/": tmp_path}).meshes.values()
        assert np.ptp(mesh.vertices, axis=0) == pytest.approx([1.0, 0.5, 0.0])


def test_modes_that_were_described_separately_are_one_picture() -> None:
    """By the same words: another mass or shape of a body is another mechanism, and refused."""

    def cart(force: float, radius: float = 0.1) -> sb.Equations:
        m = sb.Model("cart")
        body = m.body("cart", mass=1.0, shape=sb.sphere(radius))
        m.generalized_force("drive", m.prismatic("x", m.ground, body).q, force)
        return sb.derive(m)

    def motion(back: sb.Equations) -> sb.Trajectory:
        there = cart(1.0)
        turn = sb.Switch("turns", there.q[0] - 0.5, "there", "back", "rising")
        return sb.simulate_modes(sb.Modes({"there": there, "back": back}, [turn], initial="there"), 2.0)

    sim = motion(cart(-1.0))
    assert sim.modes == ("there", "back")
    assert motion(cart(-1.0)).scene().t[-1] == 2.0
    with pytest.raises(sb.errors.ViewError, match="different coordinates or bodies"):
        motion(cart(-1.0, radius=0.2)).scene()


def test_what_is_asked_for_is_switched_on():
    m = sb.Model("pendulum")
    m.gravity(0, -9.81, 0)
    bob = m.body("bob", mass=1.0, com=(0, -1, 0))
    m.revolute("theta", m.ground, bob)
    state = sb.assemble(sb.derive(m), theta=0.5)
    assert sb.scene(state).shown == ("bodies", "joints")
    assert sb.scene(state, traces=[bob.point(0, -1, 0)], forces="reactions").shown == (
        "bodies",
        "joints",
        "traces",
        "forces",
    )
    assert sb.scene(state, traces=["bob"], show=["bodies"]).shown == ("bodies",)
    with pytest.raises(sb.errors.ViewError, match="show=body"):
        sb.scene(state, show=["body"])


def test_forces_that_are_asked_for_are_drawn_in_stills():
    """The weight and the reaction of a pendulum at rest: one arrow down and one up, of one length."""
    m = sb.Model("hanging")
    m.gravity(0, -9.81, 0)
    m.revolute("a", m.ground, m.body("bob", mass=2.0, com=(0, -1, 0), inertia=(0.1, 0.1, 0.1)))
    eq = sb.derive(m)
    plain, asked = (picture(scene(eq, options=given)).patches for given in ({}, {"forces": ("loads", "reactions")}))
    shafts = [p for p in asked if p.width == ARROW_WIDTH]
    assert not [p for p in plain if p.width == ARROW_WIDTH]
    assert len(asked) == len(plain) + 4  # shaft and head of each
    up, down = sorted(float(p.points[1, 1] - p.points[0, 1]) for p in shafts)
    assert up == pytest.approx(-down, rel=0.2)
    assert up < -10
    shown = scene(eq, options={"forces": "loads", "show": ("bodies",)})
    assert "forces" not in shown.shown  # where groups are named, they are those
