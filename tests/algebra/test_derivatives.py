"""Derivatives against the complex step, against each other, and their cost."""

from __future__ import annotations

import pytest

from symbody.algebra.calculus.derivatives import (
    derivative,
    directional_derivative,
    gradient,
    jacobian,
    sparsity,
    time_derivative,
)
from symbody.algebra.calculus.evaluate import evaluate
from symbody.algebra.graph.functions import ExternalFunction, cos, sin, where
from symbody.algebra.graph.graph import ONE, ZERO, symbol, symbols
from symbody.algebra.graph.linear import factorize
from symbody.algebra.graph.matrix import matrix
from symbody.algebra.graph.walk import evaluation_order
from symbody.emit.lowering.lower import program
from symbody.errors import ExpressionError
from tests.algebra.expressions import random_expressions, random_solution, random_values

STEP = 1e-30


def complex_step(e, values, x):
    return evaluate(e, {**values, x: values[x] + STEP * 1j}).imag / STEP


def assert_close(a, b, scale=1.0):
    assert abs(a - b) <= 1e-11 * max(scale, abs(a), abs(b)), (a, b)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_jacobian_is_the_complex_step(seed, mode):
    xs, roots = random_expressions(seed)
    values = random_values(seed, xs)
    rows = evaluate(jacobian(roots, xs, mode), values)
    for row, e in zip(rows, roots, strict=True):
        for d, x in zip(row, xs, strict=True):
            assert_close(d, complex_step(e, values, x))


@pytest.mark.parametrize("kind", ["definite", "indefinite", "general"])
@pytest.mark.parametrize("seed", range(8))
def test_derivatives_through_solves(kind, seed):
    xs, solution = random_solution(seed, kind)
    values = random_values(seed, xs)
    e = solution[0] * solution[1] + sin(solution[2])
    exact = [complex_step(e, values, x) for x in xs]
    for found in (evaluate(gradient(e, xs), values), evaluate(jacobian([e], xs, "forward"), values)[0]):
        for a, b in zip(found, exact, strict=True):
            assert_close(a, b)


@pytest.mark.parametrize("transposed", [False, True])
def test_derivatives_of_transposed_solves(transposed):
    x, y = symbols("x y")
    a = matrix([[3 + x, y, x * y], [sin(x), 2, y], [1, x, 4 + y]])
    e = factorize(a).solve([x, 1, y], transposed).dot([1, 2, x])
    values = {x: 0.4, y: 0.9}
    for found in (evaluate(gradient(e, [x, y]), values), evaluate(jacobian([e], [x, y], "forward"), values)[0]):
        for d, s in zip(found, (x, y), strict=True):
            assert_close(d, complex_step(e, values, s))


@pytest.mark.parametrize("seed", range(10))
def test_second_derivatives_are_symmetric_whichever_way(seed):
    xs, solution = random_solution(seed, "indefinite", 3)
    values = random_values(seed, xs)
    g = gradient(solution[0] * solution[2], xs)
    one, other = (evaluate(jacobian(g, xs, mode), values) for mode in ("forward", "reverse"))
    for i in range(len(xs)):
        for j in range(len(xs)):
            assert_close(one[i][j], one[j][i])
            assert_close(one[i][j], other[i][j])


def test_factors_are_reused():
    x, y = symbols("x y")
    a = matrix([[3 + x, y, 1], [sin(x), 2, y], [1, x, 4 + y]])
    solution = factorize(a).solve([x, 1, y])
    everything = evaluation_order([*solution, *jacobian(solution, [x, y]).entries])
    assert sum(n.op == "factor" for n in everything) == 1
    assert sum(n.op == "solve" for n in everything) == 3


def test_gradient_costs_at_most_five_times_its_function():
    xs, roots = random_expressions(3, n_symbols=30, n_nodes=2000)
    total = sum(roots[1:], roots[0])
    for x in xs:
        total = total + sin(x) * x
    one = program("f", {"x": xs}, {"y": total}).cost.total
    both = program("g", {"x": xs}, {"y": total, "g": gradient(total, xs)}).cost.total
    assert both <= 5 * one


def test_jacobian_knows_its_zeros():
    xs = symbols("a b c d e")
    chain = [xs[i] * xs[i + 1] for i in range(4)]
    assert sparsity(jacobian(chain, xs)) == [(i, j) for i in range(4) for j in (i, i + 1)]
    assert jacobian(chain, xs, "reverse") == jacobian(chain, xs, "forward")


def test_time_derivative_with_something_else_than_rates():
    q = symbol("q", "coordinate")
    with pytest.raises(ExpressionError, match="rates= maps symbols to their time derivatives, got"):
        time_derivative(sin(q), [q])  # type: ignore[arg-type]


def test_time_derivative_by_the_table_of_rates():
    q, m = symbol("q", "coordinate"), symbol("m")
    u, t = symbol("u", "speed"), symbol("t", "time")
    assert time_derivative(m * sin(q)) is m * (cos(q) * q.dot)
    assert time_derivative(sin(q), {q: 2 * u}) is cos(q) * (2 * u)
    assert time_derivative(m * t) is m
    assert time_derivative(q.dot) is q.dot.dot
    assert (q.dot.kind, q.dot.dot.kind, u.dot.kind) == ("speed", "acceleration", "acceleration")
    assert time_derivative(m) is ZERO


def test_directional_derivative():
    x, y = symbols("x y")
    assert directional_derivative(x * y, {x: y, y: x}) is y * y + x * x
    assert derivative(matrix([[x, x * y]]), x) == matrix([[1, y]])


def test_external_function_needs_its_derivative():
    x = symbol("x")
    f = ExternalFunction("f", 1)
    with pytest.raises(ExpressionError, match=r"'f'.*argument 1.*derivatives="):
        derivative(f(x), x)
    df = ExternalFunction("df", 1, derivatives=[lambda a: -sin(a)], python=lambda a: a)
    g = ExternalFunction("g", 1, derivatives=[df])
    assert derivative(g(x), x) is df(x)
    assert derivative(derivative(g(x), x), x) is -sin(x)


def test_bad_requests():
    x = symbol("x")
    with pytest.raises(ExpressionError, match="respect to symbols"):
        derivative(x, 3)  # type: ignore[arg-type]
    with pytest.raises(ExpressionError, match="twice"):
        jacobian([x], [x, x])
    with pytest.raises(ExpressionError, match="no mode 'sideways'"):
        jacobian([x], [x], "sideways")


def test_branches_of_where_are_differentiated_apart():
    x = symbol("x")
    d = derivative(where(x < 1, x**2, 3 * x), x)
    assert evaluate(d, {x: 0.5}) == 1.0
    assert evaluate(d, {x: 2.0}) == 3.0
    assert derivative(x, x) is ONE
