"""Distances between points whose unknowns have different units, some of them periodic angles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .trust_region import Array, Mask


@dataclass(frozen=True)
class UnknownsMetric:
    """|x - y| with each unknown in units of its size; unknowns that do not count have an infinite size.

    sizes      of the unknowns
    periodic   unknowns with period 2π
    """

    sizes: Array
    periodic: Mask

    def longer(self, more: int) -> UnknownsMetric:
        """With further unknowns that count nowhere."""
        return UnknownsMetric(
            np.append(self.sizes, np.full(more, np.inf)), np.append(self.periodic, np.zeros(more, dtype=bool))
        )

    def difference(self, x: Array, y: Array) -> Array:
        """x - y, the short way round, in units of the sizes."""
        d = x - y
        d = np.where(self.periodic, d - 2 * np.pi * np.round(d / (2 * np.pi)), d)
        return np.asarray(d / self.sizes)

    def distance(self, x: Array, y: Array) -> float:
        return float(np.linalg.norm(self.difference(x, y)))

    def unwound(self, x: Array, near: Array) -> Array:
        """The same point, with angles within half a turn of those of another."""
        turns = np.where(self.periodic, np.round((x - near) / (2 * np.pi)), 0.0)
        return np.asarray(x - 2 * np.pi * turns)

    def smooth(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Differences that are smooth where angles come round, and their slopes: 2 sin(Δ/2) for angles."""
        d = (x - y) / self.sizes
        half = 0.5 * d * self.sizes
        chord = 2 * np.sin(half) / self.sizes
        return np.where(self.periodic, chord, d), np.where(self.periodic, np.cos(half), 1.0) / self.sizes
