"""Matrices whose entries are made on first use: a matrix of many rows has the square of their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .graph import Expr
from .matrix import Matrix
from .node_table import gc_paused


class LateEntries(Matrix):
    """A matrix whose entries are made when one of them is first requested, and kept."""

    __slots__ = ("_entries", "_made")

    def __init__(self, rows: int, cols: int, made: Callable[[], Iterable[Expr]]) -> None:
        self.rows, self.cols, self._made = rows, cols, made
        self._entries: tuple[Expr, ...] | None = None

    @property
    def is_made(self) -> bool:
        """Whether the entries were requested."""
        return self._entries is not None

    @property
    def entries(self) -> tuple[Expr, ...]:  # type: ignore[override]
        if self._entries is None:
            with gc_paused():
                self._entries = tuple(self._made())
        return self._entries


class LateSquare(LateEntries):
    """A square matrix of which the diagonal is known before the other entries.

    made       what makes the entries; pickles contain it
    diagonal   its diagonal
    inside     expressions with all symbols that the entries contain
    """

    __slots__ = ("diagonal", "inside")

    def __init__(
        self, rows: int, made: Callable[[], Iterable[Expr]], diagonal: Iterable[Expr], inside: Iterable[Expr]
    ) -> None:
        super().__init__(rows, rows, made)
        self.diagonal, self.inside = tuple(diagonal), tuple(inside)

    def __getstate__(self) -> Any:
        """Of pickles, which are the same whether entries were requested or not: they are made anew."""
        known = {"rows": self.rows, "cols": self.cols, "diagonal": self.diagonal, "inside": self.inside}
        return None, {**known, "_made": self._made, "_entries": None}


def diagonal(m: Matrix) -> tuple[Expr, ...]:
    """The diagonal of a square matrix."""
    return m.diagonal if isinstance(m, LateSquare) else m.entries[:: m.cols + 1]


def symbol_carriers(m: Matrix) -> tuple[Expr, ...]:
    """Expressions with all symbols of a matrix, without making its entries for that."""
    return m.inside if isinstance(m, LateSquare) and not m.is_made else m.entries
