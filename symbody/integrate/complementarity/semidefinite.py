"""Cholesky's factors of symmetric matrices without negative eigenvalues, as a kernel."""

from __future__ import annotations

from math import sqrt

from ...emit.loops.kernel_language import Numbers


def semidefinite_factor(n: int, width: int, more: float, small: float, a: Numbers, factor: Numbers) -> None:
    """L with L Lᵀ = A + `more` of its diagonal, for rows at a distance `width`. Columns whose pivot is below a fraction `small`
    of the diagonal are zero: those of directions in which A is singular."""
    for i in range(n):
        for j in range(i + 1):
            value = a[i * width + j]
            if i == j:
                value += more * value
            for m in range(j):
                value -= factor[i * width + m] * factor[j * width + m]
            if i == j:
                factor[i * width + i] = sqrt(value) if value > small * a[i * width + i] else 0.0
            else:
                pivot = factor[j * width + j]
                factor[i * width + j] = value / pivot if pivot > 0.0 else 0.0
