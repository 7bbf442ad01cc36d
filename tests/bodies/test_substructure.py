"""A model hung several times is the same as the model written out by hand."""

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody import Body, Model, ModelError, derive
from symbody.derivation.questions.reactions import reaction

BODY: dict[str, Any] = {"com": (0.05, -0.2, 0.02), "inertia": sb.inertia(0.1, 0.05, 0.12, xy=0.01, yz=-0.02)}


def leg() -> Model:
    """Two bodies, a spring and a stop, an input, an additional variable, an output, a loop, and Euler parameters."""
    m = Model("leg")
    g, l, k, mass = m.parameters("g l k m", 9.81, 0.5, 30.0, 2.0)
    m.gravity(0, -g, 0)
    thigh, shank = m.body("thigh", mass=mass, **BODY), m.body("shank", mass=mass / 2, **BODY)
    m.revolute("hip", m.ground, thigh, axis=(0.1, 0, 1), damping=0.3, actuation=m.input("tau"))
    m.revolute("knee", thigh, shank, at=(0, -l, 0), limits=(-0.2, 0.4, 50.0))
    foot = m.particle("foot", mass=0.3)
    m.spherical("ankle", shank, foot, at=(0, -l, 0), sequence="euler parameters")
    m.spring("muscle", m.ground.point(0.1, 0.1, 0), shank.point(0.05, -0.1, 0), stiffness=k, rest=0.2, damping=1.0)
    force = m.variable("force")
    m.equation("lag", force.dot + 3 * force - shank.point(0, -l, 0).position().dot(m.ground.y))
    m.force("push", shank, m.ground.vector(0, force, 0))
    m.output("height", shank.point(0, -l, 0).position().dot(m.ground.y))
    return m


def by_hand(count: int, mass: float) -> Model:
    """The legs on a floating trunk, each written out."""
    m, trunk = floating_trunk()
    for k in range(count):
        p = f"leg{k}_"
        l, stiff, heavy = (
            m.parameter(f"{p}{n}", v) for n, v in (("l", 0.5), ("k", 30.0), ("m", mass if k == 1 else 2.0))
        )
        on = trunk.frame.translate(0, 0, 0.3 * k)
        thigh, shank = m.body(f"{p}thigh", mass=heavy, **BODY), m.body(f"{p}shank", mass=heavy / 2, **BODY)
        m.revolute(f"{p}hip", on, thigh, axis=(0.1, 0, 1), damping=0.3, actuation=m.input(f"{p}tau"))
        m.revolute(f"{p}knee", thigh, shank, at=(0, -l, 0), limits=(-0.2, 0.4, 50.0))
        foot = m.particle(f"{p}foot", mass=0.3)
        m.spherical(f"{p}ankle", shank, foot, at=(0, -l, 0), sequence="euler parameters")
        m.spring(
            f"{p}muscle", on.point(0.1, 0.1, 0), shank.point(0.05, -0.1, 0), stiffness=stiff, rest=0.2, damping=1.0
        )
        force = m.variable(f"{p}force")
        height = (shank.point(0, -l, 0) - on.origin).dot(on.y)
        m.equation(f"{p}lag", force.dot + 3 * force - height)
        m.force(f"{p}push", shank, on.vector(0, force, 0))
        m.output(f"{p}height", height)
    return m


def floating_trunk() -> tuple[Model, Body]:
    m = Model("walker")
    g = m.parameter("g", 9.81)
    m.gravity(0, -g, 0)
    trunk = m.body("trunk", mass=10, inertia=(1.0, 1.2, 0.9))
    m.free("float", m.ground, trunk)
    return m, trunk


def attached(count: int, mass: float) -> tuple[Model, list[Any]]:
    (m, trunk), sub = floating_trunk(), leg()
    parts = []
    for k in range(count):
        on = trunk.frame.translate(0, 0, 0.3 * k)
        parts.append(m.attach(f"leg{k}", on, sub, share=("g",), values={"m": mass} if k == 1 else {}))
    return m, parts


def random_numbers(eq: sb.Equations) -> dict[str, float]:
    draw = np.random.default_rng(3)
    symbols = (*eq.q, *eq.u, *eq.z, *eq.r, eq.t)
    values = {s.name: draw.uniform(-1, 1) for s in symbols}
    return values | {s.name: v for s, v in eq.mechanism.values.items()}


def test_copies_equal_what_is_written_out() -> None:
    """M, f, rates, additional equations and outputs of two legs on a trunk."""
    written, (copied, _) = derive(by_hand(2, 3.0), check=False), attached(2, 3.0)
    eq = derive(copied, check=False)
    assert eq.q == written.q
    assert eq.u == written.u
    values = random_numbers(written)
    for name in ("rates", "M", "f"):
        a, b = (np.array(sb.evaluate(getattr(e, name), values)) for e in (eq, written))
        assert np.allclose(a, b, rtol=1e-10, atol=1e-9), name
    assert {n: sb.evaluate(e, values) for n, e in eq.outputs.items()} == pytest.approx(
        {n: sb.evaluate(e, values) for n, e in written.outputs.items()}
    )
    rates = {f"{z.name}_dot": 0.3 for z in eq.z}
    assert np.allclose(sb.evaluate(eq.h, values | rates), sb.evaluate(written.h, values | rates))
    assert eq.mechanism.values == written.mechanism.values
    assert eq.mechanism.norms == written.mechanism.norms


