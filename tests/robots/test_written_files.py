"""Models written for MuJoCo and OpenSim: read again they move alike, and these programs compute the same accelerations."""

import math
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.formats import write_mjcf, write_osim

from .. import arms
from ..laws.test_files import assert_moves_alike

WRITERS = {"mjcf": (write_mjcf, lambda text: sb.read_mjcf(text, parameters="none")), "osim": (write_osim, sb.read_osim)}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("seed", [0, 4])
def test_a_written_arm_moves_as_the_arm(kind: str, seed: int) -> None:
    write, read = WRITERS[kind]
    m = arms.by_hand(arms.random_arm(seed))
    assert_moves_alike(read(write(m)), m, seed)


def creature(kind: str) -> sb.Model:
    """A tree with joints on skewed axes, offsets on both sides, several moves between two bodies, and bodies fixed to
    bodies."""
    m = sb.Model("creature")
    m.gravity(0.3, 0, -9.81)
    k, tau = m.parameter("k", 3.0), m.input("tau")
    a = m.body("a", mass=1, com=(0.1, 0, 0), inertia=(1, 1.2, 1.3))
    b = m.body("b", mass=2, shape=sb.box(0.1, 0.2, 0.3))
    c = m.body("c", mass=0.5, inertia=(0.1, 0.15, 0.2), com=(0, 0.2, 0))
    m.revolute("j", m.ground, a, axis=(1, 1, 0), damping=0.1, stiffness=k, rest=0.2, actuation=0.5 * tau, orientation=("xyz", 0.1, 0.2, 0.3), at=(0.1, 0.2, 0.3), on=(0.3, 0, 0))  # fmt: skip
    m.free("f", a, b, at=(1, 0, 0), on=(0.1, 0, 0), orientation=("z", 0.4))
    m.universal("w", b, c, at=(0, 1, 0))
    m.spring("s", m.ground.point(1, 0, 0), b.point(0, 1, 0), stiffness=5, rest=0.3, damping=0.2 * (kind == "mjcf"))
    d = m.body("d", c.frame.translate(0.1, 0, 0).rotate("z", 0.5), mass=0.3, inertia=(0.1, 0.1, 0.1))
    x, y, z = m.coordinates("x y z")
    bent = d.frame.translate(0.1, 0.2, 0).rotate("x", x).translate(0.1, 0, 0).translate(0, y, 0).rotate("y", -z)
    m.body("e", bent.translate(0, 0, 0.2), mass=0.3, inertia=(0.1, 0.1, 0.1))
    return m


def state(eq: sb.Equations) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.normal(size=len(eq.q)) * 0.5, rng.normal(size=len(eq.u))


def test_accelerations_of_mujoco() -> None:
    mujoco: Any = pytest.importorskip("mujoco")
    m = creature("mjcf")
    eq = sb.derive(m)
    q, u = state(eq)
    model = mujoco.MjModel.from_xml_string(write_mjcf(m))
    data = mujoco.MjData(model)
    for symbol, angle, rate in zip(eq.q, q, u, strict=True):
        joint = model.joint(symbol.name)
        data.qpos[joint.qposadr[0]], data.qvel[joint.dofadr[0]] = angle, rate
    data.ctrl[:] = 0.7
    mujoco.mj_forward(model, data)
    got = [data.qacc[model.joint(s.name).dofadr[0]] for s in eq.q]
    f = sb.compile(eq)
    assert got == pytest.approx(f.udot(0.0, q, u, [0.7], f.p), rel=1e-11, abs=1e-11)


def test_accelerations_of_opensim(tmp_path: Any) -> None:
    osim: Any = pytest.importorskip("opensim", exc_type=ImportError)  # or another CasADi is loaded
    m = creature("osim")
    eq = sb.derive(m)
    q, u = state(eq)
    write_osim(m, tmp_path / "creature.osim")
    model = osim.Model(str(tmp_path / "creature.osim"))
    now = model.initSystem()
    for symbol, angle, rate in zip(eq.q, q, u, strict=True):
        coordinate = model.getCoordinateSet().get(symbol.name)
        coordinate.setValue(now, angle, False)
        coordinate.setSpeedValue(now, rate)
    model.realizeAcceleration(now)
    got = [model.getCoordinateSet().get(s.name).getAccelerationValue(now) for s in eq.q]
    f = sb.compile(eq)
    assert got == pytest.approx(f.udot(0.0, q, u, [0.0], f.p), rel=1e-11, abs=1e-11)


def test_euler_parameters_are_ball_joints() -> None:
    m = sb.Model("top")
    m.spherical("s", m.ground, m.body("top", mass=1, com=(0, 0, 0.1), inertia=(0.1, 0.1, 0.02)), "euler parameters")
    text = write_mjcf(m)
    assert '<joint name="s_e0" type="ball"/>' in text
    with pytest.raises(sb.ModelError, match="Euler parameters"):
        write_osim(m)


