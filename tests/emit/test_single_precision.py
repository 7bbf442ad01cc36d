"""Batches in single precision: the numbers of double precision to the digits that there are, in twice as many lanes."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from examples import bicycle, slider_crank, spatial_crank
from symbody.emit.llvm import jit
from symbody.emit.lowering.lower import program
from symbody.emit.run.callable import compile_program
from symbody.errors import ProgramError

SINGLE = float(np.finfo(np.float32).eps)


@pytest.fixture(scope="module", params=[slider_crank, spatial_crank, bicycle], ids=lambda m: m.__name__.split(".")[-1])
def dynamics(request):
    """Functions, and a state on the constraints."""
    eq = sb.derive(request.param.model(), check=False)
    return sb.compile(eq), sb.assemble(eq, start=getattr(request.param, "START", {}))


@pytest.mark.parametrize("n", [1, 37, 200])
def test_accelerations_in_both_precisions(dynamics, n):
    """Whole packs and what is left over, with parameters of all and of each."""
    (f, state), random = dynamics, np.random.default_rng(n)
    q, u = (x + 1e-3 * random.normal(size=(n, len(x))) for x in (state.q, state.u))
    p = np.asarray(f.p) * random.uniform(0.99, 1.01, (n, 1))
    for given in (f.p, p):
        single, double = f.udot.batch(0.0, q, u, given, real="float"), f.udot.batch(0.0, q, u, given)
        assert single.dtype == np.float32
        size = np.abs(double).max(axis=1, keepdims=True)
        error = (np.abs(single - double) / size).max()
        assert 1e-9 < error < 300 * SINGLE


def test_functions_of_a_number():
    """Arithmetic, conditions, sines of large angles, and what the library or Python computes."""
    x, y = sb.symbols("x y")
    table = {
        "sum": x * y + x / y - 0.1, "sines": sb.sin(1e5 * x) + sb.cos(x), "roots": sb.sqrt(x) + abs(-y), "powers": x**y + sb.exp(x) + sb.log(y),
        "chosen": sb.where(x < y, x, y), "angle": sb.atan2(x, y) + sb.tanh(x),
    }  # fmt: skip
    f = compile_program(program("all", {"x": x, "y": y}, table), cache=False)
    random = np.random.default_rng(3)
    a, b = random.uniform(0.5, 3.0, (2, 61)).astype(np.float32)
    single, double = f.batch(a, b, real="float"), f.batch(a, b)
    for name, s, d in zip(table, single, double, strict=True):
        bound = 0.02 if name == "sines" else 8 * SINGLE * max(1.0, float(np.abs(d).max()))  # 1e5 x is rounded before
        assert np.abs(s - d).max() <= bound, name


def test_results_go_into_arrays_of_single_precision(dynamics):
    f, state = dynamics
    q, u = np.tile(state.q, (20, 1)), np.tile(state.u, (20, 1))
    found = f.udot.batch(0.0, q, u, f.p, real="float")
    out = np.zeros_like(found)
    assert f.udot.batch(0.0, q, u, f.p, real="float", out=out) is out
    assert np.array_equal(out, found)
    with pytest.raises(ProgramError, match="array of 32-bit floats"):
        f.udot.batch(0.0, q, u, f.p, real="float", out=np.zeros(found.shape))
    with pytest.raises(ProgramError, match="half"):
        f.udot.batch(0.0, q, u, f.p, real="half")


def test_pivoted_systems_are_solved_in_double():
    """Elimination with pivots has whole numbers in its memory."""
    a, b = sb.symbols("a b")
    A = sb.matrix([[0, a, 1], [b, 0, 2], [1, a * b, 0]])
    f = compile_program(program("x", {"a": a, "b": b}, {"x": sb.solve(A, [1, a, b])}), cache=False)
    at = np.random.default_rng(4).uniform(1, 2, (2, 45)).astype(np.float32)
    assert np.array_equal(f.batch(*at, real="float"), f.batch(*at).astype(np.float32))


def test_loops_over_a_tree_are_double(monkeypatch):
    monkeypatch.setattr("symbody.emit.run.dynamics.LOOPS_FROM", 1)
    model = sb.Model("chain")
    parent = model.ground
    model.gravity(0, 0, -9.81)
    for k in range(4):
        body = model.body(f"link {k}", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.2, 0.3))
        model.revolute(f"q{k}", parent, body, axis="xyz"[k % 3], at=(0, 0, -1) if k else (0, 0, 0))
        parent = body
    f = sb.compile(sb.derive(model, check=False))
    q, u = np.random.default_rng(5).uniform(-1, 1, (2, 9, 4))
    derivatives = f.derivatives(("q", "u"))
    assert any(i.op == "tree" for i in derivatives.program.code)
    single, double = derivatives.batch(0.0, q, u, f.p, real="float"), derivatives.batch(0.0, q, u, f.p)
    for s, d in zip(*(x if isinstance(x, tuple) else (x,) for x in (single, double)), strict=True):
        assert s.dtype == np.float32
        assert np.abs(s - d).max() <= 300 * SINGLE * np.abs(d).max()


def test_twice_as_many_lanes():
    assert jit.lanes("float") == 2 * jit.lanes()
