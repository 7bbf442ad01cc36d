"""Program -> LLVM text that holds its tables and calls the loop that runs them (`loops/table_kernels.py`).

The text of the loop is the same for all programs: it is compiled once, and found by its name.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

from ..loops.checked import basic_types
from ..loops.language import Kernel
from ..loops.table_kernels import copied, gathered, run_tables
from ..program.fused_products import with_fused_products
from ..program.program import Program
from ..program.program_tables import program_tables
from .loop_text import LlvmLoops, type_text
from .program_text import ONE_ARGUMENT, LlvmText, entry
from .sincos import sine_functions

KERNELS: Final[tuple[Kernel, ...]] = (run_tables, copied, gathered)


def table_loops(rounding: str) -> str:
    """The loop over tables, with functions that others can call by `exported` names."""
    loops, text = LlvmLoops(rounding=rounding), ""
    for kernel in KERNELS:
        form = loops.kernels.kernel(kernel, basic_types(kernel), {})
        arguments = ", ".join(f"{type_text(p.type, 'double')} %{p.name}" for p in form.parameters)
        text += (
            f"define void @{exported(kernel, rounding)}({arguments}) nounwind {{\n  call void @{form.name}({arguments})\n  "
            "ret void\n}\n"
        )
    return loops.text() + sine_functions(rounding) + text


def exported(kernel: Kernel, rounding: str) -> str:
    return f"symbody.{kernel.__name__}.{rounding}"


def table_text(program: Program, rounding: str) -> LlvmText:
    """The module of a program; `rounding` is fused or separate."""
    made = with_fused_products(program) if rounding == "fused" else program
    tables, name = program_tables(made), entry(program)
    main = _EntryOfTables(rounding)
    main.copy(len(tables.constants), main.data(array("d", tables.constants)), 0)
    at = len(tables.constants)
    for k, group in enumerate(program.inputs):
        main.copy(len(group), main.pointer("in", k), at)
        at += len(group)
    columns = [main.data(array("q", table)) for table in (tables.kinds, tables.stops, *tables.arguments)]
    main.call(run_tables, [len(tables.kinds), tables.first], [*columns, "%work"])
    for k, out in enumerate(tables.outputs):
        main.call(gathered, [len(out)], [main.data(array("q", out)), "%work", main.pointer("out", k)])
    return LlvmText("", main.text(name) + ONE_ARGUMENT.replace("NAME", name), tables.size)


class _EntryOfTables:
    """The function of a program: calls of the exported kernels, and the data that they are given."""

    def __init__(self, rounding: str) -> None:
        self.rounding = rounding
        self.lines: list[str] = []
        self.constants: list[str] = []
        self.declared: set[str] = set()

    def data(self, numbers: array[float] | array[int]) -> str:
        """Numbers as the machine holds them; as text of numbers, LLVM would take ten times as long to read them."""
        name, size = f"@data.{len(self.constants)}", len(numbers) * numbers.itemsize
        text = "\\" + numbers.tobytes().hex("\\") if size else ""
        self.constants.append(f'{name} = private constant [{size} x i8] c"{text}", align 8\n')
        return name

    def pointer(self, table: str, at: int) -> str:
        """An input group or an output."""
        name = f"%{table}.{at}"
        self.lines += [
            f"  {name}.p = getelementptr inbounds ptr, ptr %{table}, i64 {at}",
            f"  {name} = load ptr, ptr {name}.p, align 8",
        ]
        return name

    def copy(self, n: int, source: str, at: int) -> None:
        self.lines.append(f"  %to.{at}.{n} = getelementptr inbounds double, ptr %work, i64 {at}")
        self.call(copied, [n], [source, f"%to.{at}.{n}"])

    def call(self, kernel: Kernel, indices: Sequence[int], pointers: Sequence[str]) -> None:
        name = exported(kernel, self.rounding)
        given = [*(f"i64 {k}" for k in indices), *(f"ptr {p}" for p in pointers)]
        self.lines.append(f"  call void @{name}({', '.join(given)})")
        self.declared.add(f"declare void @{name}({', '.join(g.split()[0] for g in given)})\n")

    def text(self, name: str) -> str:
        body = "\n".join(self.lines)
        main = f"define void @{name}(ptr %in, ptr %out, ptr %work) nounwind {{\n{body}\n  ret void\n}}\n"
        return "".join([*self.constants, *sorted(self.declared), main])
