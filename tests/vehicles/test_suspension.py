"""Suspensions: hardpoints against distances solved by SciPy, bushings against energy, drive, brake and driver against
closed forms; speeds that turn with the body."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import fsolve

import symbody as sb
from symbody.kits import vehicles as vh
from tests.amount import some

POINTS = {  # of a left front wheel, x forward, y left, z up [m]
    "lower front": (0.15, 0.35, 0.20), "lower rear": (-0.20, 0.36, 0.21), "lower ball": (0.01, 0.70, 0.18),
    "upper front": (0.12, 0.42, 0.47), "upper rear": (-0.15, 0.43, 0.46), "upper ball": (-0.02, 0.66, 0.50),
    "tie inner": (-0.14, 0.38, 0.26), "tie outer": (-0.13, 0.69, 0.25), "wheel": (0.0, 0.76, 0.31),
}  # fmt: skip


@pytest.fixture(scope="module")
def wishbones() -> sb.Equations:
    m = sb.Model("double wishbone")
    rack = m.parameter("rack", 0.0)
    h, P = vh.Hardpoints(m), POINTS
    arms = {}
    for level, mass in (("lower", 5.0), ("upper", 3.0)):
        arms[level] = h.body(f"{level} arm", P[f"{level} ball"], mass=mass, inertia=(0.05, 0.05, 0.05))
        h.hinge(f"{level}_arm", m.ground, arms[level], P[f"{level} front"], P[f"{level} rear"])
    knuckle = h.body("knuckle", P["wheel"], mass=20.0, inertia=(0.4, 0.6, 0.4))
    h.ball("lower_ball", arms["lower"], knuckle, P["lower ball"])
    h.ball("upper_ball", arms["upper"], knuckle, P["upper ball"])
    inner = m.body("rack", m.ground.translate(0, rack, 0), mass=2.0)
    h.add(inner, (0, 0, 0))
    h.rod("tie rod", inner, knuckle, P["tie inner"], P["tie outer"])
    axis = (h.point(knuckle, P["lower ball"]), h.point(knuckle, P["upper ball"]))
    vh.wheel_angles(m, "left", knuckle, "left", axis=axis)
    return sb.derive(m)


def by_distances(z: float, rack: float) -> np.ndarray:
    """Ball joints, end of the tie rod, wheel centre and a point on the spin axis: 15 coordinates from 15 distances."""
    P = {k: np.array(v) for k, v in POINTS.items()} | {"axle": np.array(POINTS["wheel"]) + np.array([0, 0.1, 0])}
    knuckle = ("lower ball", "upper ball", "tie outer", "wheel", "axle")
    moved = P | {"tie inner": P["tie inner"] + np.array([0, rack, 0])}
    fixed = [("lower ball", f"lower {e}") for e in ("front", "rear")] + [
        ("upper ball", f"upper {e}") for e in ("front", "rear")
    ]
    fixed.append(("tie outer", "tie inner"))
    pairs = [(a, b) for i, a in enumerate(knuckle) for b in knuckle[: min(i, 3)]]  # 9 distances of 5 points

    def gaps(x: np.ndarray) -> np.ndarray:
        now = moved | dict(zip(knuckle, x.reshape(5, 3), strict=True))
        rows = [np.linalg.norm(now[a] - now[b]) - np.linalg.norm(P[a] - P[b]) for a, b in [*fixed, *pairs]]
        return np.array([*rows, now["wheel"][2] - z])

    return fsolve(gaps, np.concatenate([P[k] for k in knuckle]), xtol=1e-12).reshape(5, 3)


@pytest.mark.parametrize(("z", "rack"), some([(0.36, 0.0), (0.33, -0.02), (0.25, 0.01), (0.31, 0.0)], 2))
def test_wishbones_are_where_distances_put_them(wishbones: sb.Equations, z: float, rack: float) -> None:
    """Toe, camber, caster and track of a wheel, beside the nonlinear equations of its distances."""
    lower, upper, _, centre, axle = by_distances(z, rack)
    curves = vh.kinematics(
        wishbones, {"left_z": [z]}, ["left_toe", "left_camber", "left_caster", "left_kingpin", "left_y"], rack=rack
    )
    spin = (axle - centre) / np.linalg.norm(axle - centre)
    a = upper - lower
    assert curves["left_y"][0] == pytest.approx(centre[1], abs=1e-10)
    assert curves["left_toe"][0] == pytest.approx(-np.arctan2(-spin[0], spin[1]), abs=1e-9)
    assert curves["left_camber"][0] == pytest.approx(-np.arcsin(spin[2]), abs=1e-9)
    assert curves["left_caster"][0] == pytest.approx(np.arctan2(-a[0], a[2]), abs=1e-9)
    assert curves["left_kingpin"][0] == pytest.approx(np.arctan2(-a[1], a[2]), abs=1e-9)


def test_curves_over_travel(wishbones: sb.Equations) -> None:
    """In the design position all angles are zero; a sweep through it goes both ways, and its slopes are its own."""
    travel = np.linspace(0.25, 0.37, 7)
    curves = vh.kinematics(wishbones, {"left_z": travel}, ["left_toe", "left_camber"])
    assert abs(curves["left_toe"][3]) < 1e-12
    assert np.all(np.diff(curves["left_camber"]) < 0)  # bump: the top goes inwards
    fine = vh.kinematics(wishbones, {"left_z": [0.309, 0.311]}, ["left_camber"])["left_camber"]
    assert curves.slope("left_camber")[3] == pytest.approx((fine[1] - fine[0]) / 0.002, rel=1e-3)
    with pytest.raises(sb.SymbodyError, match="Did you mean 'left_toe'"):
        curves["left_toes"]


# ---------------------------------------------------------------------------------------------------- bushings


def test_travel_that_a_suspension_does_not_have(wishbones: sb.Equations) -> None:
    """The message has the travel up to which it was followed."""
    with pytest.raises(
        sb.errors.StudyError, match=r"no position next to left_z = 0\.\d+ has left_z = 0.\d+; end the travel there"
    ):
        vh.kinematics(wishbones, {"left_z": np.linspace(0.31, 0.9, 13)}, ["left_toe"])


def test_bushing_keeps_energy_at_large_rotations() -> None:
    """A body on a bushing of a full stiffness matrix, turned far: kinetic energy and ½ x · K x stay."""
    m = sb.Model("bushing")
    A = np.random.default_rng(0).normal(size=(6, 6))
    K = A @ A.T * 50 + 200 * np.eye(6)
    body = m.body("body", mass=2.0, inertia=(0.3, 0.4, 0.5))
    m.free("b", m.ground, body, sequence="euler parameters")
    made = vh.bushing(m, "bush", m.ground, body, stiffness=K)
    x = made.deflection
    m.output("elastic", (x.T @ (sb.matrix(K.tolist()) @ x))[0] / 2)
    eq = sb.derive(m)
    e = np.array([np.cos(0.4), 0.6 * np.sin(0.4), 0.8 * np.sin(0.4), 0])
    sim = sb.simulate(eq, 1.0, b_x=0.1, b_wz=3.0, rtol=1e-10, atol=1e-10, **{f"b_e{k}": e[k] for k in range(4)})
    total = np.array(sim[sb.kinetic_energy(eq)]) + sim["elastic"]
    assert np.ptp(sim["elastic"]) > 1
    assert np.ptp(total) < 1e-7 * total[0]


def test_bushing_by_six_numbers_curves_and_matrices_is_one_bushing() -> None:
    k = (1e4, 2e4, 3e4, 10.0, 20.0, 30.0)
    curve = [lambda x, s=s: s * x for s in k]
    forces = []
    for stiffness in (k, np.diag(k), sb.matrix(np.diag(k).tolist()), curve):
        m = sb.Model("bushing")
        body = m.body("body", mass=2.0, inertia=(0.3, 0.4, 0.5))
        m.free("b", m.ground, body)
        made = vh.bushing(m, "bush", m.ground, body, stiffness=stiffness, damping=(5, 5, 5, 1, 1, 1))
        at = {q: 0.01 * (i + 1) for i, q in enumerate(m.symbols_of_kind("coordinate"))}
        at |= {q.dot: 0.1 for q in list(at)}
        forces.append([float(sb.evaluate(f, at)) for f in made.wrench.entries])
    assert np.allclose(forces, forces[0], rtol=1e-14)
    assert forces[0][0] == pytest.approx(-1e4 * 0.01 - 5 * 0.1)
    with pytest.raises(sb.ModelError, match="six are needed"):
        vh.bushing(m, "other", m.ground, body, stiffness=(1, 2, 3))


# ---------------------------------------------------------------------------------------------------- torques, driver


def test_differential_shares_and_locks() -> None:
    """Open: equal torques. With a lock the difference of the wheels' speeds decays with the rate lock/I."""
    m = sb.Model("axle")
    T, lock = m.parameters("T lock", 100.0, 6.0)
    wheels = []
    for side, y in (("left", 0.7), ("right", -0.7)):
        carrier = m.ground.translate(0, y, 0)
        wheel = m.body(side, carrier.rotate("y", m.coordinate(f"turn_{side}")), mass=20.0, inertia=(1.1, 2.0, 1.1))
        wheels.append((wheel, carrier))
    vh.differential(m, "diff", *wheels, T, chassis=m.ground, lock=lock)
    vh.brake(m, "brake", *wheels[0], m.parameter("brake", 0.0))
    eq = sb.derive(m)
    sim = sb.simulate(eq, [0.0, 0.5], turn_left_dot=12.0, turn_right_dot=10.0, rtol=1e-10, atol=1e-12)
    left, right = sim["turn_left_dot"][-1], sim["turn_right_dot"][-1]
    assert left + right == pytest.approx(22 + 0.5 * 100 / 2.0, rel=1e-9)
    assert left - right == pytest.approx(2 * np.exp(-0.5 * 6.0 / 2.0), rel=1e-8)
    held = sb.simulate(eq, [0.0, 0.5], turn_left_dot=12.0, T=0.0, lock=0.0, brake=20.0)
    assert held["turn_left_dot"][-1] == pytest.approx(12 - 0.5 * 20 / 2.0, rel=1e-6)


