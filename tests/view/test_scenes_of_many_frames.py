"""Pages of mechanisms of many bodies: motions in one array, equal solids once, restored by the viewer."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.rotation_arrays import rotation_matrix
from symbody.view.scenes import viewer
from symbody.view.scenes.equal_items import MANY_FRAMES

from ..installed import installed

RESTORED = """
const fs = require("fs");
globalThis.window = {};
globalThis.matchMedia = () => ({});
globalThis.document = { readyState: "complete", querySelectorAll: () => [] };
require(process.argv[2]);
const data = window.symbody.unpacked(JSON.parse(fs.readFileSync(process.argv[3], "utf8")));
const poses = new window.symbody.Motion(data).poses(+process.argv[4], 1);
console.log(JSON.stringify({ solids: data.solids, poses: Object.fromEntries(poses) }));
"""


def motion(count: int) -> sb.Trajectory:
    part = sb.Model("part")
    link = part.body("rod", mass=0.1, com=(0.1, 0, 0), inertia=(1e-5, 4e-4, 4e-4))
    part.revolute("a", part.ground, link)
    part.frame("tip", link.frame.translate(0.2, 0, 0))
    m = sb.Model("chain")
    m.gravity(0, -9.81, 0)
    m.repeat("link", m.ground, part, count, end="tip")
    return sb.simulate(sb.derive(m), 0.1)


@pytest.fixture(scope="module")
def scene() -> sb.view.Scene:
    return sb.scene(motion(MANY_FRAMES + 20), samples=5)


def test_the_viewer_restores_solids_and_motions(scene, tmp_path: Path):
    given = viewer.data(scene)
    (tmp_path / "data.json").write_text(json.dumps(given))
    (tmp_path / "viewer.js").write_text(viewer.script())
    (tmp_path / "restored.js").write_text(RESTORED)
    time = float(scene.t[2] - scene.t[0])
    command = [installed("node", "nodejs"), "restored.js", "./viewer.js", "data.json", repr(time)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert [(s["kind"], s["frame"], s["name"], s["colour"], s["group"]) for s in found["solids"]] == [
        (s.kind, s.frame, s.name, s.colour, s.group) for s in scene.solids
    ]
    for s, own in zip(found["solids"], scene.solids, strict=True):
        assert np.allclose(s["size"], own.size, rtol=1e-5)
        assert np.allclose(s["p"], own.position, atol=1e-6 * scene.size)
        assert np.allclose(s["e"], own.rotation, atol=1e-5)
    for track in scene.frames:
        M = np.array(found["poses"][track.name]).reshape(4, 4).T
        assert np.allclose(M[:3, 3], track.position[0, 2], atol=1e-6 * scene.size)
        assert np.allclose(M[:3, :3], rotation_matrix(track.rotation[0, 2]), atol=1e-4)


def test_equal_solids_are_written_once(scene):
    given = viewer.data(scene)
    assert len(given["solids"]) < 0.2 * len(scene.solids) == 0.2 * sum(len(s["copies"]) for s in given["solids"])
    assert given["frames"] == []


@pytest.mark.parametrize(
    "change",
    [{"colour": "#123456"}, {"opacity": 0.5}, {"group": "other"}, {"size": (9.0, 9.0)}, {"position": (7.0, 0, 0)}],
)
def test_a_solid_that_differs_is_written_for_itself(scene, change):
    given = viewer.data(replace(scene, solids=(replace(scene.solids[0], **change), *scene.solids[1:])))
    assert len(given["solids"]) == len(viewer.data(scene)["solids"]) + 1


def test_a_scene_of_few_frames_has_each_solid():
    few = sb.scene(motion(10), samples=5)
    given = viewer.data(few)
    assert "many" not in given
    assert [(s["frame"], s["name"]) for s in given["solids"]] == [(s.frame, s.name) for s in few.solids]
    assert [f["name"] for f in given["frames"]] == [f.name for f in few.frames]
