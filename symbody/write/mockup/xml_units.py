"""Units of an FMU: every one that a variable has, with base units where the text can be read."""

from __future__ import annotations

from .description import MockUpVariable
from .units import BASES, parsed
from .xml_elements import element


def unit_definitions(variables: tuple[MockUpVariable, ...]) -> list[str]:
    names = dict.fromkeys(v.unit for v in variables if v.unit)
    return [element("UnitDefinitions", {}, [_definition(n) for n in names])] if names else []


def _definition(name: str) -> str:
    found = parsed(name)
    if found is None:
        return element("Unit", {"name": name})
    exponents = {b: e for b, e in zip(BASES, found.exponents, strict=True) if e}
    factor = {} if found.factor == 1.0 else {"factor": float(found.factor)}
    return element("Unit", {"name": name}, [element("BaseUnit", exponents | factor)])
