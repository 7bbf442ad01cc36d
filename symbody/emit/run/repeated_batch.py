"""A batch that runs again and again on the same arrays: checks and the table of pointers are made once."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from ..loops.records import address_of
from .batch_memory import BatchMemory
from .workers import in_threads, share_out

Filled = Callable[[BatchMemory], None]
NOT_DIRECT: Final = (0, 0, 0, 0, 0)


class RepeatedBatch:
    """`code` gives the machine code for so many states more, with `share` and `memory`; `fill` describes the batch,
    `check` raises what external functions in Python have raised."""

    def __init__(
        self,
        code: Callable[[], Any],
        fill: Filled,
        threads: int,
        check: Callable[[], None] | None,
        keep: Any,
        states: int,
    ) -> None:
        self._code, self._fill, self.threads, self.check, self._keep = code, fill, threads, check, keep
        self._states = states
        self._made: Any = None

    def __call__(self) -> None:
        made = self._code()
        if made is not self._made:
            self._made, self._batch = made, made.memory.take()
            self._fill(self._batch)
        self._batch.rewind()
        if self.threads == 1:
            made.share(self._batch.table, self._batch.scratch)
        else:
            in_threads(self._take_parts, self.threads)
        if self.check:
            self.check()

    def ahead(self) -> tuple[int, int, int, int, int]:
        """How many of the next calls machine code may make directly, which are counted now: `share(table, scratch)` with
        0 at `next`. None before the first call, where threads share the work, and with functions in Python."""
        if self._made is None or self.threads > 1 or self.check:
            return NOT_DIRECT
        share = ctypes.cast(self._made.share, ctypes.c_void_p).value or 0
        memory = self._batch
        return self._made.count_ahead(self._states), share, memory.table, memory.scratch, memory.next

    def _take_parts(self) -> None:
        memory = self._made.memory
        own = memory.take()
        self._made.share(self._batch.table, own.scratch)
        memory.give(own)


class TabulatedBatch:
    """The same by the loop over tables, state after state, which is there at once; after `most` states by machine code,
    which gives the same numbers. `scratch` is memory for one thread with its address."""

    def __init__(
        self,
        run: Callable[[Any], Any],
        scratch: Callable[[], tuple[Any, int]],
        externals: int,
        states: tuple[Sequence[Any], Sequence[int], Sequence[Any], int],
        batch: RepeatedBatch,
        most: int,
    ) -> None:
        self._run, self._scratch, self._externals = run, scratch, externals
        self._states, self._batch, self._left = states, batch, most

    def __call__(self) -> None:
        if self._left <= 0:
            self._batch()
            return
        self._left -= self._states[-1]
        share_out(self._run_parts, len(self._parts), len(self._parts), 1)

    def ahead(self) -> tuple[int, int, int, int, int]:
        """As those of `RepeatedBatch`."""
        return self._batch.ahead()

    def _run_parts(self, first: int, stop: int) -> None:
        for part in self._parts[first:stop]:
            for arguments in part:
                self._run(arguments)
        if self._batch.check:
            self._batch.check()

    @cached_property
    def _parts(self) -> list[list[ctypes.c_void_p]]:
        """For each thread the arguments of its states: where pointers to inputs, to outputs and scratch memory are."""
        inputs, strides, outputs, n = self._states
        k = np.arange(n)[:, None]
        self._in = np.array([*map(address_of, inputs), self._externals]) + 8 * np.array([*strides, 0]) * k
        self._out = np.array([*map(address_of, outputs)]) + 8 * np.array([x.size // n for x in outputs]) * k
        shares = np.array_split(np.arange(n), min(self._batch.threads, n))
        self._memory = [self._scratch() for _ in shares]
        tables = [self._in, self._out]
        rows = [address_of(t) + t.strides[0] * k[:, 0] for t in tables]
        work = np.concatenate([np.full(len(s), at) for s, (_, at) in zip(shares, self._memory, strict=True)])
        self._arguments = np.ascontiguousarray(np.column_stack([*rows, work]))
        begin, step = address_of(self._arguments), self._arguments.strides[0]
        return [[ctypes.c_void_p(begin + step * int(i)) for i in s] for s in shares]


def kept_in_place(name: str, inputs: Sequence[Any], given: Sequence[Any], arrays: Sequence[Any]) -> str:
    """Why a batch cannot be repeated on these arrays; nothing where it can."""
    for group, a, g in zip(inputs, arrays, given, strict=True):
        if a is not g:
            return f"{name}.repeated: {group.name} must be an array of 64-bit floats in rows, which can be read again"
    return ""
