"""Units as free text -> exponents of base units and a factor, as FMI wants them: `N m` is kg m² s⁻²."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import pi
from typing import Final

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
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<unit>[A-Za-zµΩ°%]+)|(?P<one>1)(?![0-9]))\s*(?:(?:\^|\*\*)?\s*\(?(?P<power>[-+]?\d+)\)?|(?P<raised>[²³]))?"
)
_BETWEEN: Final = re.compile(r"\s*(?P<sign>/|\*(?!\*)|·|⋅|\.|)\s*(?P<open>\(?)")


@dataclass(frozen=True)
class Unit:
    """factor × Π base^exponent."""

    exponents: tuple[int, ...] = (0,) * len(BASES)
    factor: float = 1.0

    def times(self, other: Unit, power: int) -> Unit:
        exponents = tuple(a + power * b for a, b in zip(self.exponents, other.exponents, strict=True))
        return Unit(exponents, self.factor * other.factor**power)


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


def parsed(text: str) -> Unit | None:
    """The unit that a text means; None where it cannot be told. A slash divides by the one unit, or the parenthesis,
    after it."""
    found, at, power, depth = Unit(), 0, 1, 0
    while True:
        token = _TOKEN.match(text, at)
        unit = None if token is None else Unit() if token["one"] else _known(token["unit"])
        if token is None or unit is None:
            return None
        raised = int(token["power"]) if token["power"] else {"²": 2, "³": 3}.get(token["raised"] or "", 1)
        found, at = found.times(unit, power * raised), token.end()
        while depth and (closed := re.compile(r"\s*\)").match(text, at)):
            at, depth = closed.end(), depth - 1
        if not text[at:].strip():
            return found if depth == 0 else None
        between = _BETWEEN.match(text, at)
        assert between is not None  # it may be empty
        if not depth:
            power = -1 if between["sign"] == "/" else 1
        elif between["sign"] == "/" or between["open"]:
            return None
        at, depth = between.end(), depth + len(between["open"])


def _known(name: str) -> Unit | None:
    if name in UNITS:
        return UNITS[name]
    rest = UNITS.get(name[1:])
    if name[0] in PREFIXES and rest is not None and len(name) > 1 and name[1:] not in ("kg", "rad", "min", "h", "rpm"):
        return Unit(rest.exponents, rest.factor * PREFIXES[name[0]])
    return None


def per_second(text: str) -> str:
    """The unit of a rate, in the usual way of writing: rad, rad/s, rad/s^2."""
    if not text:
        return ""
    if found := re.fullmatch(r"(.*)/s(?:\^(\d+))?", text):
        return f"{found[1]}/s^{int(found[2] or 1) + 1}"
    return f"{text}/s"
