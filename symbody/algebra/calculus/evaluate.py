"""Values of expressions at numbers, without compiling: real, complex, or with as many digits as wanted.

Complex numbers make the derivative by the complex step exact to rounding; for that, `abs`, `sign`, `min`, `max`,
`atan2` and comparisons follow the real part and continue analytically.
"""

from __future__ import annotations

import cmath
import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final

from ...argument_kinds import answered
from ...errors import EvaluationError, ExpressionError, SymbodyError, listed, shown
from ...optional_packages import optional_package
from ..elimination import elimination
from ..graph.graph import Node, Symbol
from ..graph.linear import MIN_PIVOT
from ..graph.matrix import Matrix
from ..graph.sweeps import Fragment, Schedule, items_of_steps
from ..graph.walk import evaluation_order, scalars


@dataclass(frozen=True)
class Arithmetic:
    """A kind of number: where its functions are, and how constants become such a number.

    complex_types   of complex numbers among them
    epsilon         distance of one from the next number
    """

    functions: Any
    number: Callable[[Any], Any]
    complex_types: tuple[type, ...] = (complex,)
    epsilon: Any = sys.float_info.epsilon


REAL = Arithmetic(math, float)
_COMPLEX = Arithmetic(cmath, complex)


@cache
def _many_digits() -> Arithmetic:
    """That of mpmath, which takes as long to load as everything that describes a model."""
    mpmath = optional_package("mpmath", "evaluate with many digits", ExpressionError)

    def number(value: Any) -> Any:
        if isinstance(value, Fraction):
            return mpmath.mpf(value.numerator) / value.denominator
        return mpmath.mpmathify(value)

    return Arithmetic(mpmath, number, (complex, mpmath.mpc), mpmath.mp.eps)


@answered
def evaluate(thing: Any, values: Mapping[Any, Any] | None = None, digits: int | None = None) -> Any:
    """The value of an expression, or of a matrix (rows as lists; a column as one list) or a list of these.

    values   a number for each symbol or name: real, complex or mpmath
    digits   compute with this many decimal digits and return mpmath numbers

    >>> x, y = sb.symbols("x y")
    >>> sb.evaluate(x * sb.sin(y), {x: 2.0, "y": 0.5})
    0.958851
    >>> import mpmath
    >>> mpmath.nstr(sb.evaluate(sb.sqrt(x), {x: 2}, digits=30), 30)
    '1.41421'

    See also: `compile`, `emit.numpy_function`, `substitute`.
    """
    roots = scalars(thing)
    order = evaluation_order(roots)
    given = by_symbol(order, values or {})
    if digits is not None:
        arithmetic = _many_digits()
        with arithmetic.functions.workdps(digits):
            return _in_shape_of(thing, _values(roots, order, given, arithmetic))
    return _in_shape_of(thing, _values(roots, order, given, _arithmetic_of(given.values())))


class Evaluator:
    """Expressions that are evaluated many times at floats: the order of evaluation, and the nodes that depend on no
    moving symbol, are found once.

    fixed    numbers of the symbols that stay
    moving   symbols whose numbers each call gives, in this order
    """

    def __init__(self, expressions: Sequence[Node], fixed: Mapping[Symbol, float], moving: Sequence[Symbol]) -> None:
        self._roots, self._moving = list(expressions), list(moving)
        touched: set[Node] = set(moving)
        self._known: dict[Node, Any] = {}
        self._order: list[Node] = []
        for n in evaluation_order(self._roots):
            if n in touched:
                continue
            if not touched.isdisjoint(n.args):
                touched.add(n)
                self._order.append(n)
            elif isinstance(n, Symbol):
                self._known[n] = float(fixed[n])
            else:
                self._known[n] = value_of(REAL, n, [self._known[a] for a in n.args])
        self._is_plain = not any(isinstance(v, NoValue) for v in self._known.values())
        places = {n: k for k, n in enumerate((*self._known, *self._moving, *self._order))}
        self._steps = [(_real_operation(n), *_operands(places, n)) for n in self._order]
        self._results = [places[r] for r in self._roots]

    def __call__(self, numbers: Iterable[float]) -> list[float]:
        """Values by place, without asking each whether it is one; node by node where one has none."""
        given = list(numbers)
        if not self._is_plain or len(given) != len(self._moving):
            return self._node_by_node(given)
        value = [*self._known.values(), *given]
        append = value.append
        try:
            for f, a, b, more in self._steps:
                if b is None:
                    append(f(value[a]))
                elif more is None:
                    append(f(value[a], value[b]))
                else:
                    append(f(value[a], value[b], *[value[k] for k in more]))
        except (ArithmeticError, ValueError):
            return self._node_by_node(given)
        return [value[k] for k in self._results]

    def _node_by_node(self, numbers: Sequence[float]) -> list[float]:
        value = dict(self._known)
        value.update(zip(self._moving, numbers, strict=True))
        for n in self._order:
            value[n] = value_of(REAL, n, [value[a] for a in n.args])
        out = [value[r] for r in self._roots]
        for v in out:
            if isinstance(v, NoValue):
                raise EvaluationError(v.why)
        return out


