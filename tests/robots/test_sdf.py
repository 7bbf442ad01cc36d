"""SDF files: the same robots as in URDF files and as built by hand; conventions of poses, axes and names; loops; what is
reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.formats.robot.robot_text import RobotText
from symbody.formats.urdf.urdf_text import urdf_text

from .test_regressor import robot_file

URDF = """<robot name="branched"><link name="base"/>
<link name="a"><inertial><origin xyz="0.1 0.2 -0.1" rpy="0.3 0.1 -0.4"/><mass value="2"/><inertia ixx="0.2" iyy="0.3" izz="0.25" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial></link>
<link name="b"><inertial><origin xyz="0 0.2 0.3"/><mass value="1.5"/><inertia ixx="0.1" iyy="0.1" izz="0.15"/></inertial></link>
<link name="c"><inertial><mass value="0.7"/><inertia ixx="0.01" iyy="0.02" izz="0.025"/></inertial></link>
<link name="d"><inertial><mass value="0.4"/><inertia ixx="0.01" iyy="0.02" izz="0.025"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0.1 0 0.5" rpy="0.2 -0.3 0.4"/><axis xyz="0 1 1"/><limit lower="-1" upper="2" effort="5" velocity="3"/></joint>
<joint name="j2" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0.3 0.1 0" rpy="1 0.5 0"/><axis xyz="1 0 0"/></joint>
<joint name="j3" type="continuous"><parent link="a"/><child link="c"/><origin xyz="0 0.4 0" rpy="0 0 1.2"/><axis xyz="0 0.6 0.8"/></joint>
<joint name="j4" type="fixed"><parent link="c"/><child link="d"/><origin xyz="0.2 0 0.1" rpy="0.5 0 0"/></joint></robot>"""


def turned(rpy: Any) -> np.ndarray:
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip


def placed(p: Any, rpy: Any) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = turned(rpy), p
    return X


def pose(X: np.ndarray) -> str:
    R = X[:3, :3]
    rpy = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])), np.arctan2(R[1, 0], R[0, 0])
    return " ".join(repr(float(x)) for x in (*X[:3, 3], *rpy))


def as_sdf(robot: RobotText, version: str) -> str:
    """The same robot: all links in the frame of the model, joint frames somewhere on their links, axes as the version
    has them."""
    rng = np.random.default_rng(0)
    X: dict[str, np.ndarray] = {}
    joints = list(robot.joints.values())
    root = next(n for n in robot.links if n not in {j.child for j in joints})
    X[root] = np.eye(4)
    while len(X) < len(robot.links):
        for j in joints:
            if j.parent in X and j.child not in X:
                X[j.child] = X[j.parent] @ placed(j.position, [a.value for a in j.rpy])
    text = [f'<sdf version="{version}"><model name="{robot.name}">']
    for n, link in robot.links.items():
        text.append(f'<link name="{n}"><pose>{pose(X[n])}</pose>')
        i = link.inertial
        mass, tensor = (0.0, (0.0,) * 6) if i is None else (i.mass, i.tensor)  # SDF has 1 where nothing is said
        entries = "".join(f"<i{k}>{x!r}</i{k}>" for k, x in zip("xx yy zz xy xz yz".split(), tensor, strict=True))
        at = pose(np.eye(4) if i is None else placed(i.position, [a.value for a in i.rpy]))
        text.append(f"<inertial><pose>{at}</pose><mass>{mass!r}</mass><inertia>{entries}</inertia></inertial>")
        text.append("</link>")
    text.append(f'<joint name="tied" type="fixed"><parent>world</parent><child>{root}</child></joint>')
    for j in joints:
        turn = placed((0, 0, 0), rng.normal(size=3))
        axis = X[j.child][:3, :3] @ np.array(j.axis)
        if version != "1.4":
            axis = (X[j.child] @ turn)[:3, :3].T @ axis
        words = " ".join(repr(float(x)) for x in axis)
        text.append(
            f'<joint name="{j.name}" type="{j.kind}"><parent>{j.parent}</parent><child>{j.child}</child>'
            f"<pose>{pose(turn)}</pose><axis><xyz>{words}</xyz></axis></joint>"
        )
    return "".join(text) + "</model></sdf>"


def numbers(robot: sb.formats.Robot, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Mass matrix and forces at a random state, by the names of coordinates."""
    eq = sb.derive(robot)
    rng = np.random.default_rng(seed)
    order = sorted(range(len(eq.q)), key=lambda k: eq.q[k].name)
    values: dict[Any, Any] = dict(robot.parts.default_values)
    for k in order:
        values |= {eq.q[k]: rng.normal(), eq.u[k]: rng.normal()}
    M, f = (np.array(sb.evaluate(e, values), dtype=float) for e in (eq.M, eq.f))
    return M[np.ix_(order, order)], f.ravel()[order]


