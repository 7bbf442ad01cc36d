"""Contacts made of the collision shapes and joint limits of robot files."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb

g = 9.81


def falling(geoms: str, joint: str = "<freejoint name='root'/>") -> sb.formats.Robot:
    text = (
        f"<mujoco model='m'><compiler angle='radian'/><worldbody><geom type='plane' size='1 1 1'/><body name='b' pos='0 0 1'>{joint}"
        f"<inertial pos='0 0 0' mass='2' diaginertia='0.02 0.03 0.04'/>{geoms}</body></worldbody></mujoco>"
    )
    return sb.read_mjcf(text, parameters="none")


def gaps(robot: sb.formats.Robot, **state: float) -> dict[str, float]:
    known = {
        robot.symbols[n]: x
        for n, x in {"root_e0": 1.0, "root_e1": 0.0, "root_e2": 0.0, "root_e3": 0.0, **state}.items()
    }
    return {
        c.name: float(sb.evaluate(c.gap, {**known, robot.symbols["root_z"]: known.get(robot.symbols["root_z"], 1.0)}))
        for c in robot.contacts()
    }


def test_shapes_touch_where_they_are() -> None:
    """A tilted capsule, a box turned about its own axis, a sphere off the centre, a cylinder."""
    tilt, half, s = 0.3, 0.4, np.sin(0.3)
    found = gaps(
        falling(f"<geom name='c' type='capsule' size='0.05 {half}' euler='0 {tilt} 0' pos='0.1 0 0.2'/>"), root_z=1.0
    )
    ends = [1.2 - half * np.cos(tilt) - 0.05, 1.2 + half * np.cos(tilt) - 0.05]
    assert list(found.values()) == pytest.approx(ends, abs=1e-12)
    assert list(found) == ["b/c 1", "b/c 2"]
    box = gaps(falling(f"<geom type='box' size='0.3 0.2 0.1' euler='{tilt} 0 0'/>"), root_z=1.0)
    assert len(box) == 8
    assert min(box.values()) == pytest.approx(1 - 0.2 * s - 0.1 * np.cos(tilt), abs=1e-12)
    assert gaps(falling("<geom type='sphere' size='0.1' pos='0 0 -0.3'/>"), root_z=1.0) == pytest.approx({"b": 0.6})
    cylinder = gaps(falling("<geom type='cylinder' size='0.1 0.3'/>"), root_z=1.0)
    assert sorted(cylinder.values()) == pytest.approx([0.7] * 6 + [1.3] * 6)


def test_friction_of_the_file_acts() -> None:
    """A ball on a rail across the slope of a tilted floor: it stays with the file's friction, slides with less."""
    robot = falling("<geom type='box' size='0.1 0.1 0.1' friction='0.5 0 0'/>")
    assert all(c.friction == 0.5 for c in robot.contacts())
    assert all(c.friction == 0.1 for c in robot.contacts(friction=0.1))
    for mu, rests in ((None, True), (0.2, False)):
        slope = sb.HalfSpace(robot.ground, normal=(float(np.sin(0.4)), 0, float(np.cos(0.4))))
        contacts = sb.Contacts(sb.derive(robot), *robot.contacts(slope, friction=mu))
        turn = {"root_e0": float(np.cos(0.2)), "root_e2": float(np.sin(0.2))}
        away = 0.1 - 1e-6
        start = {"root_x": away * np.sin(0.4), "root_z": away * np.cos(0.4), "root_y": 0.0, **turn}
        env = sb.stepper(contacts, 2e-3, start)
        x = env.start
        for _ in range(200):
            x = env.step(x)
        along = (x[0] - env.start[0]) * np.cos(0.4) - (x[2] - env.start[2]) * np.sin(0.4)
        expected = 0.0 if rests else g * (np.sin(0.4) - 0.2 * np.cos(0.4)) * 0.4**2 / 2
        assert along == pytest.approx(expected, abs=2e-3)


def test_joints_stop_at_their_limits() -> None:
    robot = falling(
        "", "<joint name='h' axis='0 1 0' limited='true' range='-0.5 0.7'/><joint name='s' type='slide' axis='0 1 0'/>"
    )
    stops = robot.joint_stops(restitution=0.0)
    assert [c.name for c in stops] == ["h lower", "h upper"]
    env = sb.stepper(sb.Contacts(sb.derive(robot), *stops), 1e-3, h_dot=3.0)
    x, angles = env.start, []
    for _ in range(400):
        x = env.step(x)
        angles.append(x[env.state_names.index("h")])
    assert max(angles) == pytest.approx(0.7, abs=4e-3)
    with pytest.raises(sb.errors.ModelError, match="joint with limits 's'"):
        robot.joint_stops(["s"])


