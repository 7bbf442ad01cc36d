"""Newton's method for systems with too many, enough or too few equations: steps of least norm, damped where they do not help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..emit.run.callable import Array

STEPS: Final = 60
RANK: Final = 1e-10  # singular values below this part of the largest count as zero
HOLDS: Final = 1e-9  # a row is zero when it is below this part of its own terms


@dataclass(frozen=True)
class Reached:
    """Where the iteration ended.

    residual    of each row, in units of its own terms
    rank        of the Jacobian there
    loose       how far each unknown lies in the null space of the Jacobian: 0 determined, 1 not at all
    """

    w: Array
    residual: Array
    raw: Array
    rank: int
    loose: Array
    steps: int

    @property
    def holds(self) -> bool:
        return bool(self.size < HOLDS)

    @property
    def size(self) -> float:
        return float(np.abs(self.residual).max(initial=0.0))


def newton(function: Callable[[Array], tuple[Array, Array]], start: Array) -> Reached:
    """A zero of `function`, which gives residuals and their Jacobian, near `start` (Levenberg, Marquardt).

    Rows are scaled by their largest slope, since forces, lengths and angles stand side by side. Where the equations leave some
    unknowns open, the step of least norm leaves these where they were.
    """
    w, damping = start.copy(), 1e-8
    r, J = function(w)
    taken = 0
    while taken < STEPS:
        scale = _row_scales(J)
        if np.abs(r / scale).max(initial=0.0) < 1e-16:
            break
        step = _step(J / scale[:, None], r / scale, damping)
        if not np.isfinite(step).all():
            break
        there, taken = w + step, taken + 1
        r_there, J_there = function(there)
        if np.isfinite(r_there).all() and np.linalg.norm(r_there / scale) < np.linalg.norm(r / scale):
            w, r, J, damping = there, r_there, J_there, max(damping / 100, 1e-30)
        elif np.abs(step).max(initial=0.0) < 1e-15 * (1 + np.abs(w).max(initial=0.0)) or damping > 1e8:
            break
        else:
            damping = max(10 * damping, 1e-6)
    return _reached(w, r, J, taken)


def _row_scales(J: Array) -> Array:
    """The largest slope of each row; rows that are nearly nothing, such as sin(π) times a speed, are not blown up."""
    slopes = np.abs(J).max(axis=1, initial=0.0)
    return np.maximum(slopes, max(1e-4 * slopes.max(initial=0.0), 1e-12))


def _step(J: Array, r: Array, damping: float) -> Array:
    if not np.isfinite(J).all() or not np.isfinite(r).all() or not J.size:
        return np.full(J.shape[1], np.nan if J.size else 0.0)
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    kept = s > RANK * s[0] if s[0] else np.zeros_like(s, dtype=bool)
    gain = np.where(kept, s / np.where(kept, s * s + damping * s[0] ** 2, 1.0), 0.0)
    return -Vt.T @ (gain * (U.T @ r))


def _reached(w: Array, r: Array, J: Array, steps: int) -> Reached:
    if not J.size or not np.isfinite(J).all() or not np.isfinite(r).all():
        bad = np.where(np.isfinite(r), r, np.inf)
        return Reached(w, bad, bad, 0, np.ones(len(w)), steps)
    scale = np.maximum(_row_scales(J), np.abs(J) @ np.abs(w))
    _, s, Vt = np.linalg.svd(J / _row_scales(J)[:, None])
    rank = int((s > RANK * s[0]).sum()) if s[0] else 0
    return Reached(w, r / scale, r, rank, np.linalg.norm(Vt[rank:], axis=0), steps)
