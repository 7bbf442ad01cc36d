"""The one nonlinear solver: standard problems beside SciPy, laws of scaling, too many and too few rows, bounds, and
every outcome."""

import math

import numpy as np
import pytest
from scipy.optimize import root

from symbody.algebra.nonlinear.nonlinear import SolverOutcome, System
from symbody.algebra.nonlinear.trust_region import EPS
from tests.algebra.systems import STANDARD, with_jacobian

names = pytest.mark.parametrize("name", STANDARD)


def standard(name):
    rows, start = STANDARD[name]
    return with_jacobian(rows), start


# ------------------------------------------------------------------------------------------------ beside SciPy


@names
def test_standard_problem_is_solved(name):
    function, start = standard(name)
    found = System(function).zero(start)
    assert found.holds, found.outcome
    assert np.max(np.abs(function(found.x)[0])) < 1e-12
    with np.errstate(all="ignore"):
        peer = root(function, start, jac=True, method="lm", tol=1e-14)
    if np.max(np.abs(peer.fun)) < 1e-12 and name not in (
        "Wood",
        "Powell singular",
    ):  # several zeros; a zero known to half the digits
        same = np.sort if name.startswith(("Chebyquad", "Brown")) else np.asarray  # in which order is open
        assert same(found.x) == pytest.approx(same(peer.x), abs=1e-6) or name.startswith("Brown")


@names
@pytest.mark.parametrize("factor", [10, 100])
def test_what_is_said_to_hold_is_a_zero(name, factor):
    """From far away not everything is found, but nothing is called a zero that is none."""
    function, start = standard(name)
    found = System(function).zero(factor * start)
    F, J = function(found.x)
    assert not found.holds or np.max(np.abs(F)) < 1e-10 * (1 + np.max(np.abs(J) @ np.abs(found.x)))


@pytest.mark.parametrize("factor", [10, 100])
def test_most_are_found_from_far_away(factor):
    starts = {name: standard(name) for name in STANDARD}
    found = [name for name, (function, start) in starts.items() if System(function).zero(factor * start).holds]
    assert len(found) >= len(STANDARD) - 3


def test_fewer_evaluations_than_peers():
    """In sum, where both end at a zero; rows and slopes are one evaluation here, and two in MINPACK."""
    ours, hybr, lm = 0, 0, 0
    for name in STANDARD:
        function, start = standard(name)
        with np.errstate(all="ignore"):
            one, other = (root(function, start, jac=True, method=m, tol=1e-13) for m in ("hybr", "lm"))
        if np.max(np.abs(one.fun)) < 1e-10 and np.max(np.abs(other.fun)) < 1e-10:
            ours += System(function).zero(start).evaluations
            hybr, lm = hybr + one.nfev, lm + other.nfev
    assert ours < 0.5 * hybr
    assert ours < lm


# ------------------------------------------------------------------------------------------------ units


@names
def test_units_make_no_difference(name):
    """Rows and unknowns in units of 1e-8 to 1e8: the same zero, after as many evaluations (but for rounding)."""
    function, start = standard(name)
    r, c = (np.random.default_rng(k).permutation(np.logspace(-8, 8, len(start))) for k in (1, 2))

    def scaled(y):
        F, J = function(c * y)
        return r * F, r[:, None] * J * c

    plain, other = System(function).zero(start), System(scaled).zero(start / c)
    assert other.holds, other.outcome
    assert other.x * c == pytest.approx(plain.x, abs=1e-10)
    assert abs(other.evaluations - plain.evaluations) <= 5
    assert other.rank == plain.rank


def rod_on_a_slider(stiffness):
    """Balances of a slider x and a rod θ with a spring between the slider and the end of the rod."""

    def rows(x):
        stretch = stiffness * (x[0] - np.sin(x[1]))
        return np.array([stretch - 3.0, -stretch * np.cos(x[1]) + 9.81 * np.sin(x[1]) - 2.0 * x[1]])

    def with_force(w):
        x, angle, force = w
        return np.array(
            [
                force - 3.0,
                -force * np.cos(angle) + 9.81 * np.sin(angle) - 2.0 * angle,
                x - np.sin(angle) - force / stiffness,
            ]
        )

    return with_jacobian(rows), with_jacobian(with_force)


