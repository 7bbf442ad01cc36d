"""Evaluation of expressions in model files: numbers, conditions, points, vectors, dyads, frames, bodies, lists.

`value_of(formula, names)` runs the steps of an expression on a stack. Names are looked up by the caller; functions and
methods are those listed here and no others. Numbers that are exact stay so, within `MOST_BITS`; a graph that grows past
`MOST_NODES` is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, NoReturn, Protocol

from ...algebra.calculus.derivatives import derivative, time_derivative
from ...algebra.graph import functions as fn
from ...algebra.graph.graph import Condition, Expr, Symbol, as_expr
from ...algebra.graph.linear import solve
from ...algebra.graph.matrix import Matrix, as_matrix
from ...algebra.graph.node_table import node_limit, nodes_made
from ...errors import ExpressionTextError, ModelError, ModelFileError, NodeLimitError, SymbodyError, listed, unknown
from ..frames.dyads import Dyad
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector
from ..mechanism.mechanism import Body
from .expression_text import ExpressionText, Step

MOST_BITS: Final = 4096  # of an exact number
MOST_POWER: Final = 1000  # exponent that is a number
MOST_NODES: Final = 100_000  # that the expressions of one file may make
TOO_MANY_NODES: Final = f"the expressions of this file have more than {MOST_NODES} nodes"


class NameResolver(Protocol):
    """Resolves names in expressions."""

    def named(self, name: str, is_part: bool) -> Any:
        """The value of a name; `is_part` if one of its attributes is used, as in wheel.point(...). Raises KeyError if
        there is none."""

    def quoted(self, name: str) -> Any:
        """A body or frame by its whole name."""

    def contact(self, name: str) -> Point:
        """Where a wheel touches, by the name of its rolling joint."""

    def missing(self, name: str) -> str:
        """The error message for an unknown name."""

    @property
    def most_nodes(self) -> int:
        """Limit on the number of nodes created."""


def value_of(formula: ExpressionText, names: NameResolver) -> Any:
    """The value of an expression, or an error that names the part without a value."""
    return _StackMachine(formula, names).run()


def kind(value: Any) -> str:
    """The type of a value, as named in messages."""
    for type_, word in _KINDS:
        if isinstance(value, type_):
            return word
    return type(value).__name__


_KINDS: Final[tuple[tuple[type, str], ...]] = (
    (Expr, "a number"), (Condition, "a condition"), (Vector, "a vector"), (Point, "a point"), (Frame, "a frame"), (Body, "a body"),
    (Dyad, "a dyad"), (Matrix, "a list"), (tuple, "a list"), (str, "a word"),
)  # fmt: skip

# ---------------------------------------------------------------------------------------------------------- the machine


class _StackMachine:
    def __init__(self, formula: ExpressionText, names: NameResolver) -> None:
        self.formula, self.names = formula, names
        self.stack: list[Any] = []

    def refuse(self, step: Step, message: str) -> NoReturn:
        raise ExpressionTextError(message, self.formula.text, step.at, step.length)

    def run(self) -> Any:
        for step in self.formula.steps:
            try:
                with node_limit(self.names.most_nodes):
                    value = self.step(step)
            except (ExpressionTextError, ModelFileError):
                raise
            except NodeLimitError:
                self.refuse(step, TOO_MANY_NODES)
            except SymbodyError as reason:
                self.refuse(step, str(reason))
            except ArithmeticError as reason:
                self.refuse(step, f"this cannot be computed: {reason}")
            self.check_size(step, value)
            self.stack.append(value)
        (value,) = self.stack
        return value

    def check_size(self, step: Step, value: Any) -> None:
        exact = value.value if isinstance(value, Expr) else None
        if isinstance(exact, (int, Fraction)) and _bits(exact) > MOST_BITS:
            self.refuse(step, f"this number has more than {MOST_BITS} bits; write it with a decimal point")
        if (step.do in ("method", "call") or not isinstance(value, Expr)) and nodes_made() > self.names.most_nodes:
            self.refuse(step, TOO_MANY_NODES)

    def pop(self, count: int) -> list[Any]:
        if count == 0:
            return []
        out = self.stack[-count:]
        del self.stack[-count:]
        return out

    def step(self, s: Step) -> Any:
        match s.do:
            case "number":
                return as_expr(s.data)
            case "word":
                return s.data
            case "name":
                return self.name(s)
            case "quoted":
                return self.names.quoted(s.data)
            case "list":
                return tuple(self.pop(s.data))
            case "call":
                return self.call(s, *s.data)
            case "attribute":
                return self.attribute(s, self.pop(1)[0])
            case "method":
                return self.method(s, *s.data)
            case "item":
                return self.item(s, self.pop(1)[0])
            case "negate":
                return self.negated(s, self.pop(1)[0])
            case "~":
                return ~self.condition(s, self.pop(1)[0])
            case _:
                return self.operation(s, *self.pop(2))

    # Names

    def name(self, s: Step) -> Any:
        name, is_part = s.data
        try:
            return self.names.named(name, is_part)
        except KeyError:
            self.refuse(s, self.names.missing(name))

    # Operations

    def scalar(self, s: Step, value: Any, what: str) -> Expr:
        if not isinstance(value, Expr):
            self.refuse(s, f"{what} must be a number, this is {kind(value)}")
        return value

    def condition(self, s: Step, value: Any) -> Condition:
        if not isinstance(value, Condition):
            self.refuse(s, f"{s.do} is for conditions such as a < b, this is {kind(value)}")
        return value

    def negated(self, s: Step, value: Any) -> Any:
        if isinstance(value, (Expr, Vector, Dyad, Matrix)):
            return -value
        return self.refuse(s, f"{kind(value)} has no sign")

    def operation(self, s: Step, a: Any, b: Any) -> Any:
        if s.do in ("&", "|"):
            x, y = self.condition(s, a), self.condition(s, b)
            return x & y if s.do == "&" else x | y
        if s.do in _RELATIONS:
            return _RELATIONS[s.do](
                self.scalar(s, a, f"the left side of {s.do}"), self.scalar(s, b, f"the right side of {s.do}")
            )
        if s.do == "^":
            return self.power(s, self.scalar(s, a, "the base of a power"), self.scalar(s, b, "an exponent"))
        if s.do == "/" and isinstance(b, Expr) and b.value == 0:
            self.refuse(s, "division by zero")
        if not any(isinstance(a, x) and isinstance(b, y) for x, y in _PAIRS[s.do]):
            self.refuse(s, f"{kind(a)} {s.do} {kind(b)} has no meaning{_INSTEAD.get((s.do, kind(a), kind(b)), '')}")
        if isinstance(a, Matrix) and isinstance(b, Matrix) and a.shape != b.shape:
            self.refuse(s, f"lists of {a.rows} and of {b.rows} have no {'sum' if s.do == '+' else 'difference'}")
        return _ARITHMETIC[s.do](a, b)

    def power(self, s: Step, a: Expr, b: Expr) -> Expr:
        base, exponent = a.value, b.value
        if exponent is None:
            if base is not None and abs(float(base)) > 2.0**64:
                self.refuse(s, "the base of a power is at most 2^64")
            return a**b
        if abs(float(exponent)) > MOST_POWER:
            self.refuse(s, f"an exponent is at most {MOST_POWER}, this is {float(exponent):g}")
        if base == 0 and exponent < 0:
            self.refuse(s, "division by zero: a negative power of zero")
        if isinstance(base, (int, Fraction)) and _bits(base) * abs(float(exponent)) > 2 * MOST_BITS:
            self.refuse(s, f"this number has more than {MOST_BITS} bits; write it with a decimal point")
        return a**b

    def item(self, s: Step, value: Any) -> Any:
        if isinstance(value, tuple):
            value = as_matrix(value) if all(isinstance(v, Expr) for v in value) else value
        if isinstance(value, Matrix):
            wanted = 1 if value.cols == 1 else 2
            if len(s.data) == wanted and all(k < n for k, n in zip(s.data, value.shape, strict=False)):
                return value[s.data[0]] if wanted == 1 else value[s.data]
            self.refuse(s, f"{list(s.data)} is not an index of {value.rows} by {value.cols} entries (counted from 0)")
        return self.refuse(s, f"{kind(value)} has no entries; use components(frame)")

    # Functions and methods

    def call(self, s: Step, name: str, count: int) -> Any:
        args = self.pop(count)
        if name == "contact":
            return self.names.contact(str(args[0]))
        return _FUNCTIONS[name](self, s, args)

    def attribute(self, s: Step, value: Any) -> Any:
        known = _ATTRIBUTES.get(_part(value), {})
        if s.data not in known:
            methods = _METHODS.get(_part(value), {})
            if s.data in methods:
                self.refuse(s, f"{s.data} needs parentheses: .{s.data}(...)")
            raise self.unknown(s, value, s.data, {**known, **methods})
        return known[s.data](value)

    def method(self, s: Step, name: str, count: int) -> Any:
        args = self.pop(count)
        value = self.pop(1)[0]
        known = _METHODS.get(_part(value), {})
        if name not in known:
            if name in _ATTRIBUTES.get(_part(value), {}):
                self.refuse(s, f"{name} has no parentheses: .{name}")
            raise self.unknown(s, value, name, {**_ATTRIBUTES.get(_part(value), {}), **known})
        signature, do = known[name]
        return do(value, *self.arguments(s, name, signature, args))

    def unknown(self, s: Step, value: Any, got: str, known: Any) -> ExpressionTextError:
        if not known:
            return ExpressionTextError(
                f"{kind(value)} has nothing of the name {got!r}", self.formula.text, s.at, s.length
            )
        return ExpressionTextError(str(unknown(kind(value), "part", got, known)), self.formula.text, s.at, s.length)

    def arguments(self, s: Step, name: str, signature: str, args: list[Any]) -> list[Any]:
        """Arguments checked against a signature: n number, N numbers from here on, v vector, V vector or dyad, p point,
        f frame, l list, w axis, s symbol, ? optional."""
        wanted, optional = signature.split("?") if "?" in signature else (signature, "")
        most = 99 if "N" in signature else len(wanted) + len(optional)
        if not len(wanted.replace("N", "")) <= len(args) <= most:
            shown = listed(_LETTERS[c] for c in wanted + optional)
            self.refuse(
                s,
                (
                    f"{name} takes {shown or 'nothing'}{' (the last is optional)' * bool(optional)}, got "
                    f"{len(args)} argument{'s' * (len(args) != 1)}"
                ),
            )
        letters = (wanted + optional).ljust(len(args), (wanted + optional)[-1:] or " ")
        return [self.argument(s, name, letter, a) for letter, a in zip(letters, args, strict=False)]

    def argument(self, s: Step, name: str, letter: str, a: Any) -> Any:
        if letter == "f" and isinstance(a, Body):
            return a.frame
        if letter == "o" and not isinstance(a, Point) and not isinstance(a, Expr):
            self.refuse(s, f"{name} takes three numbers or a point, this is {kind(a)}")
        if letter == "w" and isinstance(a, tuple):
            return self.argument(s, name, "l", a)
        type_ = _TYPES[letter]
        if not isinstance(a, type_):
            self.refuse(s, f"{name} takes {_LETTERS[letter]} here, got {kind(a)}")
        if letter == "l":
            self.flat(s, name, a)
        return a

    def flat(self, s: Step, name: str, a: tuple[Any, ...] | Matrix) -> None:
        rows = [r for r in a if isinstance(r, tuple)] if isinstance(a, tuple) else []
        entries = [e for r in rows for e in r] + [e for e in a if not isinstance(e, tuple)]
        if any(not isinstance(e, Expr) for e in entries) or (
            rows and (len(rows) < len(a) or len({len(r) for r in rows}) != 1)
        ):
            self.refuse(s, f"{name} takes a list of numbers, or of rows of one length")


def _bits(exact: int | Fraction) -> int:
    return max(exact.numerator.bit_length(), exact.denominator.bit_length())


_RELATIONS: Final[dict[str, Callable[[Any, Any], Condition]]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "==": fn.equal,
}  # fmt: skip
_ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
}  # fmt: skip
_SAME: Final = tuple((t, t) for t in (Expr, Vector, Dyad, Matrix))
_PAIRS: Final[dict[str, tuple[tuple[type, type], ...]]] = {
    "+": (*_SAME, (Point, Vector), (Vector, Point)),
    "-": (*_SAME, (Point, Vector), (Point, Point)),
    "*": ((Expr, Expr), *((Expr, t) for t in (Vector, Dyad, Matrix)), *((t, Expr) for t in (Vector, Dyad, Matrix))),
    "/": ((Expr, Expr), (Vector, Expr), (Dyad, Expr), (Matrix, Expr)),
}  # fmt: skip
_INSTEAD: Final = {
    ("*", "a vector", "a vector"): "; write a.dot(b) or a.cross(b)",
    ("+", "a point", "a point"): "; the difference of two points is a vector",
    ("-", "a vector", "a point"): "; write point - vector",
}
_TYPES: Final[dict[str, Any]] = {
    "n": Expr, "N": Expr, "v": Vector, "V": (Vector, Dyad), "p": Point, "f": Frame, "l": (tuple, Matrix), "w": (str, tuple), "s": Symbol, "o": (Expr, Point),
}  # fmt: skip
_LETTERS: Final = {
    "n": "a number", "N": "numbers", "v": "a vector", "V": "a vector or a dyad", "p": "a point", "f": "a frame or body", "l": "a list", "w": "an axis (x, -y, zxz or [a, b, c])",
    "s": "a symbol", "o": "three numbers or a point",
}  # fmt: skip


def _part(value: Any) -> type:
    """The type by which attributes and methods are found."""
    return next((t for t in (Body, Frame, Point, Vector, Dyad) if isinstance(value, t)), type(value))


def _frames_too(of_frame: dict[str, Any], own: dict[str, Any], through: Callable[[Any], Any]) -> dict[str, Any]:
    """A body offers what its frame does, and more."""
    return {**{n: through(x) for n, x in of_frame.items()}, **own}


_FRAME: Final[dict[str, Callable[[Any], Any]]] = {
    "x": lambda f: f.x,
    "y": lambda f: f.y,
    "z": lambda f: f.z,
    "origin": lambda f: f.origin,
}
_ATTRIBUTES: Final[dict[type, dict[str, Callable[[Any], Any]]]] = {
    Frame: _FRAME,
    Body: _frames_too(
        _FRAME, {"frame": lambda b: b.frame, "mass_centre": lambda b: b.mass_centre}, lambda x: lambda b: x(b.frame)
    ),
}


def _translated_frame(f: Frame, *to: Any) -> Frame:
    if len(to) != (1 if isinstance(to[0], Point) else 3):
        raise ModelError(f"translate takes three numbers or a point, got {len(to)} values")
    return f.translate(*to)


_OF_FRAME: Final[dict[str, tuple[str, Callable[..., Any]]]] = {
    "translate": ("o?nn", _translated_frame),
    "rotate": ("wN", lambda f, axis, *angles: f.rotate(axis, *angles)),
    "rotate_by_cosines": ("l", lambda f, m: f.rotate_by_cosines(m)),
    "rotate_by_euler_parameters": ("l?l", lambda f, e, spin=None: f.rotate_by_euler_parameters(e, spin)),
    "vector": ("nnn", lambda f, a, b, c: f.vector(a, b, c)),
    "dyad": ("l", lambda f, m: f.dyad(m)),
    "point": ("?nnn", lambda f, *abc: f.point(*abc)),
    "angular_velocity": ("?f", lambda f, g=None: f.angular_velocity(g)),
    "angular_acceleration": ("?f", lambda f, g=None: f.angular_acceleration(g)),
}
_METHODS: Final[dict[type, dict[str, tuple[str, Callable[..., Any]]]]] = {
    Frame: _OF_FRAME,
    Body: _frames_too(
        _OF_FRAME,
        {
            "velocity_at": ("p", lambda b, p: b.velocity_at(p)),
            "inertia": ("?p", lambda b, p=None: b.inertia(p)),
            "at": ("n?nn", lambda b, *place: b.at(*place)),
            "point": ("?nnn", lambda b, *place: b.point(*place)),
        },
        lambda x: (x[0], lambda b, *args: x[1](b.frame, *args)),
    ),
    Point: {
        "position": ("?f", lambda p, f=None: p.position(f)),
        "in_frame": ("f", lambda p, f: p.in_frame(f)),
        "velocity": ("?f", lambda p, f=None: p.velocity(f)),
        "relative_velocity": ("", lambda p: p.relative_velocity()),
        "transport_velocity": ("", lambda p: p.transport_velocity()),
        "acceleration": ("?f", lambda p, f=None: p.acceleration(f)),
    },
    Vector: {
        "dot": ("V", lambda a, b: a.dot(b)),
        "cross": ("V", lambda a, b: a.cross(b)),
        "outer": ("v", lambda a, b: a.outer(b)),
        "skew": ("", lambda a: a.skew()),
        "normalize": ("", lambda a: a.normalize()),
        "angle_between": ("v", lambda a, b: a.angle_between(b)),
        "magnitude": ("", lambda a: a.magnitude()),
        "express": ("f", lambda a, f: a.express(f)),
        "components": ("f", lambda a, f: a.components(f)),
        "dt": ("?f", lambda a, f=None: a.dt(f)),
        "partial": ("s?f", lambda a, u, f=None: a.partial([u], f)[0]),
    },
    Dyad: {
        "dot": ("V", lambda a, v: a.dot(v)),
        "cross": ("v", lambda a, v: a.cross(v)),
        "transposed": ("", lambda a: a.transposed()),
        "dt": ("?f", lambda a, f=None: a.dt(f)),
        "express": ("f", lambda a, f: a.express(f)),
        "components": ("f", lambda a, f: a.components(f)),
    },
}


def _of_numbers(f: Callable[..., Any]) -> Callable[[_StackMachine, Step, list[Any]], Any]:
    return lambda machine, s, args: f(*(machine.scalar(s, a, f"what {s.data[0]} is taken of") for a in args))


def _where(machine: _StackMachine, s: Step, args: list[Any]) -> Expr:
    if not isinstance(args[0], Condition):
        machine.refuse(s, f"where takes a condition such as a < b first, got {kind(args[0])}")
    return fn.where(args[0], *(machine.scalar(s, a, "what where chooses") for a in args[1:]))


def _products(name: str) -> Callable[[_StackMachine, Step, list[Any]], Any]:
    def product(machine: _StackMachine, s: Step, args: list[Any]) -> Any:
        for a in args:
            if not isinstance(a, Vector):
                machine.refuse(s, f"{name} takes two vectors, got {kind(a)}")
        return getattr(args[0], name)(args[1])

    return product


def _solve(machine: _StackMachine, s: Step, args: list[Any]) -> Matrix:
    for a in args[:2]:
        machine.argument(s, "solve", "l", a)
    return solve(as_matrix(args[0]), list(args[1]), *args[2:])


def _derivative(machine: _StackMachine, s: Step, args: list[Any]) -> Any:
    if not isinstance(args[1], Symbol):
        machine.refuse(s, f"a derivative is taken with respect to a symbol, got {kind(args[1])}")
    return derivative(machine.scalar(s, args[0], "what is derived"), args[1])


_FUNCTIONS: Final[dict[str, Callable[[_StackMachine, Step, list[Any]], Any]]] = {
    **{n: _of_numbers(getattr(fn, n)) for n in "sqrt exp log sin cos tan asin acos atan sinh cosh tanh sign atan2 minimum maximum equal".split()},
    "abs": _of_numbers(abs),
    "time_derivative": _of_numbers(time_derivative),
    "derivative": _derivative,
    "where": _where,
    "dot": _products("dot"),
    "cross": _products("cross"),
    "solve": _solve,
}  # fmt: skip
