"""Jacobians by elimination are Jacobians, in whatever order; and the order of elimination depends on the expressions
alone."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from symbody.algebra.calculus.accumulation import Stage, accumulated_jacobian
from symbody.algebra.calculus.derivatives import jacobian
from symbody.algebra.calculus.evaluate import evaluate
from symbody.algebra.graph.functions import cos, sin, sqrt, where
from symbody.algebra.graph.graph import ZERO, symbols
from symbody.algebra.graph.walk import evaluation_order
from symbody.algebra.printing.printing import operations
from tests.algebra.expressions import random_expressions, random_solution, random_values


@pytest.mark.parametrize("seed", range(30))
def test_any_order_gives_the_jacobian(seed):
    xs, roots = random_expressions(seed)
    values = random_values(seed, xs)
    nodes = evaluation_order(roots)
    random.Random(seed).shuffle(nodes)
    stages = [Stage(nodes[k::3], is_reverse=bool((seed + k) % 2)) for k in range(3)]
    expected = evaluate(jacobian(roots, xs), values)
    for order in ((), stages):
        for got, want in zip(evaluate(accumulated_jacobian(roots, xs, order), values), expected, strict=True):
            assert got == pytest.approx(want, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", ["definite", "general"])
def test_through_solves(kind):
    xs, x = random_solution(3, kind)
    values = random_values(3, xs)
    roots = [sin(x[0]) * x[1], x[2] + xs[0]]
    for got, want in zip(
        evaluate(accumulated_jacobian(roots, xs), values), evaluate(jacobian(roots, xs), values), strict=True
    ):
        assert got == pytest.approx(want, rel=1e-9)


def test_held_symbols_take_values_but_do_not_vary():
    x, y, h = symbols("x y h")
    e = [h * sin(x) + h * y, where(h < 0, x, x * h)]
    got = accumulated_jacobian(e, [x, y], held={h: x * y})
    assert evaluate(got, {x: 0.3, y: 2.0}) == [
        pytest.approx(v) for v in ([0.6 * evaluate(cos(x), {x: 0.3}), 0.6], [0.6, 0.0])
    ]


def test_the_branch_that_is_not_taken_does_no_harm():
    x = symbols("x")[0]
    slope = accumulated_jacobian([2 * where(0 < x, sqrt(x), x)], [x])[0, 0]
    assert evaluate(slope, {x: -4.0}) == 2.0


def test_zeros_are_known():
    x, y = symbols("x y")
    assert accumulated_jacobian([sin(x), x - x + y, 3], [x, y]).entries[1:3] == (ZERO, ZERO)


def test_reverse_in_the_middle_costs_no_more():
    """Two numbers carry everything between many inputs and many outputs; equal products of slopes are one node in
    either order."""
    xs, ys = symbols([f"x{k}" for k in range(8)]), symbols([f"y{k}" for k in range(8)])
    narrow = [
        sum(sin(x) * y for x, y in zip(xs, ys, strict=True)),
        sum(cos(x) * y for x, y in zip(xs, ys, strict=True)),
    ]
    wide = [sin(narrow[0] + y) * cos(narrow[1] - y) for y in ys]
    stages = [Stage([n for n in evaluation_order(wide) if n not in set(narrow)])]
    assert operations(accumulated_jacobian(wide, xs, stages)) <= operations(jacobian(wide, xs)) < 320


SCRIPT = """
from symbody import program, symbols, sin, cos
from symbody.algebra.calculus.accumulation import accumulated_jacobian
{before}
a, b, c, d = symbols("a b c d")
e = (a + b * c) * (sin(a) * cos(b) + d) + (c * d + sin(a)) * (b + d) + (a * d) * (b * c)
f = sin(e * a) + cos(e * b) * e + (c * d) * (e + sin(a) * cos(b))
print(program("f", {{"x": [a, b, c, d]}}, {{"J": accumulated_jacobian([e, f, e * f], [a, b, c, d])}}).digest)
"""


def digest(before: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(before=before)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_same_code_whatever_came_before():
    plain = digest("")
    assert digest("d, c = symbols('d c'); kept = [sin(d), c * d, d + c, cos(symbols('b')[0])]") == plain
