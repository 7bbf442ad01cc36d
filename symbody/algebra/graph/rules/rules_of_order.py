"""Rules by which a sum of a handful of terms is one node, whatever the order in which it was written, and products have
one number.

Operations have two arguments, so a sum of several terms is a chain of them. Of all chains with the same terms one is
kept: terms that are added come first, then those that are subtracted, each sorted by their keys; a number stands in
front. Longer sums stay as they were written, and so do those with other than simple terms: there, partial sums that are
used elsewhere are worth more than one order.

Products are found by their factors (`make2` in `graph.py`), and keep the grouping in which they were made first;
programs group them by what they have in common (`emit/lowering/shared_products.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..graph import ONE, ZERO, Expr, Number, intern
from ..node_keys import HASH, key_class
from .rule_table import is_compound, rule
from .rules import folded_by, folded_constant, mul, neg, sub, term

MAX_SORTED: Final = 6  # largest number of factors or terms that are put into canonical order
# highest key class of sums that are sorted: sums with accelerations are long and share partial sums
SPEED_CLASS: Final = 7
_SUMS: Final = ("add", "sub")
_key = operator.attrgetter("key")


def factors_up_to(most: int, a: Expr) -> list[Expr]:
    """The factors of a product of products; an empty tuple if there are more than `most`."""
    stack: list[Expr] = [a]
    out: list[Expr] = []
    while stack:
        n = stack.pop()
        if n.op == "mul":
            stack += n.args
            if len(stack) + len(out) > most:
                return []
        else:
            out.append(n)
    return out if len(out) <= most else []


def _chain_of(op: str, parts: Sequence[Expr]) -> Expr:
    out = parts[0]
    for p in parts[1:]:
        out = intern(op, (out, p) if out.key <= p.key else (p, out))
    return out


def _number_in(a: Expr) -> Expr | None:
    """The number among the factors of a product."""
    return next((f for f in factors_up_to(MAX_SORTED, a) if f.op == "const"), None)


def _without(number: Expr, a: Expr) -> Expr:
    factors = factors_up_to(MAX_SORTED, a)
    factors.remove(number)
    out = ONE
    for f in sorted(factors, key=_key):
        out = mul(out, f)
    return out


@rule("mul", "const", "mul deep")
def _(c: Expr, a: Expr) -> Expr | None:
    """2 * ((3 * a) * b) = 6 * (a * b)"""
    number = _number_in(a)
    return None if number is None else mul(mul(c, number), _without(number, a))


@rule("mul", "mul deep", "mul deep")
def _(a: Expr, b: Expr) -> Expr | None:
    """(2 * a) * (3 * b) = 6 * (a * b)"""
    one = _number_in(a)
    other = None if one is None else _number_in(b)
    if one is None or other is None:
        return None
    return mul(mul(one, other), mul(_without(one, a), _without(other, b)))


# ---------------------------------------------------------------------------------------------------------- sums


def _simple_terms(a: Expr) -> list[tuple[Expr, bool]]:
    """The terms of a sum of sums, each with whether it is subtracted; an empty list if there are too many or one is
    compound."""
    stack: list[tuple[Expr, bool]] = [(a, False)]
    out: list[tuple[Expr, bool]] = []
    if key_class(a) > SPEED_CLASS:
        return []
    while stack:
        n, minus = stack.pop()
        if n.op == "add" or n.op == "sub":
            stack.append((n.args[0], minus))
            stack.append((n.args[1], minus != (n.op == "sub")))
            if len(stack) + len(out) > MAX_SORTED:
                return []
        elif n.op == "neg":
            stack.append((n.args[0], not minus))
        elif _is_simple(n):
            out.append((n, minus))
        else:
            return []
    return out


def has_free_terms(n: Any) -> bool:
    """Whether the terms of a sum may be written in any order: it is one node for all of them."""
    return bool(_simple_terms(n))


def _is_simple(n: Expr) -> bool:
    """Whether a term is a product of a handful of symbols, and of powers and functions of symbols or their sums."""
    if n.op != "mul":
        return _is_near_leaves(n)
    return all(a.op == "mul" or _is_near_leaves(a) for a in n.args) and all(
        map(_is_near_leaves, factors_up_to(MAX_SORTED, n) or (n,))
    )


def _is_near_leaves(n: Expr) -> bool:
    """Floats are not: sums of them, gathered from far apart, leave a rounding error where the terms that it comes from
    are gone. Nor are results of loops, whose arguments are thousands of symbols."""
    if n.op == "const":
        return not isinstance(n.data, float)
    if n.op == "item" and n.args[0].op == "sweeps":
        return False
    return not is_compound(n.op) and all(not b.args for a in n.args for b in a.args)


def _number_and_rest(t: Expr) -> tuple[Number, Expr]:
    """A simple term as number times rest, wherever the number stands among the factors."""
    if t.op != "mul" or t.args[0].op == "const":
        return term(t)
    number = _number_in(t)
    return (1, t) if number is None else (number.data, _without(number, t))


def _key_of_rest(t: Expr) -> int:
    """A number that terms have in common if they are multiples of one expression: the key of a product is the sum of those
    of its factors."""
    if t.op != "mul":
        return t.key & HASH
    number = t.args[0] if t.args[0].op == "const" else _number_in(t)
    return (t.key if number is None else t.key - number.key) & HASH


def _sum(a: Expr, b: Expr, subtracts: bool) -> Expr | None:
    one = _simple_terms(a)
    other = _simple_terms(b) if one else one
    if not other or len(one) + len(other) > MAX_SORTED:
        return None
    number: Number = 0
    alike: dict[int, list[tuple[Expr, bool]]] = {}
    for t, minus in (*one, *((t, minus != subtracts) for t, minus in other)):
        if t.op == "const":
            number += -t.data if minus else t.data
        else:
            alike.setdefault(_key_of_rest(t), []).append((t, minus))
    added: list[Expr] = []
    taken: list[Expr] = []
    for terms in alike.values():
        for t, minus in terms if len(terms) == 1 else _sums_of_like_terms(terms):
            (taken if minus else added).append(t)
    return _written_sum(number, sorted(added, key=_key), sorted(taken, key=_key))


def _sums_of_like_terms(terms: Sequence[tuple[Expr, bool]]) -> Iterator[tuple[Expr, bool]]:
    """Like terms as one, with whether it is subtracted; those that cancel are left out."""
    numbers: dict[Expr, Number] = {}
    for t, minus in terms:
        c, x = _number_and_rest(t)
        numbers[x] = numbers.get(x, 0) + (-c if minus else c)
    for x, c in numbers.items():
        if c != 0:
            yield mul(folded_constant(-c if c < 0 else c), x), c < 0


def _written_sum(number: Number, added: Sequence[Expr], taken: Sequence[Expr]) -> Expr:
    if not added:
        rest = _chain_of("add", taken) if taken else ZERO
        return (
            neg(rest)
            if number == 0
            else sub(folded_constant(number), rest)
            if len(taken) < 2
            else intern("sub", (folded_constant(number), rest))
        )
    out = _chain_of("add", added)
    for t in taken:
        out = intern("sub", (out, t))
    return out if number == 0 else intern("add", (folded_constant(number), out))


@rule("add", "add simple", "simple", symmetric=True)
def _(a: Expr, b: Expr) -> Expr | None:
    """(a + x) + (b + y) = b + (y + (x + a))"""
    return _sum(a, b, False)


@rule("add", "sub simple", "simple", symmetric=True)
def _(a: Expr, b: Expr) -> Expr | None:
    """(a - x) + (b - y) = b - y + (a - x)"""
    return None if b.op == "add" or a.op == "add" else _sum(a, b, False)


@rule("sub", "add simple", "simple")
def _(a: Expr, b: Expr) -> Expr | None:
    """(a + x) - (b + y) = a - y + (x - b)"""
    return _sum(a, b, True)


@rule("sub", "sub simple", "simple")
def _(a: Expr, b: Expr) -> Expr | None:
    """(a - x) - (b - y) = y - x - (b - a)"""
    return _sum(a, b, True)


@rule("sub", "simple", "add simple")
def _(a: Expr, b: Expr) -> Expr | None:
    """a * b - (x + y) = a * b - y - x"""
    return None if a.op in _SUMS else _sum(a, b, True)


@rule("sub", "simple", "sub simple")
def _(a: Expr, b: Expr) -> Expr | None:
    """a - (b - x) = a + x - b"""
    return None if a.op in _SUMS else _sum(a, b, True)


def _like_terms(a: Expr, b: Expr, subtracts: bool) -> Expr | None:
    if _key_of_rest(a) != _key_of_rest(b):
        return None
    (c, x), (d, y) = _number_and_rest(a), _number_and_rest(b)
    if x is not y or isinstance(c, float) or isinstance(d, float):
        return None
    return mul(folded_by(operator.sub if subtracts else operator.add, c, d), x)


@rule("add", "mul inner", "mul", symmetric=True)
def _(a: Expr, b: Expr) -> Expr | None:
    """a * (2 * b) + 3 * (a * b) = 5 * (a * b)"""
    return _like_terms(a, b, False)


@rule("sub", "mul inner", "mul")
def _(a: Expr, b: Expr) -> Expr | None:
    """a * (5 * b) - 3 * (a * b) = 2 * (a * b)"""
    return _like_terms(a, b, True)


@rule("sub", "mul", "mul inner")
def _(a: Expr, b: Expr) -> Expr | None:
    """5 * (a * b) - a * (3 * b) = 2 * (a * b)"""
    return _like_terms(a, b, True)
