"""A joint that closes a loop is the same joint as in a tree: same accelerations, same reactions.

An arm swings on the ground and a body hangs on it by the joint in question: once in the tree, once as a free body that
the same joint ties to the arm. The two descriptions share neither coordinates nor constraints.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.derivation.equations.random_states import random_state
from symbody.derivation.questions.reactions import reaction
from tests.mechanisms import Draw

KINDS = ["fixed", "revolute", "prismatic", "screw", "cylindrical", "universal", "spherical", "planar"]


def arm_and_body(kind: str, seed: int, in_tree: bool) -> tuple[sb.Model, Any]:
    d = Draw(seed, f"{kind} {'in a tree' if in_tree else 'in a loop'}", False)
    m = d.model
    m.gravity(0.5, 0, -9.81)
    arm = m.body("arm", mass=1.5, com=(0.3, 0.1, 0), inertia=d.inertia())
    body = m.body("body", mass=0.8, com=(0.1, 0.2, 0.3), inertia=d.inertia())
    m.universal("a", m.ground, arm, at=(0, 0, 1))
    m.force("push", body, body.vector(1, 2, 3), at=body.point(0.2, 0.3, 0), reacting=arm)
    how: dict[str, Any] = {"at": (0.5, 0.2, 0.1), "on": (-0.1, 0.2, 0.3), "orientation": d.rotation()}
    if kind in ("revolute", "prismatic", "cylindrical", "screw", "planar"):
        how["axis"] = [(1, 2, -1), "y"][seed % 2]
    if kind == "screw":
        how["pitch"] = 0.7
    if not in_tree:
        m.free("f", m.ground, body, sequence="euler parameters")
    m.joint("j", arm, body, kind, **how)
    return m, body


def pose(m: sb.Model, body: Any, state: dict[Any, float]) -> dict[str, float]:
    """Where the body is and how it moves, as coordinates and speeds of the free body."""
    frame, ground = body.frame, m.ground
    place = frame.origin.position().components(ground)
    R, r, v, w = sb.evaluate(
        [
            frame.rotation_in(ground).matrix,
            place,
            frame.origin.velocity().components(ground),
            frame.angular_velocity().components(frame),
        ],
        state,
    )
    out = {f"f_{k}": x for k, x in zip("xyz", r, strict=True)} | {
        f"f_{k}_dot": x for k, x in zip("xyz", v, strict=True)
    }
    out |= {f"f_w{k}": x for k, x in zip("xyz", w, strict=True)}
    return out | {f"f_e{k}": x for k, x in enumerate(euler_parameters(np.array(R)))}


def euler_parameters(R: Any) -> list[float]:
    """The eigenvector of largest eigenvalue of the matrix of Bar-Itzhack."""
    K = np.zeros((4, 4))
    K[0, 0] = np.trace(R)
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    K[0, 1:] = K[1:, 0] = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    return [float(x) for x in np.linalg.eigh(K)[1][:, -1]]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_joint_in_a_loop_is_the_joint_of_a_tree(kind: str, seed: int) -> None:
    tree, body = arm_and_body(kind, seed, True)
    loop, _ = arm_and_body(kind, seed, False)
    eq, closed = sb.derive(tree), sb.derive(loop, check=False)
    state = random_state(eq, seed)
    udot = sb.evaluate(eq.udot, state)
    moving = state | {u.dot: a for u, a in zip(eq.u, udot, strict=True)}
    by_name = {s.name: v for s, v in moving.items()} | pose(tree, body, state)
    at = {s: by_name[s.name] for s in (*closed.q, *closed.u)} | {closed.t: 0.0}
    phi, psi = sb.evaluate([closed.phi, closed.Jc @ list(closed.u) + closed.b], at)
    assert np.abs(phi).max() < 1e-12
    assert np.abs(psi).max() < 1e-12

    accelerations = dict(zip(closed.u, sb.evaluate(closed.udot, at), strict=True))
    a = body.frame.origin.acceleration().components(tree.ground)
    alpha = body.frame.angular_acceleration().components(body.frame)
    expected = sb.evaluate([a, alpha], moving)
    names = {u.name: x for u, x in accelerations.items()}
    found = [[names[f"f_{k}_dot"] for k in "xyz"], [names[f"f_w{k}"] for k in "xyz"]]
    assert np.array(found) == pytest.approx(np.array(expected), rel=1e-9, abs=1e-9)

    one, other = reaction(eq, "j", solved=True), reaction(closed, "j", solved=True)
    in_tree, in_loop = sb.evaluate([one.force, one.moment], state), sb.evaluate([other.force, other.moment], at)
    assert np.array(in_loop) == pytest.approx(np.array(in_tree), rel=1e-8, abs=1e-8)


# ---------------------------------------------------------------------------------------------------- rolling


@pytest.mark.parametrize("tube", [0, 0.08])
@pytest.mark.parametrize("slope", [0, 0.3])
def test_wheel_touches_the_plane_and_does_not_slip(tube: float, slope: float) -> None:
    """Where the constraints hold, the contact point is in the plane, no point of the rim below it, and the wheel is at
    rest there."""
    m = sb.Model("wheel")
    wheel = m.body("wheel", mass=1, inertia=(0.1, 0.2, 0.1), com=(0, 0.05, 0))
    m.free("w", m.ground, wheel, sequence="zxy")
    plane = m.ground.rotate("x", slope)
    contact = m.rolling("roll", wheel, 0.4, tube=tube, plane=plane)
    eq = sb.derive(m)
    for seed in range(3):
        state = random_state(eq, seed)
        height = (contact - plane.origin).dot(plane.z)
        v = wheel.velocity_at(contact).components(plane)
        assert sb.evaluate(height, state) == pytest.approx(0, abs=1e-12)
        assert sb.evaluate(v, state) == pytest.approx([0, 0, 0], abs=1e-12)
        rim = [wheel.point(0.4 * np.sin(a), 0, 0.4 * np.cos(a)) for a in np.linspace(0, 2 * np.pi, 400)]
        lowest = min(sb.evaluate([(p - plane.origin).dot(plane.z) for p in rim], state)) - tube
        assert 0 <= lowest < 1e-4


# ---------------------------------------------------------------------------------------------------- mass


def test_inertia_about_another_point() -> None:
    """Steiner: the same body, its inertia given about another point."""
    m = sb.Model("steiner")
    one = m.body("one", mass=2, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
    r = np.array([0.1, 0.2, 0.3]) - np.array([0.5, -0.4, 0.2])
    tensor = np.diag([0.3, 0.4, 0.5]) + 2 * (r @ r * np.eye(3) - np.outer(r, r))
    two = m.body("two", mass=2, com=(0.1, 0.2, 0.3), inertia=tensor.tolist(), about=(0.5, -0.4, 0.2))
    assert np.array(sb.evaluate(two.mass.I_BBcm)) == pytest.approx(np.array(sb.evaluate(one.mass.I_BBcm)), abs=1e-14)
