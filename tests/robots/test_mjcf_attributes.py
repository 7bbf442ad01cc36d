"""One attribute at a time: whatever an MJCF file says beside the plain robot is in the model as MuJoCo has it, or in the
report. Nothing is left out in silence."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb

from .mujoco_numbers import mujocos, ours, random_state

ROBOT = """<mujoco><compiler angle="radian" {compiler}/><option gravity="0.3 0 -9.81" {option}><flag {flag}/></option>
 <default><default class="own">{default}</default></default>
 <asset>{asset}</asset>
 <worldbody>
  <site name="home" pos="0.1 0 0.2" euler="0.2 0.3 0.4"/>
  <body name="a" pos="0 0 0.3" {body}><joint name="ja" axis="0 1 0" {joint}/><geom type="capsule" size="0.05" fromto="0 0 0 0.3 0 0.1" {geom}/>
   <body name="b" pos="0.3 0 0.1" euler="0.1 0.2 0.3"><joint name="jb" type="ball" {ball}/><geom type="box" size="0.1 0.05 0.02" pos="0.1 0 0"/>
    <site name="sb" pos="0.2 -0.02 0.01"/>
    <body name="c" pos="0.2 0 0"><joint name="jc" type="slide" axis="1 0.2 0" {slide}/><geom size="0.05" pos="0.1 0.02 0"/>
     <site name="sc" pos="0.15 0.04 0.02"/>{inner}</body></body></body>
  <body name="f" pos="1 0 0" euler="0.3 0 0.2"><joint name="jf" type="free" {free}/>
   <geom type="box" size="0.1 0.2 0.05" pos="0.02 0.01 0" euler="0.1 0.2 0"/></body>
 </worldbody>
 <tendon><fixed name="t1" {fixed}><joint joint="ja" coef="0.5"/><joint joint="jc" coef="-2"/></fixed>
  <spatial name="t2" {spatial}><site site="home"/><site site="sb"/></spatial></tendon>
 <equality>{equality}</equality><actuator>{actuator}</actuator></mujoco>"""
CORNER = 'name="k" vertex="0 0 0 0.1 0 0 0 0.1 0 0 0 0.1"'
READ = {  # in the model
    "body gravcomp": {"body": 'gravcomp="0.7"'},
    "no gravity, no lift": {"body": 'gravcomp="0.7"', "flag": 'gravity="disable"'},
    "no passive forces, no lift": {"body": 'gravcomp="0.7"', "flag": 'spring="disable" damper="disable"'},
    "least mass of all bodies": {"compiler": 'boundmass="0.3" boundinertia="0.02"', "inner": '<body pos="0.1 0 0"/>'},
    "springs off": {"flag": 'spring="disable"', "joint": 'stiffness="5"', "ball": 'stiffness="2"', "fixed": 'stiffness="3"'},
    "dampers off": {"flag": 'damper="disable"', "joint": 'damping="5"', "actuator": '<motor joint="ja" damping="2"/>'},
    "cubic springs": {"joint": 'stiffness="5 1 2" springref="0.1"', "fixed": 'stiffness="5 1 2" springlength="0.1 0.2"'},
    "cubic dampers": {"joint": 'damping="5 1 2"', "spatial": 'damping="1 2 3"'},
    "springs against turning": {"ball": 'stiffness="5" damping="1"', "free": 'stiffness="3"'},
    "time constants of a ball joint": {"ball": 'springdamper="0.3 0.5"'},
    "armature of tendons": {"fixed": 'armature="0.3"', "spatial": 'armature="0.4"'},
    "rotor of an actuator": {"actuator": '<motor joint="ja" gear="3" armature="0.2" damping="0.2 1 2"/>'},
    "rotor on a tendon": {"actuator": '<motor tendon="t2" gear="3" armature="0.2" damping="0.2"/>'},
    "velocity of a site": {"actuator": '<velocity site="sc" kv="3" gear="1 2 0.5 0.1 0.2 0.3"/>'},
    "servo on a ball joint": {"actuator": '<position joint="jb" kp="3" kv="2" gear="1 2 0.5"/>'},
    "servo seen from the parent": {"actuator": '<position jointinparent="jb" kp="3" kv="2" gear="1 2 0.5"/>'},
    "motor on a free joint": {"actuator": '<velocity joint="jf" kv="2" gear="1 2 3 4 5 6"/><motor jointinparent="jf" gear="6 5 4 3 2 1"/>'},
    "actuators without names": {"actuator": '<position joint="ja" kp="3"/><velocity joint="ja" kv="2"/><motor joint="ja"/>'},
    "gain of a general actuator's class": {"default": '<general gainprm="35" biastype="affine" biasprm="0.1 -35 -0.6"/>', "actuator": '<position joint="ja" class="own"/><velocity joint="jc" class="own"/><motor joint="ja" class="own"/>'},
    "gain of a servo's class": {"default": '<position kp="35" dampratio="1"/>', "actuator": '<general joint="ja" class="own" biasprm="0 -35 -3"/><position joint="jc" class="own" kv="3"/><velocity joint="ja" class="own"/><damper joint="ja" class="own" kv="2" ctrlrange="0 1"/>'},
    "a mesh that is turned": {"asset": f'<mesh {CORNER} face="0 2 1 0 1 3 0 3 2 1 2 3" refpos="0.1 0.2 0" refquat="1 0.2 0.3 0" scale="1 2 1"/>', "inner": '<geom type="mesh" mesh="k"/>'},
    "a mesh that is a shell": {"asset": f'<mesh {CORNER} face="0 2 1 0 1 3 0 3 2 1 2 3" inertia="shell"/>', "inner": '<geom type="mesh" mesh="k"/>'},
    "an inertial, and meshes that do not count": {"inner": '<body><inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.1 0.1"/><geom type="box" mesh="k" mass="1"/><geom type="mesh" mesh="k"/></body>', "asset": f'<mesh {CORNER} face="0 2 1 0 1 3 0 3 2 1 2 3"/>'},
    "a lift by actuators": {"body": 'gravcomp="0.7"', "joint": 'actuatorgravcomp="true"', "actuator": '<motor joint="ja"/>'},
    "numbers that the class completes": {"default": '<joint stiffness="5 1 2" damping="3 4 5"/><geom size="0.1 0.2 0.3"/><general gear="1 2 3 4 5 6" gainprm="1 0.2 0.3" gaintype="affine"/><tendon stiffness="5 1 2"/>', "slide": 'class="own" stiffness="7" damping="8"', "inner": '<geom class="own" type="ellipsoid" size="0.05 0.06"/>', "actuator": '<general class="own" site="sc" gear="9 8" gainprm="7"/>', "fixed": 'class="own" stiffness="3"'},
    "a servo of a cylinder's class": {"default": '<cylinder area="3" timeconst="2"/>', "actuator": '<position joint="ja" class="own" kp="3"/><general joint="ja" class="own" dyntype="none"/>'},
    "names that begin with a digit": {"actuator": '<motor name="1st" joint="ja"/>', "equality": '<joint name="2nd" joint1="jc"/>'},
    "triangles in the file": {"asset": f'<mesh {CORNER} face="0 2 1 0 1 3 0 3 2 1 2 3"/>', "inner": '<geom type="mesh" mesh="k"/>'},
}  # fmt: skip
REPORTED = {  # in the report, by the first word
    "align": {"compiler": 'alignfree="true"'},
    "delay": {"actuator": '<motor joint="ja" delay="0.1" nsample="20"/>'},
    "actearly": {"actuator": '<general joint="ja" dyntype="filter" dynprm="0.5" actearly="true"/>'},
    "refsite": {"actuator": '<position site="sc" refsite="home" gear="0 0 0 1 0.5 2"/>'},
    "armature": {"actuator": '<motor joint="jb" gear="1 2 3" armature="0.1"/>'},
    "disables": {"option": 'actuatorgroupdisable="1"', "actuator": '<motor joint="ja" group="1"/>'},
    "shellinertia": {"geom": 'shellinertia="true"'},
    "fitted": {"asset": f"<mesh {CORNER}/>", "inner": '<geom type="box" mesh="k"/>'},
    "actuatorgravcomp": {"body": 'gravcomp="0.7"', "joint": 'actuatorgravcomp="true"'},
    "<muscle> 'm' without lengthrange": {"actuator": '<muscle name="m" joint="ja"/>'},
    "which has inertia='convex'": {
        "asset": f'<mesh {CORNER} inertia="convex"  face="0 2 1 0 1 3 0 3 2 1 2 3"/>',
        "inner": '<geom type="mesh" mesh="k"/>',
    },
    "which has no faces": {"asset": f"<mesh {CORNER}/>", "inner": '<geom type="mesh" mesh="k"/>'},
    "wobble": {"joint": 'wobble="3"'},
}


PULLED = """<worldbody><body name="a">
      <joint name="ja" axis="0 1 0" range="-1 1.2"/><joint name="jb" type="slide" axis="1 0 0" range="-0.3 0.5"/><geom size="0.1" pos="0.2 0 0"/></body></worldbody>
      <tendon><fixed name="t" range="-0.7 0.9"><joint joint="ja" coef="0.3"/><joint joint="jb" coef="0.5"/></fixed></tendon>"""


def robot_text(parts: dict[str, str]) -> str:
    return ROBOT.format_map(defaultdict(str, parts))


@pytest.mark.parametrize("case", READ)
def test_what_is_read_is_mujocos(case: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    text = robot_text(READ[case])
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        assert int(mujoco.__version__.split(".")[0]) < 4
        pytest.skip(f"MuJoCo {mujoco.__version__} does not know it: {error}")
    robot = sb.read_mjcf(text, parameters="none")
    assert "not read" not in str(robot.report)
    qpos, qvel = random_state(mujoco, model, 1)
    controls = np.random.default_rng(0).uniform(0.2, 1, model.nu)
    M, f = ours(robot, qpos, qvel, controls)
    N, g = mujocos(mujoco, model, qpos, qvel, controls)
    assert np.abs(M - N).max() <= 1e-12 * np.abs(N).max()
    assert np.abs(f - g).max() <= 1e-12 * np.abs(g).max()


def test_quadrilaterals_of_obj_files_are_cut_where_mujoco_cuts_them(tmp_path: Path) -> None:
    """A block with an edge that is not straight, beside the file that includes its mesh."""
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0.1, 1.3), (1, 1, 1), (-0.2, 1, 1.2)]
    faces = [(4, 3, 2, 1), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a} {b} {c} {d}" for a, b, c, d in faces]
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "block.obj").write_text("\n".join(lines))
    (tmp_path / "parts" / "part.xml").write_text("<mujoco><asset><mesh file='block.obj'/></asset></mujoco>")
    (tmp_path / "robot.xml").write_text(
        "<mujoco><include file='parts/part.xml'/><worldbody><body name='b'><joint axis='0 1 0'/>"
        "<geom type='mesh' mesh='block'/></body></worldbody></mujoco>"
    )
    mass = sb.read_mjcf(tmp_path / "robot.xml", parameters="none").bodies["b"].mass
    (tmp_path / "block.obj").write_text("\n".join(lines))  # versions differ in where they look
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    assert float(mass.m.value) == pytest.approx(model.body_mass[1], rel=1e-9)
    assert float(mass.p_BoBcm[1].value) == pytest.approx(model.body_ipos[1][1], rel=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_polygons_of_obj_files_are_cut_where_mujoco_cuts_them(tmp_path: Path, seed: int) -> None:
    """Prisms over polygons of five to nine corners, and of a hundred and more, neither plane nor convex, near and far from
    the origin, with more objects behind them, of which MuJoCo reads none."""
    mujoco = pytest.importorskip("mujoco", minversion="4", reason="mujoco 4 is not installed")
    rng = np.random.default_rng(seed)
    n = {6: 100, 7: 101}.get(seed, int(rng.integers(5, 10)))
    turn = np.sort(rng.uniform(0, 2 * np.pi, n))
    ring = rng.uniform(0.3, 1.5, n) * np.array([np.cos(turn), np.sin(turn)])
    move = np.array([[seed % 3], [0.3], [seed]])
    low, high = (np.round(np.array([*ring, h + rng.normal(size=n) / 5]) + move, 4).T for h in (-1, 1))
    faces = [
        range(n, 0, -1),
        range(n + 1, 2 * n + 1),
        *((k + 1, (k + 1) % n + 1, (k + 1) % n + n + 1, k + n + 1) for k in range(n)),
    ]
    text = "o first\n" + "".join(f"v {x} {y} {z}\n" for x, y, z in (*low, *high))
    text += "".join(f"  f {' '.join(map(str, f))}\n" for f in faces) + (
        "g more\nf 1 2 3\no\tb\nf 2 3 4\n" if seed % 2 else ""
    )
    (tmp_path / "prism.obj").write_text(text)
    (tmp_path / "robot.xml").write_text(
        "<mujoco><asset><mesh file='prism.obj'/></asset><worldbody><body name='b'><freejoint/>"
        "<geom type='mesh' mesh='prism'/></body></worldbody></mujoco>"
    )
    robot, model = sb.read_mjcf(tmp_path / "robot.xml", parameters="none"), mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))  # fmt: skip
    qpos, qvel = random_state(mujoco, model, 1)
    M, N = ours(robot, qpos, qvel, ())[0], mujocos(mujoco, model, qpos, qvel, ())[0]
    assert np.abs(M[:3] - N[:3]).max() <= 1e-12 * np.abs(N).max()
    assert np.abs(M - N).max() <= 3e-8 * np.abs(N).max()  # MuJoCo keeps principal axes
    assert ("'prism', which MuJoCo does not read either" in str(robot.report)) == bool(seed % 2)


@pytest.mark.parametrize(
    ("said", "own", "read"),
    [('uselimit="true"', "", True), ('uselimit="true"', 'lengthrange="0.1 0.2"', True),
     ('uselimit="true" useexisting="false"', 'lengthrange="0.1 0.2"', True),
     ('useexisting="false"', 'lengthrange="-1 2"', False)],
)  # fmt: skip
def test_ranges_of_muscles_from_limits(said: str, own: str, read: bool) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    text = f"""<mujoco><compiler angle="radian"><lengthrange {said} inttotal="2"/></compiler>{PULLED}
      <actuator><muscle name="m" joint="ja" force="20" {own}/><muscle name="n" tendon="t" force="30" {own}/></actuator></mujoco>"""
    robot = sb.read_mjcf(text, parameters="none")
    assert ("without lengthrange" not in str(robot.report)) == read == (len(robot.actuators) == 2)
    if read:
        muscles_are_mujocos(mujoco, text)


def test_general_of_a_muscles_class_is_a_muscle() -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    text = f"""<mujoco><compiler angle="radian"/><default><default class="own"><muscle range="0.6 0.9" force="20"/></default></default>{PULLED}
      <actuator><general name="m" joint="ja" class="own" lengthrange="-1 1"/><general name="n" tendon="t" class="own" lengthrange="-0.7 0.9"/></actuator></mujoco>"""
    muscles_are_mujocos(mujoco, text)


def muscles_are_mujocos(mujoco: Any, text: str) -> None:
    """Forces of two active muscles, m and n."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.act[:] = (0.3, -0.1), (0.2, 0.4), (0.6, 0.8)
    mujoco.mj_forward(model, data)
    eq = sb.derive(sb.read_mjcf(text, parameters="none"))
    known = {s.name: s for s in eq.variables.of("q u z r").symbols}
    names = ("ja", "jb", "ja_dot", "jb_dot", "m_act", "n_act", "m_ctrl", "n_ctrl")
    at = {known[n]: x for n, x in zip(names, (0.3, -0.1, 0.2, 0.4, 0.6, 0.8, 0.0, 0.0), strict=True)}
    assert np.abs(data.actuator_force).min() > 1
    theirs = data.qfrc_passive - data.qfrc_bias + data.qfrc_actuator
    assert np.array(sb.evaluate(list(eq.f.entries), at), dtype=float) == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize("word", REPORTED)
