"""A robot's file names files: only those below its own folder, or below folders that the user names, are opened, and
only of a bearable size."""

import os
import tracemalloc

import numpy as np
import pytest

import symbody as sb
from symbody.study.sources import find_model
from symbody.view.scenes import meshes

ONE = (
    b"\0" * 80
    + (1).to_bytes(4, "little")
    + np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
    + b"\0\0"
)


def robot(folder, name: str):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "robot.urdf"
    text = (
        f"<robot name='r'><link name='a'><visual><geometry><mesh filename='{name}'/></geometry></visual></link></robot>"
    )
    path.write_text(text, encoding="utf-8")
    return path


def opened(source) -> int:
    picture = sb.scene(sb.derive(source.model), shapes=source.model, packages=source.packages)
    return len(picture.meshes)


def test_meshes_below_the_file_are_opened(tmp_path):
    path = robot(tmp_path / "in", "package://arm/part.stl")
    (path.parent / "arm").mkdir()
    (path.parent / "arm" / "part.stl").write_bytes(ONE)
    assert opened(find_model(str(path))) == 1


@pytest.mark.parametrize("name", ["package://secret/part.stl", "package://../secret/part.stl",
    "package:///secret/part.stl", "package://./secret/part.stl", "file:///secret/part.stl", "/secret/part.stl", "../secret/part.stl", "package://link/part.stl"])  # fmt: skip
def test_meshes_elsewhere_are_not(tmp_path, name):
    """Not beside the folder, not above it, not over a link."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "part.stl").write_bytes(ONE)
    path = robot(tmp_path / "in", name.replace("///secret", f"//{tmp_path}/secret"))
    (path.parent / "link").symlink_to(tmp_path / "secret")
    assert find_model(str(path)).packages == {}
    assert opened(find_model(str(path))) == 0


def test_links_inside_a_package_do_not_lead_out(tmp_path):
    (tmp_path / "part.stl").write_bytes(ONE)
    path = robot(tmp_path / "in", "package://arm/part.stl")
    (path.parent / "arm").mkdir()
    (path.parent / "arm" / "part.stl").symlink_to(tmp_path / "part.stl")
    with pytest.raises(sb.errors.ViewError, match="outside"):
        opened(find_model(str(path)))


def test_dots_do_not_lead_out(tmp_path):
    """Of the file's folder, where it has the name of the package."""
    (tmp_path / "part.stl").write_bytes(ONE)
    with pytest.raises(sb.errors.ViewError, match="outside"):
        opened(find_model(str(robot(tmp_path / "in", "package://in/../part.stl"))))


def test_folders_that_the_user_names(tmp_path, capsys):
    """The usual layout: package/urdf/robot.urdf and package/meshes; the folder with the package is named, or the
    package itself."""
    path = robot(tmp_path / "ros" / "arm" / "urdf", "package://arm/meshes/part.stl")
    (tmp_path / "ros" / "arm" / "meshes").mkdir()
    (tmp_path / "ros" / "arm" / "meshes" / "part.stl").write_bytes(ONE)
    assert opened(find_model(str(path))) == 0
    for folder in (tmp_path / "ros", tmp_path / "ros" / "arm"):
        assert opened(find_model(str(path), [folder])) == 1
    from symbody.command_line.cli import main

    assert main(["check", str(path), "--meshes", str(tmp_path / "ros")]) in (0, 1)


def test_what_is_no_plain_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.stl")
    with pytest.raises(sb.errors.ViewError, match="plain file"):
        meshes.read_mesh(tmp_path / "pipe.stl")


def fan(n: int) -> np.ndarray:
    """Triangles that all share one vertex."""
    a = np.linspace(0, 2 * np.pi, n + 1)
    rim = np.column_stack([np.cos(a), np.sin(a), 0.3 * np.sin(5 * a)])
    return np.stack([np.zeros((n, 3)), rim[:-1], rim[1:]], axis=1)


def stl(corners: np.ndarray) -> bytes:
    rows = np.zeros(len(corners), dtype=[("f", "<f4", (4, 3)), ("", "<u2")])
    rows["f"][:, 1:] = corners
    return b"\0" * 80 + len(corners).to_bytes(4, "little") + rows.tobytes()


def test_a_fan_of_many_triangles(tmp_path):
    """1.25 MB: memory is in proportion to the file."""
    (tmp_path / "fan.stl").write_bytes(stl(fan(25_000)))
    tracemalloc.start()
    mesh = meshes.read_mesh(tmp_path / "fan.stl")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(mesh.triangles) == 25_000
    assert peak < 100e6
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1)


def test_small_fans_are_smooth():
    """As before: where few faces meet at small angles, they share a normal."""
    mesh = meshes.smoothed_mesh(fan(100))
    assert len(mesh.vertices) < 3 * 100


@pytest.mark.parametrize(
    "text", ["v 0 0 0\nv 1 0 0\nv 0 1 0\nf" + " 1 2 3" * 200_000, "v 0 0 0\n" * 1_300_000 + "f 1 1 1\n"]
)
def test_limits_are_checked_on_the_way(tmp_path, text):
    (tmp_path / "a.obj").write_text(text)
    with pytest.raises(sb.errors.ViewError, match="more than 400000 triangles"):
        meshes.read_mesh(tmp_path / "a.obj")


def test_all_meshes_together(tmp_path, monkeypatch):
    monkeypatch.setattr("symbody.view.scenes.appearance.MAX_IN_ALL", 10)
    path = robot(tmp_path, "package://arm/part.stl")
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "part.stl").write_bytes(stl(fan(20)))
    with pytest.raises(sb.errors.ViewError, match="more than 10 triangles"):
        opened(find_model(str(path)))


def test_every_page_has_the_content_policy(tmp_path):
    """Nothing is loaded from elsewhere, nothing leaves a page, and scripts are known by their hash: viewer and report
    alike."""
    from symbody.study.study import Study

    study = Study(find_model("double_pendulum"), {}, options={"t": 0.1})
    report = sb.write.write_report(study, tmp_path).path.read_text(encoding="utf-8")
    sb.scene(study.trajectory).save(tmp_path / "view.html")
    for page in (report, (tmp_path / "view.html").read_text(encoding="utf-8")):
        assert page.count("Content-Security-Policy") == 1
        policy = page[page.index("<meta http-equiv") : page.index("form-action 'none'")]
        assert "default-src 'none'" in policy
        assert "script-src 'sha256-" in policy
        assert "unsafe-inline" not in policy.partition("script-src")[2]
        assert page.index(policy) < page.index("<script")


def test_what_is_not_shown_is_said(tmp_path):
    source = find_model(str(robot(tmp_path / "robot", "package://elsewhere/a.stl")))
    scene = sb.scene(sb.derive(source.model), shapes=source.shapes, packages=source.packages)
    assert any("mesh 'package://elsewhere/a.stl' is not shown" in note for note in scene.notes)


def test_a_part_without_triangles_is_refused_by_name(tmp_path):
    """Found by damaged files: a second header, whose first part has no surface."""
    (tmp_path / "block.stl").write_text(
        "solid empty\nsolid block\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendsolid\n"
    )
    with pytest.raises(sb.ModelError, match="has no triangles"):
        sb.read_solids(tmp_path / "block.stl")
