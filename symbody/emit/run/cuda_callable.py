"""Program -> a function of many states on a GPU: PTX by LLVM, machine code by the card's driver, both kept on disk."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...algebra.elimination import elimination
from ...argument_kinds import answered_class, checked_flags
from ...errors import ProgramError, listed, shown
from ..cache import disk_cache as disk
from ..llvm import (
    device_math,
    device_sweeps,
    device_text,
    device_tiles,
    jit,
    llvm_numbers,
    loop_text,
    scalar_text,
    ssa_text,
    sweep_text,
)
from ..llvm.device_text import COLUMNS, PACKED, ROWS, THREADS, VALUE, function_kernel, kernel_name, used_inputs
from ..llvm.device_tiles import fits, tiled_kernel
from ..llvm.ssa_text import require_local_memory
from ..loops import kernel_nodes, kernel_parser, program_kernels, specialisation
from ..lowering import register_order
from ..lowering.register_order import values_alive, with_fewer_alive
from ..lowering.straight_line import without_tree_loops
from ..programs import instruction_order
from ..programs.program import Group, Program
from .call_text import output_shape, wrong_count
from .callable import without_empty
from .cuda_driver import Card, CudaKernel, card, cuda, machine_code_for
from .device_arrays import ArrayView, DeviceArray, converter, packed_strides, real_dtype, stream_of, view_of

REALS: Final = ("double", "float")
EARLY, LATE, TILES = READINGS = ("early", "late", "tiles")
REGISTERS: Final = 255  # 32-bit registers of a thread
WIDE_STATE: Final = 24  # numbers of a state stored in rows: beyond this, reading takes longer than computing, and prefetching gains nothing
LONG_PROGRAM: Final = 8000  # operations from which on the driver compiles so slowly that one variant only is tried
NUMBERS_OF: Final = {"double": ctypes.c_double, "float": ctypes.c_float}
_MAX_ARGUMENT_BYTES: Final = 3500  # bytes of numbers passed as arguments of a kernel


@cache
def _generator() -> str:
    """Hash of the files that decide the text for a GPU."""
    made_by = (
        device_math, device_sweeps, device_text, device_tiles, scalar_text, ssa_text, sweep_text, loop_text, llvm_numbers, jit, kernel_parser, kernel_nodes, program_kernels, specialisation, elimination,
        instruction_order, register_order,
    )  # fmt: skip
    return hashlib.sha256(b"".join(Path(m.__file__ or "").read_bytes() for m in made_by)).hexdigest()


def kept_ptx(description: str, made: Any, cache: bool = True) -> str:
    """PTX by what decides it: from disk, or of the LLVM text that `made()` gives."""
    key = hashlib.sha256(f"{_generator()}|{jit.gpu_identity()}|{description}".encode()).hexdigest()
    kept = disk.load(key) if cache else None
    if kept is None:
        kept = jit.ptx(made()).encode()
        if cache:
            disk.save(key, kept)
    return kept.decode()


def kept_kernel(card: Card, ptx: str, name: str, threads: int, cache: bool = True) -> CudaKernel:
    """The kernel of a PTX text on a card, its machine code from disk where it is there."""
    driver = cuda().number("cuDriverGetVersion")
    key = hashlib.sha256(f"{card.architecture}|{driver}|{ptx}".encode()).hexdigest()
    code = disk.load(key) if cache else None
    if code is None:
        code = machine_code_for(card, ptx)
        if cache:
            disk.save(key, code)
    return CudaKernel(card, code, name, threads)


def checked_real(real: str) -> str:
    if real not in REALS:
        raise ProgramError(f"real is {listed(REALS)}, got {shown(real)}")
    return real


@dataclass(frozen=True)
class ArrayLayout:
    """How arrays lie in memory (`device_text`), which decides the text of a kernel."""

    inputs: tuple[str, ...]
    results: str = PACKED


@answered_class
class CudaFunction:
    """A program on a GPU. Call it with one argument for each input group, `f(t, q, u)`: arrays of n rows on a card, or
    one row for all states.

    Arrays are those of CuPy, PyTorch or JAX, or `device_array(...)`, in the function's precision; results are of the
    same kind. Numbers and short rows from this computer's memory are passed with the call. Work is queued on the
    caller's stream. Arguments without numbers (`empty`: p of a model without parameters) may follow the others.

    >>> x = sb.symbol("x")
    >>> f = sb.program("f", {"x": x}, {"y": sb.sin(x)})
    >>> try:
    ...     sine, zeros = sb.compile(f, target="cuda"), sb.emit.device_array(np.zeros(4))
    ...     y = sine(zeros).numpy() + sine.batch(zeros).numpy()  # the same call by two names
    ... except sb.errors.CompileError:  # without a card of NVIDIA
    ...     y = np.zeros(4)
    >>> y
    array([0., 0., 0., 0.])

    See also: `compile`, `emit.DeviceArray`, `emit.ptx_source`.
    """

    def __init__(self, program: Program, real: str = "double", cache: bool = True, empty: tuple[str, ...] = ()) -> None:
        cuda()
        self.program, self.real = without_tree_loops(program), checked_real(real)
        require_local_memory(self.program, real)
        self._cache, self._empty = cache, empty
        self.kernels: dict[tuple[int, ArrayLayout], CudaKernel] = {}

    def __repr__(self) -> str:
        return repr(self.program).replace("<Program", f"<CUDA function ({self.real})", 1)

    def __reduce__(self) -> Any:
        return CudaFunction, (self.program, self.real, self._cache, self._empty)

    def _best_kernel(self, card: Card, layout: ArrayLayout) -> CudaKernel:
        """The kernel for arrays that lie in some way."""
        key = (card.ordinal, layout)
        if key not in self.kernels:
            made = [self._kernel(card, layout, reading) for reading in self._ways(layout)]
            self.kernels[key] = min(made, key=lambda k: k.local_bytes)  # of two as good, the first
        return self.kernels[key]

    def _ways(self, layout: ArrayLayout) -> list[str]:
        """How to read states: what is certain, or ways to be tried, the more promising one first."""
        if is_wide(self.program, layout) and fits(self.program, self.real, layout.inputs, layout.results):
            return [TILES]
        if prefetches(self.program, self.real, layout):
            return [EARLY]
        if self.program.cost.total > LONG_PROGRAM or has_loops(self.program):
            return [LATE]
        return [LATE, EARLY] if is_wide(self.program, layout) else [EARLY, LATE]

    def _kernel(self, card: Card, layout: ArrayLayout, reading: str) -> CudaKernel:
        text = ptx_source(self.program, self.real, layout, reading, cache=self._cache)
        return kept_kernel(card, text, kernel_name(self.program), THREADS, self._cache)

    def __call__(self, *groups: Any, out: Any = None, stream: Any = None) -> Any:
        """out      arrays for the results, one for each output, which are then returned
        stream   where the work is queued; by default the stream on which CuPy or PyTorch work at this moment, else the
                 default stream
        """
        call = self.prepared(*groups, out=out, stream=stream)
        call()
        return call.results

    batch = __call__

    def prepared(self, *groups: Any, out: Any = None, stream: Any = None) -> PreparedCall:
        """A repeatable call on fixed arrays.

        >>> x = sb.symbol("x")
        >>> f = sb.program("f", {"x": x}, {"y": sb.sin(x)})
        >>> try:
        ...     sine, zeros = sb.compile(f, target="cuda"), sb.emit.device_array(np.zeros(4))
        ...     out = sb.emit.device_array(np.ones(4))
        ...     again = sine.prepared(zeros, out=out)
        ...     again()
        ...     y = out.numpy()
        ... except sb.errors.CompileError:  # without a card of NVIDIA
        ...     y = np.zeros(4)
        >>> y
        array([0., 0., 0., 0.])

        See also: `emit.CudaFunction`, `emit.device_array`.
        """
        program = self.program
        groups = tuple(without_empty(program, groups, self._empty))
        if len(groups) != len(program.inputs):
            raise wrong_count(program, len(groups), program.name)
        queue = stream_of(stream, groups)
        given = [self._given(g, a, queue) for g, a in zip(program.inputs, groups, strict=True)]
        n, ordinal = self._common(given)
        results = self._results(out, n, ordinal, queue)
        layout = ArrayLayout(tuple(g.layout for g in given), _layout_of_results(results))
        arguments = [
            ctypes.c_int64(n),
            *(a for g in given for a in g.arguments),
            *(a for r in results for a in r.arguments),
        ]
        blocks, kernel = -(-n // THREADS), self._best_kernel(card(ordinal), layout)
        launch = kernel.prepared(queue, min(kernel.resident, blocks), arguments) if n else None
        made = out if out is not None else _alone([converter(groups)(r.array) for r in results])
        return PreparedCall(launch, made, (given, results))

    # ------------------------------------------------------------------------------------------------ arguments

    def _given(self, group: Group, value: Any, stream: int) -> _Given:
        row = () if group.is_scalar else (len(group),)
        view = view_of(value, stream)
        if view is None:
            return self._by_value(group, value, row)
        self._check_type(group.name, view)
        if view.shape == row:
            return _Given(ROWS, _pointer(view, 0), None, view)
        if view.shape[1:] != row or len(view.shape) != len(row) + 1:
            raise ProgramError(
                f"{self.program.name}: {group.name} has shape {view.shape}, expected {('n', *row)} or {row}"
            )
        return _Given(*_laid_out(self.program.name, group.name, view), view.shape[0], view)

    def _by_value(self, group: Group, value: Any, row: tuple[int, ...]) -> _Given:
        try:
            a = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ProgramError(f"{self.program.name}: {group.name} must be numbers, got {shown(value)}") from None
        if a.shape != row:
            what = "is in host memory" if a.ndim == len(row) + 1 else f"has shape {a.shape}, expected {row}"
            raise ProgramError(
                f"{self.program.name}: {group.name} {what}; batches take arrays on the GPU: sb.emit.device_array({group.name}, "
                f"{self.real!r}), or those of CuPy, PyTorch or JAX"
            )
        number = NUMBERS_OF[self.real]
        if a.size * real_dtype(self.real).itemsize > _MAX_ARGUMENT_BYTES:
            raise ProgramError(
                f"{self.program.name}: {group.name} has too many numbers for the arguments of a kernel; give "
                "it by sb.emit.device_array(...)"
            )
        return _Given(VALUE, [number(x) for x in np.atleast_1d(a).tolist()], None, None)

    def _check_type(self, name: str, view: ArrayView) -> None:
        if view.dtype != real_dtype(self.real):
            raise ProgramError(
                f"{self.program.name}: {name} is of type {view.dtype}, and this function computes in {real_dtype(self.real)} "
                f"(real={self.real!r})"
            )

    def _common(self, given: Sequence[_Given]) -> tuple[int, int]:
        """Number of states, and the card."""
        counts = {g.count for g in given if g.count is not None}
        if len(counts) > 1:
            raise ProgramError(f"{self.program.name}: inputs have different numbers of states: {sorted(counts)}")
        cards = {g.view.ordinal for g in given if g.view is not None}
        if len(cards) > 1:
            raise ProgramError(f"{self.program.name}: inputs are on different GPUs: {sorted(cards)}")
        return (counts.pop() if counts else 1), (cards.pop() if cards else 0)

    def _results(self, out: Any, n: int, ordinal: int, stream: int) -> list[_Result]:
        shapes = [(n, *output_shape(o)) for o in self.program.outputs]
        if out is None:
            arrays = [DeviceArray(s, real_dtype(self.real), ordinal, stream) for s in shapes]
            return [_Result(a, PACKED, _pointer(a.view, _size(s))) for a, s in zip(arrays, shapes, strict=True)]
        arrays = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(arrays) != len(shapes):
            raise ProgramError(f"{self.program.name}: out holds {len(arrays)} arrays for {len(shapes)} outputs")
        found = []
        for o, a, shape in zip(self.program.outputs, arrays, shapes, strict=True):
            view = view_of(a, stream)
            if view is None or view.shape != shape:
                got = "is not an array on a GPU" if view is None else f"has shape {view.shape}, expected {shape}"
                raise ProgramError(f"{self.program.name}: out for {o.name} {got}")
            self._check_type(f"out for {o.name}", view)
            found.append(_Result(a, *_laid_out(self.program.name, f"out for {o.name}", view), view))
        return found


@dataclass(frozen=True)
class PreparedCall:
    """A call with its arguments in place: `call()` queues it on its stream, and `results` are its arrays."""

    launch: Callable[[], None] | None
    results: Any
    keep: Any

    def __call__(self) -> None:
        if self.launch is not None:
            self.launch()


def _alone(results: list[Any]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


@dataclass(frozen=True)
class _Given:
    """An input: how it lies, the kernel's arguments for it, and its number of states (None: one for all)."""

    layout: str
    arguments: list[Any]
    count: int | None
    view: ArrayView | None


