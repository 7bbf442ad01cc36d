"""Batches that are repeated on the same arrays: the numbers of `batch`, with threads and where better code takes over."""

import numpy as np
import pytest

import symbody as sb


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


def test_arrays_that_cannot_be_read_again_are_refused():
    f = sb.compile(made(), quick=True)
    out = (np.empty(1), np.empty((1, 2)))
    with pytest.raises(sb.errors.ProgramError, match=r"f.repeated: v must be an array of 64-bit floats in rows"):
        f.repeated([[1.0, 2.0]], np.array([2.0]), out=out)
    with pytest.raises(sb.errors.ProgramError, match="quick=True is for a Program on the CPU"):
        sb.compile(sb.from_equations({sb.symbol("z", "variable"): 1.0}), quick=True)
