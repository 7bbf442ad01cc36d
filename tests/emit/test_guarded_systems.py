"""Definite systems that are guarded have no solutions where they are singular to rounding, whether they are written out
or solved by a loop."""

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph.linear import factorize


def nearly_singular(n: int, distance: float) -> list[list[float]]:
    """Σ v vᵀ of n vectors, of which the last is that far from the span of the others, in rows of very different
    units."""
    draw = np.random.default_rng(n)
    vectors = draw.normal(size=(n, n))
    vectors[-1] = vectors[:-1].T @ draw.normal(size=n - 1) + distance * vectors[-1]
    units = 10.0 ** draw.integers(-3, 3, n)
    scaled = vectors * units[:, None]
    return (scaled @ scaled.T).tolist()


@pytest.mark.parametrize("n", [2, 4, 24])
def test_singular_systems_have_no_solutions(n):
    """In machine code, in batches and by `evaluate`; regular ones have the solution that they have without a guard."""
    entries = [[sb.symbol(f"a{min(i, j)}_{max(i, j)}", "input") for j in range(n)] for i in range(n)]
    upper = [entries[i][j] for i in range(n) for j in range(i, n)]
    A, b = sb.matrix(entries), [float(i + 1) for i in range(n)]
    sizes = [nearly_singular(n, 1.0)[i][i] for i in range(n)]
    guarded, plain = (factorize(A, "definite", s).solve(b) for s in (sizes, ()))
    f, g = (
        sb.compile(sb.program(name, {"a": upper}, {"x": x})) for name, x in (("guarded", guarded), ("plain", plain))
    )
    rows = {d: [nearly_singular(n, d)[i][j] for i in range(n) for j in range(i, n)] for d in (1.0, 1e-3, 1e-9, 0.0)}
    for distance in (1.0, 1e-3):
        assert f(rows[distance]) == pytest.approx(g(rows[distance]), rel=1e-12)
        values = dict(zip(upper, rows[distance], strict=True))
        assert sb.evaluate(guarded, values) == pytest.approx(sb.evaluate(plain, values), rel=1e-12)
    for distance in (1e-9, 0.0):
        assert np.isnan(f(rows[distance])).all()
        with pytest.raises(sb.errors.EvaluationError):
            sb.evaluate(guarded, dict(zip(upper, rows[distance], strict=True)))
    assert np.isnan(f.batch(np.array([rows[1.0], rows[0.0]]))).all(axis=1).tolist() == [False, True]


def test_more_digits_see_further():
    """With fifty digits a system is regular that is singular in machine numbers."""
    a = sb.symbol("a", "parameter")
    x = factorize(sb.matrix([[1, 1], [1, 1 + a]]), "definite", (1.0, 1.0)).solve([0.0, 1.0])
    with pytest.raises(sb.errors.EvaluationError):
        sb.evaluate(x, {a: 1e-15})
    assert float(sb.evaluate(x, {a: 1e-15}, digits=50)[1]) == pytest.approx(1e15)


@pytest.mark.parametrize("n", [2, 12])
def test_a_guarded_matrix_of_numbers_compiles(n: int) -> None:
    """Mass matrices without symbols: regular once for all, written out or in a loop."""
    x = sb.symbol("x", "coordinate")
    A = sb.Matrix(n, n, tuple(sb.identity(n)[i, j] * 2.4 + 0.1 for i in range(n) for j in range(n)))
    right = [x if i == 0 else 0 * x for i in range(n)]
    found = sb.compile(sb.program("p", {"x": [x]}, {"y": factorize(A, "definite", [1.0] * n).solve(right)}))([1.0])
    expected = np.linalg.solve(2.4 * np.eye(n) + 0.1, np.eye(n)[0])
    assert np.allclose(np.ravel(found), expected, rtol=1e-13)
