"""The border with SymPy: the only file that knows it.

`from_sympy` takes SymPy expressions, conditions and matrices in; `to_sympy` hands expressions out, with shared parts as
intermediates unless the whole is small. Both are linear in nodes and never recurse. `simplified` has small expressions
rewritten by SymPy, for the eye.

    SymPy                                    here
    Symbol("m")                              parameter m; t is time
    dynamicsymbols("q"), Derivative(q, t)    coordinate q, its speed q.dot; all other kinds are told by `symbols=`
    Piecewise((a, c), (b, True))             where(c, a, b)
    Function("f")(x, y)                      call of the ExternalFunction f, told by `symbols=`

Linear solves are undefined functions there, since SymPy shall not eliminate: `factor_general(*A by rows)`, with the
upper triangle only for `factor_definite` and `factor_indefinite`; `solve(factors, *b)` and
`solve_transposed(factors, *b)`; `solve_item(solution, i)` is unknown i.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from typing import Any, Final, NamedTuple

import sympy
from sympy.core.function import AppliedUndef
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import BooleanFalse, BooleanFunction, BooleanTrue
from sympy.physics.vector import dynamicsymbols
from sympy.printing.str import StrPrinter

from ..errors import ExpressionError, listed, shown
from ..escaping import as_python_literal
from .functions import ExternalFunction
from .graph import (
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
    intern,
    make,
    make1,
    make2,
    symbol,
)
from .labels import Labels
from .linear import KINDS as LINEAR_KINDS
from .linear import FactorShape
from .matrix import Matrix
from .printing import intermediates, nodes_of, tree_size_up_to
from .target_names import UniqueNames, is_python_reserved
from .walk import ordered

_BLOCKS: Final = {"solve", "solve_transposed", "solve_item", *(f"factor_{kind}" for kind in LINEAR_KINDS)}
_LINE_WIDTH: Final = 400  # longer parts become intermediates: SymPy recurses, and must not be given deep nests
_UNCOUNTABLE: Final = 10**15


class SympyForm(NamedTuple):
    """Expressions in SymPy, as `sympy.cse` gives them: (symbol, value) in order of evaluation, then the result."""

    intermediates: list[tuple[sympy.Symbol, Any]]
    result: Any


# ---------------------------------------------------------------------------------------------------------- from SymPy


def from_sympy(x: Any, symbols: Mapping[Any, Any] | Iterable[Symbol] | None = None) -> Any:
    """A SymPy expression, condition or matrix, or what `to_sympy` gave, on the graph.

    symbols   what SymPy's symbols stand for, where that is not a parameter, or not a coordinate in the case of
              dynamicsymbols: a mapping from SymPy symbols or their names to expressions (to an `ExternalFunction` for
              an undefined function), or just symbols, which are then found by name: `from_sympy(x, [u, tau])`
    """
    given = _given(symbols)
    if isinstance(x, SympyForm):
        for s, value in x.intermediates:
            given[s] = _converted(value, given)
        x = x.result
    if isinstance(x, sympy.MatrixBase):
        return Matrix(x.rows, x.cols, tuple(_scalar(_converted(e, given), e) for e in x.flat()))
    if isinstance(x, sympy.MatrixExpr):
        return from_sympy(x.as_explicit(), given)
    if not isinstance(x, sympy.Basic):
        raise ExpressionError(f"from_sympy: {shown(x)} of type {type(x).__name__} is not a SymPy expression")
    return _converted(x, given)


def _given(symbols: Mapping[Any, Any] | Iterable[Symbol] | None) -> dict[Any, Any]:
    if isinstance(symbols, Mapping):
        return dict(symbols)
    return {(s.stem, s.order) if s.order else s.name: s for s in symbols or ()}


def _scalar(node: Any, source: Any) -> Expr:
    if isinstance(node, Expr):
        return node
    raise ExpressionError(f"from_sympy: {shown(source)} is not a scalar")


def _converted(x: sympy.Basic, given: Mapping[Any, Any]) -> Any:
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
            done[id(top)] = _combined(top, [done[id(a)] for a in top.args], given)
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
    return len(x.args) == 1 and _is_time(x.args[0]) and x.func.__name__ not in _BLOCKS


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
                f"from_sympy: {shown(x)} is the rate of {shown(out)}, which is no symbol; name it in symbols="
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
    reason = "expressions are real and finite" if isinstance(x, sympy.Expr) else "it is no scalar"
    raise ExpressionError(f"from_sympy: {shown(x)} cannot stand in an expression: {reason}")


# What has parts


def _check_parts(x: sympy.Basic) -> None:
    """Refuse what has no counterpart before its parts are looked at, so that the message names the whole."""
    if not isinstance(x, AppliedUndef):
        _counterpart(x)
    if isinstance(x, sympy.Piecewise) and sympy.Or(*(condition for _, condition in x.args)) is not sympy.true:
        raise ExpressionError(
            f"from_sympy: {shown(x)} has no value where none of its conditions holds; end it with a branch "
            "(value, True)"
        )


def _combined(x: sympy.Basic, args: list[Any], given: Mapping[Any, Any]) -> Any:
    if isinstance(x, AppliedUndef):
        return _undefined(x, args, given)
    _check_kinds(x, args)
    return _counterpart(x)(*args)


def _counterpart(x: sympy.Basic) -> Callable[..., Any]:
    for kind in type(x).__mro__:
        if kind in _FROM:
            return _FROM[kind]
    known = sorted(k.__name__ for k in _FROM if issubclass(k, sympy.Function))
    raise ExpressionError(
        f"from_sympy: {type(x).__name__} in {shown(x)} has no counterpart; there are {listed(known, 40)}. "
        "Rewrite it in these, or use an ExternalFunction, which has a name, derivatives and code of yours"
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


def _undefined(x: AppliedUndef, args: list[Any], given: Mapping[Any, Any]) -> Any:
    name = x.func.__name__
    meaning = given.get(x, given.get(x.func, given.get(name)))
    if isinstance(meaning, ExternalFunction):
        return meaning(*args)
    if meaning is not None:
        return as_expr(meaning)
    if name in _BLOCKS:
        return _block(name, args)
    raise ExpressionError(
        f"from_sympy: the function {name} in {shown(x)} is not defined; functions of t alone are coordinates, others "
        f"are given a meaning by symbols={{{name!r}: ExternalFunction({name!r}, {len(args)}, ...)}}"
    )


def _block(name: str, args: list[Any]) -> Node:
    """A part of a linear solve, as `to_sympy` writes it."""
    if name == "solve_item":
        return intern("item", (args[0],), args[1].data)
    if name in ("solve", "solve_transposed"):
        return intern("solve", tuple(args), name == "solve_transposed")
    kind = name.removeprefix("factor_")
    n = math.isqrt(len(args) if kind == "general" else 2 * len(args))  # n² entries, or n (n + 1) / 2
    return intern("factor", tuple(args), FactorShape(kind, n))


def _age(node: Expr) -> tuple[bool, int]:
    """Order in which terms are put together: as they were made, which is as they were written; numbers at the end."""
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


def _folded(op: str) -> Callable[..., Any]:
    return lambda *args: reduce(lambda a, b: make(op, (a, b)), args)


_FROM: Final[dict[type, Callable[..., Any]]] = {
    sympy.Add: _sum,
    sympy.Mul: _product,
    sympy.Pow: _power,
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
    sympy.Min: _folded("min"),
    sympy.Max: _folded("max"),
    sympy.Piecewise: _piecewise,
    ExprCondPair: lambda x, condition: (x, condition),
    sympy.re: lambda x: x,  # all our numbers are real; SymPy's are complex unless it was told
    sympy.im: lambda x: ZERO,
    sympy.conjugate: lambda x: x,
    sympy.StrictLessThan: lambda a, b: make("lt", (a, b)),
    sympy.LessThan: lambda a, b: make("le", (a, b)),
    sympy.StrictGreaterThan: lambda a, b: make("lt", (b, a)),
    sympy.GreaterThan: lambda a, b: make("le", (b, a)),
    sympy.Equality: lambda a, b: make("eq", (a, b)),
    sympy.Unequality: lambda a, b: _not(make("eq", (a, b))),
    sympy.And: _folded("and"),
    sympy.Or: _folded("or"),
    sympy.Not: _not,
    sympy.Xor: lambda *args: reduce(lambda a, b: _either(_both(a, _not(b)), _both(_not(a), b)), args),
    sympy.ITE: lambda condition, a, b: _either(_both(condition, a), _both(_not(condition), b)),
}


# ---------------------------------------------------------------------------------------------------------- to SymPy


def to_sympy(x: Any, expand: bool = False, limit: int = 2000, labels: Labels | None = None) -> Any:
    """An expression, condition or matrix in SymPy: a `SympyForm` with shared parts as intermediates.

    With `expand`, the plain SymPy expression or matrix instead, if it has at most `limit` nodes as a tree. `labels` are names for some
    of the intermediates, `{"swing": m * l * sin(q)}`.

    Parameters become Symbol(name), time dynamicsymbols._t, all other symbols dynamicsymbols(name), and symbols of
    higher order Derivatives of these. Only kinds get lost on the way: a speed u comes back as a coordinate u, unless
    `from_sympy(..., free_symbols(x))` is told; external functions are told as {"f": f}.
    """
    _check_names(x)
    if not expand:
        return _translated(x, intermediates([x], labels, _LINE_WIDTH))
    size = tree_size_up_to(_UNCOUNTABLE, [x])
    if size > limit:
        many = f"more than {size}" if size == _UNCOUNTABLE else size
        raise ExpressionError(
            f"to_sympy: written out, this would have {many} operations and symbols, and the limit is {limit}; "
            "pass limit=... to have it all the same, or leave out expand to get it as a sequence"
        )
    try:
        return _translated(x, {}).result
    except RecursionError:
        raise ExpressionError(
            "to_sympy: functions are nested too deeply for SymPy; leave out expand to get it as a sequence"
        ) from None


def _check_names(x: Any) -> None:
    name = dynamicsymbols._t.name
    if any(isinstance(n, Symbol) and n.stem == name and n.kind != "time" for n in ordered(nodes_of([x]))):
        raise ExpressionError(f"to_sympy: a symbol that is not time has the name {name} of SymPy's time; rename it")


def _translated(x: Any, names: Mapping[Node, str]) -> SympyForm:
    new: dict[Node, Any] = {}
    intermediates = []
    for n in ordered(nodes_of([x])):
        new[n] = _TO[n.op](n, *(new[a] for a in n.args))
        if n in names:
            intermediates.append((sympy.Symbol(names[n]), new[n]))
            new[n] = intermediates[-1][0]
    if isinstance(x, Matrix):
        return SympyForm(intermediates, sympy.Matrix(x.rows, x.cols, [new[e] for e in x.entries]))
    return SympyForm(intermediates, new[nodes_of([x])[0]])


def _sympy_number(n: Node) -> sympy.Expr:
    if isinstance(n.data, Fraction):
        return sympy.Rational(n.data.numerator, n.data.denominator)
    return sympy.Float(n.data) if isinstance(n.data, float) else sympy.Integer(n.data)


def _sympy_symbol(s: Symbol) -> sympy.Expr:
    if s.kind == "parameter":
        return sympy.Symbol(s.name)
    t = dynamicsymbols._t
    if s.kind == "time":
        return t
    function = sympy.Function(s.stem)(t)
    return sympy.Derivative(function, (t, s.order)) if s.order else function


def _undefined_function(name: str, *args: Any) -> sympy.Expr:
    return sympy.Function(name)(*args)


def _sympy_function(name: str) -> Callable[..., Any]:
    return lambda n, *args: getattr(sympy, name)(*args)


_TO: Final[dict[str, Callable[..., Any]]] = {
    "const": _sympy_number,
    "symbol": _sympy_symbol,
    "pi": lambda n: sympy.pi,
    "true": lambda n: sympy.true if n.data else sympy.false,
    "neg": lambda n, a: -a,
    "add": lambda n, a, b: a + b,
    "sub": lambda n, a, b: a - b,
    "mul": lambda n, a, b: a * b,
    "div": lambda n, a, b: a / b,
    "pow": lambda n, a, b: a**b,
    **{op: _sympy_function(op) for op in "sqrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh sign".split()},
    "abs": _sympy_function("Abs"),
    "min": _sympy_function("Min"),
    "max": _sympy_function("Max"),
    "lt": _sympy_function("StrictLessThan"),
    "le": _sympy_function("LessThan"),
    "eq": _sympy_function("Equality"),
    "and": _sympy_function("And"),
    "or": _sympy_function("Or"),
    "not": _sympy_function("Not"),
    "where": lambda n, condition, a, b: sympy.Piecewise((a, condition), (b, True)),
    "call": lambda n, *args: _undefined_function(n.data.name, *args),
    "factor": lambda n, *entries: _undefined_function(f"factor_{n.data.kind}", *entries),
    "solve": lambda n, *args: _undefined_function("solve_transposed" if n.data else "solve", *args),
    "item": lambda n, block: _undefined_function("solve_item", block, n.data),
}


# ---------------------------------------------------------------------------------------------------------- for the eye


class _OutOfTimeError(Exception):
    """Raised inside SymPy when its time is over."""


@contextmanager
def _within(deadline: float) -> Iterator[None]:
    """Ends what runs inside when the time comes: SymPy is made of Python calls, and each one looks at the clock."""

    def look(frame: Any, event: str, argument: Any) -> None:
        if time.monotonic() > deadline:
            raise _OutOfTimeError

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)


def simplified(thing: Any, seconds: float = 10.0, limit: int = 3000) -> Any:
    """The same expression, matrix, or whatever maps a function over its matrices (a `LinearSystem`), written as short as SymPy gets it.

    Each entry becomes a quotient of polynomials, with sin² + cos² = 1 used and common parameters collected; the shortest form is taken, so
    nothing gets longer. Entries of more than `limit` operations, and those that are left when the time is over, stay as they are.
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
    symbols = [n for n in ordered([e]) if isinstance(n, Symbol)]
    if not e.args or tree_size_up_to(limit, [e]) >= limit or time.monotonic() > deadline:
        return e
    best = start = to_sympy(e, expand=True, limit=limit)
    try:
        with _within(deadline):
            for form in _forms(start):
                best = min(best, form, key=sympy.count_ops)
    except _OutOfTimeError:
        pass
    rewritten = _scalar(from_sympy(best, symbols), best)
    return min(e, rewritten, key=lambda x: tree_size_up_to(limit, [x]))


