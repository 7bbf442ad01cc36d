"""Loops and the programs that they call, ready to run.

A `Callee` is what a loop sees of a program: a table of four pointers (function, inputs, outputs, scratch memory). A kernel of the
loops can be a callee too, and so stand where a program does. Every callee has memory of its own: runs that go on at the same
time have their own callees of the same machine code.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..llvm import jit
from ..llvm import kernel_text as llvm_kernels
from ..llvm import loop_text as llvm_loops
from ..llvm.loop_text import Loops
from ..loops import kernels
from ..loops.kernels import Kernel
from . import disk_cache as disk
from .callable import Array, Compiled, aligned

_Run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)


@cache
def _generator() -> str:
    made_by = (kernels, llvm_kernels, llvm_loops, jit)
    return hashlib.sha256(b"".join(Path(m.__file__ or "").read_bytes() for m in made_by)).hexdigest()


@cache
def compiled_loops(
    entries: tuple[tuple[str, Kernel, tuple[tuple[str, int | float | tuple[float, ...]], ...], tuple[str, ...]], ...],
) -> jit.Loaded:
    """Machine code of kernels: for each the name of its entry, the kernel, what is fixed, and which arguments are outputs."""
    loops = Loops()
    for name, kernel, fixed, outputs in entries:
        loops.entry(kernel, name, dict(fixed), outputs)
    text = loops.text()
    key = hashlib.sha256(f"{_generator()}|{jit.identity()}|{text}".encode()).hexdigest()
    kept = disk.load(key)
    if kept is None:
        kept = jit.machine_code(text, "")
        disk.save(key, kept)
    return jit.Loaded(kept)


class Callee:
    """A function with its arguments in place, as loops call it; also to be run from Python."""

    def __init__(
        self, address: int, inputs: Sequence[int], outputs: Sequence[int], work: int, keep: Iterable[Any]
    ) -> None:
        self.inputs = np.array([*inputs, 0], dtype=np.intp)
        self.outputs = np.array([*outputs, 0], dtype=np.intp)
        self._keep = tuple(keep)
        self._table = np.array([address, self.inputs.ctypes.data, self.outputs.ctypes.data, work], dtype=np.intp)
        self.address = int(self._table.ctypes.data)
        self._run = _Run(address)
        self._arguments = tuple(int(a) for a in self._table[1:])

    def run(self) -> None:
        self._run(*self._arguments)


def program_callee(compiled: Compiled, given: Mapping[str, Array]) -> Callee:
    """A compiled program; the groups in `given` are set once and for all, loops supply the others."""
    groups = compiled.program.inputs
    arrays = [given.get(g.name, np.zeros(max(len(g), 1))) for g in groups]
    results = [np.zeros(max(len(o.values), 1)) for o in compiled.program.outputs]
    work = np.empty(compiled.work + 9)
    table = compiled.external_table
    inputs = [*(a.ctypes.data for a in arrays), table.ctypes.data]
    return Callee(
        compiled.address,
        inputs,
        [r.ctypes.data for r in results],
        aligned(work),
        (compiled, arrays, results, work, table),
    )


class LoopCallee:
    """A kernel with its arguments: arrays, numbers, indices, and other callees."""

    def __init__(
        self, kernel: Kernel, fixed: Mapping[str, Any], outputs: Sequence[str] = (), /, **arguments: Any
    ) -> None:
        name = kernel.__name__
        chosen = tuple(sorted(fixed.items()))
        self._code = compiled_loops(((f"{name}.entry", kernel, chosen, tuple(outputs)),))
        names = [a.arg for a in kernels.syntax(kernel)[0].args.args if a.arg not in fixed]
        kinds = kernels.syntax(kernel)[1]
        self._arrays = {a: _in_memory(arguments[a], kinds[a]) for a in names if a in arguments}
        self._result = np.zeros(1, dtype=np.int64)
        spare = np.zeros(1)
        places = {a: _address(self._arrays.get(a, spare)) for a in names}
        inputs = [places[a] for a in names if a not in outputs] + [int(self._result.ctypes.data)]
        self.callee = Callee(
            self._code.address(f"{name}.entry"),
            inputs,
            [places[a] for a in outputs],
            0,
            (self._code, self._arrays, spare),
        )
        self.address = self.callee.address

    def run(self) -> int:
        """Run it; what the kernel returns."""
        self.callee.run()
        return int(self._result[0])


def _in_memory(value: Any, kind: str) -> Any:
    if kind == "number":
        return np.array([value], dtype=np.float64)
    if kind == "index":
        return np.array([value], dtype=np.int64)
    return value


def _address(thing: NDArray[Any] | Callee | LoopCallee) -> int:
    return thing.address if isinstance(thing, (Callee, LoopCallee)) else int(thing.ctypes.data)
