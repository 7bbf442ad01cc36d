"""`from_sympy`: SymPy's expressions, conditions and matrices on the graph, linear in nodes and without recursion;
objects of SymPy's mechanics, from vectors to equations of motion, are passed to later stages.

    SymPy                                    here
    Symbol("m")                              parameter m; t is time
    dynamicsymbols("q"), Derivative(q, t)    coordinate q, its speed q.dot; all other kinds are given by `symbols=`
    Piecewise((a, c), (b, True))             where(c, a, b)
    Heaviside(x)                             where(x < 0, 0, where(x > 0, 1, 1/2))
    Function("f")(x, y)                      call of the ExternalFunction f, given by `symbols=`
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import BooleanFalse, BooleanFunction, BooleanTrue
from sympy.physics.vector import dynamicsymbols

from ...argument_kinds import answered
from ...errors import ExpressionError, listed, shown
from ...later import later
from ..graph.functions import ExternalFunction
from ..graph.graph import (
    FALSE,
    ONE,
    PI,
    TRUE,
    TWO,
    ZERO,
    Condition,
    Expr,
    Node,
    Symbol,
    as_expr,
    constant,
    make,
    make1,
    make2,
    symbol,
)
from ..graph.matrix import Matrix
from .sympy_form import SympyForm


@answered
def from_sympy(x: Any, symbols: Mapping[Any, Any] | Iterable[Symbol] | None = None) -> Any:
    """Convert a SymPy expression, condition or matrix, or a result of `to_sympy`, to the graph, and equations of motion
    to `Equations`.

    Of sympy.physics.mechanics, `KanesMethod`, `LagrangesMethod` and `System` become `Equations`; frames, points,
    vectors, dyads and bodies become those of a model, in which `symbols` names the first frames and points:
    `from_sympy(v, {N: m.ground, O: m.ground.origin})`.

    symbols   the meaning of SymPy symbols that are not parameters, and of dynamicsymbols that are not coordinates: a
              mapping from SymPy symbols or their names to expressions (to an `ExternalFunction` for an undefined
              function), or a list of symbols, which are matched by name: `from_sympy(x, [u, tau])`

    >>> import sympy
    >>> x, y = sympy.symbols("x y")
    >>> sb.from_sympy(sympy.expand((x + y)**2) * sympy.sin(x))
    (x**2 + y**2 + 2*x*y)*sin(x)

    See also: `to_sympy`, `from_equations`.
    """
    given = meanings(symbols)
    if isinstance(x, SympyForm):
        for s, value in x.intermediates:
            given[s] = _graph_form(value, given)
        x = x.result
    if isinstance(x, sympy.MatrixBase):
        return Matrix(x.rows, x.cols, tuple(scalar_of(_graph_form(e, given), e) for e in x.flat()))
    if isinstance(x, sympy.MatrixExpr):
        return from_sympy(x.as_explicit(), given)
    if not isinstance(x, sympy.Basic):
        if type(x).__module__.startswith("sympy.physics."):
            return later("derivation.written.sympy_methods", "mechanics")(x, given)
        raise ExpressionError(f"from_sympy: {shown(x)} of type {type(x).__name__} is not a SymPy expression")
    return _graph_form(x, given)


def meanings(symbols: Mapping[Any, Any] | Iterable[Symbol] | None) -> dict[Any, Any]:
    if isinstance(symbols, Mapping):
        return dict(symbols)
    return {(s.stem, s.order) if s.order else s.name: s for s in symbols or ()}


def scalar_of(node: Any, source: Any) -> Expr:
    if isinstance(node, Expr):
        return node
    raise ExpressionError(f"from_sympy: {shown(source)} is not a scalar")


def _graph_form(x: sympy.Basic, given: Mapping[Any, Any]) -> Any:
    done: dict[int, Any] = {}  # by identity: SymPy's own hash and == recurse
    stack = [x]
    while stack:
        top = stack[-1]
        if id(top) in done:
            stack.pop()
        elif (leaf := _leaf(top, given)) is not None:
            done[id(top)] = leaf
        elif missing := [a for a in top.args if id(a) not in done]:
            stack.extend(reversed(missing))
        else:
            done[id(top)] = _node_of(top, [done[id(a)] for a in top.args], given)
    return done[id(x)]


# What has no parts


def _leaf(x: sympy.Basic, given: Mapping[Any, Any]) -> Any:
    """The conversion of an object that has no arguments to convert first, or None."""
    if isinstance(x, sympy.Symbol):
        return _symbol(x, given)
    if isinstance(x, AppliedUndef) and _is_of_time(x):
        return _of_time(x, given)
    if isinstance(x, sympy.Derivative):
        return _rate(x, given)
    if isinstance(x, (BooleanTrue, BooleanFalse)):
        return TRUE if x else FALSE
    if not x.args:
        return _number(x)
    _check_parts(x)
    return None


def _is_time(x: Any) -> bool:
    return isinstance(x, sympy.Symbol) and (x == dynamicsymbols._t or x.name == "t")


def _is_of_time(x: AppliedUndef) -> bool:
    return len(x.args) == 1 and _is_time(x.args[0])


def _symbol(x: sympy.Symbol, given: Mapping[Any, Any]) -> Any:
    meaning = given.get(x, given.get(x.name))
    if meaning is not None:
        return meaning if isinstance(meaning, Node) else as_expr(meaning)
    return symbol("t", "time") if _is_time(x) else symbol(x.name)


def _of_time(x: AppliedUndef, given: Mapping[Any, Any]) -> Expr:
    name = x.func.__name__
    meaning = given.get(x, given.get(x.func, given.get(name)))
    if isinstance(meaning, ExternalFunction):
        return meaning(symbol("t", "time"))
    return symbol(name, "coordinate") if meaning is None else as_expr(meaning)


def _rate(x: sympy.Derivative, given: Mapping[Any, Any]) -> Expr:
    if x in given:
        return as_expr(given[x])
    what, by = x.expr, x.variable_count
    if len(by) != 1 or not _is_time(by[0][0]) or not by[0][1].is_Integer:
        raise ExpressionError(
            f"from_sympy: {shown(x)} is not a time derivative; call .doit() on it, or name it in symbols="
        )
    if not isinstance(what, AppliedUndef) or not _is_of_time(what):
        raise ExpressionError(f"from_sympy: {shown(x)} is not yet carried out; call .doit() on it")
    order = int(by[0][1])
    if (what.func.__name__, order) in given:
        return as_expr(given[what.func.__name__, order])
    out = _of_time(what, given)
    for _ in range(order):
        if not isinstance(out, Symbol):
            raise ExpressionError(
                f"from_sympy: {shown(x)} is the rate of {shown(out)}, which is not a symbol; name it in symbols="
            )
        out = out.dot
    return out


def _number(x: sympy.Basic) -> Expr:
    if isinstance(x, sympy.Rational):
        return constant(Fraction(int(x.p), int(x.q)))
    if isinstance(x, sympy.Float) and math.isfinite(float(x)):
        return constant(float(x))
    if x is sympy.pi:
        return PI
    if x is sympy.E:
        return make1("exp", ONE)
    if isinstance(x, sympy.NumberSymbol):
        return constant(float(x))
    reason = "expressions are real and finite" if isinstance(x, sympy.Expr) else "it is not a scalar"
    raise ExpressionError(f"from_sympy: {shown(x)} cannot stand in an expression: {reason}")


# What has parts


def _check_parts(x: sympy.Basic) -> None:
    """Refuse an object without counterpart before its parts are converted, so that the message names the whole."""
    if not isinstance(x, AppliedUndef):
        _counterpart(x)
    if isinstance(x, sympy.Piecewise) and sympy.Or(*(condition for _, condition in x.args)) is not sympy.true:
        raise ExpressionError(
            f"from_sympy: {shown(x)} has no value where none of its conditions holds; end it with a branch "
            "(value, True)"
        )


def _node_of(x: sympy.Basic, args: list[Any], given: Mapping[Any, Any]) -> Any:
    if isinstance(x, AppliedUndef):
        return _external_call(x, args, given)
    _check_kinds(x, args)
    return _counterpart(x)(*args)


def _counterpart(x: sympy.Basic) -> Callable[..., Any]:
    for kind in type(x).__mro__:
        if kind in _FROM:
            return _FROM[kind]
    known = sorted(k.__name__ for k in _FROM if issubclass(k, sympy.Function))
    raise ExpressionError(
        f"from_sympy: {type(x).__name__} in {shown(x)} has no counterpart; there are {listed(known, 40)}. "
        "Rewrite it in these, or use an sb.algebra.ExternalFunction, which has a name, derivatives and code of yours"
    )


def _check_kinds(x: sympy.Basic, args: list[Any]) -> None:
    """Numbers where numbers belong, truth values where these do: SymPy's symbols can be both."""
    if isinstance(x, sympy.Piecewise):
        return  # its branches were checked
    wanted: list[type[Node]] = [Condition if isinstance(x, BooleanFunction) else Expr] * len(args)
    if isinstance(x, ExprCondPair):
        wanted = [Expr, Condition]
    for source, node, kind in zip(x.args, args, wanted, strict=True):
        if not isinstance(node, kind):
            what = "a condition" if kind is Condition else "a number"
            raise ExpressionError(f"from_sympy: {shown(source)} in {shown(x)} is not {what}")


