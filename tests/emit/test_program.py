"""Programs: their laws, what they refuse, what they leave out, what they cost."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import pytest

from symbody.algebra.elimination.elimination import definite_solve_rows
from symbody.algebra.graph import functions as fn
from symbody.algebra.graph.functions import ExternalFunction, cos, sin, where
from symbody.algebra.graph.graph import PI, Expr, as_expr, symbol, symbols
from symbody.algebra.graph.linear import FactorShape, factorize
from symbody.algebra.graph.matrix import matrix
from symbody.emit.loops.program_kernels import factor_kernel, has_pivots, solve_kernel
from symbody.emit.lowering.lower import program
from symbody.emit.programs.program import Cost, Group, Instruction, Output, Program, factor_cost
from symbody.emit.text.numpy_text import numpy_function
from symbody.errors import ExpressionError, ProgramError, SymbodyError
from symbody.write.targets.c.c_printer import c_source

x, y, z = symbols("x y z")
I = Instruction
P = Group("p", (x, y))


def made(
    *code: Instruction, outputs: tuple[Output, ...] | None = None, inputs: tuple[Group, ...] = (P,), **more: Any
) -> Program:
    """A program by hand; its output is the last value unless outputs are given."""
    last = len(code) - 1
    return Program("f", inputs, outputs or (Output("out", (), (last,), ((),)),), code, **more)


# ---------------------------------------------------------------------------------------------------- laws

X, Y = I("input", (), (0, 0)), I("input", (), (0, 1))
LT = I("lt", (0, 1))
SMALL = I("factor", (0, 1, 0), FactorShape("definite", 2))
TYRE = ExternalFunction("tyre", 2)

BROKEN: dict[str, tuple[tuple[Instruction, ...], str]] = {
    "a value that comes later": ((X, I("neg", (1,))), "instruction 1 (neg) refers to values 1"),
    "a value that does not exist": ((X, I("neg", (7,))), "refers to values 7"),
    "a negative reference": ((X, I("neg", (-1,))), "refers to values -1"),
    "an unknown operation": ((X, I("gamma", (0,))), "is not an operation"),
    "too few arguments": ((X, I("add", (0,))), "has 1 arguments, takes 2"),
    "too many arguments": ((X, I("neg", (0, 0))), "has 2 arguments, takes 1"),
    "a condition as a number": ((X, Y, LT, I("neg", (2,))), "got a condition where it takes a number"),
    "a number as a condition": ((X, I("where", (0, 0, 0))), "got a number where it takes a condition"),
    "a number in logic": ((X, Y, LT, I("and", (2, 0)), I("where", (3, 0, 1))), "got a number where it takes a cond"),
    "a block as a number": ((X, I("sincos", (0,)), I("neg", (1,))), "got a sincos block where it takes a number"),
    "dead code": ((X, Y, I("neg", (0,))), "instruction 1 is dead"),
    "an input that is not there": ((I("input", (), (1, 0)), I("neg", (0,))), "reads input 1 of 1"),
    "a position that is not there": ((I("input", (), (0, 2)), I("neg", (0,))), "reads position 2 of an input with 2"),
    "a negative position": ((I("input", (), (0, -1)), I("neg", (0,))), "reads position -1"),
    "a constant that is an integer": ((I("const", (), 1), I("neg", (0,))), "is not a float"),
    "a constant that is text": ((I("const", (), "0; system()"), I("neg", (0,))), "is not a float"),
    "a truth value that is a number": ((X, I("true", (), 1), I("where", (1, 0, 0))), "is not a truth value"),
    "an item of a number": ((X, I("item", (0,), 0)), "takes an item of a number"),
    "an item of a factorisation": ((X, Y, SMALL, I("item", (2,), 0)), "takes an item of a factor block"),
    "a third item of a pair": ((X, I("sincos", (0,)), I("item", (1,), 2)), "takes item 2 of 2"),
    "an item past the solution": ((X, Y, SMALL, I("solve", (2, 0, 1), False), I("item", (3,), 2)), "takes item 2 of 2"),
    "too few entries": ((X, Y, I("factor", (0, 1), FactorShape("definite", 2))), "has 2 entries for a definite matrix"),
    "a condition as an entry": ((X, Y, LT, I("factor", (0, 1, 2), FactorShape("definite", 2))), "got a condition"),
    "a solve of a number": ((X, Y, I("solve", (0, 1, 1), False), I("item", (2,), 0)), "does not fit its factors"),
    "a short right side": ((X, Y, SMALL, I("solve", (2, 0), False), I("item", (3,), 0)), "does not fit its factors"),
    "a right side and a half": ((X, Y, SMALL, I("solve", (2, 0, 1, 0), False), I("item", (3,), 0)), "does not fit its factors"),
    "a solve without right side": ((X, Y, SMALL, I("solve", (2,), False), I("item", (3,), 0)), "does not fit its factors"),
    "an item past several solutions": ((X, Y, SMALL, I("solve", (2, 0, 1, 1, 0), False), I("item", (3,), 4)), "takes item 4 of 4"),
    "a block as right side": ((X, Y, SMALL, I("solve", (2, 0, 2), False), I("item", (3,), 0)), "got a factor block"),
    "a call with the wrong number": ((X, I("call", (0,), TYRE)), "has 1 arguments, takes 2"),
    "a condition as output": ((X, Y, LT), "output 'out' holds a condition"),
    "a block as output": ((X, I("sincos", (0,))), "output 'out' holds a sincos block"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_broken_program_is_refused(what: str) -> None:
    code, says = BROKEN[what]
    with pytest.raises(ProgramError) as caught:
        made(*code)
    assert says in str(caught.value)


def test_programs_beside_the_broken_ones_are_good() -> None:
    """They run, and give the value that is written beside them, at x = 2, y = 1/2."""
    product = ExternalFunction("tyre", 2, python=lambda a, b: a * b)
    good = [
        (made(X, I("neg", (0,))), -2.0),
        (made(X, Y, LT, I("where", (2, 0, 1))), 0.5),
        (made(X, Y, SMALL, I("solve", (2, 0, 1), False), I("item", (3,), 0)), 1.0),  # [x y; y x] s = (x, y)
        (made(X, I("sincos", (0,)), I("item", (1,), 1)), math.cos(2.0)),
        (made(X, Y, I("call", (0, 1), product)), 1.0),
    ]
    assert [numpy_function(p)([2.0, 0.5]) for p, _ in good] == pytest.approx([value for _, value in good], rel=1e-15)


def out(shape: tuple[int, ...], values: tuple[int, ...], nonzeros: Any = (), **more: Any) -> tuple[Output]:
    return (Output("out", shape, values, nonzeros, **more),)


BROKEN_OUTPUTS: dict[str, tuple[tuple[Output, ...], str]] = {
    "a value that does not exist": (out((), (2,)), "refers to values 2 of 2"),
    "a negative value": (out((2,), (0, -1)), "refers to values -1"),
    "too few values": (out((3,), (0, 1)), "has 2 values where its shape needs 3"),
    "too many values": (out((), (0, 1)), "has 2 values where its shape needs 1"),
    "a place outside": (out((2,), (0, 1), ((2,),)), "outside its shape (2,)"),
    "a place of another shape": (out((2,), (0, 1), ((0, 0),)), "outside its shape (2,)"),
    "a sparse one with too many": (
        out((2, 2), (0, 1), ((0, 0),), is_sparse=True),
        "has 2 values where its shape needs 1",
    ),
    "symmetric and not square": (out((2, 1), (0, 1), is_symmetric=True), "is called symmetric and is not"),
    "symmetric and not mirrored": (out((2, 2), (0, 1, 0, 1), is_symmetric=True), "is called symmetric and is not"),
    "two of one name": ((*out((), (0,)), *out((), (1,))), "two outputs have the name 'out'"),
    "the name of an input": ((Output("p", (2,), (0, 1), ()),), "p is the name of an input and of an output"),
}


@pytest.mark.parametrize("what", BROKEN_OUTPUTS)
def test_broken_output_is_refused(what: str) -> None:
    outputs, says = BROKEN_OUTPUTS[what]
    with pytest.raises(ProgramError) as caught:
        made(X, Y, outputs=outputs)
    assert says in str(caught.value)


def test_broken_inputs_and_labels_are_refused() -> None:
    with pytest.raises(ProgramError, match="two inputs have the name 'p'"):
        made(X, I("neg", (0,)), inputs=(P, P))
    with pytest.raises(ProgramError, match="scalar inputs p must hold one symbol"):
        made(X, I("neg", (0,)), inputs=(Group("p", (x, y), is_scalar=True),))
    with pytest.raises(ProgramError, match="no values 9 to have labels"):
        made(X, I("neg", (0,)), labels={9: "force"})


def test_every_instruction_of_a_good_program_matters() -> None:
    """Leaving out any instruction of a program breaks a law, whatever it is."""
    p = program("f", {"p": [x, y]}, {"e": where(x < y, sin(x) * cos(x), fn.sqrt(y) / 3)})
    for k in range(len(p.code)):
        with pytest.raises(SymbodyError):
            dataclasses.replace(p, code=p.code[:k] + p.code[k + 1 :])


# ---------------------------------------------------------------------------------------------------- what is refused


def test_stray_symbols_are_refused_with_advice() -> None:
    with pytest.raises(ProgramError) as caught:
        program("f", {"q": [x]}, {"e": x + y * z})
    text = str(caught.value)
    assert "depend on y, z, not among the inputs" in text
    assert "inputs={..., 'p': [y]}" in text
    assert "bake={y: ...}" in text


def test_bad_requests_are_refused() -> None:
    with pytest.raises(ProgramError, match="'x' appears twice among the inputs"):
        program("f", {"q": [x], "p": [y, x]}, {"e": x})
    with pytest.raises(ProgramError, match="x cannot be an input and be baked in"):
        program("f", {"q": [x]}, {"e": x}, bake={x: 1})
    with pytest.raises(ProgramError, match="must be a symbol or a list of symbols, got"):
        program("f", {"q": [x + 1]}, {"e": x})
    with pytest.raises(ProgramError, match="sparse output J is not among e"):
        program("f", {"q": [x]}, {"e": x}, sparse=["J"])
    with pytest.raises(SymbodyError, match="output 'e'"):
        program("f", {"q": [x]}, {"e": "x + 1"})


NAMED: dict[str, Callable[[Any], object]] = {  # everything that is given a name
    "program": lambda text: program(text, {"p": [x]}, {"e": x}),
    "group": lambda text: program("f", {text: [x]}, {"e": x}),
    "output": lambda text: program("f", {"p": [x]}, {text: x}),
    "label": lambda text: program("f", {"p": [x]}, {"e": sin(x + 1)}, labels={text: x + 1}),
    "label by hand": lambda text: made(X, I("neg", (0,)), labels={1: text}),
    "symbol": symbol,
    "external function": lambda text: ExternalFunction(text, 1),
}
INJECTIONS = [
    "a;b",
    "a b",
    "f(){}//",
    'x"',
    "x\n",
    "é",
    "",
    "1x",
    "x-y",
    "__import__('os')",
    "*/",
    "a" * 101,
    "%x",
    "x.y",
    None,
    3,
]


@pytest.mark.parametrize("text", INJECTIONS, ids=repr)
@pytest.mark.parametrize("place", NAMED)
def test_names_cannot_carry_code(place: str, text: Any) -> None:
    """Whatever is not an identifier is refused before it can reach a text."""
    with pytest.raises(ExpressionError, match="is not a usable name"):
        NAMED[place](text)


# ---------------------------------------------------------------------------------------------------- what is left out


def ops(p: Program) -> list[str]:
    return [i.op for i in p.code]


def test_dead_code_is_gone() -> None:
    """Unused inputs are not read; exponents and folded parts leave nothing behind."""
    p = program("f", {"p": [x, y, z]}, {"e": (x**3 + fn.sqrt(2) * fn.exp(1)) * 1})
    assert sorted(ops(p)) == ["add", "const", "input", "mul", "mul"]


def test_shared_parts_are_computed_once() -> None:
    e = sin(x * y)
    p = program("f", {"p": [x, y]}, {"a": e + 1, "b": [e, e * e], "c": x * y})
    assert ops(p).count("sin") == 1
    assert ops(p).count("mul") == 2


def test_sine_and_cosine_of_one_angle_are_a_pair() -> None:
    assert "sincos" in ops(program("f", {"p": [x, y]}, {"e": [sin(x + y), cos(x + y)]}))
    assert "sincos" not in ops(program("f", {"p": [x, y]}, {"e": [sin(x), cos(y)]}))


def test_conditions_on_numbers_are_decided() -> None:
    """π is not a number of the graph, so that only the program can decide."""
    p = program("f", {"p": [x, y]}, {"e": where(as_expr(3) < PI, x, y)})
    assert ops(p) == ["input"]


def test_baked_numbers_fold() -> None:
    e = x**2 * y + sin(z)
    p = program("f", {"p": [x]}, {"e": e}, bake={y: 0, z: 2})
    assert ops(p) == ["const"]
    q = program("f", {"p": [x]}, {"e": e}, bake={y: 1, z: x})
    assert sorted(ops(q)) == ["add", "input", "mul", "sin"]


def test_baking_names_survive() -> None:
    w = x * y + z
    p = program("f", {"p": [x, z]}, {"e": sin(w)}, bake={y: 3}, labels={"w": w})
    assert list(p.labels.values()) == ["w"]


def test_names_survive_unrolling() -> None:
    """Of a solution, and of what is computed from it, when the system is written out."""
    a = factorize(matrix([[x, y], [y, z]]), "definite").solve([1, x])
    after = sin(a[0]) + 1
    p = program("f", {"p": [x, y, z]}, {"e": after}, labels={"after": after, "rate": a[0], "absent": a[1]})
    assert set(p.labels.values()) == {"rate", "after"}


# ---------------------------------------------------------------------------------------------------- outputs


def test_symmetric_outputs_are_noticed() -> None:
    p = program("f", {"p": [x, y]}, {"M": matrix([[x, y * x], [x * y, 1]]), "A": matrix([[x, y], [1, 1]]), "v": [x, x]})
    assert [o.is_symmetric for o in p.outputs] == [True, False, False]
    assert p.outputs[0].values[1] == p.outputs[0].values[2]


def test_sparse_outputs_hold_what_is_not_zero() -> None:
    p = program("f", {"p": [x, y]}, {"J": matrix([[0, x, 0], [y, 0, 0]]), "D": matrix([[0, x]])}, sparse=["J"])
    sparse, dense = p.outputs
    assert (sparse.shape, sparse.nonzeros, len(sparse.values)) == ((2, 3), ((0, 1), (1, 0)), 2)
    assert (dense.shape, dense.nonzeros, len(dense.values)) == ((1, 2), ((0, 1),), 2)


def test_output_shapes() -> None:
    p = program("f", {"p": [x]}, {"s": x, "v": [x, 1], "row": matrix([[x, 2]]), "n": 3, "none": []})
    assert [o.shape for o in p.outputs] == [(), (2,), (1, 2), (), (0,)]
    c_source(p)
    s, v, row, n, none = numpy_function(p)([4.0])
    assert (s.shape, v.shape, row.shape, n, none.shape) == ((), (2,), (1, 2), 3.0, (0,))


# ---------------------------------------------------------------------------------------------------- cost

COSTS: list[tuple[Expr, Cost]] = [
    (x, Cost()),
    (x + y - z, Cost(additions=2)),
    (-(x * y), Cost(additions=1, multiplications=1)),
    (x / y, Cost(divisions=1)),
    (x**2, Cost(multiplications=1)),
    (x**5, Cost(multiplications=3)),
    (x**15, Cost(multiplications=6)),
    (sin(x), Cost(functions=1)),
    (sin(x) * cos(x), Cost(multiplications=1, functions=2)),
    (fn.atan2(x, y) + fn.sqrt(x), Cost(additions=1, functions=2)),
    (where((x < y) & ~(y < z), x, y), Cost(additions=5)),
    (fn.minimum(x, y) + abs(z) * fn.sign(x), Cost(additions=4, multiplications=1)),
    (TYRE(x, y), Cost(functions=1)),
]


@pytest.mark.parametrize("k", range(len(COSTS)))
def test_cost_is_what_one_counts_by_hand(k: int) -> None:
    e, cost = COSTS[k]
    assert program("f", {"p": [x, y, z]}, {"e": e}).cost == cost


class Counted:
    """A number that counts what is done to it."""

    counts: dict[str, int] = {}

    def __init__(self, value: float) -> None:
        self.value = value

    def _of(self, kind: str, value: float) -> Counted:
        Counted.counts[kind] = Counted.counts.get(kind, 0) + 1
        return Counted(value)

    def __sub__(self, other: Counted) -> Counted:
        return self._of("additions", self.value - other.value)

    def __mul__(self, other: Counted) -> Counted:
        return self._of("multiplications", self.value * other.value)

    def __rtruediv__(self, other: float) -> Counted:
        return self._of("divisions", other / self.value)

    def __abs__(self) -> float:
        return abs(self.value)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("kind", ["definite", "general"])
def test_cost_of_linear_systems_is_that_of_the_loops(kind: str, n: int) -> None:
    """Run the loops on numbers that count."""
    shape = FactorShape(kind, n)
    a: list[Any] = [Counted(n + 1.0 if i == j else 1.0 / (1 + i + j)) for i in range(n) for j in range(n)]
    pivots: list[Any] = [[0] * n] if has_pivots(shape) else []
    Counted.counts = {}
    factor_kernel(shape)(n, a, *pivots)
    assert Cost(**Counted.counts) == factor_cost(shape)
    code = [I("input", (), (0, 0)), I("factor", (0,) * len(shape.places()), shape)]
    for transposed in (False, True):
        p = made(*code, I("solve", (1,) + (0,) * n, transposed), *[I("item", (2,), 0)])
        Counted.counts = {}
        solve_kernel(shape, transposed)(n, a, *pivots, [Counted(1.0) for _ in range(n)])
        assert Cost(**Counted.counts) + factor_cost(shape) == p.cost
    if kind == "definite":
        Counted.counts = {}
        definite_solve_rows(n, 0, a, [Counted(1.0) for _ in range(n)])
        assert Cost(**Counted.counts) + factor_cost(shape) == p.cost


def test_cost_reads_as_a_sentence() -> None:
    text = "3 operations: 1 additions, 1 multiplications, 0 divisions, 1 functions"
    p = program("f", {"p": [x, y]}, {"e": sin(x) * y + 1})
    assert str(p.cost) == text
    assert text in repr(p)
    assert text in c_source(p).header


# ---------------------------------------------------------------------------------------------------- targets refuse


def test_external_functions_that_a_target_cannot_have_are_refused() -> None:
    def calling(*functions: ExternalFunction, name: str = "f") -> Program:
        return program(name, {"p": [x]}, {"e": [f(x) for f in functions]})

    with pytest.raises(ProgramError, match="can only be called by NumPy with python="):
        numpy_function(calling(ExternalFunction("g", 1)))
    with pytest.raises(ProgramError, match="has a name that C keeps for itself"):
        c_source(calling(ExternalFunction("double", 1)))
    with pytest.raises(ProgramError, match="has a name that C keeps for itself"):
        c_source(calling(ExternalFunction("sin", 1, c="double sin(double x) { return x; }")))
    with pytest.raises(ProgramError, match="has the name of the program"):
        c_source(calling(ExternalFunction("f", 1)))
    with pytest.raises(ProgramError, match="shares its name with a different one"):
        c_source(calling(ExternalFunction("g", 1, c="double g(double x) { return x; }"), ExternalFunction("g", 1)))


def test_external_text_is_put_in_once() -> None:
    g = ExternalFunction("g", 1, python=abs, c="double g(double x)\n{\n    return x;\n}")
    source = c_source(program("f", {"p": [x, y]}, {"e": g(x) + g(y) * g(x + y)})).source
    assert source.count("double g(double x)") == 1
