"""Loops and the programs that they call, ready to run.

A `Callee` is what a loop sees of a program: a table of four pointers (function, inputs, outputs, scratch memory). A
kernel of the loops can be a callee too, and so stand where a program does. Every callee has memory of its own: runs
that go on at the same time have their own callees of the same machine code.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..llvm import jit, loop_text, numbers
from ..loops import checked, entries, form, records, specialised
from ..loops.checked import KernelText, source
from ..loops.form import INDEX, NUMBER, Basic, Type
from ..loops.language import Kernel
from ..loops.records import Struct, address_of, known_of, type_of
from . import disk_cache as disk
from .callable import Array, Compiled, aligned

_Run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)


@cache
def _generator() -> str:
    made_by = (checked, entries, form, records, specialised, loop_text, numbers, jit)
    return hashlib.sha256(b"".join(Path(m.__file__ or "").read_bytes() for m in made_by)).hexdigest()


@cache
def compiled_loops(
    name: str,
    kernel: Kernel,
    types: tuple[tuple[str, Type], ...],
    known: tuple[tuple[str, int | float | str | tuple[float, ...] | None], ...],
    outputs: tuple[str, ...],
) -> jit.Loaded:
    """Machine code of a kernel: the name of its entry, types of its arguments, what is known of them, and which are
    outputs."""
    loops = loop_text.LlvmLoops()
    loops.entry(kernel, name, dict(types), dict(known), outputs)
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
        self._table = np.array([address, address_of(self.inputs), address_of(self.outputs), work], dtype=np.intp)
        self.address = address_of(self._table)
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
    inputs = [*map(address_of, arrays), address_of(table)]
    return Callee(
        compiled.address,
        inputs,
        list(map(address_of, results)),
        aligned(work),
        (compiled, arrays, results, work, table),
    )


class LoopCallee:
    """A kernel with its arguments: records, arrays, numbers, indices, and other callees.

    known     values that become constants of the machine code, by the names of their arguments; records know what of
              them is constant
    outputs   arguments that take the places of a program's outputs, where the kernel stands for one
    """

    def __init__(
        self, kernel: Kernel, known: Mapping[str, Any], outputs: Sequence[str] = (), /, **arguments: Any
    ) -> None:
        name, text = f"{kernel.__name__}.entry", source(kernel)
        types = {a: _type(text, a, arguments.get(a)) for a in text.parameters}
        chosen = dict(known)
        for a, value in arguments.items():
            if isinstance(value, Struct):
                chosen |= known_of(value, a)
        self._code = compiled_loops(name, kernel, tuple(types.items()), tuple(sorted(chosen.items())), tuple(outputs))
        self._arguments = {a: _in_memory(arguments[a], types[a]) for a in types if a in arguments}
        self.result = np.zeros(1, dtype=np.int64)
        spare = np.zeros(1)
        places = {a: address_of(self._arguments.get(a, spare)) for a in types if a not in known}
        inputs = [at for a, at in places.items() if a not in outputs] + [address_of(self.result)]
        self.callee = Callee(
            self._code.address(name),
            inputs,
            [places[a] for a in outputs],
            0,
            (self._code, self._arguments, spare),
        )
        self.address = self.callee.address

    def run(self) -> int:
        """Run it; what the kernel returns."""
        self.callee.run()
        return int(self.result[0])


def _type(text: KernelText, name: str, value: Any) -> Type:
    declared = text.declared(name)
    if isinstance(value, Struct):
        return type_of(value)
    if not isinstance(declared, Basic):
        raise text.refused(text.tree, f"{name} must be given as a record")
    return declared


def _in_memory(value: Any, type_: Type) -> Any:
    if type_ is NUMBER:
        return np.array([value], dtype=np.float64)
    if type_ is INDEX:
        return np.array([value], dtype=np.int64)
    return value