def test_anti_roll_bar_feels_the_difference_alone() -> None:
    m = sb.Model("bar")
    a, b = m.coordinates("a b")
    for k, q in enumerate((a, b)):
        m.particle(f"p{k}", m.ground.translate(0, k, q).origin, mass=3.0)
    vh.anti_roll_bar(m, "bar", a, b, m.parameter("k", 600.0))
    w = sorted(abs(sb.linearize(sb.derive(m), {"a": 0.0, "b": 0.0}).eigenvalues().imag))
    assert np.allclose(w, [0, 0, 20.0, 20.0], atol=1e-6)  # √(2 k/m) against each other


# ---------------------------------------------------------------------------------------------------- turning speeds


def test_planar_speeds_turn_with_the_body() -> None:
    """Without forces: u' = v r, v' = -u r, r' = 0, whatever the heading."""
    m = sb.Model("skater")
    body = m.body("body", mass=2.0, inertia=(2, 2, 3))
    m.planar("car", m.ground, body, body_speeds=True, speeds="u v r")
    eq = sb.derive(m)
    _u, _v, _r = eq.u
    assert [s.name for s in eq.u] == ["u", "v", "r"]
    u, v, r = eq.u
    assert [str(sb.tidy(f)) for f in eq.f.entries] == [str(x) for x in (2 * r * v, -2 * r * u, 0)]
    assert sb.tidy(eq.rates.entries[0]) is sb.cos(eq.q[2]) * u - sb.sin(eq.q[2]) * v


