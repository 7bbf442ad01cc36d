"""Piecewise polynomials as functions, with their derivatives, in machine code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...algebra.graph.functions import ExternalFunction, LookupTable
from ...algebra.graph.graph import ZERO, Expr
from ..llvm import jit
from ..llvm.loop_text import LlvmLoops
from ..loops.kernel_parser import kernel_source
from ..loops.program_kernels import on_pieces, rate_on_pieces
from ..loops.records import address_of
from .callable import Array


class TableInMemory(LookupTable):
    """A table by its arrays, which machine code reads; exports, which print it, get tuples. It is a function, for where
    expressions are evaluated."""

    def __init__(self, times: Array, rows: Array, is_rate: bool) -> None:
        self.__dict__.update(arrays=(times, np.ascontiguousarray(rows)), is_rate=is_rate)

    @cached_property
    def times(self) -> tuple[float, ...]:
        return tuple(self.arrays[0].tolist())

    @cached_property
    def coefficients(self) -> tuple[tuple[float, ...], ...]:
        return tuple(map(tuple, self.arrays[1].tolist()))

    @property
    def arrays(self) -> tuple[Array, Array]:
        found: tuple[Array, Array] = self.__dict__["arrays"]
        return found

    def __call__(self, x: float) -> float:
        times, rows = self.arrays
        kernel = rate_on_pieces if self.is_rate else on_pieces
        return float(kernel(len(times), rows.shape[1], times, rows.ravel(), x))


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
    (times, rows), tables, loops, text = pieces.numbers, list[TableInMemory](), LlvmLoops(), ""
    while rows.shape[1]:
        tables.append(TableInMemory(times, rows, is_rate=bool(tables)))
        text += _entry(loops, f"order{len(tables) - 1}", tables[-1])
        rows = rows[:, :-1] * np.arange(rows.shape[1] - 1, 0, -1)
    code = jit.Loaded(jit.machine_code(loops.text() + text, ""))
    out: list[PiecewisePolynomial] = []
    made: Callable[..., Expr] = lambda _: ZERO  # noqa: E731  (the derivative of the highest one)
    for k in reversed(range(len(tables))):
        name = f"{pieces.name}_d{k}" if k else pieces.name
        address, own, table = code.address(f"lookup.order{k}"), replace(pieces, order=k), tables[k]
        made = PiecewisePolynomial(
            name, 1, [made], python=table, address=address, keep=(code, table), table=table, pieces=own
        )
        out.insert(0, made)
    return out


def _entry(loops: LlvmLoops, name: str, table: TableInMemory) -> str:
    """A function of one number that looks it up in a table where that lies in memory."""
    times, rows = table.arrays
    kernel, known = rate_on_pieces if table.is_rate else on_pieces, {"n": len(times), "terms": rows.shape[1]}
    made = loops.kernels.kernel(kernel, kernel_source(kernel).basic_types, known)
    places = ", ".join(f"ptr inttoptr (i64 {address_of(x)} to ptr)" for x in (times, rows))
    return (
        f"define double @lookup.{name}(double %x) nounwind {{\n  %y = call double @{made.name}({places}, double %x)\n  ret "
        f"double %y\n}}\n"
    )
