"""Evaluation at numbers: real, complex, many digits, and where there is no value."""

from __future__ import annotations

import cmath
import math

import mpmath
import pytest

from symbody.algebra.calculus.evaluate import Evaluator, evaluate
from symbody.algebra.graph.functions import ExternalFunction, atan2, log, sign, sin, sqrt, where
from symbody.algebra.graph.graph import PI, fraction, symbol, symbols
from symbody.algebra.graph.linear import solve
from symbody.algebra.graph.matrix import matrix
from symbody.errors import EvaluationError, ExpressionError
from tests.algebra.expressions import random_expressions

x, y = symbols("x y")


def test_shapes():
    assert evaluate(x + y, {x: 1, y: 2}) == 3
    assert evaluate(matrix([[x, y], [y, x]]), {x: 1, y: 2}) == [[1, 2], [2, 1]]
    assert evaluate([x, matrix([x, y])], {"x": 1, "y": 2}) == [1, [1, 2]]


def test_thirty_digits():
    with mpmath.workdps(40):
        expected = mpmath.sin(mpmath.mpf(1) / 3) + mpmath.pi
        found = evaluate(sin(x / 3) + PI, {x: 1}, digits=40)
        assert abs(found - expected) < mpmath.mpf(10) ** -38


def test_many_digits_through_a_solve():
    a = matrix([[x, 1, 0], [1, y, 2], [3, 2, 1]])
    found = evaluate(solve(a, [1, 2, 3]), {x: mpmath.mpf(2) / 7, y: 3}, digits=40)
    with mpmath.workdps(40):
        m = mpmath.matrix([[mpmath.mpf(2) / 7, 1, 0], [1, 3, 2], [3, 2, 1]])
        assert max(abs(a - b) for a, b in zip(found, mpmath.lu_solve(m, mpmath.matrix([1, 2, 3])), strict=True)) < 1e-15


def test_complex_numbers():
    assert evaluate(sin(x) * y, {x: 1 + 2j, y: 2}) == pytest.approx(cmath.sin(1 + 2j) * 2)


@pytest.mark.parametrize("point", [(1.0, 2.0), (-1.0, 2.0), (-1.0, -2.0), (1.0, -2.0), (2.0, 0.0), (0.5, -1e-3)])
def test_atan2_continues_analytically(point):
    """d atan2(y, x)/dx = -y / (x² + y²) by the complex step, in every quadrant."""
    a, b = point
    d = evaluate(atan2(y, x), {x: a + 1e-30j, y: b}).imag / 1e-30
    assert d == pytest.approx(-b / (a * a + b * b), rel=1e-13)
    assert evaluate(atan2(y, x), {x: complex(a), y: b}).real == pytest.approx(math.atan2(b, a))


def test_choices_follow_the_real_part():
    assert evaluate(abs(x), {x: -2 + 1e-30j}) == 2 - 1e-30j
    assert evaluate(where(x < 1, x, 0), {x: 0.5 + 3j}) == 0.5 + 3j


def test_exact_constants_are_rounded_once():
    assert evaluate(fraction(1, 3) * x, {x: 1}) == 1 / 3


def test_no_value_is_an_error_that_names_the_operation():
    with pytest.raises(EvaluationError, match="log has no value"):
        evaluate(log(x), {x: -1.0})
    with pytest.raises(EvaluationError, match="div has no value"):
        evaluate(1 / x, {x: 0.0})
    with pytest.raises(EvaluationError, match="factor has no value"):
        evaluate(solve(matrix([[x, x], [x, x]]), [1, 2]), {x: 1.0})
    with pytest.raises(EvaluationError, match="sqrt"):
        evaluate(sqrt(x), {x: -1.0})


def test_missing_values_are_listed():
    with pytest.raises(ExpressionError, match="no value for y, q_dot; values were given for x"):
        evaluate(x + y + symbol("q", "coordinate").dot, {"x": 1})


def test_external_functions():
    f = ExternalFunction("f", 2, python=lambda a, b: a * b)
    assert evaluate(f(x, y), {x: 2, y: 3}) == 6
    with pytest.raises(ExpressionError, match="no Python form"):
        evaluate(ExternalFunction("g", 1)(x), {x: 1})


def test_the_branch_that_is_not_taken_needs_no_value():
    guarded = where(x > 0, sqrt(x), y / x)
    assert evaluate(guarded, {x: -2.0, y: 4.0}) == -2.0
    assert evaluate(guarded, {x: 4.0, y: 4.0}) == 2.0
    with pytest.raises(EvaluationError, match="div has no value"):
        evaluate(guarded, {x: 0.0, y: 4.0})


def test_real_numbers_stay_real():
    with pytest.raises(EvaluationError, match="pow has no value"):
        evaluate(x**2.7, {x: -2.0})
    assert math.isnan(evaluate(sign(x), {x: math.nan}))


@pytest.mark.parametrize("seed", range(10))
def test_evaluator_gives_what_evaluate_gives(seed):
    """Some symbols fixed, others given call by call."""
    seen, expressions = random_expressions(seed)
    fixed = {s: 0.3 * k - 0.5 for k, s in enumerate(seen[:2])}
    f = Evaluator(expressions, fixed, seen[2:])
    for numbers in ([0.2, -0.7], [1.1, 0.4]):
        assert f(numbers) == evaluate(expressions, {**fixed, **dict(zip(seen[2:], numbers, strict=True))})


def test_evaluator_where_there_is_no_value():
    f = Evaluator([log(x) + y, x], {y: 1.0}, [x])
    assert f([1.0]) == [1.0, 1.0]
    with pytest.raises(EvaluationError, match="log has no value"):
        f([-1.0])


def test_evaluator_where_a_branch_or_a_fixed_part_has_no_value():
    guarded, root = where(x > 0, sqrt(x), y / x), sqrt(y)
    f = Evaluator([guarded], {y: 4.0}, [x])
    assert f([-2.0]) == [-2.0]
    assert f([4.0]) == [2.0]
    assert Evaluator([where(x > 0, x, root)], {y: -1.0}, [x])([3.0]) == [3.0]
    with pytest.raises(EvaluationError, match="sqrt has no value"):
        Evaluator([x, root], {y: -1.0}, [x])([3.0])
