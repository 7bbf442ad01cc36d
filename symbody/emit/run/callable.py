"""Program -> a function to call, compiled by LLVM in this process."""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from math import prod
from typing import Any, Final, NamedTuple
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from ...algebra.elimination import elimination
from ...argument_kinds import answered_class
from ...errors import ProgramError, listed, shown, unknown
from ...summary import Introduced
from ..cache import disk_cache as disk
from ..cache.source_digests import digest_of
from ..llvm import jit, llvm_numbers, loop_text, packing, piece_text, sweep_text, transpose_text, tree_text
from ..llvm import program_text as llvm_text_module
from ..llvm import sincos as llvm_sincos
from ..llvm import table_text as table_text_module
from ..llvm.packing import batch_kernels, batch_scratch, batch_text
from ..llvm.program_text import entry_name, llvm_text
from ..llvm.table_text import NAME as TABLE_LOOPS
from ..llvm.table_text import table_loops
from ..loops import (
    kernel_nodes,
    kernel_parser,
    program_kernels,
    specialisation,
    table_kernels,
    tree_kernels,
    tree_vectors,
)
from ..lowering import block_places, fused_products, right_sides
from ..programs import copied_runs, program_tables, splitting, sweep_shape, tree_shape
from ..programs.constant_part import without_constant_part
from ..programs.program import Program
from ..programs.program_tables import is_tabulated
from . import tables_in_memory
from .batch_memory import BatchMemory, KeptMemory, aligned_address, can_take
from .call_text import MISSING, call_text, explain, output_shape, wrong_count
from .external_addresses import ExternalAddresses
from .repeated_batch import RepeatedBatch, TabulatedBatch, kept_in_place
from .tables_in_memory import TablesInMemory
from .workers import cores, grain, in_threads

Array = NDArray[np.float64]
THREAD_OPERATIONS: Final = 2_000_000  # operations per thread, about 100 µs: threads are woken one after the other
MANY_STATES: Final = 64  # batch size from which on the part that is the same for all states is computed first
LONG_PROGRAM: Final = 50  # instructions from which on the time to compile matters
FEW_STATES: Final = 50_000  # in batches, up to which optimised machine code takes longer to make than it saves
LONG_BATCH: Final = 5000  # instructions from which on a batch of states begins with tables
FEWER_STATES: Final = 15_000  # up to which tables take less time than quick machine code to be made and run
SECONDS_PER_INSTRUCTION: Final = 70e-6  # time of LLVM for a long program, about
CALLS_AHEAD: Final = 64  # of a repeated batch, after which Python sees whether better code is worth its making
HOLD_LOCK: Final = 5000  # operations: for shorter programs, releasing the interpreter lock costs more than it gains

DTYPES: Final = {"double": np.dtype(np.float64), "float": np.dtype(np.float32)}  # by the name of a precision

_Call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_CallHoldingLock = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_Shared = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


@cache
def _generator() -> str:
    """Hash of the files that decide the machine code of a program: when one changes, older machine code is not used any
    more."""
    loops = (loop_text, llvm_numbers, program_kernels, kernel_parser, kernel_nodes, specialisation, elimination)
    trees = (tree_text, transpose_text, tree_kernels, tree_vectors, tree_shape, sweep_text, sweep_shape)
    tabulated = (table_text_module, program_tables, table_kernels, fused_products, tables_in_memory)
    made_by = (
        llvm_text_module,
        piece_text,
        block_places,
        copied_runs,
        llvm_sincos,
        packing,
        splitting,
        right_sides,
        jit,
        *loops,
        *trees,
        *tabulated,
    )
    return hashlib.sha256(b"".join(digest_of(m.__file__ or "") for m in made_by)).hexdigest()


@cache
def _loaded_table_loops() -> jit.Loaded:
    """Machine code of the loop over tables, one for all programs."""
    rounding = jit.rounding()
    key = hashlib.sha256(f"{_generator()}|table loops|{rounding}|{jit.identity()}".encode()).hexdigest()
    kept = disk.load(key)
    if kept is None:
        kept = jit.machine_code(table_loops(rounding), "", is_plain=True)
        disk.save(key, kept)
    return jit.Loaded(kept)


