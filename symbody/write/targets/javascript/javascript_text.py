"""Numbers and arrays in JavaScript."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....emit import ir
from ...printers.brace_text import ARRAY_WIDTH


def javascript_literal(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def javascript_array(values: Sequence[float | int]) -> list[str]:
    """Lines of an array of numbers, brackets included."""
    texts = [str(v) if isinstance(v, int) else javascript_literal(v) for v in values]
    return ["[", *ir.comma_lines(texts, "    ", ARRAY_WIDTH), "]"]


def javascript_constant(name: str, numbers: Sequence[int]) -> list[str]:
    """Lines of a constant array."""
    first, *more, last = javascript_array(numbers)
    return [f"const {name} = {first}", *more, f"{last};"]
