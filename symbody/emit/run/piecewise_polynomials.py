"""Piecewise polynomials as functions, with their derivatives, in machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...algebra.graph.functions import ExternalFunction, LookupTable
from ...algebra.graph.graph import ZERO, Expr
from ..llvm import jit
from ..llvm.loop_text import LlvmLoops
from ..loops.kernel_parser import kernel_source
from ..loops.program_kernels import on_pieces, rate_on_pieces
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


@dataclass(frozen=True, eq=False, repr=False)
class PiecewisePolynomial(ExternalFunction):
    """A piecewise polynomial or one of its derivatives.

    It is pickled by its numbers, since machine code has no place in another process; functions of equal numbers are
    equal, so that calls of them are one node.
    """

    pieces: Pieces | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PiecewisePolynomial) and self.pieces == other.pieces

    def __hash__(self) -> int:
        return hash(self.pieces)

    def __reduce__(self) -> tuple[Any, ...]:
        return piecewise_polynomial, (self.pieces,)


@dataclass(frozen=True)
class Pieces:
    """The content of a piecewise polynomial: times and rows of coefficients as bytes, and which derivative of it is
    meant."""

    name: str
    times: bytes
    coefficients: bytes
    terms: int
    order: int = 0

    @property
    def numbers(self) -> tuple[Array, Array]:
        return np.frombuffer(self.times), np.frombuffer(self.coefficients).reshape(-1, self.terms)


def piecewise(name: str, times: Array, coefficients: Array, at: Expr) -> Expr:
    """An expression that is a piecewise polynomial of `at`; its derivatives are the exact ones.

    coefficients   one row for each piece, that of the highest power of `at` less its beginning first
    """
    rows = np.atleast_2d(np.asarray(coefficients, dtype=np.float64))
    pieces = Pieces(name, np.asarray(times, dtype=np.float64).tobytes(), rows.tobytes(), rows.shape[1])
    return piecewise_polynomial(pieces)(at)


def piecewise_polynomial(pieces: Pieces) -> PiecewisePolynomial:
    """The function with this content."""
    return _compiled_pieces(pieces)[pieces.order]


def _compiled_pieces(pieces: Pieces) -> list[PiecewisePolynomial]:
    """The polynomial and its derivatives, each of which knows the next."""
    (times, rows), functions, loops, text = pieces.numbers, list[str](), LlvmLoops(), ""
    tables: list[LookupTable] = []
    while rows.shape[1]:
        known = {
            "n": len(times), "terms": rows.shape[1], "times": tuple(times.tolist()), "coefficients": tuple(rows.ravel().tolist())
        }  # fmt: skip
        tables.append(LookupTable(tuple(times.tolist()), tuple(map(tuple, rows.tolist())), is_rate=bool(functions)))
        functions.append(f"rate{len(functions)}")
        text += _entry(loops, functions[-1], rate_on_pieces if len(functions) > 1 else on_pieces, known)
        rows = rows[:, :-1] * np.arange(rows.shape[1] - 1, 0, -1)
    code = jit.Loaded(jit.machine_code(loops.text() + text, ""))
    out: list[PiecewisePolynomial] = []
    made: Callable[..., Expr] = lambda _: ZERO  # noqa: E731  (the derivative of the highest one)
    for k in reversed(range(len(functions))):
        name = f"{pieces.name}_d{k}" if k else pieces.name
        address, own, table = code.address(f"lookup.{functions[k]}"), replace(pieces, order=k), tables[k]
        made = PiecewisePolynomial(
            name, 1, [made], python=TableFunction(table), address=address, keep=code, table=table, pieces=own
        )
        out.insert(0, made)
    return out


def _entry(loops: LlvmLoops, name: str, kernel: Callable[..., float], known: Mapping[str, Any]) -> str:
    """A function of one number that runs a kernel with everything else known."""
    made = loops.kernels.kernel(kernel, kernel_source(kernel).basic_types, known)
    return (
        f"define double @lookup.{name}(double %x) nounwind {{\n  %y = call double @{made.name}(double %x)\n  ret "
        f"double %y\n}}\n"
    )
