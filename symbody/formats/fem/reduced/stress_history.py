"""Stresses of a body from finite elements along a run: σ = Σ q_k σ_k at chosen places, and where they are largest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ....errors import ModelError, unknown
from ....summary import Summarized, Summary
from ..bodies.finite_body import Array


@dataclass(frozen=True, eq=False, repr=False)
class StressHistory(Summarized):
    """Stresses xx, yy, zz, xy, yz, xz, (times, places, 6)."""

    name: str
    t: Array
    components: Array

    @cached_property
    def von_mises(self) -> Array:
        """Of each place, (times, places)."""
        return von_mises(self.components)

    @cached_property
    def principal(self) -> Array:
        """Principal stresses in ascending order, (times, places, 3)."""
        x, y, z, xy, yz, xz = np.moveaxis(self.components, -1, 0)
        S = np.stack([np.stack([x, xy, xz], -1), np.stack([xy, y, yz], -1), np.stack([xz, yz, z], -1)], -2)
        return np.asarray(np.linalg.eigvalsh(S))

    @property
    def largest(self) -> tuple[float, float, int]:
        """Von Mises stress, its time, and the number of its place."""
        at, place = np.unravel_index(int(self.von_mises.argmax()), self.von_mises.shape)
        return float(self.von_mises[at, place]), float(self.t[at]), int(place)

    @property
    def envelope(self) -> Array:
        """The largest von Mises stress of each place over the run."""
        return np.asarray(self.von_mises.max(axis=0))

    def _summary(self) -> Summary:
        value, t, place = self.largest
        rows = (
            ("largest", f"{value:z.5g} (von Mises) at t = {t:z.5g}, place {place}"),
            ("principal", f"from {self.principal.min():z.5g} to {self.principal.max():z.5g}"),
        )
        return Summary(f"Stresses of {self.name} at {self.components.shape[1]} places, {len(self.t)} times", rows)


def von_mises(components: Array) -> Array:
    """√(½ ((σ_xx - σ_yy)² + ...) + 3 (σ_xy² + ...)) of stresses xx, yy, zz, xy, yz, xz along the last axis."""
    x, y, z, xy, yz, xz = np.moveaxis(components, -1, 0)
    return np.asarray(np.sqrt(((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) / 2 + 3 * (xy**2 + yz**2 + xz**2)))


def stress_history(
    name: str, coordinates: Any, known: Mapping[str, Array], run: Any, places: str | None
) -> StressHistory:
    """Of a trajectory, or of anything that has columns of coordinates by name.

    known   stresses for each coordinate, by the name of a group of places
    """
    if not known:
        raise ModelError(
            f"body {name!r}: it has no stress data; make it from a scikit-fem basis, or give "
            "`finite_elements` bodies with stress rows"
        )
    if places is not None and places not in known:
        raise unknown(f"stresses of {name!r}", "place", places, known)
    modes = known[places if places is not None else next(iter(known))]
    q = np.stack([np.atleast_1d(np.asarray(run[x.name], dtype=float)) for x in coordinates], axis=1)
    t = np.atleast_1d(np.asarray(run["t"] if isinstance(run, dict) else run.t, dtype=float))
    return StressHistory(name, t, np.einsum("tk,kpc->tpc", q, modes, optimize=True))
