"""Units of an FMU: every one that a variable has, with base units, and the units in which values are shown."""

from __future__ import annotations

from ...units import BASES, unit_factor, unit_meant
from .description import MockUpVariable
from .xml_elements import element


def unit_definitions(variables: tuple[MockUpVariable, ...]) -> list[str]:
    """The element UnitDefinitions; none where no variable has a unit."""
    shown: dict[str, dict[str, None]] = {}
    for v in variables:
        if v.unit:
            shown.setdefault(v.unit, {}).update({v.display_unit: None} if v.display_unit else {})
    return [element("UnitDefinitions", {}, [_definition(n, *also) for n, also in shown.items()])] if shown else []


def _definition(name: str, *shown_in: str) -> str:
    """A unit in base units, with others in which its values are shown: value in these = factor × value."""
    found = unit_meant(name)
    if found is None:
        return element("Unit", {"name": name})
    exponents = {b: e for b, e in zip(BASES, found.exponents, strict=True) if e}
    factor = {} if found.factor == 1.0 else {"factor": float(found.factor)}
    others = [element("DisplayUnit", {"name": n, "factor": found.factor / unit_factor(n)}) for n in shown_in]
    return element("Unit", {"name": name}, [element("BaseUnit", exponents | factor), *others])
