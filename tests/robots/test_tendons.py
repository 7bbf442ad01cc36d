"""Tendons of MJCF files over geometries, muscles along them, and actuators between sites, beside MuJoCo."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph.graph import as_expr
from symbody.formats import Robot
from symbody.formats.mjcf.muscle_law import MuscleLaw

from .tendon_reference import ACTIVATION_RATES, MUSCLE_FORCES, MUSCLE_STATE

ARM = """<mujoco><compiler angle="degree"/><option gravity="0 0 -9.81"/><worldbody>
 <site name="s0" pos="-0.3 0.02 0.5"/><site name="home" pos="0.1 0 0.2" euler="20 30 40"/>
 <geom name="fixed" type="cylinder" size="0.08 0.1" pos="0 0 0.35" euler="80 10 0"/><site name="fs" pos="0.0 0.05 0.6"/><site name="core" pos="0.02 0.03 0.36"/>
 <body name="a" pos="0 0 0.3"><joint name="ja" axis="0 1 0"/><joint name="jz" axis="0 0 1"/><geom name="ball" type="sphere" size="0.06" pos="0.2 0.01 0"/>
  <site name="sa" pos="0.1 0.03 0.09"/><site name="side" pos="0.2 0.03 0.11"/><site name="inside" pos="0.2 0.03 0.01"/>
  <body name="b" pos="0.3 0 0"><joint name="jb" axis="0 1 0.2"/><geom name="roll" type="cylinder" size="0.05 0.1" pos="0.02 0 0" euler="90 0 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/>
   <site name="rs" pos="0.02 0 0.09"/><site name="sb" pos="0.2 -0.02 0.01"/>
   <body name="c" pos="0.3 0 0"><joint name="jc" axis="0 1 0"/><geom size="0.05" pos="0.1 0 0"/><site name="sc" pos="0.15 0.04 0.02"/></body>
  </body></body></worldbody>
 <tendon>
  <spatial name="plain" stiffness="100" damping="2"><site site="s0"/><geom geom="fixed"/><site site="sa"/><geom geom="ball"/><site site="sb"/></spatial>
  <spatial name="branched" stiffness="70" springlength="0"><site site="sa"/><geom geom="ball"/><site site="sc"/><pulley divisor="2"/><site site="s0"/><geom geom="roll"/><site site="sc"/></spatial>
  SIDES
 </tendon><actuator>ACTUATORS</actuator></mujoco>"""
SIDES = """<spatial name="sided" stiffness="50" springlength="0.2"><site site="s0"/><geom geom="fixed" sidesite="fs"/><site site="sa"/><geom geom="ball" sidesite="side"/><site site="sb"/></spatial>
  <spatial name="roller" stiffness="70" damping="1" springlength="0"><site site="sa"/><geom geom="roll" sidesite="rs"/><site site="sc"/></spatial>"""
MUSCLES = """<muscle name="flexor" tendon="plain" lengthrange="0.5 0.8" tausmooth="0.3"/>
  <muscle name="strong" joint="jb" gear="0.05" lengthrange="-0.1 0.1" force="300" timeconst="0.02 0.05" range="0.6 1.4"/>
  <general name="same" tendon="branched" dyntype="muscle" gaintype="muscle" biastype="muscle" dynprm="0.01 0.04" lengthrange="0.4 1.1" gainprm="0.7 1.1 40 200 0.5 1.6 1.5 1.3 1.2" biasprm="0.7 1.1 40 200 0.5 1.6 1.5 1.3 1.2"/>
  <position name="reach" site="sc" refsite="home" gear="0.5 1 -2 0 0 0" kp="30" kv="2"/>
  <motor name="push" site="sc" refsite="side" gear="1 2 3 0 0 0"/>"""


def arm(sides: str = "", actuators: str = "") -> str:
    return ARM.replace("SIDES", sides).replace("ACTUATORS", actuators)


@pytest.fixture(scope="module")
def sided() -> tuple[Robot, sb.Equations]:
    robot = sb.read_mjcf(arm(SIDES), parameters="none")
    return robot, sb.derive(robot)


def lengths_and_forces(robot: Robot, eq: sb.Equations, q, u) -> tuple[np.ndarray, np.ndarray]:
    values = dict(zip((*eq.q, *eq.u), (*q, *u), strict=True))
    found = sb.evaluate([list(robot.tendons.values()), list(eq.f.entries)], values)
    return np.array(found[0], dtype=float), np.array(found[1], dtype=float)


def states(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=4) * [1, 0.5, 1.2, 1.2], rng.normal(size=4)) for _ in range(count)]


INNER = """<spatial name="inner" stiffness="60"><site site="s0"/><geom geom="fixed" sidesite="core"/><site site="sc"/></spatial>
  <spatial name="hole" stiffness="50"><site site="s0"/><geom geom="ball" sidesite="inside"/><site site="sb"/></spatial>"""
MOVING = """<spatial name="moving" stiffness="60"><site site="s0"/><geom geom="ball" sidesite="rs"/><site site="sc"/></spatial>
  <spatial name="across" stiffness="50"><site site="s0"/><geom geom="fixed" sidesite="sb"/><site site="sc"/></spatial>"""


@pytest.mark.parametrize(
    ("more", "close", "shapes"),
    [("", 1e-10, 5), (SIDES, 1e-10, 6), (INNER, 1e-6, 3), (MOVING, 1e-6, 3)],
    ids=["plain", "beside a site", "inside", "beside a site of another body"],
)
def test_lengths_and_forces_are_mujocos(more, close, shapes) -> None:
    """Over a fixed cylinder, a sphere that moves and a pulley, on and off the surfaces; on the side of a site of the same
    body and of another one; through a geometry whose site is inside, where MuJoCo stops at 1e-6 of an angle."""
    mujoco = pytest.importorskip("mujoco", minversion="4", reason="mujoco 4 is not installed")
    robot = sb.read_mjcf(arm(more), parameters="none")
    assert "not read" not in str(robot.report)
    eq, model = sb.derive(robot), mujoco.MjModel.from_xml_string(arm(more))
    data, wrapped = mujoco.MjData(model), set()
    for q, u in states(25):
        data.qpos[:], data.qvel[:] = q, u
        mujoco.mj_forward(model, data)
        lengths, forces = lengths_and_forces(robot, eq, q, u)
        assert np.abs(lengths - data.ten_length).max() < 1e-12
        theirs = data.qfrc_passive - data.qfrc_bias
        assert np.abs(forces - theirs).max() < close * np.abs(theirs).max()
        wrapped.add(tuple(np.array(data.ten_wrapnum)))
    assert len(wrapped) >= shapes


@pytest.mark.parametrize("kind", [sb.bodies.WrapSphere, sb.bodies.WrapCylinder])
def test_the_side_of_a_point_is_a_side_of_the_centre(kind) -> None:
    """The longer way is taken where the shorter one would cross the ray from the centre away from the point, here
    downwards, and nowhere else."""
    m = sb.Model("side")
    x, y = m.coordinate("x"), m.coordinate("y")
    ends = m.ground.point(-1, 0.1, 0), m.ground.translate(x, y, 0).origin
    beside = kind(m.ground, 0.5, beside=m.ground.point(0, 2, 0))
    path, shorter = (m.path(n, [ends[0], w, ends[1]]).length for n, w in (("a", beside), ("b", kind(m.ground, 0.5))))
    for phi in np.linspace(-np.pi, np.pi, 38):
        at = {x: np.cos(phi), y: np.sin(phi)}
        is_longer = sb.evaluate(path, at) > sb.evaluate(shorter, at) + 1e-9
        assert is_longer == (-np.pi / 2 < phi < np.arctan2(-0.1, 1))


@pytest.mark.parametrize("kind", [sb.bodies.WrapSphere, sb.bodies.WrapCylinder])
def test_through_a_surface_the_path_bends_where_it_is_shortest(kind) -> None:
    m = sb.Model("through")
    x = m.coordinate("x")
    a, b = m.ground.point(-1, 0.9, 0), m.ground.translate(x, 1.2, 0).origin
    path = m.path("cable", [a, kind(m.ground, 0.5, through=True), b])
    bends = 0.5 * np.exp(1j * np.linspace(0, 2 * np.pi, 200001))
    for value in (-0.8, 0.1, 1.5):
        least = (abs(bends - (-1 + 0.9j)) + abs(bends - (value + 1.2j))).min()
        assert sb.evaluate(path.length, {x: value}) == pytest.approx(least, rel=1e-8)
        step = 1e-6
        slope = (sb.evaluate(path.length, {x: value + step}) - sb.evaluate(path.length, {x: value - step})) / (2 * step)
        assert float(sb.evaluate(path.rate, {x: value, x.dot: 1.0})) == pytest.approx(slope, abs=1e-8)
    assert sb.evaluate(m.path("in", [a, kind(m.ground, 0.5, through=True), m.ground.point(1, -1, 0)]).length) == (
        pytest.approx(np.hypot(2, 1.9))  # straight, where it goes through
    )


def test_pulls_do_the_work_of_lengths(sided) -> None:
    """Generalised forces of a tension are -∂l/∂q, sides and all: forces on bodies against the derivative of the
    length."""
    robot, _ = sided
    path = robot.tendons["roller"]
    q = [s for s in sb.free_symbols(path) if s.kind == "coordinate"]
    for values, _ in states(4):
        at = dict(zip(sb.derive(robot).q, values, strict=True))
        slopes = [float(sb.evaluate(sb.derivative(path, s), at)) for s in q]
        step = 1e-6
        for s, slope in zip(q, slopes, strict=True):
            ahead, behind = (float(sb.evaluate(path, {**at, s: at[s] + h})) for h in (step, -step))
            assert slope == pytest.approx((ahead - behind) / (2 * step), abs=1e-7)


def actuated(robot: Robot) -> np.ndarray:
    eq = sb.derive(robot)
    q, u, act, control = (np.array(x) for x in MUSCLE_STATE)
    symbols = {s.name: s for s in eq.variables.of("q u z r").symbols}
    names = [a.input for a in robot.actuators.values()]
    values = dict(zip((*eq.q, *eq.u), (*q, *u), strict=True))
    values |= {symbols[n]: c for n, c in zip(names, control, strict=True)}
    values |= {symbols[n.replace("_ctrl", "_act")]: a for n, a in zip(names[:3], act, strict=True)}
    return np.array(sb.evaluate(list(eq.f.entries), values), dtype=float)


def test_muscles_and_refsites_are_mujocos() -> None:
    """Forces of muscles (peak force given, or from the inertia at rest), and of actuators between two sites."""
    robot = sb.read_mjcf(arm(SIDES[:0], MUSCLES), parameters="none")
    assert "not read" not in str(robot.report)
    forces = actuated(robot)
    assert np.abs(forces - MUSCLE_FORCES).max() < 1e-10 * np.abs(MUSCLE_FORCES).max()


def test_activations_are_mujocos() -> None:
    """Rising, falling, and smooth between both."""
    _, _, act, control = MUSCLE_STATE
    times = (0.01, 0.04, 0.3), (0.02, 0.05, 0.0), (0.01, 0.04, 0.0)
    for t, a, u, rate in zip(times, act, control, ACTIVATION_RATES, strict=False):
        found = MuscleLaw((0.0, 1.0), (), t).activation_rate(as_expr(u), as_expr(a))
        assert float(sb.evaluate(found)) == pytest.approx(rate, rel=1e-12)


def test_what_is_left_out_is_reported() -> None:
    text = arm("", '<muscle name="m" joint="ja"/><motor site="sa" refsite="sc"/>')
    report = str(sb.read_mjcf(text, parameters="none").report)
    for said in ("<muscle> 'm' without lengthrange", "by refsite"):
        assert said in report
