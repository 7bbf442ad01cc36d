"""Rounding bounds: how far the computed value of an expression can be off, including the rounding of its symbols.

Running error analysis (Higham 2002, *Accuracy and Stability of Numerical Algorithms*, section 3.3), to first order,
node by node:

    e(y) = Σ |∂y/∂a| e(a) + 2⁻⁵² |y|,   e(symbol) = 2⁻⁵² |symbol|

So sin(3.141592653589793) is 1e-16 with an error of 7e-16, indistinguishable from zero. A solve A x = b is off by
|A⁻¹| (e(A) |x| + e(b)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ...argument_kinds import answered
from ..graph.functions import where
from ..graph.graph import ZERO, Block, Expr, Node, Symbol
from ..graph.walk import evaluation_order
from .derivatives import partial
from .evaluate import OPERATIONS, REAL, NoValue, by_symbol, value_of

UNIT_ROUNDOFF: Final = 2.0**-52  # spacing of double-precision numbers at one
EXACT_OPERATIONS: Final = ("neg", "abs", "where", "min", "max", "sign", "settled")  # operations without rounding error
# finite-difference step in units of the argument's error, large enough to exceed the rounding of the result
DIFFERENCE_STEP: Final = 2.0**10


@answered
def rounding(
    expressions: Sequence[Expr],
    values: Mapping[Any, float],
    sizes: Mapping[Symbol, float] | None = None,
    order: Sequence[Node] | None = None,
) -> list[float]:
    """A bound of the rounding error of each expression in double precision; infinite if there is no bound.

    sizes   magnitudes of symbols whose rounding error is relative to a number larger than their value
    order   order of evaluation if known, `evaluation_order(expressions)`; `values` are then keyed by symbol

    >>> x = sb.symbol("x")
    >>> bound, = sb.algebra.rounding([sb.sin(x)], {x: np.pi})
    >>> abs(np.sin(np.pi)) < bound < 1e-15
    True

    See also: `evaluate`.
    """
    nodes = evaluation_order(expressions) if order is None else order
    beside, given = sizes or {}, by_symbol(nodes, values) if order is None else values
    value: dict[Node, Any] = {}
    error: dict[Node, Any] = {}
    for n in nodes:
        if isinstance(n, Symbol):
            value[n] = float(given[n])
            error[n] = UNIT_ROUNDOFF * abs(beside.get(n, value[n]))
        else:
            arguments = [value[a] for a in n.args]
            value[n] = value_of(REAL, n, arguments)
            error_of: Callable[..., Any] = _ERRORS.get(n.op, _of_scalar)
            error[n] = error_of(n, value[n], arguments, [error[a] for a in n.args])
    return [float("inf") if isinstance(value[e], NoValue) else error[e] for e in expressions]


def rounding_expressions(expressions: Sequence[Expr], sizes: Mapping[Symbol, Expr] | None = None) -> list[Expr] | None:
    """The same bounds as expressions, for programs that evaluate them often; None if solves or external functions
    are among the nodes. A bound has no value where a derivative in it has none."""
    error: dict[Node, Expr] = {s: UNIT_ROUNDOFF * e for s, e in (sizes or {}).items()}
    for n in evaluation_order(expressions):
        if isinstance(n, Block) or n.op == "call":
            return None
        if isinstance(n, Expr) and n not in error:
            error[n] = _error_expression(n, error)
    return [error[e] for e in expressions]


def _error_expression(n: Expr, error: Mapping[Node, Expr]) -> Expr:
    if n.op == "where":
        return where(n.args[0], error[n.args[1]], error[n.args[2]])
    if n.op == "settled":
        return error[n.args[0]]
    moved = (abs(partial(n.op, n.data, n, n.args, i)) * error[a] for i, a in enumerate(n.args))
    is_exact = n.op in EXACT_OPERATIONS or (n.op == "const" and isinstance(n.data, int))
    return sum(moved, start=ZERO if is_exact else UNIT_ROUNDOFF * abs(n))


def _of_scalar(n: Node, y: Any, arguments: list[Any], errors: list[Any]) -> Any:
    if isinstance(y, (bool, NoValue)):
        return 0.0
    total = UNIT_ROUNDOFF * abs(y) if n.op not in EXACT_OPERATIONS else 0.0
    for i, e in enumerate(errors):
        if e and isinstance(arguments[i], float):
            moved = value_of(REAL, n, [*arguments[:i], arguments[i] + DIFFERENCE_STEP * e, *arguments[i + 1 :]])
            total += e if isinstance(moved, NoValue) else abs(moved - y) / DIFFERENCE_STEP
    return total


def _of_constant(n: Node, y: Any, arguments: list[Any], errors: list[Any]) -> float:
    return 0.0 if isinstance(n.data, int) else UNIT_ROUNDOFF * abs(y)


def _of_factor(n: Node, y: Any, arguments: list[Any], errors: list[Any]) -> list[float]:
    """Entries of the whole matrix, each with the error that elimination adds."""
    e, a = n.data.full(errors), n.data.full(arguments)
    return [x + n.data.n * UNIT_ROUNDOFF * abs(v) for x, v in zip(e, a, strict=True)]


def _of_solve(n: Node, x: Any, arguments: list[Any], errors: list[Any]) -> list[float]:
    k = n.args[0].data.n
    if isinstance(x, NoValue):
        return [0.0] * k
    entries, right = errors[0], errors[1:]
    down, along = (1, k) if n.data else (k, 1)  # transposed, or not
    off = [right[i] + sum(entries[i * down + j * along] * abs(x[j]) for j in range(k)) for i in range(k)]
    columns = [OPERATIONS["solve"](REAL, n, arguments[0], *(float(i == j) for i in range(k))) for j in range(k)]
    return [sum(abs(columns[j][i]) * off[j] for j in range(k)) for i in range(k)]


def _of_item(n: Node, y: Any, arguments: list[Any], errors: list[Any]) -> float:
    return float(errors[0][n.data]) if errors[0] else 0.0


def _of_sum(n: Node, y: Any, arguments: list[Any], errors: list[Any]) -> Any:
    return 0.0 if isinstance(y, NoValue) else errors[0] + errors[1] + UNIT_ROUNDOFF * abs(y)


def _of_product(n: Node, y: Any, arguments: list[Any], errors: list[Any]) -> Any:
    if isinstance(y, NoValue):
        return 0.0
    a, b = arguments
    return abs(b) * errors[0] + abs(a) * errors[1] + UNIT_ROUNDOFF * abs(y)


_ERRORS: Final[dict[str, Callable[..., Any]]] = {
    "add": _of_sum,
    "sub": _of_sum,
    "mul": _of_product,
    "const": _of_constant,
    "factor": _of_factor,
    "solve": _of_solve,
    "item": _of_item,
}
