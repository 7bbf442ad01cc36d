"""The expression graph: immutable nodes, each existing once.

A node is an operation and its arguments. `make` is the only way to a node: it folds and normalises by the rules
registered with `rule` (see `rules.py`) and returns the node that already exists where there is one (hash consing), so
that equal subexpressions are the same object, sharing is never lost, and `a is b` decides structural equality.

The table of nodes holds weak references: when the last expression that uses a node is dropped, its memory is free.
Arguments are always older than the node: sorting nodes by `serial` puts any graph in order of evaluation.
"""

from __future__ import annotations

import gc
import importlib
import math
import numbers
import re
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from hashlib import blake2b
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final

from ..errors import ExpressionError, NodeLimitError, listed, shown
from .numpy_calls import array_ufunc

Number = int | float | Fraction

# ---------------------------------------------------------------------------------------------------------- operations

UNARY: Final = frozenset("neg sqrt exp log sin cos tan asin acos atan sinh cosh tanh abs sign".split())
COMMUTATIVE: Final = frozenset(("add", "mul", "min", "max", "eq", "and", "or"))
BINARY: Final = frozenset("add sub mul div pow atan2 min max".split())
CONDITIONS: Final = frozenset("lt le eq and or not true".split())
KINDS: Final = ("parameter", "coordinate", "speed", "acceleration", "input", "variable", "multiplier", "time")
_RATE_KIND: Final = {"coordinate": "speed", "speed": "acceleration"}
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_RATE_NAME: Final = re.compile(r"(?P<stem>.+)_(?P<end>dot|ddot|d[3-9]|d[1-9][0-9]+)")

# ---------------------------------------------------------------------------------------------------------- keys
# A key is a class and a hash. The class of a symbol is its kind, that of any other node the highest class among its arguments, so that
# sorting by keys puts numbers first, then parameters, then what depends on coordinates, then speeds. The hash is made of numbers only:
# Python hashes these alike in every process. That of a product is the sum of those of its factors, whatever their grouping, so that
# the key finds the product (`make2`).

_HASH_BITS: Final = 56
_HASH: Final = (1 << _HASH_BITS) - 1
_CLASS_OF_KIND: Final = {  # odd: only numbers have class 0, so that they come before functions of numbers
    "parameter": 1, "input": 3, "variable": 3, "time": 3, "coordinate": 5, "speed": 7, "acceleration": 9, "multiplier": 11,
}  # fmt: skip
_NOT_A_NUMBER: Final = 1 << _HASH_BITS
_CLASS_MASK: Final = ~_HASH


def text_number(text: str) -> int:
    """A number for a text, the same in every process."""
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big")


class _OperationNumbers(dict[str, int]):
    def __missing__(self, op: str) -> int:
        return self.setdefault(op, text_number(op))


_number_of = _OperationNumbers()


def _key_of(op: str, args: tuple[Any, ...], data: Any) -> int:
    """The key of any node but symbols and constants; data that is no number counts by its text."""
    if len(args) == 2 and data is None:
        return pair_key(op, *args)
    keys = [a.key for a in args]
    what = () if data is None else (data if isinstance(data, int) else text_number(str(data)),)
    return max(keys, default=0) & _CLASS_MASK | _NOT_A_NUMBER | hash((_number_of[op], *what, *keys)) & _HASH


def key_class(n: Node) -> int:
    """The class of a node: 0 for numbers, 1 for what depends on parameters alone, 3 inputs and time, 5 coordinates, 7 speeds, 9, 11."""
    return n.key >> _HASH_BITS


def pair_key(op: str, a: Node, b: Node) -> int:
    """The key of a node of two arguments."""
    one, other = a.key, b.key
    if op == "mul":
        low = one + other
    elif op == "pow" and b.op == "const" and isinstance(b.data, int):
        low = one * b.data
    else:
        low = hash((_number_of[op], one, other))
    return (one if one > other else other) & _CLASS_MASK | _NOT_A_NUMBER | low & _HASH


def _constant_key(value: Number) -> int:
    """Python's own hashes of -1 and -2 are equal."""
    return text_number(value.hex() if isinstance(value, float) else f"{value.numerator:x}/{value.denominator:x}")


# ---------------------------------------------------------------------------------------------------------- hash consing

_serial = count(1)