@pytest.mark.parametrize("sequence", some(["zyx", "euler parameters", "zxz"], 2))
def test_free_body_moves_the_same_in_its_own_speeds(sequence: str) -> None:
    """A free body in gravity, off its mass centre: the same motion as in rates of coordinates."""
    found = []
    for own in (False, True):
        m = sb.Model("body")
        m.gravity(0.2, 0.3, -9.81)
        body = m.body("body", mass=2.0, com=(0.1, 0.2, -0.1), inertia=(0.3, 0.4, 0.5))
        m.free("b", m.ground, body, sequence=sequence, body_speeds=own)
        m.output("height", body.point(0.3, 0.1, 0).in_ground[2])
        eq = sb.derive(m)
        rates: dict[str, Any] = {"b_x_dot": 1.0, "b_y_dot": -2.0, "b_z_dot": 0.5}
        turn = {"b_wx": 1.0, "b_wy": 2.0, "b_wz": 3.0}
        if sequence == "euler parameters":
            rates |= turn
        else:
            rates |= {"b_1_dot": 0.4, "b_2_dot": 0.8, "b_3_dot": -0.6, "b_2": 0.7}
        start = sb.assemble(eq, rates)
        sim = sb.simulate(eq, [0.0, 0.6], start, rtol=1e-11, atol=1e-11)
        found.append(sim["height"][-1])
        if own:
            assert {"b_vx", "b_vy", "b_vz", "b_wx", "b_wy", "b_wz"} == {u.name for u in eq.u}
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_turning_speeds_are_of_joints_that_have_them() -> None:
    m = sb.Model("body")
    body = m.body("body", mass=2.0, inertia=(2, 2, 3))
    with pytest.raises(sb.ModelError, match="car_vx, car_vy, car_w, got 'u v'"):
        m.planar("car", m.ground, body, body_speeds=True, speeds="u v")


