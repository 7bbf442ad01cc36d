"""Square roots with squares taken out: 2 k sqrt(2) for sqrt(8 k²)."""

from __future__ import annotations

from fractions import Fraction

from ..graph.functions import sqrt
from ..graph.graph import Expr, constant
from .normal_form import Atoms, polynomials
from .polynomials import common_monomial, content, exact, exponents, is_float, over, variable
from .tidy import tidy


def square_root(e: Expr) -> Expr:
    """An expression whose square is e, of either sign: numbers and factors of all terms that are squares stand before
    the root."""
    atoms = Atoms()
    p = polynomials([e], atoms).get(e)
    if not p or any(map(is_float, p.values())):
        return sqrt(tidy(e))
    number, monomial = Fraction(content(p)), common_monomial(p)
    half = sum(variable(i, k // 2) for i, k in exponents(monomial))
    outside, inside = _square_part(number.numerator * number.denominator)
    left = over(p, exact(number), 2 * half)
    root = sqrt(tidy(constant(inside) * atoms.plain(left)))
    return tidy(constant(exact(Fraction(outside, number.denominator))) * atoms.monomial(half)) * root


def _square_part(n: int) -> tuple[int, int]:
    """a and b of n = a² b, for small factors of a."""
    outside, k = 1, 2
    while k * k <= n and k < 1000:
        while n % (k * k) == 0:
            n //= k * k
            outside *= k
        k += 1
    return outside, n