def _external_call(x: AppliedUndef, args: list[Any], given: Mapping[Any, Any]) -> Any:
    name = x.func.__name__
    meaning = given.get(x, given.get(x.func, given.get(name)))
    if isinstance(meaning, ExternalFunction):
        return meaning(*args)
    if meaning is not None:
        return as_expr(meaning)
    raise ExpressionError(
        f"from_sympy: the function {name} in {shown(x)} is not defined; functions of t alone are coordinates, others "
        f"are given a meaning by symbols={{{name!r}: sb.algebra.ExternalFunction({name!r}, {len(args)}, ...)}}"
    )


def _age(node: Expr) -> tuple[bool, int]:
    """Sort key of terms: the order in which they were created, hence written; numbers last."""
    inner = node.args[0] if node.op == "neg" else node
    return inner.op == "const", inner.serial


def _sum(*terms: Expr) -> Expr:
    return reduce(lambda a, b: make2("add", a, b), sorted(terms, key=_age))


def _product(*factors: Expr) -> Expr:
    """Numerator over denominator, times the number."""
    top = sorted((f for f in factors if not _is_reciprocal(f)), key=_age)
    bottom = sorted((f.args[1] for f in factors if _is_reciprocal(f)), key=_age)
    numbers = [f for f in top if f.op == "const"]
    out = reduce(_times, (f for f in top if f.op != "const"), ONE)
    if bottom:
        out = make2("div", out, reduce(_times, bottom))
    return reduce(_times, numbers, out)


