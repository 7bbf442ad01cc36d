"""Rewriting rules of functions, choices and conditions; those of sums, products and powers are in `rules.py`."""

from __future__ import annotations

from fractions import Fraction

from ....errors import ExpressionError
from ..graph import FALSE, TRUE, ZERO, Condition, Expr, Node, Symbol, constant, make, make1
from ..reading_order import natural
from .rule_table import rule
from .rules import neg, sub, term


@rule("exp", "log")
def _(a: Expr) -> Expr:
    """exp(log(a)) = a"""
    return a.args[0]


@rule("log", "exp")
def _(a: Expr) -> Expr:
    """log(exp(a)) = a"""
    return a.args[0]


@rule("sin", "asin")
def _(a: Expr) -> Expr:
    """sin(asin(a)) = a"""
    return a.args[0]


@rule("cos", "acos")
def _(a: Expr) -> Expr:
    """cos(acos(a)) = a"""
    return a.args[0]


@rule("tan", "atan")
def _(a: Expr) -> Expr:
    """tan(atan(a)) = a"""
    return a.args[0]


@rule("abs", "abs")
def _(a: Expr) -> Expr:
    """abs(abs(a)) = abs(a)"""
    return a


@rule("abs", "sqrt")
def _(a: Expr) -> Expr:
    """abs(sqrt(a)) = sqrt(a)"""
    return a


def _odd(op: str) -> None:
    @rule(op, "neg")
    def _(a: Expr) -> Expr:
        return neg(make1(op, a.args[0]))

    _.__doc__ = f"{op}(-a) = -{op}(a)"


def _register_even(op: str) -> None:
    @rule(op, "neg")
    def _(a: Expr) -> Expr:
        return make1(op, a.args[0])

    _.__doc__ = f"{op}(-a) = {op}(a)"


for _op in "sin tan asin atan sinh tanh sign".split():
    _odd(_op)
for _op in "cos cosh abs".split():
    _register_even(_op)


def _negative_constant(op: str) -> None:
    """An exact negative argument that no rule folded: sin(-2) = -sin(2)."""

    @rule(op, "const")
    def _(a: Expr) -> Expr | None:
        if a.data >= 0:
            return None
        out = make1(op, constant(-a.data))
        return out if op in ("cos", "cosh") else neg(out)

    _.__doc__ = f"{op}(-2) = {'' if op in ('cos', 'cosh') else '-'}{op}(2)"


for _op in "sin cos tan atan sinh cosh tanh".split():
    _negative_constant(_op)


def _quarter_turns(a: Expr) -> tuple[int, Expr] | None:
    """An angle as n quarter turns plus a rest, where it is written so (n not zero)."""
    if a.op == "pi":
        return 2, ZERO
    c, x = term(a)
    if x.op == "pi" and isinstance(c, (int, Fraction)) and Fraction(2 * c).denominator == 1:
        return int(2 * c), ZERO
    if a.op in ("add", "sub"):
        for i in (0, 1):
            found = _quarter_turns(a.args[i]) if a.args[i].op in ("pi", "mul", "neg") else None
            if found is not None and found[1] is ZERO:
                if a.op == "add":
                    return found[0], a.args[1 - i]
                return (found[0], neg(a.args[1])) if i == 0 else (-found[0], a.args[0])
    if a.op == "neg" and (found := _quarter_turns(a.args[0])) is not None:
        return -found[0], neg(found[1])
    return None


def _shifted_by_quarter_turns(op: str, n: int, x: Expr) -> Expr:
    """sin or cos of x + n quarter turns."""
    n = (n + (op == "cos")) % 4  # cos(x) = sin(x + quarter turn)
    out = make1("sin" if n % 2 == 0 else "cos", x)
    return neg(out) if n >= 2 else out


def _register_shift(op: str, shape: str, says: str) -> None:
    @rule(op, shape)
    def _(a: Expr) -> Expr | None:
        found = _quarter_turns(a)
        return None if found is None else _shifted_by_quarter_turns(op, *found)

    _.__doc__ = says


