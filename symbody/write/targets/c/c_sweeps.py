"""Schedules of fragments as C: a function for each fragment, tables of steps, and a loop over them.

The memory of a schedule is static, one for each thread, since that of large mechanisms does not fit on a stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ....emit import ir

THREAD: Final = """\
#ifndef SYMBODY_THREAD
#if defined(_MSC_VER)
#define SYMBODY_THREAD __declspec(thread)
#elif defined(__GNUC__)
#define SYMBODY_THREAD __thread
#elif defined(__cplusplus)
#define SYMBODY_THREAD thread_local
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define SYMBODY_THREAD _Thread_local
#else
#define SYMBODY_THREAD
#endif
#endif
"""


def loop_text(shape: ir.SweepShape, name: str, functions: Sequence[str], real: str, zero: str, one: str) -> str:
    """The memory of a schedule, `name_memory`, and the function `name` that runs its steps."""
    lines = [
        f"static SYMBODY_THREAD {real} {name}_memory[{shape.memory}];\n",
        *_table(f"{name}_kinds", shape.kinds),
        *_table(f"{name}_places", shape.places),
        f"static void {name}_some(const int *kinds, const int *at, int count)\n{{",
        f"    {real} *const w = {name}_memory;",
        "    for (int k = 0; k < count; k++) {",
        "        switch (kinds[k]) {",
    ]
    for k in sorted(set(shape.kinds)):
        width = shape.width(k)
        given = ", ".join(f"&w[at[{g}]]" for g in range(width))
        lines += [f"        case {k}:", f"            {functions[k]}({given});", f"            at += {width};"]
        lines.append("            break;")
    lines += [
        "        default:",
        "            break;",
        "        }",
        "    }",
        "}\n",
        *_run(shape, name, real, zero, one),
    ]
    return "\n".join(lines) + "\n"


def _run(shape: ir.SweepShape, name: str, real: str, zero: str, one: str) -> list[str]:
    columns, n = shape.columns, len(shape.kinds)
    if columns is None:
        return [f"static void {name}(void)\n{{", f"    {name}_some({name}_kinds, {name}_places, {n});", "}"]
    once = sum(shape.width(k) for k in shape.kinds[: columns.first])
    seeds, results = len(columns.seeds), len(columns.results)
    return [
        *_table(f"{name}_seeds", columns.seeds),
        *_table(f"{name}_found", columns.results),
        f"static void {name}(void)\n{{",
        f"    {real} *const w = {name}_memory;",
        f"    {name}_some({name}_kinds, {name}_places, {columns.first});",
        f"    for (int c = 0; c < {seeds}; c++) {{",
        f"        w[{name}_seeds[c]] = {zero};",
        "    }",
        f"    for (int c = 0; c < {seeds}; c++) {{",
        f"        w[{name}_seeds[c]] = {one};",
        f"        {name}_some({name}_kinds + {columns.first}, {name}_places + {once}, {n - columns.first});",
        f"        w[{name}_seeds[c]] = {zero};",
        f"        for (int k = 0; k < {results}; k++) {{",
        f"            w[{shape.size} + k * {seeds} + c] = w[{name}_found[k]];",
        "        }",
        "    }",
        "}",
    ]


def _table(name: str, numbers: Sequence[int]) -> list[str]:
    return [f"static const int {name}[{len(numbers)}] = {{", *ir.comma_lines(list(map(str, numbers)), "    "), "};\n"]
