"""Exact polynomials on the pieces of a line: shape functions of beams, with rational coefficients.

The line is divided into equal pieces; on each of them a function is a polynomial in ξ from 0 to 1, given by its
coefficients, lowest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import comb

from ...algebra.graph.graph import ZERO, Expr, as_expr
from .line_functions import Component, LineFunction

Polynomial = tuple[Fraction, ...]
NOUGHT: Polynomial = ()


def trimmed_polynomial(p: Sequence[Fraction]) -> Polynomial:
    n = len(p)
    while n and p[n - 1] == 0:
        n -= 1
    return tuple(p[:n])


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    if not p or not q:
        return NOUGHT
    out = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        if a:
            for j, b in enumerate(q):
                out[i + j] += a * b
    return trimmed_polynomial(out)


def plus(p: Polynomial, q: Polynomial, factor: Fraction = Fraction(1)) -> Polynomial:
    """p + factor q."""
    n = max(len(p), len(q))
    pad = (Fraction(0),)
    return trimmed_polynomial(
        [a + factor * b for a, b in zip(p + pad * (n - len(p)), q + pad * (n - len(q)), strict=True)]
    )


def slope(p: Polynomial) -> Polynomial:
    return trimmed_polynomial([k * c for k, c in enumerate(p)][1:])


def primitive(p: Polynomial) -> Polynomial:
    """∫ from 0 to ξ."""
    return trimmed_polynomial([Fraction(0), *(c / (k + 1) for k, c in enumerate(p))])


def value(p: Polynomial, xi: Fraction) -> Fraction:
    total = Fraction(0)
    for c in reversed(p):
        total = total * xi + c
    return total


def integral(p: Polynomial) -> Fraction:
    """∫ from 0 to 1."""
    return sum((c / (k + 1) for k, c in enumerate(p)), Fraction(0))


def in_legendre(p: Polynomial) -> list[Fraction]:
    """Coefficients c of p = Σ c_m P_m(2 ξ - 1): (2 m + 1) ∫ p P_m."""
    return [(2 * m + 1) * integral(times(p, legendre(m))) for m in range(len(p))]


@lru_cache(maxsize=64)
def legendre(m: int) -> Polynomial:
    """P_m(2 ξ - 1): orthogonal on 0 to 1, ∫ P_m² = 1 / (2 m + 1)."""
    return trimmed_polynomial([Fraction((-1) ** (m + k) * comb(m, k) * comb(m + k, k)) for k in range(m + 1)])


# ------------------------------------------------------------------------------------------------ functions on the line


@dataclass(frozen=True)
class LinePolynomial(LineFunction):
    """A function on a line of equal pieces: one polynomial for each."""

    pieces: tuple[Polynomial, ...]

    @staticmethod
    def of(p: Polynomial) -> LinePolynomial:
        return LinePolynomial((p,))

    @property
    def n(self) -> int:
        return len(self.pieces)

    @property
    def one(self) -> LinePolynomial:
        return one(self.n)

    @property
    def position(self) -> LinePolynomial:
        return position(self.n)

    @property
    def slope(self) -> LinePolynomial:
        """By the whole line's coordinate X from 0 to 1."""
        return LinePolynomial(tuple(tuple(self.n * c for c in slope(p)) for p in self.pieces))

    def primitive(self, origin: int | None) -> LinePolynomial:
        """∫ dX from the beginning (0), from the end (1), or with mean zero (None)."""
        out, start = [], Fraction(0)
        for p in self.pieces:
            whole = tuple(c / self.n for c in primitive(p))
            out.append(plus(whole, (start,)))
            start += value(whole, Fraction(1))
        less = Fraction(0) if origin == 0 else start if origin == 1 else sum(map(integral, out), Fraction(0)) / self.n
        return LinePolynomial(tuple(plus(p, (-less,)) for p in out))

    def __mul__(self, other: LinePolynomial) -> LinePolynomial:
        return LinePolynomial(tuple(times(p, q) for p, q in zip(self.pieces, other.pieces, strict=True)))

    def plus(self, other: LinePolynomial, factor: Fraction) -> LinePolynomial:
        return LinePolynomial(tuple(plus(p, q, factor) for p, q in zip(self.pieces, other.pieces, strict=True)))

    def with_shapes_between(self, count: int) -> LinePolynomial:
        first, last = value(self.pieces[0], Fraction(0)), value(self.pieces[-1], Fraction(1))
        line = self.one.scaled(first).plus(self.position, last - first)
        rest, out = self.plus(line, Fraction(-1)), line
        for b in orthogonal(count, 1, 1):
            out = out.plus(b, rest.product_integral(b) / b.product_integral(b))
        return out

    def scaled(self, factor: Fraction) -> LinePolynomial:
        return LinePolynomial(tuple(tuple(factor * c for c in p) for p in self.pieces))

    def at(self, X: Expr) -> Expr:
        if X.value is None:
            total = ZERO
            for c in reversed(self.pieces[0]):
                total = total * X + as_expr(c)
            return total
        along = Fraction(X.value) * self.n
        e = min(int(along), self.n - 1)
        return as_expr(value(self.pieces[e], along - e))

    @property
    def integral(self) -> Fraction:
        """∫ dX."""
        return sum(map(integral, self.pieces), Fraction(0)) / self.n

    @cached_property
    def in_legendre(self) -> tuple[list[Fraction], ...]:
        """Coefficients of each piece in Legendre's polynomials."""
        return tuple(map(in_legendre, self.pieces))

    def product_integral(self, other: LinePolynomial) -> Fraction:
        """∫ f g dX, by the coefficients in Legendre's polynomials."""
        total = Fraction(0)
        for p, q in zip(self.in_legendre, other.in_legendre, strict=True):
            for m, (a, b) in enumerate(zip(p, q, strict=False)):
                if a and b:
                    total += a * b / (2 * m + 1)
        return total / self.n

    def piece_integral(self, other: LinePolynomial, piece: int, k: int) -> Fraction:
        return integral((Fraction(0),) * k + times(self.pieces[piece], other.pieces[piece])) / self.n

    def components(self) -> Iterator[tuple[Component, Fraction]]:
        """Legendre's polynomials: (piece, degree)."""
        for piece, coefficients in enumerate(self.in_legendre):
            for m, c in enumerate(coefficients):
                if c:
                    yield (piece, m), c

    def component(self, key: Component) -> LinePolynomial:
        piece, m = key
        return one_piece(self.n, piece, legendre(m))

    def mean_square(self, key: Component) -> LinePolynomial:
        piece, m = key
        return one_piece(self.n, piece, (Fraction(1, 2 * m + 1),))

    @property
    def is_zero(self) -> bool:
        return not any(self.pieces)


