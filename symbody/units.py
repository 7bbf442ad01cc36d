"""Units of measurement: text -> exponents of the base units and a factor to SI, and back to text.

Numbers are SI inside the package. A declared unit is the unit in which a user writes and reads a quantity by its name;
conversion happens where names become values and where values are shown.

    500 mm  =  500 · 1e-3 m

Rotation counts as a base unit, so that `rad/s` and `1/s` print as they were declared; the comparison of dimensions
leaves it out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf, pi
from typing import Final, TypeGuard

from .errors import SymbodyError, finite_number, hint, shown

Written = float | str | tuple[float, str]  # a value as a person writes it: 0.5, "500 mm", (500, "mm")
BASES: Final = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
PREFIXES: Final = {
    "G": 1e9,
    "M": 1e6,
    "k": 1e3,
    "h": 1e2,
    "d": 1e-1,
    "c": 1e-2,
    "m": 1e-3,
    "u": 1e-6,
    "µ": 1e-6,
    "n": 1e-9,
}
WITHOUT_PREFIX: Final = ("kg", "t", "rev", "min", "h", "rpm", "inch", "ft", "lb", "deg", "°", "%")
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<unit>[A-Za-zµΩ°%]+)|(?P<one>1)(?![0-9]))\s*(?:(?:\^|\*\*)?\s*(?:\((?P<bracketed>[-+]?\d+)\)|(?P<power>[-+]?\d+))|(?P<raised>[²³]))?"
)
_BETWEEN: Final = re.compile(r"\s*(?P<sign>/|\*(?!\*)|·|⋅|\.|)\s*(?P<open>\(?)")
_QUANTITY: Final = re.compile(
    r"\s*(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?P<unit>(?![eE][-+]?\d)\s*[A-Za-zµΩ°%].*|\s+1\s*/.*)"
)
_CLOSING: Final = re.compile(r"\s*\)")


@dataclass(frozen=True)
class Unit:
    """factor × Π base^exponent."""

    exponents: tuple[int, ...] = (0,) * len(BASES)
    factor: float = 1.0

    def times(self, other: Unit, power: int) -> Unit:
        exponents = tuple(a + power * b for a, b in zip(self.exponents, other.exponents, strict=True))
        try:
            factor = self.factor * other.factor**power
        except OverflowError:
            factor = inf
        return Unit(exponents, factor)

    @property
    def dimension(self) -> tuple[int, ...]:
        """Exponents of the base units without rotation, which has no dimension."""
        return self.exponents[:-1]


def _unit(factor: float = 1.0, **exponents: int) -> Unit:
    return Unit(tuple(exponents.get(b, 0) for b in BASES), factor)


UNITS: Final[dict[str, Unit]] = {
    **{b: _unit(**{b: 1}) for b in BASES},
    "g": _unit(1e-3, kg=1), "t": _unit(1e3, kg=1), "N": _unit(kg=1, m=1, s=-2), "J": _unit(kg=1, m=2, s=-2), "Nm": _unit(kg=1, m=2, s=-2),
    "W": _unit(kg=1, m=2, s=-3), "Pa": _unit(kg=1, m=-1, s=-2), "Hz": _unit(s=-1), "V": _unit(kg=1, m=2, s=-3, A=-1), "C": _unit(s=1, A=1),
    "F": _unit(kg=-1, m=-2, s=4, A=2), "H": _unit(kg=1, m=2, s=-2, A=-2), "T": _unit(kg=1, s=-2, A=-1), "Wb": _unit(kg=1, m=2, s=-2, A=-1),
    "Ohm": _unit(kg=1, m=2, s=-3, A=-2), "ohm": _unit(kg=1, m=2, s=-3, A=-2), "Ω": _unit(kg=1, m=2, s=-3, A=-2), "S": _unit(kg=-1, m=-2, s=3, A=2),
    "deg": _unit(pi / 180, rad=1), "°": _unit(pi / 180, rad=1), "rev": _unit(2 * pi, rad=1), "rpm": _unit(2 * pi / 60, rad=1, s=-1),
    "min": _unit(60.0, s=1), "h": _unit(3600.0, s=1), "bar": _unit(1e5, kg=1, m=-1, s=-2), "l": _unit(1e-3, m=3), "L": _unit(1e-3, m=3),
    "%": _unit(0.01), "inch": _unit(0.0254, m=1), "ft": _unit(0.3048, m=1), "lb": _unit(0.45359237, kg=1),
}  # fmt: skip
DERIVED: Final = (  # coherent SI units in which inferred dimensions are written, the usual ones of mechanics first
    "kg", "m", "s", "m/s", "m/s^2", "N", "N m", "N/m", "N s/m", "kg m^2", "W", "1/s", "1/s^2", "1/m", "m^2", "m^3", "Pa", "kg/m",
    "kg/m^2", "kg/m^3", "N s", "kg m^2/s", "N m s", "N/m^2", "N/m^3", "N s^2/m^2", "N m^2", "Pa s", "kg/s", "A", "V", "Ohm", "H", "F", "N/A", "K",
)  # fmt: skip


@cache
def unit_meant(text: str) -> Unit | None:
    """The unit that a text denotes; None if the text is not a unit.

    A slash divides by the one unit, or the parenthesis, after it: `N m/rad`, `kg/(m s)`.
    """
    found, at, power, depth = Unit(), 0, 1, 0
    while True:
        token = _TOKEN.match(text, at)
        unit = None if token is None else Unit() if token["one"] else _unit_of_name(token["unit"])
        if token is None or unit is None:
            return None
        raised = (
            int(exponent)
            if (exponent := token["power"] or token["bracketed"])
            else {"²": 2, "³": 3}.get(token["raised"] or "", 1)
        )
        found, at = found.times(unit, power * raised), token.end()
        while depth and (closed := _CLOSING.match(text, at)):
            at, depth = closed.end(), depth - 1
        if not text[at:].strip():
            return found if depth == 0 and 0 < found.factor < inf else None
        between = _BETWEEN.match(text, at)
        assert between is not None  # it may be empty
        if not depth:
            power = -1 if between["sign"] == "/" else 1
        elif between["sign"] == "/" or between["open"]:
            return None
        at, depth = between.end(), depth + len(between["open"])


def _unit_of_name(name: str) -> Unit | None:
    if name in UNITS:
        return UNITS[name]
    rest = UNITS.get(name[1:])
    if name[0] in PREFIXES and rest is not None and name[1:] not in WITHOUT_PREFIX:
        return Unit(rest.exponents, rest.factor * PREFIXES[name[0]])
    return None


def unit_of(text: object, where: str, kind: type[SymbodyError]) -> Unit:
    """The unit that a text denotes; an unknown unit is refused, with suggestions of similar ones."""
    found = unit_meant(text) if isinstance(text, str) else None
    if found is None:
        near = hint(text, [*UNITS, "mm", "cm", "km", "kN", "ms", "MPa", "mg"]) if isinstance(text, str) else ""
        raise kind(
            f"{where}: {shown(text)} is not a unit; units are products and quotients such as 'm', 'mm', 'kg m^2', 'N/m', "
            f"'deg', 'rpm', '1/s'.{near}"
        )
    return found


def unit_text(exponents: Sequence[Fraction | int]) -> str:
    """A coherent SI unit with these exponents of the base units, that of rotation may be left out: `N/m`, `rad/s`, `1`."""
    if not any(exponents):
        return "1"
    named = None if any(exponents[len(BASES) - 1 :]) else _derived_units().get(tuple(exponents[: len(BASES) - 1]))
    if named is not None:
        return named
    above = [_power(b, e) for b, e in zip(BASES, exponents, strict=False) if e > 0]
    below = [_power(b, -e) for b, e in zip(BASES, exponents, strict=False) if e < 0]
    bottom = " ".join(below) if len(below) < 2 else f"({' '.join(below)})"
    return f"{' '.join(above) or '1'}{f'/{bottom}' if below else ''}"


@cache
def _derived_units() -> dict[tuple[int | Fraction, ...], str]:
    found: dict[tuple[int | Fraction, ...], str] = {}
    for text in DERIVED:
        unit = unit_meant(text)
        assert unit is not None, text
        found.setdefault(unit.dimension, text)
    return found


def _power(base: str, exponent: Fraction | int) -> str:
    return base if exponent == 1 else f"{base}^{exponent}" if exponent.denominator == 1 else f"{base}^({exponent})"


def si_unit(text: str) -> str:
    """The coherent SI unit of a unit: m for mm, rad/s for rpm; the text itself where it is not a unit."""
    found = unit_meant(text)
    return text if found is None else unit_text(found.exponents)


def unit_factor(text: str) -> float:
    """The factor from a unit to SI: 0.001 for mm; 1 for an empty text."""
    found = unit_meant(text) if text else None
    return 1.0 if found is None else found.factor


def quantity(value: object, where: str, kind: type[SymbodyError], expected: str = "") -> float | None:
    """The SI number of a text with a unit, "500 mm", or of a pair (500, "mm"); None for everything else.

    expected   a unit of the same dimension, where it is known
    """
    if _is_number_with_unit(value):
        number, text = finite_number(value[0], where, kind), value[1]
    elif isinstance(value, str) and (found := _QUANTITY.fullmatch(value)):
        number, text = finite_number(float(found["number"]), where, kind), found["unit"].strip()
    else:
        return None
    unit, other = unit_of(text, where, kind), unit_meant(expected) if expected else None
    if other is not None and other.dimension != unit.dimension:
        raise kind(f"{where}: {number:g} {text} is in {si_unit(text)}, expected {expected}")
    return finite_number(number * unit.factor, where, kind)


def _is_number_with_unit(value: object) -> TypeGuard[tuple[object, str]]:
    """A pair (500, "mm"); (0, "500 mm") is an interval."""
    if not isinstance(value, tuple) or len(value) != 2 or isinstance(value[0], str):
        return False
    return isinstance(value[1], str) and not _QUANTITY.fullmatch(value[1])


def with_si_unit(number: float, unit: str) -> float | tuple[float, str]:
    """A number in SI as a value for a declaration in some unit."""
    return (number, si_unit(unit)) if unit else number


def in_unit(number: float, unit: str) -> float:
    """A number in SI, in another unit, as a person would write it: to 15 digits."""
    factor = unit_factor(unit)
    return number if factor == 1.0 else float(f"{number / factor:z.15g}")


def unit_written(value: str) -> str:
    """The unit in a text such as "500 mm"; empty if there is none."""
    found = _QUANTITY.fullmatch(value)
    return found["unit"].strip() if found else ""


def rate_unit(text: str, order: int) -> str:
    """The unit of a time derivative of some order."""
    for _ in range(order):
        text = per_second(text)
    return text


def quotient_unit(above: str, below: str) -> str:
    """A unit over another, as it is written on axes: rad/(N m)."""
    return f"{above}/({below})" if " " in below or "/" in below else f"{above}/{below}"


def per_second(text: str) -> str:
    """The unit of a rate, in the usual way of writing: rad, rad/s, rad/s^2."""
    if not text:
        return ""
    if found := re.fullmatch(r"(.*)/s(?:\^(\d+))?", text):
        return f"{found[1]}/s^{int(found[2] or 1) + 1}"
    return f"{text}/s"
