"""Hessians by symmetric elimination are derivatives of gradients; branches that are not selected do no harm."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.calculus.accumulated_hessians import accumulated_hessian
from symbody.algebra.calculus.accumulation import accumulated_jacobian
from symbody.algebra.calculus.derivatives import gradient, jacobian
from symbody.algebra.calculus.evaluate import evaluate
from symbody.algebra.graph.functions import acos, atan2, exp, log, sqrt, where
from symbody.algebra.graph.graph import ZERO, as_expr, symbols
from symbody.algebra.graph.matrix import matrix
from symbody.algebra.printing.printing import operations
from tests.algebra.expressions import random_expressions, random_solution, random_values


def compared(root, xs, values, accuracy=1e-9):
    got, want = accumulated_hessian(root, xs), jacobian(gradient(root, xs), xs)
    numbers, expected = (np.array(evaluate(h, values), dtype=float) for h in (got, want))
    assert numbers == pytest.approx(expected, rel=accuracy, abs=accuracy * max(1.0, np.abs(expected).max()))
    return numbers


@pytest.mark.parametrize("seed", range(25))
def test_random_expressions(seed):
    """With `where`, absolute values, minima and maxima: the Jacobian of the gradient, and differences of gradients."""
    xs, roots = random_expressions(seed)
    root, values = sum(roots, as_expr(0)), random_values(seed, xs)
    found, step = compared(root, xs, values), 1e-6
    slopes = gradient(root, xs)
    for k, x in enumerate(xs):
        ends = (np.array(evaluate(slopes, values | {x: values[x] + s}), dtype=float) for s in (step, -step))
        late, early = ends
        difference = ((late - early) / (2 * step)).ravel()
        assert found[:, k].ravel() == pytest.approx(difference, rel=1e-5, abs=1e-5 * max(1.0, np.abs(found).max()))


@pytest.mark.parametrize("kind", ["definite", "general"])
def test_through_solves(kind):
    xs, x = random_solution(3, kind)
    compared(sb.sin(x[0]) * x[1] + x[2] * xs[0], xs, random_values(3, xs))


def test_one_unknown_of_a_solve():
    """The others move it, although nothing else depends on them."""
    a, b = symbols("a b")
    x = sb.solve(matrix([[2 + a, b], [b, 3]]), [1, a * b], "definite")
    compared(x[0], [a, b], {a: 0.3, b: 0.7})


def test_both_arguments_are_one():
    x, y = symbols("x y")
    compared(y * x**x, [x, y], {x: 0.6, y: 1.3})


def test_a_table():
    x, y = symbols("x y")
    f = sb.integrate.interpolation("height_of_road", [0, 1, 2, 3], [0, 0.5, 0.1, 0.4], "cubic")
    compared(f(x * y) * y, [x, y], {x: 0.9, y: 1.3})


def test_an_external_function_of_many_arguments():
    xs = symbols([f"x{k}" for k in range(18)])
    slopes = [lambda *a, k=k: a[k] * a[(k + 1) % 18] for k in range(18)]
    f = sb.algebra.ExternalFunction("f", 18, derivatives=slopes)
    H = accumulated_hessian(f(*xs), xs)
    assert [H[k, k] for k in range(18)] == [*xs[1:], xs[0]]


def test_constant_arguments_of_an_external_function_need_no_derivatives():
    x, y = symbols("x y")
    f = sb.algebra.ExternalFunction("f", 2, derivatives=[lambda a, b: a * a * b, None])
    assert accumulated_hessian(y * f(x, 3), [x, y]).entries == (6 * x * y, 3 * x * x, 3 * x * x, ZERO)


def test_expressions_that_are_linear_constant_or_an_input():
    x, y = symbols("x y")
    for e in (3, x, 2 * x - y, symbols("z")[0] * x):
        assert set(accumulated_hessian(e, [x, y]).entries) == {ZERO}
    assert accumulated_hessian(x * y + sb.sin(x), [x, y]).entries[3] is ZERO


def test_symmetric_entries_are_one_node():
    xs, roots = random_expressions(1)
    H = accumulated_hessian(roots[0] * roots[1], xs)
    assert all(H[i, j] is H[j, i] for i in range(4) for j in range(4))


BRANCHES = {
    "root": lambda x: sqrt(x) * x,
    "logarithm": lambda x: x * log(x),
    "quotient": lambda x: 1 / (x + abs(x)),
    "power": lambda x: x**1.5,
    "arc": lambda x: acos(1 + x) * x,
    "angle": lambda x: atan2(x + abs(x), x + abs(x)),
    "growth": lambda x: exp(-1 / (x + abs(x)) ** 2),
    "solution": lambda x: sb.solve(matrix([[x + abs(x), 0], [0, 2]]), [x, 1])[0],
    "inner branch": lambda x: where(x > -1, sqrt(x) * log(x), 1 / (x + abs(x))),
}


@pytest.mark.parametrize("name", BRANCHES)
@pytest.mark.parametrize("at", [0.0, -1e-3, -2.0])
def test_branches_that_are_not_selected(name, at):
    """They have no value there, or infinite slopes; also at the point where the branches meet."""
    x, y = symbols("x y")
    e = sb.sin(y * where(x > 0, BRANCHES[name](x), x**2 * y))
    wanted = sb.sin(y * x**2 * y)
    values = {x: at, y: 0.7}
    got = evaluate(accumulated_hessian(e, [x, y]), values)
    assert np.array(got) == pytest.approx(np.array(evaluate(accumulated_hessian(wanted, [x, y]), values)), rel=1e-13)
    slopes = evaluate(accumulated_jacobian([e], [x, y], fewest_first=True), values)
    assert np.array(slopes) == pytest.approx(np.array(evaluate(jacobian([wanted], [x, y]), values)), rel=1e-13)


def test_an_operation_that_both_branches_need_keeps_its_value():
    x, y = symbols("x y")
    root = sqrt(x)
    e = where(y > 0, root * y, root / y) + where(y > 1, root, 0)
    for v in (2.0, 0.5, -0.5):
        compared(e, [x, y], {x: 0.3, y: v}, 1e-13)


def test_fewer_operations_than_the_jacobian_of_the_gradient():
    """Of what is narrow inside: a function of two sums of eight inputs each."""
    xs = symbols([f"x{k}" for k in range(16)])
    a, b = (sum((sb.sin(x) * math.pi**k for k, x in enumerate(part)), as_expr(0)) for part in (xs[:8], xs[8:]))
    e = sb.sin(a * b) * sqrt(2 + a * a) / (1 + exp(b))
    ours = operations(accumulated_hessian(e, xs))
    assert ours < 0.8 * operations(accumulated_jacobian(gradient(e, xs), xs, fewest_first=True))
    assert ours < 4 * 16 * 17 / 2  # two sums of products for each of the entries