def position(n: int) -> LinePolynomial:
    """X itself."""
    return LinePolynomial(tuple((Fraction(e, n), Fraction(1, n)) for e in range(n)))


def one(n: int) -> LinePolynomial:
    return LinePolynomial(((Fraction(1),),) * n)


def one_piece(n: int, piece: int, p: Polynomial) -> LinePolynomial:
    """A polynomial on one piece, zero elsewhere."""
    return LinePolynomial(tuple(p if e == piece else NOUGHT for e in range(n)))


# ---------------------------------------------------------------------------------------------------------- shapes


@lru_cache(maxsize=256)
def orthogonal(count: int, left: int, right: int, skip: int = 0) -> tuple[LinePolynomial, ...]:
    """Polynomials ξ^left (1 - ξ)^right J_k(ξ) that are orthogonal on 0 to 1 (J_k: Jacobi's), without the first `skip`
    of them; each is one at the right end, or has J_k = 1 there."""
    edge = times(
        (Fraction(0),) * left + (Fraction(1),), tuple(Fraction((-1) ** k * comb(right, k)) for k in range(right + 1))
    )
    made: list[Polynomial] = []
    for k in range(count + skip):
        p = times(edge, (Fraction(0),) * k + (Fraction(1),))
        for q in made:
            p = plus(p, q, -integral(times(p, q)) / integral(times(q, q)))
        made.append(p)
    return tuple(LinePolynomial.of(_normal(p, right)) for p in made[skip:])


def _normal(p: Polynomial, right: int) -> Polynomial:
    """With the factor beside (1 - ξ)^right equal to one (times 4 for each, so that the middle is about one) at ξ =
    1."""
    rest = p
    for _ in range(right):  # divide by (1 - ξ): coefficients of the quotient are partial sums
        sums, total = [], Fraction(0)
        for c in rest:
            total += c
            sums.append(total)
        rest = trimmed_polynomial(sums[:-1])
    end = value(rest, Fraction(1))
    return tuple(c * 4**right / end for c in p)


def hermite(n: int) -> tuple[list[LinePolynomial], list[LinePolynomial]]:
    """Cubic functions of n elements: for each of n + 1 nodes one with deflection one there, and one with slope one by X
    there."""
    F = Fraction
    left, right = (F(1), F(0), F(-3), F(2)), (F(0), F(0), F(3), F(-2))
    left_slope, right_slope = (F(0), F(1, n), F(-2, n), F(1, n)), (F(0), F(0), F(-1, n), F(1, n))
    return _nodal(n, left, right), _nodal(n, left_slope, right_slope)


def linear(n: int) -> list[LinePolynomial]:
    """Hat functions of n elements, one for each node."""
    return _nodal(n, (Fraction(1), Fraction(-1)), (Fraction(0), Fraction(1)))


def quadratic(n: int) -> list[LinePolynomial]:
    """Functions of n elements that are one at a node or in the middle of an element, along the beam."""
    F = Fraction
    ends = _nodal(n, (F(1), F(-3), F(2)), (F(0), F(-1), F(2)))
    middles = [one_piece(n, e, (F(0), F(4), F(-4))) for e in range(n)]
    return [ends[0], *(f for e in range(n) for f in (middles[e], ends[e + 1]))]


def _nodal(n: int, left: Polynomial, right: Polynomial) -> list[LinePolynomial]:
    return [
        LinePolynomial(tuple(right if e == k - 1 else left if e == k else NOUGHT for e in range(n)))
        for k in range(n + 1)
    ]


def without_mean(functions: Sequence[LinePolynomial], rigid: Sequence[LinePolynomial]) -> list[LinePolynomial]:
    """Functions less their projections on some others."""
    basis: list[LinePolynomial] = []
    for r in rigid:
        for b in basis:
            r = r.plus(b, -(r * b).integral / (b * b).integral)
        basis.append(r)
    out = []
    for f in functions:
        for b in basis:
            f = f.plus(b, -(f * b).integral / (b * b).integral)
        out.append(f)
    return out


def is_continuous(f: LinePolynomial) -> bool:
    return all(value(p, Fraction(1)) == value(q, Fraction(0)) for p, q in pairwise(f.pieces))
