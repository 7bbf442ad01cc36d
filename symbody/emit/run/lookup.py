"""Piecewise polynomials as functions, with their derivatives, in machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...algebra.functions import ExternalFunction, LookupTable
from ...algebra.graph import ZERO, Expr
from ..llvm import jit
from ..llvm.loop_text import LlvmLoops
from ..loops.checked import basic_types
from ..loops.kernels import on_pieces, rate_on_pieces
from .callable import Array


@dataclass(frozen=True)
class TableFunction:
    """A piecewise polynomial in Python, for where expressions are evaluated."""

    table: LookupTable

    def __call__(self, x: float) -> float:
        kernel = rate_on_pieces if self.table.is_rate else on_pieces
        flat = [c for row in self.table.coefficients for c in row]
        times = self.table.times
        return kernel(len(times), len(self.table.coefficients[0]), list(times), flat, x)


def piecewise(name: str, times: Array, coefficients: Array, at: Expr) -> Expr:
    """An expression that is a piecewise polynomial of `at`; its derivatives are the exact ones.

    coefficients   one row for each piece, that of the highest power of `at` less its beginning first
    """
    rows, functions, loops, text = np.atleast_2d(coefficients), list[str](), LlvmLoops(), ""
    tables = []
    while rows.shape[1]:
        known = {
            "n": len(times), "terms": rows.shape[1], "times": tuple(times.tolist()), "coefficients": tuple(rows.ravel().tolist())
        }  # fmt: skip
        tables.append(LookupTable(tuple(times.tolist()), tuple(map(tuple, rows.tolist())), is_rate=bool(functions)))
        functions.append(f"rate{len(functions)}")
        text += _entry(loops, functions[-1], rate_on_pieces if len(functions) > 1 else on_pieces, known)
        rows = rows[:, :-1] * np.arange(rows.shape[1] - 1, 0, -1)
    code = jit.Loaded(jit.machine_code(loops.text() + text, ""))
    made: Callable[..., Expr] = lambda _: ZERO  # noqa: E731  (the derivative of the highest one)
    for k in reversed(range(len(functions))):
        address = code.address(f"lookup.{functions[k]}")
        wish = f"{name}_d{k}" if k else name
        made = ExternalFunction(
            wish, 1, [made], python=TableFunction(tables[k]), address=address, keep=code, table=tables[k]
        )
    return made(at)


def _entry(loops: LlvmLoops, name: str, kernel: Callable[..., float], known: Mapping[str, Any]) -> str:
    """A function of one number that runs a kernel with everything else known."""
    made = loops.kernels.kernel(kernel, basic_types(kernel), known)
    return f"define double @lookup.{name}(double %x) nounwind {{\n  %y = call double @{made.name}(double %x)\n  ret double %y\n}}\n"
