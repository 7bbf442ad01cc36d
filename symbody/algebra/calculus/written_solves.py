"""Linear solves written out as elimination steps, for targets that have no solve, and loops step by step.

The functions of `elimination.py` run on expressions that carry a number each, by which pivots are chosen: at numbers
drawn for all symbols, or at the numbers given. Definite systems need no pivots. Where a pivot chosen there vanishes
elsewhere, the steps have no value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from ...errors import EvaluationError
from ..elimination.elimination import (
    definite_factor,
    definite_solve,
    general_factor,
    general_solve,
    general_solve_transposed,
)
from ..graph.graph import ONE, ZERO, Expr, Node, Symbol, intern
from ..graph.matrix import Matrix
from ..graph.sweeps import Schedule, items_of_steps
from ..graph.walk import evaluation_order, scalars, substitute_all, with_arguments
from .evaluate import evaluate

SEEDS: Final = range(1, 9)  # seeds of the random points at which pivots are chosen


def written_out(things: list[Any], values: Mapping[Any, float] | None = None) -> list[Any]:
    """The same expressions and matrices without solves and loops.

    values   numbers at which pivots are chosen, as far as they are given
    """
    things = _without_loops(things)
    nodes = evaluation_order(scalars(*things))
    if not any(n.op == "factor" for n in nodes):
        return things
    at = _numbers(nodes, values or {})
    new: dict[Node, Any] = {}
    systems: dict[Node, _Eliminated] = {}
    for n in nodes:
        if n.op == "factor":
            systems[n] = _Eliminated(n, [new[a] for a in n.args], at)
            new[n] = n
        elif n.op == "solve":
            right = [new[a] for a in n.args[1:]]
            new[n] = intern("entries", systems[n.args[0]].solved(right, transposed=bool(n.data)))
        else:
            args = tuple(new[a] for a in n.args)
            new[n] = n if args == n.args else with_arguments(n, args)
    return [t.map(new.__getitem__) if isinstance(t, Matrix) else _with_replaced_nodes(t, new) for t in things]


def _with_replaced_nodes(thing: Any, new: Mapping[Node, Any]) -> Any:
    if isinstance(thing, (list, tuple)):
        return type(thing)(_with_replaced_nodes(e, new) for e in thing)
    return new[thing]


def _without_loops(things: list[Any]) -> list[Any]:
    """Schedules of fragments step by step."""
    nodes = evaluation_order(scalars(*things))
    if not any(n.op == "sweeps" for n in nodes):
        return things
    new: dict[Node, Any] = {}
    for n in nodes:
        args = tuple(new[a] for a in n.args)
        if n.op == "sweeps":
            new[n] = intern("entries", _entries_of_steps(n.data, args))
        else:
            new[n] = n if args == n.args else with_arguments(n, args)
    return [t.map(new.__getitem__) if isinstance(t, Matrix) else _with_replaced_nodes(t, new) for t in things]


def _entries_of_steps(schedule: Schedule, arguments: Sequence[Expr]) -> tuple[Expr, ...]:
    def run(kind: int, places: Sequence[int], memory: list[Expr]) -> None:
        f = schedule.fragments[kind]
        n = len(f.inputs)
        known = {s: memory[at + i] for g, at in zip(f.inputs, places[:n], strict=True) for i, s in enumerate(g)}
        found = substitute_all([list(g) for g in f.outputs], known)
        for values, at, adds in zip(found, places[n:], f.adds, strict=True):
            for i, e in enumerate(values):
                memory[at + i] = memory[at + i] + e if adds else e

    return tuple(items_of_steps(schedule, arguments, ZERO, ONE, run))


class _Eliminated:
    """One factored matrix, on expressions."""

    def __init__(self, factor: Node, entries: list[Expr], at: Mapping[Node, float]) -> None:
        shape = factor.data
        self.n, self.is_definite = shape.n, shape.kind == "definite"
        full = shape.full(list(zip(entries, factor.args, strict=True)))
        self.factors = [_Weighed(new, at.get(old, 0.0)) for new, old in full]
        self.rows = list(range(self.n))
        if self.is_definite:
            definite_factor(self.n, self.factors)
        else:
            general_factor(self.n, self.factors, self.rows)

    def solved(self, right: list[Expr], transposed: bool) -> tuple[Expr, ...]:
        x = [_Weighed(e, 0.0) for e in right]
        if self.is_definite:
            definite_solve(self.n, self.factors, x)
        else:
            (general_solve_transposed if transposed else general_solve)(self.n, self.factors, self.rows, x)
        return tuple(e.expression for e in x)


class _Weighed:
    """An expression, and its value where pivots are chosen."""

    __slots__ = ("expression", "value")

    def __init__(self, expression: Expr, value: float) -> None:
        self.expression, self.value = expression, value

    def __mul__(self, other: _Weighed) -> _Weighed:
        return _Weighed(self.expression * other.expression, self.value * other.value)

    def __sub__(self, other: _Weighed) -> _Weighed:
        return _Weighed(self.expression - other.expression, self.value - other.value)

    def __rtruediv__(self, one: int) -> _Weighed:
        return _Weighed(one / self.expression, one / self.value if self.value else 0.0)

    def __abs__(self) -> float:
        return abs(self.value)


def _numbers(nodes: list[Node], values: Mapping[Any, float]) -> dict[Node, float]:
    """Values of the entries of matrices that need pivots; none where all are definite."""
    entries = list(dict.fromkeys(a for n in nodes if n.op == "factor" and n.data.kind != "definite" for a in n.args))
    if not entries:
        return {}
    symbols = sorted((n for n in nodes if isinstance(n, Symbol)), key=lambda s: s.name)
    for seed in SEEDS:
        draw = Random(seed)
        at = {s: draw.uniform(0.3, 0.9) for s in symbols} | {s: values[s] for s in symbols if s in values}
        try:
            return dict(zip(entries, evaluate(entries, at), strict=True))
        except EvaluationError:
            continue
    raise EvaluationError("linear systems cannot be written out: their entries have no value at random numbers")
