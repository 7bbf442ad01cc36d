"""Linear systems that are reduced in numbers are those that are reduced as expressions."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.stability.variation.system_matrices import PARTS, RECOVERY


def hanging(algebraic: bool) -> tuple[sb.Equations, Any]:
    """Three links between a pin and an end that an input moves; a filter on the torque, outputs with accelerations and
    forces of constraints."""
    m = sb.Model("hanging loop")
    p = m.parameters(l=0.5, g=9.81, k=3.0, d=0.9, T=0.2)
    torque, moved = m.input("torque"), m.input("moved")
    m.gravity(0, -p.g, 0)
    at, links = m.ground, []
    for k, angle in enumerate(m.coordinates("a b c")):
        links.append(
            m.body(f"link {k}", at.rotate("z", angle), mass=1.0 + k, com=(p.l / 2, 0, 0), inertia=(0.1, 0.1, 0.1))
        )
        at = links[-1].frame.translate(p.l, 0, 0)
    x, y, _ = at.origin.in_ground.entries
    a = m.symbols["a"]
    m.constrain("along", x - p.d - moved)
    m.constrain("level", y - 0.1 * sb.sin(x))
    slow = m.variable("slow")
    m.equation("filter", p.T * slow.dot + slow - torque)
    if algebraic:
        m.equation("spring law", m.variable("spring") - p.k * a)
    m.generalized_force("drive", a, slow - (m.symbols["spring"] if algebraic else p.k * a) - 0.4 * a.dot)
    m.output("lift", links[1].mass_centre.acceleration().dot(m.ground.y))
    m.output("pull", m.multiplier("along") + slow)
    m.output("angle", a)
    eq = sb.derive(m)
    return eq, sb.steady(eq, torque=0.3, start={"a": -0.9, "b": 0.1, "c": 0.9})


def turning() -> tuple[sb.Equations, Any]:
    """A disc on tyres in a circle that draws another, in coordinates of the ground."""
    m = sb.Model("disc that draws another")
    bodies, push = [], m.parameter("push", 1.0)
    for k in range(2):
        x, y, psi = m.coordinates(f"x{k} y{k} psi{k}")
        body = m.body(f"body {k}", m.ground.translate(x, y, 0).rotate("z", psi), mass=2.0, inertia=(1, 1, 1))
        v = body.mass_centre.velocity()
        m.force(f"tyre {k}", body, body.vector(push * (1 - k) - v.dot(body.frame.x), -8 * v.dot(body.frame.y), 0))
        m.torque(f"turn {k}", body, body.vector(0, 0, 0.4 * (1 - k) - psi.dot))
        bodies.append(body)
    gap = bodies[0].point(-0.5, 0, 0) - bodies[1].point(0.5, 0, 0)
    for name, axis in (("x", m.ground.x), ("y", m.ground.y)):
        m.constrain(f"hitch {name}", gap.dot(axis))
    m.output("side", bodies[1].mass_centre.acceleration().dot(bodies[1].frame.y))
    eq = sb.derive(m)
    near = {"x0_dot": 0.5, "x1_dot": 0.5, "psi0_dot": 0.3, "psi1_dot": 0.3, "x1": -1.0}
    return eq, sb.steady(eq, values={"psi0": 0}, free=["psi0_dot"], start=near)


CASES = {"hanging": lambda: hanging(False), "algebraic": lambda: hanging(True), "turning": turning}


@pytest.fixture(scope="module", params=CASES)
def pair(request: pytest.FixtureRequest) -> tuple[sb.LinearSystem, sb.LinearSystem]:
    """The same system by expressions and by numbers."""
    eq, motion = CASES[request.param]()
    assert motion.is_steady, motion.outcome
    assert motion.unknowns
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for many in (10**9, 1):
            patch.setattr(import_module("symbody.stability.linear.linearize"), "MANY_CONSTRAINTS", many)
            found.append(sb.linearize(eq, motion))
    assert found[0]._late is None
    assert found[1]._late is not None
    return found[0], found[1]


def assert_alike(a: sb.LinearSystem, b: sb.LinearSystem, **values: Any) -> None:
    assert (a.x, a.r, a.y, a.variables) == (b.x, b.r, b.y, b.variables)
    for name, one, other in zip(PARTS, a.matrices(**values), b.matrices(**values), strict=True):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-9 * (1 + np.abs(one).max(initial=0.0))), name
    assert np.allclose(a.numbers.recovered(values), b.numbers.recovered(values), rtol=1e-9, atol=1e-9)


def test_matrices_are_the_same(pair: tuple[sb.LinearSystem, sb.LinearSystem]) -> None:
    """At the motion, at other parameters, and as expressions that are made in the end."""
    words, numbers = pair
    name = "push" if "push" in {s.name for s in words.parameters} else "k"
    other = {name: 1.2 * words.defaults[words.numbers.parameter(name)]}
    for values in ({}, other):
        assert_alike(words, numbers, **values)
    assert numbers._late is not None
    assert not numbers._late.__dict__.get("made")
    assert np.allclose(words.modes().eigenvalues, numbers.modes().eigenvalues, atol=1e-8)
    many = np.linspace(1.0, 1.3, 3) * words.defaults[words.numbers.parameter(name)]
    assert np.allclose(words.matrices({name: many}).A, numbers.matrices({name: many}).A, rtol=1e-9, atol=1e-9)
    for part in (*PARTS, *RECOVERY):
        assert getattr(words, part).shape == getattr(numbers, part).shape
    at = {**numbers.defaults, **numbers.about.found}
    assert np.allclose(sb.evaluate(list(numbers.A.entries), at), numbers.matrices().A.ravel(), rtol=1e-9, atol=1e-9)


def test_derivatives_are_the_same(pair: tuple[sb.LinearSystem, sb.LinearSystem]) -> None:
    """Along the imaginary axis beside derivatives of the expressions, with the motion moving along."""
    words, numbers = pair
    name = "push" if "push" in {s.name for s in words.parameters} else "k"
    at = np.array([1.0, 1.1]) * words.defaults[words.numbers.parameter(name)]
    found = [lin.numbers.derivatives_at(name, *lin.numbers.sets({name: at})) for lin in (words, numbers)]
    for part, one, other in zip(PARTS, *found, strict=True):
        assert np.allclose(one, other, rtol=1e-7, atol=1e-8 * (1 + np.abs(one).max(initial=0.0))), part


def test_other_states_and_outputs_stay_numbers(pair: tuple[sb.LinearSystem, sb.LinearSystem]) -> None:
    """Orders, fewer states, outputs of variables; pickled they are expressions."""
    words, numbers = pair
    changes = (
        lambda lin: lin.with_states(*reversed(lin.x)),
        lambda lin: lin.without(*sb.stability.cyclic_states(lin)),
        lambda lin: lin.with_outputs(lin.variables[-1], lin.y[0], lin.x[0]),
    )
    for change in changes:
        assert_alike(change(words), change(numbers))
        assert change(numbers)._late is not None
    same = pickle.loads(pickle.dumps(numbers))
    assert same._late is None
    assert_alike(same, numbers)
    assert numbers._late is not None
    with pytest.raises(sb.errors.StabilityError, match="output or variable 'heigth'"):
        numbers.with_outputs("heigth")