_register_shift("sin", "pi", "sin(pi) = 0")
_register_shift("cos", "pi", "cos(pi) = -1")
_register_shift("sin", "mul", "sin(pi / 2) = 1")
_register_shift("cos", "mul", "cos(pi / 2) = 0")
_register_shift("sin", "add", "sin(a + pi / 2) = cos(a)")
_register_shift("cos", "add", "cos(a + pi / 2) = -sin(a)")
_register_shift("sin", "sub", "sin(pi - a) = sin(a)")
_register_shift("cos", "sub", "cos(a - pi / 2) = sin(a)")


def _tangent_shifted(shape: str, says: str) -> None:
    @rule("tan", shape)
    def _(a: Expr) -> Expr | None:
        found = _quarter_turns(a)
        if found is None:
            return None
        n, x = found
        if n % 2 == 0:
            return make1("tan", x)
        if x is ZERO:
            raise ExpressionError(f"tan({a!r}) has no value: the tangent has a pole there")
        return None  # -1 / tan(a) has poles where tan(a + pi / 2) has none

    _.__doc__ = says


_tangent_shifted("pi", "tan(pi) = 0")
_tangent_shifted("mul", "tan(2 * pi) = 0")
_tangent_shifted("add", "tan(a + pi) = tan(a)")
_tangent_shifted("sub", "tan(pi - a) = -tan(a)")


def _is_turned(a: Expr, b: Expr) -> bool:
    """Whether b - a is the way to write the difference of two symbols. (Other differences may be written anew as sums,
    in an order of their own.)"""
    return isinstance(a, Symbol) and isinstance(b, Symbol) and natural(a.name) > natural(b.name)


@rule("cos", "sub")
def _(a: Expr) -> Expr | None:
    """cos(b - a) = cos(a - b)"""
    return make1("cos", sub(a.args[1], a.args[0])) if _is_turned(*a.args) else None


@rule("sin", "sub")
def _(a: Expr) -> Expr | None:
    """sin(b - a) = -sin(a - b)"""
    return neg(make1("sin", sub(a.args[1], a.args[0]))) if _is_turned(*a.args) else None


@rule("min", "any", "any")
def _(a: Expr, b: Expr) -> Expr | None:
    """min(a, a) = a"""
    return a if a is b else None


@rule("max", "any", "any")
def _(a: Expr, b: Expr) -> Expr | None:
    """max(a, a) = a"""
    return a if a is b else None


# ---------------------------------------------------------------------------------------------------------- conditions


def _truth(value: bool) -> Condition:
    return TRUE if value else FALSE


@rule("lt", "const", "const")
def _(a: Expr, b: Expr) -> Node:
    return _truth(a.data < b.data)


@rule("le", "const", "const")
def _(a: Expr, b: Expr) -> Node:
    return _truth(a.data <= b.data)


@rule("eq", "const", "const")
def _(a: Expr, b: Expr) -> Node:
    return _truth(a.data == b.data)


@rule("lt", "any", "any")
def _(a: Expr, b: Expr) -> Node | None:
    return FALSE if a is b else None


@rule("le", "any", "any")
def _(a: Expr, b: Expr) -> Node | None:
    return TRUE if a is b else None


@rule("eq", "any", "any")
def _(a: Expr, b: Expr) -> Node | None:
    return TRUE if a is b else None


@rule("and", "true", "any")
def _(a: Condition, b: Condition) -> Node:
    return b if a is TRUE else FALSE


@rule("or", "true", "any")
def _(a: Condition, b: Condition) -> Node:
    return TRUE if a is TRUE else b


@rule("and", "any", "any")
def _(a: Condition, b: Condition) -> Node | None:
    return a if a is b else None


@rule("or", "any", "any")
def _(a: Condition, b: Condition) -> Node | None:
    return a if a is b else None


@rule("not", "true")
def _(a: Condition) -> Node:
    return _truth(a is FALSE)


@rule("not", "not")
def _(a: Condition) -> Node:
    return a.args[0]


@rule("where", "any", "any", "any")
def _(condition: Condition, a: Expr, b: Expr) -> Expr | None:
    """where(a < b, x, x) = x"""
    if a is b:
        return a
    if condition is TRUE or condition is FALSE:
        return a if condition is TRUE else b
    if condition.op == "not":
        return make("where", (condition.args[0], b, a))
    return None
