"""Minimum-norm solutions of linear equations of any rank, for a stack of matrices: `np.linalg.lstsq` for many at
once.

    |A x - b| least, and of all such x the shortest:   A = U S Vᵀ,   x = V_r S_r⁻¹ U_rᵀ b

with the r singular values above a threshold relative to the largest, which the caller chooses: the size of rounding
errors depends on where A comes from (Golub, Van Loan, Matrix Computations, 5.5.1).
"""

from __future__ import annotations

from typing import Any

import numpy as np


def least_norm(A: Any, b: Any, rounding: float) -> Any:
    """x of A x = b; A has shape (..., m, n), b (..., m, k). Singular values below `rounding` of the largest are zeros."""
    U, values, Vh = np.linalg.svd(A, full_matrices=False)
    is_zero = values <= rounding * values.max(axis=-1, initial=0.0, keepdims=True)
    parts = (U.conj().swapaxes(-1, -2) @ b) / np.where(is_zero, np.inf, values)[..., None]
    return Vh.conj().swapaxes(-1, -2) @ parts
