"""Contact problems without friction by an active-set method: linear complementarity problems with a symmetric, positive
semidefinite matrix.

    w = A x + b,   x >= 0,   w >= 0,   xᵀ w = 0
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ...emit.run.callable import Array

DEPENDENT: Final = 1e-10  # eigenvalues of A below this fraction of the largest are rounding
ROUNDING: Final = 1e-11  # a w below this fraction of the largest term counts as zero


def complementary_forces(A: Array, b: Array) -> Array | None:
    """x, or None where there is no solution: then contacts that would have to open keep each other closed.

    These are the conditions for the least ½ xᵀ A x + bᵀ x with x >= 0, found by letting contacts push one after
    another, the one that is entered fastest first, and taking out those that would pull (Lawson and Hanson 1974,
    chapter 23). Where contacts depend on each other the function falls along a line on which nothing else changes,
    until one of them pushes no longer. Of several solutions it finds one with independent contacts.
    """
    size = np.sqrt(np.maximum(np.diag(A), 0.0))
    size[size == 0.0] = 1.0
    A, b = A / np.outer(size, size), b / size
    x, pushing = np.zeros(len(b)), np.zeros(len(b), dtype=bool)
    zero = ROUNDING * float(np.max(np.abs(b), initial=0.0))
    for _ in range(20 * len(b) + 20):
        w = A @ x + b
        open_contacts = np.flatnonzero(~pushing & (w < -zero))
        if not len(open_contacts):
            return x / size
        pushing[open_contacts[np.argmin(w[open_contacts])]] = True
        while True:
            at = np.flatnonzero(pushing)
            step, is_unbounded = _descent_step(A[np.ix_(at, at)], b[at], x[at])
            falling = at[step < 0.0]
            part = float(np.min(x[falling] / -step[step < 0.0], initial=np.inf))
            if is_unbounded and part == np.inf:
                return None
            if not is_unbounded and part >= 1.0:
                x[at] += step
                break
            x[at] += min(part, 1.0 if not is_unbounded else np.inf) * step
            gone = at[x[at] <= 1e-14 * np.max(x, initial=0.0)]
            gone = gone if len(gone) else falling[[np.argmin(x[falling])]]
            x[gone], pushing[gone] = 0.0, False
            if not pushing.any():
                break
    return None


def _descent_step(A: Array, b: Array, x: Array) -> tuple[Array, bool]:
    """The step to the minimum over these contacts, and whether there is none (then it is a direction of descent)."""
    values, vectors = np.linalg.eigh(A)
    regular = values > DEPENDENT * max(float(values[-1]), 1e-300)
    slope = vectors.T @ (A @ x + b)
    free = vectors[:, ~regular] @ slope[~regular]
    if np.linalg.norm(free) > DEPENDENT * max(float(np.linalg.norm(b)), 1e-300):
        return -free, True
    return -vectors[:, regular] @ (slope[regular] / values[regular]), False