@pytest.mark.parametrize("stiffness", [1e2, 1e4, 1e6, 1e8, 1e9])
def test_stiff_spring_beside_gravity(stiffness):
    """The valley x = sin θ is as narrow as the spring is stiff, and steps go along it; MINPACK's methods stop on the
    way from 1e8 N/m on. With the force of the spring as a linear unknown no valley is left, and its stiffness makes no
    difference."""
    rows, with_force = rod_on_a_slider(stiffness)
    angle = System(with_jacobian(lambda x: -3.0 * np.cos(x) + 9.81 * np.sin(x) - 2.0 * x)).zero(np.array([0.4])).x[0]
    found = System(rows).zero(np.array([0.4, 0.4]))
    lifted = System(with_force, linear=np.array([False, False, True])).zero(np.array([0.4, 0.4, 0.0]))
    assert found.holds, found.outcome
    assert found.x == pytest.approx([math.sin(angle) + 3 / stiffness, angle], abs=1e-6)
    assert lifted.holds, lifted.outcome
    assert lifted.x == pytest.approx([math.sin(angle) + 3 / stiffness, angle, 3], abs=1e-12)
    assert lifted.evaluations <= 6


# ------------------------------------------------------------------------------------------------ too many, too few


def ring(x):
    return np.array([x[0] ** 2 + x[1] ** 2 - 1])


def test_redundant_rows_change_nothing():
    """Each row twice, and their sum: the same way, the same zero; the rank says it."""
    function, start = standard("Broyden banded")

    def more(x):
        F, J = function(x)
        return np.concatenate([F, 3 * F, [F.sum()]]), np.concatenate([J, 3 * J, [J.sum(axis=0)]])

    plain, redundant = System(function).zero(start), System(more).zero(start)
    assert redundant.holds
    assert redundant.x == pytest.approx(plain.x, abs=1e-14)
    assert redundant.rank == plain.rank == len(start)


