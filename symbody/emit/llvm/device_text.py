"""Programs as LLVM text for a GPU: one state in each thread.

`function_kernel` is a kernel `NAME(n, inputs..., outputs...)` for arrays of n states. Its threads stay: each takes one
state after the other, and where `prefetch` is set it loads the next one's inputs before it computes, so that the
memory's delay passes meanwhile.

    rows      pointer, distance of rows         state i has numbers i·distance + 0, 1, 2, ...; a distance of 0 serves
              all states
    packed    the same                          rows without gaps between them, which may go through shared memory
                                                (`device_tiles`)
    columns   pointer, distance of columns      state i has numbers i, i + distance, i + 2·distance, ...
    value     the numbers themselves            one row for all states, in the kernel's arguments
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ..programs.program import Program
from .device_math import UNLIKELY, function_text, reduction_text
from .device_sweeps import device_schedules
from .llvm_numbers import BYTES
from .loop_text import LlvmKernel, intrinsics
from .scalar_text import ScalarText
from .ssa_text import SsaText

ROWS: Final = "rows"
PACKED: Final = "packed"
COLUMNS: Final = "columns"
VALUE: Final = "value"
THREADS: Final = 128  # in a block
TAIL: Final = ("  br label %last", "last:", "  br i1 %more, label %state, label %end", "end:", "  ret void", "}", "")
TRIPLE: Final = "nvptx64-nvidia-cuda"
GLOBAL: Final = "ptr addrspace(1)"
THREAD: Final = """  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %tid.w = zext i32 %tid to i64
  %block.w = zext i32 %block to i64
  %blocks.w = zext i32 %blocks to i64
  %before = mul nuw nsw i64 %block.w, {threads}
  %mine = add nuw nsw i64 %before, %tid.w
  %step = mul nuw nsw i64 %blocks.w, {threads}
"""
_REGISTERS: Final = "".join(f"declare i32 @llvm.nvvm.read.ptx.sreg.{r}.x()\n" for r in ("tid", "ctaid", "nctaid"))


def kernel_name(program: Program) -> str:
    return f"kernel_{program.name}"


def used_inputs(program: Program) -> list[tuple[int, int]]:
    """Group and position of each input that is read, in order."""
    return sorted(i.data for i in program.code if i.op == "input")


class FunctionKernel:
    """The text of one kernel."""

    def __init__(self, program: Program, real: str, layouts: Sequence[str], results: str, prefetch: bool) -> None:
        self.program, self.layouts, self.results, self.prefetch = program, layouts, results, prefetch
        self.t = ScalarText(real)
        self.inputs = [(g, at) for g, at in used_inputs(program) if layouts[g] != VALUE]
        self.ready: dict[tuple[int, int], str] = {}
        self.places: dict[tuple[str, int], str] = {}  # where a state's numbers begin

    def text(self) -> tuple[str, SsaText]:
        t = self.t
        ssa = SsaText(self.program, t, self.read, self.write)
        if self.prefetch:
            self._prefetch()
        ssa.emit()
        return "\n".join([*self._head(ssa), *t.lines, *TAIL]), ssa

    def _head(self, ssa: SsaText) -> list[str]:
        first = self._loads("first", "%mine") if self.prefetch else []
        carried = [
            f"  %in.{g}.{at} = phi {self.t.real} [ %first.{g}.{at}, %first ], [ %next.{g}.{at}, %last ]"
            for g, at in self.inputs
        ]
        return [
            f"define ptx_kernel void @{kernel_name(self.program)}({', '.join(['i64 %n', *self._arguments()])}) #0 {{",
            THREAD.format(threads=THREADS).rstrip("\n"), *ssa.head,
            "  %any = icmp slt i64 %mine, %n", "  br i1 %any, label %first, label %end", "first:", *first, "  br label %state", "state:",
            "  %i = phi i64 [ %mine, %first ], [ %following, %last ]", *(carried if self.prefetch else []),
            "  %following = add nsw i64 %i, %step", "  %more = icmp slt i64 %following, %n",
        ]  # fmt: skip

    def _arguments(self) -> list[str]:
        return [*self._inputs(), *self._outputs()]

    def _inputs(self) -> list[str]:
        out: list[str] = []
        for g, (group, layout) in enumerate(zip(self.program.inputs, self.layouts, strict=True)):
            if layout == VALUE:
                out += [f"{self.t.real} %value.{g}.{at}" for at in range(len(group))]
            else:
                out += [f"{GLOBAL} noalias readonly %in.{g}", f"i64 %in.{g}.d"]
        return out

    def _outputs(self) -> list[str]:
        return [x for o in range(len(self.program.outputs)) for x in (f"{GLOBAL} noalias %out.{o}", f"i64 %out.{o}.d")]

    # ------------------------------------------------------------------------------------------------ memory

    def _prefetch(self) -> None:
        """The next state's inputs; after the last one, this one's again, which costs less than a branch."""
        self.t.lines += ["  %later = select i1 %more, i64 %following, i64 %i", *self._loads("next", "%later")]
        self.ready = {(g, at): f"%in.{g}.{at}" for g, at in self.inputs}

    def _loads(self, name: str, state: str) -> list[str]:
        lines: list[str] = []
        for g in dict.fromkeys(g for g, _ in self.inputs):
            lines += _beginning(f"{name}.{g}.b", f"%in.{g}", self.layouts[g], state, self.t.real)
        for g, at in self.inputs:
            lines += _element(f"{name}.{g}.{at}.p", f"%{name}.{g}.b", f"%in.{g}", self.layouts[g], at, self.t.real)
            lines.append(f"  %{name}.{g}.{at} = load {self.t.real}, {GLOBAL} %{name}.{g}.{at}.p, {self._care}")
        return lines

    @property
    def _care(self) -> str:
        return f"align {BYTES[self.t.real]}, !invariant.load !1"

    def read(self, g: int, at: int) -> str:
        if self.layouts[g] == VALUE:
            return f"%value.{g}.{at}"
        if (g, at) in self.ready:
            return self.ready[g, at]
        return self.t.new(f"load {self.t.real}, {GLOBAL} {self._place('in', g, self.layouts[g], at)}, {self._care}")

    def write(self, o: int, at: int, value: str) -> None:
        place = self._place("out", o, self.results, at)
        self.t.lines.append(f"  store {self.t.real} {value}, {GLOBAL} {place}, align {BYTES[self.t.real]}")

    def _place(self, table: str, k: int, layout: str, at: int) -> str:
        key = (table, k)
        if key not in self.places:
            self.places[key] = f"%{table}.{k}.b"
            self.t.lines += _beginning(f"{table}.{k}.b", f"%{table}.{k}", layout, "%i", self.t.real)
        name = self.t.label(f"{table}.{k}.p")
        self.t.lines += _element(name, self.places[key], f"%{table}.{k}", layout, at, self.t.real)
        return f"%{name}"


def _beginning(name: str, array: str, layout: str, state: str, real: str) -> list[str]:
    """Address of a state's first number."""
    if layout == COLUMNS:
        return [f"  %{name} = getelementptr {real}, {GLOBAL} {array}, i64 {state}"]
    return [
        f"  %{name}.r = mul nsw i64 {state}, {array}.d",
        f"  %{name} = getelementptr {real}, {GLOBAL} {array}, i64 %{name}.r",
    ]


