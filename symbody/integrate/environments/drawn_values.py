"""Values that are drawn at random when a member begins: a number stays, an interval is drawn from uniformly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...emit.run.callable import Array
from ...errors import SimulationError, finite_interval, finite_number, unknown


@dataclass(frozen=True)
class DrawnValues:
    """Names, their places in rows, and their intervals."""

    names: tuple[str, ...]
    at: tuple[int, ...]
    low: Array
    high: Array

    def rows(self, rng: np.random.Generator, base: Array, count: int) -> Array:
        """So many rows like `base`, with these values drawn."""
        out = np.tile(base, (count, 1))
        if self.at:
            out[:, self.at] = rng.uniform(self.low, self.high, (count, len(self.at)))
        return out


def drawn_values(given: Mapping[Any, Any] | None, names: Sequence[str], where: str, kind: str) -> DrawnValues:
    """From numbers and pairs (low, high) by name or symbol."""
    found: dict[str, tuple[float, float]] = {}
    for key, value in (given or {}).items():
        name = str(getattr(key, "name", key))
        if name not in names:
            raise unknown(where, kind, name, names, SimulationError)
        found[name] = interval(value, f"{where}: {name}")
    return DrawnValues(
        tuple(found), tuple(names.index(n) for n in found), np.array([a for a, _ in found.values()]),
        np.array([b for _, b in found.values()]),
    )  # fmt: skip


def interval(value: Any, what: str) -> tuple[float, float]:
    """A pair of numbers, in order; a single number is both."""
    if isinstance(value, (tuple, list)):
        return finite_interval(value, what, SimulationError)
    number = finite_number(value, what, SimulationError)
    return number, number