@pytest.mark.parametrize("angle", [0.1, 1.0, 2.5, -2.0])
@pytest.mark.parametrize("distance", [0.2, 0.9, 3.0, 50.0])
def test_nearest_point_of_a_circle(angle, distance):
    start = distance * np.array([math.cos(angle), math.sin(angle)])
    found = System(with_jacobian(ring), sizes=np.ones(2)).nearest(start)
    assert found.holds
    assert found.x == pytest.approx([math.cos(angle), math.sin(angle)], abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_nearest_point_of_an_ellipsoid(seed):
    """x_i = a_i² s_i / (a_i² + τ), τ being the largest root of Σ (a_i s_i / (a_i² + τ))² = 1; also with weights."""
    random = np.random.default_rng(seed)
    a, size = random.uniform(0.5, 2, 3), random.uniform(0.5, 2, 3)
    start = random.uniform(0.8, 1.6, 3) * a
    found = System(with_jacobian(lambda x: np.array([np.sum((x / a) ** 2) - 1])), sizes=size).nearest(start)
    b, s = a / size, start / size
    low, high = -(np.min(b) ** 2), 100.0
    for _ in range(200):
        tau = (low + high) / 2
        low, high = (tau, high) if np.sum((b * s / (b * b + tau)) ** 2) > 1 else (low, tau)
    assert found.holds
    assert found.x / size == pytest.approx(b * b * s / (b * b + tau), abs=1e-7)


def test_unknowns_that_no_row_sees_stay():
    found = System(with_jacobian(lambda x: np.array([x[0] * x[2] - 2, x[0] - 1]))).zero(np.array([3.0, 7.0, 5.0]))
    assert found.x == pytest.approx([1, 7, 2], abs=1e-14)
    assert found.x[1] == 7.0
    assert found.rank == 2
    assert found.loose == pytest.approx([0, 1, 0], abs=1e-7)


def test_no_rows_and_no_unknowns():
    empty = System(lambda x: (np.zeros(0), np.zeros((0, len(x)))))
    assert empty.zero(np.array([1.0])).holds
    assert empty.nearest(np.array([1.0])).x == [1.0]
    nothing_moves = System(lambda x: (np.array([1.0]), np.zeros((1, 0)))).zero(np.zeros(0))
    assert nothing_moves.outcome is SolverOutcome.LOCAL_MINIMUM


# ------------------------------------------------------------------------------------------------ linear unknowns


def test_linear_unknowns_need_no_start():
    """Stationary points under a constraint: from the exact place, multipliers that are missing cost two evaluations
    whatever their size."""
    load = 1e6

    def rows(w):
        x, y, lam = w
        return np.array([2 * lam * x, load + 2 * lam * y, x * x + y * y - 1])

    system = System(with_jacobian(rows), linear=np.array([False, False, True]))
    found = system.zero(np.array([0.0, -1.0, 0.0]))
    assert found.x == pytest.approx([0, -1, load / 2])
    assert found.evaluations == 2
    near = system.zero(np.array([0.3, -0.8, 0.0]))
    assert near.x == pytest.approx([0, -1, load / 2])


@pytest.mark.parametrize("seed", range(10))
def test_all_linear_is_solved_at_once(seed):
    random = np.random.default_rng(seed)
    units = np.array([1, 1e3, 1e-6, 1e8])
    A, b = random.normal(size=(6, 4)) * units, random.normal(size=4) / units
    right = A @ b
    found = System(lambda x: (A @ x - right, A), linear=np.ones(4, dtype=bool)).zero(np.zeros(4))
    assert found.holds
    assert found.x == pytest.approx(b, rel=1e-9)


# ------------------------------------------------------------------------------------------------ bounds and outcomes


def test_bounds_choose_the_zero():
    """x² = 2 on either side; along a bound where the way is open; none where it is not."""
    square = with_jacobian(lambda x: np.array([x[0] ** 2 - 2]))
    assert System(square, lower=np.array([0.1])).zero(np.array([0.2])).x == pytest.approx(math.sqrt(2))
    assert System(square, upper=np.array([-0.1])).zero(np.array([-0.1])).x == pytest.approx(-math.sqrt(2))
    blocked = System(square, upper=np.array([1.0])).zero(np.array([0.5]))
    assert blocked.outcome is SolverOutcome.BOUNDED
    assert blocked.x == [1.0]
    tilted = with_jacobian(lambda x: np.array([x[0] + 2 * x[1] - 4]))
    found = System(tilted, upper=np.array([1.0, 1.6]), lower=np.array([-1.0, -1.0])).zero(np.zeros(2))
    assert found.holds
    assert found.x[0] <= 1.0
    assert found.x[1] <= 1.6


def test_fold_is_a_local_minimum():
    found = System(with_jacobian(lambda x: np.array([x[0] ** 2 + 1, x[1] - 3]))).zero(np.array([2.0, 0.0]))
    assert found.outcome in (SolverOutcome.LOCAL_MINIMUM, SolverOutcome.SINGULAR)
    assert found.x == pytest.approx([0, 3], abs=1e-3)
    assert found.worst == 0


def test_rows_that_contradict_each_other():
    """The least squares of scaled rows; the worst row is one of the two that disagree."""
    found = System(with_jacobian(lambda x: np.array([x[0] - 1, x[0] - 2, np.exp(x[1]) - 5]))).zero(np.zeros(2))
    assert found.outcome is SolverOutcome.LOCAL_MINIMUM
    assert found.x == pytest.approx([1.5, math.log(5)])
    assert found.worst in (0, 1)


def test_a_place_without_values():
    system = System(with_jacobian(lambda x: np.array([np.log(x[0]) + 1])))
    assert system.zero(np.array([-1.0])).outcome is SolverOutcome.NOT_FINITE
    assert system.zero(np.array([30.0])).x == pytest.approx(
        math.exp(-1)
    )  # a whole step would end where there is no logarithm


def test_too_many_steps():
    function, start = standard("Rosenbrock")
    assert System(function, max_steps=1).zero(start).outcome is SolverOutcome.TOO_MANY_STEPS


def test_zero_is_judged_by_rounding_of_its_terms():
    """1e12 (x² - 2x + 1): at the zero its terms cancel, and 1e-4 is left of 1e12; a row that stays at 1e-9 of 1 is no
    zero."""
    flat = System(with_jacobian(lambda x: np.array([1e12 * (x[0] * x[0] - 2 * x[0] + 1)]))).zero(np.array([1.7]))
    assert flat.holds, flat.outcome
    assert flat.x == pytest.approx([1], abs=1e-6)
    off = System(with_jacobian(lambda x: np.array([(x[0] - 1) ** 2 + 1e-9]))).zero(np.array([1.7]))
    assert not off.holds


@pytest.mark.parametrize("start", [0.1, 1e-3, 1e-8, 1e-17])
def test_large_linear_unknowns_do_not_excuse_other_terms(start):
    """a = 0 and F a = 9.81: the smaller a, the larger F and the rounding of F a, until it hides 9.81."""

    def rows(x):
        a, F = x
        return np.array([a, F * a - 9.81]), np.array([[1.0, 0.0], [F, a]])

    def rounding(x):
        return EPS * np.array([abs(x[0]), abs(x[0] * x[1]) + 9.81])

    system = System(rows, linear=np.array([False, True]), typical=np.array([1.0, 0.0]), rounding=rounding)
    assert system.zero(np.array([start, 0.0])).outcome is SolverOutcome.DROWNED
    assert system.close_zero(np.array([start, 0.0])) is None
