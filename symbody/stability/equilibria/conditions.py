"""Conditions of a steady motion: fixed symbols, unknowns, and the rows that must vanish.

q'i = 0                      of coordinates that do not drift
f + Jcᵀ lam - M u' = 0       with u' = 0, except for speeds that rotate with a drifting coordinate
phi = 0,  Jc u + b = 0,  Jc u' + c = 0,  h = 0 with z' = 0
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import gradient, jacobian
from ...algebra.calculus.evaluate import evaluate
from ...algebra.calculus.rounding import rounding
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols, scalars
from ...derivation.equations.equations import Equations
from ...derivation.equations.named_rows import output_rows
from ...derivation.equations.own_terms import in_own_terms
from ...errors import StabilityError, listed
from ..variation.condition_rows import ConditionRow, acceleration_rows, position_rows, speed_rows
from ..variation.parameter_samples import array, samples, substituted_and_folded, vanishing
from .symmetries import Symmetry
from .symmetry_group import Asked, SymmetryGroup, active_symmetries

CLEARLY_NONZERO: Final = 1e3  # a value this many times its rounding bound is not rounding noise


@dataclass(frozen=True)
class Conditions:
    """Symbols with fixed values (expressions in parameters), unknowns in stages, and rows.

    cyclic     coordinates on which nothing depends
    drifting   coordinates that grow: cyclic ones, and those that symmetries move
    turning    coordinates and speeds whose rates change as the motion proceeds along its symmetries
    along      the symmetries of the motion, each with its rate
    notes      remarks for the reader of the result
    is_rest    no rate or speed is prescribed: coordinates that may drift are preferably at rest
    """

    fixed: Mapping[Symbol, Expr]
    unknowns: Mapping[str, tuple[Symbol, ...]]
    rows: tuple[ConditionRow, ...]
    cyclic: tuple[Symbol, ...] = ()
    drifting: tuple[Symbol, ...] = ()
    turning: tuple[Symbol, ...] = ()
    along: tuple[tuple[Symmetry, Expr], ...] = ()
    notes: tuple[str, ...] = ()
    is_rest: bool = False

    @property
    def rows_key(self) -> tuple[tuple[str, str, str], ...]:
        """Rows but for their expressions."""
        return tuple((r.name, r.stage, r.kind) for r in self.rows)

    @property
    def all_unknowns(self) -> tuple[Symbol, ...]:
        return tuple(s for group in self.unknowns.values() for s in group)


def conditions(
    eq: Equations, given: Mapping[Any, Any], zero: Iterable[Any], free: Iterable[Any], turning: Any, near: Mapping[Symbol, float],
    time: float,
) -> Conditions:  # fmt: skip
    """near: numbers at which the equations have values, for coordinates that are not given."""
    names = _Names(eq)
    wanted = {names.thing(k, "values"): as_expr(v) for k, v in given.items()}
    wanted |= {names.thing(k, "zero"): ZERO for k in zero}
    loose = [names.symbol(k, "free") for k in free]
    if both := [s for s in loose if s in wanted]:
        raise StabilityError(f"steady motion of {eq.name!r}: {listed(both)} cannot have a value and be free")
    around = {**eq.variables.of("p").defaults, **near}
    cyclic = eq.cached("cyclic coordinates", tuple(around), lambda: cyclic_coordinates(eq, around))
    asked = Asked(wanted, loose, cyclic)
    group = active_symmetries(eq, asked, turning, near)
    drifting = tuple(q for q in eq.q if asked.drifts(q) or group.moves(q))
    fixed = _fixed_values(eq, wanted, loose, drifting, group.turned_speeds, time)
    of_equations = eq.cached("steady rows", (), lambda: _equation_rows(eq))
    rows = [
        *_rate_rows(eq, fixed, drifting), *group.rate_rows(), *_wanted_rows(eq, wanted, fixed), *group.turn_rows(), *of_equations
    ]  # fmt: skip
    unknowns = _unknowns(eq, fixed, loose, group)
    return Conditions(
        fixed, unknowns, tuple(rows), cyclic, drifting, group.turning, group.along, _notes(eq, asked, group),
        not group.along and not any(s.kind == "speed" for s in free_symbols(*asked.moving)),
    )  # fmt: skip


def _notes(eq: Equations, asked: Asked, group: SymmetryGroup) -> tuple[str, ...]:
    """Coordinates that stand still because they have a value, in a motion that would move them."""
    held = [q for q in eq.q if asked.is_held(q) and any(q in s.q for s, _ in group.along)]
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    return tuple(
        f"{q.name} has a value and so stands still, {rates[q]} = 0; free=[{q.dot.name!r}] lets it go on from there"
        for q in held
        if isinstance(q.dot, Symbol)
    )


class _Names:
    """Names that conditions may use: symbols of the equations, rates of coordinates, eliminated speeds, expressions in
    these."""

    def __init__(self, eq: Equations) -> None:
        own = eq.variables.of("q u z r p lam q' u' z'")
        eliminated = eq.whole.variables
        self.outputs = {n: e for n, e in output_rows(eq.outputs).items() if n not in own}
        self.table = own.having(eliminated.of("u").symbols, "u").having(eliminated.of("u'").symbols, "u'")

    def thing(self, key: Any, where: str) -> Expr:
        if isinstance(key, Expr) and not isinstance(key, Symbol):
            return key
        return self.outputs[key] if key in self.outputs else self.symbol(key, where)

    def symbol(self, key: Any, where: str) -> Symbol:
        return self.table.symbol(key, f"steady({where}=...) of {self.table.owner!r}", StabilityError, "symbol")


def cyclic_coordinates(eq: Equations, near: Mapping[Symbol, float]) -> tuple[Symbol, ...]:
    """Cyclic coordinates: no entry of the equations depends on them, at random states near some numbers."""
    loads, rest = ([*dict.fromkeys(scalars(*m))] for m in ((eq.f, eq.phi, eq.h), (eq.M, eq.Jc, eq.b, eq.c, eq.rates)))
    doubtful = list(eq.q)
    for entries in (loads, rest):
        noticed = _influential_coordinates(entries, doubtful, near) if doubtful else set()
        doubtful = [q for q in doubtful if q not in noticed]
    if not doubtful:
        return ()
    slopes = jacobian([*loads, *rest], doubtful)
    seen = [[e for e in slopes.column(j) if e is not ZERO] for j in range(len(doubtful))]
    distinct = list(dict.fromkeys(e for column in seen for e in column))
    vanishes = dict(zip(distinct, vanishing(distinct, near), strict=True))
    return tuple(q for q, column in zip(doubtful, seen, strict=True) if all(vanishes[e] for e in column))


def _influential_coordinates(
    entries: Sequence[Expr], coordinates: Sequence[Symbol], near: Mapping[Symbol, float]
) -> set[Symbol]:
    """Coordinates on which some entry clearly depends: a sum of all entries with random weights has a derivative
    above its rounding bound. One gradient suffices; the Jacobian of a hundred links' mass matrix has a million
    entries."""
    draw = Random(7)
    slopes = list(gradient(sum((draw.uniform(0.5, 1) * e for e in entries), start=ZERO), coordinates).entries)
    at = samples([slopes], near, 1)[0]
    values, errors = evaluate(slopes, at), rounding(slopes, at)
    return {q for q, v, e in zip(coordinates, values, errors, strict=True) if abs(v) > CLEARLY_NONZERO * e}


def _fixed_values(
    eq: Equations, wanted: Mapping[Expr, Expr], loose: list[Symbol], drifting: tuple[Symbol, ...], turned: tuple[Symbol, ...], time: float
) -> dict[Symbol, Expr]:  # fmt: skip
    own = set(eq.variables.of("q u z r p lam").symbols)
    fixed: dict[Symbol, Expr] = {eq.t: as_expr(time)}
    fixed |= {v.symbol: ZERO for v in eq.variables.of("u'") if v.rate_of not in turned}
    fixed |= dict.fromkeys(eq.variables.of("z'").symbols, ZERO)
    fixed |= {s: ZERO for s in eq.variables.of("r r' r''").symbols if s not in loose}
    fixed |= dict.fromkeys(_standing_speeds(eq, drifting), ZERO)
    return fixed | {s: v for s, v in wanted.items() if isinstance(s, Symbol) and s in own}


def _standing_speeds(eq: Equations, drifting: tuple[Symbol, ...]) -> list[Symbol]:
    """Speeds that are zero because coordinates stand still: N u = 0 has no other solution where N has full rank, as
    with Euler parameters."""
    still = [i for i, q in enumerate(eq.q) if q not in drifting]
    plain = [rate for i in still if isinstance(rate := eq.rates.entries[i], Symbol)]
    if any(eq.n[i] is not ZERO for i in still):
        return plain
    touched = [j for j in range(len(eq.u)) if any(eq.N[i, j] is not ZERO for i in still)]
    N = Matrix(len(still), len(touched), tuple(eq.N[i, j] for i in still for j in touched))
    if len(plain) == len(touched) or not touched:
        return plain
    numbers = array(N, samples([N], {**eq.variables.of("p q").defaults}, 1)[0])
    has_full_rank = np.linalg.matrix_rank(numbers) == len(touched)
    return [eq.u[j] for j in touched] if has_full_rank else plain


def _unknowns(
    eq: Equations, fixed: Mapping[Symbol, Expr], loose: list[Symbol], group: SymmetryGroup
) -> dict[str, tuple[Symbol, ...]]:
    more = [s for s in loose if s in eq.variables.constants]
    groups: dict[str, Iterable[Any]] = {
        "coordinates": eq.q,
        "speeds": [*eq.u, *group.rates],
        "accelerations": [u.dot for u in group.turned_speeds],
        "loads": [*eq.variables.of("z lam").symbols, *more],
    }
    return {stage: tuple(s for s in group if s not in fixed) for stage, group in groups.items()}


# ---------------------------------------------------------------------------------------------------- rows


def _rate_rows(eq: Equations, fixed: Mapping[Symbol, Expr], drifting: tuple[Symbol, ...]) -> list[ConditionRow]:
    pairs = zip(eq.q, eq.rates.entries, substituted_and_folded(list(eq.rates.entries), fixed), strict=True)
    still = [(q, r) for q, r, left in pairs if q not in drifting and left is not ZERO]
    return [ConditionRow(f"rate of {q.name}", rate, "speeds") for q, rate in still]


def _wanted_rows(eq: Equations, wanted: Mapping[Expr, Expr], fixed: Mapping[Symbol, Expr]) -> list[ConditionRow]:
    rates: dict[Expr, Expr] = dict(zip((q.dot for q in eq.q), eq.rates.entries, strict=True))
    rows = []
    for thing, value in wanted.items():
        if isinstance(thing, Symbol) and thing in fixed:
            continue
        (seen,) = in_own_terms(eq, [rates.get(thing, thing)])
        stage = _stage({s.kind for s in free_symbols(seen)})
        rows.append(ConditionRow(f"given {thing}", seen - value, stage, wanted=(seen, value)))
    return rows


def _stage(kinds: set[str]) -> str:
    """The first stage in which all symbols of these kinds are known."""
    later = {"loads": {"multiplier"}, "accelerations": {"acceleration"}}
    if found := next((stage for stage, own in later.items() if kinds & own), None):
        return found
    return "coordinates" if kinds <= {"coordinate", "parameter"} else "speeds"


def _equation_rows(eq: Equations) -> list[ConditionRow]:
    balances: Matrix = eq.residual()
    loads = [
        ConditionRow(f"balance of {u.name}", e, "loads", "balance") for u, e in zip(eq.u, balances.entries, strict=True)
    ]
    more = [ConditionRow(f"equation {row.name!r}", row.expression, "loads") for row in eq.rows.additional]
    return [*position_rows(eq), *speed_rows(eq), *acceleration_rows(eq), *loads, *more]
