"""Reactions: by the balance of what hangs on a joint, against the multipliers of the same mechanism taken apart into
free bodies."""

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody import Model, ModelError, derive
from symbody.derivation.equations.random_states import random_state
from symbody.derivation.forms.minimal import minimal
from symbody.derivation.forms.transform import diagonalized
from symbody.derivation.kinematics.kinematics import Kinematics, wrench_of
from symbody.derivation.questions.reactions import chain_of, reaction, reactions
from symbody.derivation.rank.configuration import random_values
from symbody.errors import DerivationError

from .mechanisms import ALL, BODY, chain, double_pendulum, four_bar, quasi, rolling_disc
from .states import close, moving_state, numbers

# ------------------------------------------------------------------------------------------------ free bodies


def spatial(apart: bool) -> Model:
    """A chain of five joints with a spring, a damper and a motor; as a tree, or as free bodies that the same joints
    hold together."""
    m = Model("apart" if apart else "tree")
    m.gravity(1.0, -9.0, 2.0)
    kinds = ("revolute", "universal", "prismatic", "spherical", "cylindrical", "planar", "fixed")
    links = [m.body(f"link{k}", mass=1.0 + 0.1 * k, **BODY) for k in range(len(kinds))]
    if apart:
        for link in links:
            m.free(f"free {link.name}", m.ground, link, sequence="euler parameters")
    parent: Any = m.ground
    for kind, link in zip(kinds, links, strict=True):
        m.joint(kind, parent, link, kind, at=(0.1, -0.4, 0.2), on=(0, 0.1, 0))
        parent = link
    m.spring("spring", m.ground.point(1, 1, 0), links[2].point(0.2, 0, 0.1), stiffness=20.0, rest=0.2, damping=0.5)
    m.force("push", links[3], m.ground.vector(0.5, 0.2, -1.0), at=links[3].point(0.1, 0, 0), reacting=links[1])
    return m


def taken_apart(tree: sb.Equations, apart: sb.Equations, s: dict[Any, float]) -> dict[Any, float]:
    """The state of the free bodies that is that of the tree."""
    velocities = Kinematics(tree.mechanism).velocities
    ground, out = tree.mechanism.ground, dict[Any, float]()
    for body in tree.mechanism.bodies:
        f, base = body.frame, f"free_{body.name}"
        R = numbers(f.rotation_in(ground).matrix, s)
        place = numbers(f.origin.position().components(ground), s)
        w, v = (numbers(x, s) for x in velocities[f])
        e = euler_parameters(R)
        out |= dict(zip([f"{base}_{a}" for a in "xyz"], place, strict=True))
        out |= dict(zip([f"{base}_e{k}" for k in range(4)], e, strict=True))
        out |= dict(zip([f"{base}_{a}_dot" for a in "xyz"], R @ v, strict=True))
        out |= dict(zip([f"{base}_w{a}" for a in "xyz"], w, strict=True))
    known = {x.name: x for x in (*apart.q, *apart.u)}
    return {known[n]: v for n, v in out.items()}


def euler_parameters(R: np.ndarray) -> np.ndarray:
    """Scalar first."""
    trace = np.trace(R)
    options = np.array([trace, R[0, 0], R[1, 1], R[2, 2]])
    k = int(np.argmax(options))
    if k == 0:
        e0 = math.sqrt(1 + trace) / 2
        return np.array([e0, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * e0))])
    i = k - 1
    j, l = (i + 1) % 3, (i + 2) % 3
    e = np.zeros(4)
    e[k] = math.sqrt(1 + 2 * R[i, i] - trace) / 2
    e[0] = (R[l, j] - R[j, l]) / (4 * e[k])
    e[1 + j], e[1 + l] = (R[j, i] + R[i, j]) / (4 * e[k]), (R[l, i] + R[i, l]) / (4 * e[k])
    return e


