"""Stacks of linear equations of any rank, beside NumPy's one at a time."""

import numpy as np
import pytest

from symbody.algebra.nonlinear.least_norm import least_norm


@pytest.mark.parametrize(("m", "n", "rank"), [(4, 4, 4), (4, 6, 2), (6, 3, 2), (3, 3, 0), (0, 3, 0)])
def test_the_shortest_of_the_best(m: int, n: int, rank: int) -> None:
    draw = np.random.default_rng(m + n)
    A = draw.normal(size=(5, m, rank)) @ draw.normal(size=(5, rank, n))
    A = A + 1j * A[::-1] if rank == min(m, n) else A
    b = draw.normal(size=(5, m, 2))
    expected = [np.linalg.lstsq(a, right, rcond=1e-10)[0] for a, right in zip(A, b, strict=True)]
    np.testing.assert_allclose(least_norm(A, b, 1e-10), expected, rtol=1e-11, atol=1e-12)
