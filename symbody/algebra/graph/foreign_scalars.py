"""Objects that are not expressions: how those of other packages become some, and why others cannot."""

from __future__ import annotations

import importlib
import numbers
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ...errors import shown

# Converters of foreign types, as module and function by the name of the foreign package. The module is loaded when the
# first such object arrives, so that packages that are not used cost no loading time.
FOREIGN: dict[str, tuple[str, str]] = {"sympy": ("symbody.algebra.sympy_border.from_sympy", "from_sympy")}


def foreign_converter(value: object) -> Callable[[Any], Any] | None:
    """The function that makes an expression of an object of a foreign package; None if there is none."""
    # a class made at run time, such as SymPy's q(t), may have no module; its bases have one
    packages = ((base.__module__ or "").partition(".")[0] for base in type(value).__mro__)
    place = next((FOREIGN[p] for p in packages if p in FOREIGN), None)
    if place is None:
        return None
    converter: Callable[[Any], Any] = getattr(importlib.import_module(place[0]), place[1])
    return converter


def number_of(value: object) -> int | float | Fraction | None:
    """A number of another type, such as NumPy's, as one of Python's; None for other objects."""
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return float(value) if isinstance(value, numbers.Real) else None


def why_not_a_scalar(value: object, is_condition: bool) -> str:
    """The message for an object that cannot stand for a scalar."""
    if isinstance(value, str) and not value.isidentifier():
        return f"the text {shown(value)} is neither a number nor the name of one; numbers go without units and quotes"
    if isinstance(value, str):
        return (
            f"the text {shown(value)} is not an expression; make a symbol of it with symbol({shown(value)}, "
            f"kind), or m.parameter({shown(value)}) of a model"
        )
    if is_condition:
        return f"the condition {value} is not a number; use where(condition, a, b)"
    if isinstance(value, complex):
        return f"{value} is complex; expressions are real (evaluate() takes complex numbers for symbols)"
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"an array of shape {shape} cannot stand for a scalar; use matrix(...) or pick an entry"
    return f"{shown(value)} of type {type(value).__name__} cannot stand for a scalar, a number or an expression"