@pytest.mark.parametrize("seed", [1, 2])
def test_balance_equals_multipliers_of_free_bodies(seed: int) -> None:
    """Force and moment in every kind of joint, in ground components."""
    tree, apart = derive(spatial(False)), derive(spatial(True), check=False)
    s = moving_state(tree, seed)
    free = taken_apart(tree, apart, s)
    for joint in tree.mechanism.joints:
        a = reaction(tree, joint.name, frame=tree.mechanism.ground, solved=True)
        b = reaction(apart, joint.name, frame=apart.mechanism.ground, solved=True)
        assert close(numbers(a.force, s), numbers(b.force, free), 1e-8), joint.name
        scale = np.abs(numbers(a.force, s)).max()
        assert np.max(np.abs(numbers(a.moment, s) - numbers(b.moment, free))) <= 1e-8 * scale, joint.name


# ------------------------------------------------------------------------------------------------ laws


def relative_twist(eq: sb.Equations, joint: Any) -> list[Any]:
    """Angular velocity, and velocity of the inner origin, of the child side in the parent side, in the outer frame."""
    angular = joint.inner.angular_velocity(joint.outer).components(joint.outer)
    linear = (joint.inner.origin - joint.outer.origin).dt(joint.outer).components(joint.outer)
    return Kinematics(eq.mechanism).in_speeds([angular, linear])


@pytest.mark.parametrize("model", ALL, ids=lambda m: m.__name__)
def test_reaction_does_no_work_on_the_motion_of_the_joint(model: Callable[[], Model]) -> None:
    """F·v + T·ω = 0 for arbitrary relative motions that the joint allows, with springs and motors acting in it."""
    eq = derive(model())
    s = moving_state(eq)
    other = moving_state(eq, 9)  # speeds of another motion through the same configuration
    probe = s | {u: other[u] for u in eq.u}
    checked = 0
    for joint in eq.mechanism.joints:
        if joint.closes_loop:
            continue
        r = reaction(eq, joint.name)
        w, v = (numbers(x, probe) for x in relative_twist(eq, joint))
        force, moment = numbers(r.force, s), numbers(r.moment, s)
        terms = np.concatenate([force * v, moment * w])
        assert abs(terms.sum()) <= 1e-9 * (np.abs(force).max() + np.abs(moment).max() + 1) * (
            np.abs(v).max() + np.abs(w).max() + 1e-3
        )
        checked += 1
    assert checked >= (0 if model.__name__ == "turntable" else 1)


def tied() -> Model:
    """Points tied along some axes of a third frame, joints geared together, a slider too, and a screw that closes a
    loop."""
    m = Model("tied")
    a, b, c = (m.body(n, mass=1.0, **BODY) for n in "abc")
    m.universal("cross", m.ground, a)
    m.free("float", m.ground, b)
    m.prismatic("rail", a, c, axis=(1, 1, 0), at=(0.2, -0.3, 0.1))
    m.revolute("crank", c, d := m.body("d", mass=1.0, **BODY), axis=(0, 1, 2), at=(0.3, 0, 0))
    m.coincide("pin", a.point(0, -0.5, 0), b.point(0.2, 0, 0), along=c.frame, axes="xy")
    m.coincide("slot", a.point(0.5, 0, 0), b.point(0, 0.2, 0), axes="z")
    m.revolute("wheel", d, m.body("e", mass=1.0, **BODY), axis=(1, 1, 0), at=(0, 0.3, 0))
    m.gear("rack", "rail", "crank", 0.3)
    m.gear("bevel", "crank", "wheel", -2.0)
    m.screw("nut", d, b, pitch=0.2, on=(0, 0, 0.1))
    return m


