"""A batch that runs again and again on the same arrays: checks and the table of pointers are made once."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..loops.records import address_of
from .batch_memory import BatchMemory
from .workers import in_threads, share_out

Filled = Callable[[BatchMemory], None]


class RepeatedBatch:
    """`code` gives the machine code for so many states more, with `share` and `memory`; `fill` describes the batch."""

    def __init__(
        self, code: Callable[[], Any], fill: Filled, threads: int, check: Callable[[], None], keep: Any
    ) -> None:
        self._code, self._fill, self.threads, self.check, self._keep = code, fill, threads, check, keep
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
        self.check()

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

    def _run_parts(self, first: int, stop: int) -> None:
        for part in self._parts[first:stop]:
            for arguments in part:
                self._run(arguments)
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