def _operands(places: Mapping[Node, int], n: Node) -> tuple[int, int | None, list[int] | None]:
    """Places of the first operand, the second and all others, with None if there is none."""
    first, *others = (places[a] for a in n.args)
    return first, (others[0] if others else None), (others[1:] or None)


def _real_operation(n: Node) -> Callable[..., Any]:
    """What a node does with floats."""
    if n.op in _PLAIN:
        return _PLAIN[n.op]
    operation = OPERATIONS[n.op]
    return lambda *args: operation(REAL, n, *args)


def _arithmetic_of(numbers: Any) -> Arithmetic:
    kinds = {type(v) for v in numbers}
    if any(k.__module__.startswith("mpmath") for k in kinds):
        return _many_digits()
    return _COMPLEX if any(issubclass(k, complex) for k in kinds) else REAL


def by_symbol(nodes: Iterable[Node], values: Mapping[Any, Any]) -> dict[Symbol, Any]:
    """The values of the symbols among some nodes."""
    if not isinstance(values, Mapping):
        raise ExpressionError(f"evaluate: values must be a mapping {{symbol or name: number}}, got {shown(values)}")
    needed = [n for n in nodes if isinstance(n, Symbol)]
    given = {s: values[s] if s in values else values.get(s.name) for s in needed}
    missing = [s.name for s, v in given.items() if v is None]
    if missing:
        raise ExpressionError(f"evaluate: no value for {listed(missing)}; values were given for {listed(values)}")
    return given


def _in_shape_of(thing: Any, value: Mapping[Node, Any]) -> Any:
    if isinstance(thing, Matrix):
        if thing.cols == 1:
            return [value[e] for e in thing.entries]
        return [[value[e] for e in thing.row(i)] for i in range(thing.rows)]
    if isinstance(thing, (list, tuple)):
        return [_in_shape_of(t, value) for t in thing]
    return value[scalars(thing)[0]]


def _values(
    roots: Iterable[Node], order: Iterable[Node], given: Mapping[Symbol, Any], arithmetic: Arithmetic
) -> dict[Node, Any]:
    value: dict[Node, Any] = {}
    of_two = _OF_TWO.get
    for n in order:
        if (operation := of_two(n.op)) is not None:
            a, b = n.args
            try:
                value[n] = operation(value[a], value[b])
                continue
            except (ArithmeticError, TypeError, ValueError):  # `value_of` finds the reason
                pass
        if isinstance(n, Symbol):
            try:
                value[n] = arithmetic.number(given[n])
            except OverflowError:
                raise EvaluationError(
                    f"{n.name} = {shown(given[n])} is larger than any number of the machine"
                ) from None
        else:
            value[n] = value_of(arithmetic, n, [value[a] for a in n.args])
    for r in roots:
        if isinstance(value[r], NoValue):
            raise EvaluationError(value[r].why)
    return value


@dataclass(frozen=True)
class NoValue:
    """Marks a node without a value at these numbers. It becomes an error only where the value is needed: `where` may
    select the other branch."""

    why: str


def value_of(arithmetic: Arithmetic, n: Node, args: list[Any]) -> Any:
    for a in args[:1] if n.op == "where" else args:
        if a.__class__ is NoValue:
            return a
    try:
        return OPERATIONS[n.op](arithmetic, n, *args)
    except SymbodyError:
        raise
    except (ArithmeticError, ValueError) as reason:
        return NoValue(f"{n.op} has no value at these numbers ({reason}); arguments {listed(args)}")


def _real(x: Any) -> Any:
    return x.real


def _atan2(k: Arithmetic, n: Node, y: Any, x: Any) -> Any:
    if not isinstance(x, k.complex_types) and not isinstance(y, k.complex_types):
        return k.functions.atan2(y, x)
    # analytic: the angle at the real parts, plus the small rest
    angle = k.number((math if k is _COMPLEX else k.functions).atan2(_real(y), _real(x)))
    c, s = k.functions.cos(angle), k.functions.sin(angle)
    return angle + k.functions.atan((y * c - x * s) / (x * c + y * s))


def _power(k: Arithmetic, n: Node, base: Any, exponent: Any) -> Any:
    fixed = n.args[1].data
    if isinstance(fixed, int):
        return base**fixed
    return math.pow(base, exponent) if k is REAL else base**exponent


def _factor(k: Arithmetic, n: Node, *entries: Any) -> tuple[list[Any], list[int]]:
    shape = n.data
    a, p = shape.full(entries), [0] * shape.n
    if shape.kind == "definite":
        diagonal = a[:: shape.n + 1]
        elimination.definite_factor(shape.n, a)
        if shape.is_guarded:
            _refuse_singular(k, shape.sizes, a[:: shape.n + 1], diagonal)
    else:
        elimination.general_factor(shape.n, a, p)
    return a, p


