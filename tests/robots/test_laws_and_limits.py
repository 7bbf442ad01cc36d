"""Control laws give the inputs that a robot has; excitations keep their bounds at all times; searches say what they may have
missed; reports of files name what does not act."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import robots as rb


def arm(seed: int) -> sb.Equations:
    """Two links; inputs act through gears, in another order than the speeds, and the first also on the second joint."""
    random = np.random.default_rng(seed)
    m = sb.Model("geared arm")
    one, two, idle = m.inputs("one two idle")
    g = random.uniform(2, 60, 3)
    upper, fore = (m.body(n, mass=1.5, com=(0.3, 0, 0), inertia=(0.01, 0.1, 0.1)) for n in ("upper", "fore"))
    m.gravity(0, -9.81, 0)
    m.revolute("a", m.ground, upper, actuation=g[0] * two, damping=0.3)
    m.revolute("b", upper, fore, at=(0.6, 0, 0), actuation=g[1] * one + (g[2] * two if seed % 2 else 0))
    m.output("unused", idle)
    return sb.derive(m)


@pytest.mark.parametrize("seed", range(4))
def test_laws_give_inputs(seed: int) -> None:
    """The inputs that a law gives make the accelerations that it wants."""
    eq = arm(seed)
    random = np.random.default_rng(seed)
    q, u, q_ref, u_ref, a_ref, kp, kd = random.uniform(0.2, 1.5, (7, 2))
    udot = sb.compile(eq).udot
    r = sb.compile(rb.computed_torque(eq))(q, u, q_ref, u_ref, a_ref, kp, kd, [])
    assert len(r) == len(eq.r) == 3
    assert udot(0.0, q, u, r) == pytest.approx(a_ref + kd * (u_ref - u) + kp * (q_ref - q), rel=1e-11)
    still = sb.compile(rb.gravity_compensation(eq))(q, [])
    assert udot(0.0, q, [0.0, 0.0], still) == pytest.approx([0, 0], abs=1e-11)
    hand = rb.task(eq, eq.mechanism.body("fore").point(0.5, 0, 0), "xy")
    wanted = random.normal(size=2)
    r = sb.compile(rb.task_control(hand))(q, u, wanted, [0.0, 0.0], [])
    state = dict(zip((*eq.q, *eq.u), (*q, *u), strict=True))
    J, drift = (np.array(sb.evaluate(x, state), float) for x in (hand.jacobian, hand.drift))
    assert J.reshape(2, 2) @ udot(0.0, q, u, r) + drift.ravel() == pytest.approx(wanted, rel=1e-10, abs=1e-10)


def test_underactuated_systems_are_refused() -> None:
    m = sb.Model("cart-pole")
    cart = m.body("cart", mass=1)
    m.prismatic("x", m.ground, cart, actuation=m.input("F"))
    m.revolute("a", cart, m.body("pole", mass=1, com=(0, 0, 1)), axis="y")
    eq = sb.derive(m)
    for law in (rb.computed_torque, rb.gravity_compensation):
        with pytest.raises(sb.ModelError, match="the input F does not determine the forces on 2 speeds"):
            law(eq)


# ---------------------------------------------------------------------------------------------------------- excitation

URDF = """<robot name="arm"><link name="base"/>{links}</robot>"""
LINK = """<link name="l{k}"><inertial><mass value="2"/><origin xyz="0.5 0 0.1"/><inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0"
 ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius="0.1"/></geometry></collision></link><joint name="j{k}"
 type="revolute"><parent link="{on}"/><child link="l{k}"/><origin xyz="0.5 0 0"/><axis xyz="0 {k} 1"/><dynamics damping="0.5"
 friction="0.1"/><limit lower="{low}" upper="{high}" effort="10" velocity="{fast}"/></joint>"""
LIMITS = ((-0.1, 0.5, 0.4), (0.2, 0.9, 2.0))


def robot() -> Any:
    links = [
        LINK.format(k=k, on=f"l{k - 1}" if k else "base", low=a, high=b, fast=v) for k, (a, b, v) in enumerate(LIMITS)
    ]
    return sb.read_urdf(URDF.format(links="".join(links)), parameters="none")


def test_excitations_keep_the_limits_of_the_file_at_all_times() -> None:
    m = robot()
    base = rb.base_parameters(rb.regressor(sb.derive(m)))
    for seed in range(3):
        motion = rb.excitation(base, 3.0, robot=m, tries=1, samples=12, seed=seed, acceleration=5.0)
        q, u, a = motion.at(np.linspace(0, 3, 20001))
        for k, (low, high, fast) in enumerate(LIMITS):
            assert low <= q[:, k].min()
            assert q[:, k].max() <= high
            assert np.abs(u[:, k]).max() <= fast
        assert np.abs(a).max() <= 5.0
        shares = (np.abs(u) / [v for *_, v in LIMITS]).max(0), (np.abs(a) / 5).max(0), (q.max(0) - q.min(0)) / 0.3
        assert (np.max(shares, axis=0) > 0.9).all()  # and use them


def test_bounds_must_be_known() -> None:
    base = rb.base_parameters(rb.regressor(sb.derive(robot())))
    with pytest.raises(sb.ModelError, match="give position= and speed=, or robot="):
        rb.excitation(base, 3.0)
    with pytest.raises(sb.ModelError, match="one value for each of 2 coordinates"):
        rb.excitation(base, 3.0, position=1.0, speed=[1, 2, 3])


# ------------------------------------------------------------------------------------------------------------- searches


@pytest.mark.parametrize(
    ("rotation", "words"),
    [
        (np.ones((3, 3)), "not a rotation: RᵀR differs from 1 by 3"),
        (2 * np.eye(3), "not a rotation: RᵀR differs from 1 by 3"),
        (-np.eye(3), "reflection"),
        (np.eye(2), "3 by 3 matrix"),
        ("z", "3 by 3 matrix"),
        (np.full((3, 3), np.nan), "3 by 3 matrix"),
    ],
)
def test_matrices_that_are_no_rotations_are_refused(rotation: Any, words: str) -> None:
    m = robot()
    with pytest.raises(sb.ModelError, match=words):
        rb.inverse_kinematics(rb.task(sb.derive(m), m.link("l1")), (0.3, 0.2, 0.3), rotation)


def test_places_are_three_numbers() -> None:
    m = robot()
    hand = rb.task(sb.derive(m), m.link("l1"))
    for wrong in ((0.3, 0.2), "x", (np.nan, 0, 0)):
        with pytest.raises(sb.ModelError, match="three numbers"):
            rb.inverse_kinematics(hand, wrong)
    with pytest.raises(sb.ModelError, match="give place="):
        rb.inverse_kinematics(hand)


def beads(n: int) -> sb.Equations:
    """Beads on rings of which one coordinate is held: 2^n assemblies."""
    m = sb.Model("beads")
    for k in range(n):
        x, y = m.coordinates(f"x{k} y{k}")
        m.particle(f"bead {k}", m.ground.point(x, y, k), mass=1.0)
        m.constrain(f"ring {k}", x**2 + y**2 - 1)
    return sb.derive(m)


def test_searches_for_assemblies_go_on_while_something_new_comes() -> None:
    n = 5
    eq, held = beads(n), {f"x{k}": 0.6 for k in range(n)}
    found = sb.all_assemblies(eq, held)
    assert len(found) == 2**n == len({tuple(np.sign(s.q)) for s in found})
    assert min(found.times) >= 2
    assert found.unseen == 0.0
    assert found.tries > 60
    few = sb.all_assemblies(eq, held, tries=20)
    assert few.tries == 20
    assert len(few) < 2**n
    assert few.unseen > 0.3  # and says that it may have missed some
    again = pickle.loads(pickle.dumps(few))
    assert (again.times, again.tries, len(again)) == (few.times, few.tries, len(few))


# -------------------------------------------------------------------------------------------------------------- reports


def test_reports_name_what_does_not_act() -> None:
    text = str(robot().report)
    for what in ("limits of joints", "damping of joints", "dry friction of joints", "shapes that collide"):
        assert f"does not act in the model: {what}" in text
    links = LINK.format(k=0, on="base", low=-1, high=1, fast=1)
    acting = str(sb.read_urdf(URDF.format(links=links), damping=True, friction=0.01).report)
    assert "damping of joints" not in acting
    assert "dry friction" not in acting


def test_mjcf_reports_floors_pairs_and_ranges() -> None:
    text = (
        '<mujoco><worldbody><geom name="floor" type="plane" size="1 1 .1"/><body pos="0 0 1"><joint name="h" range="-30 30" '
        'frictionloss="0.1"/><geom name="ball" type="sphere" size=".1" mass="1"/></body><geom type="plane" size="1 1 1" contype="0" '
        'conaffinity="0"/></worldbody><contact><pair geom1="ball" geom2="floor"/></contact></mujoco>'
    )
    lines = str(sb.read_mjcf(text).report)
    for what in (
        "<geom> of type plane that collides",
        "shapes that collide",
        "<pair> in <contact>",
        "limits of joints",
        "dry friction",
    ):
        assert f"does not act in the model: {what}" in lines
    assert "make contacts (1)" in lines  # the other plane does not collide


def test_computed_torque_of_a_loop_points_to_inverse_dynamics():
    """A driven four-bar: one input for one freedom, and multipliers beside it."""
    m = sb.Model("four-bar")
    crank, coupler = (m.body(n, mass=1, shape=sb.bar(1, "x", at=(0.5, 0, 0))) for n in ("crank", "coupler"))
    m.revolute("a", m.ground, crank, actuation=m.input("tau"))
    m.revolute("b", crank, coupler, at=(1, 0, 0))
    rod = coupler.point(1, 0, 0) - m.ground.point(1.5, 0.3, 0)
    m.constrain("rod", rod.dot(rod) - 1.2**2)
    eq = sb.derive(m)
    with pytest.raises(
        sb.ModelError, match=r"with constraints, sb.inverse_dynamics\(eq\) gives the inputs and multipliers"
    ):
        sb.kits.robots.computed_torque(eq)
    assert [r.name for r in sb.inverse_dynamics(eq).inputs] == ["tau"]