def compile_program(
    program: Program, *, cache: bool = True, empty: tuple[str, ...] = (), is_quick: bool = False
) -> Compiled:
    """Machine code for a program; see `compile`.

    is_quick   a long program, and batches of few states, may run at half the speed, so that code is there in a third of
               the time, and code for one state is made when it is first called; see `Compiled.improve`
    empty   names of arguments without numbers, which may follow the others: where a model has no parameters, f.udot(t,
            q, u, f.p) is f.udot(t, q, u)
    """
    space: dict[str, Any] = {"explain__": explain, "missing__": MISSING}
    exec(call_text(program, empty), space)
    call = space["__call__"]
    call.__qualname__ = program.name
    kind = type("Compiled", (Compiled,), {"__call__": call, "__doc__": Compiled.__doc__})
    made: Compiled = kind(program, cache, empty, is_quick)
    return made


class _OneState(NamedTuple):
    """Machine code for one state at a time, the scratch memory that it needs, and the tables in it."""

    code: jit.Loaded
    address: int
    work: int
    tables: TablesInMemory | None
    is_quick: bool


@dataclass
class _ManyStates:
    """Machine code for many states, how it is called, its memory, and how many states it has had."""

    code: jit.Loaded
    share: Any
    memory: KeptMemory
    is_quick: bool
    states: int = 0

    def count_ahead(self, n: int) -> int:
        """Calls for n states each that may follow before better code is worth its making; they are counted now."""
        calls = min(CALLS_AHEAD, max(0, FEW_STATES - self.states) // n) if self.is_quick else CALLS_AHEAD
        self.states += calls * n
        return calls


@answered_class
class Compiled(Introduced):
    """A compiled program. Call it with one argument for each input group: `f(t, q, u)`.

    Returns an array, or a tuple of arrays where the program has several outputs. `f.batch(t, q, u)` takes many states
    at once, one in each row, on all cores. Both may be called from several threads at the same time.

    For use from other languages: `address` is that of `void f(const double *const *in, double *const *out, double
    *work)`, with a pointer for each input and output, one more pointer `in` to the table of external functions, and
    scratch memory for `work` numbers.

    >>> x, y = sb.symbols("x y")
    >>> f = sb.compile(sb.program("f", {"x": x, "y": y}, {"s": x + y, "p": x * y}))
    >>> f(2.0, 3.0)
    (5.0, 6.0)
    >>> f.batch(np.arange(3.0), 2.0)
    (array([2., 3., 4.]), array([0., 2., 4.]))
    >>> f.address > 0, f.work, f.is_quick
    (True, 0, False)

    See also: `compile`, `program`, `emit.Dynamics`.
    """

    def __init__(
        self, program: Program, cache: bool = True, empty: tuple[str, ...] = (), is_quick: bool = False
    ) -> None:
        self.program = program
        self._cache, self._empty, self._may_be_quick = cache, empty, is_quick
        self._externals = ExternalAddresses(program.externals)
        self._local = threading.local()
        self._divided: dict[tuple[int, ...], tuple[Compiled, Compiled] | None] = {}
        self._one: _OneState | None = None
        self._many: dict[str, _ManyStates] = {}
        self._improving = threading.Lock()
        self._earlier: list[jit.Loaded] = []  # machine code that another thread may be running
        self.callers: WeakSet[Any] = WeakSet()  # tables that hold its address, with `set_address`
        if not is_quick:
            self._for_one()

    def _for_one(self) -> _OneState:
        if self._one is None:
            with self._improving:
                if self._one is None:
                    self._load(self._may_be_quick and len(self.program.code) >= LONG_PROGRAM)
        assert self._one
        return self._one

    def _load(self, is_quick: bool) -> _OneState:
        tables, name = None, entry_name(self.program)
        if is_quick and is_tabulated(self.program) and self._kept(1, False, False, "double") is None:
            tables, name = self.tables, TABLE_LOOPS
            code, work = _loaded_table_loops(), tables.size
        else:
            code, work, is_quick = self._built(1, is_quick=is_quick)
        is_short = not self.program.externals and self.program.cost.total < HOLD_LOCK
        self._run = (_CallHoldingLock if is_short else _Call)(code.address(f"{name}.call"))
        # last: memory for tables serves machine code too, not the other way
        self._one = _OneState(code, code.address(name), work, tables, is_quick)
        return self._one

    @property
    def address(self) -> int:
        """Address of the function; see above."""
        return self._for_one().address

    @property
    def work(self) -> int:
        """Numbers of scratch memory."""
        return self._for_one().work

    @property
    def is_quick(self) -> bool:
        """Whether its machine code was quick to have, and could be improved."""
        return self._for_one().is_quick

    @cached_property
    def tables(self) -> TablesInMemory:
        """The tables of a program without linear systems, from disk or made and put there: they are quicker to have than
        any code of the instructions that they hold.

        >>> x = sb.symbol("x")
        >>> sb.compile(sb.program("f", {"x": x}, {"y": x**2})).tables.size > 0
        True
        """
        key = hashlib.sha256(f"{_generator()}|tables|{jit.rounding()}|{self.program.digest}".encode()).hexdigest()
        kept = disk.load(key) if self._cache else None
        if kept is not None:
            return TablesInMemory.from_bytes(kept)
        made = TablesInMemory.of(self.program, jit.rounding())
        if self._cache:
            disk.save(key, made.to_bytes())
        return made

    def scratch(self) -> tuple[Array, int]:
        """Memory for one caller at a time, with its address. Call it before `address`.

        >>> x = sb.symbol("x")
        >>> memory, begin = sb.compile(sb.program("f", {"x": x}, {"y": x**2})).scratch()
        >>> begin % 64
        0
        """
        _, _, work, tables, _ = self._for_one()
        memory = np.empty(work + 9)
        if tables is not None:
            tables.open(aligned_address(memory))
        return memory, aligned_address(memory)

    @property
    def seconds_to_improve(self) -> float:
        """About what `improve` takes."""
        return SECONDS_PER_INSTRUCTION * len(self.program.code) if self._one and self._one.is_quick else 0.0

    def improve(self) -> None:
        """Machine code that was quick to have is replaced, also for all who call it, by code that is quick to run. Its
        numbers are the same to the last digit.

        >>> x = sb.symbol("x")
        >>> f = sb.compile(sb.program("f", {"x": x}, {"y": x**2}))
        >>> f.improve()
        >>> f(3.0), f.seconds_to_improve, len(f.external_table)
        (9.0, 0.0, 1)
        >>> f.raise_pending()
        >>> type(f.buffers()).__name__
        '_Buffers'

        See also: `compile`.
        """
        with self._improving:
            self._may_be_quick = False
            if self._one and self._one.is_quick:
                self._earlier.append(self._one.code)
                better = self._load(is_quick=False)
                for caller in tuple(self.callers):
                    caller.set_address(better.address)

    def __repr__(self) -> str:
        return repr(self.program).replace("<Program", "<Compiled program", 1)

    def __reduce__(self) -> Any:
        return partial(compile_program, empty=self._empty), (self.program,)

    def __call__(self, *groups: Any) -> Any:
        raise NotImplementedError  # written out for each program by `compile_program`

    # ------------------------------------------------------------------------------------------------ building

    def _built(
        self, lanes: int, for_many: bool = False, is_quick: bool = False, real: str = "double"
    ) -> tuple[jit.Loaded, int, bool]:
        """Machine code for states side by side, with the loop over many of them or without, the scratch memory it
        wants, and whether it could be improved: what is on disk already may be better than the requested code."""
        kept, of_quick = self._kept(lanes, for_many, False, real), False
        if kept is None and is_quick:
            kept, of_quick = self._kept(lanes, for_many, True, real), True
        if kept is None:
            text = llvm_text(self.program, lanes, jit.lanes(real), real, jit.rounding())
            work = text.work + (batch_scratch(self.program) if for_many else 0)
            packing = batch_kernels(self.program, lanes, real) if for_many else ()
            pieces = text.pieces + (batch_text(self.program, entry_name(self.program), lanes, real) if for_many else "")
            kept = work.to_bytes(8, "little") + jit.machine_code(text.kernels, pieces, is_quick, packing=packing)
            if self._cache:
                disk.save(self._key(lanes, for_many, is_quick, real), kept)
        return jit.Loaded(kept[8:]), int.from_bytes(kept[:8], "little"), of_quick

    def _kept(self, lanes: int, for_many: bool, is_quick: bool, real: str) -> bytes | None:
        return disk.load(self._key(lanes, for_many, is_quick, real)) if self._cache else None

    def _key(self, lanes: int, for_many: bool, is_quick: bool, real: str) -> str:
        """By what machine code is found on disk."""
        how = f"{jit.identity()}{'|quick' if is_quick else ''}{'|single' if real == 'float' else ''}"
        return hashlib.sha256(f"{_generator()}|{lanes}|{for_many}|{how}|{self.program.digest}".encode()).hexdigest()

    @property
    def external_table(self) -> NDArray[np.intp]:
        """Addresses of the external functions, for callers in machine code."""
        return self._externals.table

    def raise_pending(self) -> None:
        """Raise the exception of a user's Python function that was called from machine code."""
        self._externals.raise_pending()

    # ------------------------------------------------------------------------------------------------ one state

    def buffers(self) -> _Buffers:
        """Input, output and scratch memory of this thread."""
        try:
            return self._local.buffers
        except AttributeError:
            self._local.buffers = _Buffers(self.program, self.scratch(), self._externals)
            return self._local.buffers

    def over(self, group: str, rows: Array, *groups: Any) -> Array:
        """The one output for several values of an input group, one after the other, where a call has `groups`; with
        less of Python in between than so many calls, and without the machine code that `batch` needs.

        >>> x, y = sb.symbols("x y")
        >>> f = sb.compile(sb.program("f", {"x": x, "y": y}, {"s": x + y}))
        >>> f.over("x", np.arange(3.0)[:, None], 0.0, 10.0).ravel()
        array([10., 11., 12.])
        """
        self(*groups)  # which refuses what does not fit, and puts the others in place
        buffers, run, out = self.buffers(), self._run, np.empty((len(rows), len(self.program.outputs[0].values)))
        place, arguments, result = self._place(group), buffers.arguments, buffers.output
        given = buffers.input[place]
        for row, target in zip(rows, out, strict=True):
            given[:] = row
            run(arguments)
            target[:] = result
        self._externals.raise_pending()
        return out

    def _place(self, group: str) -> slice:
        """Where an input group is in the buffer of all."""
        at = 0
        for g in self.program.inputs:
            if g.name == group:
                return slice(at, at + len(g))
            at += len(g)
        raise ProgramError(f"{self.program.name}: there is no input {group!r}")

    # ------------------------------------------------------------------------------------------------ many states

    def _for_many(self, real: str, n: int) -> _ManyStates:
        """Machine code for n more states in a precision: of full effort from many states on."""
        with self._improving:
            made = self._many.get(real)
            is_quick = self._may_be_quick and n + (made.states if made else 0) <= FEW_STATES
            if made is None or (made.is_quick and not is_quick):
                if made:
                    self._earlier.append(made.code)
                lanes = 1 if self._has_tree else jit.lanes(real)
                code, work, is_quick = self._built(lanes, for_many=True, is_quick=is_quick, real=real)
                share = _Shared(code.address(f"{entry_name(self.program)}.share"))
                made = self._many[real] = _ManyStates(code, share, KeptMemory(self.program, work * lanes), is_quick)
            made.states += n
            return made

    @cached_property
    def _is_double(self) -> bool:
        """Whether it has loops that are written for double precision: over a tree, and elimination with pivots, whose
        memory holds whole numbers as well."""
        return self._has_tree or any(i.op == "factor" and program_kernels.has_pivots(i.data) for i in self.program.code)

    @cached_property
    def _has_tree(self) -> bool:
        """Whether it runs loops over a tree, which fill vectors on their own: of several states at once, the scratch
        memory would not stay near the processor."""
        return any(i.op == "tree" for i in self.program.code)

    def batch(self, *groups: Any, threads: int | None = None, out: Any = None, real: str = "double") -> Any:
        """Many states at once: a group has shape (n, size), or (n,) where it is scalar; without the n it serves all
        states.

        Runs side by side in the lanes of vector registers (loops over a tree one after the other) and on all cores (or
        on `threads` of them), without Python's lock. Results are new arrays, or those given as `out`: one, or a tuple
        where the program has several outputs.

        real   "double", or "float": single precision in arrays of numpy.float32, with twice as many states in a
               register. Sines are computed in double precision and rounded; programs with loops over a tree or with pivoting are double.
        """
        number = DTYPES[checked_precision(real)]
        arrays, strides, n = self._rows(groups, number)
        results = self._results(n, out, number)
        constant = tuple([k for k, s in enumerate(strides) if s == 0]) if n >= MANY_STATES else ()
        if real == "float" and self._is_double:
            wide = self.batch(*arrays, threads=threads)
            for result, found in zip(results, wide if isinstance(wide, tuple) else (wide,), strict=True):
                result[...] = found
        elif constant and (parts := self._parts(constant)) is not None:
            first, rest = parts
            rest.batch(*arrays, first(*(arrays[k] for k in constant)), threads=threads, out=results, real=real)
        else:
            self._run_batch(arrays, strides, results, n, threads, real)
        return results[0] if len(results) == 1 else results

    def repeated(self, *groups: Any, out: Any) -> Callable[[], None]:
        """`batch` on arrays that stay where they are: a function without arguments, each call of which reads them and
        writes `out` again, in a third of the time of a batch of few states.

        >>> x = sb.symbol("x")
        >>> given, found = np.array([1.0, 2.0]), np.empty(2)
        >>> again = sb.compile(sb.program("f", {"x": x}, {"y": x**2})).repeated(given, out=found)
        >>> given[:] = 3.0, 4.0
        >>> again()
        >>> found
        array([ 9., 16.])
        """
        number = DTYPES["double"]
        arrays, strides, n = self._rows(groups, number)
        given = without_empty(self.program, groups, self._empty)
        if reason := kept_in_place(self.program.name, self.program.inputs, given, arrays):
            raise ProgramError(reason)
        results, wanted = self._results(n, out, number), self._threads_for(n)

        def fill(memory: BatchMemory) -> None:
            memory.fill(arrays, self._externals.address, strides, results, grain(n, wanted, 64), n)

        check = self._externals.raise_pending if self.program.externals else None
        again = RepeatedBatch(lambda: self._for_many("double", n), fill, wanted, check, (arrays, results), n)
        if not n or not self._begins_with_tables():
            return again
        self._for_one()
        return TabulatedBatch(
            self._run, self.scratch, self._externals.address, (arrays, strides, results, n), again, FEWER_STATES
        )

    def _begins_with_tables(self) -> bool:
        """Whether the first states of a batch are quicker done by tables than machine code is made."""
        if not self._may_be_quick or len(self.program.code) < LONG_BATCH:
            return False
        lanes = jit.lanes("double")
        return is_tabulated(self.program) and not any(self._kept(lanes, True, q, "double") for q in (True, False))

    def _threads_for(self, n: int) -> int:
        """Threads that n states keep busy, of those that there are."""
        busy = n * max(1, self.program.cost.total) // THREAD_OPERATIONS
        return 1 if busy < 2 else min(cores(), busy)

    def _run_batch(
        self,
        arrays: Sequence[Array],
        strides: Sequence[int],
        results: Sequence[Array],
        n: int,
        threads: int | None,
        real: str,
    ) -> None:
        made = self._for_many(real, n)
        share, memory = made.share, made.memory
        wanted = threads or self._threads_for(n)
        size, batch = grain(n, wanted, 64), memory.take()
        batch.fill(arrays, self._externals.address, strides, results, size, n)

        def take_parts() -> None:
            own = memory.take()
            share(batch.table, own.scratch)
            memory.give(own)
            self._externals.raise_pending()

        in_threads(take_parts, min(wanted, -(-n // size)))
        memory.give(batch)

    def _results(self, n: int, out: Any, number: Any) -> tuple[Array, ...]:
        """New arrays for n states, or those that are given, checked."""
        shapes = [(n, *shape) for shape in self._shapes_of_outputs]
        if out is None:
            return tuple([np.empty(shape, dtype=number) for shape in shapes])
        given, outputs = (out,) if isinstance(out, np.ndarray) else tuple(out), self.program.outputs
        for o, a, shape in zip(outputs, given, shapes, strict=False):
            if not can_take(a, shape, number):
                raise ProgramError(
                    f"{self.program.name}.batch: out for {o.name} must be a writable array of {8 * number.itemsize}-bit floats in rows, of shape "
                    f"{shape}; got {_array_text(a)}"
                )
        if len(given) != len(outputs):
            names = listed(o.name for o in outputs)
            raise ProgramError(
                f"{self.program.name}.batch: out takes {len(outputs)} arrays ({names}), got {len(given)}"
            )
        return given

    def _parts(self, constant: tuple[int, ...]) -> tuple[Compiled, Compiled] | None:
        """The part that depends on these groups alone, and the rest; None if it is not worth the way."""
        if constant not in self._divided:
            parts = without_constant_part(self.program, constant)
            quick = self._may_be_quick
            made = (
                None if parts is None else tuple(compile_program(x, cache=self._cache, is_quick=quick) for x in parts)
            )
            self._divided[constant] = made  # type: ignore[assignment]
        return self._divided[constant]

    def _rows(self, groups: Sequence[Any], number: Any) -> tuple[list[Array], list[int], int]:
        program, n = self.program, len(self.program.inputs)
        groups = without_empty(program, groups, self._empty)
        if len(groups) != n:
            raise wrong_count(program, len(groups), f"{program.name}.batch")
        arrays = [np.asarray(g, dtype=number, order="C") for g in groups]
        counts, strides = set(), []
        for (row, size), a in zip(self._rows_of_inputs, arrays, strict=True):
            shape = a.shape
            if shape == row:
                strides.append(0)
            elif shape[1:] == row and shape:
                counts.add(shape[0])
                strides.append(size)
            else:
                name = program.inputs[len(strides)].name
                raise ProgramError(f"{program.name}.batch: {name} has shape {shape}, expected {('n', *row)} or {row}")
        if len(counts) > 1:
            raise ProgramError(f"{program.name}.batch: inputs have different numbers of states: {sorted(counts)}")
        return arrays, strides, counts.pop() if counts else 1

    @cached_property
    def _rows_of_inputs(self) -> list[tuple[tuple[int, ...], int]]:
        """Shape and size of a state's part of each input."""
        return [(() if g.is_scalar else (len(g),), len(g)) for g in self.program.inputs]

    @cached_property
    def _shapes_of_outputs(self) -> list[tuple[int, ...]]:
        return [output_shape(o) for o in self.program.outputs]


class _Buffers:
    """Memory for one thread: all inputs in one array, all outputs in one, scratch, and the pointers to them."""

    def __init__(self, program: Program, scratch: tuple[Array, int], externals: ExternalAddresses) -> None:
        sizes_in, sizes_out = [len(g) for g in program.inputs], [len(o.values) for o in program.outputs]
        self.input = np.zeros(sum(sizes_in) + 1)
        self.output = np.zeros(sum(sizes_out))
        self._work, work = scratch
        self._in = _pointers(self.input, sizes_in, externals.table.ctypes.data)
        self._out = _pointers(self.output, sizes_out)
        self._table = np.array([self._in.ctypes.data, self._out.ctypes.data, work], dtype=np.intp)
        self.arguments = ctypes.c_void_p(self._table.ctypes.data)


def _pointers(array: Array, sizes: list[int], *more: int) -> NDArray[np.intp]:
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if sizes else np.zeros(0)
    return np.array([*(array.ctypes.data + 8 * starts.astype(np.intp)), *more], dtype=np.intp)


def without_empty(program: Program, groups: Sequence[Any], empty: Sequence[str]) -> Sequence[Any]:
    """Arguments without those that have no numbers and follow the others."""
    n = len(program.inputs)
    if len(groups) > n and all(prod(np.shape(g)) == 0 for g in groups[n : n + len(empty)]):
        return [*groups[:n], *groups[n + len(empty) :]]
    return groups


def checked_precision(real: str) -> str:
    """Refuse an unknown precision."""
    if real not in DTYPES:
        raise unknown("batch", "precision", real, DTYPES, ProgramError)
    return real


def _array_text(a: Any) -> str:
    return f"shape {a.shape} of {a.dtype}" if isinstance(a, np.ndarray) else shown(a)