def linkage() -> sb.Model:
    m = sb.Model("linkage")
    parent, at = m.ground, (0, 0, 0)
    for k, length in enumerate((0.3, 0.8, 0.6)):
        bar = m.body(f"bar {k}", mass=1, com=(length / 2, 0, 0), inertia=(0.01, 0.02, 0.03))
        m.revolute(f"q{k}", parent, bar, at=at)
        parent, at = bar, (length, 0, 0)
    m.spherical("pin", m.ground, parent, at=(0.7, 0, 0), on=(0.6, 0, 0))
    wheel = m.body("wheel", mass=1, inertia=(0.1, 0.1, 0.1))
    m.constrain("gear", 2 * m.revolute("w", m.ground, wheel).q + m.symbols["q0"] - 0.1)
    return m


def test_loops_and_gears_are_closed_where_the_model_is_assembled() -> None:
    mujoco: Any = pytest.importorskip("mujoco")
    m = linkage()
    start = sb.assemble(sb.derive(m), q0=0.5, start={"q1": -0.3, "q2": -1.0})
    model = mujoco.MjModel.from_xml_string(write_mjcf(m))
    data = mujoco.MjData(model)
    for name in ("q0", "q1", "q2", "w"):
        data.qpos[model.joint(name).qposadr[0]] = start[name]
    mujoco.mj_forward(model, data)
    assert data.nefc == 4
    assert np.max(np.abs(data.efc_pos)) < 1e-12
    data.qpos[model.joint("w").qposadr[0]] += 0.25  # half of q0
    mujoco.mj_forward(model, data)
    assert math.isclose(np.max(np.abs(data.efc_pos)), 0.5, rel_tol=1e-9)


def cart() -> tuple[sb.Model, sb.Body, Any]:
    m = sb.Model("cart")
    body = m.body("cart", mass=1)
    return m, body, m.prismatic("x", m.ground, body).q


def with_drag(m: sb.Model, body: sb.Body, x: Any) -> None:
    m.drag("air", body.mass_centre, on=body, quadratic=0.1)


def with_screw(m: sb.Model, body: sb.Body, x: Any) -> None:
    m.screw("bolt", body, m.body("nut", mass=1, inertia=(1, 1, 1)), pitch=0.1)


def with_shared_coordinate(m: sb.Model, body: sb.Body, x: Any) -> None:
    m.body("twin", m.ground.translate(0, x, 0), mass=1)


def with_moving_support(m: sb.Model, body: sb.Body, x: Any) -> None:
    m.body("table", m.ground.translate(0, sb.sin(m.time), 0), mass=1)


def with_parameter(m: sb.Model, body: sb.Body, x: Any) -> None:
    m.generalized_force("push", x, m.parameter("F"))


def with_equation(m: sb.Model, body: sb.Body, x: Any) -> None:
    z = m.variable("z")
    m.equation("filter", z.dot + z - x)


def with_speed_constraint(m: sb.Model, body: sb.Body, x: Any) -> None:
    y = m.prismatic("y", body, m.body("skate", mass=1)).q
    m.constrain_speed("blade", x.dot - sb.sin(x) * y.dot)


REFUSED = {
    with_drag: "'air' is not linear",
    with_screw: "bolt",
    with_shared_coordinate: "x moves several frames",
    with_moving_support: "moves with t",
    with_parameter: "values for F",
    with_equation: "additional equations",
    with_speed_constraint: "blade",
}


@pytest.mark.parametrize("change", REFUSED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("write", [write_mjcf, write_osim])
def test_what_a_format_does_not_have_is_refused_by_name(write: Any, change: Any) -> None:
    m, body, x = cart()
    change(m, body, x)
    with pytest.raises(sb.ModelError, match=REFUSED[change]):
        write(m)


def test_loads_left_out_are_listed_in_the_file() -> None:
    m, body, x = cart()
    with_drag(m, body, x)
    assert "left out: air" in write_mjcf(m, omit="air")
    assert "left out: air" in write_osim(m, omit=["air"])
    with pytest.raises(sb.ModelError, match="Did you mean 'air'"):
        write_mjcf(m, omit=["aire"])


def test_a_coordinate_that_is_a_polynomial_of_another() -> None:
    """Zero in MuJoCo where the constraint is; read again it is the same constraint. Other functions are refused."""
    mujoco: Any = pytest.importorskip("mujoco")
    m, body, x = cart()
    y = m.prismatic("y", body, m.body("load", mass=1), axis="y").q
    m.constrain("cam", 2 * y + 0.3 * x**3 - 0.4 * x + 0.1)
    text = write_mjcf(m)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = 0.7, -(0.3 * 0.7**3 - 0.4 * 0.7 + 0.1) / 2
    mujoco.mj_forward(model, data)
    assert data.nefc == 1
    assert abs(data.efc_pos[0]) < 1e-14
    again = sb.derive(sb.read_mjcf(text, parameters="none"))
    start = sb.assemble(again, x=0.7)
    assert start["y"] == pytest.approx(data.qpos[1], abs=1e-13)
    m.constrain("lock", sb.sin(x) - y)
    for write in (write_mjcf, write_osim):
        with pytest.raises(sb.ModelError, match="'lock' does not make one coordinate a polynomial"):
            write(m)
