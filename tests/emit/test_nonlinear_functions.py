"""Functions of a nonlinear program in machine code: the sums of the batches, through Python and through C."""

import ctypes

import numpy as np
import pytest
from scipy.sparse import random_array

import symbody as sb
from symbody.algebra.graph.functions import ExternalFunction
from symbody.emit.llvm.nonlinear_text import FUNCTIONS
from symbody.emit.run import callable as callable_module

NODES = 7
X, Y, MU = sb.symbols("x y mu")


def made(value, rng, slope=Y):
    """Nodes with two unknowns, which share their second one with the next node, and random sums."""
    n, m = NODES + 1, 4
    f = sb.compile(sb.program("f", {"v": [X, Y]}, {"value": sb.vector(value), "slope": sb.vector(slope)}), quick=True)
    h = sb.compile(sb.program("h", {"v": [X, Y], "mu": [MU]}, {"curved": sb.vector(MU * sb.cos(X) * Y)}), quick=True)
    found, mu, curved = np.zeros(n + 2 * NODES), np.zeros((NODES, 1)), np.zeros((NODES, 1))
    z, v, weights = found[:n], np.zeros((NODES, 2)), np.zeros(m + 1)
    of_values, of_slopes = found[n : n + NODES, None], found[n + NODES :, None]

    def matrix(rows, columns):
        return random_array((rows, columns), density=0.4, rng=rng, format="csr")

    A, B, C = matrix(m + 1 + n + 6, len(found)), matrix(NODES, m + 1), matrix(5, NODES)
    places = np.arange(NODES)[:, None] + np.arange(2)
    numbers, weights_of, hessian = (np.zeros(k) for k in (A.shape[0], NODES, C.shape[0]))
    mu = weights_of.reshape(-1, 1)
    functions = sb.emit.NonlinearFunctions(
        z, weights, [(places, v)], [f.repeated(v, out=(of_values, of_slopes))], [h.repeated(v, mu, out=curved)],
        ((A, found, numbers), (B, weights, weights_of), (C, curved.ravel(), hessian)),
        ((np.arange(6), np.arange(6) + 1), (np.arange(5) + 2, np.arange(5) + 3)),
    )  # fmt: skip

    def expected(point, lam):
        x, y = point[places].T
        first = A @ np.concatenate([point, np.sin(x) * y, y])
        return first, C @ ((B @ lam) * np.cos(x) * y)

    return functions, expected, (n, m)


@pytest.mark.parametrize("ahead", [0, 64])
def test_sums_are_those_of_the_batches(monkeypatch, ahead):
    """With Python in every call, and without."""
    monkeypatch.setattr(callable_module, "CALLS_AHEAD", ahead)
    rng = np.random.default_rng(0)
    functions, expected, (n, m) = made(sb.sin(X) * Y, rng)
    for _ in range(5):
        functions.z[:], functions.weights[:] = rng.normal(size=n), rng.normal(size=m + 1)
        first, second = expected(functions.z, functions.weights)
        assert functions.first() == pytest.approx(first, abs=1e-13)
        assert functions.second() == pytest.approx(second, abs=1e-13)


def in_c(functions):
    """The functions as a solver written in C calls them."""
    number, index, flag, at = ctypes.c_double, ctypes.c_int, ctypes.c_bool, ctypes.c_void_p
    kinds = (
        (index, at, flag, at, at),
        (index, at, flag, index, at, at),
        (index, at, flag, at, at),
        (index, at, flag, index, index, at, at, at, at),
        (index, at, flag, number, index, at, flag, index, at, at, at, at),
    )
    made = (ctypes.CFUNCTYPE(flag, *k)(functions.addresses[name]) for name, k in zip(FUNCTIONS, kinds, strict=True))
    return dict(zip(FUNCTIONS, made, strict=True))


def test_functions_of_the_c_interface():
    """Parts of the numbers at the point of the call; one that is not new is not evaluated again."""
    rng = np.random.default_rng(1)
    functions, expected, (n, m) = made(sb.sin(X) * Y, rng)
    call, data = in_c(functions), functions.user_data
    for _ in range(3):
        z, lam, sigma = rng.normal(size=n), rng.normal(size=m), 0.7
        first, second = expected(z, np.append(lam, sigma))
        cost, rows, gradient, jacobian, hessian = (np.zeros(k) for k in (1, m, n, 6, 5))
        assert call["eval_f"](n, z.ctypes.data, True, cost.ctypes.data, data)
        assert call["eval_g"](n, None, False, m, rows.ctypes.data, data)  # None: z is not read again
        assert call["eval_grad_f"](n, None, False, gradient.ctypes.data, data)
        assert call["eval_jac_g"](n, None, False, m, 6, None, None, jacobian.ctypes.data, data)
        assert call["eval_h"](n, None, False, sigma, m, lam.ctypes.data, True, 5, None, None, hessian.ctypes.data, data)
        assert np.concatenate([rows, cost, gradient, jacobian]) == pytest.approx(first, abs=1e-13)
        assert hessian == pytest.approx(second, abs=1e-13)
        z = rng.normal(size=n)
        first, second = expected(z, np.append(lam, sigma))
        call["eval_h"](
            n, z.ctypes.data, True, sigma, m, lam.ctypes.data, True, 5, None, None, hessian.ctypes.data, data
        )
        call["eval_g"](n, None, False, m, rows.ctypes.data, data)  # the Hessian had a new point
        assert hessian == pytest.approx(second, abs=1e-13)
        assert rows == pytest.approx(first[:m], abs=1e-13)


def test_patterns_of_the_c_interface():
    functions, _, (n, m) = made(sb.sin(X) * Y, np.random.default_rng(2))
    call, data = in_c(functions), functions.user_data
    for name, count, first, given in (("eval_jac_g", 6, 0, (m, 6)), ("eval_h", 5, 2, (1.0, m, None, False, 5))):
        rows, columns = np.zeros(count, np.intc), np.zeros(count, np.intc)
        assert call[name](n, None, False, *given, rows.ctypes.data, columns.ctypes.data, None, data)
        assert (rows == np.arange(count) + first).all()
        assert (columns == rows + 1).all()


def test_exceptions_in_python_reach_the_caller():
    """Through machine code, once; a solver in C is told by the result."""
    failing = ExternalFunction("failing", 1, python=lambda x: 1 / 0 if x > 0 else 2.0)
    functions, _, (n, _) = made(failing(X), np.random.default_rng(3))
    functions.z[:] = 1.0
    with pytest.raises(ZeroDivisionError):
        functions.first()
    call, z, cost = in_c(functions), np.ones(n), np.zeros(1)
    assert not call["eval_f"](n, z.ctypes.data, True, cost.ctypes.data, functions.user_data)
    assert isinstance(functions.failure, ZeroDivisionError)
    functions.forget()
    assert call["eval_f"](n, (-z).ctypes.data, True, cost.ctypes.data, functions.user_data)
    functions.z[:] = -1.0
    assert np.isfinite(functions.first()).all()