class _TableEntry(weakref.ref):  # type: ignore[type-arg]
    """Weak reference to a node, with the key of its table entry."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


class _Table(dict[tuple[Any, ...], _TableEntry]):
    """The nodes of one operation, by their arguments (and data)."""

    __slots__ = ("forget",)

    def __init__(self) -> None:
        # Between the death of a node and this call the key may have been filed anew: only the dead node's own entry goes.
        def forget(entry: _TableEntry, table: dict[tuple[Any, ...], _TableEntry] = self) -> None:
            if table.get(entry.key) is entry:
                table.pop(entry.key, None)

        self.forget = forget

    def filed(self, node: Any, key: tuple[Any, ...]) -> Any:
        """Enter a new node into the table; returns the equal one that another thread entered in the meantime, where there is one."""
        entry = _TableEntry(node, self.forget)
        entry.key = key
        while (first := self.setdefault(key, entry)) is not entry:
            if (known := first()) is not None:
                return known
            self.forget(first)
        return node


class _Tables(dict[str, _Table]):
    def __missing__(self, op: str) -> _Table:
        return self.setdefault(op, _Table())


_tables = _Tables()


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector while many nodes are made: it would traverse all of them again and again, although nodes form no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def live_nodes() -> int:
    """Number of nodes that exist in this process."""
    return sum(len(t) for t in _tables.values())


def nodes_made() -> int:
    """Serial number of the next node: the difference of two calls is how many nodes were made in between (plus the calls themselves)."""
    return next(_serial)


_most_nodes: ContextVar[int | None] = ContextVar("most_nodes", default=None)


@contextmanager
def node_limit(most: int) -> Iterator[None]:
    """Refuse to go on when `nodes_made` is past a number: for expressions of files, which may ask for more than they are long."""
    before = _most_nodes.set(most)
    try:
        yield
    finally:
        _most_nodes.reset(before)


def check_node_limit() -> None:
    """Asked by long computations on the way."""
    most = _most_nodes.get()
    if most is not None and nodes_made() > most:
        raise NodeLimitError("the expressions have more nodes than allowed")


class Node:
    """Anything on the graph: a number (`Expr`), a truth value (`Condition`) or a bundle of numbers (`Block`).

    op      name of the operation
    args    nodes it is applied to
    data    value of a constant, external function, size of a linear solve, index of an item
    serial  number of the node: higher than those of its arguments
    key     number that depends on what the node is, not on when it was made, nor on the process: the order of commutative arguments
    """

    __slots__ = ("__weakref__", "args", "data", "key", "op", "serial")
    __sympy__ = False  # SymPy's operators then leave arithmetic with expressions to us
    op: str
    args: tuple[Any, ...]
    data: Any
    serial: int
    key: int

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

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: object) -> Node:
        return self


PRINTERS: list[Callable[[Any], str]] = []  # text, LaTeX, and text or outline, filed by `printing`


class Expr(Node):
    """A scalar expression. Arithmetic, powers, `abs` and the comparisons < <= > >= are the usual operators."""

    __slots__ = ()
    __array_ufunc__ = array_ufunc  # NumPy arrays leave arithmetic with expressions to us

    def __add__(self, other: Any) -> Expr:
        if not isinstance(other, Expr):
            if takes_over(other):
                return NotImplemented
            other = as_expr(other)
        return make2("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Expr:
        if not isinstance(other, Expr):
            if takes_over(other):
                return NotImplemented
            other = as_expr(other)
        return make2("sub", self, other)

    def __rsub__(self, other: Any) -> Expr:
        return make2("sub", as_expr(other), self)

    def __mul__(self, other: Any) -> Any:  # an expression; times a matrix or vector, one of these
        if not isinstance(other, Expr):
            if takes_over(other):
                return NotImplemented
            other = as_expr(other)
        return make2("mul", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Expr:
        return make2("div", self, as_expr(other))

    def __rtruediv__(self, other: Any) -> Expr:
        return make2("div", as_expr(other), self)

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
        """The number, where this node is a constant."""
        return self.data if self.op == "const" else None

    def __float__(self) -> float:
        if self.op != "const":
            raise ExpressionError(
                f"{self!r} is not a number; evaluate(expression, values) puts numbers in, and functions of expressions are symbody.sin, symbody.sqrt, ..."
            )
        return float(self.data)


class Condition(Node):
    """A truth value on the graph, for `where`. Combine with & | ~ (Python's `and`, `or`, `not` cannot be overloaded)."""

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

    name          as it is printed, entered and exported: q, q_dot, q_ddot, q_d3
    stem, order   of q_ddot, a second time derivative, q and 2; a symbol that is no time derivative has its name as stem, and order 0
    """

    __slots__ = ("kind", "name", "order", "stem")
    name: str
    kind: str
    stem: str
    order: int

    @property
    def dot(self) -> Expr:
        """Time derivative, as a symbol of its own (a coordinate's is a speed, a speed's an acceleration)."""
        if self.kind == "parameter":
            return ZERO
        if self.kind == "time":
            return ONE
        return symbol(self.stem, _RATE_KIND.get(self.kind, self.kind), self.order + 1)

    def __reduce__(self) -> Any:
        return symbol, (self.stem, self.kind, self.order)


_CLASS: Final[dict[str, type[Node]]] = {
    **dict.fromkeys(CONDITIONS, Condition),
    "factor": Block,
    "solve": Block,
    "entries": Block,
    "symbol": Symbol,
}


# ---------------------------------------------------------------------------------------------------------- leaves


def check_name(name: object, what: str) -> str:
    """Refuse names that are not identifiers: names are written into generated code as they are."""
    if isinstance(name, str) and _IDENTIFIER.fullmatch(name):
        return name
    raise ExpressionError(
        f"{what}: {shown(name)} is not a usable name; use an ASCII letter or underscore followed by at most 99 letters, "
        "digits or underscores"
    )


def rate_name(stem: str, order: int) -> str:
    """Name of a time derivative: q, q_dot, q_ddot, q_d3, ..."""
    return f"{stem}_d{order}" if order > 2 else stem + ("", "_dot", "_ddot")[order]


def stem_and_order(name: str) -> tuple[str, int]:
    """The opposite of `rate_name`: of q_ddot q and 2; of a name that is not that of a time derivative the name itself and 0."""
    found = _RATE_NAME.fullmatch(name)
    if found is None:
        return name, 0
    return found["stem"], {"dot": 1, "ddot": 2}.get(found["end"]) or int(found["end"][1:])


def symbol(name: str, kind: str = "parameter", order: int = 0) -> Symbol:
    """The symbol of this name and kind, or its time derivative of some order. Kinds: see `KINDS`."""
    key, table = (kind, name, order), _tables["symbol"]
    try:
        entry = table.get(key)
    except TypeError:  # something that is no text
        raise ExpressionError(f"symbol: name and kind are texts, got {shown(name)}, {shown(kind)}") from None
    if entry is not None and (known := entry()) is not None:
        return known
    check_name(name, "symbol")
    if kind not in KINDS:
        raise ExpressionError(f"symbol {name!r}: there is no kind {shown(kind)}; kinds are {listed(KINDS)}")
    node = Symbol()
    node.op, node.args, node.data, node.serial = "symbol", (), None, next(_serial)
    node.stem, node.kind, node.order, node.name = name, kind, order, rate_name(name, order)
    node.key = _CLASS_OF_KIND[kind] << _HASH_BITS | text_number(f"{kind} {name} {order}")
    return table.filed(node, key)


def symbols(names: str | Iterable[str], kind: str = "parameter") -> tuple[Symbol, ...]:
    """Several symbols of one kind: `symbols("a b c")`."""
    return tuple(symbol(n, kind) for n in (names.replace(",", " ").split() if isinstance(names, str) else names))


def constant(value: Number) -> Expr:
    """A number on the graph. Integers and fractions stay exact; a float that is an integer is that integer."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ExpressionError(f"a constant must be finite, got {value}")
        if value.is_integer() and abs(value) < 2.0**53:
            value = int(value)
    elif isinstance(value, Fraction) and value.denominator == 1:
        value = value.numerator
    key, table = (type(value), value), _tables["const"]
    entry = table.get(key)
    if entry is not None and (known := entry()) is not None:
        return known
    node = Expr()
    node.op, node.args, node.data, node.serial, node.key = "const", (), value, next(_serial), _constant_key(value)
    return table.filed(node, key)


def fraction(numerator: int, denominator: int) -> Expr:
    """An exact fraction: `fraction(1, 12)`."""
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
    """Anything that can stand for a scalar, as an expression: numbers, SymPy expressions, 0-d arrays."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):
        raise ExpressionError(f"{value} is a truth value, not a number; use where(condition, a, b)")
    if isinstance(value, (int, Fraction, float)):
        return constant(value)
    if isinstance(value, numbers.Integral):
        return constant(int(value))
    if isinstance(value, numbers.Rational):
        return constant(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, numbers.Real):
        return constant(float(value))
    if (convert := _foreign(value)) is not None:
        return as_expr(convert(value))
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return as_expr(value.item())
    raise ExpressionError(_why_not_a_scalar(value))


# A type of another package, told by the package's name, finds its converter in the module named here. That module is
# loaded when such an object first arrives, so that packages which are not used cost no time to load.
FOREIGN: dict[str, tuple[str, str]] = {"sympy": ("symbody.algebra.sympy_border", "from_sympy")}


def _foreign(value: object) -> Callable[[Any], Any] | None:
    # the module of a class made at run time, such as SymPy's q(t), may be missing: its bases tell
    packages = ((base.__module__ or "").partition(".")[0] for base in type(value).__mro__)
    place = next((FOREIGN[p] for p in packages if p in FOREIGN), None)
    if place is None:
        return None
    converter: Callable[[Any], Any] = getattr(importlib.import_module(place[0]), place[1])
    return converter


def _why_not_a_scalar(value: object) -> str:
    if isinstance(value, str):
        return f"the text {shown(value)} is not an expression; make a symbol of it with symbol({shown(value)}, kind), or m.parameter({shown(value)}) of a model"
    if isinstance(value, Condition):
        return f"the condition {value} is not a number; use where(condition, a, b)"
    if isinstance(value, complex):
        return f"{value} is complex; expressions are real (evaluate() takes complex numbers for symbols)"
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"an array of shape {shape} cannot stand for a scalar; use matrix(...) or pick an entry"
    return f"{shown(value)} of type {type(value).__name__} cannot stand for a scalar, a number or an expression"


def as_condition(value: Any) -> Condition:
    """A condition, or Python's True and False as one."""
    if isinstance(value, Condition):
        return value
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if (convert := _foreign(value)) is not None:
        return as_condition(convert(value))
    raise ExpressionError(f"{shown(value)} is not a condition; conditions come from <, <=, >, >=, equal, &, |, ~")


# ---------------------------------------------------------------------------------------------------------- constructors

Apply = Callable[..., Node | None]


def intern(op: str, args: tuple[Any, ...], data: Any = None) -> Any:
    """The node of this operation and these arguments, without rewriting."""
    key, table = (args if data is None else (data, args)), _tables[op]
    entry = table.get(key)
    if entry is not None and (known := entry()) is not None:
        return known
    node = _CLASS.get(op, Expr)()
    node.op, node.args, node.data, node.serial, node.key = op, args, data, next(_serial), _key_of(op, args, data)
    return table.filed(node, key)


class _Rules(dict[Any, tuple[Apply, ...]]):
    """Rules by operation and operations of the arguments, collected from `registry` on first use."""

    registry: list[tuple[str, tuple[str, ...], Apply, bool]] = []

    def __missing__(self, key: tuple[str, ...]) -> tuple[Apply, ...]:
        op, *ops = key
        found: list[Apply] = []
        for rule_op, pattern, apply, is_symmetric in self.registry:
            if rule_op != op or len(pattern) != len(ops):
                continue
            if fits := _fits(pattern, ops):
                found.append(apply)
            if op in COMMUTATIVE and _fits(pattern[::-1], ops) and not (fits and is_symmetric):
                found.append(lambda a, b, apply=apply: apply(b, a))
        self[key] = tuple(found)
        return self[key]


def _fits(pattern: tuple[str, ...], ops: list[str]) -> bool:
    return all(p in ("any", o) for p, o in zip(pattern, ops, strict=True))


_rules = _Rules()


def rule(op: str, *pattern: str, symmetric: bool = False) -> Callable[[Apply], Apply]:
    """Register a rewriting rule for `op` applied to arguments whose operations fit `pattern` ("any" fits all).

    The decorated function gets the arguments and returns the rewritten node, or None where it does not apply. Its
    docstring is the identity it uses, `left = right`; the tests check every such identity at random numbers and that
    `left` is indeed rewritten to `right`. Patterns of commutative operations hold in both orders; a symmetric rule does
    not look at the order itself.
    """

    def register(apply: Apply) -> Apply:
        _rules.registry.append((op, pattern, apply, symmetric or len(set(pattern)) < len(pattern)))
        return apply

    return register


# The three constructors below are where the time goes when equations are derived: they look a node up once, try the rules that fit,
# and file the new node under the key they looked up.


def _too_large(op: str, *args: Node) -> ExpressionError:
    numbers = " and ".join(shown(a.data) for a in args if a.op == "const")
    return ExpressionError(f"{op}: a number is larger than any number of the machine (1.8e308): {numbers}")


def make1(op: str, a: Expr) -> Expr:
    """A node of one argument."""
    args, table = (a,), _tables[op]
    entry = table.get(args)
    if entry is not None and (known := entry()) is not None:
        return known
    try:
        for apply in _rules[op, a.op]:
            if (out := apply(a)) is not None:
                return out  # type: ignore[return-value]
    except OverflowError:
        raise _too_large(op, a) from None
    node = _CLASS.get(op, Expr)()
    node.op, node.args, node.data, node.serial = op, args, None, next(_serial)
    key = a.key
    node.key = key & _CLASS_MASK | _NOT_A_NUMBER | hash((_number_of[op], key)) & _HASH
    return table.filed(node, args)


def make2(op: str, a: Expr, b: Expr) -> Expr:
    """A node of two arguments; those of commutative operations are put in the order of their keys."""
    one, other = a.key, b.key
    if one > other and op in COMMUTATIVE:
        a, b, one, other = b, a, other, one
    if op == "mul":
        if a is ZERO or a is ONE:
            return a if a is ZERO else b
        return _product(a, b, other & _CLASS_MASK | _NOT_A_NUMBER | one + other & _HASH)
    if a is ZERO and op == "add":
        return b
    args, table = (a, b), _tables[op]
    entry = table.get(args)
    if entry is not None and (known := entry()) is not None:
        return known
    try:
        for apply in _rules[op, a.op, b.op]:
            if (out := apply(a, b)) is not None:
                return out  # type: ignore[return-value]
    except OverflowError:  # an exact number beside a float
        raise _too_large(op, a, b) from None
    node = _CLASS.get(op, Expr)()
    node.op, node.args, node.data, node.serial, node.key = op, args, None, next(_serial), pair_key(op, a, b)
    return table.filed(node, args)


def _product(a: Expr, b: Expr, key: int) -> Expr:
    """A product; where one with the same factors exists it is that one, whatever their order and grouping."""
    table, place = _tables["mul"], (key,)
    entry = table.get(place)
    if entry is not None and (known := entry()) is not None:
        if known.args == (a, b) or same_factors((known,), (a, b)):
            return known
        return intern("mul", (a, b))  # two products with one key: as good as never
    for apply in _rules["mul", a.op, b.op]:
        if (out := apply(a, b)) is not None:
            return out  # type: ignore[return-value]
    node = Expr()
    node.op, node.args, node.data, node.serial, node.key = "mul", (a, b), None, next(_serial), key
    return table.filed(node, place)


def same_factors(some: Iterable[Node], others: Iterable[Node]) -> bool:
    """Whether two products are equal but for order and grouping of their factors."""
    return factors_of(some) == factors_of(others)


def factors_of(nodes: Iterable[Node]) -> dict[Any, int]:
    """The factors of a product and their exponents: nested products and integer powers are opened, each once."""
    out: dict[Node, int] = {}
    exponents: dict[Node, int] = {}
    waiting: list[tuple[int, int, Node]] = []

    def put(n: Node, times: int) -> None:
        if n.op == "pow" and n.args[1].op == "const" and isinstance(n.args[1].data, int):
            n, times = n.args[0], times * n.args[1].data
        if n.op != "mul":
            out[n] = out.get(n, 0) + times
        elif n in exponents:
            exponents[n] += times
        else:
            exponents[n] = times
            heappush(waiting, (-n.serial, 0, n))

    for n in nodes:
        put(n, 1)
    while waiting:  # the youngest first: nothing that is left contains it
        n = heappop(waiting)[2]
        for a in n.args:
            put(a, exponents[n])
    return out


def make(op: str, args: tuple[Any, ...], data: Any = None) -> Any:
    """A node of any number of arguments, by the rules."""
    if data is None:
        if len(args) == 1:
            return make1(op, *args)
        if len(args) == 2:
            return make2(op, *args)
    for apply in _rules[op, *("any" for _ in args)] if len(args) < 4 else ():
        if (out := apply(*args)) is not None:
            return out
    return intern(op, args, data)


PI: Final[Expr] = intern("pi", ())
TRUE: Final[Condition] = intern("true", (), True)
FALSE: Final[Condition] = intern("true", (), False)


def plain2(op: str, args: tuple[Expr, Expr]) -> Expr:
    """The node of two arguments in normal form, which no rule rewrites."""
    table = _tables[op]
    entry = table.get(args)
    if entry is not None and (known := entry()) is not None:
        return known
    return intern(op, args)
