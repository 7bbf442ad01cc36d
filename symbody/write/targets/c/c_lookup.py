"""Piecewise polynomials in C: their numbers, and a function that looks them up."""

from __future__ import annotations

from ....algebra.graph.functions import ExternalFunction
from ....emit import ir


def lookup_text(f: ExternalFunction, name: str, loop: str) -> str:
    """A static function of one number, by the kernel `on_pieces`, which is called `loop` here."""
    table = f.table
    assert table is not None
    coefficients = [c for row in table.coefficients for c in row]
    n, terms = len(table.times), len(table.coefficients[0])
    value = f"{loop}({n}, {terms}, {name}_times, {name}_coefficients, x)"
    if table.is_rate:
        value = f"x < {name}_times[0] || x > {name}_times[{n - 1}] ? 0.0 : {value}"
    lines = [
        *_array(f"{name}_times", table.times), *_array(f"{name}_coefficients", coefficients),
        f"static double {name}(double x)", "{", f"    return {value};", "}", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _array(name: str, numbers: tuple[float, ...] | list[float]) -> list[str]:
    return [
        f"static const double {name}[{len(numbers)}] = {{",
        *ir.comma_lines([repr(float(v)) for v in numbers], "    "),
        "};",
    ]
