"""Cost follows size: nodes and calls of Python that equations of many bodies take grow in proportion to the bodies.

Counts, no clocks: of twice as many bodies they are less than 2.3 times as large.
"""

import pickle
import sys
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import four_bars
from symbody.algebra.graph.late_matrix import LateSquare
from symbody.algebra.graph.node_table import nodes_made
from symbody.derivation.programs.forward_dynamics import ways_to_accelerations
from symbody.derivation.rank import regular_configuration
from symbody.derivation.rank.loop_closure import closed_loops
from symbody.derivation.routes.recursive import MANY_SPEEDS

MOST = 2.3  # times the cost for twice the bodies


def branched(n: int, children: int) -> sb.Model:
    """Links on hinges about z and y in turn, each with so many children: a chain has one. Models of different size
    share no expressions, which would be found again."""
    m = sb.Model("links")
    m.gravity(0, -9.81, 0)
    links: list[Any] = []
    for k in range(n):
        link = m.body(f"link {k}", mass=1 + 0.01 * k + 1e-4 * n, com=(0.5, 0, 0.1), inertia=(0.05, 0.1, 0.12))
        parent = links[(k - 1) // children] if k else m.ground
        m.revolute(f"q{k}", parent, link, at=(1.0, 0.1 * (k % children), 0) if k else (0, 0, 0), axis="zy"[k % 2])
        links.append(link)
    return m


CASES: dict[str, Callable[[int], sb.Model]] = {
    "chain": lambda n: branched(n, 1),
    "tree": lambda n: branched(n, 2),
}


def nodes_of(act: Callable[[], Any]) -> int:
    before = nodes_made()
    act()
    return nodes_made() - before


def calls_of(act: Callable[[], Any]) -> int:
    """Calls of functions by an action."""
    count = 0

    def counted(*_: Any) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("case", CASES)
def test_equations_of_trees_are_linear_in_bodies(case: str) -> None:
    """Calls of freezing, deriving and checking, and nodes of accelerations."""
    sb.derive(CASES[case](MANY_SPEEDS + 1))  # what a process makes once
    once, twice = (calls_of(lambda m=m: sb.derive(m)) for m in map(CASES[case], (45, 90)))  # type: ignore[misc]
    assert twice <= MOST * once, (once, twice)
    few, many = (nodes_of(lambda n=n: ways_to_accelerations(sb.derive(CASES[case](n)))) for n in (45, 90))  # type: ignore[misc]
    assert many <= MOST * few, (few, many)


def test_rows_of_loops_are_closed_loop_by_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Singular configurations of a loop are left by that loop: rows that are solved for at once do not grow in number
    with the loops."""
    rows: list[int] = []

    def watched(eq: sb.Equations, q: Any, values: Any, only: Any = None) -> Any:
        rows.append(len(eq.rows.positions if only is None else only))
        return closed_loops(eq, q, values, only)

    monkeypatch.setattr(regular_configuration, "closed_loops", watched)
    eq = sb.derive(four_bars.model(24))
    assert len(eq.lam) == 48
    assert len(rows) >= 24
    assert max(rows) <= 4


def hung(n: int) -> sb.Model:
    """A chain whose last link is held by a spring and a damper, and resists motion in air."""
    m = branched(n, 1)
    tip = m.freeze().bodies[-1].frame.point(1, 0, 0)
    m.spring("spring", m.ground.point(2, 1, 0.01 * n), tip, stiffness=10, rest=1, damping=0.1)
    m.drag("air", tip, linear=0.1, quadratic=0.2)
    return m


def test_loads_on_the_last_link_of_a_chain_are_linear_in_links() -> None:
    """Their length, its rate, and the forces on the joints."""
    few, many = (nodes_of(lambda n=n: ways_to_accelerations(sb.derive(hung(n)))) for n in (45, 90))  # type: ignore[misc]
    assert many <= MOST * few, (few, many)


@cache
def many() -> sb.Equations:
    return sb.derive(branched(MANY_SPEEDS + 5, 2))


def test_mass_matrix_of_many_bodies_is_made_when_asked_for() -> None:
    """Deriving, simulating and pickles, by whose content programs are kept, leave it alone."""
    eq = sb.derive(branched(MANY_SPEEDS + 1, 1))
    M: Any = eq.M
    assert isinstance(M, LateSquare)
    assert sb.simulate(eq, 1e-3, progress=False).outcome
    packed = pickle.dumps(eq)
    assert not M.is_made
    assert M.diagonal == tuple(M[k, k] for k in range(len(eq.u)))
    assert eq.M.is_made  # type: ignore[attr-defined]
    assert pickle.dumps(eq) == packed
    assert pickle.loads(packed).M == M
    assert not isinstance(sb.derive(branched(MANY_SPEEDS, 1)).M, LateSquare)


def test_accelerations_of_many_bodies_solve_the_equations() -> None:
    """M u' = f, by articulated bodies."""
    eq, random = many(), Random(4)
    state = {s: random.uniform(-1, 1) for s in (*eq.q, *eq.u)} | {eq.t: 0.0}
    (udot,) = ways_to_accelerations(eq)
    n = len(eq.u)
    M, f, a = (np.array(sb.evaluate(list(m.entries), state)) for m in (eq.M, eq.f, udot))
    M = M.reshape(n, n)
    assert np.all(np.linalg.eigvalsh(M) > 0)
    assert np.abs(M @ a - f).max() <= 1e-11 * (np.abs(M) @ np.abs(a) + np.abs(f)).max()


def test_mass_that_is_missing_is_named_among_many() -> None:
    """A point on its axis has no inertia: the check looks at the diagonal, and then at the whole row."""
    m = branched(MANY_SPEEDS + 2, 1)
    m.revolute("idle", m.ground, m.body("point", mass=1.0), axis="x")
    with pytest.raises(sb.errors.DerivationError, match="idle_dot"):
        sb.derive(m)


@pytest.mark.parametrize("empty", [None, 20, MANY_SPEEDS + 1])
def test_inertia_about_the_axes_of_links_is_enough(empty: int | None) -> None:
    """Planar links without inertia about other axes leave M alone; a point on its axis at the end is named, one that
    carries the others is not."""
    m = sb.Model("planar")
    on: Any = m.ground
    for k in range(MANY_SPEEDS + 2):
        has_none = k == empty
        inertia = (0, 0, 0 if has_none else 0.1)
        body = m.body(f"b{k}", mass=1 + k, com=(0, 0 if has_none else -0.5, 0), inertia=inertia)
        m.revolute(f"a{k}", on, body, "z")
        on = body.frame.translate(0, -1, 0)
    if empty is not None and empty > MANY_SPEEDS:
        with pytest.raises(sb.errors.DerivationError, match=f"a{empty}_dot"):
            sb.derive(m)
    else:
        M: Any = sb.derive(m).M
        assert isinstance(M, LateSquare)
        assert M.is_made == (empty is not None)
