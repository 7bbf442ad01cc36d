"""Walks over graphs: order of evaluation, symbols, sizes, substitution. All linear in nodes, none recursive."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from ...errors import ExpressionError, shown
from .functions import ExternalFunction, settled_iterate, without_value_again
from .graph import FALSE, TRUE, Expr, Node, Symbol, as_expr, intern, make
from .linear import solved_by_substitution
from .matrix import Matrix

_age = attrgetter("serial")


def evaluation_order(roots: Iterable[Node]) -> list[Node]:
    """All nodes that the roots depend on, each once, arguments before the nodes that use them."""
    stack = list(roots)
    seen = dict.fromkeys(stack)  # in an order that is nearly that of age: quicker to sort than a set
    while stack:
        for a in stack.pop().args:
            if a not in seen:
                seen[a] = None
                stack.append(a)
    return sorted(seen, key=_age)


def scalars(*things: Any) -> list[Expr]:
    """The scalar entries of expressions, matrices and sequences of them, in order."""
    out: list[Expr] = []
    for thing in things:
        if isinstance(thing, Expr):
            out.append(thing)
        elif isinstance(thing, Matrix):
            out.extend(thing.entries)
        elif isinstance(thing, (list, tuple)):
            out.extend(scalars(*thing))
        elif (inside := getattr(thing, "component_matrices", None)) is not None:
            out.extend(scalars(*inside))
        else:
            out.append(as_expr(thing))
    return out


def free_symbols(*things: Any) -> list[Symbol]:
    """The symbols in expressions, matrices, and components of vectors, dyads and points, in order of creation.

    >>> x, y = sb.symbols("x y")
    >>> sb.free_symbols(x * y + 1, sb.sin(x))
    [x, y]

    See also: `substitute`, `Symbol`.
    """
    seen = dict.fromkeys(scalars(*things))
    stack: list[Node] = [*seen]
    found: list[Symbol] = []
    while stack:
        n = stack.pop()
        args = n.args
        if args:
            for a in args:
                if a not in seen:
                    seen[a] = None
                    stack.append(a)
        elif isinstance(n, Symbol):
            found.append(n)
    found.sort(key=_age)
    return found


def reachable_symbols(expressions: Sequence[Expr], symbols: Sequence[Symbol]) -> list[list[Symbol]]:
    """Symbols that each expression can depend on. What is not listed has no influence; one set of bits for each
    node."""
    bits = {s: 1 << k for k, s in enumerate(symbols)}
    masks: dict[Any, int] = {}
    for node in evaluation_order(expressions):
        mask = bits.get(node, 0) if isinstance(node, Symbol) else 0
        for a in node.args:
            mask |= masks[a]
        masks[node] = mask
    return [[s for s in symbols if masks[e] & bits[s]] for e in expressions]


def nodes_with(order: Iterable[Node], symbols: Collection[Symbol]) -> set[Node]:
    """The nodes that contain one of some symbols, of an evaluation order: one pass for all of them."""
    found = set[Node]()
    for n in order:
        if n in symbols if isinstance(n, Symbol) else any(a in found for a in n.args):
            found.add(n)
    return found


def with_arguments(node: Node, args: tuple[Any, ...]) -> Any:
    """The same operation on other arguments, by the rules."""
    if node.op == "solve" and (solved := solved_by_substitution(args[0], args[1:], node.data)) is not None:
        return intern("entries", solved)
    if node.op == "settled":
        return settled_iterate(args[0])
    if node.op in ("call", "factor", "solve", "sweeps", "item"):
        if node.op == "item" and args[0].op == "entries":
            return args[0].args[node.data]
        return intern(node.op, args, node.data)
    return make(node.op, args, node.data)


def substitute(thing: Any, table: Mapping[Any, Any]) -> Any:
    """Replace symbols (or any subexpressions) simultaneously; the replacements are not searched again.

    Takes and returns an expression, a matrix, a vector, dyad or point (whose components change, not their frames), or a
    list of them. Numbers are folded through the graph. An expression without a value at these numbers (a pole, the
    logarithm of zero) is refused, except in the branch of a `where` that is not selected.

    >>> x, y = sb.symbols("x y")
    >>> sb.substitute(x + 2 * y, {x: y, y: x})  # at the same time
    2*x + y
    >>> sb.substitute([x * y, x / y], {y: 2})
    [2*x, x/2]

    See also: `evaluate`, `algebra.resolve`, `free_symbols`.
    """
    if isinstance(thing, (list, tuple)):
        return type(thing)(substitute_all(list(thing), table))
    return substitute_all([thing], table)[0]


def substitute_all(things: list[Any], table: Mapping[Any, Any]) -> list[Any]:
    if not isinstance(table, Mapping):
        raise ExpressionError(f"substitute: takes a mapping {{symbol: expression}}, got {shown(table)}")
    new: dict[Node, Any] = {as_expr(k): as_expr(v) for k, v in table.items()}
    without_value: dict[Node, ExpressionError] = {}
    roots = scalars(*things)
    for n in evaluation_order(roots):
        if n in new:
            continue
        args = tuple(new[a] for a in n.args)
        if n.op == "where" and without_value:
            args = _with_guards(n, args, without_value)
        if without_value and (lost := _missing_value(n, args, without_value)) is not None:
            new[n], without_value[n] = n, lost
            continue
        try:
            new[n] = n if args == n.args else with_arguments(n, args)
        except ExpressionError as reason:
            new[n], without_value[n] = n, reason
    for root in roots:
        if root in without_value:
            raise without_value[root]

    def changed(t: Any) -> Any:
        if isinstance(t, (list, tuple)):
            return type(t)(map(changed, t))
        if isinstance(t, Matrix):
            return t.map(new.__getitem__)
        return t.map(changed) if hasattr(t, "component_matrices") else new[as_expr(t)]

    return [changed(t) for t in things]


def _missing_value(
    n: Node, args: tuple[Any, ...], without_value: Mapping[Node, ExpressionError]
) -> ExpressionError | None:
    """Why a node has no value: because an argument that it needs has none. A decided `where` needs only one of its
    branches."""
    needed = [a for a, put in zip(n.args, args, strict=True) if put is a]
    if n.op == "where" and (args[0] is TRUE or args[0] is FALSE):
        needed = [n.args[0], n.args[1] if args[0] is TRUE else n.args[2]]
    return next((without_value[a] for a in needed if a in without_value), None)


def _with_guards(n: Node, args: tuple[Any, ...], without_value: Mapping[Node, ExpressionError]) -> tuple[Any, ...]:
    """Arguments of a `where` in which branches that never have a value depend on what is left of the condition."""
    condition, *branches = args
    if condition is TRUE or condition is FALSE or n.args[0] in without_value:
        return args
    again = [without_value_again(a, condition) if a in without_value else None for a in n.args[1:]]
    return (condition, *(b if g is None else g for b, g in zip(branches, again, strict=True)))


def resolve(definitions: Mapping[Symbol, Any]) -> dict[Symbol, Expr]:
    """Resolve definitions that refer to each other: {a: b + 1, b: 2 c} gives {a: 2 c + 1, b: 2 c}.

    Circular definitions are refused, with the names in the circle.

    >>> a, b, c = sb.symbols("a b c")
    >>> sb.algebra.resolve({a: b + 1, b: 2 * c})
    {b: 2*c, a: 2*c + 1}

    See also: `substitute`.
    """
    given = {k: as_expr(v) for k, v in definitions.items()}
    needs = {k: [s for s in free_symbols(v) if s in given] for k, v in given.items()}
    done: dict[Symbol, Expr] = {}
    for start in given:
        path: list[Symbol] = [start]
        while path:
            s = path[-1]
            missing = next((n for n in needs[s] if n not in done), None)
            if s in done or missing is None:
                done.setdefault(s, substitute(given[s], {n: done[n] for n in needs[s]}))
                path.pop()
            elif missing in path:
                circle = [*path[path.index(missing) :], missing]
                raise ExpressionError(f"cyclic definition: {' needs '.join(c.name for c in circle)}")
            else:
                path.append(missing)
    return done


def external_functions(*things: Any) -> list[ExternalFunction]:
    """The external functions that expressions call, each once."""
    return list(dict.fromkeys(n.data for n in evaluation_order(scalars(*things)) if n.op == "call"))
