"""What numbers say about equations: configurations that satisfy the constraints, ranks, null vectors. Plain Python, for small systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from ..algebra.derivatives import jacobian
from ..algebra.elimination import definite_factor, definite_solve
from ..algebra.evaluate import evaluate
from ..algebra.graph import Expr, Symbol
from ..algebra.matrix import Matrix
from ..errors import EvaluationError
from .equations import Equations

Values = dict[Any, float]
Rows = list[list[float]]

STARTS = 8
STEPS = 60


# ---------------------------------------------------------------------------------------------------------- states


@dataclass(frozen=True)
class Outcome:
    """What the search for a configuration came to.

    values      numbers for every symbol; the constraints hold where `residuals` are small
    residuals   of phi, then of the norms of Euler parameters
    is_stuck    whether every start ended where no small step brings the constraints nearer to zero, and none is zero
    """

    values: Values
    residuals: list[float]
    is_stuck: bool = False

    @property
    def holds(self) -> bool:
        return size(self.residuals) < 1e-9


def configuration(eq: Equations, seed: int = 1, given: Mapping[Any, float] | None = None) -> Outcome:
    """The first configuration from a few random starts near what is given that satisfies the constraints, or the nearest to one.

    Where the parameters leave no way to meet the constraints, those without values are moved along with the coordinates.
    """
    best, stuck = Outcome({}, [float("inf")]), True
    fixed = {s: float(v) for s, v in (given or {}).items()}
    loose = [p for p in eq.p if p not in eq.mechanism.values and p not in fixed]
    rows = _positions(eq)
    for start in range(STARTS):
        movable = [*eq.q, *loose] if start >= STARTS // 2 else list(eq.q)
        random = Random(1000 * seed + start)
        values = random_values(eq, random) | fixed
        if start > 0:
            values |= {q: values[q] + random.uniform(-1, 1) for q in eq.q}  # given places are places to start from
        if not rows:
            return Outcome(values, [])
        found = _approached(rows, jacobian(rows, movable), movable, values)
        if found is None:
            continue
        reached, is_still = found
        stuck = stuck and is_still
        best = min(best, reached, key=lambda o: size(o.residuals))
        if best.holds:
            return best
    return replace(best, is_stuck=stuck and bool(best.values))


def random_values(eq: Equations, random: Random) -> Values:
    """Numbers for every symbol of the equations, constraints not looked at. Parameters: those of the model, or between ½ and 3/2."""
    known = {s: float(v) for s, v in eq.mechanism.values.items()}
    values: Values = {p: known.get(p, random.uniform(0.5, 1.5)) for p in eq.p}
    moving = (*eq.q, *eq.u, *eq.z, *eq.r, *eq.lam, eq.t)
    values |= {s: random.uniform(-1, 1) for s in (*moving, *(s.dot for s in (*eq.u, *eq.z)))}
    for norm in eq.mechanism.norms:
        length = sum(values[e] ** 2 for e in norm) ** 0.5
        values |= {e: values[e] / length for e in norm}
    return values


def _positions(eq: Equations) -> list[Expr]:
    norms = [sum((e * e for e in norm[1:]), norm[0] * norm[0]) - 1 for norm in eq.mechanism.norms]
    return [*eq.phi.entries, *norms]


def _approached(rows: list[Expr], J: Matrix, movable: Sequence[Symbol], state: Values) -> tuple[Outcome, bool] | None:
    """Levenberg-Marquardt: where the search ended, and whether that is a place from which no small step leads nearer."""
    damping, here = 1e-3, _evaluated(rows, J, state)
    if here is None:
        return None
    for _ in range(STEPS):
        r, slope = here
        if size(r) < 1e-13:
            break
        step = least_step(slope, r, damping)
        there = {**state, **{s: state[s] - d for s, d in zip(movable, step, strict=True)}}
        reached = _evaluated(rows, J, there)
        if reached is not None and _square(reached[0]) < _square(r):
            state, here, damping = there, reached, max(damping / 20, 1e-14)
        elif damping > 1e8 or size(step) < 1e-15:
            break
        else:
            damping *= 10
    r, slope = here
    gradient = [sum(slope[i][j] * r[i] for i in range(len(r))) for j in range(len(movable))]
    return Outcome(state, r), size(r) > 1e-6 and size(gradient) < 1e-4 * size(r)


def _square(r: Sequence[float]) -> float:
    return sum(x * x for x in r)


def _evaluated(rows: list[Expr], J: Matrix, values: Values) -> tuple[list[float], Rows] | None:
    try:
        residuals, slopes = evaluate([rows, list(J.entries)], values)
    except (EvaluationError, OverflowError):
        return None
    return residuals, [slopes[i * J.cols : (i + 1) * J.cols] for i in range(J.rows)]


# ---------------------------------------------------------------------------------------------------------- linear algebra


def size(x: Sequence[float]) -> float:
    return max(map(abs, x), default=0.0)


def least_step(J: Rows, r: Sequence[float], damping: float) -> list[float]:
    """Jᵀ (J Jᵀ + μ 1)⁻¹ r, μ being `damping` times the largest entry on the diagonal."""
    k = len(J)
    A = [sum(a * b for a, b in zip(J[i], J[j], strict=True)) for i in range(k) for j in range(k)]
    level = damping * max(1e-30, *(A[i * k + i] for i in range(k)))
    for i in range(k):
        A[i * k + i] += level
    y = list(r)
    definite_factor(k, A)
    definite_solve(k, A, y)
    return [sum(J[i][j] * y[i] for i in range(k)) for j in range(len(J[0]))]


@dataclass(frozen=True)
class Dependence:
    """A row that depends on rows before it: Σ weights[j] row_j = 0, with weights[row] = 1."""

    row: int
    weights: dict[int, float]


def dependent_rows(rows: Rows, tolerance: float = 1e-8) -> list[Dependence]:
    """The rows that are combinations of earlier ones, by elimination with the largest entry of each row as its pivot."""
    largest = max((size(r) for r in rows), default=0.0)
    basis: list[tuple[int, list[float], dict[int, float]]] = []
    out = []
    for i, row in enumerate(rows):
        v, weights = list(row), {i: 1.0}
        for pivot, known, parts in basis:
            if factor := v[pivot] / known[pivot]:
                v = [a - factor * b for a, b in zip(v, known, strict=True)]
                v[pivot] = 0.0
                for j, w in parts.items():
                    weights[j] = weights.get(j, 0.0) - factor * w
        if size(v) <= tolerance * max(size(row), 1e-6 * largest) or size(row) == 0:
            out.append(
                Dependence(i, {j: w for j, w in weights.items() if abs(w) > 1e-7 * size(list(weights.values()))})
            )
        else:
            basis.append((max(range(len(v)), key=lambda j: abs(v[j])), v, weights))
    return out


def rank(rows: Rows, tolerance: float = 1e-8) -> int:
    return len(rows) - len(dependent_rows(rows, tolerance))


@dataclass(frozen=True)
class Reduced:
    """A matrix after elimination with complete pivoting: pivot rows and columns in order of choice, and vectors that span its null space."""

    rows: list[int]
    columns: list[int]
    null_space: Rows


def reduced(matrix: Rows, n: int, tolerance: float = 1e-8, forbidden: Sequence[int] = ()) -> Reduced:
    """Gauss-Jordan elimination of a matrix with n columns; `forbidden` columns are taken as pivots only when no other is left."""
    A, rows, columns = [list(r) for r in matrix], [], []
    least = tolerance * max((size(r) for r in A), default=0.0)
    for allowed in ([j for j in range(n) if j not in forbidden], list(range(n))):
        while True:
            left = [(abs(A[i][j]), i, j) for i in range(len(A)) if i not in rows for j in allowed if j not in columns]
            if not left or (best := max(left))[0] <= least:
                break
            _, p, c = best
            rows.append(p)
            columns.append(c)
            A[p] = [x / A[p][c] for x in A[p]]
            for i in range(len(A)):
                if i != p and A[i][c]:
                    factor = A[i][c]
                    A[i] = [x - factor * y for x, y in zip(A[i], A[p], strict=True)]
    null_space = []
    for j in (j for j in range(n) if j not in columns):
        vector = [0.0] * n
        vector[j] = 1.0
        for p, c in zip(rows, columns, strict=True):
            vector[c] = -A[p][j]
        null_space.append(vector)
    return Reduced(rows, columns, null_space)
