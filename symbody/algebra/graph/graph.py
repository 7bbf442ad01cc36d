"""The expression graph: immutable nodes, each existing once.

A node is an operation and its arguments. `make` is the only way to a node: it folds and normalises by the rules
registered with `rule` (`rule_table.py`, `rules.py`) and returns the node that already exists if there is one (hash consing), so
that equal subexpressions are the same object, sharing is never lost, and `a is b` decides structural equality.

The table of nodes holds weak references: when the last expression that uses a node is dropped, its memory is free.
Arguments are always older than the node: sorting nodes by `serial` puts any graph in order of evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, cast

from ...argument_kinds import answered
from ...errors import ExpressionError, listed, shown
from .factors import same_factors
from .foreign_scalars import foreign_converter, number_of, why_not_a_scalar
from .names import check_name, rate_name
from .node_keys import HASH, NOT_A_NUMBER, constant_key, key_top, node_key, operation_number, symbol_keys
from .node_table import TableEntry, serials, tables
from .numpy_calls import array_ufunc
from .rules.rule_table import COMMUTATIVE, NodeForm, form_with, plain_form, rules_of_many
from .sympy_words import OfSympy

Number = int | float | Fraction

# ---------------------------------------------------------------------------------------------------------- operations

UNARY: Final = frozenset("neg sqrt exp log sin cos tan asin acos atan sinh cosh tanh abs sign".split())
BINARY: Final = frozenset("add sub mul div pow atan2 min max".split())
CONDITIONS: Final = frozenset("lt le eq and or not true".split())
KINDS: Final = tuple("parameter coordinate speed acceleration input variable multiplier time material".split())
_RATE_KIND: Final = {"coordinate": "speed", "speed": "acceleration"}


class Node:
    """Anything on the graph: a number (`Expr`), a truth value (`Condition`) or a bundle of numbers (`Block`).

    op      name of the operation
    args    nodes it is applied to
    data    value of a constant, external function, size of a linear solve, index of an item
    serial  number of the node: higher than those of its arguments
    key     number that depends on what the node is, not on when it was made, nor on the process: the order of
            commutative arguments
    top     class of the nodes that this is the highest argument of, as part of their keys
    form    the operation, with the properties that rules use: by it they are looked up (`rule_table.py`)
    """

    __slots__ = ("__weakref__", "args", "data", "form", "key", "op", "serial", "top")
    __sympy__ = False  # SymPy's operators then leave arithmetic with expressions to us
    op: str
    args: tuple[Any, ...]
    data: Any
    serial: int
    key: int
    top: int
    form: NodeForm

    def __bool__(self) -> bool:
        raise ExpressionError(
            f"an expression has no truth value before numbers are known (got {self}); "
            "use where(condition, a, b) to choose, and `is` to compare expressions"
        )

    def __str__(self) -> str:
        return PRINTERS[0](self)

    def __repr__(self) -> str:
        return PRINTERS[2](self)

    def _repr_latex_(self) -> str:
        return f"${PRINTERS[1](self)}$"

    def _repr_html_(self) -> str:
        return PRINTERS[3](self)

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: object) -> Node:
        return self


PRINTERS: list[Callable[[Any], str]] = []  # writers of text, LaTeX, text or outline, and HTML, entered by `printing`


class Expr(Node):
    """A scalar expression. Arithmetic, powers, `abs` and the comparisons < <= > >= are the usual operators.

    >>> x, y = sb.symbols("x y")
    >>> e = (x + y)**2 / abs(x)
    >>> e
    (x + y)**2/abs(x)
    >>> sb.evaluate(e, {x: 2, y: 1})
    4.5
    >>> x + y is y + x  # equal expressions are one object
    True

    See also: `Symbol`, `symbol`, `evaluate`, `derivative`, `text`.
    """

    __slots__ = ()
    __array_ufunc__ = array_ufunc  # NumPy arrays leave arithmetic with expressions to us

    if TYPE_CHECKING:  # the constructors themselves are entered below, without a call in between

        def __add__(self, other: Any) -> Expr: ...

        def __radd__(self, other: Any) -> Expr: ...

        def __sub__(self, other: Any) -> Expr: ...

        def __mul__(self, other: Any) -> Any: ...  # an expression; times a matrix or vector, one of these

        def __rmul__(self, other: Any) -> Any: ...

    def __rsub__(self, other: Any) -> Expr:
        return difference(as_expr(other), self)

    def __truediv__(self, other: Any) -> Expr:
        return make2("div", self, as_expr(other))

    def __rtruediv__(self, other: Any) -> Expr:
        return make2("div", as_expr(other), self)

    def __xor__(self, other: Any) -> Expr:
        raise ExpressionError(f"{shown(self)} ^ {shown(other)}: a power is written with **, as in x**2")

    __rxor__ = __xor__

    if not TYPE_CHECKING:
        diff = OfSympy(
            "the rate of a coordinate q is q.dot, a derivative sb.derivative(e, x), that of time sb.time_derivative(e)"
        )
        subs = xreplace = OfSympy("sb.substitute(e, {x: 2})")
        free_symbols = OfSympy("sb.free_symbols(e)")
        evalf = OfSympy("sb.evaluate(e, {x: 2})")
        simplify = OfSympy("sb.tidy(e)")

    def __pow__(self, other: Any) -> Expr:
        return make2("pow", self, as_expr(other))

    def __rpow__(self, other: Any) -> Expr:
        return make2("pow", as_expr(other), self)

    def __neg__(self) -> Expr:
        return make1("neg", self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return make1("abs", self)

    def __lt__(self, other: Any) -> Condition:
        return make("lt", (self, as_expr(other)))

    def __le__(self, other: Any) -> Condition:
        return make("le", (self, as_expr(other)))

    def __gt__(self, other: Any) -> Condition:
        return make("lt", (as_expr(other), self))

    def __ge__(self, other: Any) -> Condition:
        return make("le", (as_expr(other), self))

    @property
    def value(self) -> Number | None:
        """The number, if this node is a constant.

        >>> x = sb.symbol("x")
        >>> (x - x + 3).value, x.value
        (3, None)
        """
        return self.data if self.op == "const" else None

    def __float__(self) -> float:
        if self.op != "const":
            raise ExpressionError(
                f"{self!r} is not a number; evaluate(expression, values) puts numbers in, and functions of "
                "expressions are symbody.sin, symbody.sqrt, ..."
            )
        return float(self.data)


class Condition(Node):
    """A truth value on the graph, for `where`. Combine with & | ~ (Python's `and`, `or`, `not` cannot be
    overloaded).

    >>> x = sb.symbol("x")
    >>> inside = (x > 0) & ~(x > 1)
    >>> sb.evaluate(sb.where(inside, 1, 0), {x: 0.5})
    1.0

    See also: `where`, `algebra.equal`.
    """

    __slots__ = ()

    def __and__(self, other: Condition) -> Condition:
        return make("and", (self, as_condition(other)))

    __rand__ = __and__

    def __or__(self, other: Condition) -> Condition:
        return make("or", (self, as_condition(other)))

    __ror__ = __or__

    def __invert__(self) -> Condition:
        return make("not", (self,))


class Block(Node):
    """A node with many outputs (factors of a matrix, solution of a linear system); `item` picks one."""

    __slots__ = ()


class Symbol(Expr):
    """A named leaf. Symbols are equal when stem, kind and order of time derivative are equal.

    name          the name in print, input and export: q, q_dot, q_ddot, q_d3
    stem, order   stem and order of the time derivative: q and 2 for q_ddot. The stem of any other symbol is its name,
                  and its order is 0

    >>> q = sb.symbol("q", "coordinate")
    >>> q.dot.dot, q.dot.dot.stem, q.dot.dot.order
    (q_ddot, 'q', 2)
    >>> [s.kind for s in (q, q.dot, q.dot.dot)]
    ['coordinate', 'speed', 'acceleration']

    See also: `symbol`, `symbols`, `free_symbols`.
    """

    __slots__ = ("_rate", "kind", "name", "order", "stem")
    name: str
    kind: str
    stem: str
    order: int
    _rate: Symbol | None  # its time derivative, once it was computed

    @property
    def dot(self) -> Symbol:
        """The symbol of the time derivative: a speed for a coordinate, an acceleration for a speed. Parameters are
        refused, since the `kind` may have been forgotten."""
        if self.kind == "parameter":
            raise ExpressionError(
                f"{self.name}.dot: {self.name} is a parameter, which does not change with time; what moves is made by "
                f"symbol({self.name!r}, 'coordinate') or another kind, or by m.coordinate({self.name!r}) of a model"
            )
        return cast("Symbol", rate_of(self))  # 1 of time, 0 of material coordinates

    def __reduce__(self) -> Any:
        return symbol, (self.stem, self.kind, self.order)


def rate_of(s: Symbol) -> Expr:
    """Time derivative of a symbol of any kind: zero of parameters, one of time."""
    if s.kind in ("parameter", "material", "time"):
        return ONE if s.kind == "time" else ZERO
    if s._rate is None:
        s._rate = symbol(s.stem, _RATE_KIND.get(s.kind, s.kind), s.order + 1)
    return s._rate


_CLASS: Final[dict[str, type[Node]]] = {
    **dict.fromkeys(CONDITIONS, Condition),
    "factor": Block,
    "solve": Block,
    "sweeps": Block,
    "entries": Block,
    "symbol": Symbol,
}


# ---------------------------------------------------------------------------------------------------------- leaves

_SYMBOL: Final = plain_form("symbol")
_NUMBER, _NEGATIVE = plain_form("const"), form_with("const", "negative")


@answered
def symbol(name: str, kind: str = "parameter", order: int = 0) -> Symbol:
    """The symbol of this name and kind, or its time derivative of some order. Kinds: see `KINDS`.

    >>> q = sb.symbol("q", "coordinate")
    >>> q.dot, q.dot.kind
    (q_dot, 'speed')
    >>> sb.symbol("m").kind  # which is constant
    'parameter'

    See also: `symbols`, `Symbol`, `Model`.
    """
    key, table = (kind, name, order), tables["symbol"]
    try:
        entry = table.get(key)
    except TypeError:  # not a text
        raise ExpressionError(f"symbol: name and kind are texts, got {shown(name)}, {shown(kind)}") from None
    if entry is not None and (known := entry()) is not None:
        return known
    check_name(name, "symbol")
    if kind not in KINDS:
        raise ExpressionError(f"symbol {name!r}: there is no kind {shown(kind)}; kinds are {listed(KINDS)}")
    node = Symbol()
    node._rate = None
    node.op, node.form, node.args, node.data, node.serial = "symbol", _SYMBOL, (), None, next(serials)
    node.stem, node.kind, node.order, node.name = name, kind, order, rate_name(name, order)
    node.top, node.key = symbol_keys(kind, name, order)
    return table.filed(node, key)


def made_symbol(name: str, kind: str) -> Symbol | None:
    """The symbol of this name and kind if it exists and is still referenced."""
    entry = tables["symbol"].get((kind, name, 0))
    known = None if entry is None else entry()
    return known if isinstance(known, Symbol) else None


@answered
def symbols(names: str | Iterable[str], kind: str = "parameter") -> tuple[Symbol, ...]:
    """Several symbols of one kind: `symbols("a b c")`.

    >>> a, b = sb.symbols("a b")
    >>> q1, q2 = sb.symbols("q1 q2", "coordinate")
    >>> a * q1 + b * q2.dot
    a*q1 + b*q2_dot

    See also: `symbol`, `Model`.
    """
    return tuple(symbol(n, kind) for n in (names.replace(",", " ").split() if isinstance(names, str) else names))


def constant(value: Number) -> Expr:
    """A number on the graph. Integers and fractions stay exact; a float that is an integer is that integer."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ExpressionError(f"a constant must be finite, got {value}")
        value = int(value) if value.is_integer() and abs(value) < 2.0**53 else float(value)  # numbers of NumPy too
    elif type(value) is not int and value.denominator == 1:
        value = value.numerator
    key: Any = value  # of fractions two integers: fractions themselves take microseconds to be hashed and compared
    if type(value) is not int:
        key = (float, value) if isinstance(value, float) else (value.numerator, value.denominator)
    table = tables["const"]
    entry = table.get(key)
    if entry is not None and (known := entry()) is not None:
        return known
    node = Expr()
    node.op, node.form, node.args, node.data = "const", _NEGATIVE if value < 0 else _NUMBER, (), value
    node.serial, node.key, node.top = next(serials), constant_key(value), NOT_A_NUMBER
    return table.filed(node, key)


