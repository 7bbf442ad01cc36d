"""Steps of variational integrators (`variational.py`), as a method for `march.py`: symmetric maps of order 2, one after
another."""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Function, Known, Mutable, Numbers, is_finite, unrolled
from .dense import cubic
from .march_records import (
    DONE,
    NOT_CONVERGED,
    NOT_FINITE,
    Method,
    Steps,
    never_singular,
    no_cut,
    no_first_step,
    same_step,
)
from .newton_convergence import at_rounding

PIECES: Final = 4
MAX_ITERATIONS: Final = 40  # of Newton's method
CONVERGED_CHANGE: Final = 1e-13  # of v: at the fixed point itself the roundings of both halves cancel
ROUNDING_LEVEL: Final = 1e-6  # changes of v below this fraction may be rounding (`at_rounding`)


class Variational(Method):
    """Memory of the method.

    n, k      numbers of coordinates and of constraints
    shares    parts of a step
    x, new    (v, lam0) of the last map, which took `before`, and after a Newton step
    sizes     sums of |δv|, |v|, |residual|
    rates     y' at the start of a step; rates_end: at its end
    """

    n: int
    k: int
    parts: Known[int]
    shares: Known[Numbers]
    before: Mutable[float]
    x: Numbers
    new: Numbers
    sizes: Numbers
    momenta: Numbers
    G: Numbers
    rates: Numbers
    rates_end: Numbers
    beginning: Function
    newton: Function
    ending: Function


def renew(m: Variational, s: Steps) -> None:
    m.before = 0.0


def advance(m: Variational, s: Steps, h: float) -> None:
    """Nothing to do: an attempt leaves what the next step needs."""


def attempt(m: Variational, s: Steps, h: float, is_again: int) -> int:
    """A step: symmetric maps one after another."""
    at = s.t
    for i in range(s.n):
        s.y_end[i] = s.y[i]
    for part in unrolled(m.parts):
        for i in range(s.n):
            s.w[i] = s.y_end[i]
        status = substep(m, s, at, m.shares[part] * h)
        if status != DONE:
            return status
        at = at + m.shares[part] * h
    return DONE


def substep(m: Variational, s: Steps, t: float, h: float) -> int:
    """One symmetric map of order 2 from w to y_end."""
    m.beginning((t, s.w), (m.momenta, m.G))
    ratio = h / m.before if m.before != 0.0 else 0.0
    for i in range(m.n):
        m.x[i] = s.w[m.n + i] + ratio * (s.w[m.n + i] - m.x[i])
    last = 1e300
    for iteration in range(MAX_ITERATIONS):
        m.newton((t, s.w, m.x, h, m.momenta, m.G), (m.new, m.sizes))
        s.counts.jacobians += 1
        if not is_finite(m.sizes[2]):
            return NOT_FINITE
        if not is_finite(m.sizes[0]):
            return NOT_CONVERGED
        for i in range(m.n + m.k):
            m.x[i] = m.new[i]
        scale = max(m.sizes[1], 1e-8 * total(m.n, s.w) / abs(h))
        if at_rounding(m.sizes[0], last, CONVERGED_CHANGE * scale, ROUNDING_LEVEL * scale) == 1:
            break
        if iteration == MAX_ITERATIONS - 1:
            return NOT_CONVERGED
        last = m.sizes[0]
    m.ending((t, s.w, m.x, h), (s.y_end,))
    m.before = h
    return DONE


def total(n: int, y: Numbers) -> float:
    """Σ |y|."""
    x = 0.0
    for i in range(n):
        x = x + abs(y[i])
    return x


def short_step(m: Variational, s: Steps, h: float, length: float) -> None:
    m.before = 0.0
    attempt(m, s, length, 0)
    m.before = 0.0


def polynomial(m: Variational, s: Steps, h: float, is_short: int) -> None:
    """Cubic between the ends, with the rates there."""
    s.rhs((s.t, s.y), (m.rates,))
    s.rhs((s.t + h, s.y_end), (m.rates_end,))
    s.counts.evaluations += 2
    cubic(s.n, h, s.y, s.y_end, m.rates, m.rates_end, s.r)


KERNELS: Final = {
    "pieces": PIECES, "is_always_dense": 0, "first_step": no_first_step, "attempt": attempt, "shorter": same_step, "next_step": same_step,
    "polynomial": polynomial, "short_step": short_step, "advance": advance, "renew": renew, "resume": renew, "is_singular": never_singular, "cut": no_cut,
}  # fmt: skip
