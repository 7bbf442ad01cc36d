"""The lengths of steps (Hairer, Nørsett, Wanner I, II.4), as kernels: the norm of errors, the first step, and the
controller of explicit methods."""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.kernel_language import Numbers, is_finite
from .march_records import Steps

SAFETY: Final = 0.9  # factor of the step that the estimated error allows
SHORTEST_RETRY: Final = 0.2  # smallest factor of a step whose error was above the tolerance
RETRY: Final = 0.25  # factor of a step that gave no result


def within(h: float, most: float) -> float:
    """h, or as much of it as is allowed."""
    if abs(h) > most:
        return most if h > 0.0 else -most
    return h


def size(n: int, y: Numbers, scale: Numbers) -> float:
    """Root mean square of y in units of the tolerances."""
    total = 0.0
    for i in range(n):
        x = y[i] / scale[i]
        total = total + x * x
    return sqrt(total / float(n))


# ---------------------------------------------------------------------------------------------------------- the first step


def cautious_step(s: Steps, d0: float, d1: float) -> float:
    """A step over which f changes little, with its sign: d0 and d1 are sizes of y and f (Hairer, Nørsett, Wanner
    II.4)."""
    span = s.t_end - s.t
    h = 0.01 * d0 / d1 if d0 >= 1e-5 and d1 >= 1e-5 else 1e-6
    return within(span, h)


def probable_step(s: Steps, order: int, h0: float, bend: float) -> None:
    """The first step: one that is probably accepted, from a careful one and the size of f or f'."""
    span = s.t_end - s.t
    h = abs(h0)
    h1 = pow(0.01 / bend, 1.0 / order) if bend > 1e-15 else max(1e-6, h * 1e-3)
    h1 = min(100.0 * h, h1)
    if not is_finite(h1):
        h1 = h
    s.h = within(span, min(h1, s.max_step))


# ------------------------------------------------------------------------------------------------------------- other steps


def retry_step(h: float, error: float, order: int) -> float:
    """The step to try after one whose error, in units of the tolerance, was too large: h 0.9 ε^(-1/k)."""
    return h * max(SHORTEST_RETRY, SAFETY * pow(error, -1.0 / order))


def growth_factor(order: int, error: float, error_before: float, ratio: float, is_again: int) -> float:
    """h⁺/h after a step that was accepted, by a filter of the errors of two steps, and never more than the last error
    alone allows:

        h⁺/h = 0.9 min( ε^(-1/k),  (ε ε₋)^(-1/4k) (h/h₋)^(-1/4) )

    The second is H211b (Söderlind, Digital filters in adaptive time-stepping, ACM TOMS 29, 2003). Where stability bounds
    the steps, as of vibrations that have died down, the first alone grows into the bound and falls back, and every fourth
    step is rejected.

    ratio      h₋/h, or 0 where there is no step before
    is_again   1 where an attempt was refused before this one: the step does not grow then
    """
    factor = SAFETY * pow(error, -1.0 / float(order))
    if is_again == 1:
        return min(factor, 1.0)
    if ratio != 0.0:
        smooth = pow(error * error_before, -0.25 / float(order)) * pow(ratio, 0.25)
        factor = min(factor, SAFETY * smooth)
    return factor