def fraction(numerator: int, denominator: int) -> Expr:
    """An exact fraction: `fraction(1, 12)`.

    >>> sb.fraction(1, 3) + sb.fraction(1, 6)
    1/2

    See also: `pi`, `evaluate`.
    """
    if denominator == 0:
        raise ExpressionError(f"fraction({numerator}, 0): division by zero")
    return constant(Fraction(numerator, denominator))


ZERO: Final = constant(0)
ONE: Final = constant(1)
TWO: Final = constant(2)
HALF: Final = constant(Fraction(1, 2))


# ---------------------------------------------------------------------------------------------------------- conversion


def takes_over(other: object) -> bool:
    """True for operands that implement arithmetic with scalars themselves: matrices, vectors."""
    return getattr(type(other), "acts_on_scalars", False)


def as_expr(value: Any) -> Expr:
    """Convert a scalar to an expression: numbers, SymPy expressions, zero-dimensional arrays. Equal numbers give the
    same object: `as_expr(0) is as_expr(0.0)`.

    >>> sb.algebra.as_expr(0.5).value, sb.algebra.as_expr(sb.pi) is sb.pi
    (0.5, True)

    See also: `fraction`, `symbol`, `Expr`.
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):
        raise ExpressionError(
            f"{value} is a truth value, not a number: == tests whether two expressions are one object; where(condition, a, b) "
            "chooses between numbers"
        )
    if isinstance(value, (int, Fraction, float)):
        return constant(value)
    if (number := number_of(value)) is not None:
        return constant(number)
    if (convert := foreign_converter(value)) is not None:
        return as_expr(convert(value))
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return as_expr(value.item())
    raise ExpressionError(why_not_a_scalar(value, isinstance(value, Condition)))


def as_condition(value: Any) -> Condition:
    """A condition, or True and False of Python or NumPy as one."""
    if isinstance(value, Condition):
        return value
    if isinstance(value, bool) or (getattr(value, "shape", None) == () and value.dtype.kind == "b"):
        return TRUE if value else FALSE
    if (convert := foreign_converter(value)) is not None:
        return as_condition(convert(value))
    raise ExpressionError(f"{shown(value)} is not a condition; conditions come from <, <=, >, >=, equal, &, |, ~")


# --------------------------------------------------------------------------------------------------------- constructors


def intern(op: str, args: tuple[Any, ...], data: Any = None) -> Any:
    """The node of this operation and these arguments, without rewriting."""
    key, table = (args if data is None else (data, args)), tables[op]
    entry = table.get(key)
    if entry is not None and (known := entry()) is not None:
        return known
    node = _CLASS.get(op, Expr)()
    node.op, node.args, node.data, node.serial, node.key = op, args, data, next(serials), node_key(op, args, data)
    node.form = args[0].form.rules_of_pair(op, args[1].form)[1] if op in _OPERATORS else plain_form(op)
    node.top = key_top(node.key)
    return table.filed(node, key)


# The constructors below are where the time goes when equations are derived: they look a node up once, try the
# rules that fit, and file the new node under the key they looked up. Those of products, sums and differences are the
# operators of `Expr`.


def _too_large(op: str, *args: Node) -> ExpressionError:
    numbers = " and ".join(shown(a.data) for a in args if a.op == "const")
    return ExpressionError(f"{op}: a number is larger than any number of the machine (1.8e308): {numbers}")


def make1(op: str, a: Expr) -> Expr:
    """A node of one argument."""
    args, table = (a,), tables[op]
    entry = table.get(args)
    if entry is not None and (known := entry()) is not None:
        return known
    rules = a.form.alone.get(op)
    try:
        for apply in a.form.rules_alone(op) if rules is None else rules:
            if (out := apply(a)) is not None:
                return out  # type: ignore[return-value]
    except OverflowError:
        raise _too_large(op, a) from None
    node = _CLASS.get(op, Expr)()
    node.op, node.form = op, plain_form(op)
    node.args, node.data, node.serial = args, None, next(serials)
    node.top = top = a.top
    node.key = (hash((operation_number[op], a.key)) & HASH) + top
    return table.filed(node, args)


def _sum_maker(op: str) -> Callable[[Expr, Any], Expr]:
    """The constructor of sums, whose arguments are put in the order of their keys, or of differences."""
    table, number, is_sum = tables[op], operation_number[op], op == "add"
    forget = table.forget

    def pair(a: Expr, b: Any) -> Expr:
        if not isinstance(b, Expr):
            return NotImplemented if takes_over(b) else pair(a, as_expr(b))
        one, other = a.key, b.key
        if is_sum:
            if one > other:
                a, b = b, a
                one, other = other, one
            if a is ZERO:
                return b
            rows = a.form.sums
        else:
            if b is ZERO:
                return a
            rows = a.form.differences
        args = (a, b)
        if args in table and (entry := table.get(args)) is not None and (known := entry()) is not None:
            return known
        try:
            rules, form = rows[b.form if a is not b else None]
        except KeyError:
            rules, form = a.form.rules_of_pair(op, b.form, a is b)
        if rules is not None:
            try:
                for apply in rules:
                    if (out := apply(a, b)) is not None:
                        return out  # type: ignore[return-value]
            except OverflowError:  # an exact number beside a float
                raise _too_large(op, a, b) from None
        node = Expr()
        node.op = op
        node.form = form
        node.args = args
        node.data = None
        node.serial = next(serials)
        node.top = top = a.top if one > other else b.top
        node.key = (hash((number, one, other)) & HASH) + top
        new = TableEntry(node, forget)
        new.key = args
        return node if table.setdefault(args, new) is new else table.filed(node, args)

    return pair


_products, _forget_product = tables["mul"], tables["mul"].forget


def product(a: Expr, b: Any) -> Expr:
    """A product; where one with the same factors exists it is that one, whatever their order and grouping."""
    if not isinstance(b, Expr):
        return NotImplemented if takes_over(b) else product(a, as_expr(b))
    one, other = a.key, b.key
    if one > other:
        a, b = b, a
    if a is ONE or a is ZERO:
        return b if a is ONE else a
    top = b.top
    key = (one + other & HASH) + top
    if key in _products and (entry := _products.get(key)) is not None and (known := entry()) is not None:
        x, y = known.args
        if (x is a and y is b) or same_factors((known,), (a, b)):
            return known
        return intern("mul", (a, b))  # two products with one key: as good as never
    try:
        rules, form = a.form.products[b.form if a is not b else None]
    except KeyError:
        rules, form = a.form.rules_of_pair("mul", b.form, a is b)
    if rules is not None:
        for apply in rules:
            if (out := apply(a, b)) is not None:
                return out  # type: ignore[return-value]
    node = Expr()
    node.op = "mul"
    node.form = form
    node.args = (a, b)
    node.data = None
    node.serial = next(serials)
    node.key = key
    node.top = top
    new = TableEntry(node, _forget_product)
    new.key = key
    return node if _products.setdefault(key, new) is new else _products.filed(node, key)


addition, difference = _sum_maker("add"), _sum_maker("sub")
_OPERATORS: Final = {"add": addition, "sub": difference, "mul": product}
Expr.__add__ = Expr.__radd__ = addition  # type: ignore[method-assign]
Expr.__sub__ = difference  # type: ignore[method-assign]
Expr.__mul__ = Expr.__rmul__ = product  # type: ignore[method-assign]


def make2(op: str, a: Any, b: Any) -> Any:
    """A node of two arguments; those of commutative operations are put in the order of their keys."""
    if op in _OPERATORS:
        return _OPERATORS[op](a, b)
    if op in COMMUTATIVE and a.key > b.key:
        a, b = b, a
    entry = tables[op].get((a, b))
    if entry is not None and (known := entry()) is not None:
        return known
    try:
        for apply in a.form.rules_of_pair(op, b.form, a is b)[0] or ():
            if (out := apply(a, b)) is not None:
                return out
    except OverflowError:  # an exact number beside a float
        raise _too_large(op, a, b) from None
    return intern(op, (a, b))


def make(op: str, args: tuple[Any, ...], data: Any = None) -> Any:
    """A node of any number of arguments, by the rules."""
    if data is None:
        if len(args) == 1:
            return make1(op, *args)
        if len(args) == 2:
            return make2(op, *args)
    for apply in rules_of_many(op, len(args)):
        if (out := apply(*args)) is not None:
            return out
    return intern(op, args, data)


PI: Final[Expr] = intern("pi", ())
TRUE: Final[Condition] = intern("true", (), True)
FALSE: Final[Condition] = intern("true", (), False)
