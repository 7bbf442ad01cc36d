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
from typing import Any, Final

import numpy as np

from ...algebra.graph.node_table import gc_paused
from ..cache import disk_cache as disk
from ..cache.source_digests import sources_of
from ..llvm import jit, loop_text
from ..loops.kernel_language import Kernel
from ..loops.kernel_nodes import INDEX, NUMBER, BasicType, KernelType, Type
from ..loops.kernel_parser import KernelText, kernel_source
from ..loops.records import Struct, address_of, known_values, type_of
from .callable import Array, Compiled

_Run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)


SECONDS_PER_BYTE: Final = 2.5e-5  # time of LLVM for optimised machine code of loops, per byte of the quick code, about
SIZES: Final = ("n", "m", "positions")  # fields of records that are constants of optimised machine code only
SOURCES: Final = ("algebra", "emit", "integrate", "stability")  # folders that hold kernels and what writes them


@cache
def compiled_loops(
    name: str,
    kernel: Kernel,
    types: tuple[tuple[str, Type], ...],
    known: tuple[tuple[str, int | float | str | tuple[float, ...] | None], ...],
    outputs: tuple[str, ...],
    is_quick: bool = False,
) -> tuple[jit.Loaded, bool]:
    """Machine code of a kernel: the name of its entry, types and known values of its arguments, which are outputs, and
    whether it may be code that is quick to have. The second result says whether it could be improved."""

    def text() -> str:
        loops = loop_text.LlvmLoops(rounding=jit.rounding())
        loops.entry(kernel, name, dict(types), dict(known), outputs)
        return loops.text()

    said = [_type_text(KernelType(kernel)), *(_type_text(t) for _, t in types)]
    is_ours = all(said)  # third-party kernels have no version digest: key the cache by their generated text
    made_of = f"{name}|{said}|{[a for a, _ in types]}|{known}|{outputs}" if is_ours else text()
    keys = {
        quick: hashlib.sha256(f"loops|{sources_of(*SOURCES)}|{jit.identity()}|{quick}|{made_of}".encode()).hexdigest()
        for quick in (False, True)
    }
    for quick in (False, True) if is_quick else (False,):
        if (kept := disk.load(keys[quick])) is not None:
            return jit.Loaded(kept), quick
    with gc_paused():
        written = text() if is_ours else made_of
    made = jit.machine_code(written, "", is_quick, is_plain=is_quick)
    disk.save(keys[is_quick], made)
    return jit.Loaded(made), is_quick


def _type_text(type_: Type) -> str:
    """A unique description of a type; none where a part of it is defined outside of this package."""
    if isinstance(type_, BasicType):
        return type_.name
    thing = type_.kernel if isinstance(type_, KernelType) else type_.record
    place = f"{thing.__module__}.{thing.__qualname__}"
    if not place.startswith("symbody.") or "<" in place:
        return ""
    if isinstance(type_, KernelType):
        return place
    parts = [(name, _type_text(t)) for name, t in type_.fields]
    return f"{place}({', '.join(f'{name}: {t}' for name, t in parts)})" if all(t for _, t in parts) else ""


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

    def set_address(self, address: int) -> None:
        """From the next call on, run other machine code of the same function."""
        self._table[0], self._run = address, _Run(address)

    def run(self) -> None:
        self._run(*self._arguments)


def program_callee(compiled: Compiled, given: Mapping[str, Array]) -> Callee:
    """A compiled program; the groups in `given` are set once and for all, loops supply the others."""
    groups = compiled.program.inputs
    arrays = [given.get(g.name, np.zeros(max(len(g), 1))) for g in groups]
    results = [np.zeros(max(len(o.values), 1)) for o in compiled.program.outputs]
    memory, work = compiled.scratch()
    table = compiled.external_table
    inputs = [*map(address_of, arrays), address_of(table)]
    callee = Callee(
        compiled.address,
        inputs,
        list(map(address_of, results)),
        work,
        (compiled, arrays, results, memory, table),
    )
    if compiled.is_quick:
        compiled.callers.add(callee)
    return callee


class LoopCallee:
    """A kernel with its arguments: records, arrays, numbers, indices, and other callees.

    known     values that become constants of the machine code, by the names of their arguments; records know what of
              them is constant
    outputs   arguments that take the places of a program's outputs, where the kernel stands for one
    is_quick  whether its machine code may be quick to have rather than quick to run (`improve`): it is the same for
              models of all sizes
    """

    def __init__(
        self,
        kernel: Kernel,
        known: Mapping[str, Any],
        outputs: Sequence[str] = (),
        is_quick: bool = False,
        /,
        **arguments: Any,
    ) -> None:
        name, text = f"{kernel.__name__}.entry", kernel_source(kernel)
        types = {a: _type(text, a, arguments.get(a)) for a in text.parameters}
        chosen = dict(known)
        for a, value in arguments.items():
            if isinstance(value, Struct):
                chosen |= known_values(value, a)

        def made_of(constants: Mapping[str, Any]) -> tuple[Any, ...]:
            return name, kernel, tuple(types.items()), tuple(sorted(constants.items())), tuple(outputs)

        self._made_of, self.is_quick = made_of(chosen), is_quick
        if is_quick:
            general = {k: v for k, v in chosen.items() if k in known or k.rpartition(".")[2] not in SIZES}
            self._code, self.is_quick = compiled_loops(*made_of(general), is_quick=True)
        else:
            self._code, _ = compiled_loops(*self._made_of)
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

    @property
    def seconds_to_improve(self) -> float:
        """About what `improve` takes."""
        return SECONDS_PER_BYTE * self._code.size if self.is_quick else 0.0

    def improve(self) -> None:
        """Machine code that is quick to run from the next run on, which computes the same numbers. (That of this run stays
        loaded, as all loops do.)"""
        if self.is_quick:
            self._code, self.is_quick = compiled_loops(*self._made_of)
            self.callee.set_address(self._code.address(self._made_of[0]))

    def run(self) -> int:
        """Run it; what the kernel returns."""
        self.callee.run()
        return int(self.result[0])


def _type(text: KernelText, name: str, value: Any) -> Type:
    declared = text.declared(name)
    if isinstance(value, Struct):
        return type_of(value)
    if not isinstance(declared, BasicType):
        raise text.refused(text.tree, f"{name} must be given as a record")
    return declared


def _in_memory(value: Any, type_: Type) -> Any:
    if type_ is NUMBER:
        return np.array([value], dtype=np.float64)
    if type_ is INDEX:
        return np.array([value], dtype=np.int64)
    return value
