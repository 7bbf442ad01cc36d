"""Kernels that move rows through a block's shared memory, a tile of as many states as a block has threads at a time.

Threads that read their own rows touch as many lines of the cache as there are threads. Here the threads of a block copy
the rows of all their states together, in the order in which the numbers lie in memory, and each then reads its own row
where a value is needed; results go back the same way. All threads of a block go from tile to tile together; in the last
one those without a state of their own compute with what is there, and nothing of it is copied back.

Number e of a tile's rows waits in word e + e / (R·size): after R rows, when threads would meet a bank of the memory
again, one word is left out (R = 32 / gcd(size, 32); rows of odd size need none).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Final

from ..programs.program import Program
from .device_text import GLOBAL, PACKED, TAIL, THREAD, THREADS, FunctionKernel, kernel_name, module_text, used_inputs
from .llvm_numbers import BYTES
from .ssa_text import SsaText

SHARED: Final = "ptr addrspace(3)"
MAX_SHARED_BYTES: Final = 48 * 1024  # shared memory of a block, without an opt-in for more
_BANKS: Final = 32
_BARRIER: Final = "  call void @llvm.nvvm.barrier0()"


class _Tile:
    """The rows of one array in shared memory, from word `begin` on."""

    def __init__(self, table: str, k: int, size: int, begin: int) -> None:
        self.table, self.k, self.size, self.begin = table, k, size, begin
        self.name = f"{table}.{k}"
        self.rows = _BANKS // gcd(size, _BANKS)  # between two words that are left out
        self.is_padded = self.rows < _BANKS

    @property
    def words(self) -> int:
        return THREADS * self.size + (THREADS // self.rows if self.is_padded else 0)

    def own_row(self) -> list[str]:
        """The word at which this thread's row begins, as %tile.NAME.w."""
        x = f"%tile.{self.name}"
        lines = [f"  {x}.r = mul nuw nsw i32 %tid, {self.size}"]
        if self.is_padded:
            lines += [f"  {x}.o = udiv i32 %tid, {self.rows}", f"  {x}.s = add nuw nsw i32 {x}.r, {x}.o"]
        return [*lines, f"  {x}.w = add nuw nsw i32 {x}.{'s' if self.is_padded else 'r'}, {self.begin}"]

    def word(self, x: str, e: str) -> list[str]:
        """The word of number e, as %x.w."""
        if not self.is_padded:
            return [f"  %{x}.w = add nuw nsw i32 {e}, {self.begin}"]
        return [
            f"  %{x}.b = add nuw nsw i32 {e}, {self.begin}",
            f"  %{x}.o = udiv i32 {e}, {self.rows * self.size}",
            f"  %{x}.w = add nuw nsw i32 %{x}.b, %{x}.o",
        ]


def tiles(program: Program, layouts: Sequence[str], results: str) -> list[_Tile]:
    """Arrays that go through shared memory; empty if results cannot."""
    if results != PACKED:
        return []
    read = sorted({g for g, _ in used_inputs(program)})
    arrays = [("in", g, len(program.inputs[g])) for g in read if layouts[g] == PACKED]
    arrays += [("out", o, len(x.values)) for o, x in enumerate(program.outputs)]
    found: list[_Tile] = []
    for table, k, size in arrays:
        found.append(_Tile(table, k, size, found[-1].begin + found[-1].words if found else 0))
    return found


def fits(program: Program, real: str, layouts: Sequence[str], results: str) -> bool:
    """Whether the rows of a block's states have room in shared memory."""
    return 0 < BYTES[real] * sum(x.words for x in tiles(program, layouts, results)) <= MAX_SHARED_BYTES


def tiled_kernel(program: Program, real: str, layouts: Sequence[str], results: str) -> str:
    """Module with the kernel of a program; see the head of this file."""
    text, ssa = _TiledKernel(program, real, layouts, results, prefetch=False).text()
    return module_text([text], [ssa], real)


