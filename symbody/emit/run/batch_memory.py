"""Memory for batches of states, kept from call to call: to make it takes ten times as long as to fill it."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any, Final

import numpy as np

from ..loops.records import address_of
from ..programs.program import Program

_NUMBER: Final = Struct("q")


class BatchMemory:
    """The table of pointers and numbers that describes a batch (`llvm/packing.py`), and scratch memory for `work`
    numbers: `table` and `scratch` are their addresses."""

    def __init__(self, program: Program, work: int) -> None:
        self._layout = Struct(f"{2 * len(program.inputs) + len(program.outputs) + 4}q")
        self._table, self._scratch = bytearray(self._layout.size), np.empty(work + 8)
        self.table, self.scratch = address_of(np.frombuffer(self._table, np.int64)), aligned_address(self._scratch)
        self.next = self.table + self._layout.size - 3 * _NUMBER.size  # address of the count of states that are taken

    def fill(
        self,
        inputs: Sequence[Any],
        externals: int,
        strides: Sequence[int],
        outputs: Sequence[Any],
        size: int,
        count: int,
    ) -> None:
        """The next batch: `count` states, of which threads take `size` at a time."""
        numbers = (*map(address_of, inputs), externals, *strides, *map(address_of, outputs), 0, size, count)
        self._layout.pack_into(self._table, 0, *numbers)

    def rewind(self) -> None:
        """The same batch once more, from its first state."""
        _NUMBER.pack_into(self._table, self._layout.size - 3 * _NUMBER.size, 0)


class KeptMemory:
    """Free memory of a program's batches: as many blocks as batches ran at the same time."""

    def __init__(self, program: Program, work: int) -> None:
        self._program, self._work = program, work
        self._free: list[BatchMemory] = []

    def take(self) -> BatchMemory:
        try:
            return self._free.pop()
        except IndexError:
            return BatchMemory(self._program, self._work)

    def give(self, memory: BatchMemory) -> None:
        self._free.append(memory)


def aligned_address(array: Any) -> int:
    """Address of the first place in the array that begins a cache line."""
    return -(-address_of(array) // 64) * 64


def can_take(a: Any, shape: tuple[int, ...], number: Any) -> bool:
    """Whether results can be written into an array."""
    return (
        isinstance(a, np.ndarray)
        and a.dtype == number
        and a.shape == shape
        and (flags := a.flags).c_contiguous
        and flags.writeable
    )
