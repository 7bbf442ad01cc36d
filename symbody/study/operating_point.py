"""The operating point about which a study linearises, as numbers and as text that precedes every answer about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ..algebra.calculus.evaluate import evaluate
from ..errors import listed
from ..units import in_unit

if TYPE_CHECKING:
    from ..integrate.start.consistent_start import Moved
    from ..stability import LinearSystem

ZERO_TOLERANCE: Final = 1e-12  # value, relative to the largest, below which it is zero to rounding
MIN_VALUE: Final = 1e-15  # value below which it is zero to rounding in any case
MOTION: Final = "the steady motion that the model requests"
NEAREST: Final = "the steady motion nearest to the start"
START: Final = "the start"
VALUES: Final = "the values that the model requests"


def without_rounding(values: Mapping[str, float]) -> dict[str, float]:
    """The values with zeros in place of rounding noise."""
    least = max(MIN_VALUE, ZERO_TOLERANCE * max(map(abs, values.values()), default=0.0))
    return {name: x if abs(x) > least else 0.0 for name, x in values.items()}


@dataclass(frozen=True)
class OperatingPoint:
    """Coordinates, speeds, additional variables and inputs by name; `moved` are values of the start that differ
    here, `units` those in which values are shown, where they are not in SI."""

    what: str
    values: Mapping[str, float]
    moved: tuple[Moved, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        shown = [self._shown(name, x) for name, x in without_rounding(self.values).items() if x]
        rest = ["everything else is zero" if shown else "everything is zero"] if len(shown) < len(self.values) else []
        text = f"about {self.what}: {', '.join([*shown, *rest])}"
        if self.moved:
            text += f" (the start, {listed(self._shown(m.name, m.given) for m in self.moved)}, is not steady)"
        return text

    def _shown(self, name: str, value: float) -> str:
        unit = self.units.get(name, "")
        return f"{name} = {in_unit(value, unit):z.6g}{f' {unit}' if unit else ''}"


def point_of(lin: LinearSystem, at: Mapping[str, float]) -> dict[str, float]:
    """Numbers of the motion that a linear system is about, at numbers for its parameters."""
    motion = lin.about
    if motion is None:
        return {}
    parameters = lin.numbers.values(at)
    known = {**motion.defaults, **parameters, **motion.found, **lin.numbers.operating_point(parameters)}
    symbols = motion.equations.variables.of("q u z r").symbols
    numbers = evaluate([motion.expressions.get(s, s) for s in symbols], known)
    return {s.name: float(x) for s, x in zip(symbols, numbers, strict=True)}
