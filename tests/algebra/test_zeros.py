"""Nearest zeros, several zeros, and the ways to a zero where Newton's method finds none."""

import math

import numpy as np
import pytest

from symbody.algebra.nonlinear.deflation import KnownZero, deflated_system
from symbody.algebra.nonlinear.homotopy import homotopy_end, relaxation_end
from symbody.algebra.nonlinear.metric import UnknownsMetric
from symbody.algebra.nonlinear.nonlinear import SolverOutcome, System
from symbody.algebra.nonlinear.trust_region import Rank, without_dust
from symbody.algebra.nonlinear.zeros import Way, ZeroSearch

from .systems import with_jacobian


def plain(n: int) -> UnknownsMetric:
    return UnknownsMetric(np.ones(n), np.zeros(n, dtype=bool))


def polynomial(x):
    """Zeros at 1, 2 and 4."""
    return np.array([(x[0] - 1) * (x[0] - 2) * (x[0] - 4)])


def test_known_zeros_are_divided_out():
    """Slopes of the deflated rows are those of differences, and the search does not end at a zero that is known."""
    system = System(with_jacobian(polynomial))
    known = [KnownZero.of(system.zero(np.array([x])), plain(1)) for x in (1.0, 2.0)]
    rest = deflated_system(system, known, plain(1))
    assert rest.zero(np.array([3.3])).x == pytest.approx([4])
    x, h = np.array([3.1]), 1e-6
    assert rest.function(x)[1][0, 0] == pytest.approx(
        (rest.function(x + h)[0][0] - rest.function(x - h)[0][0]) / (2 * h), rel=1e-6
    )


def test_nearest_of_several():
    """From 2.9 a step of Newton's method leads far away; the nearest zero is taken, and all of them come in order."""
    search = ZeroSearch(System(with_jacobian(polynomial)), plain(1), np.array([2.9]), shaken=np.ones(1))
    assert search.nearest().solution.x == pytest.approx([2.0])
    found = search.several(5)
    assert [f.solution.x[0] for f in found] == pytest.approx([2, 4, 1])
    assert [f.distance for f in found] == pytest.approx([0.9, 1.1, 1.9])


def test_angles_come_round():
    """The zero of sin(x) + 0.1 that is reached, within half a turn of the start."""
    metric = UnknownsMetric(np.ones(1), np.ones(1, dtype=bool))
    assert metric.distance(np.array([0.1]), np.array([2 * math.pi - 0.1])) == pytest.approx(0.2)
    assert metric.unwound(np.array([20.0]), np.array([0.0])) == pytest.approx([20 - 6 * math.pi])
    found = ZeroSearch(System(with_jacobian(lambda x: np.sin(x) + 0.1)), metric, np.array([100.0])).nearest()
    assert abs(found.solution.x[0] - 100.0) <= math.pi


def test_ramp_goes_through_folds():
    """x³ - 3x + 3: from beyond two folds, the path turns back twice on its way to the one zero at -2.1."""
    cubic = with_jacobian(lambda x: x**3 - 3 * x + 3)
    end = homotopy_end(System(cubic), np.array([1.5]), plain(1))
    assert end is not None
    assert end[0] == pytest.approx(-2.1038, abs=0.02)


def test_relaxation_falls_into_a_valley():
    """x' = -V'(x) of a double well, from next to its top; a constraint is kept on the way."""

    def rows(x):
        return np.array([x[0] ** 3 - x[0] + x[2], x[1] - x[2], x[0] + x[1] - 1.0])

    inertia = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 0]])
    metric = UnknownsMetric(np.array([1.0, 1.0, np.inf]), np.zeros(3, dtype=bool))
    end = relaxation_end(System(with_jacobian(rows)), np.array([0.3, 0.7, 0.0]), lambda x: inertia, metric)
    assert end is not None
    assert rows(end) == pytest.approx(np.zeros(3), abs=1e-2)
    assert 3 * end[0] ** 2 - 1 + 1 > 0  # stiffness along the constraint


