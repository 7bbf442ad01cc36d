"""glTF files and films: what is in them is what the scene says."""

import json
import math
import shutil
import struct
import sys

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ViewError
from symbody.rotation_arrays import rotation_matrix
from symbody.view.scenes.picture import frames_at
from symbody.view.scenes.scene import Scene, scene
from symbody.write.files.film_file import film


def model() -> sb.Model:
    """A bar on a universal joint, and a weight on a spring: solids, a spring that is stretched, traces."""
    m = sb.Model("bar and weight")
    m.gravity(0, 0, -9.81)
    bar = m.body("bar", mass=1.0, shape=sb.bar(1.0, "z", at=(0, 0, -0.5)))
    weight = m.particle("weight", mass=0.5)
    m.universal("a", m.ground, bar)
    m.prismatic("s", m.ground, weight, axis="z", at=(1, 0, -1))
    m.spring("spring", bar.point(0, 0, -1), weight.point(), stiffness=5.0, rest=1.0)
    return m


@pytest.fixture(scope="module")
def made() -> Scene:
    sim = sb.simulate(sb.derive(model()), 1.0, a_1=0.5, a_2=0.3)
    return scene(sim, samples=31, show=("bodies", "joints", "traces"))


class File:
    """A .glb taken apart."""

    def __init__(self, data: bytes) -> None:
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert (kind, size % 4) == (b"JSON", 0)
        self.json = json.loads(data[20 : 20 + size])
        rest, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert (kind, rest % 4) == (b"BIN\0", 0)
        self.bytes = data[28 + size : 28 + size + rest]
        assert self.json["buffers"] == [{"byteLength": rest}]

    def array(self, k: int) -> np.ndarray:
        a = self.json["accessors"][k]
        view = self.json["bufferViews"][a["bufferView"]]
        wide = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
        kind = {5126: "<f4", 5125: "<u4"}[a["componentType"]]
        assert view["byteLength"] == 4 * wide * a["count"]
        assert view["byteOffset"] + view["byteLength"] <= len(self.bytes)
        out = np.frombuffer(self.bytes, kind, wide * a["count"], view["byteOffset"]).reshape(-1, wide)
        if "min" in a:
            assert out.min(axis=0) == pytest.approx(a["min"])
            assert out.max(axis=0) == pytest.approx(a["max"])
        return out

    def motion(self, name: str) -> dict[str, np.ndarray]:
        """What moves a node of this name, by path."""
        (node,) = (k for k, n in enumerate(self.json["nodes"]) if n.get("name") == name and "mesh" not in n)
        (animation,) = self.json["animations"]
        found = {}
        for c in animation["channels"]:
            if c["target"]["node"] == node:
                sampler = animation["samplers"][c["sampler"]]
                found[c["target"]["path"]] = self.array(sampler["output"])
                assert len(self.array(sampler["input"])) == len(found[c["target"]["path"]])
        return found


def test_every_number_is_in_its_place(made):
    """All accessors lie in the buffer with the bounds they claim; indices name vertices; rotations have norm one."""
    file = File(made.gltf())
    for k in range(len(file.json["accessors"])):
        assert np.isfinite(file.array(k)).all()
    for mesh in file.json["meshes"]:
        for p in mesh["primitives"]:
            if "indices" in p:
                assert file.array(p["indices"]).max() < file.json["accessors"][p["attributes"]["POSITION"]]["count"]
    for node in file.json["nodes"]:
        if "rotation" in node:
            assert np.linalg.norm(node["rotation"]) == pytest.approx(1)
    named = [c for n in file.json["nodes"] for c in n.get("children", ())]
    assert sorted(named) == list(range(1, len(file.json["nodes"])))  # each node hangs on one other, the first on none


def test_frames_move_as_in_the_scene(made):
    file = File(made.gltf())
    moved = file.motion("bar")
    track = next(f for f in made.frames if f.name == "bar")
    assert moved["translation"] == pytest.approx(track.position[0], abs=1e-6)
    assert moved["rotation"][:, [3, 0, 1, 2]] == pytest.approx(track.rotation[0], abs=1e-6)


def test_spring_reaches_from_hook_to_weight(made):
    """The unit coil along z, stretched, turned and moved, ends at the weight at every sample."""
    moved = File(made.gltf()).motion("spring")
    for k, t in enumerate(made.t):
        x, y, z, w = moved["rotation"][k]
        end = moved["translation"][k] + rotation_matrix([w, x, y, z])[:, 2] * moved["scale"][k, 2]
        assert end == pytest.approx(frames_at(made, float(t))["weight"][1], abs=1e-5)


def test_up_is_y(made):
    """The scene has z up; the node above all carries z to y."""
    x, y, z, w = File(made.gltf()).json["nodes"][0]["rotation"]
    assert rotation_matrix([w, x, y, z]) @ [0, 0, 1] == pytest.approx([0, 1, 0], abs=1e-12)


def test_what_is_not_shown_is_not_written(made):
    names = {n.get("name") for n in File(made.gltf()).json["nodes"]}
    assert "path of weight" in names
    hidden = File(scene(sb.derive(model()), show=["bodies"]).gltf())
    assert "path of weight" not in {n.get("name") for n in hidden.json["nodes"]}
    assert "animations" not in hidden.json


# ---------------------------------------------------------------------------------------------------- films


def test_gif_moves(made, tmp_path):
    """As many frames as the time asks for, of the size asked for, and they differ."""
    image = pytest.importorskip("PIL.Image")
    path = film(made, tmp_path / "a.gif", width=121, height=80, rate=5, speed=0.5)
    with image.open(path) as gif:
        assert (gif.size, gif.n_frames) == ((120, 80), 10)
        frames = []
        for k in (0, 5):
            gif.seek(k)
            frames.append(np.asarray(gif.convert("RGB"), dtype=float))
    assert np.abs(frames[0] - frames[1]).max() > 50
    blue = math.dist(frames[0].reshape(-1, 3).min(axis=0), (255, 255, 255))
    assert blue > 50  # something is drawn on the white page


def test_missing_tools_are_named(made, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    pytest.importorskip("PIL.Image")
    with pytest.raises(ViewError, match=r"ffmpeg, which is not installed; install it, or write a \.gif"):
        film(made, tmp_path / "a.mp4")
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ViewError, match="pip install pillow"):
        film(made, tmp_path / "a.gif")


@pytest.mark.parametrize(("name", "how", "says"), [("a.avi", {}, "ends in .gif or .mp4"), ("a.gif", {"rate": 0}, "rate=0"), ("a.gif", {"theme": "pink"}, "theme='pink'")])  # fmt: skip
def test_mistakes_are_told(made, tmp_path, name, how, says):
    with pytest.raises(ViewError, match=says):
        film(made, tmp_path / name, **how)


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_mp4_is_written(made, tmp_path):
    pytest.importorskip("PIL.Image")
    data = film(made, tmp_path / "a.mp4", width=64, height=48, rate=5).read_bytes()
    assert data[4:8] == b"ftyp"
