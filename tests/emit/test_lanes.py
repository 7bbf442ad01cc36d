"""States side by side in the lanes of vectors: each gets the number that it gets alone, whatever its neighbours are."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

import symbody as sb
from examples import slider_crank
from symbody.algebra.graph.functions import ExternalFunction
from symbody.emit.llvm.program_text import llvm_text
from symbody.emit.llvm.sincos import LARGEST
from symbody.emit.lowering.lower import program
from symbody.emit.run.callable import Compiled, compile_program

SIZES = (1, 2, 7, 8, 9, 1_000_003 % 64)


@pytest.fixture(scope="module")
def f() -> Compiled:
    """Arithmetic, sines, roots, quotients and choices of rows of three numbers, with rows of two as results."""
    x, y, z = sb.symbols("x y z")
    s = sb.sin(x) + y * sb.cos(x * z)
    found = [s / (2 + sb.cos(y)), sb.where(x < y, sb.sqrt(y * y + z * z), s - z * x), z]
    return compile_program(program("f", {"x": [x, y, z]}, {"a": found, "b": [s, x * y * z]}), cache=False)


def rows(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-3, 3, (n, 3))


def one_by_one(f: Compiled, x: np.ndarray) -> list[np.ndarray]:
    return [np.stack(found) for found in zip(*(f(row) for row in x), strict=True)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", SIZES)
def test_a_batch_of_any_size_is_one_by_one_to_the_last_digit(f, n, threads):
    x = rows(n, n)
    for got, exact in zip(f.batch(x, threads=threads), one_by_one(f, x), strict=True):
        assert np.array_equal(got, exact)


def test_forward_dynamics_is_one_by_one():
    """A program with linear systems: to rounding of its largest number."""
    eq = sb.derive(slider_crank.model(), check=False)
    g, state, draw = sb.compile(eq).udot, sb.assemble(eq, start=slider_crank.START), np.random.default_rng(1)
    q, u = (x + 1e-2 * draw.normal(size=(13, len(x))) for x in (state.q, state.u))
    p = sb.compile(eq).p
    exact = np.stack([g(0.0, a, b, p) for a, b in zip(q, u, strict=True)])
    got = g.batch(0.0, q, u, np.tile(p, (13, 1)))
    assert np.abs(got - exact).max() <= 1e-12 * np.abs(exact).max()


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf, 3 * LARGEST, -1e18, 1e-310])
def test_a_member_does_not_disturb_its_neighbours(f, strange):
    """Not a number, infinite, an angle beyond those that are reduced in line, or denormal, in every lane in turn."""
    plain = rows(19)
    exact = [np.array(a) for a in f.batch(plain)]
    for lane in range(9):
        x = plain.copy()
        x[lane, 0] = strange
        got, alone = f.batch(x), f(x[lane])
        others = np.arange(len(x)) != lane
        for a, b, own in zip(got, exact, alone, strict=True):
            assert np.array_equal(a[others], b[others])
            assert np.array_equal(a[lane], own, equal_nan=True)


def test_values_survive_the_path_of_large_angles():
    """More values wait in registers than there are, while a function computes the sines of large angles."""
    x, y = sb.symbols("x y")
    waiting = [y * k + sb.cos(y + k) for k in range(40)]
    total = sum(w * (sb.sin(x * (k + 1)) + k) for k, w in enumerate(waiting))
    f = compile_program(program("f", {"x": x, "y": y}, {"s": [total, *waiting]}), cache=False)
    a, b = np.random.default_rng(2).uniform(-1, 1, (2, 24))
    a[[3, 9, 10, 20]] *= 1e8
    exact = np.stack([f(*at) for at in zip(a, b, strict=True)])
    assert np.array_equal(f.batch(a, b), exact)
    k = np.arange(40)
    numpy = ((b[:, None] * k + np.cos(b[:, None] + k)) * (np.sin(a[:, None] * (k + 1)) + k)).sum(axis=1)
    np.testing.assert_allclose(exact[:, 0], numpy, rtol=1e-12)


def test_single_precision_has_large_angles_too(f):
    x = rows(40).astype(np.float32)
    x[5], x[17, 0] = (1e9, 0.5, 1.0), np.nan
    for got, exact in zip(f.batch(x, real="float"), f.batch(x.astype(float)), strict=True):
        np.testing.assert_allclose(got, exact, rtol=2e-5, atol=2e-5)


def test_batches_within_batches_and_beside_each_other():
    """Memory that is kept from call to call is nobody else's: functions of the user call the same batch, and so do
    other threads."""
    x = sb.symbol("x")
    inner = compile_program(program("inner", {"x": x}, {"y": 2 * x}), cache=False)
    given = np.arange(30.0)
    h = ExternalFunction("h", 1, python=lambda v: float(inner.batch(np.full(20, v))[7]))
    outer = compile_program(program("outer", {"x": x}, {"y": h(x) + x}), cache=False)
    assert np.array_equal(outer.batch(given, threads=1), 3 * given)
    found: list[np.ndarray] = []
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        work = [
            threading.Thread(target=lambda k=k: found.extend(inner.batch(given + k) - 2 * k for _ in range(50)))
            for k in range(4)
        ]
        for t in work:
            t.start()
        for t in work:
            t.join()
    finally:
        sys.setswitchinterval(switch)
    assert len(found) == 200
    assert all(np.array_equal(y, 2 * given) for y in found)


def test_nothing_is_put_away_for_large_angles():
    """On both sides LLVM is told that their function saves the registers: in lanes, nothing else is called."""
    x = sb.symbol("x")
    text = llvm_text(program("f", {"x": x}, {"y": sb.sin(x)}), 8).pieces
    assert text.count('"no_caller_saved_registers"') == 2
