"""The point about which a study linearises, in numbers and in words: an answer near a motion begins with saying which
one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..algebra.calculus.evaluate import evaluate
from ..errors import listed
from .start import Moved

if TYPE_CHECKING:
    from ..stability import LinearSystem

ROUNDED: Final = 1e-12  # of the largest value: less than that is zero to rounding
TINY: Final = 1e-15  # so is less than that
MOTION: Final = "the steady motion that the model asks for"
NEAREST: Final = "the steady motion nearest to the start"
START: Final = "the start"
VALUES: Final = "the values that the model asks for"


def rounded(values: Mapping[str, float]) -> dict[str, float]:
    """Values, without what is zero to rounding."""
    least = max(TINY, ROUNDED * max(map(abs, values.values()), default=0.0))
    return {name: x if abs(x) > least else 0.0 for name, x in values.items()}


@dataclass(frozen=True)
class OperatingPoint:
    """Coordinates, speeds, additional variables and inputs by name; `moved` are values of the start that are others
    here."""

    what: str
    values: Mapping[str, float]
    moved: tuple[Moved, ...] = ()

    def __str__(self) -> str:
        shown = [f"{name} = {x:z.6g}" for name, x in rounded(self.values).items() if x]
        rest = ["everything else is zero" if shown else "everything is zero"] if len(shown) < len(self.values) else []
        text = f"about {self.what}: {', '.join([*shown, *rest])}"
        if self.moved:
            text += f" (the start, {listed(f'{m.name} = {m.given:z.6g}' for m in self.moved)}, is not steady)"
        return text


def point_of(lin: LinearSystem, at: Mapping[str, float]) -> dict[str, float]:
    """Numbers of the motion that a linear system is about, at numbers for its parameters."""
    motion = lin.about
    if motion is None:
        return {}
    parameters = lin.values(at)
    known = {**motion.defaults, **parameters, **motion.found, **lin.operating_point(parameters)}
    symbols = motion.equations.variables.of("q u z r").symbols
    numbers = evaluate([motion.expressions.get(s, s) for s in symbols], known)
    return {s.name: float(x) for s, x in zip(symbols, numbers, strict=True)}
