"""Nodes exist once, numbers stay exact, bad input is refused in words, deep graphs are cheap, memory comes back."""

import copy
import gc
import math
import operator
import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symbody.algebra.graph import functions as fn
from symbody.algebra.graph.graph import (
    HALF,
    KINDS,
    ONE,
    PI,
    ZERO,
    Expr,
    as_expr,
    constant,
    fraction,
    rate_of,
    symbol,
    symbols,
)
from symbody.algebra.graph.labels import labels_by_node, substituted_labels
from symbody.algebra.graph.linear import factorize, solve
from symbody.algebra.graph.matrix import cross, dot, matrix, skew, stack, vector
from symbody.algebra.graph.node_table import live_nodes
from symbody.algebra.graph.walk import evaluation_order, free_symbols, resolve, substitute
from symbody.algebra.printing.printing import tree_size_up_to
from symbody.errors import ExpressionError
from tests.amount import FULL

a, b, c = symbols("a b c")
q = symbol("q", "coordinate")

# ---------------------------------------------------------------------------------------------------- each node once


def test_equal_expressions_are_one_object() -> None:
    assert a * b + c is c + b * a
    assert fn.sin(a + b) * fn.cos(b + a) is fn.cos(a + b) * fn.sin(a + b)
    assert a - b is not b - a
    assert fn.atan2(a, b) is not fn.atan2(b, a)
    assert fn.where(a < b, a, b) is fn.where(b > a, a, b)
    assert fn.where(np.float64(1) > 0, a, b) is a
    assert {a * b: 1}[b * a] == 1


def test_copies_are_the_node() -> None:
    e = a * b
    assert copy.copy(e) is e
    assert copy.deepcopy([e])[0] is e


def test_a_dropped_node_can_be_made_again() -> None:
    first = fn.sin(a * 12345)
    serial = first.serial
    del first
    assert fn.sin(a * 12345).serial > serial


def test_arguments_are_older() -> None:
    e = fn.sin(a * b + 3) / (c - a) ** 2
    nodes = evaluation_order([e])
    assert nodes[-1] is e
    place = {n: i for i, n in enumerate(nodes)}
    assert all(place[x] < place[n] for n in nodes for x in n.args)


def test_solve_nodes_are_shared() -> None:
    A, right = matrix([[a, b], [b, c]]), vector(a, 1)
    assert solve(A, right, "definite") == solve(A, right, "definite")
    assert solve(A, right, "definite") != solve(A, right, "general")
    assert factorize(A).node is factorize(A).node


# ---------------------------------------------------------------------------------------------------- exact numbers


def test_fractions_stay_fractions() -> None:
    assert fraction(1, 12).value == Fraction(1, 12)
    assert (a / 12).args[0].value == Fraction(1, 12)
    assert a / 3 * 3 is a
    assert as_expr(Fraction(4, 2)).value == 2
    assert isinstance(as_expr(Fraction(4, 2)).value, int)
    assert (HALF + fraction(1, 3)).value == Fraction(5, 6)
    assert fn.sqrt(2).op == "sqrt"
    assert fn.sin(1).op == "sin"


def test_integral_floats_are_integers() -> None:
    assert constant(2.0) is constant(2)
    assert 2.0 * a is 2 * a
    assert a**2.0 is a * a
    assert constant(-0.0) is ZERO
    assert constant(0.1).value == 0.1


@pytest.mark.parametrize("one", [1, 1.0, Fraction(1), np.float64(1), np.int32(1), np.array(1.0), np.float32(1)])
def test_numbers_of_all_kinds(one: Any) -> None:
    assert as_expr(one) is ONE
    assert one * a is a
    assert a * one is a
    assert a + one is 1 + a
    assert one - a is 1 - a
    assert one / a is 1 / a


def test_long_exact_numbers_are_rounded_not_grown() -> None:
    """Exact arithmetic cannot be made to eat the memory."""
    e = constant(Fraction(3, 7))
    for _ in range(40):
        e = e * e
    assert isinstance(e.value, float | int)


# ---------------------------------------------------------------------------------------------------- symbols


def test_symbols_are_equal_by_name_kind_and_order() -> None:
    assert symbol("q", "coordinate") is q
    assert symbol("q") is not q
    assert q.dot is symbol("q", "speed", 1)
    assert q.dot.dot is symbol("q", "acceleration", 2)
    assert symbols("x, y z") == (symbol("x"), symbol("y"), symbol("z"))


def test_rates_of_symbols() -> None:
    assert rate_of(symbol("m")) is ZERO
    with pytest.raises(ExpressionError, match="m is a parameter, which does not change with time"):
        _ = symbol("m").dot
    assert symbol("t", "time").dot is ONE
    assert symbol("r", "input").dot.kind == "input"
    assert [s.name for s in (q, q.dot, q.dot.dot)] == ["q", "q_dot", "q_ddot"]
    assert q.dot.dot.dot.name == "q_d3"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind: str) -> None:
    assert symbol("s", kind).kind == kind


