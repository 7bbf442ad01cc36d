"""Integrals over lines, planes and solids of expressions in material coordinates: exact for polynomials, else by
quadrature.

A material coordinate (`material("x")`) labels the points of a body. It occurs in shape functions and densities, and
disappears by integration.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ONE, ZERO, Expr, Node, Symbol, as_expr, symbol
from ...algebra.graph.walk import evaluation_order, free_symbols, substitute_all
from ...errors import EvaluationError, ModelError, listed, shown

Terms = dict[int, Expr]  # power -> coefficient, of a polynomial in one symbol


def material(names: str) -> Any:
    """Material coordinates for shape functions: `x = material("x")`, `x, y, z = material("x y z")`.

    >>> x, y = sb.bodies.material("x y")
    >>> x * y**2
    x*y**2

    See also: `bodies.ElasticBody`, `Model`.
    """
    if not isinstance(names, str) or not names.replace(",", " ").split():
        raise ModelError(f"material: names must be a text such as 'x' or 'x y z', got {shown(names)}")
    made = tuple(symbol(n, "material") for n in names.replace(",", " ").split())
    return made[0] if len(made) == 1 else made


class Region:
    """A line, plane or solid: material coordinates from a lower to an upper limit, each; limits may depend on
    coordinates before it."""

    def __init__(self, limits: Mapping[Symbol, tuple[Expr, Expr]], points: int = 20) -> None:
        self.limits, self.points = dict(limits), points
        self.error = 0.0  # estimated, of quadratures until now, relative to the largest of integrals taken together

    def integrals(self, things: Sequence[Expr]) -> list[Expr]:
        """∫ of each, innermost the last coordinate."""
        out = list(things)
        for s, (low, high) in reversed(self.limits.items()):
            found = polynomials(out, s)
            if found is None:
                self.error = max(self.error, quadrature_error(out, s, low, high, self.points))
                out = _by_quadrature(out, s, low, high, self.points)
            else:
                out = _exactly(found, low, high)
        return out


def region_of(where: str, over: Any, points: int) -> Region:
    """A region given as {x: (0, L), ...}."""
    if not isinstance(over, Mapping) or not over:
        raise ModelError(
            f"{where}: over= must be a mapping such as {{x: (0, L)}}, x = material('x'); got {shown(over)}"
        )
    limits: dict[Symbol, tuple[Expr, Expr]] = {}
    for s, ends in over.items():
        if not isinstance(s, Symbol) or s.kind != "material":
            raise ModelError(f"{where}: over= names material coordinates such as x = material('x'), got {shown(s)}")
        if not isinstance(ends, (tuple, list)) or len(ends) != 2:
            raise ModelError(f"{where}: over= needs two limits for {s}, got {shown(ends)}")
        low, high = (as_expr(e) for e in ends)
        if late := [x.name for x in free_symbols(low, high) if x.kind == "material" and x not in limits]:
            raise ModelError(f"{where}: the limits of {s} contain {listed(late)}, which must come before it in over=")
        limits[s] = low, high
    return Region(limits, points)


def _exactly(found: list[Terms], low: Expr, high: Expr) -> list[Expr]:
    top = max((k for terms in found for k in terms), default=0)
    powers = [(high ** (k + 1) - low ** (k + 1)) / (k + 1) for k in range(top + 1)]
    return [_sum([c * powers[k] for k, c in sorted(terms.items())]) for terms in found]


def _sum(terms: Sequence[Expr]) -> Expr:
    total = ZERO
    for t in terms:
        total = total + t
    return total


# ---------------------------------------------------------------------------------------------------------- polynomials


def polynomials(things: Sequence[Expr], s: Symbol) -> list[Terms] | None:
    """Expressions as polynomials in a symbol, with expressions as coefficients; None if one of them is not a
    polynomial."""
    known: dict[Node, Terms] = {}
    for n in evaluation_order(things):
        made = _terms(n, s, known)
        if made is None:
            return None
        known[n] = made
    return [known[t] for t in things]


def _terms(n: Node, s: Symbol, known: Mapping[Node, Terms]) -> Terms | None:
    if n is s:
        return {1: ONE}
    parts = [known[a] for a in n.args]
    if all(set(p) <= {0} for p in parts):  # nothing of the symbol in it
        return {} if n is ZERO else {0: n}  # type: ignore[dict-item]
    if n.op in ("add", "sub"):
        return _sum_of_terms(parts[0], parts[1], n.op == "sub")
    if n.op == "neg":
        return {k: -c for k, c in parts[0].items()}
    if n.op == "mul":
        return _product_of_terms(parts[0], parts[1])
    if n.op == "div" and set(parts[1]) <= {0}:
        return {k: c / n.args[1] for k, c in parts[0].items()}
    if n.op == "pow" and isinstance(power := n.args[1].value, int) and power >= 0:
        out: Terms = {0: ONE}
        for _ in range(power):
            out = _product_of_terms(out, parts[0])
        return out
    return None


def _sum_of_terms(a: Terms, b: Terms, subtract: bool) -> Terms:
    out = dict(a)
    for k, c in b.items():
        out[k] = out.get(k, ZERO) - c if subtract else out.get(k, ZERO) + c
    return {k: c for k, c in out.items() if c is not ZERO}


def _product_of_terms(a: Terms, b: Terms) -> Terms:
    out: Terms = {}
    for i, x in a.items():
        for j, y in b.items():
            out[i + j] = out.get(i + j, ZERO) + x * y
    return {k: c for k, c in out.items() if c is not ZERO}


# ---------------------------------------------------------------------------------------------------------- quadrature


def _by_quadrature(things: list[Expr], s: Symbol, low: Expr, high: Expr, points: int) -> list[Expr]:
    half, out = (high - low) / 2, [ZERO] * len(things)
    for x, w in gauss_points(points):
        place = low + half * (1 + x)
        here = substitute_all(things, {s: place})
        out = [total + (w * half) * e for total, e in zip(out, here, strict=True)]
    return out


def quadrature_error(things: Sequence[Expr], s: Symbol, low: Expr, high: Expr, points: int) -> float:
    """Difference of sums over these points and over half as many more, at numbers for all other symbols, relative to the
    largest sum; 0 if there are no numbers."""
    draw = Random(1)
    values = {x: draw.uniform(0.5, 1.5) for x in free_symbols(*things, low, high) if x is not s}
    try:
        begin, end = (float(x) for x in evaluate([low, high], values))
        sums = []
        for n in (points, points + points // 2 + 1):
            rows = [
                (w, evaluate(list(things), {**values, s: begin + (end - begin) * (1 + x) / 2}))
                for x, w in gauss_points(n)
            ]
            sums.append([sum(w * float(row[k]) for w, row in rows) for k in range(len(things))])
    except EvaluationError:
        return 0.0
    size = max((abs(x) for x in sums[1]), default=0.0)
    return max((abs(a - b) for a, b in zip(*sums, strict=True)), default=0.0) / size if size else 0.0


@lru_cache(maxsize=32)
def gauss_points(n: int) -> tuple[tuple[float, float], ...]:
    """Abscissae and weights of Gauss and Legendre on -1 to 1, exact up to degree 2 n - 1."""
    out = []
    for k in range(n):
        x = math.cos(math.pi * (k + 0.75) / (n + 0.5))
        for _ in range(100):
            p, slope = _legendre(n, x)
            step = p / slope
            x -= step
            if abs(step) < 1e-16:
                break
        _, slope = _legendre(n, x)
        out.append((x, 2 / ((1 - x * x) * slope * slope)))
    return tuple(out)


def _legendre(n: int, x: float) -> tuple[float, float]:
    a, b = 1.0, x
    for k in range(2, n + 1):
        a, b = b, ((2 * k - 1) * x * b - (k - 1) * a) / k
    if n == 1:
        return x, 1.0
    return b, n * (x * b - a) / (x * x - 1)
