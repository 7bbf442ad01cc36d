"""MJCF files: MuJoCo's mass matrices and forces, inertia from shapes, defaults and includes, what is kept and what is
reported."""

from __future__ import annotations

import math
import re
import struct
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.formats import Robot

from . import mujoco_reference as reference
from .mjcf_texts import CREATURE, FOUR_BAR
from .mujoco_numbers import mujocos, ours, random_state

CLOSE = 1e-10


@pytest.fixture(scope="module")
def creature() -> Robot:
    return sb.read_mjcf(CREATURE)


def test_numbers_of_mujoco(creature: Robot) -> None:
    """Every kind of joint, shape, tendon and actuator, against numbers that MuJoCo gave."""
    qpos = _of_norm_one(reference.QPOS)
    M, f = ours(creature, qpos, reference.QVEL, reference.CONTROLS)
    assert np.abs(np.diag(M) - reference.DIAGONAL).max() <= 1e-12 * np.abs(reference.DIAGONAL).max()
    assert np.abs(M[8] - reference.KNEE_ROW).max() <= 1e-12 * np.abs(reference.KNEE_ROW).max()
    assert np.abs(f - reference.FORCES).max() <= 1e-12 * np.abs(reference.FORCES).max()


def _of_norm_one(qpos: tuple[float, ...]) -> list[float]:
    """MuJoCo uses quaternions of norm one, whatever is given."""
    q = list(qpos)
    for k in (3, 10):
        size = math.hypot(*q[k : k + 4])
        q[k : k + 4] = [x / size for x in q[k : k + 4]]
    return q


def test_numbers_of_mujoco_here(creature: Robot) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    model = mujoco.MjModel.from_xml_string(CREATURE)
    for seed in range(2):
        qpos, qvel = random_state(mujoco, model, seed)
        controls = np.random.default_rng(seed).uniform(-1, 1, model.nu)
        M, f = ours(creature, qpos, qvel, controls)
        N, g = mujocos(mujoco, model, qpos, qvel, controls)
        assert np.abs(M - N).max() <= 1e-12 * np.abs(N).max()
        assert np.abs(f - g).max() <= 1e-12 * np.abs(g).max()


def gymnasium_files() -> list[Path]:
    try:
        found = files("gymnasium") or []
    except PackageNotFoundError:
        return []
    return sorted(Path(str(f.locate())) for f in found if str(f).endswith(".xml") and "mujoco/assets" in str(f))


