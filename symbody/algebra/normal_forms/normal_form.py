"""Expressions as polynomials in atoms, in one normal form: equal expressions have equal polynomials.

Atoms are symbols, sines and cosines of angles, reciprocals of denominators, and other functions as opaque symbols.
Sums of angles are expanded, sin(a + b) = sin a cos b + cos a sin b, and sin² = 1 - cos², so that a polynomial in sines
and cosines has exactly one form.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from ..graph.functions import cos, sin, sqrt
from ..graph.graph import ONE, ZERO, Expr, Node, Symbol, constant, make
from ..graph.node_keys import key_class
from ..graph.reading_order import factor_order
from ..graph.walk import evaluation_order, with_arguments
from .polynomials import (
    EXPONENT_BITS,
    EXPONENT_MASK,
    Coefficient,
    Polynomial,
    TooLargeError,
    common_monomial,
    content,
    exact,
    exponent,
    exponents,
    is_float,
    polynomial_product,
    polynomial_sum,
    quotient,
    scaled_polynomial,
    variable,
)

MAX_PRODUCTS: Final = 40_000  # largest number of term products in one multiplication
MAX_TERMS: Final = 3000  # largest number of terms of a polynomial
MAX_MULTIPLE: Final = 6  # largest multiple of angles that is expanded
MAX_POWER: Final = 12  # largest exponent that is expanded
MAX_UNKNOWNS: Final = 4  # largest number of unknowns of a linear system solved by determinants


@dataclass(frozen=True)
class Angle:
    """An angle as integer multiples of base angles: {0: 1, 2: -1} is the first less the third; the first multiple is
    positive."""

    multiples: tuple[tuple[int, int], ...]


@dataclass
class Atoms:
    """The variables of polynomials. A sine stands at an even place, its cosine after it."""

    nodes: list[Expr] = field(default_factory=list)
    place: dict[Expr, int] = field(default_factory=dict)
    sines: dict[Angle, int] = field(default_factory=dict)
    angles: dict[int, Angle] = field(default_factory=dict)  # by the place of the sine
    bases: list[Expr] = field(default_factory=list)
    base_place: dict[Expr, int] = field(default_factory=dict)
    denominators: dict[int, Polynomial] = field(default_factory=dict)  # by the place of their reciprocal
    written: dict[int, Expr] = field(default_factory=dict)  # denominators as expressions, by the same place
    inverses: list[tuple[int, int]] = field(default_factory=list)  # places of an atom and of its reciprocal
    moduli: dict[int, int] = field(default_factory=dict)  # places of |x| and of x
    squares: int = 0  # bits of exponents of sines above one
    orders: list[Any] = field(default_factory=list)  # of atoms in the order of reading, as far as they were requested
    base_orders: list[Any] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    known_ranks: list[int] = field(default_factory=list)
    products: dict[tuple[int, Coefficient], Expr] = field(default_factory=dict)  # terms as expressions
    is_rounded: bool = False  # some number was a float

    def of(self, node: Expr) -> int:
        if node not in self.place:
            self.place[node] = len(self.nodes)
            self.nodes.append(node)
        return self.place[node]

    def base(self, node: Expr) -> int:
        if node not in self.base_place:
            self.base_place[node] = len(self.bases)
            self.bases.append(node)
        return self.base_place[node]

    def sine(self, angle: Angle) -> int:
        """The place of the sine of an angle; that of the cosine is one more."""
        if angle not in self.sines:
            x = self.angle_node(angle)
            at = self.of(sin(x))
            if self.of(cos(x)) != at + 1:
                raise TooLargeError
            self.sines[angle], self.angles[at] = at, angle
            self.squares |= (EXPONENT_MASK & ~1) << EXPONENT_BITS * at
        return self.sines[angle]

    def angle_node(self, angle: Angle) -> Expr:
        return sum((constant(k) * self.bases[b] for b, k in angle.multiples), constant(0))

    def base_order(self, base: int) -> Any:
        while len(self.base_orders) <= base:
            self.base_orders.append(_reading_order(self.bases[len(self.base_orders)]))
        return self.base_orders[base]

    def inverse(self, at: int) -> int:
        """The place of the reciprocal of an atom."""
        node = ONE / self.nodes[at]
        if node not in self.place:
            self.inverses.append((at, self.of(node)))
        return self.place[node]

    def modulus(self, at: int) -> int:
        """The place of the absolute value of an atom."""
        place = self.of(abs(self.nodes[at]))
        if place != at:
            self.moduli[place] = at
            self.inverse(place)
        return place

    def reciprocal(self, p: Polynomial) -> int:
        """The place of the reciprocal of a polynomial that is not a monomial."""
        for at, known in self.denominators.items():
            if known == p:
                return at
        node = make("div", (ONE, self.plain(p)))
        at = self.of(node)
        self.denominators[at] = p
        return at

    # ------------------------------------------------------------------------------------------------ reduction

    def reduced(self, p: Polynomial) -> Polynomial:
        """By sin² = 1 - cos², x (1/x) = 1 and |x|² = x²."""
        if self.moduli:
            p = self._without_squares_of_moduli(p)
        if self.inverses:
            p = self._without_cancelling_factors(p)
        while any(m & self.squares for m in p):
            p = self._without_squares(p)
        if len(p) > MAX_TERMS:
            raise TooLargeError
        return p

    def _without_squares(self, p: Polynomial) -> Polynomial:
        out: Polynomial = {}
        for m, c in p.items():
            terms = {m: c}
            if m & self.squares:
                s = next(s for s in self.angles if exponent(m, s) > 1)
                rest = m - variable(s, 2)
                terms = {rest: c, rest + variable(s + 1, 2): -c}
            out = _accumulate_terms(out, terms)
        return {m: c for m, c in out.items() if c}

    def _without_squares_of_moduli(self, p: Polynomial) -> Polynomial:
        """|x|² = x², 1/|x|² = 1/x², x²/|x| = |x|."""
        out: Polynomial = {}
        for m, c in p.items():
            n = m
            for place, at in self.moduli.items():
                below = self.inverse(place)
                if k := exponent(n, place) // 2:
                    n += variable(at, 2 * k) - variable(place, 2 * k)
                if k := exponent(n, below) // 2:
                    n += variable(self.inverse(at), 2 * k) - variable(below, 2 * k)
                if exponent(n, below) and exponent(n, at) > 1:
                    n += variable(place) - variable(below) - variable(at, 2)
            out = _accumulate_terms(out, {n: c})
        return {m: c for m, c in out.items() if c}

    def _without_cancelling_factors(self, p: Polynomial) -> Polynomial:
        out: Polynomial = {}
        for m, c in p.items():
            n = m
            for at, inverse in self.inverses:
                if k := min(exponent(n, at), exponent(n, inverse)):
                    n -= variable(at, k) + variable(inverse, k)
            out = _accumulate_terms(out, {n: c})
        return {m: c for m, c in out.items() if c}

    def times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        return self.reduced(polynomial_product(a, b, MAX_PRODUCTS))

    # ------------------------------------------------------------------------------------------------ order

    def bits_of(self, classes: frozenset[int]) -> int:
        """The bits of monomials that are exponents of atoms of these classes."""
        self.ranks()
        return sum(EXPONENT_MASK << EXPONENT_BITS * i for i, c in enumerate(self.classes) if c in classes)

    def ranks(self) -> list[int]:
        """The place of each atom in the order of reading, which does not depend on the order in which they were met."""
        if len(self.known_ranks) != len(self.nodes):
            new = self.nodes[len(self.orders) :]
            self.orders += map(_reading_order, new)
            self.classes += map(key_class, new)
            by_reading = sorted(range(len(self.nodes)), key=self.orders.__getitem__)
            self.known_ranks = [0] * len(by_reading)
            for rank, i in enumerate(by_reading):
                self.known_ranks[i] = rank
        return self.known_ranks

    def in_reading_order(self, p: Polynomial) -> Polynomial:
        """The same terms, in the order in which they are written."""
        if len(p) < 2:
            return p
        ranks, classes = self.ranks(), self.classes

        def order(m: int) -> tuple[int, int, list[tuple[int, int]]]:
            factors = exponents(m)
            highest = max([classes[i] for i, _ in factors], default=0)
            return highest, len(factors), sorted([(ranks[i], n) for i, n in factors])

        return {m: p[m] for m in sorted(p, key=order)}

    # ------------------------------------------------------------------------------------------------ as nodes

    def monomial(self, m: int) -> Expr:
        out = ONE
        for i, n in exponents(m):
            out = out * self.nodes[i] ** n
        return out

    def number(self, c: Coefficient) -> Expr:
        return constant(short_decimal(float(c)) if self.is_rounded and is_float(c) else c)

    def plain(self, p: Polynomial) -> Expr:
        return sum((self.number(c) * self.monomial(m) for m, c in p.items()), constant(0))


def _reading_order(n: Expr) -> Any:
    if isinstance(n, Symbol):  # goes by its name
        return factor_order(n, "")
    if n.op in ("sin", "cos") and isinstance(n.args[0], Symbol):
        return factor_order(n, f"{n.op}({n.args[0].name})")
    return factor_order(n, str(n))


def short_decimal(x: float) -> float:
    """0.2 for 0.19999999999999998: a number of fewer digits that is as near as rounding lets sums of decimals be."""
    near = float(f"{x:z.15g}")
    is_shorter = len(repr(near)) + 2 < len(repr(x))
    return near if is_shorter and abs(near - x) <= 2 * math.ulp(x) else x


def _accumulate_terms(out: Polynomial, terms: Polynomial) -> Polynomial:
    for m, c in terms.items():
        out[m] = out.get(m, 0) + c
    return out


# ------------------------------------------------------------------------------------------------------- from the graph


def polynomials(roots: Iterable[Node], atoms: Atoms) -> dict[Node, Polynomial | None]:
    """The polynomials of expressions and of all their subexpressions; None if one is too large."""
    out: dict[Node, Polynomial | None] = {}
    determinants: dict[Node, Polynomial] = {}
    for n in evaluation_order(roots):
        try:
            if n.op == "item":
                out[n] = _cramer_solution(n, out, determinants, atoms)
                continue
            if n.op == "where":
                out[n] = _choice(n, out, atoms)
                continue
            args = [out.get(a) for a in n.args]
            missing = any(p is None for p in args) or not isinstance(n, Expr)
            out[n] = None if missing else _polynomial(n, args, atoms)  # type: ignore[arg-type]
        except TooLargeError:
            out[n] = None
    return out


def _choice(n: Node, known: dict[Node, Polynomial | None], atoms: Atoms) -> Polynomial | None:
    """A norm, sqrt(x) with a derivative where x = 0, is the root; other choices are opaque."""
    condition, a, b = n.args
    if (x := _argument_of_norm(condition, a, b)) is not None and (p := known.get(x)) is not None:
        return _root(n, [p], atoms)  # type: ignore[arg-type]
    one, other = known.get(a), known.get(b)
    if one is None or other is None:
        return None
    return {variable(atoms.of(with_arguments(n, (condition, atoms.plain(one), atoms.plain(other))))): 1}


def _argument_of_norm(condition: Node, a: Node, b: Node) -> Node | None:
    """x of where(0 < x, sqrt(where(0 < x, x, 1)), 0), as norms of vectors are written."""
    if condition.op != "lt" or condition.args[0] is not ZERO or b is not ZERO or a.op != "sqrt":
        return None
    x, inner = condition.args[1], a.args[0]
    is_norm = inner is x or (inner.op == "where" and inner.args[0] is condition and inner.args[1] is x)
    return x if is_norm else None


def _cramer_solution(
    n: Node, known: dict[Node, Polynomial | None], determinants: dict[Node, Polynomial], atoms: Atoms
) -> Polynomial:
    """One unknown of a small linear system, by Cramer's rule: |A with b in column k| / |A|."""
    block = n.args[0]
    if block.op != "solve":  # loops over equal links
        raise TooLargeError
    factor, right = block.args[0], [known[e] for e in block.args[1:]]
    size = factor.data.n
    entries = factor.data.full([known[e] for e in factor.args])
    if size > MAX_UNKNOWNS or any(p is None for p in (*right, *entries)):
        raise TooLargeError
    if block.data:  # the transposed system
        entries = [entries[j * size + i] for i in range(size) for j in range(size)]
    rows = [entries[i * size : (i + 1) * size] for i in range(size)]
    if factor not in determinants or block.data:
        determinants[factor] = _determinant(rows, atoms)
    changed = [[right[i] if j == n.data else e for j, e in enumerate(row)] for i, row in enumerate(rows)]
    return _quotient_polynomial(n, [_determinant(changed, atoms), determinants[factor]], atoms)  # type: ignore[arg-type]


