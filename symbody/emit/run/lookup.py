"""Samples as a function: straight lines between them, in machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...algebra.functions import ExternalFunction
from ...algebra.graph import Expr
from ...errors import ProgramError
from ..llvm import jit
from ..llvm.loop_text import LlvmLoops
from ..loops.checked import basic_types
from ..loops.language import Numbers


def on_lines(n: int, times: Numbers, values: Numbers, x: float) -> float:
    """The value at x, by bisection; constant before the first sample and after the last."""
    if x <= times[0]:
        return values[0]
    if x >= times[n - 1]:
        return values[n - 1]
    low: int = 0
    high: int = n - 1
    while high - low > 1:
        middle: int = (low + high) // 2
        if times[middle] <= x:
            low = middle
        else:
            high = middle
    part = (x - times[low]) / (times[high] - times[low])
    return values[low] + part * (values[high] - values[low])


def slope(n: int, times: Numbers, values: Numbers, x: float) -> float:
    if x < times[0] or x >= times[n - 1]:
        return 0.0
    low: int = 0
    high: int = n - 1
    while high - low > 1:
        middle: int = (low + high) // 2
        if times[middle] <= x:
            low = middle
        else:
            high = middle
    return (values[high] - values[low]) / (times[high] - times[low])


def looked_up(name: str, times: ArrayLike, values: ArrayLike, at: Expr) -> Expr:
    """An expression that is the given samples as a function of `at`."""
    t, v = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if t.shape != v.shape or t.ndim != 1 or len(t) < 2:
        raise ProgramError(
            f"samples of {name!r}: times and values must be two rows of equal length, got {t.shape} and {v.shape}"
        )
    if not (np.all(np.diff(t) > 0) and np.all(np.isfinite(t)) and np.all(np.isfinite(v))):
        raise ProgramError(f"samples of {name!r}: times must increase, and all must be finite numbers")
    known = {"n": len(t), "times": tuple(t.tolist()), "values": tuple(v.tolist())}
    loops = LlvmLoops()
    text = _entry(loops, "value", on_lines, known) + _entry(loops, "rate", slope, known)
    code = jit.Loaded(jit.machine_code(loops.text() + text, ""))
    rate = ExternalFunction(f"{name}_rate", 1, address=code.address("lookup.rate"), keep=code)
    made = ExternalFunction(name, 1, address=code.address("lookup.value"), derivatives=[rate], keep=code)
    return made(at)


def _entry(loops: LlvmLoops, name: str, kernel: Callable[..., float], known: Mapping[str, Any]) -> str:
    """A function of one number that runs a kernel with everything else known."""
    made = loops.kernels.kernel(kernel, basic_types(kernel), known)
    return f"define double @lookup.{name}(double %x) nounwind {{\n  %y = call double @{made.name}(double %x)\n  ret double %y\n}}\n"