def _forms(e: sympy.Expr) -> Iterator[sympy.Expr]:
    """Ways to write an expression: a quotient of polynomials in parameters, sines and cosines, without what sin² + cos² = 1 makes superfluous."""
    angles = {f.args[0] for f in e.atoms(sympy.sin, sympy.cos)}
    pairs = {a: (sympy.Dummy(f"s{k}"), sympy.Dummy(f"c{k}")) for k, a in enumerate(sorted(angles, key=str))}
    there = {f(a): x for a, both in pairs.items() for f, x in zip((sympy.sin, sympy.cos), both, strict=True)}
    back = {x: f for f, x in there.items()}
    top, bottom = sympy.fraction(sympy.together(e.xreplace(there)))
    for without in (0, 1):
        short = sympy.cancel(_eliminated(top, pairs, without) / _eliminated(bottom, pairs, without))
        for form in (short, sympy.expand(short), *_collected(short)):
            yield form.xreplace(back)


def _eliminated(polynomial: sympy.Expr, pairs: Mapping[Any, tuple[Any, Any]], without: int) -> sympy.Expr:
    """Squares of sines (or, with 1, of cosines) expressed by the other function."""
    for both in pairs.values():
        x, other = both[without], both[1 - without]
        terms = sympy.Poly(sympy.expand(polynomial), x).terms()
        polynomial = sum((c * x ** (n % 2) * (1 - other**2) ** (n // 2) for (n,), c in terms), sympy.Integer(0))
    return sympy.expand(polynomial)


def _collected(e: sympy.Expr) -> Iterator[sympy.Expr]:
    """Common parameters of the terms taken out, those first that stand in most of them."""
    top, bottom = sympy.fraction(e)
    terms = sympy.Add.make_args(sympy.expand(top))
    uses = {s: sum(s in t.free_symbols for t in terms) for s in top.free_symbols}
    by_use = sorted(uses, key=lambda s: (-uses[s], s.name))
    for count in (1, 2, 4):
        yield sympy.collect(sympy.expand(top), by_use[:count]) / bottom


# ---------------------------------------------------------------------------------------------------------- as a program


_SYMPY_WORDS: Final = frozenset(sympy.__all__)


class _Source(StrPrinter):  # type: ignore[misc]
    """SymPy's text, in which symbols and functions are called by the variables that hold them, and fractions stay exact."""

    def __init__(self, variables: Mapping[tuple[str, str], str]) -> None:
        super().__init__()
        self.variables = variables
        self.renamed = {f: v for (kind, f), v in variables.items() if kind == "function" and f != v}

    def text(self, e: sympy.Basic) -> str:
        """Functions are renamed before, because SymPy tells kinds of expressions apart by the names of their classes."""
        if self.renamed:
            e = e.replace(
                lambda x: isinstance(x, AppliedUndef) and x.func.__name__ in self.renamed,
                lambda x: sympy.Function(self.renamed[x.func.__name__])(*x.args),
            )
        return str(self.doprint(e))

    def _print_Symbol(self, s: sympy.Symbol) -> str:  # noqa: N802
        return self.variables["symbol", s.name]

    def _print_Rational(self, x: sympy.Rational) -> str:  # noqa: N802
        return f"Rational({x.p}, {x.q})"


def sympy_source(parts: Mapping[str, Any], about: str = "", labels: Labels | None = None) -> str:
    """Python source that builds expressions and matrices in SymPy, under the names given: a file to be read and run, no pickle.

    A symbol, function or intermediate whose name is a word of Python or SymPy, or that of a part, is held by a variable of a similar
    name: `lambda_ = Symbol('lambda')`.
    """
    shapes = {name: x if isinstance(x, Matrix) else Matrix(1, 1, (x,)) for name, x in parts.items()}
    entries = tuple(e for m in shapes.values() for e in m.entries)
    form = to_sympy(Matrix(len(entries), 1, entries), labels=labels)
    values = [value for _, value in form.intermediates] + list(form.result)
    named = {s for s, _ in form.intermediates}
    symbols = sorted({s.name for v in values for s in v.free_symbols - named} | {dynamicsymbols._t.name})
    functions = sorted({f.func.__name__ for v in values for f in v.atoms(AppliedUndef)})
    names = UniqueNames(lambda n: is_python_reserved(n) or n in _SYMPY_WORDS)
    for name in shapes:
        names.take(name)
    held = {("symbol", s): names.new(s) for s in symbols} | {("function", f): names.new(f) for f in functions}
    lines = [as_python_literal(about), "from sympy import *", ""]
    lines += [f"{held['symbol', s]} = Symbol('{s}')" for s in symbols]
    lines += [f"{held['function', f]} = Function('{f}')" for f in functions]
    held |= {("symbol", s.name): names.new(s.name) for s, _ in form.intermediates}
    printer = _Source(held)
    lines += [f"{held['symbol', s.name]} = {printer.text(value)}" for s, value in form.intermediates]
    results = iter(form.result)
    for name, m in shapes.items():
        inner = ", ".join(printer.text(next(results)) for _ in m.entries)
        lines.append(f"{name} = Matrix({m.rows}, {m.cols}, [{inner}])")
    return "\n".join(lines) + "\n"