@pytest.mark.parametrize("version", ["1.4", "1.7"])
@pytest.mark.parametrize("name", ["branched", "ur5_robot.urdf"])
def test_the_same_robot_as_urdf(name: str, version: str) -> None:
    source = URDF if name == "branched" else robot_file(name).read_text().replace('"world"', '"floor"')
    urdf = sb.read_urdf(source, actuators=None, parameters="none")
    sdf = sb.read_sdf(as_sdf(urdf_text(source), version), actuators=None, parameters="none", gravity=(0, 0, -9.81))
    for ours, theirs in zip(numbers(sdf), numbers(urdf), strict=True):
        assert np.abs(ours - theirs).max() < 1e-12 * np.abs(theirs).max()
    if name == "branched":
        assert sb.read_sdf(as_sdf(urdf_text(URDF), version)).report.merged == {
            "world": "ground",
            "base": "ground",
            "d": "c",
        }


BAR = "<inertial><pose>{x} 0 {z} 0 0 0</pose><mass>{m}</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.01</izz></inertia></inertial>"
FOUR_BAR = f"""<sdf version="1.7"><model name="four bar">
  <link name="crank">{BAR.format(x=0, z=0.05, m=1)}</link>
  <link name="coupler"><pose>0 0 0.1 0 0 0</pose>{BAR.format(x=0.15, z=0.05, m=2)}</link>
  <link name="rocker"><pose>0.3 0 0 0 0 0</pose>{BAR.format(x=0, z=0.1, m=1.5)}</link>
  <joint name="a" type="revolute"><parent>world</parent><child>crank</child><axis><xyz>0 1 0</xyz><dynamics><damping>0.2</damping></dynamics></axis></joint>
  <joint name="b" type="revolute"><parent>crank</parent><child>coupler</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="c" type="revolute"><parent>world</parent><child>rocker</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="pin" type="revolute"><parent>rocker</parent><child>coupler</child><pose>0.3 0 0.1 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint>
  <plugin name="p" filename="libp.so"/>
</model></sdf>"""


def test_loops_are_kept() -> None:
    """A four-bar linkage moves as the one that is built by hand."""
    robot = sb.read_sdf(FOUR_BAR, actuators=None, parameters="none")
    m = sb.Model("by hand")
    a, b, c = m.coordinates("a b c")
    crank = m.ground.rotate("y", a)
    coupler = crank.translate(0, 0, 0.1).rotate("y", b)
    rocker = m.ground.translate(0.3, 0, 0).rotate("y", c)
    for n, f, x, z, mass in (("crank", crank, 0, 0.05, 1), ("coupler", coupler, 0.15, 0.05, 2), ("rocker", rocker, 0, 0.1, 1.5)):  # fmt: skip
        m.body(n, f, mass=mass, com=(x, 0, z), inertia=(0.01, 0.02, 0.01))
    gap = coupler.point(0.3, 0, 0.1) - rocker.point(0, 0, 0.2)
    for k in (0, 2):
        m.constrain(f"pin{k}", gap.components(m.ground)[k])
    m.generalized_force("damper", a, -0.2 * a.dot)
    m.gravity(0, 0, -9.8)
    equations = [sb.derive(x) for x in (robot, m)]
    ours, theirs = (sb.simulate(eq, 0.5, sb.assemble(eq, a_dot=1.0)) for eq in equations)
    assert abs(ours["a"][-1] - theirs["a"][-1]) < 1e-6
    assert abs(ours["c"][-1] - theirs["c"][-1]) < 1e-6
    assert abs(ours["a"][-1]) > 0.1
    assert "not read: 1 <plugin> in <model>" in str(robot.report)
    tree = sb.read_sdf(FOUR_BAR, loops=False)
    assert not sb.derive(tree).lam


