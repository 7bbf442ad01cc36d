"""Sparse polynomials with exact coefficients: a dictionary from monomials to numbers.

A monomial is one integer, with sixteen bits for the exponent of each variable: the product of two monomials is the sum
of two integers, and comparing integers is a lexicographic order (Kronecker's packing; Monagan and Pearce, Sparse
polynomial division using a heap, J. Symb. Comp. 46, 2011).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Final, TypeAlias

EXPONENT_BITS: Final = 16  # number of bits of one exponent in a monomial
EXPONENT_MASK: Final = (1 << EXPONENT_BITS) - 1  # bit mask of the first exponent
MAX_DENOMINATOR: Final = 10**6  # largest denominator of a number that is written as a fraction
Coefficient: TypeAlias = int | Fraction
Polynomial: TypeAlias = dict[int, Coefficient]


class TooLargeError(Exception):
    """A polynomial has more terms than its budget."""


def variable(i: int, exponent: int = 1) -> int:
    """The monomial xᵢⁿ."""
    return exponent << EXPONENT_BITS * i


def exponent(monomial: int, i: int) -> int:
    return monomial >> EXPONENT_BITS * i & EXPONENT_MASK


@lru_cache(maxsize=1 << 14)
def exponents(monomial: int) -> tuple[tuple[int, int], ...]:
    """Variables of a monomial and their exponents."""
    out = []
    at = 0
    while monomial:
        skipped = ((monomial & -monomial).bit_length() - 1) // EXPONENT_BITS
        at, monomial = at + skipped, monomial >> EXPONENT_BITS * skipped
        out.append((at, monomial & EXPONENT_MASK))
        at, monomial = at + 1, monomial >> EXPONENT_BITS
    return tuple(out)


def polynomial_sum(a: Polynomial, b: Mapping[int, Coefficient], times: Coefficient = 1) -> Polynomial:
    """a + times b."""
    out = dict(a)
    for m, c in b.items():
        total = out.get(m, 0) + times * c
        if total:
            out[m] = total
        else:
            out.pop(m, None)
    return out


def polynomial_product(a: Polynomial, b: Polynomial, most: int) -> Polynomial:
    """The product a b; raises `TooLargeError` if it takes more than `most` products of terms."""
    if len(a) * len(b) > most:
        raise TooLargeError
    out: Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            out[m + n] = out.get(m + n, 0) + c * d
    return {m: c for m, c in out.items() if c}


def divides(a: int, b: int) -> bool:
    """Whether monomial a divides monomial b."""
    while a:
        if a & EXPONENT_MASK > b & EXPONENT_MASK:
            return False
        a >>= EXPONENT_BITS
        b >>= EXPONENT_BITS
    return True


def common_monomial(p: Polynomial) -> int:
    """The largest monomial that divides all terms."""
    monomials = iter(p)
    out = next(monomials)
    for m in monomials:
        out = sum(variable(i, min(n, exponent(m, i))) for i, n in exponents(out))
        if not out:
            break
    return out


def content(p: Polynomial) -> Coefficient:
    """The greatest rational number of which all coefficients are integer multiples; 1 if one of them is a float:
    0.2 and 2 have 2⁻⁵⁴ in common, which is of no use to a reader."""
    if _are_integers(p):
        return gcd(*p.values())  # type: ignore[arg-type]
    if any(is_float(c) for c in p.values()):
        return 1
    top, bottom = 0, 1
    for c in p.values():
        f = Fraction(c)
        top, bottom = gcd(top, f.numerator), lcm(bottom, f.denominator)
    return exact(Fraction(top, bottom))


def is_float(c: Coefficient) -> bool:
    """Whether a coefficient comes from a number with rounding errors, which no fraction that people write has as its
    denominator."""
    return type(c) is not int and Fraction(c).denominator > MAX_DENOMINATOR


def _are_integers(p: Polynomial) -> bool:
    return all(type(c) is int for c in p.values())


def exact(c: Coefficient) -> Coefficient:
    """Integers as integers."""
    return c.numerator if isinstance(c, Fraction) and c.denominator == 1 else c


def scaled_polynomial(p: Polynomial, number: Coefficient, monomial: int = 0) -> Polynomial:
    """p times a number, over a monomial that divides it."""
    if number == 1:
        return {m - monomial: c for m, c in p.items()} if monomial else dict(p)
    if number == -1:
        return {m - monomial: -c for m, c in p.items()}
    return {m - monomial: exact(Fraction(c) * number) for m, c in p.items()}


def over(p: Polynomial, number: Coefficient, monomial: int) -> Polynomial:
    """p over a number, and over a monomial that divides it."""
    if type(number) is int and all(type(c) is int and not c % number for c in p.values()):
        return {m - monomial: c // number for m, c in p.items()}
    return scaled_polynomial(p, 1 / Fraction(number), monomial)


def quotient(a: Polynomial, b: Polynomial, most: int) -> Polynomial | None:
    """a / b where b divides a."""
    lead = max(b)
    out: Polynomial = {}
    rest = dict(a)
    while rest:
        m = max(rest)
        if not divides(lead, m):
            return None
        c = exact(Fraction(rest[m]) / Fraction(b[lead]))
        out[m - lead] = c
        rest = polynomial_sum(rest, {n + m - lead: d for n, d in b.items()}, -c)
        if len(out) * len(b) > most:
            raise TooLargeError
    return out
