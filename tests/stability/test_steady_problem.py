"""The rows of a steady motion in numbers: exact slopes, one program for all numbers, a regular part; starts that are
solutions stay."""

import math
from typing import Any

import numpy as np
import pytest

import symbody as sb
from bench.equilibrium_cases import driven_motorcycle
from symbody.algebra.calculus.rounding import rounding, rounding_expressions
from symbody.kits import vehicles as vh
from symbody.stability.equilibria import steady_problem
from symbody.stability.equilibria.steady import question

V = sb.symbol("V")
TURN = {"psi": 0.0, "phi": 0.2, "x_dot": V}
NEAR = {"psi_dot": 0.13, "psi4_dot": 0.13, "theta1_dot": -50, "theta4_dot": -50, "phi4": 0.2}


@pytest.fixture(scope="module")
def turning():
    """A motorcycle in a turn: 24 rows of rank 18, one multiplier of which is zero."""
    eq = sb.derive(driven_motorcycle())
    return sb.steady(eq, TURN, free=["psi_dot", "tau", "drive"], start=NEAR, V=15.0)


def test_slopes_are_those_of_the_rows(turning):
    """By unknowns and by a parameter, against central differences."""
    problem = turning.problem
    w, p = problem.point(turning.found), problem.numbers(turning.numbers())
    V = next(s for s in problem.parameters if s.name == "V")
    F, J = problem.rows_and_slopes(w, p)
    assert (F.shape, J.shape) == ((24,), (24, 22))
    for x, k, column in [
        *((w, k, J[:, k]) for k in range(len(w))),
        (p, problem.parameters.index(V), problem.slopes_by((V,))(w, p)[:, 0]),
    ]:
        ends = []
        for side in (1, -1):
            moved = x.copy()
            moved[k] += side * 1e-6
            ends.append(problem.rows_and_slopes(*((moved, p) if x is w else (w, moved)))[0])
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(column, abs=1e-5 * (1 + np.abs(J).max()))


def test_the_motion_at_other_numbers(turning):
    """`at` is the motion of the same problem where its unknowns are known already."""
    V = next(s for s in turning.problem.parameters if s.name == "V")
    found = turning.solve({V: 15.5})
    there = turning.at({V: 15.5}, turning.problem.point(found))
    assert there.state["x_dot"] == 15.5
    assert there["delta"] == found[turning.problem.unknowns[2]]


def test_numbers_that_are_given_are_not_compiled_in():
    """One program for all speeds and leans."""
    eq = sb.derive(driven_motorcycle())

    def asked(lean, speed):
        values = {"psi": 0.0, "phi": lean, "x_dot": speed}
        return question(eq, values, (), ["psi_dot", "tau", "drive"], None, NEAR, None)

    one, other = asked(0.2, 15.0), asked(0.3, 12.0)
    assert one.problem is other.problem
    assert sorted(one.numbers[s] for s in one.problem.parameters[-2:]) == [0.2, 15.0]


def test_solution_as_start_is_returned_as_it_is(turning):
    """To the last bit, in all unknowns, those that are open too; by values, by the motion, and by solve."""
    eq, V = turning.equations, next(s for s in turning.parameters if s.name == "V")
    assert {"y", "theta1"} <= set(turning.undetermined)
    moved = turning.at({}, [x + (0.125 if s.name == "y" else 0.0) for s, x in turning.found.items()])
    for start in (moved, moved.values):
        again = sb.steady(eq, TURN, free=["psi_dot", "tau", "drive"], start=start, V=15.0)
        assert again.found == moved.found
        assert again.values == moved.values
        assert "found in 0 steps" in again.outcome
        assert "at the start" in again.outcome
    assert moved.solve({V: 15.0}, moved.found) == moved.found


def test_multiplier_that_is_zero_is_zero_beside_the_others(turning):
    """The balance of the free front wheel is -0.3 lam = 0: what elimination leaves of lam is rounding of the other
    forces."""
    assert turning.is_steady
    assert abs(turning["lam_no_slip_front"]) < 1e-12
    assert turning.found
    start = {**turning.found, next(s for s in turning.unknowns if s.name == "lam_no_slip_front"): 1e-14}
    assert turning.solve(turning.defaults, start)


def test_bounds_as_expressions_are_the_bounds():
    x, y = sb.symbols("x y")
    things = [
        sb.sin(x) * y - x / (1 + y**2),
        (x + y) - x,
        sb.sqrt(x * x + y * y) - sb.where(x > y, x, y),
        sb.atan2(y, x) ** 3,
    ]
    made = rounding_expressions(things)
    assert made is not None
    for values in ({x: math.pi, y: 1e-3}, {x: -0.7, y: 2.0}):
        assert sb.evaluate(made, values) == pytest.approx(rounding(things, values), rel=0.05)
    assert rounding_expressions(list(sb.solve(sb.matrix([[x, y], [y, 2]]), [x, 1]).entries)) is None


@pytest.mark.parametrize("freed", ["V", "ay"])
def test_branches_of_long_rows_use_the_code_of_the_motion_that_they_begin_with(freed, monkeypatch):
    """A parameter, or a prescribed value, becomes an unknown: rows, slopes and their rounding are those of a problem of
    its own, and so are the points of the branch."""
    interval: dict[str, Any] = {freed: (15.0, 16.0) if freed == "V" else (2.0, 2.5)}
    found = {}
    for limit in (1, 10**9):
        monkeypatch.setattr(steady_problem, "TABULATED_FROM", limit)
        eq = sb.derive(vh.single_track())
        if freed == "ay":
            turn = sb.steady(eq, ay=2.0, V=15.0, free=["delta"])
        else:
            turn = sb.steady(eq, delta=0.02, V=15.0)
        turn.problem.rows_and_slopes(turn.problem.point(turn.found), turn.problem.numbers(turn.numbers()))
        found[limit] = sb.branch(eq, turn, **interval)
    (ours, held), (theirs, own) = ((b, b.problem.problem.held) for b in found.values())
    assert (held is None, own is None) == (False, True)
    assert np.allclose(ours.points, theirs.points, rtol=1e-9, atol=1e-12)
    one, other = ours.problem, theirs.problem
    x = one.start * 1.01
    for f, g in zip(one.rows_at(x), other.rows_at(x), strict=True):
        assert np.allclose(f, g, rtol=1e-12, atol=1e-12)
    assert one.problem.slope_matrix == other.problem.slope_matrix
    for rows in ("_row_rounding", "_slope_rounding"):
        bounds = [np.ravel(getattr(b.problem, rows)(x, abs(x), b.p)) for b in (one, other)]
        assert np.allclose(bounds[0], bounds[1], rtol=0.5)
