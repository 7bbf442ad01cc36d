"""Rounding bounds of long programs, a run of equal instructions at a time in arrays (`programs/program_tables.py`).

Running error analysis by the rules of `algebra/calculus/rounding.py`: a program of 50 thousand instructions takes some
milliseconds, where nodes one after the other take a tenth of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.calculus.rounding import DIFFERENCE_STEP, EXACT_OPERATIONS, UNIT_ROUNDOFF
from ..loops.table_kernels import KINDS
from .tables_in_memory import TablesInMemory

Array = NDArray[np.float64]

_KINDS: Final = (*KINDS,)
_ONE_ARGUMENT: Final[dict[str, Callable[..., Any]]] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": np.abs, "sign": np.sign,
}  # fmt: skip
_TWO_ARGUMENTS: Final[dict[str, Callable[..., Any]]] = {
    "div": np.divide, "min": np.minimum, "max": np.maximum, "atan2": np.arctan2, "pow": np.power,
}  # fmt: skip
_TESTS: Final[dict[str, Callable[..., Any]]] = {
    "lt": np.less, "le": np.less_equal, "eq": np.equal, "and": np.multiply, "or": np.maximum, "not": lambda a, _: 1.0 - a,
}  # fmt: skip


class TabulatedRounding:
    """Bounds of the rounding errors of the outputs of a program, from its tables."""

    def __init__(self, tables: TablesInMemory) -> None:
        self._constants, _, kinds, stops, a, b, c, lengths, places = tables.arrays
        self._first, self._size = tables.first, tables.first + len(a)
        self._inexact = np.where(self._constants == np.round(self._constants), 0.0, UNIT_ROUNDOFF)
        self._runs = [
            (
                _KINDS[kind],
                slice(self._first + begin, self._first + stop),
                (a[begin:stop], b[begin:stop], c[begin:stop]),
            )
            for kind, (begin, stop) in zip(kinds, pairwise([0, *stops]), strict=True)
        ]
        self._outputs = np.split(places, np.cumsum(lengths)[:-1])

    def bounds(self, groups: Sequence[Array], sizes: Sequence[Array]) -> list[Array]:
        """A bound for each number of each output, infinite where it has no value. `sizes`: magnitudes relative to which
        the numbers of each group are rounded."""
        value, error = np.empty(self._size), np.empty(self._size)
        value[: self._first] = np.concatenate([self._constants, *groups])
        known = [self._inexact * np.abs(self._constants), *(UNIT_ROUNDOFF * np.abs(s) for s in sizes)]
        error[: self._first] = np.concatenate(known)
        with np.errstate(all="ignore"):
            for kind, place, arguments in self._runs:
                value[place], error[place] = _of_run(kind, [value[a] for a in arguments], [error[a] for a in arguments])
        return [np.where(np.isfinite(value[o]), error[o], np.inf) for o in self._outputs]


def _of_run(kind: str, values: Sequence[Array], errors: Sequence[Array]) -> tuple[Array, Any]:
    x, y, z = values
    e, f, g = errors
    match kind:
        case "add" | "sub":
            made = x + y if kind == "add" else x - y
            return made, e + f + UNIT_ROUNDOFF * np.abs(made)
        case "mul":
            made = x * y
            return made, np.abs(y) * e + np.abs(x) * f + UNIT_ROUNDOFF * np.abs(made)
        case "fma" | "fms" | "fnma":
            product = x * y
            made = product + z if kind == "fma" else product - z if kind == "fms" else z - product
            return made, np.abs(y) * e + np.abs(x) * f + g + UNIT_ROUNDOFF * np.abs(made)
        case "neg":
            return -x, e
        case "where":
            return np.where(x != 0, y, z), np.where(x != 0, f, g)
    if kind in _TESTS:
        return _TESTS[kind](x, y).astype(np.float64), 0.0
    if kind in _ONE_ARGUMENT:
        return _of_function(kind, _ONE_ARGUMENT[kind], (x,), (e,))
    return _of_function(kind, _TWO_ARGUMENTS[kind], (x, y), (e, f))


def _of_function(
    kind: str, f: Callable[..., Any], values: Sequence[Array], errors: Sequence[Array]
) -> tuple[Array, Array]:
    """By differences whose steps exceed the rounding of the result, as for single nodes."""
    y = f(*values)
    total = np.zeros(len(y)) if kind in EXACT_OPERATIONS else UNIT_ROUNDOFF * np.abs(y)
    for i, e in enumerate(errors):
        beside = [x + DIFFERENCE_STEP * e if i == k else x for k, x in enumerate(values)]
        moved = np.abs(f(*beside) - y) / DIFFERENCE_STEP
        total = total + np.where(e == 0, 0.0, np.where(np.isfinite(moved), moved, e))
    return y, total
