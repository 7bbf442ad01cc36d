"""Tables of a program in memory, where the loop that runs them finds them (`llvm/table_text.py`)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.node_table import gc_paused
from ..llvm.table_text import COUNTS, FIELDS, HEADER
from ..loops.records import address_of
from ..lowering.fused_products import with_fused_products
from ..programs.program import Program
from ..programs.program_tables import program_tables


class TablesInMemory:
    """What `llvm/table_text.py` reads: counts, and arrays by their addresses.

    size    numbers of scratch memory
    first   place of the first result
    arrays  constants, sizes of groups, kinds, stops, three columns of arguments, lengths of outputs, places of outputs
    """

    def __init__(self, first: int, arrays: Sequence[NDArray[Any]]) -> None:
        values, sizes, kinds, _, a, *_, lengths, _ = arrays
        counts = {
            "constants": len(values), "groups": len(sizes), "runs": len(kinds), "first": first, "outputs": len(lengths),
        }  # fmt: skip
        rest = iter(arrays)
        self.size, self.first = HEADER + first + len(a), first
        self.arrays = tuple(arrays)
        self._fields = np.array([counts[f] if f in COUNTS else address_of(next(rest)) for f in FIELDS], dtype=np.int64)

    @classmethod
    def of(cls, program: Program, rounding: str) -> TablesInMemory:
        with gc_paused():
            made = program_tables(with_fused_products(program) if rounding == "fused" else program)
        lists = (
            [*map(len, program.inputs), *([len(program.externals)] if program.externals else [])], made.kinds, made.stops, *made.arguments, [len(o) for o in made.outputs],
            [at for o in made.outputs for at in o],
        )  # fmt: skip
        return cls(
            made.first, [np.array(made.constants, dtype=np.float64), *(np.array(x, dtype=np.int64) for x in lists)]
        )

    def to_bytes(self) -> bytes:
        """The first number, and lengths and numbers of the arrays, of eight bytes each."""
        head = np.array([self._fields[FIELDS.index("first")], *map(len, self.arrays)], dtype=np.int64)
        return b"".join([len(head).to_bytes(8, "little"), head.tobytes(), *(a.tobytes() for a in self.arrays)])

    @classmethod
    def from_bytes(cls, kept: bytes) -> TablesInMemory:
        count = int.from_bytes(kept[:8], "little")
        first, *lengths = np.frombuffer(kept, np.int64, count, 8).tolist()
        arrays, at = list[NDArray[Any]](), 8 * (count + 1)
        for k, length in enumerate(lengths):  # constants first
            arrays.append(np.frombuffer(kept, np.int64 if k else np.float64, length, at))
            at += 8 * length
        return cls(first, arrays)

    def open(self, work: int) -> None:
        """Let scratch memory at an address be that of this program."""
        ctypes.c_int64.from_address(work).value = address_of(self._fields)
