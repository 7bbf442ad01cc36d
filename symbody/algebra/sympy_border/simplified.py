"""`simplified`: small expressions rewritten by SymPy for display."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import sympy

from ...argument_kinds import answered
from ..graph.graph import Expr, Symbol, as_expr
from ..graph.matrix import Matrix
from ..graph.walk import evaluation_order
from ..printing.printing import tree_size_up_to
from .from_sympy import from_sympy, scalar_of
from .to_sympy import to_sympy


class _OutOfTimeError(Exception):
    """Raised inside SymPy when the time limit is reached."""


@contextmanager
def _within(deadline: float) -> Iterator[None]:
    """Interrupt the enclosed code at the deadline: SymPy consists of Python calls, and each call checks the clock."""

    def look(frame: Any, event: str, argument: Any) -> None:
        if time.monotonic() > deadline:
            raise _OutOfTimeError

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)


@answered
def simplified(thing: Any, seconds: float = 10.0, limit: int = 3000) -> Any:
    """An equal expression, matrix or object with matrices (such as a `LinearSystem`), in the shortest form that SymPy
    finds.

    Each entry becomes a quotient of polynomials, with sin² + cos² = 1 used and common parameters collected; the
    shortest form is used, so no entry becomes longer. Entries with more than `limit` operations, and those that remain
    when the time limit is reached, are unchanged.

    >>> x, y = sb.symbols("x y")
    >>> sb.simplified((x**2 - y**2) / (x - y))
    x + y

    See also: `tidy`, `to_sympy`.
    """
    deadline = time.monotonic() + seconds
    known: dict[Expr, Expr] = {}

    def short(e: Expr) -> Expr:
        if e not in known:
            known[e] = _shortest(e, deadline, limit)
        return known[e]

    if isinstance(thing, Matrix):
        return thing.map(short)
    if hasattr(thing, "map"):
        return thing.map(lambda m: m.map(short))
    return short(as_expr(thing))


def _shortest(e: Expr, deadline: float, limit: int) -> Expr:
    symbols = [n for n in evaluation_order([e]) if isinstance(n, Symbol)]
    if not e.args or tree_size_up_to(limit, [e]) >= limit or time.monotonic() > deadline:
        return e
    best = start = to_sympy(e, expand=True, limit=limit)
    try:
        with _within(deadline):
            for form in _forms(start):
                best = min(best, form, key=sympy.count_ops)
    except _OutOfTimeError:
        pass
    rewritten = scalar_of(from_sympy(best, symbols), best)
    return min(e, rewritten, key=lambda x: tree_size_up_to(limit, [x]))


def _forms(e: sympy.Expr) -> Iterator[sympy.Expr]:
    """Ways to write an expression: a quotient of polynomials in parameters, sines and cosines, without what sin² + cos²
    = 1 makes superfluous."""
    angles = {f.args[0] for f in e.atoms(sympy.sin, sympy.cos)}
    pairs = {a: (sympy.Dummy(f"s{k}"), sympy.Dummy(f"c{k}")) for k, a in enumerate(sorted(angles, key=str))}
    there = {f(a): x for a, both in pairs.items() for f, x in zip((sympy.sin, sympy.cos), both, strict=True)}
    back = {x: f for f, x in there.items()}
    top, bottom = sympy.fraction(sympy.together(e.xreplace(there)))
    for without in (0, 1):
        short = sympy.cancel(_without_squares(top, pairs, without) / _without_squares(bottom, pairs, without))
        for form in (short, sympy.expand(short), *_collected_forms(short)):
            yield form.xreplace(back)


def _without_squares(polynomial: sympy.Expr, pairs: Mapping[Any, tuple[Any, Any]], without: int) -> sympy.Expr:
    """Squares of sines (or, with 1, of cosines) expressed by the other function."""
    for both in pairs.values():
        x, other = both[without], both[1 - without]
        terms = sympy.Poly(sympy.expand(polynomial), x).terms()
        polynomial = sum((c * x ** (n % 2) * (1 - other**2) ** (n // 2) for (n,), c in terms), sympy.Integer(0))
    return sympy.expand(polynomial)


def _collected_forms(e: sympy.Expr) -> Iterator[sympy.Expr]:
    """Common parameters of the terms taken out, those first that stand in most of them."""
    top, bottom = sympy.fraction(e)
    terms = sympy.Add.make_args(sympy.expand(top))
    uses = {s: sum(s in t.free_symbols for t in terms) for s in top.free_symbols}
    by_use = sorted(uses, key=lambda s: (-uses[s], s.name))
    for count in (1, 2, 4):
        yield sympy.collect(sympy.expand(top), by_use[:count]) / bottom
