"""Operation counts have ceilings: a change that makes generated code longer is seen here.

Ceilings stand a few percent above what was counted when they were written; some are targets, and are named so. Who gets
below one lowers it.
"""

import importlib
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import symbody as sb
from bench import derive, operations, puma560
from symbody.algebra.graph.graph import addition, difference, make1, product
from symbody.algebra.graph.node_table import nodes_made
from symbody.bodies.mechanism.mechanism import Mechanism
from symbody.derivation.kinematics.kinematics import Kinematics
from symbody.derivation.programs.articulated_bodies import articulated_accelerations
from symbody.derivation.programs.shortest_forms import shortest_forces
from symbody.derivation.routes.recursive import recursive


def cost(mechanism: Mechanism, outputs: Mapping[str, Any]) -> sb.emit.Cost:
    m = mechanism
    inputs = {"q": m.q, "u": m.u, "a": [u.dot for u in m.u], "z": m.z, "r": m.r, "p": m.p, "t": m.t}
    return sb.program("counted", inputs, outputs).cost


def inverse_dynamics(mechanism: Mechanism) -> int:
    """Multiplications and additions."""
    kinematics = Kinematics(mechanism)
    with sb.algebra.gc_paused():
        tau = shortest_forces(mechanism, kinematics)
    found = cost(mechanism, {"tau": tau})
    assert found.divisions == 0
    return found.multiplications + found.additions


@pytest.mark.parametrize(("as_published", "target", "ceiling"), [(False, 640, 524), (True, 392, 370)])
def test_inverse_dynamics_of_puma560(as_published: bool, target: int, ceiling: int) -> None:
    """Targets: the best open generator takes 641 where every inertial parameter is a symbol."""
    assert inverse_dynamics(puma560.model(as_published).freeze()) <= min(target, ceiling)


def chain(n: int) -> Mechanism:
    """Bars on universal joints, one long and of mass one."""
    m = sb.Model("chain")
    m.gravity(0, 0, -1)
    half, across, along = sb.fraction(1, 2), sb.fraction(1, 12), sb.fraction(1, 100)
    parent, at = m.ground, (0, 0, 0)
    for k in range(n):
        bar = m.body(f"bar {k}", mass=1, com=(0, 0, -half), inertia=(across, across, along))
        m.universal(f"q{k}", parent, bar, at=at)
        parent, at = bar, (0, 0, -1)
    return m.freeze()


def test_chain_of_ten() -> None:
    mechanism = chain(10)
    with sb.algebra.gc_paused():
        M, f = recursive(mechanism, Kinematics(mechanism))
    assert cost(mechanism, {"M": M, "f": f}).total <= 3550


def test_articulated_chain_of_thirty() -> None:
    mechanism = chain(30)
    with sb.algebra.gc_paused():
        udot = articulated_accelerations(mechanism, Kinematics(mechanism))
    assert cost(mechanism, {"udot": udot}).total <= 9800


def test_derivatives_of_inverse_dynamics() -> None:
    """With respect to q and u. By forward differentiation they take 2570 (puma560) and 25 200 (chain)."""
    for mechanism, ceiling in ((puma560.model(True).freeze(), 2450), (chain(10), 21100)):
        found = sb.derivation.inverse_derivatives(sb.derive(mechanism, check=False), ("q", "u"))
        assert cost(mechanism, {f"tau_{k}": J for k, J in found.items()}).total <= ceiling


def star(arms: int, links: int) -> Mechanism:
    """A free body with arms."""
    m = sb.Model("star")
    m.gravity(0, 0, -9.81)
    base = m.body("base", mass=5, inertia=(1, 2, 3))
    m.free("base", m.ground, base, sequence="euler parameters")
    for a in range(arms):
        parent, at = base, (0.3 * a - 0.4, 0.2, 0.1 * a)
        for k in range(links):
            link = m.body(f"link {a} {k}", mass=1, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.001))
            m.revolute(f"q{a}{k}", parent, link, axis="xyz"[k % 3], at=at, actuation=m.input(f"tau{a}{k}"))
            parent, at = link, (0, 0, -0.4)
    return m.freeze()


def test_derivatives_of_forward_dynamics() -> None:
    """With respect to q, u and inputs, of the solution itself and by way of inverse dynamics."""
    mechanism = star(4, 4)
    eq = sb.derive(mechanism, check=False)
    found = sb.derivation.forward_derivatives(eq, ("q", "u", "r")).udot
    direct = {k: sb.jacobian(eq.udot, x) for k, x in (("dq", eq.q), ("du", eq.u), ("dr", eq.r))}
    counted = cost(mechanism, {f"d{k}": J for k, J in found.items()}).total
    assert counted <= 33500
    assert counted <= 0.85 * cost(mechanism, direct).total


TARGETS = {
    "panda inverse": 539,
    "panda forward": 999,
    "ur5 inverse": 254,
    "ur5 forward": 470,
    "PUMA560 inverse": 550,
    "anymal_b inverse": 1400,
}


@pytest.mark.parametrize("case", TARGETS)
def test_robots_take_fewer_operations_than_before(case: str) -> None:
    found = operations.COUNTS[case]()
    assert found <= min(TARGETS[case], operations.BEFORE[case])


CEILINGS = {  # accelerations, multipliers and guards of singular states included, as `derive` gives them
    "bicycle": 2400, "column": 50, "foucault_pendulum": 140, "four_bar_spatial": 308, "four_bars": 2850000, "hoop": 14, "motorcycle": 1800, "quadrangle": 33000, "satellite": 508,
    "sleigh": 72, "slider_crank": 178, "spatial_crank": 32800, "spinning_blade": 690, "spherical_chain": 630, "stanford_arm": 611,
    "string_with_particles": 770, "swinging_legs": 64, "triple_pendulum": 225, "tuomela_pendulum": 300,
}  # fmt: skip


@pytest.mark.parametrize("name", derive.EXAMPLES)
def test_accelerations_of_examples(name: str) -> None:
    equations = sb.derive(importlib.import_module(f"examples.{name}").model())
    assert cost(equations.mechanism, {"udot": equations.udot}).total <= CEILINGS[name]


ROUTE_CEILINGS = {"recursive": 497, "kane": 900, "lagrange": 1155, "newton-euler": 2295, "gibbs-appell": 1000}


@pytest.mark.parametrize("route", ROUTE_CEILINGS)
def test_routes_on_a_chain_of_three(route: str) -> None:
    """M and f by every route: no route loses its sharing of parts."""
    equations = sb.derive(importlib.import_module("examples.spherical_chain").model(3), route)
    assert cost(equations.mechanism, {"M": equations.M, "f": equations.f}).total <= ROUTE_CEILINGS[route]


# --------------------------------------------------------------------------------------------- work of the derivation


def calls(act: Callable[[], object], *functions: Callable[..., object]) -> int:
    """How often some functions of ours are called by another."""
    counted, codes = Counter[object](), {f.__code__ for f in functions}  # type: ignore[attr-defined]

    def count(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            counted[frame.f_code] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(before)
    return sum(counted[code] for code in codes)


def test_derivation_calls_constructors_where_nodes_may_come_of_it() -> None:
    """From description to equations: more than half of the calls were with zeros, and made nothing (6282, 2020)."""
    example = importlib.import_module("examples.spherical_chain")
    first = nodes_made()
    assert calls(lambda: sb.derive(example.model(5)), product, addition, difference, make1) <= 2700
    assert nodes_made() - first <= 1850
