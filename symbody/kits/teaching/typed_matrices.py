r"""Equations of an answer as tokens; an equation of matrices becomes one equation for each row.

    \begin{bmatrix} a & b \\ c & d \end{bmatrix} \begin{bmatrix} x \\ y \end{bmatrix} = \begin{bmatrix} e \\ f \end{bmatrix}

    ->      (a)(x) + (b)(y) = (e)   and   (c)(x) + (d)(y) = (f)

Tokens of entries keep their places, so that errors mark what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from ...errors import ExpressionTextError
from .typed_tokens import FONTS, SPACES, Piece, equation_texts, pieces

_NAMES: Final = r"\{\s*(?:[bpvBV]?(?:small)?matrix|array)\*?\s*\}"
_MATRIX: Final = re.compile(
    rf"(?:\\left\s*[\[(|]\s*)?\\begin\s*{_NAMES}(?:\s*\{{[clr|\s]*\}})?(?P<inside>[^=]*?)\\end\s*{_NAMES}(?:\s*\\right\s*[\])|])?"
)
_MARK: Final = "\ue010"  # a private character in place of a matrix
MOST_TOKENS: Final = 20_000  # of one row of a product

Cell = tuple[Piece, ...]


@dataclass(frozen=True)
class TypedMatrix:
    """Entries as tokens, and where the matrix was typed."""

    cells: tuple[tuple[Cell, ...], ...]
    at: int
    length: int


Item = Piece | TypedMatrix


def typed_equations(text: str) -> Iterator[tuple[str, list[Piece]]]:
    """The equations of an answer: each as it is shown, and as tokens."""
    found = {m.start(): m for m in _MATRIX.finditer(text)}
    masked = _MATRIX.sub(lambda m: _MARK + " " * (len(m[0]) - 1), text)
    for start, part in equation_texts(masked):
        if _MARK not in part:
            yield " ".join(part.split()), pieces(part, start, text)
            continue
        items = list[Item]()
        for k, between in enumerate(re.split(f"({_MARK})", part)):
            at = start + len("".join(re.split(f"({_MARK})", part)[:k]))
            items += [_matrix(text, found[at])] if between == _MARK else pieces(between, at, text)[:-1]
        for row in _rows(text, items):
            yield _equation_text(text, row), [*row, Piece("end", "", start + len(part), 1)]


def _refuse(whole: str, message: str, item: Item) -> NoReturn:
    raise ExpressionTextError(message, whole, item.at, max(1, item.length))


def _matrix(whole: str, found: re.Match[str]) -> TypedMatrix:
    rows, at = [], found.start("inside")
    for row in re.split(r"(\\\\(?:\[[^\]]*\])?)", found["inside"]):
        cells = list[Cell]()
        for cell in row.split("&") if not row.startswith("\\\\") else []:
            cells.append(tuple(pieces(cell, at, whole)[:-1]))
            at += len(cell) + 1
        if any(cells):
            rows.append(tuple(cells))
        at += len(row) if row.startswith("\\\\") else -1
    out = TypedMatrix(tuple(rows), found.start(), len(found[0]))
    if not rows or len({len(r) for r in rows}) > 1 or not all(cell for r in rows for cell in r):
        _refuse(whole, "the rows of a matrix have the same number of entries, and none is empty", out)
    return out


def _rows(whole: str, items: Sequence[Item]) -> list[list[Piece]]:
    """An equation of columns, row by row."""
    sides = list[list[Item]]([[]])
    for item in items:
        if isinstance(item, Piece) and (item.kind, item.text) == ("sign", "="):
            sides.append([])
        else:
            sides[-1].append(item)
    columns = [[_column(whole, term) for term in _terms(whole, side)] for side in sides]
    n = max(len(c) for column in columns for c in column)
    matrix = next(item for item in items if isinstance(item, TypedMatrix))
    if any(c and len(c) != n for column in columns for c in column):
        _refuse(whole, "the columns of a matrix equation have different numbers of rows", matrix)
    zero = Piece("number", "0", matrix.at, 0)
    equals = Piece("sign", "=", matrix.at, 0)
    rows = []
    for i in range(n):
        row = list[Piece]()
        for k, column in enumerate(columns):
            side = [p for c in column if c for p in c[i]]
            row += [*([equals] if k else []), *(side or [zero])]
        rows.append(row)
    return rows


def _terms(whole: str, side: Sequence[Item]) -> list[list[Item]]:
    """The terms of a side, each with its sign."""
    out, depth, before = list[list[Item]]([[]]), 0, ""
    for item in side:
        text = item.text if isinstance(item, Piece) and item.kind == "sign" else "value"
        if isinstance(item, TypedMatrix) and depth:
            _refuse(whole, "a matrix stands in parentheses; multiply it out", item)
        depth += (text in "([{") - (text in ")]}")
        if text in "+-" and not depth and before not in ("^", "**", "*", "/") and out[-1]:
            out.append([])
        out[-1].append(item)
        before = text
    return [term for term in out if term]


def _column(whole: str, term: Sequence[Item]) -> list[list[Piece]]:
    """The rows of a term, a number times matrices; no rows where it is zero."""
    places = [k for k, item in enumerate(term) if isinstance(item, TypedMatrix)]
    if not places:
        if any(p.text != "0" for p in term if isinstance(p, Piece) and p.kind in ("number", "name", "derivative")):
            _refuse(
                whole,
                "a number cannot be added to a column; a term of a matrix equation is a product with a column",
                term[0],
            )
        return []
    first, last = places[0], places[-1]
    before, after = _scalars(whole, term[:first]), _scalars(whole, term[last + 1 :])
    if any(p.text not in ("*", "\\cdot", "\\times") for p in _scalars(whole, term[first : last + 1])):
        _refuse(whole, "write numbers before or behind a product of matrices", term[first])
    if any(p.text in ("^", "**", "'") for p in after[:1]) or any(
        p.kind == "derivative" and len(p.text) == 1 for p in before
    ):
        _refuse(whole, "inverses, transposes and derivatives of matrices cannot be read; write the rows", term[first])
    product = _product(whole, [item for item in term if isinstance(item, TypedMatrix)])
    return [[*before, *_in_parentheses(cell), *after] for cell in product]


def _scalars(whole: str, items: Sequence[Item]) -> list[Piece]:
    spaces = {f"\\{name}" for name in SPACES}
    return [p for p in items if isinstance(p, Piece) and not (p.kind == "command" and p.text in spaces)]


def _product(whole: str, matrices: Sequence[TypedMatrix]) -> list[Cell]:
    """The column that a product of matrices is, multiplied from the right."""
    column = matrices[-1]
    if len(column.cells[0]) != 1:
        _refuse(whole, "a matrix equation ends with a column: matrix times column = column", column)
    cells = [row[0] for row in column.cells]
    for matrix in reversed(matrices[:-1]):
        if len(matrix.cells[0]) != len(cells):
            _refuse(
                whole,
                f"a matrix with {len(matrix.cells[0])} columns is multiplied by a column of {len(cells)} rows",
                matrix,
            )
        cells = [_row_times_column(row, cells) for row in matrix.cells]
        if max(map(len, cells)) > MOST_TOKENS:
            _refuse(whole, "a product of matrices becomes too long", matrix)
    return cells


def _row_times_column(row: Sequence[Cell], column: Sequence[Cell]) -> Cell:
    out = list[Piece]()
    for a, b in zip(row, column, strict=True):
        if not _is_zero(a) and not _is_zero(b):
            plus = [Piece("sign", "+", a[0].at, 0)] if out else []
            out += [*plus, *_in_parentheses(a), *_in_parentheses(b)]
    return tuple(out) or row[0]


def _is_zero(cell: Cell) -> bool:
    return [p.text for p in cell] == ["0"]


def _in_parentheses(cell: Cell) -> list[Piece]:
    at = cell[0].at
    return [Piece("sign", "(", at, 0), *cell, Piece("sign", ")", at, 0)]


def _equation_text(whole: str, row: Sequence[Piece]) -> str:
    """An equation as text: tokens as they were typed, with signs between them that were not."""
    words = [
        whole[p.at : p.at + p.length] if p.length else p.text for p in row if p.text not in {f"\\{f}" for f in FONTS}
    ]
    return re.sub(r"(?<=[([{^_]) | (?=[)\]}^_])|(?<=[)\]]) (?=[(])", "", " ".join(words))
