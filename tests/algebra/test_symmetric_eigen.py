"""Eigenvalues of symmetric matrices of numbers: A V = V D, Vᵀ V = 1, and those of LAPACK."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e300])
def test_decomposition_of_random_matrices(n: int, size: float) -> None:
    random = np.random.default_rng(n)
    A = random.standard_normal((n, n))
    A = (A + A.T) / 2
    found, vectors = sb.algebra.symmetric_eigen((size * A).tolist())
    values, V = np.array(found) / size, np.array(vectors)
    assert pytest.approx(np.eye(n), abs=1e-13) == V.T @ V
    assert pytest.approx(V * values, abs=1e-13 * np.abs(values).max()) == A @ V
    assert np.sort(values) == pytest.approx(np.linalg.eigvalsh(A), abs=1e-13 * np.abs(values).max())


def test_exact_where_nothing_is_to_turn() -> None:
    assert sb.algebra.symmetric_eigen([[2, 0], [0, 2]]) == ([2.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])
    assert sb.algebra.symmetric_eigen([]) == ([], [])
    values, _ = sb.algebra.symmetric_eigen([[1, 1], [1, 1]])
    assert sorted(values) == pytest.approx([0.0, 2.0], abs=1e-15)
