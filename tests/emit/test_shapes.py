"""Shapes of what compiled equations return: the same whatever the number of degrees of freedom."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from tests.amount import dear


def chain(n: int) -> sb.Equations:
    """Pendulums on each other, each with a motor."""
    m = sb.Model(f"chain of {n}")
    m.gravity(0, -9.81, 0)
    length = m.parameter("l", 1.0)
    last = m.ground
    for k in range(n):
        bob = m.particle(f"bob{k}", mass=1.0)
        m.revolute(f"q{k}", last, bob, on=(0, length, 0), actuation=m.input(f"r{k}"))
        last = bob
    return sb.derive(m)


@pytest.mark.parametrize("n", [1, 2, pytest.param(21, marks=dear)])  # from 20 on derivatives run in loops over the tree
def test_matrices_are_matrices_with_one_column_too(n: int) -> None:
    """A mass matrix of one degree of freedom can be factorised like any other, and ∂u'/∂r of one input multiplied."""
    eq = chain(n)
    f = sb.compile(eq)
    at = (0.0, [0.1] * n, [0.2] * n, [0.0] * n)
    assert f.M(*at, f.p).shape == (n, n)
    assert f.M.batch(0.0, np.full((3, n), 0.1), np.full((3, n), 0.2), np.zeros((3, n)), f.p).shape == (3, n, n)
    np.testing.assert_allclose(np.linalg.solve(f.M(*at, f.p), f.f(*at, f.p)), f.udot(*at, f.p), rtol=1e-9)
    derivatives = f.derivatives(("q", "u", "r", "l"))
    found = dict(zip((o.name for o in derivatives.program.outputs), derivatives(*at, f.p), strict=True))
    assert {k: v.shape for k, v in found.items()} == {"a_q": (n, n), "a_u": (n, n), "a_r": (n, n), "a_l": (n,)}
    assert f.inverse_derivatives(("a",))(0.0, [0.1] * n, [0.2] * n, [0.3] * n, [0.0] * n, f.p).shape == (n, n)
