"""Which numbers follow from which: the sparsity of FMI's model structure, by one pass over the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.walk import free_symbols, reachable_symbols, scalars
from ...errors import ExpressionError


@dataclass(frozen=True)
class Dependency:
    """That a number follows from another one. kind: constant (a fixed number times it), tunable (times a function of
    parameters), dependent."""

    on: Symbol
    kind: str = "dependent"


def dependencies(things: Any, symbols: Sequence[Symbol]) -> list[list[Dependency]]:
    return [[Dependency(s) for s in found] for found in reachable_symbols(scalars(things), symbols)]


def graded_dependencies(things: Any, symbols: Sequence[Symbol], parameters: Iterable[Symbol]) -> list[list[Dependency]]:
    """The same with kinds, from derivatives: for expressions that are cheap to differentiate."""
    entries, constants = scalars(things), set(parameters)
    found = reachable_symbols(entries, symbols)
    try:
        slopes = jacobian(entries, symbols)
    except ExpressionError:  # an external function without derivatives
        return [[Dependency(s) for s in row] for row in found]
    place = {s: k for k, s in enumerate(symbols)}
    return [[Dependency(s, _kind(slopes[i, place[s]], constants)) for s in row] for i, row in enumerate(found)]


def _kind(slope: Expr, constants: set[Symbol]) -> str:
    used = set(free_symbols(slope))
    if not used:
        return "constant"
    return "tunable" if used <= constants else "dependent"


def through(found: Sequence[Dependency], eliminated: Mapping[Symbol, Sequence[Dependency]]) -> list[Dependency]:
    """Dependencies with those on some symbols replaced by what these depend on."""
    out: dict[Symbol, Dependency] = {}
    for d in found:
        for e in eliminated.get(d.on, (d,)):
            out[e.on] = Dependency(e.on, d.kind if e is d else "dependent")
    return list(out.values())
