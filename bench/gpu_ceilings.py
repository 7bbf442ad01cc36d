"""What a card can do at most: fused multiplications and additions a second, and bytes a second through its memory,
measured by two small kernels."""

from __future__ import annotations

import ctypes
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.emit.llvm import jit
from symbody.emit.llvm.device_text import THREADS, module_text
from symbody.emit.llvm.llvm_numbers import BYTES
from symbody.emit.run.cuda_callable import kept_kernel
from symbody.emit.run.cuda_driver import LEGACY_STREAM, PROCESSORS, card, cuda

CHAINS: Final = 16  # sums that do not wait for each other
TURNS: Final = 4096


@dataclass(frozen=True)
class Ceilings:
    """Operations a second by precision (a fused one is two), and bytes a second."""

    operations: dict[str, float]
    bytes: float

    def states_per_s(self, real: str, operations: int, numbers: int) -> float:
        """The bound for a state that takes so many operations and numbers in memory."""
        by_arithmetic = self.operations[real] / operations
        return min(by_arithmetic, self.bytes / (numbers * BYTES[real])) if numbers else by_arithmetic


def seconds(act: Callable[[], Any], repeats: int = 15, at_least: float = 0.01) -> float:
    """Of one execution on the default stream, by the card's own clock: the median."""
    driver, stream = cuda(), ctypes.c_void_p(LEGACY_STREAM)
    act()
    begin, end = driver.handle("cuEventCreate", 0), driver.handle("cuEventCreate", 0)

    def timed(count: int) -> float:
        driver("cuEventRecord", begin, stream)
        for _ in range(count):
            act()
        driver("cuEventRecord", end, stream)
        driver("cuEventSynchronize", end)
        ms = ctypes.c_float()
        driver("cuEventElapsedTime", ctypes.byref(ms), begin, end)
        return ms.value / 1e3 / count

    count = max(1, int(at_least / max(timed(1), 1e-6)))
    return statistics.median(timed(count) for _ in range(repeats))


def ceilings() -> Ceilings:
    return Ceilings({real: _operations(real) for real in BYTES}, _bytes())


def _operations(real: str) -> float:
    text = module_text([_fused_text(real)], [], real)
    kernel = kept_kernel(card(0), jit.ptx(text), "kernel_fused", THREADS)
    out = sb.emit.device_array(np.zeros(1), real)
    blocks = 16 * card(0).attribute(PROCESSORS)
    arguments = [ctypes.c_uint64(out.view.address)]
    least = seconds(kernel.prepared(LEGACY_STREAM, blocks, arguments))
    return 2 * CHAINS * TURNS * THREADS * blocks / least


def _fused_text(real: str) -> str:
    suffix = {"float": "f32", "double": "f64"}[real]
    first = [f"  %s{k} = phi {real} [ %x, %0 ], [ %n{k}, %turn ]" for k in range(CHAINS)]
    step = [
        f"  %n{k} = call {real} @llvm.fma.{suffix}({real} %s{k}, {real} %x, {real} {1.0 + k})" for k in range(CHAINS)
    ]
    total = ["  %t0 = fadd %R %n0, %n1".replace("%R", real)]
    total += [f"  %t{k} = fadd {real} %t{k - 1}, %n{k + 1}" for k in range(1, CHAINS - 1)]
    return "\n".join(
        [
            f"declare {real} @llvm.fma.{suffix}({real}, {real}, {real})",
            "define ptx_kernel void @kernel_fused(ptr addrspace(1) %out) #0 {",
            "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()", f"  %x = sitofp i32 %tid to {real}", "  br label %turn", "turn:",
            "  %i = phi i32 [ 0, %0 ], [ %j, %turn ]", *first, *step, "  %j = add i32 %i, 1", f"  %more = icmp slt i32 %j, {TURNS}",
            "  br i1 %more, label %turn, label %end", "end:", *total,
            f"  %odd = fcmp oeq {real} %t{CHAINS - 2}, 0.0", "  br i1 %odd, label %store, label %done", "store:",
            f"  store {real} %t{CHAINS - 2}, ptr addrspace(1) %out", "  br label %done", "done:", "  ret void", "}", "",
        ]
    )  # fmt: skip


def _bytes() -> float:
    """A copy on the card, bytes read and written."""
    size = 1 << 30
    a, b = (sb.emit.device_array(np.zeros(size // 8)) for _ in range(2))

    def copy() -> None:
        places = (ctypes.c_uint64(x.view.address) for x in (b, a))
        cuda()("cuMemcpyDtoDAsync_v2", *places, ctypes.c_size_t(size), ctypes.c_void_p(LEGACY_STREAM))

    return 2 * size / seconds(copy)
