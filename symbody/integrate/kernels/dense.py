"""Solutions between steps: the methods' own polynomials, on arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...emit.run.callable import Array


@dataclass(frozen=True, eq=False)
class Dense:
    """Steps of one run, without a jump between them: from `start` to `ends`, each with the coefficients of its
    polynomial.

    y(t + θ h) = r_0 + θ (r_1 + (1 - θ) (r_2 + θ (r_3 + ...)))
    """

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