def test_gymnasium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All models of Gymnasium: mass matrices, and gravity, gyroscopic and passive forces."""
    monkeypatch.chdir(tmp_path)  # where MuJoCo logs its warnings
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    if not (paths := gymnasium_files()):
        pytest.skip("gymnasium is not installed")
    for path in paths:
        model = mujoco.MjModel.from_xml_path(str(path))
        qpos, qvel = random_state(mujoco, model, 3)
        M, f = ours(sb.read_mjcf(path, actuators=None, parameters="none"), qpos, qvel)
        N, g = mujocos(mujoco, model, qpos, qvel)
        assert np.abs(M - N).max() <= CLOSE * np.abs(N).max(), path.name
        assert np.abs(f - g).max() <= CLOSE * max(np.abs(g).max(), 1), path.name


# ---------------------------------------------------------------------------------------------------------- inertia


SHAPES = {  # attributes, volume, inertia about x and z for a density of one
    "type='sphere' size='0.3'": (4 / 3 * math.pi * 0.3**3, 0.4 * 0.09, 0.4 * 0.09),
    "type='box' size='0.1 0.2 0.3'": (8 * 0.006, (0.04 + 0.09) / 3, (0.01 + 0.04) / 3),
    "type='ellipsoid' size='0.1 0.2 0.3'": (4 / 3 * math.pi * 0.006, (0.04 + 0.09) / 5, (0.01 + 0.04) / 5),
    "type='cylinder' size='0.2 0.5'": (math.pi * 0.04, 0.04 / 4 + 1 / 12, 0.04 / 2),
    "type='cylinder' size='0.2' fromto='0 0 -0.5 0 0 0.5'": (math.pi * 0.04, 0.04 / 4 + 1 / 12, 0.04 / 2),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_inertia_of_a_shape(shape: str) -> None:
    m = sb.read_mjcf(_body(f"<geom {shape} density='2'/>"), parameters="none")
    volume, across, along = SHAPES[shape]
    mass = m.bodies["b"].mass
    I = mass.I_BBcm
    assert float(mass.m.value) == pytest.approx(2 * volume, rel=1e-14)
    assert float(I[0, 0].value) == pytest.approx(2 * volume * across, rel=1e-13)
    assert float(I[2, 2].value) == pytest.approx(2 * volume * along, rel=1e-13)


def _body(inside: str, compiler: str = "") -> str:
    return f"<mujoco><compiler {compiler}/><worldbody><body name='b'><joint name='j' axis='0 1 0'/>{inside}</body></worldbody></mujoco>"


def test_mesh_of_a_box_is_a_box(tmp_path: Path) -> None:
    """Twelve triangles in a binary STL file, scaled, off the origin."""
    a, b, c = 0.25, 0.5, 1.0
    corners = [(x, y, z) for x in (1, 1 + 2 * a) for y in (0, 2 * b) for z in (0, 2 * c)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for p, q, r, s in faces for t in ((p, q, r), (p, r, s))]
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *corners[i], *corners[j], *corners[k], 0) for i, j, k in triangles)
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "block.stl").write_bytes(b" " * 80 + struct.pack("<I", 12) + rows)
    for how in ("legacy", "exact"):
        text = _body("<geom type='mesh' mesh='block' density='1'/>", "meshdir='meshes'").replace(
            "<worldbody>", f"<asset><mesh file='block.stl' inertia='{how}' scale='2 1 1'/></asset><worldbody>"
        )
        (tmp_path / "robot.xml").write_text(text)
        mass = sb.read_mjcf(tmp_path / "robot.xml", parameters="none").bodies["b"].mass
        assert float(mass.m.value) == pytest.approx(16 * a * b * c, rel=1e-12)
        x, y, z = (float(e.value) for e in mass.p_BoBcm.entries)  # in a frame that may be turned about the joint's axis
        assert (math.hypot(x, z), y) == pytest.approx((math.hypot(2 + 2 * a, c), b), rel=1e-12)
        assert float(mass.I_BBcm[1, 1].value) == pytest.approx(16 * a * b * c * (4 * a * a + c * c) / 3, rel=1e-12)


def test_masses_that_the_compiler_sets() -> None:
    text = _body("<geom size='0.1' density='1000'/><geom size='0.1' pos='0 0 1' mass='2'/>", "settotalmass='5'")
    assert float(sb.read_mjcf(text, parameters="none").bodies["b"].mass.m.value) == pytest.approx(5, rel=1e-14)
    bounded = _body("<inertial mass='1' pos='0 0 0' diaginertia='0.1 1e-9 0.1'/>", "boundinertia='0.01'")
    assert float(sb.read_mjcf(bounded, parameters="none").bodies["b"].mass.I_BBcm[1, 1].value) == pytest.approx(0.01)


# ------------------------------------------------------------------------------------------------------ loops and files


def test_equalities_are_constraints() -> None:
    m = sb.read_mjcf(FOUR_BAR)
    eq = sb.derive(m)
    q = {x.name: x for x in eq.q}
    phi = sb.evaluate(eq.phi, {**m.parts.default_values, q["a"]: 0.0, q["b"]: 0.0, q["c"]: 0.0, q["d"]: 0.1})
    assert np.abs(np.array(phi, dtype=float)).max() <= 1e-15  # the loop is closed where the file shows it


def test_weld_closes_a_loop() -> None:
    text = _body("<geom size='0.1'/><body name='c' pos='0 0 1'><joint name='k' axis='1 0 0'/><geom size='0.1'/></body>")
    welded = text.replace("</mujoco>", "<equality><weld body1='b' body2='c'/></equality></mujoco>")
    eq = sb.derive(sb.read_mjcf(welded, parameters="none"))
    assert len(eq.u) == 2
    assert sb.audit(sb.read_mjcf(welded, parameters="none")).degrees_of_freedom == 1


def test_includes_and_keyframes(tmp_path: Path, creature: Robot) -> None:
    body = re.search(r"<worldbody>.*</worldbody>", CREATURE, re.S)
    assert body is not None
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "world.xml").write_text(f"<mujocoinclude>{body[0]}</mujocoinclude>")
    (tmp_path / "all.xml").write_text(CREATURE.replace(body[0], "<include file='parts/world.xml'/>"))
    m = sb.read_mjcf(tmp_path / "all.xml")
    assert list(m.links) == list(creature.links)
    assert m.keyframes["bent"]["knee"] == -0.5
    assert m.keyframes["qpos0"]["hip_x"] == pytest.approx(math.radians(10))
    assert m.keyframes["qpos0"]["root_z"] == 1
    assert m.sites["heel"].root is m.ground
    (tmp_path / "bad.xml").write_text("<mujoco><include file='/etc/passwd'/></mujoco>")
    with pytest.raises(ModelError, match="relative to the file is needed"):
        sb.read_mjcf(tmp_path / "bad.xml")


def test_parameters_actuators_and_joints_that_are_held(creature: Robot) -> None:
    assert creature.actuators["kicker"].control_range == (-1.0, 1.0)
    m = sb.read_mjcf(CREATURE, actuators="joints", hold={"ankle": 0, "root": 0}, parameters=["*_m"])
    eq = sb.derive(m)
    assert [r.name for r in eq.r] == ["hip_x_tau", "hip_y_tau", "knee_tau", "wag_tau", "lift_tau", "stretch_tau"]
    assert {p.name for p in m.freeze().p} >= {"shank_m", "tail_m"}
    assert len(eq.q) == 6


def test_what_is_not_understood_is_reported() -> None:
    text = _body("<geom size='0.1'/><composite type='rope'/>").replace(
        "</mujoco>", "<actuator><muscle joint='j'/></actuator><deformable/><option density='1.2'/></mujoco>"
    )
    lines = "\n".join(sb.read_mjcf(text).report.lines())
    for says in ("<composite> in <body>", "<muscle>", "<deformable>", "density of <option>"):
        assert says in lines


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot/>", "use read_urdf"),
        (_body("<geom size='0.1' class='none'/>"), "there is no default class 'none'"),
        (_body("<geom type='box' size='0.1'/>"), "a box needs 3 positive numbers"),
        (_body("<geom size='x'/>"), "'x' is not a finite number"),
        (_body("<geom size='0.1'/>", "angle='grad'"), "is not one of radian, degree"),
        ("<mujoco><include file='a.xml'/></mujoco>", "a text cannot include"),
    ],
)
def test_what_is_refused(text: str, says: str) -> None:
    with pytest.raises(ModelError, match=re.escape(says)):
        sb.read_mjcf(text)


TUNED = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="a" pos="0 0 1" euler="0.3 0.2 0.1"><freejoint name="root"/><geom size="0.2" mass="3"/>
    <body name="b" pos="0.1 0 -0.3"><joint name="hip" axis="0 1 0" pos="0.02 0 0" springdamper="0.1 0.7" armature="0.01"/>
      <joint name="slip" type="slide" axis="1 0 1" springdamper="0.2 1.1"/><geom type="capsule" fromto="0 0 0 0.2 0 -0.3" size="0.05"/>
      <body name="c" pos="0.2 0 -0.3" euler="0 0.4 0"><joint name="knee" axis="1 1 0"/><geom type="box" size="0.1 0.2 0.05"/></body>
    </body></body></worldbody>
  <tendon><fixed name="sinew"><joint joint="hip" coef="0.5"/><joint joint="knee" coef="-2"/></fixed></tendon>
  <actuator><position joint="knee" kp="30" dampratio="0.8" gear="2"/><position tendon="sinew" kp="7" dampratio="1"/>
    <general joint="hip" gainprm="5" biastype="affine" biasprm="0 -5 0.6"/></actuator></mujoco>"""


