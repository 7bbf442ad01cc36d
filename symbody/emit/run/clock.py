"""A clock that loops can read: seconds of the system's monotonic clock, as a function of a number that it ignores."""

from __future__ import annotations

import sys
from functools import cache
from typing import Final

import numpy as np

from ..llvm import jit
from ..loops.records import address_of
from .loop_callee import Callee

CLOCK_MONOTONIC: Final = {"linux": 1, "darwin": 6}  # of clock_gettime, where the C library has it
_TEXT: Final = """
declare i32 @clock_gettime(i32, ptr)

define void @seconds(ptr %inputs, ptr %outputs, ptr %work) {{
  %time = alloca [2 x i64]
  call i32 @clock_gettime(i32 {clock}, ptr %time)
  %whole = load i64, ptr %time
  %at = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %at
  %a = sitofp i64 %whole to double
  %b = sitofp i64 %rest to double
  %c = fmul double %b, 1.0e-9
  %sum = fadd double %a, %c
  %to = load ptr, ptr %outputs
  store double %sum, ptr %to
  ret void
}}
"""


@cache
def _code(clock: int) -> jit.Loaded:
    return jit.Loaded(jit.machine_code(_TEXT.format(clock=clock), ""))


def clock_callee() -> Callee | None:
    """The clock, with memory of its own; None on systems without one."""
    clock = CLOCK_MONOTONIC.get(sys.platform)
    if clock is None:
        return None
    ignored, now, code = np.zeros(1), np.zeros(1), _code(clock)
    return Callee(code.address("seconds"), [address_of(ignored)], [address_of(now)], 0, (ignored, now, code))