@pytest.mark.parametrize(
    "model",
    [four_bar, rolling_disc, tied, lambda: spatial(True)],
    ids=["four_bar", "disc", "tied", "spatial"],
)
def test_forces_that_go_with_multipliers_are_rows_of_Jc(model: Callable[[], Model]) -> None:  # noqa: N802
    """Virtual power of a constraint's actions for a multiplier of one: Jc u + b (sampled by u)."""
    eq = derive(model(), check=False)
    k = Kinematics(eq.mechanism)
    s = random_state(eq, 1) if model is not tied else random_values(eq, Random(1))  # rows hold off the constraints too
    rows = numbers(eq.Jc, s)
    for c, row in zip((*eq.mechanism.holonomic, *eq.mechanism.nonholonomic), rows, strict=True):
        virtual = np.zeros(len(eq.u))
        for a in c.actions:
            w, v = k.velocities[a.frame]
            wrench = wrench_of(a, k)
            virtual += numbers(sb.jacobian([wrench.force.dot(v) + wrench.moment.dot(w)], eq.u), s).ravel()
        assert close(virtual, row), c.name


def test_balance_of_the_whole() -> None:
    """The reactions of the ground carry the rate of momentum less gravity: of a four-bar linkage, by its tree joint and
    its loop joint."""
    eq = derive(four_bar())
    s = moving_state(eq)
    ground = eq.mechanism.ground
    held = sum(numbers(reaction(eq, j, ground).force, s) for j in ("q1", "closure"))
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    needed = np.zeros(3)
    for b in eq.mechanism.bodies:
        a = sb.time_derivative(sb.time_derivative(b.mass_centre.position().components(ground), rates), rates)
        needed += float(sb.evaluate(b.mass.m)) * (numbers(a, s) - [0, -9.81, 0])
    assert close(held, needed)


def test_pendulum_by_hand() -> None:
    """Two particles on massless rods: F2 = m2 (a2 - g), F1 = m1 (a1 - g) + F2."""
    m = Model("pendulum")
    m.gravity(0, -9.81, 0)
    a, b = m.body("a", mass=2.0, com=(0, -1.0, 0)), m.body("b", mass=1.0, com=(0, -0.5, 0))
    m.revolute("q1", m.ground, a)
    m.revolute("q2", a, b, at=(0, -1.0, 0))
    eq = derive(m)
    s = moving_state(eq)
    q, u, du = (np.array([s[x] for x in xs]) for xs in (eq.q, eq.u, [x.dot for x in eq.u]))
    angle, spin, turn = q.sum(), u.sum(), du.sum()
    across, along = np.array([math.cos(angle), math.sin(angle), 0]), np.array([-math.sin(angle), math.cos(angle), 0])
    e1, n1 = np.array([math.cos(q[0]), math.sin(q[0]), 0]), np.array([-math.sin(q[0]), math.cos(q[0]), 0])
    elbow = du[0] * e1 + u[0] ** 2 * n1
    tip = elbow + 0.5 * turn * across + 0.5 * spin**2 * along
    g = np.array([0, -9.81, 0])
    ground = eq.mechanism.ground
    assert close(numbers(reaction(eq, "q2", ground).force, s), 1.0 * (tip - g))
    assert close(numbers(reaction(eq, "q1", ground).force, s), 2.0 * (elbow - g) + 1.0 * (tip - g))


def test_other_frame_and_point() -> None:
    """Components in a body's frame, moment about a point of it."""
    eq = derive(double_pendulum())
    s = moving_state(eq)
    b = eq.mechanism.body("b")
    point = b.point(0.3, -0.2, 0.1)
    default, moved = reaction(eq, "q2"), reaction(eq, "q2", frame=b, at=point)
    R = numbers(default.frame.rotation_in(b.frame).matrix, s)
    arm = numbers((default.at - point).components(b.frame), s)
    force = R @ numbers(default.force, s)
    assert close(numbers(moved.force, s), force)
    assert close(numbers(moved.moment, s), R @ numbers(default.moment, s) + np.cross(arm, force))


