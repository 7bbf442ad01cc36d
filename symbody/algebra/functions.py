"""Functions of expressions: elementary ones, choices, and functions that the user supplies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ExpressionError, shown
from . import rules_of_angles, rules_of_functions, rules_of_order  # noqa: F401  (constructors need their rules)
from .graph import Condition, Expr, as_condition, as_expr, intern, make
from .names import check_name


def sqrt(x: Any) -> Expr:
    """Square root."""
    return make("sqrt", (as_expr(x),))


def exp(x: Any) -> Expr:
    """Exponential function."""
    return make("exp", (as_expr(x),))


def log(x: Any) -> Expr:
    """Natural logarithm."""
    return make("log", (as_expr(x),))


def sin(x: Any) -> Expr:
    """Sine of an angle in radians."""
    return make("sin", (as_expr(x),))


def cos(x: Any) -> Expr:
    """Cosine of an angle in radians."""
    return make("cos", (as_expr(x),))


def tan(x: Any) -> Expr:
    """Tangent of an angle in radians."""
    return make("tan", (as_expr(x),))


def asin(x: Any) -> Expr:
    """Angle in [-π/2, π/2] with this sine."""
    return make("asin", (as_expr(x),))


def acos(x: Any) -> Expr:
    """Angle in [0, π] with this cosine."""
    return make("acos", (as_expr(x),))


def atan(x: Any) -> Expr:
    """Angle in (-π/2, π/2) with this tangent."""
    return make("atan", (as_expr(x),))


def atan2(y: Any, x: Any) -> Expr:
    """Angle of the point (x, y), in (-π, π]."""
    return make("atan2", (as_expr(y), as_expr(x)))


def sinh(x: Any) -> Expr:
    """Hyperbolic sine."""
    return make("sinh", (as_expr(x),))


def cosh(x: Any) -> Expr:
    """Hyperbolic cosine."""
    return make("cosh", (as_expr(x),))


def tanh(x: Any) -> Expr:
    """Hyperbolic tangent."""
    return make("tanh", (as_expr(x),))


def sign(x: Any) -> Expr:
    """-1, 0 or 1. Its derivative is taken as zero."""
    return make("sign", (as_expr(x),))


def minimum(x: Any, y: Any) -> Expr:
    """The smaller of two."""
    return make("min", (as_expr(x), as_expr(y)))


def maximum(x: Any, y: Any) -> Expr:
    """The larger of two."""
    return make("max", (as_expr(x), as_expr(y)))


def equal(x: Any, y: Any) -> Condition:
    """The condition x = y. (`==` compares expressions as objects, so that they can be kept in sets and
    dictionaries.)"""
    return make("eq", (as_expr(x), as_expr(y)))


def where(condition: Any, x: Any, y: Any) -> Expr:
    """x where the condition holds, else y. Both are evaluated."""
    return make("where", (as_condition(condition), as_expr(x), as_expr(y)))


@dataclass(frozen=True)
class LookupTable:
    """A piecewise polynomial: times (or whatever its argument is) between pieces, and of each piece the coefficients,
    that of the highest power of the argument less the piece's beginning first.

    is_rate   zero before the first and after the last piece, as a derivative is; otherwise constant there
    """

    times: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    is_rate: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class ExternalFunction:
    """A function of real arguments that the user supplies (Lennartsson 6.4). Call it with expressions.

    name          identifier in generated code
    arity         number of arguments
    derivatives   one callable for each argument: takes the arguments as expressions, returns the partial derivative as
                  an expression (which may call other external functions, so that second derivatives exist too)
    python        called with floats, where the function is evaluated or compiled in this process
    c             C source text of `double name(double, ...)`, put into generated C; without it C declares the function
                  extern
    address       machine address of such a function (a ctypes or Numba function's), called instead of `python` without
                  entering Python
    keep          what the address points into, where it must live as long as the function: loaded machine code
    table         the numbers of a piecewise polynomial, from which every language writes the function
    """

    name: str
    arity: int
    derivatives: Sequence[Callable[..., Any] | None] = ()
    python: Callable[..., float] | None = None
    c: str | None = None
    address: int | None = None
    keep: Any = None
    table: LookupTable | None = None

    def __repr__(self) -> str:
        known = [what for what in ("python", "c", "address", "table") if getattr(self, what) is not None]
        return f"<ExternalFunction {self.name} of {self.arity} arguments, known as {', '.join(known) or 'extern'}>"

    def __post_init__(self) -> None:
        check_name(self.name, "external function")
        if self.arity < 1:
            raise ExpressionError(
                f"external function {self.name!r}: needs at least one argument, got arity {self.arity}"
            )
        if len(self.derivatives) not in (0, self.arity):
            raise ExpressionError(
                f"external function {self.name!r}: has {self.arity} arguments but {len(self.derivatives)} derivatives; "
                "give one for each argument (None where it is not known), or none at all"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        """A machine address means nothing in another process: only what `python` and `c` say of the function is
        pickled."""
        if self.address is not None and self.python is None:
            raise ExpressionError(
                f"external function {self.name!r}: it is known by its machine address only, which means "
                "nothing in another process; give python= as well"
            )
        return ExternalFunction, (self.name, self.arity, self.derivatives, self.python, self.c, None, None, self.table)

    def __call__(self, *args: Any) -> Expr:
        if len(args) != self.arity:
            raise ExpressionError(
                f"external function {self.name!r} takes {self.arity} arguments, got {len(args)}: {shown(args)}"
            )
        return intern("call", tuple(as_expr(a) for a in args), self)

    def derivative(self, i: int, args: Sequence[Expr]) -> Expr:
        """Partial derivative with respect to argument i."""
        given = self.derivatives[i] if self.derivatives else None
        if given is None:
            raise ExpressionError(
                f"external function {self.name!r}: its derivative with respect to argument {i + 1} is needed but was not "
                "given; pass derivatives=[...] with one callable for each argument"
            )
        return as_expr(given(*args))


def no_value(of: Expr) -> Expr:
    """An expression that has no value at any number, NaN in programs: √(-2 - sign(x)). Its derivative is zero, so that
    what is chosen in its place by `where` keeps its own."""
    return sqrt(-2 - sign(of))
