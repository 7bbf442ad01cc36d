"""Substitution never makes a number of what has none: poles stay poles, and where there is a value it is that of
mpmath."""

import random
from collections.abc import Callable
from typing import Any

import mpmath
import pytest

import symbody as sb
from symbody.algebra.graph.graph import PI, Expr, symbol
from symbody.errors import ExpressionError

X = symbol("x")
ONE_ARGUMENT = "sqrt exp log sin cos tan asin acos atan sinh cosh tanh".split()
PAIRS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a * b,  # twice as often: zero times a pole is the case
    lambda a, b: a / b,
]
PLACES = "0 1 -1 2 pi pi/2 -pi/2 3*pi/2".split()  # where functions have zeros and poles, as exact numbers


def exact(place: str, pi: Any) -> Any:
    """A place on any arithmetic."""
    return eval(place, {"pi": pi})


def random_tree(rng: random.Random, depth: int) -> Callable[[Any, Any], Any]:
    """The same expression of x on any arithmetic: f(x, functions)."""
    if depth == 0:
        c = rng.choice([None, None, None, 1, 2])
        return (lambda x, f: x) if c is None else (lambda x, f: c)
    if rng.random() < 0.5:
        name, inner = rng.choice(ONE_ARGUMENT), random_tree(rng, depth - 1)
        return lambda x, f: getattr(f, name)(inner(x, f))
    op, a, b = rng.choice(PAIRS), random_tree(rng, depth - 1), random_tree(rng, depth - 1)
    return lambda x, f: op(a(x, f), b(x, f))


def near(tree: Callable[[Any, Any], Any], place: str, step: str) -> Any:
    """The value beside a place, at 60 digits; None where there is no real one."""
    with mpmath.workdps(60):
        at = exact(place, +mpmath.pi)
        try:
            value = tree(at + mpmath.mpf(step), mpmath)
        except ZeroDivisionError:
            return None
        return value if isinstance(value, (int, mpmath.mpf)) and mpmath.isfinite(value) else None


def limits(tree: Callable[[Any, Any], Any], place: str) -> list[Any]:
    """What the expression tends to from either side: a number, infinity at a pole; sides on which it settles to neither
    are left out."""
    found = []
    for sign in ("", "-"):
        far, close = near(tree, place, f"{sign}1e-20"), near(tree, place, f"{sign}1e-25")
        if far is None or close is None:
            continue
        if abs(close - far) <= mpmath.mpf("1e-8") * (1 + abs(close)):
            found.append(close)
        elif abs(close) > 2 * abs(far) > mpmath.mpf("1e8"):
            found.append(mpmath.inf)
    return found


@pytest.mark.parametrize("place", PLACES)
def test_a_number_after_substitution_is_a_limit(place: str) -> None:
    """Either the substitution is refused, or what comes out is the limit from one side; at a pole it is refused."""
    rng = random.Random(place)
    compared = 0
    for _ in range(400):
        tree = random_tree(rng, 3)
        try:
            made = tree(X, sb)
            number = (
                sb.evaluate(sb.substitute(made, {X: exact(place, PI)}), digits=60) if isinstance(made, Expr) else made
            )
        except (ExpressionError, sb.errors.EvaluationError):
            continue
        expected = limits(tree, place)
        if (
            not expected or not isinstance(number, mpmath.mpf) or abs(number) > 1e6
        ):  # towers of exponentials are no poles
            continue
        assert any(abs(v - number) <= mpmath.mpf("1e-6") * (1 + abs(number)) for v in expected), (
            made,
            number,
            expected,
        )
        compared += 1
    assert compared > 100


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("cos(x) * tan(x)", "pi/2"), ("cos(x) * tan(3 * x)", "pi/2"), ("(x - pi / 2) * tan(x)", "pi/2"), ("x * log(x)", "0"),
        ("x * asin(2 + x)", "0"), ("x * acos(x - 2)", "0"), ("x / x ** 3", "0"), ("sin(x) * log(sin(x))", "pi"),
    ],
)  # fmt: skip
def test_zero_times_what_has_no_value_is_refused(text: str, at: str) -> None:
    made = eval(text, {**{f: getattr(sb, f) for f in ONE_ARGUMENT}, "pi": PI, "x": X})
    with pytest.raises(ExpressionError, match=r"no real value|no value|constant zero"):
        sb.substitute(made, {X: exact(at, PI)})


def test_branches_that_are_not_taken_may_have_no_value() -> None:
    """As `evaluate` has it, whichever side is asked for."""
    inverse = sb.where(X > 0, 1 / X, 0)
    root = sb.where(X < 0, 0, sb.sqrt(X)) + sb.where(X > 0, sb.log(X), X)
    assert sb.substitute(inverse, {X: 0}).value == sb.evaluate(inverse, {X: 0}) == 0
    assert sb.substitute(root, {X: -4}).value == sb.evaluate(root, {X: -4}) == -4
    y = symbol("y")
    with pytest.raises(ExpressionError, match="constant zero"):
        sb.substitute(sb.where(y > 0, 1 / X, 0), {X: 0})
