"""`Measurement`: measured quantities of one motion at some times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ...argument_kinds import answered_class
from ...emit.run.callable import Array
from ...errors import StudyError, in_number, listed, shown
from ...summary import Introduced

NEIGHBOURS: Final = 3  # number of samples on each side of a time from which a derivative is estimated


@answered_class
@dataclass(frozen=True, eq=False)
class Measurement(Introduced):
    """One experiment.

    t        times, increasing
    values   by name (variables, outputs) or expression: an array over the times, with NaN for missing values
    inputs   laws of inputs during the experiment, as in `simulate`: samples, expressions, numbers
    start    guesses of the state at the first time, for quantities that were not measured
    held     exact values at the first time, such as zero speeds for a release from rest

    >>> t = np.linspace(0.0, 2.0, 9)
    >>> run = sb.Measurement(t, {"x": np.exp(-t)}, held={"x": 1.0})
    >>> list(run.values), run.held
    (['x'], {'x': 1.0})

    See also: `identify`, `study.Identification`.
    """

    t: Array
    values: Mapping[Any, Array]
    inputs: Mapping[Any, Any] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=dict)
    held: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        t = _line("t", self.t)
        if len(t) < 2 or not (np.isfinite(t).all() and (np.diff(t) > 0).all()):
            raise StudyError(f"measurement: the times must increase, got {shown(self.t)}")
        values = {k: _line(str(k), v) for k, v in self.values.items()}
        if wrong := [str(k) for k, v in values.items() if len(v) != len(t)]:
            raise StudyError(
                f"measurement: {in_number(wrong, '{} has', '{} have')} not one value for each of {len(t)} times"
            )
        if not values or not any(np.isfinite(v).any() for v in values.values()):
            raise StudyError("measurement: it contains no values")
        object.__setattr__(self, "t", t)
        object.__setattr__(self, "values", values)

    def near(self, name: str, k: int) -> float | None:
        """The value of a quantity at the k-th time, or at the nearest time with a measurement.

        >>> run = sb.Measurement([0.0, 1.0, 2.0], {"x": np.array([0.0, np.nan, 4.0])})
        >>> run.near("x", 1), sb.Measurement([0.0, 1.0, 2.0], {"x": np.array([0.0, 1.0, 4.0])}).slope("x", 1)
        (0.0, 2.0)

        See also: `identify`.
        """
        place = self._places(name, k, 1)
        return None if place is None else float(self.values[name][place[0]])

    def slope(self, name: str, k: int) -> float | None:
        """The rate at that time, from a parabola through neighbouring values."""
        place = self._places(name, k, 2 * NEIGHBOURS + 1)
        if place is None or len(place) < 3:
            return None
        return float(np.polynomial.polynomial.polyfit(self.t[place] - self.t[k], self.values[name][place], 2)[1])

    def _places(self, name: str, k: int, count: int) -> Any:
        """Samples that have a value, the nearest first."""
        if name not in self.values:
            return None
        there = np.flatnonzero(np.isfinite(self.values[name]))
        return there[np.argsort(np.abs(self.t[there] - self.t[k]), kind="stable")][:count] if len(there) else None


def _line(name: str, given: Any) -> Array:
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.zeros((0, 0))
    if found.ndim != 1:
        raise StudyError(f"measurement: {name} must be a one-dimensional array of numbers, got {shown(given)}")
    return found


def measurements_of(given: Any) -> tuple[Measurement, ...]:
    """One or several measurements; a mapping has the times as `t`."""
    if isinstance(given, Measurement):
        return (given,)
    if isinstance(given, Mapping):
        if "t" not in given:
            raise StudyError(f"identify: measured values have their times as 't', got {listed(given)}")
        return (Measurement(given["t"], {k: v for k, v in given.items() if k != "t"}),)
    found = tuple(given) if isinstance(given, (list, tuple)) else ()
    if not found or not all(isinstance(m, Measurement) for m in found):
        raise StudyError(f"identify: takes a Measurement, several of them, or a mapping with 't', got {shown(given)}")
    return found
