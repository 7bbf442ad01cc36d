"""Loads on the coordinates of a joint: one for each, by name, or one for all where they are alike; whatever the speeds
are."""

from __future__ import annotations

from typing import Any

import pytest

import symbody as sb
from symbody import Model, derive


def on_a_joint(kind: str, **loads: Any) -> sb.Equations:
    m = Model("one joint")
    body = m.body("b", mass=2.0, com=(0.1, 0.2, 0), inertia=(0.3, 0.4, 0.5))
    m.joint("j", m.ground, body, kind, **loads)
    return derive(m)


def by_hand(kind: str, k: dict[str, float], c: dict[str, float]) -> sb.Equations:
    m = Model("one joint")
    body = m.body("b", mass=2.0, com=(0.1, 0.2, 0), inertia=(0.3, 0.4, 0.5))
    q = {s.name: s for s in m.joint("j", m.ground, body, kind).coordinates}
    for n in k:
        m.generalized_force(f"spring {n}", q[n], -k[n] * q[n])
    for n in c:
        m.generalized_force(f"damper {n}", q[n], -c[n] * q[n].dot)
    return derive(m)


def right_side(eq: sb.Equations) -> list[float]:
    values = {s: 0.1 + 0.2 * i for i, s in enumerate((*eq.q, *eq.u))}
    return sb.evaluate(eq.f, values)


@pytest.mark.parametrize("kind", ["cylindrical", "planar", "free", "universal", "spherical"])
def test_one_for_each_coordinate(kind: str) -> None:
    names = [s.name for s in on_a_joint(kind).q]
    k, c = ({n: x + i for i, n in enumerate(names)} for x in (1.5, 0.5))
    wanted = right_side(by_hand(kind, k, c))
    assert right_side(on_a_joint(kind, stiffness=tuple(k.values()), damping=list(c.values()))) == pytest.approx(wanted)
    symbols = {s: k[s.name] for s in on_a_joint(kind).q}
    assert right_side(on_a_joint(kind, stiffness=symbols, damping=c)) == pytest.approx(wanted)
    some = {names[-1]: 3.0}
    assert right_side(on_a_joint(kind, stiffness=some)) == pytest.approx(right_side(by_hand(kind, some, {})))


@pytest.mark.parametrize("kind", ["universal", "spherical", "revolute", "prismatic"])
def test_one_for_all_coordinates_that_are_alike(kind: str) -> None:
    names = [s.name for s in on_a_joint(kind).q]
    wanted = right_side(by_hand(kind, dict.fromkeys(names, 2.0), {}))
    assert right_side(on_a_joint(kind, stiffness=2.0)) == pytest.approx(wanted)


@pytest.mark.parametrize("is_first", [True, False])
def test_damping_of_a_coordinate_whose_rate_is_given(is_first: bool) -> None:
    """q' = (1 + q²) u: the power of the damper is -c q'², whichever is said first."""
    m = Model("speed of choice")
    q, u = m.coordinate("q"), m.speed("u")
    body = m.body("b", mass=2.0, inertia=(0.3, 0.4, 0.5))
    if is_first:
        m.rate(q, (1 + q**2) * u)
    m.revolute("j", m.ground, body, coordinates=q, damping=3.0, stiffness=2.0)
    if not is_first:
        m.rate(q, (1 + q**2) * u)
    eq = derive(m)
    at = {"q": 0.4, "u": 0.7}
    rate = sb.evaluate(eq.rates, at)[0]
    assert sb.evaluate(sb.derivation.power(eq, "j.damper"), at) == pytest.approx(-3.0 * rate**2)
    assert sb.evaluate(sb.derivation.power(eq, "j.spring"), at) == pytest.approx(-2.0 * 0.4 * rate)


def test_loads_of_a_free_joint_with_euler_parameters() -> None:
    """Those along its lengths may be given by name."""
    eq = on_a_joint("free", sequence="euler parameters", stiffness={"j_z": 5.0})
    values: dict[Any, float] = dict.fromkeys((*eq.q, *eq.u), 0.0) | {"j_e0": 1.0, "j_z": 0.3}
    assert sb.evaluate(eq.f, {s.name: values.get(s.name, values.get(s, 0.0)) for s in (*eq.q, *eq.u)})[
        2
    ] == pytest.approx(-1.5)


