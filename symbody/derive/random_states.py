"""Random states that keep the constraints, in plain Python: what `certify` and the tests look at equations with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from ..algebra import elimination
from ..algebra.derivatives import jacobian
from ..algebra.evaluate import evaluate
from ..algebra.graph import Expr, Symbol
from ..algebra.matrix import Matrix
from ..algebra.walk import free_symbols
from ..errors import DerivationError, EvaluationError
from .equations import Equations

Values = dict[Any, float]
Rows = list[list[float]]
ATTEMPTS: Final = 24  # random starts for the assembly of loops
STEPS: Final = 60  # from each


def random_state(equations: Equations, seed: int = 0, values: Mapping[Any, float] | None = None) -> Values:
    """A value for every symbol: q on phi = 0 (and Euler parameters of norm one), u on Jc u + b = 0, all else at random.

    values   numbers to keep, by symbol or name: of parameters, inputs, time; of coordinates, where to start from.
             Parameters that are not given have the values of the mechanism, or random positive ones, which are moved where
             loops do not close otherwise. Where there are holonomic constraints, each start is moved a little at random,
             so that seeds give different states.
    """
    draw, given = Random(seed), _given(equations, values or {})
    known = {**equations.variables.of("p").defaults, **given}
    rows = [row.expression for row in equations.position_rows]
    loose = [p for p in equations.p if p not in known]
    best: tuple[float, list[float]] = (math.inf, [])
    for attempt in range(ATTEMPTS):
        state = _drawn(equations, draw, known, 1.2 * 0.95**attempt)
        movable = [*equations.q, *loose] if attempt >= ATTEMPTS // 2 else list(equations.q)
        left = _assemble(_Target(rows, jacobian(rows, movable), movable), state)
        if left is not None:
            best = min(best, (max(map(abs, left), default=math.inf), left))
        elif _has_values(equations, state):
            return state
    raise DerivationError(_why_not(equations, best[1]))


def _has_values(equations: Equations, state: Values) -> bool:
    """Puts speeds into a state that keep the constraints; False where the equations have no value there."""
    try:
        _project_speeds(equations, state)
        numbers([equations.M, equations.f, equations.rates, equations.h], state)
    except (EvaluationError, OverflowError):
        return False
    return True


def _why_not(equations: Equations, left: Sequence[float]) -> str:
    names = [row.name for row in equations.position_rows]
    worst = max(range(len(left)), key=lambda k: abs(left[k]), default=None)
    if worst is None:
        return f"{equations.name!r}: the equations have no value at random states; give values={{...}} near which they have"
    return (
        f"{equations.name!r}: no state was found that keeps the constraints; the nearest misses by {abs(left[worst]):.3g} in "
        f"{names[worst]}. Give lengths that let the loops close, and coordinates to start from, with values={{...}}"
    )


def _given(equations: Equations, values: Mapping[Any, float]) -> Values:
    known = equations.variables.having(equations.whole.u, "u").having(_symbols(equations), "p")
    return dict(known.numbers(values, f"random state of {equations.name!r}", DerivationError, "symbol"))


def _symbols(equations: Equations) -> list[Symbol]:
    named = equations.variables.of("q u z r p t").symbols
    found = free_symbols(equations.M, equations.f, equations.Jc, equations.c, equations.h, equations.rates)
    return list(dict.fromkeys([*named, *found, *equations.variables.of("z' r'").symbols]))


# ---------------------------------------------------------------------------------------------------- drawing

_RANGES: Final = {"parameter": (0.8, 1.5), "time": (0.1, 2.0)}


def _drawn(equations: Equations, draw: Random, known: Values, spread: float) -> Values:
    state: Values = {s: draw.uniform(*_RANGES.get(s.kind, (-spread, spread))) for s in _symbols(equations)}
    shaken = set(equations.q) if equations.phi.rows else set()
    state |= {s: v + (draw.uniform(-0.2, 0.2) if s in shaken else 0.0) for s, v in known.items()}
    _draw_inertias(equations, draw, state, known)
    for e in equations.variables.quaternions:
        size = math.sqrt(sum(state[v.symbol] ** 2 for v in e))
        state |= {v.symbol: state[v.symbol] / size for v in e}
    return state


def _draw_inertias(equations: Equations, draw: Random, state: Values, known: Values) -> None:
    """Symbols of inertia tensors get numbers that a body can have: products small, drawn until the tensor is positive."""
    for b in equations.mechanism.bodies:
        I = b.mass.I_BBcm
        free = [s for s in free_symbols(I) if s not in known and s.kind == "parameter"]
        products = [e for e in (I[0, 1], I[0, 2], I[1, 2]) if e in free]
        for _ in range(100 if free else 0):
            state |= {s: draw.uniform(0.8, 1.5) for s in free} | {s: draw.uniform(-0.15, 0.15) for s in products}
            if _is_positive(numbers([I], state)[0]):
                break


def _is_positive(I: Rows) -> bool:
    minor = I[0][0] * I[1][1] - I[0][1] ** 2
    det = I[2][2] * minor - I[0][0] * I[1][2] ** 2 - I[1][1] * I[0][2] ** 2 + 2 * I[0][1] * I[1][2] * I[0][2]
    return I[0][0] >= 0 and minor >= 0 and det >= 0


def numbers(matrices: Sequence[Matrix], values: Mapping[Any, Any]) -> list[list[list[Any]]]:
    """Values of matrices, each as a list of rows."""
    flat = evaluate([list(m.entries) for m in matrices], values)
    return [[v[i * m.cols : (i + 1) * m.cols] for i in range(m.rows)] for m, v in zip(matrices, flat, strict=True)]


# ---------------------------------------------------------------------------------------------------- projecting


class _Target(NamedTuple):
    """Rows that are to vanish, their slopes, and what may be moved for it."""

    rows: list[Expr]
    slopes: Matrix
    movable: list[Symbol]

    def at(self, state: Values) -> tuple[list[float], Rows] | None:
        try:
            (r,), J = numbers([Matrix(1, len(self.rows), tuple(self.rows)), self.slopes], state)
        except (EvaluationError, OverflowError):
            return None
        return r, J


def _assemble(target: _Target, state: Values) -> list[float] | None:
    """Steps of least norm, damped where they do not help (Levenberg, Marquardt), in place. What is left, or None: nothing."""
    if not target.rows:
        return None
    here, damping = target.at(state), 1e-3
    for _ in range(STEPS):
        if here is None:
            return []
        r, J = here
        if max(map(abs, r)) < 1e-14:
            break
        step = least_norm(J, r, damping)
        there = {**state, **{s: state[s] - x for s, x in zip(target.movable, step, strict=True)}}
        reached = target.at(there)
        if reached is not None and _square(reached[0]) < _square(r):
            state.update(there)
            here, damping = reached, max(damping / 20, 1e-15)
        elif damping > 1e6 or max(map(abs, r)) < 1e-13:
            break
        else:
            damping *= 10
    return None if here is not None and max(map(abs, here[0])) < 1e-11 else here[0] if here is not None else []


def _square(r: Sequence[float]) -> float:
    return sum(x * x for x in r)


def _project_speeds(equations: Equations, state: Values) -> None:
    if not equations.lam:
        return
    J, (b,) = numbers([equations.Jc, equations.b.T], state)
    for _ in range(2):  # the second time takes away what damping left
        miss = [
            sum(x * state[u] for x, u in zip(row, equations.u, strict=True)) + e for row, e in zip(J, b, strict=True)
        ]
        for u, x in zip(equations.u, least_norm(J, miss, 1e-14), strict=True):
            state[u] -= x


def least_norm(J: Rows, r: Sequence[float], damping: float = 1e-15) -> list[float]:
    """The smallest x with J x = r: Jᵀ (J Jᵀ + μ 1)⁻¹ r, μ being `damping` times the largest entry on the diagonal."""
    k = len(J)
    A = [_dot(a, b) for a in J for b in J]
    level = damping * max((A[i * k + i] for i in range(k)), default=0.0) + 1e-300
    for i in range(k):
        A[i * k + i] += level
    y, p = list(r), [0] * k
    elimination.general_factor(k, A, p)
    elimination.general_solve(k, A, p, y)
    return [sum(J[i][j] * y[i] for i in range(k)) for j in range(len(J[0]))]


def tangent_basis(J: Rows, n: int) -> tuple[Rows, int]:
    """Orthonormal vectors z with J z = 0, and the rank of J, by Gram and Schmidt (each projection done twice)."""
    normal: Rows = []
    for row in J:
        _extend(normal, row, 1e-9)
    everything = list(normal)
    for j in range(n):
        _extend(everything, [float(i == j) for i in range(n)], 1e-7)
    return everything[len(normal) :], len(normal)


def _extend(basis: Rows, v: list[float], least: float) -> None:
    size = math.sqrt(_dot(v, v))
    if size == 0:
        return
    w = [x / size for x in v]
    for _ in range(2):
        for b in basis:
            part = _dot(w, b)
            w = [x - part * y for x, y in zip(w, b, strict=True)]
    rest = math.sqrt(_dot(w, w))
    if rest > least:
        basis.append([x / rest for x in w])


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))