@pytest.mark.parametrize("change", [minimal, diagonalized], ids=["minimal", "diagonalized"])
def test_reactions_in_other_speeds(change: Callable[[sb.Equations], sb.Equations]) -> None:
    """The reactions of tree and loop joints are the same in independent or transformed speeds."""
    eq = derive(four_bar())
    other = change(eq)
    s = moving_state(eq)
    t = s | dict(zip(other.u, old_speeds(eq, other, s), strict=True))
    for name in ("q2", "closure"):
        a, b = reaction(eq, name, solved=True), reaction(other, name, solved=True)
        assert close(numbers(a.force, s), numbers(b.force, t))


def old_speeds(eq: sb.Equations, other: sb.Equations, s: dict[Any, float]) -> list[float]:
    """The speeds of transformed equations at a state of the original ones: u is linear in them."""
    u = np.array([s[x] for x in eq.u])
    expressions = [other.dependent.get(x, x) for x in eq.u]
    W = numbers(sb.jacobian(expressions, other.u), s).reshape(len(eq.u), len(other.u))
    zero = numbers(expressions, s | dict.fromkeys(other.u, 0.0)).ravel()
    return list(np.linalg.lstsq(W, u - zero, rcond=None)[0])


def test_solved_reactions_depend_on_the_state_only() -> None:
    eq = derive(four_bar())
    s = moving_state(eq)
    state = {x: s[x] for x in (*eq.q, *eq.u)}
    for name, r in reactions(eq, solved=True).items():
        assert close(numbers(r.force, state), numbers(reactions(eq)[name].force, s))


def test_all_reactions_by_name() -> None:
    eq = derive(chain())
    found = reactions(eq)
    assert list(found) == [j.name for j in eq.mechanism.joints]
    assert all(chain_of(j) for j in eq.mechanism.joints)


def test_rolling_contact_carries_the_weight_of_a_resting_wheel() -> None:
    m = Model("wheel")
    m.gravity(0, 0, -9.81)
    wheel = m.body("wheel", mass=2.0, inertia=(0.1, 0.2, 0.1))
    m.free("free", m.ground, wheel, sequence="zxy")
    m.rolling("contact", wheel, 0.5)
    eq = derive(m)
    upright = dict.fromkeys((*eq.q, *eq.u, eq.t), 0.0) | {eq.q[2]: 0.5}
    r = reaction(eq, "contact", solved=True)
    assert close(numbers(r.force, upright), [0, 0, 2 * 9.81])
    assert close(numbers(reaction(eq, "free", solved=True).force, upright) + 1, [1, 1, 1])


# ----------------------------------------------------------------------------------------------- what is not determined


def geared() -> Model:
    m = Model("geared")
    a, b = m.body("a", mass=1, **BODY), m.body("b", mass=1, **BODY)
    m.revolute("q1", m.ground, a, axis="z")
    m.revolute("q2", m.ground, b, axis="x", at=(1, 0, 0))
    return m


@pytest.mark.parametrize("kind", ["revolute", "screw", "prismatic"])
def test_actuator_of_a_joint_is_a_pair(kind: str) -> None:
    """The same reaction where the motor is given in the joint and where it is given as a torque or force on both
    bodies."""

    def driven(by_joint: bool) -> sb.Equations:
        m = Model(kind)
        m.gravity(1.0, -9.0, 2.0)
        a, b = m.body("a", mass=1.0, **BODY), m.body("b", mass=0.7, **BODY)
        m.universal("base", m.ground, a)
        options: dict[str, Any] = {"pitch": 0.4} if kind == "screw" else {}
        if by_joint:
            options["actuation"] = 2.5
        joint = m.joint("joint", a, b, kind, axis=(1, 2, 2), at=(0.3, 0, 0), on=(0, 0.1, 0), **options)
        axis = a.vector(1 / 3, 2 / 3, 2 / 3)
        if not by_joint and kind == "prismatic":
            m.force("motor", b, 2.5 * axis, at=joint.inner.origin, reacting=a)
        elif not by_joint:
            m.torque("motor", b, 2.5 * axis, reacting=a)
        return derive(m)

    first, second = driven(True), driven(False)
    s = moving_state(first)
    one, two = reaction(first, "joint", solved=True), reaction(second, "joint", solved=True)
    assert close(numbers(one.force, s), numbers(two.force, s))
    assert close(numbers(one.moment, s), numbers(two.moment, s))