def test_what_makes_no_contact_is_refused_in_words() -> None:
    bare = falling("")
    with pytest.raises(sb.errors.ModelError, match="no link has a shape that collides"):
        bare.contacts()
    with pytest.raises(sb.errors.ModelError, match="link 'b' has no shape that collides"):
        bare.contacts(links=["b"])
    with pytest.raises(sb.errors.ModelError, match="no link 'c'"):
        bare.contacts(links=["c"])
    text = (
        "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
        "<collision><geometry><mesh filename='foot.stl'/></geometry></collision></link></robot>"
    )
    with pytest.raises(sb.errors.ModelError, match=r"mesh 'foot.stl' is in no folder of meshes="):
        sb.read_urdf(text, base="free").contacts()


def test_a_file_to_an_environment() -> None:
    """From the text of a file to members that learn: they fall onto their feet."""
    robot = falling("<geom type='sphere' size='0.1' pos='0.2 0 0'/><geom type='sphere' size='0.1' pos='-0.2 0 0'/>")
    stepper = sb.stepper(sb.Contacts(sb.derive(robot), *robot.contacts()), 2e-3, robot.keyframes["qpos0"])
    env = sb.environment(stepper, 3, reward="root_z", start={"root_z": (0.15, 0.3)})
    env.reset(seed=1)
    for _ in range(300):
        found = env.step()
    assert not found.failures
    assert found.reward == pytest.approx([0.1] * 3, abs=5e-3)


def cube(folder) -> None:
    """A cube of edge 0.2 as triangles, with a point inside that no hull has."""
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    lines = [f"v {x} {y} {z}" for x, y, z in [*corners, (0.0, 0.0, 0.05)]]
    faces = ["f 1 2 3", "f 5 6 7", "f 4 8 9"]
    (folder / "cube.obj").write_text("\n".join([*lines, *faces]) + "\n")


def test_meshes_touch_by_corners_of_their_hulls(tmp_path) -> None:
    cube(tmp_path)
    text = (
        "<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        "</inertial><collision><origin xyz='0 0 0.5'/><geometry><mesh filename='package://here/cube.obj' scale='1 1 2'/>"
        "</geometry></collision></link></robot>"
    )
    robot = sb.read_urdf(text, base="free", parameters="none")
    found = robot.contacts(meshes={"package://here": tmp_path})
    upright = {s: {"base_e0": 1.0}.get(name, 0.0) for name, s in robot.symbols.items()}
    heights = sorted(float(sb.evaluate(c.gap, upright)) for c in found)
    assert heights == pytest.approx([0.3] * 4 + [0.7] * 4)
    with pytest.raises(sb.errors.ModelError, match=r"mesh 'package://here/cube.obj' is in no folder of meshes="):
        robot.contacts()
    away = sb.read_urdf(text.replace("here/cube", "here/../cube"), base="free", parameters="none")
    with pytest.raises(sb.errors.ModelError, match="lies outside"):
        away.contacts(meshes={"package://here": tmp_path})


def test_links_fixed_to_the_ground_touch_only_if_named() -> None:
    """The rail of a cart does not move on the floor."""
    text = (
        "<mujoco model='m'><worldbody><geom name='rail' type='capsule' size='0.02 1'/><body name='cart'>"
        "<joint name='slider' type='slide' axis='1 0 0'/><geom type='box' size='0.1 0.1 0.1'/></body></worldbody>"
        "<actuator><motor name='push' joint='slider' gear='100' ctrllimited='true' ctrlrange='-3 3'/></actuator></mujoco>"
    )
    robot = sb.read_mjcf(text, parameters="none")
    assert {c.name.split()[0] for c in robot.contacts()} == {"cart"}
    assert len(robot.contacts(links=["world"])) == 2
    assert robot.action_limits == {"push_ctrl": (-3.0, 3.0)}
    env = sb.environment(sb.stepper(sb.derive(robot), 0.02), 2, reward="slider", actions=robot.action_limits)
    assert env.step([[100.0], [3.0]]).reward == pytest.approx([env.states[1, 0]] * 2)
