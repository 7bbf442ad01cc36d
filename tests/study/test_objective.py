"""Indices and objectives against what is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import symbody as sb


def linear_sum(a: float, b: float, c: float) -> float:
    return 3 * a + 2 * b + 0 * c


OVER = {"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0)}


def test_indices_of_a_sum() -> None:
    """Shares of variance 9 : 4 : 0, and effects 3, 2, 0."""
    pytest.importorskip("SALib", reason="needs the package SALib")
    shares = sb.study.sobol_indices(linear_sum, OVER, repeat=256, seed=1)
    assert [shares[n]["first"] for n in "abc"] == pytest.approx([9 / 13, 4 / 13, 0], abs=0.03)
    assert [shares[n]["total"] for n in "abc"] == pytest.approx([9 / 13, 4 / 13, 0], abs=0.03)
    effects = sb.study.morris_indices(linear_sum, OVER, repeat=8, seed=1)
    assert [effects[n]["mean"] for n in "abc"] == pytest.approx([3, 2, 0], rel=0.01, abs=1e-9)
    with pytest.raises(sb.errors.StudyError, match="interval or a distribution"):
        sb.study.sobol_indices(linear_sum, {**OVER, "c": [1.0]})


def test_gradients_are_exact() -> None:
    """Of the end of a motion, and of a growth rate, against differences."""
    x, v, k, c = sb.symbols("x v k c")
    eq = sb.from_equations({x: v, v: -k * x - c * v}, {k: 4.0, c: 0.3}, name="oscillator")
    lin = sb.linear_system([[0, 1], [-k, -c]], defaults={k: 4.0, c: 0.3})
    for f in (
        sb.study.objective(eq, {"k": (1, 9), "c": (0, 1)}, "x", t=2.0, start={"x": 1.0}),
        sb.study.objective(lin, {"k": (1, 9), "c": (0, 1)}),
    ):
        at, step = np.array([4.0, 0.3]), 1e-5
        slopes = [(f(at + step * d) - f(at - step * d)) / (2 * step) for d in np.eye(2)]
        assert f.gradient(at) == pytest.approx(slopes, abs=1e-6)
        assert f.many([at, at + 0.1]) == pytest.approx([f(at), f(at + 0.1)], abs=1e-6)
    assert f(at) == pytest.approx(-0.15)


def test_paired_points() -> None:
    found = sb.sweep(linear_sum, {"a": [1, 2], "b": [3, 4], "c": [0, 0]}, sample="paired")
    assert found["value"].tolist() == [9, 14]
    with pytest.raises(sb.errors.StudyError, match="lists of one length"):
        sb.sweep(linear_sum, {"a": [1, 2], "b": [3], "c": [0]}, sample="paired")


def test_nevergrad_asks_and_tells():
    """The optimisers that the page names, where they are installed."""
    nevergrad = pytest.importorskip("nevergrad", reason="nevergrad is not installed")
    x, v, e, k, c = sb.symbols("x v e k c")
    rates = {x: v, v: -k * x - c * v, e: x**2 + 0.1 * v**2}
    eq = sb.from_equations(rates, {k: 1.0, c: 0.2}, name="damper")
    f = sb.study.objective(eq, {"c": (0.05, 5.0)}, "e", t=10.0, start={"x": 1.0})
    box = nevergrad.p.Array(init=f.middle).set_bounds(*np.array(f.bounds).T)
    optimizer = nevergrad.optimizers.CMA(parametrization=box, budget=64, num_workers=8)
    optimizer.parametrization.random_state.seed(1)
    design, value = f.searched(optimizer, rounds=8, batch=8)
    best = minimize(f.value_and_gradient, f.middle, jac=True, bounds=f.bounds)
    assert value == pytest.approx(best.fun, rel=1e-2)
    assert design["c"] == pytest.approx(best.x[0], rel=0.2)