def _determinant(rows: list[list[Any]], atoms: Atoms) -> Polynomial:
    """By expansion along the first row."""
    if len(rows) == 1:
        return rows[0][0]
    out: Polynomial = {}
    for j, e in enumerate(rows[0]):
        if e:
            minor = _determinant([[*row[:j], *row[j + 1 :]] for row in rows[1:]], atoms)
            out = polynomial_sum(out, atoms.times(e, minor), -1 if j % 2 else 1)
    return out


def _polynomial(n: Expr, args: list[Polynomial], atoms: Atoms) -> Polynomial:
    known = _OPERATIONS.get(n.op)
    if known is not None:
        return known(n, args, atoms)
    return {variable(atoms.of(_with_plain_arguments(n, args, atoms))): 1}


def _with_plain_arguments(n: Expr, args: list[Polynomial], atoms: Atoms) -> Expr:
    """An unknown function, of arguments in normal form."""
    return with_arguments(n, tuple(atoms.plain(p) for p in args)) if args and n.op != "call" else n


def _constant(n: Expr, args: list[Polynomial], atoms: Atoms) -> Polynomial:
    if isinstance(n.data, float):
        atoms.is_rounded = True
    c = exact(Fraction(n.data))
    return {0: c} if c else {}


def _power(n: Expr, args: list[Polynomial], atoms: Atoms) -> Polynomial:
    k = n.args[1].data
    if not isinstance(k, int) or not 0 < k <= MAX_POWER:
        return {variable(atoms.of(_with_plain_arguments(n, args, atoms))): 1}
    out: Polynomial = {0: 1}
    for _ in range(k):
        out = atoms.times(out, args[0])
    return out