def test_way_is_said():
    """Where Newton's method is stuck at a fold, the ramp leads round it."""
    cubic = with_jacobian(lambda x: x**3 - 3 * x + 3)
    found = ZeroSearch(System(cubic), plain(1), np.array([1.5])).nearest()
    assert found.solution.holds
    assert found.way is Way.RAMP
    assert found.distance == pytest.approx(1.5 + 2.103803402735536)


def test_of_equally_near_zeros_the_stable_one():
    def search(unstable):
        return ZeroSearch(
            System(with_jacobian(lambda x: x * x - 1)),
            plain(1),
            np.array([1e-3]),
            instability=lambda s: float(unstable(s.x[0])),
        ).nearest()

    assert search(lambda x: x > 0).solution.x == pytest.approx([-1])
    assert search(lambda x: x < 0).solution.x == pytest.approx([1])


def test_zeros_that_are_none():
    """A zero that is not true is gone past; where there is no other, that is the outcome."""
    system = System(with_jacobian(polynomial))
    assert (
        ZeroSearch(system, plain(1), np.array([1.1]), is_true=lambda x: x[0] > 1.5, shaken=np.ones(1))
        .nearest()
        .solution.x[0]
        > 1.5
    )
    none = ZeroSearch(system, plain(1), np.array([1.1]), is_true=lambda x: False).nearest()
    assert none.solution.outcome is SolverOutcome.UNTRUE


def test_soft_rows_count_beside_stiff_ones():
    """1e9 (x - y) and 1e-3 x: both unknowns are determined; without the second row neither is."""
    stiff, soft = [1e9, -1e9], [1e-3, 0.0]
    assert Rank.of(np.array([stiff, soft])).loose.max() == 0
    assert Rank.of(np.array([stiff, soft])).rank == 2
    assert Rank.of(np.array([stiff])).loose == pytest.approx([math.sqrt(0.5)] * 2)


def test_reach_bounds_steps_of_angles():
    """Next to where the slope vanishes a whole step of tan(x) / 50 would be thousands of turns."""
    seen = []

    def rows(x):
        seen.append(float(x[0]))
        return np.sin(x), np.cos(x)[None, :]

    found = System(rows, reach=np.ones(1), typical=np.ones(1)).zero(np.array([math.pi / 2 - 1e-5]))
    assert found.holds
    assert np.abs(np.diff(seen)).max() <= 2.0


def test_dust_is_no_slope():
    """Slopes of 1e-35 beside ones, in row and column: multipliers that are nothing but rounding do not determine
    anything."""
    J = np.array([[1.0, 0.5, 0.0], [2e-35, 3e-35, 1.0]])
    assert Rank.of(without_dust(J)).rank == 2
    assert Rank.of(without_dust(J)).loose[2] == 0
    small = 1e-30 * np.array([[1.0, 2.0], [3.0, 4.0]])
    assert (without_dust(small) == small).all()


@pytest.mark.parametrize("off", [0.0, 1e-16, -1e-16, 1e-12, -1e-12, 1e-9, -1e-9])
@pytest.mark.parametrize("turn", [1, -1])
def test_ties_are_not_decided_by_the_last_bit(off, turn):
    """Two zeros at (±1, 0.2), as near as each other to a start between them: always the same is taken, in whatever
    order they are found."""
    rows = with_jacobian(lambda x: np.array([x[0] ** 2 - 1, x[1] - 0.2 + turn * 0.1 * (x[0] ** 2 - 1)]))
    search = ZeroSearch(System(rows), plain(2), np.array([off, 0.2]), shaken=turn * np.ones(2))
    assert search.nearest().solution.x == pytest.approx([1.0, 0.2])


def test_unknowns_that_no_row_has_stay_where_they_are():
    """A known zero is divided out; what no row depends on has no slope then, however far rounding puts it from the
    directions in which the zero is not alone."""

    def rows(x):
        return np.array([x[1] ** 2 - 1.0]), np.array([[0.0, 2 * x[1]]])

    loose = KnownZero(np.array([0.0, 1.0]), np.array([[1.0], [1e-9]]))
    _, J = deflated_system(System(rows), [loose], plain(2)).function(np.array([1e3, 3.0]))
    assert J[0, 0] == 0.0
    assert J[0, 1] != 0.0
