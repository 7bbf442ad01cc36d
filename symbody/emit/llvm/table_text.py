"""The loop that runs tables of programs (`loops/table_kernels.py`), as LLVM text, and how it finds them.

The text is the same for all programs, so that none of them needs LLVM: `NAME(in, out, work)` is called as a compiled
program is, and finds the tables by the first entry of `work`, the address of a row of `FIELDS`. Numbers follow after a
cache line.
"""

from __future__ import annotations

from typing import Final

from ..loops.kernel_language import Kernel
from ..loops.kernel_parser import LIBRARY, kernel_source
from ..loops.table_kernels import copy_numbers, gather_numbers, run_tables
from .loop_text import LlvmLoops
from .program_text import ONE_ARGUMENT
from .sincos import sine_functions

NAME: Final = "run_program"
HEADER: Final = 8  # entries of `work` before its numbers
FIELDS: Final = (
    "constants", "values", "groups", "sizes", "runs", "first", "kinds", "stops", "a", "b", "c", "outputs", "lengths", "places",
)  # fmt: skip
COUNTS: Final = ("constants", "groups", "runs", "first", "outputs")  # those that are not addresses
_ENTRY: Final = f"""define void @{NAME}(ptr %in, ptr %out, ptr %work) nounwind {{
begin:
  %tables = load ptr, ptr %work, align 8
  %w = getelementptr inbounds double, ptr %work, i64 {HEADER}
FETCHED  call void @COPIED(i64 %constants, ptr %values, ptr %w)
  br label %inputs
inputs:
  %k = phi i64 [ 0, %begin ], [ %k.next, %input ]
  %at = phi i64 [ %constants, %begin ], [ %at.next, %input ]
  %is.input = icmp slt i64 %k, %groups
  br i1 %is.input, label %input, label %computed
input:
  %size.p = getelementptr inbounds i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.p, align 8
  %x.p = getelementptr inbounds ptr, ptr %in, i64 %k
  %x = load ptr, ptr %x.p, align 8
  %to = getelementptr inbounds double, ptr %w, i64 %at
  call void @COPIED(i64 %size, ptr %x, ptr %to)
  %at.next = add nsw i64 %at, %size
  %k.next = add nsw i64 %k, 1
  br label %inputs
computed:
  call void @RUN(i64 %runs, i64 %first, ptr %kinds, ptr %stops, ptr %a, ptr %b, ptr %c, ptr %w)
  br label %results
results:
  %o = phi i64 [ 0, %computed ], [ %o.next, %result ]
  %from = phi i64 [ 0, %computed ], [ %from.next, %result ]
  %is.result = icmp slt i64 %o, %outputs
  br i1 %is.result, label %result, label %end
result:
  %length.p = getelementptr inbounds i64, ptr %lengths, i64 %o
  %length = load i64, ptr %length.p, align 8
  %y.p = getelementptr inbounds ptr, ptr %out, i64 %o
  %y = load ptr, ptr %y.p, align 8
  %place = getelementptr inbounds i64, ptr %places, i64 %from
  call void @GATHERED(i64 %length, ptr %place, ptr %w, ptr %y)
  %from.next = add nsw i64 %from, %length
  %o.next = add nsw i64 %o, 1
  br label %results
end:
  ret void
}}
"""


_VALUE_AT_ADDRESS: Final = """define internal double @value_at_address(double %address, double %x) nounwind {
  %bits = bitcast double %address to i64
  %f = inttoptr i64 %bits to ptr
  %y = call double %f(double %x)
  ret double %y
}
"""


def table_loops(rounding: str) -> str:
    """The module; `rounding` is fused or separate."""
    loops = LlvmLoops(rounding=rounding)
    text = _ENTRY.replace("FETCHED", "".join(map(_table_load, range(len(FIELDS)), FIELDS)))
    kernels: dict[str, Kernel] = {"RUN": run_tables, "COPIED": copy_numbers, "GATHERED": gather_numbers}
    for place, kernel in kernels.items():
        text = text.replace(place, loops.kernels.kernel(kernel, kernel_source(kernel).basic_types, {}).name)
    declared = {f: n for f, n in LIBRARY.items() if f != "value_at_address"}
    library = _VALUE_AT_ADDRESS + "".join(
        f"declare double @{f}({', '.join(['double'] * n)})\n" for f, n in declared.items()
    )
    return loops.text() + library + sine_functions(rounding) + text + ONE_ARGUMENT.replace("NAME", NAME)


def _table_load(k: int, name: str) -> str:
    kind = "i64" if name in COUNTS else "ptr"
    return f"  %{name}.p = getelementptr inbounds i64, ptr %tables, i64 {k}\n  %{name} = load {kind}, ptr %{name}.p, align 8\n"