@dataclass(frozen=True)
class _Result:
    array: Any
    layout: str
    arguments: list[Any]
    view: ArrayView | None = None


def _size(shape: tuple[int, ...]) -> int:
    return prod(shape[1:])


def _pointer(view: ArrayView, distance: int) -> list[Any]:
    return [ctypes.c_uint64(view.address), ctypes.c_int64(distance)]


def _laid_out(function: str, name: str, view: ArrayView) -> tuple[str, list[Any]]:
    """Rows whose numbers lie side by side at any distance of rows; or columns whose states do."""
    if view.strides[1:] == packed_strides(view.shape)[1:] or _size(view.shape) == 1:
        is_packed = view.strides[0] == _size(view.shape)
        return PACKED if is_packed else ROWS, _pointer(view, view.strides[0])
    if len(view.shape) == 2 and view.strides[0] == 1:
        return COLUMNS, _pointer(view, view.strides[1])
    raise ProgramError(
        f"{function}: {name} lies in memory with distances {view.strides}; rows or columns must be without gaps"
    )


def _layout_of_results(results: Sequence[_Result]) -> str:
    layouts = {r.layout for r in results}
    if layouts <= {ROWS, PACKED}:
        return ROWS if ROWS in layouts else PACKED
    if len(layouts) > 1:
        raise ProgramError("out: all arrays lie in rows, or all in columns")
    return layouts.pop()