def test_springs_and_dampers_by_time_constants_and_damping_ratios() -> None:
    """Stiffness k = J/(T ζ)² and damping from the mass matrix where the file shows the robot, as MuJoCo 4.0.0 has
    them."""
    robot = sb.read_mjcf(TUNED, parameters="none")
    springs = [(robot.details[n].stiffness, robot.details[n].damping) for n in ("hip", "slip")]
    eq = sb.derive(robot)
    at = dict.fromkeys(eq.q, 0.1) | dict.fromkeys((*eq.u, *eq.r), 0.0)
    slopes = np.array(sb.evaluate(sb.jacobian(eq.f, eq.u), at | {eq.q[3]: 1.0}), dtype=float)
    names = [u.name for u in eq.u]
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    model = mujoco.MjModel.from_xml_string(TUNED)
    theirs = [(model.jnt_stiffness[k], model.dof_damping[5 + k]) for k in (1, 2)]
    assert np.ravel(springs) == pytest.approx(np.ravel(theirs), rel=1e-10)
    knee, sinew, hip = model.actuator_biasprm[:, 2]
    moments = np.zeros((3, len(names)))
    moments[0, names.index("knee_dot")] = 2
    moments[1, names.index("hip_dot")], moments[1, names.index("knee_dot")] = 0.5, -2
    moments[2, names.index("hip_dot")] = 1
    wanted = moments.T @ np.diag([knee, sinew, hip]) @ moments - np.diag(model.dof_damping)
    joints = [names.index(f"{n}_dot") for n in ("hip", "slip", "knee")]
    assert slopes[np.ix_(joints, joints)] == pytest.approx(wanted[np.ix_(joints, joints)], rel=1e-9, abs=1e-12)
