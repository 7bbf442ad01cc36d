"""`tidy`: expressions as a person would write them, exactly equal to what they were."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from ...errors import ExpressionError
from ..calculus.evaluate import REAL, NoValue, value_of
from ..calculus.rounding import rounding
from ..graph.graph import ONE, Expr, Node, Symbol, as_expr, constant
from ..graph.matrix import Matrix
from ..graph.walk import evaluation_order
from .angle_forms import angle_forms
from .normal_form import Atoms, polynomials
from .polynomials import (
    Polynomial,
    TooLargeError,
    content,
    exact,
    exponent,
    polynomial_product,
    polynomial_sum,
    quotient,
    variable,
)
from .written_form import effort, written_polynomial

MAX_NODES: Final = 4000  # largest number of nodes of an entry that is tidied
MAX_PRODUCTS: Final = 200_000  # largest number of term products over a common denominator
# largest number of terms of an entry with its denominators; longer ones take minutes, and no reader wants them
MAX_TERMS: Final = 400
MUCH_SHORTER: Final = 0.7  # reading effort relative to the given form below which a sum with denominators is replaced
_TOLERANCE: Final = 1e-8  # relative and absolute tolerance of the numerical check of a tidied form


@dataclass
class Tidied:
    """Expressions in tidy form, and the indices of those that were too large and are unchanged."""

    entries: list[Expr]
    left: list[int] = field(default_factory=list)


def tidied_entries(entries: Iterable[Expr]) -> Tidied:
    """Each expression in the shortest form found; those beyond the budget unchanged."""
    entries = list(entries)
    atoms = Atoms()
    all_are_small = len(evaluation_order(entries)) <= MAX_NODES
    small = entries if all_are_small else [e for e in entries if len(evaluation_order([e])) <= MAX_NODES]
    known = polynomials(small, atoms)
    found: dict[Expr, Expr] = {}
    for e in dict.fromkeys(entries):
        p = known.get(e)
        out = e if not e.args else None if p is None else _shortest(e, p, atoms)
        if out is not None:
            found[e] = out
    _certify(found)
    left = [k for k, e in enumerate(entries) if e not in found and e.args]
    return Tidied([found.get(e, e) for e in entries], left)


def entries_without_common_factor(entries: Sequence[Expr]) -> list[Expr]:
    """Expressions over the number and the product of symbols that divide all their terms, in tidy form; unchanged where
    one is too large."""
    atoms = Atoms()
    known = polynomials(entries, atoms)
    given = [known.get(e) for e in entries]
    terms: Polynomial = {}
    for p in given:
        if p is None:
            return list(entries)
        terms |= dict.fromkeys(p, 1)
    if not terms:
        return list(entries)
    symbols = [i for i, n in enumerate(atoms.nodes) if isinstance(n, Symbol) and n.kind == "parameter"]
    shared = {i: k for i in symbols if (k := min(exponent(m, i) for m in terms))}
    factor = Fraction(content(dict(enumerate(c for p in given if p for c in p.values()))))
    divisor = constant(exact(factor)) * math.prod((atoms.nodes[i] ** k for i, k in shared.items()), start=ONE)
    return tidied_entries([e / divisor for e in entries]).entries


def _shortest(e: Expr, p: Polynomial, atoms: Atoms) -> Expr | None:
    """The form with the least reading effort; None if the expression is too large."""
    try:
        _refuse_long(p, atoms)
        p = _over_common_denominators(p, atoms)
        _refuse_long(p, atoms)
        out = written_polynomial((_over_one_denominator(q, atoms) for q in angle_forms(p, atoms)), atoms)
    except TooLargeError:
        return None
    is_shorter = out is e or effort(e) >= MUCH_SHORTER * effort(out)
    if is_shorter or any(n.op == "item" for n in evaluation_order([e])):  # a linear solve is not a form to read
        return out
    return e  # as it was written; else one form whatever the way to it


def _refuse_long(p: Polynomial, atoms: Atoms) -> None:
    if not atoms.denominators and len(p) <= MAX_TERMS:
        return
    below = sum(len(bottom) for at, bottom in atoms.denominators.items() if any(exponent(m, at) for m in p))
    if len(p) + below > MAX_TERMS:
        raise TooLargeError


def _over_common_denominators(p: Polynomial, atoms: Atoms) -> Polynomial:
    """Terms over powers of one denominator brought together, and divided by it where it divides them."""
    for at, bottom in atoms.denominators.items():
        most = max((exponent(m, at) for m in p), default=0)
        if not most:
            continue
        top: Polynomial = {}
        for m, c in p.items():
            term: Polynomial = {m - variable(at, exponent(m, at)): c}
            for _ in range(most - exponent(m, at)):
                term = polynomial_product(term, bottom, MAX_PRODUCTS)
            top = polynomial_sum(top, term)
        top = atoms.reduced(top)
        while most and (smaller := quotient(top, bottom, MAX_PRODUCTS)) is not None:
            top, most = smaller, most - 1
        p = {m + variable(at, most): c for m, c in top.items()}
    return p


def _over_one_denominator(p: Polynomial, atoms: Atoms) -> Polynomial:
    """Terms over a sum, some of them over symbols too, with the same symbols below all: (a l + b)/(l (c + d)) for
    (a + b/l)/(c + d). Factors that stand above and below are left, since what all terms have below is taken out."""
    if len(p) < 2 or not any(exponent(m, at) for at in atoms.denominators for m in p):
        return p
    for at, inverse in atoms.inverses:
        most = max(exponent(m, inverse) for m in p)
        if most and at not in atoms.moduli:
            missing = {m: most - exponent(m, inverse) for m in p}
            p = {m + variable(at, missing[m]) + variable(inverse, missing[m]): c for m, c in p.items()}
    return p


def _certify(found: Mapping[Expr, Expr]) -> None:
    """Equal at random numbers, to rounding: a difference is a fault of this module, and is never shown as a result.
    Large terms that cancel (coordinates in an orbit) differ by the rounding of their own size. Other numbers are taken
    where these give no value."""
    pairs = [(before, after) for before, after in found.items() if before is not after]
    for seed in range(2):
        if not pairs:
            return
        draw, value = random.Random(seed), dict[Node, Any]()
        for n in evaluation_order([e for pair in pairs for e in pair]):
            value[n] = (
                draw.uniform(0.3, 1.7) if isinstance(n, Symbol) else value_of(REAL, n, [value[a] for a in n.args])
            )
        without = []
        for before, after in pairs:
            one, other = value[before], value[after]
            if isinstance(one, NoValue) or isinstance(other, NoValue):
                without.append((before, after))
            elif math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
                continue
            elif not abs(one - other) <= sum(rounding([before, after], value, order=evaluation_order([before, after]))):
                raise ExpressionError(f"tidy: {before} became {after}, which differs: {one} and {other}")
        pairs = without


def tidy(thing: Any) -> Any:
    """Expressions, matrices, lists of them, vectors, dyads, equations and linear systems in the form in which a person
    would write them. The result is exactly equal to the argument.

    Sines and cosines are reduced by sin² + cos² = 1 and contracted to sums and differences of angles, common factors
    are extracted, and terms are collected by coordinates and speeds. An expression that is too large stays unchanged
    (`tidied_entries` lists these); `simplified` uses SymPy and goes further.

    >>> a, b, l = sb.symbols("a b l")
    >>> sb.tidy(l * sb.sin(a) * sb.cos(b) + l * sb.cos(a) * sb.sin(b))
    l*sin(a + b)

    See also: `simplified`, `text`.
    """
    if isinstance(thing, Matrix):
        return Matrix(thing.rows, thing.cols, tuple(tidied_entries(thing.entries).entries))
    if hasattr(thing, "map"):
        return thing.map(tidy)
    if isinstance(thing, (list, tuple)):
        return type(thing)(map(tidy, thing))
    return tidied_entries([as_expr(thing)]).entries[0]
