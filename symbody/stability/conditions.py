"""Conditions of a steady motion: fixed symbols, unknowns, and the rows that must vanish.

q'i = 0                      of coordinates that do not drift
f + Jcᵀ lam - M u' = 0       with u' = 0, but for speeds that turn with a drifting coordinate
phi = 0,  Jc u + b = 0,  Jc u' + c = 0,  h = 0 with z' = 0
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from ..algebra.derivatives import jacobian
from ..algebra.evaluate import evaluate
from ..algebra.graph import ZERO, Expr, Symbol, as_expr
from ..algebra.matrix import Matrix, sum_of_products
from ..algebra.walk import free_symbols, scalars
from ..derive.equations import Equations
from ..errors import StabilityError, listed
from .parameter_samples import samples, vanishing


@dataclass(frozen=True)
class ConditionRow:
    """An expression that must vanish, with its name in messages. Stages: coordinates, speeds, accelerations, loads."""

    name: str
    expression: Expr
    stage: str


@dataclass(frozen=True)
class TurningSpeeds:
    """Speeds along two fixed axes that turn as a coordinate drifts: along' = -heading' across, across' = heading' along."""

    heading: Symbol
    along: Symbol
    across: Symbol


@dataclass(frozen=True)
class Conditions:
    """Symbols with fixed values (expressions in parameters), unknowns in stages, and rows."""

    fixed: Mapping[Symbol, Expr]
    unknowns: Mapping[str, tuple[Symbol, ...]]
    rows: tuple[ConditionRow, ...]
    drifting: tuple[Symbol, ...]
    turning: tuple[Symbol, ...]

    @property
    def all_unknowns(self) -> tuple[Symbol, ...]:
        return tuple(s for group in self.unknowns.values() for s in group)


def conditions(
    eq: Equations, given: Mapping[Any, Any], zero: Iterable[Any], free: Iterable[Any], near: Mapping[Symbol, float], time: float
) -> Conditions:  # fmt: skip
    """near: numbers at which the equations have values, for coordinates that are not given."""
    names = _Names(eq)
    wanted = {names.thing(k, "values"): as_expr(v) for k, v in given.items()}
    wanted |= {names.thing(k, "zero"): ZERO for k in zero}
    loose = [names.symbol(k, "free") for k in free]
    if both := [s for s in loose if s in wanted]:
        raise StabilityError(f"steady motion of {eq.name!r}: {listed(both)} cannot have a value and be free")
    around = {**eq.variables.of("p").defaults, **near}
    cyclic = cyclic_coordinates(eq, around)
    drifting = _drifting(eq, cyclic, wanted, loose)
    turns = _turns(eq, [q for q in drifting if q not in cyclic and not _stands(q, wanted)], cyclic, around)
    turning = tuple(u for turn in turns for u in (turn.along, turn.across))
    fixed = _fixed(eq, wanted, loose, drifting, turning, time)
    rows = [
        *_rate_rows(eq, fixed, drifting), *_wanted_rows(eq, wanted, fixed), *_turn_rows(eq, turns), *_equation_rows(eq)
    ]  # fmt: skip
    return Conditions(fixed, _unknowns(eq, fixed, loose, turning), tuple(rows), drifting, turning)


def _stands(q: Symbol, wanted: Mapping[Expr, Expr]) -> bool:
    return wanted.get(as_expr(q.dot)) is ZERO


class _Names:
    """Names that conditions may use: symbols of the equations, rates of coordinates, eliminated speeds, expressions in these."""

    def __init__(self, eq: Equations) -> None:
        own = eq.variables.of("q u z r p lam q' u' z'")
        eliminated = eq.whole.variables
        self.outputs = {n: e for n, e in eq.outputs.items() if isinstance(e, Expr) and n not in own}
        self.table = own.having(eliminated.of("u").symbols, "u").having(eliminated.of("u'").symbols, "u'")

    def thing(self, key: Any, where: str) -> Expr:
        if isinstance(key, Expr) and not isinstance(key, Symbol):
            return key
        return self.outputs[key] if key in self.outputs else self.symbol(key, where)

    def symbol(self, key: Any, where: str) -> Symbol:
        return self.table.symbol(key, f"steady({where}=...) of {self.table.owner!r}", StabilityError, "symbol")


def _drifting(
    eq: Equations, cyclic: tuple[Symbol, ...], wanted: Mapping[Expr, Expr], loose: list[Symbol]
) -> tuple[Symbol, ...]:
    """Coordinates that may drift: their rate is given or free, or they are cyclic and not held."""
    moving = {s for s, v in wanted.items() if v is not ZERO} | set(loose)
    held = {s for s in wanted if s in eq.q}
    return tuple(q for q in eq.q if q.dot in moving or (q in cyclic and q not in held and q.dot not in wanted))


def cyclic_coordinates(eq: Equations, near: Mapping[Symbol, float]) -> tuple[Symbol, ...]:
    """Cyclic coordinates: no entry of the equations depends on them, at random states near some numbers."""
    things = [eq.M, eq.f, eq.phi, eq.Jc, eq.b, eq.c, eq.h, eq.rates]
    slopes = jacobian(scalars(*things), eq.q)
    seen = [[e for e in slopes.column(j) if e is not ZERO] for j in range(len(eq.q))]
    distinct = list(dict.fromkeys(e for column in seen for e in column))
    vanishes = dict(zip(distinct, vanishing(distinct, near), strict=True))
    return tuple(q for q, column in zip(eq.q, seen, strict=True) if all(vanishes[e] for e in column))


# ---------------------------------------------------------------------------------------------------- turning


def _turns(
    eq: Equations, turned: list[Symbol], cyclic: tuple[Symbol, ...], near: Mapping[Symbol, float]
) -> list[TurningSpeeds]:
    """For each coordinate that drifts without being cyclic: the speeds that turn with it, a symmetry of the motion."""
    out: list[TurningSpeeds] = []
    for heading in turned:
        pairs: list[tuple[Symbol, Symbol] | None] = [None]
        pairs += [(x.dot, y.dot) for x, y in permutations(cyclic, 2) if x.dot in eq.u and y.dot in eq.u]
        state = _random_state(eq, near)
        before = _accelerations(eq, state)
        found = next((pair for pair in pairs if _is_symmetry(eq, state, before, heading, pair)), pairs)
        if found is pairs:
            raise StabilityError(
                f"steady motion of {eq.name!r}: {heading.name} cannot drift in it, accelerations depend on it, and no two other "
                "coordinates can be turned along with it"
            )
        out += [TurningSpeeds(heading, *found)] if isinstance(found, tuple) else []
    return out


def _random_state(eq: Equations, near: Mapping[Symbol, float]) -> dict[Symbol, float]:
    return samples([eq.udot, eq.h, eq.rates, *eq.u, *(as_expr(z.dot) for z in eq.z)], near, 1)[0]


def _accelerations(eq: Equations, state: Mapping[Symbol, float]) -> list[list[float]]:
    return evaluate([list(eq.udot.entries), list(eq.h.entries)], state)


def _is_symmetry(
    eq: Equations, state: Mapping[Symbol, float], before: list[list[float]], heading: Symbol, pair: tuple[Symbol, Symbol] | None
) -> bool:  # fmt: skip
    """Whether accelerations turn along when the heading is changed, with the two speeds turned by the same angle, and are the same else."""
    c, s = math.cos(0.7), math.sin(0.7)
    moved = {**state, heading: state.get(heading, 0.0) + 0.7}
    expected = list(before[0])
    if pair is not None:
        i, j = (eq.u.index(u) for u in pair)
        moved |= {pair[0]: c * state[pair[0]] - s * state[pair[1]], pair[1]: s * state[pair[0]] + c * state[pair[1]]}
        expected[i], expected[j] = c * before[0][i] - s * before[0][j], s * before[0][i] + c * before[0][j]
    after = _accelerations(eq, moved)
    scale = 1e-8 * (1 + max(map(abs, before[0])))
    return all(
        abs(a - b) < scale for x, y in ((after[0], expected), (after[1], before[1])) for a, b in zip(x, y, strict=True)
    )


def _turn_rows(eq: Equations, turns: Iterable[TurningSpeeds]) -> list[ConditionRow]:
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    rows = []
    for turn in turns:
        rate = rates[turn.heading]
        for u, law in (
            (turn.along, turn.along.dot + rate * turn.across),
            (turn.across, turn.across.dot - rate * turn.along),
        ):
            rows.append(ConditionRow(f"turning of {u.name} with {turn.heading.name}", law, "accelerations"))
    return rows


def _fixed(
    eq: Equations, wanted: Mapping[Expr, Expr], loose: list[Symbol], drifting: tuple[Symbol, ...], turning: tuple[Symbol, ...], time: float
) -> dict[Symbol, Expr]:  # fmt: skip
    own = set(eq.variables.of("q u z r p lam").symbols)
    fixed: dict[Symbol, Expr] = {eq.t: as_expr(time)}
    fixed |= {v.symbol: ZERO for v in eq.variables.of("u'") if v.rate_of not in turning}
    fixed |= dict.fromkeys(eq.variables.of("z'").symbols, ZERO)
    fixed |= {s: ZERO for s in eq.variables.of("r r' r''").symbols if s not in loose}
    for q, rate in zip(eq.q, eq.rates.entries, strict=True):
        if q not in drifting and isinstance(rate, Symbol):
            fixed[rate] = ZERO
    return fixed | {s: v for s, v in wanted.items() if isinstance(s, Symbol) and s in own}


def _unknowns(
    eq: Equations, fixed: Mapping[Symbol, Expr], loose: list[Symbol], turning: tuple[Symbol, ...]
) -> dict[str, tuple[Symbol, ...]]:
    more = [s for s in loose if s in eq.constants]
    groups: dict[str, Iterable[Any]] = {
        "coordinates": eq.q,
        "speeds": eq.u,
        "accelerations": [u.dot for u in turning],
        "loads": [*eq.variables.of("z lam").symbols, *more],
    }
    return {stage: tuple(s for s in group if s not in fixed) for stage, group in groups.items()}


# ---------------------------------------------------------------------------------------------------- rows


def _rate_rows(eq: Equations, fixed: Mapping[Symbol, Expr], drifting: tuple[Symbol, ...]) -> list[ConditionRow]:
    still = [(q, r) for q, r in zip(eq.q, eq.rates.entries, strict=True) if q not in drifting and r not in fixed]
    return [ConditionRow(f"rate of {q.name}", rate, "speeds") for q, rate in still]


def _wanted_rows(eq: Equations, wanted: Mapping[Expr, Expr], fixed: Mapping[Symbol, Expr]) -> list[ConditionRow]:
    rates = dict(zip((q.dot for q in eq.q), eq.rates.entries, strict=True))
    rows = []
    for thing, value in wanted.items():
        if isinstance(thing, Symbol) and thing in fixed:
            continue
        (seen,) = eq.in_own_terms([rates.get(thing, thing)])
        rows.append(ConditionRow(f"given {thing}", seen - value, _stage({s.kind for s in free_symbols(seen)})))
    return rows


def _stage(kinds: set[str]) -> str:
    """The first stage in which all symbols of these kinds are known."""
    later = {"loads": {"multiplier"}, "accelerations": {"acceleration"}}
    if found := next((stage for stage, own in later.items() if kinds & own), None):
        return found
    return "coordinates" if kinds <= {"coordinate", "parameter"} else "speeds"


def position_rows(eq: Equations) -> list[ConditionRow]:
    """phi = 0, and the norms of Euler parameters."""
    constraints = [ConditionRow(f"constraint {row.name!r}", row.expression, "coordinates") for row in eq.holonomic_rows]
    return [*constraints, *(ConditionRow(row.name, row.expression, "coordinates") for row in eq.norm_rows)]


def speed_rows(eq: Equations) -> list[ConditionRow]:
    """Jc u + b = 0."""
    return [ConditionRow(f"rate of constraint {row.name!r}", row.expression, "speeds") for row in eq.speed_rows]


def acceleration_rows(eq: Equations) -> list[ConditionRow]:
    """Jc u' + c = 0."""
    dots = [as_expr(u.dot) for u in eq.u]
    return [
        ConditionRow(
            f"second rate of constraint {row.name!r}", sum_of_products(eq.Jc.row(k), dots) + eq.c[k], "accelerations"
        )
        for k, row in enumerate(eq.speed_rows)
    ]


def _equation_rows(eq: Equations) -> list[ConditionRow]:
    balances: Matrix = eq.residual()
    loads = [ConditionRow(f"balance of {u.name}", e, "loads") for u, e in zip(eq.u, balances.entries, strict=True)]
    more = [ConditionRow(f"equation {row.name!r}", row.expression, "loads") for row in eq.additional_rows]
    return [*position_rows(eq), *speed_rows(eq), *acceleration_rows(eq), *loads, *more]