# ---------------------------------------------------------------------------------------------------------- text


def prefetches(program: Program, real: str, layout: ArrayLayout) -> bool:
    """Whether the next state's inputs certainly fit into registers beside the work on this one; else both ways are
    tried."""
    words = real_dtype(real).itemsize // 4
    carried = sum(layout.inputs[g] != VALUE for g, _ in used_inputs(program))
    return words * (values_alive(with_fewer_alive(program)) + carried) <= REGISTERS


def has_loops(program: Program) -> bool:
    """Whether values wait in the memory of loops."""
    return any(i.op == "sweeps" for i in program.code)


def is_wide(program: Program, layout: ArrayLayout) -> bool:
    """Whether reading rows is slower than computing."""
    return any(x in (ROWS, PACKED) for x in layout.inputs) and len(used_inputs(program)) > WIDE_STATE


@checked_flags(ProgramError)
def ptx_source(
    program: Program,
    real: str = "double",
    layout: ArrayLayout | None = None,
    reading: str | None = None,
    *,
    cache: bool = True,
) -> str:
    """The text that a card's driver makes machine code of; no card is needed.

    layout     of the arrays; by default rows of states
    reading    "early": the next state's inputs are loaded before this one's work; "late": where they are needed;
               "tiles": rows go through shared memory; by default early where registers certainly allow it, else late

    >>> x = sb.symbol("x")
    >>> text = sb.emit.ptx_source(sb.program("f", {"x": x}, {"y": x + 1}))
    >>> ".entry" in text
    True

    See also: `compile`, `emit.CudaFunction`.
    """
    program = without_tree_loops(program)
    how = layout or ArrayLayout(tuple(VALUE if g.is_scalar else PACKED for g in program.inputs))
    if reading is None:
        reading = EARLY if prefetches(program, checked_real(real), how) else LATE
    elif reading not in READINGS:
        raise ProgramError(f"reading is {listed(READINGS)}, got {shown(reading)}")
    if reading == TILES and not fits(program, real, how.inputs, how.results):
        raise ProgramError(
            f"program {program.name!r}: rows of a block do not fit into shared memory, or are not packed"
        )

    def made() -> str:
        if reading == TILES:
            return tiled_kernel(program, real, how.inputs, how.results)
        return function_kernel(program, real, how.inputs, how.results, reading == EARLY)

    return kept_ptx(f"{real}|{how}|{reading}|{program.digest}", made, cache)
