"""Scenes of piles: instances by the thousand, as data, still, glTF and in a browser."""

import base64
import json
import struct

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ViewError
from symbody.rotation_arrays import rotation_matrix
from symbody.view.scenes.viewer import data

from .browser import Browser, found


def pile():
    out = sb.Pile("mixed", friction=0.3)
    out.many("ball", sb.sphere(0.1), at=[(0, 0, 0.2), (1, 0, 0.4)], density=1000)
    out.many("brick", sb.box(0.4, 0.2, 0.1), at=[(0, 1, 0.3)], density=1000, angular_velocities=[(0, 0, 2.0)])
    out.many("post", sb.sphere(0.1), at=[(2, 0, 0.1)], fixed=True)
    out.terrain("hill", np.zeros((5, 5)) + np.linspace(0, 0.1, 5), corner=(3, 3), spacing=(0.5, 0.5))
    out.wall("floor")
    return out


@pytest.fixture(scope="module")
def motion():
    return pile().simulate(0.1, step=0.01)


def decoded(x, kind):
    return np.frombuffer(base64.b64decode(x["data"]), dtype=kind).reshape(x["shape"])


def test_instances_are_where_bodies_are(motion):
    scene = sb.scene(motion)
    assert "4 bodies" in repr(scene)
    for number, many in enumerate(data(scene)["instances"][:2]):
        places = np.array(many["low"]) + np.array(many["box"]) * decoded(many["p"], np.uint16) / 65535
        own = motion.positions[:, [0, 1]] if number == 0 else motion.positions[:, [2]]
        assert np.abs(places - own).max() < 1e-4
    turns = decoded(data(scene)["instances"][1]["e"], np.int16) / 32767
    assert np.abs(turns[:, 0] - motion.states[:, 2, 3:7]).max() < 1e-4


def test_a_cylinder_lies_along_its_axis():
    cans = sb.Pile("cans")
    cans.many("can", sb.cylinder(0.1, 0.4, axis="x"), at=[(0, 0, 0.1)], density=1000)
    can = sb.scene(cans.simulate(0.1, step=0.01)).instances[0]
    axis = rotation_matrix(can.rotation[0, 0])[:, 2]
    assert np.allclose(np.abs(axis), [1, 0, 0])


def test_polyhedra_are_closed_and_turn_outwards(motion):
    mesh = sb.scene(motion).meshes["brick"]
    corners = mesh.vertices[mesh.triangles]
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume == pytest.approx(0.4 * 0.2 * 0.1)


def test_the_bodies_of_a_mechanism_move_along():
    m = sb.Model("arm")
    m.gravity(0, 0, -9.81)
    arm = m.body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("a", m.ground, arm, axis="y")
    out = sb.Pile("with arm")
    out.many("ball", sb.sphere(0.1), at=[(3, 0, 0)], density=1000)
    out.mechanism(sb.assemble(sb.derive(m), a=0.3), {"hand": (arm.frame.translate(1, 0, 0), sb.box(0.1, 0.1, 0.1))})
    motion = out.simulate(0.2, step=0.01)
    hand = sb.scene(motion).instances[1]
    a = motion.mechanism["a"]
    assert np.abs(hand.position[:, 0] - np.stack([np.cos(a), 0 * a, -np.sin(a)], axis=1)).max() < 1e-12


def test_equal_surfaces_of_a_mechanism_have_one_colour():
    m = sb.Model("rope")
    on, at, rods = m.ground, (0, 0, 0), []
    for k in range(3):
        rod = m.body(f"rod{k}", mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.revolute(f"a{k}", on, rod, axis="y", at=at)
        on, at = rod, (1, 0, 0)
        rods.append(rod)
    pile = sb.Pile("rope", gravity=(0, 0, 0))
    pile.many("ball", sb.sphere(0.2), at=[(0, 0, 9)], mass=1.0)
    shapes = sb.sphere(0.2), sb.box(0.1, 0.1, 0.1), sb.sphere(0.2)
    surfaces = {rod.name: (rod, shape) for rod, shape in zip(rods, shapes, strict=True)}
    pile.mechanism(sb.assemble(sb.derive(m)), surfaces)
    colours = {i.solid.name: i.solid.colour for i in sb.scene(pile.simulate(0.01, step=0.01)).instances}
    assert colours["rod0"] == colours["rod2"]
    assert len({colours[k] for k in ("ball", "rod0", "rod1")}) == 3


def test_stills_and_gltf_show_every_body(motion, tmp_path):
    scene = sb.scene(motion)
    assert scene.svg().count("<path") > 50
    binary = scene.gltf()
    length = struct.unpack("<I", binary[12:16])[0]
    names = [n.get("name") for n in json.loads(binary[20 : 20 + length])["nodes"]]
    assert {"ball[0]", "ball[1]", "brick[0]", "post[0]"} <= set(names)


def test_faults_are_named(motion):
    with pytest.raises(ViewError, match="there is no part 'bal'"):
        sb.scene(motion, colours={"bal": "red"})
    with pytest.raises(ViewError, match="a pile is shown without forces="):
        sb.scene(motion, forces="loads")
    with pytest.raises(ViewError, match="samples = 0"):
        sb.scene(motion, samples=0)


def test_ten_thousand_bodies_are_one_array(tmp_path):
    """What a page of them costs: 6 bytes for a ball and a time, whatever their number."""
    out = sb.Pile("many", gravity=(0, 0, 0))
    grid = np.mgrid[:22, :22, :21].reshape(3, -1).T * 0.3
    out.many("ball", sb.sphere(0.1), at=grid, density=1000, velocities=np.ones_like(grid))
    motion = out.simulate(0.1, step=0.01)
    page = sb.scene(motion).save(tmp_path / "many.html")
    assert page.stat().st_size < 11 * 6 * len(grid) * 4 / 3 + 2.5e6


@pytest.mark.skipif(found() is None, reason="no browser: apt-get install chromium")
def test_the_browser_draws_all_bodies_at_once(motion, tmp_path_factory):
    page_file = sb.scene(motion, colours={"ball": "#ff0000"}).save(tmp_path_factory.mktemp("scene") / "mixed.html")
    browser = Browser(tmp_path_factory.mktemp("browser"))
    try:
        page = browser.page(page_file, width=400, height=300)
        viewer = "symbody.viewers[0]"
        page.until(f"window.symbody && {viewer} && {viewer}.camera")
        page.value(f"{viewer}.play(false)")
        first = page.value(f"({viewer}.seek(0), {viewer}.draw(), Array.from({viewer}.crowds[0].numbers))")
        last = page.value(f"({viewer}.seek(1), {viewer}.draw(), Array.from({viewer}.crowds[0].numbers))")
        red = page.value(
            f"(() => {{ const c = {viewer}.paint, d = c.getImageData(0, 0, c.canvas.width, c.canvas.height).data; let n = 0; "
            "for (let i = 0; i < d.length; i += 4) if (d[i] > 120 && d[i + 1] < 60 && d[i + 2] < 60) n++; return n; })()"
        )
        said = page.complaints()
    finally:
        browser.close()
    places = [sorted(x[12 + k] for x in np.array(numbers).reshape(-1, 19)) for numbers in (first, last) for k in (2,)]
    assert np.allclose(places[0], [0.2, 0.4], atol=1e-4)
    assert np.allclose(places[1], sorted(motion.positions[-1, :2, 2]), atol=1e-4)
    assert red > 50
    assert not [x for x in said if "Automatic fallback" not in x and "GPU stall" not in x and "GL Driver" not in x]
