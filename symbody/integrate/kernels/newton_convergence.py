"""When an iteration of Newton's method to rounding ends, as a kernel: once for stages of Radau's method, of diagonally
implicit methods, and for maps of variational integrators."""

from __future__ import annotations

from typing import Final

STALLED_RATIO: Final = 0.5  # a change above this fraction of the one before no longer decreases: it is rounding


def at_rounding(change: float, last: float, enough: float, noise: float) -> int:
    """1 where the last change of the unknowns shows that they are as exact as rounding allows: it is negligible
    (`enough`), or it is small (`noise`) and no longer shrinks."""
    if change <= enough:
        return 1
    return 1 if change <= noise and change >= STALLED_RATIO * last else 0