def _root(n: Expr, args: list[Polynomial], atoms: Atoms) -> Polynomial:
    """The square root of a single term that is a square is its absolute value; others are opaque."""
    (p,) = args
    if len(p) == 1:
        ((m, c),) = p.items()
        top, bottom = math.isqrt(max(Fraction(c).numerator, 0)), math.isqrt(Fraction(c).denominator)
        if Fraction(top, bottom) ** 2 == c and not any(k % 2 for _, k in exponents(m)):
            half = sum(variable(i, k // 2) for i, k in exponents(m))
            return _modulus_of_term(half, exact(Fraction(top, bottom)), atoms)
    return {variable(atoms.of(sqrt(atoms.plain(p)))): 1}


def _modulus_of_term(m: int, c: Coefficient, atoms: Atoms) -> Polynomial:
    out: Polynomial = {0: max(c, -c)}
    for i, k in exponents(m):
        out = atoms.times(out, {variable(i, k - k % 2) + (variable(atoms.modulus(i)) if k % 2 else 0): 1})
    return out


def _modulus(n: Expr, args: list[Polynomial], atoms: Atoms) -> Polynomial:
    (p,) = args
    if len(p) == 1:
        ((m, c),) = p.items()
        return _modulus_of_term(m, c, atoms)
    return {variable(atoms.of(abs(atoms.plain(p)))): 1}


def _sign(n: Expr, args: list[Polynomial], atoms: Atoms) -> Polynomial:
    """x/|x| of a single factor, so that it cancels with |x|; others are opaque."""
    (p,) = args
    if len(p) == 1:
        ((m, c),) = p.items()
        if len(exponents(m)) == 1 and exponents(m)[0][1] == 1:
            ((at, _),) = exponents(m)
            return {variable(at) + variable(atoms.inverse(atoms.modulus(at))): 1 if c > 0 else -1}
    return {variable(atoms.of(_with_plain_arguments(n, args, atoms))): 1}


def _quotient_polynomial(n: Expr, args: list[Polynomial], atoms: Atoms) -> Polynomial:
    top, bottom = args
    if not bottom:
        raise TooLargeError
    if len(bottom) > 1 and (below := _common_denominator(bottom, atoms)):
        top, bottom = atoms.times(top, {below: 1}), atoms.times(bottom, {below: 1})
    if len(bottom) == 1:
        ((m, c),) = bottom.items()
        inverse = sum(variable(atoms.inverse(i), k) for i, k in exponents(m))
        return atoms.times(top, {inverse: exact(1 / Fraction(c))})
    if shared := common_monomial(bottom):
        inverse = sum(variable(atoms.inverse(i), k) for i, k in exponents(shared))
        top, bottom = atoms.times(top, {inverse: 1}), scaled_polynomial(bottom, 1, shared)
    exactly = quotient(top, bottom, MAX_PRODUCTS)
    if exactly is not None:
        return exactly
    scale = content(bottom) * (1 if sum(1 if c > 0 else -1 for c in bottom.values()) >= 0 else -1)
    at = atoms.reciprocal(scaled_polynomial(bottom, 1 / Fraction(scale)))
    return atoms.times(scaled_polynomial(top, 1 / Fraction(scale)), {variable(at): 1})


def _common_denominator(p: Polynomial, atoms: Atoms) -> int:
    """The least monomial by which all terms lose their denominators that are atoms: m I of 1/m + r²/I."""
    return sum(variable(at, k) for at, inverse in atoms.inverses if (k := max(exponent(m, inverse) for m in p)))


def _sine_and_cosine(n: Expr, args: list[Polynomial], atoms: Atoms) -> tuple[Polynomial, Polynomial] | None:
    """Sine and cosine of a sum of multiples of base angles; None if the multiples are too large."""
    terms = [(m, Fraction(c)) for m, c in args[0].items()]
    if sum(abs(c.numerator) for _, c in terms) > MAX_MULTIPLE:
        return None
    s: Polynomial = {}
    c: Polynomial = {0: 1}
    for m, k in terms:
        base = atoms.base(atoms.monomial(m) / k.denominator)
        at = atoms.sine(Angle(((base, 1),)))
        sine: Polynomial = {variable(at): 1 if k > 0 else -1}
        cosine: Polynomial = {variable(at + 1): 1}
        for _ in range(abs(k.numerator)):
            s, c = (
                polynomial_sum(atoms.times(s, cosine), atoms.times(c, sine)),
                polynomial_sum(atoms.times(c, cosine), atoms.times(s, sine), -1),
            )
    return s, c


def _sine_or_cosine(n: Expr, args: list[Polynomial], atoms: Atoms) -> Polynomial:
    found = _sine_and_cosine(n, args, atoms)
    if found is None:
        return {variable(atoms.of(_with_plain_arguments(n, args, atoms))): 1}
    return found[n.op == "cos"]


def _tangent(n: Expr, args: list[Polynomial], atoms: Atoms) -> Polynomial:
    found = _sine_and_cosine(n, args, atoms)
    if found is None:
        return {variable(atoms.of(_with_plain_arguments(n, args, atoms))): 1}
    return _quotient_polynomial(n, list(found), atoms)


_OPERATIONS: Final[dict[str, Any]] = {
    "const": _constant,
    "add": lambda n, args, atoms: polynomial_sum(*args),
    "sub": lambda n, args, atoms: polynomial_sum(args[0], args[1], -1),
    "neg": lambda n, args, atoms: scaled_polynomial(args[0], -1),
    "mul": lambda n, args, atoms: atoms.times(*args),
    "div": _quotient_polynomial,
    "pow": _power,
    "sqrt": _root,
    "abs": _modulus,
    "sign": _sign,
    "sin": _sine_or_cosine,
    "cos": _sine_or_cosine,
    "tan": _tangent,
}