def test_compliance_of_a_hub_on_bushings() -> None:
    """Lateral compliance, and compliance steer by the castor offset: y = Fy/k + ..., ψ = -Fy x/κ, in small loads; along the
    curve the forces of the bushing balance the load."""
    k, kappa, offset = 2e6, 5e4, 0.03
    m = sb.Model("hub")
    hub = m.body("hub", mass=20.0, inertia=(1, 1, 1))
    m.free("hub", m.ground, hub)
    made = vh.bushing(m, "bush", m.ground, hub, stiffness=[1e6, k, 1e6, 1e9, 1e9, kappa])
    Fy = m.input("Fy")
    m.force("side force", hub, m.ground.vector(0, Fy, 0), at=hub.point(-offset, 0, 0))
    m.output("toe", m.symbols["hub_3"])
    m.output("moment", made.wrench[5])
    m.output("y", m.symbols["hub_y"])
    eq = sb.derive(m)
    curves = vh.compliance(eq, {"Fy": np.linspace(-4000, 4000, 9)}, ["toe", "y", "moment"])
    assert curves.slope("y")[4] == pytest.approx(1 / k, rel=1e-6)
    assert curves.slope("toe")[4] == pytest.approx(-offset / kappa, rel=1e-6)
    arm = -offset * np.cos(curves["toe"])
    assert curves["moment"] == pytest.approx(-curves["Fy"] * arm, rel=1e-9, abs=1e-9)
    assert "toe" in str(curves)
    with pytest.raises(sb.errors.StudyError, match="one quantity"):
        vh.compliance(eq, {}, ["toe"])


def test_compliance_beyond_what_holds_is_refused() -> None:
    """A pendulum hangs at sin θ = T up to T = 1, and nowhere beyond."""
    m = sb.Model("pendulum")
    theta = m.coordinate("theta")
    m.potential("bowl", -sb.cos(theta))
    m.particle("bob", m.ground.point(sb.sin(theta), -sb.cos(theta), 0), mass=1.0)
    m.generalized_force("push", theta, m.input("T"))
    eq = sb.derive(m)
    curves = vh.compliance(eq, {"T": [0.0, 0.5]}, ["theta"])
    assert np.sin(curves["theta"]) == pytest.approx([0.0, 0.5], abs=1e-9)
    with pytest.raises(sb.SymbodyError, match="compliance: no equilibrium at T = 2"):
        vh.compliance(eq, {"T": [0.5, 2.0]}, ["theta"])
