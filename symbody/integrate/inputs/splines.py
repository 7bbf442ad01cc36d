"""Samples as piecewise polynomials."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import SymbodyError, listed, shown, unknown
from ...later import later

KINDS: Final = ("cubic", "linear", "held")
RATES_OF: Final = {"cubic": 2, "linear": 1, "held": 0}  # how many have a finite value everywhere but at the samples
IN_WORDS: Final = {"linear": "straight lines between samples", "held": "samples that are held"}


def cubic_spline(times: Array, values: Array) -> Any:
    """SciPy's spline through samples, which is loaded when the first is made."""
    return later("integrate.inputs.cubic_splines", "cubic_spline")(times, values)


@dataclass(frozen=True, eq=False)
class Samples:
    """Values at times, and what goes through them: a cubic spline, with continuous first and second rates (its third
    rate is continuous at the second and the last but one sample), straight lines, or stairs, on which each value is
    held from its time to the next (zero-order hold). Before the first time and after the last it is constant."""

    times: Array
    values: Array
    kind: str
    where: str

    @property
    def content(self) -> Hashable:
        return self.times.tobytes(), self.values.tobytes(), self.kind

    @property
    def knots(self) -> Array:
        """Where pieces begin, and where the last one ends: a value that is held has a piece after the last time."""
        return np.append(self.times, 2 * self.times[-1] - self.times[-2]) if self.kind == "held" else self.times

    @property
    def coefficients(self) -> Array:
        """One row for each piece, that of the highest power first."""
        if self.kind == "cubic":
            return np.ascontiguousarray(cubic_spline(self.times, self.values).c.T)
        if self.kind == "held":
            return np.ascontiguousarray(self.values[:, None])
        return np.column_stack([np.diff(self.values) / np.diff(self.times), self.values[:-1]])

    def require(self, order: int, name: str, error: type[SymbodyError]) -> None:
        """Refuse samples without a rate that is needed: it would be an impulse at every sample."""
        if order > RATES_OF[self.kind]:
            raise error(
                f"{self.where}: the equations contain {name}, which {IN_WORDS[self.kind]} do not have; leave out {self.kind!r}, so that "
                "the samples are a cubic spline"
            )


def samples_of(law: Any, where: str, error: type[SymbodyError]) -> Samples:
    """Samples from (times, values), or (times, values, kind)."""
    kind = law[2] if len(law) == 3 else "cubic"
    if len(law) not in (2, 3) or np.ndim(law[0]) != 1 or not isinstance(kind, str):
        raise error(
            f"{where}: samples must be (times, values), or (times, values, 'linear' or 'held'), got {shown(law)}"
        )
    if kind not in KINDS:
        raise unknown(where, "kind of samples", kind, KINDS, error)
    t, v = (np.array(x, dtype=np.float64) for x in law[:2])
    if t.shape != v.shape or len(t) < 2:
        raise error(f"{where}: times and values must be two rows of equal length, got {listed((t.shape, v.shape))}")
    if not (np.all(np.diff(t) > 0) and np.all(np.isfinite(t)) and np.all(np.isfinite(v))):
        raise error(f"{where}: times must increase, and all must be finite numbers")
    return Samples(t, v, kind, where)
