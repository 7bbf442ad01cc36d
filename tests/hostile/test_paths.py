"""Files that robots' files name: only those in their own folder or below are opened, whatever dots and links say."""

from __future__ import annotations

from pathlib import Path

import pytest

import symbody as sb

BODY = '<body name="b"><joint name="j" axis="0 1 0"/><geom type="sphere" size="0.1"/></body>'
INNER = f"<mujoco><worldbody>{BODY}</worldbody></mujoco>"
STL = "solid a\n" + "".join(
    "".join("vertex {} {} {}\n".format(*p) for p in face)
    for face in (((0, 0, 0), (0, 1, 0), (1, 0, 0)), ((0, 0, 0), (1, 0, 0), (0, 0, 1)), ((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((0, 0, 0), (0, 0, 1), (0, 1, 0)))
) + "endsolid\n"  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file beside it, and a link to that in it."""
    (tmp_path / "in" / "below").mkdir(parents=True)
    for place in (tmp_path / "secret.xml", tmp_path / "in" / "below" / "part.xml"):
        place.write_text(INNER)
    for place in (tmp_path / "part.stl", tmp_path / "in" / "below" / "part.stl"):
        place.write_text(STL)
    (tmp_path / "in" / "link.xml").symlink_to(tmp_path / "secret.xml")
    (tmp_path / "in" / "link.stl").symlink_to(tmp_path / "part.stl")
    return tmp_path / "in"


def mjcf(folder: Path, text: str) -> sb.formats.Robot:
    (folder / "robot.xml").write_text(text)
    return sb.read_mjcf(folder / "robot.xml")


def test_includes_of_mjcf(folder: Path) -> None:
    for name in ("below/part.xml", "below/../below/part.xml"):
        assert len(mjcf(folder, f'<mujoco><include file="{name}"/></mujoco>').joints) == 1
    for name in ("../secret.xml", "link.xml", "below/../../secret.xml", "a" * 5000):
        with pytest.raises(sb.ModelError, match=r"outside the folder|at most 1000 characters"):
            mjcf(folder, f'<mujoco><include file="{name}"/></mujoco>')


def test_mjcf_that_includes_itself(folder: Path) -> None:
    with pytest.raises(sb.ModelError, match="includes itself"):
        mjcf(folder, '<mujoco><include file="robot.xml"/></mujoco>')
    (folder / "a.xml").write_text('<mujoco><include file="robot.xml"/></mujoco>')
    with pytest.raises(sb.ModelError, match="includes itself"):
        mjcf(folder, '<mujoco><include file="a.xml"/></mujoco>')


@pytest.mark.parametrize("attributes", ["meshdir='..'", "meshdir='.'"])
def test_meshes_of_mjcf(attributes: str, folder: Path) -> None:
    text = f"""<mujoco><compiler {attributes}/><asset><mesh name="m" file="{{}}"/></asset>
        <worldbody><body name="b"><joint name="j" axis="0 1 0"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    if ".." not in attributes:
        assert not mjcf(folder, text.format("below/part.stl")).report.left_out
    for name in ("part.stl",) if ".." in attributes else ("link.stl", "../part.stl"):
        with pytest.raises(sb.ModelError, match="outside the folder"):
            mjcf(folder, text.format(name))


@pytest.mark.parametrize("uri", ["../outside", "file://../outside", "model://../outside", "model://in/../../outside", "link"])  # fmt: skip
def test_includes_of_sdf(uri: str, folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "model.sdf").write_text('<sdf version="1.7"><model name="m"><link name="l"/></model></sdf>')
    (folder / "link").symlink_to(outside)
    (folder / "robot.sdf").write_text(
        f'<sdf version="1.7"><world name="w"><include><uri>{uri}</uri></include></world></sdf>'
    )
    with pytest.raises(sb.ModelError, match="outside the folder"):
        sb.read_sdf(folder / "robot.sdf")


def test_models_beside_a_model_of_sdf(folder: Path) -> None:
    """`model://name` is the folder of that name beside the model's own, as its format has it."""
    (folder.parent / "arm").mkdir()
    text = '<sdf version="1.7"><model name="m"><link name="l"/></model></sdf>'
    (folder.parent / "arm" / "model.sdf").write_text(text)
    (folder / "robot.sdf").write_text(
        '<sdf version="1.7"><world name="w"><include><uri>model://arm</uri></include></world></sdf>'
    )
    assert "l" in str(list(sb.read_sdf(folder / "robot.sdf").links))