def test_what_is_not_read_is_reported(word: str) -> None:
    """Attributes that nobody knows too."""
    assert re.search(f"not read: .*{word}", str(sb.read_mjcf(robot_text(REPORTED[word])).report))


def test_a_model_that_is_attached_is_refused() -> None:
    """A robot without the part that moves would be another one."""
    with pytest.raises(sb.SymbodyError, match=r"<attach>.*'foot'.*mj_saveLastXML"):
        sb.read_mjcf(robot_text({"inner": '<attach model="foot" body="sole" prefix="l_"/>'}))


EQUALITIES = {
    "lengths of tendons": '<tendon tendon1="t1" tendon2="t2" polycoef="0.1 0.3 0.2 0 0"/>',
    "length of a tendon": '<tendon tendon1="t2" polycoef="0.1 0.3 0.2 0 0"/>',
    "joints": '<joint joint1="ja" joint2="jc" polycoef="0.1 0.3 0.2 0 0"/>',
    "points": '<connect body1="c" body2="f" anchor="0.1 0.2 0.3"/>',
    "sites": '<connect site1="sc" site2="home"/>',
}


@pytest.mark.parametrize("case", EQUALITIES)
def test_equalities_are_as_far_from_holding_as_mujocos(case: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    text = robot_text({"equality": EQUALITIES[case], "joint": 'ref="0.3"', "slide": 'ref="0.2"'})
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:], _ = random_state(mujoco, model, 2)
    mujoco.mj_forward(model, data)
    robot = sb.read_mjcf(text, parameters="none")
    eq = sb.derive(robot)
    at = dict(zip(robot.keyframes["qpos0"], data.qpos, strict=True))
    gaps = np.ravel(sb.evaluate(eq.phi, {q: at[q.name] for q in eq.q})).astype(float)
    theirs = np.array([x for x, kind in zip(data.efc_pos, data.efc_type, strict=True) if kind == 0])
    assert len(gaps) == len(theirs)
    assert np.linalg.norm(gaps) == pytest.approx(np.linalg.norm(theirs), rel=1e-10)


@pytest.mark.parametrize("apart", [1e-17, 1e-9])
def test_rounding_of_a_plane_loop_is_no_constraint(apart: float) -> None:
    """Across the plane of two links the points always meet, but for rounding of where they are."""
    m = sb.Model("loop")
    a, b = (m.body(n, mass=1.0, inertia=(1, 1, 1)) for n in "ab")
    m.revolute("p", m.ground, a)
    m.revolute("q", m.ground, b, at=(1, 0, 0))
    m.coincide("pin", a.point(1, 0, apart), b.point(0, 1, 0))
    if apart < 1e-14:
        assert len(sb.derive(m).phi.entries) == 2
    else:
        with pytest.raises(sb.ModelError, match="cannot be satisfied"):
            sb.derive(m)
