"""Batches that are repeated on the same arrays: the numbers of `batch`, with threads and where better code takes over."""

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph.functions import ExternalFunction
from symbody.emit.run import callable as callable_module


def made():
    x, y, p = sb.symbols("x y p")
    return sb.program("f", {"v": [x, y], "p": [p]}, {"s": sb.sin(x) * p + y, "d": sb.vector(x - y, p * y)})


@pytest.mark.parametrize("n", [1, 7, 70_000])  # one state, a part of a register, more than run on quick code
def test_repeated_batch_is_the_batch(n):
    f, rng = sb.compile(made(), quick=True), np.random.default_rng(0)
    v, p, s, d = rng.normal(size=(n, 2)), np.array([2.0]), np.empty(n), np.empty((n, 2))
    again = f.repeated(v, p, out=(s, d))
    for _ in range(2):
        v[:] = rng.normal(size=(n, 2))
        p[0] += 0.5
        again()
        expected = sb.compile(made()).batch(v.copy(), p.copy())
        assert (s == expected[0]).all()
        assert (d == expected[1]).all()


def long_program(outside):
    """With functions of others of one number."""
    v = sb.symbols("x y")
    for _ in range(40):
        v = [sb.sin(v[1]) * v[0] + outside(v[1]), v[0] - v[1] * v[0]]
    return sb.program("f", {"v": list(sb.symbols("x y"))}, {"s": v[0], "d": sb.vector(*v)})


@pytest.mark.parametrize("threads", [1, 3])
def test_long_programs_begin_with_tables(monkeypatch, threads):
    """The same numbers, from tables and then from machine code, which is not made before."""
    monkeypatch.setattr(callable_module, "LONG_BATCH", 50)
    monkeypatch.setattr(callable_module, "FEWER_STATES", 100)
    monkeypatch.setattr(callable_module.Compiled, "_threads_for", lambda self, n: threads)
    spline = sb.integrate.interpolation("spline", [-5.0, 1.0, 5.0], [0.0, 1.0, 4.0])
    f, rng, n = sb.compile(long_program(spline), quick=True, cache=False), np.random.default_rng(0), 50
    v, s, d = np.empty((n, 2)), np.empty(n), np.empty((n, 2))
    again = f.repeated(v, out=(s, d))
    for is_table in (True, True, False):
        v[:] = rng.normal(size=(n, 2))
        again()
        assert bool(f._many) is not is_table
        expected = sb.compile(long_program(spline)).batch(v.copy())
        assert (s == expected[0]).all()
        assert (d == expected[1]).all()
    monkeypatch.setattr(callable_module, "FEWER_STATES", 10_000)
    failing = ExternalFunction("failing", 1, python=lambda x: 1 / (x > 1e9))
    with pytest.raises(ZeroDivisionError):
        sb.compile(long_program(failing), quick=True, cache=False).repeated(v, out=(s, d))()


def test_arrays_that_cannot_be_read_again_are_refused():
    f = sb.compile(made(), quick=True)
    out = (np.empty(1), np.empty((1, 2)))
    with pytest.raises(sb.errors.ProgramError, match=r"f.repeated: v must be an array of 64-bit floats in rows"):
        f.repeated([[1.0, 2.0]], np.array([2.0]), out=out)
    with pytest.raises(sb.errors.ProgramError, match="quick=True is for a Program on the CPU"):
        sb.compile(sb.from_equations({sb.symbol("z", "variable"): 1.0}), quick=True)
