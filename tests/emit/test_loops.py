"""Kernels do the same compiled as they do as plain Python, construct by construct."""

from __future__ import annotations

from math import sqrt
from typing import Any, Final

import numpy as np
import pytest
from scipy.interpolate import PPoly

from symbody.algebra.calculus.derivatives import time_derivative
from symbody.algebra.graph.functions import sin
from symbody.algebra.graph.graph import ZERO, symbol, symbols
from symbody.emit.llvm.loop_text import LONG_TABLE, LlvmLoops
from symbody.emit.loops.inlining import inlined_form
from symbody.emit.loops.kernel_language import (
    Function,
    Indices,
    Kernel,
    Known,
    Mutable,
    Numbers,
    is_finite,
    rarely,
    unrolled,
)
from symbody.emit.loops.kernel_nodes import CallStatement, KernelCall
from symbody.emit.loops.kernel_parser import kernel_source
from symbody.emit.loops.program_kernels import on_pieces, rate_on_pieces
from symbody.emit.loops.records import Struct
from symbody.emit.lowering.lower import program
from symbody.emit.run.callable import compile_program
from symbody.emit.run.loop_callee import LoopCallee, program_callee
from symbody.emit.run.piecewise_polynomials import piecewise
from symbody.errors import CompileError
from symbody.write.printers.kernel_printer import KernelPrinter

HALF: Final = 0.5
WEIGHTS: Final[Any] = (0.25, 0.0, -1.5, 2.0)


def branches(n: int, x: Numbers, out: Numbers) -> int:
    """if, elif, else, and, or, not, while, break, continue, return."""
    count: int = 0
    i: int = 0
    while True:
        if i >= n:
            break
        i += 1
        if x[i - 1] < 0.0 and not x[i - 1] < -1.0:
            continue
        elif x[i - 1] > 2.0 or x[i - 1] == 0.5:
            count += 2
        else:
            count += 1
        out[i - 1] = x[i - 1] * HALF
    return count if count % 2 == 0 else -count


def guarded(n: int, x: Numbers) -> int:
    """`and` does not look at what lies past the end."""
    for i in range(10):
        if not (i < n and x[i] >= 0.0):
            return i
    return 10


def mathematics(x: float, y: float, out: Numbers) -> None:
    out[0] = min(x, y, 1.0) + max(x, y)
    out[1] = sqrt(abs(x)) - pow(abs(y), 1.5)
    out[2] = x if is_finite(y) else -1.0
    out[3] = float(int(x * 10.0)) / 3
    out[4] = -x + 7 // 2 - 7 % 4


def weighted(n: int, width: int, table: Numbers, x: Numbers, out: Numbers) -> None:
    """A loop that is written out, with entries of a table known; another one with entries looked up."""
    for i in range(n):
        s = 0.0
        for j in unrolled(width):
            s = s + table[j] * x[j * n + i]
        for j in range(width):
            s = s + WEIGHTS[j]
        out[i] = s