def _refuse_singular(
    k: Arithmetic, sizes: Sequence[float], inverse_pivots: Sequence[Any], diagonal: Sequence[Any]
) -> None:
    least = MIN_PIVOT / sys.float_info.epsilon * k.epsilon
    level = least * sum(_real(entry) / size for entry, size in zip(diagonal, sizes, strict=True))
    for inverse, size in zip(inverse_pivots, sizes, strict=True):
        part = level * size * _real(inverse)
        if part <= 0 or part >= 1:
            raise ZeroDivisionError("a matrix is singular to rounding")


def _solve(k: Arithmetic, n: Node, factors: tuple[list[Any], list[int]], *b: Any) -> list[Any]:
    shape, x, (a, p) = n.args[0].data, list(b), factors
    if shape.kind == "definite":
        elimination.definite_solve(shape.n, a, x)
    elif n.data:
        elimination.general_solve_transposed(shape.n, a, p, x)
    else:
        elimination.general_solve(shape.n, a, p, x)
    return x


def _sweeps(k: Arithmetic, n: Node, *args: Any) -> list[Any]:
    """Step after step, each by the operations of its fragment; the steps of columns once for each."""
    schedule: Schedule = n.data
    orders = [evaluation_order([e for g in f.outputs for e in g]) for f in schedule.fragments]

    def run(kind: int, places: Sequence[int], memory: list[Any]) -> None:
        _run_fragment(k, schedule.fragments[kind], orders[kind], places, memory)

    return items_of_steps(schedule, args, k.number(0), k.number(1), run)


def _run_fragment(k: Arithmetic, f: Fragment, order: list[Node], places: Sequence[int], memory: list[Any]) -> None:
    value: dict[Node, Any] = {
        s: memory[at + i]
        for g, at in zip(f.inputs, places, strict=False)
        for i, s in enumerate(g)
        if at + i < len(memory)
    }
    for e in order:
        if e not in value:
            value[e] = value_of(k, e, [value[a] for a in e.args])
    for g, at, adds in zip(f.outputs, places[len(f.inputs) :], f.adds, strict=True):
        for i, e in enumerate(g):
            if value[e].__class__ is NoValue:
                raise ArithmeticError(value[e].why)
            memory[at + i] = memory[at + i] + value[e] if adds else value[e]


def _call(k: Arithmetic, n: Node, *args: Any) -> Any:
    if n.data.python is None:
        raise ExpressionError(f"external function {n.data.name!r} has no Python form to evaluate; give python=...")
    return k.number(n.data.python(*args))


def _function(name: str) -> Callable[..., Any]:
    return lambda k, n, x: getattr(k.functions, name)(x)


_OF_ONE: Final = "sqrt exp log sin cos tan asin acos atan sinh cosh tanh".split()

OPERATIONS: dict[str, Callable[..., Any]] = {
    "const": lambda k, n: k.number(n.data),
    "pi": lambda k, n: k.number(k.functions.pi),
    "true": lambda k, n: n.data,
    "settled": lambda k, n, a: a,
    "neg": lambda k, n, a: -a,
    "add": lambda k, n, a, b: a + b,
    "sub": lambda k, n, a, b: a - b,
    "mul": lambda k, n, a, b: a * b,
    "div": lambda k, n, a, b: a / b,
    "pow": _power,
    "atan2": _atan2,
    "abs": lambda k, n, a: -a if _real(a) < 0 else a,
    "sign": lambda k, n, a: a if a != a else k.number((_real(a) > 0) - (_real(a) < 0)),
    "min": lambda k, n, a, b: a if _real(a) <= _real(b) else b,
    "max": lambda k, n, a, b: a if _real(a) >= _real(b) else b,
    "lt": lambda k, n, a, b: _real(a) < _real(b),
    "le": lambda k, n, a, b: _real(a) <= _real(b),
    "eq": lambda k, n, a, b: a == b,
    "and": lambda k, n, a, b: a and b,
    "or": lambda k, n, a, b: a or b,
    "not": lambda k, n, a: not a,
    "where": lambda k, n, c, a, b: a if c else b,
    "call": _call,
    "factor": _factor,
    "solve": _solve,
    "sweeps": _sweeps,
    "item": lambda k, n, block: block[n.data],
    **{f: _function(f) for f in _OF_ONE},
}
_OF_TWO: Final = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}
_PLAIN: dict[str, Callable[..., Any]] = {  # those of floats that Python has as functions
    **_OF_TWO, "neg": operator.neg, "atan2": math.atan2,
    **{f: getattr(math, f) for f in _OF_ONE},
}  # fmt: skip
