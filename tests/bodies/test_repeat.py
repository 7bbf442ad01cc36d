"""`Model.repeat`: many copies of a model are those that `attach` makes one by one."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.bodies.model import repeated_parts


def link(stiffness: bool = True) -> sb.Model:
    """A rod on a hinge and a ball on a slide, with springs, a damper, a parameter and an input."""
    part = sb.Model("link")
    l, k = part.parameter("l", 200, "mm"), part.parameter("k", 3.0)
    rod = part.body("rod", mass=part.parameter("mass", 1.5), com=(l / 2, 0, 0), inertia=(0.1, 0.2, 0.2))
    part.revolute("a", part.ground, rod, stiffness=k if stiffness else 0, damping=0.3, actuation=part.input("tau"))
    ball = part.particle("ball", mass=0.2)
    part.prismatic("s", rod, ball, "x", at=(l, 0, 0), stiffness=40)
    part.frame("tip", rod.frame.translate(l, 0, 0))
    return part


def chain(n: int, one_by_one: bool, **options: Any) -> sb.Model:
    m, part = sb.Model("chain"), link()
    m.gravity(0, -m.parameter("g", 9.81), 0)
    m.parameter("k", 5.0)
    if not one_by_one:
        m.repeat("link", m.ground, part, n, end="tip", **options)
        return m
    on: Any = m.ground
    values = options.get("values", {})
    for j in range(n):
        own = {p: v[j] if isinstance(v, list) else v for p, v in values.items()}
        on = m.attach(f"link_{j}", on, part, share=options.get("share", ()), values=own).frame("tip")
    return m


@pytest.mark.parametrize(
    "options",
    [{}, {"share": "k"}, {"values": {"mass": [1.0, 2.0, 3.0], "k": 7.0}}, {"values": {"l": ["1 m", 0.1, 0.2]}}],
)
def test_copies_are_those_of_attach(options: dict[str, Any]) -> None:
    """Names, symbols, values, units and equations."""
    copies, single = chain(3, False, **options), chain(3, True, **options)
    for table in ("symbols", "bodies", "joints", "frames"):
        assert list(getattr(copies, table)) == list(getattr(single, table))
    assert dict(copies.parts.default_values) == dict(single.parts.default_values)
    assert dict(copies.parts.units) == dict(single.parts.units)
    assert list(copies.parts.loads) == list(single.parts.loads)
    a, b = sb.derive(copies), sb.derive(single)
    assert a.q == b.q
    assert a.M == b.M
    assert a.f == b.f


def test_what_does_not_move_is_shared() -> None:
    """Bodies without parameters of their own have one mass."""
    part = sb.Model("part")
    part.revolute("a", part.ground, part.body("rod", mass=1, com=(1, 0, 0), inertia=(1, 1, 1)))
    m = sb.Model("fan")
    copies = m.repeat("blade", m.ground, part, 4)
    assert len({id(c.body("rod").mass) for c in copies[1:]}) == 1
    assert copies[3].joint("a").parent == "ground"
    assert repr(copies).startswith("<Repeated blade: 4 copies")


def test_rows_and_trees() -> None:
    part = link()
    m = sb.Model("tree")
    row = m.repeat("bar", [m.ground.translate(0, 0, z) for z in range(3)], part, 3)
    assert [c.joint("a").outer.origin.in_ground[2].value for c in row] == [0, 1, 2]
    tree = m.repeat("twig", lambda done: done[(len(done) - 1) // 2].frame("tip") if done else m.ground, part, 7)
    parents = [c.joint("a").parent for c in tree]
    assert parents == ["ground", *(f"twig_{(k - 1) // 2}_rod" for k in range(1, 7))]


def test_names_that_are_taken() -> None:
    """Where the model has a name that begins like those of the copies, every copy is checked."""
    m = sb.Model("m")
    m.coordinate("link_2_a_dot_")
    m.repeat("link", m.ground, link(), 3)
    with pytest.raises(sb.ModelError, match="link_0_a"):
        m.repeat("link", m.ground, link(), 2)
    m = sb.Model("m")
    m.body("link_2_rod", mass=1)
    with pytest.raises(sb.ModelError, match="'link_2_rod'"):
        m.repeat("link", m.ground, link(), 3)
    assert list(m.bodies) == ["link_2_rod"]


def test_refusals() -> None:
    m = sb.Model("m")
    for wrong, words in (
        ({"count": 0}, "count is a whole number from 1 on"),
        ({"end": "tipp"}, "end='tipp' is not a frame of model 'link'"),
        ({"parent": [m.ground] * 2}, "3 copies on 2 frames"),
        ({"parent": [m.ground] * 3, "end": "tip"}, "begins on one frame"),
        ({"values": {"mass": [1, 2]}}, "2 values of 'mass' for 3 copies"),
        ({"values": {"mass": [1, 2, float("nan")]}}, "mass"),
        ({"values": {"weight": 1}}, "weight"),
    ):
        given: dict[str, Any] = {"parent": m.ground, "count": 3} | wrong
        with pytest.raises(sb.ModelError, match=words):
            m.repeat("link", given.pop("parent"), link(), given.pop("count"), **given)
        assert not m.bodies


def test_a_part_that_holds_more_is_attached_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    part = link()
    part.output("angle", part.symbols["a"])
    part.constrain("held", part.symbols["s"] - 0.1)
    monkeypatch.setattr(repeated_parts, "_CopyMaker", None)  # is not called
    m = sb.Model("m")
    m.repeat("link", m.ground, part, 2)
    assert list(m.parts.outputs) == ["link_0_angle", "link_1_angle"]


def test_a_chain_moves() -> None:
    """Fifty links by loops, beside those of a loop of Python."""
    copies, single = (sb.compile(sb.derive(chain(30, one))) for one in (False, True))
    rng = np.random.default_rng(1)
    q, u = rng.uniform(-1, 1, (2, 60))
    r = np.zeros(30)
    np.testing.assert_allclose(copies.udot(0.0, q, u, r, copies.p), single.udot(0.0, q, u, r, single.p), rtol=1e-10)


def test_calls_that_fail_leave_a_large_model_as_it_is() -> None:
    """The collector, paused while calls add to a large model, runs again after a call that fails."""
    m = sb.Model("rods")
    for k in range(520):
        m.revolute(f"q{k}", m.ground, m.body(f"rod {k}", mass=1, com=(1, 0, 0)))
    sizes = len(m.bodies), len(m.joints), len(m.symbols)
    for fails in (lambda: m.body("rod 3", mass=1), lambda: m.revolute("q3", m.ground, m.ground)):
        with pytest.raises(sb.ModelError):
            fails()
    assert m.parts.is_large
    assert gc.isenabled()
    assert (len(m.bodies), len(m.joints), len(m.symbols)) == sizes
