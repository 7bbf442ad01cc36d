"""Functions of expressions: elementary ones, choices, and functions that the user supplies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...argument_kinds import answered_class
from ...errors import ExpressionError, shown
from .graph import FALSE, TRUE, Condition, Expr, Node, as_condition, as_expr, intern, make, make1
from .names import check_name
from .rules import rules_of_angles, rules_of_functions, rules_of_order  # noqa: F401  (constructors need their rules)


def sqrt(x: Any) -> Expr:
    """Square root.

    >>> x = sb.symbol("x")
    >>> sb.sqrt(x**2 + 1), sb.sqrt(4), sb.sqrt(2)  # exact numbers stay exact
    (sqrt(x**2 + 1), 2, sqrt(2))
    >>> sb.evaluate(sb.sqrt(2))
    1.41421

    See also: `exp`, `log`.
    """
    return make1("sqrt", as_expr(x))


def exp(x: Any) -> Expr:
    """Exponential function.

    >>> x = sb.symbol("x")
    >>> sb.derivative(sb.exp(2 * x), x)
    2*exp(2*x)

    See also: `log`, `sinh`, `cosh`.
    """
    return make1("exp", as_expr(x))


def log(x: Any) -> Expr:
    """Natural logarithm.

    >>> x = sb.symbol("x")
    >>> sb.derivative(sb.log(x), x)
    1/x

    See also: `exp`, `sqrt`.
    """
    return make1("log", as_expr(x))


def sin(x: Any) -> Expr:
    """Sine of an angle in radians.

    >>> x = sb.symbol("x")
    >>> sb.sin(x)**2 + sb.cos(x)**2
    1
    >>> sb.sin(sb.pi / 6), sb.derivative(sb.sin(x), x)
    (sin(pi/6), cos(x))

    See also: `cos`, `asin`, `atan2`, `tidy`.
    """
    return make1("sin", as_expr(x))


def cos(x: Any) -> Expr:
    """Cosine of an angle in radians.

    >>> x = sb.symbol("x")
    >>> sb.cos(-x), sb.cos(sb.pi), sb.derivative(sb.cos(x), x)
    (cos(x), -1, -sin(x))

    See also: `sin`, `acos`, `tidy`.
    """
    return make1("cos", as_expr(x))


def tan(x: Any) -> Expr:
    """Tangent of an angle in radians.

    >>> x = sb.symbol("x")
    >>> sb.evaluate(sb.tan(x), {x: 0.5}), sb.derivative(sb.tan(x), x)
    (0.546302, tan(x)**2 + 1)

    See also: `atan`, `sin`, `cos`.
    """
    return make1("tan", as_expr(x))


def asin(x: Any) -> Expr:
    """Angle in [-π/2, π/2] with this sine.

    >>> x = sb.symbol("x")
    >>> sb.evaluate(sb.asin(x), {x: 0.5})
    0.523599
    >>> sb.derivative(sb.asin(x), x)
    1/sqrt(1 - x**2)

    See also: `sin`, `acos`, `atan2`.
    """
    return make1("asin", as_expr(x))


def acos(x: Any) -> Expr:
    """Angle in [0, π] with this cosine.

    >>> sb.evaluate(sb.acos(sb.symbol("x")), {"x": -1.0})
    3.14159

    See also: `cos`, `asin`, `atan2`.
    """
    return make1("acos", as_expr(x))


def atan(x: Any) -> Expr:
    """Angle in (-π/2, π/2) with this tangent.

    >>> x = sb.symbol("x")
    >>> sb.derivative(sb.atan(x), x)
    1/(x**2 + 1)

    See also: `tan`, `atan2`.
    """
    return make1("atan", as_expr(x))


def atan2(y: Any, x: Any) -> Expr:
    """Angle of the point (x, y), in (-π, π].

    >>> x, y = sb.symbols("x y")
    >>> sb.evaluate(sb.atan2(y, x), {x: -1.0, y: 1.0})
    2.35619
    >>> sb.derivative(sb.atan2(y, x), y)
    x/(x**2 + y**2)

    See also: `atan`, `asin`, `acos`.
    """
    return make("atan2", (as_expr(y), as_expr(x)))


def sinh(x: Any) -> Expr:
    """Hyperbolic sine.

    >>> x = sb.symbol("x")
    >>> sb.derivative(sb.sinh(x), x)
    cosh(x)

    See also: `cosh`, `tanh`, `exp`.
    """
    return make1("sinh", as_expr(x))


def cosh(x: Any) -> Expr:
    """Hyperbolic cosine.

    >>> x = sb.symbol("x")
    >>> sb.derivative(sb.cosh(x), x)
    sinh(x)

    See also: `sinh`, `tanh`, `exp`.
    """
    return make1("cosh", as_expr(x))


def tanh(x: Any) -> Expr:
    """Hyperbolic tangent.

    >>> x = sb.symbol("x")
    >>> sb.evaluate(sb.tanh(x / 0.01), {x: 0.02})  # a smooth sign
    0.964028

    See also: `sinh`, `cosh`, `sign`.
    """
    return make1("tanh", as_expr(x))


def sign(x: Any) -> Expr:
    """-1, 0 or 1. Its derivative is zero.

    >>> x = sb.symbol("x")
    >>> [sb.evaluate(sb.sign(x), {x: v}) for v in (-2.0, 0.0, 3.0)]
    [-1.0, 0.0, 1.0]

    See also: `where`, `tanh`, `minimum`.
    """
    return make1("sign", as_expr(x))


def settled_iterate(x: Expr) -> Expr:
    """x, an iterate that has converged; its derivative is zero. A step of Newton's method from there,

        y = x - g(x, q)/g'(x, q),     ∂y/∂q = -g_q/g_x   where g = 0,

    has the derivative of the zero, and n steps have all derivatives up to that of order 2ⁿ - 1: each error in the
    series of a step is the square of that before. So the last steps alone are differentiated.
    """
    return x if x.op == "const" else make("settled", (x,))


def minimum(x: Any, y: Any) -> Expr:
    """The smaller of two.

    >>> x = sb.symbol("x")
    >>> sb.evaluate(sb.minimum(x, 1), {x: 3.0})
    1.0
    >>> sb.derivative(sb.minimum(x, 1), x)
    where(1 <= x, 0, 1)

    See also: `maximum`, `where`.
    """
    return make("min", (as_expr(x), as_expr(y)))


def maximum(x: Any, y: Any) -> Expr:
    """The larger of two.

    >>> x = sb.symbol("x")
    >>> k = sb.symbol("k")
    >>> force = k * sb.maximum(-x, 0)  # a spring that only pushes
    >>> [sb.evaluate(force, {k: 10.0, x: v}) for v in (-0.2, 0.2)]
    [2.0, 0.0]

    See also: `minimum`, `where`.
    """
    return make("max", (as_expr(x), as_expr(y)))


def equal(x: Any, y: Any) -> Condition:
    """The condition x = y. (`==` compares expressions as objects, so that they can be kept in sets and
    dictionaries.)

    >>> x = sb.symbol("x")
    >>> sb.where(sb.algebra.equal(x, 0), 1, sb.sin(x) / x)
    where(equal(0, x), 1, sin(x)/x)

    See also: `where`, `algebra.Condition`.
    """
    return make("eq", (as_expr(x), as_expr(y)))


def where(condition: Any, x: Any, y: Any) -> Expr:
    """x where the condition holds, else y. Both are evaluated.

    >>> x = sb.symbol("x")
    >>> f = sb.where((x > 0) & (x < 1), x**2, 0)
    >>> [sb.evaluate(f, {x: v}) for v in (-1.0, 0.5, 2.0)]
    [0.0, 0.25, 0.0]

    See also: `algebra.equal`, `minimum`, `maximum`, `sign`.
    """
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


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class ExternalFunction:
    """A user-supplied function of real arguments (Lennartsson 6.4). Call it with expressions.

    name          identifier in generated code
    arity         number of arguments
    derivatives   one callable for each argument: takes the arguments as expressions, returns the partial derivative as
                  an expression (which may call other external functions, so that second derivatives exist too)
    python        a Python function of floats, called if the function is evaluated or compiled in this process
    c             C source text of `double name(double, ...)`, included in generated C; without it the generated C
                  declares the function extern
    address       machine address of such a function (a ctypes or Numba function's), called instead of `python` without
                  entering Python
    keep          an object that must live as long as the function, such as the loaded machine code that the address
                  points into
    table         coefficients of a piecewise polynomial, from which every target language generates the function

    >>> import math
    >>> slope = sb.algebra.ExternalFunction("slope", 1, python=lambda x: math.cos(x) / 10)
    >>> road = sb.algebra.ExternalFunction("road", 1, derivatives=[slope], python=lambda x: math.sin(x) / 10)
    >>> x = sb.symbol("x", "coordinate")
    >>> sb.derivative(road(2 * x), x)
    2*slope(2*x)
    >>> sb.evaluate(road(x), {x: 1.0})
    0.0841471

    See also: `where`, `compile`, `c_source`.
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
        """Partial derivative with respect to argument i.

        >>> slope = sb.algebra.ExternalFunction("slope", 1)
        >>> road = sb.algebra.ExternalFunction("road", 1, derivatives=[slope])
        >>> road.derivative(0, [sb.symbol("x")])
        slope(x)
        """
        given = self.derivatives[i] if self.derivatives else None
        if given is None:
            raise ExpressionError(
                f"external function {self.name!r}: its derivative with respect to argument {i + 1} is needed but was not "
                "given; pass derivatives=[...] with one callable for each argument"
            )
        return as_expr(given(*args))


def no_value(of: Expr) -> Expr:
    """An expression without a value at any number, NaN in programs: √(-2 - sign(x)). Its derivative is zero, so that
    the other branch of a `where` keeps its own derivative. x depends on a symbol: a number would fold, and be
    refused."""
    return sqrt(-2 - sign(of))


def value_where(condition: Condition, value: Any, of: Expr | None = None) -> Expr:
    """A value where a condition holds; elsewhere there is none.

    of   the expression without a value is made of this one, unless it is a number; otherwise of what the condition
         compares
    """
    if condition is FALSE:
        raise ExpressionError(f"{shown(value)} has no value anywhere: the condition on which it depends never holds")
    if condition is TRUE:
        return as_expr(value)
    return where(condition, value, no_value(_first_operand(condition) if of is None or of.value is not None else of))


def _first_operand(condition: Condition) -> Expr:
    """The first expression of a condition that is no number. A comparison of two numbers would have been decided."""
    pending: list[Node] = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, Expr) and node.value is None:
            return node
        pending.extend(reversed(node.args))
    raise ExpressionError(f"{condition!r} compares numbers only")


def without_value_again(branch: Node, condition: Condition) -> Expr | None:
    """The branch of a `where` that `value_where` has made, for another condition that is not decided: numbers put into
    an expression without a value would fold. None for other branches."""
    if branch.op != "sqrt" or branch.args[0].op not in ("add", "sub"):
        return None
    parts = {a.op: a for a in branch.args[0].args}
    is_made_here = parts.keys() == {"const", "sign"} and parts["const"].data == -2
    return no_value(_first_operand(condition)) if is_made_here else None
