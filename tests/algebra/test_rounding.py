"""Bounds of rounding errors hold, and are not much larger than what happens."""

import math
from random import Random

import pytest

import symbody as sb
from symbody.algebra.calculus.rounding import rounding
from tests.algebra.expressions import random_expressions

x, y, z = sb.symbols("x y z")


def test_what_cancels_is_known_to_be_nothing():
    """sin(π) of a rounded π; (x + y) - z with y far below x; a polynomial at its double zero."""
    (zero,) = rounding([sb.sin(x)], {x: math.pi})
    assert math.sin(math.pi) < zero < 1e-15
    (lost,) = rounding([(x + y) - z], {x: 1e8, y: 1e-3, z: 1e8})
    assert 1e-9 < lost < 1e-6
    (flat,) = rounding([1e12 * x * x - 2e12 * x + 1e12], {x: 1.0})
    assert 1e-5 < flat < 1e-2


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions_stay_within_their_bound(seed):
    """Against fifty digits, at symbols that are exact: the value is off by less than the bound."""
    symbols, expressions = random_expressions(seed)
    random = Random(seed)
    values = {s: random.uniform(-2, 2) for s in symbols}
    for e, bound in zip(expressions, rounding(expressions, values), strict=True):
        value = sb.evaluate(e, values)
        off = abs(value - float(sb.evaluate(e, values, digits=50)))
        assert off <= bound
        assert bound <= 1e-12


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["general", "definite"])
def test_solves_are_off_by_their_condition(seed, kind):
    """A nearly singular matrix: the bound grows with the condition number, and the error stays below it."""
    random = Random(seed)
    a, b = sb.symbols("a b")
    A = sb.matrix([[a, b], [b, a + sb.fraction(1, 1000)]])
    unknowns = sb.solve(A, [x, y], kind).entries
    values = {a: 1.0, b: 1.0, x: random.uniform(-1, 1), y: random.uniform(-1, 1)}
    for e, bound in zip(unknowns, rounding(list(unknowns), values), strict=True):
        off = abs(sb.evaluate(e, values) - float(sb.evaluate(e, values, digits=40)))
        assert off <= bound
        assert bound < 1e-8
    (solid,) = rounding([sb.solve(A, [x, y], kind).entries[0]], {**values, b: 0.1})
    assert solid < 1e-14


def test_places_without_value():
    assert rounding([sb.log(x)], {x: -1.0}) == [math.inf]
    assert rounding([sb.where(x > 0, sb.log(x), y)], {x: -1.0, y: 2.0})[0] == pytest.approx(2 * 2.0**-52)
