"""The one elimination, on numbers, exact numbers and expressions, as Python and as machine code; what is built on it."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.elimination.elimination import definite_pivots, eliminate, exchange_rows, solve_columns
from symbody.algebra.graph.walk import evaluation_order
from symbody.derivation.rank.small_matrices import dependent_rows, pivoted_elimination
from symbody.emit.run.loop_callee import LoopCallee
from symbody.errors import ExpressionError
from symbody.integrate.elimination_kernels.complete_pivoting import eliminate_completely, vanishing_combination

SIZES = [(1, 1), (2, 3), (5, 2), (12, 7)]


def rows_of_rank(m: int, n: int, rank: int, seed: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return draw.normal(size=(m, rank)) @ draw.normal(size=(rank, n))


@pytest.mark.parametrize(("n", "more"), SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_columns_beside_a_matrix_become_solutions(n: int, more: int, seed: int) -> None:
    """A X = B, by Python and by machine code; a zero pivot first, which has to be exchanged."""
    draw = np.random.default_rng(seed)
    A, B = draw.normal(size=(n, n)), draw.normal(size=(n, more))
    A[0, 0] = 0.0 if n > 1 else 2.0
    flat, there = np.hstack([A, B]).ravel().tolist(), np.hstack([A, B]).ravel()
    solve_columns(n, n + more, flat)
    LoopCallee(solve_columns, {}, n=n, width=n + more, a=there).run()
    for found in (np.array(flat), there):
        X = found.reshape(n, n + more)[:, n:]
        assert np.abs(A @ X - B).max() <= 1e-13 * np.linalg.cond(A) * np.abs(B).max()


def test_exact_numbers() -> None:
    """The same text on fractions: Hilbert's matrix of six rows, whose inverse is of whole numbers."""
    n = 6
    a = [Fraction(1, i + j + 1) if j < n else Fraction(int(i == j - n)) for i in range(n) for j in range(2 * n)]
    solve_columns(n, 2 * n, a)
    inverse = [a[i * 2 * n + n + j] for i in range(n) for j in range(n)]
    assert all(x.denominator == 1 for x in inverse)
    assert inverse[0] == 36
    assert sum(inverse) == n * n  # of the inverse of any Hilbert matrix


@pytest.mark.parametrize("seed", range(5))
def test_multipliers_of_columns_in_place_are_combinations(seed: int) -> None:
    """Pivots in any columns: what is left in these is by which multiples of which original rows a row was changed."""
    draw, m, n = Random(seed), 5, 7
    original = [Fraction(draw.randint(-9, 9)) for _ in range(m * n)]
    a, columns = list(original), []
    for k in range(m):
        columns.append(draw.choice([c for c in range(n) if c not in columns and a[k * n + c] != 0]))
        eliminate(k, columns[-1], 0, m, n, a)
    for i in range(m):
        combined = [
            original[i * n + j] - sum(a[i * n + columns[k]] * original[k * n + j] for k in range(i)) for j in range(n)
        ]
        assert all(combined[c] == 0 for c in columns[:i])
        assert all(combined[j] == a[i * n + j] for j in range(n) if j not in columns[:i])


@pytest.mark.parametrize(("m", "n", "rank"), [(3, 5, 2), (6, 4, 3), (7, 9, 4), (4, 4, 1)])
@pytest.mark.parametrize("seed", range(3))
def test_dependent_rows_and_null_spaces(m: int, n: int, rank: int, seed: int) -> None:
    A = rows_of_rank(m, n, rank, seed)
    found = dependent_rows(A.tolist())
    assert [d.row for d in found] == list(range(rank, m))  # generic rows: the first ones are independent
    for d in found:
        assert d.weights[d.row] == 1.0
        assert np.abs(sum(w * A[k] for k, w in d.weights.items())).max() < 1e-11
    it = pivoted_elimination(A.tolist(), n, forbidden=range(n - 1))
    assert len(it.rows) == len(it.columns) == rank
    assert it.columns[0] == n - 1  # the only one that is not forbidden
    assert np.abs(A @ np.array(it.null_space).T).max() < 1e-11
    assert np.linalg.matrix_rank(np.array(it.null_space)) == n - rank


