"""Derivatives of optima and families of them over a parameter; measurements to follow, obstacles; motions exported."""

from typing import Any

import numpy as np
import pytest

import symbody as sb
from bench.motion_cases import cart_pole
from symbody.kits import motions

pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")


def fastest_cart(mass=1.0):
    """From rest to rest over 1 m with |F| <= 1 and drag: T = 2 sqrt(m) without drag."""
    x, v, F = sb.symbols("x v F", kind="variable")
    m, c = sb.symbols("m c")
    eq = sb.from_equations({x: v, v: (F - c * v) / m}, {m: mass, c: 0.3}, inputs=[F])
    problem = motions.Problem("cart")
    push = problem.phase("push", eq, (0.5, 10)).start(x=0, v=0).end(x=1, v=0).bounds(F=(-1, 1))
    push.cost("time", integral=1).cost("effort", integral=F**2, weight=0.1)
    return problem


@pytest.mark.parametrize("name", ["m", "c"])
def test_derivatives_of_an_optimum_with_active_bounds(name):
    """Against central differences of optima that were solved again."""
    problem, h = fastest_cart(), 1e-4
    motion = problem.solve(20, tolerance=1e-11)
    change = motion.sensitivity(name)
    value = 1.0 if name == "m" else 0.3
    low, high = (problem.family({name: [value + d]}, intervals=20, tolerance=1e-11)[0] for d in (-h, h))
    assert change.cost == pytest.approx((high.objective - low.objective) / (2 * h), rel=1e-5)
    assert change.durations["push"] == pytest.approx(
        (high.durations["push"] - low.durations["push"]) / (2 * h), rel=1e-3
    )
    for k in ("x", "v"):
        assert change[k] == pytest.approx((high[k] - low[k]) / (2 * h), abs=2e-3)


def test_family_is_that_of_single_searches():
    """Warm starts reach the same optima in fewer iterations; parameters are what they were afterwards."""
    problem, masses = cart_pole(), np.linspace(0.3, 0.45, 4)
    family = problem.family({"m": masses}, intervals=20)
    assert family.outcome == "complete"
    alone = []
    for m in masses:
        again = cart_pole()
        again.phases["swing"].parameters |= {s: m for s in again.phases["swing"].parameters if s.name == "m"}
        alone.append(again.solve(20))
    assert family.costs == pytest.approx([a.objective for a in alone], rel=1e-6)
    assert sum(family.iterations[1:]) < sum(a.iterations for a in alone[1:])
    assert {s.name: x for s, x in problem.phases["swing"].parameters.items()}["m"] == 0.3


def test_motions_of_a_family_keep_their_parameters():
    """Derivatives and checks of a member are those at its own value, not at that of the problem."""
    family = cart_pole().family({"m": [0.3, 0.31, 0.32]}, intervals=20)
    slope = (family.costs[2] - family.costs[0]) / 0.02
    assert family[1].sensitivity("m").cost == pytest.approx(slope, rel=1e-3)
    found = max(family[2].check().differences.values())
    assert found < 2 * max(family[0].check().differences.values()) + 1e-6


def test_family_of_contacts_of_unknown_order():
    """Force and gap exclude each other in every member, also in those that begin at the member before."""
    x, v, F, N = sb.symbols("x v F N", kind="variable")
    m = sb.symbol("m")
    problem = motions.Problem("push a wall")
    go = problem.phase("go", sb.from_equations({x: v, v: (F - N) / m}, {m: 1.0}, inputs=[F, N]), 2.0)
    go.start(x=0, v=0).complementary("wall", N, 1 - x).integral("push", N, 1.0).cost("effort", integral=F**2)
    options: Any = {"intervals": 15, "method": "radau", "degree": 1}
    family = problem.family({"m": [1.0, 1.1, 1.2]}, **options)
    assert family.outcome == "complete"
    for motion, mass in zip(family, family.values, strict=True):
        assert (motion["N"] * (1 - motion["x"]))[1:].max() < 2e-6
        go.parameters |= dict.fromkeys(go.parameters, mass)
        assert motion.objective == pytest.approx(problem.solve(**options).objective, rel=1e-4)


def test_family_ends_where_there_is_no_motion():
    x, F = sb.symbols("x F", kind="variable")
    d = sb.symbol("d")
    problem = motions.Problem("drift")
    go = problem.phase("go", sb.from_equations({x: F - d}, {d: 0.0}, inputs=[F]), 1.0).start(x=0).end(x=1)
    go.bounds(F=(-2, 2)).cost("effort", integral=F**2)
    family = problem.family({"d": [0, 0.5, 3]}, intervals=3)
    assert list(family.values) == [0, 0.5]
    assert family.outcome.startswith("ended at d = 3: infeasible")


def test_measurements_identify_a_parameter():
    """A pendulum that follows what another one did, in a free duration of its own time: its length is found."""
    m = sb.Model("pendulum")
    l = m.parameter("l", 1.0)
    m.revolute("a", m.ground, m.body("bob", mass=1, com=(0, -l, 0)))
    m.gravity(0, -9.81, 0)
    eq = sb.derive(m)
    t = np.linspace(0, 2, 201)
    truth = sb.simulate(eq, t, {"a": 0.8}, values={"l": 1.3})
    problem = motions.Problem("measured")
    problem.phase("swing", eq, 2.0).start(a_dot=0).track("angle", {"a": (t, truth["a"])})
    problem.choose(l=(0.5, 3))
    motion = problem.solve(25)
    assert motion.parameters["l"] == pytest.approx(1.3, rel=1e-3)
    assert motion["a"][0] == pytest.approx(0.8, rel=1e-3)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (lambda s: s.track("data", {}), "nothing is tracked"),
        (lambda s: s.track("data", {"x": ([0, 0], [1, 2])}), "increasing times"),
        (lambda s: s.track("data", {"y": ([0, 1], [1, 2])}), "there is no variable or output 'y'"),
        (lambda s: s.avoid("post", (s.equations.state[0],), (0,), 1), "two or three components"),
        (lambda s: s.avoid("post", s.equations.state, (0, 0), -1), "radius= must be positive, got -1"),
    ],
)
def test_statements_that_make_no_sense(state, message):
    with pytest.raises(sb.ModelError, match=message):
        state(fastest_cart().phases["push"])


def test_misspelt_parameters_are_named():
    problem = fastest_cart()
    with pytest.raises(sb.ModelError, match="there is no parameter 'mm'"):
        problem.family({"mm": [1]})
    with pytest.raises(sb.ModelError, match="expected finite numbers of m, got"):
        problem.family({"m": [np.nan]})
    with pytest.raises(sb.ModelError, match="there is no parameter 'k'"):
        problem.solve(5).sensitivity("k")
    problem.choose(m=(1, 2))
    with pytest.raises(sb.ModelError, match="m is chosen with the motion; leave it out of choose"):
        problem.family({"m": [1, 2]})
    with pytest.raises(
        sb.ModelError, match="m is chosen with the motion; give it a value to differentiate with respect to it"
    ):
        problem.solve(5).sensitivity("m")
