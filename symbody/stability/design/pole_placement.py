"""Gains by pole placement, in a module of its own because scipy.signal takes longer to load than most linear systems
take to be analysed."""

from __future__ import annotations

import numpy as np
from scipy.signal import place_poles

from ...emit.run.callable import Array
from ..spectra.pencil import Complex


def gains(A: Array, B: Array, poles: Complex) -> Array:
    """K such that A - B K has these eigenvalues (Tits and Yang 1996)."""
    return np.asarray(place_poles(A, B, poles).gain_matrix)