def test_pivots_of_null_spaces_are_the_largest() -> None:
    """The largest entry of what is left, of equal ones that of the last row and column."""
    it = pivoted_elimination([[1.0, 0.0, -1.0], [0.0, 2.0, 0.0]], 3)
    assert (it.rows, it.columns) == ([1, 0], [1, 2])
    assert it.null_space == [[1.0, 0.0, 1.0]]


@pytest.mark.parametrize(("m", "n", "rank"), [(3, 5, 2), (6, 4, 3), (5, 5, 4)])
@pytest.mark.parametrize("seed", range(3))
def test_combinations_of_rows_that_vanish(m: int, n: int, rank: int, seed: int) -> None:
    A = rows_of_rank(m, n, rank, seed)
    a, rows, columns, quality = A.ravel().tolist(), list(range(m)), list(range(n)), [0.0]
    assert eliminate_completely(m, n, m, n, 1e-10, a, rows, columns, quality) == rank
    for row in range(rank, m):
        weights = [0.0] * m
        vanishing_combination(n, rank, row, a, rows, weights)
        assert weights[rows[row]] == 1.0
        assert np.abs(np.array(weights) @ A).max() < 1e-11 * np.abs(weights).max() * np.abs(A).max()


def test_pivots_of_symmetric_matrices() -> None:
    """Up to the first that is not positive."""
    assert definite_pivots(2, [4.0, 2.0, 2.0, 2.0]) == [4.0, 1.0]
    assert definite_pivots(2, [4.0, 2.0, 2.0, 1.0]) == [4.0, 0.0]
    assert definite_pivots(3, [1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0]) == [1.0, -3.0]
    assert definite_pivots(2, [0.0, 1.0, 1.0, 1.0]) == [0.0]


@pytest.mark.parametrize("n", range(1, 6))
def test_determinants(n: int) -> None:
    """On the graph, against numbers; columns that begin with a zero everywhere are exchanged."""
    draw = np.random.default_rng(n)
    names = [sb.symbol(f"a{k}") for k in range(n * n)]
    A: Any = sb.matrix([[names[i * n + j] if i + j != 0 or n == 1 else 0 for j in range(n)] for i in range(n)])
    values = dict(zip(names, draw.normal(size=n * n).tolist(), strict=True))
    numbers = np.array(sb.evaluate(list(A.entries), values), dtype=float).reshape(n, n)
    found = sb.algebra.determinant(A)
    assert sb.evaluate([found], values)[0] == pytest.approx(np.linalg.det(numbers), rel=1e-11)


def test_determinants_of_other_shapes() -> None:
    assert sb.algebra.determinant(sb.zeros(2, 2)) is sb.algebra.determinant(sb.matrix([[0, 1], [0, 2]]))
    with pytest.raises(ExpressionError, match="must be square, got 2 by 3"):
        sb.algebra.determinant(sb.zeros(2, 3))


def test_rows_change_places() -> None:
    a = [1.0, 2.0, 3.0, 4.0]
    exchange_rows(0, 1, 2, a)
    assert a == [3.0, 4.0, 1.0, 2.0]


def test_many_uncoupled_parts_have_factors_of_their_own() -> None:
    """Forty pairs of unknowns, and right sides in two of them: the solution, zero elsewhere, from two small factors."""
    a = sb.symbol("a")
    n = 80
    rows = [[0 * a] * n for _ in range(n)]
    for k in range(0, n, 2):
        rows[k][k], rows[k][k + 1], rows[k + 1][k], rows[k + 1][k + 1] = a + k, 1 + 0 * a, 1 + 0 * a, 2 * a
    right = np.zeros((n, 2))
    right[4, 0], right[31, 0], right[4, 1] = 1.0, -2.0, 3.0
    A = sb.matrix(rows)
    x = sb.solve(A, sb.matrix(right.tolist()), "definite")
    found = np.array(sb.evaluate(x, {a: 1.5}))
    np.testing.assert_allclose(found, np.linalg.solve(np.array(sb.evaluate(A, {a: 1.5})), right), rtol=0, atol=1e-14)
    factors = [m for m in evaluation_order(x.entries) if m.op == "factor"]
    assert [m.data.n for m in factors] == [2, 2]
    product = A @ x
    np.testing.assert_allclose(sb.evaluate(product, {a: 1.5}), right, rtol=0, atol=1e-14)
