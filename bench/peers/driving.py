"""Times a function of many states that has the signature of `driver.c`."""

from __future__ import annotations

import ctypes
import statistics
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from ..timing import Row
from .building import HERE, library

REPEATS: Final = 31
BATCH: Final = 0.004  # seconds, about
ROUNDS: Final = 2000  # of calibration, before each batch
Array = Any


class Function(NamedTuple):
    """Machine code: its address, and the address of what it calls its own."""

    address: int
    own: int = 0


@cache
def _driver() -> ctypes.CDLL:
    driver = library("driver", (HERE / "driver.c").read_text(), ["-O2"])
    driver.drive.restype = driver.calibrate.restype = ctypes.c_double
    pointer, number = ctypes.c_void_p, ctypes.c_long
    driver.drive.argtypes = [pointer, pointer, number, pointer, pointer, number, pointer, pointer, number, number]
    driver.calibrate.argtypes = [number]
    return driver


class _Calls:
    """Calls for all states. Inputs have a state in each row; outputs are kept for each state, or lie over each other,
    or are not wanted."""

    def __init__(self, f: Function, inputs: Sequence[Array], outputs: Sequence[Array | None], keep: bool) -> None:
        self._f, self._held = f, (inputs, outputs)
        self._states = len(inputs[0])
        self._in = np.array([a.ctypes.data for a in inputs], dtype=np.intp)
        self._in_step = np.array([a.shape[1] for a in inputs], dtype=np.int64)
        self._out = np.array([0 if o is None else o.ctypes.data for o in outputs], dtype=np.intp)
        self._out_step = np.array([o.shape[1] if keep and o is not None else 0 for o in outputs], dtype=np.int64)

    def __call__(self, passes: int = 1) -> float:
        """Seconds for each call."""
        into = [len(self._in), self._in.ctypes.data, self._in_step.ctypes.data]
        out = [len(self._out), self._out.ctypes.data, self._out_step.ctypes.data]
        return _driver().drive(self._f.address, self._f.own, *into, *out, self._states, passes) / passes / self._states


def contiguous(*arrays: Array) -> list[Array]:
    return [np.ascontiguousarray(a, dtype=np.float64) for a in arrays]


def values(f: Function, inputs: Sequence[Array], sizes: Sequence[int]) -> list[Array]:
    """Outputs of these sizes for every state."""
    inputs = contiguous(*inputs)
    out = [np.zeros((len(inputs[0]), size)) for size in sizes]
    _Calls(f, inputs, out, keep=True)()
    return out


def times(f: Function, inputs: Sequence[Array], sizes: Sequence[int | None], repeats: int = REPEATS) -> Row:
    """Microseconds of a call, least and median, and nanoseconds of the calibration beside them. A size of None: nothing
    is written."""
    inputs = contiguous(*inputs)
    calls = _Calls(f, inputs, [None if s is None else np.zeros((1, s)) for s in sizes], keep=False)
    calls()
    passes = max(1, round(BATCH / max(calls() * len(inputs[0]), 1e-9)))
    taken, calibration = [], []
    for _ in range(repeats):
        calibration.append(_driver().calibrate(ROUNDS))
        taken.append(calls(passes) * 1e6)
    return {
        "us": min(taken),
        "median_us": statistics.median(taken),
        "calibration_ns": min(calibration),
        "calibration_median_ns": statistics.median(calibration),
    }


def aligned(size: int) -> tuple[Array, int]:
    """Scratch memory for `size` numbers that begins a cache line: who holds it, and its address."""
    memory = np.zeros(size + 8)
    return memory, -(-memory.ctypes.data // 64) * 64