@pytest.mark.parametrize(
    ("kind", "rank"), [("fixed", 6), ("revolute", 5), ("prismatic", 5), ("screw", 5), ("universal", 4), ("ball", 3)]
)
def test_loops_close_by_joints_of_any_kind(kind: str, rank: int) -> None:
    two = "<axis><xyz>1 0 0</xyz></axis>" + "<axis2><xyz>0 1 0</xyz></axis2>" * (kind == "universal")
    text = model(LINK.format("a", "0 0 0 0 0 0", ""), LINK.format("b", "0 1 0 0.3 0 0", ""), LINK.format("c", "0.5 1 0.2 0 0 0", ""),
                 joint("ball", "world", "a", name="one"), joint("ball", "a", "b", name="two"), joint("ball", "b", "c", name="three"),
                 joint(kind, "world", "c", two, name="hand", at="0.4 0.2 0.5 0 0 0"))  # fmt: skip
    eq = sb.derive(sb.read_sdf(text, parameters="none"))
    start = {q: 1.0 if q.name.endswith("e0") else 0.0 for q in eq.q}
    Jc = np.array(sb.evaluate(eq.Jc, start), dtype=float)
    assert np.linalg.matrix_rank(Jc) == rank
    assert np.abs(np.ravel(sb.evaluate(eq.phi, start))[:rank]).max() < 1e-15


LINK = '<link name="{0}"><pose{2}>{1}</pose><inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>'


def model(*parts: str, version: str = "1.9", name: str = "m") -> str:
    return f'<sdf version="{version}"><model name="{name}">{"".join(parts)}</model></sdf>'


def joint(kind: str, parent: str, child: str, inside: str = "", name: str = "j", at: str = "0 0 0 0 0 0") -> str:
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child><pose>{at}</pose>{inside}</joint>'


AXIS = "<axis><xyz>{}</xyz></axis>"


def test_poses_relative_to_frames_in_degrees_and_by_quaternions() -> None:
    robot = sb.read_sdf(
        model(
            '<frame name="f"><pose degrees="true">1 0 0 0 0 90</pose></frame>',
            '<frame name="g" attached_to="a"><pose relative_to="f" rotation_format="quat_xyzw">0 1 0 0 0 0 1</pose></frame>',
            LINK.format("a", "1 0 0 0 0 0", ' relative_to="f"'),
            joint("prismatic", "world", "a", '<axis><xyz expressed_in="__model__">1 0 0</xyz></axis>'),
        ),
        parameters="none",
    )
    q = robot.symbols["j"]
    at = [np.ravel(sb.evaluate(f.origin.in_ground, {q: 2.0})) for f in (robot.link("a"), robot.sites["g"])]
    assert np.allclose(at, [[3, 1, 0], [2, 0, 0]], atol=1e-15)


def test_joints_may_be_written_from_the_far_end() -> None:
    """The ground is reached through a child: the tree is turned round, the sense of the coordinate stays."""
    robot = sb.read_sdf(
        model(
            LINK.format("base", "0 0 1 0 0 0", ""), LINK.format("arm", "0 1 1 0 0 0", ""),
            joint("fixed", "world", "base", name="tied"), joint("revolute", "arm", "base", AXIS.format("0 0 1")),
        ),
        parameters="none",
    )  # fmt: skip
    q = robot.symbols["j"]
    found = np.ravel(sb.evaluate(robot.link("arm").origin.in_ground, {q: 0.3}))
    assert np.allclose(found, [np.sin(0.3), np.cos(0.3), 1], atol=1e-15)