class _TiledKernel(FunctionKernel):
    def text(self) -> tuple[str, SsaText]:
        t, found = self.t, tiles(self.program, self.layouts, self.results)
        self.tiles = {(x.table, x.k): x for x in found}
        ssa = SsaText(self.program, t, self.read, self.write)
        self._copies([x for x in found if x.table == "in"])
        t.lines += [_BARRIER, *(line for x in found for line in x.own_row())]
        ssa.emit()
        t.lines.append(_BARRIER)
        self._copies([x for x in found if x.table == "out"])
        t.declared.add("declare void @llvm.nvvm.barrier0()")
        memory = f"@tile = internal addrspace(3) global [{sum(x.words for x in found)} x {t.real}] undef, align 16"
        return "\n".join([memory, *self._head(ssa), *t.lines, *TAIL]), ssa

    def _head(self, ssa: SsaText) -> list[str]:
        arguments = ", ".join(["i64 %n", *self._arguments()])
        return [
            f"define ptx_kernel void @{kernel_name(self.program)}({arguments}) #0 {{",
            THREAD.format(threads=THREADS).rstrip("\n"), *ssa.head, "  %end.of.states = sub nsw i64 %n, 1",
            "  %any = icmp slt i64 %before, %n", "  br i1 %any, label %first, label %end", "first:", "  br label %state", "state:",
            "  %tile = phi i64 [ %before, %first ], [ %following, %last ]",
            "  %following = add nsw i64 %tile, %step", "  %more = icmp slt i64 %following, %n",
            "  %own = add nsw i64 %tile, %tid.w", "  %is.one = icmp slt i64 %own, %n",
            "  %i = select i1 %is.one, i64 %own, i64 %end.of.states",
            "  %left = sub nsw i64 %n, %tile", f"  %is.whole = icmp sge i64 %left, {THREADS}",
        ]  # fmt: skip

    # ------------------------------------------------------------------------------------------------ copies

    def _copies(self, found: Sequence[_Tile]) -> None:
        """Rows of all threads, between memory and tile: of a whole tile in straight lines, else as far as there are
        states."""
        if not found:
            return
        name = found[0].table
        whole, parts, done = (f"{name}.whole", f"{name}.part.{found[0].k}", f"{name}.copied")
        lines = [f"  br i1 %is.whole, label %{whole}, label %{parts}", f"{whole}:"]
        for x in found:
            lines += self._far(x, f"{whole}.{x.k}") + [
                line for part in range(x.size) for line in self._one(x, f"{whole}.{x.k}", part)
            ]
        lines.append(f"  br label %{done}")
        for x, following in zip(found, [*(f"{name}.part.{y.k}" for y in found[1:]), done], strict=True):
            lines += self._loop(x, f"{name}.part.{x.k}", following)
        self.t.lines += [*lines, f"{done}:"]

    def _far(self, x: _Tile, name: str) -> list[str]:
        """Where this thread's first number of the tile lies in memory, as %name.far."""
        return [
            f"  %{name}.begin = mul nsw i64 %tile, {x.size}",
            f"  %{name}.at = add nsw i64 %{name}.begin, %tid.w",
            f"  %{name}.far = getelementptr {self.t.real}, {GLOBAL} %{x.name}, i64 %{name}.at",
        ]

    def _one(self, x: _Tile, name: str, part: int) -> list[str]:
        """Number tid + part·THREADS."""
        one = f"{name}.{part}"
        return [
            f"  %{one}.e = add nuw nsw i32 %tid, {part * THREADS}",
            f"  %{one}.p = getelementptr {self.t.real}, {GLOBAL} %{name}.far, i64 {part * THREADS}",
            *x.word(one, f"%{one}.e"),
            *self._moved(x, one),
        ]

    def _loop(self, x: _Tile, name: str, following: str) -> list[str]:
        return [
            f"{name}:", *self._far(x, name), f"  %{name}.left = mul nsw i64 %left, {x.size}", f"  %{name}.count = trunc i64 %{name}.left to i32",
            f"  %{name}.any = icmp slt i32 %tid, %{name}.count", f"  br i1 %{name}.any, label %{name}.loop, label %{following}", f"{name}.loop:",
            f"  %{name}.e = phi i32 [ %tid, %{name} ], [ %{name}.next, %{name}.loop ]",
            f"  %{name}.gone = sub nsw i32 %{name}.e, %tid", f"  %{name}.gone.w = zext i32 %{name}.gone to i64",
            f"  %{name}.p = getelementptr {self.t.real}, {GLOBAL} %{name}.far, i64 %{name}.gone.w",
            *x.word(name, f"%{name}.e"), *self._moved(x, name), f"  %{name}.next = add nsw i32 %{name}.e, {THREADS}",
            f"  %{name}.more = icmp slt i32 %{name}.next, %{name}.count",
            f"  br i1 %{name}.more, label %{name}.loop, label %{following}",
        ]  # fmt: skip

    def _moved(self, x: _Tile, name: str) -> list[str]:
        """Between %name.p of memory and word %name.w of the tile."""
        real, align = self.t.real, f"align {BYTES[self.t.real]}"
        far, near = f"{GLOBAL} %{name}.p", f"{SHARED} %{name}.near"
        source, target, care = (far, near, self._care) if x.table == "in" else (near, far, align)
        return [
            f"  %{name}.near = getelementptr {real}, {SHARED} @tile, i32 %{name}.w",
            f"  %{name}.v = load {real}, {source}, {care}",
            f"  store {real} %{name}.v, {target}, {align}",
        ]

    # ------------------------------------------------------------------------------------------------ own rows

    def read(self, g: int, at: int) -> str:
        if ("in", g) not in self.tiles:
            return super().read(g, at)
        place = self._in_tile("in", g, at)
        return self.t.new(f"load {self.t.real}, {SHARED} {place}, align {BYTES[self.t.real]}")

    def write(self, o: int, at: int, value: str) -> None:
        place = self._in_tile("out", o, at)
        self.t.lines.append(f"  store {self.t.real} {value}, {SHARED} {place}, align {BYTES[self.t.real]}")

    def _in_tile(self, table: str, k: int, at: int) -> str:
        """The place of a number of this thread's row."""
        name = f"tile.{table}.{k}"
        word, place = self.t.label(f"{name}.n"), self.t.label(f"{name}.p")
        self.t.lines += [
            f"  %{word} = add nuw nsw i32 %{name}.w, {at}",
            f"  %{place} = getelementptr {self.t.real}, {SHARED} @tile, i32 %{word}",
        ]
        return f"%{place}"
