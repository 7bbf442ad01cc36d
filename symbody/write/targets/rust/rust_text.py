"""Numbers and arrays in Rust."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....emit import ir
from ...printers.brace_text import ARRAY_WIDTH


def rust_literal(value: float) -> str:
    if math.isnan(value):
        return "f64::NAN"
    if math.isinf(value):
        return "f64::INFINITY" if value > 0 else "-f64::INFINITY"
    return f"{float(value)!r}_f64"  # without the ending, a negated number takes the type of whatever calls for it


def rust_array(name: str, values: Sequence[float | int]) -> list[str]:
    """Lines of a constant array."""
    kind = "usize" if values and isinstance(values[0], int) else "f64"
    texts = [str(v) if isinstance(v, int) else repr(float(v)) for v in values]
    return [f"static {name}: [{kind}; {len(values)}] = [", *ir.comma_lines(texts, "    ", ARRAY_WIDTH), "];"]