def halves(n: int, x: Numbers) -> float:
    if n == 0:
        return 0.0
    rest: Numbers = x[n // 2 :]
    return rest[0] + halves(n // 2, x)


def counted(n: int, x: Numbers, at: Indices) -> None:
    for i in range(n):
        at[i] = i * i
        if x[i] > 0.0:
            at[i] = at[i] + int(x[i])


def marching(n: int, steps: int, t: float, y: Numbers, dy: Numbers, f: Function) -> float:
    for _ in range(steps):
        f((t, y), (dy,))
        for i in range(n):
            y[i] += 0.1 * dy[i]
        t += 0.1
    return t


def _same(kernel: Any, fixed: dict[str, Any], **arguments: Any) -> None:
    """Run both ways on copies; all arrays and the result agree."""
    here = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    there = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    expected = kernel(**{**fixed, **here})
    found = LoopCallee(kernel, fixed, **there).run()
    if isinstance(expected, int):
        assert found == expected
    for k, v in here.items():
        if isinstance(v, np.ndarray):
            np.testing.assert_allclose(there[k], v, rtol=1e-15, atol=0)


X: Final = np.array([1.5, -0.5, -2.0, 0.5, 3.0, np.pi, 0.25, -0.1])


@pytest.mark.parametrize("n", range(9))
def test_branches(n):
    _same(branches, {}, n=n, x=X, out=np.zeros(8))
    _same(branches, {"n": n}, x=X, out=np.zeros(8))


def test_guarded():
    _same(guarded, {}, n=3, x=np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(("x", "y"), [(0.3, 2.0), (-4.25, 0.5), (7.0, -1.0), (2.0, np.inf)])
def test_mathematics(x, y):
    _same(mathematics, {}, x=x, y=y, out=np.zeros(5))


def test_tables_and_loops_that_are_written_out():
    _same(weighted, {"width": 4, "table": WEIGHTS}, n=2, x=X, out=np.zeros(2))
    _same(weighted, {"width": 4, "table": WEIGHTS, "n": 2}, x=X, out=np.zeros(2))


def doubled(n: int, x: Numbers, out: Numbers) -> None:
    """A kernel that is put in the place of its calls: its loop variable and its local name are also the caller's."""
    for i in range(n):
        s = x[i]
        out[i] = s + s


def doubled_twice(n: int, x: Numbers, w: Numbers) -> None:
    s: int = 0
    for i in range(2):
        doubled(n // 2, x[i * (n // 2) :], w[i * (n // 2) :])
        s += 1
    doubled(n, w, x)
    x[0] = x[0] + s


def test_kernels_in_the_place_of_their_calls():
    """The form without calls computes what the kernel computes, though both use the same names."""
    form = inlined_form(doubled_twice)
    assert not [part for part in form.parts if isinstance(part, KernelCall | CallStatement)]
    here, found = X.copy(), X.copy()
    doubled_twice(8, here, np.zeros(8))
    text = "\n".join(["def f(n, x, w):", *PythonKernel(form).body()])
    names: dict[str, Any] = {}
    exec(text, names)
    names["f"](8, found, np.zeros(8))
    assert np.array_equal(found, here)
    assert np.array_equal(here[1:], 4 * X[1:])


class PythonKernel(KernelPrinter):
    """A kernel as Python text."""

    TRUE, FALSE = "True", "False"
    END = {"loop": "", "while": "", "if": ""}

    def entry(self, array, at):
        return f"{array}[{at}]"

    def loop_head(self, name, first, stop, step):
        return f"for {name} in range({first}, {self.expression(stop)}, {step}):"

    def quotient(self, left, right):
        return f"({left} // {right})"

    def as_number(self, text):
        return text


def returning(n: int, x: Numbers) -> None:
    if n > 0:
        return


def calls_one_that_returns(n: int, x: Numbers) -> None:
    returning(n, x)


def test_kernels_that_return_are_called():
    with pytest.raises(CompileError, match="calls_one_that_returns: returning returns"):
        inlined_form(calls_one_that_returns)


@rarely
def seldom_weighted(n: int, width: int, x: Numbers, out: Numbers) -> None:
    weighted(n, width, WEIGHTS, x, out)


def test_loops_of_kernels_that_seldom_run_need_no_bounds():
    """`weighted` writes a loop out, whose bounds are not known here: what is called by a kernel that seldom runs is a
    loop then."""
    _same(seldom_weighted, {}, n=2, width=4, x=X, out=np.zeros(2))
    with pytest.raises(CompileError, match="its bounds are not known"):
        LoopCallee(weighted, {"table": WEIGHTS}, n=2, width=4, x=X, out=np.zeros(2))


def test_indices():
    _same(counted, {}, n=8, x=X, at=np.zeros(8, dtype=np.int64))


def test_a_kernel_calls_itself_with_what_is_known():
    loops = LlvmLoops()
    loops.kernels.kernel(halves, kernel_source(halves).basic_types, {"n": 8})
    assert loops.text().count("define internal double @halves") == 5  # 8, 4, 2, 1, 0


def test_programs_are_called_with_their_parameters():
    t, x, y, a = symbols("t x y a")
    f = compile_program(program("f", {"t": t, "y": [x, y], "p": [a]}, {"dy": [y + t, -a * sin(x)]}))
    state, rate = np.array([1.0, 0.5]), np.zeros(2)

    def python(ins, outs):
        outs[0][:] = f(ins[0], ins[1], [2.0])

    expected = state.copy()
    end = marching(2, 7, 0.0, expected, rate, python)
    loop = LoopCallee(marching, {"n": 2}, steps=7, t=0.0, y=state, dy=rate, f=program_callee(f, {"p": np.array([2.0])}))
    loop.run()
    np.testing.assert_allclose(state, expected, rtol=1e-14)
    assert end == pytest.approx(0.7)


# ---------------------------------------------------------------------------------------------------------- records


class Tally(Struct):
    steps: Mutable[int]
    sum: Mutable[float]
    limit: int


class Line(Struct):
    """y' = slope y by Euler's method, or by what `rate` says."""

    n: int
    order: Known[int]
    weights: Known[Numbers]
    h: float
    y: Numbers
    seen: Indices
    tally: Tally
    weigh: Known[Kernel]
    rate: Function | None


def by_table(line: Line, i: int) -> float:
    x = 0.0
    for j in unrolled(line.order):
        x = x + line.weights[j] * line.y[i]
    return x


def by_index(line: Line, i: int) -> float:
    return float(i) - line.weights[0]


def go(line: Line, dy: Numbers) -> int:
    tally = line.tally
    while tally.steps < tally.limit:
        if line.rate is not None:
            line.rate((line.h, line.y), (dy,))
        else:
            for i in range(line.n):
                dy[i] = line.weigh(line, i)
        for i in range(line.n):
            line.y[i] += line.h * dy[i]
            tally.sum += dy[i]
            line.seen[i] = line.seen[i] + tally.steps
        tally.steps += 1
    return tally.steps


def line_with(weigh: Any = by_table, rate: Any = None) -> Line:
    tally = Tally(limit=5)
    return Line(
        n=3, order=2, weights=(0.5, -0.25, 7.0), h=0.125, y=np.array([1.0, -2.0, 0.5]), seen=np.zeros(3, dtype=np.int64), tally=tally,
        weigh=weigh, rate=rate,
    )  # fmt: skip


@pytest.mark.parametrize("weigh", [by_table, by_index])
@pytest.mark.parametrize("known", [(), ("n",), ("n", "rate", "h")])
def test_records_are_the_same_for_python_and_machine_code(weigh, known):
    """Numbers, indices, arrays, tables, kernels, inner records and functions that are absent; whatever is known of
    them."""
    here, there = line_with(weigh), line_with(weigh).know(*known)
    assert go(here, np.zeros(3)) == LoopCallee(go, {}, line=there, dy=np.zeros(3)).run() == 5
    np.testing.assert_allclose(there.y, here.y, rtol=1e-15)
    assert np.array_equal(there.seen, here.seen)
    assert there.tally.sum == pytest.approx(here.tally.sum, rel=1e-14)
    assert (there.tally.steps, there.tally.limit) == (5, 5)


def test_programs_in_records_are_called():
    t, x, y, z = symbols("t x y z")
    f = compile_program(program("f", {"t": t, "y": [x, y, z]}, {"dy": [y + t, -x, x * z]}))
    line = line_with(rate=program_callee(f, {}))
    here = line_with(rate=lambda ins, outs: outs[0].__setitem__(slice(None), f(*ins)))
    go(here, np.zeros(3))
    LoopCallee(go, {}, line=line, dy=np.zeros(3)).run()
    np.testing.assert_allclose(line.y, here.y, rtol=1e-14)


def test_records_refuse_what_does_not_fit():
    with pytest.raises(
        CompileError, match=r"record Tally: there is no field 'limits'; there are .* Did you mean 'limit'"
    ):
        Tally(limits=3)
    with pytest.raises(CompileError, match="record Line: weights, y, seen, tally, weigh must be given"):
        Line(n=3)
    with pytest.raises(CompileError, match="seen must be an array of indices"):
        Line(weights=(0.0,), y=np.zeros(2), seen=np.zeros(2), tally=Tally(), weigh=by_table)
    with pytest.raises(AttributeError, match="'limit' is read-only"):
        Tally().limit = 4


# ------------------------------------------------------------------------------------------------------ what is refused


def outside(n: int, x: Numbers) -> None:
    x[0] = sum(x)


def unknown_bounds(n: int, x: Numbers) -> None:
    for i in unrolled(n):
        x[i] = 0.0


def no_such_name(n: int, x: Numbers) -> None:
    x[0] = HALV  # type: ignore[name-defined]  # noqa: F821  (that is the fault)


def array_as_number(n: int, x: Numbers) -> None:
    x[0] = 1.0 + x


def number_as_index(n: int, x: Numbers) -> None:
    x[x[0]] = 1.0


def becomes_a_number(n: int, x: Numbers) -> None:
    count = 0
    count = count + 0.5
    x[0] = count


def no_such_field(line: Line) -> None:
    line.y[0] = line.tally.step  # type: ignore[attr-defined]


def frozen_field(line: Line) -> None:
    line.tally.limit = 3


def wrong_arguments(line: Line) -> None:
    line.y[0] = by_table(line.tally, 0)  # type: ignore[arg-type]


def without_end(n: int, x: Numbers) -> None:
    without_end(n, x)


def no_value(line: Line) -> int:
    return  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("kernel", "says"),
    [
        (outside, "there is no name 'sum'"),
        (unknown_bounds, r"'unrolled\(n\)': its bounds are not known"),
        (no_such_name, "there is no name 'HALV'; there are .* Did you mean 'HALF'"),
        (array_as_number, "'1.0 \\+ x': this is an array of numbers, where a number is needed"),
        (number_as_index, r"'x\[0\]': this is a number, where an index is needed"),
        (becomes_a_number, "this is a number, where an index is needed"),
        (no_such_field, "in a Tally: there is no field 'step'; there are steps, sum, limit. Did you mean 'steps'"),
        (frozen_field, "'line.tally.limit' is not declared Mutable"),
        (wrong_arguments, "line of by_table is a Line, got a Tally"),
        (without_end, "it calls itself without end"),
        (no_value, "declared to return an index"),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_what_does_not_fit_is_refused(kernel, says):
    """The message names the kernel, its line, and what is wrong."""
    given = {"line": line_with()} if "line" in kernel.__annotations__ else {"n": 1, "x": X}
    with pytest.raises(CompileError, match=rf"kernel {kernel.__name__}, test_loops.py line \d+: .*{says}"):
        LoopCallee(kernel, {}, **given)


# ---------------------------------------------------------------------------------------------------------- samples


def test_piecewise_polynomials_have_exact_derivatives():
    """Against SciPy's, and constant outside."""
    times, rows = np.array([0.0, 1.0, 1.5, 4.0]), np.array([[1.0, 2, 3, 4], [-1, 0, 2, 1], [0.5, -1, 1, 0]])
    t = symbol("t")
    y = piecewise("samples", times, rows, t)
    rates = [y]
    while len(rates) < 4:
        rates.append(time_derivative(rates[-1], {t: 1}))
    f = compile_program(program("f", {"t": t}, {"y": rates[:3]}))
    for x in np.linspace(0, 4, 61):
        expected = [float(PPoly(rows.T, times)(x, k)) for k in range(3)]
        assert f(x) == pytest.approx(expected, abs=1e-13)
        assert on_pieces(4, 4, times, rows.ravel(), x) == pytest.approx(expected[0], abs=1e-13)
    assert f(-1.0) == pytest.approx([4.0, 0, 0])
    assert f(9.0) == pytest.approx([float(PPoly(rows.T, times)(4.0)), 0, 0])
    assert rate_on_pieces(4, 4, times, rows.ravel(), 9.0) == 0
    assert time_derivative(rates[3], {t: 1}) is ZERO


def test_long_tables_hold_their_numbers_to_the_last_bit() -> None:
    """They are handed to LLVM as bytes; shorter ones number by number."""
    n = LONG_TABLE + 7
    values = np.random.default_rng(1).normal(size=n) * 10.0 ** np.arange(-300, 300, 600 / n)[:n]
    values[:3] = 5e-324, -1.7976931348623157e308, 1 / 3
    x = symbol("x")
    for some in (values, values[: LONG_TABLE - 1]):
        y = piecewise("steps", np.arange(len(some) + 1.0), some[:, None], x)
        f = compile_program(program("f", {"x": x}, {"y": y}))
        assert f.batch(np.arange(len(some)) + 0.5).tolist() == some.tolist()
