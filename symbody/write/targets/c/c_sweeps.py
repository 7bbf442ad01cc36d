"""Schedules of fragments as C: a function for each fragment, tables of steps, and a loop over them.

The memory of a schedule is static, one for each thread, since that of large mechanisms does not fit on a stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ....emit import ir
from ...printers.loop_printer import LoopLanguage, loop_lines

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
    lines = loop_lines(shape, name, functions, C_LOOPS, real=real, zero=zero, one=one)
    return "\n".join(lines) + "\n"


def _table(name: str, numbers: Sequence[int]) -> list[str]:
    return [f"static const int {name}[{len(numbers)}] = {{", *ir.comma_lines(list(map(str, numbers)), "    "), "};\n"]


C_LOOPS: Final = LoopLanguage(package=__package__, file="loops.c", table=_table)
