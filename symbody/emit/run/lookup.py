"""Piecewise polynomials as functions, with their derivatives, in machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...algebra.functions import ExternalFunction
from ...algebra.graph import ZERO, Expr
from ..llvm import jit
from ..llvm.loop_text import LlvmLoops
from ..loops.checked import basic_types
from ..loops.language import Numbers
from .callable import Array


def on_pieces(n: int, terms: int, times: Numbers, coefficients: Numbers, x: float) -> float:
    """Σ c_k (x - t_i)ᵏ in the piece i that holds x, found by bisection; constant before the first time and after the last.

    coefficients   `terms` numbers for each of the n - 1 pieces, that of the highest power first
    """
    at: float = x
    if x < times[0]:
        at = times[0]
    if x > times[n - 1]:
        at = times[n - 1]
    low: int = 0
    high: int = n - 1
    while high - low > 1:
        middle: int = (low + high) // 2
        if times[middle] <= at:
            low = middle
        else:
            high = middle
    s = at - times[low]
    y: float = 0.0
    for k in range(terms):
        y = y * s + coefficients[low * terms + k]
    return y


def rate_on_pieces(n: int, terms: int, times: Numbers, coefficients: Numbers, x: float) -> float:
    """The same for a derivative, which is zero before the first time and after the last."""
    if x < times[0]:
        return 0.0
    if x > times[n - 1]:
        return 0.0
    return on_pieces(n, terms, times, coefficients, x)


def piecewise(name: str, times: Array, coefficients: Array, at: Expr) -> Expr:
    """An expression that is a piecewise polynomial of `at`; its derivatives are the exact ones.

    coefficients   one row for each piece, that of the highest power of `at` less its beginning first
    """
    rows, functions, loops, text = np.atleast_2d(coefficients), list[str](), LlvmLoops(), ""
    while rows.shape[1]:
        known = {
            "n": len(times), "terms": rows.shape[1], "times": tuple(times.tolist()), "coefficients": tuple(rows.ravel().tolist())
        }  # fmt: skip
        functions.append(f"rate{len(functions)}")
        text += _entry(loops, functions[-1], rate_on_pieces if len(functions) > 1 else on_pieces, known)
        rows = rows[:, :-1] * np.arange(rows.shape[1] - 1, 0, -1)
    code = jit.Loaded(jit.machine_code(loops.text() + text, ""))
    made: Callable[..., Expr] = lambda _: ZERO  # noqa: E731  (the derivative of the highest one)
    for k in reversed(range(len(functions))):
        address = code.address(f"lookup.{functions[k]}")
        made = ExternalFunction(f"{name}_d{k}" if k else name, 1, address=address, derivatives=[made], keep=code)
    return made(at)


def _entry(loops: LlvmLoops, name: str, kernel: Callable[..., float], known: Mapping[str, Any]) -> str:
    """A function of one number that runs a kernel with everything else known."""
    made = loops.kernels.kernel(kernel, basic_types(kernel), known)
    return f"define double @lookup.{name}(double %x) nounwind {{\n  %y = call double @{made.name}(double %x)\n  ret double %y\n}}\n"
