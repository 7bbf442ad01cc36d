"""Data of vehicles: unknown names, what is no number, and numbers of the wrong sign are refused by the name of the
coefficient."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import symbody as sb

from ....errors import ModelError, finite_number, shown, unknown


def parameter_values(
    kind: str, defaults: Mapping[str, float], given: Mapping[str, Any], signed: Collection[str] = ()
) -> dict[str, Any]:
    """The defaults with other numbers in place of some.

    signed   names of coefficients that may be negative, beside those whose default is
    """
    for name, value in given.items():
        if name not in defaults:
            raise unknown(kind, "parameter", name, [*defaults])
        if isinstance(value, (int, float)):
            number = finite_number(value, f"{kind}: {name}", ModelError)
            if number < 0 <= defaults[name] and name not in signed:
                raise ModelError(f"{kind}: {name} = {number:g} is negative; it is {defaults[name]:g} by default")
    return {**defaults, **given}


def check_coefficients(kind: str, positive: Mapping[str, Any], not_negative: Mapping[str, Any]) -> None:
    """Refuse coefficients that are not numbers, expressions or functions of the load; and numbers of the wrong sign."""
    for name, value in {**positive, **not_negative}.items():
        if isinstance(value, sb.Expr) or callable(value):
            continue
        number = finite_number(value, f"{kind}: {name}", ModelError)
        if number < 0 or (number == 0 and name in positive):
            raise ModelError(
                f"{kind}: {name} = {shown(value)} must be {'positive' if name in positive else 'zero or positive'}"
            )
