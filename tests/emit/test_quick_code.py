"""Machine code that is quick to have: the same numbers to the last digit, replaced under the feet of those who call it."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from examples import four_bars
from symbody.algebra.graph.graph import as_expr
from symbody.algebra.graph.linear import factorize
from symbody.algebra.graph.matrix import Matrix
from symbody.emit.llvm import jit, loop_text
from symbody.emit.llvm.program_text import llvm_text
from symbody.emit.loops.kernel_language import Numbers
from symbody.emit.loops.kernel_parser import kernel_source
from symbody.emit.loops.records import address_of
from symbody.emit.lowering.lower import program
from symbody.emit.run import callable as callables
from symbody.emit.run import loop_callee
from symbody.emit.run.callable import Compiled, compile_program
from symbody.emit.run.loop_callee import Callee, LoopCallee, program_callee
from symbody.integrate.forms.projection import Corrections, settle


@pytest.fixture(scope="module")
def accelerations() -> Compiled:
    eq = sb.derive(four_bars.model(4), check=False)
    made = sb.compile(eq).udot.program
    return compile_program(made, cache=False, is_quick=True)


def called(f, groups):
    return np.array(f(*(x[0] if g.is_scalar else x for g, x in zip(f.program.inputs, groups, strict=True))))


def test_numbers_are_the_same_to_the_last_digit_and_callers_go_on(accelerations):
    f, random = accelerations, np.random.default_rng(1)
    states = [tuple(random.uniform(-3, 3, len(g)) for g in f.program.inputs) for _ in range(50)]
    assert f.is_quick
    assert f.seconds_to_improve > 0
    quick = [called(f, x) for x in states]
    callee = program_callee(f, {g.name: x for g, x in zip(f.program.inputs, states[3], strict=True)})
    callee.run()
    before = callee._keep[2][0].copy()
    old = f.address
    f.improve()
    assert not f.is_quick
    assert f.seconds_to_improve == 0
    assert f.address != old
    assert callee._table[0] == f.address
    assert np.array_equal([called(f, x) for x in states], quick)
    callee.run()
    assert np.array_equal(callee._keep[2][0], before)
    assert np.array_equal(before, quick[3])


def test_batches_of_few_states_are_quick_and_round_alike(accelerations, monkeypatch):
    """Better code takes over where states are many; code for one state is made when one is asked for."""
    monkeypatch.setattr(callables, "FEW_STATES", 30)
    p, random = accelerations.program, np.random.default_rng(2)
    quick, full = (compile_program(p, cache=False, is_quick=is_quick) for is_quick in (True, False))
    rows = [random.uniform(-3, 3, (21, *(() if g.is_scalar else (len(g),)))) for g in p.inputs]
    wanted = full.batch(*rows)
    assert np.array_equal(quick.batch(*rows), wanted)
    assert (quick._many["double"].is_quick, full._many["double"].is_quick) == (True, False)
    assert quick._one is None
    assert np.array_equal(quick.batch(*rows), wanted)
    assert not quick._many["double"].is_quick
    assert np.array_equal(called(quick, [np.atleast_1d(x[0]) for x in rows]), wanted[0])
    assert quick.is_quick


def summed(n: int, x: Numbers, y: Numbers, out: Numbers) -> None:
    """Sums that other orders and other contractions round otherwise."""
    total = 0.0
    for i in range(n):
        total = total + x[i] * y[i] - y[i] * y[n - 1 - i]
        out[i] = x[i] * total + y[i] * x[n - 1 - i]


@pytest.mark.parametrize("rounding", ["fused", "separate", "free"])
def test_rounding_of_loops_is_as_written_whatever_llvm_does_with_them(rounding):
    """But where it is free: there, all passes and few give other last digits."""
    random = np.random.default_rng(3)
    x, y = random.uniform(-1, 1, (2, 101))
    loops = loop_text.LlvmLoops(rounding=rounding)
    loops.entry(summed, "summed.entry", basic_types_by_name(summed), {"n": 101}, ("out",))
    found = []
    for is_plain in (False, True):
        code, out = jit.Loaded(jit.machine_code(loops.text(), "", is_plain, is_plain)), np.zeros(101)
        Callee(code.address("summed.entry"), [*map(address_of, (x, y))], [address_of(out)], 0, (code, x, y, out)).run()
        found.append(out)
    assert np.allclose(found[0], found[1], rtol=1e-12)
    assert np.array_equal(found[0], found[1]) == (rounding != "free")


def test_optimised_code_is_not_the_quick_one(accelerations):
    """Registers are looked after: less code for the same instructions."""
    text = llvm_text(accelerations.program, rounding=jit.rounding())
    quick, full = (len(jit.machine_code(text.kernels, text.pieces, is_quick)) for is_quick in (True, False))
    assert full < 0.9 * quick


def test_improved_loops_run_other_code(tmp_path, monkeypatch):
    """Written for the sizes of their arguments, with all passes, and called from then on."""
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path))  # improved code of an earlier run would be taken
    x, y, out = np.arange(1.0, 8.0), np.full(7, 0.5), np.zeros(7)
    loop = LoopCallee(summed, {}, ("out",), True, n=7, x=x, y=y, out=out)
    loop.run()
    before, quick = out.copy(), loop._code
    loop.improve()
    assert (loop.is_quick, loop.seconds_to_improve) == (False, 0.0)
    assert loop._code is not quick
    assert loop.callee._table[0] == loop._code.address("summed.entry") != quick.address("summed.entry")
    loop.run()
    assert np.array_equal(out, before)


def basic_types_by_name(kernel):
    return dict(zip(kernel_source(kernel).parameters, kernel_source(kernel).basic_types, strict=True))


def test_short_programs_are_compiled_once(accelerations):
    x = sb.symbol("x")
    assert not compile_program(program("short", {"x": x}, {"y": sb.sin(x)}), cache=False, is_quick=True).is_quick


def test_better_code_on_disk_is_taken(accelerations, tmp_path, monkeypatch):
    """And is asked for before anything is written."""
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path))
    p = accelerations.program
    first = compile_program(p, is_quick=True)
    assert first.is_quick
    assert compile_program(p, is_quick=True).is_quick
    first.improve()
    assert not compile_program(p, is_quick=True).is_quick


def test_kernels_are_known_by_what_they_are(tmp_path, monkeypatch):
    """Their text, which takes as long to write as many a motion, is written for machine code that is not on disk."""
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path))

    def loop(n: int) -> LoopCallee:
        loop_callee.compiled_loops.cache_clear()
        corrections = Corrections(n=n, n_q=n, n_u=0, is_alone=1, tolerance=1e-9, violation=np.zeros(1), w=np.zeros(n))
        return LoopCallee(settle, {}, ("out", "note"), corrections=corrections)

    def refuse(self):
        raise AssertionError("written again")

    loop(3)
    with monkeypatch.context() as m:
        m.setattr(loop_text.LlvmLoops, "text", refuse)
        loop(3)
        with pytest.raises(AssertionError, match="written again"):
            LoopCallee(others, {}, x=np.zeros(2))


def others(x: Numbers) -> None:
    """A kernel outside of the package: it may change without the package."""
    x[0] = 1.0


@pytest.mark.parametrize("rows", [4, 60])
def test_outputs_that_are_mostly_zero(rows):
    """Cleared by a loop or stored one by one, for one state and for many, whatever was there before."""
    x = sb.symbol("x")
    slopes = Matrix(rows, rows, tuple(x * (i + 1) if i == j else as_expr(0) for i in range(rows) for j in range(rows)))
    f = compile_program(program("slopes", {"x": x}, {"J": slopes, "y": 2 * x}), cache=False)
    for at in (1.0, -3.0):
        J, y = f(at)
        assert np.array_equal(J, np.diag(at * np.arange(1, rows + 1)))
        assert y == 2 * at
    J, _ = f.batch(np.arange(1.0, 12.0))
    assert np.array_equal(J[10], np.diag(11 * np.arange(1.0, rows + 1)))


def test_solutions_in_uncoupled_parts():
    """A force on one mechanism moves no other one on the same ground: the graph knows, before anything is written out."""
    a, b, c = (sb.symbol(s) for s in "abc")
    M = Matrix(4, 4, tuple(map(as_expr, [a, 0, 1, 0, 0, b, 0, 0, 1, 0, c, 0, 0, 0, 0, 2 * b])))
    x = factorize(M, "definite").solve([0, 0, 1, 0])
    assert [e is as_expr(0) for e in x.entries] == [False, True, False, True]
    at = {a: 3.0, b: 5.0, c: 2.0}
    full = np.array([[3, 0, 1, 0], [0, 5, 0, 0], [1, 0, 2, 0], [0, 0, 0, 10.0]])
    assert np.allclose(sb.evaluate(list(x.entries), at), np.linalg.solve(full, [0, 0, 1, 0]), atol=1e-15)
