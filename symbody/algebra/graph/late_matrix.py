"""Matrices whose entries are made on first use: that of many rows has the square of their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .graph import Expr
from .matrix import Matrix
from .node_table import gc_paused


class LateMatrix(Matrix):
    """A square matrix whose entries are made when one of them is asked for, and kept.

    diagonal   its diagonal, which is known before
    inside     expressions with all symbols that the entries contain
    """

    __slots__ = ("_entries", "_make", "diagonal", "inside")

    def __init__(self, rows: int, make: Callable[[], Matrix], diagonal: Iterable[Expr], inside: Iterable[Expr]) -> None:
        self.rows = self.cols = rows
        self.diagonal, self.inside = tuple(diagonal), tuple(inside)
        self._make, self._entries = make, None

    @property
    def is_made(self) -> bool:
        """Whether the entries were asked for."""
        return self._entries is not None

    @property
    def entries(self) -> tuple[Expr, ...]:  # type: ignore[override]
        """Row after row."""
        if self._entries is None:
            with gc_paused():
                self._entries = self._make().entries
        return self._entries

    def __getstate__(self) -> Any:
        """Of pickles: the entries go with it, what makes them does not."""
        known = {"rows": self.rows, "cols": self.cols, "diagonal": self.diagonal, "inside": self.inside}
        return None, {**known, "_make": None, "_entries": self.entries}


def diagonal(m: Matrix) -> tuple[Expr, ...]:
    """The diagonal of a square matrix."""
    return m.diagonal if isinstance(m, LateMatrix) else m.entries[:: m.cols + 1]


def symbol_carriers(m: Matrix) -> tuple[Expr, ...]:
    """Expressions with all symbols of a matrix, without making its entries for that."""
    return m.inside if isinstance(m, LateMatrix) and not m.is_made else m.entries