def test_labels_of_nodes() -> None:
    """The first label of a node counts; symbols and constants keep their own names; substitution carries labels
    along."""
    e = a * b + 77
    labels = {"first": e, "second": b * a + 77, "mine": q, "number": 3, "other": a - b}
    assert labels_by_node(labels) == {e: "first", a - b: "other"}
    assert substituted_labels({"first": e}, {a: c}) == {"first": substitute(e, {a: c})}


# ---------------------------------------------------------------------------------------------------- bad input

BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "unknown kind": (
        lambda: symbol("q", "koordinate"),
        "there is no kind 'koordinate'; kinds are parameter, coordinate",
    ),
    "text": (lambda: a + "b", "the text 'b' is not an expression; make a symbol"),
    "text on the left": (lambda: "b" * a, "the text 'b'"),
    "array": (lambda: a + np.ones(3), r"an array of shape \(3,\) cannot stand for a scalar"),
    "array on the left": (lambda: np.ones((2, 2)) * a, r"an array of shape \(2, 2\)"),
    "array in a function": (lambda: fn.sin(np.ones(1)), r"an array of shape \(1,\)"),
    "list": (lambda: a * [1, 2], "cannot stand for a scalar"),
    "None": (lambda: a + None, "None of type NoneType"),
    "truth value": (lambda: a + True, "True is a truth value"),
    "condition as a number": (lambda: a + (a < b), "is not a number; use where"),
    "number as a condition": (lambda: fn.where(1, a, b), "1 is not a condition"),
    "complex": (lambda: a + 1j, "is complex"),
    "nan": (lambda: a * math.nan, "must be finite, got nan"),
    "infinity": (lambda: a * np.inf, "must be finite, got inf"),
    "decimal": (lambda: a + Decimal("0.1"), "of type Decimal cannot stand"),
    "division by zero": (lambda: a / 0, "division of a by the constant zero"),
    "division by what is zero": (lambda: a / (b - b), "by the constant zero"),
    "zero by zero": (lambda: ZERO / 0.0, "by the constant zero"),
    "negative power of zero": (lambda: ZERO**-1, "division by the constant zero"),
    "fraction": (lambda: fraction(1, 0), "division by zero"),
    "truth of an expression": (lambda: bool(a < b), "no truth value before numbers are known"),
    "python and": (lambda: a < b and b < c, "no truth value"),
    "chained comparison": (lambda: a < b < c, "no truth value"),
    "float of a symbol": (lambda: float(a), "is not a number; evaluate"),
    "shapes that differ": (lambda: vector(a, b) + vector(a, b, c), r"shapes \(2, 1\) and \(3, 1\)"),
    "array of another shape": (lambda: vector(a, b) + np.ones(3), r"shapes \(2, 1\) and \(3, 1\)"),
    "product of shapes": (
        lambda: matrix([[a, b]]) @ matrix([[a, b]]),
        r"product: matrices of shapes \(1, 2\) and \(1, 2\)",
    ),
    "matrix times matrix": (lambda: vector(a, b) * vector(a, b), "use @"),
    "ragged rows": (lambda: matrix([[a], [b, c]]), "differ in length"),
    "array of three dimensions": (lambda: matrix(np.ones((2, 2, 2))), "cannot stand for a scalar"),
    "text as a matrix": (lambda: matrix("abc"), "cannot stand for a matrix"),
    "text in a matrix": (lambda: matrix([["a"]]), "the text 'a'"),
    "one index": (lambda: matrix([[a, b], [b, c]])[0], "needs two indices"),
    "dot": (lambda: dot(vector(a, b), vector(a, b, c)), "dot needs two vectors"),
    "cross": (lambda: cross(vector(a, b), vector(a, b)), "cross needs two 3-vectors"),
    "skew": (lambda: skew(vector(a, b)), "skew needs a 3-vector"),
    "stack": (lambda: stack(vector(a, b), matrix([[a, b]])), "one width"),
    "not square": (lambda: factorize(matrix([[a, b]])), "must be square, got 1 by 2"),
    "kind of system": (lambda: factorize(matrix([[a]]), "spd"), "there is no kind 'spd'; kinds are definite"),
    "right side": (lambda: solve(matrix([[a]]), [a, b]), "1 by 1 but the right side has 2 rows"),
    "cyclic definition": (lambda: resolve({a: b + 1, b: c, c: 2 * a}), "cyclic definition: a needs b needs c needs a"),
    "defined by itself": (lambda: resolve({a: a + 1}), "cyclic definition: a needs a"),
    "arity": (lambda: fn.ExternalFunction("tyre", 2)(a), "'tyre' takes 2 arguments, got 1"),
    "arity zero": (lambda: fn.ExternalFunction("tyre", 0), "at least one argument"),
    "derivatives": (lambda: fn.ExternalFunction("tyre", 2, derivatives=[None]), "2 arguments but 1 derivatives"),
    "missing derivative": (
        lambda: fn.ExternalFunction("tyre", 2, derivatives=[None, lambda x, y: x]).derivative(0, (a, b)),
        "'tyre': its derivative with respect to argument 1 is needed but was not given",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_words(case: str) -> None:
    act, says = BAD[case]
    with pytest.raises(ExpressionError, match=says):
        act()


@pytest.mark.parametrize(
    "name",
    ["", "1a", "a b", "a-b", "a;system()", "x\n", "é", "α", "a" * 101, "a.b", "*/ int main", '"', 3, None, b"a"],
)
@pytest.mark.parametrize("use", [symbol, lambda n: labels_by_node({n: a + b}), lambda n: fn.ExternalFunction(n, 1)])
def test_names_that_could_do_harm_are_refused(name: Any, use: Callable[[Any], Any]) -> None:
    """A name goes into generated code: it must be an identifier and nothing else."""
    with pytest.raises(ExpressionError, match="is not a usable name"):
        use(name)


def test_arrays_of_the_right_shape_are_matrices() -> None:
    assert vector(a, b) + np.array([1, 2]) == vector(a + 1, b + 2)
    assert np.eye(2) @ vector(a, b) == vector(a, b)
    assert matrix(np.array([[1.0, 2.0]])) == matrix([[1, 2]])


# --------------------------------------------------------------------------------------------------- depth and memory

MANY = 1_000_000 if FULL else 100_000


def deep(links: int) -> Expr:
    """A graph as deep as it is large."""
    e: Expr = a
    for i in range(links // 2):
        e = e * b + (i + 2)
    return e


def test_a_million_nodes_deep() -> None:
    """(A tenth of it unless SYMBODY_FULL is set.) Built, ordered, measured, substituted into and dropped, without recursion."""
    limit = sys.getrecursionlimit()
    gc.collect()
    before = live_nodes()
    e = deep(MANY)
    assert len(evaluation_order([e])) > MANY
    assert free_symbols(e) == [a, b]
    assert tree_size_up_to(10 * MANY, [e]) > MANY
    f = substitute(e, {a: c})
    assert free_symbols(f) == [b, c]
    del e, f
    gc.collect()
    assert live_nodes() == before
    assert sys.getrecursionlimit() == limit


def wide(width: int, depth: int) -> list[Expr]:
    """A graph in which everything is shared: as a tree it would have width to the power of depth nodes."""
    row: list[Expr] = [symbol(f"w{i}") for i in range(width)]
    for k in range(depth):
        row = [fn.sin(row[i] * row[i - 1] + (k + 2)) - row[i - 2] for i in range(width)]
    return row


def test_sharing_is_kept() -> None:
    row = wide(8, 200)
    assert len(evaluation_order(row)) < 8 * 200 * 4 + 8 + 200 + 2
    assert tree_size_up_to(10**51, row) > 10**50


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux to read the process's memory")
def test_memory_comes_back() -> None:
    """Building and dropping a large graph 50 times leaves nodes and memory where they were after the first few."""
    gc.collect()
    nodes = live_nodes()
    for i in range(50 if FULL else 9):
        row = wide(20, 250)
        assert live_nodes() > nodes + 15_000
        del row
        assert live_nodes() == nodes, "nodes are freed at once, without the garbage collector"
        if i == 4:
            settled = resident_mb()
    assert resident_mb() < settled + 4


def test_nodes_die_with_their_last_user() -> None:
    nodes = live_nodes()
    e = fn.sin(a * b * 31) + 41
    part = e.args[1]
    made = live_nodes() - nodes
    del e
    assert live_nodes() == nodes + made - 2  # the sum and the number 41
    assert part is fn.sin(a * b * 31)


def test_threads_make_one_node() -> None:
    """Threads that build the same expressions at the same time get the same nodes."""
    threads, rounds = 4, 30
    out: list[list[list[Expr]]] = [[] for _ in range(threads)]
    gate = threading.Barrier(threads)

    def work(mine: list[list[Expr]]) -> None:
        for k in range(rounds):
            gate.wait()
            x = symbol(f"thread_{k}")
            mine.append([fn.sin(x * i + a) * fn.cos(x * i + b) for i in range(2, 40)])

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        workers = [threading.Thread(target=work, args=(mine,)) for mine in out]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
    finally:
        sys.setswitchinterval(interval)
    for other in out[1:]:
        assert all(map(operator.is_, chain.from_iterable(other), chain.from_iterable(out[0])))


def test_the_number_pi_is_exact() -> None:
    assert PI.op == "pi"
    assert fn.sin(PI) is ZERO
    assert (2 * PI).op == "mul"
