"""Nastran's OUTPUT4 files, in text and binary: columns that are dense, or strings of values with the row of the first.

A matrix is a header (columns, rows, form, type, name), columns (number, first row, length), and a column beyond the
last that ends it. First row 0 says strings: each begins with its length plus one, counted in machine words, and its row; in one
integer, length · 65536 + row, unless rows are counted negative or are many. Types are 1 and 2, real, and 3 and 4,
complex, in single and double precision; lengths of strings count words, of four bytes in all files but those of 64-bit
integers. Complex matrices are read, and refused as mass or stiffness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from scipy import sparse

from ....escaping import checked_name
from ....given_files import text_of
from ..bodies.finite_body import Array
from .sparse_entries import entries
from .triangles import is_triangle, whole_matrix

MANY_ROWS: Final = 65536
SHORT_HEADER, LONG_HEADER = 24, 48  # bytes of a binary header: integers of four bytes, or of eight


@dataclass(frozen=True)
class Op4Header:
    columns: int
    rows: int  # negative: strings with two integers
    form: int
    type: int
    name: str

    @property
    def is_complex(self) -> bool:
        return self.type > 2

    @property
    def two_integers(self) -> bool:
        return self.rows < 0 or self.rows >= MANY_ROWS

    @property
    def words(self) -> int:
        """Of one real number, where words have four bytes."""
        return 1 if self.type in (1, 3) else 2


class Op4Source(Protocol):
    """What differs between text and binary files."""

    def header(self) -> Op4Header | None: ...
    def column(self) -> tuple[int, int, int]: ...
    def length(self, head: Op4Header, dense_words: int) -> int: ...
    def words_of(self, head: Op4Header) -> int: ...
    def integers(self, count: int) -> list[int]: ...
    def reals(self, head: Op4Header, count: int) -> Array: ...
    def end_column(self) -> None: ...


def op4_matrices(raw: bytes) -> dict[str, sparse.csc_array]:
    """All matrices of a file by name."""
    source: Op4Source = (
        _BinaryRecords(raw) if b"\x00" in raw[:400] else _TextLines(text_of(raw, "OUTPUT4").splitlines())
    )
    out = {}
    while (head := source.header()) is not None:
        out[head.name] = _matrix(source, head)
    return out


def _matrix(source: Op4Source, head: Op4Header) -> sparse.csc_array:
    rows, columns = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    values: list[Any] = [np.zeros(0)]
    while True:
        column, first, words = source.column()
        if column > head.columns:
            source.reals(head, 1)
            source.end_column()
            break
        for start, x in _strings(source, head, first, words):
            rows.append(start - 1 + np.arange(len(x)))
            columns.append(np.full(len(x), column - 1))
            values.append(x)
        source.end_column()
    i, j, x = (np.concatenate(a) for a in (rows, columns, values))
    A = entries(x, i, j, (abs(head.rows), head.columns))
    return whole_matrix(A) if head.form == 6 and is_triangle(A) else sparse.csc_array(A)


def _strings(source: Op4Source, head: Op4Header, first: int, words: int) -> Iterator[tuple[int, Any]]:
    """First rows and values of a column."""
    if first > 0:
        yield first, _numbers(head, source.reals(head, source.length(head, words)))
        return
    while words > 0:
        if head.two_integers:
            length, start = source.integers(2)
        else:
            length, start = divmod(source.integers(1)[0], MANY_ROWS)
        words -= length - 1 + (2 if head.two_integers else 1)
        yield start, _numbers(head, source.reals(head, (length - 1) // source.words_of(head)))


def _numbers(head: Op4Header, reals: Array) -> Any:
    return reals[0::2] + 1j * reals[1::2] if head.is_complex else reals


class _TextLines:
    """Lines: headers in fields of eight characters, numbers in the layout that the header names."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.at = lines, 0
        self.per_line, self.width = 5, 16

    def header(self) -> Op4Header | None:
        if self.at >= len(self.lines) or not self.lines[self.at].strip():
            return None
        line = self._next()
        columns, rows, form, kind = (int(line[8 * k : 8 * k + 8]) for k in range(4))
        count, _, rest = (line[40:].strip() or "1P,5E16.9").split(",")[-1].upper().replace("D", "E").partition("E")
        self.per_line, self.width = int(count), int(rest.split(".")[0])
        return Op4Header(columns, rows, form, kind, line[32:40].strip())

    def column(self) -> tuple[int, int, int]:
        line = self._next()
        return int(line[:8]), int(line[8:16]), int(line[16:24])

    def length(self, head: Op4Header, dense_words: int) -> int:
        return dense_words  # counts numbers, whatever their type

    def words_of(self, head: Op4Header) -> int:
        return head.words

    def integers(self, count: int) -> list[int]:
        return [int(x) for x in self._next().split()[:count]]

    def reals(self, head: Op4Header, count: int) -> Array:
        found: list[float] = []
        while len(found) < count:
            line = self._next().upper().replace("D", "E")
            here = min(self.per_line, count - len(found))
            found += [float(line[k * self.width : (k + 1) * self.width]) for k in range(here)]
        return np.array(found)

    def end_column(self) -> None:
        """Lines have no length fields."""

    def _next(self) -> str:
        self.at += 1
        return self.lines[self.at - 1]


class _BinaryRecords:
    """Records of Fortran, each between two counts of its bytes, in either order of bytes."""

    def __init__(self, raw: bytes) -> None:
        self.raw, self.at, self.end = raw, 0, 0
        self.order = next(
            (o for o in "<>" if int(np.frombuffer(raw, f"{o}i4", 1)[0]) in (SHORT_HEADER, LONG_HEADER)), None
        )
        if self.order is None:
            raise ValueError("its first record is not the header of a matrix, which has 24 or 48 bytes")
        self.is_long = int(np.frombuffer(raw, f"{self.order}i4", 1)[0]) == LONG_HEADER
        self.integer = f"{self.order}i8" if self.is_long else f"{self.order}i4"

    def header(self) -> Op4Header | None:
        if self.at >= len(self.raw):
            return None
        self._record()
        columns, rows, form, kind = self.integers(4)
        name = checked_name(self.raw[self.at : self.end].decode("ascii").replace(" ", ""), "a matrix")
        self.at = self.end
        self.end_column()
        return Op4Header(columns, rows, form, kind, name)

    def column(self) -> tuple[int, int, int]:
        self._record()
        column, first, words = self.integers(3)
        return column, first, words

    def length(self, head: Op4Header, dense_words: int) -> int:
        return dense_words // self.words_of(head)

    def words_of(self, head: Op4Header) -> int:
        return 1 if self.is_long else head.words

    def integers(self, count: int) -> list[int]:
        return [int(x) for x in self._take(self.integer, count)]

    def reals(self, head: Op4Header, count: int) -> Array:
        bytes_of_one = 8 if self.is_long else 4 * head.words
        return self._take(f"{self.order}f{bytes_of_one}", count).astype(float)

    def end_column(self) -> None:
        self.at = self.end + 4

    def _record(self) -> None:
        count = int(self._take(f"{self.order}i4", 1)[0])
        self.end = self.at + count
        if count < 0 or self.end + 4 > len(self.raw):
            raise ValueError(f"a record of {count} bytes, where {len(self.raw) - self.at} are left")

    def _take(self, kind: str, count: int) -> Any:
        if count < 0:
            raise ValueError(f"{count} numbers")
        found = np.frombuffer(self.raw, kind, count, self.at)
        self.at += found.nbytes
        return found