@pytest.mark.parametrize("kind", ["prismatic", "revolute", "cylindrical", "planar"])
def test_a_kind_of_joint_has_one_default_axis(kind: str) -> None:
    """By its own method, by the general one, and in a file."""
    texts = []
    for general in (True, False):
        m = Model("one joint")
        body = m.body("b", mass=2.0, inertia=(0.3, 0.4, 0.5))
        if general:
            m.joint("j", m.ground, body, kind)
        else:
            getattr(m, kind)("j", m.ground, body)
        texts.append(sb.write.model_text(m))
    text = f"symbody: 1\nname: one joint\nbodies:\n  b: {{mass: 2, inertia: [0.3, 0.4, 0.5]}}\njoints:\n  j: {{{kind}: [ground, b]}}\n"
    texts.append(sb.write.model_text(sb.study.read_model_text(text).model))
    assert texts[0] == texts[1] == texts[2]


def test_actuation_increases_the_coordinate_and_the_distance() -> None:
    """One sign for joints and springs: a positive actuation pushes apart, turns on."""
    m = Model("slides")
    x, F = m.coordinate("x"), m.input("F")
    block = m.body("block", m.ground.translate(1 + x, 0, 0), mass=2.0)
    m.spring("ram", m.ground.origin, block.frame.origin, actuation=F)
    other = m.body("other", mass=2.0)
    m.prismatic("y", m.ground, other, actuation=F)
    eq = derive(m)
    assert sb.evaluate(eq.f, {"x": 0.2, "y": 0.1, "x_dot": 0, "y_dot": 0, "F": 3.0}) == pytest.approx([3.0, 3.0])


def test_loads_of_a_joint_in_a_file_depend_on_its_own_coordinates() -> None:
    """The file declares them; what cannot be known before the joint is made is said to be its own."""
    body = "symbody: 1\nname: m\nbodies: {b: {mass: 2, com: [0, 1, 0], inertia: [1, 1, 1]}}\n"
    written = body + "joints: {j: {revolute: [ground, b], actuation: -3*sin(j) - 0.5*j_dot**3}}\n"
    m = Model("m")
    j = m.coordinate("j")
    b = m.body("b", mass=2, com=(0, 1, 0), inertia=(1, 1, 1))
    m.revolute("j", m.ground, b, coordinates=j, actuation=-3 * sb.sin(j) - 0.5 * j.dot**3)
    assert derive(sb.study.read_model_text(written).mechanism).f == derive(m).f
    with pytest.raises(sb.errors.ModelFileError, match="'j_wx' yet: the joint 'j' declares it"):
        sb.study.read_model_text(
            body + "joints: {j: {spherical: [ground, b], sequence: euler parameters, damping: j_wx}}\n"
        )


def test_the_axis_of_a_rotational_spring_is_a_direction() -> None:
    """Its length changes nothing: torque, potential and so every route stay the same."""
    forces = []
    for length in (1.0, 3.0):
        m = Model("hinge")
        b = m.body("b", mass=2, com=(0, 1, 0), inertia=(1, 1, 1))
        q = m.revolute("q", m.ground, b, axis=(1, 2, 2)).q
        axis = m.ground.vector(length / 3, 2 * length / 3, 2 * length / 3)
        m.rotational_spring("coil", m.ground, b, axis, angle=q, stiffness=2, damping=0.5, actuation=0.1)
        at = {"q": 0.4, "q_dot": 0.3}
        forces += [sb.evaluate(derive(m, route).f, at) for route in ("recursive", "lagrange")]
    assert forces[1:] == [pytest.approx(forces[0])] * 3
    m = Model("nowhere")
    with pytest.raises(sb.errors.ModelError, match="no direction"):
        m.rotational_spring(
            "coil", m.ground, m.ground.rotate("x", 0.1), m.ground.vector(0, 0, 0), angle=m.coordinate("a")
        )


@pytest.mark.parametrize(("sign", "axis"), [(-1, "z"), (2, "z"), (1, "x")])
def test_an_angle_that_is_not_about_the_axis_of_its_spring_is_refused(sign: int, axis: str) -> None:
    """The work of its torque would not be what its energy loses."""

    def turning(sign: int, axis: str) -> Model:
        m = Model("turning")
        body = m.body("body", mass=1.0, inertia=(1, 2, 3))
        q = m.revolute("a", m.ground, body).q
        m.rotational_spring("k", m.ground, body, 2 * getattr(body.frame, axis), angle=sign * q, stiffness=10.0)
        return m

    derive(turning(1, "z"))
    with pytest.raises(sb.errors.DerivationError, match="spring 'k' has an angle"):
        derive(turning(sign, axis))
