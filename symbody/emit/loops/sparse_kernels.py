"""Sums over sparse places, between batches of states (`llvm/nonlinear_text.py`)."""

from __future__ import annotations

from .kernel_language import Indices, Numbers


def sparse_product(rows: int, starts: Indices, columns: Indices, factors: Numbers, x: Numbers, y: Numbers) -> None:
    """y = A x, with the nonzeros of A in the order of rows: those of row i from starts[i] on."""
    for i in range(rows):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += factors[k] * x[columns[k]]
        y[i] = total
