"""Schedules of fragments as LLVM text: a function for each fragment, and one loop over the table of steps.

Fragments find their groups by the row of places of a step: 32-bit numbers that count from the beginning of the memory. Those that
call external functions are passed the table of their addresses.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..lowering.fused_products import with_fused_products
from ..programs.program import Instruction, Program
from ..programs.sweep_shape import SweepShape
from .llvm_numbers import BYTES, splat
from .piece_text import LlvmPiece

if TYPE_CHECKING:
    from ...algebra.graph.functions import ExternalFunction
    from .program_text import LlvmModule


@dataclass(frozen=True)
class SweepText:
    """Definitions, and the function `void main(memory)` that runs all steps; before the memory it takes the table of external
    functions, if there are any."""

    definitions: str
    main: str
    declared: frozenset[str]
    large_sines: str


def sweep_text(shape: SweepShape, name: str, module: LlvmModule) -> SweepText:
    """Of the numbers and rounding of a module; `name` begins all names."""
    texts, declared, sines = [], set[str](), ""
    for k, (program, adds) in enumerate(zip(shape.fragments, shape.adds, strict=True)):
        made = with_fused_products(program) if module.rounding == "fused" else program
        inner = module.alike(made)
        texts.append(_FragmentPiece(inner, f"{name}.{k}", made, adds, module.program.externals).text())
        declared |= inner.declared
        sines = sines or inner.large_sines
    text = "".join(texts) + schedule_text(shape, name, module.number)
    if shape.externals:
        text = text.replace("(ptr %w", "(ptr %functions, ptr %w")
    return SweepText(text, f"{name}.run", frozenset(declared), sines)


class _FragmentPiece(LlvmPiece):
    """A fragment: a function of the memory and of the row of places of a step; `functions` are those of the program."""

    def __init__(
        self,
        module: LlvmModule,
        name: str,
        program: Program,
        adds: Sequence[bool],
        functions: Sequence[ExternalFunction],
    ) -> None:
        super().__init__(module, name, range(len(program.code)), [0] * len(program.code), 0)
        self.adds, self.inputs, self.functions = adds, len(program.inputs), functions

    def text(self) -> str:
        for k in self.span:
            self.instruction(k, self.code[k])
        body = "\n".join([*self.head, *self.lines])
        return f"define internal void @{self.name}(ptr %w, ptr %row) noinline nounwind {{\n{body}\n  ret void\n}}\n"

    def base(self, table: str, at: int) -> str:
        """Pointer to a group, by its place in the row."""
        key = f"%{table}.{at}"
        if key not in self.bases:
            self.bases[key] = key
            number = at + self.inputs * (table == "out")
            self.head += [
                f"  {key}.p = getelementptr inbounds i32, ptr %row, i64 {number}",
                f"  {key}.i = load i32, ptr {key}.p, align 4",
                f"  {key}.n = sext i32 {key}.i to i64",
                f"  {key} = getelementptr inbounds {self.number}, ptr %w, i64 {key}.n",
            ]
        return key

    def external(self, i: Instruction) -> str:
        return self.address("%functions", self.functions.index(i.data))

    def store(self, value: str, pointer: str, at: int) -> None:
        if pointer.startswith("%out.") and self.adds[int(pointer.removeprefix("%out."))]:
            value = self.new(f"fadd {self.number} {self.load(pointer, at)}, {value}")
        super().store(value, pointer, at)


def schedule_text(shape: SweepShape, name: str, number: str) -> str:
    """Tables, and the function `void NAME.run(memory)`, which calls the fragments `NAME.0(memory, places)`, ..."""
    tables = _bytes_table(f"{name}.kinds", shape.kinds) + _bytes_table(f"{name}.places", shape.places)
    return tables + _loop(shape, name, number)


def _bytes_table(name: str, numbers: Sequence[int]) -> str:
    """A table of 32-bit numbers; bytes are faster to read for LLVM than numbers."""
    packed = struct.pack(f"<{len(numbers)}i", *numbers)
    text = "\\" * bool(packed) + packed.hex("\\")
    return f'@{name} = internal constant [{len(packed)} x i8] c"{text}", align 16\n'


def _loop(shape: SweepShape, name: str, number: str) -> str:
    """All steps, one after the other; the kind of a step chooses its fragment."""
    n, columns = len(shape.kinds), shape.columns
    text = _steps(shape, name)
    if columns is None:
        body = f"  call void @{name}.steps(ptr %w, ptr @{name}.kinds, ptr @{name}.places, i64 {n})\n"
        return f"{text}define internal void @{name}.run(ptr %w) noinline nounwind {{\n{body}  ret void\n}}\n"
    once = sum(shape.width(k) for k in shape.kinds[: columns.first])
    head = f"  call void @{name}.steps(ptr %w, ptr @{name}.kinds, ptr @{name}.places, i64 {columns.first})\n"
    return (
        f"{text}{_bytes_table(f'{name}.seeds', columns.seeds)}{_bytes_table(f'{name}.found', columns.results)}"
        f"define internal void @{name}.run(ptr %w) noinline nounwind {{\nbegin:\n{head * bool(columns.first)}"
        f"  %kinds = getelementptr inbounds i32, ptr @{name}.kinds, i64 {columns.first}\n"
        f"  %rows = getelementptr inbounds i32, ptr @{name}.places, i64 {once}\n"
        f"  %all = getelementptr inbounds {number}, ptr %w, i64 {shape.size}\n  br label %clear\n"
        + _table_loop("clear", "begin", len(columns.seeds), "column", _store(name, "seeds", "clear", number, 0.0))
        + "column:\n  %c = phi i64 [ 0, %clear ], [ %c.next, %kept ]\n"
        + _store(name, "seeds", "c", number, 1.0)
        + f"  call void @{name}.steps(ptr %w, ptr %kinds, ptr %rows, i64 {n - columns.first})\n"
        + _store(name, "seeds", "c", number, 0.0, "again")
        + f"  %own = getelementptr inbounds {number}, ptr %all, i64 %c\n  br label %keep\n"
        + _table_loop("keep", "column", len(columns.results), "kept", _result_copy(name, number, len(columns.seeds)))
        + "kept:\n  %c.next = add nuw nsw i64 %c, 1\n"
        f"  %c.more = icmp ult i64 %c.next, {len(columns.seeds)}\n  br i1 %c.more, label %column, label %end\n"
        "end:\n  ret void\n}\n"
    )


def _table_loop(label: str, before: str, count: int, after: str, body: str) -> str:
    """A loop over a table."""
    return (
        f"{label}:\n  %{label}.i = phi i64 [ 0, %{before} ], [ %{label}.next, %{label} ]\n{body}"
        f"  %{label}.next = add nuw nsw i64 %{label}.i, 1\n  %{label}.more = icmp ult i64 %{label}.next, {count}\n"
        f"  br i1 %{label}.more, label %{label}, label %{after}\n"
    )


def _store(name: str, table: str, index: str, number: str, x: float, key: str = "") -> str:
    """A number into the place that a table gives."""
    i, key = (f"%{index}.i" if index == "clear" else f"%{index}"), f"%{index}.{key}seed"
    return (
        f"  {key}.p = getelementptr inbounds i32, ptr @{name}.{table}, i64 {i}\n  {key} = load i32, ptr {key}.p, align 4\n"
        f"  {key}.n = sext i32 {key} to i64\n  {key}.at = getelementptr inbounds {number}, ptr %w, i64 {key}.n\n"
        f"  store {number} {splat(x, number)}, ptr {key}.at, align {_alignment(number)}\n"
    )


def _result_copy(name: str, number: str, columns: int) -> str:
    """A result of a repetition, put into its column."""
    return (
        f"  %from.p = getelementptr inbounds i32, ptr @{name}.found, i64 %keep.i\n  %from.i = load i32, ptr %from.p, align 4\n"
        f"  %from.n = sext i32 %from.i to i64\n  %from = getelementptr inbounds {number}, ptr %w, i64 %from.n\n"
        f"  %found = load {number}, ptr %from, align {_alignment(number)}\n  %to.n = mul i64 %keep.i, {columns}\n"
        f"  %to = getelementptr inbounds {number}, ptr %own, i64 %to.n\n"
        f"  store {number} %found, ptr %to, align {_alignment(number)}\n"
    )


def _alignment(number: str) -> int:
    return BYTES.get(number, 8)


def _steps(shape: SweepShape, name: str) -> str:
    """Some steps, from the first of a part of the tables."""
    used = sorted(set(shape.kinds))
    cases = " ".join(f"i32 {k}, label %f{k}" for k in used[1:])
    jumps = "".join(
        f"f{k}:\n  call void @{name}.{k}(ptr %w, ptr %row)\n"
        f"  %row{k} = getelementptr inbounds i32, ptr %row, i64 {shape.width(k)}\n  br label %done\n"
        for k in used
    )
    rows = ", ".join(f"[ %row{k}, %f{k} ]" for k in used)
    return (
        f"define internal void @{name}.steps(ptr %w, ptr %kinds, ptr %rows, i64 %count) noinline nounwind {{\n"
        "begin:\n  br label %step\nstep:\n"
        "  %i = phi i64 [ 0, %begin ], [ %i.next, %done ]\n"
        "  %row = phi ptr [ %rows, %begin ], [ %row.next, %done ]\n"
        "  %kind.p = getelementptr inbounds i32, ptr %kinds, i64 %i\n"
        "  %kind = load i32, ptr %kind.p, align 4\n"
        f"  switch i32 %kind, label %f{used[0]} [ {cases} ]\n{jumps}done:\n"
        f"  %row.next = phi ptr {rows}\n  %i.next = add nuw nsw i64 %i, 1\n"
        "  %more = icmp ult i64 %i.next, %count\n  br i1 %more, label %step, label %end\nend:\n  ret void\n}\n"
    )
