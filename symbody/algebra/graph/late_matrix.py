"""Matrices whose entries are made on first use: a matrix of many rows has the square of their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .graph import ZERO, Expr
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


def is_unmade(m: Matrix) -> bool:
    """Whether entries have not been requested."""
    return isinstance(m, LateEntries) and not m.is_made


class LateColumn(LateEntries):
    """A vector whose symbols are known before its entries.

    made     what makes the entries; pickles contain it
    inside   expressions with all symbols that the entries contain
    """

    __slots__ = ("inside",)

    def __init__(self, rows: int, made: Callable[[], Iterable[Expr]], inside: Iterable[Expr]) -> None:
        super().__init__(rows, 1, made)
        self.inside = tuple(inside)

    def __getstate__(self) -> Any:
        """Of pickles, which are the same whether entries were requested or not: they are made anew."""
        return None, {"rows": self.rows, "cols": 1, "inside": self.inside, "_made": self._made, "_entries": None}


class LateSquare(LateEntries):
    """A square matrix of which the diagonal is known before the other entries.

    made       what makes the entries; pickles contain it
    diagonal   its diagonal, or what makes it on first use
    inside     expressions with all symbols that the entries contain
    """

    __slots__ = ("_diagonal", "_diagonal_entries", "inside")

    def __init__(
        self,
        rows: int,
        made: Callable[[], Iterable[Expr]],
        diagonal: Iterable[Expr] | Callable[[], Iterable[Expr]],
        inside: Iterable[Expr],
    ) -> None:
        super().__init__(rows, rows, made)
        self._diagonal = diagonal if callable(diagonal) else tuple(diagonal)
        self._diagonal_entries: tuple[Expr, ...] | None = None
        self.inside = tuple(inside)

    @property
    def diagonal(self) -> tuple[Expr, ...]:
        """Its diagonal."""
        if self._diagonal_entries is None:
            with gc_paused():
                self._diagonal_entries = tuple(self._diagonal() if callable(self._diagonal) else self._diagonal)
        return self._diagonal_entries

    def __getstate__(self) -> Any:
        """Of pickles, which are the same whether entries were requested or not: they are made anew."""
        known = {"rows": self.rows, "cols": self.cols, "_diagonal": self._diagonal, "inside": self.inside}
        return None, {**known, "_made": self._made, "_entries": None, "_diagonal_entries": None}


class LateRows(LateEntries):
    """A matrix with few entries in each row, which are made on first use; zeros are made only if all entries are required.

    made     what makes the rows: entries that are not zero, by column; pickles contain it
    inside   expressions with all symbols that the entries contain
    """

    __slots__ = ("_made_rows", "_rows", "inside")

    def __init__(
        self, rows: int, cols: int, made: Callable[[], Iterable[Mapping[int, Expr]]], inside: Iterable[Expr]
    ) -> None:
        super().__init__(rows, cols, tuple)
        self._made_rows = made
        self._rows: tuple[Mapping[int, Expr], ...] | None = None
        self.inside = tuple(inside)

    @property
    def sparse_rows(self) -> tuple[Mapping[int, Expr], ...]:
        """Entries that are not zero, by column, row after row."""
        if self._rows is None:
            with gc_paused():
                self._rows = tuple(self._made_rows())
        return self._rows

    @property
    def entries(self) -> tuple[Expr, ...]:  # type: ignore[override]
        """All entries, also those that are zero."""
        if self._entries is None:
            self._entries = tuple(row.get(j, ZERO) for row in self.sparse_rows for j in range(self.cols))
        return self._entries

    def __getstate__(self) -> Any:
        """Of pickles, which are the same whether entries were requested or not: they are made anew."""
        known = {"rows": self.rows, "cols": self.cols, "inside": self.inside, "_made_rows": self._made_rows}
        return None, {**known, "_made": tuple, "_rows": None, "_entries": None}


def sparse_rows(m: Matrix) -> Sequence[Mapping[int, Expr]]:
    """Of each row the entries that are not zero, by column."""
    if isinstance(m, LateRows):
        return m.sparse_rows
    return [{j: e for j, e in enumerate(m.row(i)) if e is not ZERO} for i in range(m.rows)]


def diagonal(m: Matrix) -> tuple[Expr, ...]:
    """The diagonal of a square matrix."""
    return m.diagonal if isinstance(m, LateSquare) else m.entries[:: m.cols + 1]


def symbol_carriers(m: Matrix) -> tuple[Expr, ...]:
    """Expressions with all symbols of a matrix, without making its entries for that."""
    return m.inside if isinstance(m, (LateSquare, LateColumn, LateRows)) and not m.is_made else m.entries
