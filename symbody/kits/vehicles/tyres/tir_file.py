"""Tyre property files (`.tir`): sections, keys and units.

[SECTION]
KEY = value   $ comment
{radial width}        head of a table; tables are passed over
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ....errors import ModelError, listed, shown
from ....given_files import file_text, text_of
from ....summary import Summarized, Summary, listing, summary_rows

UNITS: Final = {
    "LENGTH": {"meter": 1.0, "m": 1.0, "mm": 1e-3, "millimeter": 1e-3, "cm": 1e-2, "km": 1e3, "inch": 0.0254, "foot": 0.3048},
    "FORCE": {"newton": 1.0, "n": 1.0, "kn": 1e3, "knewton": 1e3, "kilonewton": 1e3, "pound_force": 4.4482216152605},
    "TIME": {"second": 1.0, "sec": 1.0, "s": 1.0, "ms": 1e-3, "millisecond": 1e-3},
    "MASS": {"kg": 1.0, "kilogram": 1.0, "gram": 1e-3, "g": 1e-3, "pound_mass": 0.45359237},
    "PRESSURE": {"pascal": 1.0, "pa": 1.0, "kpa": 1e3, "kilopascal": 1e3, "bar": 1e5, "psi": 6894.757293168361},
    "ANGLE": {"radians": 1.0, "radian": 1.0, "rad": 1.0, "degree": 0.017453292519943295, "degrees": 0.017453292519943295},
}  # fmt: skip

# Dimensions of keys as powers of the units; all other keys are dimensionless
DIMENSIONS: Final = {
    **{key: {"LENGTH": 1} for key in ("UNLOADED_RADIUS", "WIDTH", "RIM_RADIUS", "RIM_WIDTH", "BOTTOM_OFFST")},
    **{key: {"FORCE": 1} for key in ("FNOMIN", "FZMIN", "FZMAX")},
    **{key: {"PRESSURE": 1} for key in ("NOMPRES", "INFLPRES", "IP", "IP_NOM", "PRESMIN", "PRESMAX")},
    **{key: {"LENGTH": 1, "TIME": -1} for key in ("LONGVL", "VXLOW", "VXMIN", "VXMAX")},
    **{key: {"FORCE": 1, "LENGTH": -1} for key in ("VERTICAL_STIFFNESS", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS", "BOTTOM_STIFF")},
    "VERTICAL_DAMPING": {"FORCE": 1, "LENGTH": -1, "TIME": 1},
    "YAW_STIFFNESS": {"FORCE": 1, "LENGTH": 1, "ANGLE": -1},
    **{key: {"MASS": 1} for key in ("MASS", "BELT_MASS")},
    **{key: {"MASS": 1, "LENGTH": 2} for key in ("IXX", "IYY", "IZZ", "BELT_IXX", "BELT_IYY")},
    **{key: {"ANGLE": 1} for key in ("ALPMIN", "ALPMAX", "CAMMIN", "CAMMAX")},
}  # fmt: skip

MOST_BYTES: Final = 16 * 2**20
FIT_TYPES: Final = {5: "5.2", 6: "5.2", 21: "5.2", 51: "5.2", 60: "6.1", 61: "6.1", 62: "6.1"}


@dataclass(frozen=True, repr=False)
class TirFile(Summarized):
    """Numbers of a tyre property file in metres, newtons, seconds, kilograms, pascals and radians, texts as they are.

    version    of the Magic Formula: "5.2" or "6.1"
    """

    name: str
    numbers: Mapping[str, float]
    texts: Mapping[str, str] = field(default_factory=dict)

    def _summary(self) -> Summary:
        rows = summary_rows(numbers=listing(self.numbers), texts=listing(f"{k} = {v}" for k, v in self.texts.items()))
        return Summary(f"TirFile {self.name}: {len(self.numbers)} numbers", rows)

    @property
    def version(self) -> str:
        if self.texts.get("PROPERTY_FILE_FORMAT", "").upper() == "PAC2002":
            return "5.2"
        fit = self.numbers.get("FITTYP")
        if fit is None or (found := FIT_TYPES.get(int(fit))) is None:
            raise ModelError(
                f"{self.name}: the version of the Magic Formula is given by FITTYP= {listed(FIT_TYPES)} or "
                f"PROPERTY_FILE_FORMAT='PAC2002'; got FITTYP={fit if fit is None else int(fit)}"
            )
        return found

    @property
    def side(self) -> str:
        """ "left", "right" or, where the file does not say, ""."""
        return self.texts.get("TYRESIDE", "").lower()


def read_tir(source: str | Path) -> TirFile:
    """Numbers and texts of a tyre property file, by its path or its text."""
    is_text = isinstance(source, str) and "\n" in source
    text, name = (text_of(str(source).encode(), "text"), "text") if is_text else _text_and_name(Path(source))
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    units: dict[str, str] = {}  # of a section of their own: MASS is a unit there, and the mass of the tyre elsewhere
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("$")[0].split("!")[0].strip()
        if line.startswith("["):
            section = line.strip("[] ").upper()
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not value or line.startswith(("[", "{")):
            continue
        if value[0] in "'\"":
            (units if section == "UNITS" and key.upper() in UNITS else texts)[key.upper()] = value.strip("'\" ")
        else:
            numbers[key.upper()] = _number(value, f"{name}, line {number}, {key}")
    return TirFile(name, MappingProxyType(_in_si(name, numbers, units)), MappingProxyType(texts))


def _text_and_name(path: Path) -> tuple[str, str]:
    return file_text(path, f"tyre property file {path.name!r}", most=MOST_BYTES), path.name


def _number(text: str, where: str) -> float:
    try:
        return float(text.replace("D", "E").replace("d", "e"))
    except ValueError:
        raise ModelError(f"{where}: a number is needed, got {shown(text)}") from None


def _in_si(name: str, numbers: Mapping[str, float], units: Mapping[str, str]) -> dict[str, float]:
    factors = {}
    for quantity, known in UNITS.items():
        unit = units.get(quantity, next(iter(known))).lower()
        if unit not in known:
            raise ModelError(f"{name}: {quantity}={unit!r} is not a known unit; the known ones are {listed(known)}")
        factors[quantity] = known[unit]
    return {key: value * _factor(DIMENSIONS.get(key, {}), factors) for key, value in numbers.items()}


def _factor(dimension: Mapping[str, int], factors: Mapping[str, float]) -> float:
    total = 1.0
    for quantity, power in dimension.items():
        total *= factors[quantity] ** power
    return total
