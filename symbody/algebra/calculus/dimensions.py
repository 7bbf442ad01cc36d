"""Physical dimensions of expressions: inference by unification over the graph.

The dimension of an expression is a linear combination, with rational coefficients, of base units and of dimensions that
are not known yet:

    [a b] = [a] + [b],   [a / b] = [a] - [b],   [aⁿ] = n [a],   [q'] = [q] - [s],   a + b requires [a] = [b]

A requirement between unknown dimensions eliminates one of them (unification); one between known dimensions holds or is
a conflict. A number may stand for a quantity of any dimension (9.81 for m/s²), so that each use of a number is an
unknown of its own, and no conflict is reported that a number can explain; with `numbers_are_pure`, exact factors (1/2,
4) are numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from ...units import BASES, Unit, unit_text
from ..graph.graph import Expr, Node, Symbol
from ..graph.walk import evaluation_order

SECOND: Final = BASES.index("s")
SAME: Final = frozenset(("add", "sub", "min", "max", "atan2", "lt", "le", "eq"))  # arguments have one dimension
PURE: Final = frozenset("exp log sin cos tan asin acos atan sinh cosh tanh".split())  # of numbers, giving numbers
NUMBERS: Final = frozenset(("sign", "atan2", *PURE))  # what they give has no dimension

Exponent = int | Fraction  # whole numbers as int, whose arithmetic is many times faster
Dimension = dict[Any, Exponent]  # exponents of base units (by index) and of unknown dimensions


@dataclass(frozen=True)
class Conflict:
    """Two dimensions that should be one.

    node            the sum or function that requires it; None for a whole expression beside what is expected
    first, second   the dimensions, as texts
    """

    node: Node | None
    first: str
    second: str


class DimensionError(Exception):
    """A requirement that known dimensions do not satisfy."""

    def __init__(self, first: str, second: str) -> None:
        self.first, self.second = first, second


@dataclass
class Dimensions:
    """Known dimensions of symbols, by stem: [q'] follows from [q].

    known              eliminated unknowns, each as a combination of others
    numbers_are_pure   exact numbers in products have no dimension
    """

    known: dict[Any, Dimension] = field(default_factory=dict)
    numbers_are_pure: bool = False
    _added: list[Any] = field(default_factory=list)  # unknowns that the present requirement has eliminated
    _shortened: dict[Any, Dimension] = field(default_factory=dict)  # combinations as they were before it
    _numbers: int = 0  # uses of numbers so far

    # ------------------------------------------------------------------------------------------------ statements

    def declare(self, s: Symbol, unit: Unit) -> None:
        """The dimension of a symbol by its declared unit."""
        self._equate(self._symbol(s), of_unit(unit))

    def require(self, expressions: Iterable[Expr], expected: Dimension | None = None) -> Conflict | None:
        """Require that expressions are consistent, and of the expected dimension; a conflict leaves everything as it
        was."""
        roots = list(expressions)
        self._added.clear()
        self._shortened.clear()
        found: dict[Node, Dimension] = {}
        node: Node | None = None
        try:
            for node in evaluation_order(roots):
                found[node] = self._of_node(node, found)
            node = None
            for root in roots if expected is not None else ():
                self._equate(self._used(root, found), expected or {})
        except DimensionError as conflict:
            self.known.update(self._shortened)
            for unknown in self._added:
                del self.known[unknown]
            return Conflict(node, conflict.first, conflict.second)
        return None

    def of_symbol(self, s: Symbol) -> tuple[Fraction, ...] | None:
        """Exponents of the base units (rotation left out), where they are known."""
        found = self._reduced(self._symbol(s))
        if not all(isinstance(k, int) for k in found):
            return None
        return tuple(Fraction(found.get(k, 0)) for k in range(len(BASES) - 1))

    def product(self, *terms: tuple[Symbol, int], unit: Unit) -> Dimension:
        """[unit] + Σ n [s] over the terms (s, n)."""
        out = of_unit(unit)
        for s, power in terms:
            out = _sum(out, self._symbol(s), power)
        return out

    # ------------------------------------------------------------------------------------------------ nodes

    def _of_node(self, n: Node, found: Mapping[Node, Dimension]) -> Dimension:
        if isinstance(n, Symbol):
            return self._symbol(n)
        args = [self._factor(a, found) if n.op in ("mul", "div") else self._used(a, found) for a in n.args]
        if n.op in SAME:
            self._equate(args[0], args[1])
        elif n.op == "where":
            self._equate(args[1], args[2])
            return args[1]
        elif n.op == "pow":
            return self._power(n, args)
        if n.op in PURE:
            self._equate(args[0], {})
        if n.op in NUMBERS:
            return {}
        match n.op:
            case "add" | "sub" | "min" | "max" | "neg" | "abs" | "settled":
                return args[0]
            case "mul":
                return _sum(args[0], args[1])
            case "div":
                return _sum(args[0], args[1], -1)
            case "sqrt":
                return _sum({}, args[0], Fraction(1, 2))
        return self._fresh()  # constants, external functions, solves, conditions

    def _used(self, n: Node, found: Mapping[Node, Dimension]) -> Dimension:
        """The dimension of an argument; each use of a number is an unknown of its own."""
        return self._fresh() if n.op == "const" else found[n]

    def _factor(self, n: Node, found: Mapping[Node, Dimension]) -> Dimension:
        is_pure = self.numbers_are_pure and n.op == "const" and isinstance(n.data, int | Fraction)
        return {} if is_pure else self._used(n, found)

    def _power(self, n: Node, args: list[Dimension]) -> Dimension:
        exponent = n.args[1].value
        if exponent is None:
            self._equate(args[0], {})
            self._equate(args[1], {})
            return {}
        return _sum({}, args[0], _whole(Fraction(exponent).limit_denominator(12)))

    def _symbol(self, s: Symbol) -> Dimension:
        if s.kind == "time":
            return {SECOND: 1}
        out: Dimension = {("symbol", s.stem): 1}
        return _sum(out, {SECOND: -s.order}) if s.order else out

    # ------------------------------------------------------------------------------------------------ unification

    def _fresh(self) -> Dimension:
        self._numbers += 1
        return {("number", self._numbers): 1}

    def _equate(self, a: Dimension, b: Dimension) -> None:
        left, right = self._reduced(a), self._reduced(b)
        difference = _sum(left, right, -1)
        unknown = [k for k in difference if not isinstance(k, int)]
        if unknown:
            chosen = min(unknown, key=_order)  # numbers go first
            factor = _whole(Fraction(-1) / difference.pop(chosen))
            self._added.append(chosen)
            self.known[chosen] = {k: _whole(v * factor) for k, v in difference.items()}
        elif difference:
            raise DimensionError(dimension_text(left), dimension_text(right))

    def _reduced(self, a: Dimension) -> Dimension:
        """The combination in terms of base units and unknowns that are left; combinations on the way are shortened to
        these, so that no chain is followed twice."""
        known = self.known
        if not any(k in known for k in a):
            return a
        out: Dimension = {}
        for k, v in a.items():
            _add(out, self._shortest(k) if k in known else {k: 1}, v)
        return out

    def _shortest(self, unknown: Any) -> Dimension:
        """The combination of an eliminated unknown, in terms of what is left."""
        known, chain = self.known, [unknown]
        while chain:
            at = chain[-1]
            longer = [k for k in known[at] if k in known]
            ahead = [k for k in longer if any(x in known for x in known[k])]
            if ahead:
                chain += ahead
                continue
            chain.pop()
            if longer:
                out: Dimension = {}
                for k, v in known[at].items():
                    _add(out, known.get(k, {k: 1}), v)
                self._shortened.setdefault(at, known[at])
                known[at] = out
        return known[unknown]


def _order(unknown: tuple[str, Any]) -> tuple[bool, str]:
    """Numbers are eliminated before symbols."""
    return unknown[0] != "number", str(unknown[1])


def of_unit(unit: Unit) -> Dimension:
    """The dimension of a unit; rotation has none."""
    return {k: _whole(Fraction(e)) for k, e in enumerate(unit.dimension) if e}


def dimension_text(d: Dimension) -> str:
    """As a coherent SI unit, such as `N/m`; of partly unknown dimensions the known part."""
    return unit_text(tuple(Fraction(d.get(k, 0)) for k in range(len(BASES) - 1)))


def _sum(a: Dimension, b: Dimension, factor: Exponent = 1) -> Dimension:
    """a + factor · b, without zeros."""
    out = dict(a)
    _add(out, b, factor)
    return out


def _add(to: Dimension, b: Dimension, factor: Exponent) -> None:
    """Add factor · b to a combination, and drop zeros."""
    for k, v in b.items():
        total = to.get(k, 0) + factor * v
        if total:
            to[k] = total if type(total) is int else _whole(total)
        else:
            to.pop(k, None)


def _whole(x: Exponent) -> Exponent:
    """A whole number as an int."""
    return int(x) if x.denominator == 1 else x
