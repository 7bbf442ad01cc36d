"""Polynomials written as expressions with few operations: common factors out, terms collected by what moves, or by the
most frequent factor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ..graph.factors import factors_of
from ..graph.functions import tan
from ..graph.graph import ONE, ZERO, Expr, Node
from .angle_forms import angle_forms
from .normal_form import Atoms
from .polynomials import (
    Coefficient,
    Polynomial,
    common_monomial,
    content,
    exponent,
    exponents,
    is_float,
    over,
)

MAX_EFFORT: Final = 100_000  # ceiling of the reading effort of a node
# Key classes by which terms are collected: functions; functions and speeds; all but parameters; speeds
CLASSES: Final = (
    frozenset((5,)),
    frozenset((5, 7, 9, 11)),
    frozenset((3, 5, 7, 9, 11)),
    frozenset((7, 9, 11)),
)

SUMS: Final = ("add", "sub")

Sizes = dict[Node, tuple[int, int]]  # operations, and how deep sums are nested in products
Factored = dict[tuple[tuple[int, Coefficient], ...], Expr]  # what polynomials became, by their terms in order


def written_polynomial(forms: Iterable[Polynomial], atoms: Atoms) -> Expr:
    """The most readable expression of several equal polynomials. Sums of plain terms have their common factor in front if
    they are shorter so."""
    found: dict[Expr, None] = {}  # each once, in the order in which they are preferred
    plain: dict[Expr, Polynomial] = {}
    known: Factored = {}
    for p in (atoms.in_reading_order(p) for p in forms):
        if len(p) > 1:  # a single term has one way
            found |= dict.fromkeys(_collected_forms(p, atoms, known))
            found[_factored_form(p, atoms, known)] = None
        found[written := _plain(p, atoms)] = None
        plain[written] = p
    sizes: Sizes = {}  # these have most of their parts in common
    best = min(found, key=lambda e: effort(e, sizes)) if len(found) > 1 else next(iter(found))
    if len(p := plain.get(best, {})) < 2:
        return best
    return min(best, _behind_common_factor(p, atoms), key=lambda e: effort(e, sizes))


def effort(e: Expr, known: Sizes | None = None) -> int:
    """Of reading: operations of the expression as a tree, and the square of how deep sums are nested in products.

    Products count by their factors: an equal product that already exists keeps the grouping in which it was made, and
    a*(a*m) is no longer than m*a**2.
    """
    known = {} if known is None else known
    stack: list[Node] = [e]
    while stack:
        n = stack[-1]
        if n in known:
            stack.pop()
            continue
        factors = factors_of([n]) if n.op == "mul" else dict.fromkeys(n.args, 1)
        if new := [a for a in factors if a not in known]:
            stack += new
            continue
        size, depth, is_sum = _own_operations(n, factors), 0, n.op in SUMS
        for a in factors:
            inner = known[a]
            size += inner[0]
            depth = max(depth, inner[1] + (not is_sum and a.op in SUMS))
        known[n] = min(MAX_EFFORT, size), depth
        stack.pop()
    size, depth = known[e]
    return size + depth**2


def _own_operations(n: Node, factors: Mapping[Node, int]) -> int:
    """Of a node alone: one; of a product those between its factors, and their powers."""
    if n.op != "mul":
        return int(bool(n.args))
    return len(factors) - 1 + sum(k != 1 for k in factors.values())


def _collected_forms(p: Polynomial, atoms: Atoms, known: Factored) -> Iterator[Expr]:
    """For each of several classes of factors: the terms grouped by their factors of that class, the rest factored."""
    scale, monomial = _signed_content(p), common_monomial(p)
    terms = over(p, scale, monomial)
    # classes that no term has make no difference
    ways = dict.fromkeys(tuple([m & bits for m in terms]) for bits in map(atoms.bits_of, CLASSES))
    for keys in ways:
        groups: dict[int, Polynomial] = {}
        for key, (m, c) in zip(keys, terms.items(), strict=True):
            groups.setdefault(key, {})[m - key] = c
        inner = _sum(_times(atoms, key, 1, _factored_form(rest, atoms, known)) for key, rest in groups.items())
        yield _times(atoms, monomial, scale, inner)


def _factored_form(p: Polynomial, atoms: Atoms, known: Factored) -> Expr:
    """Common factors taken out; then the factor that most terms have, repeatedly."""
    key = tuple(p.items())
    if key not in known:
        known[key] = _new_factored(p, atoms, known)
    return known[key]


def _new_factored(p: Polynomial, atoms: Atoms, known: Factored) -> Expr:
    if len(p) < 2:
        return _plain(p, atoms)
    scale, monomial = _signed_content(p), common_monomial(p)
    rest = over(p, scale, monomial)
    counts: dict[int, int] = {}
    highest: dict[int, int] = {}
    for m in rest:
        for i, n in exponents(m):
            counts[i] = counts.get(i, 0) + 1
            highest[i] = max(highest.get(i, 0), n)
    ranks = atoms.ranks()
    best = max(counts, key=lambda i: (counts[i], highest[i], -ranks[i]), default=None)
    if best is None or counts[best] < 2:
        inner = _sum(_times(atoms, m, c, ONE) for m, c in rest.items())
    else:
        with_it = {m: c for m, c in rest.items() if exponent(m, best)}
        without = {m: c for m, c in rest.items() if not exponent(m, best)}
        inner = (
            _factored_form(with_it, atoms, known) + _factored_form(without, atoms, known)
            if without
            else _plain(rest, atoms)
        )
    return _times(atoms, monomial, scale, inner)


def _behind_common_factor(p: Polynomial, atoms: Atoms) -> Expr:
    """The common factor of all terms, times their sum."""
    scale, monomial = _signed_content(p), common_monomial(p)
    return _times(atoms, monomial, scale, _plain(over(p, scale, monomial), atoms))


def _plain(p: Polynomial, atoms: Atoms) -> Expr:
    return _sum(_times(atoms, m, c, ONE) for m, c in p.items())


def _sum(terms: Iterable[Expr]) -> Expr:
    """Added terms before subtracted ones."""
    first, *others = sorted(terms, key=lambda t: t.op == "neg") or (ZERO,)
    for t in others:
        first = first + t
    return first


def _times(atoms: Atoms, monomial: int, number: Coefficient, inner: Expr) -> Expr:
    """A number times a monomial times an expression; terms are made once, whatever they stand in."""
    if not monomial and number == 1:
        return inner
    if inner is not ONE:
        return _product(atoms, monomial, number, inner)
    if (term := atoms.products.get((monomial, number))) is None:
        term = atoms.products[monomial, number] = _product(atoms, monomial, number, ONE)
    return term


def _product(atoms: Atoms, monomial: int, number: Coefficient, inner: Expr) -> Expr:
    top, bottom = inner, ONE
    powers = dict(exponents(monomial))
    for at, inverse in atoms.inverses:
        n = powers.pop(inverse, 0)
        if not n:
            continue
        if at - 1 in atoms.angles and powers.get(at - 1, 0) >= n:  # sin / cos
            powers[at - 1] -= n
            top = top * tan(atoms.nodes[at].args[0]) ** n
        else:
            bottom = bottom * atoms.nodes[at] ** n
    for i, n in powers.items():
        if i in atoms.denominators:
            bottom = bottom * _denominator(i, atoms) ** n
        elif n:
            top = top * (atoms.nodes[i] if n == 1 else atoms.nodes[i] ** n)
    whole = top if bottom is ONE else top / bottom
    return whole if number == 1 and not is_float(number) else atoms.number(number) * whole


def _denominator(i: int, atoms: Atoms) -> Expr:
    """A denominator in the form in which it is written everywhere, found once for all terms."""
    if i not in atoms.written:
        atoms.written[i] = written_polynomial(angle_forms(atoms.denominators[i], atoms), atoms)
    return atoms.written[i]


def _signed_content(p: Polynomial) -> Coefficient:
    """Negative where all coefficients are. Numbers with rounding errors have nothing in common, unless they are the
    same."""
    size_of_all = content(p)
    if any(map(is_float, p.values())):
        sizes: set[Coefficient] = {max(c, -c) for c in p.values()}
        size_of_all = sizes.pop() if len(sizes) == 1 else 1
    return -size_of_all if max(p.values()) < 0 else size_of_all
