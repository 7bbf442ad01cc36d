"""Many right sides against the factors of one sparse matrix, written out.

Where A = L D Lᵀ comes from a tree, a right side that acts in one branch moves another branch only through what they
both hang on. There back substitution through the whole branch is cut short:

    x_k = -Σ L_ik x_i   over all ancestors i of k    becomes    x_k = Σ W_ki x_i   over the ancestors of the branch

with W found once for all right sides, where counting says that it pays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import sum_of_products


class Branches:
    """Factors of `definite_factor` as expressions, and what to do with right sides that have entries at `patterns`."""

    def __init__(self, n: int, factors: list[Expr], patterns: Iterable[Iterable[int]]) -> None:
        self.n, self.factors = n, factors
        self._above = [[i for i in range(k + 1, n) if factors[i * n + k] is not ZERO] for k in range(n)]
        self._weights: dict[tuple[int, int], dict[int, Expr]] = {}
        self._paying = self._counted(patterns)

    def solution(self, b: Sequence[Expr]) -> list[Expr]:
        """As `definite_solve` along the entries that are not zero, but where branches pay."""
        n, a, x = self.n, self.factors, list(b)
        for k in range(n):
            if x[k] is not ZERO:
                x[k] = x[k] * a[k * n + k]
                for i in self._above[k]:
                    x[i] = x[i] - x[k] * a[k * n + i]
        top = self._tops([e is ZERO for e in x]) if self._paying else [-1] * n
        for k in reversed(range(n)):
            if (k, top[k]) in self._paying:
                weights = self._weights_of(k, top[k])
                x[k] = sum_of_products(list(weights.values()), [x[i] for i in weights])
            else:
                for i in reversed(self._above[k]):
                    if x[i] is not ZERO:
                        x[k] = x[k] - x[i] * a[i * n + k]
        return x

    def _tops(self, is_still: Sequence[bool]) -> list[int]:
        """For each place where nothing acts the last such place on the way to the root, itself at least; -1 where
        something acts."""
        top = [-1] * self.n
        for k in reversed(range(self.n)):
            if is_still[k]:
                parent = self._above[k][0] if self._above[k] else k
                top[k] = k if parent == k or top[parent] < 0 else top[parent]
        return top

    def _weights_of(self, k: int, top: int) -> dict[int, Expr]:
        """W_ki = -L_ik - Σ L_mk W_mi, m between k and what is beyond the top."""
        if (k, top) not in self._weights:
            a, n = self.factors, self.n
            out = {i: -a[i * n + k] for i in self._above[k] if i > top}
            for m in self._above[k]:
                if m <= top:
                    for i, w in self._weights_of(m, top).items():
                        out[i] = out.get(i, ZERO) - a[m * n + k] * w
            self._weights[k, top] = out
        return self._weights[k, top]

    # ------------------------------------------------------------------------------------------------ counting

    def _counted(self, patterns: Iterable[Iterable[int]]) -> set[tuple[int, int]]:
        """Places and tops for which weights take fewer operations than back substitution."""
        uses = Counter((k, t) for p in patterns for k, t in enumerate(self._tops(self._still(p))) if t not in (-1, k))
        chosen = {}
        for (k, t), count in uses.items():
            basis, between = len(self._above[t]), sum(m <= t for m in self._above[k])
            saved = 2 * (len(self._above[k]) - basis) * count
            chosen[k, t] = saved > basis * (2 * between + 1)
        return {key for key, pays in chosen.items() if pays}

    def _still(self, pattern: Iterable[int]) -> list[bool]:
        """Where forward substitution leaves nothing of a right side."""
        is_still = [True] * self.n
        for k in pattern:
            while is_still[k]:
                is_still[k] = False
                if self._above[k]:
                    k = self._above[k][0]
        return is_still
