"""Some eigenvalues of a large pencil A x = s E x: those nearest to a point σ, from a Krylov space of (A - σ E)⁻¹ E, whose
largest eigenvalues are 1/(s - σ) (shift and invert; Lehoucq, Sorensen and Yang, ARPACK Users' Guide, 1998)."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

from ...emit.run.callable import Array
from ...errors import StabilityError
from .pencil import Complex, pencil_spectrum, sorted_order

FEW_STATES: Final = 30  # up to which all eigenvalues are computed
SHIFTS: Final = (0.0, 1e-5, 1e-3)  # tried until A - σ E is regular, in units of √|A|
SINGULAR: Final = 1e12  # growth of a vector by (A - σ E)⁻¹ from which this counts as singular


def nearest_eigenvalues(E: Array, A: Array, count: int, near: complex, names: tuple[str, ...] = ()) -> Complex:
    """`count` finite eigenvalues, the nearest to `near`, by real part."""
    if len(A) <= max(FEW_STATES, 2 * count + 2):
        s = pencil_spectrum(E, A, names).s
    else:
        s = _from_krylov_space(E, A, count, near)
    s = s[np.argsort(np.round(np.abs(s - near), 12), kind="stable")][:count]
    return s[sorted_order(s)]


def _from_krylov_space(E: Array, A: Array, count: int, near: complex) -> Complex:
    n, start = len(A), np.random.default_rng(0).normal(size=len(A))
    scale = float(np.sqrt(np.abs(A).max(initial=0.0)))
    for shift in SHIFTS:
        sigma = near + shift * scale
        sigma = sigma.real if not np.imag(sigma) else sigma
        factors = lu_factor(A - sigma * E)
        if np.abs(lu_solve(factors, E @ start)).max() < SINGULAR * np.abs(start).max():
            break
    operator = LinearOperator((n, n), lambda v: lu_solve(factors, E @ np.reshape(v, -1)), dtype=factors[0].dtype)
    try:
        # one more: a conjugate pair is not cut
        mu = eigs(operator, k=count + 1, v0=start, return_eigenvectors=False)
    except ArpackNoConvergence as reason:
        raise StabilityError(
            f"eigenvalues: {count} nearest to {near} did not converge, {len(reason.eigenvalues)} did; pass a smaller count, or compute all of them"
        ) from None
    found = mu[np.abs(mu) > 0]
    return np.asarray(sigma + 1 / found, dtype=complex)
