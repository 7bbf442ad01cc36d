"""Equal is equal: products and simple sums are one node whatever the order, texts do not depend on age, small exact
cases vanish while building."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from fractions import Fraction

import pytest

from symbody.algebra.calculus.evaluate import evaluate
from symbody.algebra.graph.functions import cos, sin, sqrt
from symbody.algebra.graph.graph import ONE, ZERO, Expr, constant, symbol, symbols
from symbody.algebra.graph.linear import factorize, solve
from symbody.algebra.graph.matrix import identity, matrix
from symbody.algebra.graph.walk import evaluation_order, substitute

m, l, g, k = symbols("m l g k")
q, p = symbols("q p", "coordinate")
u = q.dot
FACTORS = [m, l, sin(q), u, cos(q - p)]
TERMS = [m * l, -k, 3 * l**2, sin(q) * u, g * cos(p)]


def grouped(parts: list[Expr], draw: random.Random, product: bool) -> Expr:
    """The parts joined two by two, in an order of chance."""
    parts = list(parts)
    while len(parts) > 1:
        a, b = (parts.pop(draw.randrange(len(parts))) for _ in range(2))
        parts.append(a * b if product else a + b)
    return parts[0]


@pytest.mark.parametrize("seed", range(20))
def test_products_and_sums_in_any_order_are_one_node(seed: int) -> None:
    draw = random.Random(seed)
    for product, parts in ((True, FACTORS), (False, TERMS)):
        size = draw.randrange(2, len(parts) + 1)
        chosen = draw.sample(parts, size)
        first = grouped(chosen, draw, product)
        assert all(grouped(chosen, draw, product) is first for _ in range(10))


def test_products_of_many_factors_are_one_node() -> None:
    many = [*symbols([f"many{i}" for i in range(30)]), sin(q), sin(q), m + l, m + l]
    first = grouped(many, random.Random(0), True)
    assert grouped(many, random.Random(1), True) is first


def test_difference_of_orders_is_zero() -> None:
    for a, b in itertools.permutations([m * l * u, (u * m) * l, l * (u * m)], 2):
        assert a - b is ZERO
    assert (m + l) - g - (l - (g - m)) is ZERO
    assert m * (l * (2 * u)) * Fraction(1, 2) is m * l * u
    assert (2 * m) * (3 * l) is 6 * (m * l)


def test_angles_merge_in_products() -> None:
    s, c, t, d = sin(q), cos(q), sin(p), cos(p)
    assert m * c * c + m * s * s is m
    assert l * (m * c) * (c * u) + s * (u * m) * (l * s) is l * m * u
    assert c * d + s * t is cos(q - p)
    assert c * d - s * t is cos(q + p)
    assert m * s * d * u + m * u * c * t is m * u * sin(q + p)
    assert s * d - c * t is sin(q - p)
    assert (s * t - c * d) is -cos(q + p)


def test_products_keep_what_is_not_equal_apart() -> None:
    assert m * l * u is not m * l * g
    assert m**2 * l is not m * l**2
    assert str(sqrt(m) * l * sqrt(m)) == "l*sqrt(m)**2"  # not m * l, which negative numbers have too
    assert len({id(e) for e in (m * l * g, m * l * k, m * g * k, l * g * k)}) == 4


@pytest.mark.parametrize("rows", [[[1, 0], [0, 1]], [[2, 0], [3, 4]], [[1, -1], [0, Fraction(1, 2)]]])
@pytest.mark.parametrize("transposed", [False, True])
def test_triangular_systems_of_numbers_are_solved_while_building(rows: list[list[int]], transposed: bool) -> None:
    """A x = b holds exactly, and no solve is left; also where the numbers come in later."""
    a = matrix(rows)
    x = factorize(a).solve([m, u], transposed)
    assert (a.T if transposed else a) @ x == matrix([[m], [u]])
    letters = matrix([symbols("w0 w1"), symbols("w2 w3")])
    later = factorize(letters).solve([m, u], transposed)
    assert any(n.op == "solve" for n in evaluation_order(later.entries))
    assert substitute(later, dict(zip(letters.entries, a.entries, strict=True))) == x


def test_other_systems_stay_solves() -> None:
    for a in (matrix([[1, 2], [3, 4]]), matrix([[0, 0], [1, 1]]), identity(2) * m):
        assert solve(a, [u, l])[0].op in ("item", "div")


SCRIPT = """
from symbody import symbols, sin, cos
{before}
m, l, g = symbols("m l g")
(q,) = symbols("q", "coordinate")
print(m*g*l*sin(q) + l*q.dot*m*cos(q)*q.dot, q.dot*(m + l)*sin(q), -l*g + m)
"""


@pytest.mark.parametrize("before", ["", "kept = symbols('l g m')", "a, b = symbols('l m'); kept = [a*b, a + b]"])
def test_texts_do_not_depend_on_age(before: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(before=before)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "m*g*l*sin(q) + m*l*cos(q)*q_dot**2 (m + l)*sin(q)*q_dot m - g*l"


def test_numbers_do_not_get_lost() -> None:
    assert constant(2) * (m * (Fraction(1, 2) * l)) is m * l
    assert ONE * m * l is m * l


def test_symbols_of_other_kinds_are_other_factors() -> None:
    assert symbol("m", "coordinate") * l * g is not m * l * g


def test_floats_are_not_gathered_from_far_apart() -> None:
    """0.1 + 0.2 - 0.3 is a rounding error; next to nothing it would look like a number of its own."""
    x = (m + 0.1) - ((l + 0.3) - (g + 0.2))
    assert not any(n.op == "const" and isinstance(n.data, float) and abs(n.data) < 1e-10 for n in evaluation_order([x]))


@pytest.mark.parametrize("seed", range(30))
def test_angles_of_any_sums_end(seed: int) -> None:
    """sin and cos of sums of sums of any grouping: no rule undoes what another did, and the value stays."""
    draw = random.Random(seed)
    parts: list[Expr] = [q, p, m, 2 * l, symbol("w", "coordinate")]
    for _ in range(12):
        x, y = draw.sample(parts, 2)
        parts.append(draw.choice([x + y, x - y, x - 2 * y, -x]))
    e = sum((draw.choice([sin, cos])(a - b) for a, b in zip(parts, reversed(parts), strict=True)), ZERO)
    values = {s: draw.uniform(0.1, 1) for s in (q, p, m, l, symbol("w", "coordinate"))}
    assert evaluate(substitute(e, {m: m + 0}), values) == pytest.approx(evaluate(e, values), rel=1e-12, abs=1e-12)
