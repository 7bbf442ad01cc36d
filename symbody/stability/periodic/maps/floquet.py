"""Floquet multipliers: eigenvalues of a product of maps around an orbit, by orthogonal iteration that never forms the
product.

With  B_j Q_{j-1} = Q_j R_j  around the orbit, the product is similar to  (Q_0ᵀ Q_N) R_N ... R_1.  After a few sweeps
Q_0ᵀ Q_N is block diagonal wherever moduli are well separated; products of the diagonal blocks of the triangles, which
are the diagonal blocks of their product, then give each group of multipliers to full relative accuracy, even if they
are as different as 1 and 1e-200 (Bojanczyk, Golub, Van Dooren 1992; Lust 2001). Within a block moduli are similar, and
its product is well conditioned.
"""

from __future__ import annotations

from itertools import pairwise
from math import sqrt
from typing import Final

import numpy as np

from ....emit.run.callable import Array
from ....integrate.forms.compile_effort import Effort
from ...spectra.pencil import Complex
from .chain import Sweep, sweep

SWEEPS: Final = 5  # number of sweeps of orthogonal iteration
BLOCK_TOLERANCE: Final = 1e-13  # largest entry of Q_0ᵀ Q_N between decoupled blocks


class ProductSolver:
    """Memory for products of a given number of maps of n variables, and the compiled loop."""

    def __init__(self, n: int, count: int, effort: Effort) -> None:
        self.n, self._B, self._P, self._one = n, np.zeros((count, n, n)), np.zeros((n, n)), np.eye(n)
        self._first, self._last = np.zeros((n, n)), np.zeros((n, n))
        record = Sweep(
            n=n, intervals=count, sweeps=SWEEPS, B=self._B.reshape(-1), R=np.zeros(n * n), P=self._P.reshape(-1),
            first=self._first.reshape(-1), last=self._last.reshape(-1), v=np.zeros(n),
        )  # fmt: skip
        self._effort, self._sweep = effort, effort.loop(sweep, o=record)

    def eigenvalues(self, B: Array) -> Complex:
        """Eigenvalues of B[-1] ... B[1] B[0], the largest first."""
        n = self.n
        self._B[:], self._last[:] = B, self._one
        self._effort.run(self._sweep)
        E, P = self._first.T @ self._last, self._P
        edges = [0, *(i for i in range(1, n) if np.abs(E[i:, :i]).max() <= BLOCK_TOLERANCE), n]
        found: list[complex] = []
        for a, b in pairwise(edges):
            found += _eigenvalues(E[a:b, a:b] @ P[a:b, a:b])
        return np.array(sorted(found, key=abs, reverse=True), dtype=complex)


def _eigenvalues(A: Array) -> list[complex]:
    """Of a small matrix; of two by two by the formula that subtracts nothing of like size, which is faster than LAPACK
    by far."""
    if len(A) == 1:
        return [complex(A[0, 0])]
    if len(A) > 2:
        return [complex(x) for x in np.linalg.eigvals(A)]
    (a, b), (c, d) = A.tolist()
    mean, half = (a + d) / 2, (a - d) / 2
    root = half * half + b * c
    if root < 0:
        pair = complex(mean, sqrt(-root))
        return [pair, pair.conjugate()]
    large = mean + sqrt(root) if mean > 0 else mean - sqrt(root)
    return [complex(large), complex((a * d - b * c) / large if large else 0.0)]
