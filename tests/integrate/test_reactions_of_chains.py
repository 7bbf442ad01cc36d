"""Motions of many equal links with a motor; reactions and accelerations along them, in loops."""

import numpy as np
import pytest

import symbody as sb

LINKS = 110


@pytest.fixture(scope="module")
def motion():
    link = sb.Model("link")
    rod = link.body("rod", mass=0.1, com=(0.05, 0.01, 0), inertia=(1e-5, 1e-4, 1e-4))
    link.revolute("a", link.ground, rod, axis=(0, 0.6, 0.8), damping=1e-3, stiffness=0.1)
    link.frame("tip", rod.frame.translate(0.1, 0, 0))
    m = sb.Model("chain")
    m.gravity(0, -9.81, 0)
    m.repeat("link", m.ground, link, LINKS, end="tip")
    start = {f"link_{k}_a": 0.02 * np.sin(k) for k in range(LINKS)}
    return sb.simulate(sb.derive(m), np.linspace(0, 0.05, 6), **start)


def test_accelerations_are_those_of_the_compiled_equations(motion):
    f = sb.compile(motion.equations)
    expected = [f.udot(0.0, q, u, f.p) for q, u in zip(motion.q, motion.u, strict=True)]
    found = np.stack([motion[f"link_{k}_a_ddot"] for k in (0, 50, LINKS - 1)], axis=1)
    assert found == pytest.approx(np.array(expected)[:, [0, 50, LINKS - 1]], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("joint", ["link_0_a", "link_60_a"])
def test_reactions_are_the_balance_of_forces_at_these_accelerations(motion, joint):
    """Without the mass matrix, which has a number for each pair of links: 200 links took 9 s, and 2000 many minutes."""
    eq = motion.equations
    force, moment = motion.reaction(joint)
    assert "solution" not in vars(eq.augmented)
    balance, f = sb.reaction(eq, joint), sb.compile(eq)
    udot = f.udot(0.0, motion.q[-1], motion.u[-1], f.p)
    values = {**eq.values(), **dict(zip(eq.q, motion.q[-1], strict=True)), **dict(zip(eq.u, motion.u[-1], strict=True))}
    values |= {u.dot: a for u, a in zip(eq.u, udot, strict=True)}
    assert force[-1] == pytest.approx(sb.evaluate(balance.force, values), rel=1e-8, abs=1e-8)
    assert moment[-1] == pytest.approx(sb.evaluate(balance.moment, values), rel=1e-8, abs=1e-8)


def driven(torque, links=60):
    link = sb.Model("link")
    rod = link.body("rod", mass=0.1, com=(0.05, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
    link.revolute("a", link.ground, rod, damping=1e-3)
    link.frame("tip", rod.frame.translate(0.1, 0, 0))
    m = sb.Model("driven")
    m.gravity(0, -9.81, 0)
    arm = m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("motor", m.ground, arm, actuation=torque(m))
    m.repeat("link", arm, link, links, end="tip")
    return sb.derive(m)


def test_a_motor_does_not_need_the_mass_matrix():
    """As a function of time, also one that switches, or as an input: 400 links took 5 to 10 s, 1000 links 36 s."""
    step = driven(lambda m: sb.where(m.time < 0.005, 5.0, 0.0))
    motion = sb.simulate(step, 0.01)
    assert not step.M.is_made
    assert np.abs(motion.t - 0.005).min() < 1e-12
    given = driven(lambda m: m.input("T"))
    other = sb.simulate(given, 0.01, inputs={"T": lambda t: 5.0 if t < 0.005 else 0.0}, max_step=1e-4)
    assert other["motor"][-1] == pytest.approx(motion["motor"][-1], rel=1e-2)
    assert not given.M.is_made
