"""Steps of Newton's method towards orbits that are not isolated.

Where something is conserved that is not known, or the motion may be displaced or rotated as a whole, orbits come in
families, and Newton's matrix is singular at each of them. The step is then that of Levenberg and Marquardt,

    |A p + F|² + μ² |p|² least,   μ = max(|F|, μ_0),   rows and unknowns in units of their sizes

which converges quadratically to an orbit near the start, whatever the dimension of the family (Yamashita, Fukushima 2001, *On
the rate of convergence of the Levenberg-Marquardt method*): as F vanishes, p becomes the shortest Newton step. Singular
values far below μ_0 count as zeros; at those above it the error of a step is (μ_0/σ)² of its length.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ....emit.run.callable import Array

MIN_DAMPING: Final = (
    1e-6  # singular value of Newton's matrix, rows having length one, far below which it counts as zero
)


def damped_steps(A: Array, right: Array, sizes: Array) -> Array:
    """p of A p = right, of which column 0 is -F; further columns are solved with the same damping.

    sizes   of the unknowns
    """
    scaled = A * sizes
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    lengths[lengths == 0] = 1.0
    U, values, Vt = np.linalg.svd(scaled / lengths)
    b = right / lengths
    mu = max(float(np.linalg.norm(b[:, 0])), MIN_DAMPING)
    parts = (U.T @ b) * (values / (values**2 + mu**2))[:, None]
    return np.asarray(sizes[:, None] * (Vt.T @ parts))