def _times(a: Expr, b: Expr) -> Expr:
    return make2("mul", a, b)


def _is_reciprocal(f: Expr) -> bool:
    return f.op == "div" and f.args[0] is ONE


def _power(base: Expr, exponent: Expr) -> Expr:
    if base.op == "exp" and base.args[0] is ONE:
        return make1("exp", exponent)
    return make2("pow", base, exponent)


def _piecewise(*pairs: tuple[Any, Any]) -> Expr:
    value = pairs[-1][0]
    for x, condition in reversed(pairs[:-1]):
        value = make("where", (condition, x, value))
    return value


def _both(a: Any, b: Any) -> Any:
    return make("and", (a, b))


def _either(a: Any, b: Any) -> Any:
    return make("or", (a, b))


def _not(a: Any) -> Any:
    return make("not", (a,))


def _unary(op: str) -> Callable[[Expr], Expr]:
    return lambda x: make1(op, x)


def _one_over(op: str) -> Callable[[Expr], Expr]:
    return lambda x: make2("div", ONE, make1(op, x))


def _reduction_by(op: str) -> Callable[..., Any]:
    return lambda *args: reduce(lambda a, b: make(op, (a, b)), args)


_FROM: Final[dict[type, Callable[..., Any]]] = {
    sympy.Add: _sum,
    sympy.Mul: _product,
    sympy.Pow: _power,
    sympy.UnevaluatedExpr: lambda inside: inside,  # curves of sympy.physics.biomechanics are written with these
    **{getattr(sympy, op): _unary(op) for op in "exp log sin cos tan asin acos atan sinh cosh tanh sign".split()},
    sympy.Abs: _unary("abs"),
    sympy.sec: _one_over("cos"),
    sympy.csc: _one_over("sin"),
    sympy.cot: _one_over("tan"),
    sympy.sech: _one_over("cosh"),
    sympy.csch: _one_over("sinh"),
    sympy.coth: _one_over("tanh"),
    sympy.asinh: lambda x: make1("log", x + make1("sqrt", x**TWO + ONE)),
    sympy.acosh: lambda x: make1("log", x + make1("sqrt", x**TWO - ONE)),
    sympy.atanh: lambda x: make1("log", (ONE + x) / (ONE - x)) / TWO,
    sympy.atan2: lambda y, x: make2("atan2", y, x),
    sympy.Min: _reduction_by("min"),
    sympy.Max: _reduction_by("max"),
    sympy.Piecewise: _piecewise,
    sympy.Heaviside: lambda x, middle: make("where", (x < 0, ZERO, make("where", (x > 0, ONE, middle)))),
    ExprCondPair: lambda x, condition: (x, condition),
    sympy.re: lambda x: x,  # all our numbers are real; SymPy's are complex unless declared otherwise
    sympy.im: lambda x: ZERO,
    sympy.conjugate: lambda x: x,
    sympy.StrictLessThan: lambda a, b: make("lt", (a, b)),
    sympy.LessThan: lambda a, b: make("le", (a, b)),
    sympy.StrictGreaterThan: lambda a, b: make("lt", (b, a)),
    sympy.GreaterThan: lambda a, b: make("le", (b, a)),
    sympy.Equality: lambda a, b: make("eq", (a, b)),
    sympy.Unequality: lambda a, b: _not(make("eq", (a, b))),
    sympy.And: _reduction_by("and"),
    sympy.Or: _reduction_by("or"),
    sympy.Not: _not,
    sympy.Xor: lambda *args: reduce(lambda a, b: _either(_both(a, _not(b)), _both(_not(a), b)), args),
    sympy.ITE: lambda condition, a, b: _either(_both(condition, a), _both(_not(condition), b)),
}
