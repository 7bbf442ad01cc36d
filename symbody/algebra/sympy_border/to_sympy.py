"""`to_sympy`: expressions in SymPy, linear in nodes and without recursion, with shared parts as intermediates unless
the whole is small.

Linear solves are written out as elimination steps (`written_out`): SymPy has no node for a solve, and its own symbolic
elimination is to be avoided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

import sympy
from sympy.physics.vector import dynamicsymbols

from ...argument_kinds import checked_flags
from ...errors import ExpressionError
from ..calculus.written_solves import written_out
from ..graph.graph import Expr, Node, Symbol
from ..graph.labels import Labels
from ..graph.matrix import Matrix
from ..graph.walk import evaluation_order
from ..printing.printing import intermediates, nodes_of, tree_size_up_to
from .sympy_form import SympyForm

_LINE_WIDTH: Final = 400  # largest width of a part without intermediates: SymPy recurses, so deep nests are avoided
_UNCOUNTABLE: Final = 10**15  # ceiling of the tree size of an expression


@checked_flags(ExpressionError)
def to_sympy(x: Any, expand: bool = False, limit: int = 2000, labels: Labels | None = None) -> Any:
    """An expression, condition or matrix in SymPy: a `SympyForm` with shared parts as intermediates.

    With `expand`, the plain SymPy expression or matrix instead, if it has at most `limit` nodes as a tree. `labels` are
    names for some of the intermediates, `{"swing": m * l * sin(q)}`.

    Parameters become Symbol(name), time dynamicsymbols._t, all other symbols dynamicsymbols(name), and symbols of
    higher order Derivatives of these. Only the kinds are lost: a speed u comes back as a coordinate u unless you call
    `from_sympy(..., free_symbols(x))`. Pass external functions as {"f": f}.

    >>> x, y = sb.symbols("x y")
    >>> sb.to_sympy((x + y)**2, expand=True).expand()
    x**2 + 2*x*y + y**2

    See also: `from_sympy`, `simplified`.
    """
    _check_names(x)
    if isinstance(x, (Expr, Matrix)):
        x, *named = written_out([x, *(labels or {}).values()])
        labels = dict(zip(labels or {}, named, strict=True))
    if not expand:
        return _sympy_form(x, intermediates([x], labels, _LINE_WIDTH))
    size = tree_size_up_to(_UNCOUNTABLE, [x])
    if size > limit:
        many = f"more than {size}" if size == _UNCOUNTABLE else size
        raise ExpressionError(
            f"to_sympy: written out, this would have {many} operations and symbols, and the limit is {limit}; "
            "pass limit=... to have it all the same, or leave out expand to get it as a sequence"
        )
    try:
        return _sympy_form(x, {}).result
    except RecursionError:
        raise ExpressionError(
            "to_sympy: functions are nested too deeply for SymPy; leave out expand to get it as a sequence"
        ) from None


def _check_names(x: Any) -> None:
    name = dynamicsymbols._t.name
    if any(isinstance(n, Symbol) and n.stem == name and n.kind != "time" for n in evaluation_order(nodes_of([x]))):
        raise ExpressionError(f"to_sympy: a symbol that is not time has the name {name} of SymPy's time; rename it")


def _sympy_form(x: Any, names: Mapping[Node, str]) -> SympyForm:
    new: dict[Node, Any] = {}
    intermediates = []
    for n in evaluation_order(nodes_of([x])):
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
    "settled": lambda n, a: a,
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
}
