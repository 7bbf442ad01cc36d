"""Styles of writing expressions: a base class for precedence, signs and order of terms, with plain text and LaTeX
derived from it.

A `Style` turns one node and the written forms of its arguments into the written form of the node. It knows precedence,
signs and order; it never inspects the graph below the arguments. `printing` walks the graph.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from operator import attrgetter
from typing import Any, Final, NamedTuple

from ..graph.graph import Node, Number, Symbol
from ..graph.reading_order import Order, factor_order, natural, sum_order, term_order
from ..graph.rules.rules_of_order import has_free_terms
from .greek_letters import GREEK
from .printed_numbers import as_written, digits, exact_digits, ratio

LINE_WIDTH: Final = 200  # approximate largest width of a line in characters

Definitions = tuple[tuple[str, str], ...]  # names and values

# ---------------------------------------------------------------------------------------------------------- pieces
# What a node looks like before it is known where it stands. Sums and products stay open, so that a node above them can
# go on with them: (a + b) + c is one sum of three terms.

LOWEST, SUM, NEGATIVE, PRODUCT, POWER, ATOM = range(6)  # how tightly the outermost operation binds
OR, AND, NOT = SUM, NEGATIVE, PRODUCT  # the same for conditions


class Written(NamedTuple):
    """A finished piece. `head` is the name of a function, the part that takes the exponent in sin²(x)."""

    text: str
    level: int = ATOM
    head: str = ""
    order: Order = (0, 2, True, ())
    base: Any = None  # of an integer power, the piece that is raised
    exponent: int = 1
    factors: tuple[Any, ...] = ()  # of an integer power of a product, the powers of its factors


class Literal(NamedTuple):
    value: Number


class SumTerm(NamedTuple):
    minus: bool
    text: str
    order: Order


class Sum(NamedTuple):
    """Terms and a number. Where they may stand in any order, they are sorted when the sum is done."""

    terms: tuple[SumTerm, ...]
    constant: Number
    is_free: bool = False


class Factor(NamedTuple):
    divides: bool
    written: Written


class Product(NamedTuple):
    """A number, which holds the sign, times and over factors: some fixed in front, the others in any order."""

    coefficient: Number
    factors: tuple[Factor, ...]
    fixed: int = 0


Piece = Written | Literal | Sum | Product


def _merge(a: Number, b: Number, neutral: int) -> bool:
    """Whether two numbers may be printed as one: not where that would round."""
    return neutral in (a, b) or not (isinstance(a, float) or isinstance(b, float))


# ---------------------------------------------------------------------------------------------------------- styles


class Style(ABC):
    """Base class of styles: precedence, signs and order of terms, common to text, LaTeX and MathML."""

    keeps_grouping: bool  # a + (b + c) keeps its parentheses
    conjunction: str
    disjunction: str
    negation: str
    at_most: str
    minus = "-"  # in front
    is_exact = False  # floats with all their digits
    before_unit = " "  # between a coefficient and a unit vector

    def digits(self, value: Number) -> str:
        return exact_digits(value) if self.is_exact else digits(value)

    def number(self, value: Number) -> Number:
        """A constant as it is written: 1/3 for 0.3333333333333333."""
        return as_written(value) if isinstance(value, float) and not self.is_exact else value

    def between(self, sign: str) -> str:
        """A sign between two texts."""
        return f" {sign} "

    def item(self, block: Written, k: int) -> Written:
        return Written(f"{self.tight(block, ATOM)}[{k}]")

    # What the styles write differently

    @abstractmethod
    def name(self, name: str) -> Written: ...
    @abstractmethod
    def symbol(self, s: Symbol) -> Written: ...
    @abstractmethod
    def positive(self, value: Number) -> Written: ...
    @abstractmethod
    def quotient(self, product: Product) -> Written:
        """A product whose coefficient is positive."""

    @abstractmethod
    def power(self, base: Written, exponent: Written) -> Written: ...
    @abstractmethod
    def function(self, op: str, args: list[str]) -> Written: ...
    @abstractmethod
    def call(self, name: str, args: list[str]) -> Written: ...
    @abstractmethod
    def choice(self, condition: str, a: str, b: str) -> Written: ...
    @abstractmethod
    def equality(self, a: str, b: str) -> Written: ...
    @abstractmethod
    def factors(self, kind: str, rows: list[list[str]]) -> Written: ...
    @abstractmethod
    def solution(self, factors: Written, right: list[str], transposed: bool) -> Written: ...
    @abstractmethod
    def bracketed(self, text: str) -> str: ...
    @abstractmethod
    def matrix(self, rows: list[list[str]]) -> str: ...
    @abstractmethod
    def page(self, definitions: Definitions, left_out: int, results: tuple[str, ...]) -> str:
        """A sequence: definitions, how many more there are, and the results."""

    # From nodes to pieces

    def piece(self, n: Node, args: list[Piece]) -> Piece:
        """A node, from the pieces of its arguments."""
        special = _PIECES.get(n.op)
        piece = special(self, n, *args) if special else self.function(n.op, [self.done(a).text for a in args])
        return self.placed(n, piece)

    def placed(self, n: Node, piece: Piece) -> Piece:
        """A finished piece with its place among others."""
        return piece._replace(order=factor_order(n, piece.text)) if isinstance(piece, Written) else piece

    def done(self, piece: Piece) -> Written:
        """A piece to which nothing more is added."""
        if isinstance(piece, Written):
            return piece
        if isinstance(piece, Sum):
            return Written(self._sum_text(piece), SUM)
        value = piece.value if isinstance(piece, Literal) else piece.coefficient
        if value < 0:
            return Written(self.minus + self._term(piece, False)[1], NEGATIVE)
        return self.positive(value) if isinstance(piece, Literal) else self.quotient(piece)

    def tight(self, w: Written, level: int) -> str:
        """Text that may stand where operations that bind less tightly than `level` need parentheses."""
        return w.text if w.level >= level else self.bracketed(w.text)

    # Sums

    def _sum_text(self, s: Sum) -> str:
        terms = list(s.terms)
        if s.is_free or not self.keeps_grouping:
            terms.sort(key=attrgetter("order"))
            plus = next((k for k, t in enumerate(terms) if not t.minus), 0)
            terms.insert(0, terms.pop(plus))
        if s.constant != 0:  # last, unless it saves a leading minus: 2 - x
            number = self._term(Literal(s.constant), False)
            terms.insert(0 if terms and terms[0].minus and not number.minus else len(terms), number)
        first = (self.minus if terms[0].minus else "") + terms[0].text
        return first + "".join(self.between("-" if t.minus else "+") + t.text for t in terms[1:])

    def _term(self, piece: Piece, minus: bool) -> SumTerm:
        if isinstance(piece, Product) and piece.coefficient < 0:
            minus, piece = not minus, piece._replace(coefficient=-piece.coefficient)
        elif isinstance(piece, Literal) and piece.value < 0:
            minus, piece = not minus, Literal(-piece.value)
        factors = self._sorted_factors(self._opened_product(piece)) if not isinstance(piece, Literal) else ()
        order = term_order(tuple(sorted(f.written.order for f in factors)))
        return SumTerm(minus, self.tight(self.done(piece), NEGATIVE), order)

    def _add(self, n: Node, a: Piece, b: Piece) -> Piece:
        if isinstance(a, Literal) or (isinstance(b, Sum) and not isinstance(a, Sum)):
            a, b = b, a
        out = self._sum(self._opened_sum(n.args[0], a), n.args[1], b, False, has_free_terms(n))
        if len(out.terms) == 2 and not isinstance(a, Sum):
            return out._replace(terms=tuple(sorted(out.terms, key=attrgetter("minus", "order"))))
        return out

    def _subtract(self, n: Node, a: Piece, b: Piece) -> Piece:
        return self._sum(self._opened_sum(n.args[0], a), n.args[1], b, True, has_free_terms(n))

    def _opened_sum(self, n: Node, piece: Piece) -> Sum:
        if isinstance(piece, Sum):
            return piece
        return Sum((), piece.value) if isinstance(piece, Literal) else Sum((self._term(piece, False),), 0)

    def _sum(self, s: Sum, n: Node, piece: Piece, minus: bool, is_free: bool) -> Sum:
        more = self._opened_sum(n, piece)
        keeps = self.keeps_grouping and not is_free
        if s.is_free and keeps:
            s = s._replace(terms=tuple(sorted(s.terms, key=attrgetter("minus", "order"))))
        if (keeps and isinstance(piece, Sum)) or not _merge(s.constant, more.constant, 0):
            return Sum((*s.terms, self._term(piece, minus)), s.constant)
        constant = s.constant - more.constant if minus else s.constant + more.constant
        return Sum((*s.terms, *(t._replace(minus=minus != t.minus) for t in more.terms)), constant, is_free)

    # Products

    def _multiply(self, n: Node, a: Piece, b: Piece) -> Piece:
        one, other = self._factors_of_product(a), self._factors_of_product(b)
        if other.fixed > one.fixed:
            one, other, a, b = other, one, b, a
        coefficient = self._coefficient(one.coefficient, other.coefficient, False)
        if coefficient is None or (self.keeps_grouping and other.fixed):
            return one._replace(factors=(*one.factors, Factor(False, self._whole(other))))
        return Product(coefficient, (*one.factors, *other.factors), one.fixed)

    def _whole(self, product: Product) -> Written:
        """A product as one factor of another."""
        order = max((f.written.order for f in product.factors), default=Written("").order)
        return self.done(product)._replace(order=order)

    def _divide(self, n: Node, a: Piece, b: Piece) -> Piece:
        top, bottom = self._opened_product(a), self._opened_product(b)
        coefficient = self._coefficient(top.coefficient, bottom.coefficient, True)
        over = self._sorted_factors(top)
        if coefficient is None or (self.keeps_grouping and isinstance(b, Product)):
            factors = (*over, Factor(True, self._whole(bottom)))
            return Product(top.coefficient, factors, len(factors))
        factors = (*over, *(f._replace(divides=not f.divides) for f in self._sorted_factors(bottom)))
        return Product(coefficient, factors, len(factors))

    def _negate(self, n: Node, a: Piece) -> Piece:
        if isinstance(a, Sum) and not any(t.minus for t in a.terms):  # -a - b, which is read as the same node
            return a._replace(terms=tuple(t._replace(minus=True) for t in a.terms), constant=-a.constant)
        p = self._opened_product(a)
        return p._replace(coefficient=-p.coefficient)

    def _factors_of_product(self, piece: Piece) -> Product:
        """A power of a product opened: m*l**2*q_dot**2 and m*(l*q_dot)**2 are one node, grouped as it was made first."""
        opened = piece.factors if isinstance(piece, Written) else ()
        return Product(1, opened) if opened else self._opened_product(piece)

    def _opened_product(self, piece: Piece) -> Product:
        if isinstance(piece, Product):
            return piece
        if isinstance(piece, Literal):
            return Product(piece.value, ())
        w = self.done(piece)
        if isinstance(piece, Sum):
            w = w._replace(order=sum_order(max((t.order[0] for t in piece.terms), default=0), w.text))
        return Product(1, (Factor(False, w),))

    def _sorted_factors(self, p: Product) -> list[Factor]:
        """The factors as they are written: in order, equal ones as a power."""
        rest: dict[tuple[bool, str], list[Factor]] = {}
        for f in p.factors[p.fixed :]:
            rest.setdefault((f.divides, (f.written.base or f.written).text), []).append(f)
        joined = [fs[0] if len(fs) == 1 else self._power_of_equal_factors(fs) for fs in rest.values()]
        return [*p.factors[: p.fixed], *sorted(joined, key=lambda f: (f.divides, f.written.order))]

    def _power_of_equal_factors(self, factors: list[Factor]) -> Factor:
        return Factor(factors[0].divides, self._raised(factors[0].written, sum(f.written.exponent for f in factors)))

    def _raised(self, w: Written, exponent: int) -> Written:
        """A power of a factor, or of the base of a power, with the place that a node of it has."""
        base = w.base or w
        power = self.power(base, self.done(Literal(exponent)))
        order = sum_order(base.order[0], power.text) if base.level == SUM else (*base.order[:3], natural(power.text))
        return power._replace(order=order, base=base, exponent=exponent)

    @staticmethod
    def _coefficient(a: Number, b: Number, divides: bool) -> Number | None:
        """Two coefficients as one, where that does not round."""
        if b == 1 or not _merge(a, b, 1):
            return a if b == 1 else None
        if not divides:
            return a * b
        return None if isinstance(b, float) else Fraction(a) / Fraction(b)

    def _power(self, n: Node, a: Piece, b: Piece) -> Piece:
        base = self.done(a)
        written = self.power(base, self.done(b))
        if isinstance(b, Literal) and isinstance(b.value, int) and b.value > 0:
            factors = self._powers_of_factors(a, b.value) if isinstance(a, Product) else ()
            return written._replace(base=self.placed(n.args[0], base), exponent=b.value, factors=factors)
        return written

    def _powers_of_factors(self, product: Product, exponent: int) -> tuple[Factor, ...]:
        """None of a product with a number or a division, whose powers are nodes of their own."""
        has_others = product.coefficient != 1 or product.fixed or any(f.divides for f in product.factors)
        factors = () if has_others else product.factors
        return tuple(Factor(False, self._raised(f.written, exponent * f.written.exponent)) for f in factors)

    # Conditions, choices, blocks

    def _relation(self, n: Node, a: Piece, b: Piece) -> Piece:
        sign = "<" if n.op == "lt" else self.at_most
        return Written(self.done(a).text + self.between(sign) + self.done(b).text, LOWEST)

    def _connective(self, n: Node, a: Piece, b: Piece) -> Piece:
        sign, level = (self.conjunction, AND) if n.op == "and" else (self.disjunction, OR)
        one, other = self.done(a), self.done(b)
        if other.level == level and one.level != level:
            one, other = other, one
        return Written(self.tight(one, level) + self.between(sign) + self.tight(other, level + 1), level)

    def _equality(self, n: Node, a: Piece, b: Piece) -> Piece:
        return self.equality(self.done(a).text, self.done(b).text)

    def _not(self, n: Node, a: Piece) -> Piece:
        return Written(self.negation + self.tight(self.done(a), NOT), NOT)

    def _where(self, n: Node, condition: Piece, a: Piece, b: Piece) -> Piece:
        return self.choice(self.done(condition).text, self.done(a).text, self.done(b).text)

    def _call(self, n: Node, *args: Piece) -> Piece:
        return self.call(n.data.name, [self.done(a).text for a in args])

    def _factor(self, n: Node, *entries: Piece) -> Piece:
        full, size = n.data.full([self.done(e).text for e in entries]), n.data.n
        return self.factors(n.data.kind, [full[i * size : (i + 1) * size] for i in range(size)])

    def _solve(self, n: Node, factors: Piece, *right: Piece) -> Piece:
        return self.solution(self.done(factors), [self.done(e).text for e in right], n.data)

    def _item(self, n: Node, block: Piece) -> Piece:
        return self.item(self.done(block), n.data)


_PIECES: Final[dict[str, Callable[..., Piece]]] = {
    "symbol": lambda style, n: style.symbol(n),
    "const": lambda style, n: Literal(style.number(n.data)),
    "pi": lambda style, n: style.name("pi"),
    "true": lambda style, n: style.name(str(n.data)),
    "add": Style._add,
    "sub": Style._subtract,
    "neg": Style._negate,
    "settled": lambda style, n, a: a,
    "mul": Style._multiply,
    "div": Style._divide,
    "pow": Style._power,
    "lt": Style._relation,
    "le": Style._relation,
    "eq": Style._equality,
    **dict.fromkeys(("and", "or"), Style._connective),
    "not": Style._not,
    "where": Style._where,
    "call": Style._call,
    "factor": Style._factor,
    "solve": Style._solve,
    "item": Style._item,
}

# ---------------------------------------------------------------------------------------------------------- plain text


class _Text(Style):
    """Plain text as a person types it; evaluated with the functions of symbody it gives the expression again."""

    keeps_grouping = True
    before_unit = "*"
    conjunction, disjunction, negation, at_most = "&", "|", "~", "<="
    _public: Final = {"min": "minimum", "max": "maximum"}

    def name(self, name: str) -> Written:
        return Written(name)

    def symbol(self, s: Symbol) -> Written:
        return Written(s.name)

    def positive(self, value: Number) -> Written:
        return Written(self.digits(value), PRODUCT if isinstance(value, Fraction) else ATOM)

    def quotient(self, product: Product) -> Written:
        top, bottom = ratio(product.coefficient)
        factors = self._sorted_factors(product)
        if bottom != 1:
            factors = self._over_integer(factors, bottom)
        if top != 1 or not factors or factors[0].divides:
            factors.insert(0, Factor(False, Written(self.digits(top))))
        texts = [("/" if f.divides else "*") + self.tight(f.written, POWER) for f in factors]
        return Written("".join(texts)[1:], PRODUCT)

    def _over_integer(self, factors: list[Factor], number: int) -> list[Factor]:
        """x/2; and a/(2*b) rather than a/b/2."""
        if not factors or not factors[-1].divides:
            return [*factors, Factor(True, Written(self.digits(number)))]
        last = factors[-1].written
        text = self.tight(last, POWER if last.text[0].isdigit() else PRODUCT)
        return [*factors[:-1], Factor(True, Written(f"{self.digits(number)}*{text}", PRODUCT))]

    def power(self, base: Written, exponent: Written) -> Written:
        return Written(f"{self.tight(base, ATOM)}**{self.tight(exponent, ATOM)}", POWER)

    def function(self, op: str, args: list[str]) -> Written:
        return self.call(self._public.get(op, op), args)

    def call(self, name: str, args: list[str]) -> Written:
        return Written(f"{name}({', '.join(args)})", ATOM, name)

    def choice(self, condition: str, a: str, b: str) -> Written:
        return self.call("where", [condition, a, b])

    def equality(self, a: str, b: str) -> Written:
        return self.call("equal", [a, b])

    def factors(self, kind: str, rows: list[list[str]]) -> Written:
        inner = f"{kind}, [{'; '.join(map(', '.join, rows))}]"
        return Written(f"factor({inner})", ATOM, inner)

    def solution(self, factors: Written, right: list[str], transposed: bool) -> Written:
        return self.call("solve", [(factors.head or factors.text) + ".T" * transposed, f"[{', '.join(right)}]"])

    def bracketed(self, text: str) -> str:
        return f"({text})"

    def matrix(self, rows: list[list[str]]) -> str:
        if len(rows[0] if rows else ()) == 1:
            return f"vector({self._argument_list([r[0] for r in rows])})"
        return f"matrix([{self._argument_list(['[' + ', '.join(r) + ']' for r in rows])}])"

    def _argument_list(self, parts: list[str]) -> str:
        if sum(map(len, parts)) <= LINE_WIDTH:
            return ", ".join(parts)
        return "\n" + "".join(f"    {p},\n" for p in parts)

    def page(self, definitions: Definitions, left_out: int, results: tuple[str, ...]) -> str:
        lines = [f"{name} = {value}" for name, value in definitions]
        if left_out:
            lines.append(f"... ({left_out} more intermediates)")
        return "\n".join([*lines, *results])


class _ExactText(_Text):
    """Text that gives the same expression again, floats with all their digits."""

    is_exact = True


# ---------------------------------------------------------------------------------------------------------- LaTeX

_GREEK: Final = {
    **{n: "\\" + n for n in GREEK if n != "omicron"},  # which TeX has no command for
    "lam": r"\lambda", "eps": r"\epsilon",
}  # fmt: skip
_LATEX_FUNCTIONS: Final = {
    **{n: "\\" + n for n in "sin cos tan sinh cosh tanh min max".split()},
    "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "log": r"\ln",
}  # fmt: skip
_NAME_PARTS: Final = re.compile(r"([A-Za-z]+?)(\d*)((?:_[A-Za-z0-9]+)*)")
_DOTS: Final = ("{}", r"\dot{{{}}}", r"\ddot{{{}}}", r"\dddot{{{}}}")


def name_parts(name: str) -> tuple[str, list[str]]:
    """Base and subscripts of a name: `theta1` is theta and 1, `w_fork_x` is w and fork, x."""
    parts = _NAME_PARTS.fullmatch(name)
    return (name, []) if parts is None else (parts[1], [p for p in (parts[2], *parts[3].split("_")) if p])


def latex_name(name: str, order: int = 0) -> str:
    r"""`theta1` as \theta_{1}, `w_fork_x` as w_{fork,x}, with dots for time derivatives."""
    letter, below = name_parts(name)
    base = _GREEK.get(letter) or (letter if len(letter) == 1 else rf"\mathit{{{_with_escaped_underscores(letter)}}}")
    subscript = f"_{{{','.join(_GREEK.get(p, p) for p in below)}}}" if below else ""
    if order >= len(_DOTS):
        return f"{base}{subscript}^{{({order})}}"
    return _DOTS[order].format(base) + subscript


def _with_escaped_underscores(name: str) -> str:
    return name.replace("_", r"\_")


class Typeset(Style):
    """Styles with fractions, and products written side by side."""

    keeps_grouping = False

    @abstractmethod
    def fraction(self, top: str, bottom: str) -> str: ...

    @abstractmethod
    def times(self, factor: str) -> str:
        """The sign in front of a factor that is not the first."""

    def quotient(self, product: Product) -> Written:
        over, under = ratio(product.coefficient)
        factors = self._sorted_factors(product._replace(fixed=0))
        above, below = ([f.written for f in factors if f.divides == divides] for divides in (False, True))
        top = self._beside([self.positive(over)] * (over != 1) + above)
        bottom = self._beside([self.positive(under)] * (under != 1) + below)
        if bottom:
            return Written(self.fraction(top or self.positive(1).text, bottom), PRODUCT)
        return Written(top, above[0].level if len(above) == 1 and over == 1 else PRODUCT)

    def _beside(self, factors: list[Written]) -> str:
        if len(factors) < 2:
            return "".join(f.text for f in factors)
        texts = [self.tight(f, PRODUCT) for f in factors]
        return texts[0] + "".join(self.times(t) + t for t in texts[1:])


class _Latex(Typeset):
    before_unit = r"\,"
    conjunction, disjunction, negation, at_most = r"\wedge", r"\vee", r"\neg ", r"\leq"

    def name(self, name: str) -> Written:
        return Written(rf"\text{{{name.lower()}}}" if name in ("True", "False") else latex_name(name))

    def symbol(self, s: Symbol) -> Written:
        return Written(latex_name(s.stem, s.order), ATOM if s.order < len(_DOTS) else POWER)

    def positive(self, value: Number) -> Written:
        if isinstance(value, Fraction):
            return Written(rf"\frac{{{self.digits(value.numerator)}}}{{{self.digits(value.denominator)}}}", PRODUCT)
        mantissa, e, exponent = self.digits(value).partition("e")
        if not e or isinstance(value, int):
            return Written(self.digits(value))
        return Written(rf"{mantissa} \cdot 10^{{{int(exponent)}}}", PRODUCT)

    def fraction(self, top: str, bottom: str) -> str:
        return rf"\frac{{{top}}}{{{bottom}}}"

    def times(self, factor: str) -> str:
        return r" \cdot " if factor[0].isdigit() else " "

    def power(self, base: Written, exponent: Written) -> Written:
        if base.head:
            return Written(f"{base.head}^{{{exponent.text}}}{base.text.removeprefix(base.head)}", POWER)
        return Written(f"{self.tight(base, ATOM)}^{{{exponent.text}}}", POWER)

    def function(self, op: str, args: list[str]) -> Written:
        if op == "sqrt":
            return Written(rf"\sqrt{{{args[0]}}}")
        if op == "abs":
            return Written(rf"\left|{args[0]}\right|")
        if op == "exp":
            return Written(f"e^{{{args[0]}}}", POWER)
        return self._function_call(_LATEX_FUNCTIONS.get(op) or rf"\operatorname{{{op}}}", args)

    def call(self, name: str, args: list[str]) -> Written:
        return self._function_call(
            name if len(name) == 1 else rf"\operatorname{{{_with_escaped_underscores(name)}}}", args
        )

    def _function_call(self, head: str, args: list[str]) -> Written:
        return Written(head + self.bracketed(", ".join(args)), ATOM, head)

    def choice(self, condition: str, a: str, b: str) -> Written:
        rows = rf"{a} & \text{{if }} {condition} \\ {b} & \text{{otherwise}}"
        return Written(rf"\begin{{cases}} {rows} \end{{cases}}", LOWEST)

    def equality(self, a: str, b: str) -> Written:
        return Written(f"{a} = {b}", LOWEST)

    def factors(self, kind: str, rows: list[list[str]]) -> Written:
        return Written(self.matrix(rows))

    def solution(self, factors: Written, right: list[str], transposed: bool) -> Written:
        exponent = r"-\mathsf{T}" if transposed else "-1"
        return Written(f"{factors.text}^{{{exponent}}} {self.matrix([[e] for e in right])}", PRODUCT)

    def bracketed(self, text: str) -> str:
        return rf"\left({text}\right)"

    def matrix(self, rows: list[list[str]]) -> str:
        return r"\begin{bmatrix} " + r" \\ ".join(map(" & ".join, rows)) + r" \end{bmatrix}"

    def page(self, definitions: Definitions, left_out: int, results: tuple[str, ...]) -> str:
        lines = [f"{name} &= {value}" for name, value in definitions]
        if left_out:
            lines.append(rf"& \ldots \text{{ ({left_out} more intermediates)}}")
        if not lines and len(results) == 1:
            return results[0]
        lines += [f"& {r}" for r in results]
        return r"\begin{aligned} " + " \\\\\n".join(lines) + r" \end{aligned}"


TEXT: Final[Style] = _Text()
EXACT_TEXT: Final[Style] = _ExactText()
LATEX: Final[Style] = _Latex()
