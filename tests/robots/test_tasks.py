"""Links of robots: Jacobians and their rates, inertia in tasks, momenta, inverse kinematics and control laws, against
Pinocchio."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits.robots import (
    centre_of_mass_jacobian,
    centroidal_momentum_matrix,
    computed_torque,
    gravity_compensation,
    inverse_kinematics,
    task,
    task_control,
)

from .test_regressor import robot_file

CLOSE = 1e-12


@pytest.fixture(scope="module")
def arm() -> SimpleNamespace:
    pin = pytest.importorskip("pinocchio", reason="pin is not installed")
    path = robot_file("ur5_robot.urdf")
    robot = sb.read_urdf(path, parameters="none")
    eq = sb.derive(robot)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    q, v = np.random.default_rng(0).normal(size=(2, 6))
    pin.computeJointJacobiansTimeVariation(model, data, q, v)
    pin.framesForwardKinematics(model, data, q)
    tool = model.getFrameId("ee_link")
    how = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J, dJ = pin.getFrameJacobian(model, data, tool, how), pin.getFrameJacobianTimeVariation(model, data, tool, how)
    M = np.triu(pin.crba(model, data, q))
    M = M + np.triu(M, 1).T
    values = dict(zip(eq.q, q, strict=True)) | dict(zip(eq.u, v, strict=True))

    def number(e: Any) -> np.ndarray:
        return np.array(sb.evaluate(e, values), dtype=float)

    own = {"pin": pin, "robot": robot, "eq": eq, "model": model, "data": data, "q": q, "v": v, "number": number}
    return SimpleNamespace(**own, J=J, dJ=dJ, M=M, X=data.oMf[tool].copy())


def test_pose_and_jacobian(arm: SimpleNamespace) -> None:
    T = task(arm.eq, arm.robot.link("ee_link"))
    assert np.abs(arm.number(T.jacobian) - arm.J).max() < CLOSE
    assert np.abs(arm.number(arm.robot.jacobian("ee_link")) - arm.J).max() < CLOSE
    assert np.abs(arm.number(T.jacobian_rate) - arm.dJ).max() < CLOSE
    assert np.abs(arm.number(T.drift).ravel() - arm.dJ @ arm.v).max() < CLOSE
    pose = arm.robot.pose("ee_link")
    assert np.abs(arm.number(pose.offset).ravel() - arm.X.translation).max() < CLOSE
    assert np.abs(arm.number(pose.rotation.matrix) - arm.X.rotation).max() < CLOSE


def test_inertia_of_a_task(arm: SimpleNamespace) -> None:
    T = task(arm.eq, arm.robot.link("ee_link"), "xyz")
    J = arm.J[:3]
    Lam = np.linalg.inv(J @ np.linalg.solve(arm.M, J.T))
    assert np.abs(arm.number(T.inertia) - Lam).max() < 1e-10 * np.abs(Lam).max()
    assert np.abs(arm.number(T.consistent_inverse) - np.linalg.solve(arm.M, J.T) @ Lam).max() < 1e-10
    assert float(arm.number(T.manipulability)) == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)), rel=1e-11)


def test_momentum(arm: SimpleNamespace) -> None:
    pin = arm.pin
    theirs = pin.jacobianCenterOfMass(arm.model, arm.data, arm.q)
    assert np.abs(arm.number(centre_of_mass_jacobian(arm.eq)) - theirs).max() < CLOSE
    pin.ccrba(arm.model, arm.data, arm.q, arm.v)
    assert np.abs(arm.number(centroidal_momentum_matrix(arm.eq)) - arm.data.Ag).max() < 1e-11


def test_control_laws(arm: SimpleNamespace) -> None:
    """Computed torque is inverse dynamics of the wanted acceleration; a task gets the acceleration that it asks for,
    whatever the posture."""
    pin, q, v, none = arm.pin, arm.q, arm.v, np.zeros(0)
    rng = np.random.default_rng(1)
    tau = sb.compile(gravity_compensation(arm.eq))(q, none)
    assert np.abs(np.ravel(tau) - pin.computeGeneralizedGravity(arm.model, arm.data, q)).max() < 1e-11
    kp, kd, q_ref, u_ref, a_ref = rng.uniform(1, 2, (5, 6))
    tau = sb.compile(computed_torque(arm.eq))(q, v, q_ref, u_ref, a_ref, kp, kd, none)
    wanted = a_ref + kd * (u_ref - v) + kp * (q_ref - q)
    assert np.abs(np.ravel(tau) - pin.rnea(arm.model, arm.data, q, v, wanted)).max() < 1e-11
    law = sb.compile(task_control(task(arm.eq, arm.robot.link("ee_link"), "xyz")))
    x = rng.normal(size=3)
    for posture in np.array([np.zeros(6), rng.normal(size=6)]):
        a = pin.aba(arm.model, arm.data, q, v, np.ravel(law(q, v, x, posture, none)))
        assert np.abs(arm.J[:3] @ a + arm.dJ[:3] @ v - x).max() < 1e-10
    assert "tau" in sb.c_source(gravity_compensation(arm.eq)).header


def test_all_branches_of_inverse_kinematics(arm: SimpleNamespace) -> None:
    """The ur5 has eight ways to hold its tool; all of them hold it, one is the way that was taken; limits leave
    some."""
    T = task(arm.eq, arm.robot.link("ee_link"))
    found = inverse_kinematics(T, arm.X.translation, arm.X.rotation)
    assert len(found) == 8
    for way in found:
        values = {s: way[s.name] for s in arm.eq.q}
        assert np.abs(np.ravel(sb.evaluate(T.frame.origin.in_ground, values)) - arm.X.translation).max() < 1e-9
    own = {s.name: (x + np.pi) % (2 * np.pi) - np.pi for s, x in zip(arm.eq.q, arm.q, strict=True)}
    assert min(max(abs(way[n] - own[n]) for n in own) for way in found) < 1e-7
    elbow = next(n for n in own if "elbow" in n)
    up = inverse_kinematics(T, arm.X.translation, arm.X.rotation, limits={elbow: (0, np.pi)})
    assert 0 < len(up) < 8
    assert (found.most, found.finitely_many) == (16, True)
    assert min(found.times) >= 4
    assert found.unseen == 0
    assert all(way[elbow] >= 0 for way in up)


def general_arm() -> tuple[sb.Model, sb.bodies.Frame]:
    """Six revolute joints by Denavit and Hartenberg's parameters (Manseur and Doty 1989, A robot manipulator with 16
    real inverse kinematic solution sets)."""
    m = sb.Model("general arm")
    frame = m.ground
    for k, (a, d, twist) in enumerate(((0.3, 0, 90), (1, 0, 1), (0, 0.2, 90), (1.5, 0, 1), (0, 0, 90), (0, 0, 1))):
        turned = frame.rotate("z", m.coordinate(f"q{k + 1}")).translate(a, 0, d)
        frame = turned.rotate("x", np.radians(twist))
        m.body(f"link {k + 1}", frame, mass=1.0, inertia=(1, 1, 1))
    return m, frame


def test_sixteen_configurations() -> None:
    """As many as an arm with six joints can have: all are found, and it is known that there are no more."""
    m, hand = general_arm()
    printed = [[-0.760117, -0.641689, 0.102262], [0.133333, 0, 0.991071], [-0.635959, 0.766965, 0.085558]]
    left, _, right = np.linalg.svd(np.array(printed))
    T = task(sb.derive(m), hand)
    found = inverse_kinematics(T, (-1.140175, 0, 0), left @ right)
    assert len(found) == found.most == 16
    assert found.unseen == 0
    for way in found:
        values = {s: way[s.name] for s in T.equations.q}
        assert np.ravel(sb.evaluate(hand.origin.in_ground, values)) == pytest.approx([-1.140175, 0, 0], abs=1e-9)


def test_curves_of_configurations_are_a_sample() -> None:
    """Three joints hold a point of the plane in infinitely many ways."""
    m = sb.Model("three links")
    frame = m.ground
    for k in range(3):
        frame = frame.rotate("z", m.coordinate(f"q{k + 1}"))
        m.body(f"link {k + 1}", frame, mass=1.0, shape=sb.bar(1.0, "x", at=(0.5, 0, 0)))
        frame = frame.translate(1, 0, 0)
    found = inverse_kinematics(task(sb.derive(m), frame, "xy"), (1.5, 0.5, 0), starts=30)
    assert (found.finitely_many, found.most, found.unseen) == (False, None, 1.0)
    assert len(found) > 10


def places_of(found: Any, names: list[str]) -> np.ndarray:
    return np.array(sorted([way[n] for n in names] for way in found))


def turned(a: float) -> np.ndarray:
    return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])


def test_plane_arm_beside_its_closed_form() -> None:
    """Three joints hold a pose of the plane in two ways: the elbow up or down."""
    m, frame, l = sb.Model("plane arm"), None, (1.0, 0.8, 0.3)
    frame = m.ground
    for k in range(3):
        frame = frame.rotate("z", m.coordinate(f"q{k + 1}"))
        m.body(f"link {k + 1}", frame, mass=1.0, inertia=(1, 1, 1))
        frame = frame.translate(l[k], 0, 0)
    x, y, heading = 0.9, 0.7, 0.4
    found = inverse_kinematics(task(sb.derive(m), frame), (x, y, 0), turned(heading))
    wx, wy = x - l[2] * np.cos(heading), y - l[2] * np.sin(heading)
    bend = np.arccos((wx**2 + wy**2 - l[0] ** 2 - l[1] ** 2) / (2 * l[0] * l[1]))
    expected = []
    for q2 in (bend, -bend):
        q1 = np.arctan2(wy, wx) - np.arctan2(l[1] * np.sin(q2), l[0] + l[1] * np.cos(q2))
        expected.append([q1, q2, heading - q1 - q2])
    assert places_of(found, ["q1", "q2", "q3"]) == pytest.approx(np.array(sorted(expected)), abs=1e-9)


def test_half_a_turn_away_is_not_there() -> None:
    """R - Rᵀ is zero for half a turn as well: the joint has to move by π, which its limits forbid."""
    m = sb.Model("door")
    leaf = m.body("leaf", mass=1.0, shape=sb.bar(1.0, "x"))
    m.revolute("a", m.ground, leaf)
    opened = task(sb.derive(m), leaf.frame)
    assert inverse_kinematics(opened, rotation=np.diag([-1.0, -1, 1]), limits={"a": (0, 0)}, starts=3) == []
    found = inverse_kinematics(opened, rotation=np.diag([-1.0, -1, 1]), limits={"a": (0, 4)}, starts=3)
    assert [q["a"] for q in found] == pytest.approx([np.pi])


def test_slides_are_no_angles() -> None:
    """A SCARA arm has two ways; its quill goes as far as it has to, and is not taken modulo 2π."""
    m = sb.Model("scara")
    a = m.ground.rotate("z", m.coordinate("q1"))
    b = a.translate(0.4, 0, 0).rotate("z", m.coordinate("q2"))
    d = b.translate(0.3, 0, 0).translate(0, 0, m.coordinate("d"))
    hand = d.rotate("z", m.coordinate("q4"))
    for name, frame in (("a", a), ("b", b), ("d", d), ("hand", hand)):
        m.body(name, frame, mass=1.0, inertia=(1, 1, 1))
    found = inverse_kinematics(task(sb.derive(m), hand), (0.5, 0.2, 5.0), turned(0.3))
    bend = np.arccos((0.29 - 0.25) / 0.24)
    assert sorted(way["q2"] for way in found) == pytest.approx([-bend, bend], abs=1e-9)
    assert [way["d"] for way in found] == pytest.approx([5.0, 5.0], abs=1e-9)
    assert (
        inverse_kinematics(task(sb.derive(m), hand), (0.5, 0.2, 5.0), turned(0.3), limits={"d": (0, 4)}, starts=20)
        == []
    )


def test_regional_arm_beside_its_quartic() -> None:
    """Three joints at right angles hold a point in four ways at most: the zeros of a polynomial of degree four in
    tan(q3/2) (Pieper 1968), of the arm of Wenger (a = 1, 2, 1.5, offset 1) where all four are real."""
    m, (a1, a2, a3, d2) = sb.Model("regional arm"), (1.0, 2.0, 1.5, 1.0)
    one = m.ground.rotate("z", m.coordinate("q1"))
    two = one.translate(a1, 0, 0).rotate("x", -np.pi / 2).rotate("z", m.coordinate("q2"))
    three = two.translate(a2, 0, d2).rotate("x", np.pi / 2).rotate("z", m.coordinate("q3"))
    for k, frame in enumerate((one, two, three)):
        m.body(f"link {k + 1}", frame, mass=1.0, inertia=(1, 1, 1))
    place = np.array([2.5, 0.0, 0.5])
    found = inverse_kinematics(task(sb.derive(m), three.translate(a3, 0, 0), "xyz"), place)

    def left(t: np.ndarray) -> np.ndarray:
        """(1 + t²)² (ux² + uy² - vx² - vy²), the point in frame 2 being v and turned by q2 being u."""
        c, s = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
        vx, vy, vz = a2 + a3 * c, 0 * t, d2 + a3 * s
        ux, uy = (place @ place - a1 * a1 - vx**2 - vy**2 - vz**2) / (2 * a1), -place[2] + 0 * t
        return (1 + t * t) ** 2 * (ux**2 + uy**2 - vx**2 - vy**2)

    t = np.cos(np.pi * (np.arange(9) + 0.5) / 9)
    roots = np.roots(np.polyfit(t, left(t), 4))
    assert np.abs(roots.imag).max() < 1e-9
    assert sorted(way["q3"] for way in found) == pytest.approx(sorted(2 * np.arctan(roots.real)), abs=1e-7)
