"""Iterations of which the last steps alone are differentiated."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.calculus.derivatives import derivative
from symbody.algebra.calculus.evaluate import evaluate
from symbody.algebra.calculus.jets import directional_forms
from symbody.algebra.calculus.rounding import rounding, rounding_expressions
from symbody.algebra.graph.functions import settled_iterate
from symbody.algebra.graph.graph import Expr, constant, symbols
from symbody.algebra.printing.printing import operations, text
from symbody.bodies import WrapCylinder
from symbody.bodies.paths import two_cylinders

q = symbols("q")[0]


def root(steps: int, differentiated: int) -> Expr:
    """√q by Newton's method."""
    x: Expr = 1 + 0 * q
    for k in range(steps):
        if k == steps - differentiated:
            x = settled_iterate(x)
        x = (x + q / x) / 2
    return x


@pytest.mark.parametrize("steps", [1, 2])
def test_derivatives_of_the_zero(steps):
    """Those up to order 2ⁿ - 1 are exact, the next one is not."""
    e, values = root(8, steps), {q: 1.7}
    slope = 1.7**0.5
    assert evaluate(e, values) == pytest.approx(slope, rel=1e-15)
    for order in range(1, 2**steps + 1):
        e, slope = derivative(e, q), slope * (1.5 - order) / 1.7
        assert (evaluate(e, values) == pytest.approx(slope, rel=1e-12)) == (order < 2**steps)


def test_fewer_operations():
    whole, last = (operations(derivative(root(8, n), q)) for n in (8, 2))
    assert last < whole / 2


def test_what_it_is_elsewhere():
    x = settled_iterate(q * q)
    assert evaluate(sb.sin(x), {q: 2.0}) == pytest.approx(np.sin(4))
    assert sb.substitute(x, {q: 3}) is constant(9)
    assert sb.substitute(x, {q: q + 1}).op == "settled"
    assert text(x + 1) == text(q * q + 1)
    assert sb.to_sympy(x) == sb.to_sympy(q * q)
    assert sb.program("f", {"q": q}, {"x": x}).code == sb.program("f", {"q": q}, {"x": q * q}).code
    assert rounding([x], {q: 2.0}) == rounding([q * q], {q: 2.0})
    bounds = rounding_expressions([x, q * q], {q: q})
    assert bounds is not None
    assert bounds[0] is bounds[1]
    assert directional_forms([x], {q: 2.0}, [{q: 1.0}, {q: 1.0}])[0] == 2


def test_a_path_over_two_cylinders(monkeypatch):
    """Second derivatives of its length and of its slope are those through all iterations."""

    def second(last: int) -> list[float]:
        monkeypatch.setattr(two_cylinders, "DIFFERENTIATED", last)
        m = sb.Model("knee")
        a, b = m.coordinates("a b")
        shank = m.ground.rotate("z", a).rotate("y", b)
        below = shank.translate(0, -0.065, 0)
        over = WrapCylinder(m.ground, 0.025), WrapCylinder(below, 0.055, beside=below.point(-1, 0, 0))
        path = m.path("gastrocnemius", [m.ground.point(0.01, 0.04, 0), *over, shank.point(-0.03, -0.4, 0.02)])
        things = [path.length, sb.derivative(path.rate, a.dot)]
        H = [sb.algebra.accumulated_hessian(e, [a, b]) for e in things]
        return [float(v) for h in H for v in np.ravel(evaluate(h, {a: -0.3, b: 0.2}))]

    assert second(2) == pytest.approx(second(two_cylinders.ITERATIONS), rel=1e-9, abs=1e-10)
