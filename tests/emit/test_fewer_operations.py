"""Passes that shorten programs: values stay what they were, and no program gets longer."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph.graph import Expr, symbols
from symbody.algebra.graph.walk import evaluation_order
from symbody.emit.lowering.common_factors import with_common_factors
from symbody.emit.lowering.constant_factors import with_shared_constant_factors
from symbody.emit.lowering.lower import program
from symbody.emit.lowering.reciprocals import without_single_reciprocals
from symbody.emit.lowering.shared_products import with_shared_products
from symbody.emit.lowering.signs import with_fewest_negations
from symbody.emit.programs.program import Group, Instruction, Output, Program

OPERATIONS = ("add", "sub", "mul", "add", "sub", "mul", "neg", "div", "sin", "cos", "sqrt", "abs")


def random_program(seed: int, length: int = 60) -> Program:
    """Instructions on what came before, some of it used often; the last few values are outputs."""
    draw = random.Random(seed)
    x = symbols("x0 x1 x2 x3")
    group = program("g", {"x": list(x)}, {"y": sum(x[1:], x[0])}).inputs
    code = [Instruction("input", (), (0, k)) for k in range(4)]
    code += [Instruction("const", (), c) for c in (0.5, -1.5, 1.0)]
    for _ in range(length):
        op = draw.choice(OPERATIONS)
        count = 2 if op in ("add", "sub", "mul", "div") else 1
        code.append(Instruction(op, tuple(draw.randrange(max(0, len(code) - 12), len(code)) for _ in range(count))))
    return without_dead(group, code, tuple(len(code) - 1 - k for k in range(3)))


def without_dead(group: tuple[Group, ...], code: list[Instruction], outputs: tuple[int, ...]) -> Program:
    needed: set[int] = set()
    waiting = list(outputs)
    while waiting:
        k = waiting.pop()
        if k not in needed:
            needed.add(k)
            waiting += code[k].args
    number = {k: at for at, k in enumerate(sorted(needed))}
    kept = tuple(code[k]._replace(args=tuple(number[a] for a in code[k].args)) for k in sorted(needed))
    values = tuple(number[v] for v in outputs)
    return Program("random", group, (Output("y", (3,), values, ((0,), (1,), (2,))),), kept)


def computed(p: Program, x: list[float]) -> list[float]:
    functions: dict[str, Callable[[float], float]] = {
        "sin": math.sin,
        "cos": math.cos,
        "sqrt": lambda v: math.sqrt(abs(v)),
        "abs": abs,
    }
    v: list[float] = []
    for i in p.code:
        a = [v[k] for k in i.args]
        match i.op:
            case "input":
                v.append(x[i.data[1]])
            case "const":
                v.append(i.data)
            case "add":
                v.append(a[0] + a[1])
            case "sub":
                v.append(a[0] - a[1])
            case "mul":
                v.append(a[0] * a[1])
            case "div":
                v.append(a[0] / a[1] if a[1] else math.nan)
            case "neg":
                v.append(-a[0])
            case _:
                v.append(functions[i.op](a[0]) if math.isfinite(a[0]) else math.nan)
    return [v[k] for k in p.outputs[0].values]


@pytest.mark.parametrize("seed", range(40))
def test_signs_leave_every_bit(seed: int) -> None:
    p = random_program(seed)
    q = with_fewest_negations(p)
    assert q.cost.total <= p.cost.total
    x = [0.3, -1.1, 0.7, 2.3]
    assert np.array_equal(computed(q, x), computed(p, x), equal_nan=True)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("step", [with_common_factors, with_shared_constant_factors, without_single_reciprocals])
def test_values_agree_to_rounding(seed: int, step) -> None:
    p = random_program(seed)
    q = step(p)
    assert q.cost.total <= p.cost.total
    x = [0.3, -1.1, 0.7, 2.3]
    expected = computed(p, x)
    if np.all(np.abs(expected) < 1e6):  # no differences of huge numbers
        assert np.allclose(computed(q, x), expected, rtol=1e-8, atol=1e-8)


def cost(**outputs: Expr) -> sb.emit.Cost:
    inputs = sorted({s for e in outputs.values() for s in sb.free_symbols(e)}, key=lambda s: s.name)
    return program("counted", {"x": inputs}, outputs).cost


def test_a_difference_is_computed_once() -> None:
    a, b, c, d, x, y = symbols("a b c d x y")
    assert cost(e=sb.sin(x) + c * (a - b), f=sb.sin(y) + d * (b - a)).additions == 3


def test_negations_go_where_they_cost_nothing() -> None:
    """-(2 x + 3 y), of which the sum itself is needed too: a constant turns over."""
    (group,) = program("g", {"x": list(symbols("x y"))}, {"e": symbols("x")[0]}).inputs
    code = (
        Instruction("input", (), (0, 0)), Instruction("input", (), (0, 1)),
        Instruction("const", (), 2.0), Instruction("const", (), 3.0),
        Instruction("mul", (2, 0)), Instruction("mul", (3, 1)), Instruction("add", (4, 5)),
        Instruction("neg", (6,)), Instruction("add", (6, 1)),
    )  # fmt: skip
    p = Program("p", (group,), (Output("e", (2,), (7, 8), ((0,), (1,))),), code)
    q = with_fewest_negations(p)
    assert (p.cost.total, q.cost.total) == (5, 4)
    assert computed(q, [0.3, 0.7]) == computed(p, [0.3, 0.7])


def test_common_factors() -> None:
    a, b, c, x = symbols("a b c x")
    assert cost(e=a * x + sb.sin(c) + b * x).multiplications == 1


def test_a_pivot_that_is_used_once_is_a_division() -> None:
    a, b, c, x, y = symbols("a b c x y")
    found = cost(e=sb.solve(sb.matrix([[a, b], [b, c]]), [x, y], "definite")[1])
    assert (found.divisions, found.multiplications, found.additions) == (2, 2, 2)


def test_lennartsson_6_2() -> None:
    """Maple takes 7 multiplications, 6 with `tryhard`; by hand it takes 5."""
    x1, x2, mu = symbols("x1 x2 mu")
    found = cost(x1t=-x1 * x2 * sb.sin(x2) * mu + sb.sin(x1) * sb.cos(x2), x2t=-sb.sin(x2) * x1 * x2 * sb.cos(x2) - x2)
    assert found.multiplications <= 5


def test_constants_go_into_what_products_share() -> None:
    """9.81 s a and 9.81 s b, and other multiples of s a and s b: (9.81 s) a. Twice x y and twice x z less something: (2
    x) y."""
    s, a, b, x, y, z, v, w = symbols("s a b x y z v w")
    weights = {
        "e": 9.81 * (s * a) + v,
        "f": 9.81 * (s * b) + w,
        "g": sb.sin(v) + 3 * (s * a),
        "h": sb.sin(w) + 5 * (s * b),
    }
    assert cost(**weights).multiplications == 5
    assert cost(e=x * y + (x * y - v), f=x * z + (x * z - w)).total == 5


def test_a_product_with_a_constant_of_both_signs() -> None:
    """c (a b), -c (a b) and c (a d): one size of constant, into which the product goes once."""
    made = program("g", {"x": list(symbols("a b d"))}, {"e": list(symbols("a b d"))})
    inputs = made.code
    code = (
        *inputs, Instruction("const", (), 2.5), Instruction("const", (), -2.5), Instruction("mul", (0, 1)), Instruction("mul", (0, 2)),
        Instruction("mul", (3, 5)), Instruction("mul", (4, 5)), Instruction("mul", (3, 6)),
    )  # fmt: skip
    p = replace(made, code=code, outputs=(replace(made.outputs[0], values=(7, 8, 9)),))
    q = with_shared_constant_factors(p)
    assert q.cost.total < p.cost.total
    assert computed(q, [0.3, -1.1, 0.7]) == pytest.approx([2.5 * -0.33, 2.5 * 0.33, 2.5 * 0.21])


def test_factors_that_share_a_key_are_paired_once() -> None:
    """Two different sums of the same factors, in products that were written in different orders."""
    q1, q2, delta = (sb.symbol(n, "coordinate") for n in ("q1", "q2", "delta"))
    u, v, w = symbols("u v w")
    a, b, tilt = sb.cos(q2) * sb.sin(q1), sb.cos(q1) * sb.sin(q2), sb.sin(sb.symbol("sigma") + delta)
    one, other = a + b * tilt, b + a * tilt
    assert one is not other
    for seed in range(300):
        draw, products = random.Random(seed), []
        for _ in range(3):
            factors = [one, other, *draw.choices([u, v, w], k=draw.randint(1, 2))]
            draw.shuffle(factors)
            products.append(math.prod(factors[1:], start=factors[0]))
        new = with_shared_products(evaluation_order(products), set(products))
        values = {s: 0.3 + 0.1 * k for k, s in enumerate(sorted(sb.free_symbols(products), key=lambda s: s.name))}
        for p in products:
            assert sb.evaluate(new[p], values) == pytest.approx(sb.evaluate(p, values), rel=1e-13)
