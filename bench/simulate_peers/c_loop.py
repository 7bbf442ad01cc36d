"""A plain loop in C around the C that symbody generates: what is left when nothing is between the method and the
function."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import DOP853, RK45

import symbody as sb

from ..peers.building import library
from .cases import Array, Case
from .result import Run, from_state


def c_run(case: Case, tolerance: float, order: int = 5) -> Run:
    """`order`: 5 is Dormand-Prince 5(4), 8 is 8(5,3); steps are those of SciPy."""
    y, counts = case.y0.copy(), (ctypes.c_long * 2)()
    seconds = _library(case).run(order, 0.0, case.end, y.ctypes.data, tolerance, tolerance, counts)
    if seconds < 0:
        raise ArithmeticError(f"{case.name}: the step became too small")
    return from_state(case, seconds, y, counts[0], counts[1])


def call_seconds(case: Case, calls: int = 1000) -> float:
    """CPU seconds of one call of the right side from C."""
    return min(_library(case).call_seconds(case.y0.ctypes.data, calls) for _ in range(7))


@cache
def _library(case: Case) -> ctypes.CDLL:
    made = sb.c_source(case.right_side)
    source = made.source.replace(f'#include "{made.name}.h"', made.header)
    text = "\n".join(
        [source, f"#define SIZE {len(case.y0)}", *_coefficients(), (Path(__file__).parent / "loop.c").read_text()]
    )
    lib = library("loop-" + case.name.replace(" ", "-"), text)
    pointer, number = ctypes.c_void_p, ctypes.c_double
    lib.run.restype = lib.call_seconds.restype = number
    lib.run.argtypes = [ctypes.c_int, number, number, pointer, number, number, pointer]
    lib.call_seconds.argtypes = [pointer, ctypes.c_long]
    return lib


def _coefficients() -> list[str]:
    def table(name: str, values: Any) -> str:
        return f"static const double {name}[] = {{{', '.join(repr(float(x)) for x in np.ravel(values))}}};"

    five: Array = np.pad(RK45.A, ((0, 0), (0, 1)))
    return [
        table("A5", five), table("B5", RK45.B), table("C5", RK45.C), table("E5", RK45.E),
        table("A8", DOP853.A[:12, :12]), table("B8", DOP853.B), table("C8", DOP853.C[:12]), table("E3", DOP853.E3), table("E58", DOP853.E5),
    ]  # fmt: skip