def test_gear_is_a_pair_of_torques() -> None:
    """What the gear does to each shaft is no reaction of its bearing."""
    m = geared()
    m.gear("gear", "q1", "q2", -2.0)
    m.torque("drive", m.freeze().body("a"), m.ground.vector(0, 0, 1.5))
    eq = derive(m)
    s = moving_state(eq)
    assert abs(numbers(reaction(eq, "q1").moment, s)[2]) < 1e-12
    assert abs(numbers(reaction(eq, "q2").moment, s)[0]) < 1e-12


def test_load_between_joints_is_refused_by_name() -> None:
    m = geared()
    q1, q2 = m.freeze().q
    m.potential("coupling", (q1 - q2) ** 2)
    with pytest.raises(DerivationError, match=r"joint 'q1': load 'coupling' .*q2.* m\.torque"):
        reaction(derive(m), "q1")


def test_constraint_between_joints_is_refused_by_name() -> None:
    m = geared()
    q1, q2 = m.freeze().q
    m.constrain("cam", sb.sin(q1) - 2 * q2)
    with pytest.raises(DerivationError, match=r"joint 'q2': constraint 'cam' .*m\.coincide"):
        reaction(derive(m), "q2")


def test_load_on_absolute_angles_is_refused_by_name() -> None:
    """A coordinate that moves two joints does not tell where its force acts."""
    m = Model("absolute")
    q1, q2 = m.coordinates("q1 q2")
    a, b = m.body("a", mass=1, **BODY), m.body("b", mass=1, **BODY)
    m.revolute("one", m.ground, a, coordinates=[q1])
    m.revolute("two", a, b, at=(1, 0, 0), coordinates=[q2 - q1])
    assert reaction(derive(m), "one").force.shape == (3, 1)
    m.generalized_force("motor", q2, 1.0)
    with pytest.raises(DerivationError, match=r"joint 'one': load 'motor'"):
        reaction(derive(m), "one")
    with pytest.raises(DerivationError, match=r"joint 'two': load 'motor'"):
        reaction(derive(m), "two")


def test_unknown_joint() -> None:
    with pytest.raises(ModelError, match=r"no joint 'univrsal'.*Did you mean 'universal'"):
        reaction(derive(chain()), "univrsal")


def test_prescribed_joint_needs_a_torque_that_is_no_reaction() -> None:
    """A motor that prescribes an angle: its torque is the multiplier, not part of the reaction."""
    m = geared()
    q1, _ = m.freeze().q
    m.prescribe("motor", q1, sb.sin(m.time))
    eq = derive(m)
    s = moving_state(eq)
    r = reaction(eq, "q1")
    assert abs(numbers(r.moment, s)[2]) < 1e-12
    assert abs(s[eq.lam[0]]) > 1e-3


def test_euler_parameters_and_quasi_speeds() -> None:
    """The ball joint has no moment; the slider carries everything but its direction."""
    eq = derive(quasi())
    s = moving_state(eq)
    assert np.max(np.abs(numbers(reaction(eq, "ball").moment, s))) < 1e-11
    assert abs(numbers(reaction(eq, "slide").force, s)[0]) < 1e-11


def test_a_constraint_is_no_joint():
    m = sb.Model("bead")
    x, y = m.coordinates("x y")
    m.particle("bead", m.ground.point(x, y, 0), mass=1)
    m.constrain("wire", y - x**2)
    with pytest.raises(
        sb.ModelError, match=r"'wire' is a constraint, not a joint: its force is its multiplier.*lam_wire"
    ):
        sb.simulate(sb.derive(m), 0.1, x_dot=1.0).reaction("wire")