def test_joints_of_several_axes() -> None:
    two = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    robot = sb.read_sdf(
        model(LINK.format("a", "0 0 0 0 0 0", ""), LINK.format("b", "0 0 0 0 0 0", ""), LINK.format("c", "0 0 0 0 0 0", ""),
              joint("universal", "world", "a", two), joint("ball", "a", "b", name="ball"),
              joint("screw", "b", "c", AXIS.format("0 0 1") + "<screw_thread_pitch>0.5</screw_thread_pitch>", name="screw")),
        parameters="none",
    )  # fmt: skip
    assert [q.name for q in sb.derive(robot).q] == ["j", "j_2", "ball_e0", "ball_e1", "ball_e2", "ball_e3", "screw"]
    start = {robot.symbols[n]: x for n, x in robot.keyframes["initial"].items()}
    values = start | {robot.symbols["screw"]: 2 * np.pi, robot.symbols["j"]: 0.4, robot.symbols["j_2"]: 0.7}
    R = np.array(sb.evaluate(robot.pose("a").rotation.matrix, values), dtype=float)
    assert np.allclose(R, turned([0.4, 0, 0]) @ turned([0, 0.7, 0]), atol=1e-14)
    assert np.allclose(np.ravel(sb.evaluate(robot.link("c").origin.in_ground, values)), R @ [0, 0, 0.5], atol=1e-14)


def test_what_is_tied_to_nothing_moves_freely_and_static_models_do_not() -> None:
    loose = LINK.format("a", "1 2 3 0 0 1.5707963267948966", "")
    robot = sb.read_sdf(model(loose))
    assert [u.name for u in sb.derive(robot).u][:3] == ["base_x_dot", "base_y_dot", "base_z_dot"]
    assert robot.keyframes["initial"] == pytest.approx(
        {"base_x": 1, "base_y": 2, "base_z": 3, "base_e0": 0.5**0.5, "base_e1": 0, "base_e2": 0, "base_e3": 0.5**0.5}
    )
    assert not sb.read_sdf(model(loose), base="fixed").symbols_of_kind("coordinate")
    assert not sb.read_sdf(model("<static>true</static>", loose)).symbols_of_kind("coordinate")


def test_wrench_on_what_moves_freely() -> None:
    """Along the axes of the ground, also where the base is turned: power is f · v + τ · ω."""
    robot = sb.read_sdf(model(LINK.format("a", "0 0 0 0 0 0", "")), parameters="none", wrench=True, gravity=None)
    eq = sb.derive(robot)
    assert [r.name for r in eq.r] == [f"base_{k}" for k in ("fx", "fy", "fz", "tx", "ty", "tz")]
    half = 0.35
    values = dict(zip(eq.q, (1, 2, 3, np.cos(half), 0, np.sin(half), 0), strict=True)) | dict.fromkeys(eq.u, 0.0)
    push = dict(zip(eq.r, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), strict=True))
    f = np.ravel(np.array(sb.evaluate(eq.f, values | push), dtype=float))
    assert np.allclose(f[:3], [1, 2, 3], atol=1e-15)
    assert np.allclose(f[3:], turned([0, 2 * half, 0]).T @ [4, 5, 6], atol=1e-14)
    with pytest.raises(sb.ModelError, match="no link of 'm' moves freely"):
        sb.read_sdf(model(LINK.format("a", "0 0 0 0 0 0", "")), base="fixed", wrench=True)


