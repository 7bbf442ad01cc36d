"""Small dense matrices of expressions. A 3-vector is a 3 by 1 matrix. Nothing is ever expanded."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from ...argument_kinds import answered
from ...errors import ExpressionError, shown
from .graph import ONE, PRINTERS, ZERO, Expr, addition, as_expr, difference, make2, product
from .numpy_calls import array_ufunc
from .portable import Portable

Scalar: TypeAlias = Any  # whatever as_expr takes


class Matrix(Portable):
    """An immutable matrix: `matrix([[a, b], [c, d]])`, `vector(x, y, z)`. Operators + - * / @, `.T`, `m[i, j]`,
    `v[i]`.

    >>> a, b = sb.symbols("a b")
    >>> A = sb.matrix([[a, 1], [0, b]])
    >>> A.T @ A
    matrix([[a**2, a], [a, b**2 + 1]])
    >>> A[0, 1], A.shape, (2 * A - A) == A
    (1, (2, 2), True)

    See also: `matrix`, `vector`, `solve`, `jacobian`.
    """

    __slots__ = ("cols", "entries", "rows")
    __array_ufunc__ = array_ufunc
    __sympy__ = False
    acts_on_scalars = True
    has_products = False  # of its own: dot(a, b) and cross(a, b) of columns are functions

    def __init__(self, rows: int, cols: int, entries: tuple[Expr, ...]) -> None:
        self.rows, self.cols, self.entries = rows, cols, entries

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.rows, self.cols

    @property
    def T(self) -> Matrix:  # noqa: N802  (the usual name)
        """The transpose."""
        return Matrix(
            self.cols,
            self.rows,
            tuple(self.entries[i * self.cols + j] for j in range(self.cols) for i in range(self.rows)),
        )

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[Any]:
        """Entries of a vector, rows of a matrix."""
        if self.cols == 1:
            return iter(self.entries)
        return (self.row(i) for i in range(self.rows))

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, tuple):
            i, j = at
            if isinstance(i, slice) or isinstance(j, slice):
                return self._block(_span(i, self.rows), _span(j, self.cols))
            if not (0 <= i < self.rows and 0 <= j < self.cols):
                i, j = _index(i, self.rows), _index(j, self.cols)
            return self.entries[i * self.cols + j]
        if self.cols != 1:
            raise ExpressionError(f"a matrix of shape {self.shape} needs two indices: m[i, j]")
        return self.entries[at]

    def _block(self, rows: range, cols: range) -> Matrix:
        return Matrix(len(rows), len(cols), tuple(self.entries[i * self.cols + j] for i in rows for j in cols))

    def row(self, i: int) -> tuple[Expr, ...]:
        """Entries of a row; `column` those of a column.

        >>> a, b = sb.symbols("a b")
        >>> A = sb.matrix([[a, 1], [0, b]])
        >>> A.row(0), A.column(1), A.map(lambda e: 2 * e)
        ((a, 1), (1, b), matrix([[2*a, 2], [0, 2*b]]))

        See also: `matrix`, `stack`.
        """
        return self.entries[i * self.cols : (i + 1) * self.cols]

    def column(self, j: int) -> tuple[Expr, ...]:
        """Entries of a column."""
        return self.entries[j :: self.cols]

    def map(self, f: Callable[[Expr], Expr]) -> Matrix:
        """The matrix with a function applied to each entry."""
        return Matrix(self.rows, self.cols, tuple(map(f, self.entries)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self.shape == other.shape and self.entries == other.entries

    def __hash__(self) -> int:
        return hash((self.rows, self.cols, self.entries))

    def __neg__(self) -> Matrix:
        return self.map(operator.neg)

    def _pairs_with(self, other: Any, op: str) -> Iterator[tuple[Expr, Expr]]:
        """Entries beside those of a matrix of the same shape."""
        b = as_matrix(other)
        if b.rows != self.rows or b.cols != self.cols:
            raise ExpressionError(f"{op}: matrices of shapes {self.shape} and {b.shape} do not fit")
        return zip(self.entries, b.entries, strict=True)

    def __add__(self, other: Any) -> Matrix:
        pairs = self._pairs_with(other, "add")
        sums = [x if y is ZERO else y if x is ZERO else addition(x, y) for x, y in pairs]
        return Matrix(self.rows, self.cols, tuple(sums))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Matrix:
        differences = [x if y is ZERO else difference(x, y) for x, y in self._pairs_with(other, "sub")]
        return Matrix(self.rows, self.cols, tuple(differences))

    def __rsub__(self, other: Any) -> Matrix:
        return as_matrix(other) - self

    def __mul__(self, scalar: Scalar) -> Matrix:
        if isinstance(scalar, Matrix):
            raise ExpressionError("* is for scalars; use @ for the product of matrices, dot() or cross() for vectors")
        s = as_expr(scalar)
        return Matrix(self.rows, self.cols, tuple([ZERO if e is ZERO else product(s, e) for e in self.entries]))

    __rmul__ = __mul__

    def __truediv__(self, scalar: Scalar) -> Matrix:
        s = as_expr(scalar)
        return Matrix(self.rows, self.cols, tuple(make2("div", e, s) for e in self.entries))

    def __matmul__(self, other: Any) -> Matrix:
        b = as_matrix(other)
        if self.cols != b.rows:
            raise ExpressionError(f"product: matrices of shapes {self.shape} and {b.shape} do not fit")
        if b.cols == 1:
            return self._times_column(b.entries)
        rows = [[(j, e) for j, e in enumerate(b.row(k)) if e is not ZERO] for k in range(b.rows)]
        out = [ZERO] * (self.rows * b.cols)
        for i in range(self.rows):
            factors: dict[int, tuple[list[Expr], list[Expr]]] = {}  # of large systems a few in each row
            for k, e in enumerate(self.row(i)):
                if e is not ZERO:
                    for j, other_e in rows[k]:
                        left, right = factors.setdefault(j, ([], []))
                        left.append(e)
                        right.append(other_e)
            for j in sorted(factors):
                out[i * b.cols + j] = sum_of_products(*factors[j])
        return Matrix(self.rows, b.cols, tuple(out))

    def _times_column(self, x: tuple[Expr, ...]) -> Matrix:
        n, filled = self.cols, [(k, e) for k, e in enumerate(x) if e is not ZERO]
        out = [ZERO] * self.rows
        for i in range(self.rows if filled else 0):
            total, first = ZERO, i * n
            for k, e in filled:
                a = self.entries[first + k]
                if a is not ZERO:
                    total = product(a, e) if total is ZERO else addition(total, product(a, e))
            out[i] = total
        return Matrix(self.rows, 1, tuple(out))

    def __rmatmul__(self, other: Any) -> Matrix:
        return as_matrix(other) @ self

    def dot(self, other: Any) -> Expr:
        """a · b of two columns, or of a column and numbers.

        >>> a, b = sb.vector(1, 2, 3), sb.vector(4, 5, 6)
        >>> a.dot(b), a.cross(b)
        (32, vector(-3, 6, -3))

        See also: `dot`, `cross`.
        """
        return dot(self, other)

    def cross(self, other: Any) -> Matrix:
        """a × b of two columns of three."""
        return cross(self, other)

    def __str__(self) -> str:
        return PRINTERS[0](self)

    def __repr__(self) -> str:
        return PRINTERS[2](self)

    def _repr_latex_(self) -> str:
        return f"${PRINTERS[1](self)}$"

    def _repr_html_(self) -> str:
        return PRINTERS[3](self)


def _index(i: int, n: int) -> int:
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of range: the matrix has {n} of them there, counted from 0")
    return i % n


def _span(at: Any, n: int) -> range:
    return range(n)[at] if isinstance(at, slice) else range(_index(at, n), _index(at, n) + 1)


def sum_of_products(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    """Σ aᵢ bᵢ without the terms that are zero."""
    total = ZERO
    for x, y in zip(a, b, strict=True):
        if x is not ZERO and y is not ZERO:
            term = product(x, y)
            total = term if total is ZERO else addition(total, term)
    return total


def sum_of_two(a: Expr, b: Expr, c: Expr, d: Expr) -> Expr:
    """a b + c d without the products that are zero."""
    if a is ZERO or b is ZERO:
        return ZERO if c is ZERO or d is ZERO else product(c, d)
    return product(a, b) if c is ZERO or d is ZERO else addition(product(a, b), product(c, d))


def difference_of_two(a: Expr, b: Expr, c: Expr, d: Expr) -> Expr:
    """a b - c d without the products that are zero."""
    if a is ZERO or b is ZERO:
        return ZERO if c is ZERO or d is ZERO else -product(c, d)
    return product(a, b) if c is ZERO or d is ZERO else difference(product(a, b), product(c, d))


_SCALARS: Final = (Expr, int, float, str)  # entries, not rows


def as_matrix(value: Any) -> Matrix:
    """A matrix from nested sequences, arrays of one or two dimensions, or SymPy matrices.

    >>> a = sb.symbol("a")
    >>> sb.matrix([[1, a], [a, 2]]) @ sb.vector(1, 1)
    vector(a + 1, a + 2)

    See also: `vector`, `diagonal`, `stack`, `Matrix`.
    """
    if isinstance(value, Matrix):
        return value
    if hasattr(value, "tolist"):  # NumPy and SymPy
        value = value.tolist()
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ExpressionError(f"{shown(value)} cannot stand for a matrix")
    rows = [[r] if isinstance(r, _SCALARS) or not isinstance(r, (Sequence, Matrix)) else list(r) for r in value]
    if len({len(r) for r in rows}) > 1:
        raise ExpressionError(f"the rows of a matrix differ in length: {[len(r) for r in rows]}")
    return Matrix(len(rows), len(rows[0]) if rows else 0, tuple(as_expr(e) for r in rows for e in r))


matrix = as_matrix


def vector(*entries: Scalar) -> Matrix:
    """A column: `vector(x, y, z)`.

    >>> x, y = sb.symbols("x y")
    >>> v = sb.vector(x, y, 0)
    >>> sb.dot(v, v), v[1]
    (x**2 + y**2, y)

    See also: `matrix`, `dot`, `cross`, `Vector`.
    """
    return Matrix(len(entries), 1, tuple(as_expr(e) for e in entries))


@answered
def zeros(rows: int, cols: int = 1) -> Matrix:
    """A matrix of zeros; a column by default.

    >>> sb.zeros(2, 3).shape, sb.zeros(3)
    ((2, 3), vector(0, 0, 0))

    See also: `identity`, `matrix`.
    """
    return Matrix(rows, cols, (ZERO,) * (rows * cols))


def identity(n: int) -> Matrix:
    """The identity matrix.

    >>> sb.identity(2)
    matrix([[1, 0], [0, 1]])

    See also: `diagonal`, `zeros`.
    """
    return diagonal(*(ONE for _ in range(n)))


def diagonal(*entries: Scalar) -> Matrix:
    """A diagonal matrix.

    >>> a, b = sb.symbols("a b")
    >>> sb.diagonal(a, b)
    matrix([[a, 0], [0, b]])

    See also: `identity`, `matrix`.
    """
    n = len(entries)
    return Matrix(n, n, tuple(as_expr(entries[i]) if i == j else ZERO for i in range(n) for j in range(n)))


def dot(a: Any, b: Any) -> Any:
    """Scalar product of two columns; of vectors and dyads in frames `a.dot(b)`.

    >>> x, y = sb.symbols("x y")
    >>> sb.dot(sb.vector(x, y), sb.vector(1, 2))
    x + 2*y

    See also: `cross`, `outer`, `Vector`.
    """
    if getattr(a, "has_products", False):
        return a.dot(b)
    a, b = as_matrix(a), as_matrix(b)
    if a.cols != 1 or b.cols != 1 or a.rows != b.rows:
        raise ExpressionError(f"dot needs two vectors of one length, got shapes {a.shape} and {b.shape}")
    return sum_of_products(a.entries, b.entries)


def cross(a: Any, b: Any) -> Any:
    """Cross product of two columns of three; of vectors and dyads in frames `a.cross(b)`.

    >>> sb.cross(sb.vector(1, 0, 0), sb.vector(0, 1, 0))
    vector(0, 0, 1)

    See also: `dot`, `skew`, `Vector`.
    """
    if getattr(a, "has_products", False):
        return a.cross(b)
    a, b = as_matrix(a), as_matrix(b)
    if a.cols != 1 or b.cols != 1 or a.rows != 3 or b.rows != 3:
        raise ExpressionError(f"cross needs two 3-vectors, got shapes {a.shape} and {b.shape}")
    (a1, a2, a3), (b1, b2, b3) = a.entries, b.entries
    minor = difference_of_two
    return Matrix(3, 1, (minor(a2, b3, a3, b2), minor(a3, b1, a1, b3), minor(a1, b2, a2, b1)))


def outer(a: Any, b: Any) -> Any:
    """The matrix a bᵀ of two columns; of vectors in frames the dyad `a.outer(b)`.

    >>> x, y = sb.symbols("x y")
    >>> sb.outer(sb.vector(x, y), sb.vector(1, 2))
    matrix([[x, 2*x], [y, 2*y]])

    See also: `dot`, `skew`, `bodies.Dyad`.
    """
    if getattr(a, "has_products", False):
        return a.outer(b)
    a, b = as_matrix(a), as_matrix(b)
    if a.cols != 1 or b.cols != 1:
        raise ExpressionError(f"outer needs two vectors, got shapes {a.shape} and {b.shape}")
    return a @ b.T


def skew(a: Any) -> Any:
    """The matrix ã with ã b = a × b of a column; of a vector in frames the dyad `a.skew()`.

    >>> x, y, z = sb.symbols("x y z")
    >>> sb.skew(sb.vector(x, y, z))
    matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])

    See also: `cross`, `bodies.axial`.
    """
    if getattr(a, "has_products", False):
        return a.skew()
    a = as_matrix(a)
    if a.shape != (3, 1):
        raise ExpressionError(f"skew needs a 3-vector, got shape {a.shape}")
    x, y, z = a.entries
    return Matrix(3, 3, (ZERO, -z, y, z, ZERO, -x, -y, x, ZERO))


def stack(*parts: Any) -> Matrix:
    """Matrices of equal width under each other.

    >>> sb.stack(sb.identity(2), sb.matrix([[3, 4]]))
    matrix([[1, 0], [0, 1], [3, 4]])

    See also: `matrix`, `vector`.
    """
    matrices = [as_matrix(p) for p in parts]
    if len({m.cols for m in matrices}) != 1:
        raise ExpressionError(f"stack needs matrices of one width, got shapes {[m.shape for m in matrices]}")
    return Matrix(sum(m.rows for m in matrices), matrices[0].cols, tuple(e for m in matrices for e in m.entries))
