"""Schedules of fragments as LLVM text: a function for each fragment, and one loop over the table of steps.

Fragments find their groups by the row of places of a step: 32-bit numbers that count from the beginning of the memory.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..programs.fused_products import with_fused_products
from ..programs.program import Program
from ..programs.sweep_shape import SweepShape
from .piece_text import LlvmPiece

if TYPE_CHECKING:
    from .program_text import LlvmModule


@dataclass(frozen=True)
class SweepText:
    """Definitions, and the function `void main(memory)` that runs all steps."""

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
        texts.append(_FragmentPiece(inner, f"{name}.{k}", made, adds).text())
        declared |= inner.declared
        sines = sines or inner.large_sines
    tables = _bytes_table(f"{name}.kinds", shape.kinds) + _bytes_table(f"{name}.places", shape.places)
    return SweepText(tables + "".join(texts) + _loop(shape, name), f"{name}.run", frozenset(declared), sines)


class _FragmentPiece(LlvmPiece):
    """A fragment: a function of the memory and of the row of places of a step."""

    def __init__(self, module: LlvmModule, name: str, program: Program, adds: Sequence[bool]) -> None:
        super().__init__(module, name, range(len(program.code)), [0] * len(program.code), 0)
        self.adds, self.inputs = adds, len(program.inputs)

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

    def store(self, value: str, pointer: str, at: int) -> None:
        if pointer.startswith("%out.") and self.adds[int(pointer.removeprefix("%out."))]:
            value = self.new(f"fadd {self.number} {self.load(pointer, at)}, {value}")
        super().store(value, pointer, at)


def _bytes_table(name: str, numbers: Sequence[int]) -> str:
    """A table of 32-bit numbers; bytes are faster to read for LLVM than numbers."""
    packed = struct.pack(f"<{len(numbers)}i", *numbers)
    text = "".join(_ESCAPED[b] for b in packed)
    return f'@{name} = internal constant [{len(packed)} x i8] c"{text}", align 16\n'


_ESCAPED = [f"\\{b:02X}" for b in range(256)]


def _loop(shape: SweepShape, name: str) -> str:
    """All steps, one after the other; the kind of a step chooses its fragment."""
    used = sorted(set(shape.kinds))
    cases = " ".join(f"i32 {k}, label %f{k}" for k in used[1:])
    jumps = "".join(
        f"f{k}:\n  call void @{name}.{k}(ptr %w, ptr %row)\n"
        f"  %row{k} = getelementptr inbounds i32, ptr %row, i64 {shape.width(k)}\n  br label %done\n"
        for k in used
    )
    rows = ", ".join(f"[ %row{k}, %f{k} ]" for k in used)
    return (
        f"define internal void @{name}.run(ptr %w) noinline nounwind {{\nbegin:\n  br label %step\nstep:\n"
        "  %i = phi i64 [ 0, %begin ], [ %i.next, %done ]\n"
        f"  %row = phi ptr [ @{name}.places, %begin ], [ %row.next, %done ]\n"
        f"  %kind.p = getelementptr inbounds i32, ptr @{name}.kinds, i64 %i\n"
        "  %kind = load i32, ptr %kind.p, align 4\n"
        f"  switch i32 %kind, label %f{used[0]} [ {cases} ]\n{jumps}done:\n"
        f"  %row.next = phi ptr {rows}\n  %i.next = add nuw nsw i64 %i, 1\n"
        f"  %more = icmp ult i64 %i.next, {len(shape.kinds)}\n  br i1 %more, label %step, label %end\nend:\n  ret void\n}}\n"
    )