def test_models_in_models_and_included_ones(tmp_path: Path) -> None:
    hand = model(
        LINK.format("palm", "0 0 0.2 0 0 0", ""), '<frame name="wrist"><pose>0 0 -0.1 0 0 0</pose></frame>', name="hand"
    )
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "model.sdf").write_text(hand)
    nested = (
        hand.removeprefix('<sdf version="1.9">')
        .removesuffix("</sdf>")
        .replace('<model name="hand">', '<model name="hand" placement_frame="wrist"><pose>1 0 0 0 0 0</pose>')
    )
    include = "<include><uri>model://hand</uri><name>right</name><pose>0 1 0 0 0 0</pose></include><include><uri>model://foot</uri></include>"
    file = tmp_path / "robot.sdf"
    file.write_text(
        model(LINK.format("arm", "0 0 0 0 0 0", ""), nested, include, joint("fixed", "world", "arm", name="tied"),
              joint("revolute", "arm", "hand::palm", AXIS.format("0 0 1"), name="left"),
              joint("revolute", "arm", "right::palm", AXIS.format("0 0 1"), name="other"))
    )  # fmt: skip
    robot = sb.read_sdf(file, parameters="none")
    zero = dict.fromkeys(robot.symbols_of_kind("coordinate"), 0.0)
    places = [np.ravel(sb.evaluate(robot.link(n).origin.in_ground, zero)) for n in ("hand::palm", "right::palm")]
    assert np.allclose(places, [[1, 0, 0.3], [0, 1, 0.2]], atol=1e-15)
    assert "which is not in the folder of the file" in str(robot.report)


def test_loads_and_ties_of_joints() -> None:
    dynamics = "<dynamics><damping>0.5</damping><spring_stiffness>3</spring_stiffness><spring_reference>0.2</spring_reference></dynamics>"
    follows = '<axis><xyz>0 0 1</xyz><mimic joint="j" axis="axis"><multiplier>2</multiplier><offset>0.1</offset><reference>0.3</reference></mimic></axis>'
    robot = sb.read_sdf(
        model(LINK.format("a", "0 0 0 0 0 0", ""), LINK.format("b", "0 0 0 0 0 0", ""),
              joint("revolute", "world", "a", f"<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1e16</upper><effort>-1</effort></limit>{dynamics}</axis>"),
              joint("revolute", "world", "b", follows, name="k")),
        parameters="none", actuators=None, gravity=None,
    )  # fmt: skip
    eq = sb.derive(robot)
    q, u = eq.q[0], eq.u[0]
    assert float(np.ravel(sb.evaluate(eq.f, {q: 0.7, u: 1.0}))[0]) == pytest.approx(-3 * 0.5 - 0.5)
    assert float(np.ravel(sb.evaluate(eq.M, {q: 0.7}))[0]) == pytest.approx(0.1 + 4 * 0.1)
    R = np.array(sb.evaluate(robot.pose("b").rotation.matrix, {q: 0.7}), dtype=float)
    assert np.allclose(R, turned([0, 0, 2 * 0.4 + 0.1]))
    limits = robot.details["j"].limits
    assert (limits.lower, limits.upper, limits.effort) == (-1, None, None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot/>", "this is a URDF file"),
        ('<sdf version="1.9"/>', "there is no <model>"),
        (model('<link name="a"><pose>1 2 3</pose></link>'), "is not 6 numbers"),
        (model('<link name="a"><pose relative_to="f"/></link>', '<frame name="f"><pose relative_to="a"/></frame>'), "in a cycle"),
        (model('<link name="a"><pose relative_to="x"/></link>'), "no frame 'x'"),
        (model('<link name="world"/>'), "the name is that of the ground"),
        (model('<link name="a"/><link name="a"/>'), "another part of the model has this name"),
        (model('<link name="a"/>', joint("gearbox", "world", "a")), "type 'gearbox' is not supported"),
        (model('<link name="a"/>', joint("revolute", "world", "b", AXIS.format("0 0 1"))), "no link or frame 'b'"),
        (model('<link name="a"/>', joint("revolute", "world", "a", AXIS.format("0 0 0"))), "has no direction"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, says: str) -> None:
    with pytest.raises(sb.ModelError, match=says):
        sb.read_sdf(text)
