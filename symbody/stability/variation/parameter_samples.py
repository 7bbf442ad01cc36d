"""Random values of parameters, which show the entries that are zero for all parameters and the suitable pivots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import evaluation_order, free_symbols, scalars, substitute_all
from ...algebra.printing.printing import tree_size_up_to
from ...emit.run.callable import Array
from ...errors import EvaluationError, StabilityError, listed

DIGITS: Final = 40  # number of digits with which identically zero expressions, and no others, are below 1e-25
MAX_EXACT: Final = 12  # largest tree size of a constant entry that stays exact, as sqrt(2)/2
Sample = dict[Symbol, float]


def samples(things: Any, defaults: Mapping[Symbol, float], count: int = 2) -> list[Sample]:
    """Numbers for every symbol in `things`, near the defaults, at which everything has a value."""
    symbols, found, draw = free_symbols(*things), [], Random(1)
    for spread in (0.1, 0.03, 0.01, 0.003):
        for _ in range(count):
            sample = {s: _random_value(s, defaults, draw, spread) for s in symbols}
            try:
                evaluate(list(things), sample)
            except (EvaluationError, OverflowError):
                continue
            found.append(sample)
            if len(found) == count:
                return found
    raise StabilityError(
        f"the equations have no value near {listed(f'{s.name}={defaults.get(s, 1.0):z.6g}' for s in symbols)}; "
        "give values of the parameters at which they have"
    )


def sample_at(things: Any, near: Mapping[Symbol, float]) -> Sample:
    """The given numbers, and random ones for symbols without."""
    symbols = free_symbols(*things)
    if all(s in near for s in symbols):
        return {s: near[s] for s in symbols}
    return {s: near.get(s, x) for s, x in samples(things, near, 1)[0].items()}


def _random_value(s: Symbol, defaults: Mapping[Symbol, float], draw: Random, spread: float) -> float:
    value = defaults.get(s)
    if s.kind == "coordinate":
        return (value or 0.0) + 3 * spread * draw.uniform(-1, 1)
    if value == 0:  # a damping that is off by default is still there
        return spread * draw.uniform(0.3, 1)
    return draw.uniform(0.8, 1.5) if value is None else value * (1 + spread * draw.uniform(-1, 1))


def array(matrix: Matrix, sample: Mapping[Symbol, float]) -> Array:
    """The numbers of a matrix."""
    return np.array(evaluate(list(matrix.entries), sample), dtype=float).reshape(matrix.shape)


def arrays(matrices: Sequence[Matrix], sample: Mapping[Symbol, float]) -> list[Array]:
    """The numbers of several matrices, with shared subexpressions computed once."""
    flat = evaluate([list(m.entries) for m in matrices], sample)
    return [np.array(v, dtype=float).reshape(m.shape) for m, v in zip(matrices, flat, strict=True)]


def sizes(things: Sequence[Expr], at: Iterable[Sample]) -> list[float]:
    """The largest that each expression gets, computed with many digits."""
    values = [evaluate(list(things), sample, digits=DIGITS) for sample in at]
    return [max(float(abs(v[k])) for v in values) for k in range(len(things))]


def vanishing(things: Sequence[Expr], defaults: Mapping[Symbol, float]) -> list[bool]:
    """Whether each expression vanishes identically: it is zero to many digits at random parameters."""
    if all(e is ZERO for e in things):
        return [True] * len(things)
    return [size < 1e-25 for size in sizes(things, samples([list(things)], defaults))]


def with_exact_entries(matrices: Sequence[Matrix], defaults: Mapping[Symbol, float]) -> list[Matrix]:
    """The same matrices, with entries that are 0, 1 or -1 for all parameters replaced by these."""
    entries = list(dict.fromkeys(e for m in matrices for e in m.entries if e.op not in ("const", "symbol")))
    if not entries:
        return list(matrices)
    at = samples([entries], defaults)
    table: dict[Expr, Expr] = {}
    for number in (ZERO, ONE, -ONE):
        rest = [e for e in entries if e not in table]
        table |= {
            e: number for e, size in zip(rest, sizes([e - number for e in rest], at), strict=True) if size < 1e-25
        }
    return [m.map(lambda e: table.get(e, e)) for m in matrices]


def substituted_and_folded(things: list[Any], table: Mapping[Symbol, Any]) -> list[Any]:
    """Substitution of the table into `things`; long entries without symbols become numbers."""
    made = substitute_all(things, table) if table else things
    entries = list(dict.fromkeys(e for e in scalars(*made) if e.args))
    with_symbols: set[Any] = set()
    for n in evaluation_order(entries):
        if n.op in ("symbol", "call") or any(a in with_symbols for a in n.args):
            with_symbols.add(n)
    numbers = [e for e in entries if e not in with_symbols and tree_size_up_to(MAX_EXACT, [e]) >= MAX_EXACT]
    known = dict(zip(numbers, map(as_expr, evaluate(numbers)), strict=True)) if numbers else {}
    return (
        [t.map(lambda e: known.get(e, e)) if isinstance(t, Matrix) else known.get(t, t) for t in made]
        if known
        else made
    )
