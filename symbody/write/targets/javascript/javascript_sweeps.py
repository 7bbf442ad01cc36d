"""Loops over the steps of a schedule in JavaScript, on a memory `w`."""

from __future__ import annotations

from collections.abc import Sequence

from ....emit import ir
from .javascript_text import javascript_array


def loop_lines(shape: ir.SweepShape, name: str, functions: Sequence[str]) -> list[str]:
    """Tables, and the function `name` that runs all steps; `functions` are those of the fragments."""
    lines = [
        *_table(f"{name}_kinds", shape.kinds),
        *_table(f"{name}_places", shape.places),
        f"function {name}_some(w, first, start, stop) {{",
        f"    const places = {name}_places;",
        "    for (let k = first, at = start; k < stop; k += 1) {",
        f"        switch ({name}_kinds[k]) {{",
    ]
    for k in sorted(set(shape.kinds)):
        lines += [f"        case {k}:", f"            {functions[k]}(w, places, at);"]
        lines += [f"            at += {shape.width(k)};", "            break;"]
    return [*lines, "        default:", "        }", "    }", "}", *_run(shape, name)]


def _run(shape: ir.SweepShape, name: str) -> list[str]:
    columns, n, head = shape.columns, len(shape.kinds), f"function {name}(w) {{"
    if columns is None:
        return [head, f"    {name}_some(w, 0, 0, {n});", "}"]
    once = sum(shape.width(k) for k in shape.kinds[: columns.first])
    return [
        *_table(f"{name}_seeds", columns.seeds),
        *_table(f"{name}_found", columns.results),
        head,
        f"    {name}_some(w, 0, 0, {columns.first});",
        f"    {name}_seeds.forEach((seed) => {{ w[seed] = 0; }});",
        f"    {name}_seeds.forEach((seed, c) => {{",
        "        w[seed] = 1;",
        f"        {name}_some(w, {columns.first}, {once}, {n});",
        "        w[seed] = 0;",
        f"        {name}_found.forEach((result, k) => {{ w[{shape.size} + k * {len(columns.seeds)} + c] = w[result]; }});",
        "    });",
        "}",
    ]


def _table(name: str, numbers: Sequence[int]) -> list[str]:
    first, *more, last = javascript_array(numbers)
    return [f"const {name} = {first}", *more, f"{last};"]
