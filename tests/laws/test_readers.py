"""Laws of readers and of elimination for whatever they are given: texts and numbers that hypothesis finds, which our own
generators of sensible ones do not."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import symbody as sb
from symbody.algebra.elimination.elimination import general_factor, general_solve
from symbody.bodies.file.expression_text import parsed_expression
from symbody.bodies.file.scope import Budget, Scope
from symbody.bodies.file.values import value_of
from symbody.errors import ModelError, SimulationError
from symbody.integrate.run.time_span import time_span
from symbody.units import BASES, UNITS, quantity, unit_meant, unit_text

FEW = settings(derandomize=True, max_examples=100, deadline=None, database=None)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def answer(call: Callable[[], Any], refusal: type[Exception]) -> tuple[Any, str]:
    """What a call returns, or nothing and the words in which it refuses."""
    try:
        return call(), ""
    except refusal as said:
        return None, str(said)


# ---------------------------------------------------------------------------------------------------- units

EXPONENTS = st.lists(st.integers(-4, 4), min_size=len(BASES), max_size=len(BASES)).map(tuple)
NAMES = st.sampled_from([*UNITS, "mm", "km", "GPa", "uN", "x", "1"])
POWERS = st.one_of(
    st.just(""), st.integers(-400, 400).map("^{}".format), st.sampled_from(["²", "³", "^", "**2", "^(-1)"])
)
BETWEEN = st.sampled_from([" ", "/", "*", "·", "/(", ")", ""])
UNIT_TEXTS = st.lists(st.tuples(NAMES, POWERS, BETWEEN).map("".join), min_size=1, max_size=4).map("".join)
NUMBER_TEXTS = st.sampled_from(["1", "-2.5", ".5", "3.", "1e3", "1e-300", "1e300", "1e999", "-", ".", "1e", "1 2"])


@FEW
@given(EXPONENTS)
def test_units_that_are_written_read_back(exponents: tuple[int, ...]) -> None:
    found = unit_meant(unit_text(exponents))
    assert found is not None
    assert (found.exponents, found.factor) == (exponents, 1.0)


@FEW
@given(UNIT_TEXTS)
def test_a_unit_has_a_factor_or_is_none(text: str) -> None:
    found = unit_meant(text)
    assert found is None or 0 < found.factor < math.inf


@FEW
@given(NUMBER_TEXTS, UNIT_TEXTS)
def test_a_quantity_is_a_number_or_is_refused(number: str, unit: str) -> None:
    found, words = answer(lambda: quantity(f"{number} {unit}", "here", ModelError), ModelError)
    assert words.startswith("here") if words else found is None or math.isfinite(found)


# ---------------------------------------------------------------------------------------------------- times

ANYTHING = st.one_of(
    st.floats(), st.integers(), st.booleans(), st.none(), st.text(max_size=4), st.complex_numbers(), st.just(10**400)
)
TIMES = st.one_of(
    ANYTHING, st.lists(ANYTHING, max_size=4), st.tuples(st.floats(), st.floats()), st.lists(st.lists(st.floats(), max_size=3), max_size=3),
    st.lists(FINITE, max_size=5, unique=True).map(sorted).map(np.array),
)  # fmt: skip


@FEW
@given(TIMES, FINITE)
def test_times_are_a_span_or_are_refused(t: Any, now: float) -> None:
    """Finite, from one time to another; those that were given lie between, in order."""
    with np.errstate(over="ignore"):
        span, words = answer(lambda: time_span(t, "here", now), SimulationError)
    if span is None:
        assert words.startswith("here: ")
        return
    assert math.isfinite(span.begin)
    assert math.isfinite(span.end)
    assert span.begin != span.end
    if span.times is not None:
        assert (span.times[0], span.times[-1]) == (span.begin, span.end)
        assert list(span.times) == sorted(span.times, reverse=span.end < span.begin)


# ---------------------------------------------------------------------------------------------------- numbers


def number_read(text: str) -> float:
    return sb.evaluate(sb.algebra.as_expr(value_of(parsed_expression(text), Scope(sb.Model("m"), Budget()))), {})


@FEW
@given(FINITE)
def test_numbers_that_are_printed_read_back(number: float) -> None:
    """In all digits to the last bit, and as people read them to twelve digits."""
    printed = sb.algebra.as_expr(number)
    assert number_read(sb.text(printed, exact=True)) == number
    assert number_read(str(printed)) == pytest.approx(number, rel=5.1e-12, abs=5e-324)


# ---------------------------------------------------------------------------------------------------- elimination


def solution(n: int, entries: list[float], right: list[float]) -> list[float]:
    a, p, x = list(entries), [0] * n, list(right)
    general_factor(n, a, p)
    general_solve(n, a, p, x)
    return x


@FEW
@given(st.integers(1, 4), st.data(), st.integers(-250, 250))
def test_elimination_does_not_know_its_units(n: int, data: st.DataObject, power: int) -> None:
    """With all numbers times 2^k, pivots, factors and solution are the same to the last bit, from 1e-75 to 1e75."""
    numbers = st.lists(st.integers(-9, 9).map(float), min_size=n * n, max_size=n * n)
    entries = data.draw(numbers)
    right = data.draw(st.lists(st.integers(-9, 9).map(float), min_size=n, max_size=n))
    assume(abs(np.linalg.det(np.reshape(entries, (n, n)))) > 0.5)  # of whole numbers: else it is zero
    plain = solution(n, entries, right)
    scaled = solution(n, [math.ldexp(e, power) for e in entries], [math.ldexp(b, power) for b in right])
    assert scaled == plain
    assert np.reshape(entries, (n, n)) @ plain == pytest.approx(right, abs=1e-9 * (1 + np.abs(plain).max()))
