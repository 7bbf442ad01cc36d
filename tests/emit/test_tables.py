"""Programs as tables that one loop runs: what machine code of their instructions gives, to the last digit."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from examples import bicycle, four_bars
from symbody.algebra.calculus.rounding import rounding
from symbody.algebra.graph.functions import ExternalFunction
from symbody.algebra.graph.linear import factorize
from symbody.algebra.graph.matrix import Matrix
from symbody.emit.loops.table_kernels import KINDS, run_tables
from symbody.emit.lowering.fused_products import with_fused_products
from symbody.emit.lowering.lower import program
from symbody.emit.programs import program_tables as tables
from symbody.emit.run.callable import compile_program
from symbody.emit.run.rounding_in_tables import TabulatedRounding
from symbody.emit.run.tables_in_memory import TablesInMemory


def expressions_of_every_kind():
    """Every operation that tables know."""
    x, y, z = sb.symbols("x y z")
    terms: list[sb.Expr] = [x]
    for k in range(6):
        a, b = terms[-1] + k * y, y * z - x * x
        terms += [
            sb.sin(a) * sb.cos(b), sb.sqrt(abs(a) + 1) / (2 + b * b), sb.where(a < b, a, -b), sb.sin(b) - a * y,
            sb.minimum(a, b * y) + sb.maximum(x, b), sb.where((a <= y) & ~(b < z) | (x < y), sb.sign(a), a * b),
        ]  # fmt: skip
    s = y / (1 + abs(y)) - 0.3 * sb.sin(x)
    terms += [
        sb.tan(x), sb.asin(s), sb.acos(s), sb.atan(y), sb.sinh(s), sb.cosh(s), sb.tanh(z), sb.exp(s), sb.log(1 + abs(z)),
        sb.atan2(y, z), *((1 + abs(z)) ** e for e in (s, 0.5, 1.5, 2.5, 1 / 3, -0.5, -2.7, sb.fraction(1, 4))),
    ]  # fmt: skip
    return terms


def every_kind():
    """A long program with all of them."""
    (x, y, z), terms = sb.symbols("x y z"), expressions_of_every_kind()
    return program("kinds", {"x": x, "v": [y, z]}, {"all": terms, "last": terms[-1] * 1e9, "fixed": [2, x]})


def splines():
    spline = sb.integrate.interpolation("spline", [0.0, 1.0, 2.0], [0.0, 1.0, 4.0])
    x = sb.symbols(" ".join(f"x{k}" for k in range(20)))
    return program("splines", {"x": list(x)}, {"y": [spline(abs(e)) * sb.derivative(spline(e), e) for e in x]})


def accelerations(model):
    return sb.compile(sb.derive(model, check=False)).udot.program


PROGRAMS = {
    "kinds": every_kind,
    "functions by their addresses": splines,
    "bicycle": lambda: accelerations(bicycle.model()),
    "loops": lambda: accelerations(four_bars.model(3)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_tables_give_the_numbers_of_machine_code_to_the_last_digit(name):
    p = PROGRAMS[name]()
    assert tables.is_tabulated(p)
    quick, full = compile_program(p, cache=False, is_quick=True), compile_program(p, cache=False)
    assert quick.is_quick
    random = np.random.default_rng(5)
    for size in (1.0, 1.0, 1e3, 1e7):  # the last: angles that are left to the library
        groups = [random.uniform(-size, size, len(g)) for g in p.inputs]
        given = [x[0] if g.is_scalar else x for g, x in zip(p.inputs, groups, strict=True)]
        for one, other in zip(
            *(np.atleast_1d(f(*given)) if len(p.outputs) == 1 else f(*given) for f in (quick, full)), strict=True
        ):
            assert np.array_equal(one, other, equal_nan=True)


def test_the_loop_runs_as_it_stands():
    """In Python, without contraction: the same to rounding."""
    p = every_kind()
    made = tables.program_tables(p)
    assert {name for name, k in KINDS.items() if k in made.kinds} >= {
        "sin", "cos", "where", "sign", "min", "max", "lt", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "atan2", "pow",
    }  # fmt: skip
    given = [0.3, -1.2, 0.7]
    w = [*made.constants, *given, *[0.0] * (made.size - made.first)]
    run_tables(len(made.kinds), made.first, made.kinds, made.stops, *made.arguments, w)
    expected = compile_program(p, cache=False)(given[0], given[1:])
    for places, numbers in zip(made.outputs, expected, strict=True):
        assert np.allclose([w[at] for at in places], numbers, rtol=1e-12, atol=1e-12)


def test_instructions_of_a_kind_are_run_together():
    """Of 40 equal parts, as of one."""
    runs = [len(tables.program_tables(_parts(n)).kinds) for n in (1, 40)]
    assert runs[0] == runs[1] < 8


def _parts(n):
    x = [sb.symbol(f"x{k}") for k in range(n)]
    return program("parts", {"x": x}, {"y": [sb.sin(e) * e / (1 + sb.cos(e) * e) for e in x]})


def test_products_are_fused_where_they_are_used_once():
    a, b, c, d = sb.symbols("a b c d")
    shared = a * c
    p = program("sums", {"x": [a, b, c, d]}, {"y": [a * b + c * d, c - b * d, a * d - b, shared + b, shared]})
    made = with_fused_products(p)
    ops = [i.op for i in made.code]
    assert (ops.count("fma"), ops.count("fms"), ops.count("fnma")) == (1, 1, 1)
    assert ops.count("mul") == 2  # c d, which is added to a b, and the product that is asked for
    x = np.array([1.1, 2.3, -0.7, 0.9])
    assert np.allclose(
        compile_program(p, cache=False)(x), [1.1 * 2.3 - 0.63, -0.7 - 2.07, 0.99 - 2.3, -0.77 + 2.3, -0.77]
    )


def test_programs_that_tables_cannot_hold_are_compiled():
    """Linear systems in loops, and functions of others of several numbers."""
    far = ExternalFunction("far", 2, python=np.hypot)
    x = sb.symbols(" ".join(f"x{k}" for k in range(60)))
    A = Matrix(6, 6, tuple(x[(7 * i + j) % 60] + (9 if i == j else 0) for i in range(6) for j in range(6)))
    for y in (factorize(A, "general").solve(list(x[:6])).entries, [far(e, e) * e for e in x]):
        p = program("f", {"x": list(x)}, {"y": list(y)})
        assert not tables.is_tabulated(p)
        quick, full = compile_program(p, cache=False, is_quick=True), compile_program(p, cache=False)
        at = np.linspace(0.1, 0.9, 60)
        assert np.array_equal(quick(at), full(at))


def test_rounding_bounds_from_tables_are_those_of_the_nodes():
    """At 1e-4 of their size: differences take another step where products and sums are one operation."""
    p = every_kind()
    random = np.random.default_rng(3)
    x, v = random.uniform(-1, 1, 1), random.uniform(-1, 1, 2)
    values = dict(zip(sb.symbols("x y z"), (*x, *v), strict=True))
    found = TabulatedRounding(TablesInMemory.of(p, "separate")).bounds((x, v), (abs(x), abs(v)))[0]
    expected = rounding(expressions_of_every_kind(), values)
    assert np.allclose(found, expected, rtol=1e-4)
    assert found[0] > 0
    fused = TabulatedRounding(TablesInMemory.of(p, "fused")).bounds((x, v), (abs(x), abs(v)))[0]
    assert (fused <= found * (1 + 1e-12)).all()  # the same operations with fewer roundings
    assert (fused >= 0.3 * found).all()
