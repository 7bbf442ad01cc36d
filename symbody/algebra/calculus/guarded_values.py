"""Guarded arguments, with which derivatives through `where` are finite.

In where(x > 0, √x, 0) the root has no finite slope at x = 0, where it is not selected; a product of its slope with the
0 of the branch would be NaN. An operation that is used only under a condition gets arguments at which its derivatives are finite
where the condition is false: √where(x > 0, x, 1). Where it is used, its value is unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from ..graph.functions import where
from ..graph.graph import FALSE, ONE, TRUE, ZERO, Condition, Expr, Node
from ..graph.walk import with_arguments


def guarded_values(
    order: Sequence[Node], roots: Sequence[Node], held: Mapping[Any, Expr]
) -> tuple[dict[Node, Any], dict[Node, tuple[Any, ...]]]:
    """The nodes with guarded arguments and with the values of held symbols, and these arguments, by node."""
    needed = _conditions(order, roots)
    value: dict[Node, Any] = {}
    arguments: dict[Node, tuple[Any, ...]] = {}
    for n in order:
        args = tuple(value[a] for a in n.args)
        if n.op in _HARMLESS and needed[n] is not TRUE:
            when = value.get(needed[n], needed[n])
            args = _HARMLESS[n.op](n, partial(where, when), args)
        arguments[n] = args
        value[n] = held[n] if n in held else n if args == n.args else with_arguments(n, args)
    return value, arguments


def _conditions(order: Sequence[Node], roots: Sequence[Node]) -> dict[Node, Condition]:
    """For each node the condition under which a root depends on it."""
    found: dict[Node, Condition] = dict.fromkeys(roots, TRUE)

    def add(n: Node, when: Condition) -> None:
        before = found.get(n, FALSE)
        if before is not TRUE and before is not when:
            found[n] = TRUE if when is TRUE or ~when is before else when if before is FALSE else before | when

    for n in reversed(order):
        when = found[n]
        if n.op == "where":
            condition, yes, no = n.args
            add(condition, when)
            add(yes, _both(when, condition))
            add(no, _both(when, ~condition))
        else:
            for a in n.args:
                add(a, when)
    return found


def _both(a: Condition, b: Any) -> Condition:
    out: Condition = b if a is TRUE or a is b else a & b
    return out


Choose = Callable[[Expr, Expr], Expr]
Guard = Callable[[Node, Choose, tuple[Any, ...]], tuple[Any, ...]]


def _first(otherwise: Expr) -> Guard:
    return lambda n, choose, args: (choose(args[0], otherwise), *args[1:])


def _last(otherwise: Expr) -> Guard:
    return lambda n, choose, args: (*args[:-1], choose(args[-1], otherwise))


def _power(n: Node, choose: Choose, args: tuple[Any, ...]) -> tuple[Any, ...]:
    exponent = n.args[1]
    if exponent.op == "const" and exponent.data >= 0 and isinstance(exponent.data, int):
        return args
    return choose(args[0], ONE), args[1]


def _regular(n: Node, choose: Choose, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The entries of a matrix, or those of the identity."""
    return tuple(choose(a, ONE if i == j else ZERO) for a, (i, j) in zip(args, n.data.places(), strict=True))


# Operations whose values or slopes may be infinite: arguments at which they are not.
_HARMLESS: Final[dict[str, Guard]] = {
    **dict.fromkeys(("sqrt", "log"), _first(ONE)),
    **dict.fromkeys(("asin", "acos", "tan", "exp", "sinh", "cosh"), _first(ZERO)),
    **dict.fromkeys(("div", "atan2"), _last(ONE)),
    "pow": _power,
    "factor": _regular,
}
