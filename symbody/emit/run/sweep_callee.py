"""Machine code of a schedule alone (`algebra/graph/sweeps.py`): its memory stands where a program has its output.

A program moves each result of a schedule by an instruction of its own. Loops that read ten thousands of them take them
from the memory instead.
"""

from __future__ import annotations

import hashlib
from typing import Final

from ...algebra.graph.sweeps import Schedule
from ..cache import disk_cache as disk
from ..cache.source_digests import sources_of
from ..llvm import jit
from ..llvm.program_text import schedule_module
from ..loops.records import address_of
from ..lowering.lower import sweep_shape
from ..programs.sweep_shape import SweepShape
from .callable import Array
from .loop_callee import Callee

ENTRY: Final = "schedule.entry"


def has_externals(schedule: Schedule) -> bool:
    """Whether fragments call external functions, whose addresses only programs have."""
    return bool(sweep_shape(schedule).externals)


def sweep_code(schedule: Schedule) -> jit.Loaded:
    """Machine code, from disk where it is there."""
    shape = sweep_shape(schedule)
    key = f"schedule|{sources_of('algebra', 'emit')}|{jit.identity()}|{shape.digest}"
    return _loaded_code(shape, hashlib.sha256(key.encode()).hexdigest())


def _loaded_code(shape: SweepShape, key: str) -> jit.Loaded:
    kept = disk.load(key)
    if kept is None:
        text = schedule_module(shape, ENTRY, jit.lanes(), jit.rounding())
        kept = jit.machine_code(text.kernels, text.pieces)
        disk.save(key, kept)
    return jit.Loaded(kept)


def sweep_callee(code: jit.Loaded, memory: Array) -> Callee:
    """A function for loops, without inputs: all steps over the memory, which begins with the arguments."""
    return Callee(code.address(ENTRY), [], [address_of(memory)], 0, (code, memory))
