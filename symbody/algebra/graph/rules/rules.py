"""The rewriting rules of the constructors, as a table.

Each rule is one function whose docstring is the identity that it uses; a, b, x, y are any expressions, c and d
constants, n integers. They keep graphs small without ever making an operation count larger, and they keep numbers
exact. Identities hold wherever both sides have a value (as for `a / a = 1`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from ....errors import ExpressionError
from ..graph import (
    ONE,
    TWO,
    ZERO,
    Expr,
    Number,
    addition,
    constant,
    difference,
    make1,
    make2,
    product,
)
from .rule_table import rule

EXACT_BITS: Final = 1024  # largest length of an exact number; longer ones become floats


def neg(a: Expr) -> Expr:
    return make1("neg", a)


add, sub, mul = addition, difference, product


def div(a: Expr, b: Expr) -> Expr:
    return make2("div", a, b)


def power(a: Expr, n: Number) -> Expr:
    return make2("pow", a, constant(n))


# ---------------------------------------------------------------------------------------------------------- constants


def _is_exact(value: Number) -> bool:
    return not isinstance(value, float)


def folded_by(operation: Callable[[Any, Any], Number], a: Number, b: Number) -> Expr:
    """The constant that an operation makes of two."""
    try:
        return folded_constant(operation(a, b))
    except OverflowError:  # a float and an exact number larger than any float
        raise ExpressionError("a constant is larger than any number of the machine") from None


def folded_constant(value: Number) -> Expr:
    """A computed constant; exact ones that have grown too long are rounded."""
    if not isinstance(value, float) and max(value.numerator.bit_length(), value.denominator.bit_length()) > EXACT_BITS:
        try:
            value = float(value)
        except OverflowError:
            raise ExpressionError("a constant is larger than any number of the machine") from None
    return constant(value)


@rule("neg", "const")
def _(a: Expr) -> Expr:
    """-(2.5) = -2.5"""
    return constant(-a.data)


@rule("add", "const", "const")
def _(a: Expr, b: Expr) -> Expr:
    """1.5 + 2.25 = 3.75"""
    return folded_by(operator.add, a.data, b.data)


@rule("sub", "const", "const")
def _(a: Expr, b: Expr) -> Expr:
    """1.5 - 2.25 = -0.75"""
    return folded_by(operator.sub, a.data, b.data)


@rule("mul", "const", "const")
def _(a: Expr, b: Expr) -> Expr:
    """1.5 * 2.5 = 3.75"""
    return folded_by(operator.mul, a.data, b.data)


@rule("div", "any", "const")
def _(a: Expr, b: Expr) -> Expr:
    """a / 4 = Fraction(1, 4) * a"""
    if b.data == 0:
        raise ExpressionError(f"division of {a!r} by the constant zero")
    return mul(constant(1 / b.data if isinstance(b.data, float) else Fraction(1) / b.data), a)


@rule("pow", "const", "const")
def _(a: Expr, b: Expr) -> Expr | None:
    """3 ** 4 = 81"""
    base, exponent = a.data, b.data
    if base == 0 and exponent < 0:
        raise ExpressionError(f"0 to the power {exponent}: division by the constant zero")
    if _is_exact(base) and isinstance(exponent, int):
        size = max(Fraction(base).numerator.bit_length(), Fraction(base).denominator.bit_length())
        if size * abs(exponent) <= EXACT_BITS or abs(base) == 1 or base == 0:
            return constant(Fraction(base) ** exponent)
    elif _is_exact(base) and _is_exact(exponent):
        return None  # 2 ** (1/3) stays exact, as written
    try:
        out = float(base) ** float(exponent)
    except OverflowError:
        raise ExpressionError(f"{base} to the power {exponent} is larger than any number of the machine") from None
    if isinstance(out, complex):
        raise ExpressionError(f"{base} to the power {exponent} is not real")
    return constant(out)


_FUNCTIONS: Final[dict[str, Callable[[float], float]]] = {
    name: getattr(math, name) for name in "exp log sin cos tan asin acos atan sinh cosh tanh".split()
}
_AT_EXACT: Final = {  # values that exact arguments have exactly; all other exact arguments are kept as they are
    "exp": {0: 1}, "log": {1: 0}, "sin": {0: 0}, "cos": {0: 1}, "tan": {0: 0}, "asin": {0: 0}, "acos": {1: 0},
    "atan": {0: 0}, "sinh": {0: 0}, "cosh": {0: 1}, "tanh": {0: 0},
}  # fmt: skip


def _has_no_value(op: str, x: Number) -> bool:
    """Whether a function of an exact number, kept symbolic, has no value."""
    return x <= 0 if op == "log" else op in ("asin", "acos") and not -1 <= x <= 1


def _fold_function(op: str, a: Expr) -> Expr | None:
    if _is_exact(a.data):
        if _has_no_value(op, a.data):
            raise ExpressionError(f"{op}({a.data}) has no real value")
        known = _AT_EXACT[op].get(a.data)
        return None if known is None else constant(known)
    try:
        return constant(_FUNCTIONS[op](a.data))
    except (ValueError, OverflowError):
        raise ExpressionError(f"{op}({a.data}) has no real value") from None


for _op in _FUNCTIONS:
    rule(_op, "const")(lambda a, op=_op: _fold_function(op, a))


@rule("sqrt", "const")
def _(a: Expr) -> Expr | None:
    """sqrt(Fraction(9, 4)) = Fraction(3, 2)"""
    if a.data < 0:
        raise ExpressionError(f"sqrt({a.data}) has no real value")
    if isinstance(a.data, float):
        return constant(math.sqrt(a.data))
    value = Fraction(a.data)
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return constant(root) if root * root == value else None


@rule("abs", "const")
def _(a: Expr) -> Expr:
    """abs(-2.5) = 2.5"""
    return constant(abs(a.data))


@rule("sign", "const")
def _(a: Expr) -> Expr:
    """sign(-2.5) = -1"""
    return constant((a.data > 0) - (a.data < 0))


@rule("atan2", "const", "const")
def _(y: Expr, x: Expr) -> Expr | None:
    """atan2(0, 3) = 0"""
    if _is_exact(y.data) and _is_exact(x.data):
        return ZERO if y.data == 0 and x.data > 0 else None
    return constant(math.atan2(y.data, x.data))


@rule("min", "const", "const")
def _(a: Expr, b: Expr) -> Expr:
    """min(1.5, 2.5) = 1.5"""
    return a if a.data <= b.data else b


@rule("max", "const", "const")
def _(a: Expr, b: Expr) -> Expr:
    """max(1.5, 2.5) = 2.5"""
    return a if a.data >= b.data else b


# ---------------------------------------------------------------------------------------------------------- sums


@rule("neg", "neg")
def _(a: Expr) -> Expr:
    """-(-a) = a"""
    return a.args[0]


@rule("neg", "sub")
def _(a: Expr) -> Expr:
    """-(a - b) = b - a"""
    return sub(a.args[1], a.args[0])


@rule("sub", "any", "same")
def _(a: Expr, b: Expr) -> Expr:
    """a - a = 0"""
    return ZERO


@rule("sub", "any", "const")
def _(a: Expr, c: Expr) -> Expr:
    """a - 2.5 = a + -2.5"""
    return add(constant(-c.data), a)


@rule("sub", "const", "any")
def _(c: Expr, a: Expr) -> Expr | None:
    """0 - a = -a"""
    return neg(a) if c is ZERO else None


@rule("add", "any", "neg")
def _(a: Expr, b: Expr) -> Expr:
    """a + -b = a - b"""
    return sub(a, b.args[0])


@rule("sub", "any", "neg")
def _(a: Expr, b: Expr) -> Expr:
    """a - -b = a + b"""
    return add(a, b.args[0])


@rule("sub", "neg", "any")
def _(a: Expr, b: Expr) -> Expr:
    """-a - b = -(a + b)"""
    return neg(add(a.args[0], b))


@rule("add", "const", "add")
def _(c: Expr, s: Expr) -> Expr | None:
    """2 + (3 + a) = 5 + a"""
    d, a = s.args
    return add(folded_by(operator.add, c.data, d.data), a) if d.op == "const" else None


@rule("add", "const", "sub")
def _(c: Expr, s: Expr) -> Expr | None:
    """2 + (3 - a) = 5 - a"""
    d, a = s.args
    return sub(folded_by(operator.add, c.data, d.data), a) if d.op == "const" else None


@rule("sub", "const", "add")
def _(c: Expr, s: Expr) -> Expr | None:
    """2 - (3 + a) = -1 - a"""
    d, a = s.args
    return sub(folded_by(operator.sub, c.data, d.data), a) if d.op == "const" else None


@rule("sub", "const", "sub")
def _(c: Expr, s: Expr) -> Expr | None:
    """2 - (3 - a) = -1 + a"""
    d, a = s.args
    return add(folded_by(operator.sub, c.data, d.data), a) if d.op == "const" else None


@rule("add", "any", "sub")
def _(a: Expr, s: Expr) -> Expr | None:
    """a + (b - a) = b"""
    return s.args[0] if s.args[1] is a else None


@rule("sub", "add", "any")
def _(s: Expr, a: Expr) -> Expr | None:
    """(a + b) - a = b"""
    return s.args[1] if s.args[0] is a else s.args[0] if s.args[1] is a else None


@rule("sub", "any", "add")
def _(a: Expr, s: Expr) -> Expr | None:
    """a - (a + b) = -b"""
    return neg(s.args[1]) if s.args[0] is a else neg(s.args[0]) if s.args[1] is a else None


@rule("sub", "sub", "any")
def _(s: Expr, a: Expr) -> Expr | None:
    """(a - b) - a = -b"""
    return neg(s.args[1]) if s.args[0] is a else None


@rule("sub", "any", "sub")
def _(a: Expr, s: Expr) -> Expr | None:
    """a - (a - b) = b"""
    return s.args[1] if s.args[0] is a else None


def term(a: Expr) -> tuple[Number, Expr]:
    """A summand as number times rest."""
    if a.op == "mul" and a.args[0].op == "const":
        return a.args[0].data, a.args[1]
    return 1, a


@rule("add", "any", "same")
def _(a: Expr, b: Expr) -> Expr:
    """a + a = 2 * a"""
    return mul(TWO, a)


def like_terms(fold: Callable[[Any, Any], Number], a: Expr, b: Expr) -> Expr | None:
    """The sum or difference of two multiples of one expression."""
    (c, x), (d, y) = term(a), term(b)
    return mul(folded_by(fold, c, d), x) if x is y else None


@rule("add", "mul number", "any", symmetric=True)
def _(a: Expr, b: Expr) -> Expr | None:
    """2 * a + 3 * a = 5 * a"""
    return like_terms(operator.add, a, b)


@rule("sub", "mul number", "any")
def _(a: Expr, b: Expr) -> Expr | None:
    """5 * a - a = 4 * a"""
    return like_terms(operator.sub, a, b)


@rule("sub", "any", "mul number")
def _(a: Expr, b: Expr) -> Expr | None:
    """a - 5 * a = -(4 * a)"""
    return like_terms(operator.sub, a, b)


# ------------------------------------------------------------------------------------------------------ sin² + cos² = 1


def _square(a: Expr) -> tuple[str, Expr] | None:
    """("sin", x) for sin(x)²."""
    if a.op == "pow" and a.args[1] is TWO and a.args[0].op in ("sin", "cos"):
        return a.args[0].op, a.args[0].args[0]
    return None


def _are_partners(a: Expr, b: Expr) -> bool:
    one, other = _square(a), _square(b)
    return one is not None and other is not None and one[1] is other[1] and one[0] != other[0]


@rule("add", "pow", "pow")
def _(a: Expr, b: Expr) -> Expr | None:
    """sin(a) ** 2 + cos(a) ** 2 = 1"""
    return ONE if _are_partners(a, b) else None


@rule("sub", "const", "pow")
def _(c: Expr, a: Expr) -> Expr | None:
    """1 - sin(a) ** 2 = cos(a) ** 2"""
    found = _square(a)
    if c is not ONE or found is None:
        return None
    return power(make1("cos" if found[0] == "sin" else "sin", found[1]), 2)


# ---------------------------------------------------------------------------------------------------------- products


@rule("mul", "const negative", "any")
def _(c: Expr, a: Expr) -> Expr:
    """-2 * a = -(2 * a)"""
    return neg(mul(constant(-c.data), a))


@rule("mul", "neg", "any")
def _(a: Expr, b: Expr) -> Expr:
    """-a * b = -(a * b)"""
    return neg(mul(a.args[0], b))


@rule("mul", "const", "mul number")
def _(c: Expr, a: Expr) -> Expr:
    """2 * (3 * a) = 6 * a"""
    return mul(folded_by(operator.mul, c.data, a.args[0].data), a.args[1])


@rule("mul", "const", "div")
def _(c: Expr, a: Expr) -> Expr | None:
    """2 * (3 / a) = 6 / a"""
    return div(folded_by(operator.mul, c.data, a.args[0].data), a.args[1]) if a.args[0].op == "const" else None


@rule("mul", "any", "same")
def _(a: Expr, b: Expr) -> Expr:
    """a * a = a ** 2"""
    squared: Expr = make2("pow", a, TWO)
    return squared


def integer_power(a: Expr) -> tuple[Expr, int]:
    """An expression as base and integer exponent."""
    if a.op == "pow" and a.args[1].op == "const" and isinstance(a.args[1].data, int):
        return a.args[0], a.args[1].data
    return a, 1


@rule("mul", "pow", "any", symmetric=True)
def _(a: Expr, b: Expr) -> Expr | None:
    """a ** 2 * a ** 3 = a ** 5"""
    (x, m), (y, n) = integer_power(a), integer_power(b)
    return power(x, m + n) if x is y else None


@rule("mul", "any", "div")
def _(a: Expr, b: Expr) -> Expr | None:
    """a * (b / a) = b"""
    return b.args[0] if b.args[1] is a else None


@rule("div", "any", "same")
def _(a: Expr, b: Expr) -> Expr:
    """a / a = 1"""
    return ONE


@rule("div", "const", "any")
def _(c: Expr, a: Expr) -> Expr | None:
    """0 / a = 0"""
    return ZERO if c is ZERO else None


@rule("div", "const negative", "any")
def _(c: Expr, a: Expr) -> Expr:
    """-2 / a = -(2 / a)"""
    return neg(div(constant(-c.data), a))


@rule("div", "neg", "any")
def _(a: Expr, b: Expr) -> Expr:
    """-a / b = -(a / b)"""
    return neg(div(a.args[0], b))


@rule("div", "any", "neg")
def _(a: Expr, b: Expr) -> Expr:
    """a / -b = -(a / b)"""
    return neg(div(a, b.args[0]))


@rule("div", "mul", "any")
def _(a: Expr, b: Expr) -> Expr | None:
    """(a * b) / a = b"""
    x, y = a.args
    if x is b or y is b:
        return y if x is b else x
    return mul(x, div(y, b)) if x.op == "const" and (y is b or integer_power(y)[0] is b) else None


@rule("div", "any", "mul")
def _(a: Expr, b: Expr) -> Expr | None:
    """a / (a * b) = 1 / b"""
    x, y = b.args
    if x is a or y is a:
        return div(ONE, y if x is a else x)
    if x.op == "const":  # a / (2 * b) = (1/2) * a / b: the division by a number is done beforehand
        return mul(div(ONE, x), div(a, y)) if a.op != "const" else div(div(a, x), y)
    return None


@rule("div", "any", "div")
def _(a: Expr, b: Expr) -> Expr:
    """a / (b / x) = a * x / b"""
    return div(mul(a, b.args[1]), b.args[0])


@rule("div", "div", "any")
def _(a: Expr, b: Expr) -> Expr:
    """(a / b) / x = a / (b * x)"""
    return div(a.args[0], mul(a.args[1], b))


def _divide_powers(a: Expr, b: Expr) -> Expr | None:
    (x, m), (y, n) = integer_power(a), integer_power(b)
    return power(x, m - n) if x is y else None


@rule("div", "pow", "any")
def _(a: Expr, b: Expr) -> Expr | None:
    """a ** 3 / a = a ** 2"""
    return _divide_powers(a, b)


@rule("div", "any", "pow")
def _(a: Expr, b: Expr) -> Expr | None:
    """a / a ** 3 = 1 / a ** 2"""
    return _divide_powers(a, b)


# -------------------------------------------------------------------------------------------------------- powers, roots


@rule("pow", "any", "const")
def _(a: Expr, b: Expr) -> Expr | None:
    """a ** Fraction(3, 2) = a * sqrt(a)"""
    n = b.data
    if n == 0:
        return ONE
    if n == 1:
        return a
    if n < 0:
        return div(ONE, power(a, -n))
    if 2 * n == int(2 * n) and n != int(n) and n < 100:
        return mul(power(a, int(n)), make1("sqrt", a))
    return None


@rule("pow", "const", "any")
def _(c: Expr, a: Expr) -> Expr | None:
    """1 ** a = 1"""
    return ONE if c is ONE else None


@rule("pow", "pow", "const")
def _(a: Expr, b: Expr) -> Expr | None:
    """(a ** 2) ** 3 = a ** 6"""
    x, m = integer_power(a)
    return power(x, m * b.data) if isinstance(b.data, int) and x is not a else None


@rule("pow", "neg", "const")
def _(a: Expr, b: Expr) -> Expr | None:
    """(-a) ** 3 = -(a ** 3)"""
    if not isinstance(b.data, int):
        return None
    out = power(a.args[0], b.data)
    return neg(out) if b.data % 2 else out


@rule("pow", "mul", "const")
def _(a: Expr, b: Expr) -> Expr | None:
    """(2 * a) ** 3 = 8 * a ** 3"""
    c, x = a.args
    if c.op != "const" or not isinstance(b.data, int):
        return None
    return mul(power(c, b.data), power(x, b.data))


@rule("pow", "sqrt", "const")
def _(a: Expr, b: Expr) -> Expr | None:
    """sqrt(a) ** 4 = a ** 2"""
    n = b.data
    return power(a.args[0], n // 2) if isinstance(n, int) and n % 2 == 0 else None


@rule("pow", "abs", "const")
def _(a: Expr, b: Expr) -> Expr | None:
    """abs(a) ** 2 = a ** 2"""
    return power(a.args[0], b.data) if isinstance(b.data, int) and b.data % 2 == 0 else None


@rule("sqrt", "pow")
def _(a: Expr) -> Expr | None:
    """sqrt(a ** 2) = abs(a)"""
    return make1("abs", a.args[0]) if a.args[1] is TWO else None
