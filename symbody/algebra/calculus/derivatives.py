"""Derivatives on the graph: forward, reverse, Jacobian with its zeros, time derivative.

Second derivatives come from applying these again. Through a linear solve A x = b both directions reuse the factors of
A:

    forward    A dx = db - dA x
    reverse    Aᵀ λ = x̄,   b̄ = λ,   Ā = -λ xᵀ
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from ...argument_kinds import answered
from ...errors import ExpressionError, listed, shown
from ..graph.functions import cos, cosh, log, sign, sin, sinh, sqrt, where
from ..graph.graph import ONE, ZERO, Block, Expr, Node, Symbol, as_expr, rate_of
from ..graph.linear import FactorShape, solve_block
from ..graph.matrix import Matrix
from ..graph.node_table import check_node_limit
from ..graph.walk import evaluation_order, scalars
from .sweep_derivatives import sweep_adjoints, sweep_jacobian, sweep_tangents

# Partial derivatives of y = op(a, b, ...) with respect to each argument, in terms of the arguments and of y itself.
_PARTIALS: Final[dict[str, Callable[..., tuple[Any, ...]]]] = {
    "neg": lambda y, a: (-ONE,),
    "add": lambda y, a, b: (ONE, ONE),
    "sub": lambda y, a, b: (ONE, -ONE),
    "mul": lambda y, a, b: (b, a),
    "div": lambda y, a, b: (1 / b, -(y * (1 / b))),
    "sqrt": lambda y, a: (1 / (2 * y),),
    "exp": lambda y, a: (y,),
    "sin": lambda y, a: (cos(a),),
    "cos": lambda y, a: (-sin(a),),
    "tan": lambda y, a: (1 + y**2,),
    "log": lambda y, a: (1 / a,),
    "asin": lambda y, a: (1 / sqrt(1 - a**2),),
    "acos": lambda y, a: (-1 / sqrt(1 - a**2),),
    "atan": lambda y, a: (1 / (1 + a**2),),
    "atan2": lambda y, a, b: (b / (a**2 + b**2), -(a / (a**2 + b**2))),
    "sinh": lambda y, a: (cosh(a),),
    "cosh": lambda y, a: (sinh(a),),
    "tanh": lambda y, a: (1 - y**2,),
    "abs": lambda y, a: (sign(a),),
    "sign": lambda y, a: (ZERO,),
    "settled": lambda y, a: (ZERO,),
    "min": lambda y, a, b: (where(a <= b, 1, 0), where(a <= b, 0, 1)),
    "max": lambda y, a, b: (where(a >= b, 1, 0), where(a >= b, 0, 1)),
    "where": lambda y, c, a, b: (None, where(c, 1, 0), where(c, 0, 1)),
}


def _partial(node: Node, i: int) -> Expr:
    """∂ node / ∂ argument i."""
    return partial(node.op, node.data, node, node.args, i)


def partial(op: str, data: Any, y: Any, args: Sequence[Any], i: int) -> Expr:
    """∂ y / ∂ argument i of y = op(args)."""
    if op == "call":
        return data.derivative(i, args)
    if op == "pow":
        base, exponent = args
        if i == 0:
            return exponent * base ** (exponent - 1)
        return y * log(base)
    return as_expr(_PARTIALS[op](y, *args)[i])


# ---------------------------------------------------------------------------------------------------------- forward

Tangents = dict[Any, Any]  # seed -> tangent: a scalar, or {entry: scalar} of a factor, or a tuple of items of a solve


def _forward(order: Iterable[Node], seeds: Mapping[Node, Tangents]) -> dict[Node, Tangents]:
    """Tangents of all nodes, one for each seed that a node depends on: zeros are never computed."""
    out: dict[Node, Tangents] = {}
    for n in order:
        if n in seeds:
            out[n] = dict(seeds[n])
        elif moving := [(i, out[a]) for i, a in enumerate(n.args) if out.get(a)]:
            out[n] = _TANGENT_OF_BLOCK.get(n.op, _scalar_tangents)(n, moving)
    return out


def _scalar_tangents(node: Node, moving: list[tuple[int, Tangents]]) -> Tangents:
    if node.op == "where":
        return _where_tangents(node, moving)
    if node.op in ("lt", "le", "eq", "and", "or", "not"):
        return {}
    sums: Tangents = {}
    for i, tangents in moving:
        partial = _partial(node, i)
        for seed, t in tangents.items():
            term = partial * t
            sums[seed] = sums[seed] + term if seed in sums else term
    return {seed: t for seed, t in sums.items() if t is not ZERO}


def _where_tangents(node: Node, moving: list[tuple[int, Tangents]]) -> Tangents:
    branch = dict(moving)
    yes, no = branch.get(1, {}), branch.get(2, {})
    return {s: where(node.args[0], yes.get(s, ZERO), no.get(s, ZERO)) for s in {**yes, **no}}


def _factor_tangents(node: Node, moving: list[tuple[int, Tangents]]) -> Tangents:
    out: Tangents = {}
    for entry, tangents in moving:
        for seed, t in tangents.items():
            out.setdefault(seed, {})[entry] = t
    return out


def _solve_tangents(node: Node, moving: list[tuple[int, Tangents]]) -> Tangents:
    """A dx = db - dA x, with the same factor node."""
    factor: Block = node.args[0]
    shape: FactorShape = factor.data
    x = solve_block(factor, node.args[1:], node.data)
    right: dict[Any, list[Expr]] = {}
    for i, tangents in moving:
        for seed, t in tangents.items():
            b = right.setdefault(seed, [ZERO] * shape.n)
            if i > 0:
                b[i - 1] = b[i - 1] + t
            else:
                _subtract_product(b, shape, t, x, node.data)
    return {seed: solve_block(factor, b, node.data) for seed, b in right.items()}


def _subtract_product(
    b: list[Expr], shape: FactorShape, da: Mapping[int, Expr], x: Sequence[Expr], transposed: bool
) -> None:
    """b -= dA x for the entries of dA that are not zero."""
    places = shape.places()
    for entry, t in da.items():
        i, j = places[entry][::-1] if transposed else places[entry]
        b[i] = b[i] - t * x[j]
        if shape.is_symmetric and i != j:
            b[j] = b[j] - t * x[i]


def _item_tangents(node: Node, moving: list[tuple[int, Tangents]]) -> Tangents:
    return {seed: t[node.data] for seed, t in moving[0][1].items() if t[node.data] is not ZERO}


def _sweeps_tangents(node: Node, moving: list[tuple[int, Tangents]]) -> Tangents:
    """Seed by seed in a node each; or, for many seeds, from the Jacobian, whose columns are repetitions in one node."""
    seeds = dict.fromkeys(seed for _, tangents in moving for seed in tangents)
    if len(seeds) > 1 and len(moving) <= 2 * len(seeds):
        entry = sweep_jacobian(node, [i for i, _ in moving], _fragment_tangents)
        return {s: _JacobianProduct(entry, [(i, t[s]) for i, t in moving if s in t]) for s in seeds}
    return {s: sweep_tangents(node, {i: t.get(s, ZERO) for i, t in moving}, _fragment_tangents) for s in seeds}


class _JacobianProduct:
    """Items of J v, each made on first access."""

    def __init__(self, entry: Callable[[int, int], Expr], vector: Sequence[tuple[int, Expr]]) -> None:
        self.entry, self.vector = entry, vector

    def __getitem__(self, k: int) -> Expr:
        total: Expr = ZERO
        for i, t in self.vector:
            total = total + self.entry(k, i) * t
        return total


def _fragment_tangents(outputs: Sequence[Expr], seeds: Mapping[Symbol, Symbol]) -> list[Expr]:
    tangents = _forward(evaluation_order(outputs), {x: {0: d} for x, d in seeds.items()})
    return [tangents.get(e, {}).get(0, ZERO) for e in outputs]


_TANGENT_OF_BLOCK: Final = {
    "factor": _factor_tangents, "solve": _solve_tangents, "sweeps": _sweeps_tangents, "item": _item_tangents,
}  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- reverse


Adjoints = Callable[[Node, Any, set[Node]], Iterable[tuple[Node, Any]]]


def _reverse(order: Sequence[Node], seeds: Mapping[Node, Expr], wanted: set[Node]) -> dict[Node, Any]:
    """Adjoints of all nodes on a path from `wanted` to the seeds."""
    live: set[Node] = set()
    for n in order:
        if n in wanted or any(a in live for a in n.args):
            live.add(n)
    adjoint: dict[Node, Any] = dict(seeds)
    for n in reversed(order):
        bar = adjoint.get(n)
        if bar is None or n not in live or n in wanted:
            continue
        contributions: Adjoints = _ADJOINTS_OF_BLOCK.get(n.op, _scalar_adjoints)
        for a, contribution in contributions(n, bar, live):
            adjoint[a] = _adjoint_sum(adjoint.get(a), contribution)
        if n not in wanted:
            del adjoint[n]
    return adjoint


def _adjoint_sum(old: Any, new: Any) -> Any:
    if old is None:
        return new
    if isinstance(new, dict):
        for k, v in new.items():
            old[k] = old[k] + v if k in old else v
        return old
    return old + new


def _scalar_adjoints(node: Node, bar: Expr, live: set[Node]) -> Iterable[tuple[Node, Any]]:
    for i, a in enumerate(node.args):
        if a in live and not (node.op == "where" and i == 0):
            yield a, _times_partial(node, i, bar)


def _times_partial(node: Node, i: int, bar: Expr) -> Expr:
    if node.op == "where":
        return where(node.args[0], bar, 0) if i == 1 else where(node.args[0], 0, bar)
    return bar * _partial(node, i)


def _item_adjoints(node: Node, bar: Expr, live: set[Node]) -> Iterable[tuple[Node, Any]]:
    yield node.args[0], {node.data: bar}


def _solve_adjoints(node: Node, bar: dict[int, Expr], live: set[Node]) -> Iterable[tuple[Node, Any]]:
    factor: Block = node.args[0]
    shape: FactorShape = factor.data
    lam = solve_block(factor, [bar.get(i, ZERO) for i in range(shape.n)], not node.data)
    for i, b in enumerate(node.args[1:]):
        if b in live:
            yield b, lam[i]
    if factor in live:
        x = solve_block(factor, node.args[1:], node.data)
        if node.data:  # Aᵀ x = b: the roles of the two vectors change
            lam, x = x, lam
        yield factor, dict(enumerate(-_symmetric_product(shape, lam, x, i, j) for i, j in shape.places()))


def _symmetric_product(shape: FactorShape, lam: Sequence[Expr], x: Sequence[Expr], i: int, j: int) -> Expr:
    product = lam[i] * x[j]
    return product + lam[j] * x[i] if shape.is_symmetric and i != j else product


def _factor_adjoints(node: Node, bar: dict[int, Expr], live: set[Node]) -> Iterable[tuple[Node, Any]]:
    for i, a in enumerate(node.args):
        if a in live:
            yield a, bar[i]


def _sweeps_adjoints(node: Node, bar: dict[int, Expr], live: set[Node]) -> Iterable[tuple[Node, Any]]:
    moving = [i for i, a in enumerate(node.args) if a in live]
    for i, adjoint in sweep_adjoints(node, bar, moving, _fragment_adjoints).items():
        yield node.args[i], adjoint


def _fragment_adjoints(outputs: Sequence[Expr], bars: Sequence[Expr], wanted: Sequence[Symbol]) -> list[Expr]:
    seeds: dict[Node, Expr] = {}
    for e, bar in zip(outputs, bars, strict=True):
        seeds[e] = seeds[e] + bar if e in seeds else bar
    adjoint = _reverse(evaluation_order(outputs), seeds, set(wanted))
    return [adjoint.get(x, ZERO) for x in wanted]


_ADJOINTS_OF_BLOCK: Final[dict[str, Adjoints]] = {
    "factor": _factor_adjoints,
    "solve": _solve_adjoints,
    "sweeps": _sweeps_adjoints,
    "item": _item_adjoints,
}


# ---------------------------------------------------------------------------------------------------------- public


def derivative(thing: Any, x: Symbol) -> Any:
    """∂thing/∂x of an expression or a matrix.

    >>> x, a = sb.symbols("x a")
    >>> sb.derivative(sb.sin(a * x), x)
    a*cos(a*x)

    See also: `gradient`, `jacobian`, `algebra.directional_derivative`, `time_derivative`.
    """
    _refuse_constants([x])
    return _along(thing, {x: ONE}, evaluation_order(scalars(thing)))


def directional_derivative(thing: Any, direction: Mapping[Any, Any]) -> Any:
    """Σ ∂thing/∂s · direction[s], for an expression or a matrix.

    >>> x, y = sb.symbols("x y")
    >>> sb.algebra.directional_derivative(x * y, {x: 1, y: 2})
    2*x + y

    See also: `derivative`, `jacobian`, `time_derivative`.
    """
    return _along(thing, {s: as_expr(d) for s, d in direction.items()}, evaluation_order(scalars(thing)))


def _along(thing: Any, direction: Mapping[Node, Expr], order: Iterable[Node]) -> Any:
    tangents = _forward(order, {s: {0: d} for s, d in direction.items()}) if direction else {}
    empty: Tangents = {}

    def pick(e: Expr) -> Expr:
        return tangents.get(e, empty).get(0, ZERO)

    return thing.map(pick) if isinstance(thing, Matrix) else pick(as_expr(thing))


def gradient(scalar: Any, wrt: Sequence[Expr]) -> Matrix:
    """∂scalar/∂wrt as a column, by one reverse sweep: at most about five times the operations of the scalar.

    >>> x, y = sb.symbols("x y")
    >>> sb.gradient(x * sb.sin(y), [x, y])
    vector(sin(y), x*cos(y))

    See also: `jacobian`, `derivative`.
    """
    _refuse_constants(wrt)
    root = as_expr(scalar)
    adjoint = _reverse(evaluation_order([root]), {root: ONE}, set(wrt))
    return Matrix(len(wrt), 1, tuple(adjoint.get(x, ZERO) for x in wrt))


@answered
def jacobian(things: Any, wrt: Sequence[Expr], mode: str = "auto") -> Matrix:
    """∂thingsᵢ/∂wrtⱼ, one row for each scalar in `things`. Entries that are zero everywhere are the constant 0.

    mode: "forward" (cost grows with the number of columns), "reverse" (with the number of rows), "auto".

    >>> x, y = sb.symbols("x y")
    >>> sb.jacobian([x * y, sb.sin(y)], [x, y])
    matrix([[y, x], [0, cos(y)]])

    See also: `gradient`, `derivative`, `algebra.sparsity`.
    """
    if mode not in ("auto", "forward", "reverse"):
        raise ExpressionError(f"jacobian: there is no mode {mode!r}; modes are auto, forward, reverse")
    _refuse_constants(wrt)
    rows = scalars(things)
    if mode == "reverse" or (mode == "auto" and 4 * len(rows) < len(wrt)):
        return Matrix(len(rows), len(wrt), tuple(e for r in rows for e in gradient(r, wrt).entries))
    tangents = _forward(evaluation_order(rows), {x: {j: ONE} for j, x in enumerate(wrt)})
    empty: Tangents = {}
    return Matrix(
        len(rows), len(wrt), tuple(tangents.get(r, empty).get(j, ZERO) for r in rows for j in range(len(wrt)))
    )


def sparsity(m: Matrix) -> list[tuple[int, int]]:
    """Row and column of every entry that is not the constant 0.

    >>> x, y = sb.symbols("x y")
    >>> sb.algebra.sparsity(sb.jacobian([x * y, sb.sin(y)], [x, y]))
    [(0, 0), (0, 1), (1, 1)]

    See also: `jacobian`, `derivation.mass_matrix_sparsity`.
    """
    return [divmod(k, m.cols) for k, e in enumerate(m.entries) if e is not ZERO]


@answered
def time_derivative(thing: Any, rates: Mapping[Symbol, Any] | None = None) -> Any:
    """d thing/dt by the chain rule; `rates` maps symbols to their time derivatives.

    Parameters that are not in the table have rate zero, time has rate one, and all other symbols have `symbol.dot`, the
    symbol of the next order.

    >>> q = sb.symbol("q", "coordinate")
    >>> sb.time_derivative(sb.sin(q))
    cos(q)*q_dot
    >>> u = sb.symbol("u", "speed")
    >>> sb.time_derivative(sb.sin(q), {q: 2 * u})
    2*cos(q)*u

    See also: `derivative`, `Symbol`.
    """
    check_node_limit()
    if rates is not None and not isinstance(rates, Mapping):
        raise ExpressionError(f"time_derivative: rates= maps symbols to their time derivatives, got {shown(rates)}")
    table = rates or {}
    order = evaluation_order(scalars(thing))
    inside = [n for n in order if isinstance(n, Symbol)]
    moving = {n: as_expr(table[n]) if n in table else rate_of(n) for n in inside}
    return _along(thing, {s: r for s, r in moving.items() if r is not ZERO}, order)


def _refuse_constants(wrt: Any) -> None:
    if isinstance(wrt, str) or not hasattr(wrt, "__len__"):
        raise ExpressionError(f"derivatives are taken with respect to a list of symbols, got {shown(wrt)}")
    wrong = [x for x in wrt if not isinstance(x, Expr) or x.op == "const"]
    if wrong:
        raise ExpressionError(f"derivatives are taken with respect to symbols, got {listed(wrong)}")
    if len(set(wrt)) != len(wrt):
        raise ExpressionError(f"a symbol appears twice in the list of variables: {listed(wrt)}")