def _element(name: str, begin: str, array: str, layout: str, at: int, real: str) -> list[str]:
    """Address of a state's number `at`."""
    if layout != COLUMNS:
        return [f"  %{name} = getelementptr {real}, {GLOBAL} {begin}, i64 {at}"]
    return [
        f"  %{name}.c = mul nsw i64 {array}.d, {at}",
        f"  %{name} = getelementptr {real}, {GLOBAL} {begin}, i64 %{name}.c",
    ]


def function_kernel(program: Program, real: str, layouts: Sequence[str], results: str, prefetch: bool) -> str:
    """Module with the kernel of a program; see the head of this file."""
    text, ssa = FunctionKernel(program, real, layouts, results, prefetch).text()
    return module_text([text], [ssa], real)


# ---------------------------------------------------------------------------------------------------------- modules


def module_text(functions: Iterable[str], bodies: Sequence[SsaText], real: str, used: Iterable[str] = ()) -> str:
    """Functions with all that they call. `used` are functions of `device_math` that are called beside those of the
    bodies."""
    schedules, fragments = device_schedules({name: s for b in bodies for name, s in b.schedules.items()}, real)
    bodies = [*bodies, *fragments]
    names = sorted({f for b in bodies for f in b.functions} | set(used))
    library = [function_text(f, real) for f in names]
    kernels: dict[str, LlvmKernel] = {}
    for b in bodies:
        kernels |= b.kernels
    declared = {d for b in bodies for d in b.t.declared} | {d for _, ds in library for d in ds}
    declared |= set(intrinsics(real).splitlines()) | {"declare double @llvm.copysign.f64(double, double)"}
    return "\n".join(
        [
            f'target triple = "{TRIPLE}"', *sorted(declared), _REGISTERS, reduction_text(), *(text for text, _ in library),
            *(k.text("nounwind") for k in kernels.values()), *schedules, *functions,
            f'attributes #0 = {{ nounwind "nvvm.maxntid"="{THREADS}" "nvvm.minctasm"="1" }}', UNLIKELY + "!1 = !{}", "",
        ]
    )  # fmt: skip