def test_parts_are_found_by_their_old_names() -> None:
    m, (first, second) = attached(2, 3.0)
    eq = derive(m, check=False)
    assert first.body("thigh") is eq.mechanism.body("leg0_thigh")
    assert second.joint("knee").child == "leg1_shank"
    assert first.joint("hip").parent == "trunk"
    assert first.symbol("hip").name == "leg0_hip"
    assert second.symbol("g").name == "g"
    assert eq.mechanism.tree["leg1_foot"] == "leg1_shank"
    with pytest.raises(ModelError, match=r"substructure 'leg0': there is no body 'tigh'.*Did you mean 'thigh'"):
        first.body("tigh")


def test_copy_of_points_and_expressions() -> None:
    sub = leg()
    thigh = sub.freeze().body("thigh")
    m, trunk = floating_trunk()
    part = m.attach("left", trunk, sub, share="g")
    point = part.copy(thigh.point(1, 2, 3))
    assert point.frame is part.body("thigh").frame
    hip = sub.freeze().q[0]
    copied = part.symbol("hip")
    assert isinstance(copied, sb.Symbol)
    assert part.copy(2 * hip.dot + 1) is 2 * copied.dot + 1
    assert part.copy(thigh) is part.body("thigh")


def four_bar() -> Model:
    m = Model("linkage")
    m.parameter("g", 9.81)
    parent, at = m.ground, (0, 0, 0)
    for k, length in enumerate((0.4, 1.0, 0.8), start=1):
        bar = m.body(
            f"bar{k}", shape=sb.bar(length, axis="x", at=(length / 2, 0, 0)), mass=m.parameter(f"m{k}", length)
        )
        m.revolute(f"q{k}", parent, bar, at=at)
        parent, at = bar, (length, 0, 0)
    m.revolute("closure", m.ground, parent, at=(0.9, 0, 0), on=at)
    return m


def test_loops_are_copied_with_their_forces() -> None:
    """A linkage hung twice on a slider: its constraints, multipliers and reactions under new names."""
    m = Model("two linkages")
    slide = m.body("slide", mass=3.0, inertia=(1, 1, 1))
    m.prismatic("x", m.ground, slide)
    for k in range(2):
        m.attach(f"arm{k}", slide, four_bar(), values={"m2": 2.0 + k})
    eq = derive(m)
    assert [c.name for c in eq.mechanism.constraints] == [
        "arm0_closure.x",
        "arm0_closure.y",
        "arm1_closure.x",
        "arm1_closure.y",
    ]
    assert [x.name for x in eq.lam] == [
        "lam_arm0_closure_x",
        "lam_arm0_closure_y",
        "lam_arm1_closure_x",
        "lam_arm1_closure_y",
    ]
    assert eq.degrees_of_freedom == 3
    assert eq.mechanism.values[sb.symbol("arm1_m2")] == 3.0
    assert reaction(eq, "arm1_closure").force.shape == (3, 1)


def test_values_may_be_expressions_of_the_host() -> None:
    m, trunk = floating_trunk()
    scale = m.parameter("scale", 1.2)
    part = m.attach("left", trunk, leg(), share={"g": "g", "k": scale * 2}, values={"l": 0.5 * scale})
    assert part.symbol("l") is 0.5 * scale
    assert "left_l" not in [p.name for p in m.freeze().p]
    assert part.symbol("k") is 2 * scale


def test_gravity_of_the_copy_is_left_out_and_said() -> None:
    m, _ = attached(1, 2.0)
    mechanism = m.freeze()
    assert sum(x.kind == "gravity" for x in mechanism.loads) == 1
    assert any("gravity of model 'leg' is dropped" in n for n in mechanism.notes)


def test_mistakes() -> None:
    m, _ = floating_trunk()
    with pytest.raises(ModelError, match=r"attach 'a': there is no symbol to share 'gg'.*"):
        m.attach("a", m.ground, leg(), share=("gg",))
    with pytest.raises(ModelError, match=r"attach 'a': there is no parameter 'mm'"):
        m.attach("a", m.ground, leg(), values={"mm": 1.0})
    with pytest.raises(ModelError, match=r"'hip' is a coordinate; values= are for parameters g, l, k, m"):
        m.attach("a", m.ground, leg(), values={"hip": 1.0})
    with pytest.raises(ModelError, match=r"shared 'k'.*no symbol in the host 'k'"):
        m.attach("b", m.ground, leg(), share=("k",))
    with pytest.raises(ModelError, match=r"cannot be attached to itself"):
        m.attach("self", m.ground, m)
    assert len(m.freeze().q) == 6  # a refused attachment leaves nothing behind
    m.attach("left", m.ground, leg())
    with pytest.raises(ModelError, match=r"'left_hip' is declared twice|'left_g' is declared twice"):
        m.attach("left", m.ground, leg())
