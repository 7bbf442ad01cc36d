"""A batch that runs again and again on the same arrays: checks and the table of pointers are made once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .batch_memory import BatchMemory
from .workers import in_threads

Filled = Callable[[BatchMemory], None]


class RepeatedBatch:
    """`code` gives the machine code for so many states more, with `share` and `memory`; `fill` describes the batch."""

    def __init__(
        self, code: Callable[[], Any], fill: Filled, threads: int, check: Callable[[], None], keep: Any
    ) -> None:
        self._code, self._fill, self._threads, self._check, self._keep = code, fill, threads, check, keep
        self._made: Any = None

    def __call__(self) -> None:
        made = self._code()
        if made is not self._made:
            self._made, self._batch = made, made.memory.take()
            self._fill(self._batch)
        self._batch.rewind()
        if self._threads == 1:
            made.share(self._batch.table, self._batch.scratch)
        else:
            in_threads(self._take_parts, self._threads)
        self._check()

    def _take_parts(self) -> None:
        memory = self._made.memory
        own = memory.take()
        self._made.share(self._batch.table, own.scratch)
        memory.give(own)


def kept_in_place(name: str, inputs: Sequence[Any], given: Sequence[Any], arrays: Sequence[Any]) -> str:
    """Why a batch cannot be repeated on these arrays; nothing where it can."""
    for group, a, g in zip(inputs, arrays, given, strict=True):
        if a is not g:
            return f"{name}.repeated: {group.name} must be an array of 64-bit floats in rows, which can be read again"
    return ""
