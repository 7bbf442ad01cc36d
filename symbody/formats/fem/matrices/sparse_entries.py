"""Sparse matrices from numbers that a file has: indices, pointers and sizes are checked before SciPy uses them, which does
not look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from scipy import sparse

from ..bodies.finite_body import Indices

FEWEST_ROWS: Final = 10**6  # that a matrix may have, however few its entries
ROWS_PER_ENTRY: Final = 100  # rows beyond that: a matrix of finite elements has hardly an empty one
LARGEST_LABEL: Final = 2**53  # whole numbers that a double represents exactly
Shape = tuple[int, int]


def sparse_matrix(parts: Mapping[str, Any]) -> Any:
    """From the arrays of `scipy.sparse.save_npz`: columns or rows compressed, or entries by row and column."""
    said = parts["format"].item()
    kind = said.decode("ascii") if isinstance(said, bytes) else str(said)
    shape = _shape(parts["shape"])
    if kind in ("csc", "csr"):
        across = shape if kind == "csc" else shape[::-1]
        made = compressed_columns(parts["data"], parts["indices"], parts["indptr"], across)
        return made if kind == "csc" else made.T
    if kind != "coo":
        raise ValueError(f"its format is {kind[:20]!r}; csc, csr and coo are read: save matrix.tocsc()")
    i, j = parts["coords"] if "coords" in parts else (parts["row"], parts["col"])
    return entries(parts["data"], i, j, shape)


def compressed_columns(data: Any, indices: Any, pointers: Any, shape: Shape | None = None) -> sparse.csc_array:
    """By the row of each entry, and the first entry of each column; without a shape, a square matrix."""
    _refuse_other_shapes(data=data, indices=indices, indptr=pointers)
    rows, columns = (len(pointers) - 1, len(pointers) - 1) if shape is None else shape
    _refuse_size(rows, columns, len(data))
    if len(pointers) != columns + 1 or len(indices) != len(data):
        raise ValueError(
            f"{len(pointers)} pointers, {len(indices)} indices and {len(data)} numbers for {columns} columns"
        )
    if pointers[0] != 0 or pointers[-1] != len(data) or (np.diff(pointers) < 0).any():
        raise ValueError(f"its pointers do not rise from 0 to {len(data)}")
    _refuse_outside(indices, rows, "row")
    return sparse.csc_array((data, indices.astype(np.int64), pointers.astype(np.int64)), shape=(rows, columns))


def entries(data: Any, i: Any, j: Any, shape: Shape) -> sparse.coo_array:
    """By row and column of each entry."""
    _refuse_other_shapes(data=data, row=i, column=j)
    _refuse_size(*shape, len(data))
    if not len(data) == len(i) == len(j):
        raise ValueError(f"{len(data)} numbers, {len(i)} rows and {len(j)} columns of entries")
    _refuse_outside(i, shape[0], "row")
    _refuse_outside(j, shape[1], "column")
    return sparse.coo_array((data, (i.astype(np.int64), j.astype(np.int64))), shape=shape)


def market_matrix(text: str) -> Any:
    """Of Matrix Market, real and general or symmetric: entries by row and column, or an array by columns.

    SciPy's reader of this format, which is written in C++, ends the process where numbers are cut off.
    """
    lines = text.splitlines()
    _, what, layout, field, symmetry = (lines[0].lower().split() + [""] * 5)[:5]
    if what != "matrix" or layout not in ("coordinate", "array") or field not in ("real", "double", "integer") or symmetry not in ("general", "symmetric"):  # fmt: skip
        raise ValueError(f"its first line is {lines[0][:80]!r}; only real matrices, general or symmetric, can be read")
    first = next((k for k, line in enumerate(lines) if line.strip() and not line.startswith("%")), len(lines) - 1)
    rows, columns, *rest = whole_numbers(np.array([float(x) for x in lines[first].split()])).tolist()
    count = rest[0] if layout == "coordinate" else _array_length(rows, columns, symmetry)
    if min(rows, columns, count) < 0 or count > len(lines) - first - 1:
        raise ValueError(f"{rows} by {columns}, {count} entries: {len(lines) - first - 1} lines follow")
    width = 3 if layout == "coordinate" else 1
    numbers = np.loadtxt(lines[first + 1 :], comments="%", ndmin=2) if count else np.zeros((0, width))
    if numbers.shape != (count, width):
        raise ValueError(f"expected {count} lines of {width} numbers, found {numbers.shape}")
    if layout == "array":
        return _of_columns(numbers[:, 0], rows, columns, symmetry)
    i, j = whole_numbers(numbers[:, :2]).T - 1
    below = entries(numbers[:, 2], i, j, (rows, columns))
    off = i != j
    return below if symmetry == "general" else below + entries(numbers[off, 2], j[off], i[off], (columns, rows))


def _array_length(rows: int, columns: int, symmetry: str) -> int:
    return rows * columns if symmetry == "general" else rows * (rows + 1) // 2


def _of_columns(values: Any, rows: int, columns: int, symmetry: str) -> Any:
    if symmetry == "general":
        return values.reshape((rows, columns), order="F")
    out = np.zeros((rows, rows))
    upper = np.triu_indices(rows)  # of the transposed matrix: columns below the diagonal, one after the other
    out[upper] = values
    out.T[upper] = values
    return out


def whole_numbers(values: Any) -> Indices:
    """Numbers of nodes and directions that a text has as any numbers."""
    if not np.isfinite(values).all() or (np.abs(values) > LARGEST_LABEL).any() or (values % 1).any():
        raise ValueError("the number of a node, direction, row or column is not an integer")
    return np.asarray(values, dtype=np.int64)


def _shape(given: Any) -> Shape:
    if given.shape != (2,) or given.dtype.kind not in "iu" or (given < 0).any():
        raise ValueError("its shape is not two numbers")
    return int(given[0]), int(given[1])


def _refuse_other_shapes(data: Any, **indices: Any) -> None:
    if data.ndim != 1 or data.dtype.kind not in "biufc":
        raise ValueError(
            f"its entries are an array of shape {data.shape} of {data.dtype}; expected a one-dimensional array of numbers"
        )
    for name, array in indices.items():
        if array.ndim != 1 or array.dtype.kind not in "iu" or (name == "indptr" and not len(array)):
            raise ValueError(
                f"{name} is an array of shape {array.shape} of {array.dtype}, not a one-dimensional array of integers"
            )


def _refuse_size(rows: int, columns: int, count: int) -> None:
    """Of a matrix of which little is there: arrays of the length of its sides would be made."""
    if max(rows, columns) > max(FEWEST_ROWS, ROWS_PER_ENTRY * count):
        raise ValueError(f"it is {rows} by {columns}, with {count} entries")


def _refuse_outside(index: Any, size: int, what: str) -> None:
    if len(index) and (index.min() < 0 or index.max() >= size):
        worst = int(index.min() if index.min() < 0 else index.max())
        raise ValueError(f"an entry is in {what} {worst}; there are {what}s 0 to {size - 1}")
