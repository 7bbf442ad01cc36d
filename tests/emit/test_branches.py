"""Many right sides against one sparse matrix: the solution, with fewer operations than back substitution."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.emit.lowering.tree_solves import Branches

TREES = {  # the place that each place hangs on
    "star of chains": [-1, 0, 1, *(k for arm in range(4) for k in (2, *range(3 + 5 * arm, 7 + 5 * arm)))],
    "chain": [-1, *range(9)],
    "two trees": [-1, 0, 1, 1, 3, 4, -1, 6, 7, 7, 9],
}


def matrix_of(tree: list[int]) -> tuple[list[sb.Symbol], sb.Matrix, np.ndarray]:
    """Definite, with entries between each place and those it hangs on."""
    n, draw = len(tree), np.random.default_rng(1)
    values, names = np.zeros((n, n)), {}
    for k in range(n):
        i = k
        while i >= 0:
            values[i, k] = values[k, i] = 2.0 * n if i == k else draw.uniform(-1, 1)
            names[i, k] = sb.symbol(f"m_{i}_{k}")
            i = tree[i]
    entries = tuple(names.get((min(i, j), max(i, j)), sb.fraction(0, 1)) for i in range(n) for j in range(n))
    return list(names.values()), sb.Matrix(n, n, entries), values


@pytest.mark.parametrize("name", TREES)
def test_solutions(name: str) -> None:
    symbols, M, values = matrix_of(TREES[name])
    n = M.rows
    right = np.random.default_rng(2).uniform(-1, 1, (n, n)) * (values != 0)  # acts on ancestors and descendants
    B = sb.matrix(right.tolist())
    made = sb.program("solved", {"m": symbols}, {"x": sb.algebra.factorize(M, "definite").solve(B)})
    assert not any(i.op == "factor" for i in made.code)
    numbers = [values[tuple(int(k) for k in s.name.split("_")[1:])] for s in symbols]
    assert sb.compile(made)(numbers) == pytest.approx(np.linalg.solve(values, right), rel=1e-12, abs=1e-14)


def test_branches_save_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    symbols, M, _ = matrix_of(TREES["star of chains"])
    inverse = sb.algebra.factorize(M, "definite").solve(sb.identity(M.rows))

    def cost() -> int:
        return sb.program("solved", {"m": symbols}, {"x": inverse}).cost.total

    with_branches = cost()
    monkeypatch.setattr(Branches, "_counted", lambda self, patterns: set())
    assert with_branches < 0.85 * cost()
