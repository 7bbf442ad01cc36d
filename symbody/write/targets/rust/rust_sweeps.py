"""Loops over the steps of a schedule in Rust, on a memory `w`."""

from __future__ import annotations

from collections.abc import Sequence

from ....emit import ir
from .rust_text import rust_array


def loop_lines(shape: ir.SweepShape, name: str, functions: Sequence[str]) -> list[str]:
    """Tables, and the function `name` that runs all steps; `functions` are those of the fragments."""
    tables = f"{name}_kinds".upper(), f"{name}_places".upper()
    lines = [
        *rust_array(tables[0], shape.kinds),
        *rust_array(tables[1], shape.places),
        f"fn {name}_some(w: &mut [f64], first: usize, start: usize, stop: usize) {{",
        "    let mut at = start;",
        f"    for kind in &{tables[0]}[first..stop] {{",
        "        match kind {",
    ]
    for k in sorted(set(shape.kinds)):
        lines += [f"            {k} => {{", f"                {functions[k]}(w, &{tables[1]}[at..]);"]
        lines += [f"                at += {shape.width(k)};", "            }"]
    return [*lines, "            _ => {}", "        }", "    }", "}", *_run(shape, name)]


def _run(shape: ir.SweepShape, name: str) -> list[str]:
    columns, n, head = shape.columns, len(shape.kinds), f"fn {name}(w: &mut [f64]) {{"
    if columns is None:
        return [head, f"    {name}_some(w, 0, 0, {n});", "}"]
    once = sum(shape.width(k) for k in shape.kinds[: columns.first])
    seeds, found = f"{name}_seeds".upper(), f"{name}_found".upper()
    return [
        *rust_array(seeds, columns.seeds),
        *rust_array(found, columns.results),
        head,
        f"    {name}_some(w, 0, 0, {columns.first});",
        f"    for seed in &{seeds} {{",
        "        w[*seed] = 0.0;",
        "    }",
        f"    for (c, seed) in {seeds}.iter().enumerate() {{",
        "        w[*seed] = 1.0;",
        f"        {name}_some(w, {columns.first}, {once}, {n});",
        "        w[*seed] = 0.0;",
        f"        for (k, result) in {found}.iter().enumerate() {{",
        f"            w[{shape.size} + k * {len(columns.seeds)} + c] = w[*result];",
        "        }",
        "    }",
        "}",
    ]
