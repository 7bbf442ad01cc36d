"""Modes of a mechanism compared with the modes of one of its elastic bodies alone, held in its frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...errors import ModelError, listed
from ...summary import Tabular
from .internal_damping import Rows, eigenmodes


@dataclass(frozen=True)
class ModeBeside:
    """A mode of the mechanism: its frequency in Hz, damping ratio, the part of the body in it, and the body's own mode
    that is most alike.

    own         its number from 1
    likeness    |φ · M x|² / (x · M x) of the own mode φ and the mode x in the body's coordinates
    """

    frequency: float
    damping_ratio: float
    share: float
    own: int
    own_frequency: float
    likeness: float


@dataclass(frozen=True, repr=False)
class OwnModes(Tabular):
    """A table, one row for each mode of the mechanism."""

    body: str
    frequencies: tuple[float, ...]
    rows: tuple[ModeBeside, ...]

    def __str__(self) -> str:
        head = f"{'Hz':>12}{'damping':>10}{f'part of {self.body}':>24}{'own mode':>10}{'own Hz':>12}{'alike':>8}"
        lines = [
            f"{r.frequency:z12.5g}{r.damping_ratio:z10.4f}{r.share:z24.0%}{r.own:10d}{r.own_frequency:z12.5g}{r.likeness:z8.0%}"
            for r in self.rows
        ]
        return "\n".join([head, *lines])


def own_modes(
    body: str, q: Sequence[Symbol], M: Matrix, K: Matrix, modes: Iterable[Any], values: Mapping[Any, float]
) -> OwnModes:
    """Rows for modes that have frequency, damping_ratio, shape and participation by name."""
    named = {str(getattr(k, "name", k)): v for k, v in values.items()}
    if missing := [s.name for s in free_symbols(M, K) if s.name not in named]:
        raise ModelError(f"modes of {body!r}: give values of {listed(missing)}, on which its own modes depend")
    at = {s: named[s.name] for s in free_symbols(M, K)}
    mass, stiff = (_rows(A, at) for A in (M, K))
    squares, shapes = eigenmodes(mass, stiff)
    hertz = tuple(math.sqrt(max(w, 0.0)) / (2 * math.pi) for w in squares)
    return OwnModes(body, hertz, tuple(_row(mode, q, mass, hertz, shapes) for mode in modes))


def _rows(A: Matrix, at: Mapping[Symbol, float]) -> Rows:
    found = [float(x) for x in evaluate(list(A.entries), at)]
    return [found[i * A.cols : (i + 1) * A.cols] for i in range(A.rows)]


def _row(mode: Any, q: Sequence[Symbol], mass: Rows, hertz: Sequence[float], shapes: Rows) -> ModeBeside:
    x = [complex(mode.shape.get(s.name, 0.0)) for s in q]
    Mx = [sum(m * v for m, v in zip(row, x, strict=True)) for row in mass]
    whole = sum((v.conjugate() * w).real for v, w in zip(x, Mx, strict=True))
    alike = [abs(sum(a * b for a, b in zip(phi, Mx, strict=True))) ** 2 / whole if whole else 0.0 for phi in shapes]
    k = max(range(len(alike)), key=lambda i: alike[i])
    share = sum(mode.participation.get(n, 0.0) for s in q for n in (s.name, f"{s.name}_dot"))
    return ModeBeside(mode.frequency, mode.damping_ratio, share, k + 1, hertz[k], alike[k])
