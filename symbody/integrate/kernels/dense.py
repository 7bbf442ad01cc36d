"""Solutions between the ends of steps: the methods' own polynomials, as kernels and on arrays.

    y(t + θ h) = r_0 + θ (r_1 + (1 - θ) (r_2 + θ (r_3 + (1 - θ) (r_4 + ...))))

Its first four coefficients are those of Hermite's cubic, from the states and rates at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...emit.loops.kernel_language import Numbers, unrolled
from ...emit.run.callable import Array


def interpolate(n: int, pieces: int, theta: float, r: Numbers, out: Numbers) -> None:
    """The polynomial r at θ."""
    for i in range(n):
        x = 0.0
        for m in unrolled(1, pieces):
            x = (x + r[(pieces - m) * n + i]) * (theta if (pieces - m) % 2 == 1 else 1.0 - theta)
        out[i] = r[i] + x


def cubic(n: int, h: float, y: Numbers, y_end: Numbers, rates: Numbers, rates_end: Numbers, r: Numbers) -> None:
    """r_0 ... r_3 of a step h: y, y⁺ - y, h y' - r_1, r_1 - h y'⁺ - r_2."""
    for i in range(n):
        change = y_end[i] - y[i]
        bend = h * rates[i] - change
        r[i] = y[i]
        r[n + i] = change
        r[2 * n + i] = bend
        r[3 * n + i] = change - h * rates_end[i] - bend


@dataclass(frozen=True, eq=False)
class Dense:
    """Steps of one run, without a jump between them: from `start` to `ends`, each with the coefficients of its
    polynomial."""

    start: float
    ends: Array
    coefficients: Array  # step, piece, variable

    @property
    def end(self) -> float:
        return float(self.ends[-1]) if len(self.ends) else self.start

    def __call__(self, times: Array) -> Array:
        direction = -1.0 if self.end < self.start else 1.0
        times = np.clip(times, min(self.start, self.end), max(self.start, self.end))  # beside a break: where it stands
        step = np.clip(np.searchsorted(direction * self.ends, direction * times), 0, len(self.ends) - 1)
        before = np.concatenate([[self.start], self.ends[:-1]])[step]
        h = self.ends[step] - before
        theta = np.where(h != 0, (times - before) / np.where(h == 0, 1.0, h), 1.0)[:, None]
        r = self.coefficients[step]
        x = np.zeros_like(r[:, 0])
        for m in range(r.shape[1] - 1, 0, -1):
            x = (x + r[:, m]) * (theta if m % 2 else 1.0 - theta)
        return r[:, 0] + x
